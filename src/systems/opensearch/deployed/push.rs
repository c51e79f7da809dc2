//! What sending the workspace's agents and connectors changes in a cluster.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::items::{
    AGENTS, CONNECTORS, LISTED, Section, comparable_value, id_in, section_of, section_of_entry,
};
use crate::{
    model::{
        catalog::Catalog,
        entry::Entry,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{
            item::Item,
            push::{AbsentEntries, Change, Push},
        },
        opensearch::{
            entries::EntrySort,
            keys,
            registration::{check_agent, check_connector},
        },
    },
};

/// What is sent; the rest of what a cluster has is only read.
const SENT: [Section; 2] = [CONNECTORS, AGENTS];

/// What sending the catalog's agents and connectors changes, where `there` is what the cluster has.
///
/// # Errors
/// When a name is twice.
pub(crate) fn plan_push(
    catalog: &Catalog,
    there: &[Item],
    absent: AbsentEntries,
) -> Result<Push, Problem> {
    let mut push = Push::empty(keys::SYSTEM);
    let mut known = BTreeSet::new();
    let mut refused = None;
    for section in SENT {
        let mut names = BTreeSet::new();
        let ours = |entry: &&Entry| section_of_entry(entry) == Some(section);
        for entry in catalog.entries().filter(ours) {
            if !names.insert(entry.key.as_str()) {
                return Err(stands_twice(section, entry));
            }
            let found = find_item(section, entry, there);
            if let Err(why) = check_entry(section, &entry.value, found.is_none()) {
                refused.get_or_insert(format!("{}/{}: {why}", section.word, entry.key));
            }
            known.extend(found.map(Item::name));
            add_entry(&mut push, section, entry, found, &mut refused);
        }
    }
    for item in there.iter().filter(|item| !known.contains(&item.name())) {
        let is_sent = SENT.iter().any(|section| section.word == item.section);
        if absent == AbsentEntries::Keep || !is_sent {
            push.after.push(item.clone());
            continue;
        }
        push.changes.push(Change {
            section: item.section,
            key: item.key.clone(),
            before: Some(item.text.clone()),
            after: None,
        });
    }
    push.notes.extend(unknown_types(catalog, there));
    push.notes.extend(unsent_tools(catalog));
    let agents = push.after.iter().filter(|item| item.section == AGENTS.word).count();
    push.loads = refused.map_or(Ok(agents), Err);
    Ok(push)
}

fn stands_twice(section: Section, entry: &Entry) -> Problem {
    let cause = format!(
        "{}/{} is defined twice, the second time in {}:{}",
        section.word,
        entry.key,
        entry.id.file(),
        entry.line
    );
    Problem::new(ProblemKind::Input, "comparing with OpenSearch", cause)
        .with_remedy("give one of them another name")
}

fn check_entry(section: Section, value: &Value, is_new: bool) -> Result<(), String> {
    let Some(members) = value.as_object() else { return Ok(()) };
    match section == AGENTS {
        true => check_agent(members),
        false => check_connector(members, is_new),
    }
}

/// The one there that an entry is: by its id, else by its name.
fn find_item<'i>(section: Section, entry: &Entry, there: &'i [Item]) -> Option<&'i Item> {
    let mut of_kind = there.iter().filter(|item| item.section == section.word);
    let id = id_in(section, &entry.value);
    let has_id = |item: &&Item| {
        item.parse_value().is_some_and(|value| id.is_some() && id_in(section, &value) == id)
    };
    of_kind.clone().find(has_id).or_else(|| of_kind.find(|item| item.key == entry.key))
}

fn add_entry(
    push: &mut Push,
    section: Section,
    entry: &Entry,
    found: Option<&Item>,
    refused: &mut Option<String>,
) {
    let value = comparable_value(section, &entry.value);
    let there = found.and_then(Item::parse_value);
    let is_same = there.as_ref().is_some_and(|there| comparable_value(section, there) == value);
    let key = found.map_or(&entry.key, |item| &item.key).clone();
    let id = there.as_ref().and_then(|there| id_in(section, there)).map(str::to_owned);
    let mut sent = value.clone();
    if let (Some(member), Some(id)) = (section.id, id) {
        sent[member] = id.into();
    }
    let text = sent.to_string();
    if !is_same {
        if let Some(there) = &there {
            note_update(push, section, (&key, there, &value), refused);
        }
        push.changes.push(Change {
            section: section.word,
            key: key.clone(),
            before: found.map(|item| item.text.clone()),
            after: Some(with_credential(section, entry, sent)),
        });
    }
    push.after.push(Item { system: keys::SYSTEM, section: section.word, key, text });
}

/// A connector's credential is sent, and never compared: a cluster does not tell it.
fn with_credential(section: Section, entry: &Entry, mut sent: Value) -> String {
    if let Some(credential) = entry.value.get(keys::CREDENTIAL).filter(|_| section == CONNECTORS) {
        sent[keys::CREDENTIAL] = credential.clone();
    }
    sent.to_string()
}

/// What an update cannot do there.
fn note_update(
    push: &mut Push,
    section: Section,
    (key, there, ours): (&str, &Value, &Value),
    refused: &mut Option<String>,
) {
    let name = format!("{}/{key}", section.word);
    if section == AGENTS && there[keys::TYPE] != ours[keys::TYPE] {
        let why = format!("{name}: the type of an agent cannot be changed there");
        refused.get_or_insert(why);
    }
    let left = there.as_object().into_iter().flatten().map(|(member, _)| member.as_str());
    let gone: Vec<&str> =
        left.filter(|member| section.id != Some(*member) && ours.get(*member).is_none()).collect();
    if !gone.is_empty() {
        push.notes.push(format!(
            "{name}: an update removes nothing, so {} stays there.",
            gone.join(", ")
        ));
    }
}

/// Agents whose tools the cluster cannot run, as far as it lists what it has.
fn unknown_types(catalog: &Catalog, there: &[Item]) -> Vec<String> {
    let types: BTreeSet<String> = there
        .iter()
        .filter(|item| item.section == LISTED.word)
        .filter_map(|item| Some(item.parse_value()?[keys::TYPE].as_str()?.to_owned()))
        .collect();
    if types.is_empty() {
        return Vec::new();
    }
    let of_agent = |entry: &&Entry| section_of_entry(entry) == Some(AGENTS);
    let told = catalog.entries().filter(of_agent).filter_map(|entry| {
        let tools = entry.value.get(keys::TOOLS)?.as_array()?;
        let unknown: BTreeSet<&str> = tools
            .iter()
            .filter_map(|tool| tool[keys::TYPE].as_str())
            .filter(|kind| !types.contains(*kind))
            .collect();
        (!unknown.is_empty()).then(|| {
            let kinds: Vec<&str> = unknown.into_iter().collect();
            format!(
                "{}: there is no {} in the cluster; the agent can be registered, but fails when \
                it runs.",
                entry.key,
                kinds.join(", ")
            )
        })
    });
    told.collect()
}

/// Tools that no cluster takes: toolcrib runs them itself.
fn unsent_tools(catalog: &Catalog) -> Option<String> {
    let is_ours = |entry: &&Entry| {
        entry.system == keys::SYSTEM
            && matches!(
                EntrySort::of_entry(&entry.value),
                EntrySort::Dynamic | EntrySort::Composite
            )
            && crate::systems::opensearch::entries::agent_of(entry).is_none()
    };
    let names: Vec<&str> =
        catalog.entries().filter(is_ours).map(|entry| entry.key.as_str()).collect();
    (!names.is_empty())
        .then(|| format!("Not sent, because only toolcrib runs them: {}.", names.join(", ")))
}

/// A request that makes a change, and where the cluster answers with an id of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRequest {
    pub method: &'static str,
    pub path: String,
    pub body: Option<String>,
}

/// The request that makes a change; `None` where the change is of a kind that is not sent.
#[must_use]
pub fn write_request(change: &Change) -> Option<WriteRequest> {
    let section = section_of(change.section).filter(|section| SENT.contains(section))?;
    let (plural, create) = match section == AGENTS {
        true => ("agents", "_register"),
        false => ("connectors", "_create"),
    };
    let members = |text: &Option<String>| -> Option<Map<String, Value>> {
        serde_json::from_str(text.as_deref()?).ok()
    };
    let before = members(&change.before).map(Value::Object);
    let id = before.as_ref().and_then(|before| id_in(section, before));
    let body = members(&change.after).map(|mut body| {
        section.id.map(|member| body.shift_remove(member));
        Value::Object(body).to_string()
    });
    let (method, path) = match (&body, id) {
        (Some(_), None) => ("POST", format!("{}/{plural}/{create}", keys::ML)),
        (Some(_), Some(id)) => ("PUT", format!("{}/{plural}/{id}", keys::ML)),
        (None, id) => ("DELETE", format!("{}/{plural}/{}", keys::ML, id?)),
    };
    Some(WriteRequest { method, path, body })
}

/// The changes of a push and what is there, both as they can be held against each other.
#[must_use]
pub fn comparable_push(push: &Push, now: &[Item]) -> (Push, Vec<Item>) {
    let compared = |section: &str, text: &str| {
        let value = serde_json::from_str(text).unwrap_or_default();
        section_of(section).map_or_else(
            || text.to_owned(),
            |section| comparable_value(section, &value).to_string(),
        )
    };
    let mut push = push.clone();
    for change in &mut push.changes {
        if let Some(renamed) = renamed_item(change, now) {
            change.key.clone_from(&renamed.key);
        }
        change.after = change.after.as_deref().map(|text| compared(change.section, text));
    }
    let now = now
        .iter()
        .map(|item| Item { text: compared(item.section, &item.text), ..item.clone() })
        .collect();
    (push, now)
}

/// The one there that has the id of a change now; a push may have given it another name.
fn renamed_item<'i>(change: &Change, now: &'i [Item]) -> Option<&'i Item> {
    let section = section_of(change.section)?;
    let before: Value = serde_json::from_str(change.before.as_deref()?).ok()?;
    let id = id_in(section, &before)?;
    let has_id = |item: &&Item| {
        let value = item.parse_value();
        value.is_some_and(|value| id_in(section, &value) == Some(id))
    };
    now.iter().filter(|item| item.section == change.section).find(has_id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::{
            opensearch::deployed::items::{read_hits, read_tools},
            read,
        },
    };

    fn catalog(entries: &Value) -> Catalog {
        let source = Source::parse(Format::Json, entries.to_string()).unwrap();
        read::read_catalog([(&FileId::new("a.json"), &source)], Mode::Document)
    }

    fn agent(name: &str) -> Value {
        json!({"name": name, "type": "flow", "tools": [
            {"type": "ListIndexTool", "name": "list", "parameters": {"size": 3}}]})
    }

    fn there(agents: &[(&str, Value)]) -> Vec<Item> {
        let hits: Vec<Value> =
            agents.iter().map(|(id, source)| json!({"_id": id, "_source": source})).collect();
        read_hits(AGENTS, &json!({"hits": {"hits": hits}}))
    }

    fn names(push: &Push) -> Vec<String> {
        push.changes.iter().map(|change| format!("{}{}", change.sign(), change.key)).collect()
    }

    #[test]
    fn what_a_cluster_writes_of_its_own_is_no_change() {
        let stored = json!({"name": "a", "type": "flow", "created_time": 1, "is_hidden": false, "parameters": {}, "tools": [
            {"type": "ListIndexTool", "name": "list", "parameters": {"size": "3"}, "include_output_in_agent_response": false}]});
        let cluster = there(&[("id1", stored), ("id2", agent("old"))]);
        let ours = catalog(&json!([agent("a")]));
        assert!(names(&plan_push(&ours, &cluster, AbsentEntries::Keep).unwrap()).is_empty());
        assert_eq!(names(&plan_push(&ours, &cluster, AbsentEntries::Delete).unwrap()), ["-old"]);
        assert_eq!(names(&plan_push(&ours, &[], AbsentEntries::Keep).unwrap()), ["+a"]);
    }

    #[test]
    fn an_id_says_which_one_it_is_and_a_name_where_none_does() {
        let cluster = there(&[("id1", agent("a")), ("id2", agent("a"))]);
        let keys: Vec<&str> = cluster.iter().map(|item| item.key.as_str()).collect();
        assert_eq!(keys, ["a (id1)", "a (id2)"]);
        let mut ours = agent("renamed");
        ours["agent_id"] = "id2".into();
        let push = plan_push(&catalog(&json!([ours])), &cluster, AbsentEntries::Keep).unwrap();
        assert_eq!(names(&push), ["~a (id2)"]);
        let request = write_request(&push.changes[0]).unwrap();
        assert_eq!((request.method, request.path.as_str()), ("PUT", "/_plugins/_ml/agents/id2"));
        assert!(!request.body.unwrap().contains("agent_id"));
    }

    #[test]
    fn what_would_be_refused_keeps_all_of_it_back() {
        let mut other = agent("a");
        other["type"] = "conversational_flow".into();
        let push =
            plan_push(&catalog(&json!([other])), &there(&[("i", agent("a"))]), AbsentEntries::Keep);
        assert!(push.unwrap().loads.unwrap_err().contains("type of an agent cannot be changed"));
        let long = agent(&"n".repeat(129));
        let push =
            plan_push(&catalog(&json!([long, agent("b")])), &[], AbsentEntries::Keep).unwrap();
        assert!(push.loads.unwrap_err().contains("128"));
        let twice = json!([agent("a"), agent("a")]);
        assert!(plan_push(&catalog(&twice), &[], AbsentEntries::Keep).is_err());
    }

    #[test]
    fn what_stays_or_cannot_run_is_said() {
        let mut stored = agent("a");
        stored["description"] = "Old".into();
        let mut cluster = there(&[("i", stored)]);
        cluster.extend(read_tools(
            LISTED,
            &json!([{"name": "MLModelTool", "type": "MLModelTool", "version": "undefined"}]),
        ));
        let push =
            plan_push(&catalog(&json!([agent("a")])), &cluster, AbsentEntries::Keep).unwrap();
        let notes = push.notes.join(" ");
        assert!(notes.contains("removes nothing, so description stays"), "{notes}");
        assert!(notes.contains("there is no ListIndexTool in the cluster"), "{notes}");
    }

    #[test]
    fn a_credential_is_sent_and_never_compared() {
        let connector = json!({"name": "c", "protocol": "http", "version": 1, "credential": {"key": "k"}, "actions": [
            {"action_type": "predict", "method": "POST", "url": "https://h/v1"}]});
        let ours = catalog(&json!([connector]));
        let push = plan_push(&ours, &[], AbsentEntries::Keep).unwrap();
        let request = write_request(&push.changes[0]).unwrap();
        assert_eq!(request.path, "/_plugins/_ml/connectors/_create");
        assert!(request.body.unwrap().contains(r#""credential":{"key":"k"}"#));
        let stored = json!({"name": "c", "protocol": "http", "version": "1", "actions": [
            {"action_type": "PREDICT", "method": "POST", "url": "https://h/v1"}]});
        let cluster =
            read_hits(CONNECTORS, &json!({"hits": {"hits": [{"_id": "i", "_source": stored}]}}));
        assert!(names(&plan_push(&ours, &cluster, AbsentEntries::Keep).unwrap()).is_empty());
    }
}
