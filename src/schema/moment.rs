//! Dates, times and durations as texts hold them: read, stepped by their parts, said in words.

use std::fmt;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

pub const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

const DAY_SECONDS: i64 = 86_400;

impl Date {
    /// The date that a text begins with: `2026-11-21`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let head = text.get(..10)?;
        let mut parts = head.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        let date = Self { year: i32::try_from(year).ok()?, month, day };
        ((1..=12).contains(&month) && (1..=date.days()).contains(&day)).then_some(date)
    }

    /// How many days its month has.
    #[must_use]
    pub fn days(self) -> u8 {
        match self.month {
            2 if (self.year % 4 == 0 && self.year % 100 != 0) || self.year % 400 == 0 => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub fn number(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let month = i64::from(self.month);
        let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// The date so many days after 1970-01-01.
    #[must_use]
    pub fn of_number(days: i64) -> Self {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |number: i64| u8::try_from(number).unwrap_or(1);
        Self { year: i32::try_from(year).unwrap_or(9999), month: small(month), day: small(day) }
    }

    /// Monday is 0.
    #[must_use]
    pub fn weekday(self) -> usize {
        usize::try_from((self.number() + 3).rem_euclid(7)).unwrap_or(0)
    }

    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        Self::of_number(self.number().saturating_add(days)).within()
    }

    /// The same day of another month, or that month's last.
    #[must_use]
    pub fn plus_months(self, months: i64) -> Self {
        let all = i64::from(self.year) * 12 + i64::from(self.month) - 1 + months;
        let year = i32::try_from(all.div_euclid(12)).unwrap_or(9999);
        let month = u8::try_from(all.rem_euclid(12) + 1).unwrap_or(1);
        let first = Self { year, month, day: 1 }.within();
        Self { day: self.day.min(first.days()), ..first }
    }

    /// Years are written with four digits.
    fn within(self) -> Self {
        match self.year {
            0..=9999 => self,
            ..0 => Self { year: 0, month: 1, day: 1 },
            _ => Self { year: 9999, month: 12, day: 31 },
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// A point in time where the user is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wall {
    /// Seconds since the Unix epoch.
    pub seconds: i64,
    /// Minutes that the clock on the wall is ahead of UTC.
    pub offset: i32,
}

impl Wall {
    fn local(self) -> i64 {
        self.seconds + i64::from(self.offset) * 60
    }

    #[must_use]
    pub fn date(self) -> Date {
        Date::of_number(self.local().div_euclid(DAY_SECONDS))
    }

    /// `14:30:00+01:00`.
    #[must_use]
    pub fn time(self) -> String {
        format!("{}{}", clock(self.local().rem_euclid(DAY_SECONDS)), self.zone())
    }

    /// `Z`, `+01:00`.
    #[must_use]
    pub fn zone(self) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs();
        if minutes == 0 { "Z".into() } else { format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60) }
    }
}

fn clock(seconds: i64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Seconds of the day that a text begins with: `14:30:00`.
fn seconds_of(text: &str) -> Option<i64> {
    let head = text.get(..8)?;
    let mut parts = head.split(':');
    let mut part = || number(parts.next()?, 2);
    let (hours, minutes, seconds) = (part()?, part()?, part()?);
    (hours < 24 && minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

/// A date, time or both with the part at byte `cursor` one or more steps on; the rest of the text stays.
#[must_use]
pub fn stepped(text: &str, cursor: usize, by: i64) -> Option<String> {
    if let Some(date) = Date::parse(text) {
        let rest = &text[10..];
        let date_step = |date: Date| format!("{date}{rest}");
        return match cursor {
            0..=4 => Some(date_step(date.plus_months(12 * by))),
            5..=7 => Some(date_step(date.plus_months(by))),
            8..=10 => Some(date_step(date.plus_days(by))),
            _ => {
                let seconds = seconds_of(rest.get(1..)?)? + by * unit(cursor - 11);
                let date = date.plus_days(seconds.div_euclid(DAY_SECONDS));
                let (between, tail) = (rest.get(..1)?, rest.get(9..)?);
                Some(format!("{date}{between}{}{tail}", clock(seconds.rem_euclid(DAY_SECONDS))))
            }
        };
    }
    if let Some(seconds) = seconds_of(text) {
        let seconds = (seconds + by * unit(cursor)).rem_euclid(DAY_SECONDS);
        return Some(format!("{}{}", clock(seconds), &text[8..]));
    }
    text.starts_with('P').then(|| stepped_number(text, cursor, by)).flatten()
}

/// Seconds of the part of a time at a byte.
fn unit(cursor: usize) -> i64 {
    match cursor {
        0..=2 => 3600,
        3..=5 => 60,
        _ => 1,
    }
}

/// A duration with the number at the cursor, or before it, some steps on; never below zero.
fn stepped_number(text: &str, cursor: usize, by: i64) -> Option<String> {
    let is_digit = |at: &usize| text.as_bytes().get(*at).is_some_and(u8::is_ascii_digit);
    let at = (0..=cursor.min(text.len())).rev().find(is_digit).or_else(|| (cursor..text.len()).find(is_digit))?;
    let start = (0..at).rev().take_while(is_digit).last().unwrap_or(at);
    let end = (at..text.len()).take_while(is_digit).last()? + 1;
    let number: i64 = text[start..end].parse().ok()?;
    Some(format!("{}{}{}", &text[..start], number.saturating_add(by).max(0), &text[end..]))
}

/// A duration in words: `PT1H30M` → `1 hour 30 minutes`; `None` where the text is none.
#[must_use]
pub fn duration_words(text: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut rest = text.strip_prefix('P')?;
    let mut in_time = false;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('T') {
            (in_time, rest) = (true, after);
            continue;
        }
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').filter(|end| *end > 0)?;
        let (count, after) = rest.split_at(end);
        let word = match (after.chars().next()?, in_time) {
            ('Y', false) => "year",
            ('M', false) => "month",
            ('W', false) => "week",
            ('D', false) => "day",
            ('H', true) => "hour",
            ('M', true) => "minute",
            ('S', true) => "second",
            _ => return None,
        };
        words.push(format!("{count} {word}{}", if count == "1" { "" } else { "s" }));
        rest = &after[1..];
    }
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_their_numbers_agree() {
        for number in (-200_000..200_000).step_by(37) {
            assert_eq!(Date::of_number(number).number(), number);
        }
        let date = Date::parse("2026-11-21").unwrap();
        assert_eq!((date.number(), date.weekday()), (20_778, 5), "a Saturday");
        assert_eq!(date.plus_days(10).to_string(), "2026-12-01");
        assert_eq!(Date::parse("2024-01-31").unwrap().plus_months(1).to_string(), "2024-02-29");
        for odd in ["2026-02-30", "2026-13-01", "26-01-01", "2026-1-01", "日日日日"] {
            assert_eq!(Date::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_part_at_the_cursor_is_stepped() {
        let step = |text: &str, cursor, by| stepped(text, cursor, by).unwrap_or_default();
        assert_eq!(step("2026-12-31", 9, 1), "2027-01-01");
        assert_eq!(step("2026-12-31", 6, -1), "2026-11-30");
        assert_eq!(step("2026-12-31T23:59:30.5Z", 14, 1), "2027-01-01T00:00:30.5Z");
        assert_eq!(step("2026-12-31T23:59:30Z", 2, -1), "2025-12-31T23:59:30Z");
        assert_eq!(step("00:30:00+01:00", 1, -1), "23:30:00+01:00");
        assert_eq!(step("PT1H30M", 3, 1), "PT2H30M");
        assert_eq!(step("PT1H30M", 7, -40), "PT1H0M");
        assert_eq!(step("tomorrow", 2, 1), "");
    }

    #[test]
    fn durations_are_said_in_words() {
        assert_eq!(duration_words("P1DT2H30M").as_deref(), Some("1 day 2 hours 30 minutes"));
        assert_eq!(duration_words("PT0.5S").as_deref(), Some("0.5 seconds"));
        for odd in ["", "P", "PT", "1H", "PTH", "P1H", "P1日"] {
            assert_eq!(duration_words(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_wall_has_its_own_day() {
        let wall = Wall { seconds: 1_795_300_200, offset: -90 };
        assert_eq!((wall.date().to_string().as_str(), wall.time().as_str()), ("2026-11-21", "21:00:00-01:30"));
    }
}
