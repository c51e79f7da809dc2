//! A dialogue with TrustGraph's agent as it is told: what it says, the tools it uses, and where each step leaves the state and the tools.

use serde_json::Value;

use super::agent::{self, Part, Told};
use crate::{
    engine::filter::{available, list, next_state, unknown_groups},
    model::{
        call::Outcome,
        catalog::Catalog,
        context::{Context, Mode},
    },
};

/// What a message comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Told(Told),
    /// What an observation really means.
    Note(&'static str),
    /// Where the step before leads, and the names of the tools that there are now.
    State {
        state: String,
        available: Vec<String>,
    },
}

/// A dialogue as far as it went.
#[derive(Debug)]
pub struct Dialogue {
    tools: Catalog,
    context: Context,
    /// The tool that the agent uses now.
    used: Option<String>,
    observed: String,
}

impl Dialogue {
    /// A dialogue that begins in that context, with the tools as they are configured there.
    #[must_use]
    pub fn new(tools: Catalog, context: Context) -> Self {
        Self { tools, context, used: None, observed: String::new() }
    }

    /// The state now, and the tools that there are in it.
    #[must_use]
    pub fn now(&self) -> Said {
        let name = |row: usize| self.tools.tools[row].name.clone();
        let available = available(&self.tools.tools, &self.context).into_iter().map(name).collect();
        Said::State { state: self.context.state().to_owned(), available }
    }

    /// What is to be warned of before it begins.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let unknown = unknown_groups(&self.tools.tools, &self.context);
        let mut warnings = Vec::new();
        if !unknown.is_empty() {
            warnings.push(format!("no tool there is in {}", list(&unknown)));
        }
        if available(&self.tools.tools, &self.context).is_empty() {
            warnings.push("0 tools: with these groups in this state the agent has none, and answers from itself".into());
        }
        warnings
    }

    /// What the next message of the agent, as JSON, comes to.
    pub fn take(&mut self, message: &str) -> Vec<Said> {
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        let Some(told) = agent::read(&message) else { return Vec::new() };
        let mut said = vec![Said::Told(told.clone())];
        match told {
            Told::Action { tool, .. } => self.used = Some(tool),
            Told::Text { part: Part::Observation, text, ends } => {
                self.observed.push_str(&text);
                if ends {
                    said.extend(self.step());
                }
            }
            Told::Text { .. } => {}
        }
        said
    }

    /// A tool was used: the state moves, whether it failed or not, and other tools may be there.
    fn step(&mut self) -> Vec<Said> {
        let note = agent::explained(&std::mem::take(&mut self.observed)).map(Said::Note);
        let used = self.used.take().and_then(|name| self.tools.tools.iter().find(|tool| tool.name == name));
        if let Some(tool) = used {
            self.context.state = Some(next_state(&tool.gate, self.context.state(), Outcome::Succeeded, Mode::AsDeployed));
        }
        note.into_iter().chain([self.now()]).collect()
    }
}

/// The state and the tools in one line.
#[must_use]
pub fn state_words(state: &str, available: &[String]) -> String {
    let tools = if available.is_empty() { "none".to_owned() } else { available.join(", ") };
    format!("{state} · {} available: {tools}", available.len())
}

/// A dialogue as a text that grows: each part under its name.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The part whose line is not ended.
    open: Option<Part>,
}

impl Transcript {
    /// What the text grows by.
    pub fn write(&mut self, said: &Said) -> String {
        match said {
            Said::Told(Told::Text { part, text, ends }) => self.text(*part, text, *ends),
            Said::Told(Told::Action { tool, arguments }) => self.line("action", &format!("{tool} {arguments}")),
            Said::Note(words) => self.line("note", words),
            Said::State { state, available } => self.line("state", &state_words(state, available)) + "\n",
        }
    }

    fn text(&mut self, part: Part, text: &str, ends: bool) -> String {
        let mut grown = String::new();
        if self.open != Some(part) {
            if text.is_empty() {
                return grown;
            }
            grown = self.label(part.word());
            self.open = Some(part);
        }
        grown.push_str(text);
        if ends {
            self.open = None;
            grown.push('\n');
        }
        grown
    }

    fn line(&mut self, label: &str, text: &str) -> String {
        self.label(label) + text + "\n"
    }

    fn label(&mut self, label: &str) -> String {
        let end = if self.open.take().is_some() { "\n" } else { "" };
        format!("{end}{label:<12}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::FileId,
        syntax::source::{Format, Source},
        systems::read,
    };

    fn dialogue(groups: &[&str]) -> Dialogue {
        let text = r#"{"tool": {
            "look": {"type": "knowledge-query", "name": "look", "description": "d", "group": ["a"], "state": "known"},
            "tell": {"type": "text-completion", "name": "tell", "description": "d", "group": ["a"], "applicable-states": ["known"]}}}"#;
        let (file, source) = (FileId::new("t.json"), Source::parse(Format::Json, text).unwrap());
        let catalog = read::catalog([(&file, &source)], Mode::AsDeployed);
        assert_eq!(catalog.tools.len(), 2);
        let groups = Some(groups.iter().map(|name| (*name).into()).collect());
        Dialogue::new(catalog, Context { groups, ..Context::default() })
    }

    fn piece(kind: &str, text: &str, ends: bool) -> String {
        serde_json::json!({"message_type": kind, "content": text, "end_of_message": ends}).to_string()
    }

    fn action(tool: &str) -> String {
        let of = |name: &str, value: &str| serde_json::json!({"p": {"i": format!("https://trustgraph.ai/ns/{name}")}, "o": {"v": value}});
        serde_json::json!({"message_type": "explain", "explain_triples": [of("action", tool), of("arguments", "{}")]}).to_string()
    }

    #[test]
    fn a_step_tells_its_state_and_the_tools_that_it_brings() {
        let (mut dialogue, mut transcript) = (dialogue(&["a"]), Transcript::default());
        let mut text = transcript.write(&dialogue.now());
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
            for said in dialogue.take(&message) {
                text.push_str(&transcript.write(&said));
            }
        }
        let expected = "state       undefined · 1 available: look\n\nthought     I should look\naction      look {}\n\
                        observation it is there\nstate       known · 2 available: look, tell\n\nanswer      There.\n";
        assert_eq!(text, expected);
        assert!(dialogue.take("nonsense").is_empty() && dialogue.take("{}").is_empty());
    }

    #[test]
    fn what_is_known_of_an_error_is_noted_and_no_tools_are_warned_of() {
        let mut told = dialogue(&["a"]);
        let said = told.take(&piece("observation", "ToolServiceClient() takes no arguments", true));
        assert!(matches!(said[1], Said::Note(words) if words.contains("cannot call tool services")), "{said:?}");
        assert!(told.warnings().is_empty());
        let warnings = dialogue(&["b"]).warnings();
        assert!(warnings[0].contains("no tool there is in b") && warnings[1].starts_with("0 tools"), "{warnings:?}");
    }
}
