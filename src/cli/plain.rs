//! Whether the program is drawn, and where, or is lines of text and questions.

use std::{
    env, fs,
    io::{self, IsTerminal as _, Read as _, Write as _},
    path::Path,
    thread::{self, JoinHandle},
};

use super::global::Global;
use crate::{
    model::problem::{Problem, ProblemKind},
    runtime::launch::Face,
};

/// Turns plain mode on (`1`) or off (`0`) for good.
const VARIABLE: &str = "TOOLCRIB_PLAIN";

/// Variables by which users of screen readers say so to programs: `ACCESSIBLE` is that of terminal
/// forms made with huh, `GH_ACCESSIBLE_PROMPTER` that of GitHub's command line,
/// `ACCESSIBILITY_ENABLED` that of Chromium, `QT_LINUX_ACCESSIBILITY_ALWAYS_ON` that of Qt; the last
/// two are set by programs that speak or write in Braille.
const VARIABLES: &[&str] = &[
    "ACCESSIBLE",
    "GH_ACCESSIBLE_PROMPTER",
    "ACCESSIBILITY_ENABLED",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON",
    "SCREEN_READER",
    "EMACSPEAK_DIR",
    "BRLAPI_HOST",
];

/// The screen readers of Linux, by the names of their processes.
const READERS: &[&str] = &["orca", "brltty", "espeakup", "speechd-up", "fenrir", "yasr"];

/// Speakup's folder is there while the kernel has it loaded.
const SPEAKUP: &str = "/sys/accessibility/speakup";

/// A face that is known, or what says that a screen reader is likely, which is still looked for.
pub(crate) enum FaceChoice {
    Made(Face),
    Looking(JoinHandle<Option<String>>),
}

impl FaceChoice {
    /// Plain where that is asked for. Where nothing is, a screen reader is looked for beside what
    /// the caller does next: there can be hundreds of processes.
    pub(crate) fn begin(global: &Global) -> Self {
        if global.plain {
            return Self::Made(Face::Plain);
        }
        if global.window {
            return Self::Made(Face::Window);
        }
        if let Some(said) = env::var_os(VARIABLE).filter(|said| !said.is_empty()) {
            let is_off = is_off(&said.to_string_lossy());
            return Self::Made(if is_off { Face::Drawn } else { Face::Plain });
        }
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Self::Made(Face::Drawn);
        }
        let looking = thread::Builder::new().name("screen readers".into()).spawn(find_hint);
        looking.map_or(Self::Made(Face::Drawn), Self::Looking)
    }

    /// Where a screen reader is likely, the user is asked.
    ///
    /// # Errors
    /// When the question cannot be asked.
    pub(crate) fn finish(self) -> Result<Face, Problem> {
        match self {
            Self::Made(face) => Ok(face),
            Self::Looking(hint) => match hint.join().ok().flatten() {
                Some(hint) => ask_for_face(&hint),
                None => Ok(Face::Drawn),
            },
        }
    }
}

/// Whether plain mode was asked for, by the flag or the variable.
pub(crate) fn is_asked_for(global: &Global) -> bool {
    let said = env::var(VARIABLE).unwrap_or_default();
    global.plain || !said.is_empty() && !is_off(&said)
}

fn is_off(said: &str) -> bool {
    matches!(said.to_lowercase().as_str(), "0" | "false" | "no" | "off")
}

/// What says that a screen reader is likely, or that nothing can be drawn.
fn find_hint() -> Option<String> {
    if env::var_os("TERM").is_some_and(|term| term == "dumb") {
        return Some("TERM is dumb".to_owned());
    }
    let is_on = |name: &&&str| env::var(name).is_ok_and(|said| !said.is_empty() && !is_off(&said));
    if let Some(name) = VARIABLES.iter().find(is_on) {
        return Some(format!("{name} is set"));
    }
    if fs::exists(SPEAKUP).unwrap_or(false) {
        return Some("Speakup is loaded".to_owned());
    }
    running_reader().map(|name| format!("{name} is running"))
}

/// A screen reader among the processes, where these are listed as files.
fn running_reader() -> Option<&'static str> {
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut numbered = processes.filter(|entry| entry.file_name().to_str().is_some_and(is_number));
    numbered.find_map(|entry| reader_of(&entry.path().join("comm")))
}

/// The screen reader that a process is, by the file of its name, which is at most 16 bytes long.
fn reader_of(file: &Path) -> Option<&'static str> {
    let mut bytes = [0; 16];
    let length = fs::File::open(file).ok()?.read(&mut bytes).ok()?;
    let name = str::from_utf8(&bytes[..length]).ok()?.trim_end();
    READERS.iter().copied().find(|reader| *reader == name)
}

fn ask_for_face(hint: &str) -> Result<Face, Problem> {
    let failed = |error: io::Error| {
        Problem::new(ProblemKind::File, "asking about plain mode", error.to_string())
            .with_remedy(format!("set {VARIABLE} to 1 or 0"))
    };
    let mut out = io::stdout();
    let words = format!(
        "{hint}. Use plain mode (lines of text and questions instead of a drawn screen)? Set \
        {VARIABLE} to 1 or 0 to skip this question. Yes or no [yes]: "
    );
    out.write_all(words.as_bytes()).and_then(|()| out.flush()).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    let is_no = answer.trim().to_lowercase().starts_with('n');
    Ok(if is_no { Face::Drawn } else { Face::Plain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_a_screen_reader_by_its_whole_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("comm");
        let reader = |name: &str| {
            fs::write(&file, name).unwrap();
            reader_of(&file)
        };
        assert_eq!([reader("orca\n"), reader("brltty\n")], [Some("orca"), Some("brltty")]);
        // The kernel cuts longer names to 15 bytes.
        for other in ["", "\n", "orcas\n", "an-orca\n", "orca-and-no-end", "\u{fc}rca\n"] {
            assert_eq!(reader(other), None, "{other:?}");
        }
        assert_eq!(reader_of(folder.path()), None);
    }
}
