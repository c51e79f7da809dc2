//! The official JSON-Schema-Test-Suite as a corpus for forms, from the folder that `TOOLCRIB_SUITE`
//! names, else `../shared/suites/json-schema`: every valid instance is loaded and left as it was,
//! every invalid one has an issue, nothing panics.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;
use toolcrib::{
    app::input::{Code, Input, Key},
    ui::{
        form::view::{Form, FormReply},
        theme,
    },
};

fn folder() -> PathBuf {
    let named = std::env::var_os("TOOLCRIB_SUITE").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites/json-schema");
    let found = named.or_else(|| beside.is_dir().then_some(beside));
    found.expect("the JSON Schema test suite (https://github.com/json-schema-org/JSON-Schema-Test-Suite, its folder `tests`) is missing: name it in TOOLCRIB_SUITE")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
}

#[derive(Default)]
struct Count {
    schemas: usize,
    found: usize,
    valid: usize,
    invalid: usize,
    wrong: Vec<String>,
}

fn is_number_that_a_float_rounds(instance: &Value) -> bool {
    instance.as_f64().is_some_and(|number| number.abs() >= 9_007_199_254_740_992.0)
        && instance.is_f64()
}

/// Opens everything in a form, turns to every row and leaves it; an edit is a fault. Every issue
/// has a row to go to.
fn walk(form: &mut Form, styles: &toolcrib::ui::styles::Styles) -> bool {
    let area = Rect::new(0, 0, 60, 12);
    let mut buffer = Buffer::empty(area);
    for row in 0..40 {
        if matches!(form.turn_to(row), FormReply::Edits(_)) {
            return false;
        }
        let folded = form.fields().get(row).is_some_and(|field| field.fold_state() == Some(false));
        if folded
            && matches!(
                form.handle_input(&Input::Key(Key::plain(Code::Right))),
                FormReply::Edits(_)
            )
        {
            return false;
        }
        if row % 8 == 0 {
            form.draw(&mut buffer, area, styles, true);
        }
    }
    let places: Vec<_> = form.issues().iter().map(|issue| issue.at.clone()).collect();
    places.iter().all(|at| {
        !matches!(form.focus_field(at), FormReply::Edits(_))
            && (at.is_root() || at.starts_with(form.focused_place()))
    })
}

/// A schema with what it refers to in `remotes/`, which the suite's own addresses stand for.
fn with_remotes(schema: &Value, folder: &Path, draft: &str) -> Value {
    let mut whole = schema.clone();
    if !schema.to_string().contains("localhost:1234") {
        return whole;
    }
    let Some(members) = whole.as_object_mut() else { return whole };
    let definitions = if draft == "draft7" { "definitions" } else { "$defs" };
    let remotes = folder.join("remotes");
    let mut waiting = vec![remotes.clone()];
    while let Some(place) = waiting.pop() {
        for entry in fs::read_dir(&place).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&remotes).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                let is_other = (name.starts_with("draft") || name == "v1")
                    && name.split('/').next() != Some(draft);
                waiting.extend((!is_other).then_some(path));
                continue;
            }
            let Ok(mut remote) = serde_json::from_str::<Value>(&fs::read_to_string(&path).unwrap())
            else {
                continue;
            };
            if let Some(remote) = remote.as_object_mut() {
                remote
                    .entry("$id")
                    .or_insert_with(|| format!("http://localhost:1234/{name}").into());
                let parts = members
                    .entry(definitions)
                    .or_insert_with(|| Value::Object(serde_json::Map::new()));
                parts[format!("remote {name}")] = Value::Object(remote.clone());
            }
        }
    }
    whole
}

#[test]
fn the_official_suite_goes_through_forms() {
    let folder = folder();
    let styles = theme::available_themes(&[]).0[0].styles.clone();
    for draft in ["draft7", "draft2020-12"] {
        let mut count = Count::default();
        // `format.json` says that formats are only remarks; forms check them in every draft.
        let all =
            files(&folder.join(draft)).into_iter().filter(|path| !path.ends_with("format.json"));
        let all = all.map(|path| (path, false));
        let formats =
            files(&folder.join(draft).join("format")).into_iter().map(|path| (path, true));
        for (path, is_format) in all.chain(formats) {
            let groups: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let name = format!(
                    "{}: {}",
                    path.file_stem().unwrap().to_string_lossy(),
                    group["description"].as_str().unwrap()
                );
                let mut schema = group["schema"].clone();
                if draft == "draft7" && schema.is_object() && schema.get("$schema").is_none() {
                    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
                }
                count.schemas += 1;
                let mut form = Form::new(with_remotes(&schema, &folder, draft));
                if !form.schema_findings().is_empty() {
                    count.found += 1;
                    continue;
                }
                for test in group["tests"].as_array().unwrap() {
                    let instance = &test["data"];
                    form.sync_value(&Arc::new(instance.clone()));
                    let what = || format!("{name} / {}", test["description"].as_str().unwrap());
                    if !walk(&mut form, &styles) || **form.value() != *instance {
                        count.wrong.push(format!("changed: {}", what()));
                    }
                    if test["valid"] == true {
                        count.valid += 1;
                        if !form.issues().is_empty() && !is_format {
                            count.wrong.push(format!("refused: {} {:?}", what(), form.issues()));
                        }
                    } else {
                        count.invalid += 1;
                        if form.issues().is_empty() && !is_number_that_a_float_rounds(instance) {
                            count.wrong.push(format!("taken: {}", what()));
                        }
                    }
                }
            }
        }
        println!(
            "{draft}: {} schemas, {} of them with findings (references out of the schema); {} valid and {} invalid instances; {} wrong",
            count.schemas,
            count.found,
            count.valid,
            count.invalid,
            count.wrong.len()
        );
        for wrong in &count.wrong {
            println!("  {wrong}");
        }
        assert!(count.wrong.is_empty());
    }
}
