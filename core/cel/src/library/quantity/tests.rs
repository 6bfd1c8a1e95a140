//! Property tests of quantities; single values are in the tables of expressions.

use super::amount::{Amount, ParseError};
use alloc::string::String;
use core::cmp::Ordering;
use proptest::prelude::*;

fn amounts() -> impl Strategy<Value = Amount> {
    "-?[0-9]{1,22}(\\.[0-9]{0,12})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|e[0-9]{1,2}|e-[0-9])?"
        .prop_map(|text| Amount::parse(&text).expect("an amount"))
}

proptest! {
    #[test]
    fn nothing_panics(text in "[-+.0-9eEinumkKMGTPa]{0,12}", any in any::<String>()) {
        for text in [text, any] {
            if let Ok(amount) = Amount::parse(&text) {
                let _ = (amount.sign(), amount.whole(), amount.approximate());
                let _ = (amount.plus(&amount), amount.minus(&amount));
            }
        }
    }

    #[test]
    fn order_has_two_sides(a in amounts(), b in amounts()) {
        prop_assert_eq!(a.compare(&b), b.compare(&a).reverse());
        let difference = a.minus(&b).expect("not too long");
        prop_assert_eq!(difference.sign().cmp(&0), a.compare(&b));
    }

    #[test]
    fn what_is_added_can_be_taken_away(a in amounts(), b in amounts()) {
        let back = a.plus(&b).and_then(|sum| sum.minus(&b)).expect("not too long");
        prop_assert_eq!(back.compare(&a), Ordering::Equal);
    }

    #[test]
    fn whole_numbers_agree_with_their_order(a in any::<i64>(), b in any::<i64>()) {
        let (x, y) = (Amount::Small(a, 0), Amount::Small(b, 0));
        prop_assert_eq!(x.compare(&y), a.cmp(&b));
        if let Some(sum) = a.checked_add(b) {
            prop_assert_eq!(x.plus(&y).and_then(|sum| sum.whole()), Some(sum));
        }
    }
}

#[test]
fn amounts_of_too_many_digits_are_not_reckoned_with() {
    let long = "1".repeat(5000);
    assert_eq!(Amount::parse(&long).err(), Some(ParseError::TooLong));
    let parse = |text| Amount::parse(text).expect("an amount");
    let (large, small) = (parse("1e999999999"), parse("1"));
    assert_eq!(large.compare(&small), Ordering::Greater);
    assert_eq!(large.whole(), None);
    assert!(large.plus(&small).is_none());
    assert!(parse("1e4000").plus(&small).is_some());
}
