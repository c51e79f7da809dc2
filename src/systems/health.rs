//! The health of a workspace's tools, each as its system gives it to a model.

use std::collections::HashSet;

use super::table::by_id;
use crate::{
    engine::health::{
        self,
        cost::{self, Costs},
    },
    model::{
        catalog::Catalog,
        entry::{EntryId, FileId},
        finding::Finding,
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
    let mut found = health::check_health(catalog, settings, model_function, is_editable);
    let said: HashSet<(&str, Option<&EntryId>)> = known
        .iter()
        .filter_map(|other| {
            let (code, _) = SAID_BY.iter().find(|(_, by)| other.code == *by)?;
            Some((*code, other.site.entry.as_ref()))
        })
        .collect();
    found.retain(|finding| !said.contains(&(finding.code, finding.site.entry.as_ref())));
    findings::locate_findings(found, &files)
}

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
