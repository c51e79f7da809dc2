//! `toolcrib check --fix`: makes the fixes that leave no choice.

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
        finding::Finding,
        problem::Problem,
    },
    schema::{count::count_text, pointer::Pointer},
    systems::{findings, health, read},
};

/// After so many rounds nothing more is fixed: each makes one fix of an entry, and looks again.
const ROUNDS: usize = 200;
/// How often a place may be fixed for the same reason, as items of a list take each other's place.
const TIMES: usize = 20;

/// What fixes make of the files of a workspace, which stay as they are for now.
pub(super) struct Fixed {
    documents: Documents,
    /// What was found and isn't there any more, in the order in which it was fixed.
    pub done: Vec<Finding>,
}

/// Makes the fixes of what is asked about, as long as there are some.
pub(super) fn make_fixes(opened: &OpenWorkspace, with_health: bool) -> Fixed {
    let mut fixed = Fixed { documents: to_documents(opened), done: Vec::new() };
    let mut times: HashMap<(&'static str, Option<EntryId>, Pointer), usize> = HashMap::new();
    for _ in 0..ROUNDS {
        let before = fixed.done.len();
        let mut touched: HashSet<EntryId> = HashSet::new();
        for finding in fixable_findings(opened, &fixed.documents, with_health) {
            let Some(fix) = &finding.fix else { continue };
            let site = &finding.site;
            let times =
                times.entry((finding.code, site.entry.clone(), site.pointer.clone())).or_default();
            if *times >= TIMES || fix.edits.iter().any(|edit| touched.contains(&edit.entry)) {
                continue;
            }
            *times += 1;
            let changes: Vec<Change> = fix.edits.iter().cloned().map(Change::Entry).collect();
            if fixed.documents.apply_changes(&fix.label, &changes).is_ok() {
                touched.extend(fix.edits.iter().map(|edit| edit.entry.clone()));
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
fn fixable_findings(
    opened: &OpenWorkspace,
    documents: &Documents,
    with_health: bool,
) -> Vec<Finding> {
    let source = |file: &FileId| documents.get(file)?.source.as_ref().ok();
    let files = documents.iter().map(|(file, _)| file);
    let sources = files.filter_map(|file| Some((file, source(file)?)));
    let catalog = read::read_catalog(sources, opened.catalog.mode);
    let mut found = findings::catalog_findings(&catalog, source);
    let settings = &opened.settings.health;
    if with_health || settings.enabled {
        found.extend(health::health_findings(&catalog, settings, &found, source));
    }
    opened.settings.check.apply(&mut found);
    found.retain(|finding| {
        finding.fix.is_some() && finding.others.is_empty() && opened.is_asked(&finding.site.file)
    });
    found
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
        plans.iter().try_for_each(|plan| save_file(opened, plan))?;
        self.say("fixed", opened, out);
        let count = count_text(self.done.len(), "fix", "fixes");
        out.print_status(format_args!("{count} in {}", count_text(plans.len(), "file", "files")));
        Ok(())
    }

    /// Shows what would be fixed, and the lines that would be different.
    pub fn show(&self, opened: &OpenWorkspace, out: &mut CommandOutput) -> std::io::Result<()> {
        self.say("would fix", opened, out);
        for FilePlan { file, before, after } in self.file_plans() {
            out.print_line(opened.display_path(&file))?;
            let [before, after] = [&before, &after].map(|text| text.as_deref().unwrap_or_default());
            print_diff(out, before, after)?;
        }
        Ok(())
    }

    fn say(&self, verb: &str, opened: &OpenWorkspace, out: &CommandOutput) {
        for finding in &self.done {
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
