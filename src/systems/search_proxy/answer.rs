//! What a proxy answers: results as texts, what failed within an answer, events of a stream, and
//! errors.

use serde_json::Value;

use super::keys::{CRAWLER, ENGINE, Endpoint};
use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    shown::{page_text, short_line},
};

/// How long a text that is no JSON is quoted.
const LONGEST: usize = 400;
/// Members of a request that say who answers it.
const CHOOSERS: [&str; 2] = [ENGINE, CRAWLER];

/// Whether an answer with this status is a failure.
#[must_use]
pub fn is_failure(status: u16) -> bool {
    !(200..300).contains(&status)
}

/// An answer for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerText {
    pub text: String,
    /// What failed within it, each with its place.
    pub faults: Vec<String>,
}

/// What a successful answer of an endpoint holds.
#[must_use]
pub fn read_answer(endpoint: Endpoint, answer: &Value) -> AnswerText {
    let read = match endpoint {
        Endpoint::Search => read_results(answer),
        Endpoint::AgentSearch => read_agent(answer),
        Endpoint::Crawl => read_pages(answer),
    };
    read.unwrap_or_else(|| AnswerText {
        text: answer.to_string(),
        faults: vec![format!(
            "answer.shape at /: not what {} answers, which is an object with {}",
            endpoint.path(),
            match endpoint {
                Endpoint::Search => "the list \"curated\"",
                Endpoint::AgentSearch => "the text \"answer\"",
                Endpoint::Crawl => "the list \"results\"",
            }
        )],
    })
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The results of a search, numbered.
fn read_results(answer: &Value) -> Option<AnswerText> {
    let results = answer.get("curated")?.as_array()?;
    let result = |(row, result): (usize, &Value)| {
        let lines = [text(result, "url"), text(result, "snippet"), text(result, "content")];
        let lines = lines.into_iter().filter(|line| !line.is_empty());
        let rest: String = lines.map(|line| format!("   {}\n", line.trim())).collect();
        format!("{}. {}\n{rest}", row + 1, text(result, "title"))
    };
    let texts: Vec<String> = results.iter().enumerate().map(result).collect();
    let text = if texts.is_empty() { "no results\n".to_owned() } else { texts.join("\n") };
    Some(AnswerText { text, faults: Vec::new() })
}

/// The pages of a crawl; one that failed says why, and its place.
fn read_pages(answer: &Value) -> Option<AnswerText> {
    let mut read = AnswerText::default();
    for (row, page) in answer.get("results")?.as_array()?.iter().enumerate() {
        let url = text(page, "url");
        if let Some(error) = page.get("error").filter(|error| !error.is_null()) {
            let status = error.get("statusCode").and_then(Value::as_u64);
            let status = status.map_or_else(String::new, |status| format!(" (HTTP {status})"));
            let said = ["code", "message"].map(|member| text(error, member));
            let said: Vec<&str> = said.into_iter().filter(|said| !said.is_empty()).collect();
            // What has another shape is shown as it came.
            let said = match error.as_str() {
                Some(text) => text.to_owned(),
                None if said.is_empty() => error.to_string(),
                None => said.join(": "),
            };
            let words = format!("{said}{status}");
            read.faults.push(format!("crawl.url-failed at /results/{row}/error: {url}: {words}"));
            read.text += &format!("{url}\n   {words}\n\n");
            continue;
        }
        let kind = text(page, "contentType");
        let content = page.get("content").and_then(Value::as_str);
        let content = content.unwrap_or("no text was made of it");
        read.text += &format!("{url}  {kind}\n{content}\n\n");
    }
    Some(read)
}

fn read_agent(answer: &Value) -> Option<AnswerText> {
    let said = answer.get("answer")?.as_str()?;
    Some(AnswerText { text: format!("{said}{}", citation_lines(answer)), faults: Vec::new() })
}

/// The sources that an agent's answer names, a line each; empty where it names none.
#[must_use]
pub fn citation_lines(answer: &Value) -> String {
    let citations = answer.get("citations").and_then(Value::as_array);
    let line = |citation: &Value| {
        let [marker, title, url] = ["marker", "title", "url"].map(|member| text(citation, member));
        format!("\n{marker} {title} {url}")
    };
    let lines: String = citations.into_iter().flatten().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}\n") }
}

/// An event of a streamed answer.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    Delta(String),
    /// The whole answer, as it would have come at once.
    Done(Value),
    Failed(CallError),
    /// Something that is none of them, as it came.
    Unknown(String),
}

/// What the data of an event means.
#[must_use]
pub fn read_event(data: &str) -> StreamEvent {
    let value: Value = serde_json::from_str(data).unwrap_or_default();
    match (value["type"].as_str(), &value["error"]) {
        (Some("delta"), _) => StreamEvent::Delta(text(&value, "text").to_owned()),
        (Some("done"), _) => StreamEvent::Done(value["response"].clone()),
        (_, Value::Object(error)) if error.contains_key("code") => {
            StreamEvent::Failed(coded_error(&value["error"], "", None))
        }
        (_, error) if !error.is_null() => StreamEvent::Failed(odd_error(error)),
        _ => StreamEvent::Unknown(data.to_owned()),
    }
}

/// An error that is none of the proxy's own: as it came.
fn odd_error(error: &Value) -> CallError {
    let said = ["message", "reason", "detail"].map(|member| text(error, member));
    let said = said.into_iter().find(|said| !said.is_empty()).map_or_else(
        || error.as_str().map_or_else(|| error.to_string(), str::to_owned),
        |said| format!("{said} ({error})"),
    );
    let remedy = "let the service send {\"error\": {\"code\": …, \"message\": …}}";
    CallError::new(ErrorKind::Unspecified, said, remedy)
}

/// What an answer says that is a failure; `retry_after` is the header of that name.
#[must_use]
pub fn read_error(status: u16, body: &str, retry_after: Option<&str>) -> CallError {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let before = format!("HTTP {status}: ");
    if value["error"]["code"].is_string() {
        return coded_error(&value["error"], &before, retry_after);
    }
    let said = short_line(&page_text(body), LONGEST);
    let said = if said.is_empty() { "no more is said".to_owned() } else { said };
    let remedy = match status {
        404 => "check the address: is a search proxy there?",
        500.. => "look at the log of the proxy: it says no more to those who call",
        _ => "check that a search proxy is there",
    };
    CallError::new(ErrorKind::parse(&format!("http-{status}")), format!("{before}{said}"), remedy)
}

/// What the upstream provider said, where a failure has it.
#[must_use]
pub fn upstream_answer(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    value["error"].get("raw").filter(|raw| !raw.is_null()).map(Value::to_string)
}

/// The envelope of the proxy's own errors: a code, a message, and details by code.
fn coded_error(error: &Value, before: &str, retry_after: Option<&str>) -> CallError {
    let code = text(error, "code");
    let provider = error.get("provider").and_then(Value::as_str);
    let provider = provider.map_or_else(String::new, |provider| format!("{provider}: "));
    let details = error.get("details").and_then(Value::as_array);
    let details: Vec<&Value> = details.into_iter().flatten().collect();
    let details = own_details(details);
    let reasons: Vec<String> = details.iter().filter_map(|detail| detail_line(detail)).collect();
    let reasons =
        if reasons.is_empty() { String::new() } else { format!("; {}", reasons.join("; ")) };
    let message = format!("{before}{provider}{}{reasons}", text(error, "message"));
    CallError::new(ErrorKind::parse(code), message, remedy_for(code, error, &details, retry_after))
}

/// Details without those of other engines: a request that is wrong for its own engine is held
/// against each of them, and the others all say that it names another.
fn own_details(details: Vec<&Value>) -> Vec<&Value> {
    let others: Vec<&Value> = details
        .iter()
        .filter(|detail| is_other_engine(detail))
        .map(|detail| &detail["loc"][1])
        .collect();
    let is_own = |detail: &&Value| !(is_of_body(detail) && others.contains(&&detail["loc"][1]));
    let own: Vec<&Value> = details.iter().copied().filter(is_own).collect();
    // Where no engine has the name, all are others.
    if own.is_empty() { details } else { own }
}

fn is_of_body(detail: &Value) -> bool {
    detail["loc"][0] == "body"
}

fn is_other_engine(detail: &Value) -> bool {
    let chooser = detail["loc"][2].as_str().unwrap_or_default();
    is_of_body(detail) && detail["type"] == "literal_error" && CHOOSERS.contains(&chooser)
}

/// `query: Field required`.
fn detail_line(detail: &Value) -> Option<String> {
    let place = detail.get("loc")?.as_array()?;
    let token = |token: &Value| token.as_str().map_or_else(|| token.to_string(), str::to_owned);
    // In front stand `body` and the name of the model.
    let is_model = |token: &str| token == "body" || token.ends_with("Request");
    let place: Vec<String> = place.iter().map(token).filter(|token| !is_model(token)).collect();
    Some(format!("{}: {}", place.join(" › "), text(detail, "msg")))
}

fn remedy_for(code: &str, error: &Value, details: &[&Value], retry_after: Option<&str>) -> String {
    let is_retryable = error.get("retryable").and_then(Value::as_bool);
    match code {
        "ENGINE_NOT_CONFIGURED" => {
            let names: Vec<&str> =
                details.iter().filter_map(|detail| detail.get("envVar")?.as_str()).collect();
            match names.as_slice() {
                [] => "configure the engine where the proxy runs".to_owned(),
                names => format!("start the proxy with {} set", names.join(" and ")),
            }
        }
        "VALIDATION_ERROR" | "BAD_REQUEST" if details.iter().any(|it| it["loc"][0] == "header") => {
            "set company-id, user-id and chat-id in [connections.NAME.search-proxy] of \
             toolcrib.toml, or give --context chat-id=…"
                .to_owned()
        }
        "VALIDATION_ERROR" => "correct the arguments or the configuration".to_owned(),
        "FORBIDDEN_TARGET" => {
            "the proxy does not go to addresses inside its own network".to_owned()
        }
        "EMPTY_SEARCH_RESULTS" => "nothing was found: ask for something else".to_owned(),
        _ => match (is_retryable, retry_after) {
            (Some(false), _) => {
                "don't send it again: the proxy marks it as not retryable".to_owned()
            }
            (_, Some(seconds)) => format!("send it again after {seconds} s"),
            (Some(true), None) => "send it again: the proxy marks it as retryable".to_owned(),
            (None, None) => match code {
                "RATE_LIMITED" | "UPSTREAM_TIMEOUT" => "send it again later".to_owned(),
                _ => "the proxy doesn't say whether to send it again".to_owned(),
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_error_says_what_it_is_and_what_to_do() {
        for (status, body, kind, message, remedy) in [
            (
                422,
                json!({"error": {"code": "VALIDATION_ERROR", "message": "Request validation failed", "retryable": false, "details": [
                    {"loc": ["body", "GoogleSearchRequest", "query"], "msg": "Field required", "type": "missing"},
                    {"loc": ["body", "BraveSearchRequest", "query"], "msg": "Field required", "type": "missing"},
                    {"loc": ["body", "BraveSearchRequest", "engine"], "msg": "Input should be brave", "type": "literal_error"}]}}).to_string(),
                "VALIDATION_ERROR",
                "HTTP 422: Request validation failed; query: Field required",
                "correct the arguments",
            ),
            (
                422,
                json!({"error": {"code": "VALIDATION_ERROR", "message": "Missing required context headers: x-unique-chat-id", "retryable": false, "details": [
                    {"loc": ["header", "x-unique-chat-id"], "msg": "Field required", "type": "missing"}]}}).to_string(),
                "VALIDATION_ERROR",
                "HTTP 422: Missing required context headers: x-unique-chat-id; header › x-unique-chat-id: Field required",
                "--context chat-id=…",
            ),
            (
                503,
                json!({"error": {"code": "ENGINE_NOT_CONFIGURED", "message": "Provider is not configured.", "provider": "google", "retryable": false, "details": [
                    {"envVar": "GOOGLE_SEARCH_API_KEY"}]}}).to_string(),
                "ENGINE_NOT_CONFIGURED",
                "HTTP 503: google: Provider is not configured.",
                "with GOOGLE_SEARCH_API_KEY set",
            ),
            (
                502,
                json!({"error": {"code": "UPSTREAM_ERROR", "message": "bad gateway", "retryable": true}}).to_string(),
                "UPSTREAM_ERROR",
                "HTTP 502: bad gateway",
                "retryable",
            ),
            (500, "Internal Server Error".to_owned(), "http-500", "HTTP 500: Internal Server Error", "log of the proxy"),
        ] {
            let error = read_error(status, &body, None);
            assert_eq!((error.kind.as_str(), error.message.as_str()), (kind, message));
            assert!(error.remedy.contains(remedy), "{}", error.remedy);
        }
        let limited =
            json!({"error": {"code": "RATE_LIMITED", "message": "slow down", "retryable": true}});
        assert_eq!(
            read_error(429, &limited.to_string(), Some("7")).remedy,
            "send it again after 7 s"
        );
    }

    #[test]
    fn pages_that_failed_are_faults_of_a_good_answer() {
        let answer = json!({"crawler": "Basic", "results": [
            {"url": "http://a", "content": "# A", "contentType": "text/html", "error": null},
            {"url": "http://b", "error": {"code": "FORBIDDEN_TARGET", "message": "no", "statusCode": null}},
        ]});
        let read = read_answer(Endpoint::Crawl, &answer);
        assert_eq!(read.text, "http://a  text/html\n# A\n\nhttp://b\n   FORBIDDEN_TARGET: no\n\n");
        assert_eq!(
            read.faults,
            ["crawl.url-failed at /results/1/error: http://b: FORBIDDEN_TARGET: no"]
        );
        let other = read_answer(Endpoint::Search, &answer).faults;
        let words = "answer.shape at /: not what /v1/search answers, which is an object with the list \"curated\"";
        assert_eq!(other, [words]);
        for (error, words) in [
            (json!("timeout"), "timeout"),
            (json!({"message": "no"}), "no"),
            (json!({"why": 1}), "{\"why\":1}"),
        ] {
            let answer = json!({"results": [{"url": "b", "error": error}]});
            let read = read_answer(Endpoint::Crawl, &answer);
            assert_eq!(read.faults, [format!("crawl.url-failed at /results/0/error: b: {words}")]);
            assert!(read.text.contains(words), "{}", read.text);
        }
    }

    #[test]
    fn only_what_the_proxy_marks_is_not_sent_again() {
        let remedy = |error: Value, after: Option<&str>| {
            read_error(429, &json!({"error": error}).to_string(), after).remedy
        };
        let error = |code: &str| json!({"code": code, "message": "m"});
        assert_eq!(remedy(error("RATE_LIMITED"), None), "send it again later");
        assert_eq!(remedy(error("RATE_LIMITED"), Some("5")), "send it again after 5 s");
        let unknown = remedy(error("UPSTREAM_ERROR"), None);
        assert_eq!(unknown, "the proxy doesn't say whether to send it again");
        let mut marked = error("RATE_LIMITED");
        marked["retryable"] = json!(false);
        assert!(remedy(marked, Some("5")).starts_with("don't send it again"));
    }

    #[test]
    fn events_are_told_apart() {
        assert_eq!(read_event(r#"{"type":"delta","text":"a"}"#), StreamEvent::Delta("a".into()));
        assert_eq!(
            read_event(r#"{"type":"done","response":{"answer":"a"}}"#),
            StreamEvent::Done(json!({"answer": "a"}))
        );
        let failed = read_event(
            r#"{"error":{"code":"UPSTREAM_TIMEOUT","message":"late","retryable":true}}"#,
        );
        assert!(
            matches!(failed, StreamEvent::Failed(error) if error.kind.as_str() == "UPSTREAM_TIMEOUT")
        );
        assert_eq!(read_event("no JSON"), StreamEvent::Unknown("no JSON".into()));
    }
}
