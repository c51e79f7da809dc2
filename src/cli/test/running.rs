//! Runs cases: several beside each other, those that look at times alone on their connections, as
//! often as they or the command line say.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    path::Path,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use tokio::sync::SetOnce;

use super::{
    lanes::Lane,
    target::{Plan, Target},
    tried::CaseRun,
};
use crate::{
    cli::test_result::keep_result,
    engine::{
        case::{
            expected::ExpectedValues,
            script::Case,
            tries::CaseTry,
            verdict::{Answer, check_answer},
        },
        mask::Mask,
    },
    model::{
        call::{Limits, Outcome, Request},
        connection::{Connection, ConnectionState},
        error_kind::ErrorKind,
        problem::Problem,
    },
    runtime::whole_call::WholeCall,
    store::history::History,
    wire::registry::Registry,
};

/// How often cases are run, beside what they say.
#[derive(Clone, Copy)]
pub(super) struct Repetition {
    /// Each run of a case is made so often, and so are those that have to hold.
    pub repeat: u32,
    /// So often is a case tried again that failed.
    pub retries: u32,
    /// How long an answer may take where the case says nothing.
    pub timeout: Option<Duration>,
}

/// What cases are run with, and what they know of each other.
pub(super) struct Runner<'r> {
    registry: &'r Registry,
    history: Option<Arc<History>>,
    mask: Mask,
    repetition: Repetition,
    closed: ClosedConnections,
    lanes: RefCell<HashMap<String, Rc<Lane>>>,
    /// The answer of each case by its row, once it has run; none where it didn't succeed.
    answers: Vec<SetOnce<Option<String>>>,
    /// Why no further case begins.
    halted: Cell<Option<&'static str>>,
    begun: RefCell<Vec<bool>>,
}

/// A call as it went on its connection.
struct Sent {
    answer: Answer,
    /// Others were under way beside it.
    had_company: bool,
}

/// What came of one call of a case.
struct CallEnd {
    answer: Answer,
    /// What the call is kept as.
    id: String,
    /// It ended its server.
    has_crashed: bool,
    /// It was made again, as another call may have ended the server.
    was_resent: bool,
}

impl<'r> Runner<'r> {
    /// For so many cases.
    #[must_use]
    pub fn new(
        registry: &'r Registry,
        history: Option<Arc<History>>,
        mask: Mask,
        repetition: Repetition,
        count: usize,
    ) -> Self {
        Self {
            registry,
            history,
            mask,
            repetition,
            closed: ClosedConnections::default(),
            lanes: RefCell::default(),
            answers: std::iter::repeat_with(SetOnce::new).take(count).collect(),
            halted: Cell::new(None),
            begun: RefCell::new(vec![false; count]),
        }
    }

    /// No further case begins.
    pub fn halt(&self, why: &'static str) {
        self.halted.set(Some(why));
    }

    /// Whether a case has begun.
    #[must_use]
    pub fn has_begun(&self, row: usize) -> bool {
        self.begun.borrow().get(row).copied().unwrap_or_default()
    }

    /// Runs the case in that row of all plans. It waits for those before it whose answers it names:
    /// they have to be run, too.
    pub async fn run_case(&self, row: usize, plan: &Plan<'_>) -> CaseRun {
        let (run, text) = match self.halted.get() {
            Some(why) => (CaseRun::skipped(why), None),
            None => {
                if let Some(begun) = self.begun.borrow_mut().get_mut(row) {
                    *begun = true;
                }
                self.try_plan(plan).await
            }
        };
        if let Some(answer) = self.answers.get(row) {
            // It is set here alone, and a case is run once.
            let _ = answer.set(text);
        }
        run
    }

    /// How it went, and the text of its last answer that succeeded.
    async fn try_plan(&self, plan: &Plan<'_>) -> (CaseRun, Option<String>) {
        let target = match &plan.target {
            Ok(target) => target,
            Err(problem) => return (CaseRun::not_called(problem), None),
        };
        let mut known = HashMap::new();
        for (word, rows) in &plan.needs {
            for answer in rows.iter().filter_map(|row| self.answers.get(*row)) {
                if let Some(text) = answer.wait().await {
                    known.insert(word.as_str(), text.clone());
                }
            }
        }
        let case = match plan.filed.case.with_answers(&|word| known.get(word).cloned()) {
            Ok(case) => case,
            Err(problem) => return (CaseRun::not_called(&problem), None),
        };
        let mut run = CaseRun::default();
        let mut text = None;
        loop {
            let asked = (&*case, plan.filed.path.as_path());
            let one = match self.try_case(asked, target, &mut run, &mut text).await {
                Ok(one) => one,
                Err(problem) => return (CaseRun::not_called(&problem), None),
            };
            let is_over = one.has_passed() || !one.has_run();
            run.tries.push(one);
            if is_over || run.tries.len() > self.repetition.retries as usize {
                return (run, text);
            }
        }
    }

    /// All runs of a case once, up to one that couldn't be made.
    async fn try_case(
        &self,
        (case, file): (&Case, &Path),
        target: &Target<'_>,
        run: &mut CaseRun,
        text: &mut Option<String>,
    ) -> Result<CaseTry, Problem> {
        let mut tried = CaseTry::new(case, self.repetition.repeat);
        let values = ExpectedValues::over(case, &target.connection)?;
        while !tried.is_over() {
            let request = target.request(case)?;
            let CallEnd { answer, id, has_crashed, was_resent } =
                self.call(case, target, request).await?;
            if answer.outcome == Some(Outcome::Succeeded) {
                *text = Some(answer.text.clone());
            }
            run.was_resent |= was_resent;
            tried.has_crashed |= has_crashed;
            let arguments = case.arguments.to_json();
            let mask = self.mask.of_call(&arguments);
            let verdict = check_answer(case, answer, values.clone()).without_secrets(&mask);
            if verdict.has_run() {
                keep_result(self.history.as_ref(), (&id, &arguments), file, &verdict);
            }
            tried.runs.push(verdict);
        }
        Ok(tried)
    }

    async fn call(
        &self,
        case: &Case,
        target: &Target<'_>,
        request: Request,
    ) -> Result<CallEnd, Problem> {
        let id = request.correlation.clone();
        let end = |answer, has_crashed| CallEnd { answer, id, has_crashed, was_resent: false };
        if target.is_mocked() {
            return Ok(end(self.send(case, target, request).await, false));
        }
        let connection = &target.connection;
        if let Some(answer) = self.closed.answer_of(connection) {
            return Ok(end(answer, false));
        }
        let lane = Rc::clone(self.lanes.borrow_mut().entry(connection.name.clone()).or_default());
        let is_alone = case.expect.looks_at_times();
        let Sent { answer, had_company } =
            self.send_in_lane(&lane, is_alone, case, target, request).await;
        let is_end = |answer: &Answer| {
            target.starts_server() && self.closed.answer_of(connection).is_none() && is_lost(answer)
        };
        if !is_end(&answer) {
            return Ok(end(answer, false));
        }
        if !had_company && answer.sent_ms.is_some() {
            return Ok(end(answer, true));
        }
        // Which of the calls ended the server isn't known: alone, each shows. It is another call.
        let request = target.request(case)?;
        let id = request.correlation.clone();
        let Sent { answer, .. } = self.send_in_lane(&lane, true, case, target, request).await;
        let has_crashed = is_end(&answer) && answer.sent_ms.is_some();
        Ok(CallEnd { answer, id, has_crashed, was_resent: true })
    }

    /// Sends the request beside others of the same connection, or while none is under way.
    async fn send_in_lane(
        &self,
        lane: &Lane,
        is_alone: bool,
        case: &Case,
        target: &Target<'_>,
        request: Request,
    ) -> Sent {
        let turn = lane.take_turn(is_alone).await;
        if let Some(answer) = self.closed.answer_of(&target.connection) {
            return Sent { answer, had_company: false };
        }
        let answer = self.send(case, target, request).await;
        self.closed.note(&target.connection, &answer, self.registry);
        Sent { answer, had_company: turn.had_company() }
    }

    async fn send(&self, case: &Case, target: &Target<'_>, request: Request) -> Answer {
        let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
        let limit = case.timeout.or(self.repetition.timeout);
        let limits = limit.map_or(limits, |time| limits.within(time));
        let call = WholeCall {
            registry: self.registry,
            history: self.history.as_ref(),
            connection: &target.connection,
            request,
            limits,
        };
        call.run().await.0
    }
}

/// Whether the other side ended before the answer did.
fn is_lost(answer: &Answer) -> bool {
    let kind = answer.error.as_ref().map(|(kind, _)| ErrorKind::parse(kind));
    answer.outcome == Some(Outcome::Lost) && kind == Some(ErrorKind::ConnectionLost)
}

/// Answers of cases whose connection could not be opened, by its name: other cases don't wait for the
/// same.
#[derive(Default)]
struct ClosedConnections {
    answers: RefCell<HashMap<String, Answer>>,
    /// Connections that a call was sent over.
    opened: RefCell<HashSet<String>>,
}

impl ClosedConnections {
    fn answer_of(&self, connection: &Connection) -> Option<Answer> {
        let known = self.answers.borrow();
        known.get(&connection.name).map(|answer| Answer { took_ms: 0, ..answer.clone() })
    }

    /// Keeps the answer where the connection could not be opened. What else kept a call from being
    /// sent, such as a variable that isn't set, is that case's own.
    fn note(&self, connection: &Connection, answer: &Answer, registry: &Registry) {
        let states = registry.connection_states();
        let is_closed = match states.borrow().get(&connection.name) {
            Some(ConnectionState::Failed(problem)) => {
                answer.error.as_ref().is_some_and(|(_, message)| *message == problem.cause)
            }
            _ => false,
        };
        if answer.sent_ms.is_some() {
            self.opened.borrow_mut().insert(connection.name.clone());
        }
        // One that was open once may be open again.
        let was_open = self.opened.borrow().contains(&connection.name);
        if is_closed && answer.is_unsent() && !was_open {
            self.answers.borrow_mut().insert(connection.name.clone(), answer.clone());
        }
    }
}
