//! Long lists in narrow columns: the first ones, and how many more there are.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The first three, and how many more there are.
pub(crate) fn first_three(values: impl Iterator<Item = String>) -> String {
    first(3, values, ",")
}

/// The first `most`, and how many more there are.
pub(crate) fn first(most: usize, values: impl Iterator<Item = String>, between: &str) -> String {
    let mut values = values;
    let shown: Vec<String> = values.by_ref().take(most).collect();
    match values.count() {
        0 => shown.join(between),
        more => format!("{} + {more} more...", shown.join(between)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn three_are_shown_and_the_rest_is_counted() {
        let numbers = |n: i32| first_three((0..n).map(|n| n.to_string()));
        assert_eq!(numbers(0), "");
        assert_eq!(numbers(3), "0,1,2");
        assert_eq!(numbers(5), "0,1,2 + 2 more...");
    }
}
