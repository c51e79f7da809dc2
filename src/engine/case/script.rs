//! A case as data, and how it is read.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use regex::Regex;
use serde_json::{Map, Value, value::RawValue};

use crate::{
    engine::{
        members::{FileIssue, Members, file_issue, wrong_type},
        template,
    },
    model::{call::Outcome, problem::Problem},
    schema::{
        literal::Literal,
        pointer::Pointer,
        validate::{Checker, SchemaFinding},
    },
    syntax::source::Source,
};

/// A saved call with expectations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    pub name: String,
    /// The tool, by key or name.
    pub tool: String,
    /// An object, numbers as they were written.
    pub arguments: Literal,
    /// What is said beside them in `_meta`, an object; `None`: nothing.
    pub meta: Option<Literal>,
    pub user: Option<String>,
    /// The connection by name; `None`: the one that is chosen.
    pub connection: Option<String>,
    /// The way that the call takes; `None`: the first that is open.
    pub route: Option<String>,
    /// Which steps of the tool are to run; `None`: all.
    pub steps: Option<CaseSteps>,
    /// How long the answer may take before the call is given up.
    pub timeout: Option<Duration>,
    pub count: RunCount,
    pub expect: Expect,
}

/// How often a case is run, and so many of the runs have to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCount {
    pub runs: u32,
    pub pass: u32,
}

impl Default for RunCount {
    fn default() -> Self {
        Self { runs: 1, pass: 1 }
    }
}

impl RunCount {
    /// `runs` and `pass`; all have to hold where nothing is said of that.
    pub(super) fn from_members(members: &Members<'_>) -> Result<Self, FileIssue> {
        let runs = members.read_count("runs")?.unwrap_or(1);
        let pass = members.read_count("pass")?.unwrap_or(runs);
        match pass > runs {
            true => {
                let words = format!("{pass} of {runs} runs cannot hold");
                Err(file_issue(&members.at.child("pass"), words))
            }
            false => Ok(Self { runs, pass }),
        }
    }
}

/// Some of the steps of a tool, each by its name or its number from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseSteps {
    /// The first; `None`: from the beginning.
    pub from: Option<String>,
    /// The last; `None`: to the end.
    pub until: Option<String>,
    /// What the steps before stored, as the call that was kept went on from it.
    pub outputs: Map<String, Value>,
}

impl Expect {
    /// How the call has to end: in one of these ways. Where nothing is said it succeeds; none: an
    /// error is expected, and it ends with that in whichever way.
    #[must_use]
    pub fn expected_outcomes(&self) -> Vec<Outcome> {
        match self.outcomes.as_slice() {
            [] if self.error.is_none() => vec![Outcome::Succeeded],
            outcomes => outcomes.to_vec(),
        }
    }

    /// Whether nothing but a success will do.
    #[must_use]
    pub fn needs_success(&self) -> bool {
        self.expected_outcomes() == [Outcome::Succeeded]
    }

    /// Whether it expects something of how long the answer takes.
    #[must_use]
    pub fn looks_at_times(&self) -> bool {
        [self.under, self.first, self.gap].iter().any(Option::is_some)
    }
}

/// What is expected of the answer. What is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// See [`Expect::expected_outcomes`].
    pub outcomes: Vec<Outcome>,
    pub error: Option<ExpectedError>,
    /// The answer is JSON and has all of this.
    pub json: Option<Value>,
    /// Places of that which are not looked at; a `*` in one is every item or member.
    pub ignore: Vec<Pointer>,
    /// The answer's text, or that of its error, has each of these.
    pub contains: Vec<String>,
    /// The same has none of these.
    pub lacks: Vec<String>,
    /// Each of these regular expressions finds something in the same.
    pub matches: Vec<String>,
    /// The answer is JSON that fits this schema.
    pub schema: Option<Value>,
    /// It has ended within this time.
    pub under: Option<Duration>,
    /// The first piece came within this time.
    pub first: Option<Duration>,
    /// No piece came later than this after the one before.
    pub gap: Option<Duration>,
    /// At least so many chunks came.
    pub chunks: Option<u64>,
    /// The tool said how far it was at least so often.
    pub progress: Option<u64>,
}

/// What is expected of an error. What is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedError {
    /// The kind of the problem: `tool-service-error`, `no-responders`.
    pub kind: Option<String>,
    /// A part of what it says.
    pub message: Option<String>,
}

const MEMBERS: &[&str] = &[
    "case",
    "call",
    "arguments",
    "meta",
    "user",
    "connection",
    "route",
    "steps",
    "timeout",
    "runs",
    "pass",
    "expect",
];
const STEPS: &[&str] = &["from", "until", "outputs"];
/// What a case may expect, as its file says it.
pub const EXPECTED: &[&str] = &[
    "outcome", "error", "json", "ignore", "contains", "lacks", "matches", "schema", "under",
    "first", "gap", "chunks", "progress",
];
const ERROR: &[&str] = &["type", "message"];

impl Case {
    /// Whether a value is meant as a case: it names what it calls and what it expects.
    #[must_use]
    pub fn is_one(value: &Value) -> bool {
        value.get("call").is_some_and(Value::is_string)
    }

    /// The tools whose earlier answers it names, each once.
    #[must_use]
    pub fn answered_tools(&self) -> BTreeSet<String> {
        std::iter::once(&self.arguments)
            .chain(&self.meta)
            .flat_map(template::answered_tools)
            .collect()
    }

    /// The case with the answers that it names; `answer` gives the newest of a tool.
    ///
    /// # Errors
    /// When there is no such answer, or no such part of it.
    pub fn with_answers(
        &self,
        answer: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Cow<'_, Self>, Problem> {
        if self.answered_tools().is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let has_all = self.answered_tools().iter().all(|tool| answer(tool).is_some());
        let remedy = match has_all {
            true => "name a part that is in it",
            false => "the case before it that calls the tool has to succeed",
        };
        let fill = |literal| {
            let filled = template::with_answers(literal, answer);
            filled.map_err(|problem| problem.with_remedy(remedy))
        };
        let arguments = fill(&self.arguments)?;
        let meta = self.meta.as_ref().map(fill).transpose()?;
        Ok(Cow::Owned(Self { arguments, meta, ..self.clone() }))
    }

    /// Reads the first document of a file.
    ///
    /// # Errors
    /// The first thing that is not as it must be: unknown key, wrong type, unknown word.
    pub fn from_source(source: &Source) -> Result<Self, FileIssue> {
        let empty = || {
            file_issue(&Pointer::root(), "the file is empty: a case has call, arguments and expect")
        };
        let value = source.value(0).ok_or_else(empty)?;
        let top = Members::from_value(value, Pointer::root(), MEMBERS)?;
        let tool = top
            .read_text("call")?
            .ok_or_else(|| file_issue(&top.at, "\"call\" is missing: the tool, by key or name"))?;
        let object = |name: &str| match top.members.get(name) {
            None => Ok(None),
            Some(Value::Object(_)) => Ok(written_member(source, name)),
            Some(other) => Err(wrong_type(&top.at.child(name), "an object", other)),
        };
        let arguments = object("arguments")?.unwrap_or_else(|| Value::Object(Map::new()).into());
        let meta = object("meta")?;
        let steps = match top.members.get("steps") {
            None => None,
            Some(value) => {
                let members = Members::from_value(value, top.at.child("steps"), STEPS)?;
                Some(CaseSteps::from_members(&members)?)
            }
        };
        let expect = match top.members.get("expect") {
            None => Expect::default(),
            Some(value) => Expect::from_members(&Members::from_value(
                value,
                top.at.child("expect"),
                EXPECTED,
            )?)?,
        };
        Ok(Self {
            name: top.read_text("case")?.unwrap_or_default(),
            tool,
            arguments,
            meta,
            user: top.read_text("user")?,
            connection: top.read_text("connection")?,
            route: top.read_text("route")?,
            steps,
            timeout: top.read_duration("timeout")?,
            count: RunCount::from_members(&top)?,
            expect,
        })
    }
}

/// A member as JSON, its numbers as they stand in the file.
fn written_member(source: &Source, name: &str) -> Option<Literal> {
    let json = source.to_json(0)?;
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&json).ok()?;
    Literal::parse(members.get(name)?.get()).ok()
}

impl CaseSteps {
    fn from_members(members: &Members<'_>) -> Result<Self, FileIssue> {
        let outputs = match members.members.get("outputs") {
            None => Map::new(),
            Some(Value::Object(outputs)) => outputs.clone(),
            Some(other) => {
                return Err(wrong_type(&members.at.child("outputs"), "an object", other));
            }
        };
        Ok(Self { from: members.read_text("from")?, until: members.read_text("until")?, outputs })
    }

    /// The steps as a case has them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            members.extend(value.map(|value| (name.to_owned(), value)));
        };
        add("from", self.from.clone().map(Value::from));
        add("until", self.until.clone().map(Value::from));
        add("outputs", (!self.outputs.is_empty()).then(|| self.outputs.clone().into()));
        Value::Object(members)
    }
}

fn read_schema(members: &Members<'_>, schema: &Value) -> Result<Value, FileIssue> {
    let wrong = |findings: Vec<SchemaFinding>| {
        let words = findings.into_iter().map(|finding| finding.into_flaw().to_string());
        let words: Vec<String> = words.collect();
        file_issue(&members.at.child("schema"), format!("not a schema: {}", words.join("; ")))
    };
    Checker::compile(schema).map(|_| schema.clone()).map_err(wrong)
}

impl ExpectedError {
    /// A text is its type; an object says that, a part of its message, or both.
    fn from_members(members: &Members<'_>) -> Result<Option<Self>, FileIssue> {
        let Some(value @ Value::Object(_)) = members.members.get("error") else {
            let kind = members.read_text("error")?;
            return Ok(kind.map(|kind| Self { kind: Some(kind), message: None }));
        };
        let error = Members::from_value(value, members.at.child("error"), ERROR)?;
        let read = Self { kind: error.read_text("type")?, message: error.read_text("message")? };
        match read {
            Self { kind: None, message: None } => {
                Err(file_issue(&error.at, "an error that is expected has type, message or both"))
            }
            read => Ok(Some(read)),
        }
    }
}

/// The place of the text in that row, where it may be alone.
fn place_of_text(members: &Members<'_>, name: &str, row: usize) -> Pointer {
    let at = members.at.child(name);
    match members.members.get(name) {
        Some(Value::Array(_)) => at.item(row),
        _ => at,
    }
}

fn read_ignored(members: &Members<'_>) -> Result<Vec<Pointer>, FileIssue> {
    let texts = members.read_texts("ignore")?;
    if !texts.is_empty() && !members.members.contains_key("json") {
        let words = "these are places in json, which is missing";
        return Err(file_issue(&members.at.child("ignore"), words));
    }
    let pointer = |(row, text): (usize, &String)| match Pointer::parse(text) {
        Ok(pointer) if !pointer.is_root() => Ok(pointer),
        _ => {
            let words = format!("{text:?} is no place: write /at, or /orders/*/at");
            Err(file_issue(&place_of_text(members, "ignore", row), words))
        }
    };
    texts.iter().enumerate().map(pointer).collect()
}

fn read_patterns(members: &Members<'_>) -> Result<Vec<String>, FileIssue> {
    let texts = members.read_texts("matches")?;
    for (row, text) in texts.iter().enumerate() {
        // What a variable will be is known when the case is called, and is taken as text.
        let named =
            template::value_with_variables(&text.as_str().into(), &|_| Ok(Some("x".into())));
        let pattern = named.as_ref().ok().and_then(Value::as_str).unwrap_or(text);
        if let Err(error) = Regex::new(pattern) {
            // The last line says what is wrong, those before show where.
            let words = error.to_string();
            let why = words.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let at = place_of_text(members, "matches", row);
            return Err(file_issue(&at, format!("{text:?} is no regular expression: {why}")));
        }
    }
    Ok(texts)
}

impl Expect {
    fn from_members(members: &Members<'_>) -> Result<Self, FileIssue> {
        let least = |name: &str| match members.members.get(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| {
                wrong_type(&members.at.child(name), "a whole number: the minimum", value)
            }),
        };
        Ok(Self {
            outcomes: members.read_outcomes("outcome")?,
            error: ExpectedError::from_members(members)?,
            json: members.members.get("json").cloned(),
            ignore: read_ignored(members)?,
            contains: members.read_texts("contains")?,
            lacks: members.read_texts("lacks")?,
            matches: read_patterns(members)?,
            schema: members
                .members
                .get("schema")
                .map(|schema| read_schema(members, schema))
                .transpose()?,
            under: members.read_duration("under")?,
            first: members.read_duration("first")?,
            gap: members.read_duration("gap")?,
            chunks: least("chunks")?,
            progress: least("progress")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::Format;

    fn read(text: &str) -> Result<Case, FileIssue> {
        Case::from_source(&Source::parse(Format::Yaml, text).unwrap())
    }

    #[test]
    fn a_case_is_read_whole() {
        let case = read(
            "case: complaints\ncall: ask\narguments: {question: Why?, share: 1.50}\nuser: alice\nconnection: local\ntimeout: 2m\n\
             expect:\n  outcome: succeeded\n  json: {a: 1}\n  contains: late\n  schema: {type: object}\n  under: 1500ms\n  first: 500ms\n  gap: 2\n  chunks: 3\n  progress: 4\n",
        );
        let case = case.unwrap();
        assert_eq!((case.name.as_str(), case.tool.as_str()), ("complaints", "ask"));
        assert_eq!(case.arguments.to_json(), r#"{"question":"Why?","share":1.50}"#);
        assert_eq!(
            (case.user.as_deref(), case.connection.as_deref()),
            (Some("alice"), Some("local"))
        );
        assert_eq!(
            (case.timeout, case.expect.under),
            (Some(Duration::from_secs(120)), Some(Duration::from_millis(1_500)))
        );
        assert_eq!(
            (case.expect.first, case.expect.gap),
            (Some(Duration::from_millis(500)), Some(Duration::from_secs(2)))
        );
        assert_eq!(
            (case.expect.json, case.expect.contains, case.expect.chunks, case.expect.progress),
            (Some(json!({"a": 1})), vec!["late".into()], Some(3), Some(4))
        );
        assert_eq!(read("call: ask").unwrap().arguments.to_json(), "{}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, at, words) in [
            ("[]", "", "an object, found a list"),
            ("case: x", "", "\"call\" is missing"),
            ("call: ''", "/call", "a text that isn't empty"),
            ("call: a\nruns: 1001.0", "/runs", "a whole number from 1 to 1000"),
            ("call: a\nexpects: {}", "/expects", "did you mean \"expect\"?"),
            ("call: a\narguments: [1]", "/arguments", "an object"),
            ("call: a\nsteps: {form: b}", "/steps/form", "did you mean \"from\"?"),
            ("call: a\nsteps: {outputs: [1]}", "/steps/outputs", "an object"),
            ("call: a\nexpect: {outcome: fine}", "/expect/outcome", "isn't an outcome"),
            ("call: a\nexpect: {contains: [a, 1]}", "/expect/contains/1", "write \"1\""),
            ("call: a\nexpect: {contains: 42}", "/expect/contains", "write \"42\""),
            ("call: a\nexpect: {under: soon}", "/expect/under", "500ms"),
            ("call: a\nexpect: {chunks: -1}", "/expect/chunks", "a whole number"),
            ("call: a\nexpect: {progress: some}", "/expect/progress", "a whole number"),
            ("call: a\nruns: 2\npass: 3", "/pass", "3 of 2 runs"),
            ("call: a\nexpect: {outcome: [failed, 1]}", "/expect/outcome/1", "an outcome"),
            ("call: a\nexpect: {error: {kind: a}}", "/expect/error/kind", "unknown"),
            ("call: a\nexpect: {error: {}}", "/expect/error", "type, message or both"),
            ("call: a\nexpect: {matches: [a, '(']}", "/expect/matches/1", "unclosed group"),
            ("call: a\nexpect: {json: {}, ignore: at}", "/expect/ignore", "write /at"),
            ("call: a\nexpect: {ignore: [/at]}", "/expect/ignore", "json, which is missing"),
        ] {
            let issue = read(text).unwrap_err();
            assert_eq!(issue.at.to_string(), at, "{text}");
            assert!(issue.message.contains(words), "{text}: {issue}");
        }
        let far = read("call: a\nexpect: {schema: {$ref: 'http://h/s'}}").unwrap_err();
        assert!(far.message.contains("never followed over a network"), "{far}");
        assert!(!far.message.contains("ignored"), "the case is refused: {far}");
        assert_eq!(read("call: a\nruns: 1e3").unwrap().count.runs, 1_000);
    }
}
