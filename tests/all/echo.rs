//! The seams that a system stands on, shown by one that the program does not have: `tests/echo`,
//! two files and two rows.

use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::Command,
    thread,
};

use crate::support::{
    place::{Place, Ran},
    terminal,
};

/// The program with Echo, which cargo builds beside the tests.
fn program() -> PathBuf {
    let deps = env::current_exe().unwrap();
    let program = deps
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples")
        .join(format!("echo{}", env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is not there: cargo build --example echo", program.display());
    program
}

const SHOUT: &str = r#"{"echo": {
  "name": "shout",
  "description": "Says it louder",
  "path": "/shout",
  "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
}}"#;

fn run(place: &Place, arguments: &[&str]) -> Ran {
    let plain = place.command(arguments);
    let mut command = Command::new(program());
    command.args(plain.get_args()).current_dir(&place.here).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Ran::of(command.output().unwrap())
}

/// Answers requests one after the other: the method, path and body of each come back, and a path
/// other than `/shout` is not found.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(answer));
    url
}

fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    // Whoever only looks whether there is a server says nothing.
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        match header.trim().to_lowercase().strip_prefix("content-length:") {
            Some(number) => length = number.trim().parse().unwrap(),
            None if header.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let status = if line.contains(" /shout ") { "200 OK" } else { "404 Not Found" };
    let words = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let text = format!("{words} {}", String::from_utf8(body).unwrap().to_uppercase());
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{text}", text.len()).unwrap();
}

#[test]
fn its_files_are_read_checked_and_have_a_form() {
    let place = Place::with(&[("shout.json", SHOUT)]);
    run(&place, &["check"]).ended(0, &[]);
    let listed = run(&place, &["tools"]);
    assert!(listed.data.contains("shout"), "{}", listed.data);
    let schema = run(&place, &["schema", "shout"]).json();
    assert_eq!(schema["required"], serde_json::json!(["name", "path"]));
    let types = run(&place, &["schema", "--json"]).json();
    assert!(
        types
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["system"] == "echo" && row["type"] == "echo"),
        "{types}"
    );

    let place = Place::with(&[("shout.json", &SHOUT.replace("/shout", "shout"))]);
    let checked = run(&place, &["check"]);
    assert_eq!(checked.code, Some(1));
    assert!(
        checked.data.contains("echo.path") && checked.data.contains("shout.json:4"),
        "{}",
        checked.data
    );
}

#[test]
fn its_form_is_on_the_screen() {
    let place = Place::with(&[("shout.json", SHOUT)]);
    let screen = terminal::program(program(), ["."]).folder(&place.here).size(140, 40).start();
    screen.wait_for("shout · Echo tool");
    screen.wait_for("path *      /shout");
}

#[test]
fn its_tools_are_called_by_one_exchange() {
    let settings = format!("[connections.lab]\nservers = \"{}\"\n", server());
    let wrong = SHOUT.replace("/shout", "/whisper").replace("\"shout\"", "\"whisper\"");
    let place = Place::with(&[
        ("shout.json", SHOUT),
        ("whisper.json", &wrong),
        ("toolcrib.toml", &settings),
    ]);
    let called = run(&place, &["call", "shout", "text=hi", "--connection", "lab"]);
    assert_eq!(
        (called.code, called.data.trim()),
        (Some(0), "POST /shout {\"TEXT\":\"HI\"}"),
        "{}",
        called.words
    );
    run(&place, &["call", "whisper", "text=hi", "--connection", "lab"])
        .ended(1, &["POST /whisper", "check the server"]);
    run(&place, &["call", "shout", "--connection", "lab"]).ended(2, &["text"]);
    // Within this process nobody has paths.
    run(&place, &["call", "shout", "text=hi", "--connection", "embedded"])
        .ended(2, &["choose a connection to http://"]);
}

#[test]
fn what_it_does_not_give_is_refused_in_words() {
    let place = Place::with(&[("shout.json", SHOUT)]);
    run(&place, &["push", "echo"]).ended(2, &["trustgraph", "commonground"]);
    run(&place, &["import", "echo"]).ended(2, &["trustgraph", "commonground"]);
}
