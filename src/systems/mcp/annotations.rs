//! The hints that a tool gives of itself, with what holds where it says nothing. They are claims,
//! never permissions.

use serde_json::Value;

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
}
