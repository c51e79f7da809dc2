//! The form itself: the fields of a value, with focus, scroll, folds and drafts.

use std::{
    collections::{HashMap, HashSet},
    mem::{Discriminant, discriminant},
    sync::Arc,
};

use ratatui::layout::{Position, Rect};
use serde_json::{Map, Value};

pub use super::reply::FormReply;
use super::{
    cell::{Cell, Click, Editor, InnerValues},
    change::{FormContext, apply_edits, is_in_list, move_keys, place_after_edit, renames_between},
    find::Finder,
    layout::{Columns, Lines},
    notes::{self, Note, Remarks},
    previews::{FieldPreview, Previews},
    registry,
    shared::SharedPlace,
    spelling::{collect_floats, number_spellings, spell_literal},
    templates::Templates,
    work::Work,
};
use crate::{
    app::folder::FolderList,
    schema::{
        fields::{self, Field, Part, View},
        kind::Kind,
        moment::LocalTime,
        node::{Node, PlaceId},
        pointer::Pointer,
        secrets::secret_places,
        tree::Schema,
        ui_schema::{apply_ui_schema, ignored_options as notes_of_ui},
        validate::{Checker, Issue, SchemaFinding},
    },
    syntax::edit::Edit,
};

/// The row that has the focus, by what it is for.
pub(super) type FieldId = (Pointer, Part);

/// A piece of the screen that can be clicked.
#[derive(Debug)]
pub(super) struct HitTarget {
    pub area: Rect,
    pub row: usize,
    pub target: Target,
}

/// What the mouse took hold of and still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DragTarget {
    /// The widget of the focused row.
    Widget,
    /// An item of a list, on its way to the place of another.
    Item {
        at: Pointer,
        to: Pointer,
    },
    ScrollBar,
}

/// A press of the mouse: the cell, the row, and what of the row.
pub(super) type Press = (Position, FieldId, (Discriminant<Target>, Option<Discriminant<Click>>));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Row,
    Widget(Click),
    Earlier,
    Later,
    Duplicate,
    Remove,
    Fix(usize),
    Help,
}

/// A form for a value of a schema. The value lives outside; see [`Form::sync_value`].
pub struct Form {
    pub(super) given: Arc<Value>,
    pub(super) schema: Schema,
    pub(super) checker: Option<Checker>,
    pub(super) findings: Vec<SchemaFinding>,
    pub(super) reading: Option<String>,
    pub(super) ui_notes: Vec<String>,
    pub(super) value: Arc<Value>,
    /// Numbers as the source has them, where a value would round them.
    pub(super) written: HashMap<Pointer, String>,
    /// What other places of the file have in common with the value.
    pub(super) shared: Vec<SharedPlace>,
    /// The texts that are masked.
    pub(super) secrets: HashSet<Pointer>,
    pub(super) view: View,
    pub(super) fields: Vec<Field>,
    pub(super) issues: Vec<Issue>,
    pub(super) notes: Vec<Note>,
    pub(super) remarks: Remarks,
    /// What fields come to, below them.
    pub(super) previews: Previews,
    /// What is offered while a template is typed.
    pub(super) templates: Templates,
    /// What was typed and is no value yet: the text, and why.
    pub(super) drafts: HashMap<Pointer, (String, String)>,
    /// The value when typing in the focused field began, and how its numbers were written: what
    /// the field goes back to while what is typed is no value.
    pub(super) typing_from: Option<(Arc<Value>, HashMap<Pointer, String>)>,
    /// Values that the form made and nobody chose.
    pub(super) fresh: HashMap<Pointer, ()>,
    /// The user was here: the focus stays where it is.
    pub(super) begun: bool,
    /// Values of union branches that were left, kept while the form is open.
    pub(super) kept: HashMap<(Pointer, PlaceId, usize), Value>,
    pub(super) focus: FieldId,
    pub(super) editor: Option<Box<dyn Editor>>,
    /// Keys are not text until `Enter` or a press makes them so; what is open takes them all the
    /// same.
    pub(super) resting: bool,
    pub(super) full_help: bool,
    /// Lines that everything but the help of the focused field leaves empty.
    pub(super) spare: usize,
    /// The list to which items are being added one after another.
    pub(super) adding: Option<Pointer>,
    /// What the last choice of another kind has removed, in words.
    pub(super) lost: Option<String>,
    /// The required value that goes when its removal is asked for again.
    pub(super) removing: Option<Pointer>,
    /// What the schema says of the whole is above the fields.
    pub(super) introduced: bool,
    /// The last text that was cut or copied here.
    pub(super) clip: String,
    pub(super) held: Option<DragTarget>,
    /// The last press of the mouse: its cell, the row that it was on, and what of that.
    pub(super) pressed: Option<Press>,
    pub(super) wall: LocalTime,
    /// A field is being looked for.
    pub(super) finder: Option<Finder>,
    /// What the value is held against.
    pub(super) saved: Option<Arc<Value>>,
    pub(super) folder: Option<Arc<FolderList>>,
    pub(super) scroll: usize,
    /// The next drawing brings the focus into view.
    pub(super) follow: bool,
    pub(super) columns: Columns,
    pub(super) lines: Lines,
    pub(super) spots: Vec<HitTarget>,
    pub(super) area: Rect,
    pub(super) work: Work,
}

impl Form {
    /// Lays out what the members of the value hold, however much that is.
    pub(crate) fn open_members(&mut self) {
        let members = self.fields.iter().filter(|field| field.fold_state() == Some(false));
        let first: Vec<Pointer> = members
            .filter(|field| field.pointer.tokens().len() == 1)
            .map(|field| field.pointer.clone())
            .collect();
        self.view.folds.extend(first.into_iter().map(|at| (at, true)));
        self.rebuild_fields();
    }

    /// Takes in the value as it is now. Focus, folds and drafts stay as far as they can.
    pub fn sync_value(&mut self, value: &Arc<Value>) {
        self.sync_written(value, &|_| None);
    }

    /// The same with how numbers are written at their places.
    pub fn sync_written(
        &mut self,
        value: &Arc<Value>,
        written: &dyn Fn(&Pointer) -> Option<String>,
    ) {
        if Arc::ptr_eq(&self.value, value) {
            return;
        }
        if *self.value == **value {
            self.value = Arc::clone(value);
            return;
        }
        let renames = renames_between(&self.value, value);
        let before = apply_edits(&self.value, &renames);
        for rename in &renames {
            self.move_remembered(rename, false);
        }
        // A field whose value was changed elsewhere shows that.
        let before = before.as_ref().unwrap_or(&self.value);
        self.drafts.retain(|at, _| at.get(before) == at.get(value));
        // Nor is it what nobody chose.
        self.fresh.retain(|at, ()| at.get(before) == at.get(value));
        self.value = Arc::clone(value);
        self.rebuild_fields();
        self.note_written(written);
        self.refresh_editor();
        self.remember_value();
    }

    /// What is typed in the focused field begins from the value as it is now.
    pub(super) fn remember_value(&mut self) {
        let at = &self.focus.0;
        let below = self.written.iter().filter(|(place, _)| place.starts_with(at));
        let written = below.map(|(place, text)| (place.clone(), text.clone())).collect();
        self.typing_from = Some((Arc::clone(&self.value), written));
    }

    /// The edits that give the focused field the value that it had before typing.
    pub(super) fn restoring_edits(&self) -> Vec<Edit> {
        let (at, part) = &self.focus;
        let Some((from, written)) = self.typing_from.as_ref() else { return Vec::new() };
        let before = at.get(from);
        if !part.is_value() || before == at.get(&self.value) {
            return Vec::new();
        }
        match before {
            None => vec![Edit::Remove { at: at.clone() }],
            Some(value) => {
                let spelling = |below: &Pointer| written.get(&at.join(below)).cloned();
                let to = spell_literal(value, &Pointer::root(), &spelling)
                    .unwrap_or_else(|| value.clone().into());
                vec![Edit::Set { at: at.clone(), to }]
            }
        }
    }

    /// Remembers the spelling of numbers that a float cannot hold exactly.
    fn note_written(&mut self, written: &dyn Fn(&Pointer) -> Option<String>) {
        self.written.clear();
        // Those that are folded away too: they are to be right when they are shown.
        let mut places = Vec::new();
        collect_floats(&self.value, &Pointer::root(), &mut places);
        self.written
            .extend(places.into_iter().filter_map(|at| written(&at).map(|text| (at, text))));
    }

    /// The same form, shown as a uiSchema says.
    #[must_use]
    pub fn with_ui(mut self, ui: Option<Arc<Value>>) -> Self {
        let Some(ui) = ui else { return self };
        self.ui_notes = notes_of_ui(&ui);
        let hidden = self.schema.hidden_names();
        self.schema = Schema::new(Arc::clone(self.schema.root())).with_ui(Some(ui));
        self.schema.hide_names(hidden);
        self.focus = (Pointer::root(), Part::Whole);
        self.rebuild_fields();
        self
    }

    /// The same form, with what the schema says of the whole above its fields.
    #[must_use]
    pub fn with_introduction(mut self) -> Self {
        self.introduced = true;
        self
    }

    /// What the schema calls the whole.
    #[must_use]
    pub fn title(&self) -> Option<Arc<str>> {
        self.root_node().title.clone()
    }

    /// The whole, as it is to be shown.
    pub(super) fn root_node(&self) -> Arc<Node> {
        apply_ui_schema(self.schema.root_node(), &self.schema.ui())
    }

    /// Options may come and go with what is typed; the editor of the field stays the same one.
    pub(super) fn row_kind(&self) -> Option<Discriminant<Kind>> {
        self.focused_row().map(|row| discriminant(&self.fields[row].kind))
    }

    /// What is said about the value from outside; shown at the fields.
    pub fn set_notes(&mut self, notes: Vec<Note>) {
        if self.notes != notes {
            self.notes = notes;
            self.place_remarks();
        }
    }

    /// What other places of the file have in common with the value: said at the focused field.
    pub(crate) fn set_shared(&mut self, shared: Vec<SharedPlace>) {
        self.shared = shared;
    }

    /// What fields come to: shown below them, in the place of what was shown before.
    pub fn set_previews(&mut self, previews: Vec<FieldPreview>) {
        self.previews.set_previews(previews);
        self.previews.place_on_rows(&self.fields);
    }

    /// Opens what lies above these places, where nobody has folded or opened it before.
    pub fn unfold_above<'p>(&mut self, places: impl Iterator<Item = &'p Pointer>) {
        let mut has_opened = false;
        for place in places {
            let mut above = place.parent();
            while let Some(at) = above.filter(|at| !at.is_root()) {
                has_opened |= !self.view.folds.contains_key(&at);
                above = at.parent();
                self.view.folds.entry(at).or_insert(true);
            }
        }
        if has_opened {
            self.relayout_fields();
        }
    }

    /// Passes the time, for the fields that can take "now".
    pub fn set_wall(&mut self, wall: LocalTime) {
        self.wall = wall;
    }

    /// Passes what a folder holds, as [`FormReply::Folder`] asked.
    pub fn set_folder(&mut self, folder: Option<&Arc<FolderList>>) {
        self.folder = folder.cloned();
    }

    /// The keys of the focused field's own that work now, with what they do.
    #[must_use]
    pub fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        if self.finder.is_some() {
            return vec![("↑↓", "choose"), ("Enter", "go to the field"), ("Esc", "close")];
        }
        if self.lists_templates() {
            return vec![("↑↓", "choose"), ("Enter", "insert"), ("Esc", "close")];
        }
        if let Some(hints) = self.item_hints() {
            return hints;
        }
        let asleep = self.resting
            && self.editor.as_ref().is_some_and(|editor| editor.is_typing() && !editor.is_open());
        let cell = self.focused_row().filter(|_| !asleep).and_then(|row| self.cell(row));
        match (&self.editor, cell) {
            (Some(editor), Some(cell)) => editor.key_hints(&cell),
            _ => Vec::new(),
        }
    }

    /// The places of the texts that are masked.
    #[must_use]
    pub fn secrets(&self) -> &HashSet<Pointer> {
        &self.secrets
    }

    /// The texts that are masked, in a stable order.
    #[must_use]
    pub fn secret_texts(&self) -> Vec<String> {
        let found = self.secrets.iter().filter_map(|at| at.get(&self.value)?.as_str());
        let mut texts: Vec<String> = found.map(str::to_owned).collect();
        texts.sort();
        texts
    }

    #[must_use]
    pub fn value(&self) -> &Arc<Value> {
        &self.value
    }

    /// What is wrong with the value by its schema.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// What is wrong with the schema itself: what they are about is left out, and where that cannot
    /// be, anything goes.
    #[must_use]
    pub fn schema_findings(&self) -> &[SchemaFinding] {
        &self.findings
    }

    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// What has the focus: a place, and the part of it.
    pub(crate) fn focus(&self) -> &FieldId {
        &self.focus
    }

    /// The place that has the focus.
    #[must_use]
    pub fn focused_place(&self) -> &Pointer {
        &self.focus.0
    }

    /// Whether printable keys are text now.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        let is_open = |editor: &dyn Editor| editor.is_typing() && editor.is_open();
        self.finder.is_some() || !self.resting || self.editor.as_deref().is_some_and(is_open)
    }

    /// How the number at a place is written, where its value would round it.
    pub(super) fn written_number(&self, at: &Pointer) -> Option<String> {
        self.written.get(at).cloned()
    }

    /// Lays the value out and checks it.
    pub(super) fn rebuild_fields(&mut self) {
        self.lay_out();
        self.work.checks += 1;
        self.issues = self.checker.as_ref().map_or_else(Vec::new, |checker| {
            let chosen = |at: &Pointer, union: &str| {
                fields::chosen_branch(&self.schema, checker, &self.view, &self.value, at, union)
            };
            checker.issues_by(&self.value, &chosen)
        });
        let mut issues = std::mem::take(&mut self.issues);
        let text_at = |issue: &Issue| issue.at.get(&self.value).and_then(Value::as_str);
        issues.retain(|issue| !text_at(issue).is_some_and(|text| self.fills_in(text)));
        self.issues = issues;
        self.explain_names();
        self.place_remarks();
        self.settle_focus();
    }

    /// Lays the value out again after folds changed; the value is as it was.
    pub(super) fn relayout_fields(&mut self) {
        self.lay_out();
        self.place_remarks();
        self.settle_focus();
    }

    fn lay_out(&mut self) {
        self.fields =
            fields::layout_fields(&self.schema, self.checker.as_ref(), &self.value, &self.view);
        self.secrets = secret_places(&self.schema, self.checker.as_ref(), &self.view, &self.value);
        self.work.layouts += 1;
        self.work.fields += self.fields.len();
    }

    pub(super) fn place_remarks(&mut self) {
        let faults = notes::schema_notes(&self.schema, &self.findings, &self.fields);
        let notes: Vec<Note> = self.notes.iter().cloned().chain(faults).collect();
        self.remarks = Remarks::place_on_rows(&self.fields, &self.issues, &self.drafts, &notes);
        self.previews.place_on_rows(&self.fields);
    }

    /// The row that has the focus.
    #[must_use]
    pub(super) fn focused_row(&self) -> Option<usize> {
        let (pointer, part) = &self.focus;
        self.fields.iter().position(|field| field.part == *part && field.pointer == *pointer)
    }

    /// What a row's widget sees.
    pub(super) fn cell(&self, row: usize) -> Option<Cell<'_>> {
        let field = self.fields.get(row)?;
        let is_value = field.part.is_value();
        Some(Cell {
            field,
            value: field.pointer.get(&self.value).filter(|_| is_value),
            written: self.written.get(&field.pointer).map(String::as_str),
            inner: InnerValues { written: &self.written, secrets: &self.secrets },
            draft: self
                .drafts
                .get(&field.pointer)
                .map(|(text, _)| text.as_str())
                .filter(|_| is_value),
            inside: self.remarks.folded(row),
            members: self.members_offered(field),
            wall: self.wall,
            folder: self.folder.as_deref(),
            fresh: is_value && self.fresh.contains_key(&field.pointer),
            adding: self.is_adding_at(field),
            listed_required: field.node.holds_schema && self.is_listed_required(&field.pointer),
            fills_in: self.templates.is_used(),
            selects: self.takes_text(field) || self.switch_of(field).is_some(),
        })
    }

    /// Whether a schema lists the member at a place among those that it requires.
    fn is_listed_required(&self, at: &Pointer) -> bool {
        let required = || {
            let members = at.parent().filter(|members| members.last() == Some("properties"))?;
            members.parent()?.child("required").get(&self.value)?.as_array()
        };
        required().is_some_and(|names| names.iter().any(|name| name.as_str() == at.last()))
    }

    /// The members that are offered to a list of their names.
    fn members_offered(&self, field: &Field) -> Option<&Map<String, Value>> {
        let beside = field.node.members_of.as_deref()?;
        field.pointer.parent()?.child(beside).get(&self.value)?.as_object()
    }

    /// An editor for the focused row, where it has none.
    pub(super) fn ensure_editor(&mut self) {
        if self.editor.is_none()
            && let Some(cell) = self.focused_row().and_then(|row| self.cell(row))
        {
            let editor = self
                .union_editor(&cell)
                .unwrap_or_else(|| registry::widget_for(&cell.field.kind).new_editor(&cell));
            self.editor = Some(editor);
            self.remember_value();
        }
    }

    pub(super) fn refresh_editor(&mut self) {
        let Some(mut editor) = self.editor.take() else { return };
        if let Some(cell) = self.focused_row().and_then(|row| self.cell(row)) {
            editor.sync_value(&cell);
            self.editor = Some(editor);
        }
    }

    /// Makes edits here, and answers them for whoever holds the value.
    pub(super) fn commit_edits(&mut self, edits: Vec<Edit>) -> FormReply {
        let form = FormContext {
            schema: &self.schema,
            checker: self.checker.as_ref(),
            view: &self.view,
            value: &self.value,
        };
        let (edits, grown): (Vec<Edit>, usize) = match edits.as_slice() {
            [edit @ (Edit::Rename { .. } | Edit::Remove { .. })] => (form.with_mentions(edit), 0),
            [_] => {
                let edits: Vec<Edit> =
                    edits.into_iter().flat_map(|edit| form.complete_edit(edit)).collect();
                let grown = edits.len().saturating_sub(1);
                (edits, grown)
            }
            _ => (edits, 0),
        };
        let Some(value) = apply_edits(&self.value, &edits) else {
            return FormReply::Refused("the value has changed in the meantime; try again".into());
        };
        for edit in &edits {
            self.follow_edit(edit);
        }
        let kind = self.row_kind();
        self.value = Arc::new(value);
        // What the edit needed around it was chosen by nobody.
        let own = edits.last().map(|edit| edit.pointer().clone());
        for edit in &edits[..grown] {
            self.mark_fresh(edit.pointer());
        }
        self.fresh
            .retain(|at, ()| grown == 0 || own.as_ref().is_none_or(|own| !at.starts_with(own)));
        self.rebuild_fields();
        // A value may bring another widget with it, such as an editor of many lines for a text that
        // got long.
        let open =
            self.editor.as_ref().is_some_and(|editor| editor.is_open() || editor.is_typing());
        if !open && kind != self.row_kind() {
            self.editor = None;
        }
        self.refresh_editor();
        self.follow = true;
        FormReply::Edits(edits)
    }

    /// What is remembered by place goes along with an edit.
    fn follow_edit(&mut self, edit: &Edit) {
        let in_list = is_in_list(&self.value, edit);
        let stays = matches!(edit, Edit::Remove { .. } | Edit::Move { .. }) && !in_list;
        if !matches!(edit, Edit::Set { .. }) && !stays {
            self.typing_from = None;
            self.adding = None;
        }
        // An item that is in a list of texts now, or no longer, isn't being typed.
        if let Some(list) = edit.pointer().parent().filter(|_| in_list) {
            self.drafts.remove(&list);
        }
        // What is added at the end of a list moves nothing; its place in a tuple may have had
        // the focus all along.
        let appends = matches!(edit, Edit::Insert { at, .. } if at.get(&self.value).is_none());
        if appends || matches!(edit, Edit::Set { .. } | Edit::Remove { .. }) {
            self.drafts.retain(|at, _| !at.starts_with(edit.pointer()));
            self.written.retain(|at, _| !at.starts_with(edit.pointer()));
            self.fresh.retain(|at, ()| !at.starts_with(edit.pointer()));
        }
        if !appends {
            self.move_remembered(edit, in_list);
        }
        if let Edit::Set { at, to } | Edit::Insert { at, item: to } = edit {
            self.written.extend(
                number_spellings(to).into_iter().map(|(below, text)| (at.join(&below), text)),
            );
        }
    }

    /// What is remembered by place moves as the items of a list do.
    fn move_remembered(&mut self, edit: &Edit, in_list: bool) {
        move_keys(&mut self.drafts, edit, in_list);
        move_keys(&mut self.written, edit, in_list);
        move_keys(&mut self.fresh, edit, in_list);
        move_keys(&mut self.view.folds, edit, in_list);
        move_keys(&mut self.view.windows, edit, in_list);
        if !matches!(edit, Edit::Set { .. }) {
            let go = |at: &Pointer| place_after_edit(at, edit, in_list);
            let picks = std::mem::take(&mut self.view.picks).into_iter();
            self.view.picks =
                picks.filter_map(|((at, union), pick)| Some(((go(&at)?, union), pick))).collect();
            let kept = std::mem::take(&mut self.kept).into_iter();
            self.kept = kept
                .filter_map(|((at, union, branch), value)| Some(((go(&at)?, union, branch), value)))
                .collect();
            if let Some(at) = go(&self.focus.0) {
                self.focus.0 = at;
            }
        }
    }
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Form")
            .field("focus", &self.focus)
            .field("fields", &self.fields.len())
            .finish_non_exhaustive()
    }
}
