//! The text of an answer: in one piece while it is not long, then with all but its newest part
//! packed. 100 MB would take 100 MB otherwise, for as long as the answer may be looked at.

use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};

/// From this length on an answer is taken for a large one.
const LARGE: usize = 1024 * 1024;
/// Up to this length an answer is in one piece. A large one gets so much at once: enough that
/// allocators take it from the system by itself, let it grow where it is, and give it back. It costs
/// nothing until it is written to; growing by and by would leave a trail of holes as large as the
/// answer.
const WHOLE: usize = 64 * 1024 * 1024;
/// So much text is packed into one block: in 2 ms, and read again in half of one.
const BLOCK: usize = 128 * 1024;
/// How hard is tried: English takes 0.39 of its length. The level above takes 0.35 and three times
/// as long, the one below 0.51.
const LEVEL: u32 = 2;
/// With each new block so many are made of the piece that the answer began as, from its end: less
/// than a screen's frame of work.
const OLDER: usize = 2;
/// So many blocks are kept unpacked for who reads here and there.
const UNPACKED: usize = 8;

/// Text that grows at its end. Offsets are in bytes.
pub struct AnswerText {
    /// What begins the text and isn't packed.
    head: String,
    /// What follows it.
    packed: VecDeque<Block>,
    /// What follows these.
    tail: String,
    /// Up to which length it is in one piece, and how long a block is.
    sizes: (usize, usize),
    /// The blocks that were read last, by their starts.
    unpacked: Mutex<VecDeque<(usize, Arc<str>)>>,
}

/// A part of the text, packed.
#[derive(Clone)]
struct Block {
    start: usize,
    length: usize,
    bytes: Box<[u8]>,
}

impl Block {
    fn of(start: usize, text: &str) -> Self {
        // What can't be packed takes a little more than it is long.
        let mut packed = Vec::with_capacity(text.len() + text.len() / 8 + 64);
        let mut packing = Compress::new(Compression::new(LEVEL), false);
        let done = packing.compress_vec(text.as_bytes(), &mut packed, FlushCompress::Finish);
        debug_assert!(done.is_ok(), "{done:?}");
        Self { start, length: text.len(), bytes: packed.into() }
    }

    fn unpack(&self) -> Arc<str> {
        let mut text = Vec::with_capacity(self.length + 1);
        let read =
            Decompress::new(false).decompress_vec(&self.bytes, &mut text, FlushDecompress::Finish);
        let text = read.ok().and_then(|_| String::from_utf8(text).ok());
        // It was packed here, so there is text.
        text.map_or_else(|| "?".repeat(self.length).into(), Into::into)
    }

    fn end(&self) -> usize {
        self.start + self.length
    }
}

impl Default for AnswerText {
    fn default() -> Self {
        Self::with_sizes(WHOLE, BLOCK)
    }
}

impl Clone for AnswerText {
    fn clone(&self) -> Self {
        Self {
            head: self.head.clone(),
            packed: self.packed.clone(),
            tail: self.tail.clone(),
            sizes: self.sizes,
            unpacked: Mutex::default(),
        }
    }
}

impl AnswerText {
    /// A text that is packed beyond a length of its own, in blocks of such a length.
    #[must_use]
    pub(crate) fn with_sizes(whole: usize, block: usize) -> Self {
        Self {
            head: String::new(),
            packed: VecDeque::new(),
            tail: String::new(),
            sizes: (whole, block),
            unpacked: Mutex::default(),
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.tail_start() + self.tail.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn tail_start(&self) -> usize {
        self.packed.back().map_or(self.head.len(), Block::end)
    }

    /// The text in one piece; put together where parts of it are packed, which takes as much memory
    /// as it is long.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, str> {
        self.slice(0..self.len())
    }

    /// A part of the text. What reaches beyond the end is left out, and where a range begins or
    /// ends within a letter, that letter counts as behind its edge.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Cow<'_, str> {
        match self.bytes(self.floor_char_boundary(range.start)..self.floor_char_boundary(range.end))
        {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => String::from_utf8(bytes).unwrap_or_default().into(),
        }
    }

    /// The bytes of a part of the text; what reaches beyond the end is left out.
    #[must_use]
    pub fn bytes(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let (start, end) = (range.start.min(self.len()), range.end.min(self.len()));
        let tail_start = self.tail_start();
        if end <= self.head.len() {
            return self.head.as_bytes().get(start..end).unwrap_or_default().into();
        }
        if start >= tail_start {
            let within = start - tail_start..end.saturating_sub(tail_start);
            return self.tail.as_bytes().get(within).unwrap_or_default().into();
        }
        let mut bytes = Vec::with_capacity(end.saturating_sub(start));
        bytes.extend_from_slice(self.head.as_bytes().get(start..).unwrap_or_default());
        let first = self.packed.partition_point(|block| block.end() <= start);
        for block in self.packed.range(first..).take_while(|block| block.start < end) {
            let text = self.unpacked(block);
            let within = start.saturating_sub(block.start)..(end - block.start).min(block.length);
            bytes.extend_from_slice(text.as_bytes().get(within).unwrap_or_default());
        }
        let rest = ..end.saturating_sub(tail_start);
        bytes.extend_from_slice(self.tail.as_bytes().get(rest).unwrap_or_default());
        bytes.into()
    }

    /// The place itself, or where the letter begins that it is in.
    #[must_use]
    pub fn floor_char_boundary(&self, at: usize) -> usize {
        let is_within = |at: &usize| {
            self.bytes(*at..at + 1).first().is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000)
        };
        (0..=at.min(self.len())).rev().find(|at| !is_within(at)).unwrap_or(0)
    }

    /// The parts of the text that are read most cheaply, in order, from a place on.
    pub fn pieces(&self, from: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
        let blocks = self.packed.iter().map(|block| block.start..block.end());
        std::iter::once(0..self.head.len())
            .chain(blocks)
            .chain(std::iter::once(self.tail_start()..self.len()))
            .filter(move |piece| piece.end > from)
            .map(move |piece| piece.start.max(from)..piece.end)
    }

    fn unpacked(&self, block: &Block) -> Arc<str> {
        let mut unpacked = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = unpacked.iter().find(|(start, _)| *start == block.start) {
            return Arc::clone(text);
        }
        let text = block.unpack();
        unpacked.truncate(UNPACKED - 1);
        unpacked.push_front((block.start, Arc::clone(&text)));
        text
    }

    /// Takes in what comes next.
    pub(crate) fn push_str(&mut self, text: &str) {
        let (whole, block) = self.sizes;
        let is_packed = !self.tail.is_empty() || !self.packed.is_empty();
        if !is_packed && self.head.len() + text.len() <= whole {
            self.make_room(text.len());
            return self.head.push_str(text);
        }
        let mut rest = text;
        while !rest.is_empty() {
            let room = rest.floor_char_boundary(block.saturating_sub(self.tail.len()));
            let (now, later) = rest.split_at(if room == 0 { first_length(rest) } else { room });
            self.tail.push_str(now);
            rest = later;
            if self.tail.len() >= block {
                self.pack();
            }
        }
    }

    fn make_room(&mut self, more: usize) {
        let wanted = self.head.len() + more;
        if wanted > LARGE && wanted > self.head.capacity() {
            // Where there is not so much, it grows as far as it can.
            let _ = self.head.try_reserve_exact(WHOLE.max(wanted) - self.head.len());
        }
    }

    /// Packs the newest part, and some of what was in one piece.
    fn pack(&mut self) {
        let (_, block) = self.sizes;
        self.packed.push_back(Block::of(self.tail_start(), &self.tail));
        self.tail.clear();
        for _ in 0..OLDER {
            let cut = self.head.floor_char_boundary(self.head.len().saturating_sub(block));
            if cut < self.head.len() {
                self.packed.push_front(Block::of(cut, &self.head[cut..]));
                self.head.truncate(cut);
            }
        }
        self.head.shrink_to_fit();
    }

    /// Gives back the room that is not needed: nothing comes any more.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.head.shrink_to_fit();
        self.tail.shrink_to_fit();
    }
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

impl From<&str> for AnswerText {
    fn from(text: &str) -> Self {
        let mut answer = Self::default();
        answer.push_str(text);
        answer
    }
}

impl fmt::Debug for AnswerText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole().fmt(f)
    }
}

impl PartialEq<str> for AnswerText {
    fn eq(&self, other: &str) -> bool {
        self.len() == other.len() && self.whole() == other
    }
}

impl PartialEq<&str> for AnswerText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_packed_text_reads_as_one_in_one_piece(
            pieces in prop::collection::vec("[a-z]{0,9}|[é€😀]{0,5}|x{20,60}", 0..30),
            whole in 0_usize..80, block in 1_usize..20, from in 0_usize..200, length in 0_usize..90,
        ) {
            let mut text = AnswerText::with_sizes(whole, block);
            for piece in &pieces {
                text.push_str(piece);
            }
            let plain = pieces.concat();
            prop_assert_eq!((text.len(), text.is_empty()), (plain.len(), plain.is_empty()));
            prop_assert!(text == *plain && text.clone() == *plain);
            prop_assert_eq!(text.packed.is_empty() && text.tail.is_empty(), plain.len() <= whole);
            let to = from + length;
            let (start, end) = (plain.floor_char_boundary(from), plain.floor_char_boundary(to));
            prop_assert_eq!(&*text.slice(from..to), &plain[start..end]);
            let (start, end) = (from.min(plain.len()), to.min(plain.len()));
            prop_assert_eq!(&*text.bytes(from..to), &plain.as_bytes()[start..end]);
            let there: String = text.pieces(0).map(|piece| text.slice(piece).into_owned()).collect();
            prop_assert_eq!(&there, &plain);
            let joined = text.pieces(from).try_fold(from, |at, piece| (piece.start == at).then_some(piece.end));
            prop_assert_eq!(joined, Some(plain.len().max(from)));
        }
    }

    #[test]
    fn a_long_text_takes_less_than_it_is_long() {
        let line = "data: {\"id\": 17, \"text\": \"a row that is as wide as others are\"}\n";
        let mut text = AnswerText::with_sizes(64 * 1024, 1024);
        let mut most = 0;
        for _ in 0..4_000 {
            text.push_str(line);
            let packed: usize = text.packed.iter().map(|block| block.bytes.len()).sum();
            most = most.max(text.head.len() + text.tail.len() + packed);
        }
        assert_eq!((text.len(), &*text.head), (4_000 * line.len(), ""));
        assert!(most < 80 * 1024, "{most} bytes for {}", text.len());
        assert!(text.tail.len() <= 1024 + line.len());
    }
}
