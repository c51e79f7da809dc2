//! File patterns as shells expand them, for command lines that no shell expanded.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::model::path_pattern::matches_name;

/// More files are not listed.
const MOST_FILES: usize = 100_000;
/// More patterns are not made of the braces of one.
const MOST_PATTERNS: usize = 1_000;
/// Folders are followed so deep.
const DEEPEST: usize = 32;

/// Whether a path is a pattern, if no file has that name.
#[must_use]
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The files that match a pattern, by name: `*` and `?` within a name, `[a-z]`, `{json,yaml}`, `**`
/// for folders of any depth. Names that begin with a dot match only where the pattern has the dot.
/// Links to folders are not followed by `**`.
#[must_use]
pub(crate) fn expand_glob(pattern: &str) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for pattern in expand_braces(pattern) {
        let (start, rest) = match pattern.strip_prefix('/') {
            Some(rest) => (PathBuf::from("/"), rest),
            None => (PathBuf::new(), pattern.as_str()),
        };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        walk_pattern(&start, &parts, 0, &mut found);
    }
    found.into_iter().collect()
}

/// The patterns that the braces of one make; only the first [`MOST_PATTERNS`].
fn expand_braces(pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    push_expanded(pattern, &mut found);
    found
}

fn push_expanded(pattern: &str, found: &mut Vec<String>) {
    let Some((open, close)) = find_braces(pattern) else { return found.push(pattern.to_owned()) };
    let (head, inner, tail) = (&pattern[..open], &pattern[open + 1..close], &pattern[close + 1..]);
    let mut depth = 0;
    let parts = inner.split(|sign: char| {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        depth == 0 && sign == ','
    });
    for part in parts {
        if found.len() >= MOST_PATTERNS {
            return;
        }
        push_expanded(&format!("{head}{part}{tail}"), found);
    }
}

/// The first pair of braces with a comma in it.
fn find_braces(pattern: &str) -> Option<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for (at, sign) in pattern.char_indices() {
        match sign {
            '{' => open.push(at),
            '}' => pairs.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    pairs.into_iter().filter(|(open, close)| pattern[*open..*close].contains(',')).min()
}

fn walk_pattern(folder: &Path, parts: &[&str], depth: usize, found: &mut BTreeSet<PathBuf>) {
    if found.len() >= MOST_FILES || depth > DEEPEST {
        return;
    }
    let Some((part, rest)) = parts.split_first() else {
        if folder.is_file() {
            found.insert(folder.to_owned());
        }
        return;
    };
    if !is_pattern(part) {
        return walk_pattern(&folder.join(part), rest, depth, found);
    }
    if *part == "**" {
        walk_pattern(folder, if rest.is_empty() { &["*"] } else { rest }, depth, found);
        for (name, path, is_folder) in folder_entries(folder) {
            if is_folder && !name.starts_with('.') {
                walk_pattern(&path, parts, depth + 1, found);
            }
        }
        return;
    }
    let hidden = part.starts_with('.');
    for (name, path, _) in folder_entries(folder) {
        if (hidden || !name.starts_with('.')) && matches_name(part, &name) {
            walk_pattern(&path, rest, depth + 1, found);
        }
    }
}

/// What is in a folder: names, paths, and whether each is a folder itself.
fn folder_entries(folder: &Path) -> Vec<(String, PathBuf, bool)> {
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(listed).into_iter().flatten().flatten();
    let named = entries
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?)));
    named.map(|(name, kind)| (name.clone(), folder.join(name), kind.is_dir())).collect()
}

/// For the fuzzers: how many patterns are made of one, and whether the name matches one of them.
#[cfg(any(test, fuzzing))]
pub(crate) fn try_pattern(pattern: &str, name: &str) -> (usize, bool) {
    let patterns = expand_braces(pattern);
    let fits = |pattern: &String| matches_name(pattern, name);
    (patterns.len(), patterns.iter().any(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_in_a_shell() {
        let is = |pattern: &str, name: &str| matches_name(pattern, name);
        for (pattern, name) in [
            ("*", ""),
            ("*.json", "a.json"),
            ("a?c", "aéc"),
            ("[a-c]x", "bx"),
            ("[!a]", "b"),
            ("[]a]", "]"),
            ("a[", "a["),
            ("*a*b", "xaaab"),
            ("[a-]", "-"),
        ] {
            assert!(is(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.json", "a.jsonc"), ("a?c", "ac"), ("[a-c]x", "dx"), ("[!a]", "a"), ("", "a")]
        {
            assert!(!is(pattern, name), "{pattern} {name}");
        }
        assert_eq!(expand_braces("a.{json,y{a,}ml}"), ["a.json", "a.yaml", "a.yml"]);
        assert_eq!(expand_braces("{a}"), ["{a}"]);
        // Neither takes forever.
        assert!(!is(&"*a".repeat(40), &"a".repeat(39)) && is(&"*a".repeat(40), &"ba".repeat(60)));
        assert_eq!(expand_braces(&"{a,b}".repeat(60)).len(), MOST_PATTERNS);
    }

    #[test]
    fn folders_are_walked_and_hidden_names_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.json", "b.yaml", ".h.json", "x/c.json", "x/y/d.json", ".git/e.json"] {
            fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = |pattern: &str| -> Vec<String> {
            let found = expand_glob(&format!("{}/{pattern}", folder.path().display()));
            found
                .iter()
                .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
                .collect()
        };
        assert_eq!(found("**/*.json"), ["a.json", "x/c.json", "x/y/d.json"]);
        assert_eq!(found("*.{json,yaml}"), ["a.json", "b.yaml"]);
        assert_eq!(found(".*.json"), [".h.json"]);
        assert_eq!(found("x/*/d.json"), ["x/y/d.json"]);
        assert_eq!(found("*"), ["a.json", "b.yaml"], "folders are no documents");
        assert_eq!(found("z*"), [""; 0]);
        assert_eq!(found("x/**"), ["x/c.json", "x/y/d.json"]);
    }
}
