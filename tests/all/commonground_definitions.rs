//! CommonGround's definitions as a user works with them: the form, saving, new ones, the filter,
//! what a tool gets.

use std::{io::Write as _, process::Stdio};

use serde_json::{Value, json};
use toolcrib::{
    engine::filter::Filter,
    model::{
        catalog::Catalog,
        context::{Context, Mode},
        entry::FileId,
    },
    schema::{fields, fields::View, kind::Kind, pointer::Pointer, tree::Schema, validate::Checker},
    store::samples::by_name,
    syntax::{
        edit::Edit,
        print,
        source::{Format, Source},
    },
    systems::{by_id, read},
};

use crate::support::{place::Place, services::program, workbench::Workbench};

/// The definitions of the sample, by file.
fn sample() -> Vec<(FileId, Source)> {
    let files = by_name("commonground").unwrap().files.iter();
    let parsed = |(path, text): &(&str, &str)| {
        let file = FileId::new(*path);
        let format = Format::from_path(file.path()).filter(|format| *format != Format::Toml)?;
        Some((file, Source::parse(format, *text).unwrap()))
    };
    files.filter_map(parsed).collect()
}

fn catalog(files: &[(FileId, Source)]) -> Catalog {
    read::read_catalog(files.iter().map(|(file, source)| (file, source)), Mode::Document)
}

/// What PyYAML makes of texts, as JSON.
fn pyyaml(texts: &[String]) -> Vec<Value> {
    let script = "import json, sys, yaml; print(json.dumps([yaml.safe_load(text) for text in json.load(sys.stdin)]))";
    let mut child = std::process::Command::new(program("TOOLCRIB_PYTHON"))
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(json!(texts).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_definition_of_the_sample_fits_its_form() {
    let files = sample();
    let catalog = catalog(&files);
    for tool in &catalog.tools {
        let schema = by_id("commonground").unwrap().entry_schema(&tool.entry, &catalog);
        let checker =
            Checker::compile(&schema).unwrap_or_else(|flaws| panic!("{}: {flaws:?}", tool.name));
        let issues: Vec<String> = checker
            .issues(&tool.entry.value)
            .iter()
            .map(|issue| format!("{} {}", issue.at, issue.words))
            .collect();
        assert_eq!(issues, [""; 0], "{}", tool.name);
        assert!(!checker.is_valid(&json!({"tool_name": "a", "target_subject": "b"})));
    }
}

#[test]
fn parameters_are_built_in_a_form_and_no_field_of_the_sample_is_raw_json() {
    let files = sample();
    let catalog = catalog(&files);
    for tool in &catalog.tools {
        let schema =
            Schema::new(by_id("commonground").unwrap().entry_schema(&tool.entry, &catalog));
        let mut view = View::default();
        // Everything that has a value is opened.
        open(&tool.entry.value, &Pointer::root(), &mut view);
        let fields = fields::layout_fields(&schema, None, &tool.entry.value, &view);
        let raw: Vec<String> = fields
            .iter()
            .filter(|field| {
                field.kind == Kind::Raw && field.pointer.get(&tool.entry.value).is_some()
            })
            .map(|field| field.pointer.to_string())
            .collect();
        assert_eq!(raw, [""; 0], "{}", tool.name);
    }
}

fn open(value: &Value, at: &Pointer, view: &mut View) {
    view.folds.insert(at.clone(), true);
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| open(value, &at.child(key), view));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(row, value)| open(value, &at.item(row), view));
        }
        _ => {}
    }
}

/// Texts that YAML 1.1 takes for something else.
const ODD: [&str; 14] = [
    "yes",
    "No",
    "on",
    "OFF",
    "010",
    "1:30",
    "1_000",
    "1e3",
    "0o17",
    "2024-01-01",
    ".nan",
    "=",
    "<<",
    "~",
];

#[test]
fn what_is_written_reads_the_same_to_pyyaml() {
    let base = "tool_name: lamp\ntarget_subject: x\nafter_execution: suspend\noptions:\n  args:\n    defaults: {a: plain}\n";
    let mut texts = Vec::new();
    let mut ours = Vec::new();
    for odd in ODD {
        let source = Source::parse(Format::Yaml, base).unwrap();
        let at = Pointer::parse("/options/args/defaults").unwrap();
        let edits = [
            Edit::Set { at: Pointer::parse("/description").unwrap(), to: odd.into() },
            Edit::Set { at: at.child("a"), to: odd.into() },
            Edit::Set { at: at.child(odd), to: json!([odd, {odd: odd}]).into() },
        ];
        let edited = edits.iter().fold(source, |source, edit| source.apply(0, edit).unwrap().0);
        ours.push((**edited.value(0).unwrap()).clone());
        texts.push(edited.text().to_string());
        let value = json!({"tool_name": odd, odd: {"enum": [odd, 1, 1.5, true, null]}});
        texts.push(print::print_value(Format::Yaml, &value));
        ours.push(value);
        assert_eq!(edited.as_python(0).unwrap().oddities, []);
    }
    for ((text, ours), theirs) in texts.iter().zip(&ours).zip(pyyaml(&texts)) {
        assert_eq!(*ours, theirs, "{text}");
    }
}

#[test]
fn what_pyyaml_reads_is_known_beforehand() {
    let words = [
        "yes", "No", "on", "OFF", "y", "010", "-010", "08", "0b101", "0x1F", "1:30", "-1:30",
        "1:30.5", "1_000", "1e3", "1.5e3", "1.5e+3", "0o17", "12", "-1.5", ".5", "+.5", "1.", "~",
        "null", "Null", "text", "1.2.3", "0", "00", "0_7", "'yes'", "\"010\"", "!!str 12",
    ];
    let texts: Vec<String> = words
        .iter()
        .map(|word| format!("a: {word}\n{}: b\n", if word.starts_with('!') { "c" } else { word }))
        .collect();
    for (text, theirs) in texts.iter().zip(pyyaml(&texts)) {
        let ours = Source::parse(Format::Yaml, text.as_str()).unwrap().as_python(0).unwrap().value;
        assert_eq!(ours, theirs, "{text}");
    }
}

#[test]
fn its_tools_are_available_to_every_request_in_every_state() {
    let files = sample();
    for groups in [None, Some(vec![]), Some(vec!["read-only".into()]), Some(vec!["*".into()])] {
        for state in [None, Some("elsewhere".into())] {
            let filter = Filter::new(&Context { user: None, groups: groups.clone(), state });
            assert!(
                catalog(&files).tools.iter().all(|tool| filter.admits(&tool.gate)),
                "{groups:?}"
            );
        }
    }
}

#[test]
fn what_a_tool_gets_is_told_with_where_it_comes_from() {
    let place = Place::sample("commonground");
    let ran = place.run(&[
        "merge",
        "lamp_switch",
        "room=hall",
        "house=mine",
        "brightness:=5",
        "--with",
        "project_id=demo",
    ]);
    ran.ended(0, &[]);
    for line in [
        "room        \"hall\"             given",
        "brightness  5                  given",
        "house       \"demo\"             fixed    models don't see it; given \"mine\"",
        "token       $LAMP_TOKEN        env",
        "asked_in    \"{agent_turn_id}\"  default",
        "{agent_turn_id} has no value here: set it with --with agent_turn_id=…",
    ] {
        assert!(ran.data.contains(line), "{line}:\n{}", ran.data);
    }
    let told = place.json(&["merge", "lamp_switch", "room=hall", "token=mine", "--json"]);
    let token =
        told["arguments"].as_array().unwrap().iter().find(|row| row["name"] == "token").unwrap();
    assert_eq!(
        token,
        &json!({"name": "token", "shown": false, "origin": "env", "unfilled": [], "given": "mine", "variable": "LAMP_TOKEN"})
    );
    place
        .run(&["merge", "lamp_switch", "--with", "project_id"])
        .ended(2, &["\"project_id\" has no ="]);
}

#[test]
fn the_workbench_shows_what_the_tool_gets() {
    let mut bench = Workbench::sample("commonground", 200, 60);
    bench.keys("j v v");
    let screen = bench.screen();
    assert!(
        screen.contains("# What the tool receives if the model gives no arguments"),
        "{screen}"
    );
    assert!(!screen.contains("\"LAMP_TOKEN\"") || screen.contains("$LAMP_TOKEN"), "{screen}");
    bench.keys("t enter");
    bench.types("hall");
    assert!(bench.screen().contains("room \"hall\" (given)"), "{}", bench.screen());
    assert!(
        bench.screen().contains("token $LAMP_TOKEN (env; models don't see it)"),
        "{}",
        bench.screen()
    );
}

#[test]
fn a_definition_is_renamed_and_copied_by_its_own_name() {
    let mut bench = Workbench::sample("commonground", 120, 36);
    let text = |bench: &Workbench, file: &str| {
        let document = bench.state.documents.get(&FileId::new(file));
        document.map(|document| document.text.to_string()).unwrap_or_default()
    };
    bench.keys("j r");
    bench.keys("ctrl+u");
    bench.types("lamp_set");
    bench.keys("enter");
    assert!(
        text(&bench, "tools/lamp_switch.yaml").contains("\ntool_name: lamp_set\n"),
        "{}",
        bench.screen()
    );
    bench.keys("c");
    bench.keys("ctrl+u");
    bench.types("lamp_too");
    bench.keys("enter");
    assert!(
        text(&bench, "tools/lamp_too.yaml").contains("\ntool_name: lamp_too\n"),
        "{}",
        bench.screen()
    );
    bench.keys("n");
    bench.types("commonground tool");
    bench.keys("enter");
    bench.types("bell");
    bench.keys("enter");
    let made: Value = serde_json::from_str(&text(&bench, "tools/bell.json")).unwrap_or_default();
    let made = if made.is_null() { text(&bench, "tools/bell.yaml") } else { made.to_string() };
    assert!(made.contains("bell"), "{}", bench.screen());
}
