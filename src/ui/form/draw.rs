//! Drawing a form: labels at the left, widgets at the right, remarks and help below, only what is
//! seen.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    cell::{Click, ClickArea, DrawContext, Look, inside_words},
    help::HelpLine,
    layout::{self, Columns, Lines},
    notes::{Remark, severity_sign},
    registry,
    view::{Form, HitTarget, Target},
    work::Work,
};
use crate::{
    model::finding::Severity,
    schema::fields::{Field, Presence, Role as Seat},
    ui::{
        canvas::{Pen, shorten_middle, text_width, visible_text, wrap},
        styles::{Role, Styles},
    },
};

/// Rows within an open field that come into view with it.
const OPENED: usize = 3;
/// Faults of the schema that are shown above the fields, and the lines for all that is.
const FAULTS: usize = 2;
const TOP_LINES: usize = 8;

impl Form {
    /// What the form has had to do so far.
    #[must_use]
    pub fn work_done(&self) -> Work {
        self.work
    }

    /// Where a press puts the cursor into a text, in the last drawing.
    pub(super) fn text_places(&self) -> impl Iterator<Item = Rect> {
        let is_text = |spot: &&HitTarget| {
            matches!(spot.target, Target::Widget(Click::At { .. } | Click::Letter { .. }))
        };
        self.spots.iter().filter(is_text).map(|spot| spot.area)
    }

    /// Draws the form into `area`; `focused`: it has the keys.
    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, focused: bool) {
        let area = area.intersection(buffer.area);
        self.area = area;
        self.spots.clear();
        // What is open takes keys, and they went elsewhere.
        if !focused && self.editor.as_deref().is_some_and(|editor| editor.is_open()) {
            self.stop_typing();
        }
        if area.width < 12 || area.height == 0 {
            return;
        }
        self.ensure_editor();
        self.columns = Columns::from_fields(&self.fields, area.width);
        self.previews.measure(self.columns.room);
        let mut top = self.top_lines();
        let said = top.len();
        top.extend(self.introduction());
        self.measure_lines(top.len(), focused);
        self.keep_in_view();
        let here = self.focused_row().unwrap_or_default();
        for line in (said..top.len())
            .filter_map(|line| line.checked_sub(self.scroll))
            .take(usize::from(area.height))
        {
            let place = Rect { y: area.y + u16::try_from(line).unwrap_or(0), height: 1, ..area };
            self.spots.push(HitTarget { area: place, row: here, target: Target::Help });
        }
        for (y, line) in (0_u16..area.height).zip(top.iter().skip(self.scroll)) {
            line.draw(Pen::new(buffer, area, y).skip(1), styles);
        }
        self.work.frames += 1;
        for row in self.lines.rows_in_view(self.scroll, usize::from(area.height)) {
            self.work.rows += 1;
            self.draw_row(buffer, row, styles, focused);
        }
        self.scroll_bar(buffer, styles);
        if let Some(finder) = &mut self.finder {
            finder.draw(buffer, area, styles);
        }
    }

    /// What is said about the value as a whole.
    fn top_lines(&self) -> Vec<HelpLine> {
        let cells = self.area.width.saturating_sub(3);
        let mut lines = Vec::new();
        let rest = if self.is_checked() { "" } else { "; edit everything as JSON" };
        for finding in self.schema_findings().iter().take(FAULTS) {
            let text = format!("{finding}{rest}");
            lines.extend(mark_lines(
                wrap(&visible_text(&text), usize::from(cells)),
                "⚠",
                Role::Error,
            ));
        }
        if let Some(more) =
            self.schema_findings().len().checked_sub(FAULTS).filter(|more| *more > 0)
        {
            lines
                .push(HelpLine::from_text(Role::Error, format!("⚠ and {more} more schema errors")));
        }
        if let Some(reading) = self.assumed_draft() {
            lines.extend(mark_lines(
                wrap(&visible_text(reading), usize::from(cells)),
                "·",
                Role::Info,
            ));
        }
        let ui_notes = self.ui_notes();
        for note in ui_notes.iter().take(FAULTS) {
            lines.extend(mark_lines(
                wrap(&visible_text(&format!("uiSchema {note}")), usize::from(cells)),
                "·",
                Role::Info,
            ));
        }
        if let Some(more) = ui_notes.len().checked_sub(FAULTS).filter(|more| *more > 0) {
            let verb = if more == 1 { "has" } else { "have" };
            lines.push(HelpLine::from_text(
                Role::Info,
                format!("· and {more} more that {verb} no effect; all are on stderr at the end"),
            ));
        }
        for remark in &self.remarks.top {
            let text = wrap(&visible_text(&remark.text), usize::from(cells));
            lines.extend(mark_lines(
                text,
                severity_sign(remark.severity),
                severity_role(remark.severity),
            ));
        }
        lines.truncate(TOP_LINES);
        lines
    }

    pub(super) fn widget_room(&self, row: usize, here: bool) -> u16 {
        let field = &self.fields[row];
        let signs = if here { layout::signs_room(field) } else { 0 };
        self.columns.room.saturating_sub(signs).max(4)
    }

    fn measure_lines(&mut self, top: usize, focused: bool) {
        let at = self.focused_row();
        let mut lines = Lines { starts: Vec::with_capacity(self.fields.len() + 1) };
        let mut line = top;
        let editor = self.editor.take();
        for row in 0..self.fields.len() {
            lines.starts.push(line);
            let Some(cell) = self.cell(row) else { continue };
            let open = editor.as_deref().filter(|_| Some(row) == at);
            let room = self.widget_room(row, focused && Some(row) == at);
            let tall = layout::widget_lines(&cell, open, room);
            line += usize::from(tall);
            if Some(row) == at && focused && self.lists_templates() {
                line += usize::from(self.templates.line_count(&self.focus, room));
            }
            line += self.previews.line_count(row, focused && Some(row) == at);
            let remarks = self.remarks.row_remarks(row);
            if layout::beside_gap(&cell, remarks, (tall, room)).is_none() {
                line += layout::remark_lines(&self.remarks, row, self.columns.room);
            }
        }
        lines.starts.push(line);
        self.editor = editor;
        self.spare = usize::from(self.area.height).saturating_sub(line);
        if let Some(row) = at.filter(|_| focused) {
            let help = self.help(row).len();
            lines.starts.iter_mut().skip(row + 1).for_each(|start| *start += help);
        }
        self.lines = lines;
    }

    fn keep_in_view(&mut self) {
        let height = usize::from(self.area.height);
        let most = self.lines.line_count().saturating_sub(height);
        self.scroll = self.scroll.min(most);
        let Some(row) = self.focused_row().filter(|_| self.follow) else { return };
        let Range { start, end: own_end } = self.lines.line_range(row);
        // Of what is open below the focus the beginning is seen too.
        let depth = self.fields[row].depth;
        let inside = self.fields[row + 1..]
            .iter()
            .take(OPENED)
            .take_while(|field| field.depth > depth)
            .count();
        let end = if inside > 0 {
            self.lines.line_range(row + inside).end.min(start + height).max(own_end)
        } else {
            own_end
        };
        if end > self.scroll + height {
            self.scroll = end - height;
        }
        if start < self.scroll || row == 0 {
            self.scroll = if row == 0 { 0 } else { start };
        }
        self.scroll = self.scroll.min(most);
    }

    /// Draws a row; one that is cut by the edge is drawn aside first.
    fn draw_row(&mut self, buffer: &mut Buffer, row: usize, styles: &Styles, focused: bool) {
        let Range { start, end } = self.lines.line_range(row);
        let height = u16::try_from(end - start).unwrap_or(u16::MAX);
        let (top, bottom) = (self.scroll, self.scroll + usize::from(self.area.height));
        let line = |line: usize| u16::try_from(line).unwrap_or(u16::MAX);
        if start >= top && end <= bottom {
            let area = Rect { y: self.area.y + line(start - top), height, ..self.area };
            let spots = self.draw_whole(buffer, area, row, styles, focused);
            self.spots.extend(spots);
            return;
        }
        let aside = Rect { x: self.area.x, y: 0, width: self.area.width, height };
        let mut scratch = Buffer::empty(aside);
        scratch.set_style(aside, buffer[(self.area.x, self.area.y)].style());
        let spots = self.draw_whole(&mut scratch, aside, row, styles, focused);
        let first = line(top.saturating_sub(start));
        let last = line(end.min(bottom) - start);
        let y = self.area.y + line(start.saturating_sub(top));
        for from in first..last {
            for x in aside.left()..aside.right() {
                buffer[(x, y + from - first)] = scratch[(x, from)].clone();
            }
        }
        for mut spot in spots {
            if spot.area.y >= first && spot.area.y < last {
                spot.area.y = y + spot.area.y - first;
                self.spots.push(spot);
            }
        }
    }

    fn draw_whole(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        row: usize,
        styles: &Styles,
        focused: bool,
    ) -> Vec<HitTarget> {
        let here = focused && Some(row) == self.focused_row();
        let room = self.widget_room(row, here);
        let columns = self.columns;
        let mut editor = if Some(row) == self.focused_row() { self.editor.take() } else { None };
        let listed = match here && self.lists_templates() {
            true => self.templates.line_count(&self.focus, room),
            false => 0,
        };
        let mut templates = std::mem::take(&mut self.templates);
        let mut spots = Vec::new();
        if let Some(cell) = self.cell(row) {
            let field = cell.field;
            let changed = self.is_changed(row);
            draw_label(buffer, area, columns, field, styles, (here, changed));
            if matches!(&self.held, Some(super::view::DragTarget::Item { at, to }) if *to == field.pointer && at != to)
            {
                buffer.set_stringn(area.x, area.y, "▸", 1, styles[Role::Key]);
            }
            let lines = layout::widget_lines(&cell, editor.as_deref(), room);
            let inner = Rect {
                x: area.x + columns.widget,
                width: room,
                height: lines.min(area.height),
                ..area
            };
            let awake = editor
                .as_ref()
                .is_some_and(|editor| !(self.resting && editor.is_typing() && !editor.is_open()));
            let look = match (here, awake) {
                (true, true) => Look::Active,
                (true, false) => Look::Resting,
                (false, _) => Look::Plain,
            };
            let mut context = DrawContext { buffer, area: inner, styles, look };
            let is_rename = here && editor.as_deref().is_some_and(|editor| editor.is_rename());
            let hits = match editor.as_deref_mut().filter(|editor| here || editor.is_open()) {
                Some(editor) => editor.draw(&cell, &mut context),
                None => registry::widget_for(&field.kind).draw_unfocused(&cell, &mut context),
            };
            if let Some(inside) = cell.inside {
                let text = inside_words(inside);
                let room = u16::try_from(cell.count_room()).unwrap_or(0);
                let x = inner.right().saturating_sub(room);
                buffer.set_stringn(
                    x,
                    inner.y,
                    &text,
                    text_width(&text),
                    styles[severity_role(inside.worst)],
                );
            }
            if here && !is_rename {
                spots.extend(draw_signs(buffer, area, columns, field, styles, row));
            }
            spots.extend(hits.into_iter().map(|hit| hit_target(&hit, inner, row)));
            let mut line = lines;
            if listed > 0 {
                let place = Rect { y: area.y + line, height: listed, ..inner };
                let mut context = DrawContext { buffer, area: place, styles, look };
                let hits = templates.draw(&mut context);
                spots.extend(hits.iter().map(|hit| hit_target(hit, place, row)));
                line += listed;
            }
            for pieces in self.previews.lines(row, here) {
                let mut pen = Pen::new(buffer, area, line);
                pen.skip(columns.widget);
                for (role, text) in &pieces {
                    pen.put_text(text, styles[*role]);
                }
                line += 1;
            }
            let remarks = self.remarks.row_remarks(row);
            let gap = layout::beside_gap(&cell, remarks, (lines, room));
            if let Some((remark, gap)) = remarks.first().zip(gap) {
                draw_beside(buffer, inner, (remark, gap), styles);
            }
            for remark in remarks.iter().filter(|_| gap.is_none()) {
                let shown = layout::remark_text(remark, columns.room);
                line += draw_remark(
                    buffer,
                    area,
                    columns,
                    line,
                    (remark, &shown),
                    styles,
                    row,
                    &mut spots,
                );
            }
            if here {
                for text in self.help(row) {
                    text.draw(Pen::new(buffer, area, line).skip(columns.widget), styles);
                    let place = Rect { x: area.x, y: area.y + line, width: area.width, height: 1 };
                    spots.push(HitTarget { area: place, row, target: Target::Help });
                    line += 1;
                }
            }
        }
        spots.push(HitTarget { area, row, target: Target::Row });
        self.templates = templates;
        if editor.is_some() {
            self.editor = editor;
        }
        spots
    }

    /// Whether not all rows are seen.
    pub(super) fn has_scroll_bar(&self) -> bool {
        let height = usize::from(self.area.height);
        self.lines.line_count() > height && height >= 2
    }

    fn scroll_bar(&self, buffer: &mut Buffer, styles: &Styles) {
        let (total, height) = (self.lines.line_count(), usize::from(self.area.height));
        if !self.has_scroll_bar() {
            return;
        }
        let size = (height * height / total).max(1);
        let start = self.scroll * (height - size) / (total - height);
        let x = self.area.right() - 1;
        for line in 0..height {
            let is_thumb = (start..start + size).contains(&line);
            let (sign, role) =
                if is_thumb { ("┃", Role::BorderFocus) } else { ("│", Role::Border) };
            let y = self.area.y + u16::try_from(line).unwrap_or(0);
            buffer.set_stringn(x, y, sign, 1, styles[role]);
        }
    }
}

fn hit_target(hit: &ClickArea, area: Rect, row: usize) -> HitTarget {
    let start = hit.columns.start.min(area.width);
    let width = hit.columns.end.min(area.width) - start;
    let place = Rect { x: area.x + start, y: area.y + hit.line, width, height: 1 };
    let click = match hit.click {
        Click::At { .. } => Click::At { line: hit.line, column: start },
        other => other,
    };
    HitTarget { area: place, row, target: Target::Widget(click) }
}

fn draw_label(
    buffer: &mut Buffer,
    area: Rect,
    columns: Columns,
    field: &Field,
    styles: &Styles,
    (here, changed): (bool, bool),
) {
    let mut pen = Pen::new(buffer, area, 0);
    let (bar, role) = match (here, changed) {
        (true, _) => ("▌", Role::Accent),
        (_, true) => ("▎", Role::Changed),
        _ => (" ", Role::Accent),
    };
    pen.put_text(bar, styles[role]);
    pen.skip(layout::shown_indent(columns, field));
    let room = layout::label_room(columns, field);
    let label = visible_text(&field.label);
    let style = match field.role {
        _ if here => styles[Role::Accent],
        Seat::Entry { unknown: true } => styles[Role::Warning],
        _ if field.presence == Presence::Unset && !field.required => styles[Role::Dim],
        _ => styles[Role::Label],
    };
    let crossed = if field.node.deprecated { Style::new().crossed_out() } else { Style::new() };
    pen.put_text(&shorten_middle(&label, room), style.patch(crossed));
    if field.is_marked_required() {
        pen.put_text(" *", styles[Role::Key]);
    }
    // A key that has no room is below the row while it has the focus.
    if let Some(key) = layout::shown_key(columns, field) {
        pen.put_text(layout::KEY_GAP, styles[Role::Dim]).put_text(&key, styles[Role::Dim]);
    }
}

/// The signs of the focused row: move, remove.
fn draw_signs(
    buffer: &mut Buffer,
    area: Rect,
    columns: Columns,
    field: &Field,
    styles: &Styles,
    row: usize,
) -> Vec<HitTarget> {
    let signs = layout::row_signs(field);
    let wide = u16::try_from(text_width(signs)).unwrap_or(0);
    let x = area.x + columns.widget + columns.room - wide;
    let mut spots = Vec::new();
    let mut at = x;
    for sign in signs.split(' ') {
        let target = match sign {
            "copy" => Target::Duplicate,
            "↑" => Target::Earlier,
            "↓" => Target::Later,
            _ => Target::Remove,
        };
        let wide = u16::try_from(text_width(sign)).unwrap_or(0);
        if wide > 0 {
            buffer.set_stringn(at, area.y, sign, usize::from(wide), styles[Role::Key]);
            spots.push(HitTarget {
                area: Rect { x: at, y: area.y, width: wide, height: 1 },
                row,
                target,
            });
        }
        at += wide + 1;
    }
    spots
}

#[expect(
    clippy::too_many_arguments,
    reason = "one line of a row; a struct for it would be made and taken apart at once"
)]
fn draw_remark(
    buffer: &mut Buffer,
    area: Rect,
    columns: Columns,
    line: u16,
    (remark, shown): (&Remark, &layout::ShownRemark),
    styles: &Styles,
    row: usize,
    spots: &mut Vec<HitTarget>,
) -> u16 {
    let style = styles[severity_role(remark.severity)];
    for (number, text) in (0_u16..).zip(&shown.lines) {
        let mark = if number == 0 { severity_sign(remark.severity) } else { " " };
        Pen::new(buffer, area, line + number)
            .skip(columns.widget)
            .put_text(mark, style)
            .put_text(" ", style)
            .put_text(text, style);
    }
    let height = u16::try_from(shown.lines.len()).unwrap_or(1);
    let (Some((note, _)), Some((place, fix))) = (&remark.fix, &shown.fix) else { return height };
    let mut fix_line = match place {
        layout::FixLine::Beside => line + height - 1,
        layout::FixLine::Below => line + height,
    };
    for words in fix {
        let wide = u16::try_from(text_width(words)).unwrap_or(0);
        let start = match place {
            layout::FixLine::Beside => columns.widget + columns.room.saturating_sub(wide),
            layout::FixLine::Below => columns.widget + 2,
        };
        Pen::new(buffer, area, fix_line).move_to(area, start).put_text(words, styles[Role::Key]);
        let place = Rect { x: area.x + start, y: area.y + fix_line, width: wide, height: 1 };
        spots.push(HitTarget { area: place, row, target: Target::Fix(*note) });
        fix_line += 1;
    }
    fix_line - line
}

/// Draws a remark on the line of the widget that it is about, so many cells from its end.
fn draw_beside(buffer: &mut Buffer, area: Rect, (remark, gap): (&Remark, usize), styles: &Styles) {
    let text = format!("{} {}", severity_sign(remark.severity), visible_text(&remark.text));
    let wide = text_width(&text);
    let cells = u16::try_from(wide + gap).unwrap_or(u16::MAX);
    let style = Style { bg: None, ..styles[severity_role(remark.severity)] };
    buffer.set_stringn(area.right().saturating_sub(cells), area.y, &text, wide, style);
}

/// Lines of which the first has the mark.
fn mark_lines(
    lines: Vec<String>,
    mark: &'static str,
    role: Role,
) -> impl Iterator<Item = HelpLine> {
    let line = move |(row, line)| {
        HelpLine::from_text(role, format!("{} {line}", if row == 0 { mark } else { " " }))
    };
    lines.into_iter().enumerate().map(line)
}

fn severity_role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Note => Role::Info,
    }
}
