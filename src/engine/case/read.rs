//! Reads the case that a file holds, of either kind.

use super::{ask::AskCase, script::Case};
use crate::{
    engine::members::{FileIssue, file_issue, several_documents},
    schema::pointer::Pointer,
    syntax::{place::NoteKind, source::Source},
};

/// A case of either kind.
pub enum AnyCase {
    Call(Box<Case>),
    Ask(Box<AskCase>),
}

/// The case that a file holds, or what keeps it from being run; `None`: the file holds none. A file
/// that is meant as one, as it lies among the cases, is read as one whatever it holds.
#[must_use]
pub fn read_any_case(source: &Source, is_meant: bool) -> Option<Result<AnyCase, FileIssue>> {
    // Most files are none: what is read of them isn't kept.
    let source = &source.for_a_look();
    // What a case calls is no object, so that a case is never a text of sections, whose value would
    // be put together for this, and held.
    if source.sections(0).is_some() && !is_meant {
        return None;
    }
    let value = source.value(0);
    let is_ask = value.is_some_and(|value| AskCase::is_one(value));
    let is_one = is_meant || is_ask || value.is_some_and(|value| Case::is_one(value));
    is_one.then(|| read(source, is_ask))
}

fn read(source: &Source, is_ask: bool) -> Result<AnyCase, FileIssue> {
    let count = source.document_count();
    if count > 1 {
        return Err(file_issue(&Pointer::root(), several_documents(count, "case")));
    }
    if let Some(issue) = repeated_key(source) {
        return Err(issue);
    }
    Ok(match is_ask {
        true => AnyCase::Ask(Box::new(AskCase::from_source(source)?)),
        false => AnyCase::Call(Box::new(Case::from_source(source)?)),
    })
}

/// A key that is there twice: one of the two counts, and nobody knows which is meant.
#[must_use]
pub fn repeated_key(source: &Source) -> Option<FileIssue> {
    let note = source.notes().iter().find(|note| note.kind == NoteKind::DuplicateKey)?;
    let key = note.at.last().unwrap_or_default();
    Some(file_issue(&note.at, format!("the key \"{key}\" is there twice")))
}
