//! Null in the schema that a form builds: it comes and goes in the words that the schema has for it.

use serde_json::Value;

use super::view::{Form, FormReply};
use crate::{
    schema::{
        nullable::{allows_null, member_changes, with_null},
        pointer::Pointer,
    },
    syntax::edit::Edit,
};

impl Form {
    /// Makes the schema at a place allow null, or not.
    pub(super) fn set_or_null(&mut self, at: &Pointer, on: bool) -> FormReply {
        let Some(Value::Object(schema)) = at.get(&self.value) else { return FormReply::Handled };
        let changes = member_changes(schema, &with_null(schema, on));
        let edit = |(name, to): (String, Option<Value>)| match to {
            Some(to) => Edit::Set { at: at.child(name), to: to.into() },
            None => Edit::Remove { at: at.child(name) },
        };
        let edits: Vec<Edit> = changes.into_iter().map(edit).collect();
        if edits.is_empty() {
            return FormReply::Handled;
        }
        // The schema may be of another kind with it.
        self.view.picks.retain(|(place, _), _| place != at);
        self.commit_edits(edits)
    }

    /// What is known of a schema of another kind, with null where that was allowed before.
    pub(super) fn keep_null(&self, at: &Pointer, to: Value) -> Value {
        let allows = |schema: &Value| schema.as_object().and_then(allows_null);
        match to {
            Value::Object(schema)
                if at.get(&self.value).and_then(allows) == Some(true)
                    && allows_null(&schema) == Some(false) =>
            {
                Value::Object(with_null(&schema, true))
            }
            to => to,
        }
    }
}
