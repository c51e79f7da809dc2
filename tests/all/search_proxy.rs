//! Unique's search proxy: the real program on loopback (`tests/services/search_proxy.py`), its
//! engines as tools, calls of them, and what it says when it refuses.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use toolcrib::app::{effect::Effect, message::ScreenId};

use crate::support::{
    place::{Place, Ran},
    services::{program, script},
    workbench::Workbench,
};

/// The proxy, and its address; it ends with its input.
struct Proxy(Child, String);

impl Proxy {
    fn start(docs: bool) -> Self {
        let mut child = Command::new(program("TOOLCRIB_UNIQUE_PYTHON"))
            .arg(script("search_proxy.py"))
            .env("EXPOSE_DOCS", docs.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        while !line.starts_with("http://") {
            line.clear();
            assert_ne!(lines.read_line(&mut line).unwrap(), 0, "the proxy did not start");
        }
        // Whatever else it says is read, or it would block.
        std::thread::spawn(move || lines.lines().for_each(drop));
        Self(child, line.trim().to_owned())
    }

    fn place(&self, files: &[(&str, &str)]) -> Place {
        let settings = format!(
            "connection = \"proxy\"\n[connections.proxy]\nservers = \"{}\"\n\
             [connections.proxy.search-proxy]\ncompany-id = \"1\"\nuser-id = \"2\"\nchat-id = \"c\"\n",
            self.1
        );
        Place::with(&[&[("toolcrib.toml", settings.as_str())], files].concat())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn of_kind<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

fn end(ran: &Ran) -> Value {
    ran.events().pop().unwrap()
}

#[test]
fn its_engines_are_tools_that_are_called_as_they_are() {
    let proxy = Proxy::start(true);
    let place = proxy.place(&[]);
    let tools = place.json(&["tools", "--deployed", "--json"]);
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in ["search-google", "search-custom_api", "agent-search-vertexai", "crawl-basic"] {
        assert!(names.contains(&name), "{names:?}");
    }

    let found = place.run(&[
        "call",
        "search-google",
        "query=llamas",
        "--config",
        r#"{"gl": "de", "fetchSize": 2}"#,
        "--verbose",
    ]);
    found.ended(0, &["the whole answer"]);
    assert_eq!(
        found.data,
        "1. llamas 1\n   https://example.org/1\n   gl=de num=2 safe=active\n\n\
         2. llamas 2\n   https://example.org/2\n   gl=de num=2 safe=active\n"
    );

    let crawled = place.run(&["call", "crawl-basic", r#"urls:=["http://127.0.0.1/"]"#]);
    crawled.ended(
        0,
        &["crawl.url-failed at /results/0/error", "FORBIDDEN_TARGET: Target points to a private"],
    );
}

#[test]
fn an_agent_is_told_as_it_writes() {
    let proxy = Proxy::start(true);
    let place = proxy.place(&[]);
    let told = place.run(&["call", "agent-search-vertexai", "query=one two three", "--json"]);
    told.ended(0, &[]);
    let events = told.events();
    let chunks: Vec<&str> =
        of_kind(&events, "chunk").iter().filter_map(|chunk| chunk["text"].as_str()).collect();
    assert_eq!(chunks, ["one ", "two ", "three "]);
    let result = of_kind(&events, "stage").into_iter().find(|stage| stage["stage"] == "result");
    assert_eq!(result.unwrap()["body"]["answer"], "one two three ");
    assert_eq!(of_kind(&events, "request")[0]["to"], "/v1/agent-search/stream");

    let options = ["--route", "whole", "--config", r#"{"enableRedirectResolution": false}"#];
    let whole =
        place.run(&[&["call", "agent-search-vertexai", "query=one two"], &options[..]].concat());
    assert_eq!(whole.data, "one two ");

    // An error after the first pieces is an error, although the answer began with 200.
    let broken = place.run(&["call", "agent-search-vertexai", "query=one fail", "--json"]);
    assert_eq!(broken.code, Some(1));
    assert_eq!(of_kind(&broken.events(), "chunk").len(), 1);
    let error = &end(&broken)["error"];
    assert_eq!(error["type"], "UPSTREAM_ERROR");
    assert!(error["message"].as_str().unwrap().contains("the model stopped"), "{error}");
}

#[test]
fn each_error_is_told_as_what_it_is() {
    let proxy = Proxy::start(true);
    let place = proxy.place(&[]);
    let cases: [(&[&str], &[&str]); 7] = [
        (&["search-google", "query=broken"], &["UPSTREAM_ERROR", "backend error", "retryable"]),
        (&["search-google", "query=nothing"], &["EMPTY_SEARCH_RESULTS", "nothing was found"]),
        (&["search-brave", "query=x"], &["ENGINE_NOT_CONFIGURED", "BRAVE_SEARCH_API_KEY set"]),
        (&["agent-search-bing", "query=x"], &["ENGINE_NOT_CONFIGURED", "BING_AGENT_ENDPOINT"]),
        (
            &["search-custom_api", "query=x"],
            &["http-500", "Internal Server Error", "log of the proxy"],
        ),
        (&["search-google", "--no-check"], &["VALIDATION_ERROR", "query: Field required"]),
        (
            &["search-google", "query=x", "--context", "chat-id= "],
            &["VALIDATION_ERROR", "x-unique-chat-id: Field required", "--context chat-id=…"],
        ),
    ];
    for (words, told) in cases {
        let ran = place.run(&[&["call", "--json"], words].concat());
        assert_eq!(ran.code, Some(1), "{}\n{}", ran.data, ran.words);
        let error = end(&ran)["error"].to_string();
        for word in told {
            assert!(error.contains(word), "{word} is not in {error}");
        }
        assert!(!error.contains("BraveSearchRequest"), "only its own engine's: {error}");
    }
    let unfit = place.run(&[
        "call",
        "search-google",
        "query=x",
        "--config",
        r#"{"fetchSize": 1000, "gI": "de"}"#,
    ]);
    unfit.ended(
        2,
        &["fetchSize is more than 100", "gI is nothing that the tool is configured with"],
    );
}

#[test]
fn an_import_makes_entries_that_keep_what_is_set_in_them() {
    let proxy = Proxy::start(true);
    let place = proxy.place(&[]);
    place.run(&["import", "search-proxy"]).ended(0, &[]);
    place.run(&["check"]).ended(0, &[]);
    let file = place.here.join("search-proxy/search-google.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("title: Geolocation (gl)"), "{text}");

    let entry = json!({
        "name": "search-google", "search-proxy": "search", "engine": "google",
        "description": "Our search", "exposed": ["gl"], "request-schema": {},
        "configuration": {"fetch_size": 2, "gl": "fr", "sfae": "off"},
    });
    std::fs::write(&file, entry.to_string()).unwrap();
    place.run(&["import", "search-proxy", "--overwrite"]).ended(0, &[]);
    let findings = place.json(&["check", "--json"]);
    let told: Vec<&Value> = findings.as_array().unwrap().iter().map(|it| &it["code"]).collect();
    assert_eq!(told, ["proxy.ignored-key"], "{findings}");
    assert!(findings[0]["message"].as_str().unwrap().contains("safe"), "{findings}");

    let dry = place.json(&["call", "search-google", "query=x", "gl=it", "--dry-run", "--json"]);
    let body: Value = serde_json::from_str(dry["body"].as_str().unwrap()).unwrap();
    assert_eq!(
        body,
        json!({"engine": "google", "fetch_size": 2, "sfae": "off", "query": "x", "gl": "it"})
    );
    assert_eq!(dry["headers"]["x-unique-user-id"], "2");
    let found = place.run(&["call", "search-google", "query=x", "gl=it"]);
    assert!(found.data.contains("gl=it num=2 safe=active"), "{}\n{}", found.data, found.words);
}

#[test]
fn a_proxy_that_hides_its_document_has_tools_without_forms() {
    let proxy = Proxy::start(false);
    let place = proxy.place(&[]);
    let found = place.run(&["call", "search-google", "query=llamas"]);
    found.ended(0, &[]);
    assert!(found.data.contains("1. llamas 1"), "{}", found.data);
}

/// The body and the headers of the last request that was sent.
fn sent(bench: &Workbench) -> (Value, Vec<String>) {
    let request = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Call { request, .. } => Some(request),
        _ => None,
    });
    let request = request.expect("a call");
    let headers = request.headers.iter().map(|(name, value)| format!("{name}: {value}"));
    (serde_json::from_str(&request.body).unwrap(), headers.collect())
}

#[test]
fn invoke_has_forms_of_the_configuration_and_the_context() {
    let entry = json!({
        "name": "web", "description": "Finds", "search-proxy": "search", "engine": "near",
        "configuration": {"area": "sea"},
        "request-schema": {"type": "object", "required": ["query"], "properties": {
            "engine": {"const": "near"}, "query": {"type": "string"},
            "area": {"type": "string"}, "fetchSize": {"type": "integer", "maximum": 9},
        }},
    });
    let settings = "connection = \"proxy\"\n[connections.proxy]\nservers = \"http://127.0.0.1:9\"\n\
                    [connections.proxy.search-proxy]\nuser-id = \"2\"\nchat-id = \"c\"\n";
    let files = [("web.json", &*entry.to_string()), ("toolcrib.toml", settings)];
    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    for part in [
        "▾ configuration  the entry's own counts",
        "sea · default",
        "▸ context",
        "x-unique-user-id: 2",
    ] {
        assert!(bench.shows(part), "{part}:\n{}", bench.screen());
    }
    assert!(!bench.shows("_meta"), "there is no such thing here:\n{}", bench.screen());
    bench.keys("enter");
    bench.types("whales");
    bench.keys("enter f6");
    let context = ["x-unique-user-id: 2", "x-unique-chat-id: c"].map(str::to_owned).to_vec();
    let body = json!({"engine": "near", "area": "sea", "query": "whales"});
    assert_eq!(sent(&bench), (body, context));

    bench.keys("tab enter");
    bench.types("lake");
    bench.keys("enter f6");
    assert_eq!(sent(&bench).0, json!({"engine": "near", "area": "lake", "query": "whales"}));
    assert!(bench.shows("configuration  sent with the call"), "{}", bench.screen());
}
