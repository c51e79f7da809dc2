//! Runs of the workflow in the real program in a terminal: the document's scenario, and live steps
//! over a real NATS server.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::{
    nats::NatsServer,
    services::Responder,
    terminal::{Terminal, toolcrib},
};

fn leave(mut terminal: Terminal) {
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
    terminal.assert_given_back();
}

/// Section 9.3 of the document, as it stands there: three steps under the groups knowledge and
/// compute.
const PROGRESSION: &str = "\
name: complete workflow
start: {groups: [knowledge, compute], state: undefined}
steps:
  - {tool: knowledge-query, expect: {available: [knowledge-query], after: analysis}}
  - {tool: complex-analysis, expect: {includes: [complex-analysis], after: results}}
  - {tool: reset-workflow, expect: {after: undefined}}
";

fn spec_workflow() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/spec-workflow");
    for file in ["tools.yaml", "toolcrib.toml"] {
        fs::copy(sample.join(file), folder.path().join(file)).unwrap();
    }
    fs::create_dir(folder.path().join("scenarios")).unwrap();
    fs::write(folder.path().join("scenarios/complete.yaml"), PROGRESSION).unwrap();
    folder
}

/// Runs all scenarios of a workspace without a screen: the exit status and what was written.
fn simulated(folder: &TempDir) -> (Option<i32>, String) {
    let output = std::process::Command::new(crate::support::terminal::binary())
        .args(["simulate", "-w"])
        .arg(folder.path())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_documents_scenario_is_run_its_refusal_read_the_fix_applied_and_run_green() {
    let folder = spec_workflow();
    let (status, told) = simulated(&folder);
    assert_eq!(status, Some(1), "{told}");
    assert!(
        told.contains("3 ✗ results: reset-workflow refused") && told.contains("→ request admin"),
        "{told}"
    );

    let mut terminal = toolcrib([folder.path()]).start();
    terminal.wait_for("knowledge-query");
    terminal.press(["2", "t"]);
    terminal.wait_for("✗ complete workflow");
    terminal.type_text("complete");
    terminal.wait_gone("✗ all 1");
    terminal.press(["enter"]);
    terminal.wait_for("Show the differences");
    terminal.press(["enter"]);
    terminal.wait_for("3 ✗ results: reset-workflow refused");
    terminal.wait_for("group: in admin, requested knowledge, compute");
    terminal.wait_for("▸ request admin");
    // On to where the run stands, after its second step.
    terminal.press(["enter"]);
    terminal.wait_for("⊘ reset-workflow refused");
    terminal.wait_for("Available 0");
    terminal.press(["/"]);
    terminal.type_text("reset");
    terminal.press(["enter", "F"]);
    terminal.wait_for("Available 1");
    terminal.press(["enter"]);
    terminal.wait_for("results → undefined");
    terminal.press(["K", "ctrl+u"]);
    terminal.type_text("complete with admin");
    terminal.press(["enter"]);
    terminal.wait_for("Saved");
    terminal.press(["t"]);
    terminal.wait_for("✓ complete with admin");
    terminal.press(["esc"]);
    terminal.wait_gone("type to narrow");
    leave(terminal);

    fs::remove_file(folder.path().join("scenarios/complete.yaml")).unwrap();
    let (status, told) = simulated(&folder);
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("4 ✓ results: reset-workflow succeeded → undefined"), "{told}");
}

#[test]
fn the_same_by_mouse_alone() {
    let folder = spec_workflow();
    let terminal = toolcrib([folder.path()]).size(160, 50).start();
    terminal.click_on("2 Workflow");
    terminal.click_on("[ ] compute");
    terminal.click_on("[x] read-only");
    terminal.wait_for("Available 1");
    // A press chooses a tool, and a second one takes its step.
    terminal.click_on("● knowledge-query");
    terminal.click_on("● knowledge-query");
    terminal.wait_for("undefined → analysis");
    terminal.click_on("complex-analysis          ");
    terminal.click_on("complex-analysis          ");
    terminal.wait_for("analysis → results");
    terminal.click_on("○ reset-workflow");
    // What else would help is listed of the selected tool alone.
    terminal.wait_for("add group");
    terminal.click_on("▸ request admin");
    terminal.wait_for("+ reset-workflow");
    terminal.click_on("+ reset-workflow");
    terminal.click_on("+ reset-workflow");
    terminal.wait_for("results → undefined");
    leave(terminal);
}

/// Three tools: one asks a service, one calls a service that fails, one asks again. The failing one
/// leads to `burnt`.
fn kitchen(server: &NatsServer, mode: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tools = "\
tool:
  ask: {type: tool-service, name: ask, description: Asks, service: joke, style: a pun, state: asked, applicable-states: [undefined], arguments: [{name: topic, type: string, description: About what}]}
  bake: {type: tool-service, name: bake, description: Bakes, service: oven, state: burnt, applicable-states: [asked], arguments: []}
  tell: {type: tool-service, name: tell, description: Tells, service: joke, style: a limerick, state: told, applicable-states: [asked, burnt], arguments: [{name: topic, type: string, description: About what}]}
tool-service:
  joke: {id: joke, request-queue: 'non-persistent://tg/request/joke', response-queue: 'non-persistent://tg/response/joke', config-params: [{name: style, required: true}]}
  oven: {id: oven, request-queue: 'non-persistent://tg/request/oven', response-queue: 'non-persistent://tg/response/oven'}
";
    fs::write(folder.path().join("tools.yaml"), tools).unwrap();
    let settings = format!(
        "mode = \"{mode}\"\nconnection = \"bus\"\n[connections.bus]\ntransport = \"nats\"\nservers = [\"{}\"]\n",
        server.url()
    );
    fs::write(folder.path().join("toolcrib.toml"), settings).unwrap();
    folder
}

/// Takes a live step with a tool whose topic is not typed yet.
fn live_about(terminal: &mut Terminal, tool: &str, topic: &str) {
    terminal.press(["f6"]);
    terminal.wait_for(&format!("{tool} needs topic"));
    terminal.press(["enter"]);
    terminal.type_text(topic);
    terminal.press(["enter"]);
    terminal.wait_for(topic);
    terminal.press(["esc", "2", "f6"]);
}

#[test]
fn three_live_steps_over_a_real_server_one_of_which_fails_in_both_modes() {
    for (mode, after) in [("document", "stays asked"), ("as deployed", "asked → burnt")] {
        let server = NatsServer::start();
        let _joke = Responder::of(&server.url(), "response", "joke");
        let _oven = Responder::of(&server.url(), "error", "oven");
        let folder = kitchen(&server, mode);
        let mut terminal = toolcrib([folder.path()]).start();
        terminal.wait_for("ask");
        terminal.press(["2"]);
        terminal.wait_for("Available 1");
        live_about(&mut terminal, "ask", "llamas");
        // The first call that leaves the program is asked about.
        terminal.wait_for("Call ask for real?");
        terminal.press(["enter"]);
        terminal.wait_for("undefined → asked");
        terminal.wait_for("llamas as a pun.");

        terminal.wait_for("Available 2");
        terminal.press(["f6"]);
        terminal.wait_for(&format!("✗ bake  {after}"));
        terminal.wait_for("the oven is cold");

        terminal.wait_for("tell");
        terminal.press(["end"]);
        if mode == "document" {
            // The failed call left the state, and the tool that failed stands first still.
            terminal.wait_for("Available 2");
            terminal.press(["home", "down"]);
        } else {
            terminal.wait_for("Available 1");
            terminal.press(["home"]);
        }
        live_about(&mut terminal, "tell", "ovens");
        terminal.wait_for("→ told");
        terminal.wait_for("ovens as a limerick.");
        terminal.wait_for("Run 3");
        leave(terminal);
    }
}
