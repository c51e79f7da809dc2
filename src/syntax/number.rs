//! Numbers of all formats, read the same way: so that a value never differs only by who read it.

use serde_json::Number;

use crate::schema::decimal;

/// The number that a decimal text means: sign, leading zeros, `_` between digits, `1.` and `.5` are
/// understood. `None` when it is not a number, or one that is beyond what JSON readers can hold.
pub(crate) fn parse_decimal(text: &str) -> Option<Number> {
    let (minus, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], digits[at + 1..].replace('_', "")),
        None => (digits, String::new()),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole.replace('_', ""), Some(fraction.replace('_', ""))),
        None => (mantissa.replace('_', ""), None),
    };
    if whole.is_empty() && fraction.as_deref().is_none_or(str::is_empty) {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let mut json = format!("{minus}{whole}");
    if let Some(fraction) = &fraction {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if digits.len() > mantissa.len() {
        json.push('e');
        json.push_str(&exponent);
    }
    let number: Number = serde_json::from_str(&json).ok()?;
    number.as_f64().map(|_| decimal::canonical_number(number))
}

/// The number that digits of another base mean.
pub(crate) fn parse_radix(digits: &str, base: u32, negative: bool) -> Option<Number> {
    // Its decimal digits, the last one first: these numbers have no largest one.
    let mut decimal: Vec<u32> = vec![0];
    for digit in digits.chars().filter(|digit| *digit != '_') {
        let mut carry = digit.to_digit(base)?;
        for place in &mut decimal {
            let sum = *place * base + carry;
            *place = sum % 10;
            carry = sum / 10;
        }
        while carry > 0 {
            decimal.push(carry % 10);
            carry /= 10;
        }
    }
    let has_digits = digits.contains(|digit: char| digit != '_');
    let is_zero = decimal.iter().all(|digit| *digit == 0);
    let sign = if negative && !is_zero { "-" } else { "" };
    let text: String =
        decimal.iter().rev().filter_map(|digit| char::from_digit(*digit, 10)).collect();
    has_digits.then(|| serde_json::from_str(&format!("{sign}{text}")).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_formats_write() {
        for (text, json) in [
            ("+012", "12"),
            ("-0", "-0"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("1_000.2_5e+1_0", "10002500000000.0"),
        ] {
            assert_eq!(parse_decimal(text), serde_json::from_str(json).ok(), "{text}");
        }
        for text in ["", "-", ".", "e1", "1e", "1e999", "a", "1.2.3", "--1", "0x1"] {
            assert_eq!(parse_decimal(text), None, "{text}");
        }
        assert_eq!(parse_radix("ff_ff", 16, false), Some(65535.into()));
        assert_eq!(parse_radix("8000000000000000", 16, true), Some(i64::MIN.into()));
        assert_eq!(
            parse_radix("ffffffffffffffffff", 16, false).unwrap().to_string(),
            "4722366482869645213695"
        );
        assert_eq!(parse_radix("0", 8, true), Some(0.into()));
        for none in ["-1", "", "_", "g"] {
            assert_eq!(parse_radix(none, 16, false), None, "{none}");
        }
    }
}
