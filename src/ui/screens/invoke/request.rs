//! The middle pane: what the tool's author configured, the form of the arguments, and the request
//! as it will be sent.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Map, Value, json};

use super::{
    preview::{RequestLine, request_lines},
    tools::tool_of,
};
use crate::{
    app::{
        calls::CallMessage,
        documents::Change,
        edited_text::EditedText,
        input::{Code, Input, Mouse, MouseKind},
        message::{DocumentMessage, Message, TextTarget},
        notices::NoticeKind,
        state::State,
    },
    model::{entry::EntryId, finding::EntryEdit, service::Parameter, tool::Tool},
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::table,
    ui::{
        answer::draw::inset_area,
        canvas::Pen,
        form::{
            host::{FormHost, ValueOwner, written_in},
            view::Form,
        },
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::pane::Pane,
    },
};

/// Which of the two forms has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// What the tool's author sets: it stands in the descriptor.
    Configuration,
    /// What a model would give.
    #[default]
    Arguments,
}

/// A part of the request of a tool: whose value one of the forms edits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RequestPart {
    tool: EntryId,
    part: Part,
}

impl ValueOwner for RequestPart {
    fn text_target(&self, at: Pointer) -> (TextTarget, Pointer) {
        let tool = self.tool.clone();
        match self.part {
            Part::Configuration => (TextTarget::Entry(tool), at),
            Part::Arguments => (TextTarget::Arguments(tool), at),
        }
    }

    /// They change the descriptor, or the arguments of the next call.
    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, _: &State) -> Vec<Message> {
        let tool = self.tool.clone();
        match self.part {
            Part::Arguments => vec![Message::Call(CallMessage::EditArguments { tool, edits })],
            Part::Configuration => {
                let label = edits.first().map_or_else(String::new, |edit| {
                    format!("set {}", edit.pointer().to_string().trim_start_matches('/'))
                });
                let change = |edit| Change::Entry(EntryEdit { entry: tool.clone(), edit });
                vec![Message::Document(DocumentMessage::Change {
                    label,
                    changes: edits.into_iter().map(change).collect(),
                })]
            }
        }
    }
}

/// The middle pane.
#[derive(Default)]
pub(super) struct RequestPane {
    tool: Option<EntryId>,
    /// The catalog's generation that the forms were made from.
    generation: Option<u64>,
    part: Part,
    /// Where the service takes parameters from the tool.
    configuration: FormHost<RequestPart>,
    arguments: FormHost<RequestPart>,
    /// Arguments with issues that were refused once; sending the same again means it.
    warned: Option<Arc<Value>>,
    /// Lines of the request that are scrolled over.
    scroll: usize,
    configuration_area: Rect,
    arguments_area: Rect,
}

impl RequestPane {
    pub(super) fn sync_state(&mut self, state: &State) {
        let tool = tool_of(state);
        let Some(found) = tool.as_ref().and_then(|id| state.tool(id)) else {
            *self = Self::default();
            return;
        };
        let is_new = self.tool != tool;
        if is_new {
            *self = Self { tool, ..Self::default() };
        }
        let owner = RequestPart { tool: found.id().clone(), part: Part::Arguments };
        self.arguments.show(owner, || Form::new(table::arguments_schema(found)));
        if self.generation != Some(state.generation) {
            self.generation = Some(state.generation);
            self.sync_descriptor(state, found);
        }
        self.arguments.sync_surroundings(state);
        self.configuration.sync_surroundings(state);
        let typed = state.invoke.arguments.get(found.id());
        let revision = typed.map_or(0, EditedText::revision);
        let Some(form) = self.arguments.outdated_form(revision) else { return };
        let value = state.arguments_of(found.id());
        let source = typed.map(EditedText::source);
        form.sync_written(&value, &written_in(source, 0, &Pointer::root()));
        // What a sample filled in was chosen by nobody yet: typing replaces it.
        if is_new && typed.is_none_or(|text| !text.can_undo() && !text.can_redo()) {
            form.mark_unchosen();
        }
    }

    /// Takes in what the descriptors say: the arguments' schema, the configuration.
    fn sync_descriptor(&mut self, state: &State, tool: &Tool) {
        if let Some(form) = self.arguments.shown_form_mut() {
            form.set_schema(&Arc::new(table::arguments_schema(tool)));
        }
        let parameters = parameters_of(state, tool);
        if parameters.is_empty() {
            self.part = Part::Arguments;
            drop(self.configuration.take_shown());
            return;
        }
        let owner = RequestPart { tool: tool.id().clone(), part: Part::Configuration };
        let schema = Arc::new(configuration_schema(parameters, tool));
        self.configuration.show(owner, || Form::new(Arc::clone(&schema)));
        if let Some(form) = self.configuration.shown_form_mut() {
            form.set_schema(&schema);
            form.sync_value(&Arc::new(configuration(parameters, tool)));
        }
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let Some(tool) = self.tool.as_ref().and_then(|id| state.tool(id)) else {
            let inside =
                Pane { title: "Request", focused, ..Pane::default() }.draw(buffer, area, styles);
            Pen::new(buffer, inside, 0).put_text("choose a tool", styles[Role::Ghost]);
            return;
        };
        let beside = match state.deployed_on(tool.id()) {
            Some(connection) => format!("deployed on {connection}"),
            None => tool.service.as_ref().unwrap_or(&tool.kind).clone(),
        };
        let title = format!("{} · {beside}", tool.name);
        let foot = self.focused_form().position();
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }
            .draw(buffer, area, styles);
        let rest = self.draw_configuration(buffer, inside, styles, focused);
        let lines = request_lines(state, tool, usize::from(inset_area(rest).width));
        let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(1);
        let below = wanted.min(
            (rest.height / 2).max(rest.height.saturating_sub(self.arguments_height(rest.height))),
        );
        self.arguments_area = Rect { height: rest.height - below, ..rest };
        if fields_of(&self.arguments) > 0 {
            let has_keys = focused && self.part == Part::Arguments;
            self.arguments.draw(buffer, self.arguments_area, styles, has_keys);
        } else {
            Pen::new(buffer, inset_area(self.arguments_area), 0)
                .put_text("this tool takes no arguments", styles[Role::Ghost]);
        }
        self.draw_request(
            buffer,
            inset_area(Rect { y: self.arguments_area.bottom(), height: below, ..rest }),
            styles,
            &lines,
        );
    }

    /// Draws what the tool's author sets, with the headings of both forms; answers the area below.
    fn draw_configuration(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        focused: bool,
    ) -> Rect {
        self.configuration_area = Rect::default();
        if self.configuration.owner().is_none() || area.height < 8 {
            return area;
        }
        let has_keys = focused && self.part == Part::Configuration;
        // The focused field has lines of help below it.
        let fields = u16::try_from(fields_of(&self.configuration))
            .unwrap_or(u16::MAX)
            .saturating_add(if has_keys { 2 } else { 0 });
        let height = fields.min(area.height / 3);
        Pen::new(buffer, inset_area(area), 0)
            .put_text("configuration", styles[Role::Heading])
            .put_text("  in the descriptor", styles[Role::Dim]);
        self.configuration_area = Rect { y: area.y + 1, height, ..area };
        self.configuration.draw(buffer, self.configuration_area, styles, has_keys);
        let below = Rect { y: area.y + 1 + height, height: area.height - 1 - height, ..area };
        Pen::new(buffer, inset_area(below), 0).put_text("arguments", styles[Role::Heading]);
        Rect { y: below.y + 1, height: below.height - 1, ..below }
    }

    /// What the form would like to have: two lines a field, and room for help.
    fn arguments_height(&self, most: u16) -> u16 {
        u16::try_from(fields_of(&self.arguments) * 2 + 3).unwrap_or(most).min(most)
    }

    fn draw_request(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        lines: &[RequestLine],
    ) {
        if area.height < 2 {
            return;
        }
        Pen::new(buffer, area, 0)
            .put_text(&"─".repeat(usize::from(area.width)), styles[Role::Border]);
        let seen = usize::from(area.height - 1);
        self.scroll = self.scroll.min(lines.len().saturating_sub(seen));
        for (row, line) in (1_u16..).zip(lines.iter().skip(self.scroll).take(seen)) {
            let mut pen = Pen::new(buffer, area, row);
            pen.put_column(line.name, 10, styles[Role::Label])
                .put_text(&line.text, styles[line.role]);
        }
        if self.scroll + seen < lines.len() {
            let more = format!(" … {} more lines", lines.len() - self.scroll - seen);
            Pen::new(buffer, area, area.height - 1).put_right(&more, styles[Role::Dim]);
        }
    }

    /// The form that has the keys.
    pub(super) fn focused_form(&self) -> &FormHost<RequestPart> {
        match self.part {
            Part::Configuration => &self.configuration,
            Part::Arguments => &self.arguments,
        }
    }

    pub(super) fn focused_form_mut(&mut self) -> &mut FormHost<RequestPart> {
        match self.part {
            Part::Configuration => &mut self.configuration,
            Part::Arguments => &mut self.arguments,
        }
    }

    /// Goes on to the arguments, or back to the configuration; whether there was a way within this
    /// pane.
    pub(super) fn step_part(&mut self, back: bool) -> bool {
        let to = match (self.part, back) {
            (Part::Configuration, false) => Part::Arguments,
            (Part::Arguments, true) if self.configuration.owner().is_some() => Part::Configuration,
            _ => return false,
        };
        self.part = to;
        self.focused_form_mut().rest();
        true
    }

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        if let Input::Key(key) = input
            && (key.mods.ctrl || key.mods.alt)
        {
            match key.code {
                Code::PageDown => self.scroll += 5,
                Code::PageUp => self.scroll = self.scroll.saturating_sub(5),
                _ => return self.focused_form_mut().input(input, state),
            }
            return Reply::Handled;
        }
        if let Input::Mouse(Mouse { kind, column, row, .. }) = input {
            let at = (*column, *row).into();
            match (kind, self.configuration_area.contains(at), self.arguments_area.contains(at)) {
                (MouseKind::Down(_), true, _) => self.part = Part::Configuration,
                (MouseKind::Down(_), _, true) => self.part = Part::Arguments,
                (MouseKind::Wheel(notches), false, false) => {
                    self.scroll = self.scroll.saturating_add_signed(isize::from(*notches));
                    return Reply::Handled;
                }
                _ => {}
            }
        }
        self.focused_form_mut().input(input, state)
    }

    /// Sends what the form holds. Arguments that their schema forbids are refused once; sending
    /// them again means it.
    pub(super) fn send(&mut self, state: &State) -> Reply {
        // What is typed and not yet taken in goes along.
        let mut messages = self.arguments.leave(state);
        let (Some(form), Some(tool)) = (self.arguments.shown_form(), self.tool.clone()) else {
            return Reply::Refused("choose a tool first".into());
        };
        let value = Arc::clone(form.value());
        let unread = form
            .draft_issues()
            .into_iter()
            .next()
            .map(|words| format!("{words}, and would not be sent"));
        let place = |at: &Pointer| if at.is_root() { String::new() } else { format!("{at}: ") };
        let issue =
            form.issues().first().map(|issue| format!("{}{}", place(&issue.at), issue.words));
        if let Some(issue) = unread.or(issue)
            && self.warned.as_ref() != Some(&value)
        {
            self.warned = Some(value);
            let words = format!("{issue}; send again to send it all the same");
            if messages.is_empty() {
                return Reply::Refused(words);
            }
            messages.push(Message::Notice(NoticeKind::Hint, words));
            return Reply::Send(messages);
        }
        self.warned = None;
        messages.push(Message::Call(CallMessage::Send { tool }));
        Reply::Send(messages)
    }

    /// The tool whose arguments have the keys.
    pub(super) fn typed_tool(&self) -> Option<&EntryId> {
        self.tool.as_ref().filter(|_| self.part == Part::Arguments)
    }
}

/// How many fields the shown form has.
fn fields_of(host: &FormHost<RequestPart>) -> usize {
    host.shown_form().map_or(0, |form| form.fields().len())
}

/// What the tool's service takes from the descriptor.
fn parameters_of<'s>(state: &'s State, tool: &Tool) -> &'s [Parameter] {
    let service = tool
        .service
        .as_deref()
        .and_then(|key| state.catalog.service_by_key(tool.entry.system, key));
    service.map_or(&[], |service| &service.parameters)
}

/// Parameters have no type; what is text, or not there yet, is edited as text, all else as JSON.
fn configuration_schema(parameters: &[Parameter], tool: &Tool) -> Value {
    let of = |parameter: &Parameter| {
        let text = tool.entry.value.get(&parameter.name).is_none_or(Value::is_string);
        (parameter.name.clone(), if text { json!({"type": "string"}) } else { json!({}) })
    };
    let properties: Map<String, Value> = parameters.iter().map(of).collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|parameter| parameter.required)
        .map(|parameter| parameter.name.as_str())
        .collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn configuration(parameters: &[Parameter], tool: &Tool) -> Value {
    let of = |parameter: &Parameter| {
        Some((parameter.name.clone(), tool.entry.value.get(&parameter.name)?.clone()))
    };
    Value::Object(parameters.iter().filter_map(of).collect())
}
