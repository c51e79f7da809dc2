//! Which effects are under way whose answer the next line waits for.

use crate::app::{
    agent_run::{AgentEffect, AgentMessage},
    effect::Effect,
    history::HistoryMessage,
    message::{ConnectionMessage, DocumentMessage, Message, Purpose},
    resources::ResourceMessage,
    watching::WatchMessage,
};

/// What an answer is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Save,
    Load,
    Check,
    Deployed,
    Servers,
    Discovery,
    Test,
    Eras,
    Listing,
    Opened,
    Compared,
    Replay,
    Trace,
    Watch,
    Item,
    /// The recorded runs of a case.
    Case,
    /// A file whose tools are added.
    Tools,
    /// Something that a notice answers.
    Notice,
}

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Awaited(Vec<Wait>);

impl Awaited {
    pub fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// An effect begins.
    pub fn note_effect(&mut self, effect: &Effect) {
        let wait = match effect {
            Effect::Save { .. } => Wait::Save,
            Effect::Read { .. } | Effect::PutSample(_) => Wait::Load,
            Effect::ReadTools(_) => Wait::Tools,
            Effect::CheckSoon | Effect::Check(_) => Wait::Check,
            Effect::ReadDeployed { purpose: Purpose::KeepIds, .. } => return,
            Effect::ReadDeployed { .. } => Wait::Deployed,
            Effect::FindServers => Wait::Servers,
            Effect::Discover(_) => Wait::Discovery,
            Effect::TestConnection { .. } => Wait::Test,
            Effect::CompareEras { .. } => Wait::Eras,
            Effect::ListKept { .. } => Wait::Listing,
            Effect::OpenKept(_) => Wait::Opened,
            Effect::CompareKept(_) => Wait::Compared,
            Effect::Replay { .. } => Wait::Replay,
            Effect::SaveTrace { .. } | Effect::OpenTrace(_) => Wait::Trace,
            Effect::Watch { .. } => Wait::Watch,
            Effect::ReadItem { .. } => Wait::Item,
            Effect::Agent(AgentEffect::TryCase(_)) => Wait::Case,
            Effect::ExportKept { .. }
            | Effect::Push { .. }
            | Effect::SaveParts { .. }
            | Effect::KeepSecret { .. } => Wait::Notice,
            Effect::Allow { then, .. } | Effect::AllowTyped { then, .. } => {
                return self.note_effect(then);
            }
            _ => return,
        };
        self.0.push(wait);
    }

    /// A message comes: what it answers is over.
    pub fn note_message(&mut self, message: &Message) {
        let wait = match message {
            // It does not say what it is about.
            Message::Failed(_) => {
                self.0.retain(|wait| matches!(wait, Wait::Load | Wait::Check));
                return;
            }
            Message::Notice(..) => Wait::Notice,
            Message::Document(document) => match document {
                DocumentMessage::Saved { .. } | DocumentMessage::SaveRefused { .. } => Wait::Save,
                DocumentMessage::LoadEnded { .. } => Wait::Load,
                DocumentMessage::ToolsRead(_) => Wait::Tools,
                DocumentMessage::CheckDue | DocumentMessage::Checked { .. } => Wait::Check,
                _ => return,
            },
            Message::Connection(connection) => match connection {
                ConnectionMessage::Deployed { .. } | ConnectionMessage::NotAllowed { .. } => {
                    Wait::Deployed
                }
                ConnectionMessage::ServersFound { .. } => Wait::Servers,
                ConnectionMessage::SecretKept { .. } => Wait::Notice,
                ConnectionMessage::Discovered { .. } => Wait::Discovery,
                ConnectionMessage::Tested { .. } => Wait::Test,
                ConnectionMessage::ErasCompared { .. } => Wait::Eras,
                _ => return,
            },
            Message::History(history) => match history {
                HistoryMessage::Listed { .. } | HistoryMessage::NotListed { .. } => Wait::Listing,
                HistoryMessage::Opened(_) | HistoryMessage::NotOpened { .. } => Wait::Opened,
                HistoryMessage::Compared(_) => Wait::Compared,
                HistoryMessage::Replayed { ended: true, .. } | HistoryMessage::StopReplay => {
                    Wait::Replay
                }
                _ => return,
            },
            Message::Watch(watch) => match watch {
                WatchMessage::Saved { .. } | WatchMessage::Opened { .. } => Wait::Trace,
                WatchMessage::Began { .. } | WatchMessage::Refused { .. } | WatchMessage::Stop => {
                    Wait::Watch
                }
                _ => return,
            },
            Message::Resource(ResourceMessage::WasRead { .. }) => Wait::Item,
            Message::Agent(AgentMessage::CaseTried { .. }) => Wait::Case,
            _ => return,
        };
        if let Some(at) = self.0.iter().position(|known| *known == wait) {
            self.0.swap_remove(at);
        }
    }
}
