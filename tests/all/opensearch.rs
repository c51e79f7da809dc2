//! OpenSearch's tools and agents in the real program: steps that it runs itself on a real cluster's
//! API (`osmem-server`), models and agents of a stand-in for the ML framework in front of it.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use toolcrib::app::message::ScreenId;

use crate::support::{
    certificates::Certificates,
    cluster::MemoryCluster,
    place::{Place, Ran},
    services::{program, script},
    started::first_line,
    terminal::toolcrib,
    workbench::Workbench,
};

/// A cluster, and a workspace with a connection to it; stopped on drop.
struct Cluster {
    stand_in: Child,
    _server: MemoryCluster,
    log: PathBuf,
    place: Place,
}

impl Cluster {
    fn start(files: &[(&str, &str)]) -> Self {
        Self::with_settings(files, "http", "", "", &[])
    }

    /// One behind that scheme and path; `variables` say whom it lets in, and how.
    fn with_settings(
        files: &[(&str, &str)],
        scheme: &str,
        path: &str,
        settings: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        let place = Place::with(files);
        let log = place.home.path().join("requests");
        let server = MemoryCluster::start();
        let mut command = Command::new(program("TOOLCRIB_PYTHON"));
        command.arg(script("opensearch_ml.py")).arg(&log).arg(&server.url);
        command.envs(variables.iter().copied());
        let mut stand_in = command.stdout(Stdio::piped()).spawn().unwrap();
        let port = first_line(&mut stand_in).trim().rsplit(' ').next().unwrap().to_owned();
        let text = format!(
            "connection = \"cluster\"\n[connections.cluster]\ntransport = \"http\"\nservers = [\"{scheme}://127.0.0.1:{port}{path}\"]\n{settings}"
        );
        fs::write(place.here.join("toolcrib.toml"), text).unwrap();
        Self { stand_in, _server: server, log, place }
    }

    fn call(&self, words: &[&str]) -> Ran {
        self.place.run(&[&["call"], words].concat())
    }

    fn events(&self, words: &[&str]) -> Vec<Value> {
        self.call(&[words, &["--json"]].concat()).events()
    }

    /// Method and path of all requests until now.
    fn requests(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines()
            .map(|line| {
                let request: Value = serde_json::from_str(line).unwrap();
                format!(
                    "{} {}",
                    request["method"].as_str().unwrap(),
                    request["path"].as_str().unwrap()
                )
            })
            .collect()
    }

    fn with_books(self) -> Self {
        for (number, text) in ["The wind blows", "Nothing of it"].iter().enumerate() {
            let id = format!("id={number}");
            self.call(&["put_book", &id, &format!("text={text}")]).ended(0, &[]);
        }
        self
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.stand_in.kill();
        let _ = self.stand_in.wait();
    }
}

const BOOKS: (&str, &str) = (
    "tools/put-book.json",
    r#"{"type": "DynamicTool", "name": "put_book", "parameters": {"method": "PUT",
        "uri": "/books/_doc/${parameters.id}?refresh=true", "request_body": "{\"text\": \"${parameters.text}\"}"}}"#,
);

fn sample_files() -> [(&'static str, &'static str); 2] {
    [
        BOOKS,
        (
            "tools/answer.json",
            include_str!("../../samples/opensearch/tools/answer-from-books.json"),
        ),
    ]
}

fn stages<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == "stage" && event["stage"] == name).collect()
}

#[test]
fn a_dry_run_shows_each_step_and_sends_nothing() {
    let place = Place::sample("opensearch");
    let ran = place.run(&["call", "answer_from_books", "question=wind", "--dry-run"]);
    ran.ended(0, &[]);
    for words in [
        "step 1 search",
        "question       wind  (the request)",
        "→ POST /books/_search",
        r#"{"query": {"match": {"text": "wind"}}, "size": 3}"#,
        "step 2 answer",
        "→ POST /_plugins/_ml/models/llm/_predict",
        "! search.output is available once the previous step has run",
    ] {
        assert!(ran.data.contains(words), "{words} is missing:\n{}", ran.data);
    }
    let second = place
        .run(&[
            "call",
            "answer_from_books",
            "question=wind",
            "--dry-run",
            "--step",
            "answer",
            "--json",
        ])
        .json();
    assert_eq!((&second["step"], &second["unfilled"]), (&json!(2), &json!(["search.output"])));
}

#[test]
fn outputs_go_on_to_the_steps_after() {
    let cluster = Cluster::start(&sample_files()).with_books();
    let events = cluster.events(&["answer_from_books", "question=wind"]);
    let answers = stages(&events, "step-answer");
    assert_eq!(answers.len(), 2, "{events:#?}");
    let first = &answers[0]["body"];
    assert_eq!(first["filtered"], r#"["The wind blows"]"#);
    assert_eq!(first["stored"], r#"[\"The wind blows\"]"#);
    assert_eq!(first["escaped_twice"], r#"[\\\"The wind blows\\\"]"#);
    let second = &stages(&events, "step-request")[1]["body"];
    assert_eq!(second["parameters"]["search.output"]["from"], "the output of step 1");
    let text: String = events
        .iter()
        .filter_map(|event| event["text"].as_str().filter(|_| event["event"] == "chunk"))
        .collect();
    assert_eq!(text, r#"said: Answer from this alone: ["The wind blows"]"#);
}

#[test]
fn a_step_that_failed_is_tried_again_alone() {
    let cluster = Cluster::start(&sample_files()).with_books();
    let model = "model_id=shaky";
    let failed = cluster.call(&["answer_from_books", "question=wind", model]);
    failed.ended(1, &["step 2 of 2, answer: HTTP 503: Error from remote service", "overloaded"]);
    let before = cluster.requests().len();
    let again = cluster.call(&["answer_from_books", "question=wind", model, "--from", "answer"]);
    again.ended(0, &[]);
    assert_eq!(again.data, "said: Answer from this alone: [\"The wind blows\"]");
    let requests = cluster.requests();
    assert_eq!(requests[before..], ["POST /_plugins/_ml/models/shaky/_predict".to_owned()]);

    let text = "search.output=nothing at all";
    let other = ["answer_from_books", "question=wind", "--step", "answer", "--no-check", text];
    assert_eq!(cluster.call(&other).data, "said: Answer from this alone: nothing at all");
    let until = cluster.call(&["answer_from_books", "question=wind", "--until", "1"]);
    assert_eq!(until.data, "[\"The wind blows\"]");
    let wrong = cluster.call(&["answer_from_books", "question=wind", "--step", "ask"]);
    wrong.ended(2, &["ask is no step; they are 1 search, 2 answer"]);
}

#[test]
fn what_nothing_gives_a_value_is_not_sent() {
    let files = [(
        "tools/find.json",
        r#"{"type": "DynamicTool", "name": "find", "parameters": {"method": "POST", "uri": "/b/_search",
            "request_body": "{\"query\": {\"match\": {\"text\": \"${parameters.question}\"}}}"}}"#,
    )];
    let cluster = Cluster::start(&files);
    let ran = cluster.call(&["find", "--no-check"]);
    ran.ended(1, &["question has no value", "set question=…"]);
    assert_eq!(cluster.requests(), Vec::<String>::new());
}

#[test]
fn what_the_cluster_refuses_is_told_with_what_to_do() {
    let files = [
        (
            "tools/bad.json",
            r#"{"type": "DynamicTool", "name": "bad", "parameters": {"method": "POST", "uri": "/b/_search", "request_body": "{\"query\": {\"nope\": {}}}"}}"#,
        ),
        (
            "tools/odd.json",
            r#"{"name": "odd", "type": "flow", "tools": [{"type": "OddTool", "parameters": {}}]}"#,
        ),
        (
            "tools/off.json",
            r#"{"name": "off", "type": "flow", "agent_id": "off", "tools": [{"type": "ListIndexTool", "parameters": {}}]}"#,
        ),
    ];
    let cluster = Cluster::start(&files);
    cluster.call(&["bad"]).ended(1, &["step 1 of 1, bad: HTTP 4", "nope"]);
    cluster.call(&["odd"]).ended(1, &["step 1 of 1, OddTool: HTTP 400: Tool not found: OddTool"]);
    cluster.call(&["off", "--route", "server"]).ended(
        1,
        &[
            "HTTP 403: The agent framework is disabled",
            "set plugins.ml_commons.agent_framework_enabled to true",
        ],
    );
    cluster
        .call(&["odd", "--route", "stream"])
        .ended(2, &["its entry has no agent_id", "toolcrib push"]);
}

const AGENT: (&str, &str) = (
    "agents/a.json",
    r#"{"name": "helper", "type": "flow", "agent_id": "a1", "tools": [
        {"type": "ListIndexTool", "name": "list", "parameters": {"output_processors": "[{\"type\":\"regex_capture\",\"pattern\":\"(g\\\\w+)\"}]"}},
        {"type": "MLModelTool", "name": "llm", "parameters": {"model_id": "llm", "prompt": "unused",
            "input": "{\"prompt\": \"${parameters.question} ${parameters.list.output}\"}"}}]}"#,
);

#[test]
fn an_agents_tools_are_run_one_by_one() {
    let cluster = Cluster::start(&[AGENT]);
    let ran = cluster.call(&["helper", "question=how"]);
    ran.ended(0, &[]);
    assert_eq!(ran.data, "said: how green");
    assert_eq!(
        cluster.requests(),
        [
            "POST /_plugins/_ml/tools/_execute/ListIndexTool",
            "POST /_plugins/_ml/models/llm/_predict"
        ]
    );
    let picked =
        cluster.call(&["helper", "question=how", "--no-check", "selected_tools:=[\"list\"]"]);
    assert_eq!(picked.data, "green");
}

#[test]
fn the_cluster_runs_an_agent_in_three_ways() {
    let cluster = Cluster::start(&[AGENT]);
    let dry = cluster.call(&["helper", "question=how", "--route", "async", "--dry-run"]);
    dry.ended(0, &[]);
    for words in [
        "→ POST /_plugins/_ml/agents/a1/_execute?async=true",
        r#"{"parameters":{"question":"how"}}"#,
    ] {
        assert!(dry.data.contains(words), "{}", dry.data);
    }
    let events = cluster.events(&["helper", "question=how", "--route", "server"]);
    assert!(events.iter().any(|event| event["text"] == "The answer to how"), "{events:#?}");
    assert_eq!(stages(&events, "trace")[0]["body"]["response"], "2 hits");
    let memory = stages(&events, "memory")[0];
    assert_eq!(memory["text"], "conversation m1 has 1 message");
    assert_eq!(memory["body"][0]["response"], "so");
    let followed = cluster.events(&["helper", "question=how", "--route", "async"]);
    let told: Vec<&Value> = stages(&followed, "task").iter().map(|stage| &stage["text"]).collect();
    assert_eq!(
        told,
        ["the cluster works on it as task t1", "task t1 is running", "task t1 is completed",]
    );
    assert!(followed.iter().any(|event| event["text"] == "The answer to how"), "{followed:#?}");
    let streamed = cluster.call(&["helper", "question=how", "--route", "stream"]);
    streamed.ended(0, &["the agent calls search"]);
    assert_eq!(streamed.data, "It blows.");
}

#[test]
fn a_user_and_a_path_before_all_others_are_the_connections() {
    let settings = "user = \"ada\"\npassword-variable = \"CLUSTER_PASSWORD\"\n";
    let cluster = Cluster::with_settings(
        &[AGENT],
        "http",
        "/prefix",
        settings,
        &[("TOOLCRIB_BASIC", "ada:s3cret-word")],
    );
    let run = |password: &str| {
        let mut command = cluster.place.command(&["call", "helper", "question=how"]);
        Ran::of(command.env("CLUSTER_PASSWORD", password).output().unwrap())
    };
    run("s3cret-word").ended(0, &[]);
    assert_eq!(cluster.requests()[0], "POST /prefix/_plugins/_ml/tools/_execute/ListIndexTool");
    run("wrong-one").ended(1, &["HTTP 401: Unauthorized", "password-variable"]);
}

#[test]
fn a_token_is_sent_as_the_connection_says() {
    let settings = "token-variable = \"CLUSTER_TOKEN\"\n";
    let token = [("TOOLCRIB_BEARER", "t0ken-word")];
    let cluster = Cluster::with_settings(&[AGENT], "http", "", settings, &token);
    let run = |token: &str| {
        let mut command = cluster.place.command(&["call", "helper", "question=how"]);
        Ran::of(command.env("CLUSTER_TOKEN", token).output().unwrap())
    };
    run("t0ken-word").ended(0, &[]);
    run("another").ended(1, &["HTTP 401: Unauthorized", "token-variable"]);
}

/// The variable by which the stand-in is encrypted; with an authority it wants to know its callers.
fn encryption(files: &Certificates, authority: Option<&str>) -> String {
    let parts = ["server.pem", "server.key"].into_iter().chain(authority);
    parts.map(|name| files.file(name)).collect::<Vec<_>>().join(",")
}

#[test]
fn a_cluster_is_known_by_its_authority() {
    let (files, others) = (Certificates::make(), Certificates::make());
    let encrypted = encryption(&files, None);
    let run = |ca: &Certificates| {
        let settings = format!("ca-file = \"{}\"\n", ca.file("ca.pem"));
        let variables = [("TOOLCRIB_TLS", encrypted.as_str())];
        let cluster = Cluster::with_settings(&[AGENT], "https", "", &settings, &variables);
        let ran = cluster.call(&["helper", "question=how"]);
        (ran, cluster.requests())
    };
    run(&files).0.ended(0, &[]);
    let (ran, requests) = run(&others);
    ran.ended(3, &["its certificate is from an authority that this connection doesn't trust"]);
    assert_eq!(requests, Vec::<String>::new());
}

#[test]
fn a_certificate_of_ours_opens_what_wants_one() {
    let files = Certificates::make();
    let encrypted = encryption(&files, Some("ca.pem"));
    let run = |own: bool| {
        let mut settings = format!("ca-file = \"{}\"\n", files.file("ca.pem"));
        if own {
            let (cert, key) = (files.file("client.pem"), files.file("client.key"));
            settings += &format!("cert-file = \"{cert}\"\nkey-file = \"{key}\"\n");
        }
        let variables = [("TOOLCRIB_TLS", encrypted.as_str())];
        let cluster = Cluster::with_settings(&[AGENT], "https", "", &settings, &variables);
        cluster.call(&["helper", "question=how"])
    };
    run(true).ended(0, &[]);
    let refused = run(false);
    assert_ne!(refused.code, Some(0), "{}", refused.words);
    assert!(refused.words.to_lowercase().contains("certificate"), "{}", refused.words);
}

#[test]
fn only_what_changes_nothing_is_sent_again() {
    let tool = |method: &str| {
        format!(
            r#"{{"type": "DynamicTool", "name": "{method}_flaky", "parameters": {{"method": "{method}", "uri": "/flaky/{method}"}}}}"#
        )
    };
    let (get, post) = (tool("GET"), tool("POST"));
    let files = [("tools/get.json", get.as_str()), ("tools/post.json", post.as_str())];
    let cluster = Cluster::start(&files);
    let ran = cluster.call(&["GET_flaky"]);
    ran.ended(0, &["GET /flaky/GET: HTTP 503; sent again in 250 ms (1 of 2)"]);
    cluster.call(&["POST_flaky"]).ended(1, &["HTTP 503", "try again later"]);
    assert_eq!(cluster.requests(), ["GET /flaky/GET", "GET /flaky/GET", "POST /flaky/POST"]);

    let never = "[connections.cluster.opensearch]\nretries = 0\n";
    let cluster = Cluster::with_settings(&files, "http", "", never, &[]);
    cluster.call(&["GET_flaky"]).ended(1, &["HTTP 503"]);
    assert_eq!(cluster.requests(), ["GET /flaky/GET"]);
}

#[test]
fn the_screen_shows_what_each_step_would_send() {
    let mut bench = Workbench::sample("opensearch", 120, 36).on(ScreenId::Invoke);
    assert!(bench.shows("sends     POST /books/_search"), "{}", bench.screen());
    assert!(bench.shows("question has no value"), "{}", bench.screen());
    bench.keys("enter");
    bench.types("wind");
    bench.keys("esc");
    assert!(bench.shows("question wind (the request)"), "{}", bench.screen());
    assert!(!bench.shows("question has no value"), "{}", bench.screen());
}

#[test]
fn the_sample_is_stepped_fails_and_is_tried_again_in_a_terminal() {
    let cluster = Cluster::start(&sample_files()).with_books();
    let folder = &cluster.place.here;
    let mut terminal = toolcrib([folder]).size(160, 48).start();
    terminal.wait_for("answer_from_books");
    terminal.press(["3"]);
    terminal.wait_for("put_book");
    terminal.click_on("answer_from_books");
    terminal.wait_for("1 search");
    for (field, text) in [("question *", "wind"), ("model_id", "shaky")] {
        terminal.click_on(field);
        terminal.type_text(text);
        terminal.press(["enter", "esc"]);
        terminal.wait_for(&format!("{text} (the request)"));
    }
    let sent = |from: usize| -> Vec<String> {
        let made = |request: &String| request.contains("/_search") || request.contains("/_predict");
        cluster.requests().split_off(from).into_iter().filter(made).collect()
    };
    let (search, predict) = ("POST /books/_search", "POST /_plugins/_ml/models/shaky/_predict");
    // What would be sent is shown, and nothing is.
    let before = cluster.requests().len();
    terminal.click_on("1 search");
    terminal.press(["@dry-run"]);
    terminal.wait_for("Nothing was sent.");
    terminal.wait_for(predict);
    terminal.press(["esc"]);
    terminal.wait_gone("Nothing was sent.");
    assert_eq!(sent(before), Vec::<String>::new());

    // The first step alone, then all: the second one fails.
    terminal.press(["t"]);
    terminal.wait_for("✓ 1 search");
    terminal.press(["f6"]);
    terminal.wait_for("✗ 2 answer");
    assert_eq!(sent(before), [search, search, predict]);

    // That one is tried again, on what the search has stored; the picture says so too.
    let before = cluster.requests().len();
    terminal.press(["p"]);
    terminal.wait_for("✓ 2 answer");
    assert_eq!(sent(before), [predict]);
    terminal.wait_for("said: Answer from this alone");
    terminal.press(["2"]);
    terminal.wait_for("States");
    terminal.press(["o"]);
    terminal.wait_for("✓ 2 answer");
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}
