//! What a pane needs to draw itself beside the facts.

use crate::{app::state::State, ui::styles::Styles};

#[derive(Clone, Copy)]
pub struct Scene<'s> {
    pub styles: &'s Styles,
    pub state: &'s State,
    /// Whether the pane has the keys.
    pub focused: bool,
}
