//! The parts of a request that are edited in forms, and what edits of each change.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    app::{
        calls::{CallMessage, CallPart, CallText},
        documents::Change,
        message::{DocumentMessage, Message, TextTarget},
        moved::MovedEntries,
        state::State,
    },
    engine::secret::is_secret_name,
    model::{entry::EntryId, finding::EntryEdit, service::Parameter, tool::Tool},
    schema::{pointer::Pointer, tree::IsHidden},
    syntax::edit::Edit,
    systems::table,
    ui::form::{host::ValueOwner, view::Form},
};

/// Which of the forms it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// What the tool's author sets: it is in the descriptor.
    Configuration,
    /// What a model would give.
    #[default]
    Arguments,
    /// What is said beside the arguments.
    Meta(MetaPart),
    /// The steps of the request: a list, and no form.
    Steps,
    /// How calls are answered in the place of the service.
    Mock,
    /// What one of the steps gets in the place of what it sees: some of the arguments.
    Inputs,
}

impl Part {
    /// Where of a call it is typed; `None`: in the descriptor.
    pub fn call_part(self) -> Option<CallPart> {
        match self {
            Self::Configuration => None,
            Self::Arguments | Self::Steps | Self::Inputs => Some(CallPart::Arguments),
            Self::Mock => Some(CallPart::Mock),
            Self::Meta(_) => Some(CallPart::Meta),
        }
    }

    /// What its form is called, where it can be gone to by name.
    pub fn form_name(self) -> Option<&'static str> {
        match self {
            Self::Configuration => Some("configuration"),
            Self::Arguments => Some("arguments"),
            Self::Mock => Some("mock"),
            Self::Meta(_) => Some("_meta"),
            Self::Steps | Self::Inputs => None,
        }
    }
}

/// The form that was asked to be gone to since `reached`, where it is of this tool.
pub(super) fn new_goal(state: &State, tool: Option<&EntryId>, reached: &mut u64) -> Option<Part> {
    let goal = state.invoke.request_goal.as_ref().filter(|goal| goal.turn != *reached)?;
    if tool != Some(&goal.tool) {
        return None;
    }
    *reached = goal.turn;
    Some(match goal.part {
        CallPart::Mock => Part::Mock,
        _ => Part::Arguments,
    })
}

/// A part of `_meta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MetaPart {
    /// How the tool is configured for the call: one member, by its name.
    Configuration(&'static str),
    /// What its server wants to know of the user and the chat: members.
    Context,
    /// All of it, as JSON.
    Whole,
}

impl MetaPart {
    /// Where an edit of its form's value is made in `_meta`.
    fn place_edit(self, edit: &Edit) -> Edit {
        match (self, edit) {
            (Self::Configuration(member), edit) => edit.with_prefix(&Pointer::root().child(member)),
            (Self::Whole, Edit::Remove { at }) if at.is_root() => {
                Edit::Set { at: at.clone(), to: json!({}).into() }
            }
            (Self::Context | Self::Whole, edit) => edit.clone(),
        }
    }
}

/// A part of the request of a tool: whose value one of the forms edits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RequestPart {
    pub tool: EntryId,
    pub part: Part,
    /// The whole of it as JSON, in the place of a form.
    pub as_json: bool,
}

impl RequestPart {
    /// The same where its tool is now; `None`: that is gone.
    pub fn follow(&self, moved: &MovedEntries) -> Option<Self> {
        Some(Self { tool: moved.follow(&self.tool)?, ..self.clone() })
    }

    pub fn new(tool: EntryId, part: Part) -> Self {
        Self { tool, part, as_json: false }
    }

    fn text(&self, part: CallPart) -> CallText {
        CallText { tool: self.tool.clone(), part }
    }

    /// Edits of a part of `_meta`. A configuration is there once something of it is set.
    fn meta_edits(&self, part: MetaPart, edits: &[Edit], form: &Form, state: &State) -> Vec<Edit> {
        let mut placed: Vec<Edit> = edits.iter().map(|edit| part.place_edit(edit)).collect();
        if let MetaPart::Configuration(member) = part {
            let at = Pointer::root().child(member);
            let is_there = at.get(&state.value_of(&self.tool, CallPart::Meta)).is_some();
            if form.value().as_object().is_some_and(Map::is_empty) {
                placed = is_there.then_some(Edit::Remove { at }).into_iter().collect();
            } else if !is_there {
                placed.insert(0, Edit::Set { at, to: json!({}).into() });
            }
        }
        placed
    }
}

impl ValueOwner for RequestPart {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        match self.part {
            Part::Configuration => (TextTarget::Entry(self.tool.clone()), at),
            Part::Arguments | Part::Steps | Part::Inputs => {
                (TextTarget::Call(self.text(CallPart::Arguments)), at)
            }
            Part::Mock => (TextTarget::Call(self.text(CallPart::Mock)), at),
            Part::Meta(part) => {
                let at = match part {
                    MetaPart::Configuration(member) => Pointer::root().child(member).join(&at),
                    MetaPart::Context | MetaPart::Whole => at,
                };
                (TextTarget::Call(self.text(CallPart::Meta)), at)
            }
        }
    }

    /// They change the descriptor, or what the next call says.
    fn edit_messages(&self, edits: Vec<Edit>, form: &Form, state: &State) -> Vec<Message> {
        match self.part {
            Part::Arguments | Part::Steps | Part::Inputs => {
                let text = self.text(CallPart::Arguments);
                vec![Message::Call(CallMessage::EditText { text, edits })]
            }
            Part::Mock => {
                let text = self.text(CallPart::Mock);
                vec![Message::Call(CallMessage::EditText { text, edits })]
            }
            Part::Meta(part) => {
                let edits = self.meta_edits(part, &edits, form, state);
                let text = self.text(CallPart::Meta);
                vec![Message::Call(CallMessage::EditText { text, edits })]
            }
            Part::Configuration => {
                let label = edits.first().map_or_else(String::new, |edit| {
                    format!("set {}", edit.pointer().to_string().trim_start_matches('/'))
                });
                let entry = self.tool.clone();
                let change = |edit| Change::Entry(EntryEdit { entry: entry.clone(), edit });
                vec![Message::Document(DocumentMessage::Change {
                    label,
                    changes: edits.into_iter().map(change).collect(),
                })]
            }
        }
    }
}

/// How the arguments are shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArgumentsView {
    /// All of them as JSON, in the place of a form.
    pub as_json: bool,
    /// Values are legible although their names are those of secrets.
    pub shows_secrets: bool,
}

impl ArgumentsView {
    /// Names whose texts are hidden, whatever the schema says of them.
    pub fn hidden_names(self) -> Option<IsHidden> {
        if self.shows_secrets { None } else { Some(is_secret_name) }
    }
}

/// The schema of a tool's arguments, which are called so where it names none of them.
pub(super) fn arguments_schema(tool: &Tool) -> Value {
    let mut schema = table::arguments_schema(tool);
    if let Some(members) = schema.as_object_mut() {
        members.entry("title").or_insert_with(|| "arguments".into());
    }
    schema
}

/// The form of a tool's arguments, or all of them as JSON.
pub(super) fn arguments_form(tool: &Tool, view: ArgumentsView) -> Form {
    let mut form = Form::new(arguments_schema(tool));
    form.hide_names(view.hidden_names());
    match view.as_json {
        true => form.with_ui(Some(Arc::new(json!({"ui:widget": "json"})))),
        false => form,
    }
}

/// What the tool's service takes from the descriptor.
pub(super) fn parameters_of<'s>(state: &'s State, tool: &Tool) -> &'s [Parameter] {
    let service = tool
        .service
        .as_deref()
        .and_then(|key| state.catalog.service_by_key(tool.entry.system, key));
    service.map_or(&[], |service| &service.parameters)
}

/// Parameters have no type; what is text, or not there yet, is edited as text, all else as JSON.
pub(super) fn configuration_schema(parameters: &[Parameter], tool: &Tool) -> Value {
    let of = |parameter: &Parameter| {
        let text = tool.entry.value.get(&parameter.name).is_none_or(Value::is_string);
        (parameter.name.clone(), if text { json!({"type": "string"}) } else { json!({}) })
    };
    let properties: Map<String, Value> = parameters.iter().map(of).collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|parameter| parameter.required)
        .map(|parameter| parameter.name.as_str())
        .collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

pub(super) fn configuration(parameters: &[Parameter], tool: &Tool) -> Value {
    let of = |parameter: &Parameter| {
        Some((parameter.name.clone(), tool.entry.value.get(&parameter.name)?.clone()))
    };
    Value::Object(parameters.iter().filter_map(of).collect())
}
