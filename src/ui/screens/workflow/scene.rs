//! What a pane needs to draw itself beside the facts.

use ratatui::style::Style;

use crate::{
    app::state::State,
    ui::styles::{Role, Styles},
};

#[derive(Clone, Copy)]
pub(crate) struct Scene<'s> {
    pub styles: &'s Styles,
    pub state: &'s State,
    /// Whether the pane has the keys.
    pub focused: bool,
}

/// What is below a row: nothing, or the cursor.
#[derive(Clone, Copy)]
pub(crate) struct RowBackground<'s> {
    styles: &'s Styles,
    cursor: Option<Role>,
}

impl<'s> Scene<'s> {
    /// The ground of a row; `chosen`: the cursor is on it.
    pub fn row_background(&self, chosen: bool) -> RowBackground<'s> {
        let role = if self.focused { Role::Selected } else { Role::SelectedDim };
        RowBackground { styles: self.styles, cursor: chosen.then_some(role) }
    }
}

impl RowBackground<'_> {
    /// How a role looks on it: under the keys all of a row looks the same.
    pub fn role_style(&self, role: Role) -> Style {
        match self.cursor {
            None => self.styles[role],
            Some(Role::Selected) => self.styles[Role::Selected],
            Some(dim) => {
                self.styles[role].patch(Style { bg: self.styles[dim].bg, ..Style::default() })
            }
        }
    }
}
