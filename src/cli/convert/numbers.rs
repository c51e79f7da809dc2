//! Numbers as the source of converted tools writes them: a value has one spelling for each number.

use std::{collections::HashMap, path::Path};

use serde_json::{Number, Value};

use crate::{
    schema::{decimal, pointer::Pointer},
    syntax::source::{Format, Source},
};

/// The spellings of numbers with a point or an exponent; none of those that are written in several
/// ways.
#[derive(Default)]
pub(super) struct Spellings(HashMap<String, Option<Number>>);

impl Spellings {
    /// Those of a document in JSON or YAML.
    pub fn of_text(file: &str, text: &str) -> Self {
        let named = Format::from_path(Path::new(file));
        let formats = named.into_iter().chain([Format::Json, Format::Yaml]);
        let source = formats.into_iter().find_map(|format| Source::parse(format, text).ok());
        let mut found = Self::default();
        if let Some(source) = source {
            found.add_document(&source, 0, &Pointer::root());
        }
        found
    }

    /// Takes in those of a value in a document.
    pub fn add_document(&mut self, source: &Source, document: usize, at: &Pointer) {
        if let Some(value) = source.value_at(document, at) {
            self.add_value(source, document, at, &value);
        }
    }

    fn add_value(&mut self, source: &Source, document: usize, at: &Pointer, value: &Value) {
        match value {
            Value::Number(number) if decimal::is_float(number) => {
                let written = source.written_text(document, at);
                let spelling = written.and_then(|text| serde_json::from_str::<Number>(text).ok());
                let spelling = spelling.filter(|spelling| decimal::numbers_equal(spelling, number));
                let known = self.0.entry(number.to_string()).or_insert_with(|| spelling.clone());
                known.take_if(|known| Some(&*known) != spelling.as_ref());
            }
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(row, item)| self.add_value(source, document, &at.item(row), item)),
            Value::Object(members) => members.iter().for_each(|(name, member)| {
                self.add_value(source, document, &at.child(name.as_str()), member);
            }),
            _ => {}
        }
    }

    /// Gives the numbers in a value the spelling of their source.
    pub fn spell_numbers(&self, value: &mut Value) {
        match value {
            Value::Number(number) => {
                if let Some(Some(spelling)) = self.0.get(&number.to_string()) {
                    *number = spelling.clone();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.spell_numbers(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.spell_numbers(member));
            }
            _ => {}
        }
    }
}
