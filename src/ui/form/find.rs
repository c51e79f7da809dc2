//! Finding a field by its name or description, also in what is folded away.

use std::collections::HashMap;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    cell::{Click, ClickArea, DrawContext, Look, one_line},
    listing::{Listing, ShownOption},
};
use crate::{
    app::input::{Button, Code, Input, Mouse, MouseKind},
    schema::{
        fields::{Field, Part},
        pointer::Pointer,
    },
    ui::{
        canvas::Pen,
        styles::{Role, Styles},
        widgets::text_input::TextInput,
    },
};

/// The line that is typed into and what it finds, over the top of the form.
pub(super) struct Finder {
    input: TextInput,
    listing: Listing,
    places: Vec<Pointer>,
    shown: Vec<ShownOption>,
    area: Rect,
    hits: Vec<ClickArea>,
}

/// What an input came to.
pub(super) enum FindReply {
    Stay,
    Leave,
    Go(Pointer),
}

impl Finder {
    pub(super) fn new(fields: &[Field], here: &Pointer) -> Self {
        let rows = fields.iter().filter(|field| {
            matches!(field.part, Part::Whole | Part::Switch(_)) && !field.pointer.is_root()
        });
        let mut labels: HashMap<&Pointer, &str> = HashMap::new();
        let mut places: Vec<Pointer> = Vec::new();
        let mut shown = Vec::new();
        for field in rows {
            // The second switch of a place is below its first one.
            if labels.contains_key(&field.pointer) {
                continue;
            }
            labels.insert(&field.pointer, &field.label);
            let present = field.pointer == *here;
            let mut label = label_path(&labels, &field.pointer);
            let name = field.pointer.last().unwrap_or_default();
            if *field.label != *name && !name.chars().all(|letter| letter.is_ascii_digit()) {
                label.push_str(&format!(" ({name})"));
            }
            let help = field.help().map(|help| one_line(help)).unwrap_or_default();
            shown.push(ShownOption { label, help, present });
            places.push(field.pointer.clone());
        }
        let listing = Listing::fields(&shown);
        Self {
            input: TextInput::default(),
            listing,
            places,
            shown,
            area: Rect::default(),
            hits: Vec::new(),
        }
    }

    fn update_filter(&mut self) -> FindReply {
        self.listing.filter_options(&self.shown, self.input.text());
        FindReply::Stay
    }

    fn accept_chosen(&self) -> FindReply {
        self.listing
            .chosen_option()
            .and_then(|row| self.places.get(row))
            .map_or(FindReply::Stay, |at| FindReply::Go(at.clone()))
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> FindReply {
        match input {
            Input::Key(key) if key.is_plain(Code::Esc) => FindReply::Leave,
            Input::Key(key) if key.code == Code::Enter => self.accept_chosen(),
            Input::Key(key) if self.listing.move_cursor(*key) => FindReply::Stay,
            Input::Key(key) => {
                self.input.handle_key(*key);
                self.update_filter()
            }
            Input::Paste(text) => {
                self.input.insert(&one_line(text));
                self.update_filter()
            }
            Input::Mouse(Mouse { kind: MouseKind::Down(Button::Left), column, row, .. }) => {
                if !self.area.contains((*column, *row).into()) {
                    return FindReply::Leave;
                }
                let (line, across) = (row - self.area.y, column - self.area.x);
                let hit =
                    self.hits.iter().find(|hit| hit.line == line && hit.columns.contains(&across));
                match hit.map(|hit| hit.click) {
                    Some(Click::Pick(number)) => self
                        .places
                        .get(number)
                        .map_or(FindReply::Stay, |at| FindReply::Go(at.clone())),
                    _ => FindReply::Stay,
                }
            }
            Input::Mouse(_) => FindReply::Stay,
        }
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles) {
        let height = (self.listing.line_count(area.width) + 1).min(area.height);
        self.area = Rect { height, ..area };
        let line = Rect { height: 1, ..self.area };
        Pen::new(buffer, line, 0)
            .put_text(" / ", styles[Role::Key].patch(styles[Role::FieldFocus]))
            .fill_rest(styles[Role::FieldFocus]);
        let field = Rect { x: line.x + 3, width: line.width.saturating_sub(3), ..line };
        if self.input.text().is_empty() {
            let ghost = styles[Role::FieldFocus].patch(styles[Role::Ghost]);
            let count = format!("name or description of one of {} fields", self.places.len());
            Pen::new(buffer, field, 0).put_text(" ", styles[Role::Cursor]).put_text(&count, ghost);
        } else {
            self.input.draw(buffer, field, styles[Role::FieldFocus], Some(styles[Role::Cursor]));
        }
        let mut context = DrawContext { buffer, area: self.area, styles, look: Look::Active };
        self.hits = self.listing.draw(&self.shown, &mut context, 1);
    }
}

/// The labels on the way to a place.
fn label_path(labels: &HashMap<&Pointer, &str>, at: &Pointer) -> String {
    let mut path = Vec::new();
    let mut place = Some(at.clone());
    while let Some(here) = place.filter(|place| !place.is_root()) {
        path.push(labels.get(&here).map_or_else(
            || here.last().unwrap_or_default().to_owned(),
            |label| (*label).to_owned(),
        ));
        place = here.parent();
    }
    path.reverse();
    path.join(" › ")
}
