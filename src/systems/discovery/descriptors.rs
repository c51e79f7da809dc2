//! The entries of a document that somebody sends: whatever a file of a workspace could hold, or a
//! list of such documents.

use serde_json::{Map, Value, json};

use crate::{
    model::{
        context::Mode,
        entry::{Entry, FileId},
    },
    syntax::source::{Format, Source},
    systems::{deployed::item::Item, facets::portable::plain_key, read, table},
};

/// A service with the tools that it answers for, or a tool alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedService {
    pub name: String,
    pub about: String,
    pub items: Vec<Item>,
}

/// What a document describes; nothing where no system knows an entry in it.
#[must_use]
pub fn read_descriptors(document: &Value) -> Vec<DescribedService> {
    let mut services = read_document(document);
    if services.is_empty()
        && let Value::Array(documents) = document
    {
        services = documents.iter().flat_map(read_document).collect();
    }
    services
}

fn read_document(document: &Value) -> Vec<DescribedService> {
    // Some systems name an entry that is alone in its file after the file.
    let name = document.get("name").and_then(Value::as_str).unwrap_or("tool");
    let file = FileId::new(format!("{}.json", plain_key(name)));
    let source = Source::parse(Format::Json, document.to_string());
    let catalog = read::read_catalog(source.iter().map(|source| (&file, source)), Mode::AsDeployed);
    let mut described = Vec::new();
    for service in catalog.services.iter() {
        let mut own = DescribedService {
            name: service.key().to_owned(),
            about: String::new(),
            items: Vec::new(),
        };
        own.items.extend(to_item(&service.entry));
        for tool in &catalog.tools {
            let is_own = tool.entry.system == service.entry.system;
            if is_own && tool.service.as_deref() == Some(service.key()) {
                own.items.extend(to_item(&tool.entry));
                if own.about.is_empty() {
                    own.about.clone_from(&tool.description);
                }
            }
        }
        described.push(own);
    }
    for tool in &catalog.tools {
        let item = to_item(&tool.entry);
        let is_taken = |item: &Item| described.iter().any(|known| known.items.contains(item));
        described.extend(item.filter(|item| !is_taken(item)).map(|item| DescribedService {
            name: tool.entry.key.clone(),
            about: tool.description.clone(),
            items: vec![item],
        }));
    }
    described.retain(|known| !known.items.is_empty());
    described
}

/// An entry as a running system of its kind would have it; `None` where there is no such system.
#[must_use]
pub fn to_item(entry: &Entry) -> Option<Item> {
    let deployment = table::by_id(entry.system)?.deployment()?;
    if deployment.read_only().is_some() {
        return None;
    }
    let mut value = (*entry.value).clone();
    if let (Some(members), Some(secret)) = (value.as_object_mut(), deployment.secret()) {
        members.shift_remove(secret);
    }
    Some(Item {
        system: entry.system,
        section: deployment.section(entry)?,
        key: entry.key.clone(),
        text: value.to_string(),
    })
}

/// A document that holds these entries, in maps by their sections.
#[must_use]
pub fn print_descriptors<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Value {
    let mut root = Map::new();
    for item in entries.into_iter().filter_map(to_item) {
        let value = item.parse_value().unwrap_or_default();
        root.entry(item.section).or_insert_with(|| json!({}))[item.key.as_str()] = value;
    }
    Value::Object(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(document: &Value) -> Vec<(String, Vec<String>)> {
        let described = read_descriptors(document);
        described
            .into_iter()
            .map(|one| (one.name, one.items.iter().map(Item::name).collect()))
            .collect()
    }

    fn joke() -> (Value, Value) {
        (
            json!({"id": "joke-service", "request-queue": "request:tg:joke", "response-queue": "response:tg:joke"}),
            json!({"type": "tool-service", "name": "tell-joke", "description": "Tells a joke", "service": "joke-service"}),
        )
    }

    #[test]
    fn a_service_has_its_tools_whatever_shape_they_are_sent_in() {
        let (service, tool) = joke();
        let sections =
            json!({"tool-service": {"joke-service": service}, "tool": {"tell-joke": tool}});
        let whole = vec![(
            "joke-service".to_owned(),
            vec!["tool-service/joke-service".to_owned(), "tool/tell-joke".to_owned()],
        )];
        assert_eq!(named(&sections), whole);
        assert_eq!(
            named(&service),
            [("joke-service".to_owned(), vec!["tool-service/joke-service".to_owned()])]
        );
        assert_eq!(named(&tool), [("tell-joke".to_owned(), vec!["tool/tell-joke".to_owned()])]);
        let list: Vec<String> =
            named(&json!([service, tool])).into_iter().flat_map(|(_, items)| items).collect();
        assert_eq!(list, ["tool-service/joke-service", "tool/tell-joke"]);
        for nothing in [json!({}), json!([]), json!("x"), json!({"status": "up"})] {
            assert_eq!(named(&nothing), [], "{nothing}");
        }
    }

    #[test]
    fn definitions_of_commonground_are_described_too() {
        let tool = json!({"tool_name": "lamp", "target_subject": "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.on",
            "after_execution": "suspend", "description": "Turns it on", "parameters": {"type": "object"}});
        let described = read_descriptors(&json!([tool]));
        assert_eq!(described.len(), 1);
        assert_eq!(described[0].about, "Turns it on");
        assert_eq!(
            (described[0].items[0].system, described[0].items[0].name()),
            ("commonground", "tool/lamp".to_owned())
        );
    }
}
