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
        wrap(&finding.message, wide).len() + 1 + usize::from(finding.fix.is_some())
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
        let key = finding
            .site
            .entry
            .as_ref()
            .and_then(|id| state.catalog.entry(id))
            .map(|entry| format!("{} · ", entry.key))
            .unwrap_or_default();
        let place = format!("{key}{}:{}  {}", finding.site.file, finding.site.line, finding.code);
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
            put("   ", &format!("▸ {key} {fix}"), Role::Text, Role::Accent);
        }
        put("   ", &place, Role::Text, Role::Dim);
    }
    rows
}

fn sign_of(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => (" ✗ ", Role::Error),
        Severity::Warning => (" ⚠ ", Role::Warning),
        Severity::Note => (" · ", Role::Info),
    }
}
