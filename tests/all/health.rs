//! The health of a set of tools: each code with tools that provoke it and tools that don't, at their
//! places; budgets; fixes; large sets; the screen.

use std::collections::BTreeMap;

use toolcrib::{
    engine::health::HEALTH,
    model::{
        context::Mode,
        entry::FileId,
        finding::{Finding, Severity},
        health::{HealthSettings, ModelApi},
    },
    store::samples::SAMPLES,
    syntax::source::{Format, Source},
    systems::{findings, health, read, settings},
};

use super::support::workbench::Workbench;

type Files = BTreeMap<FileId, Source>;

fn files(texts: &[(&str, &str)]) -> Files {
    let parse = |(name, text): &(&str, &str)| {
        let file = FileId::new(*name);
        let format = Format::from_path(file.path()).unwrap();
        let source = Source::parse(format, *text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        (file, source)
    };
    texts.iter().map(parse).collect()
}

fn check(files: &Files, settings: &HealthSettings) -> Vec<Finding> {
    let catalog = read::read_catalog(files.iter(), Mode::Document);
    let known = findings::catalog_findings(&catalog, |file| files.get(file));
    health::health_findings(&catalog, settings, &known, |file| files.get(file))
}

/// Places and messages of a code.
fn found(findings: &[Finding], code: &str) -> Vec<String> {
    findings
        .iter()
        .filter(|finding| finding.code == code)
        .map(|finding| {
            let site = &finding.site;
            format!("{}:{} {}", site.line, site.column, finding.message)
        })
        .collect()
}

/// A tool that nothing is wrong with.
const CLEAN: &str = "\
tool:
  joke: {type: prompt, name: tell-joke, template: t, description: Tells a joke. Use it when someone asks for fun., arguments: [{name: topic, type: string, description: About what}]}
";

/// A list as an MCP server gave it, with this schema of its only tool.
fn kept(schema: &str) -> String {
    format!(
        r#"{{"server": "s", "version": "2025-11-25", "tools": [{{"name": "a", "description": "Use it", "inputSchema": {schema}}}]}}"#
    )
}

#[test]
fn every_code_is_provoked_at_its_place_and_not_by_what_is_right() {
    let yaml = |text: &str| ("t.yaml", text.to_owned());
    let list = |schema: &str| ("mcp/s.json", kept(schema));
    // It says that it is sent so.
    let strict = kept(
        r#"{"type": "object", "additionalProperties": false, "properties": {"x": {"type": "integer", "minimum": 1, "description": "X"}}}"#,
    );
    let strict = strict.replace(r#""name":"#, r#""_meta": {"toolcrib/strict": true}, "name":"#);
    let rows = [
        (
            "health.names-alike",
            yaml(
                "tool:\n  a: {type: prompt, template: t, name: delete_user, description: Removes a person}\n  b: {type: prompt, template: t, name: removeUsers, description: Takes someone away}\n",
            ),
            "3:34 a model mixes up \"removeUsers\" and \"delete_user\" (line 2)",
        ),
        (
            "health.descriptions-alike",
            yaml(
                "tool:\n  a: {type: prompt, template: t, name: a, description: Finds open orders of a customer}\n  b: {type: prompt, template: t, name: b, description: Finds the open orders for one customer}\n",
            ),
            "3:43 the description of \"b\" has 80 % of its words in common with that of \"a\" (line 2)",
        ),
        (
            "health.when-to-use",
            yaml("tool:\n  a: {type: prompt, template: t, name: a, description: Tells a joke}\n"),
            "2:43 the description doesn't say when to use \"a\"",
        ),
        (
            "health.argument-undescribed",
            list(
                r#"{"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "object", "description": "Y", "properties": {"z": {}}}}}"#,
            ),
            "1:140 x, y.z have no description",
        ),
        (
            "health.openai",
            list(
                r#"{"type": "object", "properties": {"x": {"type": "array", "description": "X"}}}"#,
            ),
            "1:140 OpenAI refuses a list without \"items\" of x: say what its items are",
        ),
        (
            "health.openai-strict",
            list(
                r#"{"type": "object", "properties": {"x": {"type": "string", "default": "a", "description": "X"}}}"#,
            ),
            "OpenAI's strict mode refuses \"default\" of x: say it in the description",
        ),
        (
            "health.anthropic",
            list(
                r#"{"type": "object", "anyOf": [{"required": ["x"]}], "properties": {"x": {"description": "X"}}}"#,
            ),
            "Anthropic refuses \"anyOf\" at the root: put it inside a property",
        ),
        (
            "health.anthropic-strict",
            ("mcp/s.json", strict),
            "Anthropic's strict mode refuses \"minimum\" of x: say it in the description",
        ),
        (
            "health.gemini",
            list(r#"{"type": "object", "properties": {"x": {"const": 1, "description": "X"}}}"#),
            "1:140 Gemini refuses \"const\" of x: use \"enum\" with one value",
        ),
        (
            "health.mcp",
            list(
                r#"{"type": "object", "properties": {"x": {"type": "array", "description": "X"}}}"#,
            ),
            "1:140 an MCP client refuses a list without \"items\" of x",
        ),
    ];
    let settings = HealthSettings::default();
    let clean = check(&files(&[("t.yaml", CLEAN)]), &settings);
    for (code, (name, text), wanted) in &rows {
        let all = check(&files(&[(name, text)]), &settings);
        let [only] = &found(&all, code)[..] else { panic!("{code}: {all:#?}") };
        assert!(only.contains(wanted), "{code}: {only}");
        assert_eq!(found(&clean, code), [""; 0], "{code}");
    }
    let told: Vec<&str> = rows.iter().map(|(code, ..)| *code).collect();
    let budgets = ["health.tool-tokens", "health.state-tokens"];
    let without: Vec<&str> =
        HEALTH.iter().map(|row| row.code).filter(|code| !told.contains(code)).collect();
    assert_eq!(without, budgets, "a code that no row provokes");
}

#[test]
fn what_a_model_never_gets_together_is_not_compared() {
    let text = |first: &str, second: &str| {
        format!(
            "tool:\n  a: {{type: prompt, template: t, name: get_user, description: Use one, applicable-states: [{first}]}}\n  b: {{type: prompt, template: t, name: fetch_user, description: Use two, applicable-states: [{second}]}}\n"
        )
    };
    let count = |text: &str| {
        let all = check(&files(&[("t.yaml", text)]), &HealthSettings::default());
        found(&all, "health.names-alike").len()
    };
    assert_eq!(count(&text("x, y", "y, z")), 1);
    assert_eq!(count(&text("x", "y")), 0);
}

#[test]
fn budgets_of_the_workspace_are_rules() {
    let text = "tool:\n  a: {type: prompt, template: t, name: a, description: Use it, group: [x]}\n  b: {type: prompt, template: t, name: b, description: Use it too and say more of it, group: [x], applicable-states: [late]}\n  c: {type: prompt, template: t, name: c, description: Use it, group: [y], state: late}\n";
    let files = files(&[("t.yaml", text)]);
    let read = |text: &str| settings::parse_settings(text).0.health;
    let codes = |settings: &HealthSettings| -> Vec<_> {
        let all = check(&files, settings);
        let of_budget = all.iter().filter(|finding| finding.code.ends_with("-tokens"));
        of_budget.map(|finding| (finding.code, finding.severity, finding.message.clone())).collect()
    };
    assert_eq!(codes(&read("")), []);
    let tool = codes(&read("[health]\ntool-tokens = 50\n"));
    assert!(
        matches!(&tool[..], [("health.tool-tokens", Severity::Error, words)] if words.starts_with("\"b\" costs about ")),
        "{tool:#?}"
    );
    let state = codes(&read("[health]\nstate-tokens = 140\n"));
    assert!(
        matches!(&state[..], [("health.state-tokens", Severity::Error, words)]
            if words.starts_with("in state \"late\" a request for every group gets 3 tools") && words.contains("more than 140; the largest are \"b\"")),
        "{state:#?}"
    );
    let of_group = codes(&read("[context]\ngroups = ['y']\n[health]\nstate-tokens = 140\n"));
    assert_eq!(of_group, [], "a request for y gets one tool");
    // A group of the workspace's own holds tools and groups.
    let own =
        "[context]\ngroups = ['mine']\n[groups]\nmine = ['c', 'x']\n[health]\nstate-tokens = 140\n";
    let own = codes(&read(own));
    assert!(
        matches!(&own[..], [("health.state-tokens", _, words)] if words.contains("a request for mine gets 3 tools")),
        "{own:#?}"
    );
    let costs = health::tool_costs(
        &read::read_catalog(files.iter(), Mode::Document),
        &HealthSettings::default(),
    );
    let states: Vec<_> = costs.states.iter().map(|cost| (&*cost.state, cost.tools)).collect();
    assert_eq!(states, [("late", 3), ("undefined", 2)]);
    assert_eq!(costs.tools.first().map(|(row, _)| *row), Some(1), "the largest comes first");
}

#[test]
fn a_table_that_is_wrong_is_a_finding_and_the_rest_counts() {
    let (read, found) = settings::parse_settings(
        "[health]\ntool-tokens = 0\nalike = 120\napis = ['gemini', 'opanai']\nstate-token = 3\n",
    );
    let words: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
    for wanted in [
        "a whole number from 1 on",
        "a percentage up to 100",
        "did you mean \"openai\"?",
        "did you mean \"state-tokens\"?",
    ] {
        assert!(words.iter().any(|words| words.contains(wanted)), "{wanted} in {words:#?}");
    }
    assert_eq!((words.len(), read.health.enabled), (4, true));
    assert_eq!(read.health.apis, [ModelApi::Gemini]);
    let off = settings::parse_settings("[health]\nenabled = false\n").0;
    assert!(!off.health.enabled && !settings::parse_settings("").0.health.enabled);
}

#[test]
fn a_fix_says_the_same_for_every_api() {
    let text = "tool_name: lamp\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.on\ndescription: Use it\nparameters:\n  type: object\n  properties:\n    mode: {const: high, description: Mode} # kept\n    far: {description: Far, oneOf: [{type: string}]}\n";
    let mut files = files(&[("lamp.yaml", text)]);
    let settings = HealthSettings { apis: vec![ModelApi::Gemini], ..HealthSettings::default() };
    let all = check(&files, &settings);
    let finding = all.iter().find(|finding| finding.code == "health.gemini").unwrap();
    let fix = finding.fix.clone().unwrap();
    let file = FileId::new("lamp.yaml");
    for edit in &fix.edits {
        let (after, _) = files[&file].apply(0, &edit.edit).unwrap();
        files.insert(file.clone(), after);
    }
    let after = files[&file].text().to_string();
    assert!(after.contains("mode: {enum: [high], description: Mode} # kept"), "{after}");
    assert!(after.contains("anyOf: [{type: string}]"), "{after}");
    assert!(
        !found(&check(&files, &settings), "health.gemini").join("").contains("const"),
        "{after}"
    );
}

#[test]
fn what_sdks_rewrite_for_strict_mode_is_reported_where_the_workspace_asks_for_it() {
    let given = settings::parse_settings("[health]\napis = ['openai-strict']\n").0.health;
    let files = files(&[("t.yaml", CLEAN)]);
    let all = check(&files, &given);
    let strict = all.iter().find(|finding| finding.code == "health.openai-strict").unwrap();
    assert_eq!(strict.severity, Severity::Warning, "a request with it is refused");
    let words = found(&all, "health.openai-strict").join("");
    assert!(
        words.contains("refuses further properties: write \"additionalProperties\": false"),
        "{words}"
    );
}

#[test]
fn what_is_refused_with_every_other_tool_of_a_request_is_a_warning() {
    let list = kept(r#"{"type": "object", "properties": {"x": {"type": "array"}}}"#);
    let severity = |code: &str, settings: &HealthSettings| {
        let all = check(&files(&[("mcp/s.json", &list)]), settings);
        all.iter().find(|finding| finding.code == code).unwrap().severity
    };
    let usual = HealthSettings::default();
    assert_eq!(severity("health.openai", &usual), Severity::Warning);
    assert_eq!(severity("health.gemini", &usual), Severity::Note);
    let named = settings::parse_settings("[health]\napis = ['gemini']\n").0.health;
    assert_eq!(severity("health.gemini", &named), Severity::Warning);
}

#[test]
fn a_kept_list_is_not_edited() {
    let list = kept(r#"{"type": "object", "properties": {"x": {"const": 1, "description": "X"}}}"#);
    let all = check(&files(&[("mcp/s.json", &list)]), &HealthSettings::default());
    assert!(all.iter().all(|finding| finding.fix.is_none()), "{all:#?}");
}

#[test]
fn what_would_be_said_of_many_tools_of_a_file_is_said_once_with_their_names() {
    let tools = |count: usize| {
        let words = [
            "Lists orders",
            "Closes a ticket",
            "Rings a bell",
            "Paints walls",
            "Adds two numbers",
            "Sends mail",
            "Opens the door",
            "Bakes bread",
            "Finds streets",
        ];
        let tool = |(row, words): (usize, &&str)| {
            format!(
                "  t{row}: {{type: prompt, template: t, name: tool-{row}, description: {words}}}\n"
            )
        };
        let tools = words.iter().take(count).enumerate().map(tool).collect::<String>();
        check(&files(&[("t.yaml", &format!("tool:\n{tools}"))]), &HealthSettings::default())
    };
    assert_eq!(found(&tools(6), "health.when-to-use").len(), 6);
    let all = tools(9);
    let [only] = &found(&all, "health.when-to-use")[..] else { panic!("{all:#?}") };
    assert!(only.contains("9 descriptions don't say when to use their tools"), "{only}");
    assert!(only.contains("tool-0, tool-1") && only.ends_with("tool-5 and 3 more"), "{only}");
    let one = all.iter().find(|finding| finding.code == "health.when-to-use").unwrap();
    assert_eq!(one.related.len(), 8, "its report names all places");
    assert!(one.related.iter().all(|place| place.site.line > 2), "{:?}", one.related);
}

#[test]
fn a_name_that_apis_refuse_is_one_finding() {
    let list = kept(r#"{"type": "object", "properties": {}}"#)
        .replace(r#""name": "a""#, r#""name": "send.email""#);
    let all = check(&files(&[("mcp/s.json", &list)]), &HealthSettings::default());
    let refused = |finding: &&Finding| finding.message.contains("refuses the name");
    assert_eq!(all.iter().find(refused), None, "its check says it");
}

#[test]
fn of_thousands_that_are_alike_one_finding_stands_for_all() {
    let tool = |row: usize| {
        format!(
            "  t{row}: {{type: prompt, template: t, name: tool-{row}, description: 'Use it for number {row} of many things, other still, with a plain sentence of usual length'}}\n"
        )
    };
    let text: String = ["tool:\n".to_owned()].into_iter().chain((0..2_000).map(tool)).collect();
    let all = check(&files(&[("t.yaml", &text)]), &HealthSettings::default());
    let [only] = &found(&all, "health.descriptions-alike")[..] else { panic!("{}", all.len()) };
    assert!(only.starts_with("2:") && only.contains("1995 more"), "{only}");
}

#[test]
fn samples_have_no_tool_that_openai_anthropic_or_an_mcp_client_refuses() {
    for sample in SAMPLES {
        let texts =
            sample.files.iter().filter(|(path, _)| Format::from_path(path.as_ref()).is_some());
        let texts: Vec<(&str, &str)> = texts.map(|(path, text)| (*path, *text)).collect();
        for code in ["health.openai", "health.anthropic", "health.mcp"] {
            let mut found = found(&check(&files(&texts), &HealthSettings::default()), code);
            // The document's own configuration has names with spaces.
            found.retain(|words| !words.contains("refuses the name"));
            assert_eq!(found, [""; 0], "{}", sample.name);
        }
    }
}

#[test]
fn the_page_lists_every_code() {
    let page = include_str!("../../docs/check.md");
    let (_, rest) = page.split_once("<!-- health -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- /health -->").unwrap();
    let rows = HEALTH.iter().map(|row| format!("| `{}` | {} |\n", row.code, row.about));
    let wanted: String =
        ["| code | what it finds |\n| --- | --- |\n".to_owned()].into_iter().chain(rows).collect();
    assert_eq!(table, wanted, "put this into docs/check.md:\n{wanted}");
}

#[test]
fn problems_list_it_once_it_is_asked_for() {
    let mut bench = Workbench::sample("first-call", 120, 36);
    let count = |bench: &Workbench| {
        bench.state.findings.iter().filter(|finding| finding.code.starts_with("health.")).count()
    };
    assert_eq!(count(&bench), 0);
    bench.keys("@tools-health");
    assert!(count(&bench) > 0 && bench.screen().contains("health."), "{}", bench.screen());
    bench.keys("@tools-health");
    assert_eq!(count(&bench), 0);
}
