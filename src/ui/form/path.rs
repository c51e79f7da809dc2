//! The path of a file: typed, or found step by step in a list of what its folder holds.

use super::{
    cell::{ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Widget, one_line},
    clip::{clip_answer, requested_clip},
    listing::{Listing, ShownOption},
    text::{draw_line, unchanged_answer},
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
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let text = one_line(&cell.value_text());
        if text.is_empty() {
            let ghost = context.style(cell.placeholder_role());
            context.draw_line(0, &cell.placeholder_text(), ghost, "▾");
        } else {
            let style = ratatui::style::Style { bg: None, ..context.style(Role::Text) };
            context.draw_line(0, &text, style, "▾");
        }
        let edge = context.area.width.saturating_sub(1);
        vec![
            ClickArea { line: 0, columns: edge..edge + 1, click: Click::Open },
            ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(PathLine { input: cell.text_input(), list: None })
    }
}

/// The folder that a path has so far, with its slash, and the rest.
fn split_path(text: &str) -> (&str, &str) {
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
    fn folder_list<'c>(&self, cell: &Cell<'c>) -> Option<&'c FolderList> {
        let open = self.list.as_ref()?;
        cell.folder.filter(|listed| listed.folder == open.folder)
    }

    fn list_options(&self, cell: &Cell<'_>) -> Vec<ShownOption> {
        let names = self.folder_list(cell).and_then(|listed| listed.names.as_ref().ok());
        let names = names.into_iter().flat_map(|names| names.iter());
        names.map(|name| ShownOption { label: name.clone(), ..ShownOption::default() }).collect()
    }

    /// Opens the list of the folder that the text is in.
    fn open_list(&mut self, edits: Vec<Edit>) -> Answer {
        let (folder, _) = split_path(self.input.text());
        let folder = folder.to_owned();
        self.list = Some(Open { folder: folder.clone(), list: None });
        Answer::Ask(Ask::Folder { folder, edits })
    }

    /// The list follows what is typed.
    fn apply_change(&mut self, cell: &Cell<'_>, before: &str, key: Option<Code>) -> Answer {
        let text = self.input.text().to_owned();
        if text == before {
            return unchanged_answer(cell, &text, key);
        }
        let answer = cell.set_value(text.as_str());
        let (folder, rest) = split_path(&text);
        let moved = self.list.as_ref().is_some_and(|open| open.folder != folder);
        if let (true, Answer::Change(edits)) = (moved, &answer) {
            return self.open_list(edits.clone());
        }
        let options = self.list_options(cell);
        if let Some(list) = self.list.as_mut().and_then(|open| open.list.as_mut()) {
            list.filter_options(&options, rest);
        }
        answer
    }

    fn pick_option(&mut self, cell: &Cell<'_>, number: usize) -> Answer {
        let Some(name) = self.list_options(cell).get(number).map(|option| option.label.clone())
        else {
            return Answer::Handled;
        };
        let (folder, _) = split_path(self.input.text());
        let text = format!("{folder}{name}");
        self.input.replace(&text);
        self.input.move_cursor(text.len());
        self.list = None;
        match cell.set_value(text) {
            // On into the folder.
            Answer::Change(edits) if name.ends_with('/') => self.open_list(edits),
            answer => answer,
        }
    }

    fn list_key(&mut self, cell: &Cell<'_>, key: Key) -> Answer {
        let Some(list) = self.list.as_mut().and_then(|open| open.list.as_mut()) else {
            return Answer::Ignored;
        };
        if key.is_plain(Code::Enter) {
            let Some(chosen) = list.chosen_option() else {
                self.list = None;
                return Answer::Handled;
            };
            return self.pick_option(cell, chosen);
        }
        if list.move_cursor(key) { Answer::Handled } else { Answer::Ignored }
    }
}

impl Editor for PathLine {
    fn line_count(&self, cell: &Cell<'_>, width: u16) -> u16 {
        match (&self.list, self.folder_list(cell)) {
            (None, _) => 1,
            (Some(Open { list: Some(list), .. }), _) => 1 + list.line_count(width),
            (Some(_), listed) => {
                let names = listed
                    .and_then(|listed| listed.names.as_ref().ok())
                    .map_or(0, |names| names.len());
                1 + Listing::lines_of(names)
            }
        }
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        draw_line(&mut self.input, cell, context, "▾");
        let edge = context.area.width.saturating_sub(1);
        let mut hits = vec![
            ClickArea { line: 0, columns: edge..edge + 1, click: Click::Open },
            ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
        ];
        let words = match (&self.list, self.folder_list(cell).map(|listed| &listed.names)) {
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
            context.pen(1).put_text(&words, style).fill_rest(style);
            return hits;
        }
        let options = self.list_options(cell);
        let (_, rest) = split_path(self.input.text());
        let rest = rest.to_owned();
        if let Some(open) = &mut self.list {
            let list = open.list.get_or_insert_with(|| {
                let mut list = Listing::suggestions(&options);
                // A whole name that is there already is no filter.
                if !options.iter().any(|option| option.label == rest) {
                    list.filter_options(&options, &rest);
                }
                list
            });
            hits.extend(list.draw(&options, context, 1));
        }
        hits
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        self.list.is_some()
    }

    fn close(&mut self) {
        self.list = None;
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if let Some(clip) = requested_clip(input) {
            let taken = self.input.take_clip(clip);
            return clip_answer(clip, taken, || cell.set_value(self.input.text()));
        }
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) => {
                let answer = self.list_key(cell, *key);
                match key.code {
                    _ if answer != Answer::Ignored => answer,
                    Code::Enter if key.is_plain(Code::Enter) => self.open_list(Vec::new()),
                    _ if self.input.handle_key(*key) => {
                        self.apply_change(cell, &before, Some(key.code))
                    }
                    _ => Answer::Ignored,
                }
            }
            Input::Paste(text) => {
                self.input.insert(text.trim());
                self.apply_change(cell, &before, None)
            }
            Input::Mouse(_) => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Pick(number) => return self.pick_option(cell, number),
            Click::Open if self.list.is_some() => self.list = None,
            Click::Open => return self.open_list(Vec::new()),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn select_word(&mut self) {
        self.input.select_word();
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.list {
            Some(_) => vec![("↑↓", "choose"), ("Enter", "select"), ("Esc", "close")],
            None => vec![("Enter", "look in the folder")],
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        self.input.replace(&cell.value_text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_folder_and_a_rest() {
        assert_eq!(split_path("a/b/c.js"), ("a/b/", "c.js"));
        assert_eq!(split_path("c"), ("", "c"));
        assert_eq!(split_path("/"), ("/", ""));
    }
}
