//! Spans of time as people write them, the same in every file, flag and filter: `500ms`, `30s`,
//! `2m`, `1.5h`, `3d`; a number alone counts seconds.

use std::time::Duration;

use serde_json::Value;

/// What can be written, for messages.
pub(crate) const EXAMPLES: &str = "500ms, 30s, 2m, 1h or 3d";

/// A longer span is a slip: no clock could count to its end.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// Reads a span of time; `None` where the text is none, or is longer than a century.
#[must_use]
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let split =
        text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(number * seconds).ok().filter(|time| *time <= LONGEST)
}

/// The same of a value in a file, longer than nothing: a text, or a number of seconds.
#[must_use]
pub(crate) fn duration_of(value: &Value) -> Option<Duration> {
    let time = match value {
        Value::String(text) => parse_duration(text),
        Value::Number(number) => parse_duration(&number.to_string()),
        _ => None,
    };
    time.filter(|time| !time.is_zero())
}

/// A span of time as [`parse_duration`] reads it; in whole milliseconds from one on.
#[must_use]
pub(crate) fn print_duration(time: Duration) -> String {
    let ms = time.as_millis();
    match ms {
        0 if time.is_zero() => "0s".into(),
        0 => format!("{}ms", time.as_nanos() as f64 / 1e6),
        _ if ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        _ if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        _ => format!("{ms}ms"),
    }
}

/// How long something took, for people: `345 ms`, `12.3 s`, `2 min 5 s`.
#[must_use]
pub(crate) fn print_rounded(ms: u64) -> String {
    match (ms / 1_000, ms % 1_000 / 100) {
        (0, _) => format!("{ms} ms"),
        (seconds @ 120.., _) => format!("{} min {} s", seconds / 60, seconds % 60),
        (seconds, 0) => format!("{seconds} s"),
        (seconds, tenths) => format!("{seconds}.{tenths} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts_or_seconds_and_more_than_nothing() {
        use serde_json::json;

        let ms = |value: Value| duration_of(&value).map(|time| time.as_millis());
        assert_eq!([ms(json!("2m")), ms(json!(1.5))], [Some(120_000), Some(1_500)]);
        assert_eq!([json!("0s"), json!(0), json!(true), json!("soon")].map(ms), [None; 4]);
    }

    #[test]
    fn what_it_took_is_rounded_down() {
        for (ms, shown) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (12_345, "12.3 s"),
            (119_999, "119.9 s"),
            (125_900, "2 min 5 s"),
        ] {
            assert_eq!(print_rounded(ms), shown);
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["500ms", "30s", "2m", "1500ms", "0s", "0.001ms"] {
            assert_eq!(parse_duration(text).map(print_duration).as_deref(), Some(text));
        }
        for (text, ms) in [
            ("5", 5_000),
            ("1.5", 1_500),
            ("1.5h", 5_400_000),
            ("3d", 259_200_000),
            (" 2s ", 2_000),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "soon", "-1s", "1w", "1 s", "1..5s", "99999999999999999999d"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        // A time limit is counted from now on, and this is more than a clock holds.
        assert_eq!(parse_duration("10000000000000000000"), None);
        assert!(parse_duration("36500d").is_some());
    }
}
