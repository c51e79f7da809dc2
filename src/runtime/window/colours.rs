//! Colours of cells as the window shows them.

use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};

/// A pixel as the surface has it: `0x00RRGGBB`.
pub(super) type Pixel = u32;

/// What a cell has that names no colour of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground {
    pub text: Pixel,
    pub back: Pixel,
}

impl Ground {
    pub const DARK: Self = Self { text: 0x00d8_dee9, back: 0x0012_161d };
    pub const LIGHT: Self = Self { text: 0x0024_292f, back: 0x00ff_ffff };
}

/// The sixteen that a terminal has names for.
const NAMED: [Pixel; 16] = [
    0x0020_2530,
    0x00d1_5b66,
    0x0079_b35c,
    0x00d0_a24c,
    0x004f_94d8,
    0x00b0_72c8,
    0x0045_a8b0,
    0x00c8_ced8,
    0x006b_7588,
    0x00f0_7a84,
    0x0098_d47a,
    0x00ec_c878,
    0x0074_b4f4,
    0x00d0_96e4,
    0x0066_ccd4,
    0x00ff_ffff,
];

/// Letters and background of a cell, with what its modifiers say.
pub(super) fn cell_colours(cell: &Cell, ground: Ground) -> Ground {
    let mut text = to_pixel(cell.fg).unwrap_or(ground.text);
    let mut back = to_pixel(cell.bg).unwrap_or(ground.back);
    if cell.modifier.contains(Modifier::REVERSED) {
        (text, back) = (back, text);
    }
    if cell.modifier.contains(Modifier::DIM) {
        text = mix(back, text, 150);
    }
    if cell.modifier.contains(Modifier::HIDDEN) {
        text = back;
    }
    Ground { text, back }
}

/// A colour's pixel; `None` for the terminal's own.
fn to_pixel(colour: Color) -> Option<Pixel> {
    let named = |index: usize| NAMED.get(index).copied();
    match colour {
        Color::Reset => None,
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
        Color::Rgb(red, green, blue) => Some(rgb(red, green, blue)),
        Color::Indexed(index @ 0..16) => named(usize::from(index)),
        Color::Indexed(index @ 16..232) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + part * 40 };
            let index = index - 16;
            Some(rgb(level(index / 36), level(index / 6 % 6), level(index % 6)))
        }
        Color::Indexed(index) => {
            let grey = 8 + (index - 232) * 10;
            Some(rgb(grey, grey, grey))
        }
    }
}

pub(super) fn rgb(red: u8, green: u8, blue: u8) -> Pixel {
    Pixel::from_be_bytes([0, red, green, blue])
}

/// Lays a colour over another, `level` of 255 of it.
pub(super) fn mix(below: Pixel, above: Pixel, level: u8) -> Pixel {
    match level {
        0 => return below,
        255 => return above,
        _ => {}
    }
    let level = u32::from(level);
    let part = |shift: u32| {
        let (below, above) = ((below >> shift) & 0xff, (above >> shift) & 0xff);
        ((below * (255 - level) + above * level + 127) / 255) << shift
    };
    part(16) | part(8) | part(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(fg: Color, bg: Color, modifier: Modifier) -> Ground {
        let mut cell = Cell::new("x");
        (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
        cell_colours(&cell, Ground::DARK)
    }

    #[test]
    fn colours_are_those_that_a_terminal_would_show() {
        let plain = Modifier::empty();
        assert_eq!(cell(Color::Reset, Color::Reset, plain), Ground::DARK);
        let red = cell(Color::Rgb(255, 0, 1), Color::Indexed(16), plain);
        assert_eq!(red, Ground { text: 0x00ff_0001, back: 0 });
        let reversed = cell(Color::Rgb(255, 0, 1), Color::Indexed(231), Modifier::REVERSED);
        assert_eq!(reversed, Ground { text: 0x00ff_ffff, back: 0x00ff_0001 });
        assert_eq!(cell(Color::Indexed(244), Color::Reset, plain).text, 0x0080_8080);
        let hidden = cell(Color::Red, Color::Blue, Modifier::HIDDEN);
        assert_eq!(hidden.text, hidden.back);
        let dim = cell(Color::Indexed(231), Color::Indexed(16), Modifier::DIM);
        assert_eq!(dim, Ground { text: 0x0096_9696, back: 0 });
    }

    #[test]
    fn a_mix_is_between_its_parts() {
        assert_eq!(mix(0x0010_2030, 0x00ff_ffff, 0), 0x0010_2030);
        assert_eq!(mix(0x0010_2030, 0x00ff_fffe, 255), 0x00ff_fffe);
        assert_eq!(mix(0, 0x00ff_8040, 128), 0x0080_4020);
    }
}
