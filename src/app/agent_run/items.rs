//! What a run shows, row by row: what was said, asked for and given.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    engine::agent_loop::{
        event::AgentEvent,
        outline::{Outline, Place},
        run::Answered,
        turn::{StopReason, Usage},
    },
    model::{
        call::{CallError, Outcome},
        trace::TraceId,
    },
};

/// A row.
#[derive(Clone, Debug)]
pub struct Item {
    pub at_ms: u64,
    pub kind: ItemKind,
    /// The turn of the conversation that it belongs to.
    pub turn: usize,
    /// The run went another way from before it.
    pub is_left: bool,
    /// Grows when it changes.
    pub version: u32,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    /// What the model is given beside the question.
    System(String),
    /// The question, or a message more.
    Message(String),
    /// The model is asked, and has these tools.
    Request {
        reply: u32,
        state: String,
        tools: Vec<String>,
        /// As it was sent; empty where it isn't known.
        body: Arc<str>,
    },
    /// What it says; `None`: it still speaks, or was cut off.
    Reply {
        reply: u32,
        text: String,
        facts: Option<ReplyFacts>,
    },
    /// A call that is decided.
    Call {
        tool: String,
        arguments: Value,
        fault: Option<String>,
        is_edited: bool,
    },
    Result {
        tool: String,
        answered: Answered,
        outcome: Outcome,
        text: String,
        took_ms: u64,
        trace: Option<TraceId>,
        row: usize,
    },
    Moved {
        from: String,
        to: String,
    },
    /// The run went back, and goes on so.
    Back(String),
    Notice(String),
    End {
        outcome: Outcome,
        problem: Option<CallError>,
    },
}

/// What is known of a whole reply.
#[derive(Clone, Debug)]
pub struct ReplyFacts {
    pub stop: StopReason,
    pub usage: Option<Usage>,
    pub first_ms: Option<u64>,
    pub took_ms: u64,
    pub calls: usize,
}

/// The rows of a run.
#[derive(Clone, Debug, Default)]
pub struct Items(Vec<Item>);

impl Items {
    /// Those of a run that has not begun.
    #[must_use]
    pub fn new(system: Option<&str>, question: &str) -> Self {
        let system = system.map(|system| ItemKind::System(system.to_owned()));
        let kinds = system.into_iter().chain([ItemKind::Message(question.to_owned())]);
        let mut items = Self::default();
        kinds.for_each(|kind| items.push(0, kind, 0));
        items
    }

    #[must_use]
    pub fn all(&self) -> &[Item] {
        &self.0
    }

    fn push(&mut self, at_ms: u64, kind: ItemKind, turn: usize) {
        self.0.push(Item { at_ms, kind, turn, is_left: false, version: 0 });
    }

    /// Takes in what happens, and makes it part of the outline, with what is known before it.
    pub fn note_event<T>(
        &mut self,
        at_ms: u64,
        event: &AgentEvent,
        outline: &mut Outline<T>,
        known: T,
    ) {
        let (turn, turn_of_call) = (outline.turn_under_way(false), outline.turn_under_way(true));
        let place = outline.note_event(event, known);
        let kind = match event {
            AgentEvent::Asked { turn, state, tools, body, .. } => ItemKind::Request {
                reply: *turn,
                state: state.clone(),
                tools: tools.clone(),
                body: Arc::clone(body),
            },
            AgentEvent::Text(text) => return self.add_text(at_ms, text, turn),
            AgentEvent::Notice(words) => ItemKind::Notice(words.clone()),
            AgentEvent::Replied { turn: reply, reply: said, first_ms, took_ms } => {
                let facts = ReplyFacts {
                    stop: said.stop.clone(),
                    usage: said.usage,
                    first_ms: *first_ms,
                    took_ms: *took_ms,
                    calls: said.calls.len(),
                };
                return self.end_reply(at_ms, *reply, &said.text, facts, turn);
            }
            AgentEvent::Called { tool, arguments, fault, edited } => {
                let kind = ItemKind::Call {
                    tool: tool.clone(),
                    arguments: arguments.clone(),
                    fault: fault.as_ref().map(|(_, words)| words.clone()),
                    is_edited: *edited,
                };
                return self.push(at_ms, kind, turn_of_call);
            }
            AgentEvent::Returned { tool, answered, outcome, text, took_ms, trace } => {
                let place = place.unwrap_or(Place { turn, row: 0 });
                let kind = ItemKind::Result {
                    tool: tool.clone(),
                    answered: *answered,
                    outcome: *outcome,
                    text: text.clone(),
                    took_ms: *took_ms,
                    trace: trace.clone(),
                    row: place.row,
                };
                return self.push(at_ms, kind, place.turn);
            }
            AgentEvent::Moved { from, to } => {
                let kind = ItemKind::Moved { from: from.clone(), to: to.clone() };
                return self.push(at_ms, kind, turn_of_call);
            }
            AgentEvent::WentBack { turns, message, result, .. } => {
                let left = |item: &&mut Item| item.turn >= *turns && !item.is_left;
                for item in self.0.iter_mut().filter(left) {
                    item.is_left = true;
                    item.version += 1;
                }
                if let Some((row, text)) = result {
                    self.change_result(Place { turn: turns.saturating_sub(1), row: *row }, text);
                }
                self.push(at_ms, ItemKind::Back(event.summary()), *turns);
                if let Some(text) = message {
                    self.push(at_ms, ItemKind::Message(text.clone()), *turns);
                }
                return;
            }
        };
        self.push(at_ms, kind, turn);
    }

    /// The run is over.
    pub fn note_end(&mut self, at_ms: u64, outcome: Outcome, problem: Option<CallError>) {
        let turn = self.0.last().map_or(0, |item| item.turn);
        self.push(at_ms, ItemKind::End { outcome, problem }, turn);
    }

    /// The reply that is under way: since the model was asked last.
    fn open_reply(&mut self) -> Option<&mut Item> {
        let is_asked = |item: &&mut Item| matches!(item.kind, ItemKind::Request { .. });
        let since = self.0.iter_mut().rev().take_while(|item| !is_asked(item));
        since.into_iter().find(|item| matches!(item.kind, ItemKind::Reply { facts: None, .. }))
    }

    fn add_text(&mut self, at_ms: u64, piece: &str, turn: usize) {
        if let Some(item) = self.open_reply()
            && let ItemKind::Reply { text, .. } = &mut item.kind
        {
            text.push_str(piece);
            item.version += 1;
            return;
        }
        // A trace parts two replies by an empty line.
        let text = piece.trim_start_matches('\n').to_owned();
        let reply = self.asked_reply();
        self.push(at_ms, ItemKind::Reply { reply, text, facts: None }, turn);
    }

    /// The number of the reply that was asked for last.
    fn asked_reply(&self) -> u32 {
        let asked = self.0.iter().rev().find_map(|item| match item.kind {
            ItemKind::Request { reply, .. } => Some(reply),
            _ => None,
        });
        asked.unwrap_or_default()
    }

    fn end_reply(&mut self, at_ms: u64, reply: u32, said: &str, facts: ReplyFacts, turn: usize) {
        if let Some(item) = self.open_reply() {
            item.kind = ItemKind::Reply { reply, text: said.to_owned(), facts: Some(facts) };
            item.version += 1;
            return;
        }
        let kind = ItemKind::Reply { reply, text: said.to_owned(), facts: Some(facts) };
        self.push(at_ms, kind, turn);
    }

    fn change_result(&mut self, place: Place, to: &str) {
        for item in self.0.iter_mut().filter(|item| item.turn == place.turn && !item.is_left) {
            if let ItemKind::Result { text, row, .. } = &mut item.kind
                && *row == place.row
            {
                to.clone_into(text);
                item.version += 1;
            }
        }
    }

    pub(super) fn result_at(&self, place: Place) -> Option<(&str, &str)> {
        self.0.iter().filter(|item| item.turn == place.turn && !item.is_left).find_map(|item| {
            match &item.kind {
                ItemKind::Result { tool, text, row, .. } if *row == place.row => {
                    Some((&**tool, &**text))
                }
                _ => None,
            }
        })
    }

    pub(super) fn last_reply(&self) -> &str {
        let replies = self.0.iter().rev().filter(|item| !item.is_left);
        let mut texts = replies.filter_map(|item| match &item.kind {
            ItemKind::Reply { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.next().unwrap_or_default()
    }
}
