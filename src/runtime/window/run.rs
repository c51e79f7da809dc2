//! Opens the window and runs the program beside it.

use std::{io, panic, sync::Arc, thread};

use tokio::sync::mpsc;
use winit::event_loop::EventLoop;

use super::{
    app::WindowApp,
    host::WindowHost,
    link::{FromWindow, Shared, ToWindow, ToWindowLink},
    portal,
};
use crate::{
    model::problem::{Problem, ProblemKind},
    runtime::{perform::Performer, terminal},
    store::{
        paths::Paths,
        window_state::{keep_window_state, read_window_state},
    },
};

/// What the program makes its host of.
pub(crate) struct ProgramEnd {
    window: ToWindowLink,
    reports: mpsc::UnboundedReceiver<FromWindow>,
}

impl ProgramEnd {
    /// Waits for the window; with `follows_system`, the theme is the system's until the user
    /// chooses one. Must be called within the runtime.
    ///
    /// # Errors
    /// When there is no window.
    pub async fn open_host(
        self,
        performer: Performer,
        follows_system: bool,
    ) -> io::Result<WindowHost> {
        portal::follow(self.window.clone());
        WindowHost::open(performer, self.window, self.reports, follows_system).await
    }
}

/// Ends the window when the program ends, however that is.
struct EndsWindow(ToWindowLink);

impl Drop for EndsWindow {
    fn drop(&mut self) {
        self.0.ask(ToWindow::Ended);
    }
}

/// Opens a window and runs the program on another thread until it ends. Must be called on the main
/// thread, once.
///
/// # Errors
/// When there is no display, or the window's failure ends the program.
pub(crate) fn run_in_window<T: Send + 'static>(
    paths: &Paths,
    program: impl FnOnce(ProgramEnd) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let no_display = |cause: String| {
        Problem::new(ProblemKind::Missing, "opening a window", without_place(&cause))
            .with_remedy("run it in a terminal, without --window: `toolcrib`")
    };
    let lost = |cause: String| {
        Problem::new(ProblemKind::File, "using the window", without_place(&cause))
            .with_remedy("unsaved changes are kept and offered at the next start")
    };
    let event_loop = EventLoop::<ToWindow>::with_user_event().build();
    let event_loop = event_loop.map_err(|error| no_display(error.to_string()))?;
    let shared = Arc::<Shared>::default();
    let link = ToWindowLink::new(event_loop.create_proxy(), Arc::clone(&shared));
    let (reports, received) = mpsc::unbounded_channel();
    let mut app = WindowApp::new(read_window_state(paths), shared, reports, &link);
    let end = ProgramEnd { window: link.clone(), reports: received };
    let ends_window = EndsWindow(link);
    let thread = thread::Builder::new().name("program".into()).spawn(move || {
        let _ends_window = ends_window;
        program(end)
    });
    let thread = thread.map_err(|error| no_display(error.to_string()))?;
    terminal::set_window_open(true);
    let ran = event_loop.run_app(&mut app);
    let was_open = app.is_open();
    let (state, failure) = app.finish();
    // The window's end of the link is gone now: a program that still runs keeps its work and ends.
    let ended = thread.join();
    terminal::set_window_open(false);
    let failure = failure.or_else(|| ran.err().map(|error| error.to_string()));
    let ended = ended.unwrap_or_else(|fault| panic::resume_unwind(fault));
    if let Some(failure) = failure {
        return Err(if was_open { lost(failure) } else { no_display(failure) });
    }
    keep_window_state(paths, state);
    ended
}

/// An error's words without the place in a crate's code that some begin with.
fn without_place(words: &str) -> &str {
    match words.strip_prefix("os error at ").and_then(|rest| rest.split_once(": ")) {
        Some((_, words)) => words,
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_read_no_places_in_code() {
        assert_eq!(without_place("os error at /x/src/mod.rs:89: no display"), "no display");
        assert_eq!(without_place("no display"), "no display");
    }
}
