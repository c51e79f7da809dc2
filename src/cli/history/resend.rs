//! `toolcrib history resend`: sends a kept call again, over the connection that it was made for.

use std::{sync::Arc, time::Duration};

use clap::Args;
use uuid::Uuid;

use crate::{
    app::history::request_of,
    cli::{
        arguments::parse_duration,
        call::{NOBODY, mock_of},
        call_events::{Sending, call_limits},
        deployed,
        ending::CommandResult,
        global::Global,
        opened::OpenWorkspace,
        out::CommandOutput,
    },
    engine::{query::Query, stub::mock::MockOptions, template},
    model::{
        problem::{Problem, ProblemKind},
        stub::MOCK_CONNECTION,
        trace::Head,
    },
    systems::{agents, calling, mocking},
};

#[derive(Args, Debug)]
pub(super) struct Resend {
    /// The call, by the start of its id; `last` is the newest
    pub id: String,

    /// The time limit for the connection to open, and for the answer: 500ms, 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,

    /// Print only what is at this path of a JSON answer, as `toolcrib call --query` does
    #[arg(long, value_name = "PATH", value_parser = Query::parse)]
    query: Option<Query>,

    /// Leave nothing of this call in the history
    #[arg(long)]
    no_history: bool,
}

impl Resend {
    /// Sends the same request under a fresh id. What a mock answered is answered by one again.
    pub fn run(&self, head: &Head, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_connected(global, None, out)?;
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
        // What is kept was filled in with what its own connection has.
        if !is_own && template::variable_names(&head.arguments).next().is_some() {
            let cause = format!("its variables are those of connection \"{}\"", head.connection);
            let there = &connection.name;
            let remedy = format!("make the call with `toolcrib call … --connection {there}`");
            return Err(refused(cause, remedy).into());
        }
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
        let fresh = Uuid::new_v4().to_string();
        let mut request = calling::repeat_request(request_of(head, tool), &fresh);
        if let Some(tool) = tool.filter(|_| is_mocked) {
            let user = opened.settings.context.user.as_deref().unwrap_or(NOBODY);
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
