//! Which texts of a value are secrets, to be masked wherever the value is shown.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    field::View,
    kind::{TextKind, text_kind},
    node::{Node, NodeKey},
    places::{effective_node, entry_key, property_key},
    pointer::Pointer,
    tree::Schema,
    ui_schema::{Ui, apply_ui_schema},
    validate::Checker,
    variant,
};

/// The places of the texts that are to be masked: what names an environment variable is none. A
/// schema without secrets costs nothing, one that hides names a look at those of the value.
#[must_use]
pub(crate) fn secret_places(
    schema: &Schema,
    checker: Option<&Checker>,
    view: &View,
    value: &Value,
) -> HashSet<Pointer> {
    let mut walk = Walk { schema, checker, view, found: HashSet::new() };
    if schema.may_hold_secrets(value) {
        walk.visit(&Pointer::root(), &schema.root_node().key.clone(), &schema.ui(), value);
    }
    walk.found
}

/// A text that names an environment variable, or is about to: `${NAME}`, `$THE_NAME`. That is no
/// secret.
#[must_use]
pub(crate) fn names_variable(text: &str) -> bool {
    let name = match text.strip_prefix("${") {
        Some(name) => name.strip_suffix('}').unwrap_or(name),
        // A password may begin with it, too.
        None => match text.strip_prefix('$').filter(|name| name.contains('_')) {
            Some(name) => name,
            None => return false,
        },
    };
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && name.len() <= 64
        // Nothing that only looks like a name: a token in lower case stays masked.
        && !name.chars().any(|letter| letter.is_ascii_lowercase())
}

/// The same where a name of one word is one too: where it is filled in, no password begins so.
#[must_use]
pub(crate) fn names_any_variable(text: &str) -> bool {
    let is_word =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    text.strip_prefix('$').is_some_and(|name| name.len() <= 64 && name.chars().all(is_word))
}

fn is_secret(node: &Node, text: &Value) -> bool {
    node.choices.is_none()
        && node.constant.is_none()
        && text_kind(node, Some(text)) == TextKind::Secret
}

struct Walk<'w> {
    schema: &'w Schema,
    checker: Option<&'w Checker>,
    view: &'w View,
    found: HashSet<Pointer>,
}

impl Walk<'_> {
    fn visit(&mut self, at: &Pointer, key: &NodeKey, ui: &Ui<'_>, value: &Value) {
        if !matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_)) {
            return;
        }
        let mut ui = ui.clone();
        let mut node =
            apply_ui_schema(effective_node(self.schema, self.checker, key, Some(value)), &ui);
        // Each decided union may bring another one; the bound is for unions that hold themselves.
        for _ in 0..8 {
            let Some(union) = node.unions.first().cloned() else { break };
            let chosen = variant::choose_branch(
                self.schema,
                self.checker,
                self.view,
                at,
                &union,
                Some(value),
            );
            let Some(branch) = chosen.and_then(|chosen| union.branches.get(chosen).copied()) else {
                break;
            };
            ui = ui.with_branch(self.schema.branch_number(branch));
            let key = node.key.with_branch(union.place, branch);
            node =
                apply_ui_schema(effective_node(self.schema, self.checker, &key, Some(value)), &ui);
        }
        let node = self.schema.hidden_by_name(at, node);
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let (key, ui) = match node.object.property(name) {
                        Some(property) => {
                            (property_key(&node, self.checker, property), ui.member(name))
                        }
                        None => (entry_key(&node, self.checker, name).0, ui.named_member(name)),
                    };
                    self.visit(&at.child(name.as_str()), &key, &ui, member);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.visit(&at.item(index), node.list.item_key(index), &ui.item(index), item);
                }
            }
            Value::String(text) => {
                let is_name =
                    names_variable(text) || node.names_variable && names_any_variable(text);
                if is_secret(&node, value) && !text.is_empty() && !is_name {
                    self.found.insert(at.clone());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::schema::{fields::layout_fields, kind::Kind, tree::IsHidden};

    fn places(schema: &Value, ui: Option<Value>, value: &Value) -> Vec<String> {
        let checker = Checker::compile(schema).unwrap();
        let schema = Schema::new(schema.clone()).with_ui(ui.map(Arc::new));
        let found = secret_places(&schema, Some(&checker), &View::default(), value);
        let mut places: Vec<String> = found.iter().map(ToString::to_string).collect();
        places.sort();
        places
    }

    #[test]
    fn texts_are_hidden_by_their_names_whatever_the_schema_says_of_them() {
        let root = json!({"$defs": {"s": {"type": "string"}}, "properties": {
            "optional": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "nullable": {"type": ["string", "null"]}, "referred": {"$ref": "#/$defs/s"}, "untyped": {},
            "open": {"type": "string"}, "page": {"type": "string", "format": "textarea"},
            "chosen": {"enum": ["a", "b"]},
        }});
        let value = json!({"optional": "a", "nullable": "a", "referred": "a", "untyped": "a",
            "open": "a", "page": "a", "chosen": "a", "entry": "a"});
        let checker = Checker::compile(&root).unwrap();
        let mut schema = Schema::new(root);
        let mut hidden = |names: Option<IsHidden>| {
            schema.hide_names(names);
            let found = secret_places(&schema, Some(&checker), &View::default(), &value);
            let fields = layout_fields(&schema, Some(&checker), &value, &View::default());
            let fields = fields.into_iter();
            let secret = fields.filter(|field| field.kind == Kind::Text(TextKind::Secret));
            let mut places: Vec<String> = secret.map(|field| field.pointer.to_string()).collect();
            places.sort();
            assert!(places.iter().all(|at| found.contains(&Pointer::parse(at).unwrap())));
            assert_eq!(places.len(), found.len());
            places
        };
        assert_eq!(hidden(None), Vec::<String>::new());
        let all = ["/entry", "/nullable", "/optional", "/referred", "/untyped"];
        assert_eq!(hidden(Some(|name| name != "open")), all);
    }

    #[test]
    fn secrets_are_found_in_members_items_entries_and_branches() {
        let secret = json!({"type": "string", "writeOnly": true});
        let schema = json!({"properties": {
            "key": secret, "open": {"type": "string"},
            "list": {"type": "array", "items": {"type": "object", "properties": {"token": {"type": "string", "format": "password"}}}},
            "tokens": {"type": "array", "items": secret},
            "map": {"type": "object", "additionalProperties": secret},
            "way": {"oneOf": [
                {"type": "object", "properties": {"by": {"const": "none"}, "word": {"type": "string"}}, "required": ["by"]},
                {"type": "object", "properties": {"by": {"const": "word"}, "word": secret}, "required": ["by"]}]}}});
        let value = json!({"key": "a", "open": "b", "list": [{"token": "c"}], "tokens": ["d"], "map": {"x": "e"},
            "way": {"by": "word", "word": "f"}});
        assert_eq!(
            places(&schema, None, &value),
            ["/key", "/list/0/token", "/map/x", "/tokens/0", "/way/word"]
        );
        let open = json!({"way": {"by": "none", "word": "f"}});
        assert!(places(&schema, None, &open).is_empty());
    }

    #[test]
    fn a_ui_schema_makes_a_text_a_secret() {
        let schema = json!({"properties": {"key": {"type": "string"}}});
        assert!(places(&schema, None, &json!({"key": "a"})).is_empty());
        assert_eq!(
            places(&schema, Some(json!({"key": {"ui:widget": "password"}})), &json!({"key": "a"})),
            ["/key"]
        );
    }
}
