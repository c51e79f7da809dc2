//! What a widget sees of its field, where it draws, and what it answers.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use ratatui::{buffer::Buffer, layout::Rect, style::Style};
use serde_json::{Map, Value};

use super::notes::{Folded, severity_sign};
use crate::{
    app::{folder::FolderList, input::Input},
    schema::{
        fields::{Field, Presence},
        literal::Literal,
        messages,
        moment::LocalTime,
        phrase::value_text,
        pointer::Pointer,
    },
    syntax::edit::Edit,
    ui::{
        canvas::{Pen, text_width},
        styles::{Role, Styles},
        widgets::text_input::TextInput,
    },
};

/// A field with its value.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'c> {
    pub field: &'c Field,
    pub value: Option<&'c Value>,
    /// How the value is written, where its number would be rounded.
    pub written: Option<&'c str>,
    /// What is known of the values within this one.
    pub inner: InnerValues<'c>,
    /// What was typed and is no value yet.
    pub draft: Option<&'c str>,
    /// Issues of the fields that are folded away below this one.
    pub inside: Option<Folded>,
    /// What the clock on the wall shows.
    pub wall: LocalTime,
    /// The value whose members are offered to this list.
    pub members: Option<&'c Map<String, Value>>,
    /// The folder that was last looked into.
    pub folder: Option<&'c FolderList>,
    /// Nobody chose the value: what is typed replaces it.
    pub fresh: bool,
    /// It is the row that adds, and the next item is typed there.
    pub adding: bool,
    /// It is the schema of a member that the schema around it requires.
    pub listed_required: bool,
    /// Templates in texts are filled in before the value is used.
    pub fills_in: bool,
    /// What typing makes of the value at a switch; at a constant, it is changed by choosing another
    /// branch.
    pub selects: bool,
}

/// How values are shown that lie within another one.
#[derive(Clone, Copy)]
pub(crate) struct InnerValues<'c> {
    pub written: &'c HashMap<Pointer, String>,
    pub secrets: &'c HashSet<Pointer>,
}

impl InnerValues<'_> {
    /// A single value in one line: numbers as written, secrets as dots.
    #[must_use]
    pub fn display_value(&self, at: &Pointer, value: &Value) -> String {
        match self.written.get(at) {
            _ if self.secrets.contains(at) => "••••".into(),
            Some(written) => written.clone(),
            None => one_line(&value_text(value)),
        }
    }
}

impl Cell<'_> {
    /// The value as one writes it: text as it is, the rest as JSON; drafts and the written form
    /// first.
    #[must_use]
    pub fn value_text(&self) -> String {
        match (self.draft, self.written, self.value) {
            (Some(draft), ..) => draft.to_owned(),
            (_, Some(written), _) => written.to_owned(),
            (_, _, None | Some(Value::Null)) => String::new(),
            (_, _, Some(value)) => value_text(value),
        }
    }

    /// The default of a text that isn't set.
    #[must_use]
    pub fn offered_text(&self) -> Option<&str> {
        let is_unset = self.field.presence == Presence::Unset && self.draft.is_none();
        let default = self.field.node.default.as_ref();
        let default = default.filter(|_| is_unset && !self.field.bad_default);
        default.and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// What is edited of a text: the value, or the default where nothing is set. That becomes a
    /// value when it is changed.
    #[must_use]
    pub fn edited_text(&self) -> String {
        self.offered_text().map_or_else(|| self.value_text(), str::to_owned)
    }

    /// The value ready to be edited: selected as a whole where nobody chose it.
    #[must_use]
    pub fn text_input(&self) -> TextInput {
        if self.fresh && self.draft.is_none() {
            TextInput::selected_whole(self.value_text())
        } else {
            TextInput::new(self.value_text())
        }
    }

    /// What to show where nothing is set: the default, else what is wanted.
    #[must_use]
    pub fn placeholder_text(&self) -> String {
        if let (Presence::Unset, Some(words)) = (self.field.presence, &self.field.node.placeholder)
        {
            return words.to_string();
        }
        match (self.field.presence, &self.field.node.default) {
            (Presence::Null, _) => "null".into(),
            (Presence::Unset, Some(default)) if !self.field.bad_default => {
                match value_text(default).as_str() {
                    _ if default.is_null() => {
                        format!(
                            "null · default, or {}",
                            messages::describe_expected(&self.field.node)
                        )
                    }
                    text if text.trim().is_empty() => "empty · default".into(),
                    text => format!("{} · default", one_line(text)),
                }
            }
            (Presence::Unset, _) => messages::describe_expected(&self.field.node),
            (Presence::Set, _) => "empty".into(),
        }
    }

    /// How that is shown: a null that was given is a value, and no hint.
    #[must_use]
    pub fn placeholder_role(&self) -> Role {
        if self.field.presence == Presence::Null { Role::Accent } else { Role::Ghost }
    }

    /// The cells that the count of issues within takes at the end of the line, with the signs
    /// behind it.
    #[must_use]
    pub fn count_room(&self) -> usize {
        self.inside.map_or(0, |inside| text_width(&inside_words(inside)) + COUNT_EDGE)
    }

    /// Null is allowed here beside other values.
    #[must_use]
    pub fn takes_null(&self) -> bool {
        self.field.node.nullable
    }

    /// The answer that sets the value.
    #[must_use]
    pub fn set_value(&self, to: impl Into<Literal>) -> Answer {
        Answer::Change(vec![Edit::Set { at: self.field.pointer.clone(), to: to.into() }])
    }

    /// The answer that takes the value away, where there is one.
    #[must_use]
    pub fn unset_value(&self) -> Answer {
        match self.field.presence {
            Presence::Unset => Answer::Handled,
            _ => Answer::Change(vec![Edit::Remove { at: self.field.pointer.clone() }]),
        }
    }
}

/// What is behind the count of issues: `+ add`, a sign.
pub(crate) const COUNT_EDGE: usize = 6;

/// The count of issues that are folded away, with the sign of the worst.
#[must_use]
pub(crate) fn inside_words(inside: Folded) -> String {
    format!(" {} {} ", severity_sign(inside.worst), inside.count)
}

/// Line breaks and runs of spaces become one space; long texts are cut.
#[must_use]
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 400 {
            break;
        }
    }
    line
}

/// What a widget made of an input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// Not for this widget.
    Ignored,
    Handled,
    /// Edits of the document, one after the other.
    Change(Vec<Edit>),
    /// What is typed is no value yet; the words say why. Without words it is no error: the typing
    /// goes on, and `on_leave` decides.
    Draft {
        text: String,
        words: String,
    },
    /// A text for the clipboard, beside the answer to what is left where it was cut.
    Copy {
        text: String,
        left: Box<Self>,
    },
    /// It cannot be done; the words say why.
    Refused(String),
    /// Something that the sheet does.
    Ask(Ask),
}

/// What a widget asks of the sheet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    /// Done here: on to the next field.
    Next,
    /// The same after these edits.
    Accept(Vec<Edit>),
    /// An item of a list was chosen; it is done where items are being added.
    Chosen(Vec<Edit>),
    /// Show or hide what is below.
    Fold,
    /// Take another branch of the union.
    Pick(usize),
    /// Choose the branch that a constant distinguishes.
    Switch,
    /// Whether the schema that the value is allows null.
    OrNull(bool),
    /// This text goes into the union, to the branch that fits it.
    Type(String),
    AddItem,
    AddMember(String),
    Rename(String),
    /// The edits first, then what a folder holds; an empty name: the one that the program runs in.
    Folder {
        folder: String,
        edits: Vec<Edit>,
    },
    /// Lay out a long list from this item on.
    Window(usize),
}

/// What was clicked inside a widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Click {
    /// The widget itself: as Enter would.
    Open,
    /// A cell of an editor; the form fills in which, counted from the widget's corner.
    At {
        line: u16,
        column: u16,
    },
    /// A text that is shown and not edited: so many cells behind so many of its letters; the form
    /// fills in the cells.
    Letter {
        letters: usize,
        cells: u16,
    },
    /// An item of a list of options.
    Pick(usize),
    /// The sign that takes away the item with this number.
    Remove(usize),
    /// An item shown in the row.
    Item(usize),
    Add,
    Fold,
    /// One step up or down.
    Step(i8),
}

/// Any cell of an editor.
pub(crate) const ANYWHERE: Click = Click::At { line: 0, column: 0 };

/// A piece of a widget's area that can be clicked; line and columns count from its corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClickArea {
    pub line: u16,
    pub columns: Range<u16>,
    pub click: Click,
}

/// Where a widget draws.
pub(crate) struct DrawContext<'p> {
    pub buffer: &'p mut Buffer,
    pub area: Rect,
    pub styles: &'p Styles,
    pub look: Look,
}

/// How much attention a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    /// The row has the focus, but keys are not text.
    Resting,
    /// Keys go into the widget.
    Active,
}

impl DrawContext<'_> {
    /// A pen at the left of a line.
    pub fn pen(&mut self, line: u16) -> Pen<'_> {
        Pen::new(self.buffer, self.area, line)
    }

    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles[role]
    }

    /// Fills a line with the ground that fields stand on and answers its style.
    pub fn fill_background(&mut self, line: u16) -> Style {
        let style =
            self.styles[if self.look == Look::Plain { Role::Field } else { Role::FieldFocus }];
        if line < self.area.height {
            let row = Rect { y: self.area.y + line, height: 1, ..self.area };
            self.buffer.set_style(row.intersection(self.buffer.area), style);
        }
        style
    }

    /// A line of its own: text at the left, a sign at the right edge.
    pub fn draw_line(&mut self, line: u16, text: &str, style: Style, sign: &str) {
        let ground = self.fill_background(line);
        let dim = self.styles[Role::Dim];
        let room = usize::from(self.area.width).saturating_sub(sign.chars().count() + 1);
        let area = self.area;
        let shown = crate::ui::canvas::visible_text(text);
        let fitted = crate::ui::canvas::truncate_text(&shown, room);
        let mut pen = self.pen(line);
        pen.put_text(&fitted, ground.patch(style));
        if !sign.is_empty() {
            let signs = u16::try_from(sign.chars().count()).unwrap_or(0);
            pen.move_to(area, area.width.saturating_sub(signs)).put_text(sign, ground.patch(dim));
        }
    }

    /// The whole of a line as one place to click.
    #[must_use]
    pub fn line_hit(&self, line: u16, click: Click) -> ClickArea {
        ClickArea { line, columns: 0..self.area.width, click }
    }
}

/// How a kind of field is shown, and what edits it while it has the focus. One row in
/// `registry.rs`.
pub(crate) trait Widget: Sync {
    /// How many lines it takes without the focus.
    fn line_count(&self, _cell: &Cell<'_>, _width: u16) -> u16 {
        1
    }

    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea>;

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor>;
}

/// A field that has the focus.
pub(crate) trait Editor {
    fn line_count(&self, _cell: &Cell<'_>, _width: u16) -> u16 {
        1
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea>;

    /// Whether printable keys are text here.
    fn is_typing(&self) -> bool {
        false
    }

    /// Whether the form decides what a typed text means.
    fn routes_text(&self) -> bool {
        false
    }

    /// Whether a text that is no value here may go to another branch of a union.
    fn lets_route(&self) -> bool {
        false
    }

    /// The branch of a union that such a text is for.
    fn preferred_branch(&self) -> Option<usize> {
        None
    }

    /// The text that is typed, before the cursor and behind it; `None`: no template can be in it.
    fn text_at_cursor(&self) -> Option<(&str, &str)> {
        None
    }

    /// Whether something is open that Esc closes.
    fn is_open(&self) -> bool {
        false
    }

    /// Whether what is open is the text itself: Esc ends the typing with it.
    fn is_text(&self) -> bool {
        false
    }

    fn close(&mut self) {}

    /// The user turned to it with Enter: what can be opened opens.
    fn on_activate(&mut self, _cell: &Cell<'_>) {}

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer;

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer;

    /// The mouse is held and moves; line and column count from the widget's corner and may lie
    /// outside.
    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, _column: i32) -> Answer {
        Answer::Ignored
    }

    /// The mouse pressed twice where the cursor is now.
    fn select_word(&mut self) {}

    /// The wheel turned over it; whether it moved something.
    fn handle_wheel(&mut self, _lines: isize) -> bool {
        false
    }

    /// It edits the name of the member in place of its value.
    fn is_rename(&self) -> bool {
        false
    }

    /// The keys of its own that work now, for the hint line.
    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// The value was changed, here or elsewhere.
    fn sync_value(&mut self, _cell: &Cell<'_>) {}

    /// The focus goes elsewhere: what was typed must not be lost.
    fn on_leave(&mut self, _cell: &Cell<'_>) -> Answer {
        Answer::Handled
    }
}
