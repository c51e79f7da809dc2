//! What is shown below the focused field: its rules, what was saved, and its description, of which
//! long ones fold.

use ratatui::style::{Modifier, Style};
use serde_json::Value;

use super::{
    cell::one_line,
    choice,
    layout::{self, Columns},
    shared,
    view::Form,
};
use crate::{
    schema::{
        fields::{Field, Presence, Role as Seat},
        kind::Kind,
        messages,
        phrase::{join_alternatives, value_text},
    },
    ui::{
        canvas::{Pen, text_width, visible_text, wrap},
        styles::{Role, Styles},
        widgets::markdown::{self, TextFace},
    },
};

/// Lines for the focused field, unless all of it is asked for; and where there is room for more
/// below everything else.
const FEW: usize = 4;
const ROOMY: usize = 8;
/// Lines for what is said of the whole.
const INTRODUCTION: usize = 3;

/// A line below a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HelpLine {
    pub role: Role,
    pub pieces: markdown::Line,
}

impl HelpLine {
    pub(super) fn from_text(role: Role, text: String) -> Self {
        Self { role, pieces: vec![(TextFace::default(), text)] }
    }

    pub(super) fn draw(&self, pen: &mut Pen<'_>, styles: &Styles) {
        for (face, text) in &self.pieces {
            let role = match face {
                TextFace { code: true, .. } => Role::SyntaxText,
                TextFace { link: true, .. } => Role::Info,
                TextFace { bold: true, .. } => Role::Label,
                _ => self.role,
            };
            let bold =
                if face.bold { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
            pen.put_text(text, styles[role].patch(bold));
        }
    }
}

impl Form {
    /// What is said of the whole, in few lines unless all of it is asked for.
    pub(super) fn introduction(&self) -> Vec<HelpLine> {
        // A row for the whole says it by itself.
        let has_row = self.fields.first().is_some_and(|field| field.role == Seat::Root);
        let node = (self.introduced && !has_row).then(|| self.root_node());
        let Some(description) = node.as_ref().and_then(|node| node.description.as_deref()) else {
            return Vec::new();
        };
        let text =
            markdown::render_lines(description, usize::from(self.area.width.saturating_sub(3)));
        let mut lines: Vec<_> =
            text.into_iter().map(|pieces| HelpLine { role: Role::Dim, pieces }).collect();
        if !self.full_help {
            truncate_lines(&mut lines, INTRODUCTION);
        }
        lines
    }

    /// The lines below a row that has the focus.
    pub(super) fn help(&self, row: usize) -> Vec<HelpLine> {
        let field = &self.fields[row];
        let cells = usize::from(self.columns.room);
        let mut lines = self.whole_choice(row);
        lines.extend(rules(field, self.columns));
        lines.extend(self.saved_words(row).map(|words| {
            let words = crate::ui::canvas::truncate_text(&visible_text(&words), cells).into_owned();
            HelpLine::from_text(Role::Changed, words)
        }));
        let shared = shared::words_at(&self.shared, &field.pointer);
        lines.extend(shared.filter(|_| field.part.is_value()).into_iter().flat_map(|words| {
            let lines = wrap(&visible_text(words), cells);
            lines.into_iter().map(|line| HelpLine::from_text(Role::Info, line))
        }));
        if let Some(description) = field.help().filter(|_| field.part.is_value()) {
            let text = markdown::render_lines(description, cells);
            lines.extend(text.into_iter().map(|pieces| HelpLine { role: Role::Dim, pieces }));
        }
        let few = FEW.min(usize::from(self.area.height) / 3).max(1);
        let most = few.max(self.spare.min(ROOMY));
        if !self.full_help {
            truncate_lines(&mut lines, most);
        }
        lines
    }

    /// What is chosen, where its row has no room for all of it.
    fn whole_choice(&self, row: usize) -> Vec<HelpLine> {
        /// The sign at the edge with what keeps off it, and the mark of what folds.
        const EDGE: usize = 4;
        let cell = self.cell(row);
        let chosen = cell.as_ref().and_then(choice::closed_choice);
        let Some(words) = chosen else { return Vec::new() };
        let room = usize::from(self.widget_room(row, true)).saturating_sub(EDGE);
        if text_width(&visible_text(&words)) <= room {
            return Vec::new();
        }
        let lines = wrap(&visible_text(&words), usize::from(self.columns.room));
        lines.into_iter().map(|line| HelpLine::from_text(Role::Text, line)).collect()
    }
}

/// Leaves so many lines, the last of them telling how many more there are.
fn truncate_lines(lines: &mut Vec<HelpLine>, most: usize) {
    if lines.len() <= most {
        return;
    }
    let all = lines.len();
    lines.truncate(most - 1);
    while lines.last().is_some_and(|line| line.pieces.is_empty()) {
        lines.pop();
    }
    let more = all - lines.len();
    lines.push(HelpLine::from_text(Role::Key, format!("▸ {more} more lines")));
}

/// What the field is to hold, in one or two lines.
fn rules(field: &Field, columns: Columns) -> Vec<HelpLine> {
    if !field.part.is_value() {
        return Vec::new();
    }
    let mut said: Vec<String> = Vec::new();
    let label = visible_text(&field.label);
    if text_width(&label) > layout::label_room(columns, field) {
        said.push(label.clone().into_owned());
    }
    let is_seen = layout::shown_key(columns, field).is_some();
    if !is_seen
        && field.pointer.last().is_some_and(|name| *name != *field.label)
        && field.role == Seat::Member
    {
        said.extend(field.pointer.last().map(ToOwned::to_owned));
    }
    let marks = [
        (field.node.deprecated, "deprecated"),
        (field.node.read_only, "read-only"),
        (field.node.write_only, "secret"),
    ];
    said.extend(marks.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.to_owned()));
    let expected = messages::describe_expected(&field.node);
    // Where nothing is set, the field itself says so; of null only where that is the default.
    let is_unset = field.presence == Presence::Unset && field.node.placeholder.is_none();
    let is_null_seen = is_unset && field.node.default.as_ref().is_some_and(Value::is_null);
    let wish = match field.node.nullable && !is_null_seen {
        true => messages::with_null(&expected),
        false => expected,
    };
    let is_seen = is_unset && field.node.default.is_none() && !field.node.nullable;
    if !is_seen && wish != "text" {
        said.push(wish);
    }
    said.extend(examples(field));
    if said.is_empty() {
        return Vec::new();
    }
    let lines = wrap(&visible_text(&said.join(" · ")), usize::from(columns.room));
    lines.into_iter().take(3).map(|line| HelpLine::from_text(Role::Dim, line)).collect()
}

/// Examples that are not offered as suggestions.
fn examples(field: &Field) -> Option<String> {
    let is_offered =
        matches!(field.kind, Kind::Choice(_) | Kind::Chips(_)) || field.node.write_only;
    let examples: Vec<String> =
        field.node.examples.iter().map(|example| one_line(&value_text(example))).collect();
    (!is_offered && !examples.is_empty())
        .then(|| format!("such as {}", join_alternatives(examples.iter().map(String::as_str))))
}
