//! A stub as the text of a YAML file, with comments for who reads it.

use serde_json::{Map, Value, json};

use crate::{
    engine::scenario::page::file_name,
    model::{
        duration,
        entry::FileId,
        stub::{AnswerPiece, FAULTS, Rule, Stub, StubAnswer, StubService, When},
    },
    schema::pointer::Pointer,
    syntax::{edit::Edit, place::Format, print},
};

/// Where a workspace keeps its stubs.
pub(crate) const FOLDER: &str = "stubs";

/// The file of a tool's own stub, which its mocks answer by.
#[must_use]
pub(crate) fn file_of_tool(key: &str) -> FileId {
    FileId::new(format!("{FOLDER}/{}", file_name(key)))
}

const HEAD: &str = "\
# A stub: `toolcrib serve --stub FILE` answers for these services. The first rule of a service that matches a request applies.
# when (default: every request): arguments and config that the request must have, user, contains (a text or several, anywhere in the arguments)
# answer: a text, or a list of chunks: texts, or {text or json, after: 300ms}; delay: before the first; pause: between two
# echo: true answers the arguments of the request, as JSON, after the answer
# error: {type, message}, after the answer or instead of it
";

/// The text of a file that [`super::read::read_stub`] reads again.
#[must_use]
pub(crate) fn render_yaml(stub: &Stub) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("# fault:\n");
    for (_, word, does) in FAULTS {
        text.push_str(&format!("#   {word:<13} {does}\n"));
    }
    text + &print::print_value(Format::Yaml, &stub_value(stub))
}

/// The edits that put a service's rules into a stub that is there: in the place of one for the same
/// requests, else before all.
#[must_use]
pub(crate) fn rule_edits(stub: &Stub, service: &StubService) -> Vec<Edit> {
    let at = Pointer::root().child("services").child(service.name.as_str());
    let Some(known) = stub.services.iter().find(|known| known.name == service.name) else {
        return vec![Edit::Set { at, to: service_value(service).into() }];
    };
    let at = at.child("rules");
    let (mut edits, mut new) = (Vec::new(), Vec::new());
    for rule in &service.rules {
        match known.rules.iter().position(|known| known.when == rule.when) {
            Some(row) => edits.push(Edit::Set { at: at.item(row), to: rule_value(rule).into() }),
            None => new.push(Edit::Insert { at: at.item(0), item: rule_value(rule).into() }),
        }
    }
    // Rows change with the first that is put in, so those come last.
    edits.extend(new.into_iter().rev());
    edits
}

fn stub_value(stub: &Stub) -> Value {
    let services: Map<String, Value> = stub
        .services
        .iter()
        .map(|service| (service.name.clone(), service_value(service)))
        .collect();
    let name = (!stub.name.is_empty()).then(|| stub.name.clone().into());
    json_object([("stub", name), ("services", Some(services.into()))])
}

fn service_value(service: &StubService) -> Value {
    let text = |text: &Option<String>| text.clone().map(Value::from);
    let rules = service.rules.iter().map(rule_value).collect();
    json_object([
        ("request-queue", text(&service.request)),
        ("response-queue", text(&service.response)),
        ("rules", Some(rules)),
    ])
}

fn rule_value(rule: &Rule) -> Value {
    let Rule { name, when, then } = rule;
    let StubAnswer { pieces, echo, delay, pause, error, fault } = then;
    let time = |time: &std::time::Duration| {
        (!time.is_zero()).then(|| duration::print_duration(*time).into())
    };
    json_object([
        ("name", Some(name.as_str().into())),
        ("when", (!when.is_any()).then(|| when_value(when))),
        ("delay", time(delay)),
        ("pause", time(pause)),
        ("answer", answer_value(pieces)),
        ("echo", echo.then(|| true.into())),
        (
            "error",
            error.as_ref().map(|(kind, message)| {
                json_object([
                    ("type", Some(kind.as_str().into())),
                    ("message", (!message.is_empty()).then(|| message.as_str().into())),
                ])
            }),
        ),
        ("fault", fault.map(|fault| fault.as_str().into())),
    ])
}

fn when_value(when: &When) -> Value {
    json_object([
        ("arguments", when.arguments.clone().map(Value::Object)),
        ("config", when.config.clone().map(Value::Object)),
        ("user", when.user.clone().map(Value::from)),
        ("contains", (!when.contains.is_empty()).then(|| when.contains.clone().into())),
    ])
}

fn answer_value(pieces: &[AnswerPiece]) -> Option<Value> {
    match pieces {
        [] => None,
        [AnswerPiece { text, after: None }] => Some(text.as_str().into()),
        pieces => Some(pieces.iter().map(piece_value).collect()),
    }
}

fn piece_value(piece: &AnswerPiece) -> Value {
    match piece.after {
        None => piece.text.as_str().into(),
        Some(after) => json!({"text": piece.text, "after": duration::print_duration(after)}),
    }
}

/// The members that have a value, in this order.
fn json_object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let there = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(there.collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::{engine::stub::read::read_stub, model::stub::Fault, syntax::source::Source};

    fn reread(text: &str) -> Stub {
        let source =
            Source::parse(Format::Yaml, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        read_stub(&source).unwrap_or_else(|issue| panic!("{issue}\n{text}"))
    }

    fn rules() -> impl Strategy<Value = Vec<Rule>> {
        let time = || (0_u64..100_000).prop_map(Duration::from_millis);
        let piece =
            ("\\PC{0,8}", proptest::option::of((1_u64..9_999).prop_map(Duration::from_millis)))
                .prop_map(|(text, after)| AnswerPiece { text, after });
        let members = || {
            proptest::option::of(proptest::collection::btree_map("\\PC{0,4}", "\\PC{0,6}", 0..3))
                .prop_map(|members| {
                    members.map(|members| {
                        members.into_iter().map(|(name, text)| (name, text.into())).collect()
                    })
                })
        };
        let when = (
            members(),
            members(),
            proptest::option::of("\\PC{0,4}"),
            proptest::collection::vec("\\PC{0,4}", 0..3),
        )
            .prop_map(|(arguments, config, user, contains)| When {
                arguments,
                config,
                user,
                contains,
            });
        let then = (
            proptest::collection::vec(piece, 1..4),
            time(),
            time(),
            proptest::option::of(("[a-z]{1,4}", "\\PC{0,9}")),
            any::<bool>(),
        )
            .prop_map(|(pieces, delay, pause, error, twice)| StubAnswer {
                echo: twice,
                pieces,
                delay,
                pause,
                error,
                fault: twice.then_some(Fault::Twice),
            });
        let rule =
            ("\\PC{1,5}", when, then).prop_map(|(name, when, then)| Rule { name, when, then });
        proptest::collection::vec(rule, 1..4)
    }

    proptest! {
        #[test]
        fn a_written_stub_is_read_again(name in "\\PC{0,6}", key in "\\PC{1,6}", rules in rules(), queue in proptest::option::of("[a-z:]{1,9}")) {
            let service = StubService { name: key, request: queue.clone(), response: queue, rules };
            let stub = Stub { name, services: vec![service] };
            prop_assert_eq!(reread(&render_yaml(&stub)), stub);
        }

        #[test]
        fn rules_are_added_before_those_that_are_there_or_take_their_place(old in rules(), new in rules(), same: bool) {
            let service = |name: &str, rules: &[Rule]| StubService { name: name.into(), rules: rules.to_vec(), ..StubService::default() };
            let stub = Stub { name: "s".into(), services: vec![service("a", &old)] };
            let added_one = service(if same { "a" } else { "b" }, &new);
            let mut source = Source::parse(Format::Yaml, render_yaml(&stub)).unwrap();
            for edit in rule_edits(&stub, &added_one) {
                source = source.apply(0, &edit).unwrap().0;
            }
            let (mut old, mut fresh) = (old, Vec::new());
            for rule in new.iter().filter(|_| same) {
                match old.iter_mut().find(|known| known.when == rule.when) {
                    Some(known) => *known = rule.clone(),
                    None => fresh.push(rule.clone()),
                }
            }
            let expected = if same { vec![service("a", &[fresh, old].concat())] } else { vec![service("a", &old), service("b", &new)] };
            prop_assert_eq!(read_stub(&source).unwrap(), Stub { name: "s".into(), services: expected });
            prop_assert!(source.text().starts_with(HEAD));
        }
    }
}
