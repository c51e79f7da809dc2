//! Questions with a few answers: leaving with unsaved changes, a file that changed on disk, work left
//! by an earlier session.

use std::sync::Arc;

use crate::{
    app::{
        documents::Document,
        form_file::FormGoal,
        message::{AfterSave, ConnectionMessage, DocumentMessage, DraftPolicy, Message, Recovery},
        state::State,
    },
    model::{
        entry::{EntryId, FileId},
        unsaved::{LeftText, LeftTexts},
    },
    schema::count::count_text,
    syntax::source::Source,
    systems::permission::Permission,
    ui::{
        overlays::confirm::{Answer, Confirm},
        stubs,
        styles::Role,
        widgets::difference,
    },
};

/// Lines that are shown of one file's difference.
const SHOWN: usize = 6;

/// What Esc sends: the question is dropped, and nothing else happens.
fn aside() -> Vec<Message> {
    vec![Message::DropQuestion]
}

/// May the connection do what it needs?
pub(super) fn allow(connection: &str, permission: &Permission) -> Confirm {
    let title = permission.question(connection);
    let answers = vec![
        Answer { key: 'n', words: "cancel", messages: aside() },
        Answer {
            key: 'y',
            words: "allow",
            messages: vec![Message::Connection(ConnectionMessage::AllowAsked)],
        },
    ];
    Confirm::new(title, permission.lines().join("\n"), answers, aside())
}

/// Leave although something isn't saved, or runs?
pub(super) fn leave(
    files: &[FileId],
    mocks: &[EntryId],
    messages: u64,
    unread: &[String],
    running: &[String],
    state: &State,
) -> Confirm {
    let is_gone = |file: &FileId| state.documents.get(file).is_some_and(|document| document.gone);
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
    if messages > 0 {
        words.push(format!(
            "{} of Watch aren't saved: “save trace” there keeps them.",
            count_text(messages, "message", "messages")
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
    let cancel = Answer { key: 'c', words: "cancel", messages: aside() };
    let leave = Answer {
        key: 'd',
        words: if is_lossless { "stop and quit" } else { "quit without saving" },
        messages: vec![Message::Quit { discard: true }],
    };
    // Where nothing can be saved, quitting would wait for a save that never comes.
    if list.is_empty() && save.len() == 1 {
        return Confirm::new("Quit?", words, vec![cancel, leave], aside());
    }
    save.extend([Message::Document(DocumentMessage::Save(None)), Message::QuitWhenSaved]);
    let act = if list.is_empty() { "keep as stub and quit" } else { "save all and quit" };
    let save = Answer { key: 's', words: act, messages: save };
    let answers = vec![save, leave, cancel];
    Confirm::new("Quit?", words, answers, aside())
}

/// Leave the form program although its document was changed?
pub(super) fn leave_form(goal: FormGoal) -> Confirm {
    let words = match goal {
        FormGoal::Printed => "Your changes aren't printed yet.",
        FormGoal::Saved => "Your changes aren't saved yet.",
    };
    let done = if goal == FormGoal::Printed { "print and leave" } else { "save and leave" };
    let accept = Message::Accept { then: AfterSave::Leave, draft: DraftPolicy::Ask };
    let answers = vec![
        Answer { key: 's', words: done, messages: vec![Message::DropQuestion, accept] },
        Answer {
            key: 'd',
            words: "quit without saving it",
            messages: vec![Message::Quit { discard: true }],
        },
        Answer { key: 'c', words: "cancel", messages: aside() },
    ];
    Confirm::new("Quit?", words, answers, aside())
}

/// Take the document of the form program although it has issues?
pub(super) fn save_draft(then: AfterSave, issues: &[String], state: &State) -> Confirm {
    let count =
        if issues.len() == 1 { "One issue".to_owned() } else { format!("{} issues", issues.len()) };
    let mut said: Vec<&str> = issues.iter().take(4).map(String::as_str).collect();
    if issues.len() > said.len() {
        said.push("…");
    }
    let lost =
        if !state.documents.unread.is_empty() { " Invalid input will be dropped." } else { "" };
    let words = format!("{count}: {}.{lost} You can save it as a draft.", said.join("; "));
    let accept = Message::Accept { then, draft: DraftPolicy::Allow };
    let answers = vec![
        Answer { key: 'k', words: "keep editing", messages: aside() },
        Answer { key: 'd', words: "save as draft", messages: vec![accept] },
    ];
    Confirm::new("Doesn't match the schema", words, answers, aside())
}

/// Which text of a file that changed on disk is to stay?
pub(super) fn resolve_conflict(file: &FileId, disk: Option<&Arc<str>>, state: &State) -> Confirm {
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
        None => ("Changed on disk", format!("{file} was removed on disk. {}", aside_words(mine))),
    };
    let disk_text = disk.filter(|_| !is_other);
    let merged = document.zip(disk_text).map(|(mine, disk)| mine.merged_with(disk).is_some());
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
    let mut answers = vec![Answer { key: 'c', words: "cancel", messages: aside() }];
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
    let differing = document.and_then(|mine| overwritten_lines(disk, mine, state));
    let head = vec![(Role::Dim, "What overwriting would change:".to_owned())];
    let lines = differing.map(|lines| [vec![head], lines].concat());
    Confirm::new(title, words, answers, aside()).with_lines(lines.unwrap_or_default())
}

/// Restore what an earlier session left?
pub(super) fn recover(texts: &LeftTexts, state: &State) -> Confirm {
    let printed = state.form.as_ref().filter(|form| form.goal == FormGoal::Printed);
    let words = match printed {
        Some(form) => {
            format!("An earlier session with {} ended before its document was printed.", form.title)
        }
        None if texts.values().any(|left| left.is_behind) => {
            "An earlier session ended with unsaved changes, and files have changed on disk \
             since. Restoring writes nothing; saving asks before it overwrites:"
                .to_owned()
        }
        None => "An earlier session ended with unsaved changes. They are newer than the files:"
            .to_owned(),
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
    let differing =
        texts.iter().flat_map(|(file, left)| unsaved_difference(file, left, state)).collect();
    Confirm::new(
        "Unsaved work",
        words,
        answers,
        vec![Message::Document(DocumentMessage::Recover(Recovery::Restore))],
    )
    .with_lines(differing)
    .with_escape("restore")
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
    let document = state.documents.get(file);
    let before = document.map_or("", |document| &**document.text.whole_text());
    let mut lines =
        difference::changed_lines(&state.mask.mask_text(before), &state.mask.mask_text(&left.text));
    let count =
        |role: Role| lines.iter().filter(|line| line.iter().any(|(of, _)| *of == role)).count();
    let counts =
        format!("  lines added: {}, removed: {}", count(Role::Added), count(Role::Removed));
    let words = match document {
        None => Some("  not on disk"),
        Some(_) => left.is_behind.then_some("  changed on disk since"),
    };
    let since = words.map(|words| (Role::Warning, words.to_owned()));
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
