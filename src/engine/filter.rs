//! The filter: which tools a context gets, why the others are hidden, where the state goes next,
//! who may ask for what.

use std::{collections::HashSet, fmt};

use super::{
    gated::{Gated, ToolRow},
    groups::groups_of,
};
use crate::model::{
    call::Outcome,
    context::{ANY, Context, DEFAULT_GROUP, Mode, Name, Profile},
    tool::{Audience, Gate, NotLoaded, States},
};
use crate::schema::phrase::join_alternatives;

/// A context's side of the filter, prepared once and asked for many tools.
#[derive(Clone, Debug)]
pub struct Filter {
    groups: AskedGroups,
    state: Name,
}

/// The groups that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedGroups {
    /// `*` is among them.
    Every,
    /// Only these; empty: no tool at all.
    Only(Vec<Name>),
}

impl AskedGroups {
    /// The groups of a request, where `None` represents `default`.
    #[must_use]
    pub fn from_request(groups: Option<&[Name]>) -> Self {
        match groups {
            None => Self::Only(vec![DEFAULT_GROUP.into()]),
            Some(named) if named.iter().any(|name| &**name == ANY) => Self::Every,
            Some(named) => Self::Only(named.to_vec()),
        }
    }

    /// Whether a tool of these groups passes.
    #[must_use]
    pub fn admit(&self, gate: &Gate) -> bool {
        match (&gate.offer, self, &gate.groups) {
            (Audience::ToNone(_), ..) => false,
            (Audience::ToAll, ..) | (_, Self::Every, _) => true,
            (_, Self::Only(asked), None) => asked.iter().any(|name| &**name == DEFAULT_GROUP),
            (_, Self::Only(asked), Some(has)) => has.iter().any(|name| asked.contains(name)),
        }
    }

    /// The names as asked, `*` alone where every group is meant.
    #[must_use]
    pub fn names(&self) -> Vec<Name> {
        match self {
            Self::Every => vec![ANY.into()],
            Self::Only(names) => names.clone(),
        }
    }
}

/// Why a tool is hidden. A tool may have several reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its system does not load it, whatever is asked for.
    NotLoaded(NotLoaded),
    /// The user may not ask for these groups, so that no tool is offered.
    User(Denied),
    /// None of its groups was asked for.
    Group { has: Vec<Name>, asked: Vec<Name> },
    /// It does not list the current state.
    State { listed: Vec<Name>, current: Name },
}

impl Reason {
    /// Stable word for scripts: `not-loaded`, `user`, `group`, `state`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotLoaded(_) => "not-loaded",
            Self::User(_) => "user",
            Self::Group { .. } => "group",
            Self::State { .. } => "state",
        }
    }
}

impl Reason {
    /// The reason in few words, for a line in a list.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::NotLoaded(NotLoaded::Refused { entry, .. }) => {
                format!("not loaded: {entry} stops the whole set")
            }
            Self::NotLoaded(NotLoaded::Replaced { by }) => format!("not loaded: {by} has its name"),
            Self::NotLoaded(NotLoaded::LeftOut { why }) => format!("left out: {why}"),
            Self::User(denied) => {
                format!("user: {} may not request {}", denied.user, join_names(&denied.exceeding))
            }
            Self::Group { .. } | Self::State { .. } => self.to_string(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded(NotLoaded::Refused { entry, logged }) => {
                write!(f, "not loaded: {entry} stops the whole set from loading: {logged}")
            }
            Self::NotLoaded(NotLoaded::Replaced { by }) => {
                write!(
                    f,
                    "not loaded: the tool {by} has the same name, and the last one of a name is loaded"
                )
            }
            Self::NotLoaded(NotLoaded::LeftOut { why }) => write!(f, "left out: {why}"),
            Self::User(denied) => write!(f, "user: {denied}"),
            Self::Group { has, .. } if has.is_empty() => {
                write!(f, "group: in no group, so only a request for \"*\" gets it")
            }
            Self::Group { has, asked } if asked.is_empty() => {
                write!(f, "group: in {}, no group requested", join_names(has))
            }
            Self::Group { has, asked } => {
                write!(f, "group: in {}, requested {}", join_names(has), join_names(asked))
            }
            Self::State { listed, .. } if listed.is_empty() => {
                write!(f, "state: available in no state")
            }
            Self::State { listed, current } => {
                write!(f, "state: available in {}, not in {current}", join_names(listed))
            }
        }
    }
}

/// That no tool is in the requested groups, and which groups there are; `None` where one is.
#[must_use]
pub(crate) fn empty_request<T: Gated>(tools: &[T], asked: &AskedGroups) -> Option<String> {
    let AskedGroups::Only(names) = asked else { return None };
    let groups = groups_of(tools);
    // What is left out for another reason is in its groups all the same.
    let is_in_group = |tool: &T| asked.admit(&tool.gate().to_declared());
    if groups.is_empty() || tools.iter().any(is_in_group) {
        return None;
    }
    let others = join_alternatives(groups.iter().map(|group| &*group.name));
    Some(match names.as_slice() {
        [] => format!("no group is requested: request {others}"),
        names => {
            let named = join_alternatives(names.iter().map(|name| &**name));
            format!("no tool is in {named}: request {others}")
        }
    })
}

/// Names with commas between.
#[must_use]
pub(crate) fn join_names(names: &[Name]) -> String {
    names.join(", ")
}

impl Filter {
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self {
            groups: AskedGroups::from_request(context.groups.as_deref()),
            state: context.state().into(),
        }
    }

    #[must_use]
    pub fn state(&self) -> &Name {
        &self.state
    }

    #[must_use]
    pub fn groups(&self) -> &AskedGroups {
        &self.groups
    }

    #[must_use]
    pub fn admits(&self, gate: &Gate) -> bool {
        self.groups.admit(gate) && gate.states.admits(&self.state)
    }

    /// Why a tool is hidden; nothing when it is available. Of a tool that is not loaded neither
    /// groups nor states matter.
    #[must_use]
    pub fn hidden_reasons(&self, gate: &Gate) -> Vec<Reason> {
        if let Some(why) = gate.not_loaded() {
            return vec![Reason::NotLoaded(why.clone())];
        }
        let mut reasons = Vec::new();
        if !self.groups.admit(gate) {
            reasons.push(Reason::Group { has: gate.groups(), asked: self.groups.names() });
        }
        if let States::Only(listed) = &gate.states
            && !gate.states.admits(&self.state)
        {
            reasons.push(Reason::State { listed: listed.clone(), current: self.state.clone() });
        }
        reasons
    }
}

/// Each tool in exactly one list, in the order given: a tool that both tests stop counts as
/// filtered by group. One that is not loaded is never looked at by the filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    pub available: Vec<ToolRow>,
    pub filtered_by_group: Vec<ToolRow>,
    pub filtered_by_state: Vec<ToolRow>,
    pub not_loaded: Vec<ToolRow>,
}

/// The tools that a context gets, and those it does not.
#[must_use]
pub fn split_tools<T: Gated>(tools: &[T], context: &Context) -> Split {
    let filter = Filter::new(context);
    let mut split = Split::default();
    for (row, tool) in tools.iter().enumerate() {
        let gate = tool.gate();
        let list = match (filter.groups.admit(gate), gate.states.admits(&filter.state)) {
            _ if gate.not_loaded().is_some() => &mut split.not_loaded,
            (true, true) => &mut split.available,
            (false, _) => &mut split.filtered_by_group,
            (true, false) => &mut split.filtered_by_state,
        };
        list.push(row);
    }
    split
}

/// The rows of the tools that a context gets.
#[must_use]
pub fn available_tools<T: Gated>(tools: &[T], context: &Context) -> Vec<ToolRow> {
    let filter = Filter::new(context);
    tools
        .iter()
        .enumerate()
        .filter(|(_, tool)| filter.admits(tool.gate()))
        .map(|(row, _)| row)
        .collect()
}

/// The state after a tool ended so. Cancelled, timed-out and lost calls never move it.
#[must_use]
pub fn next_state(gate: &Gate, current: &str, outcome: Outcome, mode: Mode) -> Name {
    let moves = match outcome {
        Outcome::Succeeded => true,
        Outcome::Failed => mode == Mode::AsDeployed,
        Outcome::Cancelled | Outcome::TimedOut | Outcome::Lost => false,
    };
    match &gate.next {
        Some(next) if moves => next.clone(),
        _ => current.into(),
    }
}

/// The groups that a request names and no tool is in. That is worth a warning, not a refusal.
#[must_use]
pub(crate) fn unknown_groups<T: Gated>(tools: &[T], context: &Context) -> Vec<Name> {
    let Some(asked) = &context.groups else { return Vec::new() };
    let mut unknown: Vec<Name> = Vec::new();
    let known: HashSet<&str> = tools
        .iter()
        .flat_map(|tool| tool.gate().groups.as_deref().map_or(&[][..], |groups| groups))
        .map(|name| &**name)
        .chain([ANY, DEFAULT_GROUP])
        .collect();
    for name in asked {
        if !known.contains(&**name) && !unknown.contains(name) {
            unknown.push(name.clone());
        }
    }
    unknown
}

/// A request that its user may not make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    pub user: Name,
    /// The groups asked for that the user's profile does not allow.
    pub exceeding: Vec<Name>,
    pub cause: DeniedCause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedCause {
    /// The profile allows other groups.
    Exceeds,
    /// No profile bears the user's name, so nothing is allowed.
    NoProfile,
}

/// The message of a refused request.
pub(crate) const DENIED: &str = "Insufficient permissions for requested tool groups";

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DENIED}: {}", join_names(&self.exceeding))?;
        match self.cause {
            DeniedCause::Exceeds => Ok(()),
            DeniedCause::NoProfile => write!(f, " (no profile for user {})", self.user),
        }
    }
}

/// The groups that a context's user may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AllowedGroups {
    Every,
    Only(Vec<Name>),
}

impl AllowedGroups {
    /// What the user's profile allows; without a user every group, without a profile none.
    #[must_use]
    pub fn from_profiles(profiles: &[Profile], context: &Context) -> Self {
        let Some(user) = &context.user else { return Self::Every };
        let profile = profiles.iter().find(|profile| profile.user == *user);
        let allowed = profile.map_or(&[][..], |profile| &profile.allowed_groups);
        if allowed.iter().any(|name| &**name == ANY) {
            Self::Every
        } else {
            Self::Only(allowed.to_vec())
        }
    }

    #[must_use]
    pub fn allows(&self, group: &Name) -> bool {
        match self {
            Self::Every => true,
            Self::Only(names) => names.contains(group),
        }
    }
}

/// The permissions gate, before the filter: whether the context's user may ask for its groups.
///
/// # Errors
/// The groups that exceed what the profile allows; all of them when no profile bears the user's
/// name.
pub(crate) fn check_permission(profiles: &[Profile], context: &Context) -> Result<(), Denied> {
    let (Some(user), allowed) = (&context.user, AllowedGroups::from_profiles(profiles, context))
    else {
        return Ok(());
    };
    let exceeding: Vec<Name> =
        context.groups().into_iter().filter(|name| !allowed.allows(name)).collect();
    if exceeding.is_empty() {
        return Ok(());
    }
    let is_known = profiles.iter().any(|profile| profile.user == *user);
    let cause = if is_known { DeniedCause::Exceeds } else { DeniedCause::NoProfile };
    Err(Denied { user: user.clone(), exceeding, cause })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::gated::Slot;

    fn names(list: &[&str]) -> Vec<Name> {
        list.iter().map(|name| Name::from(*name)).collect()
    }

    fn tool(
        key: &str,
        groups: Option<&[&str]>,
        states: Option<&[&str]>,
        next: Option<&str>,
    ) -> Slot {
        Slot {
            key: key.into(),
            name: key.to_uppercase().into(),
            gate: Gate {
                groups: groups.map(names),
                states: states.map_or(States::Every, |states| States::Only(names(states))),
                next: next.map(Name::from),
                ..Gate::open()
            },
        }
    }

    fn context(groups: Option<&[&str]>, state: Option<&str>) -> Context {
        Context { user: None, groups: groups.map(names), state: state.map(Name::from) }
    }

    #[test]
    fn each_tool_stands_in_exactly_one_list() {
        let tools = [
            tool("both", Some(&["a"]), Some(&["s"]), None),
            tool("group", Some(&["b"]), None, None),
            tool("state", Some(&["a"]), Some(&["t"]), None),
            tool("neither", Some(&["b"]), Some(&["t"]), None),
        ];
        let split = split_tools(&tools, &context(Some(&["a"]), Some("s")));
        let expected = Split {
            available: vec![0],
            filtered_by_group: vec![1, 3],
            filtered_by_state: vec![2],
            not_loaded: Vec::new(),
        };
        assert_eq!(split, expected);
    }

    #[test]
    fn what_is_not_loaded_is_offered_to_nobody_and_says_why() {
        let not_loaded = |why| Slot {
            gate: Gate { offer: Audience::ToNone(why), ..Gate::open() },
            ..tool("x", None, None, None)
        };
        let refused = not_loaded(NotLoaded::Refused {
            entry: "tool/bad".into(),
            logged: "Tool type None not known".into(),
        });
        let replaced = not_loaded(NotLoaded::Replaced { by: "y".into() });
        for asked in [None, Some(&["*"][..]), Some(&["default"])] {
            let context = context(asked, None);
            let split = split_tools(&[refused.clone(), replaced.clone()], &context);
            assert_eq!(split, Split { not_loaded: vec![0, 1], ..Split::default() });
            let words = |slot: &Slot| {
                Filter::new(&context)
                    .hidden_reasons(&slot.gate)
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                words(&refused),
                ["not loaded: tool/bad stops the whole set from loading: Tool type None not known"]
            );
            assert_eq!(
                words(&replaced),
                ["not loaded: the tool y has the same name, and the last one of a name is loaded"]
            );
        }
    }

    #[test]
    fn reasons_say_what_the_tool_has_and_what_was_asked() {
        let filter = Filter::new(&context(Some(&["a", "c"]), None));
        let reasons = filter.hidden_reasons(&tool("x", Some(&["b"]), Some(&["s"]), None).gate);
        assert_eq!(
            reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["group: in b, requested a, c", "state: available in s, not in undefined"]
        );
        assert_eq!(
            filter
                .hidden_reasons(&tool("x", Some(&[]), Some(&[]), None).gate)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            [
                "group: in no group, so only a request for \"*\" gets it",
                "state: available in no state"
            ]
        );
        assert!(filter.hidden_reasons(&tool("x", Some(&["c"]), None, None).gate).is_empty());
    }

    #[test]
    fn a_request_of_no_tools_group_names_those_there_are() {
        let tools = [tool("x", Some(&["b"]), None, None), tool("y", Some(&["c"]), None, None)];
        let asked = |groups: Option<&[&str]>| {
            let groups = groups.map(names);
            empty_request(&tools, &AskedGroups::from_request(groups.as_deref()))
        };
        assert_eq!(asked(None).as_deref(), Some("no tool is in default: request b or c"));
        assert_eq!(asked(Some(&[])).as_deref(), Some("no group is requested: request b or c"));
        assert_eq!(asked(Some(&["b"])), None);
        assert_eq!(asked(Some(&["*"])), None);
        // One that is left out is in its group all the same.
        let mut out = tool("z", Some(&[DEFAULT_GROUP]), None, None);
        out.gate.offer = Audience::ToNone(NotLoaded::LeftOut { why: "off".into() });
        let tools = [tool("x", Some(&["b"]), None, None), out];
        assert_eq!(empty_request(&tools, &AskedGroups::from_request(None)), None);
        assert_eq!(empty_request::<Slot>(&[], &AskedGroups::Only(names(&["b"]))), None);
    }

    #[test]
    fn short_reasons_say_the_same() {
        let filter = Filter::new(&context(Some(&["a"]), None));
        for reason in filter.hidden_reasons(&tool("x", Some(&["b"]), Some(&["s"]), None).gate) {
            assert_eq!(reason.summary(), reason.to_string());
        }
    }

    #[test]
    fn the_state_moves_by_outcome_and_mode() {
        let gate = tool("x", None, None, Some("t")).gate;
        let after = |outcome, mode| next_state(&gate, "s", outcome, mode).to_string();
        assert_eq!(after(Outcome::Succeeded, Mode::Document), "t");
        assert_eq!(after(Outcome::Succeeded, Mode::AsDeployed), "t");
        assert_eq!(after(Outcome::Failed, Mode::Document), "s");
        assert_eq!(after(Outcome::Failed, Mode::AsDeployed), "t");
        for outcome in [Outcome::Cancelled, Outcome::TimedOut, Outcome::Lost] {
            for mode in [Mode::Document, Mode::AsDeployed] {
                assert_eq!(after(outcome, mode), "s");
            }
        }
    }

    #[test]
    fn unknown_groups_are_named_once() {
        let tools = [tool("x", Some(&["a"]), None, None)];
        let asked = context(Some(&["a", "b", "b", "*", "default"]), None);
        assert_eq!(unknown_groups(&tools, &asked), names(&["b"]));
        assert!(unknown_groups(&tools, &context(None, None)).is_empty());
    }

    #[test]
    fn the_gate_names_the_groups_that_exceed() {
        let profiles = [
            Profile { user: "ann".into(), allowed_groups: names(&["read", "default"]) },
            Profile { user: "root".into(), allowed_groups: names(&["*"]) },
        ];
        let ask = |user: &str, groups: Option<&[&str]>| {
            check_permission(
                &profiles,
                &Context { user: Some(user.into()), ..context(groups, None) },
            )
            .map_err(|denied| denied.to_string())
        };
        assert_eq!(ask("ann", Some(&["read"])), Ok(()));
        assert_eq!(ask("ann", None), Ok(()), "absent groups count as default");
        assert_eq!(ask("ann", Some(&[])), Ok(()), "no group is a subset of any");
        assert_eq!(
            ask("ann", Some(&["read", "write", "admin"])),
            Err("Insufficient permissions for requested tool groups: write, admin".into())
        );
        assert_eq!(
            ask("ann", Some(&["*"])),
            Err("Insufficient permissions for requested tool groups: *".into())
        );
        assert_eq!(ask("root", Some(&["*", "write"])), Ok(()));
        assert!(
            ask("nobody", None)
                .is_err_and(|text| text.ends_with("default (no profile for user nobody)"))
        );
        assert!(
            check_permission(&profiles, &context(Some(&["write"]), None)).is_ok(),
            "without a user there is no gate"
        );
    }

    proptest! {
        /// The formula of the document, written out over sets, gives the same answer; and a tool is
        /// available exactly when it has no reason.
        #[test]
        fn agrees_with_the_formula(
            has in proptest::option::of(proptest::collection::vec("[abcd*]|default", 0..4)),
            listed in proptest::option::of(proptest::collection::vec("[st*]|undefined", 0..3)),
            asked in proptest::option::of(proptest::collection::vec("[abcd*]|default", 0..4)),
            current in proptest::option::of("[st]|undefined|"),
        ) {
            let set = |list: &Option<Vec<String>>, absent: &str| -> HashSet<String> {
                list.clone().unwrap_or_else(|| vec![absent.to_owned()]).into_iter().collect()
            };
            let (tool_groups, requested) = (set(&has, "default"), set(&asked, "default"));
            let tool_states = set(&listed, "*");
            let state = current.clone().filter(|state| !state.is_empty()).unwrap_or_else(|| "undefined".into());
            let expected = (requested.contains("*") || !tool_groups.is_disjoint(&requested))
                && (tool_states.contains("*") || tool_states.contains(&state));

            let owned = |list: Option<Vec<String>>| list.map(|names| names.into_iter().map(Name::from).collect::<Vec<_>>());
            let gate = Gate {
                groups: owned(has),
                states: match owned(listed) {
                    Some(states) if !states.iter().any(|state| &**state == ANY) => States::Only(states),
                    _ => States::Every,
                },
                next: None, ..Gate::open()
            };
            let filter = Filter::new(&Context { user: None, groups: owned(asked), state: current.map(Name::from) });
            prop_assert_eq!(filter.admits(&gate), expected);
            prop_assert_eq!(filter.hidden_reasons(&gate).is_empty(), expected);
        }
    }
}
