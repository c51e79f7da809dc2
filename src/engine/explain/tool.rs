//! Why a tool is hidden, and the smallest changes that would show it.

use crate::{
    engine::{
        filter::{
            AllowedGroups, AskedGroups, Denied, Filter, Reason, check_permission, join_names,
        },
        gate_edit::GateEdit,
        gated::{Gated, ToolRow},
        groups::groups_of,
        workflow::{
            graph::Workflow,
            paths::Paths,
            reach::{GroupSearch, GroupSets},
        },
    },
    model::{
        context::{ANY, Context, Name, Profile},
        tool::Gate,
    },
};

/// A tool's reasons and what to do about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    pub tool: ToolRow,
    /// Empty when the tool is available.
    pub reasons: Vec<Reason>,
    /// What would show it, the smallest change first.
    pub changes: Vec<Change>,
}

/// A change that shows a hidden tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Ask for these groups too.
    Ask { groups: Vec<Name> },
    /// Take these tools first, which leads to the state.
    Take { tools: Vec<ToolRow>, state: Name },
    /// Ask for these groups too, then take these tools.
    AskAndTake { groups: Vec<Name>, tools: Vec<ToolRow>, state: Name },
    /// Start in this state, since no tool leads there from here; and ask for these groups too, if any.
    Start { groups: Vec<Name>, state: Name },
    /// Edit the tool's descriptor: all of these.
    Edit(Vec<GateEdit>),
    /// Edit the tool's descriptor, then take these tools first.
    EditAndTake { edits: Vec<GateEdit>, tools: Vec<ToolRow>, state: Name },
    /// No longer ask for these groups, which the user may not ask for; and then do more, where the
    /// tool is hidden still.
    Drop { groups: Vec<Name>, then: Option<Box<Change>> },
}

impl Change {
    /// The groups to ask for beside the present ones.
    #[must_use]
    pub fn groups_to_ask(&self) -> &[Name] {
        match self {
            Self::Ask { groups } | Self::AskAndTake { groups, .. } | Self::Start { groups, .. } => {
                groups
            }
            Self::Drop { then: Some(then), .. } => then.groups_to_ask(),
            Self::Take { .. } | Self::Edit(_) | Self::EditAndTake { .. } | Self::Drop { .. } => &[],
        }
    }

    /// The change in words, tools by their keys.
    #[must_use]
    pub fn description<T: Gated>(&self, tools: &[T]) -> String {
        let keys = |rows: &[ToolRow]| {
            rows.iter().map(|row| tools[*row].key()).collect::<Vec<_>>().join(", then ")
        };
        match self {
            Self::Ask { groups } => format!("request {}", join_names(groups)),
            Self::Take { tools: rows, .. } => match rows.len() {
                0 | 1 => format!("call {} first", keys(rows)),
                _ => format!("first call {}", keys(rows)),
            },
            Self::AskAndTake { groups, tools: rows, .. } => {
                format!("request {}, then call {}", join_names(groups), keys(rows))
            }
            Self::Start { groups, state } if groups.is_empty() => {
                format!("start a new run in {state}: no tool leads there from here")
            }
            Self::Start { groups, state } => {
                format!(
                    "request {} and start a new run in {state}: no tool leads there from here",
                    join_names(groups)
                )
            }
            Self::Edit(edits) => described(edits),
            Self::EditAndTake { edits, tools: rows, .. } => {
                format!("{}, then call {}", described(edits), keys(rows))
            }
            Self::Drop { groups, then: None } => {
                format!("stop requesting {}", join_names(groups))
            }
            Self::Drop { groups, then: Some(then) } => {
                format!("stop requesting {}; {}", join_names(groups), then.description(tools))
            }
        }
    }
}

fn described(edits: &[GateEdit]) -> String {
    edits.iter().map(GateEdit::description).collect::<Vec<_>>().join(" and ")
}

/// Every smallest set of groups under which a tool can run from a state at all, nothing being asked
/// for beside.
#[must_use]
pub(crate) fn sufficient_groups<T: Gated>(tools: &[T], start: &str, tool: ToolRow) -> GroupSets {
    GroupSearch::new(tools, &AskedGroups::Only(Vec::new()), start, &AllowedGroups::Every)
        .every_smallest(tool)
}

/// Explains tools in one context; prepared once, asked for many.
#[derive(Debug)]
pub(crate) struct Explainer {
    filter: Filter,
    /// Why the user may not ask for these groups, and the filter without those that exceed.
    denied: Option<(Denied, Filter)>,
    allowed: AllowedGroups,
    workflow: Workflow,
    paths: Paths,
    search: GroupSearch,
    sizes: std::collections::HashMap<Name, usize>,
}

impl Explainer {
    /// What a user may not ask for is part of no change.
    #[must_use]
    pub fn new<T: Gated>(tools: &[T], context: &Context, profiles: &[Profile]) -> Self {
        let allowed = AllowedGroups::from_profiles(profiles, context);
        let denied = check_permission(profiles, context).err().map(|denied| {
            let groups = context.groups().into_iter().filter(|name| allowed.allows(name)).collect();
            (denied, Filter::new(&Context { groups: Some(groups), ..context.clone() }))
        });
        let filter = Filter::new(context);
        let permitted = denied.as_ref().map_or(&filter, |(_, permitted)| permitted);
        let workflow = Workflow::for_groups(tools, permitted.groups(), permitted.state());
        Self {
            paths: workflow.paths_from(workflow.start()),
            search: GroupSearch::new(tools, permitted.groups(), permitted.state(), &allowed),
            sizes: groups_of(tools)
                .into_iter()
                .map(|group| (group.name, group.tools.len()))
                .collect(),
            filter,
            denied,
            allowed,
            workflow,
        }
    }

    /// Explains one of the tools that this was prepared with.
    #[must_use]
    pub fn explain<T: Gated>(&self, tools: &[T], tool: ToolRow) -> Explanation {
        let gate = tools[tool].gate();
        let Some((denied, permitted)) = &self.denied else {
            let reasons = self.filter.hidden_reasons(gate);
            return Explanation { tool, changes: self.find_changes(tool, gate, &reasons), reasons };
        };
        let rest = permitted.hidden_reasons(gate);
        let drop = |then| Change::Drop { groups: denied.exceeding.clone(), then };
        let changes = match rest.is_empty() {
            true => vec![drop(None)],
            false => self
                .find_changes(tool, gate, &rest)
                .into_iter()
                .map(|then| drop(Some(Box::new(then))))
                .collect(),
        };
        let reasons = [Reason::User(denied.clone())]
            .into_iter()
            .chain(self.filter.hidden_reasons(gate))
            .collect();
        Explanation { tool, reasons, changes }
    }

    /// What would take these reasons away, the smallest change first.
    fn find_changes(&self, tool: ToolRow, gate: &Gate, reasons: &[Reason]) -> Vec<Change> {
        let mut changes = match reasons {
            [] | [Reason::NotLoaded(_)] => Vec::new(),
            [Reason::Group { has, .. }] => self.ask_changes(has),
            _ => self.path_changes(tool, gate, reasons),
        };
        changes.extend(self.edit_and_take(tool, reasons));
        changes.extend(Self::edit_change(reasons));
        changes
    }

    /// The edit that takes the reason of groups away, and the tools at hand that lead to a state which
    /// the tool lists: the workflow stays as it is.
    fn edit_and_take(&self, tool: ToolRow, reasons: &[Reason]) -> Option<Change> {
        let [Reason::Group { asked, .. }, Reason::State { .. }] = reasons else { return None };
        let edits = vec![GateEdit::AddGroup(asked.first()?.clone())];
        let state = self.paths.nearest_for(&self.workflow, tool)?;
        let tools = self.paths.to_state(state)?.into_iter().map(|hop| hop.tool).collect();
        Some(Change::EditAndTake { edits, tools, state: self.workflow.states()[state].clone() })
    }

    /// One change for each group that would do; the group that brings in the fewest other tools
    /// first.
    fn ask_changes(&self, has: &[Name]) -> Vec<Change> {
        let mut groups: Vec<Name> = has.to_vec();
        if groups.is_empty() {
            groups.push(ANY.into());
        }
        groups.retain(|name| self.allowed.allows(name));
        groups.sort_by_key(|name| self.sizes.get(name).copied().unwrap_or(usize::MAX));
        groups.into_iter().map(|name| Change::Ask { groups: vec![name] }).collect()
    }

    /// To another state: by tools at hand, else with more groups, else by starting there.
    fn path_changes(&self, tool: ToolRow, gate: &Gate, reasons: &[Reason]) -> Vec<Change> {
        let in_group = self.workflow.members()[tool].is_admitted();
        if in_group
            && let Some((state, hops)) = self
                .paths
                .nearest_for(&self.workflow, tool)
                .zip(self.paths.to_tool(&self.workflow, tool))
        {
            let tools = hops.into_iter().map(|hop| hop.tool).collect();
            return vec![Change::Take { tools, state: self.workflow.states()[state].clone() }];
        }
        if let Some(reach) = self.search.fewest_groups(tool) {
            return vec![Change::AskAndTake {
                groups: reach.groups,
                tools: reach.before,
                state: reach.state,
            }];
        }
        let groups = match self.ask_changes(&gate.groups()).first() {
            _ if in_group => Vec::new(),
            Some(ask) => ask.groups_to_ask().to_vec(),
            None => return Vec::new(),
        };
        let listed = reasons.iter().find_map(|reason| match reason {
            Reason::State { listed, .. } => Some(listed.as_slice()),
            Reason::Group { .. } | Reason::User(_) | Reason::NotLoaded(_) => None,
        });
        listed
            .unwrap_or_default()
            .iter()
            .take(1)
            .map(|state| Change::Start { groups: groups.clone(), state: state.clone() })
            .collect()
    }

    /// The edits that together take every reason away; none where no group is asked for.
    fn edit_change(reasons: &[Reason]) -> Option<Change> {
        let edit = |reason: &Reason| match reason {
            Reason::Group { asked, .. } => asked.first().cloned().map(GateEdit::AddGroup),
            Reason::State { current, .. } => Some(GateEdit::AddState(current.clone())),
            // No edit of a tool gives its user more rights, and none of its gate loads it.
            Reason::User(_) | Reason::NotLoaded(_) => None,
        };
        let edits: Option<Vec<GateEdit>> = reasons.iter().map(edit).collect();
        edits.filter(|edits| !edits.is_empty()).map(Change::Edit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        gated::Slot,
        spec_tools::{gated_slot, spec_tools},
    };

    fn names(list: &[&str]) -> Vec<Name> {
        list.iter().map(|name| Name::from(*name)).collect()
    }

    fn spec() -> Vec<Slot> {
        let more = [
            gated_slot("lost", &["knowledge"], &["nowhere"], None),
            gated_slot("dead", &["knowledge"], &[], None),
            gated_slot("alone", &[], &["*"], None),
        ];
        spec_tools().into_iter().chain(more).collect()
    }

    fn first(groups: &[&str], state: &str, key: &str) -> String {
        let tools = spec();
        let context =
            Context { user: None, groups: Some(names(groups)), state: Some(state.into()) };
        let row = tools.iter().position(|tool| &*tool.key == key).unwrap();
        let explanation = Explainer::new(&tools, &context, &[]).explain(&tools, row);
        explanation
            .changes
            .first()
            .map_or_else(|| "available".into(), |change| change.description(&tools))
    }

    #[test]
    fn the_smallest_change_is_named_for_each_kind_of_reason() {
        let knowledge = &["read-only", "knowledge"][..];
        assert_eq!(first(knowledge, "undefined", "knowledge-query"), "available");
        assert_eq!(first(knowledge, "undefined", "graph-update"), "call knowledge-query first");
        let take = |tools: Vec<ToolRow>| Change::Take { tools, state: "results".into() };
        assert_eq!(take(vec![0]).description(&spec()), format!("call {} first", spec()[0].key));
        assert_eq!(
            take(vec![0, 1]).description(&spec()),
            format!("first call {}, then {}", spec()[0].key, spec()[1].key)
        );
        assert_eq!(first(knowledge, "analysis", "complex-analysis"), "request advanced");
        assert_eq!(
            first(knowledge, "undefined", "complex-analysis"),
            "request advanced, then call knowledge-query"
        );
        assert_eq!(
            first(&["knowledge", "compute"], "results", "reset-workflow"),
            "request admin",
            "the document's third step"
        );
        assert_eq!(
            first(knowledge, "undefined", "lost"),
            "start a new run in nowhere: no tool leads there from here"
        );
        assert_eq!(
            first(&["compute"], "undefined", "lost"),
            "request knowledge and start a new run in nowhere: no tool leads there from here"
        );
        assert_eq!(first(knowledge, "undefined", "dead"), "make the tool available in undefined");
        assert_eq!(first(knowledge, "undefined", "alone"), "request *");
        assert_eq!(
            first(&[], "undefined", "text-completion"),
            "request text",
            "the group with the fewest other tools"
        );
    }

    /// Carrying out each change shows the tool.
    #[test]
    fn every_change_does_what_it_says() {
        let tools = spec();
        for groups in [&["read-only"][..], &["compute"], &[], &["admin", "knowledge"], &["*"]] {
            for state in ["undefined", "analysis", "results", "elsewhere"] {
                let context =
                    Context { user: None, groups: Some(names(groups)), state: Some(state.into()) };
                let explainer = Explainer::new(&tools, &context, &[]);
                for row in 0..tools.len() {
                    for change in explainer.explain(&tools, row).changes {
                        let mut gate = tools[row].gate.clone();
                        let mut then = context.clone();
                        then.groups
                            .as_mut()
                            .unwrap()
                            .extend(change.groups_to_ask().iter().cloned());
                        match &change {
                            Change::Take { tools: rows, .. }
                            | Change::AskAndTake { tools: rows, .. }
                            | Change::EditAndTake { tools: rows, .. } => {
                                for row in rows {
                                    assert!(
                                        Filter::new(&then).admits(&tools[*row].gate),
                                        "{change:?} from {context:?}"
                                    );
                                    then.state = tools[*row].gate.next.clone().or(then.state);
                                }
                            }
                            Change::Start { state, .. } => then.state = Some(state.clone()),
                            Change::Edit(_) | Change::Ask { .. } => {}
                            Change::Drop { .. } => panic!("without a user nothing exceeds"),
                        }
                        if let Change::Edit(edits) | Change::EditAndTake { edits, .. } = &change {
                            gate = edits.iter().fold(gate, |gate, edit| edit.apply_to(&gate));
                        }
                        let still = Filter::new(&then).hidden_reasons(&gate);
                        assert_eq!(still, [], "{change:?} of {} from {context:?}", tools[row].key);
                    }
                }
            }
        }
    }

    #[test]
    fn what_a_user_may_not_ask_for_is_part_of_no_change() {
        let tools = spec();
        let profiles = [
            Profile { user: "reader".into(), allowed_groups: names(&["read-only"]) },
            Profile { user: "root".into(), allowed_groups: names(&["*"]) },
        ];
        let said = |user: &str, groups: &[&str], key: &str| {
            let context =
                Context { user: Some(user.into()), groups: Some(names(groups)), state: None };
            let row = tools.iter().position(|tool| &*tool.key == key).unwrap();
            let found = Explainer::new(&tools, &context, &profiles).explain(&tools, row);
            let kinds = found.reasons.iter().map(Reason::kind).collect::<Vec<_>>().join(" ");
            (
                kinds,
                found.changes.iter().map(|change| change.description(&tools)).collect::<Vec<_>>(),
            )
        };
        let (kinds, changes) = said("reader", &[], "text-completion");
        assert_eq!(
            (kinds.as_str(), changes),
            ("group", vec!["request read-only".to_owned()]),
            "not for text or basic"
        );
        let (_, changes) = said("reader", &["read-only"], "complex-analysis");
        assert_eq!(
            changes,
            [
                "add group read-only to the tool, then call knowledge-query",
                "add group read-only to the tool and make the tool available in undefined"
            ],
            "what leaves the workflow as it is comes first"
        );
        assert_eq!(
            said("reader", &["read-only"], "alone").1,
            ["add group read-only to the tool"],
            "not for *"
        );
        assert_eq!(said("reader", &["read-only"], "lost").1.len(), 1, "an edit only");
        let (kinds, changes) = said("reader", &["read-only", "admin"], "knowledge-query");
        assert_eq!((kinds.as_str(), changes), ("user", vec!["stop requesting admin".to_owned()]));
        let (kinds, changes) = said("reader", &["admin"], "text-completion");
        assert_eq!(kinds, "user group");
        assert_eq!(changes, ["stop requesting admin; request read-only"]);
        assert_eq!(
            said("root", &["read-only"], "complex-analysis").1[0],
            "request advanced, then call knowledge-query"
        );
    }
}
