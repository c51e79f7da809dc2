//! Plain mode's loop: a line in, messages and effects, lines out. No key is read and nothing is
//! drawn, so it works over a pipe as well as in a terminal.
//!
//! A line is taken once what the one before it began has come to its end, so that a script needs no
//! waiting; `stop`, `cancel` and `wait` are taken at once.

mod awaited;
mod lines;

use std::io::{self, IsTerminal as _, Write as _};

use tokio::sync::mpsc;

use self::{
    awaited::Awaited,
    lines::{LineReader, ReadLine},
};
use super::{
    event_loop::{ExitReason, Flow},
    now::{local_time, now_millis},
    perform::Performer,
    signals::{Signal, Signals},
};
use crate::{
    app::{
        calls::CallMessage, effect::Effect, form_file::FormGoal, message::Message,
        question::Question, state::State, update::update,
    },
    model::{notification::NotificationWay, unsaved::UnsavedTexts},
    ui::plain::session::Session,
};

/// Messages taken at a time.
const SLICE: usize = 256;

/// So many times the screens may ask for something themselves after a line.
const ROUNDS: usize = 64;

pub(crate) struct PlainLoop {
    pub state: State,
    pub performer: Performer,
    session: Session,
    messages: mpsc::Receiver<Message>,
    awaited: Awaited,
    reader: LineReader,
    /// A line that waits, or the end of the input.
    held: Option<ReadLine>,
    /// The pieces of the running call that `wait` waits for.
    until: Option<u64>,
    out: Output,
    /// What is typed next was asked for before it was to be hidden.
    drop_next: bool,
    /// An editor has had the terminal, and what came of it.
    edited: Option<Vec<Message>>,
}

/// Where lines go.
struct Output {
    to_stderr: bool,
    /// Somebody types at a terminal: the prompt stays on its line.
    is_typed: bool,
    /// The prompt that is shown now.
    prompt: Option<String>,
}

impl PlainLoop {
    pub fn new(mut state: State, performer: Performer, messages: mpsc::Receiver<Message>) -> Self {
        let prints = state.form.as_ref().is_some_and(|form| form.goal == FormGoal::Printed);
        let out = Output {
            to_stderr: prints && !io::stdout().is_terminal(),
            is_typed: io::stdin().is_terminal(),
            prompt: None,
        };
        state.keymap = std::mem::take(&mut state.keymap).in_words();
        let session = Session::new(&state).typed(out.is_typed && io::stdout().is_terminal());
        Self {
            state,
            performer,
            session,
            messages,
            awaited: Awaited::default(),
            reader: LineReader::default(),
            held: None,
            until: None,
            out,
            drop_next: false,
            edited: None,
        }
    }

    /// Runs until the user leaves, or the input ends.
    ///
    /// # Errors
    /// When nothing can be printed any more; what is unsaved is kept then too.
    pub async fn run(&mut self, first: Vec<Effect>) -> io::Result<ExitReason> {
        let ended = self.run_until_end(first).await;
        if !matches!(ended, Ok(ExitReason::Left)) {
            self.performer.finish(&self.state).await;
        }
        match ended {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitReason::Told),
            ended => ended,
        }
    }

    async fn run_until_end(&mut self, first: Vec<Effect>) -> io::Result<ExitReason> {
        let mut signals = Signals::listen()?;
        let mut batch = Vec::with_capacity(SLICE);
        self.perform(first)?;
        loop {
            if self.settle()? == Flow::Quit {
                return Ok(ExitReason::Left);
            }
            // The next line is about the text as it was edited.
            if let Some(edited) = self.edited.take() {
                signals.forget_keys();
                if self.take_messages(edited)? == Flow::Quit {
                    return Ok(ExitReason::Left);
                }
                continue;
            }
            if let Some(held) = self.ready_line() {
                match held {
                    ReadLine::Line(line) => {
                        if self.take_line(&line)? == Flow::Quit {
                            return Ok(ExitReason::Left);
                        }
                    }
                    ReadLine::End => {
                        // A text of several lines ends with the input.
                        if self.session.has_open_text() {
                            self.take_line(".")?;
                            self.settle()?;
                        }
                        self.say_end()?;
                        // What a script leaves in a form would be offered to the next script.
                        let is_scripted = self.state.form.is_some() && !self.out.is_typed;
                        if is_scripted && self.state.offer.is_none() {
                            self.perform(vec![Effect::Journal(UnsavedTexts::default())])?;
                            self.performer.write_journal();
                        } else {
                            self.performer.finish(&self.state).await;
                        }
                        return Ok(ExitReason::Left);
                    }
                }
                continue;
            }
            self.ask_line()?;
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    Signal::End => return Ok(ExitReason::Told),
                    Signal::Interrupt => {
                        if self.is_leaving() {
                            self.out.end_prompt()?;
                            self.say_kept("Ended.")?;
                            self.performer.finish(&self.state).await;
                            return Ok(ExitReason::Left);
                        }
                        if self.interrupt()? == Flow::Quit {
                            return Ok(ExitReason::Left);
                        }
                    }
                    Signal::Stop => super::terminal_host::suspend_process(),
                    Signal::Resized => {}
                },
                count = self.messages.recv_many(&mut batch, SLICE) => {
                    if count == 0 {
                        return Ok(ExitReason::Told);
                    }
                    if self.take_messages(std::mem::take(&mut batch))? == Flow::Quit {
                        return Ok(ExitReason::Left);
                    }
                }
                line = self.reader.next() => self.hold(line?),
            }
        }
    }

    /// Whether a line has to wait for what is under way.
    fn is_busy(&mut self) -> bool {
        // Who is asked by a server has to answer while its call runs; an answer on its way is given.
        let is_asked = self.state.answering.open.iter().any(|open| !open.sent);
        if is_asked || self.state.question.is_some() {
            return false;
        }
        let calls = Session::running_pieces(&self.state).is_some();
        calls || self.awaited.is_any() || self.session.is_waiting(&self.state)
    }

    fn hold(&mut self, line: ReadLine) {
        self.out.prompt = None;
        if !std::mem::take(&mut self.drop_next) {
            self.held = Some(line);
        }
    }

    /// The line that was read, once it may be taken.
    fn ready_line(&mut self) -> Option<ReadLine> {
        if let Some(pieces) = self.until {
            if Session::running_pieces(&self.state).is_some_and(|come| come < pieces) {
                return None;
            }
            self.until = None;
        }
        let is_now = matches!(&self.held, Some(ReadLine::Line(line)) if Session::takes_now(line));
        if is_now || !self.is_busy() { self.held.take() } else { None }
    }

    /// Asks for a line where one can be taken.
    fn ask_line(&mut self) -> io::Result<()> {
        let is_busy = self.is_busy();
        if self.held.is_some() || self.until.is_some() {
            return Ok(());
        }
        let has_call = Session::running_pieces(&self.state).is_some();
        if is_busy && !has_call {
            return Ok(());
        }
        if is_busy {
            self.reader.ask(None);
            return Ok(());
        }
        let prompt = self.session.prompt(&self.state);
        if prompt.hidden && self.out.is_typed {
            if self.reader.is_asked() {
                self.drop_next = true;
                return self.out.print(&["Press Enter; what you type next is hidden.".to_owned()]);
            }
            self.reader.ask(Some(format!("{}>", prompt.text)));
            return Ok(());
        }
        self.out.show_prompt(&prompt.text)?;
        self.reader.ask(None);
        Ok(())
    }

    fn take_line(&mut self, line: &str) -> io::Result<Flow> {
        let mut words = line.split_whitespace();
        if words.next() == Some("wait") && Session::running_pieces(&self.state).is_some() {
            self.until = Some(words.next().and_then(|word| word.parse().ok()).unwrap_or(u64::MAX));
            return Ok(Flow::Continue);
        }
        let has_call = Session::running_pieces(&self.state).is_some();
        if line.trim() == "stop" && !has_call && self.awaited.is_any() {
            self.awaited = Awaited::default();
            self.session.say(["Stopped waiting for what is running.".to_owned()]);
            return Ok(Flow::Continue);
        }
        if line.trim() == "cancel" && has_call {
            let asked = self.session.interrupt(&self.state);
            return self.take_messages(asked);
        }
        self.take_messages(vec![Message::Clock(local_time(now_millis()))])?;
        let asked = self.session.take_line(line, &self.state);
        self.take_messages(asked)
    }

    fn interrupt(&mut self) -> io::Result<Flow> {
        self.out.end_prompt()?;
        let asked = self.session.interrupt(&self.state);
        let flow = self.take_messages(asked)?;
        if flow == Flow::Quit {
            self.out.print(&["Ended. Nothing is unsaved.".to_owned()])?;
        }
        Ok(flow)
    }

    /// Whether it was asked what becomes of unsaved work, and nothing runs that an interrupt ends.
    fn is_leaving(&self) -> bool {
        let asks =
            matches!(self.state.question, Some(Question::Leave { .. } | Question::LeaveForm(_)));
        asks && Session::running_pieces(&self.state).is_none()
    }

    /// Lets the session go on with what the state is now, and prints what it says.
    fn settle(&mut self) -> io::Result<Flow> {
        for _ in 0..ROUNDS {
            let is_idle = !self.is_busy();
            let asked = self.session.follow_up(is_idle, &self.state);
            let lines = self.session.take_output();
            self.out.print(&lines)?;
            if asked.is_empty() {
                break;
            }
            if self.take_messages(asked)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    fn take_messages(&mut self, messages: Vec<Message>) -> io::Result<Flow> {
        for message in messages {
            self.awaited.note_message(&message);
            let effects = update(&mut self.state, message, now_millis());
            if self.perform(effects)? == Flow::Quit {
                self.session.say_notices(&self.state);
                let lines = self.session.take_output();
                self.out.print(&lines)?;
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<Flow> {
        for effect in effects {
            self.awaited.note_effect(&effect);
            match effect {
                Effect::Quit => {
                    self.performer.write_journal();
                    return Ok(Flow::Quit);
                }
                // There is no clipboard that a screen reader and a script would share.
                Effect::Copy(text) => self.session.say([text]),
                Effect::Suspend if self.out.is_typed => super::terminal_host::suspend_process(),
                Effect::Editor { .. } | Effect::EditText { .. } if self.out.is_typed => {
                    let edited = self.performer.edit_text(effect);
                    self.edited.get_or_insert_default().extend(edited);
                }
                Effect::Suspend | Effect::Editor { .. } | Effect::EditText { .. } => {
                    let words = "Not done: this needs a terminal. Use instead: set FIELD VALUE";
                    self.session.say([words.to_owned()]);
                }
                // No codes go to the terminal: it is a line like the others.
                Effect::Notify { notification, way: Some(way) }
                    if way != NotificationWay::Desktop =>
                {
                    self.session.say([format!("{}: {}", notification.title, notification.body)]);
                }
                other => self.performer.perform(other),
            }
        }
        Ok(Flow::Continue)
    }

    /// Says what becomes of unsaved work when the input has ended.
    fn say_end(&mut self) -> io::Result<()> {
        self.say_kept("End of input.")?;
        let calls: Vec<_> = self.state.invoke.calls.running_calls().map(|call| call.id).collect();
        for call in calls {
            self.take_messages(vec![Message::Call(CallMessage::Cancel(call))])?;
        }
        Ok(())
    }
}

impl PlainLoop {
    /// Says which unsaved work is kept, after why the session ends.
    fn say_kept(&mut self, why: &str) -> io::Result<()> {
        let unsaved = self.state.unsaved_texts();
        let changed: Vec<&str> = unsaved.keys().map(|file| file.as_str()).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let files = changed.join(", ");
        let kept = "are kept and offered at the next start.";
        self.out.print(&[format!("{why} Unsaved changes in {files} {kept}")])
    }
}

impl Output {
    fn print(&mut self, lines: &[String]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.end_prompt()?;
        let mut text = lines.join("\n");
        text.push('\n');
        self.write(&text)
    }

    /// Shows where one is, once for each line that is asked for.
    fn show_prompt(&mut self, prompt: &str) -> io::Result<()> {
        if self.prompt.as_deref() == Some(prompt) {
            return Ok(());
        }
        self.end_prompt()?;
        self.prompt = Some(prompt.to_owned());
        match self.is_typed {
            true => self.write(&format!("{prompt}> ")),
            false => self.write(&format!("{prompt}>\n")),
        }
    }

    /// What is printed next begins a line of its own.
    fn end_prompt(&mut self) -> io::Result<()> {
        match self.prompt.take() {
            Some(_) if self.is_typed => self.write("\n"),
            _ => Ok(()),
        }
    }

    fn write(&self, text: &str) -> io::Result<()> {
        if self.to_stderr {
            let mut out = io::stderr().lock();
            out.write_all(text.as_bytes())?;
            return out.flush();
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}
