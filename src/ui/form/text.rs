//! One line of text; it grows to a box when lines are pasted into it.

use super::{
    area::{Area, Typed},
    cell::{ANYWHERE, Answer, Ask, Cell, Click, DrawContext, Editor, Hit, Look, Widget, one_line},
    clip::{self, Clip},
};
use crate::{
    app::input::{Code, Input},
    schema::fields::Presence,
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct Text;

impl Widget for Text {
    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let text = cell.text();
        if text.is_empty() {
            let ghost = context.style(Role::Ghost);
            context.line(0, &cell.ghost(), ghost, "");
        } else {
            let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
            context.line(0, &one_line(&text), style, "");
        }
        vec![context.whole(0, ANYWHERE)]
    }

    fn edit(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Line { input: cell.input(), area: None })
    }
}

struct Line {
    input: TextInput,
    /// The box, once there is more than one line.
    area: Option<Area>,
}

impl Line {
    fn changed(&self, cell: &Cell<'_>, before: &str, key: Option<Code>) -> Answer {
        let text = self.input.text();
        if text != before {
            let cleared = cell.field.node.hints.empty_value.clone().filter(|_| text.is_empty());
            return cleared.map_or_else(|| cell.set(text), |value| cell.set(value));
        }
        // One more Backspace on an empty text takes the text itself away.
        let removes = matches!(key, Some(Code::Backspace | Code::Delete)) && text.is_empty();
        if removes { cell.unset() } else { Answer::Handled }
    }

    fn clip(&mut self, cell: &Cell<'_>, clip: Clip) -> Answer {
        match clip {
            Clip::Copy => clip::copy(self.input.selected()),
            Clip::Cut => self
                .input
                .cut()
                .map_or(Answer::Ignored, |text| clip::cut(text, cell.set(self.input.text()))),
        }
    }

    fn paste(&mut self, cell: &Cell<'_>, text: &str) -> Answer {
        let before = self.input.text().to_owned();
        if !text.trim_end_matches(['\n', '\r']).contains(['\n', '\r']) {
            self.input.insert(text.trim_end_matches(['\n', '\r']));
            return self.changed(cell, &before, None);
        }
        let mut area = Area::new(&before);
        area.go(self.input.cursor());
        area.input(&Input::Paste(text.to_owned()));
        let text = area.text();
        self.area = Some(area);
        cell.set(text)
    }
}

impl Editor for Line {
    fn lines(&self, _cell: &Cell<'_>, width: u16) -> u16 {
        self.area.as_ref().map_or(1, |area| area.lines(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        if let Some(area) = &mut self.area {
            return area.draw(context, 0);
        }
        draw_line(&mut self.input, cell, context, "");
        vec![context.whole(0, ANYWHERE)]
    }

    fn typing(&self) -> bool {
        true
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if let Some(area) = &mut self.area {
            return area_input(area, cell, input);
        }
        if let Some(clip) = clip::asked(input) {
            return self.clip(cell, clip);
        }
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) if key.is(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key) if self.input.key(*key) => self.changed(cell, &before, Some(key.code)),
            Input::Paste(text) => self.paste(cell, text),
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, _cell: &Cell<'_>, click: Click) -> Answer {
        match (click, &mut self.area) {
            (Click::At { line, column }, Some(area)) => area.click(line, column),
            (Click::At { column, .. }, None) => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn drag(&mut self, _cell: &Cell<'_>, line: i32, column: i32) -> Answer {
        match &mut self.area {
            Some(area) => area.drag(line, column),
            None => self.input.drag(column),
        }
        Answer::Handled
    }

    fn wheel(&mut self, lines: isize) -> bool {
        self.area.as_mut().is_some_and(|area| area.wheel(lines))
    }

    fn keys(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        let mut keys = vec![("Shift+←→", "select"), ("Ctrl+Z", "undo typing")];
        if self.area.is_some() {
            keys.insert(0, ("Enter", "new line"));
        } else if self.input.text().is_empty() && cell.field.presence == Presence::Set {
            keys.insert(0, ("Backspace", "unset"));
        }
        keys
    }

    fn sync(&mut self, cell: &Cell<'_>) {
        match &mut self.area {
            Some(area) if area.text() != cell.text() => area.replace(&cell.text()),
            Some(_) => {}
            None => self.input.replace(&cell.text()),
        }
    }
}

/// What an open box of lines makes of an input.
pub(crate) fn area_input(area: &mut Area, cell: &Cell<'_>, input: &Input) -> Answer {
    match clip::asked(input) {
        Some(Clip::Copy) => return clip::copy(area.selected()),
        Some(Clip::Cut) => {
            return area
                .cut()
                .map_or(Answer::Ignored, |text| clip::cut(text, cell.set(area.text())));
        }
        None => {}
    }
    match area.input(input) {
        Typed::Ignored => Answer::Ignored,
        Typed::Moved => Answer::Handled,
        Typed::Changed => cell.set(area.text()),
    }
}

/// Draws a line that is being typed, or what it would be where nothing is typed; `sign` stands at
/// the right edge.
pub(crate) fn draw_line(
    input: &mut TextInput,
    cell: &Cell<'_>,
    context: &mut DrawContext<'_>,
    sign: &str,
) {
    let ground = context.ground(0);
    let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
    let signs = u16::try_from(crate::ui::canvas::width(sign)).unwrap_or(0);
    let edge = context.area.width.saturating_sub(signs);
    let line =
        ratatui::layout::Rect { width: edge.saturating_sub(u16::from(signs > 0)), ..context.area };
    if input.text().is_empty() {
        let ghost = ground.patch(context.style(Role::Ghost));
        let room = usize::from(line.width).saturating_sub(usize::from(cursor.is_some()));
        let words = crate::ui::canvas::fit(&cell.ghost(), room).into_owned();
        let mut pen = context.pen(0);
        if let Some(cursor) = cursor {
            pen.put(" ", cursor);
        }
        pen.put(&words, ghost);
    } else {
        input.draw(context.buffer, line, ground, cursor);
    }
    if signs > 0 {
        let (area, key) = (context.area, ground.patch(context.style(Role::Key)));
        context.pen(0).to(area, edge).put(sign, key);
    }
}
