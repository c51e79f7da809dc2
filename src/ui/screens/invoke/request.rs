//! The middle pane: what the tool's author configured, the form of the arguments, and the request
//! as it will be sent.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    meta::MetaSection,
    mock::MockSection,
    parts::{
        ArgumentsView, Part, RequestPart, arguments_form, arguments_schema, configuration,
        configuration_schema, parameters_of,
    },
    preview::request_lines,
    refusals::no_tool_words,
    request_line::{RequestLine, draw_lines, request_title},
    steps::StepsPane,
    tools::tool_of,
    variables::{OfferedNames, undefined_notes},
    warned::Warned,
};
use crate::{
    app::{
        calls::{CallPart, CallText},
        edited_text::EditedText,
        input::{Code, Input, Key, Mouse, MouseKind},
        moved::MovedEntries,
        state::State,
    },
    model::{entry::EntryId, tool::Tool},
    schema::pointer::Pointer,
    ui::{
        canvas::{Pen, inset_area, wrap},
        form::{
            host::{FormHost, written_in},
            view::Form,
        },
        styles::Role,
        view::{Look, Reply},
        widgets::{pane::Pane, panes::Step},
    },
};

/// The lines that the form of a mock takes.
const MOCK_LINES: usize = 14;
/// More cells than a line of a request takes.
const UNWRAPPED: usize = 30_000;

/// The middle pane.
#[derive(Default)]
pub(crate) struct RequestPane {
    tool: Option<EntryId>,
    /// The catalog's generation that the forms were made from.
    pub(super) generation: Option<u64>,
    pub(super) part: Part,
    /// How the arguments are shown.
    pub(super) view: ArgumentsView,
    /// They are to be typed in as soon as they are shown so.
    pub(super) opens_json: bool,
    /// Where the service takes parameters from the tool.
    configuration: FormHost<RequestPart>,
    pub(super) arguments: FormHost<RequestPart>,
    pub(super) meta: MetaSection,
    pub(super) mock: MockSection,
    pub(super) steps: StepsPane,
    wants_menu: bool,
    /// The step that was gone to already, by its turn.
    reached: Option<u64>,
    /// No form, for where the keys are in none.
    no_form: FormHost<RequestPart>,
    /// What is offered while a template is typed in the arguments.
    offered: OfferedNames,
    /// What was refused once for its issues; sending the same again means it.
    pub(super) warned: Option<Warned>,
    /// Lines of the request that are scrolled over.
    scroll: usize,
    configuration_area: Rect,
    arguments_area: Rect,
    inputs_area: Rect,
}

impl RequestPane {
    pub(super) fn follow_moved(&mut self, moved: &MovedEntries) {
        moved.follow_one(&mut self.tool);
        let (of_mock, inputs) = (&mut self.mock.host, &mut self.steps.inputs);
        let own = [&mut self.configuration, &mut self.arguments, of_mock, inputs];
        own.into_iter()
            .chain([self.meta.host_mut()])
            .for_each(|host| host.follow_owners(|part| part.follow(moved)));
    }

    pub(super) fn sync_state(&mut self, state: &State) {
        let tool = tool_of(state);
        let Some(found) = tool.as_ref().and_then(|id| state.tool(id)) else {
            *self = Self { reached: self.reached, ..Self::default() };
            return;
        };
        let is_new = self.tool != tool;
        if is_new {
            // What is typed and is no value yet waits for when the tool is chosen again.
            self.arguments.retain_drafts();
            *self = Self {
                tool,
                reached: self.reached,
                view: self.view,
                arguments: std::mem::take(&mut self.arguments),
                ..Self::default()
            };
        }
        let owner = RequestPart {
            as_json: self.view.as_json,
            ..RequestPart::new(found.id().clone(), Part::Arguments)
        };
        self.arguments.show(owner, || arguments_form(found, self.view));
        if self.generation != Some(state.generation) {
            self.generation = Some(state.generation);
            self.sync_descriptor(state, found);
        }
        self.offered.follow(state, found, self.arguments.shown_form_mut());
        self.arguments.sync_surroundings(state);
        self.configuration.sync_surroundings(state);
        self.meta.sync_state(state, found);
        self.steps.sync_state(state, found);
        self.mock.sync_state(state, found);
        let is_gone = match self.part {
            Part::Steps => !self.steps.is_open(),
            Part::Mock => !self.mock.is_on(),
            _ => false,
        };
        if is_gone {
            self.part = Part::Arguments;
        }
        let typed = state.typed_text(found.id(), CallPart::Arguments);
        let revision = typed.map_or(0, EditedText::revision);
        if let Some(form) = self.arguments.outdated_form(revision) {
            let value = state.arguments_of(found.id());
            let source = typed.map(EditedText::source);
            form.sync_written(&value, &written_in(source, 0, &Pointer::root()));
            form.set_notes(undefined_notes(&value, state, found));
            // What a sample filled in was chosen by nobody yet: typing replaces it.
            if is_new && typed.is_none_or(|text| !text.can_undo() && !text.can_redo()) {
                form.mark_unchosen();
            }
        }
        if std::mem::take(&mut self.opens_json) {
            // Nothing of the value changes with that.
            self.arguments.act("open-field", state);
        }
    }

    /// Takes in what the descriptors say: the arguments' schema, the configuration.
    fn sync_descriptor(&mut self, state: &State, tool: &Tool) {
        if let Some(form) = self.arguments.shown_form_mut() {
            form.set_schema(&Arc::new(arguments_schema(tool)));
            form.hide_names(self.view.hidden_names());
        }
        self.meta.sync_descriptor(tool);
        let parameters = parameters_of(state, tool);
        if parameters.is_empty() {
            if self.part == Part::Configuration {
                self.part = Part::Arguments;
            }
            drop(self.configuration.take_shown());
            return;
        }
        let owner = RequestPart::new(tool.id().clone(), Part::Configuration);
        let schema = Arc::new(configuration_schema(parameters, tool));
        self.configuration.show(owner, || Form::new(Arc::clone(&schema)));
        if let Some(form) = self.configuration.shown_form_mut() {
            form.set_schema(&schema);
            form.sync_value(&Arc::new(configuration(parameters, tool)));
        }
    }

    /// The tool whose request it is.
    pub(super) fn tool(&self) -> Option<&EntryId> {
        self.tool.as_ref()
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
            let inside = inset_area(inside);
            let lines = wrap(&no_tool_words(state), usize::from(inside.width).max(1));
            for (row, line) in (0..inside.height).zip(lines) {
                Pen::new(buffer, inside, row).put_text(&line, styles[Role::Ghost]);
            }
            return;
        };
        let title = request_title(tool, state);
        let foot = self.focused_form().position();
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }
            .draw(buffer, area, styles);
        let rest = self.draw_configuration(buffer, inside, look, focused);
        if self.mock.is_on() {
            let below = self.draw_forms(buffer, rest, look, (focused, MOCK_LINES));
            let has_keys = focused && self.part == Part::Mock;
            return self.mock.draw(buffer, inset_area(below), look, has_keys);
        }
        if self.steps.is_open() {
            let lines = self.steps.line_count().saturating_add(self.inputs_height());
            let below = self.draw_forms(buffer, rest, look, (focused, lines));
            return self.draw_steps(buffer, inset_area(below), look, focused);
        }
        let lines = request_lines(state, tool, usize::from(inset_area(rest).width), self.view);
        let below = self.draw_forms(buffer, rest, look, (focused, lines.len()));
        let below = inset_area(below);
        draw_lines(buffer, below, look, &lines, &mut self.scroll);
    }

    /// The lines that the form of a step's inputs takes, with its heading.
    fn inputs_height(&self) -> usize {
        match self.steps.inputs.field_count() {
            0 => 0,
            fields => fields + 5,
        }
    }

    /// Draws the steps of the request, and above them what the chosen one is given, where that is
    /// open.
    fn draw_steps(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        if area.height < 2 {
            return;
        }
        let styles = look.styles;
        let line = "─".repeat(usize::from(area.width));
        Pen::new(buffer, area, 0).put_text(&line, styles[Role::Border]);
        let key = |id| look.keymap.way_to(id);
        let words = match self.steps.run().stopped_at() {
            Some(row) if focused => {
                format!(" next: step {}, {} goes on ", row + 1, key("continue-steps"))
            }
            _ => self.steps.heading(&key("send")),
        };
        Pen::new(buffer, area, 0).skip(2).put_text(&words, styles[Role::Heading]);
        let mut below = Rect { y: area.y + 1, height: area.height - 1, ..area };
        let inputs = u16::try_from(self.inputs_height()).unwrap_or(u16::MAX).min(below.height / 2);
        if let Some((_, step)) = self.steps.chosen_step().filter(|_| inputs > 2) {
            let words = format!("what step {} gets instead", step.number);
            Pen::new(buffer, below, 0)
                .put_text(&words, styles[Role::Heading])
                .put_text("  Esc closes this", styles[Role::Dim]);
            self.inputs_area = Rect { y: below.y + 1, height: inputs - 2, ..below };
            let has_keys = focused && self.part == Part::Inputs;
            self.steps.inputs.draw(buffer, self.inputs_area, look, has_keys);
            below = Rect { y: below.y + inputs, height: below.height - inputs, ..below };
        }
        self.steps.draw(buffer, below, styles, focused && self.part == Part::Steps);
    }

    /// Draws the arguments and what is said beside them; answers the area below, for so many lines
    /// of the request.
    fn draw_forms(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        (focused, lines): (bool, usize),
    ) -> Rect {
        let styles = look.styles;
        let has_keys = focused && self.part == Part::Arguments;
        let headings = match self.meta.heading_lines() {
            0 => 0,
            headings => headings + 1,
        };
        let room = area.height.saturating_sub(headings);
        let in_meta = matches!(self.part, Part::Meta(_));
        let wanted = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(1);
        let meta_wanted = self.meta.wanted_lines();
        let forms = self.arguments_height(room).saturating_add(meta_wanted).min(room);
        let least = if meta_wanted == 0 { room / 2 } else { room / 3 };
        let preview = wanted.min(least.max(room - forms));
        let forms = room - preview;
        // The form that has the keys comes first; the other one is seen where there is room.
        let arguments_wanted = self.arguments_height(forms);
        let spare = forms.saturating_sub(arguments_wanted.saturating_add(meta_wanted));
        let meta = match meta_wanted {
            0 => 0,
            wanted if in_meta => wanted.saturating_add(spare / 2).min(forms),
            wanted => wanted.saturating_add(spare / 2).min(forms.saturating_sub(arguments_wanted)),
        };
        let top = headings.min(1);
        if top > 0 {
            Pen::new(buffer, inset_area(area), 0).put_text("arguments", styles[Role::Heading]);
        }
        self.arguments_area = Rect { y: area.y + top, height: forms - meta, ..area };
        if self.arguments.field_count() > 0 {
            self.arguments.draw(buffer, self.arguments_area, look, has_keys);
        } else if self.arguments_area.height > 0 {
            Pen::new(buffer, inset_area(self.arguments_area), 0)
                .put_text("this tool takes no arguments", styles[Role::Ghost]);
        }
        let beside =
            Rect { y: self.arguments_area.bottom(), height: headings - top + meta, ..area };
        self.meta.draw(buffer, beside.intersection(area), look, focused && in_meta);
        Rect { y: beside.bottom(), height: preview, ..area }.intersection(area)
    }

    /// Draws what the tool's author sets, with the headings of both forms; answers the area below.
    fn draw_configuration(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        focused: bool,
    ) -> Rect {
        let styles = look.styles;
        self.configuration_area = Rect::default();
        if self.configuration.owner().is_none() || area.height < 8 {
            return area;
        }
        let has_keys = focused && self.part == Part::Configuration;
        // The focused field has lines of help below it.
        let fields = u16::try_from(self.configuration.field_count())
            .unwrap_or(u16::MAX)
            .saturating_add(if has_keys { 2 } else { 0 });
        let height = fields.min(area.height / 3);
        Pen::new(buffer, inset_area(area), 0)
            .put_text("configuration", styles[Role::Heading])
            .put_text("  saved in the tool's file", styles[Role::Dim]);
        self.configuration_area = Rect { y: area.y + 1, height, ..area };
        self.configuration.draw(buffer, self.configuration_area, look, has_keys);
        let below = Rect { y: area.y + 1 + height, height: area.height - 1 - height, ..area };
        Pen::new(buffer, inset_area(below), 0).put_text("arguments", styles[Role::Heading]);
        Rect { y: below.y + 1, height: below.height - 1, ..below }
    }

    /// What the form would like to have: two lines a field, and room for help; a line a field where
    /// the keys are among the steps.
    fn arguments_height(&self, most: u16) -> u16 {
        let fields = self.arguments.field_count();
        let lines = match self.part {
            Part::Steps | Part::Inputs => fields.max(1) + 1,
            _ => fields * 2 + 3,
        };
        u16::try_from(lines).unwrap_or(most).min(most)
    }

    /// The form that has the keys.
    pub(super) fn focused_form(&self) -> &FormHost<RequestPart> {
        match self.part {
            Part::Configuration => &self.configuration,
            Part::Arguments => &self.arguments,
            Part::Meta(_) => self.meta.host(),
            Part::Steps => &self.no_form,
            Part::Inputs => &self.steps.inputs,
            Part::Mock => &self.mock.host,
        }
    }

    pub(super) fn focused_form_mut(&mut self) -> &mut FormHost<RequestPart> {
        match self.part {
            Part::Configuration => &mut self.configuration,
            Part::Arguments => &mut self.arguments,
            Part::Meta(_) => self.meta.host_mut(),
            Part::Steps => &mut self.no_form,
            Part::Inputs => &mut self.steps.inputs,
            Part::Mock => &mut self.mock.host,
        }
    }

    /// Goes on to the next form, or back; whether there was a way within this pane.
    pub(super) fn step_part(&mut self, step: Step, state: &State) -> bool {
        let configuration =
            self.configuration.owner().is_some().then_some(Part::Configuration).into_iter();
        let meta = self.meta.parts().iter().map(|part| Part::Meta(*part));
        let mock = self.mock.is_on().then_some(Part::Mock);
        let steps = self.steps.is_open().then_some(Part::Steps).filter(|_| mock.is_none());
        let inputs = self.steps.inputs.owner().is_some().then_some(Part::Inputs);
        let parts: Vec<Part> = configuration
            .chain([Part::Arguments])
            .chain(meta)
            .chain(mock)
            .chain(inputs)
            .chain(steps)
            .collect();
        let here = parts.iter().position(|part| *part == self.part);
        let to = here.and_then(|here| match step {
            Step::Next => here.checked_add(1),
            Step::Previous => here.checked_sub(1),
        });
        let Some(part) = to.and_then(|to| parts.get(to)) else { return false };
        self.go_to_part(*part, state);
        self.focused_form_mut().rest();
        true
    }

    /// Gives the keys to a form that is shown, or will be.
    pub(super) fn show_part(&mut self, part: Part) {
        self.part = part;
    }

    fn go_to_part(&mut self, part: Part, state: &State) {
        self.part = part;
        if let (Part::Meta(part), Some(tool)) =
            (part, self.tool.as_ref().and_then(|id| state.tool(id)))
        {
            self.meta.open_part(part, state, tool);
        }
    }

    /// Goes to the form of that name, where it is shown.
    /// The forms that [`Self::point_at_form`] can go to, each with whether it is the focused one.
    pub(super) fn form_names(&self) -> Vec<(&'static str, bool)> {
        let configuration = self.configuration.owner().map(|_| "configuration");
        let mock = self.mock.is_on().then_some("mock");
        let meta = self.meta.parts().first().map(|_| "_meta");
        let names = ["arguments"].into_iter().chain(configuration).chain(mock).chain(meta);
        names.map(|name| (name, self.part.form_name() == Some(name))).collect()
    }

    pub(super) fn point_at_form(&mut self, name: &str, state: &State) -> bool {
        let part = match name {
            "arguments" => Part::Arguments,
            "configuration" if self.configuration.owner().is_some() => Part::Configuration,
            "mock" if self.mock.is_on() => Part::Mock,
            "_meta" | "meta" => match self.meta.parts().first() {
                Some(part) => Part::Meta(*part),
                None => return false,
            },
            _ => return false,
        };
        self.go_to_part(part, state);
        true
    }

    /// The request as it will be sent, in lines.
    pub(super) fn detail_lines(&self, state: &State) -> Vec<String> {
        let tool = self.tool.as_ref().and_then(|id| state.tool(id));
        let lines =
            tool.map(|tool| request_lines(state, tool, UNWRAPPED, self.view)).unwrap_or_default();
        let text = |line: &RequestLine| format!("{} {}", line.name, line.text).trim().to_owned();
        lines.iter().map(text).collect()
    }

    /// Whether the menu of the chosen step was asked for, once.
    pub(super) fn take_menu_wish(&mut self) -> bool {
        std::mem::take(&mut self.wants_menu)
    }

    /// Whether the keys are among the steps.
    pub(super) fn is_in_steps(&self) -> bool {
        self.part == Part::Steps
    }

    /// Goes to the step that is asked for, once; whether it did.
    pub(super) fn reach_step(&mut self, state: &State) -> bool {
        let goal = state.invoke.step_goal.as_ref();
        let Some(goal) = goal.filter(|goal| self.reached != Some(goal.turn)) else { return false };
        if self.tool.as_ref() != Some(&goal.tool) || !self.steps.is_open() {
            return false;
        }
        self.reached = Some(goal.turn);
        self.part = Part::Steps;
        self.steps.close_inputs();
        self.steps.choose_step(goal.step);
        true
    }

    /// Shows the form of what the chosen step gets, and goes there.
    pub(super) fn open_inputs(&mut self, state: &State) {
        if let Some(tool) = self.tool.as_ref().and_then(|id| state.tool(id)) {
            self.steps.open_inputs(state, tool);
            self.part = Part::Inputs;
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let own = match input {
            Input::Paste(text) => self.paste_arguments(text, state),
            Input::Key(key) => self.handle_own_key(*key, state),
            Input::Mouse(mouse) => self.handle_mouse(*mouse, state),
        };
        own.unwrap_or_else(|| self.ask_form(input, state))
    }

    /// Takes the keys of the pane itself; `None`: it is for the form under the cursor.
    fn handle_own_key(&mut self, key: Key, state: &State) -> Option<Reply> {
        if self.is_in_steps() && self.steps.handle_key(key) {
            self.steps.close_inputs();
            return Some(Reply::Handled);
        }
        if self.is_in_steps() && key.is_plain(Code::Enter) {
            self.wants_menu = true;
            return Some(Reply::Handled);
        }
        let is_resting = self.part == Part::Inputs && !self.steps.inputs.is_typing();
        if is_resting && key.is_plain(Code::Esc) {
            self.steps.close_inputs();
            self.part = Part::Steps;
            return Some(Reply::Handled);
        }
        // The first row is one of the arguments.
        if self.part == Part::Mock && self.mock.is_left_by(key) {
            self.part = Part::Arguments;
        }
        if !key.mods.ctrl && !key.mods.alt {
            return None;
        }
        match key.code {
            Code::PageDown => self.scroll += 5,
            Code::PageUp => self.scroll = self.scroll.saturating_sub(5),
            _ => return Some(self.focused_form_mut().input(&Input::Key(key), state)),
        }
        Some(Reply::Handled)
    }

    /// Goes to the part under the mouse; `None`: it is for the form there.
    fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Option<Reply> {
        let at = (mouse.column, mouse.row).into();
        if self.steps.contains(at) && !self.mock.is_on() {
            let was_there = self.is_in_steps();
            if matches!(mouse.kind, MouseKind::Down(_)) {
                self.part = Part::Steps;
            }
            // A second press on a step opens its menu.
            self.wants_menu = self.steps.handle_mouse(mouse) && was_there;
            return Some(Reply::Handled);
        }
        let in_inputs = self.steps.inputs.owner().is_some() && self.inputs_area.contains(at);
        let under = match self.meta.part_at(at) {
            Some(part) => Some(Part::Meta(part)),
            None if in_inputs => Some(Part::Inputs),
            None if self.mock.is_on() && self.mock.area.contains(at) => Some(Part::Mock),
            None if self.configuration_area.contains(at) => Some(Part::Configuration),
            None => self.arguments_area.contains(at).then_some(Part::Arguments),
        };
        match (mouse.kind, under) {
            (MouseKind::Down(_), Some(part)) => self.go_to_part(part, state),
            (MouseKind::Wheel(notches), None) => {
                self.scroll = self.scroll.saturating_add_signed(isize::from(notches));
                return Some(Reply::Handled);
            }
            _ => {}
        }
        None
    }

    /// Hands an input to the form where the keys are.
    fn ask_form(&mut self, input: &Input, state: &State) -> Reply {
        let step = match input {
            Input::Key(key) if key.is_plain(Code::Down) => Some(Step::Next),
            Input::Key(key) if key.is_plain(Code::Up) => Some(Step::Previous),
            _ => None,
        };
        let form = self.focused_form();
        let before = form.shown_form().map(|form| form.focus().clone());
        let rests = !form.is_typing();
        let reply = self.focused_form_mut().input(input, state);
        // At an end of a form the arrows go on in the next one.
        if let (Some(step), Reply::Handled | Reply::Ignored) = (step.filter(|_| rests), &reply)
            && self.focused_form().shown_form().map(Form::focus) == before.as_ref()
            && !self.focused_form().is_typing()
        {
            self.step_part(step, state);
            return Reply::Handled;
        }
        reply
    }

    /// What is typed for calls of the tool where the keys are.
    pub(super) fn typed_text(&self) -> Option<CallText> {
        Some(CallText { part: self.part.call_part()?, tool: self.tool.clone()? })
    }
}
