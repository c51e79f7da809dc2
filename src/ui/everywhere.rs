//! The actions that work on every screen. A screen that does one of them in its own way takes it
//! over in its own table.

use super::{
    action_rows::{self, refuse_when},
    overlays::{connections, notices, questions, samples},
    view::Reply,
};
use crate::app::{
    actions::Scope,
    message::{ConnectionMessage, DocumentMessage, Message, Purpose, ScreenId},
    state::State,
};

/// The whole of what is on the terminal, as these actions need it.
pub trait Window {
    fn open_help(&self, state: &State) -> Reply;

    fn open_palette(&self, state: &State) -> Reply;

    /// Shows a screen, where this program has it.
    fn show(&self, screen: ScreenId) -> Reply;
}

type Row = action_rows::Row<dyn Window>;

const NOTHING_CHANGED: &str = "no file has unsaved changes";

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Global, "help", "help", |window, state| window.open_help(state))
        .keys(&["?", "f1"])
        .help("Show the keys that work here"),
    Row::new(Scope::Global, "palette", "commands", |window, state| window.open_palette(state))
        .keys(&["ctrl+p"])
        .help("Find any action by name, with its key or the reason why it can't be used now"),
    Row::new(Scope::Global, "show-tools", "Tools", |window, _| window.show(ScreenId::Tools))
        .keys(&["1"])
        .help("Design descriptors"),
    Row::new(Scope::Global, "show-workflow", "Workflow", |window, _| {
        window.show(ScreenId::Workflow)
    })
    .keys(&["2"])
    .help("Step through states and groups"),
    Row::new(Scope::Global, "show-invoke", "Invoke", |window, _| window.show(ScreenId::Invoke))
        .keys(&["3"])
        .help("Call a tool and watch the answer"),
    Row::new(Scope::Global, "show-watch", "Watch", |window, _| window.show(ScreenId::Watch))
        .keys(&["4"])
        .help("See what passes on the bus"),
    Row::new(Scope::Global, "show-history", "History", |window, _| window.show(ScreenId::History))
        .keys(&["5"])
        .help("Find, open, compare and replay calls that were made"),
    Row::new(Scope::Global, "show-connections", "Connections", |window, _| {
        window.show(ScreenId::Connections)
    })
    .keys(&["6"])
    .help("See, edit and test where calls go"),
    Row::new(Scope::Global, "next-pane", "next pane", |_, _| Reply::Ignored)
        .keys(&["tab"])
        .help("Move to the next pane (in a form: to the next field)"),
    Row::new(Scope::Global, "previous-pane", "previous pane", |_, _| Reply::Ignored)
        .keys(&["shift+tab"])
        .help("Move to the pane before (in a form: to the field before)"),
    Row::new(Scope::Global, "find", "find", nothing_to_find)
        .keys(&["/", "ctrl+f"])
        .help("Find in this pane as you type"),
    Row::new(Scope::Global, "undo", "undo", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Undo))
    })
    .keys(&["u", "alt+u"])
    .help("Take the last edit back")
    .refused(|_, state| refuse_when(!state.can_undo(), "there is nothing to undo")),
    Row::new(Scope::Global, "redo", "redo", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Redo))
    })
    .keys(&["ctrl+r", "ctrl+y"])
    .help("Make the edit again that was taken back")
    .refused(|_, state| refuse_when(!state.can_redo(), "there is nothing to redo")),
    Row::new(Scope::Global, "save", "save", |_, state| save_selected(state))
        .keys(&["s", "ctrl+s"])
        .help("Save the file of the selected tool"),
    Row::new(Scope::Global, "save-all", "save all", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Save(None)))
    })
    .keys(&["S"])
    .help("Save every changed file")
    .refused(|_, state| {
        refuse_when(state.documents.changed_files().next().is_none(), NOTHING_CHANGED)
    }),
    Row::new(Scope::Global, "switch-mode", "mode", |_, _| {
        Reply::send(Message::Document(DocumentMessage::SwitchMode))
    })
    .keys(&["M"])
    .help("Switch between the document's rules and what is deployed"),
    Row::new(Scope::Global, "next-theme", "theme", |_, state| next_theme(state))
        .keys(&["f9"])
        .help("Switch to the next theme"),
    Row::new(Scope::Global, "notices", "notices", |_, state| {
        Reply::Open(Box::new(notices::notices_page(state)))
    })
    .keys(&["N"])
    .help("Show what was noticed in this session"),
    Row::new(Scope::Global, "connection", "connection", |_, state| {
        Reply::Open(Box::new(connections::connection_menu(state)))
    })
    .keys(&["C"])
    .help("Choose the connection that calls use"),
    Row::new(Scope::Global, "tool-connection", "its connection…", |_, state| {
        connections::of_tool(state)
    })
    .keys(&["f3"])
    .help(
        "Choose the connection that calls of the selected tool always go through; \
             toolcrib.toml keeps it",
    ),
    Row::new(Scope::Global, "reload", "reload", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Reload))
    })
    .keys(&["f5"])
    .help("Read the workspace's files again; unsaved changes are kept"),
    Row::new(Scope::Global, "import", "import…", |_, _| {
        Reply::send(Message::Connection(ConnectionMessage::AskDeployed(Purpose::Import)))
    })
    .keys(&["f7"])
    .help(
        "Take the tools of the system that the connection leads to (TrustGraph, \
             CommonGround, OpenSearch) into the files; what changes is shown first",
    ),
    Row::new(Scope::Global, "push", "push…", |_, _| {
        Reply::send(Message::Connection(ConnectionMessage::AskDeployed(Purpose::Push)))
    })
    .keys(&["f8"])
    .help(
        "Send the tools to the system that the connection leads to (TrustGraph, \
             CommonGround, OpenSearch); what changes there is shown first",
    )
    .risky(),
    Row::new(Scope::Global, "ask-agent", "ask agent…", |_, state| {
        Reply::Open(Box::new(questions::agent_prompt(state)))
    })
    .keys(&["f4"])
    .help(
        "Ask the agent of the TrustGraph that the connection leads to, with the run's groups \
             and state; its steps come as they stream",
    )
    .refused(|_, state| questions::agent_refusal(state)),
    Row::new(Scope::Global, "suspend", "suspend", |_, _| Reply::send(Message::Suspend))
        .keys(&["ctrl+z"])
        .help("Give the terminal back to the shell; `fg` comes back here"),
    Row::new(Scope::Global, "quit", "quit", |_, _| Reply::send(Message::Quit { discard: false }))
        .keys(&["q", "ctrl+q", "ctrl+c"])
        .help("Leave; asks when there are unsaved changes"),
    Row::new(Scope::Global, "show-waiting", "Waiting", |window, _| window.show(ScreenId::Waiting))
        .keys(&["7"])
        .help(
            "Answer by hand what waits: questions of MCP servers, calls of CommonGround tools; \
             shown in the top line while there is something",
        ),
    Row::new(Scope::Global, "show-resources", "Resources", |window, _| {
        window.show(ScreenId::Resources)
    })
    .keys(&["8"])
    .help(
        "Read what MCP servers have beside their tools: resources, templates and prompts; shown \
             in the top line once a server has some",
    ),
    Row::new(Scope::Global, "variables", "variables…", |_, state| {
        Reply::Open(Box::new(samples::sample_menu(state)))
    })
    .keys(&["V"])
    .help(
        "Try sample values for the variables that the tool's arguments are filled in from, \
             and see what it would get; nothing is sent or kept",
    )
    .refused(|_, state| samples::refusal_reason(state)),
];

fn nothing_to_find(_: &mut (dyn Window + 'static), _: &State) -> Reply {
    Reply::Refused("there is nothing to find in this pane".into())
}

fn save_selected(state: &State) -> Reply {
    Reply::send(Message::Document(DocumentMessage::Save(
        state.selected.as_ref().map(|entry| entry.file().clone()),
    )))
}

fn next_theme(state: &State) -> Reply {
    let at = state.themes.iter().position(|name| *name == state.theme).unwrap_or(0);
    let next = state.themes.get((at + 1) % state.themes.len().max(1));
    next.map_or(Reply::Handled, |name| Reply::send(Message::SetTheme(name.clone())))
}
