//! Tools: the catalog, the form of the chosen entry, and the file as it will be saved.

mod broken;
mod catalog;
mod convert;
mod copy;
pub(crate) mod dialogs;
mod entry_form;
mod gate_fields;
mod moving;
mod preview;
mod samples;
pub(crate) mod saved;
mod schema_key;
mod sources;
mod unread;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{
    entry_form::{schema_of, take_entry, ui_of},
    schema_key::SchemaKey,
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        calls::{CallMessage, CallText},
        edited_text::EditedText,
        input::{Input, Mouse},
        message::{Message, ScreenId},
        moved::MovedEntries,
        state::State,
        verbs,
    },
    model::entry::EntryId,
    systems::table,
    ui::{
        action_rows::{self, refuse_when},
        canvas::Pen,
        form::{
            host::FormHost,
            view::{Form, FormReply},
        },
        pasted,
        styles::Role,
        view::{Look, Reply, Screen},
        widgets::{
            find_line::FIND_KEYS,
            pane::Pane,
            panes::{Panes, Step},
        },
    },
};

type Row = action_rows::Row<Tools>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Tools, "new", "new", |_, state| dialogs::new_entry(state))
        .keys(&[verbs::NEW])
        .help("Make a new tool or service"),
    Row::new(Scope::Tools, "duplicate", "duplicate", |_, state| dialogs::duplicate_entry(state))
        .keys(&[verbs::COPY])
        .help("Duplicate the selected entry under another key")
        .refused(|_, state| nothing_selected(state)),
    Row::new(Scope::Tools, "copy-tool", "copy as…", |_, state| {
        state.selected_tool().map_or(Reply::Handled, |tool| copy::copy_menu(tool, state))
    })
    .keys(&[verbs::COPY_AS])
    .help("Copy the selected tool as OpenAI, Anthropic, Gemini or MCP get it, or its descriptor")
    .refused(|_, state| no_tool_selected(state)),
    Row::new(Scope::Tools, "paste-entries", "paste tools", |_, _| pasted::await_paste())
        .help("Paste tools as text: YAML, JSON, or requests as in OpenSearch's console"),
    Row::new(Scope::Tools, "read-source", "read source again", |_, state| {
        sources::choose(sources::READ_AGAIN, state)
    })
    .help("Take what changed in the file that the tools of the selected list come from")
    .refused(|_, state| sources::refusal(state)),
    Row::new(Scope::Tools, "write-source", "write to source", |_, state| {
        sources::choose(sources::WRITE_BACK, state)
    })
    .help("Write what changed in the selected list to the file that its tools come from")
    .refused(|_, state| sources::refusal(state)),
    Row::new(Scope::Tools, "rename", "rename", |_, state| dialogs::rename_entry(state))
        .keys(&[verbs::RENAME])
        .help("Rename the selected entry's key everywhere it is used")
        .refused(|_, state| nothing_selected(state)),
    Row::new(Scope::Tools, "move-entry", "move to file…", |_, state| moving::choose_file(state))
        .help("Move the selected entry to another file of the workspace, or to a new one")
        .refused(|_, state| moving::refusal(state)),
    Row::new(Scope::Tools, "delete", "delete", |tools, state| {
        dialogs::delete_entry(tools.catalog.neighbour(state), state)
    })
        .keys(&[verbs::DELETE])
        .help("Delete the selected entry from its file")
        .risky()
        .refused(|_, state| nothing_selected(state)),
    Row::new(Scope::Tools, "editor", "$EDITOR", |_, state| dialogs::open_editor(state))
        .keys(&[verbs::EDITOR])
        .help("Open the file in your editor at this entry")
        .refused(|_, state| nothing_selected(state)),
    Row::new(Scope::Tools, "diff", "diff", |_, state| dialogs::show_unsaved_diff(state))
        .keys(&[verbs::DIFF])
        .help("Show what saving will change on disk")
        .refused(|_, state| nothing_changed(state)),
    Row::new(Scope::Tools, "apply-fix", "fix", |tools, state| tools.preview.fix_finding(state))
        .keys(&[verbs::FIX])
        .help("Apply the fix of the problem chosen in Problems, else of the tool's; asks which where there are several")
        .refused(|tools, state| tools.preview.fix_refusal(state)),
    Row::new(Scope::Tools, "invoke", "invoke", |_, _| Reply::send(Message::Show(ScreenId::Invoke)))
        .keys(&[verbs::TEST])
        .help("Open the selected tool in Invoke")
        .refused(|_, state| no_tool_selected(state)),
    Row::new(Scope::Tools, "mock-service", "mock service", |_, state| dialogs::mock_service(state))
        .keys(&[verbs::MOCK])
        .help("Mock the selected tool's service and open the tool in Invoke")
        .refused(|_, state| no_tool_selected(state)),
    Row::new(Scope::Tools, "group-by", "group by", Tools::next_arrangement)
        .help("Arrange the catalog by first group, file, first state or type"),
    Row::new(Scope::Tools, "next-preview", "next view", Tools::next_preview)
        .keys(&[verbs::VIEW])
        .help("Switch the preview: file, JSON, Model, Problems"),
    Row::new(Scope::Tools, "next-problem", "next problem", |tools, state| {
        tools.preview.next_problem(state)
    })
    .keys(&[verbs::NEXT_MARK])
    .help("Jump to the field of the next problem")
    .refused(|_, state| refuse_when(state.findings.is_empty(), "there is no problem")),
    Row::new(Scope::Tools, "tools-health", "health of tools", |tools, state| {
        if !state.health.is_shown() {
            tools.panes.focus = PREVIEW;
            tools.rest_focused_form();
        }
        tools.preview.toggle_health(state)
    })
    .help(
        "List in Problems, too, what makes it harder for a model to choose tools and to call them: \
         texts that are alike, costs in tokens, schemas that an API refuses",
    ),
    Row::new(Scope::Tools, "convert", "convert to…", |_, state| {
        state.selected_tool().map_or(Reply::Handled, |tool| convert::choose_target(tool, state))
    })
    .help(
        "Show the selected tool in another system or format, with what is lost, and take it there",
    )
    .refused(|_, state| no_tool_selected(state)),
    Row::new(Scope::Tools, "try", "try", |tools, _| {
        tools.panes.focus = PREVIEW;
        tools.preview.show_samples();
        tools.rest_focused_form();
        Reply::Handled
    })
    .help(
        "Try the templates of an OpenSearch entry with sample parameters, and its filters and \
        processors on sample answers",
    )
    .refused(|tools, state| tools.try_refusal(state)),
    Row::taking_over("wrap", |tools, _| tools.preview.toggle_wrap()),
    Row::taking_over("undo", |tools, state| {
        tools.step_samples(state, EditedText::can_undo, CallMessage::UndoText)
    }),
    Row::taking_over("redo", |tools, state| {
        tools.step_samples(state, EditedText::can_redo, CallMessage::RedoText)
    }),
    Row::taking_over("next-pane", |tools, state| tools.step_pane(Step::Next, state)),
    Row::taking_over("previous-pane", |tools, state| tools.step_pane(Step::Previous, state)),
    Row::taking_over("find", |tools, _| tools.open_find()),
    Row::taking_over("save", |tools, state| {
        dialogs::save_without(&tools.form.shown_form().map(Form::draft_issues), state)
    })
    .refused(|_, state| {
        // What was deleted is saved without anything being selected.
        nothing_selected(state).filter(|_| state.documents.changed_files().next().is_none())
    }),
];

const CATALOG: usize = 0;
const FORM: usize = 1;
const PREVIEW: usize = 2;
const NAMES: [&str; 3] = ["Tools", "Form", "Preview"];

#[derive(Default)]
pub(crate) struct Tools {
    panes: Panes,
    catalog: catalog::CatalogPane,
    /// The form of the chosen entry, and what its schema was made from.
    form: FormHost<EntryId>,
    schema: Option<SchemaKey>,
    preview: preview::Preview,
    /// Forms of entries that were shown before, for their schemas: to compile one takes longer than
    /// a key may.
    put_away: Vec<(SchemaKey, Form)>,
    /// The goal that was gone to already.
    reached: Option<u64>,
}

/// How many fields that come to something are unfolded.
const MOST_UNFOLDED: usize = 16;
/// How many forms are put away.
const PUT_AWAY: usize = 8;

impl Tools {
    /// Makes the form of the chosen entry, or passes it what changed outside.
    fn sync_form(&mut self, state: &State) {
        let Some(entry) = state.selected_entry() else {
            self.form.take_shown();
            return;
        };
        if self.form.owner() != Some(&entry.id) {
            let schema = SchemaKey::from_entry(entry, state);
            let form = self.empty_form(schema.as_ref());
            self.schema = schema;
            self.form.show(entry.id.clone(), || {
                form.unwrap_or_else(|| {
                    Form::new(schema_of(entry, state)).with_ui(ui_of(entry, state))
                })
            });
        }
        if let Some(form) = self.form.outdated_form(state.generation) {
            let schema = SchemaKey::from_entry(entry, state);
            if schema.is_none() || self.schema != schema {
                form.set_schema(&schema_of(entry, state));
                form.set_ui(ui_of(entry, state));
                self.schema = schema;
            }
            take_entry(form, entry, state);
            self.form.put_drafts_back();
            saved::sync_saved(&mut self.form, entry, state);
        }
        self.form.sync_surroundings(state);
        if let Some(goal) = &state.goal
            && self.reached != Some(goal.turn)
            && goal.entry == entry.id
            && let Some(form) = self.form.shown_form_mut()
        {
            self.reached = Some(goal.turn);
            match goal.pointer.is_root() {
                true if goal.takes_keys => form.go_to_start(),
                true => {}
                // What is typed there goes on.
                false if !goal.takes_keys && form.focused_place() == &goal.pointer => {}
                false => {
                    drop(form.focus_field(&goal.pointer));
                    form.stop_typing();
                }
            }
            if goal.takes_keys {
                form.stop_typing();
                self.panes.focus = FORM;
            }
        }
    }

    /// Passes the form what becomes of its fields. Where there are few of these, they are in view
    /// from the start.
    fn sync_previews(&mut self, state: &State) {
        let Some(found) = self.preview.samples.sync_entry(state, state.selected_entry()) else {
            return;
        };
        let Some(form) = self.form.shown_form_mut() else { return };
        if found.is_first && found.previews.len() <= MOST_UNFOLDED {
            form.unfold_above(found.previews.iter().map(|preview| &preview.at));
        }
        form.set_previews(found.previews);
    }

    /// A form on a schema that was compiled for another entry. The form that was shown is put away
    /// for that.
    fn empty_form(&mut self, schema: Option<&SchemaKey>) -> Option<Form> {
        if let (Some(form), Some(schema)) = (self.form.take_shown(), self.schema.take()) {
            self.put_away.retain(|(known, _)| known.vocabulary == schema.vocabulary);
            self.put_away.truncate(PUT_AWAY - 1);
            self.put_away.insert(0, (schema, form));
        }
        let at = self.put_away.iter().position(|(known, _)| Some(known) == schema)?;
        Some(self.put_away.remove(at).1.into_empty())
    }
}

impl Screen for Tools {
    fn follow_moved(&mut self, moved: &MovedEntries) {
        self.form.follow_owners(|entry| moved.follow(entry));
        self.catalog.follow_moved(moved);
    }

    fn on_enter(&mut self, _: &State) {
        self.rest_focused_form();
    }

    fn sync_state(&mut self, state: &State) {
        self.catalog.sync_state(state);
        self.sync_form(state);
        self.sync_previews(state);
        let secrets = self.form.shown_form().map(Form::secret_texts).unwrap_or_default();
        self.preview.hide_secrets(secrets);
        self.preview.sync_state(state);
    }

    fn due_message(&self, state: &State) -> Option<Message> {
        self.preview.due_message(state)
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let left = (area.width / 5).clamp(28, 44);
        let right = (area.width * 9 / 25).clamp(34, 96);
        let widths = [Constraint::Length(left), Constraint::Min(30), Constraint::Length(right)];
        let areas = self.panes.layout_panes(frame.buffer_mut(), area, &NAMES, &widths, look.styles);
        let focus = self.panes.focus;
        if !areas[CATALOG].is_empty() {
            self.catalog.draw(frame, areas[CATALOG], look, state, focus == CATALOG);
        }
        if !areas[FORM].is_empty() {
            self.draw_form(frame, areas[FORM], look, state);
        }
        if !areas[PREVIEW].is_empty() {
            let at = self.form.shown_form().filter(|_| focus == FORM).map(Form::focused_place);
            let seen = match at {
                Some(at) => preview::Focus::Field(at),
                None if focus == PREVIEW => preview::Focus::Here,
                None => preview::Focus::Elsewhere,
            };
            self.preview.draw(frame, areas[PREVIEW], look, state, seen);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        let pane = match self.panes.focus {
            CATALOG => Scope::Catalog,
            PREVIEW if !self.is_trying() => Scope::Preview,
            _ => Scope::Form,
        };
        vec![pane, Scope::Tools]
    }

    fn is_typing(&self) -> bool {
        match self.panes.focus {
            CATALOG => self.catalog.is_typing(),
            FORM => self.form.is_typing(),
            _ => self.preview.is_typing(),
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let reply = match (input, self.panes.focus) {
            (Input::Mouse(mouse), _) => self.handle_mouse(*mouse, input, state),
            (_, CATALOG) => {
                let reply = self.catalog.handle_input(input, state, &mut self.panes.focus);
                self.rest_focused_form();
                reply
            }
            (_, FORM) => self.form.input(input, state),
            _ => self.preview.handle_input(input, state),
        };
        let reply = broken::refuse_broken(reply, &mut self.form, state);
        unread::with_unread(reply, &self.form, state)
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        let reply = match action_rows::run_action(ACTIONS, self, id, state) {
            None if self.is_trying() => self.preview.samples.form_mut().act(id, state),
            None => self.form.act(id, state),
            Some(reply) => reply,
        };
        let reply = broken::refuse_broken(reply, &mut self.form, state);
        unread::with_unread(reply, &self.form, state)
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        action_rows::refusal_reason(ACTIONS, self, id, state).or_else(|| match self.is_trying() {
            true => self.preview.samples.form().refusal(id, "there is nothing to try"),
            false => self.form.refusal(id, "nothing is selected"),
        })
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        match self.panes.focus {
            FORM => self.form.keys(),
            PREVIEW if self.is_trying() => self.preview.samples.form().keys(),
            CATALOG if self.is_typing() => FIND_KEYS.to_vec(),
            CATALOG if self.catalog.is_narrowed() => catalog::NARROWED_KEYS.to_vec(),
            PREVIEW => self.preview.find_keys(),
            _ => Vec::new(),
        }
    }

    fn primary_button(&self, state: &State) -> Option<(ActionId, Rect)> {
        Some((dialogs::save_action(state), self.panes.area(FORM)))
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.panes)
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        let mut hints = match self.panes.focus {
            CATALOG => catalog::HINTS.to_vec(),
            FORM => self.form.hints(),
            _ if self.is_trying() => self.preview.samples.form().hints(),
            _ => vec!["find", "next-preview", "apply-fix", "variables", "next-pane"],
        };
        if state.documents.changed_files().next().is_some() {
            hints.splice(0..0, [dialogs::save_action(state), "diff"]);
            if state.documents.can_undo() {
                hints.insert(2, "undo");
            }
        }
        if !state.findings.is_empty() {
            hints.push("next-problem");
        }
        hints
    }

    fn shown_form(&self) -> Option<&Form> {
        self.form.shown_form()
    }

    fn ask_form(&mut self, ask: &mut dyn FnMut(&mut Form) -> FormReply, state: &State) -> Reply {
        let reply = self.form.ask(state, ask);
        unread::with_unread(reply, &self.form, state)
    }
}

impl Tools {
    fn draw_form(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let focused = self.panes.focus == FORM;
        let Some(entry) = state.selected_entry() else {
            let pane = Pane { title: "Form", focused, ..Pane::default() };
            let inside = pane.draw(frame.buffer_mut(), area, look.styles);
            Pen::new(frame.buffer_mut(), inside, 1)
                .skip(2)
                .put_text("No tools yet: n makes a new one.", look.styles[Role::Dim]);
            return;
        };
        let kind = entry.kind.as_str();
        let system = table::by_id(entry.system).map_or(entry.system, |system| system.title());
        let title = format!("{} · {system} {kind}", entry.key);
        let place = format!("{}:{}", entry.id.file(), entry.line);
        let position = self.form.position();
        let pane = Pane { title: &title, note: &place, foot: &position, focused };
        let inside = pane.draw(frame.buffer_mut(), area, look.styles);
        self.form.draw(frame.buffer_mut(), inside, look, focused);
    }

    /// A form that the keys come to waits for `Enter`.
    fn rest_focused_form(&mut self) {
        if self.panes.focus == FORM {
            self.form.rest();
        }
        if self.is_trying() {
            self.preview.samples.form_mut().rest();
        }
    }

    /// Whether the keys are in the samples.
    fn is_trying(&self) -> bool {
        self.panes.focus == PREVIEW && self.preview.has_samples_open()
    }

    fn handle_mouse(&mut self, mouse: Mouse, input: &Input, state: &State) -> Reply {
        match self.panes.handle_mouse(mouse) {
            Some(CATALOG) => self.catalog.handle_input(input, state, &mut self.panes.focus),
            Some(FORM) => self.form.input(input, state),
            Some(_) => self.preview.handle_input(input, state),
            None => Reply::Handled,
        }
    }
}

impl Tools {
    fn step_pane(&mut self, step: Step, state: &State) -> Reply {
        if self.is_trying() {
            let samples = self.preview.samples.form_mut();
            return samples.step_pane(step, &mut self.panes, PREVIEW, state);
        }
        let reply = self.form.step_pane(step, &mut self.panes, FORM, state);
        if self.is_trying() {
            self.preview.samples.form_mut().rest();
        }
        reply
    }

    /// Takes back what was typed into the samples, or makes it again; `Ignored` where the keys are
    /// elsewhere.
    fn step_samples(
        &mut self,
        state: &State,
        is_possible: fn(&EditedText) -> bool,
        message: fn(CallText) -> CallMessage,
    ) -> Reply {
        let text = self.preview.samples.typed_text().filter(|_| self.is_trying());
        match text.filter(|text| state.invoke.texts.get(text).is_some_and(is_possible)) {
            Some(text) => Reply::send(Message::Call(message(text))),
            None => Reply::Ignored,
        }
    }

    fn try_refusal(&self, state: &State) -> Option<String> {
        nothing_selected(state).or_else(|| {
            let why = "this entry has no templates, filters or steps to try";
            refuse_when(!self.preview.samples.is_open(), why)
        })
    }

    fn open_find(&mut self) -> Reply {
        if self.panes.focus == PREVIEW {
            self.preview.open_find();
        } else {
            self.panes.focus = CATALOG;
            self.catalog.open_find();
        }
        Reply::Handled
    }

    fn next_arrangement(&mut self, state: &State) -> Reply {
        self.catalog.next_arrangement(state);
        Reply::Handled
    }

    fn next_preview(&mut self, _: &State) -> Reply {
        if !self.panes.reveal(PREVIEW) {
            self.preview.next_view();
        }
        Reply::Handled
    }
}

fn nothing_selected(state: &State) -> Option<String> {
    refuse_when(state.selected_entry().is_none(), "nothing is selected")
}

fn nothing_changed(state: &State) -> Option<String> {
    let is_saved = state.documents.changed_files().next().is_none();
    refuse_when(is_saved, "no file has unsaved changes")
}

fn no_tool_selected(state: &State) -> Option<String> {
    refuse_when(
        state.selected_tool().is_none(),
        "select a tool first; a service is called through its tools",
    )
}
