//! The workspace as a command finds it: settings, files, and what they hold.

use std::{
    collections::HashMap,
    env,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::{global::Global, out::CommandOutput, report_paths::relative_path};
use crate::{
    engine::{
        gated::Slot,
        groups::CustomGroups,
        settings::variables::{VARIABLES, VARIABLES_KEY},
        workflow::similar,
    },
    model::{
        call::Limits,
        catalog::Catalog,
        connection::Connection,
        context::Mode,
        entry::FileId,
        finding::{Finding, Severity},
        problem::{Problem, ProblemKind},
        service::Service,
        settings::WorkspaceSettings,
        tool::Tool,
    },
    runtime::agent_loop::AgentWorld,
    schema::{count::count_text, pointer::Pointer},
    store::{
        settings::workspace as settings,
        workspace::{FileRead, ReadEnd, SETTINGS, Workspace},
    },
    syntax::source::Source,
    systems::{read, table},
    wire::{registry::Registry, systems::facets::responder::Lookup},
};

/// The settings that say where calls go, and with what.
const OF_CALLS: [&str; 4] = ["connection", "connections", VARIABLES, VARIABLES_KEY];

/// Those that say what is checked and measured.
const OF_CHECKS: [&str; 3] = ["health", "prices", "schemas"];

/// The user that a call names when nobody says who it is.
pub(crate) const NOBODY: &str = "user";

/// A workspace with everything that was read of it.
pub(crate) struct OpenWorkspace {
    pub workspace: Workspace,
    pub settings: WorkspaceSettings,
    /// What is wrong in the settings.
    pub settings_findings: Vec<Finding>,
    /// In the order of their names.
    pub files: Vec<FileRead>,
    /// How the reading ended, and what was left out.
    pub end: ReadEnd,
    pub catalog: Catalog,
    /// The catalog's tools, row for row, with the workspace's custom groups among their own.
    pub tools: Vec<Slot>,
    /// When no more than some files and folders were asked for.
    pub asked: Vec<AskedPath>,
    rows: HashMap<FileId, usize>,
    /// The current folder.
    here: PathBuf,
}

/// A part of a workspace that the command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AskedPath {
    File(FileId),
    /// Below the root, as the ids of files name it.
    Folder(String),
}

impl AskedPath {
    fn holds(&self, file: &FileId) -> bool {
        match self {
            Self::File(asked) => asked == file,
            Self::Folder(folder) => file
                .as_str()
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.starts_with('/')),
        }
    }
}

impl OpenWorkspace {
    /// The connection for all that is no tool's own call. One that names no system leads to that
    /// of the workspace's tools, where they have one in common.
    pub fn current_connection(&self) -> Connection {
        table::claim_connection(self.settings.connections.current(), &self.catalog)
    }

    /// Reads the workspace that the command line means. A file of a workspace brings the whole
    /// workspace along, since its entries refer to others.
    ///
    /// # Errors
    /// When there is no such path, or it cannot be read at all.
    pub fn read_workspace(global: &Global, path: Option<&Path>) -> Result<Self, Problem> {
        let mut workspace = global.find_workspace(path)?;
        let asked = asked_path(&workspace, path).into_iter().collect();
        if workspace.root.join(SETTINGS).is_file() {
            workspace.only = None;
        }
        let (mut settings, settings_findings) = settings::load_settings(&workspace)?;
        for known in &mut settings.connections.known {
            *known = known.clone().placed_in(&workspace.root);
        }
        if let Some(wanted) = &global.connection {
            let found = table::find_connection(&settings.connections, wanted);
            let found = found.map_err(|problem| {
                refused_settings(wanted, &settings_findings).unwrap_or(problem)
            })?;
            settings.connections.choose(found);
        }
        settings.mode = global.mode.map_or(settings.mode, Mode::from);
        let mut files = Vec::new();
        let end = workspace.read_files(|slice| {
            files.extend(slice);
            ControlFlow::Continue(())
        })?;
        let sources =
            files.iter().filter_map(|file| Some((&file.file, file.source.as_ref().ok()?)));
        let catalog = read::read_kept_catalog(sources, settings.mode);
        // What is wrong with the groups is among the findings of the settings.
        let custom = CustomGroups::from_value(&settings.groups).unwrap_or_default();
        let tools = custom.expand_tools(&catalog.tools).tools;
        let rows = files.iter().enumerate().map(|(row, file)| (file.file.clone(), row)).collect();
        let here = env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
        Ok(Self {
            workspace,
            settings,
            settings_findings,
            files,
            end,
            catalog,
            tools,
            asked,
            rows,
            here,
        })
    }

    /// As [`OpenWorkspace::read_at`], for a command that calls or reads what is elsewhere: where the
    /// settings say that wrongly, nothing goes anywhere.
    ///
    /// # Errors
    /// The same, and an error in the settings that has to do with connections, unless one is named
    /// on the command line.
    pub fn read_connected(
        global: &Global,
        path: Option<&Path>,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        Self::read_connected_beside(global, path, out, &|_| false)
    }

    /// The same without a warning of those files that `is_reported` elsewhere where they can't be
    /// read.
    ///
    /// # Errors
    /// As [`OpenWorkspace::read_connected`].
    pub fn read_connected_beside(
        global: &Global,
        path: Option<&Path>,
        out: &CommandOutput,
        is_reported: &dyn Fn(&FileId) -> bool,
    ) -> Result<Self, Problem> {
        let opened = Self::read_workspace(global, path)?;
        match opened.connection_fault().filter(|_| global.connection.is_none()) {
            Some(fault) => {
                Err(opened
                    .refuse_fault(fault, "correct it, or name a connection with --connection"))
            }
            None => Ok(opened.warned_beside(out, is_reported)),
        }
    }

    fn refuse_fault(&self, fault: &Finding, remedy: &str) -> Problem {
        let place = format!("{}:{}", self.display_path(&fault.site.file), fault.site.line);
        Problem::new(ProblemKind::Input, format!("reading {place}"), fault.message.clone())
            .with_remedy(remedy)
    }

    /// An error in the settings that keeps unknown where calls go.
    pub fn connection_fault(&self) -> Option<&Finding> {
        self.settings_error(|table| OF_CALLS.contains(&table))
    }

    /// An error in one of the settings' tables that count, or one that leaves all of them out.
    fn settings_error(&self, counts: impl Fn(&str) -> bool) -> Option<&Finding> {
        let is_wrong = |finding: &&Finding| finding.severity == Severity::Error;
        self.settings_findings
            .iter()
            .filter(is_wrong)
            .find(|finding| finding.site.pointer.tokens().first().is_none_or(|table| counts(table)))
    }

    /// Whether a file is among what was asked for.
    #[must_use]
    pub fn is_asked(&self, file: &FileId) -> bool {
        self.asked.is_empty() || self.asked.iter().any(|asked| asked.holds(file))
    }

    /// The files that were asked for by name.
    pub fn asked_files(&self) -> impl Iterator<Item = &FileId> {
        self.asked.iter().filter_map(|asked| match asked {
            AskedPath::File(file) => Some(file),
            AskedPath::Folder(_) => None,
        })
    }

    /// Asks for another part of the workspace, too.
    ///
    /// # Errors
    /// When there is no such path, or it lies in no folder of this workspace.
    pub fn ask_for(&mut self, path: &Path) -> Result<(), Problem> {
        let found = Workspace::find(Some(path))?;
        if found.root != self.workspace.root {
            let doing = format!("opening {}", path.display());
            let cause = format!("it isn't in the workspace {}", self.workspace.root.display());
            return Err(Problem::new(ProblemKind::Input, doing, cause)
                .with_remedy("name paths of one workspace at a time"));
        }
        match asked_path(&found, Some(path)) {
            Some(asked) if !self.asked.is_empty() => self.asked.push(asked),
            // The whole of it, now or before.
            _ => self.asked.clear(),
        }
        Ok(())
    }

    /// As [`OpenWorkspace::read_at`], for a command whose answer follows the settings' rules: mode,
    /// groups, profiles, gates. Where these are wrong, it would answer by others.
    ///
    /// # Errors
    /// As [`OpenWorkspace::read_workspace`], and an error in the settings that has to do with rules.
    pub fn read_ruled(
        global: &Global,
        path: Option<&Path>,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        let opened = Self::read_workspace(global, path)?;
        let is_rule = |table: &str| !OF_CALLS.contains(&table) && !OF_CHECKS.contains(&table);
        match opened.settings_error(is_rule) {
            Some(fault) => {
                Err(opened
                    .refuse_fault(fault, "correct it; `toolcrib check` lists all that is wrong"))
            }
            None => Ok(opened.warned(out)),
        }
    }

    /// The same, with a warning for whatever keeps an answer from being whole.
    ///
    /// # Errors
    /// As [`OpenWorkspace::read_workspace`].
    pub fn read_aloud(global: &Global, out: &CommandOutput) -> Result<Self, Problem> {
        Self::read_at(global, None, out)
    }

    /// The same of a workspace that another path names.
    ///
    /// # Errors
    /// As [`OpenWorkspace::read_workspace`].
    pub fn read_at(
        global: &Global,
        path: Option<&Path>,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        Ok(Self::read_workspace(global, path)?.warned(out))
    }

    /// That every file that is asked for was read: one that wasn't may hold what is looked for.
    ///
    /// # Errors
    /// The first that wasn't.
    pub fn check_asked(&self) -> Result<(), Problem> {
        self.unread_asked().into_iter().next().map_or(Ok(()), |(_, problem)| Err(problem))
    }

    /// The files among what was asked for that couldn't be read, with the reason.
    #[must_use]
    pub fn unread_asked(&self) -> Vec<(FileId, Problem)> {
        let broken = self.files.iter().filter_map(|file| {
            let error = file.source.as_ref().err()?;
            let doing = format!("reading {}", self.display_path(&file.file));
            Some((file.file.clone(), Problem::new(ProblemKind::Input, doing, error.to_string())))
        });
        broken
            .chain(self.end.unread.iter().cloned())
            .filter(|(file, _)| self.is_asked(file))
            .collect()
    }

    /// A file's path below the folder that was asked for.
    #[must_use]
    pub fn path_below_asked<'f>(&self, file: &'f FileId) -> &'f str {
        let below = self.asked.iter().find_map(|asked| match asked {
            AskedPath::Folder(folder) => file.as_str().strip_prefix(folder)?.strip_prefix('/'),
            AskedPath::File(_) => None,
        });
        below.unwrap_or(file.as_str())
    }

    /// Prints a warning for whatever keeps an answer from being whole.
    fn warned(self, out: &CommandOutput) -> Self {
        self.warned_beside(out, &|_| false)
    }

    fn warned_beside(self, out: &CommandOutput, is_reported: &dyn Fn(&FileId) -> bool) -> Self {
        for finding in
            self.settings_findings.iter().filter(|finding| finding.severity != Severity::Note)
        {
            let site = &finding.site;
            out.warn(format_args!(
                "{}:{}:{}: {}",
                self.display_path(&site.file),
                site.line,
                site.column,
                finding.message
            ));
        }
        for file in self.files.iter().filter(|file| !is_reported(&file.file)) {
            if let Err(error) = &file.source {
                out.warn(format_args!("{} is left out: {error}", self.display_path(&file.file)));
            }
        }
        let mut end = self.end.clone();
        end.unread.retain(|(file, _)| !is_reported(file));
        for words in &end.sentences() {
            out.warn(words);
        }
        out.print_detail(format_args!(
            "workspace {}, {}, {} mode",
            self.workspace.root.display(),
            count_text(self.files.len(), "file", "files"),
            self.settings.mode
        ));
        self
    }

    /// Says which entry keeps a system from loading any of the tools.
    pub fn warn_of_refusals(&self, out: &CommandOutput) {
        for refusal in &self.catalog.refusals {
            let line = self.catalog.entry(&refusal.entry).map_or(1, |entry| entry.line);
            out.warn(format_args!("{}:{line}: {refusal}", self.display_path(refusal.entry.file())));
        }
    }

    #[must_use]
    pub fn source(&self, file: &FileId) -> Option<&Source> {
        self.files.get(*self.rows.get(file)?)?.source.as_ref().ok()
    }

    /// A file as one would type it: from the current folder where that lies in the workspace or
    /// above the file, else in full.
    #[must_use]
    pub fn display_path(&self, file: &FileId) -> String {
        let path = self.workspace.file_path(file);
        match self.here.starts_with(&self.workspace.root) {
            true => relative_path(&path, &self.here).display().to_string(),
            false => path.strip_prefix(&self.here).unwrap_or(&path).display().to_string(),
        }
    }

    /// The tool of that key or name.
    ///
    /// # Errors
    /// When there is none, with the nearest one; when tools of several systems have that key.
    pub fn tool(&self, word: &str) -> Result<&Tool, Problem> {
        let connections = &self.settings.connections;
        // Of several tools of one name the one of the connection that is asked for.
        let chosen = connections.chosen.as_deref();
        let there = chosen.and_then(|chosen| connections.tool_of(chosen, word, &self.catalog));
        let several = self.catalog.ambiguous_tools(word);
        if there.is_none() && !several.is_empty() {
            let addresses: Vec<String> = several.iter().map(|tool| tool.address()).collect();
            let cause = format!("tools of several systems have the key \"{word}\"");
            return Err(Problem::new(ProblemKind::Input, "looking for the tool", cause)
                .with_remedy(format!("choose one: {}", addresses.join(" or "))));
        }
        there.or_else(|| self.catalog.tool_called(word)).ok_or_else(|| {
            let remedy = match self.similar_tool(word) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None if self.catalog.tools.is_empty() => self.remedy_without_tools(),
                None => "list them with `toolcrib tools`".to_owned(),
            };
            Problem::new(
                ProblemKind::Missing,
                "looking for the tool",
                format!("there is no tool \"{word}\" in {}", self.workspace.name()),
            )
            .with_remedy(remedy)
        })
    }

    /// The user that calls name, where they don't say another.
    pub fn user(&self) -> &str {
        self.settings.context.user.as_deref().unwrap_or(NOBODY)
    }

    /// What runs of models work with; each call that they make has these limits.
    pub fn agent_world<'w>(&'w self, registry: &'w Registry, limits: Limits) -> AgentWorld<'w> {
        let mut world = AgentWorld::new(&self.catalog, &self.tools, &self.settings, registry);
        self.user().clone_into(&mut world.caller.user);
        world.caller.limits = limits;
        world
    }

    /// The tool that a word means; of `CONNECTION/TOOL`, where no file has a tool of that key, calls
    /// go through that connection, if it leads to a system that lists its tools.
    pub fn take_connection<'w>(&mut self, word: &'w str) -> &'w str {
        let connections = &mut self.settings.connections;
        let Some((name, tool)) = word.split_once('/') else { return word };
        let is_own = connections.chosen.is_some() || self.catalog.tool_called(word).is_some();
        let named = connections.find_by_name(name).filter(|_| !is_own);
        let Some(there) = named.filter(|named| table::deployment_at(named).is_some()) else {
            return word;
        };
        let there = there.clone();
        connections.choose(there);
        tool
    }

    /// The key or name of a tool that a word may mean.
    pub fn similar_tool(&self, word: &str) -> Option<&str> {
        let tools = self.catalog.tools.iter();
        let names = tools.flat_map(|tool| [tool.entry.key.as_str(), tool.name.as_str()]);
        similar::nearest_name(word, names)
    }
}

/// The part of a workspace that a path names; `None`: all of it.
fn asked_path(workspace: &Workspace, path: Option<&Path>) -> Option<AskedPath> {
    if let Some(file) = &workspace.only {
        return Some(AskedPath::File(file.clone()));
    }
    let real = path?.canonicalize().ok()?;
    let below = real.strip_prefix(&workspace.root).ok()?;
    let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| AskedPath::Folder(parts.join("/")))
}

/// Why a connection that the settings name isn't there.
fn refused_settings(name: &str, findings: &[Finding]) -> Option<Problem> {
    let at = Pointer::root().child("connections").child(name);
    let is_of = |finding: &&Finding| finding.site.pointer.starts_with(&at);
    let mut wrong = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let finding = wrong.find(is_of)?;
    let doing = format!("choosing the connection \"{name}\"");
    let cause = format!("{}:{}: {}", finding.site.file, finding.site.line, finding.message);
    Some(Problem::new(ProblemKind::Input, doing, cause).with_remedy("correct its settings"))
}

impl OpenWorkspace {
    /// Where tools can be found when the workspace has none.
    pub fn remedy_without_tools(&self) -> String {
        let current = &self.settings.connections.current().name;
        if self.settings.connections.chosen.is_some() {
            return format!(
                "`toolcrib tools --deployed --connection {current}` lists the tools that are there"
            );
        }
        let embedded = &Connection::embedded().name;
        let known = &self.settings.connections.known;
        let of_system = known.iter().filter(|known| table::deployment_at(known).is_some());
        // The one that calls take is named before others.
        let is_current = |connection: &&Connection| connection.name == *current;
        let first = of_system.clone().find(is_current).or_else(|| of_system.clone().next());
        let others = known.iter().filter(|known| known.name != *current);
        let mut named = first.into_iter().chain(others).map(|known| &known.name);
        match named.find(|name| *name != embedded) {
            Some(name) => format!(
                "this workspace has no tools; `toolcrib tools --deployed --connection {name}` \
                lists those of a running system, and `--connection {name}` calls them"
            ),
            None => "this workspace has no tools; open another with --workspace DIR, or try \
                    `toolcrib demo`"
                .to_owned(),
        }
    }
}

impl Lookup for OpenWorkspace {
    fn find_tool(&self, word: &str) -> Result<&Tool, Problem> {
        self.tool(word)
    }

    /// The service that a word means: its own key, or that of the tool which calls it.
    fn find_service(&self, word: &str) -> Result<&Service, Problem> {
        if let Some(service) = self.catalog.services.iter().find(|service| service.key() == word) {
            return Ok(service);
        }
        let tool = self.tool(word)?;
        let found = tool
            .service
            .as_deref()
            .and_then(|key| self.catalog.service_by_key(tool.entry.system, key));
        found.ok_or_else(|| {
            let cause = format!("the tool \"{}\" has no service in this workspace", tool.entry.key);
            Problem::new(ProblemKind::Input, "serving", cause)
                .with_remedy("choose a tool of type tool-service whose service is there")
        })
    }
}
