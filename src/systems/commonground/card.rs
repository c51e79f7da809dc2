//! Cards: call and result, as the store keeps them and as the API gives them; what their contents must hold, and which labels are copied.

use serde_json::{Map, Value, json};

pub const CALL: &str = "tool.call";
pub const RESULT: &str = "tool.result";
/// The member that names the class of a stored card's content; the API leaves it out.
const TAG: &str = "__type__";
const CALL_CONTENT: &str = "ToolCallContent";
const RESULT_CONTENT: &str = "ToolResultContent";

/// A card in the one shape that both spellings are read into.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    pub id: String,
    pub project_id: String,
    /// `tool.call`, `tool.result`, …
    pub kind: String,
    pub author_id: String,
    pub tool_call_id: String,
    pub created_at: String,
    /// With the tag of its class, which the kind gives where the API left it out.
    pub content: Value,
    /// Everything beside the content that was written about it.
    pub labels: Map<String, Value>,
}

impl Card {
    /// Reads a card from the API or from the store; `None` where it is none.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let labels = value["metadata"].as_object().cloned().unwrap_or_default();
        let text = |member: &Value| member.as_str().map(str::to_owned);
        let label = |name: &str| labels.get(name).and_then(text);
        let own_or_label = |name: &str| text(&value[name]).or_else(|| label(name)).unwrap_or_default();
        let kind = own_or_label("type");
        let mut content = value["content"].clone();
        if let (Some(members), Some(tag)) = (content.as_object_mut(), tag_of(&kind)) {
            members.entry(TAG).or_insert_with(|| tag.into());
        }
        Some(Self {
            id: text(&value["card_id"])?,
            project_id: text(&value["project_id"]).or_else(|| text(&value["tenant_id"])).unwrap_or_default(),
            author_id: own_or_label("author_id"),
            tool_call_id: own_or_label("tool_call_id"),
            created_at: own_or_label("created_at"),
            kind,
            content,
            labels,
        })
    }

    /// A label's text.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.get(name).and_then(Value::as_str)
    }

    /// The labels as the store keeps them: what it is, whose, and since when beside what was written about it.
    #[must_use]
    pub fn stored_labels(&self, created_at: &str) -> Value {
        let mut labels = self.labels.clone();
        for (name, value) in [
            ("type", self.kind.as_str()),
            ("project_id", &self.project_id),
            ("author_id", &self.author_id),
            ("created_at", created_at),
        ] {
            labels.insert(name.into(), value.into());
        }
        labels.into()
    }

    /// The tool that a call is for, or that a result is of.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.content["tool_name"].as_str().or_else(|| self.label("function_name"))
    }

    #[must_use]
    pub fn holds_call(&self) -> bool {
        self.content[TAG] == CALL_CONTENT
    }

    #[must_use]
    pub fn holds_result(&self) -> bool {
        self.content[TAG] == RESULT_CONTENT
    }
}

fn tag_of(kind: &str) -> Option<&'static str> {
    match kind {
        CALL => Some(CALL_CONTENT),
        RESULT => Some(RESULT_CONTENT),
        _ => None,
    }
}

/// The content of a call's card, as stored.
#[must_use]
pub fn call_content(tool: &str, arguments: &Map<String, Value>, target_subject: Option<&str>) -> Value {
    let mut content = json!({TAG: CALL_CONTENT, "tool_name": tool, "arguments": arguments, "status": "called"});
    if let Some(subject) = target_subject {
        content["target_subject"] = subject.into();
    }
    content
}

/// The content of a result's card with its tag, as stored.
#[must_use]
pub fn tagged_result(content: &Value) -> Value {
    let mut tagged = json!({TAG: RESULT_CONTENT});
    if let (Some(into), Some(members)) = (tagged.as_object_mut(), content.as_object()) {
        into.extend(members.clone());
    }
    tagged
}

/// Why the store refuses a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentFault {
    NoTag,
    /// A member is missing, of another type, or too many.
    Field(&'static str),
    AfterExecution,
    ErrorForbidden,
    ErrorRequired,
    ErrorIncomplete,
}

impl ContentFault {
    /// A short stable word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NoTag => "no_type_tag",
            Self::Field(_) => "field",
            Self::AfterExecution => "after_execution",
            Self::ErrorForbidden => "error_forbidden",
            Self::ErrorRequired => "error_required",
            Self::ErrorIncomplete => "error_incomplete",
        }
    }

    /// What is wrong, for people.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::NoTag => format!("the content has no \"{TAG}\", so nothing tells what it is"),
            Self::Field(name) => format!("\"{name}\" is missing, of another type, or one that the content may not have"),
            Self::AfterExecution => "\"after_execution\" is neither \"suspend\" nor \"terminate\"".into(),
            Self::ErrorForbidden => "a success must not have an \"error\"".into(),
            Self::ErrorRequired => "what did not succeed must have an \"error\"".into(),
            Self::ErrorIncomplete => "\"error\" needs a \"code\" and a \"message\" that are not empty".into(),
        }
    }
}

/// What the store says about a content; contents other than a call's and a result's pass.
#[must_use]
pub fn content_fault(content: &Value) -> Option<ContentFault> {
    match content[TAG].as_str() {
        None => Some(ContentFault::NoTag),
        Some(CALL_CONTENT) => call_fault(content),
        Some(RESULT_CONTENT) => result_fault(content),
        Some(_) => None,
    }
}

fn call_fault(content: &Value) -> Option<ContentFault> {
    if !content["tool_name"].is_string() {
        return Some(ContentFault::Field("tool_name"));
    }
    if !content["arguments"].is_object() {
        return Some(ContentFault::Field("arguments"));
    }
    if !content["status"].is_string() {
        return Some(ContentFault::Field("status"));
    }
    if !(content["target_subject"].is_string() || content["target_subject"].is_null()) {
        return Some(ContentFault::Field("target_subject"));
    }
    let known = [TAG, "tool_name", "arguments", "status", "target_subject"];
    content.as_object()?.keys().any(|name| !known.contains(&name.as_str())).then_some(ContentFault::Field("a member of its own"))
}

fn result_fault(content: &Value) -> Option<ContentFault> {
    let Some(status) = content["status"].as_str().map(str::trim).filter(|status| !status.is_empty()) else {
        return Some(ContentFault::Field("status"));
    };
    match &content["after_execution"] {
        Value::String(word) if matches!(word.as_str(), "suspend" | "terminate") => {}
        Value::String(_) => return Some(ContentFault::AfterExecution),
        _ => return Some(ContentFault::Field("after_execution")),
    }
    let error = &content["error"];
    if status == "success" {
        return (!error.is_null()).then_some(ContentFault::ErrorForbidden);
    }
    if !error.is_object() {
        return Some(ContentFault::ErrorRequired);
    }
    let filled = |name: &str| error[name].as_str().is_some_and(|text| !text.trim().is_empty());
    (!(filled("code") && filled("message"))).then_some(ContentFault::ErrorIncomplete)
}

/// A label of a call's card beside the one that the result's card should have copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    pub label: &'static str,
    pub call: Option<String>,
    pub result: Option<String>,
}

impl Copied {
    /// Whether the result has what the call has. A parent step that the call lacks may come from the message.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.call == self.result || (self.label == "parent_step_id" && self.call.is_none())
    }
}

/// The labels that lead from a result back to its call; lineage breaks where one was not copied.
#[must_use]
pub fn copied(call: &Card, result: &Card) -> Vec<Copied> {
    let labels = ["agent_turn_id", "step_id", "trace_id", "parent_step_id"];
    let own = |card: &Card, label: &str| card.label(label).map(str::to_owned);
    let call_id = |card: &Card| (!card.tool_call_id.is_empty()).then(|| card.tool_call_id.clone());
    let mut rows = vec![Copied { label: "tool_call_id", call: call_id(call), result: call_id(result) }];
    rows.extend(labels.map(|label| Copied { label, call: own(call, label), result: own(result, label) }));
    let function = own(result, "function_name");
    rows.push(Copied { label: "function_name", call: call.tool().map(str::to_owned), result: function });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_read_the_same() {
        let labels = json!({"type": RESULT, "author_id": "tool.lamp", "created_at": "t", "tool_call_id": "c", "step_id": "s"});
        let content = json!({"status": "success", "after_execution": "suspend", "result": 1, "error": null});
        let stored = json!({"card_id": "r", "tenant_id": "p", "tool_call_id": "c", "content": tagged_result(&content), "metadata": labels});
        let given = json!({"card_id": "r", "project_id": "p", "type": RESULT, "author_id": "tool.lamp", "created_at": "t",
            "tool_call_id": "c", "content": content, "metadata": labels});
        let card = Card::read(&stored).unwrap();
        assert_eq!(Card::read(&given).unwrap(), card);
        assert!(card.holds_result() && content_fault(&card.content).is_none());
    }

    #[test]
    fn labels_that_were_not_copied_are_seen() {
        let card = |labels: Value, content: Value| Card {
            tool_call_id: "c".into(),
            content,
            labels: labels.as_object().cloned().unwrap(),
            ..Card::default()
        };
        let call = card(json!({"step_id": "s", "trace_id": "t", "agent_turn_id": "u"}), json!({"tool_name": "lamp"}));
        let result = card(
            json!({"step_id": "s", "trace_id": "x", "agent_turn_id": "u", "function_name": "lamp", "parent_step_id": "p"}),
            json!({}),
        );
        let broken: Vec<_> = copied(&call, &result).into_iter().filter(|row| !row.holds()).map(|row| row.label).collect();
        assert_eq!(broken, ["trace_id"]);
    }
}
