//! The order of keys in YAML: letters after other signs, and numbers within a key by their size.

use core::cmp::Ordering;

/// Compares two keys as Go's YAML encoder does.
#[must_use]
pub fn compare_yaml_keys(one: &str, other: &str) -> Ordering {
    let equal = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let start: usize = equal.map(|(letter, _)| letter.len_utf8()).sum();
    let (rest, other_rest) =
        (one.get(start..).unwrap_or_default(), other.get(start..).unwrap_or_default());
    let (Some(a), Some(b)) = (rest.chars().next(), other_rest.chars().next()) else {
        return one.len().cmp(&other.len());
    };
    match (a.is_alphabetic(), b.is_alphabetic()) {
        (true, true) => return a.cmp(&b),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero that follows other digits is part of their number.
    let before = one.get(..start).unwrap_or_default();
    let digits = before.chars().rev().take_while(char::is_ascii_digit);
    let continues = (a == '0' || b == '0') && digits.into_iter().any(|digit| digit != '0');
    let (number, length) = leading_number(rest, continues);
    let (other_number, other_length) = leading_number(other_rest, continues);
    number.cmp(&other_number).then(length.cmp(&other_length)).then(a.cmp(&b))
}

/// The number at the start of a text, behind a one if it continues another, and the count of its digits.
fn leading_number(text: &str, continues: bool) -> (i64, usize) {
    let digits = text.chars().map_while(|letter| letter.to_digit(10));
    digits.fold((i64::from(continues), 0), |(number, length), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit)), length + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn keys_in_their_order() {
        let sorted = [
            "", ".", "_", "10", "A", "a", "a-b", "a.b", "a1", "a01", "a2", "a10", "a20", "ab", "b",
            "f:a", "fa", "é",
        ];
        let mut keys = vec!["ab", "é", "a10", "a.b", "fa", "f:a", "a", "b", "a2", "a01", "a1", "_"];
        keys.extend(["10", ".", "", "A", "a-b", "a20"]);
        keys.sort_by(|one, other| compare_yaml_keys(one, other));
        assert_eq!(keys, sorted);
    }
}
