//! The actions that work on every screen. A screen that does one of them in its own way takes it
//! over in its own table.

use super::{
    action_rows::{self, refuse_when},
    ask_cases,
    overlays::{
        ask_model, connections,
        menu::{Item, Menu},
        modes, notices,
        prompt::Prompt,
        questions, samples,
    },
    pasted,
    view::Reply,
    widgets::panes::PaneChange,
};
use crate::app::{
    actions::Scope,
    calls::CallMessage,
    compose::{context::ComposeContext, plan::Plan, services},
    input::{Code, Key},
    message::{ConnectionMessage, DocumentMessage, Message, Purpose, ScreenId, WindowGoal},
    notices::NoticeKind,
    notifications::NotificationMessage,
    state::State,
    verbs,
};
use crate::{model::tool::Tool, systems::table};

/// The whole of what is on the terminal, as these actions need it.
pub trait Window {
    fn open_help(&self, state: &State) -> Reply;

    fn open_palette(&self, state: &State) -> Reply;

    /// Lists what can be done with the thing under the cursor.
    fn open_actions_menu(&self, _state: &State) -> Reply {
        Reply::Ignored
    }

    /// Sends a key to the screen, where it is drawn.
    fn send_key(&mut self, _key: Key, _state: &State) -> Reply {
        Reply::Ignored
    }

    /// Changes how the panes of the screen share it, where it is drawn.
    fn arrange_panes(&mut self, _change: PaneChange, _state: &State) -> Reply {
        Reply::Ignored
    }

    /// Shows a screen, where this program has it.
    fn show(&self, screen: ScreenId) -> Reply;
}

type Row = action_rows::Row<dyn Window>;

const NOTHING_CHANGED: &str = "no file has unsaved changes";

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Global, "help", "help", |window, state| window.open_help(state))
        .keys(&[verbs::HELP])
        .help("Show the keys that work here; [keys] in your settings, config.toml, remaps them"),
    Row::new(Scope::Global, "palette", "commands", |window, state| window.open_palette(state))
        .keys(&[verbs::PALETTE])
        .help("Find any action by name, with its key or the reason why it can't be used now"),
    Row::new(Scope::Global, "actions-menu", "actions", |window, state| {
        window.open_actions_menu(state)
    })
    .keys(&[verbs::MENU])
    .help("List what you can do here, with keys (also: right mouse button)"),
    Row::new(Scope::Global, "show-tools", "Tools", |window, _| window.show(ScreenId::Tools))
        .keys(&[verbs::SCREEN_1])
        .help("Design descriptors"),
    Row::new(Scope::Global, "show-workflow", "Workflow", |window, _| {
        window.show(ScreenId::Workflow)
    })
    .keys(&[verbs::SCREEN_2])
    .help("Step through states and groups"),
    Row::new(Scope::Global, "show-invoke", "Invoke", |window, _| window.show(ScreenId::Invoke))
        .keys(&[verbs::SCREEN_3])
        .help("Call a tool and watch the answer"),
    Row::new(Scope::Global, "show-watch", "Watch", |window, _| window.show(ScreenId::Watch))
        .keys(&[verbs::SCREEN_4])
        .help("Watch the traffic on the bus"),
    Row::new(Scope::Global, "show-history", "History", |window, _| window.show(ScreenId::History))
        .keys(&[verbs::SCREEN_5])
        .help("Find, open, compare and replay earlier calls"),
    Row::new(Scope::Global, "show-connections", "Connections", |window, _| {
        window.show(ScreenId::Connections)
    })
    .keys(&[verbs::SCREEN_6])
    .help("View, edit and test connections"),
    Row::new(Scope::Global, "next-pane", "next pane", |_, _| Reply::Ignored)
        .keys(&[verbs::NEXT_PANE])
        .help("Move to the next pane (in EDIT: accept, and edit the next field)"),
    Row::new(Scope::Global, "previous-pane", "previous pane", |_, _| Reply::Ignored)
        .keys(&[verbs::PREVIOUS_PANE])
        .help("Move to the previous pane (in EDIT: accept, and edit the previous field)"),
    Row::new(Scope::Global, "first", "first", |window, state| {
        window.send_key(Key::plain(Code::Home), state)
    })
    .keys(&[verbs::FIRST])
    .help("Go to the first row"),
    Row::new(Scope::Global, "last", "last", |window, state| {
        window.send_key(Key::plain(Code::End), state)
    })
    .keys(&[verbs::LAST])
    .help("Go to the last row"),
    Row::new(Scope::Global, "zoom-pane", "zoom", |window, state| {
        window.arrange_panes(PaneChange::Zoom, state)
    })
    .keys(&[verbs::ZOOM])
    .help("Show this pane alone in the whole window, or all panes again"),
    Row::new(Scope::Global, "narrow-pane", "narrower", |window, state| {
        window.arrange_panes(PaneChange::Narrower, state)
    })
    .keys(&[verbs::NARROWER])
    .help("Make this pane narrower; you can also drag its edge"),
    Row::new(Scope::Global, "widen-pane", "wider", |window, state| {
        window.arrange_panes(PaneChange::Wider, state)
    })
    .keys(&[verbs::WIDER])
    .help("Make this pane wider; you can also drag its edge"),
    Row::new(Scope::Global, "wrap", "wrap", |_, _| {
        Reply::Refused("this pane has no long lines to wrap".into())
    })
    .keys(&[verbs::WRAP])
    .help("Wrap long lines, or cut them at the edge"),
    Row::new(Scope::Global, "find", "find", nothing_to_find)
        .keys(&[verbs::FIND])
        .help("Find in this pane as you type"),
    Row::new(Scope::Global, "undo", "undo", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Undo))
    })
    .keys(&[verbs::UNDO])
    .edit_keys(&["alt+u"])
    .help("Undo the last edit")
    .refused(|_, state| refuse_when(!state.can_undo(), "there is nothing to undo")),
    Row::new(Scope::Global, "redo", "redo", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Redo))
    })
    .keys(&[verbs::REDO])
    .help("Redo the edit that was undone")
    .refused(|_, state| refuse_when(!state.can_redo(), "there is nothing to redo")),
    Row::new(Scope::Global, "save", "save", |_, state| save_selected(state))
        .keys(&[verbs::SAVE])
        .help("Save the selected tool's file, and files changed with it"),
    Row::new(Scope::Global, "save-all", "save all", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Save(None)))
    })
    .keys(&[verbs::SAVE_ALL])
    .help("Save every changed file")
    .refused(|_, state| {
        refuse_when(state.documents.changed_files().next().is_none(), NOTHING_CHANGED)
    }),
    Row::new(Scope::Global, "switch-mode", "mode…", |_, state| {
        Reply::Open(Box::new(modes::mode_menu(state)))
    })
    .help("Switch between the document's rules and the deployed system's rules"),
    Row::new(Scope::Global, "next-theme", "theme…", |_, state| theme_menu(state))
        .help("Choose a theme; kept in your settings, config.toml"),
    Row::new(Scope::Global, "notices", "notices", |_, state| {
        Reply::Open(Box::new(notices::notices_page(state)))
    })
    .help("Show the notices of this session"),
    Row::new(Scope::Global, "notifications", "notifications", |_, _| {
        Reply::send(Message::Notification(NotificationMessage::Toggle))
    })
    .help(
        "Switch notifications on or off, for while you look elsewhere: long calls, alerts in \
        Watch, test runs, questions; saved in config.toml",
    ),
    Row::new(Scope::Global, "try-notification", "try notification", |_, _| {
        Reply::send(Message::Notification(NotificationMessage::Try))
    })
    .help("See whether your terminal or desktop shows notifications"),
    Row::new(Scope::Global, "connection", "connection", |_, state| {
        Reply::Open(Box::new(connections::connection_menu(state)))
    })
    .keys(&[verbs::CONNECTION])
    .help("Choose the connection that calls use"),
    Row::new(Scope::Global, "next-connection", "next connection", |_, state| {
        match connections::next_name(state) {
            Some(name) => Reply::send(Message::Connection(ConnectionMessage::Use(Some(name)))),
            None => Reply::Handled,
        }
    })
    .help("Let all calls go through the next connection of toolcrib.toml, round and round")
    .refused(|_, state| {
        let has_none = connections::next_name(state).is_none();
        has_none.then(|| "toolcrib.toml has no other connection".to_owned())
    }),
    Row::new(Scope::Global, "tool-connection", "its connection…", |_, state| {
        connections::of_tool(state)
    })
    .help("Choose the connection for calls of the selected tool; saved in toolcrib.toml"),
    Row::new(Scope::Global, "restart-server", "restart server", |_, state| {
        let name = state.connection_here().name;
        Reply::send(Message::Connection(ConnectionMessage::Reconnect(name)))
    })
    .help(
        "End the server that the connection's command started, and start it again; a connection to \
        a server elsewhere is opened again",
    )
    .refused(|_, state| restart_refusal(state)),
    Row::new(Scope::Global, "reload", "reload", |_, _| {
        Reply::send(Message::Document(DocumentMessage::Reload))
    })
    .keys(&[verbs::RELOAD])
    .help(
        "Reload the workspace's files; unsaved changes are kept. On Invoke it also starts the server \
        again that a connection's command started, unless a call runs there",
    ),
    Row::new(Scope::Global, "make-service", "make service", |_, state| make_service(state))
        .help("Make the service that the selected tool names and that is not there yet")
        .refused(|_, state| service_refusal(state)),
    Row::new(Scope::Global, "welcome", "welcome…", |_, _| {
        Reply::send(Message::Document(DocumentMessage::AskBegin))
    })
    .help("Show the ways to begin again: a new tool, a sample, a running system, an MCP server")
    .refused(|_, state| refuse_when(state.form.is_some(), "only in the workbench")),
    Row::new(Scope::Global, "add-file-tools", "add tools of a file…", |_, state| {
        pasted::choose_file(state)
    })
    .help(
        "Add the tools of a file of this folder to the workspace: a list of tools or functions, an \
        OpenAPI document; changes are shown first",
    )
    .refused(|_, state| refuse_when(state.form.is_some(), "only in the workbench")),
    Row::new(Scope::Global, "import", "import…", |_, _| {
        Reply::send(Message::Connection(ConnectionMessage::AskDeployed(Purpose::Import)))
    })
    .help(
        "Import the tools of the connection's system (TrustGraph, CommonGround, OpenSearch, search-proxy) into \
        files; changes are shown first",
    )
    .refused(|_, state| import_refusal(state)),
    Row::new(Scope::Global, "push", "push…", |_, _| {
        Reply::send(Message::Connection(ConnectionMessage::AskDeployed(Purpose::Push)))
    })
    .help(
        "Push the tools to the connection's system (TrustGraph, CommonGround, OpenSearch, search-proxy); \
        changes are shown first",
    )
    .refused(|_, state| push_refusal(state))
    .risky(),
    Row::new(Scope::Global, "ask-agent", "ask agent…", |_, state| {
        Reply::Open(Box::new(questions::agent_prompt(state)))
    })
    .help(
        "Ask the agent of the connection's TrustGraph, with the run's groups and state; its steps \
        are streamed",
    )
    .refused(|_, state| questions::agent_refusal(state)),
    Row::new(Scope::Global, "mock-all", "mock all tools", |_, _| {
        Reply::send(Message::Call(CallMessage::TurnAllMocks))
    })
    .help(
        "Mock every tool, in Invoke and in Workflow's steps: their stubs or examples answer in \
        place of their services; or end that",
    )
    .refused(|_, state| refuse_when(state.catalog.tools.is_empty(), "there is no tool")),
    Row::new(Scope::Global, "ask-model", "ask a model…", |_, state| {
        ask_model::ask_model(state)
    })
    .help("Put a model in front of the tools: choose it, ask, and decide each call that it wants")
    .refused(|_, state| run_refusal(state)),
    Row::new(Scope::Global, "recorded-run", "recorded run…", |_, state| {
        ask_cases::recorded_menu(state)
    })
    .help(
        "Go through a recorded run of an ask case, call by call, with the tools as they are now; no \
        model is needed",
    )
    .refused(|_, state| run_refusal(state)),
    Row::new(Scope::Global, "show-run", "Model run", |window, _| window.show(ScreenId::Run))
        .help("Show the newest run of a model. In the top line once there is one"),
    Row::new(Scope::Global, "open-folder", "open folder…", |_, _| ask_folder())
        .help("Open a folder as a workspace in a window of its own, beside this one")
        .refused(|_, state| only_in_window(state)),
    Row::new(Scope::Global, "open-demo", "open demo", |_, _| {
        Reply::send(Message::OpenWindow(WindowGoal::Demo))
    })
    .help("Open the demo, where everything can be tried, in a window of its own")
    .refused(|_, state| only_in_window(state)),
    Row::new(Scope::Global, "suspend", "suspend", |_, _| Reply::send(Message::Suspend))
        .edit_keys(&["ctrl+alt+z"])
        .help("Suspend toolcrib and return to the shell; `fg` resumes it"),
    Row::new(Scope::Global, "quit", "quit", |_, _| Reply::send(Message::Quit { discard: false }))
        .keys(&[verbs::QUIT])
        .help("Quit; asks first if there are unsaved changes or something is running"),
    Row::new(Scope::Global, "show-waiting", "Waiting", |window, _| window.show(ScreenId::Waiting))
        .keys(&[verbs::SCREEN_7])
        .help(
            "Answer by hand: questions of MCP servers, calls of CommonGround tools. In the top \
            line while something is waiting",
        ),
    Row::new(Scope::Global, "show-resources", "Resources", |window, _| {
        window.show(ScreenId::Resources)
    })
    .keys(&[verbs::SCREEN_8])
    .help(
        "Read the resources, templates and prompts of MCP servers. In the top line once a server \
        has some",
    ),
    Row::new(Scope::Global, "variables", "variables…", |_, state| {
        Reply::Open(Box::new(samples::sample_menu(state)))
    })
    .help(
        "Try sample values for the variables in the tool's arguments, and see what the tool would \
        receive; nothing is sent or saved",
    )
    .refused(|_, state| samples::refusal_reason(state)),
];

/// Why no run of a model can begin.
fn run_refusal(state: &State) -> Option<String> {
    refuse_when(state.form.is_some(), "only in the workbench").or_else(|| {
        refuse_when(state.invoke.agent.is_under_way(), "a run is under way: stop it first")
    })
}

/// Why there is nothing to import over the current connection.
fn import_refusal(state: &State) -> Option<String> {
    let connection = state.current_connection();
    let choose = state.keymap.way_to("connection");
    match table::deployment_at(&connection) {
        None => Some(format!(
            "connection \"{}\" leads to no system with tools to import; {choose} chooses another",
            connection.name
        )),
        Some((_, deployment)) => deployment.read_only().map(str::to_owned),
    }
}

fn push_refusal(state: &State) -> Option<String> {
    let connection = state.current_connection();
    let choose = state.keymap.way_to("connection");
    let is_none = table::deployment_at(&connection).is_none();
    is_none.then(|| {
        format!(
            "connection \"{}\" leads to no system that takes tools; {choose} chooses another",
            connection.name
        )
    })
}

fn nothing_to_find(_: &mut (dyn Window + 'static), _: &State) -> Reply {
    Reply::Refused("nothing to find in this pane".into())
}

/// The tool whose service is made.
fn tool_with_service(state: &State) -> Result<&Tool, String> {
    let tool = state.selected_tool();
    let tool = tool.or_else(|| state.catalog.tools.first().map(|tool| &**tool));
    tool.ok_or_else(|| "select a tool first".into())
}

fn service_refusal(state: &State) -> Option<String> {
    match tool_with_service(state) {
        Ok(tool) if services::lacks_service(tool) => None,
        Ok(tool) => services::make_service(ComposeContext::from_state(state), tool).err(),
        Err(why) => Some(why),
    }
}

/// Reloads the files, and starts the server again whose tools are shown.
pub(crate) fn reload_with_server(state: &State) -> Reply {
    let connection = state.connection_here();
    let is_calling =
        state.invoke.calls.running_calls().any(|call| call.connection == connection.name);
    let restarts =
        connection.command().is_some() && !is_calling && restart_refusal(state).is_none();
    let again = || Message::Connection(ConnectionMessage::Reconnect(connection.name.clone()));
    let reload = Message::Document(DocumentMessage::Reload);
    Reply::Send([reload].into_iter().chain(restarts.then(again)).collect())
}

fn restart_refusal(state: &State) -> Option<String> {
    let connection = state.connection_here();
    let name = &connection.name;
    if connection.is_embedded() {
        return Some(format!("{name} leads to no server"));
    }
    let is_open = state.network.conditions.contains_key(name);
    (!is_open).then(|| match connection.command() {
        Some(_) => format!("the server of {name} doesn't run: a call or a test starts it"),
        None => format!("{name} isn't connected: a call or a test connects it"),
    })
}

/// Makes the service that the tool names; asks for its name first where it names none.
fn make_service(state: &State) -> Reply {
    let made = tool_with_service(state).and_then(|tool| match services::lacks_service(tool) {
        true => Ok(ask_service(tool, state)),
        false => services::make_service(ComposeContext::from_state(state), tool)
            .map(|plan| made_service(plan, state)),
    });
    made.unwrap_or_else(Reply::Refused)
}

fn ask_service(tool: &Tool, state: &State) -> Reply {
    let words = format!(
        "The key of the new service: what other entries call it. It becomes the service of {}.",
        tool.entry.key
    );
    let title = format!("New service for {}", tool.entry.key);
    let default = services::default_key(ComposeContext::from_state(state), tool);
    let tool = tool.id().clone();
    let prompt = Prompt::new(title, words, default, move |key, state| {
        let tool = state.catalog.tool(&tool).ok_or("the tool is gone")?;
        let context = ComposeContext::from_state(state);
        services::make_first_service(context, tool, key).map(|plan| made_service(plan, state))
    });
    Reply::Open(Box::new(prompt.with_act("create").preselected()))
}

fn made_service(plan: Plan, state: &State) -> Reply {
    let words = plan.done_words(&state.keymap, "save-all");
    let Plan { label, changes, .. } = plan;
    let change = Message::Document(DocumentMessage::Change { label, changes });
    let mut messages = vec![change, Message::Show(ScreenId::Tools)];
    // The tool is what one works at.
    messages.extend(state.selected.clone().map(Message::Select));
    messages.push(Message::Notice(NoticeKind::Done, words));
    Reply::Send(messages)
}

fn only_in_window(state: &State) -> Option<String> {
    let words = "only in a window (`toolcrib --window`); in a terminal, start toolcrib there";
    refuse_when(!state.keymap.is_in_window(), words)
}

fn ask_folder() -> Reply {
    let words =
        "The path of a folder, absolute or from your home folder. It opens in a window of its own.";
    let prompt = Prompt::new("Open a folder", words, "~/", |folder, _| match folder {
        "" => Err("write the path of a folder".into()),
        folder => Ok(Reply::send(Message::OpenWindow(WindowGoal::Folder(folder.to_owned())))),
    });
    Reply::Open(Box::new(prompt.with_act("open")))
}

fn save_selected(state: &State) -> Reply {
    let file = state.selected.as_ref().map(|entry| entry.file().clone());
    Reply::send(Message::Document(match file {
        Some(file) => DocumentMessage::SaveSelected(file),
        None => DocumentMessage::Save(None),
    }))
}

fn theme_menu(state: &State) -> Reply {
    let item = |name: &String| Item { title: name.clone(), ..Item::default() };
    let at = state.themes.iter().position(|name| *name == state.theme).unwrap_or(0);
    let (shown, chosen) = (state.themes.clone(), state.themes.clone());
    let choose = move |row: usize| Reply::send(Message::SetTheme(chosen[row].clone()));
    let menu = Menu::with_replies("Theme", state.themes.iter().map(item).collect(), choose);
    let preview = move |row: usize| Message::ShowTheme(shown[row].clone());
    let back = Message::ShowTheme(state.theme.clone());
    Reply::Open(Box::new(menu.with_row(at).with_preview(preview, back)))
}
