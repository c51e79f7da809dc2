//! The words of what a user can see (texts of the program, help of its commands, documents), and of
//! comments.

use std::{
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// Words that a fresh reader stumbled on; `design/interaction.md` has what to say instead.
const BANNED: &str = r"(?i)\b(mend|mends|mended|mending|stands|tells|told|let go|lets go|anew|leave it|take up|takes up|taken up|make usual|said outright|blanks|heard|wanted here|comes to|no run comes)\b";

/// What has such a word for a reason: `(file, what the text holds)`.
const ALLOWED: [(&str, &str); 6] = [
    // Codes of findings, which other programs read.
    ("src/engine/lint.rs", "names.blanks"),
    ("src/systems/commonground/checks/listeners.rs", "subject.heard-twice"),
    ("docs/systems.md", "`names.blanks`"),
    ("docs/commonground.md", "`subject.heard-twice`"),
    // What the sample services answer.
    ("src/engine/services/collections.rs", ""),
    ("src/engine/services/joke.rs", ""),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files of a folder whose names end so.
pub(super) fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
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

/// The README, the CHANGELOG, the pages of `docs/`, and those of the samples.
fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut documents = vec![root.join("README.md"), root.join("CHANGELOG.md")];
    documents.extend(files_below(&root.join("docs"), "md"));
    documents.extend(files_below(&root.join("samples"), "md"));
    documents
}

#[test]
fn no_document_has_a_word_that_readers_stumble_on() {
    let (root, banned) = (root(), Regex::new(BANNED).unwrap());
    let mut found = Vec::new();
    for path in documents() {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        for (line, text) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let allowed = |(file, part): &(&str, &str)| *file == name && text.contains(part);
            if let Some(word) = banned.find(text).filter(|_| !ALLOWED.iter().any(allowed)) {
                found.push(format!("{name}:{}: \"{}\" in {text:?}", line + 1, word.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
}

/// The words of a comment on a line, without code in backticks.
fn comment_words(line: &str, code: &Regex) -> Option<String> {
    let line = line.trim_start();
    let whole = ["/// ", "//! ", "// "].into_iter().find_map(|sign| line.strip_prefix(sign));
    let behind =
        || line.split_once("; // ").or_else(|| line.split_once(", // ")).map(|(_, words)| words);
    Some(code.replace_all(whole.or_else(behind)?, "").into_owned())
}

#[test]
fn no_comment_has_a_word_that_readers_stumble_on() {
    let (root, banned) = (root(), Regex::new(BANNED).unwrap());
    let code = Regex::new("`[^`]*`").unwrap();
    let mut found = Vec::new();
    for path in files_below(&root.join("src"), "rs") {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        for (line, text) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let words = comment_words(text, &code).unwrap_or_default();
            if let Some(word) = banned.find(&words) {
                found.push(format!("{name}:{}: \"{}\" in {words:?}", line + 1, word.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "{} comments:\n{}", found.len(), found.join("\n"));
}
