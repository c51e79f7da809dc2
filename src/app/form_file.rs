//! The one document that `toolcrib form` edits, and how that ended.

use std::{ops::Range, sync::Arc};

use serde_json::{Map, Value};

use super::documents::Document;
use crate::{
    engine::{conformance::issue_message, mask::Mask},
    model::entry::FileId,
    schema::{
        fields::View, pointer::Pointer, secrets::secret_places, tree::Schema, validate::Checker,
    },
    syntax::source::Source,
};

/// Where the document goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormGoal {
    /// To standard output, when the user is done.
    Printed,
    /// Into its file.
    Saved,
}

/// How the form was left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FormEnd {
    #[default]
    Cancelled,
    /// Saved, or to be printed; with issues it is a draft.
    Accepted { issues: Vec<String> },
}

/// What the form program was started with, and how far it is.
#[derive(Clone, Debug)]
pub struct FormFile {
    pub file: FileId,
    /// The schema, with whatever it refers to in it.
    pub schema: Arc<Value>,
    /// How its fields are to be shown.
    pub ui: Option<Arc<Value>>,
    /// The schema's name for the top line.
    pub title: String,
    /// Where the document goes, for the top line.
    pub target: String,
    pub goal: FormGoal,
    /// The document at the start.
    pub document: Document,
    /// Nothing was there at the start but what the schema says.
    pub made: bool,
    /// What changes are held against: the text at the start, or as last saved.
    pub before: Arc<str>,
    pub end: FormEnd,
    /// The issues of the text that is being saved.
    pub saving: Vec<String>,
}

impl FormFile {
    /// The file of the schema without its folder, to be read out at each prompt.
    #[must_use]
    pub fn short_title(&self) -> &str {
        file_name(&self.title)
    }

    /// Where the document goes, without the folder.
    #[must_use]
    pub fn short_target(&self) -> &str {
        file_name(&self.target)
    }

    /// A document of the form's schema without its secrets: what the form masks, and what `mask`
    /// knows.
    #[must_use]
    pub(crate) fn mask_document(&self, source: &Source, mask: &Mask) -> String {
        mask.mask_text_at(source.text(), self.secret_ranges(source))
    }

    fn secret_ranges(&self, source: &Source) -> Vec<Range<usize>> {
        let Some(value) = source.value(0) else { return Vec::new() };
        let opened = Checker::compile_lenient(&self.schema);
        let schema = Schema::new(opened.schema).with_ui(self.ui.clone());
        let found = secret_places(&schema, opened.checker.as_ref(), &View::default(), value);
        let range = |at: &Pointer| source.find_place(0, at).map(|place| place.value);
        found.iter().filter_map(range).map(|value| value.start..value.end).collect()
    }
}

/// What the form program leaves behind.
#[derive(Clone, Debug)]
pub struct FilledForm {
    pub text: Arc<str>,
    pub goal: FormGoal,
    pub end: FormEnd,
}

/// The value of a document; one that is empty counts as an object without members.
#[must_use]
pub(crate) fn value_of(document: &Document) -> Arc<Value> {
    let value = document.source.as_ref().ok().and_then(|source| source.value(0).cloned());
    value.unwrap_or_else(|| Arc::new(Value::Object(Map::new())))
}

/// What is wrong with the document by its schema, each in a sentence. Nothing can be known by a
/// schema that is itself wrong.
#[must_use]
pub(crate) fn issues_of(schema: &Arc<Value>, document: &Document) -> Vec<String> {
    let Some(checker) = Checker::compile_lenient(schema).checker else { return Vec::new() };
    checker.issues(&value_of(document)).iter().map(issue_message).collect()
}

/// The last part of a path, and any other text as it is.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path)
}
