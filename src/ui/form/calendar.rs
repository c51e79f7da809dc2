//! A month to pick a day from, by arrows or mouse.

use super::cell::{Click, Hit, Paper};
use crate::{
    app::input::{Code, Key},
    schema::moment::{Date, MONTHS},
    ui::styles::Role,
};

/// Cells of one day.
const DAY: u16 = 3;

pub struct Calendar {
    day: Date,
    /// The day that the text says.
    present: Option<Date>,
    today: Date,
}

impl Calendar {
    /// The lines it takes: the month, the days' names, six weeks.
    pub const LINES: u16 = 8;

    /// At the day that is there already, else today.
    #[must_use]
    pub fn new(present: Option<Date>, today: Date) -> Self {
        Self { day: present.unwrap_or(today), present, today }
    }

    #[must_use]
    pub fn day(&self) -> Date {
        self.day
    }

    /// The day with this number in the month that is shown.
    #[must_use]
    pub fn at(&self, number: usize) -> Date {
        let day = u8::try_from(number).unwrap_or(1).clamp(1, self.day.days());
        Date { day, ..self.day }
    }

    /// Turns to the month before (0) or after (1).
    pub fn turn(&mut self, to: usize) {
        self.day = self.day.plus_months(if to == 0 { -1 } else { 1 });
    }

    /// Moves the cursor; whether the key was one of calendars.
    pub fn key(&mut self, key: Key) -> bool {
        let years = if key.mods.shift || key.mods.ctrl { 12 } else { 1 };
        self.day = match key.code {
            _ if key.mods.alt => return false,
            Code::PageUp => self.day.plus_months(-years),
            Code::PageDown => self.day.plus_months(years),
            _ if key.mods.ctrl || key.mods.shift => return false,
            Code::Left => self.day.plus_days(-1),
            Code::Right => self.day.plus_days(1),
            Code::Up => self.day.plus_days(-7),
            Code::Down => self.day.plus_days(7),
            Code::Home => Date { day: 1, ..self.day },
            Code::End => Date { day: self.day.days(), ..self.day },
            _ => return false,
        };
        true
    }

    pub fn draw(&self, paper: &mut Paper<'_>, line: u16) -> Vec<Hit> {
        let overlay = paper.style(Role::Overlay);
        let key = overlay.patch(paper.style(Role::Key));
        let dim = overlay.patch(paper.style(Role::Dim));
        let month = MONTHS[usize::from(self.day.month - 1).min(11)];
        let title = format!("{:^17}", format!("{month} {}", self.day.year));
        for row in 0..Self::LINES {
            paper.pen(line + row).fill(overlay);
        }
        paper.pen(line).put(" ‹ ", key).put(&title, overlay).put(" › ", key).put("  today", key);
        paper.pen(line + 1).put(" Mo Tu We Th Fr Sa Su", dim);
        let mut hits = vec![
            Hit { line, columns: 0..3, click: Click::Item(0) },
            Hit { line, columns: 20..23, click: Click::Item(1) },
            Hit { line, columns: 23..31, click: Click::Add },
        ];
        let first = Date { day: 1, ..self.day }.weekday();
        for day in 1..=self.day.days() {
            let date = Date { day, ..self.day };
            let place = first + usize::from(day) - 1;
            let at = line + 2 + u16::try_from(place / 7).unwrap_or(0);
            let column = u16::try_from(place % 7).unwrap_or(0) * DAY;
            let style = match () {
                () if date == self.day => paper.style(Role::Selected),
                () if Some(date) == self.present => overlay.patch(paper.style(Role::Accent)),
                () if date == self.today => key.underlined(),
                () => overlay,
            };
            let area = paper.area;
            paper.pen(at).to(area, column + 1).put(&format!("{day:>2}"), style);
            hits.push(Hit { line: at, columns: column + 1..column + DAY, click: Click::Pick(usize::from(day)) });
        }
        hits
    }
}
