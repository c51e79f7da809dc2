//! Images of answers: how large each is drawn, and of which cells.
//!
//! A view asks for an image by its file, and has no cells for it until the file is decoded, which
//! is done apart from the keys. Then the image is made of half blocks here, or its cells are kept
//! free for a window or a terminal that has pixels for it.

use std::{cell::RefCell, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect, style::Color};

use super::{
    canvas::Pen,
    placeholders,
    styles::{Role, Styles, colour_parts, nearest_index},
};
use crate::model::{
    content_part::ContentPart,
    image_pixels::{DecodedImage, ImagePixels},
};

/// What the text of a cell begins with that is kept free for a piece of an image. What is drawn
/// over it later has another.
pub const IMAGE_CELL: &str = placeholders::LETTER;

/// The upper and the lower half of a cell: the letters that images are made of in a terminal.
const HALVES: [&str; 2] = ["▀", "▄"];

/// The types of images that are drawn.
const DRAWN: &[&str] = &["image/png", "image/jpeg", "image/jpg"];

/// How many images of one answer are drawn: what is in sight needs no more than is kept.
pub(crate) const MOST_DRAWN: usize = 8;

/// How many numbers images get before the first one comes again.
const NUMBERS: u32 = 1 << 12;

/// What images are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageWay {
    /// Two pixels a cell, one above the other.
    HalfBlocks { is_indexed: bool },
    /// Cells are kept free, of so many pixels each in a row and in a column.
    Window { cell: (u16, u16) },
    /// The same in a terminal, which knows images by their numbers, from `first` on.
    Placeholders { cell: (u16, u16), first: u32 },
}

impl ImageWay {
    /// How many pixels a cell has in a row and in a column.
    fn cell(self) -> (usize, usize) {
        match self {
            Self::HalfBlocks { .. } => (1, 2),
            Self::Window { cell: (width, height) }
            | Self::Placeholders { cell: (width, height), .. } => {
                (usize::from(width.max(1)), usize::from(height.max(1)))
            }
        }
    }
}

/// An image where it is to be drawn by a window or a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePlace {
    /// The cells of it that are in view.
    pub area: Rect,
    /// How many rows of it are above these.
    pub above: u16,
    /// Columns and rows of all of it.
    pub cells: (u16, u16),
    pub pixels: Arc<ImagePixels>,
    /// How many of these there is room for, in a row and in a column.
    pub room: (usize, usize),
    /// Its number in that size; 0 in a window.
    pub number: u32,
}

/// A file that can be drawn, and what it is in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImageFile {
    pub words: String,
    pub file: Arc<[u8]>,
}

/// An image as large as a view has room for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaidImage {
    file: Arc<[u8]>,
    /// How large it is, or why it isn't drawn.
    pub words: String,
    pub role: Role,
    size: FittedSize,
}

impl LaidImage {
    /// How many rows of cells it takes.
    pub fn rows(&self) -> usize {
        self.size.cells.1.into()
    }
}

/// The images that are or were in sight.
#[derive(Debug, Default)]
pub struct ShownImages {
    /// `None`: none are drawn.
    way: Option<ImageWay>,
    drawing: RefCell<Drawing>,
}

#[derive(Debug, Default)]
struct Drawing {
    known: Vec<KnownImage>,
    /// Files that are not decoded yet.
    wanted: Vec<Arc<[u8]>>,
    /// What others are to draw.
    places: Vec<ImagePlace>,
    /// How many numbers were given.
    numbers: u32,
}

#[derive(Debug)]
struct KnownImage {
    file: Arc<[u8]>,
    /// The drawing asked for it.
    is_seen: bool,
    /// `None` while it is decoded.
    decoded: Option<Result<DecodedImage, String>>,
    blocks: Option<HalfBlocks>,
    /// The number that it has in that size.
    number: Option<(FittedSize, u32)>,
}

/// An image in colours, each of half a cell; `None` where the ground is seen.
#[derive(Debug)]
struct HalfBlocks {
    size: (usize, usize),
    ground: [u8; 3],
    colours: Vec<Option<Color>>,
}

impl ShownImages {
    /// From now on images are drawn in that way.
    pub fn show(&mut self, way: ImageWay) {
        self.way = Some(way);
    }

    /// What the last drawing left for a window or a terminal to draw.
    #[must_use]
    pub fn places(&self) -> Vec<ImagePlace> {
        self.drawing.borrow().places.clone()
    }

    /// The files that drawings asked for since this was called before.
    pub fn take_wanted(&mut self) -> Vec<Arc<[u8]>> {
        std::mem::take(&mut self.drawing.get_mut().wanted)
    }

    /// Takes in what became of a file, or why nothing did.
    pub fn take_in(&mut self, file: &Arc<[u8]>, decoded: Result<DecodedImage, String>) {
        let mut known = self.drawing.get_mut().known.iter_mut();
        if let Some(known) = known.find(|known| Arc::ptr_eq(&known.file, file)) {
            known.decoded = Some(decoded);
        }
    }

    /// A drawing begins: of too many images those stay that the one before it asked for.
    #[must_use]
    pub(crate) fn begun(mut self) -> Self {
        let drawing = self.drawing.get_mut();
        drawing.places.clear();
        if drawing.known.len() > MOST_DRAWN {
            drawing.known.retain(|known| known.is_seen);
        }
        for known in &mut drawing.known {
            known.is_seen = false;
        }
        self
    }

    /// What draws images, where they are drawn.
    pub(crate) fn if_shown(&self) -> Option<&Self> {
        self.way.map(|_| self)
    }

    /// How large an image is in a view that has room for so many columns and rows.
    pub(crate) fn lay(&self, file: &Arc<[u8]>, room: (u16, u16)) -> LaidImage {
        let mut drawing = self.drawing.borrow_mut();
        let (words, role, size) = match (&drawing.known(file).decoded, self.way) {
            (Some(Ok(DecodedImage { size, .. })), Some(way)) => {
                let words = format!("{} × {} pixels", size.0, size.1);
                (words, Role::Dim, FittedSize::new(*size, way.cell(), room))
            }
            (Some(Err(why)), _) => {
                (format!("can't be drawn: {why}"), Role::Warning, FittedSize::NONE)
            }
            _ => ("reading …".to_owned(), Role::Dim, FittedSize::NONE),
        };
        LaidImage { file: Arc::clone(file), words, role, size }
    }

    /// Draws what is in view of an image that begins in row `top`, where the view begins in row
    /// `first`.
    pub(crate) fn draw(
        &self,
        buffer: &mut Buffer,
        styles: &Styles,
        (view, first): (Rect, usize),
        (image, top): (&LaidImage, usize),
    ) {
        let seen = top.max(first)..(top + image.rows()).min(first + usize::from(view.height));
        let lines = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
        if seen.is_empty() {
            return;
        }
        let above = lines(seen.start - top);
        let area = Rect {
            x: view.x,
            y: view.y + lines(seen.start - first),
            width: image.size.cells.0.min(view.width),
            height: lines(seen.len()),
        };
        let mut drawing = self.drawing.borrow_mut();
        let known = drawing.known(&image.file);
        let (Some(Ok(decoded)), Some(way)) = (&known.decoded, self.way) else { return };
        match way {
            ImageWay::HalfBlocks { is_indexed } => {
                let size = image.size.pixels;
                let ground = styles[Role::Text].bg.and_then(colour_parts).unwrap_or_default();
                let is_it = |made: &&HalfBlocks| made.size == size && made.ground == ground;
                if known.blocks.as_ref().filter(is_it).is_none() {
                    let blocks = HalfBlocks::new(&decoded.pixels, size, ground, is_indexed);
                    known.blocks = Some(blocks);
                }
                if let Some(blocks) = &known.blocks {
                    blocks.draw(buffer, area, above);
                }
            }
            ImageWay::Window { .. } => {
                for row in 0..area.height {
                    let kept_free = IMAGE_CELL.repeat(usize::from(area.width));
                    Pen::new(buffer, area, row).put_text(&kept_free, styles[Role::Text]);
                }
                drawing.leave(image, area, above, 0);
            }
            ImageWay::Placeholders { first, .. } => {
                let number = first + drawing.number(image);
                placeholders::draw(buffer, area, above, number);
                drawing.leave(image, area, above, number);
            }
        }
    }
}

impl Drawing {
    /// What is known of a file; one that isn't decoded is asked for.
    fn known(&mut self, file: &Arc<[u8]>) -> &mut KnownImage {
        let at = self.known.iter().position(|known| Arc::ptr_eq(&known.file, file));
        let at = at.unwrap_or_else(|| {
            self.wanted.push(Arc::clone(file));
            let file = Arc::clone(file);
            let (decoded, blocks, number) = (None, None, None);
            self.known.push(KnownImage { file, is_seen: true, decoded, blocks, number });
            self.known.len() - 1
        });
        let known = &mut self.known[at];
        known.is_seen = true;
        known
    }

    /// The number of an image in the size that it has now.
    fn number(&mut self, image: &LaidImage) -> u32 {
        let next = self.numbers;
        let known = self.known(&image.file);
        match known.number {
            Some((size, number)) if size == image.size => number,
            _ => {
                known.number = Some((image.size, next));
                self.numbers = (next + 1) % NUMBERS;
                next
            }
        }
    }

    /// Leaves what is in view of an image to what is drawn on.
    fn leave(&mut self, image: &LaidImage, area: Rect, above: u16, number: u32) {
        let FittedSize { cells, pixels: room } = image.size;
        if let Some(Ok(decoded)) = &self.known(&image.file).decoded {
            let pixels = Arc::clone(&decoded.pixels);
            self.places.push(ImagePlace { area, above, cells, pixels, room, number });
        }
    }
}

impl HalfBlocks {
    fn new(image: &ImagePixels, size: (usize, usize), ground: [u8; 3], is_indexed: bool) -> Self {
        let colour = |pixel: &[u8]| {
            let alpha = u16::from(pixel[3]);
            let part = |at: usize| {
                let mixed = u16::from(pixel[at]) * alpha + u16::from(ground[at]) * (255 - alpha);
                u8::try_from((mixed + 127) / 255).unwrap_or(u8::MAX)
            };
            let colour = Color::Rgb(part(0), part(1), part(2));
            (alpha > 0).then(|| if is_indexed { nearest_index(colour) } else { colour })
        };
        let colours = image.scaled(size).bytes.chunks_exact(4).map(colour).collect();
        Self { size, ground, colours }
    }

    /// Draws the rows of cells that fit, from row `above` on.
    fn draw(&self, buffer: &mut Buffer, area: Rect, above: u16) {
        let colour = |column: u16, line: usize| {
            let column = Some(usize::from(column)).filter(|column| *column < self.size.0)?;
            self.colours.get(line * self.size.0 + column).copied().flatten()
        };
        let cells = (0..area.height).flat_map(|row| (0..area.width).map(move |at| (at, row)));
        for (column, row) in cells {
            let line = usize::from(above + row) * 2;
            let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) else { continue };
            match (colour(column, line), colour(column, line + 1)) {
                (None, None) => cell.set_symbol(" "),
                (None, Some(lower)) => cell.set_symbol(HALVES[1]).set_fg(lower),
                (Some(upper), None) => cell.set_symbol(HALVES[0]).set_fg(upper),
                (Some(upper), Some(lower)) => {
                    cell.set_symbol(HALVES[0]).set_fg(upper).set_bg(lower)
                }
            };
        }
    }
}

/// How large an image is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FittedSize {
    /// How many of its pixels, in a row and in a column.
    pixels: (usize, usize),
    /// Columns and rows.
    cells: (u16, u16),
}

impl FittedSize {
    /// That of an image which isn't drawn.
    const NONE: Self = Self { pixels: (0, 0), cells: (0, 0) };

    /// No more pixels than the image has, and no more cells than there is room for.
    fn new((width, height): (usize, usize), cell: (usize, usize), room: (u16, u16)) -> Self {
        let most = (usize::from(room.0) * cell.0, usize::from(room.1) * cell.1);
        if most.0 == 0 || most.1 == 0 {
            return Self::NONE;
        }
        let pixels = if width <= most.0 && height <= most.1 {
            (width, height)
        } else if width * most.1 >= height * most.0 {
            (most.0, (height * most.0 / width).max(1))
        } else {
            ((width * most.1 / height).max(1), most.1)
        };
        let cells =
            |pixels: usize, of: usize| u16::try_from(pixels.div_ceil(of)).unwrap_or(u16::MAX);
        Self { pixels, cells: (cells(pixels.0, cell.0), cells(pixels.1, cell.1)) }
    }
}

/// Whether a cell with that text may be a piece of an image: nothing that is read.
#[must_use]
pub(crate) fn is_image_cell(text: &str) -> bool {
    text.starts_with(IMAGE_CELL) || HALVES.contains(&text)
}

/// Those of some parts that are images which can be drawn, each with its number among them.
pub(crate) fn image_parts(parts: &[ContentPart]) -> impl Iterator<Item = (usize, ImageFile)> {
    parts.iter().enumerate().filter_map(|(at, part)| {
        let mime = part.mime.as_deref()?.to_lowercase();
        let file = part.bytes.clone().filter(|_| DRAWN.contains(&mime.as_str()))?;
        Some((at, ImageFile { words: part.summary(), file }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Theme;

    fn decoded(width: usize, height: usize, bytes: Vec<u8>) -> DecodedImage {
        let pixels = Arc::new(ImagePixels { width, height, bytes });
        DecodedImage { size: (width, height), pixels }
    }

    fn file(name: &str) -> Arc<[u8]> {
        name.as_bytes().into()
    }

    fn in_blocks(is_indexed: bool) -> ShownImages {
        let mut images = ShownImages::default();
        images.show(ImageWay::HalfBlocks { is_indexed });
        images
    }

    #[test]
    fn an_image_is_as_large_as_it_is_or_as_there_is_room_in_its_proportions() {
        let of = |size, room| FittedSize::new(size, (1, 2), room);
        let fitted = |pixels, cells| FittedSize { pixels, cells };
        assert_eq!(of((16, 16), (80, 24)), fitted((16, 16), (16, 8)), "an icon isn't enlarged");
        assert_eq!(of((3, 5), (80, 24)), fitted((3, 5), (3, 3)));
        assert_eq!(of((800, 400), (80, 24)), fitted((80, 40), (80, 20)), "as wide as the room");
        assert_eq!(of((400, 800), (80, 24)), fitted((24, 48), (24, 24)), "as high as the room");
        assert_eq!(of((8_000, 1), (80, 24)), fitted((80, 1), (80, 1)));
        assert_eq!(of((1, 8_000), (80, 24)), fitted((1, 48), (1, 24)));
        assert_eq!(of((16, 16), (0, 24)), FittedSize::NONE);
        let in_window = FittedSize::new((640, 480), (9, 20), (80, 40));
        assert_eq!(in_window, fitted((640, 480), (72, 24)));
    }

    #[test]
    fn two_pixels_share_a_cell_and_clear_ones_show_the_ground() {
        let theme = Theme::default();
        let (red, blue, clear) = ([255, 0, 0, 255], [0, 0, 255, 255], [9, 9, 9, 0]);
        let half = [255, 255, 255, 128];
        let bytes = [red, clear, half, blue, blue, clear].concat();
        let (mut images, file) = (in_blocks(false), file("a"));
        assert_eq!(images.lay(&file, (20, 5)).rows(), 0);
        assert_eq!(images.take_wanted(), std::slice::from_ref(&file));
        images.lay(&file, (20, 5));
        assert!(images.take_wanted().is_empty(), "it is asked for once");
        images.take_in(&file, Ok(decoded(3, 2, bytes)));
        let laid = images.lay(&file, (20, 5));
        assert_eq!((laid.words.as_str(), laid.rows()), ("3 × 2 pixels", 1));
        let mut buffer = Buffer::with_lines(["abcde", "fghij"]);
        let view = Rect::new(1, 1, 4, 1);
        images.draw(&mut buffer, &theme.styles, (view, 0), (&laid, 0));
        let cell = |column: u16| {
            let cell = &buffer[(column, 1)];
            (cell.symbol().to_owned(), cell.fg, cell.bg)
        };
        let rgb = |parts: [u8; 3]| Color::Rgb(parts[0], parts[1], parts[2]);
        assert_eq!(cell(0).0, "f");
        assert_eq!(cell(1), ("▀".into(), rgb([255, 0, 0]), rgb([0, 0, 255])));
        assert_eq!(cell(2), ("▄".into(), rgb([0, 0, 255]), Color::Reset));
        assert_eq!(cell(3), ("▀".into(), rgb([128, 128, 128]), Color::Reset), "over black");
        assert_eq!(cell(4).0, "j");
    }

    #[test]
    fn colours_are_those_of_the_terminal() {
        let bytes = [[255, 0, 0, 255], [0x16, 0x18, 0x1d, 255]].concat();
        let (mut images, file) = (in_blocks(true), file("a"));
        images.lay(&file, (9, 9));
        images.take_in(&file, Ok(decoded(1, 2, bytes)));
        let laid = images.lay(&file, (9, 9));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
        let view = buffer.area;
        images.draw(&mut buffer, &Theme::default().styles, (view, 0), (&laid, 0));
        assert_eq!(
            (buffer[(0, 0)].fg, buffer[(0, 0)].bg),
            (Color::Indexed(196), Color::Indexed(234))
        );
    }

    #[test]
    fn rows_that_are_scrolled_away_are_not_drawn() {
        let grey = |level: u8| [level, level, level, 255];
        let bytes = (1..=8).map(grey).collect::<Vec<_>>().concat();
        let (mut images, file) = (in_blocks(false), file("a"));
        images.lay(&file, (9, 9));
        images.take_in(&file, Ok(decoded(1, 8, bytes)));
        let laid = images.lay(&file, (9, 9));
        assert_eq!(laid.rows(), 4);
        let seen = |first: usize, top: usize| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 3));
            let view = buffer.area;
            images.draw(&mut buffer, &Theme::default().styles, (view, first), (&laid, top));
            let level = |row: u16| match buffer[(0, row)].fg {
                Color::Rgb(level, ..) => level,
                _ => 0,
            };
            [level(0), level(1), level(2)]
        };
        assert_eq!(seen(0, 0), [1, 3, 5]);
        assert_eq!(seen(2, 0), [5, 7, 0]);
        assert_eq!(seen(0, 2), [0, 0, 1]);
        assert_eq!(seen(4, 0), [0, 0, 0]);
        assert_eq!(seen(0, 3), [0, 0, 0]);
    }

    #[test]
    fn a_terminal_knows_an_image_by_a_number_for_each_size() {
        let mut images = ShownImages::default();
        images.show(ImageWay::Placeholders { cell: (10, 20), first: 0x1000 });
        let file = file("a");
        images.lay(&file, (40, 9));
        images.take_in(&file, Ok(decoded(200, 100, vec![9; 200 * 100 * 4])));
        let mut placed = |room: (u16, u16)| {
            images = std::mem::take(&mut images).begun();
            let laid = images.lay(&file, room);
            let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 9));
            let view = buffer.area;
            images.draw(&mut buffer, &Theme::default().styles, (view, 0), (&laid, 0));
            assert!(is_image_cell(buffer[(0, 0)].symbol()));
            let [place]: [ImagePlace; 1] = images.places().try_into().unwrap();
            (place.number, place.cells, place.room)
        };
        assert_eq!(placed((40, 9)), (0x1000, (20, 5), (200, 100)));
        assert_eq!(placed((40, 9)), (0x1000, (20, 5), (200, 100)));
        assert_eq!(placed((10, 9)), (0x1001, (10, 3), (100, 50)));
    }

    #[test]
    fn what_is_wrong_with_an_image_is_said() {
        let (mut images, file) = (in_blocks(false), file("a"));
        images.lay(&file, (9, 9));
        images.take_in(&file, Err("it ends too early".into()));
        let laid = images.lay(&file, (9, 9));
        assert_eq!(laid.words, "can't be drawn: it ends too early");
        assert_eq!((laid.role, laid.rows()), (Role::Warning, 0));
    }

    #[test]
    fn of_many_images_those_are_kept_that_are_in_sight() {
        let mut images = in_blocks(false);
        let files: Vec<_> = (0..20).map(|number| file(&number.to_string())).collect();
        for shown in files.chunks(4) {
            images = images.begun();
            for file in shown {
                images.lay(file, (9, 9));
                images.take_in(file, Err("broken".into()));
            }
        }
        let kept = images.drawing.get_mut().known.len();
        assert!(kept <= MOST_DRAWN + 4, "{kept}");
        images.take_wanted();
        images = images.begun();
        images.lay(&files[19], (9, 9));
        assert!(images.take_wanted().is_empty());
        images.lay(&files[0], (9, 9));
        assert_eq!(images.take_wanted(), std::slice::from_ref(&files[0]));
    }
}
