//! The program with one system more than it has: what a system takes that is kept elsewhere.
//! `tests/all/echo.rs` runs it.

use std::process::ExitCode;

use toolcrib::{
    cli,
    systems::{system::System, table::SYSTEMS},
    wire::{
        systems::{live::LiveSystem, table::LIVE_SYSTEMS},
        tls,
    },
};

#[path = "wire/echo.rs"]
mod live;
#[path = "systems/echo.rs"]
mod pure;

/// The two rows.
const ECHO: &dyn System = &pure::Echo;
const LIVE_ECHO: &dyn LiveSystem = &live::LiveEcho;

fn main() -> ExitCode {
    tls::install_provider();
    cli::run_command(
        [SYSTEMS, &[ECHO]].concat().leak(),
        [LIVE_SYSTEMS, &[LIVE_ECHO]].concat().leak(),
    )
}
