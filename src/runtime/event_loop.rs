//! The loop: input and messages in, effects out, one drawing for each change.

use std::{io, time::Duration};

use crossterm::event::EventStream;
use futures::StreamExt;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
    time::Instant,
};

use super::{
    now::{now, wall},
    perform::Performer,
    terminal::{Screen, give_back, input},
};
use crate::{
    app::{effect::Effect, input::Input, message::Message, state::State, update::update},
    ui::root::Root,
};

/// How many messages are taken before keys are looked at again.
const SLICE: usize = 256;
/// How long messages may be taken before keys are looked at again.
const SLICE_TIME: Duration = Duration::from_millis(4);
/// Between two drawings that a burst of messages causes.
const FRAME: Duration = Duration::from_millis(16);

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Left,
    /// By SIGTERM or SIGHUP.
    Told,
}

pub struct EventLoop {
    pub state: State,
    pub root: Root,
    pub performer: Performer,
    pub messages: mpsc::Receiver<Message>,
}

/// What woke the loop.
enum Woken {
    Input(Option<Input>),
    Messages,
    Frame,
    Signal,
    /// The terminal no longer listens.
    Gone,
}

impl EventLoop {
    /// Runs until the user leaves or the process is told to end.
    pub async fn run(&mut self, first: Vec<Effect>) -> io::Result<End> {
        let mut screen = Screen::take()?;
        let mut events = EventStream::new();
        let mut signals = [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?];
        let mut batch = Vec::with_capacity(SLICE);
        let mut drawn = Instant::now();
        let mut due: Option<Instant> = None;
        screen.draw(|frame| self.root.draw(frame, &self.state))?;
        self.perform(first, &mut screen, &mut events)?;
        loop {
            match wake(&mut events, &mut self.messages, &mut batch, &mut signals, due).await {
                Woken::Input(None) => due = Some(Instant::now()),
                Woken::Input(Some(input)) => {
                    self.take(vec![Message::Clock(wall(now()))], &mut screen, &mut events)?;
                    let asked = self.root.input(&input, &self.state);
                    if self.take(asked, &mut screen, &mut events)? {
                        return Ok(End::Left);
                    }
                    due = Some(Instant::now());
                }
                Woken::Messages => {
                    let began = Instant::now();
                    let mut taken = std::mem::take(&mut batch);
                    while taken.len() < SLICE && began.elapsed() < SLICE_TIME {
                        match self.messages.try_recv() {
                            Ok(message) => taken.push(message),
                            Err(_) => break,
                        }
                    }
                    if self.take(taken, &mut screen, &mut events)? {
                        return Ok(End::Left);
                    }
                    due.get_or_insert_with(|| (drawn + FRAME).max(Instant::now()));
                }
                Woken::Frame => {}
                Woken::Signal | Woken::Gone => {
                    self.performer.finish(&self.state).await;
                    return Ok(End::Told);
                }
            }
            if due.is_some_and(|due| due <= Instant::now()) {
                screen.draw(|frame| self.root.draw(frame, &self.state))?;
                drawn = Instant::now();
                due = None;
            }
        }
    }

    /// Takes messages in; whether the program ends.
    fn take(&mut self, messages: Vec<Message>, screen: &mut Screen, events: &mut EventStream) -> io::Result<bool> {
        for message in messages {
            let effects = update(&mut self.state, message, now());
            if self.perform(effects, screen, events)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn perform(&mut self, effects: Vec<Effect>, screen: &mut Screen, events: &mut EventStream) -> io::Result<bool> {
        for effect in effects {
            match effect {
                Effect::Quit => {
                    self.performer.forget_journal();
                    return Ok(true);
                }
                Effect::Copy(text) => screen.copy(&text)?,
                Effect::Suspend => {
                    screen.lend(suspend)?;
                    *events = EventStream::new();
                }
                Effect::Editor { .. } | Effect::EditText { .. } => {
                    // Two readers of one terminal would share its keys.
                    let performer = &mut self.performer;
                    screen.lend(|| performer.edit(effect))?;
                    *events = EventStream::new();
                }
                other => self.performer.perform(other),
            }
        }
        Ok(false)
    }
}

/// Stops this process until the shell lets it go on.
fn suspend() {
    let id = std::process::id().to_string();
    // The shell sees the stop and takes the terminal; the next line runs when it goes on.
    let _ = std::process::Command::new("kill").args(["-STOP", &id]).status();
}

async fn wake(
    events: &mut EventStream,
    messages: &mut mpsc::Receiver<Message>,
    batch: &mut Vec<Message>,
    [terminate, hangup, interrupt]: &mut [Signal; 3],
    due: Option<Instant>,
) -> Woken {
    let frame = async {
        match due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        _ = terminate.recv() => Woken::Signal,
        _ = hangup.recv() => Woken::Signal,
        _ = interrupt.recv() => Woken::Signal,
        event = events.next() => match event {
            Some(Ok(event)) => Woken::Input(input(event)),
            Some(Err(_)) | None => Woken::Gone,
        },
        () = frame => Woken::Frame,
        count = messages.recv_many(batch, SLICE) => if count == 0 { Woken::Gone } else { Woken::Messages },
    }
}

/// The terminal is given back when the loop ends by an error.
impl Drop for EventLoop {
    fn drop(&mut self) {
        give_back();
    }
}
