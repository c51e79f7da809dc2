//! Themes: TOML files that name a palette and give each role its colours.

use ratatui::style::{Color, Modifier, Style};
use serde_json::{Map, Value};

use super::styles::{ROLES, Styles};
use crate::{
    engine::workflow::similar,
    schema::pointer::Pointer,
    syntax::source::{Format, Source},
};

/// The themes that are built in, by name and text; the first is the default.
pub(crate) const BUILT_IN: &[(&str, &str)] = &[
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("contrast", include_str!("../../themes/contrast.toml")),
    (SIXTEEN, include_str!("../../themes/sixteen.toml")),
];

/// The theme of sixteen colours.
const SIXTEEN: &str = "sixteen";

/// What the names of terminals say that have more than sixteen colours.
const MANY_COLOURS: &[&str] =
    &["256", "direct", "truecolor", "kitty", "alacritty", "foot", "ghostty", "wezterm", "contour"];
/// Those of them that have any colour.
const DIRECT: &[&str] = MANY_COLOURS.split_at(1).1;

/// The theme for a terminal with these values of `TERM` and `COLORTERM`; `None` where it has enough
/// colours for any theme, or says nothing about them.
#[must_use]
pub fn terminal_theme(term: Option<&str>, colorterm: Option<&str>) -> Option<&'static str> {
    let term = term.filter(|term| !term.is_empty())?;
    let has_many = colorterm.is_some_and(|word| !word.is_empty())
        || MANY_COLOURS.iter().any(|word| term.contains(word));
    (!has_many).then_some(SIXTEEN)
}

/// Whether a terminal with these values of `TERM` and `COLORTERM` may know no more than 256 colours.
#[must_use]
pub fn has_numbered_colours(term: Option<&str>, colorterm: Option<&str>) -> bool {
    let is_direct = || term.is_some_and(|term| DIRECT.iter().any(|word| term.contains(word)));
    term.is_some_and(|term| term.contains("256"))
        && colorterm.is_none_or(str::is_empty)
        && !is_direct()
}

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: String,
    pub styles: Styles,
}

/// The styles of the theme with that name: one of the user's, or one that is built in, which is read
/// now: reading all of them would hold the first picture up. Where there is none, of the default.
#[must_use]
pub(crate) fn styles_named(users: &[Theme], name: &str) -> Styles {
    if let Some(theme) = users.iter().find(|theme| theme.name == name) {
        return theme.styles.clone();
    }
    let named = BUILT_IN.iter().find(|(known, _)| *known == name).or_else(|| BUILT_IN.first());
    named.and_then(|(name, text)| parse(name, text).ok()).unwrap_or_default().styles
}

impl Default for Theme {
    fn default() -> Self {
        Self { name: "plain".into(), styles: Styles::new(|_| Style::default()) }
    }
}

/// The user's themes by their texts. What is wrong in one is reported in words; that theme is left
/// out.
#[must_use]
pub(crate) fn users_themes(texts: &[(String, String)]) -> (Vec<Theme>, Vec<String>) {
    let (mut themes, mut complaints) = (Vec::new(), Vec::new());
    for (name, text) in texts {
        match parse_own(name, text) {
            Ok(theme) => themes.push(theme),
            Err(complaint) => complaints.push(complaint),
        }
    }
    (themes, complaints)
}

/// The names of the themes that can be chosen: the built-in ones, then the user's (a name taken again
/// replaces).
#[must_use]
pub(crate) fn theme_names(users: &[Theme]) -> Vec<String> {
    let is_new = |name: &&str| !BUILT_IN.iter().any(|(known, _)| known == name);
    let own = users.iter().map(|theme| theme.name.as_str()).filter(is_new);
    BUILT_IN.iter().map(|(name, _)| *name).chain(own).map(str::to_owned).collect()
}

/// The same themes with their styles, and what is wrong in the user's.
#[must_use]
pub fn available_themes(users: &[(String, String)]) -> (Vec<Theme>, Vec<String>) {
    let (own, complaints) = users_themes(users);
    let theme = |name: String| Theme { styles: styles_named(&own, &name), name };
    (theme_names(&own).into_iter().map(theme).collect(), complaints)
}

/// Reads a theme of the user's, which says only what differs from a built-in one: the one that `base`
/// names, or else the first.
pub(crate) fn parse_own(name: &str, text: &str) -> Result<Theme, String> {
    let own = ThemeText::parse(name, text)?;
    if let Some(key) = own.table.keys().find(|key| !["base", "palette", "roles"].contains(&&***key))
    {
        return Err(own.wrong(&[key], &format!("{key:?} is none of base, palette, roles")));
    }
    let names = || BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let base = match own.table.get("base") {
        None => BUILT_IN.first(),
        Some(base) => BUILT_IN.iter().find(|(name, _)| base.as_str() == Some(name)),
    };
    let Some((base, below)) = base else {
        return Err(own.wrong(&["base"], &format!("base must be one of {}", names())));
    };
    let below = ThemeText::parse(base, below)?;
    let of_both = |below: Map<String, Value>, own: &Map<String, Value>| {
        let own = own.iter().map(|(key, value)| (key.clone(), value.clone()));
        below.into_iter().chain(own).collect::<Map<_, _>>()
    };
    let (colours, own_roles) = (own.palette()?, own.roles()?);
    let (palette, roles) =
        (of_both(below.palette()?, &colours), of_both(below.roles()?, &own_roles));
    own.check_unused(&colours, &below.palette()?, &roles)?;
    own.style_roles(&palette, &roles)
}

/// Reads a theme: `[palette]` names colours (`#rrggbb`, one of the terminal's sixteen, or an
/// index), `[roles]` gives each role `fg`, `bg` and a list `is` of bold, dim, italic, underlined,
/// reversed.
pub(crate) fn parse(name: &str, text: &str) -> Result<Theme, String> {
    let read = ThemeText::parse(name, text)?;
    read.style_roles(&read.palette()?, &read.roles()?)
}

/// The text of a theme, for words about a place in it.
struct ThemeText<'t> {
    name: &'t str,
    source: Source,
    table: Map<String, Value>,
}

impl<'t> ThemeText<'t> {
    fn parse(name: &'t str, text: &str) -> Result<Self, String> {
        let source = Source::parse(Format::Toml, text);
        let source = source.map_err(|error| format!("theme {name}: {error}"))?;
        let table = source.value(0).and_then(|value| value.as_object().cloned());
        Ok(Self { name, source, table: table.unwrap_or_default() })
    }

    /// What is wrong at a place, with its line.
    fn wrong(&self, at: &[&str], what: &str) -> String {
        let place = self.source.find_place(0, &Pointer::from_iter(at.iter().copied()));
        let line = place.map_or_else(String::new, |place| format!("line {}: ", place.line));
        format!("theme {}: {line}{what}", self.name)
    }

    /// A table of the text; an empty one where there is none.
    fn section(&self, key: &str, example: &str) -> Result<Map<String, Value>, String> {
        match self.table.get(key) {
            None => Ok(Map::new()),
            Some(Value::Object(rows)) => Ok(rows.clone()),
            Some(_) => Err(self.wrong(&[key], &format!("{key} must be a table, as {example}"))),
        }
    }

    /// Its colours, each of which is one.
    fn palette(&self) -> Result<Map<String, Value>, String> {
        let colours =
            self.section("palette", "[palette] with lines such as accent = \"#88c0d0\"")?;
        for (name, colour) in &colours {
            parse_colour(colour, &Map::new())
                .map_err(|what| self.wrong(&["palette", name], &what))?;
        }
        Ok(colours)
    }

    /// Its roles, all of which there are.
    fn roles(&self) -> Result<Map<String, Value>, String> {
        let roles =
            self.section("roles", "[roles] with lines such as text = { fg = \"white\" }")?;
        match roles.keys().find(|role| !ROLES.iter().any(|(_, known)| known == role)) {
            Some(role) => Err(self.wrong(&["roles", role], &format!("there is no role {role:?}"))),
            None => Ok(roles),
        }
    }

    /// That no colour is one of the base's under a misspelt name. Others that no role uses may be
    /// there, as in palettes that are made for many programs.
    fn check_unused(
        &self,
        colours: &Map<String, Value>,
        known: &Map<String, Value>,
        roles: &Map<String, Value>,
    ) -> Result<(), String> {
        let is_used = |colour: &str| {
            let in_role = |role: &Value| {
                ["fg", "bg"]
                    .iter()
                    .any(|side| role.get(side).and_then(Value::as_str) == Some(colour))
            };
            roles.values().any(in_role)
        };
        // `bg` and `bg2` are two of a row.
        let series = |name: &str| name.trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
        for colour in colours.keys().filter(|colour| !is_used(colour)) {
            let near = similar::nearest_name(colour, known.keys().map(String::as_str));
            let is_slip = |near: &&str| {
                !colours.contains_key(*near) && colour[..series(colour)] != near[..series(near)]
            };
            if let Some(near) = near.filter(is_slip) {
                let words = format!("no role uses the colour {colour:?}; did you mean {near:?}?");
                return Err(self.wrong(&["palette", colour], &words));
            }
        }
        Ok(())
    }

    fn style_roles(
        &self,
        palette: &Map<String, Value>,
        roles: &Map<String, Value>,
    ) -> Result<Theme, String> {
        let mut failure = None;
        let styles = Styles::new(|role| {
            let role_name = ROLES[role as usize].1;
            let style = roles.get(role_name).map_or(Ok(Style::default()), |row| {
                parse_style(row, palette).map_err(|what| self.wrong(&["roles", role_name], &what))
            });
            style.unwrap_or_else(|wrong| {
                failure.get_or_insert(wrong);
                Style::default()
            })
        });
        failure.map_or(Ok(Theme { name: self.name.to_owned(), styles }), Err)
    }
}

fn parse_style(role: &Value, palette: &Map<String, Value>) -> Result<Style, String> {
    let Some(row) = role.as_object() else {
        return Err("a role is a table, as { fg = \"red\", is = [\"bold\"] }".to_owned());
    };
    let mut style = Style::default();
    for (key, value) in row {
        match key.as_str() {
            "fg" => style = style.fg(parse_colour(value, palette)?),
            "bg" => style = style.bg(parse_colour(value, palette)?),
            "is" => {
                let words = value.as_array().ok_or("is must be a list, as [\"bold\"]")?;
                for word in words {
                    style = style.add_modifier(parse_modifier(word)?);
                }
            }
            other => return Err(format!("{other:?} is none of fg, bg, is")),
        }
    }
    Ok(style)
}

fn parse_modifier(word: &Value) -> Result<Modifier, String> {
    match word.as_str() {
        Some("bold") => Ok(Modifier::BOLD),
        Some("dim") => Ok(Modifier::DIM),
        Some("italic") => Ok(Modifier::ITALIC),
        Some("underlined") => Ok(Modifier::UNDERLINED),
        Some("reversed") => Ok(Modifier::REVERSED),
        _ => Err(format!("{word} is none of bold, dim, italic, underlined, reversed")),
    }
}

fn parse_colour(value: &Value, palette: &Map<String, Value>) -> Result<Color, String> {
    let named = value.as_str().and_then(|name| palette.get(name)).unwrap_or(value);
    let text = named.as_str().map_or_else(|| named.to_string(), str::to_owned);
    text.parse()
        .map_err(|_| format!("{text:?} is no colour: write \"#rrggbb\", a name of the palette, \"lightblue\" or an index"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::styles::Role;

    #[test]
    fn built_in_themes_load_clean_and_style_every_role() {
        let (themes, complaints) = available_themes(&[]);
        assert_eq!(complaints, Vec::<String>::new());
        assert_eq!(themes.len(), BUILT_IN.len());
        for (name, text) in BUILT_IN {
            assert_eq!(parse(name, text).err(), None);
            for (_, role) in ROLES {
                assert!(text.contains(&format!("\n{role} = ")), "theme {name} leaves out {role}");
            }
        }
    }

    #[test]
    fn a_theme_of_the_users_replaces_the_one_of_its_name() {
        let text = |role: &str| format!("[roles]\ntext = {{ fg = \"{role}\" }}\n");
        let own =
            [("light", text("#ff0000")), ("mine", text("#0000ff")), ("broken", "x".to_owned())];
        let own = own.map(|(name, text)| (name.to_owned(), text));
        let (themes, complaints) = users_themes(&own);
        assert_eq!((themes.len(), complaints.len()), (2, 1));
        assert_eq!(theme_names(&themes), ["dark", "light", "contrast", "sixteen", "mine"]);
        let of_text = |name: &str| styles_named(&themes, name).role_style(Role::Text).fg;
        assert_eq!(
            (of_text("light"), of_text("mine")),
            (Some(Color::Rgb(255, 0, 0)), Some(Color::Rgb(0, 0, 255)))
        );
        assert_eq!(styles_named(&themes, "none"), styles_named(&[], "dark"));
        assert_ne!(styles_named(&[], "light"), styles_named(&[], "dark"));
    }

    #[test]
    fn a_terminal_of_few_colours_gets_the_theme_that_needs_no_more() {
        let few = ["linux", "xterm", "screen", "vt220"];
        for term in few {
            assert_eq!(terminal_theme(Some(term), None), Some("sixteen"), "{term}");
            assert_eq!(terminal_theme(Some(term), Some("truecolor")), None, "{term}");
        }
        for term in ["xterm-256color", "tmux-256color", "xterm-kitty", "xterm-direct", "foot"] {
            assert_eq!(terminal_theme(Some(term), None), None, "{term}");
        }
        assert_eq!(terminal_theme(None, None), None, "a system without TERM");
    }

    #[test]
    fn a_terminal_that_may_know_only_numbered_colours_gets_these() {
        for term in ["xterm-256color", "screen-256color", "tmux-256color"] {
            assert!(has_numbered_colours(Some(term), None), "{term}");
            assert!(has_numbered_colours(Some(term), Some("")), "{term}");
            assert!(!has_numbered_colours(Some(term), Some("truecolor")), "{term}");
        }
        for term in ["xterm-kitty", "foot", "xterm-direct", "alacritty", "linux"] {
            assert!(!has_numbered_colours(Some(term), None), "{term}");
        }
        assert!(!has_numbered_colours(None, None));
        for theme in available_themes(&[]).0 {
            let styles = theme.styles.indexed();
            for (role, name) in ROLES {
                let style = styles.role_style(*role);
                let is_rgb = |colour| matches!(colour, Some(Color::Rgb(..)));
                assert!(!is_rgb(style.fg) && !is_rgb(style.bg), "{}: {name}", theme.name);
            }
        }
        let indexed = |colour| {
            let styles = Styles::new(|_| Style::new().fg(colour)).indexed();
            styles.role_style(Role::Text).fg.unwrap()
        };
        assert_eq!(indexed(Color::Rgb(0xff, 0, 0)), Color::Indexed(196));
        assert_eq!(indexed(Color::Rgb(0x16, 0x18, 0x1d)), Color::Indexed(234));
        assert_eq!(indexed(Color::Red), Color::Red);
    }

    #[test]
    fn the_theme_of_sixteen_colours_has_a_background_of_its_own() {
        let themes = available_themes(&[]).0;
        let styles = styles_named(&themes, SIXTEEN);
        for role in
            [Role::Text, Role::Overlay, Role::Field, Role::FieldFocus, Role::Bar, Role::Chip]
        {
            let style = styles.role_style(role);
            assert!(style.bg.is_some_and(|bg| bg != Color::Reset), "{role:?}");
            assert!(style.fg.is_some_and(|fg| fg != Color::Reset), "{role:?}");
        }
    }

    #[test]
    fn a_wrong_theme_says_where() {
        let complaint = parse("mine", "[roles]\ntext = { fg = \"blurple\" }\n").unwrap_err();
        assert!(
            complaint.starts_with("theme mine: line 2: \"blurple\" is no colour"),
            "{complaint}"
        );
        let complaint = parse("mine", "[roles]\ntxt = { fg = \"red\" }\n").unwrap_err();
        assert_eq!(complaint, "theme mine: line 2: there is no role \"txt\"");
    }

    #[test]
    fn a_theme_of_the_users_says_only_what_differs() {
        let own = |text: &str| parse_own("mine", text).map(|theme| theme.styles);
        let (dark, light) = (&available_themes(&[]).0[0], &available_themes(&[]).0[1]);
        let red = own("[palette]\naccent = \"#ff0000\"\n").unwrap();
        assert_eq!(red.role_style(Role::Key).fg, Some(Color::Rgb(0xff, 0, 0)));
        assert_eq!(red.role_style(Role::Text), dark.styles.role_style(Role::Text));
        assert_eq!(own("base = \"light\"\n").unwrap(), light.styles);
        let role =
            own("[palette]\nmoss = \"#102010\"\n[roles]\ntext = { fg = \"moss\" }\n").unwrap();
        assert_eq!(role.role_style(Role::Text).fg, Some(Color::Rgb(0x10, 0x20, 0x10)));
        for (text, words) in [
            ("accent = 1\n", "theme mine: line 1: \"accent\" is none of base, palette, roles"),
            ("base = \"drak\"\n", "theme mine: line 1: base must be one of dark, light"),
            (
                "[palette]\naccnt = 1\n",
                "theme mine: line 2: no role uses the colour \"accnt\"; did you mean \"accent\"?",
            ),
            ("[palette]\naccent = \"blurple\"\n", "theme mine: line 2: \"blurple\" is no colour"),
            (
                "[palette]\nmine = \"blurple\"\n[roles]\ntext = { fg = \"mine\" }\n",
                "theme mine: line 2: \"blurple\" is no colour",
            ),
            ("palette = 5\n", "theme mine: line 1: palette must be a table, as [palette]"),
            ("base = \"dark\"\nroles = \"x\"\n", "theme mine: line 2: roles must be a table"),
            ("[roles]\n\ntext = \"red\"\n", "theme mine: line 3: a role is a table, as { fg"),
            (
                "[roles]\ntext = { is = \"bold\" }\n",
                "theme mine: line 2: is must be a list, as [\"bold\"]",
            ),
            ("[roles]\ntxt = { fg = \"red\" }\n", "theme mine: line 2: there is no role \"txt\""),
        ] {
            let said = own(text).unwrap_err();
            assert!(said.starts_with(words), "{said}");
        }
    }

    #[test]
    fn a_palette_may_have_more_colours_than_roles_use() {
        let text = "[palette]\nrosewater = \"#f5e0dc\"\noverlay0 = \"#6c7086\"\n\
                    accent = \"#f38ba8\"\naccents = \"#f38ba8\"\n";
        let styles = parse_own("mine", text).unwrap().styles;
        assert_eq!(styles.role_style(Role::Key).fg, Some(Color::Rgb(0xf3, 0x8b, 0xa8)));
    }

    #[test]
    fn without_colour_the_selected_row_still_stands_out() {
        for theme in available_themes(&[]).0 {
            let plain = theme.styles.without_colour();
            assert_ne!(
                plain.role_style(Role::Selected),
                plain.role_style(Role::Text),
                "theme {}",
                theme.name
            );
        }
    }

    /// Red, green and blue of a colour, as terminals have those with numbers.
    fn parts_of(colour: Color) -> [u8; 3] {
        let step = |of: u8| [0, 95, 135, 175, 215, 255][usize::from(of % 6)];
        match colour {
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Indexed(index @ 232..) => [8 + 10 * (index - 232); 3],
            Color::Indexed(index @ 16..) => {
                let row = index - 16;
                [step(row / 36), step(row / 6), step(row)]
            }
            other => panic!("{other} is no RGB colour"),
        }
    }

    /// The ratio of two colours as WCAG 2 counts it.
    fn contrast(a: Color, b: Color) -> f64 {
        let light = |colour| {
            let [red, green, blue] = parts_of(colour);
            let part = |value: u8| {
                let value = f64::from(value) / 255.0;
                if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
        };
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn everything_that_is_read_can_be_read() {
        let themes = available_themes(&[]).0.into_iter().filter(|theme| theme.name != "sixteen");
        let numbered = |theme: &Theme| {
            let name = format!("{} in 256 colours", theme.name);
            Theme { name, styles: theme.styles.indexed() }
        };
        for theme in themes.flat_map(|theme| [numbered(&theme), theme]) {
            let ground = theme.styles.role_style(Role::Text);
            for (role, name) in ROLES.iter().filter(|(role, _)| !matches!(role, Role::Border)) {
                let style = theme.styles.role_style(*role);
                let ratio =
                    contrast(style.fg.or(ground.fg).unwrap(), style.bg.or(ground.bg).unwrap());
                assert!(ratio >= 4.5, "theme {}: {name} has {ratio:.2} : 1", theme.name);
            }
            // A placeholder is read in the field that has the keys, too.
            let placeholder = theme.styles.role_style(Role::Ghost).fg.unwrap();
            let field = theme.styles.role_style(Role::FieldFocus).bg.unwrap();
            let ratio = contrast(placeholder, field);
            // The nearest numbers are a little off.
            let least = if theme.name.ends_with("256 colours") { 3.5 } else { 4.5 };
            assert!(ratio >= least, "theme {}: a placeholder has {ratio:.2} : 1", theme.name);
        }
    }

    /// The terminal's cursor goes to the cell that is drawn as the cursor.
    #[test]
    fn nothing_else_is_drawn_as_the_cursor() {
        for theme in available_themes(&[]).0 {
            let cursor = theme.styles.role_style(Role::Cursor);
            for (role, name) in ROLES.iter().filter(|(role, _)| *role != Role::Cursor) {
                let style = theme.styles.role_style(*role);
                let is_alike = (style.fg, style.bg) == (cursor.fg, cursor.bg);
                assert!(!is_alike, "theme {}: {name} has the cursor's colours", theme.name);
            }
        }
    }
}
