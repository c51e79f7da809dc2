//! Listens on the broker behind a gateway while the agent answers one question: passively, beside
//! everybody who works there.

use std::{future::pending, time::Duration};

use serde_json::{Value, json};
use tokio::time::timeout;

use super::ask::request_text;
use crate::{
    engine::mask::Mask,
    model::{
        agent::{AgentQuestion, AgentReport},
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
        traffic::Tapped,
    },
    systems::trustgraph::{
        deployed::item,
        dialogue::Dialogue,
        overheard::{Overheard, Overhearing},
        settings::Gateway,
    },
    wire::{connector::Connector, tap::Tap, transport::message::Address},
};

const LISTENING: &str = "listening behind the gateway";

/// How long the agent's own error may take to be received once the gateway has said of one.
const WAITING: Duration = Duration::from_secs(3);

/// So many messages are taken at once.
const SLICE: usize = 64;

/// Hears what passes about one question; `None` inside where there is no broker to listen on.
pub(crate) struct QuestionListener(Option<(Tap, Overhearing)>);

impl QuestionListener {
    /// One that hears nothing.
    #[must_use]
    pub fn without_broker() -> Self {
        Self(None)
    }

    /// Listens on the gateway's broker, where its settings name one, before the question is asked.
    ///
    /// # Errors
    /// When the broker cannot be listened on.
    pub async fn subscribe(
        connector: &dyn Connector,
        gateway: &Connection,
        asked: &AgentQuestion,
        mask: Mask,
    ) -> Result<Self, Problem> {
        let Some(broker) = Gateway::from_connection(gateway).broker else {
            return Ok(Self::without_broker());
        };
        let flow = read_flow(connector, gateway).await;
        let (overhearing, places) =
            Overhearing::for_question(&asked.question, gateway, flow.as_ref(), broker.transport())?;
        let places: Vec<Address> = places
            .into_iter()
            .map(|place| Address { name: place.name, kept: place.kept })
            .collect();
        let unreached = |problem: CallError| {
            let cause = format!("{}: {}", broker.name, problem.message);
            Problem::new(ProblemKind::Unreachable, LISTENING, cause).with_remedy(problem.remedy)
        };
        let bus = connector.open_bus(&broker).await.map_err(unreached)?;
        let tap = Tap::open(bus, &places, mask).await.map_err(unreached)?;
        Ok(Self(Some((tap, overhearing))))
    }

    /// What is received next about the question; never ends where nothing is received.
    pub async fn next(&mut self) -> Vec<Overheard> {
        let Some((tap, overhearing)) = &mut self.0 else { return pending().await };
        let heard = tap.next(SLICE).await;
        let of = |tapped: Tapped| match tapped {
            Tapped::ObservedMessage(crossing) => overhearing.observe_message(&crossing),
            Tapped::Gap { .. } | Tapped::Notice { .. } => None,
        };
        heard.into_iter().filter_map(of).collect()
    }

    /// Hears on until the dialogue knows why the agent failed, or for long enough; what else was
    /// learned on the way.
    pub async fn until_known(&mut self, dialogue: &mut Dialogue) -> Vec<AgentReport> {
        let mut said = Vec::new();
        if self.0.is_some() {
            let hearing = async {
                while !dialogue.knows_why() {
                    said.extend(
                        self.next()
                            .await
                            .into_iter()
                            .flat_map(|heard| dialogue.handle_overheard(heard)),
                    );
                }
            };
            // What was not received by then is not known.
            let _ = timeout(WAITING, hearing).await;
        }
        said
    }

    /// Stops listening; the broker knows it once this is done.
    pub async fn unsubscribe(self) {
        if let Some((tap, _)) = self.0 {
            tap.close().await;
        }
    }
}

/// What the configuration says of the gateway's flow; its usual queues count where it cannot be
/// read.
async fn read_flow(connector: &dyn Connector, gateway: &Connection) -> Option<Value> {
    let keys = json!([{"type": "flow", "key": Gateway::from_connection(gateway).flow}]);
    let body =
        [("operation".to_owned(), json!("get")), ("keys".to_owned(), keys)].into_iter().collect();
    let correlation = uuid::Uuid::new_v4().to_string();
    let answer = request_text(
        connector,
        gateway,
        item::config_request(body, &correlation, gateway),
        LISTENING,
    )
    .await
    .ok()?;
    let answer: Value = serde_json::from_str(&answer).ok()?;
    serde_json::from_str(answer.pointer("/values/0/value")?.as_str()?).ok()
}
