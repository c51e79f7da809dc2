//! A call to be taken elsewhere: as a command, as the request, as the answer.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    app::state::State,
    engine::query::Query,
    model::{
        agent::AgentQuestion,
        call::{Call, EventKind, Request},
        connection::{Connection, Credentials},
        copied::{Copied, FRAME, MCP_COMMAND, argument_words, in_python, in_shell, shell_headers},
        shown::shell_word,
        stage::FrameWay,
        transport::{Program, TransportKind},
    },
    schema::{literal::Literal, validate::Checker},
    systems::{
        agents, calling,
        facets::steps::{SentStep, Steps},
        table,
    },
};

/// What a command for curl and the body of a request are called.
const CURL: &str = "curl command";
const BODY: &str = "request body";

/// A request over HTTP.
struct HttpSent<'s> {
    method: &'s str,
    path: &'s str,
    headers: &'s [(String, String)],
    body: Option<&'s str>,
}

/// What a request can be copied as.
pub(crate) fn of_request(
    request: &Request,
    arguments: &Literal,
    subject: Option<&str>,
    connection: &Connection,
) -> Vec<Copied> {
    let mut copies = vec![Copied {
        what: "toolcrib command".into(),
        text: toolcrib_command(request, arguments, connection),
    }];
    match (connection.transport().spec().program, subject) {
        (Some(Program::Nats), Some(subject)) => {
            copies.push(Copied {
                what: "nats command".into(),
                text: nats_command(request, subject, connection),
            });
            copies.push(Copied {
                what: "Python program".into(),
                text: python_program(request, subject, connection),
            });
        }
        (Some(Program::Curl), _) if request.to.starts_with('/') => {
            let sent = HttpSent {
                method: "POST",
                path: &request.to,
                headers: &request.headers,
                body: Some(&request.body),
            };
            let text = curl_command(&sent, &request.correlation, connection);
            copies.push(Copied { what: CURL.into(), text });
        }
        _ => {}
    }
    copies.extend(calling::request_copies(request, connection));
    copies.push(Copied { what: BODY.into(), text: request.body.to_string() });
    copies
}

/// What a call that was made can be copied as; `query` is the part of its answer that is shown.
pub(crate) fn of_call(state: &State, call: &Call, query: Option<&Query>) -> Vec<Copied> {
    // Over what it was made, whatever is chosen now.
    let own = state.network.connections.find_by_name(&call.connection).cloned();
    let over = own.unwrap_or_else(|| state.connection_of(&call.request.tool));
    let mut copies = of_typed(state, &call.request, &over, &call.stage_bodies());
    // What was sent has what is beside the call, too.
    if let (Some(copied), Some(sent)) =
        (copies.iter_mut().find(|copied| copied.what == FRAME), sent_call(call))
    {
        copied.text = sent.to_owned();
    }
    copies.extend(of_sent_frame(call, &over));
    if let Some(query) = query {
        add_option(&mut copies, &format!("--query {}", shell_word(query.text())));
    }
    copies
}

/// Adds an option to the commands that call a tool by toolcrib.
fn add_option(copies: &mut [Copied], option: &str) {
    for copied in copies {
        if copied.text.starts_with("toolcrib call ") {
            copied.text.extend([" ", option]);
        } else if copied.what == MCP_COMMAND {
            // What follows the server's command is its own.
            copied.text = copied.text.replacen(" mcp call ", &format!(" mcp call {option} "), 1);
        }
    }
}

/// The frame of the call as it was sent.
fn sent_call(call: &Call) -> Option<&str> {
    let request = &call.request;
    call.events.iter().find_map(|event| match &event.kind {
        EventKind::Stage(stage) if stage.frame == Some(FrameWay::Out) && !stage.is_wire() => {
            let label = calling::frame_label(request.system, &stage.body);
            (label.as_ref() == Some(&request.to)).then_some(&*stage.body)
        }
        _ => None,
    })
}

/// Whether the command line would refuse the call, as it is not what the tool takes.
fn fails_check(state: &State, request: &Request, arguments: &Value) -> bool {
    let Some(tool) = state.tool(&request.tool) else { return false };
    let schema = table::arguments_schema(tool);
    let listed = schema.get("properties").and_then(Value::as_object);
    let listed = listed.filter(|listed| !listed.is_empty());
    let is_open = ["additionalProperties", "patternProperties"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some());
    let has_others = listed.filter(|_| !is_open).is_some_and(|listed| {
        arguments.as_object().is_some_and(|all| all.keys().any(|name| !listed.contains_key(name)))
    });
    let checker = Checker::compile_lenient(&Arc::new(schema.clone())).checker;
    let meta = calling::request_meta(request.system, &request.body);
    let meta: Option<Value> = meta.and_then(|meta| serde_json::from_str(&meta).ok());
    let meta = meta.and_then(|meta| meta.as_object().cloned()).unwrap_or_default();
    has_others
        || checker.is_some_and(|checker| !checker.issues(arguments).is_empty())
        || !calling::meta_faults(tool, &meta).is_empty()
}

/// A connection as it is from any folder: its server is started in that of the workspace.
pub(crate) fn placed(state: &State, connection: &Connection) -> Connection {
    match state.root.as_os_str().is_empty() {
        true => connection.clone(),
        false => connection.clone().placed_in(&state.root),
    }
}

/// What a request can be copied as; `stages` are those of the call that sent it.
pub(crate) fn of_typed(
    state: &State,
    request: &Request,
    connection: &Connection,
    stages: &[(String, String)],
) -> Vec<Copied> {
    let connection = &placed(state, connection);
    let subject = calling::queue_subject(request.system, &request.to, connection.transport()).ok();
    // Of a call that was made, not of what is typed now.
    let arguments = Literal::parse(&request.arguments)
        .unwrap_or_else(|_| state.written_arguments_of(&request.tool));
    let mut copies = of_request(request, &arguments, subject.as_deref(), connection);
    if fails_check(state, request, arguments.value()) {
        add_option(&mut copies, "--no-check");
    }
    if request.mock.is_none()
        && let Some(steps) = calling::steps_of(request)
    {
        copies.retain(|copied| copied.what != BODY);
        copies.extend(of_steps(&sent_steps(steps, request, stages), connection));
    }
    copies
}

/// The requests that a call of steps consists of, by their steps' names: as they were sent, else as
/// they would be.
fn sent_steps(
    steps: &dyn Steps,
    request: &Request,
    stages: &[(String, String)],
) -> Vec<(String, SentStep)> {
    let reports = steps.report_steps(stages).into_iter();
    let sent: Vec<_> = reports.filter_map(|report| Some((report.name, report.sent?))).collect();
    if !sent.is_empty() {
        return sent;
    }
    let previews = steps.preview_steps(request).unwrap_or_default().into_iter();
    let planned = previews.filter(|step| step.is_sendable).filter_map(|step| {
        let (method, path) = step.line.split_once(' ')?;
        let sent = SentStep { method: method.into(), path: path.into(), body: step.body };
        Some((step.name, sent))
    });
    planned.collect()
}

/// Each as a command and its body, named where there are several.
fn of_steps(sent: &[(String, SentStep)], connection: &Connection) -> Vec<Copied> {
    let is_one = sent.len() == 1;
    let of = |(name, step): &(String, SentStep)| {
        let what = |what: &str| match is_one {
            true => what.to_owned(),
            false => format!("{what} of {name}"),
        };
        let sent = HttpSent {
            method: &step.method,
            path: &step.path,
            headers: &[],
            body: step.body.as_deref(),
        };
        let curl = (connection.transport().spec().program == Some(Program::Curl))
            .then(|| Copied { what: what(CURL), text: curl_command(&sent, "", connection) });
        let body = step.body.clone().map(|text| Copied { what: what(BODY), text });
        [curl, body]
    };
    sent.iter().flat_map(of).flatten().collect()
}

fn toolcrib_command(request: &Request, arguments: &Literal, connection: &Connection) -> String {
    if let Some(AgentQuestion { question, context, pattern, collection }) =
        agents::parse_question(request)
    {
        let options = [
            ("groups", context.groups.map(|groups| groups.join(","))),
            ("state", context.state.map(|state| state.to_string())),
            ("pattern", pattern),
            ("collection", collection),
        ];
        let options = options
            .into_iter()
            .filter_map(|(name, value)| Some(format!(" --{name} {}", shell_word(&value?))));
        let options: String = options.collect();
        return format!(
            "toolcrib agent {}{options} --connection {}",
            shell_word(&question),
            shell_word(&connection.name)
        );
    }
    let mut words = vec!["toolcrib call".to_owned(), shell_word(&request.name)];
    words.extend(argument_words(arguments));
    if let Some(meta) = calling::request_meta(request.system, &request.body) {
        words.push(format!("--meta {}", shell_word(&meta)));
    }
    if let Some(route) = calling::request_route(request).filter(|_| request.mock.is_none()) {
        words.push(format!("--route {}", shell_word(&route)));
    }
    words.push(format!("--connection {}", shell_word(&connection.name)));
    words.join(" ")
}

/// Where the answers arrive: the queue that the service names, as the transport spells it.
fn answer_queue(request: &Request, transport: TransportKind) -> Option<String> {
    let reply = request.reply.as_deref()?;
    calling::queue_subject(request.system, reply, transport).ok()
}

/// Waits half a minute for all pieces that come in the inbox; those that come on the response
/// subject are received beside it. Secrets stay where they lie.
fn nats_command(request: &Request, subject: &str, connection: &Connection) -> String {
    let tls = &connection.tls;
    let files =
        [("--tlsca", &tls.ca_file), ("--tlscert", &tls.cert_file), ("--tlskey", &tls.key_file)];
    let files = files
        .into_iter()
        .filter_map(|(flag, file)| Some(format!(" {flag} {}", shell_word(file.as_deref()?))));
    let files: String = files.collect();
    let credentials = match &connection.credentials {
        Credentials::None => String::new(),
        Credentials::Password { user, password } => {
            format!(" --user {} --password \"{}\"", shell_word(user), in_shell(password))
        }
        Credentials::Token { token } => format!(" --user \"{}\"", in_shell(token)),
        Credentials::File { path } => format!(" --creds {}", shell_word(path)),
    };
    let nats = format!(
        "nats --server {}{credentials}{files}",
        shell_word(&connection.addresses().join(","))
    );
    let headers: String = request
        .headers
        .iter()
        .map(|(name, value)| format!(" -H {}", shell_word(&format!("{name}:{value}"))))
        .collect();
    // It fills in what is in double braces.
    let body = shell_word(&request.body.replace("{{", "{{\"{{\"}}"));
    let asking =
        format!("{nats} --timeout 30s req --replies 0{headers} {} {body}", shell_word(subject));
    match answer_queue(request, connection.transport()) {
        Some(answers) => {
            format!("{nats} sub {} & sleep 1; {asking}; kill $!", shell_word(&answers))
        }
        None => asking,
    }
}

/// The frame that a call sent over HTTP, as a request of its own.
pub(crate) fn of_sent_frame(call: &Call, connection: &Connection) -> Option<Copied> {
    if connection.transport().spec().program != Some(Program::Curl) {
        return None;
    }
    let frame = call.events.iter().find_map(|event| match &event.kind {
        EventKind::Stage(stage) if stage.frame == Some(FrameWay::Out) && !stage.is_wire() => {
            Some(&*stage.body)
        }
        _ => None,
    })?;
    let headers = call.events.iter().find_map(|event| match &event.kind {
        EventKind::Headers { way: FrameWay::Out, headers } => Some(&**headers),
        _ => None,
    })?;
    let own = |name: &str| connection.headers.keys().any(|own| own.eq_ignore_ascii_case(name));
    // What curl finds out itself, and what is written from the settings.
    let headers = headers.iter().filter(|(name, _)| {
        !["authorization", "content-length", "user-agent"].contains(&name.as_str()) && !own(name)
    });
    let headers: String = headers
        .map(|(name, value)| format!(" -H {}", shell_word(&format!("{name}: {value}"))))
        .collect();
    let text = format!(
        "curl -N {}{}{headers} -d {}",
        shell_word(connection.addresses().first()?),
        shell_headers(connection, "-H"),
        shell_word(frame)
    );
    Some(Copied { what: CURL.into(), text })
}

fn curl_command(sent: &HttpSent<'_>, correlation: &str, connection: &Connection) -> String {
    let server = connection.addresses().first().map_or("", |server| server.trim_end_matches('/'));
    // The id joins what a bus carries; here the answer comes on the request's own connection.
    let headers = sent.headers.iter().filter(|(_, value)| value != correlation);
    let headers: String = headers
        .map(|(name, value)| format!(" -H {}", shell_word(&format!("{name}: {value}"))))
        .collect();
    let (expected, body) = match sent.body {
        Some(body) => {
            let body = shell_word(body);
            ("POST", format!(" -H 'content-type: application/json' -d {body}"))
        }
        None => ("GET", String::new()),
    };
    let method = match sent.method == expected {
        true => String::new(),
        false => format!("-X {} ", shell_word(sent.method)),
    };
    format!(
        "curl -N {method}{}{}{headers}{body}",
        shell_word(&format!("{server}{}", sent.path)),
        shell_headers(connection, "-H"),
    )
}

/// How such a program takes a message: what is no answer to its request it passes over, and an
/// answer that it cannot read is an end too.
const SHOW: &str = r#"    done = asyncio.get_running_loop().create_future()

    async def show(message):
        if (message.headers or {}).get("id", ID) != ID or done.done():
            return
        try:
            reply = json.loads(message.data)
            print(reply.get("error") or reply.get("response"), end="", flush=True)
            ended = bool(reply.get("error") or reply.get("end_of_stream"))
        except (ValueError, AttributeError):
            print(message.headers, message.data)
            ended = True
        if ended:
            done.set_result(None)
"#;

/// A program for nats-py that sends the request and prints the answer, up to its last piece or an
/// error; half a minute without an end is one. It connects once: where the server's certificate is
/// not trusted, nats-py would try again for ever and tell nothing. Texts are written as JSON, which
/// Python reads alike; secrets stay where they lie.
fn python_program(request: &Request, subject: &str, connection: &Connection) -> String {
    let text = |text: &str| Value::from(text).to_string();
    let headers: serde_json::Map<String, Value> =
        request.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let subscribe = answer_queue(request, connection.transport())
        .map_or_else(String::new, |answers| {
            format!("    await bus.subscribe({}, cb=show)\n", text(&answers))
        });
    let credentials = match &connection.credentials {
        Credentials::None => String::new(),
        Credentials::Password { user, password } => {
            format!(", user={}, password={}", text(user), in_python(password))
        }
        Credentials::Token { token } => format!(", token={}", in_python(token)),
        Credentials::File { path } => format!(", user_credentials={}", text(path)),
    };
    let tls = &connection.tls;
    let context = tls.required.then(|| {
        let authority = tls
            .ca_file
            .as_deref()
            .map_or_else(String::new, |file| format!("cafile={}", text(file)));
        let own = tls.cert_file.as_deref().zip(tls.key_file.as_deref());
        let own = own
            .map(|(cert, key)| format!("    tls.load_cert_chain({}, {})\n", text(cert), text(key)));
        format!("    tls = ssl.create_default_context({authority})\n{}", own.unwrap_or_default())
    });
    format!(
        "import asyncio, json, nats, os, ssl\n\nID = {id}\n\nasync def main():\n{context}    \
         bus = await nats.connect({server}, max_reconnect_attempts=1, allow_reconnect=False{credentials}{tls})\n{SHOW}\n    \
         inbox = bus.new_inbox()\n    await bus.subscribe(inbox, cb=show)\n{subscribe}    body = {body}\n    \
         await bus.publish({subject}, body.encode(), reply=inbox, headers={headers})\n    await asyncio.wait_for(done, 30)\n    \
         print()\n    await bus.close()\n\nasyncio.run(main())\n",
        id = text(&request.correlation),
        context = context.as_deref().unwrap_or_default(),
        server = Value::from(connection.addresses()),
        tls = if context.is_some() { ", tls=tls" } else { "" },
        body = text(&request.body),
        subject = text(subject),
        headers = Value::Object(headers),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        app::history,
        model::{
            call::{CallId, Event},
            clock::Millis,
            connection::{SecretAt, SettingValue},
            entry::{EntryId, EntryPlace, FileId},
            stage::Stage,
            trace::Head,
        },
        schema::pointer::Pointer,
    };

    #[test]
    fn a_request_to_a_gateway_is_a_curl_command_without_its_token() {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        let request = Request {
            tool: EntryId::new(place),
            system: "trustgraph",
            name: "ask".into(),
            to: "/api/v1/mcp-tool".into(),
            reply: None,
            headers: Vec::new(),
            correlation: "1".into(),
            arguments: "{}".into(),
            body: "{\"a\":\"it's\"}".into(),
            mock: None,
        };
        let credentials = Credentials::Token { token: SecretAt::Variable("GATEWAY_TOKEN".into()) };
        let headers = [
            ("X-Api-Key", SettingValue::Secret(SecretAt::Variable("KEY".into()))),
            ("X-Te$t`a", SettingValue::Secret(SecretAt::Variable("T".into()))),
            ("X-Tenant", SettingValue::Text("it's".into())),
        ];
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value));
        let connection = Connection {
            credentials,
            headers: headers.collect(),
            ..Connection::from_address(TransportKind::Http, "gw", "http://127.0.0.1:8088/")
        };
        let copies = of_request(&request, &json!({}).into(), None, &connection);
        let expected = r#"curl -N http://127.0.0.1:8088/api/v1/mcp-tool -H "authorization: Bearer $GATEWAY_TOKEN" -H "X-Api-Key: $KEY" -H "X-Te\$t\`a: $T" -H 'X-Tenant: it'\''s' -H 'content-type: application/json' -d '{"a":"it'\''s"}'"#;
        assert_eq!(
            copies
                .iter()
                .find(|copied| copied.what == "curl command")
                .map(|copied| copied.text.as_str()),
            Some(expected)
        );
    }

    #[test]
    fn a_frame_over_http_is_a_curl_command_with_what_went_beside_it() {
        let request = history::request_of(&Head::default(), None);
        let headers =
            [("X-Api-Key".to_owned(), SettingValue::Secret(SecretAt::Variable("KEY".into())))];
        let connection = Connection {
            headers: headers.into_iter().collect(),
            ..Connection::from_address(TransportKind::Http, "web", "http://127.0.0.1:8000/mcp")
        };
        let mut call = Call::new(CallId(1), request, "web", Millis(1));
        assert_eq!(of_sent_frame(&call, &connection).map(|copied| copied.text), None);
        let sent = [
            ("accept", "a/b"),
            ("content-length", "9"),
            ("x-api-key", "***"),
            ("authorization", "***"),
        ];
        let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let frame = Stage {
            name: "frame".into(),
            words: String::new(),
            body: "{\"id\":1}".into(),
            frame: Some(FrameWay::Out),
        };
        for kind in
            [EventKind::Stage(frame), EventKind::Headers { way: FrameWay::Out, headers: sent }]
        {
            call.apply_event(Event { at_ms: 1, kind });
        }
        let copied = of_sent_frame(&call, &connection).map(|copied| copied.text);
        let expected = r#"curl -N http://127.0.0.1:8000/mcp -H "X-Api-Key: $KEY" -H 'accept: a/b' -d '{"id":1}'"#;
        assert_eq!(copied.as_deref(), Some(expected));
    }

    #[test]
    fn commands_survive_a_shell() {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        let request = Request {
            tool: EntryId::new(place),
            system: "trustgraph",
            name: "tell-joke".into(),
            to: "request:tg:joke".into(),
            reply: None,
            headers: vec![("id".into(), "7f1c".into())],
            correlation: "7f1c".into(),
            arguments: "{}".into(),
            body: r#"{"user":"o'hara"}"#.into(),
            mock: None,
        };
        let arguments = Literal::parse(r#"{"topic": "it's late", "count": 3.00}"#).unwrap();
        let connection = Connection::nats("local", "nats://127.0.0.1:4222");
        let texts: Vec<String> =
            of_request(&request, &arguments, Some("tg.request.joke"), &connection)
                .into_iter()
                .map(|copied| copied.text)
                .collect();
        assert_eq!(
            texts[0],
            r"toolcrib call tell-joke 'topic=it'\''s late' count:=3.00 --connection local"
        );
        let asking = r#"nats --server nats://127.0.0.1:4222 --timeout 30s req --replies 0 -H id:7f1c tg.request.joke '{"user":"o'\''hara"}'"#;
        assert_eq!(texts[1], asking);
        let token = Credentials::Token { token: SecretAt::Variable("BUS_TOKEN".into()) };
        let answered =
            Request { reply: Some("response:tg:joke".into()), body: "{{x}}".into(), ..request };
        let elsewhere = nats_command(
            &answered,
            "tg.request.joke",
            &Connection { credentials: token, ..connection },
        );
        let server = r#"nats --server nats://127.0.0.1:4222 --user "$BUS_TOKEN""#;
        let asking = format!(
            "{server} --timeout 30s req --replies 0 -H id:7f1c tg.request.joke '{{{{\"{{{{\"}}}}x}}}}'"
        );
        assert_eq!(
            elsewhere,
            format!("{server} sub tg.response.joke & sleep 1; {asking}; kill $!")
        );
        assert_eq!(texts[3], r#"{"user":"o'hara"}"#);
        assert!(
            texts[2].contains("ID = \"7f1c\"")
                && texts[2].contains("wait_for(done, 30)")
                && !texts[2].contains("sleep"),
            "{}",
            texts[2]
        );
        assert!(
            texts[2].contains(r#"    body = "{\"user\":\"o'hara\"}""#)
                && texts[2].contains(r#"headers={"id":"7f1c"}"#),
            "{}",
            texts[2]
        );
    }
}
