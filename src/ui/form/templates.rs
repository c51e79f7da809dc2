//! Names of templates, listed below a text while one is typed: after `{{var.` the variables of a
//! connection, after `{{env.` those of the environment.

use std::sync::Arc;

use super::{
    cell::{ClickArea, DrawContext},
    listing::{Listing, ShownOption},
    view::{FieldId, Form, FormReply},
};
use crate::{
    app::input::{Code, Input},
    engine::template::is_filled_in,
};

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// What may be between the braces of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateName {
    pub name: String,
    /// What it would be, beside it.
    pub help: String,
}

/// The names that are offered, and their list while it is open.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// `None`: nothing is filled in.
    names: Option<Arc<[TemplateName]>>,
    open: Option<OpenList>,
    /// Where a template begins whose list was closed.
    dismissed: Option<(FieldId, usize)>,
}

#[derive(Debug)]
struct OpenList {
    at: FieldId,
    start: usize,
    /// How much of the name is typed, in bytes.
    typed: usize,
    /// Its braces are closed behind the cursor.
    is_closed: bool,
    options: Vec<ShownOption>,
    list: Listing,
}

impl Templates {
    /// Opens the list of the names that fit what is typed before and behind the cursor, or closes it.
    fn offer(&mut self, at: &FieldId, around: Option<(&str, &str)>) {
        self.open = None;
        let Some((before, after)) = around else { return };
        let Some((start, typed)) = typed_name(before) else { return };
        if self.dismissed.as_ref().is_some_and(|(field, from)| field == at && *from == start) {
            return;
        }
        let is_closed = after.starts_with(CLOSE);
        let fits = |known: &&TemplateName| {
            known.name.starts_with(typed) && !(is_closed && known.name == typed)
        };
        let option = |known: &TemplateName| ShownOption {
            label: known.name.clone(),
            help: known.help.clone(),
            present: false,
        };
        let names = self.names.iter().flat_map(|names| names.iter());
        let options: Vec<ShownOption> = names.filter(fits).map(option).collect();
        if options.is_empty() {
            return;
        }
        let mut list = Listing::suggestions(&options);
        // Braces alone may begin anything.
        if typed.is_empty() {
            list.release_cursor();
        }
        let (at, typed) = (at.clone(), typed.len());
        self.open = Some(OpenList { at, start, typed, is_closed, options, list });
    }

    /// The text that completes the template with that name; the list is closed.
    fn take(&mut self, number: usize) -> Option<String> {
        let open = self.open.take()?;
        let name = &open.options.get(number)?.label;
        let end = if open.is_closed { "" } else { CLOSE };
        Some(format!("{}{end}", name.get(open.typed..)?))
    }

    /// Whether templates are filled in.
    #[must_use]
    pub(super) fn is_used(&self) -> bool {
        self.names.is_some()
    }

    pub(super) fn close(&mut self) {
        self.open = None;
    }

    fn dismiss(&mut self) {
        self.dismissed = self.open.take().map(|open| (open.at, open.start));
    }

    /// The lines that the list takes in so many cells, where it is open at that field.
    #[must_use]
    pub(super) fn line_count(&self, at: &FieldId, cells: u16) -> u16 {
        let open = self.open.as_ref().filter(|open| open.at == *at);
        open.map_or(0, |open| open.list.line_count(cells))
    }

    fn is_open(&self, at: &FieldId) -> bool {
        self.open.as_ref().is_some_and(|open| open.at == *at)
    }

    pub(super) fn draw(&mut self, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let Some(open) = &mut self.open else { return Vec::new() };
        open.list.draw(&open.options, context, 0)
    }
}

impl Form {
    /// Passes the names that are offered while a template is typed. From now on a template may be
    /// where another type is wanted: what it is filled in with has that.
    pub(crate) fn set_template_names(&mut self, names: &Arc<[TemplateName]>) {
        if self.templates.names.as_ref().is_some_and(|known| Arc::ptr_eq(known, names)) {
            return;
        }
        self.templates.close();
        let before = self.templates.names.replace(Arc::clone(names));
        if before.is_none() {
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
        let list = &mut self.templates.open.as_mut()?.list;
        let takes = key.is_plain(Code::Enter) || key.is_plain(Code::Tab);
        match list.chosen_option().filter(|_| takes) {
            Some(chosen) => Some(self.take_template(chosen)),
            None => list.move_cursor(*key).then_some(FormReply::Handled),
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

/// The name that is being typed at the end of a text, and where its template begins.
fn typed_name(before: &str) -> Option<(usize, &str)> {
    let start = before.rfind(OPEN)?;
    let name = before[start + OPEN.len()..].trim_start();
    let is_of_name = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    name.chars().all(is_of_name).then_some((start, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_typed_between_open_braces() {
        for (before, found) in [
            ("a {{", Some((2, ""))),
            ("{{x}} {{ var.sh", Some((6, "var.sh"))),
            ("{{{env.A-1_b", Some((1, "env.A-1_b"))),
            ("{\"a\": \"{{var.", Some((7, "var."))),
            ("{{var.a}}", None),
            ("{{#each a", None),
            ("{var", None),
        ] {
            assert_eq!(typed_name(before), found, "{before}");
        }
    }
}
