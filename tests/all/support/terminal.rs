//! A terminal that runs the real program: keys, mouse and paste in, the screen out; waits for what
//! is shown and never sleeps.

use std::{
    env,
    ffi::{OsStr, OsString},
    fmt,
    io::{Read, Write},
    num::NonZeroU16,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;
use vt100::{MouseProtocolMode, Parser, Screen};

use super::signals;

/// How long anything may take on a machine that does much else; nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Columns and rows.
pub type Size = (u16, u16);

/// A place on the screen: column and row, from 0.
pub type Place = (u16, u16);

/// What is to be run, and how.
pub struct Setup {
    program: PathBuf,
    arguments: Vec<OsString>,
    size: Size,
    variables: Vec<(OsString, OsString)>,
    home: Option<PathBuf>,
    folder: Option<PathBuf>,
}

/// The program as it will be started with these arguments, at 120x36, with a home of its own.
pub fn toolcrib<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Setup {
    program(binary(), arguments)
}

/// The same for any program.
pub fn program<A: AsRef<OsStr>>(
    program: impl Into<PathBuf>,
    arguments: impl IntoIterator<Item = A>,
) -> Setup {
    let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
    Setup {
        program: program.into(),
        arguments,
        size: (120, 36),
        variables: Vec::new(),
        home: None,
        folder: None,
    }
}

impl Setup {
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    pub fn variable(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Uses a home that outlives the program, for what is kept from one start to the next.
    pub fn home(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    /// Runs in a folder.
    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    pub fn start(self) -> Terminal {
        Terminal::start(&self)
    }
}

/// Variables by which a program finds its folders, and where each is below a home.
pub const HOME_FOLDERS: [(&str, &str); 5] = [
    ("HOME", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The program to test: the one that cargo built, or the one that `TOOLCRIB_BINARY` names.
pub fn binary() -> PathBuf {
    env::var_os("TOOLCRIB_BINARY")
        .map_or_else(|| env!("CARGO_BIN_EXE_toolcrib").into(), PathBuf::from)
}

/// The terminal's own side of the talk.
struct Answers {
    input: Arc<Mutex<Box<dyn Write + Send>>>,
    clipboard: Option<String>,
    /// How often keyboard flags were pushed and not yet popped.
    keyboard: i32,
    /// In the middle of an update that is to be shown as one.
    updating: bool,
    frames: usize,
    focus: bool,
    /// Sequences for the operating system's side, and `bell` for each bell.
    signs: Vec<String>,
}

impl vt100::Callbacks for Answers {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.signs.push("bell".into());
    }

    fn unhandled_osc(&mut self, _: &mut Screen, parts: &[&[u8]]) {
        let parts: Vec<_> = parts.iter().map(|part| String::from_utf8_lossy(part)).collect();
        self.signs.push(parts.join(";"));
    }

    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], data: &[u8]) {
        self.clipboard = Some(String::from_utf8_lossy(data).into_owned());
    }

    fn unhandled_csi(
        &mut self,
        _: &mut Screen,
        sign: Option<u8>,
        _: Option<u8>,
        numbers: &[&[u16]],
        end: char,
    ) {
        let synchronised = numbers == [&[2026][..]];
        let of_focus = numbers == [&[1004][..]];
        let answer = match (sign, end) {
            (None, 'c') => "\x1b[?62;22c".to_owned(),
            // Where the cursor is isn't answered: not each terminal does.
            (Some(b'?'), 'u') => "\x1b[?0u".to_owned(),
            (Some(b'>'), 'u') => return self.keyboard += 1,
            (Some(b'<'), 'u') => return self.keyboard -= 1,
            (Some(b'?'), 'h' | 'l') if of_focus => return self.focus = end == 'h',
            (Some(b'?'), 'h') if synchronised => return self.updating = true,
            (Some(b'?'), 'l') if synchronised => {
                self.frames += 1;
                return self.updating = false;
            }
            _ => return,
        };
        // A program that no longer reads needs no answer.
        self.input.lock().unwrap().write_all(answer.as_bytes()).ok();
    }
}

struct Shown {
    parser: Parser<Answers>,
    bytes: usize,
    ended: bool,
}

struct Shared {
    shown: Mutex<Shown>,
    changed: Condvar,
}

/// What the terminal was told about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    pub alternate_screen: bool,
    pub mouse: bool,
    pub paste: bool,
    pub keyboard: bool,
    pub focus: bool,
    pub cursor_hidden: bool,
}

impl Modes {
    /// As a shell wants to find them.
    pub const PLAIN: Self = Self {
        alternate_screen: false,
        mouse: false,
        paste: false,
        keyboard: false,
        focus: false,
        cursor_hidden: false,
    };
}

/// The program at work in its terminal. Dropping it ends the program.
pub struct Terminal {
    shared: Arc<Shared>,
    input: Arc<Mutex<Box<dyn Write + Send>>>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    line_flags: String,
    presses: usize,
    pub started: Instant,
    _home: Option<TempDir>,
}

impl Terminal {
    fn start(setup: &Setup) -> Self {
        let (columns, rows) = setup.size;
        let pair = native_pty_system().openpty(pty_size(setup.size)).unwrap();
        let line_flags = line_flags(&*pair.master);
        let temporary = setup.home.is_none().then(|| tempfile::tempdir().unwrap());
        let home = setup
            .home
            .clone()
            .or_else(|| temporary.as_ref().map(|folder| folder.path().to_owned()))
            .unwrap();

        let mut command = CommandBuilder::new(&setup.program);
        command.args(&setup.arguments);
        command.env_clear();
        command.cwd(setup.folder.as_deref().unwrap_or(&home));
        for (name, below) in HOME_FOLDERS {
            command.env(name, home.join(below));
        }
        for (name, value) in
            [("PATH", env::var("PATH").unwrap().as_str()), ("TERM", "xterm-256color")]
        {
            command.env(name, value);
        }
        for (name, value) in
            [("COLORTERM", "truecolor"), ("LANG", "C.UTF-8"), ("RUST_BACKTRACE", "0")]
        {
            command.env(name, value);
        }
        for (name, value) in &setup.variables {
            command.env(name, value);
        }

        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        // Or the reader would never see the end.
        drop(pair.slave);
        let input = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let answers = Answers {
            input: Arc::clone(&input),
            clipboard: None,
            keyboard: 0,
            updating: false,
            frames: 0,
            focus: false,
            signs: Vec::new(),
        };
        let parser = Parser::new_with_callbacks(sized(rows), sized(columns), 0, answers);
        let shared = Arc::new(Shared {
            shown: Mutex::new(Shown { parser, bytes: 0, ended: false }),
            changed: Condvar::new(),
        });
        read(pair.master.try_clone_reader().unwrap(), Arc::clone(&shared));
        Self {
            shared,
            input,
            master: pair.master,
            child,
            line_flags,
            presses: 0,
            started,
            _home: temporary,
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shared.shown.lock().unwrap()
    }

    /// Waits until the screen, between two updates, is as wanted; fails with the screen in words
    /// when it never is.
    pub fn wait_until(&self, what: impl fmt::Display, wanted: impl Fn(&Screen) -> bool) {
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shown();
        loop {
            if !shown.parser.callbacks().updating && wanted(shown.parser.screen()) {
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            let ended = if shown.ended { ", and the program has ended" } else { "" };
            if left.is_zero() || shown.ended {
                let contents = shown.parser.screen().contents();
                drop(shown);
                panic!("never seen: {what}{ended}; on the screen:\n{contents}");
            }
            shown = self.shared.changed.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Waits until more was shown than so many bytes, as [`Self::counts`] tells them.
    pub fn wait_beyond(&self, bytes: usize) {
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shown();
        while shown.bytes <= bytes || shown.parser.callbacks().updating {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || shown.ended {
                drop(shown);
                panic!("nothing more is shown");
            }
            shown = self.shared.changed.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Waits until a text can be read on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(format_args!("{text:?}"), |screen| find(screen, text).is_some());
    }

    /// Waits until a text can no longer be read on the screen.
    pub fn wait_gone(&self, text: &str) {
        self.wait_until(format_args!("no {text:?}"), |screen| find(screen, text).is_none());
    }

    /// The screen as lines of text.
    pub fn contents(&self) -> String {
        self.look(Screen::contents)
    }

    /// Looks at the screen as it is between two updates: half of one shows things where they never
    /// stand.
    pub fn look<T>(&self, at: impl FnOnce(&Screen) -> T) -> T {
        let (shown, _) = self
            .shared
            .changed
            .wait_timeout_while(self.shown(), PATIENCE, |shown| {
                shown.parser.callbacks().updating && !shown.ended
            })
            .unwrap();
        at(shown.parser.screen())
    }

    /// How many updates were shown and how many bytes that took.
    pub fn counts(&self) -> (usize, usize) {
        let shown = self.shown();
        (shown.parser.callbacks().frames, shown.bytes)
    }

    /// What the program last put on the clipboard.
    pub fn clipboard(&self) -> Option<String> {
        self.shown().parser.callbacks().clipboard.clone()
    }

    /// The sequences that no screen draws, and `bell` for each bell, so far.
    pub fn signs(&self) -> Vec<String> {
        self.shown().parser.callbacks().signs.clone()
    }

    /// Waits until so many of them have come.
    pub fn wait_signs(&self, count: usize) -> Vec<String> {
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shown();
        while shown.parser.callbacks().signs.len() < count {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || shown.ended {
                let signs = shown.parser.callbacks().signs.clone();
                drop(shown);
                panic!("only {signs:?}; on the screen:\n{}", self.contents());
            }
            shown = self.shared.changed.wait_timeout(shown, left).unwrap().0;
        }
        shown.parser.callbacks().signs.clone()
    }

    /// Turns to the terminal, or away from it.
    pub fn turn(&self, is_here: bool) {
        self.write(if is_here { b"\x1b[I" } else { b"\x1b[O" });
    }

    /// Where a text stands: the place of its first letter.
    pub fn find(&self, text: &str) -> Place {
        self.look(|screen| find(screen, text))
            .unwrap_or_else(|| panic!("no {text:?} on:\n{}", self.contents()))
    }

    pub fn modes(&self) -> Modes {
        let shown = self.shown();
        let screen = shown.parser.screen();
        Modes {
            alternate_screen: screen.alternate_screen(),
            mouse: screen.mouse_protocol_mode() != MouseProtocolMode::None,
            paste: screen.bracketed_paste(),
            keyboard: shown.parser.callbacks().keyboard > 0,
            focus: shown.parser.callbacks().focus,
            cursor_hidden: screen.hide_cursor(),
        }
    }

    /// Hands bytes over as they are.
    pub fn write(&self, bytes: &[u8]) {
        let mut input = self.input.lock().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Presses keys, each named as in the keymap: `ctrl+p`, `shift+tab`, `f5`, `space`, `?`; or
    /// `@send-many`: the action of that name, by way of the palette.
    pub fn press<K: AsRef<str>>(&mut self, keys: impl IntoIterator<Item = K>) {
        let mut keys = keys.into_iter().peekable();
        while let Some(key) = keys.next() {
            self.presses += 1;
            match key.as_ref() {
                key if key.starts_with('@') => {
                    self.write(&encode("ctrl+p"));
                    self.type_text(title_of(&key[1..]));
                    self.write(&encode("enter"));
                }
                // The byte alone and the next key are `Alt` with that key, should they be read at
                // once. A newer terminal tells them apart.
                "esc" if keys.peek().is_some() => self.write(b"\x1b[27u"),
                key => self.write(&encode(key)),
            }
        }
    }

    /// How many keys were pressed so far.
    pub fn presses(&self) -> usize {
        self.presses
    }

    /// Types a text, letter by letter.
    pub fn type_text(&mut self, text: &str) {
        self.presses += text.chars().count();
        self.write(text.as_bytes());
    }

    pub fn paste(&self, text: &str) {
        self.write(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    fn mouse(&self, button: u8, (column, row): Place, end: char) {
        self.write(format!("\x1b[<{button};{};{}{end}", column + 1, row + 1).as_bytes());
    }

    pub fn click(&self, place: Place) {
        self.mouse(0, place, 'M');
        self.mouse(0, place, 'm');
    }

    /// Clicks on a text once it is there.
    pub fn click_on(&self, text: &str) {
        self.wait_for(text);
        self.click(self.find(text));
    }

    pub fn drag(&self, from: Place, to: Place) {
        self.mouse(0, from, 'M');
        self.mouse(32, to, 'M');
        self.mouse(0, to, 'm');
    }

    /// Presses the right button.
    pub fn press_right(&self, place: Place) {
        self.mouse(2, place, 'M');
        self.mouse(2, place, 'm');
    }

    /// Turns the wheel by some steps, down when positive.
    pub fn wheel(&self, place: Place, steps: i32) {
        for _ in 0..steps.abs() {
            self.mouse(if steps < 0 { 64 } else { 65 }, place, 'M');
        }
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.shown().parser.set_size(sized(rows), sized(columns));
        self.master.resize(pty_size((columns, rows))).unwrap();
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends a signal: `TERM`, `KILL`, `HUP`.
    pub fn signal(&self, name: &str) {
        signals::send(self.process(), name);
    }

    /// Waits for the end and for the last of what was written.
    pub fn wait_end(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shared.shown.lock().unwrap();
        while !shown.ended {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let contents = shown.parser.screen().contents();
                drop(shown);
                panic!("the program does not end; on the screen:\n{contents}");
            }
            shown = self.shared.changed.wait_timeout(shown, left).unwrap().0;
        }
        drop(shown);
        self.child.wait().unwrap()
    }

    /// Fails unless the terminal was given back as it was taken: screen, modes, and how lines are
    /// read.
    pub fn assert_given_back(&self) {
        assert_eq!(self.modes(), Modes::PLAIN);
        assert_eq!(line_flags(&*self.master), self.line_flags);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended long ago.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn read(mut output: Box<dyn Read + Send>, shared: Arc<Shared>) {
    thread::spawn(move || {
        let mut piece = [0; 65536];
        // A terminal whose other side has closed answers with an error: that is its end.
        while let Ok(length @ 1..) = output.read(&mut piece) {
            let mut shown = shared.shown.lock().unwrap();
            shown.parser.process(&piece[..length]);
            shown.bytes += length;
            drop(shown);
            shared.changed.notify_all();
        }
        shared.shown.lock().unwrap().ended = true;
        shared.changed.notify_all();
    });
}

fn sized(length: u16) -> NonZeroU16 {
    NonZeroU16::new(length).unwrap()
}

fn pty_size((columns, rows): Size) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// How the line discipline reads and echoes, in words.
fn line_flags(master: &dyn MasterPty) -> String {
    master
        .get_termios()
        .map(|flags| format!("{:?} {:?}", flags.local_flags, flags.input_flags))
        .unwrap_or_default()
}

/// Where a text stands on the screen, by the cells that it takes.
pub fn find(screen: &Screen, text: &str) -> Option<Place> {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    (0..rows).find_map(|row| {
        let mut line = String::new();
        let mut starts = Vec::new();
        for column in 0..columns {
            let cell = screen.cell(row, column)?;
            if cell.is_wide_continuation() {
                continue;
            }
            starts.push((line.len(), column));
            line.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
        let at = line.find(text)?;
        starts.iter().rev().find(|(start, _)| *start <= at).map(|(_, column)| (*column, row))
    })
}

/// A key's bytes, as a terminal sends them that knows the keyboard flags.
fn encode(key: &str) -> Vec<u8> {
    let (held, name) = match key.rsplit_once('+') {
        Some((held, name)) if !name.is_empty() => (held, name),
        _ => ("", key),
    };
    let holds = |name: &str| held.split('+').any(|word| word == name);
    let mods =
        1 + u8::from(holds("shift")) + 2 * u8::from(holds("alt")) + 4 * u8::from(holds("ctrl"));
    let plain = mods == 1;
    let text = match name {
        "enter" if plain => "\r".into(),
        "tab" if plain => "\t".into(),
        "backspace" if plain => "\x7f".into(),
        "space" if plain => " ".into(),
        "tab" if held == "shift" => "\x1b[Z".into(),
        "enter" => format!("\x1b[13;{mods}u"),
        "tab" => format!("\x1b[9;{mods}u"),
        "backspace" => format!("\x1b[127;{mods}u"),
        "space" => format!("\x1b[32;{mods}u"),
        "esc" => format!("\x1b[27;{mods}u"),
        "up" | "down" | "right" | "left" | "home" | "end" => {
            let end = match name {
                "up" => 'A',
                "down" => 'B',
                "right" => 'C',
                "left" => 'D',
                "home" => 'H',
                _ => 'F',
            };
            if plain { format!("\x1b[{end}") } else { format!("\x1b[1;{mods}{end}") }
        }
        "insert" => format!("\x1b[2;{mods}~"),
        "delete" => format!("\x1b[3;{mods}~"),
        "pageup" => format!("\x1b[5;{mods}~"),
        "pagedown" => format!("\x1b[6;{mods}~"),
        _ => match name.strip_prefix('f').and_then(|number| number.parse::<usize>().ok()) {
            Some(number @ 1..=12) => {
                let code = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24][number - 1];
                format!("\x1b[{code};{mods}~")
            }
            _ => letter(name, held),
        },
    };
    text.into_bytes()
}

fn letter(name: &str, held: &str) -> String {
    let mut letters = name.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        panic!("no such key: {held}+{name}")
    };
    match held {
        "" => letter.into(),
        "alt" => format!("\x1b{letter}"),
        "ctrl" if letter.is_ascii_lowercase() => char::from(letter as u8 - b'a' + 1).into(),
        _ => panic!("no such key: {held}+{name}"),
    }
}

/// What the palette calls an action.
pub fn title_of(action: &str) -> &'static str {
    let actions = toolcrib::ui::actions::all_actions();
    let found = actions.iter().find(|known| known.id == action);
    found.unwrap_or_else(|| panic!("no action is called {action}")).title
}
