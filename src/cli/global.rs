//! Options that every command takes.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::model::context::Mode;

#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// The workspace; else the nearest folder upward with toolcrib.toml, else the current one
    #[arg(short, long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub workspace: Option<PathBuf>,

    /// The connection for calls: its name in toolcrib.toml, or an address such as
    /// nats://127.0.0.1:4222
    #[arg(long, global = true, value_name = "NAME|URL", help_heading = "Everywhere")]
    pub connection: Option<String>,

    /// Whose rules count: the document's, or those of TrustGraph 2.x as it runs; else as in
    /// toolcrib.toml
    #[arg(long, global = true, value_enum, help_heading = "Everywhere")]
    pub mode: Option<ModeWord>,

    /// Start the servers that connections name, for this once also those that were not allowed with
    /// `toolcrib mcp allow`
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub allow_start: bool,

    /// Answer in JSON, for scripts
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,

    /// Only data and errors
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub quiet: bool,

    /// More words on stderr
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Everywhere")]
    pub verbose: u8,
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
