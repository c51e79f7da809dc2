//! What a call says beside its arguments, in `_meta`: the form of the tool's configuration, that of
//! what its server wants to know of the user and the chat, and the whole as JSON.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Map, Value, json};

use super::parts::{MetaPart, Part, RequestPart};
use crate::{
    app::{calls::CallPart, edited_text::EditedText, state::State},
    model::{finding::Severity, tool::Tool},
    schema::{count::count_text, pointer::Pointer},
    systems::{
        calling,
        facets::call_meta::{MetaFault, MetaForms},
    },
    ui::{
        canvas::{Pen, inset_area, truncate_text, visible_text},
        form::{
            host::{FormHost, written_in},
            notes::Note,
            view::Form,
        },
        styles::{Role, Styles},
        view::Look,
    },
};

/// The forms of `_meta` below those of the arguments: a heading each, and one of them open.
#[derive(Default)]
pub(super) struct MetaSection {
    /// None: calls of the tool have no `_meta`.
    parts: Vec<MetaPart>,
    forms: Option<MetaForms>,
    open: Option<MetaPart>,
    host: FormHost<RequestPart>,
    /// What is typed, and its revision that all else here was made from.
    typed: Arc<Value>,
    revision: Option<u64>,
    faults: Vec<MetaFault>,
    headings: Vec<(MetaPart, Rect)>,
    area: Rect,
}

impl MetaSection {
    /// Takes in what the tool's server says that it takes.
    pub(super) fn sync_descriptor(&mut self, tool: &Tool) {
        if !calling::takes_meta(tool) {
            *self = Self::default();
            return;
        }
        let forms = calling::meta_forms(tool);
        if self.forms != forms {
            self.host = FormHost::default();
        }
        let configured = forms.as_ref().and_then(|forms| forms.configuration.as_ref());
        let configuration = configured.map(|form| MetaPart::Configuration(form.member));
        let has_context = forms.as_ref().is_some_and(|forms| !context_of(forms).is_empty());
        let is_closed = forms.as_ref().is_some_and(|forms| forms.is_closed);
        self.parts = configuration
            .into_iter()
            .chain(has_context.then_some(MetaPart::Context))
            .chain((!is_closed).then_some(MetaPart::Whole))
            .collect();
        self.open = self.open.filter(|part| self.parts.contains(part)).or(configuration);
        self.forms = forms;
        self.revision = None;
    }

    /// Takes in what is typed.
    pub(super) fn sync_state(&mut self, state: &State, tool: &Tool) {
        if self.parts.is_empty() {
            return;
        }
        let text = state.typed_text(tool.id(), CallPart::Meta);
        let revision = text.map_or(0, EditedText::revision);
        if self.revision != Some(revision) {
            self.revision = Some(revision);
            self.typed = state.value_of(tool.id(), CallPart::Meta);
            let members = self.typed.as_object().cloned().unwrap_or_default();
            self.faults = calling::meta_faults(tool, &members);
        }
        let Some(part) = self.open else { return self.host.hide() };
        let owner = RequestPart::new(tool.id().clone(), Part::Meta(part));
        let forms = self.forms.as_ref();
        self.host.show(owner, || new_form(part, forms));
        self.host.sync_surroundings(state);
        let value = self.value_for(part, &self.typed);
        let notes = self.notes_of(part);
        let Some(form) = self.host.outdated_form(revision) else { return };
        let source = text.map(EditedText::source);
        let base = match part {
            MetaPart::Configuration(member) => Pointer::root().child(member),
            MetaPart::Context | MetaPart::Whole => Pointer::root(),
        };
        form.sync_written(&value, &written_in(source, 0, &base));
        form.set_notes(notes);
    }

    /// What the form of a part holds of a `_meta`.
    fn value_for(&self, part: MetaPart, meta: &Arc<Value>) -> Arc<Value> {
        match part {
            MetaPart::Configuration(member) => {
                let set = meta.get(member).filter(|value| value.is_object());
                Arc::new(set.cloned().unwrap_or_else(|| json!({})))
            }
            MetaPart::Context => {
                let keys = self.forms.as_ref().map(context_of).unwrap_or_default();
                let of = |key: String| Some((key.clone(), meta.get(&key)?.clone()));
                Arc::new(Value::Object(keys.into_iter().filter_map(of).collect()))
            }
            MetaPart::Whole => Arc::clone(meta),
        }
    }

    /// Whether a fault is about what that part edits.
    fn is_of(&self, part: MetaPart, fault: &MetaFault) -> bool {
        let member = fault.at.tokens().first().map(String::as_str);
        let context = || self.forms.as_ref().map(context_of).unwrap_or_default();
        match part {
            MetaPart::Configuration(name) => member == Some(name),
            MetaPart::Context => context().iter().any(|key| member == Some(key)),
            MetaPart::Whole => {
                let others = self.parts.iter().filter(|part| **part != MetaPart::Whole);
                !others.into_iter().any(|part| self.is_of(*part, fault))
            }
        }
    }

    /// What is wrong with the whole; forms by a schema say it themselves.
    fn notes_of(&self, part: MetaPart) -> Vec<Note> {
        let faults = self.faults.iter().filter(|fault| self.is_of(part, fault));
        let note = |fault: &MetaFault| Note {
            at: Pointer::root(),
            severity: Severity::Warning,
            text: fault.words.clone(),
            fix: None,
        };
        if part == MetaPart::Whole { faults.map(note).collect() } else { Vec::new() }
    }

    /// The parts of `_meta`, from top to bottom; none where calls have none.
    pub(super) fn parts(&self) -> &[MetaPart] {
        &self.parts
    }

    /// Opens the form of a part.
    pub(super) fn open_part(&mut self, part: MetaPart, state: &State, tool: &Tool) {
        self.open = Some(part);
        self.sync_state(state, tool);
    }

    pub(super) fn host(&self) -> &FormHost<RequestPart> {
        &self.host
    }

    pub(super) fn host_mut(&mut self) -> &mut FormHost<RequestPart> {
        &mut self.host
    }

    /// The lines that the headings take.
    pub(super) fn heading_lines(&self) -> u16 {
        u16::try_from(self.parts.len()).unwrap_or(u16::MAX)
    }

    /// The lines that the open form would like to have: two for a field, and room for help.
    pub(super) fn wanted_lines(&self) -> u16 {
        let fields = self.host.shown_form().map_or(0, |form| form.fields().len());
        let lines = match self.open {
            None => 0,
            // The JSON as it is written while it is edited.
            Some(MetaPart::Whole) => 4 + self.typed.as_object().map_or(0, Map::len) * 2,
            Some(_) => fields * 2 + 2,
        };
        u16::try_from(lines).unwrap_or(u16::MAX)
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        let styles = look.styles;
        self.headings.clear();
        let form = area.height.saturating_sub(self.heading_lines());
        let mut row = area.y;
        for part in self.parts.clone() {
            let line = Rect { y: row, height: 1, ..area }.intersection(area);
            self.draw_heading(buffer, inset_area(line), styles, part);
            self.headings.push((part, line));
            row += 1;
            if self.open == Some(part) {
                self.area = Rect { y: row, height: form, ..area }.intersection(area);
                self.host.draw(buffer, self.area, look, focused);
                row += form;
            }
        }
    }

    fn draw_heading(&self, buffer: &mut Buffer, line: Rect, styles: &Styles, part: MetaPart) {
        let (title, told) = match part {
            MetaPart::Configuration(member) => {
                let is_given = self.typed.get(member).is_some();
                let forms = self.forms.as_ref().and_then(|forms| forms.configuration.as_ref());
                let unset = forms.map_or("", |form| form.unset);
                let told = if is_given { "sent with the call" } else { unset };
                ("configuration", told.to_owned())
            }
            MetaPart::Context => ("context", "of the user and the chat".to_owned()),
            MetaPart::Whole => {
                let count = self.typed.as_object().map_or(0, Map::len);
                let told = match count {
                    0 => "only the arguments".to_owned(),
                    count => count_text(count, "member", "members"),
                };
                ("_meta", told)
            }
        };
        let faults: Vec<_> = self.faults.iter().filter(|fault| self.is_of(part, fault)).collect();
        let (told, role) = match faults.first() {
            Some(fault) => (fault.words.clone(), Role::Warning),
            None => (told, Role::Dim),
        };
        let mark = if self.open == Some(part) { "▾ " } else { "▸ " };
        let mut pen = Pen::new(buffer, line, 0);
        pen.put_text(mark, styles[Role::Dim]).put_text(title, styles[Role::Heading]);
        let cells = pen.remaining_cells().saturating_sub(2);
        let told = truncate_text(&visible_text(&told), cells).into_owned();
        pen.put_text("  ", styles[Role::Dim]).put_text(&told, styles[role]);
    }

    /// The part whose heading or form is at a place of the screen.
    pub(super) fn part_at(&self, at: ratatui::layout::Position) -> Option<MetaPart> {
        let heading = self.headings.iter().find(|(_, line)| line.contains(at));
        let in_form = self.open.filter(|_| self.area.contains(at));
        heading.map(|(part, _)| *part).or(in_form)
    }

    /// What would be sent, with what is typed and not yet taken in: what is wrong with it.
    pub(super) fn first_issue(&self, tool: &Tool) -> Option<String> {
        let form = self.host.shown_form();
        let unread = form.and_then(Form::unsent_draft);
        let mut meta = self.typed.as_object().cloned().unwrap_or_default();
        if let (Some(form), Some(part)) = (form, self.open) {
            match (part, form.value().as_object()) {
                (MetaPart::Configuration(member), Some(value)) if !value.is_empty() => {
                    drop(meta.insert(member.to_owned(), form.value().as_ref().clone()));
                }
                (MetaPart::Configuration(member), _) => drop(meta.shift_remove(member)),
                (MetaPart::Context, Some(value)) => {
                    for key in self.forms.as_ref().map(context_of).unwrap_or_default() {
                        meta.shift_remove(&key);
                    }
                    meta.extend(value.clone());
                }
                (MetaPart::Whole, Some(value)) => meta = value.clone(),
                (_, None) => {}
            }
        }
        let fault = || calling::meta_faults(tool, &meta).into_iter().next().map(|it| it.words);
        let issue = || form?.issues().first().map(|issue| format!("_meta: {}", issue.words));
        unread.or_else(fault).or_else(issue)
    }
}

/// The keys of what a server wants to know of the user and the chat.
fn context_of(forms: &MetaForms) -> Vec<String> {
    let properties = forms.context.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).cloned().collect()
}

fn new_form(part: MetaPart, forms: Option<&MetaForms>) -> Form {
    let configured = forms.and_then(|forms| forms.configuration.as_ref());
    match (part, configured, forms) {
        (MetaPart::Configuration(_), Some(form), _) => {
            Form::new(form.schema.clone()).with_ui(form.ui.clone().map(Arc::new))
        }
        (MetaPart::Context, _, Some(forms)) => Form::new(forms.context.clone()),
        _ => Form::new(json!({"type": "object", "title": "JSON"}))
            .with_ui(Some(Arc::new(json!({"ui:widget": "json"})))),
    }
}
