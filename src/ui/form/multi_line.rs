//! Text over several lines: the beginning of it, and an editor when opened.

use super::{
    area::Area,
    cell::{Answer, Cell, Click, DrawContext, Editor, Hit, Widget},
    text::area_input,
};
use crate::{
    app::input::{Code, Input},
    schema::fields::Presence,
    ui::{canvas::wrap, styles::Role},
};

pub(crate) struct MultiLine;

/// Lines of a text that are seen while it is not edited.
const SEEN: usize = 3;

/// How many lines are seen: what the uiSchema asks for, else few.
fn seen(cell: &Cell<'_>) -> usize {
    cell.field.node.hints.rows.map_or(SEEN, usize::from)
}

/// The first lines of a text as they are shown, and whether there are more.
fn preview(text: &str, (cells, seen): (u16, usize)) -> (Vec<String>, bool) {
    let cells = usize::from(cells.saturating_sub(2).max(1));
    let head: String = text.chars().take(cells * (seen + 1)).collect();
    let mut lines = wrap(&head.replace('\r', ""), cells);
    let more = lines.len() > seen || head.len() < text.len();
    lines.truncate(seen);
    (lines, more)
}

impl Widget for MultiLine {
    fn lines(&self, cell: &Cell<'_>, width: u16) -> u16 {
        let least = cell.field.node.hints.rows.unwrap_or(1);
        match cell.field.presence {
            Presence::Set => u16::try_from(preview(&cell.text(), (width, seen(cell))).0.len())
                .unwrap_or(1)
                .max(least),
            _ => least,
        }
    }

    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let text = cell.text();
        if text.is_empty() {
            let ghost = context.style(Role::Ghost);
            context.line(0, &cell.ghost(), ghost, "⏎");
            return vec![context.whole(0, Click::Open)];
        }
        let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
        let (lines, more) = preview(&text, (context.area.width, seen(cell)));
        let last = lines.len().saturating_sub(1);
        for (line, text) in (0_u16..).zip(&lines) {
            let is_last = usize::from(line) == last;
            let cut = if is_last && more { format!("{text} …") } else { text.clone() };
            context.line(line, &cut, style, if is_last { "⏎" } else { "" });
        }
        (0..context.area.height).map(|line| context.whole(line, Click::Open)).collect()
    }

    fn edit(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Lines { area: None })
    }
}

struct Lines {
    area: Option<Area>,
}

impl Editor for Lines {
    fn lines(&self, cell: &Cell<'_>, width: u16) -> u16 {
        self.area.as_ref().map_or_else(|| MultiLine.lines(cell, width), |area| area.lines(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        match &mut self.area {
            Some(area) => area.draw(context, 0),
            None => MultiLine.show(cell, context),
        }
    }

    fn typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        self.area.is_some()
    }

    fn close(&mut self) {
        self.area = None;
    }

    fn wake(&mut self, cell: &Cell<'_>) {
        self.area.get_or_insert_with(|| Area::new(&cell.text()));
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let Some(area) = &mut self.area else {
            return match input {
                Input::Key(key) if key.is(Code::Enter) => {
                    self.area = Some(Area::new(&cell.text()));
                    Answer::Handled
                }
                Input::Key(key)
                    if matches!(key.code, Code::Backspace | Code::Delete)
                        && cell.text().is_empty() =>
                {
                    cell.unset()
                }
                Input::Key(key) if key.letter().is_none() && !key.is(Code::Backspace) => {
                    Answer::Ignored
                }
                Input::Mouse(_) => Answer::Ignored,
                typed => {
                    self.area = Some(Area::new(&cell.text()));
                    self.input(cell, typed)
                }
            };
        };
        // One more Backspace on an empty text takes the text itself away.
        if matches!(input, Input::Key(key) if key.is(Code::Backspace)) && area.text().is_empty() {
            return cell.unset();
        }
        area_input(area, cell, input)
    }

    fn drag(&mut self, _cell: &Cell<'_>, line: i32, column: i32) -> Answer {
        if let Some(area) = &mut self.area {
            area.drag(line, column);
        }
        Answer::Handled
    }

    fn wheel(&mut self, lines: isize) -> bool {
        self.area.as_mut().is_some_and(|area| area.wheel(lines))
    }

    fn keys(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.area {
            Some(_) => vec![
                ("Enter", "new line"),
                ("Esc", "done"),
                ("Shift+←→↑↓", "select"),
                ("Ctrl+Z", "undo typing"),
            ],
            None => vec![("Enter", "write")],
        }
    }

    fn click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match (&mut self.area, click) {
            (Some(area), Click::At { line, column }) => area.click(line, column),
            (None, _) => self.area = Some(Area::new(&cell.text())),
            _ => {}
        }
        Answer::Handled
    }

    fn sync(&mut self, cell: &Cell<'_>) {
        if let Some(area) = self.area.as_mut().filter(|area| area.text() != cell.text()) {
            area.replace(&cell.text());
        }
    }
}
