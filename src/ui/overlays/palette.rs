//! The command palette: every action by name, with its key or the reason why it can't be used now.

use super::menu::{Item, Menu};
use crate::{
    app::{
        actions::{Action, ActionId, Risk, Scope},
        input::Key,
        keymap::Keymap,
    },
    schema::ordering::PutInOrder,
    ui::{form::actions::OF_TEXTS, view::OverlayReply},
};

/// Actions of every screen that are about what some screens show: those have them in their menu.
const ABOUT: &[(&[Scope], &[ActionId])] = &[
    // The selected tool, and what was changed of it.
    (
        &[Scope::Tools, Scope::Workflow, Scope::Invoke],
        &["make-service", "tool-connection", "variables", "undo", "redo"],
    ),
    (&[Scope::Workflow, Scope::Invoke, Scope::ModelRun], &["ask-model", "recorded-run"]),
    (&[Scope::Workflow, Scope::Invoke], &["mock-all"]),
];

/// What can be done where the cursor is: the actions of the pane, then those of the screen, and of
/// its tool.
pub(crate) fn actions_menu(
    keymap: &Keymap,
    (scopes, is_typing): (&[Scope], bool),
    refusal: impl Fn(ActionId) -> Option<String>,
) -> Menu {
    let of = |scope: Scope| keymap.actions().iter().filter(move |action| action.scope == scope);
    let is_about = |id: &ActionId| {
        let mut all = ABOUT.iter().filter(|(_, actions)| actions.contains(id));
        all.any(|(of, _)| scopes.iter().any(|scope| of.contains(scope)))
    };
    let about = of(Scope::Global).filter(|action| is_about(&action.id));
    let shown: Vec<_> = scopes.iter().flat_map(|scope| of(*scope)).chain(about).copied().collect();
    let mut rows: Vec<_> = shown.into_iter().map(|action| (refusal(action.id), action)).collect();
    // What is done with a text comes first while one is edited, and what can't be done now last.
    rows.order_by_key(|(refusal, action)| match refusal {
        None if OF_TEXTS.contains(&action.id) => 0,
        None => 1,
        Some(_) => 2,
    });
    let items = rows
        .iter()
        .map(|(refusal, action)| Item {
            title: action.title.to_owned(),
            detail: match refusal {
                Some(why) => format!("unavailable: {why}"),
                None => action.help.to_owned(),
            },
            note: own_key(keymap, (scopes, is_typing), action.id),
            refusal: refusal.clone(),
            risky: action.risk == Risk::Changes,
            ..Item::default()
        })
        .collect();
    Menu::new("Actions", items, move |row| OverlayReply::Act(rows[row].1.id))
}

/// The key that does an action where these scopes are in force, and a text is edited or not; empty
/// where none does.
fn own_key(keymap: &Keymap, (scopes, is_typing): (&[Scope], bool), id: ActionId) -> String {
    let leads_here = |key: &&Key| {
        let is_text = is_typing && key.typed_char().is_some();
        !is_text && keymap.action_for(scopes, **key) == Some(id)
    };
    let key = keymap.keys_for(id).iter().find(leads_here).filter(|_| !keymap.is_in_words());
    key.map(ToString::to_string).unwrap_or_default()
}

/// So many actions that were chosen last come first.
const RECENT: usize = 5;

/// Remembers what was chosen.
pub(crate) fn note_recent(recent: &mut Vec<ActionId>, chosen: ActionId) {
    recent.retain(|known| *known != chosen);
    recent.insert(0, chosen);
    recent.truncate(RECENT);
}

/// The palette for the present moment: what was chosen last, then what works where the keys are,
/// innermost first, while a text is edited or not. `refusal` says why an action can't be used now.
pub(crate) fn action_palette(
    keymap: &Keymap,
    (recent, scopes, is_typing): (&[ActionId], &[Scope], bool),
    refusal: impl Fn(ActionId) -> Option<String>,
) -> Menu {
    let mut shown: Vec<_> =
        keymap.actions().iter().copied().filter(|action| action.id != "palette").collect();
    shown.order_by_key(|action| {
        let chosen = recent.iter().position(|known| *known == action.id);
        let scope = scopes.iter().position(|scope| *scope == action.scope);
        (chosen.unwrap_or(recent.len()), scope.unwrap_or(scopes.len()))
    });
    let item = |action: &&'static Action| {
        let refusal = refusal(action.id);
        let is_here = action.scope == Scope::Global || scopes.contains(&action.scope);
        Item {
            title: action.title.to_owned(),
            detail: match action.scope {
                Scope::Global => action.help.to_owned(),
                scope => format!("{} · {}", scope.title(), action.help),
            },
            note: keymap.display_key_in(action.id, is_typing),
            elsewhere: refusal.is_some() && !is_here,
            refusal,
            risky: action.risk == Risk::Changes,
            ..Item::default()
        }
    };
    let items = shown.iter().map(item).collect();
    Menu::new("Commands", items, move |row| OverlayReply::Act(shown[row].id))
}
