//! Pictures of the screen as pixels: only rows that differ from those before are drawn.

use std::{borrow::Cow, iter, ops::Range, rc::Rc, sync::Arc};

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Position,
    style::Modifier,
};

use super::{
    arabic,
    bidi::{drawn_order, mirrored},
    cells::CellSize,
    colours::{Ground, Pixel, cell_colours, mix, rgb},
    fonts::{Face, Fonts},
    glyphs::{Glyph, Glyphs, fitted_image, to_signed},
};
use crate::{
    model::image_pixels::ImagePixels,
    ui::{
        canvas::text_width,
        images::{IMAGE_CELL, ImagePlace},
        selection::Selection,
    },
};

/// What the window shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scene {
    pub buffer: Buffer,
    /// Where text is typed.
    pub cursor: Option<Position>,
    pub images: Vec<ImagePlace>,
    /// What an input method has of a text that is not typed yet.
    pub preedit: String,
    pub selection: Option<Selection>,
    pub ground: Ground,
}

impl Scene {
    /// The cell of the buffer that is drawn at a place of the screen, by column and row: another one
    /// where text is read from right to left.
    pub fn cell_drawn_at(&self, (column, row): (u16, u16)) -> (u16, u16) {
        let drawn = row_pieces(self, row).into_iter().find_map(|piece| {
            let within = usize::from(column).checked_sub(piece.column)?;
            (within < piece.cells).then_some(piece.place + within)
        });
        let cell = drawn.and_then(|cell| u16::try_from(cell).ok());
        (cell.unwrap_or(column), row)
    }
}

pub(super) struct Painter {
    glyphs: Glyphs,
    /// The rows that are in the frame; `None`: nothing is.
    drawn: Option<Scene>,
    frame: Frame,
    fitted: Vec<FittedImage>,
}

/// An image made as large as its cells have room for.
struct FittedImage {
    image: Arc<ImagePixels>,
    room: CellSize,
    picture: Rc<Glyph>,
}

/// How many of these are kept.
const MOST_FITTED: usize = 8;

/// Pixels in rows.
#[derive(Default)]
struct Frame {
    width: usize,
    height: usize,
    pixels: Vec<Pixel>,
}

impl Painter {
    pub fn new(fonts: Fonts, letter_size: f32) -> Self {
        Self {
            glyphs: Glyphs::new(fonts, letter_size),
            drawn: None,
            frame: Frame::default(),
            fitted: Vec::new(),
        }
    }

    pub fn cell(&self) -> CellSize {
        self.glyphs.cell()
    }

    /// Draws letters of that size from now on.
    pub fn set_letter_size(&mut self, size: f32) {
        if self.glyphs.size().to_bits() != size.to_bits() {
            self.glyphs.set_size(size);
            self.drawn = None;
        }
    }

    /// The system's fonts were read: what was blank may have a glyph.
    pub fn draw_again(&mut self) {
        self.glyphs.forget();
        self.drawn = None;
    }

    /// The whole frame, row by row.
    pub fn pixels(&self) -> &[Pixel] {
        &self.frame.pixels
    }

    /// Draws a scene for a window of that size; answers which rows of pixels changed.
    pub fn paint(&mut self, scene: &Scene, (width, height): (usize, usize)) -> Vec<Range<usize>> {
        if (self.frame.width, self.frame.height) != (width, height) {
            self.frame = Frame { width, height, pixels: vec![0; width * height] };
            self.drawn = None;
        }
        let before = self.drawn.take();
        let before = before.filter(|before| before.buffer.area == scene.buffer.area);
        let rows = scene.buffer.area.height;
        let mut changed: Vec<Range<usize>> = Vec::new();
        for row in 0..rows {
            if before.as_ref().is_some_and(|before| is_same_row(before, scene, row)) {
                continue;
            }
            let lines = self.paint_row(scene, row);
            match changed.last_mut() {
                Some(last) if last.end == lines.start => last.end = lines.end,
                _ => changed.push(lines),
            }
        }
        self.drawn = Some(scene.clone());
        changed
    }

    fn paint_row(&mut self, scene: &Scene, row: u16) -> Range<usize> {
        let cell = self.glyphs.cell();
        let top = usize::from(row) * cell.height;
        let is_last = row + 1 == scene.buffer.area.height;
        let bottom = if is_last { self.frame.height } else { top + cell.height };
        let lines = top.min(self.frame.height)..bottom.min(self.frame.height);
        let visible = lines.start..(top + cell.height).min(lines.end);
        let pieces = row_pieces(scene, row);
        // Backgrounds first: letters may reach beyond their cells.
        for piece in &pieces {
            let columns = piece.columns(cell);
            self.frame.fill(columns.start..columns.end, visible.clone(), piece.colours.back);
            if piece.column + piece.cells >= usize::from(scene.buffer.area.width) {
                self.frame.fill(columns.end..self.frame.width, visible.clone(), piece.colours.back);
                // What is left below the last row belongs to no cell of it.
                let below = visible.end..lines.end;
                self.frame.fill(0..self.frame.width, below, piece.colours.back);
            }
        }
        for piece in &pieces {
            self.paint_piece(piece, top, &visible);
        }
        self.paint_images(scene, row, &visible);
        if let Some(at) = scene.cursor.filter(|at| at.y == row) {
            let thick = (cell.width / 6).max(1);
            let column = usize::from(at.x);
            let under = pieces
                .iter()
                .find(|piece| (piece.place..piece.place + piece.cells).contains(&column));
            let (left, colour) = match under {
                // What is typed comes before the letter, which is to its right there.
                Some(piece) if piece.is_turned => {
                    (piece.columns(cell).end.saturating_sub(thick), piece.colours.text)
                }
                Some(piece) => (piece.columns(cell).start, piece.colours.text),
                None => (column * cell.width, scene.ground.text),
            };
            self.frame.fill(left..left + thick, visible, colour);
        }
        lines
    }

    /// Draws what a row has of images: where nothing lies over them.
    fn paint_images(&mut self, scene: &Scene, row: u16, visible: &Range<usize>) {
        let cell = self.glyphs.cell();
        for image in &scene.images {
            let area = image.area;
            if !(area.y..area.bottom()).contains(&row) {
                continue;
            }
            let (columns, rows) = image.cells;
            let room = CellSize {
                width: usize::from(columns) * cell.width,
                height: usize::from(rows) * cell.height,
            };
            let picture = self.fitted(image, room);
            let top = to_signed(usize::from(area.y) * cell.height)
                - to_signed(usize::from(image.above) * cell.height);
            let place = (to_signed(usize::from(area.x) * cell.width), top);
            let cells = row_cells(&scene.buffer, row);
            let is_free = |column: u16| {
                cells.get(usize::from(column)).is_some_and(|cell| cell.symbol() == IMAGE_CELL)
            };
            let mut from = area.x;
            for column in area.x..=area.right() {
                if column < area.right() && is_free(column) {
                    continue;
                }
                let columns = usize::from(from) * cell.width..usize::from(column) * cell.width;
                self.frame.lay(&picture, place, (&columns, visible), 0);
                from = column + 1;
            }
        }
    }

    /// An image as large as its cells have room for; the last few are kept.
    fn fitted(&mut self, image: &ImagePlace, room: CellSize) -> Rc<Glyph> {
        let is_it =
            |kept: &FittedImage| Arc::ptr_eq(&kept.image, &image.pixels) && kept.room == room;
        if let Some(kept) = self.fitted.iter().find(|kept| is_it(kept)) {
            return Rc::clone(&kept.picture);
        }
        let picture = Rc::new(fitted_image(&image.pixels, room));
        if self.fitted.len() >= MOST_FITTED {
            self.fitted.remove(0);
        }
        let image = Arc::clone(&image.pixels);
        self.fitted.push(FittedImage { image, room, picture: Rc::clone(&picture) });
        picture
    }

    fn paint_piece(&mut self, piece: &Piece<'_>, top: usize, visible: &Range<usize>) {
        let cell = self.glyphs.cell();
        let columns = piece.columns(cell);
        let colour = piece.colours.text;
        if !piece.text.trim().is_empty() && piece.text != IMAGE_CELL {
            let glyph = self.glyphs.glyph(&piece.shown_text(), piece.face, piece.cells > 1);
            let everywhere = 0..usize::MAX;
            let place = (to_signed(columns.start), to_signed(top));
            self.frame.lay(&glyph, place, (&everywhere, visible), colour);
        }
        let thick = (cell.height / 18).max(1);
        let baseline = usize::try_from(self.glyphs.baseline()).unwrap_or(0);
        let mut draw_line = |at: usize| {
            let lines = top + at..top + at + thick;
            let lines = lines.start.max(visible.start)..lines.end.min(visible.end);
            self.frame.fill(columns.clone(), lines, colour);
        };
        if piece.modifier.contains(Modifier::UNDERLINED) {
            draw_line((baseline + 1 + thick / 2).min(cell.height.saturating_sub(thick)));
        }
        if piece.modifier.contains(Modifier::CROSSED_OUT) {
            draw_line(baseline.saturating_sub(cell.height / 4));
        }
    }
}

/// The text of one cell, or of two, and how it looks.
struct Piece<'a> {
    text: &'a str,
    /// Its column in the buffer.
    place: usize,
    /// The column where it is drawn.
    column: usize,
    cells: usize,
    face: Face,
    modifier: Modifier,
    colours: Ground,
    /// It is read from right to left.
    is_turned: bool,
    /// The shape that its letter has beside its neighbours, where it has several.
    shape: Option<char>,
}

impl Piece<'_> {
    /// The columns of pixels that it takes.
    fn columns(&self, cell: CellSize) -> Range<usize> {
        self.column * cell.width..(self.column + self.cells) * cell.width
    }

    /// Its text as it is drawn: the letter in its shape, with its marks.
    fn shown_text(&self) -> Cow<'_, str> {
        match self.shape {
            Some(shape) => Cow::Owned(iter::once(shape).chain(self.text.chars().skip(1)).collect()),
            None => Cow::Borrowed(self.text),
        }
    }
}

fn row_cells(buffer: &Buffer, row: u16) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::from(row) * width;
    buffer.content().get(start..start + width).unwrap_or_default()
}

fn row_pieces(scene: &Scene, row: u16) -> Vec<Piece<'_>> {
    let cells = row_cells(&scene.buffer, row);
    let mut pieces = Vec::with_capacity(cells.len());
    let selected = scene.selection.and_then(|selection| selection.columns_in(row));
    let mut column = 0;
    while let Some(cell) = cells.get(column) {
        let text = cell.symbol();
        let count = text_width(text).clamp(1, 2).min(cells.len() - column);
        let mut colours = cell_colours(cell, scene.ground);
        let at = u16::try_from(column).unwrap_or(u16::MAX);
        if selected.as_ref().is_some_and(|columns| columns.contains(&at)) {
            colours = Ground { text: colours.back, back: colours.text };
        }
        pieces.push(Piece {
            text,
            place: column,
            column,
            cells: count,
            face: Face {
                is_bold: cell.modifier.contains(Modifier::BOLD),
                is_italic: cell.modifier.contains(Modifier::ITALIC),
            },
            modifier: cell.modifier,
            colours,
            is_turned: false,
            shape: None,
        });
        column += count;
    }
    if let Some(at) = scene.cursor.filter(|at| at.y == row && !scene.preedit.is_empty()) {
        lay_preedit(&mut pieces, scene, usize::from(at.x));
    }
    turn_pieces(&mut pieces);
    pieces
}

/// Puts what is read from right to left where it is drawn.
fn turn_pieces(pieces: &mut [Piece<'_>]) {
    let texts: Vec<&str> = pieces.iter().map(|piece| piece.text).collect();
    let Some(order) = drawn_order(&texts) else { return };
    let letters: Vec<Option<char>> = texts.iter().map(|text| text.chars().next()).collect();
    let letter_at = |index: usize| letters.get(index).copied().flatten();
    let mut column = 0;
    for (index, is_turned) in order {
        let before = index.checked_sub(1).and_then(letter_at);
        let piece = &mut pieces[index];
        (piece.column, piece.is_turned) = (column, is_turned);
        piece.shape =
            letter_at(index).and_then(|letter| arabic::shape(before, letter, letter_at(index + 1)));
        if is_turned {
            piece.text = mirrored(piece.text);
        }
        column += piece.cells;
    }
}

/// Puts what an input method has over the cells from the cursor on.
fn lay_preedit<'a>(pieces: &mut Vec<Piece<'a>>, scene: &'a Scene, from: usize) {
    let mut column = from;
    for (start, letter) in scene.preedit.char_indices() {
        let text = &scene.preedit[start..start + letter.len_utf8()];
        let cells = text_width(text).clamp(1, 2);
        let end = column + cells;
        let Some(under) = pieces.iter().find(|piece| piece.column + piece.cells > column) else {
            return;
        };
        let colours = under.colours;
        pieces.retain(|piece| piece.column + piece.cells <= column || piece.column >= end);
        let place = pieces.partition_point(|piece| piece.column < column);
        let piece = Piece {
            text,
            place: column,
            column,
            cells,
            face: Face::default(),
            modifier: Modifier::UNDERLINED,
            colours,
            is_turned: false,
            shape: None,
        };
        pieces.insert(place, piece);
        column = end;
    }
}

fn is_same_row(before: &Scene, now: &Scene, row: u16) -> bool {
    let cursor = |scene: &Scene| scene.cursor.filter(|at| at.y == row).map(|at| at.x);
    let preedit = |scene: &'_ Scene| cursor(scene).map(|_| scene.preedit.clone());
    let selected = |scene: &Scene| scene.selection.and_then(|selection| selection.columns_in(row));
    before.ground == now.ground
        && cursor(before) == cursor(now)
        && preedit(before) == preedit(now)
        && selected(before) == selected(now)
        && before.images == now.images
        && row_cells(&before.buffer, row) == row_cells(&now.buffer, row)
}

impl Frame {
    fn fill(&mut self, columns: Range<usize>, lines: Range<usize>, colour: Pixel) {
        let (left, right) = (columns.start.min(self.width), columns.end.min(self.width));
        if left >= right {
            return;
        }
        for line in lines.start..lines.end.min(self.height) {
            let start = line * self.width;
            self.pixels[start + left..start + right].fill(colour);
        }
    }

    /// Lays a glyph over what is there, within some columns and lines.
    fn lay(
        &mut self,
        glyph: &Glyph,
        (left, top): (i32, i32),
        (columns, visible): (&Range<usize>, &Range<usize>),
        colour: Pixel,
    ) {
        let bytes = if glyph.is_coloured { 4 } else { 1 };
        if glyph.width == 0 {
            return;
        }
        for (row, levels) in glyph.pixels.chunks_exact(glyph.width * bytes).enumerate() {
            let line = top + glyph.top + to_signed(row);
            let Some(line) = usize::try_from(line).ok().filter(|line| visible.contains(line))
            else {
                continue;
            };
            for (column, level) in levels.chunks_exact(bytes).enumerate() {
                let at = left + glyph.left + to_signed(column);
                let at = usize::try_from(at).ok();
                let Some(at) = at.filter(|at| *at < self.width && columns.contains(at)) else {
                    continue;
                };
                let pixel = &mut self.pixels[line * self.width + at];
                *pixel = match *level {
                    [level] => mix(*pixel, colour, level),
                    [red, green, blue, alpha] => mix(*pixel, rgb(red, green, blue), alpha),
                    _ => *pixel,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Style};

    use super::*;

    fn scene(lines: &[&str]) -> Scene {
        let buffer = Buffer::with_lines(lines.iter().copied());
        let (preedit, ground, images) = (String::new(), Ground::DARK, Vec::new());
        Scene { buffer, cursor: None, images, preedit, selection: None, ground }
    }

    fn painter() -> Painter {
        Painter::new(Fonts::new(|| {}), 15.0)
    }

    /// Paints for a window that the cells fill with a border of a few pixels.
    fn paint(painter: &mut Painter, scene: &Scene) -> Vec<Range<usize>> {
        let cell = painter.cell();
        let area = scene.buffer.area;
        let size =
            (usize::from(area.width) * cell.width + 3, usize::from(area.height) * cell.height + 5);
        painter.paint(scene, size)
    }

    fn pixel(painter: &Painter, x: usize, y: usize) -> Pixel {
        painter.frame.pixels[y * painter.frame.width + x]
    }

    #[test]
    fn only_rows_that_changed_are_drawn() {
        let mut painter = painter();
        let height = painter.cell().height;
        let whole = height * 3 + 5;
        let mut shown = scene(&["one", "two", "six"]);
        assert_eq!(paint(&mut painter, &shown), std::iter::once(0..whole).collect::<Vec<_>>());
        assert!(paint(&mut painter, &shown).is_empty());
        shown.buffer.set_string(0, 1, "tWo", Style::new());
        assert_eq!(
            paint(&mut painter, &shown).as_slice(),
            std::slice::from_ref(&(height..height * 2))
        );
        shown.cursor = Some(Position::new(1, 2));
        assert_eq!(
            paint(&mut painter, &shown).as_slice(),
            std::slice::from_ref(&(height * 2..whole))
        );
        shown.cursor = Some(Position::new(0, 0));
        assert_eq!(paint(&mut painter, &shown), [0..height, height * 2..whole]);
        painter.set_letter_size(20.0);
        assert_eq!(paint(&mut painter, &shown).len(), 1, "all of it");
    }

    #[test]
    fn what_is_drawn_does_not_depend_on_what_was_before() {
        let mut one = painter();
        paint(&mut one, &scene(&["漢字 W", "ABCDEF"]));
        let mut shown = scene(&["      ", "a │─┼ "]);
        shown.buffer.set_style(shown.buffer.area, Style::new().bg(Color::Rgb(1, 2, 3)));
        paint(&mut one, &shown);
        let mut two = painter();
        paint(&mut two, &shown);
        assert_eq!(one.frame.pixels, two.frame.pixels);
        let cell = one.cell();
        let background = rgb(1, 2, 3);
        assert_eq!(pixel(&one, 0, 0), background);
        assert_eq!(
            pixel(&one, one.frame.width - 1, one.frame.height - 1),
            background,
            "the border"
        );
        let in_row = |x: usize| (cell.height..cell.height * 2).map(move |y| (x, y));
        assert!(
            in_row(2 * cell.width + cell.width / 2).all(|(x, y)| pixel(&one, x, y) != background)
        );
    }

    #[test]
    fn what_is_left_below_the_last_row_has_its_ground_and_not_that_of_each_cell() {
        let mut painter = painter();
        let mut shown = scene(&["NAV   "]);
        let cell = painter.cell();
        shown.buffer.set_style(shown.buffer.area, Style::new().bg(Color::Rgb(1, 2, 3)));
        let badge = ratatui::layout::Rect::new(0, 0, 3, 1);
        shown.buffer.set_style(badge, Style::new().bg(Color::Rgb(9, 9, 9)));
        paint(&mut painter, &shown);
        assert_eq!(pixel(&painter, 0, cell.height - 1), rgb(9, 9, 9));
        for x in [0, 4 * cell.width, painter.frame.width - 1] {
            assert_eq!(pixel(&painter, x, painter.frame.height - 1), rgb(1, 2, 3), "{x}");
        }
    }

    #[test]
    fn selected_text_and_the_cursor_stand_out() {
        let mut painter = painter();
        let mut shown = scene(&["    "]);
        let cell = painter.cell();
        shown.cursor = Some(Position::new(2, 0));
        paint(&mut painter, &shown);
        assert_eq!(pixel(&painter, 2 * cell.width, 1), Ground::DARK.text);
        assert_eq!(pixel(&painter, 3 * cell.width, 1), Ground::DARK.back);
        let mut selection = Selection::at((0, 0), ratatui::layout::Rect::new(0, 0, 80, 24));
        selection.extend_to((1, 0));
        shown.selection = Some(selection);
        paint(&mut painter, &shown);
        assert_eq!(pixel(&painter, 1, 1), Ground::DARK.text);
    }

    #[test]
    fn arabic_letters_are_drawn_joined_with_their_marks() {
        let shown = scene(&["x نَص"]);
        let mut pieces = row_pieces(&shown, 0);
        pieces.sort_by_key(|piece| piece.column);
        let drawn: Vec<_> = pieces.iter().map(Piece::shown_text).collect();
        assert_eq!(drawn, ["x", " ", "\u{feba}", "\u{fee7}\u{64e}"]);
    }

    #[test]
    fn an_input_methods_text_lies_over_the_cells_at_the_cursor() {
        let mut shown = scene(&["abcdef"]);
        shown.cursor = Some(Position::new(1, 0));
        shown.preedit = "漢x".into();
        let texts: Vec<_> = row_pieces(&shown, 0)
            .iter()
            .map(|piece| (piece.text.to_owned(), piece.column))
            .collect();
        let wanted = [("a", 0), ("漢", 1), ("x", 3), ("e", 4), ("f", 5)];
        assert_eq!(texts, wanted.map(|(text, at)| (text.to_owned(), at)));
    }

    #[test]
    fn hebrew_is_drawn_from_the_right_and_mouse_selection_and_cursor_meet_its_letters() {
        let mut shown = scene(&["a: אבג x"]);
        let drawn = |shown: &Scene| {
            let mut pieces = row_pieces(shown, 0);
            pieces.sort_by_key(|piece| piece.column);
            pieces.iter().map(|piece| piece.text).collect::<String>()
        };
        assert_eq!(drawn(&shown), "a: גבא x");
        assert_eq!(shown.cell_drawn_at((3, 0)), (5, 0), "the last letter");
        assert_eq!(shown.cell_drawn_at((5, 0)), (3, 0), "the first one");
        assert_eq!(shown.cell_drawn_at((7, 0)), (7, 0));
        assert_eq!(shown.cell_drawn_at((99, 9)), (99, 9), "beside what there is");
        // The first letter is selected: it is the third from the left.
        let mut selection = Selection::at((2, 0), ratatui::layout::Rect::new(0, 0, 80, 24));
        selection.extend_to((3, 0));
        shown.selection = Some(selection);
        let mut painter = painter();
        let cell = painter.cell();
        paint(&mut painter, &shown);
        assert_eq!(pixel(&painter, 5 * cell.width, 0), Ground::DARK.text);
        assert_eq!(pixel(&painter, 3 * cell.width, 0), Ground::DARK.back);
        // A cursor before it is at its right.
        shown.selection = None;
        shown.cursor = Some(Position::new(3, 0));
        paint(&mut painter, &shown);
        assert_eq!(pixel(&painter, 6 * cell.width - 1, 0), Ground::DARK.text);
        assert_eq!(pixel(&painter, 3 * cell.width, 0), Ground::DARK.back);
    }
}
