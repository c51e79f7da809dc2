//! Box-drawing characters, blocks and Braille, drawn to the cell's exact size: those of a font leave
//! gaps between cells.

/// The arms of the characters from `─` on: left, up, right, down; 1 light, 2 heavy, 3 double.
const ARMS: &str = "\
    1010 2020 0101 0202 1010 2020 0101 0202 1010 2020 0101 0202 0011 0021 0012 0022 \
    1001 2001 1002 2002 0110 0120 0210 0220 1100 2100 1200 2200 0111 0121 0211 0112 \
    0212 0221 0122 0222 1101 2101 1201 1102 1202 2201 2102 2202 1011 2011 1021 2021 \
    1012 2012 1022 2022 1110 2110 1120 2120 1210 2210 1220 2220 1111 2111 1121 2121 \
    1211 1112 1212 2211 1221 2112 1122 2221 2122 2212 1222 2222 1010 2020 0101 0202 \
    3030 0303 0031 0013 0033 3001 1003 3003 0130 0310 0330 3100 1300 3300 0131 0313 \
    0333 3101 1303 3303 3031 1013 3033 3130 1310 3330 3131 1313 3333 0011 1001 1100 \
    0110 0000 0000 0000 1000 0100 0010 0001 2000 0200 0020 0002 1020 0102 2010 0201";

const HEAVY: u8 = 2;
const DOUBLE: u8 = 3;

const FIRST_BOX: u32 = 0x2500;
const FIRST_BLOCK: u32 = 0x2580;
const FIRST_BRAILLE: u32 = 0x2800;

/// How much of each pixel of a cell the character covers, row by row; `None`: it is a font's.
pub(super) fn coverage(letter: char, width: usize, height: usize) -> Option<Vec<u8>> {
    let mut canvas = Canvas { width, height, pixels: vec![0; width * height] };
    match u32::from(letter) {
        code @ 0x256d..=0x2570 => canvas.draw_arc(code),
        code @ 0x2571..=0x2573 => canvas.draw_diagonals(code),
        code @ FIRST_BOX..FIRST_BLOCK => canvas.draw_lines(code),
        code @ FIRST_BLOCK..=0x259f => canvas.draw_block(code),
        code @ FIRST_BRAILLE..=0x28ff => canvas.draw_braille(code - FIRST_BRAILLE),
        _ => return None,
    }
    Some(canvas.pixels)
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn fill(&mut self, left: usize, top: usize, right: usize, bottom: usize) {
        for row in top..bottom.min(self.height) {
            let line = row * self.width;
            let (left, right) = (left.min(self.width), right.min(self.width));
            self.pixels[line + left..line + right.max(left)].fill(255);
        }
    }

    /// How thick a light line is.
    fn thickness(&self) -> usize {
        (self.width.min(self.height) / 8).max(1)
    }

    fn draw_lines(&mut self, code: u32) {
        let index = usize::try_from(code - FIRST_BOX).unwrap_or(0);
        let mut arms = ARMS.split(' ').nth(index).unwrap_or_default().bytes();
        let mut next = || arms.next().map_or(0, |digit| digit - b'0');
        let (left, up, right, down) = (next(), next(), next(), next());
        let dashes = match code {
            0x2504..=0x2507 => 3,
            0x2508..=0x250b => 4,
            0x254c..=0x254f => 2,
            _ => 0,
        };
        if dashes > 0 {
            self.draw_dashes(dashes, left.max(up) == HEAVY, left > 0);
            return;
        }
        self.draw_arms([left, right], [up, down], Axis::Horizontal);
        self.draw_arms([up, down], [left, right], Axis::Vertical);
    }

    /// The length of the cell along an axis, and across it.
    fn lengths(&self, axis: Axis) -> (usize, usize) {
        match axis {
            Axis::Horizontal => (self.width, self.height),
            Axis::Vertical => (self.height, self.width),
        }
    }

    /// Fills from `from` to `to` along the axis, so thick from `start` on across it.
    fn fill_along(&mut self, axis: Axis, (from, to): (usize, usize), start: usize, thick: usize) {
        match axis {
            Axis::Horizontal => self.fill(from, start, to, start + thick),
            Axis::Vertical => self.fill(start, from, start + thick, to),
        }
    }

    /// Draws the two arms of an axis up to those across it.
    fn draw_arms(&mut self, arms: [u8; 2], across: [u8; 2], axis: Axis) {
        let light = self.thickness();
        let (length, breadth) = self.lengths(axis);
        let (middle, middle_across) = (middle(length, light), middle(breadth, light));
        for (side, weight) in arms.into_iter().enumerate().filter(|(_, weight)| *weight > 0) {
            let is_ended = arms[1 - side] == 0;
            let strips: &[Strip] =
                if weight == DOUBLE { &[Strip::Before, Strip::After] } else { &[Strip::Alone] };
            for strip in strips {
                let end = match strip.end(across, is_ended) {
                    End::Middle if across.contains(&HEAVY) => {
                        self::middle(length, light * 2) + light * 2
                    }
                    End::Middle => middle + light,
                    End::Near => middle,
                    End::Far => middle + light * 2,
                };
                let thick = if weight == HEAVY { light * 2 } else { light };
                let start = match strip {
                    Strip::Before => middle_across.saturating_sub(light),
                    Strip::Alone => self::middle(breadth, thick),
                    Strip::After => middle_across + light,
                };
                let reach = if side == 0 {
                    (0, end)
                } else {
                    ((2 * middle + light).saturating_sub(end), length)
                };
                self.fill_along(axis, reach, start, thick);
            }
        }
    }

    fn draw_dashes(&mut self, count: usize, is_heavy: bool, is_horizontal: bool) {
        let axis = if is_horizontal { Axis::Horizontal } else { Axis::Vertical };
        let thick = self.thickness() * if is_heavy { 2 } else { 1 };
        let (length, breadth) = self.lengths(axis);
        for dash in 0..count {
            let (from, to) = (length * dash / count, length * (dash + 1) / count);
            let gap = ((to - from) / 3).max(1);
            self.fill_along(axis, (from, to.saturating_sub(gap)), middle(breadth, thick), thick);
        }
    }

    /// Covers each pixel as much as a shape does, of which this is the distance from a point to its
    /// middle line, and half its thickness.
    fn draw_distance(&mut self, half: f32, distance: impl Fn(f32, f32) -> f32) {
        for row in 0..self.height {
            for column in 0..self.width {
                let away = distance(to_float(column) + 0.5, to_float(row) + 0.5);
                let pixel = &mut self.pixels[row * self.width + column];
                *pixel = (*pixel).max(to_level(half + 0.5 - away));
            }
        }
    }

    /// A quarter of an ellipse's outline from the middle of one edge to that of another.
    fn draw_arc(&mut self, code: u32) {
        let light = self.thickness();
        let half = to_float(light) / 2.0;
        let at = |length: usize| to_float(middle(length, light)) + half;
        let (x, y) = (at(self.width), at(self.height));
        let width = to_float(self.width);
        // Whether its arms lead right and down.
        let (is_right, is_down) = match code {
            0x256d => (true, true),
            0x256e => (false, true),
            0x256f => (false, false),
            _ => (true, false),
        };
        let radius = if is_right { width - x } else { x };
        let centre_x = if is_right { x + radius } else { x - radius };
        let centre_y = if is_down { y + radius } else { y - radius };
        self.draw_distance(half, |px, py| {
            // Beyond the round part the vertical arm goes on straight.
            let is_straight = if is_down { py > centre_y } else { py < centre_y };
            if is_straight {
                return (px - x).abs();
            }
            ((px - centre_x).hypot(py - centre_y) - radius).abs()
        });
    }

    fn draw_diagonals(&mut self, code: u32) {
        let half = to_float(self.thickness()) / 2.0;
        let (width, height) = (to_float(self.width), to_float(self.height));
        let long = width.hypot(height);
        if code != 0x2572 {
            self.draw_distance(half, |x, y| (height * x + width * y - width * height).abs() / long);
        }
        if code != 0x2571 {
            self.draw_distance(half, |x, y| (height * x - width * y).abs() / long);
        }
    }

    fn draw_block(&mut self, code: u32) {
        let (width, height) = (self.width, self.height);
        let eighths =
            |length: usize, count: u32| (length * usize::try_from(count).unwrap_or(8) + 4) / 8;
        match code {
            0x2580 => self.fill(0, 0, width, height / 2),
            0x2581..=0x2588 => {
                let filled = eighths(height, code - 0x2580).max(1);
                self.fill(0, height - filled, width, height);
            }
            0x2589..=0x258f => {
                let filled = eighths(width, 0x2590 - code).max(1);
                self.fill(0, 0, filled, height);
            }
            0x2590 => self.fill(width / 2, 0, width, height),
            0x2591 => self.pixels.fill(64),
            0x2592 => self.pixels.fill(128),
            0x2593 => self.pixels.fill(191),
            0x2594 => self.fill(0, 0, width, eighths(height, 1).max(1)),
            0x2595 => self.fill(width - eighths(width, 1).max(1), 0, width, height),
            _ => {
                // Upper left, upper right, lower left, lower right.
                let quarters = QUADRANTS.get(usize::try_from(code - 0x2596).unwrap_or(0));
                let quarters = quarters.copied().unwrap_or(0);
                let places = [
                    (0, 0, width / 2, height / 2),
                    (width / 2, 0, width, height / 2),
                    (0, height / 2, width / 2, height),
                    (width / 2, height / 2, width, height),
                ];
                for (index, (left, top, right, bottom)) in places.into_iter().enumerate() {
                    if quarters & (0b1000 >> index) != 0 {
                        self.fill(left, top, right, bottom);
                    }
                }
            }
        }
    }

    fn draw_braille(&mut self, dots: u32) {
        // Dots 1 to 8 by column and row.
        const PLACES: [(usize, usize); 8] =
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
        let (wide, high) = (to_float(self.width) / 2.0, to_float(self.height) / 4.0);
        let radius = wide.min(high) * 0.36;
        for (bit, (column, row)) in PLACES.into_iter().enumerate() {
            if dots & (1 << bit) != 0 {
                let (x, y) = (wide * (to_float(column) + 0.5), high * (to_float(row) + 0.5));
                self.draw_distance(radius, |px, py| (px - x).hypot(py - y));
            }
        }
    }
}

/// The quarters that `▖` to `▟` fill: upper left, upper right, lower left, lower right.
const QUADRANTS: [u8; 10] =
    [0b0010, 0b0001, 0b1000, 0b1011, 0b1001, 0b1110, 0b1101, 0b0100, 0b0110, 0b0111];

#[derive(Clone, Copy)]
enum Axis {
    Horizontal,
    Vertical,
}

/// A line of an arm: its only one, or one of the two of a double arm.
#[derive(Clone, Copy, PartialEq)]
enum Strip {
    Before,
    Alone,
    After,
}

/// Where a strip ends: at the middle, or at the near or far line of a double arm across.
enum End {
    Middle,
    Near,
    Far,
}

impl Strip {
    fn end(self, across: [u8; 2], is_ended: bool) -> End {
        let doubles = across.iter().filter(|weight| **weight == DOUBLE).count();
        let beside = match self {
            Self::Before => across[0],
            Self::After => across[1],
            Self::Alone => match (doubles, is_ended) {
                (2, true) => return End::Near,
                (1, true) => return End::Far,
                _ => return End::Middle,
            },
        };
        match (beside, doubles) {
            (DOUBLE, _) => End::Near,
            (0, 1) if is_ended => End::Far,
            _ => End::Middle,
        }
    }
}

/// The first pixel of something so thick in the middle of a length.
fn middle(length: usize, thick: usize) -> usize {
    length.saturating_sub(thick) / 2
}

#[expect(clippy::cast_precision_loss, reason = "cells are small")]
fn to_float(pixels: usize) -> f32 {
    pixels as f32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 255"
)]
fn to_level(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell as text: `#` covered, `.` not.
    fn picture(letter: char, width: usize, height: usize) -> Vec<String> {
        let pixels = coverage(letter, width, height).unwrap();
        let row =
            |row: &[u8]| row.iter().map(|level| if *level > 127 { '#' } else { '.' }).collect();
        pixels.chunks(width).map(row).collect()
    }

    #[test]
    fn every_arm_of_every_box_reaches_its_edge_at_one_place_and_no_other_is_touched() {
        for (width, height) in [(7, 15), (8, 17), (10, 21), (19, 40)] {
            let edges = |letter: char| {
                let rows = picture(letter, width, height);
                let column = |at: usize| -> String {
                    rows.iter().map(|row| row.as_bytes()[at] as char).collect()
                };
                [column(0), rows[0].clone(), column(width - 1), rows[height - 1].clone()]
            };
            let straight = [edges('─'), edges('━'), edges('═'), edges('│'), edges('┃'), edges('║')];
            for (index, arms) in ARMS.split(' ').enumerate() {
                let code = FIRST_BOX + u32::try_from(index).unwrap();
                let letter = char::from_u32(code).unwrap();
                let is_dashed = matches!(code, 0x2504..=0x250b | 0x254c..=0x254f);
                let is_diagonal = matches!(code, 0x2571..=0x2573);
                if is_dashed || is_diagonal {
                    continue;
                }
                let found = edges(letter);
                for (side, weight) in
                    arms.bytes().map(|digit| usize::from(digit - b'0')).enumerate()
                {
                    let blank = ".".repeat(found[side].len());
                    let of_axis = if side % 2 == 0 { 0 } else { 3 };
                    let wanted =
                        if weight == 0 { &blank } else { &straight[of_axis + weight - 1][side] };
                    assert_eq!(&found[side], wanted, "{letter} at {width}×{height}, side {side}");
                }
            }
        }
    }

    #[test]
    fn double_corners_stay_open_inside() {
        assert_eq!(
            picture('╬', 7, 7),
            ["..#.#..", "..#.#..", "###.###", ".......", "###.###", "..#.#..", "..#.#.."]
        );
        assert_eq!(
            picture('╔', 7, 7),
            [".......", ".......", "..#####", "..#....", "..#.###", "..#.#..", "..#.#.."]
        );
        assert_eq!(
            picture('╢', 7, 7),
            ["..#.#..", "..#.#..", "..#.#..", "###.#..", "..#.#..", "..#.#..", "..#.#.."]
        );
    }

    #[test]
    fn blocks_fill_their_share() {
        let share = |letter| {
            let pixels = coverage(letter, 8, 16).unwrap();
            pixels.iter().map(|level| usize::from(*level)).sum::<usize>() * 8 / (8 * 16 * 255)
        };
        let shares: Vec<usize> = "▁▂▃▄▅▆▇█".chars().map(share).collect();
        assert_eq!(shares, [1, 2, 3, 4, 5, 6, 7, 8]);
        let shares: Vec<usize> = "▏▎▍▌▋▊▉▐▀".chars().map(share).collect();
        assert_eq!(shares, [1, 2, 3, 4, 5, 6, 7, 4, 4]);
        let shares: Vec<usize> = "▖▗▘▙▚▛▜▝▞▟".chars().map(share).collect();
        assert_eq!(shares, [2, 2, 2, 6, 4, 6, 6, 2, 4, 6]);
        assert_eq!(picture('▙', 4, 4), ["##..", "##..", "####", "####"]);
    }

    #[test]
    fn braille_has_its_dots_and_letters_are_a_fonts() {
        assert!(coverage('⠀', 8, 16).unwrap().iter().all(|level| *level == 0));
        let dot = coverage('⠁', 8, 16).unwrap();
        assert!(
            dot[..8 * 4].iter().any(|level| *level > 127) && dot[8 * 4..].iter().all(|l| *l == 0)
        );
        assert_eq!(coverage('a', 8, 16), None);
    }
}
