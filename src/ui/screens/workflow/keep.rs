//! The run kept as a scenario of the workspace, and the question that it is about.

use std::sync::Arc;

use crate::{
    app::{
        compose::{context::ComposeContext, start},
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
        workflow::WorkflowMessage,
    },
    engine::scenario::{
        page,
        script::Scenario,
        trial::{self, ScenarioRun},
    },
    model::{context::Context, entry::FileId},
    ui::{
        overlays::{prompt::Prompt, proposal::Proposal},
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

pub(super) fn run_scenario(state: &State, scenario: &Scenario) -> ScenarioRun {
    trial::run_scenario(
        scenario,
        &state.gated_tools(),
        &state.workflow.profiles,
        state.mode,
        state.workflow.simulation.start_time(),
    )
}

/// Asks whether runs are to start with what is requested now, where this run starts.
pub(crate) fn keep_start(state: &State) -> Reply {
    let start =
        Context { state: state.workflow.simulation.start().state.clone(), ..state.context() };
    let words = "Runs and commands start with the groups that are requested now, in the state \
        where this run starts, and as its user.";
    Proposal::new("Keep as the start of runs", words, move |state| {
        start::keep_start(ComposeContext::from_state(state), &start)
    })
    .with_act("keep")
    .into_reply()
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
