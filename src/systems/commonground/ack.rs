//! What the UI worker acknowledges of actions.

use serde_json::Value;

/// An acknowledgement of the UI worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ack {
    pub action: String,
    pub agent: String,
    pub status: String,
    pub card: Option<String>,
    pub code: Option<String>,
    pub error: Option<String>,
}

impl Ack {
    /// Reads one; a body without an action's id is none.
    #[must_use]
    pub fn from_value(body: &Value) -> Option<Self> {
        let text =
            |name: &str| body[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        Some(Self {
            action: text("action_id")?,
            agent: text("agent_id").unwrap_or_default(),
            status: text("status").unwrap_or_default(),
            card: text("tool_result_card_id"),
            code: text("error_code"),
            error: text("error"),
        })
    }

    /// Whether nothing follows it. With a result card it is the last, whatever its status: a tool's
    /// result may bring a status of its own.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.card.is_some() || self.status != "accepted"
    }

    /// Whether it says that something went wrong.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match &self.card {
            Some(_) => self.code.is_some() || self.error.is_some() || self.status == "rejected",
            None => !matches!(self.status.as_str(), "accepted" | "done"),
        }
    }

    fn is_busy(&self) -> bool {
        self.card.is_none() && self.status == "busy"
    }
}

/// What an agent does, as the acknowledgements show that the UI worker sent for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentActivity<'a> {
    /// This action is under way.
    With(&'a str),
    /// This action leased a turn, was refused after that, and nobody ends the turn.
    Wedged(&'a str),
    Unknown,
}

/// What keeps an agent busy; `acks` has the oldest first. Those that say "busy" changed nothing.
#[must_use]
pub(crate) fn agent_engagement<'a>(acks: &'a [Ack], agent: &str) -> AgentActivity<'a> {
    match acks.iter().rev().find(|ack| ack.agent == agent && !ack.is_busy()) {
        Some(ack) if !ack.is_final() => AgentActivity::With(&ack.action),
        Some(ack) if ack.card.is_none() && ack.code.as_deref() == Some("protocol_violation") => {
            AgentActivity::Wedged(&ack.action)
        }
        _ => AgentActivity::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_acknowledgement_with_a_card_is_the_last_whatever_its_status() {
        let read = |body: Value| Ack::from_value(&body).unwrap();
        for (status, code, failure) in [
            ("accepted", None, false),
            ("busy", None, false),
            ("done", None, false),
            ("busy", Some("agent_busy"), true),
            ("rejected", None, true),
        ] {
            let ack = read(
                json!({"action_id": "a", "status": status, "error_code": code, "tool_result_card_id": "card"}),
            );
            assert_eq!((ack.is_final(), ack.is_failure()), (true, failure), "{ack:?}");
        }
        for (status, last, failure) in [
            ("accepted", false, false),
            ("busy", true, true),
            ("rejected", true, true),
            ("done", true, false),
        ] {
            let ack =
                read(json!({"action_id": "a", "status": status, "tool_result_card_id": null}));
            assert_eq!((ack.is_final(), ack.is_failure()), (last, failure), "{ack:?}");
        }
    }

    #[test]
    fn what_keeps_an_agent_busy_shows_in_its_acknowledgements() {
        let ack = |action: &str, status: &str, code: Option<&str>, card: Option<&str>| {
            let body = json!({"action_id": action, "agent_id": "ui_1", "status": status, "error_code": code, "tool_result_card_id": card});
            Ack::from_value(&body).unwrap()
        };
        let (began, ended) =
            (ack("used", "accepted", None, None), ack("used", "done", None, Some("c")));
        let twice = ack("used", "rejected", Some("protocol_violation"), None);
        let busy = ack("next", "busy", Some("agent_busy"), None);
        let of = |acks: &[&Ack]| {
            let acks: Vec<Ack> = acks.iter().map(|ack| (*ack).clone()).collect();
            format!("{:?}", agent_engagement(&acks, "ui_1"))
        };
        assert_eq!(of(&[&began, &busy]), "With(\"used\")");
        assert_eq!(of(&[&began, &ended, &busy]), "Unknown");
        assert_eq!(of(&[&began, &ended, &twice, &busy]), "Wedged(\"used\")");
        let refused = ack("used", "rejected", Some("protocol_violation"), Some("c"));
        assert_eq!(of(&[&began, &refused]), "Unknown", "a result that says so wedges nothing");
        assert_eq!(agent_engagement(&[twice], "ui_2"), AgentActivity::Unknown);
    }
}
