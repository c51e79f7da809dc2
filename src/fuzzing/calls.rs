//! What comes over wires in calls: replies, messages on buses, cards, announcements.

use std::sync::Arc;

use serde_json::Value;

use super::split_first_line;
use crate::{
    model::{
        clock::Millis,
        traffic::{KeptMessage, ObservedMessage, Tapped},
        transport::TransportKind,
    },
    systems::{
        commonground::{
            ack::Ack, after::AfterExecution, answer, card, card::Card, clue, context::Context,
            headers, idempotency, internal, jina, merge, preflight::body, rules, subject,
            subject::Subject, template, trace,
        },
        discovery::{announcement, descriptors, micro},
        every_system,
        facets::calls::{Message, Reply},
        lock::Lock,
        pydantic,
        search_proxy::{self, keys::Endpoint as ProxyEndpoint},
        trustgraph::{
            agent,
            gateway::{
                answer::{Answer, Wrapping},
                endpoints::Endpoint,
            },
            queue, reply, request,
        },
        unique::{jinja, meta, prompts, tool_response, turn},
        watched::{self, TrafficWitness},
    },
};

const TRANSPORTS: [TransportKind; 5] = [
    TransportKind::Nats,
    TransportKind::RabbitMq,
    TransportKind::Pulsar,
    TransportKind::Kafka,
    TransportKind::Http,
];

/// Names of queues, one a line.
pub(super) fn read_queue(text: &str) {
    for line in text.lines() {
        _ = queue::is_spelled(line);
        _ = queue::nats_subject(line);
        _ = Endpoint::parse(line);
        for transport in TRANSPORTS {
            _ = queue::spell_queue(line, transport);
            if let Some(spelled) = queue::portable_spelling(line, transport) {
                let found = queue::spell_queue(&spelled, transport);
                assert!(found.is_ok(), "{line:?} as {spelled:?}");
            }
            _ = watched::parse_place(line, transport);
        }
    }
}

/// Bodies of messages that answer a call, or ask for one.
pub(super) fn read_reply(bytes: &[u8]) {
    let headers = [("id".to_owned(), "c1".to_owned())];
    let message = Message { headers: &headers, body: bytes };
    if let Reply::Chunk { text, last } = reply::decode("c1", &message) {
        let body = reply::chunk_body(&text, last);
        let message = Message { headers: &headers, body: body.as_bytes() };
        assert_eq!(reply::decode("c1", &message), Reply::Chunk { text, last });
    }
    _ = reply::is_foreign(bytes);
    _ = request::parse_request(bytes);
    let wrappings = [
        Wrapping::Framed { id: "c1" },
        Wrapping::Piece,
        Wrapping::Bare { status: None },
        Wrapping::Bare { status: Some(502) },
    ];
    for path in ["/api/v1/flow/default/service/agent", "/api/v1/config", "/x"] {
        for wrapping in wrappings {
            _ = Answer::for_path(path).read_message(bytes, wrapping);
        }
    }
    _ = answer::refusal_error(500, bytes);
    _ = answer::is_god_off(404, bytes);
    _ = answer::is_missing(bytes);
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        _ = agent::parse_message(&value);
        _ = agent::parse_action(&value);
    }
    let text = String::from_utf8_lossy(bytes);
    for calls in every_system().iter().filter_map(|system| system.calls()) {
        _ = calls.request_arguments(&text);
        _ = calls.request_meta(&text);
    }
    for steps in every_system().iter().filter_map(|system| system.steps()) {
        let stages =
            [("step".to_owned(), text.to_string()), ("result".to_owned(), text.to_string())];
        _ = steps.choice_of(&text);
        _ = steps.outputs_of(&text, &stages);
        _ = steps.report_steps(&stages);
    }
    for served in every_system().iter().filter_map(|system| system.attachments()) {
        _ = served.card_read_error(404, bytes);
    }
}

/// A subject and headers as `name: value` on lines, an empty line, the body of the message; then
/// the next one behind a line of `---`.
pub(super) fn read_bus_message(bytes: &[u8]) {
    let mut witness = TrafficWitness::default();
    let mut at = Millis(1_700_000_000_000);
    let mut rest = bytes;
    for _ in 0..6 {
        let end = rest.windows(5).position(|part| part == b"\n---\n");
        let (part, behind) = match end {
            Some(end) => (&rest[..end], &rest[end + 5..]),
            None => (rest, &[][..]),
        };
        at = Millis(at.0 + 10);
        let message = Arc::new(observed_message(part, at));
        _ = message.memory_size();
        _ = message.lowercase_text();
        _ = clue::parse_advisory(&message.subject, &message.body);
        for name in ["traceparent", "CG-Recursion-Depth"] {
            _ = headers::find_value(&message.headers, name);
            _ = headers::parse_number(&message.headers, name);
            _ = headers::misspelled_name(&message.headers, name);
        }
        _ = witness.observe_message(Tapped::ObservedMessage(message));
        rest = behind;
    }
}

fn observed_message(part: &[u8], at: Millis) -> ObservedMessage {
    let split = part.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = match split {
        Some(split) => (&part[..split], &part[split + 2..]),
        None => (part, &[][..]),
    };
    let head = String::from_utf8_lossy(head);
    let (subject, lines) = split_first_line(&head);
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        (name.trim().to_owned(), value.trim().to_owned())
    };
    ObservedMessage {
        at,
        subject: subject.into(),
        reply: None,
        headers: lines.lines().map(header).collect(),
        body: body.into(),
        size: body.len() as u64,
        kept: KeptMessage::Whole,
        about: None,
    }
}

/// Cards, their contents, acknowledgements, rows.
pub(super) fn read_cards(value: &Value) {
    if let Some(card) = Card::from_value(value) {
        _ = (card.tool_name(), card.holds_call(), card.holds_result());
        _ = card.stored_labels("2026-01-01T00:00:00Z");
        _ = card::copied_labels(&card, &card).len();
    }
    _ = card::tagged_result(value);
    _ = card::content_fault(value);
    _ = Ack::from_value(value);
    _ = AfterExecution::from_value(value);
    _ = idempotency::parse_marker(value);
    _ = rules::stored_row(value);
    _ = rules::is_schema(value);
    _ = merge::parse_given(value);
    _ = internal::started_turn("tool", value);
    _ = internal::refusal_error("tool", value);
    let empty = serde_json::Map::new();
    let members = value.as_object().unwrap_or(&empty);
    _ = merge::merge_arguments(members, value, &Context::default());
    _ = jina::preview_request(value, members);
    for attachments in every_system().iter().filter_map(|system| system.attachments()) {
        _ = attachments.laid_out(&[value.clone(), value.clone()]);
        _ = attachments.card_outcome(value);
    }
}

/// Subjects, traces, bodies of commands and templates, one a line.
pub(super) fn read_card_texts(text: &str) {
    let context = Context::default();
    for line in text.lines() {
        if let Some(read) = Subject::parse(line) {
            assert_eq!(read.to_string(), line);
            _ = (read.stream(), read.is_tool_command(), read.service_filter());
        }
        let is_subject = subject::can_be_sent_to(line);
        _ = subject::overlap(line, "cg.v1r4.lab.*.>");
        assert_eq!(subject::overlap(line, ">"), is_subject, "{line:?}");
        _ = subject::check_dispatch(line, "lab", "public");
        _ = subject::id_fault(line);
        _ = subject::render_subject(line, &context);
        if let Ok(read) = trace::Traceparent::parse(line) {
            let again = trace::Traceparent::parse(&read.to_string());
            assert_eq!(again, Ok(read));
        }
        _ = trace::trace_id(line);
        _ = body::Body::parse(line).data();
        _ = template::parts(line).count();
        _ = template::fill(line, &context);
        _ = jina::url_host(line);
    }
}

/// What services say of themselves.
pub(super) fn read_announcement(bytes: &[u8]) {
    _ = announcement::is_question(bytes);
    _ = announcement::read_announcement("nats://127.0.0.1", bytes);
    if let Ok(instance) = micro::read_answer("nats://127.0.0.1", bytes) {
        _ = instance.found.items.len();
    }
    let text = String::from_utf8_lossy(bytes);
    _ = micro::parse_subject(&text);
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        _ = descriptors::read_descriptors(&value);
    }
}

/// Answers and the description of a search proxy.
pub(super) fn read_search_proxy(value: &Value) {
    use search_proxy::{answer, openapi};

    for endpoint in [ProxyEndpoint::Search, ProxyEndpoint::AgentSearch, ProxyEndpoint::Crawl] {
        _ = answer::read_answer(endpoint, value);
    }
    _ = answer::citation_lines(value);
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    _ = answer::read_event(&text);
    _ = answer::read_error(429, &text, Some(&text));
    _ = answer::upstream_answer(&text);
    _ = openapi::read_tools(value.get("openapi").unwrap_or(value), value);
    _ = meta::unseen_parts(value);
    _ = meta::config_schema(value);
    _ = tool_response::tool_call_response("tool", value, value);
    _ = turn::Turn::from_settings(value);
    for (_, text) in prompts::prompt_texts(value) {
        _ = jinja::template_fault(text);
    }
}

/// A template of a prompt; it ends, whatever it says.
pub(super) fn read_prompt(text: &str) {
    _ = jinja::template_fault(text);
    let values = serde_json::json!({"items": [1, "a", {"b": null}], "name": "x"});
    _ = jinja::outer_variables(text);
    _ = jinja::render_template(text, |name| values.get(name));
}

/// `{"template": …, "values": {…}}`; anything else is the values of a template that shows them all.
pub(super) fn read_prompt_values(input: &Value) {
    const ALL: &str = "{% for k, v in all.items() %}{{ k }}{{ v }}{{ v|tojson }}{{ v|string|e }}{{ [v, v] == [v] }}{% endfor %}";
    let template = input.get("template").and_then(Value::as_str).unwrap_or(ALL);
    let values = input.get("values").unwrap_or(input);
    let value_of = |name: &str| if name == "all" { Some(values) } else { values.get(name) };
    _ = jinja::render_template(template, value_of);
}

/// `{"schema": …, "value": …}`: what a class would read, and fill in.
pub(super) fn read_configuration(input: &Value) {
    let (schema, value) = (input.get("schema").unwrap_or(input), input.get("value"));
    let value = value.cloned().unwrap_or_else(|| serde_json::json!({}));
    let reading = pydantic::read_configuration(&value, schema);
    _ = pydantic::read_configuration(&reading.value, schema);
    _ = pydantic::configuration_faults(&value, schema);
    let members = value.as_object().cloned().unwrap_or_default();
    let filled = pydantic::fill_defaults(&members, schema);
    assert!(members.keys().all(|name| filled.contains_key(name)), "{input}");
}

/// Lock files, and lines that people type as answers.
pub(super) fn read_lock_file(text: &str) {
    if let Ok(lock) = Lock::parse(text) {
        let printed = lock.print();
        assert_eq!(Lock::parse(&printed).as_ref(), Ok(&lock), "{printed}");
    }
}
