//! The official JSON-Schema-Test-Suite as a corpus for forms, from the folder that `TOOLCRIB_SUITE` names, else `../shared/suites/json-schema`:
//! every valid instance is loaded and left as it was, every invalid one has an issue, nothing panics.

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

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLCRIB_SUITE").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites/json-schema");
    named.or_else(|| beside.is_dir().then_some(beside))
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
    instance.as_f64().is_some_and(|number| number.abs() >= 9_007_199_254_740_992.0) && instance.is_f64()
}

/// Looks at everything in a form and leaves it; an edit is a fault.
fn walk(form: &mut Form, styles: &toolcrib::ui::styles::Styles) -> bool {
    let area = Rect::new(0, 0, 60, 12);
    let mut buffer = Buffer::empty(area);
    for step in 0..8 {
        form.draw(&mut buffer, area, styles, true);
        let at = form.focused();
        let folded = form.fields().iter().any(|field| field.pointer == *at && field.fold() == Some(false));
        let code = if folded && step % 2 == 0 { Code::Right } else { Code::Down };
        let reply = form.input(&Input::Key(Key::plain(code)));
        if matches!(reply, FormReply::Edits(_)) {
            return false;
        }
    }
    true
}

#[test]
fn the_official_suite_goes_through_forms() {
    let Some(folder) = folder() else {
        println!("no test suite: set TOOLCRIB_SUITE");
        return;
    };
    let styles = theme::all(&[]).0[0].styles.clone();
    for draft in ["draft7", "draft2020-12"] {
        let mut count = Count::default();
        // `format.json` says that formats are only remarks; forms check them in every draft.
        let all = files(&folder.join(draft)).into_iter().filter(|path| !path.ends_with("format.json"));
        let all = all.map(|path| (path, false));
        let formats = files(&folder.join(draft).join("format")).into_iter().map(|path| (path, true));
        for (path, is_format) in all.chain(formats) {
            let groups: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let name = format!("{}: {}", path.file_stem().unwrap().to_string_lossy(), group["description"].as_str().unwrap());
                let mut schema = group["schema"].clone();
                if draft == "draft7" && schema.is_object() && schema.get("$schema").is_none() {
                    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
                }
                count.schemas += 1;
                let mut form = Form::new(schema);
                if !form.findings().is_empty() {
                    count.found += 1;
                    continue;
                }
                for test in group["tests"].as_array().unwrap() {
                    let instance = &test["data"];
                    form.sync(&Arc::new(instance.clone()));
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
