//! Texts that are filled in with values: `text % values`, which the filter `format` does as well, and
//! `text.format(values)`. The engine writes the values; what it lacks is put into its words before.

use std::sync::LazyLock;

use minijinja::{
    Error, Value,
    formatting::{self, FormatStyle},
    value::ValueKind,
};
use regex::Regex;

use super::{
    arguments::{allow_length, invalid},
    kinds::{as_float, is_number, type_name},
    series::{as_range, series_type},
    text::{escaped, repr, str},
};
use crate::model::shown::shorten;

/// `%(name)5.1f`
static SIGN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?s)%(?:\((?<name>[^)]*)\))?(?<flags>[-+ #0]*)(?<width>\*|[0-9]*)(?<precision>\.(?:\*|[0-9]*))?[hlL]?(?<kind>.?)",
    )
    .ok()
});
/// The format of a text.
static OF_TEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:(?s:.)?[<>^])?0?[0-9]*(?:\.[0-9]+)?s?$").ok());
/// The format of a number in percent, before its sign.
static PERCENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:(?<fill>(?s:.))?(?<align>[<>=^]))?(?<sign>[-+ ]?)(?<zero>0?)(?<width>[0-9]*)(?<rest>[,_]?(?:\.[0-9]+)?)$",
    )
    .ok()
});

/// `text % value`
///
/// # Errors
/// What the text wants is not what is there.
pub(super) fn fill_percent(text: &Value, value: &Value) -> Result<Value, Error> {
    let is_dict = matches!(value.kind(), ValueKind::Map | ValueKind::Seq) && !value.is_tuple();
    let values = match value.is_tuple() {
        true => value.try_iter()?.collect(),
        false => vec![value.clone()],
    };
    fill_signs(text, values, is_dict.then_some(value))
}

/// The filter `format`: its arguments are those of `%`.
///
/// # Errors
/// What the text wants is not what is there.
pub(super) fn fill_arguments(text: &Value, args: &[Value]) -> Result<Value, Error> {
    match args {
        [names] if names.is_kwargs() => fill_signs(text, Vec::new(), Some(names)),
        _ if args.last().is_some_and(Value::is_kwargs) => {
            Err(invalid("format takes values by their places or by their names, not both"))
        }
        _ => fill_signs(text, args.to_vec(), None),
    }
}

fn fill_signs(text: &Value, values: Vec<Value>, named: Option<&Value>) -> Result<Value, Error> {
    let written = text.as_str().ok_or_else(|| invalid("format takes a text"))?;
    let mut values = values.into_iter();
    // The same with all signs in their order, and with those alone that the engine has.
    let (mut plain, mut args, mut length, mut end) = (String::new(), Vec::new(), written.len(), 0);
    for sign in SIGN.iter().flat_map(|sign| sign.captures_iter(written)) {
        let part = |name| sign.name(name).map_or("", |part| part.as_str());
        let whole = &sign[0];
        let said = shown(whole);
        let start = sign.get(0).map_or(end, |whole| whole.start());
        plain.push_str(&written[end..start]);
        end = start + whole.len();
        if part("kind") == "%" {
            plain.push_str("%%");
            continue;
        }
        let lacking = || invalid(format!("{said} is not rendered here"));
        if [part("width"), part("precision")].iter().any(|part| part.ends_with('*')) {
            return Err(lacking());
        }
        let value = match sign.name("name") {
            Some(name) => member(named, name.as_str())?,
            None => {
                values.next().ok_or_else(|| invalid(format!("there is no value for {said}")))?
            }
        };
        let numbers = || invalid(format!("{said} takes a number, not {}", type_name(&value)));
        let (kind, value) = match part("kind") {
            "d" | "i" | "u" => ("d", whole_number(&value).ok_or_else(numbers)?),
            "s" if value.is_safe() => ("s", value),
            "s" => ("s", Value::from(str(&value)?)),
            "r" => ("s", Value::from(repr(&value)?)),
            "a" => return Err(lacking()),
            "c" => ("c", value),
            kind @ ("e" | "E" | "f" | "F" | "g" | "G" | "o" | "x" | "X") => {
                (kind, Some(value.clone()).filter(is_number).ok_or_else(numbers)?)
            }
            _ => return Err(invalid(format!("{said} is no format"))),
        };
        let value = match value.as_str().filter(|_| text.is_safe() && !value.is_safe()) {
            Some(text) => Value::from(escaped(text)),
            None => value,
        };
        length = length.saturating_add(str(&value)?.len()).saturating_add(digits_sum(whole));
        allow_length(length)?;
        let precision = if part("precision") == "." { ".0" } else { part("precision") };
        plain.push_str(&format!("%{}{}{precision}{kind}", part("flags"), part("width")));
        args.push(value);
    }
    plain.push_str(&written[end..]);
    if named.is_none() && values.next().is_some() {
        return Err(invalid("there are more values than the format has places"));
    }
    let made = formatting::format(FormatStyle::Printf, &plain, &args)?;
    Ok(if text.is_safe() { Value::from_safe_string(made) } else { Value::from(made) })
}

/// The beginning of a part of a format, for a message.
fn shown(part: &str) -> String {
    shorten(part, 60).into_owned()
}

/// What a dict has of this name.
fn member(named: Option<&Value>, name: &str) -> Result<Value, Error> {
    let dict = named.filter(|named| named.kind() == ValueKind::Map).and_then(Value::as_object);
    let dict =
        dict.ok_or_else(|| invalid(format!("%({}) takes values by their names", shown(name))))?;
    let missing = || invalid(format!("there is no value for %({})", shown(name)));
    dict.get_value(&Value::from(name)).ok_or_else(missing)
}

/// What is left of a number without its fraction.
fn whole_number(value: &Value) -> Option<Value> {
    match as_float(value) {
        Some(float) if float.is_finite() => {
            format!("{:.0}", float.trunc()).parse::<i128>().ok().map(Value::from)
        }
        Some(_) => None,
        None if value.kind() == ValueKind::Bool => Some(Value::from(i64::from(value.is_true()))),
        None => Some(value.clone()).filter(is_number),
    }
}

/// All numbers of a format together: each can be a width or a precision.
fn digits_sum(format: &str) -> usize {
    let runs = format.split(|letter: char| !letter.is_ascii_digit());
    let runs = runs.filter(|run| !run.is_empty());
    runs.map(|run| run.parse().unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
}

/// `text.format(args)`
///
/// # Errors
/// What the text wants is not what is there.
pub(super) fn fill_braces(text: &str, args: &[Value]) -> Result<String, Error> {
    let (named, values) = match args.split_last() {
        Some((last, rest)) if last.is_kwargs() => (Some(last), rest),
        _ => (None, args),
    };
    Braces { values, named, next: 0, length: 0 }.fill(text, false)
}

struct Braces<'a> {
    values: &'a [Value],
    named: Option<&'a Value>,
    /// The place of the value for the next `{}`.
    next: usize,
    /// How long the values of all fields were, whatever their formats left of them.
    length: usize,
}

impl Braces<'_> {
    fn fill(&mut self, text: &str, is_format: bool) -> Result<String, Error> {
        let (mut made, mut rest) = (String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            made.push_str(&rest[..at]);
            let (sign, behind) = rest[at..].split_at(1);
            rest = behind;
            if let Some(behind) = rest.strip_prefix(sign) {
                made.push_str(sign);
                rest = behind;
                continue;
            }
            let end = if sign == "{" { closing_brace(rest) } else { None };
            let Some(end) = end else {
                return Err(invalid(format!("a single {sign} in the format")));
            };
            if is_format && rest[..end].contains('{') {
                return Err(invalid("the format has fields within fields within fields"));
            }
            made.push_str(&self.field(&rest[..end])?);
            allow_length(made.len())?;
            rest = &rest[end + 1..];
        }
        Ok(made + rest)
    }

    /// `name!r:>8`
    fn field(&mut self, field: &str) -> Result<String, Error> {
        let (name, rest) = field.split_at(field.find(['!', ':']).unwrap_or(field.len()));
        let (conversion, format) = match rest.strip_prefix('!') {
            Some(rest) => rest.split_once(':').unwrap_or((rest, "")),
            None => ("", rest.strip_prefix(':').unwrap_or_default()),
        };
        let value = self.value_of(name)?;
        let value = match conversion {
            "" => value,
            "s" => Value::from(str(&value)?),
            "r" => Value::from(repr(&value)?),
            _ => return Err(invalid(format!("{{!{}}} is not rendered here", shown(conversion)))),
        };
        self.count_text(&str(&value)?)?;
        let format = self.fill(format, true)?;
        allow_length(digits_sum(&format))?;
        formatted(value, &format)
    }

    fn count_text(&mut self, text: &str) -> Result<(), Error> {
        self.length = self.length.saturating_add(text.len());
        allow_length(self.length)
    }

    /// What `name`, `0`, `name.member` or `0[member]` is.
    fn value_of(&mut self, path: &str) -> Result<Value, Error> {
        let (root, mut rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        let place = match root {
            "" => {
                self.next += 1;
                Some(self.next - 1)
            }
            root => root.parse().ok(),
        };
        let found = match (place, self.named) {
            (Some(place), _) => self.values.get(place).cloned(),
            (None, Some(named)) => Some(named.get_attr(root)?),
            (None, None) => None,
        };
        let missing = || invalid(format!("there is no value for {{{}}}", shown(path)));
        let mut value = found.ok_or_else(missing)?;
        while !rest.is_empty() {
            // To find a letter, all before it are gone through.
            if let Some(text) = value.as_str() {
                self.count_text(text)?;
            }
            // Of views and generators there are no parts.
            if series_type(&value).is_some() && as_range(&value).is_none() {
                return Err(missing());
            }
            let (key, behind) = match rest.strip_prefix('[') {
                Some(rest) => rest.split_once(']').ok_or_else(missing)?,
                None => {
                    let name = rest.strip_prefix('.').ok_or_else(missing)?;
                    name.split_at(name.find(['.', '[']).unwrap_or(name.len()))
                }
            };
            value = match (rest.starts_with('['), key.parse::<usize>()) {
                (true, Ok(row)) => value.get_item_by_index(row)?,
                (true, Err(_)) => value.get_item(&Value::from(key))?,
                // A dict has no members behind a dot.
                (false, _) if value.kind() == ValueKind::Plain => value.get_attr(key)?,
                (false, _) => Value::UNDEFINED,
            };
            if value.is_undefined() {
                return Err(missing());
            }
            rest = behind;
        }
        Ok(value)
    }
}

/// Where the brace is that closes one before the text.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// `format(value, format)`
fn formatted(value: Value, format: &str) -> Result<String, Error> {
    if format.is_empty() {
        return str(&value);
    }
    let refused = || invalid(format!("{} has no format {}", type_name(&value), shown(format)));
    let is_text = value.as_str().is_some();
    if is_text && !OF_TEXT.as_ref().is_some_and(|of_text| of_text.is_match(format)) {
        return Err(refused());
    }
    if !is_text && !is_number(&value) {
        return Err(refused());
    }
    if let Some(percent) = format.strip_suffix('%').filter(|_| !is_text) {
        return in_percent(&value, percent)?.ok_or_else(refused);
    }
    let format = match format.strip_suffix('n').filter(|_| !is_text) {
        Some(format) if as_float(&value).is_some() => format!("{format}g"),
        Some(format) => format!("{format}d"),
        None => format.to_owned(),
    };
    format_value(&format!("{{:{format}}}"), value)
}

/// A number in percent; `None` where that is no format.
fn in_percent(value: &Value, format: &str) -> Result<Option<String>, Error> {
    let Some(parts) = PERCENT.as_ref().and_then(|percent| percent.captures(format)) else {
        return Ok(None);
    };
    let part = |name| parts.name(name).map_or("", |part| part.as_str());
    let number = match value.kind() {
        ValueKind::Bool => f64::from(u8::from(value.is_true())),
        _ => f64::try_from(value.clone())?,
    };
    let plain = format!("{{:{}{}f}}", part("sign"), part("rest"));
    let made = format_value(&plain, Value::from(number * 100.0))? + "%";
    let is_filled = part("zero") == "0";
    let fill = match part("fill") {
        "" if is_filled => "0",
        "" => " ",
        fill => fill,
    };
    let missing = missing_letters(&made, part("width").parse().unwrap_or(0))?;
    let fill = |count| fill.repeat(count);
    Ok(Some(match part("align") {
        "<" => made + &fill(missing),
        "^" => format!("{}{made}{}", fill(missing / 2), fill(missing - missing / 2)),
        "=" | "" if is_filled || part("align") == "=" => {
            let digits = made.trim_start_matches(['-', '+', ' ']);
            let sign = &made[..made.len() - digits.len()];
            format!("{sign}{}{digits}", fill(missing))
        }
        _ => fill(missing) + &made,
    }))
}

fn format_value(format: &str, value: Value) -> Result<String, Error> {
    formatting::format(FormatStyle::StrFormat, format, &[value])
}

/// How many letters a text is shorter than a width.
pub(super) fn missing_letters(text: &str, width: i64) -> Result<usize, Error> {
    let width = usize::try_from(width).unwrap_or(0);
    allow_length(width)?;
    Ok(width.saturating_sub(text.chars().count()))
}
