//! A tool in another system or format: what becomes of each field, then a file or a copy of it.

use std::path::Path;

use crate::{
    app::{
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::portable::{baggage::Baggage, fate::FateKind},
    model::{entry::FileId, numbered::numbered_names, tool::Tool},
    syntax::{print::print_document, source::Format},
    systems::{
        convert::{fates, pack_tool},
        facets::portable::PortableFile,
        target::Target,
    },
    ui::{
        overlays::{
            menu::{Item, Menu},
            page::{Line, PageOverlay},
        },
        styles::Role,
        view::Reply,
    },
};

/// Asks to what the tool is to be converted.
pub(super) fn choose_target(tool: &Tool, state: &State) -> Reply {
    let Some(packed) = pack_tool(tool, state.mode) else { return Reply::Handled };
    let targets = Target::all();
    let detail = |target: &Target| match (target, target.answered_by()) {
        (Target::Format(_), _) => target.title().to_owned(),
        (_, Some(who)) => format!("{}; calls need {who}", target.title()),
        (_, None) => format!("{}; can't be called from toolcrib", target.title()),
    };
    let item = |target: &Target| Item {
        title: target.word().to_owned(),
        detail: detail(target),
        ..Item::default()
    };
    let items = targets.iter().map(item).collect();
    let known: Vec<FileId> = state.documents.iter().map(|(file, _)| file.clone()).collect();
    Reply::Open(Box::new(Menu::with_replies(
        format!("Convert {} to", packed.tool.name),
        items,
        move |row| {
            targets.get(row).map_or(Reply::Handled, |target| show_fates(&packed, *target, &known))
        },
    )))
}

/// Shows what becomes of each field, and the text below; `known` are the workspace's files.
fn show_fates(packed: &Baggage, target: Target, known: &[FileId]) -> Reply {
    let mut lines: Vec<Line> = Vec::new();
    for fate in fates(packed, target) {
        let role = match fate.kind {
            FateKind::Carried => Role::Success,
            FateKind::Changed => Role::Warning,
            FateKind::Lost => Role::Error,
            FateKind::Assumed => Role::Info,
        };
        let words = if fate.words.is_empty() { String::new() } else { format!(": {}", fate.words) };
        let text = format!("{} {} {}{words}", fate.kind.sign(), fate.kind.as_str(), fate.field);
        lines.push(vec![(role, text)]);
    }
    let files = target.write(std::slice::from_ref(packed));
    let Some(PortableFile { path, value }) = files.first() else { return Reply::Handled };
    let text = match Format::from_path(Path::new(path)) {
        Some(Format::Yaml) => print_document(Format::Yaml, value),
        _ => format!("{value:#}\n"),
    };
    lines.push(Line::new());
    lines.extend(text.lines().map(|line| vec![(Role::Text, line.to_owned())]));
    let page = PageOverlay::new(format!("{} → {}", packed.tool.name, target.title()), lines);
    let page = match target {
        Target::System(..) => {
            let file = free_name(path, known);
            let label = format!("convert {} to {}", packed.tool.name, target.title());
            let changes = vec![Change::Create { file, text: text.into() }];
            let change = Message::Document(DocumentMessage::Change { label, changes });
            page.with_enter_messages("add a file", vec![change])
        }
        Target::Format(_) => {
            let what = target.title().to_owned();
            page.with_enter_messages("copy", vec![Message::Copy { what, text }])
        }
    };
    Reply::Open(Box::new(page))
}

/// The path, with a number where a file has it already.
fn free_name(path: &str, known: &[FileId]) -> FileId {
    let (stem, end) = path.rsplit_once('.').unwrap_or((path, "json"));
    let mut files = numbered_names(stem).map(|name| FileId::new(format!("{name}.{end}")));
    files.find(|file| !known.contains(file)).unwrap_or_else(|| FileId::new(path))
}
