//! `toolcrib help WORDS…`: the help of a command, or a page of the documentation.

use std::{
    ffi::OsString,
    io::{self, Read},
};

use clap::Command;
use flate2::read::DeflateDecoder;

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    help_page::{PageLine, page_lines},
    out::{CommandOutput, Tint},
};
use crate::{
    engine::workflow::similar,
    model::problem::{Problem, ProblemKind},
};

/// A page of `docs/`, as it was when the program was built.
struct Topic {
    name: &'static str,
    /// The page's file in `docs/`.
    file: &'static str,
    summary: &'static str,
    /// Its text as `build.rs` packs it: [`Topic::read`] unpacks it.
    packed: &'static [u8],
    /// The command that the page says more about.
    command: Option<&'static str>,
}

macro_rules! topic {
    ($name:literal, $file:literal, $summary:literal) => {
        topic!($name, $file, $summary, None)
    };
    ($name:literal, $file:literal, $summary:literal, $command:expr) => {
        Topic {
            name: $name,
            file: $file,
            summary: $summary,
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".deflate")),
            command: $command,
        }
    };
}

const TOPICS: [Topic; 23] = [
    topic!("install", "install.md", "Packages, completions, man pages, upgrading"),
    topic!("keys", "keys.md", "Every key and action, by screen"),
    topic!("commands", "commands.md", "Commands, exit codes, and what they print"),
    topic!("files", "files.md", "What a workspace holds, toolcrib.toml, the two modes"),
    topic!("connections", "connections.md", "Brokers, gateways, servers, and their secrets"),
    topic!("compose", "compose.md", "Edit a workflow by drawing it"),
    topic!("workflow", "workflow.md", "Runs, what-if, scenarios", Some("simulate")),
    topic!("calls", "calls.md", "Invoke, History, cases, stubs, mocks", Some("call")),
    topic!("bench", "bench.md", "A model in front of the tools", Some("ask")),
    topic!("watching", "watch.md", "Watch a bus: filters, alerts, traces", Some("watch")),
    topic!("forms", "form.md", "Forms for any JSON Schema", Some("form")),
    topic!("window", "window.md", "A window of its own: keys, mouse, what it keeps"),
    topic!("plain", "plain.md", "Plain mode: lines of text, for screen readers and scripts"),
    topic!("checks", "check.md", "What check finds, and the health of tools", Some("check")),
    topic!(
        "converting",
        "convert.md",
        "Tools of one system in another, and formats",
        Some("convert")
    ),
    topic!(
        "locking",
        "lock.md",
        "What tools were when you approved them, and what changed",
        Some("drift")
    ),
    topic!(
        "discovery",
        "discovery.md",
        "Services that announce themselves, and registries",
        Some("discover")
    ),
    topic!("findings", "systems.md", "TrustGraph's files, and what check finds"),
    topic!("trustgraph", "trustgraph.md", "A running TrustGraph", Some("agent")),
    topic!("commonground", "commonground.md", "CommonGround's tools, calls and answers"),
    topic!("opensearch", "opensearch.md", "OpenSearch's tools and agents"),
    topic!("mcp-servers", "mcp.md", "MCP servers: call, test, serve, sign in", Some("mcp")),
    topic!("unique", "unique.md", "Unique's tools and search proxy"),
];

impl Topic {
    /// The text of its page.
    fn read(&self) -> io::Result<String> {
        let mut page = String::new();
        DeflateDecoder::new(self.packed).read_to_string(&mut page)?;
        Ok(page)
    }
}

/// The words of `toolcrib help WORDS…`; `None` for any other command line, `toolcrib help --help`
/// among them, which clap answers.
#[must_use]
pub(crate) fn asked_words(arguments: impl Iterator<Item = OsString>) -> Option<Vec<String>> {
    let mut words = arguments.map(|word| word.to_string_lossy().into_owned());
    let first = words.find(|word| !word.starts_with('-'));
    let words: Vec<String> = words.collect();
    let is_asked = first.is_some_and(|word| word == "help");
    (is_asked && !words.iter().any(|word| word.starts_with('-'))).then_some(words)
}

/// Shows the help of a command, the page of a topic, or both lists where there are no words.
///
/// # Errors
/// When there is neither a command nor a topic of that name.
pub(crate) fn show_help(
    words: &[String],
    mut program: Command,
    out: &mut CommandOutput,
) -> CommandResult {
    program.build();
    let Some(first) = words.first() else {
        out.print_line(program.render_help().to_string().trim_end())?;
        out.print_line("")?;
        print_topics(out)?;
        return Ok(Ending::Done);
    };
    match (command_at(&program, words), topic_named(words)) {
        (Some(mut command), _) => {
            out.print_line(command.render_long_help().to_string().trim_end())?;
            let page = TOPICS.iter().find(|topic| topic.command == Some(first.as_str()));
            if let Some(topic) = page {
                out.print_line(format!("\nRead more: toolcrib help {}", topic.name))?;
            }
        }
        (None, Some(topic)) => print_page(topic, out)?,
        (None, None) => return Err(unknown_words(&program, words).into()),
    }
    Ok(Ending::Done)
}

/// The command that the words name one below the other, such as `mcp add`.
fn command_at(program: &Command, words: &[String]) -> Option<Command> {
    let found = words.iter().try_fold(program, |command, word| command.find_subcommand(word))?;
    Some(found.clone())
}

fn topic_named(words: &[String]) -> Option<&'static Topic> {
    let [word] = words else { return None };
    let file = word.strip_prefix("docs/").unwrap_or(word);
    let is_it = |topic: &&Topic| {
        topic.name.eq_ignore_ascii_case(word)
            || topic.file == file
            || topic.file.strip_suffix(".md") == Some(file)
    };
    TOPICS.iter().find(is_it)
}

/// The page's text, where links name topics in place of their files.
fn page_of(topic: &Topic) -> io::Result<String> {
    let named = |page: String, topic: &Topic| {
        let link = format!("[{}]", topic.file);
        page.replace(&link, &format!("[toolcrib help {}]", topic.name))
    };
    Ok(TOPICS.iter().fold(topic.read()?, named))
}

fn print_topics(out: &mut CommandOutput) -> io::Result<()> {
    let row = |topic: &Topic| vec![Cell::plain(topic.name), Cell::plain(topic.summary)];
    columns::write_table(out, &["TOPIC", "IS ABOUT"], TOPICS.iter().map(row).collect())?;
    out.print_line("\nRead one with: toolcrib help TOPIC")
}

fn print_page(topic: &Topic, out: &mut CommandOutput) -> io::Result<()> {
    let tinted = |line: PageLine| match line {
        PageLine::Heading(text) => out.tint(Tint::Bold, &text),
        PageLine::Code(text) | PageLine::Text(text) => text,
    };
    let lines: Vec<String> = page_lines(&page_of(topic)?).into_iter().map(tinted).collect();
    out.print_paged(&lines)
}

fn unknown_words(program: &Command, words: &[String]) -> Problem {
    let word = words.join(" ");
    let commands: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
    let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
    let known = commands.iter().chain(&topics).copied();
    let near = similar::nearest_name(&word, known)
        .map(|near| format!("did you mean `toolcrib help {near}`? "))
        .unwrap_or_default();
    Problem::new(
        ProblemKind::Input,
        "looking for help",
        format!("there is no command and no topic \"{word}\""),
    )
    .with_remedy(format!(
        "{near}Topics: {}. Commands: {}",
        topics.join(", "),
        commands.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_help_asks_for_help() {
        let asked = |line: &str| asked_words(line.split_whitespace().map(OsString::from));
        assert_eq!(asked("help"), Some(vec![]));
        assert_eq!(asked("-q help mcp add"), Some(vec!["mcp".into(), "add".into()]));
        for other in ["", "--help", "check help", "help --help", "mcp help add"] {
            assert_eq!(asked(other), None, "{other}");
        }
    }

    #[test]
    fn each_page_is_the_file_in_docs() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        for topic in &TOPICS {
            let written = std::fs::read_to_string(folder.join(topic.file)).unwrap();
            assert_eq!(topic.read().unwrap(), written, "{}", topic.file);
            assert!(topic.packed.len() * 2 < written.len() + 1_000, "{}", topic.file);
        }
    }

    #[test]
    fn no_topic_is_named_like_a_command_and_those_it_names_are_there() {
        let program = crate::cli::command_line();
        for topic in &TOPICS {
            assert!(program.find_subcommand(topic.name).is_none(), "{}", topic.name);
            if let Some(command) = topic.command {
                assert!(program.find_subcommand(command).is_some(), "{command}");
            }
        }
    }
}
