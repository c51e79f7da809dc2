//! The user's own editor, while the terminal is lent.

use std::{env, io, path::Path, process::Command};

use super::terminal;
use crate::{
    model::problem::{Problem, ProblemKind},
    store::files::Scratch,
};

/// Runs the editor at a place in a file and waits for its end.
pub(crate) fn run_editor(
    chosen: Option<&str>,
    path: &Path,
    line: usize,
    column: usize,
) -> Result<(), Problem> {
    let from_environment = || env::var("VISUAL").or_else(|_| env::var("EDITOR")).ok();
    let command =
        chosen.map(str::to_owned).or_else(from_environment).unwrap_or_else(|| "vi".into());
    let doing = format!("editing {}", path.display());
    let mut words = command.split_whitespace();
    let missing = || {
        Problem::new(ProblemKind::Missing, doing.clone(), "no editor is set")
            .with_remedy("set EDITOR")
    };
    let program = words.next().ok_or_else(missing)?;
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program);
    let path_text = path.display().to_string();
    let place: Vec<String> = match name {
        "hx" | "helix" | "zed" => vec![format!("{path_text}:{line}:{column}")],
        "code" | "codium" | "cursor" => {
            vec!["--wait".into(), "--goto".into(), format!("{path_text}:{line}:{column}")]
        }
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "kak" | "micro" => {
            vec![format!("+{line}"), path_text]
        }
        _ => vec![path_text],
    };
    let mut editor = Command::new(program);
    terminal::lend_streams(&mut editor);
    let ended = editor.args(words).args(place).status();
    let ended = ended.map_err(|error| {
        Problem::new(ProblemKind::Missing, doing.clone(), format!("{program}: {error}"))
            .with_remedy("set EDITOR to an installed program")
    })?;
    match ended.success() {
        true => Ok(()),
        false => {
            Err(Problem::new(ProblemKind::Service, doing, format!("{program} ended with {ended}")))
        }
    }
}

/// Edits one text in the editor, by way of a temporary file that only the user can read.
pub(crate) fn edit_text(chosen: Option<&str>, text: &str) -> Result<String, Problem> {
    let failed =
        |error: io::Error| Problem::new(ProblemKind::File, "editing a text", error.to_string());
    let scratch = Scratch::new(text).map_err(failed)?;
    run_editor(chosen, scratch.path(), 1, 1)?;
    let edited = scratch.read_text().map_err(failed)?;
    // Editors end a file with a line break; the text had none unless it was there.
    Ok(if text.ends_with('\n') {
        edited
    } else {
        edited.strip_suffix('\n').map(str::to_owned).unwrap_or(edited)
    })
}
