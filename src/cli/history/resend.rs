//! `toolcrib history resend`: sends a kept call again, over the connection that it was made for.

use std::{sync::Arc, time::Duration};

use clap::Args;
use uuid::Uuid;

use crate::{
    app::history::request_of,
    cli::{
        arguments::parse_duration,
        call::mock_of,
        call_events::{Sending, call_limits},
        deployed,
        ending::CommandResult,
        global::Global,
        opened::OpenWorkspace,
        out::CommandOutput,
        variable_options::VariableOptions,
    },
    engine::{case::script::Case, query::Query, stub::mock::MockOptions, template},
    model::{
        call::Request,
        catalog::Catalog,
        connection::Connection,
        problem::{Problem, ProblemKind},
        stub::MOCK_CONNECTION,
        tool::Tool,
        trace::Head,
    },
    schema::literal::Literal,
    systems::{agents, calling, facets::calls::CallOf, mocking},
};

#[derive(Args, Debug)]
pub(super) struct Resend {
    /// The call, by the start of its id; `last` is the newest
    pub id: String,

    /// The time limit for the connection to open, and for the answer: 500ms, 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,

    /// Print only what is at this path of the answer, or the lines with this word, as
    /// `toolcrib call --query` does
    #[arg(long, value_name = "PATH|TEXT", value_parser = Query::parse)]
    query: Option<Query>,

    #[command(flatten)]
    variables: VariableOptions,

    /// Leave nothing of this call in the history
    #[arg(long)]
    no_history: bool,
}

impl Resend {
    /// Sends the same request under a fresh id. What a mock answered is answered by one again. Where
    /// variables of it are other ones now, the same call is made again with those.
    pub fn run(&self, head: &Head, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let mut opened = OpenWorkspace::read_connected(global, None, out)?;
        let named = template::variable_names(&head.arguments);
        let given = self.variables.give_all(&mut opened.settings.connections, named, out)?;
        let refused = |cause: String, remedy: String| {
            let doing = format!("sending {} again", head.tool);
            Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy)
        };
        if head.masked {
            let cause = "secrets in its request aren't saved".to_owned();
            return Err(refused(cause, "make the call with `toolcrib call`".to_owned()).into());
        }
        let connections = &opened.settings.connections;
        let kept = connections.tool_of(&head.connection, &head.tool, &opened.catalog);
        let kept = kept.or_else(|| opened.catalog.tool_called(&head.tool));
        let chosen = connections.chosen.as_ref().map(|_| connections.current());
        let own = || connections.find_by_name(&head.connection).cloned();
        let of_tool = || kept.map_or_else(|| connections.current(), |it| connections.for_tool(it));
        let connection = chosen.or_else(own).unwrap_or_else(of_tool);
        let is_mocked = &*head.connection == MOCK_CONNECTION && connection.name != MOCK_CONNECTION;
        let is_own = connection.name == *head.connection || is_mocked;
        if !is_own && connection.transport().as_str() != &*head.transport {
            let cause = format!("it was made for connection \"{}\"", head.connection);
            let remedy = format!("name a connection of that kind, {}", head.transport);
            return Err(refused(cause, format!("{remedy}, with --connection")).into());
        }
        // What is kept was filled in with what its own connection had.
        let is_new = |name: &str| !is_own || given.contains_key(name);
        let is_remade = template::variable_names(&head.arguments).any(is_new);
        let is_question = agents::is_at(&head.to);
        let there = match kept.is_none() && !is_question && !is_mocked {
            true => deployed::callable_catalog_within(&connection, self.timeout)?,
            false => None,
        };
        let catalog = there.as_ref().unwrap_or(&opened.catalog);
        let tool = kept.or_else(|| catalog.tool_called(&head.tool));
        if tool.is_none() && !is_question {
            let cause = "its tool is no longer in this workspace".to_owned();
            return Err(refused(cause, "open the workspace that has it (-w)".to_owned()).into());
        }
        if tool.is_none() && is_remade {
            let cause = format!("its variables are those of connection \"{}\"", head.connection);
            return Err(refused(cause, "ask again with `toolcrib agent`".to_owned()).into());
        }
        let fresh = Uuid::new_v4().to_string();
        let user = opened.user();
        let kept_request = request_of(head, tool);
        let mut request = match tool.filter(|_| is_remade) {
            Some(tool) => remake_call(&kept_request, (catalog, tool), user, &fresh, &connection)?,
            None => calling::repeat_request(kept_request, &fresh),
        };
        if let Some(tool) = tool.filter(|_| is_mocked) {
            let service = mock_of(tool, &MockOptions::default(), &opened, out);
            request.mock = Some(Arc::new(mocking::mock_call(&request, user, service)));
        }
        let sending = Sending {
            opened: &opened,
            catalog,
            key: tool.map_or(&*head.tool, |tool| &tool.entry.key),
            connection,
            limits: call_limits(self.timeout, Duration::ZERO),
            timeout: self.timeout,
            answers: &[],
            save: None,
            query: self.query.clone(),
            is_kept: !self.no_history,
        };
        sending.send(request, global, out)
    }
}

/// The same call, with what the variables of its arguments are now.
fn remake_call(
    kept: &Request,
    (catalog, tool): (&Catalog, &Tool),
    user: &str,
    correlation: &str,
    connection: &Connection,
) -> Result<Request, Problem> {
    let unreadable = |error: String| {
        Problem::new(ProblemKind::Input, "reading the arguments of the call", error)
    };
    let read = |text: &str| Literal::parse(text).map_err(|error| unreadable(error.to_string()));
    let meta = calling::request_meta(kept.system, &kept.body);
    let (route, steps) = calling::case_parts(kept);
    let case = Case {
        arguments: read(&kept.arguments)?,
        meta: meta.as_deref().map(read).transpose()?,
        route,
        steps,
        ..Case::default()
    };
    let call = CallOf {
        catalog,
        tool,
        user,
        arguments: &case.arguments,
        meta: None,
        correlation,
        connection,
        route: None,
    };
    calling::build_case_request(&case, call)
}
