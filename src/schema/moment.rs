//! Dates, times and durations as texts hold them: read, stepped by their parts, said in words.

pub(crate) use jiff::civil::Date;
use jiff::{
    SignedDuration, Span, Timestamp,
    civil::{DateTime, Time},
    tz::Offset,
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The day that Unix time begins with.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// The date that a text begins with: `2026-11-21`.
#[must_use]
pub(crate) fn date_in(text: &str) -> Option<Date> {
    let head = text.get(..10)?;
    let is_date = head
        .bytes()
        .enumerate()
        .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    head.parse().ok().filter(|_| is_date)
}

/// The time of day that a text begins with: `14:30:00`.
fn time_in(text: &str) -> Option<Time> {
    let head = text.get(..8)?;
    let is_time = head
        .bytes()
        .enumerate()
        .all(|(at, byte)| if matches!(at, 2 | 5) { byte == b':' } else { byte.is_ascii_digit() });
    let part = |at: usize| head.get(at..at + 2)?.parse().ok();
    is_time.then(|| Time::new(part(0)?, part(3)?, part(6)?, 0).ok()).flatten()
}

/// Seconds from the beginning of 1970 to the beginning of a day, both by the same clock.
#[must_use]
pub(crate) fn midnight_seconds(day: Date) -> i64 {
    day.duration_since(EPOCH).as_secs()
}

/// The day of the week; Monday is 0.
#[must_use]
pub(crate) fn weekday(day: Date) -> usize {
    usize::from(day.weekday().to_monday_zero_offset().unsigned_abs())
}

/// `November`.
#[must_use]
pub(crate) fn month_name(day: Date) -> &'static str {
    MONTHS[usize::from(day.month().unsigned_abs()).clamp(1, 12) - 1]
}

#[must_use]
pub(crate) fn plus_days(date: Date, days: i64) -> Date {
    Span::new().try_days(days).map_or(date, |days| clamp_year(date.saturating_add(days)))
}

/// The same day of another month, or that month's last.
#[must_use]
pub(crate) fn plus_months(date: Date, months: i64) -> Date {
    Span::new().try_months(months).map_or(date, |months| clamp_year(date.saturating_add(months)))
}

/// Years are written with four digits, without a sign.
fn clamp_year(date: Date) -> Date {
    date.max(Date::constant(0, 1, 1))
}

/// A point in time where the user is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalTime {
    /// Seconds since the Unix epoch.
    pub seconds: i64,
    /// Minutes that the clock on the wall is ahead of UTC.
    pub offset: i32,
}

impl LocalTime {
    fn to_datetime(self) -> DateTime {
        let offset = Offset::from_seconds(self.offset.saturating_mul(60)).unwrap_or(Offset::UTC);
        offset.to_datetime(Timestamp::from_second(self.seconds).unwrap_or(Timestamp::MAX))
    }

    #[must_use]
    pub fn date(self) -> Date {
        self.to_datetime().date()
    }

    /// `14:30:00`.
    #[must_use]
    pub fn clock_time(self) -> String {
        format_time(self.to_datetime().time())
    }

    /// `14:30:00+01:00`.
    #[must_use]
    pub fn time_with_offset(self) -> String {
        format!("{}{}", self.clock_time(), self.utc_offset())
    }

    /// `Z`, `+01:00`.
    #[must_use]
    pub fn utc_offset(self) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs();
        if minutes == 0 {
            "Z".into()
        } else {
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
    }
}

fn format_time(time: Time) -> String {
    format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

/// A date, time or both with the part at byte `cursor` one or more steps on; the rest of the text
/// stays.
#[must_use]
pub(crate) fn step_date_time(text: &str, cursor: usize, by: i64) -> Option<String> {
    if let Some(date) = date_in(text) {
        let rest = &text[10..];
        let date_step = |date: Date| format!("{date}{rest}");
        return match cursor {
            0..=4 => Some(date_step(plus_months(date, 12 * by))),
            5..=7 => Some(date_step(plus_months(date, by))),
            8..=10 => Some(date_step(plus_days(date, by))),
            _ => {
                let moment = date.to_datetime(time_in(rest.get(1..)?)?);
                let moment = moment
                    .saturating_add(SignedDuration::from_secs(by * unit_seconds(cursor - 11)));
                let (between, tail) = (rest.get(..1)?, rest.get(9..)?);
                Some(format!(
                    "{}{between}{}{tail}",
                    clamp_year(moment.date()),
                    format_time(moment.time())
                ))
            }
        };
    }
    if let Some(time) = time_in(text) {
        let time = time.wrapping_add(SignedDuration::from_secs(by * unit_seconds(cursor)));
        return Some(format!("{}{}", format_time(time), &text[8..]));
    }
    text.starts_with('P').then(|| stepped_number(text, cursor, by)).flatten()
}

/// Seconds of the part of a time at a byte.
fn unit_seconds(cursor: usize) -> i64 {
    match cursor {
        0..=2 => 3600,
        3..=5 => 60,
        _ => 1,
    }
}

/// A duration with the number at the cursor, or before it, some steps on; never below zero.
fn stepped_number(text: &str, cursor: usize, by: i64) -> Option<String> {
    let is_digit = |at: &usize| text.as_bytes().get(*at).is_some_and(u8::is_ascii_digit);
    let at = (0..=cursor.min(text.len()))
        .rev()
        .find(is_digit)
        .or_else(|| (cursor..text.len()).find(is_digit))?;
    let start = (0..at).rev().take_while(is_digit).last().unwrap_or(at);
    let end = (at..text.len()).take_while(is_digit).last()? + 1;
    let number: i64 = text[start..end].parse().ok()?;
    Some(format!("{}{}{}", &text[..start], number.saturating_add(by).max(0), &text[end..]))
}

/// A duration in words: `PT1H30M` → `1 hour 30 minutes`; `None` where the text is none.
#[must_use]
pub(crate) fn duration_words(text: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut rest = text.strip_prefix('P')?;
    let mut in_time = false;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('T') {
            (in_time, rest) = (true, after);
            continue;
        }
        let end = rest
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .filter(|end| *end > 0)?;
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
    fn days_and_months_are_added() {
        let date = date_in("2026-11-21T10:00").unwrap();
        assert_eq!(midnight_seconds(date), 20_778 * 86_400);
        assert_eq!(plus_days(date, 10).to_string(), "2026-12-01");
        assert_eq!(plus_months(date_in("2024-01-31").unwrap(), 1).to_string(), "2024-02-29");
        let (first, last) = (date_in("0000-01-15").unwrap(), date_in("9999-12-15").unwrap());
        assert_eq!(
            (plus_months(first, -1).to_string(), plus_days(last, 99).to_string()),
            ("0000-01-01".into(), "9999-12-31".into())
        );
        for odd in [
            "2026-02-30",
            "2026-13-01",
            "26-01-01",
            "2026-1-01",
            "日日日日",
            "2026-11-2x",
            "+2026-11-21",
        ] {
            assert_eq!(date_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_part_at_the_cursor_is_stepped() {
        let step = |text: &str, cursor, by| step_date_time(text, cursor, by).unwrap_or_default();
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
        let wall = LocalTime { seconds: 1_795_300_200, offset: -90 };
        assert_eq!(
            (wall.date().to_string().as_str(), wall.time_with_offset().as_str()),
            ("2026-11-21", "21:00:00-01:30")
        );
    }
}
