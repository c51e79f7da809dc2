//! Lays a diagram out: the steps, one after another.

use super::{
    diagram::Diagram,
    items::Items,
    order,
    picture::{BoxPosition, KeptLayout, Picture},
    place, rank, route,
};

/// The least gap from the top down.
pub const LEAST_GAP: usize = 2;

impl Diagram {
    /// Lays the diagram out, by itself alone.
    #[must_use]
    pub fn layout(&self) -> Picture {
        self.layout_after(&[], KeptLayout::Order)
    }

    /// Lays the diagram out so that boxes stay about where they were: `earlier` is where each
    /// stood, `None` for a new one. Boxes keep their layers as far as the arrows allow, their order
    /// unless another has far fewer crossings, and their places if `held` says so.
    #[must_use]
    pub fn layout_after(&self, earlier: &[Option<BoxPosition>], held: KeptLayout) -> Picture {
        self.layout_apart(earlier, held, LEAST_GAP)
    }

    /// The same; from the top down, so many cells are at least between things beside each
    /// other.
    #[must_use]
    pub fn layout_apart(
        &self,
        earlier: &[Option<BoxPosition>],
        held: KeptLayout,
        gap: usize,
    ) -> Picture {
        if self.boxes.is_empty() {
            return Picture::default();
        }
        let ranks = rank::rank_boxes(self, earlier);
        let mut items = Items::new(self, &ranks, gap);
        order::reduce_crossings(&mut items, earlier);
        items.set_ports();
        place::place_across(&mut items, if held == KeptLayout::Places { earlier } else { &[] });
        route::build_picture(self, &items)
    }
}
