//! Cases about which tools a request may use and where the state goes, run in the modes that a case
//! speaks for.

use serde_json::{Value, json};
use toolcrib::{
    engine::{
        filter::{available_tools, next_state},
        gated::{Slot, row_of},
    },
    model::{
        call::Outcome,
        context::{Context, Mode, Name},
    },
    systems::trustgraph::descriptor,
};

/// The modes in which a case must hold, each with what is expected there.
///
/// A quirk is what the deployed code does although nobody would want it. Where upstream does not
/// agree, the expectation is the document's, and what stands beside `agrees` is the deployed
/// answer. All else holds in both.
fn modes(case: &Value) -> Vec<(Mode, &Value)> {
    let (expect, upstream) = (&case["expect"], &case["upstream_code"]);
    if case["quirk"] == true {
        return vec![(Mode::AsDeployed, expect)];
    }
    if upstream["agrees"] != false {
        return vec![(Mode::Document, expect), (Mode::AsDeployed, expect)];
    }
    let beside = upstream.as_object().into_iter().flat_map(|members| members.values());
    let deployed = std::iter::once(upstream).chain(beside).find(|value| {
        value.as_object().is_some_and(|members| {
            expect.as_object().is_some_and(|keys| keys.keys().any(|key| members.contains_key(key)))
        })
    });
    std::iter::once((Mode::Document, expect))
        .chain(deployed.map(|value| (Mode::AsDeployed, value)))
        .collect()
}

fn tool(value: &Value, mode: Mode) -> Slot {
    let name: Name = value["name"].as_str().unwrap_or_default().into();
    Slot { key: name.clone(), name, gate: descriptor::read_gate(value, mode) }
}

fn tools(case: &Value, mode: Mode) -> Vec<Slot> {
    case["tools"].as_array().into_iter().flatten().map(|value| tool(value, mode)).collect()
}

/// A bare text is taken letter by letter, as deployed.
fn context(group: &Value, state: &Value) -> Context {
    let groups = match group {
        Value::Array(names) => {
            Some(names.iter().filter_map(Value::as_str).map(Name::from).collect())
        }
        Value::String(text) => Some(text.chars().map(|letter| letter.to_string().into()).collect()),
        _ => None,
    };
    Context { user: None, groups, state: state.as_str().map(Name::from) }
}

fn same(what: &str, mode: Mode, got: &Value, expected: &Value) -> Result<(), String> {
    if got == expected {
        Ok(())
    } else {
        Err(format!("{what} ({mode}): got {got}, expected {expected}"))
    }
}

fn offered(tools: &[Slot], context: &Context) -> Value {
    available_tools(tools, context).into_iter().map(|row| Value::from(&*tools[row].name)).collect()
}

fn after(tools: &[Slot], name: &Value, context: &Context, mode: Mode) -> Result<Value, String> {
    let row = name
        .as_str()
        .and_then(|name| row_of(tools, name))
        .ok_or_else(|| format!("no tool {name}"))?;
    Ok(json!(&*next_state(&tools[row].gate, context.state(), Outcome::Succeeded, mode)))
}

pub fn filter(case: &Value) -> Result<(), String> {
    for (mode, expect) in modes(case) {
        let tools = tools(case, mode);
        let context = context(&case["request"]["group"], &case["request"]["state"]);
        if let Some(expected) = expect.get("available") {
            same("available", mode, &offered(&tools, &context), expected)?;
        }
        if case.get("executed").is_some() {
            same(
                "next state",
                mode,
                &after(&tools, &case["executed"], &context, mode)?,
                &expect["next_state"],
            )?;
        }
    }
    Ok(())
}

pub fn next(case: &Value) -> Result<(), String> {
    let outcome = match case["outcome"].as_str() {
        Some("ok") => Outcome::Succeeded,
        Some("error") => Outcome::Failed,
        _ => return Err(format!("unknown outcome {}", case["outcome"])),
    };
    for (mode, expect) in modes(case) {
        let context = context(&Value::Null, &case["state"]);
        let state = next_state(&tool(&case["tool"], mode).gate, context.state(), outcome, mode);
        same("next state", mode, &json!(&*state), &expect["next_state"])?;
    }
    Ok(())
}

pub fn walk(case: &Value) -> Result<(), String> {
    let modes: &[Mode] = match (case["quirk"] == true, case["upstream_code"]["agrees"] == false) {
        (true, _) => &[Mode::AsDeployed],
        (false, true) => &[Mode::Document],
        (false, false) => &[Mode::Document, Mode::AsDeployed],
    };
    for mode in modes.iter().copied() {
        let tools = tools(case, mode);
        let mut state = case["start_state"].clone();
        for (row, step) in case["steps"].as_array().into_iter().flatten().enumerate() {
            let context = context(&step["group"], &state);
            same(&format!("step {row}"), mode, &offered(&tools, &context), &step["available"])?;
            if step.get("run").is_some() {
                state = after(&tools, &step["run"], &context, mode)?;
                same(&format!("step {row}, then"), mode, &state, &step["then"])?;
            }
        }
    }
    Ok(())
}
