//! A line of what will be sent, and why nothing will be.

use crate::{
    model::problem::{Problem, ProblemKind},
    ui::{
        canvas::{visible_text, wrap},
        styles::Role,
    },
};

/// One line of the request as it will be sent.
pub(super) struct RequestLine {
    pub name: &'static str,
    pub text: String,
    pub role: Role,
}

/// Why there is no request, and what to do.
pub(super) fn problem_lines(problem: &Problem, cells: usize) -> Vec<RequestLine> {
    let role = if problem.kind == ProblemKind::Input { Role::Warning } else { Role::Error };
    let line = |name, role| move |text| RequestLine { name, text, role };
    let mut lines: Vec<_> =
        wrap(&visible_text(&problem.cause), cells).into_iter().map(line("", role)).collect();
    if let Some(first) = lines.first_mut() {
        first.name = "no call";
    }
    lines.extend(wrap(&visible_text(&problem.remedy), cells).into_iter().map(line("", Role::Info)));
    lines
}
