//! Filters and tests of Jinja2 that [`minijinja`] lacks or has otherwise.

use std::sync::LazyLock;

use minijinja::{
    Environment, Error, ErrorKind, State, Value, filters,
    value::{Rest, ValueKind, ValueOrKwargs},
};
use regex::Regex;

use super::{
    arguments::{allow_length, bind, invalid},
    formats::fill_arguments,
    json::to_json,
    kinds::{as_float, is_number, type_name, whole},
    methods::{capitalize, center, lines},
    operators::have_order,
    text::{escaped, str},
};
use crate::syntax::python::text::{parse_float, parse_int};

type Filter = fn(&Value, &[Value]) -> Result<Value, Error>;

const FILTERS: [(&str, Filter); 22] = [
    ("attr", attribute),
    ("capitalize", |value, args| bind(args, []).and_then(|_| Ok(capitalize(&str(value)?).into()))),
    ("center", center_filter),
    ("d", default),
    ("default", default),
    ("e", escape),
    ("escape", escape),
    ("filesizeformat", file_size),
    ("float", float),
    ("forceescape", force_escape),
    ("format", fill_arguments),
    ("indent", indent),
    ("int", int),
    ("join", join),
    ("round", round),
    ("string", string),
    ("striptags", strip_tags),
    ("sum", sum),
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
    environment.add_filter("map", map);
    environment.add_filter("sort", sort);
    environment.add_test("sequence", |value: &Value| {
        let kinds = [ValueKind::String, ValueKind::Seq, ValueKind::Map, ValueKind::Undefined];
        kinds.contains(&value.kind())
    });
    environment.add_test("callable", |value: &Value| {
        matches!(value.kind(), ValueKind::Plain | ValueKind::Undefined)
    });
    environment.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
}

/// How many `map` are within one another.
struct Maps(usize);

/// A filter may be `map` again, with the filters of the values within.
fn map(
    state: &mut State<'_, '_>,
    value: Value,
    args: Rest<ValueOrKwargs>,
) -> Result<Vec<Value>, Error> {
    const MOST: usize = 20;
    let maps = state.get_or_insert_extension_with(|| Maps(0));
    if maps.0 >= MOST {
        return Err(invalid("map is within map too often"));
    }
    maps.0 += 1;
    let mapped = filters::map(state, value, args);
    state.get_or_insert_extension_with(|| Maps(0)).0 -= 1;
    mapped
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

/// What int and float refuse, whatever they are to give for what is no number.
fn allow_defined(value: &Value, filter: &str) -> Result<(), Error> {
    match value.is_undefined() {
        true => {
            let words = format!("{filter} takes no undefined value; |default comes before it");
            Err(Error::new(ErrorKind::UndefinedError, words))
        }
        false => Ok(()),
    }
}

fn int(value: &Value, args: &[Value]) -> Result<Value, Error> {
    allow_defined(value, "int")?;
    let args = bind(args, ["default", "base"])?;
    let base = u32::try_from(args.number_or(1, 10)?).ok();
    let base = base.filter(|base| *base == 0 || (2..=36).contains(base));
    let number = match (value.as_str(), value.kind()) {
        (Some(text), _) => base
            .and_then(|base| read_whole(text, base))
            .or_else(|| parse_float(text).and_then(truncated)),
        (_, ValueKind::Bool) => Some(Value::from(i64::from(value.is_true()))),
        (_, ValueKind::Number) => match as_float(value) {
            Some(float) => truncated(float),
            None => Some(value.clone()),
        },
        _ => None,
    };
    Ok(number.unwrap_or_else(|| args.value(0).cloned().unwrap_or_else(|_| Value::from(0))))
}

/// `int(text, base)`; base 0 is that of the prefix.
fn read_whole(text: &str, base: u32) -> Option<Value> {
    if base == 10 {
        return parse_int(text).ok().and_then(|digits| digits.parse().ok()).map(whole);
    }
    let lower = text.trim().to_lowercase();
    let unsigned = lower.strip_prefix(['-', '+']).unwrap_or(&lower);
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2)];
    let prefix = prefixes
        .into_iter()
        .find(|(prefix, of)| unsigned.starts_with(prefix) && (base == 0 || base == *of));
    let (digits, base) = match prefix {
        Some((prefix, base)) => (unsigned.trim_start_matches(prefix), base),
        None if base == 0 => (unsigned, 10),
        None => (unsigned, base),
    };
    // Digits of one group, and those of the next behind a single line.
    let digits = digits.strip_prefix('_').filter(|_| prefix.is_some()).unwrap_or(digits);
    if digits.split('_').any(str::is_empty) || digits.contains(['-', '+']) {
        return None;
    }
    let number = i128::from_str_radix(&digits.replace('_', ""), base).ok()?;
    Some(whole(if lower.starts_with('-') { -number } else { number }))
}

/// Up and down make floats of whole numbers, too.
fn round(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["precision", "method"])?;
    let precision = i32::try_from(args.number_or(0, 0)?).unwrap_or(i32::MAX);
    let method = args.text_or(1, "common")?;
    let value = match value.kind() {
        ValueKind::Bool => Value::from(i64::from(value.is_true())),
        _ => value.clone(),
    };
    let value = match method {
        "ceil" | "floor" if is_number(&value) => Value::from(f64::try_from(value)?),
        _ => value,
    };
    let no_more = std::iter::empty::<(&str, Value)>().collect();
    filters::round(value, Some(precision), Some(method), no_more)
}

fn float(value: &Value, args: &[Value]) -> Result<Value, Error> {
    allow_defined(value, "float")?;
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
    let Some(text) = value.as_str() else {
        return Err(invalid(format!("indent takes a text, not {}", type_name(value))));
    };
    let text = text.to_owned() + "\n";
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
    for (row, item) in value.try_iter()?.enumerate() {
        let item = at_path(item, &path)?;
        made.push_str(if row > 0 { &between } else { "" });
        made.push_str(&str(&item)?);
        allow_length(made.len())?;
    }
    Ok(Value::from(made))
}

/// What a path with dots leads to.
fn at_path(mut item: Value, path: &str) -> Result<Value, Error> {
    for name in path.split('.').filter(|name| !name.is_empty()) {
        item = match name.parse::<usize>() {
            Ok(row) => item.get_item_by_index(row)?,
            Err(_) => item.get_attr(name)?,
        };
    }
    Ok(item)
}

/// What is sorted has to have an order: of several attributes, the first that differs.
fn sort(state: &State<'_, '_>, value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let args = bind(&args, ["reverse", "case_sensitive", "attribute"])?;
    let items: Vec<Value> = value.try_iter()?.collect();
    let path = args.get(2).map_or_else(|| Ok(String::new()), str)?;
    let keys = |item: &Value| -> Result<Value, Error> {
        path.split(',').map(|path| at_path(item.clone(), path.trim())).collect()
    };
    have_order(&items.iter().map(keys).collect::<Result<Vec<_>, _>>()?)?;
    let flags = [("reverse", args.flag(0)), ("case_sensitive", args.flag(1))];
    let mut named: Vec<(&str, Value)> =
        flags.into_iter().map(|(name, flag)| (name, Value::from(flag))).collect();
    named.extend(args.get(2).map(|_| ("attribute", Value::from(&*path))));
    filters::sort(state, Value::from(items), named.into_iter().collect())
}

fn sum(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["attribute", "start"])?;
    let path = args.get(0).map_or_else(|| Ok(String::new()), str)?;
    let start = args.value(1).cloned().unwrap_or_else(|_| Value::from(0));
    if matches!(start.kind(), ValueKind::Seq | ValueKind::Iterable) {
        let mut items: Vec<Value> = start.try_iter()?.collect();
        for item in value.try_iter()? {
            items.extend(at_path(item, &path)?.try_iter()?);
        }
        return Ok(Value::from(items));
    }
    let mut total = start;
    for item in value.try_iter()? {
        let item = at_path(item, &path)?;
        if item.is_undefined() {
            return Err(Error::new(ErrorKind::UndefinedError, "an undefined value has no sum"));
        }
        total = add(&total, &item)?;
    }
    Ok(total)
}

/// Two numbers together.
fn add(one: &Value, other: &Value) -> Result<Value, Error> {
    let is_number = |value: &Value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
    if let Some(value) = [one, other].into_iter().find(|value| !is_number(value)) {
        return Err(invalid(format!("{} has no sum", type_name(value))));
    }
    if as_float(one).is_some() || as_float(other).is_some() {
        return Ok(Value::from(f64::try_from(one.clone())? + f64::try_from(other.clone())?));
    }
    let sum = i128::try_from(one.clone())?.checked_add(i128::try_from(other.clone())?);
    sum.map(whole).ok_or_else(|| invalid("a number as large as this is not rendered here"))
}

/// A text without what is from one sign to the next of another.
fn without(text: &str, open: &str, close: &str) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(open)
        && let Some(end) = rest[start..].find(close)
    {
        made.push_str(&rest[..start]);
        rest = &rest[start + end + close.len()..];
    }
    made + rest
}

fn strip_tags(value: &Value, args: &[Value]) -> Result<Value, Error> {
    bind(args, [])?;
    let bare = without(&without(&str(value)?, "<!--", "-->"), "<", ">");
    let words: Vec<&str> = bare.split_whitespace().collect();
    Ok(Value::from(unescaped(&words.join(" "))))
}

/// A text of HTML with the letters that its entities are, the usual of those with names.
fn unescaped(text: &str) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('&') {
        made.push_str(&rest[..start]);
        rest = &rest[start..];
        let entity = rest[1..].split([';', '&']).next().unwrap_or_default();
        let is_whole = rest[1 + entity.len()..].starts_with(';');
        match entity_letter(entity).filter(|_| is_whole) {
            Some(letter) => {
                made.push(letter);
                rest = &rest[entity.len() + 2..];
            }
            None => {
                made.push('&');
                rest = &rest[1..];
            }
        }
    }
    made + rest
}

fn entity_letter(entity: &str) -> Option<char> {
    const LONGEST: usize = 8;
    if entity.len() > LONGEST {
        return None;
    }
    if let Some(number) = entity.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return code.ok().filter(|code| *code > 0).and_then(char::from_u32);
    }
    Some(match entity {
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "nbsp" => '\u{a0}',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "euro" => '€',
        "pound" => '£',
        "sect" => '§',
        "deg" => '°',
        "middot" => '·',
        "bull" => '•',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "laquo" => '«',
        "raquo" => '»',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "egrave" => 'è',
        "agrave" => 'à',
        "ccedil" => 'ç',
        _ => return None,
    })
}

fn truncate(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let args = bind(args, ["length", "killwords", "end", "leeway"])?;
    let text = str(value)?;
    let letters: Vec<char> = text.chars().collect();
    let count =
        |at, default| Ok::<_, Error>(usize::try_from(args.number_or(at, default)?).unwrap_or(0));
    let (length, leeway) = (count(0, 255)?, count(3, 5)?);
    let end = args.text_or(2, "...")?;
    let shortest = end.chars().count();
    if length < shortest {
        return Err(invalid(format!("truncate takes a length of {shortest} or more")));
    }
    if args.number_or(3, 5)? < 0 {
        return Err(invalid("truncate takes a leeway of 0 or more"));
    }
    if value.as_str().is_none() && !value.is_undefined() {
        return match value.len() {
            Some(count) if count <= length.saturating_add(leeway) => Ok(value.clone()),
            _ => Err(invalid(format!("truncate takes a text, not {}", type_name(value)))),
        };
    }
    if letters.len() <= length.saturating_add(leeway) {
        return Ok(Value::from(text));
    }
    let kept: String = letters.into_iter().take(length - shortest).collect();
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
