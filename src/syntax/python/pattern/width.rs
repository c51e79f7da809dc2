//! How many characters a part of a pattern takes: a look-behind needs a part that always takes as
//! many.

/// Wider ones count as this wide.
pub(crate) const MOST: u128 = 1 << 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Width {
    pub least: u128,
    pub most: u128,
}

impl Width {
    pub const NONE: Self = Self { least: 0, most: 0 };
    pub const ONE: Self = Self { least: 1, most: 1 };

    /// One behind the other.
    pub fn concat(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            most: self.most.saturating_add(other.most),
        }
    }

    /// One or the other.
    pub fn union(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    pub fn repeat_times(self, least: u128, most: u128, without_end: u128) -> Self {
        let most = if most == without_end && self.most > 0 {
            MOST
        } else {
            self.most.saturating_mul(most)
        };
        Self { least: self.least.saturating_mul(least), most }
    }

    pub fn capped(self) -> Self {
        Self { least: self.least.min(MOST), most: self.most.min(MOST) }
    }
}
