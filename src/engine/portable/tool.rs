//! What of a tool can be carried.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::fate::{Fate, FateKind};
use crate::{
    model::{
        context::{ANY, Name},
        tool::{Audience, Function, Gate, States},
    },
    schema::equal::values_equal,
};

/// A tool without what only its system knows.
#[derive(Clone, Debug, PartialEq)]
pub struct PortableTool {
    pub name: String,
    pub description: String,
    /// A JSON Schema of type object.
    pub parameters: Value,
    /// Whether a model keeps to it strictly; `None`: it says nothing of that.
    pub strict: Option<bool>,
    /// The JSON Schema of its answers.
    pub output: Option<Value>,
    /// The groups that show it; `None`: it says none.
    pub groups: Option<Vec<Name>>,
    /// The states that show it; `None`: every state.
    pub states: Option<Vec<Name>>,
    /// The state after it.
    pub next: Option<Name>,
    /// The request that answers for it, where it is one.
    pub http: Option<HttpRequest>,
}

/// A request over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// In capitals.
    pub method: String,
    /// With `{name}` for arguments.
    pub path: String,
    /// Where arguments go, for those of which method and path don't say it: in an OpenAPI
    /// parameter's members `in`, `name`, `style` and so on.
    pub places: BTreeMap<String, Value>,
}

impl PortableTool {
    /// The tool of a function, and nothing else.
    #[must_use]
    pub fn from_function(function: Function) -> Self {
        Self {
            name: function.name,
            description: function.description,
            parameters: object_schema(function.parameters),
            strict: function.strict,
            output: None,
            groups: None,
            states: None,
            next: None,
            http: None,
        }
    }

    /// With the groups and states of a gate.
    #[must_use]
    pub fn with_gate(mut self, gate: &Gate) -> Self {
        let gate = gate.to_declared();
        self.groups = gate.groups.filter(|_| gate.offer == Audience::ToGroups);
        self.states = match gate.states {
            States::Every => None,
            States::Only(listed) => Some(listed),
        };
        self.next = gate.next;
        self
    }

    #[must_use]
    pub fn gate(&self) -> Gate {
        let states = match &self.states {
            None => States::Every,
            Some(listed) if listed.iter().any(|name| &**name == ANY) => States::Every,
            Some(listed) => States::Only(listed.clone()),
        };
        let offer = Audience::ToGroups;
        Gate { groups: self.groups.clone(), states, next: self.next.clone(), offer }
    }

    /// Whether it says when it is available.
    #[must_use]
    pub fn is_gated(&self) -> bool {
        self.groups.is_some() || self.states.is_some() || self.next.is_some()
    }

    #[must_use]
    pub fn to_function(&self) -> Function {
        Function {
            name: self.name.clone(),
            description: self.description.clone(),
            parameters: self.parameters.clone(),
            strict: self.strict,
        }
    }

    /// Its fields by their names, those that it has.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let names = |names: &[Name]| json!(names.iter().map(|name| &**name).collect::<Vec<_>>());
        let mut fields = vec![("name", json!(self.name))];
        if !self.description.is_empty() {
            fields.push(("description", json!(self.description)));
        }
        fields.push(("arguments", self.parameters.clone()));
        fields.extend(self.strict.map(|strict| ("strict", json!(strict))));
        fields.extend(self.output.clone().map(|schema| ("answer", schema)));
        fields.extend(self.groups.as_deref().map(|groups| ("groups", names(groups))));
        fields.extend(self.states.as_deref().map(|states| ("states", names(states))));
        fields.extend(self.next.as_deref().map(|next| ("next state", json!(next))));
        fields.extend(
            self.http
                .as_ref()
                .map(|http| ("request", json!(format!("{} {}", http.method, http.path)))),
        );
        let places = self.http.as_ref().map(|http| &http.places).filter(|all| !all.is_empty());
        fields.extend(places.map(|places| ("places", json!(places))));
        fields
    }

    /// What became of its fields in another one, which is it after it was carried.
    #[must_use]
    pub fn fates_in(&self, there: &Self) -> Vec<Fate> {
        let after: Map<String, Value> =
            there.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut fates = Vec::new();
        for (name, value) in self.fields() {
            fates.push(match after.get(name) {
                Some(now) if values_equal(&value, now) => Fate::new(FateKind::Carried, name, ""),
                Some(now) if name == "arguments" => {
                    Fate::new(FateKind::Changed, name, argument_changes(&value, now))
                }
                Some(now) => Fate::new(FateKind::Changed, name, short_text(now)),
                None => Fate::lost(name, short_text(&value)),
            });
        }
        let own: Vec<&str> = self.fields().iter().map(|(name, _)| *name).collect();
        let added = there.fields().into_iter().filter(|(name, _)| !own.contains(name));
        fates.extend(added.map(|(name, value)| Fate::assumed(name, short_text(&value))));
        fates
    }
}

/// A schema that is one of an object, as every API wants it.
#[must_use]
pub fn object_schema(mut schema: Value) -> Value {
    match schema.as_object_mut() {
        Some(members) => {
            members.entry("type").or_insert_with(|| json!("object"));
            schema
        }
        None => json!({"type": "object", "properties": {}}),
    }
}

/// What differs between two schemas of arguments, by argument.
fn argument_changes(old: &Value, new: &Value) -> String {
    let properties = |schema: &Value| -> Map<String, Value> {
        schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let (before, after) = (properties(old), properties(new));
    let mut words = Vec::new();
    for (name, schema) in &before {
        match after.get(name) {
            None => words.push(format!("{name} is lost")),
            Some(now) if values_equal(schema, now) => {}
            Some(now) => words.push(format!("{name}: {}", keyword_changes(schema, now))),
        }
    }
    words.extend(
        after
            .keys()
            .filter(|name| !before.contains_key(name.as_str()))
            .map(|name| format!("{name} is new")),
    );
    let rest = |schema: &Value| {
        let mut members = schema.as_object().cloned().unwrap_or_default();
        members.remove("properties");
        Value::Object(members)
    };
    let (old, new) = (rest(old), rest(new));
    if !values_equal(&old, &new) {
        words.push(keyword_changes(&old, &new));
    }
    words.join("; ")
}

/// The keywords that differ between two schemas.
fn keyword_changes(old: &Value, new: &Value) -> String {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return "another schema".to_owned();
    };
    let mut words = Vec::new();
    for (keyword, value) in old {
        match new.get(keyword) {
            None => words.push(format!("\"{keyword}\" is lost")),
            Some(now) if values_equal(value, now) => {}
            Some(_) => words.push(format!("\"{keyword}\" differs")),
        }
    }
    let is_new = |keyword: &&String| !old.contains_key(keyword.as_str());
    words.extend(new.keys().filter(is_new).map(|keyword| format!("\"{keyword}\" is new")));
    words.join(", ")
}

/// A value in as many letters as a line takes.
#[must_use]
pub fn short_text(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.chars().count() <= MOST {
        return text;
    }
    text.chars().take(MOST).chain(['…']).collect()
}
