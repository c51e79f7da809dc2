//! The workspace as it stands, as far as composing reads it.

use serde_json::Value;

use crate::{
    app::{
        documents::{Change, Documents},
        state::State,
    },
    engine::mentions::{Named, Naming, find_mentions},
    model::{
        catalog::Catalog,
        context::{ANY, Name},
        entry::{EntryId, FileId},
        settings::SETTINGS,
        tool::{Audience, Gate, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems,
};

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
        self.catalog.tool(id).ok_or_else(|| "this tool is no longer there".to_owned())
    }

    /// The same, where it can have groups and states.
    ///
    /// # Errors
    /// When it is no longer there, or its system knows neither.
    pub fn gated_tool(self, id: &EntryId) -> Result<&'s Tool, String> {
        let tool = self.tool(id)?;
        match &tool.gate.offer {
            Audience::ToGroups | Audience::ToNone(_) => Ok(tool),
            Audience::ToAll => {
                let system = systems::by_id(tool.entry.system)
                    .map_or(tool.entry.system, |system| system.title());
                Err(format!(
                    "{} is a tool of {system}, which knows no groups and no states: it is always available",
                    tool.entry.key
                ))
            }
        }
    }

    /// The changes after which a tool has this gate.
    #[must_use]
    pub fn regate_changes(self, tool: &Tool, to: &Gate) -> Vec<Change> {
        let gates = systems::by_id(tool.entry.system).and_then(|system| system.gates());
        let edits =
            gates.map(|gates| gates.gate_edits(tool, to, self.catalog.mode)).unwrap_or_default();
        edits.into_iter().map(Change::Entry).collect()
    }

    /// What the workspace's settings file says, while it can be read.
    #[must_use]
    pub fn settings_value(self) -> Option<&'s Value> {
        let document =
            self.documents.get(&FileId::new(SETTINGS)).filter(|document| !document.gone)?;
        document.source.as_ref().ok()?.value(0).map(|value| &**value)
    }

    /// The change that sets a member of the settings file; without that file, one that makes it.
    #[must_use]
    pub fn in_settings(self, edit: Edit, text_of_new: impl FnOnce() -> String) -> Change {
        let file = FileId::new(SETTINGS);
        match self.documents.get(&file).filter(|document| !document.gone) {
            Some(_) => Change::File { file, document: 0, edit },
            None => Change::Create { file, text: text_of_new().into() },
        }
    }

    /// Every place outside descriptors that names a state, a group or a tool.
    #[must_use]
    pub fn find_mentions(self, named: Named, name: &str) -> Vec<Mention> {
        let mut all = Vec::new();
        for (file, document) in self.documents.iter() {
            let Ok(source) = &document.source else { continue };
            // Neither settings nor scenarios are texts of sections: those are large descriptors.
            let rows = (0..source.document_count()).filter(|row| source.sections(*row).is_none());
            for row in rows {
                let Some(value) = source.value(row) else { continue };
                let is_settings = file.as_str() == SETTINGS;
                let naming =
                    if is_settings { Some(Naming::Settings) } else { Naming::of_scenario(value) };
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

    /// In the workspace's own lists a tool's name wins over a group's.
    fn is_tool_member(self, named: Named, at: &Pointer, name: &str) -> bool {
        named == Named::Group
            && at.tokens().first().is_some_and(|token| token == "groups")
            && self.catalog.tool_called(name).is_some()
    }

    /// The changes that give these places another name; in a list that holds it already, the item
    /// goes instead.
    #[must_use]
    pub fn rename_mentions(self, places: &[Mention], to: &str) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        let mut joined: Vec<(&FileId, usize, Pointer)> = Vec::new();
        for Mention { file, document, at, .. } in places {
            let list = at.last_index().and_then(|_| at.parent());
            let has = list.as_ref().is_some_and(|list| {
                let source =
                    self.documents.get(file).and_then(|document| document.source.as_ref().ok());
                let items = source
                    .and_then(|source| list.get(source.value(*document)?))
                    .and_then(Value::as_array);
                let key = (file, *document, list.clone());
                let again = joined.contains(&key);
                joined.push(key);
                again || items.into_iter().flatten().any(|item| item.as_str() == Some(to))
            });
            let edit = if has {
                Edit::Remove { at: at.clone() }
            } else {
                Edit::Set { at: at.clone(), to: to.into() }
            };
            changes.push(Change::File { file: file.clone(), document: *document, edit });
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

/// A name for a state or a group, as it may be written.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_name(text: &str, what: &str) -> Result<Name, String> {
    match text {
        "" => Err(format!("the {what} needs a name")),
        ANY => Err(format!("\"*\" stands for every {what}; it can't be the name of one")),
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
