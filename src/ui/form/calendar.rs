//! A month to pick a day from, by arrows or mouse.

use super::cell::{Click, ClickArea, DrawContext};
use crate::{
    app::input::{Code, Key},
    schema::moment::{Date, month_name, plus_days, plus_months, weekday},
    ui::styles::Role,
};

/// Cells of one day.
const DAY: u16 = 3;

pub(crate) struct Calendar {
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
    pub fn day_at(&self, number: usize) -> Date {
        let day = i64::try_from(number).unwrap_or(1).clamp(1, i64::from(self.day.days_in_month()));
        plus_days(self.day.first_of_month(), day - 1)
    }

    /// Turns to the month before (0) or after (1).
    pub fn turn_month(&mut self, to: usize) {
        self.day = plus_months(self.day, if to == 0 { -1 } else { 1 });
    }

    /// Moves the cursor; whether the key was one of calendars.
    pub fn handle_key(&mut self, key: Key) -> bool {
        let years = if key.mods.shift || key.mods.ctrl { 12 } else { 1 };
        self.day = match key.code {
            _ if key.mods.alt => return false,
            Code::PageUp => plus_months(self.day, -years),
            Code::PageDown => plus_months(self.day, years),
            _ if key.mods.ctrl || key.mods.shift => return false,
            Code::Left => plus_days(self.day, -1),
            Code::Right => plus_days(self.day, 1),
            Code::Up => plus_days(self.day, -7),
            Code::Down => plus_days(self.day, 7),
            Code::Home => self.day.first_of_month(),
            Code::End => self.day.last_of_month(),
            _ => return false,
        };
        true
    }

    pub fn draw(&self, context: &mut DrawContext<'_>, line: u16) -> Vec<ClickArea> {
        let overlay = context.style(Role::Overlay);
        let key = overlay.patch(context.style(Role::Key));
        let dim = overlay.patch(context.style(Role::Dim));
        let month = month_name(self.day);
        let title = format!("{:^17}", format!("{month} {}", self.day.year()));
        for row in 0..Self::LINES {
            context.pen(line + row).fill_rest(overlay);
        }
        context
            .pen(line)
            .put_text(" ‹ ", key)
            .put_text(&title, overlay)
            .put_text(" › ", key)
            .put_text("  today", key);
        context.pen(line + 1).put_text(" Mo Tu We Th Fr Sa Su", dim);
        let mut hits = vec![
            ClickArea { line, columns: 0..3, click: Click::Item(0) },
            ClickArea { line, columns: 20..23, click: Click::Item(1) },
            ClickArea { line, columns: 23..31, click: Click::Add },
        ];
        let first = weekday(self.day.first_of_month());
        for day in 1..=usize::from(self.day.days_in_month().unsigned_abs()) {
            let date = self.day_at(day);
            let place = first + day - 1;
            let at = line + 2 + u16::try_from(place / 7).unwrap_or(0);
            let column = u16::try_from(place % 7).unwrap_or(0) * DAY;
            let style = match () {
                () if date == self.day => context.style(Role::Selected),
                () if Some(date) == self.present => overlay.patch(context.style(Role::Accent)),
                () if date == self.today => key.underlined(),
                () => overlay,
            };
            let area = context.area;
            context.pen(at).move_to(area, column + 1).put_text(&format!("{day:>2}"), style);
            hits.push(ClickArea {
                line: at,
                columns: column + 1..column + DAY,
                click: Click::Pick(day),
            });
        }
        hits
    }
}
