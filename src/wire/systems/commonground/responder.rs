//! Answering for CommonGround's tools in a channel, by the rules of a stub or by hand.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::{
    answered_command::AnsweredCommand,
    asking::{AnsweredBy, AnsweredTool},
    executor::{Executor, StartPoint as Backlog},
};
use crate::{
    model::{
        call::CallError,
        catalog::Catalog,
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    systems::commonground::{executor, keys, rows, settings::Channel},
    wire::{
        connector::Connector,
        systems::facets::responder::{
            PreparedResponder, Question, Report, Responder, ResponderAbilities, ResponderRequest,
            Responding, ServedTarget, forward_reports,
        },
        transport::bus::Bus,
    },
};

/// Takes commands in the place of tools' services.
pub(crate) struct CommonGroundResponder;

struct PreparedAnswers {
    stands: Vec<AnsweredTool>,
    from: Backlog,
    announced: Vec<ServedTarget>,
}

struct OpenExecutor {
    executor: Executor,
    announced: Vec<ServedTarget>,
    /// Held open.
    bus: Arc<dyn Bus>,
}

impl Responder for CommonGroundResponder {
    fn is_at(&self, connection: &Connection) -> bool {
        Channel::from_connection(connection).is_some()
    }

    fn abilities(&self) -> ResponderAbilities {
        ResponderAbilities {
            by_hand: true,
            backlog: true,
            connection: "a connection with [connections.NAME.commonground]",
        }
    }

    fn prepare(
        &self,
        wanted: &ResponderRequest<'_>,
    ) -> Result<Box<dyn PreparedResponder>, Problem> {
        let from = if wanted.backlog { Backlog::Waiting } else { Backlog::Now };
        let stands = answered_tools(wanted)?;
        let announced =
            stands.iter().filter_map(|stand| announced(stand, wanted.catalog)).collect();
        Ok(Box::new(PreparedAnswers { stands, from, announced }))
    }

    fn by_hand(
        &self,
        tool: String,
        target: String,
        questions: mpsc::Sender<Question>,
    ) -> Option<Box<dyn PreparedResponder>> {
        let stands = vec![AnsweredTool { tool, target, by: AnsweredBy::Hand(questions) }];
        Some(Box::new(PreparedAnswers { stands, from: Backlog::Now, announced: Vec::new() }))
    }
}

/// The tools that are wanted, with who answers for each.
fn answered_tools(wanted: &ResponderRequest<'_>) -> Result<Vec<AnsweredTool>, Problem> {
    let Some(channel) = Channel::from_connection(wanted.connection) else { return Ok(Vec::new()) };
    let target = |word: &str| {
        executor::service_target(wanted.lookup.find_tool(word)?, &channel)
            .ok_or_else(|| no_subject(word))
    };
    let mut stands: Vec<AnsweredTool> = Vec::new();
    for stub in wanted.stubs.iter().flat_map(|stubs| &stubs.services) {
        let target = match &stub.request {
            Some(subject) => {
                executor::target_of(subject, &channel).ok_or_else(|| no_subject(&stub.name))?
            }
            None => target(&stub.name)?,
        };
        stands.push(AnsweredTool {
            tool: stub.name.clone(),
            target,
            by: AnsweredBy::Stub(Arc::new(stub.clone())),
        });
    }
    let rest = wanted
        .tools
        .iter()
        .filter(|word| !stands.iter().any(|stand| stand.tool == **word))
        .collect::<Vec<_>>();
    for word in rest {
        let Some(questions) = &wanted.by_hand else {
            return Err(Problem::new(
                ProblemKind::Input,
                "serving",
                format!("nothing says how to answer for \"{word}\""),
            )
            .with_remedy(
                "name a stub file with rules for it (--stub FILE), or answer yourself (--by-hand)",
            ));
        };
        let tool = wanted.lookup.find_tool(word)?.name.clone();
        stands.push(AnsweredTool {
            tool,
            target: target(word)?,
            by: AnsweredBy::Hand(questions.clone()),
        });
    }
    if stands.is_empty() {
        return Err(Problem::new(ProblemKind::Input, "serving", "nothing says what to answer for")
            .with_remedy("name tools and --by-hand, or a stub file (--stub FILE)"));
    }
    Ok(stands)
}

/// What can be announced of a tool: its definition, where the workspace has one.
fn announced(stand: &AnsweredTool, catalog: &Catalog) -> Option<ServedTarget> {
    let mut tools = catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    let tool = tools.find(|tool| tool.name == stand.tool || tool.entry.key == stand.tool)?;
    Some(ServedTarget {
        name: stand.tool.clone(),
        about: tool.description.clone(),
        subject: String::new(),
        group: String::new(),
        descriptor: (*tool.entry.value).clone(),
    })
}

fn no_subject(word: &str) -> Problem {
    Problem::new(ProblemKind::Input, "serving", format!("\"{word}\" sends to no tool's subject"))
        .with_remedy(
            "its target_subject is cg.v1r4.{project_id}.{channel_id}.cmd.tool.TARGET.SUFFIX",
        )
}

impl PreparedResponder for PreparedAnswers {
    fn start<'a>(
        self: Box<Self>,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Box<dyn Responding>, CallError>> {
        Box::pin(async move {
            let bus = connector.open_bus(connection).await?;
            let executor =
                Executor::start(connection, &*bus, connector.secrets(), self.stands, self.from)
                    .await?;
            let announced = self.announced;
            Ok(Box::new(OpenExecutor { executor, announced, bus }) as Box<dyn Responding>)
        })
    }
}

impl Responding for OpenExecutor {
    fn warnings(&self) -> Vec<String> {
        self.executor.warnings.clone()
    }

    fn listening_lines(&self) -> Vec<String> {
        let subjects = self.executor.subjects().into_iter();
        subjects.map(|(tool, subject)| format!("listening on {subject} for {tool}")).collect()
    }

    fn announced_services(&self) -> Vec<ServedTarget> {
        let subjects = self.executor.subjects();
        let placed = self.announced.iter().filter_map(|target| {
            let (_, subject) = subjects.iter().find(|(tool, _)| *tool == target.name)?;
            Some(ServedTarget { subject: subject.clone(), ..target.clone() })
        });
        placed.collect()
    }

    fn connection_notices(&self) -> Option<broadcast::Receiver<String>> {
        Some(self.bus.connection_events().notices.subscribe())
    }

    fn last_address(&self) -> String {
        self.executor.subjects().pop().map(|(_, subject)| subject).unwrap_or_default()
    }

    fn run(
        self: Box<Self>,
        reports: mpsc::Sender<Report>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Self { executor, bus: _bus, .. } = *self;
            forward_reports(|told| executor.run(told, stop), reports).await;
        })
    }
}

impl From<AnsweredCommand> for Report {
    fn from(told: AnsweredCommand) -> Self {
        let AnsweredCommand {
            number,
            tool,
            call,
            agent,
            rule,
            words,
            status,
            rows,
            written,
            problem,
        } = told;
        let error = problem
            .as_ref()
            .map(|problem| json!({"type": problem.kind.as_str(), "message": problem.message}));
        let listed: Vec<Value> =
            rows.iter().map(|row| json!({"table": row.table, "row": row.to_value()})).collect();
        let json = json!({
            "event": "call", "tool": tool, "call": call, "agent": agent, "rule": rule, "did": words, "status": status,
            "written": written, "rows": listed, "error": error,
        });
        let line = match &problem {
            Some(problem) => {
                let remedy = if problem.remedy.is_empty() {
                    String::new()
                } else {
                    format!(" — {}", problem.remedy)
                };
                format!("not answered {tool} {call} of {agent}: {}{remedy}", problem.message)
            }
            None => {
                let rule = rule.as_ref().map_or_else(String::new, |rule| format!(" by \"{rule}\""));
                format!("{tool} {call} of {agent}{rule}: {words}")
            }
        };
        let details = if written { Vec::new() } else { rows::format_rows(&rows) };
        Self { number, tool, caller: agent, words, answered: written, problem, line, details, json }
    }
}
