//! Spans of time, and moments in the past, as people type them: `500ms`, `10m`, `2026-01-01T12:00:00Z`.

use crate::model::clock::Millis;

/// `500ms`, `2s`, `1m`, `2h` in milliseconds; a number alone counts them.
///
/// # Errors
/// When it is none, with what could stand there.
pub fn parse(text: &str) -> Result<u64, String> {
    let split = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit {
        "" | "ms" => 1.0,
        "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return Err(format!("\"{unit}\" is no unit of time; write 500ms, 2s, 1m or 1h")),
    };
    let number: f64 = number.parse().map_err(|_| format!("\"{text}\" is no time; write 500ms, 2s, 1m or 1h"))?;
    Ok((number * unit) as u64)
}

/// How far back something is to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// So many milliseconds before now.
    Ago(u64),
    At(Millis),
}

impl Since {
    /// `10m`, `2h`, or a moment such as `2026-01-01T12:00:00Z`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self, String> {
        match Millis::parse(text) {
            Some(at) => Ok(Self::At(at)),
            None => parse(text)
                .map(Self::Ago)
                .map_err(|_| format!("\"{text}\" is no time; write 10m, 2h, or a moment such as 2026-01-01T12:00:00Z")),
        }
    }

    /// The moment that it means now.
    #[must_use]
    pub fn moment(self, now: Millis) -> Millis {
        match self {
            Self::Ago(ago) => Millis(now.0.saturating_sub(ago)),
            Self::At(at) => at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_begins_some_time_ago_or_at_a_moment() {
        let at = |text| Since::parse(text).map(|since| since.moment(Millis(10_000_000)));
        assert_eq!((at("10m"), at("1.5h")), (Ok(Millis(9_400_000)), Ok(Millis(4_600_000))));
        assert_eq!(at("2026-01-01T13:00:00+01:00"), Ok(Millis(1_767_268_800_000)));
        for text in ["", "soon", "10d", "2026-01-01"] {
            assert!(at(text).unwrap_err().contains("2026-01-01T12:00:00Z"), "{text}");
        }
    }
}
