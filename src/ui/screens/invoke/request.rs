//! The middle pane: what the tool's author configured, the form of the arguments, and the request as it will be sent.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;

use super::{answer_view::indented, tools::tool_of};
use crate::{
    app::{
        actions::Act,
        input::{Code, Input},
        message::{Message, TextTarget},
        state::State,
    },
    model::{
        connection::TransportKind,
        entry::EntryId,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    systems,
    ui::{
        canvas::{Pen, fit, visible, width, wrap},
        form::view::{Form, FormReply},
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::pane::Pane,
    },
};

/// Cells of the names at the left of configuration and request.
const NAMES: usize = 15;

/// How many members of the configuration are shown at most.
const CONFIGURATION: usize = 6;

/// The middle pane.
#[derive(Default)]
pub(super) struct RequestPane {
    tool: Option<EntryId>,
    form: Option<Form>,
    /// Arguments with issues that were refused once; sending the same again means it.
    warned: Option<Arc<Value>>,
    /// Lines of the request that are scrolled over.
    scroll: usize,
    form_area: Rect,
}

impl RequestPane {
    pub(super) fn sync(&mut self, state: &State) {
        let tool = tool_of(state);
        let Some(found) = tool.as_ref().and_then(|id| state.catalog.tool(id)) else {
            (self.tool, self.form) = (None, None);
            return;
        };
        if self.tool != tool {
            self.form = Some(Form::new(found.arguments.clone()));
            self.scroll = 0;
            self.tool = tool;
        }
        let Some(form) = &mut self.form else { return };
        form.set_schema(&Arc::new(found.arguments.clone()));
        let source = state.arguments.get(found.id());
        let written = |at: &crate::schema::pointer::Pointer| source.and_then(|source| source.written(0, at));
        form.sync_written(&state.arguments_of(found.id()), &|at| written(at).map(str::to_owned));
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, state: &State, focused: bool) {
        let styles = look.styles;
        let Some(tool) = self.tool.as_ref().and_then(|id| state.catalog.tool(id)) else {
            let inside = Pane { title: "Request", focused, ..Pane::default() }.draw(buffer, area, styles);
            Pen::new(buffer, inside, 0).put("choose a tool", styles[Role::Ghost]);
            return;
        };
        let service = tool.service.as_deref().unwrap_or(&tool.kind);
        let title = format!("{} · {service}", tool.name);
        let foot = self.form.as_ref().and_then(Form::position).unwrap_or_default();
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }.draw(buffer, area, styles);
        let configuration = draw_configuration(buffer, indented(inside), styles, tool, state);
        let rest = Rect { y: inside.y + configuration, height: inside.height - configuration, ..inside };
        let lines = request_lines(state, tool, usize::from(indented(rest).width));
        let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(1);
        let below = wanted.min((rest.height / 2).max(rest.height.saturating_sub(self.form_height(rest.height))));
        self.form_area = Rect { height: rest.height - below, ..rest };
        match &mut self.form {
            Some(form) if !form.fields().is_empty() => form.draw(buffer, self.form_area, styles, focused),
            _ => {
                Pen::new(buffer, self.form_area, 0).put("this tool takes no arguments", styles[Role::Ghost]);
            }
        }
        self.draw_request(buffer, indented(Rect { y: self.form_area.bottom(), height: below, ..rest }), styles, &lines);
    }

    /// What the form would like to have: three lines a field, with room for help.
    fn form_height(&self, most: u16) -> u16 {
        let fields = self.form.as_ref().map_or(1, |form| form.fields().len());
        u16::try_from(fields * 2 + 3).unwrap_or(most).min(most)
    }

    fn draw_request(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, lines: &[RequestLine]) {
        if area.height < 2 {
            return;
        }
        Pen::new(buffer, area, 0).put(&"─".repeat(usize::from(area.width)), styles[Role::Border]);
        let seen = usize::from(area.height - 1);
        self.scroll = self.scroll.min(lines.len().saturating_sub(seen));
        for (row, line) in (1_u16..).zip(lines.iter().skip(self.scroll).take(seen)) {
            let mut pen = Pen::new(buffer, area, row);
            pen.column(line.name, 10, styles[Role::Label]).put(&line.text, styles[line.role]);
        }
        if self.scroll + seen < lines.len() {
            let more = format!(" … {} more lines", lines.len() - self.scroll - seen);
            Pen::new(buffer, area, area.height - 1).right(&more, styles[Role::Dim]);
        }
    }

    pub(super) fn typing(&self) -> bool {
        self.form.as_ref().is_some_and(Form::typing)
    }

    pub(super) fn input(&mut self, input: &Input) -> Reply {
        if let Input::Key(key) = input
            && (key.mods.ctrl || key.mods.alt)
        {
            match key.code {
                Code::PageDown => self.scroll += 5,
                Code::PageUp => self.scroll = self.scroll.saturating_sub(5),
                _ => return self.ask_form(|form| form.input(input)),
            }
            return Reply::Handled;
        }
        if let Input::Mouse(mouse) = input
            && let crate::app::input::MouseKind::Wheel(notches) = mouse.kind
            && !self.form_area.contains((mouse.column, mouse.row).into())
        {
            self.scroll = self.scroll.saturating_add_signed(isize::from(notches));
            return Reply::Handled;
        }
        self.ask_form(|form| form.input(input))
    }

    pub(super) fn act(&mut self, act: Act) -> Reply {
        self.ask_form(|form| form.act(act))
    }

    /// The keys have come here.
    pub fn enter(&mut self) {
        if let Some(form) = &mut self.form {
            form.enter();
        }
    }

    fn ask_form(&mut self, ask: impl FnOnce(&mut Form) -> FormReply) -> Reply {
        let (Some(form), Some(tool)) = (&mut self.form, &self.tool) else { return Reply::Ignored };
        match ask(form) {
            FormReply::Ignored => Reply::Ignored,
            FormReply::Handled | FormReply::Fix(_) => Reply::Handled,
            FormReply::Edits(edits) => {
                Reply::Send(edits.into_iter().map(|edit| Message::Arguments { tool: tool.clone(), edit }).collect())
            }
            FormReply::OpenEditor { at, text } => {
                Reply::send(Message::EditText { target: TextTarget::Arguments(tool.clone()), at, text })
            }
            FormReply::Refused(why) => Reply::Refused(why),
        }
    }

    pub(super) fn refusal(&self, act: Act) -> Option<String> {
        self.form.as_ref().map_or_else(|| Some("there is no form".into()), |form| form.refusal(act))
    }

    pub(super) fn hints(&self) -> Vec<Act> {
        self.form.as_ref().map_or_else(Vec::new, Form::hints)
    }

    /// Sends what the form holds. Arguments that their schema forbids are refused once; sending them again means it.
    pub(super) fn send(&mut self) -> Reply {
        let (Some(form), Some(tool)) = (&mut self.form, self.tool.clone()) else {
            return Reply::Refused("choose a tool first".into());
        };
        let value = Arc::clone(form.value());
        if let Some(issue) = form.issues().first()
            && self.warned.as_ref() != Some(&value)
        {
            let place = if issue.at.is_root() { String::new() } else { format!("{}: ", issue.at) };
            let words = format!("{place}{}; send again to send it all the same", issue.words);
            self.warned = Some(value);
            return Reply::Refused(words);
        }
        self.warned = None;
        Reply::send(Message::Send { tool })
    }
}

/// What the descriptor gives the service; answers how many lines it took.
fn draw_configuration(buffer: &mut Buffer, area: Rect, styles: &Styles, tool: &Tool, state: &State) -> u16 {
    let service = tool.service.as_deref().and_then(|key| state.catalog.service_by_key(tool.entry.system, key));
    let parameters = service.map_or(&[][..], |service| &service.parameters);
    let shown = parameters.len().min(CONFIGURATION).min(usize::from(area.height / 3));
    for (line, parameter) in (0_u16..).zip(&parameters[..shown]) {
        let mut pen = Pen::new(buffer, area, line);
        pen.column(if line == 0 { "configuration" } else { "" }, NAMES, styles[Role::Heading]);
        pen.column(&parameter.name, 12, styles[Role::Label]).put(" ", styles[Role::Text]);
        match tool.entry.value.get(&parameter.name) {
            Some(Value::String(text)) => pen.put(text, styles[Role::Text]),
            Some(other) => pen.put(&other.to_string(), styles[Role::SyntaxNumber]),
            None if parameter.required => pen.put("missing, and the service requires it", styles[Role::Error]),
            None => pen.put("not set", styles[Role::Ghost]),
        };
    }
    u16::try_from(shown).unwrap_or(0)
}

/// One line of the request as it will be sent.
struct RequestLine {
    name: &'static str,
    text: String,
    role: Role,
}

fn request_lines(state: &State, tool: &Tool, cells: usize) -> Vec<RequestLine> {
    let cells = cells.saturating_sub(10).max(10);
    let request = match state.request(tool.id()) {
        Ok(request) => request,
        Err(problem) => return problem_lines(&problem, cells),
    };
    let connection = state.connection();
    let system = systems::by_id(request.system);
    let subject = |address: &str| match (connection.transport, system) {
        (TransportKind::Nats | TransportKind::Embedded, Some(system)) => system.subject(address),
        _ => Ok(address.to_owned()),
    };
    let via = connection.transport.word();
    let to = match subject(&request.to) {
        Ok(subject) => (format!("{subject} ({via})"), Role::Text),
        Err(problem) => (format!("{}: {}", problem.cause, problem.remedy), Role::Error),
    };
    let inbox = "the call's own inbox";
    let reply = match request.reply.as_deref().map(subject) {
        Some(Ok(subject)) => (format!("{subject}, {inbox}"), Role::Text),
        Some(Err(problem)) => (problem.cause, Role::Error),
        None => (inbox.to_owned(), Role::Text),
    };
    let headers: Vec<String> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    // Ids look alike from their start on, so these may be cut where they do not fit; all else is shown whole.
    let cut = |name, text: &str, role| vec![RequestLine { name, text: text.to_owned(), role }];
    let whole = |name, (text, role): (String, Role)| -> Vec<RequestLine> {
        let rows = wrap(&visible(&text), cells).into_iter().enumerate();
        rows.map(|(row, text)| RequestLine { name: if row == 0 { name } else { "" }, text, role }).collect()
    };
    [
        whole("to", (request.to.clone(), Role::Text)),
        whole("subject", to),
        cut("id", &request.correlation, Role::Text),
        whole("reply", reply),
        cut("headers", &headers.join(", "), Role::Dim),
        whole("body", (request.body.to_string(), Role::Text)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn problem_lines(problem: &Problem, cells: usize) -> Vec<RequestLine> {
    let role = if problem.kind == ProblemKind::Input { Role::Warning } else { Role::Error };
    let line = |name, role| move |text| RequestLine { name, text, role };
    let mut lines: Vec<_> = wrap(&visible(&problem.cause), cells).into_iter().map(line("", role)).collect();
    if let Some(first) = lines.first_mut() {
        first.name = "no call";
    }
    lines.extend(wrap(&visible(&problem.remedy), cells).into_iter().map(line("", Role::Info)));
    lines
}

/// A name that fits a narrow place.
pub(super) fn short(name: &str, cells: usize) -> String {
    if width(name) <= cells { name.to_owned() } else { fit(name, cells).into_owned() }
}
