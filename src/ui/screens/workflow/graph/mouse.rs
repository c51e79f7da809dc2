//! The picture under the mouse: choosing, opening, dragging, zooming.

use super::super::facts::Facts;
use super::{
    hit_target::HitTarget,
    minimap,
    pane::{DragStart, Graph, Zoom},
};
use crate::{
    app::input::{Button, Mouse, MouseKind},
    engine::workflow::graph::Link,
    ui::view::Reply,
};

impl Graph {
    pub fn handle_mouse(&mut self, mouse: Mouse, facts: &Facts) -> Reply {
        let at = (mouse.column, mouse.row).into();
        match mouse.kind {
            MouseKind::Wheel(notches) if mouse.mods.ctrl => {
                self.zoom(if notches < 0 { Zoom::In } else { Zoom::Out })
            }
            MouseKind::Wheel(notches) if mouse.mods.shift => self.pan(i32::from(notches) * 4, 0),
            MouseKind::Wheel(notches) => self.pan(0, i32::from(notches) * 2),
            MouseKind::WheelSideways(notches) => self.pan(i32::from(notches) * 4, 0),
            MouseKind::Down(button) => {
                let pressed = self.buttons.iter().find(|(place, _)| place.contains(at));
                if let Some((_, press)) = pressed.copied() {
                    return press(self, facts);
                }
                if self.map_at.is_some_and(|map| map.contains(at)) {
                    self.held = Some(DragStart::Map);
                    return self.jump_on_map(mouse);
                }
                self.held = Some(DragStart::Picture(mouse.column, mouse.row));
                self.handle_press(mouse, button, facts)
            }
            MouseKind::Drag(_) => match self.held {
                Some(DragStart::Map) => self.jump_on_map(mouse),
                Some(DragStart::Picture(column, row)) => {
                    self.held = Some(DragStart::Picture(mouse.column, mouse.row));
                    self.pan(
                        i32::from(column) - i32::from(mouse.column),
                        i32::from(row) - i32::from(mouse.row),
                    )
                }
                None => Reply::Handled,
            },
            MouseKind::Double(_) => Reply::Handled,
            MouseKind::Up(_) => {
                self.held = None;
                Reply::Handled
            }
        }
    }

    /// A press chooses a state or an arrow; one with the right button, or a second one, opens it.
    fn handle_press(&mut self, mouse: Mouse, button: Button, facts: &Facts) -> Reply {
        let before = (self.selected.clone(), self.arrow.clone());
        match self.target_at(mouse.column, mouse.row) {
            Some(HitTarget::State(row)) => self.select(row, facts),
            Some(HitTarget::Folded(rows)) => self.select(rows[0], facts),
            Some(HitTarget::Edge(edge) | HitTarget::Label(edge)) => {
                self.press_link(edge.link, facts);
            }
            Some(HitTarget::Strand(edges)) => {
                edges.first().into_iter().for_each(|edge| self.press_link(edge.link, facts));
            }
            Some(HitTarget::Empty) | None => return Reply::Handled,
        }
        let again = before == (self.selected.clone(), self.arrow.clone());
        let can_open = self.arrow.is_some()
            || self.selected_state(facts).and_then(|row| self.laid.as_ref()?.box_of(row)).is_some();
        if button == Button::Right || again && can_open {
            // A press on something that cannot be opened only chooses it.
            if let Reply::Refused(_) = self.toggle_chosen(facts) {
                return Reply::Handled;
            }
        }
        Reply::Handled
    }

    /// Chooses an arrow with the state that it leaves; one from any state with that it leads to.
    fn press_link(&mut self, link: Link, facts: &Facts) {
        let (from, to) = link.end_states();
        from.or(to).into_iter().for_each(|state| self.select_link(link, state, facts));
    }

    fn jump_on_map(&mut self, mouse: Mouse) -> Reply {
        if let (Some(map), Some(laid)) = (self.map_at, &self.laid) {
            self.show_point(minimap::picture_point(laid, map, mouse.column, mouse.row));
        }
        Reply::Handled
    }
}
