//! One line of text; it grows to a box when lines are pasted into it.

use super::{
    area::{KeyOutcome, TextArea},
    cell::{
        ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget, one_line,
    },
    clip::{clip_answer, requested_clip},
};
use crate::{
    app::input::{Code, Input},
    schema::fields::Presence,
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct Text;

impl Widget for Text {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let text = cell.value_text();
        if text.is_empty() {
            let ghost = context.style(cell.placeholder_role());
            context.draw_line(0, &cell.placeholder_text(), ghost, "");
        } else {
            let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
            context.draw_line(0, &one_line(&text), style, "");
        }
        vec![context.line_hit(0, ANYWHERE)]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Line { input: cell.text_input(), area: None })
    }
}

struct Line {
    input: TextInput,
    /// The box, once there is more than one line.
    area: Option<TextArea>,
}

impl Line {
    fn apply_change(&self, cell: &Cell<'_>, before: &str, key: Option<Code>) -> Answer {
        let text = self.input.text();
        if text != before {
            let cleared = cell.field.node.hints.empty_value.clone().filter(|_| text.is_empty());
            return cleared.map_or_else(|| cell.set_value(text), |value| cell.set_value(value));
        }
        unchanged_answer(cell, text, key)
    }

    fn handle_paste(&mut self, cell: &Cell<'_>, text: &str) -> Answer {
        let before = self.input.text().to_owned();
        if !text.trim_end_matches(['\n', '\r']).contains(['\n', '\r']) {
            self.input.insert(text.trim_end_matches(['\n', '\r']));
            return self.apply_change(cell, &before, None);
        }
        let mut area = TextArea::new(&before);
        area.move_cursor(self.input.cursor());
        area.handle_input(&Input::Paste(text.to_owned()));
        let text = area.text();
        self.area = Some(area);
        cell.set_value(text)
    }
}

impl Editor for Line {
    fn line_count(&self, _cell: &Cell<'_>, width: u16) -> u16 {
        self.area.as_ref().map_or(1, |area| area.line_count(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        if let Some(area) = &mut self.area {
            return area.draw(context, 0);
        }
        draw_line(&mut self.input, cell, context, "");
        vec![context.line_hit(0, ANYWHERE)]
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn text_at_cursor(&self) -> Option<(&str, &str)> {
        let line = || self.input.text().split_at(self.input.cursor());
        Some(self.area.as_ref().map_or_else(line, TextArea::text_at_cursor))
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if let Some(area) = &mut self.area {
            return area_input(area, input, |area| cell.set_value(area.text()));
        }
        if let Some(clip) = requested_clip(input) {
            let taken = self.input.take_clip(clip);
            return clip_answer(clip, taken, || cell.set_value(self.input.text()));
        }
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key) if self.input.handle_key(*key) => {
                self.apply_change(cell, &before, Some(key.code))
            }
            Input::Paste(text) => self.handle_paste(cell, text),
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, _cell: &Cell<'_>, click: Click) -> Answer {
        match (click, &mut self.area) {
            (Click::At { line, column }, Some(area)) => area.click(line, column),
            (Click::At { column, .. }, None) => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, line: i32, column: i32) -> Answer {
        match &mut self.area {
            Some(area) => area.drag(line, column),
            None => self.input.drag(column),
        }
        Answer::Handled
    }

    fn select_word(&mut self) {
        match &mut self.area {
            Some(area) => area.select_word(),
            None => self.input.select_word(),
        }
    }

    fn handle_wheel(&mut self, lines: isize) -> bool {
        self.area.as_mut().is_some_and(|area| area.scroll(lines))
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        let mut keys = vec![("Tab", "next field"), ("Ctrl+Z", "undo typing")];
        if self.area.is_some() {
            keys.splice(..0, [("Enter", "new line"), ("Esc", "done")]);
        } else if self.input.text().is_empty() && cell.field.presence == Presence::Set {
            keys.splice(..0, [("Enter", "accept"), ("Backspace", "unset")]);
        } else {
            keys.insert(0, ("Enter", "accept"));
        }
        keys
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        let text = cell.value_text();
        match &mut self.area {
            Some(area) if area.text() != text => area.replace(&text),
            Some(_) => {}
            // As from an editor outside.
            None if text.contains('\n') => self.area = Some(TextArea::new(&text)),
            None => self.input.replace(&text),
        }
    }
}

/// The answer to a text that was typed, as it was before and is now.
pub(crate) fn typed_answer(cell: &Cell<'_>, text: &str, before: &str, key: Option<Code>) -> Answer {
    if text == before { unchanged_answer(cell, text, key) } else { cell.set_value(text) }
}

/// The answer to a key that left a text as it was: one more Backspace on an empty text takes the text
/// itself away.
pub(crate) fn unchanged_answer(cell: &Cell<'_>, text: &str, key: Option<Code>) -> Answer {
    let removes = matches!(key, Some(Code::Backspace | Code::Delete)) && text.is_empty();
    if removes { cell.unset_value() } else { Answer::Handled }
}

/// What an open box of lines makes of an input; `changed` is the answer to another text in it.
pub(crate) fn area_input(
    area: &mut TextArea,
    input: &Input,
    changed: impl FnOnce(&mut TextArea) -> Answer,
) -> Answer {
    if let Some(clip) = requested_clip(input) {
        return clip_answer(clip, area.take_clip(clip), || changed(area));
    }
    match area.handle_input(input) {
        KeyOutcome::Ignored => Answer::Ignored,
        KeyOutcome::Moved => Answer::Handled,
        KeyOutcome::Changed => changed(area),
    }
}

/// Draws a line that is being typed, or what it would be where nothing is typed; `sign` is at
/// the right edge.
pub(crate) fn draw_line(
    input: &mut TextInput,
    cell: &Cell<'_>,
    context: &mut DrawContext<'_>,
    sign: &str,
) {
    let ground = context.fill_background(0);
    let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
    let signs = u16::try_from(crate::ui::canvas::text_width(sign)).unwrap_or(0);
    let edge = context.area.width.saturating_sub(signs);
    let line =
        ratatui::layout::Rect { width: edge.saturating_sub(u16::from(signs > 0)), ..context.area };
    if input.text().is_empty() {
        let ghost = ground.patch(context.style(Role::Ghost));
        let room = usize::from(line.width).saturating_sub(usize::from(cursor.is_some()));
        let words = crate::ui::canvas::truncate_text(&cell.placeholder_text(), room).into_owned();
        let mut pen = context.pen(0);
        if let Some(cursor) = cursor {
            pen.put_text(" ", cursor);
        }
        pen.put_text(&words, ghost);
    } else {
        input.draw(context.buffer, line, ground, cursor);
    }
    if signs > 0 {
        let (area, key) = (context.area, ground.patch(context.style(Role::Key)));
        context.pen(0).move_to(area, edge).put_text(sign, key);
    }
}
