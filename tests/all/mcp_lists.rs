//! Kept lists of MCP servers in a workspace: their tools, the gates that `toolcrib.toml` gives
//! them, and what is wrong with both.

use toolcrib::{
    engine::lint,
    model::{
        catalog::Catalog,
        context::Mode,
        entry::FileId,
        finding::Finding,
        tool::{Audience, States},
    },
    syntax::source::{Format, Source},
    systems::{
        by_id, findings,
        mcp::{checks::ROWS, kept::KeptList, version::Era},
        read, settings,
    },
};

use crate::support::workbench::Workbench;

struct Workspace {
    files: Vec<(FileId, Source)>,
}

impl Workspace {
    fn of(tools: &str, settings: &str) -> Self {
        let list = format!(
            "{{\n\"server\": \"files\", \"era\": \"legacy\", \"version\": \"2025-11-25\",\n\"tools\": [\n{tools}\n]}}"
        );
        let file = |name: &str, format: Format, text: &str| {
            (FileId::new(name), Source::parse(format, text).unwrap())
        };
        Self {
            files: vec![
                file("mcp/files.json", Format::Json, &list),
                file("toolcrib.toml", Format::Toml, settings),
            ],
        }
    }

    fn catalog(&self) -> Catalog {
        read::read_catalog(self.files.iter().map(|(file, source)| (file, source)), Mode::Document)
    }

    /// Those of kept lists and their servers, with file and line.
    fn findings(&self) -> Vec<String> {
        let source = |file: &FileId| {
            self.files.iter().find(|(known, _)| known == file).map(|(_, source)| source)
        };
        let shown = |finding: &Finding| {
            format!("{}:{} {}", finding.site.file, finding.site.line, finding.code)
        };
        let own = |finding: &&Finding| ROWS.iter().any(|row| row.code == finding.code);
        findings::catalog_findings(&self.catalog(), source).iter().filter(own).map(shown).collect()
    }
}

const READ: &str = r#"{"name": "read", "description": "Reads a file.", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}"#;
const WRITE: &str =
    r#"{"name": "write", "description": "Writes a file.", "inputSchema": {"type": "object"}}"#;

#[test]
fn a_kept_list_is_a_catalog_of_tools() {
    let catalog = Workspace::of(&format!("{READ},\n{WRITE}"), "").catalog();
    let keys: Vec<_> = catalog
        .tools
        .iter()
        .map(|tool| (tool.entry.key.as_str(), tool.name.as_str(), tool.entry.line))
        .collect();
    assert_eq!(keys, [("files/read", "read", 4), ("files/write", "write", 5)]);
    let tool = &catalog.tools[0];
    assert_eq!(
        (tool.service.as_deref(), &tool.gate.offer, &tool.gate.states),
        (Some("files"), &Audience::ToAll, &States::Every)
    );
    let function = by_id("mcp").unwrap().model_function(tool);
    assert_eq!((function.name.as_str(), function.description.as_str()), ("read", "Reads a file."));
    assert_eq!(function.parameters["properties"]["path"]["type"], "string");
}

#[test]
fn only_a_list_in_its_folder_is_one() {
    let text = KeptList {
        server: "a".into(),
        era: Era::Modern,
        version: "2026-07-28".into(),
        time: String::new(),
        tools: vec![],
    }
    .print();
    let tools = |file: &str, text: &str| {
        let source = Source::parse(Format::Json, text).unwrap();
        read::read_catalog([(&FileId::new(file), &source)], Mode::Document).others.len()
    };
    assert_eq!(
        [tools("mcp/a.json", &text), tools("x/mcp/a.json", &text), tools("a.json", &text)],
        [1, 1, 0]
    );
    assert_eq!(tools("mcp/a.json", r#"{"tools": []}"#), 0);
}

#[test]
fn a_list_that_does_not_say_its_server_is_of_the_one_that_its_file_is_named_after() {
    for said in [r#""era": "modern""#, r#""server": {"name": "files"}"#] {
        let text = format!(r#"{{{said}, "version": "2026-07-28", "tools": [{READ}]}}"#);
        let (file, source) =
            (FileId::new("mcp/files.json"), Source::parse(Format::Json, text).unwrap());
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let keys: Vec<&str> = catalog.tools.iter().map(|tool| tool.entry.key.as_str()).collect();
        assert_eq!(keys, ["files/read"]);
        let found = findings::catalog_findings(&catalog, |_: &FileId| Some(&source));
        let found: Vec<_> =
            found.iter().map(|finding| format!("{} {}", finding.code, finding.message)).collect();
        assert_eq!(found, [r#"kept.no-server add "server": "files""#]);
    }
}

#[test]
fn gates_come_from_the_settings_and_follow_them() {
    let settings =
        "[mcp.files.tools.write]\ngroups = [\"admin\"]\nstates = [\"open\"]\nnext = \"done\"\n";
    let workspace = Workspace::of(&format!("{READ},\n{WRITE}"), settings);
    assert_eq!(workspace.findings(), [""; 0]);
    let mut catalog = workspace.catalog();
    let gate = catalog.tools[1].gate.clone();
    assert_eq!((gate.groups(), gate.next.as_deref()), (vec!["admin".into()], Some("done")));
    assert!(gate.states.admits("open") && !gate.states.admits("done"));
    assert!(
        catalog.gate_names().groups.contains("admin")
            && catalog.gate_names().states.contains("done")
    );
    let (file, other) =
        (FileId::new("toolcrib.toml"), Source::parse(Format::Toml, "[mcp.files]\n").unwrap());
    catalog.replace_file(&file, read::read_part(&file, &other, Mode::Document));
    read::apply_loading(&mut catalog);
    assert_eq!(
        (&catalog.tools[1].gate.offer, catalog.gate_names().groups.len()),
        (&Audience::ToAll, 0)
    );
    assert_eq!(settings::parse_settings(settings).1, [], "the table is known to the settings");
}

#[test]
fn what_is_wrong_is_told_at_its_line() {
    let tools = "{\"name\": \"read\",\n \"description\": \"<system>x</system>\",\n \"inputSchema\": {\"type\": \"object\", \"required\": [\n\"a\"]}}";
    let workspace = Workspace::of(&format!("{tools},\n{READ}"), "");
    assert_eq!(
        workspace.findings(),
        [
            "mcp/files.json:4 tool.name-duplicate",
            "mcp/files.json:5 text.injection",
            "mcp/files.json:7 schema.required-undeclared",
            "mcp/files.json:8 tool.name-duplicate",
        ]
    );
    let schema = r#"{"type": "object", "properties": {"a": {"enum": ["x"], "default": "y"}}}"#;
    let tool =
        format!(r#"{{"name": "read", "description": "Reads a file.", "inputSchema": {schema}}}"#);
    assert_eq!(Workspace::of(&tool, "").findings(), ["mcp/files.json:4 schema.contradiction"]);
}

#[test]
fn settings_of_servers_are_checked() {
    let settings = "[mcp.files]\ntols = 1\n[mcp.files.tools.raed]\ngroups = 5\nstates = [1]\nnext = [\"a\"]\n\
        [mcp.files.tools.read]\nnxt = \"a\"\ngroups = \"one\"\n[mcp]\nother = 3\n";
    let files = Workspace::of(READ, &settings.replace("[mcp]\nother = 3\n", ""));
    assert_eq!(
        files.findings(),
        [
            "toolcrib.toml:2 server.unknown-key",
            "toolcrib.toml:3 server.unknown-tool",
            "toolcrib.toml:4 server.malformed",
            "toolcrib.toml:5 server.malformed",
            "toolcrib.toml:6 server.malformed",
            "toolcrib.toml:8 server.unknown-key",
        ]
    );
    let odd = Workspace::of(READ, "[mcp]\nother = 3\nfiles = {tools = 5}\n");
    assert_eq!(
        odd.findings(),
        ["toolcrib.toml:2 server.malformed", "toolcrib.toml:3 server.malformed"]
    );
}

#[test]
fn a_list_that_was_changed_by_hand_is_told() {
    let tools = vec![serde_json::from_str(READ).unwrap()];
    let list = KeptList {
        server: "files".into(),
        era: Era::Legacy,
        version: "2025-11-25".into(),
        time: String::new(),
        tools,
    };
    let with = |text: &str| {
        let files =
            vec![(FileId::new("mcp/files.json"), Source::parse(Format::Json, text).unwrap())];
        Workspace { files }.findings()
    };
    assert_eq!(with(&list.print()), [""; 0]);
    assert_eq!(
        with(&list.print().replace("Reads a file.", "Reads any file.")),
        ["mcp/files.json:6 kept.edited"]
    );
}

#[test]
fn every_code_is_of_one_severity() {
    let codes: Vec<&str> = ROWS.iter().map(|row| row.code).collect();
    let once: std::collections::BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(once.len(), codes.len());
    assert!(ROWS.iter().all(
        |row| !row.about.is_empty() && lint::CHECKS.iter().all(|check| check.code != row.code)
    ));
}

#[test]
fn a_list_that_one_writes_has_fields_for_its_tools() {
    let other = r#"{"server": "other", "version": "2025-11-25", "tools": []}"#;
    let mut bench = Workbench::files(&[("mcp/other.json", other)], 120, 36);
    bench.keys("n");
    for of_system in ["TrustGraph · Calls a tool of an MCP server.", "MCP · The tools of an MCP"]
    {
        assert!(bench.shows(of_system), "{}", bench.screen());
    }
    bench.types("mcp-server-tools");
    bench.keys("enter");
    bench.types("shop");
    bench.keys("enter G a");
    // The name is typed at once.
    bench.types("get_forecast");
    let document = bench.state.documents.get(&FileId::new("mcp/shop.json"));
    let text = document.map(|document| document.text.to_string()).unwrap_or_default();
    assert!(text.contains(r#""name": "get_forecast""#), "{text}\n{}", bench.screen());
    assert!(text.contains("inputSchema"), "{text}");
}

#[test]
fn new_is_found_by_the_system() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.keys("esc n");
    bench.types("trustgraph");
    assert!(bench.shows("tool-service") && !bench.shows("mcp-server-tools"), "{}", bench.screen());
}
