//! What the application asks: leaving with unsaved changes, a file that changed on disk, work left
//! by an earlier session.

use std::sync::Arc;

use super::{
    confirm::{Answer, Confirm},
    discovery,
    era_comparison::EraPage,
    importing::import_proposal,
    prompt::Prompt,
    proposal::{ExtraButton, Proposal, Proposed},
    server_import,
    value_form::{Asked, Shown, ValueForm},
    welcome::{Way, WayAct, Welcome},
};
use crate::{
    app::{
        calls::CallMessage,
        compose::{connections, context::ComposeContext, pasting},
        document::Document,
        form_file::FormGoal,
        message::{
            AfterSave, ConnectionMessage, DocumentMessage, DraftPolicy, Message, Purpose, Recovery,
            ScreenId,
        },
        question::Question,
        state::State,
    },
    engine::filter::AskedGroups,
    model::{entry::FileId, settings::SETTINGS, unsaved::LeftText},
    schema::count::count_text,
    syntax::source::Source,
    systems::{
        self, agents,
        deployed::{
            deployment::{FirstConnection, FirstField},
            push::{Change, Push},
        },
        table,
    },
    ui::{
        canvas, stubs,
        styles::Role,
        view::{Overlay, Reply},
        widgets::difference,
    },
};

/// A server that anyone with Node.js can start.
const EXAMPLE_SERVER: &str = "npx -y @modelcontextprotocol/server-everything";

/// What the first start says, and what is said once there is something in the folder.
const EMPTY: &str = "This folder has no descriptors yet. A sample has tools and services that \
    answer at once, without a server. To look around first, run `toolcrib demo`.";
const EMPTY_IN_WINDOW: &str = "This folder has no descriptors yet. A sample has tools and services \
    that answer at once, without a server. Other folders, and the demo, open in windows of their own.";
const BEGUN: &str = "Add a tool, or the tools of a running system or an MCP server. Samples are \
    for empty folders: `toolcrib demo --sample NAME` shows one.";

const UNREAD: &str = "This folder has no descriptors yet, but a file with tools: they can be added \
    to the workspace, and the file stays as it is. Nothing is added before you saw it.";

/// The keys of files whose tools can be added, as many as are offered.
const FILE_KEYS: [char; 3] = ['f', 'g', 'h'];

/// Of the files so many bytes are read as lists of tools, all together: the first screen waits for it.
const READ: usize = 4 * 1024 * 1024;

/// So many are looked through for words that such a list has.
const LOOKED_THROUGH: usize = 16 * READ;

/// Lines that are shown of one file's difference.
const SHOWN: usize = 6;

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
                None => Box::new(confirm_question(asked, state)),
            }
        }
        Question::Discovered(all) => Box::new(discovery::found_checklist(all)),
        Question::ImportServers(configs) => {
            Box::new(server_import::server_checklist(configs, state))
        }
        Question::Push { keep, delete } => Box::new(push_proposal(keep, delete, state)),
        Question::Begin => Box::new(welcome(state)),
        other => Box::new(confirm_question(other, state)),
    }
}

/// Connects to a server of tools, and lists them.
fn server_proposal() -> Proposal {
    let words = "The command that starts the server, with its variables in front (KEY=value), or its \
        address (-H 'NAME: value'), as its README has it: a mcpServers block and `claude mcp add` \
        are read, too. Enter adds it to toolcrib.toml, and starts it.";
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

/// The ways to begin.
fn welcome(state: &State) -> Welcome {
    let is_empty = state.catalog.entries().next().is_none();
    let way = |key, words, messages| Way {
        key,
        words,
        detail: String::new(),
        act: WayAct::Send(messages),
    };
    let put = |name| Message::Document(DocumentMessage::PutSample(name));
    let mut ways = Vec::new();
    let files = if is_empty { files_with_tools(state) } else { Vec::new() };
    let is_in_window = state.keymap.is_in_window();
    let words = match (is_empty, files.is_empty()) {
        (true, true) if is_in_window => EMPTY_IN_WINDOW,
        (true, true) => EMPTY,
        (true, false) => UNREAD,
        (false, _) => BEGUN,
    };
    ways.extend(FILE_KEYS.into_iter().zip(files).map(|(key, (file, text))| Way {
        key,
        words: "add the tools of",
        detail: file.to_string(),
        act: WayAct::Paste(text),
    }));
    let act = |key, words, act| Way { key, words, detail: String::new(), act: WayAct::Do(act) };
    if is_in_window {
        ways.push(act('d', "open the demo", "open-demo"));
        ways.push(act('p', "open a folder", "open-folder"));
    }
    // A sample's files go into an empty folder.
    if is_empty {
        let workflow = Message::Show(ScreenId::Workflow);
        ways.push(way('s', "open a sample (adds its files here)", vec![put("first-call")]));
        ways.push(way(
            'w',
            "open a workflow sample (adds its files here)",
            vec![put("demo"), workflow],
        ));
    }
    ways.push(act('n', "new tool", "new"));
    ways.extend(table::first_connections().map(|(system, first)| {
        let ask = Message::Connection(ConnectionMessage::AskSystem(system));
        way(first.key, first.act, vec![ask])
    }));
    let connection = Message::Connection;
    ways.extend([
        way(
            'i',
            "import MCP servers found on this machine",
            vec![Message::DropQuestion, connection(ConnectionMessage::FindServers)],
        ),
        way('m', "connect an MCP server", vec![connection(ConnectionMessage::AskServer)]),
        way('e', if is_empty { "start empty" } else { "close" }, vec![Message::DropQuestion]),
    ]);
    Welcome::new(words, ways)
}

/// Files of the workspace that hold tools in a form that isn't read in place, with their texts: lists of
/// tools and functions, OpenAPI documents.
fn files_with_tools(state: &State) -> Vec<(FileId, Arc<str>)> {
    let context = ComposeContext::from_state(state);
    let texts = state.documents.iter().filter(|(_, document)| !document.gone);
    let (mut to_look_through, mut to_read) = (LOOKED_THROUGH, READ);
    let texts = texts.filter_map(|(file, document)| {
        let text = document.text.whole_text();
        to_look_through = to_look_through.checked_sub(text.len())?;
        let left = to_read.checked_sub(text.len())?;
        let marks = ["nputSchema", "input_schema", "\"function\"", "openapi", "parameters"];
        marks.iter().find(|mark| text.contains(**mark))?;
        to_read = left;
        let is_list = pasting::paste_entries(context, text, None).is_ok();
        is_list.then(|| (file.clone(), Arc::clone(text)))
    });
    texts.take(FILE_KEYS.len()).collect()
}

fn confirm_question(question: &Question, state: &State) -> Confirm {
    let aside = vec![Message::DropQuestion];
    match question {
        Question::Allow { connection, permission, .. } => {
            let title = permission.question(connection);
            let answers = vec![
                Answer { key: 'n', words: "cancel", messages: aside.clone() },
                Answer {
                    key: 'y',
                    words: "allow",
                    messages: vec![Message::Connection(ConnectionMessage::AllowAsked)],
                },
            ];
            Confirm::new(title, permission.lines().join("\n"), answers, aside)
        }
        Question::Leave { files, mocks, messages, unread, running } => {
            let is_gone =
                |file: &FileId| state.documents.get(file).is_some_and(|document| document.gone);
            let name = |file: &FileId| match is_gone(file) {
                true => format!("{file} (deleted)"),
                false => file.to_string(),
            };
            let list: Vec<_> = files.iter().map(name).collect();
            let mut words = Vec::new();
            if !list.is_empty() {
                words.push(format!("Unsaved changes in {}.", list.join(", ")));
            }
            let mut save = vec![Message::DropQuestion];
            for tool in mocks.iter().filter_map(|id| state.tool(id)) {
                let key = &tool.entry.key;
                words.push(format!("The mock of {key} isn't kept: it ends with this session."));
                match stubs::keep_mock(tool, state.make_mock(tool), state) {
                    Ok(messages) => save.extend(messages),
                    Err(why) => words.push(format!("It can't be kept: {why}.")),
                }
            }
            if *messages > 0 {
                words.push(format!(
                    "{} of Watch aren't saved: “save trace” there keeps them.",
                    count_text(*messages, "message", "messages")
                ));
            }
            if let Some(first) = unread.first() {
                let more = match unread.len() - 1 {
                    0 => String::new(),
                    more => format!("; and {more} more"),
                };
                words.push(format!("Input that can't be saved would be lost: {first}{more}."));
            }
            let is_lossless = words.is_empty();
            if !running.is_empty() {
                words.push(format!("Quitting stops what is running: {}.", running.join(", ")));
            }
            let words = words.join(" ");
            let cancel = Answer { key: 'c', words: "cancel", messages: aside.clone() };
            let leave = Answer {
                key: 'd',
                words: if is_lossless { "stop and quit" } else { "quit without saving" },
                messages: vec![Message::Quit { discard: true }],
            };
            // Where nothing can be saved, quitting would wait for a save that never comes.
            if list.is_empty() && save.len() == 1 {
                return Confirm::new("Quit?", words, vec![cancel, leave], aside);
            }
            save.extend([Message::Document(DocumentMessage::Save(None)), Message::QuitWhenSaved]);
            let act = if list.is_empty() { "keep as stub and quit" } else { "save all and quit" };
            let save = Answer { key: 's', words: act, messages: save };
            let answers = vec![save, leave, cancel];
            Confirm::new("Quit?", words, answers, aside)
        }
        Question::LeaveForm(goal) => {
            let words = match goal {
                FormGoal::Printed => "Your changes aren't printed yet.",
                FormGoal::Saved => "Your changes aren't saved yet.",
            };
            let done =
                if *goal == FormGoal::Printed { "print and leave" } else { "save and leave" };
            let accept = Message::Accept { then: AfterSave::Leave, draft: DraftPolicy::Ask };
            let answers = vec![
                Answer { key: 's', words: done, messages: vec![Message::DropQuestion, accept] },
                Answer {
                    key: 'd',
                    words: "quit without saving it",
                    messages: vec![Message::Quit { discard: true }],
                },
                Answer { key: 'c', words: "cancel", messages: aside.clone() },
            ];
            Confirm::new("Quit?", words, answers, aside)
        }
        Question::Draft { then, issues } => {
            let count = if issues.len() == 1 {
                "One issue".to_owned()
            } else {
                format!("{} issues", issues.len())
            };
            let mut said: Vec<&str> = issues.iter().take(4).map(String::as_str).collect();
            if issues.len() > said.len() {
                said.push("…");
            }
            let lost = if !state.documents.unread.is_empty() {
                " Invalid input will be dropped."
            } else {
                ""
            };
            let words = format!("{count}: {}.{lost} You can save it as a draft.", said.join("; "));
            let accept = Message::Accept { then: *then, draft: DraftPolicy::Allow };
            let answers = vec![
                Answer { key: 'k', words: "keep editing", messages: aside.clone() },
                Answer { key: 'd', words: "save as draft", messages: vec![accept] },
            ];
            Confirm::new("Doesn't match the schema", words, answers, aside)
        }
        Question::Conflict { file, disk, .. } => {
            let document = state.documents.get(file);
            let is_other = document.is_some_and(|document| document.saved.is_none());
            let mine = document.map_or(0, |document| document.changed_rows().len());
            let (title, words) = match disk {
                Some(_) if is_other => {
                    ("There already", format!("{file} already exists and holds something else."))
                }
                Some(_) => (
                    "Changed on disk",
                    format!("{file} was changed on disk since it was read. {}", aside_words(mine)),
                ),
                None => (
                    "Changed on disk",
                    format!("{file} was removed on disk. {}", aside_words(mine)),
                ),
            };
            let disk_text = disk.as_deref().filter(|_| !is_other);
            let merged =
                document.zip(disk_text).map(|(mine, disk)| mine.merged_with(disk).is_some());
            let merge = Answer {
                key: 'm',
                words: "merge both",
                messages: vec![Message::Document(DocumentMessage::Merge(file.clone()))],
            };
            let words = match merged {
                Some(false) => {
                    format!("{words} Both changed the same lines, or lines beside each other.")
                }
                _ => words,
            };
            // Neither text is lost unless that is chosen.
            let mut answers = vec![Answer { key: 'c', words: "cancel", messages: aside.clone() }];
            answers.extend(merged.unwrap_or_default().then_some(merge));
            answers.extend([
                Answer {
                    key: 'r',
                    words: "reload from disk",
                    messages: vec![Message::Document(DocumentMessage::TakeDisk(file.clone()))],
                },
                Answer {
                    key: 'o',
                    words: "overwrite",
                    messages: vec![Message::Document(DocumentMessage::Overwrite(file.clone()))],
                },
            ]);
            let differing = document.and_then(|mine| overwritten_lines(disk.as_ref(), mine, state));
            let head = vec![(Role::Dim, "What overwriting would change:".to_owned())];
            let lines = differing.map(|lines| [vec![head], lines].concat());
            Confirm::new(title, words, answers, aside).with_lines(lines.unwrap_or_default())
        }
        // These show what changes, and are no choice of answers.
        Question::Import(_)
        | Question::Push { .. }
        | Question::Begin
        | Question::Server
        | Question::System(_)
        | Question::Eras { .. }
        | Question::Discovered(_)
        | Question::ImportServers(_) => Confirm::new("", "", Vec::new(), aside),
        Question::Recover(texts) => {
            let printed = state.form.as_ref().filter(|form| form.goal == FormGoal::Printed);
            let words = match printed {
                Some(form) => format!(
                    "An earlier session with {} ended before its document was printed.",
                    form.title
                ),
                None if texts.values().any(|left| left.is_behind) => {
                    "An earlier session ended with unsaved changes, and files have changed on disk \
                     since. Restoring writes nothing; saving asks before it overwrites:"
                        .to_owned()
                }
                None => {
                    "An earlier session ended with unsaved changes. They are newer than the files:"
                        .to_owned()
                }
            };
            let answers = vec![
                Answer {
                    key: 'r',
                    words: "restore",
                    messages: vec![Message::Document(DocumentMessage::Recover(Recovery::Restore))],
                },
                Answer {
                    key: 'd',
                    words: "discard",
                    messages: vec![Message::Document(DocumentMessage::Recover(Recovery::Discard))],
                },
            ];
            let differing = texts
                .iter()
                .flat_map(|(file, left)| unsaved_difference(file, left, state))
                .collect();
            Confirm::new(
                "Unsaved work",
                words,
                answers,
                vec![Message::Document(DocumentMessage::Recover(Recovery::Restore))],
            )
            .with_lines(differing)
            .with_escape("restore")
        }
    }
}

/// What overwriting a file changes, without what a form masks; `None` where that isn't known, since
/// one of the texts can't be read.
fn overwritten_lines(
    disk: Option<&Arc<str>>,
    mine: &Document,
    state: &State,
) -> Option<Vec<difference::Line>> {
    let disk = disk.cloned().unwrap_or_default();
    let Some(form) = &state.form else {
        return Some(difference::diff_with_context(&disk, mine.text.whole_text()));
    };
    let disk = Source::of_format(mine.format, disk).ok()?;
    let mine = mine.source.as_ref().ok()?;
    let shown = |source: &Source| form.mask_document(source, &state.mask);
    Some(difference::diff_with_context(&shown(&disk), &shown(mine)))
}

/// How an unsaved text differs from its file: in so many lines, and the first of them. A form's
/// lines may hold what it masks.
fn unsaved_difference(file: &FileId, left: &LeftText, state: &State) -> Vec<difference::Line> {
    let name = (Role::Accent, file.to_string());
    let Some(document) = state.documents.get(file) else {
        return vec![vec![name, (Role::Warning, "  not on disk".into())]];
    };
    let mut lines = difference::changed_lines(
        &state.mask.mask_text(document.text.whole_text()),
        &state.mask.mask_text(&left.text),
    );
    let count =
        |role: Role| lines.iter().filter(|line| line.iter().any(|(of, _)| *of == role)).count();
    let counts =
        format!("  lines added: {}, removed: {}", count(Role::Added), count(Role::Removed));
    let since = left.is_behind.then(|| (Role::Warning, "  changed on disk since".to_owned()));
    if state.form.is_some() {
        lines.clear();
    }
    let more = lines.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| vec![(Role::Dim, format!("      … and {more} more"))]);
    let first = [name, (Role::Dim, counts)].into_iter().chain(since).collect();
    [first].into_iter().chain(lines.into_iter().take(SHOWN)).chain(more).collect()
}

fn aside_words(lines: usize) -> String {
    let lines = count_text(lines, "line", "lines");
    format!("Saving would overwrite that. You changed {lines}.")
}
