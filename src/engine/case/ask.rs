//! An ask case: a question to a model, and which tools it is to choose.

use std::collections::BTreeMap;

use serde_json::Value;

use super::script::RunCount;
use crate::{
    engine::members::{FileIssue, Members, file_issue, wrong_type},
    model::context::{Context, Name},
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// A question with what is expected of a model that gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct AskCase {
    pub name: String,
    pub question: String,
    pub system: Option<String>,
    pub user: Option<Name>,
    /// `None`: as in the workspace.
    pub groups: Option<Vec<Name>>,
    /// `None`: as in the workspace.
    pub state: Option<Name>,
    /// How often the model is asked.
    pub runs: u32,
    /// So many of the runs have to hold.
    pub pass: u32,
    pub max_turns: u32,
    /// What tools answer, by their names; others are mocked.
    pub answers: BTreeMap<String, String>,
    /// Tools without an answer are really called.
    pub calls_tools: bool,
    /// The file with recorded runs, beside the case.
    pub recorded: Option<String>,
    pub expect: ExpectedChoice,
}

/// What a model is expected to do. What is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedChoice {
    pub tools: Vec<ExpectedCall>,
    pub order: CallOrder,
    /// Tools that it must not want.
    pub never: Vec<String>,
    /// It wants no tool beside those.
    pub only: bool,
    /// Its answer has each of these.
    pub contains: Vec<String>,
    /// The state at the end.
    pub state: Option<Name>,
}

/// A call that is expected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedCall {
    /// The tool, by the name that the model sees or by key.
    pub tool: String,
    /// The arguments are these.
    pub arguments: Option<Value>,
    /// The arguments fit this schema.
    pub schema: Option<Value>,
}

/// In which order calls are expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOrder {
    /// One after the other; others may come between.
    #[default]
    InOrder,
    AnyOrder,
}

const MEMBERS: &[&str] = &[
    "case",
    "ask",
    "system",
    "user",
    "groups",
    "state",
    "runs",
    "pass",
    "max-turns",
    "answers",
    "calls",
    "recorded",
    "expect",
];
const EXPECTED: &[&str] = &["tools", "order", "never", "only", "contains", "state"];
const CALL: &[&str] = &["call", "arguments", "schema"];

const MAX_TURNS: u32 = 16;

impl AskCase {
    /// Whether a value is meant as an ask case.
    #[must_use]
    pub fn is_one(value: &Value) -> bool {
        value.get("ask").is_some_and(Value::is_string)
    }

    /// Reads the first document of a file.
    ///
    /// # Errors
    /// The first thing that is not as it must be: unknown key, wrong type, unknown word.
    pub fn from_source(source: &Source) -> Result<Self, FileIssue> {
        let empty = || file_issue(&Pointer::root(), "the file is empty: a case has ask and expect");
        let value = source.value(0).ok_or_else(empty)?;
        let top = Members::from_value(value, Pointer::root(), MEMBERS)?;
        let question = top
            .read_text("ask")?
            .ok_or_else(|| file_issue(&top.at, "\"ask\" is missing: the question"))?;
        let RunCount { runs, pass } = RunCount::from_members(&top)?;
        let calls_tools = match top.read_text("calls")?.as_deref() {
            None | Some("mock") => false,
            Some("real") => true,
            Some(other) => {
                let words = format!("{other:?} is unknown; write mock or real");
                return Err(file_issue(&top.at.child("calls"), words));
            }
        };
        let expect = match top.members.get("expect") {
            None => ExpectedChoice::default(),
            Some(value) => {
                let members = Members::from_value(value, top.at.child("expect"), EXPECTED)?;
                ExpectedChoice::from_members(&members)?
            }
        };
        Ok(Self {
            name: top.read_text("case")?.unwrap_or_default(),
            question,
            system: top.read_text("system")?,
            user: top.read_name("user")?,
            groups: top.read_names("groups")?,
            state: top.read_name("state")?,
            runs,
            pass,
            max_turns: top.read_count("max-turns")?.unwrap_or(MAX_TURNS),
            answers: read_answers(&top)?,
            calls_tools,
            recorded: top.read_text("recorded")?,
            expect,
        })
    }

    /// The context that it is asked in; `own` is the workspace's.
    #[must_use]
    pub fn context(&self, own: &Context) -> Context {
        Context {
            user: self.user.clone().or_else(|| own.user.clone()),
            groups: self.groups.clone().or_else(|| own.groups.clone()),
            state: self.state.clone().or_else(|| own.state.clone()),
        }
    }
}

/// The text of an answer: itself, or what it is as JSON.
fn read_answers(top: &Members<'_>) -> Result<BTreeMap<String, String>, FileIssue> {
    match top.members.get("answers") {
        None => Ok(BTreeMap::new()),
        Some(Value::Object(answers)) => {
            let text =
                |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Ok(answers.iter().map(|(tool, value)| (tool.clone(), text(value))).collect())
        }
        Some(other) => Err(wrong_type(&top.at.child("answers"), "an object: TOOL: text", other)),
    }
}

impl ExpectedChoice {
    fn from_members(members: &Members<'_>) -> Result<Self, FileIssue> {
        let at = members.at.child("tools");
        let tools = match members.members.get("tools") {
            None => Vec::new(),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(row, item)| ExpectedCall::from_value(item, at.item(row)))
                .collect::<Result<_, _>>()?,
            Some(one) => vec![ExpectedCall::from_value(one, at)?],
        };
        let order = match members.read_text("order")?.as_deref() {
            None | Some("in-order") => CallOrder::InOrder,
            Some("any-order") => CallOrder::AnyOrder,
            Some(other) => {
                let words = format!("{other:?} is unknown; write in-order or any-order");
                return Err(file_issue(&members.at.child("order"), words));
            }
        };
        let only = match members.members.get("only") {
            None => false,
            Some(Value::Bool(only)) => *only,
            Some(other) => {
                return Err(wrong_type(&members.at.child("only"), "true or false", other));
            }
        };
        Ok(Self {
            tools,
            order,
            never: members.read_texts("never")?,
            only,
            contains: members.read_texts("contains")?,
            state: members.read_name("state")?,
        })
    }
}

impl ExpectedCall {
    /// A name alone, or an object with `call`.
    fn from_value(value: &Value, at: Pointer) -> Result<Self, FileIssue> {
        if let Some(tool) = value.as_str() {
            return Ok(Self { tool: tool.to_owned(), ..Self::default() });
        }
        let members = Members::from_value(value, at, CALL)?;
        let missing = || file_issue(&members.at, "\"call\" is missing: the tool");
        Ok(Self {
            tool: members.read_text("call")?.ok_or_else(missing)?,
            arguments: members.members.get("arguments").cloned(),
            schema: members.members.get("schema").cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::Format;

    fn read(text: &str) -> Result<AskCase, FileIssue> {
        AskCase::from_source(&Source::parse(Format::Yaml, text).unwrap())
    }

    #[test]
    fn a_case_is_read_whole() {
        let case = read(
            "case: late\nask: What is late?\nsystem: Be brief.\ngroups: [read-only]\nstate: findings\nruns: 5\npass: 4\n\
             answers: {find: 41 of 100, sum: {a: 1}}\nrecorded: late.json\ncalls: real\nmax-turns: 3\n\
             expect:\n  tools: [find, {call: sum, arguments: {a: 1}, schema: {type: object}}]\n  order: any-order\n\
             \x20 never: joke\n  only: true\n  contains: late\n  state: figures\n",
        );
        let case = case.unwrap();
        assert_eq!((case.runs, case.pass, case.max_turns, case.calls_tools), (5, 4, 3, true));
        assert_eq!(case.answers["sum"], r#"{"a":1}"#);
        let tools: Vec<&str> = case.expect.tools.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(tools, ["find", "sum"]);
        assert_eq!(case.expect.tools[1].arguments, Some(json!({"a": 1})));
        assert_eq!((case.expect.order, case.expect.only), (CallOrder::AnyOrder, true));
        let least = read("ask: Why?").unwrap();
        assert_eq!((least.runs, least.pass, least.calls_tools), (1, 1, false));
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place() {
        for (text, at, words) in [
            ("case: x", "", "\"ask\" is missing"),
            ("ask: a\nexpects: {}", "/expects", "did you mean \"expect\"?"),
            ("ask: a\nruns: 0", "/runs", "a whole number from 1"),
            ("ask: a\nruns: 2\npass: 3", "/pass", "3 of 2 runs"),
            ("ask: a\ncalls: maybe", "/calls", "mock or real"),
            ("ask: a\nanswers: [1]", "/answers", "an object"),
            ("ask: a\nexpect: {order: random}", "/expect/order", "any-order"),
            (
                "ask: a\nexpect: {tools: [{arguments: {}}]}",
                "/expect/tools/0",
                "\"call\" is missing",
            ),
            ("ask: a\nexpect: {tools: [{call: x, args: {}}]}", "/expect/tools/0/args", "unknown"),
            ("ask: a\nexpect: {only: 1}", "/expect/only", "true or false"),
        ] {
            let issue = read(text).unwrap_err();
            assert_eq!(issue.at.to_string(), at, "{text}");
            assert!(issue.message.contains(words), "{text}: {issue}");
        }
    }
}
