//! A request as what a case calls, before there is an answer or with one.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    app::{
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::{
        case::{
            page::{self, SentParts},
            script::CaseSteps,
            verdict::Answer,
        },
        scenario::page::file_name,
    },
    model::{
        call::{Outcome, Request},
        entry::{EntryId, FileId},
        tool::Tool,
    },
    schema::literal::Literal,
    systems::{calling, table},
    ui::{overlays::prompt::Prompt, view::Reply},
};

/// What a case says of its call.
pub(super) struct CalledTool {
    /// As cases name it.
    pub tool: String,
    /// Where the tool is only deployed, or where the call isn't over the tool's own.
    connection: Option<String>,
    arguments: Arc<str>,
    meta: Option<String>,
    route: Option<String>,
    steps: Option<CaseSteps>,
}

impl CalledTool {
    /// The tool of a request over that connection, with all that is sent.
    ///
    /// # Errors
    /// In words: no case finds the tool.
    pub fn of_request(request: &Request, connection: &str, state: &State) -> Result<Self, String> {
        // A case is called by the tool's definition.
        let called = state.catalog.tool_called(&request.name);
        let is_its = |tool: &&Tool| {
            let own = state.network.connections.assigned_name(tool);
            own.is_none_or(|own| own == connection)
        };
        // Another one may answer something else.
        let connections = &state.network.connections;
        let elsewhere = |tool: &Tool| {
            let is_known = connections.find_by_name(connection).is_some();
            (is_known && connections.own_name(tool) != connection).then(|| connection.to_owned())
        };
        let name = request.name.clone();
        let (tool, connection) = match state.catalog.tool(&request.tool).or(called.filter(is_its)) {
            // Of several tools of one name only the first is found by it.
            Some(tool) if called.is_some_and(|first| first.id() == tool.id()) => {
                (name, elsewhere(tool))
            }
            Some(tool) => (tool.entry.key.clone(), elsewhere(tool)),
            None if lists_tools(state, connection) => (name, Some(connection.to_owned())),
            None => return Err(without_definition(state)),
        };
        let (route, steps) = calling::case_parts(request);
        Ok(Self {
            tool,
            connection,
            arguments: Arc::clone(&request.arguments),
            meta: calling::request_meta(request.system, &request.body),
            route,
            steps,
        })
    }

    /// The same as a case's file has it, without secrets.
    ///
    /// # Errors
    /// In words: a part of it can't be read.
    pub fn sent_parts(&self, state: &State) -> Result<SentParts, String> {
        let mask = state.mask.of_call(&self.arguments);
        let masked = |text: &str| Literal::parse(&mask.mask_text(text));
        let arguments = masked(&self.arguments)
            .map_err(|error| format!("can't read its arguments: {error}"))?;
        let meta = self.meta.as_deref().map(masked).transpose();
        let meta = meta.map_err(|error| format!("can't read its _meta: {error}"))?;
        let mut steps = self.steps.clone();
        if let Some(steps) = &mut steps {
            let text = Value::from(std::mem::take(&mut steps.outputs)).to_string();
            steps.outputs = serde_json::from_str(&mask.mask_text(&text))
                .map_err(|error| format!("can't read the steps' stored outputs: {error}"))?;
        }
        let (route, connection) = (self.route.clone(), self.connection.clone());
        Ok(SentParts { arguments, meta, connection, route, steps })
    }
}

/// Why what needs a definition can't be done with a tool that no file defines: it was listed of a
/// running system.
pub(crate) fn without_definition(state: &State) -> String {
    let words = "no file of this workspace defines this tool: it is only deployed";
    match table::kept_tools_at(&state.current_connection()) {
        Some(_) => {
            format!("{words}. “keep tools…” on Connections saves the server's tools")
        }
        None => words.into(),
    }
}

/// Whether the system at that connection can be asked for its tools, so that no file has to define
/// them.
fn lists_tools(state: &State, connection: &str) -> bool {
    let known = state.network.connections.find_by_name(connection);
    known.is_some_and(|known| table::deployment_at(known).is_some())
}

/// The file of a case of that name.
pub(super) fn case_file(name: &str) -> FileId {
    FileId::new(format!("{}/{}", page::FOLDER, file_name(name)))
}

/// The file of a new case of that name.
///
/// # Errors
/// In words: there can't be one.
pub(super) fn new_file(name: &str, state: &State) -> Result<FileId, String> {
    if name.is_empty() {
        return Err("a case needs a name".into());
    }
    let file = case_file(name);
    if state.documents.has(&file) {
        return Err(format!("{file} already exists: choose another name"));
    }
    Ok(file)
}

/// Asks for a name, and keeps what would be sent to a tool as a case that expects a success.
pub(crate) fn save_request(tool: &EntryId, state: &State) -> Reply {
    let request = match state.build_request(tool) {
        Ok(request) => request,
        Err(problem) => return Reply::Refused(problem.to_string()),
    };
    let connection = state.call_connection(tool).name;
    let called = match CalledTool::of_request(&request, &connection, state) {
        Ok(called) => called,
        Err(words) => return Reply::Refused(words),
    };
    let words = format!(
        "Saves the request as {}/NAME.yaml, which expects that the call succeeds; secrets are left \
        out. Name:",
        page::FOLDER
    );
    let free = state.documents.free_name(&called.tool, case_file);
    let save = move |name: &str, state: &State| -> Result<Reply, String> {
        let file = new_file(name.trim(), state)?;
        let expect = json!({"outcome": Outcome::Succeeded.as_str()});
        let expect = expect.as_object().cloned().unwrap_or_default();
        let sent = called.sent_parts(state)?;
        let text = page::render_yaml(name.trim(), &called.tool, &sent, &expect, &Answer::default());
        let create = Change::Create { file: file.clone(), text: text.into() };
        let label = format!("save the case {}", name.trim());
        Ok(Reply::Send(vec![
            Message::Document(DocumentMessage::Change { label, changes: vec![create] }),
            Message::Document(DocumentMessage::Save(Some(file))),
        ]))
    };
    Reply::Open(Box::new(
        Prompt::new("Save request as case", words, free, save).with_act("save").preselected(),
    ))
}
