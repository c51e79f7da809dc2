//! A tool whose schema of arguments is none in several places: checked, called and converted.

use super::support::place::Place;

const KEPT: &str = r##"{"server": "s", "tools": [{"name": "odd", "description": "Odd", "inputSchema": {
    "type": "object",
    "properties": {
        "kind": {"type": "strin"},
        "count": {"type": "integer"},
        "code": {"type": "string", "pattern": "[("},
        "gone": {"$ref": "#/$defs/gone"}
    },
    "required": "kind"
}}]}"##;

/// What a form says of it.
const FLAWS: [(&str, &str); 3] = [
    ("/properties/kind/type", "strin isn't a type of JSON Schema"),
    ("/required", "is not a list"),
    ("/properties/code/pattern", "isn't a regular expression"),
];

fn place() -> Place {
    let settings = "[connections.s]\nsystem = \"mcp\"\ncommand = \"s\"\n";
    Place::with(&[("toolcrib.toml", settings), ("mcp/s.json", KEPT)])
}

#[test]
fn all_flaws_of_a_schema_are_found() {
    let checked = place().json(&["check", "--json"]);
    let findings = checked.as_array().unwrap();
    let of = |code: &str| {
        let found = findings.iter().filter(|finding| finding["code"] == code);
        found.map(|finding| finding["message"].as_str().unwrap()).collect::<Vec<_>>()
    };
    let invalid = of("schema.invalid");
    assert_eq!(invalid.len(), FLAWS.len(), "{findings:#?}");
    for (_, words) in FLAWS {
        assert!(invalid.iter().any(|message| message.contains(words)), "{words}: {invalid:#?}");
    }
    assert_eq!(of("schema.ref-dangling").len(), 1, "{findings:#?}");
}

#[test]
fn a_call_is_checked_by_what_is_left_of_an_invalid_schema() {
    let place = place();
    let call = |argument| place.run(&["call", "s/odd", argument, "--mock"]);
    let taken = call("count=3");
    taken.ended(0, &[]);
    for (at, words) in FLAWS {
        assert!(taken.words.contains(at) && taken.words.contains(words), "{}", taken.words);
    }
    call("count=many").ended(2, &["count is not a whole number"]);
    call("cuont=3").ended(2, &["did you mean \"count\"?"]);
}

#[test]
fn a_conversion_says_what_the_target_would_refuse() {
    let place = place();
    for target in ["openai", "langchain", "mcp"] {
        place
            .run(&["convert", "s/odd", "--to", target, "--lossless"])
            .ended(0, &["odd: the parameters are not a JSON Schema (type: strin isn't a type of JSON Schema)"]);
    }
    let named = r#"[{"name": "a", "description": "A", "parameters": {"type": "object", "properties": {"名前": {"type": "string"}}}}]"#;
    let place = Place::with(&[("list.json", named)]);
    let refused = "a: the name \"名前\": only letters";
    place.run(&["convert", "list.json", "--to", "anthropic"]).ended(0, &[refused]);
    let taken = place.run(&["convert", "list.json", "--to", "langchain"]);
    taken.ended(0, &[]);
    assert!(!taken.words.contains("warning"), "{}", taken.words);
}
