//! Reads a template for its placeholders, without filling it in.

use std::ops::Range;

use super::marks::{DEFAULT_MARK, SUFFIX};

/// A placeholder as it is in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// Where it is, in bytes, from `$` to `}`.
    pub range: Range<usize>,
    pub name: &'t str,
    pub default: Option<&'t str>,
}

/// A template in its parts. Printed one after another they are the template again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    Text(&'t str),
    Placeholder(Placeholder<'t>),
}

/// The parts of a template, in order. A placeholder that never ends is text, and so is one with a
/// `$` before it.
#[must_use]
pub fn parse_template<'t>(template: &'t str, prefix: &str) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    let mut plain_from = 0;
    let mut at = 0;
    while let Some(found) = template.get(at..).and_then(|rest| rest.find(prefix)) {
        let start = at + found;
        let inside = start + prefix.len();
        let Some(length) = template[inside..].find(SUFFIX) else { break };
        let end = inside + length + SUFFIX.len_utf8();
        if template[plain_from..start].ends_with('$') {
            // What is within it may be a placeholder all the same.
            at = start + 1;
            continue;
        }
        if start > plain_from {
            parts.push(Part::Text(&template[plain_from..start]));
        }
        let (name, default) = split_default(&template[inside..inside + length], prefix);
        parts.push(Part::Placeholder(Placeholder { range: start..end, name, default }));
        plain_from = end;
        at = end;
    }
    if plain_from < template.len() {
        parts.push(Part::Text(&template[plain_from..]));
    }
    parts
}

/// The placeholders of a template that are to be filled in.
#[must_use]
pub fn find_placeholders<'t>(template: &'t str, prefix: &str) -> Vec<Placeholder<'t>> {
    parse_template(template, prefix)
        .into_iter()
        .filter_map(|part| match part {
            Part::Placeholder(placeholder) => Some(placeholder),
            Part::Text(_) => None,
        })
        .collect()
}

/// The name and the default of what is between prefix and suffix: the first `:-` parts them, unless
/// another prefix comes before it, which is no placeholder there.
pub(super) fn split_default<'t>(inside: &'t str, prefix: &str) -> (&'t str, Option<&'t str>) {
    match inside.split_once(DEFAULT_MARK) {
        Some((name, default)) if !name.contains(prefix) => (name, Some(default)),
        _ => (inside, None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::systems::opensearch::template::marks::PARAMETERS;

    fn printed(template: &str) -> String {
        parse_template(template, PARAMETERS)
            .iter()
            .map(|part| match part {
                Part::Text(text) => *text,
                Part::Placeholder(placeholder) => &template[placeholder.range.clone()],
            })
            .collect()
    }

    #[test]
    fn names_and_defaults_are_told_apart() {
        let found =
            find_placeholders("/${parameters.a}/${parameters.b:-c:-d}$${parameters.e}", PARAMETERS);
        let found: Vec<_> = found.iter().map(|found| (found.name, found.default)).collect();
        assert_eq!(found, [("a", None), ("b", Some("c:-d"))]);
    }

    proptest! {
        #[test]
        fn printed_parts_are_the_template(template in r"(\$|\$\{parameters\.|:-|\}|a|ü| ){0,24}") {
            prop_assert_eq!(printed(&template), template);
        }

        #[test]
        fn any_text_can_be_read(template in ".*") {
            prop_assert_eq!(printed(&template), template);
        }
    }
}
