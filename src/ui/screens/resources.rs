//! Resources: what a server has to read beside its tools. Choose a resource, a template of one or a
//! prompt, fill in what it takes, read it.
//!
//! | file | pane |
//! | --- | --- |
//! | [`list`] | left: resources, templates and prompts of one server |
//! | this one | middle: what the chosen one is, and the form of its arguments |
//! | [`content`] | right: what it holds |

mod content;
mod list;

use std::sync::Arc;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Rect},
};
use serde_json::json;

use self::{content::ContentPane, list::ItemList};
use crate::{
    app::{
        actions::{ActionId, Scope},
        edited_text::EditedText,
        input::{Code, Input},
        message::{ConnectionMessage, Message, TextTarget},
        resources::{ItemId, ReadReport, ResourceMessage},
        state::State,
        verbs,
    },
    model::server_item::{ItemContent, ItemKind, ServerItem},
    schema::pointer::Pointer,
    syntax::edit::Edit,
    ui::{
        action_rows::{self, refuse_when},
        canvas::inset_area,
        content_parts,
        form::{
            host::{ValueOwner, written_in},
            panes::{FormPanes, LEFT, MIDDLE, RIGHT},
            view::{Form, FormReply},
        },
        styles::Role,
        view::{Look, Reply, Screen},
        widgets::{
            find_line::{FIND_KEYS, TEXT_KEYS},
            pane::Pane,
            panes::Step,
            reading::{Line, ReadPosition, wrapped_lines},
        },
    },
};

type Row = action_rows::Row<ResourcesScreen>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Resources, "read-item", "read", ResourcesScreen::read)
        .keys(&[verbs::SEND])
        .help("Read the selected resource or get the prompt, with the arguments you typed")
        .refused(|screen, _| refuse_when(screen.shown.is_none(), NOTHING_CHOSEN)),
    Row::new(Scope::Resources, "follow-resource", "follow", |screen, _| {
        screen.ask_of_shown(ResourceMessage::Follow)
    })
    .keys(&[verbs::FOLLOW])
    .help("Subscribe to the selected resource and reload it when it changes, or unsubscribe")
    .refused(|screen, _| screen.follow_refusal()),
    Row::new(Scope::Resources, "list-items", "list again", |_, state| match server_name(state) {
        Some(name) => Reply::send(Message::Connection(ConnectionMessage::Test(name))),
        None => Reply::Refused(NO_SERVER.into()),
    })
    .keys(&[verbs::RELOAD])
    .help("Reload the server's lists")
    .refused(|_, state| refuse_when(server_name(state).is_none(), NO_SERVER)),
    Row::new(Scope::Resources, "open-part", "open", |screen, state| {
        screen.content(state).map_or(Reply::Handled, |read| content_parts::open_part(&read.parts))
    })
    .keys(&[verbs::OPEN])
    .help("Open the content with the system's program: images, audio, video, PDF")
    .refused(|screen, state| {
        let read = screen.content(state);
        let has_some = read.is_some_and(|read| content_parts::has_viewed(&read.parts));
        refuse_when(!has_some, content_parts::NOTHING_TO_OPEN)
    }),
    Row::new(Scope::Resources, "follow-link", "parts…", |screen, state| {
        match (screen.content(state), &screen.shown) {
            (Some(read), Some(item)) => content_parts::parts_menu(&read.parts, &item.connection),
            _ => Reply::Refused(NOTHING_READ.into()),
        }
    })
    .help("Choose a part of the content, to save it, open it or follow its link")
    .refused(|screen, state| refuse_when(screen.content(state).is_none(), NOTHING_READ)),
    Row::new(Scope::Resources, "next-content-view", "next view", |screen, _| {
        screen.pane.next_view();
        Reply::Handled
    })
    .keys(&[verbs::VIEW])
    .help("Switch the view: text and Markdown, or JSON as received"),
    Row::new(Scope::Resources, "copy-content", "copy", ResourcesScreen::copy)
        .keys(&[verbs::COPY_AS])
        .help("Copy the content as text, or as JSON in that view")
        .refused(|screen, state| refuse_when(screen.content(state).is_none(), NOTHING_READ)),
    Row::taking_over("save", |screen, state| {
        screen
            .content(state)
            .map_or(Reply::Handled, |read| content_parts::save_prompt(read.parts.clone()))
    })
    .refused(|screen, state| refuse_when(screen.content(state).is_none(), NOTHING_READ)),
    Row::taking_over("find", |screen, _| screen.open_find())
        .refused(|screen, state| screen.find_refusal(state)),
    Row::taking_over("next-pane", |screen, state| screen.middle.step(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.middle.step(Step::Previous, state)),
    Row::taking_over("undo", |screen, _| screen.ask_of_shown(ResourceMessage::Undo))
        .refused(|screen, state| screen.undo_refusal(state, EditedText::can_undo)),
    Row::taking_over("redo", |screen, _| screen.ask_of_shown(ResourceMessage::Redo))
        .refused(|screen, state| screen.undo_refusal(state, EditedText::can_redo)),
];

const NO_SERVER: &str = "there is no connection to an MCP server; n on Connections (6) adds one";
const NOTHING_CHOSEN: &str = "choose a resource or a prompt first";
const NOTHING_READ: &str = "nothing is read yet; F6 reads it";

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Resources", "Arguments", "Content"];

#[derive(Default)]
pub(crate) struct ResourcesScreen {
    list: ItemList,
    /// With a form for each item that takes arguments.
    middle: FormPanes<ItemId>,
    about: ReadPosition,
    pane: ContentPane,
    shown: Option<ItemId>,
}

impl ValueOwner for ItemId {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        (TextTarget::Item(self.clone()), at)
    }

    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, _: &State) -> Vec<Message> {
        vec![Message::Resource(ResourceMessage::Edit { item: self.clone(), edits })]
    }
}

/// The server that is shown, by its connection's name.
fn server_name(state: &State) -> Option<String> {
    state.network.resource_server().map(|connection| connection.name.clone())
}

impl ResourcesScreen {
    fn ask_of_shown(&self, message: impl FnOnce(ItemId) -> ResourceMessage) -> Reply {
        let shown = self.shown.clone();
        shown.map_or(Reply::Handled, |item| Reply::send(Message::Resource(message(item))))
    }

    fn undo_refusal(&self, state: &State, can: fn(&EditedText) -> bool) -> Option<String> {
        let shown = self.shown.as_ref();
        let typed = shown.and_then(|item| state.network.resources.typed_arguments(item));
        refuse_when(!typed.is_some_and(can), "no arguments were typed")
    }

    fn open_find(&mut self) -> Reply {
        match self.middle.panes.focus {
            LEFT => self.list.open_find(),
            _ => self.pane.open_find(),
        }
        Reply::Handled
    }

    fn find_refusal(&self, state: &State) -> Option<String> {
        match self.middle.panes.focus {
            LEFT => refuse_when(server_name(state).is_none(), NO_SERVER),
            MIDDLE => Some("find works in the list and in the content".to_owned()),
            _ => refuse_when(self.content(state).is_none(), NOTHING_READ),
        }
    }

    fn follow_refusal(&self) -> Option<String> {
        match &self.shown {
            None => Some(NOTHING_CHOSEN.to_owned()),
            Some(item) => refuse_when(item.kind == ItemKind::Prompt, "prompts can't be followed"),
        }
    }

    fn content<'s>(&self, state: &'s State) -> Option<&'s Arc<ItemContent>> {
        match state.network.resources.report(self.shown.as_ref()?) {
            Some(ReadReport::Done(content)) => Some(content),
            _ => None,
        }
    }

    /// Reads the item with what is typed for it; an argument that must be given is gone to first.
    fn read(&mut self, state: &State) -> Reply {
        let Some(item) = self.shown.clone() else { return Reply::Refused(NOTHING_CHOSEN.into()) };
        let mut messages = self.middle.forms.leave(state);
        if let Some(words) = self.middle.focus_issue() {
            if messages.is_empty() {
                return Reply::Refused(words);
            }
            return Reply::Send(messages);
        }
        messages.push(Message::Resource(ResourceMessage::Read(item)));
        self.pane.show_start();
        if self.middle.panes.is_stacked() {
            self.middle.panes.focus = RIGHT;
        }
        Reply::Send(messages)
    }

    fn copy(&mut self, state: &State) -> Reply {
        let Some(content) = self.content(state) else {
            return Reply::Refused(NOTHING_READ.into());
        };
        let (what, text) = self.pane.copied_text(content);
        Reply::send(Message::Copy { what: what.into(), text })
    }

    fn shown_item<'s>(&self, state: &'s State) -> Option<&'s ServerItem> {
        let shown = self.shown.as_ref()?;
        let items = state.network.readable_items(&shown.connection);
        items.into_iter().find(|item| ItemId::new(&shown.connection, item) == *shown)
    }

    fn draw_arguments(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, state: &State) {
        let styles = look.styles;
        let focused = self.middle.has_focus(MIDDLE);
        let foot = self.middle.forms.position();
        let item = self.shown_item(state);
        let title = item.map_or("Arguments", |item| item.title.as_str());
        let inside =
            Pane { title, foot: &foot, focused, ..Pane::default() }.draw(buffer, area, styles);
        let text = inset_area(inside);
        let lines = match item {
            Some(item) => about_lines(item, usize::from(text.width)),
            None => wrapped_lines(&empty_words(state), Role::Ghost, usize::from(text.width)),
        };
        let has_form = self.middle.forms.owner().is_some();
        let most = if has_form { text.height / 2 } else { text.height };
        let height = u16::try_from(lines.len()).unwrap_or(most).min(most);
        self.about.draw(buffer, Rect { height, ..text }, styles, &lines);
        if has_form {
            let below = height + 1;
            let form =
                Rect { y: inside.y + below, height: inside.height.saturating_sub(below), ..inside };
            self.middle.forms.draw(buffer, form, look, focused);
        }
    }
}

/// What an item says of itself.
fn about_lines(item: &ServerItem, cells: usize) -> Vec<Line> {
    let kind = match item.kind {
        ItemKind::Resource => "resource",
        ItemKind::Template => "resource template",
        ItemKind::Prompt => "prompt",
    };
    let mut lines = wrapped_lines(&item.id, Role::Accent, cells);
    let words = [vec![kind.to_owned(), item.type_words()], item.notes.clone()].concat();
    let words: Vec<String> = words.into_iter().filter(|words| !words.is_empty()).collect();
    lines.extend(wrapped_lines(&words.join(" · "), Role::Dim, cells));
    if !item.description.is_empty() {
        lines.push(Line::new());
        lines.extend(wrapped_lines(&item.description, Role::Text, cells));
    }
    if item.arguments.is_none() {
        lines.push(Line::new());
        lines.extend(wrapped_lines(
            "It takes no arguments. Enter or F6 reads it.",
            Role::Ghost,
            cells,
        ));
    }
    lines
}

/// Why there is nothing to read.
fn empty_words(state: &State) -> String {
    match server_name(state) {
        None => format!("Nothing to read: {NO_SERVER}."),
        Some(_) => NOTHING_CHOSEN.to_owned(),
    }
}

impl Screen for ResourcesScreen {
    fn on_enter(&mut self, _: &State) {
        self.middle.focus_list();
    }

    fn sync_state(&mut self, state: &State) {
        let before = std::mem::replace(&mut self.shown, self.list.sync_state(state));
        if before != self.shown {
            self.about = ReadPosition::default();
            self.pane.leave();
        }
        if self.content(state).is_none() {
            self.pane.close_find();
        }
        let resources = &state.network.resources;
        let schema = self.shown_item(state).and_then(|item| {
            resources.arguments_schema(&self.shown.as_ref()?.connection, item).map(Arc::new)
        });
        let (Some(item), Some(schema)) = (self.shown.clone(), schema) else {
            self.middle.forms.hide();
            return;
        };
        self.middle.forms.show(item.clone(), || Form::new(Arc::clone(&schema)));
        self.middle.forms.sync_surroundings(state);
        if let Some(form) = self.middle.forms.outdated_form(resources.revision) {
            let typed = resources.typed_arguments(&item);
            let empty = Arc::new(json!({}));
            let value = typed.and_then(EditedText::value).unwrap_or(&empty);
            let source = typed.map(EditedText::source);
            form.sync_written(value, &written_in(source, 0, &Pointer::root()));
            form.set_schema(&schema);
        }
        if before.as_ref() != Some(&item) && self.middle.has_focus(MIDDLE) {
            self.middle.forms.rest();
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        let left = if area.width >= 160 { 48 } else { 34 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.middle.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        if !areas[LEFT].is_empty() {
            self.list.draw(buffer, areas[LEFT], look.styles, state, self.middle.has_focus(LEFT));
        }
        if !areas[MIDDLE].is_empty() {
            self.draw_arguments(buffer, areas[MIDDLE], look, state);
        }
        if !areas[RIGHT].is_empty() {
            let (shown, resources) = (self.shown.as_ref(), &state.network.resources);
            let report = shown.and_then(|item| resources.report(item));
            let updates = shown.and_then(|item| resources.update_count(item));
            let focused = self.middle.has_focus(RIGHT);
            self.pane.draw(buffer, areas[RIGHT], look, (report, updates), focused);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        if self.middle.has_focus(MIDDLE) && self.middle.forms.owner().is_some() {
            vec![Scope::Form, Scope::Resources]
        } else {
            vec![Scope::Resources]
        }
    }

    fn is_typing(&self) -> bool {
        match self.middle.panes.focus {
            LEFT => self.list.is_typing(),
            RIGHT => self.pane.is_finding(),
            _ => self.middle.is_typing(),
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let Some(pane) = self.middle.target_pane(input) else { return Reply::Handled };
        let reads = matches!(input, Input::Key(key) if key.is_plain(Code::Enter))
            && self.middle.forms.owner().is_none();
        if pane == LEFT && (self.list.is_typing() || self.list.is_narrowed()) {
            match self.list.handle_input(input, state) {
                Reply::Ignored => {}
                reply => return reply,
            }
        }
        match pane {
            LEFT | MIDDLE if reads => return self.read(state),
            MIDDLE if self.middle.forms.owner().is_none() && self.about.handle_input(input) => {
                return Reply::Handled;
            }
            RIGHT => match self.pane.handle_input(input) {
                Reply::Ignored => {}
                reply => return reply,
            },
            _ => {}
        }
        match self.middle.handle_input(pane, input, state) {
            Reply::Ignored if pane == LEFT => self.list.handle_input(input, state),
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
            .or_else(|| self.middle.forms.refusal(id, "it takes no arguments"))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let mut keys = match self.middle.panes.focus {
            LEFT if self.list.is_typing() => FIND_KEYS.to_vec(),
            RIGHT if self.pane.is_finding() => TEXT_KEYS.to_vec(),
            LEFT if self.middle.forms.owner().is_some() => vec![("Enter", "fill in")],
            LEFT if self.shown.is_some() => vec![("Enter", "read")],
            MIDDLE => self.middle.forms.keys(),
            _ => Vec::new(),
        };
        if self.middle.has_focus(LEFT) && self.list.is_narrowed() {
            keys.push(("Esc", "all"));
        }
        keys
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        Some(("read-item", self.middle.panes.area(MIDDLE)))
    }

    fn panes(&mut self) -> Option<&mut crate::ui::widgets::panes::Panes> {
        Some(&mut self.middle.panes)
    }

    fn hinted_actions(&self, _: &State) -> Vec<ActionId> {
        let mut hints = vec!["read-item"];
        if self.middle.has_focus(MIDDLE) {
            hints.extend(self.middle.forms.hints());
        }
        hints.extend(["open-part", "save", "follow-link", "next-content-view", "copy-content"]);
        hints.extend(["follow-resource", "find", "list-items"]);
        hints.extend((!self.middle.has_focus(MIDDLE)).then_some("next-pane"));
        hints
    }

    fn shown_form(&self) -> Option<&Form> {
        self.middle.forms.shown_form()
    }

    fn ask_form(&mut self, ask: &mut dyn FnMut(&mut Form) -> FormReply, state: &State) -> Reply {
        self.middle.forms.ask(state, ask)
    }
}
