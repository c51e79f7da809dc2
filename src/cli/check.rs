//! `toolcrib check`: everything that is wrong in a workspace's files; with `--connection` also what
//! shows only where it leads.

use std::path::PathBuf;

use clap::Args;

use super::{
    deployed, documents,
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    report::{self, Format, Report},
};
use crate::{
    engine::conformance,
    model::{connections::Listeners, entry::FileId, finding::Finding, problem::Problem},
    store::schema_map::SchemaMap,
    systems::findings,
};

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Show only the findings of this folder or file
    #[arg(conflicts_with = "workspace")]
    path: Option<PathBuf>,

    /// The format of the findings
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,

    /// Read the schema of this URL from a file, and check the documents that name it; a URL that
    /// ends with / maps a folder. Can be repeated; the table "schemas" in toolcrib.toml does the
    /// same
    #[arg(long, value_name = "URL=FILE")]
    map: Vec<String>,
}

impl Check {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_workspace(global, self.path.as_deref())?;
        let mut found = findings_of(&opened);
        found.extend(findings_there(&opened, global, out)?);
        let map = self.schema_map(&opened)?;
        found.extend(documents::check_documents(&opened, &map, out));
        found.sort_by_key(sort_key);
        let all = || opened.files.iter().map(|file| file.file.clone()).collect();
        let files: Vec<FileId> = opened.asked.clone().map_or_else(all, |asked| vec![asked]);
        let report = Report {
            command: "toolcrib check",
            files: &files,
            findings: &found,
            shown: &|file| opened.display_path(file),
        };
        report::write_report(&report, if global.json { Format::Json } else { self.format }, out)?;
        opened.skipped.iter().for_each(|words| out.warn(words));
        let unchecked = found
            .iter()
            .any(|finding| [conformance::FLAW, conformance::NOT_CHECKED].contains(&finding.code));
        Ok(match report::has_errors(&report) {
            true => Ending::Found,
            false if unchecked => Ending::Unchecked,
            false => Ending::Done,
        })
    }

    /// What the command line maps, then what the workspace does.
    fn schema_map(&self, opened: &OpenWorkspace) -> Result<SchemaMap, Problem> {
        let mut map = SchemaMap::from_pairs(&self.map)?;
        for (url, file) in &opened.settings.schemas {
            map.push(url, opened.workspace.root.join(file));
        }
        Ok(map)
    }
}

/// What is wrong in the settings, the texts and the entries, by file and place.
fn findings_of(opened: &OpenWorkspace) -> Vec<Finding> {
    let mut found = findings::catalog_findings(&opened.catalog, |file| opened.source(file));
    for file in &opened.files {
        found.extend(findings::of_text(&opened.catalog, &file.file, file.source.as_ref()));
    }
    found.retain(|finding| opened.asked.as_ref().is_none_or(|asked| finding.site.file == *asked));
    found.sort_by_key(sort_key);
    found
}

fn sort_key(finding: &Finding) -> (FileId, usize, usize) {
    (finding.site.file.clone(), finding.site.line, finding.site.column)
}

/// What is wrong where calls go; only a connection that is named here is connected to, for the
/// tools whose calls nobody gets.
fn findings_there(
    opened: &OpenWorkspace,
    global: &Global,
    out: &CommandOutput,
) -> Result<Vec<Finding>, StopReason> {
    let mut listeners = Listeners::new();
    if global.connection.is_some() {
        let connection = opened.current_connection();
        match deployed::read_listeners(&connection)? {
            Some(found) => drop(listeners.insert(connection.name, found.into())),
            None => out.warn(format_args!(
                "connection \"{}\" can't show which services listen for which tools",
                connection.name
            )),
        }
    }
    let mut found = findings::connection_findings(
        &opened.catalog,
        &opened.settings.connections,
        &listeners,
        |file| opened.source(file),
    );
    found.retain(|finding| opened.asked.as_ref().is_none_or(|asked| finding.site.file == *asked));
    Ok(found)
}
