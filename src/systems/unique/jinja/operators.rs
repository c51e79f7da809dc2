//! Operators as Python has them. In the place of the engine's they are filters, which no template can
//! name.

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, State, Value,
    machinery::Instruction,
    tests::{is_divisibleby, is_even, is_in, is_odd},
    value::{Rest, Tuple, ValueKind},
};

use super::{
    arguments::{allow_each, invalid},
    formats::fill_percent,
    kinds::{as_float, is_key, is_number, type_name, whole},
    methods::{call_method, is_method},
    series::{Range, as_range, generator, is_generator, member_method, series_type},
    text::{escaped, str},
    weight::weigh,
};

/// Keys and values of a dict.
pub(super) const PAIRS: &str = ":pairs";
/// The key of an item.
pub(super) const KEY: &str = ":key";
/// What has items by their keys.
pub(super) const KEYED: &str = ":keyed";
/// What a loop goes over.
pub(super) const EACH: &str = ":each";
/// The letters of a text, which a loop has to count.
pub(super) const LETTERS: &str = ":letters";
/// Keeps the operand that the next comparison has on its right.
pub(super) const KEEP: &str = ":keep";
/// A text as it is added to the operand that is kept.
pub(super) const BESIDE: &str = ":beside";
/// Items that Python has an order for.
const ALIKE: &str = ":alike";
/// Items that can be keys of a dict.
const KEYS: &str = ":keys";
/// What can be gone through from its end.
const FROM_END: &str = ":from-end";
/// What can be repeated.
pub(super) const REPEATED: &str = ":repeated";
/// A part of a text or a list: `value[start:stop:step]`.
pub(super) const SLICE: &str = ":slice";
/// Makes what a filter gives the generator that it is in Python, by the words that Python has for it.
pub(super) const GENERATOR: &str = ":generator";
/// A member as `value.name` finds it: the value, what was found, the name.
pub(super) const MEMBER: &str = ":member";
/// What a division leaves, or a text that is filled in.
const REMAINDER: &str = ":%";
/// Two values as one text.
const CONCATENATE: &str = ":~";

/// A comparison.
struct Comparison {
    /// As Python writes it.
    sign: &'static str,
    /// The engine's name for it.
    word: &'static str,
    /// The filter on its two values.
    filter: &'static str,
    /// The filter on its left value, with the one on the right kept before.
    beside_kept: &'static str,
    /// Jinja2's tests that are the same.
    tests: &'static [&'static str],
}

const COMPARISONS: [Comparison; 8] = [
    Comparison {
        sign: "==",
        word: "Eq",
        filter: ":==",
        beside_kept: ":==-kept",
        tests: &["==", "eq", "equalto"],
    },
    Comparison {
        sign: "!=",
        word: "Ne",
        filter: ":!=",
        beside_kept: ":!=-kept",
        tests: &["!=", "ne"],
    },
    Comparison {
        sign: "<",
        word: "Lt",
        filter: ":<",
        beside_kept: ":<-kept",
        tests: &["<", "lt", "lessthan"],
    },
    Comparison {
        sign: "<=",
        word: "Lte",
        filter: ":<=",
        beside_kept: ":<=-kept",
        tests: &["<=", "le"],
    },
    Comparison {
        sign: ">",
        word: "Gt",
        filter: ":>",
        beside_kept: ":>-kept",
        tests: &[">", "gt", "greaterthan"],
    },
    Comparison {
        sign: ">=",
        word: "Gte",
        filter: ":>=",
        beside_kept: ":>=-kept",
        tests: &[">=", "ge"],
    },
    Comparison { sign: "in", word: "In", filter: ":in", beside_kept: ":in-kept", tests: &["in"] },
    Comparison {
        sign: "not in",
        word: "NotIn",
        filter: ":not-in",
        beside_kept: ":not-in-kept",
        tests: &[],
    },
];

/// The filter that does a step of two operands.
pub(super) fn of_step(step: &Instruction<'_>) -> Option<&'static str> {
    let word = match step {
        Instruction::StringConcat => return Some(CONCATENATE),
        Instruction::Rem => return Some(REMAINDER),
        Instruction::Eq => "Eq",
        Instruction::Ne => "Ne",
        Instruction::Lt => "Lt",
        Instruction::Lte => "Lte",
        Instruction::Gt => "Gt",
        Instruction::Gte => "Gte",
        Instruction::In => "In",
        _ => return None,
    };
    COMPARISONS.iter().find(|one| one.word == word).map(|one| one.filter)
}

/// The filter that compares with the operand that is kept, by the engine's name for the comparison.
pub(super) fn beside_kept(word: &str) -> Option<&'static str> {
    COMPARISONS.iter().find(|one| one.word == word).map(|one| one.beside_kept)
}

/// What holds for a value before this filter is given it alone.
pub(super) fn checks_before(filter: &str) -> &'static [&'static str] {
    match filter {
        "min" | "max" => &[EACH, ALIKE],
        "unique" => &[EACH, KEYS],
        "last" => &[EACH, FROM_END],
        "list" | "sort" | "first" | "join" | "sum" | "length" | "count" => &[EACH],
        _ => &[],
    }
}

/// Filters that go through their value, whatever else they are given.
pub(super) const GOING_THROUGH: [&str; 9] =
    ["batch", "groupby", "join", "max", "min", "slice", "sort", "sum", "unique"];

/// The operand that is kept.
struct Kept(Value);

pub(super) fn add_operators(environment: &mut Environment<'_>) {
    add_comparisons(environment);
    add_arithmetic(environment);
    add_keys(environment);
    add_series(environment);
    add_number_tests(environment);
}

/// What compares, and keeps the operand in the middle of `a < b < c`.
fn add_comparisons(environment: &mut Environment<'_>) {
    for Comparison { sign, filter, beside_kept, tests, .. } in &COMPARISONS {
        environment.add_filter(*filter, |state: &State<'_, '_>, one: Value, other: Value| {
            compare(state, sign, &one, &other).map(Value::from)
        });
        environment.add_filter(*beside_kept, |state: &State<'_, '_>, one: Value| {
            let kept = state.get_extension::<Kept>().map(|kept| kept.0.clone());
            compare(state, sign, &one, &kept.unwrap_or_default()).map(Value::from)
        });
        for test in *tests {
            environment.add_test(*test, |state: &State<'_, '_>, one: Value, other: Value| {
                compare(state, sign, &one, &other)
            });
        }
    }
    environment.add_filter(KEEP, |state: &mut State<'_, '_>, value: Value| {
        state.get_or_insert_extension_with(|| Kept(Value::UNDEFINED)).0 = value.clone();
        value
    });
}

/// `+`, `*`, `~` and `%`, and what is refused beside them.
fn add_arithmetic(environment: &mut Environment<'_>) {
    environment.add_filter(BESIDE, |state: &State<'_, '_>, value: Value| {
        if let Some(kind) = series_type(&value) {
            return Err(invalid(format!("{kind} has no +: make a list of it with |list")));
        }
        let is_safe = state.get_extension::<Kept>().is_some_and(|kept| kept.0.is_safe());
        Ok(match value.as_str().filter(|_| is_safe && !value.is_safe()) {
            Some(text) => Value::from_safe_string(escaped(text)),
            None => value,
        })
    });
    environment.add_filter(REPEATED, |value: Value| match series_type(&value) {
        Some(kind) => Err(invalid(format!("{kind} has no *: make a list of it with |list"))),
        None => Ok(value),
    });
    environment.add_filter(CONCATENATE, |state: &State<'_, '_>, one: Value, other: Value| {
        weigh(state, &one)?;
        weigh(state, &other)?;
        concatenate(state, &one, &other)
    });
    environment.add_filter(REMAINDER, |state: &State<'_, '_>, one: Value, other: Value| {
        weigh(state, &one)?;
        weigh(state, &other)?;
        match one.as_str() {
            Some(_) => fill_percent(&one, &other),
            None => remainder(&one, &other),
        }
    });
}

/// What may be a key, and what has keys.
fn add_keys(environment: &mut Environment<'_>) {
    environment.add_filter(PAIRS, |parts: Rest<Value>| {
        match parts.iter().step_by(2).find(|key| !is_key(key)) {
            Some(key) => Err(invalid(format!("{} cannot be a key of a dict", type_name(key)))),
            None => Ok(Value::from(parts.0)),
        }
    });
    environment.add_filter(KEY, |state: &State<'_, '_>, key: Value| {
        weigh(state, &key)?;
        Ok::<_, Error>(if is_key(&key) { key } else { Value::UNDEFINED })
    });
    environment.add_filter(KEYED, |value: Value| match series_type(&value) {
        Some(_) if as_range(&value).is_none() => Value::from_pairs([("", ""); 0]),
        _ => value,
    });
    environment.add_filter(KEYS, |state: &State<'_, '_>, value: Value| {
        weigh(state, &value)?;
        let value = as_list(value)?;
        match value.try_iter()?.find(|item| !is_key(item)) {
            Some(item) => Err(invalid(format!("{} can't be compared by unique", type_name(&item)))),
            None => Ok(value),
        }
    });
}

/// What goes through items, or takes some of them.
fn add_series(environment: &mut Environment<'_>) {
    environment.add_filter(EACH, |value: Value| allow_each(&value).map(|()| value));
    environment.add_filter(LETTERS, |state: &State<'_, '_>, value: Value| {
        let Some(text) = value.as_str() else { return Ok(value) };
        weigh(state, &value)?;
        let letters: Value = text.chars().map(Value::from).collect();
        weigh(state, &letters).map(|()| letters)
    });
    environment.add_filter(FROM_END, |value: Value| match is_generator(&value) {
        true => Err(invalid("a generator has no last item: make a list of it with |list")),
        false => Ok(value),
    });
    environment.add_filter(ALIKE, |state: &State<'_, '_>, value: Value| {
        weigh(state, &value)?;
        let value = as_list(value)?;
        have_order(&value.try_iter()?.collect::<Vec<_>>()).map(|()| value)
    });
    environment.add_filter(GENERATOR, |value: Value, words: String| {
        // A text that is reversed is one.
        if value.as_str().is_some() {
            return Ok(value);
        }
        value.try_iter().map(|items| generator(words, items.collect()))
    });
    environment.add_filter(MEMBER, |value: Value, found: Value, name: String| {
        match found.is_undefined() && is_method(type_name(&value), &name) {
            true => member_method(type_name(&value), value, name, call_weighed),
            false => found,
        }
    });
    environment.add_filter(SLICE, |state: &State<'_, '_>, value: Value, ends: Rest<Value>| {
        weigh(state, &value)?;
        slice(&value, &ends)
    });
}

/// Tests that take numbers alone.
fn add_number_tests(environment: &mut Environment<'_>) {
    environment.add_test("odd", |value: Value| Ok::<_, Error>(is_odd(number(value, "odd")?)));
    environment.add_test("even", |value: Value| Ok::<_, Error>(is_even(number(value, "even")?)));
    environment.add_test("divisibleby", |value: Value, by: Value| {
        let by = number(by, "divisibleby")?;
        match by.is_true() {
            true => Ok(is_divisibleby(&number(value, "divisibleby")?, &by)),
            false => Err(invalid("division by zero")),
        }
    });
}

/// Calls a method that was found without its brackets: its value is not among the arguments that
/// are weighed for the call.
fn call_weighed(
    state: &State<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    weigh(state, value)?;
    call_method(value, name, args)
}

fn number(value: Value, test: &str) -> Result<Value, Error> {
    match is_number(&value) {
        true => Ok(value),
        false => Err(invalid(format!("{test} takes a number, not {}", type_name(&value)))),
    }
}

/// A list of what is in a generator, which gives it once.
fn as_list(value: Value) -> Result<Value, Error> {
    Ok(if is_generator(&value) { value.try_iter()?.collect() } else { value })
}

fn compare(state: &State<'_, '_>, sign: &str, one: &Value, other: &Value) -> Result<bool, Error> {
    weigh(state, one)?;
    weigh(state, other)?;
    match sign {
        "==" => Ok(are_equal(one, other)),
        "!=" => Ok(!are_equal(one, other)),
        "in" => contains(state, other, one),
        "not in" => contains(state, other, one).map(|is| !is),
        sign => is_ordered(sign, one, other),
    }
}

/// A range or a view is equal to none of another type.
fn are_equal(one: &Value, other: &Value) -> bool {
    series_type(one) == series_type(other) && one == other
}

fn contains(state: &State<'_, '_>, whole: &Value, part: &Value) -> Result<bool, Error> {
    match whole.kind() {
        ValueKind::String if part.kind() != ValueKind::String => {
            Err(invalid(format!("{} cannot be in a text", type_name(part))))
        }
        ValueKind::Map if !is_key(part) => {
            Err(invalid(format!("{} cannot be a key of a dict", type_name(part))))
        }
        ValueKind::None | ValueKind::Number | ValueKind::Bool | ValueKind::Plain => {
            Err(invalid(format!("nothing can be in {}", type_name(whole))))
        }
        _ => is_in(state, part, whole),
    }
}

/// Whether two values are in this order.
///
/// # Errors
/// Python has no order for them.
fn is_ordered(sign: &str, one: &Value, other: &Value) -> Result<bool, Error> {
    let is_list = |value: &Value| {
        matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) && series_type(value).is_none()
    };
    let are_texts = one.as_str().is_some() && other.as_str().is_some();
    if are_texts || is_number(one) && is_number(other) {
        return Ok(match sign {
            "<" => one < other,
            "<=" => one <= other,
            ">" => one > other,
            _ => one >= other,
        });
    }
    if is_list(one) && is_list(other) && one.is_tuple() == other.is_tuple() {
        let mut pairs = one.try_iter()?.zip(other.try_iter()?);
        return match pairs.find(|(one, other)| one != other) {
            Some((one, other)) => is_ordered(sign, &one, &other),
            None => is_ordered(sign, &Value::from(one.len()), &Value::from(other.len())),
        };
    }
    if one.is_undefined() || other.is_undefined() {
        let words = format!("an undefined value has no order: {sign}");
        return Err(Error::new(ErrorKind::UndefinedError, words));
    }
    let (one, other) = (type_name(one), type_name(other));
    Err(invalid(format!("{one} and {other} have no order: {sign}")))
}

/// That Python can sort these.
///
/// # Errors
/// It has no order for two of them.
pub(super) fn have_order(items: &[Value]) -> Result<(), Error> {
    let Some((first, rest)) = items.split_first() else { return Ok(()) };
    rest.iter().try_for_each(|item| is_ordered("<", item, first).map(drop))
}

/// `value[start:stop:step]`
fn slice(value: &Value, ends: &[Value]) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "an undefined value has no parts"));
    }
    let is_end = |end: &&Value| end.is_none() || end.is_integer() || end.kind() == ValueKind::Bool;
    if let Some(end) = ends.iter().find(|end| !is_end(end)) {
        return Err(invalid(format!("parts go from number to number, not {}", type_name(end))));
    }
    let count = match (value.kind(), series_type(value)) {
        (ValueKind::Seq, _) | (ValueKind::String | ValueKind::Iterable, None) => value.len(),
        _ => None,
    };
    let count = count.and_then(|count| i64::try_from(count).ok());
    let count = count.ok_or_else(|| invalid(format!("{} has no parts", type_name(value))))?;
    let number = |end: &Value| end.as_i64().or_else(|| end.is_true().then_some(1));
    let end = |at: usize| ends.get(at).filter(|end| !end.is_none()).and_then(number);
    let (start, stop, step) = (end(0), end(1), end(2));
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(invalid("the step of a slice can't be 0"));
    }
    // Backwards it is from the last one to before the first.
    let (least, most) = if step > 0 { (0, count) } else { (-1, count - 1) };
    let place = |at: i64| if at < 0 { (at.saturating_add(count)).max(least) } else { at.min(most) };
    let (first, last) = if step > 0 { (least, most) } else { (most, least) };
    let rows = Range { start: start.map_or(first, place), stop: stop.map_or(last, place), step };
    if let Some(range) = as_range(value) {
        return Ok(Value::from_object(range.slice(rows)));
    }
    let rows = (0..rows.len()).filter_map(|row| usize::try_from(rows.at(row)).ok());
    if let Some(text) = value.as_str() {
        let letters: Vec<char> = text.chars().collect();
        return Ok(Value::from(rows.filter_map(|row| letters.get(row)).collect::<String>()));
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    let items: Vec<Value> = rows.filter_map(|row| items.get(row).cloned()).collect();
    Ok(if value.is_tuple() { Value::from(Tuple::from(items)) } else { Value::from(items) })
}

/// What a division leaves, with the sign of what it is divided by.
fn remainder(one: &Value, other: &Value) -> Result<Value, Error> {
    if !is_number(one) || !is_number(other) {
        let (one, other) = (type_name(one), type_name(other));
        return Err(invalid(format!("{one} and {other} have no %")));
    }
    if !other.is_true() {
        return Err(invalid("division by zero"));
    }
    if as_float(one).is_some() || as_float(other).is_some() {
        let (one, other) = (f64::try_from(one.clone())?, f64::try_from(other.clone())?);
        let rest = one % other;
        return Ok(Value::from(match rest {
            0.0 => 0.0_f64.copysign(other),
            rest if rest.is_sign_negative() != other.is_sign_negative() => rest + other,
            rest => rest,
        }));
    }
    let number = |value: &Value| match value.kind() {
        ValueKind::Bool => Ok(i128::from(value.is_true())),
        _ => i128::try_from(value.clone()),
    };
    let (one, other) = (number(one)?, number(other)?);
    let rest = one.checked_rem(other).unwrap_or(0);
    let is_other_way = rest != 0 && (rest < 0) != (other < 0);
    Ok(whole(if is_other_way { rest + other } else { rest }))
}

fn concatenate(state: &State<'_, '_>, one: &Value, other: &Value) -> Result<Value, Error> {
    let is_escaped = matches!(state.auto_escape(), AutoEscape::Html);
    if !is_escaped || !one.is_safe() && !other.is_safe() {
        return Ok(Value::from(str(one)? + &str(other)?));
    }
    let safe = |value: &Value| {
        str(value).map(|text| match value.is_safe() {
            true => text,
            false => escaped(&text),
        })
    };
    Ok(Value::from_safe_string(safe(one)? + &safe(other)?))
}
