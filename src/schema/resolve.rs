//! Where the references of a schema lead: to places inside the schema itself, never to the network or a file.

use std::collections::HashMap;

use serde_json::Value;

/// A version of JSON Schema, told by `$schema`; else the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Draft {
    #[must_use]
    pub fn of(schema: &Value) -> Self {
        let named = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let versions =
            [("draft-04", Self::Draft4), ("draft-06", Self::Draft6), ("draft-07", Self::Draft7), ("2019-09", Self::Draft201909)];
        versions.into_iter().find(|(mark, _)| named.contains(mark)).map_or(Self::Draft202012, |(_, draft)| draft)
    }

    /// Keywords beside `$ref` count.
    #[must_use]
    pub fn counts_siblings_of_ref(self) -> bool {
        self >= Self::Draft201909
    }
}

/// Members whose content is data, not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// Every address in a schema that a reference can name.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Pointer of each schema with an `$id`, with the address that its references are relative to.
    bases: Vec<(String, String)>,
    /// Address, with `#anchor` where there is one, to pointer.
    targets: HashMap<String, String>,
}

impl Addresses {
    pub(super) fn of(schema: &Value) -> Self {
        let mut addresses = Self::default();
        addresses.targets.insert(String::new(), String::new());
        addresses.read(schema, "", "");
        // The innermost base counts.
        addresses.bases.sort_by_key(|(pointer, _)| std::cmp::Reverse(pointer.len()));
        addresses
    }

    fn read(&mut self, schema: &Value, pointer: &str, base: &str) {
        match schema {
            Value::Object(members) => {
                let id = members.get("$id").or_else(|| members.get("id")).and_then(Value::as_str);
                let own = id.map_or_else(|| base.to_owned(), |id| self.take_id(id, pointer, base));
                for anchor in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = members.get(anchor).and_then(Value::as_str) {
                        self.targets.entry(format!("{own}#{name}")).or_insert_with(|| pointer.to_owned());
                    }
                }
                for (name, member) in members.iter().filter(|(name, _)| !DATA.contains(&name.as_str())) {
                    self.read(member, &format!("{pointer}/{}", escape(name)), &own);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.read(item, &format!("{pointer}/{index}"), base);
                }
            }
            _ => {}
        }
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

    /// The pointer that `reference`, standing at `from`, leads to. `None`: it leads out of the schema.
    pub(super) fn resolve(&self, reference: &str, from: &str) -> Option<String> {
        let within = |pointer: &str| from.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let base = self.bases.iter().find(|(pointer, _)| within(pointer)).map_or("", |(_, base)| base.as_str());
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = if address.is_empty() { base.to_owned() } else { join(base, address) };
        if fragment.is_empty() || fragment.starts_with('/') {
            let target = self.targets.get(&document)?;
            return Some(format!("{target}{}", percent_decode(fragment)));
        }
        self.targets.get(&format!("{document}#{fragment}")).cloned()
    }
}

pub(super) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// `address` seen from `base`, as far as schemas in one file need it.
fn join(base: &str, address: &str) -> String {
    let has_scheme =
        address.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+'));
    if has_scheme {
        return address.to_owned();
    }
    let host_end = base.find("://").map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |slash| at + 3 + slash));
    if let Some(path) = address.strip_prefix('/') {
        return format!("{}/{path}", &base[..host_end]);
    }
    let folder = base.rfind('/').filter(|slash| *slash >= host_end).map_or("", |slash| &base[..=slash]);
    format!("{folder}{}", address.trim_start_matches("./"))
}

fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
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
        });
        let addresses = Addresses::of(&schema);
        let resolve = |reference, from| addresses.resolve(reference, from);
        assert_eq!(resolve("#/$defs/a%20b", "").as_deref(), Some("/$defs/a b"));
        assert_eq!(resolve("#here", "/properties/x").as_deref(), Some("/$defs/a b"));
        assert_eq!(resolve("inner.json", "").as_deref(), Some("/$defs/inner"));
        assert_eq!(resolve("#/$defs/deep", "/$defs/inner/properties/x").as_deref(), Some("/$defs/inner/$defs/deep"));
        assert_eq!(resolve("/tools/inner.json#/$defs/deep", "").as_deref(), Some("/$defs/inner/$defs/deep"));
        assert_eq!(resolve("https://example.com/other.json", ""), None);
        assert_eq!(resolve("not-a-schema", ""), None);
    }

    #[test]
    fn tells_the_draft() {
        assert_eq!(Draft::of(&json!({"$schema": "http://json-schema.org/draft-07/schema#"})), Draft::Draft7);
        assert_eq!(Draft::of(&json!(true)), Draft::Draft202012);
    }
}
