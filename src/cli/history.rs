//! `toolcrib history`: the calls that were made of this workspace: listed, shown, compared,
//! replayed, sent again, exported, taken away.

mod export;
mod resend;

use std::{path::PathBuf, pin::pin, sync::Arc, time::Duration};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::{
    export::{OutputFile, as_stub, export_traces, write_trace},
    resend::Resend,
};
use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    query::QueriedAnswer,
    signals::{interrupted, wait_for},
    strays::preview_text,
};
use crate::{
    engine::{
        diff::{self, LineKind},
        events,
        mask::Mask,
        query::Query,
        trace::{
            compare, tally,
            wanted::{TraceFilter, WORDS},
        },
    },
    model::{
        call::{Event, EventKind, Outcome},
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        shown::shorten,
        size,
        trace::{Head, Summary, Trace, TraceId},
    },
    runtime::now,
    schema::count::count_text,
    store::{history::History as Store, paths::Paths},
    systems::step_comparison::{ComparedStep, StepDifference, compare_steps},
};

#[derive(Args, Debug)]
pub(crate) struct History {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    list: List,
}

/// So many calls are listed where it isn't said.
const NUMBER: u32 = 50;

#[derive(Args, Debug)]
struct List {
    /// Only matching calls: tool:NAME is:failed,no-answer -is:succeeded on:CONNECTION
    /// since:30m|2h|3d id:START >500ms, and any text of the request or the answer
    #[arg(long, value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    find: String,

    /// The maximum number of calls, newest first
    #[arg(short, long, value_name = "COUNT", default_value_t = NUMBER, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
}

/// Calls are named by the beginning of their id, as the list shows it; `last` is the newest.
#[derive(Subcommand, Debug)]
enum Command {
    /// List the calls, as without a subcommand
    #[command(hide = true)]
    List(List),
    /// Show one call: its request, its answer, its times
    Show {
        id: String,
        /// Print only what is at this path of the answer, or the lines with this word, as
        /// `toolcrib call --query` does
        #[arg(long, value_name = "PATH|TEXT", value_parser = Query::parse)]
        query: Option<Query>,
    },
    /// Compare two calls: answers, JSON, steps, times; exits with 1 if the answers differ
    Compare { before: String, after: String },
    /// Replay the answer at its own speed or faster
    Replay {
        id: String,
        /// The speed, as a multiple; 0 is as fast as possible
        #[arg(long, value_name = "TIMES", default_value_t = 1.0, value_parser = parse_speed)]
        speed: f64,
    },
    /// Send a call again, over its own connection or that of --connection
    Resend(Resend),
    /// Export calls as JSON lines, or as a stub with their answers
    Export {
        /// The calls, by the start of their ids; by default all that `--find` matches
        ids: Vec<String>,
        #[arg(long, value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
        find: String,
        /// Write a stub file for `toolcrib serve --stub`, with a rule for each call
        #[arg(long)]
        stub: bool,
        /// The output file; by default standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Replace the output file if it is there
        #[arg(long, requires = "output")]
        overwrite: bool,
    },
    /// Remove calls from the history
    Remove {
        /// The calls, by the start of their ids
        ids: Vec<String>,
        /// Remove all calls of this workspace
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed >= 0.0);
    speed.ok_or_else(|| "write a number, such as 2 or 0.5; 0 is as fast as possible".to_owned())
}

impl History {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if self.command.is_some() && self.list.is_given() {
            let problem = Problem::new(
                ProblemKind::Input,
                "reading the history",
                "--find and --number go behind the subcommand, where it has them",
            );
            return Err(problem.into());
        }
        let workspace = global.find_workspace(None)?;
        // What is read is masked already.
        let store = Store::for_workspace(&Paths::of_user()?, &workspace.root, Mask::default());
        match &self.command {
            None => self.list.run(global, &store, out),
            Some(Command::List(list)) => list.run(global, &store, out),
            Some(Command::Show { id, query }) => {
                let trace = store.load_trace(&find_trace(&store, id)?)?;
                match query {
                    Some(query) => print_part(query.clone(), &trace, global, out),
                    None => print_trace(global, &trace, out),
                }
            }
            Some(Command::Compare { before, after }) => {
                let (before, after) = (
                    store.load_trace(&find_trace(&store, before)?)?,
                    store.load_trace(&find_trace(&store, after)?)?,
                );
                print_comparison(global, &before, &after, out)
            }
            Some(Command::Replay { id, speed }) => {
                let trace = store.load_trace(&find_trace(&store, id)?)?;
                wait_for("replaying", replay_trace(global.json, trace, *speed, out))
            }
            Some(Command::Resend(resend)) => {
                let trace = store.load_trace(&find_trace(&store, &resend.id)?)?;
                resend.run(&trace.head, global, out)
            }
            Some(Command::Export { ids, find, stub, output, overwrite }) => {
                let ids = selected_ids(&store, ids, find, global)?;
                let to = output.as_deref().map(|path| OutputFile { path, overwrites: *overwrite });
                match stub {
                    true => {
                        let opened = OpenWorkspace::read_workspace(global, None)?;
                        as_stub(&store, &opened.catalog, &ids, to, out)
                    }
                    false => export_traces(&store, &ids, to, out),
                }
            }
            Some(Command::Remove { ids, all }) => remove_traces(&store, ids, *all, out),
        }
    }
}

/// The call that a word names.
pub(crate) fn find_trace(store: &Store, word: &str) -> Result<TraceId, Problem> {
    let listing = store.list_calls(TraceFilter::default())?;
    let wrong = |cause: String| {
        Problem::new(ProblemKind::Missing, "reading the history", cause)
            .with_remedy("list the calls with `toolcrib history`")
    };
    if word == "last" {
        let empty = || {
            wrong("there are no calls yet".into())
                .with_remedy("make one with `toolcrib call TOOL`, or in Invoke")
        };
        return listing.calls.first().map(|call| call.id.clone()).ok_or_else(empty);
    }
    match tally::beginning_with(word, &listing.calls).as_slice() {
        [] => Err(wrong(format!("no call has an id that starts with \"{word}\""))),
        [one] => Ok(Arc::clone(one)),
        several => {
            Err(wrong(format!("{} calls have ids that start with \"{word}\"", several.len())))
        }
    }
}

impl List {
    fn is_given(&self) -> bool {
        !self.find.is_empty() || self.number != NUMBER
    }

    fn run(&self, global: &Global, store: &Store, out: &mut CommandOutput) -> CommandResult {
        let listing = store.list_calls(read_filter(&self.find, global)?)?;
        let shown = &listing.calls[..listing.calls.len().min(self.number as usize)];
        if global.json {
            out.print_json(&shown.iter().map(summary_json).collect::<Value>())?;
            return Ok(Ending::Done);
        }
        if shown.is_empty() {
            out.print_status(if self.find.is_empty() && global.connection.is_none() {
                "No calls yet: make one with `toolcrib call TOOL`, or in Invoke".into()
            } else {
                format!("No call matches. --find takes: {WORDS}")
            });
            return Ok(Ending::Done);
        }
        columns::write_table(
            out,
            &["ID", "WHEN", "TOOL", "ON", "OUTCOME", "TOOK", "CHUNKS", "ARGUMENTS"],
            shown.iter().map(summary_row).collect(),
        )?;
        let older = listing.older + listing.calls.len() - shown.len();
        if older > 0 {
            out.print_status(format_args!("{older} older ones are not listed"));
        }
        if listing.unread > 0 {
            out.print_detail(format_args!("{} lines could not be read", listing.unread));
        }
        Ok(Ending::Done)
    }
}

fn summary_row(call: &Summary) -> Vec<Cell> {
    let tint = match call.outcome {
        Some(Outcome::Succeeded) => Tint::Good,
        Some(_) => Tint::Bad,
        None => Tint::Odd,
    };
    let outcome = Cell::tinted(tint, call.ending_words());
    vec![
        Cell::plain(call.id.chars().take(8).collect::<String>()),
        Cell::plain(format_time(call)),
        Cell::plain(&*call.tool),
        Cell::plain(&*call.connection),
        outcome,
        Cell::plain(call.known_duration().map_or_else(String::new, |ms| format!("{ms} ms"))),
        Cell::plain(call.chunks.to_string()),
        Cell::plain(shorten(&call.arguments, 60)),
    ]
}

fn format_time(call: &Summary) -> String {
    let wall = now::local_time(call.at);
    format!("{} {}", wall.date(), wall.clock_time())
}

fn summary_json(call: &Summary) -> Value {
    json!({
        "id": &*call.id,
        "at": call.at.0,
        "tool": &*call.tool,
        "connection": &*call.connection,
        "outcome": call.outcome.map(Outcome::as_str),
        "error": call.error.as_ref().map(ErrorKind::as_str),
        "took_ms": call.known_duration(),
        "connect_ms": call.sent_ms,
        "first_ms": call.first_ms.map(|ms| ms.saturating_sub(call.sent_ms.unwrap_or(0))),
        "chunks": call.chunks,
        "bytes": call.size,
        "strays": call.strays,
        "arguments": serde_json::from_str::<Value>(&call.arguments).unwrap_or_else(|_| Value::from(&*call.arguments)),
    })
}

fn print_trace(global: &Global, trace: &Trace, out: &mut CommandOutput) -> CommandResult {
    if global.json {
        return write_trace(trace, out).map(|()| Ending::Done);
    }
    let Head { tool, connection, transport, to, headers, arguments, .. } = &trace.head;
    let wall = now::local_time(trace.head.at);
    let headers = events::format_headers(headers);
    let rows = [
        ("tool", tool.to_string()),
        ("at", format!("{}T{}", wall.date(), wall.time_with_offset())),
        ("on", format!("{connection} ({transport})")),
        ("to", to.to_string()),
        ("headers", headers),
        ("arguments", arguments.to_string()),
    ];
    for (name, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        out.print_line(format!("{name:<10} {}", out.safe_text(&value)))?;
    }
    if trace.head.masked {
        out.print_status("secrets in it are masked");
    }
    for event in &trace.events {
        let (what, text) = match &event.kind {
            EventKind::Sent { bytes } => ("sent", size::format_size(*bytes as u64)),
            EventKind::Chunk { bytes, text } => (
                "chunk",
                format!("{:>8}  {}", size::format_size(*bytes as u64), preview_text(text)),
            ),
            EventKind::Headers { way, headers } => {
                ("headers", format!("{} {}", way.sign(), events::format_headers(headers)))
            }
            EventKind::Stray { cause, body, .. } => {
                ("stray", format!("{}: {}", cause.message(), preview_text(body)))
            }
            EventKind::Notice(words) => ("notice", words.clone()),
            EventKind::Stage(stage) if stage.is_wire() => {
                (&*stage.name, format!("{}  {}", stage.words, preview_text(&stage.body)))
            }
            EventKind::Stage(stage) => (&*stage.name, stage.words.clone()),
            EventKind::End { outcome, problem } => (
                outcome.as_str(),
                problem.as_ref().map_or_else(String::new, |problem| problem.words()),
            ),
        };
        out.print_line(format!(
            "{:<10} {what:<10} {}",
            format!("+{} ms", event.at_ms),
            out.safe_text(&text)
        ))?;
    }
    if !trace.events.iter().any(|event| matches!(event.kind, EventKind::End { .. })) {
        out.print_line("toolcrib ended before the call did")?;
    }
    out.print_line("")?;
    out.print_raw(&compare::answer_text(trace))?;
    out.end_line()?;
    Ok(Ending::Done)
}

/// What is at a place of the answer.
fn print_part(
    query: Query,
    trace: &Trace,
    global: &Global,
    out: &mut CommandOutput,
) -> CommandResult {
    let mut answer = QueriedAnswer::new(query, global.json);
    trace.events.iter().for_each(|event| answer.add_event(&event.kind));
    answer.print(out)?;
    Ok(Ending::Done)
}

/// Each place that differs, with both values.
fn print_differences(
    found: Vec<compare::Difference>,
    indent: &str,
    out: &mut CommandOutput,
) -> std::io::Result<()> {
    for one in found {
        let side = |value: Option<String>| value.unwrap_or_else(|| "nothing".into());
        let at = if one.at.is_root() { "the whole".to_owned() } else { one.at.to_string() };
        let line = format!("{indent}{at}: {} → {}", side(one.before), side(one.after));
        out.print_line(out.safe_text(&line).into_owned())?;
    }
    Ok(())
}

fn print_comparison(
    global: &Global,
    before: &Trace,
    after: &Trace,
    out: &mut CommandOutput,
) -> CommandResult {
    let texts = compare::compared_texts(before, after);
    let parsed = texts.each_ref().map(|text| serde_json::from_str::<Value>(text).ok());
    let differences = match &parsed {
        [Some(before), Some(after)] => Some(compare::compare_json(before, after)),
        _ => None,
    };
    let ending = if texts[0] == texts[1] { Ending::Done } else { Ending::Found };
    let [asked, asked_after] = [before, after]
        .map(|trace| serde_json::from_str::<Value>(&trace.head.arguments).unwrap_or_default());
    let arguments = compare::compare_json(&asked, &asked_after);
    let steps = compare_steps(before, after);
    if global.json {
        let of = |one: &compare::Difference| json!({"pointer": one.at.to_string(), "before": one.before, "after": one.after});
        let measure = |row: &compare::ComparedMeasure| json!({"name": row.name, "before": row.before, "after": row.after});
        let are_texts = texts[0] != texts[1] && differences.is_none();
        out.print_json(&json!({
            "same": texts[0] == texts[1],
            "texts": are_texts.then(|| json!({"before": texts[0], "after": texts[1]})),
            "arguments": arguments.iter().map(of).collect::<Value>(),
            "json": differences.map(|found| found.iter().map(of).collect::<Value>()),
            "steps": steps.iter().map(ComparedStep::to_json).collect::<Value>(),
            "times": compare::compare_times(before, after).iter().map(measure).collect::<Value>(),
        }))?;
        return Ok(ending);
    }
    let rows = compare::compare_times(before, after).into_iter();
    let rows = rows
        .map(|row| vec![Cell::plain(row.name), Cell::plain(row.before), Cell::plain(row.after)]);
    let short = |trace: &Trace| trace.head.id.chars().take(8).collect::<String>();
    columns::write_table(out, &["", &short(before), &short(after)], rows.collect())?;
    out.print_line("")?;
    if !arguments.is_empty() {
        out.print_line("the arguments differ:")?;
        print_differences(arguments, "  ", out)?;
        out.print_line("")?;
    }
    print_steps(&steps, out)?;
    match differences {
        _ if texts[0] == texts[1] => out.print_line("the answers are the same")?,
        Some(found) if found.is_empty() => {
            out.print_line("the answers hold the same JSON, written differently")?;
        }
        Some(found) => print_differences(found, "", out)?,
        None => {
            for line in diff::diff_lines(&texts[0], &texts[1]) {
                let (sign, tint) = match line.kind {
                    LineKind::Same => (" ", Tint::Dim),
                    LineKind::Added => ("+", Tint::Good),
                    LineKind::Removed => ("-", Tint::Bad),
                };
                out.print_line(out.tint(tint, &format!("{sign} {}", line.text)))?;
            }
        }
    }
    Ok(ending)
}

/// Says of each step of two runs what differs.
fn print_steps(steps: &[ComparedStep], out: &mut CommandOutput) -> Result<(), StopReason> {
    for step in steps {
        let line = format!("step {} {}: {}", step.number, step.name, step.verdict());
        out.print_line(out.safe_text(&line).into_owned())?;
        for StepDifference { what, before, after } in &step.differences {
            for (sign, tint, side) in [("-", Tint::Bad, before), ("+", Tint::Good, after)] {
                if let Some(text) = side {
                    let line = out.safe_text(&format!("  {sign} {what}: {text}")).into_owned();
                    out.print_line(out.tint(tint, &line))?;
                }
            }
        }
    }
    if !steps.is_empty() {
        out.print_line("")?;
    }
    Ok(())
}

async fn replay_trace(
    as_json: bool,
    trace: Trace,
    speed: f64,
    out: &mut CommandOutput,
) -> CommandResult {
    let mut interrupt = pin!(interrupted());
    let (sent, mut last) = (trace.sent_ms().unwrap_or(0), 0);
    for event in &trace.events {
        let wait = event.at_ms.saturating_sub(last);
        last = last.max(event.at_ms);
        if speed > 0.0 && wait > 0 {
            out.flush()?;
            let wait =
                Duration::try_from_secs_f64(Duration::from_millis(wait).as_secs_f64() / speed)
                    .unwrap_or(Duration::MAX);
            tokio::select! {
                biased;
                () = &mut interrupt => return Ok(Ending::Interrupted),
                () = tokio::time::sleep(wait) => {}
            }
        }
        print_event(as_json, event, sent, out)?;
    }
    out.end_line()?;
    Ok(Ending::Done)
}

/// Prints an event of a call whose request was sent at that time.
fn print_event(
    as_json: bool,
    event: &Event,
    sent: u64,
    out: &mut CommandOutput,
) -> Result<(), StopReason> {
    match &event.kind {
        _ if as_json => out.json_line(&events::event_json(event))?,
        EventKind::Chunk { text, .. } => out.print_raw(text)?,
        EventKind::Notice(words) => out.print_status(words),
        EventKind::Stage(stage) if stage.is_wire() => {}
        EventKind::Stage(stage) => out.print_status(&stage.words),
        EventKind::End { outcome, problem } => out.print_detail(format_args!(
            "{} after {} ms{}",
            outcome.as_str(),
            event.at_ms.saturating_sub(sent),
            problem.as_ref().map_or_else(String::new, |problem| format!(": {}", problem.message))
        )),
        EventKind::Sent { .. } | EventKind::Headers { .. } | EventKind::Stray { .. } => {}
    }
    Ok(())
}

/// The calls that match, over the connection that `--connection` names.
fn read_filter(find: &str, global: &Global) -> Result<TraceFilter, Problem> {
    let filter = TraceFilter::parse_complete(find, now::now_millis())
        .map_err(|cause| Problem::new(ProblemKind::Input, "reading --find", cause))?;
    Ok(match &global.connection {
        Some(connection) => filter.on_connection(connection),
        None => filter,
    })
}

/// Those that are named, else those that are found, the oldest first.
fn selected_ids(
    store: &Store,
    ids: &[String],
    find: &str,
    global: &Global,
) -> Result<Vec<TraceId>, Problem> {
    match ids {
        [] => Ok(store
            .list_calls(read_filter(find, global)?)?
            .calls
            .into_iter()
            .rev()
            .map(|call| call.id)
            .collect()),
        given => given.iter().map(|id| find_trace(store, id)).collect(),
    }
}

fn remove_traces(store: &Store, ids: &[String], all: bool, out: &CommandOutput) -> CommandResult {
    if ids.is_empty() && !all {
        let problem =
            Problem::new(ProblemKind::Input, "deleting calls from the history", "no call given");
        return Err(problem.with_remedy("give the ids of calls, or --all").into());
    }
    let ids: Vec<TraceId> = ids.iter().map(|id| find_trace(store, id)).collect::<Result<_, _>>()?;
    let count = if all { store.list_calls(TraceFilter::default())?.calls.len() } else { ids.len() };
    store.remove_calls(|id| all || ids.iter().any(|known| &**known == id))?;
    out.print_status(count_text(count, "call is gone", "calls are gone"));
    Ok(Ending::Done)
}
