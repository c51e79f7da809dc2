//! `docs/keys.md` is made from the tables of verbs and actions.
//!
//! `UPDATE=1 cargo test --test all keys` writes it.

use std::{collections::HashMap, env, fmt::Write as _, fs, path::PathBuf};

use toolcrib::{
    app::{
        actions::{Action, Scope},
        verbs::{MOST_VERBS, VERBS, Verb},
    },
    ui::actions::all_actions,
};

const HEAD: &str = "\
# Keys

There are two modes, shown at the left of the bottom line. In **NAV** every key is a command; in
**EDIT** every printable key is text. `Enter` or `i` on a field that takes text, a find box, or a
press on a text leads to EDIT; `Esc` leads back, with what was typed kept. On a field that takes a
number a digit or `-` leads there too, and begins the number: screens are a press on their names, a
row of the command palette, or one `Tab` away.

A key means the same on every screen where it acts. What is done less than daily has no key: it is
in the actions menu (`.`, or the right mouse button) and in the command palette (`Ctrl+P`). Arrows,
`h` `j` `k` `l`, `PgUp` and `PgDn` move.

In EDIT, `Enter` accepts and goes to the next field that is empty and required; `Tab` accepts and
edits the next field; `Esc` leaves. In a text of several lines `Enter` breaks the line. In an item
that is added to a list `Enter` goes on to the next one; where nothing is typed it ends the list.

A row of `[keys]` in `config.toml` replaces the keys of an action: `undo = [\"u\"]`.

This page is generated from the program's tables.
";

fn key_list<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    keys.into_iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" ")
}

fn page() -> String {
    let actions = all_actions();
    let mut page = HEAD.to_owned();
    page.push_str("\n## What keys mean\n\n| key | meaning |\n| --- | --- |\n");
    for verb in VERBS {
        writeln!(page, "| {} | {} |", key_list(verb.keys.iter().copied()), verb.meaning).unwrap();
    }
    page.push_str("\n## What they do on each screen\n");
    let mut scopes: Vec<Scope> = Vec::new();
    for action in &actions {
        if !scopes.contains(&action.scope) {
            scopes.push(action.scope);
        }
    }
    for scope in scopes {
        writeln!(page, "\n### {}\n\n| key | action | does |\n| --- | --- | --- |", scope.title())
            .unwrap();
        for action in actions.iter().filter(|action| action.scope == scope) {
            let Action { title, id, help, .. } = action;
            writeln!(page, "| {} | {title} (`{id}`) | {help} |", key_list(action.keys())).unwrap();
        }
    }
    page
}

#[test]
fn the_page_of_keys_is_that_of_the_actions() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/keys.md");
    let wanted = page();
    if env::var_os("UPDATE").is_some() {
        fs::write(path, wanted).unwrap();
    } else {
        let text = fs::read_to_string(path).unwrap();
        assert!(text == wanted, "docs/keys.md is out of date; UPDATE=1 writes it");
    }
}

#[test]
fn a_key_has_one_meaning() {
    let mut meanings: HashMap<&str, &Verb> = HashMap::new();
    for verb in VERBS {
        for key in verb.keys {
            let before = meanings.insert(key, verb);
            assert!(before.is_none(), "{key} means {} and {}", before.unwrap().name, verb.name);
        }
    }
    assert!(VERBS.len() <= MOST_VERBS, "{} verbs", VERBS.len());
    for action in all_actions() {
        for verb in action.verbs {
            assert!(VERBS.contains(verb), "{}: {} is not in the table", action.id, verb.name);
        }
        for key in action.edit_keys {
            let is_text = !["alt+", "ctrl+alt+", "f"].iter().any(|head| key.starts_with(head));
            assert!(!is_text, "{}: {key} would be text in EDIT", action.id);
        }
    }
}

#[test]
fn every_verb_does_something() {
    let actions = all_actions();
    for verb in VERBS {
        let used = actions.iter().any(|action| action.verbs.contains(verb));
        assert!(used, "no action has the keys of {}", verb.name);
    }
}
