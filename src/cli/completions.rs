//! `toolcrib completions`: what a shell needs to complete the command line.

use clap::{Args, Command};
use clap_complete::Shell;

use super::{
    ending::{CommandResult, Ending},
    out::CommandOutput,
};

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn run(&self, mut command: Command, out: &mut CommandOutput) -> CommandResult {
        let mut script = Vec::new();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        out.print_raw(&String::from_utf8_lossy(&script))?;
        Ok(Ending::Done)
    }
}
