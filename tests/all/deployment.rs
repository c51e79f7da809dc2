//! TrustGraph's own gateway, configuration, agent and MCP service, version 2.11.1, spoken to by the
//! real program.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    numbers::NUMBERS,
    support::{gateway::Deployment, terminal},
};

const TOOLS: &str = r#"
tool:
  ask-model: {type: text-completion, name: ask-model, description: Asks, group: [read], state: asked}
  shout:
    {type: prompt, name: shout, description: Shouts, template: shout, group: [read], applicable-states: [asked], state: shouted,
     arguments: [{name: words, type: string, description: What}]}
  broken: {type: prompt, name: broken, description: Fails, template: no-such-prompt, group: [read]}
  unknown: {type: mcp-tool, name: unknown, description: Fails, mcp-tool: nobody, group: [read]}
  joke: {type: tool-service, name: joke, description: Jokes, service: jokes, group: [read]}
tool-service:
  jokes: {id: jokes, request-queue: "request:tg:joke", response-queue: "response:tg:joke"}
"#;

fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tools.yaml"), TOOLS).unwrap();
    folder
}

struct Ran {
    code: Option<i32>,
    data: String,
    words: String,
}

fn toolcrib(folder: &Path, arguments: &[&str]) -> Ran {
    let binary = std::env::var("TOOLCRIB_BINARY")
        .unwrap_or_else(|_| env!("CARGO_BIN_EXE_toolcrib").to_owned());
    let output = Command::new(binary).current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), data: text(output.stdout), words: text(output.stderr) }
}

#[test]
fn the_real_gateway() {
    let trustgraph = Deployment::start();
    calls(&trustgraph);
    for scheme in ["http", "ws"] {
        imports(&trustgraph, scheme);
    }
    agents(&trustgraph);
    agents_that_are_listened_to(&trustgraph);
    agents_that_fail(&trustgraph);
    agents_by_keys(&trustgraph);
    lacking_templates(&trustgraph);
    pushes(&trustgraph);
    by_keys(&trustgraph);
    numbers_stay(&trustgraph);
}

/// What is pushed is what is imported, to the last digit.
fn numbers_stay(trustgraph: &Deployment) {
    let (folder, url) = (tempfile::tempdir().unwrap(), trustgraph.url("ws"));
    let members: Vec<String> =
        NUMBERS.iter().enumerate().map(|(row, number)| format!("n{row}: {number}")).collect();
    let tool = format!(
        "tool:\n  big: {{type: text-completion, name: big, description: B, {}}}\n",
        members.join(", ")
    );
    fs::write(folder.path().join("tools.yaml"), tool).unwrap();
    let push = |arguments: &[&str]| {
        toolcrib(
            folder.path(),
            &[&["push", "trustgraph", "--connection", &url], arguments].concat(),
        )
    };
    let pushed = push(&["--yes"]);
    assert_eq!(pushed.code, Some(0), "{}", pushed.words);
    let again = push(&["--yes"]);
    assert!(again.words.contains("everything is already there"), "{}", again.words);
    let elsewhere = tempfile::tempdir().unwrap();
    let imported = toolcrib(elsewhere.path(), &["import", "trustgraph", "--connection", &url]);
    assert_eq!(imported.code, Some(0), "{}", imported.words);
    let text = fs::read_to_string(elsewhere.path().join("trustgraph.yaml")).unwrap();
    for number in NUMBERS {
        assert!(text.contains(&format!(": {number}\n")), "{number}: {text}");
    }
}

fn calls(trustgraph: &Deployment) {
    let folder = workspace();
    for scheme in ["ws", "http"] {
        let url = trustgraph.url(scheme);
        let call = |arguments: &[&str]| {
            toolcrib(folder.path(), &[&["call", "--connection", &url], arguments].concat())
        };
        let asked = call(&["--json", "ask-model", "question=why"]);
        let events: Vec<Value> =
            asked.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let pieces: Vec<&Value> = events.iter().filter(|event| event["event"] == "chunk").collect();
        let text: String = pieces.iter().filter_map(|piece| piece["text"].as_str()).collect();
        assert_eq!((asked.code, text.as_str()), (Some(0), "The answer is why."), "{}", asked.words);
        assert_eq!(pieces.len(), if scheme == "ws" { 4 } else { 1 }, "{}", asked.data);
        let shouted = call(&["shout", "words=hey there"]);
        assert_eq!(
            shouted.data.trim_end(),
            if scheme == "ws" { "HEY HEY THERE." } else { "HEY hey there." }
        );
        for (tool, word) in
            [("broken", "language model failed"), ("unknown", "MCP tool that it does not know")]
        {
            let failed = call(&[tool]);
            assert_eq!(failed.code, Some(1), "{}", failed.words);
            assert!(
                failed.words.contains("empty-answer") && failed.words.contains(word),
                "{}",
                failed.words
            );
        }
        let joke = call(&["joke"]);
        assert!(
            joke.code == Some(2) && joke.words.contains("no endpoint for tool services"),
            "{}",
            joke.words
        );
    }
}

fn imports(trustgraph: &Deployment, scheme: &str) {
    let (folder, url) = (tempfile::tempdir().unwrap(), trustgraph.url(scheme));
    let import = |arguments: &[&str]| {
        toolcrib(
            folder.path(),
            &[&["import", "trustgraph", "--connection", &url], arguments].concat(),
        )
    };
    let file = folder.path().join("trustgraph.yaml");
    let dry = import(&["--dry-run"]);
    assert!(
        dry.code == Some(0) && dry.data.contains("ask-model") && !file.exists(),
        "{}{}",
        dry.data,
        dry.words
    );
    let first = import(&[]);
    assert_eq!(first.code, Some(0), "{}", first.words);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("ask-model:") && text.contains("template: shout"), "{text}");
    let again = import(&[]);
    assert!(
        again.code == Some(0) && again.words.contains("all 2 entries are already here"),
        "{}",
        again.words
    );
    let ours = text.replace("template: shout", "template: mine");
    fs::write(&file, &ours).unwrap();
    let kept = import(&[]);
    assert!(
        kept.words.contains("tool/shout") && fs::read_to_string(&file).unwrap() == ours,
        "{}",
        kept.words
    );
    let overwritten = import(&["--overwrite", "--json"]);
    let told: Value = serde_json::from_str(&overwritten.data).unwrap();
    assert_eq!(
        (told["files"][0].as_str(), told["written"].as_bool()),
        (Some("trustgraph.yaml"), Some(true))
    );
    assert!(fs::read_to_string(&file).unwrap().contains("template: shout"));
    let empty = tempfile::tempdir().unwrap();
    let listed = toolcrib(empty.path(), &["tools", "--deployed", "--connection", &url, "--json"]);
    let rows: Value = serde_json::from_str(&listed.data).unwrap();
    assert_eq!(
        (&rows[0]["name"], &rows[0]["here"], &rows[1]["name"]),
        (&"ask-model".into(), &false.into(), &"shout".into()),
        "{rows:#}"
    );
    let asked =
        toolcrib(empty.path(), &["call", "--connection", &url, "ask-model", "question=why"]);
    assert_eq!(
        (asked.code, asked.data.trim_end()),
        (Some(0), "The answer is why."),
        "{}",
        asked.words
    );
    let elsewhere = toolcrib(folder.path(), &["import", "trustgraph"]);
    assert!(
        elsewhere.code == Some(2) && elsewhere.words.contains("not to a gateway"),
        "{}",
        elsewhere.words
    );
}

/// A prompt template that the running configuration does not have is a problem on the screen, once
/// the workbench is connected.
fn lacking_templates(trustgraph: &Deployment) {
    let (folder, home) = (workspace(), tempfile::tempdir().unwrap());
    let settings = format!(
        "connection = \"gate\"\n[connections.gate]\nservers = \"{}\"\n",
        trustgraph.url("ws")
    );
    fs::write(folder.path().join("toolcrib.toml"), settings).unwrap();
    let mut terminal = terminal::toolcrib([folder.path()])
        .home(home.path())
        .folder(folder.path())
        .size(160, 50)
        .start();
    terminal.wait_for("ask-model");
    terminal.press(["v", "v", "v"]);
    terminal.wait_for("Problems");
    assert!(!terminal.contents().contains("no prompt template"), "{}", terminal.contents());
    terminal.press(["6", "t"]);
    terminal.wait_for("tool/ask-model");
    terminal.press(["1"]);
    terminal.wait_for("there is no prompt template \"no-such-prompt\"");
    assert!(
        !terminal.contents().contains("no prompt template \"shout\""),
        "{}",
        terminal.contents()
    );
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}

/// Comes last: afterwards the agent has other tools.
fn pushes(trustgraph: &Deployment) {
    let (folder, url) = (workspace(), trustgraph.url("ws"));
    let push = |arguments: &[&str]| {
        toolcrib(
            folder.path(),
            &[&["push", "trustgraph", "--connection", &url], arguments].concat(),
        )
    };
    let dry = push(&["--dry-run", "--json"]);
    let told: Value = serde_json::from_str(&dry.data).unwrap();
    assert_eq!(
        (dry.code, &told["loads"], &told["written"]),
        (Some(0), &5.into(), &false.into()),
        "{}",
        dry.words
    );
    let unasked = push(&[]);
    assert!(unasked.code == Some(2) && unasked.words.contains("--yes"), "{}", unasked.words);
    assert!(
        dry.words.contains("with it, the agent should load 5 tools") || !dry.data.is_empty(),
        "{}",
        dry.words
    );
    let written = push(&["--yes"]);
    assert!(
        written.code == Some(0) && written.words.contains("4 added"),
        "{}{}",
        written.data,
        written.words
    );
    assert!(written.words.contains("; the agent should load 5 tools"), "{}", written.words);
    assert!(
        written.words.contains("there is no prompt template \"no-such-prompt\""),
        "{}",
        written.words
    );
    assert_eq!(trustgraph.loads(), 5);
    let checked = toolcrib(folder.path(), &["check", "--connection", &url]);
    assert!(
        checked.data.contains("there is no prompt template \"no-such-prompt\"")
            && !checked.data.contains("\"shout\" where"),
        "{}",
        checked.data
    );
    assert!(written.data.contains("+ tool-service/jokes"), "{}", written.data);
    let again = push(&["--yes"]);
    assert!(again.words.contains("everything is already there"), "{}", again.words);
    let reloaded = push(&["--yes", "--reload"]);
    assert!(
        reloaded.code == Some(0) && reloaded.words.contains("so that the agent reloads it"),
        "{}",
        reloaded.words
    );
    assert_eq!(trustgraph.loads(), 5);

    let file = folder.path().join("tools.yaml");
    fs::write(&file, TOOLS.replace("service: jokes,", "service: nobody,")).unwrap();
    let refused = push(&["--yes"]);
    assert_eq!(refused.code, Some(1), "{}", refused.words);
    assert!(
        refused.words.contains("unknown tool-service 'nobody'")
            && refused.words.contains("nothing was written"),
        "{}",
        refused.words
    );

    let fewer: String = TOOLS
        .lines()
        .filter(|line| !line.contains("broken:"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&file, fewer).unwrap();
    let deleted = push(&["--yes", "--delete"]);
    assert!(
        deleted.code == Some(0) && deleted.words.contains("1 deleted"),
        "{}{}",
        deleted.data,
        deleted.words
    );
    assert_eq!(trustgraph.loads(), 4);
    never_without_tools(trustgraph, &file, &push);
    fs::write(&file, "tool: {").unwrap();
    assert!(push(&["--yes", "--delete"]).words.contains("can't read"));
}

/// Whatever is deleted and written, the agent has the tools of before or of afterwards all the
/// while.
fn never_without_tools(trustgraph: &Deployment, file: &Path, push: &dyn Fn(&[&str]) -> Ran) {
    let kept = |lines: &[&str]| -> String {
        TOOLS
            .lines()
            .filter(|line| !lines.iter().any(|part| line.contains(part)))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    // The service stays for a while, and then goes alone.
    fs::write(file, kept(&["broken:", "joke:"])).unwrap();
    let pushed = push(&["--yes", "--delete"]);
    assert!(pushed.code == Some(0), "{}", pushed.words);
    assert_eq!(trustgraph.loads(), 3);
    let alone = kept(&["broken:", "joke:", "jokes:", "tool-service:"]);
    fs::write(file, &alone).unwrap();
    let pushed = push(&["--yes", "--delete"]);
    assert!(pushed.code == Some(0) && pushed.words.contains("1 deleted"), "{}", pushed.words);
    assert_eq!(trustgraph.loads(), 3);
    // Some go, and others come.
    fs::write(file, alone.replace("unknown", "other")).unwrap();
    let pushed = push(&["--yes", "--delete"]);
    assert!(
        pushed.code == Some(0) && pushed.words.contains("1 added, 1 deleted"),
        "{}",
        pushed.words
    );
    // It reads what is there when it hears of a change, which may be the next one already.
    let first = trustgraph.loads();
    assert!([3, 4].contains(&first) && trustgraph.loads() == 3, "{first}");
}

/// The tools that the model is really offered are read on the broker, and what differs from the
/// forecast is told.
fn agents_that_are_listened_to(trustgraph: &Deployment) {
    let (folder, url, broker) =
        (tempfile::tempdir().unwrap(), trustgraph.url("ws"), trustgraph.broker());
    let ask = |arguments: &[&str]| {
        toolcrib(
            folder.path(),
            &[&["agent", "--connection", &url, "--groups", "read", "--broker", &broker], arguments]
                .concat(),
        )
    };
    let run =
        ask(&["--json", "--pattern", "react", "--collection", "books", "ask-model then shout"]);
    assert_eq!(run.code, Some(0), "{}", run.words);
    let events: Vec<Value> =
        run.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let offered: Vec<&Value> = events
        .iter()
        .filter(|event| event["event"] == "offered")
        .map(|event| &event["tools"])
        .collect();
    assert_eq!(
        offered,
        [&json!(["ask-model"]), &json!(["ask-model", "shout"]), &json!(["ask-model"])],
        "{}",
        run.data
    );
    assert!(!run.words.contains("not loaded"), "{}", run.words);
    let shown = ask(&["ask-model"]);
    assert!(
        shown.data.contains("offered     2 seen on the broker: ask-model, shout"),
        "{}",
        shown.data
    );

    let named = format!(
        "[connections.tg]\nservers = [\"{url}\"]\nbroker = \"bus\"\n[connections.bus]\nservers = [\"{broker}\"]\n"
    );
    fs::write(folder.path().join("toolcrib.toml"), named).unwrap();
    let shown =
        toolcrib(folder.path(), &["agent", "--connection", "tg", "--groups", "read", "ask-model"]);
    assert!(
        shown.data.contains("offered     1 seen on the broker: ask-model"),
        "{}{}",
        shown.data,
        shown.words
    );
    let nowhere = toolcrib(
        folder.path(),
        &[
            "agent",
            "--connection",
            "tg",
            "--broker",
            "pulsar://127.0.0.1:1",
            "--groups",
            "read",
            "done",
        ],
    );
    assert!(nowhere.words.contains("not connected to the broker"), "{}", nowhere.words);
    let gateway =
        toolcrib(folder.path(), &["agent", "--connection", "tg", "--broker", "tg", "done"]);
    assert!(
        gateway.code == Some(2) && gateway.words.contains("not to a broker"),
        "{}",
        gateway.words
    );
    let pattern =
        toolcrib(folder.path(), &["agent", "--connection", "tg", "--pattern", "guess", "done"]);
    assert!(
        pattern.code == Some(2) && pattern.words.contains("plan-then-execute"),
        "{}",
        pattern.words
    );
}

/// Why the agent fails is said as far as it is known, more of it where the broker is listened to.
fn agents_that_fail(trustgraph: &Deployment) {
    let (folder, url, broker) =
        (tempfile::tempdir().unwrap(), trustgraph.url("ws"), trustgraph.broker());
    let ask = |question: &str, more: &[&str]| {
        let arguments = ["agent", "--connection", &url, "--groups", "read", question];
        let ran = toolcrib(folder.path(), &[&arguments, more].concat());
        assert_eq!(ran.code, Some(1), "{}{}", ran.data, ran.words);
        ran.words
    };
    let listening = ["--broker", broker.as_str()];
    let hidden = ask("shout", &[]);
    assert!(
        hidden.contains(
            "the model called \"shout\", which it doesn't have: it is hidden in undefined"
        ),
        "{hidden}"
    );
    assert!(
        hidden.contains("available in asked, not in undefined")
            && hidden.contains("call ask-model first"),
        "{hidden}"
    );
    let seen = ask("shout", &listening);
    assert!(seen.contains("(it says: No action for shout!)"), "{seen}");
    let unknown = ask("shoot", &[]);
    assert!(unknown.contains("no tool has that name; the nearest is \"shout\""), "{unknown}");
    let failed = ask("fail", &listening);
    assert!(
        failed.contains(
            "the prompt service or the language model behind it failed: the model is out"
        ),
        "{failed}"
    );
    assert!(
        failed.contains("the gateway only says: 'Error' object has no attribute 'code'"),
        "{failed}"
    );
    let endless = ["ask-model"; 11].join(" then ");
    let limit = ask(&endless, &[]);
    assert!(limit.contains("most likely the agent stopped after 10 steps"), "{limit}");
    let limit = ask(&endless, &listening);
    assert!(
        limit.contains(" the agent stopped after 10 steps") && !limit.contains("most likely"),
        "{limit}"
    );
    assert!(limit.contains("--max-iterations"), "{limit}");
}

fn agents(trustgraph: &Deployment) {
    let (folder, url) = (tempfile::tempdir().unwrap(), trustgraph.url("ws"));
    let ask = |arguments: &[&str]| {
        toolcrib(folder.path(), &[&["agent", "--connection", &url], arguments].concat())
    };
    let run = ask(&["--json", "--groups", "read", "ask-model then shout"]);
    assert_eq!(run.code, Some(0), "{}", run.words);
    let events: Vec<Value> =
        run.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<(&str, usize)> = events
        .iter()
        .filter(|event| ["start", "state"].contains(&event["event"].as_str().unwrap()))
        .map(|event| {
            (event["state"].as_str().unwrap(), event["available"].as_array().unwrap().len())
        })
        .collect();
    assert_eq!(states, [("undefined", 1), ("asked", 2), ("shouted", 1)], "{}", run.data);
    // The agent told the language model of the very tools that were worked out here.
    let offered: Vec<usize> =
        (0..3).map(|_| trustgraph.asked()["tools"].as_array().unwrap().len()).collect();
    assert_eq!(offered, [1, 2, 1]);
    let used: Vec<&str> = events.iter().filter_map(|event| event["tool"].as_str()).collect();
    assert_eq!(used, ["ask-model", "shout"]);
    let text = |of: &str| -> String {
        events
            .iter()
            .filter(|event| event["event"] == of)
            .filter_map(|event| event["text"].as_str())
            .collect()
    };
    assert_eq!(
        (text("observation").as_str(), text("answer").trim()),
        ("The answer is why.HEY why.", "done after 2")
    );

    let shown = ask(&["--groups", "read", "ask-model"]);
    assert!(shown.data.contains("action      ask-model {\"question\": \"why\"}"), "{}", shown.data);
    assert!(
        shown.data.contains("state       asked · 2 available: ask-model, shout"),
        "{}",
        shown.data
    );
    let nothing = ask(&["--groups", "nobody", "done"]);
    assert!(
        nothing.words.contains("0 tools") && nothing.words.contains("no tool there is in nobody"),
        "{}",
        nothing.words
    );
    let failed = ask(&["--groups", "read", "fail"]);
    assert!(
        failed.code == Some(1) && failed.words.contains("the gateway hides why"),
        "{}",
        failed.words
    );
    let over_http =
        toolcrib(folder.path(), &["agent", "--connection", &trustgraph.url("http"), "why"]);
    assert!(over_http.code == Some(2) && over_http.words.contains("ws://"), "{}", over_http.words);
}

/// The same from the screen: the steps stream into the answer, and are kept.
fn agents_by_keys(trustgraph: &Deployment) {
    let folder = workspace();
    let settings = format!(
        "[context]\ngroups = [\"read\"]\n[connections.tg]\nservers = [\"{}\"]\nbroker = \"{}\"\n",
        trustgraph.url("ws"),
        trustgraph.broker()
    );
    fs::write(folder.path().join("toolcrib.toml"), settings).unwrap();
    let mut terminal = terminal::toolcrib([folder.path().to_str().unwrap(), "--connection", "tg"])
        .size(160, 60)
        .start();
    terminal.wait_for("tools.yaml");
    terminal.press(["@ask-agent"]);
    terminal.wait_for("Ask the agent");
    terminal.wait_for("with groups read in");
    terminal.type_text("ask-model then shout");
    terminal.press(["enter"]);
    terminal.wait_for("done after 2");
    for told in [
        "undefined · 1 available: ask-model",
        "asked · 2 available: ask-model, shout",
        "shouted · 1 available",
        "HEY why.",
    ] {
        terminal.wait_for(told);
    }
    terminal.wait_for("2 seen on the broker: ask-model, shout");
    terminal.wait_for("✓ succeeded");
    terminal.press(["esc", "5"]);
    terminal.wait_for("agent ✓ succeeded");
    terminal.wait_for("asked · 2 available: ask-model, shout");
}

/// The same from the screen: what changes is shown, and made with one key.
fn by_keys(trustgraph: &Deployment) {
    let folder = tempfile::tempdir().unwrap();
    let mine =
        "tool:\n  mine: {type: text-completion, name: mine, description: Mine, group: [other]}\n";
    fs::write(folder.path().join("mine.yaml"), mine).unwrap();
    let url = trustgraph.url("ws");
    let mut terminal =
        terminal::toolcrib([folder.path().to_str().unwrap(), "--connection", &url]).start();
    terminal.wait_for("mine.yaml");
    terminal.press(["@import"]);
    terminal.wait_for("Import from TrustGraph");
    terminal.wait_for("trustgraph.yaml  new file");
    // No key is needed for it to go.
    terminal.wait_gone("reading from");
    terminal.press(["esc"]);
    terminal.wait_gone("Import from TrustGraph");
    terminal.press(["@import"]);
    terminal.wait_for("Import from TrustGraph");
    terminal.press(["enter"]);
    terminal.wait_for("ask-model");
    terminal.press(["S"]);
    terminal.wait_for("Saved");
    assert!(
        fs::read_to_string(folder.path().join("trustgraph.yaml")).unwrap().contains("ask-model:")
    );
    terminal.press(["@push"]);
    terminal.wait_for("Push to TrustGraph");
    terminal.wait_for("tool/mine  add");
    terminal.press(["enter"]);
    terminal.wait_for("and verified: 1 added");
    takes_away_there(trustgraph, &folder, terminal);
}

/// What only the running system has goes when that is asked for, and not before.
fn takes_away_there(trustgraph: &Deployment, folder: &TempDir, mut terminal: terminal::Terminal) {
    fs::remove_file(folder.path().join("mine.yaml")).unwrap();
    terminal.wait_for("mine.yaml was removed on disk");
    terminal.press(["@push"]);
    terminal.wait_for("Only there, not changed: tool/mine.");
    terminal.wait_for("Everything here is already there, unchanged.");
    terminal.press(["x"]);
    terminal.wait_for("tool/mine  delete");
    terminal.press(["x"]);
    terminal.wait_gone("tool/mine  delete");
    terminal.click_on("delete 1 there too");
    terminal.wait_for("tool/mine  delete");
    terminal.press(["enter"]);
    terminal.wait_for("and verified: 1 deleted");
    let there = toolcrib(
        folder.path(),
        &["push", "trustgraph", "--connection", &trustgraph.url("ws"), "--delete", "--dry-run"],
    );
    assert!(there.words.contains("everything is already there"), "{}{}", there.data, there.words);
}
