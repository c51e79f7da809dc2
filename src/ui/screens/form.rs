//! The form program: the form, the document as it will be saved, and the issues to jump through.

mod document;
mod issues;

use std::sync::Arc;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{document::DocumentPane, issues::IssuesPane};
use crate::{
    app::{
        actions::{ActionId, Scope},
        documents::{Change, Document, UnreadText},
        form_file::{FormFile, FormGoal, value_of},
        input::{Code, Input, Mouse, MouseKind},
        message::{AfterSave, DocumentMessage, DraftPolicy, Message, TextTarget},
        state::State,
        verbs,
    },
    model::entry::FileId,
    schema::pointer::Pointer,
    syntax::{edit::Edit, source::Source},
    ui::{
        action_rows::{self, refuse_when},
        form::{
            host::{FormHost, ValueOwner, written_in},
            shared::shared_in,
            view::{Form, FormReply},
        },
        view::{Look, Reply, Screen},
        widgets::{
            pane::Pane,
            panes::{Panes, Step},
        },
    },
};

type Row = action_rows::Row<FormScreen>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::FormFile, "accept", "done", |screen, state| {
        screen.end_task(accept(AfterSave::Leave), state)
    })
    .keys(&[verbs::SEND])
    .help("Print the document, or save it, and leave"),
    Row::taking_over("next-pane", |screen, state| screen.step_pane(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.step_pane(Step::Previous, state)),
    Row::taking_over("save", |screen, state| screen.end_task(accept(AfterSave::Stay), state))
        .refused(|_, state| no_file(state)),
    Row::taking_over("quit", |screen, state| {
        screen.end_task(Message::Quit { discard: false }, state)
    }),
];

const FORM: usize = 0;
const DOCUMENT: usize = 1;
const ISSUES: usize = 2;

#[derive(Default)]
pub(crate) struct FormScreen {
    panes: Panes,
    form: FormHost<FileId>,
    document: DocumentPane,
    issues: IssuesPane,
}

/// A longer document is not laid out again with each edit.
const LONGEST_ARRANGED: usize = 64_000;

impl ValueOwner for FileId {
    fn text_target(&self, at: Pointer, _: &State) -> (TextTarget, Pointer) {
        (TextTarget::Form, at)
    }

    fn edit_messages(&self, edits: Vec<Edit>, form: &Form, state: &State) -> Vec<Message> {
        let Some(first) = edits.first() else { return Vec::new() };
        let label = format!("edit {}", first.pointer().words_in(form.value()));
        let arranged = arranged_text(self, &edits, form, state);
        let change = |edit| Change::File { file: self.clone(), document: 0, edit };
        vec![Message::Document(DocumentMessage::Change {
            label,
            changes: edits.into_iter().map(change).chain(arranged).collect(),
        })]
    }
}

/// The text after edits with members in the schema's order, where the document was made here.
fn arranged_text(file: &FileId, edits: &[Edit], form: &Form, state: &State) -> Option<Change> {
    state.form.as_ref().filter(|task| task.made)?;
    let before = state.documents.get(file)?.source.as_ref().ok()?;
    if before.text().len() >= LONGEST_ARRANGED || !before.is_laid_out() {
        return None;
    }
    let after = edits
        .iter()
        .try_fold(before.clone(), |source, edit| Some(source.apply(0, edit).ok()?.0))?;
    let text = after.laid_out(&form.arranged_value())?;
    (text != **after.text()).then(|| Change::Text { file: file.clone(), text: text.into() })
}

/// An empty form of the document.
fn empty_form(task: &FormFile) -> Form {
    let mut form = Form::new(Arc::clone(&task.schema)).with_ui(task.ui.clone()).with_introduction();
    if !form.is_checked() {
        form.handle_action("edit-json");
        form.stop_typing();
    }
    form
}

/// Actions of all screens that a program with nothing but a form doesn't have.
const OF_THE_WORKBENCH: [ActionId; 7] = [
    "save-all",
    "switch-mode",
    "connection",
    "reload",
    "show-tools",
    "show-workflow",
    "show-invoke",
];

impl FormScreen {
    fn step_pane(&mut self, step: Step, state: &State) -> Reply {
        self.form.step_pane(step, &mut self.panes, FORM, state)
    }

    /// Takes in the document as it is now.
    fn sync_form(&mut self, task: &FormFile, state: &State) {
        let Some(document) = state.documents.get(&task.file) else { return };
        let is_new = self.form.owner().is_none();
        self.form.show(task.file.clone(), || empty_form(task));
        let Some(form) = self.form.outdated_form(state.generation) else { return };
        let source = document.source.as_ref().ok();
        form.sync_written(&value_of(document), &written_in(source, 0, &Pointer::root()));
        form.set_shared(shared_in(source, 0, &Pointer::root()));
        if is_new && task.made {
            form.mark_unchosen();
        }
        self.form.sync_saved("", vec![Arc::clone(&task.before)], |texts| {
            let text = texts.first()?;
            let source = Source::parse(document.format, text.clone());
            Some(value_of(&Document::from_disk(document.format, text.clone(), source)))
        });
    }

    /// What was typed goes into the document first.
    fn end_task(&mut self, by: Message, state: &State) -> Reply {
        let mut messages = self.form.leave(state);
        if let (Some(form), Some(task)) = (self.form.shown_form(), &state.form) {
            let unread = |words| UnreadText { file: task.file.clone(), words };
            messages.push(Message::Unread(form.draft_issues().into_iter().map(unread).collect()));
        }
        messages.push(by);
        Reply::Send(messages)
    }

    fn go_to_issue(&mut self, state: &State) -> Reply {
        let Some(at) = self.form.shown_form().and_then(|form| self.issues.chosen_place(form))
        else {
            return Reply::Handled;
        };
        self.panes.focus = FORM;
        let reply = self.form.ask(state, |form| form.focus_field(&at));
        self.form.rest();
        reply
    }

    fn draw_form(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        focused: bool,
        title: &str,
    ) {
        let Some(called) = self.form.shown_form().map(Form::title) else { return };
        let position = self.form.position();
        let pane = Pane {
            title: called.as_deref().unwrap_or(title),
            foot: &position,
            focused,
            ..Pane::default()
        };
        let inside = pane.draw(frame.buffer_mut(), area, look.styles);
        self.form.draw(frame.buffer_mut(), inside, look, focused);
    }
}

impl Screen for FormScreen {
    fn sync_state(&mut self, state: &State) {
        if let Some(task) = &state.form {
            self.sync_form(task, state);
        }
        self.form.sync_surroundings(state);
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let Some(task) = &state.form else { return };
        let widths = [
            Constraint::Fill(1),
            Constraint::Length((area.width * 2 / 5).max(40)),
            Constraint::Length(0),
        ];
        let count = self.form.shown_form().map_or(0, issues::entry_count);
        let issues = if count == 0 { "Issues".to_owned() } else { format!("Issues ⚠ {count}") };
        self.panes.layout_panes(
            frame.buffer_mut(),
            area,
            &["Form", "Document", &issues],
            &widths,
            look.styles,
        );
        let below = u16::try_from(count.clamp(1, 8)).unwrap_or(8) + 2;
        let areas = self.panes.stack_panes(DOCUMENT, ISSUES, below.min(area.height / 2));
        let focus = self.panes.focus;
        if !areas[FORM].is_empty() {
            self.draw_form(frame, areas[FORM], look, focus == FORM, &task.title);
        }
        if !areas[DOCUMENT].is_empty() {
            self.document.draw(
                frame,
                areas[DOCUMENT],
                look,
                (task, state),
                (focus == DOCUMENT, self.form.shown_form()),
            );
        }
        if let Some(form) = self.form.shown_form().filter(|_| !areas[ISSUES].is_empty()) {
            self.issues.draw(frame, areas[ISSUES], look, form, focus == ISSUES);
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        if self.panes.focus == FORM {
            vec![Scope::Form, Scope::FormFile]
        } else {
            vec![Scope::FormFile]
        }
    }

    fn is_typing(&self) -> bool {
        self.panes.focus == FORM && self.form.is_typing()
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let (pane, pressed) = match input {
            Input::Mouse(mouse @ Mouse { kind, .. }) => match self.panes.handle_mouse(*mouse) {
                Some(pane) => (pane, matches!(kind, MouseKind::Down(_))),
                None => return Reply::Handled,
            },
            _ => (self.panes.focus, false),
        };
        match pane {
            FORM => self.form.input(input, state),
            DOCUMENT => self.document.handle_input(input),
            _ => {
                let count = self.form.shown_form().map_or(0, issues::entry_count);
                let enter = matches!(input, Input::Key(key) if key.is_plain(Code::Enter));
                match self.issues.handle_input(input, count) {
                    true if pressed => self.go_to_issue(state),
                    _ if enter => self.go_to_issue(state),
                    true => Reply::Handled,
                    false => Reply::Ignored,
                }
            }
        }
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        match action_rows::run_action(ACTIONS, self, id, state) {
            None => self.form.act(id, state),
            Some(reply) => reply,
        }
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        refuse_when(OF_THE_WORKBENCH.contains(&id), "only in the workbench")
            .or_else(|| action_rows::refusal_reason(ACTIONS, self, id, state))
            .or_else(|| self.form.refusal(id, "there is no form"))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        if self.panes.focus == FORM { self.form.keys() } else { Vec::new() }
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        Some(("accept", self.panes.area(FORM)))
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.panes)
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        let mut hints = vec!["accept"];
        if state.form.as_ref().is_some_and(|form| form.goal == FormGoal::Saved) {
            hints.push("save");
        }
        match (self.form.shown_form(), self.panes.focus) {
            (Some(form), FORM) => {
                hints.extend(form.hinted_actions());
                if !form.all_issues().is_empty() {
                    hints.push("next-issue");
                }
            }
            _ => hints.push("next-pane"),
        }
        hints.extend(["undo", "quit"]);
        hints
    }

    fn shown_form(&self) -> Option<&Form> {
        self.form.shown_form()
    }

    fn ask_form(&mut self, ask: &mut dyn FnMut(&mut Form) -> FormReply, state: &State) -> Reply {
        self.form.ask(state, ask)
    }
}

fn accept(then: AfterSave) -> Message {
    Message::Accept { then, draft: DraftPolicy::Ask }
}

fn no_file(state: &State) -> Option<String> {
    let is_printed = state.form.as_ref().is_some_and(|form| form.goal == FormGoal::Printed);
    refuse_when(is_printed, "there is no file; done prints it and leaves")
}
