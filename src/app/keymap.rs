//! The actions that there are, and which key means which of them in which scope: their own keys,
//! changed by the user's.

use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
};

use super::{
    actions::{Action, ActionId, Risk, Scope},
    input::Key,
};
use crate::engine::workflow::similar;

/// Made of the table of all actions; the default has none.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    actions: Vec<&'static Action>,
    bindings: HashMap<(Scope, Key), &'static Action>,
    keys: HashMap<ActionId, Vec<Key>>,
    /// There are no keys: actions are typed by name.
    in_words: bool,
    /// Keys mean what they mean in windows.
    in_window: bool,
}

/// Actions that had another name in an earlier version, and their names now: keys that users gave
/// them still work.
const RENAMED: &[(&str, &str)] = &[("usual-connection", "default-connection")];

/// Replaces an action that is in no table.
static UNKNOWN: Action = Action {
    id: "unknown",
    scope: Scope::Global,
    verbs: &[],
    edit_keys: &[],
    title: "unknown",
    help: "",
    risk: Risk::None,
};

impl Keymap {
    /// These actions under their keys, or under the user's in their place: action id → keys (an
    /// empty list takes the keys away). What is wrong in them is reported in words, and skipped.
    #[must_use]
    pub fn new(
        actions: Vec<&'static Action>,
        overrides: &BTreeMap<String, Vec<String>>,
    ) -> (Self, Vec<String>) {
        let mut complaints = Vec::new();
        let mut chosen: HashMap<ActionId, Vec<Key>> = HashMap::new();
        for (id, keys) in overrides {
            let renamed = RENAMED.iter().find(|(former, _)| former == id);
            if let Some((former, now)) = renamed {
                complaints.push(format!("keymap: {former} is called {now} now; rename it"));
            }
            let id = renamed.map_or(id.as_str(), |(_, now)| now);
            let Some(action) = actions.iter().find(|action| action.id == id) else {
                let near = similar::nearest_name(id, actions.iter().map(|action| action.id));
                let near = near.map(|near| format!("did you mean {near:?}? "));
                complaints.push(format!(
                    "keymap: there is no action {id:?}; {}`toolcrib help keys` lists them",
                    near.unwrap_or_default()
                ));
                continue;
            };
            let mut parsed = Vec::new();
            for key in keys {
                match Key::from_str(key) {
                    Ok(key) => parsed.push(key),
                    Err(error) => complaints.push(format!("keymap: {id}: {error}")),
                }
            }
            chosen.insert(action.id, parsed);
        }
        let mut keymap = Self::default();
        for action in &actions {
            if let Some(keys) = chosen.get(action.id) {
                for key in keys {
                    keymap.bind(*key, action, &mut complaints);
                }
            }
        }
        for action in actions.iter().filter(|action| !chosen.contains_key(action.id)) {
            for key in action.keys().filter_map(|key| key.parse().ok()) {
                keymap.bind(key, action, &mut complaints);
            }
        }
        keymap.actions = actions;
        (keymap, complaints)
    }

    fn bind(&mut self, key: Key, action: &'static Action, complaints: &mut Vec<String>) {
        match self.bindings.get(&(action.scope, key)) {
            Some(before) => {
                complaints.push(format!(
                    "keymap: {key} now means {} instead of \
                        {}",
                    before.id, action.id
                ));
            }
            None => {
                self.bindings.insert((action.scope, key), action);
                self.keys.entry(action.id).or_default().push(key);
            }
        }
    }

    /// The same where no key is read: what names a key names the action in its place.
    #[must_use]
    pub fn in_words(self) -> Self {
        Self { in_words: true, ..self }
    }

    /// Whether actions are typed by name, since there are no keys.
    #[must_use]
    pub fn is_in_words(&self) -> bool {
        self.in_words
    }

    /// The same in a window of its own, where `Ctrl+C` copies.
    #[must_use]
    pub fn in_window(self) -> Self {
        Self { in_window: true, ..self }
    }

    /// Whether the program has a window of its own.
    #[must_use]
    pub fn is_in_window(&self) -> bool {
        self.in_window
    }

    /// Every action, in the order in which help shows them.
    #[must_use]
    pub fn actions(&self) -> &[&'static Action] {
        &self.actions
    }

    /// The action of that name. That there is one is asserted where assertions are on.
    #[must_use]
    pub fn action(&self, id: ActionId) -> &'static Action {
        let found = self.actions.iter().find(|action| action.id == id);
        debug_assert!(found.is_some() || self.actions.is_empty(), "no action is called {id:?}");
        found.copied().unwrap_or(&UNKNOWN)
    }

    /// The action of a key, the innermost scope first.
    #[must_use]
    pub fn action_for(&self, scopes: &[Scope], key: Key) -> Option<ActionId> {
        scopes.iter().find_map(|scope| Some(self.bindings.get(&(*scope, key))?.id))
    }

    /// The keys of an action, the first one for display.
    #[must_use]
    pub fn keys_for(&self, id: ActionId) -> &[Key] {
        self.keys.get(self.action(id).id).map_or(&[], Vec::as_slice)
    }

    /// The key to show for an action; empty where it has none.
    #[must_use]
    pub fn display_key(&self, id: ActionId) -> String {
        self.display_key_in(id, false)
    }

    /// The same while a text is edited, where that is so: then letters are text, and no keys.
    #[must_use]
    pub fn display_key_in(&self, id: ActionId, is_typing: bool) -> String {
        let works = |key: &&Key| !is_typing || key.typed_char().is_none();
        let first = self.keys_for(id).iter().find(works).filter(|_| !self.in_words);
        first.map(ToString::to_string).unwrap_or_default()
    }

    /// How to do an action, within a sentence: its key, or its row in the actions menu.
    #[must_use]
    pub fn way_to(&self, id: ActionId) -> String {
        match self.display_key(id) {
            _ if self.in_words => format!("“{}”", self.action(id).title.trim_end_matches('…')),
            key if key.is_empty() => {
                // The menu has what can be done here; what works everywhere is in the palette.
                let is_everywhere = self.action(id).scope == Scope::Global;
                let list = if is_everywhere { "palette" } else { "actions-menu" };
                format!("{} → {}", self.display_key(list), self.action(id).title)
            }
            key => key,
        }
    }
}
