//! What JetStream answers to whoever publishes on a subject that a stream keeps.

use serde_json::{Map, Value};

use super::super::{bus::Receipt, message::Packet};

/// All that a receipt may hold. What holds anything else is a message of somebody's.
const MEMBERS: [&str; 8] =
    ["stream", "seq", "duplicate", "domain", "error", "type", "batch", "count"];

/// Reads a receipt; `None`: it is another message.
pub(super) fn parse_receipt(packet: &Packet) -> Option<Receipt> {
    if !packet.headers.is_empty() {
        return None;
    }
    let told: Map<String, Value> = serde_json::from_slice(&packet.body).ok()?;
    if told.keys().any(|member| !MEMBERS.contains(&member.as_str())) {
        return None;
    }
    let (stream, sequence) =
        (told.get("stream")?.as_str()?.to_owned(), told.get("seq").and_then(Value::as_u64));
    match told.get("error").filter(|error| !error.is_null()) {
        None => Some(Receipt::Kept {
            stream,
            sequence: sequence?,
            duplicate: told.get("duplicate") == Some(&Value::Bool(true)),
        }),
        Some(error) => {
            // Every error of JetStream's has a number of its own.
            error.get("err_code")?.as_u64()?;
            let cause = error
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or("no reason given")
                .to_owned();
            Some(Receipt::Refused { stream, cause })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(body: &str) -> Option<Receipt> {
        parse_receipt(&Packet {
            subject: None,
            reply: None,
            headers: Vec::new(),
            body: body.to_owned().into(),
        })
    }

    #[test]
    fn receipts_are_told_from_answers() {
        let kept =
            |sequence, duplicate| Some(Receipt::Kept { stream: "TG".into(), sequence, duplicate });
        assert_eq!(receipt(r#"{"stream":"TG","seq":7}"#), kept(7, false));
        assert_eq!(
            receipt(r#"{"stream":"TG","domain":"hub","seq":7,"duplicate":true}"#),
            kept(7, true)
        );
        let refused = r#"{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"TG","seq":0}"#;
        let cause = "maximum messages exceeded".to_owned();
        assert_eq!(receipt(refused), Some(Receipt::Refused { stream: "TG".into(), cause }));
        for answer in [
            r#"{"response":"x","stream":"TG","seq":7}"#,
            r#"{"error":{"type":"t","message":"m"},"stream":"TG","seq":7}"#,
            r#"{"error":null,"response":"x","end_of_stream":true}"#,
            r#"{"stream":"TG"}"#,
            r#"{"seq":7}"#,
            "[]",
            "x",
        ] {
            assert_eq!(receipt(answer), None, "{answer}");
        }
    }
}
