//! A deployment's tables: what is asked of them, and what is written, a call or a result in one
//! transaction.

use serde_json::Value;
use tokio_postgres::types::ToSql;

use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    systems::commonground::{
        card::Card,
        context::Context,
        known::Known,
        preflight::CommandWorld,
        report::{self, Report, ReportRefusal, Request, Turn},
        rows::Row,
        settings::Channel,
    },
    wire::{postgres::Database, secrets::Secrets},
};

const NOW: &str =
    r#"select to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')"#;
const PROJECT: &str = "select 1 from public.projects where project_id = $1";
const CARD: &str = "select to_jsonb(c) from cards c where tenant_id = $1 and card_id = $2";
const TOOL: &str =
    "select to_jsonb(t) from resource.tools t where project_id = $1 and tool_name = $2";
const WORKER: &str =
    "select worker_target from resource.project_agents where project_id = $1 and agent_id = $2";
const RESULT: &str = "select card_id from cards where tenant_id = $1 and tool_call_id = $2 and metadata ->> 'type' = 'tool.result'";
const TURN: &str =
    "select turn_epoch::bigint from state.agent_inbox where project_id = $1 and agent_id = $2 and agent_turn_id = $3
    and message_type in ('turn', 'ui_action', 'command_anchor') order by (turn_epoch = $4) desc, created_at desc limit 1";
const REQUEST: &str = "select recursion_depth::bigint from state.execution_edges
    where project_id = $1 and correlation_id = $2 and edge_phase = 'request' limit 1";
const REPORTED: &str = "select inbox_id, payload from state.agent_inbox
    where project_id = $1 and correlation_id = $2 and message_type = 'tool_result'";
const CONSUME: &str = "update state.agent_inbox set status = 'consumed', processed_at = now() where project_id = $1 and inbox_id = $2 returning inbox_id";

/// One project's part of them.
pub(crate) struct Tables {
    database: Database,
    project: String,
}

/// The row by which a caller's inbox reports a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reported {
    pub inbox: String,
    /// `status`, `after_execution` and `tool_result_card_id`.
    pub payload: Value,
}

impl Tables {
    /// Opens them.
    ///
    /// # Errors
    /// When the connection does not say where their address lies, or they cannot be opened.
    pub async fn open(
        connection: &Connection,
        channel: &Channel,
        secrets: &Secrets,
    ) -> Result<Self, CallError> {
        let Some(at) = &channel.postgres else {
            let message = format!(
                "connection \"{}\" does not say where the address of its PostgreSQL lies",
                connection.name
            );
            return Err(CallError::new(
                ErrorKind::NoPostgres,
                message,
                "set postgres-variable or postgres-key in [connections.NAME.commonground]",
            ));
        };
        Ok(Self {
            database: Database::open(connection, secrets, at).await?,
            project: channel.project.clone(),
        })
    }

    /// Where they are, for people.
    #[must_use]
    pub fn display_address(&self) -> &str {
        self.database.display_address()
    }

    /// The moment as cards have it.
    pub async fn current_timestamp(&self) -> Result<String, CallError> {
        let rows = self.database.query_rows(NOW, &[]).await?;
        rows.first()
            .and_then(|row| row.try_get(0).ok())
            .ok_or_else(|| CallError::new(ErrorKind::Postgres, "the database gave no time", ""))
    }

    /// A card as it is stored.
    pub async fn read_card(&self, id: &str) -> Result<Option<Value>, CallError> {
        self.first_value(CARD, &[&self.project, &id]).await
    }

    /// The tool's row.
    pub async fn tool_row(&self, name: &str) -> Result<Option<Value>, CallError> {
        self.first_value(TOOL, &[&self.project, &name]).await
    }

    /// What the agent runs on.
    pub async fn worker_target(&self, agent: &str) -> Result<Option<String>, CallError> {
        self.first_value(WORKER, &[&self.project, &agent]).await
    }

    /// The id of the result that a call has.
    pub async fn result_id(&self, call: &str) -> Result<Option<String>, CallError> {
        self.first_value(RESULT, &[&self.project, &call]).await
    }

    /// What is known of the world that a command of this context comes into, but for who listens. A
    /// command without agent or call is not looked up by them.
    pub async fn read_world(
        &self,
        context: &Context,
        card: &str,
        tool: &str,
    ) -> Result<CommandWorld, CallError> {
        let named = |id: &str| !id.is_empty();
        let (call, agent) = (context.tool_call_id.as_str(), context.agent_id.as_str());
        Ok(CommandWorld {
            card: Known::looked_up(self.read_card(card).await?.as_ref().and_then(Card::from_value)),
            turn: if named(agent) && named(context.turn_id()) {
                self.read_turn(context).await?
            } else {
                Known::Unknown
            },
            request: if named(call) { self.read_request(call).await? } else { Known::Unknown },
            worker_target: if named(agent) {
                Known::looked_up(self.worker_target(agent).await?)
            } else {
                Known::Unknown
            },
            result: if named(call) {
                Known::looked_up(self.result_id(call).await?)
            } else {
                Known::Unknown
            },
            registered: Known::looked_up(self.tool_row(tool).await?.map(drop)),
            ..CommandWorld::default()
        })
    }

    async fn read_turn(&self, context: &Context) -> Result<Known<Turn>, CallError> {
        let epoch = i64::try_from(context.turn_epoch.unwrap_or_default()).unwrap_or(i64::MAX);
        let found: Option<i64> = self
            .first_value(TURN, &[&self.project, &context.agent_id, &context.turn_id(), &epoch])
            .await?;
        Ok(Known::looked_up(
            found.map(|epoch| Turn { epoch: u64::try_from(epoch).unwrap_or_default() }),
        ))
    }

    async fn read_request(&self, call: &str) -> Result<Known<Request>, CallError> {
        let found: Option<i64> = self.first_value(REQUEST, &[&self.project, &call]).await?;
        Ok(Known::looked_up(
            found.map(|depth| Request { depth: u64::try_from(depth).unwrap_or_default() }),
        ))
    }

    /// What bars the report of a result that is stored, or is going to be.
    pub async fn find_barriers(
        &self,
        context: &Context,
        result: &Card,
    ) -> Result<Vec<ReportRefusal>, CallError> {
        Ok(report::find_barriers(&Report {
            reporter: &result.author_id,
            pointer: &result.id,
            call_id: &context.tool_call_id,
            card: Known::Found(result),
            ..self.report_context(context).await?
        }))
    }

    /// What is known of the world that a report results in, but for the result itself.
    pub async fn report_context<'r>(&self, context: &Context) -> Result<Report<'r>, CallError> {
        let earlier = self.reported_result(&context.tool_call_id).await?;
        Ok(Report {
            caller: Known::looked_up(self.worker_target(&context.agent_id).await?.map(drop)),
            epoch: context.turn_epoch.unwrap_or_default(),
            turn: self.read_turn(context).await?,
            request: self.read_request(&context.tool_call_id).await?,
            earlier: Known::looked_up(earlier.map(drop)),
            ..Report::default()
        })
    }

    /// Whether the project is there.
    pub async fn has_project(&self) -> Result<bool, CallError> {
        Ok(!self.database.query_rows(PROJECT, &[&self.project]).await?.is_empty())
    }

    /// What the caller's inbox says of a call.
    pub async fn reported_result(&self, call: &str) -> Result<Option<Reported>, CallError> {
        let rows = self.database.query_rows(REPORTED, &[&self.project, &call]).await?;
        let read = |row: &tokio_postgres::Row| {
            Some(Reported { inbox: row.try_get(0).ok()?, payload: row.try_get(1).ok()? })
        };
        Ok(rows.first().and_then(read))
    }

    /// Marks a row as read; left pending, it would be rung for every few seconds for ever.
    pub async fn mark_consumed(&self, inbox: &str) -> Result<(), CallError> {
        self.database.query_rows(CONSUME, &[&self.project, &inbox]).await.map(drop)
    }

    /// Closes the caller's inbox for a call that nobody waits for any more, with its closing row; a
    /// result that is there is marked as read.
    pub async fn close_inbox(&mut self, row: &Row) -> Result<(), CallError> {
        let call = row.column_text("correlation_id").unwrap_or_default();
        match self.reported_result(call).await? {
            Some(reported) => self.mark_consumed(&reported.inbox).await,
            None => self.write_rows(std::slice::from_ref(row)).await,
        }
    }

    /// Writes all of the rows, or none.
    pub async fn write_rows(&mut self, rows: &[Row]) -> Result<(), CallError> {
        let statements: Vec<_> = rows.iter().map(|row| (row.statement(), row.to_value())).collect();
        self.database.execute_all(&statements).await
    }

    async fn first_value<T>(
        &self,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<T>, CallError>
    where
        T: for<'r> tokio_postgres::types::FromSql<'r>,
    {
        let rows = self.database.query_rows(statement, values).await?;
        Ok(rows.first().and_then(|row| row.try_get(0).ok()))
    }
}
