//! Announces what is served here: descriptors at the start and to whoever asks, and the answers of a
//! NATS micro service.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    model::call::CallError,
    systems::discovery::{
        announcement::{SUBJECT, is_question},
        micro::{MicroService, ServedCounts, Verb, parse_subject, subject},
    },
    wire::{
        systems::facets::responder::Report,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// What each service has done, by its name there.
#[derive(Clone, Debug, Default)]
pub struct ReportCounts(Arc<Mutex<BTreeMap<String, ServedCounts>>>);

impl ReportCounts {
    /// Counts a call.
    pub fn count(&self, report: &Report) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = counts.entry(report.tool.clone()).or_default();
        own.requests += 1;
        if let Some(problem) = &report.problem {
            own.errors += 1;
            own.last_error.clone_from(&problem.message);
        }
    }

    fn of(&self, service: &str) -> ServedCounts {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(service).cloned().unwrap_or_default()
    }
}

/// A service that is announced.
#[derive(Clone, Debug)]
pub struct Announced {
    /// Its name in the reports.
    pub served_as: String,
    pub service: MicroService,
}

/// Listens for questions about what is served.
pub struct Announcer {
    bus: Arc<dyn Bus>,
    announced: Vec<Announced>,
    counts: ReportCounts,
    questions: Vec<QueueReceiver>,
}

impl Announcer {
    /// Listens for questions, then sends all descriptors.
    ///
    /// # Errors
    /// When the connection takes neither.
    pub async fn start(
        bus: Arc<dyn Bus>,
        announced: Vec<Announced>,
        counts: ReportCounts,
    ) -> Result<Self, CallError> {
        let mut questions = Vec::new();
        let subjects = Verb::ALL
            .into_iter()
            .map(subject)
            .flat_map(|subject| [format!("{subject}.>"), subject])
            .chain([SUBJECT.to_owned()]);
        for subject in subjects {
            let at = Address::ephemeral(subject);
            // Only who looks on hears which subject was asked.
            questions.push(bus.subscribe(&at, SubscriptionShare::Observer).await?);
        }
        let announcer = Self { bus, announced, counts, questions };
        for one in &announcer.announced {
            announcer.send(Address::ephemeral(SUBJECT), &one.service.descriptor).await?;
        }
        Ok(announcer)
    }

    /// Answers until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        let questions = std::mem::take(&mut self.questions).into_iter().map(|questions| {
            let next = |mut questions: QueueReceiver| async move {
                questions.next().await.map(|question| (question, questions))
            };
            stream::unfold(questions, next).boxed()
        });
        let mut questions = stream::select_all(questions);
        loop {
            let question = tokio::select! {
                () = stop.cancelled() => return,
                question = questions.next() => question,
            };
            match question {
                Some(Incoming::Packet(packet)) => self.answer(&packet).await,
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Answers a question; one that can't be answered now is dropped, as NATS services do.
    async fn answer(&self, packet: &Packet) {
        let (Some(asked), Some(to)) = (packet.subject.as_deref(), packet.reply.clone()) else {
            return;
        };
        let answers: Vec<Value> = match parse_subject(asked) {
            Some((verb, name, id)) => {
                let meant = self.announced.iter().filter(|one| one.service.is_meant(name, id));
                meant.map(|one| one.service.answer(verb, &self.counts.of(&one.served_as))).collect()
            }
            None if asked == SUBJECT && is_question(&packet.body) => {
                self.announced.iter().map(|one| one.service.descriptor.clone()).collect()
            }
            None => return,
        };
        for answer in &answers {
            if self.send(to.clone(), answer).await.is_err() {
                return;
            }
        }
    }

    async fn send(&self, to: Address, body: &Value) -> Result<(), CallError> {
        let body = Bytes::from(body.to_string());
        self.bus.send(Outgoing { to, reply: None, headers: Vec::new(), body, expires: None }).await
    }
}
