//! What the application asks of the world, as data; the runtime carries it out and answers with
//! messages.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    agent_run::AgentEffect,
    answering::AskId,
    checking::Snapshot,
    message::{ClipboardAct, Purpose, TextTarget, WindowGoal},
    model_page::PageGoal,
    outside_text::OutsideText,
    resources::ItemId,
    sign_in::SignInEffect,
};
use crate::{
    engine::{
        secret::HiddenText,
        traffic::{span::StartTime, trace::Head},
    },
    model::{
        attachment::CardSource,
        call::{CallId, Event, Request},
        connection::Connection,
        content_part::ContentPart,
        context::Mode,
        entry::{EntryId, FileId, SystemId},
        finding::Findings,
        notification::{Notification, NotificationWay},
        server_item::ItemRequest,
        trace::{Trace, TraceId},
        traffic::Tapped,
        unsaved::UnsavedTexts,
    },
    schema::pointer::Pointer,
    systems::{deployed::push::Push, facets::observer::Place, permission::Permission},
};

/// Whether a save may put aside what changed on disk meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    Refuse,
    Allow,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write a file, or with no text take it away; `before` is what must be on disk. Answered by
    /// `Saved`, `SaveRefused` or `Failed`.
    Save {
        file: FileId,
        text: Option<Arc<str>>,
        before: Option<Arc<str>>,
        overwrite: Overwrite,
    },
    /// Read the workspace's files. Answered by `Loaded` and `LoadEnded`; the first time, with the
    /// mode to read entries in, by `Beginning` before.
    Read {
        first: Option<Mode>,
    },
    /// Wait until changes may have come to rest. Answered by `CheckDue`.
    CheckSoon,
    /// Check a workspace. Answered by `Checked`.
    Check(Box<Snapshot>),
    /// Render what models see of a tool. Answered by `ModelRendered`.
    RenderModel(Box<PageGoal>),
    /// Released findings that nobody looks at any more: to free many takes longer than a key may.
    LetGo(Arc<Findings>),
    /// Ask who listens where a connection leads that is open. Answered by `Listeners`, where it can
    /// be known.
    AskListeners(Box<Connection>),
    /// Keep unsaved texts for the next start; an empty list: there are none. Merged, at most once a
    /// second.
    Journal(UnsavedTexts),
    /// Send a request and report what happens; of a question for an agent, its steps as text.
    /// Answered by `CallMessage::Events`.
    Call {
        call: CallId,
        connection: Box<Connection>,
        request: Box<Request>,
        /// How long its answer may take, where that is not as for others.
        limit: Option<Duration>,
    },
    /// Keep what a case made of a call with that call.
    KeepResult {
        call: TraceId,
        /// Those of the call: what they hold as secrets isn't kept.
        arguments: Arc<str>,
        event: Box<Event>,
    },
    /// Stop a running call.
    Cancel(CallId),
    /// Read the history. Answered by `HistoryMessage::Listed`.
    ListKept {
        turn: u64,
        query: String,
    },
    /// Read one kept call, the newest asked for only. Answered by
    /// `HistoryMessage::Opened`.
    OpenKept(TraceId),
    /// Read the newest kept call of the tool of that name, to put its arguments into the form.
    /// Answered by `CallMessage::EditSent`.
    ReadLastArguments {
        tool: EntryId,
        name: String,
    },
    /// Read two. Answered by `HistoryMessage::Compared`.
    CompareKept([TraceId; 2]),
    /// Tell a kept call's events once more, in their times; one replay at a time. Answered by
    /// `Replayed`.
    Replay {
        trace: Arc<Trace>,
        speed: u32,
    },
    StopReplay,
    /// Write a kept call to a file, as JSON lines.
    ExportKept {
        id: TraceId,
        path: String,
    },
    /// Take a call out of the history. Answered by `HistoryMessage::Changed`.
    RemoveKept(TraceId),
    /// Listen there, and nowhere else. Answered by `Watch` with `Began`, `Heard`, `Tick` and
    /// `Refused` of that turn.
    Watch {
        turn: u64,
        connection: Box<Connection>,
        known: Vec<Connection>,
        places: Vec<Place>,
        /// What the broker kept since then comes first.
        since: Option<StartTime>,
    },
    StopWatching,
    /// Take the calls of a tool in its place too. Answered by `Answering` with `Began`, `Asked`,
    /// `Told`, `Tick` and `Ended` of that turn.
    Answer {
        turn: u64,
        system: SystemId,
        connection: Box<Connection>,
        tool: String,
        /// Where its calls are taken.
        target: String,
    },
    /// Give a waiting call its result, or none. Answered by `Told`, or by `Asked` where it could
    /// not be written.
    Reply {
        ask: AskId,
        answer: Option<Arc<Value>>,
    },
    /// Answer for that tool no longer.
    StopAnswering {
        turn: u64,
    },
    /// Something about a model in front of the tools. Answered by `Agent`.
    Agent(AgentEffect),
    /// Keep what was received in a new file. Answered by `Watch` with `Saved`, or `Failed`.
    SaveTrace {
        path: String,
        head: Head,
        heard: Vec<Tapped>,
    },
    /// Read a trace. Answered by `Watch` with `Opened`, or `Failed`.
    OpenTrace(String),
    /// Read cards. Answered by `Watch` with `CardsRead` of that turn.
    ReadCards {
        turn: u64,
        connection: Box<Connection>,
        known: Vec<Connection>,
        card_source: CardSource,
    },
    /// Open a connection, after closing it where it is to be opened again, and ask what is there.
    /// Answered by `ConnectionMessage::Tested` of that turn.
    TestConnection {
        turn: u64,
        connection: Box<Connection>,
        reopens: bool,
    },
    /// Look at a server in each era of its protocol, with a call of a tool. Answered by
    /// `ErasCompared`.
    CompareEras {
        connection: Box<Connection>,
        call: Option<(String, Value)>,
    },
    /// Read a resource or a prompt. Answered by `WasRead` of that turn.
    ReadItem {
        turn: u64,
        connection: Box<Connection>,
        item: ItemId,
        request: ItemRequest,
    },
    /// Follow a resource until `UnfollowItem`. Answered by `Updated` whenever it changes, and by
    /// `FollowEnded` where that fails.
    FollowItem {
        connection: Box<Connection>,
        item: ItemId,
        request: ItemRequest,
    },
    /// Follow it no longer.
    UnfollowItem(ItemId),
    /// Ask a server what it suggests for an argument of a request. Answered by `Suggested` of that
    /// turn.
    SuggestValues {
        turn: u64,
        connection: Box<Connection>,
        request: ItemRequest,
        argument: String,
    },
    /// Write what a server answered into new files; a folder ends with `/`. Answered by a notice
    /// or `Failed`.
    SaveParts {
        parts: Vec<ContentPart>,
        path: String,
    },
    /// Open what a server answered with the system's program for it. Answered by a notice or
    /// `Failed`.
    OpenPart(Box<ContentPart>),
    /// Keep a secret in the system's key store. Answered by a notice or `Failed`.
    KeepSecret {
        name: String,
        secret: HiddenText,
    },
    /// Something about the tokens of a connection.
    SignIn(SignInEffect),
    /// Look for servers that other programs have configured. Answered by `ServersFound`.
    FindServers,
    /// Ask which services are where a connection leads. Answered by `Discovered`.
    Discover(Box<Connection>),
    /// Keep that the user allows this, then do what it was asked for.
    Allow {
        permission: Box<Permission>,
        then: Box<Effect>,
    },
    /// Keep that the user allows all that this connection needs, whose command or address was just
    /// typed, then do what it was typed for.
    AllowTyped {
        connection: Box<Connection>,
        then: Box<Effect>,
    },
    /// Read what is configured where the connection leads. Answered by `Deployed`, or
    /// `NotAllowed`.
    ReadDeployed {
        connection: Box<Connection>,
        purpose: Purpose,
    },
    /// Have the tools of this server listed, where the user has allowed what that takes; else
    /// nothing is done. Answered by `ListAllowed`.
    ListAllowed(Box<Connection>),
    /// Write there, and read back. Answered by a notice or `Failed`.
    Push {
        connection: Box<Connection>,
        push: Box<Push>,
    },
    /// Tell what a folder holds; an empty name is the workspace's own. Answered by `Folder`.
    LookIntoFolder(String),
    /// Put a text on the clipboard.
    Copy(String),
    /// Give the terminal to the user's editor, then read the file again.
    Editor {
        file: FileId,
        line: usize,
        column: usize,
    },
    /// The same for one text of a form. Answered by `EditorText`.
    EditText {
        target: TextTarget,
        at: Pointer,
        text: OutsideText,
    },
    /// Read a file by its path, of the workspace or not, to add its tools. Answered by `ToolsRead` or
    /// `Failed`.
    ReadTools(String),
    /// Copy a shipped sample into the workspace, then read it.
    PutSample(&'static str),
    /// Remember the theme for the next start.
    KeepTheme(String),
    /// Show a notification.
    Notify {
        notification: Notification,
        /// How, where there are several ways: a window has only the desktop's.
        way: Option<NotificationWay>,
    },
    /// Remember for the next start whether there are notifications.
    KeepNotifications {
        on: bool,
    },
    /// Start the program again with a window of its own. Answered by a notice or `Failed`.
    OpenWindow(WindowGoal),
    /// Paste from other programs, or offer them what was selected.
    Clipboard(ClipboardAct),
    /// Stop until the shell lets the program go on.
    Suspend,
    /// End the program.
    Quit,
}
