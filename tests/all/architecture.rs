//! The architecture's rules, read from the files: imports only fall, no circles, small files,
//! nothing that can panic.
//!
//! Each rule is a function from the tree to what breaks it; a test beside it shows that the rule
//! sees a breach.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    env, fs,
    path::{Path, PathBuf},
};

use tree::{File, Tree};

#[path = "architecture/tree.rs"]
mod tree;

/// A folder of `src/`, what it may import, and what it may use from outside.
struct Folder {
    name: &'static str,
    imports: &'static [&'static str],
    outside: &'static [&'static str],
}

/// The table of imports. `std` is everyone's; [`WORLD`] says which parts of it are not.
const FOLDERS: &[Folder] = &[
    Folder {
        name: "schema",
        imports: &[],
        outside: &["serde_json", "jsonschema", "jsonschema_regex", "regex_syntax", "jiff"],
    },
    Folder {
        name: "syntax",
        imports: &["schema"],
        outside: &["serde_json", "saphyr_parser", "toml_edit"],
    },
    Folder {
        name: "model",
        imports: &["schema", "syntax"],
        outside: &["serde", "serde_json", "sha2", "jiff", "flate2"],
    },
    Folder {
        name: "engine",
        imports: &["schema", "syntax", "model"],
        outside: &["serde_json", "imara_diff", "jiff", "regex"],
    },
    Folder {
        name: "systems",
        imports: &["schema", "syntax", "model", "engine"],
        outside: &[
            "serde",
            "serde_json",
            "fancy_regex",
            "serde_json_path",
            "sha2",
            "base64",
            "shlex",
            "regex",
            "minijinja",
        ],
    },
    Folder {
        name: "store",
        imports: &["schema", "syntax", "model", "engine", "systems"],
        outside: &[
            "serde_json",
            "directories",
            "notify",
            "keyring_core",
            "apple_native_keyring_store",
            "windows_native_keyring_store",
            // The Secret Service, whose answers are waited for.
            "zbus",
            "tokio",
            "futures",
            "serde",
            "tempfile",
            "thiserror",
            "tracing",
            "tracing_appender",
            "tracing_subscriber",
        ],
    },
    Folder {
        name: "wire",
        imports: &["schema", "syntax", "model", "engine", "systems"],
        outside: &[
            "serde_json",
            "tokio",
            "tokio_util",
            "futures",
            "bytes",
            "flate2",
            "uuid",
            "rustls",
            "rustls_native_certs",
            "ring",
            "tokio_rustls",
            "tokio_tungstenite",
            "reqwest",
            "base64",
            "hyper",
            "hyper_util",
            "http_body_util",
            "serde",
            "async_nats",
            "tokio_postgres",
            "lapin",
            "rskafka",
            "async_rs",
            "prost",
            "crc32c",
            "rustix",
        ],
    },
    Folder {
        name: "app",
        imports: &["schema", "syntax", "model", "engine", "systems"],
        outside: &["serde_json", "shlex"],
    },
    Folder {
        name: "ui",
        imports: &["schema", "syntax", "model", "engine", "systems", "app"],
        outside: &[
            "serde_json",
            "ratatui",
            "nucleo_matcher",
            "pulldown_cmark",
            "unicode_width",
            "unicode_segmentation",
        ],
    },
    Folder {
        name: "runtime",
        imports: &["schema", "syntax", "model", "engine", "systems", "store", "wire", "app", "ui"],
        outside: &[
            "serde_json",
            "tokio",
            "tokio_util",
            "futures",
            "bytes",
            "crossterm",
            "filedescriptor",
            "ratatui",
            "tracing",
            "jiff",
            "uuid",
            "winit",
            "softbuffer",
            "swash",
            "fontdb",
            "arboard",
            "unicode_bidi",
            "rustix",
            "base64",
            "flate2",
            "png",
            "zune_jpeg",
            "zune_core",
            "zbus",
        ],
    },
    Folder {
        name: "cli",
        imports: &[
            "schema", "syntax", "model", "engine", "systems", "store", "wire", "app", "runtime",
        ],
        outside: &[
            "serde",
            "serde_json",
            "clap",
            "clap_complete",
            "clap_mangen",
            "flate2",
            "pulldown_cmark",
            "tokio",
            "tokio_util",
            "futures",
            "tracing",
            "tracing_subscriber",
            "tracing_appender",
            "unicode_width",
            "uuid",
        ],
    },
];

/// Folders that decide and draw, and leave the world alone.
const PURE: &[&str] = &["schema", "syntax", "model", "engine", "systems", "app", "ui"];

/// What of `std` the pure folders do not touch: files, the network, processes, the environment,
/// threads, clocks.
const WORLD: &[&str] = &["fs", "net", "process", "env", "thread", "io", "os"];

/// The one pure file that starts threads: its results don't depend on them.
const THREADS: &str = "syntax/parallel.rs";

/// What starts tasks, in boxes.
const SPAWNING: &str = "wire/spawning.rs";

/// How many lines a file may have without its tests; 150 to 500 are usual.
const LONGEST: usize = 650;

type Rule = fn(&Tree) -> Vec<String>;

/// Files as paths and texts.
type Texts = &'static [(&'static str, &'static str)];

/// Every rule, with a small tree that breaks it.
const RULES: &[(&str, Rule, Texts)] = &[
    (
        "imports only fall",
        rising,
        &[
            ("model.rs", "//! A.\nuse crate::engine::filter::filter;"),
            ("engine/filter.rs", "//! B."),
        ],
    ),
    (
        "paths written out count as imports",
        rising,
        &[("app.rs", "//! A.\nfn f() { crate::ui::draw() }"), ("ui.rs", "//! B.")],
    ),
    (
        "store, wire and app do not know each other",
        rising,
        &[("app/a.rs", "//! A.\nuse crate::store;"), ("store.rs", "//! B.")],
    ),
    (
        "outside crates stay in their folders",
        outside,
        &[("app/a.rs", "//! A.\nfn f() -> tokio::task::Id { id() }")],
    ),
    (
        "pure folders leave the world alone",
        world,
        &[("engine/a.rs", "//! A.\nuse std::{fmt, fs};")],
    ),
    (
        "only what runs reads a clock",
        world,
        &[("app/a.rs", "//! A.\nuse std::time::{Duration, Instant};")],
    ),
    (
        "no circle among files",
        circles,
        &[
            ("engine/a.rs", "//! A.\nuse super::b::B;\npub struct A(B);"),
            ("engine/b.rs", "//! B.\nuse super::c::C;\npub struct B(C);"),
            ("engine/c.rs", "//! C.\npub struct C(Option<Box<super::a::A>>);"),
        ],
    ),
    (
        "a head defines nothing that its children import",
        heads,
        &[
            ("engine.rs", "//! A.\npub mod a;\npub struct X;"),
            ("engine/a.rs", "//! B.\nuse super::X;"),
        ],
    ),
    (
        "screens do not import screens",
        screens,
        &[
            ("ui/screens/a.rs", "//! A.\nuse super::b::B;"),
            ("ui/screens/b.rs", "//! B.\npub struct B;"),
        ],
    ),
    (
        "whoever needs an ability of a transport asks its row, not its name",
        transports,
        &[
            (
                "cli/a.rs",
                "//! A.\nuse crate::model::transport::TransportKind;\nfn f() -> TransportKind { TransportKind::Kafka }",
            ),
            (
                "systems/b.rs",
                "//! B.\nuse crate::model::transport::TransportKind;\nconst OVER: TransportKind = TransportKind::Nats;",
            ),
            ("model/transport.rs", "//! C.\npub enum TransportKind { Kafka, Nats }"),
        ],
    ),
    (
        "only a system's own folders and the two tables know it",
        systems,
        &[
            (
                "systems/table.rs",
                "//! A.\nuse super::{echo, system::System};\nconst ALL: &[&dyn System] = &[&echo::Echo];",
            ),
            ("systems/system.rs", "//! B.\npub trait System {}"),
            (
                "systems/echo.rs",
                "//! C.\nuse super::system::System;\npub struct Echo;\nimpl System for Echo {}",
            ),
            ("wire/systems/echo.rs", "//! D.\nuse crate::systems::echo::Echo;"),
            ("ui/a.rs", "//! E.\nuse crate::systems::{echo::Echo, system::System};"),
        ],
    ),
    (
        "nor does anybody else know its live half",
        systems,
        &[
            (
                "systems/echo.rs",
                "//! A.\nuse super::system::System;\npub struct Echo;\nimpl System for Echo {}",
            ),
            ("systems/system.rs", "//! B.\npub trait System {}"),
            ("wire/systems/echo.rs", "//! C.\npub struct LiveEcho;"),
            ("wire/systems/table.rs", "//! D.\nuse super::echo::LiveEcho;"),
            ("wire/registry.rs", "//! E.\nfn f() { super::systems::echo::LiveEcho; }"),
        ],
    ),
    ("every file opens with its purpose", purpose, &[("a.rs", "use std::fmt;")]),
    ("nothing panics by intent", panics, &[("a.rs", "//! A.\nfn f() { unreachable!() }")]),
    ("lints are not switched off", panics, &[("a.rs", "//! A.\n#[allow(dead_code)]\nfn f() {}")]),
    (
        "panicking lints are not excused",
        panics,
        &[("a.rs", "//! A.\n#[expect(clippy::panic, reason = \"so\")]\nfn f() {}")],
    ),
    (
        "work beside other work is started in one place",
        spawns,
        &[("wire/a.rs", "//! A.\nfn f() { tokio::spawn(async {}); }")],
    ),
    (
        "only the command line prints and exits",
        panics,
        &[("ui/a.rs", "//! A.\nfn f() { println!() }")],
    ),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn none(found: &[String]) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

fn sample(files: &[(&str, &str)]) -> Tree {
    let files: Vec<_> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Tree::of(&files, &["tokio".to_owned(), "serde_json".to_owned()])
}

#[test]
fn the_tree_keeps_every_rule() {
    let tree = Tree::read(&root());
    assert!(tree.files.len() > 100, "only {} files were read", tree.files.len());
    let breaches: BTreeSet<String> =
        RULES.iter().flat_map(|(_, rule, _)| rule(&tree)).chain(long(&tree, LONGEST)).collect();
    none(&breaches.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_rule_sees_its_breach() {
    for (name, rule, files) in RULES {
        assert_eq!(rule(&sample(files)).len(), 1, "{name}: {:?}", rule(&sample(files)));
    }
}

#[test]
fn a_file_is_long_by_its_lines_without_tests() {
    let tested = "//! A.\nfn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n    fn c() {}\n}\n";
    assert_eq!(long(&sample(&[("a.rs", tested)]), 2), Vec::<String>::new());
    assert_eq!(long(&sample(&[("a.rs", tested)]), 1).len(), 1);
}

#[test]
fn what_stands_under_cfg_test_is_free() {
    let tree = sample(&[
        (
            "model.rs",
            "//! A.\npub mod a;\n#[cfg(test)]\nmod proof;\n#[cfg(any(test, fuzzing))]\npub mod fuzzing;\n#[cfg(test)]\nmod tests { use crate::ui::X; }",
        ),
        ("model/proof.rs", "//! B.\nuse crate::ui::X;"),
        ("model/fuzzing.rs", "//! D.\nuse crate::ui::X;"),
        ("ui.rs", "//! C.\npub struct X;"),
    ]);
    assert_eq!(rising(&tree), Vec::<String>::new());
}

#[test]
fn what_a_head_only_passes_on_is_no_circle() {
    let tree = sample(&[
        ("engine.rs", "//! A.\npub mod a;\npub mod b;\npub use a::A;"),
        ("engine/a.rs", "//! B.\npub struct A;"),
        ("engine/b.rs", "//! C.\nuse super::A;"),
    ]);
    assert_eq!([heads(&tree), circles(&tree)].concat(), Vec::<String>::new());
}

/// Imports from a folder that the table does not allow.
fn rising(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| !file.module.is_empty()) {
        let row = FOLDERS.iter().find(|row| row.name == file.folder());
        if row.is_none() {
            found.push(format!(
                "src/{}: the folder {:?} is not in the table of imports",
                file.path,
                file.folder()
            ));
        }
        for mention in file.mentions.iter().filter(|mention| mention.path[0] == "crate") {
            let Some(to) = tree.target(&mention.path).map(File::folder) else { continue };
            if to != file.folder() && !row.is_some_and(|row| row.imports.contains(&to)) {
                found.push(format!(
                    "{}: {} may not import {to}",
                    place(file, mention.line),
                    file.folder()
                ));
            }
        }
    }
    found
}

/// Outside crates that the table does not allow.
fn outside(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| !file.module.is_empty()) {
        let allowed =
            FOLDERS.iter().find(|row| row.name == file.folder()).map_or(&[][..], |row| row.outside);
        for mention in &file.mentions {
            if let Some(name) = tree.outside(&mention.path)
                && !["std", "core", "alloc"].contains(&name)
                && !allowed.contains(&name)
            {
                found.push(format!(
                    "{}: {} may not use {name}",
                    place(file, mention.line),
                    file.folder()
                ));
            }
        }
    }
    found
}

/// Files, network, processes and clocks in folders that only decide.
fn world(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| PURE.contains(&file.folder())) {
        for mention in file.mentions.iter().filter(|mention| mention.path[0] == "std") {
            let part = mention.path.get(1).map_or("", String::as_str);
            let clock = mention.path.iter().any(|word| word == "Instant" || word == "SystemTime");
            let is_known = part == "thread" && file.path == THREADS;
            if clock || WORLD.contains(&part) && !is_known {
                let name = mention.path.join("::");
                found.push(format!(
                    "{}: {} may not use {name}",
                    place(file, mention.line),
                    file.folder()
                ));
            }
        }
    }
    found
}

/// Files that need each other: for each circle the shortest path round.
fn circles(tree: &Tree) -> Vec<String> {
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in &tree.files {
        let to = file
            .mentions
            .iter()
            .filter_map(|mention| tree.target(&mention.path))
            .map(|file| file.path.as_str());
        graph.insert(
            &file.path,
            to.filter(|to| *to != file.path && !["lib.rs", "main.rs"].contains(to)).collect(),
        );
    }
    let mut found: Vec<Vec<&str>> =
        graph.keys().filter_map(|file| way_round(&graph, file)).collect();
    found.sort_by_key(Vec::len);
    let mut seen = BTreeSet::new();
    found.retain(|way| way.iter().filter(|file| seen.insert(**file)).count() == way.len());
    found.iter().map(|way| format!("{} → {}", way.join(" → "), way[0])).collect()
}

/// The shortest way from a file back to itself.
fn way_round<'t>(
    graph: &BTreeMap<&'t str, BTreeSet<&'t str>>,
    from: &'t str,
) -> Option<Vec<&'t str>> {
    let mut ways = VecDeque::from([vec![from]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for to in &graph[way[way.len() - 1]] {
            if *to == from {
                return Some(way);
            }
            if seen.insert(*to) {
                ways.push_back([way.as_slice(), &[to]].concat());
            }
        }
    }
    None
}

/// Files that import what the head of their own folder, or of one around it, defines.
fn heads(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in &tree.files {
        for mention in &file.mentions {
            let Some(to) = tree.target(&mention.path) else { continue };
            if !to.module.is_empty()
                && to.module.len() < file.module.len()
                && file.module.starts_with(&to.module)
            {
                let name = mention.path.last().map_or("", String::as_str);
                found.push(format!(
                    "{}: takes {name} from its head src/{}",
                    place(file, mention.line),
                    to.path
                ));
            }
        }
    }
    found
}

/// Screens that know another screen.
fn screens(tree: &Tree) -> Vec<String> {
    let screen = |file: &File| match file.module.as_slice() {
        [ui, screens, name, ..] if ui == "ui" && screens == "screens" => Some(name.clone()),
        _ => None,
    };
    let mut found = Vec::new();
    for file in &tree.files {
        for mention in &file.mentions {
            let to = tree.target(&mention.path).and_then(screen);
            if let (Some(from), Some(to)) = (screen(file), to)
                && from != to
            {
                found.push(format!(
                    "{}: screen {from} imports screen {to}",
                    place(file, mention.line)
                ));
            }
        }
    }
    found
}

/// Files that name a single transport: only itself, its rows and what systems say of those that
/// they ride on may.
fn transports(tree: &Tree) -> Vec<String> {
    let own = ["model/transport.rs", "model/connection.rs", "wire/transport.rs"];
    let is_free = |file: &File| {
        own.contains(&file.path.as_str())
            || file.path.starts_with("wire/transport/")
            || file.folder() == "systems"
    };
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| !is_free(file)) {
        for mention in &file.mentions {
            if let [.., kind, name] = mention.path.as_slice()
                && kind == "TransportKind"
                && name.starts_with(char::is_uppercase)
            {
                found.push(format!("{}: names the transport {name}", place(file, mention.line)));
            }
        }
    }
    found
}

/// Imports of a system from outside its folder, its live half and the two tables.
fn systems(tree: &Tree) -> Vec<String> {
    // A system is a file of `systems` that says it is one.
    let named: BTreeSet<&str> = tree
        .files
        .iter()
        .filter(|file| {
            file.module.len() == 2
                && file.folder() == "systems"
                && file.text.contains("impl System for ")
        })
        .map(|file| file.module[1].as_str())
        .collect();
    let of = |path: &[String]| -> Option<String> {
        let rest = match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["systems", name, ..] | ["wire", "systems", name, ..] => (*name).to_owned(),
            _ => return None,
        };
        named.contains(rest.as_str()).then_some(rest)
    };
    let mut found = Vec::new();
    for file in tree
        .files
        .iter()
        .filter(|file| !["systems/table.rs", "wire/systems/table.rs"].contains(&file.path.as_str()))
    {
        for mention in file.mentions.iter().filter(|mention| mention.path[0] == "crate") {
            if let Some(name) = of(&mention.path[1..])
                && of(&file.module).as_ref() != Some(&name)
            {
                found.push(format!("{}: knows the system {name}", place(file, mention.line)));
            }
        }
    }
    found
}

/// Files that do not open with a `//!` sentence.
fn purpose(tree: &Tree) -> Vec<String> {
    let opens =
        |file: &File| file.text.strip_prefix("//! ").is_some_and(|rest| !rest.starts_with('('));
    tree.files
        .iter()
        .filter(|file| !opens(file))
        .map(|file| format!("src/{}:1: says no purpose", file.path))
        .collect()
}

/// Files longer than that, tests not counted.
fn long(tree: &Tree, most: usize) -> Vec<String> {
    let long = tree.files.iter().filter(|file| file.lines > most);
    long.map(|file| {
        format!("src/{}: {} lines without its tests, over {most}", file.path, file.lines)
    })
    .collect()
}

/// What panics by intent, switches lints off, prints or exits, as far as clippy lets it pass.
fn panics(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in &tree.files {
        let outermost = ["cli", ""].contains(&file.folder());
        let ends = outermost || file.folder() == "runtime";
        for (line, name) in &file.macros {
            let prints =
                ["print", "println", "eprint", "eprintln"].contains(&name.as_str()) && !outermost;
            if prints
                || ["panic", "todo", "unimplemented", "unreachable", "dbg"].contains(&name.as_str())
            {
                found.push(format!("{}: {name}!", place(file, *line)));
            }
        }
        for (line, words) in &file.attributes {
            let excused = ["unwrap_used", "expect_used", "clippy :: panic", "todo", "unsafe_code"];
            if words.starts_with("allow")
                || words.starts_with("expect") && excused.iter().any(|lint| words.contains(lint))
            {
                found.push(format!("{}: #[{words}]", place(file, *line)));
            }
        }
        for mention in file
            .mentions
            .iter()
            .filter(|mention| mention.path.join("::") == "std::process::exit" && !ends)
        {
            found.push(format!("{}: exits", place(file, mention.line)));
        }
    }
    found
}

/// Tasks that are not started by [`SPAWNING`]: each type of them has its own copy of tokio's
/// functions in the program.
fn spawns(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| file.path != SPAWNING) {
        let is_own = |path: &[String]| {
            path.starts_with(&["tokio".to_owned()])
                && path.last().is_some_and(|name| name == "spawn" || name == "spawn_blocking")
        };
        for mention in file.mentions.iter().filter(|mention| is_own(&mention.path)) {
            found.push(format!("{}: {}", place(file, mention.line), mention.path.join("::")));
        }
    }
    found
}

fn place(file: &File, line: usize) -> String {
    format!("src/{}:{line}", file.path)
}

#[test]
fn test_files_say_their_purpose_too() {
    let mut silent = Vec::new();
    for folder in
        ["tests", "benches"].map(|name| root().join(name)).iter().filter(|folder| folder.is_dir())
    {
        tree::collect(folder, &mut |path| {
            if !fs::read_to_string(path).unwrap().starts_with("//! ") {
                silent.push(path.display().to_string());
            }
        });
    }
    none(&silent);
}

#[test]
fn every_theme_loads_without_complaint() {
    let (themes, complaints) = toolcrib::ui::theme::available_themes(&[]);
    none(&complaints);
    let files = fs::read_dir(root().join("themes")).unwrap().count();
    assert_eq!(themes.len(), files, "each file in themes/ is a row of ui::theme::BUILT_IN");
    let broken = [("mine".to_owned(), "nonsense".to_owned())];
    assert_eq!(toolcrib::ui::theme::available_themes(&broken).1.len(), 1, "a broken theme is told");
}

/// Marks of unfinished work and of the place where it was done; none of it belongs in what is
/// handed over.
fn leftovers(text: &str) -> Vec<&'static str> {
    const MARKS: &[&str] = &["TODO", "FIXME", "XXX", "HACK", "being built", "/work/", "worktree"];
    MARKS.iter().copied().filter(|mark| text.contains(mark)).collect()
}

#[test]
fn nothing_unfinished_is_left_lying() {
    assert_eq!(leftovers("// FIXME: later"), ["FIXME"]);
    let mut found = Vec::new();
    visit(&root(), &mut |path| {
        let itself = path.ends_with("tests/all/architecture.rs");
        if let (false, Ok(text)) = (itself, fs::read_to_string(path)) {
            for (at, line) in text.lines().enumerate() {
                found.extend(
                    leftovers(line)
                        .iter()
                        .map(|mark| format!("{}:{}: {mark}", path.display(), at + 1)),
                );
            }
        }
    });
    none(&found);
}

/// Every file that is ours: not the build's, not git's, not the test vectors that we were given.
fn visit(folder: &Path, take: &mut impl FnMut(&Path)) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir()
            && !["target", ".git", "vectors", "proptest-regressions"].contains(&name.as_str())
        {
            visit(&path, take);
        } else if path.is_file() && !["Cargo.lock", ".git"].contains(&name.as_str()) {
            take(&path);
        }
    }
}
