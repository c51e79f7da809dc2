//! Forms for real tool schemas, from the folder that `TOOLCRIB_SCHEMAS` names, else
//! `../shared/schemas`. Without such a folder the test fails.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::Arc,
};

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;
use toolcrib::{
    schema::{
        blank::blank_value,
        example::make_example,
        fields::{Field, Part, View, key_at, layout_fields},
        kind::Kind,
        pointer::Pointer,
        tree::Schema,
        validate::Checker,
    },
    syntax::{edit::Edit, value::apply_edit},
    ui::{
        form::view::{Form, FormReply},
        styles::Styles,
        theme,
    },
};

use crate::{
    reach::{leaves, start},
    support::{
        filler::Filler,
        instances::{invalid, judge, valid},
        luck::Luck,
    },
};

/// The name that a map's entry gets.
const ENTRY: &str = "an entry of mine";

struct Case {
    name: String,
    schema: Value,
    default: Option<Value>,
    ui: Option<Value>,
}

fn folder() -> PathBuf {
    let named = std::env::var_os("TOOLCRIB_SCHEMAS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/schemas");
    let found = named.or_else(|| beside.is_dir().then_some(beside));
    found.expect("the folder of tool schemas is missing: name it in TOOLCRIB_SCHEMAS")
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    // A folder of one's own need not have all that this one has.
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let json = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let mut files: Vec<_> =
        json.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path)).collect();
    files.sort();
    files
}

fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in files(&folder.join("unique")) {
        let beside = |folder_name: &str| {
            Some(folder.join("unique").join(folder_name).join(format!("{name}.json")))
        };
        let [default, ui] = ["default", "ui"]
            .map(|name| beside(name).filter(|path| path.is_file()).map(|path| read(&path)));
        cases.push(Case { name: format!("unique/{name}"), schema: read(&path), default, ui });
    }
    for (name, path) in files(&folder.join("unique/call")) {
        cases.push(Case {
            name: format!("unique/call/{name}"),
            schema: read(&path)["parameters"].clone(),
            default: None,
            ui: None,
        });
    }
    for (server, path) in files(&folder.join("mcp")) {
        for tool in read(&path)["tools"].as_array().unwrap() {
            for which in ["inputSchema", "outputSchema"] {
                if let Some(schema) = tool.get(which) {
                    let name = format!("mcp/{server}/{} {which}", tool["name"].as_str().unwrap());
                    cases.push(Case { name, schema: schema.clone(), default: None, ui: None });
                }
            }
        }
    }
    let tools = Some(folder.join("opensearch/tools-list.json"))
        .filter(|path| path.is_file())
        .map(|path| read(&path));
    for tool in tools.iter().flat_map(|tools| tools.as_array().unwrap()) {
        if let Some(text) = tool["attributes"]["input_schema"].as_str() {
            let name = format!("opensearch/{}", tool["name"].as_str().unwrap());
            cases.push(Case {
                name,
                schema: serde_json::from_str(text).unwrap(),
                default: None,
                ui: None,
            });
        }
    }
    cases
}

/// Every declared member of a schema by its pattern: items and members of the user's naming are
/// `*`.
fn declared(
    root: &Value,
    schema: &Value,
    at: &str,
    through: &mut Vec<String>,
    found: &mut BTreeSet<String>,
) {
    let Some(keywords) = schema.as_object() else { return };
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str)
        && !through.iter().any(|known| known == reference)
    {
        through.push(reference.to_owned());
        if let Some(target) = root.pointer(reference.trim_start_matches('#')) {
            declared(root, target, at, through, found);
        }
        through.pop();
    }
    for (name, inner) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        let at = format!("{at}/{name}");
        found.insert(at.clone());
        declared(root, inner, &at, through, found);
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = keywords.get(name).filter(|inner| inner.is_object()) {
            declared(root, inner, &format!("{at}/*"), through, found);
        }
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        for branch in keywords.get(name).and_then(Value::as_array).into_iter().flatten() {
            declared(root, branch, at, through, found);
        }
    }
}

/// The pattern of a place in a value.
fn pattern(field: &Field, value: &Value) -> String {
    let mut text = String::new();
    let mut here = Pointer::root();
    for token in field.pointer.tokens() {
        let in_list = here.get(value).is_some_and(Value::is_array);
        here = here.child(token.clone());
        let own = token == ENTRY || in_list;
        text.push('/');
        text.push_str(if own { "*" } else { token });
    }
    text
}

#[derive(Default)]
struct Reached {
    patterns: BTreeSet<String>,
    /// Pattern of a value's own row → whether only JSON can edit it.
    nodes: BTreeMap<String, bool>,
}

/// What was made of generated values.
#[derive(Default)]
struct Generated {
    valid: usize,
    invalid: usize,
    filled: usize,
    leaves: usize,
    as_json: Vec<String>,
    wrong: Vec<String>,
}

/// Values made from the schema: right ones are loaded, left as they were and without an issue,
/// wrong ones have an issue that one can go to, as `jsonschema` alone says; one is filled in from
/// nothing.
fn generate(case: &Case, form: &mut Form, styles: &Styles, all: &mut Generated) {
    let judge = judge(&case.schema);
    let mut hasher = DefaultHasher::new();
    case.name.hash(&mut hasher);
    let mut luck = Luck::new(hasher.finish());
    for round in 0..4 {
        let Some(instance) = valid(&case.schema, &judge, &mut luck) else { continue };
        all.valid += 1;
        form.sync_value(&Arc::new(instance.clone()));
        if !form.issues().is_empty() {
            all.wrong.push(format!("{}: refused {instance}: {:?}", case.name, form.issues()));
        }
        if !is_left_as_it_was(form, &instance) {
            all.wrong.push(format!("{}: changed {instance}", case.name));
        }
        let area = Rect::new(0, 0, 80, 24);
        form.draw(&mut Buffer::empty(area), area, styles, true);
        if let Some(spoilt) = invalid(&instance, &judge, &mut luck) {
            all.invalid += 1;
            form.sync_value(&Arc::new(spoilt.clone()));
            form.draw(&mut Buffer::empty(area), area, styles, true);
            let places: Vec<Pointer> = form.issues().iter().map(|issue| issue.at.clone()).collect();
            if places.is_empty() {
                all.wrong.push(format!("{}: took {spoilt}", case.name));
            }
            for at in places {
                form.focus_field(&at);
                // What is said of the whole stands above the rows.
                if !at.is_root() && !at.starts_with(form.focused_place()) {
                    all.wrong.push(format!("{}: no row for the issue at {at}", case.name));
                }
            }
        }
        if round == 0 {
            let schema = Arc::new(case.schema.clone());
            let mut filler = Filler::new(&schema, start(&schema), &instance);
            match filler.fill_all(&instance) {
                Ok(()) => all.filled += 1,
                Err(words) => {
                    all.wrong.push(format!("{}: filling in {instance}: {words}", case.name));
                }
            }
            all.leaves += leaves(&instance);
            all.as_json.append(&mut filler.raw);
        }
    }
}

/// Goes through every row and leaves it; no edit comes of that.
fn is_left_as_it_was(form: &mut Form, value: &Value) -> bool {
    let rows = form.fields().len().min(300);
    (0..rows).all(|row| !matches!(form.turn_to(row), FormReply::Edits(_)))
        && **form.value() == *value
}

/// Opens everything, puts an item in each list and an entry in each map, and takes branches by the
/// luck of `seed`.
fn explore(schema: &Schema, checker: &Checker, seed: u64, reached: &mut Reached) {
    let (mut value, mut view) = (Value::Object(serde_json::Map::new()), View::default());
    let mut turned = BTreeSet::new();
    for _ in 0..24 {
        let rows = layout_fields(schema, Some(checker), &value, &view);
        let mut changed = false;
        for field in &rows {
            let at = &field.pointer;
            if !matches!(field.part, Part::Add | Part::More(_)) {
                let pattern = pattern(field, &value);
                if !matches!(field.part, Part::Switch(_)) {
                    let raw = matches!(field.kind, Kind::Raw);
                    reached
                        .nodes
                        .entry(pattern.clone())
                        .and_modify(|known| *known &= raw)
                        .or_insert(raw);
                }
                reached.patterns.insert(pattern);
            }
            if field.fold_state() == Some(false) && at.tokens().len() < 12 {
                view.folds.insert(at.clone(), true);
                changed = true;
            }
            let edit = match (&field.kind, field.part) {
                (Kind::Variant { branches, .. }, Part::Switch(place))
                    if turned.insert((at.clone(), format!("{place:?}"))) =>
                {
                    let mut hasher = DefaultHasher::new();
                    (at.to_string(), seed).hash(&mut hasher);
                    let pick = (hasher.finish() % branches.len() as u64) as usize;
                    let union =
                        field.node.unions.iter().find(|union| union.place == place).unwrap();
                    view.picks.insert((at.clone(), place), pick);
                    let key = field.node.key.with_branch(place, union.branches[pick]);
                    Some(Edit::Set {
                        at: at.clone(),
                        to: blank_value(schema, Some(checker), &key).into(),
                    })
                }
                (Kind::List { len: 0, .. }, _) if at.tokens().len() < 12 => {
                    let item = key_at(schema, Some(checker), &view, &value, &at.item(0))
                        .unwrap_or_default();
                    Some(Edit::Insert {
                        at: at.item(0),
                        item: blank_value(schema, Some(checker), &item).into(),
                    })
                }
                (Kind::Map { len: 0, .. }, _)
                    if at.tokens().len() < 12 && field.node.object.names.is_none() =>
                {
                    let entry = key_at(schema, Some(checker), &view, &value, &at.child(ENTRY))
                        .unwrap_or_default();
                    Some(Edit::Set {
                        at: at.child(ENTRY),
                        to: blank_value(schema, Some(checker), &entry).into(),
                    })
                }
                _ => None,
            };
            if edit.is_some_and(|edit| apply_edit(&mut value, &edit).is_ok()) {
                changed = true;
                break;
            }
        }
        if !changed {
            break;
        }
    }
}

#[test]
fn every_real_schema_has_its_form() {
    let folder = folder();
    let cases = cases(&folder);
    assert!(!cases.is_empty());
    let themes = theme::available_themes(&[]).0;
    let (mut declared_count, mut nodes, mut raw, mut defaults, mut uis) = (0, 0, 0, 0, 0);
    let mut missing = Vec::new();
    let mut generated = Generated::default();
    for case in &cases {
        let mut form = Form::new(case.schema.clone());
        assert!(form.schema_findings().is_empty(), "{}: {:?}", case.name, form.schema_findings());
        assert!(
            form.fields().iter().all(|field| !(field.pointer.is_root() && field.kind == Kind::Raw)),
            "{}",
            case.name
        );
        for (width, height) in [(80, 24), (120, 36)] {
            let area = Rect::new(0, 0, width, height);
            form.draw(&mut Buffer::empty(area), area, &themes[0].styles, true);
        }
        if let Some(default) = &case.default {
            defaults += 1;
            form.sync_value(&Arc::new(default.clone()));
            assert!(is_left_as_it_was(&mut form, default), "{}", case.name);
            let area = Rect::new(0, 0, 100, 30);
            form.draw(&mut Buffer::empty(area), area, &themes[0].styles, true);
        }
        if let Some(ui) = &case.ui {
            uis += 1;
            let mut form = Form::new(case.schema.clone()).with_ui(Some(Arc::new(ui.clone())));
            let value =
                case.default.clone().unwrap_or_else(|| start(&Arc::new(case.schema.clone())));
            form.sync_value(&Arc::new(value.clone()));
            assert!(is_left_as_it_was(&mut form, &value), "{} by its uiSchema", case.name);
            let area = Rect::new(0, 0, 80, 24);
            form.draw(&mut Buffer::empty(area), area, &themes[0].styles, true);
        }
        generate(case, &mut form, &themes[0].styles, &mut generated);
        let schema = Schema::new(case.schema.clone());
        let checker = Checker::compile(&case.schema).unwrap();
        let mut expected = BTreeSet::new();
        declared(&case.schema, &case.schema, "", &mut Vec::new(), &mut expected);
        let mut reached = Reached::default();
        for seed in 0..40 {
            explore(&schema, &checker, seed, &mut reached);
            if expected.is_subset(&reached.patterns) && seed > 4 {
                break;
            }
        }
        let own_raw: Vec<&String> =
            reached.nodes.iter().filter(|(_, raw)| **raw).map(|(at, _)| at).collect();
        let share = 100.0 * own_raw.len() as f64 / reached.nodes.len().max(1) as f64;
        println!(
            "{}: {} of {} nodes only as JSON ({share:.1} %) {own_raw:?}",
            case.name,
            own_raw.len(),
            reached.nodes.len()
        );
        declared_count += expected.len();
        nodes += reached.nodes.len();
        raw += own_raw.len();
        missing
            .extend(expected.difference(&reached.patterns).map(|at| format!("{} {at}", case.name)));
    }
    println!(
        "{} schemas, {declared_count} declared members, {defaults} default instances, {uis} uiSchemas; {raw} of {nodes} nodes only as JSON ({:.2} %)",
        cases.len(),
        100.0 * raw as f64 / nodes as f64
    );
    println!(
        "generated: {} valid and {} invalid values as jsonschema says; {} filled in from nothing, {} leaves, {} places as JSON",
        generated.valid,
        generated.invalid,
        generated.filled,
        generated.leaves,
        generated.as_json.len()
    );
    for raw in generated.as_json.iter().take(10) {
        println!("  as JSON: {raw}");
    }
    assert!(
        generated.wrong.is_empty(),
        "{} wrong: {:#?}",
        generated.wrong.len(),
        &generated.wrong[..generated.wrong.len().min(8)]
    );
    assert!(missing.is_empty(), "no field for {missing:#?}");
    assert!(raw * 50 < nodes, "less than 2 % of the nodes are JSON only");
}

#[test]
fn an_example_of_each_schema_is_what_the_schema_allows() {
    let mut missed = Vec::new();
    let cases = cases(&folder());
    for case in &cases {
        // What no value fits can have no example.
        if Checker::compile(&case.schema).is_err() {
            continue;
        }
        let schema = Arc::new(case.schema.clone());
        for seed in [0, 1, 2026] {
            let example = make_example(&schema, seed);
            assert_eq!(make_example(&schema, seed), example, "{}", case.name);
            if !example.fits {
                missed.push(format!("{} seed {seed}: {}", case.name, example.value));
            }
        }
    }
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), 3 * cases.len(), missed.join("\n"));
}
