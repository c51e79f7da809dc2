//! What a cell's text looks like in pixels, kept up to a bound.

use std::{collections::HashMap, rc::Rc};

use swash::{
    FontRef,
    scale::{Render, ScaleContext, Source, StrikeWith, image::Content},
    shape::ShapeContext,
    text::{Codepoint as _, Script},
    zeno::{Angle, Format, Transform, Vector},
};

use super::{
    boxes,
    cells::CellSize,
    fonts::{Face, Fonts, Found},
};
use crate::model::image_pixels::ImagePixels;

/// The most bytes of pixels that are kept; then all go, and those in view come again.
const MOST: usize = 8 << 20;
/// What a glyph takes beside its pixels, about.
const EXTRA: usize = 160;

/// A picture and where it lies, from the top left of its cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Glyph {
    pub left: i32,
    pub top: i32,
    pub width: usize,
    pub height: usize,
    /// One byte a pixel: how much it covers; of a coloured one four: red, green, blue, alpha.
    pub pixels: Vec<u8>,
    pub is_coloured: bool,
}

/// Draws texts of cells at one size, and keeps what it drew.
pub(super) struct Glyphs {
    pub fonts: Fonts,
    size: f32,
    cell: CellSize,
    baseline: i32,
    kept: HashMap<(Face, bool), HashMap<Box<str>, Rc<Glyph>>>,
    kept_bytes: usize,
    scaling: ScaleContext,
    shaping: ShapeContext,
}

/// How a font's glyph is drawn.
#[derive(Clone, Copy)]
struct Drawing {
    face: Face,
    /// Bold is made, since the font itself is not.
    is_emboldened: bool,
    size: f32,
    /// Where the text begins, from the cell's left edge and its baseline.
    left: f32,
}

impl Glyphs {
    pub fn new(fonts: Fonts, size: f32) -> Self {
        let (cell, baseline) = cell_of(size);
        Self {
            fonts,
            size,
            cell,
            baseline,
            kept: HashMap::new(),
            kept_bytes: 0,
            scaling: ScaleContext::new(),
            shaping: ShapeContext::new(),
        }
    }

    pub fn size(&self) -> f32 {
        self.size
    }

    pub fn cell(&self) -> CellSize {
        self.cell
    }

    /// The baseline: the row of pixels in a cell that letters rest on.
    pub fn baseline(&self) -> i32 {
        self.baseline
    }

    /// Draws letters of that size from now on.
    pub fn set_size(&mut self, size: f32) {
        self.forget();
        self.size = size;
        (self.cell, self.baseline) = cell_of(size);
    }

    /// Nothing drawn before counts any more.
    pub fn forget(&mut self) {
        self.kept.clear();
        self.kept_bytes = 0;
    }

    /// What a text looks like that takes one cell, or two.
    pub fn glyph(&mut self, text: &str, face: Face, is_wide: bool) -> Rc<Glyph> {
        if let Some(known) = self.kept.get(&(face, is_wide)).and_then(|kept| kept.get(text)) {
            return Rc::clone(known);
        }
        let glyph = Rc::new(self.draw(text, face, is_wide));
        let bytes = glyph.pixels.len() + EXTRA;
        if self.kept_bytes + bytes > MOST {
            self.forget();
        }
        self.kept_bytes += bytes;
        self.kept.entry((face, is_wide)).or_default().insert(text.into(), Rc::clone(&glyph));
        glyph
    }

    fn draw(&mut self, text: &str, face: Face, is_wide: bool) -> Glyph {
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next())
            && let Some(pixels) = boxes::coverage(letter, self.cell.width, self.cell.height)
        {
            let CellSize { width, height } = self.cell;
            return Glyph { width, height, pixels, ..Glyph::default() };
        }
        let room = to_float(self.cell.width * if is_wide { 2 } else { 1 });
        let mut drawing = Drawing { face, is_emboldened: false, size: self.size, left: 0.0 };
        match self.fonts.find(text) {
            Found::Own => {
                let Some(font) = Fonts::own(face.is_bold) else { return Glyph::default() };
                draw_text(&mut self.scaling, &mut self.shaping, font, text, drawing, self.baseline)
            }
            Found::System(id) => {
                let (scaling, shaping) = (&mut self.scaling, &mut self.shaping);
                let (baseline, cell) = (self.baseline, self.cell);
                drawing.is_emboldened = face.is_bold;
                let draw = |font: FontRef<'_>| {
                    let advance = advance_of(shaping, font, text, drawing.size);
                    if advance > room {
                        drawing.size *= room / advance;
                    } else {
                        drawing.left = (room - advance) / 2.0;
                    }
                    let glyph = draw_text(scaling, shaping, font, text, drawing, baseline);
                    if glyph.is_coloured { fitted(glyph, room, cell) } else { glyph }
                };
                self.fonts.with_system(id, draw).unwrap_or_default()
            }
            Found::NotYet => Glyph::default(),
            Found::Nothing => self.frame(to_pixels(room)),
        }
    }

    /// An empty frame, for what no font has.
    fn frame(&self, room: usize) -> Glyph {
        let (width, height) = (room.saturating_sub(2).max(1), to_pixels(self.size * 0.75).max(1));
        let edge = (self.cell.width / 9).max(1);
        let mut pixels = vec![0; width * height];
        for (index, pixel) in pixels.iter_mut().enumerate() {
            let (column, row) = (index % width, index / width);
            let is_inside = (edge..width.saturating_sub(edge)).contains(&column)
                && (edge..height.saturating_sub(edge)).contains(&row);
            *pixel = if is_inside { 0 } else { 130 };
        }
        let top = self.baseline - to_signed(height);
        Glyph { left: 1, top, width, height, pixels, is_coloured: false }
    }
}

/// The cell of letters of that size, and its baseline.
pub(super) fn cell_of(size: f32) -> (CellSize, i32) {
    let Some(font) = Fonts::own(false) else { return (CellSize { width: 1, height: 1 }, 0) };
    let metrics = font.metrics(&[]).scale(size);
    let advance = font.glyph_metrics(&[]).scale(size).advance_width(font.charmap().map('0'));
    let (above, below) = (metrics.ascent.round(), metrics.descent.round());
    // Some room between lines, as terminals have it.
    let extra = (size * 0.1).round();
    let cell = CellSize {
        width: to_pixels(advance.round()).max(1),
        height: to_pixels(above + below + extra).max(1),
    };
    (cell, to_offset(above + (extra / 2.0).floor()))
}

fn advance_of(shaping: &mut ShapeContext, font: FontRef<'_>, text: &str, size: f32) -> f32 {
    let mut advance = 0.0;
    shape(shaping, font, text, size, |_, _, _, width| advance += width);
    advance
}

/// Gives each glyph of a text, where it goes, and its advance.
fn shape(
    shaping: &mut ShapeContext,
    font: FontRef<'_>,
    text: &str,
    size: f32,
    mut give: impl FnMut(u16, f32, f32, f32),
) {
    let script = text.chars().next().map_or(Script::Unknown, |letter| letter.script());
    let mut shaper = shaping.builder(font).script(script).size(size).build();
    shaper.add_str(text);
    let mut at = 0.0;
    shaper.shape_with(|cluster| {
        for glyph in cluster.glyphs {
            give(glyph.id, at + glyph.x, glyph.y, glyph.advance);
            at += glyph.advance;
        }
    });
}

fn draw_text(
    scaling: &mut ScaleContext,
    shaping: &mut ShapeContext,
    font: FontRef<'_>,
    text: &str,
    drawing: Drawing,
    baseline: i32,
) -> Glyph {
    let mut places = Vec::new();
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => places.push((font.charmap().map(letter), 0.0, 0.0)),
        // What the font lacks of several is left out.
        _ => shape(shaping, font, text, drawing.size, |id, x, y, _| {
            if id != 0 || places.is_empty() {
                places.push((id, x, y));
            }
        }),
    }
    let mut scaler = scaling.builder(font).size(drawing.size).hint(true).build();
    let sources =
        [Source::ColorOutline(0), Source::ColorBitmap(StrikeWith::BestFit), Source::Outline];
    let mut render = Render::new(&sources);
    render.format(Format::Alpha);
    if drawing.face.is_italic {
        render.transform(Some(Transform::skew(Angle::from_degrees(12.0), Angle::ZERO)));
    }
    if drawing.is_emboldened {
        render.embolden(drawing.size / 30.0);
    }
    let mut whole = Glyph::default();
    for (id, x, y) in places {
        let left = drawing.left + x;
        render.offset(Vector::new(left.fract(), y));
        let Some(image) = render.render(&mut scaler, id) else { continue };
        let part = Glyph {
            left: image.placement.left + to_offset(left.trunc()),
            top: baseline - image.placement.top,
            width: usize::try_from(image.placement.width).unwrap_or(0),
            height: usize::try_from(image.placement.height).unwrap_or(0),
            is_coloured: image.content == Content::Color,
            pixels: image.data,
        };
        if whole.pixels.is_empty() {
            whole = part;
        } else if !part.is_coloured && !whole.is_coloured {
            whole = joined(&whole, &part);
        }
    }
    whole
}

/// Two masks as one.
fn joined(one: &Glyph, other: &Glyph) -> Glyph {
    let right = |glyph: &Glyph| glyph.left + to_signed(glyph.width);
    let bottom = |glyph: &Glyph| glyph.top + to_signed(glyph.height);
    let (left, top) = (one.left.min(other.left), one.top.min(other.top));
    let span = |from: i32, to: i32| usize::try_from(to - from).unwrap_or(0);
    let width = span(left, right(one).max(right(other)));
    let height = span(top, bottom(one).max(bottom(other)));
    let mut pixels = vec![0; width * height];
    for glyph in [one, other].into_iter().filter(|glyph| glyph.width > 0) {
        let (x, y) = (span(left, glyph.left), span(top, glyph.top));
        for (row, line) in glyph.pixels.chunks_exact(glyph.width).enumerate() {
            let start = (y + row) * width + x;
            for (pixel, level) in pixels[start..start + glyph.width].iter_mut().zip(line) {
                *pixel = (*pixel).max(*level);
            }
        }
    }
    Glyph { left, top, width, height, pixels, is_coloured: false }
}

/// A coloured picture made as large as fits into its cells, and put into their middle.
fn fitted(glyph: Glyph, room: f32, cell: CellSize) -> Glyph {
    if glyph.width == 0 || glyph.height == 0 {
        return glyph;
    }
    let share = (room / to_float(glyph.width)).min(to_float(cell.height) / to_float(glyph.height));
    let Glyph { width, height, pixels: bytes, .. } = glyph;
    let small = scaled(&ImagePixels { width, height, bytes }, share);
    let left = (to_offset(room) - to_signed(small.width)) / 2;
    let top = (to_signed(cell.height) - to_signed(small.height)) / 2;
    Glyph { left, top, ..small }
}

/// An image made as small as its room is; a smaller one stays as it is.
pub(super) fn fitted_image(image: &ImagePixels, room: CellSize) -> Glyph {
    let share = |room: usize, length: usize| to_float(room) / to_float(length.max(1));
    let share = share(room.width, image.width).min(share(room.height, image.height)).min(1.0);
    scaled(image, share)
}

/// A coloured picture in another size.
fn scaled(image: &ImagePixels, share: f32) -> Glyph {
    let length = |length: usize| to_pixels((to_float(length) * share).round()).max(1);
    let ImagePixels { width, height, bytes } =
        image.scaled((length(image.width), length(image.height)));
    Glyph { width, height, pixels: bytes, is_coloured: true, ..Glyph::default() }
}

#[expect(clippy::cast_precision_loss, reason = "cells are small")]
fn to_float(pixels: usize) -> f32 {
    pixels as f32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells are small")]
fn to_pixels(length: f32) -> usize {
    length.max(0.0) as usize
}

#[expect(clippy::cast_possible_truncation, reason = "cells are small")]
fn to_offset(length: f32) -> i32 {
    length as i32
}

pub(super) fn to_signed(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs() -> Glyphs {
        Glyphs::new(Fonts::new(|| {}), 15.0)
    }

    fn ink(glyph: &Glyph) -> u32 {
        glyph.pixels.iter().map(|level| u32::from(*level)).sum()
    }

    #[test]
    fn letters_fit_their_cell_and_bold_is_bolder() {
        let mut glyphs = glyphs();
        assert_eq!(glyphs.cell(), CellSize { width: 9, height: 20 });
        let plain = glyphs.glyph("M", Face::default(), false);
        let bold = glyphs.glyph("M", Face { is_bold: true, ..Face::default() }, false);
        assert!(ink(&bold) > ink(&plain) && ink(&plain) > 0);
        for text in ["M", "g", "Å", "|", "é", "e\u{301}"] {
            let glyph = glyphs.glyph(text, Face::default(), false);
            let bottom = glyph.top + to_signed(glyph.height);
            assert!(glyph.top >= 0 && bottom <= 20, "{text}: {} to {bottom}", glyph.top);
        }
    }

    #[test]
    fn accents_join_their_letters() {
        let mut glyphs = glyphs();
        let plain = ink(&glyphs.glyph("x", Face::default(), false));
        assert!(ink(&glyphs.glyph("x\u{301}", Face::default(), false)) > plain);
    }

    #[test]
    fn a_size_is_a_new_beginning() {
        let mut glyphs = glyphs();
        let small = glyphs.glyph("M", Face::default(), false);
        glyphs.set_size(30.0);
        assert_eq!(glyphs.cell(), CellSize { width: 18, height: 38 });
        assert!(glyphs.glyph("M", Face::default(), false).height > small.height);
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let mut glyphs = glyphs();
        glyphs.set_size(200.0);
        let many = ('!'..='~').flat_map(|one| ('!'..='~').map(move |two| [one, two]));
        for text in many.take(600).map(|pair| pair.iter().collect::<String>()) {
            glyphs.glyph(&text, Face::default(), true);
            assert!(glyphs.kept_bytes <= MOST);
        }
        let kept = glyphs.kept.values().flat_map(HashMap::values);
        assert!(kept.clone().count() < 600, "some of them went");
        let bytes: usize = kept.map(|glyph| glyph.pixels.len() + EXTRA).sum();
        assert_eq!(bytes, glyphs.kept_bytes);
    }

    #[test]
    fn coloured_pictures_are_made_smaller_by_means() {
        let pixels = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 0], [0, 0, 0, 0]].concat();
        let glyph = Glyph { width: 4, height: 1, pixels, is_coloured: true, ..Glyph::default() };
        let small = fitted(glyph, 2.0, CellSize { width: 1, height: 4 });
        assert_eq!((small.width, small.height, small.left, small.top), (2, 1, 0, 1));
    }
}
