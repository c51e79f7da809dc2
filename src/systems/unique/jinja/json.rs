//! `tojson`: `json.dumps` with sorted keys and ASCII alone, safe within HTML.

use minijinja::{Error, Value, value::ValueKind};

use super::{
    arguments::{allow_length, bind, invalid},
    kinds::as_float,
    series::series_type,
    text::str,
};
use crate::syntax::python::text::float_repr;

/// Values within values go no deeper.
const DEEPEST: usize = 100;

/// The filter.
///
/// # Errors
/// A value has no JSON, or too much.
pub(super) fn to_json(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["indent"])?;
    let step = match args.get(0) {
        Some(step) if step.as_str().is_some() => step.as_str().map(str::to_owned),
        Some(_) => {
            Some(" ".repeat(usize::try_from(args.number_or(0, 0)?.clamp(0, 40)).unwrap_or(0)))
        }
        None => None,
    };
    let mut writer = Writer { out: String::new(), step };
    writer.write(value, 0)?;
    Ok(Value::from_safe_string(writer.out))
}

struct Writer {
    out: String,
    /// What each level is indented with; `None`: all is in one line.
    step: Option<String>,
}

impl Writer {
    fn write(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        allow_length(self.out.len())?;
        if depth > DEEPEST {
            return Err(invalid("the value is nested too deep"));
        }
        if let Some(kind) = series_type(value) {
            return Err(invalid(format!("{kind} has no JSON: make a list of it with |list")));
        }
        match value.kind() {
            ValueKind::None => self.out.push_str("null"),
            ValueKind::Bool => self.out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => match as_float(value) {
                Some(float) if float.is_nan() => self.out.push_str("NaN"),
                Some(float) if float.is_infinite() => {
                    self.out.push_str(if float > 0.0 { "Infinity" } else { "-Infinity" });
                }
                Some(float) => self.out.push_str(&float_repr(float)),
                None => self.out.push_str(&value.to_string()),
            },
            ValueKind::String => self.write_text(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => {
                let items: Vec<Value> = value.try_iter()?.collect();
                self.write_all('[', ']', depth, &items, |this, item| this.write(item, depth + 1))?;
            }
            ValueKind::Map => {
                let mut members = Vec::new();
                for key in value.try_iter()? {
                    members.push((str(&key)?, value.get_item(&key)?));
                }
                members.sort_by(|one, other| one.0.cmp(&other.0));
                self.write_all('{', '}', depth, &members, |this, (name, member)| {
                    this.write_text(name);
                    this.out.push_str(": ");
                    this.write(member, depth + 1)
                })?;
            }
            kind => return Err(invalid(format!("a value of type {kind} has no JSON"))),
        }
        Ok(())
    }

    fn write_all<T>(
        &mut self,
        open: char,
        close: char,
        depth: usize,
        parts: &[T],
        write: impl Fn(&mut Self, &T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.out.push(open);
        for (row, part) in parts.iter().enumerate() {
            match &self.step {
                Some(_) => self.out.push_str(if row > 0 { "," } else { "" }),
                None => self.out.push_str(if row > 0 { ", " } else { "" }),
            }
            self.break_line(depth + 1);
            write(self, part)?;
        }
        if !parts.is_empty() {
            self.break_line(depth);
        }
        self.out.push(close);
        Ok(())
    }

    fn break_line(&mut self, depth: usize) {
        if let Some(step) = &self.step {
            self.out.push('\n');
            self.out.push_str(&step.repeat(depth));
        }
    }

    fn write_text(&mut self, text: &str) {
        self.out.push('"');
        for letter in text.chars() {
            match letter {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                ' '..='~' if !"<>&'".contains(letter) => self.out.push(letter),
                letter => {
                    for unit in letter.encode_utf16(&mut [0; 2]) {
                        self.out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        self.out.push('"');
    }
}
