//! What happens: what a user asks for, and what comes back from the world. Domain data only.

use std::sync::Arc;

use serde_json::Value;

use super::{
    agent_run::AgentMessage,
    answering::{AnsweringMessage, AskId},
    calls::{CallMessage, CallPart, CallText},
    compose::plan::Plan,
    connection_test::Report,
    documents::{Change, UnreadText},
    folder::FolderList,
    history::HistoryMessage,
    input::Focus,
    notices::NoticeKind,
    notifications::NotificationMessage,
    outside_text::OutsideText,
    resources::{ItemId, ResourceMessage},
    sign_in::{SignInAct, SignInNews},
    tour::TourMessage,
    watching::WatchMessage,
    workflow::WorkflowMessage,
};
use crate::{
    engine::{agent_loop::outline::Place, eras::EraComparison, secret::HiddenText},
    model::{
        catalog::Part,
        context::Mode,
        entry::{EntryId, FileId, SystemId},
        finding::Findings,
        problem::Problem,
        unsaved::LeftTexts,
    },
    schema::{moment::LocalTime, pointer::Pointer},
    syntax::source::{Source, SyntaxError},
    systems::{
        deployed::{item::Item, push::Push},
        discovery::found::{Found, Searched},
        facets::configured::FoundConfig,
        permission::Permission,
    },
};

/// The screens, as rows of `ui/screens.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScreenId {
    Tools,
    Workflow,
    Invoke,
    Watch,
    History,
    /// Calls that wait to be answered by hand.
    Waiting,
    Connections,
    /// What servers have to read beside their tools.
    Resources,
    /// A model in front of the tools.
    Run,
    /// The form program's only one.
    Form,
}

impl ScreenId {
    /// Whether undo there is about what is typed there, and never about files.
    #[must_use]
    pub fn has_own_undo(self) -> bool {
        matches!(self, Self::Waiting | Self::Run)
    }

    /// What calls say of which it has forms.
    #[must_use]
    pub fn call_parts(self) -> &'static [CallPart] {
        match self {
            Self::Invoke => &[CallPart::Arguments, CallPart::Meta, CallPart::Mock],
            Self::Tools => &[CallPart::Arguments, CallPart::SampleAnswers],
            _ => &[],
        }
    }
}

/// What comes after the document of the form program is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterSave {
    Stay,
    Leave,
}

/// What a running system's configuration is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Import,
    /// The same over a connection that was just added: it is saved once it answers.
    FirstImport,
    Push,
    /// To keep the ids that it gave what was pushed.
    KeepIds,
    /// Nothing: the connection is tested.
    Test,
    /// To call what is there; with the number of the asking.
    Call {
        turn: u64,
    },
}

/// What a window does with texts of other programs, beside copying for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipboardAct {
    /// Paste what was copied last, in any program.
    Paste,
    /// Text was selected with the mouse: the middle button pastes it.
    Select(String),
}

/// What another window is opened for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowGoal {
    /// A workspace, by the path of its folder as it was typed.
    Folder(String),
    Demo,
}

/// Whether a document with issues may be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftPolicy {
    /// The user is asked first.
    Ask,
    Allow,
}

#[derive(Clone, Debug)]
pub enum Message {
    /// What a folder holds is wanted. Answered by `Folder`.
    LookIntoFolder(String),
    Folder(FolderList),
    /// What the clock on the wall shows, with each input.
    Clock(LocalTime),
    /// The user turns to the program, or away from it.
    Focus(Focus),
    /// All about desktop notifications.
    Notification(NotificationMessage),
    Show(ScreenId),
    /// Choose the entry that Tools and Invoke show.
    Select(EntryId),
    /// Choose the entry and go to one of its fields.
    Jump(EntryId, Pointer),
    SetTheme(String),
    /// Use a theme until the user chooses one: the system's colours are like it.
    ShowTheme(String),
    Copy {
        what: String,
        text: String,
    },
    Notice(NoticeKind, String),
    /// The user has gone on after the newest notice.
    NoticeSeen,
    /// The question is answered, or put aside.
    DropQuestion,
    /// Nothing comes of the question; in a workspace without entries the ways to begin are shown
    /// again.
    CancelQuestion,
    /// Open another window: for a folder, or the demo.
    OpenWindow(WindowGoal),
    /// In a window only; a terminal does this itself.
    Clipboard(ClipboardAct),
    /// Stop until the shell lets the program go on.
    Suspend,
    /// Leave; `true`: although there are unsaved changes.
    Quit {
        discard: bool,
    },
    /// Leave as soon as no file has unsaved changes.
    QuitWhenSaved,
    /// All that is typed in forms and is no value: it will be in no document.
    Unread(Vec<UnreadText>),
    /// Print or save the document of the form program.
    Accept {
        then: AfterSave,
        draft: DraftPolicy,
    },
    Failed(Problem),

    /// All about the user's files.
    Document(DocumentMessage),
    /// All about connections, and what is deployed where they lead.
    Connection(ConnectionMessage),
    /// All about the workflow.
    Workflow(WorkflowMessage),
    /// All about calls and their arguments.
    Call(CallMessage),
    /// All about kept calls.
    History(HistoryMessage),
    /// All about the watch.
    Watch(WatchMessage),
    /// All about answering by hand.
    Answering(AnsweringMessage),
    /// All about a model in front of the tools.
    Agent(AgentMessage),
    /// All about resources and prompts of servers.
    Resource(ResourceMessage),
    /// All about the tour of the demo.
    Tour(TourMessage),
}

/// About the user's files: what the user asks for, then what comes back from the world.
#[derive(Clone, Debug)]
pub enum DocumentMessage {
    Change {
        label: String,
        changes: Vec<Change>,
    },
    /// Make what was planned, as one step of undo.
    Compose(Plan),
    Undo,
    Redo,
    /// Save one file, or all that changed.
    Save(Option<FileId>),
    /// That file, those that were changed together with it, and what was deleted.
    SaveSelected(FileId),
    /// Save although the file changed on disk.
    Overwrite(FileId),
    /// Put the unsaved changes of a file and those on disk together.
    Merge(FileId),
    /// Drop the unsaved changes of a file and take what is on disk.
    TakeDisk(FileId),
    Reload,
    SwitchMode,
    /// Show findings on the health of the tools, or don't.
    ShowHealth(bool),
    /// What models see of the chosen tool is on the screen, or no more.
    ShowModel(bool),
    OpenEditor {
        file: FileId,
        line: usize,
        column: usize,
    },
    EditText {
        target: TextTarget,
        at: Pointer,
        text: OutsideText,
    },
    /// Put tools on the clipboard, as a file of descriptors.
    CopyTools(Vec<EntryId>),
    /// Ask how to begin, as at the first start.
    AskBegin,
    /// Put a shipped sample into this (empty) workspace.
    PutSample(&'static str),
    /// Read a file by its path, as it was typed, to add its tools. Answered by `ToolsRead`.
    ReadTools(String),
    /// The text of such a file.
    ToolsRead(Arc<str>),
    /// A sample's files were written to the workspace's folder.
    SampleWritten(Vec<(FileId, Arc<str>)>),
    /// What is done with unsaved work of an earlier session.
    Recover(Recovery),

    /// What the beginning of a large file holds, before any file is read as a whole.
    Beginning(FileId, FileEntries),
    /// A slice of the workspace's files.
    Loaded(Vec<(FileId, Loaded)>),
    /// All files are read: their names (others have gone), and what was left out, in words.
    LoadEnded {
        names: Vec<FileId>,
        skipped: Vec<String>,
        /// The files among these that couldn't be read.
        unread: Vec<(FileId, Problem)>,
    },
    /// The time has come that `CheckSoon` asked for.
    CheckDue,
    /// What a check found.
    Checked {
        turn: u64,
        findings: Arc<Findings>,
    },
    /// What models see of a tool, as `RenderModel` asked for it.
    ModelRendered {
        tool: EntryId,
        text: Arc<str>,
    },
    /// One file on disk is different from what was read.
    DiskChanged {
        file: FileId,
        text: Option<Arc<str>>,
    },
    Saved {
        file: FileId,
        text: Option<Arc<str>>,
    },
    /// The file on disk is not the one that was read; its text now.
    SaveRefused {
        file: FileId,
        disk: Option<Arc<str>>,
    },
    /// Unsaved texts that an earlier session left.
    Unsaved(LeftTexts),
    EditorText {
        target: TextTarget,
        at: Pointer,
        text: OutsideText,
    },
}

/// About connections and what is deployed where they lead: what the user asks for, then what comes
/// back.
#[derive(Clone, Debug)]
pub enum ConnectionMessage {
    /// Shows that connection on its screen.
    Show(String),
    /// The server of that connection has other tools now.
    ToolsChanged(String),
    /// Tests where that connection leads to.
    Test(String),
    /// Closes that connection and opens it again, which starts its server again where a command does
    /// that, and tests it.
    Reconnect(String),
    /// What is wanted of that connection's tokens.
    SignIn {
        name: String,
        act: SignInAct,
    },
    /// What came of it, in that turn.
    SignInNews {
        turn: u64,
        connection: String,
        news: Box<SignInNews>,
    },
    /// The user allows what `Question::Allow` is about.
    AllowAsked,
    /// Look at the server of a connection in each era of its protocol, with a call of a tool.
    /// Answered by `ErasCompared`.
    CompareEras {
        name: String,
        call: Option<Box<(String, Value)>>,
    },
    ErasCompared {
        connection: String,
        comparison: Box<EraComparison>,
    },
    /// Connect to a server of tools: its command or address is asked for.
    AskServer,
    /// List the tools of the server of that name, which was just typed: who types its command wants
    /// it started.
    ListTyped(String),
    /// Ask where a running system is, to import its tools.
    AskSystem(SystemId),
    /// Keep a secret in the system's key store.
    KeepSecret {
        name: String,
        secret: HiddenText,
    },
    /// Look for servers that other programs have configured. Answered by `ServersFound`.
    FindServers,
    /// Ask which services are where that connection leads, and look into the workspace's registry
    /// files. Answered by `Discovered`.
    Discover(String),
    /// Lets all calls go through this one; `None`: through those that the workspace says.
    Use(Option<String>),
    /// What is configured where the connection leads is wanted. Answered by `Deployed`.
    AskDeployed(Purpose),
    /// The same at that connection, to list its tools beside the workspace's own; `None`: at the one
    /// for all.
    ListDeployed(Option<String>),
    /// The same of the server of that name, which the user allowed before, where its tools aren't
    /// known.
    ListAllowed(String),
    /// Make what is configured there like the workspace.
    Push(Box<Push>),

    /// Whether secrets can be kept on this system.
    KeyStore {
        is_there: bool,
    },
    /// A secret is in the key store (`true`) or, where there is none, kept until the program ends;
    /// or why it isn't.
    SecretKept {
        name: String,
        in_key_store: Result<bool, Problem>,
    },
    /// The files of other programs that configure servers, and what could not be read of them.
    ServersFound {
        configs: Vec<FoundConfig>,
        problems: Vec<Problem>,
    },
    /// The services and servers that were found, and what of them could not be read or asked.
    Discovered {
        searched: Box<Searched>,
        found: Vec<Found>,
        unread: Vec<String>,
        problems: Vec<Problem>,
    },
    /// What was to be read needs something that the user has not allowed.
    NotAllowed {
        connection: String,
        permission: Box<Permission>,
        purpose: Purpose,
    },
    /// What is configured where the connection leads, or why it could not be read.
    Deployed {
        purpose: Purpose,
        read: Result<Vec<Item>, Problem>,
    },
    Tested {
        turn: u64,
        connection: String,
        report: Report,
    },
    Condition {
        connection: String,
        condition: Condition,
    },
    /// Who listens where that connection leads.
    Listeners {
        connection: String,
        listeners: Arc<[(String, String)]>,
    },
}

/// What is done with unsaved work that an earlier session left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    Restore,
    Discard,
}

/// Whose text was given to the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextTarget {
    Entry(EntryId),
    /// What is typed for calls of a tool.
    Call(CallText),
    /// The answer to this call.
    Answer(AskId),
    /// The arguments of the call that a model wants.
    ModelCall,
    /// A result in a run of a model, by its place.
    ModelResult(Place),
    /// What is typed for a resource or a prompt.
    Item(ItemId),
    /// The document of the form program.
    Form,
    /// The workspace's settings; the place is one of that file's.
    Settings,
}

/// A file as the store read it.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub text: Arc<str>,
    pub source: Result<Source, SyntaxError>,
    /// What it holds, where that was found out with the reading.
    pub held: Option<FileEntries>,
}

/// The entries of a file, as they are read in a mode.
#[derive(Clone, Debug)]
pub struct FileEntries {
    pub part: Part,
    pub mode: Mode,
}

/// How a connection is, in words (none where all is well) and for its sign in the top line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    pub words: String,
    pub health: Health,
}

/// The sign of a connection's condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    #[default]
    Idle,
    Good,
    Busy,
    Bad,
}
