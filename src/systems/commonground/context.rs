//! Where a call is: the ids that subjects, headers, cards and templates are filled from.

use crate::syntax::python::text as python;

/// The thirteen values that a template can name, three of them undocumented. Empty text counts as
/// no value, but for the turn and the box: CommonGround keeps those as they are, so that an empty
/// one makes its variable vanish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub project_id: String,
    pub channel_id: String,
    pub agent_id: String,
    pub agent_turn_id: Option<String>,
    /// Goes up by one whenever a turn goes on with results; 0 switches the check of it off.
    pub turn_epoch: Option<u64>,
    pub step_id: String,
    pub tool_call_id: String,
    /// 32 hexadecimal digits.
    pub trace_id: String,
    pub parent_step_id: String,
    pub context_box_id: Option<String>,
    pub recursion_depth: Option<u64>,
    pub parent_agent_id: String,
    pub parent_agent_turn_id: String,
}

/// The names that a template may use, those of the guide first.
pub const VARIABLES: [&str; 13] = [
    "project_id",
    "channel_id",
    "agent_id",
    "agent_turn_id",
    "step_id",
    "tool_call_id",
    "parent_step_id",
    "trace_id",
    "turn_epoch",
    "context_box_id",
    "recursion_depth",
    "parent_agent_id",
    "parent_agent_turn_id",
];

/// The same names in the order in which CommonGround fills them in: a value that holds a later
/// variable is filled in once more.
pub(crate) const FILLED_IN_ORDER: [&str; 13] = [
    "project_id",
    "channel_id",
    "agent_id",
    "agent_turn_id",
    "turn_epoch",
    "step_id",
    "tool_call_id",
    "trace_id",
    "recursion_depth",
    "parent_agent_id",
    "parent_agent_turn_id",
    "parent_step_id",
    "context_box_id",
];

/// The channel of whoever names none.
const PUBLIC: &str = "public";

impl Context {
    /// The value of a variable as text; `None` for an unknown name and for one without a value.
    #[must_use]
    pub fn variable_value(&self, variable: &str) -> Option<String> {
        let text = match variable {
            "project_id" => &self.project_id,
            "channel_id" => &self.channel_id,
            "agent_id" => &self.agent_id,
            "agent_turn_id" => return self.agent_turn_id.clone(),
            "context_box_id" => return self.context_box_id.clone(),
            "step_id" => &self.step_id,
            "tool_call_id" => &self.tool_call_id,
            "parent_step_id" => &self.parent_step_id,
            "trace_id" => &self.trace_id,
            "parent_agent_id" => &self.parent_agent_id,
            "parent_agent_turn_id" => &self.parent_agent_turn_id,
            "turn_epoch" => return self.turn_epoch.map(|epoch| epoch.to_string()),
            "recursion_depth" => return self.recursion_depth.map(|depth| depth.to_string()),
            _ => return None,
        };
        (!text.is_empty()).then(|| text.clone())
    }

    /// The turn's id, empty where there is none.
    #[must_use]
    pub fn turn_id(&self) -> &str {
        self.agent_turn_id.as_deref().unwrap_or_default()
    }

    /// The same context with a variable set, for what-ifs; unknown names and numbers that are none
    /// change nothing. Spaces around a value are cut, and a blank channel is the public one, as
    /// CommonGround has it.
    pub fn set_variable(&mut self, variable: &str, text: &str) {
        let whole = text;
        let text = python::strip(text);
        let slot = match variable {
            "project_id" => &mut self.project_id,
            "channel_id" if text.is_empty() => return PUBLIC.clone_into(&mut self.channel_id),
            "channel_id" => &mut self.channel_id,
            "agent_id" => &mut self.agent_id,
            "agent_turn_id" => return self.agent_turn_id = Some(text.to_owned()),
            "context_box_id" => return self.context_box_id = Some(whole.to_owned()),
            "step_id" => &mut self.step_id,
            "tool_call_id" => &mut self.tool_call_id,
            "parent_step_id" => &mut self.parent_step_id,
            "trace_id" => &mut self.trace_id,
            "parent_agent_id" => &mut self.parent_agent_id,
            "parent_agent_turn_id" => &mut self.parent_agent_turn_id,
            "turn_epoch" => return self.turn_epoch = text.parse().ok().or(self.turn_epoch),
            "recursion_depth" => {
                return self.recursion_depth = text.parse().ok().or(self.recursion_depth);
            }
            _ => return,
        };
        text.clone_into(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_can_be_set_and_read_back() {
        let mut context = Context::default();
        for name in VARIABLES {
            assert_eq!(context.variable_value(name), None, "{name}");
            context.set_variable(name, "7");
            assert_eq!(context.variable_value(name).as_deref(), Some("7"), "{name}");
        }
        assert!(FILLED_IN_ORDER.iter().all(|name| VARIABLES.contains(name)));
        let before = context.clone();
        context.set_variable("turn_epoch", "x");
        context.set_variable("nothing", "x");
        assert_eq!(context, before);
    }

    #[test]
    fn values_are_trimmed_and_an_empty_turn_is_a_value() {
        let mut context = Context::default();
        for (name, given, kept) in [
            ("channel_id", " ", Some("public")),
            ("channel_id", " u_7\t", Some("u_7")),
            ("agent_turn_id", "", Some("")),
            ("context_box_id", " ", Some(" ")),
            ("step_id", " ", None),
        ] {
            context.set_variable(name, given);
            assert_eq!(context.variable_value(name).as_deref(), kept, "{name} {given:?}");
        }
    }
}
