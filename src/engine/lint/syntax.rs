//! What is wrong or odd in a text, as findings.

use serde_json::Value;

use super::check::safe_text;
use crate::{
    model::{
        entry::{EntryId, FileId},
        finding::{EntryEdit, Finding, Fix, Severity, Site},
    },
    schema::{literal::Literal, pointer::Pointer},
    syntax::{
        edit::Edit,
        python,
        source::{Note, NoteKind, Source, SyntaxError},
    },
};

pub const NOT_WELL_FORMED: &str = "syntax.not-well-formed";
pub(crate) const DUPLICATE_KEY: &str = "syntax.duplicate-key";
pub(crate) const READS_DIFFERENTLY: &str = "syntax.reads-differently";
pub(crate) const NOT_JSON: &str = "syntax.not-json";

/// Codes with their severities and what they say, for lists of checks.
pub const CODES: &[(&str, Severity, &str)] = &[
    (NOT_WELL_FORMED, Severity::Error, "The file is not well-formed JSON, YAML or TOML."),
    (
        DUPLICATE_KEY,
        Severity::Error,
        "A key appears twice in one object; parsers keep only one of them, but not all the same \
        one.",
    ),
    (
        READS_DIFFERENTLY,
        Severity::Warning,
        "A plain YAML word that YAML 1.1 parsers, such as PyYAML, read differently.",
    ),
    (
        NOT_JSON,
        Severity::Warning,
        "Python reads it but it isn't JSON: NaN, Infinity, half of a surrogate pair.",
    ),
];

/// The finding of a text that cannot be read.
#[must_use]
pub(crate) fn syntax_error_finding(file: &FileId, error: &SyntaxError) -> Finding {
    let message = format!("not {}: {}", error.format.name(), error.message);
    new_finding(file, NOT_WELL_FORMED, &message, Pointer::root(), (error.line, error.column))
}

/// The finding of a JSON file that holds nothing.
#[must_use]
pub(crate) fn empty_finding(file: &FileId) -> Finding {
    let message = "not JSON: the file is empty";
    new_finding(file, NOT_WELL_FORMED, message, Pointer::root(), (1, 1))
}

/// The entry that a place of a document lies in, with where that begins.
pub(crate) type EntryLookup<'h> = dyn Fn(usize, &Pointer) -> Option<(EntryId, Pointer)> + 'h;

/// The findings of a text that can, with fixes within entries.
#[must_use]
pub(crate) fn findings_from_notes(
    file: &FileId,
    source: &Source,
    homes: &EntryLookup<'_>,
) -> Vec<Finding> {
    source.notes().iter().map(|note| odd_note(file, source, note, homes)).collect()
}

fn odd_note(file: &FileId, source: &Source, note: &Note, homes: &EntryLookup<'_>) -> Finding {
    let name = note.at.last().unwrap_or_default();
    let is_key = source.is_key(note);
    let (code, message) = match note.kind {
        NoteKind::DuplicateKey => (
            DUPLICATE_KEY,
            format!(
                "the key \"{name}\" appears twice in one object; the last one applies here, but \
                other parsers may use the first"
            ),
        ),
        NoteKind::NotJson => {
            let written =
                source.written_text(note.document, &note.at).filter(|_| !is_key).unwrap_or(name);
            (
                NOT_JSON,
                format!(
                    "{written} isn't JSON: TrustGraph and other Python programs read it, most \
                    others reject the file"
                ),
            )
        }
        NoteKind::ReadsDifferently => {
            let written = if is_key {
                name
            } else {
                source.written_text(note.document, &note.at).unwrap_or(name)
            };
            let there = python::describe_word(written);
            (
                READS_DIFFERENTLY,
                format!(
                    "PyYAML and other YAML 1.1 parsers read {written} as {there}; put it in \
                    quotes if you mean text"
                ),
            )
        }
    };
    let mut found = new_finding(file, code, &message, note.at.clone(), (note.line, note.column));
    let home = homes(note.document, &note.at);
    if let (NoteKind::ReadsDifferently, Some((entry, at))) = (note.kind, home) {
        let inner = note.at.strip_prefix(&at).unwrap_or_default();
        let fix = |(label, edit): (String, Edit)| Fix {
            label: safe_text(&label),
            edits: vec![EntryEdit { entry: entry.clone(), edit }],
            is_safe: false,
        };
        let mut fixes = unambiguous_edits(source, note, is_key, &inner).into_iter().map(fix);
        found.fix = fixes.next();
        found.others = fixes.collect();
        (found.site.entry, found.site.pointer) = (Some(entry), inner);
    }
    found
}

/// The ways to write an ambiguous word so that every reader reads the same, what it reads as here
/// first.
fn unambiguous_edits(
    source: &Source,
    note: &Note,
    is_key: bool,
    at: &Pointer,
) -> Vec<(String, Edit)> {
    if is_key {
        let key = at.last().unwrap_or_default().to_owned();
        return vec![(
            format!("put the key in quotes: \"{key}\""),
            Edit::Rename { at: at.clone(), key },
        )];
    }
    // A number keeps its value, and needs its spelling said.
    let spelled = |to: Value| Literal::parse(&to.to_string()).unwrap_or_else(|_| to.into());
    let set = |to: Value| Edit::Set { at: at.clone(), to: spelled(to) };
    let written = source.written_text(note.document, &note.at).unwrap_or_default();
    let quoted = (format!("put it in quotes: \"{written}\""), set(written.into()));
    let here = source
        .value(note.document)
        .and_then(|value| note.at.get(value))
        .cloned()
        .unwrap_or_default();
    let there = python::python_value(written).filter(|there| !there.is_string());
    let there = there.map(|there| (format!("write {there}, as YAML 1.1 reads it"), set(there)));
    match here {
        Value::String(_) => std::iter::once(quoted).chain(there).collect(),
        here => std::iter::once((format!("write {here}, as it reads here"), set(here)))
            .chain(there)
            .chain([quoted])
            .collect(),
    }
}

fn new_finding(
    file: &FileId,
    code: &'static str,
    message: &str,
    pointer: Pointer,
    (line, column): (usize, usize),
) -> Finding {
    let severity = CODES
        .iter()
        .find(|(of, ..)| *of == code)
        .map_or(Severity::Error, |(_, severity, _)| *severity);
    Finding::new(
        code,
        severity,
        safe_text(message),
        Site { file: file.clone(), entry: None, pointer, line, column },
    )
}
