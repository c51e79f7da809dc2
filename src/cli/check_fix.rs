//! `toolcrib check --fix`: makes the fixes that keep what is meant, and others where they are asked
//! for.

use std::collections::{HashMap, HashSet};

use super::{
    deployed::{print_diff, save_file, to_documents},
    opened::OpenWorkspace,
    out::CommandOutput,
};
use crate::{
    app::{
        compose::plan::FilePlan,
        documents::{Change, Document, Documents},
    },
    model::{
        entry::{EntryId, FileId},
        finding::{EntryEdit, Finding, Fix},
        problem::Problem,
    },
    schema::{count::count_text, pointer::Pointer},
    syntax::shared_values::list_shared_values,
    systems::{findings, health, read},
};

/// After so many rounds nothing more is fixed: each makes one fix of an entry, or of a file in which
/// values are shared, and looks again.
const ROUNDS: usize = 1_000;
/// How often a place may be fixed for the same reason, as items of a list take each other's place.
const TIMES: usize = 20;

/// Which fixes are made.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub health: bool,
    /// Those that guess or lose something, too.
    pub unsafe_fixes: bool,
}

/// What fixes make of the files of a workspace, which stay as they are for now.
pub(super) struct Fixed {
    documents: Documents,
    /// What was found and isn't there any more, in the order in which it was fixed.
    pub done: Vec<Finding>,
}

/// Makes the fixes of what is asked about, as long as there are some.
pub(super) fn make_fixes(opened: &OpenWorkspace, wanted: Wanted) -> Fixed {
    let mut fixed = Fixed { documents: to_documents(opened), done: Vec::new() };
    let mut times: HashMap<(&'static str, Option<EntryId>, Pointer), usize> = HashMap::new();
    for _ in 0..ROUNDS {
        let before = fixed.done.len();
        let mut touched: HashSet<EntryId> = HashSet::new();
        let mut changed: HashSet<FileId> = HashSet::new();
        for finding in fixable_findings(opened, &fixed.documents, wanted) {
            let Some(fix) = &finding.fix else { continue };
            let site = &finding.site;
            let times =
                times.entry((finding.code, site.entry.clone(), site.pointer.clone())).or_default();
            let is_behind = |edit: &EntryEdit| {
                let file = edit.entry.file();
                touched.contains(&edit.entry)
                    || changed.contains(file) && shares_values(&fixed.documents, file)
            };
            if *times >= TIMES || fix.edits.iter().any(is_behind) {
                continue;
            }
            *times += 1;
            let changes: Vec<Change> = fix.edits.iter().cloned().map(Change::Entry).collect();
            if fixed.documents.apply_changes(&fix.label, &changes).is_ok() {
                touched.extend(fix.edits.iter().map(|edit| edit.entry.clone()));
                changed.extend(fix.edits.iter().map(|edit| edit.entry.file().clone()));
                fixed.done.push(finding);
            }
        }
        if fixed.done.len() == before {
            break;
        }
    }
    fixed
}

/// What is found in files as they would be, where there is one way to fix it.
fn fixable_findings(opened: &OpenWorkspace, documents: &Documents, wanted: Wanted) -> Vec<Finding> {
    let source = |file: &FileId| documents.get(file)?.source.as_ref().ok();
    let files = documents.iter().map(|(file, _)| file);
    let sources = files.filter_map(|file| Some((file, source(file)?)));
    let catalog = read::read_catalog(sources, opened.catalog.mode);
    let mut found = findings::catalog_findings(&catalog, source);
    let settings = &opened.settings.health;
    if wanted.health || settings.enabled {
        found.extend(health::health_findings(&catalog, settings, &found, source));
    }
    opened.settings.check.apply(&mut found);
    found.retain(|finding| {
        let is_wanted = |fix: &Fix| fix.is_safe || wanted.unsafe_fixes;
        finding.fix.as_ref().is_some_and(is_wanted)
            && finding.others.is_empty()
            && opened.is_asked(&finding.site.file)
    });
    found
}

/// Whether a change of one entry of a file may change another one, too.
fn shares_values(documents: &Documents, file: &FileId) -> bool {
    let source = documents.get(file).and_then(|document| document.source.as_ref().ok());
    source.is_some_and(|source| {
        (0..source.document_count())
            .any(|document| !list_shared_values(source, document).is_empty())
    })
}

impl Fixed {
    fn file_plans(&self) -> Vec<FilePlan> {
        let plan = |(file, document): (&FileId, &Document)| FilePlan {
            file: file.clone(),
            before: document.saved.clone(),
            after: Some(document.text.whole_text().clone()),
        };
        self.documents.changed_files().map(plan).collect()
    }

    /// Saves the files, each unless another has changed it since; says what was fixed.
    pub fn write(&self, opened: &OpenWorkspace, out: &CommandOutput) -> Result<(), Problem> {
        let plans = self.file_plans();
        for plan in &plans {
            save_file(opened, plan)?;
            self.say("fixed", Some(&plan.file), opened, out);
        }
        let count = count_text(self.done.len(), "fix", "fixes");
        out.print_status(format_args!("{count} in {}", count_text(plans.len(), "file", "files")));
        Ok(())
    }

    /// Shows what would be fixed, and the lines that would be different.
    pub fn show(&self, opened: &OpenWorkspace, out: &mut CommandOutput) -> std::io::Result<()> {
        self.say("would fix", None, opened, out);
        for FilePlan { file, before, after } in self.file_plans() {
            out.print_line(opened.display_path(&file))?;
            let [before, after] = [&before, &after].map(|text| text.as_deref().unwrap_or_default());
            print_diff(out, before, after)?;
        }
        Ok(())
    }

    /// Says what was fixed, in one file or in all.
    fn say(&self, verb: &str, file: Option<&FileId>, opened: &OpenWorkspace, out: &CommandOutput) {
        let is_meant = |finding: &&Finding| file.is_none_or(|file| finding.site.file == *file);
        for finding in self.done.iter().filter(is_meant) {
            let site = &finding.site;
            let fix = finding.fix.as_ref().map_or("", |fix| fix.label.as_str());
            out.print_status(format_args!(
                "{verb} {}:{} {}: {fix}",
                opened.display_path(&site.file),
                site.line,
                finding.code
            ));
        }
    }
}
