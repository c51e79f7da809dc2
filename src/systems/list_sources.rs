//! Lists of tools that come from another file of the workspace, such as the list that a program hands
//! to the API of its model: which file that is, and what it says of the tools by now.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    changes::sort_changes,
    comparison::SideTool,
    convert,
    facets::{
        kept_tools::{SOURCE_DIFFERS, SOURCES, ToolChange, count_words},
        portable::KeyedTool,
    },
    table::every_system,
    target::Target,
    update::{NewVersion, ToolThere, UpdatedTool, update_tool},
};
use crate::{
    engine::{lint::check::Report, portable::baggage::Baggage},
    model::{
        catalog::Catalog,
        context::Mode,
        entry::{Entry, FileId},
        finding::{Finding, Severity},
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// The files that the tools of a list come from, as it says; none of an entry that is no list.
#[must_use]
pub fn sources_of(list: &Entry) -> Vec<FileId> {
    let keepers = every_system().iter().filter_map(|system| system.kept_tools());
    keepers.flat_map(|keeper| keeper.sources(list)).collect()
}

/// The tools of a file that tools of a list come from, beside those.
pub struct SourcedTools<'c> {
    /// As the file has them.
    pub packed: Vec<Baggage>,
    /// As the list would.
    pub keyed: Vec<KeyedTool>,
    /// What each of them is in the list; `None`: the list doesn't have it.
    pub listed: Vec<Option<&'c Tool>>,
    /// What the list is of.
    pub target: Target,
}

impl<'c> SourcedTools<'c> {
    /// `None` where the file's document has no tools.
    #[must_use]
    pub fn read(list: &Entry, catalog: &'c Catalog, document: &Value) -> Option<Self> {
        let target = Target::by_word(list.system)?;
        let (packed, _) = convert::pack_document(document)?;
        let keyed = target.key_tools(&packed);
        let own = catalog.tools.iter().filter(|tool| tool.entry.id.file() == list.id.file());
        let own: HashMap<&str, &Tool> = own.map(|tool| (tool.name.as_str(), &**tool)).collect();
        let listed = keyed.iter().map(|one| own.get(one.tool.name.as_str()).copied()).collect();
        Some(Self { packed, keyed, listed, target })
    }

    /// What becomes of the tools of the list where they say what the file does: of those alone that
    /// change.
    #[must_use]
    pub fn updates(&self, mode: Mode) -> Vec<ListUpdate<'c>> {
        let says_answers = self.packed.iter().any(|one| one.tool.output.is_some());
        let rows = self.packed.iter().zip(&self.keyed).zip(&self.listed);
        let update = |((packed, keyed), tool): ((&Baggage, &KeyedTool), &Option<&'c Tool>)| {
            let tool = (*tool)?;
            let value = Value::clone(&tool.entry.value.parsed());
            let there = ToolThere { tool: SideTool::of_tool(tool)?, value };
            let version = NewVersion { packed, keyed, says_answers, is_by_key: false };
            let UpdatedTool { value: after, changes } =
                update_tool(self.target, &there, version, mode);
            let before = there.value;
            (before != after).then_some(ListUpdate { tool, before, after, changes })
        };
        rows.filter_map(update).collect()
    }
}

/// A tool of a list, as it is and as a file has it that it comes from.
pub struct ListUpdate<'c> {
    pub tool: &'c Tool,
    pub before: Value,
    pub after: Value,
    /// What of that its callers and a model notice, the worst first.
    pub changes: Vec<ToolChange>,
}

/// The lists of a catalog that say something else than a file that their tools come from; of a file
/// that isn't there nothing is said.
#[must_use]
pub fn source_findings<'s>(
    catalog: &Catalog,
    files: impl Fn(&FileId) -> Option<&'s Source>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for list in catalog.others.iter() {
        for (row, file) in sources_of(list).iter().enumerate() {
            let document = files(file).and_then(|source| source.value(0));
            let read = document.and_then(|document| SourcedTools::read(list, catalog, document));
            let updates = read.map(|read| read.updates(catalog.mode)).unwrap_or_default();
            let named = |ListUpdate { tool, changes, .. }: ListUpdate<'_>| {
                let name = tool.name.clone();
                let change = move |change| ToolChange { tool: name.clone(), ..change };
                changes.into_iter().map(change).collect::<Vec<_>>()
            };
            let mut changes: Vec<ToolChange> = updates.into_iter().flat_map(named).collect();
            sort_changes(&mut changes);
            if changes.is_empty() {
                continue;
            }
            let message = format!(
                "{file} says something else of tools that come from it: {}. On Tools, \"read source \
                 again\" takes that in, and \"write to source\" writes what is here to it",
                count_words(&changes)
            );
            let at = Pointer::root().child(SOURCES).item(row);
            Report::new(SOURCE_DIFFERS, Severity::Warning, &mut found)
                .add_finding(list, at, message);
        }
    }
    found
}
