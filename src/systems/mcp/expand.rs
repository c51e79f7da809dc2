//! The variables of a configuration, filled in as whoever reads that form would. What is filled in
//! is not looked at again.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::{Captures, Regex};
use serde_json::Value;

use super::form::Form;

/// What variables stand for; `None` where it is not known.
#[derive(Clone, Debug)]
pub struct Context {
    pub env: BTreeMap<String, String>,
    pub home: Option<String>,
    /// The folder of the workspace.
    pub workspace: Option<String>,
    /// The folder of the bundle.
    pub dir: Option<String>,
    pub desktop: Option<String>,
    pub documents: Option<String>,
    pub downloads: Option<String>,
    /// What is between folders.
    pub separator: String,
    /// What was given when it was asked for.
    pub inputs: BTreeMap<String, String>,
    /// The settings of a bundle: texts, numbers, truth values and lists of texts.
    pub user_config: BTreeMap<String, Value>,
    /// The variables of a registry entry.
    pub variables: BTreeMap<String, String>,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            env: BTreeMap::new(),
            home: None,
            workspace: None,
            dir: None,
            desktop: None,
            documents: None,
            downloads: None,
            separator: "/".to_owned(),
            inputs: BTreeMap::new(),
            user_config: BTreeMap::new(),
            variables: BTreeMap::new(),
        }
    }
}

/// Something filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded<T> {
    pub value: T,
    /// What is not known, each once, in the order in which it is named: `NAME`, `input:ID`,
    /// `user_config.KEY`.
    pub missing: Vec<String>,
}

/// A text with its variables filled in.
#[must_use]
pub fn expand_text(form: Form, text: &str, context: &Context) -> Expanded<String> {
    let mut missing = Vec::new();
    let value = fill_text(form, text, context, &mut missing);
    Expanded { value, missing }
}

/// Arguments with their variables filled in; of a bundle, one that is a list and is alone becomes
/// several.
#[must_use]
pub fn expand_args(form: Form, args: &[String], context: &Context) -> Expanded<Vec<String>> {
    let mut missing = Vec::new();
    let mut value = Vec::with_capacity(args.len());
    for arg in args {
        match list_alone(form, arg, context) {
            Some(items) => value.extend(items.iter().filter_map(text_of)),
            None => value.push(fill_text(form, arg, context, &mut missing)),
        }
    }
    Expanded { value, missing }
}

/// The list that an argument of a bundle is replaced by.
fn list_alone<'c>(form: Form, arg: &str, context: &'c Context) -> Option<&'c Vec<Value>> {
    let key =
        arg.strip_prefix("${user_config.")?.strip_suffix('}').filter(|_| form == Form::Mcpb)?;
    context.user_config.get(key)?.as_array()
}

/// `${…}` with anything in it.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\$\{([^}]+)\}").ok());
/// `${NAME}` and `${NAME:-default}`.
static SHELL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}").ok());
/// `{name}`, and what an import asks for.
static BRACES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$\{(input:[^}]+)\}|\{([A-Za-z0-9_.-]+)\}").ok());

/// What a variable results in.
enum VariableValue {
    Is(String),
    /// It counts as nothing.
    Nothing,
    /// It stays as it is written.
    Unknown,
    /// It is no variable of this form.
    Plain,
}

impl From<Option<String>> for VariableValue {
    fn from(value: Option<String>) -> Self {
        value.map_or(Self::Unknown, Self::Is)
    }
}

/// What a match names, and what that results in.
type LookUp = fn(&Captures<'_>, &Context) -> (String, VariableValue);

fn fill_text(form: Form, text: &str, context: &Context, missing: &mut Vec<String>) -> String {
    let (pattern, look_up): (_, LookUp) = match form {
        Form::ClaudeDesktop | Form::Zed => return text.to_owned(),
        Form::McpJson => (&SHELL, of_shell),
        Form::VsCode | Form::Cursor => (&ANY, of_editor),
        Form::Codex => (&ANY, of_codex),
        Form::Mcpb => (&ANY, of_bundle),
        Form::ServerJson => (&BRACES, of_registry),
    };
    let Some(pattern) = pattern.as_ref() else { return text.to_owned() };
    let replace = |captures: &Captures<'_>| {
        let (name, found) = look_up(captures, context);
        if matches!(found, VariableValue::Nothing | VariableValue::Unknown)
            && !missing.contains(&name)
        {
            missing.push(name);
        }
        match found {
            VariableValue::Is(value) => value,
            VariableValue::Nothing => String::new(),
            VariableValue::Unknown | VariableValue::Plain => captures[0].to_owned(),
        }
    };
    pattern.replace_all(text, replace).into_owned()
}

fn of_shell(captures: &Captures<'_>, context: &Context) -> (String, VariableValue) {
    let name = captures[1].to_owned();
    let default = captures.get(2).map(|default| default.as_str().to_owned());
    let value = context.env.get(&name).cloned().or(default);
    (name, value.into())
}

fn of_editor(captures: &Captures<'_>, context: &Context) -> (String, VariableValue) {
    let name = &captures[1];
    if let Some(variable) = name.strip_prefix("env:") {
        return of_environment(variable, context);
    }
    let found = match name {
        "workspaceFolder" => context.workspace.clone(),
        "workspaceFolderBasename" => context.workspace.as_deref().map(base_name),
        "userHome" => context.home.clone(),
        "pathSeparator" | "/" => Some(context.separator.clone()),
        _ => name.strip_prefix("input:").and_then(|id| context.inputs.get(id)).cloned(),
    };
    (name.to_owned(), found.into())
}

/// A variable of the environment that counts as empty where it is not set.
fn of_environment(name: &str, context: &Context) -> (String, VariableValue) {
    (
        name.to_owned(),
        context.env.get(name).cloned().map_or(VariableValue::Nothing, VariableValue::Is),
    )
}

/// Codex names variables in keys of their own, which an import writes so.
fn of_codex(captures: &Captures<'_>, context: &Context) -> (String, VariableValue) {
    match captures[1].strip_prefix("env:") {
        Some(name) => of_environment(name, context),
        None => (String::new(), VariableValue::Plain),
    }
}

fn of_bundle(captures: &Captures<'_>, context: &Context) -> (String, VariableValue) {
    let name = &captures[1];
    let found = match name {
        "__dirname" => context.dir.clone(),
        "HOME" => context.home.clone(),
        "DESKTOP" => context.desktop.clone(),
        "DOCUMENTS" => context.documents.clone(),
        "DOWNLOADS" => context.downloads.clone(),
        "/" | "pathSeparator" => Some(context.separator.clone()),
        _ => name
            .strip_prefix("user_config.")
            .and_then(|key| context.user_config.get(key))
            .and_then(text_of),
    };
    (name.to_owned(), found.into())
}

fn of_registry(captures: &Captures<'_>, context: &Context) -> (String, VariableValue) {
    match (captures.get(1), captures.get(2)) {
        (Some(input), _) => {
            let id = input.as_str().strip_prefix("input:").unwrap_or_default();
            (input.as_str().to_owned(), context.inputs.get(id).cloned().into())
        }
        (_, name) => {
            let name = name.map_or("", |name| name.as_str());
            (name.to_owned(), context.variables.get(name).cloned().into())
        }
    }
}

/// A setting as text; `None` where it is none, or not a single one.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The last part of a path.
fn base_name(path: &str) -> String {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn context() -> Context {
        let texts = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
        };
        Context {
            env: texts(&[("A", "a"), ("E", ""), ("N", "${A}")]),
            home: Some("/h".into()),
            workspace: Some("/w/p/".into()),
            dir: Some("/x".into()),
            desktop: Some("/d".into()),
            downloads: Some("/l".into()),
            inputs: texts(&[("key", "k"), ("K", "${input:K}")]),
            user_config: BTreeMap::from([
                ("list".into(), json!(["a", 1, true])),
                ("none".into(), json!([])),
                ("n".into(), json!(1.5)),
                ("null".into(), json!(null)),
            ]),
            variables: texts(&[("v", "{v}")]),
            ..Context::default()
        }
    }

    fn filled(form: Form, text: &str) -> (String, Vec<String>) {
        let expanded = expand_text(form, text, &context());
        (expanded.value, expanded.missing)
    }

    fn is(form: Form, text: &str, value: &str, missing: &[&str]) {
        assert_eq!(
            filled(form, text),
            (value.into(), missing.iter().map(|name| (*name).into()).collect()),
            "{form:?} {text}"
        );
    }

    #[test]
    fn claude_code_knows_names_and_defaults_alone() {
        is(Form::McpJson, "${A}${E}${E:-x}${Z:-}${Z:-a:-b}", "aa:-b", &[]);
        is(Form::McpJson, "${N}", "${A}", &[]);
        is(
            Form::McpJson,
            "${env:A} ${1} ${} ${A-x} $A ${a b}",
            "${env:A} ${1} ${} ${A-x} $A ${a b}",
            &[],
        );
        is(Form::McpJson, "${Z}${Y}${Z}", "${Z}${Y}${Z}", &["Z", "Y"]);
    }

    #[test]
    fn editors_know_folders_inputs_and_the_environment() {
        for form in [Form::VsCode, Form::Cursor] {
            is(
                form,
                "${workspaceFolder}${pathSeparator}${workspaceFolderBasename}${userHome}",
                "/w/p//p/h",
                &[],
            );
            is(form, "${env:E}${env:Z}${command:x}${env:Z}", "${command:x}", &["Z", "command:x"]);
        }
        is(Form::VsCode, "${input:K}${input:no}${}", "${input:K}${input:no}${}", &["input:no"]);
        let bare =
            expand_text(Form::VsCode, "${workspaceFolder}${/}${userHome}", &Context::default());
        assert_eq!(
            (bare.value.as_str(), bare.missing),
            ("${workspaceFolder}/${userHome}", vec!["workspaceFolder".into(), "userHome".into()])
        );
    }

    #[test]
    fn bundles_know_folders_and_settings() {
        is(
            Form::Mcpb,
            "${__dirname}${HOME}${DESKTOP}${DOWNLOADS}${/}${user_config.n}",
            "/x/h/d/l/1.5",
            &[],
        );
        is(
            Form::Mcpb,
            "${DOCUMENTS}${user_config.no}${A}",
            "${DOCUMENTS}${user_config.no}${A}",
            &["DOCUMENTS", "user_config.no", "A"],
        );
        is(Form::Mcpb, "--d=${user_config.list}", "--d=${user_config.list}", &["user_config.list"]);
        is(Form::Mcpb, "${user_config.null}", "${user_config.null}", &["user_config.null"]);
        let args =
            ["${user_config.none}", "${user_config.list}", "${user_config.no}"].map(String::from);
        let expanded = expand_args(Form::Mcpb, &args, &context());
        assert_eq!(
            (expanded.value, expanded.missing),
            (
                ["a", "1", "true", "${user_config.no}"].map(String::from).to_vec(),
                vec!["user_config.no".to_owned()]
            )
        );
        let elsewhere = expand_args(Form::VsCode, &args[1..2], &context());
        assert_eq!(elsewhere.value, ["${user_config.list}"]);
    }

    #[test]
    fn the_registry_knows_names_in_braces() {
        is(Form::ServerJson, "{v}{w}{ }{\"a\":1}{}", "{v}{w}{ }{\"a\":1}{}", &["w"]);
        is(Form::ServerJson, "${input:key}${input:no}", "k${input:no}", &["input:no"]);
    }

    #[test]
    fn others_know_no_variables_in_texts() {
        for form in [Form::ClaudeDesktop, Form::Zed] {
            is(form, "${A}${env:A}{v}", "${A}${env:A}{v}", &[]);
        }
        is(Form::Codex, "${A}${env:A}${env:Z}", "${A}a", &["Z"]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_filled_in(text in "[${}:A-Ca-c_./-]{0,20}|.*") {
            for form in Form::ALL {
                expand_args(form, std::slice::from_ref(&text), &context()).missing.iter().for_each(|name| assert!(!name.is_empty()));
                if !text.contains('{') {
                    prop_assert_eq!(filled(form, &text), (text.clone(), vec![]));
                }
            }
        }
    }
}
