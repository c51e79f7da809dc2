//! `toolcrib check`: everything that is wrong in a workspace's files; with `--connection` also what shows only where it leads.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    deployed,
    ending::{Ended, Ending, Halt},
    global::Global,
    opened::Opened,
    out::Out,
    report::{self, Report},
};
use crate::{
    model::{
        connections::Listeners,
        entry::FileId,
        finding::{Finding, Severity},
    },
    systems::findings,
};

#[derive(Args, Debug)]
pub struct Check {
    /// A folder of the workspace, or one file, whose findings alone are shown
    #[arg(conflicts_with = "workspace")]
    path: Option<PathBuf>,

    /// How findings are written
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// For code scanning services
    Sarif,
    /// Annotations of GitHub's workflows
    Github,
}

impl Check {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = Opened::read(global, self.path.as_deref())?;
        let mut found = findings_of(&opened);
        found.extend(findings_there(&opened, global, out)?);
        found.sort_by_key(place);
        let report = Report { opened: &opened, findings: &found };
        match if global.json { Format::Json } else { self.format } {
            Format::Human => report::human(&report, out)?,
            Format::Json => out.json(&report::json(&report))?,
            Format::Sarif => out.json(&report::sarif(&report))?,
            Format::Github => report::github(&report, out)?,
        }
        opened.skipped.iter().for_each(|words| out.warn(words));
        out.say(report::summary(&report));
        let failed = found.iter().any(|finding| finding.severity == Severity::Error);
        Ok(if failed { Ending::Found } else { Ending::Done })
    }
}

/// What is wrong in the settings, the texts and the entries, by file and place.
fn findings_of(opened: &Opened) -> Vec<Finding> {
    let mut found = findings::all(&opened.catalog, |file| opened.source(file));
    for file in &opened.files {
        found.extend(findings::of_text(&opened.catalog, &file.file, file.source.as_ref()));
    }
    found.retain(|finding| opened.asked.as_ref().is_none_or(|asked| finding.site.file == *asked));
    found.sort_by_key(place);
    found
}

fn place(finding: &Finding) -> (FileId, usize, usize) {
    (finding.site.file.clone(), finding.site.line, finding.site.column)
}

/// What is wrong where calls go; only a connection that is named here is connected to, for the tools whose calls nobody gets.
fn findings_there(opened: &Opened, global: &Global, out: &Out) -> Result<Vec<Finding>, Halt> {
    let mut listeners = Listeners::new();
    if global.connection.is_some() {
        let connection = opened.settings.connections.current();
        match deployed::listeners(&connection)? {
            Some(found) => drop(listeners.insert(connection.name, found.into())),
            None => out.warn(format_args!("connection \"{}\" does not tell who listens for which tool", connection.name)),
        }
    }
    let mut found = findings::there(&opened.catalog, &opened.settings.connections, &listeners, |file| opened.source(file));
    found.retain(|finding| opened.asked.as_ref().is_none_or(|asked| finding.site.file == *asked));
    Ok(found)
}
