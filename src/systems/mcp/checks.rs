//! What is wrong with kept lists, and with what `toolcrib.toml` says of their servers.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    entries::{is_setting, server_of},
    kept, keys,
    tool_findings::tool_findings,
    version::DEFAULT,
};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean},
            context::LintContext,
        },
        schema_faults::other_faults,
        settings::gate_table::{GateFault, gate_faults},
        workflow::similar::nearest_name,
    },
    model::{
        entry::{Entry, EntryKind, FileId},
        finding::{Finding, Severity},
        tool::Tool,
    },
    schema::pointer::Pointer,
    systems::facets::kept_tools::SOURCE_DIFFERS,
};

/// A finding by its code: how bad it is, and what it means.
pub struct Row {
    pub code: &'static str,
    pub severity: Severity,
    pub about: &'static str,
}

const fn error(code: &'static str, about: &'static str) -> Row {
    Row { code, severity: Severity::Error, about }
}

const fn warning(code: &'static str, about: &'static str) -> Row {
    Row { code, severity: Severity::Warning, about }
}

const fn note(code: &'static str, about: &'static str) -> Row {
    Row { code, severity: Severity::Note, about }
}

const CONTRADICTION: &str = "schema.contradiction";
const EDITED: &str = "kept.edited";
const NO_SERVER: &str = "kept.no-server";
const UNDECLARED: &str = "schema.required-undeclared";
const UNKNOWN_KEY: &str = "server.unknown-key";
const UNKNOWN_TOOL: &str = "server.unknown-tool";
const MALFORMED: &str = "server.malformed";

/// Every finding of this system.
pub const ROWS: &[Row] = &[
    error("tool.name-missing", "The tool has no name, so it can't be called."),
    warning("tool.name-length", "The name is empty or has more than 128 characters."),
    warning(
        "tool.name-pattern",
        "The name has characters other than A to Z, a to z, digits, `_`, `-` and `.`.",
    ),
    warning(
        "tool.name-refused",
        "Model APIs accept names of 1 to 64 letters, digits, `_` and `-`, and reject this one.",
    ),
    error("tool.name-duplicate", "Another tool of the server has the same name."),
    warning(
        "tool.no-description",
        "The tool has no description: a model can't know when to use it.",
    ),
    note("tool.unknown-member", "The server's revision of the protocol has no such member."),
    note("text.long", "The description has more than 1,024 characters."),
    error(
        "input.missing",
        "The tool has no schema for its arguments; some clients drop the whole list because of it.",
    ),
    error("input.not-object", "The schema of the arguments isn't an object."),
    error("input.type-not-object", "The root of the arguments' schema isn't of type object."),
    error("output.not-object", "The schema of the answer isn't an object."),
    error(
        "output.type-not-object",
        "Before revision 2026-07-28, an answer and its schema must be of type object.",
    ),
    warning("schema.dialect-unknown", "`$schema` isn't a known version of JSON Schema."),
    error("schema.invalid", "The schema isn't valid in its version of JSON Schema."),
    warning(
        "schema.ref-external",
        "A reference points outside the schema; clients may not follow \
        it.",
    ),
    error("schema.ref-dangling", "A reference points to nothing."),
    warning(
        CONTRADICTION,
        "The schema says two things that can't both hold, or a keyword or format is misspelt.",
    ),
    warning(UNDECLARED, "A required member isn't among the properties."),
    warning("annotations.not-boolean", "A hint is neither true nor false, so it is ignored."),
    warning("annotations.contradict", "The tool claims to be read-only and destructive."),
    warning(
        "annotations.name-contradicts",
        "The tool claims to be read-only, but its name suggests that it changes something.",
    ),
    warning("icons.unsafe-scheme", "An icon is neither an https: nor a data: address."),
    warning("exec.task-unknown", "`taskSupport` is neither forbidden nor optional nor required."),
    warning("meta.key-invalid", "The protocol doesn't allow this key of `_meta`."),
    warning(
        "header.empty",
        "An argument's header name is missing: the tool must not be called \
        over HTTP.",
    ),
    warning(
        "header.not-token",
        "An argument's header name is invalid: the tool must not be called over HTTP.",
    ),
    warning(
        "header.duplicate",
        "Two arguments have the same header name: the tool must not be called over HTTP.",
    ),
    warning(
        "header.type",
        "A header is set on something other than a string, integer or boolean: the tool must not \
        be called over HTTP.",
    ),
    warning(
        "header.unreachable",
        "A header is set on a value whose place can vary: the tool must not be called over HTTP.",
    ),
    warning("text.ansi", "A text has an escape sequence, which controls a terminal that shows it."),
    warning("text.control", "A text has control characters."),
    warning(
        "text.tags",
        "A text has tag characters, which are invisible to users but not to \
        models.",
    ),
    warning("text.bidi", "A text changes the direction of writing."),
    warning("text.invisible", "A text has invisible characters."),
    warning(
        "text.injection",
        "A title or description reads like an instruction to the model, hidden from the user.",
    ),
    warning(EDITED, "The tools differ from the server's: the list was edited by hand."),
    warning(SOURCE_DIFFERS, "A file that tools of the list come from says something else of them."),
    error(NO_SERVER, "The list doesn't name its server; the name of its file is used instead."),
    warning(UNKNOWN_KEY, "`toolcrib.toml` has an unknown key for a server or tool."),
    warning(
        UNKNOWN_TOOL,
        "`toolcrib.toml` has settings for a tool that isn't in the server's saved list.",
    ),
    error(MALFORMED, "`toolcrib.toml` has a value of the wrong type for a server."),
];

/// Keys of `[mcp.NAME]` that are read.
const OF_SERVER: [&str; 1] = [keys::TOOLS];

/// What is wrong with the entries of this system.
#[must_use]
pub fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    let mut found = FoundFindings { findings: Vec::new() };
    let own = |entry: &&Entry| entry.system == keys::SYSTEM && entry.kind == EntryKind::Server;
    let servers: Vec<&Entry> = context.catalog.others.iter().filter(own).collect();
    let mut lists: HashMap<&FileId, Vec<&Tool>> = HashMap::new();
    let mut names: HashMap<&str, Vec<&str>> = HashMap::new();
    for tool in context.catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM) {
        lists.entry(tool.entry.id.file()).or_default().push(tool);
        names.entry(server_of(&tool.entry)).or_default().push(&tool.name);
    }
    for server in servers {
        if is_setting(server) {
            found.check_settings(
                server,
                names.get(server.key.as_str()).map_or(&[][..], Vec::as_slice),
            );
            continue;
        }
        if !server.value.get(keys::SERVER).is_some_and(Value::is_string) {
            let message = format!("add \"{}\": \"{}\"", keys::SERVER, server.key);
            found.push_finding(NO_SERVER, server, Pointer::root().child(keys::SERVER), message);
        }
        let version = server.value.get(keys::VERSION).and_then(Value::as_str).unwrap_or(DEFAULT);
        found.check_tools(lists.get(server.id.file()).map_or(&[][..], Vec::as_slice), version);
        let tools =
            server.value.get(keys::TOOLS).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let is_kept = server
            .value
            .get(keys::HASH)
            .and_then(Value::as_str)
            .is_none_or(|hash| hash == kept::hash_tools(tools));
        if !is_kept {
            let message = "the tools differ from the server's; save the list again, accept the \
                current one, or delete the hash if you write the list yourself";
            found.push_finding(EDITED, server, Pointer::root().child(keys::HASH), message);
        }
    }
    found.findings
}

struct FoundFindings {
    findings: Vec<Finding>,
}

impl FoundFindings {
    fn push_finding(
        &mut self,
        code: &'static str,
        entry: &Entry,
        at: Pointer,
        message: impl Into<String>,
    ) {
        self.report(code).add_finding(entry, at, message);
    }

    fn report(&mut self, code: &'static str) -> Report<'_> {
        let severity =
            ROWS.iter().find(|row| row.code == code).map_or(Severity::Warning, |row| row.severity);
        Report::new(code, severity, &mut self.findings)
    }

    /// The tools of one list.
    fn check_tools(&mut self, tools: &[&Tool], version: &str) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for tool in tools {
            *counts.entry(tool.name.as_str()).or_default() += 1;
        }
        for tool in tools {
            let is_double = counts.get(tool.name.as_str()).is_some_and(|count| *count > 1);
            let others = [tool.name.as_str()];
            for fault in
                tool_findings(&tool.entry.value, version, if is_double { &others } else { &[] })
            {
                match fault.id {
                    UNDECLARED => self.check_required(&tool.entry, fault.at),
                    id => self.push_finding(id, &tool.entry, fault.at, fault.words),
                }
            }
            self.check_contradictions(&tool.entry);
        }
    }

    /// A required member that isn't there, at its place in the list of those: which one, and which may
    /// be meant.
    fn check_required(&mut self, entry: &Entry, at: Pointer) {
        let value: &Value = &entry.value;
        let name = at.get(value).and_then(Value::as_str).unwrap_or_default();
        let list = at.parent();
        let required = list.as_ref().and_then(|list| list.get(value)?.as_array());
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let schema = list.as_ref().and_then(Pointer::parent);
        let declared = schema.and_then(|schema| schema.get(value)?.get("properties")?.as_object());
        let others = declared.into_iter().flat_map(Map::keys).map(String::as_str);
        let near = nearest_name(name, others.filter(|&other| !is_required(other)));
        let message =
            format!("\"{name}\" is required, and not among \"properties\"{}", did_you_mean(near));
        let mut report = self.report(UNDECLARED);
        let found = report.add_finding(entry, at, message);
        if let Some(near) = near {
            found.fix_set(format!("require \"{near}\""), near);
        }
    }

    /// All but required members that aren't there, which have a finding of their own.
    fn check_contradictions(&mut self, entry: &Entry) {
        for member in ["inputSchema", "outputSchema"] {
            let schema = entry.value.get(member).map(other_faults);
            for (at, words) in schema.into_iter().flatten() {
                let at = Pointer::root().child(member).join(&at);
                self.push_finding(CONTRADICTION, entry, at, words);
            }
        }
    }

    /// What the settings say of a server with these tools.
    fn check_settings(&mut self, server: &Entry, known: &[&str]) {
        let Some(members) = server.value.as_object() else {
            return self.push_finding(
                MALFORMED,
                server,
                Pointer::root(),
                "has to be a table: [mcp.NAME]",
            );
        };
        for key in members.keys().filter(|key| !OF_SERVER.contains(&key.as_str())) {
            let near = did_you_mean(nearest_name(key, OF_SERVER));
            self.push_finding(
                UNKNOWN_KEY,
                server,
                Pointer::root().child(key.as_str()),
                format!("\"{key}\" has no effect{near}"),
            );
        }
        let at = Pointer::root().child(keys::TOOLS);
        let tools = match members.get(keys::TOOLS) {
            None => return,
            Some(Value::Object(tools)) => tools,
            Some(_) => {
                return self.push_finding(
                    MALFORMED,
                    server,
                    at,
                    "has to be tables: [mcp.NAME.tools.TOOL]",
                );
            }
        };
        for (name, table) in tools {
            let at = at.child(name.as_str());
            if !known.contains(&name.as_str()) {
                let near = did_you_mean(nearest_name(name, known.iter().copied()));
                self.push_finding(
                    UNKNOWN_TOOL,
                    server,
                    at.clone(),
                    format!("the list of \"{}\" has no tool \"{name}\"{near}", server.key),
                );
            }
            self.check_gate(server, table, &at);
        }
    }

    fn check_gate(&mut self, server: &Entry, table: &Value, at: &Pointer) {
        for (inside, fault) in gate_faults(table) {
            let (code, words) = match fault {
                GateFault::Malformed(words) => (MALFORMED, words),
                GateFault::UnknownKey(words) => (UNKNOWN_KEY, words),
            };
            self.push_finding(code, server, at.join(&inside), words);
        }
    }
}
