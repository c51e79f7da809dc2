//! What a server answered to a call: how it ended, its text, and what is wrong with it. The answer
//! itself is kept, whatever is wrong.

use std::{borrow::Cow, fmt::Write as _, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value};

use super::{base64, codes, fault::Fault, texts::look_at, version::Era};
use crate::schema::{equal::values_equal, pointer::Pointer, validate::Checker};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// The tool says that it failed.
    ToolError,
    /// The server refused the request.
    ProtocolError,
    /// The structured content is not what the tool promises.
    InvalidStructured,
    /// The server wants to know more before it goes on.
    InputRequired,
    /// The work goes on as a task.
    Task,
    /// The answer is no answer to a call.
    Malformed,
}

impl Outcome {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool-error",
            Self::ProtocolError => "protocol-error",
            Self::InvalidStructured => "invalid-structured",
            Self::InputRequired => "input-required",
            Self::Task => "task",
            Self::Malformed => "malformed",
        }
    }
}

/// An answer as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct View<'r> {
    pub outcome: Outcome,
    /// Borrowed where it is the one text of the reply, which may be large.
    pub text: Cow<'r, str>,
    /// Places are within the reply: `/result/content/0`.
    pub faults: Vec<Fault>,
}

/// Reads the reply to `tools/call`, the object that has its `result` or `error`.
#[must_use]
pub fn result_view<'r>(reply: &'r Value, output_schema: Option<&Value>, version: &str) -> View<'r> {
    let mut reading = Reading { faults: Vec::new(), era: Era::from_version(version) };
    let (outcome, text) = match (reply.get("result"), reply.get("error")) {
        (Some(Value::Object(result)), None) => reading.read_result(result, output_schema),
        (None, Some(error @ Value::Object(_))) => {
            (Outcome::ProtocolError, reading.read_error(error).into())
        }
        _ => (Outcome::Malformed, Cow::default()),
    };
    View { outcome, text, faults: reading.faults }
}

struct Reading {
    faults: Vec<Fault>,
    era: Era,
}

/// Takes the text out of a reply whose view borrows it: that of the only block it has with a text.
#[must_use]
pub fn take_text(reply: &mut Value) -> Option<String> {
    let blocks = reply.get_mut("result")?.get_mut("content")?.as_array_mut()?;
    let [block] = blocks.as_mut_slice() else { return None };
    let holder = match block["type"].as_str()? {
        "text" => block,
        "resource" => block.get_mut("resource")?,
        _ => return None,
    };
    match holder.get_mut("text")?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// What the blocks of a result come to.
#[derive(Default)]
struct Content<'r> {
    lines: Vec<Cow<'r, str>>,
    /// How many blocks there are, with those that are malformed.
    blocks: usize,
    /// The texts of its blocks of text.
    texts: Vec<&'r str>,
}

impl Reading {
    fn push_fault(&mut self, id: &'static str, at: Pointer, words: &'static str) {
        self.faults.push(Fault::new(id, at, words));
    }

    fn read_error(&mut self, error: &Value) -> String {
        let code = error.get("code").unwrap_or(&Value::Null);
        match codes::error_code(error) {
            Some(codes::URL_ELICITATION) => {
                self.push_fault(
                    "error.url-elicitation",
                    member_pointer("error", "data"),
                    "a URL has to be opened first",
                );
            }
            _ if !is_integer(code) => {
                self.push_fault(
                    "error.code-not-integer",
                    member_pointer("error", "code"),
                    "is not an integer",
                );
            }
            _ => {}
        }
        if codes::error_code(error).is_some_and(|code| is_reserved(code, self.era)) {
            self.push_fault(
                "error.code-reserved",
                member_pointer("error", "code"),
                "is reserved by the protocol, and means nothing yet",
            );
        }
        match error.get("message").and_then(Value::as_str).filter(|message| !message.is_empty()) {
            Some(message) => {
                look_at(message, || member_pointer("error", "message"), &mut self.faults);
                format!("{message} ({code})")
            }
            None => {
                self.push_fault(
                    "error.no-message",
                    member_pointer("error", "message"),
                    "the error has no message",
                );
                format!("({code})")
            }
        }
    }

    /// What a result is that says that it isn't the last one, or of no kind that is known; `None`: it
    /// is the whole result of a call.
    fn read_unfinished(&mut self, result: &Map<String, Value>) -> Option<(Outcome, String)> {
        if self.era != Era::Modern {
            let is_task = result.get("task").is_some_and(Value::is_object);
            return is_task.then(|| (Outcome::Task, task_id(result)));
        }
        let at = member_pointer("result", "resultType");
        let Some(kind) = result.get("resultType").filter(|kind| !kind.is_null()) else {
            self.push_fault("result.type-missing", at, "this revision wants it in every result");
            return None;
        };
        match kind.as_str() {
            Some("complete") => None,
            Some("input_required") => Some((Outcome::InputRequired, self.input_required(result))),
            Some("task") => Some((Outcome::Task, task_id(result))),
            _ => {
                self.push_fault("result.type-unknown", at, "is no type of result that is known");
                Some((Outcome::Malformed, String::new()))
            }
        }
    }

    fn read_result<'r>(
        &mut self,
        result: &'r Map<String, Value>,
        output_schema: Option<&Value>,
    ) -> (Outcome, Cow<'r, str>) {
        if let Some((outcome, text)) = self.read_unfinished(result) {
            return (outcome, text.into());
        }
        let content = self.read_content(result);
        let structured = result.get("structuredContent");
        let text = match (structured, &content.lines[..]) {
            (Some(structured), []) => structured.to_string().into(),
            (_, [line]) if content.blocks == 1 => line.clone(),
            (_, lines) => lines.join("\n").into(),
        };
        if content.lines.is_empty() {
            look_at(&text, || member_pointer("result", "structuredContent"), &mut self.faults);
        }
        if result.get("isError").is_some_and(|flag| !flag.is_boolean()) {
            self.push_fault(
                "result.is-error-not-boolean",
                member_pointer("result", "isError"),
                "is neither true nor false",
            );
        }
        if result.get("isError") == Some(&Value::Bool(true)) {
            if PROTOCOL_ERROR.as_ref().is_some_and(|begins| begins.is_match(&text)) {
                let words = "is a protocol error, reported as a tool error";
                self.push_fault(
                    "result.protocol-error-as-text",
                    member_pointer("result", "content"),
                    words,
                );
            }
            return (Outcome::ToolError, text);
        }
        if content
            .texts
            .first()
            .is_some_and(|text| FAILURE.as_ref().is_some_and(|begins| begins.is_match(text)))
        {
            let words = "reads like an error, but is reported as a success";
            self.push_fault("result.error-as-success", member_pointer("result", "content"), words);
        }
        let is_valid = self.check_structured(structured, output_schema);
        if structured
            .is_some_and(|structured| !content.texts.iter().any(|text| is_told(text, structured)))
        {
            let words = "no block of text holds the same, for clients that do not read it";
            self.push_fault(
                "result.no-text-copy",
                member_pointer("result", "structuredContent"),
                words,
            );
        }
        (if is_valid { Outcome::Ok } else { Outcome::InvalidStructured }, text)
    }

    /// Whether the structured content is what it has to be.
    fn check_structured(
        &mut self,
        structured: Option<&Value>,
        output_schema: Option<&Value>,
    ) -> bool {
        let before = self.faults.len();
        let at = member_pointer("result", "structuredContent");
        match (structured, output_schema.filter(|schema| schema.is_object())) {
            (None, Some(_)) => {
                self.push_fault(
                    "result.structured-missing",
                    at,
                    "the tool promises structured content, and there is none",
                );
            }
            (Some(structured), schema) => {
                if self.era == Era::Legacy && !structured.is_object() {
                    self.push_fault(
                        "result.structured-not-object",
                        at.clone(),
                        "has to be an object before revision 2026-07-28",
                    );
                }
                for (inner, words) in
                    schema.map(|schema| mismatches(schema, structured)).unwrap_or_default()
                {
                    self.faults.push(Fault::new(
                        "result.structured-mismatch",
                        at.join(&inner),
                        words,
                    ));
                }
            }
            (None, None) => {}
        }
        self.faults.len() == before
    }

    fn read_content<'r>(&mut self, result: &'r Map<String, Value>) -> Content<'r> {
        let at = member_pointer("result", "content");
        let Some(blocks) = result.get("content").and_then(Value::as_array) else {
            self.push_fault(
                "result.no-content",
                at,
                "a result has a list of content, which may be empty",
            );
            return Content::default();
        };
        let mut content = Content { blocks: blocks.len(), ..Content::default() };
        for (index, block) in blocks.iter().enumerate() {
            let at = at.item(index);
            match self.read_block(block, &at) {
                Some(line) => {
                    look_at(&line, || at.clone(), &mut self.faults);
                    content
                        .texts
                        .extend(block["text"].as_str().filter(|_| block["type"] == "text"));
                    content.lines.push(line);
                }
                None => self.push_fault(
                    "result.block-malformed",
                    at,
                    "is no block of content: a member is missing or of another type",
                ),
            }
        }
        content
    }

    /// A block as text; `None` where it is malformed.
    fn read_block<'r>(&mut self, block: &'r Value, at: &Pointer) -> Option<Cow<'r, str>> {
        let text = |member: &str| block.get(member).and_then(Value::as_str);
        Some(match text("type")? {
            "text" => text("text")?.into(),
            kind @ ("image" | "audio") => {
                let (data, mime) = (text("data")?, text("mimeType")?);
                format!("[{kind} {mime}, {} bytes]", self.byte_count(data, &at.child("data")))
                    .into()
            }
            "resource_link" => format!("[link {} {}]", text("name")?, text("uri")?).into(),
            "resource" => {
                let resource = block.get("resource")?;
                let inner = |member: &str| resource.get(member).and_then(Value::as_str);
                let uri = inner("uri")?;
                match inner("text") {
                    Some(text) => text.into(),
                    None => {
                        let bytes =
                            self.byte_count(inner("blob")?, &at.child("resource").child("blob"));
                        format!(
                            "[resource {uri} {}, {bytes} bytes]",
                            inner("mimeType").unwrap_or("application/octet-stream")
                        )
                        .into()
                    }
                }
            }
            kind => {
                self.push_fault(
                    "result.block-unknown",
                    at.child("type"),
                    "is no kind of content that is known; it is kept as it came",
                );
                format!("[{kind}]").into()
            }
        })
    }

    /// How many bytes a text in base64 represents; `?` where it is none.
    fn byte_count(&mut self, data: &str, at: &Pointer) -> String {
        base64::decoded_len(data).map_or_else(
            || {
                self.push_fault("result.base64-invalid", at.clone(), "is not base64");
                "?".to_owned()
            },
            |length| length.to_string(),
        )
    }

    fn input_required(&mut self, result: &Map<String, Value>) -> String {
        let requests = result.get("inputRequests").and_then(Value::as_object);
        if requests.is_none_or(Map::is_empty)
            && !result.get("requestState").is_some_and(Value::is_string)
        {
            self.push_fault(
                "input.empty",
                member_pointer("result", "inputRequests"),
                "says neither what is wanted nor how to go on",
            );
        }
        let mut text = String::new();
        for (key, request) in requests.into_iter().flatten() {
            let method = request.get("method").and_then(Value::as_str).unwrap_or("?");
            let line = format!("{key}: {method}");
            look_at(
                &line,
                || member_pointer("result", "inputRequests").child(key.as_str()),
                &mut self.faults,
            );
            // Writing to a text cannot fail.
            let _ = write!(text, "{}{line}", if text.is_empty() { "" } else { "\n" });
        }
        text
    }
}

static PROTOCOL_ERROR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^MCP error -\d+:").ok());
static FAILURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*((?i:error|exception)\s*[:(]|Traceback \(most recent call last\))").ok()
});

fn member_pointer(member: &str, inner: &str) -> Pointer {
    Pointer::from_iter([member, inner])
}

/// The id of the task that a result is about, in the shape of either era.
fn task_id(result: &Map<String, Value>) -> String {
    let task = result.get("task").and_then(|task| task.get("taskId"));
    let id = result.get("taskId").or(task);
    id.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn is_integer(code: &Value) -> bool {
    code.as_number().is_some_and(|number| {
        number.to_string().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

/// Whether the protocol keeps a code for itself and has given it no meaning in that era.
fn is_reserved(code: i64, era: Era) -> bool {
    let given = [codes::HEADER_MISMATCH, codes::MISSING_CAPABILITY, codes::UNSUPPORTED_VERSION];
    let is_given = given.contains(&code) || code == codes::URL_ELICITATION && era == Era::Legacy;
    (-32099..=-32020).contains(&code) && !is_given
}

/// What of a value does not fit a schema; nothing where the schema itself cannot be relied on.
fn mismatches(schema: &Value, value: &Value) -> Vec<(Pointer, String)> {
    let checker = Checker::compile(schema)
        .ok()
        .or_else(|| Checker::compile_lenient(&std::sync::Arc::new(schema.clone())).checker);
    let Some(checker) = checker.filter(|checker| !checker.is_valid(value)) else {
        return Vec::new();
    };
    let issues: Vec<_> =
        checker.issues(value).into_iter().map(|issue| (issue.at, issue.words)).collect();
    if issues.is_empty() {
        vec![(Pointer::root(), "is not what the schema wants".to_owned())]
    } else {
        issues
    }
}

/// Whether a text says what a value does: as the same JSON, or as what is in it under `result`
/// alone, where servers put what isn't an object.
fn is_told(text: &str, value: &Value) -> bool {
    let wrapped = value.as_object().filter(|members| members.len() == 1);
    let inside = wrapped.and_then(|members| members.get("result"));
    is_copy(text, value)
        || inside.is_some_and(|inside| inside.as_str() == Some(text) || is_copy(text, inside))
}

/// Whether a text is the same JSON as a value.
pub(crate) fn is_copy(text: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|copy| values_equal(&copy, value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{
        super::{fault::fault_ids, version::DEFAULT},
        *,
    };

    const MODERN: &str = "2026-07-28";

    fn viewed(
        reply: &Value,
        schema: Option<&Value>,
        version: &str,
    ) -> (&'static str, String, Vec<&'static str>) {
        let view = result_view(reply, schema, version);
        (view.outcome.as_str(), view.text.into_owned(), fault_ids(&view.faults))
    }

    fn reply(member: &str, value: Value) -> Value {
        Value::Object(Map::from_iter([(member.to_owned(), value)]))
    }

    fn result(result: Value) -> (&'static str, String, Vec<&'static str>) {
        viewed(&reply("result", result), None, DEFAULT)
    }

    fn modern(result: Value) -> (&'static str, String, Vec<&'static str>) {
        viewed(&reply("result", result), None, MODERN)
    }

    fn error(error: Value) -> (String, Vec<&'static str>) {
        let (outcome, text, faults) = viewed(&reply("error", error), None, DEFAULT);
        assert_eq!(outcome, "protocol-error");
        (text, faults)
    }

    fn text(text: &str) -> Value {
        json!([{"type": "text", "text": text}])
    }

    #[test]
    fn the_only_text_can_be_taken_out_of_the_reply() {
        let text = json!({"type": "text", "text": "one"});
        let resource = json!({"type": "resource", "resource": {"uri": "a:b", "text": "one"}});
        let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
        let malformed = json!({"type": "text"});
        for (content, borrowed) in [
            (json!([text]), true),
            (json!([resource]), true),
            (json!([text, text]), false),
            (json!([text, malformed]), false),
            (json!([image]), false),
            (json!([]), false),
        ] {
            let mut reply = json!({"result": {"content": content}});
            let view = result_view(&reply, None, DEFAULT);
            assert_eq!(matches!(view.text, Cow::Borrowed(_)), borrowed, "{content}");
            let shown = view.text.into_owned();
            if borrowed {
                assert_eq!(take_text(&mut reply), Some(shown), "{content}");
            }
        }
    }

    #[test]
    fn what_is_neither_a_result_nor_an_error_is_malformed() {
        for reply in [
            json!({}),
            json!([]),
            json!(null),
            json!({"result": 5}),
            json!({"error": "no"}),
            json!({"result": {}, "error": null}),
        ] {
            assert_eq!(
                viewed(&reply, None, DEFAULT),
                ("malformed", String::new(), vec![]),
                "{reply}"
            );
        }
    }

    #[test]
    fn errors_tell_their_code_as_it_came() {
        assert_eq!(
            error(json!({"code": "E1", "message": "no"})),
            ("no (\"E1\")".into(), vec!["error.code-not-integer"])
        );
        assert_eq!(error(json!({"code": 1.5})).1, ["error.code-not-integer", "error.no-message"]);
        assert_eq!(
            error(json!({"message": "x"})),
            ("x (null)".into(), vec!["error.code-not-integer"])
        );
        assert_eq!(
            error(json!({"code": -1, "message": 5})),
            ("(-1)".into(), vec!["error.no-message"])
        );
        let large: Value = serde_json::from_str("123456789012345678901234567890").unwrap();
        assert_eq!(
            error(json!({"code": large, "message": "x"})),
            ("x (123456789012345678901234567890)".into(), vec![])
        );
        assert_eq!(
            error(json!({"code": -1, "message": "\u{1b}[2J\u{202e}"})).1,
            ["text.ansi", "text.bidi"]
        );
    }

    #[test]
    fn codes_of_the_protocol_are_reserved() {
        let faults = |code: i64, version: &str| {
            viewed(&json!({"error": {"code": code, "message": "m"}}), None, version).2
        };
        for code in [-32099, -32023, -32050] {
            assert_eq!(faults(code, DEFAULT), ["error.code-reserved"], "{code}");
        }
        for code in [-32100, -32020, -32021, -32022, -32019, -32000, -32603, 0] {
            assert_eq!(faults(code, MODERN), Vec::<&str>::new(), "{code}");
        }
        assert_eq!(faults(-32042, MODERN), ["error.code-reserved", "error.url-elicitation"]);
    }

    #[test]
    fn blocks_need_their_members() {
        for block in [
            json!({"type": "image", "data": "aGk="}),
            json!({"type": "audio", "mimeType": "audio/wav"}),
            json!({"type": "resource_link", "uri": "a:b"}),
            json!({"type": "resource_link", "name": "n"}),
            json!({"type": "resource"}),
            json!({"type": "resource", "resource": {"uri": "a:b"}}),
            json!({"type": "resource", "resource": {"text": "t"}}),
            json!({"type": 5}),
            json!({}),
            json!("text"),
            json!(null),
        ] {
            let got = result(json!({"content": [block, {"type": "text", "text": "b"}]}));
            assert_eq!(got, ("ok", "b".into(), vec!["result.block-malformed"]));
        }
        let audio =
            json!({"content": [{"type": "audio", "data": "AAEC", "mimeType": "audio/wav"}]});
        assert_eq!(result(audio).1, "[audio audio/wav, 3 bytes]");
        let bytes =
            json!({"content": [{"type": "resource", "resource": {"uri": "a:b", "blob": "?"}}]});
        assert_eq!(
            result(bytes),
            (
                "ok",
                "[resource a:b application/octet-stream, ? bytes]".into(),
                vec!["result.base64-invalid"]
            )
        );
    }

    #[test]
    fn a_tool_error_is_looked_at_by_its_blocks_alone() {
        let faulty =
            json!({"isError": true, "content": text("Error: x"), "structuredContent": [1]});
        assert_eq!(
            viewed(&json!({"result": faulty}), Some(&json!({"type": "object"})), DEFAULT).2,
            Vec::<&str>::new()
        );
        assert_eq!(
            modern(json!({"isError": true, "content": []})),
            ("tool-error", String::new(), vec!["result.type-missing"])
        );
        assert_eq!(result(json!({"isError": "true", "content": []})).0, "ok");
        assert_eq!(
            result(json!({"isError": null, "content": []})).2,
            ["result.is-error-not-boolean"]
        );
    }

    #[test]
    fn structured_content_is_checked_where_it_is_promised() {
        let check = |structured: Value, schema: Value, version: &str| {
            let copy = structured.to_string();
            let reply = json!({"result": {"resultType": "complete", "content": text(&copy), "structuredContent": structured}});
            viewed(&reply, Some(&schema), version)
        };
        assert_eq!(check(json!({"n": 1}), json!(null), DEFAULT).0, "ok", "no schema");
        let mismatch = check(json!("x"), json!({"type": "integer"}), MODERN);
        assert_eq!(
            (mismatch.0, mismatch.2),
            ("invalid-structured", vec!["result.structured-mismatch"])
        );
        let old = check(json!([1]), json!({"type": "object"}), DEFAULT);
        assert_eq!(old.2, ["result.structured-mismatch", "result.structured-not-object"]);
        let far =
            json!({"properties": {"far": {"$ref": "https://e.x/far"}, "n": {"type": "integer"}}});
        assert_eq!(
            check(json!({"far": 1, "n": 1}), far.clone(), DEFAULT).0,
            "ok",
            "what cannot be followed is not checked"
        );
        assert_eq!(check(json!({"n": "x"}), far, DEFAULT).0, "invalid-structured");
        let draft4 = json!({"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"n": {"minimum": 1, "exclusiveMinimum": true}}});
        assert_eq!(check(json!({"n": 1}), draft4, DEFAULT).0, "invalid-structured");
    }

    #[test]
    fn faults_of_structured_content_are_at_their_places() {
        let schema =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["m"]});
        let reply = json!({"result": {"content": [], "structuredContent": {"n": "x"}}});
        let view = result_view(&reply, Some(&schema), DEFAULT);
        let mut told: Vec<String> = view.faults.iter().map(|fault| fault.at.to_string()).collect();
        told.sort();
        let at = "/result/structuredContent";
        assert_eq!(told, [at.to_owned(), format!("{at}/m"), format!("{at}/n")]);
    }

    #[test]
    fn a_copy_is_the_same_json_in_any_spelling() {
        let faults = |copy: &str| {
            result(json!({"content": text(copy), "structuredContent": {"a": 1, "b": [2]}})).2
        };
        assert_eq!(faults(" {\"b\": [2.0],\n \"a\": 1}"), Vec::<&str>::new());
        assert_eq!(faults("{\"a\": 1}"), ["result.no-text-copy"]);
        assert_eq!(faults("a: 1"), ["result.no-text-copy"]);
        let wrapped = |copy: &str, inside: Value| {
            result(json!({"content": text(copy), "structuredContent": inside})).2
        };
        assert_eq!(wrapped("done", json!({"result": "done"})), Vec::<&str>::new());
        assert_eq!(wrapped("[1, 2]", json!({"result": [1, 2]})), Vec::<&str>::new());
        assert_eq!(wrapped("done", json!({"result": "other"})), ["result.no-text-copy"]);
        assert_eq!(wrapped("done", json!({"result": "done", "n": 1})), ["result.no-text-copy"]);
        let exact = r#"{"content": [{"type": "text", "text": "{\"n\": 9007199254740993}"}], "structuredContent": {"n": 9007199254740992}}"#;
        assert_eq!(
            result(serde_json::from_str(exact).unwrap()).2,
            ["result.no-text-copy"],
            "every digit counts"
        );
    }

    #[test]
    fn errors_told_as_successes_begin_like_errors() {
        for failed in [
            "error: x",
            "ERROR(5)",
            "Exception: y",
            "Error (404)",
            "Traceback (most recent call last):\n  File",
        ] {
            assert_eq!(
                result(json!({"content": text(failed)})).2,
                ["result.error-as-success"],
                "{failed}"
            );
        }
        for fine in ["errors: none", "No error: fine", "Error", "error-free: yes", "traceback"] {
            assert_eq!(result(json!({"content": text(fine)})).2, Vec::<&str>::new(), "{fine}");
        }
    }

    #[test]
    fn results_of_the_modern_era_say_their_type() {
        let typed = |kind: Value| modern(json!({"resultType": kind, "content": []}));
        assert_eq!(typed(json!("complete")), ("ok", String::new(), vec![]));
        assert_eq!(typed(json!(5)), ("malformed", String::new(), vec!["result.type-unknown"]));
        assert_eq!(modern(json!({"content": []})).2, ["result.type-missing"]);
        assert_eq!(
            result(json!({"resultType": "later", "content": []})),
            ("ok", String::new(), vec![]),
            "unknown before it"
        );
        assert_eq!(
            modern(json!({"resultType": "task", "taskId": "t"})),
            ("task", "t".into(), vec![])
        );
        assert_eq!(result(json!({"task": 5, "content": []})).0, "ok");
    }

    #[test]
    fn required_input_may_be_a_state_alone() {
        let asked = modern(json!({"resultType": "input_required", "requestState": "s"}));
        assert_eq!(asked, ("input-required", String::new(), vec![]));
        let two = json!({"resultType": "input_required", "inputRequests": {"b": {"method": "roots/list"}, "a": {}}});
        assert_eq!(modern(two).1, "b: roots/list\na: ?");
        assert_eq!(
            modern(json!({"resultType": "input_required", "inputRequests": {}})).2,
            ["input.empty"]
        );
    }

    proptest! {
        #[test]
        fn anything_can_be_viewed(reply in super::super::tool_findings::tests::any_json(), schema in super::super::tool_findings::tests::any_json()) {
            let replies = [
                reply.clone(),
                json!({"result": reply}),
                json!({"error": reply}),
                json!({"result": {"content": reply, "structuredContent": reply}}),
            ];
            for (reply, version) in replies.iter().flat_map(|reply| [(reply, DEFAULT), (reply, MODERN)]) {
                let view = result_view(reply, Some(&schema), version);
                prop_assert!(view.faults.iter().all(|fault| !fault.words.is_empty()));
            }
        }
    }
}
