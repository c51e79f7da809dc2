//! What MCP servers have to read beside their tools, bytes of answers, and one server in both eras.

use std::fs;

use serde_json::json;
use vt100::{Color, Screen};

use super::mcp_live::{call, place, place_with, python, script};
use crate::support::{
    place::Place,
    terminal::{self, Terminal},
};

/// A PNG file of 6 × 6 pixels, as base64: its upper half is red, the lower one blue.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAYAAAAGCAIAAABvrngfAAAAGElEQVR42mM4IaeBhhiIE+KyuYOGiBMCAJmyJ2HAnrShAAAAAElFTkSuQmCC";

/// Calls the tool whose answer is that image, in a terminal that knows so many colours.
fn painted(picture: &str, variables: &[(&str, &str)]) -> (Place, Terminal) {
    let settings = format!(
        "connection = \"test\"\n[connections.test]\nsystem = \"mcp\"\ncommand = {:?}\nargs = [{:?}, \"reads\", \"{picture}\"]\n",
        python(),
        script(),
    );
    let place = Place::with(&[("toolcrib.toml", &settings)]);
    let setup = terminal::toolcrib(["."]).folder(&place.here).home(place.home.path());
    let setup = variables.iter().fold(setup, |setup, (name, value)| setup.variable(name, value));
    let mut screen = setup.size(120, 36).start();
    screen.wait_for("test");
    screen.press(["3"]);
    screen.wait_for("Enter lists the tools of test");
    screen.press(["enter"]);
    screen.wait_for("Start the server of test?");
    screen.press(["right", "enter"]);
    screen.wait_for("[ Send F6 ]");
    screen.click_on("picture");
    screen.press(["f6"]);
    screen.wait_for("succeeded");
    (place, screen)
}

/// The upper and the lower colour of all cells that are halves of an image, row by row.
fn halves(screen: &Screen) -> Vec<(Color, Color)> {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let cells = cells.filter_map(|(row, column)| screen.cell(row, column));
    let halves = cells.filter(|cell| cell.contents() == "▀");
    halves.map(|cell| (cell.fgcolor(), cell.bgcolor())).collect()
}

#[test]
fn an_image_of_an_answer_is_drawn_below_its_text_in_the_colours_of_the_terminal() {
    let drawn = |upper: Color, lower: Color| {
        let row = |colours| std::iter::repeat_n(colours, 6);
        let rows = row((upper, upper)).chain(row((upper, lower))).chain(row((lower, lower)));
        rows.collect::<Vec<_>>()
    };
    let (_place, screen) = painted(PICTURE, &[]);
    screen.wait_for("image image/png, 81 B · 6 × 6 pixels");
    screen.wait_for("[image image/png, 81 bytes]");
    let (red, blue) = (Color::Rgb(200, 30, 40), Color::Rgb(10, 60, 220));
    assert_eq!(screen.look(halves), drawn(red, blue), "{}", screen.contents());
    let (_place, screen) = painted(PICTURE, &[("COLORTERM", "")]);
    screen.wait_for("81 B · 6 × 6 pixels");
    assert_eq!(screen.look(halves), drawn(Color::Idx(160), Color::Idx(26)));
}

#[test]
fn a_terminal_that_draws_images_itself_gets_placeholders() {
    let (_place, screen) = painted(PICTURE, &[("TERM", "xterm-kitty")]);
    screen.wait_for("81 B · 6 × 6 pixels");
    let contents = screen.contents();
    assert!(contents.contains("\u{10eeee}\u{305}\u{305}"), "row 0, column 0: {contents}");
    assert!(screen.look(halves).is_empty(), "{contents}");
}

#[test]
fn an_image_without_colours_stays_a_line_and_a_broken_one_says_so() {
    let (_place, screen) = painted(PICTURE, &[("NO_COLOR", "1")]);
    screen.wait_for("[image image/png, 81 bytes]");
    assert!(!screen.contents().contains("pixels"), "{}", screen.contents());
    assert!(screen.look(halves).is_empty());
    let (_place, screen) = painted("iVBORw0KGgo=", &[]);
    screen.wait_for("image image/png, 8 B · can't be drawn: it");
    screen.wait_for("ends too early");
}

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
    place.run(&page[..4]).ended(2, &["test://page/{number} needs number", "add -a number=…"]);
    let file = place.here.join("dot.png");
    let line = ["mcp", "resources", "test", "test://dot", "--save", file.to_str().unwrap()];
    place.run(&line).ended(0, &["[blob image/png, 2 B]", "Saved"]);
    assert_eq!(fs::read(&file).unwrap(), b"hi");
    // What already exists stays.
    fs::write(&file, "mine").unwrap();
    place.run(&line).ended(1, &["dot.png"]);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    let none = super::mcp_live::place("");
    none.run(&["mcp", "resources", "test"]).ended(0, &["has no resources"]);
}

#[test]
fn the_only_server_of_a_workspace_needs_no_name() {
    let only = place("reads");
    let named = only.run(&["mcp", "list", "test"]);
    named.ended(0, &[]);
    assert_eq!(only.run(&["mcp", "list"]).data, named.data);
    only.run(&["mcp", "ping", "nope"]).ended(2, &["MCP servers of this workspace: test"]);
    let none = crate::support::place::Place::with(&[]);
    let said = ["this workspace has no MCP server", "toolcrib mcp add NAME"];
    none.run(&["mcp", "list"]).ended(2, &said);
}

#[test]
fn a_resource_is_read_again_when_its_server_says_that_it_has_changed() {
    // The second one is spoken to in the modern era, in which another request asks for it.
    for (how, asked) in [("reads", "resources/subscribe"), ("both", "subscriptions/listen")] {
        let place = place_with(&["METHODS=methods"], how);
        let line = ["mcp", "resources", "test", "test://notes.md", "--follow=2"];
        let followed = place.run(&line);
        followed.ended(0, &["test://notes.md has changed"]);
        assert_eq!(followed.data, "# test://notes.md\n".repeat(3), "{how}");
        assert!(!followed.words.contains("elsewhere"), "{}", followed.words);
        let methods = fs::read_to_string(place.here.join("methods")).unwrap();
        let said = |method: &str| methods.lines().filter(|known| *known == method).count();
        assert_eq!((said(asked), said("resources/read")), (1, 3), "{methods}");
        let ends = if how == "reads" { "resources/unsubscribe" } else { "notifications/cancelled" };
        assert_eq!(said(ends), 1, "{methods}");
    }
    let none = place("");
    none.run(&["mcp", "resources", "test", "test://a", "--follow"]).ended(1, &["-32601"]);
}

#[test]
fn what_a_server_says_of_itself_is_shown() {
    let place = place("reads");
    let pinged = place.run(&["mcp", "ping", "test"]);
    for line in [
        "protocol: 2025-11-25, legacy era",
        "server capabilities: tools (listChanged), resources (subscribe)",
        "client capabilities: elicitation (form, url), sampling, extensions (io.modelcontextprotocol/tasks)",
        "instructions for models:\n  Echo first.\n  Then count.",
    ] {
        assert!(pinged.data.contains(line), "{line}\n{}", pinged.data);
    }
    let told = place.json(&["mcp", "ping", "test", "--json"]);
    assert_eq!(told["profile"]["server"]["serverInfo"]["version"], "7");
    assert_eq!(
        told["profile"]["client"]["capabilities"]["elicitation"],
        json!({"form": {}, "url": {}})
    );
    let listed = place.run(&["mcp", "list", "test"]);
    listed.ended(0, &["tools 10 in 3 pages: 4 in ", "resources 2 in ", "prompts 1 in "]);
    assert!(listed.data.contains("test://notes.md"), "{}", listed.data);
    listed.ended(0, &["list.undeclared: the server did not declare the capability prompts"]);
    assert!(!listed.words.contains("capability resources"), "{}", listed.words);
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
    greet(&["-a", "how=Antje"]).ended(2, &["greet needs who", "add -a who=…"]);
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
    let compared = one.run(&["mcp", "compare", "test"]);
    compared.ended(1, &["not in the modern era: ", "it doesn't speak the modern era"]);
    // No connection sets an era that could be removed.
    assert!(!compared.words.contains("era ="), "{}", compared.words);
}
