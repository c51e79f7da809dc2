//! The whole screen: top line, the screen that is shown, bottom line, and what lies over them.

mod bottom_line;
mod colours;
mod hints;
mod outside;
mod presses;
mod reading;
mod top_line;
mod words;

use ratatui::{Frame, layout::Rect};

pub use self::colours::Colour;
use self::{
    bottom_line::{Hint, draw_bottom_line},
    colours::Colours,
    outside::Outside,
    presses::Presses,
    reading::{Reading, Taken},
    top_line::draw_top_line,
};
use super::{
    action_rows,
    ascii::{self, Signs},
    everywhere::{self, Window},
    images::ShownImages,
    overlays::{help, palette, way_back::ending_question},
    pasted,
    running::{interrupt, interrupt_overlay},
    screens::{SCREENS, ScreenRow, form::FormScreen},
    selection::copy_message,
    styles::{Role, Styles},
    theme::Theme,
    tour,
    view::{FoundPlaces, Look, MousePlaces, Overlay, OverlayReply, Reply, Screen},
    widgets::panes::{PaneChange, Panes},
};
use crate::app::{
    actions::{ActionId, Scope},
    input::{Button, Code, Input, Key, Mouse, MouseKind},
    message::{Message, ScreenId},
    notices::NoticeKind,
    state::State,
    tour::Tour,
};
use crate::model::clock::Millis;

/// The smallest terminal in which the program can be used.
pub(crate) const SMALLEST: (u16, u16) = (60, 16);

pub struct Root {
    colours: Colours,
    screens: Vec<(ScreenId, Box<dyn Screen>)>,
    /// The screens that the top line names.
    tabs: &'static [ScreenRow],
    overlay: Option<Box<dyn Overlay>>,
    outside: Outside,
    /// Where a note lies that the bottom line has no room for.
    note: Rect,
    /// Pressable places of the top and bottom line.
    places: Vec<(Rect, ActionId)>,
    /// Those within panes: a press of an action there gives its pane the keys first.
    found: FoundPlaces,
    reading: Reading,
    /// Those of the tour, and of the bottom line while something lies over the screen.
    keys: Vec<(Rect, Key)>,
    body: Rect,
    /// The terminal has no room: nothing is seen of what a key would do.
    is_unseen: bool,
    /// The button of the screen's main act, and that which saves.
    buttons: Vec<(Rect, ActionId)>,
    presses: Presses,
    /// The right button was pressed on something: its actions are shown once it is selected.
    menu_due: bool,
    last_shown: Option<ScreenId>,
    /// What was chosen last from lists of actions, the newest first.
    recent: Vec<ActionId>,
    pub images: ShownImages,
    pub signs: Signs,
}

impl Root {
    #[must_use]
    pub fn new(themes: Vec<Theme>, colour: Colour) -> Self {
        Self {
            colours: Colours::new(themes, colour),
            screens: SCREENS.iter().map(|row| (row.id, (row.make)())).collect(),
            tabs: SCREENS,
            overlay: None,
            outside: Outside::default(),
            note: Rect::default(),
            places: Vec::new(),
            found: FoundPlaces::default(),
            reading: Reading::default(),
            keys: Vec::new(),
            body: Rect::default(),
            is_unseen: false,
            buttons: Vec::new(),
            presses: Presses::default(),
            menu_due: false,
            last_shown: None,
            recent: Vec::new(),
            images: ShownImages::default(),
            signs: Signs::default(),
        }
    }

    /// The screen of the form program: a form and nothing else.
    #[must_use]
    pub fn form_program(themes: Vec<Theme>, colour: Colour) -> Self {
        let screens: Vec<(ScreenId, Box<dyn Screen>)> =
            vec![(ScreenId::Form, Box::<FormScreen>::default())];
        Self { screens, tabs: &[], ..Self::new(themes, colour) }
    }

    /// Draws the state.
    pub fn draw(&mut self, frame: &mut Frame<'_>, state: &State) {
        self.draw_state(frame, state);
        if self.signs == Signs::Ascii {
            ascii::replace_signs(frame.buffer_mut());
        }
    }

    fn draw_state(&mut self, frame: &mut Frame<'_>, state: &State) {
        self.places.clear();
        self.keys.clear();
        let area = frame.area();
        let styles = self.colours.styles_of(&state.theme);
        // All of its cells, which are looked up one by one where an area of them is named.
        for cell in &mut frame.buffer_mut().content {
            cell.set_style(styles[Role::Text]);
        }
        self.is_unseen = area.width < SMALLEST.0 || area.height < SMALLEST.1;
        if self.is_unseen {
            self.found = FoundPlaces::default();
            return words::draw_too_small(frame, SMALLEST, &styles, state.question.is_some());
        }
        self.sync_state(state);
        let body = Rect { y: 1, height: area.height - 2, ..area };
        let (body, tour_place) = tour::draw_strip(frame, body, &styles, state);
        self.body = body;
        let images = std::mem::take(&mut self.images).begun();
        let mouse = MousePlaces::default();
        let shown = images.if_shown();
        let look = Look { styles: &styles, keymap: &state.keymap, images: shown, mouse: &mouse };
        if let Some((_, screen)) = self.screens.iter_mut().find(|(id, _)| *id == state.screen) {
            screen.draw(frame, self.body, look, state);
        }
        self.draw_buttons(frame, &styles, state);
        self.draw_top(frame, Rect { height: 1, ..area }, &styles, state);
        if let Some(overlay) = &mut self.overlay {
            let mouse = MousePlaces::default();
            overlay.draw(frame, self.body, Look { mouse: &mouse, ..look }, state);
            self.found = FoundPlaces { pressed: Vec::new(), ..mouse.into_places() };
        } else {
            self.found = mouse.into_places();
            self.places.extend(tour_place);
        }
        // What an overlay found out when it was drawn decides which keys do something.
        self.draw_bottom(frame, Rect { y: area.height - 1, height: 1, ..area }, &styles, state);
        self.images = images;
        self.reading.draw(frame.buffer_mut());
        if self.is_in_edit(state) {
            self.found.typed.extend(words::show_cursor(frame, &styles));
        }
    }

    /// The button of the screen's main act at the foot of its pane, and one that saves.
    fn draw_buttons(&mut self, frame: &mut Frame<'_>, styles: &Styles, state: &State) {
        let typing = self.is_typing(state);
        let Some(screen) = self.screen(state) else { return };
        let is_unsaved = state.documents.changed_files().next().is_some();
        let save = screen.save_button().filter(|_| is_unsaved).map(|pane| ("save", pane));
        let wanted = screen.primary_button(state).into_iter().chain(save);
        let drawn = wanted.filter_map(|(action, pane)| {
            let usable = self.refusal_reason(action, state).is_none();
            let title = screen.hint_title(action, state);
            let title = title.unwrap_or(state.keymap.action(action).title);
            let wanted = words::Button { action, title, usable, typing };
            words::draw_button(frame.buffer_mut(), pane, styles, state, &wanted)
        });
        self.buttons = drawn.collect();
        self.places.extend(self.buttons.iter().copied());
        if let Some(panes) = self.screen_mut(state).and_then(Screen::panes) {
            let of_panes = panes.pressable().to_vec();
            self.places.extend(of_panes);
        }
    }

    /// Brings what is shown in line with the state, before each drawing and each input: an input
    /// may come after a change and before its picture, and must not meet rows that are gone.
    fn sync_state(&mut self, state: &State) {
        let is_typing = self.is_typing(state);
        if let Some(overlay) = self.outside.take_question(is_typing, state) {
            self.overlay = overlay;
        }
        if self.outside.follow_moved(&mut self.screens, state) {
            self.overlay = None;
        }
        if let Some((_, screen)) = self.screens.iter_mut().find(|(id, _)| *id == state.screen) {
            screen.sync_state(state);
            if self.last_shown != Some(state.screen) {
                self.last_shown = Some(state.screen);
                screen.on_enter(state);
            }
        }
        if std::mem::take(&mut self.menu_due)
            && self.overlay.is_none()
            && let Reply::Open(menu) = self.open_actions_menu(state)
        {
            self.overlay = Some(menu);
        }
    }

    fn draw_top(&mut self, frame: &mut Frame<'_>, line: Rect, styles: &Styles, state: &State) {
        match &state.form {
            Some(form) => words::draw_form_top(frame, line, styles, form, state),
            None => {
                let places = draw_top_line(frame.buffer_mut(), line, styles, self.tabs, state);
                self.places.extend(places);
            }
        }
    }

    fn draw_bottom(&mut self, frame: &mut Frame<'_>, line: Rect, styles: &Styles, state: &State) {
        let in_edit = self.is_in_edit(state);
        let note = words::bottom_note(in_edit, state);
        let said = (self.hint_entries(state), &*note, words::note_action(state));
        let edge = self.body.bottom().saturating_sub(1);
        let drawn = draw_bottom_line(frame.buffer_mut(), (line, edge), styles, in_edit, said);
        self.places.extend(drawn.places);
        (self.keys, self.note) = (drawn.keys, drawn.note);
    }

    /// Keys for the bottom line.
    fn hint_entries(&self, state: &State) -> Vec<Hint> {
        match (&self.overlay, self.screen(state)) {
            (Some(overlay), _) => hints::of_overlay(&**overlay),
            (None, Some(screen)) => hints::of_screen(screen, &self.scopes(state), state),
            (None, None) => Vec::new(),
        }
    }

    fn screen(&self, state: &State) -> Option<&dyn Screen> {
        self.screens.iter().find(|(id, _)| *id == state.screen).map(|(_, screen)| &**screen)
    }

    /// Whether a press at a cell puts a text's cursor there, by column and row.
    #[must_use]
    pub fn takes_text_at(&self, cell: (u16, u16)) -> bool {
        self.found.typed.iter().any(|place| place.contains(cell.into()))
    }

    /// Whether letters go into a text of the screen.
    #[must_use]
    pub fn is_typing(&self, state: &State) -> bool {
        self.overlay.is_none() && self.screen(state).is_some_and(Screen::is_typing)
    }

    /// Whether printable keys are text, on the screen or in what lies over it.
    #[must_use]
    pub fn is_in_edit(&self, state: &State) -> bool {
        self.overlay.as_ref().map_or_else(|| self.is_typing(state), |overlay| overlay.is_typing())
    }

    fn scopes(&self, state: &State) -> Vec<Scope> {
        let mut scopes = self.screen(state).map_or_else(Vec::new, |screen| screen.scopes());
        scopes.push(Scope::Global);
        if state.tour != Tour::Off {
            scopes.insert(0, Scope::Tour);
        }
        scopes
    }

    /// Why an action can't be used now.
    fn refusal_reason(&self, action: ActionId, state: &State) -> Option<String> {
        let scope = state.keymap.action(action).scope;
        let is_anywhere = matches!(scope, Scope::Global | Scope::Tour);
        if !is_anywhere && !self.scopes(state).contains(&scope) {
            return Some(format!("only works in {}: go there first", scope.title()));
        }
        let window: &dyn Window = self;
        action_rows::refusal_reason(everywhere::ACTIONS, window, action, state)
            .or_else(|| action_rows::refusal_reason(tour::ACTIONS, window, action, state))
            .or_else(|| self.screen(state)?.refusal_reason(action, state))
    }

    /// Takes an input in; what the application is asked for comes back.
    pub fn handle_input(&mut self, input: &Input, state: &State) -> Vec<Message> {
        if self.is_unseen {
            return if words::is_way_out(input) { self.ask_to_leave(state) } else { Vec::new() };
        }
        self.sync_state(state);
        let mut messages = Vec::new();
        if state.notices.current().is_some()
            && !matches!(
                input,
                Input::Mouse(Mouse { kind: MouseKind::Drag(_) | MouseKind::Up(_), .. })
            )
        {
            messages.push(Message::NoticeSeen);
        }
        match self.reading.take(input, &self.found.read) {
            Taken::No => {}
            Taken::Yes => return messages,
            Taken::Selected(text) => {
                messages.push(copy_message(text));
                self.reading.note_messages(input, &mut messages);
                return messages;
            }
        }
        let press = match input {
            Input::Mouse(mouse) if matches!(mouse.kind, MouseKind::Down(_)) => Some(*mouse),
            _ => None,
        };
        if matches!(input, Input::Paste(_)) {
            self.presses.forget();
        }
        let cell = press.map(|press| (press.column, press.row));
        let is_double = cell.is_some_and(|cell| self.presses.is_double(cell));
        let mut reply = self.route_input(input, state);
        if let Some(cell) = cell {
            self.presses.note(cell, !matches!(reply, Reply::Ignored | Reply::Handled));
        }
        if let (Some(press), Reply::Ignored | Reply::Handled) =
            (press.filter(|_| is_double), &reply)
            && let MouseKind::Down(button) = press.kind
        {
            let twice = Mouse { kind: MouseKind::Double(button), ..press };
            reply = self.route_input(&Input::Mouse(twice), state);
        }
        self.dispatch_reply(reply, state, &mut messages);
        self.reading.note_messages(input, &mut messages);
        messages.extend(self.screen(state).and_then(|screen| screen.due_message(state)));
        messages
    }

    /// The user closes the window: what the application is asked for then, as when leaving.
    pub fn ask_to_leave(&mut self, state: &State) -> Vec<Message> {
        self.sync_state(state);
        let mut messages = Vec::new();
        let reply = self.handle_action("quit", state);
        self.dispatch_reply(reply, state, &mut messages);
        messages
    }

    fn dispatch_reply(&mut self, reply: Reply, state: &State, messages: &mut Vec<Message>) {
        match reply {
            Reply::Ignored | Reply::Handled => {}
            Reply::Send(sent) => messages.extend(sent),
            Reply::Refused(why) => messages.push(Message::Notice(NoticeKind::Hint, why)),
            Reply::Open(mut overlay) => {
                overlay.note_refusals(&|action| self.refusal_reason(action, state));
                self.overlay = Some(overlay);
            }
            Reply::SendAndOpen(message, overlay) => {
                messages.push(message);
                self.overlay = Some(overlay);
            }
        }
    }

    fn route_input(&mut self, input: &Input, state: &State) -> Reply {
        let pressed = words::key_at(&self.keys, input).map(Input::Key);
        let input = pressed.as_ref().unwrap_or(input);
        if let Some(overlay) = &mut self.overlay {
            // Ctrl+C always leads out, where it does.
            if *input == Input::Key(Key::ctrl('c')) {
                let stays = interrupt_overlay(&**overlay, state);
                return stays.unwrap_or_else(|| self.handle_action("quit", state));
            }
            let reply = match overlay.handle_input(input, state) {
                OverlayReply::Stay => return Reply::Handled,
                OverlayReply::StayWith(message) => return Reply::send(message),
                OverlayReply::Close => Reply::Handled,
                OverlayReply::CloseWith(reply) => reply,
                OverlayReply::Act(act) => {
                    palette::note_recent(&mut self.recent, act);
                    ending_question(self.handle_action(act, state), state)
                }
            };
            self.overlay = None;
            // What lies over the screen now isn't the question's.
            if matches!(reply, Reply::SendAndOpen(Message::DropQuestion, _)) {
                self.outside.asked = None;
            }
            return reply;
        }
        match input {
            Input::Key(key) => self.handle_key(*key, state),
            Input::Mouse(mouse) => self.handle_mouse(*mouse, input, state),
            Input::Paste(text) if pasted::adds_tools(text, self.screen(state), state) => {
                pasted::paste_descriptors(text, state)
            }
            Input::Paste(_) => self.ask_screen(input, state),
        }
    }

    fn handle_key(&mut self, key: Key, state: &State) -> Reply {
        self.presses.forget();
        let typing = self.screen(state).is_some_and(Screen::is_typing);
        let input = Input::Key(key);
        // While a text has the keys, what could be typed or moves in it goes there first, and so do
        // the chords that every text field has; others stay the keymap's. Digits can begin numbers.
        let of_texts = key.mods.ctrl
            && !key.mods.alt
            && matches!(key.code, Code::Char('a' | 'c' | 'v' | 'x' | 'y' | 'z'));
        let chord = (key.mods.ctrl || key.mods.alt || matches!(key.code, Code::F(_))) && !of_texts;
        if (typing || key.begins_number()) && !chord {
            let reply = self.ask_screen(&input, state);
            if !matches!(reply, Reply::Ignored) {
                return reply;
            }
            if typing && key.typed_char().is_some() {
                return Reply::Handled;
            }
        }
        if key == Key::ctrl('c')
            && let Some(reply) = interrupt(state)
        {
            return reply;
        }
        if let Some(action) = state.keymap.action_for(&self.scopes(state), key) {
            // Esc goes one level back where there is nothing to cancel.
            let is_refused =
                key.is_plain(Code::Esc) && self.refusal_reason(action, state).is_some();
            let reply = if is_refused { self.ask_screen(&input, state) } else { Reply::Ignored };
            return match reply {
                Reply::Ignored if is_refused && self.go_back(state) => Reply::Handled,
                Reply::Ignored => self.handle_action(action, state),
                reply => reply,
            };
        }
        let reply = if typing && !chord { Reply::Ignored } else { self.ask_screen(&input, state) };
        // Letters move where nothing else is bound to them.
        let moved = match (&reply, words::movement(key)) {
            (Reply::Ignored, Some(code)) if !typing => {
                self.ask_screen(&Input::Key(Key::plain(code)), state)
            }
            _ => reply,
        };
        match moved {
            Reply::Ignored if key.is_plain(Code::Esc) => {
                self.go_back(state);
                Reply::Handled
            }
            Reply::Ignored => Reply::Refused(words::idle_key(key, &self.scopes(state), state)),
            other => other,
        }
    }

    /// Says what time it is, before an input is handed over.
    pub fn set_now(&mut self, now: Millis) {
        self.presses.set_now(now);
    }

    /// A double press acts once: its second press counts only where the first one did no more than
    /// choose something.
    fn handle_mouse(&mut self, mouse: Mouse, input: &Input, state: &State) -> Reply {
        if !matches!(mouse.kind, MouseKind::Down(_)) {
            return self.route_mouse(mouse, input, state);
        }
        if self.presses.is_repeated((mouse.column, mouse.row)) {
            return Reply::Handled;
        }
        self.route_mouse(mouse, input, state)
    }

    fn route_mouse(&mut self, mouse: Mouse, input: &Input, state: &State) -> Reply {
        let at = (mouse.column, mouse.row).into();
        let pressed = matches!(mouse.kind, MouseKind::Down(_));
        let is_edge =
            |screen: &mut dyn Screen| screen.panes().is_some_and(|panes| panes.drag_edge(mouse));
        if self.buttons.iter().all(|(place, _)| !place.contains(at))
            && self.screen_mut(state).is_some_and(is_edge)
        {
            return Reply::Handled;
        }
        if pressed && self.note.contains(at) {
            return Reply::Handled;
        }
        if let Some((_, act)) =
            self.places.iter().find(|(place, _)| place.contains(at)).filter(|_| pressed)
        {
            let act = *act;
            return self.handle_action(act, state);
        }
        let is_left = mouse.kind == MouseKind::Down(Button::Left);
        let within = self.found.pressed.iter().find(|(place, _)| is_left && place.contains(at));
        if let Some((_, act)) = within {
            let act = *act;
            if let Some(panes) = self.screen_mut(state).and_then(Screen::panes) {
                panes.handle_mouse(mouse);
            }
            return self.handle_action(act, state);
        }
        if pressed && !self.body.contains(at) {
            return Reply::Ignored;
        }
        let reply = self.ask_screen(input, state);
        match reply {
            Reply::Ignored | Reply::Handled if mouse.kind == MouseKind::Down(Button::Right) => {
                self.open_actions_menu(state)
            }
            // What it selects is selected when these have been taken in.
            Reply::Send(_) if mouse.kind == MouseKind::Down(Button::Right) => {
                self.menu_due = true;
                reply
            }
            reply => reply,
        }
    }

    fn screen_mut(&mut self, state: &State) -> Option<&mut dyn Screen> {
        let shown = self.screens.iter_mut().find(|(id, _)| *id == state.screen);
        shown.map(|(_, screen)| &mut **screen as &mut dyn Screen)
    }

    /// Goes back among the panes of the screen; whether there was a way.
    fn go_back(&mut self, state: &State) -> bool {
        self.screen_mut(state).and_then(Screen::panes).is_some_and(Panes::go_back)
    }

    fn ask_screen(&mut self, input: &Input, state: &State) -> Reply {
        self.screen_mut(state).map(|screen| screen.handle_input(input, state)).unwrap_or_default()
    }

    fn handle_action(&mut self, action: ActionId, state: &State) -> Reply {
        let title = state.keymap.action(action).title;
        let draft = self.screen_mut(state).and_then(|of| words::drop_draft(action, of, state));
        if let Some(reply) = draft {
            return reply;
        }
        if let Some(why) = self.refusal_reason(action, state) {
            return Reply::Refused(format!("{title}: {why}"));
        }
        let asked = self.screen_mut(state).map(|screen| screen.handle_action(action, state));
        let reply = match asked.unwrap_or_default() {
            Reply::Ignored => {
                let window: &mut dyn Window = self;
                action_rows::run_action(everywhere::ACTIONS, window, action, state)
                    .or_else(|| action_rows::run_action(tour::ACTIONS, window, action, state))
                    .unwrap_or_default()
            }
            other => other,
        };
        match reply {
            Reply::Ignored => Reply::Refused(format!("{title}: not here")),
            other => other,
        }
    }
}

impl Window for Root {
    fn open_help(&self, state: &State) -> Reply {
        let refusal = |action| self.refusal_reason(action, state);
        let near = (&*self.scopes(state), self.is_typing(state));
        Reply::Open(Box::new(help::help_menu(&state.keymap, near, refusal)))
    }

    fn open_palette(&self, state: &State) -> Reply {
        let refusal = |action| self.refusal_reason(action, state);
        let near = (&*self.recent, &*self.scopes(state), self.is_typing(state));
        Reply::Open(Box::new(palette::action_palette(&state.keymap, near, refusal)))
    }

    fn open_actions_menu(&self, state: &State) -> Reply {
        let scopes = self.screen(state).map_or_else(Vec::new, |screen| screen.scopes());
        let refusal = |action| self.refusal_reason(action, state);
        let near = (&*scopes, self.is_typing(state));
        Reply::Open(Box::new(palette::actions_menu(&state.keymap, near, refusal)))
    }

    fn send_key(&mut self, key: Key, state: &State) -> Reply {
        self.ask_screen(&Input::Key(key), state)
    }

    fn arrange_panes(&mut self, change: PaneChange, state: &State) -> Reply {
        match self.screen_mut(state).and_then(Screen::panes).map(|panes| panes.change(change)) {
            Some(Ok(())) => Reply::Handled,
            Some(Err(why)) => Reply::Refused(why.into()),
            None => Reply::Ignored,
        }
    }

    fn show(&self, screen: ScreenId) -> Reply {
        if self.tabs.iter().any(|row| row.id == screen) {
            Reply::send(Message::Show(screen))
        } else {
            Reply::Ignored
        }
    }
}
