//! How the arguments of a request are shown: in a form or as JSON, with or without secrets.

use serde_json::{Map, Value};

use super::{parts::Part, request::RequestPane};
use crate::{
    app::{
        calls::{CallMessage, CallPart, CallText},
        message::Message,
        notices::NoticeKind,
        state::State,
    },
    schema::{literal::Literal, pointer::Pointer},
    syntax::edit::Edit,
    systems::table,
    ui::{form::view::Form, view::Reply},
};

impl RequestPane {
    /// Edits the arguments as JSON, or in a form again.
    pub(super) fn switch_json(&mut self, state: &State) -> Reply {
        let mut messages = self.arguments.leave(state);
        self.part = Part::Arguments;
        if let Some(words) = self.arguments.shown_form().and_then(Form::unsent_draft) {
            messages.push(Message::Notice(NoticeKind::Problem, words));
            return Reply::Send(messages);
        }
        self.arguments.rest();
        self.view.as_json = !self.view.as_json;
        self.opens_json = self.view.as_json;
        // The other form is as it was when it was last shown.
        self.generation = None;
        Reply::Send(messages)
    }

    /// Takes a pasted JSON object as all of the arguments, where its members are some of theirs and
    /// nobody types; `None`: it is for the field under the cursor.
    pub(super) fn paste_arguments(&mut self, text: &str, state: &State) -> Option<Reply> {
        if self.part != Part::Arguments || self.view.as_json || self.arguments.is_typing() {
            return None;
        }
        let tool = state.tool(self.tool()?)?;
        let pasted = Some(text.trim()).filter(|text| text.starts_with('{'))?;
        let pasted = Literal::parse(pasted).ok()?;
        let schema = table::arguments_schema(tool);
        let members = pasted.value().as_object()?;
        let under_cursor = self.arguments.shown_form()?.focus().0.clone();
        let is_for_field = !under_cursor.is_root()
            && schema_at(&schema, &under_cursor).is_some_and(|own| has_all(own, members));
        if is_for_field || !has_all(&schema, members) {
            return None;
        }
        let text = CallText { tool: tool.id().clone(), part: CallPart::Arguments };
        let edits = vec![Edit::Set { at: Pointer::root(), to: pasted }];
        let undo = state.keymap.way_to("undo");
        let words = format!("the pasted arguments are in the form; {undo} undoes it");
        let mut messages = self.arguments.leave(state);
        messages.push(Message::Call(CallMessage::EditText { text, edits }));
        messages.push(Message::Notice(NoticeKind::Done, words));
        Some(Reply::Send(messages))
    }

    /// Shows values whose names are those of secrets, or hides them again.
    pub(super) fn turn_secrets(&mut self) -> Reply {
        self.view.shows_secrets = !self.view.shows_secrets;
        self.generation = None;
        Reply::Handled
    }
}

/// Whether an object's schema names each of these members.
fn has_all(schema: &Value, members: &Map<String, Value>) -> bool {
    let named = schema.get("properties").and_then(Value::as_object);
    !members.is_empty()
        && named.is_some_and(|named| members.keys().all(|name| named.contains_key(name)))
}

/// The schema of a property of a property.
fn schema_at<'s>(schema: &'s Value, at: &Pointer) -> Option<&'s Value> {
    at.tokens().iter().try_fold(schema, |schema, name| schema.get("properties")?.get(name))
}
