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
    Error, State, Value,
    value::{Enumerator, Object, ObjectExt as _, ObjectRepr},
};

use super::weight::weigh;

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

/// How a value is printed within others.
type Repr = fn(&Value) -> Result<String, Error>;

/// The keys, values or pairs of a dict.
#[derive(Debug)]
struct View {
    /// `dict_items`
    kind: &'static str,
    items: Vec<Value>,
    repr: Repr,
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
        let view = Value::from_dyn_object(Arc::clone(self));
        match print_view(&view, &self.repr) {
            Some(Ok(text)) => f.write_str(&text),
            // It is too long.
            _ => f.write_str("…"),
        }
    }
}

/// A view of a dict, by the kind that Python has for it; `repr` prints the list of its items.
pub(super) fn view(kind: &'static str, items: Vec<Value>, repr: Repr) -> Value {
    Value::from_object(View { kind, items, repr })
}

/// What Python prints for a view; `None` for another value.
pub(super) fn print_view(
    value: &Value,
    repr: &dyn Fn(&Value) -> Result<String, Error>,
) -> Option<Result<String, Error>> {
    let view = value.downcast_object_ref::<View>()?;
    let items = repr(&Value::from(view.items.clone()));
    Some(items.map(|items| format!("{}({items})", view.kind)))
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

/// A generator of these, by the words that Python has for it.
pub(super) fn generator(words: String, items: Vec<Value>) -> Value {
    Value::from_object(Generator { words, items, given: AtomicUsize::new(0) })
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

/// Calls the method of a value.
type CallMethod = fn(&Value, &str, &[Value]) -> Result<Value, Error>;

/// A method that lacks its brackets.
#[derive(Debug)]
struct Method {
    /// What Python calls the type of the value.
    of: &'static str,
    value: Value,
    name: String,
    call: CallMethod,
}

impl Object for Method {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        weigh(state, &self.value)?;
        (self.call)(&self.value, &self.name, args)
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<built-in method {} of {} object {ADDRESS}>", self.name, self.of)
    }
}

/// A method that is not called yet.
pub(super) fn member_method(
    of: &'static str,
    value: Value,
    name: String,
    call: CallMethod,
) -> Value {
    Value::from_object(Method { of, value, name, call })
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
