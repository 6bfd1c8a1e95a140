//! `Listed`: the first rows of a list of any length, the same whichever order they come in, and how many there were.

use serde::{Deserialize, Serialize};

/// At most `MOST` rows; the others are counted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Listed<T, const MOST: usize> {
    rows: Vec<T>,
    /// Rows that were dropped.
    omitted: u64,
}

impl<T, const MOST: usize> Default for Listed<T, MOST> {
    fn default() -> Self {
        Self { rows: Vec::new(), omitted: 0 }
    }
}

impl<T: Ord, const MOST: usize> Listed<T, MOST> {
    pub(crate) fn push(&mut self, row: T) {
        self.rows.push(row);
        // Twice as many are kept, so that they are sorted once for every `MOST` new ones.
        if self.rows.len() >= MOST * 2 {
            self.sort();
        }
    }

    /// Adds another list.
    pub(crate) fn add(&mut self, other: Self) {
        self.omitted += other.omitted;
        self.extend(other.rows);
    }

    /// Puts the rows in order and drops what is too many.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_unstable();
        self.omitted += self.rows.len().saturating_sub(MOST) as u64;
        self.rows.truncate(MOST);
    }
}

impl<T, const MOST: usize> Listed<T, MOST> {
    pub(crate) fn rows(&self) -> &[T] {
        &self.rows
    }

    pub(crate) fn rows_mut(&mut self) -> &mut [T] {
        &mut self.rows
    }

    /// Rows that are not listed.
    pub(crate) fn omitted(&self) -> u64 {
        self.omitted
    }

    /// All rows, listed or not.
    pub(crate) fn total(&self) -> u64 {
        self.rows.len() as u64 + self.omitted
    }
}

impl<T: Ord, const MOST: usize> Extend<T> for Listed<T, MOST> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rows_are_listed_in_any_order_and_all_are_counted() {
        let mut numbers: Vec<u32> = (0..100).collect();
        for turn in 0..20 {
            numbers.rotate_left(turn * 5);
            numbers.reverse();
            let mut all = Listed::<u32, 10>::default();
            for page in numbers.chunks(turn + 1) {
                let mut listed = Listed::default();
                listed.extend(page.iter().copied());
                all.add(listed);
                assert!(all.rows().len() < 20, "memory grows with the rows");
            }
            all.sort();
            assert_eq!(all.rows(), (0..10).collect::<Vec<_>>());
            assert_eq!((all.omitted(), all.total()), (90, 100));
        }
    }
}
