//! Carries tools from one system or format to another, and says what became of each field: what was
//! written is read again as its system reads it, so that nothing is promised.

use std::sync::Arc;

use serde_json::Value;

use super::{
    facets::portable::{KeyedTool, Portable, PortableFile},
    read,
    system::System,
    table::by_id,
    target::Target,
};
use crate::{
    engine::portable::{
        baggage::{Baggage, OwnForm},
        fate::{Fate, FateKind},
        formats::{Format, read_document},
        tool::PortableTool,
    },
    model::{
        catalog::Catalog,
        context::Mode,
        entry::{Entry, FileId},
        tool::Tool,
    },
    schema::{ordering::PutInOrder, phrase::value_text, pointer::Pointer},
    syntax::source::{Format as FileFormat, Source},
};

/// What can be carried of a tool of the catalog.
#[must_use]
pub fn pack_tool(tool: &Tool, mode: Mode) -> Option<Baggage> {
    let system = by_id(tool.entry.system)?;
    let carried = portable_tool(system, tool);
    let lost = members_without_effect(system, &tool.entry, mode, &carried, tool)
        .into_iter()
        .filter(|(at, _)| {
            let value = &tool.entry.value.parsed();
            !system.portable().is_some_and(|portable| portable.is_said_twice(value, at))
        })
        .map(|(at, value)| Fate::lost(at.to_string(), short(&value)))
        .collect();
    let own = OwnForm {
        word: system.id(),
        key: tool.entry.key.clone(),
        name_key: tool.name_key,
        value: Value::clone(&tool.entry.value.parsed()),
    };
    let own =
        Some(own).filter(|own| is_read_again(system, &carried, own, tool.known.as_ref(), mode));
    let beside = fields_beside(system, tool, &carried);
    Some(Baggage { lost, own, beside, ..Baggage::new(carried) })
}

/// The fields of a tool that its entry alone doesn't say.
fn fields_beside(system: &dyn System, tool: &Tool, carried: &PortableTool) -> Vec<&'static str> {
    if tool.known.is_none() {
        return Vec::new();
    }
    let alone = portable_tool(system, &Tool { known: None, ..tool.clone() }).fields();
    let is_beside = |(name, value): &(&'static str, Value)| {
        !alone.iter().any(|(other, there)| other == name && there == value)
    };
    carried.fields().into_iter().filter(is_beside).map(|(name, _)| name).collect()
}

/// Whether an entry alone in a file is the same tool, apart from groups and states that are not in
/// it; what other files say of it counts too.
fn is_read_again(
    system: &dyn System,
    tool: &PortableTool,
    own: &OwnForm,
    known: Option<&Arc<Value>>,
    mode: Mode,
) -> bool {
    let Some(portable) = system.portable() else { return false };
    let entry = Some(own.value.clone());
    let key = portable.form_key(&own.key);
    let tool_there = KeyedTool { key, taken: None, tool: tool.clone(), entry, instead_of: None };
    let files = portable.write_tools(&[tool_there]);
    let catalog = catalog_of(&files, mode);
    let [there] = &catalog.tools[..] else { return false };
    let there = Tool { known: known.cloned(), ..Tool::clone(there) };
    let mut read = portable_tool(system, &there);
    if there.gate_table.is_some() {
        let PortableTool { groups, states, next, .. } = tool.clone();
        read = PortableTool { groups, states, next, ..read };
    }
    there.entry.system == system.id() && read == *tool
}

/// The tools of a document in some format, and what of it isn't read; `None` where it is none that
/// is known.
#[must_use]
pub fn pack_document(document: &Value) -> Option<(Vec<Baggage>, Vec<String>)> {
    let (mut packed, unread) = read_document(document)?;
    for one in &mut packed {
        let Baggage { tool, own, .. } = one;
        // A form that is a system's is that of its entries.
        if let Some(system) = own.as_ref().and_then(|own| by_id(own.word)) {
            own.take_if(|own| !is_read_again(system, tool, own, None, Mode::Document));
        }
    }
    Some((packed, unread))
}

/// What becomes of a tool's fields where it is carried to alone, in the order of [`FateKind`].
#[must_use]
pub fn fates(baggage: &Baggage, target: Target) -> Vec<Fate> {
    all_fates(std::slice::from_ref(baggage), target).pop().unwrap_or_default()
}

/// What becomes of the fields of each tool where all are carried to together.
#[must_use]
pub fn all_fates(packed: &[Baggage], target: Target) -> Vec<Vec<Fate>> {
    let keyed = target.key_tools(packed);
    let files = target.write_keyed(&keyed, packed);
    let written = Written::read(target, &files);
    let sort = |(one, keyed): (&Baggage, &KeyedTool)| {
        let is_own = one.own_for(target.word()).is_some();
        let mut fates = if is_own { Vec::new() } else { one.lost.clone() };
        fates.extend(match &written {
            Written::Format(format, tools) => format_fates(format, one, keyed, tools),
            Written::System(system, portable, catalog) => {
                let mut own = system_fates(*system, one, keyed, catalog);
                explain_lost(*portable, &mut own);
                own.extend(portable.simplified(&keyed.tool).filter(|_| keyed.entry.is_none()));
                let taken = keyed.taken.as_ref().filter(|_| portable.shows_keys());
                own.extend(taken.map(|taken| {
                    Fate::assumed("key", format!("{}; another tool has {taken}", keyed.key))
                }));
                own
            }
        });
        fates.order_by_key(|fate| fate.kind);
        fates
    };
    packed.iter().zip(&keyed).map(sort).collect()
}

/// Files as their target reads them.
enum Written {
    Format(&'static Format, Vec<PortableTool>),
    System(&'static dyn System, &'static dyn Portable, Catalog),
}

impl Written {
    fn read(target: Target, files: &[PortableFile]) -> Self {
        match target {
            Target::System(system, portable) => {
                Self::System(system, portable, catalog_of(files, Mode::Document))
            }
            Target::Format(format) => {
                let read = files.first().and_then(|file| read_document(&file.value));
                let tools = read.map(|(tools, _)| tools).unwrap_or_default();
                Self::Format(format, tools.into_iter().map(|one| one.tool).collect())
            }
        }
    }
}

fn format_fates(
    format: &Format,
    one: &Baggage,
    keyed: &KeyedTool,
    written: &[PortableTool],
) -> Vec<Fate> {
    let Some(there) = written.iter().find(|tool| tool.name == keyed.tool.name) else {
        return vec![Fate::lost("the tool", "it can't be read again")];
    };
    let mut fates = one.tool.fates_in(there);
    for fate in fates.iter_mut().filter(|fate| fate.kind == FateKind::Lost) {
        if let Some((_, why)) = format.lacks.iter().find(|(field, _)| fate.field == *field) {
            fate.words = format!("{}; {why}", fate.words);
        }
    }
    let own: Vec<&str> = one.tool.fields().iter().map(|(name, _)| *name).collect();
    let assumed = format.assumes.iter().filter(|(field, _)| !own.contains(field));
    fates.extend(assumed.map(|(field, words)| Fate::assumed(*field, *words)));
    fates
}

fn system_fates(
    system: &dyn System,
    one: &Baggage,
    keyed: &KeyedTool,
    catalog: &Catalog,
) -> Vec<Fate> {
    let Some(there) = find_written(keyed, catalog) else {
        return vec![Fate::lost("the tool", format!("{} can't read it", system.title()))];
    };
    let read = portable_tool(system, there);
    let mut fates = one.tool.fates_in(&read);
    if let Some(table) = &there.gate_table {
        let table = table.tokens().join(".");
        let gate = ["groups", "states", "next state"];
        for fate in &mut fates {
            if fate.kind == FateKind::Lost && gate.contains(&fate.field.as_str()) {
                fate.words = format!("{}; write it into [{table}] of toolcrib.toml", fate.words);
            }
        }
    }
    if keyed.entry.is_some() {
        let is_beside = |fate: &&mut Fate| one.beside.contains(&fate.field.as_str());
        for fate in fates.iter_mut().filter(is_beside) {
            *fate = Fate::lost(
                fate.field.clone(),
                "not in the entry: another file says it, which isn't copied",
            );
        }
        return fates;
    }
    let assumed = members_without_effect(system, &there.entry, catalog.mode, &read, there);
    fates.extend(
        assumed.into_iter().map(|(at, value)| Fate::assumed(at.to_string(), short(&value))),
    );
    let is_tool = |entry: &Entry| catalog.tools.iter().any(|tool| tool.entry.id == entry.id);
    let others = catalog.entries().filter(|entry| entry.key == keyed.key && !is_tool(entry));
    fates.extend(others.map(|entry| {
        let name = format!("{} {}", entry.kind.as_str(), entry.key);
        Fate::assumed(name, short(&entry.value))
    }));
    fates
}

fn find_written<'c>(keyed: &KeyedTool, catalog: &'c Catalog) -> Option<&'c Tool> {
    let mut tools = catalog.tools.iter().map(AsRef::as_ref);
    match &catalog.tools[..] {
        [one] => Some(one),
        _ => tools.find(|tool: &&Tool| tool.name == keyed.tool.name),
    }
}

fn explain_lost(portable: &dyn Portable, fates: &mut [Fate]) {
    for fate in fates.iter_mut().filter(|fate| fate.kind == FateKind::Lost) {
        if let Some(why) = portable.why_lost(&fate.field) {
            fate.words = format!("{}; {why}", fate.words);
        }
    }
}

/// Files as their systems read them.
#[must_use]
pub(super) fn catalog_of(files: &[PortableFile], mode: Mode) -> Catalog {
    let sources: Vec<(FileId, Source)> = files
        .iter()
        .filter_map(|file| {
            // Every format holds what JSON does.
            let path = file.path.rsplit_once('.').map_or(file.path.as_str(), |(stem, _)| stem);
            let source = Source::parse(FileFormat::Json, file.value.to_string()).ok()?;
            Some((FileId::new(format!("{path}.json")), source))
        })
        .collect();
    read::read_catalog(sources.iter().map(|(file, source)| (file, source)), mode)
}

/// A tool without what only its system knows.
#[must_use]
pub(super) fn portable_tool(system: &dyn System, tool: &Tool) -> PortableTool {
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
            // A text that is left to be filled in.
            found.extend(value.is_string().then(|| (at, "empty".into())));
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
