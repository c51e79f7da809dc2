//! A call that was kept as the stub of its service.

use serde_json::{Map, Value};

use super::{
    gateway::{endpoints::Endpoint, served},
    queue,
    request::{self, ServiceRequest},
};
use crate::{
    engine::{mask::Mask, services::sample::Asking, stub::record},
    model::{
        call::{Call, Event, Request},
        problem::{Problem, ProblemKind},
        stub::StubService,
        trace::Trace,
    },
};

/// What of a call a stub is made from.
struct StubSource<'k> {
    tool: &'k str,
    to: &'k str,
    reply: Option<&'k str>,
    body: &'k str,
    text: &'k str,
}

/// The stub that answers as a call of this session was answered, with the service's queues, or its
/// path behind the gateway, and one rule, named after its tool. Secrets are masked.
///
/// # Errors
/// When it had no answer.
pub(crate) fn of_call(call: &Call, mask: &Mask) -> Result<StubService, Problem> {
    let request = &call.request;
    let body = mask.mask_text(&request.body);
    let kept = StubSource {
        tool: &request.name,
        to: &request.to,
        reply: request.reply.as_deref(),
        body: &body,
        text: &call.text.whole(),
    };
    let events: Vec<Event> = call
        .events
        .iter()
        .map(|event| call.event_with_text(event).map_text(|text| (&*text).into()))
        .collect();
    let mut service = kept.build_service(events.iter())?;
    // What is not of the history is not masked yet.
    record::mask_answers(&mut service, mask);
    Ok(service)
}

/// The same of a call in the history; `text` is its whole answer.
///
/// # Errors
/// As [`of_call`].
pub(crate) fn of_trace(trace: &Trace, text: &str) -> Result<StubService, Problem> {
    let head = &trace.head;
    let kept = StubSource {
        tool: &head.tool,
        to: &head.to,
        reply: head.reply.as_deref(),
        body: &head.body,
        text,
    };
    kept.build_service(trace.events.iter())
}

impl StubSource<'_> {
    fn build_service<'e>(
        &self,
        events: impl Iterator<Item = &'e Event>,
    ) -> Result<StubService, Problem> {
        let refused = |cause: String| {
            Problem::new(
                ProblemKind::Input,
                format!("keeping a call of {} as a stub", self.tool),
                cause,
            )
        };
        let endpoint = Endpoint::parse(self.to);
        let ServiceRequest { user, config, arguments } =
            read_asked(self.to, self.body).map_err(refused)?;
        let asking = Asking { user: &user, config: &config, arguments: &arguments };
        let rule = record::recorded_rule(self.tool, &asking, events, self.text)
            .map_err(|cause| refused(cause).with_remedy("keep a call that was answered"))?;
        Ok(StubService {
            name: endpoint.map_or_else(|| topic(self.to), |endpoint| endpoint.service),
            request: Some(self.to.to_owned()),
            response: self.reply.map(str::to_owned),
            rules: vec![rule],
        })
    }
}

/// The configuration that a request carries.
#[must_use]
pub(crate) fn request_config(request: &Request) -> Map<String, Value> {
    read_asked(&request.to, &request.body).map(|asked| asked.config).unwrap_or_default()
}

/// A request as whoever answers it reads it: from its queue, or behind the gateway.
fn read_asked(to: &str, body: &str) -> Result<ServiceRequest, String> {
    let Some(endpoint) = Endpoint::parse(to) else {
        return request::parse_request(body.as_bytes()).map_err(|problem| problem.message);
    };
    let body =
        serde_json::from_str(body).map_err(|error| format!("its body is no object: {error}"))?;
    served::parse_request(&endpoint.service, &body)
        .map_err(|member| format!("its body lacks '{member}'"))
}

/// The last part of a queue's name.
fn topic(queue: &str) -> String {
    let subject = queue::nats_subject(queue).unwrap_or_else(|_| queue.to_owned());
    subject.rsplit('.').next().unwrap_or(queue).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::{
        model::{
            call::{CallError, CallId, EventKind, Outcome, Request},
            clock::Millis,
            entry::{EntryId, EntryPlace, FileId},
            error_kind::ErrorKind,
            trace::Head,
        },
        schema::pointer::Pointer,
        systems::{stubs, trustgraph::keys},
    };

    fn trace(to: &str) -> Trace {
        let body = request::request_body("ann", &Map::new(), r#"{"topic":"llamas"}"#);
        let head = Head {
            tool: "tell-joke".into(),
            system: keys::SYSTEM.into(),
            to: to.into(),
            reply: Some("response:tg:joke".into()),
            body,
            ..Head::default()
        };
        let chunk = Event { at_ms: 7, kind: EventKind::Chunk { text: "ha".into(), bytes: 2 } };
        let end =
            Event { at_ms: 8, kind: EventKind::End { outcome: Outcome::Succeeded, problem: None } };
        Trace { head, events: vec![chunk, end] }
    }

    #[test]
    fn an_answer_of_this_session_is_kept_without_secrets_that_its_chunks_cut() {
        let trace = trace("request:tg:joke");
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        let request = Request {
            tool: EntryId::new(place),
            system: keys::SYSTEM,
            name: "tell-joke".into(),
            to: trace.head.to.to_string(),
            reply: None,
            headers: Vec::new(),
            correlation: "1".into(),
            arguments: "{}".into(),
            body: trace.head.body,
            mock: None,
        };
        let mut call = Call::new(CallId(1), request, "local", Millis(1));
        let kinds = ["it is hun", "ter2hunter2", " or sk-", "proj-0123456789abcdef", " !"];
        let kinds = kinds.map(|text| EventKind::Chunk { text: text.into(), bytes: text.len() });
        let message = "hunter2hunter2 again".into();
        let problem = CallError { kind: ErrorKind::parse("k"), message, remedy: String::new() };
        let end = EventKind::End { outcome: Outcome::Failed, problem: Some(problem) };
        kinds.into_iter().chain([end]).for_each(|kind| call.apply_event(Event { at_ms: 7, kind }));
        let service = of_call(&call, &Mask::new(["hunter2hunter2".to_owned()])).unwrap();
        let then = &service.rules[0].then;
        let texts: Vec<&str> = then.pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, ["it is ***", "", " or ***", "", " !"]);
        assert_eq!(then.error, Some(("k".into(), "*** again".into())));
    }

    #[test]
    fn a_kept_call_becomes_a_rule_on_its_queues() {
        let service = of_trace(&trace("non-persistent://tg/request/joke"), "ha").unwrap();
        assert_eq!((service.name.as_str(), service.rules[0].name.as_str()), ("joke", "tell-joke"));
        assert_eq!(service.request.as_deref(), Some("non-persistent://tg/request/joke"));
        assert_eq!(service.response.as_deref(), Some("response:tg:joke"));
        assert_eq!(service.rules[0].then.pieces[0].text, "ha");
    }

    #[test]
    fn what_a_gateway_answered_is_a_rule_at_its_path() {
        let mut trace = trace("/api/v1/flow/default/service/mcp-tool");
        (trace.head.body, trace.head.reply) =
            (r#"{"name":"echo","workspace":"w","parameters":{"x":1}}"#.into(), None);
        let service = of_trace(&trace, "ha").unwrap();
        assert_eq!((service.name.as_str(), service.response.as_deref()), ("mcp-tool", None));
        assert_eq!(service.request.as_deref(), Some("/api/v1/flow/default/service/mcp-tool"));
        let object = |text: &str| serde_json::from_str::<Map<String, _>>(text).ok();
        let when = &service.rules[0].when;
        assert_eq!(
            (&when.config, &when.arguments),
            (&object(r#"{"name":"echo"}"#), &object(r#"{"x":1}"#))
        );
        trace.head.system = "elsewhere".into();
        // Of any other system it is known by its tool.
        trace.head.arguments = r#"{"x":1}"#.into();
        let [service] = &stubs::of_trace(&trace, "ha").unwrap()[..] else { panic!() };
        assert_eq!((service.name.as_str(), &service.request), ("tell-joke", &None));
        assert_eq!(service.rules[0].when.arguments, object(r#"{"x":1}"#));
    }
}
