//! The window's icon: that of `packaging/toolcrib.svg`, drawn small.

use swash::zeno::{Cap, Format, Join, Mask, Stroke, Transform};
use winit::window::Icon;

/// Its width and height in pixels.
const SIZE: u16 = 64;
/// Those of the drawing.
const DRAWN: f32 = 128.0;

/// Paths with their colour, and how thick they are drawn; without that they are filled.
const PATHS: &[(&str, [u8; 3], Option<f32>)] = &[
    (
        "M18 14h92a12 12 0 0 1 12 12v76a12 12 0 0 1-12 12H18a12 12 0 0 1-12-12V26a12 12 0 0 1 12-12z",
        [0x1d, 0x24, 0x33],
        None,
    ),
    ("M16 14h96a10 10 0 0 1 10 10v10H6V24a10 10 0 0 1 10-10z", [0x2f, 0x3b, 0x55], None),
    (
        "M20 20c2.2 0 4 1.8 4 4c0 2.2 -1.8 4 -4 4c-2.2 0 -4 -1.8 -4 -4c0 -2.2 1.8 -4 4 -4z",
        [0xe0, 0x6c, 0x75],
        None,
    ),
    (
        "M34 20c2.2 0 4 1.8 4 4c0 2.2 -1.8 4 -4 4c-2.2 0 -4 -1.8 -4 -4c0 -2.2 1.8 -4 4 -4z",
        [0xe5, 0xc0, 0x7b],
        None,
    ),
    (
        "M48 20c2.2 0 4 1.8 4 4c0 2.2 -1.8 4 -4 4c-2.2 0 -4 -1.8 -4 -4c0 -2.2 1.8 -4 4 -4z",
        [0x98, 0xc3, 0x79],
        None,
    ),
    ("M18 52h92", [0x5c, 0x6a, 0x8a], Some(3.0)),
    ("M32 52v12M26 64h12l4 12-4 12H26l-4-12z", [0x61, 0xaf, 0xef], Some(6.0)),
    ("M64 52v40M54 82l10 12 10-12", [0x98, 0xc3, 0x79], Some(6.0)),
    ("M96 52v12M90 64h12l4 12-4 12H90l-4-12z", [0xc6, 0x78, 0xdd], Some(6.0)),
];

pub(super) fn icon() -> Option<Icon> {
    Icon::from_rgba(pixels(), SIZE.into(), SIZE.into()).ok()
}

/// Red, green, blue and alpha of each pixel.
fn pixels() -> Vec<u8> {
    let size = usize::from(SIZE);
    let mut pixels = vec![0; size * size * 4];
    let share = f32::from(SIZE) / DRAWN;
    for (path, colour, thick) in PATHS {
        let mut mask = Mask::new(*path);
        mask.format(Format::Alpha)
            .size(SIZE.into(), SIZE.into())
            .transform(Some(Transform::scale(share, share)));
        if let Some(thick) = thick {
            let mut stroke = Stroke::new(*thick);
            stroke.cap(Cap::Round).join(Join::Round);
            mask.style(stroke);
        }
        let (levels, _) = mask.render();
        for (pixel, level) in pixels.chunks_exact_mut(4).zip(levels) {
            let (level, below) = (u32::from(level), u32::from(pixel[3]));
            let part = |over: u8, under: u8| {
                let sum = u32::from(over) * level + u32::from(under) * (255 - level);
                u8::try_from(sum / 255).unwrap_or(255)
            };
            for (under, over) in pixel.iter_mut().zip(colour) {
                // Where nothing is below, the colour is the path's alone.
                *under = if below == 0 { *over } else { part(*over, *under) };
            }
            pixel[3] = u8::try_from(level + below * (255 - level) / 255).unwrap_or(255);
        }
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_pictures_colours_and_clear_corners() {
        let pixels = pixels();
        let at = |x: usize, y: usize| {
            let start = (y * usize::from(SIZE) + x) * 4;
            [pixels[start], pixels[start + 1], pixels[start + 2], pixels[start + 3]]
        };
        assert_eq!(at(0, 0)[3], 0);
        assert_eq!(at(30, 53), [0x1d, 0x24, 0x33, 255], "the ground");
        assert_eq!(at(10, 12), [0xe0, 0x6c, 0x75, 255], "the first circle");
        assert_eq!(at(32, 36), [0x98, 0xc3, 0x79, 255], "the arrow");
        assert!(icon().is_some());
    }
}
