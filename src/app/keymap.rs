//! Which key means which action in which scope: the table's keys, changed by the user's.

use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
};

use super::{
    actions::{ACTIONS, Act, Scope, by_id},
    input::Key,
};

#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: HashMap<(Scope, Key), Act>,
    keys: HashMap<Act, Vec<Key>>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::with_overrides(&BTreeMap::new()).0
    }
}

impl Keymap {
    /// The table's keys with the user's in their place: action id → keys (an empty list takes the
    /// keys away). What is wrong in them is told in words, and passed over.
    #[must_use]
    pub fn with_overrides(overrides: &BTreeMap<String, Vec<String>>) -> (Self, Vec<String>) {
        let mut complaints = Vec::new();
        let mut chosen: HashMap<Act, Vec<Key>> = HashMap::new();
        for (id, keys) in overrides {
            let Some(action) = by_id(id) else {
                complaints
                    .push(format!("keymap: there is no action {id:?}; the README lists them"));
                continue;
            };
            let mut parsed = Vec::new();
            for key in keys {
                match Key::from_str(key) {
                    Ok(key) => parsed.push(key),
                    Err(error) => complaints.push(format!("keymap: {id}: {error}")),
                }
            }
            chosen.insert(action.act, parsed);
        }
        let mut keymap = Self { bindings: HashMap::new(), keys: HashMap::new() };
        for action in ACTIONS {
            if let Some(keys) = chosen.get(&action.act) {
                for key in keys {
                    keymap.bind(action.scope, *key, action.act, &mut complaints);
                }
            }
        }
        for action in ACTIONS.iter().filter(|action| !chosen.contains_key(&action.act)) {
            for key in action.keys.iter().filter_map(|key| key.parse().ok()) {
                keymap.bind(action.scope, key, action.act, &mut complaints);
            }
        }
        (keymap, complaints)
    }

    fn bind(&mut self, scope: Scope, key: Key, act: Act, complaints: &mut Vec<String>) {
        match self.bindings.get(&(scope, key)) {
            Some(before) => {
                complaints.push(format!(
                    "keymap: {key} means {}, no longer {}",
                    before.action().id,
                    act.action().id
                ));
            }
            None => {
                self.bindings.insert((scope, key), act);
                self.keys.entry(act).or_default().push(key);
            }
        }
    }

    /// The action of a key, the innermost scope first.
    #[must_use]
    pub fn action_for(&self, scopes: &[Scope], key: Key) -> Option<Act> {
        scopes.iter().find_map(|scope| self.bindings.get(&(*scope, key)).copied())
    }

    /// The keys of an action, the first one for display.
    #[must_use]
    pub fn keys_for(&self, act: Act) -> &[Key] {
        self.keys.get(&act).map_or(&[], Vec::as_slice)
    }

    /// The key to show for an action; empty where it has none.
    #[must_use]
    pub fn display_key(&self, act: Act) -> String {
        self.keys_for(act).first().map(ToString::to_string).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrides(rows: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        rows.iter()
            .map(|(id, keys)| {
                ((*id).to_owned(), keys.iter().map(|key| (*key).to_owned()).collect())
            })
            .collect()
    }

    #[test]
    fn the_innermost_scope_wins() {
        let keymap = Keymap::default();
        let f = "f".parse().unwrap();
        assert_eq!(
            keymap.action_for(&[Scope::Catalog, Scope::Tools, Scope::Global], f),
            Some(Act::ApplyFix)
        );
        assert_eq!(
            keymap.action_for(&[Scope::Available, Scope::Workflow, Scope::Global], f),
            Some(Act::StepFailed)
        );
        assert_eq!(keymap.action_for(&[Scope::Global], f), None);
    }

    #[test]
    fn the_users_keys_replace_the_tables() {
        let rows: &[(&str, &[&str])] =
            &[("palette", &["ctrl+k"]), ("nope", &["x"]), ("save", &["hyper+s"])];
        let (keymap, complaints) = Keymap::with_overrides(&overrides(rows));
        assert_eq!(
            keymap.action_for(&[Scope::Global], "ctrl+k".parse().unwrap()),
            Some(Act::Palette)
        );
        assert_eq!(keymap.action_for(&[Scope::Global], "ctrl+p".parse().unwrap()), None);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn a_key_that_the_user_gives_away_is_told() {
        let (keymap, complaints) = Keymap::with_overrides(&overrides(&[("quit", &["u"])]));
        assert_eq!(keymap.action_for(&[Scope::Global], "u".parse().unwrap()), Some(Act::Quit));
        assert_eq!(keymap.display_key(Act::Undo), "Alt+U");
        assert_eq!(complaints, ["keymap: u means quit, no longer undo"]);
    }
}
