//! What is going to be changed, to be looked at first: changes of files, and what else follows from
//! them.

use std::sync::Arc;

use crate::{
    app::{
        actions::ActionId,
        documents::{Change, ChangeError, Documents, Renamed},
        keymap::Keymap,
    },
    engine::mentions::NameKind,
    model::{context::Name, entry::FileId},
    schema::count::first_names,
};

/// Changes that are made together, as one step of undo.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What the step is called in undo: `draw ask: undefined → analysis`.
    pub label: String,
    pub changes: Vec<Change>,
    /// What a user should know before: sentences.
    pub notes: Vec<String>,
    /// What has another name then; the run goes by it.
    pub renamed: Option<Renaming>,
}

/// Verbs that labels begin with, and what they are once it is done.
const DONE: &[(&str, &str)] = &[
    ("accept", "Accepted"),
    ("add", "Added"),
    ("change", "Changed"),
    ("convert", "Converted"),
    ("delete", "Deleted"),
    ("draw", "Drew"),
    ("duplicate", "Duplicated"),
    ("edit", "Edited"),
    ("import", "Imported"),
    ("keep", "Kept"),
    ("list", "Listed"),
    ("make", "Made"),
    ("merge", "Merged"),
    ("move", "Moved"),
    ("name", "Named"),
    ("new", "Added"),
    ("paste", "Pasted"),
    ("remove", "Removed"),
    ("rename", "Renamed"),
    ("save", "Saved"),
    ("set", "Set"),
    ("split", "Split"),
    ("tick", "Ticked"),
    ("trim", "Trimmed"),
    ("untick", "Unticked"),
    ("update", "Updated"),
    ("use", "Used"),
    ("write", "Wrote"),
];

/// A plan's renaming.
#[derive(Clone, Debug, PartialEq)]
pub struct Renaming {
    pub renamed: Renamed,
    /// The new name was there already. Taking this back does not tell the two apart again.
    pub joins: bool,
}

/// What a plan makes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    pub file: FileId,
    /// The text now; `None`: there is no such file.
    pub before: Option<Arc<str>>,
    /// The text then; `None`: the file goes.
    pub after: Option<Arc<str>>,
}

impl Plan {
    #[must_use]
    pub fn new(label: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { label: label.into(), changes, ..Self::default() }
    }

    /// What is said once it is made: `Added state review; S saves, u undoes`.
    #[must_use]
    pub(crate) fn done_words(&self, keymap: &Keymap, save: ActionId) -> String {
        let done = |(verb, rest): (&str, &str)| {
            let (_, done) = DONE.iter().find(|(known, _)| *known == verb)?;
            Some(format!("{done} {rest}"))
        };
        let done = self.label.split_once(' ').and_then(done).unwrap_or_else(|| self.label.clone());
        format!("{done}; {} saves, {} undoes", keymap.way_to(save), keymap.way_to("undo"))
    }

    /// The same with something more to know.
    #[must_use]
    pub fn with_note(mut self, note: Option<String>) -> Self {
        self.notes.extend(note);
        self
    }

    /// The same, by which something gets another name.
    #[must_use]
    pub fn with_renaming(mut self, what: NameKind, from: &str, to: &Name, joins: bool) -> Self {
        self.renamed =
            Some(Renaming { renamed: Renamed { what, from: from.into(), to: to.clone() }, joins });
        self
    }

    /// What it makes of each file that it changes.
    ///
    /// # Errors
    /// When it cannot be made as the files stand.
    pub fn file_plans(&self, documents: &Documents) -> Result<Vec<FilePlan>, ChangeError> {
        let after = documents.preview_changes(&self.changes)?;
        let text = |documents: &Documents, file: &FileId| {
            documents.present(file).map(|document| document.text.whole_text().clone())
        };
        let mut files: Vec<FileId> =
            self.changes.iter().map(|change| change.file().clone()).collect();
        files.sort();
        files.dedup();
        let plans = files.into_iter().map(|file| FilePlan {
            before: text(documents, &file),
            after: text(&after, &file),
            file,
        });
        Ok(plans.filter(|plan| plan.before != plan.after).collect())
    }
}

/// A list of names in words: `a, b and 3 more`.
#[must_use]
pub(crate) fn list_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const NAMED: usize = 6;
    let names: Vec<&str> = names.into_iter().collect();
    // One more has the room of these words.
    let most = if names.len() == NAMED + 1 { names.len() } else { NAMED };
    first_names(&names, most)
}
