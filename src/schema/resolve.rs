//! Where the references of a schema lead: to places inside the schema itself, never to the network
//! or a file.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    draft::Draft,
    encoding::{escape_token, percent_decode},
    subschemas::{SubschemaShape, held_by},
};

/// Every address in a schema that a reference can name.
#[derive(Debug)]
pub(super) struct Addresses {
    draft: Draft,
    /// Pointer of each schema with an `$id`, with the address that its references are relative to.
    bases: Vec<(String, String)>,
    /// Address, with `#anchor` where there is one, to pointer.
    targets: HashMap<String, String>,
    /// The addresses that a `$dynamicRef` leads to from further out.
    dynamic: HashSet<String>,
    /// Pointers of the schemas that `$recursiveRef` leads out of.
    recursive: HashSet<String>,
}

impl Addresses {
    pub(super) fn from_schema(schema: &Value) -> Self {
        let draft = Draft::detect(schema);
        let (bases, targets) = (Vec::new(), HashMap::from([(String::new(), String::new())]));
        let mut addresses =
            Self { draft, bases, targets, dynamic: HashSet::new(), recursive: HashSet::new() };
        addresses.collect_addresses(schema, "", "");
        // The innermost base counts.
        addresses.bases.sort_by_key(|(pointer, _)| std::cmp::Reverse(pointer.len()));
        addresses
    }

    fn collect_addresses(&mut self, schema: &Value, pointer: &str, base: &str) {
        match schema {
            Value::Object(members) => {
                let own = self.read_names(members, pointer, base);
                for (name, member) in members {
                    let below = format!("{pointer}/{}", escape_token(name));
                    match held_by(name) {
                        SubschemaShape::Nothing => {}
                        SubschemaShape::Schemas => self.collect_addresses(member, &below, &own),
                        SubschemaShape::Named => {
                            for (name, member) in member.as_object().into_iter().flatten() {
                                self.collect_addresses(
                                    member,
                                    &format!("{below}/{}", escape_token(name)),
                                    &own,
                                );
                            }
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.collect_addresses(item, &format!("{pointer}/{index}"), base);
                }
            }
            _ => {}
        }
    }

    /// Takes in what a schema is called; answers the address that its references are relative to.
    fn read_names(&mut self, members: &Map<String, Value>, pointer: &str, base: &str) -> String {
        let keyword = if self.draft == Draft::Draft4 { "id" } else { "$id" };
        let id = members.get(keyword).and_then(Value::as_str);
        let id =
            id.filter(|_| self.draft.counts_siblings_of_ref() || !members.contains_key("$ref"));
        let own = id.map_or_else(|| base.to_owned(), |id| self.take_id(id, pointer, base));
        for anchor in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = members.get(anchor).and_then(Value::as_str) {
                let address = format!("{own}#{name}");
                if anchor == "$dynamicAnchor" {
                    self.dynamic.insert(address.clone());
                }
                self.targets.entry(address).or_insert_with(|| pointer.to_owned());
            }
        }
        if members.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.recursive.insert(pointer.to_owned());
        }
        own
    }

    fn take_id(&mut self, id: &str, pointer: &str, base: &str) -> String {
        let (address, anchor) = id.split_once('#').unwrap_or((id, ""));
        let own = if address.is_empty() { base.to_owned() } else { join(base, address) };
        if !anchor.is_empty() {
            self.targets.entry(format!("{own}#{anchor}")).or_insert_with(|| pointer.to_owned());
        }
        if !address.is_empty() {
            self.targets.entry(own.clone()).or_insert_with(|| pointer.to_owned());
            self.bases.push((pointer.to_owned(), own.clone()));
        }
        own
    }

    /// The address that references at a pointer are relative to.
    pub(super) fn base_uri(&self, from: &str) -> &str {
        let within = |pointer: &str| {
            from.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.bases.iter().find(|(pointer, _)| within(pointer)).map_or("", |(_, base)| base.as_str())
    }

    /// The pointer that a reference, standing at `from`, leads to. `None`: it leads out of the
    /// schema. A dynamic one leads to the whole schema's own anchor of that name, where it has one:
    /// that is the outermost there can be.
    pub(super) fn resolve(&self, keyword: &str, reference: &str, from: &str) -> Option<String> {
        let base = self.base_uri(from);
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = if address.is_empty() { base.to_owned() } else { join(base, address) };
        if fragment.is_empty() || fragment.starts_with('/') {
            let target = self.targets.get(&document)?;
            if keyword == "$recursiveRef"
                && self.recursive.contains(target)
                && self.recursive.contains("")
            {
                return Some(String::new());
            }
            return Some(format!("{target}{}", percent_decode(fragment)));
        }
        let address = format!("{document}#{fragment}");
        let outermost = format!("{}#{fragment}", self.base_uri(""));
        if keyword == "$dynamicRef"
            && self.dynamic.contains(&address)
            && self.dynamic.contains(&outermost)
        {
            return self.targets.get(&outermost).cloned();
        }
        self.targets.get(&address).cloned()
    }
}

/// `address` seen from `base`, as far as schemas in one file need it.
pub(super) fn join(base: &str, address: &str) -> String {
    let has_scheme = address
        .split_once(':')
        .is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+'));
    if has_scheme {
        return address.to_owned();
    }
    let host_end = base
        .find("://")
        .map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |slash| at + 3 + slash));
    if let Some(path) = address.strip_prefix('/') {
        return format!("{}/{path}", &base[..host_end]);
    }
    let folder =
        base.rfind('/').filter(|slash| *slash >= host_end).map_or("", |slash| &base[..=slash]);
    format!("{folder}{}", address.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn follows_pointers_anchors_and_ids() {
        let schema = json!({
            "$id": "https://example.com/tools/root.json",
            "$defs": {
                "a b": {"$anchor": "here"},
                "inner": {"$id": "inner.json", "$defs": {"deep": {}}, "properties": {"x": {"$ref": "#/$defs/deep"}}},
            },
            "default": {"$id": "not-a-schema"},
            "properties": {"default": {"$anchor": "a-member"}, "id": {"id": "elsewhere.json", "allOf": [{}]}},
        });
        let addresses = Addresses::from_schema(&schema);
        let resolve = |reference, from| addresses.resolve("$ref", reference, from);
        assert_eq!(resolve("#/$defs/a%20b", "").as_deref(), Some("/$defs/a b"));
        assert_eq!(resolve("#here", "/properties/x").as_deref(), Some("/$defs/a b"));
        assert_eq!(resolve("inner.json", "").as_deref(), Some("/$defs/inner"));
        assert_eq!(
            resolve("#/$defs/deep", "/$defs/inner/properties/x").as_deref(),
            Some("/$defs/inner/$defs/deep")
        );
        assert_eq!(
            resolve("/tools/inner.json#/$defs/deep", "").as_deref(),
            Some("/$defs/inner/$defs/deep")
        );
        assert_eq!(resolve("https://example.com/other.json", ""), None);
        assert_eq!(resolve("not-a-schema", ""), None);
        assert_eq!(
            resolve("#a-member", "").as_deref(),
            Some("/properties/default"),
            "a member may be named like a keyword"
        );
        assert_eq!(
            resolve("#/$defs/inner", "/properties/id/allOf/0").as_deref(),
            Some("/$defs/inner"),
            "`id` is of draft 4"
        );
    }

    #[test]
    fn dynamic_references_lead_to_the_outermost() {
        let tree = json!({"$id": "tree", "$dynamicAnchor": "node", "properties": {"children": {"items": {"$dynamicRef": "#node"}}}});
        let strict = json!({"$id": "https://example.com/strict", "$dynamicAnchor": "node", "$ref": "tree", "$defs": {"tree": tree}});
        let from = "/$defs/tree/properties/children/items";
        let addresses = Addresses::from_schema(&strict);
        assert_eq!(addresses.resolve("$dynamicRef", "#node", from).as_deref(), Some(""));
        assert_eq!(addresses.resolve("$ref", "#node", from).as_deref(), Some("/$defs/tree"));
        let old = json!({"$recursiveAnchor": true, "$defs": {"t": {"$id": "t", "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}}}});
        assert_eq!(
            Addresses::from_schema(&old).resolve("$recursiveRef", "#", "/$defs/t/items").as_deref(),
            Some("")
        );
    }
}
