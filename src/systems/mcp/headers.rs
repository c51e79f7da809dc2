//! The headers of the modern HTTP transport that repeat what a call's body says, and the arguments
//! that a tool wants among them.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{base64, fault::Fault};
use crate::schema::{decimal, pointer::Pointer, subschemas::list_objects};

/// The keyword that names a header for an argument.
const KEYWORD: &str = "x-mcp-header";
const PROPERTIES: &str = "properties";

/// The headers of a call of a tool: its method, its name and the arguments that its schema wants
/// there, in the order of the schema. `Err`: what is wrong with the schema; the tool must not be
/// called over HTTP.
pub fn mirror_headers(
    name: &str,
    input_schema: &Value,
    arguments: &Map<String, Value>,
) -> Result<Vec<(String, String)>, Vec<Fault>> {
    let faults = header_faults(input_schema, &Pointer::root());
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut headers = vec![
        ("Mcp-Method".to_owned(), "tools/call".to_owned()),
        ("Mcp-Name".to_owned(), encode_value(name)),
    ];
    for (at, header) in annotated_schemas(input_schema) {
        let value = property_path(&at).and_then(|path| {
            let (first, rest) = path.split_first()?;
            rest.iter().try_fold(arguments.get(*first)?, |value, name| value.get(name))
        });
        if let (Some(header), Some(text)) = (header.as_str(), value.and_then(text_of)) {
            headers.push((format!("Mcp-Param-{header}"), encode_value(&text)));
        }
    }
    Ok(headers)
}

/// A value as a header can carry it: plain where it is plain, else in base64.
#[must_use]
pub fn encode_value(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let is_padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    let looks_encoded = value.starts_with("=?base64?") && value.ends_with("?=");
    if is_plain && !is_padded && !looks_encoded {
        return value.to_owned();
    }
    format!("=?base64?{}?=", base64::encode(value.as_bytes()))
}

/// The headers that a schema wants for arguments, with or without a value.
#[must_use]
pub fn declared_headers(input_schema: &Value) -> Vec<String> {
    let named = annotated_schemas(input_schema).into_iter();
    named.filter_map(|(_, header)| Some(format!("Mcp-Param-{}", header.as_str()?))).collect()
}

/// The value that a header carries; `None` where it is encoded and cannot be read.
#[must_use]
pub fn decode_header(text: &str) -> Option<String> {
    match text.strip_prefix("=?base64?").and_then(|text| text.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(base64::decode(encoded)?).ok(),
        None => Some(text.to_owned()),
    }
}

/// What is wrong with the headers that a schema wants, by their places below `below`.
pub(super) fn header_faults(schema: &Value, below: &Pointer) -> Vec<Fault> {
    let mut known = HashSet::new();
    let mut faults = Vec::new();
    for (at, header) in annotated_schemas(schema) {
        let mut tell = |id, words: &'static str| {
            faults.push(Fault::new(id, below.join(&at).child(KEYWORD), words));
        };
        match header.as_str() {
            Some("") => tell("header.empty", "names no header"),
            Some(name) => {
                if !is_token(name) {
                    tell("header.not-token", "is not the name of a header");
                }
                if !known.insert(name.to_lowercase()) {
                    tell("header.duplicate", "names a header that another argument has");
                }
            }
            None => tell("header.not-token", "is not the name of a header"),
        }
        let kind = at.get(schema).and_then(|schema| schema.get("type")).and_then(Value::as_str);
        if property_path(&at).is_none() {
            tell(
                "header.unreachable",
                "is not on an argument, or a member of one, that is always at the same place",
            );
        } else if !matches!(kind, Some("string" | "integer" | "boolean")) {
            tell("header.type", "is not on a string, an integer or a boolean");
        }
    }
    faults
}

/// Each schema that names a header, by its place, in the order of the text.
fn annotated_schemas(schema: &Value) -> Vec<(Pointer, &Value)> {
    let objects = list_objects(schema).into_iter();
    objects
        .filter_map(|(at, object)| Some((Pointer::parse(&at).ok()?, object.get(KEYWORD)?)))
        .collect()
}

/// The names that lead to a schema's value, where `properties` alone lead to the schema.
fn property_path(at: &Pointer) -> Option<Vec<&str>> {
    let (pairs, rest) = at.tokens().as_chunks::<2>();
    let names =
        pairs.iter().map(|[keyword, name]| (keyword == PROPERTIES).then_some(name.as_str()));
    if rest.is_empty() { names.collect() } else { None }
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// An argument as text; `None` where it is null or no single value.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => {
            // `3.0` is the integer 3.
            let whole = decimal::is_whole(number)
                .then(|| number.as_f64())
                .flatten()
                .filter(|value| value.abs() < 9e15);
            Some(match whole {
                Some(whole) if decimal::is_float(number) => format!("{whole:.0}"),
                _ => number.to_string(),
            })
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::fault::fault_ids, *};

    fn excluded(schema: &Value) -> Vec<&'static str> {
        mirror_headers("run", schema, &Map::new())
            .map_or_else(|faults| fault_ids(&faults), |_| Vec::new())
    }

    fn sent(schema: &Value, arguments: &Value) -> Vec<String> {
        let headers = mirror_headers("run", schema, arguments.as_object().unwrap()).unwrap();
        headers.into_iter().skip(2).map(|(name, value)| format!("{name}: {value}")).collect()
    }

    fn on(kind: &Value, header: &Value) -> Value {
        json!({"type": "object", "properties": {"a": {"type": kind, "x-mcp-header": header}}})
    }

    #[test]
    fn a_header_needs_a_name_and_a_single_value_at_a_place_of_its_own() {
        assert_eq!(excluded(&on(&json!("string"), &json!(""))), ["header.empty"]);
        for name in [json!("a b"), json!("a\r\nb"), json!("a:b"), json!("é"), json!(5), json!(null)]
        {
            assert_eq!(excluded(&on(&json!("string"), &name)), ["header.not-token"], "{name}");
        }
        for kind in [json!("number"), json!("object"), json!(["string", "null"]), json!(null)] {
            assert_eq!(excluded(&on(&kind, &json!("A"))), ["header.type"], "{kind}");
        }
        for keyword in ["items", "not", "if", "then", "else", "additionalProperties"] {
            let schema = json!({keyword: {"type": "string", "x-mcp-header": "A"}});
            assert_eq!(excluded(&schema), ["header.unreachable"], "{keyword}");
            let below = json!({"properties": {"p": {keyword: {"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}}}});
            assert_eq!(excluded(&below), ["header.unreachable"], "{keyword}");
        }
        let defined = json!({"$defs": {"A": {"type": "string", "x-mcp-header": "A"}}, "properties": {"a": {"$ref": "#/$defs/A"}}});
        assert_eq!(excluded(&defined), ["header.unreachable"]);
        let twice = json!({"properties": {"a": {"type": "string", "x-mcp-header": "R"},
            "b": {"properties": {"c": {"type": "boolean", "x-mcp-header": "r"}}}}});
        assert_eq!(excluded(&twice), ["header.duplicate"]);
    }

    #[test]
    fn data_and_names_are_no_annotations() {
        let schema = json!({"properties": {
            "x-mcp-header": {"type": "string"},
            "a": {"type": "object", "default": {"x-mcp-header": ""}, "const": {"x-mcp-header": ""}},
            "properties": {"type": "object", "properties": {"properties": {"type": "string", "x-mcp-header": "P"}}},
        }});
        assert_eq!(sent(&schema, &json!({"properties": {"properties": "v"}})), ["Mcp-Param-P: v"]);
    }

    #[test]
    fn values_are_sent_as_text_in_the_order_of_the_schema() {
        let on = |kind: &str, header: &str| json!({"type": kind, "x-mcp-header": header});
        let schema = json!({"properties": {"z": on("integer", "Z"), "o": {"properties": {"i": on("boolean", "I")}}, "a": on("string", "A")}});
        let arguments: Value =
            serde_json::from_str(r#"{"a": "", "o": {"i": true}, "z": 12345678901234567890123}"#)
                .unwrap();
        assert_eq!(
            sent(&schema, &arguments),
            ["Mcp-Param-Z: 12345678901234567890123", "Mcp-Param-I: true", "Mcp-Param-A: "]
        );
        let number = |text: &str| {
            sent(&schema, &serde_json::from_str(&format!("{{\"z\": {text}}}")).unwrap())
        };
        assert_eq!(
            [number("-3.0"), number("42e1"), number("1.5")],
            [["Mcp-Param-Z: -3"], ["Mcp-Param-Z: 420"], ["Mcp-Param-Z: 1.5"]]
        );
        assert_eq!(
            sent(&schema, &json!({"o": "no object", "a": ["x"], "z": {}})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn only_plain_values_are_sent_plainly() {
        for plain in ["", "a b", "a\tb", "~!", "=?base64?", "x=?base64?eA==?=", "=?BASE64?eA==?="] {
            assert_eq!(encode_value(plain), plain);
        }
        for other in [" a", "a\t", "a\u{7f}", "a\0", "é", "=?base64??="] {
            assert!(
                encode_value(other).starts_with("=?base64?") && encode_value(other).ends_with("?="),
                "{other:?}"
            );
            assert_ne!(encode_value(other), other);
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_can_be_told_apart_and_read_back(value in ".*|[ -~]*") {
            let header = encode_value(&value);
            prop_assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t'));
            let inner = header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
            let back = inner.map_or(header.clone().into_bytes(), |inner| base64::decode(inner).unwrap());
            prop_assert_eq!(back, value.into_bytes());
        }
    }
}
