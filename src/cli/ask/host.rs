//! Shows a run on the command line, and asks there what becomes of each call.

use std::io;

use futures::future::BoxFuture;
use tokio::sync::mpsc;

use crate::{
    cli::{
        answering::{next_line, stdin_lines},
        arguments,
        out::{CommandOutput, print_stderr},
    },
    engine::{
        agent_loop::{
            breakpoint::{BreakContext, Breakpoint},
            decision::{Branch, BranchPoint, Change, Decision},
            event::AgentEvent,
            run::Answered,
            turn::ToolCall,
        },
        stub::mock::{MockOptions, MockSource},
    },
    model::{call::Outcome, shown::short_line},
    runtime::agent_loop::{AgentHost, PlannedCall},
};

/// What becomes of calls.
pub(super) enum CallPolicy {
    /// Each is asked about.
    Asking,
    Each(Decision),
}

/// How much of a result a line shows.
const RESULT_START: usize = 200;

const CHOICES: &str =
    "Enter call · e edit · r refuse · m mock · b back · a always call, in this run · q end the run";
const FAULT_CHOICES: &str =
    "Enter report it to the model · e edit · r refuse · b back · q end the run";

/// A run's watcher on the command line.
pub(super) struct CommandHost<'h> {
    out: &'h mut CommandOutput,
    json: bool,
    policy: CallPolicy,
    breakpoints: Vec<Breakpoint>,
    /// The call before failed.
    after_failure: bool,
    typing: Option<mpsc::Receiver<String>>,
    /// The last text did not end its line.
    open_line: bool,
    /// The call was shown when it was asked about.
    was_asked: bool,
    failed: Option<io::Error>,
}

impl<'h> CommandHost<'h> {
    pub fn new(
        out: &'h mut CommandOutput,
        json: bool,
        policy: CallPolicy,
        breakpoints: Vec<Breakpoint>,
    ) -> Self {
        let asks = matches!(policy, CallPolicy::Asking) || !breakpoints.is_empty();
        Self {
            out,
            json,
            policy,
            breakpoints,
            after_failure: false,
            typing: asks.then(stdin_lines),
            open_line: false,
            was_asked: false,
            failed: None,
        }
    }

    /// Whether a breakpoint stops the run before this call.
    fn is_stopped(&self, planned: &PlannedCall<'_>) -> bool {
        let context = BreakContext {
            tool: &planned.call.name,
            key: &planned.tool.entry.key,
            state: planned.state,
            arguments: &planned.call.arguments_value(),
            fault: planned.fault,
            after_failure: self.after_failure,
        };
        self.breakpoints.iter().any(|breakpoint| breakpoint.is_at(&context))
    }

    /// The output, and whether it is JSON.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn into_output(mut self) -> io::Result<(&'h mut CommandOutput, bool)> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if std::mem::take(&mut self.open_line) {
            self.out.print_line("")?;
            self.out.flush()?;
        }
        Ok((self.out, self.json))
    }

    fn show_event(&mut self, at_ms: u64, event: &AgentEvent) -> io::Result<()> {
        if self.json {
            return self.out.json_line(&event.to_json(at_ms));
        }
        match event {
            AgentEvent::Text(text) => {
                self.out.print_raw(text)?;
                self.open_line = !text.ends_with('\n');
                self.out.flush()
            }
            AgentEvent::Replied { .. } => {
                self.end_line()?;
                self.out.print_detail(event.summary());
                Ok(())
            }
            AgentEvent::Called { edited: false, .. } if std::mem::take(&mut self.was_asked) => {
                Ok(())
            }
            AgentEvent::Called { .. } => self.print_status(&format!("→ {}", event.summary())),
            AgentEvent::Returned { answered, text, .. } => {
                let summary = match answered {
                    // What is wrong was said with the call.
                    Answered::Invalid => format!("← {}", event.summary()),
                    _ => format!("← {}: {}", event.summary(), start_of(text)),
                };
                self.print_status(&summary)
            }
            AgentEvent::Moved { .. } => self.print_status(&format!("state: {}", event.summary())),
            AgentEvent::Asked { .. } | AgentEvent::Notice(_) | AgentEvent::WentBack { .. } => {
                self.print_status(&event.summary())
            }
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open_line) {
            self.out.print_line("")?;
        }
        self.out.flush()
    }

    fn print_status(&mut self, words: &str) -> io::Result<()> {
        self.end_line()?;
        self.out.print_status(words);
        Ok(())
    }

    async fn ask(&mut self, planned: PlannedCall<'_>) -> Decision {
        let PlannedCall { call, tool, state, reply, fault } = planned;
        let usual = match &self.policy {
            CallPolicy::Each(decision) => decision.clone(),
            CallPolicy::Asking => Decision::Call,
        };
        // What cannot be written is reported at the end.
        let _ = self.end_line();
        print_stderr(&format!("→ {} in state {state}: {}", tool.entry.key, call.arguments_value()));
        if let Some(fault) = fault {
            print_stderr(&format!("  {fault}"));
        }
        let choices = if fault.is_some() { FAULT_CHOICES } else { CHOICES };
        self.was_asked = fault.is_none();
        loop {
            print_stderr(&format!("  {choices}"));
            let Some(line) = next_line(&mut self.typing).await else { return Decision::Stop };
            let (word, rest) =
                line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            match word {
                "" | "y" => return usual,
                "a" if fault.is_none() => {
                    self.policy = CallPolicy::Each(Decision::Call);
                    return Decision::Call;
                }
                "m" if fault.is_none() => return Decision::Mock(mock_options(rest.trim())),
                "b" => match back(rest.trim(), reply) {
                    Ok(decision) => {
                        self.was_asked = false;
                        return decision;
                    }
                    Err(why) => print_stderr(&format!("  {why}")),
                },
                "r" => return Decision::Refuse(rest.trim().to_owned()),
                "q" => return Decision::Stop,
                "e" => match self.edited(call, rest.trim()).await {
                    Some(Ok(arguments)) => {
                        self.was_asked = false;
                        return Decision::Edit(arguments);
                    }
                    Some(Err(why)) => print_stderr(&format!("  {why}")),
                    None => return Decision::Stop,
                },
                other => print_stderr(&format!("  \"{other}\" is none of the choices")),
            }
        }
    }

    /// The arguments that are typed, on this line or the next; `None`: nobody types any more.
    async fn edited(&mut self, call: &ToolCall, given: &str) -> Option<Result<String, String>> {
        let mut line = given.to_owned();
        if line.is_empty() {
            print_stderr(&format!("  now: {}", call.arguments));
            print_stderr("  Type a JSON object, or key=text and key:=json for what is to change");
            line = next_line(&mut self.typing).await?;
        }
        let line = line.trim();
        let read = match line.starts_with('{') {
            true => arguments::read_arguments(Some(line), &[]),
            false => {
                let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                let before = Some(call.arguments.as_str()).filter(|_| {
                    call.arguments_value().is_object() && !call.arguments.trim().is_empty()
                });
                arguments::read_arguments(before, &words)
            }
        };
        Some(read.map(|read| read.to_json().into_owned()).map_err(|problem| problem.cause))
    }
}

/// A mock that answers with a text, or with an example where there is none.
fn mock_options(text: &str) -> MockOptions {
    match text {
        "" => MockOptions::default(),
        text => MockOptions { source: MockSource::Text(text.to_owned()), ..MockOptions::default() },
    }
}

/// Back to the reply of a number, with a message: `2`, `2 Look again.`, `Look again.`; by default to
/// this reply.
fn back(words: &str, reply: u32) -> Result<Decision, String> {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let (number, message) = match first.parse() {
        Ok(number) => (number, rest.trim()),
        Err(_) => (reply, words),
    };
    if !(1..=reply).contains(&number) {
        return Err(format!("there are replies 1 to {reply}"));
    }
    let change = match message {
        "" => Change::Nothing,
        message => Change::Message(message.to_owned()),
    };
    Ok(Decision::Back(Branch { from: BranchPoint::Reply(number), change }))
}

/// The start of a result, on one line.
fn start_of(text: &str) -> String {
    short_line(text, RESULT_START)
}

impl AgentHost for CommandHost<'_> {
    fn handle_event(&mut self, at_ms: u64, event: &AgentEvent) {
        if let AgentEvent::Returned { outcome, .. } = event {
            self.after_failure = *outcome != Outcome::Succeeded;
        }
        if self.failed.is_none() {
            self.failed = self.show_event(at_ms, event).err();
        }
    }

    fn decide<'h>(&'h mut self, planned: PlannedCall<'h>) -> BoxFuture<'h, Decision> {
        Box::pin(async move {
            match &self.policy {
                // Nobody reads what comes of it.
                _ if self.failed.is_some() => Decision::Stop,
                CallPolicy::Each(decision) if !self.is_stopped(&planned) => decision.clone(),
                CallPolicy::Each(_) | CallPolicy::Asking => self.ask(planned).await,
            }
        })
    }
}
