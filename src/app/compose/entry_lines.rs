//! The lines of an entry in a file, with the comments that go with it, and where they fit in another
//! file. Whoever writes them reads the text again: nothing here is sure to mean the same.

use std::ops::Range;

use crate::{
    model::entry::EntryId,
    schema::pointer::Pointer,
    syntax::source::{Format, Source},
};

/// An entry as it is written, from the left edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntryLines {
    format: Format,
    lines: Vec<String>,
    /// The row of its key among these; `None`: they are the value alone.
    key: Option<usize>,
    name: String,
}

impl EntryLines {
    /// The lines of an entry; `None` where it shares lines with others.
    pub fn of_entry(source: &Source, entry: &EntryId) -> Option<Self> {
        let text = source.text();
        let format = source.format();
        let rows: Vec<&str> = text.lines().collect();
        let place = entry.place();
        let Some(name) = place.at.last() else {
            let lines = rows.iter().filter(|line| **line != "---").map(|line| (*line).to_owned());
            let stem = entry.file().path().file_stem()?.to_str()?.to_owned();
            return Some(Self { format, lines: lines.collect(), key: None, name: stem });
        };
        let (name, own) = (name.to_owned(), own_rows(source, entry)?);
        let lines = rows.get(own.rows.clone())?.iter().map(|line| {
            if line.trim().is_empty() {
                return Some(String::new());
            }
            line.get(own.indent..)
                .filter(|_| line[..own.indent].bytes().all(|byte| byte == b' '))
                .map(str::to_owned)
        });
        let key = Some(own.key - own.rows.start);
        Some(Self { format, lines: lines.collect::<Option<Vec<_>>>()?, key, name })
    }

    /// Texts of a new file with it: alone, and in a section.
    pub fn texts_alone(&self, section: Option<&str>) -> Vec<String> {
        let mut texts = Vec::new();
        match (self.format, self.key) {
            (Format::Yaml, Some(key)) => {
                texts.extend(self.value_lines(key).map(|lines| joined(&lines)));
                if let Some(section) = section {
                    texts.push(format!("{section}:\n{}", joined(&indented(&self.lines, 2))));
                }
            }
            (Format::Toml, Some(_)) => texts.push(joined(&self.lines)),
            (_, None) => texts.push(joined(&self.lines)),
            _ => {}
        }
        texts
    }

    /// Texts of a file that is there with it at a place: behind the last one beside it.
    pub fn texts_in(&self, there: &Source, document: usize, at: &Pointer) -> Vec<String> {
        let text = there.text();
        // Lines that end otherwise stay as they are.
        if text.contains('\r') {
            return Vec::new();
        }
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        let end = |rows: &mut Vec<String>, lines: Vec<String>| {
            rows.extend(lines);
            joined(rows)
        };
        let Some(holder) = at.parent() else { return Vec::new() };
        match self.format {
            Format::Toml if self.key.is_some() => {
                let mut lines = vec![String::new()];
                lines.extend(self.lines.iter().cloned());
                vec![end(&mut rows, lines)]
            }
            Format::Yaml => {
                let keyed = self.keyed_lines();
                let beside = there
                    .value_at(document, &holder)
                    .and_then(|value| Some(value.as_object()?.keys().next_back()?.clone()));
                let Some(last) = beside.map(|key| holder.child(key)) else {
                    let Some(section) = holder.last().filter(|_| holder.tokens().len() == 1) else {
                        return Vec::new();
                    };
                    let mut lines = vec![format!("{section}:")];
                    lines.extend(indented(&keyed, 2));
                    return vec![end(&mut rows, lines)];
                };
                let Some(own) = rows_of(there, document, &last) else { return Vec::new() };
                let lines = indented(&keyed, own.indent);
                let at = own.rows.end.min(rows.len());
                rows.splice(at..at, lines);
                vec![joined(&rows)]
            }
            _ => Vec::new(),
        }
    }

    /// The lines below a key; its comments too.
    fn value_lines(&self, key: usize) -> Option<Vec<String>> {
        let (above, rest) = self.lines.split_at_checked(key)?;
        let (first, below) = rest.split_first()?;
        let is_alone = first.trim_end().ends_with(':');
        let indent = below.iter().find(|line| !line.trim().is_empty())?;
        let indent = indent.len() - indent.trim_start().len();
        let cut = |line: &String| match line.trim().is_empty() {
            true => Some(String::new()),
            false => line.get(indent..).map(str::to_owned),
        };
        let below: Option<Vec<String>> = below.iter().map(cut).collect();
        is_alone.then(|| Some([above.to_vec(), below?].concat()))?
    }

    /// The lines with a key.
    fn keyed_lines(&self) -> Vec<String> {
        if self.key.is_some() {
            return self.lines.clone();
        }
        let is_plain = self.name.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && self
                .name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
        let name = if is_plain {
            self.name.clone()
        } else {
            serde_json::Value::from(&*self.name).to_string()
        };
        let mut lines = vec![format!("{name}:")];
        lines.extend(indented(&self.lines, 2));
        lines
    }
}

/// The text of a file without the lines of an entry.
pub(super) fn without_entry(source: &Source, entry: &EntryId) -> Option<String> {
    let own = own_rows(source, entry)?;
    let text = source.text();
    let rows = text.split_inclusive('\n').enumerate();
    let rest = rows.filter(|(row, _)| !own.rows.contains(row)).map(|(_, line)| line);
    Some(rest.collect())
}

fn joined(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn indented(lines: &[String], by: usize) -> Vec<String> {
    let line = |line: &String| match line.is_empty() {
        true => String::new(),
        false => format!("{}{line}", " ".repeat(by)),
    };
    lines.iter().map(line).collect()
}

/// Where the lines of an entry are, with the comments right above it.
struct OwnRows {
    rows: Range<usize>,
    key: usize,
    indent: usize,
}

fn own_rows(source: &Source, entry: &EntryId) -> Option<OwnRows> {
    let place = entry.place();
    match source.format() {
        Format::Yaml => rows_of(source, place.document, &place.at),
        Format::Toml => table_rows(source, &place.at),
        Format::Json | Format::Jsonc | Format::Json5 => None,
    }
}

/// Those of a member of a map in block style.
fn rows_of(source: &Source, document: usize, at: &Pointer) -> Option<OwnRows> {
    let place = source.find_place(document, at)?;
    let start = place.key?.start;
    let text = source.text();
    let lines: Vec<&str> = text.lines().collect();
    let row = |offset: usize| source.position(offset).0 - 1;
    let key = row(start);
    let indent = lines.get(key)?.len() - lines[key].trim_start().len();
    let last = text.get(..place.value.end)?.trim_end().len().max(start + 1);
    let end = row(last - 1) + 1;
    // The member has its lines for itself.
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    if start - line_start != indent {
        return None;
    }
    Some(OwnRows { rows: first_comment(&lines, key, indent)..end, key, indent })
}

/// Those of a table with a header of its own, and of the tables within it.
fn table_rows(source: &Source, at: &Pointer) -> Option<OwnRows> {
    let lines: Vec<&str> = source.text().lines().collect();
    let header = |line: &str| {
        let line = line.trim();
        let inner = line.strip_prefix('[')?.split(']').next()?.trim_start_matches('[');
        let keys = inner.split('.').map(|key| key.trim().trim_matches(['"', '\'']).to_owned());
        Some(keys.collect::<Vec<_>>())
    };
    let is_own = |line: &&str| {
        header(line).is_some_and(|keys| {
            keys.len() >= at.tokens().len() && keys[..at.tokens().len()] == *at.tokens()
        })
    };
    let key = lines.iter().position(&is_own)?;
    let next = lines[key..].iter().position(|line| header(line).is_some() && !is_own(line));
    let end = next.map_or(lines.len(), |next| first_comment(&lines, key + next, 0));
    let blank = lines[..end].iter().rev().take_while(|line| line.trim().is_empty()).count();
    let start = first_comment(&lines, key, 0);
    // The empty line between two tables goes along.
    let start = if start > 0 && lines[start - 1].trim().is_empty() && next.is_none() {
        start - 1
    } else {
        start
    };
    let end = if next.is_some() { end } else { end - blank };
    Some(OwnRows { rows: start..end, key, indent: 0 })
}

/// The first of the comments right above a row, as far to the right as it is.
fn first_comment(lines: &[&str], row: usize, indent: usize) -> usize {
    let is_comment = |line: &&&str| {
        line.trim_start().starts_with('#') && line.len() - line.trim_start().len() == indent
    };
    row - lines[..row].iter().rev().take_while(is_comment).count()
}
