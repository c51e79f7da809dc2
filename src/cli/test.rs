//! `toolcrib test`: makes the calls of saved cases, lets models choose among tools, and says where
//! that differs from what is expected.
//!
//! | file | does |
//! | --- | --- |
//! | [`chosen`] | which cases are run |
//! | [`target`] | what a case calls |
//! | [`running`] | runs them |
//! | [`lanes`] | which calls run beside each other |
//! | [`tried`] | a case as it went |
//! | [`report`] | all of them for people, scripts and CI |

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use clap::Args;
use futures::StreamExt as _;

use self::{
    chosen::{Choice, add_needed, choose_cases},
    report::{Format, Report, print_result},
    running::{Repetition, Runner},
    target::{Plan, StandIn, list_deployed, plan_cases},
    tried::{CaseRun, TriedCase},
};
use super::{
    arguments::parse_duration,
    ask_cases::{self, AskSuite, LiveModel, TriedAsk},
    cases::{self, AskFile, CaseFiles},
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    mock_options::MockFlags,
    opened::OpenWorkspace,
    out::CommandOutput,
    report_paths::typed_path,
    signals::{interrupted, wait_for},
    stubs,
    test_update::UpdateFlags,
    variable_options::VariableOptions,
};
use crate::{
    engine::case::{ask::AskCase, page::FOLDER, script::Case},
    model::{
        call::Limits,
        entry::FileId,
        problem::{Problem, ProblemKind},
        shown::shell_word,
        tool::Tool,
    },
    runtime::{agent_loop::AgentWorld, now::now_millis, registry},
    store::{failed_cases, history::History, paths::Paths, secrets},
    systems::{case_arguments::named_variables, model_settings::find_model},
    wire::{
        model_endpoint::{ModelEndpoint, PATIENCE},
        registry::Registry,
    },
};

mod chosen;
mod lanes;
mod report;
mod running;
mod target;
mod tried;

const INTERRUPTED: &str = "the run was interrupted before this case";
const CUT: &str = "the run was interrupted while this case ran";
const FAILED_BEFORE: &str = "an earlier case failed (--fail-fast)";

#[derive(Args, Debug)]
pub(crate) struct Test {
    /// Case files, folders or patterns ('cases/log*.yaml'), or names of files in the workspace's
    /// folder `cases`; by default all of that
    #[arg(value_name = "CASE")]
    cases: Vec<PathBuf>,

    /// Only cases with this in their name, file or tool; can be repeated: any of them
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// Only cases that failed when they were last run
    #[arg(long)]
    failed: bool,

    /// Begin no further case after the first that fails
    #[arg(long)]
    fail_fast: bool,

    /// Run every case that calls a tool this many times, all of which have to pass; `runs` and
    /// `pass` of a case are multiplied
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    repeat: u32,

    /// Try a case that failed again, up to this many times; one that passes then is reported as
    /// flaky
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    retries: u32,

    /// The time limit of an answer, for cases without a `timeout`: 500ms, 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,

    /// Write the report of --format or --json to this file; the terminal has the lines for people
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

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
    variables: VariableOptions,

    #[command(flatten)]
    update: UpdateFlags,
}

/// What is tried, and with what.
struct Suite<'r> {
    runner: Runner<'r>,
    plans: Vec<Plan<'r>>,
    /// Files that hold no case.
    broken: Vec<TriedCase>,
    asks: AskSuite<'r>,
    how: How,
}

/// How the command line wants it.
#[derive(Clone, Copy)]
struct How {
    jobs: usize,
    fails_fast: bool,
    /// People read how it goes meanwhile.
    is_shown: bool,
    only_failures: bool,
    /// A report is written to a file, whether anybody reads the lines or not.
    has_file: bool,
}

/// What people read of a run while it goes on: nothing more once it can't be written.
struct Lines<'o> {
    how: How,
    out: &'o mut CommandOutput,
    written: Result<(), StopReason>,
}

impl Lines<'_> {
    /// Says how a case went, unless that isn't wanted. Those that didn't even begin are counted at
    /// the end.
    fn show(&mut self, one: &TriedCase) {
        let is_new = one.run.skipped.is_none_or(|why| why == CUT);
        if self.how.is_shown && is_new && self.written.is_ok() {
            self.written = print_result(one, self.how.only_failures, self.out);
        }
    }

    /// The same of an ask case.
    fn show_asked(&mut self, one: &TriedAsk) {
        let is_wanted = self.how.is_shown && !(self.how.only_failures && one.has_passed());
        if is_wanted && self.written.is_ok() {
            self.written = ask_cases::print_result(one, self.out);
        }
    }

    /// Whether nobody is left to run further cases for.
    fn is_end(&self) -> bool {
        self.written.is_err() && !self.how.has_file
    }
}

/// What came of a run.
struct Finished {
    report: Report,
    /// What models used.
    usage: Option<String>,
    /// Whether its lines could be written.
    shown: Result<(), StopReason>,
}

impl Test {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let format = if global.json { Format::Json } else { self.format };
        self.check_output(format)?;
        let choice = Choice { words: &self.cases, filters: &self.filter, only_failed: self.failed };
        let mut filed = choose_cases(choice, global)?;
        if self.failed && filed.is_empty() {
            out.print_status("No case failed when it was last run.");
            return Ok(Ending::Done);
        }
        // A report has the file in any case.
        if filed.calls.is_empty() && filed.asks.is_empty() && format == Format::Human {
            let first = filed.broken.drain(..).next();
            return Err(first.map_or_else(cases::none_there, |broken| broken.problem).into());
        }
        let mut opened = self.open_workspace(global, &filed, out)?;
        add_needed(&mut filed, &opened.catalog);
        let named = filed.calls.iter().flat_map(|one| named_variables(&one.case));
        self.variables.give_all(&mut opened.settings.connections, named, out)?;
        if self.cases.is_empty() && !self.failed {
            say_other_cases(&opened, out);
        }
        let CaseFiles { calls, asks, broken, needed } = filed;
        if !needed.is_empty() {
            let words = needed.join(", ");
            out.print_status(format_args!("Also run, as others name their answers: {words}"));
        }
        let mock = self.mock.unwatched_options();
        let services = match &self.stub {
            Some(file) => stubs::read_services(file, out)?,
            None => Vec::new(),
        };
        let stand_in = match &self.stub {
            Some(file) => Some(StandIn::Stub(file, &services)),
            None => mock.as_ref().map(StandIn::Mock),
        };
        let deployed = list_deployed(&calls, &opened)?;
        let plans = plan_cases(calls, &opened, &deployed, stand_in.as_ref(), out);
        let mask = secrets::build_mask(&opened.settings.connections.known);
        let paths = Paths::of_user().ok();
        let root = &opened.workspace.root;
        let history =
            paths.as_ref().map(|paths| Arc::new(History::for_workspace(paths, root, mask.clone())));
        let registry = registry::of_workspace(root);
        let other = match &self.against {
            Some(path) => Some(OpenWorkspace::read_connected(global, Some(path), out)?),
            None => None,
        };
        let made_with = (&registry, history.as_ref());
        let asks = self.ask_suite(asks, (&opened, other.as_ref()), made_with, out)?;
        let repetition =
            Repetition { repeat: self.repeat, retries: self.retries, timeout: self.timeout };
        let suite = Suite {
            runner: Runner::new(&registry, history.clone(), mask.clone(), repetition, plans.len()),
            plans,
            broken: broken.into_iter().map(TriedCase::broken).collect(),
            asks,
            how: How {
                jobs: usize::from(self.jobs),
                fails_fast: self.fail_fast,
                is_shown: format == Format::Human || self.output.is_some(),
                only_failures: global.quiet,
                has_file: self.output.is_some(),
            },
        };
        let has_broken = !suite.broken.is_empty();
        wait_for("testing", async {
            let Finished { mut report, usage, shown } = suite.run(out).await;
            for one in report.tried.iter_mut().filter(|one| one.status().is_bad()) {
                self.update.update_case(&one.filed, one.run.only_verdict(), &mask, out)?;
            }
            if let Some(paths) = &paths {
                keep_failed(paths, root, &report);
            }
            let ending = report.ending(has_broken);
            match self.finish(&report, usage, format, global.quiet, out).and(shown) {
                // What is wrong is in the file.
                Err(StopReason::Unread) if self.output.is_some() => Ok(ending),
                finished => finished.map(|()| ending),
            }
        })
    }

    /// The questions to models, with the tools that they get: those here, and with --against those of
    /// the other workspace beside them.
    fn ask_suite<'w>(
        &self,
        cases: Vec<AskFile>,
        (opened, other): (&'w OpenWorkspace, Option<&OpenWorkspace>),
        (registry, history): (&'w Registry, Option<&Arc<History>>),
        out: &CommandOutput,
    ) -> Result<AskSuite<'w>, Problem> {
        // Calls of models are mocked unless a case says otherwise.
        let stubs = match cases.is_empty() {
            true => BTreeMap::new(),
            false => stubs::own_stubs(opened, out),
        };
        let world = || {
            let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
            let mut world = opened.agent_world(registry, limits);
            world.caller.history = history.cloned();
            world.caller.stubs.clone_from(&stubs);
            world
        };
        let against = other.map(|other| replaced_world(world(), other)).transpose()?;
        let (model, jobs) = (self.live_model(opened)?, usize::from(self.jobs));
        Ok(AskSuite { world: world(), against, cases, model, jobs })
    }

    /// Writes the report and its counts.
    fn finish(
        &self,
        report: &Report,
        usage: Option<String>,
        format: Format,
        is_quiet: bool,
        out: &mut CommandOutput,
    ) -> Result<(), StopReason> {
        match (report.render(format), &self.output) {
            (Some(text), Some(file)) => save_report(file, &text)?,
            (Some(text), None) => out.print_raw(&text)?,
            (None, _) => {}
        }
        if !is_quiet && (format == Format::Human || self.output.is_some()) {
            ask_cases::print_table(&report.asked, out)?;
            report.print_failed(out)?;
        }
        if let Some(words) = usage {
            out.print_status(words);
        }
        let summary = report.summary();
        match is_quiet && (format == Format::Human || self.output.is_some()) {
            // It is what a quiet run is made for.
            true => out.print_line(summary)?,
            false => out.print_status(summary),
        }
        if let Some(file) = &self.output {
            out.print_status(format_args!("the report is in {}", file.display()));
        }
        Ok(())
    }

    fn check_output(&self, format: Format) -> Result<(), Problem> {
        if self.output.is_none() || format != Format::Human {
            return Ok(());
        }
        let cause = "--output is for a report that programs read";
        Err(Problem::new(ProblemKind::Input, "writing the report", cause)
            .with_remedy("choose its format: --format junit, json, github or sarif"))
    }

    /// The model that is asked, where one is named.
    fn live_model(&self, opened: &OpenWorkspace) -> Result<Option<LiveModel>, Problem> {
        let Some(wanted) = &self.model else { return Ok(None) };
        let (connection, model) = find_model(&opened.settings.connections, wanted)?;
        let price = opened.settings.prices.get(&model.name).copied();
        let endpoint = ModelEndpoint::new(connection, model, PATIENCE);
        Ok(Some(LiveModel { endpoint, price, records: self.record }))
    }

    /// The workspace that is named, else the one that the first case lies in. What is wrong with a
    /// case is in the report, where that case is run.
    fn open_workspace(
        &self,
        global: &Global,
        filed: &CaseFiles,
        out: &CommandOutput,
    ) -> Result<OpenWorkspace, Problem> {
        let home = filed.workspace_root().filter(|_| global.workspace.is_none());
        let run: Vec<PathBuf> = filed.paths().filter_map(|path| path.canonicalize().ok()).collect();
        let is_reported = |file: &FileId| {
            file.path().starts_with(FOLDER) || run.iter().any(|path| path.ends_with(file.path()))
        };
        OpenWorkspace::read_connected_beside(global, home.as_deref(), out, &is_reported)
    }
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
        let path = typed_path(&opened.workspace.root.join(folder));
        let (count, them) = match count {
            1 => ("1 case isn't".to_owned(), "it"),
            count => (format!("{count} cases aren't"), "them"),
        };
        out.print_status(format_args!(
            "{folder}: {count} run; `toolcrib test {}` runs {them}",
            shell_word(&path)
        ));
    }
}

fn keep_failed(paths: &Paths, root: &Path, report: &Report) {
    let calls = report.tried.iter().map(|one| {
        let status = one.status();
        (&one.filed.path, status.is_good(), status.is_bad())
    });
    let asks = report.asked.iter().map(|one| {
        let has_passed = one.has_passed();
        (&one.filed.path, has_passed, !has_passed)
    });
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    for (path, is_good, is_bad) in calls.chain(asks) {
        let Ok(path) = path.canonicalize() else { continue };
        match (is_good, is_bad) {
            (true, _) => passed.push(path),
            (_, true) => failed.push(path),
            _ => {}
        }
    }
    failed_cases::keep_failed(paths, root, &failed, &passed);
}

/// Writes the report to a file; one that is there is replaced, as the next run's.
fn save_report(file: &Path, text: &str) -> Result<(), Problem> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(file, text)).map_err(|error| {
        let doing = format!("writing the report {}", file.display());
        Problem::new(ProblemKind::File, doing, error.to_string())
            .with_remedy("name a file in a folder that you may write to")
    })
}

impl Suite<'_> {
    /// Runs all. An interruption ends it with what came until then.
    async fn run(self, out: &mut CommandOutput) -> Finished {
        let Self { runner, plans, broken, asks, how } = self;
        let mut lines = Lines { how, out, written: Ok(()) };
        let started = now_millis();
        let mut interrupt = pin!(interrupted());
        let mut was_interrupted = false;
        let mut tried = broken;
        tried.iter().for_each(|one| lines.show(one));
        if how.fails_fast && !tried.is_empty() {
            runner.halt(FAILED_BEFORE);
        }
        let mut ended: Vec<Option<TriedCase>> = plans.iter().map(|_| None).collect();
        // In their order, whichever end first.
        let mut shown = 0;
        {
            let runner = &runner;
            let run_case = |(row, plan)| async move { (row, runner.run_case(row, plan).await) };
            let trying = plans.iter().enumerate().map(run_case);
            let mut results = pin!(futures::stream::iter(trying).buffer_unordered(how.jobs));
            loop {
                let next = tokio::select! {
                    biased;
                    () = &mut interrupt => {
                        was_interrupted = true;
                        break;
                    }
                    next = results.next() => next,
                };
                let Some((row, run)) = next else { break };
                let (Some(plan), Some(place)) = (plans.get(row), ended.get_mut(row)) else {
                    continue;
                };
                let one = place.insert(TriedCase::new(plan.filed.clone(), run));
                if how.fails_fast && one.status().is_bad() {
                    runner.halt(FAILED_BEFORE);
                }
                while let Some(Some(one)) = ended.get(shown) {
                    lines.show(one);
                    shown += 1;
                }
                if lines.is_end() {
                    was_interrupted = true;
                    break;
                }
            }
        }
        for (row, (plan, one)) in plans.into_iter().zip(ended).enumerate() {
            let why = if runner.has_begun(row) { CUT } else { INTERRUPTED };
            let one = one.unwrap_or_else(|| TriedCase::new(plan.filed, CaseRun::skipped(why)));
            if row >= shown {
                lines.show(&one);
            }
            tried.push(one);
        }
        let mut report = Report {
            tried,
            asked: Vec::new(),
            unasked: Vec::new(),
            why_unasked: INTERRUPTED,
            started,
            was_interrupted,
        };
        let has_failed = report.tried.iter().any(|one| one.status().is_bad());
        if how.fails_fast && has_failed {
            report.why_unasked = FAILED_BEFORE;
        } else if !was_interrupted {
            let goes_on = |one: &TriedAsk| {
                lines.show_asked(one);
                let is_last = how.fails_fast && !one.has_passed();
                !is_last && !lines.is_end()
            };
            tokio::select! {
                biased;
                () = &mut interrupt => report.was_interrupted = true,
                () = asks.run(&mut report.asked, goes_on) => report.why_unasked = FAILED_BEFORE,
            }
        }
        report.unasked = asks.cases.iter().skip(report.asked.len()).cloned().collect();
        let usage = asks.usage_words(&report.asked);
        Finished { report, usage, shown: lines.written }
    }
}
