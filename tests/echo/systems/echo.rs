//! Echo: a file with an object `echo` describes a tool that a server answers with one HTTP
//! exchange.

use serde_json::{Value, json};
use toolcrib::{
    engine::lint::{
        self,
        check::{Check, CheckLevel, Report, Run, member_pointer},
        context::LintContext,
    },
    model::{
        call::Request,
        catalog::Catalog,
        context::Mode,
        entry::{Entry, EntryId, EntryKind, EntryPlace, FileId, SystemId},
        finding::Finding,
        problem::Problem,
        tool::{Function, Gate, GateKeys, Tool},
    },
    schema::pointer::Pointer,
    syntax::source::Source,
    systems::{
        facets::calls::{CallOf, Calls},
        system::{NewEntry, NewPlace, System},
    },
};

pub const SYSTEM: SystemId = "echo";
const NAME: &str = "name";
const PATH: &str = "path";
const PARAMETERS: &str = "parameters";

pub struct Echo;

impl System for Echo {
    fn id(&self) -> SystemId {
        SYSTEM
    }

    fn title(&self) -> &'static str {
        "Echo"
    }

    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        let at = Pointer::root().child(SYSTEM);
        let found = source
            .value(0)
            .and_then(|root| root.get(SYSTEM).filter(|value| value.is_object()).cloned());
        let entry = |value: Value| {
            let place = source.find_place(0, &at);
            Entry {
                key: value[NAME].as_str().unwrap_or_default().to_owned(),
                id: EntryId::new(EntryPlace::plain(file.clone(), 0, at.clone())),
                system: SYSTEM,
                kind: EntryKind::Tool,
                line: place.map_or(0, |place| place.line),
                column: place.map_or(0, |place| place.column),
                value: value.into(),
            }
        };
        found.map(entry).into_iter().collect()
    }

    fn read_tool(&self, entry: &Entry, _: Mode) -> Tool {
        Tool {
            name: entry.key.clone(),
            name_key: NAME,
            kind: "echo".into(),
            description: entry.value["description"].as_str().unwrap_or_default().to_owned(),
            service: None,
            gate: Gate::ungated(),
            keys: GateKeys { groups: "groups", states: "states", next: "next" },
            gate_table: None,
            known: None,
            entry: entry.clone(),
        }
    }

    fn entry_schema(&self, _: &Entry, _: &Catalog) -> Value {
        json!({
            "type": "object",
            "properties": {
                NAME: {"type": "string", "description": "The name that a model calls it by"},
                "description": {"type": "string", "description": "What it does"},
                PATH: {"type": "string", "description": "Where the server answers for it"},
                PARAMETERS: {"type": "object", "description": "JSON Schema of its arguments"},
            },
            "required": [NAME, PATH],
        })
    }

    fn check_catalog(&self, context: &LintContext<'_>) -> Vec<Finding> {
        lint::run_checks(CHECKS, context, |system| system == SYSTEM)
    }

    fn new_entry_kinds(&self) -> Vec<NewEntry> {
        vec![NewEntry {
            system: SYSTEM,
            kind: EntryKind::Tool,
            type_name: "echo",
            place: NewPlace::Alone,
            named: &[NAME],
            help: "An Echo tool: a server answers it with one HTTP exchange.",
            value: json!({NAME: "", PATH: "/"}),
        }]
    }

    fn model_function(&self, tool: &Tool) -> Function {
        let parameters =
            tool.entry.value.get(PARAMETERS).cloned().unwrap_or_else(|| json!({"type": "object"}));
        Function::new(&tool.name, &tool.description, parameters)
    }

    fn calls(&self) -> Option<&dyn Calls> {
        Some(self)
    }
}

impl Calls for Echo {
    fn answered_by(&self) -> &'static str {
        "an Echo server"
    }

    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        Ok(Request {
            tool: call.tool.id().clone(),
            system: SYSTEM,
            name: call.tool.name.clone(),
            to: call.tool.entry.value[PATH].as_str().unwrap_or("/").to_owned(),
            reply: None,
            headers: Vec::new(),
            correlation: call.correlation.to_owned(),
            arguments: call.arguments.to_json().into(),
            body: call.arguments.to_json().into(),
            mock: None,
        })
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        Some(body.to_owned())
    }
}

const CHECKS: &[Check] = &[Check {
    code: "echo.path",
    severity: CheckLevel::ERROR,
    about: "The path does not begin with a slash: no server answers there.",
    run: Run::Tool(path),
}];

fn path(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if !tool.entry.value[PATH].as_str().is_some_and(|path| path.starts_with('/')) {
        report.add_finding(
            &tool.entry,
            member_pointer(PATH),
            "the path does not begin with a slash",
        );
    }
}
