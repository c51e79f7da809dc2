//! The right pane: what a resource or a prompt holds, part by part.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        input::{Code, Input, Key},
        resources::ReadReport,
    },
    model::{content_part::ContentPart, server_item::ItemContent, size},
    schema::count::count_text,
    ui::{
        answer::rendered::face_role,
        canvas::{Pen, inset_area, mark_chosen, text_width},
        images::{LaidImage, MOST_DRAWN, image_parts},
        styles::Role,
        view::{Look, Reply},
        widgets::{
            find_line::draw_find_line,
            markdown,
            pane::Pane,
            reading::{Line, ReadPosition, json_lines, wrapped_lines},
            tabs::Tabs,
            text_input::TextInput,
        },
    },
};

/// So much of a text is shown; all of it is saved and copied.
const LONGEST: usize = 512 * 1024;

const VIEWS: [&str; 2] = ["Content", "JSON"];
const JSON: usize = 1;

#[derive(Default)]
pub(super) struct ContentPane {
    tabs: Tabs,
    position: ReadPosition,
    /// The lines of what is shown, made once for a width and a view.
    lines: Option<ContentLines>,
    find: Option<TextInput>,
    found: FoundLines,
}

/// The lines that hold what is looked for.
#[derive(Default)]
struct FoundLines {
    query: String,
    lines: Vec<usize>,
    /// The one that was gone to, among them.
    at: usize,
}

struct ContentLines {
    content: Arc<ItemContent>,
    cells: usize,
    view: usize,
    /// Images, by the numbers of their parts.
    images: Vec<(usize, LaidImage)>,
    lines: Vec<Line>,
    /// The lines that images begin in.
    tops: Vec<usize>,
}

impl ContentPane {
    pub(super) fn show_start(&mut self) {
        self.position = ReadPosition::default();
    }

    /// Another item is shown.
    pub(super) fn leave(&mut self) {
        self.close_find();
        self.show_start();
    }

    /// There is nothing to be found.
    pub(super) fn close_find(&mut self) {
        self.find = None;
    }

    pub(super) fn next_view(&mut self) {
        self.tabs.at = (self.tabs.at + 1) % VIEWS.len();
        self.show_start();
    }

    pub(super) fn is_finding(&self) -> bool {
        self.find.is_some()
    }

    /// Opens the find box with what was looked for last.
    pub(super) fn open_find(&mut self) {
        self.find = Some(TextInput::selected_whole(self.found.query.clone()));
        self.search();
    }

    /// Finds the lines again, and goes to the first one from where the reader is.
    fn search(&mut self) {
        let query = self.find.as_ref().map_or("", |find| find.text()).to_lowercase();
        let lines = self.lines.as_ref().map_or(&[][..], |made| &made.lines);
        let lines = if query.is_empty() { Vec::new() } else { lines_with(lines, &query) };
        let from = self.position.top();
        let at = lines.iter().position(|line| *line >= from).unwrap_or_default();
        self.found = FoundLines { query, lines, at };
        self.go_to_found();
    }

    fn go_to_found(&mut self) {
        if let Some(line) = self.found.lines.get(self.found.at) {
            self.position.reveal(*line);
        }
    }

    fn find_key(&mut self, key: Key) -> Reply {
        let Some(find) = &mut self.find else { return Reply::Ignored };
        let count = self.found.lines.len();
        match key.code {
            Code::Esc => self.find = None,
            Code::Enter | Code::Down | Code::Up if count > 0 => {
                let step = if key.code == Code::Up { count - 1 } else { 1 };
                self.found.at = (self.found.at + step) % count;
                self.go_to_found();
            }
            Code::Enter | Code::Down | Code::Up => {}
            _ if find.handle_key(key) => self.search(),
            _ => return Reply::Ignored,
        }
        match self.is_finding() && self.found.lines.is_empty() && !self.found.query.is_empty() {
            true => Reply::Refused(format!("\"{}\" not found", self.found.query)),
            false => Reply::Handled,
        }
    }

    /// What is copied: its name, and the text.
    pub(super) fn copied_text(&self, content: &ItemContent) -> (&'static str, String) {
        if self.tabs.at == JSON {
            return ("the answer", pretty_json(content));
        }
        let texts: Vec<&str> =
            content.parts.iter().filter_map(|part| part.text.as_deref()).collect();
        ("the text", texts.join("\n"))
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        (report, updates): (Option<&ReadReport>, Option<u64>),
        focused: bool,
    ) {
        let title = match report {
            Some(ReadReport::Done(content)) => format!("Content · {} ms", content.took_ms),
            _ => "Content".to_owned(),
        };
        let note = updates.map_or_else(String::new, |updates| {
            format!("followed, {}", count_text(updates, "change", "changes"))
        });
        let pane = Pane { title: &title, note: &note, focused, ..Pane::default() };
        let inside = pane.draw(buffer, area, look.styles);
        let names = VIEWS.map(str::to_owned);
        self.tabs.draw(buffer, Rect { height: 1, ..inside }, &names, "", look.styles);
        let text =
            inset_area(Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside });
        look.mouse.reads(text);
        let cells = usize::from(text.width);
        let words = match report {
            Some(ReadReport::Done(content)) => {
                self.make_lines(content, text, look);
                let text = self.draw_find(buffer, text, look, focused);
                self.draw_content(buffer, text, look);
                return self.mark_found(buffer, look, focused);
            }
            None => {
                let key = look.keymap.way_to("read-item");
                wrapped_lines(&format!("{key} reads it."), Role::Ghost, cells)
            }
            Some(ReadReport::UnderWay) => wrapped_lines("◐ reading …", Role::Warning, cells),
            Some(ReadReport::Failed(problem)) => {
                let mut lines = wrapped_lines(&format!("✗ {}", problem.cause), Role::Error, cells);
                lines.extend(wrapped_lines(&problem.remedy, Role::Info, cells));
                lines
            }
        };
        self.position.draw(buffer, text, look.styles, &words);
    }

    /// Draws the lines, and images over those that are kept free for them.
    fn draw_content(&mut self, buffer: &mut Buffer, text: Rect, look: Look<'_>) {
        let Some(made) = &self.lines else { return };
        self.position.settle(text, made.lines.len());
        let images = made.images.iter().map(|(_, image)| image).zip(&made.tops);
        for (image, top) in images {
            if let Some(images) = look.images {
                let view = (text, self.position.top());
                images.draw(buffer, look.styles, view, (image, *top));
            }
        }
        self.position.draw(buffer, text, look.styles, &made.lines);
    }

    fn make_lines(&mut self, content: &Arc<ItemContent>, text: Rect, look: Look<'_>) {
        let (view, cells) = (self.tabs.at, usize::from(text.width));
        // The lines that say what an image is stay in sight.
        let room = (text.width, text.height.saturating_sub(3));
        let drawn = look.images.filter(|_| view != JSON);
        let images = drawn.map_or_else(Vec::new, |images| {
            let parts = image_parts(&content.parts).take(MOST_DRAWN);
            parts.map(|(at, image)| (at, images.lay(&image.file, room))).collect()
        });
        let is_made = |made: &&ContentLines| {
            Arc::ptr_eq(&made.content, content)
                && made.cells == cells
                && made.view == view
                && made.images == images
        };
        if self.lines.as_ref().filter(is_made).is_some() {
            return;
        }
        let (lines, tops) = match view {
            JSON => (cut_text(&pretty_json(content), |text| json_lines(text, cells)), Vec::new()),
            _ => content_lines(content, cells, &images),
        };
        let content = Arc::clone(content);
        self.lines = Some(ContentLines { content, cells, view, images, lines, tops });
        if self.is_finding() {
            self.search();
        }
    }

    /// Draws the find box with how much was found; answers the area below.
    fn draw_find(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        focused: bool,
    ) -> Rect {
        let Some(find) = &mut self.find else { return area };
        let count = self.found.lines.len();
        let words = match (count, self.found.query.is_empty()) {
            (_, true) => String::new(),
            (0, _) => " not found".to_owned(),
            _ => format!(" {} of {count}", self.found.at + 1),
        };
        let beside = u16::try_from(text_width(&words)).unwrap_or_default().min(area.width / 2);
        let field = Rect { width: area.width - beside, ..area };
        let below = draw_find_line(buffer, field, find, look.styles, focused);
        let note = Rect { x: field.right(), width: beside, height: 1, ..area };
        Pen::new(buffer, note, 0).put_text(&words, look.styles[Role::Dim]);
        Rect { width: area.width, ..below }
    }

    /// Marks the line that was gone to.
    fn mark_found(&self, buffer: &mut Buffer, look: Look<'_>, focused: bool) {
        let line = self.found.lines.get(self.found.at).filter(|_| self.is_finding());
        if let Some(area) = line.and_then(|line| self.position.line_area(*line)) {
            mark_chosen(buffer, area, 0, look.styles, focused);
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> Reply {
        match input {
            Input::Key(key) if self.is_finding() => return self.find_key(*key),
            Input::Paste(text) if self.is_finding() => {
                if let Some(find) = &mut self.find {
                    find.insert(text);
                }
                self.search();
                return Reply::Handled;
            }
            Input::Mouse(mouse) => {
                if self.find.as_mut().is_some_and(|find| find.handle_mouse(*mouse)) {
                    return Reply::Handled;
                }
                if self.tabs.handle_mouse(*mouse) {
                    self.show_start();
                    return Reply::Handled;
                }
            }
            _ => {}
        }
        if self.position.handle_input(input) { Reply::Handled } else { Reply::Ignored }
    }
}

/// The lines that hold a text in small letters; one that a text goes on from into the next counts.
fn lines_with(lines: &[Line], query: &str) -> Vec<usize> {
    let text = |line: &Line| {
        let pieces = line.iter().map(|(_, piece)| piece.as_str());
        pieces.collect::<String>().to_lowercase()
    };
    let mut found = Vec::new();
    let mut next = lines.first().map(text);
    for row in 0..lines.len() {
        let here = next.take().unwrap_or_default();
        next = lines.get(row + 1).map(text);
        let goes_on = || {
            let begins = |mut both: String, next: &str| {
                both.push_str(next);
                both.find(query).is_some_and(|at| at < here.trim_end().len())
            };
            let next = next.as_deref()?.trim_start();
            // Between words, or within a long one.
            let spaced = format!("{} ", here.trim_end());
            Some(!next.contains(query) && (begins(spaced, next) || begins(here.clone(), next)))
        };
        if here.contains(query) || goes_on() == Some(true) {
            found.push(row);
        }
    }
    found
}

fn pretty_json(content: &ItemContent) -> String {
    serde_json::to_string_pretty(&content.result).unwrap_or_default()
}

/// All parts, what is wrong with them first; and the lines that images begin in.
fn content_lines(
    content: &ItemContent,
    cells: usize,
    images: &[(usize, LaidImage)],
) -> (Vec<Line>, Vec<usize>) {
    let (mut lines, mut tops) = (Vec::new(), Vec::new());
    for words in &content.faults {
        lines.extend(wrapped_lines(&format!("⚠ {words}"), Role::Warning, cells));
    }
    if let Some(description) = &content.description {
        lines.extend(wrapped_lines(description, Role::Info, cells));
    }
    for (at, part) in content.parts.iter().enumerate() {
        if !lines.is_empty() {
            lines.push(Line::new());
        }
        lines.extend(part_lines(part, cells));
        if let Some((_, image)) = images.iter().find(|(of, _)| *of == at) {
            lines.extend(wrapped_lines(&image.words, image.role, cells));
            tops.push(lines.len());
            lines.extend(std::iter::repeat_n(Line::new(), image.rows()));
        }
    }
    if content.parts.is_empty() {
        lines.extend(wrapped_lines("It is empty.", Role::Ghost, cells));
    }
    (lines, tops)
}

fn part_lines(part: &ContentPart, cells: usize) -> Vec<Line> {
    let notes = part.notes.iter().map(|note| format!(" · {note}")).collect::<String>();
    let words = format!("{} {}{notes}", part.source, part.summary());
    let mut lines = wrapped_lines(words.trim_start(), Role::Heading, cells);
    if let Some(uri) = &part.link {
        lines.extend(wrapped_lines(
            &format!("→ {uri}  (“parts…” in . reads it)"),
            Role::Info,
            cells,
        ));
    }
    match &part.text {
        Some(text) if part.is_markdown() => {
            lines.extend(cut_text(text, |text| markdown_lines(text, cells)));
        }
        Some(text) if part.is_json() => {
            lines.extend(cut_text(text, |text| json_lines(text, cells)));
        }
        Some(text) => {
            lines.extend(cut_text(text, |text| wrapped_lines(text, Role::Text, cells)));
        }
        None => {
            let words = match (part.viewed_ending(), &part.bytes) {
                (Some(_), _) => "o opens it with the system's program, s saves it.",
                (None, Some(_)) => "s saves it.",
                (None, None) => "Its bytes can't be read.",
            };
            lines.extend(wrapped_lines(words, Role::Dim, cells));
        }
    }
    lines
}

fn markdown_lines(text: &str, cells: usize) -> Vec<Line> {
    let rendered = markdown::render_lines(text, cells).into_iter();
    let line = |pieces: markdown::Line| {
        pieces.into_iter().map(|(face, piece)| (face_role(face), piece)).collect()
    };
    rendered.map(line).collect()
}

/// The lines of a text, up to what can be shown of it.
fn cut_text(text: &str, lines: impl Fn(&str) -> Vec<Line>) -> Vec<Line> {
    if text.len() <= LONGEST {
        return lines(text);
    }
    let mut shown = lines(&text[..text.floor_char_boundary(LONGEST)]);
    let most = size::format_size(LONGEST as u64);
    shown.push(vec![(Role::Warning, format!("… {most} are shown; s saves all of it"))]);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_a_line_and_where_it_is_broken() {
        let lines: Vec<Line> = ["The Blob is", "here, and a blo", "b is", "", "not blobs"]
            .map(|line| {
                vec![
                    (Role::Text, line[..line.len() / 2].to_owned()),
                    (Role::Dim, line[line.len() / 2..].to_owned()),
                ]
            })
            .into();
        assert_eq!(lines_with(&lines, "blob"), [0, 1, 4]);
        assert_eq!(lines_with(&lines, "is here"), [0]);
        assert_eq!(lines_with(&lines, "nothing"), Vec::<usize>::new());
    }
}
