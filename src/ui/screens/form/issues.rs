//! All issues in a list; choosing one goes to its field.

use ratatui::{Frame, layout::Rect};

use crate::{
    app::input::Input,
    schema::pointer::Pointer,
    ui::{
        canvas::{Pen, fit, visible, width},
        form::view::Form,
        styles::Role,
        view::Look,
        widgets::{list::ListCursor, pane::Pane},
    },
};

#[derive(Default)]
pub(super) struct IssuesPane {
    list: ListCursor,
    area: Rect,
}

impl IssuesPane {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, form: &Form, focused: bool) {
        let issues = form.told();
        let title = match (form.findings().len(), issues.len()) {
            (0, 0) => "✓ no issue".to_owned(),
            (0, 1) => "⚠ 1 issue".to_owned(),
            (0, count) => format!("⚠ {count} issues"),
            (1, _) => "⚠ the schema has a fault".to_owned(),
            (count, _) => format!("⚠ the schema has {count} faults"),
        };
        let foot = self.list.position(issues.len()).unwrap_or_default();
        let styles = look.styles;
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }.draw(frame.buffer_mut(), area, styles);
        self.area = inside;
        if issues.is_empty() {
            let words = if form.findings().is_empty() { "it is as the schema wants it" } else { "nothing can be checked by it" };
            Pen::new(frame.buffer_mut(), inside, 0).skip(1).put(words, styles[Role::Dim]);
        }
        let window = self.list.window(issues.len(), inside.height);
        for (line, row) in (0_u16..).zip(window) {
            let issue = &issues[row];
            let chosen = focused && row == self.list.row;
            let ground = if chosen { styles[Role::Selected] } else { styles[Role::Text] };
            let place = if issue.at.is_root() { "the document".to_owned() } else { issue.at.tokens().join(" › ") };
            let room = usize::from(inside.width).saturating_sub(2);
            let place = tail(&visible(&place), room.saturating_sub(width(&issue.words) + 1).max(room / 3));
            let mut pen = Pen::new(frame.buffer_mut(), inside, line);
            let style = |role: Role| if chosen { ground } else { styles[role] };
            pen.put(" ", ground).put(&place, style(Role::Label)).put(" ", ground);
            let words = fit(&visible(&issue.words), pen.room()).into_owned();
            pen.put(&words, style(Role::Error)).fill(ground);
        }
    }

    /// Whether the input was for the list.
    pub(super) fn input(&mut self, input: &Input, rows: usize) -> bool {
        match input {
            Input::Key(key) => self.list.key(*key, rows),
            Input::Mouse(mouse) => self.list.mouse(*mouse, self.area, rows).is_some(),
            Input::Paste(_) => false,
        }
    }

    pub(super) fn chosen(&self, form: &Form) -> Option<Pointer> {
        form.told().get(self.list.row).map(|issue| issue.at.clone())
    }
}

/// The end of a place that is too long, which tells most.
fn tail(place: &str, cells: usize) -> String {
    if width(place) <= cells {
        return place.to_owned();
    }
    let mut from = place.char_indices().map(|(at, _)| at);
    let end = from.find(|at| width(&place[*at..]) < cells).unwrap_or(place.len());
    format!("…{}", &place[end..])
}
