//! The request that a command is about: the workspace's context, or that of the command line.

use clap::Args;

use super::{opened::OpenWorkspace, out::CommandOutput};
use crate::{
    engine::{
        explain::state::StateView,
        filter::{
            AskedGroups, available_tools, check_permission, empty_request, join_names,
            unknown_groups,
        },
        gated::Gated,
        lint::check::did_you_mean,
        workflow::similar::nearest_name,
    },
    model::{
        context::{Context, Name, UNDEFINED},
        tool::States,
    },
    systems::read,
};

#[derive(Args, Clone, Debug)]
pub(crate) struct RequestArgs {
    /// Groups to request, separated by commas; "*" for all, "" for none; by default as in
    /// toolcrib.toml
    #[arg(long, value_name = "A,B", value_parser = parse_names)]
    groups: Option<Names>,

    /// The current state; by default as in toolcrib.toml
    #[arg(long, value_name = "STATE")]
    state: Option<String>,

    /// The user, whose profile limits the groups; by default as in toolcrib.toml
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

#[derive(Clone, Debug)]
struct Names(Vec<Name>);

#[expect(clippy::unnecessary_wraps, reason = "the form of clap's value parsers")]
fn parse_names(text: &str) -> Result<Names, String> {
    Ok(Names(
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Name::from).collect(),
    ))
}

/// A request.
pub(crate) struct RequestSettings {
    pub context: Context,
}

impl RequestSettings {
    /// The groups that count, in words.
    #[must_use]
    pub fn groups_text(&self) -> String {
        let names = AskedGroups::from_request(self.context.groups.as_deref()).names();
        if names.is_empty() { "none".into() } else { join_names(&names) }
    }
}

impl RequestArgs {
    /// Whether anything of it was said on the command line.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.groups.is_some() || self.state.is_some() || self.user.is_some()
    }

    /// The request's context, unasked whether it makes sense.
    #[must_use]
    pub fn context(&self, opened: &OpenWorkspace) -> Context {
        let own = &opened.settings.context;
        let text = |given: &Option<String>, own: &Option<Name>| {
            given.as_deref().map(Name::from).or_else(|| own.clone())
        };
        Context {
            user: text(&self.user, &own.user),
            groups: self
                .groups
                .as_ref()
                .map(|names| names.0.clone())
                .or_else(|| own.groups.clone()),
            state: text(&self.state, &own.state),
        }
    }

    /// The request; warns about tools that are not loaded, groups that no tool is in, and a user
    /// who may not ask for them.
    pub fn resolve_request(&self, opened: &OpenWorkspace, out: &CommandOutput) -> RequestSettings {
        opened.warn_of_refusals(out);
        let context = self.context(opened);
        let unknown = unknown_groups(&opened.tools, &context);
        for group in &unknown {
            out.warn(no_tool_in(opened, group));
        }
        let asked = AskedGroups::from_request(context.groups.as_deref());
        if let Some(words) = empty_request(&opened.tools, &asked).filter(|_| unknown.is_empty()) {
            out.warn(format!("{words} (--groups)"));
        }
        if let Some(words) = self.state.as_deref().and_then(|state| unknown_state(opened, state)) {
            out.warn(words);
        }
        for words in
            read::request_failures(&opened.catalog, &available_tools(&opened.tools, &context))
        {
            out.warn(words);
        }
        if let Err(denied) = check_permission(&opened.settings.profiles, &context) {
            out.warn(denied);
        }
        RequestSettings { context }
    }
}

/// What is said of a group that no tool is in; `None` where one is.
pub(crate) fn unknown_group(opened: &OpenWorkspace, group: &str) -> Option<String> {
    let context = Context { groups: Some(vec![group.into()]), ..Context::default() };
    (!unknown_groups(&opened.tools, &context).is_empty()).then(|| no_tool_in(opened, group))
}

fn no_tool_in(opened: &OpenWorkspace, group: &str) -> String {
    let named = |tool| Gated::gate(tool).groups.as_deref().unwrap_or_default();
    let known = opened.tools.iter().flat_map(named).map(|name| &**name);
    let near = did_you_mean(nearest_name(group, known));
    format!("no tool is in group {group}{near}")
}

/// What is said of a state that nothing names; `None` where something does.
pub(crate) fn unknown_state(opened: &OpenWorkspace, state: &str) -> Option<String> {
    if is_state(opened, state) {
        return None;
    }
    let gates = || opened.tools.iter().map(Gated::gate);
    let listed = gates().flat_map(|gate| match &gate.states {
        States::Every => &[][..],
        States::Only(listed) => listed,
    });
    let known = listed.chain(gates().filter_map(|gate| gate.next.as_ref())).map(|name| &**name);
    let near = did_you_mean(nearest_name(state, known.chain([UNDEFINED])));
    Some(format!("no tool uses the state {state}{near}; `toolcrib states` lists the states"))
}

/// Whether a tool or the settings name the state, or runs start in it.
fn is_state(opened: &OpenWorkspace, state: &str) -> bool {
    state == UNDEFINED
        || StateView::for_state(&opened.tools, &Context::default(), &opened.settings.states, state)
            .is_some()
}
