//! The user's own editor: in the terminal that is lent, or beside a window.

use std::{env, io, iter, path::Path, process::Command};

use super::{reading, terminal, terminal_program};
use crate::{
    app::{
        effect::Effect,
        message::{DocumentMessage, Message},
        outside_text::OutsideText,
    },
    model::problem::{Problem, ProblemKind},
    store::{files::Scratch, workspace::Workspace},
};

/// How an editor is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the terminal that the program was given, which is lent.
    Lent,
    /// Beside the program: in a terminal of its own, or in a window that it opens itself.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "only a window needs it"))]
    Beside,
}

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    program: String,
    arguments: Vec<String>,
}

/// Editors that open a window themselves.
const WITH_WINDOWS: &[&str] =
    &["code", "codium", "cursor", "zed", "gvim", "gedit", "kate", "subl", "mousepad", "notepad"];

impl Words {
    fn program_name(&self) -> &str {
        let path = Path::new(&self.program);
        path.file_stem().and_then(|name| name.to_str()).unwrap_or(&self.program)
    }
}

/// The editor's command for a place in a file.
fn editor_words(
    chosen: Option<&str>,
    path: &Path,
    line: usize,
    column: usize,
) -> Result<Words, Problem> {
    let from_environment = || env::var("VISUAL").or_else(|_| env::var("EDITOR")).ok();
    let command =
        chosen.map(str::to_owned).or_else(from_environment).unwrap_or_else(|| "vi".into());
    let mut words = command.split_whitespace().map(str::to_owned);
    let missing = || {
        Problem::new(ProblemKind::Missing, doing(path), "no editor is set")
            .with_remedy("set EDITOR")
    };
    let program = words.next().ok_or_else(missing)?;
    let mut editor = Words { program, arguments: words.collect() };
    let path_text = path.display().to_string();
    let place: Vec<String> = match editor.program_name() {
        "hx" | "helix" | "zed" => vec![format!("{path_text}:{line}:{column}")],
        "code" | "codium" | "cursor" => {
            vec!["--wait".into(), "--goto".into(), format!("{path_text}:{line}:{column}")]
        }
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "kak" | "micro" => {
            vec![format!("+{line}"), path_text]
        }
        _ => vec![path_text],
    };
    editor.arguments.extend(place);
    Ok(editor)
}

fn doing(path: &Path) -> String {
    format!("editing {}", path.display())
}

/// Carries out an effect that is about the editor, and answers what came of it.
pub(crate) fn run_for(
    effect: Effect,
    chosen: Option<&str>,
    workspace: &Workspace,
    place: Place,
) -> Option<Message> {
    match effect {
        Effect::Editor { file, line, column } => {
            let path = workspace.file_path(&file);
            let edited = run_editor(chosen, &path, (line, column), place);
            Some(edited.map_or_else(Message::Failed, |()| reading::read_again(workspace, file)))
        }
        Effect::EditText { target, at, text } => {
            let edited = match &text {
                OutsideText::Plain(text) => edit_text(chosen, text, place),
                OutsideText::Json(text) => edit_json(chosen, text, place),
            };
            match edited {
                // It may be a default, which is no value until it is changed.
                Ok(edited) if edited == text.as_str() => None,
                Ok(edited) => {
                    let text = text.with_text(edited);
                    Some(Message::Document(DocumentMessage::EditorText { target, at, text }))
                }
                Err(problem) => Some(Message::Failed(problem)),
            }
        }
        _ => None,
    }
}

/// Runs the editor at a place in a file and waits for its end.
fn run_editor(
    chosen: Option<&str>,
    path: &Path,
    (line, column): (usize, usize),
    place: Place,
) -> Result<(), Problem> {
    let editor = editor_words(chosen, path, line, column)?;
    let mut command = match place {
        Place::Beside if !WITH_WINDOWS.contains(&editor.program_name()) => {
            let words = iter::once(editor.program.clone()).chain(editor.arguments).collect();
            terminal_program::in_terminal(words).ok_or_else(|| {
                let cause = format!("no terminal was found to run {} in", editor.program);
                let remedy = "set TERMINAL to a terminal's program, or EDITOR to an editor with a \
                    window of its own, such as `code`";
                Problem::new(ProblemKind::Missing, doing(path), cause).with_remedy(remedy)
            })?
        }
        _ => {
            let mut command = Command::new(&editor.program);
            if place == Place::Lent {
                terminal::lend_streams(&mut command);
            }
            command.args(&editor.arguments);
            command
        }
    };
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = command.status().map_err(|error| {
        Problem::new(ProblemKind::Missing, doing(path), format!("{program}: {error}"))
            .with_remedy("set EDITOR to an installed program")
    })?;
    match ended.success() {
        true => Ok(()),
        false => Err(Problem::new(
            ProblemKind::Service,
            doing(path),
            format!("{program} ended with {ended}"),
        )),
    }
}

/// Edits a value as JSON. The editor opens again, at the place, while what it left is no JSON, until
/// it leaves that as it was.
fn edit_json(chosen: Option<&str>, text: &str, place: Place) -> Result<String, Problem> {
    let doing = "editing a value as JSON";
    let failed = |error: io::Error| Problem::new(ProblemKind::File, doing, error.to_string());
    let scratch = Scratch::new(&format!("{text}\n"), ".json").map_err(failed)?;
    let (mut before, mut at) = (None, (1, 1));
    loop {
        run_editor(chosen, scratch.path(), at, place)?;
        let edited = scratch.read_text().map_err(failed)?;
        let Err(error) = serde_json::from_str::<serde_json::Value>(&edited) else {
            return Ok(edited.trim_end().to_owned());
        };
        if before.as_ref() == Some(&edited) {
            let cause = format!("what the editor left is not JSON: {error}");
            return Err(Problem::new(ProblemKind::Input, doing, cause)
                .with_remedy("the value is as before"));
        }
        (before, at) = (Some(edited), (error.line().max(1), error.column().max(1)));
    }
}

/// Edits one text in the editor, by way of a temporary file that only the user can read.
fn edit_text(chosen: Option<&str>, text: &str, place: Place) -> Result<String, Problem> {
    let failed =
        |error: io::Error| Problem::new(ProblemKind::File, "editing a text", error.to_string());
    let scratch = Scratch::new(text, ".txt").map_err(failed)?;
    run_editor(chosen, scratch.path(), (1, 1), place)?;
    let edited = scratch.read_text().map_err(failed)?;
    // Editors end a file with a line break; the text had none unless it was there.
    Ok(if text.ends_with('\n') {
        edited
    } else {
        edited.strip_suffix('\n').map(str::to_owned).unwrap_or(edited)
    })
}
