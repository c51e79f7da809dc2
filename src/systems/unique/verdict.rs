//! What the platform makes of an entry: takes it, disables its tool, or refuses the whole list.

use serde_json::{Map, Value};

use super::{
    config_schema::{ConfigSchema, EntrySort},
    keys::{self, Member},
};
use crate::{
    engine::conformance::issue_message,
    schema::pointer::Pointer,
    systems::pydantic::{Reading, read_boolean, read_configuration, written_place},
};

/// Something that is wrong with an entry, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub at: Pointer,
    pub words: String,
}

fn complaint(at: Pointer, words: impl Into<String>) -> Complaint {
    Complaint { at, words: words.into() }
}

fn member_place(name: &str) -> Pointer {
    Pointer::root().child(name)
}

/// Members that are true or false.
pub const FLAGS: [Member; 3] = [keys::IS_EXCLUSIVE, keys::IS_SUB_AGENT, keys::IS_ENABLED];

/// Why the platform refuses the list that the entry is in; none where it does not.
/// `is_rejected` says that it disables the tool before that.
#[must_use]
pub fn refusals(entry: &Value, is_rejected: bool) -> Vec<Complaint> {
    let Some(members) = entry.as_object() else {
        return vec![complaint(Pointer::root(), "an entry has to be an object")];
    };
    let mut found = Vec::new();
    match members.get(keys::NAME.camel) {
        Some(Value::String(_)) => {}
        Some(_) => found.push(complaint(member_place(keys::NAME.camel), "the name has to be text")),
        None => found.push(complaint(member_place(keys::NAME.camel), "the entry has no name")),
    }
    if let Some((name, value)) = keys::DISPLAY_NAME.find(members)
        && !value.is_string()
    {
        found.push(complaint(member_place(name), format!("{name} has to be text")));
    }
    if let Some((name, value)) = keys::SELECTION_POLICY.find(members)
        && !value.as_str().is_some_and(|policy| keys::POLICIES.contains(&policy))
    {
        let words = format!("{name} has to be one of {}", keys::POLICIES.join(", "));
        found.push(complaint(member_place(name), words));
    }
    for flag in FLAGS.into_iter().filter(|flag| !(is_rejected && *flag == keys::IS_ENABLED)) {
        if let Some((name, value)) = flag.find(members)
            && read_boolean(value).is_none()
        {
            found.push(complaint(member_place(name), format!("{name} has to be true or false")));
        }
    }
    if EntrySort::of_entry(entry) == EntrySort::Mcp {
        let at = member_place(keys::CONFIGURATION.camel);
        match members.get(keys::CONFIGURATION.camel) {
            Some(Value::Object(_)) => {}
            Some(_) => found.push(complaint(at, "the configuration has to be an object")),
            None => found.push(complaint(at, "the entry has no configuration")),
        }
    }
    found
}

/// Why the platform disables the entry's tool, which says nothing but that its configuration is
/// invalid; none where it does not, or where nothing here knows the tool's schema.
#[must_use]
pub fn rejections(entry: &Value, schema: Option<&ConfigSchema>) -> Vec<Complaint> {
    let sort = EntrySort::of_entry(entry);
    let none = Value::Object(Map::new());
    let at = member_place(keys::CONFIGURATION.camel);
    let configuration = entry.get(keys::CONFIGURATION.camel).unwrap_or(&none);
    let Some(members) = configuration.as_object() else {
        return match sort {
            EntrySort::Mcp => Vec::new(),
            _ => vec![complaint(at, "the configuration has to be an object")],
        };
    };
    if sort == EntrySort::Mcp || !entry.is_object() {
        return Vec::new();
    }
    // The members are handed on beside an argument of this name.
    if sort == EntrySort::Factory && members.contains_key("tool_name") {
        return vec![complaint(at.child("tool_name"), "no configuration may have this member")];
    }
    let Some(schema) = schema else { return Vec::new() };
    let checker = schema.checker();
    let Some(checker) = checker.as_ref() else { return Vec::new() };
    let reading = read_configuration(configuration, schema.json_schema());
    let issues = checker.issues(&reading.value);
    issues
        .iter()
        .map(|issue| {
            let inside = written_place(configuration, &issue.at);
            complaint(at.join(&inside), issue_message(issue))
        })
        .collect()
}

/// An entry's configuration as it is read; `None` where nothing says how.
#[must_use]
pub fn read_entry(entry: &Value, schema: Option<&ConfigSchema>) -> Option<Reading> {
    let configuration = entry.get(keys::CONFIGURATION.camel)?;
    Some(read_configuration(configuration, schema?.json_schema()))
}
