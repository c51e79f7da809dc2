//! What the top and bottom line say beside keys and screens: the form program's title, the notice
//! or the findings.

use ratatui::{
    Frame,
    buffer::{Buffer, Cell},
    layout::{Position, Rect},
    style::Style,
};

use crate::{
    app::{
        actions::{Action, ActionId, Scope},
        form_file::FormFile,
        input::{Code, Input, Key, Mouse, MouseKind},
        keymap::Keymap,
        message::ScreenId,
        state::{LoadProgress, State},
    },
    schema::count::count_text,
    ui::{
        canvas::{self, Pen},
        form::view::Form,
        overlays::notices,
        styles::{Role, Styles},
        view::{Reply, Screen},
    },
};

/// At most so many screens are named where a key does something.
const NAMED: usize = 3;

/// So many cells of the bottom line stay free of a note: for the mode and the way to help.
const BESIDE: usize = 22;

/// The most lines that a note takes of a screen.
const LONG_NOTE: u16 = 4;

/// A role's style on the ground of the top and bottom line.
pub(super) fn on_bar(styles: &Styles, role: Role) -> Style {
    styles[role].patch(Style { bg: styles[Role::Bar].bg, ..Style::default() })
}

/// What is said where nothing else fits.
pub(super) fn draw_too_small(
    frame: &mut Frame<'_>,
    least: (u16, u16),
    styles: &Styles,
    is_asking: bool,
) {
    let area = frame.area();
    let way_out = match is_asking {
        true => "Enlarge the terminal to answer a question.",
        false => "Enlarge the terminal, or press q to quit; `toolcrib --plain` works at any size.",
    };
    let words = format!(
        "toolcrib needs {} × {} cells; there are {} × {}. {way_out}",
        least.0, least.1, area.width, area.height
    );
    for (row, line) in (0..area.height).zip(canvas::wrap(&words, usize::from(area.width))) {
        Pen::new(frame.buffer_mut(), area, row).put_text(&line, styles[Role::Warning]);
    }
}

/// Whether an input leaves the program where nothing is seen of what another would do.
pub(super) fn is_way_out(input: &Input) -> bool {
    let leaves =
        |key: &Key| key.typed_char() == Some('q') || key.mods.ctrl && key.code == Code::Char('c');
    matches!(input, Input::Key(key) if leaves(key))
}

/// The top line of the form program: the schema, and where the document goes.
pub(super) fn draw_form_top(
    frame: &mut Frame<'_>,
    line: Rect,
    styles: &Styles,
    form: &FormFile,
    state: &State,
) {
    let bar = styles[Role::Bar];
    let changed =
        if state.documents.get(&form.file).is_some_and(|document| document.text != form.before) {
            "*"
        } else {
            ""
        };
    let words = format!(
        "{} → {}{changed}",
        canvas::visible_text(&form.title),
        canvas::visible_text(&form.target)
    );
    let mut pen = Pen::new(frame.buffer_mut(), line, 0);
    pen.fill_rest(bar)
        .move_to(line, 0)
        .put_text(" toolcrib form", styles[Role::BarActive])
        .put_text(" · ", bar)
        .put_text(&words, bar);
}

/// What a press on the note does: a count of problems leads to them, on the screen that lists them.
pub(super) fn note_action(state: &State) -> Option<ActionId> {
    let counts = state.findings.error_count() + state.findings.warning_count();
    let is_count = state.notices.current().is_none() && state.reading == LoadProgress::Done;
    (is_count && counts > 0 && state.screen == ScreenId::Tools).then_some("next-problem")
}

/// The note at the right of the bottom line, in parts of one role each.
pub(super) fn bottom_note(in_edit: bool, state: &State) -> Vec<(Role, String)> {
    if let Some(notice) = state.notices.current() {
        let text =
            if in_edit { words_in_edit(&notice.text, &state.keymap) } else { notice.text.clone() };
        return vec![(notices::notice_role(notice), text)];
    }
    if let LoadProgress::UnderWay(files) = state.reading {
        return vec![(Role::Info, format!("reading … {files} files"))];
    }
    let (errors, warnings) = (state.findings.error_count(), state.findings.warning_count());
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push((Role::Error, format!("✗ {}", count_text(errors, "error", "errors"))));
    }
    if warnings > 0 {
        parts.push((Role::Warning, format!("⚠ {}", count_text(warnings, "warning", "warnings"))));
    }
    parts
}

/// What a notice says where letters are text: the keys that it names have to work there.
fn words_in_edit(text: &str, keymap: &Keymap) -> String {
    let acts = [("undo", "undoes"), ("save", "saves"), ("save-all", "saves")];
    acts.into_iter().fold(text.to_owned(), |text, (action, does)| {
        let named = format!("{} {does}", keymap.display_key(action));
        let key = keymap.keys_for(action).iter().find(|key| key.typed_char().is_none());
        let key = key.map_or_else(|| format!("Esc, then {named}"), |key| format!("{key} {does}"));
        // What is behind a plus is a key with Ctrl already.
        let begins = |at: usize| {
            !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '+')
        };
        match text.find(&named).filter(|at| begins(*at) && !named.starts_with(' ')) {
            Some(at) => format!("{}{key}{}", &text[..at], &text[at + named.len()..]),
            None => text,
        }
    })
}

/// How many cells of the bottom line the note takes; `None`: it is too long for the line.
pub(super) fn note_cells(note: &[(Role, String)], line: Rect) -> Option<usize> {
    let cells = note.iter().map(|(_, words)| canvas::text_width(words) + 1).sum();
    (cells + BESIDE <= usize::from(line.width)).then_some(cells)
}

/// Puts a note of so many cells at the right end of the bottom line.
pub(super) fn put_note(pen: &mut Pen<'_>, note: &[(Role, String)], cells: usize, styles: &Styles) {
    pen.skip(u16::try_from(pen.remaining_cells().saturating_sub(cells)).unwrap_or(0));
    for (role, words) in note {
        pen.put_text(words, on_bar(styles, *role)).put_text(" ", styles[Role::Bar]);
    }
}

/// What undo does first: it takes back what is typed in the screen's form and is no value, and so
/// no edit yet.
pub(super) fn drop_draft(
    action: ActionId,
    screen: &mut dyn Screen,
    state: &State,
) -> Option<Reply> {
    if action != "undo" {
        return None;
    }
    match screen.ask_form(&mut Form::drop_draft, state) {
        Reply::Ignored => None,
        reply => Some(reply),
    }
}

/// Draws a note that the bottom line has no room for above the row `edge`; where.
pub(super) fn draw_long_note(
    buffer: &mut Buffer,
    (line, edge): (Rect, u16),
    note: &[(Role, String)],
    styles: &Styles,
) -> Rect {
    let wrap = |(role, words): &(Role, String)| {
        let lines = canvas::wrap(words, usize::from(line.width.saturating_sub(2)));
        lines.into_iter().map(|line| (*role, line)).collect::<Vec<_>>()
    };
    let lines: Vec<_> = note.iter().flat_map(wrap).collect();
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(LONG_NOTE).min(edge);
    let place = Rect { y: edge - rows, height: rows, ..line };
    for (row, (role, words)) in (0..rows).zip(&lines) {
        let style = on_bar(styles, *role);
        let cut = row + 1 == rows && usize::from(rows) < lines.len();
        Pen::new(buffer, place, row)
            .fill_rest(styles[Role::Bar])
            .move_to(place, 1)
            .put_text(words, style)
            .put_text(if cut { "…" } else { "" }, style);
    }
    place
}

/// The key of the bottom line that is pressed: a press there is that key.
pub(super) fn key_at(keys: &[(Rect, Key)], input: &Input) -> Option<Key> {
    let Input::Mouse(Mouse { kind: MouseKind::Down(_), column, row, .. }) = input else {
        return None;
    };
    let pressed = keys.iter().find(|(place, _)| place.contains((*column, *row).into()));
    pressed.map(|(_, key)| *key)
}

/// Puts the terminal's cursor where that of the text that is edited is drawn; answers the field
/// around it, as far as its row has one background.
pub(super) fn show_cursor(frame: &mut Frame<'_>, styles: &Styles) -> Option<Rect> {
    let buffer = frame.buffer_mut();
    let at = cursor_cell(buffer, styles)?;
    let background = |x: u16| buffer.cell((x, at.y)).map(|cell| cell.bg);
    let own = background(at.x + 1);
    let left = (0..at.x).rev().take_while(|x| background(*x) == own).last().unwrap_or(at.x);
    let right = (at.x + 1..buffer.area.width).take_while(|x| background(*x) == own).count();
    let width = at.x - left + 1 + u16::try_from(right).unwrap_or(0);
    frame.set_cursor_position(at);
    Some(Rect { x: left, y: at.y, width, height: 1 })
}

fn cursor_cell(buffer: &Buffer, styles: &Styles) -> Option<Position> {
    let cursor = styles[Role::Cursor];
    let is_cursor = |cell: &Cell| {
        cursor.bg.is_none_or(|bg| cell.bg == bg)
            && cursor.fg.is_none_or(|fg| cell.fg == fg)
            && cell.modifier.contains(cursor.add_modifier)
    };
    let at = buffer.content().iter().position(is_cursor)?;
    Some(buffer.pos_of(at).into())
}

/// A button at the foot of a pane.
pub(super) struct Button {
    pub action: ActionId,
    pub title: &'static str,
    pub usable: bool,
    /// Letters are text now.
    pub typing: bool,
}

/// Draws `[ Send F6 ]` at the foot of a pane; answers where it can be pressed.
pub(super) fn draw_button(
    buffer: &mut Buffer,
    pane: Rect,
    styles: &Styles,
    state: &State,
    &Button { action, title, usable, typing }: &Button,
) -> Option<(Rect, ActionId)> {
    let title = canvas::sentence_case(title);
    // A key that works now: where letters are text, it is none of them, and Esc ends the text.
    let works = |key: &&Key| !typing || key.typed_char().is_none() && key.code != Code::Esc;
    let key = state.keymap.keys_for(action).iter().find(works);
    let words = match key {
        Some(key) => format!("[ {title} {key} ]"),
        None => format!("[ {title} ]"),
    };
    let width = u16::try_from(canvas::text_width(&words)).unwrap_or(0);
    if pane.height < 2 || pane.width < width + 4 {
        return None;
    }
    let place = Rect::new(pane.x + 2, pane.bottom() - 1, width, 1);
    let role = if usable { Role::Button } else { Role::Ghost };
    Pen::new(buffer, place, 0).put_text(&words, styles[role]);
    Some((place, action))
}

/// Why a key does nothing where the keys are in these scopes: where else it does something.
pub(super) fn idle_key(key: Key, scopes: &[Scope], state: &State) -> String {
    let keymap = &state.keymap;
    let help = keymap.display_key("help");
    let screen = |scope: Scope| scope.title().split(" · ").next().unwrap_or_default();
    let here: Vec<&str> = scopes.iter().map(|scope| screen(*scope)).collect();
    let of_key = |action: &&&Action| keymap.keys_for(action.id).contains(&key);
    let actions: Vec<&&Action> = keymap.actions().iter().filter(of_key).collect();
    let near = actions.iter().find(|action| here.contains(&screen(action.scope)));
    if let Some(action) = near {
        return format!(
            "{key}: {} works in {}, not in this pane",
            action.title,
            action.scope.title()
        );
    }
    // What a list's button shows, though it is no key.
    if key.is_plain(Code::Char('+')) && scopes.contains(&Scope::Form) {
        return format!(
            "{key} does nothing here; {} adds to a list",
            keymap.display_key("add-item")
        );
    }
    // The program that is a form has no screens; from a screen nothing leads into that program.
    let is_elsewhere = |action: &&&&Action| {
        state.form.is_none() && !matches!(action.scope, Scope::FormFile | Scope::Tour)
    };
    let mut screens: Vec<(&str, Vec<&str>)> = Vec::new();
    for action in actions.iter().filter(is_elsewhere) {
        let name = screen(action.scope);
        match screens.iter_mut().find(|(known, _)| *known == name) {
            Some((_, titles)) => titles.push(action.title),
            None => screens.push((name, vec![action.title])),
        }
    }
    let words: Vec<String> =
        screens.iter().map(|(name, titles)| format!("{name} ({})", titles.join(", "))).collect();
    // Enter does too many things for their names to help.
    match (1..=NAMED).contains(&words.len()) && !key.is_plain(Code::Enter) {
        true => format!("{key} does nothing here, only in {}", words.join(", ")),
        false => format!("{key} does nothing in this pane; {help} lists the keys that work"),
    }
}

/// Where the movement keys that are letters lead.
pub(super) fn movement(key: Key) -> Option<Code> {
    [('h', Code::Left), ('j', Code::Down), ('k', Code::Up), ('l', Code::Right)]
        .into_iter()
        .find_map(|(letter, code)| key.is_plain(Code::Char(letter)).then_some(code))
}
