//! A text read as a whole.

use super::{
    json::{self, dialect::Dialect},
    lines::Lines,
    place::{Format, Note, SyntaxError},
    toml,
    tree::Tree,
    yaml,
};

/// What is read of a text.
#[derive(Debug)]
pub(crate) struct ParsedText {
    pub tree: Tree,
    pub notes: Vec<Note>,
}

impl ParsedText {
    pub fn parse(format: Format, text: &str, lines: &Lines) -> Result<Self, SyntaxError> {
        let tree = match format {
            Format::Json | Format::Jsonc | Format::Json5 => {
                json::parse::parse_tree(text, Dialect::from_format(format))
            }
            Format::Yaml => yaml::parse::parse_tree(text),
            Format::Toml => toml::parse::parse_tree(text),
        };
        let tree = tree.map_err(|(offset, message)| {
            let (line, column) = lines.position(text, offset);
            SyntaxError { format, message, line, column }
        })?;
        let notes = tree.notes(|offset| lines.position(text, offset));
        Ok(Self { tree, notes })
    }
}
