//! A value laid out by its schema: the flat list of fields that a form shows.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value};

pub use super::{
    field::{Field, Part, Presence, Role, View},
    places::{
        chosen_branch, decided_at, effective_node, entry_key, key_at, may_hold_entries,
        offered_default, property_key, takes_entries,
    },
};
use super::{
    kind::{self, AddedPart, Column, Kind, Shape, TextKind},
    node::{Locks, Node, NodeKey},
    nullable::{NULLABLE, allows_null},
    pointer::Pointer,
    table,
    tree::Schema,
    ui_schema::{Ui, apply_ui_schema},
    validate::Checker,
    variant,
};

/// Items of an open list that are laid out at a time.
pub const WINDOW: usize = 100;
/// An object with more members than this starts folded.
const MOST_OPEN: usize = 8;

/// A list or an object, and how deep what it holds lies.
#[derive(Clone, Copy)]
struct ParentValue<'p> {
    pointer: &'p Pointer,
    depth: usize,
}

/// Which item it is, of how many.
struct Item {
    index: usize,
    len: usize,
}

/// How a node's row is to what is below it.
#[derive(Clone, Copy)]
struct RowsBelow {
    /// The row of its switch is above it.
    switched: bool,
    /// What it holds is laid out.
    open: bool,
}

/// Lays out a value. Only what is open is looked at. Without a checker, conditions are left out.
#[must_use]
pub fn layout_fields(
    schema: &Schema,
    checker: Option<&Checker>,
    value: &Value,
    view: &View,
) -> Vec<Field> {
    let mut layout = Layout { schema, checker, view, fields: Vec::new(), columns: None };
    let root = schema.root_node();
    let ui = schema.ui();
    let label =
        ui.title().map(Arc::from).or_else(|| root.title.clone()).unwrap_or_else(|| "value".into());
    let pointer = Pointer::root();
    let slot = FieldSlot {
        pointer,
        depth: 0,
        label,
        role: Role::Root,
        required: true,
        value: Some(value),
        ui,
        read_only: false,
        locks: Locks::default(),
    };
    layout.layout_node(&slot, &root.key);
    layout.fields
}

/// A value to be laid out, and where.
struct FieldSlot<'v> {
    pointer: Pointer,
    depth: usize,
    label: Arc<str>,
    role: Role,
    required: bool,
    value: Option<&'v Value>,
    ui: Ui<'v>,
    /// What it is in is read-only.
    read_only: bool,
    /// What may not be done with it.
    locks: Locks,
}

impl FieldSlot<'_> {
    /// The node as it counts here: what is in something read-only is read-only too.
    fn inherit_read_only(&self, mut node: Arc<Node>) -> Arc<Node> {
        if self.read_only && !node.read_only {
            Arc::make_mut(&mut node).read_only = true;
        }
        node
    }
}

struct Layout<'l> {
    schema: &'l Schema,
    checker: Option<&'l Checker>,
    view: &'l View,
    fields: Vec<Field>,
    /// The columns of the table whose row is laid out now.
    columns: Option<Arc<[Column]>>,
}

impl Layout<'_> {
    fn layout_node(&mut self, slot: &FieldSlot<'_>, key: &NodeKey) {
        let mut ui = slot.ui.clone();
        let mut node = slot.inherit_read_only(apply_ui_schema(
            effective_node(self.schema, self.checker, key, slot.value),
            &ui,
        ));
        let mut label = Arc::clone(&slot.label);
        let mut switches = 0;
        // Each decided union may bring another one; the bound is for unions that hold themselves.
        while switches < 8 && !node.hints.as_json {
            let Some(union) = node.unions.first().cloned() else { break };
            let branches = variant::describe_branches(self.schema, &union);
            let chosen = variant::choose_branch(
                self.schema,
                self.checker,
                self.view,
                &slot.pointer,
                &union,
                slot.value,
            );
            let below = chosen.and_then(|chosen| {
                Some((*union.branches.get(chosen)?, Arc::clone(&branches.get(chosen)?.label)))
            });
            let kind = Kind::Variant { branches, chosen, open: None };
            let mut row = self.build_field(slot, &node, kind, Part::Switch(union.place));
            row.label = Arc::clone(&label);
            if switches > 0 {
                row.required = false;
                row.key = None;
                row.depth += usize::from(slot.role != Role::Root);
            }
            self.fields.push(row);
            switches += 1;
            let key = match below {
                Some((branch, name)) => {
                    label = name;
                    ui = ui.with_branch(self.schema.branch_number(branch));
                    node.key.with_branch(union.place, branch)
                }
                None if union.inclusive && slot.value.is_none() => node.key.with_all(union.place),
                None => return,
            };
            node = slot.inherit_read_only(apply_ui_schema(
                effective_node(self.schema, self.checker, &key, slot.value),
                &ui,
            ));
        }
        self.layout_decided(slot, &node, &ui, switches > 0);
    }

    fn build_field(&self, slot: &FieldSlot<'_>, node: &Arc<Node>, kind: Kind, part: Part) -> Field {
        let presence = Presence::from_value(slot.value);
        Field {
            pointer: slot.pointer.clone(),
            part,
            role: slot.role,
            depth: slot.depth,
            label: Arc::clone(&slot.label),
            key: (slot.role == Role::Member)
                .then(|| slot.pointer.last())
                .flatten()
                .filter(|key| !slot.label.is_empty() && !title_matches_name(&slot.label, key))
                .map(Arc::from),
            kind,
            required: slot.required,
            presence,
            locks: slot.locks,
            bad_default: presence == Presence::Unset
                && node.default.is_some()
                && offered_default(self.schema, self.checker, node).is_none(),
            node: Arc::clone(node),
        }
    }

    /// Lays out a node whose unions are decided; below its switch where it has one.
    fn layout_decided(
        &mut self,
        slot: &FieldSlot<'_>,
        node: &Arc<Node>,
        ui: &Ui<'_>,
        switched: bool,
    ) {
        let node = &self.schema.hidden_by_name(&slot.pointer, Arc::clone(node));
        let is_root = slot.role == Role::Root;
        let items =
            (!node.list.items.places.is_empty()).then(|| self.schema.node(&node.list.items));
        let shape = match node.hints.as_json {
            true => Shape::Raw,
            false => kind::fitting_shape(node, items.as_deref(), slot.value),
        };
        let holds = matches!(shape, Shape::List | Shape::Object | Shape::Map);
        let open = holds && (is_root || self.is_open(slot, node, shape));
        let nothing_to_edit = switched && matches!(shape, Shape::Null | Shape::Const);
        let is_bare_root = is_root && shape == Shape::Object;
        match self.fields.last_mut().map(|field| &mut field.kind) {
            Some(Kind::Variant { open: fold, .. }) if switched && holds => {
                *fold = (!is_root).then_some(open);
            }
            _ if nothing_to_edit || is_bare_root => {}
            _ => self.fields.push(self.build_row(slot, node, shape, RowsBelow { switched, open })),
        }
        if !open {
            return;
        }
        let depth = slot.depth + usize::from(!is_bare_root);
        match shape {
            Shape::List => {
                let items = slot.value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                self.layout_items(ParentValue { pointer: &slot.pointer, depth }, node, ui, items);
            }
            _ => self.layout_members(
                ParentValue { pointer: &slot.pointer, depth },
                node,
                ui,
                slot.value.and_then(Value::as_object),
            ),
        }
    }

    fn build_row(
        &self,
        slot: &FieldSlot<'_>,
        node: &Arc<Node>,
        shape: Shape,
        below: RowsBelow,
    ) -> Field {
        let RowsBelow { switched, open } = below;
        let kind = match shape {
            Shape::Const => Kind::Const(node.constant.clone().unwrap_or_default()),
            Shape::Choice => match &node.choices {
                Some(choices)
                    if choices.open && kind::text_kind(node, slot.value) == TextKind::Lines =>
                {
                    Kind::Text(TextKind::Lines)
                }
                Some(choices) => Kind::Choice(Arc::clone(choices)),
                None => Kind::Raw,
            },
            Shape::Text => match kind::text_kind(node, slot.value) {
                TextKind::Line => {
                    node.suggestions.clone().map_or(Kind::Text(TextKind::Line), Kind::Choice)
                }
                other => Kind::Text(other),
            },
            Shape::Number { whole } => Kind::Number { whole },
            Shape::Toggle => Kind::Toggle,
            Shape::Chips => {
                let items = self.schema.node(&node.list.items);
                Kind::Chips(items.choices.clone().or_else(|| items.suggestions.clone()))
            }
            Shape::List => {
                let items = slot.value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                Kind::List {
                    len: items.len(),
                    open,
                    columns: table::table_columns(self.schema, node, items),
                }
            }
            Shape::Object => {
                let is_item = matches!(slot.role, Role::Item { .. });
                Kind::Object { open, columns: self.columns.clone().filter(|_| is_item) }
            }
            Shape::Map => {
                Kind::Map { len: slot.value.and_then(Value::as_object).map_or(0, Map::len), open }
            }
            Shape::Null => Kind::Null,
            Shape::Raw => Kind::Raw,
        };
        let holds = matches!(kind, Kind::List { .. } | Kind::Object { .. } | Kind::Map { .. });
        let kind = if node.read_only && !holds && !matches!(kind, Kind::Const(_) | Kind::Null) {
            Kind::ReadOnly
        } else {
            kind
        };
        let mut row = self.build_field(slot, node, kind, Part::Whole);
        if switched {
            row.part = Part::Value;
            row.label = "value".into();
            row.key = None;
            row.required = false;
            row.depth += usize::from(slot.role != Role::Root);
        }
        row
    }

    fn is_open(&self, slot: &FieldSlot<'_>, node: &Node, shape: Shape) -> bool {
        if let Some(open) = self.view.folds.get(&slot.pointer) {
            return *open;
        }
        let present = slot.value.is_some_and(|value| !value.is_null());
        match shape {
            Shape::Object => {
                slot.depth == 0
                    && (present || slot.required)
                    && node.object.properties.len() <= MOST_OPEN
            }
            _ => false,
        }
    }

    fn layout_items(
        &mut self,
        holder: ParentValue<'_>,
        node: &Arc<Node>,
        ui: &Ui<'_>,
        items: &[Value],
    ) {
        let ParentValue { pointer: list, depth } = holder;
        let last_start = items.len().saturating_sub(WINDOW);
        let start = self.view.windows.get(list).copied().unwrap_or_default().min(last_start);
        let end = (start + WINDOW).min(items.len());
        if start > 0 {
            self.push_more_row(
                list,
                depth,
                0,
                Kind::More { hidden: start, start: start.saturating_sub(WINDOW) },
            );
        }
        let columns = table::table_columns(self.schema, node, items);
        for (index, item) in items.iter().enumerate().take(end).skip(start) {
            // What lies in the item may be a table of its own.
            self.columns.clone_from(&columns);
            self.layout_item(holder, node, ui, Item { index, len: items.len() }, Some(item));
        }
        self.columns = None;
        if end < items.len() {
            self.push_more_row(
                list,
                depth,
                1,
                Kind::More { hidden: items.len() - end, start: end },
            );
        }
        let room = node.list.max_items();
        let declared = if self.view.only_set { 0 } else { node.list.prefix.len().min(room) };
        for index in items.len()..declared {
            self.layout_item(holder, node, ui, Item { index, len: items.len() }, None);
        }
        if items.len() >= declared && items.len() < room && !node.read_only && !node.hints.locks.add
        {
            self.push_extra_row(list, depth, Part::Add, Kind::Add(AddedPart::Item), node);
        }
    }

    fn layout_item(
        &mut self,
        ParentValue { pointer: list, depth }: ParentValue<'_>,
        node: &Node,
        ui: &Ui<'_>,
        Item { index, len }: Item,
        value: Option<&Value>,
    ) {
        let key = node.list.item_key(index);
        let ui = ui.item(index);
        let title = ui.title().map(Arc::from).or_else(|| self.schema.node(key).title.clone());
        let declared = title.filter(|_| index < node.list.prefix.len());
        let label = declared.unwrap_or_else(|| (index + 1).to_string().into());
        let required = value.is_none() && node.list.min.is_some_and(|min| (index as u64) < min);
        let role = Role::Item { index, len };
        let (read_only, locks) = (node.read_only, node.hints.locks);
        self.layout_node(
            &FieldSlot {
                pointer: list.item(index),
                depth,
                label,
                role,
                required,
                value,
                ui,
                read_only,
                locks,
            },
            key,
        );
    }

    fn layout_members(
        &mut self,
        ParentValue { pointer: object, depth }: ParentValue<'_>,
        node: &Arc<Node>,
        ui: &Ui<'_>,
        members: Option<&Map<String, Value>>,
    ) {
        let get = |name: &str| members.and_then(|members| members.get(name));
        let dependents =
            node.object.dependent_required.iter().filter(|(member, _)| get(member).is_some());
        let depended: HashSet<&str> =
            dependents.flat_map(|(_, others)| others.iter().map(|other| &**other)).collect();
        let is_required = |name: &str| node.object.requires(name) || depended.contains(name);
        let null = members.filter(|_| node.holds_schema).and_then(allows_null);
        if let Some(on) = null {
            self.push_extra_row(object, depth, Part::OrNull, Kind::OrNull { on }, node);
        }
        let declared = self.declared_members(node, ui, members);
        let shared = shared_titles(&declared);
        for DeclaredMember { name, key, title, value, ui } in declared {
            let title = title.filter(|title| !shared.contains(title));
            let label = ui.title().map(Arc::from).or(title).unwrap_or_else(|| Arc::clone(name));
            let slot = FieldSlot {
                pointer: object.child(name.to_string()),
                depth,
                label: if ui.hides_label() { "".into() } else { label },
                role: Role::Member,
                required: is_required(name),
                value,
                ui,
                read_only: node.read_only,
                locks: Locks::default(),
            };
            self.layout_node(&slot, &key);
        }
        for (name, value) in undeclared_members(node, members, &depended) {
            if null.is_some() && name == NULLABLE && value.is_some_and(Value::is_boolean) {
                continue;
            }
            let (key, unknown) = entry_key(node, self.checker, name);
            let ui = ui.named_member(name);
            if ui.is_hidden() || value.is_none() && self.view.only_set {
                continue;
            }
            let slot = FieldSlot {
                pointer: object.child(name),
                depth,
                label: ui.title().unwrap_or(if name.is_empty() { "\"\"" } else { name }).into(),
                role: Role::Entry { unknown },
                required: is_required(name),
                value,
                ui,
                read_only: node.read_only,
                locks: node.hints.locks,
            };
            self.layout_node(&slot, &key);
        }
        let is_adding = self.view.adding.as_ref() == Some(object);
        if !node.read_only
            && !node.hints.locks.add
            && (takes_entries(node) || is_adding && may_hold_entries(node))
        {
            self.push_extra_row(object, depth, Part::Add, Kind::Add(AddedPart::Member), node);
        }
    }

    /// The members that the schema names and that get a row, in order.
    fn declared_members<'a>(
        &self,
        node: &'a Node,
        ui: &Ui<'a>,
        members: Option<&'a Map<String, Value>>,
    ) -> Vec<DeclaredMember<'a>> {
        let mut properties: Vec<_> = node.object.properties.iter().collect();
        ui.sort_members(&mut properties, |property| &property.name);
        // What the row above says, and the kind that is chosen.
        let is_shown = |name: &str, inner: &Node| {
            name != "type" || !node.holds_schema || inner.choices.is_none()
        };
        let mut declared = Vec::with_capacity(properties.len());
        for property in properties {
            let value = members.and_then(|members| members.get(&*property.name));
            let ui = ui.member(&property.name);
            if value.is_none() && self.view.only_set {
                continue;
            }
            let key = property_key(node, self.checker, property);
            let inner = self.schema.node(&key);
            let is_left_out = inner.never && value.is_none() || !is_shown(&property.name, &inner);
            if is_left_out || ui.is_hidden() {
                continue;
            }
            let (name, title) = (&property.name, self.schema.own_title(&key));
            declared.push(DeclaredMember { name, title, key, value, ui });
        }
        declared
    }

    fn push_more_row(&mut self, list: &Pointer, depth: usize, side: u8, kind: Kind) {
        let node = self.schema.node(&NodeKey::default());
        self.push_extra_row(list, depth, Part::More(side), kind, &node);
    }

    /// A row that is no value; its node is that of what is at the pointer.
    fn push_extra_row(
        &mut self,
        pointer: &Pointer,
        depth: usize,
        part: Part,
        kind: Kind,
        node: &Arc<Node>,
    ) {
        self.fields.push(Field {
            pointer: pointer.clone(),
            part,
            role: Role::Member,
            depth,
            label: if part == Part::OrNull { "or null" } else { "" }.into(),
            key: None,
            node: Arc::clone(node),
            kind,
            required: false,
            presence: Presence::Unset,
            locks: Locks::default(),
            bad_default: false,
        });
    }
}

/// A member that its object's schema names, before it has a row.
struct DeclaredMember<'a> {
    name: &'a Arc<str>,
    key: NodeKey,
    title: Option<Arc<str>>,
    value: Option<&'a Value>,
    ui: Ui<'a>,
}

/// The members that the schema doesn't name: those that are there, then those that are required, which
/// have a row before they are there.
fn undeclared_members<'a>(
    node: &'a Node,
    members: Option<&'a Map<String, Value>>,
    depended: &HashSet<&'a str>,
) -> Vec<(&'a str, Option<&'a Value>)> {
    let is_there = |name: &str| members.is_some_and(|members| members.contains_key(name));
    let wanted = node.object.required.iter().map(|name| &**name);
    let wanted: BTreeSet<&str> =
        wanted.chain(depended.iter().copied()).filter(|name| !is_there(name)).collect();
    let present = members.into_iter().flatten().map(|(name, value)| (name.as_str(), Some(value)));
    let all = present.chain(wanted.into_iter().map(|name| (name, None)));
    all.filter(|(name, _)| node.object.property(name).is_none()).collect()
}

/// Titles that several members have: their names tell them apart.
fn shared_titles(declared: &[DeclaredMember<'_>]) -> HashSet<Arc<str>> {
    let mut seen = HashSet::new();
    declared
        .iter()
        .filter_map(|member| member.title.clone())
        .filter(|title| !seen.insert(Arc::clone(title)))
        .collect()
}

/// A title says a name when it has the same letters and digits: `Max Tokens` says `max_tokens`.
fn title_matches_name(title: &str, name: &str) -> bool {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    title == name || (!letters(name).is_empty() && letters(title) == letters(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::node::Types, *};

    /// The rows as text: depth, label, kind, mark.
    fn rows(schema: &Value, value: &Value, view: &View) -> Vec<String> {
        let checker = Checker::compile(schema).unwrap();
        let schema = Schema::new(schema.clone());
        let fields = layout_fields(&schema, Some(&checker), value, view);
        let row = |field: &Field| {
            let kind = format!("{:?}", field.kind);
            let kind = kind.split(['(', ' ']).next().unwrap_or_default();
            let mark = if field.required { "*" } else { "" };
            format!("{}{}{mark} {kind} {:?}", "  ".repeat(field.depth), field.label, field.presence)
        };
        fields.iter().map(row).collect()
    }

    fn opened(pointers: &[&str]) -> View {
        let folds =
            pointers.iter().map(|pointer| (Pointer::parse(pointer).unwrap(), true)).collect();
        View { folds, ..View::default() }
    }

    #[test]
    fn members_with_one_title_go_by_their_names() {
        let schema = json!({"properties": {
            "npm": {"title": "Manager", "type": "string"},
            "pip": {"title": "Manager", "type": "string"},
            "own": {"title": "Your own", "type": "string"},
            "ship_to": {"$ref": "#/$defs/Address"},
            "from": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]},
            "said": {"$ref": "#/$defs/Place", "title": "Said here"},
        }, "$defs": {
            "Address": {"title": "Address", "type": "string"},
            "Place": {"title": "Place", "type": "string"},
        }});
        let schema = Schema::new(schema);
        let labels = layout_fields(&schema, None, &json!({}), &View::default());
        let labels: Vec<&str> =
            labels.iter().map(|field| &*field.label).filter(|label| !label.is_empty()).collect();
        assert_eq!(labels, ["npm", "pip", "Your own", "ship_to", "from", "Said here"]);
    }

    #[test]
    fn every_kind_has_its_row() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "title": "Name"},
            "prompt": {"type": "string", "default": "a\nb"},
            "count": {"type": "integer"},
            "on": {"type": "boolean"},
            "kind": {"enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "args": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
            "fixed": {"const": 3},
            "any": {},
            "state": {"type": "string", "examples": ["start"]},
        }});
        let value = json!({"name": null, "args": [{"id": "x"}], "env": {"A": "1"}, "more": true});
        assert_eq!(
            rows(&schema, &value, &opened(&["/args", "/args/0", "/env"])),
            [
                "Name* Text Null",
                "prompt Text Unset",
                "count Number Unset",
                "on Toggle Unset",
                "kind Choice Unset",
                "tags Chips Unset",
                "args List Set",
                "  1 Object Set",
                "    id Text Set",
                "   Add Unset",
                "env Map Set",
                "  A Text Set",
                "   Add Unset",
                "fixed Const Unset",
                "any Variant Unset",
                "state Choice Unset",
                "more Variant Set",
                "  value Toggle Set",
            ]
        );
    }

    #[test]
    fn a_value_of_another_type_is_raw() {
        let schema = json!({"properties": {"n": {"type": "integer"}, "o": {"type": "object", "properties": {"a": {}}},
            "t": {"type": "array", "items": {"type": "string"}}}});
        assert_eq!(
            rows(&schema, &json!({"n": "x", "o": [1], "t": [1]}), &View::default()),
            ["n Raw Set", "o Raw Set", "t List Set"]
        );
    }

    #[test]
    fn the_branch_that_the_value_has_is_laid_out() {
        let branch = |kind: &str, member: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, member: {"type": "number"}}, "required": ["kind"]});
        let schema = json!({"properties": {"shape": {"oneOf": [branch("circle", "r"), branch("square", "side")]},
            "size": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}});
        let value = json!({"shape": {"kind": "square", "side": 2}, "size": "L"});
        assert_eq!(
            rows(&schema, &value, &opened(&["/shape"])),
            [
                "shape Variant Set",
                "  kind* Const Set",
                "  side Number Set",
                "size Variant Set",
                "  value Text Set"
            ]
        );
        let mut view = opened(&["/shape"]);
        let tree = Schema::new(schema.clone());
        let union = tree.node(&tree.root_node().object.properties[1].node).unions[0].place;
        // The pick names a place of the very tree it is used with, which numbers places alike for
        // the same schema.
        view.picks.insert((Pointer::root().child("size"), union), 0);
        assert_eq!(
            rows(&schema, &json!({"size": "L"}), &view).last().unwrap(),
            "  value Text Set",
            "a pick that cannot be is dropped"
        );
    }

    #[test]
    fn conditions_and_dependents_bring_their_fields() {
        let schema = json!({"properties": {"pay": {"enum": ["card", "cash"]}, "a": {"type": "string"}, "b": {"type": "string"}},
            "if": {"properties": {"pay": {"const": "card"}}, "required": ["pay"]},
            "then": {"properties": {"number": {"type": "string"}}, "required": ["number"]},
            "else": {"properties": {"change": {"type": "boolean"}}},
            "dependentRequired": {"a": ["b"]}});
        let with_card = rows(&schema, &json!({"pay": "card", "a": ""}), &View::default());
        assert_eq!(with_card[2..], ["b* Text Unset", "number* Text Unset"]);
        let with_cash = rows(&schema, &json!({"pay": "cash"}), &View::default());
        assert_eq!(with_cash[2..], ["b Text Unset", "change Toggle Unset"]);
    }

    #[test]
    fn a_long_list_is_laid_out_in_a_window() {
        let schema =
            json!({"properties": {"list": {"type": "array", "items": {"type": "integer"}}}});
        let value = json!({"list": (0..10_000).collect::<Vec<_>>()});
        let mut view = opened(&["/list"]);
        let shown = rows(&schema, &value, &view);
        assert_eq!(shown.len(), 1 + WINDOW + 1 + 1);
        view.windows.insert(Pointer::root().child("list"), 5_000);
        let shown = rows(&schema, &value, &view);
        assert!(shown[1].contains("More") && shown[2].contains("5001"), "{:?}", &shown[..3]);
    }

    #[test]
    fn a_ui_schema_orders_hides_names_and_chooses_widgets() {
        let text = json!({"required": ["k"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "k": {"type": "string"},
            "o": {"anyOf": [{"type": "object", "properties": {"p": {"type": "string"}, "q": {"type": "string"}}}, {"type": "null"}]},
            "l": {"type": "array", "items": {"type": "object", "properties": {"t": {"type": "string"}}}}}});
        let ui = json!({"ui:order": ["l", "b", "*"], "a": {"ui:widget": "textarea", "ui:title": "Text"}, "k": {"ui:widget": "hidden"},
            "b": {"ui:widget": "password", "ui:help": "Keep it."}, "o": {"anyOf": [{"ui:order": ["q", "p"]}, {}]},
            "l": {"items": {"t": {"ui:options": {"widget": "textarea"}, "ui:readonly": true, "ui:placeholder": "say it"}}}});
        let schema = Schema::new(text).with_ui(Some(Arc::new(ui)));
        let fields = layout_fields(
            &schema,
            None,
            &json!({"l": [{}], "o": {}}),
            &opened(&["/l", "/l/0", "/o"]),
        );
        let labels: Vec<_> = fields.iter().map(|field| &*field.label).collect();
        assert_eq!(labels, ["l", "1", "t", "", "b", "Text", "o", "q", "p"]);
        assert_eq!(
            (&fields[2].kind, &fields[5].kind),
            (&Kind::ReadOnly, &Kind::Text(TextKind::Lines))
        );
        assert_eq!(
            (&fields[4].kind, fields[4].help().map(|help| &**help)),
            (&Kind::Text(TextKind::Secret), Some("Keep it."))
        );
        assert_eq!(
            (fields[2].node.read_only, fields[2].node.placeholder.as_deref()),
            (true, Some("say it"))
        );
    }

    #[test]
    fn each_position_of_a_tuple_and_each_required_member_has_its_row_before_it_is_there() {
        let schema = json!({"properties": {"pair": {"type": "array", "minItems": 1, "items": false,
            "prefixItems": [{"type": "string", "title": "Name"}, {"type": "integer"}, {"type": "boolean"}]}},
            "required": ["pair", "undeclared"]});
        assert_eq!(
            rows(&schema, &json!({"pair": ["a"]}), &opened(&["/pair"])),
            [
                "pair* List Set",
                "  Name Text Set",
                "  2 Number Unset",
                "  3 Toggle Unset",
                "undeclared* Variant Unset"
            ]
        );
        let shown = rows(&schema, &json!({}), &opened(&["/pair"]));
        assert_eq!(shown[1..3], ["  Name* Text Unset", "  2 Number Unset"]);
    }

    #[test]
    fn a_member_of_any_name_is_added_where_one_is_asked_for() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(rows(&schema, &json!({}), &View::default()), ["a Text Unset"]);
        let view = View { adding: Some(Pointer::root()), ..View::default() };
        assert_eq!(rows(&schema, &json!({}), &view), ["a Text Unset", " Add Unset"]);
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
        assert_eq!(rows(&closed, &json!({}), &view), ["a Text Unset"]);
    }

    #[test]
    fn a_default_that_its_schema_forbids_is_marked() {
        let text = json!({"properties": {"bad": {"type": "integer", "default": 3, "minimum": 5}, "good": {"type": "integer", "default": 5}}});
        let checker = Checker::compile(&text).unwrap();
        let rows = layout_fields(&Schema::new(text), Some(&checker), &json!({}), &View::default());
        assert_eq!(rows.iter().map(|row| row.bad_default).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn recursion_opens_on_demand() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "child": {"$ref": "#"}}});
        assert_eq!(rows(&schema, &json!({}), &opened(&["/child", "/child/child"])).len(), 6);
    }

    #[test]
    fn keys_lead_to_the_node_of_any_place() {
        let text = json!({"properties": {"list": {"items": {"anyOf": [{"type": "string"}, {"type": "object",
            "properties": {"deep": {"type": "integer"}}}]}}}});
        let schema = Schema::new(text);
        let value = json!({"list": ["a", {"deep": 1}]});
        let at = Pointer::parse("/list/1/deep").unwrap();
        let key = key_at(&schema, None, &View::default(), &value, &at).unwrap();
        assert_eq!(schema.node(&key).types, Types::INTEGER);
    }
}
