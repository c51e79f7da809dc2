//! Answering by hand: beginning and ending it, calls that wait, their answers.

use super::notifying;
use crate::{
    app::{
        answering::{
            AnsweredTool, Answering, AnsweringMessage, AskId, Open, SERVERS, WaitingQuestion,
        },
        edited_text::EditedText,
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        notifications::Noteworthy,
        state::State,
    },
    model::{clock::Millis, entry::EntryId},
    syntax::{
        edit::{Edit, EditError},
        source::{Format, Source},
    },
    systems::{by_hand, facets::by_hand::WaitingCall},
};

/// Milliseconds after which a server's question that nobody answers is reported once more.
const ALARM: u64 = 5_000;

/// Takes a message about it in.
pub(super) fn handle(state: &mut State, message: AnsweringMessage, now: Millis) -> Vec<Effect> {
    state.answering.now = now;
    match message {
        AnsweringMessage::Begin(tool) => return begin_answering(state, &tool, now),
        AnsweringMessage::Stop { turn } => {
            if let Some(stand) = find_stand(&state.answering, turn) {
                let words = format!("stopped answering for {}", stand.tool);
                state.notices.push(NoticeKind::Done, words, now);
                end_answering(&mut state.answering, turn);
                return vec![Effect::StopAnswering { turn }];
            }
        }
        AnsweringMessage::Choose(ask) => state.answering.chosen = Some(ask),
        AnsweringMessage::Edit { ask, edits } => edit_answer(state, ask, &edits, now),
        AnsweringMessage::Undo(ask) => {
            if let Some(open) = unsent(state, ask) {
                open.answer.undo();
            }
        }
        AnsweringMessage::Redo(ask) => {
            if let Some(open) = unsent(state, ask) {
                open.answer.redo();
            }
        }
        AnsweringMessage::Send(ask) => return send_answer(state, ask, now),
        AnsweringMessage::Leave(ask) => {
            if let Some(open) = state.answering.get_mut(ask) {
                open.sent = true;
                return vec![Effect::Reply { ask, answer: None }];
            }
        }
        AnsweringMessage::Began { turn, subject, warnings } => {
            if let Some(stand) = state.answering.stands.iter_mut().find(|stand| stand.turn == turn)
            {
                for warning in warnings {
                    state.notices.push(NoticeKind::Warning, warning, now);
                }
                state.notices.push(
                    NoticeKind::Done,
                    format!("answering calls on {subject} by hand"),
                    now,
                );
                stand.subject = Some(subject);
            }
        }
        AnsweringMessage::Asked(asked) => add_waiting_call(state, *asked, now),
        AnsweringMessage::Told { ask, words, good } if state.answering.takes(ask.turn) => {
            state.notices.push(
                if good { NoticeKind::Done } else { NoticeKind::Problem },
                words,
                now,
            );
            state.answering.open.retain(|open| open.asked.ask != ask);
        }
        AnsweringMessage::Ended { turn, problem } => {
            if let Some(stand) = find_stand(&state.answering, turn) {
                let words = format!(
                    "answering for {} by hand: {} — {}",
                    stand.tool, problem.message, problem.remedy
                );
                state.notices.push(NoticeKind::Problem, words, now);
                end_answering(&mut state.answering, turn);
            }
        }
        AnsweringMessage::Tick => warn_of_waiting(state, now),
        // Of one that is over.
        AnsweringMessage::Told { .. } => {}
    }
    Vec::new()
}

fn find_stand(answering: &Answering, turn: u64) -> Option<&AnsweredTool> {
    answering.stands.iter().find(|stand| stand.turn == turn)
}

fn end_answering(answering: &mut Answering, turn: u64) {
    answering.stands.retain(|stand| stand.turn != turn);
    answering.open.retain(|open| open.asked.ask.turn != turn);
}

fn begin_answering(state: &mut State, id: &EntryId, now: Millis) -> Vec<Effect> {
    let connection = state.connection_of(id);
    let named = state.tool(id).and_then(|tool| {
        Some((tool.entry.system, tool.name.clone(), by_hand::listen_address(tool, &connection)?))
    });
    let Some((system, tool, target)) = named else {
        state.notices.push(NoticeKind::Problem, by_hand::describe_requirements(), now);
        return Vec::new();
    };
    if state.answering.stand_of(&tool).is_some() {
        return Vec::new();
    }
    state.answering.turn += 1;
    let turn = state.answering.turn;
    state.answering.stands.push(AnsweredTool {
        turn,
        tool: tool.clone(),
        connection: connection.name.clone(),
        subject: None,
    });
    vec![Effect::Answer { turn, system, connection: Box::new(connection), tool, target }]
}

/// A call waits. What was written for it before stays.
fn add_waiting_call(state: &mut State, asked: WaitingQuestion, now: Millis) {
    if !state.answering.takes(asked.ask.turn) {
        return;
    }
    let (agent, tool) =
        (asked.waiting.caller_id().to_owned(), asked.waiting.tool_name().to_owned());
    let key = state.keymap.way_to("show-waiting");
    let words = match &asked.failed {
        Some(problem) => {
            format!("couldn't send the answer of {tool}: {} — {}", problem.message, problem.remedy)
        }
        None => format!("{agent} asks {tool}; {key} shows it"),
    };
    let kind = if asked.failed.is_some() { NoticeKind::Problem } else { NoticeKind::Warning };
    notifying::note(state, Noteworthy::Question(&words), now);
    // Where it is seen anyway, it need not be said.
    if asked.failed.is_some() || state.screen != ScreenId::Waiting {
        state.notices.push(kind, words, now);
    }
    if let Some(open) = state.answering.get_mut(asked.ask) {
        (open.asked, open.sent) = (asked, false);
        return;
    }
    let known = state.catalog.tools.iter().find(|known| known.name == tool);
    let due = asked.waiting.due(known.map(AsRef::as_ref));
    let Ok(answer) = Source::parse(Format::Json, asked.waiting.blank_answer().to_string()) else {
        return;
    };
    let answer = EditedText::new(answer);
    let open = Open { asked, since: now, due, answer, sent: false, alarmed: false };
    state.answering.open.push(open);
}

/// Servers may wait inside a call until somebody answers: the user is notified of each, once.
fn warn_of_waiting(state: &mut State, now: Millis) {
    let key = state.keymap.way_to("show-waiting");
    let State { answering, notices, .. } = state;
    let late = |open: &&mut Open| {
        let is_asked = open.asked.ask.turn == SERVERS && !open.sent && !open.alarmed;
        is_asked && now.since(open.since) >= ALARM
    };
    for open in answering.open.iter_mut().filter(late) {
        open.alarmed = true;
        let (server, method) = (open.asked.waiting.caller_id(), open.asked.waiting.tool_name());
        let words = format!("{server} is still waiting for an answer to {method}; {key} shows it");
        notices.push(NoticeKind::Warning, words, now);
    }
}

/// A call whose answer can still be changed.
fn unsent(state: &mut State, ask: AskId) -> Option<&mut Open> {
    state.answering.get_mut(ask).filter(|open| !open.sent)
}

/// Makes edits of an answer, all or none.
fn edit_answer(state: &mut State, ask: AskId, edits: &[Edit], now: Millis) {
    let Some(Open { answer, asked, .. }) = unsent(state, ask) else { return };
    if let Err(error) = answer.edit_then(edits, |answer| remove_leftover(answer, &*asked.waiting)) {
        state.notices.push(NoticeKind::Problem, format!("answer: {error}"), now);
    }
}

/// An answer that is a success now has no error any more; undo has it.
fn remove_leftover(answer: Source, waiting: &dyn WaitingCall) -> Result<Source, EditError> {
    match answer.value(0).and_then(|value| waiting.leftover_member(value)) {
        Some(at) => answer.apply(0, &Edit::Remove { at }).map(|(after, _)| after),
        None => Ok(answer),
    }
}

fn send_answer(state: &mut State, ask: AskId, now: Millis) -> Vec<Effect> {
    let Some(open) = unsent(state, ask) else { return Vec::new() };
    let value = open.answer_value();
    if let Some((at, why)) = open.asked.waiting.answer_fault(&value) {
        state.notices.push(NoticeKind::Problem, format!("{at}: {why}"), now);
        return Vec::new();
    }
    open.sent = true;
    vec![Effect::Reply { ask, answer: Some(value) }]
}
