//! What a docstring says: of a function, and of its arguments, as Google's and Sphinx's styles have
//! them.

/// What is read of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Docstring {
    /// All of it but for its arguments.
    pub description: String,
    /// Each argument's name and text, in their order.
    pub arguments: Vec<(String, String)>,
}

/// The lines above the arguments in Google's style.
const SECTIONS: [&str; 4] = ["Args:", "Arguments:", "Parameters:", "Params:"];

impl Docstring {
    /// Reads a docstring as it is written, with the indents of its lines.
    pub fn parse(text: &str) -> Self {
        let mut read = Self::default();
        let mut kept: Vec<&str> = Vec::new();
        let text = without_indent(text);
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some((name, begin)) = sphinx_argument(line) {
                let mut said = begin.to_owned();
                while let Some(more) = lines.next_if(|next| indent_of(next) > 0) {
                    add_words(&mut said, more);
                }
                read.arguments.push((name.to_owned(), said));
            } else if SECTIONS.contains(&line.trim_end()) {
                let is_inside = |next: &&str| next.trim().is_empty() || indent_of(next) > 0;
                let mut depth = None;
                while let Some(next) = lines.next_if(is_inside) {
                    let is_entry = depth.is_none_or(|depth| indent_of(next) <= depth);
                    match google_argument(next).filter(|_| is_entry) {
                        Some((name, begin)) => {
                            depth = depth.or(Some(indent_of(next)));
                            read.arguments.push((name.to_owned(), begin.to_owned()));
                        }
                        None => {
                            if let Some((_, said)) = read.arguments.last_mut() {
                                add_words(said, next);
                            }
                        }
                    }
                }
                kept.push("");
            } else if !line.starts_with(":type ") {
                kept.push(line.trim_end());
            }
        }
        // What was between two parts that are left out was one line.
        kept.dedup_by(|next, before| next.is_empty() && before.is_empty());
        kept.join("\n").trim().clone_into(&mut read.description);
        read
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn add_words(text: &mut String, more: &str) {
    let more = more.trim();
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// The lines without the indent that all but the first have.
fn without_indent(text: &str) -> String {
    let rest = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let indent = rest.map(indent_of).min().unwrap_or(0);
    let line = |(row, line): (usize, &str)| match row {
        0 => line.trim_start().to_owned(),
        // A blank line may be shorter, and another kind of space be cut in two.
        _ => line.get(indent..).unwrap_or_else(|| line.trim_start()).to_owned(),
    };
    text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// `name (int, optional): text`.
fn google_argument(line: &str) -> Option<(&str, &str)> {
    let (head, text) = line.split_once(':')?;
    let name = head.split_once('(').map_or(head, |(name, _)| name).trim();
    let is_name = |letter: char| letter == '_' || letter.is_alphanumeric();
    (!name.is_empty() && name.chars().all(is_name)).then(|| (name, text.trim()))
}

/// `:param int name: text`.
fn sphinx_argument(line: &str) -> Option<(&str, &str)> {
    let (head, text) = line.strip_prefix(":param ")?.split_once(':')?;
    Some((head.split_whitespace().next_back()?, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(read: &Docstring) -> Vec<(&str, &str)> {
        read.arguments.iter().map(|(name, text)| (&**name, &**text)).collect()
    }

    #[test]
    fn arguments_are_taken_out_of_the_description() {
        let read = Docstring::parse(
            "Finds orders.\n\n    Only open ones.\n\n    Args:\n        text: What is\n            looked for\n\n        \
            limit (int, optional): How many: 1 to 9\n\n    Returns:\n        A list.\n    ",
        );
        assert_eq!(read.description, "Finds orders.\n\nOnly open ones.\n\nReturns:\n    A list.");
        assert_eq!(
            arguments(&read),
            [("text", "What is looked for"), ("limit", "How many: 1 to 9")]
        );
        let read = Docstring::parse(
            "Finds.\n:param str text: What\n  for\n:type text: str\n:param limit: How many\n:returns: All",
        );
        assert_eq!(read.description, "Finds.\n:returns: All");
        assert_eq!(arguments(&read), [("text", "What for"), ("limit", "How many")]);
        assert_eq!(Docstring::parse("  One line. ").description, "One line.");
        assert_eq!(Docstring::parse(""), Docstring::default());
        let odd = Docstring::parse("Finds.\n one\n\u{a0}two\n");
        assert_eq!(odd.description, "Finds.\none\ntwo", "spaces of several bytes");
    }
}
