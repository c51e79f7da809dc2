//! The ways that a call can take, and the request that goes each of them.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    command::{self, Command, CommandBody, Ids},
    context::Context,
    idempotency, internal, keys,
    settings::{self, Channel},
    subject::{self, Subject, Undispatched},
    trace::Traceparent,
};
use crate::{
    model::{
        call::Request,
        connection::Connection,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    schema::{encoding::percent_encode_part, literal::Literal},
    systems::facets::calls::{CallOf, RouteOffer},
};

/// Is in a request for the agent that a session makes for itself, until it has one.
pub(crate) const OWN_AGENT: &str = "<an agent made by toolcrib>";

/// Where the result of a direct call shows: the caller's inbox, a table.
const INBOX: &str = "state.agent_inbox";

/// How long a tool may take where nothing else is said, in seconds.
pub(crate) const WAITING: u64 = 30;

/// A way of calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallMode {
    /// As a user's interface does: the UI worker merges the options, writes the cards and sends the
    /// command.
    Ui,
    /// With cards and rows that we write ourselves, and the command that we send.
    Direct,
    /// Through the management API, which sends the command as it is instructed to.
    God,
    /// Straight to the tool's service, without a card: only to see whether it is there.
    Probe,
}

struct Row {
    id: &'static str,
    title: &'static str,
    closed: fn(&Tool, &Connection, &Channel) -> Option<String>,
    request: fn(&RequestParts<'_>) -> Asking,
}

const ROUTES: &[Row] = &[
    Row {
        id: "ui",
        title: "UI action: options merged, cards written, epoch kept, as in real use",
        closed: ui_closed,
        request: ui_request,
    },
    Row {
        id: "direct",
        title: "direct: card and rows written to PostgreSQL, then the command; options merged here",
        closed: direct_closed,
        request: direct_request,
    },
    Row {
        id: "god",
        title: "the API's god endpoint: any tool, options not merged",
        closed: god_closed,
        request: god_request,
    },
    Row {
        id: "probe",
        title: "NATS only: a probe without a card; the service rejects it, which shows that it is \
            running",
        closed: probe_closed,
        request: probe_request,
    },
];

/// The ways for a tool, the best first.
#[must_use]
pub(crate) fn offers(tool: &Tool, connection: &Connection) -> Vec<RouteOffer> {
    let channel = Channel::from_connection(connection);
    let offer = |row: &Row| {
        let closed = match &channel {
            None => Some(no_channel(connection)),
            Some(channel) => (row.closed)(tool, connection, channel),
        };
        RouteOffer { id: row.id, title: row.title, closed }
    };
    ROUTES.iter().map(offer).collect()
}

/// The way that a request takes.
#[must_use]
pub(crate) fn way_of(request: &Request) -> CallMode {
    if request.to.starts_with('/') {
        return CallMode::God;
    }
    if request.reply.as_deref() == Some(INBOX) {
        return CallMode::Direct;
    }
    let is_action = Subject::parse(&request.to)
        .is_some_and(|subject| subject.component == "sys" && subject.suffix == "action");
    if is_action { CallMode::Ui } else { CallMode::Probe }
}

/// The word of the route that a request takes, where it is not the best one.
#[must_use]
pub(crate) fn route_of(request: &Request) -> Option<&'static str> {
    match way_of(request) {
        CallMode::Ui => None,
        CallMode::Direct => Some("direct"),
        CallMode::God => Some("god"),
        CallMode::Probe => Some("probe"),
    }
}

fn no_channel(connection: &Connection) -> String {
    let name = &connection.name;
    let section = if connection.is_embedded() { "NAME" } else { name.as_str() };
    format!(
        "connection \"{name}\" has no channel: add [connections.{section}.commonground] with project \
         and channel"
    )
}

fn no_nats(connection: &Connection) -> Option<String> {
    (!settings::TRANSPORTS.contains(&connection.transport())).then(|| {
        format!(
            "it goes over NATS, and connection \"{}\" leads to {}",
            connection.name,
            connection.transport().title()
        )
    })
}

fn no_agent(channel: &Channel) -> Option<String> {
    let missing = channel.agent.is_none() && channel.api.is_none();
    missing.then(|| {
        "it needs an agent: set one (agent = \"…\"), or the API that creates one (api \
        = \"http://…\")"
            .to_owned()
    })
}

fn ui_closed(tool: &Tool, connection: &Connection, channel: &Channel) -> Option<String> {
    let allowed =
        tool.entry.value.get(keys::OPTIONS).and_then(|options| options.get(keys::UI_ALLOWED))
            == Some(&Value::Bool(true));
    no_nats(connection).or_else(|| no_agent(channel)).or_else(|| {
        (!allowed).then(|| {
            "the tool doesn't allow UI calls: set \"ui_allowed\": true in its \
            options, and push it"
                .to_owned()
        })
    })
}

fn direct_closed(tool: &Tool, connection: &Connection, channel: &Channel) -> Option<String> {
    let variable = || {
        let name = &connection.name;
        format!(
            "it writes to PostgreSQL: set postgres-variable or postgres-key in \
            [connections.{name}.commonground]"
        )
    };
    no_nats(connection)
        .or_else(|| channel.postgres.is_none().then(variable))
        .or_else(|| no_agent(channel))
        .or_else(|| target(tool).is_none().then(|| "the tool has no target_subject".to_owned()))
        .or_else(|| undispatched_reason(tool, channel))
}

/// Why the dispatcher, whose part is done here, does not send to the tool's subject.
fn undispatched_reason(tool: &Tool, channel: &Channel) -> Option<String> {
    let written = target(tool)?;
    if written.contains("{agent_id}") && channel.agent.is_none() {
        let text = "its target_subject names {agent_id}, which its service knows: name that agent in the connection (agent = \"…\")";
        return Some(text.to_owned());
    }
    let mut context =
        Context { agent_id: channel.agent.clone().unwrap_or_default(), ..Context::default() };
    context.set_variable("project_id", &channel.project);
    context.set_variable("channel_id", &channel.channel);
    let to = subject::render_subject(written, &context).text;
    let why = match subject::check_dispatch(&to, &context.project_id, &context.channel_id).err()? {
        // It goes out as it is, to see what comes of it.
        Undispatched::Invalid => return None,
        Undispatched::Project => "it is in another project than the connection's",
        Undispatched::Channel => "it is in another channel than the connection's",
        Undispatched::NoCommand => "it isn't a subject for commands",
        Undispatched::Wakeup => "it is the bell of a worker",
    };
    Some(format!("the dispatcher refuses to send to {to}: {why}"))
}

fn god_closed(tool: &Tool, _: &Connection, channel: &Channel) -> Option<String> {
    let no_api = || {
        channel.api.is_none().then(|| "the connection names no API: api = \"http://…\"".to_owned())
    };
    no_api().or_else(|| {
        tool.name
            .contains('/')
            .then(|| "the tool's name has a \"/\", which no address of the API can hold".to_owned())
    })
}

fn probe_closed(tool: &Tool, connection: &Connection, _: &Channel) -> Option<String> {
    let internal = || {
        internal::definition(&tool.name)
            .map(|_| "PMO answers this tool itself, and no tool service does".to_owned())
    };
    no_nats(connection)
        .or_else(internal)
        .or_else(|| target(tool).is_none().then(|| "the tool has no target_subject".to_owned()))
}

fn target(tool: &Tool) -> Option<&str> {
    tool.entry.value.get(keys::TARGET_SUBJECT)?.as_str()
}

/// What a request is made of.
struct RequestParts<'a> {
    call: &'a CallOf<'a>,
    channel: &'a Channel,
    context: Context,
    ids: Ids,
}

/// Where it goes, what it says, and where its answer will be.
struct Asking {
    command: Command,
    reply: Option<String>,
}

/// The request of a call, by the way that is wanted, or by the first that is open.
///
/// # Errors
/// When that way is closed, or all are.
pub(crate) fn build_request(call: &CallOf<'_>) -> Result<Request, Problem> {
    let offers = offers(call.tool, call.connection);
    let refused = |cause: String, remedy: String| {
        Err(Problem::new(ProblemKind::Input, format!("calling {}", call.tool.name), cause)
            .with_remedy(remedy))
    };
    let row = match call.route {
        None => offers.iter().position(|offer| offer.closed.is_none()),
        Some(id) => match offers.iter().position(|offer| offer.id == id) {
            Some(row) => Some(row),
            None => {
                let ids: Vec<_> = offers.iter().map(|offer| offer.id).collect();
                return refused(
                    format!("there is no route \"{}\"", id.escape_debug()),
                    format!("there are: {}", ids.join(", ")),
                );
            }
        },
    };
    let Some(channel) = &Channel::from_connection(call.connection) else {
        return refused(
            "a CommonGround tool is called in a channel of a project".into(),
            no_channel(call.connection),
        );
    };
    let why =
        |offer: &RouteOffer| offer.closed.as_ref().map(|closed| format!("{}: {closed}", offer.id));
    let Some(row) = row else {
        return refused(
            "no route to it works".into(),
            offers.iter().filter_map(why).collect::<Vec<_>>().join("; "),
        );
    };
    if let Some(closed) = &offers[row].closed {
        let open: Vec<_> =
            offers.iter().filter(|offer| offer.closed.is_none()).map(|offer| offer.id).collect();
        let remedy =
            if open.is_empty() { String::new() } else { format!("open is: {}", open.join(", ")) };
        return refused(format!("the route \"{}\" is closed: {closed}", offers[row].id), remedy);
    }
    if channel.version != Channel::VERSION {
        let remedy =
            format!("remove the version from the connection, or set it to {}", Channel::VERSION);
        return refused(format!("version {} isn't supported", channel.version), remedy);
    }
    let ids = derive_ids(call.correlation);
    let agent = channel.agent.as_deref().unwrap_or(OWN_AGENT);
    let context = ids.first_context(&channel.project, &channel.channel, agent);
    let Asking { command, reply } =
        (ROUTES[row].request)(&RequestParts { call, channel, context, ids });
    let Command { subject, headers, body } = command;
    Ok(Request { reply, headers, ..call.new_request(subject, body) })
}

fn ui_request(asked: &RequestParts<'_>) -> Asking {
    let RequestParts { call, channel, context, ids } = asked;
    let mut command =
        command::ui_action(context, &ids.trace, &call.tool.name, &serde_json::Map::new());
    command.body = with_arguments(
        &json!({"action_id": ids.call, "tool_name": call.tool.name}),
        call.arguments,
    );
    Asking { command, reply: Some(Subject::ui_ack(&channel.project, &channel.channel).to_string()) }
}

fn direct_request(asked: &RequestParts<'_>) -> Asking {
    Asking { command: tool_command(asked, &asked.context), reply: Some(INBOX.to_owned()) }
}

/// The command to a tool itself.
fn tool_command(asked: &RequestParts<'_>, context: &Context) -> Command {
    let RequestParts { call, ids, .. } = asked;
    let subject = subject::render_subject(target(call.tool).unwrap_or_default(), context).text;
    let body = CommandBody {
        tool: &call.tool.name,
        after_execution: after_execution(call.tool),
        call_card: &ids.call_card,
    };
    command::tool_command(&subject, context, &ids.trace, &body)
}

fn after_execution(tool: &Tool) -> &str {
    let written = tool.entry.value.get(keys::AFTER_EXECUTION);
    written.and_then(Value::as_str).unwrap_or(keys::SUSPEND)
}

fn god_request(asked: &RequestParts<'_>) -> Asking {
    let RequestParts { call, channel, context, ids } = asked;
    let head = json!({
        "caller_agent_id": context.agent_id, "channel_id": channel.channel, "after_execution": after_execution(call.tool),
        "timeout_seconds": wait_seconds(call.tool).clamp(1, 600), "trace_id": ids.trace.trace_id(),
    });
    let body = with_arguments(&head, call.arguments);
    let path = format!(
        "/projects/{}/god/pmo/{}:call",
        path_part(&channel.project),
        path_part(&call.tool.name)
    );
    Asking { command: Command { subject: path, headers: Vec::new(), body }, reply: None }
}

fn probe_request(asked: &RequestParts<'_>) -> Asking {
    let RequestParts { call, channel, context, ids } = asked;
    // With an epoch of its own the report would be refused for that already.
    let context = Context { turn_epoch: Some(0), ..context.clone() };
    let key = idempotency::tool_key(&channel.project, &call.tool.name, &ids.call);
    Asking {
        command: tool_command(asked, &context),
        reply: Some(format!("$KV.{}.{key}", idempotency::TOOL_BUCKET)),
    }
}

/// An object with the arguments as its last member, their numbers as they were typed.
fn with_arguments(head: &Value, arguments: &Literal) -> String {
    let head = head.to_string();
    format!("{},\"args\":{}}}", head.trim_end_matches('}'), arguments.to_json())
}

/// How long the caller waits for a tool: its options can only lengthen it.
#[must_use]
pub(crate) fn wait_seconds(tool: &Tool) -> u64 {
    tool.entry.value.get(keys::OPTIONS).map_or(WAITING, waiting_of)
}

/// The same of its options.
#[must_use]
pub(crate) fn waiting_of(options: &Value) -> u64 {
    let seconds = [keys::SUSPEND_TIMEOUT, keys::TIMEOUT]
        .into_iter()
        .filter_map(|key| options.get(key)?.as_f64());
    let longest = seconds.fold(0.0, f64::max).min(86_400.0);
    // The value is between 0 and a day.
    (longest.ceil() as u64).max(WAITING)
}

/// All ids of a call come from the one that its caller made, so that a fresh one of these makes all
/// of them fresh.
fn derive_ids(correlation: &str) -> Ids {
    let seed = seed(correlation);
    Ids {
        turn: format!("turn_{seed}"),
        step: format!("step_{seed}"),
        call: format!("call_{seed}"),
        call_card: seed.clone(),
        result_card: String::new(),
        trace: Traceparent::parse(&format!("00-{seed}-{}-01", &seed[..16]))
            .unwrap_or_else(|_| Traceparent::new_root(1, 1)),
    }
}

/// 32 hexadecimal digits that only this id gives.
#[must_use]
pub(crate) fn seed(correlation: &str) -> String {
    let digits: String = correlation.chars().filter(|c| *c != '-').collect();
    if digits.len() == 32
        && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    {
        return digits;
    }
    Sha256::digest(correlation.as_bytes())
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The same request under a fresh id: every id in it is made of that.
#[must_use]
pub(crate) fn repeat_request(request: Request, correlation: &str) -> Request {
    let (old, new) = (seed(&request.correlation), seed(correlation));
    let key = |seed: &str| {
        idempotency::tool_key("p", "t", &format!("call_{seed}"))
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let marks = (key(&old), key(&new));
    // The span is the beginning of the seed.
    let fresh = |text: &str| {
        text.replace(&old, &new).replace(&format!("-{}-", &old[..16]), &format!("-{}-", &new[..16]))
    };
    Request {
        headers: request.headers.iter().map(|(name, value)| (name.clone(), fresh(value))).collect(),
        body: fresh(&request.body).into(),
        mock: None,
        reply: request.reply.map(|reply| reply.replace(&marks.0, &marks.1)),
        correlation: correlation.into(),
        ..request
    }
}

/// Whether the API can be asked for a thing of this name: names stand in its addresses, where a
/// slash parts, and dots go up.
#[must_use]
pub(crate) fn is_addressable(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && name != "." && name != ".."
}

/// A text as one part of a path.
#[must_use]
pub(crate) fn path_part(text: &str) -> String {
    percent_encode_part(text)
}
