//! How a [`Session`] is opened: which request goes first, what its answer means, and which goes next.

use serde_json::Value;

use super::{
    negotiate::{
        Attempt, EraChoice, NegotiationStep as Next, ProbeOutcome, Step, Transport, Verdict,
        negotiate,
    },
    rpc::{
        build::{self, Members, SpokenVersion},
        frame::Frame,
        id::Id,
        router::RequestEnd,
    },
    session::{Phase, Session},
    turn::{OpenedServer, Outgoing, Settings, TransportStep, Turn, TurnOutcome},
    version::{Era, OLD_SSE},
};

/// Milliseconds to wait for the answer to the probe.
pub const PROBE_WAIT: u64 = 10_000;
/// Milliseconds to wait for the answer to `initialize`, which a cold start delays.
pub const START_WAIT: u64 = 30_000;

/// Milliseconds in which a server over HTTP is to have got `notifications/initialized`, before
/// requests go to it on connections of their own.
const GREETING_WAIT: u64 = 2_000;

impl Session {
    /// Begins: with the probe, or with `initialize` where the era is known.
    pub fn open(&mut self) -> Turn {
        (self.discovers, self.initializes) = (0, 0);
        let legacy = self.settings.versions.newest_legacy().map(str::to_owned);
        let modern = self.settings.versions.modern.first().cloned();
        let is_legacy = match self.settings.era {
            EraChoice::Auto => self.settings.remembered == Some(Era::Legacy),
            choice => choice == EraChoice::Legacy,
        };
        let step = if is_legacy || modern.is_none() { Step::Initialize } else { Step::Discover };
        let version = if step == Step::Initialize { legacy } else { modern };
        let mut turn = Turn::default();
        match version {
            Some(version) => self.ask_to_open(step, &version, Vec::new(), &mut turn),
            None => self.refuse_to_open(vec!["version.no-mutual"], None, &mut turn),
        }
        turn
    }

    /// The transport of 2024-11-05 is open.
    pub fn old_sse_opened(&mut self) -> Turn {
        let mut turn = Turn::default();
        if self.phase == Phase::OpeningOldSse {
            self.ask_to_open(Step::Initialize, OLD_SSE, Vec::new(), &mut turn);
        }
        turn
    }

    pub(super) fn is_opening(&self, asked: &Id) -> bool {
        matches!(&self.phase, Phase::Opening { id, .. } if id == asked)
    }

    /// Sends the request that opens the connection.
    fn ask_to_open(
        &mut self,
        step: Step,
        version: &str,
        findings: Vec<&'static str>,
        turn: &mut Turn,
    ) {
        let (call, era, wait) = match step {
            Step::Discover => (build::discover(), Era::Modern, PROBE_WAIT),
            Step::Initialize => {
                (build::initialize(&self.settings.client, version), Era::Legacy, START_WAIT)
            }
        };
        match step {
            Step::Discover => self.discovers += 1,
            Step::Initialize => self.initializes += 1,
        }
        let spoken = SpokenVersion { era, version: version.to_owned() };
        let id = self.router.register(call.clone());
        let text = call.to_frame(&id, &self.settings.client, &spoken);
        turn.todo.push(TransportStep::Send(Outgoing {
            text,
            headers: call.headers(&spoken),
            id: Some(id.clone()),
            wait: Some(wait),
        }));
        self.phase = Phase::Opening { id, step, version: version.to_owned(), findings };
    }

    /// Goes on after what came of the request that opens the connection.
    pub(super) fn advance_opening(
        &mut self,
        seen: &ProbeOutcome,
        frame: Option<Frame>,
        turn: &mut Turn,
    ) {
        let Phase::Opening { id, step, version, mut findings } =
            std::mem::replace(&mut self.phase, Phase::New)
        else {
            return;
        };
        self.router.give_up(&id, RequestEnd::TimedOut);
        let attempt = if step == Step::Discover { self.discovers } else { self.initializes };
        let Settings { transport, era, versions, .. } = &self.settings;
        let asked = Attempt {
            transport: *transport,
            era: *era,
            step,
            sent: &version,
            attempt,
            client: versions,
        };
        let Verdict { step: next, speak, respawn, findings: found } = negotiate(&asked, seen);
        findings.extend(found);
        if respawn {
            turn.todo.push(TransportStep::Respawn);
        }
        match (next, speak) {
            (Next::Use, Some((era, version))) => {
                let result = if let ProbeOutcome::Result(result) = seen {
                    result.clone()
                } else {
                    Value::Null
                };
                self.use_it(
                    OpenedServer { spoken: SpokenVersion { era, version }, result, findings },
                    frame,
                    turn,
                );
            }
            (Next::Discover, Some((_, version))) => {
                self.ask_to_open(Step::Discover, &version, findings, turn);
            }
            (Next::Initialize, Some((_, version))) => {
                self.ask_to_open(Step::Initialize, &version, findings, turn);
            }
            (Next::Sse, _) => {
                self.phase = Phase::OpeningOldSse;
                turn.todo.push(TransportStep::OpenOldSse);
            }
            (Next::Authorize, _) => turn.todo.push(TransportStep::Authorize),
            _ => {
                let error = if let ProbeOutcome::Error { error, .. } = seen {
                    Some(error.clone())
                } else {
                    None
                };
                self.refuse_to_open(findings, error, turn);
            }
        }
    }

    fn use_it(&mut self, opened: OpenedServer, frame: Option<Frame>, turn: &mut Turn) {
        let is_legacy = opened.spoken.era == Era::Legacy;
        self.phase = Phase::Open(opened.clone());
        if is_legacy {
            let greeting =
                build::notification_frame("notifications/initialized", &Members::default());
            let wait = Some(GREETING_WAIT);
            turn.todo.push(TransportStep::Send(Outgoing { wait, ..self.outgoing(greeting) }));
            if self.settings.transport == Transport::Http && opened.spoken.version != OLD_SSE {
                turn.todo.push(TransportStep::Listen);
            }
        }
        turn.push_event(TurnOutcome::Opened(opened), frame, Vec::new());
    }

    fn refuse_to_open(
        &mut self,
        findings: Vec<&'static str>,
        error: Option<Value>,
        turn: &mut Turn,
    ) {
        self.phase = Phase::Closed;
        turn.push_event(TurnOutcome::Refused { findings, error }, None, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::{
            rpc::build::Call,
            session::tests::{got, session, todo, what},
        },
        *,
    };

    #[test]
    fn a_legacy_server_is_found_by_the_probe_and_greeted() {
        let mut session = session(Transport::Http, |_| {});
        let turn = session.open();
        assert_eq!(todo(&turn), ["server/discover 1"]);
        assert!(matches!(
            &turn.todo[0],
            TransportStep::Send(Outgoing { wait: Some(PROBE_WAIT), .. })
        ));
        assert_eq!(
            todo(&session.http_answered(&Id::from(1), 404, "Cannot POST")),
            ["initialize 2"]
        );
        let turn = got(
            &mut session,
            &json!({"id": 2, "result": {"protocolVersion": "2025-06-18", "serverInfo": {"name": "s"}}}),
        );
        assert_eq!(todo(&turn), ["notifications/initialized", "Listen"]);
        let TurnOutcome::Opened(opened) = what(&turn) else { panic!("{turn:?}") };
        assert_eq!(
            (opened.findings.as_slice(), &opened.server_info()["name"]),
            (&["version.downgraded"][..], &json!("s"))
        );
        let call = session.call(Call::from_method("ping"), false, Vec::new()).unwrap();
        assert_eq!(call.headers, [("MCP-Protocol-Version".to_owned(), "2025-06-18".to_owned())]);
    }

    #[test]
    fn a_server_that_the_probe_kills_is_started_again() {
        let mut session = session(Transport::Stdio, |_| {});
        session.open();
        assert_eq!(todo(&session.handle_disconnect()), ["Respawn", "initialize 2"]);
        let refused = session.handle_disconnect();
        assert_eq!(
            what(&refused),
            &TurnOutcome::Refused {
                findings: vec!["probe.killed-server", "server.exited"],
                error: None
            }
        );
    }

    #[test]
    fn what_was_chosen_or_remembered_is_tried_first() {
        assert_eq!(
            todo(&session(Transport::Stdio, |settings| settings.era = EraChoice::Legacy).open()),
            ["initialize 1"]
        );
        assert_eq!(
            todo(
                &session(Transport::Stdio, |settings| settings.remembered = Some(Era::Legacy))
                    .open()
            ),
            ["initialize 1"]
        );
        let mut forced = session(Transport::Stdio, |settings| {
            settings.era = EraChoice::Modern;
            settings.remembered = Some(Era::Legacy);
        });
        assert_eq!(todo(&forced.open()), ["server/discover 1"]);
        assert!(matches!(what(&forced.timed_out(&Id::from(1))), TurnOutcome::Refused { .. }));
    }

    #[test]
    fn the_old_transport_and_a_token_are_asked_for() {
        let mut session = session(Transport::Http, |settings| settings.era = EraChoice::Legacy);
        session.open();
        assert_eq!(todo(&session.http_answered(&Id::from(1), 405, "")), ["OpenOldSse"]);
        let turn = session.old_sse_opened();
        assert!(
            matches!(&turn.todo[0], TransportStep::Send(outgoing) if outgoing.text.contains("2024-11-05"))
        );
        assert_eq!(todo(&session.http_answered(&Id::from(2), 401, "")), ["Authorize"]);
        assert_eq!(todo(&session.open()), ["initialize 3"]);
    }
}
