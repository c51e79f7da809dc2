//! Moments in the past as people type them: `10m`, `14:05`, `2026-01-01T12:00:00Z`.

use crate::{
    model::{clock::Millis, duration},
    schema::moment::{date_in, midnight_seconds},
};

/// How far back something is to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartTime {
    /// So many milliseconds before now.
    Ago(u64),
    At(Millis),
    /// So many seconds after midnight by the clock on the wall, the last time that it showed so.
    Clock(i64),
    /// So many seconds after 1970 began by the clock on the wall.
    Wall(i64),
}

const DAY: i64 = 24 * 60 * 60;

/// What can be written.
const WRITE: &str = "use 10m, 2h, a time of day such as 14:05, or a date and time such as \
    2026-01-01T12:00 (or 2026-01-01T12:00:00Z)";

impl StartTime {
    /// `10m`, `2h`; `14:05`, `2026-01-01T14:05` by the clock on the wall; a moment such as
    /// `2026-01-01T12:00:00Z`.
    ///
    /// # Errors
    /// When it is none of them, with what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(at) = Millis::parse(text) {
            return Ok(Self::At(at));
        }
        if let Some((date, clock)) = text.split_once(['T', 't', ' ']) {
            let day = date_in(date)
                .filter(|_| date.len() == 10)
                .ok_or_else(|| format!("\"{date}\" isn't a day; {WRITE}"))?;
            return Ok(Self::Wall(midnight_seconds(day) + time_of_day(clock)?));
        }
        if text.contains(':') {
            return time_of_day(text).map(Self::Clock);
        }
        if text.len() == 10
            && let Some(day) = date_in(text)
        {
            return Ok(Self::Wall(midnight_seconds(day)));
        }
        let ago =
            duration::parse_duration(text).and_then(|ago| u64::try_from(ago.as_millis()).ok());
        ago.map(Self::Ago).ok_or_else(|| format!("\"{text}\" isn't a time; {WRITE}"))
    }

    /// The moment that it means now. `offset` says by how many minutes the clock on the wall was
    /// ahead of UTC at a moment.
    ///
    /// # Errors
    /// When that is still to come.
    pub fn to_moment(self, now: Millis, offset: impl Fn(Millis) -> i32) -> Result<Millis, String> {
        let wall =
            |at: Millis| i64::try_from(at.0 / 1_000).unwrap_or(0) + i64::from(offset(at)) * 60;
        let at_wall = |seconds: i64| {
            let less = |at: Millis| {
                let seconds = seconds - i64::from(offset(at)) * 60;
                Millis(u64::try_from(seconds).unwrap_or(0) * 1_000)
            };
            // The clock may have been put forward or back since then.
            less(less(now))
        };
        let at = match self {
            Self::Ago(ago) => Millis(now.0.saturating_sub(ago)),
            Self::At(at) => at,
            Self::Wall(seconds) => at_wall(seconds),
            Self::Clock(seconds) => {
                let today = wall(now).div_euclid(DAY) * DAY + seconds;
                at_wall(if today > wall(now) { today - DAY } else { today })
            }
        };
        if at > now {
            return Err("that is in the future; use a time in the past".into());
        }
        Ok(at)
    }
}

/// Seconds after midnight: `14:05`, `14:05:30`.
fn time_of_day(text: &str) -> Result<i64, String> {
    let wrong = |why: &str| Err(format!("\"{text}\" isn't a time of day: {why}; {WRITE}"));
    let mut parts = Vec::new();
    for part in text.split(':') {
        let digits =
            part.bytes().all(|byte| byte.is_ascii_digit()) && (1..=2).contains(&part.len());
        match part.parse::<i64>() {
            Ok(number) if digits => parts.push(number),
            _ => return wrong("it is made of hours, minutes and perhaps seconds"),
        }
    }
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes] => (hours, minutes, 0),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return wrong("it is made of hours, minutes and perhaps seconds"),
    };
    match (hours, minutes, seconds) {
        (24.., ..) => wrong("hours go up to 23"),
        (_, 60.., _) => wrong("minutes go up to 59"),
        (.., 60..) => wrong("seconds go up to 59"),
        _ => Ok(hours * 3_600 + minutes * 60 + seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-29T00:30:00Z; at 01:00Z the clocks of this place are put forward from one hour ahead
    /// of UTC to two.
    const NIGHT: u64 = 1_774_744_200_000;

    fn offset(at: Millis) -> i32 {
        if at.0 < 1_774_746_000_000 { 60 } else { 120 }
    }

    fn at(text: &str, now: u64) -> Result<u64, String> {
        StartTime::parse(text).and_then(|since| since.to_moment(Millis(now), offset)).map(|at| at.0)
    }

    #[test]
    fn the_past_begins_some_time_ago_or_at_a_moment() {
        let now = 10_000_000;
        assert_eq!(
            (at("10m", now), at("1.5h", now), at("60", now)),
            (Ok(9_400_000), Ok(4_600_000), Ok(9_940_000))
        );
        assert_eq!(at("2026-01-01T13:00:00+01:00", NIGHT), Ok(1_767_268_800_000));
    }

    #[test]
    fn the_clock_on_the_wall_shows_the_time_of_day_the_last_time() {
        let (minute, hour) = (60_000, 3_600_000);
        // It is 01:30 there.
        assert_eq!(at("01:30", NIGHT), Ok(NIGHT));
        assert_eq!(at("1:05:30", NIGHT), Ok(NIGHT - 25 * minute + minute / 2));
        assert_eq!(
            at("23:30", NIGHT),
            Ok(NIGHT - 2 * hour),
            "what would be tonight was last night"
        );
        assert_eq!(at("01:31", NIGHT), Ok(NIGHT - 24 * hour + minute));
        assert_eq!(at("2026-03-29T00:30", NIGHT), Ok(NIGHT - hour));
        assert_eq!(at("2026-03-29", NIGHT), Ok(NIGHT - 90 * minute));
        // Two hours on the clock were put forward by one of them: it is 04:30 there, and was 01:30
        // two hours ago.
        let later = NIGHT + 2 * hour;
        assert_eq!(
            (at("04:30", later), at("01:30", later), at("2026-03-29 01:30:00", later)),
            (Ok(later), Ok(NIGHT), Ok(NIGHT))
        );
    }

    #[test]
    fn what_is_no_time_says_why() {
        for (text, word) in [
            ("", "isn't a time"),
            ("soon", "isn't a time"),
            ("10w", "isn't a time"),
            ("24:00", "hours go up to 23"),
            ("14:60", "minutes go up to 59"),
            ("14:05:60", "seconds go up to 59"),
            ("14:", "made of hours, minutes"),
            ("14:5:", "made of hours, minutes"),
            ("2:05pm", "made of hours, minutes"),
            ("2026-02-30T12:00", "\"2026-02-30\" isn't a day"),
            ("2026-01-01T1200", "\"1200\" isn't a time of day"),
            ("2026-01-01T", "isn't a time of day"),
        ] {
            let said = StartTime::parse(text).unwrap_err();
            assert!(said.contains(word) && said.contains("14:05"), "{text}: {said}");
        }
        assert!(at("2026-03-29T05:00", NIGHT).unwrap_err().contains("in the future"));
        assert!(at("2030-01-01T00:00:00Z", NIGHT).unwrap_err().contains("in the future"));
    }
}
