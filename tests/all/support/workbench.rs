//! The whole program without a terminal and without a world: keys and mouse in, screen and effects
//! out.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer, layout::Rect, style::Style};
use toolcrib::{
    app::{
        calls::CallMessage,
        documents::Document,
        effect::Effect,
        form_file::{FormEnd, FormFile, FormGoal},
        input::{Button, Code, Input, Key, Mods, Mouse, MouseKind},
        message::{DocumentMessage, Loaded, Message, ScreenId},
        state::{Start, State},
        update::update,
    },
    model::{
        call::{CallId, Event, EventKind},
        clock::Millis,
        entry::FileId,
    },
    syntax::source::{Format, Source},
    ui::{
        actions::build_keymap,
        ascii::Signs,
        root::{Colour, Root},
        theme::{self, Theme},
    },
};

/// A sample opened in a terminal of some size.
pub struct Workbench {
    pub state: State,
    pub effects: Vec<Effect>,
    root: Root,
    terminal: Terminal<TestBackend>,
}

impl Workbench {
    /// Opens one of the shipped samples.
    pub fn sample(name: &str, width: u16, height: u16) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        let mut files = Vec::new();
        read(&folder, &folder, &mut files);
        files.sort_by(|one, other| one.0.cmp(&other.0));
        Self::of(name, files, width, height)
    }

    /// Opens one YAML file.
    pub fn yaml(text: &str, width: u16, height: u16) -> Self {
        let text: std::sync::Arc<str> = text.into();
        let loaded = Loaded { source: Source::parse(Format::Yaml, text.clone()), text, held: None };
        Self::of("made", vec![(FileId::new("tools.yaml"), loaded)], width, height)
    }

    /// Opens files by their names.
    pub fn files(files: &[(&str, &str)], width: u16, height: u16) -> Self {
        let load = |(name, text): &(&str, &str)| {
            let format = Format::from_path(Path::new(name)).unwrap();
            let text: Arc<str> = (*text).into();
            let loaded = Loaded { source: Source::parse(format, text.clone()), text, held: None };
            (FileId::new(*name), loaded)
        };
        Self::of("made", files.iter().map(load).collect(), width, height)
    }

    /// Opens the form program with a schema and an empty document.
    pub fn form(schema: &str, ui: Option<&str>, width: u16, height: u16) -> Self {
        let json = |text: &str| Arc::new(serde_json::from_str(text).unwrap());
        let document =
            Document::from_disk(Format::Yaml, "".into(), Source::parse(Format::Yaml, ""));
        let form = FormFile {
            file: FileId::new("document.yaml"),
            schema: json(schema),
            ui: ui.map(json),
            title: "schema.json".into(),
            target: "document.yaml".into(),
            goal: FormGoal::Saved,
            document,
            made: false,
            before: "".into(),
            end: FormEnd::default(),
            saving: Vec::new(),
        };
        let start = Start { form: Some(form), seed: 7, ..Start::default() };
        Self::start(start, Root::form_program, width, height)
    }

    fn start(start: Start, root: fn(Vec<Theme>, Colour) -> Root, width: u16, height: u16) -> Self {
        let (themes, complaints) = theme::available_themes(&[]);
        assert!(complaints.is_empty(), "{complaints:?}");
        let start = Start {
            theme: themes[0].name.clone(),
            themes: themes.iter().map(|theme| theme.name.clone()).collect(),
            keymap: build_keymap(&BTreeMap::new()).0,
            ..start
        };
        Self {
            state: State::new(start),
            effects: Vec::new(),
            root: root(themes, Colour::Allowed),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
        }
    }

    fn of(name: &str, files: Vec<(FileId, Loaded)>, width: u16, height: u16) -> Self {
        let names = files.iter().map(|(name, _)| name.clone()).collect();
        let start = Start { workspace: name.into(), seed: 7, ..Start::default() };
        let mut bench = Self::start(start, Root::new, width, height);
        bench.send(Message::Document(DocumentMessage::Loaded(files)));
        bench.send(Message::Document(DocumentMessage::LoadEnded {
            names,
            skipped: Vec::new(),
            unread: Vec::new(),
        }));
        bench.draw();
        bench
    }

    /// Whether the next key needs no picture after this one, as the event loop has it.
    pub fn needs_no_picture(&self, input: &Input) -> bool {
        matches!(input, Input::Key(key) if key.typed_char().is_some())
            && self.root.is_typing(&self.state)
    }

    /// The same, drawn with ASCII alone.
    pub fn in_ascii(mut self) -> Self {
        self.root.signs = Signs::Ascii;
        self.draw();
        self
    }

    /// The same as it is in a window of its own.
    pub fn in_window(mut self) -> Self {
        self.state.keymap = std::mem::take(&mut self.state.keymap).in_window();
        self.draw();
        self
    }

    /// State and views, to be worked with by something else.
    pub fn into_parts(self) -> (State, Root) {
        (self.state, self.root)
    }

    /// The same with one screen shown.
    pub fn on(mut self, screen: ScreenId) -> Self {
        self.send(Message::Show(screen));
        self.draw();
        self
    }

    pub fn send(&mut self, message: Message) {
        self.effects.extend(update(&mut self.state, message, Millis(1_000)));
    }

    /// The inputs from now on come at this time.
    pub fn set_now(&mut self, now: u64) {
        self.root.set_now(Millis(now));
    }

    pub fn input(&mut self, input: &Input) {
        self.input_undrawn(input);
        self.draw();
    }

    /// The same while the next input already exists, so that nothing is drawn.
    pub fn input_undrawn(&mut self, input: &Input) {
        for message in self.root.handle_input(input, &self.state) {
            self.send(message);
        }
    }

    /// Presses keys by name; `@send-many` does the action of that name by way of the palette.
    pub fn keys(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            match key.strip_prefix('@') {
                Some(action) => {
                    self.input(&Input::Key(Key::ctrl('p')));
                    self.types(super::terminal::title_of(action));
                    self.input(&Input::Key(Key::plain(Code::Enter)));
                }
                None => self.input(&Input::Key(key.parse().unwrap())),
            }
        }
    }

    /// Types letters.
    pub fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.input(&Input::Key(Key::plain(Code::Char(letter))));
        }
    }

    /// Clicks on the first place where the text stands.
    pub fn clicks(&mut self, text: &str) {
        let (column, row) = self.find(text);
        for kind in [MouseKind::Down(Button::Left), MouseKind::Up(Button::Left)] {
            self.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
        }
    }

    /// Turns the wheel over the first place where the text stands.
    pub fn wheel(&mut self, text: &str, notches: i16) {
        let (column, row) = self.find(text);
        self.input(&Input::Mouse(Mouse {
            kind: MouseKind::Wheel(notches),
            column,
            row,
            mods: Mods::default(),
        }));
    }

    /// Whether a press there puts a text's cursor to that place.
    pub fn takes_text_at(&self, cell: (u16, u16)) -> bool {
        self.root.takes_text_at(cell)
    }

    /// The column and row of the first place where the text stands.
    pub fn find(&self, text: &str) -> (u16, u16) {
        let buffer = self.buffer();
        for row in 0..buffer.area.height {
            let cells: Vec<&str> =
                (0..buffer.area.width).map(|column| buffer[(column, row)].symbol()).collect();
            let line = cells.concat();
            if let Some(at) = line.find(text) {
                let mut bytes = 0;
                let column = cells.iter().position(|cell| {
                    bytes += cell.len();
                    bytes > at
                });
                return (u16::try_from(column.unwrap()).unwrap(), row);
            }
        }
        panic!("{text:?} is not on the screen:\n{}", self.screen());
    }

    /// What happens in the newest call.
    pub fn happens(&mut self, events: impl IntoIterator<Item = (u64, EventKind)>) {
        let call: CallId = self.state.invoke.calls.iter().next_back().expect("a call").id;
        let events = events.into_iter().map(|(at_ms, kind)| Event { at_ms, kind }).collect();
        self.send(Message::Call(CallMessage::Events { call, events }));
        self.draw();
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.draw();
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        let area = self.buffer().area;
        (area.width, area.height)
    }

    pub fn draw(&mut self) {
        self.terminal.draw(|frame| self.root.draw(frame, &self.state)).unwrap();
    }

    pub fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    pub fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }

    /// The screen as text.
    pub fn screen(&self) -> String {
        text(self.buffer())
    }

    /// What stands between the top and the bottom line as text, and below it which style each run
    /// of cells has.
    pub fn styled(&self) -> String {
        let height = usize::from(self.buffer().area.height) - 2;
        let text: Vec<String> =
            self.screen().lines().skip(1).take(height).map(str::to_owned).collect();
        let area = Rect { y: 1, height: self.buffer().area.height - 2, ..self.buffer().area };
        format!("{}\n{}\n{}", text.join("\n"), "-".repeat(20), runs_within(self.buffer(), area))
    }
}

/// A picture as text.
pub fn text(buffer: &Buffer) -> String {
    let line = |row| {
        (0..buffer.area.width)
            .map(|column| buffer[(column, row)].symbol())
            .collect::<String>()
            .trim_end()
            .to_owned()
    };
    (0..buffer.area.height).map(line).collect::<Vec<_>>().join("\n")
}

/// Which style each run of cells has, row by row, and what the styles are.
pub fn runs(buffer: &Buffer) -> String {
    runs_within(buffer, buffer.area)
}

fn runs_within(buffer: &Buffer, area: Rect) -> String {
    let mut lines = Vec::new();
    let mut styles: Vec<Style> = Vec::new();
    for row in area.rows() {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for column in row.columns() {
            let style = buffer[(column.x, column.y)].style();
            let number = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            match runs.last_mut() {
                Some((of, count)) if *of == number => *count += 1,
                _ => runs.push((number, 1)),
            }
        }
        lines.push(
            runs.iter()
                .map(|(number, count)| format!("{number}x{count}"))
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    for (number, style) in styles.iter().enumerate() {
        let colour = |colour: Option<ratatui::style::Color>| {
            colour.map_or_else(|| "-".to_owned(), |colour| colour.to_string())
        };
        lines.push(format!(
            "{number}: {} on {} {:?}",
            colour(style.fg),
            colour(style.bg),
            style.add_modifier
        ));
    }
    lines.join("\n")
}

fn read(root: &Path, folder: &Path, files: &mut Vec<(FileId, Loaded)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(root, &path, files);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let format = Format::from_path(&path).filter(|_| !name.ends_with("toolcrib.toml"));
        if let Some(format) = format {
            let text: std::sync::Arc<str> = fs::read_to_string(&path).unwrap().into();
            files.push((
                FileId::new(name),
                Loaded { source: Source::parse(format, text.clone()), text, held: None },
            ));
        }
    }
}
