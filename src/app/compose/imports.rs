//! Entries of a running system, taken into the workspace's files.

use serde_json::{Map, Value, json};

use super::{
    context::ComposeContext,
    plan::{Plan, list_names},
};
use crate::{
    app::documents::Change,
    model::{
        entry::{Entry, EntryForm, FileId},
        finding::EntryEdit,
        numbered::numbered_names,
    },
    schema::pointer::Pointer,
    syntax::{edit::Edit, print, source::Format},
    systems::{
        by_id,
        deployed::{
            deployment::{Deployment, Layout},
            item::Item,
        },
    },
};

/// An entry that is not here yet.
type MissingEntry<'n> = (&'static dyn Deployment, &'n Item, Value);

/// What a plan is named after that changes nothing but ids.
const IDS: &str = "save the ids assigned there";

/// What becomes of entries here that are other than those there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConflictChoice {
    Keep,
    Overwrite,
}

/// The changes that take entries in: new ones into a file of their own, and those that differ at
/// their places, or not at all.
///
/// # Errors
/// When nothing would change.
pub(crate) fn plan_import(
    context: ComposeContext<'_>,
    items: &[Item],
    differing: ConflictChoice,
) -> Result<Plan, String> {
    let mut sorted = Sorted::default();
    for item in items {
        sorted.add(context, item, differing);
    }
    let Sorted { new, same, kept, taken, unread, tokens, own, changes, ids } = sorted;
    let mut plan = Plan { changes, ..Plan::default() };
    let named = |names: &[String]| list_names(names.iter().map(String::as_str));
    for (names, words) in [
        (&unread, "Not JSON there, so left out (it keeps all tools there from loading)"),
        (&tokens, "The token stays there and isn't written here"),
        (&own, "Built into the system, so left out"),
        (&kept, "Different there; the workspace's stay as they are"),
    ] {
        if !names.is_empty() {
            plan.notes.push(format!("{words}: {}.", named(names)));
        }
    }
    if !ids.is_empty() {
        let count = ids.len();
        plan.notes.push(match count {
            1 => "1 entry gets the id that it has there.".to_owned(),
            _ => format!("{count} entries get the ids that they have there."),
        });
    }
    let names: Vec<String> = new.iter().map(|(_, item, _)| item.name()).chain(taken).collect();
    plan.changes.extend(place_entries(context, &new));
    if names.is_empty() && ids.is_empty() {
        let words = match (same, kept.len()) {
            (0, 0) => "nothing to import".to_owned(),
            (same, 0) => format!("all {same} entries are already here, unchanged"),
            _ => "nothing new".to_owned(),
        };
        return Err(if plan.notes.is_empty() {
            words
        } else {
            format!("{words}. {}", plan.notes.join(" "))
        });
    }
    plan.changes.extend(ids);
    plan.label = match names.is_empty() {
        true => IDS.to_owned(),
        false => format!("import {}", named(&names)),
    };
    Ok(plan)
}

/// What is there, by what becomes of it; most are names.
#[derive(Default)]
struct Sorted<'i> {
    new: Vec<MissingEntry<'i>>,
    /// How many are here as they are there.
    same: usize,
    /// Different ones, of which the workspace's stay, and those that are taken.
    kept: Vec<String>,
    taken: Vec<String>,
    unread: Vec<String>,
    /// Those whose token stays there.
    tokens: Vec<String>,
    /// Those that the system brings itself.
    own: Vec<String>,
    /// What takes the different ones in.
    changes: Vec<Change>,
    /// What writes the ids that they have there.
    ids: Vec<Change>,
}

impl<'i> Sorted<'i> {
    fn add(&mut self, context: ComposeContext<'_>, item: &'i Item, differing: ConflictChoice) {
        let deployment = by_id(item.system).and_then(|system| system.deployment());
        let Some((deployment, mut value)) = deployment.zip(item.parse_value()) else {
            self.unread.push(item.name());
            return;
        };
        let known = context.catalog.entries().find(|entry| deployment.is_named(entry, item));
        if known.is_none() && deployment.is_own(item) {
            self.own.push(item.name());
            return;
        }
        // A secret has no place in a file of the workspace.
        let members = value.as_object_mut().zip(deployment.secret());
        if members.and_then(|(members, secret)| members.shift_remove(secret)).is_some() {
            self.tokens.push(item.name());
        }
        let value = deployment.file_value(value);
        let Some(entry) = known else {
            self.new.push((deployment, item, value));
            return;
        };
        let value = deployment.imported_value(entry, value);
        if deployment.is_same(item, (*entry.value).clone(), &value) {
            self.same += 1;
            self.ids.extend(id_change(deployment, entry, item));
        } else if differing == ConflictChoice::Keep {
            self.kept.push(item.name());
        } else {
            self.taken.push(item.name());
            self.changes.push(replace_entry(entry, value));
        }
    }
}

/// The changes that keep the ids which a running system gave its entries; `None` where the workspace
/// has them all.
#[must_use]
pub(crate) fn plan_given_ids(context: ComposeContext<'_>, items: &[Item]) -> Option<Plan> {
    let mut plan = Plan { label: IDS.to_owned(), ..Plan::default() };
    for item in items {
        let Some(deployment) = by_id(item.system).and_then(|system| system.deployment()) else {
            continue;
        };
        let entries = context.catalog.entries();
        let named = entries.filter(|entry| deployment.is_named(entry, item));
        plan.changes.extend(named.filter_map(|entry| id_change(deployment, entry, item)));
    }
    (!plan.changes.is_empty()).then_some(plan)
}

/// The change that keeps the id which the system gave an entry; `None` where the entry says it.
fn id_change(deployment: &dyn Deployment, entry: &Entry, item: &Item) -> Option<Change> {
    let (member, id) = deployment.given_id(entry, item)?;
    let edit = Edit::Set { at: Pointer::root().child(member), to: Value::from(id).into() };
    Some(Change::Entry(EntryEdit { entry: entry.id.clone(), edit }))
}

/// The whole entry again, in the form it has here.
fn replace_entry(entry: &Entry, value: Value) -> Change {
    let place = entry.id.place();
    match place.form {
        EntryForm::Plain => Change::Entry(EntryEdit {
            entry: entry.id.clone(),
            edit: Edit::Set { at: Pointer::root(), to: value.into() },
        }),
        EntryForm::JsonText => {
            let edit = Edit::Set { at: place.at.clone(), to: value.to_string().into() };
            Change::File { file: place.file.clone(), document: place.document, edit }
        }
    }
}

/// New entries, where the layout of their system puts them.
fn place_entries(context: ComposeContext<'_>, new: &[MissingEntry<'_>]) -> Vec<Change> {
    let Some((deployment, ..)) = new.first() else { return Vec::new() };
    match deployment.layout() {
        Layout::Sections(name) => place_in_sections(context, name, new),
        Layout::Each(folder) => {
            let mut taken = Vec::new();
            new.iter()
                .map(|(_, item, value)| place_in_own_file(context, folder, item, value, &mut taken))
                .collect()
        }
    }
}

/// In maps by their sections, in the file for them.
fn place_in_sections(
    context: ComposeContext<'_>,
    name: &str,
    new: &[MissingEntry<'_>],
) -> Vec<Change> {
    let file = FileId::new(format!("{name}.yaml"));
    let readable = |file: &FileId| {
        let document = context.documents.present(file)?;
        Some(document.source.as_ref().ok()?.value(0).is_some_and(|value| value.is_object()))
    };
    if readable(&file) == Some(true) {
        let set = |(_, item, value): &MissingEntry<'_>| {
            let at = Pointer::root().child(item.section).child(item.key.as_str());
            Change::File {
                file: file.clone(),
                document: 0,
                edit: Edit::Set { at, to: value.clone().into() },
            }
        };
        return new.iter().map(set).collect();
    }
    let mut root = Map::new();
    for (_, item, value) in new {
        root.entry(item.section).or_insert_with(|| json!({}))[item.key.as_str()] = value.clone();
    }
    let text = print::print_value(Format::Yaml, &Value::Object(root)).into();
    free_file_name(context, name, &[])
        .map(|file| Change::Create { file, text })
        .into_iter()
        .collect()
}

/// One in a file of its own.
fn place_in_own_file(
    context: ComposeContext<'_>,
    folder: &str,
    item: &Item,
    value: &Value,
    taken: &mut Vec<FileId>,
) -> Change {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    let safe: String = item.key.chars().map(plain).take(80).collect();
    let name = safe.trim_start_matches('.');
    let stem = format!("{folder}/{}", if name.is_empty() { "tool" } else { name });
    let file = free_file_name(context, &stem, taken)
        .unwrap_or_else(|| FileId::new(format!("{stem}.yaml")));
    taken.push(file.clone());
    Change::Create { file, text: print::print_value(Format::Yaml, value).into() }
}

/// A name that no file has yet.
fn free_file_name(context: ComposeContext<'_>, stem: &str, taken: &[FileId]) -> Option<FileId> {
    let is_free = |file: &FileId| {
        !taken.contains(file) && context.documents.get(file).is_none_or(|document| document.gone)
    };
    numbered_names(stem).map(|name| FileId::new(format!("{name}.yaml"))).find(is_free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::documents::{Document, Documents},
        model::context::Mode,
        syntax::source::Source,
        systems::read,
    };

    const HERE: &str = "# ours\ntool:\n  ask: {type: text-completion, name: ask, description: Asks}   # the first\n  say: {type: prompt, name: say, description: Says, template: say}\n";

    fn there() -> Vec<Item> {
        let item = |section, key: &str, text: &str| Item {
            system: "trustgraph",
            section,
            key: key.into(),
            text: text.into(),
        };
        vec![
            item(
                "tool",
                "ask",
                r#"{"name": "ask", "type": "text-completion", "description": "Asks"}"#,
            ),
            item(
                "tool",
                "say",
                r#"{"type": "prompt", "name": "say", "description": "Says", "template": "other"}"#,
            ),
            item("tool", "new", r#"{"type": "text-completion", "name": "new"}"#),
            item("tool", "bad", "{broken"),
            item("mcp", "echo", r#"{"url": "http://h", "auth-token": "hunter2"}"#),
        ]
    }

    fn after(
        name: &str,
        text: &str,
        differing: ConflictChoice,
    ) -> (Result<Plan, String>, Vec<(String, String)>) {
        let mut documents = Documents::default();
        let (file, source) = (FileId::new(name), Source::parse(Format::Yaml, text).unwrap());
        documents.load_document(
            file.clone(),
            Document::from_disk(Format::Yaml, text.into(), Ok(source.clone())),
        );
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let plan = plan_import(
            ComposeContext { catalog: &catalog, documents: &documents },
            &there(),
            differing,
        );
        let files =
            plan.as_ref().map_or_else(|_| Vec::new(), |plan| plan.file_plans(&documents).unwrap());
        let texts = files
            .into_iter()
            .map(|file| (file.file.to_string(), file.after.unwrap().to_string()))
            .collect();
        (plan, texts)
    }

    #[test]
    fn new_entries_get_a_file_and_what_differs_is_kept_unless_asked() {
        let (plan, files) = after("ours.yaml", HERE, ConflictChoice::Keep);
        let notes = plan.unwrap().notes.join(" ");
        assert_eq!(files.len(), 1);
        let (name, text) = &files[0];
        assert_eq!(name, "trustgraph.yaml");
        assert!(
            text.contains("new:") && text.contains("url: http://h") && !text.contains("hunter2"),
            "{text}"
        );
        for word in ["tool/bad", "tool/say", "mcp/echo"] {
            assert!(notes.contains(word), "{notes}");
        }
        let (_, files) = after("ours.yaml", HERE, ConflictChoice::Overwrite);
        let (_, text) = files.iter().find(|(name, _)| name == "ours.yaml").unwrap();
        assert!(
            text.starts_with("# ours\ntool:\n  ask: {type: text-completion, name: ask, description: Asks}   # the first\n"),
            "{text}"
        );
        assert!(text.contains("other") && !text.contains("template: say"), "{text}");
    }

    #[test]
    fn an_import_goes_into_the_file_of_the_one_before() {
        let (_, files) = after("trustgraph.yaml", HERE, ConflictChoice::Keep);
        assert_eq!(files.len(), 1);
        assert!(
            files[0].1.starts_with(HERE.lines().next().unwrap()) && files[0].1.contains("echo"),
            "{}",
            files[0].1
        );
    }
}
