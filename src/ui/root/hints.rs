//! Which keys the bottom line names.

use super::bottom_line::Hint;
use crate::{
    app::{actions::Scope, input::Key, state::State},
    ui::view::{Overlay, Screen},
};

/// Those of what lies over the screen.
pub(super) fn of_overlay(overlay: &dyn Overlay) -> Vec<Hint> {
    overlay.key_hints().into_iter().map(without_action).collect()
}

/// Those of a screen, whose keys are looked up in these scopes.
pub(super) fn of_screen(screen: &dyn Screen, scopes: &[Scope], state: &State) -> Vec<Hint> {
    let typing = screen.is_typing();
    let mut actions = screen.hinted_actions(state);
    // What is typed into a find box is no action's, but what runs can be stopped.
    if typing && !scopes.contains(&Scope::Form) && !screen.key_hints().is_empty() {
        actions.retain(|action| *action == "cancel");
    }
    // What a notice offers is at hand for the mouse, too.
    if state.notices.current().is_some_and(|notice| notice.text.contains(" undoes")) {
        actions.retain(|action| *action != "undo");
        actions.insert(0, "undo");
    }
    actions.extend(["palette", "help"]);
    let mut hints: Vec<Hint> = screen.key_hints().into_iter().map(without_action).collect();
    for action in actions {
        // A key that the screen takes for itself is not the action's.
        let free = |key: &Key| !hints.iter().any(|(known, ..)| *known == key.to_string());
        // In the demo F1 is the tour's, and no help.
        let own = |key: &Key| state.keymap.action_for(scopes, *key) == Some(action);
        let usable = |key: &&Key| (!typing || key.typed_char().is_none()) && free(key) && own(key);
        if let Some(key) = state.keymap.keys_for(action).iter().find(usable)
            && screen.refusal_reason(action, state).is_none()
        {
            let usual = state.keymap.action(action).title;
            let title = screen.hint_title(action, state).unwrap_or(usual);
            hints.push((key.to_string(), title.to_owned(), Some(action)));
        }
    }
    hints
}

/// A key that something takes for itself, and what it does.
fn without_action((key, words): (&str, &str)) -> Hint {
    (key.to_owned(), words.to_owned(), None)
}
