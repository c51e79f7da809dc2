//! Model run: a model in front of the tools, as it goes: what it says, each call to decide, the
//! state that moves.
//!
//! | file | what |
//! | --- | --- |
//! | [`conversation`] | left: the run, row by row |
//! | this one | right: the arguments of the call that waits, else the row in full |
//! | [`rows`] | rows as lines |
//! | [`decide`] | what is asked about calls and ways back |

mod conversation;
pub(crate) mod decide;
pub(crate) mod rows;

use std::sync::Arc;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Rect},
};

use self::{
    conversation::{Conversation, foot_words},
    decide::{agent_reply, back_menu, decision_menu, mock_prompt, refuse_prompt, replay},
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        agent_run::{AgentMessage, ModelRun, WaitingCall, items::ItemKind},
        history::HistoryMessage,
        input::{Code, Input},
        message::{Message, ScreenId, TextTarget},
        notices::NoticeKind,
        state::State,
        verbs,
    },
    engine::agent_loop::{breakpoint::Breakpoint, decision::Decision},
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::table,
    ui::{
        action_rows::{self, refuse_when},
        ask_cases,
        canvas::{Pen, first_line, inset_area, wrap},
        cases,
        form::{
            host::{ValueOwner, written_in},
            panes::{FormPanes, LEFT, MIDDLE},
            view::{Form, FormReply},
        },
        overlays::{
            ask_model,
            menu::{Item, Menu},
        },
        styles::Role,
        view::{Look, Reply, Screen},
        widgets::{
            pane::{Pane, draw_foot},
            panes::{Panes, Step},
            reading::{self, ReadPosition},
        },
    },
};

type Row = action_rows::Row<ModelRunScreen>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::ModelRun, "approve-call", "approve", ModelRunScreen::approve)
        .keys(&[verbs::SEND])
        .help("Make the call that the model wants, with its arguments as they are in the form")
        .refused(|_, state| nothing_waits(state)),
    Row::new(Scope::ModelRun, "edit-call", "edit", |screen, _| {
        screen.is_reading = false;
        screen.middle.focus_form();
        Reply::Handled
    })
    .keys(&[verbs::EDIT])
    .help("Edit the arguments of the call; the model sees them as its own")
    .refused(|_, state| nothing_waits(state)),
    Row::new(Scope::ModelRun, "mock-call", "mock…", |_, state| {
        with_waiting(state, |_, call| Reply::Open(Box::new(mock_prompt(call))))
    })
    .keys(&[verbs::MOCK])
    .help("Answer the call within toolcrib, with an example or a text; nothing is sent")
    .refused(|_, state| nothing_waits(state).or_else(|| faulty(state))),
    Row::new(Scope::ModelRun, "refuse-call-of-model", "refuse…", |_, state| {
        with_waiting(state, |_, call| Reply::Open(Box::new(refuse_prompt(call))))
    })
    .help("Refuse the call; the model gets your reason")
    .refused(|_, state| nothing_waits(state)),
    Row::new(Scope::ModelRun, "approve-all", "always approve", |screen, state| {
        screen.approve_with(AgentMessage::ApproveAll, state)
    })
    .help("Approve this call and all others of this run that no breakpoint stops")
    .refused(|_, state| nothing_waits(state).or_else(|| faulty(state))),
    Row::new(Scope::ModelRun, "call-tool", "call the tool", |_, _| {
        decide::decision_reply(Decision::Call)
    })
    .help("In a recorded run: call the tool in the place of its recorded answer")
    .refused(|_, state| nothing_waits(state).or_else(|| faulty(state))),
    Row::new(Scope::ModelRun, "run-back", "back…", |screen, state| {
        with_run(state, |run| back_menu(run, screen.left.row, state))
    })
    .keys(&[verbs::BACK])
    .help(
        "Go on from an earlier place: ask again, with another message or result; the state goes \
        back too",
    )
    .refused(|_, state| no_run(state)),
    Row::new(Scope::ModelRun, "stop-run", "stop", |_, _| agent_reply(AgentMessage::Stop))
        .keys(&[verbs::STOP])
        .help("Stop the run while the model speaks or a tool is called")
        .refused(|_, state| refuse_when(!state.invoke.agent.is_moving(), "nothing moves now")),
    Row::new(Scope::ModelRun, "end-run", "end run", |_, _| agent_reply(AgentMessage::Stop))
        .help("End the run; you can go on from any place of it later")
        .refused(|_, state| refuse_when(!state.invoke.agent.is_under_way(), "the run is over")),
    Row::new(Scope::ModelRun, "break-here", "stop before…", |screen, state| {
        screen.breakpoint_menu(state)
    })
    .keys(&[verbs::TICK])
    .help("Stop before calls of this tool, in this state or after an error, or no longer")
    .refused(|_, state| no_run(state)),
    Row::new(Scope::ModelRun, "run-again", "ask again…", |_, state| {
        with_run(state, |run| ask_model::ask_again(state, run.setup.clone()))
    })
    .keys(&[verbs::AGAIN])
    .help("Ask a model the same question, or another one")
    .refused(|_, state| no_run(state).or_else(|| under_way(state))),
    Row::new(Scope::ModelRun, "run-replay", "replay", |_, state| with_run(state, replay))
        .keys(&[verbs::PAUSE])
        .help("Run it again without the model: what it said then, with the tools as they are now")
        .refused(|_, state| no_run(state).or_else(|| under_way(state))),
    Row::new(Scope::ModelRun, "run-follow", "follow", |screen, _| {
        screen.left.is_following = !screen.left.is_following;
        Reply::Handled
    })
    .keys(&[verbs::FOLLOW])
    .help("Follow what is new, or stay here")
    .refused(|_, state| no_run(state)),
    Row::new(Scope::ModelRun, "open-call", "open call", |screen, state| screen.open_call(state))
        .keys(&[verbs::OPEN])
        .help("Show the call of this result in History, with its times")
        .refused(|screen, state| {
            refuse_when(screen.call_id(state).is_none(), "choose a result of a call that was made")
        }),
    Row::new(Scope::ModelRun, "copy-model-run", "copy as…", |screen, state| {
        screen.copy_menu(state)
    })
    .keys(&[verbs::COPY_AS])
    .help("Copy this row, the answer or the whole run as text")
    .refused(|_, state| no_run(state)),
    Row::new(Scope::ModelRun, "keep-run-case", "keep as case", |_, state| {
        with_run(state, |run| ask_cases::save_run(&ask_model::trace_of(run)))
    })
    .keys(&[verbs::KEEP])
    .help("Save the question and what the model said as a test case")
    .refused(|_, state| no_run(state).or_else(|| under_way(state))),
    Row::new(Scope::ModelRun, "run-cases", "cases…", |_, state| {
        cases::list::cases_menu(None, state)
    })
    .keys(&[verbs::TEST])
    .help("Run the workspace's test cases, one or all; ask cases with their recorded runs"),
    Row::taking_over("next-pane", |screen, state| screen.middle.step(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.middle.step(Step::Previous, state)),
    Row::taking_over("undo", |screen, state| screen.step_typed(AgentMessage::Undo, state)),
    Row::taking_over("redo", |screen, state| screen.step_typed(AgentMessage::Redo, state)),
];

/// The panes, from left to right.
const NAMES: [&str; 2] = ["Run", "Call"];

/// Whose arguments a form has: the number of the call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CallNumber(u64);

impl ValueOwner for CallNumber {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        (TextTarget::ModelCall, at)
    }

    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, _: &State) -> Vec<Message> {
        vec![Message::Agent(AgentMessage::Edit(edits))]
    }
}

#[derive(Default)]
pub(crate) struct ModelRunScreen {
    left: Conversation,
    /// With a form for the call that waits.
    middle: FormPanes<CallNumber>,
    /// The row in full.
    detail: ReadPosition,
    /// The row that the detail is of.
    shown: usize,
    /// The row is read, although a call waits whose form could be there.
    is_reading: bool,
    /// What the button does: the main act now.
    button: Option<ActionId>,
}

fn run_of(state: &State) -> Option<&ModelRun> {
    state.invoke.agent.run.as_ref()
}

fn with_run(state: &State, reply: impl FnOnce(&ModelRun) -> Reply) -> Reply {
    run_of(state).map_or(Reply::Handled, reply)
}

fn with_waiting(state: &State, reply: impl FnOnce(&ModelRun, &WaitingCall) -> Reply) -> Reply {
    match run_of(state).and_then(|run| Some((run, run.waiting.as_ref()?))) {
        Some((run, call)) => reply(run, call),
        None => Reply::Handled,
    }
}

fn no_run(state: &State) -> Option<String> {
    refuse_when(run_of(state).is_none(), "no model was asked yet")
}

fn under_way(state: &State) -> Option<String> {
    refuse_when(state.invoke.agent.is_under_way(), "the run is under way")
}

fn nothing_waits(state: &State) -> Option<String> {
    refuse_when(state.invoke.agent.waiting_call().is_none(), "no call waits for a decision")
}

fn faulty(state: &State) -> Option<String> {
    let call = state.invoke.agent.waiting_call()?;
    let fault = call.planned.fault.as_ref().filter(|_| !call.is_edited())?;
    Some(fault.to_string())
}

impl ModelRunScreen {
    fn approve(&mut self, state: &State) -> Reply {
        self.approve_with(AgentMessage::Approve, state)
    }

    /// Approves what the form holds; what is wrong there is gone to first. Arguments of the model
    /// that nobody touched go as they are: what is wrong with them is reported to it.
    fn approve_with(&mut self, message: AgentMessage, state: &State) -> Reply {
        // What is typed and not yet taken in goes along.
        let mut messages = self.middle.forms.leave(state);
        let is_touched = !messages.is_empty()
            || state.invoke.agent.waiting_call().is_some_and(WaitingCall::is_edited);
        if is_touched && let Some(form) = self.middle.forms.shown_form_mut() {
            let unread = form.draft_issues().into_iter().next();
            match unread.or_else(|| self.middle.focus_issue()) {
                Some(words) if messages.is_empty() => return Reply::Refused(words),
                Some(words) => {
                    messages.push(Message::Notice(NoticeKind::Hint, words));
                    return Reply::Send(messages);
                }
                None => {}
            }
        }
        messages.push(Message::Agent(message));
        Reply::Send(messages)
    }

    fn step_typed(&mut self, message: AgentMessage, state: &State) -> Reply {
        match state.invoke.agent.waiting_call() {
            Some(_) => agent_reply(message),
            None => Reply::Refused("no call waits for a decision".into()),
        }
    }

    /// The call of the row's result, in the history.
    fn call_id(&self, state: &State) -> Option<crate::model::trace::TraceId> {
        match &run_of(state)?.items.all().get(self.left.row)?.kind {
            ItemKind::Result { trace, .. } => trace.clone(),
            ItemKind::End { .. } => run_of(state)?.end.as_ref()?.trace.clone(),
            _ => None,
        }
    }

    fn open_call(&self, state: &State) -> Reply {
        match self.call_id(state) {
            Some(id) => Reply::Send(vec![
                Message::Show(ScreenId::History),
                Message::History(HistoryMessage::Select(id)),
            ]),
            None => Reply::Handled,
        }
    }

    fn breakpoint_menu(&self, state: &State) -> Reply {
        let Some(run) = run_of(state) else { return Reply::Handled };
        let of_item = run.items.all().get(self.left.row).and_then(|item| match &item.kind {
            ItemKind::Call { tool, .. } | ItemKind::Result { tool, .. } => Some(tool.clone()),
            _ => None,
        });
        let waiting = run.waiting.as_ref().map(|call| call.planned.call.name.clone());
        let tool = of_item.or(waiting).map(Breakpoint::Tool);
        let mut rows: Vec<Breakpoint> = run.setup.breakpoints.clone();
        let more = [Breakpoint::State(run.state.clone()), Breakpoint::Error];
        for breakpoint in tool.into_iter().chain(more) {
            if !rows.contains(&breakpoint) {
                rows.push(breakpoint);
            }
        }
        let known = run.setup.breakpoints.len();
        let item = |(row, breakpoint): (usize, &Breakpoint)| Item {
            title: breakpoint.to_string(),
            note: if row < known { "on: Enter removes it".into() } else { String::new() },
            ..Item::default()
        };
        let items = rows.iter().enumerate().map(item).collect();
        Reply::Open(Box::new(Menu::with_replies("Stop before", items, move |row| {
            rows.get(row).map_or(Reply::Handled, |breakpoint| {
                agent_reply(AgentMessage::ToggleBreak(Box::new(breakpoint.clone())))
            })
        })))
    }

    fn copy_menu(&self, state: &State) -> Reply {
        let Some(run) = run_of(state) else { return Reply::Handled };
        let items = run.items.all();
        let row = items.get(self.left.row.min(items.len().saturating_sub(1)));
        let whole: Vec<String> = items.iter().map(rows::plain_text).collect();
        let request = row.and_then(|row| match &row.kind {
            ItemKind::Request { body, .. } if !body.is_empty() => Some(body.to_string()),
            _ => None,
        });
        let mut copies = vec![
            ("row", row.map(rows::plain_text).unwrap_or_default()),
            ("answer", run.answer().to_owned()),
            ("run", whole.join("\n")),
        ];
        copies.extend(request.map(|body| ("request body", body)));
        let item = |(what, text): &(&str, String)| Item {
            title: (*what).to_owned(),
            detail: first_line(text),
            ..Item::default()
        };
        let items = copies.iter().map(item).collect();
        Reply::Open(Box::new(Menu::with_replies("Copy as", items, move |row| {
            copies.get(row).map_or(Reply::Handled, |(what, text)| {
                Reply::send(Message::Copy { what: (*what).to_owned(), text: text.clone() })
            })
        })))
    }

    fn draw_left(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, state: &State) {
        let focused = self.middle.has_focus(LEFT);
        let styles = look.styles;
        let Some(run) = run_of(state) else {
            let pane = Pane { title: "Run", focused, ..Pane::default() };
            let inside = inset_area(pane.draw(buffer, area, styles));
            let ask = look.keymap.way_to("ask-model");
            let words = format!(
                "No model was asked yet. {ask} asks one with the tools that are available now; \
                nothing is sent before you choose it."
            );
            for (line, words) in (0_u16..).zip(wrap(&words, usize::from(inside.width))) {
                Pen::new(buffer, inside, line).put_text(&words, styles[Role::Ghost]);
            }
            return;
        };
        let title = match run.source_name() == run.model {
            true => run.model.clone(),
            false => format!("{} · {}", run.source_name(), run.model),
        };
        let (_, stage) = rows::stage_words(run);
        let pane = Pane { title: &title, note: &stage, focused, ..Pane::default() };
        let inside = inset_area(pane.draw(buffer, area, styles));
        self.left.draw(buffer, inside, styles, run, focused);
        let place = self.left.position_text().map(|place| format!(" · {place}"));
        let place = place.unwrap_or_default();
        // The button has its place at the left.
        let room = usize::from(area.width).saturating_sub(26 + place.len());
        draw_foot(&format!("{}{place}", foot_words(run, room)), buffer, area, styles);
    }

    fn draw_middle(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, state: &State) {
        let styles = look.styles;
        let focused = self.middle.has_focus(MIDDLE);
        let Some(run) = run_of(state) else {
            Pane { title: "Call", focused, ..Pane::default() }.draw(buffer, area, styles);
            return;
        };
        match &run.waiting {
            Some(call) if self.left.is_at_waiting(run) || focused && !self.is_reading => {
                self.draw_form(buffer, area, look, call, state);
            }
            _ => {
                let item = run.items.all().get(self.left.row);
                let title = item.map_or_else(|| "Call".to_owned(), rows::title_of);
                let pane = Pane { title: &title, focused, ..Pane::default() };
                let inside = inset_area(pane.draw(buffer, area, styles));
                let cells = usize::from(inside.width);
                let mut lines = item.map_or_else(Vec::new, |item| rows::full_lines(item, cells));
                if item.is_some_and(|item| matches!(item.kind, ItemKind::End { .. })) {
                    lines.push(Vec::new());
                    let totals = foot_words(run, usize::MAX);
                    let each = totals.split(" · ");
                    lines.extend(
                        each.flat_map(|part| reading::wrapped_lines(part, Role::Text, cells)),
                    );
                }
                self.detail.draw(buffer, inside, styles, &lines);
            }
        }
    }

    fn draw_form(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        call: &WaitingCall,
        state: &State,
    ) {
        let styles = look.styles;
        let focused = self.middle.has_focus(MIDDLE);
        let title = format!("Call of {}", call.planned.call.name);
        let foot = self.middle.forms.position();
        let pane = Pane { title: &title, foot: &foot, focused, ..Pane::default() };
        let inside = pane.draw(buffer, area, styles);
        let head = inset_area(inside);
        let tool = state.tool(&call.planned.tool);
        let next = tool.and_then(|tool| tool.gate.next.as_deref());
        let way = match next {
            Some(next) => format!("state {} → {next}", call.planned.state),
            None => format!("state {}", call.planned.state),
        };
        let mut lines = reading::wrapped_lines(&way, Role::State, usize::from(head.width));
        if let Some(fault) = call.planned.fault.as_ref().filter(|_| !call.is_edited()) {
            let cells = usize::from(head.width);
            lines.extend(reading::wrapped_lines(&fault.to_string(), Role::Error, cells));
        }
        let mut taken = 0;
        for (row, line) in (0..inside.height / 2).zip(&lines) {
            let mut pen = Pen::new(buffer, head, row);
            for (role, piece) in line {
                pen.put_text(piece, styles[*role]);
            }
            taken = row + 1;
        }
        let taken = (taken + 1).min(inside.height);
        let below = Rect { y: inside.y + taken, height: inside.height - taken, ..inside };
        self.middle.forms.draw(buffer, below, look, focused);
    }

    /// Brings the form in line with the call that waits.
    fn sync_form(&mut self, state: &State) {
        let waiting = state.invoke.agent.waiting_call();
        let had_form = self.middle.forms.owner().is_some();
        self.middle.forms.retain(|owner| waiting.is_some_and(|call| call.number == owner.0));
        let Some((call, tool)) =
            waiting.and_then(|call| Some((call, state.tool(&call.planned.tool)?)))
        else {
            self.middle.forms.hide();
            if had_form {
                // What comes of the decision is seen.
                self.middle.focus_list();
            }
            return;
        };
        let is_new = self.middle.forms.owner() != Some(&CallNumber(call.number));
        self.middle
            .forms
            .show(CallNumber(call.number), || Form::new(table::arguments_schema(tool)));
        self.middle.forms.sync_surroundings(state);
        if let Some(form) = self.middle.forms.outdated_form(call.arguments.revision()) {
            let (value, source) = (call.argument_value(), call.arguments.source());
            form.sync_written(&Arc::clone(&value), &written_in(Some(source), 0, &Pointer::root()));
            if is_new {
                // All that is wanted is seen at once.
                form.open_members();
            }
        }
        if is_new {
            self.left.is_following = true;
            self.middle.focus_list();
        }
    }
}

impl ModelRunScreen {
    /// Whether the call's form is what the keys go to beside the run.
    fn has_form(&self) -> bool {
        self.middle.forms.owner().is_some() && !self.is_reading
    }
}

impl Screen for ModelRunScreen {
    fn sync_state(&mut self, state: &State) {
        self.sync_form(state);
        if let Some(run) = run_of(state) {
            self.left.sync_run(run);
        }
        let agent = &state.invoke.agent;
        self.button = agent.run.as_ref().map(|run| match (&run.waiting, &run.end) {
            (Some(_), _) => "approve-call",
            (None, None) => "stop-run",
            (None, Some(_)) => "run-again",
        });
        self.is_reading &= self.middle.has_focus(MIDDLE);
        if self.shown != self.left.row {
            (self.shown, self.detail) = (self.left.row, ReadPosition::default());
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        let widths = [Constraint::Fill(3), Constraint::Fill(2)];
        let areas = self.middle.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        if !areas[LEFT].is_empty() {
            self.draw_left(buffer, areas[LEFT], look, state);
        }
        if !areas[MIDDLE].is_empty() {
            self.draw_middle(buffer, areas[MIDDLE], look, state);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        match self.middle.has_focus(MIDDLE) && self.has_form() {
            true => vec![Scope::Form, Scope::ModelRun],
            false => vec![Scope::ModelRun],
        }
    }

    fn is_typing(&self) -> bool {
        self.middle.is_typing()
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let Some(pane) = self.middle.target_pane(input) else { return Reply::Handled };
        let is = |code| matches!(input, Input::Key(key) if key.is_plain(code));
        let Some(run) = run_of(state) else { return Reply::Ignored };
        let has_form = self.has_form();
        if pane == LEFT {
            if is(Code::Enter) {
                return match &run.waiting {
                    Some(call) if self.left.is_at_waiting(run) => {
                        Reply::Open(Box::new(decision_menu(run, call)))
                    }
                    _ => {
                        self.middle.panes.focus = MIDDLE;
                        self.is_reading = true;
                        Reply::Handled
                    }
                };
            }
            if self.left.handle_input(input, run) {
                return Reply::Handled;
            }
        } else if !has_form && !is(Code::Esc) && self.detail.handle_input(input) {
            return Reply::Handled;
        } else if self.is_reading && !is(Code::Esc) {
            return Reply::Ignored;
        }
        self.middle.handle_input(pane, input, state)
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        match action_rows::run_action(ACTIONS, self, id, state) {
            None => self.middle.forms.act(id, state),
            Some(reply) => reply,
        }
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        action_rows::refusal_reason(ACTIONS, self, id, state)
            .or_else(|| self.middle.forms.refusal(id, "no call waits for a decision"))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.middle.panes.focus {
            LEFT if self.middle.forms.owner().is_some() && self.left.is_following => {
                vec![("Enter", "decide…")]
            }
            LEFT => vec![("Enter", "read")],
            _ if self.is_reading => vec![("Esc", "run")],
            _ => self.middle.forms.keys(),
        }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        self.button.map(|act| (act, self.middle.panes.area(LEFT)))
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.middle.panes)
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        let mut hints = Vec::new();
        if self.middle.has_focus(MIDDLE) {
            hints.extend(self.middle.forms.hints());
        }
        match state.invoke.agent.is_moving() {
            true => hints.push("stop-run"),
            false if self.middle.has_focus(MIDDLE) => hints.extend(["approve-call", "mock-call"]),
            false => hints.extend(["approve-call", "edit-call", "mock-call"]),
        }
        hints.extend([
            "run-back",
            "run-again",
            "run-replay",
            "keep-run-case",
            "run-follow",
            "copy-model-run",
        ]);
        hints.extend((!self.middle.has_focus(MIDDLE)).then_some("next-pane"));
        hints
    }

    fn detail_lines(&self, state: &State) -> Vec<String> {
        let Some(run) = run_of(state) else { return Vec::new() };
        let foot = foot_words(run, usize::MAX);
        run.items.all().iter().map(rows::plain_text).chain([foot]).collect()
    }

    fn shown_form(&self) -> Option<&Form> {
        self.middle.forms.shown_form()
    }

    fn ask_form(&mut self, ask: &mut dyn FnMut(&mut Form) -> FormReply, state: &State) -> Reply {
        self.middle.forms.ask(state, ask)
    }
}
