//! Where a command writes: data on stdout, words on stderr; colours and harmless text for
//! terminals.

use std::{
    borrow::Cow,
    env, fmt,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io::{self, BufWriter, IsTerminal as _, Stdout, Write},
    process::{Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use serde::Serialize;
use serde_json::Value;

use super::{escaped_json::EscapedJson, global::Global};
use crate::{
    model::{
        problem::Problem,
        shown::{is_plain, visible_text},
    },
    store::secrets,
};

/// A role of text on a terminal that has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tint {
    Bold,
    Dim,
    Good,
    Bad,
    Odd,
}

impl Tint {
    /// What may follow the sign that begins a colour.
    const CODES: [&'static str; 6] = ["[0m", "[1m", "[2m", "[32m", "[31m", "[33m"];

    fn ansi_code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Bad => "31",
            Self::Odd => "33",
        }
    }
}

/// Follows the sign that begins a colour of ours until it is written, so that no text from elsewhere
/// passes for one: nobody knows it before this process runs.
static OURS: LazyLock<String> =
    LazyLock::new(|| format!("{:016x}", RandomState::new().build_hasher().finish()));

/// Standard output. A terminal that has gone is like a pipe that nobody reads.
struct Data {
    stdout: Stdout,
    terminal: bool,
}

impl Data {
    fn map_hangup<T>(&self, done: io::Result<T>) -> io::Result<T> {
        const EIO: i32 = 5;
        done.map_err(|error| match error.raw_os_error() {
            Some(EIO) if self.terminal => io::ErrorKind::BrokenPipe.into(),
            _ => error,
        })
    }
}

impl Write for Data {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stdout.write(bytes);
        self.map_hangup(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stdout.flush();
        self.map_hangup(flushed)
    }
}

/// So many bytes are written at once at most, where nobody waits for less.
const AT_ONCE: usize = 64 * 1024;

/// The output of one command.
pub(crate) struct CommandOutput {
    data: BufWriter<Data>,
    /// Whether stdout is a terminal.
    terminal: bool,
    colour: bool,
    quiet: bool,
    verbose: u8,
}

impl CommandOutput {
    #[must_use]
    pub fn new(global: &Global) -> Self {
        QUIET.store(global.quiet, Ordering::Relaxed);
        let terminal = io::stdout().is_terminal();
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            data: BufWriter::with_capacity(AT_ONCE, Data { stdout: io::stdout(), terminal }),
            terminal,
            colour: terminal && !plain,
            quiet: global.quiet,
            verbose: global.verbose,
        }
    }

    /// A line of data, with nothing in it that steers a terminal. Line breaks in it stay: text that
    /// must not break the line goes through [`CommandOutput::safe_text`] or [`CommandOutput::tint`] first.
    pub fn print_line(&mut self, line: impl fmt::Display) -> io::Result<()> {
        writeln!(self.data, "{}", sanitize_output(&line.to_string(), self.colour))
    }

    /// Text that came from elsewhere, with nothing in it that steers a terminal.
    #[must_use]
    pub fn safe_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        visible_text(text)
    }

    /// The same in a colour, where there are colours.
    #[must_use]
    pub fn tint(&self, tint: Tint, text: &str) -> String {
        match self.colour {
            true => {
                let start = format!("\u{1b}{}", &*OURS);
                format!("{start}[{}m{}{start}[0m", tint.ansi_code(), visible_text(text))
            }
            false => visible_text(text).into_owned(),
        }
    }

    /// Lines of text: on a terminal through `$PAGER`, or `less`, if there is one; else as they are.
    pub fn print_paged(&mut self, lines: &[String]) -> io::Result<()> {
        if self.terminal && page_lines(lines, self.colour) {
            return Ok(());
        }
        lines.iter().try_for_each(|line| self.print_line(line))
    }

    /// A value as JSON over several lines.
    pub fn print_json(&mut self, value: &Value) -> io::Result<()> {
        serde_json::to_writer_pretty(EscapedJson::new(&mut self.data), value)?;
        writeln!(self.data)
    }

    /// A value as JSON on a line of its own, which is seen at once. A large one is written as it is
    /// read, without a text of it all.
    pub fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_lines(std::slice::from_ref(value))
    }

    /// Several values as JSON, each on a line of its own, which are seen at once.
    pub fn json_lines(&mut self, values: &[impl Serialize]) -> io::Result<()> {
        for value in values {
            serde_json::to_writer(EscapedJson::new(&mut self.data), value)?;
            writeln!(self.data)?;
        }
        self.data.flush()
    }

    /// Lines that are JSON already; they are seen with the next [`CommandOutput::flush`].
    pub fn print_json_text(&mut self, lines: &str) -> io::Result<()> {
        EscapedJson::new(&mut self.data).write_all(lines.as_bytes())
    }

    /// A document that is not ours to lay out: whole and unchanged, unless it goes to a terminal.
    pub fn print_raw(&mut self, text: &str) -> io::Result<()> {
        match self.terminal {
            true => text.split_inclusive('\n').try_for_each(|line| self.raw_line(line)),
            false => self.data.write_all(text.as_bytes()),
        }
    }

    fn raw_line(&mut self, line: &str) -> io::Result<()> {
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        write!(self.data, "{}{end}", visible_text(text))
    }

    /// The label of a line whose text follows in pieces, already made harmless by [`CommandOutput::tint`].
    pub fn raw_start(&mut self, label: &str) -> io::Result<()> {
        write!(self.data, "{} ", sanitize_output(label, self.colour))
    }

    /// Ends the line on a terminal, where the prompt would follow; elsewhere the text stays as it
    /// came.
    pub fn end_line(&mut self) -> io::Result<()> {
        if self.terminal { writeln!(self.data) } else { Ok(()) }
    }

    /// The same for words of [`CommandOutput::print_status`] that follow, where they are seen there.
    pub fn end_line_for_status(&mut self) -> io::Result<bool> {
        let are_seen = self.terminal && !self.quiet && io::stderr().is_terminal();
        if are_seen {
            writeln!(self.data)?;
        }
        Ok(are_seen)
    }

    /// Brings what was written to the reader.
    pub fn flush(&mut self) -> io::Result<()> {
        self.data.flush()
    }

    /// Words for the user, on stderr; kept back with `--quiet`.
    pub fn print_status(&self, words: impl fmt::Display) {
        if !self.quiet {
            print_stderr(&words.to_string());
        }
    }

    /// Words for those who asked for more.
    pub fn print_detail(&self, words: impl fmt::Display) {
        if self.verbose > 0 {
            print_stderr(&words.to_string());
        }
    }

    /// Why the command ends as it does although it went on, which `--quiet` doesn't keep back.
    pub fn print_error(&self, words: impl fmt::Display) {
        print_stderr(&format!("toolcrib: {words}"));
    }

    /// A warning, which `--quiet` keeps back.
    pub fn warn(&self, words: impl fmt::Display) {
        self.print_status(format_args!("warning: {words}"));
    }
}

/// Shows the lines in the user's pager; whether that was done.
fn page_lines(lines: &[String], coloured: bool) -> bool {
    let chosen = env::var("PAGER").unwrap_or_else(|_| "less".into());
    let mut words = chosen.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return false };
    let mut pager = Command::new(program);
    pager.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        // Colours, and no pager at all for what fits on the screen.
        pager.env("LESS", "FRX");
    }
    let Ok(mut running) = pager.spawn() else { return false };
    if let Some(mut input) = running.stdin.take() {
        // Whoever quits the pager has read enough.
        let _ = lines
            .iter()
            .try_for_each(|line| writeln!(input, "{}", sanitize_output(line, coloured)));
    }
    running.wait().is_ok_and(|ended| ended.success())
}

/// A problem on stderr: what, where, and what to do.
pub(crate) fn print_problem(problem: &Problem) {
    print_stderr(&format!("toolcrib: {problem}"));
}

/// Whether this process was asked to be quiet, for what waits and has no output at hand.
static QUIET: AtomicBool = AtomicBool::new(false);

/// What the command waits for, while its output is with others.
pub(crate) fn print_waiting(words: impl fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        print_stderr(&words.to_string());
    }
}

/// Words on stderr, line by line, with nothing in them that steers a terminal, and without the
/// secrets that were used.
pub(crate) fn print_stderr(words: &str) {
    let mut stderr = io::stderr().lock();
    let mask = secrets::used_mask();
    let words = mask.mask_known(words);
    // Nobody can be known that nobody can be known.
    let _ = words.lines().try_for_each(|line| writeln!(stderr, "{}", visible_text(line)));
}

/// The text with nothing in it that steers a terminal but line breaks, and colours where those are
/// ours.
fn sanitize_output(text: &str, coloured: bool) -> Cow<'_, str> {
    // Most of it is plain.
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| {
        let mut parts = line.split('\u{1b}');
        let first = parts.next().map(visible_text).unwrap_or_default().into_owned();
        parts.fold(first, |before, part| {
            let code = part.strip_prefix(OURS.as_str()).filter(|_| coloured).and_then(|own| {
                Tint::CODES.iter().find_map(|code| Some((*code, own.strip_prefix(code)?)))
            });
            match code {
                Some((code, rest)) => format!("{before}\u{1b}{code}{}", visible_text(rest)),
                None => format!("{before}␛{}", visible_text(part)),
            }
        })
    };
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_cannot_steer_a_terminal_and_says_the_same() {
        let value = json!({"a\u{9b}": "\u{1b}[31m \u{202e} é\n"});
        let mut text = Vec::new();
        serde_json::to_writer_pretty(EscapedJson::new(&mut text), &value).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains(['\u{9b}', '\u{1b}', '\u{202e}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_line_keeps_our_colours_and_no_other_control() {
        let ours = format!("\u{1b}{}", &*OURS);
        let written = |text: &str| sanitize_output(text, true).into_owned();
        assert_eq!(
            written(&format!("{ours}[1ma{ours}[0m\u{1b}[5mb\u{61c}\nc\u{1b}]0;x\u{7}")),
            "\u{1b}[1ma\u{1b}[0m␛[5mb\u{fffd}\nc␛]0;x␇"
        );
        assert_eq!(written("\u{1b}[31mred\u{1b}[0m"), "␛[31mred␛[0m", "a colour of others");
        assert_eq!(sanitize_output("\u{1b}[1ma", false), "␛[1ma");
    }
}
