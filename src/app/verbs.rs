//! What keys mean: one meaning a key, the same on every screen where it acts.
//!
//! An action has no keys of its own. Its row names the verb whose keys it takes, so that no letter
//! can mean one thing here and another thing there. What is done less than daily has no verb: it is
//! in the actions menu and in the command palette.

use crate::app::input::Key;

/// A key, or keys that mean the same, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verb {
    /// One word or two; `[keys]` of `config.toml` may name it in the place of an action.
    pub name: &'static str,
    /// The first one is shown.
    pub keys: &'static [&'static str],
    /// A few words: what it does, wherever it acts.
    pub meaning: &'static str,
}

impl Verb {
    /// Whether a key is one of its own, for what takes keys beside the tables of actions.
    #[must_use]
    pub fn is_key(&self, key: Key) -> bool {
        self.keys.iter().any(|word| word.parse() == Ok(key))
    }
}

const fn verb(name: &'static str, keys: &'static [&'static str], meaning: &'static str) -> Verb {
    Verb { name, keys, meaning }
}

pub const HELP: Verb = verb("help", &["?", "f1"], "list what works here");
pub const PALETTE: Verb = verb("palette", &["ctrl+p"], "find any action by name");
pub const MENU: Verb =
    verb("menu", &["."], "list what can be done with the thing under the cursor");
pub const SCREEN_1: Verb = verb("screen 1", &["1"], "show Tools");
pub const SCREEN_2: Verb = verb("screen 2", &["2"], "show Workflow");
pub const SCREEN_3: Verb = verb("screen 3", &["3"], "show Invoke");
pub const SCREEN_4: Verb = verb("screen 4", &["4"], "show Watch");
pub const SCREEN_5: Verb = verb("screen 5", &["5"], "show History");
pub const SCREEN_6: Verb = verb("screen 6", &["6"], "show Connections");
pub const SCREEN_7: Verb = verb("screen 7", &["7"], "show Waiting");
pub const SCREEN_8: Verb = verb("screen 8", &["8"], "show Resources");
pub const NEXT_PANE: Verb = verb("next pane", &["tab"], "go to the next pane");
pub const PREVIOUS_PANE: Verb = verb("previous pane", &["shift+tab"], "go to the previous pane");
pub const ACTIVATE: Verb =
    verb("activate", &["enter"], "open, edit or run what is under the cursor");
pub const ESCAPE: Verb = verb("escape", &["esc"], "go back one level");
pub const STOP: Verb = verb("stop", &["ctrl+x"], "stop what is running");
pub const TICK: Verb = verb("tick", &["space"], "tick, mark, or set a breakpoint");
pub const FIRST: Verb = verb("first", &["g"], "go to the first row");
pub const LAST: Verb = verb("last", &["G"], "go to the last row");
pub const NEXT_MARK: Verb =
    verb("next mark", &["]", "f8"], "go to the next problem, arrow of a state, or event");
pub const PREVIOUS_MARK: Verb = verb(
    "previous mark",
    &["[", "shift+f8"],
    "go to the previous problem, arrow of a state, or event",
);
pub const FIND: Verb = verb("find", &["/", "ctrl+f"], "find in this pane as you type");
pub const EDIT_FIELD: Verb = verb("edit field", &["i"], "edit the field");
pub const EDIT: Verb =
    verb("edit", &["e"], "edit what is under the cursor: a tool, an arrow, a call");
pub const EDITOR: Verb = verb("editor", &["E"], "edit in $EDITOR");
pub const NEW: Verb = verb("new", &["n"], "make a new one");
pub const ADD: Verb = verb("add", &["a"], "add to this: an item, an arrow, an alert");
pub const COPY: Verb = verb("copy", &["c"], "make a copy of it here");
pub const RENAME: Verb = verb("rename", &["r"], "rename it");
pub const DELETE: Verb = verb("delete", &["d", "delete"], "delete it");
pub const CLEAR: Verb = verb("clear", &["x"], "clear the list, after asking");
pub const UNDO: Verb = verb("undo", &["u", "ctrl+z"], "undo");
pub const REDO: Verb = verb("redo", &["U", "ctrl+y", "ctrl+r"], "redo");
pub const SAVE: Verb = verb("save", &["s", "ctrl+s"], "save");
pub const SAVE_ALL: Verb = verb("save all", &["S"], "save every changed file");
pub const SEND: Verb =
    verb("send", &["f6", "ctrl+j", "ctrl+enter"], "send; the main act of the screen");
pub const AGAIN: Verb = verb("again", &["R"], "do it again: send the call, start the run");
pub const TEST: Verb = verb("test", &["t"], "test it, run it, run from here");
pub const PAUSE: Verb = verb("pause", &["p"], "pause, go on, or replay");
pub const BACK: Verb = verb("back", &["b", "backspace"], "take one step back");
pub const MOCK: Verb = verb("mock", &["m"], "mock the service of the tool");
pub const KEEP: Verb = verb(
    "keep",
    &["K"],
    "save it as a case, a scenario, or a server's tool \
    list",
);
pub const FIX: Verb = verb("fix", &["F"], "apply the fix, or the smallest change");
pub const EXPLAIN: Verb = verb("explain", &["I"], "explain it in full: all of it, and why");
pub const WHAT_IF: Verb = verb("what if", &["W"], "try a change before it is made");
pub const DIFF: Verb = verb("diff", &["D"], "show what differs");
pub const OPEN: Verb = verb("open", &["o"], "open what it holds or leads to");
pub const VIEW: Verb = verb("view", &["v"], "show the next view");
pub const COPY_AS: Verb = verb("copy as", &["y"], "copy to the clipboard");
pub const FOLLOW: Verb = verb("follow", &["f"], "follow what is new, or stay here");
pub const CONNECTION: Verb = verb("connection", &["C"], "choose the connection");
pub const RELOAD: Verb = verb("reload", &["f5"], "reload");
pub const ZOOM: Verb = verb("zoom", &["z"], "show the pane alone, and back");
pub const NARROWER: Verb = verb("narrower", &["<"], "make the pane narrower");
pub const WIDER: Verb = verb("wider", &[">"], "make the pane wider");
pub const WRAP: Verb = verb("wrap", &["w"], "wrap long lines, or cut them");
pub const LARGER: Verb = verb("larger", &["+", "="], "show more detail");
pub const SMALLER: Verb = verb("smaller", &["-"], "show less detail");
pub const FIT: Verb = verb("fit", &["0"], "fit it to the pane");
pub const QUIT: Verb = verb("quit", &["q", "ctrl+q", "ctrl+c"], "quit");

/// All of them, in the order in which help shows them.
pub const VERBS: &[Verb] = &[
    HELP,
    PALETTE,
    MENU,
    SCREEN_1,
    SCREEN_2,
    SCREEN_3,
    SCREEN_4,
    SCREEN_5,
    SCREEN_6,
    SCREEN_7,
    SCREEN_8,
    NEXT_PANE,
    PREVIOUS_PANE,
    ACTIVATE,
    ESCAPE,
    STOP,
    TICK,
    FIRST,
    LAST,
    NEXT_MARK,
    PREVIOUS_MARK,
    FIND,
    EDIT_FIELD,
    EDIT,
    EDITOR,
    NEW,
    ADD,
    COPY,
    RENAME,
    DELETE,
    CLEAR,
    UNDO,
    REDO,
    SAVE,
    SAVE_ALL,
    SEND,
    AGAIN,
    TEST,
    PAUSE,
    BACK,
    MOCK,
    KEEP,
    FIX,
    EXPLAIN,
    WHAT_IF,
    DIFF,
    OPEN,
    VIEW,
    COPY_AS,
    FOLLOW,
    CONNECTION,
    RELOAD,
    ZOOM,
    NARROWER,
    WIDER,
    WRAP,
    LARGER,
    SMALLER,
    FIT,
    QUIT,
];

/// The most keys that anyone is asked to learn.
pub const MOST_VERBS: usize = 60;
