//! The history: calls kept as they happen, by the screen and by commands, found and shown again.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
};

use serde_json::{Value, json};

use crate::support::{
    nats::NatsServer,
    place::{Place, Ran},
    services::Responder,
    serving::Serving,
    terminal::{Terminal, toolcrib},
};

const SUM: [&str; 3] = ["call", "calculator", "expression=6 * 7"];

fn listed(place: &Place, find: &str) -> Vec<Value> {
    place.json(&["history", "--json", "--find", find]).as_array().unwrap().clone()
}

#[test]
fn a_call_is_kept_and_found_shown_replayed_and_taken_away() {
    let place = Place::sample("services");
    place.run(&["history"]).ended(0, &["No calls yet"]);
    place.run(&SUM).ended(0, &[]);
    place.run(&["call", "calculator", "expression=1/0"]).ended(1, &[]);
    place.run(&["call", "calculator", "expression=1", "--no-history"]).ended(0, &[]);
    place.run(&["call", "calculator", "expression=1", "--dry-run"]).ended(0, &[]);

    let calls = listed(&place, "");
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!(
        (&calls[0]["outcome"], &calls[1]["outcome"]),
        (&json!("failed"), &json!("succeeded"))
    );
    assert_eq!((&calls[1]["tool"], &calls[1]["chunks"]), (&json!("calculator"), &json!(1)));
    let found = |find: &str| listed(&place, find).len();
    assert_eq!(
        [
            found("6 * 7"),
            found("tool:calc *"),
            found("outcome:failed"),
            found("since:1h"),
            found("tool:joke"),
            found("is:failed <1h"),
            found("-is:succeeded"),
            found("is:lost,failed"),
            found("is:cut-off,no-answer"),
        ],
        [1, 1, 1, 2, 0, 1, 1, 1, 0]
    );
    assert_eq!(
        (&calls[0]["error"], &calls[1]["error"]),
        (&json!("division-by-zero"), &Value::Null)
    );
    place
        .run(&["call", "calculator", "expression=1", "--connection", "nats://127.0.0.1:1"])
        .ended(3, &[]);
    let lost = listed(&place, "is:no-answer");
    assert_eq!((lost.len(), &lost[0]["outcome"]), (1, &json!("lost")));
    assert!(place.run(&["history"]).data.contains("  no answer  "));
    place.run(&["history", "remove", lost[0]["id"].as_str().unwrap()]).ended(0, &[]);
    let over = |connection| {
        place.run(&["history", "--connection", connection]).data.lines().skip(1).count()
    };
    assert_eq!((over("embedded"), over("nats://127.0.0.1:1")), (2, 0));
    assert!(place.run(&["history"]).data.contains("calculator  embedded  succeeded"));

    let id = calls[1]["id"].as_str().unwrap();
    let shown = place.run(&["history", "show", &id[..8]]);
    assert!(
        shown.data.contains("arguments  {\"expression\":\"6 * 7\"}") && shown.data.contains("\n42"),
        "{}",
        shown.data
    );
    assert!(shown.data.contains("chunk          51 B  42\n"), "{}", shown.data);
    let lines = place.run(&["history", "show", id, "--json"]).events();
    assert_eq!(lines[0]["event"], "call");
    assert_eq!(lines[0]["arguments"], json!({"expression": "6 * 7"}));
    assert_eq!(place.run(&["history", "replay", id]).data, "42");
    assert_eq!(
        place.run(&["history", "replay", id, "--speed", "0", "--json"]).events()[0]["event"],
        "request"
    );
    place
        .run(&["history", "replay", id, "--speed=-1"])
        .ended(2, &["write a number, such as 2 or 0.5"]);

    let compared = place.run(&["history", "compare", id, "last"]);
    compared.ended(1, &[]);
    assert!(
        compared.data.contains("outcome") && compared.data.contains("failed"),
        "{}",
        compared.data
    );
    let errors: Vec<&str> =
        compared.data.lines().filter(|line| line.starts_with("error")).collect();
    assert!(errors.len() == 1 && errors[0].contains('–'), "{}", compared.data);
    let asked = "the arguments differ:\n  /expression: \"6 * 7\" → ";
    assert!(compared.data.contains(asked), "{}", compared.data);
    let texts = &place.run(&["history", "compare", id, "last", "--json"]).json()["texts"];
    assert_eq!((&texts["before"], &texts["after"]), (&json!("42"), &json!("")));
    let same = place.run(&["history", "compare", id, id]);
    same.ended(0, &[]);
    assert!(!same.data.contains("arguments differ"), "{}", same.data);
    assert_eq!(place.run(&["history", "export"]).data.lines().count(), 9);
    let file = place.home.path().join("kept/as/calls.jsonl");
    let file = file.to_str().unwrap();
    place.run(&["history", "export", "--output", file]).ended(0, &["2 calls are in ", file]);

    place.run(&["history", "show", "zzz"]).ended(2, &["no call has an id that starts with"]);
    place.run(&["history", "remove"]).ended(2, &["no call given"]);
    place.run(&["history", "remove", id]).ended(0, &["1 call is gone"]);
    assert_eq!(found(""), 1);
    place.run(&["history", "remove", "--all"]).ended(0, &["1 call is gone"]);
    place.run(&["history"]).ended(0, &["No calls yet"]);
}

#[test]
fn a_kept_call_is_sent_again_and_ends_as_a_call_does() {
    let place = Place::sample("services");
    place.run(&["history", "resend", "last"]).ended(2, &["there are no calls yet"]);
    place.run(&SUM).ended(0, &[]);
    let first = listed(&place, "")[0]["id"].as_str().unwrap().to_owned();
    let again = place.run(&["history", "resend", &first]);
    again.ended(0, &[]);
    assert_eq!(again.data, "42");
    let calls = listed(&place, "");
    let ids: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
    assert_eq!((ids.len(), calls[0]["tool"].as_str()), (2, Some("calculator")));
    assert_ne!(ids[0], ids[1], "under an id of its own");
    let events = place.run(&["history", "resend", "last", "--json", "--no-history"]).events();
    let names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("request", "end"), "{events:?}");
    assert_eq!(listed(&place, "").len(), 2);
    place.run(&["call", "calculator", "expression=1/0"]).ended(1, &[]);
    place.run(&["history", "resend", "last"]).ended(1, &["division by zero"]);
    // What a mock answered doesn't go to the service.
    place.run(&["call", "calculator", "expression=1", "--mock"]).ended(0, &[]);
    place.run(&["history", "resend", "last"]).ended(0, &[]);
    assert_eq!(listed(&place, "on:mock").len(), 2);
    // A secret isn't kept, so the call can't be made of what is.
    let mut call =
        place.command(&["call", "calculator", "expression=hunter2hunter2", "--no-check"]);
    call.env("MY_API_TOKEN", "hunter2hunter2").status().unwrap();
    place.run(&["history", "resend", "last"]).ended(2, &["secrets in its request aren't saved"]);
    let tool = fs::read_to_string(place.here.join("tools/calculator.json")).unwrap();
    let own = Place::with(&[("calculator.json", &tool)]);
    own.run(&["call", "calculator", "expression=1", "--mock"]).ended(0, &[]);
    fs::remove_file(own.here.join("calculator.json")).unwrap();
    own.run(&["history", "resend", "last"]).ended(2, &["its tool is no longer"]);
}

#[test]
fn a_part_of_a_json_answer_is_printed_for_scripts() {
    let place = Place::sample("services");
    let rows = r#"{"rows": [{"name": "Ada", "n": 1.50}, {"name": "Bo"}], "none": []}"#;
    let call = |path: &str, more: &[&str]| {
        let line = ["call", "calculator", "expression=1", "--mock", "--mock-text", rows];
        place.run(&[&line[..], &["--query", path], more].concat())
    };
    let names = call("/rows/*/name", &[]);
    names.ended(0, &[]);
    assert_eq!(names.data, "Ada\nBo\n");
    assert_eq!(call("/rows/*/name", &["--json"]).json(), json!(["Ada", "Bo"]));
    assert_eq!(call("/rows/0/n", &[]).data, "1.50\n");
    assert_eq!(call("/rows/1", &["--json"]).json(), json!({"name": "Bo"}));
    let none = call("/none/*/name", &[]);
    none.ended(0, &[]);
    assert_eq!(none.data, "");
    let nowhere = call("/rows/7", &[]);
    nowhere.ended(1, &["reading /rows/7 of the answer: there is nothing"]);
    assert_eq!(nowhere.data, "");
    call("$.rows", &[]).ended(2, &["is no path: write /rows/0/name"]);
    assert_eq!(call("/rows/*[n>1]/name", &[]).data, "Ada\n");
    assert_eq!(call("ada", &["--json"]).json(), json!(["      \"name\": \"Ada\","]));
    call("nobody", &[]).ended(1, &["no line has \"nobody\"; a path begins with /"]);

    let shown = |arguments: &[&str]| {
        let line = ["history", "show", "last", "--query", "/rows/*/name"];
        place.run(&[&line[..], arguments].concat())
    };
    assert_eq!(shown(&[]).data, "Ada\nBo\n");
    assert_eq!(shown(&["--json"]).json(), json!(["Ada", "Bo"]));

    // Of a call that fails, the answer isn't read.
    let failed = place.run(&["call", "calculator", "expression=1/0", "--query", "/x"]);
    failed.ended(1, &["division by zero"]);
    place.run(&SUM).ended(0, &[]);
    place.run(&["history", "show", "last", "--query", "/x"]).ended(1, &["there is nothing"]);
}

#[test]
fn known_secrets_are_not_in_the_history() {
    let place = Place::sample("services");
    let mut call =
        place.command(&["call", "calculator", "expression=hunter2hunter2", "--no-check"]);
    call.env("MY_API_TOKEN", "hunter2hunter2").status().unwrap();
    let kept = place.run(&["history", "export"]).data;
    assert!(kept.contains("calculator") && !kept.contains("hunter2"), "{kept}");
}

#[test]
fn a_call_that_cannot_be_kept_is_made_all_the_same() {
    let place = Place::sample("services");
    std::fs::write(place.home.path().join("state"), "in the way").unwrap();
    let ran = place.run(&SUM);
    ran.ended(0, &["couldn't save this call in the history"]);
    assert_eq!(ran.data, "42");
}

#[test]
fn many_calls_are_summed_up_and_templates_are_filled_in() {
    let place = Place::sample("services");
    let ran = place.run(&["call", "calculator", "expression=6 * 7", "--times", "5", "--jobs", "2"]);
    ran.ended(0, &[]);
    assert!(ran.data.starts_with("5 calls: 5 succeeded · p50 "), "{}", ran.data);
    assert_eq!(listed(&place, "").len(), 5);
    assert_eq!(
        place.run(&["call", "calculator", "expression={{answer.calculator}} + 1"]).data,
        "43"
    );
    place
        .run(&["call", "calculator", "expression={{answer.nobody}}"])
        .ended(2, &["no answer of \"nobody\" yet"]);
    let mut with_variable =
        place.command(&["call", "calculator", "expression={{env.MY_SECRET}} * 2"]);
    let sent = with_variable.env("MY_SECRET", "123456789").output().unwrap();
    assert_eq!(String::from_utf8(sent.stdout).unwrap(), "246913578");
    let kept = place.run(&["history", "show", "last"]).data;
    assert!(kept.contains("{{env.MY_SECRET}}") && !kept.contains("123456789"), "{kept}");
    place
        .run(&["call", "calculator", "expression={{env.NOT_THERE}}"])
        .ended(2, &["no variable NOT_THERE"]);
    let series = place.run(&["call", "calculator", "expression=1/0", "--times", "2", "--json"]);
    series.ended(1, &[]);
    assert_eq!(series.events().last().unwrap()["failed"], 2);
}

fn kitchen() -> Place {
    kitchen_with(&[])
}

fn kitchen_with(files: &[(&str, &str)]) -> Place {
    let tools = "\
tool:
  ask: {type: tool-service, name: ask, description: Asks, service: joke, style: a pun, arguments: [{name: topic, type: string, description: About what}]}
tool-service:
  joke: {id: joke, request-queue: 'non-persistent://tg/request/joke', response-queue: 'non-persistent://tg/response/joke', config-params: [{name: style, required: true}]}
";
    Place::with(&[&[("tools.yaml", tools)], files].concat())
}

/// A service that tells secrets, cut in pieces.
const LOOSE: &str = "\
stub: loose tongue
services:
  ask:
    rules:
      - when: {contains: all}
        answer: [it is hun, ter2h, unter2, ' or sk-pro', j-0123456789abcdef, ', pass', word=, q, ' and h']
      - when: {contains: half}
        answer: [it is hunt, er2hun]
        fault: no-end
";

/// All that a place's state folder holds.
fn on_disk(place: &Place) -> String {
    fn collect(folder: &Path, all: &mut String) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path().is_dir() {
                true => collect(&entry.path(), all),
                false => all.push_str(&fs::read_to_string(entry.path()).unwrap()),
            }
        }
    }
    let mut all = String::new();
    collect(&place.home.path().join("state"), &mut all);
    all
}

fn texts(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .filter(|event| event["event"] == "chunk")
        .map(|event| event["text"].as_str().unwrap())
        .collect()
}

#[test]
fn secrets_that_chunks_cut_in_pieces_are_not_in_the_history() {
    let (server, place) = (NatsServer::start(), kitchen_with(&[("stubs/loose.yaml", LOOSE)]));
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "stubs/loose.yaml"]);
    assert!(serving.line().starts_with("listening"));
    let call = |json: &[&str]| {
        let mut call = place.command(
            &[&["call", "ask", "topic=all", "--connection", &server.url()], json].concat(),
        );
        Ran::of(call.env("MY_API_TOKEN", "hunter2hunter2").output().unwrap())
    };
    // Who asks gets the answer as it came.
    let whole = "it is hunter2hunter2 or sk-proj-0123456789abcdef, password=q and h";
    assert_eq!(call(&[]).data, whole);
    assert_eq!(texts(&call(&["--json"]).events()).concat(), whole);

    let disk = on_disk(&place);
    assert!(
        disk.contains("***")
            && !["hunt", "er2", "sk-", "j-0123", "=q"].iter().any(|part| disk.contains(part)),
        "{disk}"
    );
    let kept = place.run(&["history", "show", "last", "--json"]).events();
    assert_eq!(
        texts(&kept),
        ["it is ***", "", "", " or ***", "", ", pass", "word=", "***", " and h"]
    );
    let whole = "it is *** or ***, password=*** and h";
    assert!(place.run(&["history", "show", "last"]).data.ends_with(&format!("\n{whole}")));
    assert_eq!(place.run(&["history", "replay", "last", "--speed", "0"]).data, whole);
    assert_eq!((listed(&place, "it is *** or").len(), listed(&place, "hunter2").len()), (2, 0));
    let stub = place.run(&["history", "export", "--stub"]).data;
    assert!(
        stub.contains("it is ***") && !stub.contains("hunt") && !stub.contains("j-0123"),
        "{stub}"
    );
    serving.interrupt();
}

#[test]
fn secrets_that_messages_cut_in_pieces_are_not_in_a_trace() {
    let (server, place) = (NatsServer::start(), kitchen_with(&[("stubs/loose.yaml", LOOSE)]));
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "stubs/loose.yaml"]);
    assert!(serving.line().starts_with("listening"));
    let url = server.url();
    let mut watch = place.command(&[
        "watch",
        "tg.response.>",
        "--json",
        "--save",
        "all.trace",
        "--connection",
        &url,
    ]);
    let mut watching = watch.env("MY_API_TOKEN", "hunter2hunter2").spawn().unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines().map(Result::unwrap);
    // It listens now.
    assert!(lines.next().unwrap().contains("\"watch\""));
    place.run(&["call", "ask", "topic=all", "--connection", &url]).ended(0, &[]);
    assert!(lines.any(|line| line.contains(r#"end_of_stream\":true"#)
        || line.contains(r#"end_of_stream\": true"#)));
    let told = std::process::Command::new("kill")
        .args(["-INT", &watching.id().to_string()])
        .status()
        .unwrap();
    assert!(told.success());
    watching.wait().unwrap();
    let trace = fs::read_to_string(place.here.join("all.trace")).unwrap();
    assert!(trace.contains("it is ***") && trace.contains(" and h"), "{trace}");
    assert!(!["hunt", "er2", "sk-", "j-0123"].iter().any(|part| trace.contains(part)), "{trace}");
    let opened = place.run(&["watch", "--open", "all.trace", "--json"]);
    opened.ended(0, &[]);
    assert_eq!(opened.data.lines().count(), trace.lines().count());
    serving.interrupt();
}

#[test]
fn a_command_killed_within_a_secret_leaves_every_chunk_and_no_letter_of_it() {
    let (server, place) = (NatsServer::start(), kitchen_with(&[("stubs/loose.yaml", LOOSE)]));
    let mut serving = Serving::start(&place, &server.url(), &["--stub", "stubs/loose.yaml"]);
    assert!(serving.line().starts_with("listening"));
    let mut command =
        place.command(&["call", "ask", "topic=half", "--json", "--connection", &server.url()]);
    let mut child = command.env("MY_API_TOKEN", "hunter2hunter2").spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    let seen: Vec<Value> =
        lines.filter(|event: &Value| event["event"] == "chunk").take(2).collect();
    assert_eq!(texts(&seen), ["it is hunt", "er2hun"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = place.run(&["history", "show", "last", "--json"]).events();
    assert_eq!(texts(&kept), ["it is ", ""]);
    let times = |events: &[Value]| {
        events
            .iter()
            .filter(|event| event["event"] == "chunk")
            .map(|event| event["at_ms"].clone())
            .collect()
    };
    let times: [Vec<Value>; 2] = [times(&seen), times(&kept)];
    assert_eq!(times[0], times[1]);
    assert!(!on_disk(&place).contains("hunt"), "{}", on_disk(&place));
    serving.interrupt();
}

#[test]
fn a_command_killed_in_a_stream_leaves_all_that_was_seen() {
    let server = NatsServer::start();
    let _service = Responder::start(&server.url(), "endless");
    let place = kitchen();
    let mut child = place
        .command(&["call", "ask", "topic=x", "--json", "--connection", &server.url()])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let seen: Vec<Value> =
        (0..50).map(|_| serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()).collect();
    // SIGKILL: nothing can be written after it.
    child.kill().unwrap();
    child.wait().unwrap();

    let calls = listed(&place, "");
    assert_eq!((calls.len(), &calls[0]["outcome"]), (1, &Value::Null));
    let kept = place.run(&["history", "show", "last", "--json"]).events();
    let chunks = |events: &[Value]| {
        events.iter().filter(|event| event["event"] == "chunk").cloned().collect::<Vec<_>>()
    };
    let (seen, kept) = (chunks(&seen), chunks(&kept));
    assert!(seen.len() > 40 && kept.len() >= seen.len(), "{} of {}", kept.len(), seen.len());
    for (seen, kept) in seen.iter().zip(&kept) {
        assert_eq!((&seen["text"], &seen["at_ms"]), (&kept["text"], &kept["at_ms"]));
    }
    // The next one goes on behind it.
    place.run(&[
        "call",
        "ask",
        "topic=x",
        "--timeout",
        "1ms",
        "--connection",
        "nats://127.0.0.1:1",
    ]);
    assert_eq!(listed(&place, "").len(), 2);
}

fn open(place: &Place, server: &str) -> Terminal {
    let terminal = toolcrib([place.here.as_os_str(), "--connection".as_ref(), server.as_ref()])
        .home(place.home.path());
    let terminal = terminal.variable("XDG_STATE_HOME", place.home.path().join("state")).start();
    terminal.wait_for("ask");
    terminal
}

#[test]
fn the_screen_killed_in_a_stream_leaves_all_that_was_seen() {
    let server = NatsServer::start();
    let _service = Responder::start(&server.url(), "endless");
    let place = kitchen();
    let mut terminal = open(&place, &server.url());
    terminal.press(["3"]);
    terminal.wait_for("topic");
    terminal.press(["enter"]);
    terminal.type_text("llamas");
    terminal.press(["f6"]);
    terminal.wait_for("more more more");
    terminal.signal("KILL");
    terminal.wait_end();
    let calls = listed(&place, "more more more");
    assert_eq!((calls.len(), &calls[0]["outcome"]), (1, &Value::Null));
    assert!(calls[0]["chunks"].as_u64().unwrap() >= 3, "{calls:?}");
}

mod screen {
    use std::sync::Arc;

    use insta::assert_snapshot;
    use toolcrib::{
        app::{
            effect::Effect,
            history::HistoryMessage,
            message::{Message, ScreenId},
        },
        engine::trace::{lines, tally::Tally, wanted::TraceFilter},
        model::{
            call::{CallError, Event, EventKind, Outcome},
            clock::Millis,
            entry::FileId,
            error_kind::ErrorKind,
            problem::{Problem, ProblemKind},
            trace::{Head, Trace},
        },
        schema::moment::LocalTime,
    };

    use crate::support::workbench::Workbench;

    const NOW: u64 = 1_795_000_000_000;

    fn chunk(at_ms: u64, text: &str) -> Event {
        Event { at_ms, kind: EventKind::Chunk { text: text.into(), bytes: text.len() + 60 } }
    }

    fn end(at_ms: u64, outcome: Outcome) -> Event {
        let problem = CallError {
            kind: ErrorKind::parse("oven"),
            message: "it is cold".into(),
            remedy: "heat it".into(),
        };
        Event {
            at_ms,
            kind: EventKind::End {
                outcome,
                problem: (outcome != Outcome::Succeeded).then_some(problem),
            },
        }
    }

    fn traces() -> Vec<Trace> {
        let trace = |number: u64, tool: &str, arguments: &str, events: Vec<Event>| Trace {
            head: Head {
                id: format!("{number:08}-0000").into(),
                at: Millis(NOW - number * 3_000_000),
                tool: tool.into(),
                system: "trustgraph".into(),
                connection: "embedded".into(),
                arguments: arguments.into(),
                body: "{}".into(),
                ..Head::default()
            },
            events: [vec![Event { at_ms: 1, kind: EventKind::Sent { bytes: 214 } }], events]
                .concat(),
        };
        let question = r#"{"question":"What are the top customer complaints?"}"#;
        let parts = |late: &str| {
            vec![
                chunk(38, "The three complaints\n"),
                chunk(71, late),
                chunk(90, "\nand that is all"),
                end(91, Outcome::Succeeded),
            ]
        };
        vec![
            trace(1, "query-customers", question, parts("late deliveries (41 %)")),
            trace(2, "calculator", r#"{"expression":"1/0"}"#, vec![end(12, Outcome::Failed)]),
            trace(3, "query-customers", question, parts("late deliveries (39 %)")),
            trace(40, "gone-tool", "{}", vec![chunk(5, r#"{"a":1}"#)]),
        ]
    }

    fn open(width: u16, height: u16) -> Workbench {
        let mut bench = Workbench::sample("services", width, height);
        bench.send(Message::Clock(LocalTime {
            seconds: i64::try_from(NOW / 1_000).unwrap(),
            offset: 60,
        }));
        bench.keys("5");
        answer(&mut bench);
        bench
    }

    #[test]
    fn a_call_without_an_end_is_no_case() {
        let mut bench = open(120, 36);
        bench.keys("end");
        answer(&mut bench);
        assert!(bench.shows("gone-tool ○ unfinished"), "{}", bench.screen());
        bench.keys("K");
        assert!(bench.shows("nothing to expect") && !bench.shows("Its name"), "{}", bench.screen());
    }

    /// Does for the history what the runtime would do.
    fn answer(bench: &mut Workbench) {
        for effect in std::mem::take(&mut bench.effects) {
            let find = |id: &str| traces().into_iter().find(|trace| &*trace.head.id == id).unwrap();
            match effect {
                Effect::ListKept { turn, query } => {
                    let mut tally = Tally::new(TraceFilter::parse(&query, Millis(NOW)));
                    for trace in traces() {
                        tally.add_line(&lines::of_head(&trace.head));
                        trace.events.iter().for_each(|event| {
                            tally.add_line(&lines::of_event(&trace.head.id, event));
                        });
                    }
                    bench.send(Message::History(HistoryMessage::Listed {
                        turn,
                        listing: Arc::new(tally.into_listing(100)),
                    }));
                    answer(bench);
                }
                Effect::OpenKept(id) => {
                    bench.send(Message::History(HistoryMessage::Opened(Box::new(find(&id)))));
                }
                Effect::CompareKept(ids) => {
                    bench.send(Message::History(HistoryMessage::Compared(Arc::new(
                        ids.map(|id| find(&id)),
                    ))));
                }
                other => bench.effects.push(other),
            }
        }
        bench.draw();
    }

    #[test]
    fn a_mocked_call_is_marked_in_the_list() {
        let mut bench = open(120, 36);
        assert!(!bench.shows("(mocked)"), "{}", bench.screen());
        let mut trace = traces().remove(1);
        trace.head.connection = "mock".into();
        let mut tally = Tally::new(TraceFilter::parse("", Millis(NOW)));
        tally.add_line(&lines::of_head(&trace.head));
        let turn = bench.state.invoke.kept.asked;
        let listing = Arc::new(tally.into_listing(100));
        bench.send(Message::History(HistoryMessage::Listed { turn, listing }));
        bench.draw();
        assert!(bench.shows("calculator (mocked)"), "{}", bench.screen());
    }

    #[test]
    fn it_looks_like_this() {
        assert_snapshot!("history_120", open(120, 36).styled());
        assert_snapshot!("history_80", open(80, 24).styled());
        let mut bench = open(120, 36);
        bench.keys("D");
        answer(&mut bench);
        assert_snapshot!("history_compared", bench.styled());
    }

    #[test]
    fn what_a_call_sent_is_above_its_answer() {
        for (width, height) in [(120, 36), (80, 24)] {
            let mut bench = open(width, height);
            if width < 100 {
                bench.keys("enter");
            }
            let sent = r#"{"question":"What are the top customer complaints?"}"#;
            assert!(bench.shows("╭ Sent ") && bench.shows(sent), "{}", bench.screen());
            assert!(bench.shows("late deliveries"), "{}", bench.screen());
        }
    }

    #[test]
    fn calls_are_found_as_one_types_and_walked_through() {
        let mut bench = open(120, 36);
        assert!(bench.screen().contains("late deliveries (41 %)"), "{}", bench.screen());
        bench.keys("down");
        answer(&mut bench);
        assert!(bench.screen().contains("it is cold"), "{}", bench.screen());
        bench.keys("/");
        for letter in "39 %".chars() {
            bench.types(&letter.to_string());
            answer(&mut bench);
        }
        assert!(
            bench.screen().contains("Calls 1") && bench.screen().contains("late deliveries (39 %)"),
            "{}",
            bench.screen()
        );
        bench.keys("enter esc");
        answer(&mut bench);
        assert!(bench.screen().contains("Calls 4"), "{}", bench.screen());
    }

    #[test]
    fn keys_wait_for_the_call_that_is_looked_for() {
        let sent = |bench: &Workbench| {
            bench.effects.iter().any(|effect| matches!(effect, Effect::Call { .. }))
        };
        let mut bench = open(120, 36);
        bench.keys("/");
        bench.types("id:00000003");
        bench.keys("enter");
        // The list is still that of before.
        for key in ["R", "e", "y", "d", "D"] {
            bench.keys(key);
            assert!(bench.shows("still being read"), "{key}: {}", bench.screen());
            assert!(!bench.shows("late deliveries (41 %)"), "{key}: {}", bench.screen());
            assert_eq!(bench.state.screen, ScreenId::History);
        }
        answer(&mut bench);
        assert!(bench.shows("late deliveries (39 %)"), "{}", bench.screen());
        assert!(!sent(&bench), "{:?}", bench.effects);
        bench.keys("esc");
        answer(&mut bench);
        // The same until another call has been opened.
        bench.keys("home");
        answer(&mut bench);
        bench.keys("down R");
        assert!(bench.shows("still being read") && !sent(&bench), "{}", bench.screen());
        answer(&mut bench);
        bench.keys("R");
        let Some(Effect::Call { request, .. }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        assert_eq!(request.name, "calculator");
    }

    #[test]
    fn a_list_or_a_call_that_cant_be_read_is_not_waited_for() {
        let problem = || Problem::new(ProblemKind::File, "reading the history", "it is gone");
        let mut bench = open(120, 36);
        bench.keys("/");
        bench.types("id:00000003");
        bench.keys("enter");
        let turn = bench.state.invoke.kept.asked;
        bench.send(Message::History(HistoryMessage::NotListed { turn, problem: problem() }));
        bench.draw();
        assert!(bench.shows("it is gone"), "{}", bench.screen());
        bench.keys("esc");
        answer(&mut bench);
        bench.keys("down");
        let Some(Effect::OpenKept(id)) = bench.effects.last().cloned() else {
            panic!("{:?}", bench.effects)
        };
        bench.send(Message::History(HistoryMessage::NotOpened { id, problem: problem() }));
        bench.draw();
        bench.keys("R");
        assert!(bench.shows("the call can't be read"), "{}", bench.screen());
    }

    #[test]
    fn two_are_compared_by_text_json_and_times() {
        let mut bench = open(120, 36);
        bench.keys("D");
        answer(&mut bench);
        let screen = bench.screen();
        assert!(
            screen.contains("- late deliveries (39 %)")
                && screen.contains("+ late deliveries (41 %)"),
            "{screen}"
        );
        bench.keys("v");
        assert!(bench.screen().contains("one of the answers isn't JSON"), "{}", bench.screen());
        bench.clicks("Times");
        assert!(bench.screen().contains("first chunk after"), "{}", bench.screen());
        bench.keys("esc");
        assert!(bench.screen().contains("query-customers ✓ succeeded"), "{}", bench.screen());
        // With a marked one.
        bench.keys("tab space down");
        answer(&mut bench);
        bench.keys("D");
        answer(&mut bench);
        let screen = bench.screen();
        assert!(screen.contains("calculator and query-customers compared"), "{screen}");
    }

    #[test]
    fn two_marked_calls_are_compared_wherever_the_cursor_is() {
        let compared = |bench: &Workbench| {
            let compared = bench.state.invoke.kept.compared.clone().unwrap();
            [0, 1].map(|side| compared[side].head.id[..8].to_owned())
        };
        let mut bench = open(120, 36);
        let press = |bench: &mut Workbench, keys: &str| {
            for key in keys.split(' ') {
                bench.keys(key);
                answer(bench);
            }
        };
        press(&mut bench, "space down down space down D");
        assert_eq!(compared(&bench), ["00000003", "00000001"], "the earlier one first");
        // A third mark takes the place of the oldest one.
        press(&mut bench, "esc up up space D");
        assert_eq!(compared(&bench), ["00000003", "00000002"]);
        // The marked call itself is compared with the one before it.
        let mut bench = open(120, 36);
        press(&mut bench, "space D");
        assert_eq!(compared(&bench), ["00000003", "00000001"]);
        // The oldest one has only calls after it.
        let mut bench = open(120, 36);
        press(&mut bench, "end space D");
        assert_eq!(compared(&bench), ["00000040", "00000003"]);
    }

    #[test]
    fn a_compared_outcome_has_its_own_colour_and_long_lines_hang_below_their_text() {
        let mut bench = open(80, 24);
        let mut of = [1, 2].map(|number| Trace {
            head: Head { id: number.to_string().into(), tool: "joke".into(), ..Head::default() },
            events: vec![chunk(5, &format!("{}{number} apples", "so many words ".repeat(8)))],
        });
        of[0].events.push(end(9, Outcome::Cancelled));
        of[1].events.push(end(9, Outcome::Succeeded));
        bench.send(Message::History(HistoryMessage::Compared(Arc::new(of))));
        bench.draw();
        assert_snapshot!("history_compared_lines", bench.styled());
    }

    #[test]
    fn a_replay_is_seen_at_80_columns() {
        let mut bench = open(80, 24);
        bench.keys("p enter");
        let Some(Effect::Replay { trace, .. }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        let (id, events) = (trace.head.id.clone(), trace.events[..2].to_vec());
        bench.send(Message::History(HistoryMessage::Replayed { id, events, ended: false }));
        bench.draw();
        assert!(bench.screen().contains("Replay of query-customers"), "{}", bench.screen());
    }

    #[test]
    fn an_answer_comes_once_more() {
        let mut bench = open(120, 36);
        bench.keys("p down enter");
        let Some(Effect::Replay { trace, speed }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        assert_eq!(*speed, 2);
        let (id, events) = (trace.head.id.clone(), trace.events.clone());
        bench.send(Message::History(HistoryMessage::Replayed {
            id: id.clone(),
            events: events[..2].to_vec(),
            ended: false,
        }));
        bench.draw();
        let screen = bench.screen();
        assert!(
            screen.contains("Replay of query-customers ● streaming")
                && !screen.contains("that is all"),
            "{screen}"
        );
        bench.keys("esc");
        assert!(bench.effects.contains(&Effect::StopReplay));
        assert!(bench.screen().contains("that is all"), "{}", bench.screen());
        // What was on its way changes nothing.
        bench.send(Message::History(HistoryMessage::Replayed {
            id,
            events: events[2..].to_vec(),
            ended: true,
        }));
        assert_eq!(bench.state.invoke.kept.open.as_ref().unwrap().call.chunks, 3);
    }

    #[test]
    fn a_call_is_sent_again_or_edited_first() {
        let mut bench = open(120, 36);
        bench.keys("R");
        let Some(Effect::Call { request, .. }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        assert!(&*request.body == "{}" && request.correlation != "00000001-0000", "{request:?}");
        assert_eq!(bench.state.screen, ScreenId::Invoke);
        bench.keys("esc 5");
        answer(&mut bench);
        bench.keys("e");
        assert_eq!(bench.state.screen, ScreenId::Invoke);
        assert!(bench.screen().contains("What are the top"), "{}", bench.screen());
        bench.keys("esc 5 end");
        answer(&mut bench);
        bench.keys("R");
        assert!(bench.screen().contains("no longer in this workspace"), "{}", bench.screen());
    }

    #[test]
    fn an_answer_is_kept_as_a_rule_of_a_stub() {
        let mut bench = open(120, 36);
        let mut trace = traces().remove(0);
        trace.head.to = "request:tg:custom-rag".into();
        trace.head.reply = Some("response:tg:custom-rag".into());
        trace.head.body =
            r#"{"user":"u","config":"{}","arguments":"{\"question\":\"why?\"}"}"#.into();
        bench.send(Message::History(HistoryMessage::Opened(Box::new(trace))));
        bench.draw();
        bench.keys("@keep-stub");
        assert!(bench.screen().contains("Keep as stub"), "{}", bench.screen());
        bench.types("custom-rag of mine");
        bench.keys("enter");
        let stub = FileId::new("stubs/custom-rag-of-mine.yaml");
        let kept = bench.state.documents.get(&stub).unwrap().text.to_string();
        assert!(kept.contains("question: why?") && kept.contains("and that is all"), "{kept}");
        let saved = |effect: &Effect| matches!(effect, Effect::Save { file, .. } if *file == stub);
        assert!(bench.effects.iter().any(saved), "{:?}", bench.effects);
    }

    #[test]
    fn a_call_is_exported_and_removed_after_a_question() {
        let mut bench = open(120, 36);
        bench.keys("s enter");
        let Some(Effect::ExportKept { path, .. }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        assert_eq!(path, "query-customers-00000001.jsonl");
        bench.keys("d enter");
        let removed = |effect: &Effect| matches!(effect, Effect::RemoveKept(_));
        assert!(!bench.effects.iter().any(removed), "deleting is not the first answer");
        bench.keys("d right enter");
        assert!(
            matches!(bench.effects.last(), Some(Effect::RemoveKept(id)) if &**id == "00000001-0000"),
            "{:?}",
            bench.effects
        );
        bench.keys("y");
        bench.types("JSON");
        bench.keys("enter");
        let Some(Effect::Copy(text)) = bench.effects.last() else { panic!("{:?}", bench.effects) };
        assert_eq!(text.lines().count(), 6);
    }

    #[test]
    fn no_size_breaks_it() {
        for (width, height) in [(1, 1), (60, 16), (99, 16), (100, 17), (200, 60), (500, 200)] {
            let mut bench = open(120, 36);
            bench.resize(width, height);
            bench.keys("tab v v v v tab / esc D");
            answer(&mut bench);
            bench.keys("v v tab");
        }
    }
}

#[test]
fn an_export_of_nothing_writes_nothing_and_a_misspelt_word_is_refused() {
    let place = Place::sample("services");
    let file = place.home.path().join("calls.jsonl");
    let line = ["history", "export", "--find", "tool:nosuch", "-o", file.to_str().unwrap()];
    place.run(&line).ended(1, &["No call matches"]);
    assert!(!file.exists());
    place.run(&["history", "--find", "tols:joke"]).ended(2, &["did you mean tool:?"]);
}
