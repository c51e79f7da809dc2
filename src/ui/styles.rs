//! What a piece of the screen is, and how the chosen theme shows it. Views ask for roles, never for
//! colours.

use ratatui::style::{Color, Modifier, Style};

macro_rules! roles {
    ($($role:ident $name:literal $what:literal;)*) => {
        /// What a piece of the screen is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role { $(#[doc = $what] $role),* }

        /// Every role with its name in theme files.
        pub const ROLES: &[(Role, &str)] = &[$((Role::$role, $name)),*];
    };
}

roles! {
    Text "text" "Plain text.";
    Dim "dim" "What matters less: units, help, keys' words.";
    Ghost "ghost" "What is not there: a default, a placeholder.";
    Title "title" "A pane's name.";
    Border "border" "The edge of a pane.";
    BorderFocus "border-focus" "The edge of the pane that has the keys.";
    Accent "accent" "The one thing to look at.";
    Selected "selected" "The row that the keys act on, in the focused pane.";
    SelectedDim "selected-dim" "The chosen row of a pane without the keys.";
    Field "field" "The place where text can be typed.";
    FieldFocus "field-focus" "The same with the keys.";
    Cursor "cursor" "The cell where the next letter goes.";
    Chip "chip" "One item of a list of texts.";
    Key "key" "A key's name.";
    Label "label" "A field's name.";
    Heading "heading" "A heading inside a list.";
    Success "success" "It worked.";
    Warning "warning" "It may be wrong.";
    Error "error" "It is wrong, or failed.";
    Info "info" "Good to know.";
    Available "available" "A tool that the request can use.";
    Hidden "hidden" "A tool that it cannot use.";
    State "state" "A state.";
    StateCurrent "state-current" "The state of the run.";
    StateDim "state-dim" "A state that cannot be reached.";
    Transition "transition" "An arrow.";
    Changed "changed" "A line that saving changes.";
    Added "added" "A line that saving adds.";
    Removed "removed" "A line that saving takes away.";
    Match "match" "What was searched for.";
    SyntaxKey "syntax-key" "A key in JSON or YAML.";
    SyntaxText "syntax-text" "A text in JSON or YAML.";
    SyntaxNumber "syntax-number" "A number, true, false, null.";
    SyntaxComment "syntax-comment" "A comment.";
    LineNumber "line-number" "A line's number.";
    Bar "bar" "The top and the bottom line.";
    BarActive "bar-active" "The screen that is shown.";
    BadgeNav "badge-nav" "NAV, at the left of the bottom line.";
    BadgeEdit "badge-edit" "EDIT, there.";
    Button "button" "The main act of a screen, to press.";
    Overlay "overlay" "What lies over the screen.";
    Mark "mark" "A control character that a service sent, shown as a sign.";
    FromRequest "from-request" "Part of a filled-in template: what the request gives.";
    FromTool "from-tool" "Part of it: what the tool itself says.";
    FromDefault "from-default" "Part of it: a default of the template.";
    FromOutput "from-output" "Part of it: what an earlier step stored.";
    FromEnvironment "from-environment" "Part of it: a variable or a credential, filled in later.";
    Unfilled "unfilled" "A placeholder to which nothing gives a value.";
}

/// A theme made ready: one style for each role.
#[derive(Clone, Debug, PartialEq)]
pub struct Styles {
    styles: [Style; ROLES.len()],
}

impl Styles {
    /// The styles that `of` gives.
    pub fn new(of: impl FnMut(Role) -> Style) -> Self {
        let mut of = of;
        let mut styles = [Style::default(); ROLES.len()];
        for (style, (role, _)) in styles.iter_mut().zip(ROLES) {
            *style = of(*role);
        }
        Self { styles }
    }

    #[must_use]
    pub fn role_style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The same in the 256 colours that terminals have by number.
    #[must_use]
    pub fn indexed(&self) -> Self {
        Self::new(|role| {
            let style = self.role_style(role);
            Style { fg: style.fg.map(nearest_index), bg: style.bg.map(nearest_index), ..style }
        })
    }

    /// Whether there are no colours.
    #[must_use]
    pub fn is_colourless(&self) -> bool {
        self.styles.iter().all(|style| style.fg.is_none() && style.bg.is_none())
    }

    /// The same without any colour: what colours said is said by reversed and underlined cells.
    #[must_use]
    pub fn without_colour(&self) -> Self {
        Self::new(|role| {
            let style =
                Style { fg: None, bg: None, underline_color: None, ..self.role_style(role) };
            match role {
                Role::Selected | Role::Cursor | Role::Match | Role::Mark | Role::StateCurrent => {
                    style.add_modifier(Modifier::REVERSED)
                }
                Role::FieldFocus | Role::BarActive | Role::FromRequest | Role::FromOutput => {
                    style.add_modifier(Modifier::UNDERLINED)
                }
                Role::Unfilled | Role::BadgeEdit => style.add_modifier(Modifier::REVERSED),
                _ => style,
            }
        })
    }
}

/// What red, green and blue of the colours 16 to 231 may be: a cube of 6 × 6 × 6.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Red, green and blue of a colour; `None` where the terminal's user chooses them.
#[must_use]
pub(crate) fn colour_parts(colour: Color) -> Option<[u8; 3]> {
    match colour {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(index @ 16..=231) => {
            let step = |of: u8| STEPS[usize::from(of % 6)];
            let row = index - 16;
            Some([step(row / 36), step(row / 6), step(row)])
        }
        Color::Indexed(index @ 232..) => Some([8 + 10 * (index - 232); 3]),
        _ => None,
    }
}

/// The nearest of the colours 16 to 255: the cube, and 24 greys.
#[must_use]
pub(crate) fn nearest_index(colour: Color) -> Color {
    let Color::Rgb(red, green, blue) = colour else { return colour };
    let step = |part: u8| {
        let far = |step: &u8| STEPS[usize::from(*step)].abs_diff(part);
        (0..6_u8).min_by_key(far).unwrap_or(0)
    };
    let cube = 16 + 36 * step(red) + 6 * step(green) + step(blue);
    let far = |index: &u8| {
        let parts = colour_parts(Color::Indexed(*index)).unwrap_or_default();
        let wanted = [red, green, blue];
        let part = |at: usize| u32::from(parts[at].abs_diff(wanted[at])).pow(2);
        part(0) + part(1) + part(2)
    };
    let nearest = std::iter::once(cube).chain(232..=255).min_by_key(far);
    Color::Indexed(nearest.unwrap_or(cube))
}

impl std::ops::Index<Role> for Styles {
    type Output = Style;

    fn index(&self, role: Role) -> &Style {
        &self.styles[role as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_colour_by_number_is_nearer_than_the_one_chosen(wanted: [u8; 3]) {
            let far = |colour: Color| {
                let parts = colour_parts(colour).unwrap();
                parts.iter().zip(wanted).map(|(part, of)| u32::from(part.abs_diff(of)).pow(2)).sum::<u32>()
            };
            let chosen = far(nearest_index(Color::Rgb(wanted[0], wanted[1], wanted[2])));
            let nearest = (16..=255).map(|index| far(Color::Indexed(index))).min();
            prop_assert_eq!(Some(chosen), nearest);
        }
    }
}
