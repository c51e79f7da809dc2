//! Two kept calls beside each other: their answers line by line, their JSON place by place, their
//! times.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;

use crate::{
    app::{
        history::LARGEST_COMPARED,
        input::{Input, MouseKind},
        state::State,
    },
    engine::trace::compare,
    model::{size, trace::Trace},
    ui::{
        answer::draw::inset_area,
        canvas::Pen,
        styles::Role,
        view::{Look, Reply},
        widgets::{
            difference::{self, Line},
            list::ListCursor,
            pane::Pane,
            tabs::Tabs,
        },
    },
};

const VIEWS: [&str; 3] = ["Text", "JSON", "Times"];

#[derive(Default)]
pub(super) struct Comparison {
    of: Option<Arc<[Trace; 2]>>,
    tabs: Tabs,
    /// The lines of each view.
    views: [Vec<Line>; 3],
    title: String,
    cursor: ListCursor,
    body: Rect,
}

impl Comparison {
    pub(super) fn sync_state(&mut self, state: &State) {
        let wanted = state.invoke.kept.compared.as_ref();
        let same = match (wanted, &self.of) {
            (Some(wanted), Some(of)) => Arc::ptr_eq(wanted, of),
            (None, None) => true,
            _ => false,
        };
        if same {
            return;
        }
        self.of = wanted.cloned();
        self.cursor = ListCursor::default();
        let Some(of) = &self.of else { return self.views = Default::default() };
        let [before, after] = &**of;
        let texts = [compare::answer_text(before), compare::answer_text(after)];
        self.views = [text_lines(&texts), json_lines(&texts), time_lines(before, after)];
        self.title = format!("{} compared", after.head.tool);
    }

    pub(super) fn next_view(&mut self) {
        self.tabs.at = (self.tabs.at + 1) % VIEWS.len();
        self.cursor = ListCursor::default();
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        let lines = &self.views[self.tabs.at.min(VIEWS.len() - 1)];
        let foot = self.cursor.position_text(lines.len()).unwrap_or_default();
        let inside = Pane { title: &self.title, foot: &foot, focused, ..Pane::default() }.draw(
            buffer,
            area,
            look.styles,
        );
        if inside.height < 2 {
            return;
        }
        let names = VIEWS.map(str::to_owned);
        self.tabs.draw(
            buffer,
            Rect { height: 1, ..inside },
            &names,
            "- marked or earlier  + this one ",
            look.styles,
        );
        self.body = inset_area(Rect { y: inside.y + 1, height: inside.height - 1, ..inside });
        for (line, row) in (0_u16..).zip(self.cursor.visible_rows(lines.len(), self.body.height)) {
            let mut pen = Pen::new(buffer, self.body, line);
            for (role, text) in &lines[row] {
                pen.put_text(text, look.styles[*role]);
            }
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> Reply {
        let lines = self.views[self.tabs.at.min(VIEWS.len() - 1)].len();
        match input {
            Input::Key(key) if self.cursor.handle_key(*key, lines) => Reply::Handled,
            Input::Mouse(mouse) => {
                if !self.tabs.handle_mouse(*mouse)
                    && let MouseKind::Wheel(notches) = mouse.kind
                {
                    self.cursor.handle_wheel(notches, lines);
                }
                Reply::Handled
            }
            _ => Reply::Ignored,
        }
    }
}

fn text_line(role: Role, text: impl Into<String>) -> Line {
    vec![(role, text.into())]
}

fn text_lines(texts: &[String; 2]) -> Vec<Line> {
    let [before, after] = texts;
    if before == after {
        return vec![text_line(Role::Success, "the answers are the same")];
    }
    if before.len().max(after.len()) > LARGEST_COMPARED {
        let most = size::format_size(LARGEST_COMPARED as u64);
        return vec![text_line(
            Role::Warning,
            format!("the answers differ; they are compared line by line up to {most}"),
        )];
    }
    difference::diff_with_context(before, after)
}

fn json_lines(texts: &[String; 2]) -> Vec<Line> {
    let parsed = texts.each_ref().map(|text| serde_json::from_str::<Value>(text));
    let [Ok(before), Ok(after)] = parsed else {
        return vec![text_line(Role::Dim, "not both answers are JSON")];
    };
    let found = compare::compare_json(&before, &after);
    if found.is_empty() {
        return vec![text_line(Role::Success, "both hold the same JSON")];
    }
    let mut lines = Vec::new();
    for one in found {
        let at = if one.at.is_root() { "the whole".to_owned() } else { one.at.to_string() };
        lines.push(text_line(Role::Heading, at));
        lines.extend(one.before.map(|value| text_line(Role::Removed, format!("- {value}"))));
        lines.extend(one.after.map(|value| text_line(Role::Added, format!("+ {value}"))));
    }
    lines
}

fn time_lines(before: &Trace, after: &Trace) -> Vec<Line> {
    let rows = compare::compare_times(before, after);
    let wide = rows.iter().map(|row| row.before.chars().count()).max().unwrap_or_default();
    let row = |row: compare::ComparedMeasure| {
        let role = if row.before == row.after { Role::Dim } else { Role::Text };
        vec![
            (Role::Label, format!("{:<18}", row.name)),
            (role, format!("{:>wide$}  →  ", row.before)),
            (role, row.after),
        ]
    };
    rows.into_iter().map(row).collect()
}
