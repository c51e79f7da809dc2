//! A model in front of the tools: the run that is shown, what is asked of it, and what comes back.
//!
//! [`items`] is what the run shows, row by row.

pub mod items;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use serde_json::Value;

use self::items::Items;
use super::{compose::plan::Plan, edited_text::EditedText};
use crate::{
    engine::{
        agent_loop::{
            breakpoint::Breakpoint,
            call_check::CallFault,
            decision::{Branch, Decision},
            event::AgentEvent,
            outline::{Outline, Place},
            price::cost_of,
            recording::Recording,
            run::{AgentRun, AgentStart},
            turn::{ToolCall, Usage},
        },
        case::{ask::AskCase, choice::AskVerdict},
        gated::Slot,
        simulate::run::StepId,
    },
    model::{
        call::{CallError, Outcome},
        catalog::Catalog,
        connection::Connection,
        context::Context,
        entry::{EntryId, FileId},
        settings::{TokenPrice, WorkspaceSettings},
        stub::StubService,
        trace::{Trace, TraceId},
    },
    syntax::edit::Edit,
};

/// After so many replies a run ends.
pub(crate) const MAX_TURNS: u32 = 16;

/// What a user asks of it, and what comes back.
#[derive(Clone, Debug)]
pub enum AgentMessage {
    /// Ask, and show the run.
    Begin(Box<RunSetup>),
    /// Add a model's connection to the settings, and save them.
    AddModel(Box<Plan>),
    /// Make the waiting call, with its arguments as they are edited.
    Approve,
    /// The same, and all others of this run that no breakpoint stops.
    ApproveAll,
    /// Decide the waiting call in another way.
    Decide(Box<Decision>),
    /// Edits of its arguments, as one step of undo.
    Edit(Vec<Edit>),
    Undo,
    Redo,
    /// Go on from an earlier place, through that model's connection where the run is over; `None`:
    /// its own.
    GoBack {
        branch: Box<Branch>,
        model: Option<String>,
    },
    /// Ask before such calls from now on, or no longer.
    ToggleBreak(Box<Breakpoint>),
    Stop,
    /// Show a run that is kept.
    Open(Arc<Trace>),
    /// What came of the recorded runs of an ask case.
    CaseTried {
        file: FileId,
        verdict: Box<AskVerdict>,
    },
    /// What came, of the run of that turn.
    News {
        turn: u64,
        news: Vec<RunNews>,
    },
}

/// Something that comes of a run.
#[derive(Clone, Debug)]
pub enum RunNews {
    Happened {
        at_ms: u64,
        event: AgentEvent,
    },
    /// A call is to be decided.
    Waits(Box<PlannedCall>),
    Ended(Box<RunEnd>),
}

/// A call that is to be decided, as it comes.
#[derive(Clone, Debug)]
pub struct PlannedCall {
    pub call: ToolCall,
    pub tool: EntryId,
    pub state: String,
    pub fault: Option<CallFault>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct RunEnd {
    pub outcome: Outcome,
    pub problem: Option<CallError>,
    pub took_ms: u64,
    /// The run in the history.
    pub trace: Option<TraceId>,
}

/// What is asked of the world.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEffect {
    /// Run it. Answered by `News` of its turn, the last of which is its end.
    Begin(Box<RunTask>),
    /// The answer to `Waits`.
    Decide {
        turn: u64,
        decision: Box<Decision>,
    },
    Stop(u64),
    /// Let the recorded runs of a case go through the loop. Answered by `CaseTried`.
    TryCase(Box<CaseTask>),
}

/// An ask case to be tried.
#[derive(Clone, Debug)]
pub struct CaseTask {
    pub file: FileId,
    pub case: AskCase,
    pub context: Context,
    pub runs: Vec<Recording>,
    pub world: TaskWorld,
}

impl PartialEq for CaseTask {
    /// A case is tried once at a time.
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

/// The workspace as it is when a run begins.
#[derive(Clone, Debug)]
pub struct TaskWorld {
    pub catalog: Arc<Catalog>,
    pub tools: Vec<Slot>,
    pub settings: WorkspaceSettings,
    pub user: String,
    /// The routes that were chosen, by tool.
    pub routes: HashMap<EntryId, String>,
    /// What answers the tools that are mocked, by their rows.
    pub mocks: BTreeMap<usize, StubService>,
    /// What a mock of a tool answers by where nothing else is said, by the tools' keys.
    pub stubs: BTreeMap<String, StubService>,
}

/// A run that is to begin.
#[derive(Clone, Debug)]
pub struct RunTask {
    pub turn: u64,
    pub source: TaskSource,
    pub start: TaskStart,
    pub world: TaskWorld,
}

impl PartialEq for RunTask {
    /// There is one task of a turn.
    fn eq(&self, other: &Self) -> bool {
        self.turn == other.turn
    }
}

/// Who speaks for the model.
#[derive(Clone, Debug)]
pub enum TaskSource {
    Model(Box<Connection>),
    Recorded(Recording),
}

/// Where a run begins.
#[derive(Clone, Debug)]
pub enum TaskStart {
    Question(AgentStart),
    /// Another way from a place of a run, with what happened in it.
    Branch {
        run: Box<AgentRun>,
        past: Vec<(u64, AgentEvent)>,
        branch: Branch,
    },
}

/// What a run is begun with.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSetup {
    pub question: String,
    pub system: Option<String>,
    pub source: RunSource,
    /// `None`: as in the run of Workflow now.
    pub context: Option<Context>,
    pub policy: CallPolicy,
    /// Calls that are asked about although others are not.
    pub breakpoints: Vec<Breakpoint>,
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum RunSource {
    /// The model of this connection.
    Model { connection: String },
    /// What a model said before, under the name of that run.
    Recorded { name: String, recording: Arc<Recording> },
}

/// What becomes of calls that no breakpoint stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPolicy {
    /// Somebody decides.
    Ask,
    /// They are made; in a recorded run they get what is recorded.
    Make,
}

/// The runs of this session: the newest is shown.
#[derive(Debug, Default)]
pub struct AgentRuns {
    pub run: Option<ModelRun>,
    /// What was asked last, for the next time.
    pub asked: Option<RunSetup>,
    pub turn: u64,
    /// How many calls waited for a decision.
    pub decided: u64,
    /// Where to go on once the run has stopped.
    pub then: Option<(Branch, Option<String>)>,
}

impl AgentRuns {
    /// The call that waits for a decision.
    #[must_use]
    pub fn waiting_call(&self) -> Option<&WaitingCall> {
        self.run.as_ref()?.waiting.as_ref()
    }

    /// Whether a run is under way.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.end.is_none())
    }

    /// Whether something comes by itself: a run is under way, and nobody is asked.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.is_under_way() && self.waiting_call().is_none()
    }
}

/// A run as it is shown.
#[derive(Debug)]
pub struct ModelRun {
    pub turn: u64,
    pub setup: RunSetup,
    /// The model's own name.
    pub model: String,
    /// Where it began.
    pub start: AgentStart,
    /// The catalog's tools under the names that the model sees.
    pub slots: Vec<Slot>,
    pub items: Items,
    /// All that happened.
    pub log: Vec<(u64, AgentEvent)>,
    /// Its turns, with the step of Workflow that each began at.
    pub outline: Outline<Option<StepId>>,
    /// Workflow's step that the run is at; `None`: the user went elsewhere there, or it is kept.
    pub step: Option<Option<StepId>>,
    pub state: String,
    pub waiting: Option<WaitingCall>,
    /// What becomes of the waiting call once its arguments are edited.
    pub after_edit: Option<Decision>,
    pub after_failure: bool,
    pub usage: Option<Usage>,
    pub price: Option<TokenPrice>,
    pub model_ms: u64,
    pub tools_ms: u64,
    pub replies: u32,
    pub calls: u32,
    pub end: Option<RunEnd>,
}

/// A call that waits for a decision.
#[derive(Clone, Debug)]
pub struct WaitingCall {
    /// Distinguishes one from another.
    pub number: u64,
    pub planned: PlannedCall,
    /// Its arguments as they are edited; an empty object where the model's are none.
    pub arguments: EditedText,
}

impl WaitingCall {
    /// Whether the arguments differ from those that the model wants.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.arguments.revision() > 1
            && self.arguments.value().map(|value| &**value)
                != Some(&self.planned.call.arguments_value())
    }

    /// The arguments as they are edited.
    #[must_use]
    pub fn argument_value(&self) -> Arc<Value> {
        self.arguments.value().cloned().unwrap_or_default()
    }
}

impl ModelRun {
    /// What the tokens so far cost; `None`: no price is known, or no tokens.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        Some(cost_of(self.usage?, self.price?))
    }

    /// What a call is answered by that is made.
    #[must_use]
    pub fn answer_decision(&self) -> Decision {
        match self.setup.source {
            RunSource::Model { .. } => Decision::Call,
            RunSource::Recorded { .. } => Decision::Recorded,
        }
    }

    /// The name of its model's connection, or of the recorded run.
    #[must_use]
    pub fn source_name(&self) -> &str {
        match &self.setup.source {
            RunSource::Model { connection } => connection,
            RunSource::Recorded { name, .. } => name,
        }
    }

    /// The result at that place, and its tool.
    #[must_use]
    pub fn result_at(&self, place: Place) -> Option<(&str, &str)> {
        self.items.result_at(place)
    }

    /// What was said last in words, without calls.
    #[must_use]
    pub fn answer(&self) -> &str {
        self.items.last_reply()
    }
}
