//! The terminal and the performer, as the event loop works with them.

use std::io;

use super::{
    event_loop::{Flow, Host, HostEvent},
    input_reader::InputReader,
    notifications::terminal::KnownTerminal,
    perform::Performer,
    terminal::{Screen, give_back},
    terminal_images::SentImages,
};
use crate::{
    app::{effect::Effect, input::Focus, state::State},
    model::notification::NotificationWay,
    ui::root::Root,
};

pub(crate) struct TerminalHost {
    screen: Screen,
    reader: InputReader,
    performer: Performer,
    images: SentImages,
    was_lent: bool,
}

impl TerminalHost {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(performer: Performer) -> io::Result<Self> {
        let screen = Screen::take_terminal()?;
        let mut reader = InputReader::default();
        reader.start()?;
        let images = SentImages::default();
        Ok(Self { screen, reader, performer, images, was_lent: false })
    }

    /// Ends what runs beside the loop.
    pub async fn shut_down(&mut self) {
        self.performer.shut_down().await;
    }

    /// Gives the terminal to another program while `run` lasts: two readers of one terminal would
    /// share its keys.
    fn lend_terminal(&mut self, run: impl FnOnce(&mut Performer)) -> io::Result<()> {
        self.reader.pause();
        self.was_lent = true;
        self.screen.write_sequence(&self.images.forget())?;
        let performer = &mut self.performer;
        self.screen.lend_terminal(|| run(performer))?;
        self.reader.start()
    }
}

impl Host for TerminalHost {
    fn draw(&mut self, root: &mut Root, state: &State) -> io::Result<()> {
        self.screen.draw(|frame| {
            root.draw(frame, state);
            self.images.show(&root.images.places())
        })
    }

    async fn next_event(&mut self) -> io::Result<HostEvent> {
        self.reader.next().await.map(HostEvent::Input)
    }

    fn has_event(&mut self) -> bool {
        self.reader.has_next()
    }

    fn focus(&self) -> Focus {
        self.reader.focus()
    }

    fn perform(&mut self, effect: Effect) -> io::Result<Flow> {
        match effect {
            Effect::Quit => {
                self.performer.write_journal();
                return Ok(Flow::Quit);
            }
            Effect::Copy(text) => self.screen.copy_to_clipboard(&text)?,
            Effect::Notify { notification, way: Some(way) } if way != NotificationWay::Desktop => {
                let sequence = KnownTerminal::from_env().sequence(&notification, way);
                self.screen.write_sequence(&sequence)?;
            }
            Effect::Suspend => self.lend_terminal(|_| suspend_process())?,
            Effect::Editor { .. } | Effect::EditText { .. } => {
                self.lend_terminal(|performer| performer.open_editor(effect))?;
            }
            other => self.performer.perform(other),
        }
        Ok(Flow::Continue)
    }

    fn take_was_lent(&mut self) -> bool {
        std::mem::take(&mut self.was_lent)
    }

    async fn finish(&mut self, state: &State) {
        self.performer.finish(state).await;
    }
}

/// The terminal is given back when the loop ends by an error.
impl Drop for TerminalHost {
    fn drop(&mut self) {
        let _ = self.screen.write_sequence(&self.images.forget());
        give_back();
    }
}

/// Stops this process until the shell lets it go on.
pub(super) fn suspend_process() {
    let id = std::process::id().to_string();
    // The shell sees the stop and takes the terminal; the next line runs when it goes on.
    let _ = std::process::Command::new("kill").args(["-STOP", &id]).status();
}
