//! What can be done on the focused row: the actions, why not, and which are worth naming.

use std::sync::Arc;

use serde_json::Value;

use super::{
    cell::{Cell, Click, Editor},
    change::FormContext,
    focus::SearchDirection,
    fold, raw_json, rename,
    view::{Form, FormReply},
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        input::{Code, Input, Key},
        outside_text::OutsideText,
        verbs,
    },
    schema::{
        fields::{Field, Part, Presence, Role, decided_at, may_hold_entries, takes_entries},
        kind::{AddedPart, Kind, TextKind},
        node::{Node, Types},
        pointer::Pointer,
    },
    syntax::{edit::Edit, source::Format},
    ui::action_rows::{self, has_action, refuse_when},
};

/// The row that has the focus.
#[derive(Clone, Copy, Default)]
pub struct FocusedRow(usize);

type Row = action_rows::Row<Form, FocusedRow, FormReply>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Form, "open-field", "edit", |form, _| form.open_focused())
        .keys(&[verbs::ACTIVATE, verbs::EDIT_FIELD])
        .help("Edit, open, fold or toggle the field"),
    Row::new(Scope::Form, "add-item", "add", |form, row| form.add_at(row.0))
        .keys(&[verbs::ADD])
        .edit_keys(&["alt+a"])
        .help("Add an item or an entry to the list")
        .refused(|form, row| form.add_refusal(row.0)),
    Row::new(Scope::Form, "add-member", "add member", |form, row| {
        form.name_member(&form.object_around(&form.fields[row.0]))
    })
    .edit_keys(&["alt+m"])
    .help("Add a member with a name of your choice next to the field")
    .refused(|form, row| form.member_refusal(row.0)),
    Row::new(Scope::Form, "remove-value", "remove", |form, row| form.remove_at(row.0))
        .keys(&[verbs::DELETE])
        .edit_keys(&["alt+d", "alt+x"])
        .help("Remove the value: deletes an item, unsets a field")
        .risky()
        .refused(|form, row| form.removal_refusal(row.0)),
    Row::new(Scope::Form, "move-up", "move up", |form, row| form.move_row(row.0, -1))
        .edit_keys(&["alt+up"])
        .help("Move the item up in its list, or the entry in its object")
        .refused(|form, row| form.order_refusal(row.0, -1)),
    Row::new(Scope::Form, "move-down", "move down", |form, row| form.move_row(row.0, 1))
        .edit_keys(&["alt+down"])
        .help("Move the item down in its list, or the entry in its object")
        .refused(|form, row| form.order_refusal(row.0, 1)),
    Row::new(Scope::Form, "duplicate-item", "copy item", |form, row| {
        form.duplicate(&form.place_of(row))
    })
    .keys(&[verbs::COPY])
    .edit_keys(&["alt+c"])
    .help("Duplicate the item below it")
    .refused(|form, row| form.copy_refusal(row.0)),
    Row::new(Scope::Form, "rename-member", "rename entry", |form, row| {
        form.open_editor(row.0, rename::open_editor)
    })
    .keys(&[verbs::RENAME])
    .edit_keys(&["alt+r"])
    .help("Rename the entry")
    .refused(|form, row| form.rename_refusal(row.0)),
    Row::new(Scope::Form, "set-null", "null", |form, row| form.set_null(row.0))
        .edit_keys(&["alt+n"])
        .help("Set the field to null")
        .refused(|form, row| form.null_refusal(row.0)),
    Row::new(Scope::Form, "set-empty", "empty", |form, row| form.set_empty(row.0))
        .edit_keys(&["alt+0"])
        .help("Set the field to an empty text, list or object")
        .refused(|form, row| form.empty_refusal(row.0)),
    Row::new(Scope::Form, "edit-json", "as JSON", |form, row| {
        form.open_editor(row.0, raw_json::open_editor)
    })
    .edit_keys(&["alt+j"])
    .help("Edit the field's value as JSON")
    .refused(|form, row| refuse_when(!form.has_value(row.0), NO_VALUE)),
    Row::new(Scope::Form, "edit-text", "in $EDITOR", |form, row| form.open_text(row.0))
        .keys(&[verbs::EDITOR])
        .edit_keys(&["alt+e"])
        .help("Edit the field in your editor: a text as it is, any other value as JSON")
        .refused(|form, row| form.text_refusal(row.0)),
    Row::new(Scope::Form, "fix-field", "fix", |form, row| form.fix_row(row.0))
        .keys(&[verbs::FIX])
        .edit_keys(&["alt+f"])
        .help("Apply the fix shown below the field")
        .refused(|form, _| refuse_when(form.fix_here().is_none(), NO_FIX)),
    Row::new(Scope::Form, "field-help", "whole help", |form, _| form.toggle_help())
        .keys(&[verbs::EXPLAIN])
        .edit_keys(&["alt+h"])
        .help("Show the field's full description")
        .refused(|form, row| form.help_refusal(row.0)),
    Row::new(Scope::Form, "next-issue", "next issue", |form, _| {
        form.go_to_issue(SearchDirection::Down)
    })
    .keys(&[verbs::NEXT_MARK])
    .edit_keys(&["alt+p"])
    .help("Go to the next field with an error")
    .refused(|form, _| form.issue_refusal()),
    Row::new(Scope::Form, "previous-issue", "previous issue", |form, _| {
        form.go_to_issue(SearchDirection::Up)
    })
    .keys(&[verbs::PREVIOUS_MARK])
    .edit_keys(&["alt+o"])
    .help("Go to the previous field with an error")
    .refused(|form, _| form.issue_refusal()),
    Row::new(Scope::Form, "find-field", "find field", |form, _| form.begin_search())
        .keys(&[verbs::FIND])
        .help("Find a field by name or description, including folded ones"),
    Row::new(Scope::Form, "only-set", "only what's set", |form, _| form.toggle_only_set())
        .edit_keys(&["alt+l"])
        .help("Hide unset fields, or show them again"),
    Row::new(Scope::Form, "copy-value", "copy as JSON", |form, row| {
        form.copy_value(&form.place_of(row), Format::Json)
    })
    .edit_keys(&["alt+y"])
    .help("Copy the field's value as JSON")
    .refused(|form, row| refuse_when(form.is_unset(row.0), NOTHING_TO_COPY)),
    Row::new(Scope::Form, "copy-yaml", "copy as YAML", |form, row| {
        form.copy_value(&form.place_of(row), Format::Yaml)
    })
    .help("Copy the field's value as YAML")
    .refused(|form, row| refuse_when(form.is_unset(row.0), NOTHING_TO_COPY)),
    Row::new(Scope::Form, "paste-value", "paste value", |form, _| {
        form.paste_value(&form.clip.clone())
    })
    .edit_keys(&["alt+v"])
    .help("Paste the copied JSON or YAML over the field, or into the list")
    .refused(|form, row| form.paste_refusal(row.0)),
    Row::new(Scope::Form, "reset-field", "reset", |form, row| {
        form.put_back_edit(form.reset_edit(row.0))
    })
    .edit_keys(&["alt+z"])
    .help("Reset the field to its default")
    .refused(|form, row| {
        refuse_when(
            form.reset_edit(row.0).is_none(),
            "it already has its \
        default",
        )
    }),
    Row::new(Scope::Form, "revert-field", "revert", |form, row| {
        form.put_back_edit(form.revert_edit(row.0))
    })
    .edit_keys(&["alt+b"])
    .help("Reset the field to its saved value")
    .refused(|form, row| refuse_when(form.revert_edit(row.0).is_none(), "it has its saved value")),
    Row::new(Scope::Form, "copy-text", "copy text", |form, _| form.use_text('c'))
        .help("Copy the selected text (Ctrl+C)")
        .refused(|form, _| form.untyped_refusal()),
    Row::new(Scope::Form, "cut-text", "cut text", |form, _| form.use_text('x'))
        .help("Cut the selected text (Ctrl+X)")
        .refused(|form, _| form.untyped_refusal()),
    Row::new(Scope::Form, "paste-text", "paste text", |_, _| FormReply::PasteText)
        .help("Paste into the text (Ctrl+V)")
        .refused(|form, _| form.untyped_refusal()),
    Row::new(Scope::Form, "select-text", "select all", |form, _| form.use_text('a'))
        .help("Select all of the text (Ctrl+A)")
        .refused(|form, _| form.untyped_refusal()),
];

/// What is done with the text that is edited, whose editing goes on.
pub(crate) const OF_TEXTS: [ActionId; 4] = ["copy-text", "cut-text", "paste-text", "select-text"];

const NO_VALUE: &str = "there is no value here";
const NO_FIX: &str = "no automatic fix here";
const NOTHING_TO_COPY: &str = "there is no value to copy";

impl Form {
    /// Why an action of the form cannot be done on the focused row; `None` when it can, and for
    /// what is no action of forms.
    #[must_use]
    pub fn refusal_reason(&self, id: ActionId) -> Option<String> {
        match self.focused_row().filter(|row| *row < self.fields.len()) {
            Some(row) => action_rows::refusal_reason(ACTIONS, self, id, &FocusedRow(row)),
            // What is hidden can be shown again also where that is all.
            None => refuse_when(id != "only-set" && has_action(ACTIONS, id), "the form is empty"),
        }
    }

    /// Does an action of forms on the focused row; any other is ignored.
    pub fn handle_action(&mut self, id: ActionId) -> FormReply {
        if !has_action(ACTIONS, id) {
            return FormReply::Ignored;
        }
        self.keeping_mode(|form| form.run_own_action(id))
    }

    fn run_own_action(&mut self, id: ActionId) -> FormReply {
        self.begun = true;
        if let Some(words) = self.refusal_reason(id) {
            return FormReply::Refused(words);
        }
        // What is typed but not yet in the value goes in first.
        let goes_on = ["open-field", "field-help"].contains(&id) || OF_TEXTS.contains(&id);
        let first = if goes_on { FormReply::Handled } else { self.flush_editor() };
        let row = match self.focused_row().filter(|row| *row < self.fields.len()) {
            Some(row) => FocusedRow(row),
            None if id == "only-set" => FocusedRow::default(),
            None => return first.merge_with(FormReply::Handled),
        };
        let done = action_rows::run_action(ACTIONS, self, id, &row);
        first.merge_with(done.unwrap_or(FormReply::Ignored))
    }

    fn place_of(&self, row: &FocusedRow) -> Pointer {
        self.fields[row.0].pointer.clone()
    }

    /// What changes the value at a row is refused where the schema calls that read-only.
    fn change_refusal(&self, row: usize) -> Option<String> {
        refuse_when(self.fields[row].node.read_only, super::read_only::WHY)
    }

    /// Index and length where the row is an item of a list.
    fn item_at(&self, row: usize) -> Option<(usize, usize)> {
        let field = &self.fields[row];
        match field.role {
            Role::Item { index, len } if field.part != Part::Add && index < len => {
                Some((index, len))
            }
            _ => None,
        }
    }

    fn untyped_refusal(&self) -> Option<String> {
        refuse_when(!self.is_typing(), "no text is being edited")
    }

    /// Does what a chord does in the text that is edited.
    fn use_text(&mut self, chord: char) -> FormReply {
        match self.handle_input(&Input::Key(Key::ctrl(chord))) {
            FormReply::Ignored => FormReply::Refused("nothing is selected".into()),
            reply => reply,
        }
    }

    fn has_value(&self, row: usize) -> bool {
        self.fields[row].part.is_value()
    }

    fn is_unset(&self, row: usize) -> bool {
        self.fields[row].presence == Presence::Unset
    }

    fn lock_refusal(&self, row: usize) -> Option<String> {
        let field = &self.fields[row];
        let is_locked = field.locks.add || field.node.hints.locks.add;
        self.change_refusal(row)
            .or_else(|| refuse_when(is_locked, "the uiSchema doesn't allow adding here"))
    }

    fn add_refusal(&self, row: usize) -> Option<String> {
        let why = "this is neither a list nor an object that accepts more members";
        let Some(row) = self.adding_row(row) else { return Some(why.to_owned()) };
        self.lock_refusal(row)
    }

    fn member_refusal(&self, row: usize) -> Option<String> {
        let object = self.object_around(&self.fields[row]);
        self.lock_refusal(row).or_else(|| {
            refuse_when(!self.takes_members(&object), "the object accepts no more members")
        })
    }

    fn removal_refusal(&self, row: usize) -> Option<String> {
        let field = &self.fields[row];
        self.change_refusal(row)
            .or_else(|| refuse_when(field.locks.remove, "the uiSchema doesn't allow removing it"))
            .or_else(|| refuse_when(!field.is_removable(), "there is no value to remove"))
    }

    fn item_refusal(&self, row: usize) -> Option<String> {
        refuse_when(self.item_at(row).is_none(), "this is not an item of a list")
    }

    /// The entries of the object that the entry at a row is in, and which of them it is.
    fn entries_beside(&self, row: usize) -> Option<(Vec<&Pointer>, usize)> {
        let is_entry = |field: &&Field| {
            matches!(field.role, Role::Entry { .. }) && field.presence != Presence::Unset
        };
        let field = self.fields.get(row).filter(is_entry)?;
        let object = field.pointer.parent()?;
        let beside = self.fields.iter().filter(is_entry).map(|field| &field.pointer);
        let mut entries: Vec<&Pointer> =
            beside.filter(|at| at.parent().as_ref() == Some(&object)).collect();
        // A union's value has a row of its own below that of its kind.
        entries.dedup();
        let index = entries.iter().position(|at| **at == field.pointer)?;
        Some((entries, index))
    }

    fn order_refusal(&self, row: usize, by: isize) -> Option<String> {
        let is_locked = self.fields[row].locks.order;
        let place = self
            .item_at(row)
            .or_else(|| self.entries_beside(row).map(|(entries, index)| (index, entries.len())));
        let why = match place {
            None => "only items of lists and entries that you named have an order",
            Some((0, _)) if by < 0 => "it is the first one",
            Some((index, count)) if by > 0 && index + 1 == count => "it is the last one",
            Some(_) => "",
        };
        self.change_refusal(row)
            .or_else(|| refuse_when(is_locked, "the uiSchema fixes the order of this list"))
            .or_else(|| refuse_when(!why.is_empty(), why))
    }

    fn copy_refusal(&self, row: usize) -> Option<String> {
        self.lock_refusal(row).or_else(|| self.item_refusal(row))
    }

    fn rename_refusal(&self, row: usize) -> Option<String> {
        let field = &self.fields[row];
        let is_given = !matches!(field.role, Role::Entry { .. }) || self.is_unset(row);
        self.change_refusal(row).or_else(|| refuse_when(is_given, "the schema defines its name"))
    }

    fn null_refusal(&self, row: usize) -> Option<String> {
        let is_allowed = self.may_be_null(&self.fields[row].pointer);
        self.change_refusal(row)
            .or_else(|| refuse_when(!is_allowed, "null is not allowed here"))
            .or_else(|| refuse_when(!self.has_value(row), NO_VALUE))
    }

    fn empty_refusal(&self, row: usize) -> Option<String> {
        let has_empty = empty_value(&self.fields[row]).is_some();
        self.change_refusal(row)
            .or_else(|| refuse_when(!has_empty, "this is not a text, list or object"))
    }

    fn text_refusal(&self, row: usize) -> Option<String> {
        let field = &self.fields[row];
        let is_secret = self.secrets().iter().any(|at| at.starts_with(&field.pointer));
        let has_text = is_text(field) || self.has_value(row) && !is_secret;
        self.change_refusal(row)
            .or_else(|| refuse_when(!has_text, "there is nothing to edit as a text or as JSON"))
            .or_else(|| {
                let needs_more = self.needs_more(&field.pointer);
                refuse_when(needs_more, "what it is in isn't there yet: begin it here, by typing")
            })
    }

    /// Whether a value at a place needs a list around it, or items before it, that aren't there:
    /// what an editor leaves comes alone.
    fn needs_more(&self, at: &Pointer) -> bool {
        let (schema, checker) = (&self.schema, self.checker.as_ref());
        let form = FormContext { schema, checker, view: &self.view, value: &self.value };
        form.complete_edit(Edit::Set { at: at.clone(), to: "".into() }).len() > 1
    }

    fn help_refusal(&self, row: usize) -> Option<String> {
        let has_none = self.fields[row].help().is_none() && self.introduction().is_empty();
        refuse_when(has_none, "there is no description")
    }

    fn issue_refusal(&self) -> Option<String> {
        refuse_when(self.remarks.total() == 0, "this form has no errors or warnings")
    }

    fn paste_refusal(&self, row: usize) -> Option<String> {
        self.change_refusal(row).or_else(|| refuse_when(self.clip.is_empty(), "nothing copied yet"))
    }

    fn open_focused(&mut self) -> FormReply {
        if self.resting && self.editor.as_ref().is_some_and(|editor| editor.is_typing()) {
            return self.activate_editor();
        }
        self.handle_input(&Input::Key(Key::plain(Code::Enter)))
    }

    /// The row that adding at a row is about: itself, or the nearest list around it.
    fn adding_row(&self, row: usize) -> Option<usize> {
        if self.can_add(&self.fields[row]) {
            return Some(row);
        }
        let holds = |field: &Field, at: &Pointer| {
            field.pointer == *at && matches!(field.kind, Kind::List { .. })
        };
        let above = |at: &Pointer| at.parent();
        std::iter::successors(above(&self.fields[row].pointer), above)
            .find_map(|at| self.fields.iter().position(|field| holds(field, &at)))
            .filter(|row| self.can_add(&self.fields[*row]))
    }

    /// Takes the value away; one that is required only when that is asked for twice.
    fn remove_at(&mut self, row: usize) -> FormReply {
        let field = &self.fields[row];
        let at = field.pointer.clone();
        let is_meant = self.removing.take().is_some_and(|meant| meant == at);
        if field.is_marked_required() && field.presence == Presence::Set && !is_meant {
            let label = field.label.clone();
            self.removing = Some(at);
            return FormReply::Refused(format!("{label} is required; remove again to remove it"));
        }
        self.commit_edits(vec![Edit::Remove { at }])
    }

    fn add_at(&mut self, row: usize) -> FormReply {
        let row = self.adding_row(row).unwrap_or(row);
        if !matches!(self.fields[row].kind, Kind::Chips(_)) {
            return self.add_child(row);
        }
        self.resting = false;
        self.ask_editor(|editor, cell| editor.handle_click(cell, Click::Add));
        FormReply::Handled
    }

    fn set_null(&mut self, row: usize) -> FormReply {
        let at = self.fields[row].pointer.clone();
        self.commit_edits(vec![Edit::Set { at, to: Value::Null.into() }])
    }

    fn set_empty(&mut self, row: usize) -> FormReply {
        let at = self.fields[row].pointer.clone();
        empty_value(&self.fields[row]).map_or(FormReply::Handled, |to| {
            self.commit_edits(vec![Edit::Set { at, to: to.into() }])
        })
    }

    fn open_editor(&mut self, row: usize, open: fn(&Cell<'_>) -> Box<dyn Editor>) -> FormReply {
        self.editor = self.cell(row).map(|cell| open(&cell));
        self.resting = false;
        FormReply::Handled
    }

    fn open_text(&self, row: usize) -> FormReply {
        let cell = self.cell(row);
        let text = match cell.as_ref() {
            Some(cell) if is_text(cell.field) => OutsideText::Plain(cell.edited_text()),
            cell => OutsideText::Json(cell.map(raw_json::json_text).unwrap_or_default()),
        };
        FormReply::OpenEditor { at: self.fields[row].pointer.clone(), text }
    }

    fn fix_row(&self, row: usize) -> FormReply {
        let fix = self.remarks.row_remarks(row).iter().find_map(|remark| remark.fix.as_ref());
        fix.map_or(FormReply::Handled, |(note, _)| FormReply::Fix(*note))
    }

    fn toggle_help(&mut self) -> FormReply {
        self.full_help = !self.full_help;
        self.follow = true;
        FormReply::Handled
    }

    fn toggle_only_set(&mut self) -> FormReply {
        self.view.only_set = !self.view.only_set;
        self.relayout_fields();
        self.follow = true;
        FormReply::Handled
    }

    fn go_to_issue(&mut self, direction: SearchDirection) -> FormReply {
        self.seek_remark(direction);
        FormReply::Handled
    }

    fn begin_search(&mut self) -> FormReply {
        self.open_finder();
        FormReply::Handled
    }

    fn put_back_edit(&mut self, edit: Option<Edit>) -> FormReply {
        edit.map_or(FormReply::Handled, |edit| self.put_back(edit))
    }

    fn move_row(&mut self, row: usize, by: isize) -> FormReply {
        let at = self.fields[row].pointer.clone();
        let to = match self.item_at(row) {
            Some((index, _)) => index.checked_add_signed(by),
            None => self.entry_target(row, by),
        };
        to.map_or(FormReply::Handled, |to| self.commit_edits(vec![Edit::Move { at, to }]))
    }

    /// The place among all members of its object that an entry moves to: that of the next entry.
    fn entry_target(&self, row: usize, by: isize) -> Option<usize> {
        let (entries, index) = self.entries_beside(row)?;
        let next = *entries.get(index.checked_add_signed(by)?)?;
        let members = next.parent()?.get(&self.value)?.as_object()?;
        members.keys().position(|key| next.last() == Some(key))
    }

    fn duplicate(&mut self, at: &Pointer) -> FormReply {
        let (Some(list), Some(index), Some(item)) =
            (at.parent(), at.last_index(), at.get(&self.value).cloned())
        else {
            return FormReply::Handled;
        };
        let place = list.item(index + 1);
        let reply = self.commit_edits(vec![Edit::Insert { at: place.clone(), item: item.into() }]);
        self.reveal_field(&place);
        reply
    }

    /// The object that a row is for, where adding at the row means a member of it.
    pub(super) fn grown_object(&self, field: &Field) -> Option<Pointer> {
        let is_object = || field.pointer.get(&self.value).is_some_and(Value::is_object);
        match field.kind {
            Kind::Map { .. } | Kind::Object { .. } | Kind::Add(AddedPart::Member) => {
                Some(field.pointer.clone())
            }
            Kind::Variant { .. } if is_object() => Some(field.pointer.clone()),
            _ => None,
        }
    }

    /// The object that a row is in.
    pub(super) fn object_around(&self, field: &Field) -> Pointer {
        let mut place = field.pointer.parent().unwrap_or_default();
        while let (Some(Value::Array(_)), Some(above)) = (place.get(&self.value), place.parent()) {
            place = above;
        }
        place
    }

    fn decided_node(&self, at: &Pointer) -> Option<Arc<Node>> {
        decided_at(&self.schema, self.checker.as_ref(), &self.view, &self.value, at)
    }

    /// Null is allowed at a place: a union's row may say so, though none of its branches does.
    fn may_be_null(&self, at: &Pointer) -> bool {
        self.fields
            .iter()
            .any(|field| field.pointer == *at && field.node.types.contains(Types::NULL))
    }

    fn takes_members(&self, object: &Pointer) -> bool {
        self.decided_node(object).is_some_and(|node| may_hold_entries(&node))
    }

    fn can_add(&self, field: &Field) -> bool {
        match self.grown_object(field) {
            Some(object) => self.takes_members(&object),
            None => {
                matches!(field.role, Role::Item { .. })
                    || matches!(
                        field.kind,
                        Kind::List { .. }
                            | Kind::Chips(_)
                            | Kind::Variant { open: Some(_), .. }
                            | Kind::Add(_)
                    )
            }
        }
    }

    /// Adding is what the row is for.
    fn is_for_adding(field: &Field) -> bool {
        matches!(field.role, Role::Item { .. })
            || matches!(field.kind, Kind::List { .. } | Kind::Map { .. } | Kind::Add(_))
            || matches!(field.kind, Kind::Object { .. }) && takes_entries(&field.node)
    }

    fn fix_here(&self) -> Option<usize> {
        self.remarks
            .row_remarks(self.focused_row()?)
            .iter()
            .find_map(|remark| remark.fix.as_ref().map(|(note, _)| *note))
    }

    /// The actions worth naming for the focused row, most useful first.
    #[must_use]
    pub fn hinted_actions(&self) -> Vec<ActionId> {
        if self.finder.is_some() {
            return Vec::new();
        }
        let candidates = [
            "open-field",
            "fix-field",
            "add-item",
            "move-up",
            "move-down",
            "rename-member",
            "remove-value",
            "set-null",
            "edit-text",
            "revert-field",
            "find-field",
        ];
        let field = self.focused_row().and_then(|row| self.fields.get(row));
        let cell = self.focused_row().and_then(|row| self.cell(row));
        let is_empty_list = cell.is_some_and(|cell| fold::is_empty_list(&cell));
        let useful = |id: &ActionId| match *id {
            _ if self.refusal_reason(id).is_some() => false,
            // Its key adds the first item.
            "open-field" if is_empty_list => false,
            // In EDIT its key is the text's.
            "open-field" | "remove-value" => !self.is_typing(),
            "find-field" => self.position_text().is_some(),
            // Of entries the order matters seldom.
            "move-up" | "move-down" => {
                field.is_some_and(|field| matches!(field.role, Role::Item { .. }))
            }
            "add-item" => field.is_some_and(Self::is_for_adding),
            "set-null" => field.is_some_and(|field| {
                let says_so = matches!(
                    field.kind,
                    Kind::Choice(_) | Kind::Toggle | Kind::Variant { .. } | Kind::Null
                );
                field.node.nullable && field.presence != Presence::Null && !says_so
            }),
            _ => true,
        };
        candidates.into_iter().filter(useful).collect()
    }
}

/// The empty value of a text, a list or an object.
fn empty_value(field: &Field) -> Option<Value> {
    match &field.kind {
        Kind::Text(_) => Some(Value::String(String::new())),
        Kind::Choice(choices) if choices.open => Some(Value::String(String::new())),
        Kind::List { .. } | Kind::Chips(_) => Some(Value::Array(Vec::new())),
        Kind::Object { .. } | Kind::Map { .. } => Some(Value::Object(serde_json::Map::new())),
        _ => None,
    }
}

/// A text that may be shown, and so edited elsewhere.
fn is_text(field: &Field) -> bool {
    match &field.kind {
        Kind::Text(kind) => *kind != TextKind::Secret,
        Kind::Choice(choices) => choices.open,
        _ => false,
    }
}
