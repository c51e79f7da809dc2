//! Where tools are carried to, and the names, keys and files that they have there.

use std::{collections::HashSet, path::Path};

use serde_json::Value;

use super::{
    facets::portable::{KeyedTool, Portable, PortableFile, plain_key},
    read,
    system::System,
    table::every_system,
};
use crate::{
    engine::{
        health::portable::strict_refusals,
        model_view::{Client, Refusal, accepted_name, accepts_name, find_refusals},
        portable::{
            baggage::Baggage,
            formats::{FORMATS, Format, add_members, find_list},
            tool::PortableTool,
        },
    },
    model::{context::Mode, entry::FileId, finding::Severity, numbered::numbered_names},
    syntax::{
        print::print_value,
        source::{Format as TextFormat, Source},
    },
};

/// So much of a name stays where a number is appended, which leaves room for it in every API.
const BEFORE_NUMBER: usize = 56;

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

    /// Says in a file of tools what its name says.
    pub fn name_file(&self, value: &mut Value, path: &Path) {
        let name = path.file_stem().and_then(|name| name.to_str());
        if let (Self::System(_, portable), Some(name)) = (self, name) {
            portable.name_file(value, name);
        }
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

    /// What has to be there to answer calls of its tools, for people; `None`: they aren't called here.
    #[must_use]
    pub fn answered_by(&self) -> Option<&'static str> {
        match self {
            Self::System(system, _) => system.calls().map(|calls| calls.answered_by()),
            Self::Format(_) => None,
        }
    }

    /// Where calls of these tools go, where some are requests over HTTP whose address isn't called;
    /// a sentence. `None`: there is no such tool, or they are of no system.
    #[must_use]
    pub fn where_called(&self, packed: &[Baggage]) -> Option<String> {
        let has_request = packed.iter().any(|one| one.tool.http.is_some());
        let is_system = matches!(self, Self::System(..));
        (has_request && is_system).then(|| match self.answered_by() {
            Some(who) => format!("Calls need {who}: the API's own address isn't called."),
            None => format!("Tools of {} can't be called from toolcrib.", self.title()),
        })
    }

    /// What it refuses in a tool, or of any target that its schema is none, each in a few words.
    #[must_use]
    pub fn refusals(&self, tool: &PortableTool) -> Vec<String> {
        let function = tool.to_function();
        let refused = find_refusals(&function, self.client().unwrap_or(Client::Mcp));
        let is_flaw = |refusal: &Refusal| self.client().is_some() || !refusal.at.is_root();
        let refused = refused.into_iter().filter(is_flaw).map(|refusal| refusal.message);
        let of_api = self.client().filter(|_| matches!(self, Self::Format(_)));
        let strict = of_api.map(|client| strict_refusals(&function, client)).unwrap_or_default();
        let own = match self {
            Self::System(system, portable) => {
                let (key, tool) = (portable.form_key(&tool.name), tool.clone());
                let alone = KeyedTool { key, taken: None, tool, entry: None, instead_of: None };
                text_refusals(*system, &portable.write_tools(&[alone]))
            }
            Self::Format(_) => Vec::new(),
        };
        refused.chain(strict).chain(own).collect()
    }

    /// The API whose names it takes.
    #[must_use]
    pub fn client(&self) -> Option<Client> {
        match self {
            Self::System(_, portable) => portable.client(),
            Self::Format(format) => format.client,
        }
    }

    /// The files that hold the tools.
    #[must_use]
    pub fn write(&self, packed: &[Baggage]) -> Vec<PortableFile> {
        self.write_keyed(&self.key_tools(packed), packed)
    }

    /// The files that hold the tools, which are those that are packed.
    #[must_use]
    pub fn write_keyed(&self, tools: &[KeyedTool], packed: &[Baggage]) -> Vec<PortableFile> {
        match self {
            Self::System(_, portable) => portable.write_tools(tools),
            Self::Format(format) => {
                let path = format!("{}.json", format.word);
                vec![PortableFile { path, value: write_format(format, tools, packed) }]
            }
        }
    }

    /// Each tool under a name that the target takes, and under a key; no other of them has these.
    #[must_use]
    pub fn key_tools(&self, packed: &[Baggage]) -> Vec<KeyedTool> {
        let (mut names, mut keys) = (HashSet::new(), HashSet::new());
        let key_tool = |one: &Baggage| {
            let name = self.free_name(one, &mut names);
            let wanted = self.wanted_key(one);
            let key = free_among(&wanted, &wanted, &mut keys);
            let taken = (key != wanted).then_some(wanted);
            let entry = self.own_entry(one, &name);
            let tool = PortableTool { name, ..one.tool.clone() };
            KeyedTool { key, taken, tool, entry, instead_of: None }
        };
        packed.iter().map(key_tool).collect()
    }

    fn free_name(&self, one: &Baggage, taken: &mut HashSet<String>) -> String {
        let name = &one.tool.name;
        let is_own = matches!(self, Self::System(..)) && one.own_for(self.word()).is_some();
        let wanted = match self.client().filter(|_| !is_own) {
            Some(client) if !accepts_name(name, client) => accepted_name(name, client),
            _ => name.clone(),
        };
        let short: String = wanted.chars().take(BEFORE_NUMBER).collect();
        free_among(&wanted, &short, taken)
    }

    fn wanted_key(&self, one: &Baggage) -> String {
        match (self, one.own_for(self.word())) {
            (Self::System(_, portable), Some(own)) => portable.form_key(&own.key),
            _ => plain_key(&one.tool.name),
        }
    }

    /// The tool's own entry, under the name.
    fn own_entry(&self, one: &Baggage, name: &str) -> Option<Value> {
        let own = one.own_for(self.word()).filter(|_| matches!(self, Self::System(..)))?;
        let mut entry = own.value.clone();
        if name != one.tool.name {
            entry.as_object_mut()?.insert(own.name_key.to_owned(), name.into());
        }
        Some(entry)
    }
}

/// The name, with a number after its beginning where it is taken; it is taken then.
fn free_among(wanted: &str, beginning: &str, taken: &mut HashSet<String>) -> String {
    let names = std::iter::once(wanted.to_owned()).chain(numbered_names(beginning).skip(1));
    let mut free = names.filter(|name| !taken.contains(name));
    let name = free.next().unwrap_or_default();
    taken.insert(name.clone());
    name
}

/// Tools in a format; what they have of it beside that is there as well.
fn write_format(format: &Format, tools: &[KeyedTool], packed: &[Baggage]) -> Value {
    let tools: Vec<PortableTool> = tools.iter().map(|one| one.tool.clone()).collect();
    let mut value = (format.write)(&tools);
    let list = find_list(&value).map(|(at, _)| at);
    let items = list.and_then(|at| at.get_mut(&mut value)?.as_array_mut());
    for (item, one) in items.into_iter().flatten().zip(packed) {
        if let Some(own) = one.own_for(format.word) {
            add_members(item, &own.value);
        }
    }
    value
}

/// What the system of files refuses of their texts, in its own words.
fn text_refusals(system: &dyn System, files: &[PortableFile]) -> Vec<String> {
    let of_file = |file: &PortableFile| {
        let format = TextFormat::from_path(Path::new(&file.path)).unwrap_or(TextFormat::Json);
        let text = print_value(format, &file.value);
        let Ok(source) = Source::parse(format, text) else { return Vec::new() };
        let id = FileId::new(file.path.as_str());
        let catalog = read::read_catalog([(&id, &source)], Mode::Document);
        let found = catalog.entries().flat_map(|entry| system.check_text(entry, &source));
        let refused = found.filter(|finding| finding.severity == Severity::Error);
        refused.map(|finding| finding.message).collect()
    };
    files.iter().flat_map(of_file).collect()
}
