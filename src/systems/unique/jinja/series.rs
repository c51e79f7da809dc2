//! What holds values and is no list in Python, and prints otherwise: ranges, views of dicts,
//! generators, which give each of their items once, and methods that are not called.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use minijinja::{
    Environment, Error, ErrorKind, State, Value,
    value::{Enumerator, Object, ObjectExt as _, ObjectRepr, Rest},
};

use super::{
    arguments::invalid,
    methods::{call_method, is_method},
    text::{repr, type_name},
};

/// Makes what a filter gives the generator that it is in Python, by the words that Python has for it.
pub(super) const GENERATOR: &str = ":generator";
/// A member as `value.name` finds it: `value`, what was found, `name`.
pub(super) const MEMBER: &str = ":member";

/// How long a range may be.
const LONGEST: i64 = 100_000;
const REVERSED: &str = "list_reverseiterator object";
/// What is not known of an object that Python prints with its address.
const ADDRESS: &str = "at 0x…";

/// What a filter gives in Python, where that is a generator.
pub(super) fn generator_words(filter: &str) -> Option<&'static str> {
    Some(match filter {
        "batch" => "generator object do_batch",
        "items" => "generator object do_items",
        "map" => "generator object sync_do_map",
        "reject" | "rejectattr" | "select" | "selectattr" => "generator object select_or_reject",
        "reverse" => REVERSED,
        "slice" => "generator object sync_do_slice",
        "unique" => "generator object sync_do_unique",
        _ => return None,
    })
}

/// `range(start, stop, step)`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub start: i64,
    pub stop: i64,
    pub step: i64,
}

impl Range {
    pub fn len(self) -> i64 {
        let (from, to) =
            if self.step > 0 { (self.start, self.stop) } else { (self.stop, self.start) };
        let room = i128::from(to) - i128::from(from);
        let step = i128::from(self.step).abs().max(1);
        i64::try_from((room.max(0) + step - 1) / step).unwrap_or(i64::MAX)
    }

    pub fn at(self, row: i64) -> i64 {
        self.start.saturating_add(self.step.saturating_mul(row))
    }

    /// `range[start:stop:step]`, of rows that are in it.
    pub fn slice(self, rows: Self) -> Self {
        let step = self.step.saturating_mul(rows.step);
        Self { start: self.at(rows.start), stop: self.at(rows.stop), step }
    }
}

impl Object for Range {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let row = key.as_i64()?;
        let row = if row < 0 { row + self.len() } else { row };
        (0..self.len()).contains(&row).then(|| Value::from(self.at(row)))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(usize::try_from(self.len()).unwrap_or(0))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, stop, step } = **self;
        match step {
            1 => write!(f, "range({start}, {stop})"),
            _ => write!(f, "range({start}, {stop}, {step})"),
        }
    }
}

/// The keys, values or pairs of a dict.
#[derive(Debug)]
struct View {
    /// `dict_items`
    kind: &'static str,
    items: Vec<Value>,
}

impl Object for View {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_rev_enumerator(|this| Box::new(this.items.iter().cloned()))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.items.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = repr(&Value::from(self.items.clone())).map_err(|_| fmt::Error)?;
        write!(f, "{}({items})", self.kind)
    }
}

/// A view of a dict, by the kind that Python has for it.
pub(super) fn view(kind: &'static str, items: Vec<Value>) -> Value {
    Value::from_object(View { kind, items })
}

/// Items of which each is given once.
#[derive(Debug)]
struct Generator {
    /// What Python prints for it, without its address.
    words: String,
    items: Vec<Value>,
    /// How many were asked for.
    given: AtomicUsize,
}

impl Object for Generator {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Iter(Box::new(Rested(Arc::clone(self))))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        None
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} {ADDRESS}>", self.words)
    }
}

/// What a generator has left.
struct Rested(Arc<Generator>);

impl Iterator for Rested {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        self.0.items.get(self.0.given.fetch_add(1, Ordering::Relaxed)).cloned()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.items.len().saturating_sub(self.0.given.load(Ordering::Relaxed));
        (left, Some(left))
    }
}

/// A method that lacks its brackets.
#[derive(Debug)]
struct Method {
    value: Value,
    name: String,
}

impl Object for Method {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        call_method(&self.value, &self.name, args)
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<built-in method {} of {} object {ADDRESS}>", self.name, type_name(&self.value))
    }
}

/// What Python calls the type of such a value; `None` where it is none.
pub(super) fn series_type(value: &Value) -> Option<&'static str> {
    if value.downcast_object_ref::<Range>().is_some() {
        return Some("range");
    }
    if let Some(view) = value.downcast_object_ref::<View>() {
        return Some(view.kind);
    }
    if let Some(generator) = value.downcast_object_ref::<Generator>() {
        let is_reversed = generator.words == REVERSED;
        return Some(if is_reversed { "list_reverseiterator" } else { "generator" });
    }
    value.downcast_object_ref::<Method>().map(|_| "builtin_function_or_method")
}

pub(super) fn as_range(value: &Value) -> Option<Range> {
    value.downcast_object_ref::<Range>().copied()
}

/// Whether a value gives its items once.
pub(super) fn is_generator(value: &Value) -> bool {
    value.downcast_object_ref::<Generator>().is_some()
}

/// Whether it lacks its brackets.
pub(super) fn is_uncalled(value: &Value) -> bool {
    value.downcast_object_ref::<Method>().is_some()
}

/// What such a value holds, those that a generator gave among them.
pub(super) fn held_values(value: &Value) -> &[Value] {
    if let Some(view) = value.downcast_object_ref::<View>() {
        return &view.items;
    }
    if let Some(generator) = value.downcast_object_ref::<Generator>() {
        return &generator.items;
    }
    let method = value.downcast_object_ref::<Method>();
    method.map_or(&[], |method| std::slice::from_ref(&method.value))
}

pub(super) fn add_series(environment: &mut Environment<'_>) {
    environment.add_function("range", |args: Rest<Value>| range(&args));
    environment.add_filter(GENERATOR, |value: Value, words: String| {
        // A text that is reversed is one.
        if value.as_str().is_some() {
            return Ok(value);
        }
        let items = value.try_iter()?.collect();
        Ok::<_, Error>(Value::from_object(Generator { words, items, given: AtomicUsize::new(0) }))
    });
    environment.add_filter(MEMBER, |value: Value, found: Value, name: String| {
        match found.is_undefined() && is_method(type_name(&value), &name) {
            true => Value::from_object(Method { value, name }),
            false => found,
        }
    });
}

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
        return Err(invalid(format!("a range of more than {LONGEST} numbers is not rendered here")));
    }
    Ok(Value::from_object(range))
}
