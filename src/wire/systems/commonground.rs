//! CommonGround on the wire: calls in several steps over NATS and HTTP, each of them said; its
//! tools through the management API; and services that answer in its place.
//!
//! | file | does |
//! | --- | --- |
//! | [`calling`] | what every way needs: the channel, the API, the agent, the cards |
//! | [`call_progress`] | what is known of a call on its way, and what is notified of what passes |
//! | [`ui`], [`direct`], [`god`], [`probe`] | one way each |
//! | [`tables`] | what is asked of a deployment's PostgreSQL, and written into it |
//! | [`own_agent`] | an agent to call in the name of |
//! | [`api`], [`before_sending`] | what several of them ask of the API, and tell before a command is sent |
//! | [`busy`], [`undispatched`], [`given_up`] | why an agent takes no action, why a command was not sent, why it was delivered in vain |
//! | [`turn`] | the turn of another agent that a call starts |
//! | [`channel_watch`] | what passes in the channel, and what the server says of deliveries |
//! | [`cause`] | who listens, and why nothing comes |
//! | [`store`] | reads and writes the tools of a project |
//! | [`responder`], [`executor`], [`answered_command`], [`asking`] | answers commands and writes the results into its tables; who knows the answers |

pub mod answered_command;
pub mod api;
pub mod asking;
pub mod before_sending;
pub mod busy;
pub mod call_progress;
pub mod calling;
pub mod cause;
pub mod channel_watch;
pub mod direct;
pub mod executor;
pub mod given_up;
pub mod god;
pub mod own_agent;
pub mod probe;
pub mod responder;
pub mod store;
pub mod tables;
pub mod turn;
pub mod ui;
pub mod undispatched;

use futures::future::BoxFuture;

use self::calling::Calling;
use super::{
    facets::{
        multi_step::{CallContext, MultiStep},
        responder::Responder,
        store::DeployedStore,
    },
    live::{CallDriver, LiveSystem},
};
use crate::{
    model::{call::Outcome, entry::SystemId},
    systems::commonground::{
        keys,
        routes::{self, CallMode},
    },
    wire::session::event_sink::{CallEnd, EventSink, SinkClosed},
};

pub(crate) struct LiveCommonGround;

impl LiveSystem for LiveCommonGround {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn call_driver(&self) -> Option<CallDriver<'_>> {
        Some(CallDriver::MultiStep(self))
    }

    fn responder(&self) -> Option<&dyn Responder> {
        Some(&responder::CommonGroundResponder)
    }

    fn store(&self) -> Option<&dyn DeployedStore> {
        Some(&store::CommonGroundStore)
    }
}

impl MultiStep for LiveCommonGround {
    fn run_call<'a>(
        &'a self,
        call_context: CallContext<'a>,
        sink: &'a mut EventSink,
    ) -> BoxFuture<'a, Result<CallEnd, SinkClosed>> {
        Box::pin(async move {
            let lost = |problem| Ok((Outcome::Lost, Some(problem)));
            let channel = match calling::required_channel(call_context.connection) {
                Ok(channel) => channel,
                Err(problem) => return lost(problem),
            };
            let mut calling = match Calling::begin_call(call_context, &channel, sink).await {
                Ok(calling) => calling,
                Err(problem) => return lost(problem),
            };
            match routes::way_of(call_context.request) {
                CallMode::Ui => ui::run_call(&mut calling).await,
                CallMode::Direct => direct::run_call(&mut calling).await,
                CallMode::God => god::run_call(&mut calling).await,
                CallMode::Probe => probe::run_call(&mut calling).await,
            }
        })
    }
}
