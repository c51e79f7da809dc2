//! Taking what a scenario came to for what it expects.

use serde_json::Value;

use super::{
    comments,
    trial::{ScenarioRun, StepEnd, TrialStep},
};
use crate::{
    engine::gated::{Gated, row_of},
    model::context::Name,
    schema::pointer::Pointer,
    syntax::{edit::Edit, source::Source},
};

/// The first step that can't be run, as it names no tool: what comes after it follows from that, and
/// says nothing of what is meant.
#[must_use]
pub(crate) fn first_unrunnable(trial: &ScenarioRun) -> Option<usize> {
    trial.steps.iter().position(|step| step.end == StepEnd::Unknown)
}

/// What is said of a scenario with such a step: `None` where all of its steps can be run.
#[must_use]
pub(crate) fn unrunnable_words(trial: &ScenarioRun) -> Option<String> {
    let row = first_unrunnable(trial)?;
    let tool = trial.steps[row].tool.as_deref().unwrap_or_default();
    Some(format!(
        "step {} can't be run, as there is no tool {tool}: what is expected from there on stays as \
        it is",
        row + 1
    ))
}

/// The text of a scenario's file with what came in the place of each expectation that differs, and
/// the comments of these steps as they would be written now. From a step on that can't be run
/// ([`first_unrunnable`]) all stays, and differs still.
///
/// # Errors
/// What keeps the text from being edited.
pub(crate) fn accept_run<T: Gated>(
    source: &Source,
    trial: &ScenarioRun,
    tools: &[T],
) -> Result<String, String> {
    let Some(value) = source.value(0).cloned() else { return Err("it is empty".to_owned()) };
    let mut edited = source.clone();
    for edit in accept_edits(&value, trial, tools) {
        edited = edited.apply(0, &edit).map_err(|error| error.to_string())?.0;
    }
    let runnable = first_unrunnable(trial).unwrap_or(trial.steps.len());
    let known = ScenarioRun { steps: trial.steps[..runnable].to_vec(), ..trial.clone() };
    Ok(comments::write_again(edited.text().as_ref(), &known))
}

fn accept_edits<T: Gated>(value: &Value, trial: &ScenarioRun, tools: &[T]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let runnable = first_unrunnable(trial).unwrap_or(trial.steps.len());
    for (row, step) in trial.steps.iter().enumerate().take(runnable) {
        let at = Pointer::root().child("steps").item(row).child("expect");
        let given = at.get(value);
        for expectation in &step.expectations {
            if expectation.difference.is_none() {
                continue;
            }
            let member = match expectation.what {
                // `state` is short for the state after it.
                "after" if given.is_some_and(|given| given.get("after").is_none()) => "state",
                what => what,
            };
            let now = value_now(expectation.what, step, given, tools);
            edits.extend(now.map(|now| Edit::Set { at: at.child(member), to: now.into() }));
        }
    }
    edits
}

/// What an expectation would have to be; `None` where it can't hold.
fn value_now<T: Gated>(
    what: &str,
    step: &TrialStep,
    given: Option<&Value>,
    tools: &[T],
) -> Option<Value> {
    let names = |names: &[Name]| names.iter().map(|name| Value::from(&**name)).collect();
    // Of what is only asked for among others, what still holds.
    let kept = |is_so: &dyn Fn(&str) -> bool| {
        let words = given.and_then(|given| given.get(what)?.as_array()).into_iter().flatten();
        let holds = |word: &&Value| {
            let row = word.as_str().and_then(|word| row_of(tools, word));
            row.is_some_and(|row| is_so(tools[row].key()))
        };
        Some(words.filter(holds).cloned().collect())
    };
    let is_available = |key: &str| step.offer.available.iter().any(|known| &**known == key);
    match what {
        "before" => Some(step.before.as_ref().into()),
        "after" => Some(step.after.as_ref().into()),
        "available" => Some(names(&step.offer.available)),
        "filtered_by_group" => Some(names(&step.offer.filtered_by_group)),
        "filtered_by_state" => Some(names(&step.offer.filtered_by_state)),
        "includes" => kept(&is_available),
        "hidden" => kept(&|key| !is_available(key)),
        "refused" => Some(matches!(step.end, StepEnd::Refused { .. }).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{
            gated::Slot,
            scenario::{script::Scenario, trial::run_scenario},
        },
        model::{
            clock::Millis,
            context::Mode,
            tool::{Gate, States},
        },
        syntax::source::Format,
    };

    fn tool(key: &str, states: &[&str], next: &str) -> Slot {
        let states = States::Only(states.iter().map(|name| Name::from(*name)).collect());
        let gate = Gate { states, next: Some(next.into()), ..Gate::open() };
        Slot { key: key.into(), name: key.into(), gate }
    }

    #[test]
    fn what_came_is_taken_where_it_differs_and_all_else_stays() {
        let text = "\
# mine
steps:
  # 1: undefined → paid; 1 of 2 tools available
  - tool: pay
    expect: {state: paid, includes: [pay, ship]} # as agreed

  # 2: paid → shipped; 1 of 2 tools available
  - tool: ship
    expect:
      after: shipped
      available: [ship]

  # a step of mine
  - tool: pay
  - tool: gone
";
        let tools = [tool("pay", &["undefined"], "paid"), tool("ship", &["paid"], "sent")];
        let run = |source: &Source| {
            let scenario = Scenario::from_value(source.value(0).unwrap()).unwrap();
            run_scenario(&scenario, &tools, &[], Mode::Document, Millis(0))
        };
        let source = Source::parse(Format::Yaml, text).unwrap();
        let accepted = accept_run(&source, &run(&source), &tools).unwrap();
        let expected = text
            .replace("includes: [pay, ship]", "includes: [pay]")
            .replace("after: shipped", "after: sent")
            .replace("# 2: paid → shipped; 1", "# 2: paid → sent; 1")
            .replace(
                "  - tool: pay\n  - tool: gone",
                "  - tool: pay\n    expect:\n      refused: true\n  - tool: gone",
            );
        assert_eq!(accepted, expected);
        let again = run(&Source::parse(Format::Yaml, accepted).unwrap());
        assert_eq!(again.difference_count(), 1, "what names no tool can't be accepted");
    }

    #[test]
    fn nothing_is_taken_from_a_step_on_that_cannot_be_run() {
        let text = "\
steps:
  - tool: pay
    expect: {state: unpaid}
  - tool: shipp
    expect: {state: sent}
  - tool: pay
    expect: {state: sent, available: []}
";
        let tools = [tool("pay", &["undefined"], "paid"), tool("ship", &["paid"], "sent")];
        let source = Source::parse(Format::Yaml, text).unwrap();
        let scenario = Scenario::from_value(source.value(0).unwrap()).unwrap();
        let trial = run_scenario(&scenario, &tools, &[], Mode::Document, Millis(0));
        let accepted = accept_run(&source, &trial, &tools).unwrap();
        assert_eq!(accepted, text.replace("unpaid", "paid"));
        let words = unrunnable_words(&trial).unwrap();
        assert!(words.starts_with("step 2 can't be run, as there is no tool shipp"), "{words}");
    }
}
