//! A page of Markdown as lines for a terminal: headings, paragraphs, lists, tables and code.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr as _;

use super::wrap::{WIDTH, wrap};

/// A line of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PageLine {
    Heading(String),
    /// Part of a block of code, as it is.
    Code(String),
    Text(String),
}

/// A table stays in columns if its last one begins no further to the right than this.
const LAST_COLUMN: usize = 52;

/// The page in lines of at most 80 cells, but for code and words that are longer. Images and HTML
/// comments are left out; of a link to another page its text is left.
#[must_use]
pub(crate) fn page_lines(markdown: &str) -> Vec<PageLine> {
    let mut page = Page::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.lines
}

#[derive(Default)]
struct Page {
    lines: Vec<PageLine>,
    /// The text of the block that is being read.
    text: String,
    /// One for each list that the text is in: the number of its next item, if it has numbers.
    lists: Vec<Option<u64>>,
    /// The next item is the first one of its list.
    list_begins: bool,
    /// What the first line of the list item begins with.
    mark: Option<String>,
    code: bool,
    image: bool,
    /// Where the link leads, if it is to be shown.
    link: Option<String>,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(end) => self.close(end),
            Event::Text(text) if self.code => self.text.push_str(&text),
            Event::Text(text) if !self.image => self.text.push_str(&text),
            Event::Code(text) => self.text.push_str(&text),
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak => self.text.push('\n'),
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) => {
                self.end_block();
                self.code = true;
            }
            Tag::List(first) => {
                self.end_block();
                self.list_begins = self.lists.is_empty();
                self.lists.push(*first);
            }
            Tag::Item => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".into(),
                };
                self.mark = Some(mark);
            }
            Tag::Emphasis => self.text.push('*'),
            Tag::Image { .. } => self.image = true,
            Tag::Link { dest_url, .. } => {
                self.link = dest_url.contains("://").then(|| dest_url.to_string());
            }
            _ => {}
        }
    }

    fn close(&mut self, end: TagEnd) {
        match end {
            TagEnd::Heading(_) => {
                let text = std::mem::take(&mut self.text);
                self.gap();
                self.lines.push(PageLine::Heading(text));
            }
            TagEnd::Paragraph | TagEnd::Item => self.end_block(),
            TagEnd::CodeBlock => {
                let text = std::mem::take(&mut self.text);
                self.gap();
                self.lines.extend(text.lines().map(|line| PageLine::Code(format!("    {line}"))));
                self.code = false;
            }
            TagEnd::List(_) => {
                self.end_block();
                self.lists.pop();
            }
            TagEnd::Emphasis => self.text.push('*'),
            TagEnd::Image => self.image = false,
            TagEnd::Link => {
                let shown = self.link.take().filter(|link| !self.text.ends_with(link.as_str()));
                self.text.extend(shown.map(|link| format!(" ({link})")));
            }
            TagEnd::TableCell => self.row.push(std::mem::take(&mut self.text)),
            TagEnd::TableHead | TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    /// An empty line, unless there is one.
    fn gap(&mut self) {
        let empty = |line: &PageLine| matches!(line, PageLine::Text(text) if text.is_empty());
        if self.lines.last().is_some_and(|line| !empty(line)) {
            self.lines.push(PageLine::Text(String::new()));
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return;
        }
        let depth = self.lists.len();
        let indent = "  ".repeat(depth);
        let mark = self.mark.take();
        // Items stand close together; all else has an empty line before it.
        if mark.is_none() || depth == 0 || std::mem::take(&mut self.list_begins) {
            self.gap();
        }
        let indent = mark
            .as_ref()
            .map_or(indent.clone(), |mark| " ".repeat(indent.len().saturating_sub(2) + mark.len()));
        let mut lines = wrap(&text, &indent);
        if let (Some(mark), Some(first)) = (mark, lines.first_mut()) {
            let at = indent.len() - mark.len();
            first.replace_range(at..indent.len(), &mark);
        }
        self.lines.extend(lines.into_iter().map(PageLine::Text));
    }

    /// In columns if they fit; else each row as its first cells, with the last one below.
    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        self.gap();
        if rows.first().is_some_and(|head| head.iter().all(String::is_empty)) {
            rows.remove(0);
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max())
            .map(Option::unwrap_or_default)
            .collect();
        let before: usize =
            widths.iter().take(columns.saturating_sub(1)).map(|wide| wide + 2).sum();
        let fits = before <= LAST_COLUMN || before + widths.last().unwrap_or(&0) <= WIDTH;
        for (at, row) in rows.iter().enumerate() {
            let Some((last, first)) = row.split_last() else { continue };
            if fits {
                let mut start = String::new();
                for (cell, wide) in first.iter().zip(&widths) {
                    start.push_str(cell);
                    start.extend(std::iter::repeat_n(' ', wide + 2 - cell.width()));
                }
                self.hang(&start, last);
            } else {
                let first: Vec<&str> =
                    first.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
                self.lines.push(PageLine::Text(first.join(" · ")));
                self.hang("    ", last);
            }
            if at == 0 && rows.len() > 1 && !fits {
                self.gap();
            }
        }
        self.gap();
    }

    /// The text behind what its first line begins with.
    fn hang(&mut self, start: &str, text: &str) {
        let indent = " ".repeat(start.width());
        let mut lines = wrap(text, &indent).into_iter();
        let first = lines.next().unwrap_or_default();
        let first = format!("{start}{}", first.trim_start());
        self.lines.push(PageLine::Text(first.trim_end().to_owned()));
        self.lines.extend(lines.map(PageLine::Text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> String {
        let text = |line: PageLine| match line {
            PageLine::Heading(text) | PageLine::Code(text) | PageLine::Text(text) => text,
        };
        page_lines(markdown).into_iter().map(text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_page_is_read_without_its_markup() {
        let page = "# Files\n\nA *workspace* is a\nfolder; see [keys](keys.md) and [it](https://e.org).\n\n\
                    * one `x`\n* two\n\n```sh\na  b\n```\n\n<!-- no -->\n![none](a.svg)\n";
        let wanted = "Files\n\nA *workspace* is a folder; see keys and it (https://e.org).\n\n\
                      - one x\n- two\n\n    a  b";
        assert_eq!(shown(page), wanted);
    }

    #[test]
    fn a_table_has_columns_where_they_fit_and_else_its_last_cell_below() {
        let page = "| a | b |\n| --- | --- |\n| `x` | one |\n";
        assert_eq!(shown(page).trim_end(), "a  b\nx  one");
        let long = "w".repeat(60);
        let page = format!("| a | b |\n| --- | --- |\n| {long} | {} |\n", "one ".repeat(20));
        let lines = shown(&page);
        assert!(lines.contains(&format!("{long}\n    one one")), "{lines}");
        assert!(lines.lines().all(|line| line.width() <= WIDTH), "{lines}");
    }
}
