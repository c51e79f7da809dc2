//! The workspace as it is, as far as composing reads it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    app::{
        documents::{Change, Documents},
        state::State,
    },
    engine::{
        mentions::{NameKind, Naming, find_mentions},
        scenario::comments::rename_state,
        settings::gate_table::{self, table_edits},
    },
    model::{
        catalog::Catalog,
        context::{ANY, Name},
        entry::{EntryId, FileId},
        settings::SETTINGS,
        tool::{Audience, Gate, States, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems,
};

/// The key in the settings file of the states that no tool names.
pub(crate) const STATES: &str = "states";

/// What a wish is read against.
#[derive(Clone, Copy)]
pub struct ComposeContext<'s> {
    pub catalog: &'s Catalog,
    pub documents: &'s Documents,
}

/// A place outside descriptors that names a state, a group or a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    pub file: FileId,
    pub document: usize,
    pub at: Pointer,
    pub naming: Naming,
}

impl<'s> ComposeContext<'s> {
    #[must_use]
    pub fn from_state(state: &'s State) -> Self {
        Self { catalog: &state.catalog, documents: &state.documents }
    }

    /// The tool of that identity.
    ///
    /// # Errors
    /// When it is no longer there.
    pub fn tool(self, id: &EntryId) -> Result<&'s Tool, String> {
        self.catalog.tool(id).ok_or_else(|| "this tool no longer exists".to_owned())
    }

    /// The same, where it can have groups and states.
    ///
    /// # Errors
    /// When it is no longer there, or its system knows neither.
    pub fn gated_tool(self, id: &EntryId) -> Result<&'s Tool, String> {
        let tool = self.tool(id)?;
        match &tool.gate.offer {
            _ if tool.gate_table.is_some() => Ok(tool),
            Audience::ToGroups | Audience::ToNone(_) => Ok(tool),
            Audience::ToAll => {
                let system = systems::by_id(tool.entry.system)
                    .map_or(tool.entry.system, |system| system.title());
                Err(format!(
                    "{} is a tool of {system}, which has no groups or states: it is always \
                    available",
                    tool.entry.key
                ))
            }
        }
    }

    /// The changes after which tools have these gates, each where it is written.
    #[must_use]
    pub fn regate_changes<'t>(
        self,
        gates: impl IntoIterator<Item = (&'t Tool, &'t Gate)>,
    ) -> Vec<Change> {
        let (mut changes, mut in_settings) = (Vec::new(), Vec::new());
        let mut named: Vec<Name> = Vec::new();
        for (tool, to) in gates {
            named.extend(newly_named(&tool.gate, to));
            if let Some(table) = &tool.gate_table {
                let now = self.settings_value().and_then(|settings| table.get(settings));
                let edits = table_edits(now, to).into_iter().map(|edit| edit.with_prefix(table));
                in_settings
                    .extend(edits.filter(|edit| !in_settings.contains(edit)).collect::<Vec<_>>());
            } else if let Some(gates) =
                systems::by_id(tool.entry.system).and_then(|system| system.gates())
            {
                let edits = gates.gate_edits(tool, to, self.catalog.mode);
                changes.extend(edits.into_iter().map(Change::Entry));
            }
        }
        in_settings.extend(self.unlisted_states(&named));
        changes.extend(self.settings_changes(in_settings));
        changes
    }

    /// The edits that take states off the list of those that no tool names.
    fn unlisted_states(self, named: &[Name]) -> Vec<Edit> {
        let at = Pointer::root().child(STATES);
        let listed = self.settings_value().and_then(|settings| at.get(settings)?.as_array());
        let rows = listed.into_iter().flatten().enumerate();
        let is_named = |item: &Value| named.iter().any(|name| item.as_str() == Some(&**name));
        let gone: Vec<usize> =
            rows.filter(|(_, item)| is_named(item)).map(|(row, _)| row).collect();
        if !gone.is_empty() && listed.map_or(0, Vec::len) == gone.len() {
            return vec![Edit::Remove { at }];
        }
        gone.into_iter().rev().map(|row| Edit::Remove { at: at.item(row) }).collect()
    }

    /// The changes that make edits of the settings file, which is made where it is not there.
    #[must_use]
    pub fn settings_changes(self, edits: Vec<Edit>) -> Vec<Change> {
        let file = FileId::new(SETTINGS);
        let is_new = self.documents.get(&file).is_none_or(|document| document.gone);
        let new = (is_new && !edits.is_empty())
            .then(|| Change::Create { file: file.clone(), text: "".into() });
        let edits =
            edits.into_iter().map(|edit| Change::File { file: file.clone(), document: 0, edit });
        new.into_iter().chain(edits).collect()
    }

    /// Every place in the tables of tools' gates that names a state or a group.
    #[must_use]
    pub fn gate_mentions(self, named: NameKind, name: &str) -> Vec<Mention> {
        let keys: &[&str] = match named {
            NameKind::State => &[gate_table::STATES, gate_table::NEXT],
            NameKind::Group => &[gate_table::GROUPS],
            NameKind::Tool => &[],
        };
        let Some(settings) = self.settings_value() else { return Vec::new() };
        let tables: BTreeSet<&Pointer> =
            self.catalog.tools.iter().filter_map(|tool| tool.gate_table.as_ref()).collect();
        let mut found = Vec::new();
        for at in tables.into_iter().flat_map(|table| keys.iter().map(|key| table.child(*key))) {
            match at.get(settings) {
                Some(Value::String(text)) if text == name => found.push(at),
                Some(Value::Array(items)) => {
                    let rows = items.iter().enumerate();
                    let rows = rows.filter(|(_, item)| item.as_str() == Some(name));
                    found.extend(rows.map(|(row, _)| at.item(row)));
                }
                _ => {}
            }
        }
        let mention =
            |at| Mention { file: FileId::new(SETTINGS), document: 0, at, naming: Naming::Settings };
        found.into_iter().map(mention).collect()
    }

    /// The change after which the table of a tool's gate is that of the tool's new name; `None`
    /// where there is none, or another tool goes by the name too.
    #[must_use]
    pub fn rename_gate_table(self, tool: &Tool, name: &str) -> Option<Change> {
        let at = self.own_gate_table(tool)?;
        // The table may have the tool's key: `SPACE/NAME`.
        let is_key = at.last() == Some(&tool.entry.key);
        let holder = tool.entry.key.rsplit_once('/').filter(|_| is_key).map(|(holder, _)| holder);
        let key = holder.map_or_else(|| name.to_owned(), |holder| format!("{holder}/{name}"));
        let edit = Edit::Rename { at: at.clone(), key };
        Some(Change::File { file: FileId::new(SETTINGS), document: 0, edit })
    }

    /// The change that takes out the table of a tool's gate; `None` where there is none, or another
    /// tool has it too.
    #[must_use]
    pub fn remove_gate_table(self, tool: &Tool) -> Option<Change> {
        let edit = Edit::Remove { at: self.own_gate_table(tool)?.clone() };
        Some(Change::File { file: FileId::new(SETTINGS), document: 0, edit })
    }

    /// The table of a tool's gate, where it is there and the tool's alone.
    fn own_gate_table(self, tool: &Tool) -> Option<&Pointer> {
        let at = tool.gate_table.as_ref()?;
        at.get(self.settings_value()?)?;
        let others = self.catalog.tools.iter().filter(|other| other.id() != tool.id());
        others.into_iter().all(|other| other.gate_table.as_ref() != Some(at)).then_some(at)
    }
    /// What the workspace's settings file says, while it can be read.
    #[must_use]
    pub fn settings_value(self) -> Option<&'s Value> {
        let document = self.documents.present(&FileId::new(SETTINGS))?;
        document.source.as_ref().ok()?.value(0).map(|value| &**value)
    }

    /// The change that sets a member of the settings file; without that file, one that makes it.
    #[must_use]
    pub fn in_settings(self, edit: Edit, text_of_new: impl FnOnce() -> String) -> Change {
        let file = FileId::new(SETTINGS);
        match self.documents.present(&file) {
            Some(_) => Change::File { file, document: 0, edit },
            None => Change::Create { file, text: text_of_new().into() },
        }
    }

    /// Every place outside descriptors that names a state, a group or a tool.
    #[must_use]
    pub fn find_mentions(self, named: NameKind, name: &str) -> Vec<Mention> {
        let mut all = Vec::new();
        for (file, document) in self.documents.iter() {
            let Ok(source) = &document.source else { continue };
            // Neither settings nor scenarios are texts of sections: those are large descriptors.
            let rows = (0..source.document_count()).filter(|row| source.sections(*row).is_none());
            for row in rows {
                let Some(value) = source.value(row) else { continue };
                let is_settings = file.as_str() == SETTINGS;
                let naming =
                    if is_settings { Some(Naming::Settings) } else { Naming::of_test(value) };
                let Some(naming) = naming else { continue };
                let found = find_mentions(value, naming, named, name).into_iter();
                all.extend(
                    found.filter(|at| !self.is_tool_member(named, at, name)).map(|at| Mention {
                        file: file.clone(),
                        document: row,
                        at,
                        naming,
                    }),
                );
            }
        }
        all
    }

    /// The changes that give a state another name in the comments that kept scenarios have.
    #[must_use]
    pub fn renamed_comments(self, from: &str, to: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        for (file, document) in self.documents.iter() {
            let Ok(source) = &document.source else { continue };
            // The value of a large file as a whole takes long to put together, and stays.
            if source.sections(0).is_some()
                || source.value(0).and_then(|value| Naming::of_test(value))
                    != Some(Naming::Scenario)
            {
                continue;
            }
            let text = source.text().to_string();
            let renamed = rename_state(&text, from, to);
            if renamed != text {
                changes.push(Change::Text { file: file.clone(), text: renamed.into() });
            }
        }
        changes
    }

    /// In the workspace's own lists a tool's name wins over a group's.
    fn is_tool_member(self, named: NameKind, at: &Pointer, name: &str) -> bool {
        named == NameKind::Group
            && at.tokens().first().is_some_and(|token| token == "groups")
            && self.catalog.tool_called(name).is_some()
    }

    /// The changes that give these places another name; in a list that holds it already, the item
    /// goes instead. A stub's rules go by the other name.
    #[must_use]
    pub fn rename_mentions(self, places: &[Mention], to: &str) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        let mut joined: Vec<(FileId, usize, Pointer)> = Vec::new();
        for Mention { file, document, at, naming } in places {
            let (file, document) = (file.clone(), *document);
            if *naming == Naming::Stub {
                let edit = Edit::Rename { at: at.clone(), key: to.to_owned() };
                changes.push(Change::File { file, document, edit });
                continue;
            }
            let list = at.last_index().and_then(|_| at.parent());
            let has = list.as_ref().is_some_and(|list| {
                let source =
                    self.documents.get(&file).and_then(|document| document.source.as_ref().ok());
                let items = source
                    .and_then(|source| list.get(source.value(document)?))
                    .and_then(Value::as_array);
                let key = (file.clone(), document, list.clone());
                let again = joined.contains(&key);
                joined.push(key);
                again || items.into_iter().flatten().any(|item| item.as_str() == Some(to))
            });
            let edit = if has {
                Edit::Remove { at: at.clone() }
            } else {
                Edit::Set { at: at.clone(), to: to.into() }
            };
            changes.push(Change::File { file, document, edit });
        }
        // From the last to the first, so that places stay true.
        changes.reverse();
        changes
    }

    /// The changes that take these places out.
    #[must_use]
    pub fn remove_mentions(places: &[Mention]) -> Vec<Change> {
        let remove = |Mention { file, document, at, .. }: &Mention| Change::File {
            file: file.clone(),
            document: *document,
            edit: Edit::Remove { at: at.clone() },
        };
        places.iter().rev().map(remove).collect()
    }
}

/// The states that a gate names and the one before it did not.
fn newly_named(before: &Gate, after: &Gate) -> Vec<Name> {
    let names = |gate: &Gate| -> Vec<Name> {
        let listed = match &gate.states {
            States::Only(listed) => listed.as_slice(),
            States::Every => &[],
        };
        listed.iter().chain(&gate.next).cloned().collect()
    };
    let known = names(before);
    names(after).into_iter().filter(|name| !known.contains(name)).collect()
}

/// A name for a state or a group, as it may be written.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_name(text: &str, what: &str) -> Result<Name, String> {
    match text {
        "" => Err(format!("the {what} needs a name")),
        ANY => Err(format!("\"*\" means every {what}; it can't be a name")),
        _ if text.chars().any(char::is_control) => {
            Err("a name can't hold control characters".to_owned())
        }
        _ => Ok(text.into()),
    }
}

/// The files that places are in, each once.
#[must_use]
pub(crate) fn files_of<'m>(places: impl IntoIterator<Item = &'m Mention>) -> Vec<&'m str> {
    let mut files: Vec<&str> = places.into_iter().map(|mention| mention.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    files
}
