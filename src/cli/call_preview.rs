//! What a call would send, shown without sending it.

use serde_json::{Value, json};

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    out::CommandOutput,
};
use crate::{
    engine::mask::Mask,
    model::{
        call::Request,
        connection::Connection,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    schema::literal::Literal,
    systems::calling,
};

/// The request as it would be sent, without what the mask hides.
pub(super) fn print_request(
    global: &Global,
    out: &mut CommandOutput,
    request: &Request,
    connection: &Connection,
    mask: &Mask,
) -> CommandResult {
    if global.json {
        out.json_line(&request_json(request, connection, 0))?;
        return Ok(Ending::Done);
    }
    // What people look at may be in a terminal's memory or a log; scripts get it whole.
    for (label, text) in [
        ("connection", request.connection_name(&connection.name)),
        ("to", &request.to),
        ("reply", request.reply.as_deref().unwrap_or("an inbox")),
    ] {
        out.print_line(format!("{label:<11} {}", out.safe_text(&mask.mask_text(text))))?;
    }
    for (name, value) in mask.mask_headers(&request.headers) {
        out.print_line(format!("{name:<11} {}", out.safe_text(&value)))?;
    }
    out.print_line("")?;
    let body = mask.mask_text(&request.body);
    out.print_raw(&format!("{body}\n"))?;
    if *body != *request.body {
        out.print_status("secrets in it are masked here; --json prints the request whole");
    }
    Ok(Ending::Done)
}

/// The call as that program makes it.
pub(super) fn print_rendering(
    global: &Global,
    out: &mut CommandOutput,
    (tool, program): (&Tool, &str),
    arguments: &Literal,
    meta: Option<&Literal>,
) -> CommandResult {
    let meta = meta.and_then(|meta| meta.value().as_object().cloned()).unwrap_or_default();
    let rendered = calling::render_call(tool, arguments, &meta).into_iter();
    let Some((_, rendering)) = rendered.into_iter().find(|(word, _)| *word == program) else {
        let cause = format!("{program} has no tool like \"{}\"", tool.entry.key);
        let remedy = "name a tool of an MCP server, or a space's entry of one";
        return Err(Problem::new(ProblemKind::Input, "rendering a call", cause)
            .with_remedy(remedy)
            .into());
    };
    if global.json {
        let headers: serde_json::Map<String, Value> =
            rendering.headers.iter().map(|(name, value)| ((*name).into(), json!(value))).collect();
        out.json_line(&json!({
            "program": program, "note": rendering.note, "method": rendering.method,
            "url": rendering.url, "headers": headers, "body": rendering.body,
            "curl": rendering.to_curl(),
        }))?;
    } else {
        out.print_raw(&rendering.to_text())?;
    }
    out.print_status(rendering.note);
    Ok(Ending::Done)
}

pub(super) fn request_json(request: &Request, connection: &Connection, at_ms: u64) -> Value {
    json!({
        "event": "request",
        "at_ms": at_ms,
        "tool": request.name,
        "system": request.system,
        "connection": request.connection_name(&connection.name),
        "transport": connection.transport().as_str(),
        "to": request.to,
        "reply": request.reply,
        "headers": request.headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect::<serde_json::Map<_, _>>(),
        "id": request.correlation,
        "body": &*request.body,
    })
}
