//! A connection to a server as a state machine: frames go in, and out come what to do and what
//! happened. It moves no bytes and reads no clock, so that any transport can drive it, and a test
//! by hand.

use std::{cmp::Ordering, collections::HashMap};

use serde_json::{Number, Value};

use super::{
    asked::{Kind as AskedKind, ServerRequest},
    codes,
    fault::{Fault, NOISE},
    negotiate::{ProbeOutcome, Step, Transport},
    notice::Notice,
    rpc::{
        build::{self, Call, Client, Members},
        frame::{Frame, Kind, Span},
        id::Id,
        router::{AnswerArrival, RequestEnd, Router},
    },
    turn::{OpenedServer, Outgoing, Settings, TransportStep, Turn, TurnOutcome},
    version::Era,
};
use crate::schema::{decimal, literal::Literal, pointer::Pointer};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Phase {
    New,
    /// The request that opens it waits under this id.
    Opening {
        id: Id,
        step: Step,
        version: String,
        findings: Vec<&'static str>,
    },
    /// The old transport is being opened.
    OpeningOldSse,
    Open(OpenedServer),
    Closed,
}

/// A connection.
#[derive(Debug)]
pub struct Session {
    pub(super) settings: Settings,
    pub(super) phase: Phase,
    /// How often each of the requests that open it was sent.
    pub(super) discovers: u32,
    pub(super) initializes: u32,
    pub(super) router: Router,
    /// What the server asked and nobody answered yet.
    asked: HashMap<Id, ServerRequest>,
    /// How far the work at each token was.
    progress: HashMap<Id, Number>,
}

impl Session {
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            phase: Phase::New,
            discovers: 0,
            initializes: 0,
            router: Router::default(),
            asked: HashMap::new(),
            progress: HashMap::new(),
        }
    }

    /// What is known of the server; `None` while it is not connected.
    #[must_use]
    pub fn opened(&self) -> Option<&OpenedServer> {
        match &self.phase {
            Phase::Open(opened) => Some(opened),
            _ => None,
        }
    }

    #[must_use]
    pub fn client(&self) -> &Client {
        &self.settings.client
    }

    /// The least level of logs that requests of the modern era ask for from now on.
    pub fn ask_for_logs(&mut self, level: Option<String>) {
        self.settings.client.log_level = level;
    }

    /// The ids of requests that wait for their answers.
    #[must_use]
    pub fn waiting_ids(&self) -> Vec<Id> {
        self.router.waiting_ids()
    }

    /// A request, with its id as the token of progress where that is wanted; `mirrored` are headers
    /// of arguments. `None`: not connected.
    pub fn call(
        &mut self,
        call: Call,
        with_progress: bool,
        mirrored: Vec<(String, String)>,
    ) -> Option<Outgoing> {
        let spoken = self.opened()?.spoken.clone();
        let id = self.router.register(call.clone());
        let call = if with_progress { call.with_progress(&id) } else { call };
        let mut headers = call.headers(&spoken);
        headers.extend(mirrored);
        Some(Outgoing {
            text: call.to_frame(&id, &self.settings.client, &spoken),
            headers,
            id: Some(id),
            wait: None,
        })
    }

    /// A notification. `None`: not connected.
    #[must_use]
    pub fn notify(&self, method: &str, params: &Members) -> Option<Outgoing> {
        self.opened()?;
        Some(self.outgoing(build::notification_frame(method, params)))
    }

    /// Answers a request of the server. `None`: it no longer waits.
    pub fn answer(&mut self, id: &Id, result: &Literal) -> Option<Outgoing> {
        self.asked.remove(id)?;
        Some(self.outgoing(build::result_frame(id, result)))
    }

    /// Refuses a request of the server. `None`: it no longer waits.
    pub fn refuse(&mut self, id: &Id, code: i64, message: &str) -> Option<Outgoing> {
        self.asked.remove(id)?;
        Some(self.outgoing(build::error_frame(id, code, message)))
    }

    /// Gives up a request in the way of its transport and era. Its answer may come all the same,
    /// late.
    pub fn cancel(&mut self, id: &Id, reason: Option<&str>) -> Turn {
        let mut turn = Turn::default();
        self.give_up(id, RequestEnd::Cancelled, reason, &mut turn);
        turn
    }

    /// No answer came in time.
    pub fn timed_out(&mut self, id: &Id) -> Turn {
        let mut turn = Turn::default();
        if self.is_opening(id) {
            self.advance_opening(&ProbeOutcome::Timeout, None, &mut turn);
        } else if let Some(call) =
            self.give_up(id, RequestEnd::TimedOut, Some("timeout"), &mut turn)
        {
            turn.push_event(TurnOutcome::TimedOut { id: id.clone(), call }, None, Vec::new());
        }
        turn
    }

    /// The process ended, or the connection broke.
    pub fn handle_disconnect(&mut self) -> Turn {
        let mut turn = Turn::default();
        if matches!(self.phase, Phase::Opening { .. }) {
            self.advance_opening(&ProbeOutcome::Exit, None, &mut turn);
            return turn;
        }
        for id in self.router.waiting_ids() {
            if let Some(call) = self.router.give_up(&id, RequestEnd::TimedOut) {
                turn.push_event(TurnOutcome::Lost { id, call }, None, Vec::new());
            }
        }
        self.asked.clear();
        self.progress.clear();
        self.phase = Phase::Closed;
        turn
    }

    /// HTTP answered the POST of a request with a status that is no success, or with a body that is
    /// no JSON-RPC.
    pub fn http_answered(&mut self, id: &Id, status: u16, body: &str) -> Turn {
        let mut turn = Turn::default();
        if self.is_opening(id) {
            self.advance_opening(
                &ProbeOutcome::of_http(status, body),
                Some(Frame::parse(body)),
                &mut turn,
            );
            return turn;
        }
        let frame = Frame::parse(body);
        // An error without an id belongs to its POST.
        if let Kind::Reply { id: own, result, error } = frame.kind.clone() {
            let own = own.unwrap_or_else(|| id.clone());
            self.handle_reply(own, result, error, frame, &mut turn);
            return turn;
        }
        if let Some(call) = self.router.give_up(id, RequestEnd::Answered) {
            self.progress.remove(id);
            turn.push_event(
                TurnOutcome::HttpError { id: id.clone(), call, status },
                Some(frame),
                Vec::new(),
            );
        }
        turn
    }

    /// The server did not take a request, as it no longer knows the session that it went with: see
    /// [`is_session_gone`].
    pub fn session_gone(&mut self, id: &Id) -> Turn {
        let mut turn = Turn::default();
        if self.router.give_up(id, RequestEnd::Answered).is_some() {
            self.phase = Phase::Closed;
            turn.push_event(TurnOutcome::SessionGone { id: id.clone() }, None, Vec::new());
        }
        turn
    }

    /// A frame came on any stream.
    pub fn handle_frame(&mut self, frame: Frame) -> Turn {
        let mut turn = Turn::default();
        if !matches!(frame.kind, Kind::Several(_) | Kind::Batch(_)) {
            self.handle_message(frame, &mut turn);
            return turn;
        }
        let mut faults = Vec::new();
        match frame.kind {
            Kind::Several(_) => {
                faults.push(fault(
                    "frame.several",
                    "has several messages, which belong into frames of their own",
                ));
            }
            Kind::Batch(_)
                if self
                    .opened()
                    .is_some_and(|opened| opened.spoken.version.as_str() >= "2025-06-18") =>
            {
                faults.push(fault("frame.batch", "is a batch, which this revision does not know"));
            }
            _ => {}
        }
        for message in frame.into_messages() {
            let before = turn.events.len();
            self.handle_message(message, &mut turn);
            if let Some(event) = turn.events.get_mut(before) {
                event.faults.append(&mut faults);
            }
        }
        turn
    }

    fn handle_message(&mut self, frame: Frame, turn: &mut Turn) {
        match &frame.kind {
            Kind::Reply { id: Some(id), result, error } => {
                let (id, result, error) = (id.clone(), result.clone(), error.clone());
                self.handle_reply(id, result, error, frame, turn);
            }
            Kind::Reply { id: None, .. } => {
                turn.push_event(
                    TurnOutcome::Unmatched,
                    Some(frame),
                    vec![fault("id.missing", "answers to no request")],
                );
            }
            Kind::Notification { method, .. } => {
                let notice = Notice::parse(method, frame.params_text());
                self.handle_notification(notice, frame, turn);
            }
            Kind::Request { id, method, .. } => {
                let (id, method) = (id.clone(), method.clone());
                self.handle_request(id, &method, frame, turn);
            }
            Kind::Foreign | Kind::Batch(_) | Kind::Several(_) => {
                turn.push_event(
                    TurnOutcome::Foreign,
                    Some(frame),
                    vec![fault("frame.foreign", "is JSON, and no message of JSON-RPC")],
                );
            }
            Kind::Noise => {
                // It is in the server's profile, though the line came before anybody listened.
                if let Phase::Opening { findings, .. } = &mut self.phase
                    && !findings.contains(&NOISE)
                {
                    findings.push(NOISE);
                }
                turn.push_event(
                    TurnOutcome::Noise,
                    Some(frame),
                    vec![fault(NOISE, "is no JSON; something else writes where only messages may")],
                );
            }
        }
    }

    fn handle_reply(
        &mut self,
        id: Id,
        result: Option<Span>,
        error: Option<Span>,
        frame: Frame,
        turn: &mut Turn,
    ) {
        let (id, call, other_type) = match self.router.resolve(&id) {
            AnswerArrival::Ends { id, call, other_type } => (id, call, other_type),
            AnswerArrival::Late(why) => {
                let faults = match why {
                    RequestEnd::Answered => {
                        vec![fault("reply.twice", "answers a request that was answered before")]
                    }
                    RequestEnd::Cancelled | RequestEnd::TimedOut => {
                        vec![fault("reply.late", "answers a request that was given up")]
                    }
                };
                return turn.push_event(TurnOutcome::Late { id, why }, Some(frame), faults);
            }
            AnswerArrival::Unknown => {
                return turn.push_event(
                    TurnOutcome::Unmatched,
                    Some(frame),
                    vec![fault("id.unknown", "nobody asked under this id")],
                );
            }
        };
        self.progress.remove(&id);
        let faults = other_type
            .then(|| fault("id.other-type", "its id is of another type than the request's"))
            .into_iter()
            .collect();
        if matches!(&self.phase, Phase::Opening { id: opening, .. } if *opening == id) {
            let seen = match (&result, &error) {
                (_, Some(error)) => {
                    ProbeOutcome::Error { error: frame.parse_value(error), status: None }
                }
                (result, None) => ProbeOutcome::Result(
                    result.as_ref().map(|result| frame.parse_value(result)).unwrap_or_default(),
                ),
            };
            return self.advance_opening(&seen, Some(frame), turn);
        }
        turn.push_event(TurnOutcome::Answer { id, call, result, error }, Some(frame), faults);
    }

    fn handle_notification(&mut self, notice: Notice, frame: Frame, turn: &mut Turn) {
        let mut faults = Vec::new();
        match &notice {
            Notice::Progress { token, progress, .. } => {
                faults.extend(self.check_progress(token, progress));
            }
            Notice::Log { level, .. } => {
                let is_modern =
                    self.opened().is_some_and(|opened| opened.spoken.era == Era::Modern);
                if is_modern && self.settings.client.log_level.is_none() {
                    faults.push(fault(
                        "log.unasked",
                        "a server of this era logs only when it is asked to",
                    ));
                }
                if level.is_none() {
                    faults.push(fault("log.level-unknown", "is of no level that is known"));
                }
            }
            Notice::Changed(list)
                if self.opened().is_some_and(|opened| !opened.tells_changes(*list)) =>
            {
                faults.push(fault(
                    "list-changed.undeclared",
                    "the server did not declare this notification",
                ));
            }
            Notice::Cancelled { request, reason } => {
                if self.asked.remove(request).is_some() {
                    let what =
                        TurnOutcome::Withdrawn { id: request.clone(), reason: reason.clone() };
                    return turn.push_event(what, Some(frame), faults);
                }
                faults.push(fault("cancel.unknown", "gives up a request that does not wait"));
            }
            Notice::Other { .. } => {
                faults.push(fault(
                    "notice.unknown",
                    "is no notification that is known, or lacks what it has to say",
                ));
            }
            _ => {}
        }
        turn.push_event(TurnOutcome::Notice(notice), Some(frame), faults);
    }

    fn check_progress(&mut self, token: &Id, progress: &Number) -> Option<Fault> {
        // What has ended is no longer there.
        if let Some(known) = self.progress.get_mut(token) {
            let before = std::mem::replace(known, progress.clone());
            let grows = decimal::compare(&before, progress) == Some(Ordering::Less);
            return (!grows).then(|| fault("progress.not-growing", "is not more than before"));
        }
        if self.router.waiting_call(token).is_none() {
            return Some(match self.router.has_ended(token) {
                true => fault("progress.after-end", "reports on a request that has ended"),
                false => fault("progress.unknown-token", "its token is that of no request"),
            });
        }
        self.progress.insert(token.clone(), progress.clone());
        None
    }

    fn handle_request(&mut self, id: Id, method: &str, frame: Frame, turn: &mut Turn) {
        let mut asked = ServerRequest::from_request(method, frame.params(), &self.settings.client);
        let mut faults = std::mem::take(&mut asked.faults);
        if self.opened().is_some_and(|opened| opened.spoken.era == Era::Modern) {
            faults.push(fault(
                "asked.in-modern",
                "a server of this era asks within its results alone",
            ));
        }
        let at_once = match asked.kind {
            AskedKind::Ping => {
                Some(build::result_frame(&id, &Literal::from(serde_json::json!({}))))
            }
            AskedKind::Other if is_known(method) => {
                Some(build::error_frame(&id, codes::INVALID_PARAMS, "Invalid params"))
            }
            AskedKind::Other => {
                Some(build::error_frame(&id, codes::METHOD_NOT_FOUND, "Method not found"))
            }
            _ => None,
        };
        let what = match at_once {
            Some(text) => {
                turn.todo.push(TransportStep::Send(self.outgoing(text)));
                TurnOutcome::AnsweredAtOnce { asked }
            }
            None => {
                self.asked.insert(id.clone(), asked.clone());
                TurnOutcome::Asked { id, asked }
            }
        };
        turn.push_event(what, Some(frame), faults);
    }

    fn give_up(
        &mut self,
        id: &Id,
        why: RequestEnd,
        reason: Option<&str>,
        turn: &mut Turn,
    ) -> Option<Call> {
        if self.is_opening(id) {
            return None;
        }
        let spoken = self.opened()?.spoken.clone();
        let call = self.router.give_up(id, why)?;
        self.progress.remove(id);
        turn.todo.push(match (spoken.era, self.settings.transport) {
            (Era::Modern, Transport::Http) => TransportStep::CloseStream(id.clone()),
            _ => TransportStep::Send(self.outgoing(build::cancelled_frame(id, reason))),
        });
        Some(call)
    }

    /// A frame that no answer is expected to.
    pub(super) fn outgoing(&self, text: String) -> Outgoing {
        let version = self
            .opened()
            .map(|opened| ("MCP-Protocol-Version".to_owned(), opened.spoken.version.clone()));
        Outgoing { text, headers: version.into_iter().collect(), id: None, wait: None }
    }
}

/// Whether the answer of HTTP to a request of a session says that the server doesn't know the
/// session. Its status is 404 by the specification; servers that were made after the examples of the
/// SDKs answer 400, and say why in words.
#[must_use]
pub fn is_session_gone(status: u16, body: &str) -> bool {
    let reply: Option<Value> = serde_json::from_str(body).ok();
    let error = reply.as_ref().map(|reply| &reply["error"]);
    let code = error.and_then(|error| error["code"].as_i64());
    let words = match (&reply, error) {
        (None, _) => body,
        (_, error) => error.and_then(|error| error["message"].as_str()).unwrap_or_default(),
    };
    let words = words.to_lowercase();
    match status {
        // A server that says so has looked for the method.
        404 => !matches!(code, Some(codes::METHOD_NOT_FOUND | codes::INVALID_PARAMS)),
        400 => {
            matches!(code, None | Some(codes::INVALID_REQUEST | -32_000 | -32_001))
                && (words.contains("session") || words.contains("not initialized"))
        }
        _ => false,
    }
}

fn fault(id: &'static str, words: &'static str) -> Fault {
    Fault::new(id, Pointer::root(), words)
}

/// Whether a method is one that a server may ask a client for.
fn is_known(method: &str) -> bool {
    ["elicitation/create", "sampling/createMessage", "roots/list"].contains(&method)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{
        super::{fault::fault_ids, negotiate::EraChoice, version::Versions},
        *,
    };

    pub(crate) fn session(transport: Transport, change: impl FnOnce(&mut Settings)) -> Session {
        let client = Client {
            capabilities: json!({"elicitation": {}, "roots": {}}),
            ..Client::new("t", "1")
        };
        let mut settings = Settings {
            transport,
            era: EraChoice::Auto,
            versions: Versions::default(),
            client,
            remembered: None,
        };
        change(&mut settings);
        Session::new(settings)
    }

    /// What is to be sent, by method; other things to do by their names.
    pub(crate) fn todo(turn: &Turn) -> Vec<String> {
        let word = |todo: &TransportStep| match todo {
            TransportStep::Send(outgoing) => {
                let frame: Value = serde_json::from_str(&outgoing.text).unwrap();
                let method =
                    frame["method"].as_str().map_or_else(|| "answer".to_owned(), String::from);
                outgoing.id.as_ref().map_or(method.clone(), |id| format!("{method} {id}"))
            }
            TransportStep::CloseStream(id) => format!("close {id}"),
            other => format!("{other:?}"),
        };
        turn.todo.iter().map(word).collect()
    }

    pub(crate) fn got(session: &mut Session, frame: &Value) -> Turn {
        session.handle_frame(Frame::parse(frame.to_string()))
    }

    pub(crate) fn what(turn: &Turn) -> &TurnOutcome {
        &turn.events[0].what
    }

    fn faults(turn: &Turn) -> Vec<&'static str> {
        turn.events.iter().flat_map(|event| fault_ids(&event.faults)).collect()
    }

    fn open(transport: Transport, era: Era) -> Session {
        let mut session = session(transport, |_| {});
        session.open();
        if era == Era::Modern {
            got(
                &mut session,
                &json!({"id": 1, "result": {"supportedVersions": ["2026-07-28"], "capabilities": {}}}),
            );
        } else {
            got(&mut session, &json!({"id": 1, "error": {"code": -32601, "message": "no"}}));
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}}});
            got(&mut session, &json!({"id": 2, "result": result}));
        }
        assert_eq!(session.opened().unwrap().spoken.era, era);
        session
    }

    #[test]
    fn answers_come_back_to_their_requests_in_any_order() {
        let mut session = open(Transport::Stdio, Era::Legacy);
        let first = session.call(Call::from_method("a"), false, Vec::new()).unwrap().id.unwrap();
        let second = session.call(Call::from_method("b"), false, Vec::new()).unwrap().id.unwrap();
        let turn = got(&mut session, &json!({"id": second.to_value(), "result": {"n": 1}}));
        let (TurnOutcome::Answer { call, result: Some(span), .. }, Some(frame)) =
            (what(&turn), &turn.events[0].frame)
        else {
            panic!("{turn:?}")
        };
        assert_eq!((call.method.as_str(), frame.raw_text(span)), ("b", r#"{"n":1}"#));
        let turn = got(&mut session, &json!({"id": first.as_text(), "error": {"code": -1}}));
        assert_eq!((faults(&turn), session.waiting_ids()), (vec!["id.other-type"], vec![]));
        assert_eq!(
            faults(&got(&mut session, &json!({"id": first.to_value(), "result": {}}))),
            ["reply.twice"]
        );
        assert_eq!(faults(&got(&mut session, &json!({"id": 99, "result": {}}))), ["id.unknown"]);
        assert_eq!(faults(&got(&mut session, &json!({"id": null, "error": {}}))), ["id.missing"]);
    }

    #[test]
    fn a_request_is_given_up_in_the_way_of_its_transport() {
        for (transport, era, todos) in [
            (Transport::Stdio, Era::Legacy, "notifications/cancelled"),
            (Transport::Http, Era::Legacy, "notifications/cancelled"),
            (Transport::Stdio, Era::Modern, "notifications/cancelled"),
            (Transport::Http, Era::Modern, "close 2"),
        ] {
            let mut session = open(transport, era);
            let id = session.call(Call::from_method("a"), false, Vec::new()).unwrap().id.unwrap();
            let turn = session.cancel(&id, Some("enough"));
            assert_eq!(todo(&turn), [todos.to_owned()]);
            assert_eq!(todo(&session.cancel(&id, None)), Vec::<String>::new());
            let late = got(&mut session, &json!({"id": id.to_value(), "result": {}}));
            assert_eq!(
                (faults(&late), what(&late)),
                (
                    vec!["reply.late"],
                    &TurnOutcome::Late { id: id.clone(), why: RequestEnd::Cancelled }
                )
            );
        }
    }

    #[test]
    fn progress_grows_and_belongs_to_a_request() {
        let mut session = open(Transport::Stdio, Era::Legacy);
        let call = session.call(Call::from_method("a"), true, Vec::new()).unwrap();
        assert!(call.text.contains(r#""_meta":{"progressToken":3}"#), "{}", call.text);
        let mut at = |progress: &str, token: u64| {
            let text = format!(
                r#"{{"method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}}}"#
            );
            faults(&session.handle_frame(Frame::parse(text)))
        };
        assert_eq!(
            [at("0", 3), at("0.5", 3), at("9007199254740993", 3)],
            [Vec::<&str>::new(), vec![], vec![]]
        );
        assert_eq!(
            [at("9007199254740992", 3), at("1", 77)],
            [["progress.not-growing"], ["progress.unknown-token"]]
        );
        got(&mut session, &json!({"id": 3, "result": {}}));
        let turn = got(
            &mut session,
            &json!({"method": "notifications/progress", "params": {"progressToken": 3, "progress": 9}}),
        );
        assert_eq!(faults(&turn), ["progress.after-end"]);
    }

    #[test]
    fn a_server_asks_and_is_answered_once() {
        let mut session = open(Transport::Stdio, Era::Legacy);
        let turn = got(&mut session, &json!({"id": "x", "method": "roots/list"}));
        assert!(matches!(what(&turn), TurnOutcome::Asked { .. }) && turn.todo.is_empty());
        let id = Id::Text("x".into());
        let answer = session.answer(&id, &Literal::from(json!({"roots": []}))).unwrap();
        assert_eq!(answer.text, r#"{"jsonrpc":"2.0","id":"x","result":{"roots":[]}}"#);
        assert_eq!(session.refuse(&id, -1, "late"), None);
        got(&mut session, &json!({"id": 5, "method": "roots/list"}));
        let turn = got(
            &mut session,
            &json!({"method": "notifications/cancelled", "params": {"requestId": 5}}),
        );
        assert_eq!(what(&turn), &TurnOutcome::Withdrawn { id: Id::from(5), reason: None });
        assert_eq!(session.answer(&Id::from(5), &Literal::from(json!({}))), None);
    }

    #[test]
    fn pings_and_what_nobody_can_do_are_answered_at_once() {
        let mut session = open(Transport::Stdio, Era::Legacy);
        for (method, answer) in
            [("ping", r#""result":{}"#), ("x/y", "-32601"), ("elicitation/create", "-32602")]
        {
            let turn = got(&mut session, &json!({"id": 1, "method": method}));
            assert!(
                matches!(&turn.todo[..], [TransportStep::Send(outgoing)] if outgoing.text.contains(answer)),
                "{turn:?}"
            );
            assert!(matches!(what(&turn), TurnOutcome::AnsweredAtOnce { .. }));
        }
        let mut modern = open(Transport::Stdio, Era::Modern);
        assert_eq!(
            faults(&got(&mut modern, &json!({"id": 1, "method": "roots/list"}))),
            ["asked.in-modern"]
        );
    }

    #[test]
    fn what_is_odd_is_told_and_kept() {
        let mut session = open(Transport::Stdio, Era::Legacy);
        let mut told = |text: &str| {
            let turn = session.handle_frame(Frame::parse(text));
            (turn.events.len(), faults(&turn))
        };
        assert_eq!(told("listening"), (1, vec!["frame.not-json"]));
        assert_eq!(told("{}"), (1, vec!["frame.foreign"]));
        let changed = r#"{"method":"notifications/tools/list_changed"}"#;
        assert_eq!(told(changed), (1, vec![]));
        assert_eq!(
            told(r#"{"method":"notifications/prompts/list_changed"}"#),
            (1, vec!["list-changed.undeclared"])
        );
        assert_eq!(told(&format!("{changed}{changed}")), (2, vec!["frame.several"]));
        assert_eq!(told(&format!("[{changed},{changed}]")), (2, vec!["frame.batch"]));
        assert_eq!(
            told(r#"{"method":"notifications/message","params":{"level":"loud","data":1}}"#),
            (1, vec!["log.level-unknown"])
        );
        assert_eq!(told(r#"{"method":"notifications/x"}"#), (1, vec!["notice.unknown"]));
        assert_eq!(
            told(r#"{"method":"notifications/cancelled","params":{"requestId":8}}"#),
            (1, vec!["cancel.unknown"])
        );
        let mut modern = open(Transport::Stdio, Era::Modern);
        let log =
            json!({"method": "notifications/message", "params": {"level": "info", "data": 1}});
        assert_eq!(faults(&got(&mut modern, &log)), ["log.unasked"]);
        modern.ask_for_logs(Some("info".into()));
        assert_eq!(faults(&got(&mut modern, &log)), Vec::<&str>::new());
    }

    #[test]
    fn an_error_of_http_belongs_to_its_request() {
        let mut session = open(Transport::Http, Era::Legacy);
        let id = session.call(Call::from_method("a"), false, Vec::new()).unwrap().id.unwrap();
        let turn = session.http_answered(
            &id,
            400,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}"#,
        );
        assert!(matches!(what(&turn), TurnOutcome::Answer { error: Some(_), .. }), "{turn:?}");
        let id = session.call(Call::from_method("b"), false, Vec::new()).unwrap().id.unwrap();
        let turn = session.http_answered(&id, 404, "gone");
        assert!(matches!(what(&turn), TurnOutcome::HttpError { status: 404, .. }));
    }

    #[test]
    fn a_session_that_the_server_does_not_know_is_over() {
        let mut session = open(Transport::Http, Era::Legacy);
        let id = session.call(Call::from_method("b"), false, Vec::new()).unwrap().id.unwrap();
        let turn = session.session_gone(&id);
        assert_eq!(turn.events.len(), 1);
        assert_eq!(what(&turn), &TurnOutcome::SessionGone { id: id.clone() });
        assert_eq!(session.session_gone(&id), Turn::default());
        assert_eq!(session.call(Call::from_method("c"), false, Vec::new()), None);
    }

    /// What the SDKs of Python, TypeScript and Go answer, and servers made after their examples.
    #[test]
    fn an_unknown_session_is_told_from_other_refusals() {
        let error = |code: i64, message: &str| {
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}})
                .to_string()
        };
        for (status, body) in [
            (404, error(-32_600, "Session not found")),
            (404, error(-32_001, "Session not found")),
            (404, "session not found".to_owned()),
            (404, String::new()),
            (400, error(-32_000, "Bad Request: No valid session ID provided")),
            (400, error(-32_000, "Bad Request: Server not initialized")),
            (400, error(-32_600, "Bad Request: Missing session ID")),
            (400, "Invalid session ID".to_owned()),
        ] {
            assert!(is_session_gone(status, &body), "{status} {body}");
        }
        for (status, body) in [
            (404, error(-32_601, "Method not found")),
            (400, error(-32_602, "session: a number is needed")),
            (400, error(-32_600, "Invalid Request")),
            (400, "no".to_owned()),
            (401, "no session".to_owned()),
            (500, error(-32_000, "session store is down")),
        ] {
            assert!(!is_session_gone(status, &body), "{status} {body}");
        }
    }

    #[test]
    fn what_waits_is_lost_with_the_connection() {
        let mut session = open(Transport::Stdio, Era::Modern);
        let id = session.call(Call::from_method("a"), false, Vec::new()).unwrap().id.unwrap();
        let slow = session.call(Call::from_method("b"), false, Vec::new()).unwrap().id.unwrap();
        assert!(matches!(what(&session.timed_out(&slow)), TurnOutcome::TimedOut { .. }));
        assert_eq!(
            what(&session.handle_disconnect()),
            &TurnOutcome::Lost { id, call: Call::from_method("a") }
        );
        assert_eq!(session.opened(), None);
    }

    /// Frames of a server of any kind.
    fn frame() -> impl Strategy<Value = String> {
        let member = prop::sample::select(vec![
            r#""id":1"#,
            r#""id":"2""#,
            r#""id":null"#,
            r#""method":"ping""#,
            r#""method":"roots/list""#,
            r#""params":{"progressToken":1,"progress":2}"#,
            r#""method":"notifications/progress""#,
            r#""result":{"protocolVersion":"2025-11-25"}"#,
            r#""result":{"supportedVersions":["2026-07-28"]}"#,
            r#""error":{"code":-32022,"data":{"supported":["2025-06-18"]}}"#,
            r#""error":5"#,
        ]);
        let message = prop::collection::vec(member, 0..4)
            .prop_map(|members| format!("{{{}}}", members.join(",")));
        prop_oneof![
            message.clone(),
            (message.clone(), message).prop_map(|(one, other)| format!("[{one},{other}]")),
            ".{0,10}".prop_map(String::from)
        ]
    }

    proptest! {
        #[test]
        fn every_frame_is_told(frames in prop::collection::vec((0..6, frame()), 1..12)) {
            let mut session = session(Transport::Http, |_| {});
            session.open();
            for (input, text) in frames {
                let turn = match input {
                    0 => session.timed_out(&Id::from(1)),
                    1 => session.http_answered(&Id::from(2), 400, &text),
                    2 => session.handle_disconnect(),
                    _ => session.handle_frame(Frame::parse(text)),
                };
                for todo in turn.todo {
                    if let TransportStep::Send(outgoing) = todo {
                        prop_assert!(!outgoing.text.contains('\n') && serde_json::from_str::<Value>(&outgoing.text).is_ok());
                    }
                }
                session.call(Call::from_method("x"), true, Vec::new());
            }
        }
    }
}
