//! The document's workflow (section 5.1) made from an empty folder with the real program: by keys
//! alone, and by mouse alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use tempfile::TempDir;
use toolcrib::{
    model::{context::Mode, entry::FileId, tool::States},
    syntax::source::{Format, Source},
    systems::read,
};

use crate::support::terminal::{Terminal, toolcrib};

/// What a tool says, whatever the order in its lists.
#[derive(Debug, PartialEq, Eq)]
struct Meaning {
    kind: String,
    name: String,
    description: String,
    groups: BTreeSet<String>,
    states: Option<BTreeSet<String>>,
    next: Option<String>,
    answers: Option<String>,
}

/// What the tools in a folder's files say.
fn meaning(folder: &Path) -> BTreeMap<String, Meaning> {
    let mut files: Vec<(FileId, Source)> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if let Some(format) = Format::from_path(&path) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            files.push((
                FileId::new(name),
                Source::parse(format, fs::read_to_string(&path).unwrap()).unwrap(),
            ));
        }
    }
    let catalog =
        read::read_catalog(files.iter().map(|(file, source)| (file, source)), Mode::Document);
    let tools = catalog.tools.iter().map(|tool| {
        let states = match &tool.gate.states {
            States::Every => None,
            States::Only(listed) => Some(listed.iter().map(ToString::to_string).collect()),
        };
        let meaning = Meaning {
            kind: tool.kind.clone(),
            name: tool.name.clone(),
            description: tool.description.clone(),
            groups: tool.gate.groups().iter().map(ToString::to_string).collect(),
            states,
            next: tool.gate.next.as_ref().map(ToString::to_string),
            // An empty name names nothing.
            answers: tool.service.clone().filter(|name| !name.is_empty()),
        };
        (tool.entry.key.clone(), meaning)
    });
    tools.collect()
}

fn the_documents() -> BTreeMap<String, Meaning> {
    meaning(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/spec-workflow"))
}

/// The tools in the order in which they are made: key, the arrow, whether its head is new, the type
/// as the menu has it.
const ARROWS: [(&str, &str, &str, Target, &str); 4] = [
    ("knowledge-query", "undefined", "analysis", Target::New, "knowledge-query"),
    ("graph-update", "analysis", "analysis", Target::There, "another type"),
    ("complex-analysis", "analysis", "results", Target::New, "mcp-tool"),
    ("reset-workflow", "analysis", "undefined", Target::There, "mcp-tool"),
];

#[derive(Clone, Copy, PartialEq)]
enum Target {
    New,
    There,
}

/// Group, and the tools in it, the first of which makes it.
const GROUPS: [(&str, &[&str]); 9] = [
    ("read-only", &["knowledge-query", "text-completion"]),
    ("knowledge", &["knowledge-query", "graph-update"]),
    ("basic", &["knowledge-query", "text-completion"]),
    ("write", &["graph-update"]),
    ("admin", &["graph-update", "reset-workflow"]),
    ("text", &["text-completion"]),
    ("advanced", &["complex-analysis"]),
    ("compute", &["complex-analysis"]),
    ("expensive", &["complex-analysis"]),
];

fn empty() -> (TempDir, Terminal) {
    let folder = tempfile::tempdir().unwrap();
    let terminal = toolcrib([folder.path()]).size(200, 60).start();
    terminal.wait_for("Start empty");
    (folder, terminal)
}

/// The document's words for a tool: name, description.
fn words(key: &str) -> (String, String) {
    let tool = the_documents().remove(key).unwrap();
    (tool.name, tool.description)
}

/// The star beside the workspace's name says that something is not saved.
fn wait_saved(terminal: &Terminal) {
    terminal.wait_until("nothing unsaved", |screen| {
        !screen.contents().lines().next().is_some_and(|top| top.contains('*'))
    });
}

mod by_keys {
    use super::*;

    fn find(terminal: &mut Terminal, name: &str) {
        terminal.press(["/"]);
        terminal.wait_for("a state or a tool");
        terminal.type_text(name);
        terminal.wait_for(&format!("/ {name}"));
        terminal.press(["enter"]);
        terminal.wait_gone("Enter select");
    }

    /// Draws from one state to another, as far as the question for the tool.
    fn draw(terminal: &mut Terminal, from: &str, to: &str, target: Target) {
        find(terminal, from);
        terminal.press(["a"]);
        terminal.wait_for(&format!("{from} → "));
        if target == Target::New {
            terminal.press(["n"]);
            terminal.wait_for("The name of the new state");
            terminal.type_text(to);
        } else {
            find(terminal, to);
        }
        terminal.press(["enter"]);
        terminal.wait_for(&format!("{from} → {to} with"));
    }

    /// Makes the tool that the arrow is, from the question for it.
    fn make(terminal: &mut Terminal, kind: &str, key: &str) {
        terminal.press(["enter"]);
        terminal.wait_for("New tool ");
        terminal.type_text(kind);
        terminal.press(["enter"]);
        if kind == "another type" {
            terminal.wait_for("The type of the new tool.");
            terminal.type_text(key);
            terminal.press(["enter"]);
        }
        terminal.wait_for("The key of the new");
        terminal.type_text(key);
        terminal.wait_for(&format!("+   {key}:"));
        terminal.press(["enter"]);
        terminal.wait_for(&format!("Added tool {key}; s saves"));
    }

    /// Switches a cell on.
    fn tick(terminal: &mut Terminal, tool: &str, column: &str) {
        terminal.press(["/"]);
        terminal.wait_for("columns /");
        terminal.type_text(tool);
        terminal.press(["tab"]);
        terminal.type_text(column);
        terminal.press(["enter"]);
        terminal.wait_for(&format!("add {tool} to {column}"));
        terminal.press(["space"]);
        terminal.wait_for(&format!("remove {tool} from {column}"));
        terminal.press(["esc"]);
        terminal.wait_gone("columns /");
    }

    /// Makes a column with the tool in it; a state's first tick is a step of its own.
    fn column(terminal: &mut Terminal, tool: &str, name: &str, question: &str) {
        terminal.press(["/"]);
        terminal.wait_for("columns /");
        terminal.type_text(tool);
        terminal.press(["enter", "n"]);
        terminal.wait_for(question);
        terminal.type_text(name);
        terminal.press(["enter"]);
        terminal.wait_gone(question);
        terminal.wait_for(&format!("{tool} × "));
        terminal.press(["esc"]);
        terminal.wait_gone("columns /");
    }

    /// Types the words of the tool that was just made into its form, and comes back.
    fn describe(terminal: &mut Terminal, key: &str) {
        let (name, description) = words(key);
        terminal.press(["1"]);
        let title = format!("{key} · TrustGraph tool");
        terminal.wait_until(format_args!("{title} and its keys"), |screen| {
            let seen = screen.contents();
            seen.contains(&title) && seen.contains("││▌description ") && seen.contains("Enter edit")
        });
        // A tool that was just made is open at its first empty field; its name is two above. While
        // text is typed, F1 leads to the help.
        terminal.press(["up", "up"]);
        terminal.wait_for("││▌name ");
        terminal.press(["enter"]);
        terminal.wait_for("F1 help");
        terminal.press(["ctrl+a"]);
        terminal.type_text(&name);
        terminal.wait_for(&format!(" {name} "));
        focus(terminal, "description");
        terminal.type_text(&description);
        terminal.wait_for(&format!(" {description} "));
        if key == "complex-analysis" {
            focus(terminal, "mcp-tool");
            terminal.type_text("analysis-server");
            terminal.wait_for(" analysis-server ");
        }
        terminal.press(["tab"]);
        terminal.wait_for(&format!("name: \"{name}\""));
        terminal.wait_for(&format!("description: \"{}", &description[..20]));
        terminal.press(["ctrl+p"]);
        terminal.wait_for("Commands");
        terminal.type_text("Step through");
        terminal.wait_for("› Step through");
        terminal.press(["enter"]);
        terminal.wait_for("States · ");
    }

    /// Goes on with Tab until a field has the keys.
    fn focus(terminal: &mut Terminal, field: &str) {
        // The form is the second of the panes.
        let middle = |line: &str| {
            line.split("││").nth(1)?.strip_prefix('▌')?.split_whitespace().next().map(str::to_owned)
        };
        let marked = |contents: &str| contents.lines().find_map(middle);
        for _ in 0..20 {
            let before = marked(&terminal.contents());
            if before.as_deref() == Some(field) {
                return;
            }
            terminal.press(["tab"]);
            terminal.wait_until("the next field", |screen| marked(&screen.contents()) != before);
        }
        panic!("no field {field}:\n{}", terminal.contents());
    }

    #[test]
    fn the_documents_workflow_is_made_by_keys_alone() {
        let (folder, mut terminal) = empty();
        terminal.press(["e"]);
        terminal.wait_gone("Start empty");
        terminal.press(["2"]);
        terminal.wait_for("States · ");
        terminal.press(["shift+tab"]);
        for (key, from, to, target, kind) in ARROWS {
            draw(&mut terminal, from, to, target);
            make(&mut terminal, kind, key);
            describe(&mut terminal, key);
        }
        // An arrow more of a tool that is there.
        draw(&mut terminal, "results", "undefined", Target::There);
        terminal.type_text("reset-workflow");
        terminal.press(["enter"]);
        terminal.wait_for("Enter draw");
        terminal.press(["enter"]);
        terminal.wait_for("Drew reset-workflow: results → undefined; s saves");
        // One from every state.
        find(&mut terminal, "undefined");
        terminal.press(["@draw-from-any"]);
        terminal.wait_for("any state → undefined with");
        make(&mut terminal, "text-completion", "text-completion");
        describe(&mut terminal, "text-completion");
        // The states that nothing leads to, in the matrix.
        terminal.press(["v", "v"]);
        terminal.wait_for("any state");
        for (tool, state) in [("knowledge-query", "research"), ("graph-update", "modification")] {
            column(&mut terminal, tool, state, "The name of the new state");
            tick(&mut terminal, tool, state);
        }
        terminal.press(["v", "v"]);
        terminal.wait_for("5 tools × 1 group ");
        for (group, tools) in GROUPS {
            for (row, tool) in tools.iter().enumerate() {
                if row == 0 {
                    column(&mut terminal, tool, group, "Name of the new group");
                } else {
                    tick(&mut terminal, tool, group);
                }
            }
        }
        // No tool is in the default group any more.
        terminal.press(["@find-columns"]);
        terminal.type_text("default");
        terminal.press(["enter", "home", "home", "shift+end"]);
        terminal.wait_for("untick 5 cells");
        terminal.press(["space"]);
        terminal.wait_for("Unticked 5 cells; s saves");
        terminal.press(["ctrl+q"]);
        terminal.wait_for("Save all and quit");
        terminal.press(["s"]);
        assert!(terminal.wait_end().success());
        assert_eq!(meaning(folder.path()), the_documents());
    }
}

mod by_mouse {
    use super::*;
    use crate::support::terminal::{Place, find};

    /// Where a state's box stands in the picture.
    fn state(terminal: &Terminal, name: &str) -> Place {
        let name = if name == "undefined" { "▶ undefined" } else { name };
        let place = |screen: &vt100::Screen| {
            ["┃", "╎", "│"].iter().find_map(|edge| find(screen, &format!("{edge} {name} ")))
        };
        terminal.wait_until(format_args!("the box of {name}"), |screen| place(screen).is_some());
        let (column, row) = terminal.look(place).unwrap();
        (column + 4, row)
    }

    fn draw(terminal: &mut Terminal, from: &str, to: &str, target: Target) {
        let start = state(terminal, from);
        if target == Target::New {
            terminal.drag(start, (60, 3));
            terminal.wait_for("The name of the new state");
            terminal.type_text(to);
            terminal.wait_for(to);
            terminal.click_on("Enter next");
        } else {
            let end = state(terminal, to);
            // Within one box, the drag has to go somewhere.
            terminal.drag(start, (end.0 + 1, end.1));
        }
        terminal.wait_for(&format!("{from} → {to} with"));
    }

    fn make(terminal: &mut Terminal, kind: &str, key: &str) {
        terminal.click_on("choose its type and key");
        terminal.wait_for("New tool ");
        match kind {
            "another type" => {
                terminal.click_on("another type …");
                terminal.wait_for("The type of the new tool.");
                terminal.type_text(key);
                terminal.wait_for(key);
                terminal.click_on("Enter next");
            }
            "mcp-tool" => terminal.click_on("Calls a tool of an MCP server."),
            "text-completion" => terminal.click_on("Asks the language model directly."),
            _ => terminal.click_on("Asks the knowledge graph."),
        }
        terminal.wait_for("The key of the new");
        terminal.type_text(key);
        terminal.wait_for(&format!("+   {key}:"));
        accept(terminal, "create");
        terminal.wait_for(&format!("Added tool {key}; s saves"));
    }

    fn accept(terminal: &Terminal, act: &str) {
        terminal.click_on(&format!("Enter {act}"));
        terminal.wait_gone("Esc cancel");
    }

    /// Where the cell of a tool and a column is.
    fn cell(terminal: &Terminal, tool: &str, column: &str) -> Place {
        let head = format!(" {column} ");
        terminal.wait_for(&head);
        (terminal.find(&head).0 + 2, row(terminal, tool))
    }

    fn row(terminal: &Terminal, tool: &str) -> u16 {
        terminal.find(&format!("{tool} ")).1
    }

    fn tick(terminal: &mut Terminal, tool: &str, column: &str) {
        let place = cell(terminal, tool, column);
        // The first press chooses the cell, unless it is the chosen one.
        let words = format!("add {tool} to {column}");
        if !terminal.contents().contains(&words) {
            terminal.click(place);
            terminal.wait_for(&words);
        }
        terminal.click(place);
        terminal.wait_for(&format!("remove {tool} from {column}"));
    }

    /// Makes a column; that of a group with the tool in it.
    fn column(terminal: &mut Terminal, tool: &str, name: &str, question: &str) {
        terminal.click((4, row(terminal, tool)));
        terminal.wait_for(&format!("─ {tool} × "));
        terminal.click_on("n new column");
        terminal.wait_for(question);
        terminal.type_text(name);
        terminal.wait_for(name);
        accept(terminal, "create");
        terminal.wait_gone(question);
        terminal.wait_until("the cursor in the new column", |screen| {
            ["state", "group"]
                .iter()
                .any(|of| find(screen, &format!("{tool} × {of} {name} ")).is_some())
        });
    }

    /// Puts the mouse over the text of a field, whole, and types another.
    fn describe(terminal: &mut Terminal, key: &str) {
        let (name, description) = words(key);
        terminal.click_on(&format!("○ {key}"));
        terminal.wait_for(&format!("{key} · TrustGraph tool"));
        let (column, row) = terminal.find(&format!("  {key}     "));
        let length = u16::try_from(key.len()).unwrap();
        terminal.drag((column + 2, row), (column + 2 + length, row));
        terminal.type_text(&name);
        terminal.wait_for(&name);
        put(terminal, "description", &description);
        if key == "complex-analysis" {
            put(terminal, "mcp-tool", "analysis-server");
        }
        terminal.click_on("type *");
        terminal.wait_for("Enter list");
        terminal.wait_for(&format!("name: \"{name}\""));
        terminal.wait_for(&format!("description: \"{}", &description[..20]));
    }

    fn put(terminal: &mut Terminal, field: &str, text: &str) {
        let (column, row) = terminal.find(&format!("{field} *"));
        terminal.click((column + 19, row));
        terminal.wait_for(&format!("▌{field}"));
        terminal.type_text(text);
        terminal.wait_for(text);
    }

    #[test]
    fn the_documents_workflow_is_made_by_mouse_alone() {
        let (folder, mut terminal) = empty();
        terminal.click_on("Start empty");
        terminal.wait_gone("Start empty");
        terminal.click_on("2 Workflow");
        terminal.wait_for("States · ");
        for (key, from, to, target, kind) in ARROWS {
            draw(&mut terminal, from, to, target);
            make(&mut terminal, kind, key);
        }
        draw(&mut terminal, "results", "undefined", Target::There);
        terminal.click_on("analysis → undefined");
        accept(&terminal, "draw");
        terminal.wait_for("Drew reset-workflow: results → undefined; s saves");
        let undefined = state(&terminal, "undefined");
        terminal.press_right(undefined);
        terminal.click_on("from any state");
        terminal.wait_for("any state → undefined with");
        make(&mut terminal, "text-completion", "text-completion");
        let at = state(&terminal, "undefined");
        terminal.click(at);
        terminal.click_on("v matrix");
        terminal.click_on("v groups/states");
        terminal.wait_for("any state");
        for (tool, state) in [("knowledge-query", "research"), ("graph-update", "modification")] {
            column(&mut terminal, tool, state, "The name of the new state");
            tick(&mut terminal, tool, state);
        }
        terminal.click_on("v groups/states");
        terminal.click_on("v matrix");
        terminal.wait_for("5 tools × 1 group ");
        for (group, tools) in GROUPS {
            for (at, tool) in tools.iter().enumerate() {
                if at == 0 {
                    column(&mut terminal, tool, group, "Name of the new group");
                } else {
                    tick(&mut terminal, tool, group);
                }
            }
        }
        let (first, last) = (
            cell(&terminal, "knowledge-query", "default"),
            cell(&terminal, "text-completion", "default"),
        );
        terminal.click((4, first.1));
        terminal.drag(first, last);
        terminal.wait_for("untick 5 cells");
        terminal.click(first);
        terminal.wait_for("Unticked 5 cells; s saves");
        terminal.click_on("1 Tools");
        for key in the_documents().keys() {
            describe(&mut terminal, key);
        }
        terminal.click_on("Ctrl+P commands");
        terminal.wait_for("Commands");
        terminal.type_text("save all");
        terminal.wait_for("› save all");
        terminal.click_on("Save every changed file");
        wait_saved(&terminal);
        assert_eq!(meaning(folder.path()), the_documents());
    }
}
