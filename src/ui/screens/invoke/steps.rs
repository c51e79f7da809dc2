//! The steps of a call that toolcrib runs itself: each as it would be sent, with what it sees of
//! the request and of the steps before it; below it, what came of it in this session.

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Map, Value, json};

use super::{
    parts::{Part, RequestPart},
    preview::taken_route,
};
use crate::{
    app::{
        calls::CallPart,
        edited_text::EditedText,
        input::{Code, Key, Mouse, MouseKind},
        state::State,
        step_run::{StepProgress, StepRun, StepsRevision},
    },
    model::{size, tool::Tool},
    schema::count::count_text,
    systems::{
        calling,
        facets::{
            steps::{StepInput, StepPreview, StepResult},
            templates::TextPiece,
        },
    },
    ui::{
        canvas::{Pen, mark_chosen, visible_text},
        filled_text::origin_role,
        form::{host::FormHost, previews::PreviewLine, view::Form},
        line_wrap::{RowWidths, wrap_styled},
        styles::{Role, Styles},
    },
};

/// How many letters of a text are shown; the answer's events hold all of it.
const LONGEST: usize = 20_000;
/// So many rows of a text stand in the list, of the chosen step and of the others; a page has all.
const CHOSEN_ROWS: usize = 8;
const OTHER_ROWS: usize = 3;
/// Cells of a line on a page of its own, beside what it is.
const PAGE: usize = 80;
/// Cells for what a line is.
const NAMES: usize = 10;

/// A line of the list.
struct StepLine {
    /// The number of the step, from 0.
    step: usize,
    name: &'static str,
    pieces: PreviewLine,
}

/// The steps of the chosen tool.
#[derive(Default)]
pub(super) struct StepsPane {
    revision: Option<StepsRevision>,
    run: StepRun,
    /// The route of the tool's calls, where there are several.
    route: Option<String>,
    lines: Vec<StepLine>,
    /// The cells for the lines, as they were last drawn.
    cells: usize,
    /// The chosen step, from 0.
    row: usize,
    /// The first line that is seen.
    top: usize,
    /// The chosen step is to be brought into view.
    follow: bool,
    area: Rect,
    /// What the chosen step gets in the place of what it sees.
    pub(super) inputs: FormHost<RequestPart>,
}

impl StepsPane {
    /// Takes in the steps of the tool's request, and what came of them.
    pub(super) fn sync_state(&mut self, state: &State, tool: &Tool) {
        let revision = StepsRevision::of_tool(state, tool.id());
        if self.revision.as_ref() == Some(&revision) {
            return;
        }
        self.revision = Some(revision);
        self.run = StepRun::of_tool(state, tool.id());
        let routes = calling::call_routes(tool, &state.call_connection(tool.id()));
        self.route = taken_route(state, tool, &routes).map(str::to_owned);
        self.row = self.row.min(self.run.steps.len().saturating_sub(1));
        self.lay_out_lines();
        self.sync_inputs(state, tool, state.typed_text(tool.id(), CallPart::Arguments));
    }

    /// Brings the form of the chosen step's inputs in line.
    fn sync_inputs(&mut self, state: &State, tool: &Tool, typed: Option<&EditedText>) {
        let Some(step) = self.run.steps.get(self.row).filter(|_| self.inputs.owner().is_some())
        else {
            return self.inputs.hide();
        };
        let owner = RequestPart::new(tool.id().clone(), Part::Inputs);
        let (schema, ui) = input_schema(step);
        self.inputs.show(owner, || Form::new(json!({})));
        let given = state.arguments_of(tool.id());
        let of =
            |input: &StepInput| Some((input.argument.clone(), given.get(&input.argument)?.clone()));
        let value: Map<String, Value> = step.inputs.iter().filter_map(of).collect();
        let revision = typed.map_or(0, EditedText::revision);
        if let Some(form) = self.inputs.shown_form_mut() {
            form.set_schema(&std::sync::Arc::new(schema));
            form.set_ui(Some(std::sync::Arc::new(ui)));
        }
        let _ = self.inputs.outdated_form(revision);
        if let Some(form) = self.inputs.shown_form_mut() {
            form.sync_value(&std::sync::Arc::new(Value::Object(value)));
        }
        self.inputs.sync_surroundings(state);
    }

    /// Opens the form of what the chosen step gets.
    pub(super) fn open_inputs(&mut self, state: &State, tool: &Tool) {
        let owner = RequestPart::new(tool.id().clone(), Part::Inputs);
        self.inputs.show(owner, || Form::new(json!({})));
        let typed = state.typed_text(tool.id(), CallPart::Arguments);
        self.sync_inputs(state, tool, typed);
    }

    pub(super) fn close_inputs(&mut self) {
        self.inputs.take_shown();
    }

    /// What is above the steps: by which key, and by which route they are sent.
    pub(super) fn heading(&self, send: &str) -> String {
        let route =
            self.route.as_ref().map_or_else(String::new, |route| format!(" · route {route}"));
        format!(" steps, as {send} sends them{route} ")
    }

    /// Whether the request has steps.
    pub(super) fn is_open(&self) -> bool {
        !self.run.steps.is_empty()
    }

    /// The steps, and what came of them.
    pub(super) fn run(&self) -> &StepRun {
        &self.run
    }

    /// The chosen step, by its number from 0, and its name.
    pub(super) fn chosen_step(&self) -> Option<(usize, &StepPreview)> {
        Some((self.row, self.run.steps.get(self.row)?))
    }

    /// Chooses a step, from 0; the last one where there are fewer.
    pub(super) fn choose_step(&mut self, row: usize) {
        self.row = row.min(self.run.steps.len().saturating_sub(1));
        self.follow = true;
        self.lay_out_lines();
    }

    fn lay_out_lines(&mut self) {
        // The last cell is for the sign that a text goes on.
        let cells = self.cells.saturating_sub(NAMES + 1).max(12);
        let mut lines = Vec::new();
        for (row, step) in self.run.steps.iter().enumerate() {
            let most = if row == self.row { CHOSEN_ROWS } else { OTHER_ROWS };
            let mut add = |name: &'static str, pieces: &[(Role, String)]| {
                let mut rows =
                    wrap_styled(&first_letters(pieces, (most + 1) * cells), RowWidths::all(cells));
                let goes_on = rows.len() > most;
                rows.truncate(most);
                if let Some(last) = rows.last_mut().filter(|_| goes_on) {
                    last.push((Role::Dim, "…".into()));
                }
                for (line, pieces) in rows.into_iter().enumerate() {
                    let name = if line == 0 { name } else { "" };
                    lines.push(StepLine { step: row, name, pieces });
                }
            };
            let (sign, role) = progress_sign(self.run.progress_of(row));
            let mut head = vec![(role, sign.to_owned())];
            head.push((Role::Accent, format!("{} {}", step.number, shown(&step.name))));
            if self.run.has_break(row) {
                head.push((Role::Warning, "  ● stops before it".into()));
            }
            add("step", &head);
            add_preview(step, &mut add);
            if let Some(result) = self.run.report_of(row).and_then(|report| report.result.as_ref())
            {
                add_result(result, &mut add);
            }
        }
        self.lines = lines;
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, focused: bool) {
        self.area = area;
        if self.cells != usize::from(area.width) {
            self.cells = usize::from(area.width);
            self.lay_out_lines();
        }
        let height = usize::from(area.height);
        let of_step = |line: &StepLine| line.step == self.row;
        let first = self.lines.iter().position(of_step).unwrap_or_default();
        let end = self.lines.iter().rposition(of_step).map_or(0, |line| line + 1);
        if std::mem::take(&mut self.follow) {
            if end > self.top + height {
                self.top = end - height;
            }
            self.top = self.top.min(first);
        }
        self.top = self.top.min(self.lines.len().saturating_sub(height));
        for (row, line) in (0..area.height).zip(self.lines.iter().skip(self.top)) {
            let mut pen = Pen::new(buffer, area, row);
            pen.put_column(line.name, NAMES, styles[Role::Label]);
            for (role, text) in &line.pieces {
                pen.put_text(text, styles[*role]);
            }
            if line.step == self.row && line.name == "step" {
                mark_chosen(buffer, area, row, styles, focused);
            }
        }
        if self.top + height < self.lines.len() && height > 0 {
            let left = self.lines.len() - self.top - height;
            let more = format!(" … {}", count_text(left, "more line", "more lines"));
            Pen::new(buffer, area, area.height - 1).put_right(&more, styles[Role::Dim]);
        }
    }

    /// The steps as they would be sent, for a page of their own.
    pub(super) fn dry_run_lines(&self) -> Vec<PreviewLine> {
        let mut lines = Vec::new();
        for step in &self.run.steps {
            lines.push(Vec::new());
            add_page_step(step, None, &mut lines);
        }
        lines
    }

    /// All of the chosen step and of what came of it, for a page of its own.
    pub(super) fn chosen_lines(&self) -> Vec<PreviewLine> {
        let mut lines = Vec::new();
        if let Some(step) = self.run.steps.get(self.row) {
            let result = self.run.report_of(self.row).and_then(|report| report.result.as_ref());
            add_page_step(step, result, &mut lines);
        }
        lines
    }

    /// How many lines the steps take.
    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Moves among the steps; whether the key was one for that.
    pub(super) fn handle_key(&mut self, key: Key) -> bool {
        let page = usize::from(self.area.height).saturating_sub(1);
        match key.code {
            _ if key.mods.ctrl || key.mods.alt => return false,
            Code::Up | Code::Char('k') => self.choose_step(self.row.saturating_sub(1)),
            Code::Down | Code::Char('j') => self.choose_step(self.row + 1),
            Code::Home => self.choose_step(0),
            Code::End => self.choose_step(usize::MAX),
            Code::PageDown => self.top += page,
            Code::PageUp => self.top = self.top.saturating_sub(page),
            _ => return false,
        }
        true
    }

    /// Takes a mouse event among the steps: the wheel scrolls, a press chooses. Whether it was a
    /// press on the step that is chosen already.
    pub(super) fn handle_mouse(&mut self, mouse: Mouse) -> bool {
        match mouse.kind {
            MouseKind::Wheel(notches) => {
                self.top = self.top.saturating_add_signed(isize::from(notches) * 3);
            }
            MouseKind::Down(_) => {
                let row = self.top + usize::from(mouse.row.saturating_sub(self.area.y));
                if let Some(step) = self.lines.get(row).map(|line| line.step) {
                    let is_same = step == self.row;
                    self.choose_step(step);
                    return is_same;
                }
            }
            _ => {}
        }
        false
    }

    /// Whether a place of the screen lies among the steps.
    pub(super) fn contains(&self, at: ratatui::layout::Position) -> bool {
        self.is_open() && self.area.contains(at)
    }
}

/// Adds a step to a page, whole.
fn add_page_step(step: &StepPreview, result: Option<&StepResult>, lines: &mut Vec<PreviewLine>) {
    lines.push(vec![(Role::Accent, format!("step {} {}", step.number, shown(&step.name)))]);
    let mut add = |name: &'static str, pieces: &[(Role, String)]| {
        for (row, mut line) in wrap_styled(pieces, RowWidths::all(PAGE)).into_iter().enumerate() {
            let name = if row == 0 { name } else { "" };
            line.insert(0, (Role::Label, format!("{name:<NAMES$}")));
            lines.push(line);
        }
    };
    add_preview(step, &mut add);
    if let Some(result) = result {
        add_result(result, &mut add);
    }
}

/// What a step would send, and what it sees.
fn add_preview(step: &StepPreview, add: &mut impl FnMut(&'static str, &[(Role, String)])) {
    for seen in step.seen.iter().filter(|seen| !seen.is_own) {
        let text = format!("{} {} ({})", seen.name, shown(&seen.value), seen.origin);
        add("", &[(Role::Dim, text)]);
    }
    let method = step.line.split(' ').next().unwrap_or_default();
    let path: String = step.path_pieces.iter().map(|piece| piece.text.as_str()).collect();
    if step.line == format!("{method} {path}") {
        let mut pieces = vec![(Role::Text, format!("{method} "))];
        pieces.extend(coloured(&step.path_pieces));
        add("sends", &pieces);
    } else {
        add("sends", &[(Role::Text, shown(&step.line))]);
    }
    match &step.body {
        Some(_) if !step.body_pieces.is_empty() => add("body", &coloured(&step.body_pieces)),
        Some(body) => add("body", &[(Role::Text, shown(body))]),
        None => {}
    }
    for remark in &step.remarks {
        add("", &[(Role::Warning, shown(remark))]);
    }
}

/// What came of a step.
fn add_result(result: &StepResult, add: &mut impl FnMut(&'static str, &[(Role, String)])) {
    let size = size::format_size(result.raw.len() as u64);
    let role = if result.status < 400 { Role::Success } else { Role::Error };
    add("answered", &[(role, result.status.to_string()), (Role::Dim, format!("  {size}"))]);
    let mut text = |name: &'static str, text: &str| add(name, &[(Role::Text, shown(text))]);
    text("raw", &result.raw);
    if let Some(problem) = &result.problem {
        return add("", &[(Role::Error, shown(problem))]);
    }
    if let Some(processed) = &result.processed {
        text("processed", processed);
    }
    if result.filtered != result.raw {
        text("filtered", &result.filtered);
    }
    text("stored", &result.stored);
    if result.escaped_twice != result.stored {
        text("twice", &result.escaped_twice);
    }
    add(
        "",
        &[(
            Role::Dim,
            format!(
                "stored as {}, escaped once; a connector escapes it \
            again",
                result.stored_as
            ),
        )],
    );
    for remark in &result.remarks {
        add("", &[(Role::Warning, shown(remark))]);
    }
}

/// How a step is marked by what came of it.
fn progress_sign(progress: StepProgress) -> (&'static str, Role) {
    match progress {
        StepProgress::Waiting => ("", Role::Dim),
        StepProgress::Running => ("… ", Role::Accent),
        StepProgress::Ran => ("✓ ", Role::Success),
        StepProgress::Failed => ("✗ ", Role::Error),
        StepProgress::Next => ("▶ ", Role::Accent),
    }
}

fn coloured(pieces: &[TextPiece]) -> PreviewLine {
    pieces.iter().map(|piece| (origin_role(piece.origin), shown(&piece.text))).collect()
}

/// The first letters of a line, so that no more is laid out than is seen.
fn first_letters(pieces: &[(Role, String)], mut most: usize) -> PreviewLine {
    let mut kept = PreviewLine::new();
    for (role, text) in pieces {
        let start: String = text.chars().take(most).collect();
        most -= start.chars().count();
        kept.push((*role, start));
    }
    kept
}

/// As much of a text as is shown, with nothing in it that would not show.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(LONGEST).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    let lines: Vec<_> = start.split('\n').map(visible_text).collect();
    format!("{}{cut}", lines.join("\n"))
}

/// The form of what a step can be given: each input a text, with what it is without that.
fn input_schema(step: &StepPreview) -> (Value, Value) {
    let mut properties = Map::new();
    let mut ui = Map::new();
    for input in &step.inputs {
        let now = match &input.value {
            Some(value) => format!("{} ({})", shown(value), input.origin),
            None => input.origin.clone(),
        };
        let help = format!("Sent as {} with the next calls until you remove it", input.argument);
        let schema = json!({"type": "string", "title": input.name, "description": help});
        properties.insert(input.argument.clone(), schema);
        ui.insert(input.argument.clone(), json!({"ui:placeholder": now}));
    }
    let schema = json!({
        "type": "object", "properties": properties, "additionalProperties": false,
    });
    (schema, Value::Object(ui))
}
