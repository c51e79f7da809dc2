//! Reads Rust files into what the architecture's rules are about: modules, what each file mentions,
//! how long it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path that a file mentions, made absolute: `crate::model::tool::Tool`, `serde_json::Value`.
#[derive(Clone, Debug)]
pub struct Mention {
    pub line: usize,
    pub path: Vec<String>,
}

/// One file of `src/`, without what stands under `#[cfg(test)]`.
#[derive(Debug, Default)]
pub struct File {
    /// Below `src/`: `engine/filter.rs`.
    pub path: String,
    pub module: Vec<String>,
    pub text: String,
    /// Lines that are not tests.
    pub lines: usize,
    pub mentions: Vec<Mention>,
    /// Names of macros that are called, with their lines.
    pub macros: Vec<(usize, String)>,
    /// Attributes, as tokens: `expect ( clippy :: panic , … )`.
    pub attributes: Vec<(usize, String)>,
    children: BTreeSet<String>,
    test_children: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    reexports: BTreeMap<String, Vec<String>>,
    found: Vec<(usize, Vec<String>)>,
    test_lines: usize,
}

impl File {
    /// The folder directly below `src/`, or the file's own name for a head: `engine`, `main`.
    pub fn folder(&self) -> &str {
        self.module.first().map_or("", String::as_str)
    }
}

/// The files of one crate.
#[derive(Debug)]
pub struct Tree {
    pub files: Vec<File>,
    outside: BTreeSet<String>,
}

impl Tree {
    /// Reads `src/` and the names of the dependencies in `Cargo.toml`.
    pub fn read(root: &Path) -> Self {
        let mut texts = Vec::new();
        collect(&root.join("src"), &mut |path| {
            let below = path.strip_prefix(root.join("src")).unwrap().to_string_lossy().into_owned();
            texts.push((below, fs::read_to_string(path).unwrap()));
        });
        let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
        Self::of(&texts, &dependencies(&manifest))
    }

    /// The same from texts.
    pub fn of(texts: &[(String, String)], outside: &[String]) -> Self {
        let mut files: Vec<File> = texts.iter().map(|(path, text)| file(path, text)).collect();
        let tests: BTreeSet<Vec<String>> = files
            .iter()
            .flat_map(|file| {
                file.test_children
                    .iter()
                    .map(|child| [file.module.as_slice(), std::slice::from_ref(child)].concat())
            })
            .collect();
        files.retain(|file| !tests.iter().any(|test| file.module.starts_with(test)));
        let outside: BTreeSet<String> = outside
            .iter()
            .cloned()
            .chain(["std", "core", "alloc", "toolcrib"].map(String::from))
            .collect();
        for file in &mut files {
            let absolute = |path: &[String]| absolute(file, path, &outside);
            let mention = |(line, path): &(usize, Vec<String>)| {
                Some(Mention { line: *line, path: absolute(path)? })
            };
            let mentions = file.found.iter().filter_map(mention).collect();
            let reexport =
                |(name, path): (&String, &Vec<String>)| Some((name.clone(), absolute(path)?));
            let reexports = file.reexports.iter().filter_map(reexport).collect();
            (file.mentions, file.reexports) = (mentions, reexports);
        }
        Self { files, outside }
    }

    /// The file that defines what the path names; re-exports are followed to where they point.
    pub fn target(&self, path: &[String]) -> Option<&File> {
        let mut path = path.to_vec();
        for _ in 0..8 {
            if path.first().is_none_or(|first| first != "crate") {
                return None;
            }
            let inside = &path[1..];
            let file =
                (0..=inside.len()).rev().find_map(|length| self.module(&inside[..length]))?;
            let rest = &inside[file.module.len()..];
            match rest.first().and_then(|name| file.reexports.get(name)) {
                Some(to) => path = to.iter().chain(&rest[1..]).cloned().collect(),
                None => return Some(file),
            }
        }
        None
    }

    fn module(&self, module: &[String]) -> Option<&File> {
        self.files.iter().find(|file| file.module == module && file.path != "main.rs")
    }

    /// The outside crate that a path names.
    pub fn outside<'p>(&self, path: &'p [String]) -> Option<&'p str> {
        path.first().map(String::as_str).filter(|first| self.outside.contains(*first))
    }
}

/// Every `.rs` file below a folder, in the order of names.
pub fn collect(folder: &Path, take: &mut impl FnMut(&Path)) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, take);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            take(&path);
        }
    }
}

fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let (true, Some((name, _))) = (inside, line.split_once('=')) {
            names.push(name.trim().replace('-', "_"));
        }
    }
    names
}

fn file(path: &str, text: &str) -> File {
    let mut module: Vec<String> =
        path.trim_end_matches(".rs").split('/').map(String::from).collect();
    if matches!(path, "lib.rs" | "main.rs") {
        module.clear();
    }
    let mut file = File { path: path.into(), module, text: text.into(), ..File::default() };
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    walk(&mut file, tokens);
    file.lines = text.lines().count() - file.test_lines;
    file
}

fn line(token: &TokenTree) -> usize {
    token.span().start().line
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// Whether `::` stands at that place.
fn colons(tokens: &[TokenTree], at: usize) -> bool {
    is(tokens.get(at), ':') && is(tokens.get(at + 1), ':')
}

fn walk(file: &mut File, stream: TokenStream) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        at = match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => attribute(file, &tokens, at),
            TokenTree::Punct(punct)
                if punct.as_char() == '.' && ident(tokens.get(at + 1)).is_some() =>
            {
                at + 2
            }
            TokenTree::Ident(word) if word == "use" && !is(tokens.get(at + 1), '<') => {
                import(file, &tokens, at)
            }
            TokenTree::Ident(word) if word == "mod" && is(tokens.get(at + 2), ';') => {
                file.children.extend(ident(tokens.get(at + 1)));
                at + 3
            }
            TokenTree::Ident(_) => mention(file, &tokens, at),
            TokenTree::Group(group) => {
                walk(file, group.stream());
                at + 1
            }
            _ => at + 1,
        };
    }
}

/// Notes an attribute; skips the item that stands under `#[cfg(test)]`, or is for tests and fuzzers.
fn attribute(file: &mut File, tokens: &[TokenTree], at: usize) -> usize {
    let inner = usize::from(is(tokens.get(at + 1), '!'));
    let Some(TokenTree::Group(group)) = tokens.get(at + 1 + inner) else { return at + 1 };
    let words = group.stream().to_string();
    let tests = ["cfg(test)", "cfg(any(test,fuzzing))"].contains(&words.replace(' ', "").as_str());
    file.attributes.push((line(&tokens[at]), words));
    let mut next = at + 2 + inner;
    if !tests {
        return next;
    }
    if let Some(named) = (next..tokens.len().min(next + 8))
        .find(|at| ident(tokens.get(*at)).as_deref() == Some("mod"))
        && is(tokens.get(named + 2), ';')
    {
        file.test_children.extend(ident(tokens.get(named + 1)));
    }
    let item_ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    while tokens.get(next).is_some_and(|token| !item_ends(token)) {
        next += 1;
    }
    if let Some(end) = tokens.get(next) {
        file.test_lines += end.span().end().line + 1 - line(&tokens[at]);
    }
    next + 1
}

fn import(file: &mut File, tokens: &[TokenTree], at: usize) -> usize {
    let end = (at..tokens.len()).find(|at| is(tokens.get(*at), ';')).unwrap_or(tokens.len());
    let before = |back: usize| at.checked_sub(back).and_then(|place| ident(tokens.get(place)));
    let public = before(1).or_else(|| before(2)).is_some_and(|word| word == "pub");
    let mut leaves = Vec::new();
    tree(&tokens[at + 1..end], &[], &mut leaves);
    for (path, name) in leaves {
        if public {
            file.reexports.insert(name, path);
        } else {
            file.found.push((line(&tokens[at]), path.clone()));
            file.imports.insert(name, path);
        }
    }
    end + 1
}

/// The leaves of a `use` tree, each with the name it gets here.
fn tree(tokens: &[TokenTree], prefix: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let mut path = prefix.to_vec();
    let mut name = None;
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if word == "as" => {
                name = ident(tokens.get(at + 1));
                at += 1;
            }
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                return inside
                    .split(|token| is(Some(token), ','))
                    .for_each(|branch| tree(branch, &path, leaves));
            }
            _ => {}
        }
        at += 1;
    }
    if path.len() > prefix.len() || (!tokens.is_empty() && !path.is_empty()) {
        let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
        leaves.push((path, name));
    }
}

/// A path written out in the code: `super::workflow::ended`, `serde_json::from_str`.
fn mention(file: &mut File, tokens: &[TokenTree], at: usize) -> usize {
    let begun = line(&tokens[at]);
    let mut path: Vec<String> = ident(tokens.get(at)).into_iter().collect();
    let mut next = at + 1;
    while let (true, Some(word)) = (colons(tokens, next), ident(tokens.get(next + 2))) {
        path.push(word);
        next += 3;
    }
    if is(tokens.get(next), '!') && !is(tokens.get(next + 1), '=') {
        file.macros.push((begun, path.last().cloned().unwrap_or_default()));
    }
    if path.len() > 1 {
        file.found.push((begun, path));
    }
    next
}

fn absolute(file: &File, path: &[String], outside: &BTreeSet<String>) -> Option<Vec<String>> {
    let here = || {
        std::iter::once("crate".to_owned()).chain(file.module.iter().cloned()).collect::<Vec<_>>()
    };
    let first = path.first()?;
    match first.as_str() {
        "crate" => Some(path.to_vec()),
        "self" => Some([here(), path[1..].to_vec()].concat()),
        "super" => {
            let up = path.iter().take_while(|word| *word == "super").count();
            let mut module = here();
            module.truncate(module.len().saturating_sub(up).max(1));
            Some([module, path[up..].to_vec()].concat())
        }
        _ if file.children.contains(first) => Some([here(), path.to_vec()].concat()),
        _ => match file.imports.get(first) {
            Some(imported) if imported != path && imported.first() != Some(first) => {
                absolute(file, &[imported.clone(), path[1..].to_vec()].concat(), outside)
            }
            _ => outside.contains(first).then(|| path.to_vec()),
        },
    }
}
