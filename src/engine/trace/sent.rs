//! The arguments of a kept call as they were sent: with what its variables were.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{engine::template, model::trace::Head};

/// A larger body is not looked into.
const LARGEST: usize = 256 * 1024;

/// The arguments with the values of their variables, where the body has them; secrets are named.
#[must_use]
pub(crate) fn sent_arguments(head: &Head) -> Arc<str> {
    let kept = Arc::clone(&head.arguments);
    let names_any = template::variable_names(&head.arguments).next().is_some();
    if !names_any || head.body.len() > LARGEST {
        return kept;
    }
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let (Some(Value::Object(arguments)), Some(body)) = (read(&head.arguments), read(&head.body))
    else {
        return kept;
    };
    match members_like(&arguments, &body) {
        Some(sent) => Value::Object(sent).to_string().into(),
        None => kept,
    }
}

/// The first object within a value, or within JSON that is a text in it, that has the same members.
fn members_like(wanted: &Map<String, Value>, within: &Value) -> Option<Map<String, Value>> {
    match within {
        Value::Object(members)
            if members.len() == wanted.len()
                && wanted.keys().all(|key| members.contains_key(key)) =>
        {
            Some(members.clone())
        }
        Value::Object(members) => members.values().find_map(|value| members_like(wanted, value)),
        Value::Array(items) => items.iter().find_map(|item| members_like(wanted, item)),
        Value::String(text) if text.trim_start().starts_with('{') => {
            let inner: Value = serde_json::from_str(text).ok()?;
            members_like(wanted, &inner)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_have_the_values_that_the_body_has() {
        let arguments = r#"{"text":"{{var.shop}} x","key":"{{var.key}}"}"#;
        let sent = json!({"text": "main x", "key": "{{var.key}}"});
        let as_text = json!({"function": "echo", "parameters": sent.to_string()}).to_string();
        let as_value = json!({"params": [{"arguments": sent}]}).to_string();
        for (body, expected) in [
            (as_text.as_str(), sent.to_string()),
            (as_value.as_str(), sent.to_string()),
            ("{}", arguments.to_owned()),
            ("no json", arguments.to_owned()),
        ] {
            let head = Head { arguments: arguments.into(), body: body.into(), ..Head::default() };
            assert_eq!(&*sent_arguments(&head), expected, "{body}");
        }
        let (arguments, body) = (r#"{"a":1}"#.into(), r#"{"a":2}"#.into());
        let plain = Head { arguments, body, ..Head::default() };
        assert_eq!(&*sent_arguments(&plain), r#"{"a":1}"#);
    }
}
