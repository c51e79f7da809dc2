//! Findings of CommonGround's definitions: each code provoked at its place, its fix tried, what is
//! right left alone.

use std::collections::BTreeSet;

use toolcrib::{
    model::{
        context::Mode,
        entry::FileId,
        finding::{EntryEdit, Finding, Severity},
    },
    syntax::source::{Format, Source},
    systems::{commonground::checks, findings, read},
};

/// What every row is made from, by changing one thing.
const CLEAN: &str = "\
tool_name: lamp
description: Turns a lamp on or off.
target_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch
after_execution: suspend
parameters:
  type: object
  properties:
    room: {type: string}
    bright: {type: integer, maximum: 9}
    house: {type: string}
    key: {type: string}
    tags: {type: array, items: {type: string}}
  required: [room, house]
options:
  args:
    defaults: {bright: 8, turn: '{agent_turn_id}'}
    fixed: {house: '{project_id}'}
  envs: {key: LAMP_KEY}
  ui_allowed: true
  timeout_seconds: 60
";

const CLEAN_JINA: &str = "\
tool_name: find
description: Searches the web.
target_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.jina.search
after_execution: suspend
parameters: {type: object, properties: {query: {type: string}}, required: [query]}
options:
  jina: {mode: search, base_url: https://s.jina.ai, method: GET}
  envs: {}
";

/// A code, where it stands, and what makes it of what is right.
struct Row {
    code: &'static str,
    at: &'static str,
    from: &'static str,
    to: &'static str,
}

const fn row(code: &'static str, at: &'static str, from: &'static str, to: &'static str) -> Row {
    Row { code, at, from, to }
}

const ROWS: &[Row] = &[
    row("definition.tag", "2:1", "description: T", "description: !custom T"),
    row("definition.malformed", "3:3", CLEAN, "- tool_name: a\n  target_subject: b\n- 3\n"),
    row("definition.no-name", "1:1", "tool_name: lamp", "tool_name: '  '"),
    row("definition.no-name", "1:1", "tool_name: lamp\n", ""),
    row("definition.wrong-type", "4:1", "after_execution: suspend", "after_execution: on"),
    row("definition.wrong-type", "1:1", "after_execution: suspend\n", ""),
    row(
        "definition.wrong-type",
        "3:1",
        "target_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch",
        "target_subject: 2024-01-01",
    ),
    row("definition.wrong-type", "2:1", "description: Turns a lamp on or off.", "description: 12"),
    row("definition.wrong-type", "15:3", "options:\n", "options:\n  1: a\n"),
    row("definition.bare-array", "12:5", ", items: {type: string}}", "}"),
    row(
        "definition.schema-invalid",
        "8:12",
        "{type: string}\n    bright",
        "{type: strin}\n    bright",
    ),
    row("parameters.invalid", "8:12", "room: {type: string}", "room: {type: strin}"),
    row(
        "parameters.contradiction",
        "9:29",
        "{type: integer, maximum: 9}",
        "{type: integer, maximun: 9}",
    ),
    row("definition.name-reserved", "1:1", "tool_name: lamp", "tool_name: ask_expert"),
    row("definition.lifecycle", "4:1", "after_execution: suspend", "after_execution: Terminate"),
    row("definition.subject", "3:1", ".cmd.tool.lamp.switch", ".cmd.agent.lamp.wakeup"),
    row("definition.not-json", "9:14", "{type: integer, maximum: 9}", "{default: 2024-01-01}"),
    row("definition.key-not-text", "16:16", "defaults: {", "defaults: {1: a, "),
    row("identity.no-description", "2:1", "description: Turns a lamp on or off.", "description: ~"),
    row("identity.shadowed", "1:1", "tool_name: lamp", "tool_name: submit_result"),
    row("identity.shadowed", "1:1", "tool_name: lamp", "tool_name: Fork_Join"),
    row("descriptor.unknown-key", "4:1", "after_execution: suspend", "after_exection: suspend"),
    row("descriptor.unknown-key", "2:1", "tool_name: lamp", "tool_name: lamp\nname: other"),
    row("subject.undeliverable", "3:1", ".lamp.switch", ".lamp"),
    row("subject.undeliverable", "3:1", ".lamp.switch", ".lamp.switch.on"),
    row("subject.undeliverable", "3:1", ".lamp.switch", ".lamp.*"),
    row("subject.undeliverable", "3:1", "cg.v1r4", "cg.v3r1"),
    row("subject.variable-unknown", "3:1", "{channel_id}", "{chanel_id}"),
    row("subject.variable-unknown", "3:1", "lamp.switch", "lamp.{agent_turn_id}"),
    row("subject.literal", "3:1", "{channel_id}", "public"),
    row("parameters.not-object", "5:1", "type: object\n", "title: none\n"),
    row(
        "parameters.bare-array",
        "12:5",
        "type: array, items: {type: string}",
        "type: [array, 'null']",
    ),
    row(
        "parameters.bare-array",
        "12:12",
        "{type: array, items: {type: string}}",
        "{additionalProperties: {type: array}}",
    ),
    row(
        "parameters.bare-array",
        "12:61",
        "items: {type: string}",
        "items: {type: string}, properties: {a: {type: array}}",
    ),
    row("parameters.unchecked", "8:12", "room: {type: string}", "room: {pattern: '(?P<y>a)\\Z'}"),
    row(
        "parameters.unchecked",
        "8:12",
        "room: {type: string}",
        "room: {$ref: 'https://example.org/room.json'}",
    ),
    row("definition.schema-invalid", "8:12", "room: {type: string}", "room: {pattern: '\\p{L}'}"),
    row(
        "parameters.contradiction",
        "9:29",
        "{type: integer, maximum: 9}",
        "{type: integer, minimum: 10, maximum: 9}",
    ),
    row("parameters.required-undefined", "13:20", "[room, house]", "[room, hous]"),
    row("options.malformed", "18:3", "envs: {key: LAMP_KEY}", "envs: [key]"),
    row("options.malformed", "18:10", "envs: {key: LAMP_KEY}", "envs: {key: 3}"),
    row("options.unknown-key", "19:3", "ui_allowed", "ui_alowed"),
    row("options.default-refused", "16:16", "bright: 8", "bright: 10"),
    row("options.default-refused", "16:16", "bright: 8", "bright: '{turn_epoch}'"),
    row("options.never-used", "16:16", "{bright: 8,", "{house: x,"),
    row("options.variable-unknown", "17:13", "{project_id}'", "{projct_id}'"),
    row("options.variable-unknown", "17:13", "'{project_id}'", "['{project_id}']"),
    row("options.variable-shown", "16:16", "bright: 8", "room: '{agent_id}'"),
    row("options.waiting", "20:3", "60", "20"),
];

const JINA_ROWS: &[Row] = &[
    row("jina.host", "7:24", "https://s.jina.ai", "https://example.org"),
    row("jina.host", "7:24", "https://s.jina.ai", "https://r.jina.ai"),
    row("jina.key-in-query", "8:10", "envs: {}", "envs: {api_key: SEARCH_KEY}"),
];

fn read(text: &str) -> (FileId, Source) {
    (FileId::new("tool.yaml"), Source::parse(Format::Yaml, text).unwrap())
}

fn check((file, source): &(FileId, Source)) -> Vec<Finding> {
    findings::catalog_findings(&read::read_catalog([(file, source)], Mode::Document), |_| {
        Some(source)
    })
}

fn of<'f>(findings: &'f [Finding], code: &str) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| finding.code == code).collect()
}

fn rows() -> impl Iterator<Item = (&'static Row, String)> {
    let made = |clean: &'static str| {
        move |row: &'static Row| {
            assert!(clean.contains(row.from), "{}: {}", row.code, row.from);
            (row, clean.replacen(row.from, row.to, 1))
        }
    };
    ROWS.iter().map(made(CLEAN)).chain(JINA_ROWS.iter().map(made(CLEAN_JINA)))
}

#[test]
fn every_code_is_provoked_at_its_place() {
    let mut wrong = Vec::new();
    for (row, bad) in rows() {
        let found = check(&read(&bad));
        let places: Vec<String> = of(&found, row.code)
            .iter()
            .map(|finding| format!("{}:{}", finding.site.line, finding.site.column))
            .collect();
        if places.join(" ") != row.at {
            let all: Vec<_> = found
                .iter()
                .map(|finding| {
                    format!(
                        "{} {}:{} {}",
                        finding.code, finding.site.line, finding.site.column, finding.message
                    )
                })
                .collect();
            wrong.push(format!(
                "{}: at {places:?}, expected {}; all: {all:#?}\n{bad}",
                row.code, row.at
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_right_has_no_finding() {
    for clean in [CLEAN, CLEAN_JINA] {
        assert_eq!(check(&read(clean)), []);
    }
}

#[test]
fn a_fix_mends_what_it_is_offered_for() {
    let mut fixes = 0;
    for (row, bad) in rows() {
        let before = read(&bad);
        let found = check(&before);
        for finding in of(&found, row.code) {
            let Some(fix) = &finding.fix else { continue };
            fixes += 1;
            let mut source = before.1.clone();
            for EntryEdit { entry, edit } in &fix.edits {
                source = source
                    .apply(entry.place().document, &edit.with_prefix(&entry.place().at))
                    .unwrap()
                    .0;
            }
            let left = check(&(before.0.clone(), source.clone()));
            assert!(
                of(&left, row.code).len() < of(&found, row.code).len(),
                "{}: {:?}\n{}",
                row.code,
                fix,
                source.text()
            );
            let errors = |found: &[Finding]| {
                found.iter().filter(|finding| finding.severity == Severity::Error).count()
            };
            assert!(errors(&left) <= errors(&found), "{}: {left:#?}", row.code);
        }
    }
    assert!(fixes >= 18, "only {fixes} fixes were tried");
}

/// Codes with severities and what they find, from the checks themselves.
fn codes() -> Vec<(&'static str, &'static str, &'static str)> {
    let refused =
        checks::CODES.iter().map(|(_, code, about)| (*code, Severity::Error.as_str(), *about));
    let odd = std::iter::once((
        checks::KEY_NOT_TEXT.0,
        Severity::Warning.as_str(),
        checks::KEY_NOT_TEXT.1,
    ));
    let word = |check: &'static toolcrib::engine::lint::check::Check| {
        check.severity.in_mode(Mode::Document).map_or("–", Severity::as_str)
    };
    let later = checks::CHECKS.iter().map(|check| (check.code, word(check), check.about));
    let mut all: Vec<_> = refused.chain(odd).chain(later).collect();
    all.sort_unstable();
    all
}

/// What is wrong in `toolcrib.toml`, of a code that stands there.
const IN_SETTINGS: [(&str, &str); 2] = [
    ("gate.malformed", "[commonground.tools.lamp]\nnext = 3\n"),
    ("gate.unknown", "[commonground.tools.lmap]\n"),
];

#[test]
fn what_the_settings_say_wrong_is_found_in_them() {
    let (file, source) = read(CLEAN);
    for (code, settings) in IN_SETTINGS {
        let settings =
            (FileId::new("toolcrib.toml"), Source::parse(Format::Toml, settings).unwrap());
        let files = [(&file, &source), (&settings.0, &settings.1)];
        let catalog = read::read_catalog(files, Mode::Document);
        let of_file = |asked: &FileId| {
            files.iter().find(|(file, _)| *file == asked).map(|(_, source)| *source)
        };
        let found = findings::catalog_findings(&catalog, of_file);
        let places: Vec<_> =
            found.iter().map(|finding| (finding.code, finding.site.file.as_str())).collect();
        assert_eq!(places, [(code, "toolcrib.toml")]);
    }
}

#[test]
fn every_code_has_a_row() {
    let rows = ROWS.iter().chain(JINA_ROWS).map(|row| row.code);
    let tried: BTreeSet<&str> = rows.chain(IN_SETTINGS.map(|(code, _)| code)).collect();
    assert_eq!(tried, codes().into_iter().map(|(code, ..)| code).collect());
}

#[test]
fn the_documentation_lists_every_code() {
    let page = include_str!("../../docs/commonground.md");
    let (_, rest) = page.split_once("<!-- codes -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- /codes -->").unwrap();
    let rows: String = codes()
        .iter()
        .map(|(code, severity, about)| format!("| `{code}` | {severity} | {about} |\n"))
        .collect();
    let wanted = format!("| code | severity | what it finds |\n| --- | --- | --- |\n{rows}");
    assert_eq!(table, wanted, "put this into docs/commonground.md:\n{wanted}");
}

#[test]
fn what_the_api_reads_otherwise_is_told_in_its_words() {
    let found = check(&read(&CLEAN.replace("after_execution: suspend", "after_execution: on")));
    let told = &of(&found, "definition.wrong-type")[0].message;
    assert_eq!(
        told,
        "the API rejects it (400): after_execution: Input should be a valid string; it reads true \
        here: put it in quotes"
    );
}
