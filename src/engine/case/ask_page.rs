//! A run of a model as an ask case: the text of its file, and its recorded run.

use serde_json::{Map, Value, json};

use crate::{
    engine::{
        agent_loop::{
            event::AgentEvent,
            recording::{RecordedRuns, Recording},
        },
        mask::Mask,
    },
    model::trace::Trace,
    syntax::{place::Format, print},
};

const HEAD: &str = "\
# A run of a model saved as a test case: `toolcrib test FILE` holds its recorded run against what is expected, and asks a model
# with --model NAME. expect may have: tools (names, or call with arguments or schema), order (in-order, any-order), never, only,
# contains (a text or several), state (at the end).
";

/// What a case needs of a run.
#[derive(Clone, Debug)]
pub struct AskParts {
    pub question: String,
    pub system: Option<String>,
    /// As the history has them: names, or null.
    pub groups: Value,
    pub state: Value,
    /// The calls that were answered: the tool, and its arguments.
    pub calls: Vec<(String, Value)>,
    /// The state at the end.
    pub end_state: Option<String>,
    pub recorded: RecordedRuns,
}

/// What of a run is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskExpected {
    pub tools: bool,
    pub arguments: bool,
    pub only: bool,
    pub state: bool,
}

impl AskParts {
    /// What a kept run has; `None` where its model said nothing.
    #[must_use]
    pub fn from_trace(trace: &Trace) -> Option<Self> {
        let recording = Recording::from_trace(trace)?;
        let then: Value = serde_json::from_str(&trace.head.arguments).unwrap_or_default();
        let text = |name: &str| then[name].as_str().map(str::to_owned);
        let (mut calls, mut end_state) = (Vec::new(), text("state"));
        for event in trace.events.iter().filter_map(|event| AgentEvent::from_trace(&event.kind)) {
            match event {
                AgentEvent::Asked { state, .. } => end_state = Some(state),
                AgentEvent::Called { tool, arguments, fault: None, .. } => {
                    calls.push((tool, arguments));
                }
                AgentEvent::Moved { to, .. } => end_state = Some(to),
                // Where a run went another way, what it left counts no longer.
                AgentEvent::WentBack { state, .. } => {
                    calls.clear();
                    end_state = Some(state);
                }
                _ => {}
            }
        }
        let model = text("model").unwrap_or_else(|| trace.head.tool.to_string());
        Some(Self {
            question: text("question").unwrap_or_default(),
            system: text("system"),
            groups: then["groups"].clone(),
            state: then["state"].clone(),
            calls,
            end_state,
            recorded: RecordedRuns { model, runs: vec![recording], against: Vec::new() },
        })
    }

    /// Hides what its calls passed as secrets, too.
    #[must_use]
    pub fn mask(&self, mask: &Mask) -> Mask {
        let of_call =
            |mask: Mask, (_, arguments): &(String, Value)| mask.of_call(&arguments.to_string());
        self.calls.iter().fold(mask.clone(), of_call)
    }

    /// The text of the case, without what the mask hides.
    #[must_use]
    pub fn render_yaml(&self, name: &str, expected: AskExpected, mask: &Mask) -> String {
        let mut case = Map::new();
        case.insert("case".into(), name.into());
        case.insert("ask".into(), self.question.as_str().into());
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                case.insert(name.to_owned(), value);
            }
        };
        put("system", json!(self.system));
        put("groups", self.groups.clone());
        put("state", self.state.clone());
        let mut expect = Map::new();
        if expected.tools {
            let call = |(tool, arguments): &(String, Value)| match expected.arguments {
                true => json!({"call": tool, "arguments": arguments}),
                false => tool.as_str().into(),
            };
            expect.insert("tools".into(), self.calls.iter().map(call).collect());
        }
        if expected.only {
            expect.insert("only".into(), true.into());
        }
        if let Some(state) = self.end_state.as_deref().filter(|_| expected.state) {
            expect.insert("state".into(), state.into());
        }
        case.insert("expect".into(), expect.into());
        let case = mask.mask_value("", &Value::Object(case));
        format!("{HEAD}{}", print::print_value(Format::Yaml, &case))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{agent_loop::turn::ModelReply, case::ask::AskCase},
        model::{call::Event, trace::Head},
        syntax::source::Source,
    };

    #[test]
    fn a_run_is_kept_as_a_case_that_reads_again() {
        let call = |tool: &str| AgentEvent::Called {
            tool: tool.into(),
            arguments: json!({"a": 1}),
            fault: None,
            edited: false,
        };
        let events = [
            AgentEvent::Replied {
                turn: 1,
                reply: ModelReply { text: "Hi".into(), ..ModelReply::default() },
                first_ms: None,
                took_ms: 1,
            },
            call("find"),
            AgentEvent::Moved { from: "a".into(), to: "found".into() },
            call("sum"),
        ];
        let arguments = json!({"question": "How many?", "model": "m", "groups": ["basic"], "state": "a", "system": null});
        let head = Head { arguments: arguments.to_string().into(), ..Head::default() };
        let events = events.iter().map(|event| Event { at_ms: 0, kind: event.to_trace() });
        let parts = AskParts::from_trace(&Trace { head, events: events.collect() }).unwrap();
        let read = |arguments| {
            let expected = AskExpected { tools: true, arguments, only: true, state: true };
            let text = parts.render_yaml("sums", expected, &parts.mask(&Mask::default()));
            AskCase::from_source(&Source::parse(Format::Yaml, text).unwrap()).unwrap()
        };
        let case = read(false);
        assert_eq!((case.name.as_str(), case.question.as_str()), ("sums", "How many?"));
        assert_eq!((case.system, case.groups.map(|groups| groups.len())), (None, Some(1)));
        let tools: Vec<_> = case.expect.tools.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!((tools, case.expect.only), (vec!["find", "sum"], true));
        assert_eq!(case.expect.state.as_deref(), Some("found"));
        assert_eq!(read(true).expect.tools[1].arguments, Some(json!({"a": 1})));
        // What a call passed as a secret is left out wherever it is.
        let mut secret = parts.clone();
        (secret.calls[0].1, secret.system) =
            (json!({"pin_token": 7654321}), Some("7654321!".into()));
        let expected = AskExpected { tools: true, arguments: true, only: true, state: true };
        let text = secret.render_yaml("sums", expected, &secret.mask(&Mask::default()));
        let case = AskCase::from_source(&Source::parse(Format::Yaml, text).unwrap()).unwrap();
        assert_eq!(case.expect.tools[0].arguments, Some(json!({"pin_token": "***"})));
        assert_eq!(case.system.as_deref(), Some("***!"));
        assert_eq!(parts.recorded.runs.len(), 1);
        assert!(AskParts::from_trace(&Trace::default()).is_none());
    }
}
