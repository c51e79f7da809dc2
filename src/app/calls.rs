//! The calls of this session, oldest first.

use std::{sync::Arc, time::Duration};

use super::moved::MovedEntries;
use crate::{
    engine::{query::Query, series::BatchSize},
    model::{
        call::{Call, CallId, CallState, Event, EventKind, Outcome, Request, StrayCause},
        clock::Millis,
        entry::{EntryId, FileId},
    },
    syntax::edit::Edit,
    systems::facets::steps::StepChoice,
};

/// How many calls are kept; the oldest ended one goes first.
pub(crate) const KEPT: usize = 200;

/// A text that is edited for the calls of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallText {
    pub tool: EntryId,
    pub part: CallPart,
}

/// What a call says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallPart {
    Arguments,
    /// What is beside them, for the server and not for its tool.
    Meta,
    /// How a mock answers it; no call sends that.
    Mock,
    /// Answers of steps that filters are tried on; no call sends them.
    SampleAnswers,
}

impl CallPart {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arguments => "arguments",
            Self::Meta => "_meta",
            Self::Mock => "mock",
            Self::SampleAnswers => "sample answers",
        }
    }
}

/// The form of a request that is to be gone to: its arguments, or its mock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestGoal {
    pub tool: EntryId,
    pub part: CallPart,
    /// Grows with each.
    pub turn: u64,
}

impl RequestGoal {
    /// The one after `before`.
    #[must_use]
    pub fn after(before: Option<&Self>, tool: &EntryId, part: CallPart) -> Self {
        Self { tool: tool.clone(), part, turn: before.map_or(1, |goal| goal.turn + 1) }
    }
}

/// What a user asks of calls and their arguments, and what comes back.
#[derive(Clone, Debug)]
pub enum CallMessage {
    /// Ask the agent there, in the context of the run.
    AskAgent(String),
    /// Edits of what is typed for a call, as one step of undo.
    EditText {
        text: CallText,
        edits: Vec<Edit>,
    },
    UndoText(CallText),
    RedoText(CallText),
    SetUserName(String),
    /// Look at what a tool would get with this value of a variable; empty takes the value back.
    SetSample {
        variable: String,
        value: String,
    },
    Send {
        tool: EntryId,
    },
    /// Send some of the steps of its request, with what the steps before stored in this session's
    /// newest calls.
    SendSteps {
        tool: EntryId,
        choice: Box<StepChoice>,
    },
    /// Stop before the step of that name, or no longer.
    TurnBreakpoint {
        tool: EntryId,
        step: String,
    },
    /// Show a step of the tool's request, from 0, where its steps are.
    ShowStep {
        tool: EntryId,
        step: usize,
    },
    /// The mock of the tool was kept as it is now.
    MockKept {
        tool: EntryId,
    },
    /// Answer calls of every tool here, in the place of the services, or of none where each is.
    TurnAllMocks,
    /// Answer calls of the tool here, in the place of its service, or no longer.
    TurnMock {
        tool: EntryId,
    },
    /// Take this way with calls from now on; `None`: the first that is open.
    UseRoute {
        tool: EntryId,
        route: Option<String>,
    },
    /// Answers may take that long in calls of this session; `None`: as long as the connections say.
    LimitTime(Option<Duration>),
    /// Show only what is at a path of the answers of the tool of that name; `None`: all of them.
    KeepQuery {
        tool: String,
        query: Option<Query>,
    },
    /// Calls over the tool's connection in the name of a new agent, although it names one; or in
    /// that one's name again.
    TurnNewAgent {
        tool: EntryId,
    },
    Resend(CallId),
    /// Send this frame as it is over the connection of that name.
    SendFrame {
        connection: String,
        frame: String,
    },
    Cancel(CallId),
    Select(CallId),
    /// Put what a call said into the forms of its tool, and show them.
    EditSent {
        tool: EntryId,
        arguments: Arc<str>,
        meta: Option<String>,
        /// The route that the call took, where it was not the first that is open.
        route: Option<String>,
    },
    /// Put what the newest kept call of the tool said into its form, also one of an earlier session.
    EditLast {
        tool: EntryId,
    },
    /// Send the request in the form so many times.
    SendMany {
        tool: EntryId,
        size: BatchSize,
    },
    /// Make the calls of these cases.
    RunCases(Vec<FileId>),
    /// Hold the answer of a case's last call against what it expects now.
    JudgeAgain(FileId),
    /// What came of a call.
    Events {
        call: CallId,
        events: Vec<Event>,
    },
}

impl CallMessage {
    /// Whether a request is sent, and its answer is what comes next.
    #[must_use]
    pub fn sends(&self) -> bool {
        matches!(self, Self::Send { .. } | Self::SendSteps { .. } | Self::Resend(_))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Calls {
    list: Vec<Call>,
    last: u64,
    /// The call that is shown.
    pub selected: Option<CallId>,
}

impl Calls {
    /// A new call, shown from now on.
    pub fn begin_call(&mut self, request: Request, connection: &str, now: Millis) -> CallId {
        self.last += 1;
        let id = CallId(self.last);
        if self.list.len() >= KEPT
            && let Some(row) = self.list.iter().position(|call| call.outcome().is_some())
        {
            self.list.remove(row);
        }
        self.list.push(Call::new(id, request, connection, now));
        self.selected = Some(id);
        id
    }

    /// A new call of a case. Where it is one of several, the call that is shown stays, if there is
    /// one.
    pub fn begin_case(
        &mut self,
        request: Request,
        connection: &str,
        (case, is_only): (Arc<str>, bool),
        now: Millis,
    ) -> CallId {
        let shown = self.selected.filter(|id| !is_only && self.get(*id).is_some());
        let id = self.begin_call(request, connection, now);
        if let Some(call) = self.list.last_mut() {
            call.case = Some(case);
        }
        self.selected = shown.or(Some(id));
        id
    }

    /// What happened in a call; nothing for a call that is no longer kept.
    pub fn apply_events(&mut self, id: CallId, mut events: Vec<Event>) {
        events.retain(|event| !self.is_of_another_call(id, event));
        if let Some(call) = self.list.iter_mut().find(|call| call.id == id) {
            for event in events {
                call.apply_event(event);
            }
        }
    }

    #[must_use]
    pub fn get(&self, id: CallId) -> Option<&Call> {
        self.list.iter().find(|call| call.id == id)
    }

    /// Whether an event is an answer to another call of this session, which shares the queue of
    /// answers: nothing about it is odd.
    fn is_of_another_call(&self, id: CallId, event: &Event) -> bool {
        let EventKind::Stray { cause: StrayCause::ForeignId, id: Some(answered), .. } = &event.kind
        else {
            return false;
        };
        self.iter().any(|call| call.id != id && call.request.correlation.as_str() == answered)
    }

    /// The call that is shown.
    #[must_use]
    pub fn selected_call(&self) -> Option<&Call> {
        self.get(self.selected?)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Call> + ExactSizeIterator {
        self.list.iter()
    }

    /// Calls that have not ended.
    pub fn running_calls(&self) -> impl Iterator<Item = &Call> {
        self.list.iter().filter(|call| !matches!(call.state, CallState::Ended { .. }))
    }

    /// The running call that the history has under that id.
    #[must_use]
    pub fn running_kept(&self, id: &str) -> Option<&Call> {
        self.running_calls().find(|call| call.request.correlation == id)
    }

    /// The newest answer that a tool of that name gave to its end.
    #[must_use]
    pub fn answer_of(&self, tool: &str) -> Option<String> {
        let succeeded =
            |call: &&Call| call.request.name == tool && call.outcome() == Some(Outcome::Succeeded);
        self.list.iter().rev().find(succeeded).map(|call| call.text.whole().into_owned())
    }

    /// The newest answer that the service of a tool gave to its end, and no mock.
    #[must_use]
    pub fn real_answer_of(&self, tool: &EntryId) -> Option<String> {
        let is_real = |call: &&Call| {
            call.request.mock.is_none() && call.outcome() == Some(Outcome::Succeeded)
        };
        self.calls_of(tool).find(is_real).map(|call| call.text.whole().into_owned())
    }

    /// The calls of a tool, the newest first.
    pub fn calls_of<'c>(&'c self, tool: &'c EntryId) -> impl Iterator<Item = &'c Call> {
        self.list.iter().rev().filter(move |call| call.request.tool == *tool)
    }

    /// The tools of calls have other places; a call of one that is gone is no other tool's.
    pub fn follow_moved(&mut self, moved: &MovedEntries) {
        for Call { request, .. } in &mut self.list {
            request.tool = moved.follow_or_nowhere(&request.tool);
        }
    }

    /// The newest call of a tool.
    #[must_use]
    pub fn latest_of(&self, tool: &EntryId) -> Option<&Call> {
        self.list.iter().rev().find(|call| call.request.tool == *tool)
    }
}
