//! Choice of a free number in a range: at random first, then sequentially.

/// The number of random attempts before a band is scanned.
const RANDOM_ATTEMPTS: usize = 8;

/// The most numbers of a band that are scanned before it counts as full. No address range that
/// can be full is larger.
const MAX_SCANNED: u64 = 1 << 20;

/// An inclusive range of numbers; empty if `first` is greater than `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    first: u128,
    last: u128,
}

impl Band {
    /// The numbers from `first` to `last` without the lowest `reserved`, and then those.
    pub(crate) fn above_and_below(first: u128, last: u128, reserved: u128) -> [Self; 2] {
        let middle = first.saturating_add(reserved);
        let none = Self { first: 1, last: 0 };
        let below = if reserved == 0 { none } else { Self { first, last: last.min(middle - 1) } };
        [Self { first: middle, last }, below]
    }

    fn len(&self) -> u64 {
        let len = self.last.checked_sub(self.first).map_or(0, |less| less.saturating_add(1));
        u64::try_from(len).unwrap_or(u64::MAX)
    }

    /// A number for which `is_free` holds; `random` returns a number below its argument.
    fn choose(
        &self,
        is_free: &mut dyn FnMut(u128) -> bool,
        random: &mut dyn FnMut(u64) -> u64,
    ) -> Option<u128> {
        let len = self.len();
        if len == 0 {
            return None;
        }
        let mut guess = || random(len) % len;
        let guessed = (0..RANDOM_ATTEMPTS)
            .map(|_| self.first + u128::from(guess()))
            .find(|number| is_free(*number));
        if guessed.is_some() {
            return guessed;
        }
        let start = u128::from(guess());
        let at = |step: u64| self.first + (start + u128::from(step)) % u128::from(len);
        (0..len.min(MAX_SCANNED)).map(at).find(|number| is_free(*number))
    }
}

/// A free number in the first band that has one.
pub(crate) fn choose(
    bands: &[Band],
    is_free: &mut dyn FnMut(u128) -> bool,
    random: &mut dyn FnMut(u64) -> u64,
) -> Option<u128> {
    bands.iter().find_map(|band| band.choose(is_free, random))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn the_upper_part_is_used_up_before_the_lower_one() {
        let bands = Band::above_and_below(1, 20, 5);
        let mut used = BTreeSet::new();
        for round in 0..20 {
            let chosen =
                choose(&bands, &mut |number| !used.contains(&number), &mut |below| 7 % below);
            let chosen = chosen.unwrap();
            assert_eq!(chosen > 5, round < 15, "{chosen} in round {round}");
            assert!((1..=20).contains(&chosen) && used.insert(chosen));
        }
        assert_eq!(choose(&bands, &mut |number| !used.contains(&number), &mut |_| 0), None);
    }

    #[test]
    fn a_band_may_be_empty_or_be_all() {
        assert_eq!(Band::above_and_below(2, 1, 0).map(|band| band.len()), [0, 0]);
        assert_eq!(Band::above_and_below(1, 14, 0).map(|band| band.len()), [14, 0]);
        assert_eq!(Band::above_and_below(1, 10, 16).map(|band| band.len()), [0, 10]);
    }

    #[test]
    fn a_wild_random_number_and_a_huge_band_do_no_harm() {
        let bands = Band::above_and_below(1, (1 << 64) + 9, 0);
        assert!(choose(&bands, &mut |_| true, &mut |_| u64::MAX).is_some());
        assert_eq!(choose(&bands, &mut |_| false, &mut |_| 3), None);
    }
}
