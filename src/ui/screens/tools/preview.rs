//! The right pane of Tools: the file as it will be saved, JSON, what a model sees, problems.

mod fixes;
mod problems;

use std::{borrow::Cow, collections::HashMap, ops::Range, sync::Arc};

use ratatui::{Frame, layout::Rect};
use serde_json::Map;

use super::samples::SamplesPane;
use crate::{
    app::{
        documents::Document,
        input::{Code, Input},
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::mask::Mask,
    model::{entry::EntryId, merging::Merging, tool::Tool},
    schema::pointer::Pointer,
    syntax::{lines::Lines, shared_text::SharedText},
    systems::{model_text, table},
    ui::{
        canvas::Pen,
        styles::Role,
        view::{Look, Reply},
        widgets::{
            code,
            find_line::{FIND_KEYS, TEXT_KEYS, draw_find_line},
            list::ListCursor,
            pane::{Pane, draw_foot},
            panes::Step,
            tabs::Tabs,
            text_input::TextInput,
            text_view::wrap_rows,
        },
    },
};

const FILE: usize = 0;
const JSON: usize = 1;
const MODEL: usize = 2;
const PROBLEMS: usize = 3;
/// Only of entries that have something to try.
const TRY: usize = 4;

#[derive(Default)]
pub(super) struct Preview {
    tabs: Tabs,
    pub(super) samples: SamplesPane,
    lines: ListCursor,
    problems: problems::Problems,
    find: Option<TextInput>,
    area: Rect,
    cache: Option<Cache>,
    /// Long lines are cut at the edge.
    is_cut: bool,
    /// The texts that the form masks, which are masked here as well.
    secrets: Vec<String>,
    mask: Mask,
}

/// The lines of what is shown, kept while that stays the same.
struct Cache {
    of: (usize, u64, Option<EntryId>, String, Vec<(String, String)>),
    text: SharedText,
    /// Shared with the file as it was read, where that is what is shown.
    lines: Lines,
    rows: usize,
    /// What the text was compared with, and the rows in which it differs.
    saved: Option<Arc<str>>,
    changed: Vec<usize>,
    first: usize,
    /// Drawn rows that have secrets, masked; `None`: the row has none.
    masked: HashMap<usize, Option<String>>,
    /// How many values the masks knew then.
    masked_by: usize,
}

impl Cache {
    /// The row as it is drawn: without secrets, once `mask_rows` has seen it.
    fn line_text(&self, row: usize) -> &str {
        match self.masked.get(&row) {
            Some(Some(masked)) => masked,
            _ => self.lines.line_text(&self.text, row),
        }
    }

    fn mask_rows(&mut self, rows: Range<usize>, masks: [&Mask; 2]) {
        let known = masks.iter().map(|mask| mask.value_count()).sum();
        if std::mem::replace(&mut self.masked_by, known) != known {
            self.masked.clear();
        }
        let rows: Vec<usize> = rows.filter(|row| !self.masked.contains_key(row)).collect();
        for row in rows {
            let line = self.lines.line_text(&self.text, row);
            let masked =
                masks.iter().fold(Cow::Borrowed(line), |line, mask| match mask.mask_text(&line) {
                    Cow::Owned(masked) => Cow::Owned(masked),
                    Cow::Borrowed(_) => line,
                });
            let masked = match masked {
                Cow::Owned(masked) => Some(masked),
                Cow::Borrowed(_) => None,
            };
            self.masked.insert(row, masked);
        }
    }
}

/// Where the keys go while the preview is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus<'p> {
    Here,
    /// A field of the form, whose line is to be in view.
    Field(&'p Pointer),
    Elsewhere,
}

impl Preview {
    pub(super) fn next_view(&mut self) {
        self.tabs.at = (self.tabs.at + 1) % self.tab_count();
        self.find = None;
    }

    /// Wraps long lines, or cuts them; why there are none to wrap.
    pub(super) fn toggle_wrap(&mut self) -> Reply {
        if self.tabs.at >= PROBLEMS {
            return Reply::Refused("this view has no long lines".into());
        }
        self.is_cut = !self.is_cut;
        Reply::hint(if self.is_cut { "Long lines are cut" } else { "Long lines are wrapped" })
    }

    fn tab_count(&self) -> usize {
        if self.samples.is_open() { TRY + 1 } else { TRY }
    }

    /// Whether what models see is shown, where the application doesn't know it yet.
    pub(super) fn due_message(&self, state: &State) -> Option<Message> {
        let is_shown = self.tabs.at == MODEL;
        (state.model_page.is_shown != is_shown)
            .then_some(Message::Document(DocumentMessage::ShowModel(is_shown)))
    }

    /// Shows the samples of the chosen entry.
    pub(super) fn show_samples(&mut self) {
        self.tabs.at = TRY;
        self.find = None;
    }

    /// Whether the samples are shown.
    pub(super) fn has_samples_open(&self) -> bool {
        self.tabs.at == TRY
    }

    pub(super) fn open_find(&mut self) {
        match self.tabs.at {
            PROBLEMS => self.problems.open_find(),
            at if at < PROBLEMS => self.find = Some(TextInput::default()),
            _ => {}
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        let is_finding = match self.tabs.at {
            PROBLEMS => self.problems.is_typing(),
            _ => self.find.is_some(),
        };
        is_finding || self.has_samples_open() && self.samples.form().is_typing()
    }

    /// The keys of the find line while it is open.
    pub(super) fn find_keys(&self) -> Vec<(&'static str, &'static str)> {
        match self.tabs.at {
            PROBLEMS if self.problems.is_typing() => FIND_KEYS.to_vec(),
            PROBLEMS if self.problems.is_narrowed() => vec![("Esc", "all problems")],
            at if at < PROBLEMS && self.find.is_some() => TEXT_KEYS.to_vec(),
            _ => Vec::new(),
        }
    }

    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focus: Focus<'_>,
    ) {
        let styles = look.styles;
        let (focused, at) =
            (focus == Focus::Here, if let Focus::Field(at) = focus { Some(at) } else { None });
        let inside =
            Pane { title: "", note: "", foot: "", focused }.draw(frame.buffer_mut(), area, styles);
        let head =
            Rect { x: area.x + 1, y: area.y, width: area.width.saturating_sub(2), height: 1 };
        let names = tab_names(state, self.problems.len(state), self.samples.is_open());
        self.tabs.draw(frame.buffer_mut(), head, &names, "", styles);
        self.area = inside;
        if self.tabs.at != TRY {
            look.mouse.reads(inside);
        }
        match self.tabs.at {
            TRY => self.samples.draw(frame.buffer_mut(), inside, look, focused),
            PROBLEMS => {
                self.problems.draw(frame.buffer_mut(), inside, look, state, focused);
            }
            _ => self.draw_text(frame, inside, look, state, at),
        }
        let foot = match self.tabs.at {
            TRY => Some(self.samples.form().position()),
            PROBLEMS => self.problems.position_text(state),
            MODEL if state.model_page.is_under_way() => Some("rendering…".to_owned()),
            _ => self.lines.position_text(self.row_count()),
        };
        draw_foot(&foot.unwrap_or_default(), frame.buffer_mut(), area, styles);
    }

    fn row_count(&self) -> usize {
        self.cache.as_ref().map_or(0, |cache| cache.rows)
    }

    /// Masks what the form of the entry masks.
    pub(super) fn hide_secrets(&mut self, secrets: Vec<String>) {
        if self.secrets == secrets {
            return;
        }
        self.mask = Mask::new(secrets.iter().cloned());
        self.secrets = secrets;
        if let Some(cache) = &mut self.cache {
            cache.masked.clear();
        }
    }

    /// Takes in what the view shows.
    pub(super) fn sync_state(&mut self, state: &State) {
        self.problems.sync_state(state);
        if self.tabs.at >= self.tab_count() {
            self.tabs.at = FILE;
        }
        if self.tabs.at >= PROBLEMS {
            return;
        }
        let of = (
            self.tabs.at,
            // Both only grow.
            state.generation + state.model_page.revision(),
            state.selected.clone(),
            state.connection_here().name,
            state.invoke.samples.clone(),
        );
        if self.cache.as_ref().is_some_and(|cache| cache.of == of) {
            return;
        }
        let moved =
            self.cache.as_ref().is_none_or(|cache| (cache.of.0, &cache.of.2) != (of.0, &of.2));
        let entry = state.selected_entry();
        let document = entry.and_then(|entry| state.documents.get(entry.id.file()));
        let text: SharedText = match self.tabs.at {
            FILE => document.map(|document| document.text.clone()).unwrap_or_default(),
            JSON => entry
                .map(|entry| serde_json::to_string_pretty(&*entry.value).unwrap_or_default().into())
                .unwrap_or_default(),
            _ => model_page(state).into(),
        };
        let document = document.filter(|_| self.tabs.at == FILE);
        let saved = document.and_then(|document| document.saved.clone());
        let known = self.cache.take().filter(|cache| cache.text.is_same(&text));
        let mut masks = (HashMap::new(), 0);
        let (lines, was, changed) = match known {
            Some(Cache { lines, saved, changed, masked, masked_by, .. }) => {
                masks = (masked, masked_by);
                (lines, Some(saved), changed)
            }
            None => {
                let source = document.and_then(|document| document.source.as_ref().ok());
                (
                    source.map_or_else(
                        || Lines::new(text.whole_text()),
                        |source| source.lines().clone(),
                    ),
                    None,
                    Vec::new(),
                )
            }
        };
        let is_compared = match (&was, &saved) {
            (Some(Some(was)), Some(saved)) => Arc::ptr_eq(was, saved),
            (Some(None), None) => true,
            _ => false,
        };
        let changed = if is_compared {
            changed
        } else {
            document.map(Document::changed_rows).unwrap_or_default()
        };
        let first = if self.tabs.at == FILE {
            entry.map_or(0, |entry| entry.line.saturating_sub(1))
        } else {
            0
        };
        if moved {
            self.lines = ListCursor::near_top(first);
        }
        let rows = lines.line_count(text.len());
        let (masked, masked_by) = masks;
        self.cache =
            Some(Cache { of, text, lines, rows, saved, changed, first, masked, masked_by });
    }

    fn draw_text(
        &mut self,
        frame: &mut Frame<'_>,
        inside: Rect,
        look: Look<'_>,
        state: &State,
        at: Option<&Pointer>,
    ) {
        let styles = look.styles;
        let buffer = frame.buffer_mut();
        let mut area = inside;
        if let Some(find) = &mut self.find {
            area = draw_find_line(buffer, inside, find, styles, true);
        }
        let Some(cache) = &mut self.cache else { return };
        let needle = self.find.as_ref().map(|find| find.text().to_lowercase()).unwrap_or_default();
        // The line of the field that has the keys is kept in view.
        let here = at.filter(|_| self.tabs.at == FILE).and_then(|pointer| row_of(pointer, state));
        if let Some(row) = here {
            self.lines.row = row;
        }
        let digits = cache.rows.to_string().len().max(2);
        // The window is among these, however its lines wrap.
        let (row, most) = (self.lines.row.min(cache.rows), usize::from(area.height));
        let near = row.saturating_sub(most)..(row + most).min(cache.rows);
        cache.mask_rows(near, [&state.mask, &self.mask]);
        let cache = &*cache;
        let margin = if self.tabs.at == FILE { digits + 2 } else { 1 };
        let cells = usize::from(area.width).saturating_sub(margin).max(1);
        let parts = |row: usize| -> Vec<Range<usize>> {
            let text = cache.line_text(row);
            if self.is_cut || text.len() <= cells {
                return std::iter::once(0..text.len()).collect();
            }
            wrap_rows(text, cells)
        };
        let window = self.lines.visible_tall_rows(cache.rows, |row| parts(row).len(), area.height);
        let mut line = 0;
        // Of the row behind those as much as there is room for.
        for row in window.start..cache.rows {
            let changed = cache.changed.binary_search(&row).is_ok();
            let text = cache.line_text(row);
            let is_first = row == cache.first && self.tabs.at == FILE;
            let role = if here.map_or(is_first, |here| here == row) {
                Role::Accent
            } else {
                Role::LineNumber
            };
            let hit = !needle.is_empty() && text.to_lowercase().contains(&needle);
            for (part, range) in parts(row).into_iter().enumerate() {
                // What hangs over the edge is not written, or the row would look cut.
                let range = range.start..range.start + text[range].trim_end().len();
                if line >= area.height {
                    return;
                }
                let mut pen = Pen::new(buffer, area, line);
                pen.put_text(if changed { "▌" } else { " " }, styles[Role::Changed]);
                if self.tabs.at == FILE {
                    let number = if part == 0 { (row + 1).to_string() } else { String::new() };
                    pen.put_text(&format!("{number:>digits$} "), styles[role]);
                }
                let mut at = 0;
                for (role, piece) in code::highlight_line(text) {
                    let seen = range.start.max(at)..range.end.min(at + piece.len());
                    if !seen.is_empty() {
                        let style = styles[if hit { Role::Match } else { role }];
                        pen.put_text(&text[seen], style);
                    }
                    at += piece.len();
                }
                line += 1;
            }
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        if let Input::Mouse(mouse) = input
            && self.tabs.handle_mouse(*mouse)
        {
            return Reply::Handled;
        }
        if self.has_samples_open() {
            return self.samples.form_mut().input(input, state);
        }
        match input {
            Input::Key(key) if self.find.is_some() => return self.find_key(*key),
            Input::Key(key) if self.tabs.at == PROBLEMS && self.problems.is_typing() => {
                return self.problems.handle_key(*key, state).unwrap_or(Reply::Ignored);
            }
            Input::Key(key) if key.is_plain(Code::Left) || key.is_plain(Code::Right) => {
                let tabs = self.tab_count();
                let step = if key.code == Code::Left { tabs - 1 } else { 1 };
                self.tabs.at = (self.tabs.at + step) % tabs;
            }
            Input::Key(key) if self.tabs.at == PROBLEMS => {
                return self.problems.handle_key(*key, state).unwrap_or(Reply::Ignored);
            }
            Input::Key(key) => {
                let rows = self.row_count();
                if !self.lines.handle_key(*key, rows) {
                    return Reply::Ignored;
                }
            }
            Input::Mouse(mouse) => {
                if self.tabs.at == PROBLEMS {
                    return self.problems.handle_mouse(*mouse, state);
                } else {
                    let rows = self.row_count();
                    self.lines.handle_mouse(*mouse, self.area, rows);
                }
            }
            Input::Paste(text) if self.tabs.at == PROBLEMS => self.problems.paste(text),
            Input::Paste(text) => {
                if let Some(find) = &mut self.find {
                    find.insert(text);
                }
            }
        }
        Reply::Handled
    }

    fn find_key(&mut self, key: crate::app::input::Key) -> Reply {
        match key.code {
            Code::Esc => self.find = None,
            Code::Enter | Code::Down => self.go_to_hit(Step::Next),
            Code::Up => self.go_to_hit(Step::Previous),
            _ => {
                let Some(find) = &mut self.find else { return Reply::Ignored };
                if !find.handle_key(key) {
                    return Reply::Ignored;
                }
                self.lines.row = self.lines.row.saturating_sub(1);
                self.go_to_hit(Step::Next);
            }
        }
        Reply::Handled
    }

    /// Goes to the next line that holds what is looked for, or to the one before; beyond the last one
    /// it begins at the other end.
    fn go_to_hit(&mut self, step: Step) {
        let (Some(find), Some(cache)) = (&self.find, &self.cache) else { return };
        let needle = find.text().to_lowercase();
        let rows = cache.rows;
        let is_hit = |row: &usize| cache.line_text(*row).to_lowercase().contains(&needle);
        let here = self.lines.row;
        let below = |lines: usize| (here + lines) % rows.max(1);
        let hit = match step {
            Step::Next => (1..=rows).map(below).find(is_hit),
            Step::Previous => (0..rows).rev().map(below).find(is_hit),
        };
        self.lines.row = hit.unwrap_or(here);
    }

    pub(super) fn next_problem(&mut self, state: &State) -> Reply {
        if self.tabs.at == PROBLEMS {
            self.problems.choose_next(state);
        }
        self.tabs.at = PROBLEMS;
        match self.problems.chosen(state) {
            Some(finding) if finding.site.entry.is_none() => fixes::say_finding(finding),
            _ => self.problems.go_to_chosen(state),
        }
    }

    /// Lists the health of the tools in Problems, or no more.
    pub(super) fn toggle_health(&mut self, state: &State) -> Reply {
        let is_shown = !state.health.is_shown();
        if is_shown {
            self.tabs.at = PROBLEMS;
        }
        Reply::send(Message::Document(DocumentMessage::ShowHealth(is_shown)))
    }

    /// Whether no list shows which problem is meant.
    fn lists_no_problems(&self, state: &State) -> bool {
        state.keymap.is_in_words() || self.tabs.at != PROBLEMS
    }

    pub(super) fn fix_refusal(&self, state: &State) -> Option<String> {
        if self.lists_no_problems(state) {
            return fixes::refusal_here(state);
        }
        self.problems.fix_refusal(state)
    }

    pub(super) fn fix_finding(&mut self, state: &State) -> Reply {
        match self.lists_no_problems(state) {
            true => fixes::fix_here(state),
            false => self.problems.fix(state),
        }
    }
}

fn tab_names(state: &State, listed: usize, has_samples: bool) -> Vec<String> {
    let file = state
        .selected
        .as_ref()
        .and_then(|id| state.documents.get(id.file()))
        .map_or("File", |document| document.format.name());
    let problems = match (state.findings.len(), listed) {
        (0, _) => "Problems".to_owned(),
        (all, listed) if listed < all => format!("Problems {listed} of {all}"),
        (all, _) => format!("Problems {all}"),
    };
    let file = if file == "JSON" { "File" } else { file };
    let mut names = vec![file.to_owned(), "JSON".into(), "Model".into(), problems];
    names.extend(has_samples.then(|| "Try".to_owned()));
    names
}

/// The file's row of a place within the chosen entry, counted from 0.
fn row_of(pointer: &Pointer, state: &State) -> Option<usize> {
    let place = state.selected.as_ref()?.place();
    let source = state.documents.get(&place.file)?.source.as_ref().ok()?;
    let within = match place.form {
        crate::model::entry::EntryForm::Plain => place.at.join(pointer),
        crate::model::entry::EntryForm::JsonText => place.at.clone(),
    };
    // A member that is not written yet is with its parent.
    let mut at = Some(within);
    while let Some(pointer) = at {
        if let Some(found) = source.find_place(place.document, &pointer) {
            return found.line.checked_sub(1);
        }
        at = pointer.parent();
    }
    None
}

/// The chosen tool as the APIs of models get it.
fn model_page(state: &State) -> String {
    let Some(tool) = state.selected_tool() else {
        return "# models only see tools, not services or servers".into();
    };
    let seen = match model_text::takes_long(tool) {
        true => state.model_page.text_of(tool.id()).unwrap_or_default().to_owned(),
        false => model_text::tool_text(tool, &state.catalog),
    };
    merging_text(tool, state) + &onward_text(tool, state) + &seen
}

/// What the tool's service makes of a call with the arguments typed in Invoke; without any, with a
/// word in the place of each.
fn onward_text(tool: &Tool, state: &State) -> String {
    let typed = state.arguments_of(tool.id()).as_object().cloned().unwrap_or_default();
    let names = || {
        table::arguments_schema(tool)["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let names: Vec<String> = names();
    let given = if typed.is_empty() {
        names.into_iter().map(|name| (name.clone(), format!("<{name}>").into())).collect()
    } else {
        typed
    };
    let Some(onward) = table::by_id(tool.entry.system)
        .and_then(|system| system.merge()?.preview_request(tool, &given))
    else {
        return String::new();
    };
    let lines = onward.unwrap_or_else(|fault| vec![format!("⚠ the service refuses it: {fault}")]);
    let lines: Vec<_> = lines.iter().map(|line| format!("# {line}\n")).collect();
    format!("# The request that its service makes of it\n{}\n", lines.concat())
}

/// What the tool gets where the model gives nothing; nothing is said where that is nothing.
fn merging_text(tool: &Tool, state: &State) -> String {
    let Some(merging) = state.merging_of(tool, &Map::new()).filter(Merging::is_at_work) else {
        return String::new();
    };
    let width = merging.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let mut text =
        "# What the tool receives if the model gives no arguments (Invoke shows it with \
        arguments)\n"
            .to_owned();
    for row in &merging.rows {
        text += &format!(
            "# {:width$}  {:<7}  {}\n",
            row.name,
            row.origin.as_str(),
            row.received_text()
        );
        let remark = row.remark();
        if !remark.is_empty() {
            text += &format!("# {:width$}           {remark}\n", "");
        }
    }
    for (name, value) in &merging.variables {
        text += &match value {
            Some(value) if state.sample_of(name).is_some() => {
                format!("# {{{name}}} is {value}, as a sample\n")
            }
            Some(value) => format!("# {{{name}}} is {value}, from the connection\n"),
            None => format!("# {{{name}}} is known when it is called\n"),
        };
    }
    for note in &merging.notes {
        text += &format!("# {note}\n");
    }
    text + "\n"
}
