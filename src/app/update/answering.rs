//! Answering by hand: beginning and ending it, calls that wait, their results.

use crate::{
    app::{
        actions::Act,
        answering::{Answering, AnsweringMessage},
        effect::Effect,
        notices::NoticeKind,
        state::State,
    },
    model::{clock::Millis, entry::EntryId},
    systems::commonground::executor,
};

/// Takes a message about it in.
pub(super) fn take(state: &mut State, message: AnsweringMessage, now: Millis) -> Vec<Effect> {
    let turn_of_now = state.answering.turn;
    let mut notice = |kind, words: String| state.notices.push(kind, words, now);
    match message {
        AnsweringMessage::Begin(tool) => return begin(state, &tool, now),
        AnsweringMessage::Stop => {
            if let Some(tool) = &state.answering.tool {
                notice(NoticeKind::Done, format!("{tool} is no longer answered for"));
            }
            state.answering = Answering { turn: turn_of_now + 1, ..Answering::default() };
            return vec![Effect::StopAnswering];
        }
        AnsweringMessage::Reply(text) => {
            state.answering.waiting = None;
            return vec![Effect::Reply(text)];
        }
        AnsweringMessage::Began { turn, subject, warnings } if turn == turn_of_now => {
            for warning in warnings {
                notice(NoticeKind::Warning, warning);
            }
            notice(NoticeKind::Done, format!("answering by hand what comes on {subject}"));
        }
        AnsweringMessage::Asked { turn, asked } if turn == turn_of_now => {
            let keys = Act::AnswerByHand.row().keys.join(", ");
            notice(NoticeKind::Warning, format!("{} asks {}: {keys} in Invoke answers", asked.agent, asked.tool));
            state.answering.waiting = Some(asked);
        }
        AnsweringMessage::Told { turn, words, good } if turn == turn_of_now => {
            notice(if good { NoticeKind::Done } else { NoticeKind::Problem }, words);
        }
        AnsweringMessage::Ended { turn, problem } if turn == turn_of_now => {
            notice(NoticeKind::Problem, format!("answering by hand: {} — {}", problem.message, problem.remedy));
            state.answering = Answering { turn: turn_of_now + 1, ..Answering::default() };
        }
        // Of one that is over.
        AnsweringMessage::Began { .. }
        | AnsweringMessage::Asked { .. }
        | AnsweringMessage::Told { .. }
        | AnsweringMessage::Ended { .. } => {}
    }
    Vec::new()
}

fn begin(state: &mut State, id: &EntryId, now: Millis) -> Vec<Effect> {
    let connection = state.connection();
    let named =
        state.catalog.tool(id).and_then(|tool| Some((tool.name.clone(), executor::target(tool, connection.channel.as_ref()?)?)));
    let Some((tool, target)) = named else {
        let words = "only a CommonGround tool is answered for by hand, over a connection that names a channel";
        state.notices.push(NoticeKind::Problem, words, now);
        return Vec::new();
    };
    let turn = state.answering.turn + 1;
    state.answering = Answering { tool: Some(tool.clone()), waiting: None, turn };
    vec![Effect::Answer { turn, connection: Box::new(connection), tool, target }]
}
