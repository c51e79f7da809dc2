//! Finding a state or a tool in the picture by typing a part of its name.

use super::super::facts::Facts;
use crate::{
    app::{
        input::{Code, Key},
        state::State,
    },
    engine::{
        gated::ToolRow,
        workflow::graph::{Link, Origin, StateRow},
    },
    ui::{
        ranking::{RankedItem, rank_candidates},
        widgets::text_input::TextInput,
    },
};

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundItem {
    State(StateRow),
    /// A tool, at the first arrow that it is on.
    Tool(ToolRow, Link),
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeekOutcome {
    /// Something else is shown now.
    Moved,
    Accepted,
    GivenUp,
    /// The key is for someone else.
    Ignored,
}

#[derive(Default)]
pub(crate) struct Seek {
    text: TextInput,
    found: Vec<FoundItem>,
    at: usize,
    typing: bool,
}

impl Seek {
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    pub fn start_search(&mut self) {
        *self = Self { typing: true, ..Self::default() };
    }

    pub fn current_match(&self) -> Option<FoundItem> {
        self.found.get(self.at).copied()
    }

    pub fn handle_key(&mut self, key: Key, facts: &Facts, state: &State) -> SeekOutcome {
        match key.code {
            Code::Enter => {
                self.typing = false;
                SeekOutcome::Accepted
            }
            Code::Esc => {
                self.typing = false;
                SeekOutcome::GivenUp
            }
            Code::Down if !self.found.is_empty() => {
                self.at = (self.at + 1) % self.found.len();
                SeekOutcome::Moved
            }
            Code::Up if !self.found.is_empty() => {
                self.at = (self.at + self.found.len() - 1) % self.found.len();
                SeekOutcome::Moved
            }
            _ if self.text.handle_key(key) => {
                self.search(facts, state);
                SeekOutcome::Moved
            }
            _ => SeekOutcome::Ignored,
        }
    }

    pub fn handle_paste(&mut self, text: &str, facts: &Facts, state: &State) {
        self.text.insert(text);
        self.search(facts, state);
    }

    /// Looks again, in other facts than before.
    pub fn search_again(&mut self, facts: &Facts, state: &State) {
        let at = self.at;
        self.search(facts, state);
        self.at = at.min(self.found.len().saturating_sub(1));
    }

    /// States and tools, the closest first; a state before a tool that is as close.
    fn search(&mut self, facts: &Facts, state: &State) {
        self.at = 0;
        self.found.clear();
        if self.text.text().trim().is_empty() {
            return;
        }
        let (states, tools) = (facts.workflow.states(), &state.catalog.tools);
        let found = |row: usize| match row.checked_sub(states.len()) {
            None => Some(FoundItem::State(row)),
            Some(row) => Some(FoundItem::Tool(row, link_of(facts, row)?)),
        };
        let of_states = states.iter().map(|name| RankedItem { name, ..RankedItem::default() });
        let of_tools = tools.iter().map(|tool| RankedItem {
            name: &tool.entry.key,
            alias: &tool.name,
            ..RankedItem::default()
        });
        self.found.extend(
            rank_candidates(self.text.text(), of_states.chain(of_tools))
                .into_iter()
                .filter_map(found),
        );
    }

    /// What is shown at the bottom of the pane while one types.
    pub fn bottom_line(&self) -> (String, String) {
        let count = match (self.text.text().is_empty(), self.found.len()) {
            (true, _) => "a state or a tool".to_owned(),
            (false, 0) => "no match".to_owned(),
            (false, count) => format!(
                "{} of {count}  ↑↓ next  Enter select  Esc \
                back",
                self.at + 1
            ),
        };
        (format!("/ {}", self.text.text()), count)
    }
}

/// The first arrow that a tool is on.
fn link_of(facts: &Facts, tool: ToolRow) -> Option<Link> {
    let member = &facts.workflow.members()[tool];
    match &member.origin {
        Origin::Every => Some(member.target.map_or(Link::StayAny, |to| Link::FromAny { to })),
        Origin::Only(rows) => rows
            .first()
            .map(|from| Link::Between { from: *from, to: member.target.unwrap_or(*from) }),
    }
}
