//! Makes an edit in a text and holds the new text against what the edit means.

use serde_json::Value;

use super::{
    change::{self, Splice},
    draft::Draft,
    edit::{Edit, EditError, Patch},
    expect, json,
    page::Page,
    print,
    source::{Format, Source},
    toml,
    tree::{Document, Node, Shape},
    yaml::{self, print::Caution},
};

pub fn apply(source: &Source, document: Option<&Document>, row: usize, edit: &Edit) -> Result<(Source, Patch), EditError> {
    if document.is_none() && !(row == 0 && source.documents() == 0) {
        return Err(EditError::NoDocument(row));
    }
    let before = document.map(|document| &*document.value);
    let expected = expect::apply(before, edit)?;
    if before == Some(&expected) && !respells(source, row, edit) {
        return Ok((source.clone(), change::patch(source.text(), Vec::new())));
    }
    let page = Page::of(source.text());
    let Some(document) = document else {
        return checked(source, row, &expected, begin(&page, source.format(), &Draft::of_value(&expected)));
    };
    let (root, plan) = (&document.root, change::plan(document, edit)?);
    match source.format() {
        Format::Json => checked(source, row, &expected, json::edit::edit(&page, root, &plan)),
        Format::Toml => checked(source, row, &expected, toml::edit::edit(&page, root, &plan, &expected)?),
        Format::Yaml => {
            let [free, careful @ ..] = Caution::ALL;
            let attempt = |caution| checked(source, row, &expected, yaml::edit::edit(&page, root, &plan, caution));
            careful.into_iter().fold(attempt(free), |last, caution| last.or_else(|error| attempt(caution).map_err(|_| error)))
        }
    }
}

/// The text with splices that were found elsewhere, if they do what the edit means.
pub fn spliced(source: &Source, row: usize, edit: &Edit, splices: Vec<Splice>) -> Result<(Source, Patch), EditError> {
    let expected = expect::apply(source.value(row).map(|value| &**value), edit)?;
    checked(source, row, &expected, splices)
}

/// The text with the splices made, if it means what is expected.
fn checked(source: &Source, row: usize, expected: &Value, splices: Vec<Splice>) -> Result<(Source, Patch), EditError> {
    let patch = change::patch(source.text(), splices);
    let after = source.patched(&patch)?;
    let holds = after.document(row).is_some_and(|now| same(expected, &now.value, &now.root)) && others_stay(source, &after, row);
    if holds {
        Ok((after, patch))
    } else {
        Err(EditError::Broken(format!("{} would read it differently", source.format().name())))
    }
}

/// Whether the text changes although the value stays: another spelling of a number, equal items that change places.
fn respells(source: &Source, row: usize, edit: &Edit) -> bool {
    match edit {
        Edit::Set { at, to } => match (to.value(), to.written()) {
            (Value::Number(_), Some(spelling)) => source.written(row, at) != Some(spelling),
            _ => false,
        },
        Edit::Move { at, to } => at.last_index() != Some(*to),
        _ => false,
    }
}

/// The first document of a text that holds none: behind the comments that are there.
fn begin(page: &Page<'_>, format: Format, to: &Draft) -> Vec<Splice> {
    let text = print::whole(format, to, page.eol);
    let parting = if page.text.is_empty() || page.text.ends_with(['\n', '\u{feff}']) { "" } else { page.eol };
    vec![Splice::insert(page.text.len(), format!("{parting}{text}"))]
}

/// Whether a value is the one meant. What comes from aliases follows its anchor and is not asked.
fn same(expected: &Value, actual: &Value, node: &Node) -> bool {
    match (&node.shape, expected, actual) {
        (Shape::Alias, ..) => true,
        (Shape::Scalar, ..) => expected == actual,
        (Shape::List { items, .. }, Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).zip(items).all(|((wanted, found), item)| same(wanted, found, item))
        }
        (Shape::Object { members, .. }, Value::Object(wanted), Value::Object(found)) => {
            let merges = members.iter().any(|member| member.merge);
            let known = |key: &String| merges || wanted.contains_key(key);
            (merges || wanted.len() == found.len())
                && found.keys().all(known)
                && wanted.iter().all(|(key, wanted)| match (members.get(key), found.get(key)) {
                    (Some(member), Some(found)) => same(wanted, found, &member.value),
                    (None, _) => merges,
                    _ => false,
                })
        }
        _ => expected == actual,
    }
}

/// Whether the documents beside the edited one say what they said.
fn others_stay(before: &Source, after: &Source, row: usize) -> bool {
    let count = before.documents().max(row + 1);
    after.documents() == count && (0..count).all(|other| other == row || before.value(other) == after.value(other))
}
