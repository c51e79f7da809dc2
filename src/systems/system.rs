//! What every system gives. Everything here is pure: no files, no network, no clock. What only some
//! can do is one of the [`facets`](super::facets).

use serde_json::Value;

use super::{
    deployed::deployment::Deployment,
    facets::{
        agent::Agent, attachments::Attachments, by_hand::ByHand, call_meta::CallMeta,
        caller::Caller, calls::Calls, configured::Configured, gates::Gates, kept_tools::KeptTools,
        loader::Loader, merge::Merge, observer::Observer, portable::Portable, prompts::Prompts,
        remote_tools::RemoteTools, renderings::Renderings, shapes::Shapes, steps::Steps,
        stubs::Stubs, templates::Templates,
    },
};
use crate::{
    engine::{lint::context::LintContext, settings::system_settings::SettingsSchema},
    model::{
        catalog::Catalog,
        connections::{Connections, Listeners},
        context::Mode,
        entry::{Entry, EntryKind, FileId, SystemId},
        finding::Finding,
        service::Service,
        tool::{Function, Tool, ToolEffects},
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

pub trait System: Sync {
    /// Stable short name: `trustgraph`.
    fn id(&self) -> SystemId;

    /// Name for people: `TrustGraph`.
    fn title(&self) -> &'static str;

    /// The entries that a parsed file holds, in the order they stand; none when the file is not
    /// this system's.
    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry>;

    /// The entry as a later revision of its file has it, in which nothing else changed; `None`
    /// where the file has to be read again for that.
    fn refresh_entry(&self, entry: &Entry, source: &Source) -> Option<Entry> {
        let _ = (entry, source);
        None
    }

    /// The tool that an entry describes, read leniently: what cannot be read is a finding, never a
    /// refusal.
    fn read_tool(&self, entry: &Entry, mode: Mode) -> Tool;

    /// The service that an entry describes, read as leniently; one without any queue where no entry
    /// of the system is a service.
    fn read_service(&self, entry: &Entry, mode: Mode) -> Service {
        let _ = mode;
        Service {
            entry: entry.clone(),
            alias: None,
            request_queue: None,
            response_queue: None,
            parameters: Vec::new(),
        }
    }

    /// The JSON Schema for the form of an entry, in the order in which fields are shown.
    fn entry_schema(&self, entry: &Entry, catalog: &Catalog) -> Value;

    /// How the fields of an entry's form are to be shown, as a uiSchema; `None`: as its schema
    /// says.
    fn entry_ui(&self, entry: &Entry, catalog: &Catalog) -> Option<Value> {
        let _ = (entry, catalog);
        None
    }

    /// What the schema of an entry depends on beside the catalog: of two entries with the same
    /// word, and one revision of the catalog, it is the same. `None`: on more than a word can say.
    fn schema_word(&self, entry: &Entry, catalog: &Catalog) -> Option<String> {
        let _ = (entry, catalog);
        None
    }

    /// What the schema of an entry's form demands of its value, for the check of it; `None` where
    /// nothing does.
    fn entry_rules<'e>(&self, entry: &'e Entry, mode: Mode) -> Option<EntryRules<'e>> {
        let _ = (entry, mode);
        None
    }

    /// What is wrong with the entries of this system, beside what holds for every system.
    fn check_catalog(&self, context: &LintContext<'_>) -> Vec<Finding>;

    /// The codes of its checks, each with a sentence on what it finds.
    fn check_sentences(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// What is wrong with an entry as its text is, where another reader than ours counts.
    fn check_text(&self, entry: &Entry, source: &Source) -> Vec<Finding> {
        let _ = (entry, source);
        Vec::new()
    }

    /// What is wrong with the entries where calls go; also as far as those show it who listen
    /// there, where they are known.
    fn check_there(
        &self,
        catalog: &Catalog,
        connections: &Connections,
        listeners: &Listeners,
    ) -> Vec<Finding> {
        let _ = (catalog, connections, listeners);
        Vec::new()
    }

    /// The member that an entry's key is read from; `None` where it is the key of a map or the name
    /// of a file.
    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        let _ = entry;
        None
    }

    /// What a tool names to answer for it; `None` where it names nothing.
    fn tool_reference(&self, tool: &Tool) -> Option<Reference> {
        let _ = tool;
        None
    }

    /// Names for a new entry's kind, with the smallest value that is worth opening a form on.
    fn new_entry_kinds(&self) -> Vec<NewEntry>;

    /// The function that a model sees: name, description, parameters as JSON Schema.
    fn model_function(&self, tool: &Tool) -> Function;

    /// A tool's name for people beside its own, where it has one. Many tools may be asked for it.
    fn tool_title<'t>(&self, tool: &'t Tool) -> Option<&'t str> {
        let _ = tool;
        None
    }

    /// What a tool says that its calls do to the world. Many tools may be asked for it.
    fn tool_effects(&self, tool: &Tool) -> ToolEffects {
        let _ = tool;
        ToolEffects::default()
    }

    /// The JSON Schema of a tool's answers; `None` where nothing is said of them.
    fn output_schema(&self, tool: &Tool) -> Option<Value> {
        let _ = tool;
        None
    }

    /// What it needs to know of a connection; `None` where that is nothing of its own.
    fn connection_settings(&self) -> Option<&'static SettingsSchema> {
        None
    }

    /// The table of `toolcrib.toml` that it reads itself, as [`System::read_entries`]; `None` where it
    /// has none.
    fn settings_table(&self) -> Option<&'static str> {
        None
    }

    /// It says in groups and states which tools a request gets.
    fn gates(&self) -> Option<&dyn Gates> {
        None
    }

    /// It does not load every tool of its files.
    fn loader(&self) -> Option<&dyn Loader> {
        None
    }

    /// Its tools can be called.
    fn calls(&self) -> Option<&dyn Calls> {
        None
    }

    /// It is called in the name of an agent.
    fn caller(&self) -> Option<&dyn Caller> {
        None
    }

    /// Its tools get other arguments than those of the model.
    fn merge(&self) -> Option<&dyn Merge> {
        None
    }

    /// It can be followed on a bus.
    fn observer(&self) -> Option<&dyn Observer> {
        None
    }

    /// Its messages point to cards that are kept elsewhere.
    fn attachments(&self) -> Option<&dyn Attachments> {
        None
    }

    /// It has an agent that can be asked.
    fn agent(&self) -> Option<&dyn Agent> {
        None
    }

    /// It knows what calls of servers' tools say beside their arguments.
    fn call_meta(&self) -> Option<&dyn CallMeta> {
        None
    }

    /// It can have tools of elsewhere.
    fn portable(&self) -> Option<&dyn Portable> {
        None
    }

    /// Its tools bring prompts along.
    fn prompts(&self) -> Option<&dyn Prompts> {
        None
    }

    /// It knows a program that makes calls in its own way.
    fn renderings(&self) -> Option<&dyn Renderings> {
        None
    }

    /// Its entries come in several shapes.
    fn shapes(&self) -> Option<&dyn Shapes> {
        None
    }

    /// Its entries have templates that are filled in here.
    fn templates(&self) -> Option<&dyn Templates> {
        None
    }

    /// Its calls have steps that are run here.
    fn steps(&self) -> Option<&dyn Steps> {
        None
    }

    /// Its calls can be kept as stubs.
    fn stubs(&self) -> Option<&dyn Stubs> {
        None
    }

    /// A person can answer for its tools.
    fn by_hand(&self) -> Option<&dyn ByHand> {
        None
    }

    /// It can call tools of another system's servers.
    fn remote_tools(&self) -> Option<&dyn RemoteTools> {
        None
    }

    /// The workspace keeps the tools of its servers.
    fn kept_tools(&self) -> Option<&dyn KeptTools> {
        None
    }

    /// How other programs configure it, where they do.
    fn configured(&self) -> Option<&dyn Configured> {
        None
    }

    /// Its entries can be read and written while it runs.
    fn deployment(&self) -> Option<&dyn Deployment> {
        None
    }
}

/// A schema that entries are checked by. It says nothing of the names in a catalog, and nothing that
/// depends on more than its word: it is compiled once for all entries of that word.
pub struct EntryRules<'e> {
    pub word: String,
    pub schema: Box<dyn Fn() -> Value + 'e>,
}

impl<'e> EntryRules<'e> {
    pub fn new(word: impl Into<String>, schema: impl Fn() -> Value + 'e) -> Self {
        Self { word: word.into(), schema: Box::new(schema) }
    }
}

/// A kind of entry that can be made again: `tool-service`, with its first value.
#[derive(Clone, Debug)]
pub struct NewEntry {
    pub system: SystemId,
    pub kind: EntryKind,
    /// The system's own type, as the menu shows it.
    pub type_name: &'static str,
    pub place: NewPlace,
    /// The members that hold an entry's own name.
    pub named: &'static [&'static str],
    pub help: &'static str,
    pub value: Value,
}

/// Where entries of a kind are in their files.
#[derive(Clone, Copy, Debug)]
pub enum NewPlace {
    /// Each is a document of its own, or one of a list that is there already.
    Alone,
    /// Each is a document of its own, in a file of this folder.
    Folder(&'static str),
    /// In a map of such entries, in a file of many: `tool-service`.
    Map(&'static str),
    /// In the list of an entry that holds them: the tools of a server.
    List(NewList),
}

impl NewPlace {
    /// The map that holds such entries.
    #[must_use]
    pub fn section(&self) -> Option<&'static str> {
        match self {
            Self::Map(section) => Some(section),
            Self::Alone | Self::Folder(_) | Self::List(_) => None,
        }
    }
}

/// A file with a list of entries, and what it says of the one that holds them.
#[derive(Clone, Copy, Debug)]
pub struct NewList {
    /// The member that is the list.
    pub member: &'static str,
    /// The file of a holder of that name.
    pub path: fn(&str) -> String,
    /// What a file of that holder has with these entries.
    pub value: fn(&str, Vec<Value>) -> Value,
}

/// Becomes the entry's own name within the texts of [`NewEntry::value`].
pub(crate) const OWN_NAME: &str = "{name}";

impl NewEntry {
    /// The first value of an entry of that name.
    #[must_use]
    pub fn named_value(&self, name: &str) -> Value {
        let mut value = replace_name(self.value.clone(), self.named, name);
        for member in value.as_object_mut().into_iter().flat_map(|members| members.values_mut()) {
            if let Some(text) = member.as_str().filter(|text| text.contains(OWN_NAME)) {
                *member = text.replace(OWN_NAME, name).into();
            }
        }
        value
    }
}

/// A value with another name in those of these members that it has.
#[must_use]
pub(crate) fn replace_name(mut value: Value, members: &[&str], name: &str) -> Value {
    for member in members {
        if let Some(own) = value.get_mut(*member) {
            *own = name.into();
        }
    }
    value
}

/// The member that an entry's key, or its last part (`SPACE/NAME`), is read from, where it is that
/// one.
pub(super) fn member_of_key(entry: &Entry, member: &str) -> Option<Pointer> {
    let name = entry.value.get(member).and_then(Value::as_str);
    name.is_some_and(|name| is_own_key(entry, name)).then(|| Pointer::root().child(member))
}

/// Whether an entry's key is that name, or ends with it after what holds the entry.
pub(super) fn is_own_key(entry: &Entry, name: &str) -> bool {
    let holder = entry.key.strip_suffix(name);
    !name.is_empty() && holder.is_some_and(|holder| holder.is_empty() || holder.ends_with('/'))
}

/// Where a tool names another entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The kind of what is named.
    pub kind: EntryKind,
    /// Its key.
    pub key: String,
    /// The member that names it, within the tool's entry.
    pub at: Pointer,
}
