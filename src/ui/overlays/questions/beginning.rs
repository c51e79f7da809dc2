//! How to begin in a folder: with a sample, a system, a server, or the tools of a file that is there.

use crate::{
    app::{
        message::{ConnectionMessage, DocumentMessage, Message, ScreenId},
        state::State,
    },
    systems::table,
    ui::{
        overlays::welcome::{Way, WayAct, Welcome},
        pasted::files_with_tools,
    },
};

/// What the first start says, and what is said once there is something in the folder.
const EMPTY: &str = "This folder has no descriptors yet. A sample has tools and services that \
    answer at once, without a server. To look around first, run `toolcrib demo`.";
const EMPTY_IN_WINDOW: &str = "This folder has no descriptors yet. A sample has tools and services \
    that answer at once, without a server. Other folders, and the demo, open in windows of their own.";
const BEGUN: &str = "Add a tool, or the tools of a file, a running system or an MCP server. \
    Samples are for empty folders: `toolcrib demo --sample NAME` shows one.";

const UNREAD: &str = "This folder has no descriptors yet, but tools in another form: they can be \
    added to the workspace, and their files stay as they are. Nothing is added before you saw it.";

/// The keys of files whose tools can be added, as many as are offered.
const FILE_KEYS: [char; 3] = ['f', 'g', 'h'];

/// The ways to begin.
pub(super) fn welcome(state: &State) -> Welcome {
    let is_empty = state.catalog.entries().next().is_none();
    let way = |key, words, messages| Way {
        key,
        words,
        detail: String::new(),
        act: WayAct::Send(messages),
    };
    let put = |name| Message::Document(DocumentMessage::PutSample(name));
    let mut ways = Vec::new();
    let files = files_with_tools(state, FILE_KEYS.len());
    let is_in_window = state.keymap.is_in_window();
    let words = match (is_empty, files.is_empty()) {
        (true, true) if is_in_window => EMPTY_IN_WINDOW,
        (true, true) => EMPTY,
        (true, false) => UNREAD,
        (false, _) => BEGUN,
    };
    ways.extend(FILE_KEYS.into_iter().zip(files).map(|(key, file)| Way {
        key,
        words: "add the tools of",
        detail: file.to_string(),
        act: WayAct::AddTools(file),
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
