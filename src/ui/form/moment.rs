//! A date, a time, both or a duration: typed, stepped by the part at the cursor, or picked from a
//! calendar or a list.

use super::{
    calendar::Calendar,
    cell::{ANYWHERE, Answer, Ask, Cell, Click, DrawContext, Editor, Hit, Widget, one_line},
    clip::{self, Clip},
    listing::{Listing, Shown},
    text::draw_line,
};
use crate::{
    app::input::{Code, Input, Key},
    schema::{
        fields::Presence,
        kind::{Kind, Moment, TextKind},
        moment::{self, Date},
    },
    ui::{canvas::width, styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct MomentField;

const SIGNS: &str = "− + ▾";

/// Durations that are offered.
const DURATIONS: [&str; 12] = [
    "PT10S", "PT30S", "PT1M", "PT5M", "PT15M", "PT30M", "PT1H", "PT6H", "P1D", "P7D", "P30D", "P1Y",
];

fn kind(cell: &Cell<'_>) -> Moment {
    match cell.field.kind {
        Kind::Text(TextKind::Moment(moment)) => moment,
        _ => Moment::DateTime,
    }
}

/// The day of the week, or the duration in words.
fn reading(cell: &Cell<'_>, text: &str) -> String {
    const DAYS: [&str; 7] =
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    match kind(cell) {
        Moment::Duration => moment::duration_words(text).unwrap_or_default(),
        Moment::Time => String::new(),
        Moment::Date | Moment::DateTime => moment::date_in(text)
            .map_or_else(String::new, |date| DAYS[moment::weekday(date)].to_owned()),
    }
}

impl Widget for MomentField {
    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let text = one_line(&cell.text());
        if text.is_empty() {
            let ghost = context.style(Role::Ghost);
            context.line(0, &cell.ghost(), ghost, "▾");
        } else {
            let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
            context.line(0, &text, style, "▾");
            let (dim, said) = (context.style(Role::Dim), reading(cell, &text));
            let room = usize::from(context.area.width).saturating_sub(width(&text) + 4);
            if width(&said) <= room {
                context.pen(0).skip(u16::try_from(width(&text) + 2).unwrap_or(0)).put(&said, dim);
            }
        }
        let edge = context.area.width.saturating_sub(1);
        vec![
            Hit { line: 0, columns: edge..edge + 1, click: Click::Open },
            Hit { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn edit(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(MomentLine { input: TextInput::new(cell.text()), picker: None })
    }
}

enum Picker {
    Calendar(Calendar),
    List { list: Listing, options: Vec<(String, Shown)> },
}

struct MomentLine {
    input: TextInput,
    picker: Option<Picker>,
}

impl MomentLine {
    fn open(&mut self, cell: &Cell<'_>) {
        let today = cell.wall.date();
        self.picker = Some(match kind(cell) {
            Moment::Date | Moment::DateTime => {
                Picker::Calendar(Calendar::new(moment::date_in(self.input.text()), today))
            }
            Moment::Time => list(times(cell), self.input.text()),
            Moment::Duration => list(durations(), self.input.text()),
        });
    }

    fn changed(&self, cell: &Cell<'_>, before: &str, key: Option<Code>) -> Answer {
        let text = self.input.text();
        if text != before {
            return cell.set(text);
        }
        let removes = matches!(key, Some(Code::Backspace | Code::Delete)) && text.is_empty();
        if removes { cell.unset() } else { Answer::Handled }
    }

    /// Puts a text in the place of what is there.
    fn write(&mut self, cell: &Cell<'_>, text: &str) -> Answer {
        let cursor = self.input.cursor();
        self.input.replace(text);
        self.input.go(if cursor > 0 { cursor.min(text.len()) } else { text.len() });
        cell.set(text)
    }

    fn step(&mut self, cell: &Cell<'_>, by: i8) -> Answer {
        let text = self.input.text().to_owned();
        if text.is_empty() {
            let now = now(cell);
            return self.write(cell, &now);
        }
        let cursor = self.input.cursor();
        match moment::stepped(&text, cursor, i64::from(by)) {
            Some(next) => {
                self.input.replace(&next);
                self.input.go(cursor.min(next.len()));
                cell.set(next)
            }
            None => {
                Answer::Refused("this is no date or time yet whose parts could be stepped".into())
            }
        }
    }

    /// Takes a day; what the text says beside it stays.
    fn take_day(&mut self, cell: &Cell<'_>, day: Date) -> Answer {
        self.picker = None;
        let text = self.input.text();
        let rest = moment::date_in(text).and_then(|_| text.get(10..)).unwrap_or_default();
        let text = match kind(cell) {
            Moment::DateTime if rest.len() < 9 => format!("{day}T00:00:00{}", cell.wall.zone()),
            Moment::DateTime => format!("{day}{rest}"),
            _ => day.to_string(),
        };
        self.write(cell, &text)
    }

    fn take_now(&mut self, cell: &Cell<'_>) -> Answer {
        self.picker = None;
        let now = now(cell);
        self.write(cell, &now)
    }

    fn picker_key(&mut self, cell: &Cell<'_>, key: Key) -> Answer {
        match &mut self.picker {
            Some(Picker::Calendar(calendar)) => {
                if key.is(Code::Enter) {
                    let day = calendar.day();
                    return self.take_day(cell, day);
                }
                if key.is(Code::Char('t')) || key.is(Code::Char('n')) {
                    return self.take_now(cell);
                }
                if calendar.key(key) { Answer::Handled } else { Answer::Ignored }
            }
            Some(Picker::List { list, options }) => {
                if key.is(Code::Enter) {
                    let text = list
                        .chosen()
                        .and_then(|chosen| options.get(chosen))
                        .map(|(text, _)| text.clone());
                    self.picker = None;
                    return text.map_or(Answer::Handled, |text| self.write(cell, &text));
                }
                if list.key(key) { Answer::Handled } else { Answer::Ignored }
            }
            None => Answer::Ignored,
        }
    }
}

fn now(cell: &Cell<'_>) -> String {
    match kind(cell) {
        Moment::Date => cell.wall.date().to_string(),
        Moment::Time => cell.wall.time(),
        Moment::DateTime => format!("{}T{}", cell.wall.date(), cell.wall.time()),
        Moment::Duration => "PT1H".into(),
    }
}

fn list(options: Vec<(String, Shown)>, text: &str) -> Picker {
    let mut options = options;
    for (option, shown) in &mut options {
        shown.present = option == text;
    }
    let shown: Vec<Shown> = options.iter().map(|(_, shown)| shown.clone()).collect();
    Picker::List { list: Listing::open(&shown), options }
}

fn times(cell: &Cell<'_>) -> Vec<(String, Shown)> {
    let shown =
        |label: &str, help: &str| Shown { label: label.into(), help: help.into(), present: false };
    let now = cell.wall.time();
    let mut options = vec![(now.clone(), shown(&now, "now"))];
    options.extend((0..48).map(|half| {
        let time = format!("{:02}:{:02}:00{}", half / 2, half % 2 * 30, cell.wall.zone());
        (time.clone(), shown(&time, ""))
    }));
    options
}

fn durations() -> Vec<(String, Shown)> {
    let option = |text: &&str| {
        let help = moment::duration_words(text).unwrap_or_default();
        ((*text).to_owned(), Shown { label: (*text).to_owned(), help, present: false })
    };
    DURATIONS.iter().map(option).collect()
}

impl Editor for MomentLine {
    fn lines(&self, _cell: &Cell<'_>, _width: u16) -> u16 {
        1 + match &self.picker {
            Some(Picker::Calendar(_)) => Calendar::LINES,
            Some(Picker::List { list, .. }) => list.lines(),
            None => 0,
        }
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        draw_line(&mut self.input, cell, context, SIGNS);
        let end = context.area.width;
        let edge = end.saturating_sub(5);
        let said = reading(cell, self.input.text());
        let start = width(self.input.text()) + 3;
        if start + width(&said) < usize::from(edge) {
            let dim = context.ground(0).patch(context.style(Role::Dim));
            context
                .pen(0)
                .skip(u16::try_from(start).unwrap_or(0))
                .put(&said, ratatui::style::Style { bg: None, ..dim });
        }
        let mut hits = vec![
            Hit { line: 0, columns: edge..edge + 1, click: Click::Step(-1) },
            Hit { line: 0, columns: edge + 2..edge + 3, click: Click::Step(1) },
            Hit { line: 0, columns: edge + 4..end, click: Click::Open },
            Hit { line: 0, columns: 0..edge, click: ANYWHERE },
        ];
        match &mut self.picker {
            Some(Picker::Calendar(calendar)) => hits.extend(calendar.draw(context, 1)),
            Some(Picker::List { list, options }) => {
                let shown: Vec<Shown> = options.iter().map(|(_, shown)| shown.clone()).collect();
                hits.extend(list.draw(&shown, context, 1));
            }
            None => {}
        }
        hits
    }

    fn typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        self.picker.is_some()
    }

    fn close(&mut self) {
        self.picker = None;
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match clip::asked(input) {
            Some(Clip::Copy) => return clip::copy(self.input.selected()),
            Some(Clip::Cut) => {
                return self
                    .input
                    .cut()
                    .map_or(Answer::Ignored, |text| clip::cut(text, cell.set(self.input.text())));
            }
            None => {}
        }
        let before = self.input.text().to_owned();
        let key = match input {
            Input::Key(key) => *key,
            Input::Paste(text) => {
                self.input.insert(text.trim());
                return self.changed(cell, &before, None);
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
            Code::Enter if key.is(Code::Enter) && cell.draft.is_none() => {
                self.open(cell);
                Answer::Handled
            }
            Code::Up if key.mods.ctrl => self.step(cell, 1),
            Code::Down if key.mods.ctrl => self.step(cell, -1),
            _ if self.input.key(key) => self.changed(cell, &before, Some(key.code)),
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Step(by) => return self.step(cell, by),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            Click::Open if self.picker.is_some() => self.picker = None,
            Click::Open => self.open(cell),
            Click::Add => return self.take_now(cell),
            Click::Pick(number) => match &mut self.picker {
                Some(Picker::Calendar(calendar)) => {
                    let day = calendar.at(number);
                    return self.take_day(cell, day);
                }
                Some(Picker::List { options, .. }) => {
                    let text = options.get(number).map(|(text, _)| text.clone());
                    self.picker = None;
                    return text.map_or(Answer::Handled, |text| self.write(cell, &text));
                }
                None => {}
            },
            Click::Item(turn) => {
                if let Some(Picker::Calendar(calendar)) = &mut self.picker {
                    calendar.turn(turn);
                }
            }
            Click::Remove(_) | Click::Fold => return Answer::Ask(Ask::Next),
        }
        Answer::Handled
    }

    fn drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn keys(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.picker {
            Some(Picker::Calendar(_)) => {
                let now = if kind(cell) == Moment::Date { "today" } else { "now" };
                vec![
                    ("←→↑↓", "day"),
                    ("PgUp/PgDn", "month"),
                    ("t", now),
                    ("Enter", "take"),
                    ("Esc", "close"),
                ]
            }
            Some(Picker::List { .. }) => {
                vec![("↑↓", "choose"), ("Enter", "take"), ("Esc", "close")]
            }
            None => vec![("Enter", "pick"), ("Ctrl+↑↓", "step the part here")],
        }
    }

    fn sync(&mut self, cell: &Cell<'_>) {
        self.input.replace(&cell.text());
        if cell.field.presence == Presence::Unset {
            self.input.replace("");
        }
    }
}
