//! History: the calls that were made, found as one types; the chosen one as it was, or as it came;
//! two beside each other.
//!
//! | file | shows |
//! | --- | --- |
//! | [`list`] | left: kept calls, newest first |
//! | [`comparison`] | right: two calls compared: text, JSON, times |
//! | `ui/answer` | right: the chosen call |

mod comparison;
mod list;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{comparison::Comparison, list::List};
use crate::{
    app::{
        actions::{Act, Scope},
        calls::CallMessage,
        history::HistoryMessage,
        history::ShownCall,
        input::{Code, Input, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    engine::trace::lines,
    systems::agents,
    ui::{
        answer::{
            draw::{Shown, inset_area},
            pane::Answer,
        },
        canvas::{Pen, wrap},
        cases,
        overlays::{
            confirm::{Answer as Choice, Confirm},
            menu::{Item, Menu},
            prompt::Prompt,
        },
        stubs,
        styles::Role,
        view::{Look, Reply, Screen},
        widgets::{pane::Pane, panes::Panes},
    },
};

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
            let whose = if open.replaying {
                format!("Replay of {}", open.trace.head.tool)
            } else {
                open.trace.head.tool.to_string()
            };
            return self.answer.draw(
                buffer,
                area,
                look,
                &Shown { call: &open.call, whose: &whose, focused },
            );
        }
        let inside = inset_area(Pane { title: "Answer", focused, ..Pane::default() }.draw(
            buffer,
            area,
            look.styles,
        ));
        let words = match (
            state.invoke.kept.listing.calls.is_empty(),
            state.invoke.kept.is_loading(),
        ) {
            (_, true) => "reading the history …",
            (true, _) if state.invoke.kept.query.is_empty() => {
                "No call is kept yet. What is called in Invoke, or by `toolcrib call`, is found here from then on."
            }
            (true, _) => "Nothing fits what is looked for.",
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
        if state.invoke.kept.query.is_empty() {
            Reply::Handled
        } else {
            Reply::send(Message::History(HistoryMessage::Find(String::new())))
        }
    }
}

fn opened_call(state: &State) -> Option<&ShownCall> {
    state.invoke.kept.open.as_ref()
}

/// Asks how fast, with the own speed chosen.
fn replay_menu() -> Reply {
    let speeds: [(&str, u32); 4] =
        [("at its own speed", 1), ("twice as fast", 2), ("ten times as fast", 10), ("at once", 0)];
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

fn copy_menu(open: &ShownCall) -> Reply {
    let head = &open.trace.head;
    let events = open.trace.events.iter().map(|event| lines::of_event(&head.id, event));
    let copies = [
        ("answer", open.answer_text()),
        ("arguments", head.arguments.to_string()),
        ("request body", head.body.to_string()),
        ("JSON lines", std::iter::once(lines::of_head(head)).chain(events).collect()),
        ("id", head.id.to_string()),
    ];
    let detail =
        |text: &str| text.lines().next().unwrap_or_default().chars().take(60).collect::<String>();
    let items = copies
        .iter()
        .map(|(what, text)| Item {
            title: (*what).to_owned(),
            detail: detail(text),
            ..Item::default()
        })
        .collect();
    Reply::Open(Box::new(Menu::with_replies("Copy as", items, move |row| {
        let copied = copies
            .get(row)
            .map(|(what, text)| Message::Copy { what: (*what).to_owned(), text: text.clone() });
        copied.map_or(Reply::Handled, Reply::send)
    })))
}

fn export_prompt(open: &ShownCall) -> Reply {
    let id = open.trace.head.id.clone();
    let name = format!("{}-{}.jsonl", open.trace.head.tool, id.chars().take(8).collect::<String>());
    let words = "The call as it is kept, without its secrets, as JSON lines. The file, from the folder where toolcrib was started:";
    Reply::Open(Box::new(Prompt::new("Export", words, name, move |path, _| {
        match path.is_empty() {
            true => Err("a file needs a name".into()),
            false => Ok(Reply::send(Message::History(HistoryMessage::Export {
                id: id.clone(),
                path: path.to_owned(),
            }))),
        }
    })))
}

fn remove_question(open: &ShownCall) -> Reply {
    let head = &open.trace.head;
    let words = format!("This call of {} is taken out of the history for good.", head.tool);
    let remove = Choice {
        key: 'y',
        words: "remove",
        messages: vec![Message::History(HistoryMessage::Remove(head.id.clone()))],
    };
    let keep = Choice { key: 'n', words: "keep", messages: Vec::new() };
    Reply::Open(Box::new(Confirm::new("Remove?", words, vec![remove, keep], Vec::new())))
}

impl Screen for History {
    fn sync_state(&mut self, state: &State) {
        self.list.sync_state(state);
        self.answer.sync_call(opened_call(state).map(|open| &open.call));
        self.comparison.sync_state(state);
        self.leaving = match opened_call(state) {
            _ if state.invoke.kept.compared.is_some() => Some("end comparison"),
            Some(open) if open.replaying => Some("stop replay"),
            _ if self.answer.shows_strays() => Some("answer"),
            _ => (!state.invoke.kept.query.is_empty()).then_some("all calls"),
        };
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let left = (area.width / 5 * 2).clamp(44, 90);
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

    fn handle_action(&mut self, act: Act, state: &State) -> Reply {
        let open = opened_call(state);
        match act {
            Act::NextPane => self.panes.next(),
            Act::PreviousPane => self.panes.previous(),
            Act::Find if self.panes.focus == LEFT => self.list.open_find(state),
            Act::Find => self.answer.open_find(),
            Act::Follow => self.answer.turn_follow(),
            Act::NextView if state.invoke.kept.compared.is_some() => self.comparison.next_view(),
            Act::NextView => self.answer.next_view(open.map(|open| &open.call)),
            Act::Strays => self.answer.turn_strays(),
            Act::Replay if open.is_some_and(|open| open.replaying) => {
                return Reply::send(Message::History(HistoryMessage::StopReplay));
            }
            Act::Replay => return replay_menu(),
            Act::MarkKept => {
                return state.invoke.kept.selected.clone().map_or(Reply::Handled, |id| {
                    Reply::send(Message::History(HistoryMessage::Mark(id)))
                });
            }
            Act::CompareKept if state.invoke.kept.compared.is_some() => {
                return Reply::send(Message::History(HistoryMessage::DropComparison));
            }
            Act::CompareKept => {
                let both = state
                    .invoke
                    .kept
                    .comparison_target()
                    .cloned()
                    .zip(state.invoke.kept.selected.clone());
                return both.map_or(Reply::Handled, |(before, after)| {
                    Reply::send(Message::History(HistoryMessage::Compare([before, after])))
                });
            }
            Act::ResendKept => return Reply::send(Message::History(HistoryMessage::Resend)),
            Act::EditKept => {
                let edit = |open: &ShownCall| {
                    Message::Call(CallMessage::EditSent {
                        tool: open.trace.head.tool.to_string(),
                        arguments: open.trace.head.arguments.clone(),
                    })
                };
                return open.map_or(Reply::Handled, |open| Reply::send(edit(open)));
            }
            Act::KeepCase => {
                return open.map_or(Reply::Handled, |open| cases::save_case(&open.call, state));
            }
            Act::KeepStub => {
                return open
                    .map_or(Reply::Handled, |open| stubs::save_stub_rule(&open.call, state));
            }
            Act::Cases => return cases::case_menu(state),
            Act::CopyKept => return open.map_or(Reply::Handled, copy_menu),
            Act::ExportKept => return open.map_or(Reply::Handled, export_prompt),
            Act::RemoveKept => return open.map_or(Reply::Handled, remove_question),
            _ => return Reply::Ignored,
        }
        Reply::Handled
    }

    fn refusal_reason(&self, act: Act, state: &State) -> Option<String> {
        let open = opened_call(state);
        let words = match act {
            Act::Find if self.panes.focus == RIGHT && state.invoke.kept.compared.is_some() => {
                "find works in the calls and in an answer"
            }
            Act::Follow
                if state.invoke.kept.compared.is_some() || self.answer.is_following().is_none() =>
            {
                "this view has no end to follow"
            }
            Act::CompareKept if state.invoke.kept.comparison_target().is_none() => {
                "there is no other call to compare with"
            }
            Act::Strays if open.is_none_or(|open| open.call.strays == 0) => {
                "this call has no strays"
            }
            Act::ResendKept if open.is_some_and(|open| open.trace.head.masked) => {
                "secrets in its request are not kept: edit and resend it"
            }
            Act::EditKept | Act::KeepCase | Act::KeepStub
                if open.is_some_and(|open| agents::is_at(&open.trace.head.to)) =>
            {
                "this was asked of the agent, and is no call of a tool"
            }
            Act::KeepCase | Act::KeepStub if open.is_some_and(|open| open.replaying) => {
                "the answer is still coming once more"
            }
            // What such a call would have come to is not known.
            Act::KeepCase if open.is_some_and(|open| open.call.outcome().is_none()) => {
                "the call has no end that could be expected"
            }
            Act::Cases | Act::Save | Act::Undo | Act::Redo => return None,
            _ if matches!(act.action().scope, Scope::History | Scope::Answer) && open.is_none() => {
                "no call is open"
            }
            _ => return None,
        };
        Some(words.to_owned())
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.panes.focus {
            LEFT if self.list.is_typing() => vec![("Enter", "done"), ("Esc", "all calls")],
            RIGHT if self.answer.is_finding() => {
                vec![("Enter", "next"), ("Up", "before"), ("Esc", "done")]
            }
            _ => self.leaving.into_iter().map(|words| ("Esc", words)).collect(),
        }
    }

    fn hinted_actions(&self, state: &State) -> Vec<Act> {
        if state.invoke.kept.compared.is_some() {
            return vec![Act::NextView, Act::NextPane];
        }
        let mut hints = vec![
            Act::Find,
            Act::Replay,
            Act::CompareKept,
            Act::MarkKept,
            Act::ResendKept,
            Act::EditKept,
            Act::KeepCase,
            Act::KeepStub,
        ];
        if self.panes.focus == RIGHT {
            hints.splice(0..0, [Act::NextView, Act::Follow]);
        }
        hints.extend([Act::CopyKept, Act::ExportKept, Act::RemoveKept, Act::NextPane]);
        hints
    }
}
