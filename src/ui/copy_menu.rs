//! What of a call can be copied, as a menu: the same on every screen that shows a call.

use serde_json::Value;

use super::{
    answer::{event_page::event_text, events::EventRow, pane::Answer},
    canvas::{first_line, visible_text},
    copies,
    overlays::{
        confirm::{Answer as Choice, Confirm},
        menu::{Item, Menu},
    },
    styles::Role,
    view::{OverlayReply, Reply},
};
use crate::{
    app::{message::Message, state::State},
    engine::trace::{compare, lines},
    model::{
        call::{Call, CallError, Request},
        copied::Copied,
        entry::EntryId,
        trace::Trace,
    },
    schema::literal::Literal,
    systems::{calling, facets::renderings::Rendering},
};

/// A call that is shown.
#[derive(Clone, Copy)]
pub(crate) struct ShownCopies<'c> {
    pub call: &'c Call,
    /// The pane that shows its answer.
    pub answer: &'c Answer,
    /// As it is kept, where it is.
    pub trace: Option<&'c Trace>,
    /// Whether it has a request; the run of a model has none.
    pub has_request: bool,
}

/// Asks what to copy of a call.
pub(crate) fn of_call(state: &State, shown: &ShownCopies<'_>) -> Reply {
    let request = &shown.call.request;
    let (requests, rendered) = match shown.has_request {
        true => {
            let requests = copies::of_call(state, shown.call, shown.answer.shown_query());
            (requests, rendered_request(state, request))
        }
        false => (Vec::new(), Vec::new()),
    };
    let [before, after] = [rows_of_answer(shown), rows_of_record(shown)];
    open(before.chain(requests).chain(after).collect(), rendered)
}

fn copied((what, text): (&str, Option<String>)) -> Option<Copied> {
    let text = text.filter(|text| !text.is_empty())?;
    Some(Copied { what: what.to_owned(), text })
}

type Rows = std::iter::Flatten<std::vec::IntoIter<Option<Copied>>>;

/// The answer, what is wrong with it, and what is under the cursor there.
fn rows_of_answer(shown: &ShownCopies<'_>) -> Rows {
    let ShownCopies { call, answer, trace, .. } = *shown;
    let text = match trace {
        // Of a call that is replayed, all of it.
        Some(trace) => compare::answer_text(trace),
        None => call.text.whole().into_owned(),
    };
    let (path, value) = answer.selected_value().unzip();
    let event = answer.selected_event(call);
    let is_frame = event.as_ref().is_some_and(|event| event.frame().is_some());
    let what = if is_frame { "frame under the cursor" } else { "event under the cursor" };
    let event = event.filter(|event| matches!(event, EventRow::Event(..)));
    let rows = [
        ("what is shown", answer.shown_part()),
        ("answer", Some(text)),
        ("error", call.problem().map(CallError::words)),
        ("value under the cursor", value),
        ("path of the value", path.map(|path| path.to_string())),
        (what, event.as_ref().map(event_text)),
        ("arguments", Some(call.request.arguments.to_string())),
    ];
    rows.map(copied).to_vec().into_iter().flatten()
}

/// The call as it is kept.
fn rows_of_record(shown: &ShownCopies<'_>) -> Rows {
    let json_lines = shown.trace.map(|trace| {
        let head = &trace.head;
        let events = trace.events.iter().map(|event| lines::of_event(&head.id, event));
        std::iter::once(lines::of_head(head)).chain(events).collect::<String>()
    });
    let id = shown.trace.map(|trace| trace.head.id.to_string());
    [("JSON lines", json_lines), ("id", id)].map(copied).to_vec().into_iter().flatten()
}

/// A request as other programs make it.
fn rendered_request(state: &State, request: &Request) -> Vec<Rendering> {
    let arguments = Literal::parse(&request.arguments);
    let arguments = arguments.unwrap_or_else(|_| state.written_arguments_of(&request.tool));
    let meta = calling::request_meta(request.system, &request.body);
    let meta = meta.and_then(|meta| serde_json::from_str(&meta).ok()).unwrap_or_default();
    rendered_call(state, &request.tool, &arguments, &meta)
}

/// A call of a tool as other programs make it.
pub(crate) fn rendered_call(
    state: &State,
    tool: &EntryId,
    arguments: &Literal,
    meta: &Value,
) -> Vec<Rendering> {
    let Some(tool) = state.tool(tool) else { return Vec::new() };
    let meta = meta.as_object().cloned().unwrap_or_default();
    let rendered = calling::render_call(tool, arguments, &meta).into_iter();
    rendered.map(|(_, rendering)| rendering).collect()
}

/// Lists what can be copied; `rendered` are shown first, and copied from there.
pub(crate) fn open(copies: Vec<Copied>, rendered: Vec<Rendering>) -> Reply {
    let item = |copied: &Copied| Item {
        title: copied.what.clone(),
        detail: first_line(&copied.text),
        ..Item::default()
    };
    let shown = |rendering: &Rendering| Item {
        title: format!("{}…", rendering.title),
        detail: "shown first; not sent from here".to_owned(),
        ..Item::default()
    };
    let items = copies.iter().map(item).chain(rendered.iter().map(shown)).collect();
    let choose = move |row: usize| match (copies.get(row), row.checked_sub(copies.len())) {
        (Some(copied), _) => OverlayReply::CloseWith(Reply::send(Message::Copy {
            what: copied.what.clone(),
            text: copied.text.clone(),
        })),
        (None, Some(row)) => rendered.get(row).map_or(OverlayReply::Close, |rendering| {
            OverlayReply::CloseWith(show_rendering(rendering))
        }),
        (None, None) => OverlayReply::Close,
    };
    Reply::Open(Box::new(Menu::new("Copy as", items, choose)))
}

/// The request in a dialog that says why it is not sent, and copies it.
fn show_rendering(rendering: &Rendering) -> Reply {
    let copied = |key, words, what: &str, text| Choice {
        key,
        words,
        messages: vec![Message::Copy { what: what.to_owned(), text }],
    };
    let answers = vec![
        copied('c', "Copy as curl", "curl command", rendering.to_curl()),
        copied('r', "Copy the request", "request", rendering.to_text()),
    ];
    let line = |line: &str| vec![(Role::Text, visible_text(line).into_owned())];
    let lines = rendering.to_text().lines().map(line).collect();
    let dialog = Confirm::new(rendering.title, rendering.note.as_str(), answers, Vec::new());
    Reply::Open(Box::new(dialog.with_lines(lines)))
}
