//! Connections: which of them a tool's calls always go through.

use serde_json::json;

use super::{ground::Ground, plan::Plan};
use crate::{
    app::documents::Change,
    engine::settings::connections::TOOLS,
    model::{connections::Connections, settings::SETTINGS, tool::Tool},
    schema::pointer::Pointer,
    syntax::{edit::Edit, print, source::Format},
};

/// The table of the settings file that holds them.
pub const CONNECTIONS: &str = "connections";

/// Gives a tool a connection of its own; `None`: the one that all have.
///
/// # Errors
/// When the settings file does not say that connection, or would say nothing new.
pub fn of_tool(ground: Ground<'_>, connections: &Connections, tool: &Tool, to: Option<&str>) -> Result<Plan, String> {
    let key = &tool.entry.key;
    if connections.own(tool) == to {
        return Err(match to {
            Some(name) => format!("calls of {key} go through {name} already"),
            None => format!("{key} has no connection of its own"),
        });
    }
    let tables = ground.settings().and_then(|settings| settings.get(CONNECTIONS)).and_then(|tables| tables.as_object());
    let mut changes: Vec<Change> = Vec::new();
    for (name, table) in tables.into_iter().flatten() {
        let listed = table.get(TOOLS).and_then(|tools| tools.as_array()).into_iter().flatten().enumerate();
        let its = listed.filter(|(_, listed)| listed.as_str().is_some_and(|listed| listed == key || listed == tool.name));
        let list = Pointer::root().child(CONNECTIONS).child(name.as_str()).child(TOOLS);
        // From the end, so that the places before stay what they are.
        let rows: Vec<usize> = its.map(|(row, _)| row).collect();
        changes.extend(rows.into_iter().rev().map(|row| ground.in_settings(Edit::Remove { at: list.item(row) }, String::new)));
    }
    let Some(name) = to else {
        return Ok(Plan::new(format!("{key} goes through the workspace's connection"), changes));
    };
    // What was given on the command line stands in no file, and the demo's own may stand in none either.
    let is_written = tables.is_some_and(|tables| tables.contains_key(name));
    if !is_written && connections.named(name).is_some_and(|known| !known.servers.is_empty()) {
        return Err(format!("connection {name} is not in {SETTINGS}; write it there under [connections.NAME] first"));
    }
    let table = Pointer::root().child(CONNECTIONS).child(name);
    let list = tables.and_then(|tables| tables.get(name)?.get(TOOLS)?.as_array());
    let edit = match list {
        Some(list) => Edit::Insert { at: table.child(TOOLS).item(list.len()), item: key.as_str().into() },
        None => Edit::Set { at: table.child(TOOLS), to: json!([key]).into() },
    };
    // Without the file, none is known but the embedded one.
    let text_of_new = || format!("[{CONNECTIONS}.{name}]\n{}", print::value(Format::Toml, &json!({TOOLS: [key]})));
    changes.push(ground.in_settings(edit, text_of_new));
    Ok(Plan::new(format!("{key} goes through {name}"), changes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            message::{Loaded, Message},
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
            (FileId::new(name), Loaded { text: text.into(), source: Source::parse(format, text) })
        };
        let tools = load(("tools.yaml", TOOL_FILE), Format::Yaml);
        let files: Vec<_> = [tools].into_iter().chain(settings.map(|text| load((SETTINGS, text), Format::Toml))).collect();
        let names = files.iter().map(|(file, _)| file.clone()).collect();
        update(&mut state, Message::Loaded(files), Millis(1));
        update(&mut state, Message::LoadEnded { names, skipped: Vec::new() }, Millis(2));
        state
    }

    fn give(state: &mut State, key: &str, to: Option<&str>) -> Result<(), String> {
        let tool = state.catalog.tool_called(key).unwrap();
        let Plan { label, changes, .. } = of_tool(Ground::of(state), &state.connections, tool, to)?;
        update(state, Message::Change { label, changes }, Millis(3));
        Ok(())
    }

    fn goes(state: &State, key: &str) -> String {
        state.connections.of(state.catalog.tool_called(key).unwrap()).name
    }

    fn text(state: &State) -> String {
        state.documents.get(&FileId::new(SETTINGS)).map(|document| document.text.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_tool_goes_through_its_own_connection_unless_another_is_chosen() {
        let mut state = opened(Some(LOCAL));
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["local", "far"]);
        update(&mut state, Message::UseConnection(Some("embedded".into())), Millis(3));
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["embedded", "embedded"]);
        update(&mut state, Message::UseConnection(None), Millis(4));
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["local", "far"]);
    }

    #[test]
    fn a_tool_is_given_a_connection_and_the_file_keeps_the_rest() {
        let mut state = opened(Some(LOCAL));
        give(&mut state, "joke", Some("far")).unwrap();
        assert_eq!(text(&state), LOCAL.replace("[\"Sum\"]", "[\"Sum\", \"joke\"]"));
        give(&mut state, "sum", Some("local")).unwrap();
        let expected = LOCAL.replace("[\"Sum\"]", "[\"joke\"]").replace("h:1\"\n", "h:1\"\ntools = [\"sum\"]\n");
        assert_eq!(text(&state), expected);
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["far", "local"]);
        give(&mut state, "joke", None).unwrap();
        assert_eq!([goes(&state, "joke"), goes(&state, "sum")], ["local", "local"]);
        give(&mut state, "joke", Some("embedded")).unwrap();
        assert_eq!(
            text(&state),
            format!("{}\n[connections.embedded]\ntools = [\"joke\"]\n", expected.replace("[\"joke\"]", "[]"))
        );
        for _ in 0..4 {
            update(&mut state, Message::Undo, Millis(5));
        }
        assert_eq!((text(&state).as_str(), goes(&state, "sum").as_str()), (LOCAL, "far"));
    }

    #[test]
    fn without_a_settings_file_one_is_made() {
        let mut state = opened(None);
        give(&mut state, "joke", Some("embedded")).unwrap();
        assert_eq!(text(&state), "[connections.embedded]\ntools = [\"joke\"]\n");
        assert_eq!(give(&mut state, "joke", Some("embedded")), Err("calls of joke go through embedded already".into()));
        assert_eq!(give(&mut state, "sum", None), Err("sum has no connection of its own".into()));
    }

    #[test]
    fn what_only_the_command_line_said_is_refused() {
        let mut state = opened(Some(LOCAL));
        state.connections.choose(crate::model::connection::Connection::nats("nats://x:1", "nats://x:1"));
        assert!(give(&mut state, "joke", Some("nats://x:1")).unwrap_err().contains("not in toolcrib.toml"));
    }
}
