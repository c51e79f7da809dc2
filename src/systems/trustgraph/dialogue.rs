//! A dialogue with TrustGraph's agent as it is reported: what it says, the tools it uses, and where
//! each step leaves the state and the tools.

use serde_json::Value;

use super::{
    agent::{self, MOST_STEPS, PLAN, TOO_MANY_STEPS},
    descriptor,
    gateway::messages::AGENTS_ERROR,
    overheard::{Failing, Overheard},
};
use crate::{
    engine::{
        explain::tool::Explainer,
        filter::{available_tools, join_names, next_state, unknown_groups},
        workflow::similar,
    },
    model::{
        agent::{AgentOutput, AgentQuestion, AgentReport, Part},
        call::{CallError, Outcome},
        catalog::Catalog,
        context::{Context, Mode},
        tool::Tool,
    },
};

/// A dialogue as far as it went.
#[derive(Debug)]
pub(crate) struct Dialogue {
    tools: Catalog,
    context: Context,
    /// The pattern that was asked for never moves the state.
    stays: bool,
    /// The tool that the agent uses now.
    used: Option<String>,
    observed: String,
    /// The tools that were worked out for each step so far; the last are those of now.
    expected: Vec<Vec<String>>,
    /// What was seen to be offered, and not compared yet: steps are received in another way.
    seen: Vec<(usize, Vec<String>)>,
    /// What was seen to be offered last.
    offered: Option<Vec<String>>,
    /// What failed on the bus last.
    failed: Option<(Failing, CallError)>,
}

impl Dialogue {
    /// A dialogue that begins with that question, with the tools as they are configured there.
    #[must_use]
    pub fn new(tools: Catalog, asked: &AgentQuestion) -> Self {
        let mut dialogue = Self {
            tools,
            context: asked.context.clone(),
            stays: asked.pattern.as_deref() == Some(PLAN),
            used: None,
            observed: String::new(),
            expected: Vec::new(),
            seen: Vec::new(),
            offered: None,
            failed: None,
        };
        dialogue.expected.push(dialogue.available_names());
        dialogue
    }

    fn available_names(&self) -> Vec<String> {
        let name = |row: usize| self.tools.tools[row].name.clone();
        self.tools
            .in_order(available_tools(&self.tools.tools, &self.context))
            .into_iter()
            .map(name)
            .collect()
    }

    /// The state now, and the tools that there are in it.
    #[must_use]
    pub fn current_state(&self) -> AgentReport {
        AgentReport::State {
            state: self.context.state().to_owned(),
            available: self.expected.last().cloned().unwrap_or_default(),
        }
    }

    /// What is to be warned of before it begins.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let unknown = unknown_groups(&self.tools.tools, &self.context);
        let mut warnings = Vec::new();
        if !unknown.is_empty() {
            warnings.push(format!("no tool there is in {}", join_names(&unknown)));
        }
        let offered = available_tools(&self.tools.tools, &self.context);
        warnings.extend(
            offered.iter().filter_map(|row| descriptor::request_failure(&self.tools.tools[*row])),
        );
        if offered.is_empty() {
            warnings.push(
                "0 tools: with these groups in this state the agent has none and \
                answers on its own"
                    .into(),
            );
        }
        warnings
    }

    /// What the next message of the agent, as JSON, results in.
    pub fn handle_message(&mut self, message: &str) -> Vec<AgentReport> {
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        let Some(told) = agent::parse_message(&message) else { return Vec::new() };
        let mut said = vec![AgentReport::Told(told.clone())];
        match told {
            AgentOutput::Action { tool, .. } => self.used = Some(tool),
            AgentOutput::Text { part: Part::Observation, text, ends } => {
                self.observed.push_str(&text);
                if ends {
                    said.extend(self.finish_step());
                }
            }
            AgentOutput::Text { .. } => {}
        }
        said
    }

    /// A tool was used: the state moves, whether it failed or not, and other tools may be there.
    fn finish_step(&mut self) -> Vec<AgentReport> {
        let note = agent::observation_meaning(&std::mem::take(&mut self.observed))
            .map(|words| AgentReport::Note(words.to_owned()));
        let is_held = |tool: &Tool| tool.gate.not_loaded().is_none();
        let used = self.used.take().and_then(|name| {
            self.tools.tools.iter().find(|tool| tool.name == name && is_held(tool))
        });
        if let Some(tool) = used.filter(|_| !self.stays) {
            self.context.state = Some(next_state(
                &tool.gate,
                self.context.state(),
                Outcome::Succeeded,
                Mode::AsDeployed,
            ));
        }
        self.expected.push(self.available_names());
        let now = self.current_state();
        note.into_iter().chain([now]).chain(self.compare_offered()).collect()
    }

    /// What is learned by listening on the broker.
    pub fn handle_overheard(&mut self, heard: Overheard) -> Vec<AgentReport> {
        match heard {
            Overheard::Offered { steps, tools } => {
                self.seen.push((steps, tools));
                self.compare_offered()
            }
            Overheard::Failed { part, problem } => {
                // The agent repeats what it was recognized by others, who know it better.
                let known = self
                    .failed
                    .as_ref()
                    .is_some_and(|(_, known)| problem.message.contains(&known.message));
                if !known {
                    self.failed = Some((part, problem));
                }
                Vec::new()
            }
        }
    }

    /// Whether the error of the failing part was received.
    #[must_use]
    pub fn knows_why(&self) -> bool {
        self.failed.is_some()
    }

    /// What was offered for the steps that are known by now, beside what was expected.
    fn compare_offered(&mut self) -> Vec<AgentReport> {
        let (known, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.seen)
            .into_iter()
            .partition(|(steps, _)| *steps < self.expected.len());
        self.seen = rest;
        let mut said = Vec::new();
        for (steps, tools) in known {
            let note =
                offer_difference(&self.expected[steps], &tools, self.stays).map(AgentReport::Note);
            self.offered = Some(tools.clone());
            said.extend([AgentReport::Offered { steps, tools }].into_iter().chain(note));
        }
        said
    }

    /// A failure of the agent, with what is known of its cause.
    #[must_use]
    pub fn explain_failure(&self, problem: CallError) -> CallError {
        let heard = self.failed.as_ref().map(|(part, problem)| (*part, problem.message.as_str()));
        let known = self
            .hidden_tool_cause(heard)
            .or_else(|| self.step_limit_cause(heard))
            .or_else(|| heard.map(failure_cause));
        let Some((message, remedy)) = known else { return problem };
        let beside =
            format!("; the error was read on the broker, the gateway only says: {AGENTS_ERROR}");
        let remedy = remedy + heard.map_or("", |_| &beside);
        CallError { message, remedy, ..problem }
    }

    /// The model called a tool that it does not have.
    fn hidden_tool_cause(&self, heard: Option<(Failing, &str)>) -> Option<(String, String)> {
        let name = self.used.as_deref().filter(|name| !self.is_offered(name))?;
        if heard.is_some_and(|(_, words)| !words.starts_with("No action for ")) {
            return None;
        }
        let (why, remedy) = self.why_hidden(name);
        let said = heard.map_or_else(String::new, |(_, words)| format!(" (it says: {words})"));
        Some((format!("the model called \"{name}\", which it doesn't have{said}: {why}"), remedy))
    }

    /// The agent took as many steps as it may.
    fn step_limit_cause(&self, heard: Option<(Failing, &str)>) -> Option<(String, String)> {
        let steps = self.expected.len() - 1;
        let likely = match heard {
            Some((_, words)) if words.contains(TOO_MANY_STEPS) => "",
            None if steps >= MOST_STEPS && self.used.is_none() => "most likely ",
            _ => return None,
        };
        let remedy = format!(
            "see above which step repeats, and improve its tool's description; or raise \
            --max-iterations of the agent's service (default: {MOST_STEPS})"
        );
        Some((
            format!(
                "{likely}the agent stopped after {steps} steps without an answer ({TOO_MANY_STEPS})"
            ),
            remedy,
        ))
    }

    fn is_offered(&self, name: &str) -> bool {
        let tools = self.offered.as_ref().or(self.expected.last());
        tools.is_some_and(|tools| tools.iter().any(|tool| tool == name))
    }

    /// Why the model does not have a tool, and what to do.
    fn why_hidden(&self, name: &str) -> (String, String) {
        let tools = &self.tools.tools;
        // Of several with one name the one that is loaded counts.
        let held =
            tools.iter().position(|tool| tool.name == name && tool.gate.not_loaded().is_none());
        let Some(row) = held.or_else(|| tools.iter().rposition(|tool| tool.name == name)) else {
            let near = similar::nearest_name(name, tools.iter().map(|tool| tool.name.as_str()));
            let near = near.map_or_else(String::new, |near| format!("; the nearest is \"{near}\""));
            let remedy = "give the tool a name that models repeat exactly: no spaces, no quotes";
            return (format!("no tool has that name{near}"), remedy.into());
        };
        let explanation = Explainer::new(tools, &self.context, &[]).explain(tools, row);
        let (state, groups) = (self.context.state(), join_names(&self.context.groups()));
        if explanation.reasons.is_empty() {
            let why = format!(
                "its configuration makes it available in {state} with groups {groups}, but the agent has not loaded it"
            );
            return (
                why,
                "`toolcrib push trustgraph --reload` makes the agent load its tools again".into(),
            );
        }
        let why: Vec<String> = explanation.reasons.iter().map(ToString::to_string).collect();
        let remedy = match explanation.changes.first() {
            Some(change) => format!(
                "to make it available: {}; models call hidden tools that the question or another tool names",
                change.description(tools)
            ),
            None => "models call hidden tools that the question or another tool names".into(),
        };
        (format!("it is hidden in {state} with groups {groups} ({})", why.join("; ")), remedy)
    }
}

/// What failed, as it was received, and where to look.
fn failure_cause((part, words): (Failing, &str)) -> (String, String) {
    match part {
        Failing::Prompt => (
            format!("the prompt service or the language model behind it failed: {words}"),
            "check whether the model answers, and check the log of the prompt service".into(),
        ),
        Failing::Agent => (format!("the agent failed: {words}"), "check the agent's log".into()),
    }
}

/// What is offered otherwise than the configuration says, and what to do. Only agents that know of
/// patterns let one keep the state.
fn offer_difference(expected: &[String], offered: &[String], stays: bool) -> Option<String> {
    let without = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|name| !other.contains(name)).cloned().collect()
    };
    let (missing, more) = (without(expected, offered), without(offered, expected));
    let part = |names: &[String], words: &str| {
        (!names.is_empty()).then(|| format!("{words} {}", names.join(", ")))
    };
    let parts: Vec<String> =
        [part(&missing, "without"), part(&more, "with")].into_iter().flatten().collect();
    let pattern =
        if stays { "it does not follow the pattern and moves the state, or " } else { "" };
    (!parts.is_empty()).then(|| {
        format!(
            "the agent offers other tools than its configuration makes available ({}): {pattern}it has not loaded that configuration; \
             `toolcrib push trustgraph --reload` makes it load again",
            parts.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::transcript::Transcript,
        model::{entry::FileId, error_kind::ErrorKind},
        syntax::source::{Format, Source},
        systems::read,
    };

    fn dialogue(groups: &[&str]) -> Dialogue {
        dialogue_of(
            groups,
            r#"{"tool": {
            "look": {"type": "knowledge-query", "name": "look", "description": "d", "group": ["a"], "state": "known"},
            "tell": {"type": "text-completion", "name": "tell", "description": "d", "group": ["a"], "applicable-states": ["known"]}}}"#,
        )
    }

    fn dialogue_of(groups: &[&str], text: &str) -> Dialogue {
        let (file, source) = (FileId::new("t.json"), Source::parse(Format::Json, text).unwrap());
        let catalog = read::read_catalog([(&file, &source)], Mode::AsDeployed);
        assert_eq!(catalog.tools.len(), 2);
        let groups = Some(groups.iter().map(|name| (*name).into()).collect());
        let context = Context { groups, ..Context::default() };
        Dialogue::new(catalog, &AgentQuestion { context, ..AgentQuestion::default() })
    }

    fn piece(kind: &str, text: &str, ends: bool) -> String {
        serde_json::json!({"message_type": kind, "content": text, "end_of_message": ends})
            .to_string()
    }

    fn action(tool: &str) -> String {
        let of = |name: &str, value: &str| serde_json::json!({"p": {"i": format!("https://trustgraph.ai/ns/{name}")}, "o": {"v": value}});
        serde_json::json!({"message_type": "explain", "explain_triples": [of("action", tool), of("arguments", "{}")]}).to_string()
    }

    #[test]
    fn a_step_tells_its_state_and_the_tools_that_it_brings() {
        let (mut dialogue, mut transcript) = (dialogue(&["a"]), Transcript::default());
        let mut text = transcript.append_entry(&dialogue.current_state());
        let messages = [
            piece("thought", "I should ", false),
            piece("thought", "look", true),
            action("look"),
            piece("observation", "it is there", false),
            piece("observation", "", true),
            piece("answer", "There", false),
            piece("answer", ".", true),
        ];
        for message in messages {
            for said in dialogue.handle_message(&message) {
                text.push_str(&transcript.append_entry(&said));
            }
        }
        let expected = "state       undefined · 1 available: look\n\nthought     I should look\naction      look {}\n\
                        observation it is there\nstate       known · 2 available: look, tell\n\nanswer      There.\n";
        assert_eq!(text, expected);
        assert!(
            dialogue.handle_message("nonsense").is_empty()
                && dialogue.handle_message("{}").is_empty()
        );
    }

    fn problem(message: &str) -> CallError {
        CallError { kind: ErrorKind::AgentError, message: message.into(), remedy: String::new() }
    }

    fn agent_says(message: &str) -> Overheard {
        Overheard::Failed { part: Failing::Agent, problem: problem(message) }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_seen_on_the_broker_is_compared_with_the_step_that_it_belongs_to() {
        let mut told = dialogue(&["a"]);
        let offered = |steps, tools: &[&str]| Overheard::Offered { steps, tools: names(tools) };
        let said = told.handle_overheard(offered(0, &["look"]));
        assert_eq!(said, [AgentReport::Offered { steps: 0, tools: names(&["look"]) }]);
        // Received before the step that it belongs to.
        assert_eq!(told.handle_overheard(offered(1, &["look", "old"])), []);
        told.handle_message(&action("look"));
        let said = told.handle_message(&piece("observation", "x", true));
        let Some(AgentReport::Note(words)) = said.last() else { panic!("{said:?}") };
        assert!(
            words.contains("(without tell, with old)")
                && words.contains("push trustgraph --reload"),
            "{words}"
        );
    }

    #[test]
    fn a_hidden_tool_that_the_model_calls_is_explained() {
        let hidden = "No action for tell!";
        let mut told = dialogue(&["a"]);
        told.handle_message(&action("tell"));
        let blind = told.explain_failure(problem("hidden by the gateway"));
        assert!(
            blind.message.starts_with(
                "the model called \"tell\", which it doesn't have: it is hidden in undefined"
            ),
            "{blind:?}"
        );
        assert!(
            blind.message.contains("available in known, not in undefined")
                && blind.remedy.contains("call look first"),
            "{blind:?}"
        );
        told.handle_overheard(agent_says(hidden));
        let seen = told.explain_failure(problem("hidden by the gateway"));
        assert!(
            told.knows_why() && seen.message.contains("(it says: No action for tell!)"),
            "{seen:?}"
        );
        told.handle_overheard(agent_says("something else"));
        assert_eq!(told.explain_failure(problem("?")).message, "the agent failed: something else");

        let mut misspelt = dialogue(&["a"]);
        misspelt.handle_message(&action("lok"));
        assert!(
            misspelt
                .explain_failure(problem("?"))
                .message
                .contains("no tool has that name; the nearest is \"look\"")
        );
        let mut stale = dialogue(&["a"]);
        stale.handle_overheard(Overheard::Offered { steps: 0, tools: Vec::new() });
        stale.handle_message(&action("look"));
        let words = stale.explain_failure(problem("?"));
        assert!(
            words.message.contains("the agent has not loaded it")
                && words.remedy.contains("--reload"),
            "{words:?}"
        );
        let mut fine = dialogue(&["a"]);
        fine.handle_message(&action("look"));
        assert_eq!(fine.explain_failure(problem("?")), problem("?"));
    }

    #[test]
    fn the_limit_of_steps_is_named_as_a_guess_or_as_what_was_heard() {
        let mut told = dialogue(&["a"]);
        for _ in 0..MOST_STEPS {
            assert_eq!(told.explain_failure(problem("?")), problem("?"));
            told.handle_message(&action("look"));
            told.handle_message(&piece("observation", "x", true));
        }
        let guessed = told.explain_failure(problem("?")).message;
        assert_eq!(
            guessed,
            "most likely the agent stopped after 10 steps without an answer (Too many agent iterations)"
        );
        told.handle_overheard(agent_says(TOO_MANY_STEPS));
        let heard = told.explain_failure(problem("?"));
        assert!(
            heard.message.starts_with("the agent stopped after 10 steps")
                && heard.remedy.contains("--max-iterations"),
            "{heard:?}"
        );
    }

    #[test]
    fn the_part_that_fails_first_is_named() {
        let mut told = dialogue(&["a"]);
        told.handle_overheard(Overheard::Failed {
            part: Failing::Prompt,
            problem: problem("the model is out"),
        });
        told.handle_overheard(agent_says("the model is out"));
        assert_eq!(
            told.explain_failure(problem("?")).message,
            "the prompt service or the language model behind it failed: the model is out"
        );
    }

    #[test]
    fn a_plan_never_moves_the_state() {
        let catalog = dialogue(&["a"]).tools;
        let asked = AgentQuestion {
            pattern: Some(PLAN.into()),
            context: dialogue(&["a"]).context,
            ..AgentQuestion::default()
        };
        let mut told = Dialogue::new(catalog, &asked);
        told.handle_message(&action("look"));
        let said = told.handle_message(&piece("observation", "x", true));
        assert_eq!(
            said.last(),
            Some(&AgentReport::State { state: "undefined".into(), available: names(&["look"]) })
        );
    }

    #[test]
    fn a_set_that_is_refused_forecasts_no_tool() {
        let text = r#"{"tool": {"a": {"type": "text-completion", "name": "a"}, "b": {"type": "nothing", "name": "b"}}}"#;
        let refused = dialogue_of(&["*"], text);
        assert_eq!(
            refused.current_state(),
            AgentReport::State { state: "undefined".into(), available: Vec::new() }
        );
        assert!(refused.warnings()[0].starts_with("0 tools"), "{:?}", refused.warnings());
    }

    #[test]
    fn of_a_name_the_last_tool_counts_in_the_place_of_the_first() {
        let text = r#"{"tool": {"b": {"type": "text-completion", "name": "x", "state": "moved"},
            "a": {"type": "text-completion", "name": "x", "state": "stuck"}}}"#;
        let mut told = dialogue_of(&["*"], text);
        assert_eq!(
            told.current_state(),
            AgentReport::State { state: "undefined".into(), available: vec!["x".into()] }
        );
        told.handle_message(&action("x"));
        let said = told.handle_message(&piece("observation", "done", true));
        assert!(
            matches!(said.last(), Some(AgentReport::State { state, .. }) if state == "moved"),
            "{said:?}"
        );
        let mute = dialogue_of(
            &["*"],
            r#"{"tool": {"a": {"type": "text-completion"}, "b": {"type": "text-completion", "name": "b"}}}"#,
        );
        assert!(mute.warnings()[0].starts_with("a has no name"), "{:?}", mute.warnings());
    }

    #[test]
    fn what_is_known_of_an_error_is_noted_and_no_tools_are_warned_of() {
        let mut told = dialogue(&["a"]);
        let said = told.handle_message(&piece(
            "observation",
            "ToolServiceClient() takes no arguments",
            true,
        ));
        assert!(
            matches!(&said[1], AgentReport::Note(words) if words.contains("cannot call tool services")),
            "{said:?}"
        );
        let said = dialogue(&["a"]).handle_message(&piece(
            "observation",
            "Error executing tool echo: no",
            true,
        ));
        assert!(
            matches!(&said[1], AgentReport::Note(words) if words.contains("the MCP tool itself failed")),
            "{said:?}"
        );
        assert!(told.warnings().is_empty());
        let warnings = dialogue(&["b"]).warnings();
        assert!(
            warnings[0].contains("no tool there is in b") && warnings[1].starts_with("0 tools"),
            "{warnings:?}"
        );
    }
}
