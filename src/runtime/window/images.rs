//! Images of answers as pixels, decoded apart from the keys.

use std::{
    collections::HashMap,
    io::Cursor,
    sync::{Arc, Mutex, PoisonError},
};

use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::JpegDecoder;

use super::{
    glyphs::{Glyph, PlacedImage},
    link::{ToWindow, ToWindowLink},
};
use crate::{ui::images::ImagePlace, wire::spawning::spawn_blocking};

/// The most pixels in a row and in a column of an image that is shown.
const LONGEST: usize = 8192;
/// The most pixels that it may have.
const MOST_PIXELS: usize = 16 << 20;
/// How many images are kept; those in view come again.
const MOST_KEPT: usize = 8;

/// Decoded files, by where their bytes are: an answer keeps these for as long as it is shown.
#[derive(Clone, Default)]
pub(super) struct Images(Arc<Mutex<HashMap<usize, Decoded>>>);

struct Decoded {
    /// Keeps the bytes where they are.
    _file: Arc<[u8]>,
    /// `None` while it is decoded, and where it is no image.
    picture: Option<Arc<Glyph>>,
}

impl Images {
    /// Those of a drawing that are decoded; the others are from now on, and then a drawing is
    /// asked for. Must be called within the runtime.
    pub fn placed(&self, places: &[ImagePlace], window: &ToWindowLink) -> Vec<PlacedImage> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut placed = Vec::new();
        for place in places {
            let key = place.file.as_ptr().addr();
            if let Some(decoded) = known.get(&key) {
                let picture = decoded.picture.clone();
                placed.extend(picture.map(|picture| PlacedImage { area: place.area, picture }));
                continue;
            }
            if known.len() >= MOST_KEPT {
                known.clear();
            }
            let file = Arc::clone(&place.file);
            known.insert(key, Decoded { _file: Arc::clone(&file), picture: None });
            let (images, window) = (Arc::clone(&self.0), window.clone());
            spawn_blocking(move || {
                let Some(picture) = decode(&file) else { return };
                let mut known = images.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(decoded) = known.get_mut(&key) {
                    decoded.picture = Some(Arc::new(picture));
                    window.ask(ToWindow::ImagesRead);
                }
            });
        }
        placed
    }
}

/// The pixels of a PNG or JPEG file; `None` where it is neither, is broken or too large.
fn decode(file: &[u8]) -> Option<Glyph> {
    let image = match file {
        [0x89, b'P', b'N', b'G', ..] => decode_png(file),
        [0xff, 0xd8, ..] => decode_jpeg(file),
        _ => None,
    };
    image.filter(|image| image.pixels.len() == image.width * image.height * 4)
}

fn picture(width: usize, height: usize, pixels: Vec<u8>) -> Glyph {
    Glyph { width, height, pixels, is_coloured: true, ..Glyph::default() }
}

/// Whether an image of that size is shown.
fn is_fair(width: usize, height: usize) -> bool {
    width > 0
        && height > 0
        && width <= LONGEST
        && height <= LONGEST
        && width * height <= MOST_PIXELS
}

fn decode_png(file: &[u8]) -> Option<Glyph> {
    let limits = png::Limits { bytes: MOST_PIXELS * 8 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = reader.info().size();
    let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    if !is_fair(width, height) {
        return None;
    }
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(frame.buffer_size());
    let pixels = match frame.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::GrayscaleAlpha => pixels
            .chunks_exact(2)
            .flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]])
            .collect(),
        _ => return None,
    };
    Some(picture(width, height, pixels))
}

fn decode_jpeg(file: &[u8]) -> Option<Glyph> {
    let options = DecoderOptions::default()
        .set_max_width(LONGEST)
        .set_max_height(LONGEST)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().ok()?;
    let (width, height) = decoder.dimensions()?;
    if !is_fair(width, height) {
        return None;
    }
    let pixels = decoder.decode().ok()?;
    let opaque = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2], 255];
    Some(picture(width, height, pixels.chunks_exact(3).flat_map(opaque).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_of(width: u32, height: u32, colour: png::ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(colour);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        file
    }

    #[test]
    fn png_of_each_kind_has_its_pixels() {
        let red = decode(&png_of(1, 1, png::ColorType::Rgb, &[255, 0, 0])).unwrap();
        assert_eq!(red.pixels, [255, 0, 0, 255]);
        let clear = decode(&png_of(1, 1, png::ColorType::Rgba, &[1, 2, 3, 4])).unwrap();
        assert_eq!(clear.pixels, [1, 2, 3, 4]);
        let grey = decode(&png_of(2, 1, png::ColorType::Grayscale, &[9, 200])).unwrap();
        assert_eq!(grey.pixels, [9, 9, 9, 255, 200, 200, 200, 255]);
    }

    #[test]
    fn what_is_broken_too_large_or_no_image_is_not_shown() {
        let good = png_of(2, 2, png::ColorType::Rgb, &[7; 12]);
        assert!(decode(&good).is_some());
        for length in 0..good.len() - 12 {
            assert!(decode(&good[..length]).is_none(), "{length} bytes");
        }
        let wide = png_of(8193, 1, png::ColorType::Grayscale, &[0; 8193]);
        assert!(decode(&wide).is_none());
        assert!(decode(b"GIF89a").is_none() && decode(&[0xff, 0xd8, 0xff, 0xe0, 0]).is_none());
    }
}
