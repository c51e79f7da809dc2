//! Carries effects out: files, calls, journal, editor. What comes of them goes back as messages.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

use super::{
    answering::{AnsweringByHand, For},
    calls::{CallWorld, RunningCalls},
    connection_states::tell_states,
    connection_test, discovering,
    editor::{self, Place},
    eras, folder,
    following::FollowTasks,
    journaling::keep_journal,
    kept::HistoryRecorder,
    model_run::{ModelRuns, Shared},
    notifications::desktop,
    now::{elapsed_ms, now_millis},
    pushing, quiet, reading, registry, resources,
    saves::{Save, SaveQueue},
    sign_in::SignInTasks,
    watching::{self, OpenTap, WatchTarget},
};
use crate::{
    app::{
        checking::Snapshot,
        effect::{Effect, Overwrite},
        message::{ConnectionMessage, DocumentMessage, Message, Purpose},
        notices::NoticeKind,
        state::State,
        watching::WatchMessage,
        workflow::WorkflowMessage,
    },
    engine::{mask::Mask, simulate::run::Simulation},
    model::{
        call::{CallId, Limits, Request},
        connection::Connection,
        context::Mode,
        entry::FileId,
        problem::Problem,
        unsaved::{Unsaved, UnsavedTexts},
    },
    store::{
        consents::Consents,
        history::History,
        journal::{Drafts, Journal, UnsavedText},
        samples,
        saved_parts::ScratchFolder,
        schema_documents::check_documents,
        schema_map::SchemaMap,
        settings::user::{self, Choice},
        watch::Watch,
        workspace::Workspace,
    },
    systems::{deployed::push::Push, permission::Permission, settings, table},
    wire::{
        deployed, locked,
        registry::Registry,
        spawning::{spawn, spawn_blocking},
        systems::facets::opener::News,
    },
};

/// From the last of the changes that follow each other to their check: as long as a check takes,
/// since the answer to a state that is no more is of no use, but within these bounds.
const CHECK_AFTER: Duration = Duration::from_millis(80);
const CHECK_WITHIN: Duration = Duration::from_secs(1);

/// Everything the loop needs to act on the world.
pub(crate) struct Performer {
    workspace: Arc<Workspace>,
    journal: Arc<Journal>,
    keeper: HistoryRecorder,
    config: PathBuf,
    registry: Arc<Registry>,
    limits: Limits,
    messages: mpsc::Sender<Message>,
    unsaved: watch::Sender<Drafts>,
    /// How many milliseconds the last check took.
    check_took: Arc<AtomicU64>,
    /// What was last asked to be saved, by file: drafts made after that are newer.
    asked: HashMap<FileId, Option<Arc<str>>>,
    saves: SaveQueue,
    calls: RunningCalls,
    /// What listens on the bus.
    listening: OpenTap,
    answering: AnsweringByHand,
    model_runs: ModelRuns,
    following: FollowTasks,
    /// Those that wait for the user, by the names of their connections.
    sign_ins: SignInTasks,
    editor: Option<String>,
    mask: Mask,
    /// Files that other programs show, until the end.
    scratch: ScratchFolder,
    /// Each write that is under way holds a clone of the one end; the other hears when all are
    /// done.
    writes: (std::sync::mpsc::Sender<()>, std::sync::mpsc::Receiver<()>),
    /// Reports of changes on disk until it is dropped.
    watch: Option<Watch>,
}

/// What a performer is made from.
pub(crate) struct Tools {
    pub workspace: Workspace,
    pub journal: Journal,
    pub history: History,
    /// The user's settings file.
    pub config: PathBuf,
    /// The user's choice of editor; else `$VISUAL`, `$EDITOR`.
    pub editor: Option<String>,
    pub limits: Limits,
    /// Knows the secrets that no file may hold.
    pub mask: Mask,
}

impl Performer {
    /// Must be called within the runtime.
    #[must_use]
    pub fn new(tools: Tools, messages: mpsc::Sender<Message>) -> Self {
        let answering = AnsweringByHand::default();
        let questions = answering.take_questions(messages.clone());
        let registry = registry::of_session(&tools.workspace.root).with_questions(questions);
        let told = messages.clone();
        let registry = Arc::new(registry.telling(Arc::new(move |news| {
            // Where so much waits that there is no room, this is of no use either.
            let _ = told.try_send(match news {
                News::Words(words) => Message::Notice(NoticeKind::Warning, words),
                News::Tools(name) => Message::Connection(ConnectionMessage::ToolsChanged(name)),
            });
        })));
        spawn(tell_states(registry.connection_states(), messages.clone()));
        let journal = Arc::new(tools.journal);
        let unsaved = watch::Sender::default();
        spawn(keep_journal(Arc::clone(&journal), unsaved.subscribe(), messages.clone()));
        let workspace = Arc::new(tools.workspace);
        Self {
            watch: None,
            workspace,
            journal,
            keeper: HistoryRecorder::new(tools.history, messages.clone()),
            config: tools.config,
            registry,
            limits: tools.limits,
            messages,
            unsaved,
            check_took: Arc::default(),
            asked: HashMap::new(),
            saves: SaveQueue::default(),
            calls: RunningCalls::default(),
            listening: OpenTap::default(),
            answering,
            model_runs: ModelRuns::default(),
            following: FollowTasks::default(),
            sign_ins: SignInTasks::default(),
            editor: tools.editor,
            mask: tools.mask,
            scratch: ScratchFolder::default(),
            writes: std::sync::mpsc::channel(),
        }
    }

    /// Watches the workspace's folders from now on.
    pub fn watch_workspace(&mut self) {
        self.watch = reading::watch_workspace(&self.workspace, &self.messages);
    }

    /// Starts carrying an effect out; never waits.
    pub fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Save { file, text, before, overwrite } => {
                self.save_file(file, text, before, overwrite);
            }
            Effect::Read { first } => self.read_workspace(first),
            Effect::CheckSoon => self.check_soon(),
            Effect::Check(snapshot) => self.check_snapshot(*snapshot),
            Effect::RenderModel(goal) => self.send_later(quiet::render_model(*goal)),
            Effect::LetGo(findings) => {
                drop(spawn_blocking(move || drop(findings)));
            }
            Effect::Journal(texts) => drop(self.unsaved.send_replace(self.unsaved_drafts(texts))),
            Effect::Call { call, connection, request, limit } => {
                self.start_call(call, *connection, *request, limit);
            }
            Effect::Cancel(call) => {
                let said = self.calls.cancel(call);
                said.into_iter().for_each(|message| self.send_message(message));
            }
            Effect::Watch { turn, connection, known, places, since } => {
                let at = WatchTarget { turn, connection: *connection, known, places, since };
                self.listening.listen_at(at, Arc::clone(&self.registry), self.messages.clone());
            }
            Effect::StopWatching => self.listening.stop(),
            Effect::Answer { turn, system, connection, tool, target } => {
                let of = For { turn, system, connection: *connection, tool, target };
                let (registry, messages) = (Arc::clone(&self.registry), self.messages.clone());
                self.answering.start_answering(of, registry, messages);
            }
            Effect::Reply { ask, answer } => {
                if let Some(told) = self.answering.send_reply(ask, answer) {
                    self.send_message(Message::Answering(told));
                }
            }
            Effect::Agent(effect) => {
                let shared = || Shared {
                    registry: Arc::clone(&self.registry),
                    history: self.keeper.history(),
                    limits: self.limits,
                    messages: self.messages.clone(),
                };
                self.model_runs.perform(effect, shared);
            }
            Effect::StopAnswering { turn } => self.answering.stop_answering(turn),
            Effect::SaveTrace { path, head, heard } => {
                let mask = self.mask.clone();
                self.with_trace(move |root| watching::save_trace(root, path, &head, heard, mask));
            }
            Effect::OpenTrace(path) => {
                self.with_trace(move |root| watching::open_trace(root, path));
            }
            Effect::ReadCards { turn, connection, known, card_source } => {
                watching::read_cards(turn, *connection, &known, card_source, self.messages.clone());
            }
            Effect::TestConnection { turn, connection, reopens } => {
                self.test_connection(turn, *connection, reopens);
            }
            Effect::CompareEras { connection, call } => {
                self.compare_eras(*connection, call);
            }
            Effect::ReadItem { turn, connection, item, request } => {
                let registry = Arc::clone(&self.registry);
                let asked = (turn, item);
                self.send_later(resources::read_item(registry, asked, *connection, request));
            }
            Effect::FollowItem { connection, item, request } => {
                let shared = (Arc::clone(&self.registry), self.messages.clone());
                self.following.follow(shared, item, (*connection, request));
            }
            Effect::UnfollowItem(item) => self.following.unfollow(&item),
            Effect::SuggestValues { turn, connection, request, argument } => {
                let registry = Arc::clone(&self.registry);
                let about = (request, argument);
                self.send_later(resources::suggest_values(registry, turn, *connection, about));
            }
            Effect::SaveParts { parts, path } => {
                let root = self.workspace.root.clone();
                self.send_from_disk(move || resources::save_parts(&root, &parts, &path));
            }
            Effect::OpenPart(part) => {
                let scratch = self.scratch.clone();
                self.send_from_disk(move || resources::open_part(&scratch, &part));
            }
            Effect::KeepSecret { name, secret } => {
                self.send_from_disk(move || resources::keep_secret(&name, &secret));
            }
            Effect::SignIn(effect) => {
                self.sign_ins.perform(effect, &self.registry, &self.messages);
            }
            Effect::FindServers => {
                discovering::find_servers(self.workspace.root.clone(), self.messages.clone());
            }
            Effect::Discover(connection) => {
                let registry = Arc::clone(&self.registry);
                let root = self.workspace.root.clone();
                discovering::spawn_search(registry, root, self.messages.clone(), connection);
            }
            Effect::Allow { permission, then } => self.allow(&[*permission], *then),
            Effect::AllowTyped { connection, then } => {
                let wanted = self.registry.permissions_of(&connection);
                self.allow(&wanted, *then);
            }
            Effect::ReadDeployed { connection, purpose } => {
                self.read_deployed(*connection, purpose);
            }
            Effect::ListAllowed(connection) => {
                if self.registry.was_allowed(&connection) {
                    let message = ConnectionMessage::ListAllowed(connection.name);
                    self.send_message(Message::Connection(message));
                }
            }
            Effect::Push { connection, push } => self.push_changes(*connection, push),
            Effect::AskListeners(connection) => self.ask_listeners(*connection),
            Effect::LookIntoFolder(folder) => self.look_into(folder),
            Effect::ReadTools(path) => {
                let root = self.workspace.root.clone();
                self.send_from_disk(move || reading::read_tools(&root, &path));
            }
            Effect::PutSample(name) => self.put_sample(name),
            Effect::KeepTheme(theme) => self.keep_choice(Choice::Theme(theme)),
            Effect::KeepNotifications { on } => self.keep_choice(Choice::Notifications { on }),
            Effect::Notify { notification, way } => {
                spawn(desktop::show_or_say(notification, way, self.messages.clone()));
            }
            Effect::ListKept { .. }
            | Effect::OpenKept(_)
            | Effect::ReadLastArguments { .. }
            | Effect::CompareKept(_)
            | Effect::Replay { .. }
            | Effect::StopReplay
            | Effect::ExportKept { .. }
            | Effect::KeepResult { .. }
            | Effect::RemoveKept(_) => self.keeper.perform(effect),
            // The loop does these itself: they need the terminal.
            Effect::Copy(_)
            | Effect::Clipboard(_)
            | Effect::Editor { .. }
            | Effect::EditText { .. }
            | Effect::OpenWindow(_)
            | Effect::Suspend
            | Effect::Quit => {}
        }
    }

    fn start_call(
        &mut self,
        call: CallId,
        connection: Connection,
        request: Request,
        limit: Option<Duration>,
    ) {
        let limits = limit.map_or(self.limits, |limit| self.limits.within(limit));
        let world = CallWorld {
            registry: Arc::clone(&self.registry),
            messages: self.messages.clone(),
            mask: self.mask.clone(),
            record: self.keeper.begin_record(&request, &connection),
        };
        self.calls.start(call, (connection, request, limits), world);
    }

    fn test_connection(&self, turn: u64, connection: Connection, reopens: bool) {
        let registry = Arc::clone(&self.registry);
        self.send_later(async move {
            if reopens {
                registry.close_connection(&connection.name).await;
            }
            connection_test::run_test(registry, turn, connection).await
        });
    }

    fn compare_eras(&self, connection: Connection, call: Option<eras::EraCall>) {
        let registry = registry::of_session(&self.workspace.root);
        self.send_later(async move {
            let compared = eras::compare_eras(&registry, &connection, call.as_ref()).await;
            registry.close().await;
            let (connection, comparison) = (connection.name, Box::new(compared));
            Message::Connection(ConnectionMessage::ErasCompared { connection, comparison })
        });
    }

    /// Keeps what the user agrees to, and goes on with what needs it.
    fn allow(&mut self, permissions: &[Permission], then: Effect) {
        let given = Consents::of_user()
            .and_then(|consents| permissions.iter().try_for_each(|it| consents.give(it)));
        if let Err(problem) = given {
            self.send_message(Message::Failed(problem));
        }
        // Not allowed still, it says so itself.
        self.perform(then);
    }

    /// Ends what must not outlive the program at a server.
    pub async fn shut_down(&mut self) {
        self.listening.stop_and_wait().await;
    }

    /// Does something with a trace's file, and says what came of it.
    fn with_trace(
        &self,
        work: impl FnOnce(&std::path::Path) -> Result<WatchMessage, Problem> + Send + 'static,
    ) {
        let (root, messages, writing) =
            (self.workspace.root.clone(), self.messages.clone(), self.writes.0.clone());
        spawn_blocking(move || {
            let message = work(&root).map_or_else(Message::Failed, Message::Watch);
            drop(writing);
            // The loop may have ended; then nobody needs to know.
            let _ = messages.blocking_send(message);
        });
    }

    fn check_soon(&self) {
        let messages = self.messages.clone();
        let last = Duration::from_millis(self.check_took.load(Ordering::Relaxed));
        let wait = last.clamp(CHECK_AFTER, CHECK_WITHIN);
        spawn(async move {
            tokio::time::sleep(wait).await;
            messages.send(Message::Document(DocumentMessage::CheckDue)).await
        });
    }

    fn check_snapshot(&self, mut snapshot: Snapshot) {
        let (messages, took) = (self.messages.clone(), Arc::clone(&self.check_took));
        let workspace = Arc::clone(&self.workspace);
        spawn(async move {
            let (turn, began) = (snapshot.turn, Instant::now());
            let checked = quiet::run_quietly(move || {
                let map = SchemaMap::of_settings(&snapshot.disk.schemas, &workspace.root);
                let files = snapshot.sources();
                let documents = check_documents(&workspace, &map, &files, |_| true, |_, _| ());
                snapshot.disk.documents = documents;
                Arc::new(snapshot.collect_findings())
            })
            .await;
            took.store(elapsed_ms(began), Ordering::Relaxed);
            // An answer to nothing: the next change asks again.
            let (turn, findings) =
                checked.map_or_else(Default::default, |findings| (turn, findings));
            messages.send(Message::Document(DocumentMessage::Checked { turn, findings })).await
        });
    }

    fn look_into(&self, folder: String) {
        let root = self.workspace.root.clone();
        self.send_from_disk(move || Message::Folder(folder::list_folder(&root, folder)));
    }

    /// Sends the message that something results in.
    fn send_later(&self, coming: impl Future<Output = Message> + Send + 'static) {
        let messages = self.messages.clone();
        spawn(async move { messages.send(coming.await).await });
    }

    /// The same for work on files.
    fn send_from_disk(&self, work: impl FnOnce() -> Message + Send + 'static) {
        let messages = self.messages.clone();
        spawn_blocking(move || messages.blocking_send(work()));
    }

    fn send_message(&self, message: Message) {
        self.send_later(async move { message });
    }

    fn unsaved_drafts(&self, texts: UnsavedTexts) -> Drafts {
        let at = SystemTime::now();
        let draft = |(file, Unsaved { text, before })| {
            let newer_than = [before].into_iter().chain(self.asked.get(&file).cloned()).collect();
            (file, UnsavedText { text, at, newer_than })
        };
        texts.into_iter().map(draft).collect()
    }

    fn save_file(
        &mut self,
        file: FileId,
        text: Option<Arc<str>>,
        before: Option<Arc<str>>,
        overwrite: Overwrite,
    ) {
        self.asked.insert(file.clone(), text.clone());
        let save = Save {
            workspace: Arc::clone(&self.workspace),
            file,
            text,
            before,
            overwrite,
            writing: self.writes.0.clone(),
        };
        self.saves.push(save, &self.messages);
    }

    fn read_workspace(&self, first: Option<Mode>) {
        let (workspace, messages) = (Arc::clone(&self.workspace), self.messages.clone());
        spawn_blocking(move || reading::read_all(&workspace, &messages, first));
    }

    fn read_deployed(&self, connection: Connection, purpose: Purpose) {
        if let Some(permission) = self.registry.not_allowed(&connection).map(Box::new) {
            let connection = connection.name;
            return self.send_message(Message::Connection(ConnectionMessage::NotAllowed {
                connection,
                permission,
                purpose,
            }));
        }
        let (registry, messages) = (Arc::clone(&self.registry), self.messages.clone());
        let root = self.workspace.root.clone();
        spawn(async move {
            let read = deployed::read_items(&*registry, &connection).await;
            let mask = registry.secrets().mask();
            if let (Ok(items), Some((_, deployment))) = (&read, table::deployment_at(&connection))
                && let Some(drift) =
                    locked::describe_drift(&root, &connection.name, deployment, items, &mask)
            {
                let words = format!("{}: {drift}", connection.name);
                let _ = messages.send(Message::Notice(NoticeKind::Warning, words)).await;
            }
            messages.send(Message::Connection(ConnectionMessage::Deployed { purpose, read })).await
        });
    }

    fn ask_listeners(&self, connection: Connection) {
        let (registry, messages) = (Arc::clone(&self.registry), self.messages.clone());
        spawn(async move {
            // Where nobody can tell, there is nothing to show.
            if let Ok(Some(listeners)) = deployed::read_listeners(&*registry, &connection).await {
                let _ = messages
                    .send(Message::Connection(ConnectionMessage::Listeners {
                        connection: connection.name,
                        listeners: listeners.into(),
                    }))
                    .await;
            }
        });
    }

    fn push_changes(&self, connection: Connection, push: Box<Push>) {
        let (registry, messages) = (Arc::clone(&self.registry), self.messages.clone());
        spawn(pushing::push_changes(registry, connection, push, messages));
    }

    fn put_sample(&self, name: &'static str) {
        let Some(sample) = samples::by_name(name) else { return };
        match samples::copy_documents(sample, &self.workspace.root) {
            Ok(written) => {
                // The run starts as the sample says, as if the program had begun in it.
                let (settings, _) = settings::parse_settings(sample.settings());
                let run = Simulation::new(settings.context, settings.mode, now_millis());
                let shown = WorkflowMessage::ShowRun(Box::new(run));
                self.send_message(Message::Workflow(shown));
                let written = DocumentMessage::SampleWritten(written);
                self.send_message(Message::Document(written));
                self.read_workspace(None);
            }
            Err(problem) => self.send_message(Message::Failed(problem)),
        }
    }

    fn keep_choice(&self, choice: Choice) {
        let (config, messages) = (self.config.clone(), self.messages.clone());
        let writing = self.writes.0.clone();
        spawn_blocking(move || {
            let kept = user::keep_choice(&config, &choice);
            drop(writing);
            if let Err(problem) = kept {
                let _ = messages.blocking_send(Message::Failed(problem));
            }
        });
    }

    /// Runs the user's editor while the terminal is lent; called by the loop.
    pub fn open_editor(&mut self, effect: Effect) {
        let edited = self.edit_text(effect);
        edited.into_iter().for_each(|message| self.send_message(message));
    }

    /// The same; answers what came of it.
    pub fn edit_text(&mut self, effect: Effect) -> Option<Message> {
        self.wait_for_writes();
        editor::run_for(effect, self.editor.as_deref(), &self.workspace, Place::Lent)
    }

    /// The same beside the program, which goes on.
    #[cfg(feature = "window")]
    pub fn open_editor_beside(&mut self, effect: Effect) {
        self.wait_for_writes();
        let (chosen, workspace) = (self.editor.clone(), Arc::clone(&self.workspace));
        let messages = self.messages.clone();
        spawn_blocking(move || {
            let edited = editor::run_for(effect, chosen.as_deref(), &workspace, Place::Beside);
            edited.map(|message| messages.blocking_send(message))
        });
    }

    /// Comes back when everything that was to be written is on disk, as an editor wants it.
    fn wait_for_writes(&mut self) {
        let (writing, done) = std::mem::replace(&mut self.writes, std::sync::mpsc::channel());
        drop(writing);
        // Nothing is ever sent: this ends when the last write has released its end.
        let _ = done.recv();
    }

    /// The process is instructed to end: what is unsaved is kept for the next start.
    pub async fn finish(&mut self, state: &State) {
        self.wait_for_writes();
        self.unsaved.send_replace(self.unsaved_drafts(state.unsaved_texts()));
        let (journal, newest) = (Arc::clone(&self.journal), self.unsaved.subscribe());
        let write = move || journal.write_newest(|| newest.borrow().clone());
        let _ = spawn_blocking(write).await;
    }

    /// The user has left: what is to be offered at the next start is what was asked for last,
    /// mostly nothing.
    pub fn write_journal(&mut self) {
        self.wait_for_writes();
        let _ = self.journal.write_newest(|| self.unsaved.borrow().clone());
    }
}
