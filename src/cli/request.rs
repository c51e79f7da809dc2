//! The request that a command is about: the workspace's context, or that of the command line.

use clap::Args;

use super::{opened::OpenWorkspace, out::CommandOutput};
use crate::{
    engine::filter::{
        AskedGroups, available_tools, check_permission, empty_request, join_names, unknown_groups,
    },
    model::context::{Context, Name},
    systems::{
        read,
        unknown_names::{self, unknown_group},
    },
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
        for words in unknown.iter().filter_map(|group| unknown_group(&opened.tools, group)) {
            out.warn(words);
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

/// What is said of a state that nothing names; `None` where something does.
pub(crate) fn unknown_state(opened: &OpenWorkspace, state: &str) -> Option<String> {
    unknown_names::unknown_state(&opened.tools, &opened.settings.states, state)
}
