//! Reads a scenario from a value; every issue names its place.

use serde_json::{Map, Value};

use super::script::{Expectations, GroupsChange, Refusal, Scenario, ScenarioIssue, ScenarioStep};
use crate::{
    engine::workflow::similar,
    model::{
        call::Outcome,
        context::{Context, Mode, Name},
    },
    schema::pointer::Pointer,
};

const OUTCOMES: [Outcome; 5] = [Outcome::Succeeded, Outcome::Failed, Outcome::Cancelled, Outcome::TimedOut, Outcome::Lost];
const EXPECTATIONS: &[&str] =
    &["before", "after", "state", "available", "includes", "hidden", "filtered_by_group", "filtered_by_state", "refused"];

impl Scenario {
    /// Reads `{name, mode, start: {user, groups, state, question}, steps: [{groups, tool, outcome, expect: {…}}]}`; all but `steps` may be left out.
    ///
    /// # Errors
    /// The first thing that is not as it must be: unknown key, wrong type, unknown word.
    pub fn read(value: &Value) -> Result<Self, ScenarioIssue> {
        let top = Object::of(value, Pointer::root(), &["name", "description", "mode", "start", "steps"])?;
        let (start, question) = match top.value("start") {
            None => Default::default(),
            Some((value, at)) => read_start(&Object::of(value, at, &["user", "groups", "state", "question"])?)?,
        };
        let Some((steps, at)) = top.value("steps") else {
            return Err(issue(&top.at, "\"steps\" is missing: a list of {tool, expect}"));
        };
        let Value::Array(items) = steps else { return Err(wrong(&at, "a list of steps", steps)) };
        Ok(Self {
            name: top.text("name")?.map(|name| name.to_string()).unwrap_or_default(),
            start,
            question,
            mode: read_mode(&top)?,
            steps: items.iter().enumerate().map(|(row, item)| read_step(item, at.item(row))).collect::<Result<_, _>>()?,
        })
    }
}

fn read_start(start: &Object<'_>) -> Result<(Context, Option<String>), ScenarioIssue> {
    let context = Context { user: start.text("user")?, groups: start.names("groups")?, state: start.text("state")? };
    Ok((context, start.text("question")?.map(|question| question.to_string())))
}

fn read_mode(top: &Object<'_>) -> Result<Option<Mode>, ScenarioIssue> {
    match top.text("mode")?.as_deref() {
        None => Ok(None),
        Some("document") => Ok(Some(Mode::Document)),
        Some("as deployed" | "as-deployed") => Ok(Some(Mode::AsDeployed)),
        Some(other) => Err(issue(&top.at.child("mode"), format!("{other:?} is no mode: write \"document\" or \"as deployed\""))),
    }
}

fn read_step(value: &Value, at: Pointer) -> Result<ScenarioStep, ScenarioIssue> {
    let step = Object::of(value, at, &["groups", "tool", "outcome", "expect"])?;
    let groups = match step.members.get("groups") {
        None => None,
        Some(Value::Null) => Some(GroupsChange::Absent),
        Some(_) => step.names("groups")?.map(GroupsChange::Only),
    };
    let outcome = match step.text("outcome")? {
        None => None,
        Some(word) => Some(OUTCOMES.into_iter().find(|outcome| outcome.word() == &*word).ok_or_else(|| {
            let words = OUTCOMES.map(Outcome::word).join(", ");
            issue(&step.at.child("outcome"), format!("{word:?} is no outcome: one of {words}"))
        })?),
    };
    let expect = match step.value("expect") {
        None => Expectations::default(),
        Some((value, at)) => read_expectations(&Object::of(value, at, EXPECTATIONS)?)?,
    };
    Ok(ScenarioStep { groups, tool: step.text("tool")?, outcome, expect })
}

fn read_expectations(expect: &Object<'_>) -> Result<Expectations, ScenarioIssue> {
    let refused = match expect.value("refused") {
        None => None,
        Some((Value::Bool(true), _)) => Some(Refusal::Expected),
        Some((Value::Bool(false), _)) => Some(Refusal::Excluded),
        Some((other, at)) => return Err(wrong(&at, "true or false", other)),
    };
    Ok(Expectations {
        before: expect.text("before")?,
        after: expect.text("after")?.or(expect.text("state")?),
        available: expect.names("available")?,
        includes: expect.names("includes")?,
        hidden: expect.names("hidden")?,
        filtered_by_group: expect.names("filtered_by_group")?,
        filtered_by_state: expect.names("filtered_by_state")?,
        refused,
    })
}

/// An object with its place, whose keys are all known.
struct Object<'v> {
    members: &'v Map<String, Value>,
    at: Pointer,
}

impl<'v> Object<'v> {
    fn of(value: &'v Value, at: Pointer, known: &[&str]) -> Result<Self, ScenarioIssue> {
        let Value::Object(members) = value else { return Err(wrong(&at, "an object", value)) };
        match members.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(Self { members, at }),
            Some(key) => {
                let hint = match similar::nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!("known here: {}", known.join(", ")),
                };
                Err(issue(&at.child(key.as_str()), format!("unknown key \"{key}\"; {hint}")))
            }
        }
    }

    /// A member that is there and not null, with its place.
    fn value(&self, key: &str) -> Option<(&'v Value, Pointer)> {
        let value = self.members.get(key).filter(|value| !value.is_null())?;
        Some((value, self.at.child(key)))
    }

    fn text(&self, key: &str) -> Result<Option<Name>, ScenarioIssue> {
        match self.value(key) {
            None => Ok(None),
            Some((Value::String(text), _)) => Ok(Some(text.as_str().into())),
            Some((other, at)) => Err(wrong(&at, "a text", other)),
        }
    }

    fn names(&self, key: &str) -> Result<Option<Vec<Name>>, ScenarioIssue> {
        let Some((value, at)) = self.value(key) else { return Ok(None) };
        let Value::Array(items) = value else { return Err(wrong(&at, "a list of texts", value)) };
        let name =
            |(row, item): (usize, &Value)| item.as_str().map(Name::from).ok_or_else(|| wrong(&at.item(row), "a text", item));
        items.iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
    }
}

fn wrong(at: &Pointer, wanted: &str, got: &Value) -> ScenarioIssue {
    let got = match got {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    issue(at, format!("{wanted} is wanted, this is {got}"))
}

fn issue(at: &Pointer, message: impl Into<String>) -> ScenarioIssue {
    ScenarioIssue { at: at.clone(), message: message.into() }
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
        let scenario = Scenario::read(&full()).unwrap();
        assert_eq!(scenario.steps[2].groups, Some(GroupsChange::Absent));
        assert_eq!(scenario.write(), full());
        assert_eq!(Scenario::read(&json!({"steps": []})).unwrap().write(), json!({"steps": []}));
    }

    #[test]
    fn state_is_short_for_the_state_after() {
        let scenario = Scenario::read(&json!({"steps": [{"tool": "x", "expect": {"state": "t"}}]})).unwrap();
        assert_eq!(scenario.steps[0].expect.after.as_deref(), Some("t"));
    }

    #[test]
    fn each_issue_names_its_place_and_the_way_out() {
        for (value, expected) in [
            (json!([]), "the scenario: an object is wanted, this is a list"),
            (json!({}), "the scenario: \"steps\" is missing: a list of {tool, expect}"),
            (json!({"steps": [{"tol": "x"}]}), "/steps/0/tol: unknown key \"tol\"; did you mean \"tool\"?"),
            (json!({"steps": [{"tool": 3}]}), "/steps/0/tool: a text is wanted, this is a number"),
            (json!({"steps": [], "start": {"groups": "a"}}), "/start/groups: a list of texts is wanted, this is a text"),
            (json!({"steps": [], "mode": "x"}), "/mode: \"x\" is no mode: write \"document\" or \"as deployed\""),
            (
                json!({"steps": [{"outcome": "ok"}]}),
                "/steps/0/outcome: \"ok\" is no outcome: one of succeeded, failed, cancelled, timed-out, lost",
            ),
            (
                json!({"steps": [{"expect": {"available": ["a", 1]}}]}),
                "/steps/0/expect/available/1: a text is wanted, this is a number",
            ),
        ] {
            assert_eq!(Scenario::read(&value).unwrap_err().to_string(), expected);
        }
    }
}
