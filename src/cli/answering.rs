//! `toolcrib serve` for CommonGround: answers for tools in a channel, by the rules of a stub or by hand.

use std::{io::BufRead, path::Path, sync::Arc, thread};

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
        connection::{Channel, Connection},
        problem::{Problem, ProblemKind},
    },
    systems::commonground::{
        executor::{self, Spoken, typed},
        rows,
    },
    wire::{
        registry::Registry,
        serve::executor::{By, Executor, Question, Stand, Told},
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
}

/// The tools that are wanted, with who answers for each.
///
/// # Errors
/// When a tool is not there, sends to no subject, or nothing says how to answer for it.
pub fn stands(wanted: &Wanted<'_>, opened: &Opened, channel: &Channel, out: &Out) -> Result<Answering, Problem> {
    let (asks, questions) = mpsc::channel(1);
    let mut stands = Vec::new();
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
        stands.push(Stand {
            tool: opened.tool(word)?.name.clone(),
            target: target(word, opened, channel)?,
            by: By::Hand(asks.clone()),
        });
    }
    if stands.is_empty() {
        return Err(Problem::new(ProblemKind::Input, "serving", "nothing says what to answer for")
            .remedy("name tools and --by-hand, or a stub file (--stub FILE)"));
    }
    Ok(Answering { stands, questions })
}

fn target(word: &str, opened: &Opened, channel: &Channel) -> Result<String, Problem> {
    executor::target(opened.tool(word)?, channel).ok_or_else(|| no_subject(word))
}

fn no_subject(word: &str) -> Problem {
    Problem::new(ProblemKind::Input, "serving", format!("\"{word}\" sends to no tool's subject"))
        .remedy("its target_subject is cg.v1r4.{project_id}.{channel_id}.cmd.tool.TARGET.SUFFIX")
}

/// Answers until it is interrupted.
pub async fn serve(global: &Global, out: &mut Out, connection: Connection, answering: Answering) -> Ended {
    let Answering { stands, mut questions } = answering;
    let registry = Registry::default();
    let mut interrupt = std::pin::pin!(interrupted());
    let starting = async {
        let bus = registry.open(&connection).await?;
        let executor = Executor::start(&connection, &*bus, registry.secrets(), stands).await?;
        Ok((bus, executor))
    };
    let started = tokio::select! {
        () = &mut interrupt => return Ok(Ending::Interrupted),
        started = starting => started,
    };
    let doing = || format!("serving on {}", connection.name);
    let (_bus, executor) = started.map_err(|problem: crate::model::call::CallProblem| {
        Halt::from(Problem::new(ProblemKind::Unreachable, doing(), problem.message).remedy(problem.remedy))
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
    let mut open: Option<Question> = None;
    loop {
        tokio::select! {
            () = &mut interrupt, if !stop.is_cancelled() => stop.cancel(),
            Some(told) = reports.recv() => tell(global, out, &told)?,
            Some(question) = questions.recv(), if open.is_none() => {
                show(out, &question);
                typing.get_or_insert_with(lines);
                open = Some(question);
            }
            line = next(&mut typing), if open.is_some() => match (line, open.take()) {
                (Some(line), Some(question)) => answer(question, &line),
                // Nobody types any more: the question is dropped, and the call stays unanswered.
                _ => stop.cancel(),
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

fn show(out: &mut Out, question: &Question) {
    let Question { tool, call, agent, arguments, .. } = question;
    let arguments = Value::from(arguments.clone()).to_string();
    out.say(format_args!("{agent} asks {tool} ({call}): {}", Mask::default().text(&arguments)));
    out.say("type its result, in JSON or plain words, or {\"error\": {\"code\": …, \"message\": …}}");
}

fn answer(question: Question, line: &str) {
    let spoken: Spoken = typed(line.trim());
    // An error only says that the call is no longer waited for.
    let _ = question.reply.send(spoken);
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
    let Told { tool, call, agent, rule, words, status, rows, written, problem } = told;
    if global.json {
        let error = problem.as_ref().map(|problem| json!({"type": problem.kind, "message": problem.message}));
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
