//! What the commands share that speak with a running system about its descriptors.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending, StopReason},
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    signals::{interrupted, wait_for, with_limit},
};
use crate::{
    app::{
        compose::{context::ComposeContext, imports::plan_given_ids, plan::FilePlan},
        documents::{Document, Documents},
    },
    engine::{
        diff::{self, LineKind},
        workflow::similar,
    },
    model::{
        catalog::Catalog,
        connection::Connection,
        entry::SystemId,
        problem::{Problem, ProblemKind},
        shown::shell_word,
        tool::Tool,
    },
    runtime::registry,
    store::files::{self, Expected, OutsideLinks, Stamp},
    syntax::source::Format,
    systems::{
        self, calling,
        deployed::{
            catalog,
            deployment::{Deployment, NotDeployed},
            item::Item,
            push::Push,
        },
        settings::missing_system,
        table,
    },
    wire::deployed,
};

/// A system whose descriptors can be read and written while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SystemWord(SystemId);

impl SystemWord {
    /// The words of all of them.
    pub fn value_parser() -> impl TypedValueParser<Value = Self> {
        let words = table::deployments()
            .filter(|(_, deployment)| deployment.read_only().is_none())
            .map(|(system, deployment)| PossibleValue::new(system.id()).help(deployment.about()));
        // It passes only what is in the table.
        PossibleValuesParser::new(words)
            .map(|word| Self(systems::by_id(&word).map_or("", |system| system.id())))
    }

    /// The system's name for people.
    pub fn title(self) -> &'static str {
        systems::by_id(self.0).map_or("it", |system| system.title())
    }

    /// The connection, said to lead to that system unless it says another.
    pub fn claim_connection(self, connection: Connection) -> Connection {
        table::claim_for(connection, self.0)
    }

    /// What the word means for a connection.
    ///
    /// # Errors
    /// When the connection leads elsewhere.
    pub fn deployment_for(
        self,
        connection: &Connection,
    ) -> Result<&'static dyn Deployment, Problem> {
        let wanted = table::deployments().find(|(system, _)| system.id() == self.0);
        let there = table::deployment_at(connection).filter(|(system, _)| system.id() == self.0);
        let (cause, remedy) = match (there, wanted) {
            (Some((_, deployment)), _) => return Ok(deployment),
            (None, Some((_, deployment))) => {
                let NotDeployed { cause, wanted } = deployment.elsewhere();
                (cause, format!("name {wanted}"))
            }
            (None, None) => ("and not there", String::new()),
        };
        let cause = format!(
            "connection \"{}\" is to {}, {cause}",
            connection.name,
            connection.transport().title()
        );
        Err(Problem::new(ProblemKind::Input, format!("speaking with {}", self.title()), cause)
            .with_remedy(remedy))
    }
}

/// Everything there.
pub(crate) fn read_items(connection: &Connection) -> Result<Vec<Item>, StopReason> {
    read_within(connection, None)
}

/// The same, where it takes no longer than a limit.
fn read_within(connection: &Connection, limit: Option<Duration>) -> Result<Vec<Item>, StopReason> {
    let mut items = Vec::new();
    let registry = async {
        let registry = registry::of_system();
        let reading = deployed::read_items(&registry, connection);
        let reading = with_limit(&connection.name, limit, reading);
        let read = tokio::select! {
            () = interrupted() => Err(StopReason::Interrupted),
            read = reading => match read {
                Ok(read) => read.map_err(StopReason::from),
                Err(late) => Err(late.while_doing("reading what is deployed").into()),
            },
        };
        // The other side may hold a session for us.
        registry.close().await;
        items = read?;
        Ok(Ending::Done)
    };
    wait_for("reading what is deployed", registry)?;
    Ok(items)
}

/// Who listens where the connection leads; `None` where nobody can tell.
pub(crate) fn read_listeners(
    connection: &Connection,
) -> Result<Option<Vec<(String, String)>>, StopReason> {
    let mut found = None;
    let asking = async {
        let registry = registry::of_system();
        tokio::select! {
            () = interrupted() => return Err(StopReason::Interrupted),
            asked = deployed::read_listeners(&registry, connection) => found = asked?,
        }
        Ok(Ending::Done)
    };
    wait_for("asking who listens", asking)?;
    Ok(found)
}

/// The tools that can be called on the running system, also those that are not in the workspace;
/// `None` where the connection leads to none.
pub(crate) fn callable_catalog(connection: &Connection) -> Result<Option<Catalog>, StopReason> {
    callable_catalog_within(connection, None)
}

/// The same, where listing them takes no longer than a limit.
pub(crate) fn callable_catalog_within(
    connection: &Connection,
    limit: Option<Duration>,
) -> Result<Option<Catalog>, StopReason> {
    let Some((_, deployment)) = table::deployment_at(connection) else { return Ok(None) };
    let items = read_within(connection, limit)?;
    Ok(Some(catalog::callable_catalog(deployment, &connection.name, &items)))
}

/// The same where the workspace has no tool of that name. Where it has a similar one, that may be
/// meant, and it is a warning that those of the running system can't be listed.
pub(crate) fn callable_catalog_beside(
    opened: &OpenWorkspace,
    word: &str,
    limit: Option<Duration>,
    out: &CommandOutput,
) -> Result<Option<Catalog>, StopReason> {
    match callable_catalog_within(&opened.current_connection(), limit) {
        Err(StopReason::Met(problem)) if opened.similar_tool(word).is_some() => {
            out.warn(format_args!("couldn't list the tools of the running system: {problem}"));
            Ok(None)
        }
        listed => listed,
    }
}

/// That neither the workspace nor the running system has a tool of that name; `there` are the tools
/// of the latter, where they are known.
pub(crate) fn missing_tool(
    opened: &OpenWorkspace,
    word: &str,
    there: Option<&Catalog>,
    problem: Problem,
) -> Problem {
    let connections = &opened.settings.connections;
    let named = word.split_once('/').and_then(|(name, _)| connections.find_by_name(name));
    let asked = named.cloned().unwrap_or_else(|| opened.current_connection());
    if let Some(line) = missing_system(&asked) {
        let name = &asked.name;
        let remedy =
            format!("add {line} to [connections.{name}]: it doesn't say what its server is");
        return problem.with_remedy(remedy);
    }
    if opened.similar_tool(word).is_some() {
        return problem;
    }
    let Some(there) = there else { return with_servers(opened, word, problem) };
    let name = opened.current_connection().name;
    let names = there.tools.iter().map(|tool| tool.name.as_str());
    let remedy = match similar::nearest_name(word, names) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!(
            "`toolcrib tools --deployed --connection {}` lists those that are there",
            shell_word(&name)
        ),
    };
    let cause = format!("connection \"{name}\" has no tool \"{word}\"");
    Problem::new(ProblemKind::Missing, problem.doing, cause).with_remedy(remedy)
}

/// The same problem, with the servers among which the tool may be: those whose tools no file has.
fn with_servers(opened: &OpenWorkspace, word: &str, problem: Problem) -> Problem {
    let (catalog, connections) = (&opened.catalog, &opened.settings.connections);
    let is_saved =
        |name: &str| catalog.tools.iter().any(|it| connections.assigned_name(it) == Some(name));
    let servers = connections.known.iter().filter(|it| table::kept_tools_at(it).is_some());
    let names = servers.map(|server| &*server.name).filter(|name| !is_saved(name));
    let names: Vec<&str> = names.collect();
    // Where there are no tools at all, the problem says how they are listed.
    let Some(first) = names.first().filter(|_| !catalog.tools.is_empty()) else { return problem };
    let tool = word.rsplit_once('/').map_or(word, |(_, tool)| tool);
    let (server, call) = (shell_word(first), format!("{first}/{tool}"));
    let remedy = format!(
        "it may be a tool of {}: `toolcrib call {}` asks there, `toolcrib mcp keep {server}` saves \
         its list in the workspace",
        names.join(" or "),
        shell_word(&call)
    );
    problem.with_remedy(remedy)
}

/// Lists them, each with the ways that lead to it.
pub(crate) fn list_callable(
    opened: &OpenWorkspace,
    json: bool,
    out: &mut CommandOutput,
) -> CommandResult {
    let connection = opened.current_connection();
    let Some(catalog) = callable_catalog(&connection)? else {
        let cause = format!(
            "the system behind connection \"{}\" can't list tools to call",
            connection.name
        );
        let remedy = table::wanted_deployments();
        return Err(Problem::new(
            ProblemKind::Input,
            "listing the tools of a running system",
            cause,
        )
        .with_remedy(remedy)
        .into());
    };
    let routes = |tool: &Tool| -> Vec<&'static str> {
        calling::call_routes(tool, &connection)
            .into_iter()
            .filter(|offer| offer.closed.is_none())
            .map(|offer| offer.id)
            .collect()
    };
    let about =
        |tool: &Tool| tool.entry.value["description"].as_str().unwrap_or_default().to_owned();
    let parameters = |tool: &Tool| {
        tool.entry.value.get("parameters").cloned().unwrap_or_else(|| table::arguments_schema(tool))
    };
    let is_here = |tool: &Tool| opened.catalog.tool_called(&tool.name).is_some();
    if json {
        let row = |tool: &Tool| {
            json!({"name": tool.name, "description": about(tool), "routes": routes(tool), "here": is_here(tool),
                "parameters": parameters(tool)})
        };
        out.print_json(&catalog.tools.iter().map(|tool| row(tool)).collect())?;
        return Ok(Ending::Done);
    }
    let cells = |tool: &Tool| {
        let here = if is_here(tool) { Cell::plain("yes") } else { Cell::tinted(Tint::Dim, "no") };
        let line = about(tool).lines().next().unwrap_or_default().to_owned();
        vec![
            Cell::plain(tool.name.clone()),
            here,
            Cell::plain(routes(tool).join(" ")),
            Cell::plain(line),
        ]
    };
    columns::write_table(
        out,
        &["TOOL", "DEFINED HERE", "ROUTES", "DESCRIPTION"],
        catalog.tools.iter().map(|tool| cells(tool)).collect(),
    )?;
    Ok(Ending::Done)
}

/// Writes, and reads back.
pub(crate) fn write_push(
    connection: &Connection,
    push: &Push,
    out: &CommandOutput,
) -> Result<(), StopReason> {
    let writing = async {
        let registry = registry::of_system();
        tokio::select! {
            () = interrupted() => {
                out.warn(
                    "some entries may be written already; `toolcrib push SYSTEM --dry-run` shows \
                     what is missing",
                );
                return Err(StopReason::Interrupted);
            }
            written = deployed::apply_push(&registry, connection, push) => written?,
        }
        Ok(Ending::Done)
    };
    wait_for("writing what is deployed", writing).map(drop)
}

/// Writes the ids that a system gave its entries into the workspace's files, and names these.
pub(crate) fn keep_given_ids(
    opened: &OpenWorkspace,
    items: &[Item],
) -> Result<Vec<String>, Problem> {
    let documents = to_documents(opened);
    let context = ComposeContext { catalog: &opened.catalog, documents: &documents };
    let Some(plan) = plan_given_ids(context, items) else { return Ok(Vec::new()) };
    let refused =
        |cause: String| Problem::new(ProblemKind::File, "saving the ids assigned there", cause);
    let files = plan.file_plans(&documents).map_err(|error| refused(error.to_string()))?;
    files.iter().try_for_each(|file| save_file(opened, file))?;
    Ok(files.iter().map(|file| file.file.to_string()).collect())
}

/// Saves what a plan makes of a file, unless another has changed it since.
pub(super) fn save_file(opened: &OpenWorkspace, file: &FilePlan) -> Result<(), Problem> {
    let Some(text) = &file.after else { return Ok(()) };
    let expected = file
        .before
        .as_deref()
        .map_or(Expected::Absent, |before| Expected::Same(Stamp::of_text(before)));
    let root = &opened.workspace.root;
    let saved = files::save_file(
        root,
        &opened.workspace.file_path(&file.file),
        text,
        expected,
        OutsideLinks::Refuse,
    );
    saved.map(drop).map_err(|refused| refused.problem().clone())
}

/// The workspace's files as documents that changes can be made of.
pub(crate) fn to_documents(opened: &OpenWorkspace) -> Documents {
    let mut documents = Documents::default();
    for file in &opened.files {
        let format = Format::from_path(file.file.path()).unwrap_or(Format::Json);
        documents.load_document(
            file.file.clone(),
            Document::from_disk(format, file.text.clone(), file.source.clone()),
        );
    }
    documents
}

/// The lines that differ between two texts.
pub(crate) fn print_diff(
    out: &mut CommandOutput,
    before: &str,
    after: &str,
) -> std::io::Result<()> {
    for line in diff::diff_lines(before, after) {
        let (sign, tint) = match line.kind {
            LineKind::Same => continue,
            LineKind::Added => ('+', Tint::Good),
            LineKind::Removed => ('-', Tint::Bad),
        };
        out.print_line(out.tint(tint, &format!("  {sign} {}", line.text)))?;
    }
    Ok(())
}
