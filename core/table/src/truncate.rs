//! Truncation of long lists: the first values, and the number of the rest.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The first three values, and the number of the rest.
pub(crate) fn first_three(values: impl Iterator<Item = String>) -> String {
    first(3, values, ",")
}

/// The first `most` values, and the number of the rest.
pub(crate) fn first(max: usize, values: impl Iterator<Item = String>, between: &str) -> String {
    let mut values = values;
    let first_values: Vec<String> = values.by_ref().take(max).collect();
    match values.count() {
        0 => first_values.join(between),
        more => format!("{} + {more} more...", first_values.join(between)),
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
