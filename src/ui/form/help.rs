//! What stands below the focused field: its rules, what was saved, and its description, of which long ones fold.

use ratatui::style::{Modifier, Style};

use super::view::Form;
use crate::{
    schema::{
        fields::{Field, Part, Presence, Role as Seat},
        words,
    },
    ui::{
        canvas::{Pen, visible, wrap},
        styles::{Role, Styles},
        widgets::markdown::{self, Face},
    },
};

/// Lines for the focused field, unless all of it is asked for.
const FEW: usize = 4;

/// A line below a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HelpLine {
    pub role: Role,
    pub pieces: markdown::Line,
}

impl HelpLine {
    fn plain(role: Role, text: String) -> Self {
        Self { role, pieces: vec![(Face::default(), text)] }
    }

    pub(super) fn draw(&self, pen: &mut Pen<'_>, styles: &Styles) {
        for (face, text) in &self.pieces {
            let role = match face {
                Face { code: true, .. } => Role::SyntaxText,
                Face { link: true, .. } => Role::Info,
                Face { bold: true, .. } => Role::Label,
                _ => self.role,
            };
            let bold = if face.bold { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
            pen.put(text, styles[role].patch(bold));
        }
    }
}

impl Form {
    /// The lines below a row that has the focus.
    pub(super) fn help(&self, row: usize) -> Vec<HelpLine> {
        let field = &self.fields[row];
        let cells = usize::from(self.columns.room);
        let mut lines = rules(field, cells);
        lines.extend(self.saved_words(row).map(|words| {
            let words = crate::ui::canvas::fit(&visible(&words), cells).into_owned();
            HelpLine::plain(Role::Changed, words)
        }));
        if let Some(description) = field.help().filter(|_| !matches!(field.part, Part::Add | Part::More(_))) {
            let text = markdown::lines(description, cells);
            lines.extend(text.into_iter().map(|pieces| HelpLine { role: Role::Dim, pieces }));
        }
        let most = FEW.min(usize::from(self.area.height) / 3).max(1);
        if !self.full_help && lines.len() > most {
            let more = lines.len() - most + 1;
            lines.truncate(most - 1);
            while lines.last().is_some_and(|line| line.pieces.is_empty()) {
                lines.pop();
            }
            lines.push(HelpLine::plain(Role::Key, format!("▸ {more} more lines")));
        }
        lines
    }
}

/// What the field is to hold, in one or two lines.
fn rules(field: &Field, cells: usize) -> Vec<HelpLine> {
    if matches!(field.part, Part::Add | Part::More(_)) {
        return Vec::new();
    }
    let mut said: Vec<String> = Vec::new();
    if field.pointer.last().is_some_and(|name| *name != *field.label) && field.role == Seat::Member {
        said.extend(field.pointer.last().map(ToOwned::to_owned));
    }
    let marks = [(field.node.deprecated, "deprecated"), (field.node.read_only, "read-only"), (field.node.write_only, "secret")];
    said.extend(marks.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.to_owned()));
    let wish = words::wish(&field.node);
    // Where nothing is set, the field itself says so.
    let is_seen = field.presence == Presence::Unset && field.node.default.is_none() && field.node.placeholder.is_none();
    if !is_seen && wish != "text" {
        said.push(wish);
    }
    if said.is_empty() {
        return Vec::new();
    }
    let lines = wrap(&visible(&said.join(" · ")), cells);
    lines.into_iter().take(2).map(|line| HelpLine::plain(Role::Dim, line)).collect()
}
