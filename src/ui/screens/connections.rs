//! Connections: all that the workspace has, the settings of the chosen one as a form, whether
//! somebody answers there and what is there.
//!
//! | file | pane |
//! | --- | --- |
//! | [`list`] | left: the connections |
//! | this one | middle: the form of the chosen one's table in `toolcrib.toml` |
//! | [`kept`] | what changed of a server's tools since the workspace kept them |
//! | [`server`] | comparing a server's eras, and making tools of another system of its tools |
//! | [`sign_in`] | tokens of a server that wants them |
//! | [`report`] | right: what goes through it, how its last test went, what is there |

mod kept;
mod list;
mod report;
mod server;
mod sign_in;

use std::sync::Arc;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Margin, Rect},
};
use serde_json::{Value, json};

use self::list::List;
use crate::{
    app::{
        actions::{ActionId, Scope},
        compose::{
            connections::{self, table_pointer},
            context::ComposeContext,
            plan::Plan,
        },
        input::Input,
        message::{ConnectionMessage, DocumentMessage, Message, TextTarget},
        resources::ResourceMessage,
        state::State,
        verbs,
    },
    model::{copied::Copied, entry::FileId, finding::Finding, settings::SETTINGS},
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::{calling, settings::connection_form, table},
    ui::{
        action_rows::{self, refuse_when},
        canvas::wrap,
        canvas::{Pen, inset_area},
        copies, copy_menu,
        form::{
            host::{ValueOwner, written_in},
            notes::Note,
            panes::{FormPanes, LEFT, MIDDLE, RIGHT},
            view::{Form, FormReply},
        },
        overlays::{proposal::Proposal, server_import},
        sheet::plain_lines,
        styles::{Role, Styles},
        view::{Look, Reply, Screen},
        widgets::{pane::Pane, panes::Step, reading::ReadPosition},
    },
};

type Row = action_rows::Row<ConnectionsScreen>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Connections, "test-connection", "test", |screen, state| {
        screen.test_with(state, ConnectionMessage::Test)
    })
    .keys(&[verbs::TEST])
    .help("Connect and query the server; nothing is sent to a service")
    .refused(ConnectionsScreen::broken_refusal),
    Row::new(Scope::Connections, "reconnect", "reconnect", |screen, state| {
        screen.test_with(state, ConnectionMessage::Reconnect)
    })
    .keys(&[verbs::AGAIN])
    .help(
        "Close the connection and open it again; a server that its command starts is started \
        again, with its changed code",
    )
    .refused(ConnectionsScreen::broken_refusal),
    Row::new(Scope::Connections, "add-connection", "new…", |_, state| add_connection(state))
        .keys(&[verbs::NEW])
        .help("Add a connection to toolcrib.toml"),
    Row::new(Scope::Connections, "import-servers", "import servers…", |_, _| {
        Reply::send(Message::Connection(ConnectionMessage::FindServers))
    })
    .help("Add MCP servers configured for other programs, on this machine and in this folder"),
    Row::new(Scope::Connections, "copy-connection", "copy as…", |screen, state| {
        copy_menu::open(screen.copies(state), Vec::new())
    })
    .keys(&[verbs::COPY_AS])
    .help(
        "Copy the server's entry for Claude, Cursor or VS Code; secrets are named by variables of \
        the environment",
    )
    .refused(ConnectionsScreen::server_refusal),
    Row::new(Scope::Connections, "discover", "discover…", |screen, _| {
        Reply::send(Message::Connection(ConnectionMessage::Discover(screen.shown.clone())))
    })
    .help(
        "List the services that announce themselves on the connection and the servers of registry \
        files, compared with the workspace, and add them",
    )
    .refused(ConnectionsScreen::broken_refusal),
    Row::new(Scope::Connections, "keep-tools", "keep tools…", |screen, state| {
        kept::keep_tools(state, &screen.shown).unwrap_or_else(Reply::Refused)
    })
    .keys(&[verbs::KEEP])
    .help("Save the server's tool list in the workspace, or accept its changes")
    .refused(|screen, state| kept::keep_tools(state, &screen.shown).err()),
    Row::new(Scope::Connections, "open-resources", "resources…", |screen, _| {
        Reply::send(Message::Resource(ResourceMessage::Show(screen.shown.clone())))
    })
    .keys(&[verbs::OPEN])
    .help("Read the server's resources and prompts")
    .refused(ConnectionsScreen::server_refusal),
    Row::new(Scope::Connections, "compare-eras", "compare eras…", |screen, state| {
        server::compare_prompt(state, &screen.shown)
    })
    .keys(&[verbs::DIFF])
    .help("Open an MCP server in both eras of the protocol and compare its lists and one call")
    .refused(ConnectionsScreen::server_refusal),
    Row::new(Scope::Connections, "adopt-tools", "make TrustGraph tools…", |screen, state| {
        server::adopt_tools(state, &screen.shown)
    })
    .help("Write TrustGraph entries that call the MCP server's tools; they are shown first")
    .refused(|screen, state| server::adopt_refusal(state, &screen.shown)),
    Row::new(Scope::Connections, "sign-in", "sign in…", |screen, state| {
        sign_in::open_menu(state, &screen.shown)
    })
    .help(
        "Get a token for the connection's server, see what it says about tokens, or delete the \
        token",
    )
    .refused(|screen, state| sign_in::refusal(state, &screen.shown)),
    Row::new(Scope::Connections, "choose-connection", "use for all", ConnectionsScreen::choose)
        .help("Use it for all calls of this session, or follow toolcrib.toml again")
        .refused(ConnectionsScreen::broken_refusal),
    Row::new(
        Scope::Connections,
        "default-connection",
        "set as \
                                  default",
        ConnectionsScreen::make_usual,
    )
    .help("Make it the default, for all tools without a connection of their own")
    .refused(|screen, state| screen.usual_plan(state).err()),
    Row::new(Scope::Connections, "rename-connection", "rename…", ConnectionsScreen::rename)
        .keys(&[verbs::RENAME])
        .help("Rename the connection")
        .refused(ConnectionsScreen::absent_refusal),
    Row::new(Scope::Connections, "remove-connection", "delete…", ConnectionsScreen::remove)
        .keys(&[verbs::DELETE])
        .help("Delete the connection from toolcrib.toml")
        .risky()
        .refused(ConnectionsScreen::absent_refusal),
    Row::taking_over("restart-server", |screen, state| {
        screen.test_with(state, ConnectionMessage::Reconnect)
    })
    .refused(ConnectionsScreen::broken_refusal),
    Row::taking_over("next-pane", |screen, state| screen.middle.step(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.middle.step(Step::Previous, state)),
    Row::taking_over("save", |screen, state| {
        screen.after_form(
            state,
            Message::Document(DocumentMessage::Save(Some(FileId::new(SETTINGS)))),
        )
    }),
];

/// Cells of a line that is printed.
const PLAIN: usize = 100;

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Connections", "Settings", "Test"];

#[derive(Default)]
pub(crate) struct ConnectionsScreen {
    list: List,
    /// With a form for each connection of the file.
    middle: FormPanes<ConnectionTable>,
    shown: String,
    report: ReadPosition,
}

/// The table in the settings of the connection with this name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ConnectionTable(String);

impl ValueOwner for ConnectionTable {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        (TextTarget::Settings, table_pointer(&self.0).join(&at))
    }

    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, state: &State) -> Vec<Message> {
        let plan = connections::edit_connection(ComposeContext::from_state(state), &self.0, &edits);
        vec![Message::Document(DocumentMessage::Change {
            label: plan.label,
            changes: plan.changes,
        })]
    }
}

impl ConnectionsScreen {
    /// What is typed goes into the file first.
    fn after_form(&mut self, state: &State, message: Message) -> Reply {
        let mut messages = self.middle.forms.leave(state);
        messages.push(message);
        Reply::Send(messages)
    }

    fn draw_form(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>) {
        let styles = look.styles;
        let focused = self.middle.has_focus(MIDDLE);
        let title = format!("{} · {SETTINGS}", self.shown);
        let foot = self.middle.forms.position();
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }
            .draw(buffer, area, styles);
        if self.middle.forms.owner().is_some() {
            return self.middle.forms.draw(buffer, inside, look, focused);
        }
        let inside = inset_area(inside);
        let words = format!(
            "It comes from the command line and isn't saved. Press n to add it to {SETTINGS} \
            under a name."
        );
        for (row, line) in (0..inside.height).zip(wrap(&words, usize::from(inside.width).max(1))) {
            Pen::new(buffer, inside, row).put_text(&line, styles[Role::Dim]);
        }
    }

    fn draw_report(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, state: &State) {
        let focused = self.middle.has_focus(RIGHT);
        let inside = inset_area(
            Pane { title: "Test", focused, ..Pane::default() }.draw(buffer, area, styles),
        );
        let lines = report::report_lines(state, &self.shown, usize::from(inside.width));
        self.report.draw(buffer, inside, styles, &lines);
    }
}

/// The table of a connection as the file has it; an empty one where it has none.
fn value_of(state: &State, name: &str) -> Value {
    let settings = ComposeContext::from_state(state).settings_value();
    settings
        .and_then(|settings| table_pointer(name).get(settings).cloned())
        .unwrap_or_else(|| json!({}))
}

/// What was found about the settings below a place.
fn notes_of(state: &State, base: &Pointer) -> Vec<Note> {
    let note = |finding: &Finding| {
        let at = finding.site.pointer.strip_prefix(base)?;
        Some(Note { at, severity: finding.severity, text: finding.message.clone(), fix: None })
    };
    let findings = state.findings.iter().filter(|finding| finding.site.file.as_str() == SETTINGS);
    findings.filter_map(note).collect()
}

fn add_connection(state: &State) -> Reply {
    let is_free = !connections::is_in_settings(ComposeContext::from_state(state), "local");
    let text = if is_free { "local nats://127.0.0.1:4222" } else { "" };
    let words = "An address, such as nats://127.0.0.1:4222, or the command of an MCP server, such as \
        npx -y @modelcontextprotocol/server-everything; with a name in front, if you like. \
        Variables before a command, -H 'NAME: value' behind an address, an mcpServers block and \
        `claude mcp add` are read, too.";
    let proposal = Proposal::with_text_proposed("New connection", words, text, |text, state| {
        server_import::propose_server(text, state, connections::add_connection, |_| Vec::new())
    });
    proposal.with_act("add").with_example().into_reply()
}

impl Screen for ConnectionsScreen {
    fn on_enter(&mut self, _: &State) {
        self.middle.focus_list();
    }

    fn sync_state(&mut self, state: &State) {
        let before = std::mem::replace(&mut self.shown, self.list.sync_state(state));
        if before != self.shown {
            self.report = ReadPosition::default();
        }
        let has_form = |name: &str| {
            connections::is_in_settings(ComposeContext::from_state(state), name)
                || name == "embedded"
        };
        self.middle.forms.retain(|table| has_form(&table.0));
        if !has_form(&self.shown) {
            return self.middle.forms.hide();
        }
        let value = || value_of(state, &self.shown);
        self.middle
            .forms
            .show(ConnectionTable(self.shown.clone()), || Form::new(connection_form(&value())));
        if let Some(form) = self.middle.forms.outdated_form(state.generation) {
            let document = state.documents.get(&FileId::new(SETTINGS));
            let source = document.and_then(|document| document.source.as_ref().ok());
            let base = table_pointer(&self.shown);
            let value = Arc::new(value());
            form.sync_written(&value, &written_in(source, 0, &base));
            form.set_schema(&Arc::new(connection_form(&value)));
            form.set_notes(notes_of(state, &base));
        }
        self.middle.forms.sync_surroundings(state);
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        let left = if area.width >= 160 { 48 } else { 36 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.middle.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        if !areas[LEFT].is_empty() {
            self.list.draw(buffer, areas[LEFT], look.styles, state, self.middle.has_focus(LEFT));
        }
        if !areas[MIDDLE].is_empty() {
            self.draw_form(buffer, areas[MIDDLE], look);
        }
        if !areas[RIGHT].is_empty() {
            look.mouse.reads(areas[RIGHT].inner(Margin::new(1, 1)));
            self.draw_report(buffer, areas[RIGHT], look.styles, state);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        if self.middle.has_focus(MIDDLE) {
            vec![Scope::Form, Scope::Connections]
        } else {
            vec![Scope::Connections]
        }
    }

    fn is_typing(&self) -> bool {
        self.middle.is_typing()
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let Some(pane) = self.middle.target_pane(input) else { return Reply::Handled };
        if pane == RIGHT && self.report.handle_input(input) {
            return Reply::Handled;
        }
        match self.middle.handle_input(pane, input, state) {
            Reply::Ignored if pane == LEFT => self.list.handle_input(input),
            reply => reply,
        }
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        match action_rows::run_action(ACTIONS, self, id, state) {
            None => self.middle.forms.act(id, state),
            Some(reply) => reply,
        }
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        action_rows::refusal_reason(ACTIONS, self, id, state)
            .or_else(|| self.middle.forms.refusal(id, "there is no form"))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.middle.panes.focus {
            LEFT if self.middle.forms.owner().is_some() => vec![("Enter", "edit it")],
            MIDDLE => self.middle.forms.keys(),
            _ => Vec::new(),
        }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        let panes = &self.middle.panes;
        let form = panes.area(MIDDLE);
        let shown = if form.is_empty() { panes.area(panes.focus) } else { form };
        Some(("test-connection", shown))
    }

    fn panes(&mut self) -> Option<&mut crate::ui::widgets::panes::Panes> {
        Some(&mut self.middle.panes)
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        let mut hints = Vec::new();
        if state.documents.get(&FileId::new(SETTINGS)).is_some_and(|document| document.is_changed())
        {
            hints.push("save");
        }
        if self.middle.has_focus(MIDDLE) {
            hints.extend(self.middle.forms.hints());
            hints.push("test-connection");
            return hints;
        }
        hints.push("test-connection");
        hints.extend([
            "add-connection",
            "import-servers",
            "discover",
            "open-resources",
            "compare-eras",
            "adopt-tools",
            "sign-in",
            "choose-connection",
            "default-connection",
            "rename-connection",
            "remove-connection",
        ]);
        hints.push("next-pane");
        hints
    }

    fn shown_form(&self) -> Option<&Form> {
        self.middle.forms.shown_form()
    }

    fn ask_form(&mut self, ask: &mut dyn FnMut(&mut Form) -> FormReply, state: &State) -> Reply {
        self.middle.forms.ask(state, ask)
    }

    fn detail_lines(&self, state: &State) -> Vec<String> {
        plain_lines(&report::report_lines(state, &self.shown, PLAIN))
    }
}

/// What its actions do, and why they can't be done.
impl ConnectionsScreen {
    fn test_with(&mut self, state: &State, way: fn(String) -> ConnectionMessage) -> Reply {
        // Where one pane is seen at a time, what the test finds is.
        if self.middle.panes.is_stacked() {
            self.middle.panes.focus = RIGHT;
        }
        self.after_form(state, Message::Connection(way(self.shown.clone())))
    }

    fn broken_refusal(&self, state: &State) -> Option<String> {
        let is_unknown = state.network.connections.find_by_name(&self.shown).is_none();
        refuse_when(is_unknown, "fix its settings first")
    }

    fn copies(&self, state: &State) -> Vec<Copied> {
        let connection = state.network.connections.find_by_name(&self.shown);
        let copies = |at| calling::connection_copies(&copies::placed(state, at));
        connection.map(copies).unwrap_or_default()
    }

    fn server_refusal(&self, state: &State) -> Option<String> {
        let connection = state.network.connections.find_by_name(&self.shown);
        let is_server = connection.is_some_and(|at| table::kept_tools_at(at).is_some());
        refuse_when(!is_server, "it isn't a connection to an MCP server")
    }

    fn rename(&mut self, _: &State) -> Reply {
        let name = self.shown.clone();
        let words = format!("New name of connection {name}:");
        let title = "Rename the connection";
        let proposal = Proposal::with_text_input(title, words, name.clone(), move |text, state| {
            let context = ComposeContext::from_state(state);
            connections::rename_connection(context, &name, text.trim())
        });
        proposal.with_act("rename").into_reply()
    }

    fn remove(&mut self, _: &State) -> Reply {
        let name = self.shown.clone();
        let title = format!("Delete connection {name}?");
        let proposal = Proposal::new(title, "", move |state| {
            connections::remove_connection(ComposeContext::from_state(state), &name)
        });
        proposal.with_removal("delete").into_reply()
    }

    fn absent_refusal(&self, state: &State) -> Option<String> {
        let is_known = connections::is_in_settings(ComposeContext::from_state(state), &self.shown);
        (!is_known).then(|| format!("{} is not in {SETTINGS}", self.shown))
    }

    fn usual_plan(&self, state: &State) -> Result<Plan, String> {
        let context = ComposeContext::from_state(state);
        connections::make_usual(context, &state.network.connections, &self.shown)
    }

    fn make_usual(&mut self, state: &State) -> Reply {
        match self.usual_plan(state) {
            Ok(plan) => Reply::send(Message::Document(DocumentMessage::Compose(plan))),
            Err(why) => Reply::Refused(why),
        }
    }

    fn choose(&mut self, state: &State) -> Reply {
        let is_chosen = state.network.connections.chosen.as_ref() == Some(&self.shown);
        Reply::send(Message::Connection(ConnectionMessage::Use(
            (!is_chosen).then(|| self.shown.clone()),
        )))
    }
}
