//! Secrets of connections in the system's key store: a real keyring on a bus of its own, the real
//! program, a real broker.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::support::{
    key_store::KeyRing,
    nats::NatsServer,
    place::{Place, Ran},
    services::Responder,
    terminal,
};

const TOKEN: &str = "correct-horse-of-the-bus";

const TOOLS: &str = "\
tool:
  ask: {type: tool-service, name: ask, description: Asks, service: joke, style: a pun, arguments: [{name: topic, type: string, description: About what}]}
tool-service:
  joke: {id: joke, request-queue: 'non-persistent://tg/request/joke', response-queue: 'non-persistent://tg/response/joke', config-params: [{name: style, required: true}]}
";

fn workspace(server: &NatsServer) -> Place {
    let settings = format!(
        "connection = 'bus'\n[connections.bus]\nservers = ['{}']\ntoken-key = 'bus-token'\n",
        server.url()
    );
    Place::with(&[("tools.yaml", TOOLS), ("toolcrib.toml", &settings)])
}

/// A command that finds the key store.
fn asked(place: &Place, ring: &KeyRing, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    let (name, value) = ring.variable();
    command.env(name, value);
    command
}

fn ran(place: &Place, ring: &KeyRing, arguments: &[&str]) -> Ran {
    Ran::of(asked(place, ring, arguments).output().unwrap())
}

/// Keeps a secret that is piped in.
fn set(place: &Place, ring: &KeyRing, name: &str, secret: &str) -> Ran {
    let mut child =
        asked(place, ring, &["secret", "set", name]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(secret.as_bytes()).unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

#[test]
fn a_secret_of_the_key_store_opens_a_connection_and_is_seen_nowhere() {
    let (ring, server) = (
        KeyRing::start(),
        NatsServer::configured(&format!("authorization {{ token: \"{TOKEN}\" }}")),
    );
    let _service =
        Responder::start(&server.url().replace("://", &format!("://{TOKEN}@")), "response");
    let place = workspace(&server);
    let doctor = ran(&place, &ring, &["doctor"]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.words);
    assert!(
        doctor.data.contains("the secret \"bus-token\" of the key store doesn't exist"),
        "{}",
        doctor.data
    );
    let before = ran(&place, &ring, &["call", "ask", "topic=x"]);
    before.ended(
        2,
        &[
            "connection \"bus\" needs the secret \"bus-token\" of the key store",
            "toolcrib secret set bus-token",
        ],
    );

    set(&place, &ring, "bus-token", &format!("{TOKEN}\n")).ended(0, &["saved \"bus-token\""]);
    set(&place, &ring, "other", "x").ended(0, &["shorter than 6 letters"]);
    assert_eq!(ran(&place, &ring, &["secret", "list"]).data, "bus-token\nother\n");
    // The answer repeats the topic, and so it holds the secret like the request.
    let topic = format!("topic=a {TOKEN} b");
    let called = ran(&place, &ring, &["call", "ask", &topic]);
    called.ended(0, &[]);
    assert!(called.data.starts_with("Hello user, a "), "{}", called.data);
    let kept = ran(&place, &ring, &["history", "show", "last", "--json"]);
    assert!(kept.data.contains("a *** b") && !kept.data.contains(TOKEN), "{}", kept.data);
    let state = place.home.path().join("state");
    let found = Command::new("grep").arg("-rl").arg(TOKEN).arg(&state).output().unwrap();
    assert!(
        state.exists() && found.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&found.stdout)
    );
    let well = ran(&place, &ring, &["doctor", "--json"]);
    assert_eq!(well.code, Some(0), "{}", well.data);

    ran(&place, &ring, &["secret", "forget", "bus-token"]).ended(0, &["deleted"]);
    ran(&place, &ring, &["secret", "forget", "bus-token"]).ended(2, &["no secret \"bus-token\""]);
    assert_eq!(
        ran(&place, &ring, &["secret", "list", "--json"]).json(),
        serde_json::json!(["other"])
    );
}

#[test]
fn a_key_store_that_is_locked_or_not_there_says_so_and_what_to_do() {
    let (ring, server) = (
        KeyRing::start(),
        NatsServer::configured(&format!("authorization {{ token: \"{TOKEN}\" }}")),
    );
    let place = workspace(&server);
    set(&place, &ring, "bus-token", TOKEN).ended(0, &[]);
    let ring = ring.locked();
    let call = ["call", "ask", "topic=x"];
    ran(&place, &ring, &call).ended(
        3,
        &["connection \"bus\"", "the key store is locked", "unlock it", "token-variable"],
    );
    // No bus, as on a server: nothing is set, and the usual place is empty.
    let bare = |arguments: &[&str]| {
        Ran::of(
            place.command(arguments).env("XDG_RUNTIME_DIR", place.home.path()).output().unwrap(),
        )
    };
    bare(&call).ended(3, &["connection \"bus\"", "there is no key store here", "token-variable"]);
    bare(&["secret", "list"]).ended(3, &["there is no key store here"]);
    let doctor = bare(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.data.contains("there is no key store here"), "{}", doctor.data);
    // Nothing asks for it where no connection needs it.
    bare(&["call", "ask", "topic=x", "--connection", "embedded", "--dry-run"]).ended(0, &[]);
    bare(&["secret", "set", " x"]).ended(2, &["starts or ends with a space"]);
}

#[test]
fn a_secret_is_typed_without_being_shown() {
    let ring = KeyRing::start();
    let place = Place::with(&[("toolcrib.toml", "name = 'x'\n")]);
    let (name, value) = ring.variable();
    let setup = || {
        terminal::toolcrib(["secret", "set", "typed"])
            .home(place.home.path())
            .folder(&place.here)
            .variable(name, value)
    };
    let mut screen = setup().start();
    screen.wait_for("typed (hidden):");
    screen.type_text("geheim-und-lang");
    screen.press(["enter"]);
    assert!(screen.wait_end().success());
    assert!(!screen.contents().contains("geheim"), "{}", screen.contents());
    assert_eq!(ran(&place, &ring, &["secret", "list"]).data, "typed\n");
    let mut screen = setup().start();
    screen.wait_for("typed (hidden):");
    screen.press(["ctrl+c"]);
    assert_eq!(screen.wait_end().exit_code(), 130);
}

/// A desktop's keyring that falls over while it is asked the first time, and that the bus starts
/// again.
#[test]
fn a_key_store_that_ends_while_it_wakes_is_asked_again() {
    use zbus::{
        blocking::{MessageIterator, connection::Builder},
        message::Type,
    };
    let (ring, place) = (KeyRing::start(), Place::with(&[]));
    let falls = Builder::address(ring.variable().1).unwrap();
    let falls = falls.name("org.freedesktop.secrets").unwrap().build().unwrap();
    let child = asked(&place, &ring, &["secret", "list"]).spawn().unwrap();
    let mut asked = MessageIterator::from(&falls);
    while asked.next().unwrap().unwrap().message_type() != Type::MethodCall {}
    falls.close().unwrap();
    Ran::of(child.wait_with_output().unwrap()).ended(0, &[]);
}
