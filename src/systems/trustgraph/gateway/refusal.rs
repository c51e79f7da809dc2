//! What the gateway says to a request that it does not pass on: over HTTP, in a frame, and in words
//! for whoever serves.

use serde_json::{Map, Value, json};

use crate::model::{call::CallError, error_kind::ErrorKind};

/// Why a request goes to no service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Neither a token nor the right one.
    Token,
    /// A web page of another host brought it along.
    NotAdmitted {
        status: u16,
        message: &'static str,
    },
    NotJson,
    NoObject,
    /// A frame without id, service or request.
    BadFrame,
    Workspace(String),
    /// Workspace and flow.
    Flow(String, String),
    Service(String),
    /// A request to the configuration that says not what to do.
    NoOperation,
    UnknownOperation,
    /// The service fails over a member that is not there.
    Lacks(&'static str),
    /// So many bytes are taken.
    TooLarge(String),
    /// The method that was used.
    Method(String),
    Nowhere(String),
    /// The socket's address, asked for by something that opens no socket.
    NoSocket,
    Stopped,
}

impl Refusal {
    /// The status of the answer over HTTP.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            // As the gateway has it: an answer like any other.
            Self::Flow(..) | Self::Lacks(_) => 200,
            Self::NotJson
            | Self::NoObject
            | Self::BadFrame
            | Self::NoOperation
            | Self::UnknownOperation => 400,
            Self::Token => 401,
            Self::NotAdmitted { status, .. } => *status,
            Self::Workspace(_) | Self::Service(_) | Self::Nowhere(_) => 404,
            Self::Method(_) => 405,
            Self::TooLarge(_) => 413,
            Self::NoSocket => 426,
            Self::Stopped => 503,
        }
    }

    /// The whole answer over HTTP.
    #[must_use]
    pub fn body(&self) -> Value {
        match self {
            Self::Lacks(_) => {
                json!({"error": {"type": "gateway-error", "message": self.message()}})
            }
            Self::Service(_) => json!({"error": "unknown kind"}),
            _ => json!({"error": self.message()}),
        }
    }

    /// The whole answer as a frame.
    #[must_use]
    pub fn to_frame(&self, id: Option<&str>) -> Value {
        let kind = match self {
            Self::Token => "auth-required",
            Self::Workspace(_) => "workspace-not-found",
            Self::Service(_) => "unknown-service",
            Self::Lacks(_) => "gateway-error",
            _ => "error",
        };
        let mut frame: Map<String, Value> =
            id.map(|id| ("id".to_owned(), id.into())).into_iter().collect();
        frame.insert("error".into(), json!({"type": kind, "message": self.message()}));
        frame.insert("complete".into(), true.into());
        frame.into()
    }

    fn message(&self) -> String {
        match self {
            Self::Token => "auth failure".into(),
            Self::NotAdmitted { message, .. } => (*message).into(),
            Self::NotJson => "invalid json".into(),
            Self::NoObject => "body must be an object".into(),
            Self::BadFrame => "Bad message".into(),
            Self::Workspace(_) => "workspace not found".into(),
            Self::Flow(workspace, flow) => format!("Invalid flow {workspace}/{flow}"),
            Self::Service(_) => "unknown service".into(),
            Self::NoOperation => "missing operation".into(),
            Self::UnknownOperation => "unknown operation".into(),
            // A Python KeyError, which is all that the gateway says.
            Self::Lacks(member) => format!("'{member}'"),
            Self::TooLarge(most) => format!("the request is larger than {most}"),
            Self::Method(method) => format!("{method} is not taken here: every request is a POST"),
            Self::Nowhere(path) => format!(
                "there is nothing at {path}: services are at /api/v1/flow/FLOW/service/SERVICE"
            ),
            Self::NoSocket => {
                "this is the address of the WebSocket: open one, or POST to a service".into()
            }
            Self::Stopped => "the gateway was stopped".into(),
        }
    }

    /// For whoever serves: what came that could not be passed on.
    #[must_use]
    pub fn to_call_error(&self) -> CallError {
        let (kind, message) = match self {
            Self::Token => (ErrorKind::Refused, "its token is missing or wrong".into()),
            Self::NotJson => (ErrorKind::NotJson, "it is not JSON".into()),
            Self::NoObject | Self::BadFrame => (
                ErrorKind::NotARequest,
                "it is no request (a frame has id, service and request; a body is an object)"
                    .into(),
            ),
            Self::Workspace(name) => (
                ErrorKind::NoWorkspace,
                format!("it is for the workspace \"{name}\", which is not this one"),
            ),
            Self::Flow(_, flow) => (
                ErrorKind::NoFlow,
                format!("it is for the flow \"{flow}\", where nothing is answered for"),
            ),
            Self::Service(name) => {
                (ErrorKind::NoService, format!("nothing answers for the service \"{name}\""))
            }
            Self::Lacks(member) => {
                (ErrorKind::LacksMember, format!("it lacks the member '{member}'"))
            }
            other => (ErrorKind::Refused, other.message()),
        };
        CallError { kind, message, remedy: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::trustgraph::gateway::messages::{GatewayError, classify_error};

    #[test]
    fn our_own_reader_knows_each_refusal_on_both_ways() {
        for (refusal, kind) in [
            (Refusal::Token, "refused"),
            (Refusal::Workspace("w".into()), "no-workspace"),
            (Refusal::Flow("w".into(), "f".into()), "no-flow"),
            (Refusal::Service("s".into()), "no-service"),
        ] {
            for (error, status) in
                [(refusal.body(), Some(refusal.status())), (refusal.to_frame(Some("r")), None)]
            {
                match classify_error(&error["error"], status) {
                    GatewayError::Refused(problem) => assert_eq!(problem.kind.as_str(), kind),
                    other => panic!("{other:?}"),
                }
            }
        }
        let lacks = Refusal::Lacks("name");
        assert!(
            matches!(classify_error(&lacks.body()["error"], Some(200)), GatewayError::Service(told) if told.message.contains("'name'"))
        );
    }
}
