//! Options that every command takes.

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, ValueEnum};

use crate::{
    model::{context::Mode, problem::Problem},
    store::workspace::Workspace,
};

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Global {
    /// The workspace's folder; by default the nearest parent folder with toolcrib.toml, or the
    /// current folder
    #[arg(short, long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub workspace: Option<PathBuf>,

    /// The connection to use: its name in toolcrib.toml, or an address such as
    /// nats://127.0.0.1:4222
    #[arg(long, global = true, value_name = "NAME|URL", help_heading = "Everywhere")]
    pub connection: Option<String>,

    /// Which rules apply: the document's, or those of TrustGraph 2.x as deployed; by default as in
    /// toolcrib.toml
    #[arg(long, global = true, value_enum, help_heading = "Everywhere")]
    pub mode: Option<ModeWord>,

    /// Start the servers of connections even if `toolcrib allow` hasn't allowed them; for this
    /// command only
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub allow_start: bool,

    /// Send the secrets of connections to other machines even if `toolcrib allow` hasn't allowed
    /// it; for this command only
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub allow_secrets: bool,

    /// Use lines of text and questions in place of a drawn screen, for screen readers and scripts;
    /// TOOLCRIB_PLAIN=1 does the same (see `toolcrib help plain`)
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub plain: bool,

    /// Draw the screen with ASCII alone, for terminals and fonts without lines and other signs;
    /// `ascii = true` in config.toml does the same
    #[arg(long, global = true, conflicts_with = "plain", help_heading = "Everywhere")]
    pub ascii: bool,

    /// Open in a window of its own, without a terminal (see `toolcrib help window`)
    #[arg(long, global = true, conflicts_with = "plain", hide = !cfg!(feature = "window"), help_heading = "Everywhere")]
    pub window: bool,

    /// Send a notification when the command ends; in the workbench, switch notifications on (see
    /// `toolcrib help files`)
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub notify: bool,

    /// Print JSON, for scripts
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,

    /// Print only data and errors
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub quiet: bool,

    /// Print more on stderr
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Everywhere")]
    pub verbose: u8,
}

impl Global {
    /// The workspace of a path, else the one that `--workspace` names, else that of the current
    /// folder.
    ///
    /// # Errors
    /// When there is no such path.
    pub fn find_workspace(&self, path: Option<&Path>) -> Result<Workspace, Problem> {
        match (path, &self.workspace) {
            (None, Some(named)) => Workspace::named(named),
            (path, _) => Workspace::find(path),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeWord {
    Document,
    AsDeployed,
}

impl From<Mode> for ModeWord {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Document => Self::Document,
            Mode::AsDeployed => Self::AsDeployed,
        }
    }
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Self {
        match word {
            ModeWord::Document => Self::Document,
            ModeWord::AsDeployed => Self::AsDeployed,
        }
    }
}
