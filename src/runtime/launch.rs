//! Puts the program together and runs it.

use std::{
    env,
    time::{SystemTime, UNIX_EPOCH},
};

use tokio::sync::mpsc;

use super::{
    event_loop::{EventLoop, ExitReason},
    perform::{Performer, Tools},
    plain::PlainLoop,
    terminal_host::TerminalHost,
};
use crate::{
    app::{
        effect::Effect,
        form_file::{FilledForm, FormGoal},
        message::{DocumentMessage, Message},
        notices::NoticeKind,
        state::{Start, State},
    },
    model::{
        call::Limits,
        problem::{Problem, ProblemKind},
        settings::UserSettings,
    },
    store::{
        history::History, journal::Journal, paths::Paths, secrets, stale, workspace::Workspace,
    },
    ui::{
        actions::build_keymap,
        root::{Colour, Root},
        theme::{self, Theme},
    },
};

/// Messages on their way at most; more make their senders wait.
const QUEUE: usize = 32;

/// What the command line gives.
pub(crate) struct LaunchSettings {
    pub workspace: Workspace,
    pub paths: Paths,
    pub settings: UserSettings,
    /// Texts of the user's own themes, by name.
    pub themes: Vec<(String, String)>,
    /// Mode, context, connections and so on; themes and seed are filled in here.
    pub start: Start,
    pub limits: Limits,
    /// What was odd in the settings, to be reported.
    pub complaints: Vec<String>,
    pub face: Face,
}

/// How the user works with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    Drawn,
    /// Lines of text and questions.
    Plain,
}

/// Runs the screen until the user leaves; where it was a form and nothing else, what became of its
/// document comes along.
///
/// # Errors
/// When there is no terminal, or the system refuses what the runtime needs.
pub(crate) fn run_screen(
    launch: LaunchSettings,
) -> Result<(ExitReason, Option<FilledForm>), Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(ProblemKind::File, "opening the screen", error.to_string()).with_remedy(
            "run it in a terminal; `toolcrib --help` lists the commands that need none",
        )
    };
    let lost = |error: std::io::Error| {
        Problem::new(ProblemKind::File, "using the terminal", error.to_string())
            .with_remedy("unsaved changes are kept and offered at the next start")
    };
    let face = launch.face;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(failed)?;
    let ended = runtime.block_on(async {
        let Opened { state, performer, messages, themes, first } = open_program(launch).await;
        if face == Face::Plain {
            let mut plain = PlainLoop::new(state, performer, messages);
            let ended = plain.run(first).await;
            plain.performer.shut_down().await;
            return Ok((ended.map_err(lost)?, plain.state.form_result()));
        }
        let root = make_root(themes, state.form.is_some());
        let host = TerminalHost::open(performer).map_err(failed)?;
        let mut event_loop = EventLoop { state, root, host, messages };
        let ended = event_loop.run(first).await;
        event_loop.host.shut_down().await;
        Ok((ended.map_err(lost)?, event_loop.state.form_result()))
    });
    // A call that cannot be stopped must not keep the user waiting.
    runtime.shutdown_background();
    ended
}

/// The program without a face, and what it does first.
struct Opened {
    state: State,
    performer: Performer,
    messages: mpsc::Receiver<Message>,
    themes: Vec<Theme>,
    first: Vec<Effect>,
}

fn make_root(themes: Vec<Theme>, is_form: bool) -> Root {
    let colour = if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        Colour::Forbidden
    } else {
        Colour::Allowed
    };
    if is_form { Root::form_program(themes, colour) } else { Root::new(themes, colour) }
}

async fn open_program(launch: LaunchSettings) -> Opened {
    let LaunchSettings { workspace, paths, settings, themes, mut start, limits, .. } = launch;
    let mut complaints = launch.complaints;
    let (themes, theme_complaints) = theme::available_themes(&themes);
    let (keymap, keymap_complaints) = build_keymap(&settings.keys);
    complaints.extend(theme_complaints.into_iter().chain(keymap_complaints));
    start.keymap = keymap;
    start.themes = themes.iter().map(|theme| theme.name.clone()).collect();
    let known = |name: &String| start.themes.contains(name);
    let variable = |name: &str| env::var(name).ok();
    let of_terminal =
        || theme::terminal_theme(variable("TERM").as_deref(), variable("COLORTERM").as_deref());
    start.theme = settings
        .theme
        .clone()
        .or_else(|| of_terminal().map(str::to_owned))
        .filter(known)
        .unwrap_or_else(|| start.themes.first().cloned().unwrap_or_default());
    start.seed = id_seed();
    let (sender, messages) = mpsc::channel(QUEUE);
    // A form is a session of its own, beside that of the workspace that its document may lie in.
    let of = start
        .form
        .as_ref()
        .map_or_else(|| workspace.root.clone(), |form| workspace.file_path(&form.file));
    let journal = Journal::for_workspace(&paths, &of);
    // What a form prints is in no file, whatever the form takes its name from.
    let is_printed = start.form.as_ref().is_some_and(|form| form.goal == FormGoal::Printed);
    let pending = journal.unsaved_texts(|file| (!is_printed).then(|| workspace.file_path(file)));
    if start.form.is_some() {
        // A workspace's folders are swept when they are watched.
        stale::sweep_folder(&workspace.root);
    }
    start.mask = secrets::build_mask(&start.connections.known);
    let history = History::for_workspace(&paths, &workspace.root, start.mask.clone());
    let tools = Tools {
        workspace,
        journal,
        history,
        config: paths.config_file(),
        editor: settings.editor.clone(),
        limits,
        mask: start.mask.clone(),
    };
    let mut performer = Performer::new(tools, sender.clone());
    let mut state = State::new(start);
    for complaint in complaints {
        state.notices.push(NoticeKind::Warning, complaint, super::now::now_millis());
    }
    match pending {
        Ok(texts) if !texts.is_empty() => {
            let _ = sender.send(Message::Document(DocumentMessage::Unsaved(texts))).await;
        }
        Ok(_) => {}
        Err(problem) => state.notices.push_problem(&problem, super::now::now_millis()),
    }
    let first = if state.form.is_some() {
        Vec::new()
    } else {
        performer.watch_workspace();
        vec![Effect::Read { first: Some(state.mode) }]
    };
    Opened { state, performer, messages, themes, first }
}

/// Differs from start to start; ids of calls are made from it.
fn id_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = u64::try_from(since.as_nanos() & u128::from(u64::MAX)).unwrap_or_default();
    nanos ^ (u64::from(std::process::id()) << 32)
}
