//! A display without a screen, and the program's window on it: keys and mouse in, pixels out; waits
//! for what is shown and never sleeps.

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use tempfile::TempDir;
use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        damage::{ConnectionExt as _, ReportLevel},
        xproto::{
            AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask,
            ImageFormat, MapState, Window,
        },
    },
    rust_connection::RustConnection,
};

use super::{dragging, terminal::binary};

/// How long anything may take on a machine that does much else; nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The display's size in pixels.
pub const SIZE: (u16, u16) = (1600, 1000);

/// What is to be run on a display, and how.
pub struct Setup {
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    scale: u32,
    home: Option<PathBuf>,
    folder: Option<PathBuf>,
}

/// The program as it will be started with `--window` and these arguments.
pub fn in_window(arguments: &[&str]) -> Setup {
    let owned = |word: &&str| (*word).to_owned();
    Setup {
        arguments: arguments.iter().map(owned).chain(["--window".to_owned()]).collect(),
        variables: Vec::new(),
        scale: 1,
        home: None,
        folder: None,
    }
}

impl Setup {
    pub fn scale(mut self, scale: u32) -> Self {
        self.scale = scale;
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Uses a home that outlives the program.
    pub fn home(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// The command, without a display.
    pub fn command(&self, home: &Path) -> Command {
        let mut command = Command::new(binary());
        command.args(&self.arguments).env_clear();
        for name in ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", home).env("LANG", "C.UTF-8");
        if let Some(libraries) = env::var_os("TOOLCRIB_X_LIBRARIES") {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        if let Some(files) = env::var_os("TOOLCRIB_DISPLAY_FILES").map(PathBuf::from) {
            command.env("XKB_CONFIG_ROOT", files.join("usr/share/X11/xkb"));
            command.env("XLOCALEDIR", files.join("usr/share/X11/locale"));
        }
        command.env("WINIT_X11_SCALE_FACTOR", self.scale.to_string());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.folder.as_deref().unwrap_or(home));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Starts it on a display of its own, and waits for its first picture.
    pub fn start(self) -> ShownWindow {
        let temporary = tempfile::tempdir().unwrap();
        let home = self.home.clone().unwrap_or_else(|| temporary.path().to_owned());
        let display = Display::start();
        let program = self.command(&home).env("DISPLAY", &display.name).spawn().unwrap();
        let window = display.wait_window(|_| true);
        let shown = ShownWindow { program, window, display, _home: temporary };
        shown.xdotool(&["windowfocus", "--sync", &window.to_string()]);
        shown.wait_until("a first picture", |picture| picture.colours() > 3);
        shown
    }
}

/// Programs and libraries that `tests/setup` has unpacked, or those of the system.
fn x_program(variable: &str, name: &str) -> Command {
    let mut command = Command::new(env::var_os(variable).unwrap_or_else(|| name.into()));
    if let Some(libraries) = env::var_os("TOOLCRIB_X_LIBRARIES") {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    command
}

/// Gives keys that are not used letters of other languages: xdotool would change a key for each of
/// them, in the middle of its typing.
fn add_keys(connection: &RustConnection) {
    const LETTERS: &str = "üß€∀漢";
    let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
    let mapping =
        connection.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
    let rows = mapping.keysyms.chunks(usize::from(mapping.keysyms_per_keycode));
    let codes = (first..=last).zip(rows);
    let unused = codes.filter(|(_, row)| row.iter().all(|symbol| *symbol == 0));
    let unused: Vec<u8> = unused.map(|(code, _)| code).collect();
    for (letter, code) in LETTERS.chars().zip(unused) {
        let number = u32::from(letter);
        let symbol = if number < 0x100 { number } else { 0x0100_0000 + number };
        connection.change_keyboard_mapping(1, code, 1, &[symbol]).unwrap().check().unwrap();
    }
}

/// An X server that draws into memory.
struct Display {
    server: Child,
    name: String,
    connection: std::sync::Arc<RustConnection>,
    root: Window,
    /// Each time something is drawn, or a window appears.
    events: Receiver<Event>,
}

impl Display {
    fn start() -> Self {
        let (width, height) = SIZE;
        let screen = format!("{width}x{height}x24");
        let mut server = x_program("TOOLCRIB_XVFB", "Xvfb");
        // One that is not installed has its keyboards beside it.
        if let Some(files) = env::var_os("TOOLCRIB_DISPLAY_FILES").map(PathBuf::from) {
            server.arg("-xkbdir").arg(files.join("usr/share/X11/xkb")).current_dir(files);
        }
        let mut server = server
            .args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts; tests/setup says where it is");
        // The server picks a free number and says it.
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let name = format!(":{}", number.trim());
        let (connection, index) = RustConnection::connect(Some(&name)).unwrap();
        let root = connection.setup().roots[index].root;
        let connection = std::sync::Arc::new(connection);
        let wanted = EventMask::SUBSTRUCTURE_NOTIFY;
        let attributes = ChangeWindowAttributesAux::new().event_mask(wanted);
        connection.change_window_attributes(root, &attributes).unwrap().check().unwrap();
        connection.damage_query_version(1, 1).unwrap().reply().unwrap();
        let damage = connection.generate_id().unwrap();
        let create = connection.damage_create(damage, root, ReportLevel::RAW_RECTANGLES);
        create.unwrap().check().unwrap();
        add_keys(&connection);
        let (sender, events) = mpsc::channel();
        let reader = std::sync::Arc::clone(&connection);
        thread::spawn(move || {
            while let Ok(event) = reader.wait_for_event() {
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Self { server, name, connection, root, events }
    }

    /// A window of the program, once it is shown.
    fn wait_window(&self, is_wanted: impl Fn(Window) -> bool) -> Window {
        loop {
            let tree = self.connection.query_tree(self.root).unwrap().reply().unwrap();
            let mut shown = tree.children.into_iter().filter(|window| self.is_program(*window));
            if let Some(window) = shown.find(|window| is_wanted(*window)) {
                return window;
            }
            self.events.recv_timeout(PATIENCE).expect("the program shows a window");
        }
    }

    fn is_program(&self, window: Window) -> bool {
        let class = self.property(window, AtomEnum::WM_CLASS.into());
        let is_named = class.windows(8).any(|part| part == b"toolcrib");
        let state = self.connection.get_window_attributes(window).unwrap().reply();
        is_named && state.is_ok_and(|state| state.map_state == MapState::VIEWABLE)
    }

    fn property(&self, window: Window, name: u32) -> Vec<u8> {
        let asked = self.connection.get_property(false, window, name, AtomEnum::ANY, 0, 1024);
        asked.unwrap().reply().map(|property| property.value).unwrap_or_default()
    }

    fn atom(&self, name: &str) -> u32 {
        self.connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program in its window.
pub struct ShownWindow {
    program: Child,
    window: Window,
    display: Display,
    _home: TempDir,
}

impl ShownWindow {
    fn xdotool(&self, words: &[&str]) {
        let mut command = x_program("TOOLCRIB_XDOTOOL", "xdotool");
        let done = command.args(words).env("DISPLAY", &self.display.name).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "xdotool {words:?}: {said}");
    }

    /// Presses keys, in xdotool's names: `ctrl+plus`, `Return`.
    pub fn press(&self, keys: &[&str]) {
        self.xdotool(&[&["key", "--clearmodifiers"], keys].concat());
    }

    pub fn type_text(&self, text: &str) {
        self.xdotool(&["type", "--delay", "1", text]);
    }

    fn at(&self, (x, y): (u16, u16)) -> [String; 5] {
        ["mousemove", "--window", &self.window.to_string(), &x.to_string(), &y.to_string()]
            .map(str::to_owned)
    }

    /// Presses a button of the mouse at a pixel: 1 left, 2 middle, 4 and 5 the wheel.
    pub fn click(&self, at: (u16, u16), button: u8) {
        let button = button.to_string();
        let mut words: Vec<String> = self.at(at).into();
        words.extend(["click", &button].map(str::to_owned));
        self.xdotool(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Drags with the left button while a key is held.
    pub fn drag_holding(&self, key: &str, from: (u16, u16), to: (u16, u16)) {
        let mut words: Vec<String> = self.at(from).into();
        words.extend(["keydown", key, "mousedown", "1"].map(str::to_owned));
        words.extend(self.at(to));
        words.extend(["mouseup", "1", "keyup", key].map(str::to_owned));
        self.xdotool(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Drags a file or a folder onto the window and lets it go at a pixel.
    pub fn drop_path(&self, at: (u16, u16), path: &Path) {
        dragging::drop_path(&self.display.name, self.window, at, path);
    }

    /// The title of a window that the program has opened beside this one, once it is shown.
    pub fn wait_second_title(&self) -> String {
        let window = self.display.wait_window(|window| window != self.window);
        self.title_of(window)
    }

    pub fn resize(&self, width: u16, height: u16) {
        let (window, width, height) =
            (self.window.to_string(), width.to_string(), height.to_string());
        self.xdotool(&["windowsize", &window, &width, &height]);
    }

    /// Asks the window to close, as its frame's button does.
    pub fn close(&self) {
        let (protocols, delete) =
            (self.display.atom("WM_PROTOCOLS"), self.display.atom("WM_DELETE_WINDOW"));
        let event = ClientMessageEvent::new(32, self.window, protocols, [delete, 0, 0, 0, 0]);
        let connection = &self.display.connection;
        let sent = connection.send_event(false, self.window, EventMask::NO_EVENT, event);
        sent.unwrap().check().unwrap();
    }

    pub fn title(&self) -> String {
        self.title_of(self.window)
    }

    fn title_of(&self, window: Window) -> String {
        let name = self.display.atom("_NET_WM_NAME");
        String::from_utf8(self.display.property(window, name)).unwrap()
    }

    pub fn process(&self) -> u32 {
        self.program.id()
    }

    /// What is shown now, the whole display.
    pub fn picture(&self) -> Picture {
        let (width, height) = SIZE;
        let asked = self.display.connection.get_image(
            ImageFormat::Z_PIXMAP,
            self.display.root,
            0,
            0,
            width,
            height,
            u32::MAX,
        );
        let image = asked.unwrap().reply().unwrap().data;
        let pixel = |bytes: &[u8]| {
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) & 0x00ff_ffff
        };
        let pixels = image.chunks_exact(4).map(pixel).collect();
        Picture { width: width.into(), pixels }
    }

    /// Waits until the picture, or the title, is as wanted.
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&Picture) -> bool) -> Picture {
        loop {
            let picture = self.picture();
            if wanted(&picture) {
                return picture;
            }
            if self.display.events.recv_timeout(PATIENCE).is_err() {
                panic!("never seen: {what}");
            }
        }
    }

    /// Waits until the picture differs from one before.
    pub fn wait_change(&self, before: &Picture) -> Picture {
        self.wait_until("another picture", |picture| picture != before)
    }

    /// Ends the display, as when a session ends.
    pub fn lose_display(&mut self) {
        self.display.server.kill().unwrap();
    }

    pub fn wait_end(&mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        let mut stream = self.program.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut stream, &mut said).unwrap();
        (self.program.wait().unwrap(), said)
    }
}

impl Drop for ShownWindow {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Pixels of the display.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    pixels: Vec<u32>,
}

impl Picture {
    pub fn pixel(&self, x: usize, y: usize) -> u32 {
        self.pixels[y * self.width + x]
    }

    /// How many colours there are.
    pub fn colours(&self) -> usize {
        let mut pixels = self.pixels.clone();
        pixels.sort_unstable();
        pixels.dedup();
        pixels.len()
    }

    /// How many pixels have a colour, in an area of `width` × `height` from the top left.
    pub fn count(&self, colour: u32, (width, height): (usize, usize)) -> usize {
        let rows = self.pixels.chunks(self.width).take(height);
        rows.map(|row| row[..width].iter().filter(|pixel| **pixel == colour).count()).sum()
    }
}
