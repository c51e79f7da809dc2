//! Reads a stub from a file; every issue has its place.

use std::time::Duration;

use serde_json::Value;

use crate::{
    engine::members::{FileIssue, Members, file_issue, wrong_type},
    model::stub::{AnswerPiece, FAULTS, Fault, Rule, Stub, StubAnswer, StubService, When},
    schema::pointer::Pointer,
    syntax::source::Source,
};

const STUB: &[&str] = &["stub", "services"];
const SERVICE: &[&str] = &["request-queue", "response-queue", "rules"];
const RULE: &[&str] = &["name", "when", "answer", "echo", "delay", "pause", "error", "fault"];
const WHEN: &[&str] = &["arguments", "config", "user", "contains"];
const PIECE: &[&str] = &["text", "json", "after"];
const ERROR: &[&str] = &["type", "message"];

/// The first document of a file.
///
/// # Errors
/// The first thing that is not as it must be: unknown key, wrong type, unknown word, a rule that
/// says nothing or contradicts itself.
pub fn read_stub(source: &Source) -> Result<Stub, FileIssue> {
    let empty =
        || file_issue(&Pointer::root(), "the file is empty: a stub has services, each with rules");
    let value = source.value(0).ok_or_else(empty)?;
    let top = Members::from_value(value, Pointer::root(), STUB)?;
    let at = top.at.child("services");
    let services = match top.members.get("services") {
        Some(Value::Object(services)) if !services.is_empty() => services,
        None => {
            return Err(file_issue(
                &top.at,
                "\"services\" is missing: an object with the key of each service to answer for",
            ));
        }
        Some(other) => return Err(wrong_type(&at, "an object with at least one service", other)),
    };
    let services =
        services.iter().map(|(name, value)| read_service(name, value, at.child(name.as_str())));
    Ok(Stub {
        name: top.read_text("stub")?.unwrap_or_default(),
        services: services.collect::<Result<_, _>>()?,
    })
}

/// Rules that no request gets to, each with its place and what is before it.
#[must_use]
pub(crate) fn unreached_rules(stub: &Stub) -> Vec<FileIssue> {
    let at = Pointer::root().child("services");
    let mut found = Vec::new();
    for service in &stub.services {
        let rules = at.child(service.name.as_str()).child("rules");
        for (row, rule) in service.rules.iter().enumerate() {
            let earlier = service.rules[..row]
                .iter()
                .find(|earlier| earlier.when.is_any() || earlier.when == rule.when);
            found.extend(earlier.map(|earlier| {
                let words = format!(
                    "no request reaches \"{}\": \"{}\" before it matches all of them",
                    rule.name, earlier.name
                );
                file_issue(&rules.item(row), words)
            }));
        }
    }
    found
}

fn read_service(name: &str, value: &Value, at: Pointer) -> Result<StubService, FileIssue> {
    let members = Members::from_value(value, at, SERVICE)?;
    let at = members.at.child("rules");
    let rules = match members.members.get("rules") {
        Some(Value::Array(rules)) if !rules.is_empty() => rules,
        None => {
            return Err(file_issue(
                &members.at,
                "\"rules\" is missing: a list; the first rule that matches a request applies",
            ));
        }
        Some(other) => return Err(wrong_type(&at, "a list with at least one rule", other)),
    };
    let rules = rules.iter().enumerate().map(|(row, value)| read_rule(row, value, at.item(row)));
    Ok(StubService {
        name: name.to_owned(),
        request: members.read_text("request-queue")?,
        response: members.read_text("response-queue")?,
        rules: rules.collect::<Result<_, _>>()?,
    })
}

fn read_rule(row: usize, value: &Value, at: Pointer) -> Result<Rule, FileIssue> {
    let members = Members::from_value(value, at, RULE)?;
    let when = match members.members.get("when") {
        None => When::default(),
        Some(value) => read_when(&Members::from_value(value, members.at.child("when"), WHEN)?)?,
    };
    let name = members.read_text("name")?.unwrap_or_else(|| format!("rule {}", row + 1));
    let then = read_then(&members)?;
    if let Some(words) = find_contradiction(&then) {
        return Err(file_issue(&members.at, words));
    }
    Ok(Rule { name, when, then })
}

fn read_when(members: &Members<'_>) -> Result<When, FileIssue> {
    let object = |name: &str| match members.members.get(name) {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object.clone())),
        Some(other) => {
            Err(wrong_type(&members.at.child(name), "an object: what the request must have", other))
        }
    };
    let user = match members.members.get("user") {
        None => None,
        // Calls may come without a user.
        Some(Value::String(user)) => Some(user.clone()),
        Some(other) => return Err(wrong_type(&members.at.child("user"), "a text", other)),
    };
    Ok(When {
        arguments: object("arguments")?,
        config: object("config")?,
        user,
        contains: members.read_texts("contains")?,
    })
}

fn read_then(members: &Members<'_>) -> Result<StubAnswer, FileIssue> {
    let at = members.at.child("answer");
    let pieces = match members.members.get("answer") {
        None => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(row, item)| read_piece(item, at.item(row)))
            .collect::<Result<_, _>>()?,
        Some(one) => vec![read_piece(one, at)?],
    };
    let error = match members.members.get("error") {
        None => None,
        Some(value) => {
            let error = Members::from_value(value, members.at.child("error"), ERROR)?;
            let kind = error.read_text("type")?.ok_or_else(|| {
                file_issue(
                    &error.at,
                    "\"type\" is missing: the kind of the error, such as tool-service-error",
                )
            })?;
            Some((kind, error.read_text("message")?.unwrap_or_default()))
        }
    };
    let fault = members.read_text("fault")?.map(|word| {
        let words = || FAULTS.iter().map(|(_, word, _)| *word).collect::<Vec<_>>().join(", ");
        Fault::of_word(&word).ok_or_else(|| {
            file_issue(
                &members.at.child("fault"),
                format!("{word:?} isn't a fault: use one of {}", words()),
            )
        })
    });
    let echo = match members.members.get("echo") {
        None => false,
        Some(Value::Bool(echo)) => *echo,
        Some(other) => return Err(wrong_type(&members.at.child("echo"), "true or false", other)),
    };
    let time = |name| members.read_duration(name).map(Option::unwrap_or_default);
    Ok(StubAnswer {
        pieces,
        echo,
        delay: time("delay")?,
        pause: time("pause")?,
        error,
        fault: fault.transpose()?,
    })
}

fn read_piece(value: &Value, at: Pointer) -> Result<AnswerPiece, FileIssue> {
    if let Value::String(text) = value {
        return Ok(AnswerPiece { text: text.clone(), after: None });
    }
    if !value.is_object() {
        return Err(wrong_type(&at, "a text, or an object with text or json, and after", value));
    }
    let members = Members::from_value(value, at, PIECE)?;
    let after: Option<Duration> = members.read_duration("after")?;
    let text = match (members.members.get("text"), members.members.get("json")) {
        (Some(Value::String(text)), None) => text.clone(),
        (None, Some(json)) => json.to_string(),
        (Some(other), None) => return Err(wrong_type(&members.at.child("text"), "a text", other)),
        (None, None) => {
            return Err(file_issue(
                &members.at,
                "a piece has a text, or a json value that is sent as text",
            ));
        }
        (Some(_), Some(_)) => {
            return Err(file_issue(&members.at, "a piece has either text or json, not both"));
        }
    };
    Ok(AnswerPiece { text, after })
}

/// Why an answer cannot be given as it is written.
fn find_contradiction(then: &StubAnswer) -> Option<&'static str> {
    let said = !then.pieces.is_empty() || then.echo || then.error.is_some();
    match then.fault {
        None if !said => {
            Some("the rule is empty: add an answer, an error, or the fault \"silence\"")
        }
        Some(Fault::Silence) if said => Some(
            "the fault \"silence\" sends nothing: remove the answer and the error, or the fault",
        ),
        Some(Fault::NoEnd | Fault::Endless) if then.error.is_some() => {
            Some("an error ends the answer: remove the error, or the fault")
        }
        Some(Fault::OutOfOrder)
            if then.pieces.len() + usize::from(then.echo) + usize::from(then.error.is_some())
                < 2 =>
        {
            Some("one message has no order: the answer needs at least two chunks")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::Format;

    fn read(text: &str) -> Result<Stub, FileIssue> {
        super::read_stub(&Source::parse(Format::Yaml, text).unwrap())
    }

    fn rule(text: &str) -> Result<Stub, FileIssue> {
        read(&format!("services:\n  joke:\n    rules:\n      - {text}\n"))
    }

    #[test]
    fn a_stub_is_read_whole_in_each_format() {
        let yaml = "stub: bad days\nservices:\n  joke:\n    request-queue: request:tg:joke\n    response-queue: response:tg:joke\n    rules:\n\
                    \x20     - name: cold\n        when: {arguments: {topic: x}, config: {style: pun}, user: '', contains: [a, b]}\n\
                    \x20       answer: [one, {text: two, after: 5ms}, {json: {a: 1}}]\n        delay: 2s\n        pause: 10ms\n\
                    \x20       error: {type: burnt, message: oven}\n        fault: twice\n      - answer: yes!\n";
        let stub = read(yaml).unwrap();
        let service = &stub.services[0];
        assert_eq!(
            (stub.name.as_str(), service.name.as_str(), service.rules.len()),
            ("bad days", "joke", 2)
        );
        assert_eq!(service.request.as_deref(), Some("request:tg:joke"));
        let Rule { name, when, then } = &service.rules[0];
        assert_eq!(
            (name.as_str(), when.user.as_deref(), when.contains.len()),
            ("cold", Some(""), 2)
        );
        assert_eq!(when.arguments, json!({"topic": "x"}).as_object().cloned());
        assert_eq!(
            then.pieces[1],
            AnswerPiece { text: "two".into(), after: Some(Duration::from_millis(5)) }
        );
        assert_eq!(then.pieces[2].text, r#"{"a":1}"#);
        assert_eq!((then.delay, then.pause), (Duration::from_secs(2), Duration::from_millis(10)));
        assert_eq!(
            (then.error.clone(), then.fault),
            (Some(("burnt".into(), "oven".into())), Some(Fault::Twice))
        );
        assert_eq!(
            (service.rules[1].name.as_str(), service.rules[1].when.is_any()),
            ("rule 2", true)
        );

        let same =
            |format, text: &str| super::read_stub(&Source::parse(format, text).unwrap()).unwrap();
        let json = r#"{"services": {"joke": {"rules": [{"answer": "yes!"}]}}}"#;
        assert_eq!(
            same(Format::Json, json),
            same(Format::Toml, "[[services.joke.rules]]\nanswer = \"yes!\"\n")
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_what_to_do() {
        let at = "/services/joke/rules/0";
        for (text, place, words) in [
            ("{answr: x}", "/answr", "did you mean \"answer\"?"),
            ("{name: x}", "", "add an answer"),
            ("{answer: 3}", "/answer", "a text"),
            ("{answer: [{}]}", "/answer/0", "a text, or a json value"),
            ("{answer: [{text: a, json: b}]}", "/answer/0", "not both"),
            ("{answer: [{text: a, after: soon}]}", "/answer/0/after", "500ms"),
            ("{answer: x, when: {arguments: llamas}}", "/when/arguments", "an object"),
            ("{answer: x, when: {contain: llamas}}", "/when/contain", "did you mean \"contains\"?"),
            ("{error: {message: x}}", "/error", "\"type\" is missing"),
            ("{fault: odd}", "/fault", "silence, wrong-id"),
            ("{fault: silence, answer: x}", "", "remove the answer"),
            ("{fault: endless, error: {type: x}}", "", "an error ends"),
            ("{fault: out-of-order, answer: x}", "", "two chunks"),
        ] {
            let issue = rule(text).unwrap_err();
            assert_eq!(issue.at.to_string(), format!("{at}{place}"), "{text}: {issue}");
            assert!(issue.message.contains(words), "{text}: {issue}");
        }
        for (text, place, words) in [
            ("[]", "", "an object, found a list"),
            ("stub: x", "", "\"services\" is missing"),
            ("services: {}", "/services", "at least one"),
            ("services: {a: {}}", "/services/a", "\"rules\" is missing"),
            ("services: {a: {rules: []}}", "/services/a/rules", "at least one rule"),
        ] {
            let issue = read(text).unwrap_err();
            assert_eq!(issue.at.to_string(), place, "{text}: {issue}");
            assert!(issue.message.contains(words), "{text}: {issue}");
        }
    }

    #[test]
    fn rules_behind_one_that_takes_all_are_told() {
        let stub = read(
            "services: {a: {rules: [{when: {user: x}, answer: '1'}, {when: {user: x}, answer: '2'}, {answer: '3'}, {when: {user: y}, answer: '4'}]}}",
        );
        let found: Vec<String> =
            unreached_rules(&stub.unwrap()).iter().map(|issue| issue.at.to_string()).collect();
        assert_eq!(found, ["/services/a/rules/1", "/services/a/rules/3"]);
    }
}
