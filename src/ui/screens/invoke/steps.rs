//! The steps of a call that toolcrib runs itself: each as it would be sent, with what it sees of
//! the request and of the steps before it.

use super::request_line::RequestLine;
use crate::{
    model::call::Request,
    systems::{calling, facets::steps::StepPreview},
    ui::{
        canvas::{visible_text, wrap},
        styles::Role,
    },
};

/// How many steps are laid out; more are counted.
const MOST: usize = 200;

/// The steps of a request, line by line; `None` where it is sent as a whole.
pub(super) fn step_lines(request: &Request, cells: usize) -> Option<Vec<RequestLine>> {
    let previews = calling::steps_of(request)?.preview_steps(request);
    let line = |name, role| move |text| RequestLine { name, text, role };
    match previews {
        Ok(steps) if steps.is_empty() => None,
        Ok(steps) => {
            let shown = steps.iter().take(MOST);
            let mut lines: Vec<_> = shown.flat_map(|step| lines_of(step, cells)).collect();
            if steps.len() > MOST {
                let text = format!("and {} steps more", steps.len() - MOST);
                lines.push(line("", Role::Dim)(text));
            }
            Some(lines)
        }
        Err(why) => {
            let parts = wrap(&visible_text(&why), cells).into_iter();
            Some(parts.map(line("no steps", Role::Warning)).collect())
        }
    }
}

fn lines_of(step: &StepPreview, cells: usize) -> Vec<RequestLine> {
    let mut lines = Vec::new();
    let mut add = |name: &'static str, text: &str, role: Role| {
        for (row, text) in wrap(&visible_text(text), cells).into_iter().enumerate() {
            lines.push(RequestLine { name: if row == 0 { name } else { "" }, text, role });
        }
    };
    add("step", &format!("{} {}", step.number, step.name), Role::Accent);
    for seen in step.seen.iter().filter(|seen| !seen.is_own) {
        add("", &format!("{} {} ({})", seen.name, seen.value, seen.origin), Role::Dim);
    }
    add("sends", &step.line, Role::Text);
    if let Some(body) = &step.body {
        add("body", body, Role::Text);
    }
    for remark in &step.remarks {
        add("", remark, Role::Warning);
    }
    lines
}
