//! Time as data: nothing below the runtime reads a clock.

/// Milliseconds since the Unix epoch, as the runtime read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

/// How HTTP writes dates: as it does now, as RFC 850 did, and as C's `asctime` does.
const HTTP_DATES: [&str; 3] =
    ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

impl Millis {
    /// Milliseconds from `earlier` to this; nothing when the clock went back.
    #[must_use]
    pub fn since(self, earlier: Millis) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// A moment as RFC 3339 writes it, with `Z` or an offset (seconds may be left out); `None`
    /// where a text names none since 1970.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let at: jiff::Timestamp = text.trim().parse().ok()?;
        u64::try_from(at.as_millisecond()).ok().map(Millis)
    }

    /// A moment as a header of HTTP writes it, in any of its three forms:
    /// `Sun, 06 Nov 1994 08:49:37 GMT`; `None` where a text names none since 1970.
    #[must_use]
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let civil = |form: &&str| jiff::civil::DateTime::strptime(form, text.trim()).ok();
        let at = HTTP_DATES.iter().find_map(civil)?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        u64::try_from(at.timestamp().as_millisecond()).ok().map(Millis)
    }

    /// The moment as RFC 3339 writes it, in UTC; empty past the year 9999.
    #[must_use]
    pub fn to_timestamp(self) -> String {
        let at =
            i64::try_from(self.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        at.map_or_else(String::new, |at| at.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_read_in_each_of_their_forms() {
        let moment = Some(Millis(784_111_777_000));
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            " Sunday, 06-Nov-94 08:49:37 GMT ",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(Millis::parse_http_date(text), moment, "{text}");
        }
        for text in ["", "120", "tomorrow", "Sun, 06 Nov 1994", "Sun, 06 Nov 1960 08:49:37 GMT"] {
            assert_eq!(Millis::parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn moments_are_read_with_any_offset_and_fraction() {
        let noon = Some(Millis(1_767_268_800_000));
        for text in [
            "2026-01-01T12:00:00Z",
            "2026-01-01T13:30:00+01:30",
            "2026-01-01 07:00:00.000000-05:00",
        ] {
            assert_eq!(Millis::parse(text), noon, "{text}");
        }
        assert_eq!(Millis::parse("2026-01-01T12:00:00.25Z"), Some(Millis(1_767_268_800_250)));
        assert_eq!(Millis(1_767_268_800_250).to_timestamp(), "2026-01-01T12:00:00.25Z");
        assert_eq!(Millis(u64::MAX).to_timestamp(), "");
        for text in [
            "",
            "soon",
            "2026-01-01",
            "2026-13-01T00:00:00Z",
            "2026-01-01T12:00:00",
            "1960-01-01T00:00:00Z",
        ] {
            assert_eq!(Millis::parse(text), None, "{text}");
        }
    }
}
