//! A text with a cursor, a selection and a history: what every text field edits with.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::words::word_at;
use crate::app::input::{Code, Key};

/// Steps that can be taken back.
const REMEMBERED: usize = 500;

/// Whether what is between two places becomes selected on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveMode {
    Move,
    Select,
}

/// What is done with the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clip {
    Copy,
    Cut,
}

/// A change of the text, and where the cursor was before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    at: usize,
    old: String,
    new: String,
    cursor: usize,
}

/// Offsets are bytes; the cursor and the ends of the selection are always at borders between
/// clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Editing {
    text: String,
    cursor: usize,
    /// The other end of the selection.
    anchor: Option<usize>,
    past: Vec<Step>,
    future: Vec<Step>,
    /// The last step was typing that the next letter goes on with.
    joins: bool,
}

impl Editing {
    /// A text with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, ..Self::default() }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Whether there is a change to undo.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        !self.past.is_empty()
    }

    /// What is selected; never empty.
    #[must_use]
    pub fn selected_range(&self) -> Option<Range<usize>> {
        let anchor = self.anchor.filter(|anchor| *anchor != self.cursor)?;
        Some(anchor.min(self.cursor)..anchor.max(self.cursor))
    }

    #[must_use]
    pub fn selected_text(&self) -> Option<&str> {
        self.selected_range().map(|range| &self.text[range])
    }

    /// Puts the cursor at an offset, or at the next border after it.
    pub fn move_cursor(&mut self, to: usize, reach: MoveMode) {
        match reach {
            MoveMode::Move => self.anchor = None,
            MoveMode::Select => self.anchor = self.anchor.or(Some(self.cursor)),
        }
        self.cursor = self.cluster_boundary(to);
        self.joins = false;
    }

    /// Selects the word at the cursor.
    pub fn select_word(&mut self) {
        let start = self.line_start();
        let word = word_at(&self.text[start..self.line_end()], self.cursor - start);
        self.move_cursor(start + word.start, MoveMode::Move);
        self.move_cursor(start + word.end, MoveMode::Select);
    }

    pub fn select_all(&mut self) {
        self.anchor = Some(0);
        self.cursor = self.text.len();
        self.joins = false;
    }

    /// Puts a text in the place of the selection, else at the cursor.
    pub fn insert(&mut self, text: &str) {
        let range = self.selected_range().unwrap_or(self.cursor..self.cursor);
        let one_letter = range.is_empty() && text.chars().count() == 1;
        // A word is one step: typing goes on until a blank is followed by something else.
        let starts_word = !text.starts_with(char::is_whitespace)
            && self.text[..range.start].ends_with(char::is_whitespace);
        let joins = self.joins && one_letter && !starts_word;
        self.replace_range(range, text, joins);
        self.joins = one_letter;
    }

    /// The selection, which a cut takes out.
    pub fn take_clip(&mut self, clip: Clip) -> Option<String> {
        let range = self.selected_range()?;
        let text = self.text[range.clone()].to_owned();
        if clip == Clip::Cut {
            self.replace_range(range, "", false);
        }
        Some(text)
    }

    /// Takes another text that came from elsewhere; the cursor stays with what did not change.
    pub fn replace(&mut self, text: &str) {
        if text == self.text {
            return;
        }
        let same = |pair: &(char, char)| pair.0 == pair.1;
        let bytes = |pair: (char, char)| pair.0.len_utf8();
        let head: usize = self.text.chars().zip(text.chars()).take_while(same).map(bytes).sum();
        let tail: usize = self.text[head..]
            .chars()
            .rev()
            .zip(text[head..].chars().rev())
            .take_while(same)
            .map(bytes)
            .sum();
        let range = head..self.text.len() - tail;
        let place = self.cursor;
        let new = text[head..text.len() - tail].to_owned();
        self.replace_range(range.clone(), &new, false);
        if place < range.start {
            self.cursor = self.cluster_boundary(place);
        } else if place > range.end {
            self.cursor = self.cluster_boundary(place - range.len() + new.len());
        }
    }

    fn replace_range(&mut self, range: Range<usize>, new: &str, joins: bool) {
        let old = self.text[range.clone()].to_owned();
        if old.is_empty() && new.is_empty() {
            return;
        }
        self.text.replace_range(range.clone(), new);
        let step = Step { at: range.start, old, new: new.to_owned(), cursor: self.cursor };
        match self.past.last_mut().filter(|last| joins && last.at + last.new.len() == step.at) {
            Some(last) => last.new.push_str(new),
            None => self.past.push(step),
        }
        if self.past.len() > REMEMBERED {
            self.past.remove(0);
        }
        self.future.clear();
        self.anchor = None;
        self.joins = false;
        // A letter typed before a combining one joins it.
        self.cursor = self.cluster_boundary(range.start + new.len());
    }

    /// Takes the last step back; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(step) = self.past.pop() else { return false };
        self.text.replace_range(step.at..step.at + step.new.len(), &step.old);
        self.anchor = None;
        self.joins = false;
        self.cursor = self.cluster_boundary(step.cursor);
        self.future.push(step);
        true
    }

    /// Makes the step again that was taken back; whether there was one.
    pub fn redo(&mut self) -> bool {
        let Some(step) = self.future.pop() else { return false };
        self.text.replace_range(step.at..step.at + step.old.len(), &step.new);
        self.anchor = None;
        self.joins = false;
        self.cursor = self.cluster_boundary(step.at + step.new.len());
        self.past.push(step);
        true
    }

    /// Takes a key of editing; whether it was one (the text may be unchanged). Up and down are for
    /// whoever lays out lines.
    pub fn handle_key(&mut self, key: Key) -> bool {
        if let Some(letter) = key.typed_char() {
            self.insert(letter.encode_utf8(&mut [0; 4]));
            return true;
        }
        let by_word = key.mods.ctrl || key.mods.alt;
        let reach = if key.mods.shift { MoveMode::Select } else { MoveMode::Move };
        match key.code {
            Code::Left | Code::Right => self.go_sideways(key.code, by_word, reach),
            Code::Home => self.move_cursor(if by_word { 0 } else { self.line_start() }, reach),
            Code::End => {
                self.move_cursor(if by_word { self.text.len() } else { self.line_end() }, reach);
            }
            Code::Backspace => {
                self.erase(if by_word { self.word_before() } else { self.previous_boundary() });
            }
            Code::Delete => {
                self.erase(if by_word { self.word_after() } else { self.next_boundary() });
            }
            Code::Char(letter) if key.mods.ctrl && !key.mods.alt => {
                return self.handle_chord(letter);
            }
            _ => return false,
        }
        true
    }

    fn handle_chord(&mut self, letter: char) -> bool {
        match letter {
            'w' => self.erase(self.word_before()),
            'u' => self.erase(self.line_start()),
            'k' => self.erase(self.line_end()),
            'a' => self.select_all(),
            'e' => self.move_cursor(self.line_end(), MoveMode::Move),
            'z' => {
                self.undo();
            }
            'y' => return self.redo(),
            _ => return false,
        }
        true
    }

    fn go_sideways(&mut self, code: Code, by_word: bool, reach: MoveMode) {
        let to = match (code, self.selected_range().filter(|_| reach == MoveMode::Move && !by_word))
        {
            (Code::Left, Some(selected)) => selected.start,
            (_, Some(selected)) => selected.end,
            (Code::Left, None) if by_word => self.word_before(),
            (Code::Left, None) => self.previous_boundary(),
            _ if by_word => self.word_after(),
            _ => self.next_boundary(),
        };
        self.move_cursor(to, reach);
    }

    /// Takes out the selection, else what is between the cursor and `to`.
    fn erase(&mut self, to: usize) {
        let range = self.selected_range().unwrap_or(self.cursor.min(to)..self.cursor.max(to));
        self.replace_range(range, "", false);
    }

    /// The offset, or the next border between clusters after it.
    #[must_use]
    pub fn cluster_boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(false) => {
                cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
            }
            _ => at,
        }
    }

    fn previous_boundary(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(0)
    }

    fn next_boundary(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }

    fn word_before(&self) -> usize {
        let head = &self.text[..self.cursor];
        head.unicode_word_indices().next_back().map_or(0, |(offset, _)| offset)
    }

    fn word_after(&self) -> usize {
        let tail = &self.text[self.cursor..];
        tail.unicode_word_indices()
            .next()
            .map_or(self.text.len(), |(offset, word)| self.cursor + offset + word.len())
    }

    #[must_use]
    pub fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    #[must_use]
    pub fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(editing: &mut Editing, keys: &str) {
        for key in keys.split_whitespace() {
            assert!(editing.handle_key(key.parse().unwrap()), "{key}");
        }
    }

    #[test]
    fn words_are_one_step_of_undo() {
        let mut editing = Editing::default();
        keys(&mut editing, "o n e space t w o");
        editing.undo();
        assert_eq!(editing.text(), "one ");
        editing.undo();
        assert_eq!(editing.text(), "");
        keys(&mut editing, "ctrl+y ctrl+y");
        assert_eq!(editing.text(), "one two");
        assert!(!editing.redo());
    }

    #[test]
    fn a_selection_is_replaced_cut_and_left() {
        let mut editing = Editing::new("tell me a joke");
        keys(&mut editing, "shift+ctrl+left");
        assert_eq!(editing.selected_text(), Some("joke"));
        keys(&mut editing, "t");
        assert_eq!(editing.text(), "tell me a t");
        keys(&mut editing, "ctrl+z home shift+right shift+right");
        assert_eq!(
            (editing.take_clip(Clip::Cut).as_deref(), editing.text()),
            (Some("te"), "ll me a joke")
        );
        keys(&mut editing, "ctrl+a left");
        assert_eq!((editing.cursor(), editing.selected_text()), (0, None));
    }

    #[test]
    fn a_change_from_elsewhere_leaves_the_cursor_with_its_letters() {
        let mut editing = Editing::new("tell me a joke");
        editing.move_cursor(7, MoveMode::Move);
        editing.replace("tell me another joke");
        assert_eq!(editing.cursor(), 7);
        editing.move_cursor(20, MoveMode::Move);
        editing.replace("show me another joke");
        assert_eq!(editing.cursor(), 20);
        editing.undo();
        assert_eq!(editing.text(), "tell me another joke", "even that can be taken back");
    }

    #[test]
    fn joined_emoji_count_as_one() {
        let mut editing = Editing::new("a👩‍👩‍👧e\u{301}");
        keys(&mut editing, "backspace");
        assert_eq!(editing.text(), "a👩‍👩‍👧");
        keys(&mut editing, "left delete");
        assert_eq!(editing.text(), "a");
    }

    proptest! {
        #[test]
        fn any_editing_stays_on_borders_and_is_undone(start in "\\PC{0,12}", steps in prop::collection::vec((0_usize..14, any::<char>()), 0..40)) {
            let mut editing = Editing::new(start.clone());
            for (step, letter) in steps {
                match step {
                    0..=3 => editing.insert(&letter.to_string()),
                    4 => keys(&mut editing, "left"),
                    5 => keys(&mut editing, "backspace"),
                    6 => keys(&mut editing, "shift+ctrl+left"),
                    7 => keys(&mut editing, "delete"),
                    8 => keys(&mut editing, "ctrl+k"),
                    9 => drop(editing.undo()),
                    10 => drop(editing.redo()),
                    11 => editing.move_cursor(3, MoveMode::Select),
                    12 => editing.replace(&format!("x{letter}y")),
                    _ => drop(editing.take_clip(Clip::Cut)),
                }
                for at in [editing.cursor()].into_iter().chain(editing.selected_range().into_iter().flat_map(|range| [range.start, range.end])) {
                    prop_assert!(at == editing.text().len() || editing.text().grapheme_indices(true).any(|(offset, _)| offset == at));
                }
            }
            while editing.undo() {}
            prop_assert_eq!(editing.text(), start);
        }
    }
}
