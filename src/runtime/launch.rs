//! Puts the program together and runs it.

use std::{
    env, io,
    time::{SystemTime, UNIX_EPOCH},
};

use tokio::sync::mpsc;

use super::{
    event_loop::{EventLoop, ExitReason},
    perform::{Performer, Tools},
    plain::PlainLoop,
    terminal_host::TerminalHost,
    terminal_images::terminal_way,
};
#[cfg(feature = "window")]
use super::{now::now_millis, window::run::run_in_window};
#[cfg(feature = "window")]
use crate::app::update::update;
use crate::{
    app::{
        effect::Effect,
        form_file::{FilledForm, FormGoal},
        keymap::Keymap,
        message::{DocumentMessage, Message},
        notices::NoticeKind,
        state::{Start, State},
    },
    engine::{lint::check::did_you_mean, workflow::similar::nearest_name},
    model::{
        call::Limits,
        problem::{Problem, ProblemKind},
        settings::UserSettings,
    },
    schema::phrase::join_alternatives,
    store::{
        history::History, journal::Journal, paths::Paths, secrets, stale, workspace::Workspace,
    },
    ui::{
        actions::build_keymap,
        ascii::Signs,
        images::ImageWay,
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
    /// Drawn in a window of its own.
    Window,
    /// Lines of text and questions.
    Plain,
}

/// How a session ended, and where it was a form and nothing else, what became of its document.
type Ended = (ExitReason, Option<FilledForm>);

/// Runs the screen until the user leaves. Must be called on the main thread.
///
/// # Errors
/// When there is no terminal, or no display for a window, or the system refuses what the runtime
/// needs.
pub(crate) fn run_screen(launch: LaunchSettings) -> Result<Ended, Problem> {
    match launch.face {
        Face::Drawn => run_in_runtime(async {
            let (state, root, performer, messages, first) = open_drawn(launch).await;
            let host = TerminalHost::open(performer).map_err(|error| no_screen(&error))?;
            let mut event_loop = EventLoop { state, root, host, messages };
            let ended = event_loop.run(first).await;
            event_loop.host.shut_down().await;
            Ok((ended.map_err(|error| lost(&error))?, event_loop.state.form_result()))
        }),
        Face::Plain => run_in_runtime(async {
            let Opened { state, performer, messages, first, .. } = open_program(launch).await;
            let mut plain = PlainLoop::new(state, performer, messages);
            let ended = plain.run(first).await;
            plain.performer.shut_down().await;
            Ok((ended.map_err(|error| lost(&error))?, plain.state.form_result()))
        }),
        Face::Window => run_window(launch),
    }
}

#[cfg(feature = "window")]
fn run_window(launch: LaunchSettings) -> Result<Ended, Problem> {
    let paths = launch.paths.clone();
    let follows_system = launch.settings.theme.is_none();
    run_in_window(&paths, move |window| {
        run_in_runtime(async {
            let (mut state, root, performer, messages, first) = open_drawn(launch).await;
            let mut host = window
                .open_host(performer, follows_system)
                .await
                .map_err(|error| no_screen(&error))?;
            if let Some(theme) = host.system_theme() {
                update(&mut state, theme, now_millis());
            }
            let mut event_loop = EventLoop { state, root, host, messages };
            let ended = event_loop.run(first).await;
            event_loop.host.shut_down().await;
            Ok((ended.map_err(|error| lost(&error))?, event_loop.state.form_result()))
        })
    })
}

#[cfg(not(feature = "window"))]
fn run_window(_launch: LaunchSettings) -> Result<Ended, Problem> {
    let cause = "this toolcrib was built without one";
    Err(Problem::new(ProblemKind::Input, "opening a window", cause).with_remedy(
        "install a package of toolcrib, or build it with `--features window`; without --window \
        it runs in the terminal",
    ))
}

fn no_screen(error: &io::Error) -> Problem {
    Problem::new(ProblemKind::Input, "opening the screen", error.to_string())
        .with_remedy("run it in a terminal, or with --plain for lines of text; `toolcrib --help` lists the commands that need none")
}

fn lost(error: &io::Error) -> Problem {
    Problem::new(ProblemKind::File, "using the screen", error.to_string())
        .with_remedy("unsaved changes are kept and offered at the next start")
}

fn run_in_runtime(session: impl Future<Output = Result<Ended, Problem>>) -> Result<Ended, Problem> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| no_screen(&error))?;
    let ended = runtime.block_on(session);
    // A call that cannot be stopped must not keep the user waiting.
    runtime.shutdown_background();
    ended
}

/// What an event loop is made of, but for its host, and what it does first.
type Drawn = (State, Root, Performer, mpsc::Receiver<Message>, Vec<Effect>);

async fn open_drawn(launch: LaunchSettings) -> Drawn {
    let signs = if launch.settings.ascii { Signs::Ascii } else { Signs::All };
    let shown = ShownColours::find(launch.face, variable);
    let of_terminal = terminal_way(variable).filter(|_| launch.face == Face::Drawn);
    let images = shown.image_way().map(|way| of_terminal.unwrap_or(way));
    let Opened { state, performer, messages, themes, first } = open_program(launch).await;
    let mut root = match state.form {
        Some(_) => Root::form_program(themes, shown.colour),
        None => Root::new(themes, shown.colour),
    };
    root.signs = signs;
    if let Some(way) = images.filter(|_| signs == Signs::All) {
        root.images.show(way);
    }
    (state, root, performer, messages, first)
}

/// The program without a face, and what it does first.
struct Opened {
    state: State,
    performer: Performer,
    messages: mpsc::Receiver<Message>,
    themes: Vec<Theme>,
    first: Vec<Effect>,
}

/// Which colours are seen, and the theme for them where only some are.
#[derive(Debug, PartialEq, Eq)]
struct ShownColours {
    colour: Colour,
    theme: Option<&'static str>,
}

impl ShownColours {
    /// A terminal says it by its variables; a window has all of them, whatever it was started from.
    fn find(face: Face, variable: impl Fn(&str) -> Option<String>) -> Self {
        let [term, colorterm] = match face {
            Face::Window => [None, None],
            Face::Drawn | Face::Plain => ["TERM", "COLORTERM"].map(&variable),
        };
        let (term, colorterm) = (term.as_deref(), colorterm.as_deref());
        let colour = if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            Colour::Forbidden
        } else if theme::has_numbered_colours(term, colorterm) {
            Colour::Indexed
        } else {
            Colour::Allowed
        };
        Self { colour, theme: theme::terminal_theme(term, colorterm) }
    }

    /// How images are drawn of these colours; `None`: they are too few.
    fn image_way(&self) -> Option<ImageWay> {
        let is_indexed = self.colour == Colour::Indexed;
        let has_many = self.colour != Colour::Forbidden && self.theme.is_none();
        has_many.then_some(ImageWay::HalfBlocks { is_indexed })
    }
}

fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

async fn open_program(launch: LaunchSettings) -> Opened {
    let LaunchSettings { workspace, paths, settings, themes, mut start, limits, .. } = launch;
    let mut complaints = launch.complaints;
    let Applied { themes, names, keymap, complaints: wrong } = apply_settings(&settings, &themes);
    complaints.extend(wrong);
    start.keymap = match launch.face {
        Face::Window => keymap.in_window(),
        Face::Drawn | Face::Plain => keymap,
    };
    start.themes = names;
    let known = |name: &String| start.themes.contains(name);
    let of_terminal = || ShownColours::find(launch.face, variable).theme.map(str::to_owned);
    start.theme = settings
        .theme
        .clone()
        .or_else(of_terminal)
        .filter(known)
        .unwrap_or_else(|| start.themes.first().cloned().unwrap_or_default());
    start.seed = id_seed();
    start.environment = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    start.environment.sort();
    start.notifications = settings.notifications.clone();
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
            // It stays in the journal although the program ends before it takes the message.
            state.offer = Some(texts.clone());
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

/// What the user's settings come to.
struct Applied {
    /// The user's own.
    themes: Vec<Theme>,
    /// The names of all that can be chosen.
    names: Vec<String>,
    keymap: Keymap,
    complaints: Vec<String>,
}

fn apply_settings(settings: &UserSettings, texts: &[(String, String)]) -> Applied {
    let (themes, mut complaints) = theme::users_themes(texts);
    let names = theme::theme_names(&themes);
    let (keymap, wrong_keys) = build_keymap(&settings.keys);
    let known = || names.iter().map(String::as_str);
    if let Some(wanted) =
        settings.theme.as_deref().filter(|wanted| !known().any(|it| it == *wanted))
    {
        let way = nearest_name(wanted, known()).map_or_else(
            || format!("; write {}", join_alternatives(known())),
            |near| did_you_mean(Some(near)),
        );
        complaints.push(format!("theme: there is no theme \"{wanted}\"{way}"));
    }
    complaints.extend(wrong_keys);
    Applied { themes, names, keymap, complaints }
}

/// What is wrong in the user's settings and themes beside their form: names of themes and actions,
/// and keys.
pub(crate) fn settings_faults(settings: &UserSettings, themes: &[(String, String)]) -> Vec<String> {
    apply_settings(settings, themes).complaints
}

/// Differs from start to start; ids of calls are made from it.
fn id_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = u64::try_from(since.as_nanos() & u128::from(u64::MAX)).unwrap_or_default();
    nanos ^ (u64::from(std::process::id()) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_all_colours_whatever_it_was_started_from() {
        let of = |face, term: &str, no_color: &str| {
            ShownColours::find(face, |name| match name {
                "TERM" => Some(term.to_owned()),
                "NO_COLOR" => Some(no_color.to_owned()),
                _ => None,
            })
        };
        let all = ShownColours { colour: Colour::Allowed, theme: None };
        for term in ["xterm", "dumb", "xterm-256color", ""] {
            assert_eq!(of(Face::Window, term, ""), all, "{term}");
        }
        assert_eq!(of(Face::Window, "xterm", "1").colour, Colour::Forbidden);
        assert_eq!(of(Face::Drawn, "xterm", "").theme, Some("sixteen"));
        assert_eq!(of(Face::Drawn, "xterm-256color", "").colour, Colour::Indexed);
        assert_eq!(of(Face::Drawn, "xterm-256color", "1").colour, Colour::Forbidden);
        assert_eq!(of(Face::Drawn, "xterm-kitty", ""), all);
    }

    #[test]
    fn images_are_drawn_where_there_are_colours_for_them() {
        let way = |colour, theme| ShownColours { colour, theme }.image_way();
        let blocks = |is_indexed| Some(ImageWay::HalfBlocks { is_indexed });
        assert_eq!(way(Colour::Allowed, None), blocks(false));
        assert_eq!(way(Colour::Indexed, None), blocks(true));
        assert_eq!(way(Colour::Allowed, Some("sixteen")), None);
        assert_eq!(way(Colour::Forbidden, None), None);
    }
}
