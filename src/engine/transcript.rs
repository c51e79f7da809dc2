//! What an agent says, as a text that grows: each part under its name.

use crate::model::agent::{AgentOutput, AgentReport, Part};

/// What the model was seen to be offered, in one line.
#[must_use]
pub(crate) fn offered_words(tools: &[String]) -> String {
    let names = if tools.is_empty() { "none".to_owned() } else { tools.join(", ") };
    format!("{} seen on the broker: {names}", tools.len())
}

/// The state and the tools in one line.
#[must_use]
pub(crate) fn state_words(state: &str, available: &[String]) -> String {
    let tools = if available.is_empty() { "none".to_owned() } else { available.join(", ") };
    format!("{state} · {} available: {tools}", available.len())
}

/// A dialogue as a text that grows.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// The part whose line is not ended.
    open: Option<Part>,
}

impl Transcript {
    /// What the text grows by.
    pub fn append_entry(&mut self, said: &AgentReport) -> String {
        match said {
            AgentReport::Told(AgentOutput::Text { part, text, ends }) => {
                self.append_text(*part, text, *ends)
            }
            AgentReport::Told(AgentOutput::Action { tool, arguments }) => {
                self.append_line("action", &format!("{tool} {arguments}"))
            }
            AgentReport::Note(words) => self.append_line("note", words),
            AgentReport::Offered { tools, .. } => {
                self.append_line("offered", &offered_words(tools))
            }
            AgentReport::State { state, available } => {
                self.append_line("state", &state_words(state, available)) + "\n"
            }
        }
    }

    fn append_text(&mut self, part: Part, text: &str, ends: bool) -> String {
        let mut grown = String::new();
        if self.open != Some(part) {
            if text.is_empty() {
                return grown;
            }
            grown = self.append_label(part.as_str());
            self.open = Some(part);
        }
        grown.push_str(text);
        if ends {
            self.open = None;
            grown.push('\n');
        }
        grown
    }

    fn append_line(&mut self, label: &str, text: &str) -> String {
        self.append_label(label) + text + "\n"
    }

    fn append_label(&mut self, label: &str) -> String {
        let end = if self.open.take().is_some() { "\n" } else { "" };
        format!("{end}{label:<12}")
    }
}
