//! Watch: what passes on the bus, as conversations; each with its messages and their times.
//!
//! | file | pane |
//! | --- | --- |
//! | [`subjects`] | left: what is listened to, how much crosses each subject, the alerts |
//! | [`conversations`] | middle: the conversations, those that the filter holds for |
//! | [`messages`] | right: one conversation and its messages |
//! | [`cards`] | over them: the cards that messages name |
//! | [`dialogs`], [`labels`] | what is asked, and what is said alike in all of them |

mod cards;
mod conversations;
mod dialogs;
mod labels;
mod messages;
mod subjects;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{
    conversations::Conversations, labels::watch_reply, messages::Messages, subjects::Subjects,
};
use crate::{
    app::{
        actions::{Act, Scope},
        input::{Code, Input, MouseKind},
        message::{Message, ScreenId},
        resending::{request_of, tool_at},
        state::State,
        watching::WatchMessage,
    },
    systems::watched,
    ui::{
        view::{Look, Reply, Screen},
        widgets::panes::Panes,
    },
};

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Subjects", "Conversations", "Messages"];
const LEFT: usize = 0;
const MIDDLE: usize = 1;
const RIGHT: usize = 2;

/// What drawing has done, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub frames: usize,
    /// Rows of conversations and messages that were drawn.
    pub rows: usize,
    /// Messages that were decoded for it.
    pub decoded: usize,
}

pub struct WatchScreen {
    panes: Panes,
    subjects: Subjects,
    conversations: Conversations,
    messages: Messages,
    frames: usize,
}

impl Default for WatchScreen {
    fn default() -> Self {
        let mut panes = Panes::default();
        panes.focus = MIDDLE;
        Self {
            panes,
            subjects: Subjects::default(),
            conversations: Conversations::default(),
            messages: Messages::default(),
            frames: 0,
        }
    }
}

impl WatchScreen {
    /// What it has done so far.
    #[must_use]
    pub fn work_done(&self) -> Work {
        let rows = self.conversations.drawn + self.messages.drawn;
        Work { frames: self.frames, rows, decoded: self.messages.drawn }
    }

    /// The message that the keys mean: the chosen one, or the request of the chosen conversation.
    fn chosen_message(&self, state: &State) -> Option<u64> {
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        match self.panes.focus {
            RIGHT => conversation
                .messages
                .get(self.messages.chosen_messages(conversation).start)
                .copied(),
            _ => conversation.messages.front().copied(),
        }
    }

    fn open_chosen(&mut self, state: &State) -> Reply {
        let idle = state.watching.record.is_empty() && !state.watching.is_listening();
        match self.panes.focus {
            // There is nothing else to open.
            _ if idle && self.refusal_reason(Act::WatchSubjects, state).is_none() => {
                dialogs::ask_subjects(state)
            }
            LEFT => self.subjects.filter_by_row(state),
            MIDDLE => {
                self.panes.focus = RIGHT;
                Reply::Handled
            }
            _ => self.open_row_page(state).unwrap_or(Reply::Handled),
        }
    }

    /// All that stands in the chosen row.
    fn open_row_page(&self, state: &State) -> Option<Reply> {
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        let numbers: Vec<u64> = conversation
            .messages
            .range(self.messages.chosen_messages(conversation))
            .copied()
            .collect();
        Some(dialogs::open_messages(
            state,
            &numbers,
            cards::named_cards(state, conversation.number, Some(&numbers)),
        ))
    }

    /// The cards that the chosen message names, or the chosen conversation.
    fn chosen_cards(&self, state: &State) -> Option<cards::Named> {
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        let message = (self.panes.focus == RIGHT).then(|| self.chosen_message(state)).flatten();
        cards::named_cards(state, conversation.number, message.as_ref().map(std::slice::from_ref))
    }

    fn handle_key(&mut self, input: &Input, state: &State) -> Reply {
        let Input::Key(key) = input else { return Reply::Ignored };
        if key.is_plain(Code::Enter) {
            return self.open_chosen(state);
        }
        let taken = match self.panes.focus {
            LEFT => self.subjects.handle_key(*key, state),
            MIDDLE => self.conversations.handle_key(*key, state),
            _ => self.messages.handle_key(*key, state, self.conversations.chosen),
        };
        if taken { Reply::Handled } else { Reply::Ignored }
    }

    fn handle_mouse(&mut self, input: &Input, state: &State) -> Reply {
        let Input::Mouse(mouse) = input else { return Reply::Ignored };
        let Some(pane) = self.panes.handle_mouse(*mouse) else { return Reply::Handled };
        if !matches!(mouse.kind, MouseKind::Down(_) | MouseKind::Wheel(_)) {
            return Reply::Handled;
        }
        match pane {
            // A second press on a row does what Enter does.
            LEFT if self.subjects.handle_mouse(*mouse, state) => self.subjects.filter_by_row(state),
            RIGHT if self.messages.handle_mouse(*mouse, state, self.conversations.chosen) => {
                self.open_chosen(state)
            }
            MIDDLE => {
                self.conversations.handle_mouse(*mouse, state);
                Reply::Handled
            }
            _ => Reply::Handled,
        }
    }
}

impl Screen for WatchScreen {
    fn sync_state(&mut self, state: &State) {
        self.conversations.sync_state(state);
        self.messages.sync_conversation(self.conversations.chosen);
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        self.frames += 1;
        let buffer = frame.buffer_mut();
        let left = if area.width >= 160 { 40 } else { 32 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        let focus = self.panes.focus;
        self.subjects.draw(buffer, areas[LEFT], look, state, focus == LEFT);
        self.conversations.draw(buffer, areas[MIDDLE], look, state, focus == MIDDLE);
        self.messages.draw(
            buffer,
            areas[RIGHT],
            look,
            state,
            (self.conversations.chosen, focus == RIGHT),
        );
    }

    fn scopes(&self) -> Vec<Scope> {
        vec![Scope::Watch]
    }

    fn is_typing(&self) -> bool {
        self.panes.focus == MIDDLE && self.conversations.is_typing()
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        if matches!(input, Input::Mouse(_)) {
            return self.handle_mouse(input, state);
        }
        if self.is_typing() {
            return self.conversations.handle_filter_input(input);
        }
        self.handle_key(input, state)
    }

    fn handle_action(&mut self, act: Act, state: &State) -> Reply {
        match act {
            Act::NextPane => self.panes.next(),
            Act::PreviousPane => self.panes.previous(),
            Act::WatchSubjects => return dialogs::ask_subjects(state),
            Act::StopWatching => return watch_reply(WatchMessage::Stop),
            Act::PauseWatch => return watch_reply(WatchMessage::Pause),
            Act::FollowWatch => self.conversations.follow = !self.conversations.follow,
            Act::FilterWatch | Act::Find => {
                self.panes.focus = MIDDLE;
                self.conversations.open_filter(state);
            }
            Act::RevealRoutine => return watch_reply(WatchMessage::Reveal),
            Act::PiecesWatch => {
                let chosen = self
                    .conversations
                    .chosen
                    .and_then(|number| state.watching.record.conversation(number));
                self.messages.toggle_grouping(chosen);
            }
            Act::AddAlert => return dialogs::ask_alerts(state),
            Act::ClearWatch => return dialogs::confirm_clear(state),
            Act::SaveTrace => return dialogs::save_trace(),
            Act::OpenTrace => return dialogs::open_trace(),
            Act::ResendWatched => {
                return self
                    .chosen_message(state)
                    .map_or(Reply::Handled, |number| watch_reply(WatchMessage::Resend(number)));
            }
            Act::WatchedTool => {
                let subject = self
                    .chosen_message(state)
                    .and_then(|number| state.watching.record.message(number));
                let tool = subject.and_then(|message| tool_at(state, &message.crossing.subject));
                let select = tool.map(|tool| Message::Select(tool.id().clone()));
                return Reply::Send(
                    select.into_iter().chain([Message::Show(ScreenId::Tools)]).collect(),
                );
            }
            Act::ReadCards => {
                return self.chosen_cards(state).map_or(Reply::Handled, cards::open_cards);
            }
            Act::CopyWatched => {
                return self
                    .chosen_message(state)
                    .map_or(Reply::Handled, |number| dialogs::copy_message(state, number));
            }
            _ => return Reply::Ignored,
        }
        Reply::Handled
    }

    fn refusal_reason(&self, act: Act, state: &State) -> Option<String> {
        let watching = &state.watching;
        let words = match act {
            Act::WatchSubjects => {
                let problem = watched::require_bus(state.current_connection().transport()).err()?;
                return Some(format!("{}; {}", problem.cause, problem.remedy));
            }
            Act::StopWatching if !watching.is_listening() => "nothing is listened to",
            Act::ClearWatch | Act::SaveTrace if watching.record.is_empty() => {
                "nothing was heard yet"
            }
            Act::ResendWatched => {
                let Some(number) = self.chosen_message(state) else {
                    return Some("choose a conversation first".into());
                };
                return request_of(state, number).err().map(|problem| problem.cause);
            }
            Act::WatchedTool => {
                let subject =
                    self.chosen_message(state).and_then(|number| watching.record.message(number));
                match subject.map(|message| tool_at(state, &message.crossing.subject)) {
                    None => "choose a conversation first",
                    Some(None) => "no tool of this workspace sends its requests there",
                    Some(Some(_)) => return None,
                }
            }
            Act::ReadCards => {
                return cards::refusal_reason(state, self.chosen_cards(state).as_ref());
            }
            Act::RevealRoutine if watching.record.routine_count() == 0 => "nothing is hidden",
            Act::CopyWatched if self.chosen_message(state).is_none() => {
                "choose a conversation first"
            }
            _ => return None,
        };
        Some(words.to_owned())
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.panes.focus {
            _ if self.is_typing() => vec![("Enter", "keep the filter"), ("Esc", "show all")],
            LEFT => vec![("Enter", "filter by it")],
            _ if self.conversations.chosen.is_none() => Vec::new(),
            MIDDLE => vec![("Enter", "its messages")],
            _ => vec![("Enter", "the whole message")],
        }
    }

    fn hinted_actions(&self, state: &State) -> Vec<Act> {
        let listens = state.watching.is_listening();
        let first = if listens { Act::PauseWatch } else { Act::WatchSubjects };
        let named = self.chosen_cards(state).is_some_and(|named| !named.cards.is_empty());
        let mut hints: Vec<Act> = named.then_some(Act::ReadCards).into_iter().collect();
        hints.extend([
            first,
            Act::FilterWatch,
            Act::FollowWatch,
            Act::AddAlert,
            Act::SaveTrace,
            Act::OpenTrace,
        ]);
        hints.extend([
            Act::PiecesWatch,
            Act::RevealRoutine,
            Act::ResendWatched,
            Act::CopyWatched,
            Act::StopWatching,
            Act::ClearWatch,
            Act::NextPane,
        ]);
        hints
    }
}
