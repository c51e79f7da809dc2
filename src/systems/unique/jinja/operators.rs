//! Operators as Python has them. In the place of the engine's they are filters, which no template can
//! name.

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, State, Value,
    machinery::Instruction,
    tests::{is_divisibleby, is_even, is_in, is_odd},
    value::{Rest, ValueKind},
};

use super::{
    arguments::invalid,
    filters::escaped,
    text::{str, type_name},
    weight::{is_key, weigh},
};

/// Keys and values of a dict.
pub(super) const PAIRS: &str = ":pairs";
/// The key of an item.
pub(super) const KEY: &str = ":key";
/// What a loop goes over.
pub(super) const EACH: &str = ":each";
/// The same, where it may be a method that is not called.
pub(super) const EACH_OF_METHOD: &str = ":each-of-method";
/// Keeps the operand that the next comparison has on its right.
pub(super) const KEEP: &str = ":keep";
/// A text as it is added to the operand that is kept.
pub(super) const BESIDE: &str = ":beside";
/// Items that Python has an order for.
const ALIKE: &str = ":alike";
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
        "sort" | "min" | "max" => &[EACH, ALIKE],
        "list" | "unique" | "first" | "last" | "join" | "sum" | "length" | "count" => &[EACH],
        _ => &[],
    }
}

/// The operand that is kept.
struct Kept(Value);

pub(super) fn add_operators(environment: &mut Environment<'_>) {
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
    environment.add_filter(BESIDE, |state: &State<'_, '_>, value: Value| {
        let is_safe = state.get_extension::<Kept>().is_some_and(|kept| kept.0.is_safe());
        match value.as_str().filter(|_| is_safe && !value.is_safe()) {
            Some(text) => Value::from_safe_string(escaped(text)),
            None => value,
        }
    });
    environment.add_filter(CONCATENATE, |state: &State<'_, '_>, one: Value, other: Value| {
        weigh(state, &one)?;
        weigh(state, &other)?;
        concatenate(state, &one, &other)
    });
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
    environment.add_filter(EACH, |value: Value| match value.kind() {
        ValueKind::None => Err(invalid("None is nothing to go through")),
        _ => Ok(value),
    });
    environment.add_filter(EACH_OF_METHOD, |value: Value| match value.is_undefined() {
        true => Err(invalid("a method is nothing to go through: it lacks its ()")),
        false => Ok(value),
    });
    environment.add_filter(ALIKE, |state: &State<'_, '_>, value: Value| {
        weigh(state, &value)?;
        if let Ok(mut items) = value.try_iter()
            && let Some(first) = items.next()
        {
            items.try_for_each(|item| is_ordered("<", &item, &first).map(drop))?;
        }
        Ok::<_, Error>(value)
    });
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

fn number(value: Value, test: &str) -> Result<Value, Error> {
    match is_number(&value) {
        true => Ok(value),
        false => Err(invalid(format!("{test} takes a number, not {}", type_name(&value)))),
    }
}

/// As Python counts them, true and false among them.
fn is_number(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Number | ValueKind::Bool)
}

fn compare(state: &State<'_, '_>, sign: &str, one: &Value, other: &Value) -> Result<bool, Error> {
    weigh(state, one)?;
    weigh(state, other)?;
    match sign {
        "==" => Ok(one == other),
        "!=" => Ok(one != other),
        "in" => contains(state, other, one),
        "not in" => contains(state, other, one).map(|is| !is),
        sign => is_ordered(sign, one, other),
    }
}

fn contains(state: &State<'_, '_>, whole: &Value, part: &Value) -> Result<bool, Error> {
    match whole.kind() {
        ValueKind::String if part.kind() != ValueKind::String => {
            Err(invalid(format!("{} cannot be in a text", type_name(part))))
        }
        ValueKind::Map if !is_key(part) => {
            Err(invalid(format!("{} cannot be a key of a dict", type_name(part))))
        }
        _ => is_in(state, part, whole),
    }
}

/// Whether two values are in this order.
///
/// # Errors
/// Python has no order for them.
fn is_ordered(sign: &str, one: &Value, other: &Value) -> Result<bool, Error> {
    let is_list = |value: &Value| matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
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
