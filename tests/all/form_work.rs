//! How much a form does for a key and for a frame, by counts: bounded by what is seen and open,
//! however long the value is.

use std::fs;

use serde_json::{Value, json};
use toolcrib::{schema::fields::WINDOW, ui::form::work::Work};

use crate::{form::Desk, support::terminal::toolcrib};

/// A list of so many objects, open.
fn long(items: usize) -> Desk {
    let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}});
    let items: Vec<Value> =
        (0..items).map(|n| json!({"name": format!("item {n}"), "n": n})).collect();
    let mut desk = Desk::new(
        json!({"type": "object", "properties": {"list": {"type": "array", "items": item}}}),
        json!({"list": items}),
    );
    desk.goes("/list/500/name");
    desk.keys("enter");
    desk
}

/// An object of so many texts and numbers.
fn wide(fields: usize) -> Value {
    let field = |n: usize| {
        (
            format!("field {n}"),
            json!({"type": if n.is_multiple_of(2) { "string" } else { "integer" }}),
        )
    };
    json!({"type": "object", "properties": (0..fields).map(field).collect::<serde_json::Map<_, _>>()})
}

/// What a letter takes, with the frame after it.
fn letter(desk: &mut Desk) -> Work {
    let before = desk.form.work_done();
    desk.types("x");
    desk.form.work_done() - before
}

#[test]
fn a_key_lays_out_and_checks_once_and_draws_what_is_seen() {
    for fields in [5, 50, 300] {
        let mut desk = Desk::new(wide(fields), json!({}));
        desk.keys("enter");
        let work = letter(&mut desk);
        assert_eq!((work.layouts, work.checks, work.frames), (1, 1, 1), "{fields} fields");
        assert_eq!(work.fields, fields);
        assert!(work.rows <= 24, "{} rows on 24 lines", work.rows);
    }
}

#[test]
fn a_frame_without_a_change_lays_out_and_checks_nothing() {
    let mut desk = Desk::new(wide(300), json!({}));
    let before = desk.form.work_done();
    desk.screen();
    let work = desk.form.work_done() - before;
    assert_eq!((work.layouts, work.checks, work.frames), (0, 0, 1));
    assert!(work.rows <= 24);
}

#[test]
fn moving_the_focus_checks_nothing() {
    let mut desk = Desk::new(wide(300), json!({}));
    let before = desk.form.work_done();
    desk.keys("tab tab down pagedown end home");
    assert_eq!((desk.form.work_done() - before).checks, 0);
}

#[test]
fn a_list_of_any_length_is_laid_out_by_the_window() {
    let work = [1_000, 10_000].map(|items| letter(&mut long(items)));
    for work in work {
        assert_eq!((work.layouts, work.checks, work.frames), (1, 1, 1));
        assert!(work.fields <= 4 * WINDOW, "{} fields", work.fields);
        assert!(work.rows <= 24);
    }
    assert_eq!(work[0].fields, work[1].fields, "ten times the items take no more fields");
}

#[test]
fn what_is_folded_is_not_laid_out() {
    let below = |schema: Value, _| json!({"type": "object", "properties": {"name": {"type": "string"}, "inner": schema}});
    let deep = (0..20).fold(json!({"type": "string"}), below);
    let desk = Desk::new(deep, json!({}));
    assert!(desk.form.fields().len() <= 4, "{} fields", desk.form.fields().len());
}

#[test]
fn the_program_draws_at_most_one_frame_a_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wide.json"), wide(300).to_string()).unwrap();
    let mut terminal = toolcrib(["form", "wide.json"]).folder(folder.path()).start();
    terminal.wait_for("field 0");
    let typed = "abcdefghijklmnopqrstuvwxyz";
    terminal.press(["enter"]);
    terminal.type_text("_");
    terminal.wait_for("   _");
    let (before, _) = terminal.counts();
    for end in 1..=typed.len() {
        terminal.type_text(&typed[end - 1..end]);
        terminal.wait_for(&typed[..end]);
    }
    let (after, _) = terminal.counts();
    assert!(after - before <= typed.len(), "{} frames for {} keys", after - before, typed.len());
    assert!(after > before, "frames are told apart");
}
