//! The loop: input and messages in, effects out, one drawing for each change.
//!
//! It knows neither terminal nor files, only a [`Host`]: what it draws on, hears from and acts
//! through.

use std::{
    future::Future,
    io::{self, ErrorKind},
    time::Duration,
};

use tokio::{sync::mpsc, time::Instant};

use super::{
    images::{Decoded, Decoding},
    now::{local_time, now_millis},
    signals::{Signal, Signals},
};
use crate::{
    app::{
        effect::Effect,
        input::{Button, Focus, Input, Mods, Mouse, MouseKind},
        message::Message,
        state::State,
        update::update,
    },
    ui::root::Root,
    wire::spawning::spawn_blocking,
};

/// How many messages are taken before keys are looked at again.
const SLICE: usize = 256;
/// How long messages may be taken before keys are looked at again.
const SLICE_TIME: Duration = Duration::from_millis(4);
/// Between two drawings that a burst of messages causes.
const FRAME: Duration = Duration::from_millis(16);
/// Between two drawings while a call runs and nothing else happens.
const SECOND: Duration = Duration::from_secs(1);
/// While letters are typed ahead, drawing waits; but no longer than this.
const UNDRAWN: Duration = Duration::from_millis(200);

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    Left,
    /// By a signal, or because the terminal or the window is gone.
    Told,
}

/// Whether the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    Quit,
}

/// What a host reports of the user and their surroundings.
#[derive(Clone, Debug)]
pub enum HostEvent {
    Input(Input),
    /// A text to be pasted where the middle button was pressed, by column and row.
    PasteAt((u16, u16), String),
    /// What is drawn on has another size.
    Resized,
    /// The window is to be closed: the user is asked as when leaving.
    Close,
    Message(Message),
}

/// What the loop works with.
pub trait Host {
    fn draw(&mut self, root: &mut Root, state: &State) -> io::Result<()>;

    /// Waits for an event; to drop the waiting loses none. An error is the end of all input.
    fn next_event(&mut self) -> impl Future<Output = io::Result<HostEvent>>;

    /// Whether an event is there already.
    fn has_event(&mut self) -> bool;

    /// Whether the user looks at the program.
    fn focus(&self) -> Focus {
        Focus::Unknown
    }

    /// Starts carrying an effect out.
    fn perform(&mut self, effect: Effect) -> io::Result<Flow>;

    /// Whether another program has had the terminal since this was asked last.
    fn take_was_lent(&mut self) -> bool {
        false
    }

    /// The program ends without the user's leaving it: what is unsaved is kept.
    fn finish(&mut self, state: &State) -> impl Future<Output = ()>;
}

pub struct EventLoop<H> {
    pub state: State,
    pub root: Root,
    pub host: H,
    pub messages: mpsc::Receiver<Message>,
}

/// What woke the loop.
enum WakeCause {
    Input(Input),
    PasteAt((u16, u16), String),
    Message(Message),
    Close,
    Frame,
    Resized,
    Image(Decoded),
    Signal,
}

impl<H: Host> EventLoop<H> {
    /// Runs until the user leaves, the process is instructed to end, or the terminal goes away.
    ///
    /// # Errors
    /// When the terminal can't be used; what is unsaved is kept then too.
    pub async fn run(&mut self, first: Vec<Effect>) -> io::Result<ExitReason> {
        let ended = self.run_until_end(first).await;
        if !matches!(ended, Ok(ExitReason::Left)) {
            self.host.finish(&self.state).await;
        }
        match ended {
            Err(error) if has_hung_up(&error) => {
                tracing::warn!("the terminal or the window is gone: {error}");
                Ok(ExitReason::Told)
            }
            ended => ended,
        }
    }

    async fn run_until_end(&mut self, first: Vec<Effect>) -> io::Result<ExitReason> {
        let mut signals = Signals::listen()?;
        let mut decoding = Decoding::default();
        let mut due: Option<Instant> = None;
        let mut drawn = self.draw()?;
        // Whether what came last only put a letter into a text: then the next key needs no new
        // picture.
        let mut is_typed = false;
        self.perform_effects(first)?;
        // The first moment takes some milliseconds, in which the system's time zones are read: no
        // key is to wait for it.
        drop(spawn_blocking(|| local_time(now_millis())));
        loop {
            if self.host.take_was_lent() {
                signals.forget_keys();
            }
            decoding.start(self.root.images.take_wanted());
            let wake = due.or_else(|| self.next_second(drawn));
            let woken = self.next_wake(&mut signals, &mut decoding, wake).await?;
            let flow = match woken {
                WakeCause::Input(input) => {
                    // A press is meant for what the user sees there.
                    if due.is_some() && is_press(&input) {
                        drawn = self.draw()?;
                    }
                    due = Some(Instant::now());
                    let flow = self.take_input(&input)?;
                    is_typed = is_letter(&input) && self.root.is_typing(&self.state);
                    flow
                }
                WakeCause::PasteAt(cell, text) => {
                    if due.is_some() {
                        drawn = self.draw()?;
                    }
                    (due, is_typed) = (Some(Instant::now()), false);
                    self.paste_at(cell, text)?
                }
                WakeCause::Message(message) => {
                    due.get_or_insert_with(|| (drawn + FRAME).max(Instant::now()));
                    self.take_messages(message)?
                }
                WakeCause::Close => {
                    (due, is_typed) = (Some(Instant::now()), false);
                    let messages = self.root.ask_to_leave(&self.state);
                    self.handle_messages(messages)?
                }
                WakeCause::Resized => {
                    due = Some(Instant::now());
                    Flow::Continue
                }
                WakeCause::Image((file, decoded)) => {
                    self.root.images.take_in(&file, decoded);
                    due.get_or_insert_with(|| (drawn + FRAME).max(Instant::now()));
                    Flow::Continue
                }
                WakeCause::Frame if due.is_some() => Flow::Continue,
                WakeCause::Frame => {
                    due = Some(Instant::now());
                    self.handle_messages(vec![Message::Clock(local_time(now_millis()))])?
                }
                WakeCause::Signal => return Ok(ExitReason::Told),
            };
            if flow == Flow::Quit {
                return Ok(ExitReason::Left);
            }
            // A save behind what is typed must not wait for pictures: of a large document each
            // takes longer than a key.
            let waits = is_typed && drawn.elapsed() < UNDRAWN && self.host.has_event();
            if due.is_some_and(|due| due <= Instant::now()) && !waits {
                drawn = self.draw()?;
                due = None;
            }
        }
    }

    async fn next_wake(
        &mut self,
        signals: &mut Signals,
        decoding: &mut Decoding,
        due: Option<Instant>,
    ) -> io::Result<WakeCause> {
        let frame = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        Ok(tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::End | Signal::Interrupt => WakeCause::Signal,
                Signal::Stop => WakeCause::Message(Message::Suspend),
                Signal::Resized => WakeCause::Resized,
            },
            event = self.host.next_event() => match event? {
                HostEvent::Input(input) => WakeCause::Input(input),
                HostEvent::PasteAt(cell, text) => WakeCause::PasteAt(cell, text),
                HostEvent::Resized => WakeCause::Resized,
                HostEvent::Close => WakeCause::Close,
                HostEvent::Message(message) => WakeCause::Message(message),
            },
            () = frame => WakeCause::Frame,
            image = decoding.next() => WakeCause::Image(image),
            message = self.messages.recv() => message.map_or(WakeCause::Signal, WakeCause::Message),
        })
    }

    /// When the time of a running call is drawn again, if one runs.
    fn next_second(&self, drawn: Instant) -> Option<Instant> {
        let runs = self.state.invoke.calls.running_calls().next().is_some();
        runs.then(|| drawn + SECOND)
    }

    /// Answers when it was drawn.
    fn draw(&mut self) -> io::Result<Instant> {
        self.host.draw(&mut self.root, &self.state)?;
        Ok(Instant::now())
    }

    fn take_input(&mut self, input: &Input) -> io::Result<Flow> {
        let now = now_millis();
        self.handle_messages(vec![Message::Clock(local_time(now))])?;
        self.root.set_now(now);
        let asked = self.root.handle_input(input, &self.state);
        self.handle_messages(asked)
    }

    /// Pastes into the text that is at a cell; where no text is typed, nothing happens.
    fn paste_at(&mut self, (column, row): (u16, u16), text: String) -> io::Result<Flow> {
        if !self.root.takes_text_at((column, row)) {
            return Ok(Flow::Continue);
        }
        for kind in [MouseKind::Down(Button::Left), MouseKind::Up(Button::Left)] {
            let press = Mouse { kind, column, row, mods: Mods::default() };
            if self.take_input(&Input::Mouse(press))? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        match self.root.is_in_edit(&self.state) {
            true => self.take_input(&Input::Paste(text)),
            false => Ok(Flow::Continue),
        }
    }

    /// Takes this message in, and those behind it for as long as keys may wait: one alone may bring
    /// many events.
    fn take_messages(&mut self, first: Message) -> io::Result<Flow> {
        let began = Instant::now();
        let (mut next, mut left) = (Some(first), SLICE);
        while let Some(message) = next {
            if self.handle_messages(vec![message])? == Flow::Quit {
                return Ok(Flow::Quit);
            }
            left -= 1;
            let goes_on = left > 0 && began.elapsed() < SLICE_TIME;
            next = if goes_on { self.messages.try_recv().ok() } else { None };
        }
        Ok(Flow::Continue)
    }

    fn handle_messages(&mut self, messages: Vec<Message>) -> io::Result<Flow> {
        let focus = self.host.focus();
        let turned = (focus != self.state.notifications.focus).then_some(Message::Focus(focus));
        for message in turned.into_iter().chain(messages) {
            let effects = update(&mut self.state, message, now_millis());
            if self.perform_effects(effects)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    fn perform_effects(&mut self, effects: Vec<Effect>) -> io::Result<Flow> {
        for effect in effects {
            if self.host.perform(effect)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }
}

fn is_letter(input: &Input) -> bool {
    matches!(input, Input::Key(key) if key.typed_char().is_some())
}

fn is_press(input: &Input) -> bool {
    matches!(input, Input::Mouse(Mouse { kind: MouseKind::Down(_), .. }))
}

/// Whether there is no terminal any more: nobody can read words about it.
fn has_hung_up(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    const ENXIO: i32 = 6;
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe)
        || matches!(error.raw_os_error(), Some(EIO | ENXIO))
}
