//! What the panes read: groups, the filter's answer, the graph, its analysis, reasons; all of one
//! state of tools and context.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    app::{compose::cells::Column, state::State, what_if::WhatIf},
    engine::{
        explain::{
            difference::{Difference, RequestTools},
            tool::{Change, Explainer, Explanation},
        },
        filter::{self, AskedGroups, Split, check_permission, split_tools, unknown_groups},
        gated::{Slot, ToolRow},
        groups::groups_of,
        simulate::run::StepId,
        workflow::{
            analysis::Analysis,
            graph::{StateRow, Workflow},
            paths::Paths,
        },
    },
    model::{
        clock::Millis,
        context::{Context, Name},
        entry::EntryId,
    },
};

pub(crate) struct Facts {
    generation: u64,
    pub context: Context,
    start: Name,
    /// Which tool each row is, so that what is kept by row can go on in later facts.
    ids: Arc<Vec<EntryId>>,
    /// The tools with the workspace's own groups among theirs.
    base: Arc<Vec<Slot>>,
    /// The same with the edits that are only tried.
    tools: Arc<Vec<Slot>>,
    /// Where the run is: step, how many there are, when it began.
    stands: (Option<StepId>, usize, Millis),
    tried: Option<WhatIf>,
    /// What the changes that are tried would do.
    pub difference: Option<Difference>,
    /// Tools that are available and were not before the last step, or without what is tried.
    pub came: HashSet<ToolRow>,
    /// Tools that are hidden and were available then.
    pub went: HashSet<ToolRow>,
    pub groups: Vec<GroupRow>,
    /// The workspace's own groups, those without a tool among them.
    own_groups: Vec<Name>,
    pub asked: AskedGroups,
    pub split: Split,
    /// The hidden tools: by the user first, then by state, since those are nearer.
    pub hidden: Vec<ToolRow>,
    pub workflow: Workflow,
    /// As seen from the start of the run.
    pub analysis: Analysis,
    pub current: Option<StateRow>,
    /// As seen from where the run is.
    pub here: Option<Paths>,
    /// Why no tool is loaded.
    pub refusals: Vec<String>,
    /// Why the user may not ask for these groups.
    pub denied: Option<String>,
    explainer: Explainer,
    explained: HashMap<ToolRow, Explanation>,
}

/// See [`Facts::subject`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subject {
    generation: u64,
    tried: Option<WhatIf>,
    pub start: Name,
}

/// A group that can be ticked.
pub(crate) struct GroupRow {
    pub name: Name,
    pub tools: usize,
    pub ticked: bool,
    pub origin: GroupOrigin,
}

/// Where a group comes from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum GroupOrigin {
    /// Tools name it.
    Tools,
    /// A list of the workspace; the running system does not know it.
    Workspace,
    /// It is asked for, but no tool is in it.
    Unknown,
}

impl Facts {
    /// The groups that a change asks for, if others than now.
    pub fn groups_for(&self, change: &Change) -> Option<Vec<Name>> {
        let mut all = self.context.groups();
        if let Change::Drop { groups, .. } = change {
            all.retain(|name| !groups.contains(name));
        } else if self.asked == AskedGroups::Every {
            return None;
        }
        all.extend(
            change
                .groups_to_ask()
                .iter()
                .filter(|name| !self.context.groups().contains(name))
                .cloned(),
        );
        (all != self.context.groups()).then_some(all)
    }

    /// The facts of the state as it is now; `earlier` ones lend what has not changed.
    pub fn from_state(state: &State, earlier: Option<&Facts>) -> Self {
        let kept = earlier.filter(|facts| facts.generation == state.generation);
        let (ids, base) = match kept {
            Some(facts) => (Arc::clone(&facts.ids), Arc::clone(&facts.base)),
            None => (
                Arc::new(state.catalog.tools.iter().map(|tool| tool.id().clone()).collect()),
                Arc::new(state.gated_tools()),
            ),
        };
        let (shared, context) = tried_tools(state, &base);
        let tools = &*shared;
        let start: Name = state.workflow.simulation.start().state().into();
        let asked = AskedGroups::from_request(context.groups.as_deref());
        let denied = check_permission(&state.workflow.profiles, &context).err();
        let mut split = split_tools(tools, &context);
        // What a user may not ask for is refused before any tool is looked at.
        let mut hidden =
            if denied.is_some() { std::mem::take(&mut split.available) } else { Vec::new() };
        let workflow =
            Workflow::for_groups(tools, &asked, &start).with_states(&state.workflow.listed_states);
        let current = workflow.state_row(context.state());
        hidden.extend(
            split.filtered_by_state.iter().chain(&split.filtered_by_group).chain(&split.not_loaded),
        );
        let (came, went) = changed_tools(state, &base, tools, (&split.available, &hidden));
        Self {
            generation: state.generation,
            stands: run_position(state),
            difference: state.workflow.what_if.as_ref().map(|_| {
                Difference::between(
                    &RequestTools::from_tools(&base, &state.context()),
                    &RequestTools::from_tools(tools, &context),
                )
            }),
            tried: state.workflow.what_if.clone(),
            came,
            went,
            ids,
            base: Arc::clone(&base),
            start,
            own_groups: state
                .workflow
                .custom_groups
                .flat_groups()
                .into_iter()
                .map(|group| group.name)
                .collect(),
            groups: group_rows(state, tools, &context, &asked),
            split,
            hidden,
            analysis: workflow.analysis(),
            here: current.map(|row| workflow.paths_from(row)),
            current,
            workflow,
            refusals: state.catalog.refusals.iter().map(ToString::to_string).collect(),
            denied: denied.map(|denied| denied.to_string()),
            explainer: Explainer::new(tools, &context, &state.workflow.profiles),
            tools: Arc::clone(&shared),
            explained: HashMap::new(),
            asked,
            context,
        }
    }

    /// Whether these are the facts of the state as it is now.
    pub fn is_of(&self, state: &State) -> bool {
        let present = state.context();
        self.generation == state.generation
            && self.context
                == state
                    .workflow
                    .what_if
                    .as_ref()
                    .map_or(present.clone(), |what_if| what_if.apply_to_context(&present))
            && self.tried == state.workflow.what_if
            && self.stands == run_position(state)
            && *self.start == *state.workflow.simulation.start().state()
    }

    /// What tools and states are counted in: rows of facts with an equal subject mean the same.
    pub fn subject(&self) -> Subject {
        Subject {
            generation: self.generation,
            tried: self.tried.clone(),
            start: self.start.clone(),
        }
    }

    /// The tool of a row.
    pub fn tool_id(&self, row: ToolRow) -> Option<&EntryId> {
        self.ids.get(row)
    }

    /// Whether rows of tools and of states mean the same in both.
    pub fn counts_as(&self, other: &Self) -> bool {
        self.ids == other.ids && self.workflow.states() == other.workflow.states()
    }

    /// Whether the run is at the same step in both.
    pub fn is_at_step_of(&self, other: &Self) -> bool {
        self.stands.0 == other.stands.0
    }

    /// The groups as columns of the matrix: those that tools name, then the workspace's own.
    pub fn group_columns(&self) -> Vec<Column> {
        let of =
            |origin: GroupOrigin| self.groups.iter().filter(move |group| group.origin == origin);
        let named = of(GroupOrigin::Tools).map(|group| Column::Group(group.name.clone()));
        named.chain(self.own_groups.iter().cloned().map(Column::List)).collect()
    }

    /// The tools with the workspace's own groups among theirs.
    pub fn tools(&self) -> &[Slot] {
        &self.tools
    }

    /// Reasons and changes of a tool, worked out when first asked for.
    pub fn explain_tool(&mut self, tool: ToolRow) -> &Explanation {
        let (explainer, tools) = (&self.explainer, &self.tools);
        self.explained.entry(tool).or_insert_with(|| explainer.explain(tools, tool))
    }

    /// The same for who keeps nothing.
    pub fn explanation_of(&self, tool: ToolRow) -> Explanation {
        self.known_explanation(tool)
            .cloned()
            .unwrap_or_else(|| self.explainer.explain(&self.tools, tool))
    }

    /// The explanation of a tool that was drawn before.
    pub fn known_explanation(&self, tool: ToolRow) -> Option<&Explanation> {
        self.explained.get(&tool)
    }

    /// Whether a state can be reached from the start or from here.
    pub fn is_reachable(&self, state: StateRow) -> bool {
        self.analysis.reaches(state) || self.here.as_ref().is_some_and(|paths| paths.reaches(state))
    }

    pub fn reachable_count(&self) -> usize {
        (0..self.workflow.states().len()).filter(|state| self.is_reachable(*state)).count()
    }
}

/// The tools and the context as they would be with what is tried.
fn tried_tools(state: &State, base: &Arc<Vec<Slot>>) -> (Arc<Vec<Slot>>, Context) {
    let context = state.context();
    match &state.workflow.what_if {
        None => (Arc::clone(base), context),
        Some(what_if) if what_if.edits.is_empty() => {
            (Arc::clone(base), what_if.apply_to_context(&context))
        }
        Some(what_if) => {
            let mut tools = base.to_vec();
            what_if.apply_to_slots(&state.catalog.tools, &mut tools);
            (Arc::new(tools), what_if.apply_to_context(&context))
        }
    }
}

fn run_position(state: &State) -> (Option<StepId>, usize, Millis) {
    (
        state.workflow.simulation.current_step(),
        state.workflow.simulation.steps().count(),
        state.workflow.simulation.start_time(),
    )
}

/// The tools that came and went: with what is tried, else with the last step.
fn changed_tools(
    state: &State,
    base: &[Slot],
    tools: &[Slot],
    (available, hidden): (&[ToolRow], &[ToolRow]),
) -> (HashSet<ToolRow>, HashSet<ToolRow>) {
    let before: HashSet<Name> = match (
        &state.workflow.what_if,
        state.workflow.simulation.current_step().and_then(|id| state.workflow.simulation.step(id)),
    ) {
        (Some(_), _) => filter::available_tools(base, &state.context())
            .into_iter()
            .map(|row| base[row].key.clone())
            .collect(),
        (None, Some(step)) => step.offer.available.iter().cloned().collect(),
        (None, None) => return Default::default(),
    };
    let was = |row: &ToolRow| before.contains(&tools[*row].key);
    let came = available.iter().copied().filter(|row| !was(row)).collect();
    let went = hidden.iter().copied().filter(was).collect();
    (came, went)
}

fn group_rows(
    state: &State,
    tools: &[Slot],
    context: &Context,
    asked: &AskedGroups,
) -> Vec<GroupRow> {
    let ticked = |name: &Name| match asked {
        AskedGroups::Every => true,
        AskedGroups::Only(names) => names.contains(name),
    };
    let custom = state.workflow.custom_groups.flat_groups();
    let mut rows: Vec<GroupRow> = groups_of(tools)
        .into_iter()
        .map(|group| GroupRow {
            ticked: ticked(&group.name),
            tools: group.tools.len(),
            origin: if custom.iter().any(|own| own.name == group.name) {
                GroupOrigin::Workspace
            } else {
                GroupOrigin::Tools
            },
            name: group.name,
        })
        .collect();
    let unknown = unknown_groups(tools, context);
    rows.extend(unknown.into_iter().map(|name| GroupRow {
        name,
        tools: 0,
        ticked: true,
        origin: GroupOrigin::Unknown,
    }));
    rows
}
