//! Fields named in place of being moved to, with their values given as text: for who works without
//! a drawing. Edits are made and refused as widgets make and refuse them.

use serde_json::Value;

use super::{
    read_only,
    view::{Form, FormReply},
};
use crate::{
    schema::{
        fields::{Field, Part, Presence},
        kind::{AddedPart, Kind},
        literal::Literal,
        node::{Choice, Choices, Types},
        parse,
        pointer::Pointer,
    },
    syntax::edit::Edit,
};

/// So many times what was unfolded is looked through for more.
const DEEPEST: usize = 32;

impl Form {
    /// Lays out all that the value holds, however deep it lies. What is not set stays folded.
    pub(crate) fn unfold_all(&mut self) {
        for _ in 0..DEEPEST {
            let is_closed = |field: &&Field| {
                field.fold_state() == Some(false) && field.presence == Presence::Set
            };
            let closed: Vec<Pointer> =
                self.fields.iter().filter(is_closed).map(|field| field.pointer.clone()).collect();
            if closed.is_empty() {
                return;
            }
            self.view.folds.extend(closed.into_iter().map(|at| (at, true)));
            self.relayout_fields();
        }
    }

    /// What is said about the field of a row, without what is said about those in it.
    pub(crate) fn remarks_of(&self, row: usize) -> Vec<String> {
        let fix = |fix: &(usize, String)| format!(". Fix: {}", fix.1);
        let remarks = self.remarks.row_remarks(row).iter();
        let words = remarks.map(|remark| {
            let fix = remark.fix.as_ref().map(fix).unwrap_or_default();
            format!("{}: {}{fix}", remark.severity.as_str(), remark.text)
        });
        words.collect()
    }

    /// Applies the fix of what is said about the field of a row.
    pub(crate) fn fix_of_row(&self, row: usize) -> FormReply {
        let fix = self.remarks.row_remarks(row).iter().find_map(|remark| remark.fix.as_ref());
        match fix {
            Some((note, _)) => FormReply::Fix(*note),
            None => FormReply::Refused("nothing about this field has an automatic fix".into()),
        }
    }

    /// Whether the value there is masked.
    pub(crate) fn is_secret(&self, at: &Pointer) -> bool {
        self.secrets.iter().any(|secret| secret == at || secret.starts_with(at))
    }

    /// The value at a place as it is written.
    pub(crate) fn present_text(&self, at: &Pointer) -> Option<String> {
        let value = at.get(&self.value)?;
        Some(self.written_number(at).unwrap_or_else(|| value.to_string()))
    }

    /// Gives the field of a row the value that a text means there: as the field's kind takes it, or
    /// as JSON.
    pub(crate) fn set_by_text(&mut self, row: usize, text: &str) -> FormReply {
        let Some(field) = self.fields.get(row) else {
            return FormReply::Refused("there is no such field".into());
        };
        let at = field.pointer.clone();
        if matches!(field.kind, Kind::OrNull { .. }) {
            return match flag_of(text) {
                Some(on) => self.set_or_null(&at, on),
                None => FormReply::Refused(format!("{text} is neither true nor false")),
            };
        }
        match meant_value(field, text) {
            Ok(to) => self.commit_edits(vec![Edit::Set { at, to }]),
            Err(why) => FormReply::Refused(why),
        }
    }

    /// Takes the value of the field of a row away.
    pub(crate) fn unset(&mut self, row: usize) -> FormReply {
        match self.fields.get(row) {
            Some(field) if field.presence == Presence::Unset => {
                FormReply::Refused("it is not set".into())
            }
            Some(field) if field.is_removable() && !field.node.read_only => {
                self.commit_edits(vec![Edit::Remove { at: field.pointer.clone() }])
            }
            _ => FormReply::Refused("this can't be removed".into()),
        }
    }

    /// Adds an item to the list of a row, a member of that name to its object, or a first value
    /// where it has none.
    pub(crate) fn add_to(&mut self, row: usize, name: &str) -> FormReply {
        let Some(field) = self.fields.get(row) else {
            return FormReply::Refused("there is no such field".into());
        };
        let at = field.pointer.clone();
        match (&field.kind, field.presence) {
            _ if field.node.read_only => FormReply::Refused(read_only::WHY.into()),
            (Kind::List { .. }, Presence::Set) if !field.takes_items() => {
                FormReply::Refused("the list takes no more items".into())
            }
            (Kind::List { .. } | Kind::Chips(_), _) => self.add_item(&at, name),
            (Kind::Add(_), _) if at.get(&self.value).is_some_and(Value::is_array) => {
                self.add_item(&at, name)
            }
            (Kind::Object { .. }, Presence::Set) | (Kind::Map { .. } | Kind::Add(_), _) => {
                match name {
                    "" => FormReply::Refused("name the new member: add FIELD NAME".into()),
                    name => self.put_member(&at, name),
                }
            }
            (Kind::Object { .. }, _) => self
                .commit_edits(vec![Edit::Set { at, to: Value::Object(Default::default()).into() }]),
            _ => FormReply::Refused("only lists and objects accept more; use set".into()),
        }
    }

    /// The same with a member's name and the text of its value, where one comes after the name.
    pub(crate) fn add_by_text(&mut self, row: usize, text: &str) -> FormReply {
        let takes_members = self.fields.get(row).is_some_and(|field| {
            matches!(field.kind, Kind::Map { .. } | Kind::Object { .. })
                || matches!(field.kind, Kind::Add(AddedPart::Member))
        });
        let parts = text.split_once(char::is_whitespace).filter(|_| takes_members);
        let Some((name, value)) = parts else { return self.add_to(row, text) };
        let at = self.fields[row].pointer.child(name);
        let added = self.add_to(row, name);
        if !matches!(added, FormReply::Edits(_)) {
            return added;
        }
        self.unfold_all();
        // Where the schema says nothing about it, it is what it looks like, as with `set`.
        if !self.schema.node(&self.key_of(&at)).typed {
            let to = Literal::parse(value.trim()).unwrap_or_else(|_| value.trim().into());
            return added.merge_with(self.commit_edits(vec![Edit::Set { at, to }]));
        }
        match self.row_of(&at, false) {
            Some(row) => added.merge_with(self.set_by_text(row, value.trim())),
            None => added,
        }
    }

    fn add_item(&mut self, list: &Pointer, text: &str) -> FormReply {
        let count = list.get(&self.value).and_then(Value::as_array).map_or(0, Vec::len);
        let place = list.item(count);
        let item: Literal = match text {
            "" => self.blank_item(&place).into(),
            text => match self.item_of_text(&place, text) {
                Ok(item) => item,
                Err(why) => return FormReply::Refused(why),
            },
        };
        let is_given = !text.is_empty() && !item.value().is_object();
        if is_given && self.takes_only_objects(&place) {
            return FormReply::Refused(format!(
                "each item is an object. Type: add {}, then set {}.MEMBER VALUE",
                if list.is_root() { "LIST".to_owned() } else { list.dotted() },
                place.dotted()
            ));
        }
        self.commit_edits(vec![Edit::Insert { at: place, item }])
    }

    /// What a text means as an item there: JSON of a type that is allowed, else a text.
    fn item_of_text(&self, place: &Pointer, text: &str) -> Result<Literal, String> {
        let node = self.schema.node(&self.key_of(place));
        let parsed = Literal::parse(text).ok();
        if !node.typed || !node.unions.is_empty() || self.takes_only_objects(place) {
            return Ok(parsed.unwrap_or_else(|| text.into()));
        }
        let is_allowed = |item: &Literal| {
            let of = Types::of_value(item.value());
            node.types.contains(of) || of == Types::INTEGER && node.types.contains(Types::NUMBER)
        };
        match parsed.filter(is_allowed) {
            Some(item) => Ok(item),
            None if node.types.contains(Types::TEXT) => Ok(text.into()),
            None => {
                let words = Types::WORDS.iter().filter(|(of, ..)| node.types.contains(*of));
                let words: Vec<&str> = words.map(|(_, _, word)| *word).collect();
                Err(format!("{text} doesn't fit; an item is: {}", words.join(", ")))
            }
        }
    }

    /// Takes the branch of this number (from 0) of the union at a row.
    pub(crate) fn choose_branch(&mut self, row: usize, branch: usize) -> FormReply {
        let branches = match self.fields.get(row).map(|field| (&field.kind, field.node.read_only)) {
            Some((Kind::Variant { .. }, true)) => {
                return FormReply::Refused(read_only::WHY.into());
            }
            Some((Kind::Variant { branches, .. }, _)) => branches.len(),
            _ => return FormReply::Refused("this field has only one kind".into()),
        };
        if branch >= branches {
            return FormReply::Refused(format!("choose a number from 1 to {branches}"));
        }
        self.pick_branch(row, branch)
    }

    /// Whether a text means a value that one of the kinds at a row can be.
    pub(crate) fn fits_a_branch(&self, row: usize, text: &str) -> bool {
        let Some(field) = self.fields.get(row) else { return false };
        let Part::Switch(place) = field.part else { return true };
        let Some(union) = field.node.unions.iter().find(|union| union.place == place) else {
            return true;
        };
        let meant = Literal::parse(text).unwrap_or_else(|_| text.into());
        let of = Types::of_value(meant.value());
        union.branches.iter().any(|branch| {
            let node = self.schema.node(&field.node.key.with_branch(place, *branch));
            let is_of_type = node.types.contains(of)
                || of == Types::INTEGER && node.types.contains(Types::NUMBER);
            match (&node.constant, &node.choices) {
                (Some(only), _) => only == meant.value(),
                (None, Some(choices)) if !choices.open => {
                    choices.options.iter().any(|choice| choice.value == *meant.value())
                }
                _ => !node.typed || is_of_type,
            }
        })
    }

    /// The row of a place: that of its value, or of the choice between its kinds.
    pub(crate) fn row_of(&self, at: &Pointer, is_switch: bool) -> Option<usize> {
        let own = |field: &Field| field.pointer == *at && field.part != Part::Add;
        let switch = self
            .fields
            .iter()
            .position(|field| own(field) && matches!(field.part, Part::Switch(_)));
        let value = self
            .fields
            .iter()
            .position(|field| own(field) && matches!(field.part, Part::Whole | Part::Value));
        if is_switch { switch.or(value) } else { value.or(switch) }
    }
}

fn meant_value(field: &Field, text: &str) -> Result<Literal, String> {
    let node = &field.node;
    let refused = |why: &str| Err(format!("{text} {why}"));
    let json = || parse::parse_json(text);
    if node.read_only {
        return Err(read_only::WHY.into());
    }
    if node.nullable && text == "null" {
        return Ok(Value::Null.into());
    }
    match &field.kind {
        Kind::Const(value) if names_value(value, text) => Ok(value.clone().into()),
        Kind::Const(value) => Err(format!("it can only be {value}")),
        Kind::ReadOnly => Err("this value can't be changed".into()),
        Kind::Text(_) => Ok(text_value(text)),
        Kind::Number { whole } => parse::parse_number(text, *whole).or_else(refused),
        Kind::Toggle => match flag_of(text) {
            Some(on) => Ok(on.into()),
            None => refused("is neither true nor false"),
        },
        Kind::OrNull { .. } => Err("this is no value".into()),
        Kind::Choice(choices) => choice_value(choices, text),
        Kind::Chips(_) if text.trim_start().starts_with('[') => json(),
        Kind::Chips(choices) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            let item = |item: &str| match choices {
                Some(choices) => choice_value(choices, item).map(Literal::into_value),
                None => Ok(item.into()),
            };
            Ok(Value::Array(items.map(item).collect::<Result<_, _>>()?).into())
        }
        Kind::Variant { .. } => Ok(Literal::parse(text).unwrap_or_else(|_| text.into())),
        Kind::Null => Ok(Value::Null.into()),
        Kind::Add(_) | Kind::More { .. } => Err("add an item with: add".into()),
        Kind::Object { .. } | Kind::Map { .. } if !text.trim_start().starts_with('{') => {
            Err("this is an object. Type: set FIELD.MEMBER VALUE, or the whole object as JSON"
                .into())
        }
        Kind::List { .. } | Kind::Object { .. } | Kind::Map { .. } | Kind::Raw => json(),
    }
}

/// What a text says of a tick.
fn flag_of(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "y" | "on" => Some(true),
        "false" | "no" | "n" | "off" => Some(false),
        _ => None,
    }
}

/// Whether a text is a value as it is typed, or as JSON.
fn names_value(value: &Value, text: &str) -> bool {
    let as_json = value.to_string();
    value.as_str() == Some(text) || as_json == text
}

/// A text is what was typed, or what it says as a text of JSON.
fn text_value(text: &str) -> Literal {
    let quoted = text.starts_with('"').then(|| Literal::parse(text).ok()).flatten();
    quoted.filter(|literal| literal.value().is_string()).unwrap_or_else(|| text.into())
}

/// The option of that title, value or number; where others are allowed, the text itself.
fn choice_value(choices: &Choices, text: &str) -> Result<Literal, String> {
    let named = |choice: &&Choice| {
        let title = choice.title.as_deref().is_some_and(|title| title.eq_ignore_ascii_case(text));
        let written = choice.value.to_string();
        title || option_text(choice) == text || written == text
    };
    let numbered = || choices.options.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    if let Some(choice) = choices.options.iter().find(named).or_else(numbered) {
        return Ok(choice.value.clone().into());
    }
    if choices.open {
        return Ok(text_value(text));
    }
    let options: Vec<String> = choices.options.iter().map(option_text).collect();
    Err(format!("{text} is none of {}", options.join(", ")))
}

/// A value to choose, as it is typed.
pub(crate) fn option_text(choice: &Choice) -> String {
    choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned)
}
