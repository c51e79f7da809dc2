//! The problems of the whole workspace, each with its place and its fix.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::state::State,
    model::finding::{Finding, Severity},
    ui::{
        canvas::{Pen, wrap},
        styles::Role,
        view::Look,
        widgets::list::ListCursor,
    },
};

/// A drawn line: the problem that it is of, and whether it offers the fix.
#[derive(Clone, Copy)]
pub(super) struct ProblemLine {
    pub row: usize,
    pub is_fix: bool,
}

/// Draws the list, with the chosen problem whole; answers what each line is.
pub(super) fn draw_problems(
    buffer: &mut Buffer,
    inside: Rect,
    look: Look<'_>,
    state: &State,
    (cursor, focused): (&mut ListCursor, bool),
) -> Vec<ProblemLine> {
    let styles = look.styles;
    let mut rows = Vec::new();
    if state.findings.is_empty() {
        Pen::new(buffer, inside, 1)
            .skip(2)
            .put_text("✓ no problem in this workspace", styles[Role::Success]);
        return rows;
    }
    // Problems take several lines: begin so that the chosen one is whole.
    let wide = usize::from(inside.width.saturating_sub(4));
    let height = |finding: &Finding| {
        let fix = finding.fix_words().map_or(0, |fix| wrap(&format!("▸ F {fix}"), wide).len());
        wrap(&finding.message, wide).len() + fix + wrap(&place_words(finding, state), wide).len()
    };
    cursor.visible_rows(state.findings.len(), inside.height);
    let chosen = cursor.row;
    let mut top = chosen;
    let mut used = height(&state.findings[chosen]);
    while top > 0 && used + height(&state.findings[top - 1]) <= usize::from(inside.height) {
        top -= 1;
        used += height(&state.findings[top]);
    }
    let mut line = 0;
    for (row, finding) in state.findings.iter().enumerate().skip(top) {
        if line >= inside.height {
            break;
        }
        let ground = if row == chosen {
            styles[if focused { Role::Selected } else { Role::SelectedDim }]
        } else {
            styles[Role::Text]
        };
        let on = |role: Role| {
            if row == chosen && focused {
                ground
            } else {
                styles[role].patch(ratatui::style::Style { bg: ground.bg, ..Default::default() })
            }
        };
        let (sign, role) = sign_of(finding.severity);
        let place = place_words(finding, state);
        let mut put = |mark: &str, words: &str, mark_role: Role, role: Role| {
            if line < inside.height {
                Pen::new(buffer, inside, line)
                    .put_text(mark, on(mark_role))
                    .put_text(words, on(role))
                    .fill_rest(ground);
                rows.push(ProblemLine { row, is_fix: role == Role::Accent });
                line += 1;
            }
        };
        for (part, text) in wrap(&finding.message, wide).iter().enumerate() {
            put(if part == 0 { sign } else { "   " }, text, role, Role::Text);
        }
        if let Some(fix) = finding.fix_words() {
            let key = look.keymap.way_to("apply-fix");
            for line in wrap(&format!("▸ {key} {fix}"), wide) {
                put("   ", &line, Role::Text, Role::Accent);
            }
        }
        for line in wrap(&place, wide) {
            put("   ", &line, Role::Text, Role::Dim);
        }
    }
    rows
}

/// Where a problem is, and its code.
fn place_words(finding: &Finding, state: &State) -> String {
    let site = &finding.site;
    let entry = site.entry.as_ref().and_then(|id| state.catalog.entry(id));
    let key = entry.map(|entry| format!("{} · ", entry.key)).unwrap_or_default();
    format!("{key}{}:{}  {}", site.file, site.line, finding.code)
}

fn sign_of(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => (" ✗ ", Role::Error),
        Severity::Warning => (" ⚠ ", Role::Warning),
        Severity::Note => (" · ", Role::Info),
    }
}
