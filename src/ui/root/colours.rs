//! The theme that is shown, in the colours that may be used.

use crate::ui::{
    styles::Styles,
    theme::{self, Theme},
};

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Allowed,
    /// Only those that have numbers: the terminal doesn't say that it knows others.
    Indexed,
    /// `NO_COLOR` is set.
    Forbidden,
}

/// The themes that there are, and the styles of the one that is shown.
pub(super) struct Colours {
    themes: Vec<Theme>,
    colour: Colour,
    /// The name of the theme that they are of.
    styles: (String, Styles),
}

impl Colours {
    pub fn new(themes: Vec<Theme>, colour: Colour) -> Self {
        Self { themes, colour, styles: (String::new(), Theme::default().styles) }
    }

    /// The styles of the theme of that name.
    pub fn styles_of(&mut self, theme: &str) -> Styles {
        if self.styles.0 != theme {
            let styles = theme::styles_named(&self.themes, theme);
            let styles = match self.colour {
                Colour::Allowed => styles,
                Colour::Indexed => styles.indexed(),
                Colour::Forbidden => styles.without_colour(),
            };
            self.styles = (theme.to_owned(), styles);
        }
        self.styles.1.clone()
    }
}
