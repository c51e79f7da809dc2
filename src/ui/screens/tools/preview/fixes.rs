//! Where problems lead, and the fixes of the selected entry's problems, where no problem is chosen in a
//! list.

use super::super::dialogs;
use crate::{
    app::{
        message::{DocumentMessage, Message},
        notices::NoticeKind,
        state::State,
    },
    model::{entry::EntryId, finding::Finding},
    ui::{
        overlays::menu::{Item, Menu},
        view::{OverlayReply, Reply},
    },
};

/// The problems of the selected entry that have a fix, for who chooses none in a list.
fn fixable_here(state: &State) -> Vec<&Finding> {
    let own = state.selected.as_ref().map(|id| state.findings_of(id));
    let has_fix = |of: &&Finding| of.fix.is_some() || service_of(of, state).is_some();
    own.into_iter().flatten().filter(has_fix).collect()
}

/// Leads to the field of a finding; of what is in no entry, to the file in the user's editor.
pub(super) fn go_to_finding(finding: &Finding) -> Reply {
    let site = &finding.site;
    Reply::send(match &site.entry {
        Some(entry) => Message::Jump(entry.clone(), site.pointer.clone()),
        None => Message::Document(DocumentMessage::OpenEditor {
            file: site.file.clone(),
            line: site.line,
            column: site.column,
        }),
    })
}

/// Says a finding that no field shows: nobody asked for an editor.
pub(super) fn say_finding(finding: &Finding) -> Reply {
    let site = &finding.site;
    let words = format!(
        "{}:{}: {}; Enter in Problems opens it in your editor",
        site.file, site.line, finding.message
    );
    Reply::send(Message::Notice(NoticeKind::Hint, words))
}

/// Why nothing about the selected entry can be fixed.
pub(super) fn refusal_here(state: &State) -> Option<String> {
    let entry = state.selected_entry();
    let key = entry.map_or("this entry", |entry| entry.key.as_str());
    let words = format!("no problem of {key} has an automatic fix; problems lists them");
    fixable_here(state).is_empty().then_some(words)
}

/// Applies the fix of the only problem of the selected entry, or asks which problem is meant.
pub(super) fn fix_here(state: &State) -> Reply {
    let findings = fixable_here(state);
    let fix = |finding: &Finding, state: &State| match (&finding.fix, service_of(finding, state)) {
        (None, Some(tool)) => dialogs::make_service(tool, &finding.site.pointer, state),
        _ => dialogs::apply_fixes(&finding.fixes().cloned().collect::<Vec<_>>()),
    };
    if let [only] = findings.as_slice() {
        return fix(only, state);
    }
    let item = |finding: &&Finding| Item {
        title: finding.message.clone(),
        detail: dialogs::fix_words(finding, state).unwrap_or_default(),
        ..Item::default()
    };
    let items = findings.iter().map(item).collect();
    let findings: Vec<Finding> = findings.iter().map(|finding| (*finding).clone()).collect();
    Reply::Open(Box::new(Menu::with_state("Fix", items, move |row, state| {
        let fixed = findings.get(row).map(|finding| fix(finding, state));
        OverlayReply::CloseWith(fixed.unwrap_or_default())
    })))
}

/// The tool that a problem is about, where it lacks a service that can be made.
pub(super) fn service_of<'f>(finding: &'f Finding, state: &State) -> Option<&'f EntryId> {
    let tool = finding.site.entry.as_ref()?;
    dialogs::unmade_service(tool, &finding.site.pointer, state).map(|_| tool)
}
