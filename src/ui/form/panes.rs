//! A form in the middle of a screen: a list is on its left, and what comes of the form on its
//! right. What keys and presses do is the same on all such screens.

use super::host::{FormHost, ValueOwner};
use crate::{
    app::{
        input::{Code, Input, Mouse, MouseKind},
        state::State,
    },
    ui::{
        view::Reply,
        widgets::panes::{Panes, Step},
    },
};

/// The pane with the list.
pub(crate) const LEFT: usize = 0;
/// The pane with the form.
pub(crate) const MIDDLE: usize = 1;
/// The pane with what comes of it.
pub(crate) const RIGHT: usize = 2;

/// The panes, and the forms of which one is in the middle.
pub(crate) struct FormPanes<O> {
    pub panes: Panes,
    pub forms: FormHost<O>,
}

impl<O> Default for FormPanes<O> {
    fn default() -> Self {
        Self { panes: Panes::default(), forms: FormHost::default() }
    }
}

impl<O: ValueOwner> FormPanes<O> {
    #[must_use]
    pub fn has_focus(&self, pane: usize) -> bool {
        self.panes.focus == pane
    }

    /// The list has the keys.
    pub fn focus_list(&mut self) {
        self.panes.focus = LEFT;
    }

    /// The form has the keys, and waits for `Enter`.
    pub fn focus_form(&mut self) {
        if !self.has_focus(MIDDLE) {
            self.panes.focus = MIDDLE;
            self.forms.rest();
        }
    }

    /// Tab goes from field to field, and after the last to the next pane.
    pub fn step(&mut self, step: Step, state: &State) -> Reply {
        self.forms.step_pane(step, &mut self.panes, MIDDLE, state)
    }

    /// Whether printable keys are text now.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.has_focus(MIDDLE) && self.forms.is_typing()
    }

    /// The pane that an input is for; `None` where it is for none of them.
    pub fn target_pane(&mut self, input: &Input) -> Option<usize> {
        let Input::Mouse(mouse @ Mouse { kind, .. }) = input else { return Some(self.panes.focus) };
        let under = self.panes.handle_mouse(*mouse)?;
        let counts = under == MIDDLE || matches!(kind, MouseKind::Down(_) | MouseKind::Wheel(_));
        counts.then_some(under)
    }

    /// Does what an input does on every such screen: in the list `Enter` leads to the form where
    /// there is one, `Esc` leads back to the list, and the form gets what comes in its pane.
    pub fn handle_input(&mut self, pane: usize, input: &Input, state: &State) -> Reply {
        let is = |code| matches!(input, Input::Key(key) if key.is_plain(code));
        let has_form = self.forms.owner().is_some();
        let reply = match pane {
            LEFT if is(Code::Enter) && has_form => {
                self.focus_form();
                return Reply::Handled;
            }
            LEFT => return Reply::Ignored,
            MIDDLE if has_form => self.forms.input(input, state),
            _ => Reply::Ignored,
        };
        match reply {
            Reply::Ignored if is(Code::Esc) => {
                self.focus_list();
                Reply::Handled
            }
            reply => reply,
        }
    }

    /// Goes to the first thing that is wrong with the value of the form; says what it is. `Enter`
    /// edits it, unless it is being edited already.
    pub fn focus_issue(&mut self) -> Option<String> {
        let form = self.forms.shown_form_mut()?;
        let issue = form.issues().first()?.clone();
        let is_elsewhere = form.focused_place() != &issue.at;
        drop(form.focus_field(&issue.at));
        if is_elsewhere {
            form.stop_typing();
        }
        let place = issue.at.words_in(form.value());
        self.focus_form();
        Some(format!("{place} {}", issue.words))
    }
}
