//! What of a test's expectations the answer doesn't meet, above the answer.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    model::{call::Call, case_result::Unmet},
    ui::{
        canvas::{Pen, truncate_text, wrap},
        styles::Role,
        view::Look,
    },
};

/// So many cells of what is expected are shown, such as of a long JSON.
const EXPECTED: usize = 200;

/// Draws it in at most half of the area; answers the area below.
pub(super) fn draw_unmet(buffer: &mut Buffer, area: Rect, look: Look<'_>, call: &Call) -> Rect {
    let unmet = call.tested.as_ref().map_or(&[][..], |tested| &tested.unmet);
    let most = usize::from(area.height / 2);
    if unmet.is_empty() || most < 2 {
        return area;
    }
    let mut lines = unmet_lines(unmet, usize::from(area.width), most - 1, call.problem().is_some());
    let key = look.keymap.way_to("cases");
    lines.push((Role::Info, format!("▸ {key} edits the case, or accepts this answer")));
    let height = u16::try_from(lines.len()).unwrap_or(area.height / 2);
    for (row, (role, words)) in (0_u16..).zip(&lines) {
        Pen::new(buffer, area, row).put_text(words, look.styles[*role]);
    }
    let last = Rect { y: area.y + height - 1, height: 1, ..area };
    look.mouse.reads(Rect { height: height - 1, ..area });
    look.mouse.presses(last, "cases");
    Rect { y: area.y + height, height: area.height - height, ..area }
}

/// The lines of all that fit; why the call ended otherwise is said below, where that `has_problem`.
fn unmet_lines(
    unmet: &[Unmet],
    cells: usize,
    most: usize,
    has_problem: bool,
) -> Vec<(Role, String)> {
    let lines_of = |unmet: &Unmet| {
        let expected = truncate_text(&unmet.expected, EXPECTED);
        let wanted = wrap(&format!("✗ {}: expected {expected}", unmet.what), cells);
        let is_said = has_problem && unmet.what == "outcome";
        let came = if is_said { String::new() } else { format!("but {}", unmet.difference) };
        let came = wrap(&came, cells.saturating_sub(2).max(1));
        let came = came.into_iter().filter(|line| !line.is_empty());
        let wanted = wanted.into_iter().map(|line| (Role::Error, line));
        wanted.chain(came.map(|line| (Role::Warning, format!("  {line}"))))
    };
    let mut lines: Vec<_> = unmet.iter().flat_map(lines_of).take(most + 1).collect();
    if lines.len() > most {
        lines.truncate(most.saturating_sub(1));
        lines.push((Role::Warning, "  …".to_owned()));
    }
    lines
}
