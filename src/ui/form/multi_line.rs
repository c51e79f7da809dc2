//! Text over several lines: the beginning of it, and an editor when opened.

use unicode_segmentation::UnicodeSegmentation;

use super::{
    area::TextArea,
    cell::{Answer, Cell, Click, ClickArea, DrawContext, Editor, Widget},
    text::area_input,
};
use crate::{
    app::input::{Code, Input},
    ui::{
        canvas::{text_width, wrap},
        styles::Role,
    },
};

pub(crate) struct MultiLine;

/// Lines of a text that are seen while it is not edited.
const SEEN: usize = 3;

/// How many lines are seen: what the uiSchema asks for, else few. Of what isn't set, such as a
/// default, never more than few.
fn visible_lines(cell: &Cell<'_>) -> usize {
    let rows = cell.field.node.hints.rows.map(usize::from);
    match cell.value_text().is_empty() {
        true => rows.unwrap_or(1).min(SEEN),
        false => rows.unwrap_or(SEEN),
    }
}

/// What is shown: the text, or what describes the field where it is empty.
fn shown_text(cell: &Cell<'_>) -> (String, Role) {
    match cell.value_text() {
        text if text.is_empty() => (cell.placeholder_text(), cell.placeholder_role()),
        text => (text, Role::Text),
    }
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

/// How many letters of a text are before each of its lines as they are shown.
fn line_starts(text: &str, lines: &[String]) -> Vec<usize> {
    let text = text.replace('\r', "");
    let mut at = 0;
    let mut starts = Vec::with_capacity(lines.len());
    for line in lines {
        let line = line.trim_end();
        let rest = text.get(at..).unwrap_or_default();
        let Some(before) = rest.find(line) else { break };
        at += before;
        starts.push(text[..at].chars().count());
        at += line.len();
    }
    starts
}

/// The place of a text that is so many cells behind so many letters, on the same line.
fn place_at(text: &str, letters: usize, cells: u16) -> usize {
    let start = text.char_indices().nth(letters).map_or(text.len(), |(at, _)| at);
    let line = text[start..].split('\n').next().unwrap_or_default();
    let mut passed = 0;
    for (at, cluster) in line.grapheme_indices(true) {
        passed += text_width(cluster);
        if passed > usize::from(cells) {
            return start + at;
        }
    }
    start + line.len()
}

impl Widget for MultiLine {
    fn line_count(&self, cell: &Cell<'_>, width: u16) -> u16 {
        let (lines, _) = preview(&shown_text(cell).0, (width, visible_lines(cell)));
        u16::try_from(lines.len()).unwrap_or(1).max(1)
    }

    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let (text, role) = shown_text(cell);
        let style = ratatui::style::Style { bg: None, ..context.style(role) };
        let (lines, more) = preview(&text, (context.area.width, visible_lines(cell)));
        let last = lines.len().saturating_sub(1);
        for (line, text) in (0_u16..).zip(&lines) {
            let is_last = usize::from(line) == last;
            let cut = if is_last && more { format!("{text} …") } else { text.clone() };
            context.draw_line(line, &cut, style, if is_last { "⏎" } else { "" });
        }
        let starts = line_starts(&cell.value_text(), &lines);
        (0..context.area.height)
            .map(|line| match starts.get(usize::from(line)) {
                Some(letters) => {
                    context.line_hit(line, Click::Letter { letters: *letters, cells: 0 })
                }
                None => context.line_hit(line, Click::Open),
            })
            .collect()
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Lines::default())
    }
}

#[derive(Default)]
struct Lines {
    area: Option<TextArea>,
    /// The text ended with a line break when it was opened.
    ends: bool,
}

impl Lines {
    fn open(&mut self, cell: &Cell<'_>) -> &mut TextArea {
        let text = cell.edited_text();
        if self.area.is_none() {
            self.ends = text.ends_with('\n');
        }
        self.area.get_or_insert_with(|| {
            let mut area = TextArea::new(&text);
            if cell.offered_text().is_some() {
                area.select_from_top();
            }
            area
        })
    }

    /// The text as it is written: a line break at the end is what Enter left there by mistake,
    /// unless it was there before.
    fn written(text: &str, ends: bool) -> &str {
        if ends { text } else { text.trim_end_matches(['\r', '\n']) }
    }
}

impl Editor for Lines {
    fn line_count(&self, cell: &Cell<'_>, width: u16) -> u16 {
        self.area
            .as_ref()
            .map_or_else(|| MultiLine.line_count(cell, width), |area| area.line_count(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        match &mut self.area {
            Some(area) => area.draw(context, 0),
            None => MultiLine.draw_unfocused(cell, context),
        }
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn text_at_cursor(&self) -> Option<(&str, &str)> {
        self.area.as_ref().map(TextArea::text_at_cursor)
    }

    fn is_open(&self) -> bool {
        self.area.is_some()
    }

    fn is_text(&self) -> bool {
        self.area.is_some()
    }

    fn close(&mut self) {
        self.area = None;
    }

    fn on_activate(&mut self, cell: &Cell<'_>) {
        self.open(cell);
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let Some(area) = &mut self.area else {
            return match input {
                Input::Key(key) if key.is_plain(Code::Enter) => {
                    self.open(cell);
                    Answer::Handled
                }
                Input::Key(key)
                    if matches!(key.code, Code::Backspace | Code::Delete)
                        && cell.value_text().is_empty() =>
                {
                    cell.unset_value()
                }
                Input::Key(key) if key.typed_char().is_none() && !key.is_plain(Code::Backspace) => {
                    Answer::Ignored
                }
                Input::Mouse(_) => Answer::Ignored,
                typed => {
                    self.open(cell);
                    self.handle_input(cell, typed)
                }
            };
        };
        // One more Backspace on an empty text takes the text itself away.
        if matches!(input, Input::Key(key) if key.is_plain(Code::Backspace))
            && area.text().is_empty()
        {
            // Of a default, which is shown then, nothing is deleted by the next one.
            if cell.field.node.default.is_some() {
                self.area = None;
            }
            return cell.unset_value();
        }
        let ends = self.ends;
        area_input(area, input, |area| cell.set_value(Self::written(&area.text(), ends).to_owned()))
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, line: i32, column: i32) -> Answer {
        if let Some(area) = &mut self.area {
            area.drag(line, column);
        }
        Answer::Handled
    }

    fn select_word(&mut self) {
        if let Some(area) = &mut self.area {
            area.select_word();
        }
    }

    fn handle_wheel(&mut self, lines: isize) -> bool {
        self.area.as_mut().is_some_and(|area| area.scroll(lines))
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.area {
            Some(_) if cell.offered_text().is_some() => {
                vec![("type", "replace the default"), ("←→↑↓", "edit it"), ("Esc", "done")]
            }
            Some(_) => vec![
                ("Enter", "new line"),
                ("Esc", "done"),
                ("Tab", "next"),
                ("Shift+←→↑↓", "select"),
                ("Ctrl+Z", "undo typing"),
            ],
            None => vec![("Enter", "edit")],
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match (&mut self.area, click) {
            (Some(area), Click::At { line, column }) => area.click(line, column),
            // The text is shown otherwise while it isn't edited.
            (None, Click::Letter { letters, cells }) => {
                let area = self.open(cell);
                let to = place_at(area.plain_text(), letters, cells);
                area.move_cursor(to);
            }
            (None, _) => drop(self.open(cell)),
            _ => {}
        }
        Answer::Handled
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        let (value, ends) = (cell.edited_text(), self.ends);
        let differs = |area: &&mut TextArea| Self::written(&area.text(), ends) != value;
        if let Some(area) = self.area.as_mut().filter(differs) {
            area.replace(&value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_on_a_shown_line_is_a_place_of_the_text() {
        let text = "A paragraph of some words.\r\n\r\nAnother 日本 one.";
        let (lines, _) = preview(text, (14, 8));
        let starts = line_starts(text, &lines);
        let plain = text.replace('\r', "");
        for (line, start) in lines.iter().zip(&starts) {
            let at = place_at(&plain, *start, 0);
            assert!(plain[at..].starts_with(line.trim_end()), "{line:?} {at} of {lines:?}");
        }
        let row = lines.iter().position(|line| line.contains("日")).unwrap();
        let before = &lines[row][..lines[row].find('本').unwrap()];
        let cells = u16::try_from(text_width(before)).unwrap();
        // Either half of a wide letter is that letter.
        for cells in [cells, cells + 1] {
            assert!(plain[place_at(&plain, starts[row], cells)..].starts_with('本'));
        }
        assert_eq!(place_at(&plain, 0, 999), plain.find('\n').unwrap());
        // A wide space that begins a row is its own.
        for text in ["日本語\u{3000}日本語", "one\u{a0}two three\u{3000}four"] {
            for cells in 3..12 {
                let (lines, _) = preview(text, (cells, 8));
                assert_eq!(line_starts(text, &lines).len(), lines.len(), "{lines:?}");
            }
        }
    }
}
