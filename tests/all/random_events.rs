//! Random events over every screen: keys, mouse, pastes, sizes, odd bytes, files that change on
//! disk, answers that come at any time. Whatever comes, in whatever order, nothing panics.
//!
//! `TOOLCRIB_RANDOM_EVENTS=300000` makes it longer; `TOOLCRIB_RANDOM_SEED=…` repeats a run that
//! failed, which prints both.

use std::{env, mem, path::Path, sync::Arc};

use serde_json::json;
use toolcrib::{
    app::{
        answering::{AnsweringMessage, AskId, WaitingQuestion},
        calls::CallMessage,
        connection_test::{ConnectionReport, Report},
        effect::Effect,
        folder::FolderList,
        history::HistoryMessage,
        input::Input,
        message::{
            Condition, ConnectionMessage, DocumentMessage, Health, Loaded, Message, ScreenId,
        },
        watching::WatchMessage,
    },
    engine::traffic::{record::Record, trace::Head},
    model::{
        call::{CallId, Event, EventKind, Headers, Outcome, StrayCause},
        clock::Millis,
        entry::FileId,
        problem::{Problem, ProblemKind},
        trace::{self, Listing, Summary, Trace},
        traffic::{KeptMessage, ObservedMessage, Tapped},
    },
    runtime::input_decoder::InputDecoder,
    syntax::source::{Format, Source},
    systems::{commonground::by_hand::Waiting, deployed::item::Item, watched::TrafficWitness},
};

use crate::support::{luck::Luck, workbench::Workbench};

/// Without the variable, for a run of a few seconds.
const EVENTS: usize = 1_500;

/// Events of one session; each has a seed of its own.
const SESSION: usize = 300;

const SAMPLES: [&str; 6] =
    ["spec-workflow", "demo", "commonground", "services", "first-call", "gallery"];

const SCREENS: [ScreenId; 8] = [
    ScreenId::Workflow,
    ScreenId::Tools,
    ScreenId::Invoke,
    ScreenId::Watch,
    ScreenId::History,
    ScreenId::Waiting,
    ScreenId::Resources,
    ScreenId::Connections,
];

const SIZES: [(u16, u16); 12] = [
    (120, 36),
    (80, 24),
    (200, 50),
    (60, 16),
    (99, 30),
    (59, 15),
    (1, 1),
    (3, 40),
    (250, 16),
    (61, 60),
    (160, 44),
    (130, 20),
];

/// What a terminal sends for keys that lead somewhere; letters come by themselves.
const SEQUENCES: [&str; 46] = [
    "\r",
    "\r",
    "\t",
    "\t",
    "\x1b",
    "\x1b[Z",
    "\x7f",
    " ",
    " ",
    "\x1b[A",
    "\x1b[A",
    "\x1b[B",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[H",
    "\x1b[F",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[3~",
    "\x1b[2~",
    "\x1b[1;2A",
    "\x1b[1;2B",
    "\x1b[1;2C",
    "\x1b[1;2D",
    "\x1b[1;5C",
    "\x1b[1;5D",
    "\x1b[1;3A",
    "\x1b[1;3B",
    "\x1b[13;5u",
    "\x01",
    "\x03",
    "\x10",
    "\x12",
    "\x13",
    "\x18",
    "\x16",
    "\x19",
    "\x06",
    "\x1bOP",
    "\x1b[17~",
    "\x1b[18~",
    "\x1b[15~",
    "\x1bOQ",
    "\x1b[20~",
    "\x1b[21~",
];

const ODD: [&[u8]; 10] = [
    b"\x1b[",
    b"\xc3",
    b"\xf0\x9f",
    b"\x1b[<0;10",
    b"\x1b[200~begin",
    b"\x1b[201~",
    b"\x1b[0;0R",
    b"\x1b[M !",
    b"\x1bO",
    b"\x1b[99999999999;9u",
];

const PASTES: [&str; 12] = [
    "",
    "abc",
    "a\nb\r\nc",
    "{\"a\": [1, 2, {\"b\": null}]}",
    "tool:\n  pasted:\n    type: prompt\n    name: pasted\n    group: [x]\n",
    "é🙂\u{200b}\u{202e}\u{1b}[31m",
    "12345678901234567890123",
    "   ",
    "name: x\tname: y",
    "{\"tool\": {\"p\": {\"type\": \"prompt\", \"name\": \"p\"}}}",
    "- a\n- b\n",
    "one two three four five six seven eight nine ten eleven twelve",
];

#[test]
fn random_events_over_every_screen() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let seed = number("TOOLCRIB_RANDOM_SEED").unwrap_or(20_261_122);
    let events =
        usize::try_from(number("TOOLCRIB_RANDOM_EVENTS").unwrap_or(EVENTS as u64)).unwrap();
    println!("{events} random events from seed {seed}");
    for session in 0..events.div_ceil(SESSION) as u64 {
        Session::new(seed.wrapping_add(session)).run(SESSION.min(events));
    }
}

/// The program from its start, and the world around it.
struct Session {
    seed: u64,
    luck: Luck,
    bench: Workbench,
    decoder: InputDecoder,
    witness: TrafficWitness,
    pending: Vec<Effect>,
    calls: Vec<CallId>,
    at: u64,
    done: usize,
}

impl Drop for Session {
    #[expect(clippy::print_stdout, reason = "the harness keeps what a failed test prints")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self { seed, done, .. } = self;
            println!(
                "to repeat it: TOOLCRIB_RANDOM_SEED={seed} TOOLCRIB_RANDOM_EVENTS={} (it was event {done})",
                *done + 1
            );
        }
    }
}

impl Session {
    fn new(seed: u64) -> Self {
        let mut luck = Luck::new(seed);
        let mut bench = open(&mut luck);
        bench.draw();
        let (decoder, witness) = (InputDecoder::default(), TrafficWitness::default());
        Self {
            seed,
            luck,
            bench,
            decoder,
            witness,
            pending: Vec::new(),
            calls: Vec::new(),
            at: 1,
            done: 0,
        }
    }

    fn run(&mut self, events: usize) {
        for event in 0..events {
            self.done = event;
            self.event();
            self.pending.append(&mut self.bench.effects);
            if self.pending.contains(&Effect::Quit) {
                self.bench = open(&mut self.luck);
                self.pending.clear();
                self.calls.clear();
            }
            // A picture comes late where much else does.
            if self.luck.chance(60) {
                self.bench.draw();
            }
        }
        self.bench.draw();
    }

    fn event(&mut self) {
        match self.luck.below(100) {
            0..50 => self.key(),
            50..70 => self.mouse(),
            70..74 => self.paste(),
            74..77 => self.bytes(),
            77..79 => self.resize(),
            79..81 => {
                let screen = *self.luck.pick(&SCREENS);
                if self.bench.state.form.is_none() {
                    self.bench.send(Message::Show(screen));
                }
            }
            81..85 => self.disk(),
            85..87 => self.traffic(),
            _ => self.answer(),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let mut inputs = self.decoder.decode(bytes);
        if self.decoder.is_waiting() {
            inputs.extend(self.decoder.flush());
        }
        for input in inputs {
            self.bench.input_undrawn(&input);
        }
    }

    fn key(&mut self) {
        let bytes = self.key_bytes();
        self.take(&bytes);
    }

    fn key_bytes(&mut self) -> Vec<u8> {
        if self.luck.chance(55) {
            return self.luck.pick(&SEQUENCES).as_bytes().to_vec();
        }
        let letter = u8::try_from(33 + self.luck.below(94)).unwrap();
        if self.luck.chance(8) { vec![0x1b, letter] } else { vec![letter] }
    }

    fn mouse(&mut self) {
        let (width, height) = self.bench.size();
        let (column, row) = (
            self.luck.below(usize::from(width) + 2) + 1,
            self.luck.below(usize::from(height) + 2) + 1,
        );
        let button =
            *self.luck.pick(&[0, 0, 0, 2, 1, 32, 32, 64, 65, 65, 66, 67, 16 + 64, 4 + 65, 4]);
        self.take(format!("\x1b[<{button};{column};{row}M").as_bytes());
        if button < 32 && self.luck.chance(70) {
            self.take(format!("\x1b[<{button};{column};{row}m").as_bytes());
        }
    }

    fn paste(&mut self) {
        let text = *self.luck.pick(&PASTES);
        self.bench.input_undrawn(&Input::Paste(text.to_owned()));
    }

    fn bytes(&mut self) {
        let mut bytes = self.luck.pick(&ODD).to_vec();
        bytes.extend((0..self.luck.below(6)).map(|_| self.luck.next().to_le_bytes()[0]));
        self.take(&bytes);
    }

    fn resize(&mut self) {
        let (width, height) = *self.luck.pick(&SIZES);
        self.bench.resize(width, height);
    }

    /// A file changes on disk, goes, comes, or all are read again.
    fn disk(&mut self) {
        let files: Vec<(FileId, Arc<str>)> = self
            .bench
            .state
            .documents
            .iter()
            .map(|(file, document)| (file.clone(), document.text.whole_text().clone()))
            .collect();
        if files.is_empty() || self.luck.chance(20) {
            let names = files
                .iter()
                .map(|(file, _)| file.clone())
                .filter(|_| self.luck.chance(80))
                .collect();
            return self.bench.send(Message::Document(DocumentMessage::LoadEnded {
                names,
                skipped: Vec::new(),
                unread: Vec::new(),
            }));
        }
        let (file, text) = self.luck.pick(&files).clone();
        match self.luck.below(10) {
            0 => self
                .bench
                .send(Message::Document(DocumentMessage::DiskChanged { file, text: None })),
            1 => {
                let name = format!("new-{}.yaml", self.luck.below(3));
                let text = format!(
                    "tool:\n  fresh-{}:\n    type: prompt\n    name: fresh\n    group: [g]\n    state: s\n",
                    self.luck.below(9)
                );
                self.bench.send(Message::Document(DocumentMessage::DiskChanged {
                    file: FileId::new(name),
                    text: Some(text.into()),
                }));
            }
            2 => {
                let format = Format::from_path(file.path()).unwrap_or(Format::Json);
                let source = Source::parse(format, text.clone());
                self.bench.send(Message::Document(DocumentMessage::Loaded(vec![(
                    file,
                    Loaded { text, source, held: None },
                )])));
            }
            _ => {
                let text = self.changed(&text);
                self.bench.send(Message::Document(DocumentMessage::DiskChanged {
                    file,
                    text: Some(text.into()),
                }));
            }
        }
    }

    /// A text without some lines, cut off, or with some twice.
    fn changed(&mut self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (from, count) = (self.luck.below(lines.len() + 1), self.luck.below(12));
        let to = (from + count).min(lines.len());
        match self.luck.below(4) {
            0 => lines[..from].concat(),
            1 => [&lines[..to], &lines[from..]].concat().concat(),
            _ => [&lines[..from], &lines[to..]].concat().concat(),
        }
    }

    /// Something passes on the bus.
    fn traffic(&mut self) {
        let turn = self.bench.state.watching.turn;
        let count = self.luck.below(30);
        let heard = (0..count).map(|_| self.crossing()).collect::<Vec<_>>();
        let heard = heard.into_iter().map(|tapped| self.witness.observe_message(tapped)).collect();
        self.bench.send(Message::Watch(WatchMessage::Heard { turn, heard }));
        if self.luck.chance(20) {
            let ask = AskId { turn: self.luck.below(3) as u64, number: self.luck.below(6) as u64 };
            let asked = WaitingQuestion {
                ask,
                waiting: Arc::new(Waiting { tool: "lamp".into(), ..Waiting::default() }),
                arguments: "{\"on\": true}".into(),
                failed: None,
            };
            self.bench.send(Message::Answering(AnsweringMessage::Asked(Box::new(asked))));
        }
    }

    fn crossing(&mut self) -> Tapped {
        self.at += self.luck.below(2_000) as u64;
        let id = format!("id-{}", self.luck.below(12));
        let subject = *self.luck.pick(&[
            "tg.request.joke",
            "tg.response.joke",
            "tg.response.joke",
            "cg.v1r4.lab.public.cmd.tool.x",
            "odd",
        ]);
        let end = self.luck.chance(30);
        let body = match self.luck.below(4) {
            0 => json!({"user": "alice", "arguments": "{}"}).to_string(),
            1 => "no JSON \u{1b}[31m".to_owned(),
            _ => json!({"error": null, "response": "a piece", "end_of_stream": end}).to_string(),
        };
        Tapped::ObservedMessage(Arc::new(ObservedMessage {
            at: Millis(self.at),
            subject: subject.into(),
            reply: None,
            headers: vec![("id".into(), id)],
            size: body.len() as u64,
            body: body.into_bytes().into(),
            kept: KeptMessage::Whole,
            about: None,
        }))
    }

    /// The world answers one of the effects, or a call goes on.
    fn answer(&mut self) {
        if self.luck.chance(40) && !self.calls.is_empty() {
            let call = *self.luck.pick(&self.calls);
            return self.goes_on(call);
        }
        if self.pending.is_empty() {
            return;
        }
        let effect = self.pending.remove(0);
        let fails = self.luck.chance(15);
        let problem = || {
            Problem::new(ProblemKind::Unreachable, "reaching the far side", "nobody is there")
                .with_remedy("start it")
        };
        let message = match effect {
            Effect::Save { file, text, .. } if !fails => {
                Message::Document(DocumentMessage::Saved { file, text })
            }
            Effect::Save { file, .. } => Message::Document(DocumentMessage::SaveRefused {
                file,
                disk: self.luck.chance(50).then(|| "other: 1\n".into()),
            }),
            Effect::CheckSoon => Message::Document(DocumentMessage::CheckDue),
            Effect::Check(snapshot) => Message::Document(DocumentMessage::Checked {
                turn: snapshot.turn,
                findings: Arc::new(snapshot.collect_findings()),
            }),
            Effect::RenderModel(goal) => Message::Document(DocumentMessage::ModelRendered {
                text: goal.render(),
                tool: goal.tool,
            }),
            Effect::Call { call, .. } => {
                self.calls.push(call);
                return self.goes_on(call);
            }
            Effect::ListKept { turn, .. } => {
                Message::History(HistoryMessage::Listed { turn, listing: Arc::new(self.listing()) })
            }
            Effect::OpenKept(id) => Message::History(HistoryMessage::Opened(Box::new(kept(&id)))),
            Effect::CompareKept(ids) => {
                Message::History(HistoryMessage::Compared(Arc::new(ids.map(|id| kept(&id)))))
            }
            Effect::Replay { trace, .. } => Message::History(HistoryMessage::Replayed {
                id: trace.head.id.clone(),
                events: trace.events.clone(),
                ended: !fails,
            }),
            Effect::RemoveKept(_) => Message::History(HistoryMessage::Changed),
            Effect::Watch { turn, .. } if !fails => Message::Watch(WatchMessage::Began { turn }),
            Effect::OpenTrace(path) => {
                let head = Head {
                    connection: "bus".into(),
                    transport: "nats".into(),
                    subjects: vec!["tg.>".into()],
                };
                Message::Watch(WatchMessage::Opened {
                    path,
                    head,
                    record: Box::new(Record::new(Default::default())),
                })
            }
            Effect::TestConnection { turn, connection, .. } => {
                let reached = || {
                    Report::Reached(Box::new(ConnectionReport {
                        there: Some(vec!["tool/joke".into()]),
                        ..ConnectionReport::default()
                    }))
                };
                let report = if fails { Report::Failed(problem()) } else { reached() };
                Message::Connection(ConnectionMessage::Tested {
                    turn,
                    connection: connection.name,
                    report,
                })
            }
            Effect::AskListeners(connection) => Message::Connection(ConnectionMessage::Listeners {
                connection: connection.name,
                listeners: vec![("joke".into(), "somebody".into())].into(),
            }),
            Effect::ReadDeployed { purpose, .. } => {
                let text =
                    r#"{"name": "joke", "type": "text-completion", "description": "Tells one."}"#
                        .to_owned();
                let item = Item { system: "trustgraph", section: "tool", key: "joke".into(), text };
                Message::Connection(ConnectionMessage::Deployed {
                    purpose,
                    read: if fails { Err(problem()) } else { Ok(vec![item]) },
                })
            }
            Effect::LookIntoFolder(folder) => {
                let names: Vec<String> =
                    (0..self.luck.below(5)).map(|number| format!("name-{number}")).collect();
                Message::Folder(FolderList {
                    folder,
                    names: if fails { Err("it is gone".into()) } else { Ok(names.into()) },
                })
            }
            Effect::EditText { target, at, text } => {
                Message::Document(DocumentMessage::EditorText {
                    target,
                    at,
                    text: text.with_text(format!("{} edited\n", text.as_str())),
                })
            }
            Effect::Editor { file, .. } => Message::Document(DocumentMessage::DiskChanged {
                file,
                text: Some("tool: {}\n".into()),
            }),
            Effect::Read { .. } => {
                let names =
                    self.bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
                Message::Document(DocumentMessage::LoadEnded {
                    names,
                    skipped: Vec::new(),
                    unread: Vec::new(),
                })
            }
            _ if fails => Message::Failed(problem()),
            _ => Message::Connection(ConnectionMessage::Condition {
                connection: "embedded".into(),
                condition: Condition { words: String::new(), health: Health::Good },
            }),
        };
        self.bench.send(message);
    }

    fn goes_on(&mut self, call: CallId) {
        self.at += 1;
        let text = *self.luck.pick(&[
            "piece ",
            "{\"a\": 1}",
            "line\nline\n",
            "",
            "# Head\n- item\n",
            "\u{1b}[31mé🙂",
        ]);
        let kind = match self.luck.below(10) {
            0 => EventKind::Sent { bytes: 10 },
            1 => EventKind::Notice("reconnecting".into()),
            2 => EventKind::Stray {
                cause: StrayCause::ForeignId,
                id: Some("x".into()),
                headers: Headers::default(),
                body: text.into(),
            },
            3 => EventKind::End {
                outcome: *self.luck.pick(&[Outcome::Succeeded, Outcome::Failed, Outcome::Lost]),
                problem: None,
            },
            _ => EventKind::Chunk { bytes: text.len(), text: text.into() },
        };
        self.bench.send(Message::Call(CallMessage::Events {
            call,
            events: vec![Event { at_ms: self.at, kind }],
        }));
    }

    fn listing(&mut self) -> Listing {
        let calls = (0..self.luck.below(8)).map(|number| Summary {
            id: format!("call-{number}").into(),
            at: Millis(1_000),
            tool: "tell-joke".into(),
            connection: "embedded".into(),
            arguments: "{}".into(),
            outcome: (number % 3 != 0).then_some(Outcome::Succeeded),
            error: None,
            sent_ms: None,
            took_ms: 5,
            first_ms: Some(2),
            chunks: 1,
            size: 10,
            strays: 0,
            has_passed: None,
        });
        Listing { calls: calls.collect(), older: 0, unread: 0 }
    }
}

fn kept(id: &str) -> Trace {
    let head = trace::Head {
        id: id.into(),
        at: Millis(1_000),
        tool: "tell-joke".into(),
        system: "trustgraph".into(),
        connection: "embedded".into(),
        transport: "embedded".into(),
        to: "tg.request.joke".into(),
        reply: None,
        headers: Vec::new(),
        arguments: "{\"topic\": \"owls\"}".into(),
        body: "{}".into(),
        masked: false,
    };
    let chunk = EventKind::Chunk { text: format!("the answer of {id}").into(), bytes: 10 };
    let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
    Trace { head, events: vec![Event { at_ms: 1, kind: chunk }, Event { at_ms: 2, kind: end }] }
}

fn open(luck: &mut Luck) -> Workbench {
    let (width, height) = SIZES[luck.below(5)];
    if luck.chance(15) {
        let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/gallery");
        let text = |name: &str| std::fs::read_to_string(gallery.join(name)).unwrap();
        let mut bench = Workbench::form(
            &text("schema.json"),
            luck.chance(50).then(|| text("ui.json")).as_deref(),
            width,
            height,
        );
        bench.draw();
        return bench;
    }
    let mut bench = Workbench::sample(SAMPLES[luck.below(SAMPLES.len())], width, height);
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/commonground/toolcrib.toml");
    if luck.chance(30) {
        let text: Arc<str> = std::fs::read_to_string(settings).unwrap().into();
        bench.send(Message::Document(DocumentMessage::DiskChanged {
            file: FileId::new("toolcrib.toml"),
            text: Some(text),
        }));
    }
    bench.send(Message::Show(*luck.pick(&SCREENS)));
    mem::take(&mut bench.effects);
    bench
}

/// Letters that come faster than pictures do what they do one by one.
#[test]
fn keys_typed_ahead_do_what_they_do_with_a_picture_after_each() {
    for seed in 0..30 {
        let (mut one, mut other) = (Session::new(seed), Session::new(seed));
        let mut typed = Vec::new();
        for _ in 0..25 {
            let mut bytes = Vec::new();
            for session in [&mut one, &mut other] {
                session.done += 1;
                bytes = session.key_bytes();
                session.take(&bytes);
            }
            let mut inputs = InputDecoder::default();
            let last = inputs.decode(&bytes).into_iter().chain(inputs.flush()).last();
            if !last.is_some_and(|input| other.bench.needs_no_picture(&input)) {
                other.bench.draw();
            }
            one.bench.draw();
            typed.push(String::from_utf8_lossy(&bytes).into_owned());
            if other.bench.effects.len() != one.bench.effects.len() {
                other.bench.draw();
                panic!("seed {seed}: {typed:?}\n{}\n{}", one.bench.screen(), other.bench.screen());
            }
            if one.bench.effects.iter().any(|effect| matches!(effect, Effect::Quit)) {
                break;
            }
        }
        other.bench.draw();
        assert_eq!(other.bench.state.screen, one.bench.state.screen, "seed {seed}: {typed:?}");
        let texts = |session: &Session| {
            session
                .bench
                .state
                .documents
                .iter()
                .map(|(_, document)| document.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(&other), texts(&one), "seed {seed}: {typed:?}");
        assert_eq!(other.bench.screen(), one.bench.screen(), "seed {seed}: {typed:?}");
    }
}

#[test]
fn a_key_between_a_change_and_its_picture_meets_the_tools_that_are_there() {
    let mut bench = Workbench::sample("spec-workflow", 160, 44).on(ScreenId::Workflow);
    bench.keys("end");
    let text = "tool:\n  only:\n    type: prompt\n    name: only\n    group: [g]\n";
    bench.send(Message::Document(DocumentMessage::DiskChanged {
        file: FileId::new("tools.yaml"),
        text: Some(text.into()),
    }));
    for key in ["/", "o", "enter", "e"] {
        bench.input_undrawn(&Input::Key(key.parse().unwrap()));
    }
    assert_eq!(bench.state.screen, ScreenId::Tools);
    assert_eq!(
        bench.state.selected,
        bench.state.catalog.tools.first().map(|tool| tool.id().clone())
    );
}
