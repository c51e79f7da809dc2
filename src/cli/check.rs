//! `toolcrib check`: everything that is wrong in a workspace's files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    ending::{Ended, Ending},
    global::Global,
    opened::Opened,
    out::Out,
    report::{self, Report},
};
use crate::{
    model::finding::{Finding, Severity},
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
        let found = findings_of(&opened);
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
        found.extend(findings::of_text(&file.file, file.source.as_ref()));
    }
    // A settings file that cannot be read at all is among the texts already.
    found.extend(opened.settings_findings.iter().filter(|finding| !finding.code.starts_with("syntax.")).cloned());
    found.retain(|finding| opened.asked.as_ref().is_none_or(|asked| finding.site.file == *asked));
    let place = |finding: &Finding| (finding.site.file.clone(), finding.site.line, finding.site.column);
    found.sort_by_key(place);
    found
}
