//! The command line: one file per command, no logic of its own.
//!
//! Data goes to stdout, words to stderr. [`out`] writes both, [`ending`] says how it ends,
//! [`opened`] reads the workspace, [`request`] the context that is asked about; [`global`] are the
//! options that every command takes.

use std::{
    borrow::Cow,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{CommandFactory as _, Parser, Subcommand};

mod agent;
mod answering;
mod arguments;
mod batch;
mod call;
mod cards;
mod cases;
mod check;
mod columns;
mod completions;
mod configured;
mod convert;
mod data_files;
mod demo;
mod deployed;
mod doctor;
mod documents;
mod ending;
mod escaped_json;
mod form;
mod form_check;
mod global;
mod graph;
mod groups;
mod history;
mod import;
mod man;
mod mcp;
mod merge;
mod mock_options;
mod opened;
mod out;
mod push;
mod report;
mod request;
mod saving;
mod scenarios;
mod schema;
mod screen;
mod secret;
mod serve;
mod signals;
mod simulate;
mod stand_in;
mod states;
mod step_options;
mod stubs;
mod taking;
mod test;
mod tools;
mod watch;
mod workbench;
mod wrap;

use ending::{CommandResult, Ending, StopReason};
use global::Global;
use out::CommandOutput;
use workbench::Purpose;

use crate::{
    engine::workflow::similar,
    model::{
        problem::{Problem, ProblemKind},
        shown,
    },
    runtime::registry,
    systems::{self, system::System},
    wire::systems::{live::LiveSystem, table as live},
};

const AFTER: &str = "\
Data goes to stdout, words to stderr. Exit codes: 0 done, 1 found problems, 2 wrong usage, 3 could not reach, 4 timed out, 5 kept as a draft, 6 not fully checked, 130 interrupted.";

/// A workbench in the terminal for people who make tools for LLM agents
#[derive(Parser, Debug)]
#[command(name = "toolcrib", version, after_help = AFTER, subcommand_help_heading = "Without a screen", subcommand_value_name = "COMMAND", max_term_width = 100)]
struct CommandLine {
    /// The folder or file to open in the workbench; without it, the current folder
    path: Option<PathBuf>,

    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Open the demo or another sample in the workbench, with services that answer
    Demo(demo::Demo),
    /// List everything that is wrong in the files
    Check(check::Check),
    /// List the tools that a request gets, and why it does not get the others
    Tools(tools::Tools),
    /// List the groups, what each holds, and which are asked for
    Groups(groups::Groups),
    /// List the states, what each offers, and how to get there
    States(states::States),
    /// Run scenarios and say where they differ from what they expect
    Simulate(simulate::Simulate),
    /// Draw the workflow that tools, groups and states make
    Graph(graph::Graph),
    /// Call a tool and stream its answer
    Call(call::Call),
    /// Show the arguments a tool receives, and where each value comes from
    Merge(merge::Merge),
    /// Make the calls of saved cases and say where the answers differ from what they expect
    Test(test::Test),
    /// List the calls that were made; show, compare, replay, export or remove them
    History(history::History),
    /// Answer for tools by samples or stubs, or offer them to MCP clients, until Ctrl-C
    Serve(serve::Serve),
    /// Ask TrustGraph's agent and show its steps as they arrive
    Agent(agent::Agent),
    /// Take the tools of a running system into files, and MCP servers from other programs
    Import(import::Import),
    /// Put tools and agents into another shape, also pasted ones
    Convert(convert::Convert),
    /// Send the tools to a running system, after showing what changes there
    Push(push::Push),
    /// Follow what passes on a bus: requests and answers, agent steps, errors
    Watch(watch::Watch),
    /// Look at MCP servers: what they have, every frame; put them into the workspace
    Mcp(mcp::Mcp),
    /// Edit a JSON, YAML or TOML document in a form made from its JSON Schema
    Form(form::Form),
    /// Print the JSON Schema that a descriptor's form is made from
    Schema(schema::Schema),
    /// Keep secrets of connections in the system's key store
    Secret(secret::Secret),
    /// Show what is found here, and what connections lack
    Doctor(doctor::Doctor),
    /// Print what a shell needs to complete this command line
    Completions(completions::Completions),
    /// Print a manual page
    Man(man::ManPage),
}

/// Runs the command that the process was started with, in a program that has these systems.
#[must_use]
pub fn run_command(
    systems: &'static [&'static dyn System],
    live: &'static [&'static dyn LiveSystem],
) -> ExitCode {
    systems::table::install(systems);
    live::install_systems(live);
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(refused) => return report_ending(print_clap_error(&refused)).exit_code().into(),
    };
    if line.global.allow_start {
        registry::allow_all_starts();
    }
    let mut out = CommandOutput::new(&line.global);
    let ended = dispatch_command(&line, &mut out);
    // What was written before a problem belongs before it; of two problems the first counts.
    let ended = match (ended, out.flush().map_err(StopReason::from)) {
        (Ok(_), Err(StopReason::Met(problem))) => Err(StopReason::Met(problem)),
        (ended, _) => ended,
    };
    report_ending(ended).exit_code().into()
}

/// Prints help or what is wrong with the command line; clap knows which goes where. What was typed
/// may hold anything.
fn print_clap_error(refused: &clap::Error) -> CommandResult {
    let words = refused.render().to_string();
    if !words.lines().all(|line| matches!(shown::visible_text(line), Cow::Borrowed(_))) {
        out::print_stderr(&words);
        return Ok(Ending::Usage);
    }
    let printed = refused.print().and_then(|()| io::stdout().flush());
    if refused.use_stderr() {
        // The exit code says it where nobody reads standard error.
        return Ok(Ending::Usage);
    }
    printed?;
    Ok(Ending::Done)
}

/// How a command ended; a problem is told on stderr.
fn report_ending(ended: CommandResult) -> Ending {
    ended.unwrap_or_else(|halt| match halt {
        StopReason::Unread => Ending::Done,
        StopReason::Met(problem) => {
            out::print_problem(&problem);
            Ending::from_problem(&problem)
        }
    })
}

fn dispatch_command(line: &CommandLine, out: &mut CommandOutput) -> CommandResult {
    let global = &line.global;
    if let (Some(path), Some(_)) = (&line.path, &line.command) {
        let problem = Problem::new(
            ProblemKind::Input,
            "reading the command line",
            format!("{} goes before the command", path.display()),
        );
        return Err(problem.with_remedy("name the workspace with --workspace").into());
    }
    match &line.command {
        Some(Command::Demo(demo)) => demo.run(global, out),
        Some(Command::Check(check)) => check.run(global, out),
        Some(Command::Tools(tools)) => tools.run(global, out),
        Some(Command::Groups(groups)) => groups.run(global, out),
        Some(Command::States(states)) => states.run(global, out),
        Some(Command::Simulate(simulate)) => simulate.run(global, out),
        Some(Command::Graph(graph)) => graph.run(global, out),
        Some(Command::Call(call)) => call.run(global, out),
        Some(Command::Merge(merge)) => merge.run(global, out),
        Some(Command::Test(test)) => test.run(global, out),
        Some(Command::History(history)) => history.run(global, out),
        Some(Command::Serve(serve)) => serve.run(global, out),
        Some(Command::Agent(agent)) => agent.run(global, out),
        Some(Command::Convert(convert)) => convert.run(out),
        Some(Command::Import(import)) => import.run(global, out),
        Some(Command::Push(push)) => push.run(global, out),
        Some(Command::Watch(watch)) => watch.run(global, out),
        Some(Command::Mcp(mcp)) => mcp.run(global, out),
        Some(Command::Form(form)) => form.run(global, out),
        Some(Command::Schema(schema)) => schema.run(global, out),
        Some(Command::Secret(secret)) => secret.run(global, out),
        Some(Command::Doctor(doctor)) => doctor.run(global, out),
        Some(Command::Completions(completions)) => completions.run(CommandLine::command(), out),
        Some(Command::Man(page)) => page.run(CommandLine::command(), out),
        None => match line.path.as_deref().and_then(mistyped_command) {
            None => workbench::run_workbench(global, line.path.as_deref(), Purpose::Work),
            Some(problem) => Err(problem.into()),
        },
    }
}

/// A path that does not exist, and looks like a command.
fn mistyped_command(path: &Path) -> Option<Problem> {
    let word = path.to_str().filter(|_| !path.exists())?;
    let command = CommandLine::command();
    let near = similar::nearest_name(word, command.get_subcommands().map(clap::Command::get_name))?;
    let cause = format!("there is no such file or folder, and no command \"{word}\"");
    Some(
        Problem::new(ProblemKind::Missing, format!("opening {word}"), cause)
            .with_remedy(format!("did you mean `toolcrib {near}`?")),
    )
}
