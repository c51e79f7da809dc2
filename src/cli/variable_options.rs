//! Variables of requests, as said on the command line.

use std::{
    collections::BTreeSet,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::Value;

use super::{arguments::read_arguments, out::CommandOutput};
use crate::{
    engine::{
        env_file::{self, LineFault},
        lint::check::did_you_mean,
        settings::variables::{is_variable_value, plain_variable},
        workflow::similar,
    },
    model::{
        connection::{RequestVariable, RequestVariables},
        connections::Connections,
        problem::{Problem, ProblemKind},
    },
    runtime::registry,
    store::files::io_problem,
};

#[derive(Args, Clone, Debug)]
pub(crate) struct VariableOptions {
    /// What {{var.NAME}} is, whatever toolcrib.toml says; NAME:=JSON for a number, or true or
    /// false; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,

    /// A file with lines NAME=VALUE, as .env files have them: what {{env.NAME}} is, before the
    /// environment; connections get nothing of it, and no value is kept; can be repeated, the last
    /// file counts
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
}

impl VariableOptions {
    /// The variables that are given. One whose value in `settings` is a number, or true or false, is
    /// that here, too, where it can be. What files have for the environment counts from now on.
    ///
    /// # Errors
    /// When a word is no pair, a value is none that a variable can have, or a file can't be read.
    pub fn read(&self, settings: &RequestVariables) -> Result<RequestVariables, Problem> {
        self.env_file.iter().try_for_each(|path| give_env_file(path))?;
        let wrong = |cause: String| {
            let problem = Problem::new(ProblemKind::Input, "reading --var", cause);
            problem.with_remedy("write --var NAME=VALUE, or --var NAME:=JSON")
        };
        let given = read_arguments(None, &self.var).map_err(|problem| wrong(problem.cause))?;
        let members = given.value().as_object().cloned().unwrap_or_default();
        if let Some((name, _)) = members.iter().find(|(_, value)| !is_variable_value(value)) {
            return Err(wrong(format!("\"{name}\" must be a text, a number, or true or false")));
        }
        let variables = members.into_iter().map(|(name, value)| {
            let value = typed_value(value, settings.get(&name));
            let variable = plain_variable(&name, value);
            (name, variable)
        });
        Ok(variables.collect())
    }

    /// Gives the variables to the requests over every connection, in the place of all others of
    /// their names; those that nobody knows are warned of: neither the settings nor `named`.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn give_all<'n>(
        &self,
        connections: &mut Connections,
        named: impl IntoIterator<Item = &'n str>,
        out: &CommandOutput,
    ) -> Result<RequestVariables, Problem> {
        let given = self.read(&connections.current().variables)?;
        let mut known: BTreeSet<&str> = connections.variable_names().collect();
        for name in named {
            known.insert(name);
        }
        warn_of_unknown(&given, &known, out);
        connections.override_variables(&given);
        Ok(given)
    }
}

/// A larger file is none of variables.
const LARGEST: u64 = 1024 * 1024;

/// Lets requests have what a file says of the environment; it may be a pipe, from a program that
/// keeps secrets.
fn give_env_file(path: &Path) -> Result<(), Problem> {
    let doing = format!("reading {}", path.display());
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    if read.map_err(|error| io_problem(&doing, &error))? as u64 > LARGEST {
        let cause = "it has more than 1 MB, which no file of variables has";
        return Err(Problem::new(ProblemKind::Input, doing, cause));
    }
    let variables = env_file::read_env_file(&text).map_err(|LineFault { line, words }| {
        Problem::new(ProblemKind::Input, doing, format!("line {line}: {words}"))
    })?;
    registry::give_variables(variables);
    Ok(())
}

/// Warns of given variables whose names are not among these: all that the settings define, and all
/// that is named in what is sent.
pub(crate) fn warn_of_unknown(
    given: &RequestVariables,
    known: &BTreeSet<&str>,
    out: &CommandOutput,
) {
    for name in given.keys().filter(|name| !known.contains(name.as_str())) {
        let near = did_you_mean(similar::nearest_name(name, known.iter().copied()));
        let name = name.escape_debug();
        out.warn(format_args!(
            "--var: nothing names a variable \"{name}\", and toolcrib.toml doesn't define it{near}"
        ));
    }
}

/// The value, of the type that it has in the settings.
fn typed_value(value: Value, before: Option<&RequestVariable>) -> Value {
    let Some(RequestVariable::Shown(before)) = before else { return value };
    let is_alike = |typed: &Value| {
        before.is_number() && typed.is_number() || before.is_boolean() && typed.is_boolean()
    };
    let read: Option<Value> = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    read.filter(is_alike).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(pairs: &[&str]) -> Result<RequestVariables, Problem> {
        let var = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        let settings = [("limit", json!(5)), ("shop", json!("a")), ("fast", json!(true))];
        let settings =
            settings.map(|(name, value)| (name.to_owned(), RequestVariable::Shown(value)));
        VariableOptions { var, env_file: Vec::new() }.read(&settings.into())
    }

    #[test]
    fn values_have_the_types_that_they_have_in_the_settings() {
        let given = ["limit=7", "fast=no", "shop=8", "other=9", "n:=1.5", "api_key=hunter2"];
        let variables = read(&given).unwrap();
        let shown = |name: &str| match &variables[name] {
            RequestVariable::Shown(value) => value.to_string(),
            hidden => format!("{hidden:?}"),
        };
        let values = ["limit", "fast", "shop", "other", "n"].map(shown);
        assert_eq!(values, ["7", "\"no\"", "\"8\"", "\"9\"", "1.5"]);
        assert_eq!(variables["api_key"], RequestVariable::Hidden(json!("hunter2")));
        for (given, cause) in [
            ("limit", "\"limit\" has no ="),
            ("a:=[1]", "\"a\" must be a text"),
            ("a:=", "the value of \"a\" is not JSON"),
        ] {
            let problem = read(&[given]).unwrap_err();
            assert!(problem.cause.starts_with(cause), "{problem}");
        }
    }
}
