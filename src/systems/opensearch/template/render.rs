//! Fills a template in, and says where each piece of the text comes from.

use std::{collections::HashSet, ops::Range};

use super::{marks::SUFFIX, parse::split_default, text_map::TextMap};

/// How large a filled-in text may become: values name values, so that a few names can make more
/// text than any memory holds.
pub const LARGEST: usize = 16 << 20;
/// How many placeholders may be filled in on the way, for values may come to nothing.
pub const MOST: usize = 1_000_000;
/// How deep values may name values.
pub const DEEPEST: usize = 1_000;

/// Where a piece of a filled-in text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Template,
    /// The value of that parameter.
    Value(String),
    /// The default for that parameter, which is missing.
    Default(String),
    /// The placeholder itself: its parameter is missing and has no default.
    Unfilled(String),
}

impl Origin {
    /// The parameter that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Template => None,
            Self::Value(name) | Self::Default(name) | Self::Unfilled(name) => Some(name),
        }
    }
}

/// A piece of a filled-in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledPiece {
    pub range: Range<usize>,
    pub from: Origin,
}

/// A template, filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// The text in its pieces, in order and without gaps.
    pub pieces: Vec<FilledPiece>,
}

impl Rendered {
    /// The names that nothing gives a value, each once, in the order of the text.
    #[must_use]
    pub fn unfilled_names(&self) -> Vec<&str> {
        let mut known = HashSet::new();
        let unfilled = self.pieces.iter().filter_map(|piece| match &piece.from {
            Origin::Unfilled(name) => Some(name.as_str()),
            _ => None,
        });
        unfilled.filter(|name| known.insert(*name)).collect()
    }
}

/// Why a template cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderError {
    /// The values of parameters name each other in a circle: each of the chain names the next,
    /// and the last names one of them again.
    Cycle { chain: Vec<String>, back_to: String },
    /// Values name values deeper than [`DEEPEST`], from that parameter on.
    TooDeep(String),
    /// The text would be larger than [`LARGEST`].
    TooLarge,
    /// More than [`MOST`] placeholders are filled in for it.
    TooMany,
}

impl RenderError {
    /// The error in words.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Cycle { chain, back_to } => {
                format!(
                    "parameters refer to each other in a cycle: {} → {back_to}",
                    chain.join(
                        " \
                    → "
                    )
                )
            }
            Self::TooDeep(name) => {
                format!("values name values more than {DEEPEST} deep, beginning at {name}")
            }
            Self::TooLarge => {
                format!("the text would be larger than {} MiB", LARGEST >> 20)
            }
            Self::TooMany => format!("more than {MOST} placeholders are filled in for it"),
        }
    }
}

/// Fills a template in, as commons-text's `StringSubstitutor` with its default settings: values and
/// defaults are filled in themselves, a missing name without default stays as it is, `$` before a
/// placeholder makes it text.
///
/// # Errors
/// When values name each other in a circle, or too much comes of them.
pub fn render_template(
    template: &str,
    prefix: &str,
    parameters: &TextMap,
) -> Result<Rendered, RenderError> {
    let mut substitution = Substitution {
        prefix,
        parameters,
        open: Vec::new(),
        count: 0,
        rendered: Rendered::default(),
    };
    substitution.fill_in(template, &Origin::Template)?;
    Ok(substitution.rendered)
}

/// A substitution under way.
struct Substitution<'s> {
    prefix: &'s str,
    parameters: &'s TextMap,
    /// The names whose values are being filled in, outermost first.
    open: Vec<&'s str>,
    /// How many placeholders were filled in.
    count: usize,
    rendered: Rendered,
}

impl<'s> Substitution<'s> {
    /// Adds a text of which placeholders are filled in.
    fn fill_in<'t: 's>(&mut self, text: &'t str, from: &Origin) -> Result<(), RenderError> {
        // A `$` before this text belongs to another one and escapes nothing in it.
        let begin = self.rendered.text.len();
        let mut plain_from = 0;
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find(self.prefix)) {
            let start = at + found;
            let inside = start + self.prefix.len();
            let Some(length) = text[inside..].find(SUFFIX) else { break };
            let end = inside + length + SUFFIX.len_utf8();
            self.add_piece(&text[plain_from..start], from)?;
            if self.rendered.text.len() > begin && self.rendered.text.ends_with('$') {
                self.drop_last();
                // What is within the escaped one may be a placeholder itself.
                plain_from = start;
                at = start + 1;
                continue;
            }
            self.resolve(&text[inside..inside + length], &text[start..end])?;
            plain_from = end;
            at = end;
        }
        self.add_piece(&text[plain_from..], from)
    }

    /// Adds what a placeholder represents.
    fn resolve(&mut self, inside: &'s str, whole: &str) -> Result<(), RenderError> {
        self.count += 1;
        if self.count > MOST {
            return Err(RenderError::TooMany);
        }
        let (name, default) = split_default(inside, self.prefix);
        if self.open.contains(&name) {
            let chain = self.open.iter().map(|name| (*name).to_owned()).collect();
            return Err(RenderError::Cycle { chain, back_to: name.to_owned() });
        }
        let value = self.parameters.get(name).and_then(Option::as_deref);
        let (text, from) = match (value, default) {
            (Some(value), _) => (value, Origin::Value(name.to_owned())),
            (None, Some(default)) => (default, Origin::Default(name.to_owned())),
            (None, None) => return self.add_piece(whole, &Origin::Unfilled(name.to_owned())),
        };
        if self.open.len() >= DEEPEST {
            let first = self.open.first().copied().unwrap_or(name);
            return Err(RenderError::TooDeep(first.to_owned()));
        }
        self.open.push(name);
        self.fill_in(text, &from)?;
        self.open.pop();
        Ok(())
    }

    fn add_piece(&mut self, text: &str, from: &Origin) -> Result<(), RenderError> {
        if text.is_empty() {
            return Ok(());
        }
        let start = self.rendered.text.len();
        let end = start + text.len();
        if end > LARGEST {
            return Err(RenderError::TooLarge);
        }
        self.rendered.text.push_str(text);
        match self.rendered.pieces.last_mut() {
            Some(last) if last.from == *from => last.range.end = end,
            _ => self.rendered.pieces.push(FilledPiece { range: start..end, from: from.clone() }),
        }
        Ok(())
    }

    /// Takes the last letter back, which is a `$`.
    fn drop_last(&mut self) {
        self.rendered.text.pop();
        let end = self.rendered.text.len();
        if let Some(last) = self.rendered.pieces.last_mut() {
            last.range.end = end;
            if last.range.is_empty() {
                self.rendered.pieces.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::systems::opensearch::template::{marks::PARAMETERS, parse::find_placeholders};

    fn parameters(of: &[(&str, &str)]) -> TextMap {
        of.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))).collect()
    }

    fn rendered(template: &str, of: &[(&str, &str)]) -> Result<String, RenderError> {
        render_template(template, PARAMETERS, &parameters(of)).map(|rendered| rendered.text)
    }

    /// Each was run through commons-text 1.14.
    #[test]
    fn odd_templates_are_filled_in_as_commons_text_does() {
        for (template, of, text) in [
            ("$$${parameters.x}", &[("x", "1")][..], "$${parameters.x}"),
            ("${parameters.x:-${parameters.y:-b}}", &[], "${parameters.y:-b}"),
            ("${parameters.x:-${parameters.y:-b}}", &[("x", "X")], "X}"),
            (
                "${parameters.${parameters.k}}",
                &[("k", "x"), ("x", "1")],
                "${parameters.${parameters.k}}",
            ),
            (
                "${parameters.x}${parameters.y}",
                &[("x", "cost $"), ("y", "Y")],
                "cost ${parameters.y}",
            ),
            ("$${parameters.${parameters.x}", &[("x", "1")], "${parameters.1"),
            ("$${parameters.x", &[("x", "1")], "$${parameters.x"),
            ("${parameters.}${parameters.:-d}", &[], "${parameters.}d"),
            ("$${parameters.x}${parameters.x}", &[("x", "")], "${parameters.x}"),
        ] {
            assert_eq!(rendered(template, of).unwrap(), text, "{template}");
        }
    }

    #[test]
    fn pieces_say_where_they_are_from() {
        let of = parameters(&[("a", "<${parameters.b}>"), ("b", "x")]);
        let rendered =
            render_template("/${parameters.a}?${parameters.c:-1}${parameters.d}", PARAMETERS, &of)
                .unwrap();
        let pieces: Vec<(&str, &Origin)> = rendered
            .pieces
            .iter()
            .map(|piece| (&rendered.text[piece.range.clone()], &piece.from))
            .collect();
        let value = |name: &str| Origin::Value(name.into());
        assert_eq!(
            pieces,
            [
                ("/", &Origin::Template),
                ("<", &value("a")),
                ("x", &value("b")),
                (">", &value("a")),
                ("?", &Origin::Template),
                ("1", &Origin::Default("c".into())),
                ("${parameters.d}", &Origin::Unfilled("d".into())),
            ]
        );
        assert_eq!(rendered.unfilled_names(), ["d"]);
    }

    #[test]
    fn what_never_ends_is_refused() {
        let cycle =
            rendered("${parameters.x}", &[("x", "${parameters.a}"), ("a", "${parameters.x}")]);
        assert_eq!(
            cycle.unwrap_err().message(),
            "parameters refer to each other in a cycle: x → a → x"
        );
        let deep: TextMap = (0..2_000)
            .map(|at| (format!("p{at}"), Some(format!("${{parameters.p{}}}", at + 1))))
            .collect();
        let error = render_template("${parameters.p0}", PARAMETERS, &deep).unwrap_err();
        assert_eq!(error, RenderError::TooDeep("p0".into()));
        for (last, expected) in
            [("x".repeat(4_096), RenderError::TooLarge), (String::new(), RenderError::TooMany)]
        {
            let wide: TextMap = (0..40)
                .map(|at| {
                    (format!("p{at}"), Some(format!("${{parameters.p{}}}", at + 1).repeat(2)))
                })
                .chain([("p40".into(), Some(last))])
                .collect();
            let error = render_template("${parameters.p0}", PARAMETERS, &wide).unwrap_err();
            assert_eq!(error, expected);
        }
    }

    const TEXT: &str = r"(\$|\$\{parameters\.|:-|\}|a|b|ü| ){0,12}";

    proptest! {
        #[test]
        fn any_template_is_filled_in_or_refused(template in TEXT, a in TEXT, b in TEXT) {
            let of = parameters(&[("a", &a), ("b", &b)]);
            if let Ok(rendered) = render_template(&template, PARAMETERS, &of) {
                let mut end = 0;
                for piece in &rendered.pieces {
                    prop_assert_eq!(piece.range.start, end);
                    prop_assert!(rendered.text.get(piece.range.clone()).is_some_and(|text| !text.is_empty()));
                    end = piece.range.end;
                }
                prop_assert_eq!(end, rendered.text.len());
            }
        }

        #[test]
        fn with_no_parameters_and_defaults_a_template_is_itself(
            template in r"(\$\{parameters\.[a-c]{1,2}\}|a|ü|\}|\{)*"
        ) {
            let rendered = render_template(&template, PARAMETERS, &TextMap::new()).unwrap();
            prop_assert_eq!(&rendered.text, &template);
            let mut names: Vec<&str> = Vec::new();
            for found in find_placeholders(&template, PARAMETERS) {
                if !names.contains(&found.name) {
                    names.push(found.name);
                }
            }
            prop_assert_eq!(rendered.unfilled_names(), names);
        }
    }
}
