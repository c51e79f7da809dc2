//! Stubs: services answered for by the rules of a file over a real server, and kept calls that
//! answer as they were answered.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolcrib::{
    engine::stub::read::read_stub,
    model::{
        call::{Limits, Outcome, Request, StrayCause},
        connection::Connection,
        stub::{AnswerPiece, Fault, Rule, StubAnswer, StubService},
    },
    syntax::source::{Format, Source},
    systems::trustgraph::request,
    wire::{
        registry::Registry,
        systems::{
            facets::decided::AnswerSource,
            trustgraph::{
                offers::{self, ServedService},
                serving::Serving as InProcess,
            },
        },
    },
};

use crate::support::{
    calls::{call_with, joke, joke_of, limits},
    nats::NatsServer,
    place::Place,
    services::foreign_call,
    serving::Serving,
};

const FILE: &str = "\
stub: bad days
services:
  tell-joke:                      # a tool: its service's queues count
    rules:
      - {name: llamas, when: {arguments: {topic: llamas}, config: {style: pun}}, answer: ['Why ', {text: not, after: 20ms}]}
      - {name: of ann, when: {user: ann, contains: fish}, answer: {json: {told: [1]}}, delay: 10ms}
      - {name: cold, when: {contains: oven}, answer: so far, error: {type: burnt, message: The oven is cold}}
      - {when: {arguments: {topic: silence}}, fault: silence}
      - {when: {arguments: {topic: wrong-id}}, answer: x, fault: wrong-id}
      - {when: {arguments: {topic: unknown-id}}, answer: x, fault: unknown-id}
      - {when: {arguments: {topic: no-id}}, answer: x, fault: no-id}
      - {when: {arguments: {topic: broken-json}}, answer: x, fault: broken-json}
      - {when: {arguments: {topic: not-utf8}}, answer: x, fault: not-utf8}
      - {when: {arguments: {topic: no-end}}, answer: x, fault: no-end}
      - {when: {arguments: {topic: endless}}, answer: on, pause: 5ms, fault: endless}
      - {when: {arguments: {topic: late}}, answer: in time, pause: 20ms, fault: late}
      - {when: {arguments: {topic: twice}}, answer: [o, nce], fault: twice}
      - {when: {arguments: {topic: out-of-order}}, answer: [fi, rst], fault: out-of-order}
  made-up:
    request-queue: request:tg:made-up
    response-queue: response:tg:made-up
    rules:
      - answer: whatever
";

/// The sample with services, where files can be put beside it.
fn place() -> Place {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &to);
            } else {
                fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
            }
        }
    }
    let place = Place::with(&[("stubs/faults.yaml", FILE)]);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/services"), &place.here);
    place
}

fn body(user: &str, style: &str, topic: &str) -> String {
    let (config, arguments) =
        (json!({"style": style}).to_string(), json!({"topic": topic}).to_string());
    json!({"user": user, "config": config, "arguments": arguments}).to_string()
}

#[test]
fn callers_of_another_language_get_what_the_first_matching_rule_says() {
    let (server, place) = (NatsServer::start(), place());
    let mut serving =
        Serving::start(&place, &server.url(), &["--stub", "stubs/faults.yaml", "calculator"]);
    assert_eq!(serving.line(), "listening on tg.request.joke for tell-joke");
    assert_eq!(serving.line(), "listening on tg.request.made-up for made-up");
    assert_eq!(serving.line(), "listening on tg.request.calc for calculator");
    let mut ask = |user, style, topic, told: &str| {
        let answer = foreign_call(
            &server.url(),
            "tg.request.joke",
            "tg.response.joke",
            &body(user, style, topic),
        );
        let line = serving.line();
        assert!(line.contains(told), "{line}");
        answer
    };
    let answer = ask("bob", "pun", "llamas", "by \"llamas\": 2 chunks");
    assert_eq!(
        (&answer["text"], &answer["pieces"], &answer["error"]),
        (&json!("Why not"), &json!(2), &json!(null))
    );
    assert_eq!(ask("ann", "pun", "odd fish", "by \"of ann\"")["text"], r#"{"told":[1]}"#);
    let answer = ask("", "pun", "the oven", "by \"cold\"");
    assert_eq!(
        (&answer["text"], &answer["error"]),
        (&json!("so far"), &json!({"type": "burnt", "message": "The oven is cold"}))
    );
    let answer = ask("bob", "limerick", "llamas", "(no-rule)");
    assert_eq!(answer["error"]["type"], "no-rule");
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.contains("\"llamas\": configuration: /style is"), "{why}");
    assert_eq!(
        foreign_call(&server.url(), "tg.request.made-up", "tg.response.made-up", "{}")["text"],
        "whatever"
    );
    serving.interrupt();
}

#[test]
fn each_fault_is_what_a_call_sees_of_it() {
    let (server, place) = (NatsServer::start(), place());
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "stubs/faults.yaml"]);
    assert!(serving.line().starts_with("listening"));
    assert!(serving.line().starts_with("listening"));
    let cases = [
        ("silence", "timed-out", "timed-out", ""),
        ("wrong-id", "timed-out", "timed-out", "id of a different call"),
        (
            "unknown-id",
            "timed-out",
            "timed-out",
            "id \"unknown\": the service could not read the request",
        ),
        ("no-id", "timed-out", "timed-out", "no id"),
        ("broken-json", "lost", "not-json", "can't be read"),
        ("not-utf8", "lost", "not-utf8", "can't be read"),
        ("no-end", "timed-out", "timed-out", ""),
        ("endless", "timed-out", "timed-out", ""),
    ];
    let see = |(topic, outcome, error, stray): (&str, &str, &str, &str)| {
        // Long enough for what is to come, also on a busy machine.
        let limit = if outcome == "timed-out" { "1s" } else { "30s" };
        let call = [
            "call",
            "tell-joke",
            &format!("topic={topic}"),
            "--json",
            "--timeout",
            limit,
            "--connection",
            &server.url(),
        ];
        let events = place.run(&call).events();
        let end = events.iter().find(|event| event["event"] == "end").unwrap();
        assert_eq!(end["outcome"], outcome, "{topic}: {events:?}");
        assert!(
            end["error"]["type"].as_str().unwrap_or_default().starts_with(error),
            "{topic}: {events:?}"
        );
        if topic == "endless" {
            // How much of it comes after the end, nobody can say.
            return assert!(
                events.iter().filter(|event| event["event"] == "chunk").count() > 3,
                "{events:?}"
            );
        }
        let strays = events
            .iter()
            .filter(|event| event["event"] == "stray")
            .map(|event| event["cause"].as_str().unwrap());
        let expected = (!stray.is_empty()).then_some(stray);
        assert_eq!(strays.collect::<Vec<_>>(), Vec::from_iter(expected), "{topic}: {events:?}");
    };
    // One after another: all callers hear all answers.
    cases.into_iter().for_each(see);
    // The endless answer is still under way.
    serving.interrupt();
}

/// What a person at a terminal reads about the same faults: what came, and what that may mean.
#[test]
fn each_fault_is_told_in_words() {
    let (server, place) = (NatsServer::start(), place());
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "stubs/faults.yaml"]);
    assert!(serving.line().starts_with("listening"));
    assert!(serving.line().starts_with("listening"));
    let stray = "a message that isn't part of the answer";
    let call = |topic: &str, more: &[&str]| {
        let call = ["call", "tell-joke", &format!("topic={topic}"), "--connection", &server.url()];
        place.run(&[&call[..], more].concat())
    };
    for (topic, words) in [
        ("silence", ["no answer came within 1 s", "the call listened on tg.response.joke"]),
        ("wrong-id", ["id of a different call", "doesn't return the request's id"]),
        ("unknown-id", ["could not read the request: {", "a reply with id \"unknown\" arrived"]),
        ("no-id", ["no id: {", "a reply without an id arrived"]),
    ] {
        call(topic, &["--timeout", "1s"]).ended(4, &words);
    }
    call("no-end", &["--timeout", "1s"]).ended(4, &["(1 piece came)", "end_of_stream: true"]);
    for (topic, text, cause) in [
        ("late", "in time", "came after the end"),
        ("twice", "once", "came twice"),
        ("out-of-order", "rst", "came after the end"),
    ] {
        let ran = call(topic, &["--linger", "1s"]);
        ran.ended(0, &[&format!("{stray}: {cause}: {{")]);
        assert_eq!(ran.data, text, "{topic}");
    }
    serving.interrupt();
}

#[tokio::test]
async fn what_a_fault_sends_after_the_end_is_kept_apart() {
    let server = NatsServer::start();
    let registry = Registry::default();
    for (fault, text, stray) in [
        (Fault::Late, "ab", StrayCause::Late),
        (Fault::Twice, "ab", StrayCause::Duplicate),
        (Fault::OutOfOrder, "b", StrayCause::Late),
    ] {
        let piece = |text: &str| AnswerPiece { text: text.into(), after: None };
        let then = StubAnswer {
            pieces: vec![piece("a"), piece("b")],
            fault: Some(fault),
            ..StubAnswer::default()
        };
        let rule = Rule { name: "any".into(), then, ..Rule::default() };
        let samples =
            offers::sample_services().into_iter().filter(|offer| offer.request.ends_with(":joke"));
        let stub = Arc::new(StubService { rules: vec![rule], ..StubService::default() });
        let stubs = samples
            .map(|offer| ServedService { by: AnswerSource::Stub(Arc::clone(&stub)), ..offer })
            .collect();
        let serving =
            InProcess::start(registry.open_bus(&server.connection()).await.unwrap(), stubs)
                .await
                .unwrap();
        let stop = CancellationToken::new();
        let running = tokio::spawn(serving.run(None, stop.clone()));
        let heard = call_with(&registry, &server.connection(), joke(), limits()).await;
        assert_eq!((heard.text().as_str(), heard.end().0), (text, Outcome::Succeeded), "{fault:?}");
        assert_eq!(heard.strays().last(), Some(&stray), "{fault:?}");
        stop.cancel();
        running.await.unwrap();
    }
}

/// The rules of the shipped stub, answering for real on that connection. Each broker's own tests do
/// this.
pub async fn the_sample_answers_on(registry: &Registry, connection: &Connection) {
    let sample = fs::read_to_string("samples/services/stubs/bad-days.yaml").unwrap();
    let stub = read_stub(&Source::parse(Format::Yaml, sample).unwrap()).unwrap();
    let offers = stub.services.into_iter().map(|service| ServedService {
        name: service.name.clone(),
        request: format!("request:tg:stubbed-{}", service.name),
        response: Some(format!("response:tg:stubbed-{}", service.name)),
        by: AnswerSource::Stub(Arc::new(service)),
    });
    let serving = InProcess::start(registry.open_bus(connection).await.unwrap(), offers.collect())
        .await
        .unwrap();
    let (stop, (report, mut reports)) = (CancellationToken::new(), mpsc::channel(16));
    let running = tokio::spawn(serving.run(Some(report), stop.clone()));
    let ask = async |topic: &str, limits: Limits| {
        let config = serde_json::Map::from_iter([("style".into(), "pun".into())]);
        let body = request::request_body("alice", &config, &json!({"topic": topic}).to_string());
        call_with(registry, connection, Request { body, ..joke_of("stubbed-joke-service") }, limits)
            .await
    };
    let llamas = ask("llamas", limits()).await;
    assert_eq!(
        (llamas.text().as_str(), llamas.pieces()),
        ("No prob-llama. I will be here all week.", 3)
    );
    let taxes = ask("all my taxes", limits()).await;
    assert_eq!((taxes.end().0, taxes.problem().kind.as_str()), (Outcome::Failed, "not-funny"));
    let short = |first, total| Limits { first, total, ..limits() };
    let mixed = ask("a mix-up", short(Duration::from_millis(500), limits().total)).await;
    assert_eq!(
        (mixed.problem().kind.as_str(), mixed.strays()),
        ("timed-out-first", vec![StrayCause::ForeignId])
    );
    let endless = ask("endless", short(limits().first, Duration::from_millis(900))).await;
    assert_eq!(endless.problem().kind.as_str(), "timed-out-total");
    assert!(endless.text().starts_with("and then the other said: and then "), "{:?}", endless.0);
    stop.cancel();
    running.await.unwrap();
    let mut rules = Vec::new();
    while let Some(answered) = reports.recv().await {
        rules.push(answered.rule.unwrap());
    }
    assert_eq!(
        rules,
        ["llamas", "a topic that the service refuses", "somebody else's answer", "out of words"]
    );
}

#[tokio::test]
async fn the_sample_answers_on_nats_and_within_the_process() {
    let server = NatsServer::start();
    for connection in [server.connection(), Connection::embedded()] {
        the_sample_answers_on(&Registry::default(), &connection).await;
    }
}

#[test]
fn kept_calls_answer_as_they_were_answered_on_another_server() {
    let place = place();
    let question = ["call", "query-customers", "question=What are the top customer complaints?"];
    let told = place.run(&question);
    told.ended(0, &[]);
    place.run(&["call", "calculator", "expression=1/0"]).ended(1, &[]);
    place
        .run(&["call", "tell-joke", "topic=x", "--connection", "nats://127.0.0.1:1"])
        .ended(3, &[]);

    let kept = place.run(&["history", "export", "--stub", "-o", "kept.yaml"]);
    kept.ended(0, &["saved 2 rules in kept.yaml", "it got no answer"]);
    let text = fs::read_to_string(place.here.join("kept.yaml")).unwrap();
    assert!(
        text.starts_with("# A stub: ")
            && text.contains("question: What are the top customer complaints?"),
        "{text}"
    );
    // The service's own key; its queue is called calc.
    assert!(text.contains("\n  calculator:\n"), "{text}");
    assert_eq!(place.run(&["history", "export", "--stub"]).data, text);
    // What a mock says is none of the service's, and no file is replaced.
    place
        .run(&["call", "calculator", "expression=7", "--mock", "--mock-text", "FAKE"])
        .ended(0, &[]);
    let without = place.run(&["history", "export", "--stub"]);
    without.ended(0, &["left out 1 call, answered by mocks"]);
    assert_eq!(without.data, text);
    for options in [&["--stub"][..], &[]] {
        let again = [&["history", "export", "-o", "kept.yaml"], options].concat();
        place.run(&again).ended(2, &["kept.yaml: the file already exists"]);
    }
    assert_eq!(fs::read_to_string(place.here.join("kept.yaml")).unwrap(), text);
    fs::write(place.here.join("kept.yaml"), "mine").unwrap();
    let replaced = ["history", "export", "--stub", "-o", "kept.yaml", "--overwrite"];
    place.run(&replaced).ended(0, &["saved 2 rules in kept.yaml"]);
    assert_eq!(fs::read_to_string(place.here.join("kept.yaml")).unwrap(), text);
    place
        .run(&["history", "export", "--stub", "--find", "tool:joke"])
        .ended(2, &["no call has an answer"]);
    place.run(&["check"]).ended(0, &["0 errors"]);

    let server = NatsServer::start();
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "kept.yaml"]);
    assert!(serving.line().starts_with("listening on tg.request.custom-rag"));
    assert!(serving.line().starts_with("listening on tg.request.calc"));
    let again = place.run(&[&question[..], &["--connection", &server.url()]].concat());
    again.ended(0, &[]);
    assert_eq!(again.data, told.data);
    assert!(serving.line().contains("by \"query-customers\""));
    let failed = place.run(&[
        "call",
        "calculator",
        "expression=1/0",
        "--connection",
        &server.url(),
        "--json",
    ]);
    assert_eq!(failed.events().last().unwrap()["error"]["type"], "division-by-zero");
    serving.interrupt();
}

const LONG: &str = "\
services:
  tell-joke:
    rules:
      - pause: 100ms
        answer: [one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, last]
";

#[test]
fn an_answer_that_the_connection_cuts_off_is_said_to_be_that() {
    let place = place();
    fs::write(place.here.join("long.yaml"), LONG).unwrap();
    let mut server = NatsServer::start();
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "long.yaml"]);
    assert!(serving.line().starts_with("listening"));
    let line = ["call", "tell-joke", "topic=x", "--json", "--connection", &server.url()];
    let mut calling = place.command(&line).spawn().unwrap();
    let mut events = BufReader::new(calling.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(events.any(|event| event.contains("\"chunk\"")));
    server.kill();
    let said = loop {
        let line = serving.line();
        if !line.contains("answered") && line.contains("tell-joke") {
            break line;
        }
    };
    assert!(said.starts_with("cut off tell-joke ") && said.contains("broke after "), "{said}");
    assert!(!said.contains("nothing was sent"), "{said}");
    calling.kill().unwrap();
    calling.wait().unwrap();
}

#[test]
fn a_bad_stub_is_told_with_its_place_and_what_to_do() {
    let place = place();
    let serve = |text: &str| {
        fs::write(place.here.join("s.yaml"), text).unwrap();
        place.run(&["serve", "--stub", "s.yaml", "--connection", "nats://127.0.0.1:1"])
    };
    serve("services:\n  joke:\n    rules:\n      - answr: x\n")
        .ended(2, &["reading the stub s.yaml", "line 4, column 9", "did you mean \"answer\"?"]);
    serve("services: [").ended(2, &["reading the stub s.yaml", "line 1"]);
    serve("services: {nobody: {rules: [{answer: x}]}}")
        .ended(2, &["answers for \"nobody\"", "request:tg:nobody"]);
    serve("services: {tell-joke: {rules: [{answer: x}, {answer: y}]}}")
        .ended(3, &["no request reaches \"rule 2\"", "couldn't connect"]);
    place
        .run(&["serve", "--stub", "none.yaml", "--connection", "nats://127.0.0.1:1"])
        .ended(2, &["none.yaml"]);
}
