//! Parses arguments, hands over, and ends with the exit code.

use std::{path::Path, process::ExitCode};

use toolcrib::{
    app::state::Start,
    model::{call::Limits, problem::Problem},
    runtime::launch::{self, Launch},
    store::{
        paths::Paths,
        settings::{user, workspace},
        workspace::Workspace,
    },
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            #[expect(clippy::print_stderr, reason = "the last words of the program")]
            {
                eprintln!("toolcrib: {problem}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Problem> {
    toolcrib::wire::tls::install();
    let workspace = Workspace::find(std::env::args_os().nth(1).as_deref().map(Path::new))?;
    let paths = Paths::of_user()?;
    let (own, mut findings) = workspace::load(&workspace)?;
    let (settings, more) = user::load(&paths.config_file())?;
    findings.extend(more);
    let start = Start {
        workspace: workspace.name(),
        mode: own.mode,
        context: own.context,
        profiles: own.profiles,
        connections: own.connections,
        connection: Some(own.connection),
        ..Start::default()
    };
    let complaints = findings.into_iter().map(|finding| finding.message).collect();
    launch::run(Launch { workspace, paths, settings, themes: Vec::new(), start, limits: Limits::default(), complaints }).map(drop)
}
