//! What the management API says, in words.

use serde_json::Value;

use super::refusal;
use crate::model::{call::CallError, error_kind::ErrorKind};

/// Why the API did not do what it was asked for, from the status and body of its answer.
#[must_use]
pub fn refusal_error(status: u16, body: &[u8]) -> CallError {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let detail = &value["detail"];
    let (kind, message) = match detail {
        Value::Object(_) => {
            let text = |name: &str| detail[name].as_str().map(str::to_owned);
            (text("error_code"), text("error_message"))
        }
        // FastAPI's own: a list of what is wrong where.
        Value::Array(rows) => (
            Some("invalid_request".to_owned()),
            Some(rows.iter().map(format_detail).collect::<Vec<_>>().join("; ")),
        ),
        Value::String(text) => (None, Some(text.clone())),
        _ => (None, None),
    };
    let shown = || String::from_utf8_lossy(&body[..body.len().min(400)]).into_owned();
    let message = message.filter(|message| !message.is_empty()).unwrap_or_else(shown);
    let known = refusal::explain(&message, &[]);
    let (means, remedy) = match (status, known) {
        _ if is_god_off(status, body) => (
            Some("the API has no god endpoint".to_owned()),
            "start it with CG_ENABLE_GOD_API=1, or call by another route (--route ui)".to_owned(),
        ),
        (_, Some(explained)) => (Some(explained.means), explained.remedy),
        _ => (None, String::new()),
    };
    let means = means.map_or_else(String::new, |means| format!(": {means}"));
    CallError {
        kind: ErrorKind::parse(&kind.unwrap_or_else(|| format!("http-{status}"))),
        message: format!("the API answers {status}, \"{message}\"{means}"),
        remedy,
    }
}

/// Whether the API says that it has no god endpoint, as it does unless it was started with one.
#[must_use]
pub(crate) fn is_god_off(status: u16, body: &[u8]) -> bool {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    status == 404
        && (value["detail"] == "Not Found" || value["detail"]["error_message"] == "Not Found")
}

/// Whether a 404 says that a thing is not there, and not that the API knows no such path.
#[must_use]
pub(crate) fn is_missing(body: &[u8]) -> bool {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    value["detail"]["error_code"] == "not_found" && value["detail"]["error_message"] != "Not Found"
}

fn format_detail(row: &Value) -> String {
    let part = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    let place: Vec<String> = row["loc"].as_array().into_iter().flatten().map(part).collect();
    format!("{}: {}", place.join("."), part(&row["msg"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_shapes_of_the_api_are_read() {
        let told = |status, body: Value| refusal_error(status, body.to_string().as_bytes());
        let own = told(
            400,
            json!({"detail": {"error_code": "bad_request", "error_message": "tool_name is required"}}),
        );
        assert_eq!(
            (own.kind.as_str(), own.message.as_str()),
            ("bad_request", "the API answers 400, \"tool_name is required\"")
        );
        let list = told(
            422,
            json!({"detail": [{"type": "missing", "loc": ["body", "file"], "msg": "Field required"}]}),
        );
        assert_eq!(list.message, "the API answers 422, \"body.file: Field required\"");
        let god =
            told(404, json!({"detail": {"error_code": "not_found", "error_message": "Not Found"}}));
        assert!(god.remedy.contains("CG_ENABLE_GOD_API=1"), "{god:?}");
        let late = "400: {'error_code': 'bad_request', 'error_message': 'timeout waiting for tool_result inbox'}";
        let late =
            told(500, json!({"detail": {"error_code": "internal_error", "error_message": late}}));
        assert!(late.message.contains("no result came in time"), "{late:?}");
        assert_eq!(refusal_error(502, b"<html>").kind.as_str(), "http-502");
    }
}
