//! Every action, in the order in which help shows them: the tables of all screens and of their
//! parts.

use std::collections::BTreeMap;

use super::{
    action_rows::own_actions,
    answer, everywhere, form,
    screens::{
        connections, form as form_screen, history, invoke, model_run, resources, tools, waiting,
        watch, workflow,
    },
    tour,
};
use crate::app::{actions::Action, keymap::Keymap};

/// What a user can do, from all tables.
#[must_use]
pub fn all_actions() -> Vec<&'static Action> {
    [
        own_actions(everywhere::ACTIONS),
        own_actions(tour::ACTIONS),
        own_actions(tools::ACTIONS),
        own_actions(form_screen::ACTIONS),
        own_actions(form::actions::ACTIONS),
        own_actions(workflow::actions::ACTIONS),
        own_actions(workflow::matrix_actions::MATRIX),
        own_actions(workflow::chain_actions::ACTIONS),
        own_actions(invoke::call_actions::ACTIONS),
        own_actions(invoke::step_actions::ACTIONS),
        own_actions(invoke::mock_actions::ACTIONS),
        own_actions(answer::actions::ACTIONS),
        own_actions(watch::ACTIONS),
        own_actions(history::ACTIONS),
        own_actions(connections::ACTIONS),
        own_actions(waiting::ACTIONS),
        own_actions(resources::ACTIONS),
        own_actions(model_run::ACTIONS),
    ]
    .concat()
}

/// All actions under their keys, changed by the user's: action id → keys. What is wrong in the
/// user's is reported in words, and skipped.
#[must_use]
pub fn build_keymap(overrides: &BTreeMap<String, Vec<String>>) -> (Keymap, Vec<String>) {
    Keymap::new(all_actions(), overrides)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::app::{actions::Scope, input::Key};

    #[test]
    fn actions_have_ids_of_their_own_words_and_keys_that_parse() {
        let actions = all_actions();
        let ids: HashSet<_> = actions.iter().map(|action| action.id).collect();
        assert_eq!(ids.len(), actions.len());
        for action in actions {
            assert!(!action.title.is_empty() && !action.help.is_empty(), "{}", action.id);
            for key in action.keys() {
                key.parse::<Key>().unwrap();
            }
        }
    }

    #[test]
    fn no_scope_has_one_key_twice() {
        let mut seen = HashSet::new();
        for action in all_actions() {
            for key in action.keys() {
                assert!(
                    seen.insert((action.scope, key)),
                    "{key} is there twice in {:?}",
                    action.scope
                );
            }
        }
    }

    fn overrides(rows: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        rows.iter()
            .map(|(id, keys)| {
                ((*id).to_owned(), keys.iter().map(|key| (*key).to_owned()).collect())
            })
            .collect()
    }

    #[test]
    fn the_innermost_scope_wins() {
        let (keymap, _) = build_keymap(&BTreeMap::new());
        let v = "v".parse().unwrap();
        assert_eq!(
            keymap.action_for(&[Scope::Matrix, Scope::Workflow, Scope::Global], v),
            Some("matrix-axis")
        );
        assert_eq!(
            keymap.action_for(&[Scope::Available, Scope::Workflow, Scope::Global], v),
            Some("matrix")
        );
        assert_eq!(keymap.action_for(&[Scope::Global], v), None);
    }

    #[test]
    fn the_users_keys_replace_the_tables() {
        let rows: &[(&str, &[&str])] =
            &[("palette", &["ctrl+k"]), ("nope", &["x"]), ("save", &["hyper+s"])];
        let (keymap, complaints) = build_keymap(&overrides(rows));
        assert_eq!(keymap.action_for(&[Scope::Global], "ctrl+k".parse().unwrap()), Some("palette"));
        assert_eq!(keymap.action_for(&[Scope::Global], "ctrl+p".parse().unwrap()), None);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn keys_of_an_action_that_is_not_there_name_the_nearest() {
        let (_, complaints) = build_keymap(&overrides(&[("palete", &["x"]), ("zzzz", &["x"])]));
        assert_eq!(
            complaints,
            [
                "keymap: there is no action \"palete\"; did you mean \"palette\"? \
                 `toolcrib help keys` lists them",
                "keymap: there is no action \"zzzz\"; `toolcrib help keys` lists them",
            ]
        );
    }

    #[test]
    fn a_key_that_the_user_gives_away_is_told() {
        let (keymap, complaints) = build_keymap(&overrides(&[("quit", &["u"])]));
        assert_eq!(keymap.action_for(&[Scope::Global], "u".parse().unwrap()), Some("quit"));
        assert_eq!(keymap.display_key("undo"), "Ctrl+Z");
        assert_eq!(complaints, ["keymap: u now means quit instead of undo"]);
    }
}
