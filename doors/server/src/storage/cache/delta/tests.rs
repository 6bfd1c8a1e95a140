//! Tests of deltas: whatever is told as differences is read back as it was.

use super::*;
use proptest::prelude::*;

fn read(base: &[u8], delta: &[u8]) -> Vec<u8> {
    pieces(base, delta).collect::<Vec<_>>().concat()
}

/// A text of words that come again and again, as members of JSON do.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        4 => proptest::sample::select(vec![
            "\"metadata\":{\"name\":\"", "\"},\"spec\":{\"containers\":[{\"name\":\"web\",", "\"value\":\"", "aaaaaaaaaaaa", "\",",
        ]).prop_map(|word| word.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
    ];
    proptest::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_text_is_read_as_it_was(base in text(), text in text()) {
        if let Some(delta) = encode(&base, &text) {
            prop_assert_eq!(length(&delta), text.len());
            prop_assert!(delta.len() <= text.len() / 4 * 3);
            prop_assert_eq!(read(&base, &delta), text);
        }
    }

    #[test]
    fn a_changed_text_is_read_as_it_was(
        base in text(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), 0..9usize, "[a-z]{0,9}"), 0..9),
    ) {
        let mut text = base.clone();
        for (at, removed, inserted) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.bytes());
        }
        if let Some(delta) = encode(&base, &text) {
            prop_assert_eq!(length(&delta), text.len());
            prop_assert_eq!(read(&base, &delta), text);
        }
    }

    #[test]
    fn what_is_no_delta_is_read_without_harm(base in text(), delta in text()) {
        let mut total = 0;
        for piece in pieces(&base, &delta) {
            total += piece.len();
            prop_assert!(total <= delta.len() * (base.len() + delta.len() + 1));
        }
    }
}

fn config_map(name: &str, uid: &str, time: &str, value: &str) -> Vec<u8> {
    let text = "some text of a setting ".repeat(20);
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"default","uid":"{uid}","creationTimestamp":"{time}"}},"data":{{"mode":"{value}","text":"{text}"}}}}"#
    )
    .into_bytes()
}

#[test]
fn objects_that_were_made_alike_differ_in_little() {
    let base =
        config_map("a-1", "0c5e9f6a-1b2c-4d3e-8f90-a1b2c3d4e5f6", "2026-01-02T03:04:05Z", "test");
    for (name, value, most) in [("a-2", "test", 90), ("a-1000", "production", 110)] {
        let text =
            config_map(name, "9b2d7c11-77aa-4c1f-b3d4-0f1e2d3c4b5a", "2026-01-02T04:44:01Z", value);
        let delta = encode(&base, &text).unwrap();
        assert!(delta.len() <= most, "{name}: {}", delta.len());
        assert_eq!(read(&base, &delta), text);
    }
    let delta = encode(&base, &base).unwrap();
    assert!(delta.len() < 10, "{}", delta.len());
}

#[test]
fn a_text_that_is_other_small_or_large_is_given_up() {
    let base = config_map("a", "u", "t", "v");
    let other: Vec<u8> =
        (0..600_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let large = base.repeat(LONGEST / base.len() + 1);
    for (base, text) in [
        (&base[..], &other[..]),
        (&base, &base[..SHORTEST - 1]),
        (&base, &base.repeat(3)),
        (&base.repeat(3), &base),
        (&large, &large),
        (&[], &base),
        (&base, &[]),
    ] {
        assert_eq!(encode(base, text), None, "{} {}", base.len(), text.len());
    }
    let most = large[..LONGEST].to_vec();
    let delta = encode(&large, &most).unwrap();
    assert_eq!(read(&large, &delta), most);
}
