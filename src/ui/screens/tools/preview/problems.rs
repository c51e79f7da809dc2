//! The problems of the whole workspace, each with its place and its fix.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{super::dialogs, fixes};
use crate::{
    app::{
        input::{Code, Key, Mouse, MouseKind},
        state::{LoadProgress, State},
    },
    model::finding::{Finding, Severity},
    ui::{
        canvas::{Pen, wrap},
        styles::Role,
        view::{Look, Reply},
        widgets::{
            find_line::{FindKey, FindLine},
            list::ListCursor,
        },
    },
};

/// The list, of which what is typed behind `/` leaves those problems that have each word of it.
#[derive(Default)]
pub(super) struct Problems {
    cursor: ListCursor,
    find: FindLine,
    /// The rows of the findings that are listed, and what they were found by; none where all are.
    found: Option<(u64, String, Vec<usize>)>,
    /// What each line is, as drawn last, and where the first of them is.
    drawn: Vec<ProblemLine>,
    area: Rect,
}

/// A drawn line: the problem that it is of, and whether it offers the fix.
#[derive(Clone, Copy)]
struct ProblemLine {
    row: usize,
    is_fix: bool,
}

impl Problems {
    pub fn open_find(&mut self) {
        self.find.open();
    }

    pub fn is_typing(&self) -> bool {
        self.find.is_typing()
    }

    pub fn is_narrowed(&self) -> bool {
        self.find.is_narrowed()
    }

    /// Shows all again; what was chosen stays so.
    fn show_all(&mut self) {
        if let Some(row) = self.found.as_ref().and_then(|(.., rows)| rows.get(self.cursor.row)) {
            self.cursor.row = *row;
        }
        self.found = None;
    }

    /// Takes in what is found now.
    pub fn sync_state(&mut self, state: &State) {
        let needle = self.find.needle().to_lowercase();
        if needle.is_empty() {
            self.found = None;
            return;
        }
        let is_known = self.found.as_ref().is_some_and(|(generation, known, _)| {
            *generation == state.generation && *known == needle
        });
        if is_known {
            return;
        }
        let words: Vec<&str> = needle.split_whitespace().collect();
        let is_meant = |finding: &Finding| {
            let (severity, place) = (finding.severity.as_str(), place_words(finding, state));
            let text = format!("{severity} {} {place}", finding.message).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let rows = state.findings.iter().enumerate();
        let rows = rows.filter(|(_, finding)| is_meant(finding)).map(|(row, _)| row).collect();
        self.found = Some((state.generation, needle, rows));
    }

    /// How many are listed.
    pub fn len(&self, state: &State) -> usize {
        self.found.as_ref().map_or(state.findings.len(), |(.., rows)| rows.len())
    }

    fn finding<'s>(&self, row: usize, state: &'s State) -> Option<&'s Finding> {
        let row = match &self.found {
            Some((.., rows)) => *rows.get(row)?,
            None => row,
        };
        state.findings.get(row)
    }

    pub fn chosen<'s>(&self, state: &'s State) -> Option<&'s Finding> {
        self.finding(self.cursor.row, state)
    }

    pub fn choose_next(&mut self, state: &State) {
        self.cursor.row = (self.cursor.row + 1) % self.len(state).max(1);
    }

    pub fn position_text(&self, state: &State) -> Option<String> {
        self.cursor.position_text(self.len(state))
    }

    /// Draws the list, with the chosen problem whole.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        inside: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let area = self.find.draw(buffer, inside, styles, focused);
        self.area = area;
        self.drawn.clear();
        let count = self.len(state);
        if count == 0 {
            let (words, role) = match (state.findings.is_empty(), is_checked(state)) {
                (false, _) => ("no problem has these words; Esc shows all", Role::Ghost),
                (true, true) => ("✓ no problem in this workspace", Role::Success),
                (true, false) => ("checking…", Role::Ghost),
            };
            Pen::new(buffer, area, 1).skip(2).put_text(words, styles[role]);
            return;
        }
        // Problems take several lines: begin so that the chosen one is whole.
        let wide = usize::from(area.width.saturating_sub(4));
        let height = |row: usize| {
            let Some(finding) = self.finding(row, state) else { return 0 };
            let fix = finding.fix_words().map_or(0, |fix| wrap(&format!("▸ F {fix}"), wide).len());
            wrap(&finding.message, wide).len()
                + fix
                + wrap(&place_words(finding, state), wide).len()
        };
        let mut cursor = self.cursor;
        cursor.visible_rows(count, area.height);
        let chosen = cursor.row;
        let mut top = chosen;
        let mut used = height(chosen);
        while top > 0 && used + height(top - 1) <= usize::from(area.height) {
            top -= 1;
            used += height(top);
        }
        self.cursor = cursor;
        let mut drawn = Vec::new();
        for row in top..count {
            let line = u16::try_from(drawn.len()).unwrap_or(u16::MAX);
            if line >= area.height {
                break;
            }
            let Some(finding) = self.finding(row, state) else { break };
            let room = Rect { y: area.y + line, height: area.height - line, ..area };
            let marks = Marks { row, is_chosen: row == chosen, focused };
            drawn.extend(draw_problem(buffer, room, look, (finding, state), marks));
        }
        self.drawn = drawn;
    }

    /// What a key does in the list; `None`: nothing.
    pub fn handle_key(&mut self, key: Key, state: &State) -> Option<Reply> {
        match self.find.handle_key(key) {
            FindKey::Typed => self.cursor.row = 0,
            FindKey::Accepted => {}
            FindKey::Cleared => self.show_all(),
            FindKey::Passed if key.is_plain(Code::Enter) => return Some(self.go_to_chosen(state)),
            FindKey::Passed => {
                let moves = self.cursor.handle_key(key, self.len(state));
                return moves.then_some(Reply::Handled);
            }
        }
        Some(Reply::Handled)
    }

    pub fn paste(&mut self, text: &str) {
        if self.find.insert(text) {
            self.cursor.row = 0;
        }
    }

    pub fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        if self.find.handle_mouse(mouse) {
            return Reply::Handled;
        }
        let is_pressed = matches!(mouse.kind, MouseKind::Down(_))
            && self.area.contains((mouse.column, mouse.row).into());
        let line = usize::from(mouse.row.saturating_sub(self.area.y));
        match self.drawn.get(line).copied().filter(|_| is_pressed) {
            Some(ProblemLine { row, is_fix: true }) => {
                self.cursor.row = row;
                return self.fix(state);
            }
            Some(line) if line.row == self.cursor.row => return self.go_to_chosen(state),
            Some(line) => self.cursor.row = line.row,
            None => drop(self.cursor.handle_mouse(mouse, Rect::default(), self.len(state))),
        }
        Reply::Handled
    }

    pub fn go_to_chosen(&self, state: &State) -> Reply {
        self.chosen(state).map_or(Reply::Handled, fixes::go_to_finding)
    }

    /// Why the chosen problem can't be fixed by a key.
    pub fn fix_refusal(&self, state: &State) -> Option<String> {
        match self.chosen(state) {
            None => Some("there is no problem".into()),
            Some(finding)
                if finding.fix.is_none() && fixes::service_of(finding, state).is_none() =>
            {
                Some("this problem has no automatic fix; Enter goes to its field".into())
            }
            Some(_) => None,
        }
    }

    pub fn fix(&self, state: &State) -> Reply {
        let Some(finding) = self.chosen(state) else { return Reply::Handled };
        if finding.fix.is_none()
            && let Some(tool) = fixes::service_of(finding, state)
        {
            return dialogs::make_service(tool, &finding.site.pointer, state);
        }
        let fixes: Vec<_> = finding.fixes().cloned().collect();
        dialogs::apply_fixes(&fixes)
    }
}

/// Whether what was found is all that there is to find.
fn is_checked(state: &State) -> bool {
    state.reading == LoadProgress::Done && state.checking.turn == state.checking.answered
}

/// How a problem is drawn.
#[derive(Clone, Copy)]
struct Marks {
    row: usize,
    is_chosen: bool,
    focused: bool,
}

/// Draws a problem at the top of an area, as much of it as there is room for; answers its lines.
fn draw_problem(
    buffer: &mut Buffer,
    area: Rect,
    look: Look<'_>,
    (finding, state): (&Finding, &State),
    Marks { row, is_chosen, focused }: Marks,
) -> Vec<ProblemLine> {
    let styles = look.styles;
    let wide = usize::from(area.width.saturating_sub(4));
    let ground = match (is_chosen, focused) {
        (true, true) => styles[Role::Selected],
        (true, false) => styles[Role::SelectedDim],
        (false, _) => styles[Role::Text],
    };
    let on = |role: Role| match is_chosen && focused {
        true => ground,
        false => styles[role].patch(ratatui::style::Style { bg: ground.bg, ..Default::default() }),
    };
    let (sign, role) = sign_of(finding.severity);
    let mut lines = Vec::new();
    let mut put = |mark: &str, words: &str, mark_role: Role, role: Role| {
        let line = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        if line < area.height {
            Pen::new(buffer, area, line)
                .put_text(mark, on(mark_role))
                .put_text(words, on(role))
                .fill_rest(ground);
            lines.push(ProblemLine { row, is_fix: role == Role::Accent });
        }
    };
    for (part, text) in wrap(&finding.message, wide).iter().enumerate() {
        put(if part == 0 { sign } else { "   " }, text, role, Role::Text);
    }
    if let Some(fix) = finding.fix_words() {
        let key = look.keymap.way_to("apply-fix");
        for line in wrap(&format!("▸ {key} {fix}"), wide) {
            put("   ", &line, Role::Text, Role::Accent);
        }
    }
    for line in wrap(&place_words(finding, state), wide) {
        put("   ", &line, Role::Text, Role::Dim);
    }
    lines
}

/// Where a problem is, and its code.
fn place_words(finding: &Finding, state: &State) -> String {
    let site = &finding.site;
    let entry = site.entry.as_ref().and_then(|id| state.catalog.entry(id));
    let key = entry.map(|entry| format!("{} · ", entry.key)).unwrap_or_default();
    format!("{key}{}:{}  {}", site.file, site.line, finding.code)
}

fn sign_of(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => (" ✗ ", Role::Error),
        Severity::Warning => (" ⚠ ", Role::Warning),
        Severity::Note => (" · ", Role::Info),
    }
}
