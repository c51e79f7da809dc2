//! Cards: call and result, as the store keeps them and as the API gives them; what their contents
//! must hold, and which labels are copied.

mod class;

use class::{CALL_CONTENT, RESULT_CONTENT, TAG};
use serde_json::{Map, Value, json};

use super::after::AfterExecution;
use crate::syntax::python::text as python;

pub(crate) const CALL: &str = "tool.call";
pub(crate) const RESULT: &str = "tool.result";

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
    pub fn from_value(value: &Value) -> Option<Self> {
        let labels = value["metadata"].as_object().cloned().unwrap_or_default();
        let text = |member: &Value| member.as_str().map(str::to_owned);
        let label = |name: &str| labels.get(name).and_then(text);
        let own_or_label = |name: &str| {
            text(&value[name])
                .filter(|own| !own.is_empty())
                .or_else(|| label(name))
                .unwrap_or_default()
        };
        let kind = text(&value["type"]).unwrap_or_else(|| kind_of(&labels));
        let mut content = value["content"].clone();
        if let (Some(members), Some(tag)) = (content.as_object_mut(), tag_of(&kind)) {
            members.entry(TAG).or_insert_with(|| tag.into());
        }
        Some(Self {
            id: text(&value["card_id"])?,
            project_id: text(&value["project_id"])
                .or_else(|| text(&value["tenant_id"]))
                .unwrap_or_default(),
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

    /// The labels as the store keeps them: what it is, whose, and since when beside what was
    /// written about it.
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
    pub fn tool_name(&self) -> Option<&str> {
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

/// The kind that the labels give, as CommonGround reads them.
fn kind_of(labels: &Map<String, Value>) -> String {
    ["type", "semantic_type"]
        .into_iter()
        .find_map(|name| labels.get(name))
        .map_or_else(|| UNKNOWN.into(), python::str)
}

/// The kind of a card whose labels have none.
const UNKNOWN: &str = "unknown";

fn tag_of(kind: &str) -> Option<&'static str> {
    match kind {
        CALL => Some(CALL_CONTENT),
        RESULT => Some(RESULT_CONTENT),
        _ => None,
    }
}

/// The content of a call's card, as stored.
#[must_use]
pub(crate) fn call_content(
    tool: &str,
    arguments: &Map<String, Value>,
    target_subject: Option<&str>,
) -> Value {
    let mut content =
        json!({TAG: CALL_CONTENT, "tool_name": tool, "arguments": arguments, "status": "called"});
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
    UnknownTag,
    /// A member is missing, of another type, or too many.
    Field(&'static str),
    /// A blank status.
    Status,
    AfterExecution,
    ErrorForbidden,
    ErrorRequired,
    ErrorIncomplete,
}

impl ContentFault {
    /// A short stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoTag => "no_type_tag",
            Self::UnknownTag => "unknown_type",
            Self::Field(_) => "field",
            Self::Status => "status",
            Self::AfterExecution => "after_execution",
            Self::ErrorForbidden => "error_forbidden",
            Self::ErrorRequired => "error_required",
            Self::ErrorIncomplete => "error_incomplete",
        }
    }

    /// What is wrong, for people.
    #[must_use]
    pub fn message(self) -> String {
        match self {
            Self::NoTag => format!("the content has no \"{TAG}\", so its type is unknown"),
            Self::UnknownTag => format!("\"{TAG}\" isn't a known class of content"),
            Self::Status => "\"status\" is blank".into(),
            Self::Field(name) => format!(
                "\"{name}\" is missing, has the wrong type, or isn't allowed in the content"
            ),
            Self::AfterExecution => {
                "\"after_execution\" is neither \"suspend\" nor \"terminate\"".into()
            }
            Self::ErrorForbidden => "a success must not have an \"error\"".into(),
            Self::ErrorRequired => "everything but a success must have an \"error\"".into(),
            Self::ErrorIncomplete => {
                "\"error\" needs a \"code\" and a \"message\" that are not empty".into()
            }
        }
    }
}

/// What the store says about a content.
#[must_use]
pub fn content_fault(content: &Value) -> Option<ContentFault> {
    let Some(tag) = content.get(TAG) else { return Some(ContentFault::NoTag) };
    let Some(class) = tag.as_str().and_then(class::find_class) else {
        return Some(ContentFault::UnknownTag);
    };
    if let Some(name) = class.fault(content) {
        return Some(ContentFault::Field(name));
    }
    if class.name == RESULT_CONTENT { result_fault(content) } else { None }
}

fn result_fault(content: &Value) -> Option<ContentFault> {
    let status = python::strip(content["status"].as_str().unwrap_or_default());
    if status.is_empty() {
        return Some(ContentFault::Status);
    }
    if AfterExecution::from_value(&content["after_execution"]).is_none() {
        return Some(ContentFault::AfterExecution);
    }
    let error = &content["error"];
    if status == "success" {
        return (!error.is_null()).then_some(ContentFault::ErrorForbidden);
    }
    if !error.is_object() {
        return Some(ContentFault::ErrorRequired);
    }
    let filled = |name: &str| error.get(name).is_some_and(python::is_true);
    (!(filled("code") && filled("message"))).then_some(ContentFault::ErrorIncomplete)
}

/// A label of a call's card beside the one that the result's card should have copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Copied {
    pub label: &'static str,
    pub call: Option<String>,
    pub result: Option<String>,
}

impl Copied {
    /// Whether the result has what the call has. A parent step that the call lacks may come from
    /// the message.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        self.call == self.result || (self.label == "parent_step_id" && self.call.is_none())
    }
}

/// The labels that lead from a result back to its call; lineage breaks where one was not copied.
#[must_use]
pub(crate) fn copied_labels(call: &Card, result: &Card) -> Vec<Copied> {
    let labels = ["agent_turn_id", "step_id", "trace_id", "parent_step_id"];
    let own = |card: &Card, label: &str| card.label(label).map(str::to_owned);
    let call_id = |card: &Card| (!card.tool_call_id.is_empty()).then(|| card.tool_call_id.clone());
    let mut rows =
        vec![Copied { label: "tool_call_id", call: call_id(call), result: call_id(result) }];
    rows.extend(labels.map(|label| Copied {
        label,
        call: own(call, label),
        result: own(result, label),
    }));
    let function = own(result, "function_name");
    rows.push(Copied {
        label: "function_name",
        call: call.tool_name().map(str::to_owned),
        result: function,
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_read_the_same() {
        let labels = json!({"type": RESULT, "author_id": "tool.lamp", "created_at": "t", "tool_call_id": "c", "step_id": "s"});
        let content =
            json!({"status": "success", "after_execution": "suspend", "result": 1, "error": null});
        let stored = json!({"card_id": "r", "tenant_id": "p", "tool_call_id": "c", "content": tagged_result(&content), "metadata": labels});
        let given = json!({"card_id": "r", "project_id": "p", "type": RESULT, "author_id": "tool.lamp", "created_at": "t",
            "tool_call_id": "c", "content": content, "metadata": labels});
        let card = Card::from_value(&stored).unwrap();
        assert_eq!(Card::from_value(&given).unwrap(), card);
        assert!(card.holds_result() && content_fault(&card.content).is_none());
    }

    #[test]
    fn the_store_knows_its_classes_and_what_they_hold() {
        for (content, word) in [
            (json!({"__type__": "OddContent"}), Some("unknown_type")),
            (json!({"__type__": null}), Some("unknown_type")),
            (json!({"__type__": ["TextContent"]}), Some("unknown_type")),
            (json!(["__type__"]), Some("no_type_tag")),
            (json!({"__type__": "JsonContent", "data": {}}), None),
            (json!({"__type__": "JsonContent", "data": [1]}), None),
            (json!({"__type__": "JsonContent", "data": "text"}), Some("field")),
            (json!({"__type__": "JsonContent", "data": null}), Some("field")),
            (json!({"__type__": "TextContent", "text": "", "more": 1}), Some("field")),
            (json!({"__type__": "ToolContent", "tools": [{}]}), None),
            (json!({"__type__": "ToolContent", "tools": ["a"]}), Some("field")),
            (json!({"__type__": "FieldsSchemaContent", "fields": [{"name": "a"}]}), None),
            (json!({"__type__": "FieldsSchemaContent", "fields": [{"name": " "}]}), Some("field")),
            (json!({"__type__": "TextFileContent", "uri": "s3://b/k", "checksum": "c"}), None),
            (
                json!({"__type__": "TextFileContent", "uri": "file:///k", "checksum": "c"}),
                Some("field"),
            ),
            (
                json!({"__type__": "ToolCallContent", "tool_name": "", "arguments": {}, "status": ""}),
                None,
            ),
            (
                json!({"__type__": "ToolCallContent", "tool_name": "a", "arguments": {}, "status": "", "x": 1}),
                Some("field"),
            ),
        ] {
            assert_eq!(content_fault(&content).map(ContentFault::as_str), word, "{content}");
        }
    }

    #[test]
    fn what_a_result_says_is_trimmed_and_its_error_need_not_be_text() {
        let fault = |status: &str, after: Value, error: Value| {
            let content = json!({"__type__": RESULT_CONTENT, "status": status, "after_execution": after, "error": error});
            content_fault(&content).map(ContentFault::as_str)
        };
        assert_eq!(fault(" success\n", json!(" suspend "), json!(null)), None);
        assert_eq!(fault(" ", json!("suspend"), json!(null)), Some("status"));
        assert_eq!(fault("success", json!(" "), json!(null)), Some("after_execution"));
        assert_eq!(fault("success", json!(null), json!(null)), Some("field"));
        assert_eq!(fault("odd", json!("suspend"), json!({"code": 5, "message": " "})), None);
        assert_eq!(
            fault("odd", json!("suspend"), json!({"code": 0, "message": "m"})),
            Some("error_incomplete")
        );
        assert_eq!(fault("success", json!("suspend"), json!(false)), Some("error_forbidden"));
    }

    #[test]
    fn a_kind_that_no_label_gives_is_unknown() {
        let kind = |labels: Value| {
            Card::from_value(&json!({"card_id": "c", "content": {}, "metadata": labels}))
                .unwrap()
                .kind
        };
        assert_eq!(kind(json!({})), "unknown");
        assert_eq!(kind(json!({"semantic_type": "tool.call"})), CALL);
        assert_eq!(kind(json!({"type": null})), "None");
    }

    #[test]
    fn labels_that_were_not_copied_are_seen() {
        let card = |labels: Value, content: Value| Card {
            tool_call_id: "c".into(),
            content,
            labels: labels.as_object().cloned().unwrap(),
            ..Card::default()
        };
        let call = card(
            json!({"step_id": "s", "trace_id": "t", "agent_turn_id": "u"}),
            json!({"tool_name": "lamp"}),
        );
        let result = card(
            json!({"step_id": "s", "trace_id": "x", "agent_turn_id": "u", "function_name": "lamp", "parent_step_id": "p"}),
            json!({}),
        );
        let broken: Vec<_> = copied_labels(&call, &result)
            .into_iter()
            .filter(|row| !row.is_copied())
            .map(|row| row.label)
            .collect();
        assert_eq!(broken, ["trace_id"]);
    }
}
