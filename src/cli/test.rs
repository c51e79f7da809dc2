//! `toolcrib test`: makes the calls of saved cases, lets models choose among tools, and says where
//! that differs from what is expected.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clap::{Args, ValueEnum};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    ask_cases::{self, AskSuite, LiveModel},
    cases::{self, CaseFile, CaseFiles},
    data_files::BrokenFile,
    deployed::callable_catalog,
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    mock_options::MockFlags,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    report::write_annotations,
    report_paths::typed_path,
    signals::{interrupted, wait_for},
    stubs,
    test_result::keep_result,
    test_update::UpdateFlags,
    wrap::wrap,
};
use crate::{
    engine::{
        case::{
            ask::AskCase,
            page::FOLDER,
            script::Case,
            verdict::{Answer, Verdict, check_answer},
        },
        junit::{self, Checked, Suite},
        mask::Mask,
        settings::connections,
        stub::mock::MockOptions,
    },
    model::{
        call::{Limits, Request},
        catalog::Catalog,
        connection::Connection,
        connections::Connections,
        problem::{Problem, ProblemKind},
        stub::StubService,
        tool::Tool,
        trace::Head,
    },
    runtime::{agent_loop::AgentWorld, now::now_millis, registry},
    schema::count::count_text,
    store::{history::History, paths::Paths, secrets},
    systems::{
        calling,
        case_arguments::{issue_words, refused_arguments},
        facets::calls::CallOf,
        mocking,
        model_settings::find_model,
    },
    wire::{
        model_endpoint::{ModelEndpoint, PATIENCE},
        registry::Registry,
    },
};

/// Events on their way at most, for each call.
const QUEUE: usize = 256;

#[derive(Args, Debug)]
pub(crate) struct Test {
    /// Case files or folders; by default the workspace's folder `cases`
    #[arg(value_name = "CASE")]
    cases: Vec<PathBuf>,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,

    /// Ask this model, a connection by name in toolcrib.toml, in `ask:` cases; by default its
    /// recorded runs count
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Keep what the model says beside the cases, for runs without it
    #[arg(long, requires = "model")]
    record: bool,

    /// Try `ask:` cases also with the descriptors of another workspace or file in the place of those
    /// with the same keys, and say which are chosen better
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,

    /// The number of parallel calls
    #[arg(short, long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,

    /// Answer by the rules of a stub file, in cases that call a tool; no call is sent
    #[arg(long, value_name = "FILE", conflicts_with = "mock")]
    stub: Option<PathBuf>,

    /// How tools answer in place of their services, in cases that call one.
    #[command(flatten)]
    mock: MockFlags,

    #[command(flatten)]
    update: UpdateFlags,
}

/// What answers in place of the services.
enum StandIn<'s> {
    Mock(&'s MockOptions),
    /// The file and its services.
    Stub(&'s Path, &'s [StubService]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// For CI
    Junit,
    /// Annotations of GitHub's workflows
    Github,
}

/// A case ready to be called, or why it cannot be.
struct Plan {
    filed: CaseFile,
    call: Result<(Connection, Box<Request>), Problem>,
}

/// A case as it went.
struct TriedCase {
    filed: CaseFile,
    verdict: Verdict,
}

impl TriedCase {
    fn broken(one: BrokenFile) -> Self {
        let verdict = Verdict::unreadable(&one.problem);
        Self { filed: CaseFile { path: one.path, ..CaseFile::default() }, verdict }
    }

    /// Whether a tool was called, and answered or failed to.
    fn has_run(&self) -> bool {
        self.verdict.answer.outcome.is_some() && !self.verdict.answer.is_unanswered()
    }
}

impl Test {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let format = if global.json { Format::Json } else { self.format };
        let mut filed = match self.cases.as_slice() {
            [] => cases::read_cases(&[cases::of_workspace(global)?])?,
            given => cases::read_cases(&cases::named_files(given, global))?,
        };
        // A report has the file in any case.
        if filed.calls.is_empty() && filed.asks.is_empty() && format == Format::Human {
            let first = filed.broken.drain(..).next();
            return Err(first.map_or_else(cases::none_there, |broken| broken.problem).into());
        }
        let opened = self.open_workspace(global, &filed, out)?;
        if self.cases.is_empty() {
            say_other_cases(&opened, out);
        }
        let CaseFiles { calls, asks, broken } = filed;
        let mock = self.mock.options();
        let services = match &self.stub {
            Some(file) => stubs::read_services(file, out)?,
            None => Vec::new(),
        };
        let stand_in = match &self.stub {
            Some(file) => Some(StandIn::Stub(file, &services)),
            None => mock.as_ref().map(StandIn::Mock),
        };
        let deployed = list_deployed(&calls, &opened)?;
        let plan = |filed| plan_case(filed, &opened, &deployed, stand_in.as_ref(), out);
        let plans: Vec<Plan> = calls.into_iter().map(plan).collect();
        let mask = secrets::build_mask(&opened.settings.connections.known);
        let history = Paths::of_user().map(|paths| {
            Arc::new(History::for_workspace(&paths, &opened.workspace.root, mask.clone()))
        });
        let registry = registry::of_workspace(&opened.workspace.root);
        let history = history.ok();
        let other = match &self.against {
            Some(path) => Some(OpenWorkspace::read_connected(global, Some(path), out)?),
            None => None,
        };
        // Calls of models are mocked unless a case says otherwise.
        let stubs = match asks.is_empty() {
            true => BTreeMap::new(),
            false => stubs::own_stubs(&opened, out),
        };
        let world = || {
            let (catalog, settings) = (&opened.catalog, &opened.settings);
            let mut world = AgentWorld::new(catalog, &opened.tools, settings, &registry);
            world.caller.user =
                settings.context.user.as_deref().unwrap_or(super::call::NOBODY).to_owned();
            world.caller.limits = Limits { linger: Duration::ZERO, ..Limits::default() };
            world.caller.history.clone_from(&history);
            world.caller.stubs.clone_from(&stubs);
            world
        };
        let suite = AskSuite {
            world: world(),
            against: other.as_ref().map(|other| replaced_world(world(), other)).transpose()?,
            cases: asks,
            model: self.live_model(&opened)?,
            jobs: usize::from(self.jobs),
        };
        let run = Run {
            registry: &registry,
            plans,
            broken,
            jobs: usize::from(self.jobs),
            history: history.clone(),
            mask,
            update: self.update,
        };
        wait_for("testing", run_suites(run, suite, format, out))
    }

    /// The model that is asked, where one is named.
    fn live_model(&self, opened: &OpenWorkspace) -> Result<Option<LiveModel>, Problem> {
        let Some(wanted) = &self.model else { return Ok(None) };
        let (connection, model) = find_model(&opened.settings.connections, wanted)?;
        let price = opened.settings.prices.get(&model.name).copied();
        let endpoint = ModelEndpoint::new(connection, model, PATIENCE);
        Ok(Some(LiveModel { endpoint, price, records: self.record }))
    }

    /// The workspace that is named, else the one that the first case lies in.
    fn open_workspace(
        &self,
        global: &Global,
        filed: &CaseFiles,
        out: &CommandOutput,
    ) -> Result<OpenWorkspace, Problem> {
        let home = filed.workspace_root().filter(|_| global.workspace.is_none());
        OpenWorkspace::read_connected(global, home.as_deref(), out)
    }
}

/// The connection that a case names, unless another one is chosen for all.
fn named_connection<'c>(case: &'c Case, connections: &Connections) -> Option<&'c str> {
    case.connection.as_deref().filter(|_| connections.chosen.is_none())
}

/// The tools of running systems by connection, where cases call some that no file here defines, or
/// why they can't be listed.
type DeployedCatalogs = BTreeMap<String, Result<Catalog, Problem>>;

fn list_deployed(
    calls: &[CaseFile],
    opened: &OpenWorkspace,
) -> Result<DeployedCatalogs, StopReason> {
    let connections = &opened.settings.connections;
    let mut listed = BTreeMap::new();
    for CaseFile { case, .. } in calls {
        let named = named_connection(case, connections);
        let known = named.map_or_else(
            || Some(connections.current()),
            |name| connections.find_by_name(name).cloned(),
        );
        let Some(connection) = known.filter(|_| opened.tool(&case.tool).is_err()) else { continue };
        if listed.contains_key(&connection.name) {
            continue;
        }
        let catalog = match callable_catalog(&connection) {
            Err(StopReason::Met(problem)) => Err(problem),
            read => Ok(read?.unwrap_or_default()),
        };
        listed.insert(connection.name, catalog);
    }
    Ok(listed)
}

fn plan_case(
    filed: CaseFile,
    opened: &OpenWorkspace,
    deployed: &DeployedCatalogs,
    stand_in: Option<&StandIn<'_>>,
    out: &CommandOutput,
) -> Plan {
    let request = || {
        let case = &filed.case;
        let connections = &opened.settings.connections;
        let word = named_connection(case, connections);
        // A mock needs no connection, but for the tools that are listed there.
        let named = word
            .filter(|_| stand_in.is_none())
            .map(|name| connections::find_connection(connections, name))
            .transpose()?;
        let (catalog, tool) = match opened.tool(&case.tool) {
            Ok(tool) => (&opened.catalog, tool),
            Err(missing) => {
                let at = word.map_or_else(|| connections.current().name, str::to_owned);
                let there = deployed.get(&at).map(|listed| listed.as_ref().map_err(Clone::clone));
                let found = |there| Some((there, Catalog::tool_called(there, &case.tool)?));
                there.transpose()?.and_then(found).ok_or(missing)?
            }
        };
        let refused: Vec<String> = refused_arguments(tool, case).iter().map(issue_words).collect();
        if !refused.is_empty() {
            let words = refused.join("; ");
            out.warn(format_args!(
                "{}: the schema of {} refuses its arguments: {words}",
                filed.display_name(),
                tool.entry.key
            ));
        }
        let connection = named.unwrap_or_else(|| connections.for_tool(tool));
        let user = case
            .user
            .as_deref()
            .or(opened.settings.context.user.as_deref())
            .unwrap_or(super::call::NOBODY);
        let correlation = uuid::Uuid::new_v4().to_string();
        let call = CallOf {
            catalog,
            tool,
            user,
            arguments: &case.arguments,
            meta: None,
            correlation: &correlation,
            connection: &connection,
            route: None,
        };
        let request = match stand_in {
            Some(StandIn::Mock(options)) => {
                let service = super::call::mock_of(tool, options, opened, out);
                mocking::mock_request(&call, service)
            }
            Some(StandIn::Stub(file, services)) => {
                mocking::mock_request(&call, stubs::service_of(tool, services, file)?.clone())
            }
            None => calling::build_case_request(case, call)?,
        };
        Ok((connection, Box::new(request)))
    };
    let call = request();
    Plan { filed, call }
}

/// The workspace's tools with another's descriptors in the place of those with the same keys.
fn replaced_world<'w>(
    mut world: AgentWorld<'w>,
    other: &OpenWorkspace,
) -> Result<AgentWorld<'w>, Problem> {
    let is_asked = |tool: &&Arc<Tool>| other.is_asked(tool.entry.id.file());
    let tools = other.catalog.tools.iter().filter(is_asked).map(AsRef::as_ref);
    if world.replace_tools(tools) > 0 {
        return Ok(world);
    }
    let cause = format!("no tool of {} has the key of one here", other.workspace.name());
    Err(Problem::new(ProblemKind::Input, "comparing descriptors", cause)
        .with_remedy("--against takes a workspace or a file with other versions of tools"))
}

/// What is tried, and with what.
struct Run<'r> {
    registry: &'r Registry,
    plans: Vec<Plan>,
    broken: Vec<BrokenFile>,
    jobs: usize,
    history: Option<Arc<History>>,
    mask: Mask,
    update: UpdateFlags,
}

/// Says which case files of the workspace lie in other folders than the one that is run.
fn say_other_cases(opened: &OpenWorkspace, out: &CommandOutput) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for read in &opened.files {
        let Some((folder, _)) = read.file.as_str().rsplit_once('/') else { continue };
        let Ok(source) = &read.source else { continue };
        let is_case = source.sections(0).is_none()
            && source.value(0).is_some_and(|value| Case::is_one(value) || AskCase::is_one(value));
        if is_case && folder != FOLDER {
            *folders.entry(folder).or_default() += 1;
        }
    }
    for (folder, count) in folders {
        let count = count_text(count, "case isn't", "cases aren't");
        out.print_status(format_args!("{folder}: {count} run; `toolcrib test {folder}` runs them"));
    }
}

async fn run_suites(
    suite: Run<'_>,
    mut asking: AskSuite<'_>,
    format: Format,
    out: &mut CommandOutput,
) -> CommandResult {
    let Run { registry, plans, broken, jobs, history, mask, update } = suite;
    let has_broken = !broken.is_empty();
    let mut interrupt = pin!(interrupted());
    let mut tried = Vec::with_capacity(plans.len() + broken.len());
    for one in broken.into_iter().map(TriedCase::broken) {
        if format == Format::Human {
            print_result(&one, out)?;
        }
        tried.push(one);
    }
    let closed = ClosedConnections::default();
    let trying =
        plans.into_iter().map(|plan| run_case(plan, registry, history.as_ref(), &closed, &mask));
    let mut results = pin!(futures::stream::iter(trying).buffered(jobs));
    loop {
        let next = tokio::select! {
            biased;
            () = &mut interrupt => return Ok(Ending::Interrupted),
            next = results.next() => next,
        };
        let Some(one) = next else { break };
        if format == Format::Human {
            print_result(&one, out)?;
        }
        tried.push(one);
    }
    let asked = tokio::select! {
        biased;
        () = &mut interrupt => return Ok(Ending::Interrupted),
        asked = asking.run(out, format == Format::Human) => asked?,
    };
    for one in &mut tried {
        update.update_case(&one.filed, &mut one.verdict, &mask, out)?;
    }
    match format {
        Format::Human => ask_cases::print_table(&asked, out)?,
        Format::Json => {
            let asked = asked.iter().map(ask_cases::to_json);
            out.print_json(&tried.iter().map(to_json).chain(asked).collect::<Value>())?;
        }
        Format::Junit | Format::Github => {
            let suites = [junit_suites(&tried), ask_cases::junit_suites(&asked)].concat();
            match format {
                Format::Github => write_annotations(&suites, out)?,
                _ => out.print_raw(&junit::render_report("toolcrib test", &suites))?,
            }
        }
    }
    if let Some(words) = asking.usage_words(&asked) {
        out.print_status(words);
    }
    let failed: Vec<&TriedCase> = tried.iter().filter(|one| !one.verdict.has_passed()).collect();
    let failed_asks = asked.iter().filter(|one| !one.has_passed()).count();
    let all = count_text(tried.len() + asked.len(), "case", "cases");
    let unrun = failed.iter().filter(|one| !one.has_run()).count();
    out.print_status(match (failed.len() + failed_asks - unrun, unrun) {
        (0, 0) => format!("{all} passed"),
        (0, unrun) => format!("{unrun} of {all} couldn't run"),
        (count, 0) => format!("{count} of {all} failed"),
        (count, unrun) => format!("{count} of {all} failed, {unrun} couldn't run"),
    });
    Ok(match failed_asks {
        _ if has_broken => Ending::Usage,
        0 => suite_ending(&failed),
        _ => Ending::Found,
    })
}

/// Where nothing but the connection is at fault, that is reported.
fn suite_ending(failed: &[&TriedCase]) -> Ending {
    match failed {
        [] => Ending::Done,
        failed if failed.iter().all(|one| one.verdict.answer.is_own_fault()) => Ending::Usage,
        failed if failed.iter().all(|one| one.verdict.answer.is_unanswered()) => {
            Ending::Unreachable
        }
        _ => Ending::Found,
    }
}

/// Answers of cases whose connection could not be opened, by its name: other cases don't wait for the
/// same.
#[derive(Default)]
struct ClosedConnections(Mutex<HashMap<String, Answer>>);

impl ClosedConnections {
    fn answer_of(&self, connection: &Connection) -> Option<Answer> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&connection.name).map(|answer| Answer { took_ms: 0, ..answer.clone() })
    }

    fn note(&self, connection: &Connection, answer: &Answer) {
        if answer.sent_ms.is_none() && answer.is_unanswered() {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(connection.name.clone(), answer.clone());
        }
    }
}

async fn run_case(
    plan: Plan,
    registry: &Registry,
    history: Option<&Arc<History>>,
    closed: &ClosedConnections,
    mask: &Mask,
) -> TriedCase {
    let Plan { filed, call } = plan;
    let known = call.as_ref().ok().and_then(|(connection, request)| {
        closed.answer_of(connection).filter(|_| request.mock.is_none())
    });
    let verdict = match (call, known) {
        (Err(problem), _) => Verdict::not_called(&problem),
        (Ok(_), Some(answer)) => check_answer(&filed.case, answer),
        (Ok((connection, request)), None) => {
            let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
            let limits = filed.case.timeout.map_or(limits, |time| Limits {
                first: time,
                idle: time,
                total: time,
                ..limits
            });
            // A case is tried although it cannot be kept in the history.
            let mut recorder = history.and_then(|history| {
                history.begin_call(&Head::from_request(&request, &connection, now_millis())).ok()
            });
            let call = request.correlation.clone();
            let (sender, mut events) = mpsc::channel(QUEUE);
            let calling = registry.run_call(&connection, *request, limits, sender);
            let taking = async {
                let mut answer = Answer::default();
                let mut batch = Vec::with_capacity(QUEUE);
                while events.recv_many(&mut batch, QUEUE).await > 0 {
                    recorder = recorder.take().and_then(|mut recorder| {
                        recorder.record_events(&batch).ok().map(|()| recorder)
                    });
                    batch.drain(..).for_each(|event| answer.apply_event(&event));
                }
                answer
            };
            let answer = tokio::join!(calling, taking).1;
            closed.note(&connection, &answer);
            let verdict = check_answer(&filed.case, answer).without_secrets(mask);
            keep_result(history, &call, &filed.path, &verdict);
            verdict
        }
    };
    TriedCase { filed, verdict }
}

fn print_result(tried: &TriedCase, out: &mut CommandOutput) -> Result<(), StopReason> {
    let (mark, tint) =
        if tried.verdict.has_passed() { ("✓", Tint::Good) } else { ("✗", Tint::Bad) };
    let name = out
        .safe_text(format!("{}  {}", tried.filed.display_name(), tried.filed.case.tool).trim_end())
        .into_owned();
    let took = out.tint(Tint::Dim, &format!("{} ms", tried.verdict.answer.answered_in()));
    out.print_line(format!("{} {name}  {took}", out.tint(tint, mark)))?;
    for difference in tried.verdict.differences() {
        for part in difference.split('\n') {
            for line in wrap(&out.safe_text(part), "    ") {
                out.print_line(line)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn to_json(tried: &TriedCase) -> Value {
    let mut value = json!({"case": tried.filed.display_name(), "file": typed_path(&tried.filed.path), "tool": tried.filed.case.tool});
    if let (Value::Object(value), Value::Object(verdict)) = (&mut value, tried.verdict.to_json()) {
        value.extend(verdict);
    }
    value
}

/// A suite for each file.
fn junit_suites(tried: &[TriedCase]) -> Vec<Suite> {
    let suite = |one: &TriedCase| Suite {
        name: one.filed.display_name(),
        file: typed_path(&one.filed.path),
        cases: vec![Checked {
            name: match one.filed.case.tool.as_str() {
                "" => "the file".to_owned(),
                tool => tool.to_owned(),
            },
            differences: one.verdict.differences().collect(),
            took_ms: Some(one.verdict.answer.answered_in()),
            is_error: !one.has_run(),
            ..Checked::default()
        }],
    };
    tried.iter().map(suite).collect()
}
