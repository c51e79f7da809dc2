//! Whether documents match their JSON Schemas: the schema that a document names, and its issues as
//! findings at their lines.

use serde_json::{Map, Value};

use super::lint::check::safe_text;
use crate::{
    model::{
        entry::FileId,
        finding::{Finding, Severity, Site},
    },
    schema::{
        pointer::Pointer,
        validate::{Checker, Issue, SchemaFinding},
    },
    syntax::source::{Format, Source},
};

/// The document could not be checked at all.
pub(crate) const NOT_CHECKED: &str = "schema.not-checked";
/// A part of a schema that cannot be used.
pub(crate) const FLAW: &str = "schema.flaw";
/// An issue of a keyword that has no code of its own.
const MISMATCH: &str = "schema.mismatch";

/// Keywords with the codes of their findings.
const CODES: [(&str, &str); 28] = [
    ("additionalItems", "schema.additional-items"),
    ("additionalProperties", "schema.additional-properties"),
    ("anyOf", "schema.any-of"),
    ("const", "schema.const"),
    ("contains", "schema.contains"),
    ("contentEncoding", "schema.content-encoding"),
    ("contentMediaType", "schema.content-media-type"),
    ("dependencies", "schema.dependencies"),
    ("enum", "schema.enum"),
    ("exclusiveMaximum", "schema.maximum"),
    ("exclusiveMinimum", "schema.minimum"),
    ("format", "schema.format"),
    ("maxItems", "schema.max-items"),
    ("maxLength", "schema.max-length"),
    ("maxProperties", "schema.max-properties"),
    ("maximum", "schema.maximum"),
    ("minItems", "schema.min-items"),
    ("minLength", "schema.min-length"),
    ("minProperties", "schema.min-properties"),
    ("minimum", "schema.minimum"),
    ("multipleOf", "schema.multiple-of"),
    ("not", "schema.not"),
    ("oneOf", "schema.one-of"),
    ("pattern", "schema.pattern"),
    ("propertyNames", "schema.property-names"),
    ("required", "schema.required"),
    ("type", "schema.type"),
    ("uniqueItems", "schema.unique-items"),
];

/// Whether it is said of a document as its schema has it, and of no entry.
#[must_use]
pub(crate) fn is_of_schema(finding: &Finding) -> bool {
    finding.site.entry.is_none() && finding.code.starts_with("schema.")
}

/// The schema that a document names: in a comment for editors above it, or as its `$schema`.
#[must_use]
pub(crate) fn named_schema(source: &Source, document: usize) -> Option<String> {
    let text = source.document_text(document)?;
    // Most texts name none, and are not read for this.
    let own = || {
        text.contains("$schema")
            .then_some(source)?
            .value_at(document, &Pointer::root().child("$schema"))?
            .as_str()
            .map(ToOwned::to_owned)
    };
    match source.format() {
        Format::Yaml => leading_comments(text).find_map(language_server),
        Format::Toml => leading_comments(text)
            .find_map(|comment| comment.strip_prefix(":schema "))
            .map(|name| name.trim().to_owned()),
        _ => None,
    }
    .or_else(own)
}

/// The comments above a document, without their sign.
fn leading_comments(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let above = lines.take_while(|line| {
        line.is_empty() || line.starts_with(['#', '%']) || line.starts_with("---")
    });
    above.filter_map(|line| line.strip_prefix('#'))
}

/// `yaml-language-server: $schema=NAME`.
fn language_server(comment: &str) -> Option<String> {
    let rest = comment
        .trim_start()
        .strip_prefix("yaml-language-server")?
        .trim_start()
        .strip_prefix(':')?;
    rest.split_whitespace().find_map(|word| word.strip_prefix("$schema=")).map(ToOwned::to_owned)
}

/// An issue in a sentence: `server › port is required`.
#[must_use]
pub(crate) fn issue_message(issue: &Issue) -> String {
    let place = if issue.at.is_root() {
        "the document".to_owned()
    } else {
        issue.at.tokens().join(" › ")
    };
    format!("{place} {}", issue.words)
}

/// What is wrong with a document by its schema, in the order of the lines. One that is empty counts
/// as an object without members.
#[must_use]
pub(crate) fn document_findings(
    file: &FileId,
    source: &Source,
    document: usize,
    checker: &Checker,
) -> Vec<Finding> {
    let empty = Value::Object(Map::new());
    let issues = checker.issues(source.value(document).map_or(&empty, |value| value));
    let mut found: Vec<Finding> = issues
        .iter()
        .filter(|issue| !is_about_name_of_schema(issue))
        .map(|issue| {
            let code = CODES
                .iter()
                .find(|(keyword, _)| *keyword == issue.keyword)
                .map_or(MISMATCH, |(_, code)| code);
            new_finding(
                code,
                Severity::Error,
                &issue_message(issue),
                nearest_site(file, Some(source), document, &issue.at),
            )
        })
        .collect();
    found.sort_by_key(|finding| (finding.site.line, finding.site.column));
    found
}

/// Whether an issue is that the schema has no member `$schema`: a document names its schema there,
/// whatever that says.
fn is_about_name_of_schema(issue: &Issue) -> bool {
    const UNKNOWN: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
    issue.at.tokens() == ["$schema"] && UNKNOWN.contains(&issue.keyword.as_str())
}

/// What is wrong with a schema itself: the rest of it counts. `source` is its text, where it is a
/// file of its own.
#[must_use]
pub(crate) fn schema_findings(
    file: &FileId,
    source: Option<&Source>,
    flaws: &[SchemaFinding],
) -> Vec<Finding> {
    let of = |flaw: &SchemaFinding| {
        let message = format!("\"{}\": {}", flaw.at, flaw.words);
        new_finding(FLAW, Severity::Warning, &message, nearest_site(file, source, 0, &flaw.at))
    };
    flaws.iter().map(of).collect()
}

/// A document whose schema could not be used.
#[must_use]
pub(crate) fn not_checked(file: &FileId, source: &Source, document: usize, why: &str) -> Finding {
    new_finding(
        NOT_CHECKED,
        Severity::Warning,
        why,
        nearest_site(file, Some(source), document, &Pointer::root()),
    )
}

fn new_finding(code: &'static str, severity: Severity, message: &str, site: Site) -> Finding {
    Finding::new(code, severity, safe_text(message), site)
}

/// A place, with the line of the nearest thing around it that is there.
fn nearest_site(file: &FileId, source: Option<&Source>, document: usize, at: &Pointer) -> Site {
    let mut around = std::iter::successors(Some(at.clone()), Pointer::parent);
    let place = source.and_then(|source| around.find_map(|at| source.find_place(document, &at)));
    let (line, column) = match (place, source) {
        (Some(place), _) => (place.line, place.column),
        (None, Some(_)) => (1, 1),
        (None, None) => (0, 0),
    };
    Site { file: file.clone(), entry: None, pointer: at.clone(), line, column }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_names_its_schema_in_a_member_or_a_comment() {
        let named = |format, text: &str, document| {
            named_schema(&Source::parse(format, text).unwrap(), document)
        };
        assert_eq!(named(Format::Json, r#"{"$schema": "a.json"}"#, 0).as_deref(), Some("a.json"));
        assert_eq!(named(Format::Json, r#"{"a": {"$schema": "a.json"}}"#, 0), None);
        let yaml = "\u{feff}# words\n# yaml-language-server: $schema=https://e.org/s.json\na: 1\n---\n# yaml-language-server : $schema=./b.json\nb: 1\n---\n$schema: c.json\n---\nd: |\n  # yaml-language-server: $schema=no.json\n";
        let found: Vec<_> = (0..4).map(|document| named(Format::Yaml, yaml, document)).collect();
        assert_eq!(
            found,
            [
                Some("https://e.org/s.json".into()),
                Some("./b.json".into()),
                Some("c.json".into()),
                None
            ]
        );
        assert_eq!(
            named(Format::Toml, "#:schema ./t.json\na = 1\n", 0).as_deref(),
            Some("./t.json")
        );
        assert_eq!(named(Format::Toml, "\"$schema\" = 't.json'\n", 0).as_deref(), Some("t.json"));
    }

    #[test]
    fn an_issue_stands_at_the_nearest_line() {
        let schema = json!({"properties": {"s": {"required": ["port"]}, "n": {"type": "integer"}}, "additionalProperties": false});
        let checker = Checker::compile(&schema).unwrap();
        let source = Source::parse(Format::Yaml, "# c\nn: x\ns:\n  a: 1\n---\nz: 1\n").unwrap();
        let told = |document| {
            let of = |finding: Finding| {
                (finding.code, finding.site.line, finding.site.pointer.to_string(), finding.message)
            };
            document_findings(&FileId::new("d.yaml"), &source, document, &checker)
                .into_iter()
                .map(of)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            told(0),
            [
                ("schema.type", 2, "/n".into(), "n is not a whole number".to_owned()),
                ("schema.required", 3, "/s/port".into(), "s › port is required".into())
            ]
        );
        assert_eq!(told(1)[0].1, 6);
    }
}
