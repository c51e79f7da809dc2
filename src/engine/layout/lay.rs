//! Lays a diagram out: the steps, one after another.

use super::{diagram::Diagram, items::Items, order, picture::Picture, place, rank, route};

impl Diagram {
    /// Lays the diagram out.
    #[must_use]
    pub fn layout(&self) -> Picture {
        if self.boxes.is_empty() {
            return Picture::default();
        }
        let ranks = rank::rank(self);
        let mut items = Items::new(self, &ranks);
        order::reduce_crossings(&mut items);
        items.set_ports();
        place::place_across(&mut items);
        route::draw(self, &items)
    }
}
