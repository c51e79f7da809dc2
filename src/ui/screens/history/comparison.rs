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
        answer::draw::indented,
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
    pub(super) fn sync(&mut self, state: &State) {
        let wanted = state.kept.compared.as_ref();
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
        let texts = [compare::text(before), compare::text(after)];
        self.views = [text_lines(&texts), json_lines(&texts), time_lines(before, after)];
        self.title = format!("{} compared", after.head.tool);
    }

    pub(super) fn next_view(&mut self) {
        self.tabs.at = (self.tabs.at + 1) % VIEWS.len();
        self.cursor = ListCursor::default();
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        let lines = &self.views[self.tabs.at.min(VIEWS.len() - 1)];
        let foot = self.cursor.position(lines.len()).unwrap_or_default();
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
        self.body = indented(Rect { y: inside.y + 1, height: inside.height - 1, ..inside });
        for (line, row) in (0_u16..).zip(self.cursor.window(lines.len(), self.body.height)) {
            let mut pen = Pen::new(buffer, self.body, line);
            for (role, text) in &lines[row] {
                pen.put(text, look.styles[*role]);
            }
        }
    }

    pub(super) fn input(&mut self, input: &Input) -> Reply {
        let lines = self.views[self.tabs.at.min(VIEWS.len() - 1)].len();
        match input {
            Input::Key(key) if self.cursor.key(*key, lines) => Reply::Handled,
            Input::Mouse(mouse) => {
                if !self.tabs.mouse(*mouse)
                    && let MouseKind::Wheel(notches) = mouse.kind
                {
                    self.cursor.wheel(notches, lines);
                }
                Reply::Handled
            }
            _ => Reply::Ignored,
        }
    }
}

fn line(role: Role, text: impl Into<String>) -> Line {
    vec![(role, text.into())]
}

fn text_lines(texts: &[String; 2]) -> Vec<Line> {
    let [before, after] = texts;
    if before == after {
        return vec![line(Role::Success, "the answers are the same")];
    }
    if before.len().max(after.len()) > LARGEST_COMPARED {
        let most = size::bytes(LARGEST_COMPARED as u64);
        return vec![line(
            Role::Warning,
            format!("the answers differ; they are compared line by line up to {most}"),
        )];
    }
    difference::lines(before, after)
}

fn json_lines(texts: &[String; 2]) -> Vec<Line> {
    let parsed = texts.each_ref().map(|text| serde_json::from_str::<Value>(text));
    let [Ok(before), Ok(after)] = parsed else {
        return vec![line(Role::Dim, "not both answers are JSON")];
    };
    let found = compare::json(&before, &after);
    if found.is_empty() {
        return vec![line(Role::Success, "both hold the same JSON")];
    }
    let mut lines = Vec::new();
    for one in found {
        let at = if one.at.is_root() { "the whole".to_owned() } else { one.at.to_string() };
        lines.push(line(Role::Heading, at));
        lines.extend(one.before.map(|value| line(Role::Removed, format!("- {value}"))));
        lines.extend(one.after.map(|value| line(Role::Added, format!("+ {value}"))));
    }
    lines
}

fn time_lines(before: &Trace, after: &Trace) -> Vec<Line> {
    let rows = compare::times(before, after);
    let wide = rows.iter().map(|row| row.before.chars().count()).max().unwrap_or_default();
    let row = |row: compare::Measure| {
        let role = if row.before == row.after { Role::Dim } else { Role::Text };
        vec![
            (Role::Label, format!("{:<18}", row.name)),
            (role, format!("{:>wide$}  →  ", row.before)),
            (role, row.after),
        ]
    };
    rows.into_iter().map(row).collect()
}
