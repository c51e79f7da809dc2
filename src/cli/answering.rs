//! Answering by hand at the terminal what waits for a person: each is shown, a line of input is its
//! answer.

use std::{
    collections::VecDeque,
    io::{BufRead, IsTerminal as _},
    path::Path,
    thread,
};

use tokio::sync::mpsc;

use super::out::CommandOutput;
use crate::{
    engine::mask::Mask,
    model::{catalog::Catalog, problem::Problem},
    runtime::now::now_millis,
    store::files,
    wire::systems::facets::responder::{Asking, Question},
};

/// The calls that wait to be answered by hand; the first is the one that is asked for.
pub(crate) struct WaitingCalls<'c> {
    waiting: VecDeque<Question>,
    catalog: &'c Catalog,
}

impl<'c> WaitingCalls<'c> {
    /// One at which no call waits; the catalog says how long callers do.
    #[must_use]
    pub fn new(catalog: &'c Catalog) -> Self {
        Self { waiting: VecDeque::new(), catalog }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn push_question(&mut self, question: Question, out: &mut CommandOutput) {
        self.waiting.push_back(question);
        match self.waiting.len() {
            1 => self.show_first(out),
            more => out.print_status(format_args!("{} more wait", more - 1)),
        }
    }

    fn show_first(&self, out: &mut CommandOutput) {
        let Some(Question { asking, .. }) = self.waiting.front() else { return };
        let Asking { waiting, arguments, failed, .. } = asking;
        let tool = self
            .catalog
            .tools
            .iter()
            .find(|tool| tool.name == waiting.tool_name())
            .map(AsRef::as_ref);
        let left = waiting.due(tool).map(|due| match due.since(now_millis()).div_ceil(1_000) {
            0 => "; its caller may have given up".to_owned(),
            left => format!("; its caller waits another {left} s"),
        });
        let (caller, tool, place) = (waiting.caller_id(), waiting.tool_name(), waiting.id_line());
        out.print_status(format_args!(
            "{caller} asks {tool} ({place}){}",
            left.unwrap_or_default()
        ));
        let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
        for line in Mask::default().mask_text(&arguments).lines() {
            out.print_status(format_args!("  {line}"));
        }
        if let Some(problem) = failed {
            out.warn(format!("couldn't send the answer: {} — {}", problem.message, problem.remedy));
        }
        out.print_status(waiting.how_to_type());
    }

    /// Leaves out what nobody waits for any longer.
    pub fn drop_abandoned(&mut self, out: &mut CommandOutput) {
        let first = self.waiting.front().map(|question| question.reply.is_closed());
        self.waiting.retain(|question| !question.reply.is_closed());
        if first == Some(true) {
            out.print_status("the question was withdrawn");
            self.show_first(out);
        }
    }

    /// Answers the first call; a line that is no answer is asked for again.
    pub fn answer_first(&mut self, line: &str, out: &mut CommandOutput) {
        let Some(Question { asking, .. }) = self.waiting.front() else { return };
        let answer = match asking.waiting.parse_line(line) {
            Ok(answer) => answer,
            Err(why) => return out.warn(format!("not a valid answer: {why}; type it again")),
        };
        if let Some(Question { reply, .. }) = self.waiting.pop_front() {
            // An error only says that the call is no longer waited for.
            let _ = reply.send(Some(answer));
        }
        self.show_first(out);
    }
}

/// Answers to what a server asks during a call: those that were given with it, then what somebody
/// types at the terminal. Where neither is there, nobody answers.
pub(crate) struct QuestionDesk<'c> {
    questions: mpsc::Receiver<Question>,
    /// The last one answers all that follow.
    given: VecDeque<String>,
    waiting: WaitingCalls<'c>,
    typing: Option<mpsc::Receiver<String>>,
    /// One of those that were given was no answer to its question.
    has_refused: bool,
}

impl<'c> QuestionDesk<'c> {
    /// Answers are lines, or files with `@` before their names.
    ///
    /// # Errors
    /// When such a file cannot be read.
    pub fn new(
        questions: mpsc::Receiver<Question>,
        given: &[String],
        catalog: &'c Catalog,
    ) -> Result<Self, Problem> {
        let read = |word: &String| match word.strip_prefix('@') {
            Some(file) => files::read_text(Path::new(file)).map(|read| read.text.to_string()),
            None => Ok(word.clone()),
        };
        let given = given.iter().map(read).collect::<Result<_, _>>()?;
        let waiting = WaitingCalls::new(catalog);
        Ok(Self { questions, given, waiting, typing: None, has_refused: false })
    }

    /// Whether an answer that was given didn't fit its question, which was declined then.
    #[must_use]
    pub fn has_refused_answer(&self) -> bool {
        self.has_refused
    }

    /// Answers the next question, or takes the next line for one. Never ends while nothing is
    /// asked; dropping it loses nothing.
    pub async fn step(&mut self, out: &mut CommandOutput) {
        tokio::select! {
            question = self.questions.recv() => match question {
                Some(question) => self.take_question(question, out),
                None => std::future::pending().await,
            },
            line = next_line(&mut self.typing), if !self.waiting.is_empty() => match line {
                Some(line) => {
                    self.waiting.drop_abandoned(out);
                    self.waiting.answer_first(&line, out);
                }
                // Nobody types any more: what waits stays unanswered.
                None => self.waiting.waiting.clear(),
            },
        }
    }

    fn take_question(&mut self, question: Question, out: &mut CommandOutput) {
        let next = if self.given.len() > 1 { self.given.pop_front() } else { None };
        if let Some(line) = next.as_ref().or(self.given.front()) {
            match question.asking.waiting.parse_line(line) {
                // An error only says that the call is no longer waited for.
                Ok(answer) => drop(question.reply.send(Some(answer))),
                Err(why) => {
                    self.has_refused = true;
                    out.warn(format!("--answer {line:?} isn't a valid answer: {why}"));
                }
            }
        } else if std::io::stdin().is_terminal() {
            self.typing.get_or_insert_with(stdin_lines);
            self.waiting.push_question(question, out);
        }
    }
}

/// Lines of the input, read where nothing else waits for them.
pub(crate) fn stdin_lines() -> mpsc::Receiver<String> {
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

/// The next of them; never ends where nothing is read.
pub(crate) async fn next_line(typing: &mut Option<mpsc::Receiver<String>>) -> Option<String> {
    match typing {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}
