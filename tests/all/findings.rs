//! Every check by its code: a descriptor that provokes it, at its place, and one that does not; a
//! fix mends what it is offered for.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib::{
    engine::lint::{self, check::CheckLevel},
    model::{
        connection::Connection,
        connections::{Connections, Listeners},
        context::Mode::{self, AsDeployed, Document},
        entry::{EntryForm, FileId},
        finding::{EntryEdit, Finding, Fix, Severity},
        transport::TransportKind,
    },
    syntax::source::{Format, Source},
    systems::{
        entry_rules, findings, read,
        trustgraph::{
            self,
            checks::{THERE, UNCARRIED},
        },
    },
};

/// The files of a case: name and text. A text alone is `t.yaml`.
type Files = Vec<(FileId, Source)>;

struct Row {
    code: &'static str,
    mode: Mode,
    /// Where the finding stands, as line:column of the file `t`.
    at: &'static str,
    bad: &'static str,
    good: &'static str,
}

const fn row(
    code: &'static str,
    mode: Mode,
    at: &'static str,
    bad: &'static str,
    good: &'static str,
) -> Row {
    Row { code, mode, at, bad, good }
}

/// A text whose first line is `# name` is that file; else it is `t.yaml`.
fn files(text: &str) -> Files {
    let (name, text) = match text.split_once('\n') {
        Some((head, rest)) if head.starts_with("# ") => (head.trim_start_matches("# "), rest),
        _ => ("t.yaml", text),
    };
    let file = FileId::new(name);
    let format = Format::from_path(file.path()).unwrap();
    let source = Source::parse(format, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    vec![(file, source)]
}

fn check(files: &Files, mode: Mode) -> Vec<Finding> {
    let catalog = read::read_catalog(files.iter().map(|(file, source)| (file, source)), mode);
    let source = |file: &FileId| files.iter().find(|(of, _)| of == file).map(|(_, source)| source);
    let mut found = findings::catalog_findings(&catalog, source);
    found.extend(
        files.iter().flat_map(|(file, source)| findings::of_text(&catalog, file, Ok(source))),
    );
    found
}

/// A tool and a service that nothing is wrong with.
const CLEAN: &str = "\
tool:
  joke: {type: tool-service, name: joke, description: Tells a joke, service: jokes, style: pun, arguments: [{name: topic, type: string, description: About what}]}
tool-service:
  jokes: {id: jokes, request-queue: request:tg:joke, response-queue: response:tg:joke, config-params: [{name: style, required: true}]}
";

/// A tool whose arguments have a schema, and the list that says the same.
const WITH_SCHEMA: &str = "\
tool:
  a:
    {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: integer, description: d}],
    arguments-schema: {type: object, allOf: [{$ref: '#/$defs/more'}], $defs: {more: {properties: {x: {type: integer, description: d}}}}}}
";

/// Words of a little more than 128 letters.
macro_rules! words {
    () => {
        "it says what it does, and then it says that again in other words, so that whoever reads it \
         has read much, and knows as little as ever. "
    };
}

const ROWS: &[Row] = &[
    row(
        "entry.malformed",
        Document,
        "3:3",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t}\n  b: [1]\n",
        CLEAN,
    ),
    row(
        "entry.malformed",
        Document,
        "3:5",
        "# t.json\n{\"tool\": {\n    \"a\": \"{\\\"type\\\": \\\"prompt\\\"}\",\n    \"b\":   \"{broken\"\n}}",
        CLEAN,
    ),
    row(
        "entry.not-json-text",
        Document,
        "3:3",
        "# t.json\n{\"tool\": {\n  \"a\": \"{\\\"type\\\": \\\"text-completion\\\", \\\"name\\\": \\\"a\\\", \\\"description\\\": \\\"d\\\"}\",\n  \"b\": {\"type\": \"text-completion\", \"name\": \"b\", \"description\": \"d\"}\n}}",
        CLEAN,
    ),
    row("type.missing", Document, "2:3", "tool:\n  a: {name: a, description: d}\n", CLEAN),
    row(
        "type.unknown",
        Document,
        "2:7",
        "tool:\n  a: {type: knowledge-qery, name: a, description: d}\n",
        CLEAN,
    ),
    row(
        "identity.no-name",
        Document,
        "2:3",
        "tool:\n  a: {type: text-completion, description: d}\n",
        CLEAN,
    ),
    row(
        "identity.no-description",
        Document,
        "2:39",
        "tool:\n  a: {type: text-completion, name: a, description: ''}\n",
        CLEAN,
    ),
    row(
        "identity.description-long",
        Document,
        "2:39",
        concat!(
            "tool:\n  a: {type: text-completion, name: a, description: '",
            words!(),
            words!(),
            words!(),
            words!(),
            words!(),
            words!(),
            words!(),
            words!(),
            "'}\n"
        ),
        CLEAN,
    ),
    row(
        "identity.file-name",
        Document,
        "1:1",
        "# t.yaml\nid: joke\nrequest-queue: a\nresponse-queue: b\n",
        "# joke.yaml\nid: joke\nrequest-queue: a\nresponse-queue: b\n",
    ),
    row(
        "descriptor.missing-field",
        Document,
        "2:3",
        "tool:\n  a: {type: prompt, name: a, description: d}\n",
        CLEAN,
    ),
    row(
        "descriptor.wrong-type",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: read-only}\n",
        CLEAN,
    ),
    row(
        "descriptor.wrong-type",
        Document,
        "2:66",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [x, 1]}\n",
        CLEAN,
    ),
    row(
        "descriptor.unusual-type",
        AsDeployed,
        "2:45",
        "tool-service:\n  s: {id: s, response-queue: response:tg:s, request-queue: 5}\n",
        CLEAN,
    ),
    row(
        "descriptor.unknown-key",
        Document,
        "2:60",
        "tool:\n  a: {type: row-embeddings-query, name: a, description: d, schema-nam: s}\n",
        "tool:\n  a: {type: row-embeddings-query, name: a, description: d, schema-name: s}\n",
    ),
    row(
        "descriptor.key-ignored",
        AsDeployed,
        "2:48",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp_tool_id:       m}\n",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\n",
    ),
    row(
        "gates.misspelt-key",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable_states: [undefined]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states: [undefined]}\n",
    ),
    row(
        "gates.states-key-ignored",
        AsDeployed,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, available_in_states: [undefined]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states: [undefined]}\n",
    ),
    row(
        "states.both-keys",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, available_in_states: [undefined], applicable-states: ['*']}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, available_in_states: [undefined], applicable-states: [undefined]}\n",
    ),
    row(
        "gates.listed-twice",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [x, y, x]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [x, y]}\n",
    ),
    row(
        "service.not-named",
        Document,
        "2:3",
        "tool:\n  a: {type: tool-service, name: a, description: d}\n",
        CLEAN,
    ),
    row(
        "service.unknown",
        Document,
        "2:52",
        "tool:\n  a: {type: tool-service, name: a, description: d, service: joke}\ntool-service:\n  jokes: {id: jokes, request-queue: a, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.unknown",
        AsDeployed,
        "2:52",
        "tool:\n  a: {type: tool-service, name: a, description: d, service: joke-service}\ntool-service:\n  jokes: {id: joke-service, request-queue: a, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.parameter-missing",
        Document,
        "2:3",
        "tool:\n  a: {type: tool-service, name: a, description: d, service: jokes}\ntool-service:\n  jokes: {id: jokes, request-queue: a, response-queue: b, config-params: [{name: style, required: true}]}\n",
        CLEAN,
    ),
    row(
        "service.value-undeclared",
        Document,
        "2:68",
        "tool:\n  a: {type: tool-service, name: a, description: d, service: jokes, colour: red}\ntool-service:\n  jokes: {id: jokes, request-queue: a, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.no-id",
        Document,
        "2:3",
        "tool-service:\n  s: {request-queue: a, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.id-differs",
        Document,
        "2:7",
        "tool-service:\n  s: {id: t, request-queue: a, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.queue-missing",
        Document,
        "2:3",
        "tool-service:\n  s: {id: s, request-queue: a}\n",
        CLEAN,
    ),
    row(
        "service.queue-name",
        Document,
        "2:14",
        "tool-service:\n  s: {id: s, request-queue: non-persistant://tg/request/s, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.parameter-malformed",
        Document,
        "2:70",
        "tool-service:\n  s: {id: s, request-queue: a, response-queue: b, config-params: [x, 3]}\n",
        CLEAN,
    ),
    row(
        "service.parameter-shadowed",
        Document,
        "2:67",
        "tool-service:\n  s: {id: s, request-queue: a, response-queue: b, config-params: [name]}\n",
        CLEAN,
    ),
    row(
        "server.unknown",
        Document,
        "2:48",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: nope}\n",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\nmcp:\n  m: {url: 'http://localhost'}\n",
    ),
    row(
        "server.url",
        Document,
        "4:7",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\nmcp:\n  m: {url: 'localhost:9000'}\n",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\nmcp:\n  m: {url: 'http://localhost:9000'}\n",
    ),
    row(
        "server.no-url",
        Document,
        "4:3",
        "tool:\n  a: {type: text-completion, name: a, description: d}\nmcp:\n  m: {remote-name: x}\n",
        CLEAN,
    ),
    row(
        "arguments.malformed",
        Document,
        "2:59",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments:          text}\n",
        CLEAN,
    ),
    row(
        "arguments.malformed",
        Document,
        "2:71",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [topic]}\n",
        CLEAN,
    ),
    row(
        "arguments.no-name",
        Document,
        "2:71",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{type: string, description: d}]}\n",
        CLEAN,
    ),
    row(
        "arguments.no-type",
        Document,
        "2:71",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, description: d}]}\n",
        CLEAN,
    ),
    row(
        "arguments.unknown-type",
        Document,
        "2:81",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: strnig, description: d}]}\n",
        CLEAN,
    ),
    row(
        "arguments.no-description",
        Document,
        "2:71",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: string}]}\n",
        CLEAN,
    ),
    row(
        "arguments.duplicate",
        Document,
        "2:112",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: string, description: d}, {name: x, type: string, description: d}]}\n",
        CLEAN,
    ),
    row(
        "arguments.named-like-parameter",
        Document,
        "2:91",
        "tool:\n  a: {type: tool-service, name: a, description: d, service: jokes, style: x, arguments: [{name: style, type: string, description: d}]}\ntool-service:\n  jokes: {id: jokes, request-queue: a, response-queue: b, config-params: [style]}\n",
        CLEAN,
    ),
    row(
        "arguments.name-refused",
        Document,
        "2:72",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: the topic, type: string, description: d}]}\n",
        CLEAN,
    ),
    row(
        "arguments.unknown-key",
        Document,
        "2:111",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: string, description: d, required: false}]}\n",
        CLEAN,
    ),
    row(
        "arguments.ignored",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, arguments:   []}\n",
        CLEAN,
    ),
    row(
        "arguments.ignored",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, arguments-schema: {}}\n",
        CLEAN,
    ),
    row(
        "arguments.schema-invalid",
        Document,
        "2:59",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments-schema: 1}\n",
        WITH_SCHEMA,
    ),
    row(
        "arguments.schema-invalid",
        Document,
        "2:120",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments-schema: {type: object, $defs: {x: {type: [string], minLength: -1}}}}\n",
        WITH_SCHEMA,
    ),
    row(
        "arguments.schema-invalid",
        Document,
        "2:78",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments-schema: {type: array}}\n",
        WITH_SCHEMA,
    ),
    row(
        "arguments.schema-contradiction",
        Document,
        "2:156",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: string, description: what it is for}], arguments-schema: {required: [y], type: object, properties: {x: {type: string}}}}\n",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: x, type: string, description: what it is for}], arguments-schema: {required: [x], type: object, properties: {x: {type: string}}}}\n",
    ),
    row(
        "arguments.schema-differs",
        Document,
        "2:59",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments-schema: {type: object, properties: {x: {type: integer, description: d}}}}\n",
        WITH_SCHEMA,
    ),
    row(
        "arguments.schema-differs",
        Document,
        "2:126",
        "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: y, type: string, description: what it is for}], arguments-schema: {type: object, properties: {x: {type: integer, description: d}}}}\n",
        WITH_SCHEMA,
    ),
    row(
        "arguments.none",
        Document,
        "2:3",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\n",
        CLEAN,
    ),
    row(
        "load.set-refused",
        AsDeployed,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: read-only}\n",
        CLEAN,
    ),
    row(
        "identity.duplicate-key",
        Document,
        "5:3",
        "tool:\n  a: {type: text-completion, name: a, description: d}\n---\ntool:\n  a: {type: text-completion, name: b, description: d}\n",
        CLEAN,
    ),
    row(
        "identity.duplicate-name",
        Document,
        "3:30",
        "tool:\n  a: {type: text-completion, name: x, description: d}\n  b: {type: text-completion, name:   x, description: e}\n",
        CLEAN,
    ),
    row(
        "identity.twins",
        Document,
        "3:3",
        "tool:\n  a: {type: text-completion, name: x, description: d}\n  b: {type: text-completion, name: y, description: d}\n",
        CLEAN,
    ),
    row(
        "identity.name-refused",
        Document,
        "2:30",
        "tool:\n  a: {type: text-completion, name: \"tell a joke\", description: d}\n",
        CLEAN,
    ),
    row(
        "groups.empty",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: []}\n",
        CLEAN,
    ),
    row(
        "groups.wildcard",
        Document,
        "2:63",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: ['*']}\n",
        CLEAN,
    ),
    row(
        "groups.comma",
        Document,
        "2:63",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: ['x, y']}\n",
        CLEAN,
    ),
    row(
        "names.blanks",
        Document,
        "2:63",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: ['x ']}\n",
        CLEAN,
    ),
    row(
        "names.near-duplicate",
        Document,
        "4:63",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [read-only]}\n  b: {type: text-completion, name: b, description: e, group: [read-only]}\n  c: {type: text-completion, name: c, description: f, group: [Read-only]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [read-only]}\n  c: {type: text-completion, name: c, description: f, group: [read-only]}\n",
    ),
    row(
        "groups.near-name",
        Document,
        "4:63",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [research]}\n  b: {type: text-completion, name: b, description: e, group: [research, shard-1]}\n  c: {type: text-completion, name: c, description: f, group: [reserach]}\n  e: {type: text-completion, name: e, description: g, group: [shard-1, data]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [research]}\n  b: {type: text-completion, name: b, description: e, group: [research, shard-1]}\n  c: {type: text-completion, name: c, description: f, group: [search]}\n  e: {type: text-completion, name: e, description: g, group: [shard-1, shard-2]}\n",
    ),
    row(
        "gates.write-reachable",
        Document,
        "2:63",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [read-only, write]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, group: [write]}\n",
    ),
    row(
        "states.empty",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states: []}\n",
        CLEAN,
    ),
    row(
        "states.never-produced",
        Document,
        "2:86",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states: [undefined, rsults]}\n  b: {type: text-completion, name: b, description: e, state: results}\n  c: {type: text-completion, name: c, description: f, applicable-states: [results]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states: [undefined, results]}\n  b: {type: text-completion, name: b, description: e, state: results}\n",
    ),
    row(
        "states.never-awaited",
        Document,
        "3:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states: [undefined]}\n  b: {type: text-completion, name: b, description: e, state: done}\n",
        CLEAN,
    ),
    row(
        "states.dead-end",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, state: done, applicable-states: [undefined]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, state: undefined, applicable-states: [undefined]}\n",
    ),
    row(
        "states.trap",
        Document,
        "2:55",
        "tool:\n  a: {type: text-completion, name: a, description: d, state: done, applicable-states: [undefined]}\n  b: {type: text-completion, name: b, description: e, applicable-states: [done]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, state: done, applicable-states: [undefined]}\n  b: {type: text-completion, name: b, description: e, state: undefined, applicable-states: [done]}\n",
    ),
    row(
        "states.unreachable",
        Document,
        "2:65 3:65",
        "tool:\n  a: {type: text-completion, name: a, description: d, state: y, applicable-states: [x]}\n  b: {type: text-completion, name: b, description: e, state: x, applicable-states: [y]}\n",
        "tool:\n  a: {type: text-completion, name: a, description: d, state: y, applicable-states: [x, undefined]}\n  b: {type: text-completion, name: b, description: e, state: x, applicable-states: [y]}\n",
    ),
    row(
        "service.unused",
        Document,
        "2:3",
        "tool-service:\n  s: {id: s, request-queue: a, response-queue: b}\n",
        CLEAN,
    ),
    row(
        "service.same-queue",
        Document,
        "2:32",
        "tool-service:\n  s: {id: s, request-queue: a, response-queue: a}\n",
        CLEAN,
    ),
    row(
        "service.queue-shared",
        Document,
        "3:14",
        "tool-service:\n  s: {id: s, request-queue: a, response-queue: b}\n  t: {id: t, request-queue: a, response-queue: c}\n",
        CLEAN,
    ),
    row(
        "secrets.in-descriptor",
        Document,
        "4:32",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\nmcp:\n  m: {url: 'http://localhost', auth-token: sk-live-0123456789abcdef}\n",
        "tool:\n  a: {type: mcp-tool, name: a, description: d, mcp-tool: m}\nmcp:\n  m: {url: 'http://localhost', auth-token: '${MCP_TOKEN}'}\n",
    ),
    row(
        "entry.schema",
        Document,
        "2:91",
        "tool:\n  a: {type: row-embeddings-query, name: a, description: d, schema-name: s, collection: c, limit: 0}\n",
        "tool:\n  a: {type: row-embeddings-query, name: a, description: d, schema-name: s, collection: c, limit: 1}\n",
    ),
    row(
        "syntax.duplicate-key",
        Document,
        "3:3",
        "tool:\n  a: {type: text-completion, name: a, description: d}\n  a: {type: text-completion, name: a, description: d}\n",
        CLEAN,
    ),
    row(
        "syntax.not-json",
        Document,
        "2:78",
        "# t.json\n{\"tool\": {\n    \"a\": {\"type\": \"text-completion\", \"name\": \"a\", \"description\": \"d\",   \"x\": NaN}}}",
        CLEAN,
    ),
    row(
        "syntax.reads-differently",
        Document,
        "2:77",
        "tool:\n  a: {type: text-completion, name: a, description: d, applicable-states:   [on]}\n",
        CLEAN,
    ),
];

fn of<'f>(findings: &'f [Finding], code: &str) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| finding.code == code).collect()
}

#[test]
fn every_code_is_provoked_at_its_place_and_not_by_what_is_right() {
    let mut wrong = Vec::new();
    for Row { code, mode, at, bad, good } in ROWS {
        let found = check(&files(bad), *mode);
        let places: Vec<String> = of(&found, code)
            .iter()
            .map(|finding| format!("{}:{}", finding.site.line, finding.site.column))
            .collect();
        if places.join(" ") != *at {
            let all: Vec<_> = found
                .iter()
                .map(|finding| {
                    format!(
                        "{} {}:{} {}",
                        finding.code, finding.site.line, finding.site.column, finding.message
                    )
                })
                .collect();
            wrong.push(format!("{code}: at {places:?}, expected {at}; all: {all:#?}\n{bad}"));
        }
        if let Some(finding) = of(&check(&files(good), *mode), code).first() {
            wrong.push(format!("{code}: {} in what is right:\n{good}", finding.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The file after a finding's fix.
fn mended(files: &Files, finding: &Finding) -> Files {
    mended_by(files, finding, finding.fix.as_ref().unwrap())
}

/// The file after one of its fixes.
fn mended_by(files: &Files, finding: &Finding, fix: &Fix) -> Files {
    let mut source = files[0].1.clone();
    for EntryEdit { entry, edit } in &fix.edits {
        let place = entry.place();
        assert_eq!(place.form, EntryForm::Plain);
        source = source
            .apply(place.document, &edit.with_prefix(&place.at))
            .unwrap_or_else(|error| panic!("{}: {error}", finding.code))
            .0;
    }
    vec![(files[0].0.clone(), source)]
}

#[test]
fn a_fix_mends_what_it_is_offered_for_and_breaks_nothing() {
    let mut fixes = 0;
    for Row { code, mode, bad, .. } in ROWS {
        let before = files(bad);
        let found = check(&before, *mode);
        let count = |found: &[Finding]| of(found, code).len();
        for finding in of(&found, code).into_iter().filter(|finding| finding.fix.is_some()) {
            fixes += 1;
            let after = mended(&before, finding);
            let left = check(&after, *mode);
            assert!(
                count(&left) < count(&found),
                "{code}: still there after {:?}:\n{}",
                finding.fix,
                after[0].1.text()
            );
            let errors = |found: &[Finding]| {
                found.iter().filter(|finding| finding.severity == Severity::Error).count()
            };
            assert!(
                errors(&left) <= errors(&found),
                "{code}: a new error: {left:#?}\n{}",
                after[0].1.text()
            );
        }
    }
    assert!(fixes >= 33, "only {fixes} fixes were tried");
}

#[test]
fn every_code_has_a_row() {
    let mut codes: BTreeSet<&str> =
        lint::CHECKS.iter().chain(trustgraph::checks::CHECKS).map(|check| check.code).collect();
    codes.extend(lint::syntax::CODES.iter().map(|(code, ..)| *code));
    codes.insert(entry_rules::CODE);
    codes.remove(lint::syntax::NOT_WELL_FORMED);
    assert_eq!(ROWS.iter().map(|row| row.code).collect::<BTreeSet<_>>(), codes);
}

#[test]
fn what_is_right_has_no_finding() {
    for mode in [Document, AsDeployed] {
        assert_eq!(check(&files(CLEAN), mode), []);
    }
}

#[test]
fn a_text_that_cannot_be_read_is_a_finding_at_its_place() {
    let file = FileId::new("t.json");
    let error = Source::parse(Format::Json, "{\n  \"a\": ,\n}").unwrap_err();
    let catalog = read::read_catalog(std::iter::empty(), Document);
    let found = findings::of_text(&catalog, &file, Err(&error));
    assert_eq!((found[0].code, found[0].site.line), ("syntax.not-well-formed", 2));
}

#[test]
fn secrets_are_never_repeated() {
    let found = check(
        &files(
            "mcp:\n  m: {url: 'http://u:hunter2@localhost', auth-token: sk-live-0123456789abcdef}\ntool:\n  a: {type: prompt}\n",
        ),
        Document,
    );
    assert_eq!(of(&found, "secrets.in-descriptor").len(), 2);
    let service = "tool-service:\n  s: {id: s, request-queue: 'nats://u:hunter2@h x', response-queue: 'nats://u:hunter2@h x'}\n";
    let found: Vec<Finding> = found.into_iter().chain(check(&files(service), Document)).collect();
    assert!(
        !of(&found, "service.queue-name").is_empty()
            && !of(&found, "service.same-queue").is_empty()
    );
    for finding in found {
        assert!(
            !finding.message.contains("hunter2") && !finding.message.contains("0123456789"),
            "{}",
            finding.message
        );
    }
}

#[test]
fn a_queue_that_the_chosen_broker_cannot_carry_has_its_right_spelling() {
    use TransportKind::{Embedded, Http, Kafka, Nats, Pulsar, RabbitMq, WebSocket};
    let service = |request: &str| {
        files(&format!(
            "tool-service:\n  s: {{id: s, request-queue: '{request}', response-queue: 'response:tg:s'}} # kept\n"
        ))
    };
    let there = |files: &[(FileId, Source)], transport| {
        let catalog =
            read::read_catalog(files.iter().map(|(file, source)| (file, source)), Document);
        let mut connections = Connections::default();
        connections.choose(Connection::from_address(transport, "here", "nats://h"));
        findings::connection_findings(&catalog, &connections, &Listeners::new(), |_| {
            Some(&files[0].1)
        })
    };
    // What each of them carries is in `queue_name`'s vectors; here is what becomes of the rest.
    for (written, refused, better) in [
        ("non-persistent://tg/request/joke", &[RabbitMq, Kafka][..], Some("request:tg:joke")),
        ("nats://tg.request.joke", &[RabbitMq, Pulsar, Kafka], Some("request:tg:joke")),
        ("nats://jokes", &[RabbitMq, Pulsar, Kafka], None),
        ("request:tg:a:b", &[], None),
        ("no:class", &[], None),
    ] {
        for transport in [Nats, RabbitMq, Pulsar, Kafka, Embedded, Http, WebSocket] {
            let files = service(written);
            let found = there(&files, transport);
            assert_eq!(
                found.len(),
                usize::from(refused.contains(&transport)),
                "{written} over {transport:?}: {found:#?}"
            );
            let Some(finding) = found.first() else { continue };
            assert_eq!(
                (finding.code, finding.site.line, finding.site.column),
                (UNCARRIED.0, 2, 14)
            );
            assert!(
                finding.message.contains("connection \"here\"")
                    && finding.message.contains(written),
                "{}",
                finding.message
            );
            assert_eq!(finding.fix.is_some(), better.is_some(), "{written}");
            if let (Some(fix), Some(better)) = (&finding.fix, better) {
                let after = mended_by(&files, finding, fix);
                assert!(
                    after[0].1.text().contains(&format!("request-queue: '{better}'")),
                    "{}",
                    after[0].1.text()
                );
                assert_eq!(there(&after, transport), []);
            }
        }
    }
}

/// The documentation's table of codes, from the checks themselves.
fn table_of_codes() -> String {
    let words = |level: CheckLevel| match (level.document, level.as_deployed) {
        (Some(one), Some(other)) if one == other => one.as_str().to_owned(),
        (one, other) => {
            [one, other].map(|severity| severity.map_or("–", Severity::as_str)).join(" / ")
        }
    };
    let syntax = lint::syntax::CODES
        .iter()
        .map(|(code, severity, about)| (*code, severity.as_str().to_owned(), *about));
    let checks = lint::CHECKS
        .iter()
        .chain(trustgraph::checks::CHECKS)
        .map(|check| (check.code, words(check.severity), check.about));
    let there =
        THERE.iter().map(|(code, severity, about)| (*code, severity.as_str().to_owned(), *about));
    let of_schemas =
        (entry_rules::CODE, entry_rules::SEVERITY.as_str().to_owned(), entry_rules::ABOUT);
    let mut rows: Vec<_> = syntax.chain(checks).chain(there).chain([of_schemas]).collect();
    rows.sort_unstable();
    let rows =
        rows.iter().map(|(code, severity, about)| format!("| `{code}` | {severity} | {about} |\n"));
    format!(
        "| code | severity | what it finds |\n| --- | --- | --- |\n{}",
        rows.collect::<String>()
    )
}

#[test]
fn the_documentation_lists_every_code() {
    let page = include_str!("../../docs/systems.md");
    let (_, rest) = page.split_once("<!-- codes -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- /codes -->").unwrap();
    assert_eq!(table, table_of_codes(), "put this into docs/systems.md:\n{}", table_of_codes());
}

#[test]
fn the_page_of_mcp_lists_every_code() {
    let page = include_str!("../../docs/mcp.md");
    let (_, rest) = page.split_once("<!-- codes -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- /codes -->").unwrap();
    let rows = toolcrib::systems::mcp::checks::ROWS;
    let mut rows: Vec<String> = rows
        .iter()
        .map(|row| format!("| `{}` | {} | {} |\n", row.code, row.severity.as_str(), row.about))
        .collect();
    rows.sort_unstable();
    let wanted =
        format!("| code | severity | what it finds |\n| --- | --- | --- |\n{}", rows.concat());
    assert_eq!(table, wanted, "put this into docs/mcp.md:\n{wanted}");
}

#[test]
fn a_word_that_readers_take_for_different_things_is_written_as_either_is_meant() {
    const CODE: &str = "syntax.reads-differently";
    // What stands there, and what each fix leaves: the likeliest first.
    let rows: [(&str, &[&str]); 7] = [
        ("a: yes", &["a: \"yes\"", "a: true"]),
        ("a: 1:30", &["a: \"1:30\"", "a: 90"]),
        ("a: 010", &["a: 10", "a: 8", "a: \"010\""]),
        ("a: 1e3", &["a: 1000.0", "a: \"1e3\""]),
        ("a: 2026-01-01", &["a: \"2026-01-01\""]),
        ("a: [x, no]", &["a: [x, \"no\"]", "a: [x, false]"]),
        ("on: x", &["\"on\": x"]),
    ];
    for (written, wanted) in rows {
        let files = files(&format!(
            "tool_name: t # kept\ntarget_subject: cg.v1r4.a.b.cmd.tool.t.c\noptions:\n  {written} # why\n"
        ));
        let found = check(&files, Document);
        let [finding] = of(&found, CODE)[..] else { panic!("{written}: {found:#?}") };
        let after: Vec<String> = finding
            .fixes()
            .map(|fix| mended_by(&files, finding, fix)[0].1.text().to_string())
            .collect();
        let lines: Vec<&str> = after.iter().filter_map(|text| text.lines().nth(3)).collect();
        let wanted: Vec<String> = wanted.iter().map(|line| format!("  {line} # why")).collect();
        assert_eq!(lines, wanted, "{written}");
        for text in after {
            assert!(text.starts_with("tool_name: t # kept\n"), "{text}");
            let again = check(&self::files(&text), Document);
            assert_eq!(of(&again, CODE).len(), 0, "{text}");
        }
    }
}

#[test]
fn the_fix_of_a_list_and_a_schema_that_differ_loses_no_argument() {
    let code = "arguments.schema-differs";
    let row = ROWS.iter().rfind(|row| row.code == code).unwrap();
    let before = files(row.bad);
    let found = check(&before, row.mode);
    let after = mended(&before, of(&found, code).first().unwrap());
    let tool = &after[0].1.value(0).unwrap()["tool"]["a"];
    let listed: Vec<&Value> =
        tool["arguments"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(listed, ["x", "y"], "{}", after[0].1.text());
    let known = tool["arguments-schema"]["properties"].as_object().unwrap();
    assert_eq!(known.keys().collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(known["y"]["type"], "string");
    // What the list names, a call always has.
    assert_eq!(tool["arguments-schema"]["required"], json!(["y"]));
}

#[test]
fn a_schema_that_gets_the_lists_arguments_becomes_one_that_apis_take() {
    let code = "arguments.schema-differs";
    let bad = "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: y, type: string, description: d}], arguments-schema: {properties: {}}}\n";
    let before = files(bad);
    let found = check(&before, Document);
    let after = mended(&before, of(&found, code).first().unwrap());
    let schema = &after[0].1.value(0).unwrap()["tool"]["a"]["arguments-schema"];
    assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["y"])));
}

#[test]
fn a_schema_that_is_none_has_no_fix_that_adds_to_it() {
    let bad = "tool:\n  a: {type: prompt, name: a, description: d, template: t, arguments: [{name: y, type: string, description: d}], arguments-schema: {properties: text}}\n";
    let found = check(&files(bad), Document);
    assert_eq!(of(&found, "arguments.schema-invalid").len(), 1, "{found:?}");
    assert_eq!(of(&found, "arguments.schema-differs").len(), 0, "{found:?}");
}

#[test]
fn a_list_and_a_schema_that_say_other_types_are_noticed() {
    let code = "arguments.schema-differs";
    let text = |listed: &str, declared: &str| {
        format!(
            "tool:\n  a: {{type: prompt, name: a, description: d, template: t, arguments: [{{name: y, type: {listed}, description: d}}], arguments-schema: {{type: object, properties: {{y: {declared}}}}}}}\n"
        )
    };
    for (listed, declared, differs) in [
        ("string", "{type: string}", false),
        ("int", "{type: integer}", false),
        ("number", "{type: integer}", false),
        ("string", "{type: [string, integer]}", false),
        ("string", "{description: anything}", false),
        ("string", "{type: integer}", true),
        ("integer", "{type: array}", true),
    ] {
        let before = files(&text(listed, declared));
        let found = check(&before, Document);
        assert_eq!(of(&found, code).len(), usize::from(differs), "{listed} {declared}: {found:?}");
        for finding in of(&found, code) {
            let after = mended(&before, finding);
            let again = check(&after, Document);
            assert_eq!(of(&again, code).len(), 0, "{}", after[0].1.text());
        }
    }
}

/// Of sixty tools that lead into the same states, the first says so.
#[test]
fn states_that_no_run_leaves_are_found_once() {
    let tool = |key: &str, from: &str, to: &str| {
        format!(
            "  {key}: {{type: text-completion, name: {key}, description: about {key}, applicable-states: [{from}], state: {to}}}\n"
        )
    };
    let text = [
        "tool:\n".to_owned(),
        tool("a", "undefined", "x"),
        tool("b", "undefined", "y"),
        tool("c", "undefined", "x"),
        tool("d", "x", "y"),
        tool("e", "y", "x"),
    ]
    .concat();
    let found = check(&files(&text), Document);
    let traps: Vec<_> = found.iter().filter(|found| found.code == "states.trap").collect();
    assert_eq!(traps.len(), 1, "{traps:?}");
    let lines: Vec<usize> = traps[0].related.iter().map(|place| place.site.line).collect();
    assert_eq!((traps[0].site.line, lines), (2, vec![3, 4]));
    assert!(traps[0].message.contains("from \"x\" tools lead only among"), "{traps:?}");
    assert!(traps[0].message.ends_with("never leaves; 2 more tools lead there"), "{traps:?}");
    assert!(traps[0].related[0].message.contains("from \"y\""), "{traps:?}");
}
