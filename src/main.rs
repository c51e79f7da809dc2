//! Hands over to the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolcrib::wire::tls::install();
    toolcrib::cli::run()
}
