//! Stubs on the screen: an answer kept as a rule, in a new stub of the workspace or one that is
//! there. Invoke and History offer it.

use std::sync::Arc;

use super::{overlays::prompt::Prompt, view::Reply};
use crate::{
    app::{
        calls::CallMessage,
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::stub::{page, read::read_stub},
    model::{
        call::Call,
        entry::{EntryId, FileId},
        stub::{Stub, StubService},
        tool::Tool,
    },
    systems::stubs::of_call,
};

/// Asks for a name and keeps the answer as a rule of that stub.
pub(crate) fn save_stub_rule(call: &Call, state: &State) -> Reply {
    let mask = state.mask.of_call(&call.request.arguments);
    let services = match of_call(call, &mask) {
        Ok(services) => services,
        Err(problem) => return Reply::Refused(format!("{}: {}", problem.cause, problem.remedy)),
    };
    let mut services = services;
    // A tool without a queue is answered by its own stub.
    if let [StubService { name, request: None, .. }] = &mut services[..]
        && let Some(tool) = state.tool(&call.request.tool)
    {
        name.clone_from(&tool.entry.key);
    }
    let command = match services.iter().all(|service| service.request.is_some()) {
        true => "serve",
        false => "test",
    };
    let words = format!(
        "`toolcrib {command} --stub {}/NAME.yaml` will answer the same arguments with this. {} \
        Name of the stub:",
        page::FOLDER,
        existing_stubs(state)
    );
    // One that asked a single service bears its name, so that further answers come to it.
    let first_name = match services.as_slice() {
        [only] if only.request.as_ref() != Some(&only.name) => only.name.clone(),
        _ => call.request.name.clone(),
    };
    ask_name(
        KeptRules { title: "Keep as stub", what: "an answer".into(), services, mock_of: None },
        words,
        first_name,
    )
}

/// What is to be kept, and how that is called.
struct KeptRules {
    title: &'static str,
    /// For undo.
    what: String,
    services: Vec<StubService>,
    /// The tool whose mock it is.
    mock_of: Option<EntryId>,
}

/// Asks which stub takes the rules.
fn ask_name(kept: KeptRules, words: String, first_name: String) -> Reply {
    let KeptRules { title, what, services, mock_of } = kept;
    let prompt = Prompt::new(title, words, first_name, move |name, state| {
        if name.is_empty() {
            return Err("a stub needs a name".into());
        }
        let file = page::file_of_tool(name);
        let changes = stub_changes(&file, name, &services, state)?;
        let label = format!("save {what} in the stub {name}");
        let mut messages = vec![
            Message::Document(DocumentMessage::Change { label, changes }),
            Message::Document(DocumentMessage::Save(Some(file))),
        ];
        messages.extend(mock_of.clone().map(|tool| Message::Call(CallMessage::MockKept { tool })));
        Ok(Reply::Send(messages))
    });
    Reply::Open(Box::new(prompt.with_act("keep").preselected()))
}

/// Asks for a name and writes the mock of a tool, whose service may be missing, as that stub.
pub(crate) fn save_mock(
    tool: &Tool,
    service: StubService,
    lacks_service: bool,
    state: &State,
) -> Reply {
    let key = &tool.entry.key;
    let first = match lacks_service {
        true => format!(" once its service exists ({})", state.keymap.way_to("make-service")),
        false => String::new(),
    };
    let words = format!(
        "`toolcrib serve --stub {}/NAME.yaml` answers for {key} like this{first}: with \
        --connection ADDRESS on a broker, with --mcp for MCP clients. {} Name of the stub:",
        page::FOLDER,
        existing_stubs(state)
    );
    let service = StubService { name: key.clone(), ..service };
    let what = format!("the mock of {key}");
    let mock_of = Some(tool.id().clone());
    let kept = KeptRules { title: "Keep mock", what, services: vec![service], mock_of };
    ask_name(kept, words, key.clone())
}

/// What writes the mock of a tool as its stub, without asking.
///
/// # Errors
/// When the stub that is there can't be read.
pub(crate) fn keep_mock(
    tool: &Tool,
    service: StubService,
    state: &State,
) -> Result<Vec<Message>, String> {
    let key = &tool.entry.key;
    let file = page::file_of_tool(key);
    let service = StubService { name: key.clone(), ..service };
    let changes = stub_changes(&file, key, &[service], state)?;
    let label = format!("keep the mock of {key}");
    Ok(vec![
        Message::Document(DocumentMessage::Change { label, changes }),
        Message::Document(DocumentMessage::Save(Some(file))),
        Message::Call(CallMessage::MockKept { tool: tool.id().clone() }),
    ])
}

/// A new file, or the rule before those of the one that is there.
fn stub_changes(
    file: &FileId,
    name: &str,
    services: &[StubService],
    state: &State,
) -> Result<Vec<Change>, String> {
    let Some(document) = state.documents.present(file) else {
        let stub = Stub { name: name.to_owned(), services: services.to_vec() };
        let text: Arc<str> = page::render_yaml(&stub).into();
        return Ok(vec![Change::Create { file: file.clone(), text }]);
    };
    let source = document.source.as_ref().map_err(|error| format!("can't read {file}: {error}"))?;
    let stub = read_stub(source).map_err(|issue| format!("{file} isn't a stub: {issue}"))?;
    let edits = services.iter().flat_map(|service| page::rule_edits(&stub, service));
    Ok(edits.map(|edit| Change::File { file: file.clone(), document: 0, edit }).collect())
}

/// Which stubs the workspace has.
fn existing_stubs(state: &State) -> String {
    let stubs: Vec<&str> = state
        .documents
        .iter()
        .filter_map(|(file, _)| {
            file.as_str().strip_prefix(page::FOLDER)?.strip_prefix('/')?.rsplit_once('.')
        })
        .map(|(name, _)| name)
        .collect();
    match stubs.as_slice() {
        [] => String::new(),
        stubs => format!("An existing stub gets one more rule: {}.", stubs.join(", ")),
    }
}
