//! Tools: the catalog, the form of the chosen entry, and the file as it will be saved.

mod catalog;
mod dialogs;
mod preview;

use std::sync::Arc;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};
use serde_json::Value;

use crate::{
    app::{
        actions::{Act, Scope},
        documents::Change,
        input::{Code, Input, Key, Mods, Mouse},
        message::{Message, ScreenId, TextTarget},
        state::State,
    },
    model::{
        entry::{Entry, EntryForm, EntryPlace, SystemId},
        finding::{EntryEdit, Finding, Fix},
    },
    schema::pointer::Pointer,
    syntax::{edit::Edit, source::Source},
    systems::table,
    ui::{
        canvas::Pen,
        dispatch_reply::carried,
        form::{
            notes::Note,
            view::{Form, FormReply},
        },
        styles::Role,
        view::{Look, Reply, Screen},
        widgets::{pane::Pane, panes::Panes},
    },
};

const CATALOG: usize = 0;
const FORM: usize = 1;
const PREVIEW: usize = 2;
const NAMES: [&str; 3] = ["Catalog", "Form", "Preview"];

#[derive(Default)]
pub struct Tools {
    panes: Panes,
    catalog: catalog::CatalogPane,
    form: Option<FormOf>,
    form_area: Rect,
    preview: preview::Preview,
    /// Forms of entries that were shown before, for their schemas: to compile one takes longer than
    /// a key may.
    put_away: Vec<(SchemaKey, Form)>,
    /// The goal that was gone to already.
    reached: Option<u64>,
}

/// The form of one entry, and the catalog it was made from.
struct FormOf {
    entry: Entry,
    generation: u64,
    /// What its schema was made from.
    schema: Option<SchemaKey>,
    form: Form,
    /// The file's text on disk, and the entry's value in it.
    saved: Option<(Arc<str>, Option<Arc<Value>>)>,
    /// The fixes of its notes, by the note's number.
    fixes: Vec<Vec<Fix>>,
}

/// How many forms are put away.
const PUT_AWAY: usize = 8;

/// What a schema was made from: entries with the same key have the same schema.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SchemaKey {
    vocabulary: u64,
    system: SystemId,
    word: String,
}

impl SchemaKey {
    fn of(entry: &Entry, state: &State) -> Option<Self> {
        let word = table::by_id(entry.system)?.schema_word(entry, &state.catalog)?;
        Some(Self { vocabulary: state.catalog.vocabulary, system: entry.system, word })
    }
}

impl Tools {
    /// Makes the form of the chosen entry, or tells it what changed outside.
    fn sync_form(&mut self, state: &State) {
        let Some(entry) = state.selected.as_ref().and_then(|id| state.catalog.entry(id)) else {
            self.form = None;
            return;
        };
        match &mut self.form {
            Some(known) if known.entry.id == entry.id => {
                if known.generation != state.generation {
                    let schema = SchemaKey::of(entry, state);
                    if schema.is_none() || known.schema != schema {
                        known.form.set_schema(&schema_of(entry, state));
                        known.schema = schema;
                    }
                    known.take(entry, state);
                }
            }
            _ => {
                let schema = SchemaKey::of(entry, state);
                let form = self
                    .empty_form(schema.as_ref())
                    .unwrap_or_else(|| Form::new(schema_of(entry, state)));
                let (generation, entry_now) = (state.generation, entry.clone());
                let mut made = FormOf {
                    entry: entry_now,
                    generation,
                    schema,
                    form,
                    saved: None,
                    fixes: Vec::new(),
                };
                made.take(entry, state);
                self.form = Some(made);
            }
        }
        if let Some(known) = &mut self.form {
            known.form.set_wall(state.wall);
            known.form.set_folder(state.folder.as_ref());
        }
        if let Some(goal) = &state.goal
            && self.reached != Some(goal.turn)
            && goal.entry == entry.id
            && let Some(known) = &mut self.form
        {
            self.reached = Some(goal.turn);
            known.form.focus(&goal.pointer);
            known.form.rest();
            self.panes.focus = FORM;
        }
    }

    /// A form on a schema that was compiled for another entry. The form that was shown is put away
    /// for that.
    fn empty_form(&mut self, schema: Option<&SchemaKey>) -> Option<Form> {
        if let Some(FormOf { schema: Some(schema), form, .. }) = self.form.take() {
            self.put_away.retain(|(known, _)| known.vocabulary == schema.vocabulary);
            self.put_away.truncate(PUT_AWAY - 1);
            self.put_away.insert(0, (schema, form));
        }
        let at = self.put_away.iter().position(|(known, _)| Some(known) == schema)?;
        Some(self.put_away.remove(at).1.emptied())
    }

    fn carry(&self, reply: FormReply) -> Reply {
        let Some(known) = &self.form else { return Reply::Handled };
        match reply {
            FormReply::Fix(row) => {
                known.fixes.get(row).map_or(Reply::Handled, |fixes| dialogs::mend(fixes))
            }
            other => carried(other, TextTarget::Entry(known.entry.id.clone()), |edits| {
                known.changes(edits)
            }),
        }
    }

    fn form_input(&mut self, input: &Input) -> Reply {
        let Some(known) = &mut self.form else { return Reply::Ignored };
        let reply = known.form.input(input);
        self.carry(reply)
    }
}

impl FormOf {
    /// What is asked of the application for edits of the form.
    fn changes(&self, edits: Vec<Edit>) -> Vec<Message> {
        let Some(first) = edits.first() else { return Vec::new() };
        let place = first.at().to_string();
        let label = format!("edit {} of {}", place.trim_start_matches('/'), self.entry.key);
        let change = |edit| Change::Entry(EntryEdit { entry: self.entry.id.clone(), edit });
        vec![Message::Change { label, changes: edits.into_iter().map(change).collect() }]
    }

    /// Takes in the entry as it is now, and what was found about it.
    fn take(&mut self, entry: &Entry, state: &State) {
        let place = entry.id.place();
        let source =
            state.documents.get(&place.file).and_then(|document| document.source.as_ref().ok());
        let written = |at: &Pointer| -> Option<String> {
            let plain = place.form == EntryForm::Plain;
            source.filter(|_| plain)?.written(place.document, &place.at.join(at)).map(str::to_owned)
        };
        self.form.sync_written(&entry.value, &written);
        self.take_saved(state, place);
        let findings: Vec<_> = state.findings_of(&entry.id).collect();
        self.fixes = findings.iter().map(|finding| finding.fixes().cloned().collect()).collect();
        let note = |finding: &&Finding| Note {
            at: finding.site.pointer.clone(),
            severity: finding.severity,
            text: finding.message.clone(),
            fix: finding.fix_words(),
        };
        self.form.set_notes(findings.iter().map(note).collect());
        self.entry = entry.clone();
        self.generation = state.generation;
    }
}

impl FormOf {
    /// What is on disk, to mark what is different now.
    fn take_saved(&mut self, state: &State, place: &EntryPlace) {
        let Some(document) = state.documents.get(&place.file) else { return };
        let Some(text) = document.saved.as_ref().filter(|_| place.form == EntryForm::Plain) else {
            self.form.set_saved(None);
            return;
        };
        if !self.saved.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, text)) {
            let value = match document.saved_source() {
                Some(source) => source.value_at(place.document, &place.at).cloned(),
                None => {
                    let source = Source::parse(document.format, text.clone()).ok();
                    source.and_then(|source| source.value_at(place.document, &place.at).cloned())
                }
            };
            self.saved = Some((text.clone(), value.map(Arc::new)));
        }
        self.form.set_saved(self.saved.as_ref().and_then(|(_, value)| value.as_ref()));
    }
}

fn schema_of(entry: &Entry, state: &State) -> Arc<Value> {
    Arc::new(
        table::by_id(entry.system)
            .map_or(Value::Bool(true), |system| system.schema(entry, &state.catalog)),
    )
}

impl Screen for Tools {
    fn shown(&mut self) {
        self.arrive();
    }

    fn sync(&mut self, state: &State) {
        self.catalog.sync(state);
        self.sync_form(state);
        if let Some(known) = &mut self.form {
            known.form.set_clip(&state.clip);
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let left = (area.width / 5).clamp(28, 44);
        let right = (area.width * 9 / 25).clamp(34, 96);
        let widths = [Constraint::Length(left), Constraint::Min(30), Constraint::Length(right)];
        let areas = self.panes.lay(frame.buffer_mut(), area, &NAMES, &widths, look.styles);
        let focus = self.panes.focus;
        if !areas[CATALOG].is_empty() {
            self.catalog.draw(frame, areas[CATALOG], look, state, focus == CATALOG);
        }
        if !areas[FORM].is_empty() {
            self.draw_form(frame, areas[FORM], look, focus == FORM);
        }
        if !areas[PREVIEW].is_empty() {
            let at = self
                .form
                .as_ref()
                .filter(|_| focus == FORM)
                .map(|known| known.form.focused().clone());
            let seen = match &at {
                Some(at) => preview::Focus::Field(at),
                None if focus == PREVIEW => preview::Focus::Here,
                None => preview::Focus::Elsewhere,
            };
            self.preview.draw(frame, areas[PREVIEW], look, state, seen);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        let pane = [Scope::Catalog, Scope::Form, Scope::Preview][self.panes.focus.min(PREVIEW)];
        vec![pane, Scope::Tools]
    }

    fn typing(&self) -> bool {
        match self.panes.focus {
            CATALOG => self.catalog.typing(),
            FORM => self.form.as_ref().is_some_and(|form| form.form.typing()),
            _ => self.preview.typing(),
        }
    }

    fn input(&mut self, input: &Input, state: &State) -> Reply {
        match (input, self.panes.focus) {
            (Input::Mouse(mouse), _) => self.mouse(*mouse, input, state),
            (_, CATALOG) => {
                let reply = self.catalog.input(input, state, &mut self.panes.focus);
                self.arrive();
                reply
            }
            (_, FORM) => self.form_input(input),
            _ => self.preview.input(input, state),
        }
    }

    fn act(&mut self, act: Act, state: &State) -> Reply {
        if act.row().scope == Scope::Form
            && let Some(known) = &mut self.form
        {
            let reply = known.form.act(act);
            return self.carry(reply);
        }
        match act {
            Act::NextPane | Act::PreviousPane if self.panes.focus == FORM => {
                return self.step_field(act);
            }
            Act::NextPane | Act::PreviousPane => {
                if act == Act::NextPane {
                    self.panes.next();
                } else {
                    self.panes.previous();
                }
                self.arrive();
            }
            Act::Find if self.panes.focus == PREVIEW => self.preview.find(),
            Act::Find => {
                self.panes.focus = CATALOG;
                self.catalog.find();
            }
            Act::GroupBy => self.catalog.next_arrangement(state),
            Act::NextPreview => self.preview.next_view(),
            Act::InvokeTool => return Reply::send(Message::Show(ScreenId::Invoke)),
            Act::NextProblem => return self.preview.next_problem(state),
            Act::ApplyFix => return self.preview.fix(state),
            Act::NewEntry => return dialogs::new_entry(state),
            Act::Duplicate => return dialogs::duplicate(state),
            Act::Rename => return dialogs::rename(state),
            Act::Delete => return dialogs::delete(state),
            Act::Diff => return dialogs::diff(state),
            Act::Editor => return dialogs::editor(state),
            _ => return Reply::Ignored,
        }
        Reply::Handled
    }

    fn refusal(&self, act: Act, state: &State) -> Option<String> {
        let chosen = state.selected.as_ref().and_then(|id| state.catalog.entry(id));
        if act.row().scope == Scope::Form {
            return self
                .form
                .as_ref()
                .map_or(Some("nothing is selected".into()), |known| known.form.refusal(act));
        }
        match act {
            Act::Duplicate | Act::Rename | Act::Delete | Act::Editor if chosen.is_none() => {
                Some("nothing is selected".into())
            }
            Act::InvokeTool
                if state.selected.as_ref().is_none_or(|id| state.catalog.tool(id).is_none()) =>
            {
                Some("select a tool first; a service is called through its tools".into())
            }
            Act::Save if chosen.is_none() => Some("nothing is selected".into()),
            Act::Diff if state.documents.changed().next().is_none() => {
                Some("no file has unsaved changes".into())
            }
            Act::NextProblem if state.findings.is_empty() => Some("there is no problem".into()),
            Act::ApplyFix => self.preview.fix_refusal(state),
            _ => None,
        }
    }

    fn keys(&self) -> Vec<(&'static str, &'static str)> {
        self.form
            .as_ref()
            .filter(|_| self.panes.focus == FORM)
            .map_or_else(Vec::new, |known| known.form.keys())
    }

    fn hints(&self, state: &State) -> Vec<Act> {
        let mut hints = match self.panes.focus {
            CATALOG => vec![Act::NewEntry, Act::Find, Act::NextPane, Act::InvokeTool],
            FORM => self.form.as_ref().map(|known| known.form.hints()).unwrap_or_default(),
            _ => vec![Act::NextPreview, Act::ApplyFix, Act::Variables, Act::NextPane],
        };
        if state.documents.changed().next().is_some() {
            hints.splice(0..0, [Act::Save, Act::Diff, Act::Undo]);
        }
        if !state.findings.is_empty() {
            hints.push(Act::NextProblem);
        }
        hints
    }
}

impl Tools {
    fn draw_form(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, focused: bool) {
        let Some(known) = &mut self.form else {
            let pane = Pane { title: "Form", focused, ..Pane::default() };
            let inside = pane.draw(frame.buffer_mut(), area, look.styles);
            Pen::new(frame.buffer_mut(), inside, 1)
                .skip(2)
                .put("Nothing is here yet: n makes a new tool.", look.styles[Role::Dim]);
            return;
        };
        let kind = known.entry.kind.word();
        let system =
            table::by_id(known.entry.system).map_or(known.entry.system, |system| system.title());
        let title = format!("{} · {system} {kind}", known.entry.key);
        let place = format!("{}:{}", known.entry.id.file(), known.entry.line);
        let position = known.form.position().unwrap_or_default();
        let pane = Pane { title: &title, note: &place, foot: &position, focused };
        self.form_area = pane.draw(frame.buffer_mut(), area, look.styles);
        known.form.draw(frame.buffer_mut(), self.form_area, look.styles, focused);
    }

    /// A form that the keys come to waits for `Enter`.
    fn arrive(&mut self) {
        if self.panes.focus == FORM
            && let Some(known) = &mut self.form
        {
            known.form.rest();
        }
    }

    /// Tab goes from field to field, and after the last to the next pane.
    fn step_field(&mut self, act: Act) -> Reply {
        let key = Key {
            code: Code::Tab,
            mods: Mods { shift: act == Act::PreviousPane, ..Mods::default() },
        };
        let reply = self.form_input(&Input::Key(key));
        if matches!(reply, Reply::Ignored) {
            if act == Act::NextPane {
                self.panes.next();
            } else {
                self.panes.previous();
            }
            return Reply::Handled;
        }
        reply
    }

    fn mouse(&mut self, mouse: Mouse, input: &Input, state: &State) -> Reply {
        match self.panes.mouse(mouse) {
            Some(CATALOG) => self.catalog.input(input, state, &mut self.panes.focus),
            Some(FORM) => self.form_input(input),
            Some(_) => self.preview.input(input, state),
            None => Reply::Handled,
        }
    }
}
