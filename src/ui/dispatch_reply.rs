//! What a form's reply asks of the application.

use super::{form::view::FormReply, view::Reply};
use crate::{
    app::message::{Message, TextTarget},
    syntax::edit::Edit,
};

/// The same as a reply of the screen that holds the form: `made` gives the messages that make
/// edits, `target` is whose text an editor gets. A fix is not wanted of anybody here.
#[must_use]
pub fn carried(
    reply: FormReply,
    target: TextTarget,
    made: impl Fn(Vec<Edit>) -> Vec<Message>,
) -> Reply {
    let and = |edits: Vec<Edit>, message: Message| {
        let mut messages = if edits.is_empty() { Vec::new() } else { made(edits) };
        messages.push(message);
        Reply::Send(messages)
    };
    match reply {
        FormReply::Ignored => Reply::Ignored,
        FormReply::Handled | FormReply::Fix(_) => Reply::Handled,
        FormReply::Refused(why) => Reply::Refused(why),
        FormReply::Edits(edits) => {
            Reply::Send(if edits.is_empty() { Vec::new() } else { made(edits) })
        }
        FormReply::Folder { folder, edits } => and(edits, Message::LookIntoFolder(folder)),
        FormReply::Copy { what, text, edits } => and(edits, Message::Copy { what, text }),
        FormReply::OpenEditor { at, text } => Reply::send(Message::EditText { target, at, text }),
    }
}
