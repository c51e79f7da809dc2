//! `toolcrib call`: calls a tool and streams its answer.

use std::{path::PathBuf, time::Duration};

use clap::{Args, builder::PossibleValuesParser};
use serde_json::Value;

use super::{
    arguments::{self, parse_duration},
    batch::{self, BatchCall},
    call_events::{Sending, call_limits, open_history},
    call_preview::{print_rendering, print_request},
    deployed,
    ending::CommandResult,
    global::Global,
    mock_options::MockFlags,
    opened::OpenWorkspace,
    out::CommandOutput,
    signals::wait_for,
    step_options::{StepOptions, preview_steps, print_steps},
    stubs,
    variable_options::{VariableOptions, warn_of_unknown},
};
use crate::{
    engine::{
        query::Query,
        stub::mock::{MockOptions, MockSource, mock_service},
        template, variables,
    },
    model::{
        call::Limits,
        catalog::Catalog,
        connection::Connection,
        problem::{Problem, ProblemKind},
        stub::StubService,
        tool::Tool,
    },
    runtime::registry,
    schema::literal::Literal,
    store::secrets,
    systems::{
        calling::{self, without_agent},
        facets::{call_meta::GivenMeta, calls::CallOf},
        mocking,
    },
};

#[derive(Args, Clone, Debug)]
pub(crate) struct Call {
    /// The tool, by key or name; also a deployed one (`toolcrib tools --deployed` lists them), which
    /// CONNECTION/TOOL names together with where it is
    pub tool: String,

    /// Arguments: key=value, a value that isn't text as JSON where the tool wants that; key:=json
    /// in any case
    #[arg(value_name = "KEY=VALUE")]
    pub pairs: Vec<String>,

    /// All arguments as an object: JSON, a file, or - for standard input
    #[arg(long, value_name = "FILE|-|JSON")]
    args: Option<String>,

    /// The tool's configuration for this call, as an object: JSON, a file, or - for standard input;
    /// for tools of MCP servers that declare one
    #[arg(long, value_name = "FILE|-|JSON")]
    config: Option<String>,

    /// What such a tool learns about the user and the chat: chat-id=c1, user-id=u1; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    context: Vec<String>,

    /// Further members of `_meta`, as an object: JSON, a file, or - for standard input; for tools
    /// of MCP servers
    #[arg(long, value_name = "FILE|-|JSON")]
    meta: Option<String>,

    /// The time limit for the connection to open, and for the answer: 500ms, 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Keep listening this long after the end for late, repeated or out-of-order messages; by
    /// default only those already received are shown
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "times")]
    linger: Option<Duration>,

    /// The user of the request; by default as in toolcrib.toml
    #[arg(long, value_name = "NAME")]
    user: Option<String>,

    /// The route of the call, for systems with several (CommonGround: ui, direct, god, probe;
    /// OpenSearch's agents: local, server, async, stream); by default the best available one
    #[arg(long, value_name = "ROUTE")]
    route: Option<String>,

    /// Call as a new agent even if the connection names one (CommonGround, if that one is busy or
    /// wedged)
    #[arg(long)]
    new_agent: bool,

    #[command(flatten)]
    variables: VariableOptions,

    #[command(flatten)]
    steps: StepOptions,

    /// Answer by the rules of a stub file; nothing is sent
    #[arg(long, value_name = "FILE", conflicts_with = "mock")]
    stub: Option<PathBuf>,

    #[command(flatten)]
    mock: MockFlags,

    /// Print the request and send nothing; for a tool of several steps, each step with its
    /// parameters
    #[arg(long)]
    dry_run: bool,

    /// Print the call for another program and send nothing: unique-platform is the API of Unique's
    /// platform, for tools of MCP servers
    #[arg(long, value_name = "PROGRAM", value_parser = PossibleValuesParser::new(calling::rendering_words()), conflicts_with_all = ["times", "dry_run"])]
    print: Option<String>,

    /// Send the arguments even if they don't match the tool's schema
    #[arg(long)]
    no_check: bool,

    /// Repeat the call and print times instead of answers
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    times: Option<u16>,

    /// With --times: the number of parallel calls
    #[arg(long, value_name = "COUNT", default_value_t = 1, requires = "times", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,

    /// Answer the server's questions during the call: values of a form as JSON, accept, decline or
    /// cancel; a model's text; @FILE. Each answers one question, the last one all that follow. By
    /// default you are asked at a terminal; elsewhere toolcrib declines
    #[arg(long, value_name = "ANSWER|@FILE", conflicts_with = "times")]
    answer: Vec<String>,

    /// Write images, audio and other bytes of the answer, or else its text, to this new file;
    /// several parts are numbered, or keep their names in a folder
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "times")]
    save: Option<PathBuf>,

    /// Print only what is at this path of the answer: /rows/0/name, or /rows/*/name, where * is every
    /// item or member, and /rows/*[status=open]/name some of them, in a line each; or the lines with
    /// this word. Texts are without quotes; with --json all is JSON, and a path with * gives a list.
    /// Of a call that fails, the whole answer is printed
    #[arg(long, value_name = "PATH|TEXT", value_parser = Query::parse, conflicts_with_all = ["times", "dry_run", "print"])]
    query: Option<Query>,

    /// Leave nothing of this call in the history
    #[arg(long)]
    no_history: bool,
}

impl Call {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let mut opened = OpenWorkspace::read_connected(global, None, out)?;
        let word = opened.take_connection(&self.tool);
        // Where the workspace does not have the tool.
        let elsewhere = match opened.catalog.tool_called(word) {
            Some(_) => None,
            None => deployed::callable_catalog_beside(&opened, word, self.timeout, out)?,
        };
        let found =
            elsewhere.as_ref().and_then(|catalog| Some((catalog, catalog.tool_called(word)?)));
        let (catalog, tool) = match found {
            Some(found) => found,
            None => {
                let tool = opened.tool(word).map_err(|problem| {
                    deployed::missing_tool(&opened, word, elsewhere.as_ref(), problem)
                })?;
                (&opened.catalog, tool)
            }
        };
        self.run_tool(&opened, (catalog, tool), global, out)
    }

    /// Calls a tool of a catalog, over the connection that the workspace has for it.
    pub fn run_tool(
        &self,
        opened: &OpenWorkspace,
        (catalog, tool): (&Catalog, &Tool),
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let connection = self.choose_connection(opened, (catalog, tool), out);
        // A call is not made for an answer that can't be saved.
        if let Some(path) = self.save.as_deref().filter(|path| path.is_file()) {
            let doing = format!("saving {}", path.display());
            return Err(Problem::new(ProblemKind::Input, doing, "the file already exists")
                .with_remedy("choose another name, or delete it")
                .into());
        }
        let (arguments, meta, connection) = self.read_typed(opened, tool, connection, out)?;
        let user = self.user.as_deref().unwrap_or_else(|| opened.user());
        if let Some(program) = &self.print {
            return print_rendering(
                global,
                out,
                (tool, program.as_str()),
                &arguments,
                meta.as_ref(),
            );
        }
        let mocked = self.stand_in(opened, tool, out)?;
        let fresh = || {
            let correlation = uuid::Uuid::new_v4().to_string();
            let (arguments, connection, route) = (&arguments, &connection, self.route.as_deref());
            let call = CallOf {
                catalog,
                tool,
                user,
                arguments,
                meta: meta.as_ref(),
                correlation: &correlation,
                connection,
                route,
            };
            match &mocked {
                Some(service) => Ok(mocking::mock_request(&call, service.clone())),
                None => calling::build_request(&call),
            }
        };
        let request = self.steps.choose_steps(fresh()?, || open_history(opened), out)?;
        if self.dry_run {
            let mask = secrets::build_mask(&opened.settings.connections.known);
            let mask = mask.of_call(&request.arguments);
            if let Some(steps) = preview_steps(&request)? {
                return print_steps(global, out, &steps, &mask);
            }
            return print_request(global, out, &request, &connection, &mask);
        }
        if let Some(times) = self.times {
            let requests = (0..times).map(|_| fresh()).collect::<Result<_, _>>()?;
            let many = BatchCall {
                registry: registry::of_workspace(&opened.workspace.root),
                requests,
                at_once: usize::from(self.jobs),
                connection,
                limits: self.limits(),
                history: if self.no_history { None } else { open_history(opened).ok() },
                json: global.json,
            };
            return wait_for("calling", batch::run_batch(many, out));
        }
        let sending = Sending {
            opened,
            catalog,
            key: &tool.entry.key,
            connection,
            limits: self.limits(),
            timeout: self.timeout,
            answers: &self.answer,
            save: self.save.clone(),
            query: self.query.clone(),
            is_kept: !self.no_history,
        };
        sending.send(request, global, out)
    }

    /// What the call goes over; warns where its tool may not be the one that was meant.
    fn choose_connection(
        &self,
        opened: &OpenWorkspace,
        (catalog, tool): (&Catalog, &Tool),
        out: &CommandOutput,
    ) -> Connection {
        let connection = opened.settings.connections.for_tool(tool);
        let is_chosen = opened.settings.connections.chosen.is_some();
        for twin in catalog.namesakes(tool, &self.tool).filter(|_| !is_chosen) {
            out.warn(format_args!(
                "{} is called; {} has the same name: call a tool by its key",
                tool.entry.key, twin.entry.key
            ));
        }
        if self.new_agent { without_agent(connection) } else { connection }
    }

    /// The arguments and what is said beside them, checked, with earlier answers in them; and the
    /// connection with the variables that were given.
    fn read_typed(
        &self,
        opened: &OpenWorkspace,
        tool: &Tool,
        mut connection: Connection,
        out: &CommandOutput,
    ) -> Result<(Literal, Option<Literal>, Connection), Problem> {
        let arguments = arguments::read_typed(tool, self.args.as_deref(), &self.pairs)?;
        let meta = self.read_meta(tool)?;
        let given = self.variables.read(&connection.variables)?;
        let sent = [Some(&arguments), meta.as_ref()].into_iter().flatten();
        let sent: Vec<String> = sent.map(|part| part.to_json().into_owned()).collect();
        let named = sent.iter().flat_map(|text| template::variable_names(text));
        let defined = opened.settings.connections.variable_names();
        warn_of_unknown(&given, &defined.chain(named).collect(), out);
        connection.variables.extend(given);
        if !self.no_check {
            let filled = variables::fill_value(arguments.value(), &connection)?;
            arguments::check_arguments(tool, &filled, out)?;
        }
        let fill = |text: &Literal| {
            template::with_answers(text, &|tool| open_history(opened).ok()?.answer_of(tool))
        };
        let arguments = fill(&arguments)?;
        let meta = meta.map(|meta| fill(&meta)).transpose()?;
        Ok((arguments, meta, connection))
    }

    /// What answers in place of the tool's service; `None`: the service does.
    fn stand_in(
        &self,
        opened: &OpenWorkspace,
        tool: &Tool,
        out: &CommandOutput,
    ) -> Result<Option<StubService>, Problem> {
        Ok(match &self.stub {
            Some(file) => {
                let services = stubs::read_services(file, out)?;
                Some(stubs::service_of(tool, &services, file)?.clone())
            }
            None => self.mock.options().map(|options| mock_of(tool, &options, opened, out)),
        })
    }

    /// What is said beside the arguments; `None`: nothing.
    fn read_meta(&self, tool: &Tool) -> Result<Option<Literal>, Problem> {
        let read = |given: &Option<String>, option| {
            given.as_deref().map(|given| arguments::read_object(given, option)).transpose()
        };
        let configuration = read(&self.config, "--config")?.map(Literal::into_value);
        let context = arguments::read_arguments(None, &self.context)?.into_value();
        let context = context.as_object().cloned().unwrap_or_default().into_iter().collect();
        let given = calling::build_meta(tool, &GivenMeta { configuration, context })?;
        let whole = read(&self.meta, "--meta")?;
        let meta = match whole {
            Some(whole) if given.is_empty() => whole,
            whole => {
                let mut members = whole.map(Literal::into_value).unwrap_or_default();
                let members = members.as_object_mut().map(std::mem::take).unwrap_or_default();
                Value::Object(members.into_iter().chain(given).collect()).into()
            }
        };
        let members = meta.value().as_object().cloned().unwrap_or_default();
        // What a server requires is asked for also where nothing is given.
        if !self.no_check {
            arguments::check_meta(tool, &members)?;
        }
        Ok(Some(meta).filter(|_| !members.is_empty()))
    }

    fn limits(&self) -> Limits {
        // Unasked, strays after the end would hold the prompt back.
        call_limits(self.timeout, self.linger.unwrap_or_default())
    }
}

/// The mock of a tool, which knows what the history has of it; warns where a kept answer is wanted
/// and there is none.
pub(crate) fn mock_of(
    tool: &Tool,
    options: &MockOptions,
    opened: &OpenWorkspace,
    out: &CommandOutput,
) -> StubService {
    let wanted = options.source == MockSource::Kept;
    let kept = wanted.then(|| open_history(opened).ok()?.real_answer_of(&tool.name)).flatten();
    if wanted && kept.is_none() {
        out.warn(format_args!(
            "the history has no answer of {} yet but those of mocks; this mock gives an example",
            tool.name
        ));
    }
    mock_service(&mocking::mocked_tool(tool, kept, stubs::own_stub(tool, opened, out)), options)
}
