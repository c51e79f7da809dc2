//! What a message that passed by is to TrustGraph: requests, agent steps with their state, streamed
//! pieces, and the true error.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    agent,
    keys::SYSTEM,
    queue::Class,
    reply::{error_of, text_of},
    request::ID,
};
use crate::{
    model::{
        agent::AgentOutput,
        call::CallError,
        error_kind::ErrorKind,
        shown::not_utf8_words,
        traffic::{Decoded, KeptMessage, ObservedMessage, Part},
    },
    schema::count::count_text,
};

type Fields = Map<String, Value>;

/// What a message is; `None` where nothing about it is TrustGraph's.
#[must_use]
pub(crate) fn classify_message(crossing: &ObservedMessage) -> Option<Decoded> {
    let class = class_of(&crossing.subject);
    let id = crossing.header(ID).filter(|id| !id.is_empty()).map(str::to_owned);
    let fields = match fields_of(crossing) {
        Ok(fields) => fields,
        // Where nothing says that it should be ours, it is not.
        Err(problem) => return class.map(|class| unreadable_message(class, id, problem)),
    };
    let answers = match class {
        Some(Class::Response) => true,
        Some(Class::Request | Class::Flow | Class::Notify) => false,
        None if is_answer(&fields) => true,
        None if is_request(&fields) => false,
        None => return None,
    };
    let remarks = remarks(&fields, id.as_deref(), (answers, class));
    let (part, label, text, state) = match (answers, class) {
        (true, _) => describe_answer(fields),
        (false, Some(Class::Notify)) => {
            (Part::Broadcast, "broadcast".into(), members_json(&fields), None)
        }
        (false, _) => describe_request(&fields),
    };
    Some(Decoded { remarks, id, state, ..Decoded::new(Some(SYSTEM), part, label, text) })
}

/// Services answer so where they cannot read the id of a request.
const UNKNOWN: &str = "unknown";

/// What is said of a step whose tool failed; [`super::follow`] adds whether the state moved.
pub(super) const FAILED: &str = "the tool failed";

/// What an agent takes for a tool where the model's answer names none.
const UNPARSED: &str = "__parse_error__";
const ASKED_AGAIN: &str = "the model's answer could not be read as a thought with an action: the agent asks it once more, until its steps are used up";

/// What is known to go wrong with a message like this one.
fn remarks(
    fields: &Fields,
    id: Option<&str>,
    (answers, class): (bool, Option<Class>),
) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut say = |words: &str| remarks.push(words.to_owned());
    // Elsewhere nothing is tied by an id, or an inbox does it.
    match (answers, id) {
        (true, Some(UNKNOWN)) => {
            say(
                "answered under the id \"unknown\": the service could not read a request, and whoever sent that waits in vain",
            );
        }
        (true, None) if class == Some(Class::Response) => {
            say("an answer without an id: no caller can match it to its request");
        }
        (false, None) if class == Some(Class::Request) => {
            say(
                "a request without an id: services answer it under the id \"unknown\", which no caller awaits",
            );
        }
        _ => {}
    }
    let said = |name: &&str| fields.get(*name).and_then(Value::as_str).unwrap_or_default();
    if answers {
        let known = ["text", "response", "content"]
            .iter()
            .find_map(|name| agent::observation_meaning(said(name)));
        known.into_iter().for_each(say);
        return remarks;
    }
    let of = |name: &str| fields.get(name);
    if of("question").is_none() {
        for name in ["config", "arguments"]
            .into_iter()
            .filter(|name| of(name).is_some_and(|value| value.is_object() || value.is_array()))
        {
            say(&format!(
                "{name} is sent as JSON; services expect a string that contains JSON, and fail"
            ));
        }
        return remarks;
    }
    match of("group") {
        Some(Value::String(group)) if group != "*" => {
            say("group is a text instead of a list: it is read letter by letter, so no tool is \
                available");
        }
        Some(Value::Array(groups)) if groups.is_empty() => {
            say("the list of groups is empty: no tool is available, and the agent answers on its \
                own");
        }
        _ => {}
    }
    let last = of("history").and_then(Value::as_array).and_then(|history| history.last());
    let observation =
        last.and_then(|step| step.get("observation")).and_then(Value::as_str).unwrap_or_default();
    match agent::observation_meaning(observation) {
        Some(known) => say(known),
        None if last.and_then(|step| step.get("action")).and_then(Value::as_str)
            == Some(UNPARSED) =>
        {
            say(ASKED_AGAIN);
        }
        None if observation.starts_with("Error: ") => say(FAILED),
        None => {}
    }
    remarks
}

/// The class that a subject, an exchange or a topic names: the word after its space.
fn class_of(subject: &str) -> Option<Class> {
    let path = subject.split_once("://").map_or(subject, |(_, path)| path);
    Class::parse(path.split(['.', '/', ':']).nth(1)?)
}

fn fields_of(crossing: &ObservedMessage) -> Result<Fields, CallError> {
    let problem = |kind: ErrorKind, message: String| CallError {
        kind,
        message,
        remedy: "TrustGraph's messages are JSON objects in UTF-8; look at the body".into(),
    };
    if crossing.kept == KeptMessage::Start {
        return Err(problem(
            ErrorKind::TooLarge,
            format!("only the start of its {} bytes is kept", crossing.size),
        ));
    }
    let text = std::str::from_utf8(&crossing.body)
        .map_err(|_| problem(ErrorKind::NotUtf8, not_utf8_words(&crossing.body, "message")))?;
    serde_json::from_str(text)
        .map_err(|error| problem(ErrorKind::NotJson, format!("it is no JSON object: {error}")))
}

fn unreadable_message(class: Class, id: Option<String>, problem: CallError) -> Decoded {
    let label = if problem.kind == ErrorKind::TooLarge { "large" } else { "unreadable" };
    let text = problem.message.clone();
    let part = match (&problem.kind, class) {
        // It may well be understood by who takes it.
        (ErrorKind::TooLarge, Class::Response) => Part::Answer { last: false },
        (ErrorKind::TooLarge, Class::Notify) => Part::Broadcast,
        (ErrorKind::TooLarge, _) => Part::Request,
        _ => Part::Unreadable(problem),
    };
    Decoded { id, ..Decoded::new(Some(SYSTEM), part, label, text) }
}

/// Members of which answers have at least one.
const ANSWERS: &[&str] = &["end_of_stream", "end_of_dialog", "message_type", "chunk_type"];

fn is_answer(fields: &Fields) -> bool {
    ANSWERS.iter().any(|name| fields.contains_key(*name))
}

/// Members of which requests have all of one row.
const REQUESTS: &[&[&str]] =
    &[&["config", "arguments"], &["question", "history"], &["question", "group"]];

fn is_request(fields: &Fields) -> bool {
    REQUESTS.iter().any(|names| names.iter().all(|name| fields.contains_key(*name)))
}

/// What the parts of a reading are made from.
type ReadingParts = (Part, Cow<'static, str>, String, Option<String>);

fn describe_request(fields: &Fields) -> ReadingParts {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let state = Some(text("state")).filter(|state| !state.is_empty()).map(str::to_owned);
    if fields.contains_key("question") {
        let history =
            fields.get("history").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        return match history.last() {
            None => {
                (Part::Request, "question".into(), with_groups(text("question"), fields), state)
            }
            Some(last) => {
                (Part::Step, format!("step {}", history.len()).into(), format_step(last), state)
            }
        };
    }
    let (label, text) = if fields.contains_key("arguments") {
        let config = Some(text("config")).filter(|config| !["", "{}"].contains(config));
        let arguments = if text("arguments").is_empty() { "{}" } else { text("arguments") };
        (
            "request",
            config.map_or_else(
                || arguments.to_owned(),
                |config| format!("{arguments} with {config}"),
            ),
        )
    } else if fields.contains_key("operation") {
        ("operation", members_json(fields))
    } else if fields.contains_key("parameters") {
        ("tool", format!("{} {}", text("name"), text("parameters")))
    } else if fields.contains_key("terms") {
        ("prompt", format!("{} {}", text("id"), fields.get("terms").map(terms).unwrap_or_default()))
    } else if fields.contains_key("prompt") {
        ("prompt", text("prompt").to_owned())
    } else {
        ("request", members_json(fields))
    };
    (Part::Request, label.into(), text, state)
}

/// The variables of a prompt, which are texts that hold JSON, as what they hold.
fn terms(terms: &Value) -> String {
    let held = |value: &Value| {
        value
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| value.clone())
    };
    match terms {
        Value::Object(terms) => {
            Value::Object(terms.iter().map(|(name, value)| (name.clone(), held(value))).collect())
                .to_string()
        }
        other => other.to_string(),
    }
}

/// A question with the groups that it asks for.
fn with_groups(question: &str, fields: &Fields) -> String {
    match fields.get("group").and_then(Value::as_array) {
        Some(groups) if groups.is_empty() => {
            format!("{question} (no groups: no tool is available)")
        }
        Some(groups) => {
            let names: Vec<&str> = groups.iter().filter_map(Value::as_str).collect();
            format!("{question} (groups: {})", names.join(", "))
        }
        None => question.to_owned(),
    }
}

/// One step of an agent: what it thought, did and saw.
fn format_step(step: &Value) -> String {
    let text = |name: &str| step.get(name).and_then(Value::as_str).unwrap_or_default();
    let arguments =
        step.get("arguments").and_then(Value::as_object).map(members_json).unwrap_or_default();
    format!("{} {arguments} → {}", text("action"), text("observation"))
}

fn describe_answer(fields: Fields) -> ReadingParts {
    if let Some(problem) = error_of(&fields) {
        let text = format!("{}: {}", problem.kind, problem.message);
        return (Part::Error(problem), "error".into(), text, None);
    }
    let flag = |name: &str| fields.get(name).and_then(Value::as_bool);
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind =
        if text("message_type").is_empty() { text("chunk_type") } else { text("message_type") };
    if let Some(AgentOutput::Action { tool, arguments }) =
        fields.get("explain_triples").and_then(agent::parse_action)
    {
        return (
            Part::Answer { last: false },
            "action".into(),
            format!("{tool} {arguments}"),
            None,
        );
    }
    if kind == "explain" {
        let count = fields.get("explain_triples").and_then(Value::as_array).map_or(0, Vec::len);
        let facts = count_text(count, "fact", "facts");
        return (Part::Answer { last: false }, "explain".into(), facts, None);
    }
    if !kind.is_empty() {
        let (kind, content) = (kind.to_owned(), text("content").to_owned());
        return (
            Part::Answer { last: flag("end_of_dialog") == Some(true) },
            kind.into(),
            content,
            None,
        );
    }
    let last = flag("end_of_stream").or_else(|| flag("is_final")).unwrap_or(true);
    let label = if last { "answer" } else { "chunk" };
    let said = ["text", "object"]
        .iter()
        .find(|name| !text(name).is_empty())
        .map(|name| text(name).to_owned());
    let said = match said {
        Some(said) => said,
        None if fields.contains_key("response") => text_of(fields),
        None => members_json(&fields),
    };
    (Part::Answer { last }, label.into(), said, None)
}

/// The members as JSON, without those that are not set.
fn members_json(fields: &Fields) -> String {
    let set = fields.iter().filter(|(_, value)| !value.is_null());
    Value::Object(set.map(|(name, value)| (name.clone(), value.clone())).collect()).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::clock::Millis;

    fn read(subject: &str, body: &[u8]) -> Option<Decoded> {
        under("r-1", subject, body)
    }

    fn under(id: &str, subject: &str, body: &[u8]) -> Option<Decoded> {
        classify_message(&ObservedMessage {
            at: Millis(0),
            subject: subject.into(),
            reply: None,
            headers: vec![(ID.into(), id.into())],
            body: body.into(),
            size: body.len() as u64,
            kept: KeptMessage::Whole,
            about: None,
        })
    }

    fn seen(subject: &str, body: &Value) -> (String, String, String) {
        let reading = read(subject, body.to_string().as_bytes()).unwrap();
        assert_eq!((reading.system, reading.id.as_deref()), (Some("trustgraph"), Some("r-1")));
        (reading.part.as_str().to_owned(), reading.label.into_owned(), reading.text)
    }

    fn made(part: &str, label: &str, text: &str) -> (String, String, String) {
        (part.into(), label.into(), text.into())
    }

    #[test]
    fn a_tool_service_call_is_read_on_every_broker() {
        let request = json!({"user": "alice", "config": "{\"style\": \"pun\"}", "arguments": "{\"topic\": \"llama\"}"});
        for subject in ["tg.request.joke", "non-persistent://tg/request/joke", "my.own.subject"] {
            assert_eq!(
                seen(subject, &request),
                made("request", "request", "{\"topic\": \"llama\"} with {\"style\": \"pun\"}")
            );
        }
        let piece = json!({"error": null, "response": "Here", "end_of_stream": false});
        let last = json!({"error": null, "response": "'s a pun", "end_of_stream": true});
        for subject in ["tg.response.joke", "_INBOX.x1"] {
            assert_eq!(seen(subject, &piece), made("answer", "chunk", "Here"));
            assert_eq!(seen(subject, &last), made("answer", "answer", "'s a pun"));
        }
    }

    #[test]
    fn an_agents_steps_show_state_and_what_was_done() {
        let question = json!({"question": "Why?", "state": "", "group": ["read-only"], "history": [], "streaming": true});
        assert_eq!(
            seen("tg.request.agent:default:default", &question),
            made("request", "question", "Why? (groups: read-only)")
        );
        let step = json!({"question": "Why?", "state": "analysis", "group": [], "history": [
            {"thought": "I need a joke", "action": "tell-joke", "arguments": {"topic": "llamas"}, "observation": "ha"}
        ]});
        let reading =
            read("non-persistent://tg/request/agent:default:default", step.to_string().as_bytes())
                .unwrap();
        assert_eq!(
            (reading.part, &*reading.label, reading.state.as_deref()),
            (Part::Step, "step 1", Some("analysis"))
        );
        assert_eq!(reading.text, "tell-joke {\"topic\":\"llamas\"} → ha");
        let thought = json!({"message_type": "thought", "content": "I will", "end_of_message": false, "end_of_dialog": false});
        assert_eq!(seen("tg.response.agent", &thought), made("answer", "thought", "I will"));
        let end = json!({"message_type": "answer", "end_of_message": true, "end_of_dialog": true, "error": null});
        let reading = read("tg.response.agent", end.to_string().as_bytes()).unwrap();
        assert_eq!(reading.part, Part::Answer { last: true });
    }

    #[test]
    fn what_is_known_to_go_wrong_is_said_of_the_message_where_it_shows() {
        let observed = |text: &str| json!({"question": "Why?", "group": ["a"], "history": [{"action": "joke", "observation": text}]});
        let asked = |group: Value| json!({"question": "Why?", "group": group, "history": []});
        let call = |config: Value| json!({"config": config, "arguments": "{}"});
        let answer = json!({"error": null, "response": "x", "end_of_stream": true});
        let (request, response) = ("tg.request.x", "tg.response.x");
        for (subject, id, body, wanted) in [
            (response, "unknown", answer.clone(), Some("waits in vain")),
            (response, "", answer.clone(), Some("without an id")),
            ("_INBOX.x", "", answer.clone(), None),
            (response, "r-1", answer, None),
            (request, "", call(json!("{}")), Some("under the id \"unknown\"")),
            (request, "r-1", call(json!({})), Some("config is sent as JSON")),
            (request, "r-1", call(json!("{}")), None),
            (request, "r-1", asked(json!("read")), Some("letter by letter")),
            (request, "r-1", asked(json!("*")), None),
            (request, "r-1", asked(json!([])), Some("the agent answers on its own")),
            (request, "r-1", asked(json!(null)), None),
            (
                request,
                "r-1",
                observed("Error: ToolServiceClient() takes no arguments"),
                Some("cannot call tool services"),
            ),
            (request, "r-1", observed("Error: no such row"), Some("the tool failed")),
            (
                request,
                "r-1",
                observed("Error executing tool echo: no"),
                Some("the MCP tool itself failed"),
            ),
            (
                "tg.response.mcp",
                "r-1",
                json!({"text": "Error executing tool echo: no"}),
                Some("the MCP tool itself failed"),
            ),
            (request, "r-1", observed("ha"), None),
        ] {
            let remarks = under(id, subject, body.to_string().as_bytes()).unwrap().remarks;
            let said = remarks.first().map(String::as_str);
            assert!(
                remarks.len() == usize::from(wanted.is_some()),
                "{subject} {body}: {remarks:?}"
            );
            assert!(
                wanted.is_none_or(|wanted| said.is_some_and(|said| said.contains(wanted))),
                "{subject} {body}: {remarks:?}"
            );
        }
    }

    #[test]
    fn what_explains_a_step_says_which_tool_is_used_and_a_prompt_what_it_holds() {
        let fact = |name: &str, value: &str| json!({"s": {"t": "i", "i": "s"}, "p": {"type": "i", "iri": format!("urn:x/{name}")}, "o": {"type": "l", "iri": "", "value": value}});
        let facts = json!([fact("action", "joke"), fact("arguments", "{\"topic\": \"owls\"}")]);
        let explain =
            json!({"message_type": "explain", "explain_triples": facts, "end_of_dialog": false});
        assert_eq!(
            seen("tg.response.agent", &explain),
            made("answer", "action", "joke {\"topic\": \"owls\"}")
        );
        let explain = json!({"message_type": "explain", "explain_triples": [fact("type", "x")], "end_of_dialog": false});
        assert_eq!(seen("tg.response.agent", &explain), made("answer", "explain", "1 fact"));
        let prompt = json!({"id": "question", "terms": {"question": "\"why\"", "tools": "[]", "plain": "not json"}});
        let text = r#"question {"question":"why","tools":[],"plain":"not json"}"#;
        assert_eq!(seen("tg.request.prompt", &prompt), made("request", "prompt", text));
    }

    #[test]
    fn the_true_error_stands_on_the_bus() {
        let error = json!({"message_type": "error", "content": "", "error": {"type": "agent-error", "message": "unknown tool"}});
        let reading =
            read("tg.response.agent:default:default", error.to_string().as_bytes()).unwrap();
        let Part::Error(problem) = reading.part else { panic!("{reading:?}") };
        assert_eq!(
            (problem.kind.as_str(), problem.message.as_str()),
            ("agent-error", "unknown tool")
        );
    }

    #[test]
    fn other_services_are_read_too() {
        let operation = json!({"operation": "get", "keys": null, "type": "tool"});
        assert_eq!(
            seen("tg.request.config", &operation),
            made("request", "operation", r#"{"operation":"get","type":"tool"}"#)
        );
        let tool = json!({"name": "echo", "parameters": "{\"x\": 1}"});
        assert_eq!(seen("tg.request.mcp-tool", &tool), made("request", "tool", "echo {\"x\": 1}"));
        let said = json!({"error": null, "text": "echo 1", "object": ""});
        assert_eq!(seen("tg.response.mcp-tool", &said), made("answer", "answer", "echo 1"));
        let changed = json!({"version": 3, "changes": {"tool": ["default"]}});
        assert_eq!(seen("tg.notify.config", &changed).0, "broadcast");
    }

    #[test]
    fn what_is_not_ours_is_left_to_others() {
        assert_eq!(read("orders.new", b"{\"a\": 1}"), None);
        assert_eq!(read("$JS.API.INFO", b""), None);
        let broken = read("tg.response.joke", b"{not json").unwrap();
        assert!(
            matches!(broken.part, Part::Unreadable(problem) if problem.kind == ErrorKind::NotJson)
        );
        let odd = read("tg.request.joke", b"\xff").unwrap();
        assert!(
            matches!(odd.part, Part::Unreadable(problem) if problem.kind == ErrorKind::NotUtf8)
        );
    }
}
