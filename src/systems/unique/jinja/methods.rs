//! Methods of Python's texts, lists and dicts, as templates call them.

use std::sync::LazyLock;

use minijinja::{
    Error, ErrorKind, Value,
    value::{Tuple, ValueKind},
};
use regex::Regex;

use super::{
    arguments::{allow_length, bind, invalid},
    formats::{fill_braces, missing_letters},
    kinds::{is_key, type_name},
    series::view,
    text::{repr, str},
};
use crate::syntax::python::text::{is_space, parse_int};

/// Calls a method of a value.
///
/// # Errors
/// It has no such method, or not with these arguments.
pub(super) fn call_method(value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            match changed_text(text, name, args)? {
                Some(text) => Ok(Value::from(text)),
                None => of_text(text, name, args),
            }
        }
        ValueKind::Map => of_dict(value, name, args),
        ValueKind::Seq => of_list(value, name, args),
        _ => Err(unknown(value, name)),
    }
}

/// Methods that Python has and nothing here does, by the types of values.
const LACKING: [(&str, &str); 5] = [
    ("str", "encode format_map isprintable maketrans translate"),
    ("int", "as_integer_ratio bit_count bit_length conjugate from_bytes is_integer to_bytes"),
    ("bool", "as_integer_ratio bit_count bit_length conjugate from_bytes is_integer to_bytes"),
    ("float", "as_integer_ratio conjugate fromhex hex is_integer"),
    ("dict", "fromkeys"),
];

/// The others, by the types that they are of.
const METHODS: [(&str, &str); 3] = [
    (
        "str",
        "capitalize casefold center count endswith expandtabs find format index isalnum isalpha \
         isascii isdecimal isdigit isidentifier islower isnumeric isspace istitle isupper join ljust \
         lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit \
         rstrip split splitlines startswith strip swapcase title upper zfill",
    ),
    ("dict", "clear copy get items keys pop popitem setdefault update values"),
    ("list", "append clear copy count extend index insert pop remove reverse sort"),
];

/// Whether Python has a method of this name for values of a type.
pub(super) fn is_method(kind: &str, name: &str) -> bool {
    let all = METHODS.iter().chain(&LACKING).filter(|(of, _)| *of == kind);
    all.into_iter().any(|(_, names)| names.split(' ').any(|known| known == name))
}

/// Whether values of some type have a method of this name.
pub(super) fn is_any_method(name: &str) -> bool {
    METHODS.iter().any(|(kind, _)| is_method(kind, name))
}

/// That a value has no such method, or none that is rendered.
fn unknown(value: &Value, name: &str) -> Error {
    let kind = type_name(value);
    let is_known = |names: &str| names.split(' ').any(|known| known == name);
    let is_lacking = LACKING.iter().any(|(of, names)| *of == kind && is_known(names));
    if is_lacking || name.starts_with("__") {
        invalid(format!("{kind}.{name} is not rendered here"))
    } else {
        ErrorKind::UnknownMethod.into()
    }
}

/// The methods that make another text.
fn changed_text(text: &str, name: &str, args: &[Value]) -> Result<Option<String>, Error> {
    let plain = |made: String| bind(args, []).map(|_| made);
    let made = match name {
        "upper" => plain(text.to_uppercase())?,
        "lower" => plain(text.to_lowercase())?,
        "casefold" => plain(text.to_lowercase().replace('ß', "ss").replace('ς', "σ"))?,
        "swapcase" => plain(swap_case(text))?,
        "title" => plain(title(text))?,
        "capitalize" => plain(capitalize(text))?,
        "strip" | "lstrip" | "rstrip" => strip(text, name, args)?,
        "replace" => replace(text, args)?,
        "join" => join(text, args)?,
        "zfill" => zero_fill(text, args)?,
        "center" | "ljust" | "rjust" => justify(text, name, args)?,
        "removeprefix" => {
            let args = bind(args, ["prefix"])?;
            text.strip_prefix(args.text(0)?).unwrap_or(text).to_owned()
        }
        "removesuffix" => {
            let args = bind(args, ["suffix"])?;
            text.strip_suffix(args.text(0)?).unwrap_or(text).to_owned()
        }
        "expandtabs" => expand_tabs(text, args)?,
        "format" => fill_braces(text, args)?,
        _ => return Ok(None),
    };
    allow_length(made.len())?;
    Ok(Some(made))
}

/// A text of letters alone.
static LETTERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{L}+$").ok());
/// A text of letters and digits.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}]+$").ok());

/// Methods of texts that make something else.
fn of_text(text: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
    let flag = |is: bool| bind(args, []).map(|_| Value::from(is));
    let all = |is: fn(char) -> bool| flag(!text.is_empty() && text.chars().all(is));
    match name {
        "split" => split(text, args),
        "rsplit" => split_from_end(text, args),
        "splitlines" => {
            let args = bind(args, ["keepends"])?;
            Ok(lines(text, args.flag(0)).into_iter().collect())
        }
        "partition" | "rpartition" => partition(text, name, args),
        "startswith" | "endswith" => begins_or_ends(text, name, args),
        "find" | "rfind" | "index" | "rindex" | "count" => search(text, name, args),
        "isalpha" => flag(LETTERS.as_ref().is_some_and(|letters| letters.is_match(text))),
        "isalnum" => flag(WORDS.as_ref().is_some_and(|words| words.is_match(text))),
        "isdecimal" => all(is_decimal),
        "isdigit" => all(|letter| is_decimal(letter) || is_raised(letter)),
        "isnumeric" => all(char::is_numeric),
        "isspace" => all(is_space),
        "isascii" => flag(text.is_ascii()),
        "islower" => {
            flag(text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase))
        }
        "isupper" => {
            flag(text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase))
        }
        "istitle" => flag(text.chars().any(has_case) && title(text) == text),
        "isidentifier" => {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let is_start = |letter: char| letter.is_alphabetic() || letter == '_';
            flag(text.starts_with(is_start) && text.chars().all(is_word))
        }
        _ => Err(unknown(&Value::from(text), name)),
    }
}

/// A decimal digit of any script.
fn is_decimal(letter: char) -> bool {
    letter.is_numeric() && parse_int(letter.encode_utf8(&mut [0; 4])).is_ok()
}

/// A digit above, below or within something.
fn is_raised(letter: char) -> bool {
    matches!(letter, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '₀'..='₉' | '①'..='⑨')
}

/// Each letter behind one that has no case is a capital, all others are small.
fn title(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut is_within = false;
    while let Some(letter) = letters.next() {
        match letter {
            // At the end of a word it has a shape of its own.
            'Σ' if is_within && !letters.peek().copied().is_some_and(has_case) => made.push('ς'),
            letter if is_within => made.extend(letter.to_lowercase()),
            letter => made.push_str(&as_title(letter)),
        }
        is_within = has_case(letter);
    }
    made
}

fn has_case(letter: char) -> bool {
    letter.is_lowercase() || letter.is_uppercase() || matches!(letter, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ')
}

/// A letter as a word begins with it: of two in one the first alone is a capital.
fn as_title(letter: char) -> String {
    match letter {
        'Ǆ'..='ǆ' => "ǅ".into(),
        'Ǉ'..='ǉ' => "ǈ".into(),
        'Ǌ'..='ǌ' => "ǋ".into(),
        'Ǳ'..='ǳ' => "ǲ".into(),
        // Georgian has capitals for whole texts alone.
        'ა'..='ჿ' => letter.into(),
        'ŉ' => "ʼN".into(),
        _ => {
            let mut upper = letter.to_uppercase();
            let first = upper.next();
            first.into_iter().chain(upper.flat_map(char::to_lowercase)).collect()
        }
    }
}

pub(super) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(as_title);
    first.unwrap_or_default() + &letters.as_str().to_lowercase()
}

fn swap_case(text: &str) -> String {
    let swap = |letter: char| match letter.is_uppercase() {
        true => letter.to_lowercase().to_string(),
        false => letter.to_uppercase().to_string(),
    };
    text.chars().map(swap).collect()
}

fn strip(text: &str, name: &str, args: &[Value]) -> Result<String, Error> {
    let args = bind(args, ["chars"])?;
    let chars = args.get(0).map(|_| args.text(0)).transpose()?;
    let is_cut = |letter: char| chars.map_or(is_space(letter), |chars| chars.contains(letter));
    Ok(match name {
        "lstrip" => text.trim_start_matches(is_cut),
        "rstrip" => text.trim_end_matches(is_cut),
        _ => text.trim_matches(is_cut),
    }
    .to_owned())
}

fn replace(text: &str, args: &[Value]) -> Result<String, Error> {
    let args = bind(args, ["old", "new", "count"])?;
    let (old, new) = (args.text(0)?, args.text(1)?);
    let places = if old.is_empty() { text.chars().count() + 1 } else { text.matches(old).count() };
    let places = match args.number_or(2, -1)? {
        most @ 0.. => places.min(usize::try_from(most).unwrap_or(usize::MAX)),
        _ => places,
    };
    allow_length(text.len() + places.saturating_mul(new.len()))?;
    Ok(text.replacen(old, new, places))
}

fn join(text: &str, args: &[Value]) -> Result<String, Error> {
    let args = bind(args, ["iterable"])?;
    let mut made = String::new();
    for (row, item) in args.value(0)?.try_iter()?.enumerate() {
        let item = item.as_str().ok_or_else(|| invalid("join takes texts alone"))?.to_owned();
        made.push_str(if row > 0 { text } else { "" });
        made.push_str(&item);
        allow_length(made.len())?;
    }
    Ok(made)
}

fn zero_fill(text: &str, args: &[Value]) -> Result<String, Error> {
    let args = bind(args, ["width"])?;
    args.value(0)?;
    let missing = missing_letters(text, args.number_or(0, 0)?)?;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = &text[..text.len() - digits.len()];
    Ok(format!("{sign}{}{digits}", "0".repeat(missing)))
}

fn justify(text: &str, name: &str, args: &[Value]) -> Result<String, Error> {
    let args = bind(args, ["width", "fillchar"])?;
    args.value(0)?;
    let width = args.number_or(0, 0)?;
    let fill = args.text_or(1, " ")?;
    if fill.chars().count() != 1 {
        return Err(invalid("the fill character has to be one letter"));
    }
    Ok(match name {
        "center" => center(text, width, fill)?,
        "ljust" => format!("{text}{}", fill.repeat(missing_letters(text, width)?)),
        _ => format!("{}{text}", fill.repeat(missing_letters(text, width)?)),
    })
}

/// The odd letter is where Python puts it.
pub(super) fn center(text: &str, width: i64, fill: &str) -> Result<String, Error> {
    let missing = missing_letters(text, width)?;
    let before = missing / 2 + (missing & usize::try_from(width).unwrap_or(0) & 1);
    Ok(format!("{}{text}{}", fill.repeat(before), fill.repeat(missing - before)))
}

fn expand_tabs(text: &str, args: &[Value]) -> Result<String, Error> {
    let args = bind(args, ["tabsize"])?;
    let size = usize::try_from(args.number_or(0, 8)?.clamp(0, 80)).unwrap_or(0);
    let (mut made, mut column) = (String::new(), 0);
    for letter in text.chars() {
        match letter {
            '\t' => {
                let spaces = if size > 0 { size - column % size } else { 0 };
                made.push_str(&" ".repeat(spaces));
                column += spaces;
            }
            letter => {
                made.push(letter);
                column = if matches!(letter, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(made)
}

fn split(text: &str, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["sep", "maxsplit"])?;
    let most = usize::try_from(args.number_or(1, -1)?).unwrap_or(usize::MAX);
    if args.get(0).is_some() {
        let separator = non_empty(args.text(0)?)?;
        return Ok(text.splitn(most.saturating_add(1), separator).collect());
    }
    let mut rest = text.trim_start_matches(is_space);
    let mut words: Vec<&str> = Vec::new();
    while !rest.is_empty() && words.len() < most {
        let (word, after) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
        words.push(word);
        rest = after.trim_start_matches(is_space);
    }
    words.extend(Some(rest).filter(|rest| !rest.is_empty()));
    Ok(words.into_iter().collect())
}

fn split_from_end(text: &str, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["sep", "maxsplit"])?;
    let most = usize::try_from(args.number_or(1, -1)?).unwrap_or(usize::MAX);
    let mut parts: Vec<&str> = Vec::new();
    if args.get(0).is_some() {
        let separator = non_empty(args.text(0)?)?;
        parts.extend(text.rsplitn(most.saturating_add(1), separator));
    } else {
        let mut rest = text.trim_end_matches(is_space);
        while !rest.is_empty() && parts.len() < most {
            let begin = rest.char_indices().rev().find(|(_, letter)| is_space(*letter));
            let begin = begin.map_or(0, |(at, letter)| at + letter.len_utf8());
            parts.push(&rest[begin..]);
            rest = rest[..begin].trim_end_matches(is_space);
        }
        parts.extend(Some(rest).filter(|rest| !rest.is_empty()));
    }
    Ok(parts.into_iter().rev().collect())
}

fn non_empty(separator: &str) -> Result<&str, Error> {
    if separator.is_empty() { Err(invalid("empty separator")) } else { Ok(separator) }
}

/// `text.splitlines()`
pub(super) fn lines(text: &str, keeps_ends: bool) -> Vec<&str> {
    let is_break = |letter: char| {
        matches!(
            letter,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((at, letter)) = rest.char_indices().find(|(_, letter)| is_break(*letter)) {
        let end = at + if rest[at..].starts_with("\r\n") { 2 } else { letter.len_utf8() };
        found.push(&rest[..if keeps_ends { end } else { at }]);
        rest = &rest[end..];
    }
    found.extend(Some(rest).filter(|rest| !rest.is_empty()));
    found
}

fn partition(text: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["sep"])?;
    let separator = non_empty(args.text(0)?)?;
    let parts = match name {
        "partition" => match text.split_once(separator) {
            Some((before, after)) => [before, separator, after],
            None => [text, "", ""],
        },
        _ => match text.rsplit_once(separator) {
            Some((before, after)) => [before, separator, after],
            None => ["", "", text],
        },
    };
    Ok(Value::from(Tuple::from(parts.map(Value::from))))
}

fn begins_or_ends(text: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["prefix", "start", "end"])?;
    let text = part(text, args.number_or(1, 0)?, args.get(2).map(|_| args.number_or(2, 0)))?;
    let wanted = args.value(0)?;
    let holds = |wanted: &str| match name {
        "startswith" => text.starts_with(wanted),
        _ => text.ends_with(wanted),
    };
    if let Some(wanted) = wanted.as_str() {
        return Ok(Value::from(holds(wanted)));
    }
    if !wanted.is_tuple() {
        return Err(invalid(format!("{name} takes a text or a tuple of texts")));
    }
    Ok(Value::from(wanted.try_iter()?.any(|wanted| wanted.as_str().is_some_and(holds))))
}

/// The letters from one place to another, as a slice of Python has them.
fn part(text: &str, start: i64, end: Option<Result<i64, Error>>) -> Result<&str, Error> {
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let place = |at: i64| if at < 0 { (at + count).max(0) } else { at.min(count) };
    let (start, end) = (place(start), place(end.transpose()?.unwrap_or(count)));
    let byte = |at: i64| {
        let at = usize::try_from(at).unwrap_or(0);
        text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
    };
    Ok(if start < end { &text[byte(start)..byte(end)] } else { "" })
}

fn search(text: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["sub", "start", "end"])?;
    let (wanted, start) = (args.text(0)?, args.number_or(1, 0)?);
    let within = part(text, start, args.get(2).map(|_| args.number_or(2, 0)))?;
    if name == "count" {
        let count = if wanted.is_empty() {
            within.chars().count() + 1
        } else {
            within.matches(wanted).count()
        };
        return Ok(Value::from(count));
    }
    let found = if name.starts_with('r') { within.rfind(wanted) } else { within.find(wanted) };
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let before = if start < 0 { (start + count).max(0) } else { start.min(count) };
    match found {
        Some(at) => {
            let letters = i64::try_from(within[..at].chars().count()).unwrap_or(i64::MAX);
            Ok(Value::from(before + letters))
        }
        None if name.ends_with("find") => Ok(Value::from(-1)),
        None => Err(invalid("substring not found")),
    }
}

fn of_dict(dict: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let members = || -> Result<Vec<(Value, Value)>, Error> {
        dict.try_iter()?.map(|key| dict.get_item(&key).map(|value| (key, value))).collect()
    };
    match name {
        "items" => {
            bind(args, [])?;
            let pair = |(key, value)| Value::from(Tuple::from([key, value]));
            Ok(view("dict_items", members()?.into_iter().map(pair).collect(), repr))
        }
        "keys" => {
            bind(args, [])?;
            Ok(view("dict_keys", dict.try_iter()?.collect(), repr))
        }
        "values" => {
            bind(args, [])?;
            let values = members()?.into_iter().map(|(_, value)| value).collect();
            Ok(view("dict_values", values, repr))
        }
        "copy" => bind(args, []).map(|_| dict.clone()),
        "get" => {
            if args.iter().any(Value::is_kwargs) {
                return Err(invalid("dict.get takes no keyword arguments"));
            }
            let args = bind(args, ["key", "default"])?;
            if !is_key(args.value(0)?) {
                return Err(invalid(format!("{} cannot be a key", type_name(args.value(0)?))));
            }
            let found = dict.get_item(args.value(0)?)?;
            let default = || args.get(1).cloned().unwrap_or_else(|| Value::from(()));
            Ok(if found.is_undefined() { default() } else { found })
        }
        "clear" | "pop" | "popitem" | "setdefault" | "update" => Err(changes("dict", name)),
        _ => Err(unknown(dict, name)),
    }
}

fn of_list(list: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    match name {
        "count" => {
            let args = bind(args, ["value"])?;
            let wanted = args.value(0)?;
            Ok(Value::from(list.try_iter()?.filter(|item| item == wanted).count()))
        }
        "index" => {
            let args = bind(args, ["value", "start", "stop"])?;
            let wanted = args.value(0)?;
            let count = list.len().and_then(|len| i64::try_from(len).ok()).unwrap_or_default();
            let place = |at: i64| if at < 0 { (at + count).max(0) } else { at };
            let (start, stop) = (place(args.number_or(1, 0)?), place(args.number_or(2, count)?));
            let is_within = |row: usize| (start..stop).contains(&i64::try_from(row).unwrap_or(-1));
            let mut items = list.try_iter()?.enumerate();
            let row = items.find(|(row, item)| is_within(*row) && item == wanted);
            let row = row.map(|(row, _)| row);
            row.map(Value::from).ok_or_else(|| {
                let wanted = str(wanted).unwrap_or_default();
                invalid(format!("{wanted} is not in list"))
            })
        }
        "copy" => bind(args, []).map(|_| list.clone()),
        "append" | "clear" | "extend" | "insert" | "pop" | "remove" | "reverse" | "sort" => {
            Err(changes("list", name))
        }
        _ => Err(unknown(list, name)),
    }
}

/// What Python does and nothing here can.
fn changes(of: &str, name: &str) -> Error {
    invalid(format!("{of}.{name} changes a value, which is not rendered here"))
}
