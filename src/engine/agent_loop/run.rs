//! A run of the loop: the conversation so far, the state it has reached, and whose turn it is.

use std::collections::VecDeque;

use super::{
    call_check::{CallFault, check_tool},
    decision::{Branch, BranchPoint, Change},
    turn::{ModelReply, StopReason, ToolCall, ToolResult, Turn, Usage},
};
use crate::{
    engine::{
        filter::{Denied, available_tools, check_permission},
        gated::{Gated, ToolRow},
        simulate::run::{Simulation, StepId, Take},
    },
    model::{
        call::Outcome,
        clock::Millis,
        context::{Context, Mode, Profile},
    },
};

/// How a run begins.
#[derive(Clone, Debug)]
pub struct AgentStart {
    pub question: String,
    /// What the model is given beside the question.
    pub system: Option<String>,
    pub context: Context,
    pub mode: Mode,
    /// After so many replies the run ends.
    pub max_turns: u32,
}

/// Whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The model is asked.
    Model,
    /// The first of the calls that it wants is to be decided.
    Call(ToolCall),
    End(RunEnd),
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The model answered in words.
    Answered,
    /// It stopped for another reason.
    Stopped(StopReason),
    /// It was asked as often as it may be.
    TurnLimit,
}

/// How a call of the model was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// By the tool.
    Called,
    /// By a mock, and nothing was sent.
    Mocked,
    /// By a recording.
    Recorded,
    /// Not at all: somebody refused.
    Refused,
    /// Not at all: it could not be made.
    Invalid,
}

impl Answered {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Called => "called",
            Self::Mocked => "mocked",
            Self::Recorded => "recorded",
            Self::Refused => "refused",
            Self::Invalid => "invalid",
        }
    }

    /// That of the word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let known = [Self::Called, Self::Mocked, Self::Recorded, Self::Refused, Self::Invalid];
        known.into_iter().find(|answered| answered.as_str() == word)
    }

    /// Whether something answered, so that the state may move.
    #[must_use]
    pub fn is_answer(self) -> bool {
        matches!(self, Self::Called | Self::Mocked | Self::Recorded)
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    pub answered: Answered,
    pub outcome: Outcome,
    /// What the model gets.
    pub text: String,
    pub took_ms: u64,
}

impl CallResult {
    /// Of a call that cannot be made.
    #[must_use]
    pub fn invalid(fault: &CallFault) -> Self {
        Self {
            answered: Answered::Invalid,
            outcome: Outcome::Failed,
            text: fault.to_string(),
            took_ms: 0,
        }
    }

    /// Of a call that somebody refused, with their words for the model.
    #[must_use]
    pub fn refused(words: &str) -> Self {
        let text = match words.trim() {
            "" => "The user refused this call.".to_owned(),
            words => format!("The user refused this call: {words}"),
        };
        Self { answered: Answered::Refused, outcome: Outcome::Cancelled, text, took_ms: 0 }
    }
}

/// A run.
#[derive(Clone, Debug)]
pub struct AgentRun {
    system: Option<String>,
    max_turns: u32,
    simulation: Simulation,
    turns: Vec<Turn>,
    /// The step that was reached when each turn began.
    reached: Vec<Option<StepId>>,
    pending: VecDeque<ToolCall>,
    replies: u32,
    usage: Option<Usage>,
}

impl AgentRun {
    #[must_use]
    pub fn new(start: AgentStart, now: Millis) -> Self {
        let mut simulation = Simulation::new(start.context, start.mode, now);
        simulation.set_question(Some(start.question.clone()));
        Self {
            system: start.system,
            max_turns: start.max_turns,
            simulation,
            turns: vec![Turn::User(start.question)],
            reached: vec![None],
            pending: VecDeque::new(),
            replies: 0,
            usage: None,
        }
    }

    #[must_use]
    pub fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }

    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The steps that were taken, with what was offered before each.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    #[must_use]
    pub fn state(&self) -> &str {
        self.simulation.state()
    }

    /// How many replies came.
    #[must_use]
    pub fn reply_count(&self) -> u32 {
        self.replies
    }

    /// The tokens of all replies; `None`: the endpoint reported none.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// What the model said last, without its calls.
    #[must_use]
    pub fn answer(&self) -> &str {
        let text = |turn: &Turn| matches!(turn, Turn::Model(_));
        match self.turns.iter().rfind(|turn| text(turn)) {
            Some(Turn::Model(reply)) => &reply.text,
            _ => "",
        }
    }

    /// The tools that the model gets in the present state.
    ///
    /// # Errors
    /// The user may not ask for these groups.
    pub fn offered_rows<T: Gated>(
        &self,
        tools: &[T],
        profiles: &[Profile],
    ) -> Result<Vec<ToolRow>, Denied> {
        let context = self.simulation.next_context();
        check_permission(profiles, &context)?;
        Ok(available_tools(tools, &context))
    }

    #[must_use]
    pub fn next(&self) -> Next {
        if let Some(call) = self.pending.front() {
            return Next::Call(call.clone());
        }
        match self.turns.last() {
            Some(Turn::Model(reply)) if reply.stop == StopReason::Answered => {
                Next::End(RunEnd::Answered)
            }
            Some(Turn::Model(reply)) => Next::End(RunEnd::Stopped(reply.stop.clone())),
            _ if self.replies >= self.max_turns => Next::End(RunEnd::TurnLimit),
            _ => Next::Model,
        }
    }

    /// Takes in what the model said. Calls of a reply that was cut short are left out: their
    /// arguments may be.
    pub fn add_reply(&mut self, mut reply: ModelReply) {
        self.replies += 1;
        if let Some(usage) = reply.usage {
            self.usage = Some(self.usage.unwrap_or_default().plus(usage));
        }
        if reply.stop != StopReason::ToolCalls {
            reply.calls.clear();
        }
        self.pending = reply.calls.iter().cloned().collect();
        self.push_turn(Turn::Model(reply));
    }

    fn push_turn(&mut self, turn: Turn) {
        self.turns.push(turn);
        self.reached.push(self.simulation.current_step());
    }

    /// The row of the tool that a call means, in the state that the calls before it led to.
    ///
    /// # Errors
    /// There is no such tool, or it is hidden.
    pub fn check_tool<T: Gated>(&self, tools: &[T], name: &str) -> Result<ToolRow, CallFault> {
        check_tool(tools, &self.simulation.next_context(), name)
    }

    /// Puts other arguments in the place of those that the model gave in the call that is to be
    /// decided, in the conversation too.
    pub fn edit_arguments(&mut self, arguments: &str) {
        let Some(call) = self.pending.front_mut() else { return };
        arguments.clone_into(&mut call.arguments);
        let id = call.id.clone();
        let is_reply = |turn: &&mut Turn| matches!(turn, Turn::Model(_));
        if let Some(Turn::Model(reply)) = self.turns.iter_mut().rfind(is_reply)
            && let Some(said) = reply.calls.iter_mut().find(|said| said.id == id)
        {
            arguments.clone_into(&mut said.arguments);
        }
    }

    /// Takes in what came of the call that was to be decided. The state moves by the rule of its
    /// tool, where something answered.
    pub fn finish_call<T: Gated>(
        &mut self,
        tools: &[T],
        profiles: &[Profile],
        row: Option<ToolRow>,
        result: &CallResult,
        now: Millis,
    ) {
        let Some(call) = self.pending.pop_front() else { return };
        let before = self.simulation.current_step();
        if let Some(row) = row.filter(|_| result.answered.is_answer()) {
            let took_ms = result.took_ms;
            let take = Take { tool: row, outcome: result.outcome, at: now, took_ms, call: None };
            // What is hidden was not called.
            let _ = self.simulation.take_step(tools, profiles, take);
        }
        let result = ToolResult {
            call_id: call.id,
            name: call.name,
            text: result.text.clone(),
            is_error: result.outcome != Outcome::Succeeded,
        };
        match self.turns.last_mut() {
            Some(Turn::Results(results)) => results.push(result),
            // It began before the step that its first call took.
            _ => {
                self.turns.push(Turn::Results(vec![result]));
                self.reached.push(before);
            }
        }
    }

    /// Goes another way from an earlier place, or from where the run is; returns whether there is
    /// such a place, and the change fits there: a message comes after calls that are all answered.
    pub fn take_branch(&mut self, branch: &Branch) -> bool {
        let turns = match branch.from {
            BranchPoint::Reply(number) => self.turn_of_reply(number),
            BranchPoint::Turns(turns) => Some(turns),
        };
        let Some(turns) = turns.filter(|turns| (1..=self.turns.len()).contains(turns)) else {
            return false;
        };
        let fits = match (&branch.change, &self.turns[turns - 1]) {
            (Change::Nothing, _) => true,
            (Change::Message(_), _) => self.pending_after(turns).is_empty(),
            (Change::Result { row, .. }, Turn::Results(results)) => *row < results.len(),
            (Change::Result { .. }, _) => false,
        };
        if !fits {
            return false;
        }
        self.go_back(turns);
        match (&branch.change, self.turns.last_mut()) {
            (Change::Message(text), _) => self.push_turn(Turn::User(text.clone())),
            (Change::Result { row, text }, Some(Turn::Results(results))) => {
                results[*row].text.clone_from(text);
            }
            _ => {}
        }
        true
    }

    /// The number of turns so far.
    #[must_use]
    pub fn turn_count(&self) -> usize {
        self.turns.len()
    }

    fn turn_of_reply(&self, number: u32) -> Option<usize> {
        let is_reply = |(_, turn): &(usize, &Turn)| matches!(turn, Turn::Model(_));
        let row = usize::try_from(number.checked_sub(1)?).ok()?;
        self.turns.iter().enumerate().filter(is_reply).nth(row).map(|(turn, _)| turn)
    }

    /// The calls that wait once so many turns are left.
    fn pending_after(&self, turns: usize) -> VecDeque<ToolCall> {
        if turns == self.turns.len() {
            return self.pending.clone();
        }
        match &self.turns[turns - 1] {
            Turn::Model(reply) => reply.calls.iter().cloned().collect(),
            _ => VecDeque::new(),
        }
    }

    /// Goes back to before that turn, and to the state that was reached then; steps that were taken
    /// since stay in the simulation as another branch.
    fn go_back(&mut self, turns: usize) {
        self.pending = self.pending_after(turns);
        let Some(reached) = self.reached.get(turns) else { return };
        self.simulation.go_to(*reached);
        self.turns.truncate(turns);
        self.reached.truncate(turns);
        let replies = self.turns.iter().filter(|turn| matches!(turn, Turn::Model(_))).count();
        self.replies = u32::try_from(replies).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::gated::Slot,
        model::tool::{Gate, States},
    };

    fn tools() -> [Slot; 2] {
        let slot = |name: &str, states: &[&str], next: Option<&str>| Slot {
            key: name.into(),
            name: name.into(),
            gate: Gate {
                states: States::Only(states.iter().map(|name| (*name).into()).collect()),
                next: next.map(Into::into),
                ..Gate::open()
            },
        };
        [slot("find", &["undefined"], Some("found")), slot("sum", &["found"], None)]
    }

    fn run() -> AgentRun {
        let start = AgentStart {
            question: "How many?".into(),
            system: None,
            context: Context::default(),
            mode: Mode::Document,
            max_turns: 3,
        };
        AgentRun::new(start, Millis(0))
    }

    fn calls(names: &[&str]) -> ModelReply {
        let call = |name: &&str| ToolCall {
            id: format!("id-{name}"),
            name: (*name).into(),
            arguments: "{}".into(),
        };
        ModelReply {
            calls: names.iter().map(call).collect(),
            stop: StopReason::ToolCalls,
            usage: Some(Usage { input: 10, output: 1, cached: 0 }),
            ..ModelReply::default()
        }
    }

    fn answered(outcome: Outcome) -> CallResult {
        CallResult { answered: Answered::Called, outcome, text: "7".into(), took_ms: 1 }
    }

    /// Answers the next call as a tool would.
    fn answer(run: &mut AgentRun, outcome: Outcome) -> Result<(), CallFault> {
        let Next::Call(call) = run.next() else { panic!("{:?}", run.next()) };
        let row = run.check_tool(&tools(), &call.name);
        let result = row.as_ref().map_or_else(CallResult::invalid, |_| answered(outcome));
        run.finish_call(&tools(), &[], row.as_ref().ok().copied(), &result, Millis(1));
        row.map(drop)
    }

    #[test]
    fn a_run_goes_from_the_question_over_calls_to_the_answer() {
        let mut run = run();
        assert_eq!(run.next(), Next::Model);
        assert_eq!(run.offered_rows(&tools(), &[]), Ok(vec![0]));
        run.add_reply(calls(&["find"]));
        answer(&mut run, Outcome::Succeeded).unwrap();
        assert_eq!((run.state(), run.next()), ("found", Next::Model));
        assert_eq!(run.offered_rows(&tools(), &[]), Ok(vec![1]));
        let text = "Seven.".to_owned();
        run.add_reply(ModelReply { text, ..ModelReply::default() });
        assert_eq!((run.answer(), run.next()), ("Seven.", Next::End(RunEnd::Answered)));
        assert_eq!(run.usage().map(|usage| usage.input), Some(10));
    }

    #[test]
    fn parallel_calls_go_one_after_the_other_each_in_its_state() {
        let mut run = run();
        run.add_reply(calls(&["find", "sum", "find"]));
        answer(&mut run, Outcome::Succeeded).unwrap();
        answer(&mut run, Outcome::Succeeded).unwrap();
        let fault = answer(&mut run, Outcome::Succeeded).unwrap_err();
        assert_eq!(fault.word(), "hidden");
        let Some(Turn::Results(results)) = run.turns().last() else { panic!() };
        let errors: Vec<bool> = results.iter().map(|result| result.is_error).collect();
        assert_eq!((errors, run.next()), (vec![false, false, true], Next::Model));
    }

    #[test]
    fn neither_a_failure_nor_a_refusal_moves_the_state() {
        let mut run = run();
        run.add_reply(calls(&["find", "find"]));
        answer(&mut run, Outcome::Failed).unwrap();
        let row = run.check_tool(&tools(), "find").ok();
        run.finish_call(&tools(), &[], row, &CallResult::refused("not now"), Millis(1));
        assert_eq!(run.state(), "undefined");
        let Some(Turn::Results(results)) = run.turns().last() else { panic!() };
        assert_eq!(results[1].text, "The user refused this call: not now");
    }

    #[test]
    fn a_run_ends_at_its_limit_and_at_a_reply_that_is_cut_short() {
        let mut long = run();
        for _ in 0..3 {
            long.add_reply(calls(&["sum"]));
            answer(&mut long, Outcome::Succeeded).unwrap_err();
        }
        assert_eq!(long.next(), Next::End(RunEnd::TurnLimit));
        let mut cut = run();
        cut.add_reply(ModelReply { stop: StopReason::Length, ..calls(&["find"]) });
        assert_eq!(cut.next(), Next::End(RunEnd::Stopped(StopReason::Length)));
    }

    fn branch(run: &mut AgentRun, from: BranchPoint, change: Change) -> bool {
        run.take_branch(&Branch { from, change })
    }

    #[test]
    fn going_back_brings_the_state_and_the_calls_back() {
        let mut run = run();
        run.add_reply(calls(&["find"]));
        answer(&mut run, Outcome::Succeeded).unwrap();
        run.add_reply(ModelReply::default());
        assert!(branch(&mut run, BranchPoint::Turns(2), Change::Nothing));
        assert_eq!(run.state(), "undefined");
        run.edit_arguments("{\"a\": 1}");
        let Next::Call(call) = run.next() else { panic!() };
        assert_eq!(call.arguments, "{\"a\": 1}");
        let Some(Turn::Model(reply)) = run.turns().last() else { panic!() };
        assert_eq!(reply.calls[0].arguments, "{\"a\": 1}");
        answer(&mut run, Outcome::Succeeded).unwrap();
        assert_eq!((run.simulation().branches().len(), run.state()), (2, "found"));
        for from in [0, 9].map(BranchPoint::Turns) {
            assert!(!branch(&mut run, from, Change::Nothing), "{from:?}");
        }
        for from in [0, 2].map(BranchPoint::Reply) {
            assert!(!branch(&mut run, from, Change::Nothing), "{from:?}");
        }
        let message = Change::Message("Look again.".into());
        assert!(branch(&mut run, BranchPoint::Reply(1), message));
        assert_eq!((run.turns().len(), run.state(), run.next()), (2, "undefined", Next::Model));
    }

    #[test]
    fn a_run_goes_on_with_another_result_or_after_its_end() {
        let mut run = run();
        run.add_reply(calls(&["find"]));
        // What a model asks for is answered before anything else is said to it.
        let message = || Change::Message("And now?".into());
        assert!(!branch(&mut run, BranchPoint::Turns(2), message()));
        answer(&mut run, Outcome::Succeeded).unwrap();
        run.add_reply(ModelReply { text: "Seven.".into(), ..ModelReply::default() });
        assert!(branch(&mut run, BranchPoint::Turns(4), message()));
        assert_eq!((run.next(), run.state()), (Next::Model, "found"));
        let other = |row| Change::Result { row, text: "8".into() };
        assert!(!branch(&mut run, BranchPoint::Turns(3), other(1)));
        assert!(!branch(&mut run, BranchPoint::Turns(2), other(0)));
        assert!(branch(&mut run, BranchPoint::Turns(3), other(0)));
        let Some(Turn::Results(results)) = run.turns().last() else { panic!() };
        assert_eq!(
            (results[0].text.as_str(), run.next(), run.state()),
            ("8", Next::Model, "found")
        );
    }
}
