//! The mouse on a form: what is pressed, held and dragged, and the wheel.

use std::mem::{Discriminant, discriminant};

use ratatui::layout::Position;

use super::{
    cell::{Answer, Click},
    view::{DragTarget, Form, FormReply, Target},
};
use crate::{
    app::input::{Button, Code, Input, Key, Mouse, MouseKind},
    schema::{fields::Role, pointer::Pointer},
    syntax::edit::Edit,
};

/// Whether a press there changes a value at once.
fn changes_value(target: Target) -> bool {
    match target {
        Target::Widget(click) => {
            matches!(click, Click::Pick(_) | Click::Remove(_) | Click::Step(_))
        }
        Target::Earlier | Target::Later | Target::Duplicate | Target::Remove | Target::Fix(_) => {
            true
        }
        Target::Row | Target::Help => false,
    }
}

/// What a target is, without what it is of.
fn discriminant_of(target: Target) -> (Discriminant<Target>, Option<Discriminant<Click>>) {
    let click = match target {
        Target::Widget(click) => Some(discriminant(&click)),
        _ => None,
    };
    (discriminant(&target), click)
}

/// Lines that a notch of the wheel moves.
const NOTCH: usize = 3;

impl Form {
    pub(super) fn handle_mouse(&mut self, mouse: Mouse) -> FormReply {
        self.begun |= matches!(mouse.kind, MouseKind::Down(_));
        let at = Position { x: mouse.column, y: mouse.row };
        match mouse.kind {
            MouseKind::Drag(Button::Left) => self.handle_drag(mouse),
            MouseKind::Up(Button::Left) => self.drop_held(),
            _ if !self.area.contains(at) => FormReply::Ignored,
            MouseKind::Wheel(notches) => {
                self.handle_wheel(at, notches);
                FormReply::Handled
            }
            MouseKind::Down(Button::Left) if self.is_scroll_bar(at) => {
                self.held = Some(DragTarget::ScrollBar);
                self.scroll_to(at.y);
                FormReply::Handled
            }
            MouseKind::Down(Button::Left) => {
                self.held = None;
                let before = self.pressed.take().filter(|(cell, ..)| *cell == at);
                let hit = self.spots.iter().find(|spot| spot.area.contains(at));
                let Some((row, target, area)) = hit.map(|spot| (spot.row, spot.target, spot.area))
                else {
                    return FormReply::Handled;
                };
                let under = self.fields.get(row).map(|field| (field.pointer.clone(), field.part));
                // What the press before has brought under the pointer was not meant by this one.
                let is_other = before.is_some_and(|(_, id, what)| {
                    Some(&id) != under.as_ref() || what != discriminant_of(target)
                });
                if is_other && changes_value(target) {
                    return FormReply::Handled;
                }
                self.pressed = under.map(|id| (at, id, discriminant_of(target)));
                self.handle_press(row, target, at.x - area.x, area.as_position())
            }
            MouseKind::Double(Button::Left) if self.held == Some(DragTarget::Widget) => {
                if let Some(editor) = &mut self.editor {
                    editor.select_word();
                }
                FormReply::Handled
            }
            // What can be done is asked of what is under the pointer.
            MouseKind::Down(Button::Right) => {
                match self.spots.iter().find(|spot| spot.area.contains(at)).map(|spot| spot.row) {
                    Some(row) if self.focused_row() != Some(row) => self.turn_to(row),
                    _ => FormReply::Ignored,
                }
            }
            _ => FormReply::Ignored,
        }
    }

    /// The wheel moves in what is open below a field, in the text of one, else in the form.
    fn handle_wheel(&mut self, at: Position, notches: i16) {
        self.pressed = None;
        let by = isize::from(notches).saturating_mul(3);
        let over = self.spots.iter().find(|spot| spot.area.contains(at));
        let is_editor = over.is_some_and(|spot| {
            Some(spot.row) == self.focused_row() && matches!(spot.target, Target::Widget(_))
        });
        if is_editor && self.editor.as_mut().is_some_and(|editor| editor.handle_wheel(by)) {
            return;
        }
        if is_editor && self.editor.as_ref().is_some_and(|editor| editor.is_open()) {
            let key = Input::Key(Key::plain(if notches < 0 { Code::Up } else { Code::Down }));
            for _ in 0..notches.unsigned_abs() {
                self.ask_editor(|editor, cell| editor.handle_input(cell, &key));
            }
            return;
        }
        let by = usize::from(notches.unsigned_abs()) * NOTCH;
        let most = self.lines.line_count().saturating_sub(usize::from(self.area.height));
        self.scroll =
            if notches < 0 { self.scroll.saturating_sub(by) } else { (self.scroll + by).min(most) };
        self.follow = false;
    }

    /// Whether the bar is there, which is beside all rows.
    fn is_scroll_bar(&self, at: Position) -> bool {
        self.has_scroll_bar() && at.x + 1 == self.area.right()
    }

    /// Shows the part of the form that lies as far down as that row of the bar.
    fn scroll_to(&mut self, row: u16) {
        let last = usize::from(self.area.height.saturating_sub(1)).max(1);
        let most = self.lines.line_count().saturating_sub(usize::from(self.area.height));
        let down = usize::from(row.saturating_sub(self.area.y)).min(last);
        self.scroll = (down * most + last / 2) / last;
        self.follow = false;
    }

    fn handle_press(
        &mut self,
        row: usize,
        target: Target,
        across: u16,
        corner: Position,
    ) -> FormReply {
        let Some(field) = self.fields.get(row) else { return FormReply::Handled };
        let id = (field.pointer.clone(), field.part);
        let is_item = matches!(field.role, Role::Item { .. }) && field.part.is_value();
        let is_entry = matches!(field.role, Role::Entry { .. }) && field.part.is_value();
        let on_label = corner.x + across < self.area.x + self.columns.widget;
        let was_here = self.focus == id;
        let mut left = FormReply::Handled;
        if !was_here {
            left = self.turn_to(row);
            if self.focus != id {
                return left;
            }
        }
        self.resting = false;
        let reply = match target {
            Target::Row if is_item => {
                self.held = Some(DragTarget::Item { at: id.0.clone(), to: id.0 });
                FormReply::Handled
            }
            // A second press on a name that the user gave is to change it.
            Target::Row if is_entry && was_here && on_label => self.handle_action("rename-member"),
            Target::Row => FormReply::Handled,
            Target::Widget(click @ (Click::At { .. } | Click::Letter { .. } | Click::Item(_))) => {
                self.held = Some(DragTarget::Widget);
                self.handle_click(match click {
                    Click::At { line, column } => Click::At { line, column: column + across },
                    Click::Letter { letters, .. } => Click::Letter { letters, cells: across },
                    other => other,
                })
            }
            Target::Widget(Click::Pick(number)) if self.lists_templates() => {
                self.take_template(number)
            }
            Target::Widget(click) => self.handle_click(click),
            Target::Earlier => self.handle_action("move-up"),
            Target::Later => self.handle_action("move-down"),
            Target::Duplicate => self.handle_action("duplicate-item"),
            Target::Remove => self.handle_action("remove-value"),
            Target::Fix(note) => FormReply::Fix(note),
            Target::Help => self.handle_action("field-help"),
        };
        left.merge_with(reply)
    }

    fn handle_click(&mut self, click: Click) -> FormReply {
        self.ensure_editor();
        let answer = self.ask_editor(|editor, cell| editor.handle_click(cell, click));
        let reply = self.handle_answer(answer);
        // The cursor may be in another text, or out of a template.
        self.offer_templates();
        reply
    }

    /// What the text that has the cursor makes of a chord.
    fn ask_text(&mut self, chord: char) -> Answer {
        let chord = Input::Key(Key::ctrl(chord));
        self.ask_editor(|editor, cell| editor.handle_input(cell, &chord))
    }

    fn handle_drag(&mut self, mouse: Mouse) -> FormReply {
        match self.held.clone() {
            None => FormReply::Ignored,
            Some(DragTarget::ScrollBar) => {
                self.scroll_to(mouse.row);
                FormReply::Handled
            }
            Some(DragTarget::Widget) => {
                let (line, column) = self.in_widget(mouse);
                let answer = self.ask_editor(|editor, cell| editor.handle_drag(cell, line, column));
                if answer == Answer::Ignored {
                    FormReply::Handled
                } else {
                    self.handle_answer(answer)
                }
            }
            Some(DragTarget::Item { at, .. }) => {
                let to = self.item_under(mouse, &at).unwrap_or_else(|| at.clone());
                self.held = Some(DragTarget::Item { at, to });
                FormReply::Handled
            }
        }
    }

    /// Where the mouse is, counted from the corner of the focused row's widget.
    fn in_widget(&self, mouse: Mouse) -> (i32, i32) {
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX / 2);
        let start = self.focused_row().map_or(0, |row| self.lines.line_range(row).start);
        let top = i32::from(self.area.y) + count(start) - count(self.scroll);
        let left = i32::from(self.area.x) + i32::from(self.columns.widget);
        (i32::from(mouse.row) - top, i32::from(mouse.column) - left)
    }

    /// The item of the same list that lies under the mouse.
    fn item_under(&self, mouse: Mouse, at: &Pointer) -> Option<Pointer> {
        let list = at.parent()?;
        let x = mouse.column.clamp(self.area.left(), self.area.right().saturating_sub(1));
        let place = Position { x, y: mouse.row };
        let row = self.spots.iter().find(|spot| spot.area.contains(place))?.row;
        let index =
            self.fields.get(row)?.pointer.strip_prefix(&list)?.tokens().first()?.parse().ok()?;
        Some(list.item(index))
    }

    /// What was dragged stays where it is now.
    fn drop_held(&mut self) -> FormReply {
        match self.held.take() {
            Some(DragTarget::Item { at, to }) if at != to => {
                let Some(to) = to.last_index() else { return FormReply::Handled };
                self.commit_edits(vec![Edit::Move { at, to }])
            }
            Some(DragTarget::Widget) => match self.ask_text('c') {
                Answer::Copy { text, .. } => FormReply::Selected(text),
                _ => FormReply::Handled,
            },
            Some(_) => FormReply::Handled,
            None => FormReply::Ignored,
        }
    }
}
