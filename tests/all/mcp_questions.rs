//! What MCP servers ask during calls: answered on the command line, at a terminal and in the
//! workbench, or declined.

use std::fs;

use serde_json::Value;

use super::mcp_live::{call, place, stages};
use crate::support::{place::Place, terminal};

#[test]
fn what_nobody_answers_is_declined_and_told() {
    for how in ["asks", "modern"] {
        let place = place(how);
        let asked = call(&place, &["ask"]);
        asked.ended(
            0,
            &[
                "the server asks elicitation/create \"Who are you?\": declined, because nobody answered",
                "asked.unanswered",
                "elicit.secret at /requestedSchema/properties/apiToken",
            ],
        );
        assert!(asked.data.contains(r#"{"action": "decline"}"#), "{how}: {}", asked.data);
        // What the connection does not declare is refused, and the server asked all the same.
        let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
        let none = settings
            .replace("system = \"mcp\"", "system = \"mcp\"\ncapabilities = [\"elicitation-url\"]");
        fs::write(place.here.join("toolcrib.toml"), none).unwrap();
        let refused = call(&place, &["ask"]);
        refused.ended(i32::from(how == "modern"), &["asked.undeclared", "did not declare"]);
    }
}

#[test]
fn a_call_whose_answer_cannot_be_read_is_neither_made_nor_kept() {
    let place = place("");
    let refused = call(&place, &["ask", "--answer", "@nowhere.json"]);
    assert!(refused.code != Some(0) && refused.words.contains("nowhere.json"), "{}", refused.words);
    let kept = place.run(&["history", "--json"]);
    assert!(!kept.data.contains("ask"), "{}", kept.data);
}

#[test]
fn forms_of_a_server_are_filled_in_checked_and_sent() {
    for how in ["", "modern"] {
        let place = place(how);
        let accepted = call(&place, &["ask", "--answer", r#"{"name": "Ann"}"#]);
        accepted.ended(0, &["waiting for your answer", "accepted"]);
        let answer = r#"{"action": "accept", "content": {"age": 30, "name": "Ann"}}"#;
        assert!(accepted.data.contains(answer), "{how}: {}", accepted.data);
        if how == "modern" {
            // The same call under another id, with the state as it came.
            let got: Value = serde_json::from_str(&accepted.data).unwrap();
            assert_eq!(got["state"], "s1");
        }
        let wrong = call(&place, &["ask", "--answer", r#"{"name": ""}"#]);
        wrong.ended(
            2,
            &["isn't a valid answer: content › name", "declined, because nobody answered"],
        );
        let declined = call(&place, &["ask", "--answer", "decline", "--json"]).events();
        assert_eq!(stages(&declined, "asked").len(), 2, "{declined:#?}");
        let cancelled = call(&place, &["ask", "--answer", "cancel"]);
        assert!(cancelled.data.contains(r#"{"action": "cancel"}"#), "{}", cancelled.data);
    }
}

#[test]
fn models_urls_and_folders_are_answered_for() {
    for how in ["", "modern"] {
        let place = place(how);
        fs::write(place.here.join("said.txt"), "two\nlines").unwrap();
        let file = format!("@{}", place.here.join("said.txt").display());
        let model = call(&place, &["ask", "what=model", "--answer", &file]);
        model.ended(0, &["sampling/createMessage: waiting for your answer"]);
        assert!(model.data.contains(r#""text": "two\nlines""#), "{}", model.data);
        // The modern era has no word for a model that refuses.
        let refused = call(&place, &["ask", "what=model", "--answer", "refuse"]);
        refused.ended(i32::from(how == "modern"), &["refused"]);
        let url = call(&place, &["ask", "what=url", "--answer", "accept"]);
        url.ended(0, &["elicit.url-user", "accepted"]);
        assert!(url.data.contains(r#"{"action": "accept"}"#), "{}", url.data);
        // None is declared, so none is told.
        call(&place, &["ask", "what=folders"])
            .ended(i32::from(how == "modern"), &["asked.undeclared"]);
        let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
        let told = settings.replace("system = \"mcp\"", "system = \"mcp\"\nroots = [\".\"]");
        fs::write(place.here.join("toolcrib.toml"), told).unwrap();
        let folders = call(&place, &["ask", "what=folders"]);
        folders.ended(0, &["answered with the folders of `roots`"]);
        let here = place.here.display().to_string();
        assert!(folders.data.contains(&format!("file://{here}")), "{}", folders.data);
    }
}

/// A workspace whose server's tools are kept, with its workbench at Invoke.
fn at_the_tool(place: &Place, tool: &str) -> terminal::Terminal {
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let mut screen = terminal::toolcrib([".", "--connection", "test", "--allow-start"])
        .folder(&place.here)
        .home(place.home.path())
        .size(160, 40)
        .start();
    screen.wait_for(&format!("test/{tool}"));
    screen.press(["down"; 7]);
    screen.wait_for(&format!("test/{tool} · MCP tool"));
    screen.press(["t"]);
    screen.wait_for(&format!("test/{tool} · test"));
    screen
}

#[test]
fn the_workbench_shows_what_a_server_asks_and_sends_the_answer() {
    for how in ["", "modern"] {
        let place = place(how);
        let mut screen = at_the_tool(&place, "ask");
        screen.press(["f6"]);
        screen.wait_for("test asks elicitation/create; 7 shows it");
        screen.wait_for("it asks you: 7 answers");
        screen.press(["7"]);
        screen.wait_for("Answer of elicitation/create");
        screen.wait_for("Who are you?");
        // It is checked before it is sent; the defaults are there.
        screen.press(["f6"]);
        screen.wait_for("name is required");
        screen.press(["enter"]);
        screen.type_text("Ann");
        screen.press(["f6"]);
        screen.wait_for("no call is waiting");
        screen.press(["3"]);
        screen.wait_for(r#""name": "Ann""#);
        screen.wait_for(r#""age": 30"#);
    }
}

#[test]
fn an_answer_that_is_wrong_is_sent_when_that_is_meant() {
    let place = place("");
    let mut screen = at_the_tool(&place, "ask");
    screen.press(["f6"]);
    screen.wait_for("it asks you: 7 answers");
    screen.press(["7"]);
    screen.wait_for("Answer of elicitation/create");
    screen.press(["f6"]);
    screen.wait_for("name is required; Enter edits it, send again");
    screen.press(["f6"]);
    screen.wait_for("no call is waiting");
    screen.press(["3"]);
    screen.wait_for(r#""age": 30"#);
}

#[test]
fn a_question_that_nobody_answers_is_told_again_and_goes_with_its_call() {
    let place = place("");
    let mut screen = at_the_tool(&place, "ask");
    screen.press(["f6"]);
    screen.wait_for("test asks elicitation/create; 7 shows it");
    screen.wait_for("test is still waiting for an answer to elicitation/create");
    screen.press(["7", "@refuse-call"]);
    screen.wait_for("no call is waiting");
    screen.press(["3"]);
    screen.wait_for(r#"{"action": "decline"}"#);
}

#[cfg(unix)]
#[test]
fn a_question_is_answered_at_the_terminal() {
    let place = place("");
    let mut screen = terminal::toolcrib(["call", "ask", "--connection", "test"])
        .folder(&place.here)
        .home(place.home.path())
        .variable("XDG_STATE_HOME", place.home.path().join("state"))
        .size(100, 40)
        .start();
    screen.wait_for("type the values as JSON");
    screen.type_text("{}\r");
    screen.wait_for("content › name is required");
    screen.type_text("{\"name\": \"Ann\"}\r");
    screen.wait_for(r#""name": "Ann""#);
    assert!(screen.wait_end().success());
}
