//! The fields of a form as lines: what each is, what it holds, what is wrong with it; and asked one
//! after the other.

use crate::{
    model::shown::shorten,
    schema::{
        count::count_text,
        fields::{Field, Part, Presence},
        kind::{AddedPart, Kind, TextKind, TimeKind},
        node::Choice,
        pointer::Pointer,
    },
    ui::form::{
        by_name::option_text,
        view::{Form, FormReply},
    },
};

/// Letters of a value that are shown in a line.
const LONGEST: usize = 200;

/// A form that is asked field by field.
#[derive(Default)]
pub(crate) struct Walk {
    /// The row that is asked, and what it was for when it was asked.
    row: usize,
    at: Option<(Pointer, Part)>,
    /// The lines of a text so far.
    pub lines: Option<Vec<String>>,
}

impl Walk {
    /// Goes on to the next row that is asked; `None` at the end.
    pub fn next(&mut self, form: &Form) -> Option<usize> {
        let first = match &self.at {
            None => self.row,
            // The rows before it may be others now.
            Some(at) => self.row_now(form, at).map_or(self.row, |row| row + 1),
        };
        self.ask_from(form, first)
    }

    /// The row that is asked, where that is there still.
    pub fn row_in(&self, form: &Form) -> Option<usize> {
        self.row_now(form, self.at.as_ref()?)
    }

    /// The row that was asked before it.
    pub fn before(&self, form: &Form) -> Option<usize> {
        let row = self.row_in(form)?;
        form.fields().iter().take(row).rposition(is_asked)
    }

    /// The row that is asked now.
    pub fn go_to(&mut self, form: &Form, row: usize) {
        self.at = form.fields().get(row).map(|field| (field.pointer.clone(), field.part));
        (self.row, self.lines) = (row, None);
    }

    /// That row is asked next.
    pub fn ask(&mut self, row: usize) {
        (self.row, self.at) = (row, None);
    }

    /// What is now in the place of the row is asked next.
    pub fn stay(&mut self) {
        self.at = None;
    }

    fn row_now(&self, form: &Form, (pointer, part): &(Pointer, Part)) -> Option<usize> {
        form.fields().iter().position(|field| field.pointer == *pointer && field.part == *part)
    }

    fn ask_from(&mut self, form: &Form, first: usize) -> Option<usize> {
        self.lines = None;
        let found = form.fields().iter().enumerate().skip(first).find(|(_, field)| is_asked(field));
        let (row, field) = found?;
        self.row = row;
        self.at = Some((field.pointer.clone(), field.part));
        Some(row)
    }
}

/// Whether there is anything to type for a row.
fn is_asked(field: &Field) -> bool {
    let is_holder =
        matches!(field.kind, Kind::List { .. } | Kind::Object { .. } | Kind::Map { .. });
    let is_fixed =
        matches!(field.kind, Kind::Const(_) | Kind::Null | Kind::ReadOnly | Kind::More { .. })
            || field.part == Part::OrNull;
    let is_told = is_holder && field.presence == Presence::Set;
    !(field.node.read_only || is_fixed || is_told)
}

/// The name of a field: the way to it.
pub(crate) fn field_name(at: &Pointer) -> String {
    match at.tokens() {
        [] => "the whole value".to_owned(),
        _ => at.dotted(),
    }
}

/// Why a word names no field.
#[derive(Debug)]
pub(crate) enum NotFound {
    Unknown,
    /// It may be each of these.
    Several(Vec<String>),
}

/// The row that a word names: by its number, its way, or its own name where no other has that.
pub(crate) fn find_row(form: &Form, word: &str, is_switch: bool) -> Result<usize, NotFound> {
    let fields = form.fields();
    if let Some(row) = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1))
        && row < fields.len()
    {
        return Ok(row);
    }
    let at = match word.starts_with('/') {
        true => Pointer::parse(word).ok(),
        false => Some(word.split('.').map(str::to_owned).collect()),
    };
    if let Some(row) = at.and_then(|at| form.row_of(&at, is_switch)) {
        return Ok(row);
    }
    let own = |field: &Field| {
        field.part.is_value()
            && (field.label.eq_ignore_ascii_case(word)
                || field.pointer.last().is_some_and(|name| name.eq_ignore_ascii_case(word)))
    };
    let found: Vec<&Field> = fields.iter().filter(|field| own(field)).collect();
    match found.as_slice() {
        [] => Err(NotFound::Unknown),
        [first, rest @ ..] if rest.iter().all(|field| field.pointer == first.pointer) => {
            form.row_of(&first.pointer, is_switch).ok_or(NotFound::Unknown)
        }
        several => {
            let mut names: Vec<String> =
                several.iter().map(|field| field_name(&field.pointer)).collect();
            names.dedup();
            Err(NotFound::Several(names))
        }
    }
}

/// All rows of a form with their numbers.
pub(crate) fn field_lines(form: &Form) -> Vec<String> {
    let mut lines: Vec<String> =
        (0..form.fields().len()).flat_map(|row| describe_row(form, row)).collect();
    if lines.is_empty() {
        lines.push("The form has no fields.".to_owned());
    }
    let count = errors(form).len();
    if count > 0 {
        lines.push(format!("Errors: {count}. Type: form errors"));
    }
    lines
}

/// Everything that is wrong, each with its field.
pub(crate) fn error_lines(form: &Form) -> Vec<String> {
    let lines = errors(form);
    match lines.is_empty() {
        true => vec!["The form has no errors.".to_owned()],
        false => lines,
    }
}

/// What doesn't match the schema, then what the checks found.
fn errors(form: &Form) -> Vec<String> {
    let line = |at: &Pointer, words: &str| format!("{}: {words}", field_name(at));
    let mut lines: Vec<String> =
        form.all_issues().iter().map(|issue| line(&issue.at, &issue.words)).collect();
    for (row, field) in form.fields().iter().enumerate() {
        for remark in form.remarks_of(row) {
            let found = remark.strip_prefix("error: ").map(|words| line(&field.pointer, words));
            lines.extend(found.filter(|found| !lines.contains(found)));
        }
    }
    lines
}

/// A row: its number, its field, what it takes, what it holds, and what is said about it.
pub(crate) fn describe_row(form: &Form, row: usize) -> Vec<String> {
    let Some(field) = form.fields().get(row) else { return Vec::new() };
    let name = field_name(&field.pointer);
    if let Kind::Add(part) = field.kind {
        let what = if part == AddedPart::Item { "an item" } else { "a member" };
        return vec![match field.pointer.is_root() {
            true => format!("{}. add {what}", row + 1),
            false => format!("{}. {name}: add {what}", row + 1),
        }];
    }
    if matches!(field.kind, Kind::OrNull { .. }) {
        return vec![format!("{}. {name}: {}", row + 1, kind_words(field))];
    }
    let mut words = vec![kind_words(field)];
    let own = field.pointer.last().unwrap_or_default();
    if !field.label.eq_ignore_ascii_case(own) && !field.label.is_empty() {
        words.insert(0, field.label.to_string());
    }
    if field.is_marked_required() {
        words.push("required".to_owned());
    }
    words.push(value_words(form, field));
    let mut lines = vec![format!("{}. {name}: {}", row + 1, words.join(", "))];
    lines.extend(form.remarks_of(row).into_iter().map(|remark| format!("   {remark}")));
    lines
}

/// What helps with the field of a row.
pub(crate) fn help_lines(form: &Form, row: usize) -> Vec<String> {
    let mut lines = describe_row(form, row);
    let Some(field) = form.fields().get(row) else { return lines };
    lines.extend(field.help().map(ToString::to_string));
    if let Kind::Variant { branches, .. } = &field.kind {
        lines.extend(branches.iter().enumerate().map(|(number, branch)| {
            let help = branch.help.as_deref().unwrap_or_default();
            format!("   {}. {} {} {help}", number + 1, branch.label, branch.needs)
        }));
    }
    lines
}

/// A value to choose, and what the screen calls it where that is another word.
fn titled_option(choice: &Choice) -> String {
    let value = option_text(choice);
    match choice.title.as_deref().filter(|title| *title != value) {
        Some(title) => format!("{value} ({title})"),
        None => value,
    }
}

fn kind_words(field: &Field) -> String {
    match &field.kind {
        Kind::Text(TextKind::Line) => "text".to_owned(),
        Kind::Text(TextKind::Lines) => "text of several lines".to_owned(),
        Kind::Text(TextKind::Secret) => "secret text".to_owned(),
        Kind::Text(TextKind::Path) => "path of a file".to_owned(),
        Kind::Text(TextKind::Moment(TimeKind::Date)) => "date".to_owned(),
        Kind::Text(TextKind::Moment(TimeKind::Time)) => "time".to_owned(),
        Kind::Text(TextKind::Moment(TimeKind::DateTime)) => "date and time".to_owned(),
        Kind::Text(TextKind::Moment(TimeKind::Duration)) => "duration".to_owned(),
        Kind::Number { whole: true } => "whole number".to_owned(),
        Kind::Number { whole: false } => "number".to_owned(),
        Kind::Toggle => "true or false".to_owned(),
        Kind::Choice(choices) => {
            let options: Vec<String> = choices.options.iter().map(titled_option).collect();
            let other = if choices.open { ", or another text" } else { "" };
            format!("one of {}{other}", options.join(", "))
        }
        Kind::Chips(choices) => {
            let options = choices.iter().flat_map(|choices| &choices.options).map(option_text);
            match options.collect::<Vec<_>>().join(", ") {
                known if known.is_empty() => "list of texts, separated by commas".to_owned(),
                known => format!("list of texts, separated by commas; known: {known}"),
            }
        }
        Kind::List { len, .. } => format!("list of {len}"),
        Kind::Object { .. } => "object".to_owned(),
        Kind::Map { len, .. } => {
            format!("object with {}, with any names", count_text(*len, "member", "members"))
        }
        Kind::Variant { branches, chosen, .. } => {
            let label = |(number, branch): (usize, &crate::schema::kind::Branch)| {
                let mark = if *chosen == Some(number) { " (chosen)" } else { "" };
                format!("{} {}{mark}", number + 1, branch.label)
            };
            let all: Vec<String> = branches.iter().enumerate().map(label).collect();
            format!("one of these kinds: {}", all.join(", "))
        }
        Kind::Const(value) => format!("only {value}"),
        Kind::Null => "null".to_owned(),
        Kind::ReadOnly => "read-only".to_owned(),
        Kind::Raw => "JSON".to_owned(),
        Kind::OrNull { on } => format!("or null, true or false, now {on}"),
        Kind::Add(_) => "add".to_owned(),
        Kind::More { hidden, .. } => format!("{hidden} more"),
    }
}

fn value_words(form: &Form, field: &Field) -> String {
    match field.presence {
        Presence::Unset => match &field.node.default {
            Some(default) if !field.bad_default => format!("not set, default {default}"),
            _ => "not set".to_owned(),
        },
        Presence::Null => "explicit null".to_owned(),
        Presence::Set if form.is_secret(&field.pointer) => "set (hidden)".to_owned(),
        Presence::Set => {
            let text = form.present_text(&field.pointer).unwrap_or_default();
            let is_holder =
                matches!(field.kind, Kind::Object { .. } | Kind::Map { .. } | Kind::List { .. });
            match is_holder {
                true => "set".to_owned(),
                false => format!("now {}", shorten(&text, LONGEST)),
            }
        }
    }
}

/// What is shown before what is typed for a row, and whether that is hidden.
pub(crate) fn row_prompt(form: &Form, row: usize) -> (String, bool) {
    let Some(field) = form.fields().get(row) else { return (String::new(), false) };
    let name = field_name(&field.pointer);
    match field.kind {
        Kind::Text(TextKind::Secret) => (format!("{name} (hidden)"), true),
        Kind::Add(AddedPart::Item) if field.pointer.is_root() => ("add an item".to_owned(), false),
        Kind::Add(AddedPart::Item) => (format!("add an item to {name}"), false),
        Kind::Add(AddedPart::Member) if field.pointer.is_root() => {
            ("name of a new member".to_owned(), false)
        }
        Kind::Add(AddedPart::Member) => (format!("name of a new member of {name}"), false),
        _ => (name, false),
    }
}

/// Whether something that is wrong with the field of a row has a fix.
pub(crate) fn has_fix(form: &Form, row: usize) -> bool {
    matches!(form.fix_of_row(row), FormReply::Fix(_))
}

/// Whether a text of several lines is typed for a row.
pub(crate) fn takes_lines(form: &Form, row: usize) -> bool {
    form.fields().get(row).is_some_and(|field| field.kind == Kind::Text(TextKind::Lines))
}

/// Whether a value has no line breaks: it is chosen, or a number.
pub(crate) fn is_of_one_line(field: &Field) -> bool {
    matches!(
        field.kind,
        Kind::Choice(_) | Kind::Toggle | Kind::Number { .. } | Kind::Text(TextKind::Moment(_))
    )
}

/// The kind that a number (from 1) or a name means.
pub(crate) fn named_branch(field: &Field, word: &str) -> Option<usize> {
    let Kind::Variant { branches, .. } = &field.kind else { return None };
    let named = || branches.iter().position(|branch| branch.label.eq_ignore_ascii_case(word));
    match word.parse::<usize>() {
        Ok(number) => Some(number.saturating_sub(1)),
        Err(_) => named(),
    }
}

/// Whether a row is asked how many kinds it has; and whether it adds something.
pub(crate) fn is_switch(form: &Form, row: usize) -> bool {
    form.fields().get(row).is_some_and(|field| matches!(field.kind, Kind::Variant { .. }))
}

pub(crate) fn is_adder(form: &Form, row: usize) -> bool {
    let is_adder = |field: &Field| {
        let is_holder =
            matches!(field.kind, Kind::List { .. } | Kind::Object { .. } | Kind::Map { .. });
        is_holder || matches!(field.kind, Kind::Add(_))
    };
    form.fields().get(row).is_some_and(is_adder)
}

/// What can be typed where a list or an object is asked for; `None` for other fields.
pub(crate) fn holder_words(form: &Form, row: usize) -> Option<&'static str> {
    Some(match form.fields().get(row)?.kind {
        Kind::Object { .. } => {
            "Type add to fill in its members one after the other, or the whole object as JSON."
        }
        Kind::Map { .. } => {
            "Type add NAME or add NAME VALUE for each member, or the whole object as JSON."
        }
        Kind::List { .. } => {
            "Type an item to add it, add for an empty one, or the whole list as JSON."
        }
        Kind::Add(AddedPart::Item) => "Type an item to add it, or add for an empty one.",
        _ => return None,
    })
}

/// What a text that is typed at a field adds to it: an item, or a member's name with or without its
/// value; `None` where it adds nothing.
pub(crate) fn walk_addition<'t>(field: &Field, text: &'t str) -> Option<&'t str> {
    let takes_items = matches!(field.kind, Kind::List { .. } | Kind::Add(AddedPart::Item));
    let takes_names = matches!(field.kind, Kind::Map { .. });
    if text == "add" {
        return (!takes_names && field.kind != Kind::Add(AddedPart::Member)).then_some("");
    }
    match text.strip_prefix("add ") {
        Some(rest) if takes_items || takes_names => Some(rest.trim()),
        _ if takes_items && !text.starts_with('[') => Some(text.strip_prefix('=').unwrap_or(text)),
        _ => None,
    }
}

/// The row that adds an item to a list.
pub(crate) fn adder_of(form: &Form, list: &Pointer) -> Option<usize> {
    let is_adder =
        |field: &Field| field.pointer == *list && field.kind == Kind::Add(AddedPart::Item);
    form.fields().iter().position(is_adder)
}

/// Whether the field of a row is an object without a value.
pub(crate) fn is_unset_object(form: &Form, row: usize) -> bool {
    form.fields().get(row).is_some_and(|field| {
        matches!(field.kind, Kind::Object { .. }) && field.presence == Presence::Unset
    })
}

/// Whether it adds a member, whose name is to be typed.
pub(crate) fn adds_member(form: &Form, row: usize) -> bool {
    form.fields().get(row).is_some_and(|field| field.kind == Kind::Add(AddedPart::Member))
}
