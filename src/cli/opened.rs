//! The workspace as a command finds it: settings, files, and what they hold.

use std::{
    collections::HashMap,
    env,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::{global::Global, out::CommandOutput};
use crate::{
    engine::{gated::Slot, groups::CustomGroups, settings::connections, workflow::similar},
    model::{
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
    schema::count::count_text,
    store::{
        settings::workspace as settings,
        workspace::{FileRead, ReadEnd, SETTINGS, Workspace},
    },
    syntax::source::Source,
    systems::{read, table},
    wire::systems::facets::responder::Lookup,
};

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
    /// When a single file was asked for.
    pub asked: Option<FileId>,
    rows: HashMap<FileId, usize>,
    /// The current folder.
    here: PathBuf,
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
        let mut workspace = Workspace::find(path.or(global.workspace.as_deref()))?;
        let asked = workspace.only.clone();
        if workspace.root.join(SETTINGS).is_file() {
            workspace.only = None;
        }
        let (mut settings, settings_findings) = settings::load_settings(&workspace)?;
        for known in &mut settings.connections.known {
            *known = known.clone().placed_in(&workspace.root);
        }
        if let Some(wanted) = &global.connection {
            settings
                .connections
                .choose(connections::find_connection(&settings.connections, wanted)?);
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
        let opened = Self::read_workspace(global, path)?;
        match opened.connection_fault().filter(|_| global.connection.is_none()) {
            Some(fault) => {
                let place =
                    format!("{}:{}", opened.display_path(&fault.site.file), fault.site.line);
                let cause = fault.message.clone();
                Err(Problem::new(ProblemKind::Input, format!("reading {place}"), cause)
                    .with_remedy("correct it, or name a connection with --connection"))
            }
            None => Ok(opened.warned(out)),
        }
    }

    /// An error in the settings that keeps unknown where calls go.
    pub fn connection_fault(&self) -> Option<&Finding> {
        let is_of_connections = |finding: &&Finding| {
            let first = finding.site.pointer.tokens().first().map(String::as_str);
            matches!(first, None | Some("connection" | "connections"))
        };
        let mut errors =
            self.settings_findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.find(is_of_connections)
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

    /// Prints a warning for whatever keeps an answer from being whole.
    fn warned(self, out: &CommandOutput) -> Self {
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
        for file in &self.files {
            if let Err(error) = &file.source {
                out.warn(format_args!("{} is left out: {error}", self.display_path(&file.file)));
            }
        }
        for words in &self.end.sentences() {
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

    /// A file as one would type it: from the current folder where it lies below that, else in full.
    #[must_use]
    pub fn display_path(&self, file: &FileId) -> String {
        let path = self.workspace.file_path(file);
        path.strip_prefix(&self.here).unwrap_or(&path).display().to_string()
    }

    /// The tool of that key or name.
    ///
    /// # Errors
    /// When there is none, with the nearest one.
    pub fn tool(&self, word: &str) -> Result<&Tool, Problem> {
        self.catalog.tool_called(word).ok_or_else(|| {
            let names = || {
                self.catalog
                    .tools
                    .iter()
                    .flat_map(|tool| [tool.entry.key.as_str(), tool.name.as_str()])
            };
            let remedy = match similar::nearest_name(word, names()) {
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
}

impl OpenWorkspace {
    /// Where tools can be found when the workspace has none.
    fn remedy_without_tools(&self) -> String {
        let current = &self.settings.connections.current().name;
        let others = self.settings.connections.known.iter().map(|known| &known.name);
        let embedded = &Connection::embedded().name;
        match others.into_iter().find(|name| *name != current && *name != embedded) {
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
