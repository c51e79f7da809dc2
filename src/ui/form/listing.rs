//! A list of options that opens below a field: filtered as one types, chosen by key or mouse.

use ratatui::layout::Rect;

use super::cell::{Click, ClickArea, DrawContext};
use crate::{
    app::input::{Code, Key},
    ui::{
        canvas::{pad_text, shorten_middle, text_width, truncate_text, visible_text},
        ranking::{RankedItem, rank_candidates},
        styles::Role,
        widgets::text_input::TextInput,
    },
};

/// Options seen at a time.
const SEEN: usize = 8;
/// From this many options on the line that filters them is there before anything is typed.
const FILTER_FROM: usize = 8;

/// What an option has to say is not begun in fewer cells: it is read below the list.
const LEAST_HELP: usize = 8;

/// The mark before a label, and the arrow at the end of the line.
const LABEL_EDGES: usize = 3;
/// The same with what is between a label and what is said about it.
const HELP_EDGES: usize = 5;

/// An option as it is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownOption {
    pub label: String,
    pub help: String,
    /// It is what the value is now.
    pub present: bool,
}

/// Lines below the list for the words about the option under the cursor; and for its label, where
/// that is cut.
const FOOT: u16 = 2;
const TALL_FOOT: u16 = 5;

/// What is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Options,
    /// What the field's own text may become; it filters the list.
    Suggestions,
    /// Fields of a form, filtered by the text of the search.
    Fields,
}

/// The open list. The options stay with the owner; here are their numbers.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// What is typed in the list's own line; none where the field's text is the filter, or where
    /// few options need no filter until something is typed.
    filter: Option<TextInput>,
    kind: Kind,
    /// The field's text is meant and none of the options, until the cursor is moved to one.
    released: bool,
    /// Some option has more to say than fits beside it.
    wordy: bool,
    /// The cells of the longest label that has words beside it, and of the longest without.
    longest: (usize, usize),
    cursor: usize,
    top: usize,
    matching: Vec<usize>,
}

impl Listing {
    /// A list that filters its options by what is typed, with the cursor on the option that is
    /// chosen now.
    #[must_use]
    pub fn from_options(options: &[ShownOption]) -> Self {
        let filter = (options.len() >= FILTER_FROM).then(TextInput::default);
        Self { filter, kind: Kind::Options, ..Self::suggestions(options) }
    }

    /// A list for a field whose own text filters the options (`filter_options`).
    #[must_use]
    pub fn suggestions(options: &[ShownOption]) -> Self {
        let cursor = options.iter().position(|option| option.present).unwrap_or(0);
        let wordy = options.iter().any(|option| text_width(&option.help) > 24);
        let matching = (0..options.len()).collect();
        let longest = |has_help: bool| {
            let labels = options.iter().filter(|option| option.help.is_empty() != has_help);
            labels.map(|option| text_width(&visible_text(&option.label))).max().unwrap_or(0)
        };
        let longest = (longest(true), longest(false));
        Self { kind: Kind::Suggestions, wordy, longest, cursor, matching, ..Self::default() }
    }

    /// A list of a form's fields, which a search filters.
    #[must_use]
    pub fn fields(options: &[ShownOption]) -> Self {
        Self { kind: Kind::Fields, ..Self::suggestions(options) }
    }

    /// Keeps the options that match, best first; an empty filter keeps all in their order.
    pub fn filter_options(&mut self, options: &[ShownOption], filter: &str) {
        let chosen = self.chosen_option();
        let candidates = options.iter().map(|option| RankedItem {
            name: &option.label,
            description: &option.help,
            ..RankedItem::default()
        });
        self.matching = rank_candidates(filter, candidates);
        let kept = chosen.filter(|_| filter.trim().is_empty());
        self.cursor =
            kept.and_then(|chosen| self.matching.iter().position(|at| *at == chosen)).unwrap_or(0);
    }

    /// The number of the option under the cursor.
    #[must_use]
    pub fn chosen_option(&self) -> Option<usize> {
        self.matching.get(self.cursor).copied().filter(|_| !self.released)
    }

    /// Takes the cursor off the options: what is typed in the field is meant.
    pub fn release_cursor(&mut self) {
        self.released = true;
    }

    /// Drops options that are no longer there: their owner may have fewer than when the list
    /// was opened.
    fn drop_missing(&mut self, options: &[ShownOption]) {
        self.matching.retain(|number| *number < options.len());
        self.cursor = self.cursor.min(self.matching.len().saturating_sub(1));
    }

    /// The cursor was moved away from the first row.
    #[must_use]
    pub fn is_led(&self) -> bool {
        self.cursor > 0
    }

    /// Whether a key selects the option under the cursor; a space is text in a filter.
    #[must_use]
    pub fn is_selecting(&self, key: Key) -> bool {
        let spaces = self.filter.is_none() && self.kind == Kind::Options;
        key.is_plain(Code::Enter) || (spaces && key.is_plain(Code::Char(' ')))
    }

    /// Moves the cursor, or types into the filter; whether the key was one of lists.
    pub fn handle_key(&mut self, options: &[ShownOption], key: Key) -> bool {
        self.move_cursor(key) || self.type_filter(options, key)
    }

    /// Types into the list's own filter, which opens with the first letter.
    fn type_filter(&mut self, options: &[ShownOption], key: Key) -> bool {
        if self.kind != Kind::Options || (self.filter.is_none() && key.typed_char().is_none()) {
            return false;
        }
        let filter = self.filter.get_or_insert_default();
        if !filter.handle_key(key) {
            return false;
        }
        let text = filter.text().to_owned();
        self.filter_options(options, &text);
        true
    }

    /// Moves the cursor; whether the key was one of lists.
    pub fn move_cursor(&mut self, key: Key) -> bool {
        let last = self.matching.len().saturating_sub(1);
        self.cursor = match key.code {
            _ if key.mods.ctrl || key.mods.alt => return false,
            Code::Down if self.released => 0,
            Code::Up if self.released => last,
            Code::Up => self.cursor.checked_sub(1).unwrap_or(last),
            Code::Down if self.cursor >= last => 0,
            Code::Down => self.cursor + 1,
            Code::PageUp => self.cursor.saturating_sub(SEEN),
            Code::PageDown => (self.cursor + SEEN).min(last),
            _ => return false,
        };
        self.released = false;
        true
    }

    /// The lines that a list of so many options takes.
    #[must_use]
    pub fn lines_of(options: usize) -> u16 {
        u16::try_from(options.clamp(1, SEEN)).unwrap_or(1)
    }

    #[must_use]
    pub fn line_count(&self, cells: u16) -> u16 {
        let filter = u16::from(self.filter.is_some());
        filter + Self::lines_of(self.matching.len()) + self.foot_lines(usize::from(cells))
    }

    /// The lines below the list in a list that is so wide.
    fn foot_lines(&self, width: usize) -> u16 {
        let (beside, alone) = self.longest;
        let cut = [(beside, self.label_cells(width)), (alone, width.saturating_sub(LABEL_EDGES))]
            .into_iter()
            .filter(|(label, room)| label > room && self.kind != Kind::Fields)
            .map(|(label, _)| label)
            .max();
        match cut {
            // Words leave cells empty at the ends of lines.
            Some(label) => u16::try_from(label / foot_cells(width) + 2)
                .unwrap_or(TALL_FOOT)
                .clamp(FOOT, TALL_FOOT),
            None if self.wordy => FOOT,
            None => 0,
        }
    }

    /// The cells of labels that have words beside them.
    fn label_cells(&self, width: usize) -> usize {
        let labels = self.longest.0.max(self.longest.1);
        // Where labels leave no room for more, they have all of it: the rest is read below.
        match labels + HELP_EDGES + LEAST_HELP <= width {
            true => labels.min(width * 2 / 3),
            false if self.wordy => labels.min(width.saturating_sub(LABEL_EDGES)),
            false => labels.min(width * 2 / 3),
        }
    }

    /// Draws the list from `line` on.
    pub fn draw(
        &mut self,
        options: &[ShownOption],
        context: &mut DrawContext<'_>,
        line: u16,
    ) -> Vec<ClickArea> {
        self.drop_missing(options);
        let overlay = context.style(Role::Overlay);
        let line = line + self.draw_filter(context, line);
        if self.matching.is_empty() {
            let dim = overlay.patch(context.style(Role::Dim));
            let words = match self.kind {
                Kind::Options => "  nothing matches",
                Kind::Suggestions => "  no suggestion matches",
                Kind::Fields => "  no field matches",
            };
            context.pen(line).put_text(words, dim).fill_rest(overlay);
            return Vec::new();
        }
        let seen = self.matching.len().min(SEEN);
        self.top = self
            .top
            .clamp((self.cursor + 1).saturating_sub(seen), self.cursor)
            .min(self.matching.len() - seen);
        let width = usize::from(context.area.width);
        let labels = self.label_cells(width);
        let mut hits = Vec::new();
        for (place, number) in self.matching.iter().enumerate().skip(self.top).take(seen) {
            let at = line + u16::try_from(place - self.top).unwrap_or(0);
            let option = &options[*number];
            let is_chosen = place == self.cursor && !self.released;
            let style = if is_chosen { context.style(Role::Selected) } else { overlay };
            let help = if is_chosen { style } else { overlay.patch(context.style(Role::Dim)) };
            let mark = if option.present { "✓ " } else { "  " };
            let more = match place - self.top {
                0 if self.top > 0 => "↑",
                last if last + 1 == seen && self.top + seen < self.matching.len() => "↓",
                _ => " ",
            };
            let area = context.area;
            let mut pen = context.pen(at);
            pen.put_text(mark, style);
            if option.help.is_empty() {
                // The last cell has the arrow of what is not seen.
                let label = visible_text(&option.label);
                let room = pen.remaining_cells().saturating_sub(1);
                let label = match self.kind {
                    Kind::Fields => shorten_middle(&label, room),
                    Kind::Options | Kind::Suggestions => truncate_text(&label, room),
                };
                pen.put_text(&label, style);
            } else {
                let label = visible_text(&option.label);
                // Paths of fields differ at their ends.
                let label = match self.kind {
                    Kind::Fields => shorten_middle(&label, labels),
                    Kind::Options | Kind::Suggestions => label,
                };
                pen.put_text(&pad_text(&label, labels), style).put_text("  ", style);
                let room = pen.remaining_cells().saturating_sub(1);
                if room >= LEAST_HELP {
                    pen.put_column(&option.help, room, help);
                }
            }
            pen.fill_rest(style);
            context.pen(at).move_to(area, area.width.saturating_sub(1)).put_text(more, style);
            hits.push(context.line_hit(at, Click::Pick(*number)));
        }
        self.draw_foot(options, context, line + u16::try_from(seen).unwrap_or(0));
        hits
    }

    /// Draws the line of the filter; how many lines it took.
    fn draw_filter(&mut self, context: &mut DrawContext<'_>, line: u16) -> u16 {
        let Some(filter) = &mut self.filter else { return 0 };
        let style = context.style(Role::Overlay);
        let key = style.patch(context.style(Role::Key));
        context.pen(line).put_text("/ ", key).fill_rest(style);
        let (area, y) = (context.area, context.area.y + line);
        if y < area.bottom() {
            let width = area.width.saturating_sub(2);
            let room = Rect { x: area.x + 2, y, width, height: 1 };
            let cursor = context.style(Role::Cursor);
            filter.draw(context.buffer, room, style, Some(cursor));
        }
        1
    }

    /// All that is said about the option under the cursor, with its label where that is cut.
    fn draw_foot(&self, options: &[ShownOption], context: &mut DrawContext<'_>, line: u16) {
        let width = usize::from(context.area.width);
        let foot = self.foot_lines(width);
        let style = context.style(Role::Overlay);
        let info = style.patch(context.style(Role::Info));
        let chosen = self.chosen_option().and_then(|chosen| options.get(chosen));
        let words = chosen.map_or_else(String::new, |option| {
            let room = match option.help.is_empty() {
                true => width.saturating_sub(LABEL_EDGES),
                false => self.label_cells(width),
            };
            let is_cut =
                self.kind != Kind::Fields && text_width(&visible_text(&option.label)) > room;
            match (is_cut, option.help.as_str()) {
                (false, help) => help.to_owned(),
                (true, "") => option.label.clone(),
                (true, help) => format!("{}: {help}", option.label),
            }
        });
        let room = foot_cells(width);
        let mut lines = crate::ui::canvas::wrap(&visible_text(&words), room);
        if lines.len() > usize::from(foot) {
            lines.truncate(usize::from(foot));
            if let Some(last) = lines.last_mut() {
                *last = pad_text(&format!("{} …", last.trim_end()), room.min(text_width(last) + 2))
                    .trim_end()
                    .to_owned();
            }
        }
        for row in 0..foot {
            let text = lines.get(usize::from(row)).map_or("", String::as_str);
            context.pen(line + row).put_text("  ", style).put_text(text, info).fill_rest(style);
        }
    }
}

/// The cells of a line below a list that is so wide.
fn foot_cells(width: usize) -> usize {
    width.saturating_sub(4).max(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(labels: &[&str]) -> Vec<ShownOption> {
        let option =
            |label: &&str| ShownOption { label: (*label).into(), ..ShownOption::default() };
        labels.iter().map(option).collect()
    }

    fn type_text(listing: &mut Listing, options: &[ShownOption], text: &str) {
        for letter in text.chars() {
            assert!(listing.handle_key(options, Key::plain(Code::Char(letter))));
        }
    }

    #[test]
    fn filters_and_wraps_round() {
        let options = named(&["analysis", "research", "undefined"]);
        let mut listing = Listing::from_options(&options);
        listing.handle_key(&options, Key::plain(Code::Up));
        assert_eq!(listing.chosen_option(), Some(2));
        listing.filter_options(&options, "rse");
        assert_eq!(listing.chosen_option(), Some(1));
        listing.filter_options(&options, "zzz");
        assert_eq!(listing.chosen_option(), None);
    }

    #[test]
    fn what_is_typed_is_shown_and_names_the_option() {
        let options = named(&["tool-service", "text", "service"]);
        let mut listing = Listing::from_options(&options);
        let closed = listing.line_count(40);
        assert!(listing.is_selecting(Key::plain(Code::Char(' '))));
        type_text(&mut listing, &options, "service");
        assert_eq!(listing.line_count(40), closed, "a line for the text, one option less");
        assert_eq!(listing.chosen_option(), Some(2));
        assert!(!listing.is_selecting(Key::plain(Code::Char(' '))), "a space is text now");
        type_text(&mut listing, &options, "zz");
        assert_eq!(listing.chosen_option(), None);
    }

    #[test]
    fn suggestions_leave_letters_to_the_field() {
        let options = named(&["one", "two"]);
        let mut listing = Listing::suggestions(&options);
        assert!(!listing.handle_key(&options, Key::plain(Code::Char('t'))));
        assert!(!listing.is_selecting(Key::plain(Code::Char(' '))));
    }

    #[test]
    fn options_that_went_are_not_chosen() {
        let options = named(&["one", "two", "three"]);
        let mut listing = Listing::from_options(&options);
        listing.handle_key(&options, Key::plain(Code::Up));
        type_text(&mut listing, &options[..2], "t");
        assert_eq!(listing.chosen_option(), Some(1));
        type_text(&mut listing, &[], "t");
        assert_eq!(listing.chosen_option(), None);
    }
}
