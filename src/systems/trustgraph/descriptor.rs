//! Reads entries as tools and services, leniently: what cannot be read is a finding elsewhere, and
//! closes a gate rather than opening it.

use serde_json::{Map, Value, json};

use super::{keys, load, types};
use crate::{
    model::{
        context::{ANY, Mode, Name},
        entry::{Entry, EntryKind},
        service::Service,
        tool::{Gate, GateKeys, States, Tool},
    },
    schema::pointer::Pointer,
    systems::system::Reference,
};

/// The tool that an entry describes under the rules of a mode.
#[must_use]
pub(crate) fn read_tool(entry: &Entry, mode: Mode) -> Tool {
    let value = &*entry.value;
    let kind = text_member(value, keys::TYPE).unwrap_or_default();
    Tool {
        name: text_member(value, keys::NAME)
            .filter(|name| !name.is_empty())
            .unwrap_or(&entry.key)
            .to_owned(),
        name_key: keys::NAME,
        kind: kind.to_owned(),
        description: text_member(value, keys::DESCRIPTION).unwrap_or_default().to_owned(),
        service: answered_by(value, kind, mode).map(str::to_owned),
        gate: read_gate(value, mode),
        keys: GateKeys { groups: keys::GROUP, states: states_key(value, mode), next: keys::STATE },
        gate_table: None,
        known: None,
        entry: entry.clone(),
    }
}

/// Why the agent fails every request that offers the tool: it puts the names of all tools into one
/// text.
#[must_use]
pub(crate) fn request_failure(tool: &Tool) -> Option<String> {
    let what = match tool.entry.value.get(keys::NAME) {
        Some(Value::String(_)) => return None,
        None | Some(Value::Null) => "no name",
        Some(_) => "a name that is not a text",
    };
    Some(format!(
        "{} has {what}: TrustGraph's agent fails every request that offers it",
        tool.entry.key
    ))
}

/// The key of the service or server that a tool of a type names.
fn answered_by<'v>(value: &'v Value, kind: &str, mode: Mode) -> Option<&'v str> {
    let (_, fields) = reference_keys(kind)?;
    let document = |key: &&str| mode == Mode::Document || *key != keys::MCP_TOOL_DOCUMENT;
    fields.iter().copied().filter(document).find_map(|key| text_member(value, key))
}

/// What a tool of a type refers to, and the members that may name it, the first that is there
/// counting.
fn reference_keys(kind: &str) -> Option<(EntryKind, &'static [&'static str])> {
    match kind {
        "tool-service" => Some((EntryKind::Service, &[keys::SERVICE])),
        "mcp-tool" => Some((EntryKind::Server, &[keys::MCP_TOOL, keys::MCP_TOOL_DOCUMENT])),
        _ => None,
    }
}

/// The id of a service alone in its file, which is its key.
#[must_use]
pub(crate) fn key_at(entry: &Entry) -> Option<Pointer> {
    let own = entry.kind == EntryKind::Service && entry.id.place().at.is_root();
    (own && text_member(&entry.value, keys::ID) == Some(&entry.key))
        .then(|| Pointer::root().child(keys::ID))
}

/// What a tool names to answer for it, and where.
#[must_use]
pub(crate) fn tool_reference(tool: &Tool) -> Option<Reference> {
    let (kind, fields) = reference_keys(&tool.kind)?;
    let key = tool.service.clone()?;
    let at = fields.iter().find(|field| text_member(&tool.entry.value, field) == Some(&key))?;
    Some(Reference { kind, key, at: Pointer::root().child(*at) })
}

/// When a tool's value makes it available, and where it leads.
///
/// The deployed code reads only `applicable-states`; in document mode `available_in_states` counts
/// where that is not given. A member that is there and `null` is no list and names nothing: it
/// closes the gate, as in TrustGraph's filter.
#[must_use]
pub fn read_gate(value: &Value, mode: Mode) -> Gate {
    Gate {
        groups: value.get(keys::GROUP).map(name_list),
        states: match value.get(states_key(value, mode)).map(name_list) {
            None => States::Every,
            Some(listed) if listed.iter().any(|state| &**state == ANY) => States::Every,
            Some(listed) => States::Only(listed),
        },
        next: text_member(value, keys::STATE).filter(|state| !state.is_empty()).map(Name::from),
        ..Gate::open()
    }
}

/// The key that a tool's states are read from in a mode; where it has none, the one to write them
/// under.
#[must_use]
pub(crate) fn states_key(value: &Value, mode: Mode) -> &'static str {
    let given = |key| value.get(key).is_some_and(|member| !member.is_null());
    match mode {
        Mode::Document
            if value.get(keys::STATES_DOCUMENT).is_some() && !given(keys::STATES_DEPLOYED) =>
        {
            keys::STATES_DOCUMENT
        }
        _ => keys::STATES_DEPLOYED,
    }
}

/// A bare text is a list of one, as the filter takes it; what is no text names nothing.
fn name_list(value: &Value) -> Vec<Name> {
    match value {
        Value::String(one) => vec![one.as_str().into()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(Name::from).collect(),
        _ => Vec::new(),
    }
}

/// The service that an entry describes. In document mode its `id` also finds it.
#[must_use]
pub(crate) fn read_service(entry: &Entry, mode: Mode) -> Service {
    let value = &*entry.value;
    Service {
        request_queue: text_member(value, keys::REQUEST_QUEUE).map(str::to_owned),
        response_queue: text_member(value, keys::RESPONSE_QUEUE).map(str::to_owned),
        parameters: load::service_parameters(value),
        alias: match mode {
            Mode::Document => {
                text_member(value, keys::ID).filter(|id| *id != entry.key).map(str::to_owned)
            }
            Mode::AsDeployed => None,
        },
        entry: entry.clone(),
    }
}

/// What a model gives to a tool, as a JSON Schema: the tool's own where it has one, else made from
/// the list.
#[must_use]
pub(crate) fn arguments_schema(value: &Value, kind: &str) -> Value {
    let mut properties = Map::new();
    match (types::by_name(kind).map(|of| of.arguments), value.get(keys::ARGUMENTS_SCHEMA)) {
        (Some(types::Arguments::Fixed { name, about }), _) => {
            properties.insert(name.to_owned(), json!({"type": "string", "description": about}));
        }
        (_, Some(schema @ Value::Object(_))) => return schema.clone(),
        _ => {
            let listed = value
                .get(keys::ARGUMENTS)
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default();
            properties.extend(listed.iter().filter_map(|item| {
                Some((text_member(item, keys::NAME)?.to_owned(), argument_schema(item)))
            }));
        }
    }
    let required: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// One argument. A type that JSON Schema does not know allows anything, and is named in the
/// description.
pub(crate) fn argument_schema(item: &Value) -> Value {
    let mut schema = Map::new();
    let named = text_member(item, keys::TYPE);
    let known = named.and_then(argument_type);
    schema.extend(known.map(|of| (keys::TYPE.to_owned(), of.into())));
    let description = text_member(item, keys::DESCRIPTION).unwrap_or_default();
    let description = match (known, named) {
        (None, Some(named)) if !named.is_empty() && description.is_empty() => format!("({named})"),
        (None, Some(named)) if !named.is_empty() => format!("{description} ({named})"),
        _ => description.to_owned(),
    };
    if known == Some("array") {
        // OpenAI refuses a list that does not say what is in it.
        schema.insert("items".to_owned(), json!({}));
    }
    if !description.is_empty() {
        schema.insert(keys::DESCRIPTION.to_owned(), description.into());
    }
    Value::Object(schema)
}

/// The JSON Schema type that an argument's `type` means; `None` when it means none.
///
/// TrustGraph never checks the word and the model only reads it, so common words of programming
/// languages count too.
#[must_use]
pub(crate) fn argument_type(named: &str) -> Option<&'static str> {
    Some(match named.trim().to_ascii_lowercase().as_str() {
        "string" | "str" | "text" => "string",
        "number" | "float" | "double" | "decimal" => "number",
        "integer" | "int" => "integer",
        "boolean" | "bool" => "boolean",
        "array" | "list" => "array",
        "object" | "dict" | "map" => "object",
        _ => return None,
    })
}

/// A member that is text.
pub(super) fn text_member<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::entry::{EntryId, EntryPlace, FileId};

    fn entry(value: Value) -> Entry {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        Entry {
            id: EntryId::new(place),
            system: keys::SYSTEM,
            kind: EntryKind::Tool,
            key: "t".into(),
            value: value.into(),
            line: 1,
            column: 1,
        }
    }

    fn only(states: &[&str]) -> States {
        States::Only(states.iter().map(|state| Name::from(*state)).collect())
    }

    #[test]
    fn the_documents_states_key_counts_only_in_document_mode() {
        let value = json!({"available_in_states": ["a"]});
        assert_eq!(read_gate(&value, Mode::Document).states, only(&["a"]));
        assert_eq!(read_gate(&value, Mode::AsDeployed).states, States::Every);
    }

    #[test]
    fn what_is_no_list_never_opens_a_gate() {
        let value = json!({"group": 3, "applicable-states": {"a": 1}, "state": 7});
        let read = read_gate(&value, Mode::Document);
        assert_eq!((read.groups, read.states, read.next), (Some(Vec::new()), only(&[]), None));
        let bare = read_gate(&json!({"group": "read", "applicable-states": "a"}), Mode::Document);
        assert_eq!((bare.groups, bare.states), (Some(vec!["read".into()]), only(&["a"])));
    }

    #[test]
    fn null_puts_a_tool_in_no_group_and_in_no_state() {
        for mode in [Mode::Document, Mode::AsDeployed] {
            let read =
                read_gate(&json!({"group": null, "applicable-states": null, "state": null}), mode);
            assert_eq!((read.groups, read.states, read.next), (Some(Vec::new()), only(&[]), None));
            assert_eq!(read_gate(&json!({"group": {}}), mode).groups, Some(Vec::new()));
        }
        let other = json!({"applicable-states": null, "available_in_states": ["a"]});
        assert_eq!(read_gate(&other, Mode::Document).states, only(&["a"]));
        assert_eq!(read_gate(&other, Mode::AsDeployed).states, only(&[]));
        assert_eq!(
            read_gate(&json!({"available_in_states": null}), Mode::Document).states,
            only(&[])
        );
    }

    #[test]
    fn arguments_become_a_schema() {
        let read = read_tool(
            &entry(json!({"type": "prompt", "arguments": [
                {"name": "topic", "type": "string", "description": "About what"},
                {"name": "when", "type": "date", "description": "The day"},
                {"type": "string"},
            ]})),
            Mode::Document,
        );
        assert_eq!(
            arguments_schema(&read.entry.value, &read.kind),
            json!({
                "type": "object",
                "properties": {"topic": {"type": "string", "description": "About what"}, "when": {"description": "The day (date)"}},
                "required": ["topic", "when"],
            })
        );
        let fixed = read_tool(
            &entry(json!({"type": "row-embeddings-query", "arguments": [{"name": "zzz"}]})),
            Mode::Document,
        );
        assert_eq!(arguments_schema(&fixed.entry.value, &fixed.kind)["required"], json!(["query"]));
    }

    #[test]
    fn the_name_falls_back_to_the_key() {
        assert_eq!(read_tool(&entry(json!({"name": ""})), Mode::Document).name, "t");
    }

    #[test]
    fn a_services_id_is_an_alias_in_document_mode() {
        let described = entry(
            json!({"id": "joke", "config-params": ["style", {"name": "tone", "required": true}, 3]}),
        );
        let read = read_service(&described, Mode::Document);
        assert_eq!(read.alias.as_deref(), Some("joke"));
        assert_eq!(
            read.parameters
                .iter()
                .map(|parameter| (parameter.name.as_str(), parameter.required))
                .collect::<Vec<_>>(),
            [("style", false), ("tone", true)]
        );
        assert_eq!(read_service(&described, Mode::AsDeployed).alias, None);
    }
}
