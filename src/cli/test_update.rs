//! `toolcrib test --update`: takes the answers that came into what the cases expect that failed.

use std::path::Path;

use clap::Args;

use super::{
    cases::CaseFile,
    deployed::print_diff,
    ending::StopReason,
    out::{CommandOutput, Tint},
    report_paths::typed_path,
};
use crate::{
    engine::{
        case::{
            accept::{Accepted, accept_answer},
            verdict::Verdict,
        },
        mask::Mask,
    },
    model::problem::Problem,
    store::files::{self, Expected, OutsideLinks},
    syntax::source::{Format, Source},
};

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct UpdateFlags {
    /// Take the answers that come for what is expected, in each case of a call that fails: shows what
    /// changes, and writes the files. Comments and order stay, and so does what no answer decides,
    /// such as a schema
    #[arg(long, conflicts_with_all = ["format", "json"])]
    update: bool,

    /// With --update: show what it would change, and write nothing
    #[arg(long, requires = "update")]
    dry_run: bool,
}

impl UpdateFlags {
    /// Shows what changes in the file of a case that failed, and writes it; the answer of its only
    /// run is then held against what is expected now. A case that can't take its answer, or can't be
    /// written, is named with the reason.
    ///
    /// # Errors
    /// When what is shown can't be printed.
    pub fn update_case(
        self,
        filed: &CaseFile,
        only: Option<&mut Verdict>,
        mask: &Mask,
        out: &mut CommandOutput,
    ) -> Result<(), StopReason> {
        // A file that holds no case was reported as that.
        if !self.update || filed.case.tool.is_empty() {
            return Ok(());
        }
        let path = &filed.path;
        let file = typed_path(path);
        let Some(verdict) = only else {
            let why = "it was run several times, and each answer may be another one";
            out.warn(format_args!("{file}: {why}: edit the case"));
            return Ok(());
        };
        let accepted = match accept(path, verdict, mask) {
            Ok(accepted) => accepted,
            Err(why) => {
                out.warn(format_args!("{file}: {why}"));
                return Ok(());
            }
        };
        out.print_line(out.tint(Tint::Bold, &out.safe_text(&file)))?;
        print_diff(out, &accepted.before, &accepted.now.text)?;
        out.flush()?;
        if self.dry_run {
            return Ok(());
        }
        match save(path, &accepted.now.text) {
            Ok(()) => *verdict = accepted.now.verdict,
            Err(problem) => out.warn(format_args!("{problem}")),
        }
        Ok(())
    }
}

/// The text of a case's file, and what it is with the answer.
struct Change {
    before: String,
    now: Accepted,
}

/// # Errors
/// In words: the file can't be read, or can't take the answer.
fn accept(path: &Path, verdict: &Verdict, mask: &Mask) -> Result<Change, String> {
    let text = files::read_text(path).map_err(|problem| problem.cause)?.text;
    let format = Format::from_path(path).unwrap_or(Format::Yaml);
    let source = Source::parse(format, text).map_err(|error| error.to_string())?;
    let now = accept_answer(&source, verdict, mask)?;
    Ok(Change { before: source.text().to_string(), now })
}

fn save(path: &Path, text: &str) -> Result<(), Problem> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let saved = files::save_file(folder, path, text, Expected::Anything, OutsideLinks::Allow);
    saved.map(drop).map_err(|refused| refused.problem().clone())
}
