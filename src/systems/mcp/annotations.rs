//! The hints that a tool gives of itself, with what holds where it says nothing. They are claims,
//! never permissions.

use serde_json::Value;

use crate::model::tool::ToolEffects;

/// A hint and what it counts as when it is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    pub name: &'static str,
    pub default: bool,
    /// The value under which a tool may do more.
    pub looser: bool,
}

pub const READ_ONLY: Hint = Hint { name: "readOnlyHint", default: false, looser: false };
pub const DESTRUCTIVE: Hint = Hint { name: "destructiveHint", default: true, looser: true };
pub const IDEMPOTENT: Hint = Hint { name: "idempotentHint", default: false, looser: false };
pub const OPEN_WORLD: Hint = Hint { name: "openWorldHint", default: true, looser: true };

/// Every hint, in the order of the specification.
pub const HINTS: [Hint; 4] = [READ_ONLY, DESTRUCTIVE, IDEMPOTENT, OPEN_WORLD];

impl Hint {
    /// What a tool gives for it.
    #[must_use]
    pub fn given_value(self, tool: &Value) -> Option<&Value> {
        tool.get("annotations")?.get(self.name)
    }

    /// What counts.
    #[must_use]
    pub fn effective_value(self, tool: &Value) -> bool {
        self.given_value(tool).and_then(Value::as_bool).unwrap_or(self.default)
    }
}

/// What a tool says that its calls do to the world; what it leaves out counts as not said.
#[must_use]
pub fn tool_effects(tool: &Value) -> ToolEffects {
    let said = |hint: Hint| hint.given_value(tool).and_then(Value::as_bool);
    ToolEffects {
        read_only: said(READ_ONLY) == Some(true),
        destructive: said(DESTRUCTIVE),
        idempotent: said(IDEMPOTENT),
        open_world: said(OPEN_WORLD),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_given_counts_as_the_specification_says() {
        let effective = |tool: &Value| HINTS.map(|hint| hint.effective_value(tool));
        assert_eq!(effective(&json!({})), [false, true, false, true]);
        assert_eq!(
            effective(&json!({"annotations": {"readOnlyHint": "true", "openWorldHint": false}})),
            [false, true, false, false]
        );
    }

    #[test]
    fn effects_are_what_is_said_alone() {
        let words = |hints: Value| tool_effects(&json!({"annotations": hints})).words();
        assert_eq!(tool_effects(&json!({})).words(), Vec::<&str>::new());
        assert_eq!(
            words(json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true})),
            ["read-only"]
        );
        assert_eq!(
            words(json!({"destructiveHint": true, "idempotentHint": false, "openWorldHint": true})),
            ["destructive", "not idempotent", "open world"]
        );
        assert_eq!(
            words(json!({"readOnlyHint": true, "destructiveHint": true})),
            ["read-only", "destructive"]
        );
    }
}
