//! What was found where a connection leads and in registry files: to read, to tick, to add.

use super::{
    checklist::{Checklist, Row},
    importing::import_proposal,
    server_import,
};
use crate::{
    app::{message::Message, state::State},
    systems::{
        deployed::item::Item,
        discovery::compared::{Compared, Standing},
        facets::{configured::ConfigServer, kept_tools::ToolChange},
    },
    ui::{styles::Role, view::Reply},
};

const TITLE: &str = "Discovered";

/// What was found, to tick.
pub(crate) fn found_checklist(all: &[Compared]) -> Checklist {
    let rows = all.iter().map(to_row).collect();
    let all = all.to_vec();
    let aside = Reply::send(Message::DropQuestion);
    Checklist::new(TITLE, "Add to the workspace…", rows, aside, move |ticked, state| {
        let chosen: Vec<&Compared> = ticked.iter().filter_map(|row| all.get(*row)).collect();
        add_chosen(&chosen, state)
    })
}

fn add_chosen(chosen: &[&Compared], state: &State) -> Result<Reply, String> {
    let servers: Vec<&ConfigServer> =
        chosen.iter().filter_map(|one| one.found.server.as_deref()).collect();
    let mut items: Vec<Item> = Vec::new();
    for item in chosen.iter().flat_map(|one| &one.found.items) {
        if !items.contains(item) {
            items.push(item.clone());
        }
    }
    match (servers.is_empty(), items.is_empty()) {
        (false, false) => Err("add servers and services separately".to_owned()),
        (false, true) => server_import::add_servers(&servers, state),
        (true, _) => {
            let proposal = import_proposal("Add what was discovered".to_owned(), items);
            Ok(Reply::Open(Box::new(proposal.with_closing_message(Message::DropQuestion))))
        }
    }
}

fn to_row(one: &Compared) -> Row {
    let Compared { found, standing, changes, new } = one;
    let mut details = vec![(Role::Heading, found.name.clone())];
    let mut place = format!("On {}", found.place);
    if found.server.is_some() {
        place = format!("In {}", found.place);
    }
    if !found.sources.is_empty() {
        place += &format!(" ({})", found.sources.join(", "));
    }
    if !found.version.is_empty() {
        place += &format!(", version {}", found.version);
    }
    if found.instances > 1 {
        place += &format!(", {} instances", found.instances);
    }
    details.push((Role::Dim, place));
    if !found.about.is_empty() {
        details.push((Role::Overlay, found.about.clone()));
    }
    let refusal = refusal(one);
    details.extend(refusal.iter().map(|words| (Role::Info, words.clone())));
    details.extend(found.notes.iter().map(|note| (Role::Info, note.clone())));
    if !changes.is_empty() {
        details.push((Role::Text, String::new()));
        details.push((Role::Heading, "Differs from the workspace".to_owned()));
        details.extend(changes.iter().flat_map(change_lines));
    }
    if !new.is_empty() {
        details.push((Role::Text, String::new()));
        details.push((Role::Heading, format!("Not in the workspace: {}", new.join(", "))));
    }
    for item in &found.items {
        let text = item.parse_value().and_then(|value| serde_json::to_string_pretty(&value).ok());
        details.push((Role::Text, String::new()));
        details.push((Role::Accent, item.name()));
        details.push((Role::Dim, text.unwrap_or_else(|| item.text.clone())));
    }
    Row {
        title: found.name.clone(),
        note: standing.as_str().to_owned(),
        details,
        refusal,
        is_on: false,
    }
}

/// Why it can't be added.
fn refusal(one: &Compared) -> Option<String> {
    let server = one.found.server.as_deref();
    let reason = server.and_then(|server| server.table.as_ref().err().cloned());
    match one.standing {
        Standing::Differs if server.is_some() => Some(format!(
            "The workspace has a different connection {}. Rename that first.",
            one.found.name
        )),
        Standing::New | Standing::Differs => None,
        Standing::Same => Some("The workspace has it already, unchanged.".to_owned()),
        Standing::NoDescriptor => {
            Some(reason.unwrap_or_else(|| "It can't be added without a descriptor.".to_owned()))
        }
        Standing::OnlyHere => {
            Some(format!("The workspace has it, and nothing on {} has.", one.found.place))
        }
        Standing::NotKnown => Some(format!(
            "The workspace has it. Some of what is on {} couldn't be read.",
            one.found.place
        )),
    }
}

fn change_lines(change: &ToolChange) -> Vec<(Role, String)> {
    let at = if change.at.is_empty() { String::new() } else { format!(" at {}", change.at) };
    let role = match change.severity {
        "breaking" => Role::Error,
        "compatible" => Role::Dim,
        _ => Role::Warning,
    };
    let mut lines = vec![(role, format!("{} {} {}{at}", change.severity, change.tool, change.id))];
    lines.extend(change.before.iter().map(|text| (Role::Dim, format!("- {text}"))));
    lines.extend(change.after.iter().map(|text| (Role::Dim, format!("+ {text}"))));
    lines
}
