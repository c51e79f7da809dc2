//! Invoke: choose a tool, fill in its arguments, see the request, send it, watch the answer come.
//!
//! | file | pane |
//! | --- | --- |
//! | [`tools`] | left: tools, and the calls of this session |
//! | [`request`], [`preview`] | middle: configuration, arguments; the request as it will be sent |
//! | `ui/answer` | right: the answer |
//! | [`copy`] | a call as a command |

mod copy;
mod preview;
mod request;
mod tools;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{
    request::RequestPane,
    tools::{Part, Tools, tool_of},
};
use crate::{
    app::{
        actions::{Act, Scope},
        answering::AnsweringMessage,
        batch::Batch,
        calls::CallMessage,
        input::{Code, Input, Mouse, MouseKind},
        message::{Message, ScreenId},
        state::State,
    },
    engine::series,
    model::{
        call::{Call, Request},
        connection::Connection,
        entry::EntryId,
    },
    schema::literal::Literal,
    systems::{
        agents, by_hand, calling,
        facets::{caller::CallingAgent, calls::RouteOffer},
        table,
    },
    ui::{
        answer::{
            draw::{Shown, draw_welcome, inset_area},
            pane::Answer,
        },
        cases,
        overlays::{
            menu::{Item, Menu},
            prompt::Prompt,
        },
        stubs,
        view::{Look, OverlayReply, Reply, Screen},
        widgets::{
            pane::Pane,
            panes::{Panes, SIDE_BY_SIDE},
        },
    },
};

/// Why what needs a definition can't be done with a tool that was listed of a running system.
const ONLY_DEPLOYED: &str = "no file of this workspace defines this tool: it is deployed";

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Tools", "Request", "Answer"];
const LEFT: usize = 0;
const MIDDLE: usize = 1;
const RIGHT: usize = 2;

#[derive(Default)]
pub(crate) struct Invoke {
    panes: Panes,
    tools: Tools,
    request: RequestPane,
    answer: Answer,
    /// Only one pane fits.
    narrow: bool,
    /// The call that is shown has not ended.
    running: bool,
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
        let reply = match pane {
            LEFT => self.tools.handle_input(input, state),
            MIDDLE => self.request.handle_input(input, state),
            _ => self.answer.handle_input(input, state.invoke.calls.selected_call()),
        };
        let is = |code| matches!(input, Input::Key(key) if key.is_plain(code));
        let next = match (pane, self.tools.part) {
            (LEFT, Part::Tools) if is(Code::Enter) => MIDDLE,
            (LEFT, Part::Calls) if is(Code::Enter) => RIGHT,
            // While a call runs, Esc stops it.
            (MIDDLE | RIGHT, _) if is(Code::Esc) && !self.running => LEFT,
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
    fn step_focus(&mut self, act: Act, state: &State) -> Reply {
        if self.panes.focus == MIDDLE {
            let reply = self.request.focused_form_mut().step_field(act, state);
            if !matches!(reply, Reply::Ignored) {
                return reply;
            }
        }
        match act {
            Act::PreviousPane => self.focus_previous(state),
            _ => self.focus_next(state),
        }
        self.rest_focused_form();
        Reply::Handled
    }

    fn focus_next(&mut self, state: &State) {
        let has_calls = state.invoke.calls.iter().len() > 0;
        match (self.panes.focus, self.tools.part) {
            (LEFT, Part::Tools) if has_calls => self.tools.part = Part::Calls,
            (MIDDLE, _) if self.request.step_part(false) => {}
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
            (MIDDLE, _) if self.request.step_part(true) => {}
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
        let sends = |message: &Message| {
            matches!(
                message,
                Message::Call(CallMessage::Send { .. }) | Message::Call(CallMessage::Resend(_))
            )
        };
        if self.narrow && matches!(&reply, Reply::Send(messages) if messages.iter().any(sends)) {
            self.panes.focus = RIGHT;
        }
        reply
    }

    fn open_find(&mut self) -> Reply {
        match self.panes.focus {
            LEFT => self.tools.open_filter(),
            MIDDLE => return Reply::Refused("find works in the tools and in the answer".into()),
            _ => self.answer.open_find(),
        }
        Reply::Handled
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
            return self.copy_request(state);
        };
        // Over what it was made, whatever is chosen now.
        let own = state.network.connections.find_by_name(&call.connection).cloned();
        let mut copies = requests_of(
            state,
            &call.request,
            &own.unwrap_or_else(|| state.connection_of(&call.request.tool)),
        );
        let mut add = |what, text: String| copies.insert(0, copy::Copied { what, text });
        if let Some((at, value)) = self.answer.selected_value() {
            add("path of the value", at.to_string());
            add("value under the cursor", value);
        }
        if !call.text.is_empty() {
            add("answer", call.text.clone());
        }
        copy_menu(copies)
    }

    fn copy_request(&self, state: &State) -> Reply {
        match tool_of(state).map(|tool| state.build_request(&tool)) {
            Some(Ok(request)) => {
                copy_menu(requests_of(state, &request, &state.connection_of(&request.tool)))
            }
            Some(Err(problem)) => Reply::Refused(problem.to_string()),
            None => Reply::Refused("choose a tool first".into()),
        }
    }
}

/// Begins to answer for the chosen tool; where that is done already, shows the calls that wait.
fn answer_by_hand(state: &State) -> Reply {
    match tool_of(state).filter(|tool| is_unanswered(state, tool)) {
        Some(tool) => Reply::send(Message::Answering(AnsweringMessage::Begin(tool))),
        None => Reply::send(Message::Show(ScreenId::Waiting)),
    }
}

/// Whether it could be answered for, and is not.
fn is_unanswered(state: &State, tool: &EntryId) -> bool {
    let name = state.tool(tool).map(|tool| tool.name.as_str());
    is_answerable(state) && name.is_some_and(|name| state.answering.stand_of(name).is_none())
}

/// Whether the chosen tool is of a system whose calls can be answered by hand.
fn is_answerable(state: &State) -> bool {
    let tool = tool_of(state).and_then(|id| state.tool(&id).cloned());
    tool.is_some_and(|tool| by_hand::is_possible(&tool)) && !routes_of(state).is_empty()
}

/// The ways that the chosen tool can be called by, and which is taken.
fn route_menu(state: &State) -> Reply {
    let offers = routes_of(state);
    let first =
        offers.iter().find(|offer| offer.closed.is_none()).map_or("none is open", |offer| offer.id);
    let item = |offer: &RouteOffer| Item {
        title: offer.id.to_owned(),
        detail: offer
            .closed
            .as_ref()
            .map_or_else(|| offer.title.to_owned(), |closed| format!("closed: {closed}")),
        ..Item::default()
    };
    let whatever = Item {
        title: "the best that is open".into(),
        detail: format!("now: {first}"),
        ..Item::default()
    };
    let items = std::iter::once(whatever).chain(offers.iter().map(item)).collect();
    let ids: Vec<&str> = offers.iter().map(|offer| offer.id).collect();
    let at = ids
        .iter()
        .position(|id| state.network.route.as_deref() == Some(id))
        .map_or(0, |row| row + 1);
    let choose = move |row: usize| {
        Reply::send(Message::Call(CallMessage::UseRoute(
            row.checked_sub(1).and_then(|row| Some((*ids.get(row)?).to_owned())),
        )))
    };
    Reply::Open(Box::new(Menu::with_replies("Calls take the route", items, choose).with_row(at)))
}

fn names_agent(state: &State) -> bool {
    let agent = tool_of(state).and_then(|tool| calling::calling_agent(&state.connection_of(&tool)));
    matches!(agent, Some(CallingAgent::Named(_)))
}

fn routes_of(state: &State) -> Vec<RouteOffer> {
    let tool = tool_of(state).and_then(|id| state.tool(&id).cloned());
    tool.map(|tool| calling::call_routes(&tool, &state.call_connection(tool.id())))
        .unwrap_or_default()
}

/// Asks how often, and says how it went last.
fn times_prompt(state: &State, tool: EntryId) -> Reply {
    let last = state
        .invoke
        .batch
        .as_ref()
        .map_or_else(String::new, |many| format!(" Last: {}.", many.series.summary()));
    let words = format!("How often the request is sent, and how many at once: 20 x 4.{last}");
    Reply::Open(Box::new(Prompt::new("Send n times", words, "20 x 4", move |text, _| {
        let (times, at_once) = series::parse_batch(text).ok_or_else(|| {
            format!("write 20, or 20 x 4: up to {} x {}", series::MOST, series::MOST_AT_ONCE)
        })?;
        Ok(Reply::send(Message::Call(CallMessage::SendMany { tool: tool.clone(), times, at_once })))
    })))
}

fn requests_of(state: &State, request: &Request, connection: &Connection) -> Vec<copy::Copied> {
    let subject = calling::queue_subject(request.system, &request.to, connection.transport()).ok();
    // Of a call that was made, not of what is typed now.
    let arguments = Literal::parse(&request.arguments)
        .unwrap_or_else(|_| state.written_arguments_of(&request.tool));
    copy::of_request(request, &arguments, subject.as_deref(), connection)
}

fn copy_menu(copies: Vec<copy::Copied>) -> Reply {
    let items = copies.iter().map(|copied| Item {
        title: copied.what.to_owned(),
        detail: preview::shorten_name(copied.text.lines().next().unwrap_or_default(), 60),
        ..Item::default()
    });
    let items = items.collect();
    Reply::Open(Box::new(Menu::new("Copy as", items, move |row| match copies.get(row) {
        Some(copied) => OverlayReply::CloseWith(Reply::send(Message::Copy {
            what: copied.what.to_owned(),
            text: copied.text.clone(),
        })),
        None => OverlayReply::Close,
    })))
}

impl Screen for Invoke {
    fn sync_state(&mut self, state: &State) {
        self.tools.sync_state(state);
        self.request.sync_state(state);
        self.answer.sync_call(state.invoke.calls.selected_call());
        self.running =
            state.invoke.calls.selected_call().is_some_and(|call| call.outcome().is_none());
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        self.narrow = area.width < SIDE_BY_SIDE;
        let left = if area.width >= 160 { 34 } else { 24 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        let focus = self.panes.focus;
        self.tools.draw(buffer, areas[LEFT], look, state, focus == LEFT);
        self.request.draw(buffer, areas[MIDDLE], look, state, focus == MIDDLE);
        match state.invoke.calls.selected_call() {
            Some(call) => {
                let elsewhere = state.selected.as_ref() != Some(&call.request.tool);
                let whose = if elsewhere {
                    format!("Answer of {}", call.request.name)
                } else {
                    "Answer".to_owned()
                };
                self.answer.draw(
                    buffer,
                    areas[RIGHT],
                    look,
                    &Shown { call, whose: &whose, focused: focus == RIGHT },
                );
            }
            None => {
                let pane = Pane { title: "Answer", focused: focus == RIGHT, ..Pane::default() };
                let inside = pane.draw(buffer, areas[RIGHT], look.styles);
                draw_welcome(buffer, inset_area(inside), look);
            }
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        match self.panes.focus {
            LEFT if self.tools.part == Part::Calls => {
                vec![Scope::Calls, Scope::Invoke, Scope::Answer]
            }
            LEFT => vec![Scope::Invoke, Scope::Answer],
            MIDDLE => vec![Scope::Form, Scope::Invoke, Scope::Answer],
            _ => vec![Scope::Answer, Scope::Invoke],
        }
    }

    fn on_enter(&mut self) {
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
        if let Input::Mouse(Mouse { kind, .. }) = input {
            let Input::Mouse(mouse) = input else { return Reply::Ignored };
            let Some(pane) = self.panes.handle_mouse(*mouse) else { return Reply::Handled };
            let moved = matches!(kind, MouseKind::Down(_) | MouseKind::Wheel(_));
            return if moved { self.pass_on(pane, input, state) } else { Reply::Handled };
        }
        self.pass_on(self.panes.focus, input, state)
    }

    fn handle_action(&mut self, act: Act, state: &State) -> Reply {
        match act {
            Act::NextPane | Act::PreviousPane => return self.step_focus(act, state),
            Act::Undo | Act::Redo => {
                let tool =
                    self.request.typed_tool().filter(|_| self.panes.focus == MIDDLE).cloned();
                let typed = tool.and_then(|tool| Some((state.invoke.arguments.get(&tool)?, tool)));
                return match typed {
                    Some((text, tool)) if act == Act::Undo && text.can_undo() => {
                        Reply::send(Message::Call(CallMessage::UndoArguments(tool)))
                    }
                    Some((text, tool)) if act == Act::Redo && text.can_redo() => {
                        Reply::send(Message::Call(CallMessage::RedoArguments(tool)))
                    }
                    _ => Reply::Ignored,
                };
            }
            Act::Find => return self.open_find(),
            Act::Send => {
                let reply = self.request.send(state);
                return self.follow_sent_call(reply);
            }
            Act::Route => return route_menu(state),
            Act::AnswerByHand => return answer_by_hand(state),
            Act::NewAgent => {
                return tool_of(state).map_or(Reply::Handled, |tool| {
                    Reply::send(Message::Call(CallMessage::TurnNewAgent { tool }))
                });
            }
            Act::DeployedTools => {
                self.panes.focus = LEFT;
                self.tools.part = Part::Tools;
                return Reply::send(Message::ListDeployed);
            }
            Act::CancelCall => return self.cancel(state),
            Act::Resend => {
                let reply = state.invoke.calls.selected_call().map_or(Reply::Handled, |call| {
                    Reply::send(Message::Call(CallMessage::Resend(call.id)))
                });
                return self.follow_sent_call(reply);
            }
            Act::CopyAs => return self.open_copy_menu(state),
            Act::Follow => self.answer.turn_follow(),
            Act::NextView => self.answer.next_view(state.invoke.calls.selected_call()),
            Act::Strays => self.answer.turn_strays(),
            Act::SendMany => {
                return tool_of(state).map_or(Reply::Handled, |tool| times_prompt(state, tool));
            }
            Act::EditSent => {
                let edit = |call: &Call| {
                    Message::Call(CallMessage::EditSent {
                        tool: call.request.name.clone(),
                        arguments: call.request.arguments.clone(),
                    })
                };
                return state
                    .invoke
                    .calls
                    .selected_call()
                    .map_or(Reply::Handled, |call| Reply::send(edit(call)));
            }
            Act::KeepCase => {
                return state
                    .invoke
                    .calls
                    .selected_call()
                    .map_or(Reply::Handled, |call| cases::save_case(call, state));
            }
            Act::KeepStub => {
                return state
                    .invoke
                    .calls
                    .selected_call()
                    .map_or(Reply::Handled, |call| stubs::save_stub_rule(call, state));
            }
            Act::Cases => return cases::case_menu(state),
            Act::EditDescriptor => {
                return Reply::Send(
                    tool_of(state)
                        .map(Message::Select)
                        .into_iter()
                        .chain([Message::Show(ScreenId::Tools)])
                        .collect(),
                );
            }
            _ if act.action().scope == Scope::Form => {
                return self.request.focused_form_mut().act(act, state);
            }
            _ => return Reply::Ignored,
        }
        Reply::Handled
    }

    fn refusal_reason(&self, act: Act, state: &State) -> Option<String> {
        let shown = state.invoke.calls.selected_call();
        let words = match act {
            Act::SendMany if state.invoke.batch.as_ref().is_some_and(Batch::under_way) => {
                "a series is under way; Esc stops it"
            }
            Act::Send | Act::SendMany => {
                return tool_of(state).map_or(Some("there is no tool".into()), |tool| {
                    state.build_request(&tool).err().map(|problem| problem.cause)
                });
            }
            Act::AnswerByHand if state.answering.is_idle() && !is_answerable(state) => {
                return Some(format!(
                    "only {}'s tools are answered for by hand",
                    by_hand::supported_systems()
                ));
            }
            Act::NewAgent if !names_agent(state) => {
                "the connection names no agent: a new one is made anyway"
            }
            Act::Route if routes_of(state).is_empty() => "this tool is called in one way only",
            Act::DeployedTools if table::deployment_at(&state.current_connection()).is_none() => {
                return Some(format!(
                    "connection \"{}\" leads to no system that lists its tools",
                    state.current_connection().name
                ));
            }
            Act::CancelCall
                if shown.is_none_or(|call| call.outcome().is_some())
                    && !self.answer.shows_strays() =>
            {
                "no call is running here"
            }
            Act::Resend | Act::EditSent | Act::Follow | Act::NextView if shown.is_none() => {
                "there is no call yet"
            }
            Act::EditSent | Act::KeepCase | Act::KeepStub
                if shown.is_some_and(|call| agents::is_at(&call.request.to)) =>
            {
                return Some(format!(
                    "this was asked of the agent; {} asks it anew",
                    Act::AskAgent.action().keys.join(", ")
                ));
            }
            Act::KeepCase | Act::KeepStub if shown.is_none_or(|call| call.outcome().is_none()) => {
                "no call has ended here"
            }
            Act::KeepCase
                if shown.is_some_and(|call| state.deployed_on(&call.request.tool).is_some()) =>
            {
                ONLY_DEPLOYED
            }
            Act::Strays if shown.is_none_or(|call| call.strays == 0) => "this call has no strays",
            Act::Follow if self.answer.is_following().is_none() => "this view has no end to follow",
            Act::EditDescriptor if tool_of(state).is_none() => "there is no tool",
            Act::EditDescriptor
                if tool_of(state).is_some_and(|tool| state.deployed_on(&tool).is_some()) =>
            {
                ONLY_DEPLOYED
            }
            _ if act.action().scope == Scope::Form => {
                return self.request.focused_form().refusal(act, "there is no form");
            }
            _ => return None,
        };
        Some(words.to_owned())
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.panes.focus {
            MIDDLE => self.form_keys(),
            LEFT if self.tools.is_typing() => {
                vec![("↑↓", "choose"), ("Enter", "take"), ("Esc", "all")]
            }
            RIGHT if self.answer.is_finding() => {
                vec![("Enter", "next"), ("Up", "before"), ("Esc", "done")]
            }
            LEFT if self.tools.part == Part::Tools => vec![("Enter", "arguments")],
            LEFT => vec![("Enter", "answer")],
            _ => Vec::new(),
        }
    }

    fn hinted_actions(&self, _: &State) -> Vec<Act> {
        let mut hints = if self.running { vec![Act::CancelCall] } else { vec![Act::Send] };
        match self.panes.focus {
            MIDDLE => hints.extend(self.request.focused_form().hints()),
            RIGHT => hints.extend([Act::NextView, Act::Follow, Act::Find]),
            _ => hints.extend([Act::Find, Act::DeployedTools]),
        }
        hints.extend([
            Act::Variables,
            Act::Resend,
            Act::KeepCase,
            Act::KeepStub,
            Act::CopyAs,
            Act::Strays,
            Act::Cases,
        ]);
        // In the form Tab goes from field to field first.
        hints.extend((self.panes.focus != MIDDLE).then_some(Act::NextPane));
        hints
    }
}
