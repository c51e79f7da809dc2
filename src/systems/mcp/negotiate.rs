//! Finding the era and the version: what to do after each answer to `server/discover` or
//! `initialize`.

use serde_json::Value;

use super::{
    codes,
    version::{Era, OLD_SSE, Versions},
};

/// What bytes travel on, as far as it decides what an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Stdio,
    Http,
}

/// Which era the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Whatever the server speaks, the modern one first.
    #[default]
    Auto,
    Modern,
    Legacy,
}

/// The request that opens a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Discover,
    Initialize,
}

/// A request that was sent to find out the version.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    pub transport: Transport,
    pub era: EraChoice,
    pub step: Step,
    /// The version that it offered.
    pub sent: &'a str,
    /// How often such a request was sent, from 1.
    pub attempt: u32,
    pub client: &'a Versions,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeOutcome {
    Result(Value),
    /// A JSON-RPC error, over HTTP with its status.
    Error {
        error: Value,
        status: Option<u16>,
    },
    /// An HTTP answer that is no JSON-RPC.
    Status {
        status: u16,
    },
    Timeout,
    /// The server's process ended.
    Exit,
}

impl ProbeOutcome {
    /// An answer over HTTP: a JSON-RPC reply in the body counts, whatever the status is.
    #[must_use]
    pub fn of_http(status: u16, body: &str) -> Self {
        let Ok(Value::Object(mut reply)) = serde_json::from_str(body) else {
            return Self::Status { status };
        };
        match (reply.remove("result"), reply.remove("error")) {
            (_, Some(error @ Value::Object(_))) => Self::Error { error, status: Some(status) },
            (Some(result), None) if (200..300).contains(&status) => Self::Result(result),
            _ => Self::Status { status },
        }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegotiationStep {
    /// Connected.
    Use,
    /// Send `server/discover`.
    Discover,
    /// Send `initialize`.
    Initialize,
    /// Open the transport of 2024-11-05.
    Sse,
    /// Get a token first.
    Authorize,
    Stop,
}

impl NegotiationStep {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Discover => "discover",
            Self::Initialize => "initialize",
            Self::Sse => "sse",
            Self::Authorize => "authorize",
            Self::Stop => "stop",
        }
    }
}

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub step: NegotiationStep,
    /// The era and version to go on with; `None` where it does not go on.
    pub speak: Option<(Era, String)>,
    /// The server's process has to be started again before.
    pub respawn: bool,
    /// Ids of what is odd, sorted and each once.
    pub findings: Vec<&'static str>,
}

impl Verdict {
    fn conclude(step: NegotiationStep, findings: &[&'static str]) -> Self {
        let mut findings = findings.to_vec();
        findings.sort_unstable();
        Self { step, speak: None, respawn: false, findings }
    }

    fn stop(findings: &[&'static str]) -> Self {
        Self::conclude(NegotiationStep::Stop, findings)
    }

    fn proceed(step: NegotiationStep, era: Era, version: &str) -> Self {
        Self { step, speak: Some((era, version.to_owned())), respawn: false, findings: Vec::new() }
    }

    fn with_findings(mut self, findings: &[&'static str]) -> Self {
        self.findings.extend(findings);
        self.findings.sort_unstable();
        self
    }
}

/// What to do after an answer.
#[must_use]
pub fn negotiate(asked: &Attempt<'_>, seen: &ProbeOutcome) -> Verdict {
    status_verdict(seen).unwrap_or_else(|| match asked.step {
        Step::Discover => after_discover(asked, seen),
        Step::Initialize => after_initialize(asked, seen),
    })
}

/// What the HTTP status alone decides.
fn status_verdict(seen: &ProbeOutcome) -> Option<Verdict> {
    let status = match seen {
        ProbeOutcome::Error { status, .. } => (*status)?,
        ProbeOutcome::Status { status } => *status,
        _ => return None,
    };
    match status {
        401 => Some(Verdict::conclude(NegotiationStep::Authorize, &[])),
        403 => Some(Verdict::stop(&["http.forbidden"])),
        500.. if matches!(seen, ProbeOutcome::Status { .. }) => {
            Some(Verdict::stop(&["http.server-error"]))
        }
        _ => None,
    }
}

fn after_discover(asked: &Attempt<'_>, seen: &ProbeOutcome) -> Verdict {
    match seen {
        ProbeOutcome::Result(result) => match text_list(result.get("supportedVersions")) {
            None => fall_back_to_legacy(asked, None, &["discover.malformed"]),
            Some(theirs) => {
                match (
                    common_version(&asked.client.modern, &theirs),
                    common_version(&asked.client.legacy, &theirs),
                ) {
                    (Some(version), _) => {
                        Verdict::proceed(NegotiationStep::Use, Era::Modern, version)
                    }
                    (None, Some(version)) => fall_back_to_legacy(asked, Some(version), &[]),
                    (None, None) => Verdict::stop(&["version.no-mutual"]),
                }
            }
        },
        ProbeOutcome::Error { error, .. } => match codes::error_code(error) {
            Some(codes::UNSUPPORTED_VERSION) => after_unsupported(asked, error),
            Some(codes::HEADER_MISMATCH | codes::MISSING_CAPABILITY) => {
                Verdict::stop(&["probe.rejected"])
            }
            _ => fall_back_to_legacy(asked, None, &[]),
        },
        ProbeOutcome::Timeout if asked.transport == Transport::Http => {
            Verdict::stop(&["probe.timeout"])
        }
        ProbeOutcome::Status { .. } | ProbeOutcome::Timeout => {
            fall_back_to_legacy(asked, None, &[])
        }
        ProbeOutcome::Exit => {
            let verdict = fall_back_to_legacy(asked, None, &["probe.killed-server"]);
            Verdict { respawn: verdict.step != NegotiationStep::Stop, ..verdict }
        }
    }
}

/// The server does not speak the version of the probe.
fn after_unsupported(asked: &Attempt<'_>, error: &Value) -> Verdict {
    let Some(theirs) = supported_versions(error) else {
        return Verdict::stop(&["error.no-supported-list"]);
    };
    match (
        common_version(&asked.client.modern, &theirs),
        common_version(&asked.client.legacy, &theirs),
    ) {
        (Some(_), _) if asked.attempt >= 2 => Verdict::stop(&["version.refused-twice"]),
        (Some(version), _) => Verdict::proceed(NegotiationStep::Discover, Era::Modern, version),
        (None, Some(version)) => fall_back_to_legacy(asked, Some(version), &[]),
        (None, None) => Verdict::stop(&["version.no-mutual"]),
    }
}

/// On with `initialize`, with the version that both speak or the newest; unless the user wants the
/// modern era.
fn fall_back_to_legacy(
    asked: &Attempt<'_>,
    version: Option<&str>,
    findings: &[&'static str],
) -> Verdict {
    if asked.era == EraChoice::Modern {
        return Verdict::stop(findings).with_findings(&["era.not-modern"]);
    }
    match version.or_else(|| asked.client.newest_legacy()) {
        Some(version) => Verdict::proceed(NegotiationStep::Initialize, Era::Legacy, version)
            .with_findings(findings),
        None => Verdict::stop(findings).with_findings(&["version.no-mutual"]),
    }
}

fn after_initialize(asked: &Attempt<'_>, seen: &ProbeOutcome) -> Verdict {
    match seen {
        ProbeOutcome::Result(result) => match result.get("protocolVersion").and_then(Value::as_str)
        {
            None => Verdict::stop(&["initialize.malformed"]),
            Some(version) => judge_version(asked, version),
        },
        ProbeOutcome::Error { error, .. } => match supported_versions(error) {
            Some(theirs) => other_version(asked, &theirs),
            None => Verdict::stop(&["initialize.refused"]),
        },
        ProbeOutcome::Status { status: 400 | 404 | 405 } if asked.transport == Transport::Http => {
            Verdict::proceed(NegotiationStep::Sse, Era::Legacy, OLD_SSE)
        }
        ProbeOutcome::Status { .. } => Verdict::stop(&["initialize.refused"]),
        ProbeOutcome::Timeout => Verdict::stop(&["initialize.timeout"]),
        ProbeOutcome::Exit => Verdict::stop(&["server.exited"]),
    }
}

/// The server answers `initialize` with that version.
fn judge_version(asked: &Attempt<'_>, version: &str) -> Verdict {
    let has = |versions: &[String]| versions.iter().any(|own| own == version);
    if has(&asked.client.legacy) {
        let used = Verdict::proceed(NegotiationStep::Use, Era::Legacy, version);
        return match version.cmp(asked.sent) {
            std::cmp::Ordering::Less => used.with_findings(&["version.downgraded"]),
            std::cmp::Ordering::Equal => used,
            std::cmp::Ordering::Greater => used.with_findings(&["version.upgraded"]),
        };
    }
    Verdict::stop(if has(&asked.client.modern) {
        &["version.not-for-initialize"]
    } else {
        &["version.unsupported"]
    })
}

/// The server refuses `initialize` and lists what it speaks.
fn other_version(asked: &Attempt<'_>, theirs: &[&str]) -> Verdict {
    let others: Vec<&str> =
        theirs.iter().copied().filter(|version| *version != asked.sent).collect();
    let modern =
        common_version(&asked.client.modern, theirs).filter(|_| asked.era != EraChoice::Legacy);
    match (common_version(&asked.client.legacy, &others), modern) {
        (None, None) => Verdict::stop(&["version.no-mutual"]),
        _ if asked.attempt >= 2 => Verdict::stop(&["version.refused-twice"]),
        (Some(version), _) => Verdict::proceed(NegotiationStep::Initialize, Era::Legacy, version)
            .with_findings(&["initialize.refused-version"]),
        (None, Some(version)) => Verdict::proceed(NegotiationStep::Discover, Era::Modern, version),
    }
}

/// The versions that an error lists; `None` where it lists none.
fn supported_versions(error: &Value) -> Option<Vec<&str>> {
    text_list(error.get("data").and_then(|data| data.get("supported")))
}

/// The texts of a list; `None` where it is no list.
fn text_list(list: Option<&Value>) -> Option<Vec<&str>> {
    Some(list?.as_array()?.iter().filter_map(Value::as_str).collect())
}

/// The first of ours that is among theirs.
fn common_version<'v>(ours: &'v [String], theirs: &[&str]) -> Option<&'v str> {
    ours.iter().map(String::as_str).find(|version| theirs.contains(version))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(
        step: Step,
        seen: &ProbeOutcome,
        change: impl FnOnce(&mut Attempt<'_>),
    ) -> (&'static str, Option<String>, Vec<&'static str>) {
        let client = Versions::default();
        let sent = if step == Step::Discover { "2026-07-28" } else { "2025-11-25" };
        let mut asked = Attempt {
            transport: Transport::Stdio,
            era: EraChoice::Auto,
            step,
            sent,
            attempt: 1,
            client: &client,
        };
        change(&mut asked);
        let verdict = negotiate(&asked, seen);
        (
            verdict.step.as_str(),
            verdict.speak.map(|(era, version)| format!("{} {version}", era.as_str())),
            verdict.findings,
        )
    }

    fn error(code: i64, supported: &Value) -> ProbeOutcome {
        let data = if supported.is_null() { json!({}) } else { json!({"supported": supported}) };
        ProbeOutcome::Error {
            error: json!({"code": code, "message": "no", "data": data}),
            status: None,
        }
    }

    fn over_http(asked: &mut Attempt<'_>) {
        asked.transport = Transport::Http;
    }

    fn stop(finding: &'static str) -> (&'static str, Option<String>, Vec<&'static str>) {
        ("stop", None, vec![finding])
    }

    fn on(
        step: &'static str,
        speak: &str,
        findings: &[&'static str],
    ) -> (&'static str, Option<String>, Vec<&'static str>) {
        (step, Some(speak.to_owned()), findings.to_vec())
    }

    #[test]
    fn some_statuses_decide_before_anything_else() {
        for step in [Step::Discover, Step::Initialize] {
            let answer = |status: u16| after(step, &ProbeOutcome::Status { status }, over_http);
            assert_eq!(answer(401), ("authorize", None, vec![]));
            assert_eq!(answer(403), stop("http.forbidden"));
            assert_eq!(answer(500), stop("http.server-error"));
            assert_eq!(answer(503), stop("http.server-error"));
            let with_error = |status| ProbeOutcome::Error {
                error: json!({"code": -32601}),
                status: Some(status),
            };
            assert_eq!(after(step, &with_error(401), over_http).0, "authorize");
            assert_eq!(after(step, &with_error(403), over_http), stop("http.forbidden"));
            assert_ne!(after(step, &with_error(500), over_http), stop("http.server-error"));
        }
    }

    #[test]
    fn a_reply_in_an_http_body_counts() {
        let modern = ProbeOutcome::of_http(
            400,
            r#"{"jsonrpc": "2.0", "id": null, "error": {"code": -32020, "message": "no"}}"#,
        );
        assert_eq!(after(Step::Discover, &modern, over_http), stop("probe.rejected"));
        assert_eq!(
            ProbeOutcome::of_http(200, r#"{"result": {"a": 1}}"#),
            ProbeOutcome::Result(json!({"a": 1}))
        );
        for body in ["", "Cannot POST /mcp", "[]", r#"{"error": "not_found"}"#, r#"{"result": {}}"#]
        {
            assert_eq!(ProbeOutcome::of_http(404, body), ProbeOutcome::Status { status: 404 });
        }
    }

    #[test]
    fn a_probe_without_a_list_of_versions_is_malformed() {
        for result in [json!({}), json!({"supportedVersions": "2026-07-28"}), json!(null)] {
            let seen = ProbeOutcome::Result(result);
            let legacy = on("initialize", "legacy 2025-11-25", &["discover.malformed"]);
            assert_eq!(after(Step::Discover, &seen, |_| {}), legacy);
            let modern = after(Step::Discover, &seen, |asked| asked.era = EraChoice::Modern);
            assert_eq!(modern, ("stop", None, vec!["discover.malformed", "era.not-modern"]));
        }
        let odd = ProbeOutcome::Result(json!({"supportedVersions": [5, null, "2026-07-28"]}));
        assert_eq!(after(Step::Discover, &odd, |_| {}), on("use", "modern 2026-07-28", &[]));
    }

    #[test]
    fn a_refused_probe_needs_a_list() {
        assert_eq!(
            after(Step::Discover, &error(-32022, &json!(null)), |_| {}),
            stop("error.no-supported-list")
        );
        assert_eq!(
            after(Step::Discover, &error(-32022, &json!("x")), |_| {}),
            stop("error.no-supported-list")
        );
        assert_eq!(
            after(Step::Discover, &error(-32022, &json!([])), |_| {}),
            stop("version.no-mutual")
        );
        assert_eq!(
            after(Step::Discover, &error(-32021, &json!(null)), |_| {}),
            stop("probe.rejected")
        );
        let pinned = after(Step::Discover, &error(-32022, &json!(["2025-06-18"])), |asked| {
            asked.era = EraChoice::Modern;
        });
        assert_eq!(pinned, stop("era.not-modern"));
    }

    #[test]
    fn silence_and_an_end_mean_what_the_transport_says() {
        assert_eq!(after(Step::Discover, &ProbeOutcome::Timeout, over_http), stop("probe.timeout"));
        let pinned =
            after(Step::Discover, &ProbeOutcome::Exit, |asked| asked.era = EraChoice::Modern);
        assert_eq!(pinned, ("stop", None, vec!["era.not-modern", "probe.killed-server"]));
        assert_eq!(
            after(Step::Initialize, &ProbeOutcome::Timeout, |_| {}),
            stop("initialize.timeout")
        );
        assert_eq!(after(Step::Initialize, &ProbeOutcome::Exit, |_| {}), stop("server.exited"));
    }

    #[test]
    fn initialize_goes_on_with_another_version_once() {
        let used = |version: &str| ProbeOutcome::Result(json!({"protocolVersion": version}));
        let asked_older = |asked: &mut Attempt<'_>| asked.sent = "2025-03-26";
        let upgraded = on("use", "legacy 2025-06-18", &["version.upgraded"]);
        assert_eq!(after(Step::Initialize, &used("2025-06-18"), asked_older), upgraded);
        assert_eq!(
            after(Step::Initialize, &error(-32602, &json!(null)), |_| {}),
            stop("initialize.refused")
        );
        let same = error(-32602, &json!(["2025-11-25"]));
        assert_eq!(
            after(Step::Initialize, &same, |_| {}),
            stop("version.no-mutual"),
            "another one, not the same"
        );
        let older = error(-32602, &json!(["2025-03-26", "2025-06-18"]));
        let again = on("initialize", "legacy 2025-06-18", &["initialize.refused-version"]);
        assert_eq!(after(Step::Initialize, &older, |_| {}), again);
        assert_eq!(
            after(Step::Initialize, &older, |asked| asked.attempt = 2),
            stop("version.refused-twice")
        );
        let modern = error(-32022, &json!(["2026-07-28"]));
        assert_eq!(
            after(Step::Initialize, &modern, |asked| asked.attempt = 2),
            stop("version.refused-twice")
        );
        assert_eq!(
            after(Step::Initialize, &modern, |asked| asked.era = EraChoice::Legacy),
            stop("version.no-mutual")
        );
    }

    #[test]
    fn the_old_transport_is_tried_over_http_alone() {
        let sse = on("sse", "legacy 2024-11-05", &[]);
        for status in [400, 404, 405] {
            assert_eq!(after(Step::Initialize, &ProbeOutcome::Status { status }, over_http), sse);
            assert_eq!(
                after(Step::Initialize, &ProbeOutcome::Status { status }, |_| {}),
                stop("initialize.refused")
            );
        }
        assert_eq!(
            after(Step::Initialize, &ProbeOutcome::Status { status: 406 }, over_http),
            stop("initialize.refused")
        );
    }
}
