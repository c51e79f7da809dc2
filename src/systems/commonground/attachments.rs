//! Cards for people: a call beside its result, the labels that should have been copied, and how a
//! result ends its call.

use serde_json::{Value, json};

use super::{
    after::{self, AfterExecution},
    card::{self, Card},
    keys, refusal,
    routes::path_part,
};
use crate::{
    model::{
        attachment::{Attachment, CardSource},
        call::CallError,
        clock::Millis,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        traffic::{EndEvidence, SettledConversation},
    },
    systems::commonground::settings::Channel,
};

/// Where the cards of a connection's project can be read.
///
/// # Errors
/// When the connection names no API, with what to set.
pub(crate) fn card_source(connection: &Connection, ids: &[String]) -> Result<CardSource, Problem> {
    let name = &connection.name;
    let refused = |cause: String, remedy: String| {
        Problem::new(ProblemKind::Input, "reading cards", cause).with_remedy(remedy)
    };
    let Some(channel) = Channel::from_connection(connection) else {
        let cause = format!("connection \"{name}\" leads to no channel of CommonGround");
        return Err(refused(
            cause,
            format!(
                "add [connections.{name}.commonground] with project, channel and api to toolcrib.toml"
            ),
        ));
    };
    let Some(api) = &channel.api else {
        let cause = format!(
            "cards never pass over NATS, and connection \"{name}\" names no management API to read them from"
        );
        return Err(refused(
            cause,
            format!(
                "add api = \"http://HOST:PORT\" to [connections.{name}.commonground] in toolcrib.toml"
            ),
        ));
    };
    let path =
        |id: &String| format!("/projects/{}/cards/{}", path_part(&channel.project), path_part(id));
    Ok(CardSource {
        system: keys::SYSTEM,
        api: api.clone(),
        wanted: ids.iter().map(|id| (id.clone(), path(id))).collect(),
    })
}

/// Cards as the API gives them, calls beside their results, with the labels compared below; the
/// others after them.
#[must_use]
pub(crate) fn laid_out(values: &[Value]) -> Vec<Attachment> {
    let cards: Vec<(&Value, Card)> =
        values.iter().filter_map(|value| Some((value, Card::from_value(value)?))).collect();
    let mut attachments = Vec::new();
    let mut rest = Vec::new();
    for (value, own) in &cards {
        let counterpart = |kind: &str| {
            let same = |(_, other): &&(&Value, Card)| {
                other.kind == kind && other.tool_call_id == own.tool_call_id
            };
            cards.iter().find(same).filter(|_| !own.tool_call_id.is_empty())
        };
        match own.kind.as_str() {
            card::CALL => match counterpart(card::RESULT) {
                Some((result, of_result)) => {
                    attachments.extend([
                        call_attachment(&own.id, value),
                        self::result_attachment(of_result, result),
                        labels_attachment(own, of_result),
                    ]);
                }
                None => attachments.push(call_attachment(&own.id, value)),
            },
            card::RESULT if counterpart(card::CALL).is_some() => {}
            card::RESULT => attachments.push(self::result_attachment(own, value)),
            kind => rest.push(Attachment {
                what: "card",
                words: format!("{kind} card {}", own.id),
                body: (*value).clone(),
            }),
        }
    }
    attachments.extend(rest);
    attachments
}

/// A call's card.
#[must_use]
pub(crate) fn call_attachment(id: &str, value: &Value) -> Attachment {
    Attachment { what: "call-card", words: format!("call card {id}"), body: value.clone() }
}

/// A result's card, with what it does to its turn.
#[must_use]
pub(crate) fn result_attachment(card: &Card, value: &Value) -> Attachment {
    let status = card.content["status"].as_str().unwrap_or_default();
    let words = format!("result card {}: {status}{}", card.id, turn_effect(card));
    Attachment { what: "result-card", words, body: value.clone() }
}

/// The labels of a call beside those of its result.
#[must_use]
pub(crate) fn labels_attachment(call: &Card, result: &Card) -> Attachment {
    let rows = card::copied_labels(call, result);
    let lost: Vec<&str> = rows.iter().filter(|row| !row.is_copied()).map(|row| row.label).collect();
    let words = match lost[..] {
        [] => format!("labels: all {} of the call are on the result", rows.len()),
        _ => format!(
            "labels not copied from the call to the result: {}; lineage breaks there",
            lost.join(", ")
        ),
    };
    let shown = |row: &card::Copied| json!({"label": row.label, "call": row.call, "result": row.result, "copied": row.is_copied()});
    Attachment { what: "labels", words, body: rows.iter().map(shown).collect() }
}

/// How a result's card says that its call ended; `None` for other cards.
#[must_use]
pub(crate) fn card_outcome(value: &Value) -> Option<SettledConversation> {
    let card = Card::from_value(value)
        .filter(|card| card.kind == card::RESULT && !card.tool_call_id.is_empty())?;
    let status = card.content["status"].as_str().unwrap_or_default();
    let problem = (!["success", "partial"].contains(&status))
        .then(|| result_error(status, &card.content["error"]));
    let text = match &problem {
        Some(problem) => problem.message.clone(),
        None => format!("{status} {}", card.content["result"]),
    };
    let at = Millis::parse(&card.created_at);
    Some(SettledConversation {
        name: card.tool_call_id,
        problem,
        text,
        card: Some(card.id),
        at,
        known: EndEvidence::Read,
    })
}

/// Why a result says no.
#[must_use]
pub(crate) fn result_error(status: &str, error: &Value) -> CallError {
    let text = |name: &str| error[name].as_str().unwrap_or_default();
    let (kind, message) =
        (if text("code").is_empty() { status } else { text("code") }, text("message"));
    let explained = refusal::explain(message, &[]).or_else(|| refusal::explain(kind, &[]));
    let (means, remedy) = explained.map_or_else(Default::default, |explained| {
        (format!(": {}", explained.means), explained.remedy)
    });
    CallError::new(ErrorKind::parse(kind), format!("{message}{means}"), remedy)
}

/// What a result does to its turn.
fn turn_effect(result: &Card) -> String {
    let Some(stored) = result.content["after_execution"].as_str().and_then(AfterExecution::of_word)
    else {
        return String::new();
    };
    let effective = after::on_reading(stored, &result.content["result"]);
    format!(
        ", {} ({}): {}",
        effective.after.as_str(),
        effective.origin.message(),
        effective.after.description()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::commonground::settings::Channel;

    fn stored(id: &str, kind: &str, call: &str, content: &Value, step: &str) -> Value {
        json!({"card_id": id, "project_id": "lab", "type": kind, "tool_call_id": call, "content": content, "created_at": "2026-01-01T12:00:00Z",
            "metadata": {"step_id": step, "function_name": "lamp"}})
    }

    fn both(step: &str) -> [Value; 3] {
        let failed = json!({"status": "failed", "after_execution": "suspend", "result": null, "error": {"code": "bad_request", "message": "no text"}});
        [
            stored("t", "agent.thought", "", &json!({"text": "hm"}), "s"),
            stored("r", card::RESULT, "c", &failed, step),
            stored(
                "k",
                card::CALL,
                "c",
                &json!({"tool_name": "lamp", "arguments": {}, "status": "called"}),
                "s",
            ),
        ]
    }

    #[test]
    fn calls_stand_before_their_results_and_the_rest_after() {
        let attachments = laid_out(&both("s"));
        assert_eq!(
            attachments.iter().map(|attachment| attachment.what).collect::<Vec<_>>(),
            ["call-card", "result-card", "labels", "card"]
        );
        assert!(
            attachments[1].words.contains("failed, suspend")
                && attachments[2].words.contains("all 6"),
            "{attachments:?}"
        );
        assert!(
            laid_out(&both("other"))[2]
                .words
                .contains("not copied from the call to the result: step_id")
        );
        assert_eq!(laid_out(&both("s")[2..])[0].words, "call card k");
        assert_eq!(laid_out(&both("s")[1..2])[0].what, "result-card");
    }

    #[test]
    fn a_result_says_how_its_call_ended() {
        let [thought, result, call] = both("s");
        let told = card_outcome(&result).unwrap();
        assert_eq!(
            (told.name.as_str(), told.card.as_deref(), told.at),
            ("c", Some("r"), Some(Millis(1_767_268_800_000)))
        );
        assert!(told.problem.is_some_and(|problem| problem.kind.as_str() == "bad_request"
            && problem.message.starts_with("no text")));
        assert_eq!((card_outcome(&thought), card_outcome(&call)), (None, None));
    }

    #[test]
    fn where_cards_are_read_from_or_what_to_set() {
        let nats = Connection::nats("lab", "nats://127.0.0.1:4222");
        let ids = ["a/b".to_owned()];
        assert!(
            card_source(&nats, &ids)
                .unwrap_err()
                .to_string()
                .contains("[connections.lab.commonground]")
        );
        let silent = Channel::new("p", "public").apply_to(nats);
        assert!(
            card_source(&silent, &ids)
                .unwrap_err()
                .to_string()
                .contains("api = \"http://HOST:PORT\"")
        );
        let channel =
            Channel { api: Some("http://127.0.0.1:8099".into()), ..Channel::new("p", "public") };
        let there = card_source(&channel.apply_to(silent), &ids).unwrap();
        assert_eq!(there.wanted, [("a/b".to_owned(), "/projects/p/cards/a%2Fb".to_owned())]);
    }
}
