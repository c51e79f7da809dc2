//! The health of a workspace's tools, each as its system gives it to a model.

use std::collections::{BTreeMap, HashSet};

use super::table::by_id;
use crate::{
    engine::{
        health::{
            self,
            cost::{self, Costs},
        },
        lint::check::safe_text,
    },
    model::{
        catalog::Catalog,
        entry::{EntryId, FileId},
        finding::{Finding, RelatedPlace},
        health::HealthSettings,
        tool::{Function, Tool},
    },
    syntax::source::Source,
    systems::findings,
};

/// What makes it harder for a model to choose among the tools of a catalog and to call them, sorted
/// by place. `known` are the findings that checks report anyway, so that nothing is said twice.
#[must_use]
pub fn health_findings<'s>(
    catalog: &Catalog,
    settings: &HealthSettings,
    known: &[Finding],
    files: impl Fn(&FileId) -> Option<&'s Source> + Sync,
) -> Vec<Finding> {
    // A kept list is as its server gave it.
    let is_editable =
        |tool: &Tool| by_id(tool.entry.system).is_some_and(|system| system.kept_tools().is_none());
    let refused: HashSet<&EntryId> = known
        .iter()
        .filter(|other| NAME_REFUSED.contains(&other.code))
        .filter_map(|other| other.site.entry.as_ref())
        .collect();
    let is_name_refused = |tool: &Tool| refused.contains(tool.id());
    let mut found =
        health::check_health(catalog, settings, model_function, is_editable, is_name_refused);
    let said: HashSet<(&str, Option<&EntryId>)> = known
        .iter()
        .filter_map(|other| {
            let (code, _) = SAID_BY.iter().find(|(_, by)| other.code == *by)?;
            Some((*code, other.site.entry.as_ref()))
        })
        .collect();
    found.retain(|finding| !said.contains(&(finding.code, finding.site.entry.as_ref())));
    fold_repeated(&mut found, catalog);
    findings::locate_findings(found, &files)
}

/// What is said of one tool after another, and how it is said of all of them in a file.
const REPEATED: [(&str, &str); 2] = [
    (
        "health.when-to-use",
        "descriptions don't say when to use their tools: add a sentence such as \"Use it when …\", \
         and what other tool to use instead",
    ),
    (
        "health.argument-undescribed",
        "tools have arguments without a description: say what to give, with an example or a limit",
    ),
];
/// Of more tools of a file it is said once.
const MOST_APART: usize = 6;

/// Says once for a file what would be said of each of many tools there, with their names; the first
/// one's place is that of all.
fn fold_repeated(found: &mut Vec<Finding>, catalog: &Catalog) {
    let mut gone = HashSet::new();
    for (code, words) in REPEATED {
        let mut of_files: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
        for (row, finding) in found.iter().enumerate().filter(|(_, one)| one.code == code) {
            of_files.entry(finding.site.file.clone()).or_default().push(row);
        }
        for rows in of_files.values().filter(|rows| rows.len() > MOST_APART) {
            let all: Vec<&Finding> = rows.iter().filter_map(|row| found.get(*row)).collect();
            let tools = all
                .iter()
                .filter_map(|one| catalog.tool(one.site.entry.as_ref()?))
                .take(MOST_APART);
            let names: Vec<&str> = tools.map(|tool| tool.name.as_str()).collect();
            let more = rows.len() - names.len();
            let count = rows.len();
            let message = format!("{count} {words}: {} and {more} more", names.join(", "));
            let place = |one: &&Finding| RelatedPlace {
                site: one.site.clone(),
                message: one.message.as_str().into(),
            };
            let related = all.iter().skip(1).map(place).collect();
            gone.extend(rows.iter().skip(1).copied());
            if let Some(first) = rows.first().and_then(|row| found.get_mut(*row)) {
                first.message = safe_text(&message);
                first.related = related;
            }
        }
    }
    let mut row = 0;
    found.retain(|_| {
        row += 1;
        !gone.contains(&(row - 1))
    });
}

/// The checks that say that model APIs refuse a name.
const NAME_REFUSED: [&str; 2] = ["tool.name-refused", "identity.name-refused"];

/// Codes of health, with those of checks that say the same.
const SAID_BY: [(&str, &str); 2] = [
    ("health.argument-undescribed", "arguments.no-description"),
    ("health.names-alike", "identity.twins"),
];

/// What the tools of a catalog cost, by estimate.
#[must_use]
pub fn tool_costs(catalog: &Catalog, settings: &HealthSettings) -> Costs {
    cost::count_costs(catalog, settings, model_function)
}

fn model_function(tool: &Tool) -> Option<Function> {
    Some(by_id(tool.entry.system)?.model_function(tool))
}
