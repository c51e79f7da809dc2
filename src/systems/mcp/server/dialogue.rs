//! One client of a server: reads its messages, answers what can be answered at once, and says what
//! is to be done for the rest.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{
    client_questions::{ClientAbilities, RepeatedCall},
    envelope::{
        Envelope, all_versions, is_modern, progress_token, read_envelope, unsupported_version,
    },
    reply::{Refusal, Reply, ServerInfo, TASKS, WITH_TASKS, refused_result},
    toolbox::{ToolRow, Toolbox},
};
use crate::{
    schema::literal::Literal,
    systems::mcp::{
        calls::CALL,
        codes,
        notice::LogLevel,
        rpc::{
            build::SpokenVersion,
            frame::{Frame, Kind, Span},
            id::Id,
        },
        version::{DEFAULT, Era, Versions},
    },
};

/// The revision whose clients may send several messages in a list.
const WITH_BATCHES: &str = "2025-03-26";

/// The first revision whose clients take events with an id and no data.
const WITH_EMPTY_EVENTS: &str = "2025-11-25";

/// What servers behind the tools are asked for.
pub const RELAYED: [&str; 6] = [
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// What a server offers at the moment.
#[derive(Clone, Copy)]
pub struct Offer<'o> {
    pub about: &'o ServerInfo,
    pub toolbox: &'o Toolbox,
    /// In the order of the rows.
    pub available: &'o [ToolRow],
    /// Why a tool is not among them.
    pub hidden_reason: &'o dyn Fn(ToolRow) -> String,
}

/// What a message of a client results in.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientRequest {
    /// This is to be sent back.
    Reply(Reply),
    Call(Box<ToolCall>),
    /// Servers behind the tools have the answer.
    Relay(RelayedRequest),
    /// The answer to a question: a result, or an object with its `error`.
    Answer {
        id: Id,
        answer: Value,
    },
    /// Nobody waits any more for the request of that id.
    Cancel(Id),
    /// Wants to know what changes, until it is cancelled.
    Listen(ToolSubscription),
    /// Wants to know when a resource changes, or no longer.
    Follow(ResourceSubscription),
    /// Asks about a task.
    Task(TaskRequest),
    /// Nothing is to be said to it.
    Nothing,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: Id,
    pub row: ToolRow,
    pub name: String,
    /// An object, as it was written.
    pub arguments: Literal,
    /// Under which to say how far it is, where that is wanted.
    pub progress: Option<Id>,
    /// The least level of logs that is wanted; none: no logs.
    pub level: Option<LogLevel>,
    pub spoken: SpokenVersion,
    /// What the client can be asked meanwhile.
    pub abilities: ClientAbilities,
    /// It goes on with a call that was asked about.
    pub repeated: Option<RepeatedCall>,
    pub task: TaskWish,
}

/// Whether a call is to go on as a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskWish {
    #[default]
    None,
    /// The server may make one of it.
    Possible,
    /// The client wants one, to be kept for so many milliseconds.
    Asked { ttl: Option<u64> },
}

/// A request about a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRequest {
    pub id: Id,
    pub spoken: SpokenVersion,
    pub method: String,
    pub task: String,
    /// What the client found out.
    pub responses: Value,
}

/// A request for something else than tools.
#[derive(Clone, Debug, PartialEq)]
pub struct RelayedRequest {
    pub id: Id,
    pub method: String,
    pub params: Value,
    pub spoken: SpokenVersion,
}

/// What a request says of its client.
#[derive(Clone, Debug)]
struct Said {
    spoken: SpokenVersion,
    /// The least level of logs that is wanted.
    level: Option<LogLevel>,
    abilities: ClientAbilities,
}

/// A subscription of the modern era.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSubscription {
    pub id: Id,
    pub spoken: SpokenVersion,
    /// Whether changes of the tools are wanted.
    pub tools: bool,
    /// The resources whose changes are wanted.
    pub resources: Vec<String>,
}

/// A request of the legacy era to be reported when a resource changes, or no longer.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceSubscription {
    pub id: Id,
    pub spoken: SpokenVersion,
    pub uri: String,
    pub is_wanted: bool,
}

/// What is known of a client.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    /// The version that `initialize` came to.
    version: Option<String>,
    /// The least level of logs; none said: what is worth knowing.
    level: Option<LogLevel>,
    abilities: ClientAbilities,
    versions: Versions,
    /// No connection is ever begun: each request represents itself.
    is_stateless: bool,
}

/// The parameters of a call, with arguments as they were written.
#[derive(Deserialize)]
struct CallParams<'t> {
    #[serde(borrow, default)]
    arguments: Option<&'t RawValue>,
}

impl Dialogue {
    /// One in which each request represents itself, as the modern era has it.
    #[must_use]
    pub fn stateless() -> Self {
        Self { is_stateless: true, ..Self::default() }
    }

    /// Whether the client goes on with streams that broke, the first event of which is empty.
    #[must_use]
    pub fn resumes_streams(&self) -> bool {
        self.version.as_deref().is_some_and(|version| version >= WITH_EMPTY_EVENTS)
    }

    /// Whether the client has begun a connection of the legacy era.
    #[must_use]
    pub fn is_initialized(&self) -> bool {
        self.version.is_some()
    }

    /// The messages of a frame that may hold several.
    ///
    /// # Errors
    /// When the client's revision knows no lists of messages.
    pub fn split_messages(&self, frame: Frame) -> Result<Vec<Frame>, Reply> {
        let is_list = matches!(frame.kind, Kind::Batch(_));
        if is_list && self.version.as_deref() != Some(WITH_BATCHES) {
            let message = "a message is an object: lists of them are of 2025-03-26 alone";
            return Err(Refusal::new(codes::INVALID_REQUEST, message).to_reply(None, Era::Modern));
        }
        Ok(frame.into_messages())
    }

    /// Takes a message in.
    pub fn handle_message(&mut self, frame: &Frame, offer: Offer<'_>) -> ClientRequest {
        let refuse = |code, message| {
            ClientRequest::Reply(Refusal::new(code, message).to_reply(None, Era::Modern))
        };
        match &frame.kind {
            Kind::Noise => refuse(codes::PARSE_ERROR, "this is not JSON"),
            Kind::Foreign | Kind::Batch(_) | Kind::Several(_) => {
                refuse(codes::INVALID_REQUEST, "this is no JSON-RPC message")
            }
            Kind::Reply { id: Some(id), result, error } => {
                let value = |span: &Span| frame.parse_value(span);
                let answer = match error {
                    Some(error) => json!({"error": value(error)}),
                    None => result.as_ref().map(value).unwrap_or_default(),
                };
                ClientRequest::Answer { id: id.clone(), answer }
            }
            Kind::Reply { id: None, .. } => ClientRequest::Nothing,
            Kind::Notification { method, .. } if method == "notifications/cancelled" => {
                let request = frame.params().get("requestId").and_then(Id::from_value);
                request.map_or(ClientRequest::Nothing, ClientRequest::Cancel)
            }
            Kind::Notification { .. } => ClientRequest::Nothing,
            Kind::Request { id, method, params } => {
                let request = Request { id, method, frame, span: params.as_ref() };
                let era = self.era_of(&request);
                let answered = match era {
                    Era::Modern => self.handle_modern(&request, offer),
                    Era::Legacy => self.handle_legacy(&request, offer),
                };
                answered
                    .unwrap_or_else(|refusal| ClientRequest::Reply(refusal.to_reply(Some(id), era)))
            }
        }
    }

    /// The era that a request is to be answered in.
    fn era_of(&self, request: &Request<'_>) -> Era {
        let begins = matches!(request.method, "initialize" | "ping");
        let is_legacy = !self.is_stateless && (begins || self.is_initialized());
        match is_modern(&request.params()) || !is_legacy {
            true => Era::Modern,
            false => Era::Legacy,
        }
    }

    fn handle_modern(
        &self,
        request: &Request<'_>,
        offer: Offer<'_>,
    ) -> Result<ClientRequest, Refusal> {
        let params = request.params();
        let Envelope { spoken, level, abilities } = read_envelope(&params, &self.versions)?;
        Ok(match request.method {
            "server/discover" => {
                let result = json!({
                    "supportedVersions": all_versions(&self.versions),
                    "capabilities": offer.about.capabilities(&spoken.version),
                    "instructions": offer.about.instructions,
                });
                ClientRequest::Reply(offer.about.list_result(request.id, &spoken, result))
            }
            "subscriptions/listen" => {
                let Some(wanted) = params.get("notifications").filter(|wanted| wanted.is_object())
                else {
                    let message = "subscriptions/listen wants an object \"notifications\"";
                    return Err(Refusal::new(codes::INVALID_PARAMS, message));
                };
                let tools = wanted.get("toolsListChanged") == Some(&Value::Bool(true));
                let resources = wanted.get("resourceSubscriptions").and_then(Value::as_array);
                let resources = resources.into_iter().flatten().filter_map(Value::as_str);
                let resources = match offer.about.has_servers {
                    true => resources.map(str::to_owned).collect(),
                    false => Vec::new(),
                };
                let id = request.id.clone();
                ClientRequest::Listen(ToolSubscription { id, spoken, tools, resources })
            }
            method => return request.of_any_era(method, Said { spoken, level, abilities }, offer),
        })
    }

    fn handle_legacy(
        &mut self,
        request: &Request<'_>,
        offer: Offer<'_>,
    ) -> Result<ClientRequest, Refusal> {
        let version = self.version.clone().unwrap_or_else(|| DEFAULT.to_owned());
        let spoken = SpokenVersion { era: Era::Legacy, version };
        let empty = || ClientRequest::Reply(offer.about.result(request.id, &spoken, json!({})));
        match request.method {
            "initialize" => self.initialize(request, offer.about),
            "ping" => Ok(empty()),
            "logging/setLevel" => {
                let params = request.params();
                let level = params.get("level").and_then(Value::as_str).and_then(LogLevel::parse);
                let Some(level) = level else {
                    let message = "logging/setLevel wants one of the eight levels";
                    return Err(Refusal::new(codes::INVALID_PARAMS, message));
                };
                self.level = Some(level);
                Ok(empty())
            }
            "resources/subscribe" | "resources/unsubscribe" if offer.about.has_servers => {
                let params = request.params();
                let Some(uri) = params.get("uri").and_then(Value::as_str) else {
                    let message = format!("{} wants a text \"uri\"", request.method);
                    return Err(Refusal::new(codes::INVALID_PARAMS, message));
                };
                Ok(ClientRequest::Follow(ResourceSubscription {
                    id: request.id.clone(),
                    spoken,
                    uri: uri.to_owned(),
                    is_wanted: request.method == "resources/subscribe",
                }))
            }
            method => {
                let level = Some(self.level.unwrap_or(LogLevel::Info));
                let abilities = self.abilities.clone();
                request.of_any_era(method, Said { spoken, level, abilities }, offer)
            }
        }
    }

    fn initialize(
        &mut self,
        request: &Request<'_>,
        about: &ServerInfo,
    ) -> Result<ClientRequest, Refusal> {
        let params = request.params();
        let Some(wanted) = params.get("protocolVersion").and_then(Value::as_str) else {
            let message = "initialize wants a text \"protocolVersion\"";
            return Err(Refusal::new(codes::INVALID_PARAMS, message));
        };
        let known = self.versions.legacy.iter().find(|known| *known == wanted);
        let Some(version) = known.map(String::as_str).or(self.versions.newest_legacy()) else {
            return Err(unsupported_version(wanted, &self.versions));
        };
        let version = version.to_owned();
        let result = json!({
            "protocolVersion": version,
            "capabilities": about.capabilities(&version),
            "serverInfo": about.server_info(),
            "instructions": about.instructions,
        });
        let spoken = SpokenVersion { era: Era::Legacy, version: version.clone() };
        self.version = Some(version);
        self.abilities = params.get("capabilities").map(ClientAbilities::new).unwrap_or_default();
        Ok(ClientRequest::Reply(about.result(request.id, &spoken, result)))
    }
}

/// A request of a client.
struct Request<'r> {
    id: &'r Id,
    method: &'r str,
    frame: &'r Frame,
    span: Option<&'r Span>,
}

impl Request<'_> {
    fn params(&self) -> Value {
        self.frame.params()
    }

    /// What both eras have.
    fn of_any_era(
        &self,
        method: &str,
        said: Said,
        offer: Offer<'_>,
    ) -> Result<ClientRequest, Refusal> {
        let spoken = &said.spoken;
        match method {
            "tools/list" => {
                let params = self.params();
                let page = match params.get("cursor") {
                    None | Some(Value::Null) => offer.toolbox.list_page(offer.available, None),
                    Some(Value::String(cursor)) => {
                        offer.toolbox.list_page(offer.available, Some(cursor))
                    }
                    Some(_) => None,
                };
                let Some(mut page) = page else {
                    let message = "the cursor is none that this server gave";
                    return Err(Refusal::new(codes::INVALID_PARAMS, message));
                };
                if spoken.version == WITH_TASKS {
                    let tools = page.get_mut("tools").and_then(Value::as_array_mut);
                    for tool in tools.into_iter().flatten() {
                        tool["execution"] = json!({"taskSupport": "optional"});
                    }
                }
                Ok(ClientRequest::Reply(offer.about.list_result(self.id, spoken, page)))
            }
            CALL => self.read_call(said, offer),
            "tasks/get" | "tasks/cancel" | "tasks/result" | "tasks/update"
                if has_task_method(method, &spoken.version) =>
            {
                self.read_task_request(method, said)
            }
            method if offer.about.has_servers && RELAYED.contains(&method) => {
                Ok(ClientRequest::Relay(RelayedRequest {
                    id: self.id.clone(),
                    method: method.to_owned(),
                    params: self.params(),
                    spoken: said.spoken,
                }))
            }
            method => {
                let message = format!("this server has no method {method}");
                Err(Refusal::new(codes::METHOD_NOT_FOUND, message))
            }
        }
    }

    fn read_task_request(&self, method: &str, said: Said) -> Result<ClientRequest, Refusal> {
        if said.spoken.era == Era::Modern && !said.abilities.takes_tasks() {
            let message = format!("{method} wants the client to declare the extension {TASKS}");
            let data = json!({"requiredCapabilities": {"extensions": {TASKS: {}}}});
            let refusal = Refusal::new(codes::MISSING_CAPABILITY, message);
            return Err(Refusal { data: Some(data), ..refusal });
        }
        let params = self.params();
        let Some(task) = params.get("taskId").and_then(Value::as_str) else {
            let message = format!("{method} wants a text \"taskId\"");
            return Err(Refusal::new(codes::INVALID_PARAMS, message));
        };
        Ok(ClientRequest::Task(TaskRequest {
            id: self.id.clone(),
            spoken: said.spoken,
            method: method.to_owned(),
            task: task.to_owned(),
            responses: params.get("inputResponses").cloned().unwrap_or_default(),
        }))
    }

    fn read_call(
        &self,
        Said { spoken, level, abilities }: Said,
        offer: Offer<'_>,
    ) -> Result<ClientRequest, Refusal> {
        let invalid = |message: String| Refusal::new(codes::INVALID_PARAMS, message);
        let params = self.params();
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err(invalid("tools/call wants a text \"name\"".to_owned()));
        };
        let Some(row) = offer.toolbox.find_row(name) else {
            return Err(invalid(format!("unknown tool: {name}")));
        };
        let raw = self.span.map_or("", |span| self.frame.raw_text(span));
        let written = serde_json::from_str::<CallParams<'_>>(raw).ok().and_then(|params| {
            params.arguments.map(RawValue::get).filter(|written| *written != "null")
        });
        let arguments = Literal::parse(written.unwrap_or("{}")).ok();
        let Some(arguments) = arguments.filter(|arguments| arguments.value().is_object()) else {
            return Err(invalid("the arguments of tools/call are an object".to_owned()));
        };
        if offer.available.binary_search(&row).is_err() {
            let words = format!("{name} is not available: {}", (offer.hidden_reason)(row));
            let result = refused_result(&words);
            return Ok(ClientRequest::Reply(offer.about.result(self.id, &spoken, result)));
        }
        Ok(ClientRequest::Call(Box::new(ToolCall {
            id: self.id.clone(),
            row,
            name: name.to_owned(),
            arguments,
            progress: progress_token(&params),
            level,
            task: task_wish(&params, &spoken, &abilities),
            repeated: RepeatedCall::from_params(&params).filter(|_| spoken.era == Era::Modern),
            spoken,
            abilities,
        })))
    }
}

/// Whether a version has a method of tasks.
fn has_task_method(method: &str, version: &str) -> bool {
    match Era::from_version(version) {
        Era::Modern => method != "tasks/result",
        Era::Legacy => version == WITH_TASKS && method != "tasks/update",
    }
}

fn task_wish(params: &Value, spoken: &SpokenVersion, abilities: &ClientAbilities) -> TaskWish {
    let asked = params.get("task").filter(|task| task.is_object());
    match (spoken.era, asked) {
        (Era::Modern, _) if abilities.takes_tasks() => TaskWish::Possible,
        (Era::Legacy, Some(task)) if spoken.version == WITH_TASKS => {
            TaskWish::Asked { ttl: task.get("ttl").and_then(Value::as_u64) }
        }
        _ => TaskWish::None,
    }
}
