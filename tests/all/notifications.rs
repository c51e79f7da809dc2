//! Notifications: sent while the user looks elsewhere, by the terminal or the desktop, and by
//! commands that end.

use std::{fs, path::Path};

use tempfile::TempDir;
use toolcrib::{
    app::{
        calls::CallMessage,
        effect::Effect,
        input::Focus,
        message::{Message, ScreenId},
        notifications::NotificationMessage,
    },
    engine::series::BatchSize,
    model::call::{CallId, Event, EventKind, Outcome},
};

use crate::support::{
    terminal::{Terminal, toolcrib},
    workbench::Workbench,
};

/// A home whose settings say this.
fn home(settings: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/toolcrib");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), settings).unwrap();
    home
}

fn demo(home: &Path) -> Terminal {
    let terminal = toolcrib(["demo"]).home(home).variable("TERM", "foot").start();
    terminal.wait_for("query-customers");
    terminal
}

/// Calls the tool on Invoke, until it has answered.
fn call(terminal: &mut Terminal) {
    terminal.press(["f6"]);
    terminal.wait_for("streaming");
    terminal.wait_gone("streaming");
    terminal.wait_for("succeeded after");
    terminal.press(["home"]);
    terminal.wait_gone("succeeded after");
}

fn leave(mut terminal: Terminal) {
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
    terminal.assert_given_back();
}

#[test]
fn a_long_call_notifies_who_looks_elsewhere_and_nobody_else() {
    let home = home("[notifications]\ncalls = '0s'\n");
    let mut terminal = demo(home.path());
    terminal.press(["3"]);
    terminal.turn(true);
    call(&mut terminal);
    assert_eq!(terminal.signs(), [""; 0]);
    terminal.turn(false);
    call(&mut terminal);
    let signs = terminal.wait_signs(1);
    assert!(
        signs[0].starts_with("777;notify;toolcrib: query-customers;succeeded after "),
        "{signs:?}"
    );
    assert_eq!(signs.len(), 1);
    leave(terminal);
}

#[test]
fn nothing_is_sent_until_it_is_switched_on_and_the_choice_is_kept() {
    let home = home("theme = 'dark' # mine\n");
    let mut terminal = demo(home.path());
    terminal.turn(false);
    terminal.press(["3"]);
    call(&mut terminal);
    assert_eq!(terminal.signs(), [""; 0]);
    terminal.press(["@try-notification"]);
    terminal.wait_for("notification sent");
    assert_eq!(
        terminal.wait_signs(1),
        ["777;notify;toolcrib: a try;This is what a notification looks like"]
    );
    terminal.press(["@notifications"]);
    terminal.wait_for("notifications are on");
    leave(terminal);
    let kept = fs::read_to_string(home.path().join(".config/toolcrib/config.toml")).unwrap();
    assert_eq!(kept, "theme = 'dark' # mine\n\n[notifications]\non = true\n");
}

#[test]
fn a_terminal_that_is_not_known_to_take_them_rings() {
    let home = home("");
    let mut terminal = toolcrib(["demo"]).home(home.path()).start();
    terminal.wait_for("query-customers");
    terminal.press(["@try-notification"]);
    assert_eq!(terminal.wait_signs(1), ["bell"]);
    leave(terminal);
}

#[test]
fn a_command_notifies_at_its_end_where_it_is_asked_to() {
    let run = |arguments: &[&str]| {
        let home = home("");
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/services");
        let mut terminal =
            toolcrib(arguments).home(home.path()).folder(&sample).variable("TERM", "foot").start();
        terminal.wait_end();
        terminal.signs()
    };
    let call = ["call", "calculator", "expression=6 * 7"];
    assert_eq!(run(&call), [""; 0]);
    let signs = run(&[&call[..], &["--notify"]].concat());
    assert!(signs[0].starts_with("777;notify;toolcrib: call;done after "), "{signs:?}");
    let signs = run(&["call", "nobody", "--notify"]);
    assert!(signs[0].starts_with("777;notify;toolcrib: call;can't run after "), "{signs:?}");
}

/// The texts of the notifications that the effects so far ask for.
fn notified(bench: &Workbench) -> Vec<String> {
    let texts = bench.effects.iter().filter_map(|effect| match effect {
        Effect::Notify { notification, .. } => {
            Some(format!("{} — {}", notification.title, notification.body))
        }
        _ => None,
    });
    texts.collect()
}

fn end(bench: &mut Workbench, call: CallId, outcome: Outcome, at_ms: u64) {
    let kind = EventKind::End { outcome, problem: None };
    let events = vec![Event { at_ms, kind }];
    bench.send(Message::Call(CallMessage::Events { call, events }));
}

/// The calls that the effects so far ask for.
fn calls(bench: &Workbench) -> Vec<CallId> {
    let calls = bench.effects.iter().filter_map(|effect| match effect {
        Effect::Call { call, .. } => Some(*call),
        _ => None,
    });
    calls.collect()
}

#[test]
fn calls_of_a_series_are_reported_together() {
    let mut bench = Workbench::sample("services", 120, 40);
    bench.state.notifications.settings.on = true;
    bench.state.notifications.settings.calls = Some(0);
    bench.send(Message::Focus(Focus::Lost));
    bench.send(Message::Show(ScreenId::Invoke));
    let tool = bench.state.tool_called("calculator").unwrap().entry.id.clone();
    bench.send(Message::Call(CallMessage::Send { tool: tool.clone() }));
    let single = calls(&bench)[0];
    end(&mut bench, single, Outcome::Failed, 61_000);
    assert_eq!(notified(&bench), ["toolcrib: calculator — failed after 61 s"]);
    bench.effects.clear();
    let size = BatchSize { times: 2, at_once: 2 };
    bench.send(Message::Call(CallMessage::SendMany { tool, size }));
    for call in calls(&bench) {
        end(&mut bench, call, Outcome::Succeeded, 5);
    }
    let told = notified(&bench);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("toolcrib: calls ended — 2 calls: 2 succeeded"), "{told:?}");
}

#[test]
fn the_action_switches_them_on_and_off() {
    let mut bench = Workbench::sample("services", 120, 40);
    let toggle = Message::Notification(NotificationMessage::Toggle);
    for on in [true, false] {
        bench.send(toggle.clone());
        assert_eq!(bench.state.notifications.settings.on, on);
        assert_eq!(bench.effects.pop(), Some(Effect::KeepNotifications { on }));
    }
}

/// A window has no terminal that could show one, and says nothing of it.
#[test]
fn a_window_has_the_desktops_notifications_alone() {
    for in_window in [false, true] {
        let bench = Workbench::sample("services", 120, 40);
        let mut bench = if in_window { bench.in_window() } else { bench };
        bench.keys("@try-notification");
        let way = bench.effects.iter().find_map(|effect| match effect {
            Effect::Notify { way, .. } => Some(*way),
            _ => None,
        });
        assert_eq!(way.unwrap().is_none(), in_window);
        assert_eq!(bench.shows("toolcrib help files"), !in_window, "{}", bench.screen());
        assert_eq!(bench.shows("your desktop's settings"), in_window, "{}", bench.screen());
    }
}

#[cfg(feature = "desktop-notifications")]
mod desktop {
    use std::{
        collections::HashMap,
        sync::mpsc::{Receiver, channel},
        thread,
        time::Duration,
    };

    use zbus::{
        blocking::{Connection, MessageIterator, connection::Builder},
        zvariant::OwnedValue,
    };

    use super::*;
    use crate::support::bus::Bus;

    /// What a program asks to be shown: its name, what it replaces, icon, title, body, actions,
    /// hints, time.
    type Shown =
        (String, u32, String, String, String, Vec<String>, HashMap<String, OwnedValue>, i32);

    /// A desktop's notification service, which reads markup; what it is asked to show.
    fn service(bus: &Bus) -> (Connection, Receiver<Shown>) {
        let (sender, received) = channel();
        let connection = Builder::address(bus.address())
            .unwrap()
            .name("org.freedesktop.Notifications")
            .unwrap()
            .build()
            .unwrap();
        let (calls, answers) = (MessageIterator::from(&connection), connection.clone());
        thread::spawn(move || {
            for call in calls.map_while(Result::ok) {
                let header = call.header();
                match header.member().map(|member| member.as_str()) {
                    Some("GetCapabilities") => {
                        answers.reply(&header, &vec!["body", "body-markup"]).unwrap();
                    }
                    Some("Notify") => {
                        answers.reply(&header, &7_u32).unwrap();
                        sender.send(call.body().deserialize().unwrap()).unwrap();
                    }
                    _ => {}
                }
            }
        });
        (connection, received)
    }

    const WAY: &str = "[notifications]\nway = 'desktop'\n";

    #[test]
    fn the_desktop_shows_the_text_as_it_is() {
        let (home, folder) = (home(WAY), tempfile::tempdir().unwrap());
        let bus = Bus::start(folder.path());
        let (_connection, received) = service(&bus);
        let (name, address) = bus.variable();
        let mut terminal = toolcrib(["demo"]).home(home.path()).variable(name, address).start();
        terminal.wait_for("query-customers");
        terminal.press(["@try-notification"]);
        let shown = received.recv_timeout(Duration::from_secs(60)).unwrap();
        let (name, _, _, title, body, _, hints, _) = &shown;
        assert_eq!(
            [name, title, body],
            ["toolcrib", "toolcrib: a try", "This is what a notification looks like"]
        );
        assert!(hints.contains_key("desktop-entry"), "{shown:?}");
        assert_eq!(terminal.signs(), [""; 0]);
        leave(terminal);
    }

    #[test]
    fn a_machine_without_a_desktop_says_what_to_do() {
        let (home, folder) = (home(WAY), tempfile::tempdir().unwrap());
        let bus = Bus::start(folder.path());
        let (name, address) = bus.variable();
        let mut terminal = toolcrib(["demo"]).home(home.path()).variable(name, address).start();
        terminal.wait_for("query-customers");
        terminal.press(["@try-notification"]);
        terminal.wait_for("no notification service answers");
        leave(terminal);
    }
}
