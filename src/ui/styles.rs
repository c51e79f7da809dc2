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

/// The nearest of the colours 16 to 255: a cube of 6 × 6 × 6, and 24 greys.
fn nearest_index(colour: Color) -> Color {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let Color::Rgb(red, green, blue) = colour else { return colour };
    let far = |[r, g, b]: [u8; 3]| {
        let part = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        part(r, red) + part(g, green) + part(b, blue)
    };
    let cube = (0..216_u8).map(|row| {
        let step = |of: u8| STEPS[usize::from(of % 6)];
        (16 + row, [step(row / 36), step(row / 6), step(row)])
    });
    let greys = (0..24_u8).map(|row| (232 + row, [8 + 10 * row; 3]));
    let nearest = cube.chain(greys).min_by_key(|(_, parts)| far(*parts));
    nearest.map_or(colour, |(index, _)| Color::Indexed(index))
}

impl std::ops::Index<Role> for Styles {
    type Output = Style;

    fn index(&self, role: Role) -> &Style {
        &self.styles[role as usize]
    }
}
