//! The words of what a user can see: texts of the program, help of its commands, and documents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// Words that a fresh reader stumbled on; `design/interaction.md` has what to say instead.
const BANNED: &str = r"(?i)\b(mend|mends|mended|mending|stands|tells|told|let go|lets go|anew|leave it|take up|takes up|taken up|make usual|said outright|blanks|heard|wanted here|comes to|no run comes)\b";

/// What has such a word for a reason: `(file, what the text holds)`.
const ALLOWED: [(&str, &str); 4] = [
    // Codes of findings, which other programs read.
    ("src/engine/lint.rs", "names.blanks"),
    ("src/systems/commonground/checks/listeners.rs", "subject.heard-twice"),
    // What the sample services answer.
    ("src/engine/services/collections.rs", ""),
    ("src/engine/services/joke.rs", ""),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path, ending));
        } else if path.extension().is_some_and(|known| known == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// How texts stand in a source file.
struct Reader {
    /// Comments, letters, raw texts and texts.
    pieces: Regex,
    /// A text goes on behind the break of its line.
    joined: Regex,
    /// What is put into a text has names that nobody sees.
    named: Regex,
    /// What clap makes help of.
    field: Regex,
}

impl Reader {
    fn new() -> Self {
        let compile = |pattern| Regex::new(pattern).unwrap();
        Self {
            pieces: compile(
                r##"(?s)//[^\n]*|'(?:[^'\\\n]|\\.)+'|b?r#"(.*?)"#|b?r"([^"]*)"|b?"((?:[^"\\]|\\.)*)""##,
            ),
            joined: compile(r"\\\n\s*"),
            named: compile(r"\{[^{}]*\}"),
            field: compile(r"^(pub )?[a-z_]+: |^[A-Z][A-Za-z]+[({,]"),
        }
    }
}

/// The literal texts of a source file with their lines, and in files of commands what clap makes
/// help of.
fn texts_of(reader: &Reader, source: &str, is_command: bool) -> Vec<(usize, String)> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let (mut texts, mut line, mut counted) = (Vec::new(), 1, 0);
    for piece in reader.pieces.captures_iter(code) {
        let whole = piece.get(0).unwrap();
        line += code[counted..whole.start()].matches('\n').count();
        counted = whole.start();
        let literal = (1..=3).find_map(|group| piece.get(group)).map(|text| text.as_str());
        let help = whole.as_str().strip_prefix("/// ").filter(|_| is_command);
        let text = literal.or(help).map(|text| reader.joined.replace_all(text, ""));
        texts.extend(text.map(|text| (line, reader.named.replace_all(&text, "{}").into_owned())));
    }
    texts
}

/// The lines that clap shows: those above an argument or a command's variant.
fn is_help(reader: &Reader, source: &str, line: usize) -> bool {
    let below = source.lines().skip(line).find(|line| !line.trim_start().starts_with("///"));
    let below = below.unwrap_or_default().trim_start();
    below.starts_with("#[arg") || below.starts_with("#[command") || reader.field.is_match(below)
}

#[test]
fn no_text_has_a_word_that_readers_stumble_on() {
    let (root, banned, reader) = (root(), Regex::new(BANNED).unwrap(), Reader::new());
    let mut found = Vec::new();
    for path in files_below(&root.join("src"), "rs") {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        // Pure test files have no reader.
        if name.ends_with("/tests.rs") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = source.lines().collect();
        let in_commands = name.starts_with("src/cli") && source.contains("use clap");
        for (line, text) in texts_of(&reader, &source, in_commands) {
            if lines[line - 1].trim_start().starts_with("///") && !is_help(&reader, &source, line) {
                continue;
            }
            let allowed = |(file, part): &(&str, &str)| *file == name && text.contains(part);
            if let Some(word) = banned.find(&text).filter(|_| !ALLOWED.iter().any(allowed)) {
                found.push(format!("{name}:{line}: \"{}\" in {text:?}", word.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}
