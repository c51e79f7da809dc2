//! Sizes in pixels and cells, and which cell a pixel is in.

/// The size of the letters before any zoom, in pixels at a scale of 1.
const LETTERS: f32 = 15.0;
/// A step of the zoom, as a factor.
const STEP: f32 = 1.1;
/// How many steps it goes either way.
const MOST: i8 = 12;

/// How much larger or smaller the user wants everything; 0 is as it comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Zoom(i8);

impl Zoom {
    pub fn from_steps(steps: i64) -> Self {
        Self(i8::try_from(steps).unwrap_or(0).clamp(-MOST, MOST))
    }

    pub fn steps(self) -> i64 {
        self.0.into()
    }

    pub fn changed_by(self, steps: i8) -> Self {
        Self(self.0.saturating_add(steps).clamp(-MOST, MOST))
    }

    /// This zoom, or the largest below it with which everything fits; never smaller for that than as
    /// it comes.
    pub fn fitted(self, fits: impl Fn(Self) -> bool) -> Self {
        let fitting = (1..=self.0).rev().map(Self).find(|zoom| fits(*zoom));
        fitting.unwrap_or(Self(self.0.min(0)))
    }

    /// The size of the letters in pixels on a display of that scale.
    #[expect(clippy::cast_possible_truncation, reason = "scales are small")]
    pub fn letter_size(self, scale: f64) -> f32 {
        (LETTERS * STEP.powi(self.0.into()) * scale as f32).round().clamp(6.0, 200.0)
    }
}

/// A cell in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellSize {
    pub width: usize,
    pub height: usize,
}

impl CellSize {
    /// How many cells fit; at least one.
    pub fn cells_in(self, width: u32, height: u32) -> (u16, u16) {
        let count = |pixels: u32, cell: usize| {
            let count = usize::try_from(pixels).unwrap_or(0) / cell.max(1);
            u16::try_from(count).unwrap_or(u16::MAX).max(1)
        };
        (count(width, self.width), count(height, self.height))
    }

    /// The cell that a point is in, of so many; a point beside them is in the nearest.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "what does not fit is at the edge"
    )]
    pub fn cell_at(self, (x, y): (f64, f64), (columns, rows): (u16, u16)) -> (u16, u16) {
        let index = |at: f64, cell: usize, count: u16| {
            ((at / cell.max(1) as f64).floor().max(0.0) as u16).min(count.saturating_sub(1))
        };
        (index(x, self.width, columns), index(y, self.height, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_in_cells() {
        let cell = CellSize { width: 9, height: 18 };
        assert_eq!(cell.cells_in(905, 400), (100, 22));
        assert_eq!(cell.cells_in(3, 3), (1, 1));
        let at = |x, y| cell.cell_at((x, y), (100, 22));
        assert_eq!(at(0.0, 0.0), (0, 0));
        assert_eq!(at(8.9, 17.9), (0, 0));
        assert_eq!(at(9.0, 18.0), (1, 1));
        assert_eq!(at(-5.0, 99_999.0), (0, 21));
        assert_eq!(at(904.0, 399.0), (99, 21), "beside the last cell");
    }

    #[test]
    fn the_zoom_has_bounds_and_a_way_back() {
        let zoom = Zoom::default();
        assert!((zoom.letter_size(1.0) - 15.0).abs() < f32::EPSILON);
        assert!((zoom.letter_size(2.0) - 30.0).abs() < f32::EPSILON);
        assert!(zoom.changed_by(1).letter_size(1.0) > zoom.letter_size(1.0));
        assert_eq!(zoom.changed_by(1).changed_by(-1), zoom);
        assert_eq!(zoom.changed_by(100), zoom.changed_by(101));
        assert_eq!(Zoom::from_steps(i64::MIN), Zoom::default(), "nonsense is no zoom");
        assert_eq!(Zoom::from_steps(-3).steps(), -3);
    }

    #[test]
    fn a_zoom_is_as_large_as_there_is_room_for() {
        let fitted = |wanted: i64, room: i64| {
            Zoom::from_steps(wanted).fitted(|zoom| zoom.steps() <= room).steps()
        };
        assert_eq!(fitted(9, 12), 9);
        assert_eq!(fitted(9, 4), 4);
        assert_eq!(fitted(9, -5), 0, "letters don't become smaller than they come");
        assert_eq!(fitted(-3, -5), -3, "unless the user wants them so");
    }
}
