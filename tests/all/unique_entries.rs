//! Entries of Unique's tool lists: what is found wrong in them and how it is mended, the forms of
//! their configurations, and which tools a turn gives to the model.

use std::{collections::BTreeMap, env, fs, path::Path, process::Command};

use serde_json::{Value, json};
use toolcrib::{
    engine::lint,
    model::{catalog::Catalog, context::Mode, entry::FileId, finding::Finding, tool::NotLoaded},
    schema::pointer::Pointer,
    store::samples::by_name,
    syntax::source::{Format, Source},
    systems::{by_id, findings, read, search_proxy, unique::checks::CHECKS},
};

use crate::support::{
    place::Place,
    services::{program, script},
};

/// What a tool `Lamp` may be configured with.
fn lamp() -> Value {
    json!({
        "json_schema": {
            "type": "object",
            "properties": {
                "maxLevel": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
                "isDim": {"type": "boolean", "default": false},
                "room": {"$ref": "#/$defs/Room"},
                "toolDescription": {"type": "string", "default": "Switches"},
            },
            "$defs": {"Room": {"type": "object", "properties": {"floorName": {"type": "string"}}}},
        },
        "ui_schema": {"maxLevel": {"ui:widget": "updown"}},
        "default_config": {"maxLevel": 5, "isDim": false, "room": {}, "toolDescription": "Switches", "hidden": 1},
    })
}

struct Workspace(BTreeMap<FileId, Source>);

impl Workspace {
    fn of(entries: &Value) -> Self {
        Self::with_settings(entries, "")
    }

    fn with_settings(entries: &Value, settings: &str) -> Self {
        let text = serde_json::to_string_pretty(entries).unwrap();
        let schema = lamp().to_string();
        let files = [
            ("space.json", Format::Json, text.as_str()),
            ("toolcrib.toml", Format::Toml, settings),
            ("unique/Lamp.json", Format::Json, &schema),
        ];
        Self(
            files
                .into_iter()
                .map(|(name, format, text)| {
                    (FileId::new(name), Source::parse(format, text).unwrap())
                })
                .collect(),
        )
    }

    fn catalog(&self) -> Catalog {
        read::read_catalog(&self.0, Mode::Document)
    }

    fn findings(&self) -> Vec<Finding> {
        findings::catalog_findings(&self.catalog(), |file| self.0.get(file))
    }

    /// The codes of this system with their places, in order.
    fn told(&self) -> Vec<String> {
        let own = |finding: &&Finding| CHECKS.iter().any(|check| check.code == finding.code);
        let shown = |finding: &Finding| format!("{} {}", finding.code, finding.site.pointer);
        let mut told: Vec<String> = self.findings().iter().filter(own).map(shown).collect();
        told.sort();
        told
    }

    /// After the first fix of each finding of that code.
    fn mended(mut self, code: &str) -> Self {
        while let Some(finding) = self
            .findings()
            .into_iter()
            .find(|finding| finding.code == code && finding.fix.is_some())
        {
            for edit in finding.fix.unwrap().edits {
                let place = edit.entry.place();
                let source = &self.0[&place.file];
                let edit = edit.edit.with_prefix(&place.at);
                let (edited, _) = source.apply(place.document, &edit).unwrap();
                self.0.insert(place.file.clone(), edited);
            }
        }
        self
    }

    fn value(&self, at: &str) -> Option<Value> {
        let source = &self.0[&FileId::new("space.json")];
        Pointer::parse(at).unwrap().get(source.value(0).unwrap()).cloned()
    }

    /// Each tool with why it is not given to the model, in the order in which they are given.
    fn turn(&self) -> Vec<(String, String)> {
        let catalog = self.catalog();
        let rows = catalog.in_order((0..catalog.tools.len()).collect());
        let told = |row: usize| {
            let tool = &catalog.tools[row];
            let why = match tool.gate.not_loaded() {
                None => String::new(),
                Some(NotLoaded::LeftOut { why }) => why.to_string(),
                Some(other) => format!("{other:?}"),
            };
            (tool.name.clone(), why)
        };
        rows.into_iter().map(told).collect()
    }
}

fn entry(name: &str, more: &Value) -> Value {
    let mut entry = json!({"name": name, "selectionPolicy": "ByUser", "configuration": {}});
    for (key, value) in more.as_object().cloned().unwrap_or_default() {
        entry[key] = value;
    }
    entry
}

#[test]
fn what_the_platform_does_without_a_word_is_found_and_mended() {
    let rows = [
        (json!({"icon": "IconWord"}), "entry.icon /icon", Some(("/0/icon", json!("IconWorld")))),
        (
            json!({"selectionPolicy": "byUser"}),
            "entry.refused /selectionPolicy",
            Some(("/0/selectionPolicy", json!("ByUser"))),
        ),
        (
            json!({"isEnabled": "maybe"}),
            "entry.refused /isEnabled",
            Some(("/0", entry("Lamp", &json!({})))),
        ),
        (
            json!({"isEnabled": "no"}),
            "entry.read-as /isEnabled",
            Some(("/0/isEnabled", json!(false))),
        ),
        (
            json!({"display_nam": "x"}),
            "entry.ignored-key /display_nam",
            Some(("/0/displayName", json!("x"))),
        ),
        (
            json!({"is_exclusive": true, "isExclusive": false}),
            "entry.two-spellings /is_exclusive",
            None,
        ),
        (
            json!({"configError": "x"}),
            "entry.config-error /configError",
            Some(("/0", entry("Lamp", &json!({})))),
        ),
        (
            json!({"configuration": {"maxLevel": 12}}),
            "config.rejected /configuration/maxLevel",
            Some(("/0/configuration/maxLevel", json!(5))),
        ),
        (
            json!({"configuration": {"max_level": "x"}}),
            "config.rejected /configuration/max_level",
            Some(("/0/configuration/max_level", json!(5))),
        ),
        (
            json!({"configuration": {"maxLevels": 3}}),
            "config.ignored-key /configuration/maxLevels",
            Some(("/0/configuration/maxLevel", json!(3))),
        ),
        (
            json!({"configuration": {"room": {"floor_name": "a", "floorName": "b"}}}),
            "config.two-spellings /configuration/room/floor_name",
            None,
        ),
        (
            json!({"configuration": {"isDim": "Yes"}}),
            "config.read-as /configuration/isDim",
            Some(("/0/configuration/isDim", json!(true))),
        ),
        (json!({"configuration": 3}), "config.rejected /configuration", None),
    ];
    for (more, told, mended) in rows {
        let workspace = Workspace::of(&json!([entry("Lamp", &more)]));
        assert_eq!(workspace.told(), [told], "{more}");
        let (code, _) = told.split_once(' ').unwrap();
        let after = workspace.mended(code);
        if let Some((at, value)) = mended {
            assert_eq!(after.value(at), Some(value), "{more}");
        }
        if told != "config.rejected /configuration" {
            assert_eq!(after.told(), Vec::<String>::new(), "{more}");
        }
    }
}

#[test]
fn other_kinds_of_entries_are_read_by_their_own_rules() {
    let of = |entry: Value| Workspace::of(&json!([entry])).told();
    assert_eq!(of(entry("Lmap", &json!({}))), ["config.unknown-tool /name"]);
    let hidden = json!({"configuration": {"hidden": 2}});
    assert_eq!(of(entry("Lamp", &hidden)), Vec::<String>::new(), "its schema does not show it");
    assert_eq!(of(entry("WebSearch", &json!({"configuration": {"any": 1}}))), Vec::<String>::new());
    let mcp = json!({"configuration": {"mcpSourceId": "s", "serverId": "s", "own": 1}, "isExclusive": true});
    assert_eq!(
        of(entry("anything", &mcp)),
        [
            "config.ignored-key /configuration/own",
            "config.mcp /configuration/serverName",
            "entry.exclusive-unread /isExclusive"
        ]
    );
    assert_eq!(of(entry("helper", &json!({"isSubAgent": true}))), Vec::<String>::new());
    let with_schema = |text: &str| {
        let configuration = json!({"assistantId": "a", "toolInputJsonSchema": text});
        of(entry("helper", &json!({"isSubAgent": true, "configuration": configuration})))
    };
    assert!(with_schema("").iter().all(|found| !found.contains("config.schema")));
    for broken in ["{", "[1]", "{\"type\": \"strin\"}"] {
        let found = with_schema(broken);
        let wanted = "config.schema /configuration/toolInputJsonSchema";
        assert!(found.iter().any(|found| found == wanted), "{broken}: {found:?}");
    }
    assert_eq!(
        of(entry("helper", &json!({"isSubAgent": "no"}))),
        ["entry.read-as /isSubAgent", "entry.sub-agent-flag /isSubAgent"]
    );
}

#[test]
fn the_form_of_an_entry_has_that_of_its_configuration() {
    let written = json!([{
        "name": "Lamp", "display_name": "Lamp", "is_enabled": true, "selection_policy": "ByUser",
        "configuration": {"max_level": 3},
    }]);
    let catalog = Workspace::of(&written).catalog();
    let tool = catalog.tool_called("Lamp").unwrap();
    let system = by_id("unique").unwrap();
    let schema = system.entry_schema(&tool.entry, &catalog);
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "name",
            "display_name",
            "icon",
            "selection_policy",
            "is_enabled",
            "is_exclusive",
            "is_sub_agent",
            "configuration"
        ]
    );
    let configuration = &schema["properties"]["configuration"]["properties"];
    assert_eq!(configuration["max_level"]["maximum"], 9);
    assert_eq!(schema["$defs"]["Room"]["type"], "object");
    let ui = system.entry_ui(&tool.entry, &catalog).unwrap();
    assert_eq!(ui["configuration"]["maxLevel"]["ui:widget"], "updown");
}

#[test]
fn a_list_of_a_server_says_how_its_tool_is_configured() {
    let mut workspace =
        Workspace::of(&json!([entry("joke", &json!({"configuration": {"tone": "x"}}))]));
    assert_eq!(workspace.told(), ["config.unknown-tool /name"]);
    let kept = json!({"server": "s", "version": "2025-11-25", "tools": [{
        "name": "joke", "description": "Tells", "inputSchema": {"type": "object"},
        "_meta": {"unique.app/config-schema": {
            "json_schema": {"type": "object", "properties": {"tone": {"enum": ["dry", "warm"]}}},
            "default_config": {"tone": "dry"},
        }},
    }]});
    let source = Source::parse(Format::Json, kept.to_string()).unwrap();
    workspace.0.insert(FileId::new("mcp/s.json"), source);
    assert_eq!(workspace.told(), ["config.rejected /configuration/tone"]);
    let after = workspace.mended("config.rejected");
    assert_eq!(after.value("/0/configuration/tone"), Some(json!("dry")));
}

#[test]
fn a_turn_gives_the_tools_that_the_user_chose() {
    let space = json!({"name": "Sales", "modules": [{"configuration": {"space": {"tools": [
        entry("helper", &json!({"isSubAgent": true})),
        entry("Lamp", &json!({})),
        entry("InternalSearch", &json!({"isExclusive": true})),
        entry("AskUser", &json!({})),
        entry("WebSearch", &json!({"isEnabled": false})),
        entry("OpenFile", &json!({"configuration": []})),
    ]}}}]});
    let turn = |settings: &str| Workspace::with_settings(&space, settings).turn();
    let told = |name: &str, why: &str| (name.to_owned(), why.to_owned());
    assert_eq!(
        turn(""),
        [
            told("Lamp", ""),
            told("InternalSearch", "it is exclusive, and the user did not choose it"),
            told("AskUser", ""),
            told("WebSearch", "isEnabled is false"),
            told(
                "OpenFile",
                "its configuration is rejected: the configuration has to be an object"
            ),
            told("helper", ""),
        ]
    );
    let chosen = turn("[unique]\nchoices = [\"InternalSearch\"]\n");
    assert_eq!(chosen[0], told("Lamp", "InternalSearch, which is chosen, is exclusive"));
    assert_eq!(chosen[1], told("InternalSearch", ""));
    assert_eq!(chosen.last().unwrap(), &told("AskUser", ""));
    let off = turn("[unique]\ndisabled = [\"Lamp\"]\n");
    assert_eq!(off[0], told("Lamp", "the user switched it off"));
    let gated = Workspace::with_settings(&space, "[unique.tools.Lamp]\ngroups = [\"home\"]\n");
    let catalog = gated.catalog();
    assert_eq!(catalog.tool_called("Lamp").unwrap().gate.groups(), ["home".into()]);
    assert_eq!(catalog.tool_called("Sales/Lamp").unwrap().name, "Lamp");
}

/// Two spaces with tools of the same name.
fn two_spaces() -> Vec<(&'static str, Format, String)> {
    let space = |name: &str, tools: Value| {
        json!({"name": name, "modules": [{"configuration": {"space": {"tools": tools}}}]})
            .to_string()
    };
    let search = |display: &str| entry("InternalSearch", &json!({"displayName": display}));
    vec![
        ("a.json", Format::Json, space("A", json!([search("X"), entry("Lamp", &json!({}))]))),
        ("b.json", Format::Json, space("B", json!([search("X"), entry("WebSearch", &json!({}))]))),
        ("unique/Lamp.json", Format::Json, lamp().to_string()),
    ]
}

fn with_two_spaces(settings: &str) -> Workspace {
    let mut files = two_spaces();
    files.push(("toolcrib.toml", Format::Toml, settings.to_owned()));
    let parse = |(name, format, text): (&str, Format, String)| {
        (FileId::new(name), Source::parse(format, text).unwrap())
    };
    Workspace(files.into_iter().map(parse).collect())
}

#[test]
fn two_spaces_are_two_sets_of_tools() {
    let codes = |settings: &str| -> Vec<String> {
        let found = with_two_spaces(settings).findings().into_iter();
        found
            .filter(|finding| finding.code != "config.unknown-tool")
            .map(|it| it.code.to_owned())
            .collect()
    };
    let given = |settings: &str| -> Vec<(String, String)> {
        let catalog = with_two_spaces(settings).catalog();
        let loaded = catalog.tools.iter().filter(|tool| tool.gate.not_loaded().is_none());
        loaded.map(|tool| (tool.entry.key.clone(), tool.gate.groups().join(","))).collect()
    };
    let keys = |settings: &str| given(settings).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(codes(""), Vec::<String>::new());
    let all = ["A/InternalSearch", "A/Lamp", "B/InternalSearch", "B/WebSearch"];
    assert_eq!(keys(""), all);
    // What the user chose in one space is nothing to the other.
    let chosen = "[unique]\nchoices = [\"B/InternalSearch\"]\n";
    assert_eq!(codes(chosen), Vec::<String>::new());
    assert_eq!(keys(chosen), ["A/InternalSearch", "A/Lamp", "B/InternalSearch"]);
    assert_eq!(
        keys("[unique]\nchoices = [\"WebSearch\"]\n"),
        ["A/InternalSearch", "A/Lamp", "B/WebSearch"]
    );
    let off = "[unique]\ndisabled = [\"A/InternalSearch\", \"Lamp\"]\n";
    assert_eq!(keys(off), ["B/InternalSearch", "B/WebSearch"]);
    assert_eq!(codes("[unique]\ndisabled = [\"C/Lamp\"]\n"), ["turn.unknown-tool"]);
    // Gates go by the key, by the name for all.
    let groups = |settings: &str| -> Vec<String> {
        given(settings).into_iter().map(|(_, groups)| groups).collect()
    };
    let by_key = "[unique.tools.\"B/InternalSearch\"]\ngroups = [\"g\"]\n";
    assert_eq!(
        (groups(by_key), codes(by_key)),
        (vec!["".into(), "".into(), "g".into(), "".into()], vec![])
    );
    let by_name = "[unique.tools.InternalSearch]\ngroups = [\"g\"]\n";
    assert_eq!(groups(by_name), ["g", "", "g", ""]);
    let table = |settings: &str, key: &str| {
        let catalog = with_two_spaces(settings).catalog();
        catalog.tool_called(key).unwrap().gate_table.clone().unwrap().to_string()
    };
    assert_eq!(table("", "A/Lamp"), "/unique/tools/Lamp");
    assert_eq!(table("", "A/InternalSearch"), "/unique/tools/A~1InternalSearch");
    assert_eq!(table(by_name, "A/InternalSearch"), "/unique/tools/InternalSearch");
}

/// A list that is in no space has a turn of its own too.
#[test]
fn what_is_chosen_in_a_space_is_nothing_to_a_list() {
    let given = |settings: &str| -> Vec<String> {
        let mut files = two_spaces();
        let list = json!([entry("InternalSearch", &json!({})), entry("Lamp", &json!({}))]);
        files.push(("list.json", Format::Json, list.to_string()));
        files.push(("toolcrib.toml", Format::Toml, settings.to_owned()));
        let parse = |(name, format, text): (&str, Format, String)| {
            (FileId::new(name), Source::parse(format, text).unwrap())
        };
        let catalog = Workspace(files.into_iter().map(parse).collect()).catalog();
        let loaded = catalog.tools.iter().filter(|tool| tool.gate.not_loaded().is_none());
        loaded.map(|tool| tool.entry.key.clone()).collect()
    };
    let chosen = given("[unique]\nchoices = [\"B/WebSearch\"]\n");
    assert_eq!(chosen, ["A/InternalSearch", "A/Lamp", "B/WebSearch", "InternalSearch", "Lamp"]);
    let of_all = given("[unique]\nchoices = [\"Lamp\"]\n");
    assert_eq!(of_all, ["A/Lamp", "B/InternalSearch", "B/WebSearch", "Lamp"]);
}

#[test]
fn a_sub_agent_without_a_space_is_found() {
    let helper = |configuration: Value| {
        let more = json!({"isSubAgent": true, "configuration": configuration});
        Workspace::of(&json!([entry("helper", &more)])).told()
    };
    assert_eq!(
        helper(json!({"assistant_id": " "})),
        ["entry.no-assistant /configuration/assistant_id"]
    );
    assert_eq!(helper(json!({"assistantId": "assistant_1"})), Vec::<String>::new());
}

#[test]
fn an_entry_that_is_refused_takes_its_list_along() {
    let space =
        json!([entry("Lamp", &json!({})), entry("AskUser", &json!({"selectionPolicy": "x"}))]);
    for (_, why) in Workspace::of(&space).turn() {
        assert!(why.contains("Refused") && why.contains("AskUser"), "{why}");
    }
}

#[test]
fn what_the_settings_say_of_a_turn_is_checked() {
    let space = json!([entry("Lamp", &json!({}))]);
    let told = |settings: &str| Workspace::with_settings(&space, settings).told();
    assert_eq!(
        told(
            "[unique]\nchoice = []\nchoices = [\"Lmap\"]\ndisabled = 3\n[unique.tools.Lamp]\nstate = 1\nnext = 2\n"
        ),
        [
            "turn.malformed /disabled",
            "turn.malformed /tools/Lamp/next",
            "turn.unknown-key /choice",
            "turn.unknown-key /tools/Lamp/state",
            "turn.unknown-tool /choices/0",
        ]
    );
    assert_eq!(
        told("[unique]\nchoices = [\"Lamp\"]\n[unique.samples]\na = 1\n"),
        Vec::<String>::new()
    );
}

#[test]
fn a_model_reads_the_prompts_of_a_tool_rendered_on_its_configuration_and_samples() {
    let sample = by_name("unique").unwrap();
    let place = Place::with(sample.files);
    let shown = place.run(&["tools", "--model", "Weather"]);
    shown.ended(0, &[]);
    for part in [
        "# Description (toolDescription, as the tool has it)",
        "Gives the weather forecast of a place, for up to 3 days.",
        "# System prompt (systemPrompt) · about ",
        "weather of the next 3 days. Say warnings first.",
        "Give temperatures in celsius.",
        "The user is in Zurich.",
        "\"place\"",
    ] {
        assert!(shown.data.contains(part), "{part}: {}", shown.data);
    }
    let agent = place.json(&["tools", "--model", "Contracts", "--json"]);
    assert_eq!(
        agent["tool"]["function"]["parameters"]["properties"]["user_message"]["description"],
        "The question, with the customer's name."
    );
    let server = place.json(&["tools", "--model", "open_ticket", "--json"]);
    assert_eq!(server["prompts"][0]["text"], "**MCP Server**: tickets\n**Tool Name**: open_ticket");
    let research = place.json(&["tools", "--model", "DeepResearch", "--json"]);
    let remarks: Vec<&str> =
        research["remarks"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(remarks[0].starts_with("not in this turn: it is exclusive"), "{remarks:?}");
    assert!(remarks[1].starts_with("takes control"), "{remarks:?}");
}

#[test]
fn prompts_have_the_defaults_of_the_schema_where_nothing_else_says_them() {
    let text = |default: &str| json!({"type": "string", "default": default});
    let schema = json!({"type": "object", "properties": {
        "maxHits": {"type": "integer", "default": 20},
        "toolDescription": text("{% if max_hits > 10 %}Many: {{ max_hits }}{% endif %}"),
        "systemPrompt": text("System of {{ language }}"),
        "reminder": text("Own reminder"),
        "language": text("en"),
    }});
    let space = json!([entry("Search", &json!({"configuration": {"language": "de"}}))]).to_string();
    for (file, reminder) in [
        (schema.clone(), "Own reminder"),
        (json!({"json_schema": schema}), "Own reminder"),
        (json!({"json_schema": schema, "default_config": {"reminder": "Said"}}), "Said"),
    ] {
        let files = [("space.json", &*space), ("unique/Search.json", &file.to_string())];
        let shown = Place::with(&files).json(&["tools", "--model", "Search", "--json"]);
        let texts: Vec<&Value> =
            shown["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["text"]).collect();
        assert_eq!(texts, ["Many: 20", "System of de", reminder], "{file}");
        assert_eq!(shown["prompts"][0]["unknown"], json!([]), "{shown}");
    }
}

#[test]
fn a_text_that_is_no_template_is_found() {
    let broken = json!({"configuration": {"systemPrompt": "a {% if %}"}});
    assert_eq!(
        Workspace::of(&json!([entry("WebSearch", &broken)])).told(),
        ["prompt.template /configuration/systemPrompt"]
    );
}

/// What `SubAgentTool.get_tool_prompts()` and `_get_sub_agent_system_reminders` of the toolkit make
/// of it.
#[test]
fn only_what_the_platform_renders_is_rendered() {
    let agent = json!({"isSubAgent": true, "displayName": "Agent", "configuration": {
        "assistantId": "a1",
        "toolDescription": "d {{ display_name }}",
        "toolDescriptionForSystemPrompt": "sys {{ display_name }} {% if %}",
        "systemRemindersConfig": [
            {"type": "fixed", "reminder": "R {{ display_name }} {{ tool_name }}"},
            {"type": "fixed", "reminder": "{% if %}"},
        ],
    }});
    let list = json!([entry("helper", &agent)]);
    let shown = Place::with(&[("space.json", &list.to_string())])
        .json(&["tools", "--model", "helper", "--json"]);
    let prompts: Vec<(&str, &Value)> = shown["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| (prompt["title"].as_str().unwrap(), &prompt["text"]))
        .collect();
    assert_eq!(
        prompts,
        [
            ("Description", &json!("d {{ display_name }}")),
            ("System prompt", &json!("sys {{ display_name }} {% if %}")),
            ("Reminder", &json!("R Agent helper")),
            ("Reminder", &Value::Null),
        ]
    );
    let found = Workspace::of(&list).told();
    assert_eq!(
        found,
        [
            "prompt.not-rendered /configuration/toolDescription",
            "prompt.not-rendered /configuration/toolDescriptionForSystemPrompt",
            "prompt.template /configuration/systemRemindersConfig/1/reminder",
        ]
    );
    let server = json!({"mcpSourceId": "s", "configuration": {
        "serverId": "i", "serverName": "n", "mcpSourceId": "s", "serverSystemPrompt": "a {% if %}",
    }});
    let found = Workspace::of(&json!([entry("Open", &server)])).told();
    assert_eq!(found, ["prompt.not-rendered /configuration/serverSystemPrompt"]);
}

/// A model gets what the configuration says, else what the tool has, before what a schema file adds.
#[test]
fn a_function_has_the_description_of_its_configuration() {
    let todo = "{% if parallel_mode %}many{% else %}one{% endif %}";
    let file = |more: Value| json!({"json_schema": {"type": "object"}, "description": "Y", "default_config": more});
    for (name, configuration, file, description) in [
        ("AskUser", json!({"toolDescription": "X"}), file(json!({"toolDescription": "D"})), "X"),
        ("AskUser", json!({"tool_description": "X"}), file(json!({"toolDescription": "D"})), "X"),
        ("AskUser", json!({}), file(json!({"toolDescription": "D {{ x }}"})), "D {{ x }}"),
        ("AskUser", json!({}), file(json!({})), "Y"),
        (
            "TodoWrite",
            json!({"parallelMode": true}),
            file(json!({"toolDescription": todo, "parallelMode": false})),
            "many",
        ),
    ] {
        let list = json!([entry(name, &json!({"configuration": configuration}))]).to_string();
        let schema = (format!("unique/{name}.json"), file.to_string());
        let place = Place::with(&[("space.json", &*list), (&*schema.0, &*schema.1)]);
        let shown = place.json(&["tools", "--model", name, "--json"]);
        assert_eq!(shown["tool"]["function"]["description"], description, "{shown}");
    }
}

/// Opening or checking a file never ends the program, whatever the file says.
#[test]
fn a_hostile_template_is_a_finding_at_its_field() {
    let deep = format!("{{{{ {}x }}}}", "-".repeat(50_000));
    let doubled = "{% set n = namespace(x=['a'], y=['a']) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}";
    let own = json!({"configuration": {"systemPrompt": deep, "userPrompt": doubled}});
    let list = json!([entry("WebSearch", &own)]);
    assert_eq!(Workspace::of(&list).told(), ["prompt.template /configuration/systemPrompt"]);
    let place = Place::with(&[("space.json", &list.to_string())]);
    let checked = place.run(&["check"]);
    assert!(checked.data.contains("invalid template: it is nested too deep"), "{}", checked.data);
    let shown = place.json(&["tools", "--model", "WebSearch", "--json"]);
    let faults: Vec<&Value> =
        shown["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["fault"]).collect();
    assert_eq!(faults, ["it is nested too deep", "line 1: it takes too long"]);
}

/// A workspace with a server that says of its tool what Unique reads, its tools kept.
fn place_with_server() -> Place {
    let python = env::var("TOOLCRIB_PYTHON").expect("eval \"$(tests/setup)\" says where Python is");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/unique_server.py");
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    place.run(&["mcp", "add", "jokes", "--", &python, script.to_str().unwrap()]).ended(0, &[]);
    place.run(&["mcp", "keep", "jokes"]).ended(0, &["1 tool"]);
    place
}

#[test]
fn a_call_carries_a_configuration_and_a_context() {
    let place = place_with_server();
    let call = |words: &[&str]| place.run(&[&["call", "jokes/joke", "topic=cats"], words].concat());
    call(&[]).ended(2, &["unique.app/chat/chat-id is required", "--context chat-id=…"]);
    call(&["--context", "chat-id=c1", "--config", "{\"maxWords\": 501, \"tones\": 1}"])
        .ended(2, &["maxWords is more than 500", "tones is nothing"]);
    let told = call(&["--context", "chat-id=c1", "--config", "{\"tone\": \"warm\"}"]);
    told.ended(0, &["unique.content-unseen at /structuredContent"]);
    let sent: Value = serde_json::from_str(told.data.trim()).unwrap();
    assert_eq!(
        sent,
        json!({"unique.app/config": {"tone": "warm"}, "unique.app/chat/chat-id": "c1"})
    );
    let unchecked = call(&["--no-check"]);
    assert_eq!((unchecked.code, unchecked.data.trim()), (Some(0), "{}"), "{}", unchecked.words);
    place
        .run(&["call", "jokes/joke", "topic=none", "--context", "chat-id=c1"])
        .ended(1, &["unique.error-unseen at /isError"]);
}

#[test]
fn a_server_of_the_real_package_works_as_it_is_configured() {
    let python = program("TOOLCRIB_UNIQUE_PYTHON");
    let (python, script) = (python.to_str().unwrap(), script("unique_mcp_server.py"));
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    place.run(&["mcp", "add", "sky", "--", python, script.to_str().unwrap()]).ended(0, &[]);
    place.run(&["mcp", "keep", "sky"]).ended(0, &["1 tool"]);
    let call =
        |words: &[&str]| place.run(&[&["call", "sky/forecast", "place=Oslo"], words].concat());
    assert!(call(&["--context", "chat-id=c1"]).data.contains("5 days in celsius, chat c1"));
    let config = r#"{"units": "fahrenheit", "limits": {"days": 9}}"#;
    let told = call(&["--context", "chat-id=c2", "--config", config]);
    assert!(told.data.contains("9 days in fahrenheit, chat c2"), "{}\n{}", told.data, told.words);
    call(&["--context", "chat-id=c1", "--config", r#"{"limits": {"days": 15}}"#])
        .ended(2, &["limits › days is more than 14"]);
    call(&[]).ended(2, &["unique.app/chat/chat-id is required"]);
}

#[test]
fn what_is_said_beside_the_arguments_is_kept_with_the_call() {
    let place = place_with_server();
    let meta = "{\"unique.app/chat/chat-id\": \"c1\", \"com.example/limit\": 1.50}";
    place.run(&["call", "jokes/joke", "topic=cats", "--meta", meta]).ended(0, &[]);
    let shown = place.run(&["history", "export"]);
    assert!(shown.data.contains("limit") && shown.data.contains("1.50"), "{}", shown.data);
    place
        .run(&[
            "call",
            "jokes/joke",
            "topic=cats",
            "--meta",
            "{\"not so\": 1}",
            "--context",
            "chat-id=c",
        ])
        .ended(2, &["meta.key-invalid: \"not so\""]);

    let case = "case: warm\ncall: jokes/joke\narguments: {topic: cats}\nmeta:\n  \
                unique.app/config: {tone: warm}\n  unique.app/chat/chat-id: c1\nexpect:\n  \
                json: {unique.app/config: {tone: warm}}\n";
    fs::create_dir(place.here.join("cases")).unwrap();
    fs::write(place.here.join("cases/warm.yaml"), case).unwrap();
    place.run(&["test"]).ended(0, &["1 case"]);
}

#[test]
fn a_tool_that_says_nothing_of_it_takes_no_configuration() {
    let place = Place::with(by_name("first-call").unwrap().files);
    place
        .run(&["call", "tell-joke", "topic=x", "--config", "{}"])
        .ended(2, &["have no configuration or context"]);
}

#[test]
fn a_call_over_the_platform_is_printed_and_not_sent() {
    let place = place_with_server();
    let words = ["--context", "chat-id=c1", "--config", "{}", "--print", "unique-platform"];
    let told = place.run(&[&["call", "jokes/joke", "topic=it's $5"], &words[..]].concat());
    told.ended(
        0,
        &["Not sent: toolcrib has no account there", "The configuration is no part of it"],
    );
    let (head, body) = told.data.split_once("\n\n").unwrap();
    assert!(head.starts_with("POST https://") && head.contains("x-user-id: $UNIQUE_USER_ID"));
    let sent = json!({"name": "joke", "messageId": "$MESSAGE_ID", "chatId": "c1", "arguments": {"topic": "it's $5"}});
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), sent);
    place.run(&["history"]).ended(0, &["No calls yet"]);

    let whole =
        place.json(&[&["--json", "call", "jokes/joke", "topic=it's $5"], &words[..]].concat());
    // What a shell makes of it.
    let curl = whole["curl"].as_str().unwrap().replacen("curl", "printf '%s|'", 1);
    let output = Command::new("sh").args(["-c", &curl]).env("MESSAGE_ID", "m7").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(r#""messageId": "m7""#) && said.contains("it's $5"), "{said}");

    let place = Place::with(by_name("first-call").unwrap().files);
    place
        .run(&["call", "tell-joke", "topic=x", "--print", "unique-platform"])
        .ended(2, &["unique-platform has no tool like \"tell-joke\""]);
}

#[test]
fn every_code_is_documented() {
    let page = include_str!("../../docs/unique.md");
    for check in CHECKS.iter().chain(search_proxy::checks::CHECKS) {
        assert!(page.contains(&format!("| `{}` |", check.code)), "{} is missing", check.code);
        assert!(lint::CHECKS.iter().all(|common| common.code != check.code), "{}", check.code);
    }
}
