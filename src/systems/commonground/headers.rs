//! The names of CommonGround's headers, and what a message's headers say. Names are case-sensitive:
//! other spellings count as absent.

use crate::syntax::python::text as python;

pub(crate) const PROJECT: &str = "CG-Project-Id";
pub(crate) const CHANNEL: &str = "CG-Channel-Id";
pub const AGENT: &str = "CG-Agent-Id";
/// Payloads and cards call it `agent_turn_id`.
pub(crate) const TURN: &str = "CG-Turn-Id";
pub(crate) const EPOCH: &str = "CG-Turn-Epoch";
pub(crate) const STEP: &str = "CG-Step-Id";
pub(crate) const CALL: &str = "CG-Tool-Call-Id";
pub(crate) const DEPTH: &str = "CG-Recursion-Depth";
pub(crate) const PARENT_AGENT: &str = "CG-Parent-Agent-Id";
pub(crate) const PARENT_TURN: &str = "CG-Parent-Turn-Id";
pub(crate) const PARENT_STEP: &str = "CG-Parent-Step-Id";
pub(crate) const TRACE: &str = "traceparent";

/// The depth at which results are refused.
pub(crate) const DEPTH_LIMIT: u64 = 20;

/// The value of a header; blank ones count as absent.
#[must_use]
pub fn find_value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    raw_value(headers, name).filter(|value| !value.is_empty())
}

/// The value of a header, trimmed as it is received, a blank one too. Of several the last counts.
#[must_use]
pub(crate) fn raw_value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().rfind(|(own, _)| own == name).map(|(_, value)| python::strip(value))
}

/// A header that would be this one if names were not case-sensitive.
#[must_use]
pub(crate) fn misspelled_name<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers
        .iter()
        .map(|(own, _)| own.as_str())
        .find(|own| *own != name && own.eq_ignore_ascii_case(name))
}

/// Why a header that is needed is not there.
#[must_use]
pub(crate) fn missing_reason(headers: &[(String, String)], name: &str) -> String {
    match misspelled_name(headers, name) {
        Some(other) => {
            format!("it is spelled {other}, and names are case-sensitive: it counts as absent")
        }
        None => "it is missing".into(),
    }
}

/// An epoch or depth: absent is `Ok(None)`, which counts as 0.
///
/// # Errors
/// The text that is no whole number from 0 on; such a message is dropped in silence.
pub(crate) fn parse_number<'h>(
    headers: &'h [(String, String)],
    name: &str,
) -> Result<Option<u64>, &'h str> {
    find_value(headers, name).map(|text| parse_whole_number(text).ok_or(text)).transpose()
}

/// A whole number from 0 on, as Python reads one: `0_1` is 1. Larger ones than fit count as the
/// largest.
#[must_use]
pub(crate) fn parse_whole_number(text: &str) -> Option<u64> {
    let digits = python::parse_int(text).ok()?;
    (!digits.starts_with('-')).then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_count_as_absent_and_are_found() {
        let headers =
            [("cg-agent-id".to_owned(), "a".to_owned()), (EPOCH.to_owned(), "-1".to_owned())];
        assert_eq!(find_value(&headers, AGENT), None);
        assert_eq!(misspelled_name(&headers, AGENT), Some("cg-agent-id"));
        assert_eq!(misspelled_name(&headers, EPOCH), None);
        assert_eq!(parse_number(&headers, EPOCH), Err("-1"));
        assert_eq!(parse_number(&headers, DEPTH), Ok(None));
        let headers = ["1", " 0_2 "].map(|value| (DEPTH.to_owned(), value.to_owned()));
        assert_eq!(parse_number(&headers, DEPTH), Ok(Some(2)));
    }
}
