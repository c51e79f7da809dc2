//! Reads tables of known keys from a settings file, and notes what is wrong with its place.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{
    engine::{lint::syntax, secret::looks_secret, workflow::similar},
    model::{
        connection::SecretAt,
        context::Name,
        duration,
        entry::FileId,
        finding::{Finding, Severity, Site},
    },
    schema::pointer::Pointer,
    syntax::source::{Format, Source},
};

/// A settings file while it is being read.
pub struct Reader {
    file: FileId,
    source: Option<Source>,
    pub findings: Vec<Finding>,
}

/// Whether a text can be the name of an environment variable.
#[must_use]
pub(crate) fn is_variable_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty()
        && text.chars().all(is_letter)
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
}

/// What is wrong with a place where a secret is said to be; what may be the secret itself is not
/// repeated.
fn place_fault(at: &SecretAt) -> Option<&'static str> {
    match at {
        SecretAt::Variable(name) | SecretAt::KeyStore(name)
            if !name.is_empty() && looks_secret("", name).is_some() =>
        {
            Some("this looks like the secret itself; name the place where it is")
        }
        SecretAt::Variable(name) if !is_variable_name(name) => {
            Some("this can't be the name of an environment variable: letters, digits and _")
        }
        SecretAt::KeyStore(name) if name.trim().is_empty() => Some("name the secret"),
        SecretAt::Variable(_) | SecretAt::KeyStore(_) => None,
    }
}

/// Something is wrong that leaves nothing to go on with; a finding says it.
#[derive(Clone, Copy, Debug)]
pub struct AlreadyReported;

/// A table of the file.
#[derive(Clone)]
pub struct Table<'v> {
    pub members: &'v Map<String, Value>,
    pub at: Pointer,
}

impl Reader {
    /// Opens a file and gives the table that it is; an empty one where the text is not TOML.
    pub fn open_toml(file: FileId, text: &str) -> (Self, Map<String, Value>) {
        let mut reader = Self { file, source: None, findings: Vec::new() };
        match Source::parse(Format::Toml, text) {
            Ok(source) => {
                reader.findings = syntax::findings_from_notes(&reader.file, &source, &|_, _| None);
                let root = source
                    .value(0)
                    .and_then(|value| value.as_object().cloned())
                    .unwrap_or_default();
                reader.source = Some(source);
                (reader, root)
            }
            Err(error) => {
                reader.findings.push(syntax::syntax_error_finding(&reader.file, &error));
                (reader, Map::new())
            }
        }
    }

    pub fn add_finding(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: &Pointer,
        message: impl Into<String>,
    ) {
        let place = self.source.as_ref().and_then(|source| source.find_place(0, at));
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        let site = Site { file: self.file.clone(), entry: None, pointer: at.clone(), line, column };
        self.findings.push(Finding::new(code, severity, message.into(), site));
    }

    /// The value there is not of the kind that is wanted.
    pub fn note_wrong_type(&mut self, at: &Pointer, wanted: &str) {
        let key = at.tokens().join(".");
        self.add_finding(
            Severity::Error,
            "settings.wrong-type",
            at,
            format!("{key} must be {wanted}"),
        );
    }

    /// A table whose keys are all known; others are noted with the nearest known one.
    pub fn check_keys(&mut self, table: &Table<'_>, known: &[&str]) {
        for key in table.members.keys().filter(|key| !known.contains(&key.as_str())) {
            let hint = match similar::nearest_name(key, known.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("known here: {}", known.join(", ")),
            };
            let at = table.at.child(key.as_str());
            self.add_finding(
                Severity::Warning,
                "settings.unknown-key",
                &at,
                format!("unknown key \"{}\"; {hint}", escaped_text(key)),
            );
        }
    }

    /// The same for a table in which people write secrets under some keys:
    /// `(key, how the keys to use begin)`.
    pub fn known_but_secrets(
        &mut self,
        table: &Table<'_>,
        secrets: &[(&str, &str)],
        known: &[&str],
    ) {
        let mut rest = table.members.clone();
        for (key, instead) in secrets {
            if rest.shift_remove(*key).is_some() {
                let message = format!(
                    "secrets don't belong in this file; name the environment variable that holds \
                    it with {instead}-variable, or its name in the system's key store with {instead}-key"
                );
                self.add_finding(
                    Severity::Error,
                    "settings.secret",
                    &table.at.child(*key),
                    message,
                );
            }
        }
        self.check_keys(&Table { members: &rest, at: table.at.clone() }, known);
    }

    /// Where a secret lies, as its two keys may say: `password-variable`, `password-key`. What is
    /// wrong is noted.
    pub fn read_secret(
        &mut self,
        table: &Table<'_>,
        what: &str,
    ) -> Result<Option<SecretAt>, AlreadyReported> {
        let keys = [format!("{what}-variable"), format!("{what}-key")];
        let [variable, key] = keys.each_ref().map(|key| self.read_text(table, key));
        let message = match (&variable, &key) {
            (Some(_), Some(_)) => {
                format!("{what} can only be in one place: use either {} or {}", keys[0], keys[1])
            }
            (Some(name), None) | (None, Some(name)) if name.trim().is_empty() => {
                format!("name the place of {what}")
            }
            _ => {
                let named = variable.map(SecretAt::Variable).or(key.map(SecretAt::KeyStore));
                if let Some(place) = &named {
                    let key = match place {
                        SecretAt::Variable(_) => &keys[0],
                        SecretAt::KeyStore(_) => &keys[1],
                    };
                    self.note_place(&table.at.child(key.as_str()), place);
                }
                return Ok(named);
            }
        };
        self.add_finding(Severity::Error, "settings.credentials", &table.at, message);
        Err(AlreadyReported)
    }

    /// Notes what is wrong with the place where a secret is said to be.
    pub fn note_place(&mut self, at: &Pointer, place: &SecretAt) {
        if let Some(words) = place_fault(place) {
            self.add_finding(Severity::Error, "settings.secret", at, words);
        }
    }

    pub fn read_table<'v>(&mut self, table: &Table<'v>, key: &str) -> Option<Table<'v>> {
        let at = table.at.child(key);
        match table.members.get(key)? {
            Value::Object(members) => Some(Table { members, at }),
            _ => {
                self.note_wrong_type(&at, "a table");
                None
            }
        }
    }

    pub fn read_text(&mut self, table: &Table<'_>, key: &str) -> Option<String> {
        let value = table.members.get(key)?;
        match value.as_str() {
            Some(text) => Some(text.to_owned()),
            None => {
                self.note_wrong_type(&table.at.child(key), "a text in quotes");
                None
            }
        }
    }

    pub fn read_flag(&mut self, table: &Table<'_>, key: &str) -> Option<bool> {
        let value = table.members.get(key)?;
        if value.as_bool().is_none() {
            self.note_wrong_type(&table.at.child(key), "true or false");
        }
        value.as_bool()
    }

    /// A whole number from 1 on.
    pub fn read_count(&mut self, table: &Table<'_>, key: &str) -> Option<u64> {
        let count = table.members.get(key)?.as_u64().filter(|count| *count > 0);
        if count.is_none() {
            self.note_wrong_type(&table.at.child(key), "a whole number from 1 on");
        }
        count
    }

    /// A span of time, longer than nothing; a number counts seconds.
    pub fn read_duration(&mut self, table: &Table<'_>, key: &str) -> Option<Duration> {
        let value = table.members.get(key)?;
        let time = duration::duration_of(value);
        if time.is_none() {
            let wanted = format!("a time: {}", duration::EXAMPLES);
            self.note_wrong_type(&table.at.child(key), &wanted);
        }
        time
    }

    pub fn read_texts(&mut self, table: &Table<'_>, key: &str) -> Option<Vec<String>> {
        let value = table.members.get(key)?;
        let texts = value
            .as_array()
            .and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        if texts.is_none() {
            self.note_wrong_type(&table.at.child(key), "a list of texts: [\"one\", \"two\"]");
        }
        texts
    }

    pub fn read_names(&mut self, table: &Table<'_>, key: &str) -> Option<Vec<Name>> {
        Some(self.read_texts(table, key)?.into_iter().map(Name::from).collect())
    }

    /// One of some words, and what it represents.
    pub fn read_choice<T: Copy>(
        &mut self,
        table: &Table<'_>,
        key: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let text = self.read_text(table, key)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            let message = format!(
                "{key} must be one of {}; \"{}\" is not",
                known.join(", "),
                escaped_text(&text)
            );
            self.add_finding(
                Severity::Error,
                "settings.unknown-word",
                &table.at.child(key),
                message,
            );
        }
        found
    }
}

/// A text of the file as a message may hold it.
fn escaped_text(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
