//! What is learned about one question to the agent by listening on the broker behind the gateway:
//! the tools that the model is really offered, and the error that the gateway hides.

use serde_json::{Map, Value};

use super::{agent, queue, reply, request::ID};
use crate::{
    model::{
        call::CallError, connection::Connection, problem::Problem, traffic::ObservedMessage,
        transport::TransportKind,
    },
    systems::{facets::observer::Place, trustgraph::settings::Gateway},
};

/// The prompt by which an agent asks the model for its next step.
const PROMPT: &str = "agent-react";

/// The workspace of a gateway whose settings name none.
const WORKSPACE: &str = "default";

/// What was learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Overheard {
    /// The model was offered these tools, after so many steps.
    Offered { steps: usize, tools: Vec<String> },
    /// A service that the agent asked failed, or the agent itself.
    Failed { part: Failing, problem: CallError },
}

/// Who failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failing {
    /// The prompt service, or the language model behind it.
    Prompt,
    Agent,
}

/// Listens for one question.
#[derive(Debug)]
pub(crate) struct Overhearing {
    question: String,
    places: [String; 4],
    /// The id that the gateway gave the question, once it was received.
    id: Option<String>,
    /// The ids of the agent's questions to the model.
    prompts: Vec<String>,
    /// Errors of agents whose question was not received yet: each queue is received by itself. The
    /// newest [`MOST`] of them.
    unclaimed: Vec<(String, CallError)>,
}

const MOST: usize = 16;

/// Where requests and answers of agent and prompt service pass, as the settings of a deployment
/// have it; `flow` is its configuration.
fn queues(gateway: &Connection, flow: Option<&Value>) -> [String; 4] {
    let Gateway { workspace, flow: of_gateway, .. } = Gateway::from_connection(gateway);
    let workspace = workspace.as_deref().unwrap_or(WORKSPACE);
    let queue = |service: &str, way: &str| {
        let named =
            flow.and_then(|flow| flow.pointer(&format!("/interfaces/{service}/{way}"))?.as_str());
        named.map_or_else(|| format!("{way}:tg:{service}:{workspace}:{of_gateway}"), str::to_owned)
    };
    [
        (agent::SERVICE, "request"),
        (agent::SERVICE, "response"),
        ("prompt", "request"),
        ("prompt", "response"),
    ]
    .map(|(service, way)| queue(service, way))
}

impl Overhearing {
    /// Ready to listen for a question over that gateway, and where to listen. `flow` is what its
    /// configuration says of the flow.
    ///
    /// # Errors
    /// When the broker cannot carry one of the queues.
    pub fn for_question(
        question: &str,
        gateway: &Connection,
        flow: Option<&Value>,
        broker: TransportKind,
    ) -> Result<(Self, Vec<Place>), Problem> {
        let mut places = Vec::new();
        for queue in queues(gateway, flow) {
            let queue::QueueName { name, kept } = queue::spell_queue(&queue, broker)?;
            places.push(Place { name, kept });
        }
        let names: Vec<String> = places.iter().map(|place| place.name.clone()).collect();
        let places_of = <[String; 4]>::try_from(names).unwrap_or_default();
        Ok((
            Self {
                question: question.to_owned(),
                places: places_of,
                id: None,
                prompts: Vec::new(),
                unclaimed: Vec::new(),
            },
            places,
        ))
    }

    /// What a message that passed reports the question.
    pub fn observe_message(&mut self, crossing: &ObservedMessage) -> Option<Overheard> {
        let fields: Map<String, Value> = serde_json::from_slice(&crossing.body).ok()?;
        let id = crossing.header(ID);
        match self.places.iter().position(|place| **place == *crossing.subject)? {
            0 => {
                let begins =
                    fields.get("history").and_then(Value::as_array).is_none_or(Vec::is_empty);
                if begins
                    && self.id.is_none()
                    && fields.get("question") == Some(&Value::from(self.question.as_str()))
                {
                    self.id = id.map(str::to_owned);
                }
                let row = self.unclaimed.iter().position(|(of, _)| self.id.as_ref() == Some(of))?;
                Some(Overheard::Failed {
                    part: Failing::Agent,
                    problem: self.unclaimed.swap_remove(row).1,
                })
            }
            1 => {
                let (problem, id) = (reply::error_of(&fields)?, id?);
                if self.id.as_deref() == Some(id) {
                    return Some(Overheard::Failed { part: Failing::Agent, problem });
                }
                if self.unclaimed.len() == MOST {
                    self.unclaimed.remove(0);
                }
                self.unclaimed.push((id.to_owned(), problem));
                None
            }
            2 => self.read_prompt(&fields, id),
            _ => {
                let own = id.is_some_and(|id| self.prompts.iter().any(|known| known == id));
                let problem = reply::error_of(&fields).filter(|_| own)?;
                Some(Overheard::Failed { part: Failing::Prompt, problem })
            }
        }
    }

    /// The tools that the agent offers the model with this question.
    fn read_prompt(&mut self, fields: &Map<String, Value>, id: Option<&str>) -> Option<Overheard> {
        if fields.get("id").and_then(Value::as_str) != Some(PROMPT) {
            return None;
        }
        let terms =
            ["terms", "variables"].into_iter().find_map(|name| fields.get(name)?.as_object())?;
        // Each is a text that holds JSON.
        let held = |name: &str| match terms.get(name)? {
            Value::String(text) => serde_json::from_str(text).ok(),
            other => Some(other.clone()),
        };
        if held("question")? != self.question.as_str() {
            return None;
        }
        self.prompts.extend(id.map(str::to_owned));
        let steps =
            held("history").and_then(|history| Some(history.as_array()?.len())).unwrap_or(0);
        let listed = held("tools").and_then(|tools| {
            let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
            Some(tools.as_array()?.iter().filter_map(name).collect::<Vec<_>>())
        });
        let joined = || {
            let names = held("tool_names")?;
            Some(
                names
                    .as_str()?
                    .split(',')
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect(),
            )
        };
        Some(Overheard::Offered { steps, tools: listed.or_else(joined)? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{clock::Millis, traffic::KeptMessage};

    fn crossing(subject: &str, id: &str, body: &Value) -> ObservedMessage {
        let body = body.to_string();
        ObservedMessage {
            at: Millis(0),
            subject: subject.into(),
            reply: None,
            headers: vec![(ID.into(), id.into())],
            body: body.as_bytes().into(),
            size: body.len() as u64,
            kept: KeptMessage::Whole,
            about: None,
        }
    }

    fn prompt(question: &str, history: usize, tools: &[&str]) -> Value {
        let tools: Vec<Value> = tools
            .iter()
            .map(|name| json!({"name": name, "description": "d", "arguments": []}))
            .collect();
        let terms = [
            ("question", json!(question)),
            ("tools", json!(tools)),
            ("history", json!(vec![json!({}); history])),
            ("tool_names", json!("x,y")),
        ];
        let terms: Map<String, Value> = terms
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_string().into()))
            .collect();
        json!({"id": "agent-react", "terms": terms, "streaming": true})
    }

    #[test]
    fn the_queues_are_those_of_the_flow_and_else_those_that_it_usually_has() {
        let gateway =
            Gateway { workspace: Some("w".into()), flow: "f".into(), ..Gateway::default() };
        let gateway =
            gateway.apply_to(Connection::from_address(TransportKind::WebSocket, "tg", "ws://h"));
        let flow = json!({"interfaces": {"prompt": {"request": "request:tg:mine", "response": "response:tg:mine"}}});
        let (_, places) =
            Overhearing::for_question("?", &gateway, Some(&flow), TransportKind::Kafka).unwrap();
        let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "tg.request.agent.w.f",
                "tg.response.agent.w.f",
                "tg.request.mine",
                "tg.response.mine"
            ]
        );
    }

    #[test]
    fn only_what_is_about_this_question_counts() {
        let gateway = Connection::from_address(TransportKind::WebSocket, "tg", "ws://h");
        let (mut own, places) =
            Overhearing::for_question("why?", &gateway, None, TransportKind::RabbitMq).unwrap();
        let [request, response, asking, model] = [0, 1, 2, 3].map(|row| places[row].name.as_str());
        assert_eq!(asking, "tg.request.prompt:default:default");
        let failed = json!({"message_type": "error", "error": {"type": "agent-error", "message": "No action for x!"}});
        assert_eq!(own.observe_message(&crossing(response, "z", &failed)), None);
        assert_eq!(
            own.observe_message(&crossing(
                request,
                "b",
                &json!({"question": "how?", "history": []})
            )),
            None
        );
        assert_eq!(
            own.observe_message(&crossing(
                request,
                "a",
                &json!({"question": "why?", "history": []})
            )),
            None
        );
        assert_eq!(own.observe_message(&crossing(asking, "p", &prompt("how?", 0, &["a"]))), None);
        let offered =
            own.observe_message(&crossing(asking, "p", &prompt("why?", 2, &["a", "b, c"])));
        assert_eq!(
            offered,
            Some(Overheard::Offered { steps: 2, tools: vec!["a".into(), "b, c".into()] })
        );
        let names = json!({"id": "agent-react", "terms": {"question": "\"why?\"", "tool_names": "\"a,b\""}});
        let offered = own.observe_message(&crossing(asking, "q", &names));
        assert_eq!(
            offered,
            Some(Overheard::Offered { steps: 0, tools: vec!["a".into(), "b".into()] })
        );
        let out = json!({"error": {"type": "llm-error", "message": "out"}, "text": "", "end_of_stream": true});
        assert_eq!(own.observe_message(&crossing(model, "other", &out)), None);
        let told = |heard: Option<Overheard>| match heard {
            Some(Overheard::Failed { part, problem }) => (part, problem.message),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            told(own.observe_message(&crossing(model, "q", &out))),
            (Failing::Prompt, "out".into())
        );
        assert_eq!(own.observe_message(&crossing(response, "b", &failed)), None);
        let expected = (Failing::Agent, "No action for x!".to_owned());
        assert_eq!(told(own.observe_message(&crossing(response, "a", &failed))), expected);
        let (mut late, _) =
            Overhearing::for_question("why?", &gateway, None, TransportKind::RabbitMq).unwrap();
        assert_eq!(late.observe_message(&crossing(response, "a", &failed)), None);
        assert_eq!(
            told(late.observe_message(&crossing(
                request,
                "a",
                &json!({"question": "why?", "history": []})
            ))),
            expected
        );
    }
}
