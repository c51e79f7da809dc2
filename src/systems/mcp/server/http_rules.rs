//! Whether the headers of a modern request over HTTP say what its body says.

use serde_json::{Map, Value};

use super::{envelope::said_version, reply::Refusal};
use crate::systems::mcp::{
    codes,
    headers::{declared_headers, decode_header, mirror_headers},
};

/// Every value of a header, in the order in which they came.
pub type HeaderValues<'h> = dyn Fn(&str) -> Vec<String> + 'h;

/// A request as far as headers repeat it.
#[derive(Clone, Copy)]
pub struct Repeated<'r> {
    pub method: &'r str,
    pub params: &'r Value,
    /// Of the tool that is called.
    pub input_schema: Option<&'r Value>,
}

impl Repeated<'_> {
    /// The first header that does not say what the body says.
    ///
    /// # Errors
    /// When there is one.
    pub fn check_headers(&self, header: &HeaderValues<'_>) -> Result<(), Refusal> {
        expect_value("MCP-Protocol-Version", said_version(self.params), header)?;
        expect_value("Mcp-Method", Some(self.method), header)?;
        let member = match self.method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => return Ok(()),
        };
        // A request without it is refused for that.
        let Some(name) = self.params.get(member).and_then(Value::as_str) else { return Ok(()) };
        expect_value("Mcp-Name", Some(name), header)?;
        let Some(schema) = self.input_schema else { return Ok(()) };
        let arguments = self.params.get("arguments").and_then(Value::as_object);
        let arguments = arguments.cloned().unwrap_or_else(Map::new);
        // Clients leave out a tool whose headers are wrong.
        let Ok(wanted) = mirror_headers(name, schema, &arguments) else { return Ok(()) };
        for declared in declared_headers(schema) {
            let value = wanted.iter().find(|(name, _)| *name == declared);
            let value = value.and_then(|(_, value)| decode_header(value));
            expect_value(&declared, value.as_deref(), header)?;
        }
        Ok(())
    }
}

/// That a header is there once with that value, or not at all where there is none.
fn expect_value(name: &str, value: Option<&str>, header: &HeaderValues<'_>) -> Result<(), Refusal> {
    let given = header(name);
    let refuse =
        |what: &str| Err(Refusal::new(codes::HEADER_MISMATCH, format!("the header {name} {what}")));
    match (given.as_slice(), value) {
        ([], None) => Ok(()),
        ([], Some(_)) => refuse("is missing, and the body has its value"),
        ([_], None) => refuse("has a value that the body has not"),
        ([given], Some(value)) => match decode_header(given.trim()) {
            Some(given) if is_same(&given, value) => Ok(()),
            _ => refuse("is not what the body says"),
        },
        _ => refuse("is there more than once"),
    }
}

/// Whether both are the same text, or the same whole number.
fn is_same(given: &str, value: &str) -> bool {
    let whole = |text: &str| {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (is_whole && rest.bytes().all(|byte| byte == b'0')).then(|| whole.to_owned())
    };
    given == value || whole(given).is_some_and(|given| whole(value) == Some(given))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::mcp::rpc::build::PROTOCOL_VERSION;

    fn checked(headers: &[(&str, &str)], name: &str, arguments: &Value) -> Result<(), String> {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer", "x-mcp-header": "N"}, "s": {"type": "string", "x-mcp-header": "S"}}});
        let params = json!({"name": name, "arguments": arguments, "_meta": {PROTOCOL_VERSION: "2026-07-28"}});
        let repeated =
            Repeated { method: "tools/call", params: &params, input_schema: Some(&schema) };
        let values = |name: &str| {
            let same = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
            same.map(|(_, value)| (*value).to_owned()).collect()
        };
        repeated.check_headers(&values).map_err(|refusal| refusal.message)
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let usual = [("mcp-protocol-version", "2026-07-28"), ("Mcp-Method", "tools/call")];
        let with = |more: &[(&'static str, &'static str)]| [&usual, more].concat();
        let (none, both) = (json!({}), json!({"n": 4, "s": "größe"}));
        assert_eq!(checked(&with(&[("mcp-name", "a")]), "a", &none), Ok(()));
        let encoded = "=?base64?Z3LDtsOfZQ==?=";
        let all = [("Mcp-Name", "a"), ("mcp-param-n", "4.0"), ("Mcp-Param-S", encoded)];
        assert_eq!(checked(&with(&all), "a", &both), Ok(()));
        for (headers, arguments) in [
            (with(&[("Mcp-Name", "b")]), &none),
            (with(&[]), &none),
            (with(&[("Mcp-Name", "a"), ("Mcp-Name", "a")]), &none),
            (with(&[("Mcp-Name", "a"), ("Mcp-Param-N", "4")]), &none),
            (with(&[("Mcp-Name", "a"), ("Mcp-Param-N", "4")]), &both),
            (with(&[("Mcp-Name", "a"), ("Mcp-Param-N", "5"), ("Mcp-Param-S", encoded)]), &both),
            (vec![usual[0], ("Mcp-Method", "tools/list"), ("Mcp-Name", "a")], &none),
            (vec![("MCP-Protocol-Version", "2025-11-25"), usual[1], ("Mcp-Name", "a")], &none),
        ] {
            assert!(checked(&headers, "a", arguments).is_err(), "{headers:?} {arguments}");
        }
    }
}
