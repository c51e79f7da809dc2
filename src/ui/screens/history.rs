//! History: the calls that were made, found as one types; the chosen one as it was, or as it came;
//! two beside each other.
//!
//! | file | shows |
//! | --- | --- |
//! | [`list`] | left: kept calls, newest first |
//! | [`comparison`] | right: two calls compared: text, JSON, steps, times |
//! | `ui/answer` | right: the chosen call |

mod comparison;
pub(crate) mod list;

use std::{borrow::Cow, sync::Arc};

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Rect},
};

use self::{comparison::Comparison, list::List};
use crate::{
    app::{
        actions::{ActionId, Scope},
        agent_run::AgentMessage,
        history::HistoryMessage,
        history::ShownCall,
        input::{Button, Code, Input, Mouse, MouseKind},
        message::{DocumentMessage, Message},
        state::State,
        verbs,
    },
    engine::{agent_loop::event::RUN_PREFIX, template},
    model::{
        call::{Call, Request},
        stub::MOCK_CONNECTION,
    },
    systems::{agents, calling},
    ui::{
        action_rows::{self, refuse_when},
        answer::{
            actions::{self, NO_END, ShowsAnswer},
            draw::ShownAnswer,
            pane::Answer,
        },
        ask_cases,
        canvas::{Pen, inset_area, visible_text, wrap, wrap_to},
        copy_menu::{self, ShownCopies},
        overlays::{
            confirm::{Answer as Choice, Confirm},
            menu::{Item, Menu},
            prompt::Prompt,
        },
        styles::Role,
        view::{Look, Reply, Screen},
        widgets::{
            find_line::{FIND_KEYS, TEXT_KEYS},
            pane::Pane,
            panes::{Panes, Step},
        },
    },
};

type Row = action_rows::Row<History>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::History, "replay", "replay…", |history, state| {
        history.panes.reveal(RIGHT);
        replay(state)
    })
    .keys(&[verbs::PAUSE])
    .help("Replay the answer at its original speed or faster; press again to stop")
    .refused(|_, state| none_open(state)),
    Row::new(Scope::History, "mark", "mark", |_, state| mark(state))
        .keys(&[verbs::TICK])
        .help("Mark the call to compare it; with two marked, these two are compared")
        .refused(|_, state| none_open(state)),
    Row::new(Scope::History, "compare-calls", "compare", |history, state| {
        history.panes.reveal(RIGHT);
        compare(state)
    })
    .keys(&[verbs::DIFF])
    .help(
        "Compare the two marked calls, else the call with the marked one or with the one \
            before: text, JSON, steps, times",
    )
    .refused(|_, state| {
        let is_only = state.invoke.kept.comparison_pair().is_none();
        refuse_when(is_only, "there is no other call to compare with").or_else(|| none_open(state))
    }),
    Row::new(Scope::History, "resend-kept", "resend", |_, state| {
        // A model is asked from the run's own screen, where it is chosen.
        with_open(state, |open| match is_run(open) {
            true => open_run(open),
            false => Reply::send(Message::History(HistoryMessage::Resend)),
        })
    })
    .keys(&[verbs::AGAIN, verbs::SEND])
    .help("Send the call's request again, over its own connection")
    .refused(|_, state| resend_refusal(state)),
    Row::new(Scope::History, "edit-kept", "edit, resend", |_, state| {
        with_open(state, edit_and_resend)
    })
    .keys(&[verbs::EDIT])
    .help("Put the call's arguments into Invoke's form, to edit and send; of a run, open it")
    .refused(|_, state| agent_refusal(state).or_else(|| none_open(state))),
    Row::new(Scope::History, "open-run", "open run", |_, state| with_open(state, open_run))
        .help("Show the run of a model row by row, to replay it or to go on from any place of it")
        .refused(|_, state| none_open(state).or_else(|| run_refusal(state))),
    Row::new(Scope::History, "copy-kept", "copy as…", |history, state| {
        history.copy_menu(state)
    })
    .keys(&[verbs::COPY_AS])
    .help("Copy the answer, the request, a command that makes the call, or all of it as JSON lines")
    .refused(|_, state| none_open(state)),
    Row::new(Scope::History, "export-kept", "export", |_, state| with_open(state, export_prompt))
        .keys(&[verbs::SAVE])
        .help("Write the call to a file, as JSON lines")
        .refused(|_, state| none_open(state)),
    Row::new(Scope::History, "remove-kept", "remove", |_, state| with_open(state, remove_question))
        .keys(&[verbs::DELETE])
        .help("Delete the call from the history")
        .risky()
        .refused(|_, state| none_open(state)),
    Row::taking_over("reload", |_, state| {
        let query = state.invoke.kept.query.clone();
        Reply::Send(vec![
            Message::Document(DocumentMessage::Reload),
            Message::History(HistoryMessage::Find(query)),
        ])
    }),
    Row::taking_over("next-pane", |screen, _| screen.step_pane(Step::Next)),
    Row::taking_over("previous-pane", |screen, _| screen.step_pane(Step::Previous)),
    Row::taking_over("find", History::open_find).refused(History::find_refusal),
    Row::taking_over("next-answer-view", History::next_view).refused(|_, state| none_open(state)),
    Row::refusing("follow", History::follow_refusal),
    Row::taking_over("keep-case", |_, state| {
        match opened_call(state).filter(|open| is_run(open)) {
            Some(open) => ask_cases::save_run(&open.trace),
            None => Reply::Ignored,
        }
    })
    .refused(|_, state| case_refusal(state)),
    Row::refusing("keep-stub", |_, state| stub_refusal(state)),
];

/// The panes, from left to right.
const NAMES: [&str; 2] = ["Calls", "Answer"];
const LEFT: usize = 0;
const RIGHT: usize = 1;

#[derive(Default)]
pub(crate) struct History {
    panes: Panes,
    list: List,
    answer: Answer,
    comparison: Comparison,
    /// Two calls were compared when the screen was last drawn.
    had_comparison: bool,
    /// What Esc leaves, in words.
    leaving: Option<&'static str>,
}

impl History {
    fn pass_on(&mut self, pane: usize, input: &Input, state: &State) -> Reply {
        match pane {
            LEFT => self.list.handle_input(input, state),
            _ if state.invoke.kept.compared.is_some() => self.comparison.handle_input(input),
            _ => self.answer.handle_input(input, opened_call(state).map(|open| &open.call)),
        }
    }

    fn draw_right(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let buffer = frame.buffer_mut();
        let focused = self.panes.focus == RIGHT;
        if state.invoke.kept.compared.is_some() {
            return self.comparison.draw(buffer, area, look, focused);
        }
        if let Some(open) = opened_call(state) {
            let head = &open.trace.head;
            let on = match &*head.connection {
                MOCK_CONNECTION => " (mocked)".to_owned(),
                there if is_run(open) || there == state.network.connections.usual => String::new(),
                there => format!(" on {there}"),
            };
            let whose = match open.replaying {
                true => format!("Replay of {}{on}", head.tool),
                false => format!("{}{on}", head.tool),
            };
            let is_running = state.invoke.calls.running_kept(&head.id).is_some();
            let below = draw_sent(buffer, area, look, open);
            return self.answer.draw(
                buffer,
                below,
                look,
                &ShownAnswer {
                    call: &open.call,
                    whose: &whose,
                    note: "",
                    now: None,
                    is_over: !open.replaying && !is_running,
                    focused,
                },
            );
        }
        let inside = inset_area(Pane { title: "Answer", focused, ..Pane::default() }.draw(
            buffer,
            area,
            look.styles,
        ));
        let words =
            match (state.invoke.kept.listing.calls.is_empty(), state.invoke.kept.is_loading()) {
                _ if state.invoke.kept.is_searching() => "reading the history …",
                (true, true) => "reading the history …",
                (true, _) if state.invoke.kept.query.is_empty() => {
                    "No calls yet. Calls made in Invoke or with `toolcrib call` appear here."
                }
                (true, _) => "No call matches.",
                (false, _) => "opening …",
            };
        for (line, words) in (0_u16..).zip(wrap(words, usize::from(inside.width))) {
            Pen::new(buffer, inside, line).put_text(&words, look.styles[Role::Ghost]);
        }
    }

    /// Esc leaves what lies nearest.
    fn handle_escape(&mut self, state: &State) -> Reply {
        if state.invoke.kept.compared.is_some() {
            return Reply::send(Message::History(HistoryMessage::DropComparison));
        }
        if opened_call(state).is_some_and(|open| open.replaying) {
            return Reply::send(Message::History(HistoryMessage::StopReplay));
        }
        if self.answer.shows_strays() {
            self.answer.turn_strays();
            return Reply::Handled;
        }
        if state.invoke.kept.query.is_empty() || self.panes.focus == RIGHT {
            Reply::Ignored
        } else {
            Reply::send(Message::History(HistoryMessage::Find(String::new())))
        }
    }
}

/// Draws what a call sent above its answer, where there is room for both; gives the rest.
fn draw_sent(buffer: &mut Buffer, area: Rect, look: Look<'_>, open: &ShownCall) -> Rect {
    /// In fewer lines the answer needs the room.
    const ROOM: u16 = 16;
    const MOST: usize = 4;
    let sent = sent_arguments(&open.call.request);
    let sent = sent.trim();
    if area.height < ROOM || is_run(open) || ["", "{}", "null"].contains(&sent) {
        return area;
    }
    let cells = usize::from(area.width.saturating_sub(4)).max(1);
    // Only what can be seen is laid out.
    let start: String = sent.chars().take(cells * (MOST + 1)).collect();
    let lines = wrap_to(&visible_text(&start), cells, MOST);
    let height = u16::try_from(lines.len()).unwrap_or(0) + 2;
    let pane = Pane { title: "Sent", ..Pane::default() };
    let inside = inset_area(pane.draw(buffer, Rect { height, ..area }, look.styles));
    look.mouse.reads(inside);
    for (row, line) in (0_u16..).zip(&lines) {
        Pen::new(buffer, inside, row).put_text(line, look.styles[Role::Text]);
    }
    Rect { y: area.y + height, height: area.height - height, ..area }
}

/// Larger bodies aren't read with each drawing.
const LARGEST_BODY: usize = 256 * 1024;

/// The arguments with the values of their variables, where the body has them; secrets are named.
fn sent_arguments(request: &Request) -> Cow<'_, str> {
    let is_read = request.body.len() <= LARGEST_BODY;
    if is_read && template::variable_names(&request.arguments).next().is_some() {
        let sent = calling::request_arguments(request.system, &request.body);
        if sent != "{}" {
            return sent.into();
        }
    }
    Cow::Borrowed(&*request.arguments)
}

fn opened_call(state: &State) -> Option<&ShownCall> {
    state.invoke.kept.current_call()
}

/// Asks how fast, with the own speed chosen.
fn replay_menu() -> Reply {
    let speeds: [(&str, u32); 4] = [
        ("at the original speed", 1),
        ("twice as fast", 2),
        ("ten times as fast", 10),
        (
            "at \
            once",
            0,
        ),
    ];
    let items = speeds
        .iter()
        .map(|(title, _)| Item { title: (*title).to_owned(), ..Item::default() })
        .collect();
    Reply::Open(Box::new(Menu::with_replies("Replay", items, move |row| {
        speeds.get(row).map_or(Reply::Handled, |(_, speed)| {
            Reply::send(Message::History(HistoryMessage::Replay { speed: *speed }))
        })
    })))
}

fn export_prompt(open: &ShownCall) -> Reply {
    let id = open.trace.head.id.clone();
    let name = format!("{}-{}.jsonl", open.trace.head.tool, id.chars().take(8).collect::<String>());
    let words = "Writes the call as JSON lines, without secrets. File, relative to the folder \
        where toolcrib was started:";
    Reply::Open(Box::new(
        Prompt::new("Export", words, name, move |path, _| match path.is_empty() {
            true => Err("a file needs a name".into()),
            false => Ok(Reply::send(Message::History(HistoryMessage::Export {
                id: id.clone(),
                path: path.to_owned(),
            }))),
        })
        .with_act("export")
        .preselected(),
    ))
}

fn remove_question(open: &ShownCall) -> Reply {
    let head = &open.trace.head;
    let words = format!("Deletes this call of {} from the history for good.", head.tool);
    let remove = Choice {
        key: 'y',
        words: "delete",
        messages: vec![Message::History(HistoryMessage::Remove(head.id.clone()))],
    };
    let keep = Choice { key: 'n', words: "cancel", messages: Vec::new() };
    Reply::Open(Box::new(Confirm::new("Delete the call?", words, vec![keep, remove], Vec::new())))
}

impl Screen for History {
    fn sync_state(&mut self, state: &State) {
        self.list.sync_state(state);
        let call = opened_call(state).map(|open| &open.call);
        self.answer.sync_call(call);
        self.answer.sync_queries(&state.invoke.queries, call);
        self.comparison.sync_state(state);
        // Also where it was asked for on another screen, it is what is to be seen.
        let has_comparison = state.invoke.kept.compared.is_some();
        if has_comparison && !self.had_comparison {
            self.panes.reveal(RIGHT);
        }
        self.had_comparison = has_comparison;
        self.leaving = match opened_call(state) {
            _ if state.invoke.kept.compared.is_some() => Some("end comparison"),
            Some(open) if open.replaying => Some("stop replay"),
            _ if self.answer.shows_strays() => Some("answer"),
            _ if self.panes.focus == RIGHT => self.panes.is_stacked().then_some("calls"),
            _ => (!state.invoke.kept.query.is_empty()).then_some("all calls"),
        };
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let left = (area.width / 20 * 9).clamp(44, 90);
        let areas = self.panes.layout_panes(
            frame.buffer_mut(),
            area,
            &NAMES,
            &[Constraint::Length(left), Constraint::Fill(1)],
            look.styles,
        );
        self.list.draw(frame.buffer_mut(), areas[LEFT], look, state, self.panes.focus == LEFT);
        self.draw_right(frame, areas[RIGHT], look, state);
    }

    fn scopes(&self) -> Vec<Scope> {
        vec![Scope::History, Scope::Answer]
    }

    fn is_typing(&self) -> bool {
        if self.panes.focus == LEFT { self.list.is_typing() } else { self.answer.is_finding() }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        if let Input::Mouse(mouse @ Mouse { kind, .. }) = input {
            // As Enter does.
            let is_listed = self.panes.focus == LEFT && !self.list.is_typing();
            if is_listed && *kind == MouseKind::Double(Button::Left) {
                self.panes.focus = RIGHT;
                return Reply::Handled;
            }
            if mouse.is_held() {
                return self.pass_on(self.panes.focus, input, state);
            }
            let Some(pane) = self.panes.handle_mouse(*mouse) else { return Reply::Handled };
            let moved = matches!(kind, MouseKind::Down(_) | MouseKind::Wheel(_));
            return if moved { self.pass_on(pane, input, state) } else { Reply::Handled };
        }
        let is = |code| matches!(input, Input::Key(key) if key.is_plain(code));
        if self.panes.focus == LEFT && !self.list.is_typing() && is(Code::Enter) {
            self.panes.focus = RIGHT;
            return Reply::Handled;
        }
        match self.pass_on(self.panes.focus, input, state) {
            Reply::Ignored if is(Code::Esc) => self.handle_escape(state),
            reply => reply,
        }
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        match action_rows::run_action(ACTIONS, self, id, state).unwrap_or_default() {
            Reply::Ignored => {
                let screen: &mut dyn ShowsAnswer = self;
                action_rows::run_action(actions::ACTIONS, screen, id, state).unwrap_or_default()
            }
            reply => reply,
        }
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        let screen: &dyn ShowsAnswer = self;
        action_rows::refusal_reason(ACTIONS, self, id, state)
            .or_else(|| action_rows::refusal_reason(actions::ACTIONS, screen, id, state))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.panes.focus {
            LEFT if self.list.is_typing() => FIND_KEYS.to_vec(),
            RIGHT if self.answer.is_finding() => TEXT_KEYS.to_vec(),
            _ => self.leaving.into_iter().map(|words| ("Esc", words)).collect(),
        }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        Some(("resend-kept", self.panes.area(LEFT)))
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.panes)
    }

    fn detail_lines(&self, _: &State) -> Vec<String> {
        self.comparison.printed_lines()
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        if state.invoke.kept.compared.is_some() {
            return vec!["next-answer-view", "next-pane"];
        }
        let mut hints = vec![
            "find",
            "replay",
            "compare-calls",
            "mark",
            "resend-kept",
            "edit-kept",
            "keep-case",
            "keep-stub",
        ];
        if self.panes.focus == RIGHT {
            hints.splice(0..0, ["next-answer-view", "follow", "query-answer"]);
        }
        hints.extend(["copy-kept", "export-kept", "remove-kept", "next-pane"]);
        hints
    }
}

impl ShowsAnswer for History {
    fn answer(&mut self) -> &mut Answer {
        &mut self.answer
    }

    fn shown_answer(&self) -> &Answer {
        &self.answer
    }

    fn shown_call<'s>(&self, state: &'s State) -> Option<&'s Call> {
        opened_call(state).map(|open| &open.call)
    }

    fn reveal_answer(&mut self) -> bool {
        self.panes.reveal(RIGHT)
    }
}

/// What its actions do, and why they can't be done.
impl History {
    fn copy_menu(&self, state: &State) -> Reply {
        opened_call(state).map_or(Reply::Handled, |open| {
            let shown = ShownCopies {
                call: &open.call,
                answer: &self.answer,
                trace: Some(&open.trace),
                has_request: !is_run(open),
            };
            copy_menu::of_call(state, &shown)
        })
    }

    fn step_pane(&mut self, step: Step) -> Reply {
        self.panes.step(step);
        Reply::Handled
    }

    fn open_find(&mut self, state: &State) -> Reply {
        if self.panes.focus == LEFT {
            self.list.open_find();
        } else {
            self.answer.open_find(opened_call(state).map(|open| &open.call));
        }
        Reply::Handled
    }

    fn find_refusal(&self, state: &State) -> Option<String> {
        let is_compared = self.panes.focus == RIGHT && state.invoke.kept.compared.is_some();
        refuse_when(is_compared, "find works in the calls and in an answer")
    }

    fn next_view(&mut self, state: &State) -> Reply {
        if state.invoke.kept.compared.is_none() {
            return Reply::Ignored;
        }
        self.comparison.next_view();
        Reply::Handled
    }

    fn follow_refusal(&self, state: &State) -> Option<String> {
        let has_end = state.invoke.kept.compared.is_none() && self.answer.is_following().is_some();
        let is_unseen = self.panes.is_stacked() && self.panes.focus == LEFT;
        refuse_when(!has_end, NO_END)
            .or_else(|| none_open(state))
            .or_else(|| refuse_when(is_unseen, "this follows the answer: Enter opens it"))
    }
}

fn none_open(state: &State) -> Option<String> {
    let kept = &state.invoke.kept;
    let why = match &kept.selected {
        Some(call) if kept.unreadable.as_ref() == Some(call) => "the call can't be read",
        None if !kept.is_searching() => "no call is open",
        _ => "the call is still being read",
    };
    refuse_when(opened_call(state).is_none(), why)
}

fn with_open(state: &State, act: fn(&ShownCall) -> Reply) -> Reply {
    opened_call(state).map_or(Reply::Handled, act)
}

fn replay(state: &State) -> Reply {
    match opened_call(state) {
        Some(open) if open.replaying => Reply::send(Message::History(HistoryMessage::StopReplay)),
        _ => replay_menu(),
    }
}

fn mark(state: &State) -> Reply {
    let selected = state.invoke.kept.selected.clone();
    selected.map_or(Reply::Handled, |id| Reply::send(Message::History(HistoryMessage::Mark(id))))
}

/// Compares the call with another, or ends the comparison.
fn compare(state: &State) -> Reply {
    let kept = &state.invoke.kept;
    if kept.compared.is_some() {
        return Reply::send(Message::History(HistoryMessage::DropComparison));
    }
    kept.comparison_pair()
        .map_or(Reply::Handled, |pair| Reply::send(Message::History(HistoryMessage::Compare(pair))))
}

fn resend_refusal(state: &State) -> Option<String> {
    let is_masked = opened_call(state).is_some_and(|open| open.trace.head.masked);
    refuse_when(is_masked, "secrets in its request aren't saved: edit and resend it")
        .or_else(|| none_open(state))
}

/// Shows the run of a model row by row.
fn open_run(open: &ShownCall) -> Reply {
    Reply::send(Message::Agent(AgentMessage::Open(Arc::clone(&open.trace))))
}

/// Whether it is the run of a model, and no call.
fn is_run(open: &ShownCall) -> bool {
    open.trace.head.tool.starts_with(RUN_PREFIX)
}

fn run_refusal(state: &State) -> Option<String> {
    let is_call = opened_call(state).is_some_and(|open| !is_run(open));
    refuse_when(is_call, "this is a call, not the run of a model")
}

fn edit_and_resend(open: &ShownCall) -> Reply {
    if is_run(open) {
        return open_run(open);
    }
    Reply::send(Message::History(HistoryMessage::Edit))
}

fn agent_refusal(state: &State) -> Option<String> {
    let is_agents =
        opened_call(state).is_some_and(|open| agents::is_at(&open.trace.head.to) && !is_run(open));
    refuse_when(is_agents, "this was a question to the agent, not a call of a tool")
}

fn stub_refusal(state: &State) -> Option<String> {
    let is_of_model = opened_call(state).is_some_and(is_run);
    refuse_when(is_of_model, "this is the run of a model, not a call")
        .or_else(|| replay_refusal(state))
}

fn replay_refusal(state: &State) -> Option<String> {
    let is_replaying = opened_call(state).is_some_and(|open| open.replaying);
    agent_refusal(state)
        .or_else(|| refuse_when(is_replaying, "the replay is still running"))
        .or_else(|| none_open(state))
}

/// A case needs the end as well, which is not known of a call that was given up.
fn case_refusal(state: &State) -> Option<String> {
    let has_no_end = opened_call(state).is_some_and(|open| open.call.outcome().is_none());
    replay_refusal(state)
        .or_else(|| refuse_when(has_no_end, "the call hasn't ended, so there is nothing to expect"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::entry::{EntryId, EntryPlace, FileId},
        schema::pointer::Pointer,
    };

    #[test]
    fn the_values_that_were_sent_are_shown_where_the_body_is_not_too_large() {
        let request = |beside: usize| {
            let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
            let body = json!({"arguments": {"shop": "main"}, "beside": "x".repeat(beside)});
            Request {
                tool: EntryId::new(place),
                system: "mcp",
                name: "find".into(),
                to: "tools/call".into(),
                reply: None,
                headers: Vec::new(),
                correlation: "1".into(),
                arguments: r#"{"shop":"{{var.shop}}"}"#.into(),
                body: body.to_string().into(),
                mock: None,
            }
        };
        assert_eq!(sent_arguments(&request(0)), r#"{"shop":"main"}"#);
        assert_eq!(sent_arguments(&request(LARGEST_BODY)), r#"{"shop":"{{var.shop}}"}"#);
    }
}
