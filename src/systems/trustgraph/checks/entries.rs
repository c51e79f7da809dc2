//! Entries as such: what they are written as.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    engine::lint::{check::Report, context::LintContext},
    model::entry::{Entry, EntryForm, FileId},
    schema::{literal::Literal, pointer::Pointer},
    syntax::{edit::Edit, python_json},
    systems::trustgraph::keys,
};

pub(crate) fn entry_malformed(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let what = match &*entry.value {
        Value::Object(_) => return,
        Value::String(_) if entry.id.place().form == EntryForm::JsonText => "its text is not JSON",
        Value::String(_) => "it is text, not an object",
        Value::Array(_) => "it is a list, not an object",
        _ => "it is not an object",
    };
    report.add_finding(
        entry,
        Pointer::root(),
        format!("can't read the {} \"{}\": {what}", entry.kind.as_str(), entry.key),
    );
}

pub(crate) fn not_json_text(context: &LintContext<'_>, report: &mut Report<'_>) {
    let map_of = |entry: &Entry| {
        let place = entry.id.place();
        (place.file.clone(), place.document, place.at.tokens().first().cloned())
    };
    let ours = || context.catalog.entries().filter(|entry| entry.system == keys::SYSTEM);
    let texts: HashSet<(FileId, usize, Option<String>)> =
        ours().filter(|entry| entry.id.place().form == EntryForm::JsonText).map(map_of).collect();
    if texts.is_empty() {
        return;
    }
    for entry in ours()
        .filter(|entry| entry.id.place().form == EntryForm::Plain && texts.contains(&map_of(entry)))
    {
        let message = "an object among entries that are JSON text; the configuration service only accepts \
            text";
        let found = report.add_finding(entry, Pointer::root(), message);
        found.fix_edits(
            "write it as JSON text",
            [Edit::Set {
                at: Pointer::root(),
                to: Literal::from(python_json::print_value(&entry.value)),
            }],
        );
    }
}
