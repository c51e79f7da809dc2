//! `toolcrib ask`: puts a model in front of the tools, with a hand on every call.

use std::{io::IsTerminal as _, path::PathBuf, pin::pin, time::Duration};

use clap::Args;
use serde_json::{Value, json};

use super::{
    arguments::parse_duration,
    call_events::open_history,
    ending::{CommandResult, Ending, StopReason, end_event, of_call},
    global::Global,
    history::find_trace,
    mock_options::MockFlags,
    opened::OpenWorkspace,
    out::{CommandOutput, print_problem},
    request::RequestArgs,
    signals::{interrupted, wait_for},
    stubs,
    variable_options::VariableOptions,
};
use crate::{
    engine::{
        agent_loop::{
            breakpoint::Breakpoint,
            decision::Decision,
            event::RUN_PREFIX,
            price::{cost_of, format_cost},
            recording::Recording,
            run::{AgentRun, AgentStart},
            turn::Usage,
        },
        model_view::find_refusals,
        trace::wanted::TraceFilter,
    },
    model::{
        call::{Limits, Outcome},
        context::Context,
        problem::{Problem, ProblemKind},
        settings::TokenPrice,
        shown::shell_word,
        trace::TraceId,
    },
    runtime::{
        agent_loop::{AgentOutcome, AgentWorld, ModelSource},
        now::now_millis,
        registry,
    },
    schema::count::count_text,
    store::{files, history::History},
    systems::{model_settings::find_model, table::kept_tools_at},
    wire::model_endpoint::{ModelEndpoint, PATIENCE},
};

mod host;

/// Why a model gets no tools, and what to do.
fn without_tools(opened: &OpenWorkspace) -> String {
    let current = opened.current_connection();
    match kept_tools_at(&current) {
        _ if !opened.catalog.tools.is_empty() => {
            "none is available for these groups and this state; `toolcrib tools` says why".into()
        }
        Some(_) => {
            format!("`toolcrib mcp keep {}` saves those of the server", shell_word(&current.name))
        }
        None => opened.remedy_without_tools(),
    }
}

use host::{CallPolicy, CommandHost};

#[derive(Args, Debug)]
pub(crate) struct Ask {
    /// What to ask the model
    #[arg(required_unless_present = "replay")]
    question: Option<String>,

    /// The model's connection, by name in toolcrib.toml; `mock` needs neither a connection nor an
    /// account: it calls the tools that the question names, or each available one
    #[arg(long, value_name = "NAME", required_unless_present = "replay")]
    model: Option<String>,

    #[command(flatten)]
    request: RequestArgs,

    /// The system prompt, from a file
    #[arg(long, value_name = "FILE")]
    system_prompt: Option<PathBuf>,

    /// Make every call without asking
    #[arg(short, long, conflicts_with = "mock")]
    yes: bool,

    #[command(flatten)]
    mock: MockFlags,

    #[command(flatten)]
    variables: VariableOptions,

    /// Ask about these calls although others are made or mocked: tool:NAME, state:NAME,
    /// argument:NAME, argument:NAME=VALUE, or error; can be repeated
    #[arg(long = "break", value_name = "WHERE", value_parser = Breakpoint::parse)]
    breakpoints: Vec<Breakpoint>,

    /// The maximum number of replies
    #[arg(long, value_name = "COUNT", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    max_turns: u32,

    /// How long the model, or a tool, may say nothing: 30s, 2m; by default two minutes and 30
    /// seconds
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,

    /// Print the first request and send nothing
    #[arg(long, conflicts_with = "replay")]
    dry_run: bool,

    /// Run a kept run again, by the start of its id or `last`, without the model: with what it said
    /// then, and with the answers that the tools gave, unless --yes or --mock is given
    #[arg(long, value_name = "ID", conflicts_with_all = ["model", "question"])]
    replay: Option<String>,

    /// Leave nothing of this run in the history
    #[arg(long)]
    no_history: bool,
}

impl Ask {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let mut opened = OpenWorkspace::read_connected(global, None, out)?;
        self.variables.give_all(&mut opened.settings.connections, [], out)?;
        // A name that is wrong is said before what is missing to be asked.
        if let Some(name) = &self.model {
            find_model(&opened.settings.connections, name)?;
        }
        let policy = self.call_policy()?;
        let registry = registry::of_workspace(&opened.workspace.root);
        let mut world = opened.agent_world(&registry, self.limits());
        if self.mock.options().is_some() {
            world.caller.stubs = stubs::own_stubs(&opened, out);
        }
        if let Some(word) = &self.replay {
            let (start, recording) = self.read_replay(&opened, word)?;
            let host = CommandHost::new(out, global.json, policy, self.breakpoints.clone());
            let run = Run { world, start, price: None };
            return wait_for("running again", run.go(ModelSource::Recorded(recording), host));
        }
        if !self.no_history {
            world.caller.history = Some(open_history(&opened)?);
        }
        let wanted = self.model.as_deref().unwrap_or_default();
        let (connection, model) = find_model(&opened.settings.connections, wanted)?;
        let price = opened.settings.prices.get(&model.name).copied();
        let endpoint = ModelEndpoint::new(connection, model, self.timeout.unwrap_or(PATIENCE));
        let context = self.request.resolve_request(&opened, out).context;
        let start = AgentStart {
            question: self.question.clone().unwrap_or_default(),
            system: self.read_system_prompt()?,
            context,
            mode: opened.settings.mode,
            max_turns: self.max_turns,
        };
        let first = AgentRun::new(start.clone(), now_millis());
        let functions = world
            .offered_functions(&first)
            .map_err(|denied| denied.while_doing("choosing the tools"))?;
        for key in world.hidden_twins(&first) {
            out.warn(format_args!(
                "the model doesn't get {key}: an available tool before it has the same name"
            ));
        }
        if functions.is_empty() {
            out.warn(format_args!("the model gets no tools: {}", without_tools(&opened)));
        }
        for function in &functions {
            let client = endpoint.settings.api.client();
            for refusal in find_refusals(function, client) {
                out.warn(format_args!(
                    "{} refuses the tool {}: {}",
                    client.name(),
                    function.name,
                    refusal.message
                ));
            }
        }
        if self.dry_run {
            let body = endpoint.request_body(first.system(), first.turns(), &functions);
            let body: Value = serde_json::from_str(&body).unwrap_or_default();
            out.print_status(format_args!("to {}:", endpoint.request_address()));
            out.print_json(&body)?;
            return Ok(Ending::Done);
        }
        let host = CommandHost::new(out, global.json, policy, self.breakpoints.clone());
        let run = Run { world, start, price };
        wait_for("asking the model", run.go(ModelSource::Endpoint(&endpoint), host))
    }

    /// What becomes of calls; where nobody can be asked, it has to be said.
    fn call_policy(&self) -> Result<CallPolicy, Problem> {
        let is_terminal = std::io::stdin().is_terminal();
        if !self.breakpoints.is_empty() && !is_terminal {
            let cause = "a breakpoint asks at a terminal, and this is none";
            return Err(Problem::new(ProblemKind::Input, "asking the model", cause)
                .with_remedy("leave --break out"));
        }
        if let Some(options) = self.mock.options() {
            return Ok(CallPolicy::Each(Decision::Mock(options)));
        }
        if self.yes || self.dry_run {
            return Ok(CallPolicy::Each(Decision::Call));
        }
        if self.replay.is_some() {
            return Ok(CallPolicy::Each(Decision::Recorded));
        }
        if is_terminal {
            return Ok(CallPolicy::Asking);
        }
        let cause = "nobody can be asked about the model's calls: this is not a terminal";
        Err(Problem::new(ProblemKind::Input, "asking the model", cause)
            .with_remedy("add --yes to make every call, or --mock to answer without the services"))
    }

    fn limits(&self) -> Limits {
        let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
        self.timeout.map_or(limits, |time| limits.between(time))
    }

    fn read_system_prompt(&self) -> Result<Option<String>, Problem> {
        let read = |path: &PathBuf| files::read_text(path).map(|read| read.text.to_string());
        self.system_prompt.as_ref().map(read).transpose()
    }

    /// A kept run, as it was begun; groups and state are those of then, where none are given now.
    fn read_replay(
        &self,
        opened: &OpenWorkspace,
        word: &str,
    ) -> Result<(AgentStart, Recording), StopReason> {
        let history = open_history(opened)?;
        let trace = history.load_trace(&find_run(&history, word)?)?;
        let recording = Recording::from_trace(&trace).ok_or_else(|| {
            let cause = format!("\"{}\" has no reply of a model", trace.head.tool);
            Problem::new(ProblemKind::Input, "running again", cause)
                .with_remedy("`toolcrib history --find tool:ask` lists runs of models")
        })?;
        let then: Value = serde_json::from_str(&trace.head.arguments).unwrap_or_default();
        let names = |value: &Value| {
            let names = value.as_array()?.iter().filter_map(Value::as_str);
            Some(names.map(Into::into).collect())
        };
        let context = match self.request.is_given() {
            true => self.request.context(opened),
            false => Context {
                user: opened.settings.context.user.clone(),
                groups: names(&then["groups"]),
                state: then["state"].as_str().map(Into::into),
            },
        };
        let start = AgentStart {
            question: then["question"].as_str().unwrap_or_default().to_owned(),
            system: then["system"].as_str().map(str::to_owned),
            context,
            mode: opened.settings.mode,
            max_turns: self.max_turns,
        };
        Ok((start, recording))
    }
}

/// The kept run that a word names.
fn find_run(history: &History, word: &str) -> Result<TraceId, Problem> {
    if word != "last" {
        return find_trace(history, word);
    }
    let listing = history.list_calls(TraceFilter::default())?;
    let newest = listing.calls.iter().find(|call| call.tool.starts_with(RUN_PREFIX));
    newest.map(|call| call.id.clone()).ok_or_else(|| {
        let cause = "the history has no run of a model";
        Problem::new(ProblemKind::Missing, "looking into the history", cause)
            .with_remedy("make one with `toolcrib ask QUESTION --model NAME`")
    })
}

/// A run that is about to begin.
struct Run<'r> {
    world: AgentWorld<'r>,
    start: AgentStart,
    price: Option<TokenPrice>,
}

impl Run<'_> {
    async fn go(self, source: ModelSource<'_>, mut host: CommandHost<'_>) -> CommandResult {
        let mut interrupt = pin!(interrupted());
        let ended = tokio::select! {
            biased;
            () = &mut interrupt => None,
            outcome = self.world.run_agent(self.start, source, &mut host) => Some(outcome),
        };
        self.world.caller.registry.close().await;
        let (out, json) = host.into_output()?;
        match ended {
            None if json => {
                out.json_line(&end_event(0, Outcome::Cancelled, None))?;
                Ok(Ending::Interrupted)
            }
            None => Ok(Ending::Interrupted),
            Some(outcome) => {
                let cost =
                    self.price.zip(outcome.run.usage()).map(|(price, usage)| cost_of(usage, price));
                print_end(out, json, &outcome, cost)
            }
        }
    }
}

fn print_end(
    out: &mut CommandOutput,
    json: bool,
    outcome: &AgentOutcome,
    cost: Option<f64>,
) -> CommandResult {
    let how = outcome.outcome();
    let problem = outcome.problem();
    if json {
        let mut end = end_event(outcome.took_ms, how, problem.as_ref());
        end["answer"] = outcome.run.answer().into();
        end["state"] = outcome.run.state().into();
        end["replies"] = outcome.run.reply_count().into();
        end["calls"] = outcome.calls.into();
        end["usage"] = outcome.run.usage().map(Usage::to_json).into();
        end["cost"] = cost.into();
        end["model_ms"] = outcome.model_ms.into();
        end["tools_ms"] = outcome.tools_ms.into();
        end["call"] = json!(outcome.trace.as_deref());
        out.json_line(&end)?;
    } else {
        out.print_status(summary(outcome, cost));
    }
    let ending = Ending::of_call(how, problem.as_ref());
    if let Some(problem) = problem.filter(|_| !json) {
        print_problem(&of_call(how, problem, "asking the model"));
    }
    Ok(match &outcome.end {
        // A request that cannot be sent is another thing than a run that fails.
        Err(problem) => Ending::from_problem(&problem.clone().while_doing("asking the model")),
        Ok(_) => ending,
    })
}

/// The run in a line.
fn summary(outcome: &AgentOutcome, cost: Option<f64>) -> String {
    let replies =
        count_text(usize::try_from(outcome.run.reply_count()).unwrap_or(0), "reply", "replies");
    let calls = count_text(usize::try_from(outcome.calls).unwrap_or(0), "call", "calls");
    let usage = match outcome.run.usage() {
        None => "tokens not reported".to_owned(),
        Some(Usage { input, output, cached: 0 }) => format!("{input} tokens in, {output} out"),
        Some(Usage { input, output, cached }) => {
            format!("{input} tokens in ({cached} cached), {output} out")
        }
    };
    let cost = cost.map_or_else(String::new, |cost| format!(", cost {}", format_cost(cost)));
    format!(
        "{} after {} ms (model {} ms, tools {} ms): {replies}, {calls}; {usage}{cost}; state {}",
        outcome.outcome().as_str(),
        outcome.took_ms,
        outcome.model_ms,
        outcome.tools_ms,
        outcome.run.state()
    )
}
