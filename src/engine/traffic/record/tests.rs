//! How messages join, what is kept of them, and what that costs.

use proptest::prelude::*;

use super::*;
use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    traffic::{EndEvidence, KeptMessage, MessageLinks},
};

fn observed_message(at: u64, subject: &str, body: &str) -> ObservedMessage {
    ObservedMessage {
        at: Millis(at),
        subject: subject.into(),
        reply: None,
        headers: Vec::new(),
        body: body.as_bytes().into(),
        size: body.len() as u64,
        kept: KeptMessage::Whole,
        about: None,
    }
}

fn decoded_message(id: Option<&str>, part: Part, text: &str) -> Decoded {
    let label = part.as_str();
    Decoded { id: id.map(str::to_owned), ..Decoded::new(Some("trustgraph"), part, label, text) }
}

fn witnessed_message(at: u64, id: &str, part: Part, text: &str) -> WatchedItem {
    let subject = if part == Part::Request { "tg.request.joke" } else { "tg.response.joke" };
    WatchedItem::ObservedMessage(
        Arc::new(observed_message(at, subject, text)),
        decoded_message(Some(id), part, text),
    )
}

fn call_error() -> CallError {
    CallError { kind: ErrorKind::parse("e"), message: "m".into(), remedy: String::new() }
}

const PIECE: Part = Part::Answer { last: false };
const LAST: Part = Part::Answer { last: true };

fn standings(record: &Record) -> Vec<&'static str> {
    (0..record.row_count())
        .filter_map(|row| record.conversation_at(row))
        .map(|conversation| conversation.standing.as_str())
        .collect()
}

#[test]
fn requests_and_answers_meet_by_id_in_any_order() {
    let mut record = Record::default();
    record.add_witnessed(witnessed_message(10, "a", Part::Request, "ask a"));
    record.add_witnessed(witnessed_message(12, "b", PIECE, "first of "));
    record.add_witnessed(witnessed_message(15, "b", Part::Request, "ask b"));
    record.add_witnessed(witnessed_message(20, "a", Part::Error(call_error()), ""));
    record.add_witnessed(witnessed_message(40, "b", LAST, "b"));
    record.add_witnessed(witnessed_message(50, "c", LAST, "nobody asked"));
    record.add_witnessed(witnessed_message(60, "b", LAST, "once more"));
    record.add_witnessed(witnessed_message(70, "d", LAST, "heard before it was asked"));
    record.add_witnessed(witnessed_message(75, "d", Part::Request, "ask d"));
    assert_eq!(standings(&record), ["failed", "succeeded", "orphan", "succeeded"]);
    let b = record.conversation_at(1).unwrap();
    assert_eq!((b.asked.as_str(), b.said.as_str(), b.late, b.count), ("ask b", "first of b", 1, 4));
    assert_eq!((&*b.subject, b.first_answer()), ("tg.request.joke", Some(0)));
    assert_eq!(b.messages, [2, 3, 5, 7]);
}

#[test]
fn an_id_that_is_used_again_begins_anew() {
    let mut record = Record::default();
    for at in [0, 100] {
        record.add_witnessed(witnessed_message(at, "a", Part::Request, "ask"));
        record.add_witnessed(witnessed_message(at + 5, "a", LAST, "answer"));
    }
    assert_eq!(standings(&record), ["succeeded", "succeeded"]);
    record.add_witnessed(witnessed_message(200, "b", Part::Request, "ask"));
    record.add_witnessed(witnessed_message(210, "b", Part::Step, "go on"));
    assert_eq!(record.len(), 3, "a step belongs to what was begun");
}

#[test]
fn an_answer_in_the_inbox_meets_its_request() {
    let mut record = Record::default();
    let asked =
        ObservedMessage { reply: Some("_INBOX.7".into()), ..observed_message(1, "joke", "?") };
    record.add_witnessed(WatchedItem::ObservedMessage(
        Arc::new(asked),
        decoded_message(None, Part::Request, "?"),
    ));
    record.add_witnessed(WatchedItem::ObservedMessage(
        Arc::new(observed_message(3, "_INBOX.7", "!")),
        decoded_message(None, LAST, "!"),
    ));
    record.add_witnessed(WatchedItem::ObservedMessage(
        Arc::new(observed_message(4, "_INBOX.8", "!")),
        decoded_message(None, LAST, "!"),
    ));
    assert_eq!(standings(&record), ["succeeded", "orphan"]);
    let names: Vec<_> = record.subjects().map(|(name, count)| (&**name, count.messages)).collect();
    assert_eq!(names, [("_INBOX.*", 2), ("joke", 1)]);
}

/// A message of a call that is part of a turn.
fn of_call(at: u64, call: &str, turn: &str, part: Part) -> WatchedItem {
    let ties = MessageLinks {
        also: vec![format!("card of {call}")],
        within: Some(ParentConversation { id: turn.into(), topic: Some("agent".into()) }),
        trace: Some("t".into()),
        ..MessageLinks::default()
    };
    let reading = Decoded { ties, ..decoded_message(Some(call), part, call) };
    WatchedItem::ObservedMessage(Arc::new(observed_message(at, "call", call)), reading)
}

#[test]
fn what_is_heard_of_a_call_before_its_command_stands_in_the_turn_as_well() {
    let mut record = Record::default();
    record.add_witnessed(witnessed_message(0, "t1", Part::Note, "thinking"));
    record.add_witnessed(witnessed_message(1, "card of c1", Part::Note, "started"));
    record.add_witnessed(witnessed_message(2, "t1", PIECE, "I "));
    record.add_witnessed(witnessed_message(
        3,
        "card of c1",
        Part::Outcome(Some(call_error())),
        "says no",
    ));
    record.add_witnessed(witnessed_message(4, "t1", PIECE, "count"));
    record.add_witnessed(of_call(5, "c1", "t1", Part::Request));
    let (turn, call) = (record.conversation_at(0).unwrap(), record.conversation_at(1).unwrap());
    assert_eq!(
        (standings(&record), call.whole, &turn.parts),
        (vec!["open", "failed"], Some(1), &vec![2])
    );
    assert_eq!(
        (&call.messages, turn.messages.iter().copied().collect::<Vec<_>>()),
        (&[2, 4, 6].into(), vec![1, 2, 3, 4, 5, 6])
    );
    let rows: Vec<_> = (0..turn.row_count()).map(|row| turn.row_range(row)).collect();
    assert_eq!(rows, [0..1, 1..2, 2..3, 3..4, 4..5, 5..6], "a piece after it begins anew");
    assert_eq!((turn.count, turn.bytes), (6, "thinkingstartedI says nocountc1".len() as u64));
    // One that is received much too early belongs to something else of that name.
    record.add_witnessed(witnessed_message(1_000, "card of c2", Part::Outcome(None), "long ago"));
    record.add_witnessed(of_call(9_000, "c2", "t1", Part::Request));
    assert_eq!(record.conversation_at(2).unwrap().standing.as_str(), "open");
}

#[test]
fn what_is_let_go_of_a_turn_is_let_go_once_however_it_came_in() {
    let mut record = Record::new(RecordBounds { messages: 3, bytes: usize::MAX });
    record.add_witnessed(witnessed_message(1, "card of c1", Part::Note, "started"));
    record.add_witnessed(of_call(5, "c1", "t1", Part::Request));
    for at in 6..12 {
        record.add_witnessed(of_call(at, "c1", "t1", Part::Note));
    }
    let turn = record.conversation_at(0).unwrap();
    assert_eq!(
        (turn.messages.iter().copied().collect::<Vec<_>>(), turn.dropped_count(), turn.row_count()),
        (vec![6, 7, 8], 5, 3)
    );
}

fn settled_with(known: EndEvidence, problem: Option<CallError>) -> SettledConversation {
    SettledConversation {
        name: "c1".into(),
        problem,
        text: "it came".into(),
        card: Some("r1".into()),
        at: None,
        known,
    }
}

#[test]
fn something_else_may_tell_how_a_call_ended_until_its_own_messages_do() {
    let mut record = Record::default();
    record.add_witnessed(of_call(0, "c1", "t1", Part::Request));
    let step = match witnessed_message(5, "t1", Part::Note, "takes it in") {
        WatchedItem::ObservedMessage(crossing, mut reading) => {
            reading.ties.settles = vec![settled_with(EndEvidence::Inferred, None)];
            WatchedItem::ObservedMessage(crossing, reading)
        }
        other => other,
    };
    record.add_witnessed(step);
    let call = record.find_by_name("c1").unwrap();
    assert_eq!(
        (call.standing.as_str(), call.said.as_str(), call.elapsed_ms(Millis(99)), &call.cards),
        ("succeeded", "it came", 5, &vec!["r1".into()])
    );
    assert_eq!(record.conversation_at(0).unwrap().cards, ["r1"], "the turn has it, too");
    // What follows from others gives way to the mark, and that to the card; what the answerer said
    // is.
    record.add_witnessed(witnessed_message(
        6,
        "card of c1",
        Part::Outcome(Some(call_error())),
        "no",
    ));
    assert_eq!(record.find_by_name("c1").unwrap().standing.as_str(), "failed");
    record.apply_settled(&settled_with(EndEvidence::Inferred, None));
    assert_eq!(record.find_by_name("c1").unwrap().standing.as_str(), "failed");
    record.apply_settled(&settled_with(EndEvidence::Read, None));
    assert_eq!(record.find_by_name("c1").unwrap().standing.as_str(), "succeeded");
    record.add_witnessed(witnessed_message(7, "c1", Part::Error(call_error()), "no"));
    record.apply_settled(&settled_with(EndEvidence::Read, None));
    assert_eq!(
        (
            record.find_by_name("c1").unwrap().standing.as_str(),
            record.find_by_name("c1").unwrap().late
        ),
        ("failed", 0)
    );
    assert!(
        record
            .apply_settled(&SettledConversation {
                name: "nobody".into(),
                ..settled_with(EndEvidence::Read, None)
            })
            .is_empty()
    );
}

#[test]
fn a_call_is_heard_in_its_turn_too() {
    let mut record = Record::default();
    record.add_witnessed(of_call(0, "c1", "t1", Part::Request));
    assert_eq!(
        (standings(&record), &*record.conversation_at(0).unwrap().id.clone().unwrap()),
        (vec!["open", "open"], "t1")
    );
    record.add_witnessed(match witnessed_message(5, "t1", Part::Note, "thinking") {
        WatchedItem::ObservedMessage(crossing, reading) => WatchedItem::ObservedMessage(
            crossing,
            Decoded { state: Some("running".into()), ..reading },
        ),
        other => other,
    });
    record.add_witnessed(of_call(10, "c2", "t1", Part::Request));
    record.add_witnessed(witnessed_message(
        12,
        "card of c1",
        Part::Outcome(None),
        "by another name",
    ));
    record.add_witnessed(witnessed_message(20, "c2", Part::Outcome(Some(call_error())), "failed"));
    record.add_witnessed(witnessed_message(
        21,
        "c2",
        Part::Error(call_error()),
        "the answer comes after what was told of it",
    ));
    let (turn, first, second) = (
        record.conversation_at(0).unwrap(),
        record.conversation_at(1).unwrap(),
        record.conversation_at(2).unwrap(),
    );
    assert_eq!(standings(&record), ["open", "succeeded", "failed"]);
    assert_eq!(
        (turn.messages.iter().copied().collect::<Vec<_>>(), &turn.parts),
        (vec![1, 2, 3, 4, 5, 6], &vec![2, 3])
    );
    assert_eq!(
        (turn.topic.as_deref(), turn.goes.as_str(), turn.trace.as_deref()),
        (Some("agent"), "thinking", None)
    );
    assert_eq!(
        (first.whole, second.messages.len(), second.late, second.trace.as_deref()),
        (Some(1), 3, 0, Some("t"))
    );
    record.add_witnessed(witnessed_message(30, "t1", LAST, "the end"));
    assert_eq!(standings(&record)[0], "succeeded");
    record.add_witnessed(of_call(40, "c3", "t2", Part::Request));
    record.add_witnessed(witnessed_message(41, "c3", Part::Outcome(Some(call_error())), "failed"));
    assert_eq!(
        standings(&record)[3..],
        ["failed", "failed"],
        "of a turn of which nothing else was heard the call tells"
    );
}

#[test]
fn pieces_of_one_answer_stand_in_one_row() {
    let mut record = Record::new(RecordBounds { messages: 6, bytes: usize::MAX });
    let rows = |record: &Record| {
        let one = record.conversation_at(0).unwrap();
        (0..one.row_count()).map(|row| one.row_range(row)).collect::<Vec<_>>()
    };
    for (at, part) in
        [Part::Request, PIECE, PIECE, PIECE, Part::Note, PIECE].into_iter().enumerate()
    {
        record.add_witnessed(witnessed_message(at as u64, "a", part, "x"));
    }
    assert_eq!(rows(&record), [0..1, 1..4, 4..5, 5..6]);
    (0..2).for_each(|at| drop(record.add_witnessed(witnessed_message(10 + at, "a", PIECE, "x"))));
    assert_eq!(rows(&record), [0..2, 2..3, 3..6], "its oldest pieces are no longer kept");
    record.add_witnessed(witnessed_message(20, "a", LAST, "x"));
    assert_eq!(rows(&record), [0..1, 1..2, 2..5, 5..6]);
}

#[test]
fn what_tells_nothing_new_is_hidden_and_counted() {
    let mut record = Record::default();
    let routine = |at, id: &str| match witnessed_message(at, id, Part::Other, "ring") {
        WatchedItem::ObservedMessage(crossing, reading) => {
            WatchedItem::ObservedMessage(crossing, Decoded { routine: true, ..reading })
        }
        other => other,
    };
    record.add_witnessed(witnessed_message(0, "a", Part::Request, "ask"));
    (0..5).for_each(|at| drop(record.add_witnessed(routine(at, "watchdog"))));
    record.add_witnessed(witnessed_message(9, "b", Part::Request, "ask"));
    assert_eq!(
        (
            record.row_count(),
            record.routine_count(),
            record.row_of(2),
            record.conversation_at(1).unwrap().number
        ),
        (2, 5, None, 3)
    );
    record.show_routine(true);
    assert_eq!((record.row_count(), record.conversation_at(1).unwrap().count), (3, 5));
    record.set_view(Filter::parse("-is:open").unwrap()).unwrap();
    assert_eq!(record.row_count(), 1);
    record.show_routine(false);
    assert_eq!(record.row_count(), 0);
}

#[test]
fn what_waits_is_over_at_some_time_and_what_is_odd_is_said_once() {
    let mut record = Record::default();
    let state = |at, due| match witnessed_message(at, "a", Part::Note, "suspended") {
        WatchedItem::ObservedMessage(crossing, reading) => {
            let remarks = vec!["odd".to_owned()];
            WatchedItem::ObservedMessage(
                crossing,
                Decoded { state: Some("s".into()), due, remarks, ..reading },
            )
        }
        other => other,
    };
    record.set_view(Filter::parse("is:overdue").unwrap()).unwrap();
    record.add_witnessed(state(0, Some(Millis(5_000))));
    record.add_witnessed(state(1, Some(Millis(6_000))));
    assert_eq!(record.row_count(), 0);
    record.tick(Millis(6_001));
    assert_eq!((record.row_count(), record.conversation_at(0).unwrap().remarks.len()), (1, 1));
    record.add_witnessed(state(7_000, None));
    assert_eq!(record.row_count(), 0, "another state has another end");
    record.set_view(Filter::parse("is:odd").unwrap()).unwrap();
    assert_eq!(record.row_count(), 1);
}

#[test]
fn what_cannot_be_decoded_or_comes_twice_stays_odd() {
    let problem = CallError::new(ErrorKind::NotJson, "it is no JSON object", "");
    let last = Part::Answer { last: true };
    for (parts, found) in [
        (
            vec![Part::Request, Part::Unreadable(problem.clone()), last.clone()],
            "a message can't be decoded: it is no JSON object",
        ),
        (
            vec![Part::Unreadable(problem), last.clone()],
            "a message can't be decoded: it is no JSON object",
        ),
        (vec![Part::Request, last.clone(), last], "answered again after its end"),
    ] {
        let mut record = Record::default();
        for (at, part) in parts.into_iter().enumerate() {
            record.add_witnessed(witnessed_message(at as u64, "a", part, "x"));
        }
        let mut count = |filter: &str| {
            record.set_view(Filter::parse(filter).unwrap()).unwrap();
            record.row_count()
        };
        let is_unreadable = usize::from(found.starts_with("a message"));
        assert_eq!((count("is:odd"), count("is:unreadable")), (1, is_unreadable), "{found}");
        record.set_view(Filter::parse("is:odd").unwrap()).unwrap();
        let remarks = &record.conversation_at(0).unwrap().remarks;
        assert_eq!(remarks.iter().map(|one| one.words.as_str()).collect::<Vec<_>>(), [found]);
    }
}

#[test]
fn the_oldest_go_first_and_are_counted() {
    let mut record = Record::new(RecordBounds { messages: 10, bytes: usize::MAX });
    for number in 0..20 {
        record.add_witnessed(witnessed_message(
            number,
            &format!("r{number}"),
            Part::Request,
            "ask",
        ));
        record.add_witnessed(witnessed_message(number, &format!("r{number}"), LAST, "answer"));
    }
    assert_eq!((record.heard_count(), record.let_go(), record.len()), (40, 30, 5));
    assert_eq!(record.conversation_at(0).unwrap().id.as_deref(), Some("r15"));
    assert!(record.message(30).is_none() && record.message(31).is_some());
    record.add_witnessed(witnessed_message(99, "r0", LAST, "who is that?"));
    assert_eq!(
        record.conversation_at(record.row_count() - 1).unwrap().standing,
        ConversationState::Orphan
    );
    let mut small = Record::new(RecordBounds { messages: 100, bytes: 2_000 });
    (0..50).for_each(|number| {
        drop(small.add_witnessed(witnessed_message(number, "one", PIECE, &"x".repeat(200))));
    });
    assert!(small.weight <= 2_000 && small.let_go() > 40);
    assert_eq!(small.conversation_at(0).unwrap().count, 50);
}

#[test]
fn a_filter_shows_what_it_holds_for_as_it_comes() {
    let mut record = Record::default();
    record.add_witnessed(witnessed_message(0, "a", Part::Request, "about llamas"));
    record.add_witnessed(witnessed_message(0, "b", Part::Request, "about cats"));
    record.add_witnessed(witnessed_message(700, "a", PIECE, "one"));
    for (text, expected) in [
        ("LLAMAS", vec!["a"]),
        ("-llamas", vec!["b"]),
        ("is:open", vec!["a", "b"]),
        ("about one", vec!["a"]),
        ("id:b", vec!["b"]),
        (">500ms id:a", vec!["a"]),
        ("on:response", vec!["a"]),
        ("on:nowhere", vec![]),
        ("is:failed", vec![]),
        ("", vec!["a", "b"]),
    ] {
        record.set_view(Filter::parse(text).unwrap()).unwrap();
        let ids: Vec<_> = (0..record.row_count())
            .map(|row| record.conversation_at(row).unwrap().id.as_deref().unwrap())
            .collect();
        assert_eq!(ids, expected, "{text}");
    }
    record.set_view(Filter::parse("is:failed").unwrap()).unwrap();
    record.add_witnessed(witnessed_message(800, "b", Part::Error(call_error()), "no"));
    record.add_witnessed(witnessed_message(800, "a", Part::Error(call_error()), "no"));
    assert_eq!(standings(&record), ["failed", "failed"]);
    assert_eq!(record.row_of(1), Some(0), "in their order, whenever they came to hold");
}

#[test]
fn alerts_ring_once_for_each_conversation() {
    let mut record = Record::default();
    record.add_witnessed(witnessed_message(0, "old", Part::Error(call_error()), "gone by"));
    for text in ["is:failed", "secret word", "is:open >5s"] {
        record.watch_for(Filter::parse(text).unwrap()).unwrap();
    }
    assert!(record.add_witnessed(witnessed_message(10, "a", Part::Request, "ask")).is_empty());
    assert_eq!(
        record.add_witnessed(witnessed_message(20, "a", PIECE, "the secret word")),
        [Ring { alert: 1, conversation: 2 }]
    );
    assert!(
        record.add_witnessed(witnessed_message(30, "a", PIECE, "the secret word again")).is_empty()
    );
    assert_eq!(record.tick(Millis(6_000)), [Ring { alert: 2, conversation: 2 }]);
    assert_eq!(
        record.add_witnessed(witnessed_message(6_001, "a", Part::Error(call_error()), "")),
        [Ring { alert: 0, conversation: 2 }]
    );
    record.forget_alert(0);
    let kept: Vec<_> =
        record.alerts().iter().map(|alert| (alert.filter.to_string(), alert.rang)).collect();
    assert_eq!(kept, [("secret word".to_owned(), 1), ("is:open >5s".to_owned(), 1)]);
    assert_eq!(record.conversation(2).unwrap().rang, 0b11);
}

#[test]
fn a_message_costs_the_same_however_many_there_are() {
    let mut record = Record::default();
    record.set_view(Filter::parse("needle -other is:open").unwrap()).unwrap();
    for number in 0..2_000 {
        record.add_witnessed(witnessed_message(
            number,
            &format!("r{number}"),
            Part::Request,
            if number % 10 == 0 { "needle" } else { "hay" },
        ));
    }
    assert_eq!((record.row_count(), record.searched_count()), (200, 2_000));
    record.set_view(Filter::parse("needle is:open").unwrap()).unwrap();
    assert_eq!(
        record.searched_count(),
        4_000,
        "other texts are looked for once in all that is kept"
    );
    record.set_view(Filter::parse("needle -is:failed").unwrap()).unwrap();
    assert_eq!(
        (record.row_count(), record.searched_count()),
        (200, 4_000),
        "the same texts are not looked for again"
    );
    record.clear();
    assert_eq!(
        (record.row_count(), record.heard_count(), record.view().to_string().as_str()),
        (0, 0, "needle -is:failed")
    );
}

proptest! {
    #[test]
    fn a_view_is_what_its_filter_holds_for(moves in prop::collection::vec((0_u8..6, 0_u8..8), 1..80), bound in 3_usize..30) {
        let mut record = Record::new(RecordBounds { messages: bound, bytes: usize::MAX });
        record.set_view(Filter::parse("odd -is:failed").unwrap()).unwrap();
        for (at, (what, id)) in moves.into_iter().enumerate() {
            let part = [Part::Request, PIECE, LAST, Part::Error(call_error()), Part::Broadcast, Part::Step][usize::from(what)].clone();
            record.add_witnessed(witnessed_message(at as u64, &id.to_string(), part, if (what + id) % 2 == 1 { "odd" } else { "even" }));
            let shown: Vec<u64> = (0..record.row_count()).map(|row| record.conversation_at(row).unwrap().number).collect();
            let holds = |conversation: &&Conversation| record.view.matches(conversation, record.now, |needle| conversation.found >> needle & 1 == 1);
            let expected: Vec<u64> = record.conversations.all.iter().filter(holds).map(|conversation| conversation.number).collect();
            prop_assert_eq!(shown, expected);
            prop_assert!(record.messages.len() <= bound && record.names.len() <= record.len());
            let kept: usize = record.conversations.all.iter().map(|conversation| conversation.messages.len()).sum();
            // Of one that goes on for very long, the messages may outlive what they belong to.
            prop_assert!(kept <= record.messages.len());
        }
    }
}

#[test]
fn what_is_not_over_where_messages_may_be_missing_is_interrupted() {
    let mut record = Record::default();
    record.watch_for(Filter::parse("is:odd").unwrap()).unwrap();
    record.add_witnessed(witnessed_message(10, "over", Part::Request, "ask"));
    record.add_witnessed(witnessed_message(11, "over", LAST, "all"));
    record.add_witnessed(witnessed_message(20, "open", Part::Request, "ask"));
    record.add_witnessed(witnessed_message(21, "open", PIECE, "some"));
    let notice = |breaks| WatchedItem::Notice { at: Millis(30), words: "w".into(), breaks };
    let interrupted = |record: &Record| -> Vec<bool> {
        let rows = (0..record.row_count()).filter_map(|row| record.conversation_at(row));
        rows.map(|conversation| conversation.is_interrupted).collect()
    };
    assert!(record.add_witnessed(notice(false)).is_empty());
    assert_eq!(interrupted(&record), [false, false]);
    let rings = record.add_witnessed(notice(true));
    assert_eq!((interrupted(&record), rings.len()), (vec![false, true], 1));
    // It goes on after all; that something is missing stays said.
    record.add_witnessed(witnessed_message(40, "open", PIECE, "more"));
    assert_eq!(interrupted(&record), [false, false]);
    let remarks = &record.conversation_at(1).unwrap().remarks;
    assert!(remarks[0].words.contains("connection broke") && remarks.len() == 1, "{remarks:?}");
    record.add_witnessed(WatchedItem::Gap { at: Millis(50), messages: Some(3) });
    assert_eq!(interrupted(&record), [false, true]);
}
