//! A long text cut into the members of its sections, so that what is done with one of them costs no
//! reading of the others.
//!
//! In `{"tool": {"a": …, "b": …}, "mcp": {"c": …}}` the sections are `tool` and `mcp`, and each
//! member of a section is a segment. A text is cut only where each segment read alone means what it
//! means in the whole; any other text is read as a whole.

mod found;
mod json;
mod plain;
mod yaml;

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};

pub(crate) use found::ParsedSegment;
use found::{FoundSection, SegmentContent};

use super::{
    lazy_value::LazyValue,
    parallel::map_slices,
    place::{Format, Span},
    shared_text::SharedText,
};
use crate::schema::pointer::Pointer;

/// Shorter texts are read as a whole faster than a key can be pressed.
pub(crate) const LONG: usize = 4 * 1024;

/// So many segments are shared by two revisions of a text, or are not.
const CHUNK: usize = 64;

/// So many segments tell the manner of a text: as many nodes as are looked at for that.
const SAMPLE: usize = 400;

/// So many bytes of a long text hold more members than a screen shows.
const BEGINNING: usize = 64 * 1024;

/// The begin of a long text with the members that stand there, as a text of its own; `None` where
/// the text is not worth it, or not cut.
pub(crate) fn beginning(format: Format, text: &str) -> Option<String> {
    let begin = text.get(..text.floor_char_boundary(BEGINNING))?;
    match format {
        _ if text.len() < 4 * BEGINNING => None,
        Format::Json => json::beginning(begin),
        Format::Yaml => yaml::beginning(begin),
        Format::Jsonc | Format::Json5 | Format::Toml => None,
    }
}

/// The segments of one text.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    format: Format,
    sections: Arc<[Section]>,
    chunks: Vec<Chunk>,
}

/// A section with the keys of its members.
#[derive(Debug)]
struct Section {
    name: Box<str>,
    keys: Vec<Arc<str>>,
    rows: HashMap<Arc<str>, usize>,
    /// The row of its first member among all segments.
    first: usize,
}

#[derive(Clone, Debug)]
struct Chunk {
    /// Where it begins in the text; its segments count from here.
    start: usize,
    rows: Arc<[Segment]>,
}

#[derive(Clone, Debug)]
struct Segment {
    start: usize,
    end: usize,
    /// What it says since it was edited. What a segment says that is as it was read, is read when
    /// it is asked for: all values together take several times the room of the text.
    written: Option<Arc<Value>>,
    /// There is something odd in it.
    is_odd: bool,
    /// Its value is a text.
    is_text: bool,
}

/// A member of a section.
pub struct Member<'s> {
    pub key: &'s Arc<str>,
    pub value: LazyValue,
    /// Its value is a text.
    pub is_text: bool,
}

impl Segment {
    /// Whether this is the segment of another revision, and not one that was written in between.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.written, &other.written) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Segments {
    /// Cuts a text; `None` where its segments could mean something else alone, or one of them
    /// cannot be read.
    pub fn from_text(format: Format, text: &str) -> Option<Self> {
        let found = match format {
            Format::Json => json::split_sections(text)?,
            Format::Yaml => yaml::split_sections(text)?,
            Format::Jsonc | Format::Json5 | Format::Toml => return None,
        };
        let (mut sections, mut rows) = (Vec::<Section>::new(), Vec::new());
        for FoundSection { name, members } in found {
            if sections.iter().any(|section| *section.name == *name) {
                return None;
            }
            let mut section = Section {
                name: name.into(),
                keys: Vec::with_capacity(members.len()),
                rows: HashMap::with_capacity(members.len()),
                first: rows.len(),
            };
            // What a member says is read again when it is asked for.
            let read = |Span { start, end }: &Span| {
                let SegmentContent { key, value, is_odd } =
                    segment_content(format, text.get(*start..*end)?)?;
                let (start, end, is_text) = (*start, *end, value.is_string());
                Some((
                    Arc::<str>::from(key),
                    Segment { start, end, written: None, is_odd, is_text },
                ))
            };
            // Nothing after what can't be read matters.
            let read_slice = |slice: &[Span]| {
                let mut goes_on = true;
                let read = slice.iter().map(read);
                read.take_while(|found| std::mem::replace(&mut goes_on, found.is_some())).collect()
            };
            for member in map_slices(&members, read_slice) {
                let (key, segment) = member?;
                // Of two of one name the second would count.
                if section.rows.insert(Arc::clone(&key), section.keys.len()).is_some() {
                    return None;
                }
                section.keys.push(key);
                rows.push(segment);
            }
            sections.push(section);
        }
        let chunk = |rows: &[Segment]| {
            let start = rows.first().map_or(0, |row| row.start);
            let rows = rows.iter().map(|row| Segment {
                start: row.start - start,
                end: row.end - start,
                ..row.clone()
            });
            Chunk { start, rows: rows.collect() }
        };
        (!rows.is_empty()).then(|| Self {
            format,
            sections: sections.into(),
            chunks: rows.chunks(CHUNK).map(chunk).collect(),
        })
    }

    /// The row of the segment that a pointer leads to or into.
    pub fn row_at(&self, at: &Pointer) -> Option<usize> {
        let [section, key, ..] = at.tokens() else { return None };
        let section = self.sections.iter().find(|known| *known.name == **section)?;
        Some(section.first + section.rows.get(key.as_str())?)
    }

    pub fn has_section(&self, name: &str) -> bool {
        self.sections.iter().any(|section| *section.name == *name)
    }

    /// Where the segment of a row is to be found by pointers.
    pub fn row_pointer(&self, row: usize) -> Option<Pointer> {
        let section = self.sections.iter().rev().find(|section| section.first <= row)?;
        Some([&*section.name, section.keys.get(row - section.first)?].into_iter().collect())
    }

    /// What the segment of a row says.
    pub fn row_value(&self, text: &SharedText, row: usize) -> Option<LazyValue> {
        let (span, segment) = self.segment_at(row)?;
        Some(match &segment.written {
            Some(value) => Arc::clone(value).into(),
            None => LazyValue::of_piece(
                text.piece_around(span),
                match self.format {
                    Format::Yaml => |text| yaml::segment_content(text).map(|said| said.value),
                    _ => |text| json::segment_content(text).map(|said| said.value),
                },
            ),
        })
    }

    /// The names of the sections, and their members, in the order they stand.
    pub fn sections(
        &self,
        text: &SharedText,
    ) -> impl Iterator<Item = (&str, impl Iterator<Item = Member<'_>>)> {
        self.sections.iter().map(move |section| {
            let members = section.keys.iter().enumerate();
            let member = move |(row, key)| {
                let row = section.first + row;
                let (_, Segment { is_text, .. }) = self.segment_at(row)?;
                Some(Member { key, value: self.row_value(text, row)?, is_text: *is_text })
            };
            (&*section.name, members.filter_map(member))
        })
    }

    /// The rows of the segments with something odd in them.
    pub fn odd_rows(&self) -> impl Iterator<Item = usize> {
        let rows = self.chunks.iter().flat_map(|chunk| chunk.rows.iter()).enumerate();
        rows.filter(|(_, segment)| segment.is_odd).map(|(row, _)| row)
    }

    /// What the whole text means.
    pub fn whole_value(&self, text: &SharedText) -> Value {
        let members = |(name, members): (&str, _)| {
            let members: Map<String, Value> = collect_members(members);
            (name.to_owned(), Value::Object(members))
        };
        Value::Object(self.sections(text).map(members).collect())
    }

    /// The row of the segment that holds a span of the text, its edges left out.
    pub fn row_around(&self, span: Span) -> Option<usize> {
        let chunk =
            self.chunks.partition_point(|chunk| chunk.start <= span.start).checked_sub(1)?;
        let Chunk { start, rows } = &self.chunks[chunk];
        let row = rows.partition_point(|row| start + row.start <= span.start).checked_sub(1)?;
        (start + rows[row].start < span.start && span.end < start + rows[row].end)
            .then_some(chunk * CHUNK + row)
    }

    /// The segment of a row, read alone.
    pub fn parse_segment(&self, text: &SharedText, row: usize) -> Option<ParsedSegment> {
        let (Span { start, end }, _) = self.segment_at(row)?;
        let written = text.slice(start, end)?;
        match self.format {
            Format::Yaml => yaml::parse_segment(written, start),
            _ => json::parse_segment(written, start, text.line_indent(start)),
        }
    }

    /// The segments of a text that differs from this one's in one of them, which is `len` bytes
    /// long now. `None` where it reaches further.
    pub fn replace_segment(&self, row: usize, text: &SharedText, len: usize) -> Option<Self> {
        let (Span { start, end }, _) = self.segment_at(row)?;
        let written = text.slice(start, start + len)?;
        if !self.holds_one(written) {
            return None;
        }
        let said = segment_content(self.format, written)?;
        if self.row_pointer(row)?.last() != Some(&*said.key) {
            return None;
        }
        let mut chunks = self.chunks.clone();
        let moved = |offset: usize| offset + len - (end - start);
        let (chunk, place) = (row / CHUNK, row % CHUNK);
        let rows = chunks[chunk].rows.iter().enumerate().map(|(at, segment)| match at {
            _ if at < place => segment.clone(),
            _ if at == place => Segment {
                start: segment.start,
                end: moved(segment.end),
                written: Some(Arc::new(said.value.clone())),
                is_odd: said.is_odd,
                is_text: said.value.is_string(),
            },
            _ => {
                Segment { start: moved(segment.start), end: moved(segment.end), ..segment.clone() }
            }
        });
        chunks[chunk].rows = rows.collect();
        for later in chunks.iter_mut().skip(chunk + 1) {
            later.start = moved(later.start);
        }
        Some(Self { format: self.format, sections: Arc::clone(&self.sections), chunks })
    }

    /// The rows that were written again since another revision, or before it; `None` where the two
    /// are not revisions of one text.
    pub fn changed_rows(&self, other: &Self) -> Option<Vec<usize>> {
        if !Arc::ptr_eq(&self.sections, &other.sections) {
            return None;
        }
        let chunks = self.chunks.iter().zip(&other.chunks).enumerate();
        let differ = chunks.filter(|(_, (one, other))| !Arc::ptr_eq(&one.rows, &other.rows));
        let rows = differ.flat_map(|(chunk, (one, other))| {
            let pairs = one.rows.iter().zip(other.rows.iter()).enumerate();
            let differ = pairs.filter(|(_, (one, other))| !one.is_same(other));
            differ.map(move |(row, _)| chunk * CHUNK + row)
        });
        Some(rows.collect())
    }

    /// Where the key of a segment begins.
    pub fn key_start(&self, text: &SharedText, row: usize) -> Option<usize> {
        let Span { start, end } = self.row_span(row)?;
        let written = text.slice(start, end)?;
        Some(start + written.len() - written.trim_start_matches(' ').len())
    }

    /// Where a member of a segment's value begins, with its key; `None` where that takes a parser,
    /// `Some(None)` where there is no such member.
    pub fn member_start(&self, text: &SharedText, row: usize, key: &str) -> Option<Option<usize>> {
        let Span { start, end } = self.row_span(row).filter(|_| self.format == Format::Yaml)?;
        Some(plain::member_start(text.slice(start, end)?, key)?.map(|at| start + at))
    }

    /// Where the key of a segment is.
    pub fn key_span(&self, text: &SharedText, row: usize) -> Option<Span> {
        let Span { start, end } = self.row_span(row)?;
        match self.format {
            Format::Yaml => None,
            _ => json::key_len(text.slice(start, end)?).map(|len| Span { start, end: start + len }),
        }
    }

    /// The begin of the text, with as many segments as tell the manner in which it is written, as a
    /// text of its own.
    pub fn sample_text(&self, text: &str) -> Option<String> {
        let last = self.segment_at(SAMPLE).map_or(text.len(), |(span, _)| span.start);
        match self.format {
            Format::Yaml => text.get(..last).map(str::to_owned),
            _ if last == text.len() => Some(text.to_owned()),
            _ => text
                .get(..last)
                .map(|text| format!("{}}}}}", text.trim_end().trim_end_matches(','))),
        }
    }

    /// Where the segment of a row is in the text, from its key to its end.
    pub fn row_span(&self, row: usize) -> Option<Span> {
        self.segment_at(row).map(|(span, _)| span)
    }

    fn segment_at(&self, row: usize) -> Option<(Span, &Segment)> {
        let chunk = self.chunks.get(row / CHUNK)?;
        let segment = chunk.rows.get(row % CHUNK)?;
        Some((Span { start: chunk.start + segment.start, end: chunk.start + segment.end }, segment))
    }

    /// Whether a text in the place of a segment is one segment too.
    fn holds_one(&self, text: &str) -> bool {
        match self.format {
            Format::Yaml => yaml::holds_one(text),
            _ => true,
        }
    }
}

fn collect_members<'s>(members: impl Iterator<Item = Member<'s>>) -> Map<String, Value> {
    members
        .map(|member| (member.key.to_string(), Arc::unwrap_or_clone(member.value.parsed())))
        .collect()
}

/// What a segment of a text says; `None` where it cannot be read alone.
fn segment_content(format: Format, text: &str) -> Option<SegmentContent> {
    match format {
        Format::Yaml => yaml::segment_content(text),
        _ => json::segment_content(text),
    }
}
