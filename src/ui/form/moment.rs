//! A date, a time, both or a duration: typed, stepped by the part at the cursor, or picked from a
//! calendar or a list.

use super::{
    calendar::Calendar,
    cell::{ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Widget, one_line},
    clip::{clip_answer, requested_clip},
    listing::{Listing, ShownOption},
    text::{draw_line, typed_answer},
};
use crate::{
    app::input::{Code, Input, Key},
    schema::{
        fields::Presence,
        kind::{Kind, TextKind, TimeKind},
        moment::{self, Date},
    },
    ui::{canvas::text_width, styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct MomentField;

const SIGNS: &str = "− + ▾";

/// Durations that are offered.
const DURATIONS: [&str; 12] = [
    "PT10S", "PT30S", "PT1M", "PT5M", "PT15M", "PT30M", "PT1H", "PT6H", "P1D", "P7D", "P30D", "P1Y",
];

fn kind(cell: &Cell<'_>) -> TimeKind {
    match cell.field.kind {
        Kind::Text(TextKind::Moment(moment)) => moment,
        _ => TimeKind::DateTime,
    }
}

/// The day of the week, or the duration in words.
fn moment_words(cell: &Cell<'_>, text: &str) -> String {
    const DAYS: [&str; 7] =
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    match kind(cell) {
        TimeKind::Duration => moment::duration_words(text).unwrap_or_default(),
        TimeKind::Time => String::new(),
        TimeKind::Date | TimeKind::DateTime => moment::date_in(text)
            .map_or_else(String::new, |date| DAYS[moment::weekday(date)].to_owned()),
    }
}

impl Widget for MomentField {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let text = one_line(&cell.value_text());
        if text.is_empty() {
            let ghost = context.style(cell.placeholder_role());
            context.draw_line(0, &cell.placeholder_text(), ghost, "▾");
        } else {
            let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
            context.draw_line(0, &text, style, "▾");
            let (dim, said) = (context.style(Role::Dim), moment_words(cell, &text));
            let room = usize::from(context.area.width).saturating_sub(text_width(&text) + 4);
            if text_width(&said) <= room {
                context
                    .pen(0)
                    .skip(u16::try_from(text_width(&text) + 2).unwrap_or(0))
                    .put_text(&said, dim);
            }
        }
        let edge = context.area.width.saturating_sub(1);
        vec![
            ClickArea { line: 0, columns: edge..edge + 1, click: Click::Open },
            ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(MomentLine { input: TextInput::new(cell.value_text()), picker: None })
    }
}

enum Picker {
    Calendar(Calendar),
    List { list: Box<Listing>, options: Vec<(String, ShownOption)> },
}

struct MomentLine {
    input: TextInput,
    picker: Option<Picker>,
}

impl MomentLine {
    fn open_picker(&mut self, cell: &Cell<'_>) {
        let today = cell.wall.date();
        self.picker = Some(match kind(cell) {
            TimeKind::Date | TimeKind::DateTime => {
                Picker::Calendar(Calendar::new(moment::date_in(self.input.text()), today))
            }
            TimeKind::Time => list_picker(times(cell), self.input.text()),
            TimeKind::Duration => list_picker(durations(), self.input.text()),
        });
    }

    /// Puts a text in the place of what is there.
    fn set_text(&mut self, cell: &Cell<'_>, text: &str) -> Answer {
        let cursor = self.input.cursor();
        self.input.replace(text);
        self.input.move_cursor(if cursor > 0 { cursor.min(text.len()) } else { text.len() });
        cell.set_value(text)
    }

    fn step_value(&mut self, cell: &Cell<'_>, by: i8) -> Answer {
        let text = self.input.text().to_owned();
        if text.is_empty() {
            let now = current_moment(cell);
            return self.set_text(cell, &now);
        }
        let cursor = self.input.cursor();
        match moment::step_date_time(&text, cursor, i64::from(by)) {
            Some(next) => {
                self.input.replace(&next);
                self.input.move_cursor(cursor.min(next.len()));
                cell.set_value(next)
            }
            None => Answer::Refused("not a date or time yet, so there is no part to step".into()),
        }
    }

    /// Takes a day; what the text says beside it stays.
    fn take_day(&mut self, cell: &Cell<'_>, day: Date) -> Answer {
        self.picker = None;
        let text = self.input.text();
        let rest = moment::date_in(text).and_then(|_| text.get(10..)).unwrap_or_default();
        let text = match kind(cell) {
            TimeKind::DateTime if rest.len() < 9 => {
                format!("{day}T00:00:00{}", cell.wall.utc_offset())
            }
            TimeKind::DateTime => format!("{day}{rest}"),
            _ => day.to_string(),
        };
        self.set_text(cell, &text)
    }

    fn take_now(&mut self, cell: &Cell<'_>) -> Answer {
        self.picker = None;
        let now = current_moment(cell);
        self.set_text(cell, &now)
    }

    fn picker_key(&mut self, cell: &Cell<'_>, key: Key) -> Answer {
        match &mut self.picker {
            Some(Picker::Calendar(calendar)) => {
                if key.is_plain(Code::Enter) {
                    let day = calendar.day();
                    return self.take_day(cell, day);
                }
                if key.is_plain(Code::Char('t')) || key.is_plain(Code::Char('n')) {
                    return self.take_now(cell);
                }
                if calendar.handle_key(key) { Answer::Handled } else { Answer::Ignored }
            }
            Some(Picker::List { list, options }) => {
                if key.is_plain(Code::Enter) {
                    let text = list
                        .chosen_option()
                        .and_then(|chosen| options.get(chosen))
                        .map(|(text, _)| text.clone());
                    self.picker = None;
                    return text.map_or(Answer::Handled, |text| self.set_text(cell, &text));
                }
                if list.move_cursor(key) { Answer::Handled } else { Answer::Ignored }
            }
            None => Answer::Ignored,
        }
    }
}

fn current_moment(cell: &Cell<'_>) -> String {
    match kind(cell) {
        TimeKind::Date => cell.wall.date().to_string(),
        TimeKind::Time => cell.wall.time_with_offset(),
        TimeKind::DateTime => format!("{}T{}", cell.wall.date(), cell.wall.time_with_offset()),
        TimeKind::Duration => "PT1H".into(),
    }
}

fn list_picker(options: Vec<(String, ShownOption)>, text: &str) -> Picker {
    let mut options = options;
    for (option, shown) in &mut options {
        shown.present = option == text;
    }
    let shown: Vec<ShownOption> = options.iter().map(|(_, shown)| shown.clone()).collect();
    Picker::List { list: Box::new(Listing::suggestions(&shown)), options }
}

fn times(cell: &Cell<'_>) -> Vec<(String, ShownOption)> {
    let shown = |label: &str, help: &str| ShownOption {
        label: label.into(),
        help: help.into(),
        present: false,
    };
    let now = cell.wall.time_with_offset();
    let mut options = vec![(now.clone(), shown(&now, "now"))];
    options.extend((0..48).map(|half| {
        let time = format!("{:02}:{:02}:00{}", half / 2, half % 2 * 30, cell.wall.utc_offset());
        (time.clone(), shown(&time, ""))
    }));
    options
}

fn durations() -> Vec<(String, ShownOption)> {
    let option = |text: &&str| {
        let help = moment::duration_words(text).unwrap_or_default();
        ((*text).to_owned(), ShownOption { label: (*text).to_owned(), help, present: false })
    };
    DURATIONS.iter().map(option).collect()
}

impl Editor for MomentLine {
    fn line_count(&self, _cell: &Cell<'_>, width: u16) -> u16 {
        1 + match &self.picker {
            Some(Picker::Calendar(_)) => Calendar::LINES,
            Some(Picker::List { list, .. }) => list.line_count(width),
            None => 0,
        }
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        draw_line(&mut self.input, cell, context, SIGNS);
        let end = context.area.width;
        let edge = end.saturating_sub(5);
        let said = moment_words(cell, self.input.text());
        let start = text_width(self.input.text()) + 3;
        if start + text_width(&said) < usize::from(edge) {
            let dim = context.fill_background(0).patch(context.style(Role::Dim));
            context
                .pen(0)
                .skip(u16::try_from(start).unwrap_or(0))
                .put_text(&said, ratatui::style::Style { bg: None, ..dim });
        }
        let mut hits = vec![
            ClickArea { line: 0, columns: edge..edge + 1, click: Click::Step(-1) },
            ClickArea { line: 0, columns: edge + 2..edge + 3, click: Click::Step(1) },
            ClickArea { line: 0, columns: edge + 4..end, click: Click::Open },
            ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
        ];
        match &mut self.picker {
            Some(Picker::Calendar(calendar)) => hits.extend(calendar.draw(context, 1)),
            Some(Picker::List { list, options }) => {
                let shown: Vec<ShownOption> =
                    options.iter().map(|(_, shown)| shown.clone()).collect();
                hits.extend(list.draw(&shown, context, 1));
            }
            None => {}
        }
        hits
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        self.picker.is_some()
    }

    fn close(&mut self) {
        self.picker = None;
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if let Some(clip) = requested_clip(input) {
            let taken = self.input.take_clip(clip);
            return clip_answer(clip, taken, || cell.set_value(self.input.text()));
        }
        let before = self.input.text().to_owned();
        let key = match input {
            Input::Key(key) => *key,
            Input::Paste(text) => {
                self.input.insert(text.trim());
                return typed_answer(cell, self.input.text(), &before, None);
            }
            Input::Mouse(_) => return Answer::Ignored,
        };
        if self.picker.is_some() {
            let answer = self.picker_key(cell, key);
            if answer != Answer::Ignored {
                return answer;
            }
            if matches!(key.code, Code::Tab | Code::Esc) {
                return Answer::Ignored;
            }
            // Whoever types means the text.
            self.picker = None;
        }
        match key.code {
            Code::Enter if key.is_plain(Code::Enter) && !self.input.text().is_empty() => {
                Answer::Ask(Ask::Next)
            }
            Code::Enter | Code::F(4) if key.is_plain(key.code) => {
                self.open_picker(cell);
                Answer::Handled
            }
            Code::Up if key.mods.ctrl => self.step_value(cell, 1),
            Code::Down if key.mods.ctrl => self.step_value(cell, -1),
            _ if self.input.handle_key(key) => {
                typed_answer(cell, self.input.text(), &before, Some(key.code))
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Step(by) => return self.step_value(cell, by),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            Click::Open if self.picker.is_some() => self.picker = None,
            Click::Open => self.open_picker(cell),
            Click::Add => return self.take_now(cell),
            Click::Pick(number) => match &mut self.picker {
                Some(Picker::Calendar(calendar)) => {
                    let day = calendar.day_at(number);
                    return self.take_day(cell, day);
                }
                Some(Picker::List { options, .. }) => {
                    let text = options.get(number).map(|(text, _)| text.clone());
                    self.picker = None;
                    return text.map_or(Answer::Handled, |text| self.set_text(cell, &text));
                }
                None => {}
            },
            Click::Item(turn) => {
                if let Some(Picker::Calendar(calendar)) = &mut self.picker {
                    calendar.turn_month(turn);
                }
            }
            Click::Remove(_) | Click::Letter { .. } | Click::Fold => return Answer::Ask(Ask::Next),
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.picker {
            Some(Picker::Calendar(_)) => {
                let now = if kind(cell) == TimeKind::Date { "today" } else { "now" };
                vec![
                    ("←→↑↓", "day"),
                    ("PgUp/PgDn", "month"),
                    ("t", now),
                    ("Enter", "select"),
                    ("Esc", "close"),
                ]
            }
            Some(Picker::List { .. }) => {
                vec![("↑↓", "choose"), ("Enter", "select"), ("Esc", "close")]
            }
            None if self.input.text().is_empty() => {
                vec![("Enter", "pick"), ("Ctrl+↑↓", "step the part here")]
            }
            None => vec![("Enter", "accept"), ("F4", "pick"), ("Ctrl+↑↓", "step the part here")],
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        self.input.replace(&cell.value_text());
        if cell.field.presence == Presence::Unset {
            self.input.replace("");
        }
    }
}
