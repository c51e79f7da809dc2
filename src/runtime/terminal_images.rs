//! Images in a terminal that has pixels for them, by kitty's graphics protocol: each is sent once,
//! and cells that are drawn as any others say where it is seen. Nothing is asked, so nothing has to
//! be answered.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compress, Compression, FlushCompress};

use crate::ui::images::{ImagePlace, ImageWay};

/// So many letters are sent in one sequence.
const PIECE: usize = 4096;
/// So many pixels of an image are sent: what is written to the terminal holds up its next picture.
const MOST_SENT: usize = 1 << 19;
/// So many images the terminal keeps that are not in sight.
const MOST_KEPT: usize = 8;
/// The pixels of a cell, where the terminal doesn't say how many it has.
const CELL: (u16, u16) = (10, 20);

/// Parts of the names of terminals that know placeholders.
const TERMINALS: [&str; 2] = ["kitty", "ghostty"];

/// How images are drawn by the terminal itself, if it says by its name that it can. tmux and screen
/// draw cells of their own, and marks such as `KITTY_WINDOW_ID` are inherited by other terminals.
pub(super) fn terminal_way(variable: impl Fn(&str) -> Option<String>) -> Option<ImageWay> {
    let names_one = |name: String| TERMINALS.iter().any(|part| name.to_lowercase().contains(part));
    let between = ["TMUX", "STY", "VIM_TERMINAL", "NVIM"];
    let is_direct = between.iter().all(|name| variable(name).is_none_or(|value| value.is_empty()));
    let names = ["TERM", "TERM_PROGRAM"];
    let is_known = names.iter().filter_map(|name| variable(name)).any(names_one);
    let term = variable("TERM").unwrap_or_default();
    let is_wrapped = ["tmux", "screen"].iter().any(|part| term.starts_with(part));
    (is_known && is_direct && !is_wrapped).then(|| ImageWay::Placeholders {
        cell: cell_pixels().unwrap_or(CELL),
        // Images of other programs in the same terminal keep their numbers.
        first: (1 + std::process::id() % 4095) << 12,
    })
}

/// How many pixels a cell has, in a row and in a column.
fn cell_pixels() -> Option<(u16, u16)> {
    let size = crossterm::terminal::window_size().ok()?;
    let cell = (size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?);
    (cell.0 > 0 && cell.1 > 0).then_some(cell)
}

/// The images that the terminal has, by their numbers, those that were in sight last at the end.
#[derive(Default)]
pub(super) struct SentImages(Vec<u32>);

impl SentImages {
    /// What the terminal needs before it shows these.
    pub fn show(&mut self, places: &[ImagePlace]) -> String {
        let mut sequences = String::new();
        for place in places {
            let before = self.0.len();
            self.0.retain(|number| *number != place.number);
            if self.0.len() == before {
                sequences.push_str(&sending(place));
            }
            self.0.push(place.number);
        }
        let old = self.0.len().saturating_sub(MOST_KEPT.max(places.len()));
        sequences.extend(self.0.drain(..old).map(deleting));
        sequences
    }

    /// What takes all of them away.
    pub fn forget(&mut self) -> String {
        self.0.drain(..).map(deleting).collect()
    }
}

fn deleting(number: u32) -> String {
    format!("\x1b_Ga=d,d=I,i={number},q=2\x1b\\")
}

/// The image in as many pixels as there is room for, packed, in pieces.
fn sending(place: &ImagePlace) -> String {
    let image = place.pixels.scaled(place.room).at_most(MOST_SENT);
    let (columns, rows) = place.cells;
    let mut head = format!(
        "a=T,U=1,q=2,i={},f=32,o=z,s={},v={},c={columns},r={rows},",
        place.number, image.width, image.height
    );
    let text = STANDARD.encode(packed(&image.bytes));
    let mut sequences = String::with_capacity(text.len() + text.len() / PIECE * 16 + 128);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (piece, next) = rest.split_at(PIECE.min(rest.len()));
        let more = u8::from(!next.is_empty());
        sequences.push_str(&format!("\x1b_G{head}m={more};{piece}\x1b\\"));
        (head, rest) = ("q=2,".to_owned(), next);
    }
    sequences
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    // What can't be packed takes a little more than it is long.
    let mut packed = Vec::with_capacity(bytes.len() + bytes.len() / 8 + 64);
    let mut packing = Compress::new(Compression::fast(), true);
    let done = packing.compress_vec(bytes, &mut packed, FlushCompress::Finish);
    debug_assert!(done.is_ok(), "{done:?}");
    packed
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flate2::{Decompress, FlushDecompress};
    use ratatui::layout::Rect;

    use super::*;
    use crate::model::image_pixels::ImagePixels;

    fn way(variables: &[(&str, &str)]) -> bool {
        let way = terminal_way(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        way.is_some()
    }

    fn place(number: u32, (width, height): (usize, usize)) -> ImagePlace {
        // Few pixels are alike, so that it takes some pieces.
        let byte = |at: usize| match at % 4 {
            3 => 255,
            _ => u8::try_from((at * at / 7 + at) % 251).unwrap(),
        };
        let bytes = (0..width * height * 4).map(byte).collect();
        ImagePlace {
            area: Rect::new(0, 0, 2, 1),
            above: 0,
            cells: (2, 1),
            pixels: Arc::new(ImagePixels { width, height, bytes }),
            room: (width, height),
            number,
        }
    }

    #[test]
    fn a_terminal_is_known_by_its_name_and_not_behind_another() {
        assert!(way(&[("TERM", "xterm-kitty")]) && way(&[("TERM", "xterm-ghostty")]));
        assert!(way(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "ghostty")]));
        assert!(!way(&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")]), "inherited");
        assert!(!way(&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "ghostty")]));
        assert!(!way(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")]));
        assert!(!way(&[("TERM", "screen"), ("TERM_PROGRAM", "kitty")]));
        assert!(!way(&[("TERM", "xterm")]) && !way(&[]));
    }

    #[test]
    fn an_image_is_sent_once_in_pieces_and_goes_when_others_come() {
        let mut sent = SentImages::default();
        let first = place(7, (60, 60));
        let sequences = sent.show(std::slice::from_ref(&first));
        let begin = "\x1b_Ga=T,U=1,q=2,i=7,f=32,o=z,s=60,v=60,c=2,r=1,m=1;";
        assert!(sequences.starts_with(begin), "{:?}", &sequences[..60]);
        let pieces: Vec<&str> = sequences.split_terminator("\x1b\\").collect();
        assert!(pieces.len() > 1);
        let text: String =
            pieces.iter().filter_map(|piece| Some(piece.split_once(';')?.1)).collect();
        assert!(pieces.iter().all(|piece| piece.split_once(';').unwrap().1.len() <= PIECE));
        assert!(pieces.last().unwrap().starts_with("\x1b_Gq=2,m=0;"));
        let mut bytes = Vec::with_capacity(60 * 60 * 4 + 1);
        let packed = STANDARD.decode(text).unwrap();
        let mut unpacking = Decompress::new(true);
        unpacking.decompress_vec(&packed, &mut bytes, FlushDecompress::Finish).unwrap();
        assert_eq!(bytes, first.pixels.bytes);
        assert_eq!(sent.show(std::slice::from_ref(&first)), "", "the terminal has it");
        assert_eq!(sent.show(&[]), "", "it may come into sight again");
        for number in 10..18 {
            let gone = sent.show(&[place(number, (2, 2))]).contains("a=d,d=I,i=7,q=2");
            assert_eq!(gone, number == 17, "{number}");
        }
        assert_eq!(sent.forget().matches("a=d,").count(), MOST_KEPT);
        assert_eq!(sent.forget(), "");
    }

    #[test]
    fn of_a_large_image_no_more_is_sent_than_the_terminal_takes_at_once() {
        let sequences = sending(&place(1, (1_000, 800)));
        let head = sequences.split_once(';').unwrap().0;
        assert!(head.contains("s=809,v=647,"), "{head}");
    }
}
