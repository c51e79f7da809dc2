//! What the panes read: groups, the filter's answer, the graph, its analysis, reasons; all of one state of tools and context.

use std::{collections::HashMap, sync::Arc};

use crate::{
    app::state::State,
    engine::{
        explain::tool::{Explainer, Explanation},
        filter::{AskedGroups, Split, permit, split, unknown_groups},
        gated::{Slot, ToolRow},
        groups::groups_of,
        workflow::{
            analysis::Analysis,
            graph::{StateRow, Workflow},
            paths::Paths,
        },
    },
    model::context::{Context, Name},
};

pub struct Facts {
    generation: u64,
    pub context: Context,
    start: Name,
    /// The tools with the workspace's own groups among theirs.
    tools: Arc<Vec<Slot>>,
    pub groups: Vec<GroupRow>,
    pub asked: AskedGroups,
    pub split: Split,
    /// The hidden tools: by state first, since those are nearer.
    pub hidden: Vec<ToolRow>,
    pub workflow: Workflow,
    /// As seen from the start of the run.
    pub analysis: Analysis,
    pub current: Option<StateRow>,
    /// As seen from where the run stands.
    pub here: Option<Paths>,
    /// Why the user may not ask for these groups.
    pub denied: Option<String>,
    explainer: Explainer,
    explained: HashMap<ToolRow, Explanation>,
}

/// A group that can be ticked.
pub struct GroupRow {
    pub name: Name,
    pub tools: usize,
    pub ticked: bool,
    pub origin: GroupOrigin,
}

/// Where a group comes from.
#[derive(Clone, Copy, PartialEq)]
pub enum GroupOrigin {
    /// Tools name it.
    Tools,
    /// A list of the workspace; the running system does not know it.
    Workspace,
    /// It is asked for, but no tool is in it.
    Unknown,
}

impl Facts {
    /// The facts of the state as it is now; `earlier` ones lend what has not changed.
    pub fn of(state: &State, earlier: Option<&Facts>) -> Self {
        let kept = earlier.filter(|facts| facts.generation == state.generation).map(|facts| Arc::clone(&facts.tools));
        let shared = kept.unwrap_or_else(|| Arc::new(state.gated_tools()));
        let tools = &*shared;
        let context = state.context();
        let start: Name = state.simulation.start().state().into();
        let asked = AskedGroups::of(context.groups.as_deref());
        let split = split(tools, &context);
        let workflow = Workflow::of(tools, &asked, &start).including(&state.listed_states);
        let current = workflow.state(context.state());
        let mut hidden = split.filtered_by_state.clone();
        hidden.extend(&split.filtered_by_group);
        Self {
            generation: state.generation,
            start,
            groups: group_rows(state, tools, &context, &asked),
            split,
            hidden,
            analysis: workflow.analysis(),
            here: current.map(|row| workflow.paths_from(row)),
            current,
            workflow,
            denied: permit(&state.profiles, &context).err().map(|denied| denied.to_string()),
            explainer: Explainer::new(tools, &context),
            tools: Arc::clone(&shared),
            explained: HashMap::new(),
            asked,
            context,
        }
    }

    /// Whether these are the facts of the state as it is now.
    pub fn is_of(&self, state: &State) -> bool {
        self.generation == state.generation && self.context == state.context() && *self.start == *state.simulation.start().state()
    }

    /// Which tools, and which start, these facts are of.
    pub fn subject(&self) -> (u64, Name) {
        (self.generation, self.start.clone())
    }

    /// The tools with the workspace's own groups among theirs.
    pub fn tools(&self) -> &[Slot] {
        &self.tools
    }

    /// Reasons and changes of a tool, worked out when first asked for.
    pub fn explain(&mut self, tool: ToolRow) -> &Explanation {
        let (explainer, tools) = (&self.explainer, &self.tools);
        self.explained.entry(tool).or_insert_with(|| explainer.explain(tools, tool))
    }

    /// The explanation of a tool that was drawn before.
    pub fn explained(&self, tool: ToolRow) -> Option<&Explanation> {
        self.explained.get(&tool)
    }

    /// Whether a state can be reached from the start or from here.
    pub fn reaches(&self, state: StateRow) -> bool {
        self.analysis.reaches(state) || self.here.as_ref().is_some_and(|paths| paths.reaches(state))
    }

    pub fn reachable(&self) -> usize {
        (0..self.workflow.states().len()).filter(|state| self.reaches(*state)).count()
    }
}

fn group_rows(state: &State, tools: &[Slot], context: &Context, asked: &AskedGroups) -> Vec<GroupRow> {
    let ticked = |name: &Name| match asked {
        AskedGroups::Every => true,
        AskedGroups::Only(names) => names.contains(name),
    };
    let custom = state.custom_groups.flat();
    let mut rows: Vec<GroupRow> = groups_of(tools)
        .into_iter()
        .map(|group| GroupRow {
            ticked: ticked(&group.name),
            tools: group.tools.len(),
            origin: if custom.iter().any(|own| own.name == group.name) { GroupOrigin::Workspace } else { GroupOrigin::Tools },
            name: group.name,
        })
        .collect();
    let unknown = unknown_groups(tools, context);
    rows.extend(unknown.into_iter().map(|name| GroupRow { name, tools: 0, ticked: true, origin: GroupOrigin::Unknown }));
    rows
}
