//! What is kept of a verdict with the call that it is about.

use super::verdict::{Finding, Verdict};
use crate::model::{
    case_result::{CaseResult, Unmet},
    entry::FileId,
};

/// What a case made of a call; `file` is the case's.
#[must_use]
pub(crate) fn case_result(verdict: &Verdict, file: FileId) -> CaseResult {
    let unmet = |finding: &Finding| {
        Some(Unmet {
            what: finding.what.to_string(),
            expected: finding.expected.clone(),
            difference: finding.difference.clone()?,
        })
    };
    CaseResult { file, unmet: verdict.findings.iter().filter_map(unmet).collect() }
}
