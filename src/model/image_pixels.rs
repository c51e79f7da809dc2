//! An image as pixels, and the same in another size.

use std::{ops::Range, sync::Arc};

/// Red, green, blue and alpha of each pixel, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImagePixels {
    pub width: usize,
    pub height: usize,
    pub bytes: Vec<u8>,
}

/// What was read from the file of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedImage {
    /// How many pixels it has in a row and in a column.
    pub size: (usize, usize),
    /// The same, or fewer of a large one.
    pub pixels: Arc<ImagePixels>,
}

impl ImagePixels {
    /// The image with as many pixels in a row and in a column as are given: each is the mean of
    /// those that it takes in.
    #[must_use]
    pub fn scaled(&self, (width, height): (usize, usize)) -> Self {
        let mut bytes = Vec::with_capacity(width * height * 4);
        for row in 0..height {
            let rows = span(row, height, self.height);
            for column in 0..width {
                bytes.extend(self.mean(span(column, width, self.width), rows.clone()));
            }
        }
        Self { width, height, bytes }
    }

    /// The same image, made smaller where it has more than `most` pixels.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        let (width, height) = (self.width, self.height);
        if width * height <= most {
            return self;
        }
        let side = |long: usize, short: usize| (most * long / short).isqrt().max(1);
        self.scaled((side(width, height), side(height, width)))
    }

    fn mean(&self, columns: Range<usize>, rows: Range<usize>) -> [u8; 4] {
        let (mut sums, mut count) = ([0_u64; 4], 0_u64);
        for row in rows {
            let start = row * self.width;
            let places = (start + columns.start) * 4..(start + columns.end) * 4;
            for pixel in self.bytes.get(places).unwrap_or_default().chunks_exact(4) {
                // A colour counts as much as it is seen.
                let alpha = u64::from(pixel[3]);
                for part in 0..3 {
                    sums[part] += u64::from(pixel[part]) * alpha;
                }
                (sums[3], count) = (sums[3] + alpha, count + 1);
            }
        }
        let part = |sum: u64, of: u64| u8::try_from((sum + of / 2) / of.max(1)).unwrap_or(255);
        let alpha = sums[3];
        [part(sums[0], alpha), part(sums[1], alpha), part(sums[2], alpha), part(alpha, count)]
    }
}

/// Those of `large` pixels in a line that one of `small` takes in.
fn span(at: usize, small: usize, large: usize) -> Range<usize> {
    let from = at * large / small;
    from..((at + 1) * large).div_ceil(small).clamp(from + 1, large.max(from + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_image_has_the_means_of_what_is_seen() {
        let bytes = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 0], [0, 0, 0, 0]].concat();
        let image = ImagePixels { width: 4, height: 1, bytes };
        let small = image.scaled((2, 1));
        assert_eq!(small.bytes, [[128, 0, 128, 255], [0, 0, 0, 0]].concat());
        assert_eq!(image.scaled((4, 1)).bytes[..8], image.bytes[..8]);
        let clear = image.scaled((1, 1)).bytes;
        assert_eq!(clear, [128, 0, 128, 128], "what isn't seen has no colour");
    }

    #[test]
    fn an_image_of_many_pixels_keeps_its_proportions() {
        let of = |width, height| ImagePixels { width, height, bytes: vec![9; width * height * 4] };
        let small = of(400, 100).at_most(10_000);
        assert_eq!((small.width, small.height, small.bytes.len()), (200, 50, 40_000));
        assert!(small.bytes.iter().all(|byte| *byte == 9));
        let flat = of(9_000, 2).at_most(100);
        assert_eq!((flat.width, flat.height), (670, 1));
        assert_eq!(of(100, 100).at_most(10_000), of(100, 100));
    }
}
