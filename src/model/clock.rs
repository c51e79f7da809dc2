//! Time as data: nothing below the runtime reads a clock.

/// Milliseconds since the Unix epoch, as the runtime read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

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
