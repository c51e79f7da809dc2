//! What a server says unasked: progress, logs, changes; each is reported to whom it concerns.

use super::{
    driver::Driver,
    problems::odd,
    stages::{CHANGED, SUBSCRIBED, UPDATED, log_words, progress_words, stage, stage_of_bytes},
};
use crate::{
    model::stage::Stage,
    systems::mcp::{
        fault::Fault,
        notice::{Notice, subscription},
        rpc::{frame::Frame, id::Id},
    },
    wire::transport::message::Incoming,
};

impl Driver {
    pub(super) async fn notice(&mut self, notice: Notice, text: String, faults: &[Fault]) {
        match notice {
            Notice::Progress { token, progress, total, message } => {
                // A server may give a number back as a text.
                let own =
                    || token.as_text().parse::<u64>().map_or_else(|_| token.clone(), Id::from);
                let waiting = &self.state.waiting;
                match waiting.get(&token).or_else(|| waiting.get(&own())) {
                    Some(waiting) => {
                        let (total, message) = (total.as_ref(), message.as_deref());
                        let words = progress_words(&progress, total, message, faults);
                        let stage = stage_of_bytes(Stage::PROGRESS, words, text.into());
                        // One that has left is informed that it has by another way.
                        let _ = waiting.inbox.push(Incoming::Packet(stage)).await;
                    }
                    None if self.tell_late(&own(), &text) => {}
                    None => self.tell_all("odd", &odd(&text, faults), &text).await,
                }
            }
            Notice::Log { level, logger, data } => {
                let words = log_words(level, logger.as_deref(), &data);
                self.tell_all("log", &words, &text).await;
            }
            Notice::Changed(list) => {
                let words = format!("the server's list of {} has changed", list.as_str());
                let told = stage(CHANGED, &words, &text);
                self.state.updates.retain(|to| to.try_push(Incoming::Packet(told.clone())).is_ok());
                self.tell_subscriber(CHANGED, &words, &text).await;
            }
            Notice::ResourceUpdated { uri } => {
                let words = format!("the resource {uri} has changed");
                let told = stage(UPDATED, &words, &text);
                self.state.updates.retain(|to| to.try_push(Incoming::Packet(told.clone())).is_ok());
                self.tell_subscriber(UPDATED, &words, &text).await;
            }
            Notice::Subscribed { .. } => {
                self.tell_subscriber(SUBSCRIBED, "the server serves the subscription", &text).await;
            }
            Notice::Other { method, .. } => {
                self.tell_all("odd", &format!("an unknown notification: {method}"), &text).await;
            }
            Notice::Cancelled { .. } => {
                self.tell_all("notice", "the server gives up a request", &text).await;
            }
            Notice::Task(task) => {
                let status = task["status"].as_str().unwrap_or("without a status");
                self.tell_all("notice", &format!("the server reports a task: {status}"), &text)
                    .await;
            }
            Notice::ElicitationComplete { .. } => {
                self.tell_all("notice", "what was to be done at the URL is done", &text).await;
            }
        }
    }

    /// Reports the subscription that a notification names, or all calls where it names none.
    async fn tell_subscriber(&mut self, name: &str, words: &str, text: &str) {
        let params = Frame::parse(text).params();
        let waiting = subscription(&params).and_then(|id| self.state.waiting.get(&id));
        match waiting {
            // Who has left is reported in another way.
            Some(waiting) => {
                drop(waiting.inbox.push(Incoming::Packet(stage(name, words, text))).await);
            }
            None => self.tell_all(name, words, text).await,
        }
    }
}
