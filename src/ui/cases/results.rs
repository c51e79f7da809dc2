//! Each expectation of the last run, those that failed first.

use super::filed::FiledCase;
use crate::{
    app::state::State,
    engine::case::{choice::AskVerdict, tries::CaseTry, verdict::Verdict},
    schema::count::count_text,
    ui::{
        canvas::{truncate_text, wrap},
        overlays::page::{Line, PageOverlay},
        styles::Role,
    },
};

/// All that were run; `/` leaves those with each word, such as `failed`.
pub(super) fn results_page(found: &[FiledCase], state: &State) -> PageOverlay {
    let sections = found.iter().map(|found| verdict_lines(found, state));
    PageOverlay::with_sections("Cases", sections.filter(|lines| !lines.is_empty()).collect())
}

/// How a case went; nothing where it was not run.
pub(super) fn verdict_lines(found: &FiledCase, state: &State) -> Vec<Line> {
    let (cases, file) = (&state.invoke.cases, &found.file);
    let Some(has_passed) = cases.has_passed(file) else { return Vec::new() };
    let name = found.name();
    let (role, end) = if has_passed { (Role::Success, "passed") } else { (Role::Error, "failed") };
    let tried = cases.tries.get(file);
    let took = match (tried, cases.asks.get(file)) {
        (Some(tried), _) => {
            let runs = tried.runs_words().map_or_else(String::new, |words| format!(", {words}"));
            format!("  {} ms{runs}", tried.took_ms())
        }
        (None, Some(verdict)) => {
            let runs = verdict.runs.len();
            format!("  {} of {}", verdict.held(), count_text(runs, "recorded run", "recorded runs"))
        }
        (None, None) => String::new(),
    };
    let mut lines =
        vec![vec![(Role::Heading, format!("{name}  ")), (role, end.to_owned()), (Role::Dim, took)]];
    lines.extend(tried.and_then(CaseTry::telling_run).into_iter().flat_map(finding_lines));
    let differences = cases.asks.get(file).into_iter().flat_map(AskVerdict::differences);
    for words in differences.flat_map(|difference| wrap(&difference, 64)) {
        lines.push(vec![(Role::Warning, format!("  {words}"))]);
    }
    lines
}

fn finding_lines(verdict: &Verdict) -> Vec<Line> {
    let mut lines = Vec::new();
    for finding in &verdict.findings {
        let (mark, role) = if finding.difference.is_none() {
            ("✓", Role::Success)
        } else {
            ("✗", Role::Error)
        };
        // What passed isn't to be found by `failed`.
        let expected = match finding.difference {
            None if finding.what == "outcome" => finding.expected.replace("failed", "an error"),
            _ => finding.expected.clone(),
        };
        let expected = truncate_text(&expected, 60);
        lines.push(vec![
            (role, format!("  {mark} ")),
            (Role::Text, format!("{}: {expected}", finding.what)),
        ]);
        for words in finding.difference.iter().flat_map(|difference| wrap(difference, 64)) {
            lines.push(vec![(Role::Warning, format!("      {words}"))]);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::case::{
        expected::ExpectedValues,
        verdict::{Answer, Finding},
    };

    #[test]
    fn a_case_that_passed_is_not_found_by_the_word_of_those_that_failed() {
        let finding = |difference: Option<&str>| {
            let difference = difference.map(str::to_owned);
            Finding { what: "outcome", expected: "failed".into(), difference }
        };
        let text = |finding: Finding| {
            let values = ExpectedValues::default();
            let verdict = Verdict { answer: Answer::default(), findings: vec![finding], values };
            let lines = finding_lines(&verdict);
            lines.into_iter().flatten().map(|(_, text)| text).collect::<String>()
        };
        assert_eq!(text(finding(None)), "  ✓ outcome: an error");
        assert!(text(finding(Some("it succeeded"))).contains("outcome: failed"));
    }
}
