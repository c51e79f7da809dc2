//! Everything the application knows; views read it, [`super::update`] alone changes it.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

pub use super::goals::{StepGoal, ViewTarget};
use super::{
    agent_run::AgentRuns,
    answering::Answering,
    batch::CallBatch,
    calls::{CallPart, CallText, Calls, RequestGoal},
    cases::Cases,
    checking::{CallDestinations, FromDisk, HealthView},
    deployed::DeployedTools,
    documents::Documents,
    edited_text::EditedText,
    folder::FolderList,
    form_file::{FilledForm, FormFile},
    history::KeptCall,
    keymap::Keymap,
    message::ScreenId,
    model_page::ModelPage,
    moved::MoveLog,
    network_state::NetworkState,
    notices::Notices,
    notifications::Notifications,
    question::Question,
    watching::Watching,
    workflow::WorkflowState,
};
use crate::{
    engine::{
        gated::Slot, groups::CustomGroups, mask::Mask, query::Query, simulate::run::Simulation,
    },
    model::{
        catalog::Catalog,
        check_rules::CheckRules,
        clock::Millis,
        connection::Connection,
        connections::Connections,
        context::{Context, Mode, Name, Profile},
        entry::{Entry, EntryId, FileId},
        finding::{Finding, Findings},
        id::Ids,
        notification::NotificationSettings,
        tool::Tool,
        unsaved::{LeftText, LeftTexts, Unsaved, UnsavedTexts},
    },
    schema::moment::LocalTime,
    syntax::source::Source,
    systems::{calling::without_agent, watched},
};

/// What the program was started with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The workspace's name for the top line.
    pub workspace: String,
    /// Its folder; empty where none is known.
    pub root: PathBuf,
    pub mode: Mode,
    pub context: Context,
    pub profiles: Vec<Profile>,
    /// The workspace's own group lists and hierarchies.
    pub custom_groups: CustomGroups,
    pub connections: Connections,
    pub theme: String,
    /// What a user can do, and with which keys.
    pub keymap: Keymap,
    /// Names of the themes that can be chosen.
    pub themes: Vec<String>,
    /// Makes the ids of this session differ from any other's.
    pub seed: u64,
    /// The names of the variables of the environment, in order.
    pub environment: Vec<String>,
    /// This is a sample, where the tour is offered.
    pub demo: bool,
    /// Arguments that stand in the form of some tools from the beginning.
    pub arguments: HashMap<EntryId, Source>,
    /// The case that is shown first.
    pub case: Option<FileId>,
    /// The program is a form for this document, and nothing else.
    pub form: Option<FormFile>,
    /// Knows the secrets that no file may hold.
    pub mask: Mask,
    pub notifications: NotificationSettings,
}

/// How far the reading of the workspace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadProgress {
    /// So many files so far.
    UnderWay(usize),
    Done,
}

/// What calls are made of, those of this session and kept ones.
#[derive(Debug)]
pub struct InvokeState {
    /// What is typed for calls of tools, as JSON.
    pub texts: HashMap<CallText, EditedText>,
    /// Sample values for variables of arguments; `$NAME` is one of a service's environment.
    pub samples: Vec<(String, String)>,
    /// The name that calls carry.
    pub user: String,
    pub calls: Calls,
    /// The tools whose calls are answered here, in the place of their services.
    pub mocks: HashSet<EntryId>,
    /// The revision of what is typed for a mock, when it was kept.
    pub kept_mocks: HashMap<EntryId, u64>,
    /// The steps before which calls of a tool stop, by name.
    pub breakpoints: HashMap<EntryId, BTreeSet<String>>,
    /// How long an answer may take; `None`: as the connections say.
    pub time_limit: Option<Duration>,
    /// The paths of what is shown of answers, by the names of their tools.
    pub queries: HashMap<String, Query>,
    pub step_goal: Option<StepGoal>,
    pub request_goal: Option<RequestGoal>,
    /// A request that is sent many times, or was last.
    pub batch: Option<CallBatch>,
    /// Cases that are called, and how they went.
    pub cases: Cases,
    /// A model in front of the tools.
    pub agent: AgentRuns,
    /// Calls of earlier, too.
    pub kept: KeptCall,
}

#[derive(Debug)]
pub struct State {
    pub workspace: String,
    /// The workspace's folder; empty where none is known.
    pub root: PathBuf,
    /// Knows the secrets that no file may hold.
    pub mask: Mask,
    pub tour: super::tour::Tour,
    pub reading: LoadProgress,
    pub screen: ScreenId,
    pub mode: Mode,
    pub documents: Documents,
    pub catalog: Arc<Catalog>,
    /// The revisions of the files that the catalog was made from.
    pub read: HashMap<FileId, Source>,
    pub findings: Arc<Findings>,
    /// What checks know of files beside their texts.
    pub disk: FromDisk,
    /// How far the findings are behind the catalog.
    pub checking: Checking,
    pub health: HealthView,
    /// What models see of the chosen tool.
    pub model_page: ModelPage,
    /// How the workspace takes findings.
    pub check_rules: CheckRules,
    /// Grows with every change of the catalog and of the findings.
    pub generation: u64,
    pub selected: Option<EntryId>,
    /// Where entries went since the start, the newest last, for who keeps something by entries.
    pub moved: MoveLog,
    /// How many of them there were when an editor was opened last.
    pub moved_before_editor: usize,
    pub goal: Option<ViewTarget>,
    /// What passes on the bus.
    pub watching: Watching,
    /// Calls that are answered by hand.
    pub answering: Answering,
    pub theme: String,
    /// What a user can do, and with which keys.
    pub keymap: Keymap,
    pub themes: Vec<String>,
    pub notices: Notices,
    pub notifications: Notifications,
    /// Something the user must decide before it goes on.
    pub question: Option<Question>,
    /// Unsaved texts of an earlier session, offered once their files are read, until somebody
    /// decides about them.
    pub offer: Option<LeftTexts>,
    /// The program ends once all is saved.
    pub leaving: bool,
    /// What was last put on the clipboard from here.
    pub clip: String,
    /// What the program edits, where it is a form and nothing else.
    pub form: Option<FormFile>,
    pub ids: Ids,
    /// The names of the variables of the environment, in order; none where they aren't known.
    pub environment: Vec<String>,
    /// The folder that was last looked into.
    pub folder: Option<Arc<FolderList>>,
    /// The time of the last input; while a call runs it goes on every second.
    pub now: Millis,
    /// What the clock on the wall showed then.
    pub wall: LocalTime,
    /// The workflow, and the run through it.
    pub workflow: WorkflowState,
    /// Calls and what they are made of.
    pub invoke: InvokeState,
    /// Connections, and what is known of where they lead.
    pub network: NetworkState,
}

/// Which checks were due, asked for and answered, by a number that grows with every change of the
/// catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checking {
    pub turn: u64,
    pub asked: u64,
    pub answered: u64,
    /// One is asked for and not answered yet; there is one at a time.
    pub under_way: bool,
}

impl State {
    #[must_use]
    pub fn new(start: Start) -> Self {
        let user =
            start.context.user.clone().map_or_else(|| "user".to_owned(), |user| user.to_string());
        let has_form = start.form.is_some();
        let mut documents = Documents::default();
        if let Some(form) = &start.form {
            documents.load_document(form.file.clone(), form.document.clone());
        }
        Self {
            workspace: start.workspace,
            root: start.root,
            mask: start.mask,
            tour: super::tour::Tour::at_start(start.demo),
            reading: if has_form { LoadProgress::Done } else { LoadProgress::UnderWay(0) },
            screen: if has_form { ScreenId::Form } else { ScreenId::Tools },
            mode: start.mode,
            documents,
            catalog: Arc::new(Catalog::new(start.mode, Vec::new(), Vec::new(), Vec::new())),
            read: HashMap::new(),
            findings: Arc::default(),
            disk: FromDisk::default(),
            checking: Checking::default(),
            health: HealthView::default(),
            model_page: ModelPage::default(),
            check_rules: CheckRules::default(),
            generation: 0,
            selected: None,
            moved: MoveLog::default(),
            moved_before_editor: 0,
            goal: None,
            watching: Watching::default(),
            answering: Answering::default(),
            theme: start.theme,
            keymap: start.keymap,
            themes: start.themes,
            notices: Notices::default(),
            notifications: Notifications::new(start.notifications),
            question: None,
            offer: None,
            leaving: false,
            clip: String::new(),
            form: start.form,
            ids: Ids::new(start.seed),
            environment: start.environment,
            folder: None,
            now: Millis::default(),
            wall: LocalTime::default(),
            workflow: WorkflowState {
                profiles: start.profiles,
                custom_groups: start.custom_groups,
                listed_states: Vec::new(),
                simulation: Simulation::new(start.context, start.mode, Millis::default()),
                stops: Vec::new(),
                what_if: None,
                what_ifs_before: Vec::new(),
                fill_first: None,
                has_gone_live: false,
                live: None,
                paused: None,
            },
            invoke: InvokeState {
                texts: start
                    .arguments
                    .into_iter()
                    .map(|(tool, source)| {
                        let text = CallText { tool, part: CallPart::Arguments };
                        (text, EditedText::new(source))
                    })
                    .collect(),
                samples: Vec::new(),
                user,
                calls: Calls::default(),
                kept_mocks: HashMap::new(),
                mocks: HashSet::new(),
                breakpoints: HashMap::new(),
                time_limit: None,
                queries: HashMap::new(),
                step_goal: None,
                request_goal: None,
                batch: None,
                cases: Cases { opening: start.case, ..Cases::default() },
                agent: AgentRuns::default(),
                kept: KeptCall::default(),
            },
            network: NetworkState::new(start.connections),
        }
    }

    /// Whether there is an edit to take back from where the user is.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        if self.is_trying() {
            return !self.workflow.what_ifs_before.is_empty();
        }
        let of_files = !self.screen.has_own_undo() && self.documents.can_undo();
        of_files || self.typed_here().any(EditedText::can_undo)
    }

    /// Whether there is an edit to make again.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        let of_files =
            !self.screen.has_own_undo() && self.documents.can_redo() && !self.is_trying();
        of_files || self.typed_here().any(EditedText::can_redo)
    }

    /// What is typed where the user is: an answer, a call, what a prompt takes.
    fn typed_here(&self) -> impl Iterator<Item = &EditedText> {
        let parts = self.screen.call_parts().iter();
        let tool = self.selected.as_ref();
        let resources = &self.network.resources;
        let item = resources.chosen.as_ref().filter(|_| self.screen == ScreenId::Resources);
        let of_item = item.and_then(|item| resources.typed_arguments(item));
        let asked = self.answering.shown_call().filter(|_| self.screen == ScreenId::Waiting);
        let typed = parts.filter_map(move |part| self.typed_text(tool?, *part));
        let decided = self.invoke.agent.waiting_call().filter(|_| self.screen == ScreenId::Run);
        let answer = asked.map(|open| &open.answer);
        typed.chain(of_item).chain(answer).chain(decided.map(|call| &call.arguments))
    }

    /// What is typed for calls of a tool; `None` where nothing was.
    #[must_use]
    pub fn typed_text(&self, tool: &EntryId, part: CallPart) -> Option<&EditedText> {
        self.invoke.texts.get(&CallText { tool: tool.clone(), part })
    }

    /// What the form program leaves behind.
    #[must_use]
    pub fn form_result(&self) -> Option<FilledForm> {
        let form = self.form.as_ref()?;
        let text = self.documents.get(&form.file)?.text.whole_text().clone();
        Some(FilledForm { text, goal: form.goal, end: form.end.clone() })
    }

    /// The connection for all that is no tool's own call. One that names no system leads to that
    /// of the workspace's tools, where they have one in common.
    #[must_use]
    pub fn current_connection(&self) -> Connection {
        self.network.current_connection(&self.catalog)
    }

    /// The connection of that name, by the same rule.
    #[must_use]
    pub fn connection_named(&self, name: &str) -> Option<Connection> {
        self.network.connection_named(name, &self.catalog)
    }

    /// The connection that the user looks at: where the selected tool's call would go from here,
    /// else the one for all.
    #[must_use]
    pub fn connection_here(&self) -> Connection {
        if self.screen == ScreenId::Watch {
            return self.connection_to_watch();
        }
        let tool = match self.screen {
            ScreenId::Tools => self.selected.clone(),
            ScreenId::Invoke => self.tool_to_call(),
            _ => None,
        };
        tool.map_or_else(|| self.current_connection(), |tool| self.connection_of(&tool))
    }

    /// The tool that Invoke shows: the selected one, or one that the selected service answers for,
    /// or the first.
    #[must_use]
    pub fn tool_to_call(&self) -> Option<EntryId> {
        let selected = self.selected.as_ref();
        if let Some(tool) = selected.and_then(|id| self.tool(id)) {
            return Some(tool.id().clone());
        }
        let tools = &self.catalog.tools;
        let service = selected.and_then(|id| self.catalog.service(id));
        let served = service.and_then(|service| {
            tools.iter().find(|tool| tool.service.as_deref() == Some(service.key()))
        });
        let deployed = || self.deployed_lists().find_map(|list| list.catalog.tools.first());
        served.or_else(|| tools.first()).or_else(deployed).map(|tool| tool.id().clone())
    }

    /// The connection that a watch listens on: the one for all, or that of the selected tool where
    /// its system shows what passes there.
    #[must_use]
    pub fn connection_to_watch(&self) -> Connection {
        let own = self.selected.as_ref().map(|tool| self.connection_of(tool));
        let own = own.filter(|own| watched::default_watch(own).is_some());
        own.unwrap_or_else(|| self.current_connection())
    }

    /// What is listed of running systems, that of the connection for all first.
    pub fn deployed_lists(&self) -> impl Iterator<Item = &DeployedTools> {
        self.network.deployed_lists(&self.catalog)
    }

    /// The list that has a tool; `None` for a tool of the workspace.
    #[must_use]
    pub fn deployed_of(&self, tool: &EntryId) -> Option<&DeployedTools> {
        self.deployed_lists().find(|list| list.catalog.tool(tool).is_some())
    }

    /// A tool that can be called: of the workspace, or listed of the running system.
    #[must_use]
    pub fn tool(&self, id: &EntryId) -> Option<&Tool> {
        self.catalog.tool(id).or_else(|| self.deployed_of(id)?.catalog.tool(id))
    }

    /// The entry that is selected.
    #[must_use]
    pub fn selected_entry(&self) -> Option<&Entry> {
        self.catalog.entry(self.selected.as_ref()?)
    }

    /// The same, where it is a tool of the workspace.
    #[must_use]
    pub fn selected_tool(&self) -> Option<&Tool> {
        self.catalog.tool(self.selected.as_ref()?)
    }

    /// The tool of that key or name; the workspace's own wins.
    #[must_use]
    pub fn tool_called(&self, word: &str) -> Option<&Tool> {
        let listed = || self.deployed_lists().find_map(|list| list.catalog.tool_called(word));
        self.catalog.tool_called(word).or_else(listed)
    }

    /// Where the listed tool is deployed, by the connection's name; `None` for a tool of the
    /// workspace.
    #[must_use]
    pub fn deployed_on(&self, tool: &EntryId) -> Option<&str> {
        self.deployed_of(tool).map(|list| &*list.connection.name)
    }

    /// The connection that a tool's calls go through; what is no tool of the workspace has the one
    /// for all.
    #[must_use]
    pub fn connection_of(&self, tool: &EntryId) -> Connection {
        match self.catalog.tool(tool) {
            Some(tool) => self.network.connections.for_tool(tool),
            // What was listed over it may be older than its variables.
            None => self
                .deployed_on(tool)
                .and_then(|name| self.connection_named(name))
                .unwrap_or_else(|| self.current_connection()),
        }
    }

    /// Where calls go, with those who listen there where that was asked.
    #[must_use]
    pub fn call_destinations(&self) -> CallDestinations {
        CallDestinations {
            connections: self.network.connections.clone(),
            listeners: self.network.listeners.clone(),
        }
    }

    /// The connection that a tool's calls go through, as they use it.
    #[must_use]
    pub fn call_connection(&self, tool: &EntryId) -> Connection {
        self.as_calls_use(self.connection_of(tool))
    }

    /// A connection as calls use it: in the name of a new agent where that was asked for.
    #[must_use]
    pub fn as_calls_use(&self, connection: Connection) -> Connection {
        if self.network.new_agent.as_ref() == Some(&connection.name) {
            without_agent(connection)
        } else {
            connection
        }
    }

    /// The connection that what is watched comes from; of a trace from elsewhere, the one that
    /// calls use.
    #[must_use]
    pub fn watched_connection(&self) -> Connection {
        let name = &self.watching.head.connection;
        self.network
            .connections
            .find_by_name(name)
            .cloned()
            .unwrap_or_else(|| self.current_connection())
    }

    /// The context of the run as it is now.
    #[must_use]
    pub fn context(&self) -> Context {
        self.workflow.simulation.next_context()
    }

    /// All groups that tools are in, in the order of their names.
    #[must_use]
    pub fn group_names(&self) -> Vec<Name> {
        let mut groups: Vec<Name> =
            self.catalog.tools.iter().flat_map(|tool| tool.gate.groups()).collect();
        groups.sort();
        groups.dedup();
        groups
    }

    /// The catalog's tools, row for row, with the workspace's custom groups among their own.
    #[must_use]
    pub fn gated_tools(&self) -> Vec<Slot> {
        self.workflow.custom_groups.expand_tools(&self.catalog.tools).tools
    }

    /// The findings of one entry.
    pub fn findings_of<'s>(&'s self, entry: &'s EntryId) -> impl Iterator<Item = &'s Finding> {
        self.findings.for_entry(entry)
    }

    /// Whether a what-if is open and seen: changes are only tried.
    #[must_use]
    pub fn is_trying(&self) -> bool {
        self.screen == ScreenId::Workflow && self.workflow.what_if.is_some()
    }

    /// The texts of an earlier session about which nobody has decided.
    pub(crate) fn offered_texts(&self) -> UnsavedTexts {
        let unsaved = |(file, left): (&FileId, &LeftText)| {
            let known = self.documents.get(file).filter(|_| !left.is_behind);
            let before = known.and_then(|document| document.saved.clone());
            (file.clone(), Unsaved { text: left.text.clone().into(), before })
        };
        self.offer.iter().flatten().map(unsaved).collect()
    }

    /// The texts that are not saved, those that are offered among them.
    pub(crate) fn unsaved_texts(&self) -> UnsavedTexts {
        let mut texts = self.offered_texts();
        texts.extend(self.documents.unsaved_texts());
        texts
    }
}
