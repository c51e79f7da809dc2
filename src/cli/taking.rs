//! Entries of a running system taken into the workspace's files.

use clap::Args;
use serde_json::json;

use super::{
    deployed,
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
};
use crate::{
    app::compose::{
        context::ComposeContext,
        imports::{self, ConflictChoice},
    },
    model::problem::{Problem, ProblemKind},
    systems::deployed::item::Item,
};

/// How entries are taken into the workspace's files.
#[derive(Args, Debug)]
pub(super) struct Taking {
    /// Also overwrite entries that differ; by default they are kept
    #[arg(long)]
    overwrite: bool,

    /// Show what would be written, without writing it
    #[arg(long)]
    dry_run: bool,
}

impl Taking {
    pub(super) fn overwrites(&self) -> bool {
        self.overwrite
    }

    pub(super) fn is_dry(&self) -> bool {
        self.dry_run
    }

    /// Takes entries into the workspace's files, and shows what that changes.
    pub(super) fn take_items(
        &self,
        items: &[Item],
        opened: &OpenWorkspace,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let documents = deployed::to_documents(opened);
        let differing =
            if self.overwrite { ConflictChoice::Overwrite } else { ConflictChoice::Keep };
        let plan = match imports::plan_import(
            ComposeContext { catalog: &opened.catalog, documents: &documents },
            items,
            differing,
        ) {
            Ok(plan) => plan,
            Err(words) => {
                if global.json {
                    out.print_json(&json!({"files": [], "notes": [words], "written": false}))?;
                }
                out.print_status(words);
                return Ok(Ending::Done);
            }
        };
        let refused =
            |cause: String| Problem::new(ProblemKind::Input, "importing the entries", cause);
        let files = plan.file_plans(&documents).map_err(|error| refused(error.to_string()))?;
        let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
        if global.json {
            out.print_json(
                &json!({"files": names, "notes": plan.notes, "written": !self.dry_run}),
            )?;
        }
        for file in &files {
            if !global.json {
                out.print_line(out.tint(Tint::Bold, file.file.as_str()))?;
                deployed::print_diff(
                    out,
                    file.before.as_deref().unwrap_or_default(),
                    file.after.as_deref().unwrap_or_default(),
                )?;
            }
            if !self.dry_run {
                deployed::save_file(opened, file)?;
            }
        }
        plan.notes.iter().for_each(|note| out.print_status(note));
        out.print_status(if self.dry_run {
            "nothing was written (--dry-run)".to_owned()
        } else {
            format!("written: {}", names.join(", "))
        });
        Ok(Ending::Done)
    }
}
