//! What a piece of the screen offers to the one around it.

use std::cell::RefCell;

use ratatui::{Frame, layout::Rect};

use super::{
    form::view::{Form, FormReply},
    images::ShownImages,
    sheet::{Entry, Sheet},
    styles::Styles,
    widgets::panes::Panes,
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        input::Input,
        keymap::Keymap,
        message::Message,
        moved::MovedEntries,
        notices::NoticeKind,
        state::State,
    },
    model::{context::Name, entry::EntryId},
};

/// What drawing needs beside the state.
#[derive(Clone, Copy)]
pub struct Look<'l> {
    pub styles: &'l Styles,
    pub keymap: &'l Keymap,
    /// What draws images; `None` where none are drawn.
    pub images: Option<&'l ShownImages>,
    pub mouse: &'l MousePlaces,
}

/// What the mouse finds in a drawing.
#[derive(Debug, Default)]
pub struct MousePlaces {
    pressed: RefCell<Vec<(Rect, ActionId)>>,
    read: RefCell<Vec<Rect>>,
    typed: RefCell<Vec<Rect>>,
}

/// The same once all is drawn; the later ones may lie over the earlier ones.
#[derive(Debug, Default)]
pub(crate) struct FoundPlaces {
    pub pressed: Vec<(Rect, ActionId)>,
    pub read: Vec<Rect>,
    pub typed: Vec<Rect>,
}

impl MousePlaces {
    /// A press there does an action, and gives the pane around it the keys.
    pub(crate) fn presses(&self, area: Rect, action: ActionId) {
        self.pressed.borrow_mut().push((area, action));
    }

    /// Text is read there: dragging over it copies it.
    pub(crate) fn reads(&self, area: Rect) {
        self.read.borrow_mut().push(area);
    }

    /// Text is typed there: a press puts the cursor to its place.
    pub(crate) fn types(&self, area: Rect) {
        self.typed.borrow_mut().push(area);
    }

    pub(crate) fn into_places(self) -> FoundPlaces {
        FoundPlaces {
            pressed: self.pressed.into_inner(),
            read: self.read.into_inner(),
            typed: self.typed.into_inner(),
        }
    }
}

/// What a view made of an input or an action.
#[derive(Default)]
pub enum Reply {
    /// Not for this view: ask outward.
    #[default]
    Ignored,
    /// Cursor, scroll or folds changed, or nothing needs to.
    Handled,
    /// The application is asked for something.
    Send(Vec<Message>),
    /// The input was for this view, but it cannot be done now; the words say why.
    Refused(String),
    /// Something lies over the screen until it is answered.
    Open(Box<dyn Overlay>),
    /// Both: what is asked for shows in what lies over the screen.
    SendAndOpen(Message, Box<dyn Overlay>),
}

impl Reply {
    #[must_use]
    pub fn send(message: Message) -> Self {
        Self::Send(vec![message])
    }

    /// Done, and said so in a few words.
    #[must_use]
    pub fn hint(words: impl Into<String>) -> Self {
        Self::send(Message::Notice(NoticeKind::Hint, words.into()))
    }
}

/// A screen: one row in `ui/screens.rs`.
pub trait Screen {
    /// The screen comes into view.
    fn on_enter(&mut self, _: &State) {}

    /// Takes in what changed outside; comes before every drawing and every input. What the screen
    /// keeps by row is of this state after it.
    fn sync_state(&mut self, state: &State);

    /// Entries have other places, and what is kept by entries goes along; comes before `sync_state`.
    fn follow_moved(&mut self, _: &MovedEntries) {}

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State);

    /// The scopes of the focused pane, innermost first, without `Global`.
    fn scopes(&self) -> Vec<Scope>;

    /// Whether the screen is in EDIT: printable keys and editing keys then come to `handle_input` before the
    /// keymap.
    fn is_typing(&self) -> bool;

    /// A key that is bound to nothing (or any key while typing), a paste, or a mouse event inside
    /// the screen.
    fn handle_input(&mut self, input: &Input, state: &State) -> Reply;

    /// What the application has to know of what is shown here, where it doesn't yet; asked after
    /// each input.
    fn due_message(&self, _state: &State) -> Option<Message> {
        None
    }

    /// An action of one of its scopes, or a global one that belongs to panes (next pane, find).
    fn handle_action(&mut self, act: ActionId, state: &State) -> Reply;

    /// Why an action can't be used now; `None` when it can.
    fn refusal_reason(&self, act: ActionId, state: &State) -> Option<String>;

    /// The panes beside each other, for the keys and the mouse that change how they share the
    /// screen.
    fn panes(&mut self) -> Option<&mut Panes> {
        None
    }

    /// The main act of the screen, and the pane at whose foot its button is drawn.
    fn primary_button(&self, _state: &State) -> Option<(ActionId, Rect)> {
        None
    }

    /// The pane at whose foot a button saves, where the screen's main act is another one; it is
    /// drawn while something is unsaved.
    fn save_button(&self) -> Option<Rect> {
        None
    }

    /// The keys that work here and are no actions of the table, with what they do; they come first
    /// in the hint line.
    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// The actions worth naming in the hint line now, most useful first.
    fn hinted_actions(&self, state: &State) -> Vec<ActionId>;

    /// What an action is called in the hint line while it does something else than usual.
    fn hint_title(&self, _action: ActionId, _state: &State) -> Option<&'static str> {
        None
    }

    /// Puts the cursor on something that is named in place of being moved to, so that the actions
    /// of its pane are about it; whether it is there.
    fn point_at(&mut self, _target: &Target, _state: &State) -> bool {
        false
    }

    /// The tool that its actions are about, where it has a cursor of its own among tools.
    fn pointed_tool(&self) -> Option<EntryId> {
        None
    }

    /// The form that is shown, or the focused one of several.
    fn shown_form(&self) -> Option<&Form> {
        None
    }

    /// The names of its forms where it has several, each with whether it is the focused one.
    /// [`Target::Form`] goes to one.
    fn form_names(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }

    /// Asks that form for something, and passes its reply on.
    fn ask_form(&mut self, _ask: &mut dyn FnMut(&mut Form) -> FormReply, _state: &State) -> Reply {
        Reply::Ignored
    }

    /// What is beside the list and the form, to be read: a report, a difference.
    fn detail_lines(&self, _state: &State) -> Vec<String> {
        Vec::new()
    }

    /// What is said of it on arrival, where its list isn't the first thing to know.
    fn summary_lines(&self, _state: &State) -> Option<Vec<String>> {
        None
    }

    /// A part of it by name, where it has parts.
    fn part_lines(&self, _part: &str, _state: &State) -> Option<Vec<String>> {
        None
    }

    /// What of them changed since they were these lines.
    fn changed_lines(&self, _before: &[String], state: &State) -> Vec<String> {
        self.detail_lines(state)
    }
}

/// What a cursor can be put on by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Tool(EntryId),
    Group(Name),
    /// A state of the workflow.
    State(Name),
    /// A conversation of the watch, by its number.
    Conversation(u64),
    /// One of several forms, by its name.
    Form(String),
}

/// What lies over the screen and takes all input: a menu, a question, a text.
pub trait Overlay {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State);

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply;

    /// Keys and what they do, for the hint line.
    fn key_hints(&self) -> Vec<(&'static str, &'static str)>;

    /// Takes in why actions that it offers can't be done now.
    fn note_refusals(&mut self, _refusal: &dyn Fn(ActionId) -> Option<String>) {}

    /// Whether printable keys are text.
    fn is_typing(&self) -> bool {
        false
    }

    /// What is selected of a text that is typed into it, to be copied.
    fn selected_text(&self) -> Option<&str> {
        None
    }

    /// The same dialog as lines and a question.
    fn sheet(&mut self, state: &State) -> Sheet;

    /// Takes what was asked for.
    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply;
}

/// What an overlay made of an input.
pub enum OverlayReply {
    Stay,
    /// Stay, and ask the application for this meanwhile.
    StayWith(Message),
    Close,
    /// Close, and go on with this.
    CloseWith(Reply),
    /// Close, and do this action as if its key had been pressed.
    Act(ActionId),
}
