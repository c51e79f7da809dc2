//! Scenarios: a run kept as one in the workspace, and those of the workspace run again.

use std::sync::Arc;

use crate::{
    app::{
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
        workflow::WorkflowMessage,
    },
    engine::scenario::{
        coverage::Coverage,
        page,
        script::Scenario,
        trial::{self, ScenarioRun, StepEnd},
    },
    model::entry::FileId,
    ui::{
        canvas::wrap,
        overlays::{
            menu::{Item, Menu},
            page::{Line, PageOverlay},
            prompt::Prompt,
        },
        styles::Role,
        view::Reply,
    },
};

/// Asks for a name and keeps the run, as a file of the workspace.
pub(crate) fn save_scenario(state: &State) -> Reply {
    let suggested = state
        .workflow
        .simulation
        .way_to(state.workflow.simulation.current_step())
        .last()
        .and_then(|id| state.workflow.simulation.step(*id));
    let suggested =
        suggested.map_or_else(|| "a run".to_owned(), |step| format!("to {}", step.after));
    let suggested = state.documents.free_name(&suggested, scenario_file);
    let scenario = Scenario::of_simulation("", &state.workflow.simulation);
    let warning = match run_scenario(state, &scenario).has_passed() {
        true => "",
        false => " Tools have changed since: it fails as they are now.",
    };
    let words = format!(
        "Saves the steps up to here in {}/NAME.yaml, with their results as \
         expectations.{warning} Name:",
        page::FOLDER
    );
    Reply::Open(Box::new(
        Prompt::new("Keep as scenario", words, suggested, |name, state| {
            if name.is_empty() {
                return Err("a scenario needs a name".into());
            }
            let file = scenario_file(name);
            if state.documents.has(&file) {
                return Err(format!("{file} already exists: choose another name"));
            }
            let text: Arc<str> = scenario_text(state, name).into();
            let create = Change::Create { file: file.clone(), text };
            let label = format!("keep the scenario {name}");
            Ok(Reply::Send(vec![
                Message::Document(DocumentMessage::Change { label, changes: vec![create] }),
                Message::Document(DocumentMessage::Save(Some(file))),
            ]))
        })
        .with_act("save")
        .preselected(),
    ))
}

/// The file of a scenario of that name.
fn scenario_file(name: &str) -> FileId {
    FileId::new(format!("{}/{}", page::FOLDER, page::file_name(name)))
}

/// The run as the text of a scenario file.
pub(crate) fn scenario_text(state: &State, name: &str) -> String {
    let scenario = Scenario::of_simulation(name, &state.workflow.simulation);
    let trial = run_scenario(state, &scenario);
    page::render_yaml(&scenario, &trial)
}

fn run_scenario(state: &State, scenario: &Scenario) -> ScenarioRun {
    trial::run_scenario(
        scenario,
        &state.gated_tools(),
        &state.workflow.profiles,
        state.mode,
        state.workflow.simulation.start_time(),
    )
}

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
        note: match trial.difference_count() {
            0 if trial.steps.len() == 1 => "1 step".to_owned(),
            0 => format!("{} steps", trial.steps.len()),
            1 => "1 difference".into(),
            count => format!("{count} differences"),
        },
        ..Item::default()
    }));
    let mut coverage = Coverage::new(&state.gated_tools());
    trials.iter().for_each(|(_, trial)| coverage.add_simulation(&trial.simulation));
    let then = move |row: usize| match row.checked_sub(1).and_then(|row| trials.get(row)) {
        None => Reply::Open(Box::new(all_page(&trials, &coverage))),
        Some(one) => {
            let page = PageOverlay::new(one.0.clone(), trial_lines(one));
            let show =
                Message::Workflow(WorkflowMessage::ShowRun(Box::new(one.1.simulation.clone())));
            Reply::Open(Box::new(page.with_enter_messages("go to this run", vec![show])))
        }
    };
    Reply::Open(Box::new(Menu::with_replies("Scenarios", items, then)))
}

/// The workspace's scenarios by name and file.
fn scenarios(state: &State) -> Vec<(String, FileId, Scenario)> {
    let read = |(file, document): (&FileId, &crate::app::documents::Document)| {
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

/// Asks for the question that the run is about.
pub(crate) fn ask_question(state: &State) -> Reply {
    let words = "The user's question. Live steps pass it to tools with an argument named question or \
        query.";
    let present = state.workflow.simulation.question().unwrap_or_default().to_owned();
    Reply::Open(Box::new(
        Prompt::new("Question", words, present, |text, _| {
            Ok(Reply::send(Message::Workflow(WorkflowMessage::SetQuestion(
                (!text.is_empty()).then(|| text.to_owned()),
            ))))
        })
        .with_act("set question"),
    ))
}
