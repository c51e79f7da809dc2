//! Hands over to the command line.

use std::process::ExitCode;

use toolcrib::{
    cli,
    systems::table::SYSTEMS,
    wire::{systems::table::LIVE_SYSTEMS, tls},
};

fn main() -> ExitCode {
    tls::install_provider();
    cli::run_command(SYSTEMS, LIVE_SYSTEMS)
}
