//! `toolcrib mcp resources` and `toolcrib mcp prompts`: what a server has to read.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::target::{InspectedServer, Target, listing};
use crate::{
    cli::{
        arguments,
        columns::{self, Cell},
        ending::{CommandResult, Ending, StopReason},
        global::Global,
        out::CommandOutput,
        saving::save_content,
    },
    model::{
        call::CallError,
        problem::{Problem, ProblemKind},
        server_item::{ItemContent, ItemKind, ItemRequest, ServerItem},
    },
    wire::transport::bus::Bus,
};

#[derive(Args, Debug)]
pub(super) struct Resources {
    /// The connection, by its name in toolcrib.toml, or the address of a server; without it, the
    /// workspace's default connection, or its only MCP server
    name: Option<String>,

    /// The resource or template to read; by default lists all
    uri: Option<String>,

    /// Read the resource again whenever it changes, until Ctrl+C or COUNT times
    #[arg(
        long,
        value_name = "COUNT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "18446744073709551615",
        requires = "uri",
        conflicts_with = "complete"
    )]
    follow: Option<u64>,

    #[command(flatten)]
    how: ReadArgs,
}

#[derive(Args, Debug)]
pub(super) struct Prompts {
    /// The connection, by its name in toolcrib.toml, or the address of a server; without it, the
    /// workspace's default connection, or its only MCP server
    name: Option<String>,

    /// The prompt to get; by default lists all
    prompt: Option<String>,

    #[command(flatten)]
    how: ReadArgs,
}

#[derive(Args, Debug)]
struct ReadArgs {
    /// A variable of a template, or an argument of a prompt: key=text; can be repeated
    #[arg(short, long = "argument", value_name = "KEY=TEXT")]
    arguments: Vec<String>,

    /// Print the server's suggestions for this argument, completing its value, without reading
    /// anything
    #[arg(long, value_name = "KEY")]
    complete: Option<String>,

    /// Write images, audio and other bytes, or else the text, to this new file; several parts are
    /// numbered, or keep their names in a folder
    #[arg(long, value_name = "FILE|DIR")]
    save: Option<PathBuf>,
}

impl Resources {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let kind = match &self.uri {
            Some(uri) if uri.contains('{') => ItemKind::Template,
            _ => ItemKind::Resource,
        };
        let kinds = [ItemKind::Resource, ItemKind::Template];
        let reading = Reading { how: &self.how, follow: self.follow.unwrap_or_default() };
        run_reading(self.name.as_ref(), (kind, self.uri.as_deref()), &kinds, reading, global, out)
    }
}

impl Prompts {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let wanted = (ItemKind::Prompt, self.prompt.as_deref());
        let reading = Reading { how: &self.how, follow: 0 };
        run_reading(self.name.as_ref(), wanted, &[ItemKind::Prompt], reading, global, out)
    }
}

/// How something is read, and how often it is read again because it has changed.
struct Reading<'r> {
    how: &'r ReadArgs,
    follow: u64,
}

fn run_reading(
    name: Option<&String>,
    (kind, id): (ItemKind, Option<&str>),
    kinds: &[ItemKind],
    Reading { how, follow }: Reading<'_>,
    global: &Global,
    out: &mut CommandOutput,
) -> CommandResult {
    let target = Target { name: name.cloned(), ..Target::default() };
    let looked = InspectedServer::of(&target, global, out)?;
    let arguments = arguments::read_arguments(None, &how.arguments)?.into_value();
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    let request = id.map(|id| ItemRequest { kind, id: id.to_owned(), arguments });
    looked.with("reading from a server", async |bus| match (&request, &how.complete) {
        (None, _) => write_lists(&looked, bus, kinds, global, out).await,
        (Some(request), Some(argument)) => {
            let suggested = looked.inspector.suggest_values(bus, request, argument).await;
            let suggested =
                suggested.map_err(|problem| problem.while_doing("getting suggestions"))?;
            if global.json {
                out.print_json(&suggested.into())?;
                return Ok(Ending::Done);
            }
            for value in &suggested {
                out.print_line(out.safe_text(value).into_owned())?;
            }
            if suggested.is_empty() {
                out.print_status("the server has no suggestions for it");
            }
            Ok(Ending::Done)
        }
        (Some(request), None) => {
            match request.kind {
                ItemKind::Prompt => check_arguments(&looked, bus, request).await?,
                ItemKind::Template => check_template(&looked, request)?,
                ItemKind::Resource => {}
            }
            let read = async || -> Result<ItemContent, Problem> {
                let content = looked.inspector.read_content(bus, request).await;
                content.map_err(|problem| problem.while_doing("reading"))
            };
            let told = |problem: CallError| problem.while_doing("following a resource");
            // Before it is read, so that no change is missed.
            let mut updates = match follow {
                0 => None,
                _ => {
                    let followed = looked.inspector.follow_resource(bus, request).await;
                    Some(followed.map_err(told)?)
                }
            };
            let mut content = read().await?;
            write_content(&content, global, out)?;
            for _ in 0..follow {
                let Some(updates) = &mut updates else { break };
                let uri = updates.next().await.map_err(told)?;
                out.print_status(format_args!("{} has changed", out.safe_text(&uri)));
                content = read().await?;
                write_content(&content, global, out)?;
            }
            if let Some(updates) = updates {
                updates.end(bus).await.map_err(told)?;
            }
            match &how.save {
                Some(path) => save_content(&content.parts, path, out),
                None => Ok(Ending::Done),
            }
        }
    })
}

/// That a prompt gets the arguments that it says it needs; one that isn't listed is left to the
/// server.
async fn check_arguments(
    looked: &InspectedServer,
    bus: &dyn Bus,
    request: &ItemRequest,
) -> Result<(), StopReason> {
    let listing = listing(looked, bus).await?;
    let listed = listing.items_of(request.kind.list_name()).iter();
    let mut items = listed.filter_map(|json| looked.inspector.read_item(request.kind, json));
    let Some(item) = items.find(|item| item.id == request.id) else { return Ok(()) };
    check_required(&item, request, "getting a prompt")
}

/// The same of a template, which says itself what it needs, also where it isn't listed.
fn check_template(looked: &InspectedServer, request: &ItemRequest) -> Result<(), StopReason> {
    let json = json!({"uriTemplate": request.id, "name": request.id});
    match looked.inspector.read_item(ItemKind::Template, &json) {
        Some(item) => check_required(&item, request, "reading a resource"),
        None => Ok(()),
    }
}

fn check_required(item: &ServerItem, request: &ItemRequest, doing: &str) -> Result<(), StopReason> {
    let required = item.argument_names().into_iter().filter(|(_, is_required)| *is_required);
    let missing: Vec<&str> = required
        .map(|(name, _)| name)
        .filter(|name| !request.arguments.contains_key(*name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let given: Vec<String> = missing.iter().map(|name| format!("-a {name}=…")).collect();
    let cause = format!("{} needs {}", item.id, missing.join(", "));
    Err(Problem::new(ProblemKind::Input, doing, cause)
        .with_remedy(format!("add {}", given.join(" ")))
        .into())
}

async fn write_lists(
    looked: &InspectedServer,
    bus: &dyn Bus,
    kinds: &[ItemKind],
    global: &Global,
    out: &mut CommandOutput,
) -> CommandResult {
    let listing = listing(looked, bus).await?;
    for listed in &listing.lists {
        if kinds.iter().any(|kind| kind.list_name() == listed.kind) {
            listed.odd.iter().for_each(|words| out.warn(words));
        }
    }
    let lists = kinds.iter().map(|kind| (*kind, listing.items_of(kind.list_name())));
    if global.json {
        let lists = lists.map(|(kind, items)| (kind.list_name().to_owned(), items.to_vec().into()));
        out.print_json(&Value::Object(lists.collect()))?;
        return Ok(Ending::Done);
    }
    let mut is_empty = true;
    for (kind, items) in lists.filter(|(_, items)| !items.is_empty()) {
        is_empty = false;
        let head = format!("{} ({})", kind.title().to_uppercase(), items.len());
        let items = items.iter().filter_map(|json| looked.inspector.read_item(kind, json));
        let rows = items.map(|item| item_cells(&item)).collect();
        columns::write_table(out, &[&head, "TYPE", "DESCRIPTION"], rows)?;
    }
    if is_empty {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.list_name()).collect();
        out.print_status(format_args!("the server has no {}", names.join(" and no ")));
    }
    Ok(Ending::Done)
}

/// What can be asked for with its arguments, those in brackets that are not required.
fn item_cells(item: &ServerItem) -> Vec<Cell> {
    let names = item.argument_names().into_iter();
    let arguments = names.map(|(name, is_required)| match is_required {
        true => format!(" {name}="),
        false => format!(" [{name}=]"),
    });
    let arguments = match item.kind {
        ItemKind::Prompt => arguments.collect(),
        _ => String::new(),
    };
    let about = if item.description.is_empty() { &item.title } else { &item.description };
    vec![
        Cell::plain(format!("{}{arguments}", item.id)),
        Cell::plain(item.type_words()),
        Cell::plain(about.lines().next().unwrap_or_default()),
    ]
}

fn write_content(
    content: &ItemContent,
    global: &Global,
    out: &mut CommandOutput,
) -> std::io::Result<()> {
    for words in &content.faults {
        out.warn(words);
    }
    if global.json {
        return out.print_json(&content.result);
    }
    if let Some(description) = &content.description {
        out.print_status(out.safe_text(description));
    }
    for part in &content.parts {
        let source = out.safe_text(&part.source).into_owned();
        let notes = part.notes.iter().map(|note| format!("; {note}")).collect::<String>();
        let summary = format!("{}{notes}", part.summary());
        out.print_status(format_args!("{source} [{}]", out.safe_text(&summary)));
        if let Some(text) = &part.text {
            out.print_raw(text)?;
            if !text.ends_with('\n') {
                out.end_line()?;
            }
        }
        out.flush()?;
    }
    Ok(())
}
