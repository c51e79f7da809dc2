//! A list or an object set again, brought down to the edits in which it differs from what is there.

use serde_json::Value;

use super::{draft::SpelledValue, edit::Edit};
use crate::schema::{literal::Literal, pointer::Pointer};

/// With more differences than this the value is written again: each edit reads the whole text
/// again.
const MOST: usize = 12;

/// The edits that lead from the value at a place to another; `None` where writing it again is as
/// well: other kinds of values, nothing in common, too many differences.
pub(crate) fn edits_between(at: &Pointer, from: &Value, to: &Literal) -> Option<Vec<Edit>> {
    let spelled = SpelledValue::from_literal(to);
    let mut steps = Vec::new();
    compare_values(at, from, to.value(), &spelled, &Pointer::root(), &mut steps)?;
    // A single step at the place itself is what was asked for.
    let same = steps.len() == 1 && matches!(&steps[0], Edit::Set { at: there, .. } if there == at);
    (!same && steps.len() <= MOST).then_some(steps)
}

/// Fills in the steps for one value; `None` when nothing is gained by them.
fn compare_values(
    at: &Pointer,
    from: &Value,
    to: &Value,
    spelled: &SpelledValue,
    inner: &Pointer,
    steps: &mut Vec<Edit>,
) -> Option<()> {
    match (from, to) {
        (Value::Object(old), Value::Object(new)) if new.keys().any(|key| old.contains_key(key)) => {
            let gone = old.keys().filter(|key| !new.contains_key(*key));
            steps.extend(gone.map(|key| Edit::Remove { at: at.child(key.clone()) }));
            for (key, to) in new {
                let (there, inner) = (at.child(key.clone()), inner.child(key.clone()));
                match old.get(key) {
                    Some(from) => push_change(&there, from, to, spelled, &inner, steps),
                    None => steps.push(Edit::Set { at: there, to: spelled.literal_at(&inner, to) }),
                }
            }
            Some(())
        }
        (Value::Array(old), Value::Array(new)) => {
            let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
            let tail = old[head..]
                .iter()
                .rev()
                .zip(new[head..].iter().rev())
                .take_while(|(old, new)| old == new)
                .count();
            let (removed, added) = (old.len() - head - tail, new.len() - head - tail);
            let both = removed.min(added);
            if head + tail + both == 0
                || (head + tail == 0 && both == removed.max(added) && !old.iter().any(has_parts))
            {
                return None;
            }
            for row in head..head + both {
                push_change(&at.item(row), &old[row], &new[row], spelled, &inner.item(row), steps);
            }
            steps.extend((both..removed).rev().map(|row| Edit::Remove { at: at.item(head + row) }));
            for (row, item) in new.iter().enumerate().take(head + added).skip(head + both) {
                steps.push(Edit::Insert {
                    at: at.item(row),
                    item: spelled.literal_at(&inner.item(row), item),
                });
            }
            Some(())
        }
        _ => None,
    }
}

fn push_change(
    at: &Pointer,
    from: &Value,
    to: &Value,
    spelled: &SpelledValue,
    inner: &Pointer,
    steps: &mut Vec<Edit>,
) {
    let count = steps.len();
    if from != to && compare_values(at, from, to, spelled, inner, steps).is_none() {
        steps.truncate(count);
        steps.push(Edit::Set { at: at.clone(), to: spelled.literal_at(inner, to) });
    }
}

fn has_parts(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
