//! Writes a value as the text of a new file.

use serde_json::Value;

use super::{draft::Draft, json, place::Format, toml, yaml};
use crate::schema::literal::Literal;

/// The value as a text of its own, ending with a line end: JSON with two spaces a level, YAML in
/// block style with long texts as blocks, TOML with tables. What a format cannot say is left to the
/// caller, who reads the text back.
#[must_use]
pub fn print_value(format: Format, value: &Value) -> String {
    print_whole(format, &Draft::of_value(value), "\n")
}

/// JSON on one line, without spaces.
pub(super) fn one_line(draft: &Draft) -> String {
    let layout =
        json::print::Layout { unit: None, compact: true, ..json::print::Layout::with_eol("") };
    json::print::print_value(draft, &layout, "")
}

/// The same with the spelling of its numbers.
#[must_use]
pub(crate) fn print_literal(format: Format, literal: &Literal) -> String {
    print_whole(format, &Draft::from_literal(literal), "\n")
}

/// A document that is made from nothing: as [`print_value`], with lists of YAML in block style.
#[must_use]
pub(crate) fn print_document(format: Format, value: &Value) -> String {
    laid_out(format, &Draft::of_value(value), "\n")
}

pub(super) fn laid_out(format: Format, to: &Draft, eol: &'static str) -> String {
    match format {
        Format::Yaml => {
            let manner =
                yaml::print::YamlStyle { short_lists: false, ..yaml::print::YamlStyle::default() };
            yaml::print::print_lines(to, &manner).join(eol) + eol
        }
        format => print_whole(format, to, eol),
    }
}

pub(super) fn print_whole(format: Format, to: &Draft, eol: &'static str) -> String {
    match format {
        Format::Json | Format::Jsonc | Format::Json5 => {
            json::print::print_value(to, &json::print::Layout::with_eol(eol), "") + eol
        }
        Format::Yaml => {
            yaml::print::print_lines(to, &yaml::print::YamlStyle::default()).join(eol) + eol
        }
        Format::Toml => toml::print::print_whole(to, eol),
    }
}
