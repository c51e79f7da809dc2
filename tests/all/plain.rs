//! Plain mode: the real program over a pipe, lines in and lines out, and in a terminal.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::Stdio,
};

use crate::support::{
    place::{Place, Ran},
    serving::Serving,
    terminal::toolcrib,
};

/// The demo's files, with services that answer in the program.
pub(crate) fn demo() -> Place {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/demo");
    let text = |name: &str| fs::read_to_string(sample.join(name)).unwrap();
    let names = ["tools.yaml", "services.yaml", "toolcrib.toml"];
    let files: Vec<(&str, String)> = names.iter().map(|name| (*name, text(name))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    Place::with(&files)
}

/// What the program prints when it gets these lines.
pub(crate) fn run(place: &Place, arguments: &[&str], lines: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut text = lines.join("\n");
    text.push('\n');
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

/// Fails with all that was printed where the texts do not come in this order.
pub(crate) fn assert_in_order(printed: &str, wanted: &[&str]) {
    let mut from = 0;
    for text in wanted {
        match printed[from..].find(text) {
            Some(at) => from += at + text.len(),
            None => panic!("{text:?} does not come after the others in:\n{printed}"),
        }
    }
}

#[test]
fn a_tool_is_designed_and_saved_with_errors_at_its_fields() {
    let place = demo();
    let script = [
        "new",
        "tool-service",
        "adder",
        "set type nothing",
        "form errors",
        "set description Adds two numbers",
        "set service calculator",
        "set group read-only, compute",
        "add arguments",
        "set arguments.0.name expression",
        "set arguments.0.description",
        "The expression,",
        "on two lines",
        ".",
        "form errors",
        "save",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert_in_order(
        &ran.data,
        &[
            "Tools · adder>",
            "nothing is none of tool-service",
            "service: must not be empty",
            "service: one of calculator, custom-rag, joke-service, or another text, required, now \"calculator\"",
            "The form has no errors.",
            "Saved tools.yaml",
        ],
    );
    assert!(!ran.data.contains('\u{1b}'), "plain mode sends no codes to a terminal");
    let saved = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    let entry = &saved[saved.find("  adder:").unwrap()..];
    for line in ["service: \"calculator\"", "name: expression", "on two lines"] {
        assert!(entry.contains(line), "{line} is not in\n{entry}");
    }
}

#[test]
fn a_form_asks_field_by_field() {
    let place = demo();
    let script =
        ["form tell-joke", "", "nothing", "?", "back", "", "done", "file", "undo", "quit", "2"];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert_in_order(
        &ran.data,
        &["1. name: text, required", "name>", "2. type:", "type>", "nothing is none of", "type>"],
    );
    assert_in_order(&ran.data, &["You left the form; what you entered is kept.", "tools.yaml"]);
}

#[test]
fn a_workflow_is_stepped_through_simulated_and_live() {
    let place = demo();
    let script = [
        "workflow",
        "show",
        "why calculator",
        "group tick products",
        "step query-customers",
        "live tell-joke",
        "back",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "products: 1 tool, not requested",
            "Available tools: 2",
            "calculator: state: available in findings, figures, not in undefined",
            "To make it available: call query-customers first",
            "Hidden here",
            "products: 1 tool, requested",
            "State: findings",
            "1. query-customers succeeded, simulated: undefined to findings (here)",
        ],
    );
    assert!(ran.data.contains("tell-joke needs topic"), "{}", ran.data);
}

#[test]
fn an_arrow_is_drawn_by_naming_its_ends_and_its_tool() {
    let place = demo();
    let script = [
        "workflow",
        "show",
        "draw findings",
        "figures",
        "query-products",
        "1",
        "edit figures",
        "draw arrow",
        "a new state",
        "report",
        "tell-joke",
        "cancel",
        "save all",
        "show",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert_in_order(
        &ran.data,
        &[
            "Arrows, with the tools that they are:",
            "undefined to findings: query-customers, query-products",
            "any state to undefined: tell-joke",
            "Draw an arrow from findings to",
            "findings to figures with",
            "query-products has only one next state",
            "2 or no to cancel",
            "State figures",
            "draw arrow: Draw an arrow from this state: choose where it leads, then the tool",
            "Draw an arrow from figures to",
            "The name of the new state that the arrow from figures leads to.",
            "figures to report with",
            "Saved tools.yaml",
            "findings to figures: query-products",
        ],
    );
    assert!(!ran.data.contains("only changes the drawing"), "{}", ran.data);
    assert!(!ran.data.contains("matrix"), "what is only drawn is not offered: {}", ran.data);
    let saved = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    let entry =
        &saved[saved.find("  query-products:").unwrap()..saved.find("  calculator:").unwrap()];
    assert!(entry.contains("state: figures"), "{entry}");
}

#[test]
fn help_is_given_where_a_question_is_open() {
    let ran = run(&Place::with(&[]), &[".", "--plain"], &["help", "?", "cancel", "help", "quit"]);
    let asked =
        ["Welcome to toolcrib", "A question is open.", "open a sample", "A question is open."];
    assert_in_order(&ran.data, &asked);
    assert_in_order(&ran.data, &["A question is open.", "Screens, by name or number"]);
}

#[test]
fn a_workflow_sample_opens_with_groups_and_without_warnings() {
    let script = ["open a workflow sample", "show", "problems", "quit"];
    let ran = run(&Place::with(&[]), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "read-only: 3 tools, requested",
            "Available tools: 2",
            "calculator",
            "No problem was found.",
        ],
    );
}

#[test]
fn a_call_is_watched_stopped_run_again_and_kept_as_a_case() {
    let place = demo();
    let script = [
        "invoke tell-joke",
        "set topic programming",
        "mock",
        "set answer text",
        "set text one two three four five six",
        "set chunks 3",
        "set pause 5m",
        "send",
        "wait 1",
        "stop",
        "unset pause",
        "send",
        "keep as case",
        "jokes",
        "ok",
        "history",
        "select 1",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert_in_order(
        &ran.data,
        &[
            "Calling tell-joke (mocked).",
            "chunk 1: one two",
            "ended: tell-joke cancelled, 1 chunk",
            "chunk 2: three",
            "chunk 3: four five six",
            "ended: tell-joke succeeded, 3 chunks",
            "outcome: succeeded; ticked",
            "Saved cases/jokes.yaml",
            "Kept calls: 2",
            "Call of tell-joke (mocked)",
        ],
    );
    let case = fs::read_to_string(place.here.join("cases/jokes.yaml")).unwrap();
    assert!(case.contains("call: tell-joke") && case.contains("succeeded"), "{case}");
}

#[test]
fn a_tool_made_in_an_empty_folder_is_mocked_and_its_call_is_waited_for() {
    let place = Place::with(&[]);
    let script = [
        "new tool",
        "tool-service",
        "stock",
        "set service shelf",
        "invoke stock",
        "mock",
        "send",
        "answer text",
        "quit",
        "quit without saving",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.data, ran.words);
    assert_in_order(
        &ran.data,
        &[
            "Fix: make the service \"shelf\"",
            "stock is mocked: nothing is sent",
            "Calling stock (mocked).",
            "ended: stock succeeded, 6 chunks",
            "This is a mock answer of stock, in place of its service. It arrives in chunks",
            "Unsaved changes in stock.json",
        ],
    );
}

#[test]
fn a_document_is_printed_and_the_talk_goes_to_stderr() {
    let schema = r#"{"type": "object", "required": ["port"],
        "properties": {"port": {"type": "integer"}, "host": {"type": "string"}}}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let script = ["set port many", "set port 8080", "set host \"a b\"", "done"];
    let ran = run(&place, &["form", "schema.json", "--plain"], &script);
    assert!(ran.words.contains("many is not a whole number"), "{}", ran.words);
    let printed: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    assert_eq!(printed, serde_json::json!({"port": 8080, "host": "a b"}));
}

#[test]
fn unsaved_work_is_kept_where_the_input_ends() {
    let place = demo();
    let script = ["select tell-joke", "set description Another one"];
    let ran = run(&place, &[".", "--plain"], &script);
    assert!(ran.data.contains("Unsaved changes in tools.yaml are kept"), "{}", ran.data);
    let again = run(&place, &[".", "--plain"], &["restore them", "file", "quit", "2"]);
    assert!(again.data.contains("Another one"), "{}", again.data);
}

#[test]
fn an_unknown_word_and_what_is_only_drawn_are_answered() {
    let place = demo();
    let ran = run(&place, &[".", "--plain"], &["sav", "sennd", "theme", "select nobody", "quit"]);
    assert_in_order(
        &ran.data,
        &[
            "Several commands start with this: save",
            "There is no command sennd",
            "theme… only changes the drawing",
            "There is nothing called nobody here",
        ],
    );
}

#[test]
fn a_screen_reader_is_asked_about_and_ctrl_c_cancels_a_call() {
    let place = demo();
    let setup = toolcrib([place.here.as_os_str()]).variable("TERM", "dumb");
    let mut terminal = setup.start();
    terminal.wait_for("TERM is dumb. Use plain mode");
    terminal.type_text("yes\r");
    terminal.wait_for("Tools · query-customers>");
    for line in ["invoke tell-joke", "set topic tea", "mock", "set answer text"] {
        terminal.type_text(&format!("{line}\r"));
    }
    for line in ["set text one two three four", "set pause 5m", "set chunks 2"] {
        terminal.type_text(&format!("{line}\r"));
    }
    terminal.wait_for("now 2");
    terminal.type_text("send\r");
    terminal.wait_for("chunk 1:");
    terminal.press(["ctrl+c"]);
    terminal.wait_for("tell-joke cancelled");
    terminal.type_text("quit\r");
    terminal.wait_for("The mock of tell-joke isn't kept");
    terminal.type_text("quit without saving\r");
    assert!(terminal.wait_end().success());
}

#[test]
fn a_variable_turns_it_on_and_no_question_is_asked() {
    let place = demo();
    let mut command = place.command(&["."]);
    command.env("TOOLCRIB_PLAIN", "1");
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert!(ran.data.starts_with("toolcrib in plain mode."), "{}", ran.data);
}

#[test]
fn a_live_step_is_taken_to_its_end() {
    let place = demo();
    let script = [
        "live query-customers",
        "set question What do they complain about?",
        "workflow",
        "live query-customers",
        "show",
        "quit",
    ];
    let script = [&["workflow"][..], &script].concat();
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "query-customers needs question: fill it in",
            "Calling query-customers over embedded.",
            "chunk 1:",
            "ended: query-customers succeeded",
            "State: findings",
            "1. query-customers succeeded",
        ],
    );
}

#[test]
fn a_comparison_is_printed_and_not_the_open_call() {
    let place = demo();
    let script = [
        "invoke tell-joke",
        "set topic programming",
        "send",
        "set topic tea",
        "send",
        "history",
        "select 1",
        "compare",
        "show",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    let shown = &ran.data[ran.data.rfind("tell-joke compared").unwrap()..];
    for line in [
        "- is the earlier call, + is the later call.",
        "{\"topic\":\"programming\"}",
        "{\"topic\":\"tea\"}",
        "Text:",
        "Different arguments: topic.",
        "Times:",
        "first chunk after: ",
        "strays: 0 to 0",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
    assert!(!shown.contains("Call of tell-joke"), "{shown}");
    assert_eq!(ran.data.matches("tell-joke compared").count(), 2, "at once, and by show");
}

#[test]
fn nothing_names_a_key_that_is_only_pressed_on_a_screen() {
    let place = demo();
    let mut script = vec!["connections", "show", "test", "show", "invoke tell-joke", "mock"];
    script.push("show");
    for screen in ["tools", "workflow", "invoke", "watch", "history", "connections", "resources"] {
        script.extend([screen, "help", "show"]);
    }
    script.extend(["workflow", "edit findings", "cancel", "auto-run", "cancel", "accept"]);
    script.extend(["groups", "cancel", "arrows findings", "cancel", "try it", "stop when"]);
    script.push("cancel");
    script.push("quit");
    let ran = run(&place, &[".", "--plain"], &script);
    for line in ran.data.lines() {
        let keys = ["Esc", "F6", "F1", "Ctrl+", "(.)", "(4)", "(6)", "mouse", "drag", "; m "];
        let pressed = ["p sets", "W begins", "a draws", "press Enter", "press Space"];
        let keys = keys.into_iter().chain(pressed).collect::<Vec<_>>();
        let named = keys.iter().find(|key| line.contains(**key));
        assert!(named.is_none(), "{named:?} in {line:?}");
    }
    assert!(ran.data.contains("Type test to connect and query the server."), "{}", ran.data);
}

#[test]
fn a_watch_is_begun_read_and_ended() {
    let place = demo();
    let mut child = place.command(&[".", "--plain"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut input = child.stdin.take().unwrap();
    let mut send = |script: &[&str]| {
        script.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    };
    send(&[
        "watch",
        "watch",
        "",
        "invoke tell-joke",
        "set topic tea",
        "send",
        "watch",
        "list joke",
    ]);
    // The answer comes on its own subscription, after the call has ended for its caller.
    let mut data = String::new();
    while !data.contains("With is:succeeded joke: 1") {
        send(&["list is:succeeded joke"]);
        let listed = lines.by_ref().map(Result::unwrap).inspect(|line| {
            data.push_str(line);
            data.push('\n');
        });
        let found = listed.into_iter().find(|line| line.contains("With is:succeeded joke: "));
        assert!(found.is_some(), "{data}");
    }
    send(&["list >1h", "list is:broken", "show 1", "stop", "list", "history"]);
    send(&["list is:succeeded <1h", "quit"]);
    lines.for_each(|line| data.push_str(&(line.unwrap() + "\n")));
    assert!(child.wait().unwrap().success());
    let lists = [
        "With is:succeeded joke: 1",
        "With >1h: 0",
        "is:broken\" is not known",
        "With is:succeeded <1h: 1",
    ];
    assert_in_order(&data, &lists);
    assert_eq!(data.matches("Answered:").count(), 1, "{data}");
    assert_in_order(
        &data,
        &[
            "Nothing is watched yet. Here, watch starts it",
            "Watch",
            "Watching embedded. Conversations: 0",
            "ended: tell-joke succeeded",
            "Watching embedded. Conversations: 1",
            "Answered:",
            "The watch has stopped",
        ],
    );
    // Requests and answers have a subscription each: either may be received first.
    let read = data.split("Answered:").nth(1).unwrap();
    assert!(read.contains(" ms request: ") && read.contains(" ms answer: "), "{data}");
}

#[test]
fn what_an_action_did_is_said_where_nothing_else_says_it() {
    let place = demo();
    let script = [
        "watch",
        "alert >1ms",
        "alert >2ms",
        "alert is:zzz",
        "cancel",
        "invoke tell-joke",
        "mock",
        "mock",
        "set topic tea",
        "send",
        "history",
        "select 1",
        "mark",
        "mark",
        "tools",
        "rename",
        "cancel",
        "delete tell-joke",
        "cancel",
        "delete tell-joke",
        "1",
        "connections",
        "import servers",
        "cancel",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "alert on >1ms",
            "alert on >2ms",
            "zzz",
            "tell-joke is mocked: nothing is sent",
            "calls of tell-joke go to its service again",
            "1 call is marked: tell-joke ",
            "0 calls are marked.",
        ],
    );
    assert!(!ran.data.contains("done. Type show"), "a cancelled dialog did nothing:\n{}", ran.data);
}

#[test]
fn tools_are_listed_with_their_groups_and_states() {
    let place = demo();
    let script = ["workflow", "matrix", "table", "table compute", "table nowhere", "quit"];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "In plain mode: table, and group tick",
            "query-customers. Groups: read-only, research. Available in: undefined, findings. \
             Next state: findings",
            "tell-joke. Groups: read-only, fun. Available in: every state. Next state: undefined",
            "calculator. Groups: read-only, compute.",
            "No tool has nowhere.",
        ],
    );
    assert_eq!(ran.data.matches("\ncalculator. Groups:").count(), 2, "{}", ran.data);
}

const GATEWAY_TOOLS: &str = r#"{"tool": {
    "teller": {"type": "text-completion", "name": "teller", "description": "Tells", "group": ["g"]}}}"#;

#[test]
fn tools_are_imported_and_pushed() {
    let there = Place::with(&[("tools.json", GATEWAY_TOOLS)]);
    let mut serving = Serving::start(&there, "ws://127.0.0.1:0", &[]);
    let url = loop {
        if let Some(url) = serving.line().strip_prefix("listening at ") {
            break url.to_owned();
        }
    };
    let own = r#"{"tool": {
        "mine": {"type": "text-completion", "name": "mine", "description": "d", "group": ["g"]}}}"#;
    let here = Place::with(&[("mine.json", own)]);
    let script = [
        "import",
        "maybe",
        "yes",
        "save all",
        "list",
        "push",
        "1",
        "push",
        "2",
        "show teller",
        "quit",
    ];
    let ran = run(&here, &[".", "--plain", "--connection", &url], &script);
    assert_in_order(
        &ran.data,
        &[
            "Import from TrustGraph",
            "new file",
            "2 or no to cancel",
            "Saved",
            "teller: tool",
            "Push to TrustGraph",
            "tool/mine  add",
            "verified: 1 added",
        ],
    );
    let listed = here.run(&["push", "trustgraph", "--dry-run", "--connection", &url]);
    assert!(listed.words.contains("already") || listed.words.contains("0"), "{}", listed.words);
}

#[test]
fn a_word_that_is_no_answer_chooses_nothing() {
    let script = ["send", "queue", "cancel", "quit"];
    let ran = run(&Place::with(&[]), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &["Welcome to toolcrib", "send is none of the answers.", "queue is none of the answers."],
    );
    assert!(!ran.data.contains("no program has MCP servers"), "{}", ran.data);
}

#[test]
fn after_a_wrong_answer_only_the_question_is_asked_again() {
    let script = ["workflow", "new state", "report", "maybe", "no", "quit"];
    let ran = run(&demo(), &[".", "--plain"], &script);
    let question = "Type 1 or yes to create, 2 or no to cancel";
    assert_in_order(&ran.data, &[question, "maybe is none of the answers.", question]);
    let change = ran.data.lines().filter(|line| line.contains("+ states")).count();
    assert_eq!(change, 1, "the change is shown once:\n{}", ran.data);
}

#[test]
fn a_field_is_set_in_whichever_form_has_it() {
    let script =
        ["invoke tell-joke", "mock", "set topic tea", "set chunks 2", "set nothing 1", "quit"];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "topic: ",
            "now \"tea\"",
            "chunks: ",
            "now 2",
            "There is no field nothing in arguments, configuration, mock",
        ],
    );
}

#[test]
fn a_fix_is_applied_to_the_field_or_to_the_only_problem() {
    let start = ["new tool", "tool-service", "stock", "set service shelf"];
    let asked = ["form", "", "", "", "", "", "", "fix", "done"];
    for fix in [&["fix"][..], &["fix service"], &asked] {
        let script = [&start[..], fix, &["fix", "quit", "quit without saving"]].concat();
        let ran = run(&Place::with(&[]), &[".", "--plain"], &script);
        assert_in_order(
            &ran.data,
            &[
                "Fix: make the service \"shelf\"",
                "Added service shelf",
                "Tools · stock>",
                "no problem of stock has an automatic fix; problems lists them",
            ],
        );
    }
}

#[test]
fn the_tour_is_printed_as_commands() {
    let ran = run(&demo(), &["demo", "--plain"], &["tour", "quit"]);
    assert_in_order(&ran.data, &["1. invoke query-customers", "7. undo undoes", "exit quits"]);
    let ran = run(&demo(), &[".", "--plain"], &["tour", "quit"]);
    assert!(ran.data.contains("The tour is only in the demo."), "{}", ran.data);
}

#[test]
fn a_command_of_another_screen_says_where_it_works() {
    let script = ["answer with", "find joke", "watch", "watch", "cancel", "quit"];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "answer with works on Invoke.",
            "Tools and services:",
            "Nothing is watched yet.",
            "cancel",
        ],
    );
    assert!(!ran.data.contains("only changes the drawing"), "{}", ran.data);
}

#[test]
fn nothing_is_wrong_with_a_text_before_it_is_typed() {
    let script = ["workflow", "new state", "", "findings", "cancel", "quit"];
    let ran = run(&demo(), &[".", "--plain"], &script);
    let asked =
        ["New state", "Type the text, or cancel.", "Error: the state needs a name", "Error: "];
    assert_in_order(&ran.data, &asked);
    assert_eq!(ran.data.matches("Error: ").count(), 2, "{}", ran.data);
}

#[test]
fn a_tool_is_shown_with_its_own_call() {
    let script = [
        "invoke tell-joke",
        "set topic tea",
        "send",
        "invoke calculator",
        "select call 1",
        "show",
        "invoke calculator",
        "invoke tell-joke",
        "quit",
    ];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "No call of tell-joke yet. Type: form arguments, then send",
            "ended: tell-joke succeeded",
            "No call of calculator yet.",
            "Invoke · tell-joke>",
            "Call of tell-joke",
            "No call of calculator yet.",
            "Call of tell-joke",
        ],
    );
    assert_eq!(ran.data.matches("Call of tell-joke").count(), 2, "{}", ran.data);
}

#[test]
fn a_word_is_not_added_to_a_list_of_objects() {
    let place = demo();
    let script = [
        "select calculator",
        "add arguments digits",
        "save",
        "add arguments",
        "set arguments.1 digits",
        "set arguments.1.name digits",
        "set arguments.1.description How many digits",
        "save",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert_in_order(
        &ran.data,
        &[
            "Not done. each item is an object. Type: add arguments, then set arguments.1.MEMBER \
             VALUE",
            "tools.yaml has no changes",
            "Not done. this is an object. Type: set FIELD.MEMBER VALUE",
            "now \"digits\"",
            "Saved tools.yaml",
        ],
    );
    let saved = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert!(saved.contains("name: digits"), "{saved}");
}

#[test]
fn a_hidden_tool_takes_no_step_of_another_tool() {
    let script = ["workflow", "step calculator", "live calculator", "apply calculator", "quit"];
    let ran = run(&demo(), &[".", "--plain"], &script);
    let why = "calculator is hidden: state: available in findings, figures, not in undefined. To \
        make it available: call query-customers first";
    assert_in_order(
        &ran.data,
        &[why, "Workflow · calculator>", why, "Workflow · calculator>", "State: findings"],
    );
    assert_eq!(ran.data.matches("State: findings").count(), 1, "{}", ran.data);
}

#[test]
fn what_is_there_after_an_action_is_said() {
    let script = [
        "watch",
        "watch",
        "",
        "workflow",
        "question",
        "What do they complain about?",
        "tools",
        "mock service",
        "edit tool",
        "delete",
        "delete",
        "quit",
        "quit without saving",
    ];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "Watching embedded. Conversations: 0",
            "Question: What do they complain about?",
            "Tools and services: 7",
            "Calls are mocked: they are answered here and nothing is sent.",
            "query-customers: tool in tools.yaml",
            "Deleted query-customers; “save” saves, “undo” undoes",
        ],
    );
    assert_eq!(ran.data.matches("Tools and services: 7").count(), 1, "{}", ran.data);
    assert!(!ran.data.contains("Type show to see it"), "{}", ran.data);
}

#[test]
fn fields_lists_each_form_of_the_screen() {
    let script = ["invoke tell-joke", "mock", "set topic tea", "fields", "form errors", "quit"];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "Form arguments, selected; a number means one of its fields:",
            "1. topic: text, required, now \"tea\"",
            "Form configuration:",
            "Form mock:",
            "1. answer: ",
            "Form arguments, selected",
            "The form has no errors.",
            "Form mock:",
            "The form has no errors.",
        ],
    );
}

#[test]
fn help_names_each_command_once() {
    let screens = ["tools", "workflow", "invoke", "watch", "history", "connections", "resources"];
    for screen in screens {
        let ran = run(&demo(), &[".", "--plain"], &[screen, "help", "quit"]);
        let help = &ran.data[ran.data.find("Screens, by name or number:").unwrap()..];
        let names = help.lines().filter_map(|line| line.split_once(": ")).map(|(name, _)| name);
        let mut names: Vec<&str> =
            names.filter_map(|name| name.split(['[', '>']).next()).map(str::trim).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        assert!(twice.is_none(), "{twice:?} on {screen} in\n{help}");
    }
    let ran = run(&demo(), &[".", "--plain"], &["help earlier calls", "quit"]);
    assert_in_order(&ran.data, &["5 History: Find, open, compare and replay earlier calls"]);
}

#[test]
fn a_command_names_every_screen_where_it_works() {
    let script = [
        "compare",
        "cases",
        "step calculator",
        "done",
        "watch",
        "delete tell-joke",
        "sort rows",
        "tools",
        "new state",
        "watch request:tg:joke",
        "group tick",
        "quit",
    ];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "compare works on History. Go there first.",
            "cases works on Invoke, History or Model run. Go there first.",
            "step works on Workflow. Go there first.",
            "done ends the questions of a form. Type: form",
            "delete works on Tools or Connections. Go there first.",
            "There is no command sort rows.",
            "new state works on Workflow. Go there first.",
            "watch SUBJECTS works on Watch. Type: watch",
            "Name a group. Groups: ",
        ],
    );
}

#[test]
fn a_member_is_added_with_its_value_and_a_constant_is_set_by_its_name() {
    let schema = r#"{"properties": {"system": {"const": "mcp"},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}}}}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let script = ["set system other", "set system mcp", "add headers x-test yes please", "done"];
    let ran = run(&place, &["form", "schema.json", "--plain"], &script);
    assert!(ran.words.contains("it can only be \"mcp\""), "{}", ran.words);
    let printed: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    let wanted = serde_json::json!({"system": "mcp", "headers": {"x-test": "yes please"}});
    assert_eq!(printed, wanted);
}

#[test]
fn questions_explain_themselves_and_nothing_is_removed_by_the_first_answer() {
    let script = [
        "workflow",
        "what if",
        "group tick products",
        "cancel",
        "delete state figures",
        "1",
        "tools",
        "list zzz",
        "new",
        "tool-service",
        "help",
        "sums",
        "set service nowhere",
        "form errors",
        "undo",
        "undo",
        "quit",
    ];
    let ran = run(&demo(), &[".", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert_in_order(
        &ran.data,
        &[
            "This is a what-if",
            "Type 1 or no to cancel, 2 or yes to delete.",
            "Tools and services: 7. With zzz: 0",
            "A text is asked for.",
            "Added sums",
            "service: there is no service \"nowhere\"",
        ],
    );
    assert!(!ran.data.contains("There is nothing to cancel"), "{}", ran.data);
    assert!(!ran.data.contains("Deleted"), "{}", ran.data);
}

#[test]
fn a_sample_of_welcome_is_undone_with_all_its_files() {
    let place = Place::with(&[]);
    let there = |place: &Place| -> Vec<String> {
        let files = fs::read_dir(&place.here).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.is_file());
        let names = files.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    run(&place, &[".", "--plain"], &["open a sample", "quit"]);
    assert_eq!(there(&place), ["joke-service.json", "tell-joke.json", "toolcrib.toml"]);
    let place = Place::with(&[]);
    let ran = run(&place, &[".", "--plain"], &["open a sample", "undo", "save all", "quit"]);
    assert_in_order(
        &ran.data,
        &["Added joke-service.json, tell-joke.json, toolcrib.toml", "Undid: add a sample"],
    );
    assert_eq!(there(&place), [""; 0], "{}\n{}", ran.data, ran.words);
}

#[test]
fn help_within_a_form_explains_the_field_and_is_no_value() {
    let schema = r#"{"type": "object", "properties": {"word": {"type": "string",
        "description": "Any word"}}}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let script = ["form", "help", "=help", "done"];
    let ran = run(&place, &["form", "schema.json", "-o", "doc.json", "--plain"], &script);
    assert_in_order(&ran.data, &["word>", "word: text, not set", "Any word", "=help", "word>"]);
    let saved = fs::read_to_string(place.here.join("doc.json")).unwrap();
    assert!(saved.contains(r#""word": "help""#), "{saved}");
}

#[test]
fn the_text_of_an_action_follows_the_name_of_its_item() {
    let place = demo();
    let script = [
        "its connection tell-joke nowhere",
        "cancel",
        "rename tell-joke jester",
        "1",
        "workflow",
        "invoke figures",
        "select figures",
    ];
    let ran = run(&place, &[".", "--plain"], &[&script[..], &["save all", "quit"]].concat());
    assert_in_order(
        &ran.data,
        &[
            "nowhere is none of the answers",
            "Cancelled.",
            "Renamed",
            "There is nothing called figures here.",
            "The state figures is selected.",
        ],
    );
    let saved = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert!(saved.contains("  jester:") && !saved.contains("  tell-joke:"), "{saved}");
}

#[test]
fn unsaved_work_is_offered_until_somebody_decides_about_it() {
    let place = demo();
    let offered = |script: &[&str]| {
        let ran = run(&place, &[".", "--plain"], script);
        ran.data.contains("1. restore")
    };
    run(&place, &[".", "--plain"], &["select calculator", "set description Sums"]);
    for script in [&[][..], &["nonsense"], &["quit"], &["exit"]] {
        assert!(offered(script), "{script:?}");
    }
    let ran = run(&place, &[".", "--plain"], &["restore", "save all", "quit"]);
    assert_in_order(&ran.data, &["restored unsaved work in tools.yaml", "Saved tools.yaml"]);
    assert!(!offered(&["quit"]));
    let saved = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert!(saved.contains("Sums"), "{saved}");
}

#[test]
fn quit_ends_a_session_that_asks_and_discards_nothing() {
    let ran = run(&Place::with(&[]), &[".", "--plain"], &["quit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.words);
    assert!(!ran.data.contains("none of the answers"), "{}", ran.data);
    let place = demo();
    let script = ["select calculator", "set description Sums", "quit", "quit", "1"];
    let ran = run(&place, &[".", "--plain"], &script);
    let said = ["save all and quit", "Unsaved changes would be lost", "save all and quit", "Saved"];
    assert_in_order(&ran.data, &said);
}

#[test]
fn a_what_if_changes_no_file_until_it_is_applied() {
    let place = demo();
    let before = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    let drawn = ["workflow", "what if", "draw arrow undefined", "figures", "calculator", "yes"];
    let script = [&drawn[..], &["cancel", "save all", "quit"]].concat();
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &["no file is changed during a what-if", "no file has unsaved changes"],
    );
    assert_eq!(fs::read_to_string(place.here.join("tools.yaml")).unwrap(), before);
    // A tool whose smallest change is a step has its edits to choose from.
    let tried = ["workflow", "what if", "apply calculator", "available in undefined too"];
    let script = [&tried[..], &["accept", "save all", "quit"]].concat();
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(&ran.data, &["What if: calculator", "New here: calculator.", "Saved"]);
    let saved = fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert_ne!(saved, before);
}

#[test]
fn a_step_prints_what_it_changed_and_no_more() {
    let place = demo();
    let whole = run(&place, &[".", "--plain"], &["workflow", "quit"]).data;
    let ran = run(&place, &[".", "--plain"], &["workflow", "step query-customers", "quit"]);
    let stepped = ran.data.strip_prefix(whole.trim_end_matches('\n')).unwrap_or(&ran.data);
    println!("{stepped}");
    assert_in_order(stepped, &["State: findings", "Available tools: ", "Run: starts in undefined"]);
    assert!(!stepped.contains("Arrows, with the tools"), "{stepped}");
    let ticked = ["workflow", "group tick products", "show", "quit"];
    let ran = run(&place, &[".", "--plain"], &ticked);
    let ticked = &ran.data[whole.len().min(ran.data.len())..];
    assert_in_order(ticked, &["products: 1 tool, requested", "Arrows, with the tools"]);
}

#[test]
fn an_edit_on_workflow_prints_what_it_changed_and_a_refused_step_comes_where_it_was_tried() {
    let place = demo();
    let edits =
        ["workflow", "draw arrow undefined", "figures", "calculator", "yes", "undo", "quit"];
    let ran = run(&place, &[".", "--plain"], &[&edits[..], &["2"]].concat());
    assert_in_order(
        &ran.data,
        &["Drew calculator", "undefined to figures: calculator", "Undid", "Hidden tools: "],
    );
    let tried = ["workflow", "try it calculator", "step query-customers", "show", "cancel", "quit"];
    let ran = run(&place, &[".", "--plain"], &tried);
    let shown = ran.data.rsplit("Run: ").next().unwrap();
    assert_in_order(shown, &["calculator was refused", "1. query-customers"]);
    let place = Place::with(&[("empty.json", " \n")]);
    let checked = place.run(&["check"]);
    checked.ended(1, &[]);
    assert!(checked.data.contains("not JSON: the file is empty"), "{}", checked.data);
    let place = Place::with(&[]);
    place.run(&["check"]).ended(0, &["no descriptors in "]);
}

#[test]
fn what_saving_took_away_comes_back_by_undo() {
    let tool = r#"{"type": "knowledge-query", "name": "a", "description": "Asks"}"#;
    let place = Place::with(&[("a.json", tool)]);
    let names = |place: &Place| ["a.json", "b.json"].map(|name| place.here.join(name).exists());
    let script = ["rename a", "b", "save all", "undo", "save all", "quit"];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &[
            "Saved b.json. Removed a.json",
            "“save all” removes b.json and writes a.json",
            "Tools · a>",
        ],
    );
    assert_eq!(names(&place), [true, false], "{}\n{}", ran.data, ran.words);
    assert_eq!(fs::read_to_string(place.here.join("a.json")).unwrap(), tool);
    let script = ["delete a", "no", "delete a", "yes", "save all", "undo", "save all", "quit"];
    let ran = run(&place, &[".", "--plain"], &script);
    assert_in_order(
        &ran.data,
        &["Cancelled.", "Removed a.json", "Undid: delete a", "writes a.json", "Saved"],
    );
    assert_eq!(fs::read_to_string(place.here.join("a.json")).unwrap(), tool, "{}", ran.data);
    // Saving what is selected removes what it replaced.
    let ran = run(&place, &[".", "--plain"], &["rename a", "b", "save", "quit"]);
    assert_eq!(names(&place), [false, true], "{}\n{}", ran.data, ran.words);
}

#[test]
fn quit_ends_a_session_at_a_question_for_a_text_and_in_a_form() {
    let place = demo();
    let ran = run(&place, &[".", "--plain"], &["rename tell-joke", "quit", "list"]);
    assert!(!ran.data.contains("Renamed") && !ran.data.contains("query-products"), "{}", ran.data);
    let ran = run(&place, &[".", "--plain"], &["new tool-service", "quit", "list"]);
    assert!(ran.data.contains("New tool-service") && !ran.data.contains("query-products"));
    let ran = run(&place, &[".", "--plain"], &["form tell-joke", "quit", "list"]);
    assert!(!ran.data.contains("query-products"), "{}", ran.data);
    let ran = run(&place, &[".", "--plain"], &["rename tell-joke", "=quit", "save all", "quit"]);
    assert_in_order(&ran.data, &["Renamed tell-joke to quit", "Tools · quit>"]);
}

#[test]
fn lists_and_objects_are_filled_in_where_a_form_asks_for_them() {
    let schema = r#"{"type": "object", "properties": {
        "tags": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "words": {"type": "array", "items": {"type": "number"}},
        "point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}},
        "any": {"type": "object", "additionalProperties": {"type": "integer"}},
        "free": {"type": "object", "additionalProperties": true}}}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let asked = ["form", "", "1", "x", "2", "", "nonsense", "add", "1.5", "", "add key 5", "done"];
    let script = [&asked[..], &["add free m {\"a\": 1}", "done"]].concat();
    let ran = run(&place, &["form", "schema.json", "--plain"], &script);
    assert_in_order(
        &ran.words,
        &["Type an item to add it", "point>", "Type add to fill in its members", "point.x>"],
    );
    let printed: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    let wanted = serde_json::json!({"words": [1, 2], "point": {"x": 1.5}, "any": {"key": 5},
        "free": {"m": {"a": 1}}});
    assert_eq!(printed, wanted, "{}", ran.words);
    // A member of an object that has no value yet is set by its name.
    let ran = run(&place, &["form", "schema.json", "--plain"], &["set point.y 2", "done"]);
    let printed: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    assert_eq!(printed, serde_json::json!({"point": {"y": 2}}), "{}", ran.words);
}

#[test]
fn a_text_of_several_lines_ends_with_the_input_and_a_script_leaves_nothing_in_a_form() {
    let place = demo();
    let lines = ["set description", "line one", "line two"];
    run(&place, &[".", "--plain"], &[&["select tell-joke"][..], &lines[..]].concat());
    let again = run(&place, &[".", "--plain"], &["restore", "file", "quit", "2"]);
    assert!(again.data.contains("line two"), "{}", again.data);
    // Before its first line nothing is set.
    let ran = run(&place, &[".", "--plain"], &["discard", "select tell-joke", "set description"]);
    assert!(!ran.data.contains("Unsaved changes in"), "{}", ran.data);
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string"}}}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let form = ["form", "schema.json", "--plain"];
    run(&place, &form, &["set name old"]);
    let ran = run(&place, &form, &["set name bob", "done"]);
    let printed: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    assert_eq!(printed, serde_json::json!({"name": "bob"}), "{}", ran.words);
    let piped = ["form", "schema.json", "-", "--plain"];
    place.run(&piped).ended(2, &["give the document as a file"]);
}

#[test]
fn invoke_says_which_tool_it_calls() {
    let place = demo();
    let script = ["invoke joke-service", "select custom-rag", "invoke", "quit"];
    let ran = run(&place, &[".", "--plain"], &script);
    assert!(ran.data.contains("Invoke · query-customers>"), "{}", ran.data);
    assert!(ran.data.contains("joke-service isn't a tool"), "{}", ran.data);
}

#[test]
fn a_tool_is_printed_as_a_model_sees_it_and_help_says_where_nothing_matches() {
    let ran = run(&demo(), &[".", "--plain"], &["model view tell-joke", "help xyzzy", "quit"]);
    assert_in_order(
        &ran.data,
        &["tell-joke", "\"topic\"", "No command has the word xyzzy. Type: help"],
    );
}

/// What `check` reports of files as such is among the problems, too.
#[test]
fn problems_has_unread_files_unknown_names_and_documents_with_a_schema() {
    let place = demo();
    let write = |name: &str, text: &[u8]| fs::write(place.here.join(name), text).unwrap();
    write("latin.json", b"{\"name\": \"caf\xe9\"}");
    write("order.json", br#"{"$schema": "https://example.com/order.json", "count": "two"}"#);
    write("order.schema.json", br#"{"properties": {"count": {"type": "integer"}}}"#);
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let more = "[schemas]\n\"https://example.com/order.json\" = \"order.schema.json\"\n\
                [profiles]\nann = [\"read-onyl\"]\n";
    write("toolcrib.toml", format!("{settings}\n{more}").as_bytes());
    let checked = place.run(&["check", "-q"]).data;
    let listed = run(&place, &["--plain"], &["problems", "quit"]).data;
    for (code, words) in [
        ("file.not-read", "latin.json"),
        ("file.unknown-name", "no tool is in group read-onyl"),
        ("schema.type", "order.json"),
    ] {
        assert!(checked.contains(code), "{code}:\n{checked}");
        assert!(listed.contains(words), "{words}:\n{listed}");
    }
}
