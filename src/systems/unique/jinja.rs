//! Templates as Python's Jinja2 renders them for Unique's toolkit: [`minijinja`] with Python's texts
//! of values ([`text`]), its operators ([`operators`]), methods of its texts, lists and dicts
//! ([`methods`], [`formats`]), its ranges, views and generators ([`series`]), and the filters, tests
//! and functions of Jinja2 that it lacks or has otherwise ([`filters`], [`functions`]).
//!
//! A template comes from a file that anyone may have written, and is read when the file is opened. So
//! its length and nesting are bounded ([`bounds`]), and with what it does its time and memory
//! ([`compile`], [`weight`]).

mod arguments;
mod bounds;
mod compile;
mod filters;
mod formats;
mod functions;
mod json;
mod kept;
mod kinds;
mod methods;
mod names;
mod operators;
mod series;
mod text;
mod values;
mod weight;

use std::collections::HashSet;

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value as Filled,
    syntax::SyntaxConfig,
};
use serde_json::Value;

use crate::syntax::parallel::on_stack_of;

/// How many steps of the engine a template may take, with what they walk and make.
const FUEL: u64 = 300_000;
/// What Jinja2 has and nothing here renders.
const LACKING: [&str; 6] = ["lipsum", "pprint", "random", "urlize", "wordwrap", "xmlattr"];
/// How the engine's parser says that brackets or blocks are nested too deep for it.
const ENGINE_LIMIT: &str = "exceeds maximum recursion limits";
/// Names that every template has.
const GLOBALS: [&str; 7] = ["range", "dict", "lipsum", "cycler", "joiner", "namespace", "self"];

/// Whether a text has anything that is filled in.
#[must_use]
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|sign| text.contains(sign))
}

/// As the toolkit renders them.
fn environment(fuel: u64) -> Environment<'static> {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.set_fuel(Some(fuel));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(|_, value, name, args| {
        methods::call_method(value, name, args)
    });
    environment.set_formatter(|out, state, value| {
        let text = text::str(value)?;
        let is_escaped = matches!(state.auto_escape(), AutoEscape::Html) && !value.is_safe();
        let text = if is_escaped { text::escaped(&text) } else { text };
        out.write_str(&text).map_err(Error::from)
    });
    filters::add_filters(&mut environment);
    functions::add_functions(&mut environment);
    operators::add_operators(&mut environment);
    weight::add_weights(&mut environment);
    environment
}

/// Does something with a template in bounds, where the stack is large enough for it.
///
/// # Errors
/// The template is too long or too deep.
fn in_bounds<R: Send>(
    text: &str,
    fuel: u64,
    work: impl FnOnce(&Environment<'_>) -> R + Send,
) -> Result<R, String> {
    let bounded = || {
        let environment = environment(fuel);
        match bounds::refusal(text, environment.syntax().clone()) {
            Some(words) => Err(words.to_owned()),
            None => Ok(work(&environment)),
        }
    };
    let done = on_stack_of(bounds::STACK, bounded);
    done.unwrap_or_else(|| Err("there is no room to render it".to_owned()))
}

/// A text as the model reads it, or why it cannot be shown. It is asked for the values of the names
/// alone that the template has.
///
/// # Errors
/// What is wrong with the template, or not rendered here, and in which line.
pub fn render_template<'v>(
    text: &str,
    value_of: impl Fn(&str) -> Option<&'v Value> + Sync,
) -> Result<String, String> {
    render_one_of(1, text, value_of)
}

/// The same, where so many templates together may take no longer than one alone.
///
/// # Errors
/// As for one alone.
pub fn render_one_of<'v>(
    count: usize,
    text: &str,
    value_of: impl Fn(&str) -> Option<&'v Value> + Sync,
) -> Result<String, String> {
    if !is_template(text) {
        return Ok(text.to_owned());
    }
    let fuel = FUEL / (count as u64).max(1);
    // Breaks of every kind become one.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if let Some(words) = kept::known_stop(&text, fuel, &value_of) {
        return Err(words);
    }
    in_bounds(&text, fuel, |environment| {
        let names = bounds::names(&text, environment.syntax().clone());
        let given = names.iter().copied();
        let values = given.filter_map(|name| Some((name, values::fill_value(value_of(name)?))));
        let made = compile::render(environment, &text, Filled::from_pairs(values));
        made.map_err(|error| {
            let words = explain(&error);
            if matches!(error.kind(), ErrorKind::OutOfFuel) {
                kept::keep_stop(&text, fuel, (&names, &value_of), &words);
            }
            words
        })
    })?
}

/// An error in words, with its line.
fn explain(error: &Error) -> String {
    let line = error.line().map_or_else(String::new, |line| format!("line {line}: "));
    let words = match error.kind() {
        ErrorKind::OutOfFuel => "it takes too long".to_owned(),
        ErrorKind::SyntaxError if error.detail().is_some_and(|it| it.ends_with(ENGINE_LIMIT)) => {
            bounds::TOO_DEEP.to_owned()
        }
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

/// Why a text cannot be read as a template; `None` where it can. Nothing is rendered for it.
#[must_use]
pub fn template_fault(text: &str) -> Option<String> {
    if !is_template(text) {
        return None;
    }
    let read = in_bounds(text, FUEL, |environment| match compile::read(environment, text) {
        Ok(tree) => names::unknown_name(&tree),
        Err(fault) => Some(explain(&fault)),
    });
    read.unwrap_or_else(Some)
}

/// Variables that a template takes from outside.
#[must_use]
pub fn outer_variables(text: &str) -> HashSet<String> {
    if !is_template(text) {
        return HashSet::new();
    }
    let names = in_bounds(text, FUEL, |environment| {
        let template = environment.template_from_str(text).ok()?;
        Some(template.undeclared_variables(false))
    });
    let mut names = names.ok().flatten().unwrap_or_default();
    names.retain(|name| !GLOBALS.contains(&name.as_str()));
    names
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde_json::json;

    use super::*;

    fn rendered(text: &str, values: &Value) -> Result<String, String> {
        render_template(text, |name| values.get(name))
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
    }

    /// Each is more than a thread's stack is good for, as the engine reads it.
    #[test]
    fn templates_are_read_to_a_length_and_a_depth() {
        let brackets =
            |depth: usize| format!("{{{{ {}1{} }}}}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(rendered(&brackets(50), &json!({})), Ok("1".into()));
        let elif =
            |count: usize| format!("{{% if x %}}{}{{% endif %}}", "{% elif y %}".repeat(count));
        let row = |part: &str, count: usize| format!("{{{{ {}x }}}}", part.repeat(count));
        let tail = |part: &str, count: usize| format!("{{{{ x{} }}}}", part.repeat(count));
        for (template, value) in [
            (elif(1_900), ""),
            (row("1+", 900), "901"),
            (row("not ", 900), "True"),
            (row("1**", 900), "1"),
            (row("1 if y else ", 400), "1"),
            (tail("|int", 900), "1"),
            (tail("~''", 450), "1"),
            (tail(" is defined", 900), "True"),
            (format!("{{{{ [{}][5000] }}}}", "1,".repeat(9_000)), "1"),
        ] {
            assert_eq!(rendered(&template, &json!({"x": 1})).as_deref(), Ok(value), "{template}");
            assert_eq!(template_fault(&template), None, "{template}");
        }
        for template in [
            brackets(400),
            brackets(50_000),
            elif(20_000),
            row("-", 4_650),
            row("1+", 50_000),
            row("not ", 50_000),
            row("1**", 50_000),
            row("1 if y else ", 20_000),
            tail("|e", 9_300),
            tail(".a", 50_000),
            tail("[0]", 50_000),
            tail("()", 50_000),
            tail("~x", 50_000),
            tail(" is defined", 20_000),
            tail("|default(x", 10_000),
            "{% if x %}".repeat(10_000),
        ] {
            let words = Some(bounds::TOO_DEEP.to_owned());
            let start: String = template.chars().take(40).collect();
            let fault = template_fault(&template);
            assert!(fault.clone().is_some_and(|it| it.ends_with(bounds::TOO_DEEP)), "{start}");
            assert_eq!(rendered(&template, &json!({})).err(), fault.or(words), "{start}");
            assert_eq!(outer_variables(&template), HashSet::new(), "{start}");
        }
        for template in [row("f(1) ", 100_000), format!("{{{{ f({}1) }}}}", "1,".repeat(70_000))] {
            assert_eq!(template_fault(&template).as_deref(), Some(bounds::TOO_LONG));
            assert_eq!(rendered(&template, &json!({})), Err(bounds::TOO_LONG.into()));
        }
    }

    #[test]
    fn brackets_of_plain_text_are_not_counted() {
        let prose = ":( ".repeat(500);
        assert_eq!(template_fault(&prose), None);
        let template = prose.clone() + "{{ x }}";
        assert_eq!(template_fault(&template), None);
        assert_eq!(rendered(&template, &json!({"x": 1})), Ok(prose + "1"));
        assert_eq!(outer_variables(&template), HashSet::from(["x".to_owned()]));
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

    /// Templates that nobody wrote, and what Jinja2 makes of them; null: it refuses them.
    /// `tests/real/unique/grammar.py` makes both.
    const MADE: &str = include_str!("../../../tests/real/unique/grammar.json");

    #[test]
    fn templates_by_chance_are_rendered_as_jinja2_does() {
        let cases: Value = serde_json::from_str(MADE).unwrap();
        let templates = cases["templates"].as_object().unwrap();
        assert!(templates.len() > 400, "{}", templates.len());
        for (template, text) in templates {
            let found = rendered(template, &cases["context"]);
            assert_eq!(found.as_deref().ok(), text.as_str(), "{template}: {found:?}");
        }
    }

    #[test]
    fn what_only_jinja2_renders_is_said() {
        for (template, words) in [
            ("{{ [1].append(2) }}", "list.append changes a value, which is not rendered here"),
            ("{{ 'a b'|wordwrap }}", "wordwrap is not rendered here"),
            ("{{ lipsum() }}", "lipsum is not rendered here"),
            ("{{ 'a'.isprintable() }}", "str.isprintable is not rendered here"),
            ("{{ 7.bit_length() }}", "int.bit_length is not rendered here"),
            ("{{ [1].__len__() }}", "list.__len__ is not rendered here"),
            ("{{ '%a'|format('a') }}", "%a is not rendered here"),
            ("{{ '%*d' % (3, 4) }}", "%*d is not rendered here"),
            ("{{ '{!a}'.format('a') }}", "{!a} is not rendered here"),
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

    /// A forgotten `|list` gives what a model can't read, and a generator its items once.
    #[test]
    fn what_is_no_list_prints_as_python_prints_it() {
        let values = json!({"tags": ["a", "b"], "tree": {"a": 1}});
        for (template, text) in [
            ("{{ tags|map('upper') }}", "<generator object sync_do_map at 0x…>"),
            ("{{ tags|reverse }}", "<list_reverseiterator object at 0x…>"),
            ("{{ tree.items }}", "<built-in method items of dict object at 0x…>"),
            ("{{ 'a'.upper }}", "<built-in method upper of str object at 0x…>"),
            ("{% set m = 'a'.upper %}{{ m() }}", "A"),
            ("{% set g = tags|select %}{{ g|list }}{{ g|list }}", "['a', 'b'][]"),
            ("{% set g = tags|select %}{{ g|first }}{{ g|list }}", "a['b']"),
            ("{% set g = []|select %}{{ 'yes' if g }}", "yes"),
        ] {
            assert_eq!(rendered(template, &values).as_deref(), Ok(text), "{template}");
        }
    }

    /// Python raises errors for these, so that the tool fails where it renders them.
    #[test]
    fn what_python_refuses_is_refused() {
        let values = json!({"max_hits": 3, "people": [{"age": 1}], "names": ["a", 1], "nil": null});
        for (template, words) in [
            ("{% if x > 1 %}a{% endif %}", "an undefined value has no order: >"),
            ("{% if max_hits > '3' %}a{% endif %}", "int and str have no order: >"),
            ("{{ nil < 1 }}", "NoneType and int have no order: <"),
            ("{{ 1 < max_hits < 'a' }}", "int and str have no order: <"),
            ("{{ [max_hits, 'a'] < [3, 2] }}", "str and int have no order: <"),
            ("{{ names|sort }}", "int and str have no order: <"),
            ("{{ names|max }}", "int and str have no order: <"),
            ("{{ [3]|select('gt', 'a')|list }}", "int and str have no order: >"),
            ("{{ max_hits in 'a1' }}", "int cannot be in a text"),
            ("{% for x in nil %}{% endfor %}", "None is nothing to go through"),
            (
                "{% for k, v in people[0].items %}{% endfor %}",
                "a method is nothing to go through: it lacks its ()",
            ),
            ("{{ nil|list }}", "None is nothing to go through"),
            ("{{ people|sum(attribute='nope') }}", "an undefined value has no sum"),
            ("{{ 'x' is divisibleby 2 }}", "divisibleby takes a number, not str"),
            ("{{ 3 is divisibleby 0 }}", "division by zero"),
            ("{{ 'ab' is odd }}", "odd takes a number, not str"),
            ("{{ {names: 2} }}", "list cannot be a key of a dict"),
            ("{{ 'a'.center(5, 'xy') }}", "the fill character has to be one letter"),
            ("{{ 'abc'|truncate(2) }}", "truncate takes a length of 3 or more"),
            ("{{ {}.get('q', default=5) }}", "dict.get takes no keyword arguments"),
            ("{{ 'a' in max_hits }}", "nothing can be in int"),
            ("{{ 'a' in people[0].items }}", "nothing can be in builtin_function_or_method"),
            ("{{ range(3) + [1] }}", "range has no +: make a list of it with |list"),
            ("{{ people[0].keys() * 2 }}", "dict_keys has no *: make a list of it with |list"),
            ("{{ range(2.0) }}", "range takes whole numbers, not float"),
            (
                "{{ people|map(attribute='age')|last }}",
                "a generator has no last item: make a list of it with |list",
            ),
            (
                "{{ people|map(attribute='age')|tojson }}",
                "generator has no JSON: make a list of it with |list",
            ),
            ("{{ nil|join(', ') }}", "None is nothing to go through"),
            ("{{ names|sort(reverse=true) }}", "int and str have no order: <"),
            ("{{ people|unique|list }}", "dict can't be compared by unique"),
            ("{{ '%d'|format('3') }}", "%d takes a number, not str"),
            ("{{ '%s' % (1, 2) }}", "there are more values than the format has places"),
            ("{{ '%s %s' % 1 }}", "there is no value for %s"),
            ("{{ '{:>8}'.format(nil) }}", "NoneType has no format >8"),
            ("{{ '{:,}'.format('1000') }}", "str has no format ,"),
            ("{{ '{0.name}'.format(people[0]) }}", "there is no value for {0.name}"),
            ("{{ '{0[0]}'.format(people[0].keys()) }}", "there is no value for {0[0]}"),
            ("{{ '%(no)s' % people[0] }}", "there is no value for %(no)"),
            ("{{ nil|indent }}", "indent takes a text, not NoneType"),
            ("{{ max_hits|truncate(9) }}", "truncate takes a text, not int"),
            ("{{ missing|int(5) }}", "int takes no undefined value; |default comes before it"),
            ("{{ missing[0:2] }}", "an undefined value has no parts"),
            ("{{ nil[0:2] }}", "NoneType has no parts"),
            ("{{ people[0].items()[0:2] }}", "dict_items has no parts"),
            ("{{ names['a':] }}", "parts go from number to number, not str"),
        ] {
            assert_eq!(rendered(template, &values), Err(format!("line 1: {words}")), "{template}");
        }
    }

    #[test]
    fn functions_that_every_template_has_are_no_variables() {
        let names = outer_variables("{{ range(n) }}{{ dict() }}{% set s = namespace() %}");
        assert_eq!(names, HashSet::from(["n".to_owned()]));
    }

    /// Templates of a few letters that would take all time, memory or stack: the corpus of the fuzzer.
    #[test]
    fn nothing_grows_without_end() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/prompt");
        let values = json!({"x": "a", "items": [1, "a", {"b": null}], "name": "x"});
        let mut count = 0;
        for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap()) {
            let name = file.file_name().into_string().unwrap();
            if !name.starts_with("endless-") {
                continue;
            }
            count += 1;
            eprintln!("{name}");
            let template = fs::read_to_string(file.path()).unwrap();
            assert_eq!(template_fault(&template), None, "{name}");
            let words = rendered(&template, &values).unwrap_err();
            let is_stopped = ["it takes too long", "nested too deep", "too often"];
            assert!(is_stopped.iter().any(|part| words.contains(part)), "{name}: {words}");
        }
        assert!(count > 30, "{count}");
        let long = "{{ 'a'.replace('', 'x' * 900000).replace('x', 'yy' * 900000) }}";
        assert_eq!(rendered(long, &json!({})), Err("line 1: it takes too long".into()));
    }

    #[test]
    fn templates_that_share_the_time_take_no_longer_than_one() {
        let long = "{% for i in range(30000) %}{% endfor %}{{ name }}";
        let values = json!({"name": "x"});
        let share = |count| render_one_of(count, long, |name| values.get(name));
        assert_eq!(share(1), Ok("x".into()));
        assert_eq!(share(8), Err("line 1: it takes too long".into()));
    }

    /// A form beside the prompts would have each stopped once more with every letter.
    #[test]
    fn what_was_stopped_is_not_tried_again_with_the_same_values() {
        let endless = "{% for i in range(99999) %}{{ name }}{{ name }}{% endfor %}";
        let (values, others) = (json!({"name": "x"}), json!({"name": "y"}));
        let known =
            |values: &Value| kept::known_stop(endless, FUEL, &|name: &str| values.get(name));
        let words = rendered(endless, &values).unwrap_err();
        assert_eq!(words, "line 1: it takes too long");
        assert_eq!(known(&values), Some(words));
        assert_eq!(known(&others), None);
        assert_eq!(known(&json!({})), None);
    }

    /// What is far from any bound, and shares its items all the same.
    #[test]
    fn what_prompts_do_is_far_from_any_bound() {
        let pairs = "{% set n = namespace(x=['a'], y=['a']) %}{% for i in range(9) %}{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}";
        let deep = "{% set n = namespace(x=['a']) %}{% for i in range(200) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x|string|length > 100 }}";
        let grown = "{% set n = namespace(x=[]) %}{% for i in range(200) %}{% set n.x = n.x + [i] %}{% endfor %}{{ n.x|length }}";
        let chain = "{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 3 > 2 != 2 }} {{ 1 < 2 in [2] not in [3] }} {{ 2 < 1 < f() }}";
        let text = "{% for i in range(3000) %}{{ 'a line of text'|upper }}{{ items|join(', ') }}{% endfor %}";
        let named =
            "{% set d = dict(range(6000)|batch(2), a='b') %}{{ (('%(a)s' * 50000) % d)|length }}";
        for (template, words) in [
            (pairs, "True"),
            (deep, "True"),
            (grown, "200"),
            (chain, "True False False True False"),
            ("{{ [1, 2] + [3] }} {{ [1] * 3 }} {{ (1, 2)[::-1] }}", "[1, 2, 3] [1, 1, 1] (2, 1)"),
            ("{{ [[1], [2]]|sum(start=[]) }} {{ [0.5, 1]|sum }}", "[1, 2] 1.5"),
            ("{{ [[1, 2], [3]]|map('map', 'string')|map('join')|list }}", "['12', '3']"),
            ("{{ {(1, 2): 3}[(1, 2)] }} {{ {}[[1]] }}|", "3 |"),
            ("{{ ('&' * 400000)|striptags|length }}", "400000"),
            (named, "50000"),
        ] {
            assert_eq!(rendered(template, &json!({})).as_deref(), Ok(words), "{template}");
        }
        let long = rendered(text, &json!({"items": vec!["item"; 50]})).unwrap();
        assert_eq!(long.len(), 3000 * (14 + 50 * 4 + 49 * 2));
    }
}
