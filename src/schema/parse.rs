//! Typed text to values: numbers and JSON, with words for what is no value yet.

use serde_json::Value;

use super::literal::Literal;

/// A number as typed; its spelling is kept.
pub(crate) fn parse_number(text: &str, whole: bool) -> Result<Literal, &'static str> {
    let text = text.trim();
    let parsed = Literal::parse(text).ok().filter(|literal| literal.value().is_number());
    let wants = if whole { "is not a whole number" } else { "is not a number" };
    parsed.ok_or(if text.contains(',') && text.replace(',', ".").parse::<f64>().is_ok() {
        "use a decimal point, not a comma"
    } else {
        wants
    })
}

/// JSON as typed; its spelling is kept.
pub(crate) fn parse_json(text: &str) -> Result<Literal, String> {
    if text.trim().is_empty() {
        return Err("JSON is expected here".into());
    }
    Literal::parse(text).map_err(|error| {
        let words = error.to_string();
        let words = match words.split(" at line ").next().unwrap_or_default() {
            ended if ended.starts_with("EOF ") => "it ends too early",
            words => words,
        };
        let skipped = text.len() - text.trim_start().len();
        let lines = text[..skipped].matches('\n').count();
        format!("is not JSON: {words} (line {}, column {})", error.line() + lines, error.column())
    })
}

/// Where a text stops being JSON, as a byte; `None` where it is JSON or blank.
#[must_use]
pub(crate) fn wrong_at(text: &str) -> Option<usize> {
    let error = serde_json::from_str::<Value>(text).err().filter(|_| !text.trim().is_empty())?;
    let start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Some(if error.is_eof() { text.len() } else { at })
}

/// JSON for editing: as written where that is known, else laid out over lines.
#[must_use]
pub(crate) fn pretty_json(value: &Value, written: Option<&str>) -> String {
    written
        .map_or_else(|| serde_json::to_string_pretty(value).unwrap_or_default(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_spelling() {
        assert_eq!(parse_number(" 1.50 ", false).unwrap().source_text(), Some("1.50"));
        assert_eq!(
            parse_number("12345678901234567890123", true).unwrap().source_text(),
            Some("12345678901234567890123")
        );
        assert_eq!(parse_number("-", false).unwrap_err(), "is not a number");
        assert_eq!(parse_number("true", true).unwrap_err(), "is not a whole number");
        assert_eq!(parse_number("1,5", false).unwrap_err(), "use a decimal point, not a comma");
    }

    #[test]
    fn the_wrong_letter_is_found() {
        assert_eq!(wrong_at("{\n \"a\": }"), Some(8));
        assert_eq!(wrong_at("[\"日\", x]"), Some(8));
        assert_eq!(wrong_at("{"), Some(1));
        assert_eq!(wrong_at("{}"), None);
    }

    #[test]
    fn bad_json_is_told_with_its_place() {
        assert_eq!(
            parse_json("{\n \"a\": }").unwrap_err(),
            "is not JSON: expected value (line 2, column 7)"
        );
        assert_eq!(
            parse_json("\n\n{").unwrap_err(),
            "is not JSON: it ends too early (line 3, column 1)"
        );
    }
}
