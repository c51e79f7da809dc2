//! `toolcrib serve` for CommonGround: answers for tools in a channel, by the rules of a stub or by hand.

use std::{
    collections::{HashMap, VecDeque},
    io::BufRead,
    path::Path,
    sync::Arc,
    thread,
};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    ending::{Ended, Ending, Halt},
    global::Global,
    opened::Opened,
    out::Out,
    signals::interrupted,
    stubs,
};
use crate::{
    engine::mask::Mask,
    model::{
        call::CallProblem,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
    },
    runtime::{now::now, registry},
    systems::commonground::{by_hand, executor, routes, rows, settings::Channel},
    wire::systems::commonground::{
        asking::{Asking, By, Question, Stand},
        desk::Told,
        executor::{Executor, From},
    },
};

/// Reports on their way at most.
const QUEUE: usize = 1_024;

/// What is to be answered for.
pub struct Wanted<'w> {
    pub tools: &'w [String],
    pub stub: Option<&'w Path>,
    pub by_hand: bool,
}

/// Who answers for what.
pub struct Answering {
    stands: Vec<Stand>,
    questions: mpsc::Receiver<Question>,
    /// How many seconds the callers of a tool wait.
    patience: HashMap<String, u64>,
}

/// The tools that are wanted, with who answers for each.
///
/// # Errors
/// When a tool is not there, sends to no subject, or nothing says how to answer for it.
pub fn stands(wanted: &Wanted<'_>, opened: &Opened, channel: &Channel, out: &Out) -> Result<Answering, Problem> {
    let (asks, questions) = mpsc::channel(1);
    let (mut stands, mut patience) = (Vec::new(), HashMap::new());
    for stub in wanted.stub.map_or_else(|| Ok(Vec::new()), |path| stubs::services(path, out))? {
        let target = match &stub.request {
            Some(subject) => executor::target_of(subject, channel).ok_or_else(|| no_subject(&stub.name))?,
            None => target(&stub.name, opened, channel)?,
        };
        stands.push(Stand { tool: stub.name.clone(), target, by: By::Stub(Arc::new(stub)) });
    }
    let rest = wanted.tools.iter().filter(|word| !stands.iter().any(|stand| stand.tool == **word)).collect::<Vec<_>>();
    for word in rest {
        if !wanted.by_hand {
            return Err(Problem::new(ProblemKind::Input, "serving", format!("nothing says how to answer for \"{word}\""))
                .remedy("name a stub file with rules for it (--stub FILE), or answer yourself (--by-hand)"));
        }
        let tool = opened.tool(word)?;
        patience.insert(tool.name.clone(), routes::waiting(tool));
        stands.push(Stand { tool: tool.name.clone(), target: target(word, opened, channel)?, by: By::Hand(asks.clone()) });
    }
    if stands.is_empty() {
        return Err(Problem::new(ProblemKind::Input, "serving", "nothing says what to answer for")
            .remedy("name tools and --by-hand, or a stub file (--stub FILE)"));
    }
    Ok(Answering { stands, questions, patience })
}

fn target(word: &str, opened: &Opened, channel: &Channel) -> Result<String, Problem> {
    executor::target(opened.tool(word)?, channel).ok_or_else(|| no_subject(word))
}

fn no_subject(word: &str) -> Problem {
    Problem::new(ProblemKind::Input, "serving", format!("\"{word}\" sends to no tool's subject"))
        .remedy("its target_subject is cg.v1r4.{project_id}.{channel_id}.cmd.tool.TARGET.SUFFIX")
}

/// Answers until it is interrupted.
pub async fn serve(global: &Global, out: &mut Out, connection: Connection, answering: Answering, from: From) -> Ended {
    let Answering { stands, mut questions, patience } = answering;
    let registry = registry::of_system();
    let mut interrupt = std::pin::pin!(interrupted());
    let starting = async {
        let bus = registry.open(&connection).await?;
        let executor = Executor::start(&connection, &*bus, registry.secrets(), stands, from).await?;
        Ok((bus, executor))
    };
    let started = tokio::select! {
        () = &mut interrupt => return Ok(Ending::Interrupted),
        started = starting => started,
    };
    let doing = || format!("serving on {}", connection.name);
    let (_bus, executor) = started.map_err(|problem: CallProblem| {
        let kind = if problem.kind == ErrorKind::NoProject { ProblemKind::Input } else { ProblemKind::Unreachable };
        Halt::from(Problem::new(kind, doing(), problem.message).remedy(problem.remedy))
    })?;
    for warning in &executor.warnings {
        out.warn(warning);
    }
    for (tool, subject) in executor.subjects() {
        out.say(format_args!("listening on {subject} for {tool}"));
    }
    let stop = CancellationToken::new();
    let (report, mut reports) = mpsc::channel(QUEUE);
    let mut running = tokio::spawn(executor.run(report, stop.clone()));
    let mut typing = None;
    let mut desk = Desk { waiting: VecDeque::new(), patience };
    loop {
        tokio::select! {
            () = &mut interrupt, if !stop.is_cancelled() => stop.cancel(),
            Some(told) = reports.recv() => tell(global, out, &told)?,
            Some(question) = questions.recv() => {
                typing.get_or_insert_with(lines);
                desk.take(question, out);
            }
            line = next(&mut typing), if !desk.waiting.is_empty() => match line {
                Some(line) => desk.answer(&line, out),
                // Nobody types any more: what waits stays unanswered.
                None => stop.cancel(),
            },
            _ = &mut running => break,
        }
    }
    while let Ok(told) = reports.try_recv() {
        tell(global, out, &told)?;
    }
    match stop.is_cancelled() {
        true => Ok(Ending::Done),
        false => Err(Problem::new(ProblemKind::Unreachable, doing(), "the connection ended").into()),
    }
}

/// The calls that wait to be answered by hand; the first is the one that is asked for.
struct Desk {
    waiting: VecDeque<Question>,
    patience: HashMap<String, u64>,
}

impl Desk {
    fn take(&mut self, question: Question, out: &mut Out) {
        self.waiting.push_back(question);
        match self.waiting.len() {
            1 => self.show(out),
            more => out.say(format_args!("{} more wait", more - 1)),
        }
    }

    fn show(&self, out: &mut Out) {
        let Some(Question { asking, .. }) = self.waiting.front() else { return };
        let Asking { waiting, arguments, failed, .. } = asking;
        let context = &waiting.context;
        let epoch = context.turn_epoch.map_or_else(String::new, |epoch| format!(", epoch {epoch}"));
        let seconds = self.patience.get(&waiting.tool).copied().unwrap_or_else(by_hand::patience);
        let left = waiting.due(seconds).map(|due| match due.since(now()).div_ceil(1_000) {
            0 => "; its caller may no longer wait".to_owned(),
            left => format!("; its caller waits {left} s more"),
        });
        let (agent, tool, call) = (&context.agent_id, &waiting.tool, &context.tool_call_id);
        let turn = context.turn();
        out.say(format_args!("{agent} asks {tool} ({call}, {turn}{epoch}){}", left.unwrap_or_default()));
        let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
        for line in Mask::default().text(&arguments).lines() {
            out.say(format_args!("  {line}"));
        }
        if let Some(problem) = failed {
            out.warn(format!("the answer could not be written: {} — {}", problem.message, problem.remedy));
        }
        out.say(
            "type its result in one line, as JSON or in plain words; {\"error\": {\"code\": …, \"message\": …}} fails; \
             {\"status\": \"partial\", \"result\": …, \"error\": …, \"after_execution\": …} says all of it",
        );
    }

    /// Answers the first call; a line that is no answer is asked for again.
    fn answer(&mut self, line: &str, out: &mut Out) {
        let answer = match by_hand::typed(line) {
            Ok(answer) => answer,
            Err(why) => return out.warn(format!("that is no answer: {why}; type it once more")),
        };
        if let Some(Question { asking, reply }) = self.waiting.pop_front() {
            // An error only says that the call is no longer waited for.
            let _ = reply.send(Some(by_hand::built(&answer, asking.waiting.command)));
        }
        self.show(out);
    }
}

/// Lines of the input, read where nothing else waits for them.
fn lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

async fn next(typing: &mut Option<mpsc::Receiver<String>>) -> Option<String> {
    match typing {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}

fn tell(global: &Global, out: &mut Out, told: &Told) -> Result<(), Halt> {
    let Told { tool, call, agent, rule, words, status, rows, written, problem, .. } = told;
    if global.json {
        let error = problem.as_ref().map(|problem| json!({"type": problem.kind.word(), "message": problem.message}));
        let rows: Vec<Value> = rows.iter().map(|row| json!({"table": row.table, "row": row.value()})).collect();
        out.json_line(&json!({
            "event": "call", "tool": tool, "call": call, "agent": agent, "rule": rule, "did": words, "status": status,
            "written": written, "rows": rows, "error": error,
        }))?;
        return Ok(());
    }
    match problem {
        Some(problem) => {
            let remedy = if problem.remedy.is_empty() { String::new() } else { format!(" — {}", problem.remedy) };
            out.say(format_args!("not answered {tool} {call} of {agent}: {}{remedy}", problem.message));
        }
        None => {
            let rule = rule.as_ref().map_or_else(String::new, |rule| format!(" by \"{rule}\""));
            out.say(format_args!("{tool} {call} of {agent}{rule}: {words}"));
        }
    }
    if !written {
        for line in rows::lines(rows) {
            out.say(format_args!("  {line}"));
        }
    }
    Ok(())
}
