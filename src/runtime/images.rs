//! Images of answers as pixels: PNG and JPEG, decoded apart from the keys, one after another. Bytes
//! of a server are not trusted: what they may take of memory has bounds.

use std::{collections::VecDeque, future::pending, io, sync::Arc};

use tokio::task::JoinHandle;
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::{JpegDecoder, errors::DecodeErrors};

use crate::{
    model::image_pixels::{DecodedImage, ImagePixels},
    wire::spawning::spawn_blocking,
};

/// The most pixels in a row and in a column of an image that is drawn.
const LONGEST: usize = 8192;
/// The most pixels that it may have.
const MOST_PIXELS: usize = 16 << 20;
/// So many are kept of one that has more: no screen shows them all.
const MOST_KEPT: usize = 2 << 20;

/// What became of a file: or in words, why nothing did.
type Outcome = Result<DecodedImage, String>;

/// A file, and what became of it.
pub(super) type Decoded = (Arc<[u8]>, Outcome);

/// A file that is being decoded.
struct UnderWay {
    file: Arc<[u8]>,
    work: JoinHandle<Outcome>,
}

/// The files that are to be decoded.
#[derive(Default)]
pub(super) struct Decoding {
    waiting: VecDeque<Arc<[u8]>>,
    under_way: Option<UnderWay>,
}

impl Decoding {
    /// Decodes these, too. Must be called within the runtime.
    pub fn start(&mut self, files: Vec<Arc<[u8]>>) {
        self.waiting.extend(files);
        if self.under_way.is_none()
            && let Some(file) = self.waiting.pop_front()
        {
            let read = Arc::clone(&file);
            let work = spawn_blocking(move || decode(&read));
            self.under_way = Some(UnderWay { file, work });
        }
    }

    /// Waits until the next one is decoded; to drop the waiting loses none.
    pub async fn next(&mut self) -> Decoded {
        let Some(UnderWay { file, work }) = &mut self.under_way else { return pending().await };
        let decoded = work.await.unwrap_or_else(|_| Err(BROKEN.to_owned()));
        let file = Arc::clone(file);
        self.under_way = None;
        self.start(Vec::new());
        (file, decoded)
    }
}

const BROKEN: &str = "it is broken";
const CUT: &str = "it ends too early";

/// The pixels of a PNG or JPEG file; of an animated one those of its still image.
///
/// # Errors
/// In words, why it isn't drawn.
fn decode(file: &[u8]) -> Outcome {
    decode_up_to(MOST_PIXELS, file)
}

/// The same, with so many pixels at most.
///
/// # Errors
/// The same.
pub(crate) fn decode_up_to(most: usize, file: &[u8]) -> Result<DecodedImage, String> {
    let pixels = match file {
        [0x89, b'P', b'N', b'G', ..] => decode_png(file, most)?,
        [0xff, 0xd8, ..] => decode_jpeg(file, most)?,
        [] => return Err("it is empty".to_owned()),
        _ => return Err("it is neither PNG nor JPEG".to_owned()),
    };
    let size = (pixels.width, pixels.height);
    if pixels.bytes.len() != size.0 * size.1 * 4 {
        return Err(BROKEN.to_owned());
    }
    Ok(DecodedImage { size, pixels: Arc::new(pixels.at_most(MOST_KEPT)) })
}

/// Refuses a size that no image which is drawn has.
fn check_size((width, height): (usize, usize), most: usize) -> Result<(), String> {
    let limit = if width == 0 || height == 0 {
        return Err("it has no pixels".to_owned());
    } else if width > LONGEST || height > LONGEST {
        format!("{LONGEST} in a line")
    } else if width * height > most {
        format!("{} million", most >> 20)
    } else {
        return Ok(());
    };
    Err(format!("it has {width} × {height} pixels, and {limit} are the limit"))
}

fn decode_png(file: &[u8], most: usize) -> Result<ImagePixels, String> {
    let limits = png::Limits { bytes: most * 8 };
    let mut decoder = png::Decoder::new_with_limits(io::Cursor::new(file), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let header = decoder.read_header_info().map_err(|error| png_words(&error))?;
    let length = |pixels: u32| usize::try_from(pixels).unwrap_or(usize::MAX);
    let (width, height) = (length(header.width), length(header.height));
    check_size((width, height), most)?;
    let mut reader = decoder.read_info().map_err(|error| png_words(&error))?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or(BROKEN)?];
    let frame = reader.next_frame(&mut bytes).map_err(|error| png_words(&error))?;
    bytes.truncate(frame.buffer_size());
    let bytes = match frame.color_type {
        png::ColorType::Rgba => bytes,
        png::ColorType::GrayscaleAlpha => bytes
            .chunks_exact(2)
            .flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]])
            .collect(),
        _ => return Err(BROKEN.to_owned()),
    };
    Ok(ImagePixels { width, height, bytes })
}

fn png_words(error: &png::DecodingError) -> String {
    match error {
        png::DecodingError::IoError(_) => CUT.to_owned(),
        png::DecodingError::LimitsExceeded => "it takes too much memory".to_owned(),
        error => broken_words(&error.to_string()),
    }
}

fn decode_jpeg(file: &[u8], most: usize) -> Result<ImagePixels, String> {
    let options = DecoderOptions::default()
        .set_max_width(u16::MAX.into())
        .set_max_height(u16::MAX.into())
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(|error| jpeg_words(&error))?;
    let (width, height) = decoder.dimensions().ok_or(BROKEN)?;
    check_size((width, height), most)?;
    let pixels = decoder.decode().map_err(|error| jpeg_words(&error))?;
    let opaque = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2], 255];
    let bytes = pixels.chunks_exact(3).flat_map(opaque).collect();
    Ok(ImagePixels { width, height, bytes })
}

fn jpeg_words(error: &DecodeErrors) -> String {
    match error {
        DecodeErrors::ExhaustedData | DecodeErrors::IoErrors(_) => CUT.to_owned(),
        error => broken_words(&error.to_string()),
    }
}

/// What a library says of a file, as the end of a sentence.
fn broken_words(said: &str) -> String {
    let said = said.trim_matches(|letter: char| letter == '"' || letter == '.' || letter == ' ');
    format!("{BROKEN} ({said})")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// A PNG file of one colour type, which `change` may change.
    fn png_of(
        (width, height): (u32, u32),
        colour: png::ColorType,
        change: impl FnOnce(&mut png::Encoder<'_, &mut Vec<u8>>),
        data: &[u8],
    ) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(colour);
        change(&mut encoder);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        file
    }

    fn plain(size: (u32, u32), colour: png::ColorType, data: &[u8]) -> Vec<u8> {
        png_of(size, colour, |_| {}, data)
    }

    fn bytes_of(file: &[u8]) -> Vec<u8> {
        decode(file).unwrap().pixels.bytes.clone()
    }

    /// The header of a PNG file with that size, and nothing behind it.
    fn header(width: u32, height: u32) -> Vec<u8> {
        let mut file = Vec::new();
        drop(png::Encoder::new(&mut file, width, height).write_header().unwrap());
        file.truncate(33);
        file
    }

    /// A seed of the fuzzers.
    fn seed(name: &str) -> Vec<u8> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/image");
        fs::read(folder.join(name)).unwrap()
    }

    #[test]
    fn png_of_each_kind_has_its_pixels() {
        use png::{BitDepth, ColorType};
        assert_eq!(bytes_of(&plain((1, 1), ColorType::Rgb, &[255, 0, 0])), [255, 0, 0, 255]);
        assert_eq!(bytes_of(&plain((1, 1), ColorType::Rgba, &[1, 2, 3, 4])), [1, 2, 3, 4]);
        let grey = [9, 9, 9, 255, 200, 200, 200, 255];
        assert_eq!(bytes_of(&plain((2, 1), ColorType::Grayscale, &[9, 200])), grey);
        let seen = plain((1, 1), ColorType::GrayscaleAlpha, &[9, 77]);
        assert_eq!(bytes_of(&seen), [9, 9, 9, 77]);
        let deep = png_of(
            (1, 1),
            ColorType::Rgb,
            |encoder| encoder.set_depth(BitDepth::Sixteen),
            &[0xab, 0xcd, 0x12, 0x34, 0, 1],
        );
        assert_eq!(bytes_of(&deep), [0xab, 0x12, 0, 255]);
        let bits = png_of(
            (3, 1),
            ColorType::Grayscale,
            |encoder| encoder.set_depth(BitDepth::One),
            &[0b1010_0000],
        );
        assert_eq!(bytes_of(&bits)[..8], [255, 255, 255, 255, 0, 0, 0, 255]);
        let palette = png_of(
            (2, 1),
            ColorType::Indexed,
            |encoder| {
                encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
                encoder.set_trns(vec![255, 0]);
            },
            &[0, 1],
        );
        assert_eq!(bytes_of(&palette), [1, 2, 3, 255, 4, 5, 6, 0]);
    }

    #[test]
    fn an_animated_file_has_a_still_image_and_an_interlaced_one_its_order() {
        assert_eq!(bytes_of(&seed("animated.png"))[..4], [255, 0, 0, 255]);
        let levels: Vec<u8> =
            bytes_of(&seed("interlaced.png")).chunks(4).map(|pixel| pixel[0]).collect();
        assert_eq!(levels, [10, 20, 30, 40]);
    }

    #[test]
    fn jpeg_of_each_kind_is_about_what_it_was_made_of() {
        let is_near = |pixel: &[u8], wanted: [u8; 4]| {
            pixel.iter().zip(wanted).all(|(part, wanted)| part.abs_diff(wanted) < 8)
        };
        let red = seed("red.jpg");
        assert!(is_near(&bytes_of(&red)[..4], [200, 30, 40, 255]));
        assert!(is_near(&bytes_of(&seed("grey.jpg"))[..4], [77, 77, 77, 255]));
        for name in ["progressive.jpg", "cmyk.jpg"] {
            assert_eq!(decode(&seed(name)).unwrap().size, (17, 9), "{name}");
        }
        assert!(decode(&red[..100]).is_err(), "its tables are missing");
    }

    #[test]
    fn what_is_broken_or_no_image_says_so() {
        let good = plain((2, 2), png::ColorType::Rgb, &[7; 12]);
        assert!(decode(&good).is_ok());
        for length in 4..good.len() - 12 {
            let words = decode(&good[..length]).unwrap_err();
            assert!(words.starts_with("it "), "{length} bytes: {words}");
        }
        assert_eq!(decode(&good[..40]).unwrap_err(), "it ends too early");
        let mut odd = good;
        let check = odd.len() - 13;
        odd[check] ^= 1;
        let words = decode(&odd).unwrap_err();
        assert!(words.starts_with("it is broken (CRC error"), "{words}");
        assert_eq!(decode(b"GIF89a").unwrap_err(), "it is neither PNG nor JPEG");
        assert_eq!(decode(b"").unwrap_err(), "it is empty");
        assert!(decode(&[0xff, 0xd8, 0xff, 0xe0, 0]).is_err());
    }

    #[test]
    fn a_size_beyond_the_bounds_is_refused_before_any_pixel_is_read() {
        let hostile = "it has 100000 × 100000 pixels, and 8192 in a line are the limit";
        assert_eq!(decode(&seed("huge.png")).unwrap_err(), hostile);
        let words = |width, height| decode(&header(width, height)).unwrap_err();
        let large = "it has 8000 × 8000 pixels, and 16 million are the limit";
        assert_eq!(words(8_000, 8_000), large);
        assert_eq!(words(4_000, 4_000), "it ends too early", "the size alone would do");
    }

    #[test]
    fn of_a_large_image_fewer_pixels_are_kept() {
        let file = plain((1_600, 1_400), png::ColorType::Grayscale, &vec![5; 1_600 * 1_400]);
        let image = decode(&file).unwrap();
        assert_eq!(image.size, (1_600, 1_400));
        let kept = (image.pixels.width, image.pixels.height);
        assert!(kept.0 * kept.1 <= MOST_KEPT && kept.0 > 1_500, "{kept:?}");
    }

    #[tokio::test]
    async fn files_are_decoded_one_after_another() {
        let good: Arc<[u8]> = plain((1, 1), png::ColorType::Rgb, &[1, 2, 3]).into();
        let bad: Arc<[u8]> = b"none"[..].into();
        let mut decoding = Decoding::default();
        decoding.start(vec![Arc::clone(&good), Arc::clone(&bad)]);
        let (file, first) = decoding.next().await;
        assert!(Arc::ptr_eq(&file, &good) && first.is_ok());
        let (file, second) = decoding.next().await;
        assert!(Arc::ptr_eq(&file, &bad) && second.is_err());
        assert!(decoding.under_way.is_none() && decoding.waiting.is_empty());
    }
}
