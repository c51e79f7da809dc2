//! A session in plain mode: lines in, messages and lines out. The state changes elsewhere; what
//! depends on a change waits in [`Session::follow_up`].

use std::collections::VecDeque;

use super::{
    calls::Printed,
    commands::{self, Found, Verb},
    dialog::{self, Answered, Dialog},
    fields::{self, Walk},
    lists, words,
};
use crate::{
    app::{
        actions::ActionId,
        message::{Message, ScreenId},
        question::Question,
        state::State,
        tour::Tour,
        update::tour,
    },
    schema::{phrase::join_alternatives, pointer::Pointer},
    ui::{
        action_rows,
        canvas::visible_text,
        everywhere::{self, Window},
        form::view::{Form, FormReply},
        moved::KnownMoves,
        overlays::questions,
        running::stop_running,
        screens::{SCREENS, form::FormScreen, model_run::decide},
        view::{OverlayReply, Reply, Screen, Target},
    },
};

/// The screens, dialogs and forms of a session, without a drawing.
pub struct Session {
    screens: Vec<(ScreenId, Box<dyn Screen>)>,
    pub(super) has_tabs: bool,
    pub(super) dialog: Option<Dialog>,
    /// The question that the dialog asks, to open it once.
    asked: Option<Question>,
    pub(super) walk: Option<Walk>,
    /// A text of several lines that `set` waits for, with its field.
    pub(super) typed: Option<(String, Vec<String>)>,
    pub(super) pending: VecDeque<Pending>,
    pub(super) printed: Printed,
    /// The call of a model that was asked about last.
    decided: u64,
    pub(super) out: Vec<String>,
    /// Nothing was printed since the last line was typed.
    pub(super) is_silent: bool,
    /// Somebody types, so that long lists come in pieces.
    pub(super) is_typed: bool,
    /// What is left of a list that was too long.
    pub(super) rest: Vec<String>,
    shown: Option<ScreenId>,
    moves: KnownMoves,
}

/// What is done once the messages before it have changed the state.
pub(super) enum Pending {
    Action(ActionId),
    /// The same, and this text answers what it asks.
    ActionWith(ActionId, String),
    Point(Target),
    /// What is said of a screen on arrival.
    Arrive,
    Show,
    /// What the screen shows and isn't among these lines.
    Changes(Vec<String>),
    /// The line above the list.
    Heading,
    Walk,
    /// The next field of the form that is asked.
    WalkOn,
    /// The field at this place, as it is now.
    Field(Pointer),
    /// What an action did, where nothing else says it.
    Confirm(ActionId),
}

impl Pending {
    pub(super) fn is_confirm(&self) -> bool {
        matches!(self, Self::Confirm(_))
    }
}

/// What is shown before what is typed.
pub struct Prompt {
    pub text: String,
    /// What is typed is not to be seen.
    pub hidden: bool,
}

impl Session {
    /// The whole program, or a form and nothing else.
    #[must_use]
    pub fn new(state: &State) -> Self {
        let is_form = state.form.is_some();
        let screens: Vec<(ScreenId, Box<dyn Screen>)> = match is_form {
            true => vec![(ScreenId::Form, Box::<FormScreen>::default())],
            false => SCREENS.iter().map(|row| (row.id, (row.make)())).collect(),
        };
        let mut out = vec!["toolcrib in plain mode. Type help for the commands.".to_owned()];
        if let Some(form) = &state.form {
            let target = form.short_target();
            out.push(format!("{}, which goes to {target}. Type: form", form.short_title()));
        }
        Self {
            screens,
            has_tabs: !is_form,
            dialog: None,
            asked: None,
            walk: None,
            typed: None,
            pending: VecDeque::new(),
            printed: Printed::default(),
            decided: 0,
            out,
            is_silent: false,
            is_typed: false,
            rest: Vec::new(),
            shown: None,
            moves: KnownMoves::default(),
        }
    }

    /// The same where lines are typed and read at a terminal.
    #[must_use]
    pub fn typed(self, is_typed: bool) -> Self {
        Self { is_typed, ..self }
    }

    /// The lines to print now, with nothing in them that a terminal would act on.
    pub fn take_output(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.out);
        self.is_silent &= lines.is_empty();
        let parts = lines.iter().flat_map(|line| line.split('\n'));
        parts.map(|line| words::without_keys(&visible_text(line))).collect()
    }

    /// Prints lines as they are.
    pub fn say(&mut self, lines: impl IntoIterator<Item = String>) {
        self.out.extend(lines);
    }

    /// Prints what was noticed last.
    pub fn say_notices(&mut self, state: &State) {
        self.out.extend(self.printed.new_notices(state));
    }

    /// Where one is, and what is asked.
    pub fn prompt(&mut self, state: &State) -> Prompt {
        let (text, hidden) = self.prompt_words(state);
        Prompt { text: visible_text(text.trim_end()).replace('\n', " "), hidden }
    }

    /// Why a line with control characters, as arrow keys send them, is ignored. A script may have
    /// them in a text.
    fn control_words(&self, line: &str) -> Option<String> {
        let asks_text = self.dialog.is_some() || self.walk.is_some() || self.typed.is_some();
        let counts = match (self.is_typed, asks_text) {
            (true, _) => line,
            (false, true) => "",
            (false, false) => line.split_whitespace().next().unwrap_or_default(),
        };
        words::control_words(counts)
    }

    fn prompt_words(&mut self, state: &State) -> (String, bool) {
        if let Some(dialog) = &mut self.dialog {
            return dialog.prompt(state);
        }
        if let Some((field, _)) = &self.typed {
            return (field.clone(), false);
        }
        if let (Some(walk), Some(row)) = (&self.walk, self.walk_row(state))
            && let Some(form) = self.form(state)
        {
            let is_text = walk.lines.is_some();
            let (name, hidden) = fields::row_prompt(form, row);
            return (name, hidden && !is_text);
        }
        let title = self.screen_title(state);
        match lists::prompt_item(state) {
            Some(item) => (format!("{title} · {item}"), false),
            None => (title, false),
        }
    }

    /// Whether lines of a text were typed that has not ended.
    pub fn has_open_text(&self) -> bool {
        let has_lines = |lines: &Vec<String>| !lines.is_empty();
        self.typed.as_ref().is_some_and(|(_, lines)| has_lines(lines))
            || self.walk.as_ref().is_some_and(|walk| walk.lines.as_ref().is_some_and(has_lines))
    }

    pub(super) fn screen_title(&self, state: &State) -> String {
        if let Some(form) = &state.form {
            return format!("Form · {}", form.short_title());
        }
        let row = SCREENS.iter().find(|row| row.id == state.screen);
        row.map_or("toolcrib", |row| state.keymap.action(row.action).title).to_owned()
    }

    /// Whether a line is to be taken although something is under way.
    #[must_use]
    pub fn takes_now(line: &str) -> bool {
        let word = line.split_whitespace().next().unwrap_or_default();
        matches!(word, "stop" | "cancel" | "wait")
    }

    /// Takes a line in; what the application is asked for comes back.
    pub fn take_line(&mut self, line: &str, state: &State) -> Vec<Message> {
        self.sync(state);
        self.is_silent = true;
        let mut messages = vec![Message::NoticeSeen];
        if let Some(ignored) = self.control_words(line) {
            self.out.push(ignored);
            return messages;
        }
        if let Some(mut dialog) = self.dialog.take() {
            let ends = matches!(line.trim(), "quit" | "exit");
            if ends && !dialog.asks_lines(state) && !dialog.has_row(line.trim(), state) {
                self.quit_question(dialog, state, &mut messages);
                return messages;
            }
            let cancels = dialog.is_cancelled_by(line, state);
            match dialog.take_line(line, state, &mut self.out) {
                Answered::Open => self.dialog = Some(dialog),
                Answered::Closed(reply) => {
                    if cancels && dialog::is_nothing(&reply) {
                        self.out.push("Cancelled.".to_owned());
                    }
                    self.close_with(reply, state, &mut messages);
                }
            }
        } else if self.typed.is_some() {
            self.take_typed_line(line, state, &mut messages);
        } else if self.walk.is_some() {
            self.walk_line(line, state, &mut messages);
        } else if !line.trim().is_empty() {
            self.command(line.trim(), state, &mut messages);
        }
        messages
    }

    /// Prints what came, and does what waited for it; more messages come of that.
    /// What shows the state waits until nothing is under way.
    pub fn follow_up(&mut self, is_idle: bool, state: &State) -> Vec<Message> {
        self.sync(state);
        let mut messages = Vec::new();
        self.out.extend(self.printed.new_events(state));
        self.out.extend(self.printed.new_run_events(state));
        self.out.extend(self.printed.new_notices(state));
        if self.asked != state.question {
            self.asked.clone_from(&state.question);
            let overlay =
                state.question.as_ref().map(|asked| questions::question_overlay(asked, state));
            self.dialog = overlay.map(Dialog::new);
            self.walk = None;
        }
        if let Some(run) = &state.invoke.agent.run
            && let Some(call) = run.waiting.as_ref().filter(|call| call.number != self.decided)
        {
            self.decided = call.number;
            self.dialog = Some(Dialog::new(Box::new(decide::decision_menu(run, call))));
            self.walk = None;
        }
        while messages.is_empty()
            && is_idle
            && self.dialog.is_none()
            && let Some(pending) = self.pending.pop_front()
        {
            self.do_pending(pending, state, &mut messages);
        }
        if let Some(mut dialog) = self.dialog.take() {
            match dialog.print(state, &mut self.out) {
                None => self.dialog = Some(dialog),
                Some(closed) => self.close_with(closed, state, &mut messages),
            }
        }
        // What the prompt and the lists name is what actions are about.
        let pointed = self.screen(state).and_then(|screen| screen.pointed_tool());
        if messages.is_empty() && pointed.is_some() && pointed != state.selected {
            messages.extend(pointed.map(Message::Select));
        }
        messages
    }

    /// Whether something is shown only once more has come.
    pub fn is_waiting(&mut self, state: &State) -> bool {
        self.dialog.as_mut().is_some_and(|dialog| dialog.is_waiting(state))
    }

    /// What an interrupt means: the running call ends, else what is asked, else the session.
    pub fn interrupt(&mut self, state: &State) -> Vec<Message> {
        if let Some(stop) = stop_running(state) {
            return vec![stop];
        }
        if self.dialog.is_some() {
            return self.take_line("cancel", state);
        }
        if self.walk.take().is_some() || self.typed.take().is_some() {
            self.say(["Stopped.".to_owned()]);
            return Vec::new();
        }
        vec![Message::Quit { discard: false }]
    }

    /// How many pieces of the running call, or of a model's run, have come; `None` where none runs.
    #[must_use]
    pub fn running_pieces(state: &State) -> Option<u64> {
        let agent = &state.invoke.agent;
        let of_run = agent.run.as_ref().filter(|_| agent.is_moving());
        let of_run = || of_run.map(|run| run.log.len() as u64);
        state.invoke.calls.running_calls().last().map(|call| call.chunks).or_else(of_run)
    }

    fn sync(&mut self, state: &State) {
        if self.moves.follow(&mut self.screens, state) && self.asked.is_none() {
            let open = self.dialog.take().is_some() | self.walk.take().is_some();
            if open | self.typed.take().is_some() {
                self.say([
                    "What was open is closed: the list that it was of has changed.".to_owned()
                ]);
            }
        }
        let shown = self.shown;
        if let Some(screen) = self.screen_mut(state) {
            screen.sync_state(state);
            if shown != Some(state.screen) {
                screen.on_enter(state);
                if let Some(named) = &state.selected {
                    screen.point_at(&Target::Tool(named.clone()), state);
                }
                self.shown = Some(state.screen);
                self.walk = None;
            }
        }
    }

    pub(super) fn screen_mut(&mut self, state: &State) -> Option<&mut Box<dyn Screen>> {
        self.screens.iter_mut().find(|(id, _)| *id == state.screen).map(|(_, screen)| screen)
    }

    pub(super) fn screen(&self, state: &State) -> Option<&dyn Screen> {
        self.screens.iter().find(|(id, _)| *id == state.screen).map(|(_, screen)| &**screen)
    }

    pub(super) fn form(&self, state: &State) -> Option<&Form> {
        self.screen(state)?.shown_form()
    }

    pub(super) fn close_with(
        &mut self,
        reply: OverlayReply,
        state: &State,
        messages: &mut Vec<Message>,
    ) {
        if dialog::is_nothing(&reply) {
            // What it would have done is not done.
            self.pending.retain(|pending| !pending.is_confirm());
        }
        match reply {
            OverlayReply::Stay | OverlayReply::Close => {}
            OverlayReply::StayWith(message) => messages.push(message),
            OverlayReply::CloseWith(reply) => self.dispatch(reply, state, messages),
            OverlayReply::Act(action) => {
                if state.question.is_some() {
                    self.asked = None;
                    messages.push(Message::DropQuestion);
                }
                self.act(action, state, messages);
            }
        }
    }

    pub(super) fn dispatch(&mut self, reply: Reply, state: &State, messages: &mut Vec<Message>) {
        match reply {
            Reply::Ignored | Reply::Handled => {}
            Reply::Send(sent) => {
                self.note_sent(&sent, state);
                messages.extend(sent);
            }
            Reply::Refused(why) => self.out.push(format!("Not done. {why}")),
            Reply::Open(overlay) => self.dialog = Some(Dialog::new(overlay)),
            Reply::SendAndOpen(message, overlay) => {
                messages.push(message);
                self.dialog = Some(Dialog::new(overlay));
            }
        }
    }

    pub(super) fn act(&mut self, action: ActionId, state: &State, messages: &mut Vec<Message>) {
        let title = state.keymap.action(action).title;
        if let Some(instead) = commands::instead_of(action) {
            let words = format!("{title} only changes the drawing. In plain mode: {instead}");
            self.out.push(words);
            return;
        }
        if let Some(why) = self.refusal_reason(action, state) {
            self.out.push(format!("Not done. {title}: {why}"));
            return;
        }
        let reply = match self.screen_mut(state) {
            Some(screen) => screen.handle_action(action, state),
            None => Reply::Ignored,
        };
        let reply = match reply {
            Reply::Ignored => {
                let window: &mut dyn Window = &mut Tabs(self.has_tabs);
                action_rows::run_action(everywhere::ACTIONS, window, action, state)
                    .unwrap_or_default()
            }
            other => other,
        };
        match reply {
            Reply::Ignored => self.out.push(format!("Not done. {title}: not here")),
            // The fields of the call are asked one by one.
            Reply::Handled if action == "edit-call" => self.pending.push_back(Pending::Walk),
            Reply::Handled => {
                let name = commands::typed_name(title);
                self.out.push(format!("{name}: done. Type show to see it."));
            }
            other => {
                self.dispatch(other, state, messages);
                self.pending.extend((action != "quit").then_some(Pending::Confirm(action)));
            }
        }
    }

    pub(super) fn refusal_reason(&self, action: ActionId, state: &State) -> Option<String> {
        let window: &dyn Window = &Tabs(self.has_tabs);
        action_rows::refusal_reason(everywhere::ACTIONS, window, action, state)
            .or_else(|| self.screen(state)?.refusal_reason(action, state))
    }

    fn command(&mut self, line: &str, state: &State, messages: &mut Vec<Message>) {
        if self.has_tabs
            && let Some(row) = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1))
        {
            return match commands::screen_actions().nth(row) {
                Some(action) => self.act(action, state, messages),
                None => self.out.push("There is no screen with that number. Type: help".to_owned()),
            };
        }
        let line = line.trim_end_matches('…');
        // On Workflow it discards a what-if.
        if line == "cancel" && state.workflow.what_if.is_none() {
            return self.out.push("There is nothing to cancel.".to_owned());
        }
        if line == "done" && self.has_tabs {
            return self.out.push("done ends the questions of a form. Type: form".to_owned());
        }
        match commands::find_command(line, &state.keymap, state.screen) {
            Found::Verb(verb, rest) => self.run_verb(verb, rest, state, messages),
            Found::Action("find", word) if !word.is_empty() => self.list(word, state),
            Found::Action(action, name)
                if name.is_empty() || commands::instead_of(action).is_some() =>
            {
                self.act(action, state, messages);
            }
            Found::Action("new", kind) => {
                self.act("new", state, messages);
                self.give_answer(kind, state, messages);
            }
            Found::Action(action, text) if commands::takes_text(action) => {
                self.act(action, state, messages);
                self.give_text(text, state, messages);
            }
            Found::Action("show-watch", _) => {
                self.out.push("watch SUBJECTS works on Watch. Type: watch".to_owned());
            }
            Found::Action("compare-calls", names) if self.compare(names, state, messages) => {}
            Found::Action("apply-fix", field) if self.fix_named(field, state, messages) => {}
            Found::Action(action, name) => self.act_on(action, name, state, messages),
            Found::Elsewhere(name, screens) => {
                let screens = join_alternatives(screens.into_iter());
                self.out.push(format!("{name} works on {screens}. Go there first."));
            }
            Found::Several(names) => {
                self.out.push(format!("Several commands start with this: {}.", names.join(", ")));
            }
            Found::Nothing(near) if near.is_empty() => {
                self.out.push(format!("There is no command {line}. Type: help"));
            }
            Found::Nothing(near) => {
                let near = near.join(", ");
                self.out.push(format!("There is no command {line}. Did you mean {near}?"));
            }
        }
    }

    /// Answers a dialog that asks for a text, or has a new one as its first choice.
    fn give_text(&mut self, text: &str, state: &State, messages: &mut Vec<Message>) {
        let Some(mut dialog) = self.dialog.take() else { return };
        if dialog.asks_row(state)
            && let Answered::Closed(reply) = dialog.take_line("1", state, &mut self.out)
        {
            self.close_with(reply, state, messages);
            return self.give_text(text, state, messages);
        }
        self.dialog = Some(dialog);
        self.give_answer(text, state, messages);
    }

    /// Answers what a dialog asks, if one is open.
    pub(super) fn give_answer(&mut self, text: &str, state: &State, messages: &mut Vec<Message>) {
        let Some(mut dialog) = self.dialog.take() else { return };
        match dialog.take_line(text, state, &mut self.out) {
            Answered::Open => self.dialog = Some(dialog),
            Answered::Closed(reply) => self.close_with(reply, state, messages),
        }
    }

    /// Does an action with something that is named.
    fn act_on(&mut self, action: ActionId, name: &str, state: &State, messages: &mut Vec<Message>) {
        if state.screen == ScreenId::Workflow {
            for target in [Target::State(name.into()), Target::Group(name.into())] {
                if self.screen_mut(state).is_some_and(|screen| screen.point_at(&target, state)) {
                    return self.act(action, state, messages);
                }
            }
        }
        // What follows the name of an item is the text that the action asks for.
        let is_listed = |word: &str| lists::find_listed(word, &lists::list_rows(state)).is_ok();
        if let Some((item, text)) = name.split_once(' ')
            && !is_listed(name)
            && is_listed(item)
            && self.select(item, state, messages)
        {
            let text = text.trim().to_owned();
            return self.pending.push_back(Pending::ActionWith(action, text));
        }
        if self.select(name, state, messages) {
            self.pending.push_back(Pending::Action(action));
        }
    }

    fn run_verb(&mut self, verb: Verb, rest: &str, state: &State, messages: &mut Vec<Message>) {
        match verb {
            Verb::Help => self.help(rest, state),
            Verb::List => self.list(rest, state),
            Verb::Select if rest.is_empty() => self.list("", state),
            Verb::Select => self.select_named(rest, state, messages),
            Verb::Show if rest.is_empty() => self.show(state),
            Verb::Show => self.show_named(rest, state, messages),
            Verb::More => self.say_more(rest),
            Verb::Times => self.set_times(rest),
            Verb::Invoke => {
                if rest.is_empty() || self.select_tool(rest, state, messages) {
                    messages.push(Message::Show(ScreenId::Invoke));
                    self.pending.push_back(Pending::Show);
                }
            }
            Verb::Form => {
                if !rest.is_empty() {
                    let target = Target::Form(rest.to_lowercase());
                    let found = self
                        .screen_mut(state)
                        .is_some_and(|screen| screen.point_at(&target, state));
                    if !found && !self.select(rest, state, messages) {
                        return;
                    }
                }
                self.pending.push_back(Pending::Walk);
            }
            Verb::Fields => self.with_forms(state, fields::field_lines),
            Verb::Errors => self.with_forms(state, fields::error_lines),
            Verb::Set => self.set(rest, state, messages),
            Verb::Unset => {
                self.edit_named(rest, false, state, messages, |form, row, _| form.unset(row));
            }
            Verb::Add => {
                self.edit_named(rest, false, state, messages, |form, row, text| {
                    form.add_by_text(row, text)
                });
            }
            Verb::Choose => {
                self.edit_named(rest, true, state, messages, |form, row, text| {
                    let number = text.parse::<usize>().ok();
                    match number.and_then(|number| number.checked_sub(1)) {
                        Some(branch) => form.choose_branch(row, branch),
                        None => FormReply::Refused("type a number: choose FIELD NUMBER".into()),
                    }
                });
            }
            Verb::File => self.file(state),
            Verb::Model => self.model(rest, state),
            Verb::Problems => self.problems(state),
            Verb::Tick => self.tick(rest, state, messages),
            Verb::Table => self.say_long(&lists::table_lines(rest, state)),
            Verb::Why => self.why(rest, state, messages),
            Verb::Answer => self.answer_text(state),
            Verb::Tour if state.tour == Tour::Off => {
                self.out
                    .push("The tour is only in the demo. Run: toolcrib demo --plain".to_owned());
            }
            Verb::Tour => self.out.extend(tour::typed_steps()),
            Verb::Stop => self.stop(state, messages),
            Verb::Wait => self.out.push("Nothing is running.".to_owned()),
            Verb::Quit => messages.push(Message::Quit { discard: false }),
        }
    }
}

/// What the actions of every screen need of the whole: which screens there are.
struct Tabs(bool);

impl Window for Tabs {
    fn open_help(&self, _: &State) -> Reply {
        Reply::Ignored
    }

    fn open_palette(&self, _: &State) -> Reply {
        Reply::Ignored
    }

    fn show(&self, screen: ScreenId) -> Reply {
        if self.0 { Reply::send(Message::Show(screen)) } else { Reply::Ignored }
    }
}
