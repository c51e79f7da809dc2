//! Fills a form in as a user does: keys, pastes and actions only, until it holds a wanted value.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolcrib::{
    app::{
        actions::ActionId,
        input::{Code, Input, Key},
    },
    schema::{
        fields::{Field, Part, Presence, Role},
        kind::{Kind, TextKind},
        node::Types,
        pointer::Pointer,
    },
    syntax::{edit::Edit, value::apply_edit},
    ui::form::view::{Form, FormReply},
};

/// A form being filled in, beside one that holds the wanted value already and shows where its
/// branches are.
pub struct Filler {
    pub form: Form,
    value: Value,
    guide: Form,
    /// Inputs and actions so far.
    pub steps: usize,
    /// Where only raw JSON would do, and for what kind of field.
    pub raw: Vec<String>,
}

impl Filler {
    /// A form with nothing in it but what a new document begins with.
    pub fn new(schema: &Arc<Value>, start: Value, wanted: &Value) -> Self {
        let mut guide = Form::new(Arc::clone(schema));
        guide.sync_value(&Arc::new(wanted.clone()));
        let mut form = Form::new(Arc::clone(schema));
        form.sync_value(&Arc::new(start.clone()));
        Self { form, value: start, guide, steps: 0, raw: Vec::new() }
    }

    /// Fills in the whole value; the words tell where it would not go further.
    pub fn fill_all(&mut self, wanted: &Value) -> Result<(), String> {
        self.fill(&Pointer::root(), wanted)?;
        let reply = self.form.flush_editor();
        self.take(reply)?;
        if self.value != *wanted {
            Err(format!("came to {} for {wanted}", self.value))
        } else {
            Ok(())
        }
    }

    fn take(&mut self, reply: FormReply) -> Result<(), String> {
        self.steps += 1;
        match reply {
            FormReply::Edits(edits)
            | FormReply::Copy { edits, .. }
            | FormReply::Folder { edits, .. } => {
                for edit in &edits {
                    apply_edit(&mut self.value, edit)
                        .map_err(|error| format!("{edit:?}: {error}"))?;
                }
                if **self.form.value() != self.value {
                    return Err(format!(
                        "the form shows {} but its edits come to {}",
                        self.form.value(),
                        self.value
                    ));
                }
                let value = Arc::clone(self.form.value());
                self.form.sync_value(&value);
                Ok(())
            }
            FormReply::OpenEditor { .. } => Err("an editor was asked for".into()),
            FormReply::Refused(words) => Err(words),
            FormReply::Ignored
            | FormReply::Handled
            | FormReply::Fix(_)
            | FormReply::Selected(_)
            | FormReply::PasteText => Ok(()),
        }
    }

    fn key(&mut self, code: Code) -> Result<(), String> {
        let reply = self.form.handle_input(&Input::Key(Key::plain(code)));
        self.take(reply)
    }

    fn paste(&mut self, text: &str) -> Result<(), String> {
        let reply = self.form.handle_input(&Input::Paste(text.into()));
        self.take(reply)
    }

    fn act(&mut self, act: ActionId) -> Result<(), String> {
        let reply = self.form.handle_action(act);
        self.take(reply)
    }

    /// Brings a place into view; whether it is there.
    fn show(&mut self, at: &Pointer) -> Result<bool, String> {
        let reply = self.form.focus_field(at);
        self.take(reply)?;
        Ok(self.form.focused_place() == at)
    }

    fn rows<'f>(form: &'f Form, at: &Pointer) -> Vec<(usize, &'f Field)> {
        let is_value = |field: &Field| !matches!(field.part, Part::Add | Part::More(_));
        form.fields()
            .iter()
            .enumerate()
            .filter(|(_, field)| field.pointer == *at && is_value(field))
            .collect()
    }

    /// Puts the focus on a row, ready for keys.
    fn turn_to(&mut self, row: usize) -> Result<(), String> {
        let reply = self.form.turn_to(row);
        self.take(reply)
    }

    fn here<'v>(&'v self, at: &Pointer) -> Option<&'v Value> {
        at.get(&self.value)
    }

    fn fill(&mut self, at: &Pointer, wanted: &Value) -> Result<(), String> {
        let mut last = None;
        for _ in 0..12 {
            if self.here(at) == Some(wanted) {
                return Ok(());
            }
            if !self.show(at)? && !at.is_root() {
                return Err(format!("no field at {at}"));
            }
            if self.switch(at)? {
                continue;
            }
            let row = Self::rows(&self.form, at)
                .pop()
                .map(|(row, field)| (row, field.kind.clone(), field.presence));
            last = Some(format!("{row:?}"));
            match (wanted, row) {
                (Value::Null, Some((row, kind, _))) => self.fill_null(at, row, &kind)?,
                (
                    _,
                    Some((row, kind @ (Kind::Const(_) | Kind::Choice(_) | Kind::Raw), presence)),
                ) => {
                    self.fill_one(at, wanted, (row, &kind, presence))?;
                }
                (Value::Object(members), row) => {
                    self.fill_members(at, members, row.map(|(row, ..)| row))?;
                }
                (Value::Array(items), Some((row, kind, _))) => {
                    self.fill_items(at, items, (row, &kind))?;
                }
                (_, Some((row, kind, presence))) => {
                    self.fill_one(at, wanted, (row, &kind, presence))?;
                }
                (_, None) => return Err(format!("no row at {at}")),
            }
        }
        match self.here(at) == Some(wanted) {
            true => Ok(()),
            false => Err(format!("{at} stays {:?} for {wanted}; {last:?}", self.here(at))),
        }
    }

    /// Takes the branch that the wanted value has, where another one is chosen; whether it did.
    fn switch(&mut self, at: &Pointer) -> Result<bool, String> {
        self.guide.focus_field(at);
        let chosen = |field: &Field| match field.kind {
            Kind::Variant { chosen, .. } => Some(chosen),
            _ => None,
        };
        let wanted: Vec<Option<usize>> =
            Self::rows(&self.guide, at).iter().filter_map(|(_, field)| chosen(field)).collect();
        let present: Vec<(usize, Option<usize>)> = Self::rows(&self.form, at)
            .iter()
            .filter_map(|(row, field)| Some((*row, chosen(field)?)))
            .collect();
        for ((row, present), wanted) in present.into_iter().zip(wanted) {
            let (Some(wanted), true) = (wanted, present != wanted) else { continue };
            self.turn_to(row)?;
            self.key(Code::Enter)?;
            for _ in present.unwrap_or(0)..wanted {
                self.key(Code::Down)?;
            }
            for _ in wanted..present.unwrap_or(0) {
                self.key(Code::Up)?;
            }
            self.key(Code::Enter)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn fill_null(&mut self, at: &Pointer, row: usize, kind: &Kind) -> Result<(), String> {
        self.turn_to(row)?;
        match kind {
            Kind::Null | Kind::Const(Value::Null) => self.key(Code::Enter),
            Kind::Raw => self.as_json(at, &Value::Null, kind),
            _ => self.act("set-null"),
        }
    }

    fn fill_members(
        &mut self,
        at: &Pointer,
        wanted: &Map<String, Value>,
        row: Option<usize>,
    ) -> Result<(), String> {
        if self.here(at).is_some_and(|value| !value.is_object() && !value.is_null())
            && row.is_some()
        {
            return self.as_json(at, &Value::Object(wanted.clone()), &Kind::Raw);
        }
        self.drop_others(at, wanted)?;
        let mut left: Vec<(&String, &Value)> = wanted.iter().collect();
        while !left.is_empty() {
            let before = left.len();
            let mut missing = Vec::new();
            for (name, value) in left {
                let place = at.child(name.clone());
                if self.show(&place)? {
                    self.fill(&place, value)?;
                } else {
                    missing.push((name, value));
                }
            }
            left = missing;
            if left.len() == before {
                let (name, value) = left.remove(0);
                self.add_member(at, name)?;
                self.fill(&at.child(name.clone()), value)?;
            }
        }
        if wanted.is_empty() && self.here(at).is_none_or(Value::is_null) {
            return match row {
                Some(row) => self.turn_to(row).and_then(|()| self.act("set-empty")),
                None => self.as_json(at, &Value::Object(Map::new()), &Kind::Raw),
            };
        }
        self.drop_others(at, wanted)
    }

    /// Takes away the members that are not wanted.
    fn drop_others(&mut self, at: &Pointer, wanted: &Map<String, Value>) -> Result<(), String> {
        let others: Vec<String> = self
            .here(at)
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect();
        for name in others.into_iter().filter(|name| !wanted.contains_key(name)) {
            let place = at.child(name);
            if !self.show(&place)? {
                return Err(format!("no field at {place} to be taken away"));
            }
            self.act("remove-value")?;
        }
        Ok(())
    }

    fn add_member(&mut self, at: &Pointer, name: &str) -> Result<(), String> {
        self.show(at)?;
        let adds = |form: &Form| {
            form.fields().iter().position(|field| field.pointer == *at && field.part == Part::Add)
        };
        match adds(&self.form) {
            Some(row) => self.turn_to(row)?,
            None => {
                let own = Self::rows(&self.form, at).pop().map(|(row, _)| row);
                let is_member = |field: &Field| {
                    field.pointer.parent().as_ref() == Some(at)
                        && !matches!(field.part, Part::Add | Part::More(_))
                };
                let member = || self.form.fields().iter().position(is_member);
                let (row, act) = match own {
                    Some(row) => (row, "add-item"),
                    None => (
                        member().ok_or_else(|| format!("no row to add {name:?} to {at}"))?,
                        "add-member",
                    ),
                };
                self.turn_to(row)?;
                self.act(act).map_err(|words| format!("adding {name:?} to {at}: {words}"))?;
                let row = adds(&self.form).ok_or_else(|| {
                    let rows: Vec<_> = self
                        .form
                        .fields()
                        .iter()
                        .map(|field| (field.pointer.to_string(), field.part))
                        .collect();
                    format!("no row for the name {name:?} at {at} among {rows:?}")
                })?;
                self.turn_to(row)?;
            }
        }
        self.paste(name)?;
        self.key(Code::Enter)?;
        match self.here(&at.child(name)) {
            Some(_) => Ok(()),
            None => Err(format!("no member {name:?} came to {at}")),
        }
    }

    fn fill_items(
        &mut self,
        at: &Pointer,
        wanted: &[Value],
        (row, kind): (usize, &Kind),
    ) -> Result<(), String> {
        let present = self.here(at).filter(|value| !value.is_null());
        if present.is_some_and(|value| !value.is_array()) {
            return self.as_json(at, &Value::Array(wanted.to_vec()), kind);
        }
        if let Kind::Chips(_) = kind {
            return self.fill_chips(at, wanted, (row, kind));
        }
        for (index, item) in wanted.iter().enumerate() {
            let place = at.item(index);
            let there = self.here(&place).is_some() || self.show(&place)?;
            if !there {
                self.add_item(at)?;
            }
            self.fill(&place, item)?;
        }
        if wanted.is_empty() && self.here(at).is_none_or(Value::is_null) {
            self.turn_to(row)?;
            return self.act("set-empty");
        }
        while let Some(last) =
            self.here(at).and_then(Value::as_array).map(Vec::len).filter(|len| *len > wanted.len())
        {
            self.show(&at.item(last - 1))?;
            self.act("remove-value")?;
        }
        Ok(())
    }

    fn add_item(&mut self, at: &Pointer) -> Result<(), String> {
        self.show(at)?;
        let adds = self
            .form
            .fields()
            .iter()
            .position(|field| field.pointer == *at && field.part == Part::Add);
        match adds {
            Some(row) => {
                self.turn_to(row)?;
                self.key(Code::Enter)
            }
            None => {
                let row = Self::rows(&self.form, at)
                    .pop()
                    .map(|(row, _)| row)
                    .ok_or_else(|| format!("no list at {at}"))?;
                self.turn_to(row)?;
                self.act("add-item")
            }
        }
    }

    fn fill_chips(
        &mut self,
        at: &Pointer,
        wanted: &[Value],
        (row, kind): (usize, &Kind),
    ) -> Result<(), String> {
        let Kind::Chips(choices) = kind else { return Ok(()) };
        let texts: Vec<&str> = wanted.iter().filter_map(Value::as_str).collect();
        let closed = choices.as_ref().filter(|choices| !choices.open);
        let plain = |text: &&str| {
            text.trim() == *text && !text.is_empty() && !text.contains([',', '\n', '\r'])
        };
        let twice = (1..texts.len()).any(|index| texts[..index].contains(&texts[index]));
        let listed = closed.is_none_or(|choices| {
            texts.iter().all(|text| choices.options.iter().any(|it| it.value == **text))
        });
        if texts.len() < wanted.len()
            || !texts.iter().all(plain)
            || closed.is_some() && (twice || !listed)
        {
            return self.as_json(at, &Value::Array(wanted.to_vec()), kind);
        }
        self.turn_to(row)?;
        if wanted.is_empty() {
            return self.act("set-empty");
        }
        for _ in 0..self.here(at).and_then(Value::as_array).map_or(0, Vec::len) {
            self.key(Code::Backspace)?;
            self.key(Code::Backspace)?;
        }
        for text in texts {
            match closed {
                Some(choices) => {
                    let present =
                        self.here(at).and_then(Value::as_array).cloned().unwrap_or_default();
                    let index = |wanted: &dyn Fn(&Value) -> bool| {
                        choices.options.iter().position(|option| wanted(&option.value))
                    };
                    let start = index(&|value| present.contains(value)).unwrap_or(0);
                    let goal = index(&|value| *value == *text).unwrap_or(0);
                    self.turn_to_place(at)?;
                    self.key(Code::Enter)?;
                    for _ in start..goal.max(start) {
                        self.key(Code::Down)?;
                    }
                    for _ in goal..start.max(goal) {
                        self.key(Code::Up)?;
                    }
                    self.key(Code::Enter)?;
                }
                None => {
                    self.paste(text)?;
                    self.key(Code::Enter)?;
                }
            }
        }
        let reply = self.form.flush_editor();
        self.take(reply)?;
        if self.here(at).and_then(Value::as_array).map(Vec::as_slice) != Some(wanted) {
            return self.as_json(at, &Value::Array(wanted.to_vec()), kind);
        }
        Ok(())
    }

    fn turn_to_place(&mut self, at: &Pointer) -> Result<(), String> {
        let row = Self::rows(&self.form, at)
            .pop()
            .map(|(row, _)| row)
            .ok_or_else(|| format!("no row at {at}"))?;
        self.turn_to(row)
    }

    fn fill_one(
        &mut self,
        at: &Pointer,
        wanted: &Value,
        (row, kind, presence): (usize, &Kind, Presence),
    ) -> Result<(), String> {
        self.turn_to(row)?;
        let typed = match (kind, wanted) {
            (Kind::Const(fixed), _) if fixed == wanted => self.key(Code::Enter),
            (Kind::Toggle, Value::Bool(true)) => self.key(Code::Right),
            (Kind::Toggle, Value::Bool(false)) => self.key(Code::Left),
            (Kind::Number { .. }, Value::Number(number)) => {
                self.clear(at)?;
                self.paste(&number.to_string())
            }
            (Kind::Choice(choices), _) => {
                match choices.options.iter().position(|option| option.value == *wanted) {
                    Some(index) => self.choose(at, index, choices.options.len(), row),
                    None if choices.open
                        && wanted.as_str().is_some_and(|text| text.contains('\n')) =>
                    {
                        self.write_text(at, wanted.as_str().unwrap_or_default())
                    }
                    None if choices.open && wanted.is_string() => {
                        self.type_text(at, wanted.as_str().unwrap_or_default())
                    }
                    None => return self.as_json(at, wanted, kind),
                }
            }
            (Kind::Text(TextKind::Line | TextKind::Secret), Value::String(text))
                if !text.contains(['\n', '\r']) =>
            {
                self.type_text(at, text)
            }
            (Kind::Text(TextKind::Line | TextKind::Lines), Value::String(text)) => {
                self.write_text(at, text)
            }
            _ => return self.as_json(at, wanted, kind),
        };
        typed?;
        // Widgets of other kinds may ask for other keys; JSON is there for every field.
        if self.here(at) != Some(wanted) && !matches!(presence, Presence::Null) {
            return self.as_json(at, wanted, kind);
        }
        Ok(())
    }

    fn choose(
        &mut self,
        at: &Pointer,
        index: usize,
        options: usize,
        row: usize,
    ) -> Result<(), String> {
        let field = &self.form.fields()[row];
        let null = usize::from(field.node.types.contains(Types::NULL));
        let unset = !field.required && matches!(field.role, Role::Member);
        let start = match (self.here(at), &field.kind) {
            (Some(Value::Null), _) if null > 0 => options,
            (Some(present), Kind::Choice(choices)) => {
                choices.options.iter().position(|option| option.value == *present).unwrap_or(0)
            }
            (None, _) if unset => options + null,
            _ => 0,
        };
        self.key(Code::Enter)?;
        for _ in start..index.max(start) {
            self.key(Code::Down)?;
        }
        for _ in index..start.max(index) {
            self.key(Code::Up)?;
        }
        self.key(Code::Enter)
    }

    /// Empties a text from wherever the cursor is.
    fn clear(&mut self, at: &Pointer) -> Result<(), String> {
        let length = self
            .here(at)
            .map_or(0, |value| value.as_str().map_or_else(|| value.to_string().len(), str::len));
        // One more on an empty text takes the text itself away, and an entry with its name.
        for code in [Code::Backspace, Code::Delete] {
            for _ in 0..length {
                if self.here(at).is_some_and(|value| *value != "") {
                    self.key(code)?;
                }
            }
        }
        Ok(())
    }

    /// The text from an editor outside.
    fn write_text(&mut self, at: &Pointer, text: &str) -> Result<(), String> {
        // What it is in isn't there yet.
        if self.form.refusal_reason("edit-text").is_some() {
            return self.as_json(at, &text.into(), &Kind::Text(TextKind::Lines));
        }
        let reply = self.form.handle_action("edit-text");
        if !matches!(reply, FormReply::OpenEditor { .. }) {
            return Err(format!("no editor for {at}: {reply:?}"));
        }
        // The value comes back as any other that was changed elsewhere.
        let edit = Edit::Set { at: at.clone(), to: text.into() };
        apply_edit(&mut self.value, &edit).map_err(|error| format!("{edit:?}: {error}"))?;
        self.form.sync_value(&Arc::new(self.value.clone()));
        Ok(())
    }

    fn type_text(&mut self, at: &Pointer, text: &str) -> Result<(), String> {
        self.clear(at)?;
        if text.is_empty() {
            self.key(Code::Char('x'))?;
            return self.key(Code::Backspace);
        }
        self.paste(text)
    }

    /// The last resort: the field as JSON.
    fn as_json(&mut self, at: &Pointer, wanted: &Value, kind: &Kind) -> Result<(), String> {
        let kind = format!("{kind:?}");
        self.raw
            .push(format!("{at} ({}) {wanted}", kind.split(['(', ' ']).next().unwrap_or_default()));
        self.turn_to_place(at)?;
        if self.form.refusal_reason("remove-value").is_none() {
            let row = Self::rows(&self.form, at).pop();
            if row.is_some_and(|(_, field)| field.role == Role::Member) {
                self.act("remove-value")?;
                self.show(at)?;
                self.turn_to_place(at)?;
            }
        }
        self.act("edit-json")?;
        let length = self
            .here(at)
            .map_or(0, |value| serde_json::to_string_pretty(value).unwrap_or_default().len());
        for _ in 0..length {
            self.key(Code::Delete)?;
        }
        for _ in 0..length {
            self.key(Code::Backspace)?;
        }
        self.paste(&wanted.to_string())?;
        self.key(Code::Esc)
    }
}
