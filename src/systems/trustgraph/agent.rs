//! TrustGraph's agent behind the gateway: what it is asked, and its thoughts, actions, observations
//! and answer as they come.

use serde_json::{Map, Value, json};

use super::{
    gateway::{
        endpoints::{self, Endpoint},
        messages,
    },
    settings,
};
use crate::model::{
    agent::{AgentOutput, AgentQuestion, Part},
    call::Request,
    connection::Connection,
    context::Context,
    problem::{Problem, ProblemKind},
    transport::Traffic,
};

/// The service's name on the gateway.
pub(crate) const SERVICE: &str = "agent";

/// The patterns that an agent can be known to work by; without one it chooses itself.
pub(crate) const PATTERNS: [&str; 3] = ["react", PLAN, "supervisor"];

/// The pattern that filters tools and never moves the state.
pub(crate) const PLAN: &str = "plan-then-execute";

/// How many steps an agent takes at most where its service is not reported otherwise.
pub(crate) const MOST_STEPS: usize = 10;

/// How an agent says that it took too many steps.
pub(crate) const TOO_MANY_STEPS: &str = "Too many agent iterations";

/// A question for the agent.
///
/// # Errors
/// When the connection is none over which its steps arrive.
pub(crate) fn question_request(
    asked: &AgentQuestion,
    correlation: &str,
    connection: &Connection,
) -> Result<Request, Problem> {
    check_reachable(connection)?;
    let AgentQuestion { question, context, pattern, collection } = asked;
    let mut body = Map::from_iter([
        ("question".to_owned(), json!(question)),
        ("streaming".to_owned(), json!(true)),
    ]);
    // A group that is left out means `default`; a bare text would be taken letter by letter.
    if let Some(groups) = &context.groups {
        body.insert("group".into(), groups.iter().map(|name| Value::from(&**name)).collect());
    }
    let texts = [
        ("state", context.state.as_deref()),
        ("pattern", pattern.as_deref()),
        ("collection", collection.as_deref()),
    ];
    body.extend(texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into()))));
    Ok(endpoints::of_flow(SERVICE, body, correlation, connection))
}

/// Whether the agent can be asked over the connection.
///
/// # Errors
/// When it is none over which its steps arrive.
pub(crate) fn check_reachable(connection: &Connection) -> Result<(), Problem> {
    let transport = connection.transport();
    let cause = match transport.spec().traffic {
        _ if !settings::is_gateway(transport) => connection.leads_elsewhere("TrustGraph's gateway"),
        Traffic::Exchange => {
            "over HTTP only the agent's last message arrives, which holds no text".to_owned()
        }
        Traffic::Pipe | Traffic::Bus => return Ok(()),
    };
    let remedy = "choose a connection to the gateway's socket: ws:// or wss://";
    Err(Problem::new(ProblemKind::Input, "asking the agent", cause).with_remedy(remedy))
}

/// Whether requests that go there are questions for the agent.
#[must_use]
pub(crate) fn is_at(to: &str) -> bool {
    Endpoint::parse(to)
        .is_some_and(|endpoint| endpoint.service == SERVICE && endpoint.flow.is_some())
}

/// What a request asks the agent; `None` when it asks something else.
#[must_use]
pub(crate) fn parse_question(request: &Request) -> Option<AgentQuestion> {
    if !is_at(&request.to) {
        return None;
    }
    let body: Value = serde_json::from_str(&request.body).ok()?;
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let groups = body.get("group").and_then(Value::as_array);
    let context = Context {
        user: None,
        groups: groups
            .map(|groups| groups.iter().filter_map(Value::as_str).map(Into::into).collect()),
        state: text("state").map(Into::into),
    };
    Some(AgentQuestion {
        question: text("question")?,
        context,
        pattern: text("pattern"),
        collection: text("collection"),
    })
}

/// What a message of the agent says. The use of a tool is no message of its own: it is only among
/// the facts that explain a step.
#[must_use]
pub(crate) fn parse_message(message: &Value) -> Option<AgentOutput> {
    let word = |name: &str| message.get(name).and_then(Value::as_str);
    // Before 2.3.1 it was called otherwise.
    let kind = word("message_type").or_else(|| word("chunk_type"))?;
    if kind == "explain" {
        return parse_action(message.get("explain_triples")?);
    }
    let text = word("content").unwrap_or_default().to_owned();
    Some(AgentOutput::Text {
        part: Part::parse(kind)?,
        text,
        ends: message.get("end_of_message") == Some(&Value::Bool(true)),
    })
}

/// The use of a tool among the facts that explain a step.
#[must_use]
pub(crate) fn parse_action(triples: &Value) -> Option<AgentOutput> {
    let triples = triples.as_array()?;
    // The gateway shortens the members' names that the bus has.
    let of_either = |triple: &Value, long: &str, short: &str| {
        [long, short]
            .into_iter()
            .find_map(|at| triple.pointer(at)?.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    let object = |name: &str| {
        let triple =
            triples.iter().find(|triple| of_either(triple, "/p/iri", "/p/i").ends_with(name))?;
        Some(of_either(triple, "/o/value", "/o/v")).filter(|text| !text.is_empty())
    };
    Some(AgentOutput::Action {
        tool: object("/action")?,
        arguments: object("/arguments").unwrap_or_else(|| "{}".into()),
    })
}

/// Why a tool of type tool-service fails in the hands of the agent.
pub(crate) const UNCALLABLE: &str = "TrustGraph's own agent cannot call tool services from version 2.8.2 to 2.11.1 at least: this is its fault, not the service's; call the service directly over the broker";

/// What a text means that an MCP tool reports an error in.
const MCP_ERROR: &str = "the MCP tool itself failed, and this text is its error: nothing else on the way marks it as one";

/// What an observation of this text really means, where that is known.
#[must_use]
pub(crate) fn observation_meaning(observation: &str) -> Option<&'static str> {
    if observation.contains("ToolServiceClient() takes no arguments") {
        return Some(UNCALLABLE);
    }
    messages::is_mcp_error(observation).then_some(MCP_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::transport::TransportKind;

    fn told(text: &str) -> Option<AgentOutput> {
        parse_message(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn texts_come_in_pieces_and_actions_among_facts() {
        let piece = r#"{"message_type": "thought", "content": "I", "end_of_message": false, "message_id": "x"}"#;
        assert_eq!(
            told(piece),
            Some(AgentOutput::Text { part: Part::Thought, text: "I".into(), ends: false })
        );
        let end = r#"{"message_type": "answer", "end_of_message": true, "end_of_dialog": true}"#;
        assert_eq!(
            told(end),
            Some(AgentOutput::Text { part: Part::Answer, text: String::new(), ends: true })
        );
        let facts = r#"{"message_type": "explain", "explain_triples": [
            {"s": {"t": "i", "i": "u"}, "p": {"t": "i", "i": "https://trustgraph.ai/ns/action"}, "o": {"t": "l", "v": "joke"}},
            {"s": {"t": "i", "i": "u"}, "p": {"t": "i", "i": "https://trustgraph.ai/ns/arguments"}, "o": {"t": "l", "v": "{\"a\": 1}"}}]}"#;
        assert_eq!(
            told(facts),
            Some(AgentOutput::Action { tool: "joke".into(), arguments: r#"{"a": 1}"#.into() })
        );
        let begun = r#"{"message_type": "explain", "explain_triples": []}"#;
        assert_eq!((told(begun), told("{}"), told("[1]")), (None, None, None));
    }

    #[test]
    fn groups_are_a_list_and_what_is_not_given_is_left_out() {
        let socket = Connection::from_address(TransportKind::WebSocket, "tg", "ws://h");
        let context = Context {
            groups: Some(vec!["a".into(), "b".into()]),
            state: Some("s".into()),
            user: None,
        };
        let whole = AgentQuestion {
            question: "why?".into(),
            context,
            pattern: Some(PLAN.into()),
            collection: Some("books".into()),
        };
        let sent = question_request(&whole, "r", &socket).unwrap();
        assert_eq!(sent.to, "/api/v1/flow/default/service/agent");
        let body = r#"{"question":"why?","streaming":true,"group":["a","b"],"state":"s","pattern":"plan-then-execute","collection":"books"}"#;
        assert_eq!(&*sent.body, body);
        let bare = AgentQuestion { question: "why?".into(), ..AgentQuestion::default() };
        let sent_bare = question_request(&bare, "r", &socket).unwrap();
        assert_eq!(&*sent_bare.body, r#"{"question":"why?","streaming":true}"#);
        assert_eq!(
            (parse_question(&sent), parse_question(&sent_bare)),
            (Some(whole.clone()), Some(bare))
        );
        assert_eq!(
            parse_question(&Request { to: "/api/v1/flow/default/service/prompt".into(), ..sent }),
            None
        );
        let http = Connection::from_address(TransportKind::Http, "tg", "http://h");
        assert!(question_request(&whole, "r", &http).unwrap_err().remedy.contains("ws://"));
    }
}
