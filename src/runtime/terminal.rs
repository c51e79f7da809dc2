//! The terminal: taken at the start, given back as it was at the end, whatever the end is.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, IsTerminal as _, Write},
    mem::ManuallyDrop,
    panic,
    process::{Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crossterm::{
    cursor, event as raw, execute, queue,
    terminal::{self as term, EnterAlternateScreen, LeaveAlternateScreen},
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend};

/// Presses and drags in cells, but no report for every motion.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// The terminal says when the user turns to it, and away from it.
const FOCUS_ON: &str = "\x1b[?1004h";
const FOCUS_OFF: &str = "\x1b[?1004l";

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the program is in a window of its own.
static WINDOW_OPEN: AtomicBool = AtomicBool::new(false);

/// Says that the program is in a window, or no longer.
#[cfg(feature = "window")]
pub(crate) fn set_window_open(is_open: bool) {
    WINDOW_OPEN.store(is_open, Ordering::SeqCst);
}

/// The terminal where standard output goes elsewhere, as in `toolcrib form s.json > out.json`.
static ASIDE: OnceLock<Option<File>> = OnceLock::new();

/// The way to the terminal: standard output, or the terminal itself where that goes to a file or a
/// pipe.
struct Tty;

fn fallback_tty() -> Option<&'static File> {
    let open = || OpenOptions::new().read(true).write(true).open("/dev/tty").ok();
    ASIDE.get_or_init(|| if io::stdout().is_terminal() { None } else { open() }).as_ref()
}

impl Write for Tty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match fallback_tty() {
            Some(mut tty) => tty.write(bytes),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match fallback_tty() {
            Some(mut tty) => tty.flush(),
            None => io::stdout().flush(),
        }
    }
}

/// Gives a program the terminal in place of streams of ours that go elsewhere.
pub(crate) fn lend_streams(program: &mut Command) {
    let copy = || fallback_tty().and_then(|tty| tty.try_clone().ok());
    if let Some(tty) = copy() {
        program.stdout(Stdio::from(tty));
    }
    if !io::stdin().is_terminal()
        && let Ok(tty) = OpenOptions::new().read(true).open("/dev/tty")
    {
        program.stdin(Stdio::from(tty));
    }
}

/// Writes what a terminal acts upon and doesn't draw, from a command that prints lines. Does nothing
/// where the lines go elsewhere.
///
/// # Errors
/// When the terminal has gone.
pub(crate) fn write_beside_lines(sequence: &str) -> io::Result<()> {
    if io::stderr().is_terminal() {
        io::stderr().write_all(sequence.as_bytes())
    } else if io::stdout().is_terminal() {
        let mut out = io::stdout();
        out.write_all(sequence.as_bytes())?;
        out.flush()
    } else {
        Ok(())
    }
}

/// The screen, drawn through ratatui.
pub(crate) struct Screen {
    /// Never dropped: ratatui would show the cursor, which [`give_back`] does, and panics where
    /// that and standard error fail.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Tty>>>>,
}

impl Screen {
    /// Takes the terminal: alternate screen, raw keys, mouse, paste.
    pub fn take_terminal() -> io::Result<Self> {
        enter_terminal()?;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(Tty)))
            .inspect_err(|_| give_back())?;
        Ok(Self { terminal: ManuallyDrop::new(terminal) })
    }

    /// Draws one frame; the terminal shows it at once or not at all. What the drawing answers is
    /// written before its cells.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>) -> String) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), term::BeginSynchronizedUpdate)?;
        let drawn = self.terminal.try_draw(|frame| Tty.write_all(draw(frame).as_bytes())).map(drop);
        execute!(self.terminal.backend_mut(), term::EndSynchronizedUpdate)?;
        drawn
    }

    /// Gives the terminal to another program while `run` lasts.
    pub fn lend_terminal<T>(&mut self, run: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let done = run();
        enter_terminal()?;
        // Clears without asking the terminal where the cursor is: not each answers.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())?;
        Ok(done)
    }

    /// Writes what the terminal acts upon and doesn't draw.
    pub fn write_sequence(&mut self, sequence: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.write_all(sequence.as_bytes())?;
        Write::flush(out)
    }

    /// Puts a text on the clipboard, by way of the terminal.
    pub fn copy_to_clipboard(&mut self, text: &str) -> io::Result<()> {
        execute!(
            self.terminal.backend_mut(),
            crossterm::clipboard::CopyToClipboard::to_clipboard_from(text)
        )
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter_terminal() -> io::Result<()> {
    if fallback_tty().is_none() && !io::stdout().is_terminal() {
        return Err(io::Error::other("there is no terminal to draw on"));
    }
    term::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = Tty;
    // Terminals that do not know the keyboard flags pass over them; asking first would cost two
    // seconds there.
    let flags =
        raw::PushKeyboardEnhancementFlags(raw::KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES);
    let shape = cursor::SetCursorStyle::SteadyBar;
    execute!(out, EnterAlternateScreen, raw::EnableBracketedPaste, flags, cursor::Hide, shape)?;
    out.write_all(MOUSE_ON.as_bytes())?;
    out.write_all(FOCUS_ON.as_bytes())?;
    out.flush()
}

/// Gives the terminal back as it was. Harmless when it is not taken.
pub(crate) fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = Tty;
    // Nothing can be done about a terminal that no longer listens.
    let _ = out.write_all(FOCUS_OFF.as_bytes());
    let _ = out.write_all(MOUSE_OFF.as_bytes());
    let _ = execute!(
        out,
        raw::PopKeyboardEnhancementFlags,
        raw::DisableBracketedPaste,
        cursor::SetCursorStyle::DefaultUserShape,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = term::disable_raw_mode();
}

/// A bug gives the terminal back, or closes the window, before it is reported, and ends the program with 101: a build whose
/// panics abort would end by a signal, and leave a core file.
pub(crate) fn guard_panics() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |fault| {
        let ours = TAKEN.load(Ordering::SeqCst) || WINDOW_OPEN.load(Ordering::SeqCst);
        give_back();
        tracing::error!("fault: {fault}");
        report(fault);
        if ours {
            let _ = writeln!(
                io::stderr(),
                "toolcrib ended because of a bug. Unsaved work is kept and offered at the next \
                start; the log has the details."
            );
        }
        if ours || cfg!(panic = "abort") {
            std::process::exit(101);
        }
    }));
}
