//! What a system needs to know of a connection, as the system describes it: reading, checks and the
//! form follow from the description.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::table::{AlreadyReported, Reader, Table};
use crate::model::{
    connection::{Connection, SystemSettings},
    connections::Connections,
    entry::SystemId,
    finding::Severity,
    problem::Problem,
    transport::TransportKind,
};

/// The settings that a system has on connections.
pub struct SettingsSchema {
    pub system: SystemId,
    /// The table within a connection's that holds them; `None`: they stand among the connection's
    /// own keys.
    pub table: Option<&'static str>,
    /// The one of its keys that says that a connection leads to this system, where it takes one.
    pub named_by: Option<&'static str>,
    /// The transports that they count on.
    pub transports: &'static [TransportKind],
    /// Where that is, for people: `behind a gateway`.
    pub counts: &'static str,
    /// An object's JSON Schema with every key, in the order in which the form shows them.
    pub schema: fn() -> Value,
    /// The code of the finding and its words where a key is missing that the schema requires.
    pub required: (&'static str, &'static str),
    pub rules: &'static [Rule],
    pub secrets: &'static [SecretMember],
    pub connections: &'static [ConnectionMember],
}

/// In the schema of a key that counts only for a server with an address, not for one that is started.
pub const NEEDS_ADDRESS: &str = "x-needs-address";

/// What must hold for a text, or each text of a list, beyond its being one; while it does not, the
/// connection cannot be used.
pub struct Rule {
    pub key: &'static str,
    pub code: &'static str,
    /// Goes on after the key: `must be …`.
    pub words: &'static str,
    pub holds: fn(&str) -> bool,
}

/// A secret whose place one of two keys names: `postgres-variable`, `postgres-key`.
pub struct SecretMember {
    /// How the two keys begin.
    pub key: &'static str,
    /// Keys under which people write the secret itself.
    pub written: &'static [&'static str],
}

/// A text that names another connection.
pub struct ConnectionMember {
    pub key: &'static str,
    /// The code of the finding where it names none that serves.
    pub code: &'static str,
    /// The connection of that name or address, or why it does not serve.
    pub find: fn(&Connections, &str) -> Result<Connection, Problem>,
}

/// The line that a connection lacks which starts a server and doesn't say of which system that is;
/// `None`: it says so, or starts none.
#[must_use]
pub(crate) fn missing_system(
    connection: &Connection,
    systems: &[&SettingsSchema],
) -> Option<String> {
    if connection.command().is_none() || !connection.settings.is_empty() {
        return None;
    }
    let fit = |system: &&&SettingsSchema| system.transports.contains(&connection.transport());
    let line =
        |system: &&SettingsSchema| Some(format!("{} = \"{}\"", system.named_by?, system.system));
    systems.iter().filter(fit).find_map(line)
}

impl SettingsSchema {
    /// Settings in a table that is named as the system, with nothing required or forbidden.
    #[must_use]
    pub const fn in_table(
        system: SystemId,
        (transports, counts): (&'static [TransportKind], &'static str),
        schema: fn() -> Value,
    ) -> Self {
        Self {
            system,
            table: Some(system),
            named_by: None,
            transports,
            counts,
            schema,
            required: ("", ""),
            rules: &[],
            secrets: &[],
            connections: &[],
        }
    }

    /// Whether a connection has them.
    #[must_use]
    pub fn is_on(&self, connection: &Connection) -> bool {
        self.transports.contains(&connection.transport())
            && connection.settings.contains_key(self.system)
    }

    /// Every key that may be written.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        schema_properties(&(self.schema)()).keys().cloned().collect()
    }

    /// The keys that they add to a connection's own table.
    #[must_use]
    pub fn keys_beside(&self) -> Vec<String> {
        self.table.map_or_else(|| self.keys(), |table| vec![table.to_owned()])
    }

    /// Reads them from a connection's table; `None` where there are none. What is wrong is noted.
    ///
    /// # Errors
    /// When the connection cannot be used until that is fixed.
    pub fn read_settings(
        &self,
        reader: &mut Reader,
        table: &Table<'_>,
        kind: TransportKind,
    ) -> Result<Option<SystemSettings>, AlreadyReported> {
        let keys = self.keys();
        if let Some(name) = self.table {
            let Some(own) = reader.read_table(table, name) else { return Ok(None) };
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let secrets = self
                .secrets
                .iter()
                .flat_map(|secret| secret.written.iter().map(|written| (*written, secret.key)));
            reader.known_but_secrets(&own, &secrets.collect::<Vec<_>>(), &keys);
            return self.read_members(reader, &own).map(Some);
        }
        let written: Vec<&String> =
            keys.iter().filter(|key| table.members.contains_key(*key)).collect();
        for key in written.iter().filter(|_| !self.transports.contains(&kind)) {
            let message = format!(
                "{key} only applies {}, which transport {} isn't",
                self.counts,
                kind.as_str()
            );
            reader.add_finding(
                Severity::Warning,
                "settings.no-gateway",
                &table.at.child(key.as_str()),
                message,
            );
        }
        if written.is_empty() { Ok(None) } else { self.read_members(reader, table).map(Some) }
    }

    fn read_members(
        &self,
        reader: &mut Reader,
        table: &Table<'_>,
    ) -> Result<SystemSettings, AlreadyReported> {
        let schema = (self.schema)();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for key in required.iter().filter(|key| !table.members.contains_key(**key)) {
            let (code, words) = self.required;
            reader.add_finding(
                Severity::Error,
                code,
                &table.at,
                format!("{words}; add {key} = \"…\""),
            );
        }
        let mut settings = SystemSettings::default();
        let mut broken = false;
        let names_secret = |key: &str| {
            let ends = ["-variable", "-key"].iter().filter_map(|end| key.strip_suffix(end));
            ends.into_iter().any(|start| self.secrets.iter().any(|secret| secret.key == start))
        };
        for (key, property) in
            schema_properties(&schema).iter().filter(|(key, _)| !names_secret(key))
        {
            let Some(value) = table.members.get(key) else { continue };
            let at = table.at.child(key.as_str());
            if !matches_type(property, value) {
                reader.note_wrong_type(&at, type_description(property));
                continue;
            }
            let texts = match value {
                Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
                value => vec![value.as_str().unwrap_or_default()],
            };
            let is_broken = |rule: &&Rule| texts.iter().any(|text| !(rule.holds)(text));
            for rule in self.rules.iter().filter(|rule| rule.key == key).filter(is_broken) {
                broken = true;
                reader.add_finding(
                    Severity::Error,
                    rule.code,
                    &at,
                    format!("{key} {}", rule.words),
                );
            }
            settings.values.insert(key.clone(), value.clone());
        }
        if broken || required.iter().any(|key| !settings.values.contains_key(*key)) {
            return Err(AlreadyReported);
        }
        for member in self.secrets {
            if let Some(at) = reader.read_secret(table, member.key)? {
                settings.secrets.insert(member.key, at);
            }
        }
        Ok(settings)
    }

    /// Finds the connections that they name, once all are known.
    pub fn find_connections(
        &self,
        reader: &mut Reader,
        name: &str,
        table: &Table<'_>,
        connections: &mut Connections,
    ) {
        let settings =
            connections.find_by_name(name).and_then(|known| known.settings.get(self.system));
        let Some(mut settings) = settings.cloned() else { return };
        for member in self.connections {
            let Some(wanted) = settings.text_value(member.key) else { continue };
            match (member.find)(connections, wanted) {
                Ok(found) => drop(settings.connections.insert(member.key, found)),
                Err(problem) => {
                    let at = self
                        .table
                        .map_or_else(|| table.at.clone(), |own| table.at.child(own))
                        .child(member.key);
                    let message = format!("{}; {}", problem.cause, problem.remedy);
                    reader.add_finding(Severity::Error, member.code, &at, message);
                }
            }
        }
        if let Some(known) = connections.known.iter_mut().find(|known| known.name == name) {
            known.settings.insert(self.system, settings);
        }
    }
}

/// The properties of an object's schema.
#[must_use]
pub(crate) fn schema_properties(schema: &Value) -> &Map<String, Value> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    schema["properties"].as_object().unwrap_or(&NONE)
}

/// Whether a value is of the type that its schema names.
fn matches_type(schema: &Value, value: &Value) -> bool {
    match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("array") => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        Some("object") => value.is_object(),
        _ => true,
    }
}

/// That type for people.
fn type_description(schema: &Value) -> &'static str {
    match schema["type"].as_str() {
        Some("boolean") => "true or false",
        Some("integer") => "a whole number",
        Some("array") => "a list of texts: [\"one\", \"two\"]",
        Some("object") => "a table",
        _ => "a text in quotes",
    }
}
