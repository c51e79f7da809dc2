//! Groups and states of tools that were converted, for systems whose entries have none: in
//! `toolcrib.toml`.

use std::path::{Path, PathBuf};

use crate::{
    app::compose::{context::ComposeContext, plan::Plan},
    cli::{
        deployed::{save_file, to_documents},
        global::Global,
        opened::OpenWorkspace,
        out::CommandOutput,
    },
    model::{
        problem::{Problem, ProblemKind},
        tool::{Gate, Tool},
    },
    systems::facets::portable::KeyedTool,
};

/// Writes the gates of tools that are in these files now, if these are in the workspace.
///
/// # Errors
/// When the settings can't be written.
pub(super) fn write_gates(
    tools: &[KeyedTool],
    written: &[PathBuf],
    global: &Global,
    out: &CommandOutput,
) -> Result<(), Problem> {
    let gated: Vec<&KeyedTool> = tools.iter().filter(|one| one.tool.is_gated()).collect();
    if gated.is_empty() {
        return Ok(());
    }
    let opened = OpenWorkspace::read_workspace(global, None)?;
    let is_written = |tool: &Tool| {
        let path = opened.workspace.file_path(tool.entry.id.file());
        written.iter().any(|file| is_same(file, &path))
    };
    let written: Vec<&Tool> = opened
        .catalog
        .tools
        .iter()
        .map(AsRef::as_ref)
        .filter(|tool: &&Tool| tool.gate_table.is_some() && is_written(tool))
        .collect();
    let find = |one: &KeyedTool| -> Option<(&Tool, Gate)> {
        let named = written.iter().find(|tool| tool.name == one.tool.name);
        let tool = named.or_else(|| written.iter().find(|tool| tool.entry.key == one.key))?;
        Some((tool, one.tool.gate()))
    };
    let found: Vec<(&Tool, Gate)> = gated.into_iter().filter_map(find).collect();
    if found.is_empty() {
        return Ok(());
    }
    let documents = to_documents(&opened);
    let context = ComposeContext { catalog: &opened.catalog, documents: &documents };
    let changes = context.regate_changes(found.iter().map(|(tool, gate)| (*tool, gate)));
    let plan = Plan { label: "groups and states".to_owned(), changes, ..Plan::default() };
    let refused =
        |cause: String| Problem::new(ProblemKind::File, "writing groups and states", cause);
    for file in plan.file_plans(&documents).map_err(|error| refused(error.to_string()))? {
        save_file(&opened, &file)?;
        let names: Vec<&str> = found.iter().map(|(tool, _)| tool.name.as_str()).collect();
        out.print_status(format_args!(
            "wrote groups and states of {} to {}",
            names.join(", "),
            file.file
        ));
    }
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
