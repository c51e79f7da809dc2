//! `toolcrib diff`: what changed between the tools of two files, two folders, or two versions of a
//! document.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::{
    changes::{ChangeSite, FailOn, change_finding, change_json, print_change},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    report::{self, Format, Report},
    tool_files::{STDIN, is_empty_list, pack_value, read_text, read_value, refused},
};
use crate::{
    model::{
        catalog::Catalog,
        context::Mode,
        entry::FileId,
        finding::Finding,
        problem::{Problem, ProblemKind},
    },
    syntax::source::{Format as FileFormat, Source},
    systems::{
        comparison::{Side, SideChange, SideTool, compare_sides},
        facets::kept_tools::{ToolChange, count_words},
        read,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// The tools as they were: an OpenAPI document, a list of functions, a file of a system, a
    /// folder; or - for standard input
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The tools as they are
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Exit with 1 only for changes that are at least as severe
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Compatible)]
    fail_on: FailOn,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,
}

impl Diff {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if [&self.old, &self.new].iter().all(|path| is_stdin(path)) {
            let cause = "standard input can only be one of the two";
            return Err(Problem::new(ProblemKind::Input, "comparing tools", cause)
                .with_remedy("name a file or a folder for the other")
                .into());
        }
        let old = ReadSide::read(&self.old, &self.new, global, out)?;
        let new = ReadSide::read(&self.new, &self.old, global, out)?;
        let found = compare_sides(&old.side, &new.side);
        let changes: Vec<&ToolChange> = found.iter().map(|one| &one.change).collect();
        let format = if global.json { Format::Json } else { self.format };
        match format {
            Format::Human => {
                let label = self.label();
                changes.iter().try_for_each(|change| print_change(out, &label, change))?;
            }
            Format::Json => out.print_json(&json!({
                "old": self.old.display().to_string(),
                "new": self.new.display().to_string(),
                "state": if changes.is_empty() { "same" } else { "changed" },
                "changes": changes.iter().map(|change| change_json(change)).collect::<Vec<_>>(),
            }))?,
            Format::Sarif | Format::Github | Format::Junit => {
                self.write_report(&found, &new, format, out)?;
            }
        }
        let between = format!("{} → {}", self.old.display(), self.new.display());
        let words = match changes.is_empty() {
            true => "no changes".to_owned(),
            false => {
                count_words(&changes.iter().map(|change| (*change).clone()).collect::<Vec<_>>())
            }
        };
        out.print_status(format_args!("{between}: {words}"));
        let is_found = changes.iter().any(|change| FailOn::of_change(change) >= self.fail_on);
        Ok(if is_found { Ending::Found } else { Ending::Done })
    }

    /// What changed, as lines and reports name it: the side that is a file, the new one first.
    fn label(&self) -> String {
        let path = if is_stdin(&self.new) { &self.old } else { &self.new };
        path.display().to_string()
    }

    /// What changed as findings of the new side, for CI; those that let the command fail are errors.
    fn write_report(
        &self,
        found: &[SideChange],
        new: &ReadSide,
        format: Format,
        out: &mut CommandOutput,
    ) -> std::io::Result<()> {
        let label = self.label();
        let whole = ChangeSite::of_file(FileId::new(label.as_str()));
        let site = |one: &SideChange| {
            let known = one.row.and_then(|row| new.sites.get(row)).filter(|_| !is_stdin(&self.new));
            known.unwrap_or(&whole).clone()
        };
        let findings: Vec<Finding> = found
            .iter()
            .map(|one| change_finding(&label, &one.change, self.fail_on, site(one)))
            .collect();
        let mut files: Vec<FileId> =
            findings.iter().map(|finding| finding.site.file.clone()).collect();
        files.push(whole.file);
        files.sort();
        files.dedup();
        let report = Report {
            command: "toolcrib diff",
            files: &files,
            findings: &findings,
            shown: &|file| file.to_string(),
            entry: &|_| None,
            unchecked: &[],
        };
        report::write_report(&report, format, out)
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// A side as it was read.
struct ReadSide {
    side: Side,
    /// Where each of its tools is.
    sites: Vec<ChangeSite>,
}

impl ReadSide {
    fn read(
        path: &Path,
        other: &Path,
        global: &Global,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        match path.is_dir() {
            true => Self::read_folder(path, global),
            false => Self::read_file(path, other, global, out),
        }
    }

    fn read_folder(path: &Path, global: &Global) -> Result<Self, Problem> {
        let found = Self::read_entries(path, global)?;
        if found.side.is_empty() {
            let cause = "there are no tools in this folder";
            let remedy = "name a file: an OpenAPI document, a list of functions, or a file of a \
                          system";
            let doing = format!("reading {}", path.display());
            return Err(Problem::new(ProblemKind::Missing, doing, cause).with_remedy(remedy));
        }
        Ok(found)
    }

    /// The entries of the files there. One that can't be read may hold some of them.
    fn read_entries(path: &Path, global: &Global) -> Result<Self, Problem> {
        let opened = OpenWorkspace::read_workspace(global, Some(path))?;
        opened.check_asked()?;
        let side = Side::of_catalog(&opened.catalog, |file| opened.is_asked(file));
        let shown = |file: &FileId| opened.display_path(file);
        Ok(Self { sites: entry_sites(&side, &shown), side })
    }

    fn read_file(
        path: &Path,
        other: &Path,
        global: &Global,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        let name = path.display().to_string();
        let text = read_text(&name)?;
        if text.trim().is_empty() {
            let remedy = "give a file with tools; if a command prints it, look at what that says";
            return Err(refused(&name, "it is empty".to_owned()).with_remedy(remedy));
        }
        let value = read_value(&name, &text);
        let is_api = value
            .as_ref()
            .is_ok_and(|value| value.get("openapi").is_some() || value.get("swagger").is_some());
        if !is_api {
            let entries = match is_stdin(path) {
                true => Some(Self::of_text(&text, other, global)),
                false if FileFormat::from_path(path).is_some() => {
                    Some(Self::read_entries(path, global)?)
                }
                false => None,
            };
            if let Some(found) = entries.filter(|found| !found.side.is_empty()) {
                return Ok(found);
            }
        }
        let value = value.map_err(|error| refused(&name, error.to_string()))?;
        Self::of_document(&name, &text, &value, out)
    }

    /// The entries of a text that is no file; its keys are those that the file on the other side
    /// gives.
    fn of_text(text: &str, other: &Path, global: &Global) -> Self {
        let looks_like_json = text.trim_start().starts_with(['{', '[']);
        let (format, file) = match FileFormat::from_path(other) {
            Some(format) => (format, FileId::new(other.to_string_lossy().into_owned())),
            None if looks_like_json => (FileFormat::Json, FileId::new("stdin.json")),
            None => (FileFormat::Yaml, FileId::new("stdin.yaml")),
        };
        let source = Source::of_format(format, text).ok();
        let mode = global.mode.map_or_else(Mode::default, Mode::from);
        let files = source.iter().map(|source| (&file, source));
        let catalog: Catalog = read::read_catalog(files, mode);
        let side = Side::of_catalog(&catalog, |_| true);
        Self { sites: entry_sites(&side, &|file| file.to_string()), side }
    }

    /// The tools of an OpenAPI document or a list of functions.
    fn of_document(
        name: &str,
        text: &str,
        value: &Value,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        let (packed, unread) = match pack_value(name, value)? {
            Some(found) => found,
            None if is_empty_list(value) => (Vec::new(), Vec::new()),
            None => {
                let cause = "there are no tools in it";
                return Err(refused(name, cause.to_owned()).with_remedy(
                    "give an OpenAPI document, a list of functions, a file of a system, or a \
                     folder of such",
                ));
            }
        };
        unread.iter().for_each(|words| out.print_detail(format_args!("{name}: {words}")));
        let source = Source::of_file(Path::new(name), text).ok();
        let site = |at| {
            let place = source.as_ref().and_then(|source| source.find_place(0, at));
            let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
            ChangeSite { file: FileId::new(name), line, column }
        };
        let sites = packed.iter().map(|one| site(&one.origin.at)).collect();
        Ok(Self { sites, side: Side::of_document(value, packed) })
    }
}

/// Where the entries of tools are.
fn entry_sites(side: &Side, shown: &dyn Fn(&FileId) -> String) -> Vec<ChangeSite> {
    let site = |one: &SideTool| {
        let entry = one.as_tool().map(|tool| &tool.entry);
        let file = entry.map_or_else(String::new, |entry| shown(entry.id.file()));
        let (line, column) = entry.map_or((0, 0), |entry| (entry.line, entry.column));
        ChangeSite { file: FileId::new(file), line, column }
    };
    side.tools.iter().map(site).collect()
}
