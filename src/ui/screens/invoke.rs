//! Invoke: choose a tool, fill in its arguments, see the request, send it, watch the answer come.
//!
//! | file | pane |
//! | --- | --- |
//! | [`tools`], [`call_line`] | left: tools, and the calls of this session |
//! | [`deployed`] | among and below the tools: what running systems have |
//! | [`request`], [`preview`] | middle: configuration, arguments; the request as it will be sent |
//! | [`arguments_view`] | the arguments as JSON or in their form, with or without secrets |
//! | [`meta`] | below the arguments: what is said beside them, in `_meta` |
//! | [`mock`], [`mock_actions`] | in the place of the request: how a mock answers |
//! | [`parts`] | what each of the forms edits |
//! | `ui/answer` | right: the answer |
//! | [`steps`], [`step_actions`] | the steps of a request that are run here, and what is done with them |
//! | [`screen`], [`call_actions`] | its panes together, and what can be done in them |
//! | [`sending`] | sending what is typed |
//! | [`variables`] | what the variables are that a request names, and the names that are offered |
//! | [`refusals`], [`warned`] | why something can't be done now, what is wrong with what is sent |
//! | [`menus`] | its route, how often, as what it is copied |

mod arguments_view;
pub(crate) mod call_actions;
mod call_line;
mod deployed;
mod menus;
mod meta;
mod mock;
pub(crate) mod mock_actions;
mod parts;
mod preview;
mod refusals;
mod request;
mod request_line;
mod screen;
mod sending;
pub(crate) mod step_actions;
mod steps;
mod tools;
mod variables;
mod warned;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

pub(crate) use self::tools::tool_of;
use self::{
    menus::describe_tool,
    refusals::{has_only_deployed, send_refusal},
    screen::{FIELD_HELP, Invoke, LEFT, MIDDLE, NAMES, RIGHT},
    tools::{Listed, Part},
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        input::{Input, MouseKind},
        moved::MovedEntries,
        state::State,
    },
    model::call::Call,
    ui::{
        action_rows::{self},
        answer::{
            actions::{self, ShowsAnswer},
            draw::{ShownAnswer, draw_welcome},
            pane::Answer,
        },
        canvas::inset_area,
        form::view::{Form, FormReply},
        view::{Look, Reply, Screen, Target},
        widgets::{
            find_line::{FIND_KEYS, TEXT_KEYS},
            pane::Pane,
            panes::{Panes, SIDE_BY_SIDE},
        },
    },
};

/// The screen as it is at the start.
#[must_use]
pub(crate) fn invoke_screen() -> Box<dyn Screen> {
    let mut screen = Invoke::default();
    screen.panes.focus = MIDDLE;
    Box::new(screen)
}

impl Screen for Invoke {
    fn follow_moved(&mut self, moved: &MovedEntries) {
        self.request.follow_moved(moved);
        moved.follow_one(&mut self.drawn);
    }

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
        // Where only one pane fits, the answer to a test is what was asked for.
        if self.tested != state.invoke.cases.shown_turn {
            self.tested = state.invoke.cases.shown_turn;
            self.panes.focus = if self.narrow { RIGHT } else { self.panes.focus };
        }
        let call = state.invoke.calls.selected_call();
        self.answer.sync_call(call);
        self.answer.sync_queries(&state.invoke.queries, call);
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
                let is_own = state.selected.as_ref() == Some(&call.request.tool);
                let whose = match &call.case {
                    Some(case) => format!("Test {case}"),
                    None if is_own => "Answer".to_owned(),
                    None => format!("Answer of {}", call.request.name),
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
        match self.panes.focus {
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
        }
    }

    fn on_enter(&mut self, state: &State) {
        // Whoever comes with another tool means its arguments, wherever the keys were left; so does
        // a live step that waits for them.
        if self.drawn.as_ref() != self.request.tool() || state.workflow.fill_first.is_some() {
            self.panes.focus = MIDDLE;
        }
        // Whoever comes with a call that has begun means its answer.
        let call = state.invoke.calls.selected_call().filter(|call| call.outcome().is_none());
        if call.is_some_and(|call| self.request.tool() == Some(&call.request.tool)) {
            self.panes.focus = RIGHT;
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
            if mouse.is_held() {
                // What a pane holds goes along with the mouse, wherever that goes.
                return match self.panes.focus {
                    MIDDLE => self.request.focused_form_mut().input(input, state),
                    pane => self.pass_on(pane, input, state),
                };
            }
            let Some(pane) = self.panes.handle_mouse(*mouse) else { return Reply::Handled };
            let moved = matches!(mouse.kind, MouseKind::Down(_) | MouseKind::Wheel(_));
            return if moved { self.pass_on(pane, input, state) } else { Reply::Handled };
        }
        self.pass_on(self.panes.focus, input, state)
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        let mut reply = action_rows::run_action(call_actions::ACTIONS, self, id, state)
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
        action_rows::refusal_reason(call_actions::ACTIONS, self, id, state)
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
            MIDDLE => self.request.focused_form().keys(),
            LEFT if self.tools.is_typing() => FIND_KEYS.to_vec(),
            RIGHT if self.answer.is_finding() => TEXT_KEYS.to_vec(),
            LEFT if self.tools.is_narrowed() => vec![("Enter", "arguments"), ("Esc", "all tools")],
            LEFT if self.tools.part == Part::Tools => vec![("Enter", "arguments")],
            LEFT if self.tools.part == Part::Unlisted => vec![("Enter", "list tools")],
            LEFT => vec![("Enter", "answer")],
            _ => Vec::new(),
        }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        Some((self.primary_action(), self.panes.area(MIDDLE)))
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
                hints.push("query-answer");
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
