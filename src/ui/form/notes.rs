//! What is to be said about a value, brought to the rows that are shown.

use std::collections::HashMap;

use crate::{
    model::finding::Severity,
    schema::{
        fields::{Field, Part},
        pointer::Pointer,
        tree::Schema,
        validate::{Issue, SchemaFinding},
    },
};

/// Something said about a place from outside the schema: a finding, with the name of its fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub at: Pointer,
    pub severity: Severity,
    pub text: String,
    pub fix: Option<String>,
}

/// What is wrong with the schema of a field, shown at the field; with its place in the schema where
/// it is not the field's own.
pub(super) fn schema_notes(
    schema: &Schema,
    findings: &[SchemaFinding],
    fields: &[Field],
) -> Vec<Note> {
    let mut by_schema: HashMap<String, Vec<&SchemaFinding>> = HashMap::new();
    for finding in findings.iter().filter(|finding| !finding.schema.is_root()) {
        by_schema.entry(finding.schema.to_string()).or_default().push(finding);
    }
    let mut notes: Vec<Note> = Vec::new();
    let own = fields.iter().filter(|field| {
        !by_schema.is_empty() && matches!(field.part, Part::Whole | Part::Switch(_) | Part::Value)
    });
    for field in own {
        let places = field.node.made_from.iter().filter_map(|place| schema.pointer(*place));
        for finding in places.filter_map(|place| by_schema.get(&*place)).flatten() {
            let text = match finding.at.last().filter(|_| finding.at != finding.schema) {
                Some(keyword) => format!("its schema: {keyword:?} {}", finding.words),
                None => format!("its schema {}", finding.words),
            };
            let note =
                Note { at: field.pointer.clone(), severity: Severity::Warning, text, fix: None };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

/// A line below a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    pub severity: Severity,
    pub text: String,
    /// The note that it comes from and the words of its fix.
    pub fix: Option<(usize, String)>,
}

/// What marks a remark.
#[must_use]
pub(crate) fn severity_sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✗",
        Severity::Warning => "⚠",
        Severity::Note => "·",
    }
}

/// What is folded away below a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    pub count: usize,
    pub worst: Severity,
}

/// What is shown below which row.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    by_row: HashMap<usize, Vec<Remark>>,
    inside: HashMap<usize, Folded>,
    /// About the value as a whole.
    pub top: Vec<Remark>,
    total: usize,
}

impl Remarks {
    /// Brings everything to its row: its own; where that is folded away, it is counted on the fold.
    #[must_use]
    pub fn place_on_rows(
        fields: &[Field],
        issues: &[Issue],
        drafts: &HashMap<Pointer, (String, String)>,
        notes: &[Note],
    ) -> Self {
        let mut rows: HashMap<&Pointer, usize> = HashMap::with_capacity(fields.len());
        for (row, field) in fields.iter().enumerate() {
            match field.part {
                Part::OrNull | Part::Add | Part::More(_) => {}
                Part::Value => drop(rows.insert(&field.pointer, row)),
                _ => drop(rows.entry(&field.pointer).or_insert(row)),
            }
        }
        let mut remarks = Self::default();
        for (at, (_, words)) in drafts.iter().filter(|(_, (_, words))| !words.is_empty()) {
            remarks.put_remark(
                fields,
                &rows,
                at,
                Remark { severity: Severity::Error, text: words.clone(), fix: None },
                Names::Wanted,
            );
        }
        // What is typed is not yet the value, so what is wrong with the value is no news; nor is it
        // where a check says it already.
        let is_noted = |at: &Pointer| notes.iter().any(|note| note.at.is_about(at));
        let issues = issues.iter().filter(|issue| !drafts.contains_key(&issue.at));
        for issue in issues.filter(|issue| !is_noted(&issue.at)) {
            let remark = Remark { severity: Severity::Error, text: issue.words.clone(), fix: None };
            remarks.put_remark(fields, &rows, &issue.at, remark, Names::Wanted);
        }
        for (number, note) in notes.iter().enumerate() {
            let fix = note.fix.clone().map(|fix| (number, fix));
            let remark = Remark { severity: note.severity, text: note.text.clone(), fix };
            remarks.put_remark(fields, &rows, &note.at, remark, Names::Told);
        }
        remarks
    }

    fn put_remark(
        &mut self,
        fields: &[Field],
        rows: &HashMap<&Pointer, usize>,
        at: &Pointer,
        mut remark: Remark,
        names: Names,
    ) {
        self.total += 1;
        let mut place = at.clone();
        loop {
            if let Some(row) = rows.get(&place) {
                let folded = fields[*row].fold_state() == Some(false) && place != *at;
                if folded {
                    let none = Folded { count: 0, worst: remark.severity };
                    let inside = self.inside.entry(*row).or_insert(none);
                    inside.count += 1;
                    inside.worst = inside.worst.min(remark.severity);
                    return;
                }
                if place != *at && names == Names::Wanted {
                    remark.text = prefix_path(at, &place, &remark.text);
                }
                self.by_row.entry(*row).or_default().push(remark);
                return;
            }
            match place.parent() {
                Some(parent) => place = parent,
                None => break,
            }
        }
        if !at.is_root() && names == Names::Wanted {
            remark.text = prefix_path(at, &Pointer::root(), &remark.text);
        }
        self.top.push(remark);
    }

    #[must_use]
    pub fn row_remarks(&self, row: usize) -> &[Remark] {
        self.by_row.get(&row).map_or(&[], Vec::as_slice)
    }

    /// Those that are folded away below a row.
    #[must_use]
    pub fn folded(&self, row: usize) -> Option<Folded> {
        self.inside.get(&row).copied()
    }

    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }
}

/// Whether a remark has to say what it is about, where that has no row of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Wanted,
    /// It is a sentence that says so itself.
    Told,
}

/// The words with the name of the place that has no row, seen from the row that has them.
fn prefix_path(at: &Pointer, from: &Pointer, words: &str) -> String {
    let path = at.strip_prefix(from).unwrap_or_default();
    let name = |token: &String| match token.parse::<usize>() {
        Ok(index) => format!("item {}", index + 1),
        Err(_) => token.clone(),
    };
    format!("{} {words}", path.tokens().iter().map(name).collect::<Vec<_>>().join(" › "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::{
        fields::{View, layout_fields},
        validate::Checker,
    };

    #[test]
    fn folds_count_what_they_hide() {
        let text = json!({"properties": {"a": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}},
            "b": {"type": "string"}}, "required": ["b", "c"]});
        let schema = Schema::new(text.clone());
        let checker = Checker::compile(&text).unwrap();
        let value = json!({"a": {}});
        let mut view = View::default();
        view.folds.insert(Pointer::root().child("a"), false);
        let rows = layout_fields(&schema, Some(&checker), &value, &view);
        let remarks = Remarks::place_on_rows(&rows, &checker.issues(&value), &HashMap::new(), &[]);
        assert_eq!(
            (remarks.folded(0), remarks.row_remarks(1)[0].text.as_str()),
            (Some(Folded { count: 1, worst: Severity::Error }), "is required")
        );
        assert_eq!(
            remarks.row_remarks(2)[0].text,
            "is required",
            "what is required has a row even where nothing else is said of it"
        );
        assert_eq!(remarks.total(), 3);
    }
}
