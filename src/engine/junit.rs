//! Reports in the JUnit form, for CI: suites of cases, each of which holds or fails with its words.

use std::fmt::Write;

use super::xml::escape_text;

/// Cases under one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suite {
    pub name: String,
    pub file: String,
    pub cases: Vec<Checked>,
    /// When it began, as ISO 8601 has it, where that was noted.
    pub started: Option<String>,
}

/// One case as it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    pub name: String,
    /// Its own file, where its suite is of several: the name of its class.
    pub file: Option<String>,
    /// The line of what it differs from, where that is known.
    pub line: Option<usize>,
    /// How it differs from what was expected, a line each; none: it holds.
    pub differences: Vec<String>,
    /// How long it took, where that was measured.
    pub took_ms: Option<u64>,
    /// Why it wasn't looked at, where it wasn't.
    pub skipped: Option<String>,
    /// What differs says nothing about what was tested: there was no answer to look at.
    pub is_error: bool,
    /// How it failed before it held, each time it was tried.
    pub failed_tries: Vec<String>,
}

/// A report of `title`: every suite with its cases.
#[must_use]
pub(crate) fn render_report(title: &str, suites: &[Suite]) -> String {
    let all: Vec<&Checked> = suites.iter().flat_map(|suite| &suite.cases).collect();
    let started = suites.first().and_then(|suite| suite.started.as_deref());
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"{}\"{}>",
        escape_xml(title),
        count_attributes(&all, started)
    );
    for suite in suites {
        let (name, file) = (escape_xml(&suite.name), escape_xml(&suite.file));
        let cases: Vec<&Checked> = suite.cases.iter().collect();
        let counts = count_attributes(&cases, suite.started.as_deref());
        let _ = writeln!(text, "  <testsuite name=\"{name}\" file=\"{file}\"{counts}>");
        suite.cases.iter().for_each(|checked| write_case(&mut text, &name, checked));
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// How many cases there are, and how they went; how long they took and when they began, where that
/// is known.
fn count_attributes(cases: &[&Checked], started: Option<&str>) -> String {
    let count = |is_one: &dyn Fn(&Checked) -> bool| cases.iter().filter(|one| is_one(one)).count();
    let differs = |one: &Checked| !one.differences.is_empty();
    let failures = count(&|one| differs(one) && !one.is_error);
    let errors = count(&|one| differs(one) && one.is_error);
    let skipped = count(&|one| one.skipped.is_some() && !differs(one));
    let took: Vec<u64> = cases.iter().filter_map(|one| one.took_ms).collect();
    let took = (!took.is_empty()).then(|| took.iter().sum());
    let started =
        started.map_or_else(String::new, |time| format!(" timestamp=\"{}\"", escape_xml(time)));
    format!(
        " tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"{}{started}",
        cases.len(),
        time_attribute(took)
    )
}

fn time_attribute(took_ms: Option<u64>) -> String {
    took_ms.map_or_else(String::new, |ms| format!(" time=\"{}.{:03}\"", ms / 1_000, ms % 1_000))
}

fn write_case(text: &mut String, suite: &str, checked: &Checked) {
    let name = escape_xml(&checked.name);
    let took = time_attribute(checked.took_ms);
    let of = match &checked.file {
        Some(file) => format!("classname=\"{0}\" name=\"{name}\" file=\"{0}\"", escape_xml(file)),
        None => format!("classname=\"{suite}\" name=\"{name}\""),
    };
    let mut inner = String::new();
    if let Some(first) = checked.differences.first() {
        let all = escape_xml(&checked.differences.join("\n"));
        let what = if checked.is_error { "error" } else { "failure" };
        let _ = writeln!(inner, "      <{what} message=\"{}\">{all}</{what}>", escape_xml(first));
    } else if let Some(why) = &checked.skipped {
        let _ = writeln!(inner, "      <skipped message=\"{}\"/>", escape_xml(why));
    }
    // As Surefire writes them, which CI reads: what passed at last is flaky.
    let tried = match (checked.differences.is_empty(), checked.is_error) {
        (true, _) => "flakyFailure",
        (false, false) => "rerunFailure",
        (false, true) => "rerunError",
    };
    for failed in &checked.failed_tries {
        let _ = writeln!(inner, "      <{tried} message=\"{}\"/>", escape_xml(failed));
    }
    let _ = match inner.as_str() {
        "" => writeln!(text, "    <testcase {of}{took}/>"),
        inner => writeln!(text, "    <testcase {of}{took}>\n{inner}    </testcase>"),
    };
}

/// Text as XML has it; control signs, most of which XML 1.0 cannot hold, become replacement signs.
fn escape_xml(text: &str) -> String {
    escape_text(text, |escaped, sign| match sign {
        '"' => escaped.push_str("&quot;"),
        // As a code, since readers turn them into spaces in attributes.
        '\n' | '\r' | '\t' => _ = write!(escaped, "&#{};", u32::from(sign)),
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
            differences: vec!["x < y\u{1b}".into(), "z\tw\r".into()],
            ..Checked::default()
        };
        let suite = Suite {
            name: "s".into(),
            file: "s.yaml".into(),
            cases: vec![held, failed],
            started: None,
        };
        let text = render_report("toolcrib test", &[suite]);
        assert!(
            text.contains(
                "<testsuites name=\"toolcrib test\" tests=\"2\" failures=\"1\" errors=\"0\" \
                 skipped=\"0\" time=\"1.234\">"
            ),
            "{text}"
        );
        assert!(text.contains("name=\"a &quot;b&quot;\" time=\"1.234\"/>"), "{text}");
        assert!(
            text.contains(
                "<failure message=\"x &lt; y\u{fffd}\">x &lt; y\u{fffd}&#10;z&#9;w&#13;</failure>"
            ),
            "{text}"
        );
    }
    #[test]
    fn a_case_of_its_own_file_is_of_that_class_and_says_how_it_failed_before() {
        let flaky = Checked {
            name: "login".into(),
            file: Some("cases/a.yaml".into()),
            took_ms: Some(5),
            failed_tries: vec!["json: <no>".into()],
            ..Checked::default()
        };
        let skipped = Checked { skipped: Some("interrupted".into()), ..Checked::default() };
        // What failed each time is no flaky case.
        let differs = |is_error| Checked {
            differences: vec!["at last".into()],
            failed_tries: vec!["at first".into()],
            is_error,
            ..Checked::default()
        };
        let suite = Suite {
            name: "cases".into(),
            cases: vec![flaky, skipped, differs(false), differs(true)],
            started: Some("2026-01-02T03:04:05Z".into()),
            ..Suite::default()
        };
        let text = render_report("toolcrib test", &[suite]);
        for part in [
            "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"0.005\" \
             timestamp=\"2026-01-02T03:04:05Z\"",
            "<testcase classname=\"cases/a.yaml\" name=\"login\" file=\"cases/a.yaml\" \
             time=\"0.005\">\n      <flakyFailure message=\"json: &lt;no&gt;\"/>",
            "<skipped message=\"interrupted\"/>",
            "at last</failure>\n      <rerunFailure message=\"at first\"/>",
            "at last</error>\n      <rerunError message=\"at first\"/>",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }
}
