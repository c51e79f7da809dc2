//! The program's side of the window: what the event loop draws on and acts through.

use std::{convert::Infallible, io};

use ratatui::{
    Terminal,
    backend::{Backend, ClearType, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
};
use tokio::sync::mpsc;

use super::{
    colours::Ground,
    dropped::{self, Dropped},
    link::{FromWindow, Picture, ToWindow, ToWindowLink},
};
use crate::{
    app::{
        effect::Effect,
        input::{Focus, Input},
        message::Message,
        notices::NoticeKind,
        state::State,
    },
    runtime::{
        event_loop::{Flow, Host, HostEvent},
        perform::Performer,
    },
    ui::{images::ImageWay, root::Root},
};

pub(crate) struct WindowHost {
    performer: Performer,
    terminal: Terminal<Cells>,
    window: ToWindowLink,
    reports: mpsc::UnboundedReceiver<FromWindow>,
    /// What came before the program was ready for it.
    early: Vec<FromWindow>,
    /// The theme is the system's until the user chooses one.
    follows_system: bool,
    focus: Focus,
}

impl WindowHost {
    /// Waits until the window has a size.
    ///
    /// # Errors
    /// When there is no window.
    pub(super) async fn open(
        performer: Performer,
        window: ToWindowLink,
        mut reports: mpsc::UnboundedReceiver<FromWindow>,
        follows_system: bool,
    ) -> io::Result<Self> {
        let mut early = Vec::new();
        while window.size() == (0, 0) {
            early.push(reports.recv().await.ok_or(io::ErrorKind::BrokenPipe)?);
        }
        early.reverse();
        let Ok(terminal) = Terminal::new(Cells { window: window.clone(), cursor: None });
        let focus = Focus::Unknown;
        Ok(Self { performer, terminal, window, reports, early, follows_system, focus })
    }

    /// What the system's colours ask for before anything is drawn, where they are known.
    pub fn system_theme(&mut self) -> Option<Message> {
        while let Ok(report) = self.reports.try_recv() {
            self.early.insert(0, report);
        }
        let is_theme = |report: &FromWindow| matches!(report, FromWindow::SystemDark(_));
        let at = self.early.iter().position(is_theme)?;
        let report = self.early.remove(at);
        match self.on_report(report) {
            HostEvent::Message(theme) => Some(theme),
            _ => None,
        }
    }

    /// Ends what runs beside the loop.
    pub async fn shut_down(&mut self) {
        self.performer.shut_down().await;
    }

    fn on_report(&mut self, report: FromWindow) -> HostEvent {
        match report {
            FromWindow::Input(input) => HostEvent::Input(input),
            FromWindow::PasteAt(cell, text) => HostEvent::PasteAt(cell, text),
            FromWindow::Resized => HostEvent::Resized,
            FromWindow::Close => HostEvent::Close,
            FromWindow::SystemDark(is_dark) if self.follows_system => {
                let theme = if is_dark { "dark" } else { "light" };
                HostEvent::Message(Message::ShowTheme(theme.to_owned()))
            }
            FromWindow::SystemDark(_) => HostEvent::Resized,
            FromWindow::Focused(is_focused) => {
                self.focus = if is_focused { Focus::Gained } else { Focus::Lost };
                HostEvent::Message(Message::Focus(self.focus))
            }
            FromWindow::Notice(kind, words) => HostEvent::Message(Message::Notice(kind, words)),
            FromWindow::Dropped(path) => event_of(dropped::take_in(&path)),
            FromWindow::OpenWindow(goal) => event_of(dropped::open_another(&goal)),
        }
    }
}

/// What was taken in is pasted, or has a window of its own.
fn event_of(taken: Dropped) -> HostEvent {
    match taken {
        Dropped::Text(text) => HostEvent::Input(Input::Paste(text)),
        Dropped::Opened(words) => HostEvent::Message(Message::Notice(NoticeKind::Done, words)),
        Dropped::Failed(problem) => HostEvent::Message(Message::Failed(problem)),
    }
}

impl Host for WindowHost {
    fn draw(&mut self, root: &mut Root, state: &State) -> io::Result<()> {
        self.terminal.backend_mut().cursor = None;
        root.images.show(ImageWay::Window { cell: self.window.cell() });
        let Ok(drawn) = self.terminal.draw(|frame| root.draw(frame, state));
        let buffer = drawn.buffer.clone();
        let cursor = self.terminal.backend().cursor;
        let title = title(state);
        let ground = if state.theme == "light" { Ground::LIGHT } else { Ground::DARK };
        let images = root.images.places();
        self.window.show(Picture { buffer, cursor, images, title, ground });
        Ok(())
    }

    async fn next_event(&mut self) -> io::Result<HostEvent> {
        let report = match self.early.pop() {
            Some(report) => report,
            None => self.reports.recv().await.ok_or(io::ErrorKind::BrokenPipe)?,
        };
        Ok(self.on_report(report))
    }

    fn has_event(&mut self) -> bool {
        !self.early.is_empty() || !self.reports.is_empty()
    }

    fn focus(&self) -> Focus {
        self.focus
    }

    fn perform(&mut self, effect: Effect) -> io::Result<Flow> {
        match effect {
            Effect::Quit => {
                self.performer.write_journal();
                return Ok(Flow::Quit);
            }
            Effect::Copy(text) => self.window.ask(ToWindow::Copy(text)),
            Effect::Clipboard(act) => self.window.ask(ToWindow::Clipboard(act)),
            Effect::Suspend => self.window.ask(ToWindow::Minimise),
            Effect::OpenWindow(goal) => self.early.push(FromWindow::OpenWindow(goal)),
            Effect::Editor { .. } | Effect::EditText { .. } => {
                self.performer.open_editor_beside(effect);
            }
            Effect::KeepTheme(_) => {
                self.follows_system = false;
                self.performer.perform(effect);
            }
            other => self.performer.perform(other),
        }
        Ok(Flow::Continue)
    }

    async fn finish(&mut self, state: &State) {
        self.performer.finish(state).await;
    }
}

/// What the window is called: the workspace, or a form's file, with a mark while something is
/// unsaved.
fn title(state: &State) -> String {
    let mark = if state.documents.changed_files().next().is_some() { "*" } else { "" };
    let name = match &state.form {
        Some(form) => form.file.to_string(),
        None => state.workspace.clone(),
    };
    format!("toolcrib · {name}{mark}")
}

/// A backend without a screen: what is drawn is handed over whole.
struct Cells {
    window: ToWindowLink,
    cursor: Option<Position>,
}

impl Backend for Cells {
    type Error = Infallible;

    fn draw<'a, I>(&mut self, _content: I) -> Result<(), Infallible>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.cursor = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(self.cursor.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        self.cursor = Some(position.into());
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear_region(&mut self, _region: ClearType) -> Result<(), Infallible> {
        Ok(())
    }

    fn size(&self) -> Result<Size, Infallible> {
        Ok(self.window.size().into())
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        Ok(WindowSize { columns_rows: self.window.size().into(), pixels: Size::default() })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
