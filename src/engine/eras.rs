//! One server as it is in each era of its protocol, side by side.

use serde_json::{Map, Value};

use crate::{
    engine::diff::{self, LineKind},
    model::problem::Problem,
};

/// What a server is in one era.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EraSide {
    /// The era's name: `legacy`, `modern`.
    pub era: &'static str,
    /// Why there is nothing to see, where it does not speak in that era.
    pub seen: Result<EraView, Problem>,
}

/// What was seen of it there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EraView {
    pub greeting: String,
    pub version: String,
    pub took_ms: u64,
    /// What it lists, by kind.
    pub lists: Vec<(&'static str, Vec<Value>)>,
    /// What a call came to, as JSON or in words; `None` where none was made.
    pub answer: Option<String>,
}

/// Both sides, and how what they list differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EraComparison {
    pub sides: Vec<EraSide>,
    pub rows: Vec<EraRow>,
}

/// In which of two eras something is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Both,
    First,
    Second,
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EraRow {
    pub kind: &'static str,
    pub name: String,
    pub presence: Presence,
    /// What differs, each in a few words.
    pub differences: Vec<String>,
}

impl EraRow {
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.presence == Presence::Both && self.differences.is_empty()
    }
}

impl EraComparison {
    /// What was seen in both eras; `None` where one of them is not spoken.
    #[must_use]
    pub fn both(&self) -> Option<[&EraView; 2]> {
        let [first, second] = self.sides.as_slice() else { return None };
        Some([first.seen.as_ref().ok()?, second.seen.as_ref().ok()?])
    }

    /// The answers of the call, line by line, with `-` for the first era and `+` for the second;
    /// `None` where there were not two.
    #[must_use]
    pub fn answer_lines(&self) -> Option<Vec<(LineKind, String)>> {
        let [first, second] = self.both()?;
        let (first, second) = (first.answer.as_ref()?, second.answer.as_ref()?);
        let lines = diff::diff_lines(first, second).into_iter();
        Some(lines.map(|line| (line.kind, line.text)).collect())
    }

    /// Whether the server is the same in both.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let is_answer_same =
            self.both().is_some_and(|[first, second]| first.answer == second.answer);
        is_answer_same && self.rows.iter().all(EraRow::is_same)
    }
}

/// The member by which an entry of a list is known.
fn name_of(item: &Value) -> String {
    let known = ["uri", "uriTemplate", "name"].iter().find_map(|name| item.get(*name)?.as_str());
    known.unwrap_or_default().to_owned()
}

/// How two lists of one kind differ, in the order of the first one; `explain` says how two entries
/// of one name do.
pub fn compare_lists(
    kind: &'static str,
    [first, second]: [&[Value]; 2],
    explain: impl Fn(&Value, &Value) -> Vec<String>,
) -> Vec<EraRow> {
    let find = |list: &[Value], name: &str| list.iter().find(|item| name_of(item) == name).cloned();
    let row = |name, presence, differences| EraRow { kind, name, presence, differences };
    let mut rows: Vec<EraRow> = Vec::new();
    for item in first {
        let name = name_of(item);
        rows.push(match find(second, &name) {
            Some(other) => row(name, Presence::Both, explain(item, &other)),
            None => row(name, Presence::First, Vec::new()),
        });
    }
    let added = second.iter().map(name_of).filter(|name| find(first, name).is_none());
    rows.extend(added.map(|name| row(name, Presence::Second, Vec::new())));
    rows
}

/// The members in which two entries differ.
#[must_use]
pub fn different_members(first: &Value, second: &Value) -> Vec<String> {
    let empty = Map::new();
    let members = |item| Value::as_object(item).unwrap_or(&empty);
    let (first, second) = (members(first), members(second));
    let names = first.keys().chain(second.keys().filter(|name| !first.contains_key(*name)));
    names.filter(|name| first.get(*name) != second.get(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_held_side_by_side() {
        let first = [json!({"name": "a", "title": "A"}), json!({"name": "b"})];
        let second = [json!({"name": "c"}), json!({"name": "a", "description": "x"})];
        let rows = compare_lists("prompts", [&first, &second], different_members);
        let told: Vec<_> =
            rows.iter().map(|row| (row.name.as_str(), row.presence, row.is_same())).collect();
        let expected = [
            ("a", Presence::Both, false),
            ("b", Presence::First, false),
            ("c", Presence::Second, false),
        ];
        assert_eq!(told, expected);
        assert_eq!(rows[0].differences, ["title", "description"]);
        assert!(
            compare_lists("prompts", [&first, &first], different_members)
                .iter()
                .all(EraRow::is_same)
        );
    }

    #[test]
    fn a_call_is_compared_where_both_answered() {
        let side = |era, answer: &str| {
            let view = EraView { answer: Some(answer.into()), ..EraView::default() };
            EraSide { era, seen: Ok(view) }
        };
        let sides = vec![side("legacy", "a\nb"), side("modern", "a\nc")];
        let mut comparison = EraComparison { sides, rows: Vec::new() };
        let expected = [
            (LineKind::Same, "a".to_owned()),
            (LineKind::Removed, "b".to_owned()),
            (LineKind::Added, "c".to_owned()),
        ];
        assert_eq!(comparison.answer_lines().as_deref(), Some(&expected[..]));
        assert!(!comparison.is_same());
        comparison.sides[1] = side("modern", "a\nb");
        assert!(comparison.is_same());
        comparison.sides.pop();
        assert!(!comparison.is_same());
    }
}
