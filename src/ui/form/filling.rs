//! Templates in the texts of a form: the list of names while one is typed, and what is filled in.

use std::sync::Arc;

use super::{
    templates::TemplateName,
    view::{Form, FormReply},
};
use crate::{
    app::input::{Code, Input},
    engine::template::is_filled_in,
};

impl Form {
    /// Passes the names that are offered while a template is typed. From now on a template may be
    /// where another type is wanted: what it is filled in with has that.
    pub(crate) fn set_template_names(&mut self, names: &Arc<[TemplateName]>) {
        if !self.templates.set_names(names) {
            self.rebuild_fields();
        }
    }

    /// Whether a text is one that is filled in.
    pub(super) fn fills_in(&self, text: &str) -> bool {
        self.templates.is_used() && is_filled_in(text)
    }

    /// Lists the names that fit what is typed at the cursor.
    pub(super) fn offer_templates(&mut self) {
        let editor = self.editor.as_deref().filter(|_| !self.resting);
        let around = editor.and_then(|editor| editor.text_at_cursor());
        self.templates.offer(&self.focus, around);
    }

    /// Whether names of templates are listed.
    pub(super) fn lists_templates(&self) -> bool {
        !self.resting && self.templates.is_open(&self.focus)
    }

    /// What the open list makes of an input; `None`: it is for the text.
    pub(super) fn template_input(&mut self, input: &Input) -> Option<FormReply> {
        let Input::Key(key) = input else { return None };
        if !self.lists_templates() {
            return None;
        }
        if key.is_plain(Code::Esc) {
            self.templates.dismiss();
            return Some(FormReply::Handled);
        }
        let takes = key.is_plain(Code::Enter) || key.is_plain(Code::Tab);
        match self.templates.chosen().filter(|_| takes) {
            Some(chosen) => Some(self.take_template(chosen)),
            None => self.templates.move_cursor(*key).then_some(FormReply::Handled),
        }
    }

    /// Puts the rest of that name into the text.
    pub(super) fn take_template(&mut self, number: usize) -> FormReply {
        let rest = self.templates.take(number).filter(|rest| !rest.is_empty());
        let Some(rest) = rest.map(Input::Paste) else { return FormReply::Handled };
        let answer = self.ask_editor(|editor, cell| editor.handle_input(cell, &rest));
        self.handle_answer(answer)
    }
}
