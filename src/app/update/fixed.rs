//! Problems that were fixed, in the time until the next check.

use std::sync::Arc;

use crate::{
    app::{documents::Change, state::State},
    model::finding::{Finding, Fix},
};

/// Until the next check, what was fixed isn't listed any more.
pub(super) fn drop_fixed(state: &mut State, label: &str, changes: &[Change]) {
    let is_made = |fix: &Fix| {
        let edits = fix.edits.iter().cloned().map(Change::Entry);
        fix.label == label && edits.eq(changes.iter().cloned())
    };
    let is_fixed = |finding: &Finding| finding.fixes().any(is_made);
    if state.findings.iter().any(is_fixed) {
        let left = state.findings.iter().filter(|finding| !is_fixed(finding)).cloned();
        state.findings = Arc::new(left.collect::<Vec<_>>().into());
    }
}
