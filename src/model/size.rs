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

#[cfg(test)]
mod tests {
    use super::*;

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
