//! The rows in which actions stand: name, keys and words, when it is refused, and what does it.
//!
//! A screen, or a part of it, has one table of them, and hands what it is asked to do to
//! [`run_action`] and [`refusal_reason`]. `ui/actions` lists the tables; keys, help, the palette,
//! the hint line and the README's table follow from them.

use super::view::Reply;
use crate::app::{
    actions::{Action, ActionId, Risk, Scope},
    state::State,
    verbs::Verb,
};

/// A row: an action, and how a `T` does it. What is at hand is a `C`, the answer an `R`.
pub struct Row<T: ?Sized + 'static, C: 'static = State, R: 'static = Reply> {
    pub action: Action,
    place: Place,
    refusal: fn(&T, &C) -> Option<String>,
    run: fn(&mut T, &C) -> R,
}

/// Where the words of a row's action stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Here,
    /// In another table: this row has what it does here.
    Elsewhere,
}

impl<T: ?Sized, C, R> Row<T, C, R> {
    /// An action without a key that is never refused.
    pub const fn new(
        scope: Scope,
        id: ActionId,
        title: &'static str,
        run: fn(&mut T, &C) -> R,
    ) -> Self {
        let action =
            Action { id, scope, verbs: &[], edit_keys: &[], title, help: "", risk: Risk::None };
        Self { action, place: Place::Here, refusal: |_, _| None, run }
    }

    /// What an action of another table does here.
    pub const fn taking_over(id: ActionId, run: fn(&mut T, &C) -> R) -> Self {
        Self { place: Place::Elsewhere, ..Self::new(Scope::Global, id, "", run) }
    }

    /// The verbs whose keys it takes. Where two actions of a screen take the same one, they stand
    /// in different panes.
    #[must_use]
    pub const fn keys(mut self, verbs: &'static [Verb]) -> Self {
        self.action.verbs = verbs;
        self
    }

    /// Chords that do it while a text is edited.
    #[must_use]
    pub const fn edit_keys(mut self, keys: &'static [&'static str]) -> Self {
        self.action.edit_keys = keys;
        self
    }

    /// A sentence: what it does.
    #[must_use]
    pub const fn help(mut self, help: &'static str) -> Self {
        self.action.help = help;
        self
    }

    /// It deletes something, or changes a running system.
    #[must_use]
    pub const fn risky(mut self) -> Self {
        self.action.risk = Risk::Changes;
        self
    }

    /// Why it can't be done now, in words; `None` when it can.
    #[must_use]
    pub const fn refused(mut self, refusal: fn(&T, &C) -> Option<String>) -> Self {
        self.refusal = refusal;
        self
    }
}

impl<T: ?Sized> Row<T> {
    /// When an action of another table can't be done here, though it does nothing else than there.
    pub const fn refusing(id: ActionId, refusal: fn(&T, &State) -> Option<String>) -> Self {
        Self::taking_over(id, |_, _| Reply::Ignored).refused(refusal)
    }
}

fn find_row<T: ?Sized, C, R>(
    rows: &'static [Row<T, C, R>],
    id: ActionId,
) -> Option<&'static Row<T, C, R>> {
    rows.iter().find(|row| row.action.id == id)
}

/// Does an action of the table; `None` where it has none of that name.
pub(crate) fn run_action<T: ?Sized, C, R>(
    rows: &'static [Row<T, C, R>],
    subject: &mut T,
    id: ActionId,
    context: &C,
) -> Option<R> {
    Some((find_row(rows, id)?.run)(subject, context))
}

/// Why an action of the table can't be done now.
pub(crate) fn refusal_reason<T: ?Sized, C, R>(
    rows: &'static [Row<T, C, R>],
    subject: &T,
    id: ActionId,
    context: &C,
) -> Option<String> {
    (find_row(rows, id)?.refusal)(subject, context)
}

/// The actions of a table, without those that it takes over from others.
pub(crate) fn own_actions<T: ?Sized, C, R>(rows: &'static [Row<T, C, R>]) -> Vec<&'static Action> {
    let own = rows.iter().filter(|row| row.place == Place::Here);
    own.map(|row| &row.action).collect()
}

/// Whether an action is one of the table's.
pub(crate) fn has_action<T: ?Sized, C, R>(rows: &'static [Row<T, C, R>], id: ActionId) -> bool {
    find_row(rows, id).is_some()
}

/// The words where what they say holds: why an action is refused.
#[must_use]
pub(crate) fn refuse_when(holds: bool, why: &str) -> Option<String> {
    holds.then(|| why.to_owned())
}
