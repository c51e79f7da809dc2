//! The files that the tools of a list come from, which it remembers: read again, and written back to.

use serde_json::{Value, json};

use super::{
    context::ComposeContext,
    pasting::paste_entries,
    plan::{Plan, list_names},
};
use crate::{
    app::documents::Change,
    engine::portable::{
        baggage::Baggage,
        formats::{FORMATS, find_list},
        openapi,
        update::edits_between,
    },
    model::{
        entry::{Entry, EntryId, FileId},
        finding::EntryEdit,
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::{
        comparison::SideTool,
        convert,
        list_sources::{ListUpdate, SourcedTools, sources_of},
        target::Target,
        update::{NewVersion, ToolThere, in_form_of, update_tool},
    },
};

/// The list that an entry is or is in, with the files that its tools come from.
#[must_use]
pub fn sources_near(context: ComposeContext<'_>, near: &EntryId) -> Vec<(EntryId, FileId)> {
    let lists = context.catalog.others.iter().filter(|entry| entry.id.file() == near.file());
    let sources = |list: &Entry| {
        let id = list.id.clone();
        sources_of(list).into_iter().map(move |file| (id.clone(), file))
    };
    lists.flat_map(sources).collect()
}

/// What is read of a list and of a file that its tools come from.
struct Both<'c> {
    list: &'c Entry,
    /// What the file holds.
    document: &'c Value,
    tools: SourcedTools<'c>,
}

impl<'c> Both<'c> {
    fn read(context: ComposeContext<'c>, list: &EntryId, file: &FileId) -> Result<Self, String> {
        let list = context.catalog.entry(list).ok_or("this list no longer exists")?;
        let known = context.documents.present(file);
        let source = known.ok_or_else(|| format!("this folder has no file {file}"))?;
        let source = source.source.as_ref();
        let source = source.map_err(|error| format!("{file} can't be read: {error}"))?;
        let document = source.value(0).map(|value| &**value);
        let read =
            document.and_then(|it| Some((it, SourcedTools::read(list, context.catalog, it)?)));
        let (document, tools) = read.ok_or_else(|| format!("{file} has no tools any more"))?;
        Ok(Self { list, document, tools })
    }

    /// The tools of the list that the file doesn't have.
    fn only_listed(&self, context: ComposeContext<'c>) -> Vec<&'c Tool> {
        let own = context.catalog.tools.iter().map(|tool| &**tool);
        let own = own.filter(|tool| tool.entry.id.file() == self.list.id.file());
        let is_there =
            |tool: &Tool| self.tools.listed.iter().flatten().any(|known| known.id() == tool.id());
        own.filter(|&tool| !is_there(tool)).collect()
    }
}

/// Brings a list up to what a file says that its tools come from; new tools are added, and those that
/// the file doesn't have stay.
///
/// # Errors
/// When the file has no tools, or nothing else than the list.
pub fn read_again(
    context: ComposeContext<'_>,
    list: &EntryId,
    file: &FileId,
) -> Result<Plan, String> {
    let both = Both::read(context, list, file)?;
    let mut plan = Plan::new(format!("update {} from {file}", both.list.key), Vec::new());
    for ListUpdate { tool, before, after, .. } in both.tools.updates(context.catalog.mode) {
        let edits = edits_between(&before, &after).into_iter();
        let change = |edit| Change::Entry(EntryEdit { entry: tool.id().clone(), edit });
        plan.changes.extend(edits.map(change));
    }
    let rows = both.tools.packed.iter().zip(&both.tools.listed);
    let new = rows.filter(|(_, tool)| tool.is_none()).map(|(packed, _)| packed.clone());
    let new: Vec<Baggage> = new.collect();
    let written = both.tools.target.write(&new);
    let items: Vec<&Value> = written
        .iter()
        .filter_map(|file| find_list(&file.value))
        .flat_map(|(_, items)| items)
        .collect();
    if !items.is_empty() {
        let text = json!({"tools": items}).to_string();
        plan.changes.extend(paste_entries(context, &text, Some(list))?.changes);
    }
    if plan.changes.is_empty() {
        return Err(format!("the tools that come from {file} are as it has them"));
    }
    let left = both.only_listed(context);
    let sources = sources_of(both.list);
    if !left.is_empty() && sources.len() == 1 {
        let names = list_names(left.iter().map(|tool| tool.name.as_str()));
        plan.notes.push(format!("Not in {file}, and left as it is: {names}."));
    }
    Ok(plan)
}

/// Writes what a list says of its tools to the file that they come from; all else there stays as it
/// is. Tools that only the list has are added where all of its tools come from that file.
///
/// # Errors
/// When the file has no list of functions, or says the same.
pub fn write_back(
    context: ComposeContext<'_>,
    list: &EntryId,
    file: &FileId,
) -> Result<Plan, String> {
    let both = Both::read(context, list, file)?;
    if both.document.get(openapi::FORM).is_some() {
        let why = "is an OpenAPI document, which isn't changed here: `toolcrib convert --all --to \
            openapi` writes another one";
        return Err(format!("{file} {why}"));
    }
    let there = &both.tools.packed;
    let form = there.iter().map(|one| one.origin.form).find(|form| !form.is_empty());
    let target = form.or(FORMATS.first().map(|format| format.word)).and_then(Target::by_word);
    let target = target.ok_or_else(|| format!("{file} is in a form that can't be written"))?;
    let mode = context.catalog.mode;
    let mut plan = Plan::new(format!("write tools of {} to {file}", both.list.key), Vec::new());
    let change = |edit| Change::File { file: file.clone(), document: 0, edit };
    for (one, tool) in there.iter().zip(&both.tools.listed) {
        let Some((tool, packed)) =
            tool.and_then(|tool| Some((tool, convert::pack_tool(tool, mode)?)))
        else {
            continue;
        };
        let keyed = target.key_tools(std::slice::from_ref(&packed));
        let Some(keyed) = keyed.first() else { continue };
        let at = &one.origin.at;
        let value = at.get(both.document).cloned().unwrap_or_default();
        let side = ToolThere { tool: SideTool::of_baggage(one.clone()), value };
        let version = NewVersion {
            packed: &packed,
            keyed,
            says_answers: packed.tool.output.is_some(),
            // A name that the list can't have stays.
            is_by_key: one.tool.name != tool.name,
        };
        let updated = update_tool(target, &side, version, mode);
        let edits = edits_between(&side.value, &updated.value).into_iter();
        plan.changes.extend(edits.map(|edit| change(edit.with_prefix(at))));
    }
    if sources_of(both.list).len() == 1 {
        let new = both.only_listed(context).into_iter();
        let new: Vec<Baggage> = new.filter_map(|tool| convert::pack_tool(tool, mode)).collect();
        plan.changes.extend(added_items(&new, target, &both).into_iter().map(change));
    }
    if plan.changes.is_empty() {
        return Err(format!("{file} has the tools as they are here"));
    }
    Ok(plan)
}

/// The edits that add tools behind those that a list of functions has, in their form; none where the
/// file has no list.
fn added_items(new: &[Baggage], target: Target, both: &Both<'_>) -> Vec<Edit> {
    let first = both.tools.packed.first().map(|one| &one.origin.at);
    let home = first.filter(|at| at.last_index().is_some()).and_then(Pointer::parent);
    let Some((first, home)) = first.zip(home).filter(|_| !new.is_empty()) else {
        return Vec::new();
    };
    let length = home.get(both.document).and_then(Value::as_array).map_or(0, Vec::len);
    let like = first.get(both.document).unwrap_or(&Value::Null);
    let written = target.write(new);
    let items = written.iter().filter_map(|file| find_list(&file.value));
    let insert = |(row, item): (usize, &Value)| Edit::Insert {
        at: home.item(length + row),
        item: in_form_of(like, item.clone()).into(),
    };
    items.flat_map(|(_, items)| items).enumerate().map(insert).collect()
}
