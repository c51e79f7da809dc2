//! The forms of a screen, and which of them is shown: the one place where a form learns of the
//! world around it and where its replies become messages.
//!
//! A screen embeds a [`FormHost`]. It says whose value is shown ([`ValueOwner`]) and gives schema,
//! value and notes when they change; everything else about having a form is done here.

use std::{collections::HashMap, hash::Hash, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;

use super::{
    actions::ACTIONS,
    focus::FormPlace,
    issues::Drafts,
    view::{Form, FormReply},
};
use crate::{
    app::{
        actions::ActionId,
        input::{Code, Input, Key, Mods},
        message::{ClipboardAct, DocumentMessage, Message, TextTarget},
        notices::NoticeKind,
        state::State,
    },
    schema::pointer::Pointer,
    syntax::{edit::Edit, source::Source},
    ui::{
        action_rows::{has_action, refuse_when},
        view::{Look, Reply},
        widgets::panes::{Panes, Step},
    },
};

/// Whose value a form edits; the form of an owner stays the same one while the owner is kept.
pub(crate) trait ValueOwner: Clone + Eq + Hash {
    /// Whose text an editor is given for a place of the value, and the place in that text.
    fn text_target(&self, at: Pointer, state: &State) -> (TextTarget, Pointer);

    /// The messages that make edits of the value, as one step of undo. The form has them already.
    fn edit_messages(&self, edits: Vec<Edit>, form: &Form, state: &State) -> Vec<Message>;

    /// What is asked for when the fix of the note with this number is wanted.
    fn fix_note(&self, _note: usize, _state: &State) -> Reply {
        Reply::Handled
    }
}

/// The forms of a screen by the owners of their values; one of them is shown, or none.
pub(crate) struct FormHost<O> {
    forms: HashMap<O, HostedForm>,
    shown: Option<O>,
    /// What was typed in forms that were taken out, and is no value.
    drafts: HashMap<O, Drafts>,
    /// What was open in forms that were taken out, and where the cursor was; the newest first.
    left: Vec<(O, FormPlace)>,
}

/// A terminal keeps what other programs copied to itself.
const NOT_COPIED: &str =
    "nothing was copied here yet; your terminal's own key pastes what others copied";

/// How many forms are remembered by their places.
const MOST_LEFT: usize = 64;

struct HostedForm {
    form: Form,
    /// The revision of the outside that the form was last brought in line with.
    revision: Option<u64>,
    saved: Option<SavedValue>,
}

impl HostedForm {
    /// What is to be done about a reply of the form. Apart from [`FormHost::ask`], which is there
    /// once for each closure that it is asked with.
    fn take_reply(&mut self, reply: FormReply, owner: &impl ValueOwner, state: &State) -> Reply {
        let mut made = |edits: Vec<Edit>| {
            if edits.is_empty() {
                return Vec::new();
            }
            self.revision = None;
            owner.edit_messages(edits, &self.form, state)
        };
        let with = |mut messages: Vec<Message>, message| {
            messages.push(message);
            Reply::Send(messages)
        };
        match reply {
            FormReply::Ignored => Reply::Ignored,
            FormReply::Handled => Reply::Handled,
            FormReply::Refused(why) => Reply::Refused(why),
            FormReply::Fix(note) => owner.fix_note(note, state),
            FormReply::Edits(edits) => {
                let removed = match edits.as_slice() {
                    // With what names it, where a schema does.
                    [Edit::Remove { at }, rest @ ..]
                        if rest.iter().all(|edit| matches!(edit, Edit::Remove { .. })) =>
                    {
                        Some(at.words_in(self.form.value()))
                    }
                    _ => None,
                };
                let mut messages = made(edits);
                let is_typing = self.form.is_typing();
                let lost = self.form.lost.take();
                messages.extend(lost.map(|words| {
                    let undo = state.keymap.way_to("undo");
                    Message::Notice(NoticeKind::Done, format!("{words}; {undo} undoes"))
                }));
                messages.extend(removed.filter(|_| !is_typing).map(|at| {
                    let undo = state.keymap.way_to("undo");
                    Message::Notice(NoticeKind::Done, format!("Removed {at}; {undo} undoes"))
                }));
                Reply::Send(messages)
            }
            FormReply::Folder { folder, edits } => {
                with(made(edits), Message::LookIntoFolder(folder))
            }
            FormReply::Copy { what, text, edits } => {
                with(made(edits), Message::Copy { what, text })
            }
            FormReply::Selected(text) => {
                Reply::send(Message::Clipboard(ClipboardAct::Select(text)))
            }
            FormReply::PasteText if state.keymap.is_in_window() => {
                Reply::send(Message::Clipboard(ClipboardAct::Paste))
            }
            FormReply::PasteText if state.clip.is_empty() => Reply::Refused(NOT_COPIED.into()),
            FormReply::PasteText => {
                let reply = self.form.handle_input(&Input::Paste(state.clip.clone()));
                self.take_reply(reply, owner, state)
            }
            FormReply::OpenEditor { at, text } => {
                let (target, at) = owner.text_target(at, state);
                Reply::send(Message::Document(DocumentMessage::EditText { target, at, text }))
            }
        }
    }
}

/// The value in texts as they are saved.
struct SavedValue {
    /// Whose.
    entry: String,
    texts: Vec<Arc<str>>,
    value: Option<Arc<Value>>,
}

impl<O> Default for FormHost<O> {
    fn default() -> Self {
        let (forms, drafts) = (HashMap::new(), HashMap::new());
        Self { forms, shown: None, drafts, left: Vec::new() }
    }
}

/// How numbers are written in a source that holds a form's value at `base` of a document; for
/// [`Form::sync_written`].
pub(crate) fn written_in<'s>(
    source: Option<&'s Source>,
    document: usize,
    base: &'s Pointer,
) -> impl Fn(&Pointer) -> Option<String> + 's {
    move |at| source?.written_text(document, &base.join(at)).map(str::to_owned)
}

impl<O: ValueOwner> FormHost<O> {
    /// Shows the form of an owner, which is made where there is none yet.
    pub fn show(&mut self, owner: O, make: impl FnOnce() -> Form) {
        self.forms.entry(owner.clone()).or_insert_with(|| HostedForm {
            form: make(),
            revision: None,
            saved: None,
        });
        self.shown = Some(owner);
    }

    /// Owners are known otherwise; the forms of those that are gone go.
    pub fn follow_owners(&mut self, follow: impl Fn(&O) -> Option<O>) {
        let forms = std::mem::take(&mut self.forms).into_iter();
        self.forms = forms.filter_map(|(owner, form)| Some((follow(&owner)?, form))).collect();
        let drafts = std::mem::take(&mut self.drafts).into_iter();
        self.drafts =
            drafts.filter_map(|(owner, drafts)| Some((follow(&owner)?, drafts))).collect();
        let left = std::mem::take(&mut self.left).into_iter();
        self.left = left.filter_map(|(owner, place)| Some((follow(&owner)?, place))).collect();
        self.shown = self.shown.take().and_then(|owner| follow(&owner));
    }

    /// Shows no form; the forms stay.
    pub fn hide(&mut self) {
        self.shown = None;
    }

    /// Lets the forms of other owners go, with what was typed there and is no value yet.
    pub fn retain(&mut self, keep: impl Fn(&O) -> bool) {
        self.forms.retain(|owner, _| keep(owner));
        self.shown = self.shown.take().filter(keep);
    }

    /// Lets all forms go but those in which something is typed that is no value yet; none is shown.
    pub fn retain_drafts(&mut self) {
        self.forms.retain(|_, hosted| hosted.form.unsent_draft().is_some());
        self.shown = None;
    }

    /// Takes the shown form out; what is typed there and is no value waits for its owner's next
    /// form, as does the place of the cursor.
    pub fn take_shown(&mut self) -> Option<Form> {
        let owner = self.shown.take()?;
        let mut form = self.forms.remove(&owner)?.form;
        let drafts = form.take_drafts();
        self.left.retain(|(known, _)| *known != owner);
        if let Some(place) = form.place() {
            self.left.truncate(MOST_LEFT - 1);
            self.left.insert(0, (owner.clone(), place));
        }
        if !drafts.is_empty() {
            self.drafts.insert(owner, drafts);
        }
        Some(form)
    }

    /// Goes where the user was in the shown form, and shows what was typed before, once it has its
    /// value.
    pub fn put_drafts_back(&mut self) {
        let known = self.left.iter().position(|(owner, _)| Some(owner) == self.shown.as_ref());
        if let (Some((_, place)), Some(form)) =
            (known.map(|row| self.left.remove(row)), self.shown_form_mut())
        {
            form.go_back_to(place);
        }
        let drafts = self.shown.as_ref().and_then(|owner| self.drafts.remove(owner));
        if let (Some(drafts), Some(form)) = (drafts, self.shown_form_mut()) {
            form.put_drafts(drafts);
        }
    }

    /// What is typed in these forms and is no value, by owners.
    pub fn draft_issues(&self) -> impl Iterator<Item = (&O, Vec<String>)> {
        let shown = self.forms.iter().map(|(owner, hosted)| (owner, hosted.form.draft_issues()));
        shown.chain(self.drafts.iter().map(|(owner, drafts)| (owner, drafts.issues())))
    }

    /// Whose form is shown.
    #[must_use]
    pub fn owner(&self) -> Option<&O> {
        self.shown.as_ref()
    }

    #[must_use]
    pub fn shown_form(&self) -> Option<&Form> {
        Some(&self.forms.get(self.shown.as_ref()?)?.form)
    }

    /// How many fields the shown form has.
    #[must_use]
    pub fn field_count(&self) -> usize {
        self.shown_form().map_or(0, |form| form.fields().len())
    }

    #[must_use]
    pub fn shown_form_mut(&mut self) -> Option<&mut Form> {
        Some(&mut self.hosted()?.form)
    }

    fn hosted(&mut self) -> Option<&mut HostedForm> {
        self.forms.get_mut(self.shown.as_ref()?)
    }

    /// The shown form if it is behind this revision of schema, value or notes, to be brought in
    /// line with them. It is behind after edits of its own too, as they may come to something else
    /// or be refused.
    pub fn outdated_form(&mut self, revision: u64) -> Option<&mut Form> {
        let hosted = self.hosted().filter(|hosted| hosted.revision != Some(revision))?;
        hosted.revision = Some(revision);
        Some(&mut hosted.form)
    }

    /// Passes the shown form what its value is compared with: the value of an entry in saved texts,
    /// which are read only where it or one of them is another one than before. Without texts there
    /// is none.
    pub fn sync_saved(
        &mut self,
        entry: &str,
        texts: Vec<Arc<str>>,
        read: impl FnOnce(&[Arc<str>]) -> Option<Arc<Value>>,
    ) {
        let Some(HostedForm { form, saved, .. }) = self.hosted() else { return };
        let is_same = |saved: &SavedValue| {
            saved.entry == entry
                && saved.texts.len() == texts.len()
                && saved.texts.iter().zip(&texts).all(|(known, text)| Arc::ptr_eq(known, text))
        };
        *saved = saved.take().filter(is_same).or_else(|| {
            let value = if texts.is_empty() { None } else { read(&texts) };
            Some(SavedValue { entry: entry.to_owned(), texts, value })
        });
        form.set_saved(saved.as_ref().and_then(|saved| saved.value.as_ref()));
    }

    /// Passes the shown form the clipboard, the time, and the folder that was looked into.
    pub fn sync_surroundings(&mut self, state: &State) {
        let Some(form) = self.shown_form_mut() else { return };
        form.set_clip(&state.clip);
        form.set_wall(state.wall);
        form.set_folder(state.folder.as_ref());
    }

    /// A form that the keys come to waits for `Enter`.
    pub fn rest(&mut self) {
        if let Some(form) = self.shown_form_mut() {
            form.stop_typing();
        }
    }

    /// Asks the shown form for something, and passes its reply on.
    pub fn ask(&mut self, state: &State, ask: impl FnOnce(&mut Form) -> FormReply) -> Reply {
        let Some((owner, hosted)) =
            self.shown.as_ref().and_then(|owner| Some((owner, self.forms.get_mut(owner)?)))
        else {
            return Reply::Ignored;
        };
        let reply = ask(&mut hosted.form);
        hosted.take_reply(reply, owner, state)
    }

    pub fn input(&mut self, input: &Input, state: &State) -> Reply {
        self.ask(state, |form| form.handle_input(input))
    }

    /// Does an action of forms; any other is ignored.
    pub fn act(&mut self, id: ActionId, state: &State) -> Reply {
        self.ask(state, |form| form.handle_action(id))
    }

    /// Takes in what is typed and is not yet in the value: the messages that put it there.
    pub fn leave(&mut self, state: &State) -> Vec<Message> {
        match self.ask(state, Form::flush_editor) {
            Reply::Send(messages) => messages,
            _ => Vec::new(),
        }
    }

    /// Goes to the next field, or to the one before; `Ignored` at the end of the form.
    pub fn step_field(&mut self, step: Step, state: &State) -> Reply {
        let mods = Mods { shift: step == Step::Previous, ..Mods::default() };
        self.input(&Input::Key(Key { code: Code::Tab, mods }), state)
    }

    /// Goes to the next pane; in EDIT from field to field of the form in `pane`, and to the next
    /// pane after the last one.
    pub fn step_pane(
        &mut self,
        step: Step,
        panes: &mut Panes,
        pane: usize,
        state: &State,
    ) -> Reply {
        if panes.focus == pane && self.is_typing() {
            let reply = self.step_field(step, state);
            if !matches!(reply, Reply::Ignored) {
                return reply;
            }
        }
        let messages = if panes.focus == pane { self.leave(state) } else { Vec::new() };
        panes.step(step);
        self.rest();
        Reply::Send(messages)
    }

    /// Whether printable keys are text now.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.shown_form().is_some_and(Form::is_typing)
    }

    /// Why an action of the form cannot be done; where no form is shown, `absent` says so.
    #[must_use]
    pub fn refusal(&self, id: ActionId, absent: &str) -> Option<String> {
        match self.shown_form() {
            Some(form) => form.refusal_reason(id),
            None => refuse_when(has_action(ACTIONS, id), absent),
        }
    }

    #[must_use]
    pub fn keys(&self) -> Vec<(&'static str, &'static str)> {
        self.shown_form().map_or_else(Vec::new, Form::key_hints)
    }

    #[must_use]
    pub fn hints(&self) -> Vec<ActionId> {
        self.shown_form().map_or_else(Vec::new, Form::hinted_actions)
    }

    /// Where the focus is, for the foot of the pane; empty while all of the form is seen.
    #[must_use]
    pub fn position(&self) -> String {
        self.shown_form().and_then(Form::position_text).unwrap_or_default()
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        if let Some(form) = self.shown_form_mut() {
            form.draw(buffer, area, look.styles, focused);
            form.text_places().for_each(|place| look.mouse.types(place));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::entry::FileId;

    #[test]
    fn saved_texts_are_read_again_for_another_entry_or_text_only() {
        let mut host = FormHost::default();
        host.show(FileId::new("x.json"), || Form::new(json!({})));
        let mut read = Vec::new();
        let mut sync = |entry: &str, text: &Arc<str>| {
            host.sync_saved(entry, vec![Arc::clone(text)], |_| {
                read.push(entry.to_owned());
                None
            });
        };
        let (text, other): (Arc<str>, Arc<str>) = ("a".into(), "a".into());
        for entry in ["x", "x", "y", "y"] {
            sync(entry, &text);
        }
        sync("y", &other);
        assert_eq!(read, ["x", "y", "y"]);
    }
}
