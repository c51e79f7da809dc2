//! Copying entries out as descriptors, and taking such texts in.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::{
    context::ComposeContext,
    entries::{EntryHome, Unplaced, free_key_in, place_new},
    plan::{Plan, list_names},
};
use crate::{
    app::documents::Change,
    engine::{
        model_view::Client,
        portable::{
            baggage::Baggage,
            fate::FateKind,
            python::functions::{has_function, is_python, read_readable},
            schema_tool::read_schema,
        },
    },
    model::{
        catalog::Part,
        entry::{Entry, EntryId, EntryKind, FileId, SystemId},
        numbered::numbered_names,
        tool::Function,
    },
    schema::{ordering::PutInOrder, pointer::Pointer},
    syntax::{
        edit::Edit,
        print,
        source::{Format, Source},
    },
    systems::{
        self, convert,
        facets::kept_tools::SOURCES,
        read,
        system::{NewEntry, NewPlace, replace_name},
        table::{self, every_system},
        target::Target,
    },
};

/// Entries as one text that is a file of descriptors: YAML, with what the tools name beside them.
#[must_use]
pub fn copy_entries(context: ComposeContext<'_>, ids: &[EntryId]) -> String {
    let mut all: Vec<&Entry> = ids.iter().filter_map(|id| context.catalog.entry(id)).collect();
    for id in ids {
        let Some(tool) = context.catalog.tool(id) else { continue };
        let named =
            systems::by_id(tool.entry.system).and_then(|system| system.tool_reference(tool));
        let answers = named.and_then(|named| {
            context
                .catalog
                .entries()
                .find(|entry| entry.kind == named.kind && entry.key == named.key)
        });
        all.extend(answers);
    }
    let mut root = Map::new();
    let mut alone: Vec<Value> = Vec::new();
    let mut seen = HashSet::new();
    for entry in all.into_iter().filter(|entry| seen.insert(&entry.id)) {
        match new_entry_kind(entry).and_then(|kind| kind.place.section()) {
            Some(section) => {
                let members = root.entry(section).or_insert_with(|| json!({}));
                members[entry.key.as_str()] = (*entry.value).clone();
            }
            None => alone.push((*entry.value).clone()),
        }
    }
    // Those without a map stand one a document.
    let map = (!root.is_empty() || alone.is_empty()).then_some(Value::Object(root));
    let texts: Vec<String> =
        map.iter().chain(&alone).map(|value| print::print_value(Format::Yaml, value)).collect();
    texts.join("---\n")
}

/// How entries like this one are made again.
fn new_entry_kind(entry: &Entry) -> Option<NewEntry> {
    systems::by_id(entry.system)?.new_entry_kinds().into_iter().find(|kind| kind.kind == entry.kind)
}

/// Takes the entries of a text in: YAML or JSON, one descriptor or many. Tools in a format of no
/// system here (MCP, OpenAI, Anthropic, OpenAPI) are converted to the system of the entry beside.
///
/// # Errors
/// When the text cannot be read, holds no entry, or nothing in it is new.
pub fn paste_entries(
    context: ComposeContext<'_>,
    text: &str,
    near: Option<&EntryId>,
) -> Result<Plan, String> {
    paste_entries_to(context, text, near, None, None)
}

/// The same; tools are converted to that target, where one was chosen, and a list that they go into
/// says that they come from that file of the workspace, where the text is one's.
///
/// # Errors
/// As for [`paste_entries`].
pub fn paste_entries_to(
    context: ComposeContext<'_>,
    text: &str,
    near: Option<&EntryId>,
    chosen: Option<Target>,
    of_file: Option<&FileId>,
) -> Result<Plan, String> {
    let file = FileId::new("pasted.yaml");
    let mut plan = Plan::default();
    let source = parse_pasted(text, &mut plan)?;
    let mut part = read::read_part(&file, &source, context.catalog.mode);
    if part.tools.is_empty()
        && part.services.is_empty()
        && part.others.is_empty()
        && let Some((converted, note)) = read_keyless(context, &source, &file)
            .or_else(|| convert_pasted(context, &source, chosen.or(own_target(context, near))))
    {
        part = converted;
        plan.notes.push(note);
    }
    let found: Vec<&Entry> = part
        .tools
        .iter()
        .map(|tool| &tool.entry)
        .chain(part.services.iter().map(|service| &service.entry))
        .chain(&part.others)
        .collect();
    let mut pasting = Pasting {
        context,
        near,
        of_file,
        plan,
        homes: BTreeMap::new(),
        taken: Vec::new(),
        keys: Vec::new(),
    };
    for entry in whole_entries(&found) {
        pasting.add(entry)?;
    }
    pasting.finish()
}

/// Entries of a text as they are placed one after the other.
struct Pasting<'c> {
    context: ComposeContext<'c>,
    near: Option<&'c EntryId>,
    /// The file of the workspace whose text it is.
    of_file: Option<&'c FileId>,
    plan: Plan,
    /// Where the next entry of each system goes.
    homes: BTreeMap<SystemId, EntryHome>,
    /// The keys of those that are here already, as they are.
    taken: Vec<String>,
    /// The keys that were given.
    keys: Vec<(EntryKind, String)>,
}

impl Pasting<'_> {
    /// Places an entry, unless the same one is here.
    fn add(&mut self, entry: &Entry) -> Result<(), String> {
        let Some(kind) = new_entry_kind(entry) else { return Ok(()) };
        let (context, near) = (self.context, self.near);
        let of_system = || EntryHome::of_workflow(&kind, context, near);
        let prefix = self.homes.entry(entry.system).or_insert_with(of_system).key_prefix();
        let wanted = match kind.place {
            NewPlace::Map(_) => own_key(entry),
            NewPlace::List(_) => key_in_list(entry, &kind),
            NewPlace::Alone | NewPlace::Folder(_) => entry.key.clone(),
        };
        let is_same = |other: &Entry| {
            other.kind == entry.kind
                && other.key.strip_prefix(&prefix) == Some(&wanted)
                && other.value == entry.value
        };
        if context.catalog.entries().any(is_same) {
            self.taken.push(wanted);
            return Ok(());
        }
        let key = self.free_key(&prefix, &wanted, entry.kind)?;
        if key != wanted {
            self.plan.notes.push(format!(
                "{wanted} already exists and is different: the new one is called {key}."
            ));
        }
        let value = match kind.place.section() {
            None => replace_name((*entry.value).clone(), kind.named, &key),
            Some(_) => (*entry.value).clone(),
        };
        let unplaced = Unplaced { key: &key, kind: entry.kind, place: kind.place, value: &value };
        let home = self.homes.entry(entry.system).or_insert_with(of_system);
        let change = place_new(unplaced, home, &self.plan.changes, context);
        // What comes after the first goes into the file that it made.
        if let (EntryHome::Fresh { file }, Change::Create { .. }) = (&*home, &change) {
            *home = EntryHome::Map { file: file.clone(), document: 0 };
        }
        self.plan.changes.push(change);
        self.keys.push((entry.kind, key));
        Ok(())
    }

    /// A key that neither an entry here has, nor one of this text.
    fn free_key(&self, prefix: &str, wanted: &str, kind: EntryKind) -> Result<String, String> {
        let check = |key: &str| free_key_in(prefix, key, kind, self.context);
        let is_new = |key: &str| !self.keys.iter().any(|(of, known)| *of == kind && known == key);
        let is_free = |key: &String| check(key).is_ok() && is_new(key);
        numbered_names(wanted).take(1_000).find(is_free).ok_or_else(|| {
            let why = check(wanted).err().unwrap_or_default();
            format!("{wanted} can't be a key: {why}")
        })
    }

    /// The plan; why there is none where nothing of the text is new.
    fn finish(self) -> Result<Plan, String> {
        let Self { context, of_file, mut plan, homes, taken, keys, .. } = self;
        if !taken.is_empty() {
            let names = list_names(taken.iter().map(String::as_str));
            plan.notes.push(format!("Already here, unchanged: {names}."));
        }
        if keys.is_empty() {
            return Err(match plan.notes.is_empty() {
                true => "there is no tool in this text. It takes descriptors as in the files of a \
                    workspace, tools of MCP, OpenAI, Anthropic or OpenAPI and a JSON Schema with a \
                    title, as YAML or JSON, and Python functions"
                    .into(),
                false => plan.notes.join(" "),
            });
        }
        for home in homes.values() {
            if let (EntryHome::List { file, .. }, Some(source)) = (home, of_file)
                && let Some(change) = remember_source(file, source, context)
            {
                plan.changes.push(change);
                plan.notes.push(format!(
                    "{file} says that they come from {source}: write to source writes changes back."
                ));
            }
        }
        let names: BTreeSet<&str> = keys.iter().map(|(_, key)| key.as_str()).collect();
        plan.label = format!("paste {}", list_names(names));
        Ok(plan)
    }
}

/// The change after which a list says that tools of it come from a file; `None` where it says that
/// already, or the file has no tools that could be read again.
fn remember_source(list: &FileId, source: &FileId, context: ComposeContext<'_>) -> Option<Change> {
    let value = |file: &FileId| {
        let source = context.documents.present(file)?.source.as_ref().ok()?;
        source.value(0).map(|value| &**value)
    };
    convert::pack_document(value(source)?)?;
    let at = Pointer::root().child(SOURCES);
    let (name, known) = (source.as_str(), value(list).and_then(|list| list.get(SOURCES)));
    let edit = match known.and_then(Value::as_array) {
        Some(known) if known.iter().any(|one| one == name) => return None,
        Some(known) => Edit::Insert { at: at.item(known.len()), item: json!(name).into() },
        None => Edit::Set { at, to: json!([name]).into() },
    };
    Some(Change::File { file: list.clone(), document: 0, edit })
}

/// These entries without those that come with another, whose part they are; those that go into a
/// list come by themselves, and their holder doesn't.
fn whole_entries<'e>(found: &[&'e Entry]) -> Vec<&'e Entry> {
    let is_listed = |entry: &Entry| {
        new_entry_kind(entry).is_some_and(|kind| matches!(kind.place, NewPlace::List(_)))
    };
    let listed: Vec<bool> = found.iter().map(|entry| is_listed(entry)).collect();
    let around = |entry: &'e Entry| {
        let place = entry.id.place();
        let above = std::iter::successors(place.at.parent(), Pointer::parent);
        above.map(move |at| (&place.file, place.document, at))
    };
    let place_of = |entry: &'e Entry| {
        let place = entry.id.place();
        (&place.file, place.document, place.at.clone())
    };
    let all: HashSet<_> = found.iter().map(|entry| place_of(entry)).collect();
    let of_list = found.iter().zip(&listed).filter(|(_, listed)| **listed);
    let holders: HashSet<_> = of_list.flat_map(|(entry, _)| around(entry)).collect();
    let stays = |(entry, listed): &(&&'e Entry, &bool)| {
        **listed
            || !holders.contains(&place_of(entry)) && !around(entry).any(|at| all.contains(&at))
    };
    found.iter().zip(&listed).filter(stays).map(|(entry, _)| *entry).collect()
}

/// A descriptor without the key that it has in a map of many, with its name as the key.
fn read_keyless(
    context: ComposeContext<'_>,
    source: &Source,
    file: &FileId,
) -> Option<(Part, String)> {
    let document = source.value(0)?.as_object()?;
    // The line of the map may be there.
    let inside = match document.len() {
        1 => document.values().next()?.as_object()?,
        _ => document,
    };
    let own_type = inside.get("type")?;
    let section = every_system()
        .iter()
        .flat_map(|system| system.new_entry_kinds())
        .filter(|kind| kind.value.get("type") == Some(own_type))
        .find_map(|kind| kind.place.section())?;
    let key = slug_of(inside.get("name")?.as_str()?);
    let whole = json!({section: {&*key: inside}});
    let whole = Source::parse(Format::Json, whole.to_string()).ok()?;
    let part = read::read_part(file, &whole, context.catalog.mode);
    let note = format!("The text has no key above the descriptor: its name is the key, {key}.");
    (!part.tools.is_empty() || !part.services.is_empty()).then_some((part, note))
}

/// A system that the tools of a text can be converted to.
pub struct TargetChoice {
    pub target: Target,
    /// What it has no place for, as names.
    pub lost: String,
}

/// The systems that the tools of a text can be converted to, the likeliest first: those that `is_likely`
/// says, then MCP, then those that keep most of the tools. Empty where nothing is to be chosen: the
/// text is of a system itself, or the tools here are.
#[must_use]
pub fn target_choices(
    context: ComposeContext<'_>,
    text: &str,
    near: Option<&EntryId>,
    is_likely: impl Fn(Target) -> bool,
) -> Vec<TargetChoice> {
    let file = FileId::new("pasted.yaml");
    let Ok(source) = parse_pasted(text, &mut Plan::default()) else { return Vec::new() };
    let read = read::read_part(&file, &source, context.catalog.mode);
    let is_own = !(read.tools.is_empty() && read.services.is_empty() && read.others.is_empty());
    if is_own || own_target(context, near).is_some() {
        return Vec::new();
    }
    if read_keyless(context, &source, &file).is_some() {
        return Vec::new();
    }
    let (packed, _) = pack_pasted(&source);
    let mut targets = likely_targets(&packed);
    targets.retain(|target| !packed.is_empty() && read_back(context, &packed, *target).is_some());
    targets.order_by_key(|target| !is_likely(*target));
    let choice = |target| {
        let lost = lost_fields(&packed, target);
        TargetChoice { target, lost: list_names(lost.iter().map(String::as_str)) }
    };
    targets.into_iter().map(choice).collect()
}

/// The tools of a text in another format, and what of it isn't read.
fn pack_pasted(source: &Source) -> (Vec<Baggage>, Vec<String>) {
    let pack = |value: &Value| {
        let alone = || Some((vec![read_schema(value)?.ok()?], Vec::new()));
        convert::pack_document(value).or_else(alone)
    };
    let documents = (0..source.document_count()).filter_map(|row| source.value(row));
    let (packed, unread): (Vec<_>, Vec<_>) = documents.filter_map(|value| pack(value)).unzip();
    (packed.into_iter().flatten().collect(), unread.into_iter().flatten().collect())
}

/// The system that the entry beside has, else the first tool.
fn own_target(context: ComposeContext<'_>, near: Option<&EntryId>) -> Option<Target> {
    let beside = near.and_then(|id| context.catalog.entry(id));
    let beside = beside.or_else(|| context.catalog.tools.first().map(|tool| &tool.entry))?;
    Target::by_word(systems::by_id(beside.system)?.id())
}

/// Where nothing is there yet: MCP, then what keeps most of the tools.
fn likely_targets(packed: &[Baggage]) -> Vec<Target> {
    let mut targets = Target::all();
    targets.order_by_cached_key(|target| {
        let all = || packed.iter().flat_map(|one| convert::fates(one, *target));
        let lost = all().filter(|fate| fate.kind == FateKind::Lost).count();
        let changed = all().filter(|fate| fate.kind != FateKind::Carried).count();
        (target.client() != Some(Client::Mcp), lost, changed)
    });
    targets
}

/// Tools as a system reads the files that they are written to; `None`: not all come back.
fn read_back(context: ComposeContext<'_>, packed: &[Baggage], target: Target) -> Option<Part> {
    // Some systems have a file for each tool, some know their files by the folder.
    let mut part = Part::default();
    for written in target.write(packed) {
        let text = print::print_value(Format::Json, &written.value);
        let source = Source::parse(Format::Json, text).ok()?;
        part.extend(read::read_part(&FileId::new(written.path), &source, context.catalog.mode));
    }
    (part.tools.len() >= packed.len()).then_some(part)
}

/// What a target has no place for; where only some tools have it, with their names.
fn lost_fields(packed: &[Baggage], target: Target) -> BTreeSet<String> {
    let mut lost: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for one in packed {
        let fates = convert::fates(one, target).into_iter();
        for fate in fates.filter(|fate| fate.kind == FateKind::Lost) {
            lost.entry(fate.field).or_default().push(&one.tool.name);
        }
    }
    let words = |(field, tools): (String, Vec<&str>)| match tools.len() < packed.len() {
        true => format!("{field} of {}", list_names(tools)),
        false => field,
    };
    lost.into_iter().map(words).collect()
}

/// Tools of another format as descriptors of a system: that one, else the first that reads them from
/// a text; and what a user should know of that.
fn convert_pasted(
    context: ComposeContext<'_>,
    source: &Source,
    wanted: Option<Target>,
) -> Option<(Part, String)> {
    let (packed, unread) = pack_pasted(source);
    if packed.is_empty() {
        return None;
    }
    let read = |target| Some((target, read_back(context, &packed, target)?));
    let likely = || likely_targets(&packed).into_iter().find_map(read);
    let (target, part) = wanted.and_then(read).or_else(likely)?;
    let mut note = format!("Converted to {}.", target.title());
    let lost = ("It has no place for", lost_fields(&packed, target));
    for (before, words) in [lost, ("Note:", unread.into_iter().collect())] {
        if !words.is_empty() {
            let words = list_names(words.iter().map(String::as_str));
            note.push_str(&format!(" {before} {words}."));
        }
    }
    if let Some(words) = target.where_called(&packed) {
        note.push_str(&format!(" {words}"));
    }
    Some((part, note))
}

/// The name of an entry that goes into a list.
fn key_in_list(entry: &Entry, kind: &NewEntry) -> String {
    let name = kind.named.iter().find_map(|member| entry.value.get(*member)?.as_str());
    name.map_or_else(|| slug_of(""), str::to_owned)
}

/// Whether a text begins as a request in a system's console does, `POST /_plugins/…`, or as curl.
fn is_request(text: &str) -> bool {
    const BEGINNINGS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "curl"];
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with(['#', '/']);
    let first = text.lines().map(str::trim).find(is_said).unwrap_or_default();
    let (word, rest) = first.split_once(char::is_whitespace).unwrap_or_default();
    BEGINNINGS.contains(&word) && !rest.trim().is_empty()
}

/// Python functions as a list of tools; what of them isn't read goes into the notes.
fn parse_functions(text: &str, plan: &mut Plan) -> Result<Source, String> {
    let (tools, unread) = read_readable(text)?;
    plan.notes.extend(unread.into_iter().map(|note| format!("{note}.")));
    let tool = |one: &Baggage| {
        let Function { name, description, parameters, .. } = one.tool.to_function();
        json!({"name": name, "description": description, "inputSchema": parameters})
    };
    let list: Value = tools.iter().map(tool).collect();
    Source::parse(Format::Json, list.to_string()).map_err(|problem| problem.to_string())
}

/// Python, JSON, YAML, or what a system's own console shows; what of it isn't read goes into the notes.
fn parse_pasted(text: &str, plan: &mut Plan) -> Result<Source, String> {
    if is_python(text) {
        return parse_functions(text, plan);
    }
    if let Ok(source) = Source::parse(Format::Json, text) {
        return Ok(source);
    }
    if let (true, Some(shapes)) = (is_request(text), table::shapes()) {
        let bodies = shapes.read_pasted(text).map_err(|why| format!("in these requests: {why}"))?;
        return Source::parse(Format::Json, Value::from(bodies).to_string())
            .map_err(|problem| problem.to_string());
    }
    let problem = match Source::parse(Format::Yaml, text) {
        Ok(source) => return Ok(source),
        Err(_) if has_function(text) => return parse_functions(text, plan),
        Err(problem) => problem,
    };
    let bodies = table::shapes().and_then(|shapes| shapes.read_pasted(text).ok());
    bodies
        .and_then(|bodies| Source::parse(Format::Json, Value::from(bodies).to_string()).ok())
        .ok_or_else(|| format!("this is neither JSON nor YAML: {problem}"))
}

/// The key of a pasted entry: that of the map it stood in; its name or id where it stood alone.
fn own_key(entry: &Entry) -> String {
    if !entry.id.place().at.is_root() {
        return entry.key.clone();
    }
    let named =
        ["id", "name"].iter().find_map(|field| entry.value.get(*field).and_then(Value::as_str));
    slug_of(named.unwrap_or_default())
}

/// A name as a key.
fn slug_of(name: &str) -> String {
    let slug: String = name
        .chars()
        .map(|letter| {
            if letter.is_alphanumeric() || letter == '_' {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let slug = slug.trim_matches('-').to_owned();
    if slug.is_empty() { "tool".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            compose::entries::tests::loaded,
            message::{DocumentMessage, Message},
            state::{Start, State},
            update::update,
        },
        model::clock::Millis,
    };

    fn state_of(path: &str, value: &Value) -> State {
        loaded(path, value.to_string().into())
    }

    #[test]
    fn copies_of_a_servers_tools_go_into_the_list_of_another() {
        let tool = |name: &str| json!({"name": name, "description": name, "inputSchema": {"type": "object"}});
        let list = |server: &str, names: &[&str]| json!({"server": server, "tools": names.iter().map(|name| tool(name)).collect::<Vec<_>>()});
        let from = state_of("mcp/one.json", &list("one", &["a/b", "c", "d"]));
        let ids: Vec<EntryId> = from.catalog.tools.iter().map(|tool| tool.id().clone()).collect();
        let text = copy_entries(ComposeContext::from_state(&from), &ids);
        let mut to = state_of("mcp/two.json", &list("two", &["c", "e"]));
        let plan = paste_entries(ComposeContext::from_state(&to), &text, None).unwrap();
        update(&mut to, Message::Document(DocumentMessage::Compose(plan)), Millis(2));
        let keys: Vec<_> = to.catalog.tools.iter().map(|tool| &*tool.entry.key).collect();
        assert_eq!(keys, ["two/c", "two/e", "two/a/b", "two/d"], "the same c is there already");
    }

    /// An empty workspace says nothing of the system that is meant.
    #[test]
    fn where_nothing_is_there_yet_the_target_is_chosen() {
        let tool = json!({"name": "one", "description": "d", "inputSchema": {"type": "object"}});
        let text = json!({"tools": [tool]}).to_string();
        let empty = State::new(Start::default());
        let words = |state: &State, likely: &str| -> Vec<&'static str> {
            let context = ComposeContext::from_state(state);
            let choices = target_choices(context, &text, None, |target| target.word() == likely);
            choices.iter().map(|choice| choice.target.word()).collect()
        };
        let all = words(&empty, "");
        assert!(all[0] == "mcp" && all.contains(&"opensearch") && !all.contains(&"openai"));
        assert_eq!(words(&empty, "opensearch")[..2], ["opensearch", "mcp"]);
        let context = ComposeContext::from_state(&empty);
        let target = Target::by_word("opensearch");
        let plan = paste_entries_to(context, &text, None, target, None).unwrap();
        assert!(plan.notes.join(" ").contains("Converted to OpenSearch."), "{:?}", plan.notes);
        let files: Vec<&FileId> = plan.changes.iter().map(Change::file).collect();
        assert!(files.contains(&&FileId::new("tools/one.yaml")), "{files:?}");
        let there = state_of("mcp/one.json", &json!({"server": "one", "tools": [tool]}));
        assert!(words(&there, "").is_empty(), "the tools here say it");
        let own = r#"{"type": "tool-service", "name": "a", "description": "b", "service": "c"}"#;
        assert!(target_choices(context, own, None, |_| true).is_empty(), "it is of a system");
    }

    #[test]
    fn what_an_openapi_document_has_beside_its_tools_is_said_in_sentences() {
        let operation = json!({"operationId": "list", "responses": {}});
        let text = json!({"openapi": "3.1.0", "servers": [{"url": "http://h"}], "paths": {"/a": {"get": operation}}});
        let empty = State::new(Start::default());
        let context = ComposeContext::from_state(&empty);
        let target = Target::by_word("mcp");
        let plan = paste_entries_to(context, &text.to_string(), None, target, None).unwrap();
        let note = plan.notes.join(" ");
        assert!(
            note.contains("Note: /servers isn't read: a connection has the address."),
            "{note}"
        );
        let called = "Calls need an MCP server: the API's own address isn't called.";
        assert!(note.contains(called), "{note}");
        let target = Target::by_word("unique");
        let plan = paste_entries_to(context, &text.to_string(), None, target, None).unwrap();
        let note = plan.notes.join(" ");
        assert!(note.contains("Tools of Unique can't be called from toolcrib."), "{note}");
    }

    /// Some systems have a file for each tool.
    #[test]
    fn each_of_several_pasted_tools_is_converted_for_every_system() {
        let tool = |name: &str| json!({"name": name, "description": "d", "inputSchema": {"type": "object"}});
        let text = json!({"tools": [tool("one"), tool("two")]}).to_string();
        let kinds = every_system().iter().flat_map(|system| system.new_entry_kinds());
        for kind in kinds.filter(|kind| kind.kind == EntryKind::Tool) {
            let value = kind.named_value("old");
            let (path, there) = match kind.place {
                NewPlace::List(list) => ((list.path)("old"), (list.value)("old", vec![value])),
                NewPlace::Map(section) => ("old.json".to_owned(), json!({section: {"old": value}})),
                NewPlace::Alone | NewPlace::Folder(_) => ("old.json".to_owned(), value),
            };
            let mut state = state_of(&path, &there);
            let before = state.catalog.tools.len();
            let plan = paste_entries(ComposeContext::from_state(&state), &text, None).unwrap();
            update(&mut state, Message::Document(DocumentMessage::Compose(plan)), Millis(2));
            assert_eq!(state.catalog.tools.len(), before + 2, "{}", kind.type_name);
            let names: Vec<_> =
                state.catalog.tools[before..].iter().map(|tool| tool.name.clone()).collect();
            assert_eq!((names.join(" "), before), ("one two".to_owned(), 1), "{}", kind.type_name);
        }
    }
}
