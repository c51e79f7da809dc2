//! What every system offers. Everything here is pure: no files, no network, no clock.

use serde_json::{Map, Value};

use crate::{
    engine::{lint::context::LintContext, settings::system_settings::SettingsSchema, traffic::conversation::Conversation},
    model::{
        attachment::{Attachment, CardSource},
        call::{CallProblem, Request},
        catalog::{Catalog, Loading},
        clock::Millis,
        connection::Connection,
        connections::{Connections, Listeners},
        context::Mode,
        entry::{Entry, EntryKind, FileId, SystemId},
        finding::{EntryEdit, Finding},
        merging::Merging,
        problem::Problem,
        service::Service,
        tool::{Function, Gate, Tool},
        traffic::{ObservedMessage, Reading, Settled},
        transport::TransportKind,
    },
    schema::{literal::Literal, pointer::Pointer},
    syntax::source::Source,
};

pub trait System: Sync {
    /// Stable short name: `trustgraph`.
    fn id(&self) -> SystemId;

    /// Name for people: `TrustGraph`.
    fn title(&self) -> &'static str;

    /// The entries that a parsed file holds, in the order they stand; none when the file is not this system's.
    fn entries(&self, file: &FileId, source: &Source) -> Vec<Entry>;

    /// The entry as a later revision of its file has it, in which nothing else changed; `None` where the file has to be read anew for that.
    fn revised(&self, entry: &Entry, source: &Source) -> Option<Entry> {
        let _ = (entry, source);
        None
    }

    /// The tool that an entry describes, read leniently: what cannot be read is a finding, never a refusal.
    fn tool(&self, entry: &Entry, mode: Mode) -> Tool;

    /// The service that an entry describes, read as leniently.
    fn service(&self, entry: &Entry, mode: Mode) -> Service;

    /// Which tools of the catalog this system does not load, by the rules of the catalog's mode, and the order in which it holds the
    /// others.
    fn loading(&self, catalog: &Catalog) -> Loading {
        let _ = catalog;
        Loading::default()
    }

    /// Why every request fails that offers the tool, by the rules of a mode; `None` where none does.
    fn breaks(&self, tool: &Tool, mode: Mode) -> Option<String> {
        let _ = (tool, mode);
        None
    }

    /// The JSON Schema for the form of an entry, in the order in which fields are shown.
    fn schema(&self, entry: &Entry, catalog: &Catalog) -> Value;

    /// What the schema of an entry depends on beside the catalog: of two entries with the same word, and one revision of the catalog, it is the
    /// same. `None`: on more than a word can say.
    fn schema_word(&self, entry: &Entry, catalog: &Catalog) -> Option<String> {
        let _ = (entry, catalog);
        None
    }

    /// What is wrong with the entries of this system, beside what holds for every system.
    fn check(&self, context: &LintContext<'_>) -> Vec<Finding>;

    /// What is wrong with an entry as its text stands, where another reader than ours counts.
    fn check_text(&self, entry: &Entry, source: &Source) -> Vec<Finding> {
        let _ = (entry, source);
        Vec::new()
    }

    /// What is wrong with the entries where calls go; also as far as those show it who listen there, where they are known.
    fn check_there(&self, catalog: &Catalog, connections: &Connections, listeners: &Listeners) -> Vec<Finding> {
        let _ = (catalog, connections, listeners);
        Vec::new()
    }

    /// The member that an entry's key is read from; `None` where it is the key of a map or the name of a file.
    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        let _ = entry;
        None
    }

    /// What a tool names to answer for it; `None` where it names nothing.
    fn reference(&self, tool: &Tool) -> Option<Reference>;

    /// Names for a new entry's kind, with the smallest value that is worth opening a form on.
    fn kinds(&self) -> Vec<NewEntry>;

    /// The edits after which a tool, read in that mode, has this gate.
    fn regate(&self, tool: &Tool, to: &Gate, mode: Mode) -> Vec<EntryEdit>;

    /// The first value of a new tool, with a gate.
    fn gated(&self, value: Value, gate: &Gate) -> Value;

    /// The function that a model sees: name, description, parameters as JSON Schema.
    fn function(&self, tool: &Tool) -> Function;

    /// The way of a call's arguments to the tool, with what-if values for the variables that are filled in; `None` where the tool gets just
    /// what is given.
    fn merging(
        &self,
        tool: &Tool,
        given: &Map<String, Value>,
        connection: &Connection,
        variables: &[(String, String)],
    ) -> Option<Merging> {
        let _ = (tool, given, connection, variables);
        None
    }

    /// What the tool's service makes of a call with these arguments, line by line, or why it makes nothing of it; `None` where nothing is
    /// known of that.
    fn onward(&self, tool: &Tool, given: &Map<String, Value>) -> Option<Result<Vec<String>, String>> {
        let _ = (tool, given);
        None
    }

    /// The request of a call, exactly as it will be sent. `correlation` is a fresh id that the caller made.
    fn request(&self, call: &CallOf<'_>) -> Result<Request, Problem>;

    /// The ways that a call of the tool could take over that connection, the one that is taken unasked first; none where there is but one.
    fn routes(&self, tool: &Tool, connection: &Connection) -> Vec<RouteOffer> {
        let _ = (tool, connection);
        Vec::new()
    }

    /// What it needs to know of a connection; `None` where that is nothing of its own.
    fn connection_settings(&self) -> Option<&'static SettingsSchema> {
        None
    }

    /// The same request once more under a fresh id, so that its answer can be told from the first one's.
    fn again(&self, request: Request, correlation: &str) -> Request {
        let fresh = |(name, value)| if value == request.correlation { (name, correlation.to_owned()) } else { (name, value) };
        Request { headers: request.headers.into_iter().map(fresh).collect(), correlation: correlation.to_owned(), ..request }
    }

    /// A queue's address as the transport spells it (a subject, an exchange, a topic); as it stands where the system knows no better.
    fn subject(&self, address: &str, transport: TransportKind) -> Result<String, Problem> {
        let _ = transport;
        Ok(address.to_owned())
    }

    /// Where messages to a queue are heard on the transport; `None` where the text is no queue in one of this system's own spellings.
    fn place(&self, text: &str, transport: TransportKind) -> Option<Result<Place, Problem>> {
        let _ = (text, transport);
        None
    }

    /// Whether a subject is spelled as only this system's are, so that no other system is asked about what passes there.
    fn owns(&self, subject: &str) -> bool {
        let _ = subject;
        false
    }

    /// What a message that passed by is; `None` where it is none of this system's.
    fn witness(&self, crossing: &ObservedMessage) -> Option<Reading> {
        let _ = crossing;
        None
    }

    /// Somebody who follows what passes and sees what one message alone does not show; `None` where there is nothing of that kind.
    fn follower(&self) -> Option<Box<dyn Follower>> {
        None
    }

    /// Where to listen for everything that matters to this system on a connection; empty where that is none of its own.
    fn places(&self, connection: &Connection) -> Vec<Place> {
        let _ = connection;
        Vec::new()
    }

    /// What may be the matter with a conversation of this system that waits; `None` while nothing need be.
    fn waits(&self, conversation: &Conversation, now: Millis) -> Option<String> {
        let _ = (conversation, now);
        None
    }

    /// Where it can be read who takes part on a connection, so that messages can be told by names; `None`: nowhere.
    fn roster(&self, connection: &Connection) -> Option<CardSource> {
        let _ = connection;
        None
    }

    /// Where cards that messages point to can be read on a connection, or what to set; `None` where this system's messages point to none.
    fn card_source(&self, connection: &Connection, cards: &[String]) -> Option<Result<CardSource, Problem>> {
        let _ = (connection, cards);
        None
    }

    /// Cards for people: what belongs together beside each other, and compared.
    fn laid_out(&self, cards: &[Value]) -> Vec<Attachment> {
        let _ = cards;
        Vec::new()
    }

    /// How a card says that a conversation ended; `None` where it says nothing of that.
    fn settled(&self, card: &Value) -> Option<Settled> {
        let _ = card;
        None
    }

    /// The arguments that a request's body carries, as a JSON object.
    fn arguments(&self, body: &str) -> Option<String> {
        let _ = body;
        None
    }

    /// What one received message means to the caller who sent `correlation`.
    fn decode(&self, correlation: &str, message: &Message<'_>) -> Reply;
}

/// Follows what passes, message by message, in the order in which it is heard.
pub trait Follower: Send {
    /// Takes in a message of its system, and adds to the reading what the messages before it make odd.
    fn hear(&mut self, crossing: &ObservedMessage, reading: &mut Reading);

    /// Takes in who there is, as [`System::roster`] reads it.
    fn know(&mut self, roster: &Value) {
        let _ = roster;
    }
}

/// A kind of entry that can be made anew: `tool-service`, with its first value.
#[derive(Clone, Debug)]
pub struct NewEntry {
    pub kind: EntryKind,
    /// The system's own type, as the menu shows it.
    pub type_name: &'static str,
    /// The map that holds such entries in a file of many: `tool-service`; `None` where they stand one a document, or in a list.
    pub section: Option<&'static str>,
    /// The members that hold an entry's own name.
    pub named: &'static [&'static str],
    pub help: &'static str,
    pub value: Value,
}

impl NewEntry {
    /// The first value of an entry of that name.
    #[must_use]
    pub fn called(&self, name: &str) -> Value {
        named(self.value.clone(), self.named, name)
    }
}

/// A value with another name in those of these members that it has.
#[must_use]
pub fn named(mut value: Value, members: &[&str], name: &str) -> Value {
    for member in members {
        if let Some(own) = value.get_mut(*member) {
            *own = name.into();
        }
    }
    value
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

/// What a request is made from.
#[derive(Clone, Copy, Debug)]
pub struct CallOf<'c> {
    pub catalog: &'c Catalog,
    pub tool: &'c Tool,
    pub user: &'c str,
    /// An object, its numbers as they were typed.
    pub arguments: &'c Literal,
    pub correlation: &'c str,
    /// Where it is to go.
    pub connection: &'c Connection,
    /// The way to take there, of those that [`System::routes`] offers; `None`: the first that is open.
    pub route: Option<&'c str>,
}

/// A way that a call could take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteOffer {
    /// Its word: `ui`.
    pub id: &'static str,
    /// For people: what it is.
    pub title: &'static str,
    /// Why it is closed, and what would open it; `None`: it is open.
    pub closed: Option<String>,
}

/// Where messages are heard, as the transport spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub name: String,
    /// They are kept until somebody takes them.
    pub kept: bool,
}

/// A message as a transport received it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    pub headers: &'m [(String, String)],
    pub body: &'m [u8],
}

/// What a message means.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A piece of the answer; `last` when the stream ends with it.
    Chunk { text: String, last: bool },
    /// The service's error, which ends the call.
    Error(CallProblem),
    /// The service was not asked: what stands before it refuses. The call is lost.
    Refused(CallProblem),
    /// Not for this call.
    Stray { cause: crate::model::call::StrayCause, id: Option<String> },
    /// For this call, but it cannot be understood; the call is lost.
    Unreadable(CallProblem),
}
