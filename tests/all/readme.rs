//! What the README says holds: its keys are the actions', its commands answer as written, its links
//! lead somewhere.
//!
//! `UPDATE=1 cargo test --test all readme` writes the keys and the answers anew.

use std::{env, fmt::Write as _, fs, path::PathBuf, process::Command, sync::Mutex};

use toolcrib::{app::actions::Scope, ui::actions::all_actions};

use crate::support::terminal::binary;

const OPEN: &str = "<!-- keys -->\n";
const CLOSE: &str = "<!-- /keys -->";

/// One test at a time changes the file.
static FILE: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

/// Fails when the text should be another one, or writes that one when asked to.
fn hold(wanted: impl FnOnce(&str) -> String) {
    let _only = FILE.lock().unwrap_or_else(|poison| poison.into_inner());
    let text = fs::read_to_string(path()).unwrap();
    let wanted = wanted(&text);
    if env::var_os("UPDATE").is_some() {
        fs::write(path(), wanted).unwrap();
    } else {
        same(&text, &wanted);
    }
}

fn same(text: &str, wanted: &str) {
    let differs = text.lines().zip(wanted.lines()).find(|(is, should)| is != should);
    assert!(
        text == wanted,
        "the README is not true any more; first at {differs:?}. UPDATE=1 writes it anew."
    );
}

/// The table of keys, by scope.
fn keys() -> String {
    let actions = all_actions();
    let mut scopes: Vec<Scope> = Vec::new();
    for action in &actions {
        if !scopes.contains(&action.scope) {
            scopes.push(action.scope);
        }
    }
    let mut table = String::new();
    for scope in scopes {
        writeln!(table, "\n**{}**\n\n| key | action | does |\n| --- | --- | --- |", scope.title())
            .unwrap();
        for action in actions.iter().filter(|action| action.scope == scope) {
            let keys: Vec<String> = action.keys.iter().map(|key| format!("`{key}`")).collect();
            writeln!(
                table,
                "| {} | {} (`{}`) | {} |",
                keys.join(" "),
                action.title,
                action.id,
                action.help
            )
            .unwrap();
        }
    }
    table + "\n"
}

#[test]
fn its_keys_are_those_of_the_actions() {
    hold(|text| {
        let (before, rest) = text.split_once(OPEN).unwrap();
        let (_, after) = rest.split_once(CLOSE).unwrap();
        format!("{before}{OPEN}{}{CLOSE}{after}", keys())
    });
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

#[test]
fn its_commands_answer_as_written() {
    hold(|text| {
        let mut wanted = String::new();
        let mut console = false;
        for line in text.lines() {
            match line.strip_prefix("$ ") {
                _ if line.starts_with("```") => console = line == "```console",
                Some(command) if console => {
                    writeln!(wanted, "{line}").unwrap();
                    wanted.push_str(&answer(command));
                    continue;
                }
                _ if console => continue,
                _ => {}
            }
            writeln!(wanted, "{line}").unwrap();
        }
        assert!(wanted.contains("$ toolcrib "), "no command is shown");
        wanted
    });
}

#[test]
fn its_links_lead_somewhere() {
    let text = fs::read_to_string(path()).unwrap();
    let targets: Vec<&str> =
        text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(targets.len() > 3);
    for target in targets.iter().filter(|target| !target.contains("://")) {
        assert!(path().with_file_name(target).exists(), "{target} is not there");
    }
}

#[test]
fn its_commands_are_those_of_the_program() {
    let text = fs::read_to_string(path()).unwrap();
    let help = answer("toolcrib --help");
    let commands = help.lines().skip_while(|line| !line.starts_with("Without a screen")).skip(1);
    for command in commands
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
    {
        let row = text.lines().any(|line| {
            line.starts_with("| `") && line.contains(&format!("`toolcrib {command}"))
                || line.contains(&format!(", `{command}`"))
        });
        assert!(row || command == "help", "the command {command} is not in the README");
    }
}
