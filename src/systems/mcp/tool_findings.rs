//! What is wrong with a tool as a server describes it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    annotations::{DESTRUCTIVE, HINTS, READ_ONLY},
    fault::Fault,
    headers,
    texts::{look_at_all, look_for_injection},
    version::{DEFAULT, Era},
};
use crate::schema::{
    metaschema::{self, Metaschemas, SchemaFlaw},
    pointer::Pointer,
    references::{self, StrayReference},
    subschemas::list_objects,
    validate::{Checker, SchemaFinding},
};

static METASCHEMAS: Metaschemas = Metaschemas::new(metaschema::ecma_fault);

/// A model's API cuts longer descriptions or refuses them.
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_NAME: usize = 128;
/// Of a name that model APIs take.
const LONGEST_TAKEN: usize = 64;

const INPUT: &str = "inputSchema";
const OUTPUT: &str = "outputSchema";

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Members of a tool that every revision knows.
const MEMBERS: [&str; 7] = ["name", "title", "description", INPUT, OUTPUT, "annotations", "_meta"];

/// First words of names of tools that change something.
const CHANGING: [&str; 19] = [
    "create", "delete", "remove", "write", "update", "set", "put", "post", "drop", "insert",
    "move", "rename", "send", "execute", "run", "kill", "reset", "add", "edit",
];

/// What is wrong with a tool of a server that speaks `version`; `others` are the names of its other
/// tools.
#[must_use]
pub fn tool_findings(tool: &Value, version: &str, others: &[&str]) -> Vec<Fault> {
    let mut faults = Vec::new();
    check_name(tool, others, &mut faults);
    check_descriptions(tool, &mut faults);
    check_schemas(tool, Era::from_version(version), &mut faults);
    check_annotations(tool, &mut faults);
    check_members(tool, version, &mut faults);
    look_at_all(tool, &Pointer::root(), &mut faults);
    faults
}

fn member_pointer(member: &str) -> Pointer {
    Pointer::root().child(member)
}

fn check_name(tool: &Value, others: &[&str], faults: &mut Vec<Fault>) {
    let mut tell =
        |id, words: &'static str| faults.push(Fault::new(id, member_pointer("name"), words));
    let Some(name) = tool.get("name").and_then(Value::as_str) else {
        return tell("tool.name-missing", "has no name");
    };
    let length = name.chars().count();
    let is_word = |more: &str| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter))
    };
    if !(1..=LONGEST_NAME).contains(&length) {
        tell("tool.name-length", "must have 1 to 128 characters");
    }
    if length > 0 && !is_word("_.-") {
        tell(
            "tool.name-pattern",
            "has characters other than A to Z, a to z, digits, \"_\", \"-\" and \".\"",
        );
    }
    if length > 0 && (!is_word("_-") || length > LONGEST_TAKEN) {
        tell(
            "tool.name-refused",
            "model APIs refuse the name: they take 1 to 64 letters of A to Z, digits, \"_\" and \"-\"",
        );
    }
    if others.contains(&name) {
        tell("tool.name-duplicate", "another tool of the server has the same name");
    }
}

fn check_descriptions(tool: &Value, faults: &mut Vec<Fault>) {
    let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    if description.trim().is_empty() {
        faults.push(Fault::new(
            "tool.no-description",
            member_pointer("description"),
            "doesn't say when a model should use it",
        ));
    }
    if description.chars().count() > LONGEST_DESCRIPTION {
        faults.push(Fault::new(
            "text.long",
            member_pointer("description"),
            "is longer than 1,024 characters",
        ));
    }
    for place in [
        member_pointer("title"),
        member_pointer("description"),
        member_pointer("annotations").child("title"),
    ] {
        if let Some(text) = place.get(tool).and_then(Value::as_str) {
            look_for_injection(text, || place.clone(), faults);
        }
    }
}

fn check_schemas(tool: &Value, era: Era, faults: &mut Vec<Fault>) {
    match tool.get(INPUT) {
        None | Some(Value::Null) => faults.push(Fault::new(
            "input.missing",
            member_pointer(INPUT),
            "has no schema for its arguments",
        )),
        Some(Value::Object(input)) => {
            if !is_of_objects(input) {
                faults.push(Fault::new(
                    "input.type-not-object",
                    member_pointer(INPUT),
                    "its \"type\" is not \"object\"",
                ));
            }
            check_schema(tool, INPUT, faults);
            faults.extend(headers::header_faults(&tool[INPUT], &member_pointer(INPUT)));
        }
        Some(_) => {
            faults.push(Fault::new("input.not-object", member_pointer(INPUT), "is not an object"));
        }
    }
    match tool.get(OUTPUT) {
        None => {}
        Some(Value::Object(output)) => {
            if era == Era::Legacy && !is_of_objects(output) {
                faults.push(Fault::new(
                    "output.type-not-object",
                    member_pointer(OUTPUT),
                    "its \"type\" is not \"object\"",
                ));
            }
            check_schema(tool, OUTPUT, faults);
        }
        Some(_) => {
            faults.push(Fault::new(
                "output.not-object",
                member_pointer(OUTPUT),
                "is not an object",
            ));
        }
    }
}

fn is_of_objects(schema: &Map<String, Value>) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

fn check_schema(tool: &Value, member: &str, faults: &mut Vec<Fault>) {
    let (schema, below) = (&tool[member], member_pointer(member));
    let mut tell =
        |id, at: &Pointer, words: String| faults.push(Fault::new(id, below.join(at), words));
    let dialect = schema.get("$schema");
    if dialect.is_none_or(|dialect| dialect.as_str().is_some_and(metaschema::is_draft)) {
        for SchemaFlaw { at, words } in schema_flaws(schema) {
            tell("schema.invalid", &at, words);
        }
    } else {
        tell(
            "schema.dialect-unknown",
            &member_pointer("$schema"),
            "names no version of JSON Schema that is known".into(),
        );
    }
    for (at, astray) in references::stray_references(schema) {
        match astray {
            StrayReference::Outside => tell(
                "schema.ref-external",
                &at,
                "leads out of the schema, and is not followed".into(),
            ),
            StrayReference::Nowhere => {
                tell("schema.ref-dangling", &at, "leads nowhere in the schema".into());
            }
        }
    }
    let declared = schema.get("properties");
    let required = schema.get("required").and_then(Value::as_array);
    for (index, name) in required.into_iter().flatten().enumerate() {
        if name
            .as_str()
            .is_some_and(|name| declared.and_then(|declared| declared.get(name)).is_none())
        {
            let words = "is required, and not among \"properties\"".into();
            tell("schema.required-undeclared", &member_pointer("required").item(index), words);
        }
    }
    for (place, object) in list_objects(schema) {
        for keyword in ["title", "description"] {
            if let (Some(text), Ok(place)) =
                (object.get(keyword).and_then(Value::as_str), Pointer::parse(&place))
            {
                look_for_injection(text, || below.join(&place).child(keyword), faults);
            }
        }
    }
}

/// All that keeps a schema from being one, as its form says it; references are reported besides.
fn schema_flaws(schema: &Value) -> Vec<SchemaFlaw> {
    let Some(first) = METASCHEMAS.first_flaw(schema) else { return Vec::new() };
    let is_reference = |finding: &SchemaFinding| {
        finding.at.last().is_some_and(|keyword| REFERENCES.contains(&keyword))
    };
    let found = Checker::compile_lenient(&Arc::new(schema.clone())).findings.into_iter();
    let mut flaws: Vec<SchemaFlaw> = found
        .filter(|finding| !is_reference(finding))
        .map(SchemaFinding::into_flaw)
        .map(|SchemaFinding { at, words, .. }| SchemaFlaw { at, words })
        .collect();
    // The form reads what older drafts allow; a server must say which draft it means.
    if !flaws.iter().any(|flaw| first.at.starts_with(&flaw.at)) {
        flaws.insert(0, first);
    }
    flaws
}

fn check_annotations(tool: &Value, faults: &mut Vec<Fault>) {
    let hints = member_pointer("annotations");
    for hint in HINTS {
        if hint.given_value(tool).is_some_and(|given| !given.is_boolean()) {
            faults.push(Fault::new(
                "annotations.not-boolean",
                hints.child(hint.name),
                "is neither true nor false",
            ));
        }
    }
    let is_true = |given: Option<&Value>| given == Some(&Value::Bool(true));
    if !is_true(READ_ONLY.given_value(tool)) {
        return;
    }
    if is_true(DESTRUCTIVE.given_value(tool)) {
        let words = "cannot be destructive and read-only";
        faults.push(Fault::new("annotations.contradict", hints.child(DESTRUCTIVE.name), words));
    }
    let first = tool.get("name").and_then(Value::as_str).and_then(first_word);
    if first.is_some_and(|word| CHANGING.contains(&word.as_str())) {
        let words = "says that the tool changes nothing; its name says that it does";
        faults.push(Fault::new("annotations.name-contradicts", hints.child(READ_ONLY.name), words));
    }
}

/// The first word of a name in lower case: `deleteUser` and `delete_user` begin with `delete`.
fn first_word(name: &str) -> Option<String> {
    let parts =
        name.split(|letter: char| matches!(letter, '_' | '.' | '-') || letter.is_whitespace());
    let part = parts.into_iter().find(|part| !part.is_empty())?;
    let mut word = String::new();
    let mut before_is_lower = false;
    for letter in part.chars() {
        if before_is_lower && letter.is_uppercase() {
            break;
        }
        before_is_lower = letter.is_lowercase();
        word.extend(letter.to_lowercase());
    }
    Some(word)
}

fn check_members(tool: &Value, version: &str, faults: &mut Vec<Fault>) {
    for (index, icon) in
        tool.get("icons").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        if !icon.get("src").and_then(Value::as_str).is_some_and(is_safe) {
            let place = member_pointer("icons").item(index).child("src");
            faults.push(Fault::new(
                "icons.unsafe-scheme",
                place,
                "is neither an https: nor a data: address",
            ));
        }
    }
    let tasks = tool.get("execution").and_then(|execution| execution.get("taskSupport"));
    let is_known =
        |support: &Value| matches!(support.as_str(), Some("forbidden" | "optional" | "required"));
    if version == DEFAULT && tasks.is_some_and(|support| !is_known(support)) {
        let words = "is neither \"forbidden\" nor \"optional\" nor \"required\"";
        faults.push(Fault::new(
            "exec.task-unknown",
            member_pointer("execution").child("taskSupport"),
            words,
        ));
    }
    if let Some(Value::Object(meta)) = tool.get("_meta") {
        faults.extend(meta_key_faults(meta, &member_pointer("_meta")));
    }
    for member in tool.as_object().into_iter().flat_map(Map::keys) {
        let is_known = MEMBERS.contains(&member.as_str())
            || member == "icons" && version >= DEFAULT
            || member == "execution" && version == DEFAULT;
        if !is_known {
            let words = format!("revision {version} knows no such member");
            faults.push(Fault::new("tool.unknown-member", member_pointer(member), words));
        }
    }
}

/// Whether an icon may be shown at all; none is ever fetched.
fn is_safe(source: &str) -> bool {
    let scheme = source.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("https" | "data"))
}

/// Keys of a `_meta` at that place that the protocol does not allow.
pub fn meta_key_faults(meta: &Map<String, Value>, at: &Pointer) -> impl Iterator<Item = Fault> {
    let words =
        "is no key of _meta: \"name\", or \"prefix/name\" with a prefix like \"com.example\"";
    let odd = meta.keys().filter(|key| !is_meta_key(key));
    odd.map(move |key| Fault::new("meta.key-invalid", at.child(key.as_str()), words))
}

/// Whether a text may be a key of `_meta`: `name`, or `prefix/name` with a prefix of labels between
/// dots.
#[must_use]
pub fn is_meta_key(key: &str) -> bool {
    let is_label = |label: &str| {
        label.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && label.ends_with(|letter: char| letter.is_ascii_alphanumeric())
            && label.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    let (prefix, name) =
        key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let ends_well = name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.ends_with(|letter: char| letter.is_ascii_alphanumeric());
    let is_name = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    prefix.is_none_or(|prefix| prefix.split('.').all(is_label))
        && (name.is_empty() || ends_well && is_name)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::fault::fault_ids, *};

    /// A tool without faults, with these members.
    fn tool(members: &Value) -> Value {
        let mut tool = json!({"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}});
        for (name, value) in members.as_object().unwrap() {
            tool[name.as_str()] = value.clone();
        }
        tool
    }

    fn found(members: &Value) -> Vec<&'static str> {
        fault_ids(&tool_findings(&tool(members), DEFAULT, &[]))
    }

    fn found_in(version: &str, members: &Value) -> Vec<&'static str> {
        fault_ids(&tool_findings(&tool(members), version, &[]))
    }

    #[test]
    fn names_are_measured_in_characters() {
        assert_eq!(found(&json!({"name": ""})), ["tool.name-length"]);
        assert_eq!(found(&json!({"name": 5})), ["tool.name-missing"]);
        assert_eq!(found(&json!({"name": "é"})), ["tool.name-pattern", "tool.name-refused"]);
        assert_eq!(found(&json!({"name": "a".repeat(64)})), Vec::<&str>::new());
        assert_eq!(found(&json!({"name": "a".repeat(128)})), ["tool.name-refused"]);
        let long = "é".repeat(129);
        assert_eq!(
            found(&json!({"name": long})),
            ["tool.name-length", "tool.name-pattern", "tool.name-refused"]
        );
    }

    #[test]
    fn a_description_says_something() {
        for text in [json!(" \n\t"), json!(""), json!(null), json!(7)] {
            assert_eq!(found(&json!({"description": text})), ["tool.no-description"]);
        }
        assert_eq!(found(&json!({"description": "é".repeat(1024)})), Vec::<&str>::new());
        assert_eq!(
            found(&json!({"description": " ".repeat(1025)})),
            ["text.long", "tool.no-description"]
        );
    }

    #[test]
    fn schemas_are_objects_with_a_root_of_objects() {
        for schema in [json!(true), json!("object"), json!([])] {
            assert_eq!(
                found(&json!({"inputSchema": schema, "outputSchema": schema})),
                ["input.not-object", "output.not-object"]
            );
        }
        assert_eq!(found(&json!({"inputSchema": {"type": ["object"]}})), ["input.type-not-object"]);
        assert_eq!(found(&json!({"outputSchema": {}})), ["output.type-not-object"]);
        assert_eq!(found_in("2026-07-28", &json!({"outputSchema": {}})), Vec::<&str>::new());
        assert_eq!(found_in("2026-07-28", &json!({"inputSchema": {}})), ["input.type-not-object"]);
    }

    #[test]
    fn each_dialect_is_held_against_its_own_schema() {
        let with = |dialect: &str, more: &Value| {
            let mut schema = json!({"$schema": dialect, "type": "object"});
            schema["properties"] = json!({"a": more});
            found(&json!({"outputSchema": schema}))
        };
        for known in
            ["http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema#"]
        {
            assert_eq!(with(known, &json!({"type": "string"})), Vec::<&str>::new());
            assert_eq!(with(known, &json!({"type": "str"})), ["schema.invalid"]);
        }
        assert_eq!(
            with("https://json-schema.org/draft/2019-09/schema", &json!({"minLength": -1})),
            ["schema.invalid"]
        );
        assert_eq!(
            with("http://json-schema.org/draft-07/schema#", &json!({"const": 1, "minimum": "1"})),
            ["schema.invalid"]
        );
        assert_eq!(
            with("http://json-schema.org/draft-03/schema#", &json!({})),
            ["schema.dialect-unknown"]
        );
        assert_eq!(
            with("https://json-schema.org/draft/2020-12/schema#", &json!({"pattern": "("})),
            ["schema.invalid"]
        );
    }

    #[test]
    fn references_and_required_names_lead_somewhere() {
        let found = |schema: Value| {
            let mut schema = schema;
            schema["type"] = json!("object");
            found(&json!({"outputSchema": schema}))
        };
        assert_eq!(
            found(json!({"properties": {"a": {"$ref": "#nowhere"}}})),
            ["schema.ref-dangling"]
        );
        assert_eq!(
            found(json!({"properties": {"a": {"$ref": "#here"}, "b": {"$anchor": "here"}}})),
            Vec::<&str>::new()
        );
        assert_eq!(
            found(json!({"properties": {"a": {"$ref": "other.json#/a"}}})),
            ["schema.ref-external"]
        );
        assert_eq!(
            found(json!({"properties": {"enum": {"$ref": "x"}}})),
            ["schema.ref-external"],
            "a name is no keyword"
        );
        assert_eq!(
            found(
                json!({"properties": {"a": {"enum": [{"$ref": "x"}], "examples": [{"$ref": "x"}]}}})
            ),
            Vec::<&str>::new()
        );
        assert_eq!(found(json!({"required": ["a"]})), ["schema.required-undeclared"]);
        assert_eq!(
            found(json!({"properties": {"o": {"required": ["a"]}}})),
            Vec::<&str>::new(),
            "only at the root"
        );
    }

    #[test]
    fn hints_are_true_or_false_and_agree_with_the_name() {
        for hint in HINTS {
            for value in [json!("true"), json!(1), json!(null)] {
                assert_eq!(
                    found(&json!({"annotations": {hint.name: value}})),
                    ["annotations.not-boolean"]
                );
            }
        }
        for (name, contradicts) in [
            ("delete", true),
            ("Drop-table", true),
            ("set.value", true),
            ("send it", true),
            ("runQuery", true),
            ("rEset", false),
            ("settings", false),
            ("get_and_delete", false),
            ("additive", false),
            ("_remove", true),
        ] {
            let faults = found(&json!({"name": name, "annotations": {"readOnlyHint": true}}));
            assert_eq!(faults.contains(&"annotations.name-contradicts"), contradicts, "{name}");
            assert!(!found(&json!({"name": name})).contains(&"annotations.name-contradicts"));
        }
    }

    #[test]
    fn icons_are_of_two_schemes() {
        let icon = |source: Value| found(&json!({"icons": [{"src": source}]}));
        for safe in ["https://e.x/i", "HTTPS://e.x/i", "data:image/png;base64,AA=="] {
            assert_eq!(icon(json!(safe)), Vec::<&str>::new());
        }
        for other in [
            json!("javascript:alert(1)"),
            json!("file:///i"),
            json!("i.png"),
            json!("httpsx://e"),
            json!(null),
        ] {
            assert_eq!(icon(other), ["icons.unsafe-scheme"]);
        }
    }

    #[test]
    fn revisions_know_their_members() {
        assert_eq!(found(&json!({"execution": {"taskSupport": "maybe"}})), ["exec.task-unknown"]);
        assert_eq!(found(&json!({"execution": {}})), Vec::<&str>::new());
        assert_eq!(
            found_in("2025-06-18", &json!({"execution": {}, "icons": []})),
            ["tool.unknown-member"]
        );
        assert_eq!(found_in("2026-07-28", &json!({"icons": []})), Vec::<&str>::new());
        assert_eq!(found(&json!({"x-mine": 1})), ["tool.unknown-member"]);
    }

    #[test]
    fn keys_of_meta_have_a_prefix_of_labels_and_a_name() {
        for key in ["", "a", "a/", "io.mcp/x", "com.example-1/a_b.c-d", "traceparent", "A1.b2/Z"] {
            assert!(is_meta_key(key), "{key:?}");
        }
        for key in
            ["/a", "1a/b", "a-/b", "a..b/c", "a_b/c", "-a", "a-", "a/b/c", "a b", "é", "a/-b"]
        {
            assert!(!is_meta_key(key), "{key:?}");
        }
    }

    #[test]
    fn injections_are_looked_for_in_titles_and_descriptions_alone() {
        let bad = "<system>x</system>";
        for members in [
            json!({"title": bad}),
            json!({"annotations": {"title": bad}}),
            json!({"inputSchema": {"type": "object", "$defs": {"A": {"title": bad}}}}),
            json!({"outputSchema": {"type": "object", "properties": {"title": {"description": bad}}}}),
        ] {
            assert_eq!(found(&members), ["text.injection"], "{members}");
        }
        for members in [
            json!({"_meta": {"a": bad}}),
            json!({"inputSchema": {"type": "object", "default": {"title": bad}, "$comment": bad}}),
            json!({"inputSchema": {"type": "object", "properties": {"a": {"examples": [{"description": bad}]}}}}),
        ] {
            assert_eq!(found(&members), Vec::<&str>::new(), "{members}");
        }
        let keyed = json!({"inputSchema": {"type": "object", "properties": {"a\u{200b}": {"default": ["\u{1b}"]}}}});
        assert_eq!(found(&keyed), ["text.ansi", "text.invisible"]);
    }

    #[test]
    fn faults_tell_their_places() {
        let faults = tool_findings(
            &tool(&json!({"inputSchema": {"type": "object", "required": ["a"]}})),
            DEFAULT,
            &["echo"],
        );
        let told: Vec<String> =
            faults.iter().map(|fault| format!("{} {}", fault.id, fault.at)).collect();
        assert_eq!(
            told,
            ["tool.name-duplicate /name", "schema.required-undeclared /inputSchema/required/0"]
        );
    }

    /// Any JSON, with members that mean something here.
    pub(in super::super) fn any_json() -> impl Strategy<Value = Value> {
        let key = prop::sample::select(vec![
            "name",
            "title",
            "description",
            "inputSchema",
            "outputSchema",
            "type",
            "properties",
            "items",
            "required",
            "enum",
            "$ref",
            "$schema",
            "annotations",
            "readOnlyHint",
            "icons",
            "src",
            "execution",
            "taskSupport",
            "_meta",
            "x-mcp-header",
            "default",
            "a",
        ]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            prop::sample::select(vec!["object", "string", "#/a", "#", "x", "required", "\u{1b}"])
                .prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec((key.clone(), inner), 0..6).prop_map(|members| members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn anything_can_be_looked_at(tool in any_json(), version in prop::sample::select(vec!["2024-11-05", DEFAULT, "2026-07-28", ""])) {
            let faults = tool_findings(&tool, version, &["a"]);
            for fault in faults {
                prop_assert!(!fault.words.is_empty());
            }
        }
    }
}
