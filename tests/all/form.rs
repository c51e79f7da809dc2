//! Forms as they are used: keys and mouse in, edits and the screen out.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Value, json};
use toolcrib::{
    app::{
        actions::ActionId,
        input::{Button, Input, Key, Mods, Mouse, MouseKind},
    },
    model::finding::Severity,
    schema::pointer::Pointer,
    syntax::{edit::Edit, value::apply_edit},
    ui::{
        form::{
            notes::Note,
            view::{Form, FormReply},
        },
        styles::Styles,
        theme,
    },
};

static STYLES: LazyLock<Styles> =
    LazyLock::new(|| theme::available_themes(&[]).0[0].styles.clone());

/// A form with the value it edits, as a screen holds both.
pub struct Desk {
    pub form: Form,
    pub value: Arc<Value>,
    size: (u16, u16),
}

impl Desk {
    pub fn new(schema: Value, value: Value) -> Self {
        let mut form = Form::new(schema);
        let value = Arc::new(value);
        form.sync_value(&value);
        let mut desk = Self { form, value, size: (80, 24) };
        desk.paint();
        desk
    }

    pub fn sized(mut self, width: u16, height: u16) -> Self {
        self.size = (width, height);
        self.paint();
        self
    }

    fn take(&mut self, reply: FormReply) -> FormReply {
        if let FormReply::Edits(edits)
        | FormReply::Copy { edits, .. }
        | FormReply::Folder { edits, .. } = &reply
        {
            let mut value = (*self.value).clone();
            for edit in edits {
                apply_edit(&mut value, edit).unwrap();
            }
            self.value = Arc::new(value);
            self.form.sync_value(&self.value);
        }
        assert_eq!(self.form.value(), &self.value, "what the form shows is what its edits come to");
        self.paint();
        reply
    }

    /// Brings back a text that was edited outside.
    pub fn edited(&mut self, at: &Pointer, text: &str) {
        self.take(FormReply::Edits(vec![Edit::Set { at: at.clone(), to: text.into() }]));
    }

    /// Presses keys by name.
    pub fn keys(&mut self, keys: &str) -> FormReply {
        let mut reply = FormReply::Ignored;
        for key in keys.split_whitespace() {
            reply = self.form.handle_input(&Input::Key(key.parse::<Key>().unwrap()));
            reply = self.take(reply);
        }
        reply
    }

    /// Types letters.
    pub fn types(&mut self, text: &str) {
        for letter in text.chars() {
            let reply = self
                .form
                .handle_input(&Input::Key(Key::plain(toolcrib::app::input::Code::Char(letter))));
            self.take(reply);
        }
    }

    pub fn pastes(&mut self, text: &str) {
        let reply = self.form.handle_input(&Input::Paste(text.into()));
        self.take(reply);
    }

    pub fn acts(&mut self, act: ActionId) -> FormReply {
        let reply = self.form.handle_action(act);
        self.take(reply)
    }

    /// Clicks on the first place where the text stands.
    pub fn clicks(&mut self, text: &str) -> FormReply {
        self.presses(text, Button::Left)
    }

    /// Presses that button on the first place where the text is.
    pub fn presses(&mut self, text: &str, button: Button) -> FormReply {
        let screen = self.screen();
        let (row, line) = screen
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains(text))
            .unwrap_or_else(|| panic!("no {text:?} in\n{screen}"));
        let before = &line[..line.find(text).unwrap()];
        let column =
            toolcrib::ui::canvas::text_width(before) + toolcrib::ui::canvas::text_width(text) - 1;
        self.mouse(MouseKind::Down(button), (column as u16, row as u16))
    }

    pub fn presses_cell(&mut self, cell: (u16, u16)) -> FormReply {
        self.mouse(MouseKind::Down(Button::Left), cell)
    }

    /// Turns the wheel over the first place where the text is; in the form where it is not seen.
    pub fn wheels(&mut self, text: &str, notches: i16) -> FormReply {
        let screen = self.screen();
        let row = screen.lines().position(|line| line.contains(text)).unwrap_or(4);
        self.mouse(MouseKind::Wheel(notches), (30, row as u16))
    }

    fn mouse(&mut self, kind: MouseKind, (column, row): (u16, u16)) -> FormReply {
        self.paint();
        let mouse = Mouse { kind, column, row, mods: Mods::default() };
        let reply = self.form.handle_input(&Input::Mouse(mouse));
        self.take(reply)
    }

    /// Presses on the first place where one text stands, drags to another's, and lets go.
    pub fn drags(&mut self, from: &str, to: &str) {
        let screen = self.screen();
        let place = |text: &str| {
            let (row, line) =
                screen.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
            (toolcrib::ui::canvas::text_width(&line[..line.find(text).unwrap()]) as u16, row as u16)
        };
        let (left, right) = (MouseKind::Down(Button::Left), MouseKind::Drag(Button::Left));
        for (kind, (column, row)) in
            [(left, place(from)), (right, place(to)), (MouseKind::Up(Button::Left), place(to))]
        {
            let reply = self.form.handle_input(&Input::Mouse(Mouse {
                kind,
                column,
                row,
                mods: Mods::default(),
            }));
            self.take(reply);
        }
    }

    pub fn goes(&mut self, at: &str) {
        let reply = self.form.focus_field(&Pointer::parse(at).unwrap());
        self.take(reply);
        assert_eq!(self.form.focused_place().to_string(), at);
    }

    fn paint(&mut self) {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        self.form.draw(&mut Buffer::empty(area), area, &STYLES, true);
    }

    pub fn screen(&mut self) -> String {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        self.form.draw(&mut buffer, area, &STYLES, true);
        let mut text = String::new();
        for y in 0..area.height {
            let mut line = String::new();
            let mut skip = 0;
            for x in 0..area.width {
                let symbol = buffer[(x, y)].symbol();
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                skip = toolcrib::ui::canvas::text_width(symbol).saturating_sub(1);
                line.push_str(symbol);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

fn tool() -> Value {
    json!({
        "type": "object",
        "required": ["name", "type", "description"],
        "properties": {
            "name": {"title": "name", "type": "string", "minLength": 1, "description": "Its name \
            for the model. Every model's API accepts letters, digits, - and _."},
            "type": {"title": "type", "enum": ["knowledge-query", "text-completion", "mcp-tool"], "description": "What answers its calls."},
            "description": {"title": "description", "type": "string", "format": "multiline", "description": "What the model reads to decide when to use it."},
            "group": {"title": "group", "type": "array", "uniqueItems": true, "items": {"type": "string", "minLength": 1, "examples": ["read-only", "knowledge", "basic", "admin"]}},
            "state": {"title": "state", "type": "string", "examples": ["analysis", "research"]},
            "limit": {"title": "limit", "type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "strict": {"title": "strict", "type": "boolean", "default": false},
            "token": {"title": "token", "type": "string", "writeOnly": true},
            "arguments": {"title": "arguments", "type": "array", "items": {"type": "object", "required": ["name", "type"],
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "type": {"enum": ["string", "number"], "default": "string"},
                    "description": {"type": "string"}}}},
            "headers": {"title": "headers", "type": "object", "additionalProperties": {"type": "string"}},
            "extra": {"title": "extra", "type": "object", "properties": {"deep": {"type": "object", "properties": {"x": {"type": "number"}}}}},
        },
    })
}

fn value() -> Value {
    json!({
        "name": "Knowledge Graph Query",
        "type": "knowledge-query",
        "description": "Query the knowledge graph for entities and relationships.\nSecond line: 日本語 and 👩‍👩‍👧 are wide.",
        "group": ["read-only", "knowledge"],
        "state": "analysis",
        "token": "very-secret",
        "arguments": [{"name": "question", "type": "string"}, {"name": "", "type": "text"}],
        "left-over": {"kept": 12345678901234567890_u64},
    })
}

#[test]
fn a_form_at_two_sizes() {
    let mut desk = Desk::new(tool(), value());
    desk.form.set_notes(vec![Note {
        at: Pointer::parse("/state").unwrap(),
        severity: Severity::Warning,
        text: "no tool is available in \"analysis\"".into(),
        fix: Some("remove".into()),
    }]);
    insta::assert_snapshot!("form_80", desk.screen());
    desk = desk.sized(120, 36);
    desk.goes("/arguments/1/type");
    insta::assert_snapshot!("form_120", desk.screen());
    assert!(!desk.screen().contains("very-secret"));
}

#[test]
fn typing_edits_the_value_letter_by_letter() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.keys("enter");
    desk.types("quit");
    assert_eq!(desk.value["name"], "quit", "letters are text, whatever else they mean");
    desk.keys("backspace backspace");
    assert_eq!(desk.value["name"], "qu");
    desk.keys("backspace backspace");
    assert_eq!(desk.value["name"], "", "empty is not unset");
    desk.keys("backspace");
    assert_eq!(*desk.value, json!({}), "one more takes the text away");
    desk.types("a");
    desk.keys("esc");
    assert!(!desk.form.is_typing());
    assert_eq!(desk.value["name"], "a", "Esc keeps what was typed");
    assert_eq!(desk.form.handle_input(&Input::Key("q".parse().unwrap())), FormReply::Ignored);
}

#[test]
fn many_lines_are_edited_in_a_box() {
    let mut desk = Desk::new(tool(), json!({"description": "one"}));
    desk.goes("/description");
    desk.keys("enter enter");
    desk.types("two");
    assert_eq!(desk.value["description"], "one\ntwo");
    desk.keys("up home");
    desk.types("the ");
    desk.keys("esc");
    assert!(!desk.form.is_typing(), "Esc ends the typing with the box");
    desk.keys("down");
    assert_eq!(desk.form.focused_place().to_string(), "/group");
    assert_eq!(desk.value["description"], "the one\ntwo");
}

#[test]
fn numbers_are_drafts_until_they_are_numbers() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.goes("/limit");
    desk.keys("enter");
    desk.types("-");
    assert_eq!(*desk.value, json!({}));
    assert!(desk.screen().contains("✗ is not a whole number"));
    desk.keys("tab shift+tab");
    assert!(desk.screen().contains('-'), "a draft stays when the field is left");
    desk.keys("backspace");
    desk.types("500");
    assert_eq!(desk.value["limit"], 500);
    assert!(desk.screen().contains("✗ is more than 100"));
    desk.keys("ctrl+down ctrl+down");
    assert_eq!(desk.value["limit"], 498, "steps go towards the bounds");
    desk.keys("end backspace backspace backspace");
    assert_eq!(desk.value["limit"], 4, "another one may be typed in its place");
    desk.keys("esc");
    assert_eq!(*desk.value, json!({}), "no text, no number");
    assert!(desk.screen().contains("10 · default"));
}

#[test]
fn numbers_keep_every_digit_and_their_spelling() {
    let mut desk = Desk::new(
        json!({"properties": {"big": {"type": "integer"}, "price": {"type": "number"}}}),
        json!({}),
    );
    desk.keys("enter");
    for letter in "12345678901234567890123".chars() {
        desk.types(&letter.to_string());
    }
    assert!(desk.screen().contains("12345678901234567890123"));
    desk.keys("tab");
    let mut last = FormReply::Ignored;
    for letter in ["1", ".", "5", "0"] {
        last = desk.keys(letter);
    }
    let FormReply::Edits(edits) = last else { panic!("typing a number edits") };
    let toolcrib::syntax::edit::Edit::Set { to, .. } = &edits[0] else {
        panic!("typing a number sets it")
    };
    assert_eq!(to.source_text(), Some("1.50"));
    assert!(
        desk.screen().contains("12345678901234567890123"),
        "and it is still shown when the focus is elsewhere"
    );
}

#[test]
fn a_toggle_has_three_ways() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.goes("/strict");
    desk.keys("space");
    assert_eq!(desk.value["strict"], true);
    desk.keys("space");
    assert_eq!(desk.value["strict"], false);
    desk.keys("space");
    assert_eq!(*desk.value, json!({}));
    desk.clicks("strict");
    for (words, value) in [
        ("( ) true", json!({"strict": true})),
        ("( ) false", json!({"strict": false})),
        ("( ) unset", json!({})),
    ] {
        desk.clicks(words);
        assert_eq!(*desk.value, value);
    }
}

#[test]
fn a_choice_is_chosen_by_key_and_by_mouse() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.goes("/type");
    desk.keys("enter down down enter");
    assert_eq!(desk.value["type"], "mcp-tool");
    desk.keys("left");
    assert_eq!(desk.value["type"], "text-completion");
    desk.clicks("text-completion");
    desk.clicks("  knowledge-query");
    assert_eq!(desk.value["type"], "knowledge-query");
    desk.goes("/state");
    desk.keys("enter");
    desk.types("own state");
    assert_eq!(desk.value["state"], "own state", "any text beside the suggestions");
}

#[test]
fn many_options_are_filtered() {
    let options: Vec<String> = (0..134).map(|number| format!("model-{number}")).collect();
    let mut desk = Desk::new(json!({"properties": {"model": {"enum": options}}}), json!({}));
    desk.keys("enter");
    desk.types("l-77");
    desk.keys("enter");
    assert_eq!(desk.value["model"], "model-77");
}

#[test]
fn chips_come_and_go() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.goes("/group");
    desk.keys("enter");
    if desk.form.is_typing() {
        desk.types("mine");
        desk.keys("enter");
    }
    desk.types("yours,");
    assert_eq!(desk.value["group"], json!(["mine", "yours"]));
    desk.types("adm");
    assert_eq!(
        desk.value["group"],
        json!(["mine", "yours", "adm"]),
        "a chip is there letter by letter"
    );
    desk.keys("enter");
    assert_eq!(
        desk.value["group"],
        json!(["mine", "yours", "adm"]),
        "the typed text wins while the list is not used"
    );
    desk.keys("left backspace end");
    desk.types("d");
    desk.keys("down enter");
    assert_eq!(desk.value["group"], json!(["mine", "yours", "knowledge"]));
    desk.keys("left backspace");
    assert_eq!(desk.value["group"], json!(["mine", "yours"]));
    desk.keys("shift+left");
    assert_eq!(desk.value["group"], json!(["yours", "mine"]));
    desk.clicks("[yours ×");
    desk.keys("end");
    desk.clicks(" ×");
    desk.types("left behind");
    desk.keys("tab");
    assert!(
        desk.value["group"].as_array().unwrap().contains(&json!("left behind")),
        "leaving keeps what was typed"
    );
}

#[test]
fn items_are_added_moved_copied_and_removed() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.goes("/arguments");
    desk.acts("add-item");
    assert_eq!(
        desk.value["arguments"],
        json!([{"type": "string"}]),
        "required defaults are there from the start"
    );
    assert_eq!(desk.form.focused_place().to_string(), "/arguments/0/name");
    desk.types("first");
    desk.goes("/arguments/0");
    desk.acts("duplicate-item");
    desk.goes("/arguments/1/name");
    desk.keys("end backspace");
    desk.types("!");
    desk.goes("/arguments/1");
    desk.acts("move-up");
    assert_eq!(desk.value["arguments"][0]["name"], "firs!");
    assert_eq!(
        desk.form.focused_place().to_string(),
        "/arguments/0",
        "the focus goes with the item"
    );
    assert!(matches!(desk.acts("move-up"), FormReply::Refused(_)));
    desk.clicks("↓");
    assert_eq!(desk.value["arguments"][1]["name"], "firs!");
    desk.acts("remove-value");
    assert_eq!(desk.value["arguments"], json!([{"type": "string", "name": "first"}]));
    desk.clicks("+ add item");
    assert_eq!(desk.value["arguments"].as_array().unwrap().len(), 2);
}

#[test]
fn entries_of_a_map_are_added_and_renamed() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.goes("/headers");
    desk.acts("add-item");
    desk.types("X-One");
    desk.keys("enter");
    desk.types("1");
    assert_eq!(desk.value["headers"], json!({"X-One": "1"}));
    desk.acts("rename-member");
    desk.keys("ctrl+u");
    desk.types("X-Two");
    desk.keys("enter");
    assert_eq!(desk.value["headers"], json!({"X-Two": "1"}));
    desk.goes("/headers");
    desk.acts("add-item");
    desk.types("X-Two");
    assert!(matches!(desk.keys("enter"), FormReply::Refused(_)));
}

#[test]
fn what_is_deep_and_unset_is_made_on_the_way() {
    let mut desk = Desk::new(tool(), json!({"name": "x"}));
    desk.goes("/extra/deep/x");
    assert_eq!(*desk.value, json!({"name": "x"}), "looking makes nothing");
    desk.keys("enter");
    desk.types("1");
    assert_eq!(*desk.value, json!({"name": "x", "extra": {"deep": {"x": 1}}}));
}

#[test]
fn any_field_can_be_edited_as_json() {
    let mut desk = Desk::new(tool(), json!({"extra": {}}));
    desk.goes("/extra");
    desk.acts("edit-json");
    desk.keys("ctrl+a backspace");
    desk.types("{\"deep\": ");
    assert!(desk.screen().contains("is not JSON"), "{}", desk.screen());
    desk.types("{\"x\": 1}}");
    desk.keys("esc");
    assert_eq!(desk.value["extra"], json!({"deep": {"x": 1}}));
}

#[test]
fn a_branch_of_a_union_keeps_what_was_typed() {
    let branch = |kind: &str, member: &str| {
        json!({"title": kind, "type": "object", "required": ["kind", member],
            "properties": {"kind": {"const": kind}, member: {"type": "number"}, "color": {"type": "string"}}})
    };
    let schema = json!({"properties": {"shape": {"oneOf": [branch("circle", "r"), branch("square", "side")]}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.keys("enter enter");
    assert_eq!(desk.value["shape"], json!({"kind": "circle"}));
    assert_eq!(desk.form.focused_place().to_string(), "/shape/r");
    desk.types("3");
    desk.goes("/shape/color");
    desk.types("red");
    // The sign at the end of the row lists the kinds; a press on its words would fold it.
    let lists_kinds = |desk: &mut Desk, shown: &str| {
        let screen = desk.screen();
        let (row, line) =
            screen.lines().enumerate().find(|(_, line)| line.contains(shown)).unwrap();
        let column = toolcrib::ui::canvas::text_width(&line[..line.rfind('▾').unwrap()]);
        desk.presses_cell((column as u16, row as u16));
    };
    lists_kinds(&mut desk, "circle");
    desk.clicks("  square");
    assert_eq!(
        desk.value["shape"],
        json!({"kind": "square", "color": "red"}),
        "what both share goes along"
    );
    lists_kinds(&mut desk, "square");
    desk.clicks("  circle");
    assert_eq!(desk.value["shape"], json!({"kind": "circle", "r": 3, "color": "red"}));
}

#[test]
fn an_invalid_schema_opens_as_json_with_its_finding() {
    let mut desk = Desk::new(json!({"properties": {"a": {"type": "strin"}}}), json!({"a": 1}));
    let screen = desk.screen();
    assert!(screen.contains("the schema is not valid at \"/properties/a/type\""), "{screen}");
    desk.goes("/a");
}

#[test]
fn secrets_and_control_characters_never_reach_the_screen() {
    let mut desk = Desk::new(
        tool(),
        json!({"token": "hunter2", "name": "a\u{1b}[31mred", "description": "b\u{1b}[0m\nc"}),
    );
    for at in ["/token", "/name", "/description"] {
        desk.goes(at);
        desk.keys("enter");
        let screen = desk.screen();
        assert!(!screen.contains("hunter2") && !screen.contains('\u{1b}'), "{screen}");
    }
}

#[test]
fn typing_into_the_first_place_of_a_tuple_stays_there() {
    let tuple = json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": false});
    let mut desk = Desk::new(json!({"type": "object", "properties": {"spot": tuple}}), json!({}));
    desk.goes("/spot");
    desk.keys("right");
    desk.goes("/spot/0");
    desk.keys("enter");
    desk.types("-8.50");
    desk.keys("tab");
    desk.types("7");
    assert_eq!(*desk.value, json!({"spot": [-8.5, 7]}));
    assert!(desk.screen().contains("-8.50"), "{}", desk.screen());
}

#[test]
fn the_name_of_an_entry_is_not_lost_when_the_focus_goes() {
    let schema = json!({"type": "object", "properties": {"headers": {"type": "object", "additionalProperties": {"type": "string"}}, "last": {}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/headers");
    desk.acts("add-item");
    desk.types("accept");
    desk.clicks("last");
    assert_eq!(*desk.value, json!({"headers": {"accept": ""}}));
    assert_eq!(desk.form.focused_place().to_string(), "/last");
}

#[test]
fn a_long_form_scrolls_and_shows_where_one_is() {
    let properties: serde_json::Map<String, Value> =
        (0..300).map(|number| (format!("field {number}"), json!({"type": "string"}))).collect();
    let mut desk = Desk::new(json!({"properties": properties}), json!({}));
    assert_eq!(desk.form.position_text().as_deref(), Some("field 1 of 300"));
    desk.keys("end");
    assert!(desk.screen().contains("field 299"));
    assert_eq!(desk.form.position_text().as_deref(), Some("field 300 of 300"));
    let wheel = Mouse { kind: MouseKind::Wheel(-100), column: 3, row: 3, mods: Mods::default() };
    desk.form.handle_input(&Input::Mouse(wheel));
    assert!(desk.screen().contains("field 0"));
    // The bar is pressed and dragged, and what is beside it isn't touched.
    let screen = desk.screen();
    let column = screen.lines().map(toolcrib::ui::canvas::text_width).max().unwrap() as u16 - 1;
    let bottom = screen.lines().count() as u16 - 1;
    let left = Button::Left;
    for (kind, row, shown) in [
        (MouseKind::Down(left), bottom, "field 299"),
        (MouseKind::Drag(left), 0, "field 0"),
        (MouseKind::Drag(left), bottom / 2, "field 150"),
    ] {
        let mouse = Mouse { kind, column, row, mods: Mods::default() };
        desk.form.handle_input(&Input::Mouse(mouse));
        assert!(desk.screen().contains(shown), "{shown}:\n{}", desk.screen());
        assert_eq!(desk.form.position_text().as_deref(), Some("field 300 of 300"));
    }
}

#[test]
fn the_right_button_turns_to_what_is_under_it() {
    let schema = json!({"type": "object", "properties": {"one": {"type": "string"}, "two": {"type": "boolean"}}});
    let mut desk = Desk::new(schema, json!({"one": "a", "two": false}));
    desk.goes("/one");
    desk.presses("two", Button::Right);
    assert_eq!(desk.form.focused_place().to_string(), "/two");
    assert_eq!(*desk.value, json!({"one": "a", "two": false}), "nothing is changed by it");
}

#[test]
fn pasted_text_goes_where_one_types() {
    let mut desk = Desk::new(tool(), json!({}));
    desk.keys("enter");
    desk.pastes("two\nlines");
    assert_eq!(desk.value["name"], "two\nlines", "a line grows to a box");
    desk.goes("/description");
    desk.pastes("two\r\nlines");
    assert_eq!(desk.value["description"], "two\nlines");
    desk.goes("/group");
    desk.pastes("a, b\nc");
    assert_eq!(desk.value["group"], json!(["a", "b", "c"]));
    desk.goes("/limit");
    desk.pastes(" 7 ");
    assert_eq!(desk.value["limit"], 7);
}

/// A schema with a value that fits it.
fn schema_and_value() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        any::<String>().prop_map(|text| (json!({"type": "string"}), json!(text))),
        "[a-z\n ]{0,300}"
            .prop_map(|text| (json!({"type": "string", "format": "multiline"}), json!(text))),
        any::<i64>().prop_map(|number| (json!({"type": "integer"}), json!(number))),
        any::<u64>().prop_map(|number| (json!({"type": "integer", "minimum": 0}), json!(number))),
        (-1e6..1e6_f64).prop_map(|number| (json!({"type": "number"}), json!(number))),
        any::<bool>().prop_map(|flag| (json!({"type": "boolean", "default": true}), json!(flag))),
        (0..12_usize).prop_map(|at| (json!({"enum": (0..12).collect::<Vec<_>>()}), json!(at))),
        prop::collection::vec("[a-z]{0,8}", 0..4).prop_map(|chips| (
            json!({"type": "array", "items": {"type": "string"}}),
            json!(chips)
        )),
        any::<bool>().prop_map(|set| (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            if set { json!("x") } else { Value::Null }
        )),
        Just((json!({}), json!({"any": [1, "two", null, {"three": true}]}))),
        Just((json!({"const": "fixed"}), json!("fixed"))),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let members =
            prop::collection::vec(("[a-z/~0-9]{1,6}", inner.clone(), any::<bool>()), 0..5);
        let object = members.prop_map(|members| {
            let mut properties = serde_json::Map::new();
            let mut value = serde_json::Map::new();
            for (name, (schema, member), set) in members {
                properties.insert(name.clone(), schema);
                value.remove(&name);
                if set {
                    value.insert(name, member);
                }
            }
            value.insert("left over".into(), json!({"kept": [1]}));
            (json!({"type": "object", "properties": properties}), Value::Object(value))
        });
        let list = (inner.clone(), 0..3_usize).prop_map(|((schema, item), count)| {
            (json!({"type": "array", "items": schema}), Value::Array(vec![item; count]))
        });
        let map = inner.clone().prop_map(|(schema, member)| {
            (json!({"type": "object", "additionalProperties": schema}), json!({"k": member}))
        });
        let union = (inner.clone(), inner).prop_map(|((one, value), (other, _))| {
            (
                json!({"oneOf": [{"type": "object", "properties": {"t": one}}, other]}),
                json!({"t": value}),
            )
        });
        prop_oneof![object, list, map, union]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn looking_at_everything_changes_nothing((schema, value) in schema_and_value(), steps in prop::collection::vec(0..5_u8, 60)) {
        let mut desk = Desk::new(schema, value.clone());
        for step in steps {
            let at = desk.form.focused_place().clone();
            let fold = desk.form.fields().iter().any(|field| field.pointer == at && field.fold_state() == Some(false));
            match step {
                0 if fold => drop(desk.keys("right")),
                1 => drop(desk.keys("shift+tab")),
                2 => drop(desk.keys("pagedown")),
                3 => drop(desk.keys("esc esc")),
                _ => drop(desk.keys("tab")),
            }
        }
        prop_assert_eq!(&*desk.value, &value);
    }

    #[test]
    fn any_text_typed_is_the_text_of_the_field(text in "[^\u{0}-\u{1f}\u{7f}-\u{9f}]{1,20}") {
        let mut desk = Desk::new(json!({"properties": {"a": {"type": "string"}, "b": {"type": "string", "format": "multiline"}}}), json!({}));
        desk.keys("enter");
        desk.types(&text);
        prop_assert_eq!(desk.value["a"].as_str(), Some(text.as_str()));
        desk.keys("tab");
        desk.types(&text);
        prop_assert_eq!(desk.value["b"].as_str(), Some(text.as_str()));
    }

    #[test]
    fn any_keys_leave_a_form_that_can_be_drawn((schema, value) in schema_and_value(), keys in prop::collection::vec(0..22_usize, 80)) {
        const KEYS: [&str; 22] = ["tab", "shift+tab", "enter", "esc", "space", "left", "right", "up", "down", "backspace", "delete",
            "a", "1", ",", "\"", "home", "end", "pagedown", "ctrl+up", "alt+down", "shift+left", "ctrl+a"];
        let mut desk = Desk::new(schema, value).sized(40, 12);
        for (step, key) in keys.into_iter().enumerate() {
            desk.keys(KEYS[key]);
            let acts = ["add-item", "remove-value", "move-down", "duplicate-item", "set-null", "edit-json", "rename-member", "next-issue"];
            if step % 5 == 4 {
                desk.acts(acts[(step / 5 + key) % acts.len()]);
            }
        }
    }
}

#[test]
fn a_schema_that_follows_the_value_does_not_interrupt_typing() {
    let schema = |names: &[&str]| {
        json!({"properties": {"group": {"type": "array", "items": {"type": "string", "examples": names}},
            "state": {"type": "string", "examples": names}}})
    };
    let mut desk = Desk::new(schema(&["one"]), json!({"group": ["one"]}));
    for at in ["/group", "/state"] {
        desk.goes(at);
        desk.keys("esc enter");
        for letter in ["n", "e", "w"] {
            desk.types(letter);
            let names = desk.value.to_string();
            desk.form.set_schema(&Arc::new(schema(&["one", &names])));
        }
    }
    assert_eq!(*desk.value, json!({"group": ["one", "new"], "state": "new"}));
}

#[test]
fn a_member_that_the_schema_does_not_name_can_be_added_anywhere() {
    let mut desk = Desk::new(
        json!({"properties": {"n": {"type": "number"}, "o": {"type": "object", "properties": {"p": {}}}}}),
        json!({"n": 0}),
    );
    desk.goes("/n");
    assert_eq!(desk.acts("add-member"), FormReply::Handled);
    desk.types("extra");
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"n": 0, "extra": ""}));
    desk.goes("/o");
    desk.acts("add-item");
    desk.types("q");
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"n": 0, "extra": "", "o": {"q": ""}}));
    let mut desk = Desk::new(
        json!({"properties": {"n": {"type": "number"}}, "additionalProperties": false}),
        json!({}),
    );
    assert!(matches!(desk.acts("add-member"), FormReply::Refused(_)));
}
