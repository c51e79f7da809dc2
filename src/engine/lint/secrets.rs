//! Values that look like keys, tokens or passwords. The value itself is never repeated.

use serde_json::Value;

use super::{check::Report, context::LintContext};
use crate::{engine::secret::looks_secret, model::entry::Entry, schema::pointer::Pointer};

pub(crate) fn in_descriptor(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    visit_strings(&entry.value, &mut Vec::new(), &mut |path, text| {
        let key = path
            .iter()
            .rev()
            .find(|token| token.parse::<usize>().is_err())
            .copied()
            .unwrap_or_default();
        if let Some(what) = looks_secret(key, text) {
            let message =
                format!("\"{key}\" seems to contain {what}; keep it out of files that are shared");
            report.add_finding(entry, path.iter().copied().collect::<Pointer>(), message);
        }
    });
}

fn visit_strings<'v>(
    value: &'v Value,
    path: &mut Vec<&'v str>,
    see: &mut impl FnMut(&[&'v str], &'v str),
) {
    match value {
        Value::String(text) => see(path, text),
        Value::Object(members) => {
            for (key, member) in members {
                path.push(key);
                visit_strings(member, path, see);
                path.pop();
            }
        }
        // Items are looked at, but the finding is at their list.
        Value::Array(items) => items.iter().for_each(|item| visit_strings(item, path, see)),
        _ => {}
    }
}
