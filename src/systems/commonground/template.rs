//! `{variable}` in texts, filled from a context: unknown ones and those without a value stay as
//! written, and nothing escapes a brace.

use super::context::{Context, FILLED_IN_ORDER, VARIABLES};

/// A stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    Text(&'t str),
    /// What is between braces, a known variable or not.
    Name(&'t str),
}

/// The text cut at its `{names}`. Braces that hold no plain name are text.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(name) = leading_name(rest) {
            rest = &rest[name.len() + 2..];
            return Some(Part::Name(name));
        }
        let after = rest
            .char_indices()
            .skip(1)
            .find(|(at, c)| *c == '{' && leading_name(&rest[*at..]).is_some());
        let (text, left) = rest.split_at(after.map_or(rest.len(), |(at, _)| at));
        rest = left;
        Some(Part::Text(text))
    })
}

fn leading_name(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// The variables that a text names, in order, known or not.
pub(crate) fn variable_names(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        Part::Name(name) => Some(name),
        Part::Text(_) => None,
    })
}

/// Whether the guide or the code knows a variable of that name.
#[must_use]
pub(crate) fn is_variable(name: &str) -> bool {
    VARIABLES.contains(&name)
}

/// A text with its variables filled in, and the names that could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledText {
    pub text: String,
    /// Left as written: unknown, or without a value here.
    pub unfilled: Vec<String>,
}

/// Fills every variable of a text.
#[must_use]
pub(crate) fn fill(text: &str, context: &Context) -> FilledText {
    fill_only(text, context, &FILLED_IN_ORDER)
}

/// Fills those variables of a text one after the other, and leaves others as they are.
#[must_use]
pub(crate) fn fill_only(text: &str, context: &Context, variables: &[&str]) -> FilledText {
    let mut filled = text.to_owned();
    for name in variables {
        if let Some(value) = context.variable_value(name) {
            filled = filled.replace(&format!("{{{name}}}"), &value);
        }
    }
    let unfilled = variable_names(&filled).map(str::to_owned).collect();
    FilledText { text: filled, unfilled }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn braces_that_hold_no_name_are_text() {
        let cut: Vec<_> = parts("{a}{ {b {c} }{}").collect();
        assert_eq!(
            cut,
            [Part::Name("a"), Part::Text("{ {b "), Part::Name("c"), Part::Text(" }{}")],
            "only {{a}} and {{c}} are names"
        );
        let context = Context { project_id: "demo".into(), ..Context::default() };
        let filled = fill("{{project_id}}-{user}", &context);
        // What is in braces afterwards looks like a variable too.
        assert_eq!(
            (filled.text.as_str(), filled.unfilled),
            ("{demo}-{user}", vec!["demo".to_owned(), "user".to_owned()])
        );
    }

    #[test]
    fn variables_are_filled_in_one_after_the_other() {
        let mut context = Context {
            project_id: "{agent_id}".into(),
            agent_id: "{project_id}".into(),
            ..Context::default()
        };
        context.set_variable("agent_turn_id", "");
        assert_eq!(
            fill("{project_id} {agent_id} [{agent_turn_id}]", &context).text,
            "{project_id} {project_id} []"
        );
    }

    proptest! {
        #[test]
        fn an_empty_context_leaves_every_text_as_it_is(text in "[{}a-z_é ]{0,24}") {
            prop_assert_eq!(fill(&text, &Context::default()).text, text);
        }
    }
}
