//! Markdown as a terminal can show it: bold, code, lists, tables, quotes, headings, links as text.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::ui::{
    canvas::{text_width, visible_text},
    line_wrap::{RowWidths, wrap_styled},
};

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextFace {
    pub bold: bool,
    pub code: bool,
    pub link: bool,
}

/// A line in pieces.
pub(crate) type Line = Vec<(TextFace, String)>;

/// The text broken into lines of at most `cells` cells. Line breaks within a paragraph stay, and so
/// does one empty line between blocks that have any between them.
#[must_use]
pub(crate) fn render_lines(text: &str, cells: usize) -> Vec<Line> {
    let mut rendered = GrowingText::default();
    rendered.render(text, cells);
    rendered.lines
}

/// A text that grows, rendered. Blocks to which nothing can be added any more stay as they are.
#[derive(Debug, Default)]
pub(crate) struct GrowingText {
    source: String,
    cells: usize,
    lines: Vec<Line>,
    closed: Closed,
    /// So many bytes were rendered until now, again and again.
    pub work: usize,
}

/// The blocks at the begin of a text that stay as they are, whatever follows.
#[derive(Clone, Copy, Debug, Default)]
struct Closed {
    /// Where they end in the text, at the begin of a line.
    end: usize,
    /// How many lines they have become.
    lines: usize,
}

impl GrowingText {
    /// The lines, as [`render_lines`] makes them of the text.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Takes in the text as it is now.
    pub fn render(&mut self, text: &str, cells: usize) {
        if self.cells == cells && self.source == text {
            return;
        }
        let goes_on = self.cells == cells && text.starts_with(&self.source[..self.closed.end]);
        let Closed { end, lines } = if goes_on { self.closed } else { Closed::default() };
        self.lines.truncate(lines);
        let defines = self.render_rest(text, end, cells);
        if defines {
            // What is defined anywhere, links all over the text.
            if end > 0 {
                self.lines.clear();
                self.render_rest(text, 0, cells);
            }
            self.closed = Closed::default();
        }
        self.cells = cells;
        self.source.clear();
        self.source.push_str(text);
    }

    /// Renders the blocks of a text from `start` on, where one begins. Whether they define what
    /// links lead to.
    fn render_rest(&mut self, text: &str, start: usize, cells: usize) -> bool {
        let rest = text.get(start..).unwrap_or_default();
        self.work += rest.len();
        let lines = std::mem::take(&mut self.lines);
        self.closed = Closed { end: start, lines: lines.len() };
        let mut page =
            MarkdownPage { source: text, cells: cells.max(4), lines, ..MarkdownPage::default() };
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
        let parser = Parser::new_ext(rest, options);
        let defines = parser.reference_definitions().iter().next().is_some();
        // Until its first line has ended, a block can turn out to belong to the one before it.
        let settled = start + rest.rfind('\n').map_or(0, |end| end + 1);
        let mut depth = 0_usize;
        for (event, Range { start: at, .. }) in parser.into_offset_iter() {
            let at = start + at;
            if depth == 0 && at < settled {
                page.end_line();
                let end = text[..at].rfind('\n').map_or(0, |end| end + 1);
                self.closed = Closed { end: end.max(start), lines: page.lines.len() };
            }
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            page.handle_event(event, at);
        }
        page.end_line();
        self.lines = page.lines;
        defines
    }
}

/// What begins the lines of a block: a mark on its first line, spaces or a bar on the
/// others.
struct Indent {
    mark: Option<String>,
    rest: String,
}

/// The cells of a table, row by row; the first row is its head.
type Rows = Vec<Vec<Line>>;

/// The lines made so far, and where in the document the next one begins.
#[derive(Default)]
struct MarkdownPage<'t> {
    source: &'t str,
    cells: usize,
    lines: Vec<Line>,
    /// The pieces of the line that is being read.
    pieces: Line,
    face: TextFace,
    indents: Vec<Indent>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// Where the open link's text began, and where it leads.
    link: Option<(usize, String)>,
    table: Option<Rows>,
}

impl MarkdownPage<'_> {
    fn handle_event(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(tag) => self.start_tag(tag, at),
            Event::End(tag) => self.end_tag(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.push_text(&text, self.face);
            }
            Event::Code(text) => self.push_text(&text, TextFace { code: true, ..self.face }),
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.keep_blank_line(at);
                self.push_text(&"─".repeat(self.cells.min(24)), TextFace::default());
                self.end_line();
            }
            Event::TaskListMarker(done) => {
                self.push_text(if done { "[x] " } else { "[ ] " }, self.face);
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push_text(&text, self.face);
            }
        }
    }

    fn start_tag(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::Heading { .. } => {
                self.begin_block(at);
                self.face.bold = true;
            }
            Tag::CodeBlock(kind) => {
                // What is indented in a description is rarely code: it keeps its look, and its
                // indent.
                self.begin_block(at);
                self.face.code = true;
                if matches!(kind, CodeBlockKind::Indented) {
                    self.indents.push(Indent { mark: None, rest: "    ".into() });
                }
            }
            Tag::BlockQuote(_) => {
                self.begin_block(at);
                self.indents.push(Indent { mark: None, rest: "│ ".into() });
            }
            Tag::List(first) => {
                self.begin_block(at);
                self.lists.push(first);
            }
            Tag::Item => {
                self.begin_block(at);
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.indents.push(Indent { rest: " ".repeat(text_width(&mark)), mark: Some(mark) });
            }
            Tag::Table(_) => {
                self.begin_block(at);
                self.table = Some(Rows::new());
            }
            Tag::TableHead | Tag::TableRow => {
                self.table.iter_mut().for_each(|rows| rows.push(Vec::new()));
            }
            Tag::Strong => self.face.bold = true,
            Tag::Link { link_type, dest_url, .. }
                if link_type != LinkType::Autolink && link_type != LinkType::Email =>
            {
                self.link = Some((self.pieces.len(), dest_url.into_string()));
                self.face.link = true;
            }
            Tag::Link { .. } => self.face.link = true,
            Tag::Image { dest_url, .. } => {
                self.link.get_or_insert((self.pieces.len(), dest_url.into_string()));
                self.face.link = true;
            }
            Tag::Paragraph | Tag::HtmlBlock => self.begin_block(at),
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.end_line();
                self.face.bold = false;
            }
            TagEnd::CodeBlock => {
                self.end_line();
                self.face.code = false;
                if self
                    .indents
                    .last()
                    .is_some_and(|indent| indent.rest == "    " && indent.mark.is_none())
                {
                    self.indents.pop();
                }
            }
            TagEnd::Item => {
                self.end_line();
                // An item without text has its mark all the same.
                if let Some(Indent { mark: Some(_), .. }) = self.indents.last() {
                    self.break_line();
                }
                self.indents.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.indents.pop();
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.pieces);
                self.table
                    .iter_mut()
                    .filter_map(|rows| rows.last_mut())
                    .for_each(|row| row.push(cell.clone()));
            }
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                self.put_table(rows);
            }
            TagEnd::Strong => self.face.bold = false,
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_line(),
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str, face: TextFace) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 && self.table.is_none() {
                self.break_line();
            }
            if !line.is_empty() {
                self.pieces.push((face, visible_text(line).into_owned()));
            }
        }
    }

    /// Where a link leads follows its text, unless that says it.
    fn end_link(&mut self) {
        self.face.link = false;
        let Some((start, target)) = self.link.take() else { return };
        let words: String = self.pieces.iter().skip(start).map(|(_, text)| text.as_str()).collect();
        let target = visible_text(&target).into_owned();
        if words.is_empty() {
            self.pieces.push((TextFace { link: true, ..self.face }, target));
        } else if words != target && !target.is_empty() {
            self.pieces.push((TextFace { link: true, ..self.face }, format!(" ({target})")));
        }
    }

    /// Begins a block on a line of its own, after an empty line where the source has one before it.
    fn begin_block(&mut self, at: usize) {
        self.end_line();
        self.keep_blank_line(at);
    }

    fn keep_blank_line(&mut self, at: usize) {
        let before = self.source.get(..at).unwrap_or_default();
        let line = before
            .rfind('\n')
            .map_or("", |end| before[..end].rsplit('\n').next().unwrap_or_default());
        let has_line =
            before.contains('\n') && line.trim_matches([' ', '\t', '\r', '>']).is_empty();
        let is_first_in_item = self.indents.last().is_some_and(|indent| indent.mark.is_some());
        if has_line && !is_first_in_item && self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(Line::new());
        }
    }

    /// Ends the line that is being read, where there is any.
    fn end_line(&mut self) {
        if !self.pieces.is_empty() {
            self.break_line();
        }
    }

    fn break_line(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let (mut first, mut rest) = (String::new(), String::new());
        for indent in &mut self.indents {
            first.push_str(indent.mark.take().as_deref().unwrap_or(&indent.rest));
            rest.push_str(&indent.rest);
        }
        let most = self.cells * 2 / 3;
        let (first, rest) = (fit_indent(&first, most), fit_indent(&rest, most));
        wrap_pieces(&pieces, self.cells, (first, rest), &mut self.lines);
    }

    /// Columns beside each other, each as wide as its widest cell, narrower where they would not
    /// fit.
    fn put_table(&mut self, rows: Rows) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return;
        }
        let room = self.cells.saturating_sub(GAP * (columns - 1));
        if room < columns * NARROWEST {
            self.put_records(rows);
            return;
        }
        let wide = |line: &Line| line.iter().map(|(_, text)| text_width(text)).sum::<usize>();
        let widest = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(wide).max().unwrap_or(0).max(1)
        };
        let mut widths: Vec<usize> = (0..columns).map(widest).collect();
        while widths.iter().sum::<usize>() > room {
            let Some(largest) = widths.iter_mut().max() else { break };
            *largest -= 1;
        }
        for (number, row) in rows.into_iter().enumerate() {
            let is_head = number == 0;
            let cells: Vec<Vec<Line>> = (row.into_iter().zip(&widths))
                .map(|(cell, width)| wrap_cell(cell, *width, is_head))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for part in 0..height {
                let mut line = Line::new();
                for (cell, width) in cells.iter().zip(&widths) {
                    let pieces = cell.get(part).cloned().unwrap_or_default();
                    let blanks = width - wide(&pieces).min(*width) + GAP;
                    line.extend(pieces);
                    line.push((TextFace::default(), " ".repeat(blanks)));
                }
                self.lines.push(trim_line(line));
            }
            if is_head {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                self.lines.push(vec![(TextFace::default(), rule.join(&" ".repeat(GAP)))]);
            }
        }
    }

    /// Rows below each other, each cell after its column's name: for tables with more columns than
    /// fit.
    fn put_records(&mut self, rows: Rows) {
        let mut rows = rows.into_iter();
        let names: Vec<String> = rows
            .next()
            .unwrap_or_default()
            .into_iter()
            .map(|name| name.into_iter().map(|(_, text)| text).collect())
            .collect();
        for row in rows {
            for (cell, name) in row.into_iter().zip(&names) {
                let mut pieces =
                    vec![(TextFace { bold: true, ..TextFace::default() }, format!("{name}: "))];
                pieces.extend(cell);
                wrap_pieces(&pieces, self.cells, ("", "  "), &mut self.lines);
            }
        }
    }
}

/// Spaces between the columns of a table.
const GAP: usize = 2;
/// The fewest cells that a column is worth showing with.
const NARROWEST: usize = 4;

/// A table's cell in lines.
fn wrap_cell(cell: Line, cells: usize, bold: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let pieces: Line = cell
        .into_iter()
        .map(|(face, text)| (TextFace { bold: face.bold || bold, ..face }, text))
        .collect();
    wrap_pieces(&pieces, cells, ("", ""), &mut lines);
    lines
}

/// As much of an indent as fits.
fn fit_indent(indent: &str, cells: usize) -> &str {
    indent.char_indices().nth(cells).map_or(indent, |(end, _)| &indent[..end])
}

/// Breaks pieces into lines. `first` is before the first line, `rest` before the others, both
/// narrower than a line.
fn wrap_pieces(
    pieces: &[(TextFace, String)],
    cells: usize,
    (first, rest): (&str, &str),
    lines: &mut Vec<Line>,
) {
    let room = |indent: &str| cells.saturating_sub(text_width(indent)).max(1);
    let widths = RowWidths { first: room(first), others: room(rest) };
    let indents = std::iter::once(first).chain(std::iter::repeat(rest));
    lines.extend(indents.zip(wrap_styled(pieces, widths)).map(|(indent, row)| {
        let mut line = vec![(TextFace::default(), indent.to_owned())];
        line.extend(row);
        trim_line(line)
    }));
}

fn trim_line(mut line: Line) -> Line {
    while let Some((_, last)) = line.last_mut() {
        last.truncate(last.trim_end().len());
        if !last.is_empty() {
            break;
        }
        line.pop();
    }
    line.retain(|(_, text)| !text.is_empty());
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flat(text: &str, cells: usize) -> Vec<String> {
        render_lines(text, cells)
            .iter()
            .map(|line| line.iter().map(|(_, text)| text.as_str()).collect())
            .collect()
    }

    #[test]
    fn marks_become_faces_and_names_stay_names() {
        let pieces =
            render_lines("**Bold** `a_b` [docs](https://x.y) snake_case 2 * 3 * 4 \\*", 200)
                .concat();
        let bold: Vec<_> =
            pieces.iter().filter(|(face, _)| face.bold).map(|(_, text)| text.as_str()).collect();
        let code: Vec<_> =
            pieces.iter().filter(|(face, _)| face.code).map(|(_, text)| text.as_str()).collect();
        assert_eq!((bold, code), (vec!["Bold"], vec!["a_b"]));
        let all: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(all, "Bold a_b docs (https://x.y) snake_case 2 * 3 * 4 *");
    }

    #[test]
    fn items_hang_and_headings_lose_their_mark() {
        assert_eq!(
            flat("# Head\n\n- one two three four\n  1. sub\n\n\nend", 12),
            ["Head", "", "• one two", "  three four", "  1. sub", "", "end"]
        );
        assert!(render_lines("# Head", 20)[0][0].0.bold);
        assert_eq!(flat("```\n*x*\n```", 20), ["*x*"]);
    }

    #[test]
    fn tables_have_columns_that_fit() {
        let table = "| name | what it does |\n| --- | :-: |\n| `a` | calls **one** service |\n| long-name | - |";
        assert_eq!(
            flat(table, 40),
            [
                "name       what it does",
                "─────────  ─────────────────",
                "a          calls one service",
                "long-name  -"
            ]
        );
        assert!(render_lines(table, 40)[0].iter().any(|(face, text)| face.bold && text == "name"));
        assert_eq!(
            flat(table, 16),
            [
                "name     what it",
                "         does",
                "───────  ───────",
                "a        calls",
                "         one",
                "         service",
                "long-na  -",
                "me"
            ]
        );
        assert_eq!(flat("|a|b|c|\n|-|-|-|\n|1|2|3|", 12), ["a: 1", "b: 2", "c: 3"]);
    }

    #[test]
    fn lists_nest_and_quotes_have_a_bar() {
        assert_eq!(
            flat("1. one\n   - two three\n     - four\n2. five\n\n> said\n> so\n", 12),
            ["1. one", "   • two", "     three", "     • four", "2. five", "", "│ said", "│ so"]
        );
        assert_eq!(flat("- [x] done\n- [ ] open\n-\n", 20), ["• [x] done", "• [ ] open", "•"]);
        assert_eq!(
            flat("a\n---\n\n***\n<b>x</b> <https://x.y>", 20).join("/"),
            format!("a//{}/<b>x</b> https://x.y", "─".repeat(20))
        );
    }

    #[test]
    fn a_text_that_grows_is_read_once() {
        let block = |row: usize| format!("## Part {row}\n\nOne *two*\n\n- a\n- b\n\n");
        let (mut text, mut growing) = (String::new(), GrowingText::default());
        for row in 0..200 {
            text += &block(row);
            growing.render(&text, 40);
        }
        assert_eq!(growing.lines(), render_lines(&text, 40));
        assert!(growing.work < 4 * text.len(), "{} of {}", growing.work, text.len());
        let before = growing.work;
        growing.render(&text, 40);
        assert_eq!(growing.work, before);
        growing.render(&text, 30);
        assert_eq!(growing.lines(), render_lines(&text, 30));
        growing.render("another", 30);
        assert_eq!(growing.lines(), render_lines("another", 30));
        growing.render("[a]\n\n[b]\n\nc\n\n", 30);
        growing.render("[a]\n\n[b]\n\nc\n\n[a]: http://x.y\n", 30);
        assert_eq!(growing.lines(), render_lines("[a]\n\n[b]\n\nc\n\n[a]: http://x.y\n", 30));
    }

    proptest! {
        #[test]
        fn a_text_that_grows_is_rendered_as_the_whole(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "b c", "\n", "\n", "\n\n", "\n\n", "- ", "* ", "1. ", "2) ", "#", "# ", "> ", "  ", "    ", "```", "~~~\n",
                    "|", "a|b", "-|-", "---", "===", "**", "`", "[a]", "[a]: x", "<b>", "<!--", "-->", "<div>", "\\", "\t", "\r\n",
                ]),
                0..24,
            ),
        ) {
            let (mut text, mut growing) = (String::new(), GrowingText::default());
            for piece in pieces {
                text += piece;
                growing.render(&text, 20);
                prop_assert_eq!(growing.lines(), &render_lines(&text, 20)[..], "{:?}", text);
            }
        }

        #[test]
        fn no_line_is_too_wide_and_no_word_is_lost(text in "[a-z日 *_`\\[\\]()\n-]{0,80}", cells in 8_usize..40) {
            for line in flat(&text, cells) {
                prop_assert!(text_width(&line) <= cells, "{line:?}");
            }
            let letters = |text: &str| text.chars().filter(|letter| letter.is_alphabetic()).collect::<String>();
            if !text.contains("```") {
                prop_assert_eq!(letters(&flat(&text, cells).concat()), letters(&text));
            }
        }
    }
}
