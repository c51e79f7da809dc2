//! What both ways into the gateway share: who is let in, what a request is for, and who is told of it.

use std::{
    convert::Infallible,
    mem,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::doors::{self, Door, Way};
use crate::{
    engine::stub::play::Play,
    model::call::CallProblem,
    systems::trustgraph::gateway::{
        endpoints::{Endpoint, WORKSPACE},
        refusal::Refusal,
        served,
    },
    wire::serve::decided::{Answered, Decided},
};

/// The body of an answer.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

/// How much one request may hold.
pub const LARGEST: usize = 16 * 1024 * 1024;

/// The workspace where the settings name none.
const DEFAULT: &str = "default";

/// A gateway of our own.
pub struct House {
    pub doors: Vec<Door>,
    /// `None`: everybody is let in.
    pub token: Option<String>,
    /// `None`: requests may be for any.
    pub workspace: Option<String>,
    /// What stands before every path, without a slash at the end.
    pub below: String,
    pub reports: Option<mpsc::Sender<Answered>>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    pub requests: AtomicU64,
}

/// What is said to a request that was passed on.
pub struct Passed {
    pub service: String,
    pub play: Play,
    /// There is nobody; the gateway says nothing, and says it at once.
    pub nobody: bool,
    pub telling: Telling,
}

impl House {
    /// Whether that token opens; no token is an empty one.
    #[must_use]
    pub fn lets_in(&self, token: &str) -> bool {
        self.token.as_deref().is_none_or(|own| own == token)
    }

    #[must_use]
    pub fn workspace(&self) -> &str {
        self.workspace.as_deref().unwrap_or(DEFAULT)
    }

    /// Tells of a request once it is answered, or given up.
    #[must_use]
    pub fn telling(&self, service: &str, id: Option<&str>) -> Telling {
        let id = id.map_or_else(|| format!("http-{}", self.requests.fetch_add(1, Ordering::Relaxed) + 1), str::to_owned);
        let answered = Answered { service: service.to_owned(), id, ..Answered::default() };
        Telling { answered, reports: self.reports.clone() }
    }

    /// What is said to a request, or why it is not passed on.
    ///
    /// # Errors
    /// When workspace, flow or service are not there, or the body lacks what the service cannot do without.
    pub fn pass(
        &self,
        at: &Endpoint,
        workspace: Option<&str>,
        body: &Map<String, Value>,
        id: Option<&str>,
    ) -> Result<Passed, Refused> {
        let mut telling = self.telling(&at.service, id);
        let workspace = workspace.or_else(|| body.get(WORKSPACE).and_then(Value::as_str));
        let refusal = match (workspace, &at.flow) {
            (Some(wanted), _) if self.workspace.as_deref().is_some_and(|own| own != wanted) => {
                Some(Refusal::Workspace(wanted.to_owned()))
            }
            (_, Some(flow)) if !self.doors.iter().any(|door| door.at.flow.as_ref() == Some(flow)) => {
                Some(Refusal::Flow(workspace.unwrap_or(self.workspace()).to_owned(), flow.clone()))
            }
            _ if !self.doors.iter().any(|door| door.at == *at) => Some(Refusal::Service(at.service.clone())),
            _ => None,
        };
        if let Some(refusal) = refusal {
            return Err(telling.refused(refusal));
        }
        let asked = match served::asked(&at.service, body) {
            Ok(asked) => asked,
            Err(member) => return Err(telling.refused(Refusal::Lacks(member))),
        };
        let service = at.service.clone();
        Ok(match doors::choose(&self.doors, at, &asked) {
            Way::To(name, Decided { rule, play, problem }) => {
                telling.answered = Answered { service: name, rule, problem, ..mem::take(&mut telling.answered) };
                Passed { service, play, nobody: false, telling }
            }
            Way::Nobody => {
                let what = Value::Object(asked.config).to_string();
                telling.answered.problem = Some(CallProblem {
                    kind: "nobody".into(),
                    message: format!("nothing answers for {what}: the caller gets an empty answer, as from the real gateway"),
                    remedy: String::new(),
                });
                Passed { service, play: Play::default(), nobody: true, telling }
            }
        })
    }
}

/// A request that was not passed on; it is told of already.
pub struct Refused(pub Refusal);

/// Tells whoever serves of one request, when it is dropped.
pub struct Telling {
    pub answered: Answered,
    reports: Option<mpsc::Sender<Answered>>,
}

impl Telling {
    /// Tells that it was not passed on.
    #[must_use]
    pub fn refused(mut self, refusal: Refusal) -> Refused {
        self.answered.problem = Some(refusal.words());
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
