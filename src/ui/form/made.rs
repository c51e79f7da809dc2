//! How forms are made, emptied, and put on another schema.

use std::{
    collections::{HashMap, HashSet},
    mem::discriminant,
    sync::Arc,
};

use ratatui::layout::Rect;
use serde_json::Value;

use super::{
    layout::{Columns, Lines},
    notes::Remarks,
    previews::Previews,
    templates::Templates,
    view::Form,
    work::Work,
};
use crate::schema::{
    fields::{Part, View},
    kind::{Kind, TextKind},
    moment::LocalTime,
    pointer::Pointer,
    tree::{IsHidden, Schema},
    ui_schema::ignored_options,
    validate::{Checker, OpenedSchema, SchemaFinding},
};

impl Form {
    /// A form with nothing in it yet. A schema that is invalid opens all the same; see
    /// [`Form::schema_findings`].
    #[must_use]
    pub fn new(schema: impl Into<Arc<Value>>) -> Self {
        let schema = schema.into();
        let OpenedSchema { checker, findings, reading, schema: shown } =
            Checker::compile_lenient(&schema);
        let mut form = Self::from_schema(schema, Schema::new(shown), checker, findings, reading);
        form.rebuild_fields();
        form
    }

    /// Hides texts of these names, whatever the schema says of them, or shows them again.
    pub fn hide_names(&mut self, names: Option<IsHidden>) {
        if self.schema.hidden_names().is_some() == names.is_some() {
            return;
        }
        let was_hidden = self.is_hidden_text();
        self.schema.hide_names(names);
        self.rebuild_fields();
        if self.is_hidden_text() != was_hidden {
            self.editor = None;
        }
    }

    /// What hides its text has an editor of its own, though both are texts.
    fn is_hidden_text(&self) -> bool {
        let row = self.focused_row();
        row.is_some_and(|row| self.fields[row].kind == Kind::Text(TextKind::Secret))
    }

    /// The form as it was when it was made, for another value of its schema.
    #[must_use]
    pub fn into_empty(self) -> Self {
        let mut form =
            Self::from_schema(self.given, self.schema, self.checker, self.findings, self.reading);
        form.rebuild_fields();
        form
    }

    fn from_schema(
        given: Arc<Value>,
        schema: Schema,
        checker: Option<Checker>,
        findings: Vec<SchemaFinding>,
        reading: Option<String>,
    ) -> Self {
        Self {
            given,
            schema,
            checker,
            findings,
            reading,
            ui_notes: Vec::new(),
            value: Arc::new(Value::Object(serde_json::Map::new())),
            written: HashMap::new(),
            shared: Vec::new(),
            secrets: HashSet::new(),
            view: View::default(),
            fields: Vec::new(),
            issues: Vec::new(),
            notes: Vec::new(),
            remarks: Remarks::default(),
            previews: Previews::default(),
            templates: Templates::default(),
            drafts: HashMap::new(),
            typing_from: None,
            fresh: HashMap::new(),
            begun: false,
            kept: HashMap::new(),
            focus: (Pointer::root(), Part::Whole),
            editor: None,
            resting: true,
            full_help: false,
            spare: 0,
            adding: None,
            lost: None,
            removing: None,
            introduced: false,
            clip: String::new(),
            held: None,
            pressed: None,
            wall: LocalTime::default(),
            finder: None,
            saved: None,
            folder: None,
            scroll: 0,
            follow: true,
            columns: Columns::default(),
            lines: Lines::default(),
            spots: Vec::new(),
            area: Rect::default(),
            work: Work::default(),
        }
    }

    /// Puts the form on another schema; focus and folds stay as far as they can.
    pub fn set_schema(&mut self, schema: &Arc<Value>) {
        if self.given == *schema {
            return;
        }
        let mut form = Self::new(Arc::clone(schema));
        form.schema.hide_names(self.schema.hidden_names());
        form.value = Arc::clone(&self.value);
        form.view.folds = std::mem::take(&mut self.view.folds);
        form.view.windows = std::mem::take(&mut self.view.windows);
        form.drafts = std::mem::take(&mut self.drafts);
        form.notes = std::mem::take(&mut self.notes);
        form.previews = std::mem::take(&mut self.previews);
        form.templates = std::mem::take(&mut self.templates);
        form.written = std::mem::take(&mut self.written);
        form.shared = std::mem::take(&mut self.shared);
        form.fresh = std::mem::take(&mut self.fresh);
        form.begun = self.begun;
        form.typing_from = self.typing_from.take();
        form.focus = self.focus.clone();
        form.adding = self.adding.take();
        form.clip = std::mem::take(&mut self.clip);
        form.wall = self.wall;
        form.saved = self.saved.take();
        form.folder = self.folder.take();
        (form.resting, form.scroll, form.full_help) = (self.resting, self.scroll, self.full_help);
        form.introduced = self.introduced;
        form.rebuild_fields();
        let is_as_before = self.is_hidden_text() == form.is_hidden_text();
        let kept = self.editor.take().filter(|_| is_as_before).filter(|_| {
            form.focused_row()
                .is_some_and(|row| self.row_kind() == Some(discriminant(&form.fields[row].kind)))
        });
        if kept.is_some() {
            form.editor = kept;
        }
        *self = form;
        self.refresh_editor();
    }

    /// Takes in another uiSchema, the rest as it is.
    pub(crate) fn set_ui(&mut self, ui: Option<Arc<Value>>) {
        if self.schema.ui_schema() == ui.as_ref() {
            return;
        }
        self.ui_notes = ui.as_deref().map(ignored_options).unwrap_or_default();
        let hidden = self.schema.hidden_names();
        self.schema = Schema::new(Arc::clone(self.schema.root())).with_ui(ui);
        self.schema.hide_names(hidden);
        self.rebuild_fields();
    }
}
