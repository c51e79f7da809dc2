//! The command line: one file per command, no logic of its own.
//!
//! Data goes to stdout, words to stderr. [`out`] writes both, [`ending`] says how it ends,
//! [`opened`] reads the workspace, [`request`] the context that is asked about; [`global`] are the
//! options that every command takes.

use std::{
    borrow::Cow,
    env,
    ffi::OsStr,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};

mod agent;
mod allow;
mod answering;
mod arguments;
mod ask;
mod ask_cases;
mod batch;
mod call;
mod call_events;
mod call_preview;
mod cards;
mod cases;
mod changes;
mod check;
mod check_files;
mod check_fix;
mod columns;
mod completions;
mod configured;
mod convert;
mod data_files;
mod demo;
mod deployed;
mod diff;
mod discover;
mod doctor;
mod drift;
mod ending;
mod escaped_json;
mod examples;
mod form;
mod form_check;
mod global;
mod graph;
mod groups;
mod help;
mod help_page;
mod history;
mod import;
mod lock;
mod man;
mod mcp;
mod merge;
mod mock_options;
mod notify;
mod opened;
mod out;
mod plain;
mod push;
mod query;
mod report;
mod report_paths;
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
mod strays;
mod stubs;
mod taking;
mod test;
mod test_result;
mod test_update;
mod tool_files;
mod tools;
mod variable_options;
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
    runtime::{open_files, registry, terminal},
    systems::{self, system::System},
    wire::systems::{live::LiveSystem, table as live},
};

const AFTER: &str = "\
Data goes to stdout, messages go to stderr. Exit codes: 0 done, 1 found problems, 2 wrong usage, 3 couldn't connect, 4 timed out, 5 saved as a draft, 6 not fully checked, 130 interrupted.";

/// A workbench in the terminal for people who make tools for LLM agents
#[derive(Parser, Debug)]
#[command(name = "toolcrib", version, after_help = AFTER, subcommand_help_heading = "Commands", subcommand_value_name = "COMMAND", max_term_width = 100)]
struct CommandLine {
    /// The folder or file to open in the workbench; by default the current folder
    path: Option<PathBuf>,

    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Open the demo, with services that answer, or another sample
    Demo(demo::Demo),
    /// List everything that is wrong in the files
    Check(check::Check),
    /// List the tools that a request gets, and why the others are hidden
    Tools(tools::Tools),
    /// List the groups, their tools, and which are requested
    Groups(groups::Groups),
    /// List the states, their tools, and how to get there
    States(states::States),
    /// Run scenarios and list where they differ from what they expect
    Simulate(simulate::Simulate),
    /// Print the workflow as text, DOT, Mermaid, SVG or JSON
    Graph(graph::Graph),
    /// Call a tool and stream its answer
    Call(Box<call::Call>),
    /// Show the arguments a tool receives, and where each value comes from
    Merge(merge::Merge),
    /// Repeat saved calls and list where the answers differ from what is expected
    Test(test::Test),
    /// List past calls; show, compare, replay, export or remove them
    History(history::History),
    /// Answer calls with samples, stubs or mocks, or offer tools to MCP clients, until Ctrl+C
    Serve(serve::Serve),
    /// Ask a model with the workspace's tools, and decide each call that it wants
    Ask(ask::Ask),
    /// Ask TrustGraph's agent and show its steps as they arrive
    Agent(agent::Agent),
    /// Write the tools of a running system to files, or add MCP servers of other programs
    Import(import::Import),
    /// Convert tools to another system or format, and say what is carried, lost and assumed
    Convert(convert::Convert),
    /// List what changed between the tools of two files, folders or versions of a document
    Diff(diff::Diff),
    /// Send the workspace's tools to a running system, after showing what changes
    Push(push::Push),
    /// Record the tools of connected systems as they are now, in toolcrib.lock
    Lock(lock::LockCommand),
    /// List what has changed since toolcrib.lock was written; exits with 1 if anything has
    Drift(drift::Drift),
    /// List services that announce themselves and servers of registries, and add them
    Discover(discover::Discover),
    /// Follow the messages on a bus: requests and answers, agent steps, errors
    Watch(watch::Watch),
    /// Inspect and test MCP servers, and add them to the workspace
    Mcp(mcp::Mcp),
    /// Edit a JSON, YAML or TOML document in a form made from its JSON Schema
    Form(form::Form),
    /// Print the JSON Schema of a descriptor's form
    Schema(schema::Schema),
    /// Allow a connection to start its server, or to send its secrets to other machines
    Allow(allow::Allow),
    /// Save the secrets of connections in the system's key store
    Secret(secret::Secret),
    /// Check this machine: folders, the key store, and the secrets and files that connections are missing
    Doctor(doctor::Doctor),
    /// Print completions for a shell
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
    terminal::guard_panics();
    if let Err(problem) = open_files::ensure_open_files() {
        return report_ending(Err(problem.into())).exit_code().into();
    }
    systems::table::install(systems);
    live::install_systems(live);
    if let Some(words) = help::asked_words(env::args_os().skip(1)) {
        let mut out = CommandOutput::new(&Global::default());
        let shown = help::show_help(&words, command_line(), &mut out);
        return end_command(shown, &mut out).exit_code().into();
    }
    // Examples are in help alone, which clap has for a refusal.
    let read =
        CommandLine::command().try_get_matches().or_else(|_| command_line().try_get_matches());
    let parsed = read.and_then(|matches| {
        let name = matches.subcommand_name().map(str::to_owned);
        Ok((CommandLine::from_arg_matches(&matches)?, name))
    });
    let (line, name) = match parsed {
        Ok(line) => line,
        Err(refused) => {
            // "cal joke": clap takes the first word for a path, and complains of the second.
            let first =
                env::args_os().skip(1).find(|word| !word.to_string_lossy().starts_with('-'));
            let first = first.as_deref().map(Path::new);
            let mistyped = match refused.kind() {
                ErrorKind::UnknownArgument => first.and_then(mistyped_command),
                // "init --help" asks for the help of a command, which the path is not.
                ErrorKind::DisplayHelp => unknown_command(env::args_os().nth(1).as_deref()),
                _ => None,
            };
            let ended = match mistyped {
                Some(problem) => Err(problem.into()),
                None => print_clap_error(&refused),
            };
            return report_ending(ended).exit_code().into();
        }
    };
    let began = Instant::now();
    if line.global.allow_start {
        registry::allow_all_starts();
    }
    if line.global.allow_secrets {
        registry::allow_all_secrets();
    }
    let mut out = CommandOutput::new(&line.global);
    let ended = dispatch_command(&line, &mut out);
    let ending = end_command(ended, &mut out);
    // What opens a screen sends its own.
    let opens_screen = matches!(line.command, None | Some(Command::Demo(_) | Command::Form(_)));
    if let Some(name) = name.filter(|_| line.global.notify && !opens_screen) {
        notify::notify_end(&name, ending, began.elapsed());
    }
    ending.exit_code().into()
}

/// The command line with all commands, their help and examples.
fn command_line() -> clap::Command {
    examples::with_examples(CommandLine::command())
}

/// Writes what is left to write, and reports how the command ended.
fn end_command(ended: CommandResult, out: &mut CommandOutput) -> Ending {
    // What was written before a problem belongs before it; of two problems the first counts.
    let ended = match (ended, out.flush().map_err(StopReason::from)) {
        (Ok(_), Err(StopReason::Met(problem))) => Err(StopReason::Met(problem)),
        (ended, _) => ended,
    };
    report_ending(ended)
}

/// Prints help or what is wrong with the command line; clap knows which goes where. What was typed
/// may hold anything.
fn print_clap_error(refused: &clap::Error) -> CommandResult {
    let words = refused.render().to_string();
    let is_harmless = |text: &str| matches!(shown::visible_text(text), Cow::Borrowed(_));
    // The words without colours are without those of what was typed, too.
    let typed_harmless = env::args_os().all(|word| is_harmless(&word.to_string_lossy()));
    if !typed_harmless || !words.lines().all(is_harmless) {
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

/// How a command ended; a problem is reported on stderr.
fn report_ending(ended: CommandResult) -> Ending {
    ended.unwrap_or_else(|halt| match halt {
        StopReason::Unread => Ending::Done,
        StopReason::Interrupted => Ending::Interrupted,
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
        Some(Command::Ask(ask)) => ask.run(global, out),
        Some(Command::Agent(agent)) => agent.run(global, out),
        Some(Command::Convert(convert)) => convert.run(global, out),
        Some(Command::Diff(diff)) => diff.run(global, out),
        Some(Command::Import(import)) => import.run(global, out),
        Some(Command::Push(push)) => push.run(global, out),
        Some(Command::Lock(lock)) => lock.run(global, out),
        Some(Command::Drift(drift)) => drift.run(global, out),
        Some(Command::Discover(discover)) => discover.run(global, out),
        Some(Command::Watch(watch)) => watch.run(global, out),
        Some(Command::Mcp(mcp)) => mcp.run(global, out),
        Some(Command::Form(form)) => form.run(global, out),
        Some(Command::Schema(schema)) => schema.run(global, out),
        Some(Command::Allow(allow)) => allow.run(global, out),
        Some(Command::Secret(secret)) => secret.run(global, out),
        Some(Command::Doctor(doctor)) => doctor.run(global, out),
        Some(Command::Completions(completions)) => completions.run(command_line(), out),
        Some(Command::Man(page)) => page.run(command_line(), out),
        None => match line.path.as_deref().and_then(mistyped_command) {
            None => workbench::run_workbench(global, line.path.as_deref(), Purpose::Work),
            Some(problem) => Err(problem.into()),
        },
    }
}

/// A word in the place of a command that is neither that nor a path.
fn unknown_command(word: Option<&OsStr>) -> Option<Problem> {
    let word = word?.to_str().filter(|word| !word.starts_with('-') && !Path::new(word).exists())?;
    if command_line().find_subcommand(word).is_some() {
        return None;
    }
    let cause = format!("there is no such file or folder, and no command \"{word}\"");
    let other = Problem::new(ProblemKind::Missing, format!("opening {word}"), cause)
        .with_remedy("`toolcrib --help` lists the commands");
    Some(mistyped_command(Path::new(word)).unwrap_or(other))
}

/// A path that does not exist, and looks like a command.
fn mistyped_command(path: &Path) -> Option<Problem> {
    let word = path.to_str().filter(|_| !path.exists())?;
    let command = command_line();
    let near = similar::nearest_name(word, command.get_subcommands().map(clap::Command::get_name))?;
    let cause = format!("there is no such file or folder, and no command \"{word}\"");
    Some(
        Problem::new(ProblemKind::Missing, format!("opening {word}"), cause)
            .with_remedy(format!("did you mean `toolcrib {near}`?")),
    )
}
