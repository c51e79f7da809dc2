//! CommonGround by its tables: direct calls, and answers in a service's place, on a real NATS
//! server and a real PostgreSQL.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    commonground::CommonGround,
    place::Place,
    services::script,
    signals,
    terminal::{Terminal, toolcrib},
};

const COUNT: &str = r#"tool_name: word_count
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.word_count.call"
after_execution: suspend
parameters: {type: object, properties: {mode: {type: string}, text: {type: string}, tenant: {type: string}}}
options: {args: {fixed: {tenant: "{project_id}"}, defaults: {mode: map}}}
"#;

const LAMP: &str = r#"tool_name: lamp
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch"
after_execution: terminate
options: {ui_allowed: true}
"#;

const RULES: &str = r#"stub: lamps
services:
  lamp:
    rules:
      - name: cellar
        when: {arguments: {room: cellar}}
        error: {type: bad_request, message: no lamp there}
      - name: lit
        answer: '{"on": true}'
"#;

const VARIABLE: &str = "LAB_POSTGRES";

/// A place to work in, with the deployment's PostgreSQL known by a variable where `tables` says so.
fn place(there: &CommonGround, tables: bool) -> Place {
    let variable =
        if tables { format!("postgres-variable = \"{VARIABLE}\"\n") } else { String::new() };
    let settings = there.settings() + &variable;
    Place::with(&[
        ("toolcrib.toml", settings.as_str()),
        ("tools/count.yaml", COUNT),
        ("tools/lamp.yaml", LAMP),
        ("lamp.stub.yaml", RULES),
    ])
}

fn command(there: &CommonGround, place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env(VARIABLE, there.postgres.dsn());
    command
}

fn events(there: &CommonGround, place: &Place, arguments: &[&str]) -> Vec<Value> {
    let ran = command(there, place, &[&["--json", "call"], arguments].concat()).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn stage<'e>(events: &'e [Value], name: &str) -> &'e Value {
    let found = events.iter().find(|event| event["stage"] == name);
    found.unwrap_or_else(|| panic!("no stage {name} in {events:#?}"))
}

fn words<'e>(events: &'e [Value], name: &str) -> &'e str {
    stage(events, name)["text"].as_str().unwrap()
}

/// What a statement gives, asked of the deployment's tables.
fn asked(there: &CommonGround, statement: &str) -> Value {
    let lines = format!(
        "import json, psycopg, sys\nrows = psycopg.connect(sys.argv[3]).execute({statement:?}).fetchall()\nprint(json.dumps(rows))"
    );
    serde_json::from_str(&there.python(&lines)).unwrap()
}

/// How many cards are stored, and what upstream's own checks say against them.
fn card_faults(there: &CommonGround) -> Value {
    let folder = script("");
    let lines = format!(
        "import json, psycopg, sys\nsys.path.insert(0, '{}')\nimport commonground_cards as cards\n\
         rows = psycopg.connect(sys.argv[3]).execute('select content from cards').fetchall()\n\
         print(json.dumps([len(rows), [fault for (content,) in rows if (fault := cards.fault(content))]]))",
        folder.display()
    );
    serde_json::from_str(&there.python(&lines)).unwrap()
}

/// `toolcrib serve` under way.
struct Serving {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Serving {
    /// Once this is done, it listens.
    fn start(there: &CommonGround, place: &Place, arguments: &[&str]) -> (Self, Vec<String>) {
        let mut child = command(there, place, &[&["--json", "serve"], arguments].concat())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = Vec::new();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
        for line in told.by_ref().map_while(Result::ok) {
            let listens = line.contains("listening on");
            said.push(line);
            if listens {
                break;
            }
        }
        // Keep reading, or it would block on a full pipe.
        std::thread::spawn(move || told.for_each(drop));
        assert!(said.iter().any(|line| line.contains("listening on")), "{said:?}");
        let begun: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(begun["event"], "listening");
        assert!(said.iter().any(|line| line.contains(begun["address"].as_str().unwrap())));
        (Self { child, lines }, said)
    }

    /// What it tells of the next call.
    fn told(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn types(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            signals::send(self.child.id(), "INT");
            let _ = self.child.wait();
        }
    }
}

#[test]
fn a_direct_call_writes_its_card_and_takes_the_result_from_the_inbox() {
    let there = CommonGround::start();
    there.put(&[COUNT]);
    let place = place(&there, true);
    // It is the way that is taken unasked: the tool doesn't allow UI calls.
    let events = events(&there, &place, &["word_count", "text=a b a"]);
    assert_eq!(events.last().unwrap()["outcome"], "succeeded", "{events:#?}");
    assert!(words(&events, "route").contains("directly"), "{events:#?}");
    assert!(
        words(&events, "merged").ends_with("defaults: mode; fixed: tenant"),
        "{}",
        words(&events, "merged")
    );
    let card = &stage(&events, "call-card")["body"];
    assert_eq!(
        card["content"]["arguments"],
        json!({"text": "a b a", "mode": "map", "tenant": "lab"})
    );
    assert_eq!(card["metadata"]["tool_args_fixed_applied"], json!(["tenant"]));
    assert!(words(&events, "labels").contains("all 6"), "{}", words(&events, "labels"));
    let chunk = events.iter().find(|event| event["event"] == "chunk").unwrap();
    assert_eq!(chunk["text"], r#"{"counts_map":{"a":2,"b":1}}"#);
    assert!(!events.iter().any(|event| event["stage"] == "preflight"), "{events:#?}");

    let rows =
        asked(&there, "select message_type, status from state.agent_inbox order by message_type");
    assert_eq!(
        rows,
        json!([["command_anchor", "consumed"], ["tool_result", "consumed"]]),
        "nothing is left to ring for"
    );
    let edges =
        asked(&there, "select primitive, edge_phase from state.execution_edges order by primitive");
    assert_eq!(edges, json!([["report", "response"], ["tool_call", "request"]]));

    // The tool's own failure comes the same way.
    let events = self::events(&there, &place, &["word_count", "mode=map"]);
    assert_eq!(events.last().unwrap()["error"]["type"], "bad_request", "{events:#?}");
}

/// How much of a call the deployment has: messages in its streams, cards, agents, rows of inboxes.
fn traces(there: &CommonGround) -> Value {
    let lines = "import asyncio, json, nats, psycopg, sys\n\
         async def count():\n \
             client = await nats.connect(sys.argv[2])\n \
             streams = await client.jetstream().streams_info()\n \
             await client.close()\n \
             return sum(stream.state.messages for stream in streams)\n\
         db = psycopg.connect(sys.argv[3])\n\
         rows = [db.execute('select count(*) from ' + table).fetchone()[0] for table in ('cards', 'resource.project_agents', 'state.agent_inbox')]\n\
         print(json.dumps([asyncio.run(count())] + rows))";
    serde_json::from_str(&there.python(lines)).unwrap()
}

/// A tool whose calls go to that subject.
fn tool_at(subject: &str) -> String {
    format!("tool_name: lamp\ntarget_subject: \"{subject}\"\nafter_execution: terminate\n")
}

#[test]
fn a_direct_call_that_the_dispatcher_would_refuse_is_refused_before_anything_is_sent() {
    let there = CommonGround::start();
    let settings = there.settings() + &format!("postgres-variable = \"{VARIABLE}\"\n");
    let before = traces(&there);
    for (subject, why) in [
        (
            "cg.v1r4.attic.{channel_id}.cmd.tool.lamp.switch",
            "it is in another project than the connection's",
        ),
        (
            "cg.v1r4.{project_id}.private.cmd.tool.lamp.switch",
            "it is in another channel than the connection's",
        ),
        (
            "cg.v1r4.{project_id}.{channel_id}.evt.tool.lamp.switch",
            "it isn't a subject for \
            commands",
        ),
        ("cg.v1r4.{project_id}.{channel_id}.cmd.agent.lamp.wakeup", "it is the bell of a worker"),
        // It is the caller's name, and no service listens for an agent of ours that it never heard
        // of.
        (
            "cg.v1r4.{project_id}.{channel_id}.cmd.tool.{agent_id}.switch",
            "name that agent in the connection",
        ),
    ] {
        let place = Place::with(&[
            ("toolcrib.toml", settings.as_str()),
            ("tools/lamp.yaml", tool_at(subject).as_str()),
        ]);
        let ran = command(&there, &place, &["call", "--route", "direct", "lamp"]).output().unwrap();
        let words = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(2) && words.contains(why), "{subject}: {words}");
        assert_eq!(traces(&there), before, "{subject}");
    }
}

#[test]
fn the_agent_in_a_direct_calls_subject_is_the_one_that_the_connection_names() {
    let there = CommonGround::start();
    let subject = tool_at("cg.v1r4.{project_id}.{channel_id}.cmd.tool.{agent_id}.call");
    there.put(&[&subject]);
    // The service that counts words listens where an agent of its name calls.
    there.agents(&[("word_count", "ui_worker")]);
    let settings =
        there.settings() + &format!("agent = \"word_count\"\npostgres-variable = \"{VARIABLE}\"\n");
    let place =
        Place::with(&[("toolcrib.toml", settings.as_str()), ("tools/lamp.yaml", subject.as_str())]);
    let events = events(&there, &place, &["--route", "direct", "lamp", "mode=map", "text=a b a"]);
    assert_eq!(events.last().unwrap()["outcome"], "succeeded", "{events:#?}");
    let request = events.iter().find(|event| event["event"] == "request").unwrap();
    assert_eq!(request["to"], "cg.v1r4.lab.public.cmd.tool.word_count.call");
}

#[test]
fn a_project_that_does_not_exist_is_said_on_the_direct_route_too() {
    let there = CommonGround::start();
    let settings = there.settings().replace("project = \"lab\"", "project = \"labs\"")
        + &format!("agent = \"caller\"\npostgres-variable = \"{VARIABLE}\"\n");
    // With an API that is asked of it, and with the tables alone.
    let alone: String = settings
        .lines()
        .filter(|line| !line.starts_with("api"))
        .map(|line| format!("{line}\n"))
        .collect();
    let before = traces(&there);
    for (settings, who) in
        [(&settings, "has no project \"labs\""), (&alone, "PostgreSQL at 127.0.0.1")]
    {
        let place = Place::with(&[("toolcrib.toml", settings.as_str()), ("tools/lamp.yaml", LAMP)]);
        let ran = command(&there, &place, &["call", "--route", "direct", "lamp"]).output().unwrap();
        let words = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(2) && words.contains(who), "{words}");
        assert!(
            words.contains("has no project \"labs\"") && words.contains("set project in"),
            "{words}"
        );
        assert_eq!(traces(&there), before, "{words}");
    }
}

#[test]
fn a_stub_answers_in_the_place_of_a_service() {
    let there = CommonGround::start();
    there.put(&[COUNT, LAMP]);
    let place = place(&there, true);
    let (mut serving, said) = Serving::start(&there, &place, &["--stub", "lamp.stub.yaml"]);
    assert!(
        said.iter().any(|line| line.contains("cg.v1r4.lab.public.cmd.tool.lamp.*")),
        "{said:?}"
    );

    // Called as a UI does, by somebody who knows nothing of the stub.
    let events = events(&there, &place, &["--route", "ui", "lamp", "room=hall"]);
    assert_eq!(events.last().unwrap()["outcome"], "succeeded", "{events:#?}");
    assert_eq!(stage(&events, "result-card")["body"]["content"]["result"], json!({"on": true}));
    assert!(
        words(&events, "result-card").contains("ends the turn"),
        "{}",
        words(&events, "result-card")
    );
    assert!(words(&events, "labels").contains("all 6"), "{}", words(&events, "labels"));
    let told = serving.told();
    assert_eq!(
        (&told["rule"], &told["status"], &told["written"]),
        (&"lit".into(), &"success".into(), &true.into()),
        "{told:#}"
    );
    assert_eq!(told["did"], "success: written and reported");

    // Called directly; the rule's error is the result.
    let events = self::events(&there, &place, &["--route", "direct", "lamp", "room=cellar"]);
    let end = events.last().unwrap();
    assert_eq!(
        (&end["outcome"], &end["error"]["type"]),
        (&"failed".into(), &"bad_request".into()),
        "{events:#?}"
    );
    assert!(end["error"]["message"].as_str().unwrap().contains("no lamp there"));
    assert_eq!(serving.told()["rule"], "cellar");
    assert_eq!(
        card_faults(&there),
        json!([4, []]),
        "two calls and two results, as upstream's own package takes them"
    );

    // A probe is refused as a real service refuses it, and its mark says where the result is.
    let events = self::events(&there, &place, &["--route", "probe", "lamp"]);
    assert!(words(&events, "result-card").contains("tool_call_card_id not found"), "{events:#?}");
    let told = serving.told();
    assert!(told["did"].as_str().unwrap().contains("the project has no card"), "{told:#}");
    assert!(told["did"].as_str().unwrap().contains("no such agent"), "{told:#}");
}

#[test]
fn an_answer_is_typed_by_hand() {
    let there = CommonGround::start();
    there.put(&[LAMP]);
    let place = place(&there, true);
    let (mut serving, _) = Serving::start(&there, &place, &["--by-hand", "lamp"]);
    // What is no answer is asked for again, and the next line is one.
    serving.types(r#"{"on": "by ha"#);
    serving.types(r#"{"on": "by hand"}"#);
    let answered = events(&there, &place, &["--route", "direct", "lamp", "room=hall"]);
    assert_eq!(
        stage(&answered, "result-card")["body"]["content"]["result"],
        json!({"on": "by hand"})
    );
    assert_eq!(serving.told()["status"], "success");

    serving.types(
        r#"{"status": "partial", "result": [1], "error": {"code": "late", "message": "one lamp"}, "after_execution": "suspend"}"#,
    );
    let answered = events(&there, &place, &["--route", "direct", "lamp", "room=hall"]);
    let content = &stage(&answered, "result-card")["body"]["content"];
    assert_eq!((&content["status"], &content["result"]), (&json!("partial"), &json!([1])));
    assert_eq!(
        (&content["error"]["code"], &content["after_execution"]),
        (&json!("late"), &json!("suspend"))
    );
}

/// The program on the screen, answering for the lamp.
fn answering(there: &CommonGround, place: &Place, (columns, rows): (u16, u16)) -> Terminal {
    let setup =
        toolcrib([&place.here]).size(columns, rows).home(place.home.path()).folder(&place.here);
    let mut terminal = setup.variable(VARIABLE, there.postgres.dsn()).start();
    terminal.wait_for("word_count");
    terminal.press(["down", "3"]);
    terminal.wait_for("lamp · external");
    terminal.press(["@answer-by-hand"]);
    terminal.wait_for("answering calls on cg.v1r4.lab.public.cmd.tool.lamp.* by hand");
    terminal
}

fn calling(there: &CommonGround, place: &Place, room: &str) -> Child {
    command(there, place, &["--json", "call", "--route", "direct", "lamp", room])
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn said(calling: Child) -> String {
    String::from_utf8(calling.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn calls_that_wait_are_chosen_and_answered_in_a_form() {
    let there = CommonGround::start();
    there.put(&[LAMP]);
    let place = place(&there, true);
    let mut terminal = answering(&there, &place, (160, 50));
    let hall = calling(&there, &place, "room=hall");
    terminal.wait_for("asks lamp; 7 shows it");
    terminal.press(["7"]);
    terminal.wait_for("Calls · 1 waiting");
    let cellar = calling(&there, &place, "room=cellar");
    terminal.wait_for("Calls · 2 waiting");

    // The one that came last is answered first, and what the content rules want stands at the
    // field.
    terminal.press(["down"]);
    terminal.wait_for("\"room\": \"cellar\"");
    terminal.press(["enter", "enter"]);
    terminal.type_text("{\"on\": tru");
    terminal.wait_for("begins as JSON, and is none");
    terminal.press(["f6"]);
    terminal.wait_for("Calls · 2 waiting");
    terminal.type_text("e}");
    terminal.wait_for("\"on\": true");
    terminal.press(["f6"]);
    terminal.wait_for("success: written and reported");
    let text = said(cellar);
    assert!(text.contains(r#""on":true"#), "{text}");

    // The other one is refused, with a message of its own.
    terminal.wait_for("Calls · 1 waiting");
    terminal.press(["esc", "esc", "@refuse-call"]);
    terminal.wait_for("Refuse the call");
    terminal.type_text("no hand is free");
    terminal.press(["enter"]);
    terminal.wait_for("failed: written and reported");
    let text = said(hall);
    assert!(text.contains("no hand is free") && text.contains(r#""refused""#), "{text}");
    terminal.wait_for("no call is waiting");
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}

#[test]
fn another_status_asks_for_its_error_and_a_call_can_be_left_without_an_answer() {
    let there = CommonGround::start();
    there.put(&[LAMP]);
    let place = place(&there, true);
    let mut terminal = answering(&there, &place, (120, 36));
    let mut hall = calling(&there, &place, "room=hall");
    terminal.press(["7"]);
    terminal.wait_for("Calls · 1 waiting");
    terminal.press(["enter", "up", "right"]);
    terminal.wait_for("message *");
    terminal.press(["f6"]);
    terminal.wait_for("is required");
    terminal.wait_for("Calls · 1 waiting");
    terminal.press(["esc", "esc", "@leave-call"]);
    terminal.wait_for("left without an answer");
    terminal.wait_for("no call is waiting");
    let rows =
        asked(&there, "select count(*) from cards where metadata ->> 'type' = 'tool.result'");
    assert_eq!(rows, json!([[0]]));
    terminal.press(["@stop-answering"]);
    terminal.wait_for("stopped answering for lamp");
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
    signals::send(hall.id(), "INT");
    let _ = hall.wait();
}

#[test]
fn the_request_of_a_jina_tool_is_shown_with_its_key_by_name_alone() {
    let jina = LAMP.replace("lamp", "look").replace(
        "options: {ui_allowed: true}",
        "parameters: {type: object, properties: {query: {type: string}}}\noptions: {jina: {mode: search}, args: {fixed: {site: lab}}}",
    );
    let place = Place::with(&[("tools/look.yaml", jina.as_str())]);
    let mut terminal = toolcrib([&place.here])
        .size(160, 90)
        .home(place.home.path())
        .variable("JINA_API_KEY", "hunter2")
        .start();
    terminal.wait_for("look");
    terminal.press(["v", "v"]);
    terminal.wait_for("# The request that its service makes of it");
    terminal.wait_for("# Authorization: Bearer $JINA_API_KEY");
    terminal.wait_for("# GET https://s.jina.ai/search?");
    assert!(
        terminal.contents().contains("site=lab") && !terminal.contents().contains("hunter2"),
        "{}",
        terminal.contents()
    );
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}

#[test]
fn another_service_on_the_subject_is_warned_of() {
    let there = CommonGround::start();
    there.put(&[COUNT]);
    let place = place(&there, true);
    let (_serving, said) = Serving::start(&there, &place, &["--by-hand", "word_count"]);
    let warned = said.iter().any(|line| {
        line.contains("tool_word_count_cmd_v1r4 listens on") && line.contains("both answer")
    });
    assert!(warned, "{said:?}");
}

#[test]
fn without_postgres_it_is_said_what_would_be_written() {
    let there = CommonGround::with(&["--watchdog", "1"]);
    there.put(&[LAMP]);
    let place = place(&there, false);
    let (mut serving, said) = Serving::start(&there, &place, &["--stub", "lamp.stub.yaml"]);
    assert!(
        said.iter()
            .any(|line| line.contains("does not say where the address of its PostgreSQL lies")
                && line.contains("nothing is written")),
        "{said:?}"
    );
    let events = events(&there, &place, &["--route", "ui", "lamp", "room=hall"]);
    assert_eq!(events.last().unwrap()["error"]["type"], "tool_timeout", "{events:#?}");
    let told = serving.told();
    assert_eq!(told["written"], false, "{told:#}");
    let tables: Vec<_> =
        told["rows"].as_array().unwrap().iter().map(|row| row["table"].as_str().unwrap()).collect();
    assert_eq!(tables, ["cards", "state.agent_inbox", "state.execution_edges"]);
    assert_eq!(told["rows"][0]["row"]["content"]["result"], json!({"on": true}));
}

#[test]
fn a_database_that_cannot_be_used_is_told_of_without_its_password() {
    let there = CommonGround::start();
    there.put(&[LAMP]);
    let place = place(&there, true);
    for (address, words, code) in [
        ("postgresql://ann:hunter2@127.0.0.1:1/lab", "127.0.0.1:1/lab", 3),
        ("postgresql://ann:hunter2@h:x/", "doesn't hold the address", 2),
    ] {
        let ran = place
            .command(&["call", "--route", "direct", "lamp"])
            .env(VARIABLE, address)
            .output()
            .unwrap();
        let told = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(told.contains(words) && !told.contains("hunter2"), "{told}");
        assert_eq!(ran.status.code(), Some(code), "{told}");
    }
    place.run(&["call", "--route", "direct", "lamp"]).ended(2, &["LAB_POSTGRES is not set"]);
    place.run(&["serve", "lamp"]).ended(2, &["--by-hand"]);
}

/// The consumers of ours that the server has.
fn consumers(there: &CommonGround) -> String {
    there.python(
        "import asyncio, nats, sys\n\
         async def main():\n \
             bus = await nats.connect(sys.argv[2])\n \
             all = await bus.jetstream().consumers_info('cg_cmd_v1r4')\n \
             print(len([one for one in all if one.config.description == 'toolcrib serve']))\n\
         asyncio.run(main())",
    )
}

#[test]
fn who_served_leaves_no_consumer_behind() {
    let there = CommonGround::start();
    let place = place(&there, true);
    let (mut serving, _) = Serving::start(&there, &place, &["--stub", "lamp.stub.yaml"]);
    assert_eq!(consumers(&there).trim(), "1");
    signals::send(serving.child.id(), "INT");
    serving.child.wait().unwrap();
    assert_eq!(consumers(&there).trim(), "0");
}

#[test]
fn what_already_waits_is_answered_where_that_is_asked_for() {
    let there = CommonGround::with(&["--watchdog", "60"]);
    there.put(&[LAMP]);
    let place = place(&there, true);
    let mut calling = command(&there, &place, &["--json", "call", "lamp", "--route", "ui"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines =
        BufReader::new(calling.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line.contains("\"stage\":\"command\"")), "the command is out");
    {
        let (mut serving, _) =
            Serving::start(&there, &place, &["--stub", "lamp.stub.yaml", "--waiting"]);
        assert_eq!(serving.told()["status"], "success");
        let end: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
        assert_eq!(end["outcome"], "succeeded", "{end}");
        calling.wait().unwrap();
    }
    // What was answered is left alone.
    let (mut serving, _) =
        Serving::start(&there, &place, &["--stub", "lamp.stub.yaml", "--waiting"]);
    let again = serving.told();
    assert!(again["written"] == false && again["status"] == Value::Null, "{again}");
    place
        .run(&["serve", "--waiting", "--connection", "nats://127.0.0.1:1"])
        .ended(2, &["take --waiting out"]);
}
