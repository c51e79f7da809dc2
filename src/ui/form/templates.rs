//! Names of templates, listed below a text while one is typed: after `{{var.` the variables of a
//! connection, after `{{env.` those of the environment.

use std::sync::Arc;

use super::{
    cell::{ClickArea, DrawContext},
    listing::{Listing, ShownOption},
};
use crate::{
    app::input::Key,
    schema::{fields::Part, pointer::Pointer},
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

/// A row of a form, by what it is for.
type FieldId = (Pointer, Part);

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
    /// Takes other names; whether there were some before.
    pub(super) fn set_names(&mut self, names: &Arc<[TemplateName]>) -> bool {
        if self.names.as_ref().is_some_and(|known| Arc::ptr_eq(known, names)) {
            return true;
        }
        self.close();
        self.names.replace(Arc::clone(names)).is_some()
    }

    /// Opens the list of the names that fit what is typed before and behind the cursor, or closes it.
    pub(super) fn offer(&mut self, at: &FieldId, around: Option<(&str, &str)>) {
        self.open = None;
        let Some((before, after)) = around else { return };
        let named = typed_name(before);
        let here = named.map(|(start, _)| (at.clone(), start));
        self.dismissed = self.dismissed.take().filter(|closed| Some(closed) == here.as_ref());
        let Some((start, typed)) = named.filter(|_| self.dismissed.is_none()) else { return };
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
    pub(super) fn take(&mut self, number: usize) -> Option<String> {
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

    /// Closes the list for as long as the same template is typed.
    pub(super) fn dismiss(&mut self) {
        if let Some(open) = self.open.take() {
            self.dismissed = Some((open.at, open.start));
        }
    }

    /// The lines that the list takes in so many cells, where it is open at that field.
    #[must_use]
    pub(super) fn line_count(&self, at: &FieldId, cells: u16) -> u16 {
        let open = self.open.as_ref().filter(|open| open.at == *at);
        open.map_or(0, |open| open.list.line_count(cells))
    }

    #[must_use]
    pub(super) fn is_open(&self, at: &FieldId) -> bool {
        self.open.as_ref().is_some_and(|open| open.at == *at)
    }

    /// The number of the name under the cursor; none before it was led to one.
    #[must_use]
    pub(super) fn chosen(&self) -> Option<usize> {
        self.open.as_ref()?.list.chosen_option()
    }

    /// Moves the cursor of the list; whether the key was one of lists.
    pub(super) fn move_cursor(&mut self, key: Key) -> bool {
        self.open.as_mut().is_some_and(|open| open.list.move_cursor(key))
    }

    pub(super) fn draw(&mut self, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let Some(open) = &mut self.open else { return Vec::new() };
        open.list.draw(&open.options, context, 0)
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
    fn a_closed_list_is_closed_for_its_own_template_alone() {
        let names =
            ["var.shop"].map(|name| TemplateName { name: name.into(), help: String::new() });
        let (mut templates, at) = (Templates::default(), (Pointer::root(), Part::Value));
        templates.set_names(&Arc::from(names));
        let mut opens = |text: &str| {
            templates.offer(&at, Some((text, "")));
            let is_open = templates.is_open(&at);
            templates.dismiss();
            is_open
        };
        let opened = ["{{v", "{{va", "", "{{v", "{{va"].map(&mut opens);
        assert_eq!(opened, [true, false, false, true, false]);
    }

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
