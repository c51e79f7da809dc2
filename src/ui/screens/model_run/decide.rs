//! What is asked about a run: what becomes of a call, and where to go on from.

use crate::{
    app::{
        actions::ActionId,
        agent_run::{
            AgentMessage, CallPolicy, ModelRun, RunSource, WaitingCall,
            items::{Item, ItemKind},
        },
        message::{DocumentMessage, Message, TextTarget},
        outside_text::OutsideText,
        state::State,
    },
    engine::{
        agent_loop::{
            decision::{Branch, BranchPoint, Change, Decision},
            outline::Place,
        },
        stub::mock::{MockOptions, MockSource},
    },
    model::call::Outcome,
    schema::pointer::Pointer,
    ui::{
        overlays::{
            ask_model,
            menu::{Item as Choice, Menu},
            prompt::Prompt,
        },
        view::{OverlayReply, Reply},
    },
};

pub(super) fn agent_reply(message: AgentMessage) -> Reply {
    Reply::send(Message::Agent(message))
}

pub(super) fn decision_reply(decision: Decision) -> Reply {
    agent_reply(AgentMessage::Decide(Box::new(decision)))
}

/// What the model's call is answered by.
fn answered_by(run: &ModelRun) -> &'static str {
    match run.setup.source {
        RunSource::Model { .. } => "make the call; its answer goes to the model",
        RunSource::Recorded { .. } => "answer it as it is recorded",
    }
}

/// All that can become of the call that waits.
pub(crate) fn decision_menu(run: &ModelRun, call: &WaitingCall) -> Menu {
    let is_faulty = call.planned.fault.is_some() && !call.is_edited();
    let faulty =
        is_faulty.then(|| "its arguments can't be used: edit them, or report it".to_owned());
    let mut rows: Vec<(ActionId, &str, &str, Option<String>)> = Vec::new();
    if is_faulty {
        rows.push(("approve-call", "report", "tell the model what is wrong with the call", None));
    } else {
        rows.push(("approve-call", "approve", answered_by(run), None));
    }
    rows.extend([
        ("edit-call", "edit", "change the arguments in the form, then approve", None),
        ("refuse-call-of-model", "refuse…", "the model gets your reason instead", None),
        ("mock-call", "mock…", "answer within toolcrib; nothing is sent", faulty.clone()),
        ("approve-all", "always", "approve this call and all others of this run", faulty),
    ]);
    if matches!(run.setup.source, RunSource::Recorded { .. }) {
        rows.push(("call-tool", "call the tool", "really, and not as it is recorded", None));
    }
    rows.extend([
        ("run-back", "back…", "go on from an earlier place of the run", None),
        ("end-run", "stop", "end the run", None),
    ]);
    let item = |(_, title, detail, refusal): &(ActionId, &str, &str, Option<String>)| Choice {
        title: (*title).to_owned(),
        detail: (*detail).to_owned(),
        refusal: refusal.clone(),
        ..Choice::default()
    };
    let items = rows.iter().map(item).collect();
    let arguments = match call.is_edited() {
        true => call.argument_value().to_string(),
        false => call.planned.call.arguments.clone(),
    };
    let short: String = arguments.chars().take(60).collect();
    let title = format!("{} {short} in state {}", call.planned.call.name, call.planned.state);
    Menu::new(title, items, move |row| OverlayReply::Act(rows[row].0))
}

/// Asks why.
pub(super) fn refuse_prompt(call: &WaitingCall) -> Prompt {
    let words = format!("Why not {}? The model gets these words.", call.planned.call.name);
    Prompt::new("Refuse the call", words, "", |text, _| {
        Ok(decision_reply(Decision::Refuse(text.to_owned())))
    })
    .with_act("refuse")
}

/// Asks what is answered in the place of the tool.
pub(super) fn mock_prompt(call: &WaitingCall) -> Prompt {
    let words = format!(
        "What {} answers. Empty: what its own stub answers, else an example of its output schema. \
        Nothing is sent.",
        call.planned.call.name
    );
    Prompt::new("Mock the call", words, "", |text, _| {
        let source = match text {
            "" => MockSource::Stub,
            text => MockSource::Text(text.to_owned()),
        };
        Ok(decision_reply(Decision::Mock(MockOptions { source, ..MockOptions::default() })))
    })
    .with_act("mock")
}

/// A way to go on from an earlier place.
#[derive(Clone)]
enum Way {
    Branch(Branch),
    /// A text is asked for first.
    Message {
        from: BranchPoint,
        text: String,
    },
    Result {
        place: Place,
        text: String,
    },
    Editor {
        place: Place,
        text: String,
    },
    /// The question is asked again.
    Question,
}

fn same(turns: usize) -> Way {
    Way::Branch(Branch { from: BranchPoint::Turns(turns), change: Change::Nothing })
}

/// The ways that a row of the run offers, in words.
fn ways_of(run: &ModelRun, item: &Item) -> Vec<(String, String, Way)> {
    let mut ways = Vec::new();
    let mut add =
        |title: &str, detail: String, way: Way| ways.push((title.to_owned(), detail, way));
    let message = |turns: usize, text: &str| Way::Message {
        from: BranchPoint::Turns(turns),
        text: text.to_owned(),
    };
    if item.is_left {
        return ways;
    }
    match &item.kind {
        ItemKind::System(_) => {}
        ItemKind::Message(_) if item.turn == 0 => {}
        ItemKind::Message(text) => {
            add("edit the message…", "the model gets another one".into(), message(item.turn, text));
        }
        ItemKind::Request { reply, .. } | ItemKind::Reply { reply, .. } => {
            let words = format!("before reply {reply}");
            add("ask again", words.clone(), same(item.turn));
            add("ask again with a message…", words, message(item.turn, ""));
        }
        ItemKind::Call { .. } => {
            add("decide again", "the calls of this reply".into(), same(item.turn));
        }
        ItemKind::Result { tool, text, row, .. } => {
            let place = Place { turn: item.turn, row: *row };
            let words = format!("as if {tool} had answered so");
            add("another result…", words.clone(), Way::Result { place, text: text.clone() });
            if matches!(run.setup.source, RunSource::Model { .. }) {
                let way = Way::Editor { place, text: text.clone() };
                add("another result in $EDITOR", words, way);
            }
            add("decide again", "the calls of this reply".into(), same(item.turn));
        }
        _ => {}
    }
    let turns = run.outline.turn_count();
    match run.end.as_ref().map(|end| end.outcome) {
        Some(Outcome::Succeeded) => {
            add("go on with a message…", "after all of this".into(), message(turns, ""));
        }
        Some(_) => add("go on", "from where the run ended".into(), same(turns)),
        None => {}
    }
    ways
}

/// Asks how to go on from a row; from the last reply where the row is none of the conversation.
pub(super) fn back_menu(run: &ModelRun, row: usize, state: &State) -> Reply {
    let items = run.items.all();
    let chosen = items.get(row.min(items.len().saturating_sub(1)));
    let mut ways = chosen.map_or_else(Vec::new, |item| ways_of(run, item));
    // The replies before, the newest first.
    let requests = items.iter().rev().filter(|item| !item.is_left);
    for item in requests {
        let ItemKind::Request { reply, state, .. } = &item.kind else { continue };
        if chosen.is_some_and(|chosen| chosen.turn == item.turn && ways.len() > 1) {
            continue;
        }
        let words = format!("before reply {reply}, in state {state}");
        ways.push(("ask again".into(), words.clone(), same(item.turn)));
        let from = BranchPoint::Turns(item.turn);
        let way = Way::Message { from, text: String::new() };
        ways.push(("ask again with a message…".into(), words, way));
    }
    if run.end.is_some() {
        ways.push(("edit the question…".into(), "as a new run".into(), Way::Question));
    }
    let choices = ways.iter().map(|(title, detail, _)| Choice {
        title: title.clone(),
        detail: detail.clone(),
        ..Choice::default()
    });
    let choices = choices.collect();
    // A kept run has no model of its own that was chosen now.
    let needs_model = run.end.is_some() && matches!(run.setup.source, RunSource::Recorded { .. });
    let models = ask_model::model_rows(state);
    Reply::Open(Box::new(Menu::new("Go back", choices, move |row| {
        OverlayReply::CloseWith(match ways.get(row).map(|(_, _, way)| way.clone()) {
            Some(Way::Branch(branch)) => go_back(branch, needs_model, &models),
            Some(Way::Message { from, text }) => message_prompt(from, text, needs_model, &models),
            Some(Way::Result { place, text }) => result_prompt(place, text, needs_model, &models),
            Some(Way::Editor { place, text }) => {
                let (target, at) = (TextTarget::ModelResult(place), Pointer::root());
                Reply::send(Message::Document(DocumentMessage::EditText {
                    target,
                    at,
                    text: OutsideText::Plain(text),
                }))
            }
            Some(Way::Question) => return OverlayReply::Act("run-again"),
            None => Reply::Handled,
        })
    })))
}

fn go_back(branch: Branch, needs_model: bool, models: &[ask_model::ModelRow]) -> Reply {
    if !needs_model {
        return agent_reply(AgentMessage::GoBack { branch: Box::new(branch), model: None });
    }
    ask_model::choose_model(models, move |model| {
        let (branch, model) = (Box::new(branch.clone()), Some(model.to_owned()));
        agent_reply(AgentMessage::GoBack { branch, model })
    })
}

fn message_prompt(
    from: BranchPoint,
    text: String,
    needs_model: bool,
    models: &[ask_model::ModelRow],
) -> Reply {
    let models = models.to_vec();
    let words = "What the model gets from you there. The state goes back too.";
    Reply::Open(Box::new(
        Prompt::new("Go back with a message", words, text, move |text, _| {
            if text.is_empty() {
                return Err("write a message".into());
            }
            let branch = Branch { from, change: Change::Message(text.to_owned()) };
            Ok(go_back(branch, needs_model, &models))
        })
        .with_act("go back"),
    ))
}

fn result_prompt(
    place: Place,
    text: String,
    needs_model: bool,
    models: &[ask_model::ModelRow],
) -> Reply {
    let models = models.to_vec();
    let words = "What the model gets as the result of this call. It answers once more.";
    // A text of several lines has its place in an editor.
    let text = if text.contains('\n') { String::new() } else { text };
    Reply::Open(Box::new(
        Prompt::new("Another result", words, text, move |text, _| {
            let change = Change::Result { row: place.row, text: text.to_owned() };
            let branch = Branch { from: BranchPoint::Turns(place.turn + 1), change };
            Ok(go_back(branch, needs_model, &models))
        })
        .with_act("go back"),
    ))
}

/// Lets a run that is over come again without its model.
pub(super) fn replay(run: &ModelRun) -> Reply {
    let Some(recording) = ask_model::recording_of(run) else {
        return Reply::Refused("the model has said nothing yet".into());
    };
    let setup = crate::app::agent_run::RunSetup {
        source: RunSource::Recorded {
            name: run.source_name().to_owned(),
            recording: std::sync::Arc::new(recording),
        },
        context: Some(run.start.context.clone()),
        policy: CallPolicy::Ask,
        ..run.setup.clone()
    };
    agent_reply(AgentMessage::Begin(Box::new(setup)))
}
