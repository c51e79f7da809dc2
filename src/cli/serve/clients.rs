//! `toolcrib serve --mcp`: the workspace's tools for clients of others, over stdio or HTTP.

use std::{env, sync::Arc, time::Duration};

use clap::Args;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    sources::{AnswerSources, WantedMocks},
    std_pipes::open_pipes,
    tool_host::{ServedWorkspace, WorkspaceHost},
};
use crate::{
    cli::{
        arguments::parse_duration,
        call_events::open_history,
        ending::{CommandResult, Ending, StopReason},
        global::Global,
        opened::{NOBODY, OpenWorkspace},
        out::CommandOutput,
        request::RequestArgs,
        signals::{interrupted, wait_for},
    },
    engine::filter::check_permission,
    model::{
        call::Limits,
        problem::{Problem, ProblemKind},
    },
    runtime::registry,
    wire::{
        spawning::spawn,
        systems::{
            facets::tool_server::{ListenPlace, ToolHost, ToolServer},
            table,
        },
    },
};

/// Where it listens for clients unless an address is named.
const ADDRESS: &str = "127.0.0.1:8931";
/// How long what was written may take to be read at the end.
const FLUSHING: Duration = Duration::from_secs(1);

#[derive(Args, Debug)]
pub(super) struct ServeClients {
    /// Offer the workspace's tools to MCP clients, over stdio or with --http; calls are made as
    /// with `toolcrib call`, or answered by the stub
    #[arg(long, conflicts_with_all = ["listen", "by_hand", "waiting"], help_heading = "MCP")]
    pub mcp: bool,

    /// Listen for MCP clients over HTTP, by default at 127.0.0.1:8931 (port 0 is any free port)
    #[arg(long, requires = "mcp", value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = ADDRESS, help_heading = "MCP")]
    http: Option<String>,

    /// The environment variable with the bearer token that clients must send
    #[arg(long, requires = "http", value_name = "NAME", help_heading = "MCP")]
    token_variable: Option<String>,

    /// The time limit for an answer: 500ms, 30s, 2m
    #[arg(long, requires = "mcp", value_name = "TIME", value_parser = parse_duration, help_heading = "MCP")]
    timeout: Option<Duration>,

    /// Don't keep the calls in the history
    #[arg(long, requires = "mcp", help_heading = "MCP")]
    no_history: bool,

    #[command(flatten, next_help_heading = "MCP")]
    request: RequestArgs,
}

impl ServeClients {
    /// That nothing is said which counts for clients alone.
    ///
    /// # Errors
    /// When something is.
    pub fn check_unused(&self) -> Result<(), Problem> {
        if !self.request.is_given() {
            return Ok(());
        }
        let cause = "--groups, --state and --user say which tools MCP clients get";
        Err(Problem::new(ProblemKind::Input, "serving", cause).with_remedy("add --mcp"))
    }

    pub fn run(
        &self,
        global: &Global,
        out: &mut CommandOutput,
        tools: &[String],
        sources: &AnswerSources,
    ) -> CommandResult {
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        let context = self.request.resolve_request(&opened, out).context;
        if let Err(denied) = check_permission(&opened.settings.profiles, &context) {
            let problem = Problem::new(ProblemKind::Input, "serving", denied.to_string());
            return Err(problem.with_remedy("request other groups, or choose another user").into());
        }
        let wanted = WantedMocks { tools, reaches: &|_| true, per_service: false };
        let (_, stubs) = sources.read_services(&opened, &wanted, out)?;
        // Clients start it anywhere; what the workspace starts was allowed in its folder.
        env::set_current_dir(&opened.workspace.root).map_err(|error| {
            let doing = format!("going to {}", opened.workspace.root.display());
            Problem::new(ProblemKind::File, doing, error.to_string())
        })?;
        let history = match self.no_history {
            true => None,
            false => open_history(&opened)
                .map_err(|problem| out.warn(format_args!("calls aren't saved: {problem}")))
                .ok(),
        };
        let token = self.read_token()?;
        let (asks, questions) = mpsc::channel(1);
        let with = ServedWorkspace {
            tools: tools.to_vec(),
            stubs,
            user: context.user.as_deref().unwrap_or(NOBODY).to_owned(),
            context,
            registry: registry::of_workspace(&opened.workspace.root).with_questions(asks),
            history,
            limits: self.limits(),
            is_quiet: global.quiet,
        };
        let host = Arc::new(WorkspaceHost::new(opened, with)?);
        let Some(server) = table::tool_server() else {
            let cause = "no system here has a protocol for clients";
            return Err(Problem::new(ProblemKind::Input, "serving", cause).into());
        };
        let serving = async {
            let asking = Arc::clone(&host);
            let passing = spawn(async move { asking.pass_questions_on(questions).await });
            let ended = match self.http.clone() {
                Some(address) => {
                    serve_http(server, &host, ListenPlace { address, token }, out).await
                }
                None => serve_pipes(server, &host, out).await,
            };
            passing.abort();
            host.close().await;
            ended
        };
        wait_for("serving", serving)
    }

    /// What clients have to send.
    fn read_token(&self) -> Result<Option<String>, Problem> {
        let Some(name) = &self.token_variable else { return Ok(None) };
        let token = env::var(name).ok().map(|token| token.trim().to_owned());
        let token = token.filter(|token| !token.is_empty());
        token.map(Some).ok_or_else(|| {
            let cause = format!("the environment variable {name} is not set, or empty");
            Problem::new(ProblemKind::Input, "serving", cause)
                .with_remedy("set it to the token that clients send")
        })
    }

    fn limits(&self) -> Limits {
        let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
        self.timeout.map_or(limits, |time| limits.within(time))
    }
}

async fn serve_pipes(
    server: &dyn ToolServer,
    host: &Arc<WorkspaceHost>,
    out: &CommandOutput,
) -> CommandResult {
    out.print_status(format_args!("serving MCP on standard input and output: {}", host.summary()));
    let stop = CancellationToken::new();
    let (pipes, flushed) = open_pipes();
    let mut serving =
        server.serve_pipes(Arc::clone(host) as Arc<dyn ToolHost>, pipes, stop.clone());
    tokio::select! {
        () = &mut serving => {}
        () = interrupted() => {
            stop.cancel();
            serving.await;
        }
    }
    // The sender of what was written is gone by now.
    let _ = timeout(FLUSHING, flushed).await;
    Ok(Ending::Done)
}

async fn serve_http(
    server: &dyn ToolServer,
    host: &Arc<WorkspaceHost>,
    place: ListenPlace,
    out: &CommandOutput,
) -> CommandResult {
    let is_open = place.token.is_none();
    let listening = server.listen(Arc::clone(host) as Arc<dyn ToolHost>, place).await;
    let listening = listening.map_err(StopReason::from)?;
    if is_open && !listening.address().ip().is_loopback() {
        out.warn("other machines can reach this server, and call every tool that it lists");
    }
    out.print_status(format_args!("listening at {}", listening.url()));
    out.print_status(host.summary());
    let stop = CancellationToken::new();
    let mut serving = listening.run(stop.clone());
    tokio::select! {
        () = &mut serving => {}
        () = interrupted() => {
            stop.cancel();
            serving.await;
        }
    }
    Ok(Ending::Done)
}
