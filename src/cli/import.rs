//! `toolcrib import`: takes the tools of a running system into the workspace's files, and servers
//! from where other programs have them.

use std::borrow::Cow;

use clap::{Args, Subcommand};

use super::{
    configured::ImportServers,
    deployed::{self, SystemWord},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    taking::Taking,
};
use crate::{store::secrets::used_mask, systems::deployed::item::Item};

#[derive(Args, Debug)]
#[command(subcommand_negates_reqs = true)]
pub(crate) struct Import {
    #[command(subcommand)]
    from: Option<ImportSource>,

    /// The system to import from
    #[arg(value_parser = SystemWord::value_parser(), required = true)]
    system: Option<SystemWord>,

    #[command(flatten)]
    taking: Taking,
}

#[derive(Subcommand, Debug)]
enum ImportSource {
    /// List the MCP servers that other programs have configured, and add them to toolcrib.toml
    Mcp(ImportServers),
}

impl Import {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        match (&self.from, self.system) {
            (Some(ImportSource::Mcp(servers)), _) => servers.run(global, out),
            (None, Some(system)) => self.take_tools(system, global, out),
            // The command line is not read without either.
            (None, None) => Ok(Ending::Usage),
        }
    }

    fn take_tools(
        &self,
        system: SystemWord,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        let connection = system.claim_connection(opened.settings.connections.current());
        system.deployment_for(&connection)?;
        let items = deployed::read_items(&connection)?;
        self.taking.take_items(&without_secrets(items, out), &opened, global, out)
    }
}

/// The entries that can be taken: none with a secret in it that was used to get there.
fn without_secrets(items: Vec<Item>, out: &CommandOutput) -> Vec<Item> {
    let mask = used_mask();
    let (secret, harmless): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| {
        [&item.key, &item.text].iter().any(|text| matches!(mask.mask_known(text), Cow::Owned(_)))
    });
    for item in secret {
        out.warn(format_args!(
            "{} isn't imported: it holds a secret of the connection",
            mask.mask_known(&item.name())
        ));
    }
    harmless
}
