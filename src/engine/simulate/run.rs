//! The tree of steps: forward, back to any, and another way from there.

use std::collections::HashMap;

use crate::{
    engine::{
        filter::{Denied, Filter, Reason, Split, check_permission, next_state, split_tools},
        gated::{Gated, ToolRow},
    },
    model::{
        call::{CallId, Outcome},
        clock::Millis,
        context::{Context, Mode, Name, Profile},
    },
};

/// A step's place in its simulation; stays while the simulation lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepId(usize);

/// One tool taken. Names are kept, not rows, so that a step outlives a change of the tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The step before; `None`: the start.
    pub parent: Option<StepId>,
    pub tool: Name,
    pub outcome: Outcome,
    /// The groups asked for when it was taken.
    pub groups: Option<Vec<Name>>,
    pub before: Name,
    pub after: Name,
    /// What the filter said before it.
    pub offer: ToolOffer,
    /// When it ended.
    pub at: Millis,
    pub took_ms: u64,
    /// The call behind it; `None`: simulated.
    pub call: Option<CallId>,
}

/// The filter's answer by tool keys; each tool in exactly one list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOffer {
    pub available: Vec<Name>,
    pub filtered_by_group: Vec<Name>,
    pub filtered_by_state: Vec<Name>,
    /// Those that the filter never sees.
    pub not_loaded: Vec<Name>,
}

impl ToolOffer {
    /// How many tools there are.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        [&self.available, &self.filtered_by_group, &self.filtered_by_state, &self.not_loaded]
            .map(Vec::len)
            .iter()
            .sum()
    }

    /// What a context gets.
    #[must_use]
    pub fn for_context<T: Gated>(tools: &[T], context: &Context) -> Self {
        let split = split_tools(tools, context);
        Self::from_split(tools, &split)
    }

    #[must_use]
    pub fn from_split<T: Gated>(tools: &[T], split: &Split) -> Self {
        let keys = |rows: &[ToolRow]| rows.iter().map(|row| tools[*row].key().into()).collect();
        Self {
            available: keys(&split.available),
            filtered_by_group: keys(&split.filtered_by_group),
            filtered_by_state: keys(&split.filtered_by_state),
            not_loaded: keys(&split.not_loaded),
        }
    }
}

/// A tool to take, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    pub tool: ToolRow,
    pub outcome: Outcome,
    /// When it ended.
    pub at: Millis,
    pub took_ms: u64,
    pub call: Option<CallId>,
}

impl Take {
    /// A simulated step that takes no time.
    #[must_use]
    pub fn simulated(tool: ToolRow, outcome: Outcome, at: Millis) -> Self {
        Self { tool, outcome, at, took_ms: 0, call: None }
    }
}

/// A step that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The step after which it was tried.
    pub after: Option<StepId>,
    pub tool: Name,
    pub state: Name,
    /// The groups asked for.
    pub groups: Option<Vec<Name>>,
    pub cause: RefusedCause,
    pub at: Millis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedCause {
    /// The tool is hidden.
    Hidden(Vec<Reason>),
    /// The user may not ask for these groups, so no tool is offered.
    Denied(Denied),
}

impl RefusedCause {
    /// Each cause as a sentence.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        match self {
            Self::Hidden(reasons) => reasons.iter().map(ToString::to_string).collect(),
            Self::Denied(denied) => vec![denied.to_string()],
        }
    }
}

/// One way through the tree, from the start to a step that nothing follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub last: StepId,
    pub steps: Vec<StepId>,
}

/// A simulation: a start, a tree of steps, and where one is in it.
#[derive(Clone, Debug)]
pub struct Simulation {
    start: Context,
    started: Millis,
    mode: Mode,
    steps: Vec<Step>,
    refused: Vec<Refused>,
    at: Option<StepId>,
    groups: Option<Vec<Name>>,
    question: Option<String>,
}

impl Simulation {
    #[must_use]
    pub fn new(start: Context, mode: Mode, started: Millis) -> Self {
        let groups = start.groups.clone();
        Self {
            start,
            started,
            mode,
            steps: Vec::new(),
            refused: Vec::new(),
            at: None,
            groups,
            question: None,
        }
    }

    #[must_use]
    pub fn start(&self) -> &Context {
        &self.start
    }

    #[must_use]
    pub fn start_time(&self) -> Millis {
        self.started
    }

    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What the user asks the agent.
    #[must_use]
    pub fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }

    pub fn set_question(&mut self, question: Option<String>) {
        self.question = question;
    }

    /// Changes the mode for the steps to come.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// Says when the run began; counts until the first step is taken.
    pub fn set_start_time(&mut self, now: Millis) {
        if self.steps.is_empty() {
            self.started = now;
        }
    }

    /// The context of the next step: the user, the groups as they stand, the state reached.
    #[must_use]
    pub fn next_context(&self) -> Context {
        Context {
            user: self.start.user.clone(),
            groups: self.groups.clone(),
            state: Some(self.state().into()),
        }
    }

    #[must_use]
    pub fn state(&self) -> &str {
        match self.at.and_then(|id| self.step(id)) {
            Some(step) => &step.after,
            None => self.start.state(),
        }
    }

    /// Asks for other groups from here on; steps taken keep theirs.
    pub fn set_groups(&mut self, groups: Option<Vec<Name>>) {
        if self.steps.is_empty() {
            self.start.groups.clone_from(&groups);
        }
        self.groups = groups;
    }

    /// The tools name a state otherwise now; so does everything that the run has seen.
    pub fn rename_state(&mut self, from: &str, to: &Name) {
        let steps = self.steps.iter_mut().flat_map(|step| [&mut step.before, &mut step.after]);
        let refused = self.refused.iter_mut().map(|refused| &mut refused.state);
        let names = self.start.state.iter_mut().chain(steps).chain(refused);
        names.filter(|name| &***name == from).for_each(|name| *name = to.clone());
    }

    /// The tools name a group otherwise now; so does everything that the run asked for.
    pub fn rename_group(&mut self, from: &str, to: &Name) {
        let steps = self.steps.iter_mut().map(|step| &mut step.groups);
        let refused = self.refused.iter_mut().map(|refused| &mut refused.groups);
        let asked =
            [&mut self.start.groups, &mut self.groups].into_iter().chain(steps).chain(refused);
        asked.flatten().for_each(|groups| rename_in(groups, from, to));
    }

    /// A tool has another key now; so it has in everything that the run has seen.
    pub fn rename_tool(&mut self, from: &str, to: &Name) {
        let offered = |offer: &mut ToolOffer| {
            let ToolOffer { available, filtered_by_group, filtered_by_state, not_loaded } = offer;
            for keys in [available, filtered_by_group, filtered_by_state, not_loaded] {
                rename_in(keys, from, to);
            }
        };
        for step in &mut self.steps {
            offered(&mut step.offer);
        }
        let tools = self
            .steps
            .iter_mut()
            .map(|step| &mut step.tool)
            .chain(self.refused.iter_mut().map(|refused| &mut refused.tool));
        tools.filter(|key| &***key == from).for_each(|key| *key = to.clone());
    }

    /// Another user from here on.
    pub fn set_user(&mut self, user: Option<Name>) {
        self.start.user = user;
    }

    /// Takes a tool from here. The step becomes the place where one is.
    ///
    /// # Errors
    /// The tool is hidden, or the user may not ask for these groups; the attempt is kept in
    /// [`Simulation::refused_attempts`].
    pub fn take_step<T: Gated>(
        &mut self,
        tools: &[T],
        profiles: &[Profile],
        take: Take,
    ) -> Result<StepId, RefusedCause> {
        let context = self.next_context();
        let (tool, gate) = (&tools[take.tool], tools[take.tool].gate());
        let reasons = Filter::new(&context).hidden_reasons(gate);
        let refusal = match check_permission(profiles, &context) {
            Err(denied) => Some(RefusedCause::Denied(denied)),
            Ok(()) if !reasons.is_empty() => Some(RefusedCause::Hidden(reasons)),
            Ok(()) => None,
        };
        if let Some(cause) = refusal {
            let state = context.state().into();
            self.refused.push(Refused {
                after: self.at,
                tool: tool.key().into(),
                state,
                groups: self.groups.clone(),
                cause: cause.clone(),
                at: take.at,
            });
            return Err(cause);
        }
        let before: Name = context.state().into();
        self.steps.push(Step {
            parent: self.at,
            tool: tool.key().into(),
            outcome: take.outcome,
            groups: self.groups.clone(),
            after: next_state(gate, &before, take.outcome, self.mode),
            before,
            offer: ToolOffer::for_context(tools, &context),
            at: take.at,
            took_ms: take.took_ms,
            call: take.call,
        });
        let id = StepId(self.steps.len() - 1);
        self.at = Some(id);
        Ok(id)
    }

    /// Is after a step again, with the groups that it was taken under; `None`: at the start.
    pub fn go_to(&mut self, step: Option<StepId>) {
        match step.map(|id| (id, self.step(id).map(|step| step.groups.clone()))) {
            None => {
                self.at = None;
                self.groups.clone_from(&self.start.groups);
            }
            Some((id, Some(groups))) => {
                self.at = Some(id);
                self.groups = groups;
            }
            Some((_, None)) => {}
        }
    }

    /// One step back; whether there was one.
    pub fn step_back(&mut self) -> bool {
        let Some(step) = self.at.and_then(|id| self.step(id)) else { return false };
        self.go_to(step.parent);
        true
    }

    /// The step after which one is; `None`: at the start.
    #[must_use]
    pub fn current_step(&self) -> Option<StepId> {
        self.at
    }

    #[must_use]
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.steps.get(id.0)
    }

    /// All steps in the order in which they were taken.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (StepId, &Step)> {
        self.steps.iter().enumerate().map(|(row, step)| (StepId(row), step))
    }

    /// The steps that follow a step, in the order in which they were taken; `None`: the start.
    pub fn next_steps(
        &self,
        after: Option<StepId>,
    ) -> impl DoubleEndedIterator<Item = StepId> + '_ {
        self.steps().filter(move |(_, step)| step.parent == after).map(|(id, _)| id)
    }

    /// The steps from the start to a step, that one included.
    #[must_use]
    pub fn way_to(&self, step: Option<StepId>) -> Vec<StepId> {
        let mut way: Vec<StepId> =
            std::iter::successors(step, |id| self.step(*id)?.parent).collect();
        way.reverse();
        way
    }

    /// The steps from the start to where one is, and on along the branch taken last.
    #[must_use]
    pub fn current_branch(&self) -> Vec<StepId> {
        let mut newest: HashMap<Option<StepId>, StepId> = HashMap::new();
        newest.extend(self.steps().map(|(id, step)| (step.parent, id)));
        let mut way = self.way_to(self.at);
        let mut last = self.at;
        while let Some(next) = newest.get(&last) {
            way.push(*next);
            last = Some(*next);
        }
        way
    }

    /// Every branch, in the order in which their last steps were taken.
    #[must_use]
    pub fn branches(&self) -> Vec<Branch> {
        let mut is_parent = vec![false; self.steps.len()];
        self.steps
            .iter()
            .filter_map(|step| step.parent)
            .for_each(|parent| is_parent[parent.0] = true);
        let lasts = self.steps().map(|(id, _)| id).filter(|id| !is_parent[id.0]);
        lasts.map(|last| Branch { last, steps: self.way_to(Some(last)) }).collect()
    }

    /// Attempts that were refused, in order.
    #[must_use]
    pub fn refused_attempts(&self) -> &[Refused] {
        &self.refused
    }
}

/// Puts another name in the place of one; where it is there already, the two become one.
pub(crate) fn rename_in(names: &mut Vec<Name>, from: &str, to: &Name) {
    if names.contains(to) {
        names.retain(|name| &**name != from);
    }
    names.iter_mut().filter(|name| &***name == from).for_each(|name| *name = to.clone());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::gated::Slot,
        model::tool::{Gate, States},
    };

    fn tool(key: &str, groups: &[&str], states: &[&str], next: Option<&str>) -> Slot {
        let names = |list: &[&str]| list.iter().map(|name| Name::from(*name)).collect::<Vec<_>>();
        let states = if states.is_empty() { States::Every } else { States::Only(names(states)) };
        Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: Some(names(groups)),
                states,
                next: next.map(Name::from),
                ..Gate::open()
            },
        }
    }

    fn kit() -> Vec<Slot> {
        vec![
            tool("look", &["read"], &["undefined"], Some("found")),
            tool("study", &["compute"], &["found"], Some("done")),
            tool("write", &["read"], &[], None),
        ]
    }

    fn reading() -> Context {
        Context { user: None, groups: Some(vec!["read".into()]), state: None }
    }

    fn take(
        simulation: &mut Simulation,
        tool: ToolRow,
        outcome: Outcome,
    ) -> Result<StepId, RefusedCause> {
        simulation.take_step(&kit(), &[], Take::simulated(tool, outcome, Millis(5)))
    }

    #[test]
    fn a_step_remembers_what_was_offered_before_it() {
        let mut simulation = Simulation::new(reading(), Mode::Document, Millis(0));
        let id = take(&mut simulation, 0, Outcome::Succeeded).unwrap();
        let step = simulation.step(id).unwrap();
        assert_eq!((&*step.before, &*step.after), ("undefined", "found"));
        assert_eq!(step.offer.available, ["look".into(), "write".into()]);
        assert_eq!(step.offer.filtered_by_group, ["study".into()]);
        assert_eq!(simulation.state(), "found");
    }

    #[test]
    fn a_hidden_tool_is_refused_with_its_reasons_and_kept() {
        let mut simulation = Simulation::new(reading(), Mode::Document, Millis(0));
        let cause = take(&mut simulation, 1, Outcome::Succeeded).unwrap_err();
        assert_eq!(
            cause.messages(),
            ["group: in compute, requested read", "state: available in found, not in undefined"]
        );
        assert_eq!(simulation.refused_attempts().len(), 1);
        assert_eq!(simulation.steps().count(), 0);
    }

    #[test]
    fn groups_may_change_while_running_and_come_back_with_the_step() {
        let mut simulation = Simulation::new(reading(), Mode::Document, Millis(0));
        let look = take(&mut simulation, 0, Outcome::Succeeded).unwrap();
        simulation.set_groups(Some(vec!["compute".into()]));
        take(&mut simulation, 1, Outcome::Succeeded).unwrap();
        assert_eq!(simulation.state(), "done");
        assert!(simulation.step_back());
        assert_eq!(simulation.current_step(), Some(look));
        assert_eq!(simulation.next_context().groups, reading().groups);
        let done = simulation.next_steps(Some(look)).last();
        simulation.go_to(done);
        assert_eq!(simulation.state(), "done");
        simulation.go_to(None);
        assert_eq!(
            (simulation.state(), simulation.next_context().groups),
            ("undefined", reading().groups)
        );
        assert!(!simulation.step_back());
    }

    #[test]
    fn a_run_goes_by_the_names_that_states_and_groups_have_now() {
        let mut simulation = Simulation::new(reading(), Mode::Document, Millis(0));
        take(&mut simulation, 0, Outcome::Succeeded).unwrap();
        take(&mut simulation, 1, Outcome::Succeeded).unwrap_err();
        simulation.rename_state("found", &"seen".into());
        assert_eq!(simulation.state(), "seen");
        assert_eq!(&*simulation.refused_attempts()[0].state, "seen");
        simulation.rename_group("read", &"readers".into());
        assert_eq!(simulation.next_context().groups, Some(vec!["readers".into()]));
        assert_eq!(simulation.steps().next().unwrap().1.groups, Some(vec!["readers".into()]));
        simulation.go_to(None);
        assert_eq!(simulation.next_context().groups, Some(vec!["readers".into()]));
        simulation.rename_tool("look", &"peek".into());
        let step = simulation.steps().next().unwrap().1;
        assert_eq!((&*step.tool, step.offer.available.contains(&"peek".into())), ("peek", true));
        let mut names = vec!["a".into(), "b".into()];
        rename_in(&mut names, "a", &"b".into());
        assert_eq!(names, ["b".into()], "joined");
    }

    #[test]
    fn another_way_from_a_step_is_a_branch_and_both_are_listed() {
        let mut simulation = Simulation::new(reading(), Mode::Document, Millis(0));
        let look = take(&mut simulation, 0, Outcome::Succeeded).unwrap();
        let write = take(&mut simulation, 2, Outcome::Succeeded).unwrap();
        simulation.go_to(Some(look));
        let failed = take(&mut simulation, 2, Outcome::Failed).unwrap();
        let branches = simulation.branches();
        assert_eq!(
            branches.iter().map(|branch| branch.steps.clone()).collect::<Vec<_>>(),
            [vec![look, write], vec![look, failed]]
        );
        simulation.go_to(None);
        assert_eq!(simulation.current_branch(), [look, failed]);
    }

    #[test]
    fn failures_move_the_state_only_as_deployed() {
        for (mode, state) in [(Mode::Document, "undefined"), (Mode::AsDeployed, "found")] {
            let mut simulation = Simulation::new(reading(), mode, Millis(0));
            take(&mut simulation, 0, Outcome::Failed).unwrap();
            assert_eq!(simulation.state(), state);
        }
    }

    #[test]
    fn the_permissions_gate_stands_before_the_filter() {
        let profiles = [Profile { user: "ann".into(), allowed_groups: vec!["compute".into()] }];
        let mut simulation = Simulation::new(
            Context { user: Some("ann".into()), ..reading() },
            Mode::Document,
            Millis(0),
        );
        let cause = simulation
            .take_step(&kit(), &profiles, Take::simulated(0, Outcome::Succeeded, Millis(1)))
            .unwrap_err();
        assert_eq!(cause.messages(), ["Insufficient permissions for requested tool groups: read"]);
    }
}
