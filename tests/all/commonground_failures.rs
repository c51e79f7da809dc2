//! How CommonGround's calls fail, each failure provoked on real servers, and what the user reads of
//! it.

use std::{
    io::{BufRead, BufReader, Lines},
    process::{Child, ChildStdout},
};

use serde_json::{Value, json};

use crate::support::{commonground::CommonGround, place::Place, signals};

const VARIABLE: &str = "LAB_POSTGRES";

/// A tool that counts words; `more` goes into its options.
fn counting(name: &str, more: &str) -> String {
    format!(
        "tool_name: {name}\ntarget_subject: \"cg.v1r4.{{project_id}}.{{channel_id}}.cmd.tool.word_count.call\"\n\
         after_execution: suspend\noptions: {{ui_allowed: true{more}}}\n"
    )
}

fn elsewhere(name: &str, rest: &str) -> String {
    counting(name, "").replace("word_count.call", rest)
}

/// A place with these tools, and a connection for each of these agents beside the usual one, which
/// makes its own.
fn place(there: &CommonGround, tools: &[(&str, String)], agents: &[&str]) -> Place {
    let usual = there.settings() + &format!("postgres-variable = \"{VARIABLE}\"\n");
    let (_, section) = usual.split_once('\n').unwrap();
    let more: String = agents
        .iter()
        .map(|agent| {
            section.replace("[connections.cg", &format!("[connections.{agent}"))
                + &format!("agent = \"{agent}\"\n")
        })
        .collect();
    let settings = usual.clone() + &more;
    let files: Vec<(String, &str)> =
        tools.iter().map(|(name, text)| (format!("tools/{name}.yaml"), text.as_str())).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    Place::with(&[&[("toolcrib.toml", settings.as_str())], &files[..]].concat())
}

/// `toolcrib` under way, its lines read as they come.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    seen: Vec<Value>,
}

impl Running {
    fn start(there: &CommonGround, place: &Place, arguments: &[&str]) -> Self {
        let mut command = place.command(&[&["--json"], arguments].concat());
        let mut child = command
            .env(VARIABLE, there.postgres.dsn())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines, seen: Vec::new() }
    }

    fn call(there: &CommonGround, place: &Place, arguments: &[&str]) -> Self {
        Self::start(there, place, &[&["call"], arguments].concat())
    }

    /// Reads on until a line is as wanted.
    #[track_caller]
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        for line in self.lines.by_ref() {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            self.seen.push(line.clone());
            if wanted(&line) {
                return line;
            }
        }
        panic!("it never came: {:#?}", self.seen)
    }

    #[track_caller]
    fn stage(&mut self, name: &str) -> Value {
        self.until(|line| line["stage"] == name)
    }

    fn interrupt(&self) {
        signals::send(self.child.id(), "INT");
    }

    /// Everything that it told, to its end.
    fn all(mut self) -> Vec<Value> {
        let rest = self.lines.by_ref().map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        self.seen.extend(rest);
        self.child.wait().unwrap();
        std::mem::take(&mut self.seen)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a user reads: the words of every stage, and those of the end.
fn read(events: &[Value]) -> String {
    let stages = events
        .iter()
        .filter_map(|event| event["text"].as_str().filter(|_| event["event"] == "stage"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let end = events.last().map(|end| {
        [&end["outcome"], &end["error"]["message"], &end["error"]["remedy"]].map(text).join(" — ")
    });
    stages.map(str::to_owned).chain(end).collect::<Vec<_>>().join("\n")
}

/// A failure of a call: what is called, how it ends, and what is read of it.
struct Row<'r> {
    fault: &'r str,
    call: &'r [&'r str],
    ends: [&'r str; 2],
    read: &'r [&'r str],
}

fn check(row: &Row<'_>, events: &[Value]) -> Vec<String> {
    let Some(end) = events.last() else { return vec![format!("{}: nothing was told", row.fault)] };
    let told = read(events);
    let ends = [
        end["outcome"].as_str().unwrap_or_default(),
        end["error"]["type"].as_str().unwrap_or_default(),
    ];
    let mut wrong = Vec::new();
    if ends != row.ends {
        wrong.push(format!("{}: it ends {ends:?}, not {:?}:\n{told}", row.fault, row.ends));
    }
    let missing = row.read.iter().filter(|words| !told.contains(**words));
    wrong.extend(missing.map(|words| format!("{}: {words:?} is not in:\n{told}", row.fault)));
    wrong
}

/// Runs statements in the deployment's database; what the last one gives.
fn sql(there: &CommonGround, statements: &str) -> Value {
    let lines = format!(
        "import json, psycopg, sys\ndb = psycopg.connect(sys.argv[3], autocommit=True).execute({statements:?})\n\
         print(json.dumps(db.fetchall() if db.description else []))"
    );
    serde_json::from_str(&there.python(&lines)).unwrap()
}

/// Registers an agent.
fn agent(there: &CommonGround, name: &str, worker: &str) {
    let statement = format!(
        "insert into resource.project_agents (project_id, agent_id, profile_box_id, worker_target) values ('lab', '{name}', gen_random_uuid(), \
         '{worker}')"
    );
    sql(there, &statement);
}

/// Publishes what `rows` holds: a subject behind `cg.v1r4.lab.public.`, headers and a body each;
/// with what the stream said of each.
fn publish(there: &CommonGround, rows: &Value) {
    let lines = format!(
        "import asyncio, json, nats, sys\n\
         async def main():\n \
             bus = await nats.connect(sys.argv[2])\n \
             for subject, headers, body in json.loads({:?}):\n  \
                 await bus.jetstream().publish('cg.v1r4.lab.public.' + subject, body.encode(), headers=headers)\n\
         asyncio.run(main())",
        rows.to_string()
    );
    there.python(&lines);
}

/// What the database does to the rows of the next direct call, so that its report is refused:
/// statements that make it so.
fn meddle(table: &str, when: &str, does: &str) -> String {
    format!(
        "drop trigger if exists meddling on state.agent_inbox; drop trigger if exists meddling on state.execution_edges; \
         drop trigger if exists meddling on cards; create or replace function meddle() returns trigger language plpgsql as $$ begin {does} end $$; \
         create trigger meddling before insert on {table} for each row when ({when}) execute function meddle()"
    )
}

#[test]
fn what_a_caller_reads_of_each_failure() {
    let there =
        CommonGround::with(&["--no-god", "--twice", "--ack-wait", "0.3", "--watchdog", "1.5"]);
    let tools = [
        ("words", counting("words", "")),
        ("absent", counting("absent", "")),
        ("shut", counting("shut", "")),
        ("short", elsewhere("short", "short")),
        ("dead", elsewhere("dead", "nobody.call")),
        ("twice", elsewhere("twice", "twice.call")),
        ("look", elsewhere("look", "jina.search")),
    ];
    let pushed: Vec<String> =
        tools.iter().filter(|(name, _)| *name != "absent").map(|(_, text)| text.clone()).collect();
    there.put(&pushed.iter().map(String::as_str).collect::<Vec<_>>());
    there.put(&[&tools[2].1.replace("ui_allowed: true", "ui_allowed: false")]);
    agent(&there, "ui_wedged", "ui_worker");
    agent(&there, "generic", "worker_generic");
    let place = place(&there, &tools, &["ghost", "generic", "ui_wedged"]);
    let action = |agent: &str, turn: &str| {
        let headers = json!({"CG-Agent-Id": agent, "CG-Turn-Id": turn, "CG-Turn-Epoch": "1"});
        json!([
            "cmd.sys.ui.action",
            headers,
            json!({"action_id": "used", "tool_name": "words", "args": {"text": "a"}}).to_string()
        ])
    };
    let mut watching = Running::start(&there, &place, &["watch", "--for", "60s"]);
    watching.until(|line| line["event"] == "head" || line["subjects"].is_array());
    for turn in ["turn_1", "turn_2"] {
        publish(&there, &json!([action("ui_wedged", turn)]));
        watching.until(|line| {
            line["label"] == "ack"
                && line["text"].as_str().is_some_and(|text| !text.starts_with("accepted"))
        });
    }
    let lost = |kind| ["lost", kind];
    let rows = [
        Row {
            fault: "closed to the UI",
            call: &["shut"],
            ends: lost("ui_not_allowed"),
            read: &["before sending: tool", "push it"],
        },
        Row {
            fault: "not there",
            call: &["absent"],
            ends: lost("tool_definition_missing"),
            read: &["the project has no such tool"],
        },
        Row {
            fault: "no such agent",
            call: &["--connection", "ghost", "words"],
            ends: lost("agent_not_found"),
            read: &["the project has no such agent", "make a UI agent"],
        },
        Row {
            fault: "an agent of another worker",
            call: &["--connection", "generic", "words"],
            ends: lost("invalid_worker_target"),
            read: &["another worker than ui_worker"],
        },
        Row {
            fault: "a wedged agent",
            call: &["--connection", "ui_wedged", "words", "text=a"],
            ends: lost("agent-wedged"),
            read: &[
                "its action used was sent twice",
                "its state is dispatched, turn turn_",
                "--new-agent",
            ],
        },
        Row {
            fault: "a new agent instead of it",
            call: &["--connection", "ui_wedged", "--new-agent", "words", "text=a"],
            ends: ["succeeded", ""],
            read: &["our own agent"],
        },
        Row {
            fault: "a subject of seven parts",
            call: &["short"],
            ends: lost("dispatch_failed"),
            read: &[
                "the card in which the UI worker says why",
                "could not send the command",
                "does not send to cg.v1r4.lab.public.cmd.tool.short",
            ],
        },
        Row {
            fault: "nobody listens",
            call: &["dead"],
            ends: ["failed", "tool_timeout"],
            read: &[
                "no consumer covers cg.v1r4.lab.public.cmd.tool.nobody.call",
                "listens elsewhere; if it only needs longer, raise options.timeout_seconds",
            ],
        },
        Row {
            fault: "two listen",
            call: &["twice", "text=a"],
            ends: ["succeeded", ""],
            read: &[
                "2 services listen on",
                "tool_twice_again_cmd_v1r4, tool_twice_once_cmd_v1r4",
                "only the first answer",
            ],
        },
        Row {
            fault: "god is off",
            call: &["--route", "god", "words", "text=a"],
            ends: lost("god-off"),
            read: &["CG_ENABLE_GOD_API=1", "--route ui is open", "--route direct is open"],
        },
        Row {
            fault: "the caller is in no roster",
            call: &["--connection", "ghost", "--route", "direct", "words", "text=a"],
            ends: lost("unreported"),
            read: &[
                "before sending: roster",
                "gave the command up after 3 deliveries",
                "the caller is no agent of the project",
            ],
        },
        Row {
            fault: "given up with nothing stored",
            call: &["--route", "direct", "words", "fail:=true"],
            ends: lost("given-up"),
            read: &["gave the command back (delivery 1)", "its mark stays \"running\"", "its log"],
        },
    ];
    // Before anything is called, too.
    let checked = place.run(&["check", "--connection", "cg"]);
    let unheard: Vec<&str> =
        checked.data.lines().filter(|line| line.contains("subject.")).collect();
    assert!(
        checked.data.contains("subject.unheard")
            && checked.data.contains("no consumer covers cg.v1r4.lab.public.cmd.tool.nobody.call"),
        "{unheard:?}"
    );
    assert!(
        checked.data.contains("subject.heard-twice")
            && checked.data.contains("tool_twice_again_cmd_v1r4"),
        "{unheard:?}"
    );
    assert!(
        !place.run(&["check"]).data.contains("consumer"),
        "without a connection nobody is asked"
    );
    place
        .run(&["push", "commonground", "--dry-run"])
        .ended(0, &["tools/dead.yaml:2: no consumer covers", "1 added"]);

    let told = |row: &Row<'_>| check(row, &Running::call(&there, &place, row.call).all());
    let mut wrong: Vec<String> = rows.iter().flat_map(told).collect();

    // What becomes of a direct call whose rows are not as they should be when its result is
    // reported.
    let direct = ["--route", "direct", "words", "text=a"];
    const RESULT: &str = "new.metadata ->> 'type' = 'tool.result'";
    let anchor = "new.message_type = 'command_anchor'";
    let another_result = "insert into cards (card_id, tenant_id, tool_call_id, content, metadata) values ('early_' || new.card_id, new.tenant_id, \
                          new.tool_call_id, '{}', '{\"type\": \"tool.result\", \"author_id\": \"sys.pmo\"}'); return new;";
    for (fault, table, when, does, kind, words) in [
        (
            "unknown turn",
            "state.agent_inbox",
            anchor,
            "return null;",
            "unreported",
            "knows no such turn",
        ),
        (
            "stale epoch",
            "state.agent_inbox",
            anchor,
            "new.turn_epoch := 7; return new;",
            "unreported",
            "epoch 1, the turn is at 7",
        ),
        (
            "no request",
            "state.execution_edges",
            "new.edge_phase = 'request'",
            "return null;",
            "unreported",
            "no request edge",
        ),
        (
            "too deep",
            "state.execution_edges",
            "true",
            "new.recursion_depth := 20; return new;",
            "unreported",
            "20 deep",
        ),
        (
            "answered before",
            "cards",
            "new.metadata ->> 'type' = 'tool.call'",
            another_result,
            "answered-before",
            "already, from sys.pmo",
        ),
        (
            "a result card without a function",
            "cards",
            RESULT,
            "new.metadata := new.metadata - 'function_name'; return new;",
            "unreported",
            "no metadata.function_name",
        ),
        (
            "a result card of another author",
            "cards",
            RESULT,
            "new.metadata := jsonb_set(new.metadata, '{author_id}', '\"me\"'); return new;",
            "unreported",
            "author_id is not the one who reports",
        ),
    ] {
        sql(&there, &meddle(table, when, does));
        wrong.extend(told(&Row { fault, call: &direct, ends: lost(kind), read: &[words] }));
    }
    // Another route names the same, by the service's mark and the API.
    sql(
        &there,
        &meddle("cards", RESULT, "new.metadata := new.metadata - 'function_name'; return new;"),
    );
    let row = Row {
        fault: "the same by the UI",
        call: &["words", "text=a"],
        ends: lost("unreported"),
        read: &["which was not reported", "no metadata.function_name"],
    };
    wrong.extend(told(&row));
    sql(&there, "drop function meddle() cascade");

    // The watchdog is first: what the tool says after that cannot be stored, and the watch says
    // why.
    let row = Row {
        fault: "later than the watchdog",
        call: &["words", "hold:=true", "text=late"],
        ends: ["failed", "tool_timeout"],
        read: &["a later one can no longer be stored"],
    };
    wrong.extend(told(&row));
    there.tell("go");
    let given_up = watching.until(|line| {
        line["label"] == "given up"
            && line["remarks"].to_string().contains("the watchdog's time-out came first")
    });
    assert!(
        given_up["error"]["message"].as_str().unwrap().contains("delivered 3 times"),
        "{given_up:#}"
    );

    // The service dies in the middle.
    let row = Row {
        fault: "dead in the middle",
        call: &["--route", "direct", "--timeout", "2s", "look", "die:=true"],
        ends: ["timed-out", "timed-out-first"],
        read: &[
            "tool_jina_openapi_cmd_v1r4 has 1 under way",
            "its mark stays \"running\"",
            "the caller's inbox is closed",
        ],
    };
    wrong.extend(told(&row));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_goes_away_in_the_middle_of_a_call_is_told() {
    let mut there = CommonGround::with(&["--watchdog", "60"]);
    let tools = [("words", counting("words", ""))];
    there.put(&[&tools[0].1]);
    agent(&there, "ui_named", "ui_worker");
    let place = place(&there, &tools, &["ui_named"]);
    let held = ["words", "hold:=true", "text=a"];
    let pending = "select count(*) from state.agent_inbox where message_type = 'tool_result' and status <> 'consumed'";
    let mut wrong = Vec::new();

    // The agent has something under way.
    let mut first =
        Running::call(&there, &place, &[&["--connection", "ui_named"], &held[..]].concat());
    first.stage("accepted");
    let busy = Row {
        fault: "a busy agent",
        call: &["--connection", "ui_named", "words"],
        ends: ["lost", "agent-busy"],
        read: &[
            "of words under way (its state is dispatched, turn",
            "one at a time",
            "wait for it",
        ],
    };
    wrong.extend(check(&busy, &Running::call(&there, &place, busy.call).all()));
    there.tell("go");
    assert_eq!(first.all().last().unwrap()["outcome"], "succeeded");

    // Cancelled, or too late, a direct call leaves nothing that a watchdog would ring for.
    let direct = [&["--route", "direct"], &held[..]].concat();
    let mut cancelled = Running::call(&there, &place, &direct);
    cancelled.stage("written");
    cancelled.interrupt();
    assert_eq!(cancelled.all().last().unwrap()["outcome"], "cancelled");
    let closed = "select status from state.agent_inbox where message_type = 'tool_result' and payload ->> 'status' = 'canceled'";
    assert_eq!(sql(&there, closed), json!([["consumed"]]), "the inbox is closed by who cancels");
    let late = Row {
        fault: "too late",
        call: &[&["--timeout", "1s"], &direct[..]].concat(),
        ends: ["timed-out", "timed-out-first"],
        read: &[
            "is closed for this call",
            "wait for tool_word_count_cmd_v1r4, which has 1 under way",
        ],
    };
    wrong.extend(check(&late, &Running::call(&there, &place, late.call).all()));
    there.tell("go");
    there.tell("go");
    // One after another: when this one has its answer, the others had theirs.
    let after = Running::call(&there, &place, &["--route", "direct", "words", "text=a"]).all();
    assert_eq!(after.last().unwrap()["outcome"], "succeeded", "{after:#?}");
    assert_eq!(sql(&there, pending), json!([[0]]), "nothing is left to ring for");

    // The API goes while the tool is at work: its result came, and cannot be read.
    let mut calling = Running::call(&there, &place, &held);
    calling.stage("command");
    there.tell("api off");
    there.tell("go");
    let row = Row {
        fault: "the API goes",
        call: &[],
        ends: ["succeeded", ""],
        read: &[
            "cannot be read: couldn't connect to http://127.0.0.1",
            "what is known is its status, done",
        ],
    };
    wrong.extend(check(&row, &calling.all()));
    let gone = Row {
        fault: "no API",
        call: &["words"],
        ends: ["lost", "no-server"],
        read: &["start the server there"],
    };
    wrong.extend(check(&gone, &Running::call(&there, &place, gone.call).all()));

    // PostgreSQL goes.
    let mut calling =
        Running::call(&there, &place, &[&["--connection", "ui_named"], &direct[..]].concat());
    calling.until(|line| line["event"] == "request");
    there.postgres.stop();
    let row = Row {
        fault: "PostgreSQL goes",
        call: &[],
        ends: ["lost", "connection-lost"],
        read: &[
            "its tool may run all the same",
            "see whether PostgreSQL runs",
            "could not be closed",
            "set consumed",
        ],
    };
    wrong.extend(check(&row, &calling.all()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_server_that_goes_in_the_middle_of_a_call_is_told() {
    let mut there = CommonGround::with(&["--watchdog", "60"]);
    let tools = [("words", counting("words", ""))];
    there.put(&[&tools[0].1]);
    let place = place(&there, &tools, &[]);
    let mut wrong = Vec::new();
    let mut calling =
        Running::call(&there, &place, &["--timeout", "3s", "words", "hold:=true", "text=a"]);
    calling.stage("command");
    there.nats.kill();
    let row = Row {
        fault: "NATS goes",
        call: &[],
        ends: ["lost", "connection-lost"],
        read: &[
            "the connection to nats://",
            "broke while the call was under way",
            "before you send it again",
        ],
    };
    wrong.extend(check(&row, &calling.all()));
    let gone = Row {
        fault: "no NATS",
        call: &["words"],
        ends: ["lost", "no-server"],
        read: &["couldn't connect to nats://"],
    };
    wrong.extend(check(&gone, &Running::call(&there, &place, gone.call).all()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A fault of a command that somebody sends: what is other than it should be, and what a watcher
/// reads at it or at what follows of it.
struct Faulty {
    fault: &'static str,
    /// Headers with another value; null takes one away.
    headers: Value,
    /// Members of the body likewise; any other value is the body itself.
    body: Value,
    /// What is done to the rows that stand behind the command, with `$` for its number.
    world: &'static str,
    read: &'static [&'static str],
}

fn faulty(
    fault: &'static str,
    headers: Value,
    body: Value,
    read: &'static [&'static str],
) -> Faulty {
    Faulty { fault, headers, body, world: "", read }
}

fn faults() -> Vec<Faulty> {
    let none = || json!({});
    let unreported: &'static [&'static str] =
        &["delivered 3 times", "its result card is written, but the report was refused"];
    let behind = |fault, world| Faulty { world, ..faulty(fault, none(), none(), unreported) };
    const DROPPED: &str = "silently dropped";
    vec![
        faulty(
            "arguments in the body",
            none(),
            json!({"args": {"text": "a"}}),
            &["body /args", "in the call's card", "gets a failed result"],
        ),
        faulty(
            "a key too many",
            none(),
            json!({"context_box_id": "b"}),
            &["body /context_box_id", "calls it optional, but it is refused"],
        ),
        faulty(
            "a key too few",
            none(),
            json!({"after_execution": null}),
            &["the body lacks after_execution"],
        ),
        faulty(
            "identity in the body",
            none(),
            json!({"agent_id": "a", "turn_epoch": 1}),
            &["body /agent_id", "belongs into the headers"],
        ),
        faulty(
            "an odd lifecycle",
            none(),
            json!({"after_execution": "stop"}),
            &["neither \"suspend\" nor \"terminate\""],
        ),
        faulty(
            "no card",
            none(),
            json!({"tool_call_card_id": "none"}),
            &["the tool says no; its result card"],
        ),
        faulty(
            "no call id",
            json!({"CG-Tool-Call-Id": null}),
            none(),
            &["header CG-Tool-Call-Id: it is missing; the call's card names it"],
        ),
        faulty(
            "no agent",
            json!({"CG-Agent-Id": null}),
            none(),
            &["header CG-Agent-Id: it is missing", DROPPED],
        ),
        faulty(
            "a header in small letters",
            json!({"CG-Agent-Id": null, "cg-agent-id": "caller"}),
            none(),
            &["it is spelled cg-agent-id, and names are case-sensitive", DROPPED],
        ),
        faulty(
            "another project",
            json!({"CG-Project-Id": "demo"}),
            none(),
            &["it says \"demo\", and the subject says \"lab\"", DROPPED],
        ),
        faulty(
            "another channel",
            json!({"CG-Channel-Id": "other"}),
            none(),
            &["header CG-Channel-Id", DROPPED],
        ),
        faulty(
            "an odd epoch",
            json!({"CG-Turn-Epoch": "two"}),
            none(),
            &["\"two\" is no whole number", DROPPED],
        ),
        faulty(
            "an odd depth",
            json!({"CG-Recursion-Depth": "-1"}),
            none(),
            &["\"-1\" is no whole number", DROPPED],
        ),
        faulty(
            "an odd trace",
            json!({"traceparent": "00-0-0-01"}),
            none(),
            &["header traceparent: it is no 00-", DROPPED],
        ),
        faulty("another epoch", json!({"CG-Turn-Epoch": "9"}), none(), unreported),
        faulty(
            "too deep",
            json!({"CG-Recursion-Depth": "20"}),
            none(),
            &["it is 20, and 20 is the limit"],
        ),
        behind("an unknown turn", "delete from state.agent_inbox where agent_turn_id = 'turn_$'"),
        behind("no request", "delete from state.execution_edges where correlation_id = 'call_$'"),
        behind(
            "a request too deep",
            "update state.execution_edges set recursion_depth = 20 where correlation_id = 'call_$'",
        ),
        faulty("an agent in no roster", json!({"CG-Agent-Id": "ghost"}), none(), unreported),
        faulty(
            "no JSON",
            none(),
            json!("{"),
            &["no JSON object", "the body is not JSON", "no service took it up"],
        ),
        faulty(
            "a list",
            none(),
            json!("[1]"),
            &["the body is JSON, but no object", "no service took it up"],
        ),
        faulty(
            "no call id and no card",
            json!({"CG-Tool-Call-Id": null}),
            json!({"tool_call_card_id": "unknown"}),
            &["header CG-Tool-Call-Id: it is missing", "no service took it up"],
        ),
        faulty(
            "no turn id",
            json!({"CG-Turn-Id": null}),
            none(),
            &[
                "header CG-Turn-Id: it is missing; the mark of the call stays \"running\"",
                "it has no CG-Turn-Id, or the call has a result",
            ],
        ),
        Faulty {
            world: "insert into cards (card_id, tenant_id, tool_call_id, content, metadata) values ('early_$', 'lab', 'call_$', '{}', \
                    '{\"type\": \"tool.result\"}')",
            ..faulty(
                "a result before",
                none(),
                none(),
                &["its mark stays \"running\"", "each delivery blocked the service"],
            )
        },
        faulty(
            "a suffix of two parts",
            json!({"to": "cmd.tool.word_count.call.now"}),
            none(),
            &["has two tokens, and services listen for one"],
        ),
        faulty(
            "a call id again",
            json!({"CG-Tool-Call-Id": "call_0"}),
            none(),
            &["the same call id was sent", "every call wants an id of its own"],
        ),
    ]
}

/// The value with these members changed, or taken away where they are null.
fn changed(mut value: Value, changes: &Value) -> Value {
    let Some(changes) = changes.as_object() else { return changes.clone() };
    for (name, change) in changes {
        let members = value.as_object_mut().unwrap();
        match change {
            Value::Null => drop(members.remove(name)),
            _ => drop(members.insert(name.clone(), change.clone())),
        }
    }
    value
}

#[test]
fn what_a_watcher_reads_of_each_faulty_command() {
    let there = CommonGround::with(&["--ack-wait", "0.2"]);
    let place = place(&there, &[], &[]);
    agent(&there, "caller", "worker_generic");
    let mut watching = Running::start(&there, &place, &["watch", "--for", "60s"]);
    watching.until(|line| line["subjects"].is_array());
    let faults = faults();
    let mut messages = Vec::new();
    for (row, Faulty { headers, body, world, .. }) in faults.iter().enumerate() {
        let card = json!({"__type__": "ToolCallContent", "tool_name": "word_count", "arguments": {"text": "a"}, "status": "called"});
        let behind = format!(
            "insert into cards (card_id, tenant_id, tool_call_id, content, metadata) values \
             ('card_{row}', 'lab', 'call_{row}', '{card}', '{{\"type\": \"tool.call\"}}'); \
             insert into state.execution_edges (edge_id, project_id, primitive, edge_phase, correlation_id, recursion_depth) values \
             ('edge_{row}', 'lab', 'tool_call', 'request', 'call_{row}', 0); \
             insert into state.agent_inbox (inbox_id, project_id, agent_id, message_type, correlation_id, agent_turn_id, turn_epoch, status) values \
             ('inbox_{row}', 'lab', 'caller', 'command_anchor', 'call_{row}', 'turn_{row}', 1, 'consumed'); {}",
            world.replace('$', &row.to_string())
        );
        sql(&there, &behind);
        let usual = json!({
            "CG-Agent-Id": "caller", "CG-Turn-Id": format!("turn_{row}"), "CG-Turn-Epoch": "1", "CG-Tool-Call-Id": format!("call_{row}"),
            "traceparent": format!("00-{:032x}-00f067aa0ba902b7-01", row + 1), "X-Row": row.to_string(), "to": "cmd.tool.word_count.call",
        });
        let mut headers = changed(usual, headers);
        let to = headers.as_object_mut().unwrap().remove("to").unwrap();
        let pointer = json!({"tool_name": "word_count", "after_execution": "suspend", "tool_call_card_id": format!("card_{row}")});
        let body = changed(pointer, body);
        messages.push(json!([
            to,
            headers,
            body.as_str().map_or_else(|| body.to_string(), str::to_owned)
        ]));
    }
    // One service takes them one after another, so that what follows of the last one comes last.
    messages.push(json!(["cmd.tool.word_count.call", {"CG-Agent-Id": "caller", "CG-Tool-Call-Id": "call_last"}, "no JSON"]));
    publish(&there, &messages.into());
    watching.until(|line| line["label"] == "given up" && line["id"] == "call_last");
    let words = |line: &Value| {
        format!("{} {} {} {}\n", line["label"], line["text"], line["error"], line["remarks"])
            .replace("\\\"", "\"")
    };
    let mut wrong = Vec::new();
    for (row, Faulty { fault, read, .. }) in faults.iter().enumerate() {
        let own = json!(["X-Row", row.to_string()]);
        let of_row = |line: &&Value| {
            line["headers"].as_array().is_some_and(|headers| headers.contains(&own))
        };
        let Some(command) = watching.seen.iter().find(of_row) else {
            wrong.push(format!("{fault}: it was not heard"));
            continue;
        };
        let told: String = watching
            .seen
            .iter()
            .filter(|line| line["conversation"] == command["conversation"])
            .map(words)
            .collect();
        wrong.extend(
            read.iter()
                .filter(|words| !told.contains(**words))
                .map(|words| format!("{fault}: {words:?} is not in\n{told}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
