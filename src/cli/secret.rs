//! `toolcrib secret`: secrets in the system's key store, which connections name.

use std::io::{self, IsTerminal as _, Read as _};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    out::CommandOutput,
};
use crate::{
    engine::mask,
    model::problem::{Problem, ProblemKind},
    runtime::hidden_line,
    store::key_store::KeyStore,
};

/// Longer than any key or address of a database; another file than the one that was meant would be.
const LONGEST: u64 = 64 * 1024;

#[derive(Args, Debug)]
pub(crate) struct Secret {
    #[command(subcommand)]
    what: SecretCommand,
}

#[derive(Subcommand, Debug)]
enum SecretCommand {
    /// Save a secret: asked for without being shown, or read from standard input
    Set {
        /// The name that connections use: password-key = "NAME", token-key = "NAME"
        name: String,
    },
    /// List the names of the secrets of toolcrib
    List,
    /// Delete secrets from the key store
    Forget {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

impl Secret {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        match &self.what {
            SecretCommand::Set { name } => set_secret(name, out),
            SecretCommand::List => list_secrets(global, out),
            SecretCommand::Forget { names } => {
                let store = KeyStore::open()?;
                for name in names {
                    store.delete_secret(name)?;
                    out.print_status(format_args!("deleted \"{name}\""));
                }
                Ok(Ending::Done)
            }
        }
    }
}

fn set_secret(name: &str, out: &CommandOutput) -> CommandResult {
    let refused = |cause: &str| {
        Problem::new(ProblemKind::Input, format!("saving the secret \"{name}\""), cause)
    };
    if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
        let remedy = "choose a short name: toolcrib secret set bus-password";
        return Err(refused("its name is empty, or starts or ends with a space")
            .with_remedy(remedy)
            .into());
    }
    // Before the user types: there may be no key store.
    let store = KeyStore::open()?;
    let Some(secret) = read_secret(name)? else { return Ok(Ending::Interrupted) };
    if secret.is_empty() {
        return Err(refused("no value given").with_remedy("type it, or pipe it in").into());
    }
    store.save_secret(name, &secret)?;
    out.print_status(format_args!(
        "saved \"{name}\"; a connection uses it with password-key = \
        \"{name}\" or token-key = \"{name}\""
    ));
    if secret.len() < mask::SHORTEST {
        out.warn(format_args!(
            "it is shorter than {} letters, so it is not masked inside longer texts",
            mask::SHORTEST
        ));
    }
    Ok(Ending::Done)
}

/// What the user typed, or standard input without its last line end; `None`: the user broke off.
fn read_secret(name: &str) -> Result<Option<String>, Problem> {
    let unread = |error: io::Error| {
        Problem::new(ProblemKind::Input, "reading the secret", error.to_string())
    };
    if io::stdin().is_terminal() {
        return hidden_line::read_hidden_line(&format!("{name} (hidden):")).map_err(unread);
    }
    let mut text = String::new();
    let read = io::stdin().take(LONGEST + 1).read_to_string(&mut text).map_err(unread)?;
    if read as u64 > LONGEST {
        let cause = format!("standard input is longer than {} KiB", LONGEST / 1024);
        return Err(Problem::new(ProblemKind::Input, "reading the secret", cause)
            .with_remedy("pipe in only the secret"));
    }
    let line = text
        .strip_suffix('\n')
        .map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    Ok(Some(line.to_owned()))
}

fn list_secrets(global: &Global, out: &mut CommandOutput) -> CommandResult {
    let names = KeyStore::open()?.secret_names()?;
    if global.json {
        out.print_json(&json!(names))?;
        return Ok(Ending::Done);
    }
    for name in &names {
        let name = out.safe_text(name).into_owned();
        out.print_line(name)?;
    }
    if names.is_empty() {
        out.print_status("no secrets of toolcrib; toolcrib secret set NAME saves one");
    }
    Ok(Ending::Done)
}
