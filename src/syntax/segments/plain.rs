//! Reads the YAML that most descriptors are written in: keys, plain words, short lists. It takes no
//! parser for that, and a tenth of the time.
//!
//! What it is not sure of is `None`, and left to the parser.

use serde_json::{Map, Value};

use super::found::SegmentContent;
use crate::syntax::yaml::resolve;

/// Deeper values are left to the parser.
const DEEPEST: usize = 16;

/// What a segment says.
pub(crate) fn segment_content(text: &str) -> Option<SegmentContent> {
    read_segment(text, ReadPurpose::Values).map(|(said, _)| said)
}

/// Where a member of the segment's value begins, with its key; `Some(None)` where there is no such
/// member in an object.
pub(crate) fn member_start(text: &str, key: &str) -> Option<Option<usize>> {
    let (SegmentContent { value, .. }, members) = read_segment(text, ReadPurpose::Places)?;
    value.is_object().then_some(())?;
    Some(members.iter().find(|(known, _)| *known == key).map(|(_, start)| *start))
}

/// What a text is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadPurpose {
    Values,
    /// Where the members of the segment's value begin; what is in them is left out.
    Places,
}

/// What a segment says, and where the members of its value begin.
fn read_segment(text: &str, wanted: ReadPurpose) -> Option<(SegmentContent, Vec<(&str, usize)>)> {
    let (lines, members) = (split_lines(text)?, Vec::new());
    let mut reader = Reader { wanted, lines, at: 0, is_odd: false, members };
    let column = reader.lines.first()?.indent;
    let Value::Object(members) = reader.read_object(column, 0)? else { return None };
    let mut members = members.into_iter();
    let (Some((key, value)), None) = (members.next(), members.next()) else { return None };
    (reader.at == reader.lines.len())
        .then_some((SegmentContent { key, value, is_odd: reader.is_odd }, reader.members))
}

#[derive(Clone, Copy)]
struct Line<'t> {
    /// Where its words begin in the text.
    start: usize,
    indent: usize,
    words: &'t str,
}

/// The lines of a text that has comments and empty lines behind the others only.
fn split_lines(text: &str) -> Option<Vec<Line<'_>>> {
    let most = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let (mut lines, mut ended) = (Vec::with_capacity(most), false);
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let begin = next;
        next += line.len();
        let line =
            line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        let words = words.trim_end_matches(' ');
        if words.is_empty() || words.starts_with('#') {
            ended = true;
        } else if ended || !words.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return None;
        } else {
            lines.push(Line { start: begin + indent, indent, words });
        }
    }
    Some(lines)
}

struct Reader<'t> {
    wanted: ReadPurpose,
    lines: Vec<Line<'t>>,
    at: usize,
    is_odd: bool,
    /// The members of the segment's value, and where they begin, where that is wanted.
    members: Vec<(&'t str, usize)>,
}

impl<'t> Reader<'t> {
    fn read_object(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let is_kept = depth == 0 || self.wanted == ReadPurpose::Values;
        let rows = self.lines[self.at..].iter().take_while(|line| line.indent >= indent);
        let mut members = match is_kept {
            true => Map::with_capacity(rows.filter(|line| line.indent == indent).count()),
            false => Map::new(),
        };
        while let Some(line) = self.peek_at_indent(indent).filter(|line| !is_item(line.words)) {
            let (key, rest) = key_of(line.words)?;
            self.is_odd |= resolve::reads_differently(key);
            if depth == 1 && self.wanted == ReadPurpose::Places {
                if self.members.iter().any(|(known, _)| *known == key) {
                    return None;
                }
                self.members.push((key, line.start));
            }
            self.at += 1;
            let value = if rest.is_empty() {
                self.read_block(indent, depth + 1)?
            } else {
                self.read_value(rest)?
            };
            if is_kept && members.insert(key.to_owned(), value).is_some() {
                return None;
            }
        }
        Some(Value::Object(members))
    }

    fn read_list(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        while let Some(line) = self.peek_at_indent(indent).filter(|line| is_item(line.words)) {
            let rest = line.words[1..].trim_start();
            if key_of(rest).is_some() {
                let column = indent + line.words.len() - rest.len();
                let start = self.lines[self.at].start + line.words.len() - rest.len();
                self.lines[self.at] = Line { start, indent: column, words: rest };
                items.push(self.read_object(column, depth + 1)?);
            } else {
                self.at += 1;
                items.push(self.read_value(rest)?);
            }
        }
        items.shrink_to_fit();
        Some(Value::Array(items))
    }

    /// What is below a key.
    fn read_block(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let line = self.lines.get(self.at).filter(|_| depth < DEEPEST)?;
        match (line.indent > indent, is_item(line.words)) {
            (true, false) => self.read_object(line.indent, depth),
            // The items of a list may stand as far out as its key.
            (_, true) if line.indent >= indent => self.read_list(line.indent, depth),
            _ => None,
        }
    }

    fn peek_at_indent(&self, indent: usize) -> Option<Line<'t>> {
        self.lines.get(self.at).copied().filter(|line| line.indent == indent)
    }

    /// What is on the line of a key or a dash.
    fn read_value(&mut self, words: &str) -> Option<Value> {
        if words.contains(" #") {
            return None;
        }
        if let Some(inside) = words.strip_prefix('[') {
            let inside = inside.strip_suffix(']')?.trim_matches(' ');
            let is_word = |word: &str| {
                word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./ ".contains(&byte))
            };
            let item = |words: &str| match words.trim_matches(' ') {
                words if words.starts_with('"') || is_word(words) => self.read_scalar(words),
                _ => None,
            };
            if inside.is_empty() {
                return Some(Value::Array(Vec::new()));
            }
            let mut items = inside.split(',').map(item).collect::<Option<Vec<_>>>()?;
            items.shrink_to_fit();
            return Some(Value::Array(items));
        }
        self.read_scalar(words)
    }

    fn read_scalar(&mut self, words: &str) -> Option<Value> {
        if let Some(inside) = words.strip_prefix('"') {
            let inside = inside.strip_suffix('"')?;
            return match inside.contains(['"', '\\']) {
                true => None,
                false if self.wanted == ReadPurpose::Places => Some(Value::Null),
                false => Some(Value::String(inside.to_owned())),
            };
        }
        let is_plain = words.starts_with(|first: char| first.is_ascii_alphanumeric())
            && !words.contains(": ")
            && !words.ends_with(':');
        if !is_plain {
            return None;
        }
        if self.wanted == ReadPurpose::Places {
            return Some(Value::Null);
        }
        self.is_odd |= resolve::reads_differently(words);
        Some(resolve::core_value(words))
    }
}

fn is_item(words: &str) -> bool {
    words.starts_with("- ")
}

/// The key that words begin with, and what follows behind its colon.
fn key_of(words: &str) -> Option<(&str, &str)> {
    let (key, rest) = words.split_once(':')?;
    let is_word = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (is_word && (rest.is_empty() || rest.starts_with(' ')))
        .then_some((key, rest.trim_start_matches(' ')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::yaml::parsed_content, *};

    fn read(text: &str) -> Option<(String, Value, bool)> {
        segment_content(text).map(|said| (said.key, said.value, said.is_odd))
    }

    #[test]
    fn what_descriptors_are_written_in_is_read() {
        let text = "  joke:\n    type: tool-service\n    about: \"What, a: joke?\"\n    n: 3\n    on: [a, \"b c\", 1.50]\n    none: []\n    \
                    arguments:\n      - name: topic\n        type: string\n      - name: x\n    list:\n    - one\n    - yes\n\n# behind\n";
        let value = json!({"type": "tool-service", "about": "What, a: joke?", "n": 3, "on": ["a", "b c", 1.5], "none": [],
            "arguments": [{"name": "topic", "type": "string"}, {"name": "x"}], "list": ["one", "yes"]});
        assert_eq!(read(text), Some(("joke".into(), value, true)));
        assert_eq!(
            read(text),
            parsed_content(text).map(|said| (said.key, said.value, said.is_odd))
        );
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_the_parser_reads(
            lines in prop::collection::vec("( {2}| {4}| {6})(- )?([ab]: ?)?(\"?[a1 ,:#-]{0,5}\"?|\\[[a1 ,\"-]{0,5}\\]|yes|012)?", 1..7),
        ) {
            let text = format!("  k:\n{}\n", lines.join("\n"));
            if let Some(read) = read(&text) {
                let parsed = parsed_content(&text).map(|said| (said.key, said.value, said.is_odd));
                prop_assert_eq!(Some(read), parsed, "{}", text);
            }
        }
    }
}
