//! TrustGraph's agent behind the gateway: what it is asked, and its thoughts, actions, observations and answer as they come.

use serde_json::{Map, Value, json};

use super::gateway::endpoints::{self, Endpoint};
use crate::model::{
    call::Request,
    connection::{Connection, TransportKind},
    context::Context,
    problem::{Problem, ProblemKind},
};

/// The service's name on the gateway.
pub const SERVICE: &str = "agent";

/// A question for the agent with the context that it comes in.
///
/// # Errors
/// When the connection is none over which its steps arrive.
pub fn request(question: &str, context: &Context, correlation: &str, connection: &Connection) -> Result<Request, Problem> {
    reached(connection)?;
    let mut body = Map::from_iter([("question".to_owned(), json!(question)), ("streaming".to_owned(), json!(true))]);
    // A group that is left out means `default`; a bare text would be taken letter by letter.
    if let Some(groups) = &context.groups {
        body.insert("group".into(), groups.iter().map(|name| Value::from(&**name)).collect());
    }
    if let Some(state) = &context.state {
        body.insert("state".into(), (&**state).into());
    }
    Ok(endpoints::of_flow(SERVICE, body, correlation, connection))
}

/// Whether the agent can be asked over the connection.
///
/// # Errors
/// When it is none over which its steps arrive.
pub fn reached(connection: &Connection) -> Result<(), Problem> {
    if connection.transport != TransportKind::WebSocket {
        let cause = match connection.transport {
            TransportKind::Http => "over HTTP only the agent's last message arrives, which holds no text".to_owned(),
            other => format!("connection \"{}\" leads to {}, not to TrustGraph's gateway", connection.name, other.title()),
        };
        let remedy = "choose a connection to the gateway's socket: ws:// or wss://";
        return Err(Problem::new(ProblemKind::Input, "asking the agent", cause).remedy(remedy));
    }
    Ok(())
}

/// Whether requests that go there are questions for the agent.
#[must_use]
pub fn is_at(to: &str) -> bool {
    Endpoint::parse(to).is_some_and(|endpoint| endpoint.service == SERVICE && endpoint.flow.is_some())
}

/// The question that a request asks the agent, and the context that it comes in; `None` when it asks something else.
#[must_use]
pub fn asked(request: &Request) -> Option<(String, Context)> {
    if !is_at(&request.to) {
        return None;
    }
    let body: Value = serde_json::from_str(&request.body).ok()?;
    let groups = body.get("group").and_then(Value::as_array);
    let context = Context {
        user: None,
        groups: groups.map(|groups| groups.iter().filter_map(Value::as_str).map(Into::into).collect()),
        state: body.get("state").and_then(Value::as_str).map(Into::into),
    };
    Some((body.get("question")?.as_str()?.to_owned(), context))
}

/// What a text of the agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Thought,
    Observation,
    Answer,
}

impl Part {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Thought => "thought",
            Self::Observation => "observation",
            Self::Answer => "answer",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Thought, Self::Observation, Self::Answer].into_iter().find(|part| part.word() == word)
    }
}

/// Something that the agent tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A piece of a text; `ends` with its last piece.
    Text { part: Part, text: String, ends: bool },
    /// It uses a tool.
    Action { tool: String, arguments: String },
}

/// What a message of the agent tells. The use of a tool is no message of its own: it stands only among the facts that explain a step.
#[must_use]
pub fn read(message: &Value) -> Option<Told> {
    let word = |name: &str| message.get(name).and_then(Value::as_str);
    // Before 2.3.1 it was called otherwise.
    let kind = word("message_type").or_else(|| word("chunk_type"))?;
    if kind == "explain" {
        return action(message.get("explain_triples")?);
    }
    let text = word("content").unwrap_or_default().to_owned();
    Some(Told::Text { part: Part::of(kind)?, text, ends: message.get("end_of_message") == Some(&Value::Bool(true)) })
}

/// The use of a tool among the facts that explain a step.
#[must_use]
pub fn action(triples: &Value) -> Option<Told> {
    let triples = triples.as_array()?;
    // The gateway shortens the members' names that the bus has.
    let of_either = |triple: &Value, long: &str, short: &str| {
        [long, short].into_iter().find_map(|at| triple.pointer(at)?.as_str()).unwrap_or_default().to_owned()
    };
    let object = |name: &str| {
        let triple = triples.iter().find(|triple| of_either(triple, "/p/iri", "/p/i").ends_with(name))?;
        Some(of_either(triple, "/o/value", "/o/v")).filter(|text| !text.is_empty())
    };
    Some(Told::Action { tool: object("/action")?, arguments: object("/arguments").unwrap_or_else(|| "{}".into()) })
}

/// Why a tool of type tool-service fails in the hands of the agent.
pub const UNCALLABLE: &str = "TrustGraph's own agent cannot call tool services from version 2.8.2 to 2.11.1 at least: this is its fault, not the service's; call the service directly over the broker";

/// What an observation of this text really means, where that is known.
#[must_use]
pub fn explained(observation: &str) -> Option<&'static str> {
    observation.contains("ToolServiceClient() takes no arguments").then_some(UNCALLABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<Told> {
        read(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn texts_come_in_pieces_and_actions_among_facts() {
        let piece = r#"{"message_type": "thought", "content": "I", "end_of_message": false, "message_id": "x"}"#;
        assert_eq!(told(piece), Some(Told::Text { part: Part::Thought, text: "I".into(), ends: false }));
        let end = r#"{"message_type": "answer", "end_of_message": true, "end_of_dialog": true}"#;
        assert_eq!(told(end), Some(Told::Text { part: Part::Answer, text: String::new(), ends: true }));
        let facts = r#"{"message_type": "explain", "explain_triples": [
            {"s": {"t": "i", "i": "u"}, "p": {"t": "i", "i": "https://trustgraph.ai/ns/action"}, "o": {"t": "l", "v": "joke"}},
            {"s": {"t": "i", "i": "u"}, "p": {"t": "i", "i": "https://trustgraph.ai/ns/arguments"}, "o": {"t": "l", "v": "{\"a\": 1}"}}]}"#;
        assert_eq!(told(facts), Some(Told::Action { tool: "joke".into(), arguments: r#"{"a": 1}"#.into() }));
        let begun = r#"{"message_type": "explain", "explain_triples": []}"#;
        assert_eq!((told(begun), told("{}"), told("[1]")), (None, None, None));
    }

    #[test]
    fn groups_are_a_list_and_what_is_not_given_is_left_out() {
        let socket = Connection::to(TransportKind::WebSocket, "tg", "ws://h");
        let context = Context { groups: Some(vec!["a".into(), "b".into()]), state: Some("s".into()), user: None };
        let sent = request("why?", &context, "r", &socket).unwrap();
        assert_eq!(sent.to, "/api/v1/flow/default/service/agent");
        assert_eq!(&*sent.body, r#"{"question":"why?","streaming":true,"group":["a","b"],"state":"s"}"#);
        let bare = request("why?", &Context::default(), "r", &socket).unwrap();
        assert_eq!(&*bare.body, r#"{"question":"why?","streaming":true}"#);
        assert_eq!(asked(&sent), Some(("why?".into(), context.clone())));
        assert_eq!(asked(&bare), Some(("why?".into(), Context::default())));
        assert_eq!(asked(&Request { to: "/api/v1/flow/default/service/prompt".into(), ..sent }), None);
        let http = Connection::to(TransportKind::Http, "tg", "http://h");
        assert!(request("why?", &context, "r", &http).unwrap_err().remedy.contains("ws://"));
    }
}
