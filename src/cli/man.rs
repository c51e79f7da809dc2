//! `toolcrib man`: the manual pages.

use clap::{Args, Command};
use clap_mangen::Man;

use super::{
    ending::{CommandResult, Ending},
    out::CommandOutput,
};
use crate::model::problem::{Problem, ProblemKind};

/// The day of the newest release, as the CHANGELOG has it: pages name it at their foot.
const RELEASED: &str = "2026-11-26";

#[derive(Args, Debug)]
pub(crate) struct ManPage {
    /// The page of one command, or of a command of it (history show); by default the page of
    /// toolcrib itself
    command: Vec<String>,
}

impl ManPage {
    pub fn run(&self, mut command: Command, out: &mut CommandOutput) -> CommandResult {
        // Options that every command takes are on every page.
        command.build();
        let mut wanted = command;
        for word in &self.command {
            wanted = find_command(&wanted, word)?;
        }
        let mut page = Vec::new();
        let source = concat!("toolcrib ", env!("CARGO_PKG_VERSION"));
        let manual = Man::new(wanted).date(RELEASED).source(source).manual("toolcrib");
        manual.render(&mut page)?;
        out.print_raw(&String::from_utf8_lossy(&page))?;
        Ok(Ending::Done)
    }
}

fn find_command(command: &Command, word: &str) -> Result<Command, Problem> {
    command.find_subcommand(word).cloned().ok_or_else(|| {
        let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        let cause = format!("there is no command \"{word}\"");
        let problem = Problem::new(ProblemKind::Missing, "opening the page", cause);
        match names.is_empty() {
            true => problem.with_remedy(format!("{} has no commands", command.get_name())),
            false => problem.with_remedy(format!("there are {}", names.join(", "))),
        }
    })
}
