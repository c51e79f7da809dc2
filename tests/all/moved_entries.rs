//! Entries that go to other files: from format to format, with their comments, as one step.

use toolcrib::{
    app::{
        compose::{
            context::ComposeContext,
            moving::{files_to_move_to, move_entry, move_refusal},
        },
        message::{DocumentMessage, Message},
    },
    model::entry::FileId,
};

use super::support::workbench::Workbench;

const TOOLS: &str = "\
# All of them
tool:
  # Asks
  ask:
    type: text-completion # for now
    name: ask
    description: >
      Asks what
      there is
  pay: {type: text-completion, name: pay, description: d}
";
const OTHERS: &str = "\
tool:
    joke:
        type: text-completion
        name: joke
        description: j # j

mcp:
    m: {url: 'http://localhost'}
";

fn texts(bench: &Workbench) -> Vec<(String, String)> {
    let files = bench.state.documents.iter();
    files.map(|(file, document)| (file.to_string(), document.text.to_string())).collect()
}

/// Moves the entry of that key, and checks that undo takes it back in one step.
fn moved(files: &[(&str, &str)], key: &str, to: &str) -> Workbench {
    let mut bench = Workbench::files(files, 120, 36);
    let before = texts(&bench);
    let entry = bench.state.catalog.entries().find(|entry| entry.key == key).unwrap().clone();
    let context = ComposeContext::from_state(&bench.state);
    let moved = move_entry(&entry, &FileId::new(to), context).unwrap_or_else(|why| panic!("{why}"));
    bench.send(Message::Document(DocumentMessage::Compose(moved.plan)));
    let there = bench.state.catalog.entry(&moved.entry).unwrap();
    assert_eq!((&*there.key, &*there.value), (key, &*entry.value));
    assert_eq!(there.id.file().as_str(), to);
    let after = texts(&bench);
    bench.keys("u");
    assert_eq!(texts(&bench), before);
    bench.keys("U");
    assert_eq!(texts(&bench), after);
    bench
}

fn text(bench: &Workbench, name: &str) -> String {
    texts(bench).into_iter().find(|(file, _)| file == name).unwrap().1
}

#[test]
fn comments_go_along_where_the_format_is_the_same() {
    let bench = moved(&[("a.yaml", TOOLS), ("b.yaml", OTHERS)], "ask", "b.yaml");
    let wanted = OTHERS.replace(
        "description: j # j\n",
        "description: j # j
    # Asks
    ask:
      type: text-completion # for now
      name: ask
      description: >
        Asks what
        there is
",
    );
    assert_eq!(text(&bench, "b.yaml"), wanted);
    assert_eq!(
        text(&bench, "a.yaml"),
        "# All of them\ntool:\n  pay: {type: text-completion, name: pay, description: d}\n"
    );
    let bench = moved(&[("a.yaml", TOOLS)], "ask", "new.yaml");
    let made = text(&bench, "new.yaml");
    assert!(
        made.contains("# Asks") && made.contains("# for now") && made.contains(">\n"),
        "{made}"
    );
}

#[test]
fn an_entry_goes_between_formats() {
    let toml = "[tool.x]\ntype = \"text-completion\" # t\nname = \"x\"\ndescription = \"d\"\n";
    let json = r#"{"tool": {"y": {"type": "text-completion", "name": "y", "description": "e"}}}"#;
    let files = [("a.yaml", TOOLS), ("b.toml", toml), ("c.json", json)];
    for (key, own) in [("ask", "a.yaml"), ("x", "b.toml"), ("y", "c.json")] {
        for to in ["a.yaml", "b.toml", "c.json", "new.yaml", "new.toml", "defs/new.json"] {
            if to != own {
                moved(&files, key, to);
            }
        }
    }
    let other = "# O\n[tool.z]\ntype = \"text-completion\"\nname = \"z\"\ndescription = \"d\"\n\n# X\n[tool.w]\ntype = \"prompt\" # p\nname = \"w\"\ndescription = \"w\"\ntemplate = \"t\"\n";
    let bench = moved(&[("b.toml", toml), ("d.toml", other)], "w", "b.toml");
    let text = text(&bench, "b.toml");
    assert!(text.contains("# X\n[tool.w]\ntype = \"prompt\" # p\n"), "{text}");
}

#[test]
fn a_tool_with_a_file_of_its_own_goes_into_a_map_and_its_file_goes() {
    let alone = "# Tells\ntype: text-completion\nname: tell\ndescription: d # d\n";
    let bench = moved(&[("a.yaml", TOOLS), ("tell.yaml", alone)], "tell", "a.yaml");
    assert!(
        text(&bench, "a.yaml").contains("  tell:\n    # Tells\n"),
        "{}",
        text(&bench, "a.yaml")
    );
    assert!(!bench.state.documents.has(&FileId::new("tell.yaml")));
}

#[test]
fn what_has_one_file_is_refused_in_words() {
    let list = r#"{"server": "shop", "version": "1", "tools": [{"name": "ask", "description": "Asks.", "inputSchema": {"type": "object"}}]}"#;
    let lamp = "tool_name: lamp\ndescription: d\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.on\nafter_execution: suspend\n";
    let files = [
        ("mcp/shop.json", list),
        ("lamp.yaml", lamp),
        ("a.yaml", TOOLS),
        ("tell.yaml", "type: text-completion\nname: tell\ndescription: x\n"),
    ];
    let bench = Workbench::files(&files, 120, 36);
    let context = ComposeContext::from_state(&bench.state);
    let entry = |key: &str| context.catalog.entries().find(|entry| entry.key == key).unwrap();
    let why = move_refusal(entry("shop/ask"), context).unwrap();
    assert_eq!(why, "shop/ask belongs to the list in mcp/shop.json: each list has one file");
    let to =
        |key: &str, file: &str| move_entry(entry(key), &FileId::new(file), context).unwrap_err();
    assert!(to("ask", "tell.yaml").contains("tell.yaml"), "{}", to("ask", "tell.yaml"));
    assert_eq!(to("ask", "b.txt"), "end the file's name with .yaml, .json or .toml");
    assert_eq!(to("ask", "../b.yaml"), "name a file within the workspace");
    assert_eq!(to("lamp", "a.yaml").lines().count(), 1);
    assert_eq!(files_to_move_to(entry("tell"), context), [FileId::new("a.yaml")]);
}

#[test]
fn the_dialog_offers_files_and_a_new_one() {
    let mut bench = Workbench::files(&[("a.yaml", TOOLS), ("b.yaml", OTHERS)], 120, 36);
    bench.keys("@move-entry");
    assert!(bench.shows("Move ask to") && bench.shows("b.yaml"), "{}", bench.screen());
    bench.keys("enter");
    assert!(text(&bench, "b.yaml").contains("ask:"), "{}", bench.screen());
    let selected = bench.state.selected.clone().unwrap();
    assert_eq!(selected.file().as_str(), "b.yaml");
    assert!(bench.shows("Moved ask to b.yaml"), "{}", bench.screen());
    bench.keys("@move-entry down enter");
    bench.types("ask.toml");
    bench.keys("enter");
    assert!(text(&bench, "ask.toml").contains("text-completion"), "{}", bench.screen());
}

#[test]
fn a_first_entry_may_have_another_format() {
    let mut bench = Workbench::files(&[("toolcrib.toml", "name = \"w\"\n")], 120, 36);
    bench.keys("n enter");
    bench.types("lamp.yaml");
    bench.keys("enter");
    assert!(bench.state.documents.has(&FileId::new("lamp.yaml")), "{}", bench.screen());
    assert_eq!(bench.state.catalog.entries().filter(|entry| entry.key == "lamp").count(), 1);
}

#[test]
fn an_entry_that_is_there_is_not_replaced() {
    let other = TOOLS.replace("description: d", "description: another one");
    let bench = Workbench::files(&[("a.yaml", TOOLS), ("b.yaml", &other)], 120, 36);
    let pay = bench.state.catalog.entries().find(|entry| entry.key == "pay").unwrap().clone();
    let context = ComposeContext::from_state(&bench.state);
    let refused = move_entry(&pay, &FileId::new("b.yaml"), context).unwrap_err();
    assert_eq!(refused, "b.yaml has a pay already");
    assert_eq!(files_to_move_to(&pay, context), []);
}

#[test]
fn a_file_keeps_the_ends_of_its_lines() {
    let windows = OTHERS.replace('\n', "\r\n");
    let bench = moved(&[("a.yaml", TOOLS), ("b.yaml", &windows)], "ask", "b.yaml");
    let now = text(&bench, "b.yaml");
    assert_eq!(now.matches('\n').count(), now.matches("\r\n").count(), "{now:?}");
    assert!(now.starts_with(&windows[..windows.find("\r\n\r\n").unwrap()]), "{now:?}");
}
