//! What is wrong or odd in a text, as findings.

use super::check::safe;
use crate::{
    model::{
        entry::FileId,
        finding::{Finding, Severity, Site},
    },
    schema::pointer::Pointer,
    syntax::{
        python,
        source::{Note, NoteKind, Source, SyntaxError},
    },
};

pub const NOT_WELL_FORMED: &str = "syntax.not-well-formed";
pub const DUPLICATE_KEY: &str = "syntax.duplicate-key";
pub const READS_DIFFERENTLY: &str = "syntax.reads-differently";

/// Codes with their severities and what they say, for lists of checks.
pub const CODES: &[(&str, Severity, &str)] = &[
    (NOT_WELL_FORMED, Severity::Error, "The file is not well-formed JSON, YAML or TOML."),
    (DUPLICATE_KEY, Severity::Error, "A key stands twice in one object; readers keep one of the two, not all the same one."),
    (READS_DIFFERENTLY, Severity::Warning, "A plain YAML word that YAML 1.1 readers, such as PyYAML, take for something else."),
];

/// The finding of a text that cannot be read.
#[must_use]
pub fn refused(file: &FileId, error: &SyntaxError) -> Finding {
    let message = format!("not {}: {}", error.format.name(), error.message);
    finding(file, NOT_WELL_FORMED, &message, Pointer::root(), (error.line, error.column))
}

/// The findings of a text that can.
#[must_use]
pub fn odd(file: &FileId, source: &Source) -> Vec<Finding> {
    source.notes().iter().map(|note| odd_note(file, source, note)).collect()
}

fn odd_note(file: &FileId, source: &Source, note: &Note) -> Finding {
    let name = note.at.last().unwrap_or_default();
    let (code, message) = match note.kind {
        NoteKind::DuplicateKey => (
            DUPLICATE_KEY,
            format!("the key \"{name}\" stands twice in one object; here the last one counts, other readers may take the first"),
        ),
        NoteKind::ReadsDifferently => {
            let written = source.written(note.document, &note.at).unwrap_or(name);
            let there = python::word(written);
            (
                READS_DIFFERENTLY,
                format!(
                    "PyYAML and other readers of YAML 1.1 read {written} as {there}, not as it reads here; put it in quotes if text is meant"
                ),
            )
        }
    };
    finding(file, code, &message, note.at.clone(), (note.line, note.column))
}

fn finding(file: &FileId, code: &'static str, message: &str, pointer: Pointer, (line, column): (usize, usize)) -> Finding {
    let severity = CODES.iter().find(|(of, ..)| *of == code).map_or(Severity::Error, |(_, severity, _)| *severity);
    Finding {
        code,
        severity,
        message: safe(message),
        site: Site { file: file.clone(), entry: None, pointer, line, column },
        fix: None,
    }
}
