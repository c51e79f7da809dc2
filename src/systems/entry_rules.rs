//! What the schema of an entry's form finds wrong and no check of its system does.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::Value;

use super::table::by_id;
use crate::{
    engine::lint::check::Report,
    model::{
        catalog::Catalog,
        entry::{Entry, EntryId, SystemId},
        finding::{Finding, Severity},
    },
    schema::{
        fields::{View, chosen_branch},
        tree::Schema,
        validate::{Checker, Issue},
    },
    syntax::parallel::map_slices,
};

pub const CODE: &str = "entry.schema";
pub const SEVERITY: Severity = Severity::Error;
pub const ABOUT: &str = "A value doesn't match the schema of its entry's form.";

/// How many compiled schemas are kept.
const MOST_COMPILED: usize = 64;

type Compiled = HashMap<(SystemId, String), Rc<Option<CompiledRules>>>;

thread_local! {
    /// Compiling a schema takes longer than checking by it, and small workspaces are checked with
    /// each key.
    static COMPILED: RefCell<Compiled> = RefCell::new(HashMap::new());
}

struct CompiledRules {
    schema: Schema,
    checker: Checker,
}

impl CompiledRules {
    fn new(schema: Value) -> Option<Self> {
        let opened = Checker::compile_lenient(&schema.into());
        Some(Self { schema: Schema::new(opened.schema), checker: opened.checker? })
    }

    /// The issues of a value, as its form has them.
    fn issues(&self, value: &Value) -> Vec<Issue> {
        if self.checker.is_valid(value) {
            return Vec::new();
        }
        let view = View::default();
        self.checker.issues_by(value, &|at, union| {
            chosen_branch(&self.schema, &self.checker, &view, value, at, union)
        })
    }
}

/// The findings of the schemas of forms, but for what is said by those that were `found`.
pub(super) fn schema_findings(catalog: &Catalog, found: &[Finding]) -> Vec<Finding> {
    let entries: Vec<&Entry> = catalog.entries().collect();
    let look = |slice: &[&Entry]| {
        // On clones: what an entry says is read, and then it goes.
        slice.iter().flat_map(|entry| entry_findings(&Entry::clone(entry), catalog)).collect()
    };
    let mut wrong: Vec<Finding> = map_slices(&entries, look);
    let homes: HashSet<EntryId> =
        wrong.iter().filter_map(|finding| finding.site.entry.clone()).collect();
    let mut known: HashMap<&EntryId, Vec<&Finding>> = HashMap::new();
    for finding in found {
        if let Some(entry) = finding.site.entry.as_ref().filter(|entry| homes.contains(*entry)) {
            known.entry(entry).or_default().push(finding);
        }
    }
    wrong.retain(|finding| {
        let beside = finding.site.entry.as_ref().and_then(|entry| known.get(entry));
        let at = &finding.site.pointer;
        !beside.into_iter().flatten().any(|known| known.site.pointer.is_about(at))
    });
    wrong
}

fn entry_findings(entry: &Entry, catalog: &Catalog) -> Vec<Finding> {
    let Some(compiled) = compiled_rules(entry, catalog) else { return Vec::new() };
    let Some(rules) = &*compiled else { return Vec::new() };
    let value = entry.value.shared();
    let mut findings = Vec::new();
    let mut report = Report::new(CODE, SEVERITY, &mut findings);
    for Issue { at, words, .. } in rules.issues(value) {
        let name = if at.is_root() { "the entry".to_owned() } else { at.words_in(value) };
        report.add_finding(entry, at, format!("{name} {words}"));
    }
    findings
}

fn compiled_rules(entry: &Entry, catalog: &Catalog) -> Option<Rc<Option<CompiledRules>>> {
    let rules = by_id(entry.system)?.entry_rules(entry, catalog.mode)?;
    let key = (entry.system, rules.word);
    let known = COMPILED.with_borrow(|compiled| compiled.get(&key).map(Rc::clone));
    Some(known.unwrap_or_else(|| {
        let made = Rc::new(CompiledRules::new((rules.schema)()));
        COMPILED.with_borrow_mut(|compiled| {
            if compiled.len() >= MOST_COMPILED {
                compiled.clear();
            }
            compiled.insert(key, Rc::clone(&made));
        });
        made
    }))
}
