//! Ask cases on the screen: a run of a model kept as one, and their recorded runs to look at.

use std::sync::Arc;

use super::{
    overlays::{
        menu::{Item, Menu},
        ticked::{Tick, Ticked},
    },
    view::Reply,
};
use crate::{
    app::{
        agent_run::{AgentMessage, CallPolicy, RunSetup, RunSource},
        ask_cases::{self, recorded_runs},
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::{
        case::{
            ask::AskCase,
            ask_page::{AskExpected, AskParts},
            page::FOLDER,
        },
        scenario::page::file_name,
    },
    model::{entry::FileId, trace::Trace},
    schema::{count::count_text, parse::pretty_json},
};

/// What a case may expect of a run.
const TICKS: [(&str, bool); 4] = [
    ("tools", true),
    ("their arguments", false),
    ("no other tool", true),
    ("the state at the end", true),
];

/// Asks for a name and for what is expected, and keeps the run as a case with its recorded run.
pub(crate) fn save_run(trace: &Trace) -> Reply {
    let Some(parts) = AskParts::from_trace(trace) else {
        return Reply::Refused("the model has said nothing yet".into());
    };
    let tools: Vec<&str> = parts.calls.iter().map(|(tool, _)| tool.as_str()).collect();
    let detail = |what: &str| match what {
        "tools" if tools.is_empty() => "none is called".to_owned(),
        "tools" => tools.join(", then "),
        "their arguments" => "equal to those of this run".to_owned(),
        "the state at the end" => parts.end_state.clone().unwrap_or_default(),
        _ => String::new(),
    };
    let tick = |(what, on): &(&str, bool)| Tick {
        title: (*what).to_owned(),
        detail: detail(what),
        on: *on,
    };
    let ticks = TICKS.iter().map(tick).collect();
    let words = format!(
        "Saves the question as {FOLDER}/NAME.yaml and what the model said beside it. The \
        ticked expectations are saved with it. Name:"
    );
    Reply::Open(Box::new(Ticked::new(
        "Keep as case",
        words,
        "",
        ticks,
        move |name, ticks, state| {
            if name.is_empty() {
                return Err("a case needs a name".into());
            }
            let is_on = |row: usize| ticks.get(row).is_some_and(|tick| tick.on);
            let expected = AskExpected {
                tools: is_on(0),
                arguments: is_on(1),
                only: is_on(2),
                state: is_on(3),
            };
            let file = FileId::new(format!("{FOLDER}/{}", file_name(name)));
            let recorded = ask_cases::recorded_file(&file, None);
            for taken in [&file, &recorded] {
                if state.documents.has(taken) {
                    return Err(format!("{taken} already exists: choose another name"));
                }
            }
            let mask = parts.mask(&state.mask);
            let case = parts.render_yaml(name, expected, &mask);
            let runs = format!("{}\n", pretty_json(&parts.recorded.to_json(), None));
            let runs: Arc<str> = mask.mask_text(&runs).as_ref().into();
            let changes = vec![
                Change::Create { file: file.clone(), text: case.into() },
                Change::Create { file: recorded.clone(), text: runs },
            ];
            let label = format!("keep the case {name}");
            Ok(Reply::Send(vec![
                Message::Document(DocumentMessage::Change { label, changes }),
                Message::Document(DocumentMessage::Save(Some(file))),
                Message::Document(DocumentMessage::Save(Some(recorded))),
            ]))
        },
    )))
}

/// Asks which recorded run is to be gone through, call by call, without a model.
pub(crate) fn recorded_menu(state: &State) -> Reply {
    let mut rows: Vec<(Item, RunSetup)> = Vec::new();
    for (file, document) in state.documents.iter() {
        let Some(Ok(case)) = ask_cases::read_ask_case(document) else { continue };
        let Ok(recorded) = recorded_runs(state, file, &case) else { continue };
        let several = recorded.runs.len() > 1;
        for (row, recording) in recorded.runs.into_iter().enumerate() {
            let name = case_name(file, &case);
            let title = if several { format!("run {}: {name}", row + 1) } else { name.clone() };
            let name = if several { format!("{name}, run {}", row + 1) } else { name };
            let item = Item {
                title,
                detail: case.question.clone(),
                note: count_text(recording.replies.len(), "reply", "replies"),
                ..Item::default()
            };
            let context = case.context(&ask_cases::workspace_context(state));
            let setup = RunSetup {
                question: case.question.clone(),
                system: case.system.clone(),
                source: RunSource::Recorded { name, recording: Arc::new(recording) },
                context: Some(context),
                policy: CallPolicy::Ask,
                breakpoints: Vec::new(),
            };
            rows.push((item, setup));
        }
    }
    if rows.is_empty() {
        return Reply::Refused(
            "no ask case has a recorded run: keep a run as a case, or see toolcrib help bench"
                .into(),
        );
    }
    let (items, setups): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    Reply::Open(Box::new(Menu::with_replies("Recorded runs", items, move |row| {
        setups.get(row).map_or(Reply::Handled, |setup| {
            Reply::send(Message::Agent(AgentMessage::Begin(Box::new(setup.clone()))))
        })
    })))
}

/// A case's own name, else its file's.
pub(crate) fn case_name(file: &FileId, case: &AskCase) -> String {
    if case.name.is_empty() { file.to_string() } else { case.name.clone() }
}
