//! SplitMix64: numbers that look random and follow from a seed.

/// Its states are this far apart.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A row of numbers; the same seed gives the same row.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub fn next_number(&mut self) -> u64 {
        let number = scramble(self.state);
        self.state = self.state.wrapping_add(STEP);
        number
    }
}

/// The number that follows from a state: every bit of the state moves every bit of the number.
pub(crate) fn scramble(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(STEP);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_numbers_are_those_of_the_reference_implementation() {
        let mut numbers = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| numbers.next_number()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(first, published);
    }
}
