//! Waiting: calls of tools and questions of servers that are answered by hand: choose one, write its
//! answer in a form, see what is written, send it.
//!
//! | file | pane |
//! | --- | --- |
//! | [`calls`] | left: the calls that wait; the chosen one in full |
//! | this one | middle: the form of its answer |
//! | [`card`] | right: the card as it will be written |

mod calls;
mod card;

use std::sync::Arc;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Rect},
};
use serde_json::Value;

use self::calls::Calls;
use crate::{
    app::{
        actions::{ActionId, Scope},
        answering::{AnsweringMessage, AskId, Open},
        input::{Code, Input},
        message::{Message, TextTarget},
        notices::NoticeKind,
        state::State,
        verbs,
    },
    model::finding::Severity,
    schema::pointer::Pointer,
    syntax::edit::Edit,
    ui::{
        action_rows::{self, refuse_when},
        canvas::{Pen, inset_area, text_width, truncate_text},
        form::{
            host::{ValueOwner, written_in},
            notes::Note,
            panes::{FormPanes, LEFT, MIDDLE, RIGHT},
            view::{Form, FormReply},
        },
        overlays::{
            confirm::{Answer, Confirm},
            menu::{Item, Menu},
            prompt::Prompt,
        },
        styles::{Role, Styles},
        view::{Look, Reply, Screen},
        widgets::{
            pane::Pane,
            panes::Step,
            reading::{self, ReadPosition},
        },
    },
};

type Row = action_rows::Row<Waiting>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Waiting, "send-answer", "send", Waiting::send)
        .keys(&[verbs::SEND])
        .help("Send the answer to the caller")
        .refused(|_, state| nothing_to_answer(state)),
    Row::new(Scope::Waiting, "refuse-call", "refuse…", |_, state| {
        state.answering.shown_call().map_or(Reply::Handled, refuse_prompt)
    })
    .help("Answer the call with an error: asks for a message; its code is refused")
    .refused(|_, state| nothing_to_answer(state)),
    Row::new(Scope::Waiting, "leave-call", "skip call", |screen, _| {
        screen.ask_of_shown(AnsweringMessage::Leave)
    })
    .help("Never answer the call: its caller gets no answer, as from a service that hangs")
    .refused(|_, state| nothing_to_answer(state)),
    Row::new(Scope::Waiting, "stop-answering", "stop…", |_, state| stop_answering(state))
        .help("Stop answering for a tool")
        .refused(|_, state| refuse_when(state.answering.is_idle(), "no tool is answered by hand")),
    Row::taking_over("next-pane", |screen, state| screen.middle.step(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.middle.step(Step::Previous, state)),
    Row::taking_over("undo", |screen, _| screen.ask_of_shown(AnsweringMessage::Undo)),
    Row::taking_over("redo", |screen, _| screen.ask_of_shown(AnsweringMessage::Redo)),
];

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Calls", "Answer", "Preview"];

#[derive(Default)]
pub(crate) struct Waiting {
    calls: Calls,
    /// With a form for each call.
    middle: FormPanes<AskId>,
    card: ReadPosition,
    /// The answer that was refused once; sending it again means it.
    warned: Option<Warned>,
}

/// An answer with what was said to be wrong when it was to be sent.
#[derive(PartialEq)]
struct Warned {
    ask: AskId,
    value: Arc<Value>,
    /// What was typed then and is no value.
    typed: Vec<String>,
    words: String,
}

impl ValueOwner for AskId {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        (TextTarget::Answer(*self), at)
    }

    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, _: &State) -> Vec<Message> {
        vec![Message::Answering(AnsweringMessage::Edit { ask: *self, edits })]
    }
}

impl Waiting {
    fn ask_of_shown(&self, message: impl FnOnce(AskId) -> AnsweringMessage) -> Reply {
        self.middle.forms.owner().map_or(Reply::Handled, |id| answering_reply(message(*id)))
    }

    /// Gives the call what the form holds; the first error is gone to. Sending the same again means
    /// it, as of somebody who tests whether answers are checked.
    fn send(&mut self, state: &State) -> Reply {
        let Some(ask) = self.middle.forms.owner().copied() else { return Reply::Handled };
        // What is typed and not yet taken in goes along.
        let mut messages = self.middle.forms.leave(state);
        let Some(form) = self.middle.forms.shown_form() else { return Reply::Handled };
        let (value, typed, unsent) =
            (Arc::clone(form.value()), form.draft_texts(), form.unsent_draft());
        let issue = self.middle.focus_issue();
        let warned = unsent.or(issue).map(|words| Warned { ask, value, typed, words });
        if let Some(warned) = warned.filter(|warned| self.warned.as_ref() != Some(warned)) {
            let words = format!("{}; Enter edits it, send again to answer anyway", warned.words);
            self.warned = Some(warned);
            if messages.is_empty() {
                return Reply::Refused(words);
            }
            messages.push(Message::Notice(NoticeKind::Hint, words));
            return Reply::Send(messages);
        }
        self.warned = None;
        messages.push(Message::Answering(AnsweringMessage::Send(ask)));
        Reply::Send(messages)
    }

    fn draw_form(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, state: &State) {
        let styles = look.styles;
        let focused = self.middle.has_focus(MIDDLE);
        let Some(open) = state.answering.shown_call() else {
            let inside =
                Pane { title: "Answer", focused, ..Pane::default() }.draw(buffer, area, styles);
            Pen::new(buffer, inset_area(inside), 0).put_text(
                "no call is \
                waiting",
                styles[Role::Ghost],
            );
            return;
        };
        let title = format!("Answer of {}", open.asked.waiting.tool_name());
        let foot = self.middle.forms.position();
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }
            .draw(buffer, area, styles);
        let (left, role) = calls::time_left(open, state.answering.now);
        // What is answered is seen while it is answered, also where the other panes are not.
        let mut pen = Pen::new(buffer, inset_area(inside), 0);
        let agent = truncate_text(
            open.asked.waiting.caller_id(),
            pen.remaining_cells().saturating_sub(text_width(&left) + 12),
        )
        .into_owned();
        let question = open.asked.waiting.question();
        let asks = if question.is_some() { " asks" } else { " asks with" };
        pen.put_text(&agent, styles[Role::Accent]).put_text(asks, styles[Role::Dim]);
        pen.put_right(&left, styles[role]);
        let asked = question.as_ref().unwrap_or(&open.asked.arguments);
        let one_line = asked.split_whitespace().collect::<Vec<_>>().join(" ");
        let words =
            reading::wrapped_lines(&one_line, Role::Text, usize::from(inset_area(inside).width));
        let rows = words.len().min(usize::from(inside.height / 5).max(1));
        let mut head = ReadPosition::default();
        let lines = u16::try_from(rows).unwrap_or(1);
        head.draw(
            buffer,
            inset_area(Rect { y: inside.y + 1, height: lines, ..inside }),
            styles,
            &words,
        );
        let taken = lines + 2;
        let below =
            Rect { y: inside.y + taken, height: inside.height.saturating_sub(taken), ..inside };
        self.middle.forms.draw(buffer, below, look, focused);
    }

    fn draw_card(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, state: &State) {
        let focused = self.middle.has_focus(RIGHT);
        let shown = state.answering.shown_call();
        let title =
            shown.map_or("Preview", |open| open.asked.waiting.preview(&open.answer_value()).title);
        let pane = Pane { title, note: "as it will be sent", focused, ..Pane::default() };
        let inside = inset_area(pane.draw(buffer, area, styles));
        let form = self.middle.forms.shown_form();
        let mending = form.map_or(0, |form| form.issues().len() + form.draft_issues().len());
        let cells = usize::from(inside.width);
        let lines = shown.map_or_else(Vec::new, |open| card::card_lines(open, mending, cells));
        self.card.draw(buffer, inside, styles, &lines);
    }
}

fn answering_reply(message: AnsweringMessage) -> Reply {
    Reply::send(Message::Answering(message))
}

/// Asks for the message of a failure, and sends it.
fn refuse_prompt(open: &Open) -> Reply {
    let (id, waiting) = (open.asked.ask, Arc::clone(&open.asked.waiting));
    let Some(note) = open.asked.waiting.refusal_note() else {
        let edits = vec![Edit::Set { at: Pointer::root(), to: waiting.refusal_answer("").into() }];
        let refused = [AnsweringMessage::Edit { ask: id, edits }, AnsweringMessage::Send(id)];
        return Reply::Send(refused.map(Message::Answering).into_iter().collect());
    };
    let words = format!("{}: {} {note}:", waiting.tool_name(), waiting.caller_id());
    Reply::Open(Box::new(
        Prompt::new("Refuse the call", words, "", move |text, _| {
            if text.trim().is_empty() {
                return Err("an error needs a message".into());
            }
            let to = waiting.refusal_answer(text).into();
            let edits = vec![Edit::Set { at: Pointer::root(), to }];
            Ok(Reply::Send(
                [AnsweringMessage::Edit { ask: id, edits }, AnsweringMessage::Send(id)]
                    .map(Message::Answering)
                    .into_iter()
                    .collect(),
            ))
        })
        .with_act("refuse"),
    ))
}

/// Which tool is answered for no longer; calls that wait are named first.
fn stop_answering(state: &State) -> Reply {
    let stop_one = |turn: u64, tool: &str, waiting: usize| {
        let message = AnsweringMessage::Stop { turn };
        if waiting == 0 {
            return answering_reply(message);
        }
        let calls = if waiting == 1 {
            "One call is waiting".to_owned()
        } else {
            format!("{waiting} calls are waiting")
        };
        let words = format!("{calls} for {tool}, and would get no answer.");
        let answers = vec![
            Answer { key: 'n', words: "keep answering", messages: Vec::new() },
            Answer { key: 'y', words: "stop", messages: vec![Message::Answering(message)] },
        ];
        Reply::Open(Box::new(Confirm::new(
            format!("Stop answering for {tool}?"),
            words,
            answers,
            Vec::new(),
        )))
    };
    let rows: Vec<(u64, String, usize)> = state
        .answering
        .stands
        .iter()
        .map(|stand| {
            let waiting = state
                .answering
                .open
                .iter()
                .filter(|open| open.asked.ask.turn == stand.turn)
                .count();
            (stand.turn, stand.tool.clone(), waiting)
        })
        .collect();
    if let [(turn, tool, waiting)] = rows.as_slice() {
        return stop_one(*turn, tool, *waiting);
    }
    let item = |(_, tool, waiting): &(u64, String, usize)| Item {
        title: tool.clone(),
        note: if *waiting == 0 { String::new() } else { format!("{waiting} waiting") },
        ..Item::default()
    };
    let items = rows.iter().map(item).collect();
    Reply::Open(Box::new(Menu::with_replies("Stop answering for", items, move |row| {
        match rows.get(row) {
            Some((turn, tool, waiting)) => stop_one(*turn, tool, *waiting),
            None => Reply::Handled,
        }
    })))
}

impl Screen for Waiting {
    fn on_enter(&mut self, _: &State) {
        self.middle.focus_list();
    }

    fn sync_state(&mut self, state: &State) {
        self.calls.sync_state(state);
        self.middle.forms.retain(|id| state.answering.get(*id).is_some());
        let Some(open) = state.answering.shown_call() else {
            self.middle.forms.hide();
            self.middle.focus_list();
            return;
        };
        let before = self.middle.forms.owner().copied();
        let waiting = &open.asked.waiting;
        self.middle
            .forms
            .show(open.asked.ask, || Form::new(waiting.answer_schema(&open.answer_value())));
        self.middle.forms.sync_surroundings(state);
        if let Some(form) = self.middle.forms.outdated_form(open.answer.revision()) {
            let value = open.answer_value();
            let source = open.answer.source();
            form.sync_written(&value, &written_in(Some(source), 0, &Pointer::root()));
            form.set_schema(&Arc::new(waiting.answer_schema(&value)));
            if before != Some(open.asked.ask) {
                // All that is asked is seen at once.
                form.open_members();
            }
            let fault = waiting.answer_fault(&value).filter(|_| form.issues().is_empty());
            let note = |(at, text)| Note { at, severity: Severity::Error, text, fix: None };
            form.set_notes(fault.into_iter().map(note).collect());
        }
        if before != Some(open.asked.ask) {
            self.card = ReadPosition::default();
            if self.middle.has_focus(MIDDLE) {
                self.middle.forms.rest();
            }
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        let left = if area.width >= 160 { 48 } else { 34 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.middle.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        if !areas[LEFT].is_empty() {
            self.calls.draw(buffer, areas[LEFT], look.styles, state, self.middle.has_focus(LEFT));
        }
        if !areas[MIDDLE].is_empty() {
            self.draw_form(buffer, areas[MIDDLE], look, state);
        }
        if !areas[RIGHT].is_empty() {
            self.draw_card(buffer, areas[RIGHT], look.styles, state);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        if self.middle.has_focus(MIDDLE) {
            vec![Scope::Form, Scope::Waiting]
        } else {
            vec![Scope::Waiting]
        }
    }

    fn is_typing(&self) -> bool {
        self.middle.is_typing()
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let Some(pane) = self.middle.target_pane(input) else { return Reply::Handled };
        let leaves =
            matches!(input, Input::Key(key) if key.is_plain(Code::Esc) || key.is_plain(Code::Tab));
        let is_sent = state.answering.shown_call().is_some_and(|open| open.sent);
        match pane {
            MIDDLE if is_sent && !leaves => {
                return Reply::Refused("the answer is being sent".into());
            }
            RIGHT if self.card.handle_input(input) => return Reply::Handled,
            _ => {}
        }
        match self.middle.handle_input(pane, input, state) {
            Reply::Ignored if pane == LEFT => self.calls.handle_input(input, state),
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
            .or_else(|| self.middle.forms.refusal(id, "no call is waiting"))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.middle.panes.focus {
            LEFT if self.middle.forms.owner().is_some() => vec![("Enter", "answer it")],
            MIDDLE => self.middle.forms.keys(),
            _ => Vec::new(),
        }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        self.middle.forms.owner()?;
        Some(("send-answer", self.middle.panes.area(MIDDLE)))
    }

    fn panes(&mut self) -> Option<&mut crate::ui::widgets::panes::Panes> {
        Some(&mut self.middle.panes)
    }

    fn hinted_actions(&self, _: &State) -> Vec<ActionId> {
        let mut hints = vec!["send-answer"];
        if self.middle.has_focus(MIDDLE) {
            hints.extend(self.middle.forms.hints());
        }
        hints.extend(["refuse-call", "leave-call", "stop-answering"]);
        // In the form Tab goes from field to field first.
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

fn nothing_to_answer(state: &State) -> Option<String> {
    match state.answering.shown_call() {
        None => Some("no call is waiting".into()),
        Some(open) => refuse_when(open.sent, "the answer is being sent"),
    }
}
