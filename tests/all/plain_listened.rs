//! Plain mode for who listens to it: short arrivals, one word for each thing, nothing said by a sign
//! alone, nothing said twice.

use crate::{
    plain::{assert_in_order, demo, run},
    support::{place::Place, terminal::toolcrib},
};

/// A session in plain mode over a pipe, in the demo's files.
fn said(script: &[&str]) -> String {
    run(&demo(), &[".", "--plain"], script).data
}

#[test]
fn a_tool_that_is_selected_on_one_screen_is_what_another_acts_on() {
    let data = said(&["select tell-joke", "workflow", "live", "tools", "workflow", "step", "quit"]);
    assert_in_order(
        &data,
        &["Workflow · tell-joke>", "tell-joke needs topic", "tell-joke succeeded, simulated"],
    );
    assert!(!data.contains("Calling query-customers"), "{data}");
}

#[test]
fn a_step_says_which_tools_came_and_went_and_which_reason_is_another() {
    let data = said(&["workflow", "step query-customers", "step calculator", "quit"]);
    let (first, second) = data.split_once("query-customers succeeded, simulated").unwrap();
    let came = "Available tools: 3. New here: calculator. Still available: query-customers, \
        tell-joke.";
    assert_in_order(first, &["State: findings", came, "Run: starts"]);
    assert!(!first.contains("Hidden tools: 1"), "a heading without a line:\n{first}");
    assert_in_order(
        second,
        &[
            "Available tools: 2. No longer available: query-customers. Still available: ",
            "Hidden tools: 2",
            "query-customers: state: available in undefined, findings, not in figures",
            "query-products: group: in products, requested read-only; state: ",
            "To make it available: request products, then call tell-joke",
        ],
    );
}

#[test]
fn a_screen_is_summed_up_on_arrival_and_its_parts_are_shown_by_name() {
    let script = ["workflow", "show hidden", "show arrows", "show calculator", "list", "quit"];
    let data = said(&script);
    let (arrival, rest) = data.split_once("Type show for all of it").unwrap();
    let summary = [
        "Groups requested: 1 of 5: read-only",
        "State: undefined",
        "Available tools: 2",
        "  query-customers, next state findings",
        "Hidden tools: 2",
        "Run: 0 steps",
    ];
    assert_in_order(arrival, &summary);
    assert!(!arrival.contains("To make it available"), "{arrival}");
    let parts = [
        "Hidden tools: 2. Type apply TOOL",
        "To make it available: call query-customers first",
        "Arrows, with the tools",
        "About calculator",
        "Tools: 4",
        "3. calculator: tool, hidden",
    ];
    assert_in_order(rest, &parts);
}

/// A folder with so many tools.
fn place_with_tools(count: usize) -> Place {
    let tool = |number: usize| {
        format!("  tool-{number:03}: {{type: text-completion, name: t{number}, description: d}}\n")
    };
    let text = format!("tool:\n{}", (0..count).map(tool).collect::<String>());
    Place::with(&[("tools.yaml", &text)])
}

#[test]
fn a_long_list_comes_in_pieces_where_somebody_types() {
    let place = place_with_tools(90);
    let ran = run(&place, &[".", "--plain"], &["list", "2", "quit"]);
    assert_in_order(&ran.data, &["90. tool-089", "Available tools: 90", "78 more. Type: show"]);
    assert!(!ran.data.contains("Type: more"), "a script gets all:\n{}", ran.data);
    let setup = toolcrib([place.here.as_os_str()]).variable("TOOLCRIB_PLAIN", "1");
    let mut terminal = setup.start();
    terminal.wait_for("Tools · tool-000>");
    terminal.type_text("list\r");
    terminal.wait_for("70 more lines. Type: more, or more all");
    terminal.type_text("more\r");
    terminal.wait_for("40. tool-039");
    terminal.wait_for("50 more lines.");
    terminal.type_text("more all\r");
    terminal.wait_for("90. tool-089");
    terminal.press(["ctrl+c"]);
    terminal.wait_end();
}

#[test]
fn a_form_is_named_by_its_file_alone() {
    let place = Place::with(&[("sub/schema.json", r#"{"type": "object"}"#)]);
    let script = ["done"];
    let arguments = ["form", "sub/schema.json", "-o", "sub/doc.json", "--plain"];
    let ran = run(&place, &arguments, &script);
    assert_in_order(&ran.data, &["schema.json, which goes to doc.json.", "Form · schema.json>"]);
    let (asked, _) = ran.data.split_once("schema.json>").unwrap();
    assert!(!asked.contains("sub/"), "{asked}");
}

#[test]
fn an_interrupt_says_what_becomes_of_unsaved_work() {
    let place = demo();
    let plain = || toolcrib([place.here.as_os_str()]).variable("TOOLCRIB_PLAIN", "1");
    let mut terminal = plain().start();
    terminal.wait_for("Tools · query-customers>");
    terminal.press(["ctrl+c"]);
    terminal.wait_for("Ended. Nothing is unsaved.");
    assert!(terminal.wait_end().success());
    let plain = || plain().home(place.home.path());
    let mut terminal = plain().start();
    terminal.wait_for("Tools · query-customers>");
    terminal.type_text("select calculator\r");
    terminal.wait_for("calculator>");
    terminal.type_text("set description Sums\r");
    terminal.wait_for("now \"Sums\"");
    terminal.press(["ctrl+c"]);
    terminal.wait_for("save all and quit");
    terminal.press(["ctrl+c"]);
    terminal.wait_for("Ended. Unsaved changes in tools.yaml are kept and offered");
    terminal.wait_end();
    // Where cancel restores, an interrupt does.
    let mut terminal = plain().start();
    terminal.wait_for("Here cancel means restore");
    terminal.press(["ctrl+c"]);
    terminal.wait_for("restored unsaved work in tools.yaml");
    terminal.press(["ctrl+c"]);
    terminal.wait_for("save all and quit");
    terminal.type_text("quit without saving\r");
    terminal.wait_end();
}

#[test]
fn the_end_of_a_call_is_said_once_and_its_answer_alone_where_asked() {
    let call = [
        "invoke tell-joke",
        "set topic tea",
        "mock",
        "set answer text",
        "set text one two three four",
    ];
    let timed = [&call[..], &["set chunks 2", "send", "quit", "quit without saving"]].concat();
    let data = said(&timed);
    let sent = &data[data.find("Calling tell-joke").unwrap()..];
    assert_in_order(sent, &["ms chunk 1: one two", "ms ended: tell-joke succeeded, 2 chunks"]);
    assert!(!sent.contains("succeeded after"), "{sent}");
    let untimed = [&["times off"][..], &timed].concat();
    let data = said(&untimed);
    let sent = &data[data.find("Calling tell-joke").unwrap()..];
    assert_in_order(sent, &["\none two three four\n", "ended: tell-joke succeeded, 2 chunks"]);
    assert!(!sent.contains("chunk 1") && !sent.contains("request sent"), "{sent}");
    // What an id is only says who asks.
    let data = said(&["invoke tell-joke", "set topic tea", "send", "show", "quit"]);
    let (live, shown) = data.split_once("ended: tell-joke succeeded").unwrap();
    let live = &live[live.find("Calling tell-joke").unwrap()..];
    assert!(!live.contains("headers") && shown.contains("ms headers"), "{data}");
}

#[test]
fn entries_of_one_name_are_told_apart_when_they_are_selected() {
    let data = said(&["select calculator", "select 6", "show", "quit"]);
    assert_in_order(
        &data,
        &[
            "calculator: tool, hidden, next state figures",
            "Tools · calculator>",
            "calculator: service",
            "Tools · calculator, service>",
            "calculator: service in services.yaml",
            "Tools that use it: calculator",
        ],
    );
}

#[test]
fn help_finds_what_is_on_other_screens() {
    let data = said(&["help keep as", "help compare", "help scenario", "quit"]);
    assert_in_order(
        &data,
        &["On Invoke, History or Model run: keep as case", "On History: compare", "On Workflow: "],
    );
    assert!(!data.contains("No command has"), "{data}");
}

#[test]
fn the_selected_call_of_history_is_in_the_prompt_and_in_what_is_marked() {
    let place = demo();
    place.run(&["call", "tell-joke", "topic=tea", "--mock=echo"]).ended(0, &[]);
    let data = run(&place, &[".", "--plain"], &["history", "mark", "list", "quit"]).data;
    assert_in_order(&data, &["History · tell-joke ", "1 call is marked: tell-joke ", "marked"]);
    // At twenty o'clock, too.
    let time = data.split("1. tell-joke: ").nth(1).unwrap();
    assert_eq!(time.get(2..3), Some(":"), "a time of today is without its date:\n{data}");
}

#[test]
fn a_form_says_where_it_begins_and_which_kinds_it_takes() {
    let schema = r#"{"type": "object", "properties": {
        "word": {"type": "string"},
        "size": {"enum": ["small", "large"], "enumNames": ["S", "large"]},
        "mode": {"oneOf": [
            {"title": "fast", "type": "object", "properties": {"limit": {"type": "integer"}}},
            {"title": "slow", "type": "object", "properties": {"pause": {"type": "integer"}}}
        ]}
    }}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let script = ["set size", "form", "back", "a", "small", "b", "slow", "done", "done"];
    let ran = run(&place, &["form", "schema.json", "-o", "doc.json", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "size: one of small (S), large",
            "Type the value after it: set size VALUE",
            "This is the first field.",
            "Not done. b is none of the kinds. Type its number.",
        ],
    );
    assert!(!ran.data.contains("now \"b\""), "{}", ran.data);
}

#[test]
fn keys_that_are_no_text_are_named_and_names_that_begin_so_are_given() {
    let data = said(&["\u{1b}[A", "invoke tell-joke", "sen", "quit"]);
    assert_in_order(&data, &["Ignored: this line has control characters", "rlwrap", "send-"]);
    assert!(!data.contains("There is no command"), "{data}");
    assert!(!data.contains("n times"), "{data}");
}

#[test]
fn a_key_that_is_no_file_name_elsewhere_is_warned_about() {
    let place = Place::with(&[]);
    let script = ["new tool", "tool-service", "=what?", "rename", "why*", "1", "save all", "quit"];
    let data = run(&place, &[".", "--plain"], &script).data;
    assert_in_order(
        &data,
        &[
            "Warning: what?.json: Windows can't have a file name with ?",
            "Warning: why*.json: Windows can't have a file name with *",
        ],
    );
    let data = said(&["duplicate tell-joke", "what?", "undo", "quit"]);
    assert!(!data.contains("Windows"), "a key of a map names no file:\n{data}");
}

#[test]
fn what_is_not_saved_is_marked_in_the_list() {
    let data = said(&["select calculator", "set description Sums", "list", "undo", "list", "quit"]);
    let (changed, undone) = data.split_once("Undid").unwrap();
    assert!(changed.contains("3. calculator: tool, hidden, next state figures, changed"), "{data}");
    assert!(
        !changed.contains("tell-joke: tool, available, next state undefined, changed"),
        "{data}"
    );
    assert!(!undone.contains(", changed"), "{data}");
}

#[test]
fn a_problem_has_its_field_and_its_fix_and_a_refusal_is_said_once() {
    let script = ["select tell-joke", "set service nope", "problems", "fix", "problems", "undo"];
    let more = ["workflow", "auto-run", "cancel", "quit", "quit without saving"];
    let data = said(&[&script[..], &more].concat());
    assert_in_order(
        &data,
        &[
            "Problems: ",
            "service: there is no service \"nope\"",
            "Fix: make the service \"nope\"",
            "3. to a stop: unavailable: no stop condition is set",
        ],
    );
    assert_eq!(data.matches("no stop condition is set").count(), 1, "{data}");
}
