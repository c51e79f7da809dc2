//! Filters and tests of Jinja2 that [`minijinja`] lacks or has otherwise.

use std::sync::LazyLock;

use minijinja::{
    Environment, Error, ErrorKind, Value,
    value::{Rest, ValueKind, ValueOrKwargs},
};
use regex::Regex;

use super::{
    arguments::{allow_length, bind, invalid},
    json::to_json,
    methods::{center, lines},
    text::{as_float, str},
};
use crate::syntax::python::text::{parse_float, parse_int};

type Filter = fn(&Value, &[Value]) -> Result<Value, Error>;

const FILTERS: [(&str, Filter); 18] = [
    ("attr", attribute),
    ("center", center_filter),
    ("d", default),
    ("default", default),
    ("e", escape),
    ("escape", escape),
    ("filesizeformat", file_size),
    ("float", float),
    ("forceescape", force_escape),
    ("indent", indent),
    ("int", int),
    ("join", join),
    ("string", string),
    ("striptags", strip_tags),
    ("tojson", to_json),
    ("truncate", truncate),
    ("urlencode", url_encode),
    ("wordcount", word_count),
];

/// What is no filter of Jinja2.
const OTHERS: [&str; 6] = ["bool", "chain", "lines", "pprint", "split", "zip"];

pub(super) fn add_filters(environment: &mut Environment<'_>) {
    for name in OTHERS {
        environment.remove_filter(name);
    }
    for name in ["endingwith", "startingwith"] {
        environment.remove_test(name);
    }
    for (name, filter) in FILTERS {
        environment.add_filter(name, move |args: Rest<ValueOrKwargs>| {
            let args = args.into_values();
            let (value, args) = args.split_first().ok_or(ErrorKind::MissingArgument)?;
            filter(value, args)
        });
    }
    environment.add_test("sequence", |value: &Value| {
        matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Map)
    });
    environment.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
}

/// Of a dict an attribute is no member; of what else templates have, nothing is known.
fn attribute(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["name"])?;
    match value.kind() {
        ValueKind::Plain => value.get_attr(args.text(0)?),
        _ => Ok(Value::UNDEFINED),
    }
}

fn string(value: &Value, args: &[Value]) -> Result<Value, Error> {
    bind(args, [])?;
    Ok(if value.is_safe() { value.clone() } else { Value::from(str(value)?) })
}

fn default(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["default_value", "boolean"])?;
    let is_replaced = value.is_undefined() || args.flag(1) && !value.is_true();
    let other = args.value(0).cloned().unwrap_or_else(|_| Value::from(""));
    Ok(if is_replaced { other } else { value.clone() })
}

/// A text as HTML has it.
pub(super) fn escaped(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => made.push_str("&amp;"),
            '<' => made.push_str("&lt;"),
            '>' => made.push_str("&gt;"),
            '\'' => made.push_str("&#39;"),
            '"' => made.push_str("&#34;"),
            letter => made.push(letter),
        }
    }
    made
}

fn escape(value: &Value, args: &[Value]) -> Result<Value, Error> {
    if value.is_safe() { Ok(value.clone()) } else { force_escape(value, args) }
}

fn force_escape(value: &Value, args: &[Value]) -> Result<Value, Error> {
    bind(args, [])?;
    Ok(Value::from_safe_string(escaped(&str(value)?)))
}

fn center_filter(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["width"])?;
    center(&str(value)?, args.number_or(0, 80)?, " ").map(Value::from)
}

fn file_size(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["binary"])?;
    let size = match value.as_str() {
        Some(text) => parse_float(text),
        None => f64::try_from(value.clone()).ok(),
    };
    let size = size.ok_or_else(|| invalid("a number is expected"))?;
    let (base, units) = match args.flag(0) {
        true => (1024.0, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"]),
        false => (1000.0, ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"]),
    };
    if size < base {
        let plural = if (size - 1.0).abs() < f64::EPSILON { "Byte" } else { "Bytes" };
        return Ok(Value::from(format!("{} {plural}", size.trunc())));
    }
    let mut size = size / base;
    let mut units = units.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        if size < base {
            break;
        }
        (size, unit) = (size / base, larger);
    }
    Ok(Value::from(format!("{size:.1} {unit}")))
}

/// A whole number of a float, as far as it goes.
fn truncated(float: f64) -> Option<Value> {
    format!("{:.0}", float.trunc()).parse::<i128>().ok().map(whole)
}

/// Small where it can be, as all others are.
fn whole(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)
}

fn int(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["default", "base"])?;
    let base = u32::try_from(args.number_or(1, 10)?).ok().filter(|base| (2..=36).contains(base));
    let number = match (value.as_str(), value.kind()) {
        (Some(text), _) => read_whole(text, base.unwrap_or(10)),
        (_, ValueKind::Bool) => Some(Value::from(i64::from(value.is_true()))),
        (_, ValueKind::Number) => match as_float(value) {
            Some(float) => truncated(float),
            None => Some(value.clone()),
        },
        _ => None,
    };
    Ok(number.unwrap_or_else(|| args.value(0).cloned().unwrap_or_else(|_| Value::from(0))))
}

fn read_whole(text: &str, base: u32) -> Option<Value> {
    if base == 10 {
        let digits = parse_int(text).ok().and_then(|digits| digits.parse().ok()).map(whole);
        return digits.or_else(|| truncated(parse_float(text)?));
    }
    let lower = text.trim().to_lowercase();
    let prefix = match base {
        16 => "0x",
        8 => "0o",
        2 => "0b",
        _ => "",
    };
    let digits = lower.strip_prefix(prefix).unwrap_or(&lower);
    i64::from_str_radix(digits, base).ok().map(Value::from)
}

fn float(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["default"])?;
    let number = match (value.as_str(), value.kind()) {
        (Some(text), _) => parse_float(text),
        (_, ValueKind::Bool) => Some(f64::from(u8::from(value.is_true()))),
        (_, ValueKind::Number) => f64::try_from(value.clone()).ok(),
        _ => None,
    };
    let default = || args.value(0).cloned().unwrap_or_else(|_| Value::from(0.0));
    Ok(number.map_or_else(default, Value::from))
}

fn indent(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["width", "first", "blank"])?;
    let step = match args.get(0).and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => {
            let width = usize::try_from(args.number_or(0, 4)?).unwrap_or(0);
            allow_length(width)?;
            " ".repeat(width)
        }
    };
    let text = str(value)? + "\n";
    let lines = lines(&text, false);
    allow_length(text.len() + lines.len() * step.len())?;
    let mut made = String::new();
    for (row, line) in lines.into_iter().enumerate() {
        let is_indented = if row == 0 { args.flag(1) } else { args.flag(2) || !line.is_empty() };
        made.push_str(if row > 0 { "\n" } else { "" });
        made.push_str(if is_indented { &step } else { "" });
        made.push_str(line);
    }
    Ok(Value::from(made))
}

fn join(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["d", "attribute"])?;
    let between = args.get(0).map_or_else(|| Ok(String::new()), str)?;
    let path = args.get(1).map_or_else(|| Ok(String::new()), str)?;
    let mut made = String::new();
    for (row, mut item) in value.try_iter()?.enumerate() {
        for name in path.split('.').filter(|name| !name.is_empty()) {
            item = match name.parse::<usize>() {
                Ok(row) => item.get_item_by_index(row)?,
                Err(_) => item.get_attr(name)?,
            };
        }
        made.push_str(if row > 0 { &between } else { "" });
        made.push_str(&str(&item)?);
        allow_length(made.len())?;
    }
    Ok(Value::from(made))
}

fn strip_tags(value: &Value, args: &[Value]) -> Result<Value, Error> {
    static TAGS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->|<.*?>").ok());
    bind(args, [])?;
    let text = str(value)?;
    let bare = match &*TAGS {
        Some(tags) => tags.replace_all(&text, "").into_owned(),
        None => text,
    };
    let words: Vec<&str> = bare.split_whitespace().collect();
    let mut plain = words.join(" ");
    for (entity, letter) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(entity, letter);
    }
    Ok(Value::from(plain))
}

fn truncate(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["length", "killwords", "end", "leeway"])?;
    let text = str(value)?;
    let letters: Vec<char> = text.chars().collect();
    let count =
        |at, default| Ok::<_, Error>(usize::try_from(args.number_or(at, default)?).unwrap_or(0));
    let (length, leeway) = (count(0, 255)?, count(3, 5)?);
    if letters.len() <= length.saturating_add(leeway) {
        return Ok(Value::from(text));
    }
    let end = args.text_or(2, "...")?;
    let kept: String =
        letters.into_iter().take(length.saturating_sub(end.chars().count())).collect();
    let kept =
        if args.flag(1) { &kept } else { kept.rsplit_once(' ').map_or(&*kept, |(kept, _)| kept) };
    Ok(Value::from(format!("{kept}{end}")))
}

fn url_encode(value: &Value, args: &[Value]) -> Result<Value, Error> {
    bind(args, [])?;
    if value.as_str().is_some()
        || !matches!(value.kind(), ValueKind::Map | ValueKind::Seq | ValueKind::Iterable)
    {
        return Ok(Value::from(quoted(&str(value)?, "/")));
    }
    let pairs: Vec<(Value, Value)> = match value.kind() {
        ValueKind::Map => value
            .try_iter()?
            .map(|key| Ok((key.clone(), value.get_item(&key)?)))
            .collect::<Result<_, Error>>()?,
        _ => value
            .try_iter()?
            .map(|pair| Ok((pair.get_item_by_index(0)?, pair.get_item_by_index(1)?)))
            .collect::<Result<_, Error>>()?,
    };
    let mut parts = Vec::new();
    for (name, value) in pairs {
        let of_query = |value: &Value| Ok::<_, Error>(quoted(&str(value)?, "").replace("%20", "+"));
        parts.push(format!("{}={}", of_query(&name)?, of_query(&value)?));
    }
    Ok(Value::from(parts.join("&")))
}

/// A text in an address: letters, digits and these stay.
fn quoted(text: &str, safe: &str) -> String {
    let mut made = String::new();
    for byte in text.bytes() {
        let letter = char::from(byte);
        if byte.is_ascii_alphanumeric() || "_.-~".contains(letter) || safe.contains(letter) {
            made.push(letter);
        } else {
            made.push_str(&format!("%{byte:02X}"));
        }
    }
    made
}

fn word_count(value: &Value, args: &[Value]) -> Result<Value, Error> {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w+").ok());
    bind(args, [])?;
    let text = str(value)?;
    Ok(Value::from(WORD.as_ref().map_or(0, |word| word.find_iter(&text).count())))
}
