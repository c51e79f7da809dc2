//! The workspace's cases, to be run all or one by one.

use std::collections::HashMap;

use super::{
    filed::{FiledCase, case_summary, filed_cases},
    one::case_menu,
    results::results_page,
};
use crate::{
    app::{calls::CallMessage, cases::VerdictCounts, message::Message, state::State},
    engine::case::read::AnyCase,
    model::{call::Call, entry::FileId},
    schema::ordering::PutInOrder,
    ui::{
        overlays::menu::{Item, Menu},
        view::{OverlayReply, Reply},
    },
};

/// The heading of cases that are not run with the others.
const ASIDE: &str = "In other folders, run one by one";

/// Lists the workspace's cases, those that failed first, and says how they went last. It begins at
/// the case of the call that is shown, where that failed.
pub(crate) fn cases_menu(shown: Option<&Call>, state: &State) -> Reply {
    let mut found = filed_cases(state);
    if found.is_empty() {
        return Reply::Refused("the workspace has no test cases: keep a call as one".into());
    }
    let has_failed = |found: &FiledCase| state.invoke.cases.has_passed(&found.file) == Some(false);
    found.order_by_key(|found| !(has_failed(found) || found.case.is_err()));
    let runnable = |found: &&FiledCase| found.is_of_all() && found.case.is_ok();
    let all: Vec<FileId> = found.iter().filter(runnable).map(|found| found.file.clone()).collect();
    let failed = found.iter().filter(|found| has_failed(found) && found.case.is_ok());
    let failed: Vec<FileId> = failed.map(|found| found.file.clone()).collect();
    let mut items = head_items(&found, (all.len(), failed.len()), state);
    let heads = items.len();
    let names = count_names(&found);
    items.extend(found.iter().map(|found| case_item(found, names[found.name()] > 1, state)));
    let goal = shown.and_then(|call| call.tested.as_ref()).filter(|tested| !tested.has_passed());
    let row = goal.and_then(|tested| found.iter().position(|found| found.file == tested.file));
    let chosen = state.invoke.cases.chosen.as_ref();
    let chosen = || chosen.and_then(|file| found.iter().position(|found| found.file == *file));
    let row = row.or_else(chosen).map_or(0, |row| heads + row);
    let then = move |row: usize, state: &State| match row {
        0 => Reply::send(Message::Call(CallMessage::RunCases(all.clone()))),
        1 => Reply::Open(Box::new(results_page(&found, state))),
        2 if heads > 2 => Reply::send(Message::Call(CallMessage::RunCases(failed.clone()))),
        row => match row.checked_sub(heads).and_then(|row| found.get(row)) {
            Some(broken) if broken.case.is_err() => Reply::send(Message::Document(broken.edit())),
            Some(found) => case_menu(found, state),
            None => Reply::Handled,
        },
    };
    let menu = Menu::with_state("Cases", items, move |row, state| {
        OverlayReply::CloseWith(then(row, state))
    });
    Reply::Open(Box::new(menu.with_row(row)))
}

/// What is done with several: run all, see how they went, run those again that failed.
fn head_items(found: &[FiledCase], (all, failed): (usize, usize), state: &State) -> Vec<Item> {
    let cases = &state.invoke.cases;
    let VerdictCounts { hold, differ } = cases.verdict_counts();
    let note = match (cases.under_way(), hold, differ) {
        (true, ..) => "under way …".to_owned(),
        (_, 0, 0) => String::new(),
        (_, hold, 0) => format!("{hold} of {hold} passed"),
        (_, hold, differ) => format!("{differ} of {} failed", hold + differ),
    };
    let run = Item {
        title: format!("Run all ({all})"),
        detail: connection_note(found, state),
        note,
        refusal: (all == 0).then(|| "the folder cases has none: run one by one".to_owned()),
        ..Item::default()
    };
    let last = Item {
        title: "Results".into(),
        detail: "each expectation of the last run".into(),
        refusal: (cases.tries.is_empty() && cases.asks.is_empty()).then(|| "not run yet".into()),
        ..Item::default()
    };
    let again = Item {
        title: format!("Run failed ({failed})"),
        detail: "those again that failed last".into(),
        ..Item::default()
    };
    [run, last].into_iter().chain((failed > 0).then_some(again)).collect()
}

/// What their calls go through, where a case does not say it.
fn connection_note(found: &[FiledCase], state: &State) -> String {
    let is_ask = |found: &FiledCase| matches!(found.case, Ok(AnyCase::Ask(_)));
    let recorded = "ask cases with their recorded runs";
    if found.iter().all(is_ask) {
        return recorded.to_owned();
    }
    let asks = if found.iter().any(is_ask) { format!("; {recorded}") } else { String::new() };
    let connections = &state.network.connections;
    let own = if connections.chosen.is_none() && !connections.of_tools.is_empty() {
        " or the tool's own"
    } else {
        ""
    };
    let mocks = if state.invoke.mocks.is_empty() { "" } else { "; mocked tools by their mock" };
    format!("over {}{own}{mocks}{asks}", state.current_connection().name)
}

/// How many cases have each name.
fn count_names(found: &[FiledCase]) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for found in found {
        *names.entry(found.name().to_owned()).or_default() += 1;
    }
    names
}

/// A case's row: what is typed to find it may be `failed`, `passed` or `broken`.
fn case_item(found: &FiledCase, is_repeated: bool, state: &State) -> Item {
    let cases = &state.invoke.cases;
    let (mark, end) = match (&found.case, cases.has_passed(&found.file)) {
        (Err(fault), _) => ("✗ ", format!("broken, line {}: {}", fault.line, fault.words)),
        (_, Some(false)) => {
            let why = cases.first_difference(&found.file).unwrap_or_default();
            ("✗ ", format!("failed: {why}"))
        }
        (Ok(case), Some(true)) => ("✓ ", format!("passed: {}", case_summary(case))),
        (Ok(case), None) => ("  ", case_summary(case)),
    };
    let file = found.file.as_str();
    let place =
        if is_repeated && found.name() != file { format!("  {file}") } else { String::new() };
    Item {
        title: format!("{mark}{}{place}", found.name()),
        detail: end,
        section: if found.is_of_all() { "" } else { ASIDE },
        ..Item::default()
    }
}
