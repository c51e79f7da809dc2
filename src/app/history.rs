//! The calls that are kept on disk, as the History screen shows them: what is looked for, what
//! fits, what is open.

use std::sync::Arc;

use crate::{
    model::{
        call::{Call, CallId, Event, Request},
        entry::{EntryId, EntryPlace, FileId},
        problem::Problem,
        tool::Tool,
        trace::{Head, Listing, Summary, Trace, TraceId},
    },
    schema::pointer::Pointer,
    systems,
};

/// An answer longer than this is not held against another line by line.
pub(crate) const LARGEST_COMPARED: usize = 1024 * 1024;

/// What a user asks of kept calls, and what comes back.
#[derive(Clone, Debug)]
pub enum HistoryMessage {
    /// Look for kept calls. Answered by `Listed`.
    Find(String),
    Select(TraceId),
    /// Mark it to be compared with, or no longer.
    Mark(TraceId),
    /// Answered by `Compared`.
    Compare([TraceId; 2]),
    DropComparison,
    /// Let the open call come once more, so many times as fast; 0: at once.
    Replay {
        speed: u32,
    },
    StopReplay,
    /// Send the open call's request once more.
    Resend,
    /// Put the open call's arguments into the form of its tool.
    Edit,
    Export {
        id: TraceId,
        path: String,
    },
    Remove(TraceId),

    // What comes back.
    Listed {
        turn: u64,
        listing: Arc<Listing>,
    },
    /// Why the list couldn't be read.
    NotListed {
        turn: u64,
        problem: Problem,
    },
    Opened(Box<Trace>),
    /// Why a call couldn't be read.
    NotOpened {
        id: TraceId,
        problem: Problem,
    },
    Compared(Arc<[Trace; 2]>),
    /// The history on disk is different now.
    Changed,
    /// A call couldn't be put there.
    NotKept(Problem),
    Replayed {
        id: TraceId,
        events: Vec<Event>,
        ended: bool,
    },
}

/// What is done with a kept call by its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAct {
    Resend,
    Edit,
}

/// A kept call that waits for its server to list the tool that it was of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedTool {
    pub call: TraceId,
    pub connection: String,
    pub act: KeptAct,
}

#[derive(Debug, Default)]
pub struct KeptCall {
    /// What is looked for, as it was typed.
    pub query: String,
    pub listing: Arc<Listing>,
    /// Which reading was asked for last, and which one `listing` came of.
    pub asked: u64,
    pub answered: u64,
    /// The reading that another query was first asked by.
    pub searched: u64,
    pub selected: Option<TraceId>,
    /// A call that couldn't be read.
    pub unreadable: Option<TraceId>,
    /// The calls that were marked to be compared, the newest mark last: at most two.
    pub marked: Vec<TraceId>,
    pub open: Option<ShownCall>,
    /// Two calls beside each other, in the place of the open one.
    pub compared: Option<Arc<[Trace; 2]>>,
    /// What is to be done once tools are listed.
    pub awaited: Option<AwaitedTool>,
    /// Why calls of this session aren't in the history.
    pub not_kept: Option<Problem>,
    shown: u64,
}

/// A kept call that is shown.
#[derive(Debug)]
pub struct ShownCall {
    pub trace: Arc<Trace>,
    /// The same as a call; while it is replayed, as far as that has come.
    pub call: Call,
    pub replaying: bool,
}

impl KeptCall {
    /// Whether the list is being read.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        self.asked != self.answered
    }

    /// Whether the list is still that of another query: nothing in it is what is looked for.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.answered < self.searched
    }

    /// The call that keys are about: the selected one, once it has been read.
    #[must_use]
    pub fn current_call(&self) -> Option<&ShownCall> {
        let is_selected = |open: &&ShownCall| self.selected.as_ref() == Some(&open.trace.head.id);
        self.open.as_ref().filter(is_selected).filter(|_| !self.is_searching())
    }

    #[must_use]
    pub fn selected_row(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.listing.calls.iter().position(|call| call.id == *selected)
    }

    #[must_use]
    pub fn selected_call(&self) -> Option<&Summary> {
        self.listing.calls.get(self.selected_row()?)
    }

    /// Marks a call, or takes its mark away. A third mark replaces the oldest.
    pub fn toggle_mark(&mut self, id: TraceId) {
        let before = self.marked.len();
        self.marked.retain(|marked| *marked != id);
        if self.marked.len() == before {
            self.marked.push(id);
            if self.marked.len() > 2 {
                self.marked.remove(0);
            }
        }
    }

    /// The two calls to compare, the earlier one first: both that are marked; else the selected one
    /// with the marked one, with the one of the same tool before it, or with its neighbour.
    #[must_use]
    pub fn comparison_pair(&self) -> Option<[TraceId; 2]> {
        let row = |id: &TraceId| self.listing.calls.iter().position(|call| call.id == *id);
        if let [first, second] = self.marked.as_slice() {
            // The newest call is the first of the list.
            let is_reversed = row(first).zip(row(second)).is_some_and(|(one, other)| one < other);
            let [before, after] = if is_reversed { [second, first] } else { [first, second] };
            return Some([before.clone(), after.clone()]);
        }
        let selected = self.selected_call()?;
        let here = self.selected_row()?;
        let older = || self.listing.calls.iter().skip(here + 1);
        let newer = || self.listing.calls.iter().take(here).rev();
        let same_tool = |call: &&Summary| call.tool == selected.tool;
        if let Some(marked) = self.marked.first().filter(|marked| **marked != selected.id) {
            let is_newer = row(marked).is_some_and(|at| at < here);
            let pair = [marked.clone(), selected.id.clone()];
            return Some(if is_newer { [pair[1].clone(), pair[0].clone()] } else { pair });
        }
        if let Some(before) = older().find(same_tool).or_else(|| older().next()) {
            return Some([before.id.clone(), selected.id.clone()]);
        }
        // The oldest call has none before it.
        let after = newer().find(same_tool).or_else(|| newer().next())?;
        Some([selected.id.clone(), after.id.clone()])
    }

    /// Shows a kept call, which had that request.
    pub fn show_trace(&mut self, trace: Arc<Trace>, request: Request) {
        let call = self.as_call(&trace, request);
        self.open = Some(ShownCall { trace, call, replaying: false });
        if let Some(open) = &mut self.open {
            open.show_all();
        }
    }

    /// The open call again, without its events.
    pub fn begin_replay(&mut self) -> Option<Arc<Trace>> {
        let open = self.current_call()?;
        let (trace, request) = (Arc::clone(&open.trace), open.call.request.clone());
        let call = self.as_call(&trace, request);
        self.open = Some(ShownCall { trace: Arc::clone(&trace), call, replaying: true });
        Some(trace)
    }

    fn as_call(&mut self, trace: &Trace, request: Request) -> Call {
        self.shown += 1;
        Call::new(CallId(self.shown), request, &*trace.head.connection, trace.head.at)
    }
}

impl ShownCall {
    /// All that is kept of it, at once.
    pub fn show_all(&mut self) {
        let fresh = Call::new(
            self.call.id,
            self.call.request.clone(),
            self.call.connection.clone(),
            self.call.started,
        );
        self.call = fresh;
        self.replaying = false;
        for event in &self.trace.events {
            self.call.apply_event(event.clone());
        }
    }
}

/// The request that a head reports, and its tool. Where that is gone, it is nowhere.
#[must_use]
pub(crate) fn request_of(head: &Head, tool: Option<&Tool>) -> Request {
    let nowhere =
        || EntryId::new(EntryPlace::plain(FileId::new(""), 0, Pointer::root().child(&*head.tool)));
    Request {
        tool: tool.map_or_else(nowhere, |tool| tool.id().clone()),
        system: systems::by_id(&head.system).map_or("", |system| system.id()),
        name: head.tool.to_string(),
        to: head.to.to_string(),
        reply: head.reply.as_ref().map(ToString::to_string),
        headers: head.headers.clone(),
        correlation: head.id.to_string(),
        arguments: head.arguments.clone(),
        body: head.body.clone(),
        mock: None,
    }
}
