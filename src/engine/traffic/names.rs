//! What conversations are known by: their ids, other names, and the inboxes that answers to them go
//! to.

use std::{collections::HashMap, sync::Arc};

use super::conversation::Conversation;
use crate::model::traffic::{Decoded, ObservedMessage};

/// Names of conversations, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    by_name: HashMap<Arc<str>, u64>,
    by_inbox: HashMap<Arc<str>, u64>,
}

impl Names {
    /// The conversation that a message says it belongs to.
    pub(super) fn find_by_message(
        &self,
        crossing: &ObservedMessage,
        reading: &Decoded,
    ) -> Option<u64> {
        let by_name = reading.names().find_map(|name| self.by_name.get(name));
        by_name.or_else(|| self.by_inbox.get(&crossing.subject)).copied()
    }

    /// The conversation of that name.
    pub(super) fn find_by_name(&self, name: &str) -> Option<u64> {
        self.by_name.get(name).copied()
    }

    /// From now on it goes by what the message calls it, too.
    pub(super) fn add_names(&mut self, conversation: &mut Conversation, reading: &Decoded) {
        /// So many names one conversation has at most.
        const MOST: usize = 16;
        if conversation.id.is_none() {
            conversation.id = reading.id.as_deref().map(Arc::from);
        }
        for name in reading.names() {
            let known = conversation.id.as_deref() == Some(name)
                || conversation.names.iter().any(|known| **known == *name);
            if !known && conversation.names.len() < MOST {
                conversation.names.push(name.into());
            }
        }
        for name in conversation.id.iter().chain(&conversation.names) {
            self.by_name.insert(Arc::clone(name), conversation.number);
        }
        if let Some(inbox) = &conversation.inbox {
            self.by_inbox.insert(Arc::clone(inbox), conversation.number);
        }
    }

    /// It is no longer kept.
    pub(super) fn remove_conversation(&mut self, conversation: &Conversation) {
        let names = conversation.id.iter().chain(&conversation.names).map(|name| (name, true));
        for (name, own) in names.chain(conversation.inbox.iter().map(|inbox| (inbox, false))) {
            let map = if own { &mut self.by_name } else { &mut self.by_inbox };
            if map.get(name) == Some(&conversation.number) {
                map.remove(name);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }
}
