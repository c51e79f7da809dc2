//! What the application asks, each question with its overlay.
//!
//! [`confirmed`] has the questions with a few answers, [`beginning`] the ways to begin.

mod beginning;
mod confirmed;

use super::{
    discovery,
    era_comparison::EraPage,
    importing::import_proposal,
    prompt::Prompt,
    proposal::{ExtraButton, Proposal, Proposed},
    server_import,
    value_form::{Asked, Shown, ValueForm},
    way_back::as_question,
};
use crate::{
    app::{
        calls::CallMessage,
        compose::{connections, context::ComposeContext},
        message::{ConnectionMessage, DocumentMessage, Message, Purpose, ScreenId},
        question::Question,
        state::State,
    },
    engine::filter::AskedGroups,
    model::{entry::FileId, settings::SETTINGS},
    systems::{
        self, agents,
        deployed::{
            deployment::{FirstConnection, FirstField},
            push::{Change, Push},
        },
        table,
    },
    ui::{
        canvas, pasted,
        styles::Role,
        view::{Overlay, Reply},
        widgets::difference,
    },
};

/// A server that anyone with Node.js can start.
const EXAMPLE_SERVER: &str = "npx -y @modelcontextprotocol/server-everything";

/// The overlay for a question.
pub(crate) fn question_overlay(asked: &Question, state: &State) -> Box<dyn Overlay> {
    match asked {
        Question::Import(items) => {
            let from = system_title(items.first().map_or("", |item| item.system));
            let title = format!("Import from {from}");
            Box::new(
                import_proposal(title, items.clone()).with_closing_message(Message::DropQuestion),
            )
        }
        Question::Eras { connection, comparison } => Box::new(EraPage::new(connection, comparison)),
        Question::Server => Box::new(server_proposal()),
        Question::System(system) => {
            let mut known = table::first_connections().filter(|(id, _)| id == system);
            match known.next() {
                Some((_, first)) => Box::new(system_form(first)),
                None => Box::new(beginning::welcome(state)),
            }
        }
        Question::Discovered(all) => Box::new(discovery::found_checklist(all)),
        Question::ImportServers(configs) => {
            Box::new(server_import::server_checklist(configs, state))
        }
        Question::Push { keep, delete } => Box::new(push_proposal(keep, delete, state)),
        Question::Begin => Box::new(beginning::welcome(state)),
        Question::AddTools(text) => as_question(pasted::tools_overlay(text, None, state)),
        Question::Allow { connection, permission, .. } => {
            Box::new(confirmed::allow(connection, permission))
        }
        Question::Leave { files, mocks, messages, unread, running } => {
            Box::new(confirmed::leave(files, mocks, *messages, unread, running, state))
        }
        Question::LeaveForm(goal) => Box::new(confirmed::leave_form(*goal)),
        Question::Draft { then, issues } => Box::new(confirmed::save_draft(*then, issues, state)),
        Question::Conflict { file, disk, .. } => {
            Box::new(confirmed::resolve_conflict(file, disk.as_ref(), state))
        }
        Question::Recover(texts) => Box::new(confirmed::recover(texts, state)),
    }
}

/// Connects to a server of tools, and lists them.
fn server_proposal() -> Proposal {
    let words = "The command that starts the server, or its address, as its README has it: with \
        KEY=value in front or -H 'NAME: value' behind; or its mcpServers block. Enter adds it to \
        toolcrib.toml and starts it.";
    let then = |name| {
        vec![
            Message::DropQuestion,
            Message::Document(DocumentMessage::Save(Some(FileId::new(SETTINGS)))),
            Message::Show(ScreenId::Invoke),
            Message::Connection(ConnectionMessage::ListTyped(name)),
        ]
    };
    Proposal::with_text_proposed(
        "Connect an MCP server",
        words,
        EXAMPLE_SERVER,
        move |text, state| {
            server_import::propose_server(text, state, connections::add_server, then)
        },
    )
    .with_act("connect")
    .with_example()
    .with_cancel_message(Message::CancelQuestion)
}

/// Where a running system is; what it has is imported once its connection is in the settings.
fn system_form(first: &'static FirstConnection) -> ValueForm {
    let asked = |field: &FirstField| Asked {
        label: match field.required {
            true => field.label.to_owned(),
            false => format!("{} (optional)", field.label),
        },
        text: field.value.to_owned(),
        shown: Shown::Plain,
    };
    let fields = first.fields.iter().map(asked).collect();
    let aside = Reply::send(Message::CancelQuestion);
    let title = canvas::sentence_case(first.act);
    let form = ValueForm::new(title, first.words, fields, aside, move |values, state| {
        let table = first.table_value(values)?;
        let plan = connections::add_system(ComposeContext::from_state(state), first.name, &table)?;
        Ok(Reply::Send(vec![
            Message::DropQuestion,
            Message::Document(DocumentMessage::Change { label: plan.label, changes: plan.changes }),
            Message::Show(ScreenId::Connections),
            Message::Connection(ConnectionMessage::AskDeployed(Purpose::FirstImport)),
        ]))
    });
    form.with_act("import")
}

/// A push; what only the running system has stays there unless that is switched.
fn push_proposal(keep: &Push, delete: &Push, state: &State) -> Proposal {
    let words = format!("To {}: {}.", state.current_connection().name, keep.summary());
    let kept = keep.clone();
    let proposal = Proposal::from_proposed(
        format!("Push to {}", system_title(keep.system)),
        words,
        move |_| propose_push(&kept),
    )
    .with_act("push")
    .with_closing_message(Message::DropQuestion);
    let absent: Vec<String> =
        delete.changes.iter().filter(|change| change.after.is_none()).map(Change::name).collect();
    if absent.is_empty() {
        return proposal;
    }
    let names = match absent.as_slice() {
        [first, second, third, _, ..] => {
            format!("{first}, {second}, {third} and {} more", absent.len() - 3)
        }
        few => few.join(", "),
    };
    let also = ExtraButton {
        key: "x",
        hint: "delete too",
        button: format!("delete {} there too", absent.len()),
        off: format!("Only there, not changed: {names}."),
        on: format!("Deleted there, because the workspace doesn't have it: {names}."),
    };
    let delete = delete.clone();
    proposal.with_switch(also, move |_| propose_push(&delete))
}

/// A system's name for people.
fn system_title(system: &str) -> &'static str {
    systems::by_id(system).map_or("there", |system| system.title())
}

/// What a push changes there; why not, when none of it would be loaded then.
fn propose_push(push: &Push) -> Result<Proposed, String> {
    push.loads.clone().map_err(|cause| format!("Can't write anything: {cause}."))?;
    if push.changes.is_empty() {
        return Err("Everything here is already there, unchanged.".into());
    }
    let deployment = systems::by_id(push.system).and_then(|system| system.deployment());
    let secret = deployment.and_then(|deployment| deployment.secret());
    let mut lines = Vec::new();
    for change in &push.changes {
        lines.push(vec![
            (Role::Accent, change.name()),
            (Role::Dim, format!("  {}", change.action_name())),
        ]);
        let [before, after] = change.redacted_texts(secret);
        lines.extend(difference::changed_lines(&before, &after));
    }
    Ok(Proposed {
        act: None,
        notes: push.notes.clone(),
        lines,
        messages: vec![Message::Connection(ConnectionMessage::Push(Box::new(push.clone())))],
    })
}

/// Why the agent cannot be asked over the chosen connection.
pub(crate) fn agent_refusal(state: &State) -> Option<String> {
    agents::find_agent(&state.current_connection())
        .err()
        .map(|problem| format!("{}; {}", problem.cause, problem.remedy))
}

/// Asks what the agent is to be asked, and says in which context that will be.
pub(crate) fn agent_prompt(state: &State) -> Prompt {
    let context = state.context();
    let groups = AskedGroups::from_request(context.groups.as_deref()).names();
    let groups = if groups.is_empty() {
        "no group".to_owned()
    } else {
        format!("groups {}", groups.join(", "))
    };
    let words = format!(
        "The question goes to {}, with {groups} in state {}, as in the current run of Workflow.",
        state.current_connection().name,
        context.state()
    );
    let question = state.workflow.simulation.question().unwrap_or_default();
    Prompt::new("Ask the agent", words, question, |text, _| match text.is_empty() {
        true => Err("write a question".into()),
        false => Ok(Reply::send(Message::Call(CallMessage::AskAgent(text.to_owned())))),
    })
    .with_act("ask")
}
