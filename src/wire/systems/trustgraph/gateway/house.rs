//! What both ways into the gateway share: who is let in, what a request is for, and who is notified
//! of it.

use std::{
    convert::Infallible,
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::doors::{self, GatewayRoute, RouteChoice};
use crate::{
    engine::stub::play::StubPlay,
    model::{
        call::CallError,
        error_kind::ErrorKind,
        stub::{AnswerPiece, StubAnswer},
    },
    systems::{
        deployed::catalog::configured_catalog,
        trustgraph::{
            agent,
            gateway::{
                endpoints::{Endpoint, WORKSPACE},
                refusal::Refusal,
                rehearsal::{RehearsedAnswer, rehearse},
                served,
                table::{self, Table},
            },
        },
    },
    wire::{
        guard::Admission,
        systems::facets::decided::{AnsweredCall, DecidedAnswer},
    },
};

/// The body of an answer.
pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// How much one request may hold.
pub(crate) const LARGEST: usize = 16 * 1024 * 1024;

/// Between two messages of the agent, so that a person sees them come.
const PAUSE: Duration = Duration::from_millis(20);

/// The workspace where the settings name none.
const DEFAULT: &str = "default";

/// A gateway of our own.
pub(crate) struct GatewayServer {
    pub doors: Vec<GatewayRoute>,
    /// The configuration, and an agent that has its tools; `None`: neither is answered for.
    pub table: Option<Mutex<Table>>,
    /// The agent's flow.
    pub flow: String,
    /// `None`: everybody is let in.
    pub token: Option<String>,
    /// `None`: requests may be for any.
    pub workspace: Option<String>,
    /// What is before every path, without a slash at the end.
    pub below: String,
    pub admission: Admission,
    pub reports: Option<mpsc::Sender<AnsweredCall>>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    pub requests: AtomicU64,
}

/// What is said to a request that was passed on.
pub(crate) struct PassedRequest {
    pub service: String,
    pub play: StubPlay,
    /// There is nobody; the gateway says nothing, and says it at once.
    pub nobody: bool,
    pub telling: Telling,
}

impl GatewayServer {
    /// Whether that token opens; no token is an empty one.
    #[must_use]
    pub fn lets_in(&self, token: &str) -> bool {
        self.token.as_deref().is_none_or(|own| own == token)
    }

    #[must_use]
    pub fn workspace(&self) -> &str {
        self.workspace.as_deref().unwrap_or(DEFAULT)
    }

    /// Reports of a request once it is answered, or given up.
    #[must_use]
    pub fn new_telling(&self, service: &str, id: Option<&str>) -> Telling {
        let id = id.map_or_else(
            || format!("http-{}", self.requests.fetch_add(1, Ordering::Relaxed) + 1),
            str::to_owned,
        );
        let answered = AnsweredCall { service: service.to_owned(), id, ..AnsweredCall::default() };
        Telling { answered, reports: self.reports.clone() }
    }

    /// What is said to a request, or why it is not passed on.
    ///
    /// # Errors
    /// When workspace, flow or service are not there, or the body lacks what the service cannot do
    /// without.
    pub fn route_request(
        &self,
        at: &Endpoint,
        workspace: Option<&str>,
        body: &Map<String, Value>,
        id: Option<&str>,
    ) -> Result<PassedRequest, Refused> {
        let mut telling = self.new_telling(&at.service, id);
        let workspace = workspace.or_else(|| body.get(WORKSPACE).and_then(Value::as_str));
        if let Some(wanted) =
            workspace.filter(|wanted| self.workspace.as_deref().is_some_and(|own| own != *wanted))
        {
            return Err(telling.refuse(Refusal::Workspace(wanted.to_owned())));
        }
        if let Some(own) = self.own_answer(at, body) {
            let service = at.service.clone();
            return match own {
                Ok(play) => Ok(PassedRequest { service, play, nobody: false, telling }),
                Err(refusal) => Err(telling.refuse(refusal)),
            };
        }
        let refusal = match &at.flow {
            Some(flow) if !self.doors.iter().any(|door| door.at.flow.as_ref() == Some(flow)) => {
                Some(Refusal::Flow(workspace.unwrap_or(self.workspace()).to_owned(), flow.clone()))
            }
            _ if !self.doors.iter().any(|door| door.at == *at) => {
                Some(Refusal::Service(at.service.clone()))
            }
            _ => None,
        };
        if let Some(refusal) = refusal {
            return Err(telling.refuse(refusal));
        }
        let asked = match served::parse_request(&at.service, body) {
            Ok(asked) => asked,
            Err(member) => return Err(telling.refuse(Refusal::Lacks(member))),
        };
        let service = at.service.clone();
        Ok(match doors::choose_route(&self.doors, at, &asked) {
            RouteChoice::To(name, DecidedAnswer { rule, play, problem }) => {
                telling.answered = AnsweredCall {
                    service: name,
                    rule,
                    problem,
                    ..mem::take(&mut telling.answered)
                };
                PassedRequest { service, play, nobody: false, telling }
            }
            RouteChoice::Nobody => {
                let what = Value::Object(asked.config).to_string();
                telling.answered.problem = Some(CallError {
                    kind: ErrorKind::Nobody,
                    message: format!(
                        "nothing answers for {what}: the caller gets an empty answer, as from the real gateway"
                    ),
                    remedy: String::new(),
                });
                PassedRequest { service, play: StubPlay::default(), nobody: true, telling }
            }
        })
    }
}

impl GatewayServer {
    /// Where the agent is.
    #[must_use]
    pub fn agent_endpoint(&self) -> Endpoint {
        Endpoint { service: agent::SERVICE.to_owned(), flow: Some(self.flow.clone()) }
    }

    /// What the gateway's own services say, where no stub replaces them: the configuration, and an
    /// agent with its tools.
    fn own_answer(
        &self,
        at: &Endpoint,
        body: &Map<String, Value>,
    ) -> Option<Result<StubPlay, Refusal>> {
        let table =
            self.table.as_ref().filter(|_| !self.doors.iter().any(|door| door.at == *at))?;
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        if *at == Endpoint::of_workspace(table::SERVICE) {
            let answer = match body.get("operation").and_then(Value::as_str) {
                None => return Some(Err(Refusal::NoOperation)),
                Some(operation) if !table::OPERATIONS.contains(&operation) => {
                    return Some(Err(Refusal::UnknownOperation));
                }
                Some(_) => table.answer_request(body).to_string(),
            };
            return Some(Ok(StubPlay::from_pieces(vec![answer], Duration::ZERO)));
        }
        if *at != self.agent_endpoint() {
            return None;
        }
        let RehearsedAnswer { messages, error } =
            rehearse(&configured_catalog(&table.items()), body);
        let pieces = messages.into_iter().map(|text| AnswerPiece { text, after: None }).collect();
        Some(Ok(StubPlay::from_then(&StubAnswer {
            pieces,
            error,
            pause: PAUSE,
            ..StubAnswer::default()
        })))
    }
}

/// A request that was not passed on; it is notified of already.
pub(crate) struct Refused(pub Refusal);

/// Reports whoever serves of one request, when it is dropped.
pub(crate) struct Telling {
    pub answered: AnsweredCall,
    reports: Option<mpsc::Sender<AnsweredCall>>,
}

impl Telling {
    /// Reports that it was not passed on.
    #[must_use]
    pub fn refuse(mut self, refusal: Refusal) -> Refused {
        self.answered.problem = Some(refusal.to_call_error());
        Refused(refusal)
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some(reports) = &self.reports {
            // A slow reader of reports must not slow the answers.
            let _ = reports.try_send(mem::take(&mut self.answered));
        }
    }
}
