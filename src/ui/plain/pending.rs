//! What follows from a line once the state has changed: what messages changed is shown, and an
//! action that printed nothing says what it did.

use super::{
    lists,
    session::{Pending, Session},
};
use crate::{
    app::{
        history::HistoryMessage,
        message::{ConnectionMessage, DocumentMessage, Message, ScreenId},
        resources::ResourceMessage,
        state::State,
        watching::WatchMessage,
    },
    ui::view::Target,
};

impl Session {
    /// Some messages are followed by what they change.
    pub(super) fn note_sent(&mut self, sent: &[Message], state: &State) {
        let shows = |message: &Message| {
            matches!(message, Message::Show(_) | Message::Resource(ResourceMessage::Show(_)))
        };
        // One thing is shown rather than the list: the tool of Invoke, or what was selected.
        let is_of_one = |message: &Message| {
            matches!(
                message,
                Message::Show(ScreenId::Invoke)
                    | Message::Select(_)
                    | Message::History(HistoryMessage::Select(_))
            )
        };
        let is_run = |message: &Message| {
            use DocumentMessage::{Change, Compose, Redo, Undo};
            matches!(
                message,
                Message::Workflow(_) | Message::Document(Change { .. } | Compose(_) | Undo | Redo)
            )
        };
        let is_read = |message: &Message| {
            matches!(
                message,
                Message::Connection(ConnectionMessage::Test(_))
                    | Message::History(
                        HistoryMessage::Select(_)
                            | HistoryMessage::Replay { .. }
                            | HistoryMessage::Compare(_)
                    )
                    | Message::Resource(ResourceMessage::Read(_))
            )
        };
        let turns_watch = |message: &Message| {
            use WatchMessage::{Begin, Pause, Stop};
            matches!(message, Message::Watch(Begin(_) | Pause | Stop))
        };
        if sent.iter().any(turns_watch) {
            self.pending.push_back(Pending::Heading);
        }
        let is_shown = sent.iter().any(shows);
        if is_shown && !sent.iter().any(is_of_one) {
            self.pending.push_back(Pending::Arrive);
        } else if is_shown || sent.iter().any(is_read) {
            self.pending.push_back(Pending::Show);
        } else if sent.iter().any(is_run)
            && state.screen == ScreenId::Workflow
            && let Some(screen) = self.screen(state)
        {
            self.pending.push_back(Pending::Changes(screen.detail_lines(state)));
        }
    }

    pub(super) fn do_pending(
        &mut self,
        pending: Pending,
        state: &State,
        messages: &mut Vec<Message>,
    ) {
        match pending {
            Pending::Action(action) => self.act(action, state, messages),
            Pending::ActionWith(action, text) => {
                self.act(action, state, messages);
                self.give_answer(&text, state, messages);
            }
            Pending::Point(target) => {
                let is_there = self.point_at(&target, state);
                if !is_there && state.screen == ScreenId::Workflow {
                    // Nothing is done with another tool in its place.
                    self.pending.clear();
                    self.out.push("Workflow has only the tools of this workspace.".to_owned());
                }
            }
            Pending::Arrive => self.arrive(state),
            Pending::Show => self.show(state),
            Pending::Changes(before) => {
                let changed = self.screen(state).map(|it| it.changed_lines(&before, state));
                self.out.extend(changed.unwrap_or_default());
            }
            Pending::Heading => {
                self.out.push(lists::heading(state, lists::list_rows(state).len()));
            }
            Pending::Walk => self.begin_walk(state),
            Pending::WalkOn => self.walk_on(state),
            Pending::Field(at) => self.tell_field(&at, state),
            // What else waits may say it.
            Pending::Confirm(action) if self.pending.iter().any(|next| !next.is_confirm()) => {
                self.pending.push_back(Pending::Confirm(action));
            }
            Pending::Confirm(action) if self.is_silent && self.out.is_empty() => {
                self.out.push(lists::done_words(action, state));
            }
            Pending::Confirm(_) => {}
        }
    }

    fn point_at(&mut self, target: &Target, state: &State) -> bool {
        self.screen_mut(state).is_some_and(|screen| screen.point_at(target, state))
    }
}
