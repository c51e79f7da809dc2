//! What the README and `docs/` say is true: commands answer as written, links lead somewhere, and
//! every topic of `toolcrib help` has a page.
//!
//! `UPDATE=1 cargo test --test all readme` updates the answers.

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use super::words::files_below;
use crate::support::terminal::binary;

/// One test at a time changes the files.
static FILES: Mutex<()> = Mutex::new(());

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The README and the pages of `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

/// Fails when the text should be another one, or writes that one when asked to.
fn hold(path: &Path, expected: impl FnOnce(&str) -> String) {
    let _only = FILES.lock().unwrap_or_else(|poison| poison.into_inner());
    let text = fs::read_to_string(path).unwrap();
    let expected = expected(&text);
    if env::var_os("UPDATE").is_some() {
        fs::write(path, expected).unwrap();
    } else {
        let mut lines = text.lines().zip(expected.lines());
        let differs = lines.find(|(is, should)| is != should);
        assert!(
            text == expected,
            "{} is out of date; first at {differs:?}. UPDATE=1 updates it.",
            path.display()
        );
    }
}

/// A command's answer as a terminal shows it: stdout, then stderr.
fn answer(command: &str) -> String {
    let program = binary();
    let folder = program.parent().unwrap().to_string_lossy().into_owned();
    let home = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .env("PATH", format!("{folder}:{}", env::var("PATH").unwrap()))
        .env("HOME", home.path())
        .output()
        .unwrap();
    let mut answer =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    if !output.status.success() {
        writeln!(answer, "(exit code {})", output.status.code().unwrap()).unwrap();
    }
    answer.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// The text with the answers of the commands in its blocks of a console.
fn answered(text: &str) -> String {
    let mut answered = String::new();
    let mut console = false;
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => console = line == "```console",
            Some(command) if console => {
                writeln!(answered, "{line}").unwrap();
                answered.push_str(&answer(command));
                continue;
            }
            _ if console => continue,
            _ => {}
        }
        writeln!(answered, "{line}").unwrap();
    }
    answered
}

#[test]
fn its_commands_answer_as_written() {
    let mut shown = 0;
    for page in pages() {
        if fs::read_to_string(&page).unwrap().contains("```console") {
            hold(&page, answered);
            shown += 1;
        }
    }
    assert!(shown >= 3, "commands are shown on {shown} pages only");
}

/// The anchor that a heading of a page has.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn its_links_lead_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            assert!(path.exists(), "{}: {target} is not there", page.display());
            if !place.is_empty() {
                let other = fs::read_to_string(&path).unwrap();
                let headings = other.lines().filter(|line| line.starts_with('#'));
                let found = headings
                    .map(|line| anchor(line.trim_start_matches('#').trim()))
                    .any(|found| found == place);
                assert!(found, "{}: {target} has no such heading", page.display());
            }
            links += 1;
        }
    }
    assert!(links > 30, "only {links} links");
}

/// The first words of the rows below a heading of help.
fn listed<'h>(help: &'h str, heading: &str) -> Vec<&'h str> {
    let rows = help.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    rows.take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[test]
fn its_commands_are_those_of_the_program() {
    let text = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let help = answer("toolcrib --help");
    let commands = listed(&help, "Commands");
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let row = text.lines().any(|line| {
            line.starts_with("| `")
                && (line.contains(&format!("`toolcrib {command}"))
                    || line.contains(&format!(", `{command}`")))
        });
        assert!(row, "the command {command} is not in docs/commands.md");
    }
}

#[test]
fn every_code_of_the_settings_has_its_row() {
    let page = fs::read_to_string(root().join("docs/files.md")).unwrap();
    let codes = regex::Regex::new(r#""(settings\.[a-z-]+)""#).unwrap();
    let mut seen = BTreeSet::new();
    for path in files_below(&root().join("src"), "rs") {
        let text = fs::read_to_string(&path).unwrap();
        seen.extend(codes.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    // A file of that name is no code.
    seen.remove("settings.json");
    assert!(seen.len() > 20, "{seen:?}");
    let rows: BTreeSet<String> = page
        .lines()
        .filter(|line| line.starts_with("| `settings."))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|code| code.starts_with("settings."))
        .map(str::to_owned)
        .collect();
    assert_eq!(rows, seen);
}

#[test]
fn every_topic_of_help_is_in_the_readme_and_shows_its_page() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let help = answer("toolcrib help");
    let topics = listed(&help, "TOPIC");
    assert!(topics.len() > 10, "{topics:?}");
    for topic in topics {
        assert!(readme.contains(&format!("`{topic}`")), "the README has no topic {topic}");
        let page = answer(&format!("toolcrib help {topic}"));
        assert!(page.lines().count() > 20, "{topic}: {page}");
        assert!(!page.contains("](") && !page.contains("| ---"), "{topic} has Markdown");
    }
}

#[test]
fn pages_of_help_name_topics_and_are_found_by_their_files() {
    let page = answer("toolcrib help checks");
    assert!(page.contains("toolcrib help findings"), "{page}");
    assert!(!page.contains("systems.md"), "{page}");
    for file in ["check.md", "docs/check.md"] {
        assert_eq!(answer(&format!("toolcrib help {file}")), page);
    }
}

#[test]
fn help_of_an_unknown_word_lists_topics_and_commands() {
    let text = answer("toolcrib help conections");
    for part in ["toolcrib help connections", "mcp-servers", "simulate", "(exit code 2)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(answer("toolcrib help mcp add").contains("Usage: toolcrib mcp add"));
}

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() < 200);
}
