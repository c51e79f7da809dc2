//! Ask cases of `toolcrib test`: a model, or what was recorded of one, chooses among the tools, and
//! that is held against what is expected.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use futures::StreamExt as _;
use serde_json::{Value, json};

use super::{
    cases::AskFile,
    columns::{self, Cell},
    ending::StopReason,
    out::{CommandOutput, Tint},
    report_paths::typed_path,
    wrap::wrap,
};
use crate::{
    engine::{
        agent_loop::{
            price::{cost_of, format_cost},
            recording::RecordedRuns,
            turn::Usage,
        },
        case::{
            ask::AskCase,
            choice::{AskVerdict, Tallies, ToolTally, add_tallies, judge_run},
        },
        junit::Checked,
    },
    model::{
        context::Context,
        problem::{Problem, ProblemKind},
        settings::TokenPrice,
    },
    runtime::{
        agent_loop::AgentWorld,
        ask_run::{limit_pass, try_run},
    },
    schema::count::count_text,
    store::files::{self, Expected, OutsideLinks},
    wire::model_endpoint::ModelEndpoint,
};

/// The folder beside a case that holds its recorded runs, where the case names no file.
const RECORDED: &str = "recorded";

/// Ask cases, and what they are tried with.
pub(super) struct AskSuite<'s> {
    pub world: AgentWorld<'s>,
    /// The same with other descriptors.
    pub against: Option<AgentWorld<'s>>,
    pub cases: Vec<AskFile>,
    /// `None`: recorded runs count.
    pub model: Option<LiveModel>,
    pub jobs: usize,
}

/// A model that is really asked.
pub(super) struct LiveModel {
    pub endpoint: ModelEndpoint,
    pub price: Option<TokenPrice>,
    /// What it says is kept beside the case.
    pub records: bool,
}

/// A case as it went.
pub(super) struct TriedAsk {
    pub filed: AskFile,
    pub verdict: AskVerdict,
    /// With the other descriptors.
    pub against: Option<AskVerdict>,
    usage: Option<Usage>,
}

impl TriedAsk {
    /// Whether it came out as expected, and could be compared where that was asked for.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        let is_compared = self.against.as_ref().is_none_or(|against| !against.runs.is_empty());
        self.verdict.has_passed() && is_compared
    }

    /// What is wrong with it.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        let own = match self.verdict.has_passed() {
            true => Vec::new(),
            false => self.verdict.differences(),
        };
        let against = self.against.iter().filter(|against| against.runs.is_empty());
        let against = against.flat_map(AskVerdict::differences);
        own.into_iter().chain(against.map(|words| format!("B: {words}"))).collect()
    }
}

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Own,
    Against,
}

impl AskSuite<'_> {
    /// Tries all, some beside each other, and adds each in their order, until `goes_on` says no of
    /// one: where this is dropped, those that have ended are there.
    pub async fn run(&self, tried: &mut Vec<TriedAsk>, mut goes_on: impl FnMut(&TriedAsk) -> bool) {
        let trying = self.cases.iter().map(|filed| self.try_case(filed.clone()));
        let mut results = std::pin::pin!(futures::stream::iter(trying).buffered(self.jobs));
        while let Some(one) = results.next().await {
            let is_last = !goes_on(&one);
            tried.push(one);
            if is_last {
                break;
            }
        }
    }

    /// How a case went. What its recorded runs lack, or why they can't be kept, is in its verdict.
    async fn try_case(&self, filed: AskFile) -> TriedAsk {
        let kept = match &self.model {
            Some(_) => RecordedRuns::default(),
            None => match read_recorded(&filed) {
                Ok(kept) => kept,
                Err(problem) => {
                    let words = format!("{}; {}", problem.cause, problem.remedy);
                    let verdict = AskVerdict { problem: Some(words), ..AskVerdict::default() };
                    return TriedAsk { filed, verdict, against: None, usage: None };
                }
            },
        };
        let mut record = RecordedRuns { model: kept.model.clone(), ..RecordedRuns::default() };
        let mut usage = None;
        let mut try_side = async |world: &AgentWorld<'_>, side: Side| {
            let recorded = if side == Side::Own { &kept.runs } else { &kept.against };
            let runs = match &self.model {
                Some(_) => vec![None; filed.case.runs as usize],
                None => recorded.iter().cloned().map(Some).collect(),
            };
            let mut verdict = AskVerdict::default();
            if runs.is_empty() {
                verdict.problem = Some(no_recording(&filed.path).cause);
            }
            for recording in runs {
                let model = self.model.as_ref().map(|model| &model.endpoint);
                let context = self.context(&filed.case);
                let tried = try_run(world, &filed.case, context, recording, model).await;
                usage = match (usage, tried.usage) {
                    (Some(sum), Some(more)) => Some(Usage::plus(sum, more)),
                    (sum, more) => sum.or(more),
                };
                verdict.runs.push(judge_run(&filed.case, &tried.observed));
                let kept = if side == Side::Own { &mut record.runs } else { &mut record.against };
                kept.push(tried.recording);
            }
            limit_pass(&mut verdict, &filed.case);
            verdict
        };
        let mut verdict = try_side(&self.world, Side::Own).await;
        let against = match &self.against {
            Some(world) => Some(try_side(world, Side::Against).await),
            None => None,
        };
        if let Some(model) = self.model.as_ref().filter(|model| model.records) {
            record.model.clone_from(&model.endpoint.settings.name);
            if let Err(problem) = write_recorded(&filed, &record) {
                let words = format!("it isn't recorded: {}: {}", problem.doing, problem.cause);
                verdict.problem.get_or_insert(words);
            }
        }
        TriedAsk { filed, verdict, against, usage }
    }

    fn context(&self, case: &AskCase) -> Context {
        case.context(&self.world.settings.context)
    }

    /// What all of it cost; `None`: nothing was sent, or nothing is known.
    pub fn usage_words(&self, tried: &[TriedAsk]) -> Option<String> {
        let model = self.model.as_ref()?;
        let usage = tried.iter().filter_map(|one| one.usage).reduce(Usage::plus)?;
        let cost = model.price.map(|price| format_cost(cost_of(usage, price)));
        let cost = cost.map_or_else(String::new, |cost| format!(", cost {cost}"));
        Some(format!("{} tokens in, {} out{cost}", usage.input, usage.output))
    }
}

/// Where the recorded runs of a case are.
fn recorded_path(filed: &AskFile) -> PathBuf {
    let folder = filed.path.parent().unwrap_or(Path::new(""));
    match &filed.case.recorded {
        Some(file) => folder.join(file),
        None => {
            let stem = filed.path.file_stem().unwrap_or_default().to_string_lossy();
            folder.join(RECORDED).join(format!("{stem}.json"))
        }
    }
}

fn no_recording(path: &Path) -> Problem {
    let cause = format!("no run of {} is recorded", path.display());
    Problem::new(ProblemKind::Missing, "reading recorded runs", cause)
        .with_remedy("ask a model with --model NAME, and keep what it says with --record")
}

fn read_recorded(filed: &AskFile) -> Result<RecordedRuns, Problem> {
    let path = recorded_path(filed);
    let read = match files::read_text(&path) {
        Err(problem) if problem.kind == ProblemKind::Missing => {
            return Err(no_recording(&filed.path));
        }
        read => read?,
    };
    let wrong = |cause: String| {
        Problem::new(ProblemKind::Input, format!("reading {}", path.display()), cause)
            .with_remedy("record the case again with --model NAME --record")
    };
    let value: Value =
        serde_json::from_str(&read.text).map_err(|error| wrong(error.to_string()))?;
    RecordedRuns::from_json(&value).ok_or_else(|| wrong("it holds no runs".into()))
}

fn write_recorded(filed: &AskFile, runs: &RecordedRuns) -> Result<(), Problem> {
    let path = recorded_path(filed);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| {
        Problem::new(ProblemKind::File, format!("writing {}", path.display()), error.to_string())
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let text = format!("{:#}\n", runs.to_json());
    files::save_file(folder, &path, &text, Expected::Anything, OutsideLinks::Allow)
        .map(drop)
        .map_err(|refused| refused.problem().clone())
}

/// A case as it went, for people.
pub(super) fn print_result(tried: &TriedAsk, out: &mut CommandOutput) -> Result<(), StopReason> {
    let mut print = |verdict: &AskVerdict, label: &str| -> Result<(), StopReason> {
        let (mark, tint) =
            if verdict.has_passed() { ("✓", Tint::Good) } else { ("✗", Tint::Bad) };
        let name = out.safe_text(&tried.filed.display_name()).into_owned();
        let runs = verdict.runs.len();
        let held = match (runs, verdict.held()) {
            (1, 1) if verdict.has_passed() => "passed".to_owned(),
            (1, _) => "failed".to_owned(),
            (runs, held) => format!("{held} of {} passed", count_text(runs, "run", "runs")),
        };
        let took = out.tint(Tint::Dim, &format!("{} ms", verdict.took_ms()));
        out.print_line(format!("{} {name}{label}  {held}  {took}", out.tint(tint, mark)))?;
        for difference in verdict.differences() {
            for line in wrap(&out.safe_text(&difference), "    ") {
                out.print_line(line)?;
            }
        }
        Ok(())
    };
    match &tried.against {
        None => print(&tried.verdict, "")?,
        Some(against) => {
            print(&tried.verdict, " (A)")?;
            print(against, " (B)")?;
        }
    }
    Ok(out.flush()?)
}

/// The tools of all cases, one by one; of both sides where there are two.
pub(super) fn print_table(tried: &[TriedAsk], out: &mut CommandOutput) -> std::io::Result<()> {
    let sum = |side: Side| {
        let mut all = Tallies::new();
        for one in tried {
            let verdict = if side == Side::Own { Some(&one.verdict) } else { one.against.as_ref() };
            verdict.iter().for_each(|verdict| add_tallies(&mut all, &verdict.tallies()));
        }
        all
    };
    let own = sum(Side::Own);
    let against = tried.iter().any(|one| one.against.is_some()).then(|| sum(Side::Against));
    if own.is_empty() && against.is_none() {
        return Ok(());
    }
    out.print_line("")?;
    let row = |name: String, tally: ToolTally| {
        let bad = |count: u32| {
            let text = count.to_string();
            if count == 0 { Cell::plain(text) } else { Cell::tinted(Tint::Bad, text) }
        };
        vec![
            Cell::plain(name),
            Cell::plain(tally.expected.to_string()),
            Cell::plain(tally.hits.to_string()),
            bad(tally.wrong_picks),
            bad(tally.bad_arguments),
        ]
    };
    let rows = match &against {
        None => own.iter().map(|(tool, tally)| row(tool.clone(), *tally)).collect(),
        Some(against) => {
            let tools: BTreeSet<&String> = own.keys().chain(against.keys()).collect();
            let of = |all: &Tallies, tool: &str| all.get(tool).copied().unwrap_or_default();
            let pair = |tool: &&String| {
                let (a, b) = (of(&own, tool), of(against, tool));
                [row(format!("{tool} (A)"), a), row(format!("{tool} (B)"), b)]
            };
            tools.iter().flat_map(pair).collect()
        }
    };
    columns::write_table(out, &["TOOL", "EXPECTED", "HITS", "WRONG PICKS", "BAD ARGUMENTS"], rows)?;
    let is_unknown = |one: &&TriedAsk| one.against.as_ref().is_some_and(|b| b.runs.is_empty());
    let unknown = tried.iter().filter(is_unknown).count();
    if unknown > 0 {
        let cases = count_text(unknown, "case", "cases");
        out.print_line(format!("not compared: B has no recorded run of {cases}"))?;
    } else if let Some(against) = &against {
        let [a, b] = [&own, against]
            .map(|all| all.values().copied().fold(ToolTally::default(), ToolTally::plus));
        out.print_line(comparison(a, b))?;
    }
    Ok(())
}

/// Which side is chosen better, in a line.
fn comparison(a: ToolTally, b: ToolTally) -> String {
    let words = |tally: ToolTally| {
        format!(
            "{} of {} hits, {} wrong picks, {} bad arguments",
            tally.hits, tally.expected, tally.wrong_picks, tally.bad_arguments
        )
    };
    let rank = |tally: ToolTally| (tally.hits, u32::MAX - tally.wrong_picks - tally.bad_arguments);
    let better = match rank(a).cmp(&rank(b)) {
        std::cmp::Ordering::Greater => "A is chosen better",
        std::cmp::Ordering::Less => "B is chosen better",
        std::cmp::Ordering::Equal => "both are chosen equally well",
    };
    format!("{better}: A {}; B {}", words(a), words(b))
}

pub(super) fn to_json(tried: &TriedAsk) -> Value {
    let mut value = json!({
        "case": tried.filed.display_name(),
        "file": typed_path(&tried.filed.path),
        "ask": tried.filed.case.question,
        "status": if tried.has_passed() { "passed" } else { "failed" },
    });
    if let (Value::Object(value), Value::Object(verdict)) = (&mut value, tried.verdict.to_json()) {
        value.extend(verdict);
        if let Some(against) = &tried.against {
            value.insert("against".into(), against.to_json());
        }
    }
    value
}

/// As a case of a report in CI.
pub(super) fn to_checked(one: &TriedAsk) -> Checked {
    Checked {
        name: one.filed.display_name(),
        differences: one.differences(),
        took_ms: Some(one.verdict.took_ms()),
        ..Checked::default()
    }
}
