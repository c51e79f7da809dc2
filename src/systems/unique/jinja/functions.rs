//! Functions of Jinja2's templates that [`minijinja`] lacks, and those that only it has.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use minijinja::{
    Environment, Error, ErrorKind, State, Value,
    value::{Object, Rest, ValueKind, ValueOrKwargs},
};

use super::{
    arguments::invalid,
    kinds::{is_key, type_name},
    series::Range,
};

/// How long a range may be.
const LONGEST: i64 = 100_000;

/// `cycler('odd', 'even')`: gives its values in turn.
#[derive(Debug)]
struct Cycler {
    items: Vec<Value>,
    at: AtomicUsize,
}

impl Object for Cycler {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let is_current = key.as_str() == Some("current");
        self.items.get(self.at.load(Ordering::Relaxed)).filter(|_| is_current).cloned()
    }

    fn call_method(
        self: &Arc<Self>,
        _: &mut State<'_, '_>,
        method: &str,
        _: &[Value],
    ) -> Result<Value, Error> {
        match method {
            "next" => {
                let now = self.at.load(Ordering::Relaxed);
                self.at.store((now + 1) % self.items.len().max(1), Ordering::Relaxed);
                Ok(self.items.get(now).cloned().unwrap_or_default())
            }
            "reset" => {
                self.at.store(0, Ordering::Relaxed);
                Ok(Value::from(()))
            }
            _ => Err(ErrorKind::UnknownMethod.into()),
        }
    }
}

/// `joiner(', ')`: nothing at its first use, then always its text.
#[derive(Debug)]
struct Joiner {
    text: Value,
    is_used: AtomicBool,
}

impl Object for Joiner {
    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, _: &[Value]) -> Result<Value, Error> {
        let is_used = self.is_used.swap(true, Ordering::Relaxed);
        Ok(if is_used { self.text.clone() } else { Value::from("") })
    }
}

/// What an object that is no list holds.
pub(super) fn held_values(value: &Value) -> &[Value] {
    let cycler = value.downcast_object_ref::<Cycler>().map(|cycler| &*cycler.items);
    let joiner = || {
        let joiner = value.downcast_object_ref::<Joiner>()?;
        Some(std::slice::from_ref(&joiner.text))
    };
    cycler.or_else(joiner).unwrap_or_default()
}

/// `range(start, stop, step)`
fn range(args: &[Value]) -> Result<Value, Error> {
    let number = |value: &Value| match value.is_integer() || bool::try_from(value.clone()).is_ok() {
        true => i64::try_from(value.clone()),
        false => Err(invalid(format!("range takes whole numbers, not {}", type_name(value)))),
    };
    let args = args.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    let range = match *args {
        [stop] => Range { start: 0, stop, step: 1 },
        [start, stop] => Range { start, stop, step: 1 },
        [start, stop, step] => Range { start, stop, step },
        [] => return Err(ErrorKind::MissingArgument.into()),
        _ => return Err(ErrorKind::TooManyArguments.into()),
    };
    if range.step == 0 {
        return Err(invalid("the step of a range can't be 0"));
    }
    if range.len() > LONGEST {
        return Err(invalid(format!(
            "a range of more than {LONGEST} numbers is not rendered here"
        )));
    }
    Ok(Value::from_object(range))
}

/// `dict(pairs or dict, name=value)`
fn dict(args: &[Value]) -> Result<Value, Error> {
    let mut members: Vec<(Value, Value)> = Vec::new();
    for from in args {
        for item in from.try_iter()? {
            members.push(match from.kind() {
                ValueKind::Map => (item.clone(), from.get_item(&item)?),
                _ => (item.get_item_by_index(0)?, item.get_item_by_index(1)?),
            });
        }
    }
    match members.iter().find(|(key, _)| !is_key(key)) {
        Some((key, _)) => Err(invalid(format!("{} cannot be a key of a dict", type_name(key)))),
        None => Ok(Value::from_pairs(members)),
    }
}

pub(super) fn add_functions(environment: &mut Environment<'_>) {
    environment.add_function("range", |args: Rest<Value>| range(&args));
    environment.add_function("dict", |args: Rest<ValueOrKwargs>| dict(&args.into_values()));
    environment.remove_global("debug");
    environment.add_function("cycler", |items: Rest<Value>| {
        Value::from_object(Cycler { items: items.to_vec(), at: AtomicUsize::new(0) })
    });
    environment.add_function("joiner", |text: Option<Value>| {
        let text = text.unwrap_or_else(|| Value::from(", "));
        Value::from_object(Joiner { text, is_used: AtomicBool::new(false) })
    });
}
