//! Carries tools from one system or format to another, and says what became of each field: what was
//! written is read again as its system reads it, so that nothing is promised.

use serde_json::Value;

use super::{
    facets::portable::{Portable, PortableFile},
    read,
    system::System,
    table::{by_id, every_system},
};
use crate::{
    engine::portable::{
        fate::{Fate, FateKind},
        formats::{FORMATS, Format, read_document},
        tool::PortableTool,
    },
    model::{
        catalog::Catalog,
        context::Mode,
        entry::{Entry, FileId},
        tool::Tool,
    },
    schema::{phrase::value_text, pointer::Pointer},
    syntax::source::{Format as FileFormat, Source},
};

/// Where tools are carried to.
#[derive(Clone, Copy)]
pub enum Target {
    System(&'static dyn System, &'static dyn Portable),
    Format(&'static Format),
}

impl Target {
    /// Every target: systems, then formats.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let system = |system: &&'static dyn System| Some(Self::System(*system, system.portable()?));
        every_system().iter().filter_map(system).chain(FORMATS.iter().map(Self::Format)).collect()
    }

    #[must_use]
    pub fn by_word(word: &str) -> Option<Self> {
        Self::all().into_iter().find(|target| target.word() == word)
    }

    /// Stable: the command line takes it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::System(system, _) => system.id(),
            Self::Format(format) => format.word,
        }
    }

    /// For people.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self {
            Self::System(system, _) => system.title(),
            Self::Format(format) => format.title,
        }
    }

    /// The files that hold the tools.
    #[must_use]
    pub fn write(&self, tools: &[PortableTool]) -> Vec<PortableFile> {
        match self {
            Self::System(_, portable) => portable.write_tools(tools),
            Self::Format(format) => {
                let path = format!("{}.json", format.word);
                vec![PortableFile { path, value: (format.write)(tools) }]
            }
        }
    }
}

/// A tool to be carried, and what of its entry is left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Baggage {
    pub tool: PortableTool,
    pub lost: Vec<Fate>,
}

/// What can be carried of a tool of the catalog.
#[must_use]
pub fn pack_tool(tool: &Tool, mode: Mode) -> Option<Baggage> {
    let system = by_id(tool.entry.system)?;
    let carried = portable_tool(system, tool);
    let lost = members_without_effect(system, &tool.entry, mode, &carried, tool)
        .into_iter()
        .map(|(at, value)| Fate::lost(at.to_string(), short(&value)))
        .collect();
    Some(Baggage { tool: carried, lost })
}

/// The tools of a document in some format, and what of it isn't read; `None` where it is none that
/// is known.
#[must_use]
pub fn pack_document(document: &Value) -> Option<(Vec<Baggage>, Vec<String>)> {
    let (tools, unread) = read_document(document)?;
    Some((tools.into_iter().map(|tool| Baggage { tool, lost: Vec::new() }).collect(), unread))
}

/// What becomes of a tool's fields where it is carried to, in the order of [`FateKind`].
#[must_use]
pub fn fates(baggage: &Baggage, target: Target) -> Vec<Fate> {
    let files = target.write(std::slice::from_ref(&baggage.tool));
    let mut fates = baggage.lost.clone();
    match target {
        Target::System(system, _) => fates.extend(system_fates(system, &baggage.tool, &files)),
        Target::Format(format) => fates.extend(format_fates(format, &baggage.tool, &files)),
    }
    fates.sort_by_key(|fate| fate.kind);
    fates
}

fn format_fates(format: &Format, tool: &PortableTool, files: &[PortableFile]) -> Vec<Fate> {
    let again = files.first().and_then(|file| read_document(&file.value)).map(|(tools, _)| tools);
    let Some(there) = again.and_then(|tools| tools.into_iter().next()) else {
        return vec![Fate::lost("the tool", "it can't be read again")];
    };
    let mut fates = tool.fates_in(&there);
    for fate in fates.iter_mut().filter(|fate| fate.kind == FateKind::Lost) {
        if let Some((_, why)) = format.lacks.iter().find(|(field, _)| fate.field == *field) {
            fate.words = format!("{}; {why}", fate.words);
        }
    }
    let assumed = format.assumes.iter().map(|(field, words)| Fate::assumed(*field, *words));
    fates.extend(assumed);
    fates
}

fn system_fates(system: &dyn System, tool: &PortableTool, files: &[PortableFile]) -> Vec<Fate> {
    let catalog = catalog_of(files);
    let Some(there) = catalog.tools.first() else {
        return vec![Fate::lost("the tool", format!("{} can't read it", system.title()))];
    };
    let read = portable_tool(system, there);
    let mut fates = tool.fates_in(&read);
    if let Some(table) = &there.gate_table {
        let table = table.tokens().join(".");
        let gate = ["groups", "states", "next state"];
        for fate in &mut fates {
            if fate.kind == FateKind::Lost && gate.contains(&fate.field.as_str()) {
                fate.words = format!("{}; write it into [{table}] of toolcrib.toml", fate.words);
            }
        }
    }
    let assumed = members_without_effect(system, &there.entry, catalog.mode, &read, there);
    fates.extend(
        assumed.into_iter().map(|(at, value)| Fate::assumed(at.to_string(), short(&value))),
    );
    let others = catalog.entries().filter(|entry| entry.id != there.entry.id);
    fates.extend(others.map(|entry| {
        let name = format!("{} {}", entry.kind.as_str(), entry.key);
        Fate::assumed(name, short(&entry.value))
    }));
    fates
}

/// Files as their systems read them.
fn catalog_of(files: &[PortableFile]) -> Catalog {
    let sources: Vec<(FileId, Source)> = files
        .iter()
        .filter_map(|file| {
            // Every format holds what JSON does.
            let path = file.path.rsplit_once('.').map_or(file.path.as_str(), |(stem, _)| stem);
            let source = Source::parse(FileFormat::Json, file.value.to_string()).ok()?;
            Some((FileId::new(format!("{path}.json")), source))
        })
        .collect();
    read::read_catalog(sources.iter().map(|(file, source)| (file, source)), Mode::Document)
}

fn portable_tool(system: &dyn System, tool: &Tool) -> PortableTool {
    let mut portable =
        PortableTool::from_function(system.model_function(tool)).with_gate(&tool.gate);
    portable.output = system.output_schema(tool);
    portable.http = system.portable().and_then(|portable| portable.request(tool));
    portable
}

/// How many changes of an entry are tried.
const MOST_TRIED: usize = 300;

/// The members of an entry without which its tool is the same, and the values within others that can
/// be any: nothing of them is carried.
fn members_without_effect(
    system: &dyn System,
    entry: &Entry,
    mode: Mode,
    whole: &PortableTool,
    tool: &Tool,
) -> Vec<(Pointer, Value)> {
    let value = Value::clone(&entry.value.parsed());
    let mut trial = Trial { system, entry, mode, whole, tool, value, left: MOST_TRIED };
    let own = [tool.name_key, "description"];
    let keys: Vec<String> =
        trial.value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    let mut found = Vec::new();
    for key in keys.iter().filter(|key| !own.contains(&key.as_str())) {
        trial.try_member(&Pointer::root(), key, &mut found);
    }
    found
}

/// Tries what becomes of a tool where its entry says something else.
struct Trial<'t> {
    system: &'t dyn System,
    entry: &'t Entry,
    mode: Mode,
    whole: &'t PortableTool,
    tool: &'t Tool,
    value: Value,
    left: usize,
}

impl Trial<'_> {
    /// Whether the tool is the same with another value of its entry.
    fn is_same_with(&mut self, value: Value) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let other = Entry { value: value.into(), ..self.entry.clone() };
        let mut without = self.system.read_tool(&other, self.mode);
        // What the catalog knows of the tool beside its entry stays.
        without.known.clone_from(&self.tool.known);
        if self.tool.gate_table.is_some() {
            without.gate.clone_from(&self.tool.gate);
        }
        portable_tool(self.system, &without) == *self.whole
    }

    fn try_member(&mut self, parent: &Pointer, key: &str, found: &mut Vec<(Pointer, Value)>) {
        let at = parent.child(key);
        let Some(value) = at.get(&self.value).cloned() else { return };
        if says_nothing(&value) {
            return;
        }
        // A schema that is there as it is needs no closer look.
        if value == self.whole.parameters || Some(&value) == self.whole.output.as_ref() {
            return;
        }
        let mut rest = self.value.clone();
        if let Some(Value::Object(members)) = parent.get_mut(&mut rest) {
            members.remove(key);
        }
        if self.is_same_with(rest) {
            found.push((at, value));
            return;
        }
        self.try_value(&at, &value, found);
    }

    fn try_value(&mut self, at: &Pointer, value: &Value, found: &mut Vec<(Pointer, Value)>) {
        let other = match value {
            Value::Object(members) => {
                let keys: Vec<String> = members.keys().cloned().collect();
                keys.iter().for_each(|key| self.try_member(at, key, found));
                return;
            }
            Value::Array(items) => {
                let rows = items.iter().enumerate();
                rows.for_each(|(row, item)| self.try_value(&at.item(row), item, found));
                return;
            }
            Value::String(text) => Value::from(format!("{text}~")),
            Value::Bool(flag) => Value::Bool(!flag),
            Value::Number(_) | Value::Null => return,
        };
        let mut changed = self.value.clone();
        if let Some(place) = at.get_mut(&mut changed) {
            *place = other;
        }
        if self.is_same_with(changed) {
            found.push((at.clone(), value.clone()));
        }
    }
}

/// Whether a value is as good as none.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A value in as many letters as a line takes.
fn short(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value_text(value);
    if text.chars().count() <= MOST {
        return text;
    }
    text.chars().take(MOST).chain(['…']).collect()
}
