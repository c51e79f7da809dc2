//! Frames, lists, answers, configurations and permissions of MCP.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    model::server_item::ItemKind,
    schema::pointer::Pointer,
    systems::{
        every_system,
        facets::{configured::ConfigFile, kept_tools::ListedTools},
        mcp::{
            asked::{self, ServerRequest},
            auth::{answers, challenge, clients, documents, places, requests, scopes},
            base64, conformance, contents, drift,
            expand::{self, Context},
            form::Form,
            headers,
            import::config,
            items,
            kept::KeptList,
            negotiate::{EraChoice, ProbeOutcome, Transport},
            notice::Notice,
            pages, result_view,
            rpc::{
                build::{Call, Client},
                frame::{Frame, Kind},
                id::Id,
            },
            server::envelope,
            session::Session,
            task::Task,
            tool_findings,
            turn::{Settings, TransportStep, Turn},
            uri_template,
            url::{self, HttpUrl},
            version::{Era, Versions},
        },
    },
};

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Frames of a server, one a line, in a conversation over each transport.
pub(super) fn read_frames(text: &str) {
    for line in text.lines() {
        let frame = Frame::parse(line);
        assert_eq!(frame.text(), line);
        if let Kind::Request { id, .. } = &frame.kind {
            assert_eq!(Id::parse(&id.to_string()).as_ref(), Some(id), "{line:?}");
        }
        for message in frame.into_messages() {
            if let Kind::Notification { method, .. } = &message.kind {
                _ = Notice::parse(method, message.params_text());
            }
        }
    }
    for transport in [Transport::Stdio, Transport::Http] {
        let mut session = Session::new(Settings {
            transport,
            era: EraChoice::default(),
            versions: Versions::default(),
            client: Client::new("toolcrib", "0"),
            remembered: None,
        });
        check_turn(session.open());
        for (row, line) in text.lines().enumerate() {
            check_turn(match row % 8 {
                5 => session.timed_out(&Id::from(1)),
                6 => session.http_answered(&Id::from(2), 400, line),
                _ => session.handle_frame(Frame::parse(line)),
            });
            session.call(Call::from_method("tools/list"), row % 2 == 0, Vec::new());
        }
        check_turn(session.handle_disconnect());
    }
    _ = ProbeOutcome::of_http(404, text);
}

/// What is sent is one line of JSON.
fn check_turn(turn: Turn) {
    for step in turn.todo {
        if let TransportStep::Send(outgoing) = step {
            let sent = &outgoing.text;
            assert!(!sent.contains('\n') && serde_json::from_str::<Value>(sent).is_ok(), "{sent}");
        }
    }
}

/// A reply, or `{"reply": …, "schema": …}`.
pub(super) fn read_result(value: &Value) {
    let reply = value.get("reply").unwrap_or(value);
    let schema = value.get("schema");
    let client = Client::new("toolcrib", "0");
    for version in VERSIONS {
        _ = result_view::result_view(reply, schema, version);
        _ = conformance::examine_ping(reply, version);
        _ = conformance::examine_caching(reply, version);
    }
    _ = conformance::examine_tool_call(reply);
    _ = conformance::examine_envelope(reply);
    let result = reply.get("result").unwrap_or(reply);
    _ = contents::answer_parts(result);
    _ = contents::resource_contents(result);
    _ = contents::prompt_contents(result);
    _ = pages::caching_words(result);
    _ = items::suggestions(result);
    for era in [Era::Legacy, Era::Modern] {
        _ = Task::from_value(result, era);
    }
    for (_, asked) in ServerRequest::of_result(result, &client) {
        _ = format!("{asked:?}");
    }
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        _ = ServerRequest::from_request(method, result.clone(), &client);
    }
    _ = asked::form_defaults(result);
    for system in every_system() {
        if let Some(calls) = system.calls() {
            _ = calls.answer_parts(result);
        }
        if let Some(meta) = system.call_meta() {
            _ = meta.answer_notes(value, result);
            _ = meta.answer_view(value, result);
        }
    }
    _ = envelope::read_envelope(result, &Versions::default());
}

/// A list of tools, or `{"old": […], "new": […]}`; also resources and prompts.
pub(super) fn read_tools(value: &Value) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let new = list(value.get("new").or(value.get("tools")).unwrap_or(value));
    let old = list(value.get("old").unwrap_or(value));
    _ = drift::compare_lists(&old, &new);
    assert!(drift::compare_lists(&new, &new).is_empty(), "{value}");
    for version in VERSIONS {
        _ = conformance::examine_tools(&new, version);
    }
    for tool in &new {
        let faults = tool_findings::tool_findings(tool, VERSIONS[3], &["other"]);
        for fault in &faults {
            assert!(!fault.words.is_empty(), "{fault:?}");
        }
        if let Some(schema) = tool.get("inputSchema") {
            _ = headers::declared_headers(schema);
            let arguments = tool.get("arguments").and_then(Value::as_object);
            _ = headers::mirror_headers("t", schema, &arguments.cloned().unwrap_or_default());
        }
        if let Some(meta) = tool.get("_meta").and_then(Value::as_object) {
            _ = tool_findings::meta_key_faults(meta, &Pointer::root()).count();
        }
        for kind in ItemKind::ALL {
            _ = items::read_item(kind, tool);
        }
    }
    let listed = ListedTools {
        server: "server".to_owned(),
        version: VERSIONS[1].to_owned(),
        time: "2026-01-01T00:00:00Z".to_owned(),
        tools: new,
    };
    for kept_tools in every_system().iter().filter_map(|system| system.kept_tools()) {
        _ = kept_tools.find_faults(&listed);
        let printed = kept_tools.print(&listed);
        let drift = kept_tools.compare(&printed, &listed);
        assert!(drift.is_some_and(|drift| drift.is_none()), "{printed}");
        _ = kept_tools.compare(&value.to_string(), &listed);
        _ = kept_tools.accept_tools(&value.to_string(), &listed, &["a"]);
    }
    _ = KeptList::from_value(value);
}

/// Files in which other programs configure servers.
pub(super) fn read_config(text: &str) {
    for form in [None].into_iter().chain(Form::ALL.map(Some)) {
        for server in config::config_import(form, text, "linux").servers {
            assert!(server.command.is_some() || server.url.is_some(), "{text:?}");
        }
    }
    let variables = BTreeMap::from([("NAME".to_owned(), "value".to_owned())]);
    for configured in every_system().iter().filter_map(|system| system.configured()) {
        for path in ["mcp.json", "config.toml", "settings.json", "server.json", ".claude.json"] {
            let (home, project) = (Some("/home/user"), Some("/project"));
            let platform = "linux";
            let variables = &variables;
            let file = ConfigFile { path, text, home, project, variables, platform };
            for server in configured.read_config(&file).servers {
                _ = server.command_notes();
            }
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        _ = configured.server_table(&words);
    }
}

/// Short texts: addresses, templates, headers, base64.
pub(super) fn read_texts(text: &str) {
    let context = Context::default();
    for form in Form::ALL {
        _ = expand::expand_text(form, text, &context);
        _ = expand::expand_args(form, &[text.to_owned()], &context);
    }
    if let Some(read) = HttpUrl::parse(text) {
        _ = (read.origin(), read.host().len(), read.is_loopback(), read.is_private());
        _ = read.target();
    }
    _ = url::path_of_redirect("https://server.example", text);
    _ = asked::url_host(text);
    if let Some(bytes) = base64::decode(text) {
        assert_eq!(base64::decoded_len(text), Some(bytes.len()), "{text:?}");
        assert_eq!(base64::decode(&base64::encode(&bytes)), Some(bytes), "{text:?}");
    }
    let encoded = headers::encode_value(text);
    if !text.is_empty() {
        let read = headers::decode_header(&encoded);
        assert_eq!(read.as_deref(), Some(text), "{encoded:?}");
    }
    _ = headers::decode_header(text);
    _ = uri_template::variables(text);
    let filled = uri_template::expand(text, |_| Some("a/ü b"));
    assert!(filled.len() <= text.len() * 24 + 24, "{text:?}");
    _ = challenge::parse_challenges(text);
    _ = requests::decode_form(text);
    let pairs = [("name", text), ("other", "value")];
    let form = requests::encode_form(&pairs);
    let read = requests::decode_form(&form);
    let expected = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(read, expected, "{form:?}");
    _ = scopes::missing_scopes(Some(text), Some("a b"));
    _ = places::resource_metadata_urls(text, None);
    _ = places::server_metadata_urls(text);
    _ = places::fetch_refusal(text, "https://server.example/mcp");
    _ = clients::is_document_url(text);
    _ = tool_findings::is_meta_key(text);
    _ = answers::Grant::parse(text, "https://server.example/mcp");
}

/// What authorization servers answer.
pub(super) fn read_auth(value: &Value) {
    _ = documents::ResourceMetadata::from_document(value);
    let server = documents::ServerMetadata::from_document(value);
    _ = documents::resource_faults(value, "https://server.example/mcp", Some("a b"));
    _ = documents::server_faults(value, "https://server.example");
    let method = clients::registration_method(&server);
    _ = clients::registered_client(value, method, "http://127.0.0.1/callback");
    if let Some(query) = value.get("query").and_then(Value::as_str) {
        _ = answers::read_redirect(query, "state", &server);
    }
    if let Some(grant) = answers::Grant::parse(&value.to_string(), "https://server.example/mcp") {
        let printed = grant.print();
        let address = grant.address.clone();
        assert!(answers::Grant::parse(&printed, &address).is_some_and(|read| read == grant));
        if let Ok(grant) = grant.with_tokens(&json!({"access_token": "a", "t": value}), 0) {
            _ = grant.print();
        }
    }
}
