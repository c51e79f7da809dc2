//! What a field is for: which widget fits a node and the value that is there.

use std::sync::Arc;

use serde_json::Value;

use super::{
    equal::values_equal,
    node::{Choice, Choices, Locks, Node, Types},
};

/// A text longer than this, or with a line break, is edited in a box of its own.
const LONG_TEXT: usize = 120;
/// A list with a longer item than this is shown as rows, not as chips.
const LONGEST_CHIP: usize = 60;

/// What a field is, with what its widget needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Text(TextKind),
    Number {
        whole: bool,
    },
    Toggle,
    Choice(Arc<Choices>),
    /// A list of short texts, free, with suggestions, or out of the choices.
    Chips(Option<Arc<Choices>>),
    List {
        len: usize,
        open: bool,
        /// Its items are a table's rows with these columns.
        columns: Option<Arc<[Column]>>,
    },
    Object {
        open: bool,
        /// It is the row of a table with these columns.
        columns: Option<Arc<[Column]>>,
    },
    /// An object whose members all have names of the user's choosing.
    Map {
        len: usize,
        open: bool,
    },
    /// Which of several shapes the value has; `open` where the shape's own fields follow.
    Variant {
        branches: Vec<Branch>,
        chosen: Option<usize>,
        open: Option<bool>,
    },
    Const(Value),
    Null,
    /// A single value that the schema lets nobody change.
    ReadOnly,
    /// Anything else, as JSON.
    Raw,
    /// Whether the schema that the value is allows null beside what it asks for.
    OrNull {
        on: bool,
    },
    /// The row that adds an item or a member to what is at its pointer.
    Add(AddedPart),
    /// Items of a long list that are not laid out; opening the row moves the window there.
    More {
        hidden: usize,
        start: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Line,
    /// With line breaks, or long.
    Lines,
    /// Masked.
    Secret,
    Moment(TimeKind),
    /// The path of a file.
    Path,
}

/// A text that says when, or how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeKind {
    Date,
    Time,
    DateTime,
    Duration,
}

/// A column of a list of objects that is shown as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: Arc<str>,
    pub title: Arc<str>,
    /// What its longest value takes.
    pub cells: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddedPart {
    Item,
    Member,
}

/// A shape that a value may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub label: Arc<str>,
    pub help: Option<Arc<str>>,
    /// What it asks for, in few words.
    pub needs: String,
}

/// The simple shape of a node with all unions decided. Folds are closed; the one who lays out opens
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Const,
    Choice,
    Text,
    Number { whole: bool },
    Toggle,
    Chips,
    List,
    Object,
    Map,
    Null,
    Raw,
}

/// The shape that fits both the node and the value; raw where they do not go together.
pub(super) fn fitting_shape(node: &Node, items: Option<&Node>, value: Option<&Value>) -> Shape {
    let shape = node_shape(node, items);
    let value = value.filter(|value| !value.is_null());
    let Some(value) = value else { return shape };
    let fits = match shape {
        Shape::Const => true,
        Shape::Choice => !value.is_object() && !value.is_array() || is_option(node, value),
        Shape::Text => value.is_string(),
        Shape::Number { .. } => value.is_number(),
        Shape::Toggle => value.is_boolean(),
        Shape::Chips => value.as_array().is_some_and(|items| items.iter().all(is_chip)),
        Shape::List => value.is_array(),
        Shape::Object | Shape::Map => value.is_object(),
        Shape::Null | Shape::Raw => false,
    };
    match shape {
        _ if fits => shape,
        Shape::Chips if value.is_array() => Shape::List,
        _ => Shape::Raw,
    }
}

fn is_option(node: &Node, value: &Value) -> bool {
    node.choices
        .iter()
        .flat_map(|choices| &choices.options)
        .any(|option| values_equal(&option.value, value))
}

fn node_shape(node: &Node, items: Option<&Node>) -> Shape {
    if node.never {
        return Shape::Raw;
    }
    if node.constant.is_some() {
        return if node.is_null() { Shape::Null } else { Shape::Const };
    }
    if node.choices.is_some() {
        return Shape::Choice;
    }
    let types = node.shown_types();
    if types.is_empty() {
        return if node.types == Types::NULL { Shape::Null } else { Shape::Raw };
    }
    let mut each = types.iter_names();
    match (each.next(), each.next()) {
        (Some((Types::TEXT, _)), None) => Shape::Text,
        (Some((Types::NUMBER, _)), None) => Shape::Number { whole: false },
        (Some((Types::INTEGER, _)), None) => Shape::Number { whole: true },
        (Some((Types::BOOLEAN, _)), None) => Shape::Toggle,
        (Some((Types::LIST, _)), None) if holds_chips(node, items) => Shape::Chips,
        (Some((Types::LIST, _)), None) => Shape::List,
        (Some((Types::OBJECT, _)), None) if node.object.properties.is_empty() => Shape::Map,
        (Some((Types::OBJECT, _)), None) => Shape::Object,
        _ => Shape::Raw,
    }
}

fn holds_chips(node: &Node, items: Option<&Node>) -> bool {
    let Some(items) = items else { return false };
    let plain = items.unions.is_empty() && items.constant.is_none() && !items.write_only;
    let plain = plain && (!items.nullable || items.null_apart);
    let texts = match items.choices.as_deref() {
        Some(choices) => choices.options.iter().all(|option| option.value.is_string()),
        None => items.typed && items.shown_types() == Types::TEXT,
    };
    let is_free = node.hints.locks == Locks::default();
    is_free
        && node.list.prefix.is_empty()
        && plain
        && texts
        && text_kind(items, None) == TextKind::Line
}

/// A text's examples, offered beside anything else that is typed.
pub(super) fn suggestions(examples: &[Value]) -> Option<Arc<Choices>> {
    let texts = examples.iter().filter(|example| example.is_string());
    let options: Vec<Choice> =
        texts.map(|example| Choice { value: example.clone(), title: None, help: None }).collect();
    (!options.is_empty()).then(|| Arc::new(Choices { options, open: true }))
}

fn is_chip(item: &Value) -> bool {
    item.as_str().is_some_and(|text| text.len() <= LONGEST_CHIP && !text.contains(['\n', '\r']))
}

/// How a text is edited, recognized by the schema's words and by the text itself.
pub(super) fn text_kind(node: &Node, value: Option<&Value>) -> TextKind {
    if node.write_only || node.text.format.as_deref() == Some("password") {
        return TextKind::Secret;
    }
    let moment = match node.text.format.as_deref() {
        Some("date") => Some(TimeKind::Date),
        Some("time") => Some(TimeKind::Time),
        Some("date-time") => Some(TimeKind::DateTime),
        Some("duration") => Some(TimeKind::Duration),
        _ => None,
    };
    if let Some(moment) = moment {
        return TextKind::Moment(moment);
    }
    if matches!(node.text.format.as_deref(), Some("path" | "file-path" | "directory-path")) {
        return TextKind::Path;
    }
    let is_long = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .is_some_and(|text| text.len() > LONG_TEXT || text.contains('\n'))
    };
    let marked =
        matches!(node.text.format.as_deref(), Some("textarea" | "multiline" | "markdown" | "json"));
    let marked = marked || node.text.media_type.is_some();
    let roomy = node.text.max.is_some_and(|max| max > 400);
    let long_default = is_long(node.default.as_ref());
    if marked || roomy || long_default || is_long(value) { TextKind::Lines } else { TextKind::Line }
}
