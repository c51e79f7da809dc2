//! The mock model: it calls tools by rules, so that a run can be tried without an account.
//!
//! It calls the tools that the question names, in that order, each with the JSON object behind its
//! name, or with example arguments. Where the question names none that can be called, it calls each
//! available tool once, at most [`MOST_CALLS`] of them, but none where the question has arguments
//! for a tool that it doesn't get. Then it answers.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    api::{ModelApi, ModelRequest, ReplyReader},
    openai::OpenAi,
    turn::{ModelReply, StopReason, ToolCall},
};
use crate::{
    engine::model_view::Client,
    model::shown::shorten,
    schema::{example::make_example, ordering::PutInOrder},
};

/// So many tools are called that the question doesn't name.
const MOST_CALLS: usize = 8;

/// How much of a tool's last answer is repeated.
const MOST_REPEATED: usize = 200;

/// Its requests are those of OpenAI, so that they can be read; nothing is sent.
pub(super) struct MockModel;

impl ModelApi for MockModel {
    fn word(&self) -> &'static str {
        "mock"
    }

    fn client(&self) -> Client {
        OpenAi.client()
    }

    fn request_path(&self, base: &str) -> &'static str {
        OpenAi.request_path(base)
    }

    fn headers(&self, _: Option<&str>) -> Vec<(String, String)> {
        Vec::new()
    }

    fn request_body(&self, request: &ModelRequest<'_>) -> Value {
        OpenAi.request_body(request)
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        OpenAi.reader()
    }

    fn reply_here(&self, body: &str) -> Option<ModelReply> {
        let body = serde_json::from_str(body).unwrap_or_default();
        let conversation = Conversation::read(&body);
        Some(match conversation.next_call() {
            Some(call) => ModelReply {
                calls: vec![call],
                stop: StopReason::ToolCalls,
                ..ModelReply::default()
            },
            None => ModelReply { text: conversation.answer(), ..ModelReply::default() },
        })
    }
}

/// What a request says of the run so far.
struct Conversation<'b> {
    /// What was asked last.
    question: &'b str,
    /// The names of the tools that were called since, in order.
    called: Vec<&'b str>,
    last_result: Option<&'b str>,
    /// The tools that can be called: their names and the schemas of their arguments.
    offered: Vec<(&'b str, &'b Value)>,
    /// How many messages there are.
    length: usize,
}

/// A tool that the question names, and the arguments behind its name.
struct Mention<'q> {
    at: usize,
    name: &'q str,
    arguments: Option<Value>,
}

impl<'b> Conversation<'b> {
    fn read(body: &'b Value) -> Self {
        let list = |value: &'b Value| value.as_array().map(Vec::as_slice).unwrap_or_default();
        let messages = list(&body["messages"]);
        let asked = messages.iter().rposition(|message| message["role"] == "user");
        let since = messages.get(asked.unwrap_or_default()..).unwrap_or_default();
        let text = |message: &'b Value| message["content"].as_str();
        let calls = since.iter().flat_map(|message| list(&message["tool_calls"]));
        let function = |tool: &'b Value| {
            let function = &tool["function"];
            Some((function["name"].as_str()?, &function["parameters"]))
        };
        Self {
            question: since.first().and_then(text).unwrap_or_default(),
            called: calls.filter_map(|call| call["function"]["name"].as_str()).collect(),
            last_result: since.iter().rfind(|message| message["role"] == "tool").and_then(text),
            offered: list(&body["tools"]).iter().filter_map(function).collect(),
            length: messages.len(),
        }
    }

    /// What the question names, in its order.
    fn mentions(&self) -> Vec<Mention<'b>> {
        let mut names: Vec<&str> = self.offered.iter().map(|(name, _)| *name).collect();
        names.extend(&self.called);
        names.sort_unstable();
        names.dedup();
        let of_name = |name: &'b str| {
            let found = self.question.match_indices(name);
            let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
            found.filter_map(move |(at, _)| {
                let (before, rest) = (&self.question[..at], &self.question[at + name.len()..]);
                let is_word = !before.ends_with(is_part) && !rest.starts_with(is_part);
                is_word.then(|| Mention { at, name, arguments: leading_object(rest) })
            })
        };
        let mut mentions: Vec<Mention<'b>> = names.into_iter().flat_map(of_name).collect();
        mentions.order_by_key(|mention| mention.at);
        mentions
    }

    fn next_call(&self) -> Option<ToolCall> {
        let mut left = self.mentions();
        let names_some = !left.is_empty();
        for name in &self.called {
            if let Some(row) = left.iter().position(|mention| mention.name == *name) {
                left.remove(row);
            }
        }
        let schema_of = |name: &str| {
            let found = self.offered.iter().find(|(offered, _)| *offered == name);
            found.map(|(_, schema)| *schema)
        };
        if let Some(mention) = left.iter().find(|mention| schema_of(mention.name).is_some()) {
            let schema = schema_of(mention.name)?;
            let given = mention.arguments.clone();
            return Some(self.call(mention.name, &given.unwrap_or_else(|| example(schema))));
        }
        let is_done = match names_some {
            true => left.is_empty(),
            false => self.called.len() >= MOST_CALLS || self.missing_tool().is_some(),
        };
        if is_done {
            return None;
        }
        let (name, schema) = self.offered.iter().find(|(name, _)| !self.called.contains(name))?;
        Some(self.call(name, &example(schema)))
    }

    /// The word before the first JSON object of a question that names no tool.
    fn missing_tool(&self) -> Option<&'b str> {
        let mut objects = self.question.match_indices('{').map(|(at, _)| at);
        let at = objects.find(|at| leading_object(&self.question[*at..]).is_some())?;
        let before = self.question[..at].trim_end_matches([' ', ':', '(']);
        before.split_whitespace().next_back()
    }

    fn call(&self, name: &str, arguments: &Value) -> ToolCall {
        ToolCall {
            id: format!("mock_{}", self.length),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        }
    }

    fn answer(&self) -> String {
        if self.called.is_empty()
            && !self.offered.is_empty()
            && let Some(name) = self.missing_tool()
        {
            return format!("This is the mock model. It got no tool named {name}.");
        }
        if self.called.is_empty() {
            return "This is the mock model. No tool is available, so it called none.".to_owned();
        }
        let names = self.called.join(", ");
        let result = self.last_result.unwrap_or_default();
        let shown = shorten(result, MOST_REPEATED);
        format!("This is the mock model. It called {names}. The last answer: {shown}")
    }
}

/// The JSON object that a text begins with.
fn leading_object(text: &str) -> Option<Value> {
    let text = text.trim_start().strip_prefix(['(', ':']).unwrap_or(text).trim_start();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.next()?.ok().filter(Value::is_object)
}

fn example(schema: &Value) -> Value {
    match schema {
        Value::Null => json!({}),
        schema => match make_example(&Arc::new(schema.clone()), 0).value {
            example if example.is_object() => example,
            _ => json!({}),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::{
        engine::agent_loop::turn::{ToolResult, Turn},
        model::tool::Function,
    };

    /// The calls that the mock makes of these tools, and its answer.
    fn run(
        question: &str,
        offered: impl Fn(&[String]) -> Vec<&'static str>,
    ) -> (Vec<String>, String) {
        let mut turns = vec![Turn::User(question.to_owned())];
        let mut called: Vec<String> = Vec::new();
        loop {
            let parameters = json!({"type": "object", "required": ["city"], "properties": {
                "city": {"type": "string", "examples": ["Basel"]}}});
            let function = |name: &str| Function::new(name, "", parameters.clone());
            let tools: Vec<Function> = offered(&called).into_iter().map(function).collect();
            let body = MockModel.request_body(&ModelRequest {
                model: "mock",
                system: Some("Call nothing"),
                turns: &turns,
                tools: &tools,
                max_tokens: None,
                extra: &Map::new(),
            });
            let reply = MockModel.reply_here(&body.to_string()).unwrap();
            let Some(call) = reply.calls.first().cloned() else {
                return (called, reply.text);
            };
            assert_eq!(reply.stop, StopReason::ToolCalls);
            called.push(format!("{} {}", call.name, call.arguments));
            turns.push(Turn::Model(reply));
            turns.push(Turn::Results(vec![ToolResult {
                call_id: call.id,
                text: format!("result of {}", call.name),
                name: call.name,
                is_error: false,
            }]));
        }
    }

    #[test]
    fn each_available_tool_is_called_once_where_none_is_named() {
        let (calls, answer) = run("What is new?", |_| vec!["search", "answer"]);
        assert_eq!(calls, [r#"search {"city":"Basel"}"#, r#"answer {"city":"Basel"}"#]);
        assert!(
            answer.ends_with("It called search, answer. The last answer: result of answer"),
            "{answer}"
        );
        let (calls, answer) = run("What is new?", |_| Vec::new());
        assert!(calls.is_empty() && answer.contains("No tool is available"), "{answer}");
    }

    #[test]
    fn named_tools_are_called_in_the_order_of_their_names_with_what_is_behind_them() {
        let question = r#"answer {"city": "Bern"}, then search, and answer: {"city": "Chur"}. No research, search-all."#;
        let (calls, _) = run(question, |_| vec!["all", "search", "answer"]);
        assert_eq!(
            calls,
            [
                r#"answer {"city":"Bern"}"#,
                r#"search {"city":"Basel"}"#,
                r#"answer {"city":"Chur"}"#
            ]
        );
    }

    #[test]
    fn a_tool_that_it_does_not_get_has_no_others_called_and_many_are_not_called_for_ever() {
        let (calls, answer) = run(r#"please refund: {"id": 7}"#, |_| vec!["search", "answer"]);
        assert!(calls.is_empty() && answer.ends_with("It got no tool named refund."), "{answer}");
        const MANY: [&str; 10] = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"];
        let (calls, answer) = run("What is new?", |_| MANY.to_vec());
        assert_eq!(calls.len(), MOST_CALLS);
        assert!(answer.contains("It called a0"), "{answer}");
    }

    #[test]
    fn tools_that_appear_later_are_called_when_they_do() {
        let (calls, _) = run("Review it", |called| match called.len() {
            0 => vec!["draft"],
            _ => vec!["draft", "review"],
        });
        assert_eq!(calls.len(), 2);
        assert!(calls[1].starts_with("review"), "{calls:?}");
    }
}
