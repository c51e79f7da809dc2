//! What the panes of Watch say alike: signs, times, names cut at their start.

use unicode_segmentation::UnicodeSegmentation;

use crate::{
    app::{message::Message, watching::WatchMessage},
    engine::traffic::conversation::{Conversation, ConversationState},
    model::{clock::Millis, traffic::Part},
    schema::moment::LocalTime,
    ui::{answer::events::format_duration, canvas::text_width, styles::Role, view::Reply},
};

/// Asks something of the watch.
pub(super) fn watch_reply(message: WatchMessage) -> Reply {
    Reply::send(Message::Watch(message))
}

/// The status of a conversation, as a sign and a role.
pub(super) fn conversation_sign(conversation: &Conversation) -> (&'static str, Role) {
    match conversation.standing {
        ConversationState::Open if conversation.is_interrupted => ("◌", Role::Warning),
        ConversationState::Open if conversation.answered.is_some() => ("●", Role::Accent),
        ConversationState::Open => ("◌", Role::Info),
        ConversationState::Succeeded => ("✓", Role::Success),
        ConversationState::Failed(_) if conversation.standing.is_cancelled() => {
            ("■", Role::Warning)
        }
        ConversationState::Failed(_) => ("✗", Role::Error),
        ConversationState::Unreadable(_) => ("‽", Role::Error),
        ConversationState::Orphan => ("?", Role::Warning),
        ConversationState::Single => ("·", Role::Dim),
    }
}

/// Its status, in words.
pub(super) fn conversation_state(conversation: &Conversation) -> &'static str {
    match conversation.standing {
        // What it does is said beside it.
        ConversationState::Open
            if conversation.topic.is_some() && !conversation.states.is_empty() =>
        {
            "under way"
        }
        ConversationState::Open if conversation.is_interrupted => "interrupted",
        ConversationState::Open if conversation.answered.is_some() => "streaming",
        ConversationState::Open => "waiting for its answer",
        ConversationState::Orphan => "Orphan reply (request not seen)",
        ConversationState::Single => "no conversation",
        ConversationState::Failed(_) if conversation.standing.is_cancelled() => "cancelled",
        _ => conversation.standing.as_str(),
    }
}

pub(super) fn role_of(part: &Part) -> Role {
    match part {
        Part::Request | Part::Step => Role::Info,
        Part::Answer { last: true } | Part::Outcome(None) => Role::Success,
        Part::Error(_) | Part::Unreadable(_) | Part::Outcome(Some(_)) => Role::Error,
        Part::Answer { .. } | Part::Note | Part::Broadcast | Part::Other => Role::Dim,
    }
}

/// What it is about: as its system says, or as its subject does.
pub(super) fn conversation_name(conversation: &Conversation) -> &str {
    conversation.topic.as_deref().unwrap_or_else(|| subject_topic(&conversation.subject).1)
}

/// How it goes while it is not over, with the time that is left where there is a deadline.
pub(super) fn progress_text(conversation: &Conversation, now: Millis) -> Option<(Role, String)> {
    if conversation.standing != ConversationState::Open {
        return None;
    }
    let state = conversation.states.last().map(String::as_str);
    let mut words: Vec<String> = Vec::new();
    let mut role = Role::State;
    if let Some(due) = conversation.due {
        let over = now > due;
        role = if over { Role::Warning } else { Role::Info };
        words.push(if over {
            format!("{} over its time", format_duration(now.since(due)))
        } else {
            format!("{} left", countdown_seconds(due.since(now)))
        });
    }
    words.extend(state.map(str::to_owned));
    words.extend(Some(conversation.goes.clone()).filter(|goes| !goes.is_empty()));
    (!words.is_empty()).then(|| (role, words.join(" · ")))
}

/// What is left of a time, in whole seconds that count down to 0.
fn countdown_seconds(ms: u64) -> String {
    match ms.div_ceil(1_000) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// A moment as the clock on the wall shows it; `offset` in minutes.
pub(super) fn clock_time(at: Millis, offset: i32) -> String {
    LocalTime { seconds: i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX), offset }.clock_time()
}

/// The end of a name in at most so many cells, where the ends tell names apart. It begins with one
/// of the name's parts, where that leaves most of the room filled.
pub(super) fn text_tail(text: &str, cells: usize) -> String {
    if text_width(text) <= cells {
        return text.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut taken = 1;
    for cluster in text.graphemes(true).rev() {
        taken += text_width(cluster);
        if taken > cells {
            break;
        }
        kept.push(cluster);
    }
    let end: String = kept.into_iter().rev().collect();
    let at_part = end.find(['.', ':', '/', '-', '_', ' ']).map(|at| &end[at + 1..]);
    let end = at_part.filter(|part| text_width(part) * 2 >= cells).unwrap_or(&end);
    if cells == 0 { String::new() } else { format!("…{end}") }
}

/// What a subject is about, and as a sign who speaks there: the space and the class before it go
/// without saying.
pub(super) fn subject_topic(subject: &str) -> (&'static str, &str) {
    let path = subject.split_once("://").map_or(subject, |(_, path)| path);
    let parts: Vec<&str> = path.splitn(3, ['.', '/']).collect();
    match parts.as_slice() {
        [_, "request", topic] => ("→", topic),
        [_, "response", topic] => ("←", topic),
        [_, "notify", topic] => ("»", topic),
        [_, "flow", topic] => ("⇒", topic),
        _ => (" ", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_times_are_short() {
        assert_eq!(text_tail("tg.request.joke", 8), "…joke");
        assert_eq!(text_tail("tg.request.joke", 10), "…uest.joke", "most of the room stays used");
        assert_eq!((text_tail("joke", 4), text_tail("joke", 0)), ("joke".into(), String::new()));
        assert_eq!(subject_topic("non-persistent://tg/request/agent:a:b"), ("→", "agent:a:b"));
        assert_eq!(
            (subject_topic("tg.response.joke"), subject_topic("orders.new.big")),
            (("←", "joke"), (" ", "orders.new.big"))
        );
        assert_eq!(clock_time(Millis(86_399_000), 60), "00:59:59");
    }
}
