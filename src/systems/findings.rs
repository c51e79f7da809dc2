//! All findings of a workspace, each at its line and column.

use std::collections::{HashMap, HashSet};

use super::{
    case_arguments::case_findings,
    entry_rules,
    list_sources::source_findings,
    table::{by_id, every_system, kept_tools_at},
};
use crate::{
    engine::{
        lint::{self, check::did_you_mean, context::LintContext, syntax},
        settings::connections,
        workflow::similar,
    },
    model::{
        catalog::Catalog,
        connection::Connection,
        connections::{Connections, Listeners},
        entry::{Entry, EntryForm, EntryId, EntryPlace, FileId},
        finding::{Finding, Fix, Severity, Site},
        settings::SETTINGS,
        transport::TransportKind,
    },
    schema::pointer::Pointer,
    syntax::{
        nested,
        parallel::map_slices,
        source::{Format, Source, SyntaxError},
    },
    systems::settings,
};

/// What is wrong with a catalog and the texts that it was read from, sorted by place. Texts that
/// could not be read are among the files and not in the catalog.
#[must_use]
pub fn catalog_findings<'s>(
    catalog: &Catalog,
    files: impl Fn(&FileId) -> Option<&'s Source> + Sync,
) -> Vec<Finding> {
    let context = LintContext::new(catalog);
    let mut findings = lint::run_common_checks(&context);
    findings.extend(every_system().iter().flat_map(|system| system.check_catalog(&context)));
    let entries: Vec<_> = catalog.entries().collect();
    let check_text = |entry: &&Entry| -> Vec<Finding> {
        let (Some(system), Some(source)) = (by_id(entry.system), files(entry.id.file())) else {
            return Vec::new();
        };
        system.check_text(&Entry::clone(entry), source)
    };
    findings.extend(map_slices(&entries, |slice| slice.iter().flat_map(check_text).collect()));
    merge_refused_names(&mut findings);
    findings.extend(source_findings(catalog, &files));
    let of_schemas = entry_rules::schema_findings(catalog, &findings);
    findings.extend(of_schemas);
    locate_findings(findings, &files)
}

/// Says once that model APIs refuse a name: by the check of its system, where that has one, with the
/// fix of the check for all systems.
fn merge_refused_names(findings: &mut Vec<Finding>) {
    const OF_ALL: &str = "identity.name-refused";
    const OF_SYSTEM: &str = "tool.name-refused";

    let of_system = findings.iter().filter(|finding| finding.code == OF_SYSTEM);
    let said: HashSet<EntryId> =
        of_system.filter_map(|finding| finding.site.entry.clone()).collect();
    let mut fixes: HashMap<EntryId, Option<Fix>> = HashMap::new();
    findings.retain_mut(|finding| match &finding.site.entry {
        Some(entry) if finding.code == OF_ALL && said.contains(entry) => {
            fixes.insert(entry.clone(), finding.fix.take());
            false
        }
        _ => true,
    });
    for finding in findings.iter_mut().filter(|finding| finding.code == OF_SYSTEM) {
        let fix = finding.site.entry.as_ref().and_then(|entry| fixes.remove(entry));
        finding.fix = finding.fix.take().or(fix.flatten());
    }
}

/// What is wrong with a catalog where its calls go, sorted by place; also as far as those show it
/// who listen there, where they are known.
#[must_use]
pub fn connection_findings<'s>(
    catalog: &Catalog,
    connections: &Connections,
    listeners: &Listeners,
    files: impl Fn(&FileId) -> Option<&'s Source> + Sync,
) -> Vec<Finding> {
    locate_findings(
        every_system()
            .iter()
            .flat_map(|system| system.check_there(catalog, connections, listeners))
            .collect(),
        &files,
    )
}

/// The place that a finding is about, and those that have to do with it.
fn sites_of(finding: &mut Finding) -> impl Iterator<Item = &mut Site> {
    let Finding { site, related, .. } = finding;
    std::iter::once(site).chain(related.iter_mut().map(|place| &mut place.site))
}

/// The findings at their lines and columns, in order.
pub(super) fn locate_findings<'s>(
    mut findings: Vec<Finding>,
    files: &(dyn Fn(&FileId) -> Option<&'s Source> + Sync),
) -> Vec<Finding> {
    // Those of one file together, and in it those of one entry: then each is looked into once.
    let mut sites: Vec<&mut Site> = findings.iter_mut().flat_map(sites_of).collect();
    // Until they have their places, all of an entry stand where it does.
    sites.sort_by(|one, other| {
        let key = |site: &Site| (site.line, site.column);
        one.file.cmp(&other.file).then(key(one).cmp(&key(other)))
    });
    let found = map_slices(&sites, |slice| {
        let in_files = slice.chunk_by(|one, other| one.file == other.file);
        let located = in_files.flat_map(|of_file| {
            let source = files(&of_file[0].file).map(Source::for_a_look);
            let locate = |site: &&mut Site| locate_site(site, source.as_ref()?);
            of_file.iter().map(locate).collect::<Vec<_>>()
        });
        located.collect()
    });
    for (site, place) in sites.into_iter().zip(found) {
        if let Some(place) = place {
            (site.line, site.column) = place;
        }
    }
    lint::sort_findings(&mut findings);
    findings
}

/// What is wrong with a text as such: the error that keeps it from being read, or what is odd in
/// it.
#[must_use]
pub fn of_text(
    catalog: &Catalog,
    file: &FileId,
    source: Result<&Source, &SyntaxError>,
) -> Vec<Finding> {
    match source {
        // It is read as what it is, but agents' systems read strict JSON.
        Ok(source)
            if Format::from_path(file.path()) == Some(Format::Json)
                && source.format() != Format::Json =>
        {
            Source::parse(Format::Json, source.text().clone())
                .err()
                .map(|error| syntax::syntax_error_finding(file, &error))
                .into_iter()
                .collect()
        }
        Ok(source)
            if Format::from_path(file.path()) == Some(Format::Json)
                && source.text().trim().is_empty() =>
        {
            vec![syntax::empty_finding(file)]
        }
        Ok(source) if file.as_str() == SETTINGS => of_settings(catalog, source),
        Ok(source) if source.notes().is_empty() => case_findings(catalog, file, source),
        Ok(source) => {
            let entries: Vec<_> =
                catalog.entries().filter(|entry| entry.id.file() == file).collect();
            let home = |document: usize, at: &Pointer| {
                let holds = |place: &EntryPlace| {
                    place.form == EntryForm::Plain
                        && place.document == document
                        && at.starts_with(&place.at)
                };
                let entry = entries.iter().find(|entry| holds(entry.id.place()))?;
                Some((entry.id.clone(), entry.id.place().at.clone()))
            };
            let mut found = syntax::findings_from_notes(file, source, &home);
            found.extend(case_findings(catalog, file, source));
            found
        }
        Err(error) => vec![syntax::syntax_error_finding(file, error)],
    }
}

/// What is wrong with the workspace's settings, by themselves and beside its tools.
fn of_settings(catalog: &Catalog, source: &Source) -> Vec<Finding> {
    let (settings, mut found) = settings::parse_settings(source.text());
    let at_connection = |name: &str| Pointer::root().child("connections").child(name);
    let site_at = |at: Pointer| {
        let place = source.find_place(0, &at);
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        Site { file: FileId::new(SETTINGS), entry: None, pointer: at, line, column }
    };
    let mut add_unknown = |at: Pointer, tool: &str, place: &str, names: &[&str]| {
        let hint = did_you_mean(similar::nearest_name(tool, names.iter().copied()));
        let site = site_at(at);
        let message = format!("there is no tool \"{}\" in {place}{hint}", tool.escape_debug());
        let (code, severity) = ("settings.unknown-tool", Severity::Warning);
        found.push(Finding::new(code, severity, message, site));
    };
    for (tool, connection) in
        settings.connections.of_tools.iter().filter(|(tool, _)| catalog.tool_called(tool).is_none())
    {
        let names: Vec<&str> = catalog.tools.iter().map(|tool| tool.entry.key.as_str()).collect();
        let list = at_connection(connection).child(connections::TOOLS);
        let listed = source.value(0).and_then(|value| {
            list.get(value)?.as_array()?.iter().position(|item| item == tool.as_str())
        });
        add_unknown(list.item(listed.unwrap_or(0)), tool, "this workspace", &names);
    }
    for connection in &settings.connections.known {
        let Some(kept) = kept_tools_at(connection) else { continue };
        let list = kept.path(&connection.name);
        let names: Vec<&str> = catalog
            .tools
            .iter()
            .filter(|tool| tool.entry.id.file().as_str() == list)
            .map(|tool| tool.name.as_str())
            .collect();
        let is_unknown = |tool: &&String| !names.is_empty() && !names.contains(&tool.as_str());
        for tool in connection.tool_timeouts.keys().filter(is_unknown) {
            let at = at_connection(&connection.name).child(connections::TOOL_TIMEOUTS);
            add_unknown(at.child(tool.as_str()), tool, &list, &names);
        }
    }
    let is_unnamed = |one: &&Connection| one.command().is_some() && one.settings.is_empty();
    for connection in settings.connections.known.iter().filter(is_unnamed) {
        let Some(word) = word_of_commands() else { break };
        let message =
            format!("nothing says what its command starts, so no tool is called there: add {word}");
        let site = site_at(at_connection(&connection.name).child("command"));
        found.push(Finding::new("settings.no-system", Severity::Warning, message, site));
    }
    found
}

/// The line that says what the command of a connection starts; `None` where no system has servers
/// that are started.
fn word_of_commands() -> Option<String> {
    let mut schemas = every_system().iter().filter_map(|system| system.connection_settings());
    let schema = schemas.find(|schema| schema.transports.contains(&TransportKind::Stdio))?;
    Some(format!("{} = \"{}\"", schema.named_by?, schema.system))
}

/// The line and column of a finding's exact place; what is not there is at the nearest thing around
/// it.
fn locate_site(site: &Site, source: &Source) -> Option<(usize, usize)> {
    let home = site.entry.as_ref()?.place();
    let found = match home.form {
        EntryForm::Plain => nearest_offset(source, home.document, &home.at.join(&site.pointer)),
        EntryForm::JsonText => in_text(source, home.document, &home.at, &site.pointer),
    };
    found
        .or_else(|| nearest_offset(source, home.document, &home.at))
        .map(|start| source.position(start))
}

/// The offset of a value, or of the nearest around it that is there; that of the key where it has
/// one.
fn nearest_offset(source: &Source, document: usize, at: &Pointer) -> Option<usize> {
    std::iter::successors(Some(at.clone()), Pointer::parent)
        .find_map(|at| source.start_offset(document, &at))
}

/// The offset of a value inside the JSON text of a JSON file.
fn in_text(source: &Source, document: usize, home: &Pointer, at: &Pointer) -> Option<usize> {
    let inner = nested::parse_inner(source, document, home).ok()?;
    let inside = nearest_offset(&inner, 0, at)?;
    let quoted = source.find_place(document, home)?.value;
    matches!(source.format(), Format::Json | Format::Jsonc)
        .then(|| nested::outer_offset(source.text(), quoted, inside))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::context::Mode, systems::read};

    #[test]
    fn what_stands_in_a_text_is_found_behind_its_escapes() {
        let inner = "{\"type\": \"promt\", \"name\": \"é😀\\u00e9\", \"description\": \"d\", \"groop\": [1]}";
        let escaped = inner
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('😀', "\\ud83d\\ude00")
            .replace('é', "\\u00e9");
        let text = format!("{{\"tool\": {{\n  \"a\": \"{escaped}\"\n}}}}");
        let file = FileId::new("t.json");
        let source = Source::parse(Format::Json, text.as_str()).unwrap();
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let at = |code: &str| {
            let found = catalog_findings(&catalog, |_| Some(&source));
            let site = found.iter().find(|finding| finding.code == code).unwrap().site.clone();
            assert_eq!(site.line, 2);
            text.lines().nth(1).unwrap().chars().skip(site.column - 1).take(8).collect::<String>()
        };
        assert_eq!(at("type.unknown"), "\\\"type\\\"");
        assert_eq!(at("gates.misspelt-key"), "\\\"groop\\");
    }

    /// Those of a server's list with one tool.
    fn of_list(name: &str, schema: &str) -> Vec<Finding> {
        let list = format!(
            r#"{{"server": "s", "tools": [{{"name": "{name}", "description": "Use it", "inputSchema": {schema}}}]}}"#
        );
        let file = FileId::new("mcp/s.json");
        let source = Source::parse(Format::Json, list).unwrap();
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        catalog_findings(&catalog, |_| Some(&source))
    }

    #[test]
    fn a_required_member_that_is_misspelt_is_named_and_fixed() {
        let schema = r#"{"type": "object", "properties": {"title": {"type": "string"}, "priority": {"type": "string"}}, "required": ["title", "prioritty"]}"#;
        let found = of_list("a", schema);
        let found = found.iter().find(|found| found.code == "schema.required-undeclared").unwrap();
        let words = "\"prioritty\" is required, and not among \"properties\"; did you mean \
            \"priority\"?";
        assert_eq!(found.message, words);
        assert_eq!(found.fix.as_ref().unwrap().label, "require \"priority\"");
    }

    #[test]
    fn a_name_that_apis_refuse_is_said_once_and_fixed() {
        let found = of_list("list.items", r#"{"type": "object"}"#);
        let refused: Vec<_> =
            found.iter().filter(|finding| finding.code.ends_with("name-refused")).collect();
        let [only] = refused[..] else { panic!("{found:#?}") };
        assert_eq!(only.code, "tool.name-refused");
        assert_eq!(only.fix.as_ref().unwrap().label, "name it \"list_items\"");
    }
}
