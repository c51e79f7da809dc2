//! Tools of elsewhere as TrustGraph's: each with a tool service of its own.

use serde_json::{Map, Value, json};

use super::{
    descriptor::{argument_type, arguments_schema, states_key},
    keys,
    remote::{has_branches, listed_arguments},
};
use crate::{
    engine::portable::{
        fate::{Fate, FateKind},
        tool::PortableTool,
    },
    model::context::{Mode, Name},
    schema::{equal::values_equal, pointer::Pointer},
    systems::facets::portable::{KeyedTool, Portable, PortableFile},
};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn form_key(&self, key: &str) -> String {
        key.to_owned()
    }

    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let (mut entries, mut services) = (Map::new(), Map::new());
        for KeyedTool { key, tool, entry: own, instead_of, .. } in tools {
            if let Some(own) = own {
                entries.insert(key.clone(), own.clone());
                continue;
            }
            entries.insert(key.clone(), entry(tool, key, instead_of.as_ref()));
            let service = json!({
                keys::ID: key,
                keys::REQUEST_QUEUE: format!("request:tg:{key}"),
                keys::RESPONSE_QUEUE: format!("response:tg:{key}"),
            });
            services.insert(key.clone(), service);
        }
        let mut value = json!({keys::TOOLS: entries});
        if !services.is_empty() {
            value[keys::SERVICES] = Value::Object(services);
        }
        vec![PortableFile { path: "trustgraph.yaml".to_owned(), value }]
    }

    fn is_said_twice(&self, entry: &Value, at: &Pointer) -> bool {
        let list = Pointer::root().child(keys::ARGUMENTS);
        let items = list.get(entry).and_then(Value::as_array).filter(|_| *at == list);
        let Some((items, schema)) = items.zip(entry.get(keys::ARGUMENTS_SCHEMA)) else {
            return false;
        };
        let of_schema = listed_arguments(schema);
        let text = |item: &Value, key: &str| {
            let text = item.get(key).and_then(Value::as_str).map(str::trim);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let says = |same: &Value, item: &Value| {
            let kind = text(item, keys::TYPE);
            let kind = kind.as_deref().map(|kind| argument_type(kind).unwrap_or(kind));
            let is_same = |key| text(item, key).is_none_or(|own| text(same, key) == Some(own));
            same[keys::NAME] == item[keys::NAME]
                && kind.is_none_or(|kind| same[keys::TYPE] == kind)
                && is_same(keys::DESCRIPTION)
        };
        items.iter().all(|item| of_schema.iter().any(|same| says(same, item)))
    }

    fn simplified(&self, tool: &PortableTool) -> Option<Fate> {
        let words = "lists the arguments of all branches; which of them go together is only in \
                     arguments-schema, which TrustGraph's own model doesn't read";
        has_branches(&tool.parameters).then(|| Fate::new(FateKind::Changed, "/arguments", words))
    }
}

fn entry(tool: &PortableTool, service: &str, instead_of: Option<&Value>) -> Value {
    let has = |member: &str| instead_of.is_some_and(|there| there.get(member).is_some());
    let names = |names: &[Name]| names.iter().map(|name| Value::from(&**name)).collect::<Value>();
    let mut entry = json!({
        keys::TYPE: keys::TOOL_SERVICE,
        keys::NAME: tool.name,
        keys::DESCRIPTION: tool.description,
        keys::SERVICE: service,
        keys::ARGUMENTS: listed_arguments(&tool.parameters),
    });
    // The list alone has names, types and descriptions, and all are required.
    let is_listed = values_equal(&arguments_schema(&entry, keys::TOOL_SERVICE), &tool.parameters);
    if !is_listed || has(keys::ARGUMENTS_SCHEMA) {
        entry[keys::ARGUMENTS_SCHEMA] = tool.parameters.clone();
        let is_alone = has(keys::ARGUMENTS_SCHEMA) && !has(keys::ARGUMENTS);
        if let Some(members) = entry.as_object_mut().filter(|_| is_alone) {
            members.shift_remove(keys::ARGUMENTS);
        }
    }
    if let Some(groups) = &tool.groups {
        entry[keys::GROUP] = names(groups);
    }
    if let Some(states) = &tool.states {
        let key = states_key(instead_of.unwrap_or(&Value::Null), Mode::Document);
        entry[key] = names(states);
    }
    if let Some(next) = &tool.next {
        entry[keys::STATE] = (&**next).into();
    }
    entry
}
