//! `toolcrib mcp remove`: takes a server out of `toolcrib.toml`.

use std::fs;

use clap::Args;

use super::target::InspectedServer;
use crate::{
    app::compose::{connections::remove_connection, context::ComposeContext},
    cli::{
        deployed::{save_file, to_documents},
        ending::{CommandResult, Ending},
        global::Global,
        opened::OpenWorkspace,
        out::CommandOutput,
    },
    model::problem::{Problem, ProblemKind},
    store::consents::Consents,
    wire::registry::permissions_of,
};

#[derive(Args, Debug)]
pub(super) struct Remove {
    /// The connection, by its name in toolcrib.toml
    name: String,
}

impl Remove {
    pub fn run(&self, global: &Global, out: &CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_workspace(global, None)?;
        let name = &self.name;
        let looked = InspectedServer::named(name, &opened)?;
        let refused = |kind: ProblemKind, cause: String| {
            Problem::new(kind, format!("removing \"{name}\""), cause)
        };
        let documents = to_documents(&opened);
        let context = ComposeContext { catalog: &opened.catalog, documents: &documents };
        let plan =
            remove_connection(context, name).map_err(|cause| refused(ProblemKind::Input, cause))?;
        let files = plan
            .file_plans(&documents)
            .map_err(|error| refused(ProblemKind::File, error.to_string()))?;
        for file in &files {
            save_file(&opened, file)?;
            out.print_status(format_args!("removed connection \"{name}\" from {}", file.file));
        }
        plan.notes.iter().for_each(|note| out.print_status(note));
        // The same command asks again when somebody adds it.
        for permission in permissions_of(&looked.connection) {
            Consents::of_user()?.take_back(&permission)?;
        }
        let kept = looked.keeper.path(name);
        if fs::exists(opened.workspace.root.join(&kept)).unwrap_or_default() {
            out.print_status(format_args!(
                "its saved tool list is still in {}; delete that file to remove its tools",
                out.safe_text(&kept)
            ));
        }
        Ok(Ending::Done)
    }
}
