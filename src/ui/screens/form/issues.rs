//! All issues in a list; choosing one goes to its field.

use ratatui::{Frame, layout::Rect};

use crate::{
    app::input::Input,
    schema::pointer::Pointer,
    ui::{
        canvas::{Pen, text_width, truncate_text, visible_text},
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
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        form: &Form,
        focused: bool,
    ) {
        let entries = entries(form);
        let title =
            pane_title(form.schema_findings().len(), entries.len() - form.schema_findings().len());
        let styles = look.styles;
        let inside = Pane { title: &title, focused, ..Pane::default() }.draw(
            frame.buffer_mut(),
            area,
            styles,
        );
        self.area = inside;
        if entries.is_empty() {
            let words = "matches the schema";
            Pen::new(frame.buffer_mut(), inside, 0).skip(1).put_text(words, styles[Role::Dim]);
        }
        let window = self.list.visible_rows(entries.len(), inside.height);
        self.list.draw_position(entries.len(), frame.buffer_mut(), area, styles);
        for (line, row) in (0_u16..).zip(window) {
            let entry = &entries[row];
            let chosen = focused && row == self.list.row;
            let ground = if chosen { styles[Role::Selected] } else { styles[Role::Text] };
            let room = usize::from(inside.width).saturating_sub(2);
            let place = text_tail(
                &visible_text(&entry.place),
                room.saturating_sub(text_width(&entry.words) + 1).max(room / 3),
            );
            let mut pen = Pen::new(frame.buffer_mut(), inside, line);
            let style = |role: Role| if chosen { ground } else { styles[role] };
            pen.put_text(" ", ground).put_text(&place, style(Role::Label)).put_text(" ", ground);
            let words =
                truncate_text(&visible_text(&entry.words), pen.remaining_cells()).into_owned();
            pen.put_text(&words, style(Role::Error)).fill_rest(ground);
        }
    }

    /// Whether the input was for the list.
    pub(super) fn handle_input(&mut self, input: &Input, rows: usize) -> bool {
        match input {
            Input::Key(key) => self.list.handle_key(*key, rows),
            Input::Mouse(mouse) => self.list.handle_mouse(*mouse, self.area, rows).is_some(),
            Input::Paste(_) => false,
        }
    }

    pub(super) fn chosen_place(&self, form: &Form) -> Option<Pointer> {
        entries(form).into_iter().nth(self.list.row)?.at
    }
}

/// A row of the list; what is wrong with the schema is first and is no place of the document.
struct Entry {
    at: Option<Pointer>,
    place: String,
    words: String,
}

fn entries(form: &Form) -> Vec<Entry> {
    let named = |at: &Pointer, whole: &str| {
        if at.is_root() { whole.to_owned() } else { at.words_in(form.value()) }
    };
    let faults = form.schema_findings().iter().map(|finding| {
        let at = &finding.at;
        let within = if at.is_root() { "all of it".to_owned() } else { at.tokens().join(" › ") };
        let place = format!("schema: {within}");
        Entry { at: None, place, words: finding.words.clone() }
    });
    let issues = form.all_issues().into_iter();
    let issues = issues.map(|issue| Entry {
        place: named(&issue.at, "the document"),
        words: issue.words,
        at: Some(issue.at),
    });
    faults.chain(issues).collect()
}

/// How many rows the list has.
pub(super) fn entry_count(form: &Form) -> usize {
    form.schema_findings().len() + form.all_issues().len()
}

fn pane_title(faults: usize, issues: usize) -> String {
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let faults = counted(faults, "schema error", "schema errors");
    let said: Vec<String> = faults.into_iter().chain(counted(issues, "issue", "issues")).collect();
    if said.is_empty() { "✓ no issue".to_owned() } else { format!("⚠ {}", said.join(", ")) }
}

/// The end of a place that is too long, which says most.
fn text_tail(place: &str, cells: usize) -> String {
    if text_width(place) <= cells {
        return place.to_owned();
    }
    let mut from = place.char_indices().map(|(at, _)| at);
    let end = from.find(|at| text_width(&place[*at..]) < cells).unwrap_or(place.len());
    format!("…{}", &place[end..])
}
