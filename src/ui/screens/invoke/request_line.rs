//! A line of what will be sent, and why nothing will be.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{actions::ActionId, state::State},
    model::{
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    schema::count::count_text,
    ui::{
        canvas::{Pen, text_width, visible_text, wrap},
        styles::Role,
        view::Look,
    },
};

/// The cells of a line's name.
const NAME: usize = 10;

/// One line of the request as it will be sent.
pub(super) struct RequestLine {
    pub name: &'static str,
    pub text: String,
    pub role: Role,
    /// What a press on it does.
    pub act: Option<ActionId>,
}

impl RequestLine {
    pub fn new(name: &'static str, text: impl Into<String>, role: Role) -> Self {
        Self { name, text: text.into(), role, act: None }
    }
}

/// Why there is no request, and what to do.
pub(super) fn problem_lines(problem: &Problem, cells: usize) -> Vec<RequestLine> {
    let role = if problem.kind == ProblemKind::Input { Role::Warning } else { Role::Error };
    let line = |role| move |text: String| RequestLine::new("", text, role);
    let mut lines: Vec<_> =
        wrap(&visible_text(&problem.cause), cells).into_iter().map(line(role)).collect();
    if let Some(first) = lines.first_mut() {
        first.name = "no call";
    }
    lines.extend(wrap(&visible_text(&problem.remedy), cells).into_iter().map(line(Role::Info)));
    lines
}

/// Draws the lines below a rule, from `scroll` on, which is kept within them.
pub(super) fn draw_lines(
    buffer: &mut Buffer,
    area: Rect,
    look: Look<'_>,
    lines: &[RequestLine],
    scroll: &mut usize,
) {
    if area.height < 2 {
        return;
    }
    let styles = look.styles;
    Pen::new(buffer, area, 0).put_text(&"─".repeat(usize::from(area.width)), styles[Role::Border]);
    let seen = usize::from(area.height - 1);
    *scroll = (*scroll).min(lines.len().saturating_sub(seen));
    for (row, line) in (1_u16..).zip(lines.iter().skip(*scroll).take(seen)) {
        Pen::new(buffer, area, row)
            .put_column(line.name, NAME, styles[Role::Label])
            .put_text(&line.text, styles[line.role]);
        let cells = u16::try_from(NAME + text_width(&line.text)).unwrap_or(u16::MAX);
        let place = Rect { y: area.y + row, height: 1, width: cells.min(area.width), ..area };
        if let Some(act) = line.act {
            look.mouse.presses(place, act);
        }
    }
    if *scroll + seen < lines.len() {
        let more = count_text(lines.len() - *scroll - seen, "more line", "more lines");
        let more = format!(" … {more}");
        Pen::new(buffer, area, area.height - 1).put_right(&more, styles[Role::Dim]);
    }
}

/// What the pane of a request is called: the tool, and what answers for it.
pub(super) fn request_title(tool: &Tool, state: &State) -> String {
    let beside = match state.deployed_on(tool.id()) {
        Some(connection) => format!("deployed on {connection}"),
        None => {
            let service = tool.service.as_ref().filter(|service| !service.is_empty());
            service.unwrap_or(&tool.kind).clone()
        }
    };
    // A connection that was chosen counts for a server's tools too.
    let connections = &state.network.connections;
    let is_elsewhere =
        |chosen: &&String| connections.assigned_name(tool).is_some_and(|own| own != **chosen);
    match connections.chosen.as_ref().filter(is_elsewhere) {
        Some(chosen) => format!("{} · {beside}, called on {chosen}", tool.label()),
        None => format!("{} · {beside}", tool.label()),
    }
}
