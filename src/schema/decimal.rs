//! Numbers of any size, compared by their exact value: no digit is lost to a 64-bit number.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// `None` where an exponent is too large to be compared.
#[must_use]
pub(crate) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    // Most are small and whole, and can be compared without a copy of their digits.
    if let (Some(one), Some(other)) = (one.as_u64(), other.as_u64()) {
        return Some(one.cmp(&other));
    }
    Some(Decimal::from_number(one)?.cmp(&Decimal::from_number(other)?))
}

/// Whether two numbers have the same value: `1`, `1.0` and `10e-1` do.
#[must_use]
pub(crate) fn numbers_equal(one: &Number, other: &Number) -> bool {
    one == other || compare(one, other) == Some(Ordering::Equal)
}

/// Whether a number has no fraction: `3`, `3.0` and `1e400` have none.
#[must_use]
pub(crate) fn is_whole(number: &Number) -> bool {
    Decimal::from_number(number).is_some_and(|decimal| decimal.exponent >= 0)
}

/// Whether a number is written with a point or an exponent, which many readers take for a float.
#[must_use]
pub(crate) fn is_float(number: &Number) -> bool {
    number.to_string().contains(['.', 'e', 'E'])
}

/// The one spelling under which numbers of the same value are equal as [`Value`]s: a float as 64
/// bits print it, unless that loses digits.
#[must_use]
pub(crate) fn canonical_number(number: Number) -> Number {
    if !is_float(&number) {
        return number;
    }
    let short =
        number.as_f64().and_then(Number::from_f64).filter(|short| numbers_equal(short, &number));
    short.unwrap_or(number)
}

/// Gives each number in a value its [`canonical_number`] spelling.
pub(crate) fn canonicalize(value: &mut Value) {
    match value {
        Value::Number(number) if is_float(number) => {
            *value = Value::Number(canonical_number(number.clone()));
        }
        Value::Array(items) => items.iter_mut().for_each(canonicalize),
        Value::Object(members) => members.values_mut().for_each(canonicalize),
        _ => {}
    }
}

/// A number as its digits times a power of ten, without zeros at either end. Zero has no digits.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn from_number(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (negative, text) =
            text.strip_prefix('-').map_or((false, text.as_str()), |text| (true, text));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let dropped = i64::try_from(all.len() - digits.len()).ok()?;
        let fraction = i64::try_from(fraction.len()).ok()?;
        let digits = digits.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let exponent = exponent.parse::<i64>().ok()?.checked_sub(fraction)?.checked_add(dropped)?;
        Some(Self { negative, digits, exponent })
    }

    /// The power of ten just above the number, without its sign.
    fn magnitude(&self) -> i128 {
        self.digits.len() as i128 + i128::from(self.exponent)
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = || {
            self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits))
        };
        match (self.sign().cmp(&other.sign()), self.sign()) {
            (Ordering::Equal, 0) => Ordering::Equal,
            (Ordering::Equal, -1) => size().reverse(),
            (Ordering::Equal, _) => size(),
            (differ, _) => differ,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_in_the_order_of_their_exact_values() {
        let rising = [
            "-1e400",
            "-12345678901234567890124",
            "-12345678901234567890123",
            "-2",
            "-1.5",
            "-1",
            "0",
            "1e-400",
            "0.09",
            "0.1",
            "1",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "1e400",
        ];
        for (a, one) in rising.iter().enumerate() {
            for (b, other) in rising.iter().enumerate() {
                assert_eq!(compare(&number(one), &number(other)), Some(a.cmp(&b)), "{one} {other}");
            }
        }
    }

    #[test]
    fn one_value_has_one_canonical_spelling_and_keeps_its_digits() {
        for (written, canonical) in
            [("1.50", "1.5"), ("1e3", "1000.0"), ("15e-1", "1.5"), ("1E3", "1000.0"), ("10", "10")]
        {
            assert_eq!(
                super::canonical_number(number(written)).to_string(),
                canonical,
                "{written}"
            );
        }
        for kept in ["12345678901234567890123", "0.12345678901234567890123", "1e+999", "-0"] {
            assert_eq!(super::canonical_number(number(kept)).to_string(), kept);
        }
    }

    #[test]
    fn spelling_does_not_count() {
        for (one, other) in [
            ("1", "1.0"),
            ("1", "10e-1"),
            ("100", "1E+2"),
            ("0", "-0.00"),
            ("1.50", "1.5"),
            ("0e5", "0"),
        ] {
            assert!(numbers_equal(&number(one), &number(other)), "{one} {other}");
        }
        assert!(
            is_whole(&number("3.0")) && is_whole(&number("1e400")) && is_whole(&number("150e-1"))
        );
        assert!(!is_whole(&number("3.5")) && !is_whole(&number("1e-1")));
        assert!(compare(&number("1e99999999999999999999"), &number("1")).is_none());
    }
}
