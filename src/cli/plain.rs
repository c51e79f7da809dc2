//! Whether the program is drawn, and where, or is lines of text and questions.

use std::{
    env, fs,
    io::{self, IsTerminal as _, Write as _},
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

/// Plain where that is asked for; where a screen reader is likely, the user is asked.
///
/// # Errors
/// When the question cannot be asked.
pub(crate) fn choose_face(global: &Global) -> Result<Face, Problem> {
    if global.plain {
        return Ok(Face::Plain);
    }
    if global.window {
        return Ok(Face::Window);
    }
    if let Some(said) = env::var_os(VARIABLE).filter(|said| !said.is_empty()) {
        return Ok(if is_off(&said.to_string_lossy()) { Face::Drawn } else { Face::Plain });
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(Face::Drawn);
    }
    match find_hint() {
        Some(hint) => ask_for_face(&hint),
        None => Ok(Face::Drawn),
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
fn running_reader() -> Option<String> {
    let processes = fs::read_dir("/proc").ok()?;
    let name = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("comm")).ok();
    let mut names = processes.flatten().filter_map(name);
    names.find(|name| READERS.contains(&name.trim())).map(|name| name.trim().to_owned())
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
