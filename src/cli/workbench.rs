//! `toolcrib [PATH]`: opens the screen on a workspace.

use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
};

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    screen::open_screen,
};
use crate::{
    app::state::Start,
    engine::{
        case::{ask::AskCase, page::FOLDER, script::Case},
        groups::CustomGroups,
    },
    model::{
        connection::Connection,
        context::Mode,
        entry::{EntryId, FileId},
        finding::Finding,
        problem::Problem,
    },
    runtime::event_loop::ExitReason,
    store::{
        files::{self, io_problem},
        paths::{home_folder, launcher_folder},
        settings::workspace as settings,
        workspace::Workspace,
    },
    syntax::source::Source,
    systems::table,
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
    let mut workspace = match path {
        None if global.window && global.workspace.is_none() => find_window_workspace(global)?,
        path => global.find_workspace(path)?,
    };
    let case = take_case(&mut workspace);
    let (mut own, findings) = settings::load_settings(&workspace)?;
    if let Some(wanted) = &global.connection {
        own.connections.choose(table::find_connection(&own.connections, wanted)?);
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
        root: workspace.root.clone(),
        mode: global.mode.map_or(own.mode, Mode::from),
        context: own.context,
        profiles: own.profiles,
        // What is wrong with them is among the findings.
        custom_groups: CustomGroups::from_value(&own.groups).unwrap_or_default(),
        connections: own.connections,
        demo,
        arguments,
        case,
        ..Start::default()
    };
    let complaints = findings.iter().map(Finding::site_words).collect();
    let (reason, _) = open_screen(global, workspace, start, complaints)?;
    Ok(match reason {
        ExitReason::Left => Ending::Done,
        ExitReason::Told => Ending::Interrupted,
    })
}

/// The workspace of a window that is started without one: a launcher starts it in the home folder, of
/// which nothing is to be read or written.
fn find_window_workspace(global: &Global) -> Result<Workspace, Problem> {
    // Windows has two spellings of a path.
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let here = real(env::current_dir().unwrap_or_default());
    let home = home_folder().map(real);
    let Some(folder) = home.and_then(|home| launcher_folder(&here, &home)) else {
        return global.find_workspace(None);
    };
    let made = fs::create_dir_all(&folder);
    made.map_err(|error| io_problem(&format!("making the folder {}", folder.display()), &error))?;
    Workspace::named(&folder)
}

/// A case calls the tools of its workspace: where one is opened, all of that is, and the case within
/// it is answered.
fn take_case(workspace: &mut Workspace) -> Option<FileId> {
    let file = workspace.only.clone()?;
    let path = workspace.root.join(file.as_str());
    let is_in_folder = path.parent().is_some_and(|folder| folder.ends_with(FOLDER));
    let source = || Source::of_file(&path, files::read_text(&path).ok()?.text).ok();
    let is_case = |source: Source| {
        let value = source.value(0).filter(|_| source.sections(0).is_none());
        value.is_some_and(|value| Case::is_one(value) || AskCase::is_one(value))
    };
    if !is_in_folder && !source().is_some_and(is_case) {
        return None;
    }
    let (whole, file) = workspace.around(&file)?;
    *workspace = whole;
    Some(file)
}
