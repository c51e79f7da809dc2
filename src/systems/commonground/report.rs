//! The gate that every report of a result has to pass. CommonGround gives one text for all its
//! causes; here each has its own.

use super::{
    card::{self, Card},
    headers::DEPTH_LIMIT,
    known::Known,
};
use crate::syntax::python::text as python;

/// A report and what is known about the world it arrives in.
#[derive(Clone, Debug, Default)]
pub struct Report<'r> {
    /// Who reports: `tool.lamp`.
    pub reporter: &'r str,
    /// The result card that it points to.
    pub pointer: &'r str,
    pub call_id: &'r str,
    pub card: Known<&'r Card>,
    /// Whether the caller is an agent of the project.
    pub caller: Known<()>,
    /// Whether the reporter is an agent of the project; asked only of those who are neither `sys.`
    /// nor `tool.`.
    pub in_roster: Known<()>,
    /// The epoch that the command carried.
    pub epoch: u64,
    /// The turn as the caller's inbox knows it.
    pub turn: Known<Turn>,
    /// The request that the call's edge records.
    pub request: Known<Request>,
    /// An earlier report of the same call.
    pub earlier: Known<()>,
}

/// A caller's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub epoch: u64,
}

/// What a request edge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub depth: u64,
}

/// Why a report is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportRefusal {
    Reporter,
    NoPointer,
    NoCard,
    Kind,
    Call,
    Author,
    Function,
    Caller,
    Turn,
    Epoch { command: u64, turn: u64 },
    Request,
    Depth(u64),
    Again,
}

impl ReportRefusal {
    /// The code in CommonGround's one text.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Depth(_) => "recursion_depth_exceeded",
            Self::Reporter => "invalid_source_actor",
            _ => "protocol_violation",
        }
    }

    /// What is wrong, for people.
    #[must_use]
    pub fn message(self) -> String {
        match self {
            Self::Reporter => "who reports is neither \"sys.…\" nor \"tool.…\" nor an agent of the project".into(),
            Self::NoPointer => "the report points to no result card".into(),
            Self::NoCard => "the result card that the report points to does not exist".into(),
            Self::Kind => "the card that the report points to is no tool.result".into(),
            Self::Call => "the result card is of another call: its tool_call_id differs".into(),
            Self::Author => "the result card's author_id is not the one who reports".into(),
            Self::Function => "the result card has no metadata.function_name".into(),
            Self::Caller => "the caller is no agent of the project, so nobody receives the \
                             result".into(),
            Self::Turn => {
                "the caller's inbox knows no such turn: no turn, ui_action or command_anchor row for this agent and turn".into()
            }
            Self::Epoch { command, turn } => {
                format!("the turn has gone on: the command carries epoch {command}, the turn is at {turn}")
            }
            Self::Request => "there is no request edge for this call id".into(),
            Self::Depth(depth) => format!("the stored request is {depth} deep, and {DEPTH_LIMIT} is the limit"),
            Self::Again => "a result of this call was reported before; call ids must be new for every call".into(),
        }
    }
}

/// Who gives up calls that nobody answers, and the name that it signs its cards with.
const WATCHDOG: &str = "sys.agent_worker.watchdog";
const WATCHDOG_ALIAS: &str = "worker.watchdog";

/// Everything that bars a report, as far as is known.
#[must_use]
pub fn find_barriers(report: &Report<'_>) -> Vec<ReportRefusal> {
    let mut barred = Vec::new();
    let reporter = python::strip(report.reporter);
    let system = ["sys.", "tool."].iter().any(|start| reporter.starts_with(start));
    if !system && report.in_roster.is_absent() {
        barred.push(ReportRefusal::Reporter);
    }
    if report.pointer.is_empty() {
        barred.push(ReportRefusal::NoPointer);
    } else {
        match report.card {
            Known::Unknown => {}
            Known::Absent => barred.push(ReportRefusal::NoCard),
            Known::Found(card) => barred.extend(of_card(card, report)),
        }
    }
    if report.caller.is_absent() {
        barred.push(ReportRefusal::Caller);
    }
    match report.turn {
        Known::Absent => barred.push(ReportRefusal::Turn),
        Known::Found(Turn { epoch }) if report.epoch != 0 && report.epoch != epoch => {
            barred.push(ReportRefusal::Epoch { command: report.epoch, turn: epoch });
        }
        Known::Found(_) | Known::Unknown => {}
    }
    match report.request {
        Known::Absent => barred.push(ReportRefusal::Request),
        Known::Found(Request { depth }) if depth >= DEPTH_LIMIT => {
            barred.push(ReportRefusal::Depth(depth));
        }
        Known::Found(_) | Known::Unknown => {}
    }
    if matches!(report.earlier, Known::Found(())) {
        barred.push(ReportRefusal::Again);
    }
    barred
}

fn of_card(card: &Card, report: &Report<'_>) -> Vec<ReportRefusal> {
    let function = card
        .labels
        .get("function_name")
        .is_some_and(|name| !name.is_null() && !python::str(name).is_empty());
    let alias = report.reporter == WATCHDOG && card.author_id == WATCHDOG_ALIAS;
    let checks = [
        (card.kind == card::RESULT, ReportRefusal::Kind),
        (card.tool_call_id == report.call_id, ReportRefusal::Call),
        (card.author_id == report.reporter || alias, ReportRefusal::Author),
        (function, ReportRefusal::Function),
    ];
    checks.into_iter().filter(|(holds, _)| !holds).map(|(_, barred)| barred).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_words_of_its_own() {
        let report = Report {
            reporter: "someone",
            pointer: "card_r",
            in_roster: Known::Absent,
            epoch: 2,
            turn: Known::Found(Turn { epoch: 3 }),
            request: Known::Found(Request { depth: 20 }),
            earlier: Known::Found(()),
            card: Known::Absent,
            ..Report::default()
        };
        let found = find_barriers(&report);
        let expected = [
            ReportRefusal::Reporter,
            ReportRefusal::NoCard,
            ReportRefusal::Epoch { command: 2, turn: 3 },
            ReportRefusal::Depth(20),
            ReportRefusal::Again,
        ];
        assert_eq!(found, expected);
        assert_eq!(found[3].code(), "recursion_depth_exceeded");
        assert_eq!(
            find_barriers(&Report { epoch: 0, ..report }).len(),
            4,
            "epoch 0 switches its check off"
        );
        assert_eq!(
            find_barriers(&Report { reporter: "tool.x", pointer: "p", ..Report::default() }),
            []
        );
    }

    #[test]
    fn the_watchdog_may_sign_with_its_other_name() {
        let card = |author: &str, function: serde_json::Value| {
            let labels = serde_json::json!({"function_name": function, "tool_call_id": "c"});
            Card::from_value(&serde_json::json!({"card_id": "r", "type": "tool.result", "author_id": author, "metadata": labels}))
                .unwrap()
        };
        let found = |reporter, card: &Card| {
            find_barriers(&Report {
                reporter,
                pointer: "r",
                call_id: "c",
                card: Known::Found(card),
                ..Report::default()
            })
        };
        assert_eq!(found("sys.agent_worker.watchdog", &card("worker.watchdog", "lamp".into())), []);
        assert_eq!(
            found("sys.pmo", &card("worker.watchdog", "lamp".into())),
            [ReportRefusal::Author]
        );
        assert_eq!(
            found("tool.lamp", &card("tool.lamp", " ".into())),
            [],
            "a blank name is a name there"
        );
        assert_eq!(found("tool.lamp", &card("tool.lamp", "".into())), [ReportRefusal::Function]);
    }
}
