//! `toolcrib form --check`, and `toolcrib check` for documents that name a schema, through the real
//! binary.

use std::{fs, io::Write as _, process::Stdio};

use serde_json::{Value, json};

use crate::support::place::{Place, Ran};

const SCHEMA: &str = r#"{"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
    "name": {"type": "string", "minLength": 3},
    "server": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer", "maximum": 65535}}}}}"#;

const GOOD: &str = "name: web # short\n";
const BAD: &str = "name: web\nserver:\n  port: 99999\nextra: 1\n---\nserver: {}\n";

fn place(files: &[(&str, &str)]) -> Place {
    Place::with(&[&[("s.json", SCHEMA)], files].concat())
}

fn lines(ran: &Ran) -> Vec<&str> {
    ran.data.lines().filter(|line| !line.starts_with("  ")).collect()
}

#[test]
fn documents_are_checked_without_a_screen() {
    let place = place(&[
        ("good.yaml", GOOD),
        ("bad.yaml", BAD),
        ("good.json", r#"{"name": "abc"}"#),
        ("good.toml", "name = 'abc'\n"),
    ]);
    let ran = place.run(&["form", "--check", "s.json", "good.yaml", "good.json", "good.toml"]);
    ran.ended(0, &["0 errors, 0 warnings, 0 notes in 3 files"]);
    assert_eq!(ran.data, "");
    let ran = place.run(&["form", "--check", "s.json", "good.yaml", "bad.yaml"]);
    ran.ended(1, &["4 errors, 0 warnings, 0 notes in 2 files"]);
    assert_eq!(
        lines(&ran),
        [
            "bad.yaml:3:3 error schema.maximum",
            "bad.yaml:4:1 error schema.additional-properties",
            "bad.yaml:6:1 error schema.required",
            "bad.yaml:6:1 error schema.required",
        ]
    );
    assert!(ran.data.contains("  server › port is more than 65535\n"), "{}", ran.data);
    assert!(ran.data.contains("  name is required\n"), "{}", ran.data);
}

#[test]
fn patterns_and_folders_name_documents_where_no_shell_expands_them() {
    let place = place(&[
        ("d/a.yaml", BAD),
        ("d/x/b.yaml", GOOD),
        ("d/x/c.json", "{}"),
        ("d/.h.json", "{}"),
        ("d/n.txt", "x"),
        ("d/[1].yaml", GOOD),
    ]);
    let files = |arguments: &[&str]| {
        let ran = place.run(&[&["form", "--check", "s.json"], arguments].concat());
        ran.words.lines().last().unwrap_or_default().rsplit(" in ").next().unwrap().to_owned()
    };
    assert_eq!(files(&["d/**/*.yaml"]), "3 files");
    assert_eq!(files(&["d/**/*.{yaml,json}"]), "4 files");
    assert_eq!(files(&["d/x/*", "d/x/b.yaml"]), "2 files", "each is checked once");
    assert_eq!(files(&["d/[1].yaml"]), "1 file", "a file of that name is meant before a pattern");
    assert_eq!(files(&["d"]), "2 files", "a folder's own documents");
    place.run(&["form", "--check", "s.json", "d/*.toml"]).ended(2, &["d/*.toml names no file"]);
}

#[test]
fn the_report_is_the_one_of_check_in_each_format() {
    let place = place(&[("bad.yaml", BAD), ("good.yaml", GOOD)]);
    let run = |format: &str| {
        place.run(&["form", "--check", "s.json", "bad.yaml", "good.yaml", "--format", format])
    };
    let found: Value = run("json").json();
    let first = &found[0];
    assert_eq!(
        (&first["code"], &first["file"], &first["line"], &first["pointer"]),
        (&json!("schema.maximum"), &json!("bad.yaml"), &json!(3), &json!("/server/port"))
    );
    assert_eq!(
        found,
        place.json(&["form", "--check", "--json", "s.json", "bad.yaml", "good.yaml"])
    );
    let sarif = run("sarif").json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "schema.maximum");
    assert_eq!(
        sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "bad.yaml"
    );
    let github = run("github");
    assert!(
        github.data.starts_with("::error file=bad.yaml,line=3,col=3,title=schema.maximum::server › port is more than 65535\n"),
        "{}",
        github.data
    );
    let junit = run("junit");
    junit.ended(1, &[]);
    assert!(
        junit
            .data
            .contains("<testsuites name=\"toolcrib form --check\" tests=\"5\" failures=\"4\" errors=\"0\" skipped=\"0\">"),
        "{}",
        junit.data
    );
    assert!(
        junit.data.contains("<testcase classname=\"good.yaml\" name=\"no errors\"/>"),
        "{}",
        junit.data
    );
    // The name stays where a line before it comes or goes.
    assert!(junit.data.contains("name=\"schema.maximum at /server/port\""), "{}", junit.data);
    assert!(
        junit.data.contains("<failure message=\"3:3: server › port is more than 65535\">"),
        "{}",
        junit.data
    );
}

#[test]
fn a_text_that_cannot_be_read_is_a_finding_and_a_missing_one_is_wrong_usage() {
    let place = place(&[
        ("broken.json", "{\n \"name\" 1}"),
        ("empty.yaml", "# nothing\n"),
        ("bad-schema.json", "{\"type\": 7"),
        ("good.yaml", GOOD),
    ]);
    let ran = place.run(&["form", "--check", "s.json", "broken.json", "empty.yaml"]);
    ran.ended(1, &["2 errors"]);
    assert_eq!(
        lines(&ran),
        ["broken.json:2:9 error syntax.not-well-formed", "empty.yaml:1:1 error schema.required"]
    );
    fs::write(place.here.join("latin.json"), b"{\"name\": \"\xff\"}").unwrap();
    let ran = place.run(&["form", "--check", "s.json", "latin.json", "empty.yaml"]);
    ran.ended(1, &["2 errors"]);
    assert_eq!(
        lines(&ran),
        ["latin.json:1:1 error file.not-read", "empty.yaml:1:1 error schema.required"]
    );
    place.run(&["form", "--check", "s.json", "none.yaml"]).ended(2, &["none.yaml", "no such file"]);
    place.run(&["form", "--check", "none.json", "good.yaml"]).ended(2, &["none.json"]);
    place
        .run(&["form", "--check", "bad-schema.json", "good.yaml"])
        .ended(2, &["bad-schema.json", "line 1"]);
    place.run(&["form", "--check", "s.json"]).ended(2, &["<DOC>"]);
    place.run(&["form", "s.json", "good.yaml", "good.yaml"]).ended(2, &["--check"]);
    place
        .run(&["form", "--check", "s.json", "good.yaml", "-o", "x"])
        .ended(2, &["cannot be used with"]);
}

#[test]
fn standard_input_is_a_document() {
    let place = place(&[]);
    let mut command = place.command(&["form", "--check", "s.json", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{\"name\": \"x\"}").unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    ran.ended(1, &["1 error"]);
    assert_eq!(lines(&ran), ["-:1:2 error schema.min-length"]);
}

const REMOTE: &str = r#"{"$id": "https://e.org/s.json", "properties": {"n": {"$ref": "https://e.org/parts/n.json"}, "m": {"$ref": "parts/m.json#/$defs/m"}}}"#;
const PARTS: [(&str, &str); 2] = [
    ("local/n.json", r#"{"$ref": "m.json#/$defs/m"}"#),
    ("local/m.json", r#"{"$defs": {"m": {"type": "integer"}}}"#),
];

#[test]
fn a_remote_reference_is_read_from_the_file_that_is_mapped() {
    let place = Place::with(
        &[&[("s.json", REMOTE), ("d.json", r#"{"n": "x", "m": "y"}"#)], &PARTS[..]].concat(),
    );
    let arguments = ["form", "--check", "s.json", "d.json", "--map"];
    let ran = place.run(&[&arguments[..], &["https://e.org/parts/=local"]].concat());
    ran.ended(1, &["2 errors, 0 warnings"]);
    let one = [
        "https://e.org/parts/n.json=local/n.json",
        "--map",
        "https://e.org/parts/m.json=local/m.json",
    ];
    assert_eq!(place.run(&[&arguments[..], &one].concat()).data, ran.data);
    place
        .run(&[&arguments[..], &["https://e.org/x.json=none.json"]].concat())
        .ended(2, &["none.json"]);
    place.run(&[&arguments[..], &["nonsense"]].concat()).ended(2, &["URL=FILE"]);
    let ran = place.run(&arguments[..4]);
    ran.ended(6, &["not fully checked"]);
    assert!(ran.data.contains("warning schema.flaw"), "{}\n{}", ran.data, ran.words);
}

#[test]
fn check_holds_documents_against_the_schemas_that_they_name() {
    let files = [
        ("conf/a.yaml", "# yaml-language-server: $schema=https://e.org/s.json\nname: x\n"),
        ("conf/b.json", r#"{"$schema": "https://e.org/s.json#", "name": "xyz", "extra": 1}"#),
        ("conf/c.yaml", "# yaml-language-server: $schema=../s.json\nname: y\n"),
        ("conf/d.json", r#"{"$schema": "https://elsewhere.org/s.json", "name": 1}"#),
    ];
    let place = place(&files);
    let codes = |ran: &Ran| -> Vec<String> {
        lines(ran)
            .iter()
            .filter(|line| line.contains(" schema."))
            .map(|line| (*line).to_owned())
            .collect()
    };
    let ran = place.run(&["check"]);
    ran.ended(1, &[]);
    assert_eq!(
        codes(&ran),
        ["conf/c.yaml:2:1 error schema.min-length"],
        "a file in the workspace needs no map"
    );
    let ran = place.run(&["check", "--map", "https://e.org/s.json=s.json"]);
    ran.ended(1, &[]);
    let all = [
        "conf/a.yaml:2:1 error schema.min-length",
        "conf/b.json:1:53 error schema.additional-properties",
        "conf/c.yaml:2:1 error schema.min-length",
    ];
    assert_eq!(codes(&ran), all);
    let junit = place.run(&["check", "--map", "https://e.org/s.json=s.json", "--format", "junit"]);
    assert!(
        junit
            .data
            .contains("<testcase classname=\"conf/a.yaml\" name=\"schema.min-length at /name\">"),
        "{}",
        junit.data
    );
    std::fs::write(
        place.here.join("toolcrib.toml"),
        "[schemas]\n\"https://e.org/s.json\" = \"s.json\"\n",
    )
    .unwrap();
    assert_eq!(codes(&place.run(&["check"])), all, "the workspace's settings map it for everyone");
    assert_eq!(codes(&place.run(&["check", "conf/a.yaml"])), all[..1]);
}
