//! Two kept calls beside each other: their answers line by line, their JSON place by place, their
//! steps, their times.

use std::{collections::BTreeSet, sync::Arc};

use ratatui::{
    buffer::Buffer,
    layout::{Margin, Rect},
};
use serde_json::Value;

use super::list::time_or_date;
use crate::{
    app::{
        history::LARGEST_COMPARED,
        input::{Input, MouseKind},
        state::State,
    },
    engine::trace::{compare, sent::sent_arguments},
    model::{size, trace::Trace},
    schema::moment::LocalTime,
    systems::step_comparison::{ComparedStep, StepDifference, compare_steps},
    ui::{
        answer::events::outcome_role,
        canvas::{Pen, inset_area, text_width, visible_text},
        line_wrap::{RowWidths, wrap_styled},
        sheet::plain_lines,
        styles::Role,
        view::{Look, Reply},
        widgets::{
            difference::{self, Line},
            list::ListCursor,
            pane::Pane,
            tabs::Tabs,
        },
    },
};

/// So many lines of what a step sent or got are shown.
const MOST_LINES: usize = 100;

#[derive(Default)]
pub(super) struct Comparison {
    of: Option<Arc<[Trace; 2]>>,
    tabs: Tabs,
    /// Each view by its name, with its lines.
    views: Vec<(&'static str, Vec<Line>)>,
    /// Which calls they are: the first lines of the views of the answers.
    head: Vec<Line>,
    /// The lines of the view that is shown, as wide as the pane.
    wrapped: Vec<Line>,
    /// What they were wrapped for: the view, and how wide.
    wrapped_for: Option<(usize, u16)>,
    title: String,
    cursor: ListCursor,
    body: Rect,
}

impl Comparison {
    pub(super) fn sync_state(&mut self, state: &State) {
        let wanted = state.invoke.kept.compared.as_ref();
        let same = match (wanted, &self.of) {
            (Some(wanted), Some(of)) => Arc::ptr_eq(wanted, of),
            (None, None) => true,
            _ => false,
        };
        if same {
            return;
        }
        self.of = wanted.cloned();
        self.cursor = ListCursor::default();
        self.wrapped_for = None;
        self.views.clear();
        let Some(of) = &self.of else { return };
        let [before, after] = &**of;
        let texts = compare::compared_texts(before, after);
        self.head = head_lines(before, after, state.wall);
        let with_head =
            |lines: Vec<Line>| -> Vec<Line> { self.head.iter().cloned().chain(lines).collect() };
        self.views =
            vec![("Text", with_head(text_lines(&texts))), ("JSON", with_head(json_lines(&texts)))];
        let steps = compare_steps(before, after);
        if !steps.is_empty() {
            self.views.push(("Steps", step_lines(&steps)));
        }
        self.views.push(("Times", time_lines(before, after)));
        self.tabs.at = self.tabs.at.min(self.views.len() - 1);
        self.title = match before.head.tool == after.head.tool {
            true => format!("{} compared", after.head.tool),
            false => format!("{} and {} compared", before.head.tool, after.head.tool),
        };
    }

    /// All views, one after the other, for who reads lines; nothing where none are compared.
    pub(super) fn printed_lines(&self) -> Vec<String> {
        if self.of.is_none() {
            return Vec::new();
        }
        let mut printed = vec![self.title.clone()];
        printed.push("- is the earlier call, + is the later call.".to_owned());
        printed.extend(plain_lines(&self.head).into_iter().filter(|line| !line.is_empty()));
        printed.extend(self.of.as_ref().map(|of| different_arguments(&of[0], &of[1])));
        for (name, lines) in &self.views {
            printed.push(format!("{name}:"));
            let own = lines.strip_prefix(self.head.as_slice()).unwrap_or(lines);
            printed.extend(match *name {
                "Times" => self.printed_times(),
                _ => plain_lines(own),
            });
        }
        printed
    }

    fn printed_times(&self) -> Vec<String> {
        let Some(of) = &self.of else { return Vec::new() };
        let words = |value: &str| if value == compare::NOTHING { "none" } else { value }.to_owned();
        let line = |row: compare::ComparedMeasure| {
            format!("{}: {} to {}", row.name, words(&row.before), words(&row.after))
        };
        let rows = compare::compare_times(&of[0], &of[1]).into_iter();
        rows.filter(|row| row.name != "error").map(line).collect()
    }

    pub(super) fn next_view(&mut self) {
        self.tabs.at = (self.tabs.at + 1) % self.views.len().max(1);
        self.cursor = ListCursor::default();
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        self.wrap_lines(inset_area(area.inner(Margin::new(1, 1))).width);
        let inside =
            Pane { title: &self.title, focused, ..Pane::default() }.draw(buffer, area, look.styles);
        if inside.height < 2 {
            return;
        }
        let names: Vec<String> = self.views.iter().map(|(name, _)| (*name).to_owned()).collect();
        self.tabs.draw(
            buffer,
            Rect { height: 1, ..inside },
            &names,
            "- the earlier call  + the later call ",
            look.styles,
        );
        self.body = inset_area(Rect { y: inside.y + 1, height: inside.height - 1, ..inside });
        look.mouse.reads(self.body);
        let rows = self.cursor.visible_rows(self.wrapped.len(), self.body.height);
        self.cursor.draw_position(self.wrapped.len(), buffer, area, look.styles);
        for (line, row) in (0_u16..).zip(rows) {
            let mut pen = Pen::new(buffer, self.body, line);
            for (role, text) in &self.wrapped[row] {
                pen.put_text(text, look.styles[*role]);
            }
        }
    }

    /// Makes the lines of the view that is shown fit so many cells.
    fn wrap_lines(&mut self, cells: u16) {
        if self.wrapped_for == Some((self.tabs.at, cells)) {
            return;
        }
        self.wrapped_for = Some((self.tabs.at, cells));
        let cells = usize::from(cells).max(1);
        let lines = self.views.get(self.tabs.at).into_iter().flat_map(|(_, lines)| lines);
        self.wrapped = lines.flat_map(|line| hanging_rows(line, cells)).collect();
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> Reply {
        let lines = self.wrapped.len();
        match input {
            Input::Key(key) if self.cursor.handle_key(*key, lines) => Reply::Handled,
            Input::Mouse(mouse) => {
                if !self.tabs.handle_mouse(*mouse)
                    && let MouseKind::Wheel(notches) = mouse.kind
                {
                    self.cursor.handle_wheel(notches, lines);
                }
                Reply::Handled
            }
            _ => Reply::Ignored,
        }
    }
}

/// The rows of a line; those after the first begin below its text, not below its number or sign.
fn hanging_rows(line: &Line, cells: usize) -> Vec<Line> {
    let mut pieces = line.iter().map(|(role, text)| (*role, text.as_str())).peekable();
    let number = pieces.next_if(|(role, _)| *role == Role::LineNumber);
    let number = number.map_or(0, |(_, text)| text_width(text));
    let after_sign = pieces.next().and_then(|(_, text)| text.strip_prefix(['-', '+', ' ']));
    let has_sign = after_sign.is_some_and(|rest| rest.starts_with([' ', '\u{a0}']));
    let indent = if has_sign { number + 2 } else { number };
    let indent = if indent * 2 < cells { indent } else { 0 };
    let widths = RowWidths { first: cells, others: cells - indent };
    let hang = |(row, mut line): (usize, Line)| {
        if row > 0 && indent > 0 {
            line.insert(0, (Role::Text, " ".repeat(indent)));
        }
        line
    };
    wrap_styled(line, widths).into_iter().enumerate().map(hang).collect()
}

fn text_line(role: Role, text: impl Into<String>) -> Line {
    vec![(role, text.into())]
}

/// Which calls are compared: when, how they ended, with which arguments.
fn head_lines(before: &Trace, after: &Trace, now: LocalTime) -> Vec<Line> {
    let outcomes = compare::compare_times(before, after);
    let of = |name: &str| outcomes.iter().find(|row| row.name == name);
    let (Some(outcome), Some(end)) = (of("outcome"), of("end after")) else { return Vec::new() };
    let error = |side: fn(&compare::ComparedMeasure) -> &String| {
        let found = of("error").map(side).filter(|words| *words != compare::NOTHING);
        found.map_or_else(String::new, |words| format!(" ({})", visible_text(words)))
    };
    let line = |role, sign, (outcome, end, error): (&str, &str, String), trace: &Trace| {
        let sent = sent_arguments(&trace.head);
        let arguments = visible_text(&sent);
        let at = time_or_date(trace.head.at, now);
        let ended = compare::outcome(trace).map_or(Role::Warning, outcome_role);
        vec![
            (role, format!("{sign} ")),
            (Role::Text, format!("{at} ")),
            (ended, outcome.to_owned()),
            (Role::Text, format!(" after {end}{error}, of {arguments}")),
        ]
    };
    vec![
        line(Role::Removed, "-", (&outcome.before, &end.before, error(|row| &row.before)), before),
        line(Role::Added, "+", (&outcome.after, &end.after, error(|row| &row.after)), after),
        Line::new(),
    ]
}

/// Which arguments differ, by name.
fn different_arguments(before: &Trace, after: &Trace) -> String {
    let sent = [before, after].map(|trace| sent_arguments(&trace.head));
    let [one, other] = sent.each_ref().map(|text| serde_json::from_str::<Value>(text));
    match (one, other) {
        _ if sent[0] == sent[1] => "The arguments are the same.".into(),
        (Ok(Value::Object(one)), Ok(Value::Object(other))) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let differs = |name: &&String| one.get(*name) != other.get(*name);
            let names: Vec<&str> = names.into_iter().filter(differs).map(String::as_str).collect();
            match names.is_empty() {
                true => "The arguments are the same.".to_owned(),
                false => format!("Different arguments: {}.", names.join(", ")),
            }
        }
        _ => "The arguments differ.".to_owned(),
    }
}

fn text_lines(texts: &[String; 2]) -> Vec<Line> {
    let [before, after] = texts;
    if before == after {
        return vec![text_line(Role::Success, "the answers are the same")];
    }
    if before.len().max(after.len()) > LARGEST_COMPARED {
        let most = size::format_size(LARGEST_COMPARED as u64);
        return vec![text_line(
            Role::Warning,
            format!("the answers differ; answers up to {most} are compared line by line"),
        )];
    }
    mark_differences(difference::diff_of_whole_lines(before, after))
}

/// Marks what differs between a removed line and the added one in its place.
fn mark_differences(mut lines: Vec<Line>) -> Vec<Line> {
    let role_at = |lines: &[Line], row: usize| lines.get(row)?.get(1).map(|(role, _)| *role);
    let run_end = |lines: &[Line], from: usize, role: Role| {
        (from..lines.len()).find(|row| role_at(lines, *row) != Some(role)).unwrap_or(lines.len())
    };
    let mut row = 0;
    while row < lines.len() {
        let added = run_end(&lines, row, Role::Removed);
        let end = run_end(&lines, added, Role::Added);
        // Only where each line has one that it was replaced by.
        if added > row && end - added == added - row {
            for (before, after) in (row..added).zip(added..end) {
                mark_pair(&mut lines, before, after);
            }
        }
        row = end.max(row + 1);
    }
    lines
}

/// Splits both lines where they begin and end to differ.
fn mark_pair(lines: &mut [Line], before: usize, after: usize) {
    let text = |row: usize| lines[row].get(1).and_then(|(_, text)| text.get(2..)).unwrap_or("");
    let (one, other) = (text(before), text(after));
    let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(one, other)| one == other).map(|(letter, _)| letter.len_utf8()).sum()
    };
    let start = common(&mut one.chars().zip(other.chars()));
    let rest = (&one[start..], &other[start..]);
    let end = common(&mut rest.0.chars().rev().zip(rest.1.chars().rev()));
    // Lines that have little in common are other lines.
    if (start + end) * 3 < one.len().max(other.len()) {
        return;
    }
    for (row, length) in [(before, one.len()), (after, other.len())] {
        let Some((role, text)) = lines[row].get(1).cloned() else { continue };
        let (from, to) = (start + 2, length - end + 2);
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or("").to_owned();
        lines[row].truncate(1);
        lines[row].extend([
            (role, part(0..from)),
            (Role::Match, part(from..to)),
            (role, part(to..text.len())),
        ]);
    }
}

fn json_lines(texts: &[String; 2]) -> Vec<Line> {
    let parsed = texts.each_ref().map(|text| serde_json::from_str::<Value>(text));
    let [Ok(before), Ok(after)] = parsed else {
        return vec![text_line(Role::Dim, "one of the answers isn't JSON")];
    };
    let found = compare::compare_json(&before, &after);
    if found.is_empty() {
        return vec![text_line(Role::Success, "both hold the same JSON")];
    }
    let mut lines = Vec::new();
    for one in found {
        let at = if one.at.is_root() { "the whole".to_owned() } else { one.at.to_string() };
        lines.push(text_line(Role::Heading, at));
        lines.extend(one.before.map(|value| text_line(Role::Removed, format!("- {value}"))));
        lines.extend(one.after.map(|value| text_line(Role::Added, format!("+ {value}"))));
    }
    lines
}

fn step_lines(steps: &[ComparedStep]) -> Vec<Line> {
    let mut lines = Vec::new();
    for step in steps {
        let role = if step.verdict() == "the same" { Role::Dim } else { Role::Warning };
        lines.push(vec![
            (Role::Heading, visible_text(&format!("{} {}  ", step.number, step.name)).into_owned()),
            (role, step.verdict().to_owned()),
        ]);
        for StepDifference { what, before, after } in &step.differences {
            lines.push(text_line(Role::Label, *what));
            for (sign, role, side) in [("-", Role::Removed, before), ("+", Role::Added, after)] {
                let text = side.iter().flat_map(|text| text.lines()).take(MOST_LINES);
                // The sign stays with the text where that has no blank to break at.
                lines.extend(
                    text.map(|text| text_line(role, format!("{sign}\u{a0}{}", visible_text(text)))),
                );
            }
        }
    }
    lines
}

fn time_lines(before: &Trace, after: &Trace) -> Vec<Line> {
    let mut rows = compare::compare_times(before, after);
    // It is said above.
    rows.retain(|row| row.name != "error");
    let wide = rows.iter().map(|row| row.before.chars().count()).max().unwrap_or_default();
    let row = |row: compare::ComparedMeasure| {
        let role = if row.before == row.after { Role::Dim } else { Role::Text };
        vec![
            (Role::Label, format!("{:<18}", row.name)),
            (role, format!("{:>wide$}  →  ", row.before)),
            (role, row.after),
        ]
    };
    rows.into_iter().map(row).collect()
}
