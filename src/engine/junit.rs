//! Reports in the JUnit form, for CI: suites of cases, each of which holds or fails with its words.

use std::fmt::Write;

use super::xml::escape_text;

/// Cases under one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suite {
    pub name: String,
    pub file: String,
    pub cases: Vec<Checked>,
}

/// One case as it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    pub name: String,
    /// How it differs from what was expected, a line each; none: it holds.
    pub differences: Vec<String>,
    /// How long it took, where that was measured.
    pub took_ms: Option<u64>,
    /// Why it wasn't looked at, where it wasn't.
    pub skipped: Option<String>,
    /// What differs says nothing about what was tested: there was no answer to look at.
    pub is_error: bool,
}

/// A report of `title`: every suite with its cases.
#[must_use]
pub(crate) fn render_report(title: &str, suites: &[Suite]) -> String {
    let tests: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let failures: usize = suites.iter().map(failure_count).sum();
    let all = suites.iter().flat_map(|suite| &suite.cases);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"{}\" tests=\"{tests}\" failures=\"{failures}\"{}>",
        escape_xml(title),
        other_counts(all)
    );
    for suite in suites {
        let (name, file) = (escape_xml(&suite.name), escape_xml(&suite.file));
        let (tests, failures) = (suite.cases.len(), failure_count(suite));
        let _ = writeln!(
            text,
            "  <testsuite name=\"{name}\" file=\"{file}\" tests=\"{tests}\" failures=\"{failures}\"{}>",
            other_counts(suite.cases.iter())
        );
        suite.cases.iter().for_each(|checked| write_case(&mut text, &name, checked));
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// The attributes that count what there was no answer to look at, and what wasn't looked at; nothing
/// where all was.
fn other_counts<'c>(cases: impl Iterator<Item = &'c Checked> + Clone) -> String {
    let is_skipped = |case: &&Checked| case.skipped.is_some() && case.differences.is_empty();
    let is_error = |case: &&Checked| case.is_error && !case.differences.is_empty();
    let count = |name: &str, count: usize| match count {
        0 => String::new(),
        count => format!(" {name}=\"{count}\""),
    };
    let errors = count("errors", cases.clone().filter(is_error).count());
    errors + &count("skipped", cases.filter(is_skipped).count())
}

fn failure_count(suite: &Suite) -> usize {
    suite.cases.iter().filter(|case| !case.differences.is_empty() && !case.is_error).count()
}

fn write_case(text: &mut String, suite: &str, checked: &Checked) {
    let name = escape_xml(&checked.name);
    let took = checked
        .took_ms
        .map_or_else(String::new, |ms| format!(" time=\"{}.{:03}\"", ms / 1_000, ms % 1_000));
    if let (Some(why), true) = (&checked.skipped, checked.differences.is_empty()) {
        let why = escape_xml(why);
        let _ = writeln!(text, "    <testcase classname=\"{suite}\" name=\"{name}\"{took}>");
        let _ = writeln!(text, "      <skipped message=\"{why}\"/>\n    </testcase>");
        return;
    }
    let Some(first) = checked.differences.first() else {
        let _ = writeln!(text, "    <testcase classname=\"{suite}\" name=\"{name}\"{took}/>");
        return;
    };
    let _ = writeln!(text, "    <testcase classname=\"{suite}\" name=\"{name}\"{took}>");
    let all = escape_xml(&checked.differences.join("\n"));
    let what = if checked.is_error { "error" } else { "failure" };
    let _ = writeln!(text, "      <{what} message=\"{}\">{all}</{what}>", escape_xml(first));
    text.push_str("    </testcase>\n");
}

/// Text as XML has it; what XML 1.0 cannot hold becomes a replacement sign.
fn escape_xml(text: &str) -> String {
    escape_text(text, |escaped, sign| match sign {
        '"' => escaped.push_str("&quot;"),
        '\n' => escaped.push_str("&#10;"),
        sign if sign.is_control() || matches!(sign, '\u{fffe}' | '\u{ffff}') => {
            escaped.push('\u{fffd}');
        }
        sign => escaped.push(sign),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_counts_and_escapes() {
        let held = Checked { name: "a \"b\"".into(), took_ms: Some(1_234), ..Checked::default() };
        let failed = Checked {
            name: "c".into(),
            differences: vec!["x < y\u{1b}".into(), "z".into()],
            took_ms: None,
            skipped: None,
            is_error: false,
        };
        let suite = Suite { name: "s".into(), file: "s.yaml".into(), cases: vec![held, failed] };
        let text = render_report("toolcrib test", &[suite]);
        assert!(
            text.contains("<testsuites name=\"toolcrib test\" tests=\"2\" failures=\"1\">"),
            "{text}"
        );
        assert!(text.contains("name=\"a &quot;b&quot;\" time=\"1.234\"/>"), "{text}");
        assert!(
            text.contains("<failure message=\"x &lt; y\u{fffd}\">x &lt; y\u{fffd}&#10;z</failure>"),
            "{text}"
        );
    }
}
