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
        case::{accept::accept_answer, verdict::Verdict},
        mask::Mask,
    },
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
    /// Shows what changes in the file of a case that failed, and writes it; the answer is then held
    /// against what is expected now. A case that can't take its answer is named with the reason.
    ///
    /// # Errors
    /// When the file can't be written, or what is shown can't be.
    pub fn update_case(
        self,
        filed: &CaseFile,
        verdict: &mut Verdict,
        mask: &Mask,
        out: &mut CommandOutput,
    ) -> Result<(), StopReason> {
        if !self.update || verdict.has_passed() {
            return Ok(());
        }
        let file = typed_path(&filed.path);
        let text = files::read_text(&filed.path)?.text;
        let format = Format::from_path(&filed.path).unwrap_or(Format::Yaml);
        // What isn't a case was reported as that.
        let Ok(source) = Source::parse(format, text) else { return Ok(()) };
        let accepted =
            match accept_answer(&source, verdict, &mask.of_call(&filed.case.arguments.to_json())) {
                Ok(accepted) => accepted,
                Err(why) => {
                    out.warn(format_args!("{file}: {why}"));
                    return Ok(());
                }
            };
        out.print_line(out.tint(Tint::Bold, &out.safe_text(&file)))?;
        print_diff(out, source.text().as_ref(), &accepted.text)?;
        out.flush()?;
        if self.dry_run {
            return Ok(());
        }
        save(&filed.path, &accepted.text)?;
        *verdict = accepted.verdict;
        Ok(())
    }
}

fn save(path: &Path, text: &str) -> Result<(), StopReason> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let saved = files::save_file(folder, path, text, Expected::Anything, OutsideLinks::Allow);
    saved.map(drop).map_err(|refused| refused.problem().clone().into())
}
