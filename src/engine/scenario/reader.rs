//! Reads a scenario from a value; every issue names its place.

use serde_json::Value;

use super::script::{Expectations, GroupsChange, Refusal, Scenario, ScenarioStep};
use crate::{
    engine::members::{FileIssue, Members, file_issue, wrong_type},
    model::context::{Context, Mode},
    schema::pointer::Pointer,
};

const EXPECTATIONS: &[&str] = &[
    "before",
    "after",
    "state",
    "available",
    "includes",
    "hidden",
    "filtered_by_group",
    "filtered_by_state",
    "refused",
];

impl Scenario {
    /// Reads
    /// `{name, mode, start: {user, groups, state, question}, steps: [{groups, tool, outcome, expect: {…}}]}`; all but `steps` may be left out.
    ///
    /// # Errors
    /// The first thing that is not as it must be: unknown key, wrong type, unknown word.
    pub fn from_value(value: &Value) -> Result<Self, FileIssue> {
        let top = Members::from_value(
            value,
            Pointer::root(),
            &["name", "description", "mode", "start", "steps"],
        )?;
        let (start, question) = match top.non_null_value("start") {
            None => Default::default(),
            Some((value, at)) => read_start(&Members::from_value(
                value,
                at,
                &["user", "groups", "state", "question"],
            )?)?,
        };
        let Some((steps, at)) = top.non_null_value("steps") else {
            return Err(file_issue(&top.at, "\"steps\" is missing: a list of {tool, expect}"));
        };
        let Value::Array(items) = steps else {
            return Err(wrong_type(&at, "a list of steps", steps));
        };
        Ok(Self {
            name: top.read_name("name")?.map(|name| name.to_string()).unwrap_or_default(),
            start,
            question,
            mode: read_mode(&top)?,
            steps: items
                .iter()
                .enumerate()
                .map(|(row, item)| read_step(item, at.item(row)))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn read_start(start: &Members<'_>) -> Result<(Context, Option<String>), FileIssue> {
    let context = Context {
        user: start.read_name("user")?,
        groups: start.read_names("groups")?,
        state: start.read_name("state")?,
    };
    Ok((context, start.read_name("question")?.map(|question| question.to_string())))
}

fn read_mode(top: &Members<'_>) -> Result<Option<Mode>, FileIssue> {
    match top.read_name("mode")?.as_deref() {
        None => Ok(None),
        Some("document") => Ok(Some(Mode::Document)),
        Some("as deployed" | "as-deployed") => Ok(Some(Mode::AsDeployed)),
        Some(other) => Err(file_issue(
            &top.at.child("mode"),
            format!("{other:?} isn't a mode: use \"document\" or \"as deployed\""),
        )),
    }
}

fn read_step(value: &Value, at: Pointer) -> Result<ScenarioStep, FileIssue> {
    let step = Members::from_value(value, at, &["groups", "tool", "outcome", "expect"])?;
    let groups = match step.members.get("groups") {
        None => None,
        Some(Value::Null) => Some(GroupsChange::Absent),
        Some(_) => step.read_names("groups")?.map(GroupsChange::Only),
    };
    let expect = match step.non_null_value("expect") {
        None => Expectations::default(),
        Some((value, at)) => read_expectations(&Members::from_value(value, at, EXPECTATIONS)?)?,
    };
    Ok(ScenarioStep {
        groups,
        tool: step.read_name("tool")?,
        outcome: step.read_outcome("outcome")?,
        expect,
    })
}

fn read_expectations(expect: &Members<'_>) -> Result<Expectations, FileIssue> {
    let refused = match expect.non_null_value("refused") {
        None => None,
        Some((Value::Bool(true), _)) => Some(Refusal::Expected),
        Some((Value::Bool(false), _)) => Some(Refusal::Excluded),
        Some((other, at)) => return Err(wrong_type(&at, "true or false", other)),
    };
    Ok(Expectations {
        before: expect.read_name("before")?,
        after: expect.read_name("after")?.or(expect.read_name("state")?),
        available: expect.read_names("available")?,
        includes: expect.read_names("includes")?,
        hidden: expect.read_names("hidden")?,
        filtered_by_group: expect.read_names("filtered_by_group")?,
        filtered_by_state: expect.read_names("filtered_by_state")?,
        refused,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn full() -> Value {
        json!({
            "name": "all of it",
            "mode": "as deployed",
            "start": {"user": "ann", "groups": ["a"], "state": "s"},
            "steps": [
                {"tool": "x", "outcome": "timed-out", "expect": {"before": "s", "after": "s", "available": ["x"], "includes": [],
                    "hidden": ["y"], "filtered_by_group": ["y"], "filtered_by_state": [], "refused": false}},
                {"groups": ["b"], "expect": {"includes": ["y"]}},
                {"groups": null, "tool": "y", "expect": {"refused": true}}
            ]
        })
    }

    #[test]
    fn what_is_read_is_written_back() {
        let scenario = Scenario::from_value(&full()).unwrap();
        assert_eq!(scenario.steps[2].groups, Some(GroupsChange::Absent));
        assert_eq!(scenario.to_value(), full());
        assert_eq!(
            Scenario::from_value(&json!({"steps": []})).unwrap().to_value(),
            json!({"steps": []})
        );
    }

    #[test]
    fn state_is_short_for_the_state_after() {
        let scenario =
            Scenario::from_value(&json!({"steps": [{"tool": "x", "expect": {"state": "t"}}]}))
                .unwrap();
        assert_eq!(scenario.steps[0].expect.after.as_deref(), Some("t"));
    }

    #[test]
    fn each_issue_names_its_place_and_the_way_out() {
        for (value, expected) in [
            (json!([]), "expected an object, found a list"),
            (json!({}), "\"steps\" is missing: a list of {tool, expect}"),
            (
                json!({"steps": [{"tol": "x"}]}),
                "/steps/0/tol: \"tol\" is unknown; did you mean \"tool\"?",
            ),
            (json!({"steps": [{"tool": 3}]}), "/steps/0/tool: expected a text, found 3"),
            (
                json!({"steps": [], "start": {"groups": "a"}}),
                "/start/groups: expected a list of texts, found \"a\"",
            ),
            (
                json!({"steps": [], "mode": "x"}),
                "/mode: \"x\" isn't a mode: use \"document\" or \"as deployed\"",
            ),
            (
                json!({"steps": [{"outcome": "ok"}]}),
                "/steps/0/outcome: \"ok\" isn't an outcome: use one of succeeded, failed, cancelled, timed-out, lost",
            ),
            (
                json!({"steps": [{"expect": {"available": ["a", 1]}}]}),
                "/steps/0/expect/available/1: expected a text, found 1",
            ),
        ] {
            assert_eq!(Scenario::from_value(&value).unwrap_err().to_string(), expected);
        }
    }
}
