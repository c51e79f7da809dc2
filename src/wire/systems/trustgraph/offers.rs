//! Which sample service or stub answers on which queues.

use crate::{
    engine::services::{SAMPLES, sample::Sample},
    model::service::Service,
    systems::trustgraph::queue,
    wire::systems::facets::decided::AnswerSource,
};

/// A service that answers, and its queues as descriptors spell them.
#[derive(Clone, Debug)]
pub struct ServedService {
    pub name: String,
    pub request: String,
    /// `None`: answers go to the inbox that a request names.
    pub response: Option<String>,
    pub by: AnswerSource,
}

/// The sample services on the queues that they have everywhere in the documents.
#[must_use]
pub fn sample_services() -> Vec<ServedService> {
    // Spelled so that every transport can carry them.
    let queue = |class: &str, topic: &str| format!("{class}:tg:{topic}");
    let offer = |sample: &Sample| ServedService {
        name: sample.name.into(),
        request: queue("request", sample.topic),
        response: Some(queue("response", sample.topic)),
        by: AnswerSource::Sample(*sample),
    };
    SAMPLES.iter().map(offer).collect()
}

/// Offers for those of a workspace's services that a sample can stand for (by key, or by the last
/// part of the request queue), on the queues that their descriptors name.
#[must_use]
pub(crate) fn standing_in<'s>(
    services: impl IntoIterator<Item = &'s Service>,
) -> Vec<ServedService> {
    services.into_iter().filter_map(offer_for).collect()
}

fn offer_for(service: &Service) -> Option<ServedService> {
    let request = service.request_queue.clone()?;
    let subject = queue::nats_subject(&request).ok()?;
    let topic = subject.rsplit('.').next();
    let by_key = SAMPLES.iter().find(|sample| [sample.name, sample.topic].contains(&service.key()));
    let sample = by_key.or_else(|| SAMPLES.iter().find(|sample| Some(sample.topic) == topic))?;
    Some(ServedService {
        name: service.key().into(),
        request,
        response: service.response_queue.clone(),
        by: AnswerSource::Sample(*sample),
    })
}
