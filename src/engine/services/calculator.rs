//! A calculator: `+ - * / % ^`, parentheses, decimals and a few functions; errors name their
//! column.

use super::sample::{Answer, Asking, Fault, text_member};

/// How deep parentheses and signs may nest.
const DEEPEST: usize = 100;

/// A function of the calculator, with how many values it takes at least and at most.
struct Function {
    name: &'static str,
    takes: std::ops::RangeInclusive<usize>,
    apply: fn(&[f64]) -> f64,
}

const FUNCTIONS: &[Function] = &[
    Function { name: "abs", takes: 1..=1, apply: |v| v[0].abs() },
    Function { name: "ceil", takes: 1..=1, apply: |v| v[0].ceil() },
    Function { name: "floor", takes: 1..=1, apply: |v| v[0].floor() },
    Function { name: "ln", takes: 1..=1, apply: |v| v[0].ln() },
    Function { name: "log", takes: 1..=1, apply: |v| v[0].log10() },
    Function {
        name: "max",
        takes: 1..=99,
        apply: |v| v.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    },
    Function {
        name: "min",
        takes: 1..=99,
        apply: |v| v.iter().copied().fold(f64::INFINITY, f64::min),
    },
    Function {
        name: "round",
        takes: 1..=2,
        apply: |v| round_digits(v[0], v.get(1).copied().unwrap_or(0.0)),
    },
    Function { name: "sqrt", takes: 1..=1, apply: |v| v[0].sqrt() },
];

const CONSTANTS: &[(&str, f64)] = &[("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// Evaluates the argument `expression`.
pub(crate) fn answer_request(asking: &Asking<'_>) -> Answer {
    let expression = text_member(asking.arguments, "expression")
        .ok_or_else(|| Fault::new("missing-argument", "give an expression, such as (2 + 3) * 4"))?;
    Ok(vec![format_number(evaluate(&expression)?)])
}

/// The value of an expression, always finite.
pub(crate) fn evaluate(expression: &str) -> Result<f64, Fault> {
    let mut reader = Reader { text: expression, at: 0, depth: 0 };
    let value = reader.parse_sum()?;
    match reader.peek_char() {
        None => Ok(value),
        Some(')') => Err(reader.syntax_fault("this ) closes nothing")),
        Some(found) => Err(reader
            .syntax_fault(&format!("expected an operator, found \"{}\"", found.escape_debug()))),
    }
}

/// Up to twelve digits that count, so that 0.1 + 0.2 is 0.3.
fn format_number(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    let shown = if rounded == 0.0 { 0.0 } else { rounded };
    if shown != 0.0 && !(1e-9..1e21).contains(&shown.abs()) {
        format!("{shown:e}")
    } else {
        shown.to_string()
    }
}

fn round_digits(value: f64, digits: f64) -> f64 {
    let factor = 10_f64.powf(digits.trunc());
    (value * factor).round() / factor
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek_char(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn take_char(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.peek_char().filter(|found| wanted.contains(found))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn syntax_fault(&self, message: &str) -> Fault {
        self.fault_at(self.at, "syntax", message)
    }

    fn fault_at(&self, at: usize, kind: &'static str, message: &str) -> Fault {
        Fault::new(kind, format!("column {}: {message}", self.text[..at].chars().count() + 1))
    }

    fn check_finite(&self, value: f64, at: usize) -> Result<f64, Fault> {
        if value.is_nan() {
            return Err(self.fault_at(at, "undefined", "this has no real value"));
        }
        if value.is_infinite() {
            return Err(self.fault_at(at, "overflow", "the result is too large"));
        }
        Ok(value)
    }

    fn parse_sum(&mut self) -> Result<f64, Fault> {
        let mut value = self.parse_product()?;
        while let Some(sign) = self.take_char(&['+', '-']) {
            let at = self.at - 1;
            let next = self.parse_product()?;
            value = self.check_finite(if sign == '+' { value + next } else { value - next }, at)?;
        }
        Ok(value)
    }

    fn parse_product(&mut self) -> Result<f64, Fault> {
        let mut value = self.parse_signed()?;
        while let Some(operator) = self.take_char(&['*', '/', '%']) {
            let at = self.at - 1;
            let next = self.parse_signed()?;
            if operator != '*' && next == 0.0 {
                return Err(self.fault_at(at, "division-by-zero", "division by zero"));
            }
            let result = match operator {
                '*' => value * next,
                '/' => value / next,
                _ => value % next,
            };
            value = self.check_finite(result, at)?;
        }
        Ok(value)
    }

    /// A sign binds less than a power: -2^2 is -4.
    fn parse_signed(&mut self) -> Result<f64, Fault> {
        self.parse_nested(|reader| match reader.take_char(&['-', '+']) {
            Some('-') => reader.parse_signed().map(|value| -value),
            Some(_) => reader.parse_signed(),
            None => reader.parse_power(),
        })
    }

    fn parse_power(&mut self) -> Result<f64, Fault> {
        let base = self.parse_operand()?;
        if self.take_char(&['^']).is_none() {
            return Ok(base);
        }
        let at = self.at - 1;
        let exponent = self.parse_signed()?;
        if base == 0.0 && exponent < 0.0 {
            return Err(self.fault_at(
                at,
                "division-by-zero",
                "division by zero: zero to a negative power",
            ));
        }
        self.check_finite(base.powf(exponent), at)
    }

    fn parse_operand(&mut self) -> Result<f64, Fault> {
        match self.peek_char() {
            Some('(') => self.parse_nested(|reader| {
                let opened = reader.at;
                reader.at += 1;
                let value = reader.parse_sum()?;
                reader
                    .take_char(&[')'])
                    .map(|_| value)
                    .ok_or_else(|| reader.fault_at(opened, "syntax", "this ( is never closed"))
            }),
            Some(first) if first.is_ascii_digit() || first == '.' => self.parse_number(),
            Some(first) if first.is_alphabetic() => self.parse_name(),
            Some(found) => Err(self
                .syntax_fault(&format!("expected a number, found \"{}\"", found.escape_debug()))),
            None => Err(self.syntax_fault("expected a number, found the end")),
        }
    }

    fn parse_number(&mut self) -> Result<f64, Fault> {
        let start = self.at;
        let rest = &self.text[start..];
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let length = digits + exponent_len(&rest[digits..]);
        self.at += length;
        let value = rest[..length].parse().map_err(|_| {
            self.fault_at(start, "syntax", &format!("\"{}\" is not a number", &rest[..length]))
        })?;
        self.check_finite(value, start)
    }

    fn parse_name(&mut self) -> Result<f64, Fault> {
        let start = self.at;
        let rest = &self.text[start..];
        let name =
            &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())];
        self.at += name.len();
        if let Some((_, value)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
            return Ok(*value);
        }
        let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            return Err(self.fault_at(
                start,
                "unknown-name",
                &format!("\"{name}\" is unknown; there is {}, pi and e", known.join(", ")),
            ));
        };
        let values = self.parse_nested(Self::parse_arguments)?;
        if !function.takes.contains(&values.len()) {
            let takes = match (function.takes.start(), function.takes.end()) {
                (1, 1) => "one value".to_owned(),
                (least, most) => format!("{least} to {most} values"),
            };
            return Err(self.fault_at(
                start,
                "syntax",
                &format!("{name} takes {takes}, not {}", values.len()),
            ));
        }
        self.check_finite((function.apply)(&values), start)
    }

    fn parse_arguments(&mut self) -> Result<Vec<f64>, Fault> {
        let opened = self.at;
        if self.take_char(&['(']).is_none() {
            return Err(self.syntax_fault("expected ( after the function's name"));
        }
        let mut values = vec![self.parse_sum()?];
        while self.take_char(&[',']).is_some() {
            values.push(self.parse_sum()?);
        }
        self.take_char(&[')'])
            .map(|_| values)
            .ok_or_else(|| self.fault_at(opened, "syntax", "this ( is never closed"))
    }

    fn parse_nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth == DEEPEST {
            return Err(self.syntax_fault("nested too deeply"));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }
}

/// The length of an exponent such as `e-7`; `0` where there is none.
fn exponent_len(rest: &str) -> usize {
    let Some(after) = rest.strip_prefix(['e', 'E']) else { return 0 };
    let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
    let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if length == 0 { 0 } else { rest.len() - digits.len() + length }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn result(expression: &str) -> Result<String, String> {
        evaluate(expression).map(format_number).map_err(|fault| fault.message)
    }

    #[test]
    fn expressions_have_their_usual_values() {
        for (expression, value) in [
            ("2 + 3 * 4", "14"),
            ("(2 + 3) * 4", "20"),
            ("7 - 4 - 2", "1"),
            ("2 ^ 3 ^ 2", "512"),
            ("-2 ^ 2", "-4"),
            ("2 ^ -1", "0.5"),
            ("--3", "3"),
            ("10 % 4", "2"),
            ("0.1 + 0.2", "0.3"),
            (".5 * 4", "2"),
            ("1e3 + 1", "1001"),
            ("sqrt(2)", "1.41421356237"),
            ("max(1, 7, 3) - min(4, 2)", "5"),
            ("round(2.567, 2)", "2.57"),
            ("round(2.5)", "3"),
            ("2 * pi", "6.28318530718"),
            ("1/3", "0.333333333333"),
            ("10^30", "1e30"),
            ("1 - 1", "0"),
        ] {
            assert_eq!(result(expression).as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn errors_name_their_column() {
        for (expression, words) in [
            ("1 / 0", "column 3: division by zero"),
            ("5 % (2 - 2)", "column 3: division by zero"),
            ("0 ^ -1", "column 3: division by zero"),
            ("(1 + 2", "column 1: this ( is never closed"),
            ("1 + 2)", "column 6: this ) closes nothing"),
            ("1 +", "column 4: expected a number, found the end"),
            ("2 $ 3", "column 3: expected an operator, found \"$\""),
            ("1.2.3", "column 1: \"1.2.3\" is not a number"),
            ("sqrt(-1)", "column 1: this has no real value"),
            ("10 ^ 400", "column 4: the result is too large"),
            ("sqrt(1, 2)", "column 1: sqrt takes one value, not 2"),
            ("sqrt 4", "column 6: expected ( after"),
            ("ü + 1", "column 1: \"ü\" is unknown"),
            ("", "column 1: expected a number, found the end"),
        ] {
            let message = result(expression).unwrap_err();
            assert!(message.starts_with(words), "{expression}: {message}");
        }
    }

    #[test]
    fn deep_nesting_ends_with_an_error() {
        for text in
            ["(".repeat(10_000), "-".repeat(10_000), "sqrt(".repeat(10_000), "2^".repeat(10_000)]
        {
            assert!(result(&text).unwrap_err().contains("nested too deeply"));
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "\\PC{0,40}|[0-9+*/()^%., a-z-]{0,40}") {
            let _ = result(&text);
        }

        #[test]
        fn sums_of_whole_numbers_are_exact(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000) {
            prop_assert_eq!(result(&format!("{a} + {b}")), Ok((a + b).to_string()));
        }
    }
}
