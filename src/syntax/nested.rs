//! JSON within a text value, as TrustGraph's configuration export has it: read, and edited with the
//! file's other bytes kept.

use serde_json::Value;

use super::{
    change::Splice,
    edit::{Edit, EditError, Patch},
    source::{Format, Source, Span},
};
use crate::schema::{literal::Literal, pointer::Pointer};

/// The JSON that the text at `at` holds; places in it count from the inner text's begin.
pub(crate) fn parse_inner(
    source: &Source,
    document: usize,
    at: &Pointer,
) -> Result<Source, EditError> {
    let value = source.value(document).ok_or(EditError::NoDocument(document))?;
    let text =
        at.get(value).and_then(Value::as_str).ok_or_else(|| EditError::NoSuchPlace(at.clone()))?;
    Source::parse(Format::Json, text)
        .map_err(|error| EditError::Broken(format!("the text at {at} is {error}")))
}

/// Makes an edit, with pointers of the inner JSON, in the text at `at`.
pub(crate) fn apply_nested(
    source: &Source,
    document: usize,
    at: &Pointer,
    edit: &Edit,
) -> Result<(Source, Patch), EditError> {
    let before = parse_inner(source, document, at)?;
    let (after, patch) = before.apply(0, edit)?;
    let set = Edit::Set { at: at.clone(), to: Literal::from(&**after.text()) };
    if matches!(source.format(), Format::Json | Format::Jsonc)
        && let Some(place) = source.find_place(document, at)
        && let Some(splice) = quoted_splice(source.text(), place.value, &patch)
    {
        return source
            .apply_splices(document, &set, vec![splice])
            .or_else(|_| source.apply(document, &set));
    }
    source.apply(document, &set)
}

/// An inner patch as a piece of the text in quotes around it.
fn quoted_splice(text: &str, quoted: Span, patch: &Patch) -> Option<Splice> {
    let (start, end) = (
        outer_offset(text, quoted, patch.at)?,
        outer_offset(text, quoted, patch.at + patch.old.len())?,
    );
    let new = Value::from(&*patch.new).to_string();
    Some(Splice::new(start, end, new.get(1..new.len() - 1)?))
}

/// Where a byte of the text that JSON quotes mean is between them.
pub(crate) fn outer_offset(text: &str, quoted: Span, inner: usize) -> Option<usize> {
    let (mut at, mut seen) = (quoted.start + 1, 0);
    while seen < inner {
        let rest = text.get(at..quoted.end - 1)?;
        let len = match rest.strip_prefix('\\') {
            None => {
                let len = rest.chars().next()?.len_utf8();
                (at, seen) = (at + len, seen + len);
                continue;
            }
            Some(escape) if !escape.starts_with('u') => 2,
            // Two escapes may make one letter.
            Some(_) => [6, 12].into_iter().find(|len| {
                rest.get(..*len).is_some_and(|piece| decoded_length(piece).is_some())
            })?,
        };
        seen += decoded_length(rest.get(..len)?)?;
        at += len;
    }
    (seen == inner).then_some(at)
}

/// How many bytes a piece of a JSON text means.
fn decoded_length(piece: &str) -> Option<usize> {
    serde_json::from_str::<String>(&format!("\"{piece}\"")).ok().map(|text| text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn other_bytes_of_the_text_stay() {
        let text = r#"{"tool": {"a": "{\"name\":\"\u00fc\ud83d\ude42\/\", \"n\": 1.50}"}}"#;
        let source = Source::parse(Format::Json, text).unwrap();
        let set = Edit::Set { at: at("/n"), to: Literal::from("x\n") };
        let (after, patch) = apply_nested(&source, 0, &at("/tool/a"), &set).unwrap();
        assert_eq!(**after.text(), *text.replace("1.50", r#"\"x\\n\""#));
        assert_eq!(after.with_patch(&patch.inverse()).unwrap().text(), source.text());
        assert_eq!(
            parse_inner(&after, 0, &at("/tool/a")).unwrap().value(0).unwrap()["name"],
            "ü🙂/"
        );
    }

    #[test]
    fn yaml_keeps_its_block() {
        let text = "tool:\n  a: |\n    {\n      \"name\": \"x\"\n    }\n  b: 1\n";
        let source = Source::parse(Format::Yaml, text).unwrap();
        let set = Edit::Set { at: at("/type"), to: Literal::from("y") };
        let (after, _) = apply_nested(&source, 0, &at("/tool/a"), &set).unwrap();
        assert_eq!(
            &**after.text(),
            "tool:\n  a: |\n    {\n      \"name\": \"x\",\n      \"type\": \"y\"\n    }\n  b: 1\n"
        );
    }

    #[test]
    fn what_is_no_json_is_told() {
        let source = Source::parse(Format::Json, r#"{"a": "x", "b": 1}"#).unwrap();
        let error =
            apply_nested(&source, 0, &at("/a"), &Edit::Remove { at: at("/x") }).unwrap_err();
        assert!(error.to_string().contains("the text at /a is not JSON"), "{error}");
        assert_eq!(
            parse_inner(&source, 0, &at("/b")).unwrap_err(),
            EditError::NoSuchPlace(at("/b"))
        );
    }
}
