//! `toolcrib [PATH]`: opens the screen on a workspace.

use std::{collections::HashMap, path::Path};

use super::{
    ending::{Ended, Ending},
    global::Global,
};
use crate::{
    app::state::Start,
    engine::{groups::CustomGroups, settings::connections},
    model::{call::Limits, context::Mode, entry::EntryId, finding::Finding},
    runtime::launch::{self, Launch},
    store::{
        log,
        paths::Paths,
        settings::{user, workspace as settings},
        workspace::Workspace,
    },
    syntax::source::Source,
};

/// Whether the user's own workspace is opened, or the one that shows what toolcrib does.
#[derive(Debug)]
pub(crate) enum Purpose {
    Work,
    /// With arguments to call its tools with at once.
    Demo(HashMap<EntryId, Source>),
}

/// Opens the workspace that the command line means and ends when the user leaves.
pub(crate) fn run_workbench(global: &Global, path: Option<&Path>, purpose: Purpose) -> Ended {
    let workspace = Workspace::find(path.or(global.workspace.as_deref()))?;
    let paths = Paths::of_user()?;
    let (mut own, mut findings) = settings::load_settings(&workspace)?;
    let (settings, more) = user::load_settings(&paths.config_file())?;
    findings.extend(more);
    if let Some(wanted) = &global.connection {
        own.connections.choose(connections::find_connection(&own.connections, wanted)?);
    }
    let (demo, arguments) = match purpose {
        Purpose::Work => (false, HashMap::new()),
        Purpose::Demo(arguments) => (true, arguments),
    };
    let start = Start {
        workspace: own.name.clone().unwrap_or_else(|| workspace.name()),
        mode: global.mode.map_or(own.mode, Mode::from),
        context: own.context,
        profiles: own.profiles,
        // What is wrong with them is among the findings.
        custom_groups: CustomGroups::from_value(&own.groups).unwrap_or_default(),
        connections: own.connections,
        demo,
        arguments,
        ..Start::default()
    };
    let place = |finding: Finding| {
        format!("{}:{}: {}", finding.site.file, finding.site.line, finding.message)
    };
    let mut complaints: Vec<String> = findings.into_iter().map(place).collect();
    let (themes, unread) = user::load_themes(&paths.themes_folder());
    complaints.extend(unread.iter().map(ToString::to_string));
    // One can work without a log; it is written until the screen has ended.
    let _log = log::open_log(&paths).map_err(|problem| complaints.push(problem.to_string()));
    launch::run_screen(Launch {
        workspace,
        paths,
        settings,
        themes,
        start,
        limits: Limits::default(),
        complaints,
    })?;
    Ok(Ending::Done)
}
