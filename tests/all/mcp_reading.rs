//! What MCP servers have to read beside their tools, bytes of answers, and one server in both eras.

use std::fs;

use serde_json::json;

use super::mcp_live::{call, place};

#[test]
fn resources_are_listed_read_and_saved() {
    let place = place("reads");
    let listed = place.run(&["mcp", "resources", "test"]);
    listed.ended(0, &[]);
    assert!(listed.data.contains("test://notes.md") && listed.data.contains("image/png, 2 B"));
    assert!(listed.data.contains("test://page/{number}"), "{}", listed.data);
    let read = place.run(&["mcp", "resources", "test", "test://notes.md"]);
    read.ended(0, &["test://notes.md [text text/markdown, 18 B]"]);
    assert_eq!(read.data, "# test://notes.md\n");
    let page = ["mcp", "resources", "test", "test://page/{number}", "-a", "number=a b"];
    assert_eq!(place.run(&page).data, "# test://page/a%20b\n");
    let file = place.here.join("dot.png");
    let line = ["mcp", "resources", "test", "test://dot", "--save", file.to_str().unwrap()];
    place.run(&line).ended(0, &["[blob image/png, 2 B]", "Saved"]);
    assert_eq!(fs::read(&file).unwrap(), b"hi");
    // What is there already stays.
    fs::write(&file, "mine").unwrap();
    place.run(&line).ended(1, &["dot.png"]);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    let none = super::mcp_live::place("");
    none.run(&["mcp", "resources", "test"]).ended(0, &["has no resources"]);
}

#[test]
fn prompts_are_listed_completed_and_got_with_their_arguments() {
    let place = place("reads");
    let listed = place.run(&["mcp", "prompts", "test"]);
    assert!(listed.data.contains("greet who= [how=]"), "{}", listed.data);
    let greet = |more: &[&str]| place.run(&[&["mcp", "prompts", "test", "greet"], more].concat());
    let got = greet(&["-a", "who=Ann"]);
    got.ended(0, &["A greeting", "user [text, 9 B]", "user [audio audio/wav, 2 B]"]);
    assert_eq!(got.data, "Greet Ann");
    let suggested = greet(&["-a", "who=An", "-a", "how=Antje", "--complete", "who"]);
    assert_eq!(suggested.data, "Ann\nAnton\nAntje\n");
    greet(&["-a", "Ann"]).ended(2, &["has no ="]);
    let json = place.json(&["mcp", "prompts", "test", "greet", "-a", "who=Bo", "--json"]);
    assert_eq!(json["messages"][0]["content"]["text"], "Greet Bo");
}

#[test]
fn bytes_of_an_answer_are_saved() {
    let place = place("reads");
    let file = place.here.join("picture.png");
    let saved = call(&place, &["picture", "--save", file.to_str().unwrap()]);
    saved.ended(0, &["Saved"]);
    assert!(saved.data.contains("[image image/png, 2 bytes]"), "{}", saved.data);
    assert_eq!(fs::read(&file).unwrap(), b"hi");
    let words = place.here.join("words");
    call(&place, &["echo", "text=hi", "--save", words.to_str().unwrap()]).ended(0, &["Saved"]);
    assert_eq!(fs::read_to_string(&words).unwrap(), "hi");
}

#[test]
fn one_server_is_compared_in_both_eras() {
    let both = place("both");
    let line = ["mcp", "compare", "test", "--tool", "echo", "-a", "text=hi"];
    let compared = both.run(&line);
    compared.ended(1, &["legacy: test 7", "modern: test 8"]);
    assert!(compared.data.contains("text.changed at /description"), "{}", compared.data);
    assert!(compared.data.contains("The answer is the same:"), "{}", compared.data);
    let told = both.run(&[&line[..], &["--json"]].concat()).json();
    let late = json!({"kind": "prompts", "name": "late", "in": ["modern"], "differs": []});
    assert!(told["differences"].as_array().unwrap().contains(&late), "{told}");
    let one = place("");
    one.run(&["mcp", "compare", "test"]).ended(1, &["not in the modern era"]);
}
