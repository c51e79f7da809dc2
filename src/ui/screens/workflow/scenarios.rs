//! The workspace's scenarios: run again, what differs, and taking what happens now for what they
//! expect.

use super::keep::run_scenario;
use crate::{
    app::{
        compose::plan::Plan,
        documents::{Change, Document},
        message::Message,
        state::State,
        workflow::WorkflowMessage,
    },
    engine::scenario::{
        accept::{accept_run, unrunnable_words},
        coverage::Coverage,
        script::Scenario,
        trial::{ScenarioRun, StepEnd},
    },
    model::entry::FileId,
    schema::count::count_text,
    syntax::source::Source,
    ui::{
        canvas::wrap,
        overlays::{
            menu::{Item, Menu},
            page::{Line, PageOverlay},
            proposal::Proposal,
        },
        styles::Role,
        view::Reply,
    },
};

/// Asks which of the workspace's scenarios to run.
pub(crate) fn scenario_menu(state: &State) -> Reply {
    let found = scenarios(state);
    if found.is_empty() {
        return Reply::Refused(
            "the workspace has no scenarios: take some steps and keep them".into(),
        );
    }
    let trials: Vec<(String, ScenarioRun)> = found
        .iter()
        .map(|(name, _, scenario)| (name.clone(), run_scenario(state, scenario)))
        .collect();
    let failed = trials.iter().filter(|(_, trial)| !trial.has_passed()).count();
    let mark = |holds: bool| if holds { "✓ ".to_owned() } else { "✗ ".to_owned() };
    let mut items = vec![Item {
        title: format!("{}all {}", mark(failed == 0), found.len()),
        detail: "every step, and what is covered".into(),
        note: if failed == 0 { "passed".into() } else { format!("{failed} failed") },
        ..Item::default()
    }];
    items.extend(found.iter().zip(&trials).map(|((name, file, _), (_, trial))| Item {
        title: format!("{}{name}", mark(trial.has_passed())),
        detail: file.to_string(),
        note: match trial.has_passed() {
            true => count_text(trial.steps.len(), "step", "steps"),
            false => differences(trial),
        },
        ..Item::default()
    }));
    let mut coverage = Coverage::new(&state.gated_tools());
    trials.iter().for_each(|(_, trial)| coverage.add_simulation(&trial.simulation));
    let files: Vec<FileId> = found.into_iter().map(|(_, file, _)| file).collect();
    let then = move |row: usize| match row
        .checked_sub(1)
        .and_then(|row| Some((files.get(row)?, trials.get(row)?)))
    {
        None => Reply::Open(Box::new(all_page(&trials, &coverage))),
        Some((_, one)) if one.1.has_passed() => {
            let page = PageOverlay::new(one.0.clone(), trial_lines(one));
            let show = vec![show_run(&one.1)];
            Reply::Open(Box::new(page.with_enter_messages("go to this run", show)))
        }
        Some((file, one)) => failed_menu(file, one),
    };
    Reply::Open(Box::new(Menu::with_replies("Scenarios", items, then)))
}

/// Asks what to do with a scenario that differs.
fn failed_menu(file: &FileId, one: &(String, ScenarioRun)) -> Reply {
    let (name, trial) = one.clone();
    let title = format!("{name}: {}", differences(&trial));
    let first = trial.first_difference().map(|(row, expectation)| {
        let difference = expectation.difference.as_deref().unwrap_or_default();
        format!("step {}: {difference}", row + 1)
    });
    let items = vec![
        Item {
            title: "Show the differences".into(),
            detail: first.unwrap_or_default(),
            ..Item::default()
        },
        Item {
            title: "Go to its run".into(),
            detail: "where the first difference is".into(),
            ..Item::default()
        },
        Item {
            title: "Accept what happens now…".into(),
            detail: format!("the change of {file} is shown first"),
            ..Item::default()
        },
    ];
    let (file, one) = (file.clone(), one.clone());
    let then = move |row: usize| match row {
        0 => {
            let page = PageOverlay::new(one.0.clone(), trial_lines(&one));
            let show = vec![show_run(&one.1)];
            Reply::Open(Box::new(page.with_enter_messages("go to this run", show)))
        }
        1 => Reply::send(show_run(&one.1)),
        _ => {
            let (file, name) = (file.clone(), one.0.clone());
            Proposal::new(format!("Accept what happens in {name}"), "", move |state| {
                accept_plan(&file, &name, state)
            })
            .with_act("accept")
            .into_reply()
        }
    };
    Reply::Open(Box::new(Menu::with_replies(title, items, then)))
}

fn differences(trial: &ScenarioRun) -> String {
    count_text(trial.difference_count(), "difference", "differences")
}

/// Shows the run of a scenario, at its first difference.
fn show_run(trial: &ScenarioRun) -> Message {
    Message::Workflow(WorkflowMessage::ShowRun(Box::new(trial.shown_at_difference())))
}

/// What makes a scenario expect what happens now.
fn accept_plan(file: &FileId, name: &str, state: &State) -> Result<Plan, String> {
    let document = state.documents.present(file).ok_or(format!("{file} is gone"))?;
    let source = document.source.as_ref().map_err(|error| format!("{file}: {error}"))?;
    let trial = trial_of(source, state)?;
    let unrunnable = unrunnable_words(&trial).map(|words| format!("{words}."));
    let text = accept_run(source, &trial, &state.gated_tools())
        .map_err(|cause| format!("{file}: {cause}"))?;
    if let Some(words) = unrunnable.as_ref().filter(|_| text == **source.text()) {
        return Err(words.clone());
    }
    let after = Source::parse(source.format(), text.as_str()).map_err(|error| error.to_string())?;
    let left = trial_of(&after, state)?;
    let note = left.first_difference().map(|(row, expectation)| {
        format!(
            "{} can't be accepted: step {}: {}.",
            differences(&left),
            row + 1,
            expectation.difference.as_deref().unwrap_or_default()
        )
    });
    let change = Change::Text { file: file.clone(), text: text.into() };
    Ok(Plan::new(format!("accept what happens in {name}"), vec![change])
        .with_note(unrunnable)
        .with_note(note))
}

/// A scenario's file as it goes now.
fn trial_of(source: &Source, state: &State) -> Result<ScenarioRun, String> {
    let value = source.value(0).ok_or("it is empty")?;
    let scenario = Scenario::from_value(value).map_err(|issue| issue.to_string())?;
    Ok(run_scenario(state, &scenario))
}

/// The workspace's scenarios by name and file.
fn scenarios(state: &State) -> Vec<(String, FileId, Scenario)> {
    let read = |(file, document): (&FileId, &Document)| {
        let value = document.source.as_ref().ok()?.value(0)?.clone();
        let scenario = value.get("steps").and_then(|_| Scenario::from_value(&value).ok())?;
        let name = if scenario.name.is_empty() { file.to_string() } else { scenario.name.clone() };
        Some((name, file.clone(), scenario))
    };
    state.documents.iter().filter_map(read).collect()
}

fn all_page(trials: &[(String, ScenarioRun)], coverage: &Coverage) -> PageOverlay {
    let mut lines: Vec<Line> = trials.iter().flat_map(trial_lines).collect();
    lines.push(Line::new());
    lines.push(vec![(Role::Heading, format!("Coverage: {}", coverage.summary()))]);
    let missed = coverage.missed_lines().into_iter().flat_map(|missed| wrap(&missed, 70));
    lines.extend(missed.map(|line| vec![(Role::Warning, format!("  {line}"))]));
    PageOverlay::new("Scenarios", lines)
}

fn trial_lines((name, trial): &(String, ScenarioRun)) -> Vec<Line> {
    let end = if trial.has_passed() { (Role::Success, "passed") } else { (Role::Error, "failed") };
    let mut lines: Vec<Line> =
        vec![vec![(Role::Heading, format!("{name}  ")), (end.0, end.1.to_owned())]];
    for (row, step) in trial.steps.iter().enumerate() {
        let holds = step.expectations.iter().all(|expectation| expectation.difference.is_none());
        let (mark, role) = match (step.expectations.is_empty(), holds) {
            (true, _) => ("-", Role::Dim),
            (false, true) => ("✓", Role::Success),
            (false, false) => ("✗", Role::Error),
        };
        let tool = step.tool.as_deref().unwrap_or("(looks only)");
        let moved =
            if step.before == step.after { String::new() } else { format!(" → {}", step.after) };
        let words = format!(" {}: {tool} {}{moved}", step.before, step.end.as_str());
        lines.push(vec![
            (Role::Dim, format!("{:>3} ", row + 1)),
            (role, mark.to_owned()),
            (Role::Text, words),
        ]);
        let mut more = |role: Role, words: &str| {
            lines.extend(
                wrap(words, 64)
                    .into_iter()
                    .map(|line| vec![(Role::Text, "      ".to_owned()), (role, line)]),
            );
        };
        if let StepEnd::Refused { reasons, fix } = &step.end {
            reasons.iter().for_each(|reason| more(Role::Warning, reason));
            fix.iter().for_each(|fix| more(Role::Accent, &format!("▸ {fix}")));
        }
        for expectation in &step.expectations {
            if let Some(difference) = &expectation.difference {
                more(
                    Role::Error,
                    &format!(
                        "{}: expected {}: {difference}",
                        expectation.what, expectation.expected
                    ),
                );
            }
        }
    }
    lines
}
