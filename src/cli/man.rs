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
    /// The page of one command; by default the page of toolcrib itself
    command: Option<String>,
}

impl ManPage {
    pub fn run(&self, mut command: Command, out: &mut CommandOutput) -> CommandResult {
        // Options that every command takes are on every page.
        command.build();
        let wanted = match &self.command {
            None => command,
            Some(word) => command.find_subcommand(word).cloned().ok_or_else(|| {
                let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
                Problem::new(
                    ProblemKind::Missing,
                    "opening the page",
                    format!("there is no command \"{word}\""),
                )
                .with_remedy(format!("there are {}", names.join(", ")))
            })?,
        };
        let mut page = Vec::new();
        let source = concat!("toolcrib ", env!("CARGO_PKG_VERSION"));
        let manual = Man::new(wanted).date(RELEASED).source(source).manual("toolcrib");
        manual.render(&mut page)?;
        out.print_raw(&String::from_utf8_lossy(&page))?;
        Ok(Ending::Done)
    }
}
