//! Variables in what a case expects: `{{var.NAME}}` is there what the connection of its call has, as
//! it is in the arguments.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::script::{Case, Expect, ExpectedError};
use crate::{
    engine::{
        template,
        variables::{DEFINE, undefined_words},
    },
    model::{
        connection::{Connection, RequestVariable},
        problem::{Problem, ProblemKind},
    },
    schema::{phrase::value_text, pointer::Pointer},
};

/// What the variables are that a case's expectations name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedValues(BTreeMap<String, Value>);

impl ExpectedValues {
    /// Those of the connection that the case is called over.
    ///
    /// # Errors
    /// When it defines none of a name, or has a secret there.
    pub fn over(case: &Case, connection: &Connection) -> Result<Self, Problem> {
        let texts = expected_texts(&case.expect);
        let names: BTreeSet<&str> =
            texts.iter().flat_map(|(_, text)| template::variable_names(text)).collect();
        let value = |name: &str| match unexpected_words(name, connection) {
            None => match connection.variables.get(name) {
                Some(RequestVariable::Shown(value)) => Ok((name.to_owned(), value.clone())),
                _ => Err((undefined_words(name, connection), DEFINE)),
            },
            Some(words) => Err((words, "expect another part of the answer")),
        };
        let values: Result<_, (String, &str)> = names.into_iter().map(value).collect();
        values.map(Self).map_err(|(cause, remedy)| {
            let doing = "filling in what the case expects";
            Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy)
        })
    }

    /// The expectations with these in the places of their templates; others stay.
    #[must_use]
    pub fn fill(&self, expect: &Expect) -> Expect {
        if self.0.is_empty() {
            return expect.clone();
        }
        let text = |text: &String| self.fill_text(text);
        let texts = |texts: &[String]| texts.iter().map(text).collect();
        let error = expect.error.as_ref().map(|error| ExpectedError {
            message: error.message.as_ref().map(text),
            kind: error.kind.clone(),
        });
        let pattern = |pattern: &String| {
            let as_text = |value: &Value| regex::escape(&value_text(value)).into();
            value_text(&self.fill_value(&pattern.as_str().into(), as_text))
        };
        Expect {
            error,
            json: expect.json.as_ref().map(|json| self.fill_value(json, Value::clone)),
            schema: expect.schema.as_ref().map(|schema| self.fill_value(schema, Value::clone)),
            contains: texts(&expect.contains),
            lacks: texts(&expect.lacks),
            matches: expect.matches.iter().map(pattern).collect(),
            ..expect.clone()
        }
    }

    /// The same of one text.
    #[must_use]
    pub fn fill_text(&self, text: &str) -> String {
        value_text(&self.fill_value(&text.into(), Value::clone))
    }

    /// What came, with the texts of what is expected where their variables have just that.
    #[must_use]
    pub fn keep_named(&self, wanted: &Value, came: Value) -> Value {
        match (wanted, came) {
            (Value::String(text), came) if self.fill_value(wanted, Value::clone) == came => {
                text.as_str().into()
            }
            (Value::Array(wanted), Value::Array(mut came)) => {
                for (wanted, came) in wanted.iter().zip(&mut came) {
                    *came = self.keep_named(wanted, came.take());
                }
                Value::Array(came)
            }
            (Value::Object(wanted), Value::Object(mut came)) => {
                for (name, wanted) in wanted {
                    if let Some(came) = came.get_mut(name) {
                        *came = self.keep_named(wanted, came.take());
                    }
                }
                Value::Object(came)
            }
            (_, came) => came,
        }
    }

    fn fill_value(&self, value: &Value, as_filled: impl Fn(&Value) -> Value) -> Value {
        let filled =
            template::value_with_variables(value, &|name| Ok(self.0.get(name).map(&as_filled)));
        filled.unwrap_or_else(|_| value.clone())
    }
}

/// Why an expectation can't name a variable that is a secret; `None`: it can.
#[must_use]
pub(crate) fn unexpected_words(name: &str, connection: &Connection) -> Option<String> {
    let is_secret = match connection.variables.get(name)? {
        RequestVariable::Shown(_) => false,
        RequestVariable::Hidden(_) | RequestVariable::Secret(_) => true,
    };
    is_secret.then(|| {
        let name = name.escape_debug();
        format!("a case can't expect the secret variable \"{name}\": reports would show it")
    })
}

/// The texts that are expected, with their places in the case.
#[must_use]
pub(crate) fn expected_texts(expect: &Expect) -> Vec<(Pointer, &str)> {
    let at = Pointer::root().child("expect");
    let mut texts = Vec::new();
    for (name, value) in [("json", &expect.json), ("schema", &expect.schema)] {
        if let Some(value) = value {
            collect_texts(value, &at.child(name), &mut texts);
        }
    }
    let lists =
        [("contains", &expect.contains), ("lacks", &expect.lacks), ("matches", &expect.matches)];
    for (name, list) in lists {
        let rows = list.iter().enumerate();
        texts.extend(rows.map(|(row, text)| (at.child(name).item(row), text.as_str())));
    }
    let message = expect.error.as_ref().and_then(|error| error.message.as_deref());
    texts.extend(message.map(|message| (at.child("error").child("message"), message)));
    texts
}

/// Adds the texts of a value with their places.
pub(crate) fn collect_texts<'v>(
    value: &'v Value,
    at: &Pointer,
    texts: &mut Vec<(Pointer, &'v str)>,
) {
    match value {
        Value::String(text) => texts.push((at.clone(), text.as_str())),
        Value::Array(items) => {
            for (row, item) in items.iter().enumerate() {
                collect_texts(item, &at.item(row), texts);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                collect_texts(member, &at.child(name), texts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::{Format, Source};

    fn case(expect: &str) -> Case {
        let text = format!("call: a\nexpect: {expect}");
        Case::from_source(&Source::parse(Format::Yaml, text).unwrap()).unwrap()
    }

    fn dev() -> Connection {
        let mut dev = Connection::http("dev", "http://localhost");
        dev.variables = [
            ("shop", RequestVariable::Shown(json!("a.b"))),
            ("limit", RequestVariable::Shown(json!(5))),
            ("pin", RequestVariable::Hidden(json!("hunter2"))),
        ]
        .map(|(name, variable)| (name.to_owned(), variable))
        .into();
        dev
    }

    #[test]
    fn each_kind_of_expectation_has_what_its_connection_has() {
        let case = case(
            "{json: {limit: '{{var.limit}}', shops: ['in {{var.shop}}']}, \
             contains: '{{var.shop}}', lacks: ['{{var.limit}} rows'], \
             matches: '^{{var.shop}}\\d$', schema: {const: '{{var.limit}}'}, \
             error: {message: 'no {{var.shop}}'}}",
        );
        let filled = ExpectedValues::over(&case, &dev()).unwrap().fill(&case.expect);
        assert_eq!(filled.json, Some(json!({"limit": 5, "shops": ["in a.b"]})));
        assert_eq!(filled.schema, Some(json!({"const": 5})));
        assert_eq!((filled.contains, filled.lacks), (vec!["a.b".into()], vec!["5 rows".into()]));
        assert_eq!(filled.matches, [r"^a\.b\d$"], "a value is no pattern");
        assert_eq!(filled.error.unwrap().message.unwrap(), "no a.b");
    }

    #[test]
    fn what_nothing_defines_and_secrets_are_refused() {
        for (name, words) in [("shup", "did you mean \"shop\"?"), ("pin", "the secret variable")] {
            let case = case(&format!("{{contains: 'x {{{{var.{name}}}}}'}}"));
            let problem = ExpectedValues::over(&case, &dev()).unwrap_err();
            assert!(problem.cause.contains(words), "{problem}");
        }
    }
}
