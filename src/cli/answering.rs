//! Answering calls by hand at the terminal: each is shown, a line of input is its answer.

use std::{collections::VecDeque, io::BufRead, thread};

use tokio::sync::mpsc;

use super::out::Out;
use crate::{
    engine::mask::Mask,
    model::catalog::Catalog,
    runtime::now::now_millis,
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

    pub fn push_question(&mut self, question: Question, out: &mut Out) {
        self.waiting.push_back(question);
        match self.waiting.len() {
            1 => self.show_first(out),
            more => out.print_status(format_args!("{} more wait", more - 1)),
        }
    }

    fn show_first(&self, out: &mut Out) {
        let Some(Question { asking, .. }) = self.waiting.front() else { return };
        let Asking { waiting, arguments, failed, .. } = asking;
        let tool = self
            .catalog
            .tools
            .iter()
            .find(|tool| tool.name == waiting.tool_name())
            .map(AsRef::as_ref);
        let left = waiting.due(tool).map(|due| match due.since(now_millis()).div_ceil(1_000) {
            0 => "; its caller may no longer wait".to_owned(),
            left => format!("; its caller waits {left} s more"),
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
            out.warn(format!(
                "the answer could not be written: {} — {}",
                problem.message, problem.remedy
            ));
        }
        out.print_status(waiting.how_to_type());
    }

    /// Answers the first call; a line that is no answer is asked for again.
    pub fn answer_first(&mut self, line: &str, out: &mut Out) {
        let Some(Question { asking, .. }) = self.waiting.front() else { return };
        let answer = match asking.waiting.parse_line(line) {
            Ok(answer) => answer,
            Err(why) => return out.warn(format!("that is no answer: {why}; type it once more")),
        };
        if let Some(Question { reply, .. }) = self.waiting.pop_front() {
            // An error only says that the call is no longer waited for.
            let _ = reply.send(Some(answer));
        }
        self.show_first(out);
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
