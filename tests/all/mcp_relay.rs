//! `toolcrib serve --mcp` before other MCP servers: what these ask during a call reaches the client
//! that called, and what they have beside tools is there too.

use std::{env, path::Path};

use crate::support::{
    place::{Place, Ran},
    serving::Serving,
};

/// A workspace that serves the tools of a server, which behaves as `how` says.
fn serving_place(how: &str) -> Place {
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/mcp_server.py");
    let python = env::var("TOOLCRIB_PYTHON").expect("eval \"$(tests/setup)\" says where Python is");
    let mut line = vec!["mcp", "add", "test", "--", &python, script.to_str().unwrap()];
    line.extend(Some(how).filter(|how| !how.is_empty()));
    place.run(&line).ended(0, &[]);
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    place
}

/// A workspace whose connection leads there.
fn client_place(settings: &str) -> Place {
    let settings = format!("[connections.served]\nsystem = \"mcp\"\n{settings}\n");
    Place::with(&[("toolcrib.toml", &settings)])
}

fn call(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["call", "--connection", "served", "--allow-start"], words].concat())
}

/// How a client reaches the workspace: over HTTP, and as its own process.
fn ways(place: &Place) -> (Serving, [String; 2]) {
    let line = ["serve", "--mcp", "--http", "127.0.0.1:0"];
    let mut http = Serving::of(&mut place.command(&line));
    let served = format!("transport = \"http\"\nservers = \"{}\"", http.address());
    // Its consents are in the home of its workspace.
    let home = |folder: &str| place.home.path().join(folder).display().to_string();
    let env = format!(
        "HOME = \"{}\", XDG_CONFIG_HOME = \"{}\", XDG_STATE_HOME = \"{}\"",
        home(""),
        home("config"),
        home("state")
    );
    let program = format!(
        "command = \"{}\"\nargs = [\"serve\", \"--mcp\"]\ndir = \"{}\"\nenv = {{ {env} }}",
        env!("CARGO_BIN_EXE_toolcrib"),
        place.here.display(),
    );
    (http, [served, program])
}

#[test]
fn a_question_reaches_the_client_that_called_and_its_answer_the_server() {
    for behind in ["", "modern"] {
        let place = serving_place(behind);
        let (http, ways) = ways(&place);
        for way in &ways {
            for era in ["legacy", "modern"] {
                let case = format!("behind {behind:?}, {era}, {way}");
                let client = client_place(&format!("{way}\nera = \"{era}\""));
                let accepted = call(&client, &["ask", "--answer", r#"{"name": "Ann"}"#]);
                accepted.ended(0, &["elicitation/create \"Who are you?\"", "accepted"]);
                let answer = r#"{"action": "accept", "content": {"age": 30, "name": "Ann"}}"#;
                assert!(accepted.data.contains(answer), "{case}: {}", accepted.data);
                let sampled = call(&client, &["ask", "what=model", "--answer", "My own words"]);
                assert!(sampled.data.contains("My own words"), "{case}: {}", sampled.data);
                let declined = call(&client, &["ask", "--answer", "decline"]);
                assert!(declined.data.contains(r#""decline""#), "{case}: {}", declined.data);
                // A client that cannot answer is not asked.
                let silent =
                    client_place(&format!("{way}\nera = \"{era}\"\ncapabilities = [\"tasks\"]"));
                let alone = call(&silent, &["ask"]);
                assert!(alone.data.contains(r#""decline""#), "{case}: {}", alone.data);
            }
        }
        http.interrupt();
    }
}

#[test]
fn resources_prompts_and_completions_of_servers_behind_are_there() {
    let place = serving_place("reads");
    let (http, ways) = ways(&place);
    for way in &ways {
        for era in ["legacy", "modern"] {
            let client = client_place(&format!("{way}\nera = \"{era}\""));
            let run = |words: &[&str]| client.run(&[&["mcp"], words, &["--allow-start"]].concat());
            let listed = run(&["resources", "served"]);
            assert!(listed.data.contains("test://notes.md"), "{}{}", listed.data, listed.words);
            assert!(listed.data.contains("test://page/{number}"), "{}", listed.data);
            let read = run(&["resources", "served", "test://notes.md"]);
            assert_eq!(read.data, "# test://notes.md\n", "{}", read.words);
            let greeted = run(&["prompts", "served", "greet", "-a", "who=Ann"]);
            assert_eq!(greeted.data, "Greet Ann", "{}", greeted.words);
            let line = ["prompts", "served", "greet", "-a", "who=An", "--complete", "who"];
            assert_eq!(run(&line).data, "Ann\nAnton\n");
        }
    }
    http.interrupt();
    // Without such a server it says that there is nothing of the kind.
    let tools = "tool:\n  ask: {type: text-completion, name: ask, description: Asks}\n";
    let alone = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", tools)]);
    let mut http = Serving::of(&mut alone.command(&["serve", "--mcp", "--http", "127.0.0.1:0"]));
    let settings = format!("transport = \"http\"\nservers = \"{}\"", http.address());
    let client = client_place(&settings);
    client.run(&["mcp", "resources", "served"]).ended(0, &["has no resources"]);
    http.interrupt();
}

#[test]
fn over_http_a_token_may_be_required() {
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let line = ["serve", "--mcp", "--http", "127.0.0.1:0", "--token-variable", "CLIENT_TOKEN"];
    place.run(&line).ended(2, &["CLIENT_TOKEN is not set"]);
    let mut http = Serving::of(place.command(&line).env("CLIENT_TOKEN", "correct-horse"));
    let address = http.address();
    let settings =
        format!("transport = \"http\"\nservers = \"{address}\"\ntoken-variable = \"OWN_TOKEN\"");
    let client = client_place(&settings);
    let ping = |token: &str| {
        let mut command = client.command(&["mcp", "ping", "served"]);
        Ran::of(command.env("OWN_TOKEN", token).output().unwrap())
    };
    ping("correct-horse").ended(0, &[]);
    for wrong in ["correct-hors", "correct-horse-2", "incorrect-hor"] {
        ping(wrong).ended(3, &["rejects the connection's token (HTTP 401)"]);
    }
    // It is no server that gives tokens itself: it guards all of its places.
    let looked = client.run(&["mcp", "auth", &address]);
    assert_eq!(looked.code, Some(1), "{}{}", looked.data, looked.words);
    assert!(looked.data.contains("error auth.no-authorization-server"), "{}", looked.data);
    assert!(looked.data.contains("no token can be got"), "{}", looked.data);
    http.interrupt();
}

#[test]
fn resources_of_a_server_behind_the_tools_are_followed_through_it() {
    for behind in ["reads", "both"] {
        let place = serving_place(behind);
        let (http, ways) = ways(&place);
        for way in &ways {
            for era in ["legacy", "modern"] {
                let client = client_place(&format!("{way}\nera = \"{era}\""));
                let line = ["mcp", "resources", "served", "test://notes.md", "--follow=1"];
                let followed = client.run(&[&line[..], &["--allow-start"]].concat());
                followed.ended(0, &["test://notes.md has changed"]);
                assert_eq!(followed.data, "# test://notes.md\n".repeat(2), "{behind} {era} {way}");
            }
        }
        http.interrupt();
    }
}

#[test]
fn without_a_server_that_says_when_its_resources_change_none_can_be_followed() {
    let place = serving_place("");
    let (http, ways) = ways(&place);
    for (era, words) in
        [("legacy", "says when its resources change"), ("modern", "does not say when")]
    {
        let client = client_place(&format!("{}\nera = \"{era}\"", ways[0]));
        let line = ["mcp", "resources", "served", "test://a", "--follow"];
        client.run(&line).ended(1, &[words]);
    }
    http.interrupt();
}
