//! Templates as Python's Jinja2 renders them for Unique's toolkit: [`minijinja`] with Python's texts
//! of values ([`text`]), methods of its texts, lists and dicts ([`methods`]), and the filters, tests
//! and functions of Jinja2 that it lacks or has otherwise ([`filters`], [`functions`]).

mod arguments;
mod filters;
mod functions;
mod json;
mod methods;
mod text;

use std::collections::{BTreeMap, HashSet};

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value as Filled,
    syntax::SyntaxConfig,
};
use serde_json::{Number, Value};

/// How deep brackets of a template may be nested, and what is said of others.
const DEEPEST_BRACKETS: usize = 60;
const TOO_DEEP: &str = "its brackets are nested too deep";
/// The name of the one template that there is at a time.
const TEMPLATE: &str = "prompt";
/// What Jinja2 has and nothing here renders.
const LACKING: [&str; 6] = ["lipsum", "pprint", "random", "urlize", "wordwrap", "xmlattr"];
/// Names that every template has.
const GLOBALS: [&str; 7] = ["range", "dict", "lipsum", "cycler", "joiner", "namespace", "self"];

/// Whether a text has anything that is filled in.
#[must_use]
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|sign| text.contains(sign))
}

/// As the toolkit renders them.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.set_fuel(Some(100_000));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(|_, value, name, args| {
        methods::call_method(value, name, args)
    });
    environment.set_formatter(|out, state, value| {
        let text = text::str(value)?;
        let is_escaped = matches!(state.auto_escape(), AutoEscape::Html) && !value.is_safe();
        let text = if is_escaped { filters::escaped(&text) } else { text };
        out.write_str(&text).map_err(Error::from)
    });
    filters::add_filters(&mut environment);
    functions::add_functions(&mut environment);
    environment
}

/// A value as templates have it: numbers by their size, members in the order they are written.
fn fill_value(value: &Value) -> Filled {
    match value {
        Value::Null => Filled::from(()),
        Value::Bool(is) => Filled::from(*is),
        Value::Number(number) => fill_number(number),
        Value::String(text) => Filled::from(text.as_str()),
        Value::Array(items) => items.iter().map(fill_value).collect(),
        Value::Object(members) => Filled::from_pairs(
            members.iter().map(|(name, member)| (name.as_str(), fill_value(member))),
        ),
    }
}

fn fill_number(number: &Number) -> Filled {
    if let Some(whole) = number.as_i64() {
        return Filled::from(whole);
    }
    let written = number.to_string();
    match written.parse::<i128>() {
        Ok(whole) => Filled::from(whole),
        Err(_) => number.as_f64().map_or_else(|| Filled::from(written), Filled::from),
    }
}

/// Whether brackets are nested so deep that reading the template could take more stack than a thread
/// has: the parser goes down a dozen calls for each.
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST_BRACKETS
    })
}

fn render(text: &str, values: &BTreeMap<String, Value>) -> Result<String, Error> {
    let filled =
        Filled::from_pairs(values.iter().map(|(name, value)| (name.as_str(), fill_value(value))));
    // Breaks of every kind become one.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    environment().render_named_str(TEMPLATE, &text, filled)
}

/// A text as the model reads it, or why it cannot be shown.
///
/// # Errors
/// What is wrong with the template, or not rendered here, and in which line.
pub fn render_template(text: &str, values: &BTreeMap<String, Value>) -> Result<String, String> {
    if !is_template(text) {
        return Ok(text.to_owned());
    }
    if is_too_deep(text) {
        return Err(TOO_DEEP.into());
    }
    render(text, values).map_err(|error| explain(&error))
}

/// An error in words, with its line.
fn explain(error: &Error) -> String {
    let line = error.line().map_or_else(String::new, |line| format!("line {line}: "));
    let words = match error.kind() {
        ErrorKind::OutOfFuel => "it takes too long".to_owned(),
        _ if lacking_name(error).is_some() => {
            format!("{} is not rendered here", lacking_name(error).unwrap_or_default())
        }
        kind => error.detail().map_or_else(|| kind.to_string(), str::to_owned),
    };
    format!("{line}{words}")
}

/// What of Jinja2 an error misses here.
fn lacking_name(error: &Error) -> Option<&'static str> {
    let is_unknown = matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownFunction);
    let detail = error.detail().filter(|_| is_unknown)?;
    LACKING.into_iter().find(|name| detail.split(' ').any(|word| word == *name))
}

/// Why a text cannot be read as a template; `None` where it can.
#[must_use]
pub fn template_fault(text: &str) -> Option<String> {
    if is_too_deep(text) {
        return Some(TOO_DEEP.into());
    }
    if let Err(fault) = environment().template_from_named_str(TEMPLATE, text) {
        return Some(explain(&fault));
    }
    // Names of filters and tests are known once they are used; Jinja2 looks for them before.
    let fault = render(text, &BTreeMap::new()).err()?;
    let is_name = matches!(fault.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest);
    (is_name && lacking_name(&fault).is_none()).then(|| explain(&fault))
}

/// Variables that a template takes from outside.
#[must_use]
pub fn outer_variables(text: &str) -> HashSet<String> {
    if is_too_deep(text) {
        return HashSet::new();
    }
    let environment = environment();
    let Ok(template) = environment.template_from_named_str(TEMPLATE, text) else {
        return HashSet::new();
    };
    let mut names = template.undeclared_variables(false);
    names.retain(|name| !GLOBALS.contains(&name.as_str()));
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(text: &str, values: &Value) -> Result<String, String> {
        let values = values.as_object().unwrap().clone().into_iter().collect();
        render_template(text, &values)
    }

    #[test]
    fn templates_are_rendered_as_the_toolkit_does() {
        assert_eq!(rendered("a {{ b }} {{ c }}.", &json!({"b": 1})), Ok("a 1 .".into()));
        let blocks = "x\n  {% if on -%}\nyes\n  {%- endif %}\ny\n";
        assert_eq!(rendered(blocks, &json!({"on": true})), Ok("x\nyes\ny".into()));
        assert_eq!(rendered("plain { }\n", &json!({})), Ok("plain { }\n".into()));
        let wrong = rendered("a\n{% if %}", &json!({})).unwrap_err();
        assert!(wrong.starts_with("line 2: "), "{wrong}");
        let endless =
            "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        assert_eq!(rendered(endless, &json!({})), Err("line 1: it takes too long".into()));
        let deep = |depth: usize| format!("{{{{ {}1{} }}}}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(rendered(&deep(50), &json!({})), Ok("1".into()));
        assert_eq!(rendered(&deep(140), &json!({})), Err(TOO_DEEP.into()));
        assert_eq!(template_fault(&deep(140)).as_deref(), Some(TOO_DEEP));
    }

    /// What Jinja2 itself makes of templates: `tests/real/unique/jinja.py` writes it.
    const CASES: &str = include_str!("../../../tests/real/unique/jinja.json");

    #[test]
    fn templates_are_rendered_as_jinja2_does() {
        let cases: Value = serde_json::from_str(CASES).unwrap();
        let templates = cases["templates"].as_object().unwrap();
        assert!(templates.len() > 200, "{}", templates.len());
        for (template, text) in templates {
            let found = rendered(template, &cases["context"]);
            assert_eq!(found.as_deref(), Ok(text.as_str().unwrap()), "{template}");
        }
    }

    #[test]
    fn what_only_jinja2_renders_is_said() {
        for (template, words) in [
            ("{{ [1].append(2) }}", "list.append changes a value, which is not rendered here"),
            ("{{ 'a b'|wordwrap }}", "wordwrap is not rendered here"),
            ("{{ lipsum() }}", "lipsum is not rendered here"),
        ] {
            assert_eq!(rendered(template, &json!({})), Err(format!("line 1: {words}")));
            assert_eq!(template_fault(template), None, "{template}");
        }
    }

    #[test]
    fn a_filter_that_jinja2_does_not_have_is_a_fault() {
        for template in ["{{ x|nope }}", "{{ x is nope }}", "{{ x|split(',') }}"] {
            let fault = template_fault(template).unwrap();
            assert!(fault.starts_with("line 1: "), "{fault}");
        }
        assert_eq!(template_fault("{{ x.y.z }} {{ f() }}"), None);
    }

    #[test]
    fn functions_that_every_template_has_are_no_variables() {
        let names = outer_variables("{{ range(n) }}{{ dict() }}{% set s = namespace() %}");
        assert_eq!(names, HashSet::from(["n".to_owned()]));
    }

    #[test]
    fn nothing_grows_without_end() {
        let double = "{% set n = namespace(x=['a']) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}";
        let deep = "{% set n = namespace(x=['a']) %}{% for i in range(3000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x|string|length > 100 }}";
        let long = "{{ 'a'.replace('', 'x' * 900000).replace('x', 'yy' * 900000) }}";
        assert_eq!(rendered(double, &json!({})), Err("line 1: it takes too long".into()));
        assert_eq!(rendered(deep, &json!({})), Ok("True".into()));
        assert_eq!(rendered(long, &json!({})), Err("line 1: it takes too long".into()));
        let wide = rendered("{{ 'a'.center(99999999999) }}", &json!({}));
        assert_eq!(wide, Err("line 1: it takes too long".into()));
    }
}
