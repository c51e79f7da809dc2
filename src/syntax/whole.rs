//! A text read as a whole.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{
    json::{self, dialect::Dialect},
    lazy_value::LazyValue,
    lines::Lines,
    place::{Format, Note, Span, SyntaxError},
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
        let tree = parse_tree(format, text).map_err(|(offset, message)| {
            let (line, column) = lines.position(text, offset);
            SyntaxError { format, message, line, column }
        })?;
        let notes = tree.notes(|offset| lines.position(text, offset));
        Ok(Self { tree, notes })
    }
}

fn parse_tree(format: Format, text: &str) -> Result<Tree, (usize, String)> {
    match format {
        Format::Json | Format::Jsonc | Format::Json5 => {
            json::parse::parse_tree(text, Dialect::from_format(format))
        }
        Format::Yaml => {
            yaml::parse::parse_tree(text).map_err(|fault| yaml::tabs::fault_at_tab(text, fault))
        }
        Format::Toml => toml::parse::parse_tree(text),
    }
}

/// The value of the only document of a text, read when it is asked for.
pub(crate) fn lazy_value(format: Format, text: &Arc<str>) -> LazyValue {
    let read: fn(&str) -> Option<Value> = match format {
        Format::Json => |text| only_value(Format::Json, text),
        Format::Jsonc => |text| only_value(Format::Jsonc, text),
        Format::Json5 => |text| only_value(Format::Json5, text),
        Format::Yaml => |text| only_value(Format::Yaml, text),
        Format::Toml => |text| only_value(Format::Toml, text),
    };
    LazyValue::of_piece((Arc::clone(text), Span { start: 0, end: text.len() }), read)
}

fn only_value(format: Format, text: &str) -> Option<Value> {
    let document = parse_tree(format, text).ok()?.documents.pop()?;
    Some(Arc::unwrap_or_clone(document.value))
}

/// A text that is read as a whole. At rest it is known to be well-formed, and what it means is read
/// again when that is asked: of ten thousand files few are looked at.
#[derive(Debug)]
pub(crate) struct WholeText {
    tree: OnceLock<Tree>,
    documents: usize,
    notes: Box<[Note]>,
}

impl WholeText {
    pub fn new(ParsedText { tree, notes }: ParsedText) -> Self {
        Self { documents: tree.documents.len(), tree: tree.into(), notes: notes.into() }
    }

    pub fn at_rest(&self) -> Self {
        Self { tree: OnceLock::new(), documents: self.documents, notes: self.notes.clone() }
    }

    pub fn is_at_rest(&self) -> bool {
        self.tree.get().is_none()
    }

    pub fn document_count(&self) -> usize {
        self.documents
    }

    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    pub fn tree(&self, format: Format, text: &str) -> &Tree {
        // It has been read before.
        self.tree.get_or_init(|| parse_tree(format, text).unwrap_or_default())
    }
}
