//! The panes of Invoke, and what is done in them.

use super::{
    menus::{self, copy_request, edit_arguments, frame_connection},
    refusals::no_call,
    request::RequestPane,
    step_actions::step_menu,
    tools::{Part, Tools, tool_of},
};
use crate::{
    app::{
        actions::ActionId,
        calls::{CallMessage, CallText},
        edited_text::EditedText,
        input::{Code, Input},
        message::Message,
        state::State,
    },
    model::{call::Call, entry::EntryId, traffic::FRAMES},
    ui::{
        answer::pane::Answer,
        copy_menu::{self, ShownCopies},
        frames::edit_frame,
        view::Reply,
        widgets::panes::{Panes, Step},
    },
};

/// The panes, from left to right.
pub(super) const NAMES: [&str; 3] = ["Tools", "Request", "Answer"];
pub(super) const LEFT: usize = 0;
pub(super) const MIDDLE: usize = 1;
pub(super) const RIGHT: usize = 2;
/// Of a field that has no description it is that of the tool.
pub(super) const FIELD_HELP: ActionId = "field-help";

#[derive(Default)]
pub(crate) struct Invoke {
    pub(super) panes: Panes,
    pub(super) tools: Tools,
    pub(super) request: RequestPane,
    pub(super) answer: Answer,
    /// Only one pane fits.
    pub(super) narrow: bool,
    /// The last form that was gone to.
    pub(super) reached: u64,
    /// How often a test was shown that nobody selected, as last seen.
    pub(super) tested: u64,
    /// The tool that was drawn last.
    pub(super) drawn: Option<EntryId>,
    /// The call that is shown has not ended.
    pub(super) running: bool,
    /// No tool is here, but the connection's system may have some.
    pub(super) can_list: bool,
}

impl Invoke {
    pub(super) fn pass_on(&mut self, pane: usize, input: &Input, state: &State) -> Reply {
        let lists = self.can_list || pane == LEFT && self.tools.part == Part::Unlisted;
        if lists && matches!(input, Input::Key(key) if key.is_plain(Code::Enter)) {
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
            (RIGHT, _) if is(Code::Esc) && self.answer.shows_strays() => {
                if matches!(reply, Reply::Ignored) {
                    self.answer.turn_strays();
                }
                return Reply::Handled;
            }
            // Where one pane is shown alone, Esc shows all again.
            (MIDDLE | RIGHT, _) if is(Code::Esc) && !self.panes.is_zoomed() => LEFT,
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
    pub(super) fn step_focus(&mut self, step: Step, state: &State) -> Reply {
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

    pub(super) fn focus_next(&mut self, state: &State) {
        let has_calls = state.invoke.calls.iter().len() > 0;
        match (self.panes.focus, self.tools.part) {
            (LEFT, Part::Tools | Part::Unlisted) if has_calls => self.tools.part = Part::Calls,
            (MIDDLE, _) if self.request.step_part(Step::Next, state) => {}
            _ => {
                self.panes.next();
                self.tools.part = Part::Tools;
            }
        }
    }

    pub(super) fn focus_previous(&mut self, state: &State) {
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
    pub(super) fn rest_focused_form(&mut self) {
        if self.panes.focus == MIDDLE {
            self.request.focused_form_mut().rest();
        }
    }

    /// Where only one pane fits, a call that was sent is watched.
    pub(super) fn follow_sent_call(&mut self, reply: Reply) -> Reply {
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

    pub(super) fn open_find(&mut self, state: &State) -> Reply {
        match self.panes.focus {
            LEFT => self.tools.open_find(),
            MIDDLE => return Reply::Refused("find works in the tools and in the answer".into()),
            _ => self.answer.open_find(state.invoke.calls.selected_call()),
        }
        Reply::Handled
    }

    pub(super) fn form_refusal(&self, id: ActionId) -> Option<String> {
        self.request.focused_form().refusal(id, "there is no form")
    }

    pub(super) fn open_copy_menu(&self, state: &State) -> Reply {
        let Some(call) = state.invoke.calls.selected_call() else {
            return copy_request(state);
        };
        let shown = ShownCopies { call, answer: &self.answer, trace: None, has_request: true };
        copy_menu::of_call(state, &shown)
    }
}

/// What its actions do, and why they can't be done.
impl Invoke {
    /// Takes back what was typed into a form, or makes it again; `Ignored` where that is
    /// none of what was done last.
    pub(super) fn step_typed(
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

    pub(super) fn send(&mut self, state: &State) -> Reply {
        let reply = self.request.send(state);
        // What keeps it from being sent is filled in.
        if self.request.is_warned() {
            self.panes.focus = MIDDLE;
        }
        self.follow_sent_call(reply)
    }

    pub(super) fn edit_sent(&mut self, state: &State) -> Reply {
        let call = state.invoke.calls.selected_call();
        let is_frame = call.is_some_and(|call| {
            call.request.to == FRAMES
                || self.panes.focus == RIGHT && self.answer.selected_frame(call).is_some()
        });
        if is_frame { self.edit_frame(state) } else { edit_arguments(state) }
    }

    pub(super) fn edit_frame(&mut self, state: &State) -> Reply {
        let call = state.invoke.calls.selected_call();
        let seen = call.and_then(|call| self.answer.chosen_frame(call));
        edit_frame(&frame_connection(state), seen)
    }

    pub(super) fn primary_action(&self) -> ActionId {
        match self.running {
            true => "cancel",
            false if self.can_list => "deployed-tools",
            false => "send",
        }
    }

    pub(super) fn list_deployed(&mut self, state: &State) -> Reply {
        self.panes.focus = LEFT;
        self.tools.part = Part::Tools;
        menus::list_deployed(state)
    }

    /// Edits the arguments as JSON, or in their form again.
    pub(super) fn switch_json(&mut self, state: &State) -> Reply {
        self.panes.focus = MIDDLE;
        self.request.switch_json(state)
    }

    /// The shown call beside the calls and the answer; at a tool and its form, a call of that tool.
    fn call_to_resend<'s>(&self, state: &'s State) -> Option<&'s Call> {
        let calls = &state.invoke.calls;
        let shown = calls.selected_call();
        let is_at_tool = match self.panes.focus {
            LEFT => self.tools.part == Part::Tools,
            focus => focus == MIDDLE,
        };
        match tool_of(state).filter(|_| is_at_tool) {
            Some(tool) => {
                shown.filter(|call| call.request.tool == tool).or_else(|| calls.latest_of(&tool))
            }
            None => shown,
        }
    }

    pub(super) fn resend_refusal(&self, state: &State) -> Option<String> {
        no_call(state).or_else(|| {
            let tool = tool_of(state).filter(|_| self.call_to_resend(state).is_none());
            let name = tool.and_then(|id| state.tool(&id).map(|tool| tool.name.clone()));
            name.map(|name| format!("{name} has no call in this session to send again"))
        })
    }

    pub(super) fn resend(&mut self, state: &State) -> Reply {
        let reply = self.call_to_resend(state).map_or(Reply::Handled, |call| {
            Reply::send(Message::Call(CallMessage::Resend(call.id)))
        });
        self.follow_sent_call(reply)
    }
}

pub(super) fn with_tool(state: &State, act: impl FnOnce(EntryId) -> Reply) -> Reply {
    tool_of(state).map_or(Reply::Handled, act)
}
