//! Sizes in words.

/// A number of bytes as people read it: `214 B`, `1.2 kB`, `50 MB`.
#[must_use]
pub(crate) fn format_size(count: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let (mut whole, mut rest, mut unit) = (count / 1000, count % 1000, 0);
    while whole >= 1000 && unit + 1 < UNITS.len() {
        (whole, rest, unit) = (whole / 1000, whole % 1000, unit + 1);
    }
    if whole < 10 {
        format!("{whole}.{} {}", rest / 100, UNITS[unit])
    } else {
        format!("{whole} {}", UNITS[unit])
    }
}

/// What is said of the rest of a text that was cut.
const CUT: (&str, &str) = ("… (", " bytes in all)");

/// The start of something that is so many bytes long, to be shown.
#[must_use]
pub(crate) fn cut_text(start: &str, length: usize) -> String {
    format!("{start}{}{length}{}", CUT.0, CUT.1)
}

/// The start of a text that was cut so, and what is said of the rest.
#[must_use]
pub(crate) fn split_cut(text: &str) -> Option<(&str, &str)> {
    let at = text.strip_suffix(CUT.1)?.rfind(CUT.0)?;
    Some(text.split_at(at))
}

/// How long a text is that may be cut so.
#[must_use]
pub(crate) fn whole_length(text: &str) -> usize {
    let said = split_cut(text)
        .and_then(|(_, rest)| rest.strip_prefix(CUT.0)?.strip_suffix(CUT.1)?.parse().ok());
    said.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_says_how_long_it_was() {
        let text = cut_text("the start", 20_000);
        assert_eq!(text, "the start… (20000 bytes in all)");
        assert_eq!((split_cut(&text).unwrap().0, whole_length(&text)), ("the start", 20_000));
        assert_eq!((split_cut("all of it"), whole_length("all of it")), (None, 9));
    }

    #[test]
    fn sizes_read_short() {
        for (count, words) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (1_290, "1.2 kB"),
            (52_400_000, "52 MB"),
            (u64::MAX, "18446 PB"),
        ] {
            assert_eq!(format_size(count), words);
        }
    }
}
