//! What calling and answering write into a deployment's tables, as data: to be written in one
//! transaction, or only to be shown.

use serde_json::{Map, Value, json};

use super::{
    card::{self, Card},
    command,
    context::Context,
    headers,
    result::BuiltResult,
    trace::Traceparent,
};

/// A row of a table, its columns by name. What is not named keeps the table's default.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub table: &'static str,
    pub columns: Vec<(&'static str, Value)>,
}

impl Row {
    /// The columns as an object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.columns
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect::<Map<_, _>>()
            .into()
    }

    /// A column that holds text.
    #[must_use]
    pub fn column_text(&self, name: &str) -> Option<&str> {
        self.columns.iter().find(|(column, _)| *column == name)?.1.as_str()
    }

    /// The statement that writes it, with the columns as one JSON parameter.
    #[must_use]
    pub fn statement(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| *name).collect();
        let (table, names) = (self.table, names.join(", "));
        format!(
            "insert into {table} ({names}) select {names} from jsonb_populate_record(null::{table}, $1)"
        )
    }
}

/// The rows as lines that people read.
#[must_use]
pub(crate) fn format_rows(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        lines.push(row.table.to_owned());
        lines.extend(row.columns.iter().map(|(name, value)| match value {
            Value::String(text) => format!("  {name} = {text}"),
            other => format!("  {name} = {other}"),
        }));
    }
    lines
}

/// What is fresh about the rows of one transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreshIds<'f> {
    /// Makes the keys of the rows; another one for each transaction.
    pub seed: &'f str,
    /// The moment as the cards have it: `2026-01-31T12:00:00.000000+00:00`.
    pub now: &'f str,
}

/// A call that its caller writes itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenCall<'c> {
    pub context: &'c Context,
    pub trace: &'c Traceparent,
    pub card: &'c str,
    pub tool: &'c str,
    /// As the tool is to get them: options are merged by whoever writes the card.
    pub arguments: &'c Map<String, Value>,
    /// What the merge did, for the card's labels.
    pub merged: &'c Map<String, Value>,
    pub subject: &'c str,
}

/// The call's card as it is stored.
#[must_use]
pub(crate) fn call_card(called: &WrittenCall<'_>) -> Card {
    let WrittenCall { context, .. } = called;
    let mut labels = Map::new();
    for (name, value) in [
        ("agent_turn_id", context.turn_id()),
        ("tool_call_id", &context.tool_call_id),
        ("step_id", &context.step_id),
        ("trace_id", &context.trace_id),
        ("parent_step_id", &context.parent_step_id),
    ] {
        if !value.is_empty() {
            labels.insert(name.into(), value.into());
        }
    }
    labels.extend(called.merged.clone());
    Card {
        id: called.card.into(),
        project_id: context.project_id.clone(),
        kind: card::CALL.into(),
        author_id: context.agent_id.clone(),
        tool_call_id: context.tool_call_id.clone(),
        created_at: String::new(),
        content: card::call_content(called.tool, called.arguments, Some(called.subject)),
        labels,
    }
}

/// A call: its card, the edge of its request, and the anchor by which its result finds the turn.
#[must_use]
pub(crate) fn of_call(called: &WrittenCall<'_>, fresh: FreshIds<'_>) -> Vec<Row> {
    let WrittenCall { context, trace, .. } = called;
    let edge = edge_row(
        context,
        fresh,
        &Edge { primitive: "tool_call", phase: "request", source: &context.agent_id },
    );
    let anchor = message_row(
        context,
        fresh,
        trace,
        Message { kind: "command_anchor", status: "consumed", payload: json!({}) },
    );
    vec![card_row(&call_card(called), fresh.now), edge, anchor]
}

/// A result: its card, the row that the caller's inbox waits for, and the edge of its report.
#[must_use]
pub(crate) fn of_result(
    context: &Context,
    trace: &Traceparent,
    result: &Card,
    built: &BuiltResult,
    fresh: FreshIds<'_>,
) -> Vec<Row> {
    let report =
        Message { kind: "tool_result", status: "pending", payload: built.report(&result.id) };
    let edge = edge_row(
        context,
        fresh,
        &Edge { primitive: "report", phase: "response", source: &result.author_id },
    );
    vec![card_row(result, fresh.now), message_row(context, fresh, trace, report), edge]
}

/// The row that closes the caller's inbox for a call: a result that comes later is refused as said
/// before, where it would else lie there pending, and be rung for every few seconds for ever.
#[must_use]
pub(crate) fn closing_row(context: &Context, trace: &Traceparent, seed: &str) -> Row {
    let fresh = FreshIds { seed: &format!("{seed}_closed"), now: "" };
    let message =
        Message { kind: "tool_result", status: "consumed", payload: json!({"status": "canceled"}) };
    self::message_row(context, fresh, trace, message)
}

fn card_row(card: &Card, now: &str) -> Row {
    let columns = vec![
        ("card_id", card.id.as_str().into()),
        ("tenant_id", card.project_id.as_str().into()),
        ("tool_call_id", card.tool_call_id.as_str().into()),
        ("content", card.content.clone()),
        ("metadata", card.stored_labels(now)),
    ];
    Row { table: "cards", columns }
}

struct Edge<'e> {
    primitive: &'static str,
    phase: &'static str,
    source: &'e str,
}

fn edge_row(context: &Context, fresh: FreshIds<'_>, edge: &Edge<'_>) -> Row {
    let Edge { primitive, phase, source } = *edge;
    let mut columns = vec![
        ("edge_id", format!("edge_{}", fresh.seed).into()),
        ("project_id", context.project_id.as_str().into()),
        ("channel_id", context.channel_id.as_str().into()),
        ("primitive", primitive.into()),
        ("edge_phase", phase.into()),
        ("source_agent_id", source.into()),
        ("target_agent_id", context.agent_id.as_str().into()),
        ("target_agent_turn_id", context.turn_id().into()),
        ("correlation_id", context.tool_call_id.as_str().into()),
        ("recursion_depth", context.recursion_depth.unwrap_or_default().into()),
    ];
    if !context.trace_id.is_empty() {
        columns.push(("trace_id", context.trace_id.as_str().into()));
    }
    if !context.parent_step_id.is_empty() {
        columns.push(("parent_step_id", context.parent_step_id.as_str().into()));
    }
    Row { table: "state.execution_edges", columns }
}

struct Message {
    kind: &'static str,
    status: &'static str,
    payload: Value,
}

fn message_row(
    context: &Context,
    fresh: FreshIds<'_>,
    trace: &Traceparent,
    message: Message,
) -> Row {
    let Message { kind, status, payload } = message;
    let context_headers: Map<String, Value> = command::control_headers(context, trace)
        .into_iter()
        .filter(|(name, _)| name != headers::PROJECT && name != headers::CHANNEL)
        .map(|(name, value)| (name, value.into()))
        .collect();
    let columns = vec![
        ("inbox_id", format!("inbox_{}", fresh.seed).into()),
        ("project_id", context.project_id.as_str().into()),
        ("agent_id", context.agent_id.as_str().into()),
        ("channel_id", context.channel_id.as_str().into()),
        ("message_type", kind.into()),
        ("correlation_id", context.tool_call_id.as_str().into()),
        ("agent_turn_id", context.turn_id().into()),
        ("turn_epoch", context.turn_epoch.unwrap_or_default().into()),
        ("context_headers", context_headers.into()),
        ("payload", payload),
        ("status", status.into()),
    ];
    Row { table: "state.agent_inbox", columns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::commonground::{
        after::AfterSource,
        card::content_fault,
        command::Ids,
        result::{self, Author, ToolResult},
    };

    #[test]
    fn a_result_fits_the_call_it_answers() {
        let mut number = 0;
        let ids = Ids::generate(&mut || {
            number += 1;
            number
        });
        let context = ids.first_context("lab", "public", "ui");
        let arguments = Map::from_iter([("text".to_owned(), json!("a"))]);
        let merged = Map::from_iter([("tool_args_fixed_applied".to_owned(), json!(["tenant"]))]);
        let called = WrittenCall {
            context: &context,
            trace: &ids.trace,
            card: &ids.call_card,
            tool: "lamp",
            arguments: &arguments,
            merged: &merged,
            subject: "cg.v1r4.lab.public.cmd.tool.lamp.switch",
        };
        let fresh = FreshIds { seed: "1", now: "2026-01-31T12:00:00.000000+00:00" };
        let rows = of_call(&called, fresh);
        let tables: Vec<_> = rows.iter().map(|row| row.table).collect();
        assert_eq!(tables, ["cards", "state.execution_edges", "state.agent_inbox"]);
        let call = Card::from_value(&rows[0].to_value()).unwrap();
        assert_eq!((content_fault(&call.content), call.kind.as_str()), (None, "tool.call"));
        assert_eq!(call.label("created_at"), Some(fresh.now));
        let anchor = rows[2].to_value();
        assert_eq!(anchor["context_headers"]["CG-Recursion-Depth"], "0");
        assert_eq!(anchor["context_headers"]["traceparent"], ids.trace.to_string());

        let built = result::build(&ToolResult::success(&json!(1), AfterSource::default()));
        let card = result::card(
            &ids.result_card,
            Author { id: "tool.lamp", function: "lamp" },
            &context,
            &call,
            &built,
        );
        assert!(card::copied_labels(&call, &card).iter().all(card::Copied::is_copied));
        let rows = of_result(
            &context,
            &ids.trace.child(1),
            &card,
            &built,
            FreshIds { seed: "2", ..fresh },
        );
        assert_eq!(rows[1].to_value()["payload"]["tool_result_card_id"], card.id);
        assert_eq!(rows[2].to_value()["source_agent_id"], "tool.lamp");
        let statement = rows[2].statement();
        assert!(
            statement.starts_with("insert into state.execution_edges (edge_id, project_id,"),
            "{statement}"
        );
    }
}
