//! Decoding gives the same result with the fast path for plain YAML as without it, errors included.

use ratchet_object::{Decoded, Limits, decode, decode_without_shortcut};

/// The result with all spans, or the error.
fn debug_text(result: Result<Decoded<'_>, ratchet_object::DecodeError>) -> String {
    format!("{result:?}")
}

#[test]
fn the_shortcut_shows_nowhere() {
    for text in [
        "",
        "# nothing\n",
        "a: 1\nb: [x, {y: z}]\n",
        "a:\n- b: |\n    c\n- d\na: 2\n",
        "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n",
        "a: b\n  c\n",
        "a: b: c\n",
        "a: [b\n",
        "a: .inf\n",
        "a:\n\tb: 1\n",
        "{\"a\": 1}",
        "{a: 1}\n",
        "[a, b]\n",
        "--- {a: 1}\n",
        "\u{feff}a: 1\n",
    ] {
        let limits = Limits::DEFAULT;
        assert_eq!(
            debug_text(decode(text, limits)),
            debug_text(decode_without_shortcut(text, limits)),
            "{text:?}"
        );
    }
}

#[test]
fn limits_hold_on_both_ways() {
    let text = "a: [1, 2]\nb:\n  c: 3\n";
    for nodes in 0..12 {
        for depth in 0..4 {
            for bytes in [10, 100] {
                let limits = Limits { bytes, depth, nodes };
                let full = decode_without_shortcut(text, limits);
                assert_eq!(debug_text(decode(text, limits)), debug_text(full), "{limits:?}");
            }
        }
    }
}
