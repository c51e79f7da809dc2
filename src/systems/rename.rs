//! Renames across references: keys of services and servers, groups, states.

use std::sync::Arc;

use serde_json::Value;

use super::by_id;
use crate::{
    model::{
        catalog::Catalog,
        entry::{Entry, EntryId, EntryKind},
        finding::EntryEdit,
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// The tools that name an entry by its key.
#[must_use]
pub(crate) fn referencing_tools(entry: &Entry, catalog: &Catalog) -> Vec<EntryId> {
    references_to(entry, catalog).map(|(tool, _)| tool.id().clone()).collect()
}

/// The edits inside entries that go with another key for an entry: in the tools that name it, and
/// of its own name and id where they are the key. The key itself is outside the entry (a member's
/// key, a file's name) and is the caller's to change, after these.
#[must_use]
pub(crate) fn key_edits(entry: &Entry, key: &str, catalog: &Catalog) -> Vec<EntryEdit> {
    let own = own_name(entry).map(|at| set_edit(&entry.id, at, key));
    own.into_iter()
        .chain(references_to(entry, catalog).map(|(tool, at)| set_edit(tool.id(), at, key)))
        .collect()
}

/// The member that goes with an entry's key: the one that it is read from, or a name or id that is
/// the same.
#[must_use]
pub(crate) fn own_name(entry: &Entry) -> Option<Pointer> {
    let same = match entry.kind {
        EntryKind::Tool => "name",
        EntryKind::Service | EntryKind::Server | EntryKind::Schema => "id",
    };
    let same = || {
        (entry.value.get(same).and_then(Value::as_str) == Some(&entry.key))
            .then(|| Pointer::root().child(same))
    };
    by_id(entry.system).and_then(|system| system.key_at(entry)).or_else(same)
}

fn references_to<'c>(
    entry: &'c Entry,
    catalog: &'c Catalog,
) -> impl Iterator<Item = (&'c Tool, Pointer)> {
    let system = by_id(entry.system);
    let tools = catalog
        .tools
        .iter()
        .filter(move |tool| entry.kind != EntryKind::Tool && tool.entry.system == entry.system);
    tools.filter_map(move |tool| {
        let named = system?.tool_reference(tool)?;
        (named.kind == entry.kind && named.key == entry.key).then_some((&**tool, named.at))
    })
}

fn set_edit(entry: &EntryId, at: Pointer, to: &str) -> EntryEdit {
    EntryEdit { entry: entry.clone(), edit: Edit::Set { at, to: to.into() } }
}

/// The edits that give a group another name on every tool; a tool that is in both is in one.
#[must_use]
pub(crate) fn group_edits(from: &str, to: &str, catalog: &Catalog) -> Vec<EntryEdit> {
    catalog.tools.iter().flat_map(|tool| in_member(tool, tool.keys.groups, from, to)).collect()
}

/// The edits that give a state another name on every tool that lists it or leads to it.
#[must_use]
pub(crate) fn state_edits(from: &str, to: &str, catalog: &Catalog) -> Vec<EntryEdit> {
    let edits = |tool: &Arc<Tool>| {
        let mut edits = in_member(tool, tool.keys.states, from, to);
        edits.extend(in_member(tool, tool.keys.next, from, to));
        edits
    };
    catalog.tools.iter().flat_map(edits).collect()
}

/// Edits of a member that holds a name or a list of names. Items are taken out from the last to the
/// first, so that places stay true.
fn in_member(tool: &Tool, key: &str, from: &str, to: &str) -> Vec<EntryEdit> {
    let at = Pointer::root().child(key);
    match tool.entry.value.get(key) {
        Some(Value::String(name)) if name == from => vec![set_edit(tool.id(), at, to)],
        Some(Value::Array(items)) => {
            let mut there = items.iter().any(|item| item.as_str() == Some(to));
            let rows = items
                .iter()
                .enumerate()
                .filter(|(_, item)| item.as_str() == Some(from))
                .map(|(row, _)| row);
            let mut edits: Vec<EntryEdit> = rows
                .map(|row| {
                    let edit = if there {
                        Edit::Remove { at: at.item(row) }
                    } else {
                        Edit::Set { at: at.item(row), to: to.into() }
                    };
                    there = true;
                    EntryEdit { entry: tool.id().clone(), edit }
                })
                .collect();
            edits.reverse();
            edits
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::read,
    };

    const TEXT: &str = "\
tool:
  joke: {type: tool-service, name: joke, service: jokes, group: [a, b], state: done, applicable-states: [undefined, done]}
  echo: {type: mcp-tool, name: Echo, mcp_tool_id: jokes, group: b}
tool-service:
  jokes: {id: jokes, request-queue: x, response-queue: y}
mcp:
  jokes: {url: http://localhost}
";

    fn catalog(text: &str) -> Catalog {
        read::read_catalog(
            [(&FileId::new("t.yaml"), &Source::parse(Format::Yaml, text).unwrap())],
            Mode::Document,
        )
    }

    /// The text after edits, one after another.
    fn after(edits: &[EntryEdit]) -> String {
        let start = Source::parse(Format::Yaml, TEXT).unwrap();
        let edited = edits.iter().fold(start, |source, EntryEdit { entry, edit }| {
            source.apply(0, &edit.with_prefix(&entry.place().at)).unwrap().0
        });
        edited.text().to_string()
    }

    #[test]
    fn a_services_key_changes_where_tools_name_it() {
        let catalog = catalog(TEXT);
        let service = &catalog.services[0].entry;
        assert_eq!(referencing_tools(service, &catalog), [catalog.tools[0].id().clone()]);
        let text = after(&key_edits(service, "humour", &catalog));
        assert_eq!(
            text,
            TEXT.replace("service: jokes", "service: humour").replace("{id: jokes", "{id: humour")
        );
    }

    #[test]
    fn a_servers_key_changes_where_tools_name_it() {
        let catalog = catalog(TEXT);
        let text = after(&key_edits(&catalog.others[0], "humour", &catalog));
        assert_eq!(text, TEXT.replace("mcp_tool_id: jokes", "mcp_tool_id: humour"));
    }

    #[test]
    fn a_tools_name_changes_where_it_is_the_key() {
        let catalog = catalog(TEXT);
        assert_eq!(
            after(&key_edits(&catalog.tools[0].entry, "pun", &catalog)),
            TEXT.replace("name: joke,", "name: pun,")
        );
        assert_eq!(after(&key_edits(&catalog.tools[1].entry, "pun", &catalog)), TEXT);
    }

    #[test]
    fn groups_and_states_change_everywhere() {
        let catalog = catalog(TEXT);
        assert_eq!(
            after(&group_edits("b", "c", &catalog)),
            TEXT.replace("[a, b]", "[a, c]").replace("group: b}", "group: c}")
        );
        assert_eq!(
            after(&group_edits("b", "a", &catalog)),
            TEXT.replace("[a, b]", "[a]").replace("group: b}", "group: a}")
        );
        let told = TEXT
            .replace("state: done", "state: told")
            .replace("[undefined, done]", "[undefined, told]");
        assert_eq!(after(&state_edits("done", "told", &catalog)), told);
    }
}
