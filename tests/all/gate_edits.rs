//! Edits of a tool's gate: the file says afterwards what the edit says.

use proptest::prelude::*;
use toolcrib::{
    engine::gate_edit::GateEdit,
    model::{
        context::{Mode, Name},
        entry::{EntryForm, FileId},
        finding::EntryEdit,
    },
    syntax::source::{Format, Source},
    systems::read,
};

fn edit() -> impl Strategy<Value = GateEdit> {
    let name = || {
        proptest::sample::select(&["a", "b", "default", "undefined", "s"][..]).prop_map(Name::from)
    };
    prop_oneof![
        name().prop_map(GateEdit::AddGroup),
        name().prop_map(GateEdit::RemoveGroup),
        proptest::collection::vec(name(), 0..3).prop_map(GateEdit::InGroups),
        name().prop_map(GateEdit::AddState),
        name().prop_map(GateEdit::RemoveState),
        Just(GateEdit::Everywhere),
        proptest::collection::vec(name(), 0..3).prop_map(GateEdit::OnlyIn),
        proptest::option::of(name()).prop_map(GateEdit::LeadTo),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let list = || {
        proptest::option::of(proptest::sample::select(
            &["[]", "[a]", "[a, b, a]", "\n      - a  # why\n      - s"][..],
        ))
    };
    let key = proptest::sample::select(&["applicable-states", "available_in_states"][..]);
    (list(), list(), key, proptest::option::of(proptest::sample::select(&["a", "s"][..]))).prop_map(
        |(groups, states, key, next)| {
            let mut text = "tool:\n  one:\n    type: knowledge-query\n".to_owned();
            text.extend(groups.map(|list| format!("    group: {list}\n")));
            text.extend(states.map(|list| format!("    {key}: {list}\n")));
            text.extend(next.map(|next| format!("    state: {next}\n")));
            text
        },
    )
}

proptest! {
    /// The edited descriptor reads as the edited gate.
    #[test]
    fn the_file_says_what_the_edit_says(text in text(), edit in edit()) {
        let file = FileId::new("t.yaml");
        let source = Source::parse(Format::Yaml, text).unwrap();
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let tool = &catalog.tools[0];
        let mut after = source;
        for EntryEdit { edit, entry } in edit.descriptor_edits(tool) {
            let place = entry.place();
            prop_assert_eq!(place.form, EntryForm::Plain);
            after = after.apply(place.document, &edit.with_prefix(&place.at)).unwrap().0;
        }
        let gate = read::read_catalog([(&file, &after)], Mode::Document).tools[0].gate.clone();
        prop_assert_eq!(gate.groups(), edit.apply_to(&tool.gate).groups(), "{}", after.text());
        prop_assert_eq!(gate.states, edit.apply_to(&tool.gate).states, "{}", after.text());
        prop_assert_eq!(gate.next, edit.apply_to(&tool.gate).next, "{}", after.text());
    }
}
