//! Invoke: choose a tool, fill in its arguments, see the request, send it, watch the answer come.
//!
//! | file | pane |
//! | --- | --- |
//! | [`tools`] | left: tools, and the calls of this session |
//! | [`request`], [`preview`] | middle: configuration, arguments; the request as it will be sent |
//! | [`meta`] | below the arguments: what is said beside them, in `_meta` |
//! | [`mock`], [`mock_actions`] | in the place of the request: how a mock answers |
//! | [`parts`] | what each of the forms edits |
//! | `ui/answer` | right: the answer |
//! | [`copy`] | a call as a command |
//! | [`steps`], [`step_actions`] | the steps of a request that are run here, and what is done with them |
//! | [`refusals`] | why something can't be done now |
//! | [`menus`] | its route, how often, as what it is copied |

mod copy;
mod menus;
mod meta;
mod mock;
pub(crate) mod mock_actions;
mod parts;
mod preview;
mod refusals;
mod request;
mod request_line;
pub(crate) mod step_actions;
mod steps;
mod tools;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

pub(crate) use self::tools::tool_of;
use self::{
    menus::{
        copy_menu, copy_request, describe_tool, edit_arguments, frame_connection, rendered_request,
        requests_of_call, route_menu, routes_of, show_descriptor, times_prompt, turn_new_agent,
    },
    mock_actions::answer_by_hand,
    refusals::{
        agent_refusal, by_hand_refusal, case_refusal, descriptor_refusal, has_only_deployed,
        listing_refusal, many_refusal, names_agent, no_call, send_refusal, stub_refusal,
    },
    request::RequestPane,
    step_actions::step_menu,
    tools::{Listed, Part, Tools},
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        calls::{CallMessage, CallText},
        edited_text::EditedText,
        input::{Code, Input, MouseKind},
        message::{ConnectionMessage, Message},
        state::State,
        verbs,
    },
    model::{call::Call, entry::EntryId, traffic::FRAMES},
    ui::{
        action_rows::{self, refuse_when},
        answer::{
            actions::{self, ShowsAnswer},
            draw::{ShownAnswer, draw_welcome, inset_area},
            pane::Answer,
        },
        form::view::{Form, FormReply},
        frames::{edit_frame, frame_refusal},
        view::{Look, Reply, Screen, Target},
        widgets::{
            pane::Pane,
            panes::{Panes, SIDE_BY_SIDE, Step},
        },
    },
};

type Row = action_rows::Row<Invoke>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Invoke, "send", "send", Invoke::send)
        .keys(&[verbs::SEND])
        .help("Send the request")
        .refused(|_, state| send_refusal(state)),
    Row::new(Scope::Invoke, "send-many", "n times…", |_, state| {
        with_tool(state, |tool| times_prompt(state, tool))
    })
    .help("Send the request many times, several at once, and see the median and the slowest")
    .refused(|_, state| many_refusal(state)),
    Row::new(Scope::Invoke, "route", "route…", |_, state| route_menu(state))
        .help("Choose the route of CommonGround calls: UI action, direct, god endpoint, probe")
        .refused(|_, state| {
            refuse_when(routes_of(state).is_empty(), "this tool has only one route")
        }),
    Row::new(Scope::Invoke, "new-agent", "new agent", |_, state| with_tool(state, turn_new_agent))
        .help(
            "Call as a new CommonGround agent although the connection names one (if that one is \
            busy or stuck); or as that one again",
        )
        .refused(|_, state| {
            let why = "the connection names no agent, so each call uses a new one";
            refuse_when(!names_agent(state), why)
        }),
    Row::new(Scope::Invoke, "answer-by-hand", "answer", |_, state| answer_by_hand(state))
        .help(
            "Answer calls of the CommonGround tool by hand, in place of its service; they appear \
            in Waiting",
        )
        .refused(|_, state| by_hand_refusal(state)),
    Row::new(Scope::Invoke, "deployed-tools", "deployed tools", Invoke::list_deployed)
        .help(
            "List the tools deployed on the connection's system (TrustGraph, CommonGround), to \
            call them without a definition here",
        )
        .refused(|_, state| listing_refusal(state)),
    Row::new(Scope::Invoke, "cancel", "stop", Invoke::cancel)
        .keys(&[verbs::ESCAPE])
        .help("Stop the running call")
        .refused(Invoke::cancel_refusal),
    Row::new(Scope::Invoke, "resend", "resend", Invoke::resend)
        .keys(&[verbs::AGAIN])
        .help("Send the selected call's request again")
        .refused(|_, state| no_call(state)),
    Row::new(Scope::Calls, "edit-sent", "edit, resend", Invoke::edit_sent)
        .keys(&[verbs::EDIT])
        .help(
            "Put the arguments of the shown call into the form, to edit and send; under Raw, edit \
            and send the frame",
        )
        .refused(|_, state| no_call(state).or_else(|| agent_refusal(state))),
    Row::new(Scope::Invoke, "send-frame", "send frame…", Invoke::edit_frame)
        .help("Edit a frame and send it to the MCP server exactly as written, valid or not")
        .refused(|_, state| frame_refusal(&frame_connection(state))),
    Row::new(Scope::Invoke, "copy-as", "copy as…", |screen, state| screen.open_copy_menu(state))
        .keys(&[verbs::COPY_AS])
        .help("Copy the call as a command, the request or the answer"),
    Row::new(Scope::Invoke, "edit-descriptor", "edit tool", |_, state| show_descriptor(state))
        .keys(&[verbs::EDIT])
        .help("Open the tool in Tools")
        .refused(|_, state| descriptor_refusal(state)),
    Row::new(Scope::Invoke, "describe-tool", "describe tool", |_, state| describe_tool(state))
        .keys(&[verbs::EXPLAIN])
        .help("Show all of the tool: its description, its definition, and what models see of it"),
    Row::taking_over("next-pane", |screen, state| screen.step_focus(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.step_focus(Step::Previous, state)),
    Row::taking_over("undo", |screen, state| {
        screen.step_typed(state, EditedText::can_undo, CallMessage::UndoText)
    }),
    Row::taking_over("redo", |screen, state| {
        screen.step_typed(state, EditedText::can_redo, CallMessage::RedoText)
    }),
    Row::taking_over("find", Invoke::open_find),
    Row::refusing("follow", |_, state| no_call(state)),
    Row::refusing("next-answer-view", |_, state| no_call(state)),
    Row::refusing("keep-case", |_, state| case_refusal(state)),
    Row::refusing("keep-stub", |_, state| stub_refusal(state)),
];

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Tools", "Request", "Answer"];
const LEFT: usize = 0;
const MIDDLE: usize = 1;
const RIGHT: usize = 2;
/// Of a field that has no description it is that of the tool.
const FIELD_HELP: ActionId = "field-help";

#[derive(Default)]
pub(crate) struct Invoke {
    panes: Panes,
    tools: Tools,
    request: RequestPane,
    answer: Answer,
    /// Only one pane fits.
    narrow: bool,
    /// The last form that was gone to.
    reached: u64,
    /// The tool that was drawn last.
    drawn: Option<EntryId>,
    /// The call that is shown has not ended.
    running: bool,
    /// No tool is here, but the connection's system may have some.
    can_list: bool,
}

/// The screen as it is at the start.
#[must_use]
pub(crate) fn invoke_screen() -> Box<dyn Screen> {
    let mut screen = Invoke::default();
    screen.panes.focus = MIDDLE;
    Box::new(screen)
}

impl Invoke {
    fn pass_on(&mut self, pane: usize, input: &Input, state: &State) -> Reply {
        if self.can_list && matches!(input, Input::Key(key) if key.is_plain(Code::Enter)) {
            return self.list_deployed(state);
        }
        let reply = match pane {
            LEFT => self.tools.handle_input(input, state),
            MIDDLE => {
                let reply = self.request.handle_input(input, state);
                if self.request.take_menu_wish() { step_menu(state) } else { reply }
            }
            _ => self.answer.handle_input(input, state.invoke.calls.selected_call()),
        };
        let is = |code| matches!(input, Input::Key(key) if key.is_plain(code));
        let next = match (pane, self.tools.part) {
            (LEFT, Part::Tools) if is(Code::Enter) => MIDDLE,
            (LEFT, Part::Calls) if is(Code::Enter) => RIGHT,
            // While a call runs, Esc stops it; where one pane is shown alone, it shows all again.
            (MIDDLE | RIGHT, _) if is(Code::Esc) && !self.running && !self.panes.is_zoomed() => {
                LEFT
            }
            _ => return reply,
        };
        if matches!(reply, Reply::Ignored) {
            self.panes.focus = next;
            self.rest_focused_form();
            return Reply::Handled;
        }
        reply
    }

    /// Tab goes from field to field, and after the last to the next pane.
    fn step_focus(&mut self, step: Step, state: &State) -> Reply {
        if self.panes.focus == MIDDLE && self.request.focused_form().is_typing() {
            let reply = self.request.focused_form_mut().step_field(step, state);
            if !matches!(reply, Reply::Ignored) {
                return reply;
            }
        }
        match step {
            Step::Previous => self.focus_previous(state),
            Step::Next => self.focus_next(state),
        }
        self.rest_focused_form();
        Reply::Handled
    }

    fn focus_next(&mut self, state: &State) {
        let has_calls = state.invoke.calls.iter().len() > 0;
        match (self.panes.focus, self.tools.part) {
            (LEFT, Part::Tools) if has_calls => self.tools.part = Part::Calls,
            (MIDDLE, _) if self.request.step_part(Step::Next, state) => {}
            _ => {
                self.panes.next();
                self.tools.part = Part::Tools;
            }
        }
    }

    fn focus_previous(&mut self, state: &State) {
        let has_calls = state.invoke.calls.iter().len() > 0;
        match (self.panes.focus, self.tools.part) {
            (LEFT, Part::Calls) => self.tools.part = Part::Tools,
            (MIDDLE, _) if self.request.step_part(Step::Previous, state) => {}
            _ => {
                self.panes.previous();
                self.tools.part =
                    if self.panes.focus == LEFT && has_calls { Part::Calls } else { Part::Tools };
            }
        }
    }

    /// A form that the keys come to waits for `Enter`.
    fn rest_focused_form(&mut self) {
        if self.panes.focus == MIDDLE {
            self.request.focused_form_mut().rest();
        }
    }

    /// Where only one pane fits, a call that was sent is watched.
    fn follow_sent_call(&mut self, reply: Reply) -> Reply {
        let sends = |message: &Message| matches!(message, Message::Call(call) if call.sends());
        let is_sent = matches!(&reply, Reply::Send(messages) if messages.iter().any(sends));
        if is_sent {
            self.request.focused_form_mut().rest();
        }
        if self.narrow && is_sent {
            self.panes.focus = RIGHT;
        }
        reply
    }

    fn open_find(&mut self, _: &State) -> Reply {
        match self.panes.focus {
            LEFT => self.tools.open_filter(),
            MIDDLE => return Reply::Refused("find works in the tools and in the answer".into()),
            _ => self.answer.open_find(),
        }
        Reply::Handled
    }

    fn form_refusal(&self, id: ActionId) -> Option<String> {
        self.request.focused_form().refusal(id, "there is no form")
    }

    /// While a call runs, that Esc leaves the text first is worth knowing.
    fn form_keys(&self) -> Vec<(&'static str, &'static str)> {
        let mut keys = self.request.focused_form().keys();
        if self.running
            && self.request.focused_form().is_typing()
            && !keys.iter().any(|(key, _)| *key == "Esc")
        {
            keys = vec![("Esc", "leave text")];
        }
        keys
    }

    fn cancel(&mut self, state: &State) -> Reply {
        match state.invoke.calls.selected_call() {
            Some(call) if call.outcome().is_none() => {
                Reply::send(Message::Call(CallMessage::Cancel(call.id)))
            }
            _ if self.answer.shows_strays() => {
                self.answer.turn_strays();
                Reply::Handled
            }
            _ => Reply::Handled,
        }
    }

    fn open_copy_menu(&self, state: &State) -> Reply {
        let Some(call) = state.invoke.calls.selected_call() else {
            return copy_request(state);
        };
        let mut copies = requests_of_call(state, call);
        let mut add = |what, text: String| copies.insert(0, copy::Copied { what, text });
        if let Some(frame) = self.answer.selected_frame(call) {
            add("frame under the cursor", frame);
        }
        if let Some((at, value)) = self.answer.selected_value() {
            add("path of the value", at.to_string());
            add("value under the cursor", value);
        }
        if !call.text.is_empty() {
            add("answer", call.text.whole().into_owned());
        }
        copy_menu(copies, rendered_request(state, &call.request))
    }
}

impl Screen for Invoke {
    fn sync_state(&mut self, state: &State) {
        if self.tools.sync_state(state) == Listed::First {
            self.panes.focus = LEFT;
        }
        self.request.sync_state(state);
        if self.request.reach_step(state) {
            self.panes.focus = MIDDLE;
        }
        if let Some(part) = parts::new_goal(state, self.request.tool(), &mut self.reached) {
            self.request.show_part(part);
            self.panes.focus = MIDDLE;
        }
        self.answer.sync_call(state.invoke.calls.selected_call());
        self.running =
            state.invoke.calls.selected_call().is_some_and(|call| call.outcome().is_none());
        self.can_list = has_only_deployed(state);
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        self.drawn = self.request.tool().cloned();
        self.narrow = area.width < SIDE_BY_SIDE;
        let left = if area.width >= 160 { 34 } else { 24 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        let focus = self.panes.focus;
        let next = mock::next_call_note(state);
        self.tools.draw(buffer, areas[LEFT], look, state, focus == LEFT);
        self.request.draw(buffer, areas[MIDDLE], look, state, focus == MIDDLE);
        match state.invoke.calls.selected_call() {
            Some(call) => {
                let whose = if state.selected.as_ref() == Some(&call.request.tool) {
                    "Answer".to_owned()
                } else {
                    format!("Answer of {}", call.request.name)
                };
                let note = &*mock::call_note(state, call);
                let (now, focused) = (Some(state.now), focus == RIGHT);
                let shown = ShownAnswer { call, whose: &whose, note, now, is_over: false, focused };
                self.answer.draw(buffer, areas[RIGHT], look, &shown);
            }
            None => {
                let pane = Pane {
                    title: "Answer",
                    note: next,
                    focused: focus == RIGHT,
                    ..Pane::default()
                };
                let inside = pane.draw(buffer, areas[RIGHT], look.styles);
                draw_welcome(buffer, inset_area(inside), look, !next.is_empty());
            }
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        let mut scopes = match self.panes.focus {
            LEFT if self.tools.part == Part::Calls => {
                vec![Scope::Calls, Scope::Invoke, Scope::Answer]
            }
            LEFT => vec![Scope::Invoke, Scope::Answer],
            MIDDLE if self.request.is_in_steps() => {
                vec![Scope::Steps, Scope::Invoke, Scope::Answer]
            }
            MIDDLE if self.can_list => vec![Scope::Invoke, Scope::Answer],
            MIDDLE => vec![Scope::Form, Scope::Invoke, Scope::Answer],
            _ => vec![Scope::Answer, Scope::Calls, Scope::Invoke],
        };
        scopes.push(Scope::AskModel);
        scopes
    }

    fn on_enter(&mut self, state: &State) {
        // Whoever comes with another tool means its arguments, wherever the keys were left; so does
        // a live step that waits for them.
        if self.drawn.as_ref() != self.request.tool() || state.workflow.fill_first.is_some() {
            self.panes.focus = MIDDLE;
        }
        self.rest_focused_form();
    }

    fn is_typing(&self) -> bool {
        match self.panes.focus {
            LEFT => self.tools.is_typing(),
            MIDDLE => self.request.focused_form().is_typing(),
            _ => self.answer.is_finding(),
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        if let Input::Mouse(mouse) = input {
            let Some(pane) = self.panes.handle_mouse(*mouse) else { return Reply::Handled };
            let moved = matches!(mouse.kind, MouseKind::Down(_) | MouseKind::Wheel(_));
            return if moved { self.pass_on(pane, input, state) } else { Reply::Handled };
        }
        self.pass_on(self.panes.focus, input, state)
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        let mut reply = action_rows::run_action(ACTIONS, self, id, state)
            .or_else(|| {
                let pane = &mut self.request;
                let reply = action_rows::run_action(step_actions::ACTIONS, pane, id, state)
                    .or_else(|| action_rows::run_action(mock_actions::ACTIONS, pane, id, state))?;
                Some(self.follow_sent_call(reply))
            })
            .unwrap_or_default();
        if matches!(reply, Reply::Ignored) {
            let screen: &mut dyn ShowsAnswer = self;
            reply =
                action_rows::run_action(actions::ACTIONS, screen, id, state).unwrap_or_default();
        }
        match reply {
            Reply::Ignored if id == FIELD_HELP && self.form_refusal(id).is_some() => {
                describe_tool(state)
            }
            Reply::Ignored => self.request.focused_form_mut().act(id, state),
            reply => reply,
        }
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        let screen: &dyn ShowsAnswer = self;
        action_rows::refusal_reason(ACTIONS, self, id, state)
            .or_else(|| {
                let pane = &self.request;
                action_rows::refusal_reason(step_actions::ACTIONS, pane, id, state)
                    .or_else(|| action_rows::refusal_reason(mock_actions::ACTIONS, pane, id, state))
            })
            .or_else(|| action_rows::refusal_reason(actions::ACTIONS, screen, id, state))
            .or_else(|| self.form_refusal(id).filter(|_| id != FIELD_HELP))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.panes.focus {
            _ if self.can_list => vec![("Enter", "list tools")],
            MIDDLE => self.form_keys(),
            LEFT if self.tools.is_typing() => {
                vec![("↑↓", "choose"), ("Enter", "select"), ("Esc", "all")]
            }
            RIGHT if self.answer.is_finding() => {
                vec![("Enter", "next"), ("↑", "previous"), ("Esc", "done")]
            }
            LEFT if self.tools.part == Part::Tools => vec![("Enter", "arguments")],
            LEFT => vec![("Enter", "answer")],
            _ => Vec::new(),
        }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        Some((self.primary_action(), self.panes.area(MIDDLE)))
    }

    fn pressed_actions(&self) -> Vec<(Rect, ActionId)> {
        self.request.pressed.clone()
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.panes)
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        let mut hints = vec![self.primary_action()];
        let shown = state.invoke.calls.selected_call();
        let is_unanswered = send_refusal(state).is_some() || shown.is_some_and(Call::found_nobody);
        hints.extend(is_unanswered.then_some("mock-tool"));
        match self.panes.focus {
            MIDDLE if self.request.is_in_steps() => hints.extend(step_actions::HINTS),
            MIDDLE => hints.extend(self.request.focused_form().hints()),
            RIGHT => {
                let call = state.invoke.calls.selected_call();
                let is_frame = call.is_some_and(|call| self.answer.selected_frame(call).is_some());
                hints.extend(["parts", "next-answer-view", "follow", "find"]);
                hints.extend(is_frame.then_some("edit-sent"));
            }
            _ => hints.extend(["find", "deployed-tools"]),
        }
        hints.extend([
            "variables",
            "resend",
            "keep-case",
            "keep-stub",
            "copy-as",
            "strays",
            "cases",
        ]);
        // In the form Tab goes from field to field first.
        hints.extend((self.panes.focus != MIDDLE).then_some("next-pane"));
        hints
    }

    fn shown_form(&self) -> Option<&Form> {
        self.request.focused_form().shown_form()
    }

    fn form_names(&self) -> Vec<(&'static str, bool)> {
        self.request.form_names()
    }

    fn ask_form(&mut self, ask: &mut dyn FnMut(&mut Form) -> FormReply, state: &State) -> Reply {
        self.request.focused_form_mut().ask(state, ask)
    }

    fn point_at(&mut self, target: &Target, state: &State) -> bool {
        self.panes.focus = MIDDLE;
        matches!(target, Target::Form(name) if self.request.point_at_form(name, state))
    }

    fn detail_lines(&self, state: &State) -> Vec<String> {
        self.request.detail_lines(state)
    }
}

impl ShowsAnswer for Invoke {
    fn answer(&mut self) -> &mut Answer {
        &mut self.answer
    }

    fn shown_answer(&self) -> &Answer {
        &self.answer
    }

    fn shown_call<'s>(&self, state: &'s State) -> Option<&'s Call> {
        state.invoke.calls.selected_call()
    }

    fn reveal_answer(&mut self) -> bool {
        self.panes.reveal(RIGHT)
    }
}

/// What its actions do, and why they can't be done.
impl Invoke {
    /// Takes back what was typed into a form, or makes it again; `Ignored` where that is
    /// none of what was done last.
    fn step_typed(
        &mut self,
        state: &State,
        is_possible: fn(&EditedText) -> bool,
        message: fn(CallText) -> CallMessage,
    ) -> Reply {
        let text = self.request.typed_text().filter(|_| self.panes.focus == MIDDLE);
        match text.filter(|text| state.invoke.texts.get(text).is_some_and(is_possible)) {
            Some(text) => Reply::send(Message::Call(message(text))),
            None => Reply::Ignored,
        }
    }

    fn send(&mut self, state: &State) -> Reply {
        let reply = self.request.send(state);
        // What keeps it from being sent is filled in.
        if self.request.is_warned() {
            self.panes.focus = MIDDLE;
        }
        self.follow_sent_call(reply)
    }

    fn edit_sent(&mut self, state: &State) -> Reply {
        let call = state.invoke.calls.selected_call();
        let is_frame = call.is_some_and(|call| {
            call.request.to == FRAMES
                || self.panes.focus == RIGHT && self.answer.selected_frame(call).is_some()
        });
        if is_frame { self.edit_frame(state) } else { edit_arguments(state) }
    }

    fn edit_frame(&mut self, state: &State) -> Reply {
        let call = state.invoke.calls.selected_call();
        let seen = call.and_then(|call| self.answer.chosen_frame(call));
        edit_frame(&frame_connection(state), seen)
    }

    fn primary_action(&self) -> ActionId {
        match self.running {
            true => "cancel",
            false if self.can_list => "deployed-tools",
            false => "send",
        }
    }

    fn list_deployed(&mut self, _: &State) -> Reply {
        self.panes.focus = LEFT;
        self.tools.part = Part::Tools;
        Reply::send(Message::Connection(ConnectionMessage::ListDeployed))
    }

    fn cancel_refusal(&self, state: &State) -> Option<String> {
        let shown = state.invoke.calls.selected_call();
        let has_ended = shown.is_none_or(|call| call.outcome().is_some());
        refuse_when(has_ended && !self.answer.shows_strays(), "no call is running")
    }

    fn resend(&mut self, state: &State) -> Reply {
        let shown = state.invoke.calls.selected_call();
        let reply = shown.map_or(Reply::Handled, |call| {
            Reply::send(Message::Call(CallMessage::Resend(call.id)))
        });
        self.follow_sent_call(reply)
    }
}

fn with_tool(state: &State, act: impl FnOnce(EntryId) -> Reply) -> Reply {
    tool_of(state).map_or(Reply::Handled, act)
}
