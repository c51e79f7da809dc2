//! The whole program without a terminal or a runtime: keys and mouse in, the screen out, effects kept to be looked at.

use std::{ops::ControlFlow, path::Path};

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};
use toolcrib::{
    app::{
        effect::Effect,
        input::{Button, Code, Input, Key, Mods, Mouse, MouseKind},
        keymap::Keymap,
        message::{Loaded, Message},
        state::{Start, State},
        update::update,
    },
    model::{
        clock::Millis,
        context::{Context, Name},
    },
    store::workspace::Workspace,
    ui::{
        canvas::width,
        root::{Colour, Root},
        theme,
    },
};

pub struct Program {
    pub state: State,
    root: Root,
    terminal: Terminal<TestBackend>,
    now: Millis,
    /// What the world was asked for.
    pub effects: Vec<Effect>,
}

impl Program {
    /// The program on a workspace, all files read, on a screen of that size.
    pub fn open(folder: impl AsRef<Path>, start: Start, (columns, rows): (u16, u16)) -> Self {
        let themes = theme::all(&[]).0;
        let start =
            Start { theme: themes[0].name.clone(), themes: themes.iter().map(|theme| theme.name.clone()).collect(), ..start };
        let mut program = Self {
            state: State::new(start),
            root: Root::new(themes, Colour::Allowed, Keymap::default()),
            terminal: Terminal::new(TestBackend::new(columns, rows)).unwrap(),
            now: Millis(1_704_103_200_000),
            effects: Vec::new(),
        };
        let mut names = Vec::new();
        let workspace = Workspace::find(Some(folder.as_ref())).unwrap();
        let end = workspace
            .read(|slice| {
                names.extend(slice.iter().map(|read| read.file.clone()));
                let loaded = slice.into_iter().map(|read| (read.file, Loaded { text: read.text, source: read.source })).collect();
                program.take(Message::Loaded(loaded));
                ControlFlow::Continue(())
            })
            .unwrap();
        program.take(Message::LoadEnded { names, skipped: end.skipped });
        program.draw();
        program
    }

    /// The shipped sample of that name, with a context of groups.
    pub fn sample(name: &str, groups: &[&str], size: (u16, u16)) -> Self {
        let groups = groups.iter().map(|group| Name::from(*group)).collect();
        let context = Context { groups: Some(groups), ..Context::default() };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        Self::open(folder, Start { workspace: name.into(), context, ..Start::default() }, size)
    }

    pub fn take(&mut self, message: Message) {
        self.now = Millis(self.now.0 + 1_000);
        self.effects.extend(update(&mut self.state, message, self.now));
    }

    fn draw(&mut self) {
        self.terminal.draw(|frame| self.root.draw(frame, &self.state)).unwrap();
    }

    pub fn input(&mut self, input: &Input) {
        for message in self.root.input(input, &self.state) {
            self.take(message);
        }
        self.draw();
    }

    /// Presses keys by name.
    pub fn keys(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.input(&Input::Key(key.parse::<Key>().unwrap()));
        }
    }

    /// Types letters.
    pub fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.input(&Input::Key(Key::plain(Code::Char(letter))));
        }
    }

    /// Presses the mouse on the first letter of the first place where a text stands.
    pub fn clicks(&mut self, text: &str) {
        let (column, row) = self.place_of(text);
        self.mouse(MouseKind::Down(Button::Left), column, row);
        self.mouse(MouseKind::Up(Button::Left), column, row);
    }

    pub fn mouse(&mut self, kind: MouseKind, column: u16, row: u16) {
        self.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
    }

    /// The column and row where a text stands.
    pub fn place_of(&self, text: &str) -> (u16, u16) {
        let screen = self.screen();
        let found = screen.lines().enumerate().find_map(|(row, line)| Some((row, &line[..line.find(text)?])));
        let (row, before) = found.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"));
        (u16::try_from(width(before)).unwrap(), u16::try_from(row).unwrap())
    }

    pub fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }

    /// The screen's text.
    pub fn screen(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        (0..buffer.area.height).map(|row| line(buffer, row).trim_end().to_owned() + "\n").collect()
    }

    /// The screen's text, and beneath it each line's runs of style: column, foreground, background, modifiers.
    pub fn screen_with_styles(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let mut text = self.screen();
        text.push_str("── styles\n");
        for row in 0..buffer.area.height {
            let mut runs = Vec::new();
            let mut last = None;
            for column in 0..buffer.area.width {
                let cell = &buffer[(column, row)];
                let style = (cell.fg, cell.bg, cell.modifier);
                if last != Some(style) {
                    let bold = if cell.modifier.is_empty() { String::new() } else { format!(" {:?}", cell.modifier) };
                    runs.push(format!("{column}:{}/{}{bold}", cell.fg, cell.bg));
                    last = Some(style);
                }
            }
            text.push_str(&format!("{row:>2} {}\n", runs.join("  ")));
        }
        text
    }
}

fn line(buffer: &Buffer, row: u16) -> String {
    let mut line = String::new();
    let mut skip = 0;
    for column in 0..buffer.area.width {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let symbol = buffer[(column, row)].symbol();
        skip = width(symbol).saturating_sub(1);
        line.push_str(symbol);
    }
    line
}
