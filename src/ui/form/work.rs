//! What a form has had to do, counted: so that a test can hold it to its bounds without a clock.

/// Counts since the form was made. Their differences tell what one key or one frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How often the value was laid out.
    pub layouts: usize,
    /// Fields that came of it.
    pub fields: usize,
    /// How often the value was checked.
    pub checks: usize,
    /// How often the form was drawn.
    pub frames: usize,
    /// Rows that were drawn.
    pub rows: usize,
}

impl std::ops::Sub for Work {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            layouts: self.layouts - before.layouts,
            fields: self.fields - before.fields,
            checks: self.checks - before.checks,
            frames: self.frames - before.frames,
            rows: self.rows - before.rows,
        }
    }
}
