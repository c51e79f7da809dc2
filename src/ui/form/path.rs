//! The path of a file: typed, or found step by step in a list of what its folder holds.

use super::{
    cell::{ANYWHERE, Answer, Ask, Cell, Click, DrawContext, Editor, Hit, Widget, one_line},
    clip::{self, Clip},
    listing::{Listing, Shown},
    text::draw_line,
};
use crate::{
    app::{
        folder::FolderList,
        input::{Code, Input, Key},
    },
    syntax::edit::Edit,
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct PathField;

impl Widget for PathField {
    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let text = one_line(&cell.text());
        if text.is_empty() {
            let ghost = context.style(Role::Ghost);
            context.line(0, &cell.ghost(), ghost, "▾");
        } else {
            let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
            context.line(0, &text, style, "▾");
        }
        let edge = context.area.width.saturating_sub(1);
        vec![
            Hit { line: 0, columns: edge..edge + 1, click: Click::Open },
            Hit { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn edit(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(PathLine { input: cell.input(), list: None })
    }
}

/// The folder that a path has so far, with its slash, and the rest.
fn split(text: &str) -> (&str, &str) {
    text.rfind('/').map_or(("", text), |at| text.split_at(at + 1))
}

/// An open list, and how many names it was made from.
struct Open {
    folder: String,
    list: Option<Listing>,
}

struct PathLine {
    input: TextInput,
    list: Option<Open>,
}

impl PathLine {
    fn listed<'c>(&self, cell: &Cell<'c>) -> Option<&'c FolderList> {
        let open = self.list.as_ref()?;
        cell.folder.filter(|listed| listed.folder == open.folder)
    }

    fn options(&self, cell: &Cell<'_>) -> Vec<Shown> {
        let names = self.listed(cell).and_then(|listed| listed.names.as_ref().ok());
        let names = names.into_iter().flat_map(|names| names.iter());
        names.map(|name| Shown { label: name.clone(), ..Shown::default() }).collect()
    }

    /// Opens the list of the folder that the text is in.
    fn open(&mut self, edits: Vec<Edit>) -> Answer {
        let (folder, _) = split(self.input.text());
        let folder = folder.to_owned();
        self.list = Some(Open { folder: folder.clone(), list: None });
        Answer::Ask(Ask::Folder { folder, edits })
    }

    /// The list follows what is typed.
    fn changed(&mut self, cell: &Cell<'_>, before: &str, key: Option<Code>) -> Answer {
        let text = self.input.text().to_owned();
        if text == before {
            let removes = matches!(key, Some(Code::Backspace | Code::Delete)) && text.is_empty();
            return if removes { cell.unset() } else { Answer::Handled };
        }
        let answer = cell.set(text.as_str());
        let (folder, rest) = split(&text);
        let moved = self.list.as_ref().is_some_and(|open| open.folder != folder);
        if let (true, Answer::Change(edits)) = (moved, &answer) {
            return self.open(edits.clone());
        }
        let options = self.options(cell);
        if let Some(list) = self.list.as_mut().and_then(|open| open.list.as_mut()) {
            list.filter(&options, rest);
        }
        answer
    }

    fn pick(&mut self, cell: &Cell<'_>, number: usize) -> Answer {
        let Some(name) = self.options(cell).get(number).map(|option| option.label.clone()) else {
            return Answer::Handled;
        };
        let (folder, _) = split(self.input.text());
        let text = format!("{folder}{name}");
        self.input.replace(&text);
        self.input.go(text.len());
        self.list = None;
        match cell.set(text) {
            // On into the folder.
            Answer::Change(edits) if name.ends_with('/') => self.open(edits),
            answer => answer,
        }
    }

    fn list_key(&mut self, cell: &Cell<'_>, key: Key) -> Answer {
        let Some(list) = self.list.as_mut().and_then(|open| open.list.as_mut()) else {
            return Answer::Ignored;
        };
        if key.is(Code::Enter) {
            let Some(chosen) = list.chosen() else {
                self.list = None;
                return Answer::Handled;
            };
            return self.pick(cell, chosen);
        }
        if list.key(key) { Answer::Handled } else { Answer::Ignored }
    }
}

impl Editor for PathLine {
    fn lines(&self, cell: &Cell<'_>, _width: u16) -> u16 {
        match (&self.list, self.listed(cell)) {
            (None, _) => 1,
            (Some(Open { list: Some(list), .. }), _) => 1 + list.lines(),
            (Some(_), listed) => {
                let names = listed
                    .and_then(|listed| listed.names.as_ref().ok())
                    .map_or(0, |names| names.len());
                1 + Listing::lines_of(names)
            }
        }
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        draw_line(&mut self.input, cell, context, "▾");
        let edge = context.area.width.saturating_sub(1);
        let mut hits = vec![
            Hit { line: 0, columns: edge..edge + 1, click: Click::Open },
            Hit { line: 0, columns: 0..edge, click: ANYWHERE },
        ];
        let words = match (&self.list, self.listed(cell).map(|listed| &listed.names)) {
            (None, _) => return hits,
            (Some(_), None) => Some("  looking …".to_owned()),
            (Some(_), Some(Err(words))) => Some(format!("  {words}")),
            (Some(_), Some(Ok(names))) if names.is_empty() => {
                Some("  the folder is empty".to_owned())
            }
            (Some(_), Some(Ok(_))) => None,
        };
        if let Some(words) = words {
            let style = context.style(Role::Overlay);
            context.pen(1).put(&words, style).fill(style);
            return hits;
        }
        let options = self.options(cell);
        let (_, rest) = split(self.input.text());
        let rest = rest.to_owned();
        if let Some(open) = &mut self.list {
            let list = open.list.get_or_insert_with(|| {
                let mut list = Listing::open(&options);
                // A whole name that is there already is no filter.
                if !options.iter().any(|option| option.label == rest) {
                    list.filter(&options, &rest);
                }
                list
            });
            hits.extend(list.draw(&options, context, 1));
        }
        hits
    }

    fn typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        self.list.is_some()
    }

    fn close(&mut self) {
        self.list = None;
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match clip::asked(input) {
            Some(Clip::Copy) => return clip::copy(self.input.selected()),
            Some(Clip::Cut) => {
                return self
                    .input
                    .cut()
                    .map_or(Answer::Ignored, |text| clip::cut(text, cell.set(self.input.text())));
            }
            None => {}
        }
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) => {
                let answer = self.list_key(cell, *key);
                match key.code {
                    _ if answer != Answer::Ignored => answer,
                    Code::Enter if key.is(Code::Enter) => self.open(Vec::new()),
                    _ if self.input.key(*key) => self.changed(cell, &before, Some(key.code)),
                    _ => Answer::Ignored,
                }
            }
            Input::Paste(text) => {
                self.input.insert(text.trim());
                self.changed(cell, &before, None)
            }
            Input::Mouse(_) => Answer::Ignored,
        }
    }

    fn click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Pick(number) => return self.pick(cell, number),
            Click::Open if self.list.is_some() => self.list = None,
            Click::Open => return self.open(Vec::new()),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn keys(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.list {
            Some(_) => vec![("↑↓", "choose"), ("Enter", "take"), ("Esc", "close")],
            None => vec![("Enter", "look in the folder")],
        }
    }

    fn sync(&mut self, cell: &Cell<'_>) {
        self.input.replace(&cell.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_folder_and_a_rest() {
        assert_eq!(split("a/b/c.js"), ("a/b/", "c.js"));
        assert_eq!(split("c"), ("", "c"));
        assert_eq!(split("/"), ("/", ""));
    }
}
