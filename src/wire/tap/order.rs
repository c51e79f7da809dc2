//! Puts an answer behind the request that it belongs to, where each place is read by itself and an
//! answer may be received first.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::buffer::TapBuffer;
use crate::{
    model::traffic::{ObservedMessage, Part, Tapped},
    systems::watched,
};

/// How long an answer waits for its request. A broker may look for messages only once a second.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// So many ids of requests are known at once.
const MOST: usize = 10_000;

/// So many answers wait at once.
const WAITING: usize = 1_000;

/// Lets everything through to the buffer, answers only after their requests.
pub(super) struct Order {
    buffer: Arc<TapBuffer>,
    held: Mutex<EarlyAnswers>,
}

#[derive(Default)]
struct EarlyAnswers {
    asked: HashSet<String>,
    /// The same, oldest first.
    ids: VecDeque<String>,
    /// Answers whose request was not received yet, oldest first.
    early: VecDeque<(Instant, String, Arc<ObservedMessage>)>,
}

impl Order {
    pub(super) fn new(buffer: Arc<TapBuffer>) -> Self {
        Self { buffer, held: Mutex::default() }
    }

    fn lock_held(&self) -> MutexGuard<'_, EarlyAnswers> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what was received just now.
    pub(super) fn put_in_order(&self, crossing: ObservedMessage) {
        let reading = watched::classify_message(&crossing);
        let crossing = Arc::new(crossing);
        let mut held = self.lock_held();
        match (reading.part, reading.id) {
            (Part::Request | Part::Step, Some(id)) => {
                self.buffer.put_live(Tapped::ObservedMessage(crossing));
                held.remember_request(&id);
                let (own, rest) =
                    std::mem::take(&mut held.early).into_iter().partition(|(_, of, _)| *of == id);
                held.early = rest;
                self.let_go(own);
            }
            (Part::Answer { .. } | Part::Error(_), Some(id)) if !held.asked.contains(&id) => {
                held.early.push_back((Instant::now(), id, crossing));
                if held.early.len() > WAITING {
                    let oldest = held.early.pop_front();
                    self.let_go(oldest.into_iter().collect());
                }
            }
            _ => self.buffer.put_live(Tapped::ObservedMessage(crossing)),
        }
    }

    /// Releases what has waited for long enough: its request was sent before anybody listened.
    pub(super) fn release_overdue(&self) {
        let mut held = self.lock_held();
        let (now, mut due) = (Instant::now(), VecDeque::new());
        while held.early.front().is_some_and(|(since, ..)| now.duration_since(*since) >= PATIENCE) {
            due.extend(held.early.pop_front());
        }
        // The answers that follow are no earlier than these.
        due.iter().for_each(|(_, id, _)| held.remember_request(id));
        self.let_go(due);
    }

    fn let_go(&self, due: VecDeque<(Instant, String, Arc<ObservedMessage>)>) {
        due.into_iter()
            .for_each(|(_, _, crossing)| self.buffer.put_live(Tapped::ObservedMessage(crossing)));
    }
}

impl EarlyAnswers {
    fn remember_request(&mut self, id: &str) {
        if self.asked.insert(id.to_owned()) {
            self.ids.push_back(id.to_owned());
            if self.ids.len() > MOST
                && let Some(oldest) = self.ids.pop_front()
            {
                self.asked.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{clock::Millis, traffic::KeptMessage};

    fn crossing(subject: &str, id: &str, body: &str) -> ObservedMessage {
        ObservedMessage {
            at: Millis(0),
            subject: subject.into(),
            reply: None,
            headers: vec![("id".into(), id.into())],
            body: body.as_bytes().into(),
            size: body.len() as u64,
            kept: KeptMessage::Whole,
            about: None,
        }
    }

    fn taken(buffer: &TapBuffer) -> Vec<String> {
        let text = |tapped: Tapped| match tapped {
            Tapped::ObservedMessage(crossing) => {
                format!("{} {}", crossing.subject, crossing.header("id").unwrap_or_default())
            }
            other => panic!("{other:?}"),
        };
        buffer.take_batch(100).into_iter().map(text).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_waits_for_its_request_and_not_for_ever() {
        let buffer = Arc::new(TapBuffer::new(1_000_000));
        let order = Order::new(Arc::clone(&buffer));
        let (asked, piece, last) = (
            r#"{"config": "{}", "arguments": "{}"}"#,
            r#"{"error": null, "response": "a", "end_of_stream": false}"#,
            r#"{"error": null, "response": "b", "end_of_stream": true}"#,
        );
        order.put_in_order(crossing("tg.response.joke", "1", piece));
        order.put_in_order(crossing("tg.request.joke", "2", asked));
        order.put_in_order(crossing("tg.response.joke", "2", last));
        assert_eq!(taken(&buffer), ["tg.request.joke 2", "tg.response.joke 2"]);
        order.put_in_order(crossing("tg.response.joke", "1", last));
        order.put_in_order(crossing("tg.request.joke", "1", asked));
        assert_eq!(
            taken(&buffer),
            ["tg.request.joke 1", "tg.response.joke 1", "tg.response.joke 1"]
        );
        order.put_in_order(crossing("tg.response.joke", "3", piece));
        order.release_overdue();
        assert_eq!(taken(&buffer), [""; 0]);
        tokio::time::advance(PATIENCE).await;
        order.release_overdue();
        order.put_in_order(crossing("tg.response.joke", "3", last));
        assert_eq!(taken(&buffer), ["tg.response.joke 3", "tg.response.joke 3"]);
    }
}
