//! A tool with every kind of argument, filled in by keys alone and by mouse alone in the real
//! program, sent over a real server, and received by a service in another language to the byte.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;
use vt100::Screen;

use crate::support::{
    nats::NatsServer,
    services::Responder,
    terminal::{Terminal, toolcrib},
};

/// The arguments as they must arrive: numbers as they were typed, members in the order in which
/// they were filled in.
const ARGUMENTS: &str = concat!(
    r##"{"subject":"Alpha \"beta\"","body":"# One\ntwo","priority":5,"ratio":0.50,"serial":12345678901234567890123,"urgent":true,"##,
    r##""due":"2027-01-31","starts":"2027-01-31T08:05:00+01:00","lasts":"P1DT2H","mail":"bo@example.org","##,
    r##""link":"https://example.org/a?b=c#d","ident":"6f1e5c1a-5d3b-4b7e-9d0a-0f6c1b2a3d4e","host":"db-1.example.org","alias":null,"##,
    r##""quota":"all","labels":["red","blue"],"people":[{"who":"Ann","age":41},{"who":"Bo"}],"spot":[8.50,-4.7e1],"##,
    r##""headers":{"accept":"text/plain"},"shape":{"kind":"box","width":3,"height":4},"part":{"maker":"Ada","weight":1.0},"##,
    r##""parcel":{"by":"post","street":"1 Long Lane"},"payment":{"card":"0042","month":"12/27"},"##,
    r##""tree":{"leaf":"root","twigs":[{"leaf":"twig"}]},"token":"hunter2"}"##,
);

/// Keys from opening Invoke to sending, with the letters of the values: as many as before the
/// form had modes, and never more.
const MOST_KEYS: usize = 342;

/// The service, and the workspace that knows it.
struct Kitchen {
    folder: TempDir,
    // The service ends before its server does.
    _service: Responder,
    _server: NatsServer,
}

impl Kitchen {
    fn open() -> (Self, Terminal) {
        let folder = tempfile::tempdir().unwrap();
        let tools =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/kitchen-sink/tools.json");
        fs::copy(tools, folder.path().join("tools.json")).unwrap();
        let server = NatsServer::start();
        let settings = format!(
            "connection = \"local\"\n[connections.local]\ntransport = \"nats\"\nservers = [\"{}\"]\n",
            server.url()
        );
        fs::write(folder.path().join("toolcrib.toml"), settings).unwrap();
        let service = Responder::keeping(&server.url(), "sink", &folder.path().join("kept"));
        let terminal = toolcrib([folder.path()]).size(160, 60).start();
        terminal.wait_for("Takes every kind");
        (Self { folder, _server: server, _service: service }, terminal)
    }

    /// What the service got is what is expected, byte for byte.
    fn assert_received(&self, arguments: &str) {
        let kept = fs::read_to_string(self.folder.path().join("kept")).unwrap();
        let body: Value = serde_json::from_str(&kept).unwrap();
        assert_eq!(body["arguments"], arguments);
        let whole =
            format!(r#"{{"user":"user","config":"{{}}","arguments":{}}}"#, Value::from(arguments));
        assert_eq!(kept, whole);
    }
}

/// The form in the middle of the Invoke screen, by what can be read of it.
struct Sheet {
    terminal: Terminal,
    /// The column of the sign that stands before the focused field.
    left: u16,
}

/// What stands in a row from a column on, up to the pane's edge.
fn row_text(screen: &Screen, left: u16, row: u16) -> String {
    let text = screen.contents_between(row, left, row, screen.size().1.get());
    text.split('│').next().unwrap_or_default().trim_end().to_owned()
}

fn rows(screen: &Screen, left: u16) -> Vec<String> {
    (0..screen.size().0.get()).map(|row| row_text(screen, left, row)).collect()
}

/// A field's row begins with the sign of the focus or a blank, then its label.
fn is_of(text: &str, label: &str) -> bool {
    let rest = text.trim_start_matches('▌').trim_start();
    rest.strip_prefix(label).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn first_word(text: &str) -> &str {
    text.trim_start_matches('▌').split_whitespace().next().unwrap_or_default()
}

impl Sheet {
    fn open(mut terminal: Terminal) -> Self {
        terminal.press(["3"]);
        Self::seen(terminal)
    }

    fn seen(terminal: Terminal) -> Self {
        terminal.wait_for("No call yet");
        let left = terminal.find("subject *").0 - 1;
        Self { terminal, left }
    }

    fn focused(&self) -> String {
        self.terminal
            .look(|screen| rows(screen, self.left))
            .into_iter()
            .find(|row| row.starts_with('▌'))
            .unwrap_or_default()
    }

    /// Waits until the row of a field reads so.
    fn reads(&self, label: &str, text: &str) {
        let left = self.left;
        self.terminal.wait_until(format_args!("{label}: {text}"), |screen| {
            rows(screen, left).iter().any(|row| is_of(row, label) && row.contains(text))
        });
    }

    fn press(&mut self, key: &str) {
        self.terminal.press([key]);
    }

    /// Goes on from field to field until it is this one.
    fn go(&mut self, label: &str) {
        for _ in 0..20 {
            let before = self.focused();
            if is_of(&before, label) {
                return;
            }
            self.press("tab");
            let left = self.left;
            self.terminal.wait_until(format_args!("another field than {before:?}"), |screen| {
                rows(screen, left)
                    .iter()
                    .any(|row| row.starts_with('▌') && first_word(row) != first_word(&before))
            });
        }
        panic!("{label} is not on the way:\n{}", self.terminal.contents());
    }

    /// Types a text into a field.
    fn fill(&mut self, label: &str, text: &str) {
        self.go(label);
        self.terminal.type_text(text);
        self.reads(label, text);
    }

    /// Opens what the focused field offers, and takes one.
    fn choose(&mut self, label: &str, downs: usize, words: &str) {
        self.go(label);
        self.press("enter");
        self.appears(words);
        for _ in 0..downs {
            self.press("down");
        }
        self.press("enter");
        self.reads(label, words);
    }

    /// Unfolds a field, and waits for one of those in it.
    fn unfold(&mut self, label: &str, inner: &str) {
        self.go(label);
        self.press("right");
        self.appears(inner);
    }

    fn appears(&self, label: &str) {
        let left = self.left;
        self.terminal.wait_until(format_args!("the field {label}"), |screen| {
            rows(screen, left).iter().any(|row| is_of(row, label))
        });
    }

    /// Waits until the focus is on a field.
    fn lands(&self, label: &str) {
        let left = self.left;
        self.terminal.wait_until(format_args!("the focus on {label}"), |screen| {
            rows(screen, left).iter().any(|row| row.starts_with('▌') && is_of(row, label))
        });
    }

    /// Where the row of a field is, once it has been brought into view by the wheel.
    fn reach(&self, label: &str) -> u16 {
        for _ in 0..40 {
            let seen = self.terminal.look(|screen| rows(screen, self.left));
            if let Some(row) = seen.iter().position(|row| is_of(row, label)) {
                return u16::try_from(row).unwrap();
            }
            self.terminal.wheel((self.left + 10, 5), 1);
            let left = self.left;
            self.terminal.wait_until(format_args!("{label} further down"), |screen| {
                rows(screen, left) != seen
            });
        }
        panic!("{label} is not in the form:\n{}", self.terminal.contents());
    }

    /// Clicks into a field.
    fn click(&self, label: &str) {
        let row = self.reach(label);
        self.terminal.click((self.left + 24, row));
    }

    /// Clicks on a sign in the row of a field.
    fn click_sign(&self, label: &str, sign: &str) {
        let row = self.reach(label);
        let text = self.terminal.look(|screen| row_text(screen, self.left, row));
        let at = text.find(sign).unwrap_or_else(|| panic!("no {sign} in {text:?}"));
        self.terminal.click((self.left + u16::try_from(text[..at].chars().count()).unwrap(), row));
    }

    /// Clicks into a field and types.
    fn click_fill(&mut self, label: &str, text: &str) {
        self.click(label);
        self.terminal.type_text(text);
        self.reads(label, text);
    }

    /// Clicks a field's list open and takes one of its options.
    fn click_choose(&self, label: &str, option: &str, reads: &str) {
        self.click(label);
        self.appears(option);
        // A press of the very cell that opened the list would be taken for a part of that press.
        let row = self.reach(option);
        self.terminal.click((self.left + 26, row));
        // While the list is open, the rows below it stand elsewhere.
        let left = self.left;
        self.terminal.wait_until(format_args!("the list of {label} closed"), |screen| {
            !rows(screen, left).iter().any(|row| is_of(row, option))
        });
        self.reads(label, reads);
    }

    /// Clicks a field open and waits for one of those in it.
    fn click_open(&self, label: &str, inner: &str) {
        self.click(label);
        self.appears(inner);
    }

    /// Takes a command from the palette that is open, turning the wheel until it is seen.
    fn command(&self, words: &str) {
        self.terminal.wait_for("Commands");
        let place = self.terminal.find("Commands");
        for _ in 0..40 {
            if self.terminal.contents().contains(words) {
                return self.terminal.click_on(words);
            }
            let seen = self.terminal.contents();
            self.terminal.wheel((place.0, place.1 + 5), 1);
            self.terminal.wait_until(format_args!("{words} further down"), |screen| {
                screen.contents() != seen
            });
        }
        panic!("there is no command {words:?}");
    }

    fn finish(mut self, kitchen: &Kitchen) {
        self.terminal.wait_for("kept ");
        kitchen.assert_received(ARGUMENTS);
        self.terminal.press(["ctrl+q"]);
        assert!(self.terminal.wait_end().success());
        self.terminal.assert_given_back();
    }
}

#[test]
fn by_keys_alone() {
    let (kitchen, terminal) = Kitchen::open();
    let mut sheet = Sheet::open(terminal);
    sheet.press("enter");
    sheet.fill("subject", "Alpha \"beta\"");
    sheet.go("body");
    sheet.press("enter");
    sheet.terminal.type_text("# One");
    sheet.press("enter");
    sheet.terminal.type_text("two");
    sheet.terminal.wait_for("two");
    sheet.choose("priority", 3, "5");
    sheet.fill("ratio", "0.50");
    sheet.fill("serial", "12345678901234567890123");
    sheet.go("urgent");
    sheet.press("space");
    sheet.reads("urgent", "[x] true");
    sheet.fill("due", "2027-01-31");
    sheet.fill("starts", "2027-01-31T08:05:00+01:00");
    sheet.fill("lasts", "P1DT2H");
    sheet.fill("mail", "bo@example.org");
    sheet.fill("link", "https://example.org/a?b=c#d");
    sheet.fill("ident", "6f1e5c1a-5d3b-4b7e-9d0a-0f6c1b2a3d4e");
    sheet.fill("host", "db-1.example.org");
    sheet.go("alias");
    sheet.press("alt+n");
    sheet.reads("alias", "null");
    sheet.choose("quota", 1, "as a word");
    sheet.choose("value", 2, "all");
    sheet.go("labels");
    sheet.terminal.type_text("red,blue");
    sheet.press("enter");
    sheet.reads("labels", "[blue ×]");
    sheet.go("people");
    sheet.press("alt+a");
    sheet.lands("who *");
    sheet.fill("who *", "Ann");
    sheet.fill("age", "41");
    sheet.go("+ add item");
    sheet.press("enter");
    sheet.lands("who *");
    sheet.fill("who *", "Bo");
    sheet.unfold("spot", "east");
    sheet.fill("east", "8.50");
    sheet.fill("north", "-4.7e1");
    sheet.go("headers");
    sheet.press("alt+a");
    sheet.lands("name of the new entry,");
    sheet.terminal.type_text("accept");
    sheet.press("enter");
    sheet.lands("accept");
    sheet.fill("accept", "text/plain");
    sheet.choose("shape", 1, "box");
    sheet.fill("width *", "3");
    sheet.fill("height *", "4");
    sheet.unfold("part", "maker *");
    sheet.fill("maker *", "Ada");
    sheet.fill("weight", "1.0");
    sheet.unfold("parcel", "by");
    sheet.go("by");
    sheet.press("right");
    sheet.reads("by", "post");
    sheet.fill("street *", "1 Long Lane");
    sheet.unfold("payment", "card");
    sheet.fill("card", "0042");
    sheet.fill("month", "12/27");
    sheet.unfold("tree", "leaf *");
    sheet.fill("leaf *", "root");
    sheet.go("twigs");
    sheet.press("alt+a");
    sheet.lands("leaf *");
    sheet.fill("leaf *", "twig");
    sheet.go("token");
    sheet.terminal.type_text("hunter2");
    sheet.go("version");
    sheet.press("f6");
    let keys = sheet.terminal.presses();
    assert!(keys <= MOST_KEYS, "{keys} keys, at most {MOST_KEYS}");
    sheet.finish(&kitchen);
}

#[test]
fn by_mouse_alone() {
    let (kitchen, terminal) = Kitchen::open();
    terminal.click_on("3 Invoke");
    let mut sheet = Sheet::seen(terminal);
    sheet.click_fill("subject", "Alpha \"beta\"");
    sheet.click("body");
    // A line break is typed as the letters are.
    sheet.terminal.type_text("# One\rtwo");
    sheet.terminal.wait_for("two");
    sheet.click_choose("priority", "5", "5");
    sheet.click_fill("ratio", "0.50");
    sheet.click_fill("serial", "12345678901234567890123");
    sheet.click("urgent");
    sheet.reads("urgent", "[x] true");
    sheet.click_fill("due", "2027-01-31");
    sheet.click_fill("starts", "2027-01-31T08:05:00+01:00");
    sheet.click_fill("lasts", "P1DT2H");
    sheet.click_fill("mail", "bo@example.org");
    sheet.click_fill("link", "https://example.org/a?b=c#d");
    sheet.click_fill("ident", "6f1e5c1a-5d3b-4b7e-9d0a-0f6c1b2a3d4e");
    sheet.click_fill("host", "db-1.example.org");
    sheet.click("alias");
    sheet.lands("alias");
    sheet.terminal.click_on("Ctrl+P commands");
    sheet.command("Set the field to null");
    sheet.reads("alias", "null");
    sheet.click_choose("quota", "as a word", "as a word");
    sheet.click_choose("value", "all", "all");
    sheet.click_sign("labels", "+ add");
    sheet.terminal.type_text("red,blue,");
    sheet.reads("labels", "[blue ×]");
    sheet.click_sign("people", "+ add");
    sheet.appears("who *");
    sheet.terminal.type_text("Ann");
    sheet.reads("who *", "Ann");
    sheet.click_fill("age", "41");
    sheet.click_sign("+ add item", "+ add");
    sheet.lands("who *");
    sheet.terminal.type_text("Bo");
    sheet.reads("who *", "Bo");
    sheet.click_open("spot", "east");
    sheet.click_fill("east", "8.50");
    sheet.click_fill("north", "-4.7e1");
    sheet.click_sign("headers", "+ add");
    sheet.lands("name of the new entry,");
    sheet.terminal.type_text("accept");
    sheet.lands("accept");
    // A click on the typed name adds the entry.
    sheet.click("accept");
    sheet.lands("accept");
    sheet.click_fill("accept", "text/plain");
    sheet.click_choose("shape", "box", "box");
    sheet.click_fill("width *", "3");
    sheet.click_fill("height *", "4");
    sheet.click_open("part", "maker *");
    sheet.click_fill("maker *", "Ada");
    sheet.click_fill("weight", "1.0");
    sheet.click_open("parcel", "by");
    sheet.click_choose("by", "post", "post");
    sheet.click_fill("street *", "1 Long Lane");
    sheet.click_open("payment", "card");
    sheet.click_fill("card", "0042");
    sheet.click_fill("month", "12/27");
    sheet.click_open("tree", "leaf *");
    sheet.click_fill("leaf *", "root");
    sheet.click_sign("twigs", "+ add");
    sheet.lands("leaf *");
    sheet.terminal.type_text("twig");
    sheet.reads("leaf *", "twig");
    sheet.click("token");
    sheet.terminal.type_text("hunter2");
    sheet.reads("token", "•••••••");
    sheet.terminal.click_on("[ Send F6 ]");
    sheet.finish(&kitchen);
}
