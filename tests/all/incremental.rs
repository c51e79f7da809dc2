//! What an edit of a large file changes in the catalog, the findings and what lists and forms go by
//! is what reading all anew comes to.

use std::{collections::BTreeMap, sync::Arc};

use proptest::{prelude::*, test_runner::TestCaseError};
use serde_json::{Value, json};
use toolcrib::{
    app::{
        documents::Change,
        effect::Effect,
        message::{DocumentMessage, FileEntries, Loaded, Message},
        state::{Start, State},
        update::update,
    },
    engine::filter::Filter,
    model::{
        catalog::Catalog,
        clock::Millis,
        entry::{Entry, EntryId, FileId},
        finding::EntryEdit,
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{read, table},
};

const FILE: &str = "tools.yaml";

fn text(format: Format) -> String {
    let tool = |row: usize| {
        let kind = ["tool-service", "knowledge-query", "text-completion"][row % 3];
        let mut value = json!({
            "type": kind,
            "name": format!("tool-{row}"),
            "description": format!("Does number {row} of many things"),
            "group": [format!("group-{}", row % 4), "read-only"],
            "state": format!("state-{}", row % 5),
            "applicable-states": [format!("state-{}", (row + 1) % 6)],
        });
        if row.is_multiple_of(3) {
            value["service"] = format!("service-{}", row % 4).into();
        }
        (format!("tool-{row}"), value)
    };
    let service = |row: usize| {
        let value = json!({"id": format!("service-{row}"), "request-queue": format!("request:tg:s{row}"),
            "response-queue": format!("response:tg:s{row}"), "config-params": [{"name": "style", "required": true}]});
        (format!("service-{row}"), value)
    };
    let tools: serde_json::Map<_, _> = (0..40).map(tool).collect();
    let services: serde_json::Map<_, _> = (0..3).map(service).collect();
    let value = json!({"tool": tools, "tool-service": services});
    let json = serde_json::to_string_pretty(&value).unwrap();
    match format {
        Format::Json => json,
        _ => {
            let block = |name: &str| {
                let members = value[name].as_object().unwrap().iter();
                let member = |(key, value): (&String, &Value)| {
                    let lines = value
                        .as_object()
                        .unwrap()
                        .iter()
                        .map(|(key, value)| format!("    {key}: {value}\n"));
                    format!("  {key}:\n{}", lines.collect::<String>())
                };
                format!("{name}:\n{}", members.map(member).collect::<String>())
            };
            block("tool") + &block("tool-service")
        }
    }
}

/// A workspace of one file, read and checked.
fn opened(format: Format, text: &str, deployed: bool) -> State {
    let mut state = State::new(Start::default());
    let (file, text) = (
        FileId::new(FILE.replace("yaml", if format == Format::Json { "json" } else { "yaml" })),
        Arc::<str>::from(text),
    );
    let source = Source::parse(format, text.clone());
    update(
        &mut state,
        Message::Document(DocumentMessage::Loaded(vec![(
            file.clone(),
            Loaded { source, text, held: None },
        )])),
        Millis(1),
    );
    let effects = update(
        &mut state,
        Message::Document(DocumentMessage::LoadEnded {
            names: vec![file],
            skipped: Vec::new(),
            unread: Vec::new(),
        }),
        Millis(2),
    );
    settle(&mut state, effects);
    if deployed {
        let effects = update(&mut state, Message::Document(DocumentMessage::SwitchMode), Millis(3));
        settle(&mut state, effects);
    }
    state
}

/// Checks as long as a check is due.
fn settle(state: &mut State, effects: Vec<Effect>) {
    let mut effects = effects;
    while let Some(effect) = effects.pop() {
        effects.extend(match effect {
            Effect::CheckSoon => {
                update(state, Message::Document(DocumentMessage::CheckDue), Millis(3))
            }
            Effect::Check(snapshot) => {
                let findings = Arc::new(snapshot.collect_findings());
                update(
                    state,
                    Message::Document(DocumentMessage::Checked { turn: snapshot.turn, findings }),
                    Millis(3),
                )
            }
            _ => Vec::new(),
        });
    }
}

fn ids(state: &State) -> Vec<EntryId> {
    state.catalog.entries().map(|entry| entry.id.clone()).collect()
}

/// What a list of the catalog shows.
fn listed(catalog: &Catalog) -> String {
    let tools =
        catalog.tools.iter().map(|tool| format!("{:?} {} {:?}", tool.id(), tool.kind, tool.gate));
    let services = catalog
        .services
        .iter()
        .map(|service| format!("{:?} {:?}", service.entry.id, service.alias));
    tools.chain(services).collect::<Vec<_>>().join("\n")
}

/// The schemas of all entries, by what they are said to depend on.
fn schemas(catalog: &Catalog) -> BTreeMap<String, Value> {
    let of = |entry| {
        let system = table::by_id(toolcrib::model::entry::Entry::clone(entry).system)?;
        Some((system.schema_word(entry, catalog)?, system.entry_schema(entry, catalog)))
    };
    catalog.entries().filter_map(of).collect()
}

fn names(catalog: &Catalog) -> Vec<String> {
    catalog.tools.iter().map(|tool| tool.name.clone()).collect()
}

/// The keys of the entries whose values are kept.
fn kept_values(state: &State) -> Vec<&str> {
    let kept = state.catalog.entries().filter(|entry| format!("{:?}", entry.value) != "(not read)");
    kept.map(|entry| entry.key.as_str()).collect()
}

#[test]
fn values_are_read_when_they_are_asked_for_and_do_not_stay() {
    for format in [Format::Json, Format::Yaml] {
        let mut state = opened(format, &text(format), false);
        assert!(!state.findings.is_empty());
        assert_eq!(kept_values(&state), <[&str; 0]>::default(), "after a check");
        let entry = state.catalog.tools[7].id().clone();
        assert_eq!(state.catalog.tools[7].entry.value["name"], "tool-7");
        assert_eq!(kept_values(&state), ["tool-7"], "what is looked at stays");
        let edit = Edit::Set { at: Pointer::root().child("name"), to: "other".into() };
        let changes = vec![Change::Entry(EntryEdit { entry, edit })];
        let effects = update(
            &mut state,
            Message::Document(DocumentMessage::Change { label: "edit".into(), changes }),
            Millis(4),
        );
        settle(&mut state, effects);
        assert_eq!(state.catalog.tools[7].entry.value["name"], "other");
        assert_eq!(kept_values(&state), ["tool-7"], "what is edited is there");
    }
}

fn edit() -> impl Strategy<Value = (usize, Edit)> {
    let at = |key: &str| Pointer::root().child(key);
    let key = prop::sample::select(vec![
        "name",
        "state",
        "description",
        "service",
        "type",
        "other",
        "id",
        "request-queue",
    ]);
    let word = prop::sample::select(vec![
        "tool-1",
        "tool-service",
        "state-2",
        "state-9",
        "service-1",
        "nobody",
        "yes",
        "two words",
        "",
    ]);
    let list = prop::sample::select(vec![
        "group",
        "applicable-states",
        "available_in_states",
        "config-params",
    ]);
    let edit = prop_oneof![
        4 => (key.clone(), word.clone()).prop_map(move |(key, word)| Edit::Set { at: at(key), to: word.into() }),
        2 => (list.clone(), prop::collection::vec(word.clone(), 0..3))
            .prop_map(move |(key, words)| Edit::Set { at: at(key), to: Value::from(words).into() }),
        1 => key.clone().prop_map(move |key| Edit::Remove { at: at(key) }),
        1 => list.prop_map(move |key| Edit::Remove { at: at(key) }),
        1 => (key, word).prop_map(move |(key, to)| Edit::Rename { at: at(key), key: format!("{to}-key") }),
    ];
    (0..43_usize, edit)
}

/// All that a catalog holds, with the values of its entries. They are read on clones, so that the
/// catalog stays as it was.
fn all_said(catalog: &Catalog) -> Vec<String> {
    fn said<T: Clone + std::fmt::Debug>(of: &T, entry: impl Fn(&T) -> &Entry) -> String {
        let of = of.clone();
        let _ = entry(&of).value.shared();
        format!("{of:?}")
    }
    let tools = catalog.tools.iter().map(|tool| said(&**tool, |tool| &tool.entry));
    let services = catalog.services.iter().map(|service| said(service, |service| &service.entry));
    let others = catalog.others.iter().map(|entry| said(entry, |entry| entry));
    tools.chain(services).chain(others).collect()
}

fn compare(state: &State, format: Format, deployed: bool) -> Result<(), TestCaseError> {
    let (_, document) = state.documents.iter().next().unwrap();
    let anew = opened(format, document.text.whole_text(), deployed);
    prop_assert_eq!(all_said(&state.catalog), all_said(&anew.catalog));
    prop_assert_eq!(
        format!("{:?}", state.catalog.gate_names()),
        format!("{:?}", anew.catalog.gate_names())
    );
    prop_assert_eq!(&*state.findings, &*anew.findings);
    prop_assert_eq!(
        state.checking.turn,
        state.checking.answered,
        "the findings are of this catalog"
    );
    let offered = |state: &State| {
        let filter = Filter::new(&state.context());
        state.catalog.tools.iter().map(|tool| filter.admits(&tool.gate)).collect::<Vec<_>>()
    };
    prop_assert_eq!(offered(state), offered(&anew));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_a_large_file_come_to_what_reading_it_anew_does(
        json in any::<bool>(), deployed in any::<bool>(),
        edits in prop::collection::vec((edit(), prop::bool::weighted(0.2)), 1..7),
    ) {
        let format = if json { Format::Json } else { Format::Yaml };
        let mut state = opened(format, &text(format), deployed);
        prop_assert_eq!(ids(&state).len(), 43);
        for ((row, edit), undo) in edits {
            let ids = ids(&state);
            let entry = ids[row % ids.len()].clone();
            let before = Arc::clone(&state.catalog);
            let change = Change::Entry(EntryEdit { entry, edit });
            let mut effects = update(&mut state, Message::Document(DocumentMessage::Change { label: "edit".into(), changes: vec![change] }), Millis(3));
            if undo {
                effects.extend(update(&mut state, Message::Document(DocumentMessage::Undo), Millis(3)));
            }
            settle(&mut state, effects);
            let after = &state.catalog;
            if after.revision == before.revision {
                prop_assert_eq!(listed(after), listed(&before));
            }
            if after.vocabulary == before.vocabulary {
                let (old, new) = (schemas(&before), schemas(after));
                for (word, schema) in &new {
                    prop_assert!(old.get(word).is_none_or(|old| old == schema), "{}", word);
                }
            }
            if after.tool_names == before.tool_names && after.revision == before.revision {
                prop_assert_eq!(names(after), names(&before));
            }
        }
        compare(&state, format, deployed)?;
    }
}

#[test]
fn the_beginning_of_a_file_is_shown_until_all_of_it_is_read() {
    let (file, whole) = (FileId::new(FILE), text(Format::Yaml));
    let read = |text: &str| Source::parse(Format::Yaml, text).unwrap();
    let held = |source: &Source| {
        let mode = Start::default().mode;
        FileEntries { part: read::read_part(&file, source, mode), mode }
    };
    let begin = &whole[..whole.find("  tool-7:").unwrap()];
    let mut state = State::new(Start::default());
    update(
        &mut state,
        Message::Document(DocumentMessage::Beginning(file.clone(), held(&read(begin)))),
        Millis(1),
    );
    assert_eq!((ids(&state).len(), &state.selected), (7, &ids(&state).first().cloned()));

    let last = ids(&state)[6].clone();
    update(&mut state, Message::Select(last.clone()), Millis(1));
    let edit = Edit::Remove { at: Pointer::root().child("state") };
    let change = Change::Entry(EntryEdit { entry: last.clone(), edit });
    let changes = vec![change];
    update(
        &mut state,
        Message::Document(DocumentMessage::Change { label: "edit".into(), changes }),
        Millis(1),
    );
    let words: Vec<_> = state.notices.iter().map(|notice| notice.text.clone()).collect();
    assert_eq!(words, ["edit: tools.yaml is still being read"]);

    // A file before it was read too; what the beginning held comes again, behind that.
    let other = read("tool:\n  first: {type: prompt, name: first}\n");
    let loaded =
        |source: Source, held| Loaded { text: source.text().clone(), source: Ok(source), held };
    let (source, first) = (read(&whole), FileId::new("a.yaml"));
    let slice = vec![
        (first.clone(), loaded(other, None)),
        (file.clone(), loaded(source.clone(), Some(held(&source)))),
    ];
    update(&mut state, Message::Document(DocumentMessage::Loaded(slice)), Millis(2));
    let names = vec![first.clone(), file.clone()];
    let effects = update(
        &mut state,
        Message::Document(DocumentMessage::LoadEnded {
            names,
            skipped: Vec::new(),
            unread: Vec::new(),
        }),
        Millis(2),
    );
    settle(&mut state, effects);
    assert_eq!(ids(&state).len(), 44);
    assert_eq!((ids(&state)[0].file(), state.selected.as_ref()), (&first, Some(&last)));
    update(
        &mut state,
        Message::Document(DocumentMessage::Beginning(file.clone(), held(&read(begin)))),
        Millis(3),
    );
    assert_eq!(ids(&state).len(), 44, "a beginning that comes late tells nothing new");
}
