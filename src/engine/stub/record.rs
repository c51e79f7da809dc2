//! A kept call as a rule: the same arguments get the same pieces after the same waits, and the same
//! end.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{
    engine::{
        mask::{MASKED, Mask},
        services::sample::Asking,
        stream_redactor::{RedactedPieces, StreamEnd},
        template,
    },
    model::{
        call::{CallError, Event, EventKind, Outcome},
        error_kind::ErrorKind,
        numbered::numbered_names,
        stub::{AnswerPiece, Fault, Rule, Stub, StubAnswer, StubService, When},
    },
    schema::ordering::PutInOrder,
};

/// More pieces than these are joined with their neighbours, so that a file can be read.
const MOST: usize = 500;

/// The rule that answers as this call was answered. `text` is the whole answer, also where some of
/// its events are no longer there.
///
/// What was masked or filled in at the last moment is not asked for: it would never match.
///
/// # Errors
/// When the call had no answer that could be given again.
pub(crate) fn recorded_rule<'e>(
    name: &str,
    asking: &Asking<'_>,
    events: impl Iterator<Item = &'e Event>,
    text: &str,
) -> Result<Rule, String> {
    let mut last = 0;
    let mut pieces: Vec<AnswerPiece> = Vec::new();
    let mut end = None;
    for event in events {
        match &event.kind {
            EventKind::Sent { .. } if pieces.is_empty() => last = event.at_ms,
            EventKind::Chunk { text, .. } if end.is_none() => {
                let wait = Duration::from_millis(event.at_ms.saturating_sub(last));
                last = event.at_ms;
                pieces.push(AnswerPiece {
                    text: text.to_string(),
                    after: (!wait.is_zero()).then_some(wait),
                });
            }
            EventKind::End { outcome, problem } if end.is_none() => {
                end = Some((*outcome, problem.as_ref()));
            }
            _ => {}
        }
    }
    if pieces.iter().map(|piece| piece.text.len()).sum::<usize>() != text.len() {
        pieces = vec![AnswerPiece {
            text: text.into(),
            after: pieces.first().and_then(|piece| piece.after),
        }];
    }
    let (error, fault) = rule_end(end, &mut pieces)?;
    let then = StubAnswer { pieces: join_pieces(pieces), error, fault, ..StubAnswer::default() };
    let part =
        |given: &Map<String, Value>| Some(lasting_members(given)).filter(|part| !part.is_empty());
    let when =
        When { arguments: part(asking.arguments), config: part(asking.config), ..When::default() };
    Ok(Rule { name: name.into(), when, then })
}

type RecordedEnd = (Option<(String, String)>, Option<Fault>);

fn rule_end(
    end: Option<(Outcome, Option<&CallError>)>,
    pieces: &mut Vec<AnswerPiece>,
) -> Result<RecordedEnd, String> {
    let unended = if pieces.is_empty() { Fault::Silence } else { Fault::NoEnd };
    let kind = end.and_then(|(_, problem)| problem).map(|problem| &problem.kind);
    match end {
        Some((Outcome::Succeeded, _)) => {
            // An answer may have been empty.
            if pieces.is_empty() {
                pieces.push(AnswerPiece::default());
            }
            Ok((None, None))
        }
        Some((Outcome::Failed, problem)) => {
            let unspecified = (ErrorKind::Unspecified.as_str(), "");
            let (kind, message) = problem
                .map_or(unspecified, |problem| (problem.kind.as_str(), problem.message.as_str()));
            Ok((Some((kind.into(), message.into())), None))
        }
        Some((Outcome::Lost, problem)) => {
            let fault = match kind {
                Some(ErrorKind::NotJson | ErrorKind::NotAReply) => Fault::BrokenJson,
                Some(ErrorKind::NotUtf8) => Fault::NotUtf8,
                _ => {
                    let why = problem
                        .map_or_else(String::new, |problem| format!(": {}", problem.message));
                    return Err(format!("it got no answer{why}"));
                }
            };
            // What could not be read came after the pieces.
            pieces.push(AnswerPiece::default());
            Ok((None, Some(fault)))
        }
        Some((Outcome::TimedOut | Outcome::Cancelled, _)) | None => Ok((None, Some(unended))),
    }
}

/// The members that a later call has too.
fn lasting_members(given: &Map<String, Value>) -> Map<String, Value> {
    let passing = |value: &Value| {
        let text = value.to_string();
        text.contains(MASKED) || template::template_names(&text).next().is_some()
    };
    given
        .iter()
        .filter(|(_, value)| !passing(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn join_pieces(pieces: Vec<AnswerPiece>) -> Vec<AnswerPiece> {
    let size = pieces.len().div_ceil(MOST).max(1);
    let join = |group: &[AnswerPiece]| {
        let wait: Duration = group.iter().filter_map(|piece| piece.after).sum();
        let text = group.iter().map(|piece| piece.text.as_str()).collect();
        AnswerPiece { text, after: (!wait.is_zero()).then_some(wait) }
    };
    if size == 1 { pieces } else { pieces.chunks(size).map(join).collect() }
}

/// Hides secrets in what the rules of a service answer, also those that its pieces cut.
pub(crate) fn mask_answers(service: &mut StubService, mask: &Mask) {
    for rule in &mut service.rules {
        let texts = rule.then.pieces.iter().map(|piece| piece.text.as_str());
        let masked = RedactedPieces::default().redact_next(mask, texts, StreamEnd::None).pieces;
        rule.then.pieces.iter_mut().zip(masked).for_each(|(piece, text)| piece.text = text);
        if let Some((_, message)) = &mut rule.then.error {
            *message = mask.mask_text(message).into_owned();
        }
    }
}

/// Puts a service's rules with those of the same queues, or, where it has none, of the same tool. A
/// rule for the same requests takes the place of the older one.
pub(crate) fn add_service(stub: &mut Stub, service: StubService) {
    let same = |known: &&mut StubService| {
        known.request == service.request
            && known.response == service.response
            && (known.request.is_some() || known.name == service.name)
    };
    let Some(known) = stub.services.iter_mut().find(same) else {
        stub.services.push(StubService { name: free_name(stub, &service.name), ..service });
        return;
    };
    for rule in service.rules {
        match known.rules.iter_mut().find(|known| known.when == rule.when) {
            Some(older) => *older = rule,
            None => known.rules.push(rule),
        }
    }
    // A rule that takes every request must not stand before others.
    known.rules.order_by_key(|rule| rule.when.is_any());
}

fn free_name(stub: &Stub, wanted: &str) -> String {
    let is_free = |name: &String| stub.services.iter().all(|known| known.name != *name);
    numbered_names(wanted).find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::engine::stub::{
        choose,
        play::{StubOutput, StubPlay},
    };

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn chunk(at_ms: u64, text: &str) -> Event {
        Event { at_ms, kind: EventKind::Chunk { text: text.into(), bytes: text.len() } }
    }

    fn end(outcome: Outcome, kind: &str) -> Event {
        let problem = CallError {
            kind: ErrorKind::parse(kind),
            message: "the oven".into(),
            remedy: String::new(),
        };
        Event {
            at_ms: 90,
            kind: EventKind::End {
                outcome,
                problem: (outcome != Outcome::Succeeded).then_some(problem),
            },
        }
    }

    fn kept(events: &[Event]) -> Result<Rule, String> {
        let (config, arguments) = (
            map(&json!({"style": "pun", "key": "***"})),
            map(&json!({"topic": "x", "n": "{{env.N}}"})),
        );
        let text: String = events
            .iter()
            .map(|event| if let EventKind::Chunk { text, .. } = &event.kind { text } else { "" })
            .collect();
        recorded_rule(
            "x",
            &Asking { user: "ann", config: &config, arguments: &arguments },
            events.iter(),
            &text,
        )
    }

    #[test]
    fn pieces_keep_their_waits_and_requests_what_lasts() {
        let sent = Event { at_ms: 5, kind: EventKind::Sent { bytes: 1 } };
        let rule = kept(&[
            sent,
            chunk(35, "late "),
            chunk(35, "deli"),
            chunk(60, "veries"),
            end(Outcome::Succeeded, ""),
        ])
        .unwrap();
        let waits: Vec<_> = rule
            .then
            .pieces
            .iter()
            .map(|piece| piece.after.map_or(0, |wait| wait.as_millis()))
            .collect();
        assert_eq!(waits, [30, 0, 25]);
        assert_eq!(
            (rule.when.arguments, rule.when.config),
            (Some(map(&json!({"topic": "x"}))), Some(map(&json!({"style": "pun"}))))
        );
        assert_eq!((rule.when.user, rule.then.error, rule.then.fault), (None, None, None));
    }

    #[test]
    fn each_end_is_kept() {
        for (events, pieces, error, fault) in [
            (vec![chunk(1, "a"), end(Outcome::Failed, "burnt")], 1, Some("burnt"), None),
            (vec![end(Outcome::TimedOut, "timed-out-first")], 0, None, Some(Fault::Silence)),
            (
                vec![chunk(1, "a"), end(Outcome::TimedOut, "timed-out-idle")],
                1,
                None,
                Some(Fault::NoEnd),
            ),
            (vec![chunk(1, "a")], 1, None, Some(Fault::NoEnd)),
            (vec![chunk(1, "a"), end(Outcome::Lost, "not-json")], 2, None, Some(Fault::BrokenJson)),
            (vec![end(Outcome::Lost, "not-utf8")], 1, None, Some(Fault::NotUtf8)),
            (vec![end(Outcome::Succeeded, "")], 1, None, None),
        ] {
            let then = kept(&events).unwrap().then;
            assert_eq!((then.pieces.len(), then.fault), (pieces, fault), "{events:?}");
            assert_eq!(then.error.as_ref().map(|(kind, _)| kind.as_str()), error);
        }
        assert!(
            kept(&[end(Outcome::Lost, "no-responders")])
                .unwrap_err()
                .contains("it got no answer: the oven")
        );
    }

    #[test]
    fn tools_without_a_queue_are_apart() {
        let mut stub = Stub::default();
        let rule = |topic: &str| Rule {
            when: When { arguments: Some(map(&json!({"topic": topic}))), ..When::default() },
            ..Rule::default()
        };
        for (name, topic) in [("joke", "x"), ("echo", "x"), ("joke", "y")] {
            let rules = vec![rule(topic)];
            add_service(
                &mut stub,
                StubService { name: name.into(), rules, ..StubService::default() },
            );
        }
        let counts: Vec<_> =
            stub.services.iter().map(|one| (one.name.as_str(), one.rules.len())).collect();
        assert_eq!(counts, [("joke", 2), ("echo", 1)]);
    }

    #[test]
    fn a_newer_answer_takes_the_place_of_the_older_one() {
        let service = |topic: Option<&str>, text: &str, queue: &str| StubService {
            name: "joke".into(),
            request: Some(queue.into()),
            rules: vec![Rule {
                when: When {
                    arguments: topic.map(|topic| map(&json!({"topic": topic}))),
                    ..When::default()
                },
                then: StubAnswer {
                    pieces: vec![AnswerPiece { text: text.into(), after: None }],
                    ..StubAnswer::default()
                },
                ..Rule::default()
            }],
            ..StubService::default()
        };
        let mut stub = Stub::default();
        for (topic, text, queue) in [
            (None, "any", "a"),
            (Some("x"), "old", "a"),
            (Some("x"), "new", "a"),
            (None, "other", "b"),
        ] {
            add_service(&mut stub, service(topic, text, queue));
        }
        let texts = |row: usize| {
            stub.services[row]
                .rules
                .iter()
                .map(|rule| rule.then.pieces[0].text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (texts(0), texts(1)),
            (vec!["new".to_owned(), "any".into()], vec!["other".to_owned()])
        );
        assert_eq!([&*stub.services[0].name, &*stub.services[1].name], ["joke", "joke-2"]);
    }

    proptest! {
        #[test]
        fn what_is_kept_answers_as_it_was_answered(texts in proptest::collection::vec(".{0,5}", 0..1_200), step in 0_u64..9) {
            let mut events: Vec<Event> = texts.iter().enumerate().map(|(row, text)| chunk(row as u64 * step, text)).collect();
            events.push(end(Outcome::Succeeded, ""));
            let (config, arguments) = (Map::new(), map(&json!({"q": 1})));
            let asking = Asking { user: "", config: &config, arguments: &arguments };
            let rule = recorded_rule("x", &asking, events.iter(), &texts.concat()).unwrap();
            prop_assert!(rule.then.pieces.len() <= MOST);
            let service = StubService { rules: vec![rule], ..StubService::default() };
            let play = StubPlay::from_then(&choose::choose_rule(&service, &asking).unwrap().then);
            let steps = (0..).map_while(|row| play.step(row));
            let told: String = steps.map(|step| if let StubOutput::Chunk { text, .. } = &step.said { text.as_str() } else { "" }).collect();
            prop_assert_eq!(told, texts.concat());
        }
    }
}
