//! Requests for what servers behind the tools have beside them: resources, prompts, completions.

use serde_json::{Value, json};

use super::super::listing::{self, LISTS, ListOf};
use crate::{
    systems::mcp::{codes, server::reply::Refusal, version::Era},
    wire::systems::facets::tool_server::ToolHost,
};

/// The result of a request. Lists are those of all servers, one after the other; of all else the
/// answer is that of the first server that has one.
///
/// # Errors
/// Why there is none.
pub(super) async fn relay_request(
    host: &dyn ToolHost,
    (method, params): (&str, &Value),
    era: Era,
) -> Result<Value, Refusal> {
    match LISTS.into_iter().find(|(known, _)| *known == method) {
        Some(_) if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) => {
            let message = "the cursor is none that this server gave";
            Err(Refusal::new(codes::INVALID_PARAMS, message))
        }
        Some(list) => Ok(gather_list(host, list).await),
        None => find_answer(host, (method, params), era).await,
    }
}

async fn gather_list(host: &dyn ToolHost, list: ListOf) -> Value {
    let mut items: Vec<Value> = Vec::new();
    for server in host.servers() {
        let listed = match host.open_server(&server).await {
            Ok(bus) => listing::list(&*bus, list).await,
            Err(problem) => Err(problem),
        };
        match listed {
            // What an earlier one has under the same name is what is read.
            Ok(listed) => {
                let new = listed.pages.items.into_iter().filter(|item| !has_same(&items, item));
                let new: Vec<Value> = new.collect();
                items.extend(new);
            }
            Err(problem) if listing::is_unknown(&problem) => {}
            Err(problem) => host.note(&format!("{} of {server}: {}", list.0, problem.message)),
        }
    }
    json!({list.1: items})
}

fn has_same(items: &[Value], item: &Value) -> bool {
    let key = ["uri", "uriTemplate", "name"].into_iter().find(|key| item.get(key).is_some());
    key.is_some_and(|key| items.iter().any(|known| known[key] == item[key]))
}

async fn find_answer(
    host: &dyn ToolHost,
    (method, params): (&str, &Value),
    era: Era,
) -> Result<Value, Refusal> {
    let mut params = params.clone();
    // It says what this client is; the server behind has another one.
    if let Some(members) = params.as_object_mut() {
        members.remove("_meta");
    }
    let none = Refusal::new(codes::INVALID_PARAMS, "no server behind the tools has that");
    let uri = params.get("uri").map(|uri| json!({"uri": uri}));
    let mut refused = Refusal { data: uri, ..none };
    for server in host.servers() {
        let reply = match host.open_server(&server).await {
            Ok(bus) => listing::exchange(&*bus, method, &params).await,
            Err(problem) => Err(problem),
        };
        match reply {
            Ok((mut reply, _)) => match reply.get("error") {
                None if reply["result"]["resultType"] == "input_required" => {
                    let message = format!("{server} wants to know more, which is not passed on");
                    refused = Refusal::new(codes::INTERNAL_ERROR, message);
                }
                None => return Ok(reply["result"].take()),
                // That it has no such method says less than another's refusal.
                Some(error) if error["code"] == codes::METHOD_NOT_FOUND => {}
                Some(error) => {
                    let code = match error["code"].as_i64() {
                        // The modern era has no code of its own for it.
                        Some(codes::NO_RESOURCE) if era == Era::Modern => codes::INVALID_PARAMS,
                        code => code.unwrap_or(codes::INTERNAL_ERROR),
                    };
                    let message = error["message"].as_str().unwrap_or_default();
                    refused =
                        Refusal { data: error.get("data").cloned(), ..Refusal::new(code, message) };
                }
            },
            Err(problem) => {
                host.note(&format!("{method} of {server}: {}", problem.message));
                refused = Refusal::new(codes::INTERNAL_ERROR, problem.message);
            }
        }
    }
    Err(refused)
}
