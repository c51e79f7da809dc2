//! What is kept of a verdict with the call that it is about.

use super::verdict::{Finding, Verdict};
use crate::{
    engine::mask::Mask,
    model::{
        case_result::{CaseResult, Unmet},
        entry::FileId,
    },
};

/// What a case made of a call, without the secrets that the mask hides; `file` is the case's.
#[must_use]
pub(crate) fn case_result(verdict: &Verdict, file: FileId, mask: &Mask) -> CaseResult {
    let unmet = |finding: &Finding| {
        let finding = finding.without_secrets(mask);
        Some(Unmet {
            what: finding.what.to_string(),
            expected: finding.expected,
            difference: finding.difference?,
        })
    };
    CaseResult { file, unmet: verdict.findings.iter().filter_map(unmet).collect() }
}
