//! What walking a value takes: each item as often as it is met, since nothing that compares, prints or
//! drops values knows that two items are the same.

use minijinja::{
    Environment, Error, State, Value,
    value::{Rest, ValueKind, ValueOrKwargs},
};

use super::{
    arguments::{allow_each, invalid},
    functions,
    series::{held_values, series_type},
};

/// Filters that no template can name.
pub(super) const WEIGH: &str = ":weigh";
pub(super) const WEIGH_ALL: &str = ":weigh-all";
/// The same, where the first of them is gone through.
pub(super) const WEIGH_EACH: &str = ":weigh-each";

/// Values within values go no deeper.
const DEEPEST: usize = 250;
/// Items, and pieces of this many letters, that one unit of fuel is good for.
const STEPS: u64 = 16;
const LETTERS: usize = 64;

pub(super) fn add_weights(environment: &mut Environment<'_>) {
    environment.add_filter(WEIGH, |state: &State<'_, '_>, value: ValueOrKwargs| {
        put_together(state, value.into_value())
    });
    environment.add_filter(WEIGH_ALL, weigh_all);
    environment.add_filter(WEIGH_EACH, |state: &State<'_, '_>, args: Rest<ValueOrKwargs>| {
        args.first().map_or(Ok(()), |first| allow_each(first))?;
        weigh_all(state, args)
    });
}

fn weigh_all(state: &State<'_, '_>, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut args = args.into_values();
    for arg in &mut args {
        *arg = put_together(state, std::mem::take(arg))?;
    }
    Ok(Value::from(args))
}

/// A value once it is weighed. Items that the engine would make one by one, each time that they are
/// asked for, become a list.
fn put_together(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable || series_type(&value).is_some() {
        weigh(state, &value)?;
        return Ok(value);
    }
    let mut items = Vec::new();
    for item in value.try_iter()? {
        if items.len() % 2 == 0 {
            state.consume_fuel(1)?;
        }
        items.push(item);
    }
    let list = Value::from(items);
    weigh(state, &list)?;
    Ok(list)
}

/// Charges for all that is within a value.
///
/// # Errors
/// It is more than the fuel is good for, or nested too deep.
pub(super) fn weigh(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    let mut steps = 0;
    let mut open = vec![(value.clone(), 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return Err(invalid("a value is nested too deep"));
        }
        let mut take = |item: Value| {
            steps += 1 + item.as_str().map_or(0, |text| text.len() / LETTERS) as u64;
            if steps >= STEPS {
                state.consume_fuel(steps / STEPS)?;
                steps %= STEPS;
            }
            if is_container(&item) {
                open.push((item, depth + 1));
            }
            Ok::<(), Error>(())
        };
        let held = match series_type(&value) {
            Some(_) => held_values(&value),
            None => functions::held_values(&value),
        };
        match value.kind() {
            _ if !held.is_empty() => {
                for item in held {
                    take(item.clone())?;
                }
            }
            ValueKind::Seq | ValueKind::Iterable => {
                for item in value.try_iter()? {
                    take(item)?;
                }
            }
            ValueKind::Map => {
                for key in value.try_iter()? {
                    take(value.get_item(&key)?)?;
                    take(key)?;
                }
            }
            ValueKind::Plain => {}
            _ => take(value.clone())?,
        }
    }
    Ok(())
}

fn is_container(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map | ValueKind::Plain)
}
