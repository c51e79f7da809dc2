//! The form program: the form, the document as it will be saved, and the issues to jump through.

mod document;
mod issues;

use std::sync::Arc;

use serde_json::Value;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{document::DocumentPane, issues::IssuesPane};
use crate::{
    app::{
        actions::{Act, Scope},
        documents::{Change, Document},
        form_file::{FormFile, Goal, value_of},
        input::{Code, Input, Key, Mods, Mouse, MouseKind},
        message::{Draft, Message, TextTarget, Then},
        state::State,
    },
    model::entry::FileId,
    syntax::{edit::Edit, source::Source},
    ui::{
        dispatch_reply::carried,
        form::view::{Form, FormReply},
        view::{Look, Reply, Screen},
        widgets::{pane::Pane, panes::Panes},
    },
};

const FORM: usize = 0;
const DOCUMENT: usize = 1;
const ISSUES: usize = 2;

#[derive(Default)]
pub struct FormScreen {
    panes: Panes,
    form: Option<Form>,
    file: Option<FileId>,
    generation: Option<u64>,
    /// The text and the value at the start, or as last saved.
    saved: Option<(Arc<str>, Arc<Value>)>,
    /// The text that the form's edits are made in.
    source: Option<Source>,
    document: DocumentPane,
    issues: IssuesPane,
}

/// A longer document is not laid out anew with each edit.
const LONGEST_ARRANGED: usize = 64_000;

impl FormScreen {
    fn take(&mut self, task: &FormFile, state: &State) {
        let Some(document) = state.documents.get(&task.file) else { return };
        let is_new = self.form.is_none();
        let form = self.form.get_or_insert_with(|| {
            let mut form =
                Form::new(Arc::clone(&task.schema)).with_ui(task.ui.clone()).with_introduction();
            if !form.is_checked() {
                form.act(Act::EditJson);
                form.rest();
            }
            form
        });
        let source = document.source.as_ref().ok();
        let written = |at: &_| source.and_then(|source| source.written(0, at)).map(str::to_owned);
        form.sync_written(&value_of(document), &written);
        if is_new && task.made {
            form.mark_unchosen();
        }
        self.source =
            source.filter(|source| task.made && source.text().len() < LONGEST_ARRANGED).cloned();
        if !self.saved.as_ref().is_some_and(|(text, _)| Arc::ptr_eq(text, &task.before)) {
            let source = Source::parse(document.format, task.before.clone());
            let value = value_of(&Document::read(document.format, task.before.clone(), source));
            self.saved = Some((task.before.clone(), value));
        }
        form.set_saved(self.saved.as_ref().map(|(_, value)| value));
        self.file = Some(task.file.clone());
    }

    fn carry(&self, reply: FormReply) -> Reply {
        let Some(file) = &self.file else { return Reply::Handled };
        carried(reply, TextTarget::Form, |edits| self.changes(file, edits))
    }

    /// What is asked of the application for edits of the form.
    fn changes(&self, file: &FileId, edits: Vec<Edit>) -> Vec<Message> {
        let Some(first) = edits.first() else { return Vec::new() };
        let label = format!("edit {}", first.at().to_string().trim_start_matches('/'));
        let arranged = self.arranged(file, &edits);
        let change = |edit| Change::File { file: file.clone(), document: 0, edit };
        vec![Message::Change {
            label,
            changes: edits.into_iter().map(change).chain(arranged).collect(),
        }]
    }

    /// The text after edits with members in the schema's order, where the document was made here.
    fn arranged(&self, file: &FileId, edits: &[Edit]) -> Option<Change> {
        let (form, before) =
            self.form.as_ref().zip(self.source.as_ref().filter(|source| source.is_laid_out()))?;
        let after = edits
            .iter()
            .try_fold(before.clone(), |source, edit| Some(source.apply(0, edit).ok()?.0))?;
        let text = after.laid_out(&form.arranged())?;
        (text != **after.text()).then(|| Change::Text { file: file.clone(), text: text.into() })
    }

    fn ask_form(&mut self, ask: impl FnOnce(&mut Form) -> FormReply) -> Reply {
        let Some(form) = &mut self.form else { return Reply::Ignored };
        let reply = ask(form);
        self.carry(reply)
    }

    /// What was typed goes into the document first.
    fn end(&mut self, by: Message) -> Reply {
        let Some(form) = &mut self.form else { return Reply::send(by) };
        let reply = form.leave();
        let unread = Message::Unread(form.unread());
        let mut messages = match self.carry(reply) {
            Reply::Send(messages) => messages,
            _ => Vec::new(),
        };
        messages.extend([unread, by]);
        Reply::Send(messages)
    }

    fn next(&mut self, act: Act) -> Reply {
        if self.panes.focus == FORM {
            let key = Key {
                code: Code::Tab,
                mods: Mods { shift: act == Act::PreviousPane, ..Mods::default() },
            };
            let reply = self.ask_form(|form| form.input(&Input::Key(key)));
            if !matches!(reply, Reply::Ignored) {
                return reply;
            }
        }
        if act == Act::NextPane {
            self.panes.next();
        } else {
            self.panes.previous();
        }
        self.arrive();
        Reply::Handled
    }

    /// A form that the keys come to waits for `Enter`.
    fn arrive(&mut self) {
        if let Some(form) = self.form.as_mut().filter(|_| self.panes.focus == FORM) {
            form.rest();
        }
    }

    fn go_to_issue(&mut self) -> Reply {
        let Some(at) = self.form.as_ref().and_then(|form| self.issues.chosen(form)) else {
            return Reply::Handled;
        };
        self.panes.focus = FORM;
        let reply = self.ask_form(|form| form.focus(&at));
        self.arrive();
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
        let Some(form) = &mut self.form else { return };
        let position = form.position().unwrap_or_default();
        let called = form.title();
        let pane = Pane {
            title: called.as_deref().unwrap_or(title),
            foot: &position,
            focused,
            ..Pane::default()
        };
        let inside = pane.draw(frame.buffer_mut(), area, look.styles);
        form.draw(frame.buffer_mut(), inside, look.styles, focused);
    }
}

impl Screen for FormScreen {
    fn sync(&mut self, state: &State) {
        if let Some(form) = &mut self.form {
            form.set_clip(&state.clip);
            form.set_wall(state.wall);
            form.set_folder(state.folder.as_ref());
        }
        if self.generation != Some(state.generation)
            && let Some(task) = &state.form
        {
            self.generation = Some(state.generation);
            self.take(task, state);
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let Some(task) = &state.form else { return };
        let widths = [
            Constraint::Fill(1),
            Constraint::Length((area.width * 2 / 5).max(40)),
            Constraint::Length(0),
        ];
        let count = self.form.as_ref().map_or(0, issues::count);
        let issues = if count == 0 { "Issues".to_owned() } else { format!("Issues ⚠ {count}") };
        self.panes.lay(
            frame.buffer_mut(),
            area,
            &["Form", "Document", &issues],
            &widths,
            look.styles,
        );
        let below = u16::try_from(count.clamp(1, 8)).unwrap_or(8) + 2;
        let areas = self.panes.stack(DOCUMENT, ISSUES, below.min(area.height / 2));
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
                (focus == DOCUMENT, self.form.as_ref()),
            );
        }
        if let Some(form) = self.form.as_ref().filter(|_| !areas[ISSUES].is_empty()) {
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

    fn typing(&self) -> bool {
        self.panes.focus == FORM && self.form.as_ref().is_some_and(Form::typing)
    }

    fn input(&mut self, input: &Input, _: &State) -> Reply {
        let (pane, pressed) = match input {
            Input::Mouse(mouse @ Mouse { kind, .. }) => match self.panes.mouse(*mouse) {
                Some(pane) => (pane, matches!(kind, MouseKind::Down(_))),
                None => return Reply::Handled,
            },
            _ => (self.panes.focus, false),
        };
        match pane {
            FORM => self.ask_form(|form| form.input(input)),
            DOCUMENT => self.document.input(input),
            _ => {
                let count = self.form.as_ref().map_or(0, issues::count);
                let enter = matches!(input, Input::Key(key) if key.is(Code::Enter));
                match self.issues.input(input, count) {
                    true if pressed => self.go_to_issue(),
                    _ if enter => self.go_to_issue(),
                    true => Reply::Handled,
                    false => Reply::Ignored,
                }
            }
        }
    }

    fn act(&mut self, act: Act, _: &State) -> Reply {
        match act {
            Act::NextPane | Act::PreviousPane => self.next(act),
            Act::Accept => self.end(Message::Accept { then: Then::Leave, draft: Draft::Ask }),
            Act::Save => self.end(Message::Accept { then: Then::Stay, draft: Draft::Ask }),
            Act::Quit => self.end(Message::Quit { discard: false }),
            _ if act.row().scope == Scope::Form => self.ask_form(|form| form.act(act)),
            _ => Reply::Ignored,
        }
    }

    fn refusal(&self, act: Act, state: &State) -> Option<String> {
        let elsewhere = matches!(
            act,
            Act::SaveAll
                | Act::SwitchMode
                | Act::Connection
                | Act::Reload
                | Act::ShowTools
                | Act::ShowWorkflow
                | Act::ShowInvoke
        );
        if elsewhere {
            return Some("only in the workbench".into());
        }
        if act == Act::Save && state.form.as_ref().is_some_and(|form| form.goal == Goal::Printed) {
            return Some("there is no file; done prints it and leaves".into());
        }
        if act.row().scope == Scope::Form {
            return self
                .form
                .as_ref()
                .map_or(Some("there is no form".into()), |form| form.refusal(act));
        }
        None
    }

    fn keys(&self) -> Vec<(&'static str, &'static str)> {
        self.form.as_ref().filter(|_| self.panes.focus == FORM).map_or_else(Vec::new, Form::keys)
    }

    fn hints(&self, state: &State) -> Vec<Act> {
        let mut hints = vec![Act::Accept];
        if state.form.as_ref().is_some_and(|form| form.goal == Goal::Saved) {
            hints.push(Act::Save);
        }
        match (&self.form, self.panes.focus) {
            (Some(form), FORM) => {
                hints.extend(form.hints());
                if !form.told().is_empty() {
                    hints.push(Act::NextIssue);
                }
            }
            _ => hints.push(Act::NextPane),
        }
        hints.extend([Act::Undo, Act::Quit]);
        hints
    }
}
