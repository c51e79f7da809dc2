//! What is done with one case: run it, edit it, take the answer that came into what it expects.

use super::{
    filed::{FiledCase, case_summary},
    results::verdict_lines,
};
use crate::{
    app::{
        calls::CallMessage,
        case_mask::mask_of_case,
        compose::plan::Plan,
        documents::Change,
        message::{DocumentMessage, Message, ScreenId},
        state::State,
    },
    engine::case::{accept::accept_answer, read::AnyCase, tries::CaseTry},
    model::{call::CallId, entry::FileId},
    ui::{
        overlays::{
            menu::{Item, Menu},
            page::PageOverlay,
            proposal::Proposal,
        },
        view::Reply,
    },
};

/// Asks what to do with a case.
pub(super) fn case_menu(found: &FiledCase, state: &State) -> Reply {
    let cases = &state.invoke.cases;
    let not_run = || cases.has_passed(&found.file).is_none().then(|| "not run yet".to_owned());
    let call = last_call(&found.file, state);
    let refused_accept = || match (&found.case, cases.has_passed(&found.file)) {
        (Ok(AnyCase::Ask(_)), _) => {
            Some("a question's answer is recorded, not expected".to_owned())
        }
        (_, Some(true)) => Some("it passed".to_owned()),
        _ => not_run(),
    };
    let item = |title: &str, detail: String, refusal: Option<String>| Item {
        title: title.into(),
        detail,
        refusal,
        ..Item::default()
    };
    let difference = cases.first_difference(&found.file).unwrap_or_default();
    let items = vec![
        item("Run", found.case.as_ref().map_or_else(|_| String::new(), case_summary), None),
        item("Edit in $EDITOR", found.file.to_string(), None),
        item(
            "Accept its answer…",
            "the change of its file is shown first".into(),
            refused_accept(),
        ),
        item("Show its expectations", difference, not_run()),
        item(
            "Show its call",
            "the answer, its events and times".into(),
            call.is_none().then(|| "not called in this session".to_owned()),
        ),
    ];
    let (file, name) = (found.file.clone(), found.name().to_owned());
    let (edit, lines) = (found.edit(), verdict_lines(found, state));
    let then = move |row: usize| match row {
        0 => Reply::send(Message::Call(CallMessage::RunCases(vec![file.clone()]))),
        1 => Reply::send(Message::Document(edit.clone())),
        2 => accept_proposal(&file, &name),
        3 => Reply::Open(Box::new(PageOverlay::new(name.clone(), lines.clone()))),
        _ => call.map_or(Reply::Handled, |call| {
            Reply::Send(vec![
                Message::Call(CallMessage::Select(call)),
                Message::Show(ScreenId::Invoke),
            ])
        }),
    };
    Reply::Open(Box::new(Menu::with_replies(found.name(), items, then)))
}

/// The newest call of a case in this session.
fn last_call(file: &FileId, state: &State) -> Option<CallId> {
    let mut calls = state.invoke.calls.iter().rev();
    calls.find(|call| call.tested.as_ref().is_some_and(|one| one.file == *file)).map(|call| call.id)
}

/// Shows what changes in a case's file when it expects the answer that came, and saves that.
fn accept_proposal(file: &FileId, name: &str) -> Reply {
    let (of, label) = (file.clone(), format!("accept the answer of {name}"));
    let make = move |state: &State| accept_plan(&of, &label, state);
    Proposal::new(format!("Accept the answer of {name}"), "", make)
        .with_act("accept")
        .followed_by([
            Message::Document(DocumentMessage::Save(Some(file.clone()))),
            Message::Call(CallMessage::JudgeAgain(file.clone())),
        ])
        .into_reply()
}

fn accept_plan(file: &FileId, label: &str, state: &State) -> Result<Plan, String> {
    let document = state.documents.present(file).ok_or_else(|| format!("{file} is gone"))?;
    let source = document.source.as_ref().map_err(|error| format!("{file}: {error}"))?;
    let tried = state.invoke.cases.tries.get(file);
    let verdict = tried.and_then(CaseTry::telling_run).ok_or("it was not run yet")?;
    let accepted = accept_answer(source, verdict, &mask_of_case(state, file))?;
    let left: Vec<String> = accepted.verdict.differences().collect();
    let note = (!left.is_empty()).then(|| format!("Differs still: {}.", left.join("; ")));
    let change = Change::Text { file: file.clone(), text: accepted.text.into() };
    Ok(Plan::new(label, vec![change]).with_note(note))
}
