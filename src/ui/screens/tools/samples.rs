//! Try: the samples that templates of the chosen entry are filled in with, and that its filters
//! work on. The parameters are the arguments of Invoke.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Map, Value, json};

use crate::{
    app::{
        calls::{CallMessage, CallPart, CallText},
        edited_text::EditedText,
        message::{Message, TextTarget},
        state::State,
    },
    model::entry::{Entry, EntryId},
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::{
        facets::templates::{ANSWERS, PARAMETERS, Samples, Templates},
        table,
    },
    ui::{
        canvas::Pen,
        filled_text::{field_preview, legend_line},
        form::{
            host::{FormHost, ValueOwner},
            previews::FieldPreview,
            view::Form,
        },
        line_wrap::{RowWidths, wrap_styled},
        styles::Role,
        view::Look,
    },
};

/// Whose samples a form edits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SampleOwner(EntryId);

impl SampleOwner {
    /// The text that holds the value at a place of the samples, and where that begins.
    fn text_of(&self, at: &Pointer) -> (CallText, Pointer) {
        let is_answer = at.tokens().first().is_some_and(|first| first == ANSWERS);
        let (part, member) = if is_answer {
            (CallPart::SampleAnswers, ANSWERS)
        } else {
            (CallPart::Arguments, PARAMETERS)
        };
        (CallText { tool: self.0.clone(), part }, Pointer::root().child(member))
    }
}

impl ValueOwner for SampleOwner {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        let (text, base) = self.text_of(&at);
        (TextTarget::Call(text), at.strip_prefix(&base).unwrap_or_default())
    }

    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, _: &State) -> Vec<Message> {
        let mut messages: Vec<(CallText, Vec<Edit>)> = Vec::new();
        for edit in edits {
            let (text, base) = self.text_of(edit.pointer());
            let Some(inner) = edit.strip_prefix(&base) else { continue };
            let inner = match inner {
                Edit::Remove { at } if at.is_root() => Edit::Set { at, to: json!({}).into() },
                other => other,
            };
            match messages.last_mut().filter(|(last, _)| *last == text) {
                Some((_, edits)) => edits.push(inner),
                None => messages.push((text, vec![inner])),
            }
        }
        let message = |(text, edits)| Message::Call(CallMessage::EditText { text, edits });
        messages.into_iter().map(message).collect()
    }
}

/// What the samples and the entry's previews were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SampleRevision {
    entry: EntryId,
    generation: u64,
    parameters: u64,
    answers: u64,
}

impl SampleRevision {
    fn from_state(state: &State, entry: &EntryId) -> Self {
        let revision = |part| state.typed_text(entry, part).map_or(0, EditedText::revision);
        Self {
            entry: entry.clone(),
            generation: state.generation,
            parameters: revision(CallPart::Arguments),
            answers: revision(CallPart::SampleAnswers),
        }
    }
}

/// What the fields of an entry come to.
pub(super) struct EntryPreviews {
    pub previews: Vec<FieldPreview>,
    /// The entry was not shown before these.
    pub is_first: bool,
}

/// The form of the samples.
#[derive(Default)]
pub(super) struct SamplesPane {
    form: FormHost<SampleOwner>,
    revision: Option<SampleRevision>,
}

impl SamplesPane {
    /// Takes in the chosen entry and its samples; answers what its fields come to, where that may
    /// have changed.
    pub(super) fn sync_entry(
        &mut self,
        state: &State,
        entry: Option<&Entry>,
    ) -> Option<EntryPreviews> {
        let found = entry.and_then(|entry| Some((entry, templates_of(entry)?)));
        let Some((entry, templates)) = found else {
            self.form.hide();
            let had_some = self.revision.take().is_some();
            return had_some.then(|| EntryPreviews { previews: Vec::new(), is_first: true });
        };
        self.form.sync_surroundings(state);
        let revision = SampleRevision::from_state(state, &entry.id);
        if self.revision.as_ref() == Some(&revision) {
            return None;
        }
        let known = self.revision.as_ref().filter(|known| known.entry == entry.id);
        let is_first = known.is_none();
        let is_current = known.is_some_and(|known| known.generation == state.generation);
        let samples = samples_of(state, &entry.id);
        if !is_current || self.form.owner().is_none() {
            self.show_form(entry, templates);
        }
        if let Some(form) = self.form.shown_form_mut() {
            form.sync_value(&Arc::new(samples_value(&samples)));
        }
        self.revision = Some(revision);
        let texts = templates.render_fields(entry, &samples);
        let previews = texts.into_iter().map(field_preview).collect();
        Some(EntryPreviews { previews, is_first })
    }

    fn show_form(&mut self, entry: &Entry, templates: &dyn Templates) {
        let Some(schema) = templates.sample_schema(entry).map(Arc::new) else {
            return self.form.hide();
        };
        let owner = SampleOwner(entry.id.clone());
        self.form.retain(|known| *known == owner);
        self.form.show(owner, || Form::new(Arc::clone(&schema)));
        if let Some(form) = self.form.shown_form_mut() {
            form.set_schema(&schema);
        }
    }

    /// Whether there is something to try.
    pub(super) fn is_open(&self) -> bool {
        self.form.owner().is_some()
    }

    pub(super) fn form(&self) -> &FormHost<SampleOwner> {
        &self.form
    }

    pub(super) fn form_mut(&mut self) -> &mut FormHost<SampleOwner> {
        &mut self.form
    }

    /// The text of the samples in which the keys are.
    pub(super) fn typed_text(&self) -> Option<CallText> {
        let at = self.form.shown_form()?.focused_place();
        Some(self.form.owner()?.text_of(at).0)
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        let styles = look.styles;
        let cells = usize::from(area.width.saturating_sub(2)).max(1);
        let mut legend = wrap_styled(&legend_line(), RowWidths::all(cells));
        let title = "Below each template is its result, coloured by where each part is from:";
        legend.insert(0, vec![(Role::Dim, title.to_owned())]);
        let rows = u16::try_from(legend.len()).unwrap_or(0).min(area.height / 3);
        let form = Rect { height: area.height - rows, ..area };
        self.form.draw(buffer, form, look, focused);
        for (row, line) in (0..rows).zip(legend) {
            let mut pen = Pen::new(buffer, area, form.height + row);
            pen.skip(1);
            for (role, text) in line {
                pen.put_text(&text, styles[role]);
            }
        }
    }
}

fn templates_of(entry: &Entry) -> Option<&'static dyn Templates> {
    table::by_id(entry.system)?.templates()
}

/// The samples of an entry as they are now.
fn samples_of(state: &State, entry: &EntryId) -> Samples {
    let members = |part| state.value_of(entry, part).as_object().cloned().unwrap_or_default();
    Samples { parameters: members(CallPart::Arguments), answers: members(CallPart::SampleAnswers) }
}

/// The samples as their form has them.
fn samples_value(samples: &Samples) -> Value {
    let mut value = Map::new();
    value.insert(PARAMETERS.into(), samples.parameters.clone().into());
    value.insert(ANSWERS.into(), samples.answers.clone().into());
    Value::Object(value)
}
