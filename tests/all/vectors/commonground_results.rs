//! Cases about CommonGround's cards and results, what they do to a turn, and the requests of its
//! HTTP tools.

use serde_json::{Map, Value, json};
use toolcrib::systems::commonground::{
    after::{self, AfterExecution, AfterSource},
    card::{self, Card, content_fault},
    jina,
    known::Known,
    report::{Report, find_barriers},
    result::{self, Author, ToolResult},
};

use super::{commonground_wire::context, same};

fn text<'c>(case: &'c Value, name: &str) -> &'c str {
    case[name].as_str().unwrap_or_default()
}

fn after(word: &Value) -> Result<AfterExecution, String> {
    word.as_str().and_then(AfterExecution::of_word).ok_or_else(|| format!("{word} is no lifecycle"))
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// A card as the vectors write it: few members, the class of its content as a flag.
fn read(given: &Value) -> Option<Card> {
    let mut labels = object(&given["labels"]);
    labels
        .extend(given.get("function_name").map(|name| ("function_name".to_owned(), name.clone())));
    let class = if given["content_is_result"] == json!(false) {
        "TextContent"
    } else {
        "ToolResultContent"
    };
    let content = json!({"__type__": class});
    Card::from_value(&json!({
        "card_id": "card_r", "type": given.get("type")?, "tool_call_id": given["tool_call_id"], "author_id": given["author_id"],
        "content": content, "metadata": labels,
    }))
}

pub fn built(case: &Value) -> Result<(), String> {
    let given = &case["given"];
    let said = |name: &str| AfterExecution::from_value(&case[name]);
    let said = AfterSource {
        command: said("command_after_execution"),
        service: said("service_after_execution"),
        ..AfterSource::default()
    };
    let built = result::build(&ToolResult {
        status: &given["status"],
        result: &given["result"],
        error: given.get("error"),
        after_execution: given.get("after_execution"),
        said,
    });
    if case["expect"]["refused"] == json!(true) {
        let fault = content_fault(&card::tagged_result(&built.content()));
        return same("the store takes it", &json!(fault.is_none()), &json!(false));
    }
    let expect = &case["expect"];
    if let Some(content) = expect.get("content") {
        same("the content", &built.content(), content)?;
        let mut report = built.report("card_r");
        same(
            "its pointer",
            &report.as_object_mut().unwrap().remove("tool_result_card_id").unwrap(),
            &json!("card_r"),
        )?;
        same("the report", &report, &expect["callback"])?;
    }
    let Some(metadata) = expect.get("metadata") else { return Ok(()) };
    let call = Card { labels: object(&case["call_card_labels"]), ..Card::default() };
    let author = Author { id: text(expect, "author_id"), function: "lamp_switch" };
    let card = result::card("card_r", author, &context(&case["context"]), &call, &built);
    let got = json!({
        "metadata": card.labels, "type": card.kind, "author_id": card.author_id, "tool_call_id": card.tool_call_id,
    });
    same("the labels", &got["metadata"], metadata)?;
    same("the card", &got, expect)
}

pub fn effective(case: &Value) -> Result<(), String> {
    let effective = after::on_reading(after(&case["stored"])?, &case["result"]);
    same("what counts", &json!(effective.after.as_str()), &case["expect"])
}

pub fn turn(case: &Value) -> Result<(), String> {
    let results: Vec<(&str, AfterExecution)> = case["results"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|result| Ok((text(result, "status"), after(&result["after_execution"])?)))
        .collect::<Result<_, String>>()?;
    let (after, status) = after::turn_outcome(results);
    same("the turn", &json!({"after_execution": after.as_str(), "status": status}), &case["expect"])
}

pub fn content(case: &Value) -> Result<(), String> {
    let fault = content_fault(&case["content"]);
    if case["expect"] == json!({"valid": false, "why": null}) {
        // Several faults at once.
        return same("valid", &json!(fault.is_none()), &json!(false));
    }
    same(
        "the fault",
        &json!({"valid": fault.is_none(), "why": fault.map(card::ContentFault::as_str)}),
        &case["expect"],
    )
}

pub fn usable(case: &Value) -> Result<(), String> {
    let card = read(&case["card"]);
    let answer = result::check_result_card(
        text(case, "pointer"),
        card.as_ref(),
        text(case, "expected_call"),
    );
    same("the answer", &json!(answer.err().unwrap_or("ok")), &case["expect"])
}

pub fn gate(case: &Value) -> Result<(), String> {
    let card = read(&case["card"]);
    let roster = case["roster"].as_array().is_some_and(|roster| roster.contains(&case["reporter"]));
    let report = Report {
        in_roster: Known::looked_up(roster.then_some(())),
        reporter: text(case, "reporter"),
        pointer: text(case, "pointer"),
        call_id: text(case, "call_id"),
        card: Known::looked_up(card.as_ref()),
        ..Report::default()
    };
    let found = find_barriers(&report);
    same(
        "the answer",
        &json!(found.first().map_or("accepted", |barred| barred.code())),
        &case["expect"],
    )
}

pub fn jina(case: &Value) -> Result<(), String> {
    let variable = |name: &str| case["env"][name].as_str().map(str::to_owned);
    let environment =
        jina::Environment { envs: &object(&case["service_envs"]), variable: &variable };
    let got = match jina::build_request(&case["options"], &object(&case["arguments"]), &environment)
    {
        Ok(request) => json!({
            "method": request.method, "url": request.url, "query": request.query, "json": request.json,
            "headers": request.headers.into_iter().collect::<std::collections::BTreeMap<_, _>>(), "timeout_s": request.timeout_s,
        }),
        Err(fault) => json!({"error_code": "bad_request", "message": fault.0}),
    };
    same("the request", &got, &case["expect"])
}
