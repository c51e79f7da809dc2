//! Connections: which of them a tool's calls always go through.

use serde_json::{Map, Value, json};

use super::{
    context::ComposeContext,
    plan::Plan,
    server_values::add_values,
    server_words::{ServerWords, is_name_letter, read_server_words},
};
use crate::{
    app::documents::Change,
    engine::settings::{
        connection_form::example_addresses,
        connections::{self, TOOLS},
    },
    model::{
        connection::Connection, connections::Connections, entry::FileId, settings::SETTINGS,
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::{edit::Edit, print, source::Format},
    systems::table,
};

/// The table of the settings file that holds them.
pub(crate) const CONNECTIONS: &str = "connections";

/// The member that names the workspace's own one.
const USUAL: &str = "connection";

/// Gives a tool a connection of its own; `None`: the one that all have.
///
/// # Errors
/// When the settings file does not say that connection, or would say nothing new.
pub(crate) fn of_tool(
    context: ComposeContext<'_>,
    connections: &Connections,
    tool: &Tool,
    to: Option<&str>,
) -> Result<Plan, String> {
    let key = &tool.entry.key;
    if connections.assigned_name(tool) == to {
        return Err(match to {
            Some(name) => format!("calls of {key} already go through {name}"),
            None => format!("{key} has no connection of its own"),
        });
    }
    let tables = context
        .settings_value()
        .and_then(|settings| settings.get(CONNECTIONS))
        .and_then(|tables| tables.as_object());
    let mut changes: Vec<Change> = Vec::new();
    for (name, table) in tables.into_iter().flatten() {
        let listed =
            table.get(TOOLS).and_then(|tools| tools.as_array()).into_iter().flatten().enumerate();
        let its = listed.filter(|(_, listed)| {
            listed.as_str().is_some_and(|listed| listed == key || listed == tool.name)
        });
        let list = Pointer::root().child(CONNECTIONS).child(name.as_str()).child(TOOLS);
        // From the end, so that the places before stay what they are.
        let rows: Vec<usize> = its.map(|(row, _)| row).collect();
        changes.extend(
            rows.into_iter()
                .rev()
                .map(|row| context.in_settings(Edit::Remove { at: list.item(row) }, String::new)),
        );
    }
    let Some(name) = to else {
        return Ok(Plan::new(format!("{key} now uses the workspace's connection"), changes));
    };
    // What was given on the command line is in no file, and the demo's own may stand in none
    // either.
    if !is_in_settings(context, name)
        && connections.find_by_name(name).is_some_and(|known| !known.addresses().is_empty())
    {
        return Err(format!(
            "connection {name} isn't in {SETTINGS}; add it there as [connections.NAME] first"
        ));
    }
    let table = table_pointer(name);
    let list = tables.and_then(|tables| tables.get(name)?.get(TOOLS)?.as_array());
    let edit = match list {
        Some(list) => {
            Edit::Insert { at: table.child(TOOLS).item(list.len()), item: key.as_str().into() }
        }
        None => Edit::Set { at: table.child(TOOLS), to: json!([key]).into() },
    };
    // Without the file, none is known but the embedded one.
    let text_of_new = || {
        format!(
            "[{CONNECTIONS}.{name}]\n{}",
            print::print_value(Format::Toml, &json!({TOOLS: [key]}))
        )
    };
    changes.push(context.in_settings(edit, text_of_new));
    Ok(Plan::new(format!("{key} now uses {name}"), changes))
}

/// Where the table of a connection is in the settings file.
#[must_use]
pub(crate) fn table_pointer(name: &str) -> Pointer {
    Pointer::root().child(CONNECTIONS).child(name)
}

/// Edits of a connection's table.
#[must_use]
pub(crate) fn edit_connection(context: ComposeContext<'_>, name: &str, edits: &[Edit]) -> Plan {
    let of = |edit: &Edit| {
        let text = || {
            let value = match edit {
                Edit::Set { at, to } => at.tokens().first().map(|key| json!({ key: to.value() })),
                _ => None,
            };
            format!(
                "[{CONNECTIONS}.{name}]\n{}",
                value.map(|value| print::print_value(Format::Toml, &value)).unwrap_or_default()
            )
        };
        context.in_settings(edit.with_prefix(&table_pointer(name)), text)
    };
    Plan::new(format!("edit connection {name}"), edits.iter().map(of).collect())
}

/// Adds a connection that leads to an address: `[NAME] ADDRESS`; or to a server that is started for
/// it: `[NAME] COMMAND ARGUMENT…`; each with what [`add_server`] takes beside it.
///
/// # Errors
/// When it cannot be called so, is there already, or the address is none.
pub(crate) fn add_connection(context: ComposeContext<'_>, text: &str) -> Result<Plan, String> {
    let words = new_server(context, text)?;
    let ServerWords { name, server, .. } = &words;
    let [address] = &server[..] else { return add_server(context, text) };
    // A command follows variables.
    if !address.contains("://") && (address.contains(['/', '\\']) || !words.env.is_empty()) {
        return add_server(context, text);
    }
    if !address.contains("://") {
        let known: Vec<_> = example_addresses()
            .filter_map(|example| Some(format!("{}://", example.split_once("://")?.0)))
            .collect();
        return Err(format!("an address starts with {}", known.join(" or ")));
    }
    check_address(address)?;
    let of_server = table::configured().find(|configured| configured.is_own_address(address));
    let mut table = match of_server {
        Some(configured) => configured.server_table(&[address.as_str()])?,
        None => Map::from_iter([("servers".to_owned(), json!([address]))]),
    };
    let notes = add_values(&mut table, &words)?;
    let value = Value::Object(table);
    let whole = json!({CONNECTIONS: {name: value}});
    let text_of_new = || match is_nested(&value) {
        true => print::print_value(Format::Toml, &whole),
        false => format!("[{CONNECTIONS}.{name}]\n{}", print::print_value(Format::Toml, &value)),
    };
    let change = context
        .in_settings(Edit::Set { at: table_pointer(name), to: value.clone().into() }, text_of_new);
    let plan = Plan::new(format!("add connection {name}"), vec![change]);
    Ok(notes.into_iter().fold(plan, |plan, note| plan.with_note(Some(note))))
}

/// The connection that was typed, whose name is free.
fn new_server(context: ComposeContext<'_>, text: &str) -> Result<ServerWords, String> {
    let words = read_server_words(text, |name| check_name_free(context, name).is_ok())?;
    check_name_free(context, &words.name)?;
    Ok(words)
}

/// The name of the connection that was typed.
///
/// # Errors
/// When no connection can be called so, or none is typed.
pub(crate) fn typed_name(context: ComposeContext<'_>, text: &str) -> Result<String, String> {
    new_server(context, text).map(|words| words.name)
}

fn check_address(address: &str) -> Result<(), String> {
    connections::find_connection(&Connections::default(), address)
        .map(drop)
        .map_err(|problem| format!("{}; {}", problem.cause, problem.remedy))
}

/// Adds a connection to a server of tools that is started with a command or reached at an address,
/// `[NAME] COMMAND ARGUMENT…` or `[NAME] ADDRESS`, with variables before the command and headers
/// behind the address. Where calls went through the embedded connection,
/// they go through the new one.
///
/// # Errors
/// When it cannot be called so, is there already, or no server is named.
pub(crate) fn add_server(context: ComposeContext<'_>, text: &str) -> Result<Plan, String> {
    let words = new_server(context, text)?;
    if let [address] = &words.server[..]
        && address.contains("://")
    {
        check_address(address)?;
    }
    let configured = table::configured().next().ok_or("no system here has servers of this kind")?;
    let server: Vec<&str> = words.server.iter().map(String::as_str).collect();
    let mut table = configured.server_table(&server)?;
    let notes = add_values(&mut table, &words)?;
    let plan = add_default(context, &words.name, &Value::Object(table));
    Ok(notes.into_iter().fold(plan, |plan, note| plan.with_note(Some(note))))
}

/// Whether a table has tables in it.
fn is_nested(table: &Value) -> bool {
    table.as_object().is_some_and(|table| table.values().any(Value::is_object))
}

/// Adds a connection to a running system, with this table. Where calls went through the embedded
/// connection, they go through the new one.
///
/// # Errors
/// When it cannot be called so, is there already, or an address is none.
pub(crate) fn add_system(
    context: ComposeContext<'_>,
    name: &str,
    table: &Value,
) -> Result<Plan, String> {
    check_name_free(context, name)?;
    let addresses = table.get("servers").and_then(Value::as_array).into_iter().flatten();
    for address in addresses.filter_map(Value::as_str) {
        if !address.contains("://") {
            return Err(format!("{address}: an address begins with http://, nats:// or the like"));
        }
        check_address(address)?;
    }
    Ok(add_default(context, name, table))
}

/// Adds the table of a connection, which becomes the default where there is none and no tool that
/// goes elsewhere.
fn add_default(context: ComposeContext<'_>, name: &str, value: &Value) -> Plan {
    let has_usual = has_default(context);
    let text_of_new = || {
        if is_nested(value) {
            let whole = json!({USUAL: name, CONNECTIONS: {name: value}});
            return print::print_value(Format::Toml, &whole);
        }
        let usual = print::print_value(Format::Toml, &json!({USUAL: name}));
        let table = print::print_value(Format::Toml, value);
        format!("{usual}\n[{CONNECTIONS}.{name}]\n{table}")
    };
    let set = |at, to| context.in_settings(Edit::Set { at, to }, text_of_new);
    let mut changes = vec![set(table_pointer(name), value.clone().into())];
    if !has_usual && context.settings_value().is_some() {
        changes.push(set(Pointer::root().child(USUAL), name.into()));
    }
    Plan::new(format!("add connection {name}"), changes)
}

/// Whether the workspace says which connection is used, or has tools whose connection it would be.
fn has_default(context: ComposeContext<'_>) -> bool {
    !context.catalog.tools.is_empty()
        || context.settings_value().is_some_and(|settings| settings.get(USUAL).is_some())
}

/// The table of a connection as the settings file has it.
#[must_use]
pub(crate) fn written_table<'s>(context: ComposeContext<'s>, name: &str) -> Option<&'s Value> {
    table_pointer(name).get(context.settings_value()?)
}

/// Adds connections with these tables; where `leads` one alone becomes the default if there is none.
///
/// # Errors
/// When one of the names is taken, or two are the same.
pub(crate) fn add_tables(
    context: ComposeContext<'_>,
    tables: &[(&str, &Map<String, Value>)],
    leads: bool,
) -> Result<Plan, String> {
    let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
    for (row, name) in names.iter().enumerate() {
        if written_table(context, name).is_some() || *name == Connection::embedded().name {
            return Err(format!("{name} already exists"));
        }
        if names[..row].contains(name) {
            return Err(format!("two are called {name}; choose one"));
        }
    }
    let set = |(name, table): &(&str, &Map<String, Value>)| Edit::Set {
        at: table_pointer(name),
        to: Value::Object((*table).clone()).into(),
    };
    let label = format!("add connection {}", names.join(", "));
    let usual = match names[..] {
        [name] if leads && !has_default(context) => Some(name),
        _ => None,
    };
    if context.settings_value().is_some() {
        let default =
            usual.map(|name| Edit::Set { at: Pointer::root().child(USUAL), to: name.into() });
        let edits = tables.iter().map(set).chain(default);
        let changes = edits.map(|edit| context.in_settings(edit, String::new));
        return Ok(Plan::new(label, changes.collect()));
    }
    let all: Map<String, Value> =
        tables.iter().map(|(name, table)| ((*name).to_owned(), json!(table))).collect();
    let text = || {
        let mut whole = Map::new();
        whole.extend(usual.map(|name| (USUAL.to_owned(), name.into())));
        whole.insert(CONNECTIONS.into(), json!(all));
        print::print_value(Format::Toml, &whole.into())
    };
    let first = tables.first().map(set);
    let change = first.map(|edit| context.in_settings(edit, text));
    Ok(Plan::new(label, change.into_iter().collect()))
}

/// Whether a new connection can be called so.
fn check_name_free(context: ComposeContext<'_>, name: &str) -> Result<(), String> {
    if name.is_empty() || !name.chars().all(is_name_letter) {
        return Err("a name can only have letters, digits, - and _".into());
    }
    match is_in_settings(context, name) || name == Connection::embedded().name {
        true => Err(format!("{name} already exists")),
        false => Ok(()),
    }
}

/// Whether the settings file has a table of that name.
#[must_use]
pub(crate) fn is_in_settings(context: ComposeContext<'_>, name: &str) -> bool {
    context.settings_value().is_some_and(|settings| table_pointer(name).get(settings).is_some())
}

fn is_usual(context: ComposeContext<'_>, name: &str) -> bool {
    context
        .settings_value()
        .and_then(|settings| settings.get(USUAL)?.as_str())
        .is_some_and(|usual| usual == name)
}

/// Gives a connection another name.
///
/// # Errors
/// When it cannot be called so.
pub(crate) fn rename_connection(
    context: ComposeContext<'_>,
    from: &str,
    to: &str,
) -> Result<Plan, String> {
    if from == to {
        return Err("type the new name".into());
    }
    check_name_free(context, to)?;
    let mut changes = vec![
        context.in_settings(Edit::Rename { at: table_pointer(from), key: to.into() }, String::new),
    ];
    if is_usual(context, from) {
        changes.push(context.in_settings(
            Edit::Set { at: Pointer::root().child(USUAL), to: to.into() },
            String::new,
        ));
    }
    let note = "Test cases that use it and scripts with --connection aren't changed.";
    Ok(Plan::new(format!("rename connection {from} to {to}"), changes).with_note(Some(note.into())))
}

/// Takes a connection out.
///
/// # Errors
/// When the file has none of that name.
pub(crate) fn remove_connection(context: ComposeContext<'_>, name: &str) -> Result<Plan, String> {
    if !is_in_settings(context, name) {
        return Err(format!("{name} isn't in {SETTINGS}"));
    }
    // No empty table is left behind, and no empty file that was never saved.
    let settings = context.settings_value().and_then(Value::as_object);
    let tables = settings.and_then(|settings| settings.get(CONNECTIONS)?.as_object());
    let is_last = tables.is_some_and(|tables| tables.len() == 1);
    let usual = is_usual(context, name);
    let file = FileId::new(SETTINGS);
    let is_new = context.documents.get(&file).is_some_and(|document| document.saved.is_none());
    let is_own = |key: &String| key == CONNECTIONS || usual && key == USUAL;
    let is_all = is_last && settings.is_some_and(|settings| settings.keys().all(is_own));
    let changes = if is_new && is_all {
        vec![Change::Remove { file }]
    } else {
        let root = Pointer::root();
        let table = if is_last { root.child(CONNECTIONS) } else { table_pointer(name) };
        let places = [table].into_iter().chain(usual.then(|| root.child(USUAL)));
        places.map(|at| context.in_settings(Edit::Remove { at }, String::new)).collect()
    };
    let note = usual.then(|| "Calls will use embedded.".to_owned());
    Ok(Plan::new(format!("delete connection {name}"), changes).with_note(note))
}

/// Makes a connection the workspace's own: the one for all tools that have none of their own.
///
/// # Errors
/// When it is that already, or is in no file.
pub(crate) fn make_usual(
    context: ComposeContext<'_>,
    connections: &Connections,
    name: &str,
) -> Result<Plan, String> {
    if connections.usual == name {
        return Err(format!("{name} is already the default"));
    }
    if !is_in_settings(context, name) && name != Connection::embedded().name {
        return Err(format!("{name} isn't in {SETTINGS}"));
    }
    let edit = Edit::Set { at: Pointer::root().child(USUAL), to: name.into() };
    let change =
        context.in_settings(edit, || print::print_value(Format::Toml, &json!({USUAL: name})));
    Ok(Plan::new(format!("calls go through {name}"), vec![change]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            message::{ConnectionMessage, DocumentMessage, Loaded, Message},
            state::{Start, State},
            update::update,
        },
        model::{clock::Millis, entry::FileId},
        syntax::source::Source,
    };

    const TOOL_FILE: &str = "tool:\n  joke:\n    type: text-completion\n    name: Joke\n    description: d\n  sum:\n    type: text-completion\n    name: Sum\n    description: d\n";
    const LOCAL: &str = "connection = \"local\"\n# ours\n[connections.local]\nservers = \"nats://h:1\"\n[connections.far]\nservers = \"nats://h:2\"  # far away\ntools = [\"Sum\"]\n";

    fn opened(settings: Option<&str>) -> State {
        let mut state = State::new(Start::default());
        let load = |(name, text): (&str, &str), format| {
            (
                FileId::new(name),
                Loaded { text: text.into(), source: Source::parse(format, text), held: None },
            )
        };
        let tools = load(("tools.yaml", TOOL_FILE), Format::Yaml);
        let files: Vec<_> = [tools]
            .into_iter()
            .chain(settings.map(|text| load((SETTINGS, text), Format::Toml)))
            .collect();
        let names = files.iter().map(|(file, _)| file.clone()).collect();
        update(&mut state, Message::Document(DocumentMessage::Loaded(files)), Millis(1));
        update(
            &mut state,
            Message::Document(DocumentMessage::LoadEnded {
                names,
                skipped: Vec::new(),
                unread: Vec::new(),
            }),
            Millis(2),
        );
        state
    }

    fn give(state: &mut State, key: &str, to: Option<&str>) -> Result<(), String> {
        let tool = state.catalog.tool_called(key).unwrap();
        let Plan { label, changes, .. } =
            of_tool(ComposeContext::from_state(state), &state.network.connections, tool, to)?;
        update(state, Message::Document(DocumentMessage::Change { label, changes }), Millis(3));
        Ok(())
    }

    fn goes(state: &State, key: &str) -> String {
        state.network.connections.for_tool(state.catalog.tool_called(key).unwrap()).name
    }

    fn text(state: &State) -> String {
        state
            .documents
            .present(&FileId::new(SETTINGS))
            .map(|document| document.text.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_tool_goes_through_its_own_connection_unless_another_is_chosen() {
        let mut state = opened(Some(LOCAL));
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["local", "far"]);
        update(
            &mut state,
            Message::Connection(ConnectionMessage::Use(Some("embedded".into()))),
            Millis(3),
        );
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["embedded", "embedded"]);
        update(&mut state, Message::Connection(ConnectionMessage::Use(None)), Millis(4));
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["local", "far"]);
    }

    #[test]
    fn a_tool_is_given_a_connection_and_the_file_keeps_the_rest() {
        let mut state = opened(Some(LOCAL));
        give(&mut state, "joke", Some("far")).unwrap();
        assert_eq!(text(&state), LOCAL.replace("[\"Sum\"]", "[\"Sum\", \"joke\"]"));
        give(&mut state, "sum", Some("local")).unwrap();
        let expected = LOCAL
            .replace("[\"Sum\"]", "[\"joke\"]")
            .replace("h:1\"\n", "h:1\"\ntools = [\"sum\"]\n");
        assert_eq!(text(&state), expected);
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["far", "local"]);
        give(&mut state, "joke", None).unwrap();
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["local", "local"]);
        give(&mut state, "joke", Some("embedded")).unwrap();
        assert_eq!(
            text(&state),
            format!(
                "{}\n[connections.embedded]\ntools = [\"joke\"]\n",
                expected.replace("[\"joke\"]", "[]")
            )
        );
        for _ in 0..4 {
            update(&mut state, Message::Document(DocumentMessage::Undo), Millis(5));
        }
        assert_eq!((text(&state).as_str(), goes(&state, "sum").as_str()), (LOCAL, "far"));
    }

    #[test]
    fn without_a_settings_file_one_is_made() {
        let mut state = opened(None);
        give(&mut state, "joke", Some("embedded")).unwrap();
        assert_eq!(text(&state), "[connections.embedded]\ntools = [\"joke\"]\n");
        assert_eq!(
            give(&mut state, "joke", Some("embedded")),
            Err("calls of joke already go through embedded".into())
        );
        assert_eq!(give(&mut state, "sum", None), Err("sum has no connection of its own".into()));
    }

    #[test]
    fn what_only_the_command_line_said_is_refused() {
        let mut state = opened(Some(LOCAL));
        state
            .network
            .connections
            .choose(crate::model::connection::Connection::nats("nats://x:1", "nats://x:1"));
        assert!(
            give(&mut state, "joke", Some("nats://x:1"))
                .unwrap_err()
                .contains("isn't in toolcrib.toml")
        );
    }

    fn make(state: &mut State, plan: Plan) -> String {
        update(
            state,
            Message::Document(DocumentMessage::Change { label: plan.label, changes: plan.changes }),
            Millis(9),
        );
        text(state)
    }

    #[test]
    fn connections_are_added_renamed_made_the_usual_one_and_taken_out() {
        let mut state = opened(Some(LOCAL));
        let plan =
            add_connection(ComposeContext::from_state(&state), "new amqp://h:5672/team").unwrap();
        assert_eq!(
            make(&mut state, plan),
            format!("{LOCAL}\n[connections.new]\nservers = [\"amqp://h:5672/team\"]\n")
        );
        let plan = rename_connection(ComposeContext::from_state(&state), "local", "here").unwrap();
        assert!(
            make(&mut state, plan)
                .starts_with("connection = \"here\"\n# ours\n[connections.here]\n"),
            "{}",
            text(&state)
        );
        let plan =
            make_usual(ComposeContext::from_state(&state), &state.network.connections, "new")
                .unwrap();
        make(&mut state, plan);
        assert_eq!(state.current_connection().name, "new");
        let plan = remove_connection(ComposeContext::from_state(&state), "new").unwrap();
        assert_eq!(plan.notes, ["Calls will use embedded."]);
        assert_eq!(
            make(&mut state, plan),
            LOCAL
                .replace("connection = \"local\"\n", "")
                .replace("connections.local", "connections.here")
        );
        assert_eq!(state.current_connection().name, "embedded");
    }

    #[test]
    fn a_server_that_comes_alone_becomes_the_default_where_there_is_none() {
        let table = |name: &str| json!({"command": name}).as_object().cloned().unwrap();
        let (one, two) = (table("one"), table("two"));
        let added = |settings: Option<&str>, tables: &[(&str, &Map<String, Value>)], leads| {
            let mut state = opened(settings);
            state.catalog = Default::default();
            let plan = add_tables(ComposeContext::from_state(&state), tables, leads).unwrap();
            make(&mut state, plan)
        };
        let is_default = |text: String| text.contains("connection = \"one\"");
        for settings in [None, Some("name = \"lab\"\n")] {
            assert!(is_default(added(settings, &[("one", &one)], true)), "{settings:?}");
            assert!(!is_default(added(settings, &[("one", &one)], false)), "{settings:?}");
            assert!(!is_default(added(settings, &[("one", &one), ("two", &two)], true)));
        }
        let other = added(Some("connection = \"embedded\"\n"), &[("one", &one)], true);
        assert!(!is_default(other.clone()) && other.contains("one"), "{other}");
    }

    #[test]
    fn no_empty_table_stays_of_the_last_connection() {
        let mut state = opened(None);
        let context = ComposeContext::from_state(&state);
        let plan = add_connection(context, "new amqp://h:5672/team").unwrap();
        assert!(make(&mut state, plan).contains("[connections.new]"), "{}", text(&state));
        let plan = remove_connection(ComposeContext::from_state(&state), "new").unwrap();
        assert_eq!(make(&mut state, plan), "");
        assert_eq!(state.documents.changed_files().count(), 0, "the file was never saved");
        let mut state = opened(Some("[connections.new]\nservers = [\"nats://h:1\"]\n"));
        let plan = remove_connection(ComposeContext::from_state(&state), "new").unwrap();
        assert_eq!(make(&mut state, plan), "");
        let file = state.documents.get(&FileId::new(SETTINGS)).unwrap();
        assert!(!file.gone, "a file that is on disk stays");
    }

    #[test]
    fn an_address_that_ends_in_mcp_is_an_mcp_server() {
        let mut state = opened(None);
        let context = ComposeContext::from_state(&state);
        let plan = add_connection(context, "shop http://127.0.0.1:8945/mcp").unwrap();
        assert!(make(&mut state, plan).contains("system = \"mcp\""), "{}", text(&state));
        let context = ComposeContext::from_state(&state);
        let plan = add_connection(context, "other http://127.0.0.1:8088").unwrap();
        assert_eq!(make(&mut state, plan).matches("system").count(), 1, "{}", text(&state));
    }

    #[test]
    fn variables_and_headers_are_in_the_table_and_no_secret_is() {
        let mut state = opened(None);
        let context = ComposeContext::from_state(&state);
        let plan = add_server(context, "TOKEN=hush MODE=fast npx -y @a/server-shop").unwrap();
        assert!(plan.notes.concat().contains("environment variable TOKEN"), "{:?}", plan.notes);
        let text = make(&mut state, plan);
        assert!(text.contains("MODE = \"fast\"") && text.contains("TOKEN = \"$TOKEN\""), "{text}");
        assert!(text.contains("shop") && !text.contains("hush"), "{text}");
        let mut state = opened(None);
        let context = ComposeContext::from_state(&state);
        let plan = add_connection(context, "MODE=fast myserver").unwrap();
        let own = make(&mut state, plan);
        assert!(own.contains("command = \"myserver\""), "{own}");
        let context = ComposeContext::from_state(&state);
        let line = "far https://h:1/mcp -H 'X-Tenant: acme'";
        let plan = add_connection(context, line).unwrap();
        let text = make(&mut state, plan);
        assert!(text.contains("X-Tenant = \"acme\"") && text.contains("system"), "{text}");
    }

    #[test]
    fn what_cannot_be_is_said() {
        let state = opened(Some(LOCAL));
        let context = ComposeContext::from_state(&state);
        for (text, expected) in [
            ("new", "the server's command or its address after the name"),
            ("local nats://h:1", "local already exists"),
            ("embedded nats://h:1", "embedded already exists"),
            ("a.b nats://h:1", "a name can only have"),
            ("new h:1", "an address starts with"),
            ("new nats://me:hush@h:1", "holds a user or password"),
        ] {
            let wrong = add_connection(context, text).unwrap_err();
            assert!(wrong.contains(expected) && !wrong.contains("hush"), "{wrong}");
        }
        assert!(make_usual(context, &state.network.connections, "local").is_err());
        assert!(
            remove_connection(context, "embedded").unwrap_err().contains("isn't in toolcrib.toml")
        );
    }

    #[test]
    fn the_first_edit_of_the_embedded_connection_makes_its_table() {
        let mut state = opened(None);
        let edit = Edit::Set { at: Pointer::root().child("tools"), to: json!(["joke"]).into() };
        let plan = edit_connection(ComposeContext::from_state(&state), "embedded", &[edit]);
        assert_eq!(make(&mut state, plan), "[connections.embedded]\ntools = [\"joke\"]\n");
    }
}
