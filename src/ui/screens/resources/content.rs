//! The right pane: what a resource or a prompt holds, part by part.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{input::Input, resources::ReadReport},
    model::{content_part::ContentPart, server_item::ItemContent, size},
    schema::count::count_text,
    ui::{
        answer::rendered::face_role,
        canvas::inset_area,
        styles::Role,
        view::Look,
        widgets::{
            markdown,
            pane::Pane,
            reading::{Line, ReadPosition, json_lines, wrapped_lines},
            tabs::Tabs,
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
}

struct ContentLines {
    content: Arc<ItemContent>,
    cells: usize,
    view: usize,
    lines: Vec<Line>,
}

impl ContentPane {
    pub(super) fn show_start(&mut self) {
        self.position = ReadPosition::default();
    }

    pub(super) fn next_view(&mut self) {
        self.tabs.at = (self.tabs.at + 1) % VIEWS.len();
        self.show_start();
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
                self.make_lines(content, cells);
                let lines = self.lines.as_ref().map_or(&[][..], |made| &made.lines);
                return self.position.draw(buffer, text, look.styles, lines);
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

    fn make_lines(&mut self, content: &Arc<ItemContent>, cells: usize) {
        let view = self.tabs.at;
        let is_made = |made: &&ContentLines| {
            Arc::ptr_eq(&made.content, content) && made.cells == cells && made.view == view
        };
        if self.lines.as_ref().filter(is_made).is_some() {
            return;
        }
        let lines = match view {
            JSON => cut_text(&pretty_json(content), |text| json_lines(text, cells)),
            _ => content_lines(content, cells),
        };
        self.lines = Some(ContentLines { content: Arc::clone(content), cells, view, lines });
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> bool {
        if let Input::Mouse(mouse) = input
            && self.tabs.handle_mouse(*mouse)
        {
            self.show_start();
            return true;
        }
        self.position.handle_input(input)
    }
}

fn pretty_json(content: &ItemContent) -> String {
    serde_json::to_string_pretty(&content.result).unwrap_or_default()
}

/// All parts, what is wrong with them first.
fn content_lines(content: &ItemContent, cells: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for words in &content.faults {
        lines.extend(wrapped_lines(&format!("⚠ {words}"), Role::Warning, cells));
    }
    if let Some(description) = &content.description {
        lines.extend(wrapped_lines(description, Role::Info, cells));
    }
    for part in &content.parts {
        if !lines.is_empty() {
            lines.push(Line::new());
        }
        lines.extend(part_lines(part, cells));
    }
    if content.parts.is_empty() {
        lines.extend(wrapped_lines("It is empty.", Role::Ghost, cells));
    }
    lines
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
