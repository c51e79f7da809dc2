//! Files that hold tools of a target, and the edits that take a new version into them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;

use super::writing::{FileChange, is_file};
use crate::{
    cli::{global::Global, opened::OpenWorkspace, report_paths::typed_path},
    engine::portable::{formats::find_list, openapi, update::edits_between},
    model::{
        context::Mode,
        entry::{EntryForm, EntryPlace, FileId},
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
    },
    schema::{equal::values_equal, pointer::Pointer},
    store::files,
    syntax::{
        edit::{Edit, EditError},
        nested,
        source::Source,
    },
    systems::{comparison::SideTool, convert, target::Target, update::ToolThere},
};

/// The tools that are there.
pub(super) struct ToolFiles {
    pub files: Vec<TargetFile>,
    pub tools: Vec<FoundTool>,
    /// A list that is no file of a workspace: its file and where it is in it.
    list: Option<(usize, Pointer)>,
    pub mode: Mode,
}

/// A tool and where it is.
pub(super) struct FoundTool {
    pub there: ToolThere,
    /// The row of its file.
    pub file: usize,
    pub place: EntryPlace,
}

impl ToolFiles {
    /// The tools of a target in a file or a folder.
    ///
    /// # Errors
    /// When a file there can't be read, or holds something else.
    pub fn find(path: &Path, target: Target, global: &Global) -> Result<Self, Problem> {
        let mode = global.mode.map_or_else(Mode::default, Mode::from);
        let nothing = Self { files: Vec::new(), tools: Vec::new(), list: None, mode };
        match target {
            Target::System(system, _) => {
                let found = Self::find_entries(path, system.id(), global)?;
                match found.tools.is_empty() && path.is_file() {
                    true => nothing.with_list(path, target),
                    false => Ok(found),
                }
            }
            Target::Format(format) => {
                let own = path.join(format!("{}.json", format.word));
                let file = if is_file(path) { path } else { own.as_path() };
                match file.exists() {
                    true => nothing.with_list(file, target),
                    false => Ok(nothing),
                }
            }
        }
    }

    fn find_entries(path: &Path, system: &str, global: &Global) -> Result<Self, Problem> {
        let opened = OpenWorkspace::read_workspace(global, Some(path))?;
        opened.check_asked()?;
        let mut found =
            Self { files: Vec::new(), tools: Vec::new(), list: None, mode: opened.catalog.mode };
        let is_there = |file: &FileId| opened.is_asked(file) && file.as_str() != SETTINGS;
        for tool in &opened.catalog.tools {
            let place = tool.entry.id.place();
            let known = opened.source(&place.file).zip(SideTool::of_tool(tool));
            let Some((source, side)) =
                known.filter(|_| tool.entry.system == system && is_there(&place.file))
            else {
                continue;
            };
            let path = opened.workspace.file_path(&place.file);
            let row = found.files.iter().position(|file| file.path == path).unwrap_or_else(|| {
                let root = opened.workspace.root.clone();
                let shown = opened.display_path(&place.file);
                found.files.push(TargetFile::new(root, path, shown, source.clone()));
                found.files.len() - 1
            });
            let value = Value::clone(&tool.entry.value.parsed());
            let there = ToolThere { tool: side, value };
            found.tools.push(FoundTool { there, file: row, place: place.clone() });
        }
        Ok(found)
    }

    /// The same with the tools of a list of functions.
    fn with_list(mut self, path: &Path, target: Target) -> Result<Self, Problem> {
        let shown = path.display().to_string();
        let refused = |cause: String, remedy: &str| {
            Problem::new(ProblemKind::Input, format!("updating {shown}"), cause).with_remedy(remedy)
        };
        let read = files::read_text(path)?;
        let source = Source::of_file(path, read.text)
            .map_err(|error| refused(error.to_string(), "correct it first"))?;
        let value = source.value(0).map(|value| Value::clone(value)).unwrap_or_default();
        if value.get(openapi::FORM).is_some() {
            return Err(refused(
                "an OpenAPI document that is there isn't updated".to_owned(),
                "write another file with --out, and compare the two with `toolcrib diff`",
            ));
        }
        let packed = convert::pack_document(&value).map(|(packed, _)| packed);
        let Some((list, _)) = find_list(&value) else {
            let cause = format!("it holds no tools of {}", target.title());
            return Err(refused(cause, "name a file or a folder that does, or omit --update"));
        };
        for one in packed.into_iter().flatten() {
            let form = one.origin.form;
            if !["", target.word()].contains(&form) {
                let cause =
                    format!("its tools are in the form of {form}, not of {}", target.word());
                return Err(refused(
                    cause,
                    "name another file with --out, or another form with --to",
                ));
            }
            let at = one.origin.at.clone();
            let value = at.get(&value).cloned().unwrap_or_default();
            let there = ToolThere { tool: SideTool::of_baggage(one), value };
            let file = FileId::new(shown.as_str());
            let place = EntryPlace::plain(file, 0, at);
            self.tools.push(FoundTool { there, file: 0, place });
        }
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let root = whole.parent().unwrap_or(&whole).to_owned();
        self.files.push(TargetFile::new(root, whole, typed_path(path), source));
        self.list = Some((0, list));
        Ok(self)
    }

    /// Writes a value in the place of a tool's.
    pub fn put(&mut self, tool: usize, value: &Value) -> Result<(), Problem> {
        let FoundTool { there, file, place } = &self.tools[tool];
        self.files[*file].put(place, value, &there.tool.label())
    }

    /// Adds the tools of a file as a target writes it, to where others of their kind are; `false`
    /// where none are.
    pub fn add(&mut self, written: &Value) -> Result<bool, Problem> {
        if let Some((file, list)) = self.list.clone() {
            let items = find_list(written).map(|(_, items)| items.clone()).unwrap_or_default();
            let place = Home { document: 0, prefix: Pointer::root(), form: EntryForm::Plain };
            items.iter().try_for_each(|item| self.files[file].append(&place, &list, item))?;
            return Ok(true);
        }
        let Some((member, file, home)) = self.home_of(written) else { return Ok(false) };
        for (section, value) in written.as_object().into_iter().flatten() {
            let at = home.prefix.child(section);
            match value {
                Value::Object(entries) => {
                    for (key, entry) in entries {
                        let is_tool = *section == member;
                        self.files[file].insert(&home, &at.child(key), entry, is_tool)?;
                    }
                }
                Value::Array(items) => {
                    for item in items {
                        self.files[file].append(&home, &at, item)?;
                    }
                }
                _ => {}
            }
        }
        Ok(true)
    }

    /// The member of a written file that holds tools, and where one of that name holds some already.
    fn home_of(&self, written: &Value) -> Option<(String, usize, Home)> {
        let members = written.as_object()?;
        let find = |found: &FoundTool| {
            let holder = found.place.at.parent()?;
            let member = holder.last().filter(|member| members.contains_key(*member))?.to_owned();
            let EntryPlace { document, form, .. } = found.place;
            Some((member, found.file, Home { document, prefix: holder.parent()?, form }))
        };
        self.tools.iter().find_map(find)
    }

    /// What becomes of the files, once it is sure that nothing else does.
    pub fn finish(&mut self, target: Target) -> Result<Vec<FileChange>, Problem> {
        let mut changes = Vec::new();
        for file in &mut self.files {
            if let Target::System(_, portable) = target {
                file.edit_beside(|before, after| portable.edits_beside(before, after))?;
            }
            changes.extend(file.finish()?);
        }
        Ok(changes)
    }
}

/// Where sections of entries are.
struct Home {
    document: usize,
    prefix: Pointer,
    form: EntryForm,
}

/// A file with tools, and what is made of it.
pub(super) struct TargetFile {
    root: PathBuf,
    pub path: PathBuf,
    pub shown: String,
    before: Source,
    source: Source,
    /// What its documents are to say.
    wanted: Vec<Value>,
}

impl TargetFile {
    fn new(root: PathBuf, path: PathBuf, shown: String, source: Source) -> Self {
        let value = |document| source.value(document).map(|value| Value::clone(value));
        let wanted =
            (0..source.document_count()).map(|document| value(document).unwrap_or_default());
        Self { wanted: wanted.collect(), root, path, shown, before: source.clone(), source }
    }

    fn refused(&self, cause: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Input, format!("updating {}", self.shown), cause)
    }

    /// What an entry says; of a long text nothing else is read for that.
    fn entry_value(&self, place: &EntryPlace) -> Option<Value> {
        if let Some(value) = self.source.section_member(place.document, &place.at) {
            return Some(Value::clone(&value.parsed()));
        }
        place.at.get(self.source.value(place.document)?).cloned()
    }

    /// Writes a value in the place of an entry's, each of the least that differs.
    fn put(&mut self, place: &EntryPlace, to: &Value, tool: &str) -> Result<(), Problem> {
        let edited = match place.form {
            EntryForm::Plain => {
                set_at(&mut self.wanted[place.document], &place.at, to.clone());
                self.put_plain(place, to)
            }
            EntryForm::JsonText => self.put_text(place, to),
        };
        edited.map_err(|error| {
            self.refused(format!("{tool}: {error}")).with_remedy("correct it there, and try again")
        })
    }

    fn put_plain(&mut self, place: &EntryPlace, to: &Value) -> Result<(), EditError> {
        let now = self.entry_value(place);
        let now = now.ok_or_else(|| EditError::NoSuchPlace(place.at.clone()))?;
        for edit in edits_between(&now, to) {
            match self.source.apply(place.document, &edit.with_prefix(&place.at)) {
                Ok((source, _)) => self.source = source,
                Err(EditError::Merged(_)) => {
                    self.source = self.write_out(place, to, edit.pointer())?;
                    // The rest may be written by that.
                    return self.put_plain(place, to);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The text with what comes from an alias written out, as far around as it takes.
    fn write_out(
        &self,
        place: &EntryPlace,
        to: &Value,
        within: &Pointer,
    ) -> Result<Source, EditError> {
        let mut at = within.clone();
        while let Some(parent) = at.parent() {
            at = parent;
            let Some(value) = at.get(to) else { continue };
            let edit = Edit::Set { at: at.clone(), to: value.clone().into() };
            match self.source.apply(place.document, &edit.with_prefix(&place.at)) {
                Err(EditError::Merged(_)) => {}
                // What is written as it was before is no way out.
                Ok((source, _)) if source.text() == self.source.text() => {}
                done => return Ok(done?.0),
            }
        }
        Err(EditError::Merged(within.clone()))
    }

    /// The same of an entry that is a text which holds JSON.
    fn put_text(&mut self, place: &EntryPlace, to: &Value) -> Result<(), EditError> {
        let inner = nested::parse_inner(&self.source, place.document, &place.at)?;
        let now = inner.value(0).map(|value| Value::clone(value)).unwrap_or_default();
        for edit in edits_between(&now, to) {
            let (document, at) = (place.document, &place.at);
            self.source = nested::apply_nested(&self.source, document, at, &edit)?.0;
        }
        let text = self.entry_value(place).unwrap_or_default();
        set_at(&mut self.wanted[place.document], &place.at, text);
        Ok(())
    }

    /// Adds an entry under a key. Where one is there, it stays, unless it is a tool.
    fn insert(
        &mut self,
        home: &Home,
        at: &Pointer,
        entry: &Value,
        is_tool: bool,
    ) -> Result<(), Problem> {
        if at.get(&self.wanted[home.document]).is_some() {
            let key = at.last().unwrap_or_default();
            return match is_tool {
                true => Err(self
                    .refused(format!("the key \"{key}\" is another tool's"))
                    .with_remedy("name one of the two tools otherwise")),
                false => Ok(()),
            };
        }
        let entry = match home.form {
            EntryForm::Plain => entry.clone(),
            EntryForm::JsonText => entry.to_string().into(),
        };
        self.make(home, at, &entry, &Edit::Set { at: at.clone(), to: entry.clone().into() })
    }

    /// Adds an item to a list.
    fn append(&mut self, home: &Home, list: &Pointer, item: &Value) -> Result<(), Problem> {
        let length = list.get(&self.wanted[home.document]).and_then(Value::as_array).map(Vec::len);
        let at = list.item(length.unwrap_or_default());
        self.make(home, &at, item, &Edit::Insert { at: at.clone(), item: item.clone().into() })
    }

    fn make(&mut self, home: &Home, at: &Pointer, to: &Value, edit: &Edit) -> Result<(), Problem> {
        let made = self.source.apply(home.document, edit);
        self.source = made.map_err(|error| self.refused(error.to_string()))?.0;
        set_at(&mut self.wanted[home.document], at, to.clone());
        Ok(())
    }

    /// Makes the edits that go with those of entries.
    fn edit_beside(&mut self, edits: impl Fn(&Value, &Value) -> Vec<Edit>) -> Result<(), Problem> {
        for document in 0..self.wanted.len() {
            let before = self.before.value(document).map(|value| Value::clone(value));
            for edit in edits(&before.unwrap_or_default(), &self.wanted[document]) {
                if let Edit::Set { at, to } = &edit {
                    let (at, to) = (at.clone(), to.value().clone());
                    let home = Home { document, prefix: Pointer::root(), form: EntryForm::Plain };
                    self.make(&home, &at, &to, &edit)?;
                }
            }
        }
        Ok(())
    }

    /// What becomes of it, if that says what it is to say, and nothing else.
    fn finish(&self) -> Result<Option<FileChange>, Problem> {
        let is_meant = (0..self.wanted.len()).all(|document| {
            let value = self.source.value(document);
            values_equal(value.map_or(&Value::Null, |value| &**value), &self.wanted[document])
        });
        if !is_meant {
            let cause = "what changes of a tool is used at other places by a YAML alias";
            return Err(self.refused(cause).with_remedy(
                "write it out where it is used, or update all tools that use it at once",
            ));
        }
        let (before, after): (&Arc<str>, &Arc<str>) = (self.before.text(), self.source.text());
        Ok((before != after).then(|| FileChange {
            root: self.root.clone(),
            path: self.path.clone(),
            shown: self.shown.clone(),
            before: Some(before.to_string()),
            after: after.to_string(),
        }))
    }
}

/// Sets, adds or appends a value; a list or an object that is missing on the way is made.
fn set_at(value: &mut Value, at: &Pointer, to: Value) {
    let Some(parent) = at.parent() else {
        *value = to;
        return;
    };
    if parent.get(value).is_none() {
        set_at(value, &parent, Value::Object(serde_json::Map::new()));
    }
    match parent.get_mut(value) {
        Some(Value::Object(members)) => {
            members.insert(at.last().unwrap_or_default().to_owned(), to);
        }
        Some(Value::Array(items)) => match at.last_index() {
            Some(row) if row < items.len() => items[row] = to,
            _ => items.push(to),
        },
        _ => {}
    }
}
