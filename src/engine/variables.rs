//! Variables of the settings in requests: `{{var.NAME}}` is what the connection that a request goes
//! to has as NAME, its own or the workspace's.

use std::borrow::Cow;

use serde_json::Value;

use super::{lint::check::did_you_mean, template, workflow::similar};
use crate::model::{
    call::Request,
    connection::{Connection, RequestVariable},
    problem::{Problem, ProblemKind},
};

/// What defines a variable.
pub(crate) const DEFINE: &str = "define it in toolcrib.toml, under [variables] or \
    [connections.NAME.variables]; on the command line also with --var NAME=VALUE";

/// That a connection has no variable of that name, with the nearest that it has.
#[must_use]
pub(crate) fn undefined_words(name: &str, connection: &Connection) -> String {
    let names = connection.variables.keys().map(String::as_str);
    let near = did_you_mean(similar::nearest_name(name, names));
    let (name, of) = (name.escape_debug(), connection.name.escape_debug());
    format!("nothing defines the variable \"{name}\" for connection \"{of}\"{near}")
}

/// What is filled in before it is sent: what may be shown.
fn shown_value(name: &str, connection: &Connection) -> Result<Option<Value>, String> {
    match connection.variables.get(name) {
        Some(RequestVariable::Shown(value)) => Ok(Some(value.clone())),
        Some(RequestVariable::Hidden(_) | RequestVariable::Secret(_)) => Ok(None),
        None => Err(undefined_words(name, connection)),
    }
}

fn undefined(cause: String) -> Problem {
    Problem::new(ProblemKind::Input, "filling in the variables", cause).with_remedy(DEFINE)
}

/// The request with the variables of its connection in the place of their templates, but for
/// secrets, which are filled in as it is sent.
///
/// # Errors
/// When it, or its arguments, name one that nothing defines.
pub(crate) fn fill_request(request: Request, connection: &Connection) -> Result<Request, Problem> {
    let is_undefined = |name: &&str| !connection.variables.contains_key(*name);
    let unknown = template::variable_names(&request.arguments).find(is_undefined);
    if let Some(words) = unknown.map(|name| undefined_words(name, connection)) {
        return Err(undefined(words));
    }
    template::with_variables(request, &|name| shown_value(name, connection)).map_err(undefined)
}

/// The same of a value.
///
/// # Errors
/// When it names one that nothing defines.
pub(crate) fn fill_value(value: &Value, connection: &Connection) -> Result<Value, Problem> {
    template::value_with_variables(value, &|name| shown_value(name, connection)).map_err(undefined)
}

/// Arguments, a JSON object, with the variables of a connection in the place of their templates;
/// secrets stay, and what nothing defines.
#[must_use]
pub(crate) fn fill_arguments<'a>(arguments: &'a str, connection: &Connection) -> Cow<'a, str> {
    if template::variable_names(arguments).next().is_none() {
        return Cow::Borrowed(arguments);
    }
    let value: Value = serde_json::from_str(arguments).unwrap_or_default();
    let filled = template::value_with_variables(&value, &|name| {
        Ok(shown_value(name, connection).unwrap_or_default())
    });
    filled.map_or(Cow::Borrowed(arguments), |value| Cow::Owned(value.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::connection::SecretAt;

    #[test]
    fn a_value_gets_what_its_connection_has_and_secrets_stay() {
        let mut dev = Connection::http("dev", "http://localhost");
        dev.variables = [
            ("shop", RequestVariable::Shown(json!("dev-shop"))),
            ("limit", RequestVariable::Shown(json!(5))),
            ("pin", RequestVariable::Hidden(json!("hunter2"))),
            ("key", RequestVariable::Secret(SecretAt::Variable("KEY".into()))),
        ]
        .map(|(name, variable)| (name.to_owned(), variable))
        .into();
        let named =
            json!({"a": ["{{var.limit}}", "{{var.shop}}: {{var.pin}}"], "b": "{{var.key}}"});
        let filled = json!({"a": [5, "dev-shop: {{var.pin}}"], "b": "{{var.key}}"});
        assert_eq!(fill_value(&named, &dev).unwrap(), filled);
        let arguments = fill_arguments(r#"{"a":"{{var.limit}}","b":"{{var.shup}}"}"#, &dev);
        assert_eq!(arguments, r#"{"a":5,"b":"{{var.shup}}"}"#);
        let problem = fill_value(&json!("{{var.shup}}"), &dev).unwrap_err();
        assert_eq!(
            problem.cause,
            "nothing defines the variable \"shup\" for connection \"dev\"; did you mean \"shop\"?"
        );
        assert!(problem.remedy.contains("--var NAME=VALUE"), "{problem}");
    }
}
