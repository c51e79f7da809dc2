//! `toolcrib check`: everything that is wrong in a workspace's files; with `--connection` also what
//! shows only where it leads.

use std::{collections::HashMap, mem::ManuallyDrop, path::PathBuf};

use clap::Args;

use serde_json::json;

use super::{
    check_files,
    check_fix::{self, Wanted},
    columns::{self, Cell},
    deployed,
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    report::{self, Format, Report},
};
use crate::{
    app::compose::plan::list_names,
    engine::{conformance, health::cost::group_words},
    model::{
        connections::Listeners,
        entry::FileId,
        finding::{Finding, Severity},
        health::Budget,
        problem::Problem,
    },
    schema::count::count_text,
    store::{schema_documents::check_documents, schema_map::SchemaMap, workspace::LeftOut},
    systems::{
        findings, health,
        run_files::NOT_READ,
        unknown_names::{self, Known},
    },
};

/// Findings that say that something wasn't checked.
const UNCHECKED: [&str; 4] =
    [conformance::FLAW, conformance::NOT_CHECKED, NOT_READ, check_files::NOT_KNOWN];

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Show only the findings of these folders and files, of one workspace
    #[arg(value_name = "PATH", conflicts_with = "workspace")]
    paths: Vec<PathBuf>,

    /// The format of the findings
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,

    /// Read the schema of this URL from a file, and check the documents that name it; a URL that
    /// ends with / maps a folder. Can be repeated; the table "schemas" in toolcrib.toml does the
    /// same
    #[arg(long, value_name = "URL=FILE")]
    map: Vec<String>,

    /// Also report what makes it harder for a model to choose tools and to call them: texts that are
    /// alike, missing words, costs in tokens, schemas that an API refuses. The table "health" in
    /// toolcrib.toml does the same
    #[arg(long)]
    health: bool,

    /// Exit with 1 for warnings, too
    #[arg(long, conflicts_with = "tokens")]
    strict: bool,

    /// Show what each tool and each state costs in tokens, in place of findings
    #[arg(long, conflicts_with_all = ["format", "map", "health", "fix"])]
    tokens: bool,

    /// Make the fixes that keep what is meant, in the files, and report what is left
    #[arg(long)]
    fix: bool,

    /// With --fix: also make those that guess or remove something, such as an unknown key
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,

    /// With --fix: show what it would change, and write nothing
    #[arg(long, requires = "fix", conflicts_with = "format")]
    dry_run: bool,
}

impl Check {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        // The process ends with the command: nothing of it needs to be freed.
        let mut opened = ManuallyDrop::new(self.open(global)?);
        if self.tokens {
            return write_costs(&opened, global, out);
        }
        if self.fix {
            let wanted = Wanted { health: self.health, unsafe_fixes: self.unsafe_fixes };
            let fixed = check_fix::make_fixes(&opened, wanted);
            if self.dry_run {
                fixed.show(&opened, out)?;
                let is_none = fixed.done.is_empty();
                return Ok(if is_none { Ending::Done } else { Ending::Found });
            }
            fixed.write(&opened, out)?;
            opened = ManuallyDrop::new(self.open(global)?);
        }
        let mut found = findings_of(&opened, self.health);
        found.extend(findings_there(&opened, global, out)?);
        let map = self.schema_map(&opened)?;
        found.extend(document_findings(&opened, &map, out));
        found.extend(check_files::unread_findings(&opened));
        found.extend(check_files::passed_over_findings(&opened));
        let listed: Vec<_> = check_files::listed_tools_findings(&opened).collect();
        let unknown = check_files::unknown_findings(&opened);
        found.extend(
            unknown.filter(|unknown| {
                listed.iter().all(|listed| listed.site.file != unknown.site.file)
            }),
        );
        found.extend(listed);
        found.extend(check_files::malformed_findings(&opened));
        found.extend(unknown_names(&opened));
        opened.settings.check.apply(&mut found);
        found.sort_by_key(sort_key);
        let read = opened.files.iter().map(|file| &file.file);
        let unread = opened.end.unread.iter().map(|(file, _)| file);
        let all = read.chain(unread).filter(|file| opened.is_asked(file));
        let mut files: Vec<FileId> = all.cloned().collect();
        let named = opened.asked_files().filter(|file| !files.contains(file));
        let named: Vec<FileId> = named.cloned().collect();
        files.extend(named);
        let report = Report {
            command: "toolcrib check",
            files: &files,
            findings: &found,
            shown: &|file| opened.display_path(file),
            entry: &|finding| {
                let entry = opened.catalog.entry(finding.site.entry.as_ref()?)?;
                Some(entry.key.clone())
            },
            unchecked: &UNCHECKED,
        };
        report::write_report(&report, if global.json { Format::Json } else { self.format }, out)?;
        let is_asked = |left: &&LeftOut| left.at.as_ref().is_none_or(|path| opened.is_asked(path));
        let left_out: Vec<&LeftOut> = opened.end.skipped.iter().filter(is_asked).collect();
        left_out.iter().for_each(|left| out.warn(&left.words));
        let is_without = opened.catalog.entries().next().is_none()
            && !files.iter().any(|file| check_files::is_known(&opened, file));
        if opened.asked.is_empty() && is_without {
            let root = opened.workspace.root.display();
            let tools = check_files::files_to_add(&opened);
            out.warn(match tools.is_empty() {
                true => format!("no descriptors in {root}"),
                false => format!(
                    "no descriptors in {root}; `toolcrib` offers to add the tools of {}",
                    list_names(tools)
                ),
            });
        }
        let unchecked =
            !left_out.is_empty() || found.iter().any(|finding| UNCHECKED.contains(&finding.code));
        let is_found = match self.strict {
            true => found.iter().any(|finding| finding.severity != Severity::Note),
            false => report::has_errors(&report),
        };
        Ok(match is_found {
            true => Ending::Found,
            false if unchecked => Ending::Unchecked,
            false => Ending::Done,
        })
    }

    fn open(&self, global: &Global) -> Result<OpenWorkspace, Problem> {
        let mut paths = self.paths.iter().map(PathBuf::as_path);
        let mut opened = OpenWorkspace::read_workspace(global, paths.next())?;
        paths.try_for_each(|path| opened.ask_for(path))?;
        Ok(opened)
    }

    /// What the command line maps, then what the workspace does.
    fn schema_map(&self, opened: &OpenWorkspace) -> Result<SchemaMap, Problem> {
        let mut map = SchemaMap::from_pairs(&self.map)?;
        for (url, file) in &opened.settings.schemas {
            map.push(url, opened.workspace.root.join(file));
        }
        Ok(map)
    }
}

/// What is wrong in the settings, the texts and the entries, by file and place.
fn findings_of(opened: &OpenWorkspace, with_health: bool) -> Vec<Finding> {
    let mut found = findings::catalog_findings(&opened.catalog, |file| opened.source(file));
    let settings = &opened.settings.health;
    if with_health || settings.enabled {
        let source = |file: &FileId| opened.source(file);
        let of_health = health::health_findings(&opened.catalog, settings, &found, source);
        found.extend(of_health);
    }
    for file in &opened.files {
        found.extend(findings::of_text(&opened.catalog, &file.file, file.source.as_ref()));
    }
    // A finding that is off where it is isn't one of its other place.
    opened.settings.check.apply(&mut found);
    let is_asked = |file: &FileId| opened.is_asked(file);
    let mut found: Vec<Finding> =
        found.into_iter().flat_map(|finding| finding.shown_for(is_asked)).collect();
    found.sort_by_key(sort_key);
    found
}

/// Where documents don't match the schemas that they name.
fn document_findings(opened: &OpenWorkspace, map: &SchemaMap, out: &CommandOutput) -> Vec<Finding> {
    let read = opened.files.iter();
    let read = read.filter_map(|read| Some((&read.file, read.source.as_ref().ok()?)));
    let files: HashMap<_, _> = read.collect();
    check_documents(
        &opened.workspace,
        map,
        &files,
        |file| opened.is_asked(file),
        |file, words| {
            out.print_detail(format_args!("{}: {words}", opened.display_path(file)));
        },
    )
}

/// Names that nothing in the workspace has.
fn unknown_names(opened: &OpenWorkspace) -> Vec<Finding> {
    let known = Known {
        catalog: &opened.catalog,
        tools: &opened.tools,
        groups: &opened.settings.groups,
        states: &opened.settings.states,
        missing_tool: &|name| check_files::missing_tool(opened, name),
    };
    let asked = opened.files.iter().filter(|read| opened.is_asked(&read.file));
    let read = asked.filter_map(|read| Some((&read.file, read.source.as_ref().ok()?)));
    read.flat_map(|(file, source)| unknown_names::unknown_names(file, source, &known)).collect()
}

fn sort_key(finding: &Finding) -> (FileId, usize, usize) {
    (finding.site.file.clone(), finding.site.line, finding.site.column)
}

/// What is wrong where calls go; only a connection that is named here is connected to, for the
/// tools whose calls nobody gets.
fn findings_there(
    opened: &OpenWorkspace,
    global: &Global,
    out: &CommandOutput,
) -> Result<Vec<Finding>, StopReason> {
    let mut listeners = Listeners::new();
    if global.connection.is_some() {
        let connection = opened.current_connection();
        match deployed::read_listeners(&connection)? {
            Some(found) => drop(listeners.insert(connection.name, found.into())),
            None => out.warn(format_args!(
                "connection \"{}\" can't show which services listen for which tools",
                connection.name
            )),
        }
    }
    let mut found = findings::connection_findings(
        &opened.catalog,
        &opened.settings.connections,
        &listeners,
        |file| opened.source(file),
    );
    found.retain(|finding| opened.is_asked(&finding.site.file));
    Ok(found)
}

/// What tools and states cost, the largest tools first.
fn write_costs(opened: &OpenWorkspace, global: &Global, out: &mut CommandOutput) -> CommandResult {
    let settings = &opened.settings.health;
    let costs = health::tool_costs(&opened.catalog, settings);
    let name = |row: usize| opened.catalog.tools[row].name.as_str();
    let total: usize = costs.tools.iter().map(|(_, tokens)| tokens).sum();
    if global.json {
        let tools =
            costs.tools.iter().map(|(row, tokens)| json!({"tool": name(*row), "tokens": tokens}));
        let states = costs
            .states
            .iter()
            .map(|cost| json!({"state": &*cost.state, "tools": cost.tools, "tokens": cost.tokens}));
        out.print_json(&json!({
            "groups": settings.groups.as_ref().map_or_else(|| vec!["*"], |groups| groups.iter().map(|name| &**name).collect()),
            "tokens": total,
            "tools": tools.collect::<Vec<_>>(),
            "states": states.collect::<Vec<_>>(),
        }))?;
        return Ok(Ending::Done);
    }
    let over = |tokens: usize, budget: Budget| match tokens > budget.tokens {
        true => Cell::tinted(Tint::Odd, format!("over {}", budget.tokens)),
        false => Cell::plain(String::new()),
    };
    let tools = costs.tools.iter().map(|(row, tokens)| {
        vec![
            Cell::plain(name(*row).to_owned()),
            Cell::plain(tokens.to_string()),
            over(*tokens, settings.tool_tokens),
        ]
    });
    columns::write_table(out, &["TOOL", "TOKENS", "BUDGET"], tools.collect())?;
    out.print_line("")?;
    let states = costs.states.iter().map(|cost| {
        vec![
            Cell::plain(cost.state.to_string()),
            Cell::plain(cost.tools.to_string()),
            Cell::plain(cost.tokens.to_string()),
            over(cost.tokens, settings.state_tokens),
        ]
    });
    columns::write_table(out, &["STATE", "TOOLS", "TOKENS", "BUDGET"], states.collect())?;
    // The summary comes last, where both go to a terminal.
    out.flush()?;
    out.print_status(format_args!(
        "{}, about {total} tokens (an estimate); states: a request for {}",
        count_text(costs.tools.len(), "tool", "tools"),
        group_words(settings)
    ));
    Ok(Ending::Done)
}
