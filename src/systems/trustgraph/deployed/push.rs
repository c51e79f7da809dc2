//! What sending the workspace's entries changes there, as requests and as something to look at
//! first.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::{Map, Value, json};

use super::item::{SECTIONS, is_named, section_of};
use crate::{
    model::{
        catalog::Catalog,
        entry::Entry,
        problem::{Problem, ProblemKind},
    },
    syntax::python_json,
    systems::{
        deployed::{
            item::Item,
            push::{AbsentEntries, Change, Push},
        },
        trustgraph::{
            agent,
            configuration::{Configuration, Stopped},
            gateway::endpoints::into_object,
            keys,
        },
    },
};

/// What sending the catalog's entries changes, where `deployed` is what is there.
///
/// # Errors
/// When the workspace itself does not say clearly what to send.
pub fn plan_push(
    catalog: &Catalog,
    deployed: &[Item],
    absent: AbsentEntries,
) -> Result<Push, Problem> {
    let entries: Vec<&Entry> =
        catalog.entries().filter(|entry| entry.system == keys::SYSTEM).collect();
    let unclear = |cause: String, remedy: &str| {
        Problem::new(ProblemKind::Input, "comparing with TrustGraph", cause).with_remedy(remedy)
    };
    let mut seen = BTreeSet::new();
    let mut push = Push::empty(keys::SYSTEM);
    for entry in &entries {
        let section = section_of(entry.kind);
        if !seen.insert((section, entry.key.as_str())) {
            let cause = format!(
                "{section}/{} is defined twice, the second time in {}:{}",
                entry.key,
                entry.id.file(),
                entry.line
            );
            return Err(unclear(cause, "give one of them another key"));
        }
        if !entry.value.is_object() {
            let cause = format!(
                "{section}/{} in {}:{} is no object",
                entry.key,
                entry.id.file(),
                entry.line
            );
            return Err(unclear(cause, "fix the entry, or remove it"));
        }
        let there = deployed.iter().find(|item| is_named(entry, item.section, &item.key));
        let value = with_token(entry, there);
        push.notes.extend(misread_note(entry));
        let same = there.is_some_and(|there| there.parse_value().as_ref() == Some(&*value));
        let text = match there {
            Some(there) if same => there.text.clone(),
            _ => python_json::print_value(&value),
        };
        if !same {
            let before = there.map(|there| there.text.clone());
            push.changes.push(Change {
                section,
                key: entry.key.clone(),
                before,
                after: Some(text.clone()),
            });
        }
        push.after.push(Item { system: keys::SYSTEM, section, key: entry.key.clone(), text });
    }
    for item in deployed.iter().filter(|item| !seen.contains(&(item.section, item.key.as_str()))) {
        match absent {
            AbsentEntries::Keep => push.after.push(item.clone()),
            AbsentEntries::Delete => push.changes.push(Change {
                section: item.section,
                key: item.key.clone(),
                before: Some(item.text.clone()),
                after: None,
            }),
        }
    }
    push.notes.extend(uncallable_note(&push.changes));
    push.loads = loaded_count(&push.after);
    Ok(push)
}

/// A token that only TrustGraph has stays there: it has no place in a file of the workspace.
fn with_token<'e>(entry: &'e Entry, there: Option<&Item>) -> Cow<'e, Value> {
    let token = there.and_then(|there| there.parse_value()?.get(keys::AUTH_TOKEN).cloned());
    match token {
        Some(token)
            if section_of(entry.kind) == keys::SERVERS
                && entry.value.get(keys::AUTH_TOKEN).is_none() =>
        {
            let mut value = (*entry.value).clone();
            value[keys::AUTH_TOKEN] = token;
            Cow::Owned(value)
        }
        _ => Cow::Borrowed(&entry.value),
    }
}

/// What TrustGraph reads otherwise than it looks.
fn misread_note(entry: &Entry) -> Option<String> {
    let has = |key: &str| entry.value.get(key).is_some();
    (has(keys::STATES_DOCUMENT) && !has(keys::STATES_DEPLOYED)).then(|| {
        format!(
            "{} lists {}, which TrustGraph does not read: it is available in every state there. Write {} instead.",
            entry.key,
            keys::STATES_DOCUMENT,
            keys::STATES_DEPLOYED
        )
    })
}

/// What becomes there that TrustGraph's own agent cannot call.
fn uncallable_note(changes: &[Change]) -> Option<String> {
    let is_service_tool = |change: &&Change| {
        let value: Option<Value> =
            change.after.as_deref().and_then(|text| serde_json::from_str(text).ok());
        change.section == keys::TOOLS
            && value.is_some_and(|value| value["type"] == keys::TOOL_SERVICE)
    };
    let names: Vec<&str> =
        changes.iter().filter(is_service_tool).map(|change| change.key.as_str()).collect();
    (!names.is_empty()).then(|| format!("{}: {}", names.join(", "), agent::UNCALLABLE))
}

/// How many tools the agent should load of all these, or the one that keeps it from loading any.
fn loaded_count(items: &[Item]) -> Result<usize, String> {
    let of = |section: &'static str| {
        items.iter().filter(move |item| item.section == section).collect::<Vec<_>>()
    };
    let read = |items: &[&Item]| {
        items.iter().map(|item| python_json::parse_value(&item.text)).collect::<Vec<_>>()
    };
    let (tools, services) = (of(keys::TOOLS), of(keys::SERVICES));
    let (tool_values, service_values) = (read(&tools), read(&services));
    let configuration = Configuration {
        tools: Configuration::keyed_entries(
            tools.iter().map(|item| item.key.as_str()),
            &tool_values,
        ),
        services: Configuration::keyed_entries(
            services.iter().map(|item| item.key.as_str()),
            &service_values,
        ),
    };
    let stopped = |Stopped { section, row, error }: Stopped| {
        let item = if section == keys::SERVICES { services[row] } else { tools[row] };
        format!("{}: {}, so no tool at all is loaded", item.name(), error.logged)
    };
    configuration.load_agent().map(|agent| agent.tools.len()).map_err(stopped)
}

/// The kinds that the agent loads together.
const TOGETHER: [&str; 2] = [keys::TOOLS, keys::SERVICES];

/// The bodies of the requests that make it so, in order.
///
/// The agent loads again only the kinds that a request names: with services alone it has no tools,
/// with tools alone no services. So each request that touches one of the two names both: a put
/// repeats an entry as it is, a delete names one that does not exist. What is new is put before
/// anything is deleted, so that at no time less is there than before or after.
#[must_use]
pub(crate) fn write_bodies(push: &Push) -> Vec<Map<String, Value>> {
    let (gone, kept): (Vec<&Change>, Vec<&Change>) =
        push.changes.iter().partition(|change| change.after.is_none());
    let touches =
        |changes: &[&Change]| changes.iter().any(|change| TOGETHER.contains(&change.section));
    let unnamed = |changes: &[&Change]| {
        let named: Vec<&str> = changes.iter().map(|change| change.section).collect();
        TOGETHER.into_iter().filter(move |section| !named.contains(section))
    };
    let value =
        |section: &str, key: &str, text: &str| json!({"type": section, "key": key, "value": text});
    let mut values: Vec<Value> = kept
        .iter()
        .filter_map(|change| Some(value(change.section, &change.key, change.after.as_deref()?)))
        .collect();
    if push.reload || touches(&kept) {
        let known = unnamed(&kept)
            .filter_map(|section| push.after.iter().find(|item| item.section == section));
        values.extend(known.map(|item| value(item.section, &item.key, &item.text)));
    }
    let mut keys: Vec<Value> =
        gone.iter().map(|change| json!({"type": change.section, "key": change.key})).collect();
    if touches(&gone) {
        keys.extend(
            unnamed(&gone)
                .map(|section| json!({"type": section, "key": unused_key(push, section)})),
        );
    }
    let put = (!values.is_empty()).then(|| json!({"operation": "put", "values": values}));
    let delete = (!keys.is_empty()).then(|| json!({"operation": "delete", "keys": keys}));
    [put, delete].into_iter().flatten().map(into_object).collect()
}

/// What became of the requests where the connection was lost after so many of them were confirmed,
/// and nothing can be read any more.
#[must_use]
pub(crate) fn lost_connection_report(writes: &[Map<String, Value>], confirmed: usize) -> String {
    let named = |body: &Map<String, Value>| -> Vec<String> {
        let list = body.get("values").or_else(|| body.get("keys")).and_then(Value::as_array);
        let name =
            |item: &Value| Some(format!("{}/{}", item["type"].as_str()?, item["key"].as_str()?));
        list.into_iter().flatten().filter_map(name).collect()
    };
    let part = |bodies: &[Map<String, Value>], word: &str| {
        let names: Vec<String> = bodies
            .iter()
            .map(|body| {
                format!(
                    "{} of {}",
                    body.get("operation").and_then(Value::as_str).unwrap_or("write"),
                    named(body).join(", ")
                )
            })
            .collect();
        (!names.is_empty()).then(|| format!("{word}: {}", names.join("; ")))
    };
    let (done, rest) = writes.split_at(confirmed.min(writes.len()));
    let (sent, unsent) = rest.split_at(rest.len().min(1));
    let parts =
        [part(done, "confirmed"), part(sent, "sent and not confirmed"), part(unsent, "not sent")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// A key that no entry of the section has.
fn unused_key(push: &Push, section: &str) -> String {
    let mut key = "toolcrib-reload".to_owned();
    while push.after.iter().any(|item| item.section == section && item.key == key) {
        key.push('-');
    }
    key
}

/// Every section, for reading all of it.
pub(crate) fn sections() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|(section, _)| *section)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::read,
    };

    const OURS: &str = "\
tool:
  joke: {type: tool-service, name: joke, description: Jokes, service: jokes}
  ask: {type: text-completion, name: ask, description: Asks}
tool-service:
  jokes: {request-queue: 'request:tg:joke', response-queue: 'response:tg:joke'}
mcp:
  echo: {url: 'http://localhost:1'}
";

    fn catalog(text: &str) -> Catalog {
        read::read_catalog(
            [(&FileId::new("t.yaml"), &Source::parse(Format::Yaml, text).unwrap())],
            Mode::Document,
        )
    }

    fn item(section: &'static str, key: &str, text: &str) -> Item {
        Item { system: keys::SYSTEM, section, key: key.into(), text: text.into() }
    }

    fn pushed(ours: &str, there: &[Item], absent: AbsentEntries) -> Push {
        plan_push(&catalog(ours), there, absent).unwrap()
    }

    fn names(push: &Push) -> Vec<String> {
        push.changes.iter().map(|change| format!("{}{}", change.sign(), change.name())).collect()
    }

    #[test]
    fn only_what_differs_changes_however_it_is_written() {
        let there = [
            item(
                "tool",
                "ask",
                r#"{ "description":"Asks", "name":"ask", "type":"text-completion"}"#,
            ),
            item("tool", "joke", r#"{"type":"tool-service","name":"other"}"#),
            item("tool", "old", r#"{"type":"text-completion","name":"old"}"#),
        ];
        let push = pushed(OURS, &there, AbsentEntries::Keep);
        assert_eq!(names(&push), ["~tool/joke", "+tool-service/jokes", "+mcp/echo"]);
        assert_eq!((push.summary().as_str(), &push.loads), ("2 added, 1 changed", &Ok(3)));
        assert_eq!(
            names(&pushed(OURS, &there, AbsentEntries::Delete)).last().unwrap(),
            "-tool/old"
        );
        assert_eq!(pushed(OURS, &push.after, AbsentEntries::Keep).summary(), "nothing changes");
    }

    #[test]
    fn tools_that_the_agent_there_cannot_call_are_named_once() {
        let first = pushed(OURS, &[], AbsentEntries::Keep);
        assert!(
            matches!(&first.notes[..], [note] if note.starts_with("joke: ") && note.contains("cannot call tool services"))
        );
        let changed = OURS.replace("Asks}", "Asks more}");
        assert_eq!(
            pushed(&changed, &first.after, AbsentEntries::Delete).notes,
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_write_always_names_both_kinds() {
        let first = pushed(OURS, &[], AbsentEntries::Keep);
        let changed = OURS.replace("Asks}", "Asks more}");
        let push = pushed(&changed, &first.after, AbsentEntries::Delete);
        let [put] = &write_bodies(&push)[..] else { panic!("{:?}", write_bodies(&push)) };
        let kinds: Vec<&str> = put["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value["type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["tool", "tool-service"]);
        let fewer =
            OURS.replace("  ask: {type: text-completion, name: ask, description: Asks}\n", "");
        let push = pushed(&fewer, &first.after, AbsentEntries::Delete);
        let [delete] = &write_bodies(&push)[..] else { panic!("{:?}", write_bodies(&push)) };
        let nobody = json!({"type": "tool-service", "key": "toolcrib-reload"});
        assert_eq!(delete["keys"], json!([{"type": "tool", "key": "ask"}, nobody]));
        let servers =
            pushed(&OURS.replace("localhost:1", "localhost:2"), &first.after, AbsentEntries::Keep);
        assert_eq!(write_bodies(&servers)[0]["values"].as_array().unwrap().len(), 1);
        assert_eq!(
            write_bodies(&pushed(OURS, &first.after, AbsentEntries::Keep)),
            Vec::<Map<String, Value>>::new()
        );
    }

    /// The kinds that each request names, with its operation.
    fn named(push: &Push) -> Vec<(String, Vec<String>)> {
        let kinds = |body: &Map<String, Value>| {
            let list =
                body.get("values").or_else(|| body.get("keys")).and_then(Value::as_array).unwrap();
            list.iter()
                .map(|item| {
                    format!("{}/{}", item["type"].as_str().unwrap(), item["key"].as_str().unwrap())
                })
                .collect()
        };
        write_bodies(push)
            .iter()
            .map(|body| (body["operation"].as_str().unwrap().to_owned(), kinds(body)))
            .collect()
    }

    #[test]
    fn what_is_new_is_put_before_anything_is_deleted_and_each_request_names_both_kinds() {
        let there = [
            item(
                "tool",
                "jokes",
                r#"{"type":"tool-service","name":"old","service":"toolcrib-reload"}"#,
            ),
            item("tool-service", "jokes", r#"{"request-queue":"a","response-queue":"b"}"#),
            item(
                "tool-service",
                "toolcrib-reload",
                r#"{"request-queue":"a","response-queue":"b"}"#,
            ),
        ];
        let only = "tool: {ask: {type: text-completion, name: ask, description: Asks}}\n";
        let owned =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let push = pushed(only, &there, AbsentEntries::Delete);
        assert_eq!(
            named(&push),
            [
                ("put".to_owned(), owned(&["tool/ask"])),
                (
                    "delete".to_owned(),
                    owned(&["tool/jokes", "tool-service/jokes", "tool-service/toolcrib-reload"])
                ),
            ]
        );
        // A service alone would leave the agent without tools until something names them; no entry
        // of that key goes with it.
        let tools = "tool: {jokes: {type: text-completion, name: jokes, description: d}}\n\
                     tool-service: {toolcrib-reload: {request-queue: a, response-queue: b}}\n";
        let there = pushed(tools, &there, AbsentEntries::Keep).after;
        let push = pushed(tools, &there, AbsentEntries::Delete);
        assert_eq!(
            named(&push),
            [("delete".to_owned(), owned(&["tool-service/jokes", "tool/toolcrib-reload"]))]
        );
        let odd = "tool: {toolcrib-reload: {type: text-completion, name: t, description: d}}\n";
        let service = item("tool-service", "jokes", "{}");
        let push = pushed(
            odd,
            &[&pushed(odd, &[], AbsentEntries::Keep).after[..], &[service]].concat(),
            AbsentEntries::Delete,
        );
        assert_eq!(
            named(&push),
            [("delete".to_owned(), owned(&["tool-service/jokes", "tool/toolcrib-reload-"]))]
        );
    }

    #[test]
    fn a_reload_writes_both_kinds_as_they_are() {
        let first = pushed(OURS, &[], AbsentEntries::Keep);
        let push = Push { reload: true, ..pushed(OURS, &first.after, AbsentEntries::Keep) };
        let [put] = &write_bodies(&push)[..] else { panic!("{:?}", write_bodies(&push)) };
        let values = put["values"].as_array().unwrap();
        let as_is = |value: &Value| {
            first
                .after
                .iter()
                .any(|item| item.section == value["type"] && item.text == value["value"])
        };
        assert_eq!(
            named(&push)[0]
                .1
                .iter()
                .map(|name| name.split('/').next().unwrap())
                .collect::<Vec<_>>(),
            ["tool", "tool-service"]
        );
        assert!(values.iter().all(as_is), "{put:?}");
        let nothing = Push { reload: true, ..pushed("x: 1\n", &[], AbsentEntries::Keep) };
        assert_eq!(write_bodies(&nothing), Vec::<Map<String, Value>>::new());
    }

    #[test]
    fn one_bad_entry_there_or_here_keeps_all_from_loading() {
        let there = [item("tool", "bad", "{broken")];
        assert!(pushed(OURS, &there, AbsentEntries::Keep).loads.unwrap_err().contains("tool/bad"));
        assert_eq!(pushed(OURS, &there, AbsentEntries::Delete).loads, Ok(2));
        let unknown = OURS.replace("service: jokes", "service: nobody");
        let told = pushed(&unknown, &[], AbsentEntries::Keep).loads.unwrap_err();
        assert!(told.contains("references unknown tool-service 'nobody'"), "{told}");
    }

    #[test]
    fn a_token_stays_there_and_is_not_shown() {
        let there = [item("mcp", "echo", r#"{"url":"http://old","auth-token":"hunter2"}"#)];
        let push = pushed(OURS, &there, AbsentEntries::Keep);
        let change = push.changes.iter().find(|change| change.section == "mcp").unwrap();
        assert!(change.after.as_ref().unwrap().contains("hunter2"));
        let shown = change.redacted_texts(Some(keys::AUTH_TOKEN));
        assert!(!shown.concat().contains("hunter2") && shown[1].contains("localhost"));
    }

    #[test]
    fn what_was_written_is_compared_with_what_is_there() {
        let push = pushed(OURS, &[], AbsentEntries::Keep);
        assert_eq!(push.unmet_changes(&push.after), Vec::<String>::new());
        let mut now = push.after.clone();
        now.remove(0);
        now[0].text = "{}".into();
        assert_eq!(
            push.unmet_changes(&now),
            ["tool/joke doesn't exist", "tool/ask differs from what was sent"]
        );
    }

    #[test]
    fn what_is_unclear_is_refused_and_what_is_ignored_is_told() {
        let twice = format!(
            "{OURS}---\ntool:\n  ask: {{type: prompt, name: x, description: d, template: t}}\n"
        );
        let problem = plan_push(&catalog(&twice), &[], AbsentEntries::Keep).unwrap_err();
        assert!(problem.cause.contains("tool/ask is defined twice"), "{problem}");
        let document = OURS.replace("service: jokes}", "service: jokes, available_in_states: [a]}");
        assert!(pushed(&document, &[], AbsentEntries::Keep).notes[0].contains("applicable-states"));
    }
}
