//! The left pane: what was said, asked for and given, the newest at the bottom.

use ratatui::{buffer::Buffer, layout::Rect};

use super::rows::{self, short_lines, waiting_lines};
use crate::{
    app::{
        agent_run::ModelRun,
        input::{Code, Input, Key, MouseKind},
    },
    engine::agent_loop::price::format_cost,
    schema::count::count_text,
    ui::{
        answer::events::format_duration,
        canvas::{Pen, mark_chosen, text_width},
        styles::Styles,
        widgets::reading::Line,
    },
};

/// Where the reader is.
#[derive(Default)]
pub(super) struct Conversation {
    /// The run that is shown.
    turn: u64,
    /// The row under the cursor; the call that waits comes after all others.
    pub row: usize,
    /// The cursor stays at the end.
    pub is_following: bool,
    /// The first line that is seen.
    top: usize,
    area: Rect,
    cells: usize,
    /// The lines of each row, with the version that they are of.
    lines: Vec<(u32, Vec<Line>)>,
    waiting: Vec<Line>,
}

impl Conversation {
    /// Takes in what the run is now.
    pub fn sync_run(&mut self, run: &ModelRun) {
        if self.turn != run.turn {
            *self = Self { turn: run.turn, is_following: true, area: self.area, ..Self::default() };
        }
        self.wrap_rows(run, usize::from(self.area.width).max(20));
        if self.is_following {
            self.row = self.row_count(run).saturating_sub(1);
        }
        self.row = self.row.min(self.row_count(run).saturating_sub(1));
    }

    fn wrap_rows(&mut self, run: &ModelRun, cells: usize) {
        let items = run.items.all();
        if self.cells != cells {
            (self.cells, self.lines) = (cells, Vec::new());
        }
        self.lines.truncate(items.len());
        for (row, item) in items.iter().enumerate() {
            match self.lines.get_mut(row) {
                Some((version, _)) if *version == item.version => {}
                Some(known) => *known = (item.version, short_lines(item, cells)),
                None => self.lines.push((item.version, short_lines(item, cells))),
            }
        }
        let waiting = run.waiting.as_ref();
        self.waiting = waiting.map_or_else(Vec::new, |call| waiting_lines(call, cells));
    }

    fn row_count(&self, run: &ModelRun) -> usize {
        run.items.all().len() + usize::from(run.waiting.is_some())
    }

    /// Whether the cursor is on the call that waits.
    pub fn is_at_waiting(&self, run: &ModelRun) -> bool {
        run.waiting.is_some() && self.row >= run.items.all().len()
    }

    fn blocks(&self) -> impl Iterator<Item = &Vec<Line>> {
        let waiting = Some(&self.waiting).filter(|lines| !lines.is_empty());
        self.lines.iter().map(|(_, lines)| lines).chain(waiting)
    }

    /// The lines before a row, and its own.
    fn span(&self, row: usize) -> (usize, usize) {
        let before = self.blocks().take(row).map(Vec::len).sum();
        (before, self.blocks().nth(row).map_or(0, Vec::len))
    }

    fn line_count(&self) -> usize {
        self.blocks().map(Vec::len).sum()
    }

    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        run: &ModelRun,
        focused: bool,
    ) {
        self.area = area;
        self.sync_run(run);
        let height = usize::from(area.height);
        if height == 0 {
            return;
        }
        let (start, own) = self.span(self.row);
        let total = self.line_count();
        if self.is_following {
            self.top = total;
        }
        // The chosen row is seen; of one that is longer than the pane, some of it.
        let least = if own > height { start } else { (start + own).saturating_sub(height) };
        let most = if own > height { start + own - height } else { start };
        self.top = match self.is_following {
            true => total.saturating_sub(height),
            false => self.top.clamp(least.min(most), most.max(least)),
        };
        self.top = self.top.min(total.saturating_sub(height));
        let mut line = 0_usize;
        let blocks: Vec<_> =
            self.blocks().enumerate().map(|(row, block)| (row, block.clone())).collect();
        for (row, block) in blocks {
            for words in block {
                let at = line;
                line += 1;
                let Some(seen) = at.checked_sub(self.top).filter(|seen| *seen < height) else {
                    continue;
                };
                let y = u16::try_from(seen).unwrap_or(u16::MAX);
                let mut pen = Pen::new(buffer, area, y);
                for (role, piece) in &words {
                    pen.put_text(piece, styles[*role]);
                }
                if row == self.row {
                    mark_chosen(buffer, area, y, styles, focused);
                }
            }
        }
    }

    /// What part of the lines is seen.
    pub fn position_text(&self) -> Option<String> {
        let (total, height) = (self.line_count(), usize::from(self.area.height));
        (total > height && height > 0)
            .then(|| format!("{}–{} of {total}", self.top + 1, (self.top + height).min(total)))
    }

    /// Moves by keys of lists and by the wheel; a press chooses. Whether the input was for it.
    pub fn handle_input(&mut self, input: &Input, run: &ModelRun) -> bool {
        match input {
            Input::Key(key) => self.handle_key(*key, run),
            Input::Mouse(mouse) => {
                match mouse.kind {
                    MouseKind::Wheel(notches) => {
                        for _ in 0..notches.unsigned_abs() {
                            self.step(if notches < 0 { -3 } else { 3 }, run);
                        }
                    }
                    MouseKind::Down(_) if self.area.contains((mouse.column, mouse.row).into()) => {
                        let line = self.top + usize::from(mouse.row - self.area.y);
                        let mut before = 0;
                        let row = self.blocks().position(|block| {
                            before += block.len();
                            before > line
                        });
                        self.row = row.unwrap_or(self.row);
                        self.is_following = self.row + 1 == self.row_count(run);
                    }
                    _ => {}
                }
                true
            }
            Input::Paste(_) => false,
        }
    }

    fn handle_key(&mut self, key: Key, run: &ModelRun) -> bool {
        let page = isize::try_from(self.area.height).unwrap_or(1).max(2) - 1;
        match key.code {
            _ if key.mods.ctrl || key.mods.alt => return false,
            Code::Up | Code::Char('k') => self.step(-1, run),
            Code::Down | Code::Char('j') => self.step(1, run),
            Code::PageUp => self.step(-page, run),
            Code::PageDown => self.step(page, run),
            Code::Home => {
                (self.row, self.top, self.is_following) = (0, 0, false);
            }
            Code::End => self.is_following = true,
            _ => return false,
        }
        true
    }

    /// One step goes on in a row that is longer than the pane, else to the next row; a page goes so
    /// many lines.
    fn step(&mut self, by: isize, run: &ModelRun) {
        let height = usize::from(self.area.height);
        let last = self.row_count(run).saturating_sub(1);
        self.is_following = false;
        let (start, own) = self.span(self.row);
        let is_one = by.unsigned_abs() == 1;
        let top = self.top.saturating_add_signed(by);
        let stays = own > height && top >= start && top + height <= start + own;
        if stays {
            self.top = top;
        } else if is_one {
            self.row = self.row.saturating_add_signed(by).min(last);
        } else {
            self.top = top.min(self.line_count().saturating_sub(height));
            let line = if by < 0 { top } else { top + height.saturating_sub(1) };
            let mut before = 0;
            let row = self.blocks().position(|block| {
                before += block.len();
                before > line
            });
            self.row = row.unwrap_or(last);
        }
        self.is_following = by > 0 && self.row == last && own <= height;
    }
}

/// What a run took and cost, as much as fits: what matters most first.
pub(super) fn foot_words(run: &ModelRun, cells: usize) -> String {
    let count = |count: u32, one, many| count_text(usize::try_from(count).unwrap_or(0), one, many);
    let parts = [
        run.usage.map(rows::usage_words),
        run.cost().map(|cost| format!("cost {}", format_cost(cost))),
        Some(format!("state {}", run.state)),
        Some(count(run.replies, "reply", "replies")),
        Some(count(run.calls, "call", "calls")),
        Some(format!("model {}", format_duration(run.model_ms))),
        Some(format!("tools {}", format_duration(run.tools_ms))),
    ];
    let mut words = String::new();
    for part in parts.into_iter().flatten() {
        let gap = if words.is_empty() { "" } else { " · " };
        if text_width(&words) + text_width(gap) + text_width(&part) <= cells {
            words.push_str(gap);
            words.push_str(&part);
        }
    }
    words
}
