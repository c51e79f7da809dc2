//! `toolcrib [PATH]`: opens the screen on a workspace.

use std::{collections::HashMap, path::Path};

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    screen::open_screen,
};
use crate::{
    app::state::Start,
    engine::{groups::CustomGroups, settings::connections},
    model::{connection::Connection, context::Mode, entry::EntryId, finding::Finding},
    runtime::event_loop::ExitReason,
    store::settings::workspace as settings,
    syntax::source::Source,
};

/// Whether the user's own workspace is opened, or the one that shows what toolcrib does.
#[derive(Debug)]
pub(crate) enum Purpose {
    Work,
    /// With arguments to call its tools with at once, and the connection that replaces its own.
    Demo {
        has_tour: bool,
        arguments: HashMap<EntryId, Source>,
        connection: Option<Box<Connection>>,
    },
}

/// Opens the workspace that the command line means and ends when the user leaves.
pub(crate) fn run_workbench(
    global: &Global,
    path: Option<&Path>,
    purpose: Purpose,
) -> CommandResult {
    let workspace = global.find_workspace(path)?;
    let (mut own, findings) = settings::load_settings(&workspace)?;
    if let Some(wanted) = &global.connection {
        own.connections.choose(connections::find_connection(&own.connections, wanted)?);
    }
    let (demo, arguments) = match purpose {
        Purpose::Work => (false, HashMap::new()),
        Purpose::Demo { has_tour, arguments, connection } => {
            connection.into_iter().for_each(|connection| own.connections.choose(*connection));
            (has_tour, arguments)
        }
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
    let complaints = findings.iter().map(Finding::site_words).collect();
    let (reason, _) = open_screen(global, workspace, start, complaints)?;
    Ok(match reason {
        ExitReason::Left => Ending::Done,
        ExitReason::Told => Ending::Interrupted,
    })
}
