//! The ops of `mcp.json`: streams of events, versions, tools, answers, changes, headers, and
//! configurations of other programs.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolcrib::{
    systems::mcp::{
        drift::compare_lists,
        expand::{Context, expand_args, expand_text},
        fault::fault_ids,
        form::Form,
        headers::mirror_headers,
        import::config::config_import,
        negotiate::{Attempt, EraChoice, ProbeOutcome, Step, Transport, negotiate},
        result_view::result_view,
        tool_findings::tool_findings,
        version::{DEFAULT, Era, Versions},
    },
    wire::transport::http::events::Events,
};

use super::same;

fn expected(got: &Value, case: &Value) -> Result<(), String> {
    same("the answer", got, &case["expect"])
}

/// A text of the input, or what holds where it is not given.
fn text<'c>(input: &'c Value, name: &str, default: &'c str) -> &'c str {
    input[name].as_str().unwrap_or(default)
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(String::from).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

pub fn events(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let chunks =
        input["text"].as_str().map(String::from).into_iter().chain(texts(&input["chunks"]));
    let chunks: Vec<Vec<u8>> = chunks
        .map(String::into_bytes)
        .chain(texts(&input["hex"]).iter().map(|hex| bytes(hex)))
        .collect();
    let whole = chunks.concat();
    // In the pieces that are given, as a whole, and byte by byte.
    for pieces in [chunks, vec![whole.clone()], whole.iter().map(|byte| vec![*byte]).collect()] {
        let mut reader = Events::default();
        let mut read = Vec::new();
        for event in pieces.iter().flat_map(|piece| reader.push_bytes(piece)).collect::<Vec<_>>() {
            let name = if event.name.is_empty() { "message" } else { &event.name };
            read.push(json!({"event": name, "data": String::from_utf8_lossy(&event.data), "id": event.id}));
        }
        expected(
            &json!({"events": read, "last_event_id": reader.last_id(), "retry": reader.retry_ms()}),
            case,
        )?;
    }
    Ok(())
}

fn seen(seen: &Value) -> ProbeOutcome {
    let status = || seen["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    if let Some(result) = seen.get("result") {
        return ProbeOutcome::Result(result.clone());
    }
    if let Some(error) = seen.get("error") {
        return ProbeOutcome::Error { error: error.clone(), status: status() };
    }
    if seen.get("exit").is_some() {
        return ProbeOutcome::Exit;
    }
    match status() {
        Some(status) => ProbeOutcome::of_http(
            status,
            &seen["body"].as_str().map_or_else(|| seen["body"].to_string(), String::from),
        ),
        None => ProbeOutcome::Timeout,
    }
}

pub fn negotiation(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let mut client = Versions::default();
    if let Some(own) = input.get("client") {
        client = Versions { modern: texts(&own["modern"]), legacy: texts(&own["legacy"]) };
    }
    let asked = Attempt {
        transport: if input["transport"] == "http" { Transport::Http } else { Transport::Stdio },
        era: match text(input, "era", "auto") {
            "modern" => EraChoice::Modern,
            "legacy" => EraChoice::Legacy,
            _ => EraChoice::Auto,
        },
        step: if input["step"] == "initialize" { Step::Initialize } else { Step::Discover },
        sent: text(input, "sent", ""),
        attempt: input["attempt"].as_u64().map_or(1, |attempt| u32::try_from(attempt).unwrap()),
        client: &client,
    };
    let verdict = negotiate(&asked, &seen(&input["seen"]));
    let (era, version): (Option<Era>, Option<String>) = verdict.speak.unzip();
    let got = json!({
        "do": verdict.step.as_str(),
        "era": era.map(Era::as_str),
        "version": version,
        "respawn": verdict.respawn,
        "findings": verdict.findings,
    });
    expected(&got, case)
}

pub fn tool(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let others = texts(&input["others"]);
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    expected(
        &json!(fault_ids(&tool_findings(&input["tool"], text(input, "version", DEFAULT), &others))),
        case,
    )
}

pub fn result(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let view =
        result_view(&input["reply"], input.get("outputSchema"), text(input, "version", DEFAULT));
    expected(
        &json!({"outcome": view.outcome.as_str(), "text": view.text, "findings": fault_ids(&view.faults)}),
        case,
    )
}

pub fn changes(case: &Value) -> Result<(), String> {
    let list = |name: &str| case["input"][name].as_array().cloned().unwrap_or_default();
    let changes = compare_lists(&list("old"), &list("new")).into_iter().map(|change| {
        json!({"tool": change.tool, "change": change.id, "severity": change.severity.as_str(), "at": change.at.to_string()})
    });
    expected(&changes.collect(), case)
}

pub fn headers(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let none = Map::new();
    let arguments = input["arguments"].as_object().unwrap_or(&none);
    let got = match mirror_headers(text(input, "name", ""), &input["inputSchema"], arguments) {
        Ok(headers) => json!({"headers": headers}),
        Err(faults) => json!({"excluded": fault_ids(&faults)}),
    };
    expected(&got, case)
}

fn context(given: &Value) -> Context {
    let own = |name: &str| given[name].as_str().map(String::from);
    let map = |name: &str| -> BTreeMap<String, Value> {
        given[name]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    let texts = |name: &str| -> BTreeMap<String, String> {
        let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), String::from);
        map(name).into_iter().map(|(name, value)| (name, text(value))).collect()
    };
    Context {
        env: texts("env"),
        home: own("home"),
        workspace: own("workspace"),
        dir: own("dir"),
        desktop: own("desktop"),
        documents: own("documents"),
        downloads: own("downloads"),
        separator: own("separator").unwrap_or_else(|| "/".to_owned()),
        inputs: texts("inputs"),
        user_config: map("userConfig"),
        variables: texts("variables"),
    }
}

pub fn expansion(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let form = Form::parse(text(input, "form", "")).ok_or("no such form")?;
    let context = context(&input["context"]);
    let got = match input["text"].as_str() {
        Some(text) => {
            let expanded = expand_text(form, text, &context);
            json!({"text": expanded.value, "missing": expanded.missing})
        }
        None => {
            let expanded = expand_args(form, &texts(&input["args"]), &context);
            json!({"args": expanded.value, "missing": expanded.missing})
        }
    };
    expected(&got, case)
}

pub fn imported(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let form = Form::parse(text(input, "form", "auto"));
    let read = config_import(form, text(input, "text", ""), text(input, "platform", "linux"));
    let servers: Vec<Value> = read.servers.iter().map(|server| server.to_json()).collect();
    expected(&json!({"servers": servers, "findings": fault_ids(&read.faults)}), case)
}
