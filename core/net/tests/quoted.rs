//! Tests of quoting as Go's `%q` does it.

use ratchet_net::Quoted;

#[test]
fn what_is_escaped() {
    for (text, quoted) in [
        ("", r#""""#),
        ("1.2.3.4", r#""1.2.3.4""#),
        ("a \"b\" \\ 'c'", r#""a \"b\" \\ 'c'""#),
        ("\x07\x08\x0c\n\r\t\x0b", r#""\a\b\f\n\r\t\v""#),
        ("\0\x01\x1f\x7f", r#""\x00\x01\x1f\x7f""#),
        ("\u{80}\u{a0}\u{ad}\u{200b}\u{feff}", r#""\u0080\u00a0\u00ad\u200b\ufeff""#),
        ("\u{2028}\u{3000}\u{e000}\u{fffe}", r#""\u2028\u3000\ue000\ufffe""#),
        ("\u{e0001}\u{f0000}\u{10ffff}\u{1ffff}", r#""\U000e0001\U000f0000\U0010ffff\U0001ffff""#),
        ("é١。日\u{fffd}😀", "\"é١。日\u{fffd}😀\""),
        ("e\u{301}\u{301}", "\"e\u{301}\u{301}\""),
        ("\u{301}", "\"\u{301}\""),
        // in Unicode 15.0, in 15.1, in 16.0, in 17.0
        ("\u{31350}\u{2ebf0}\u{1c89}\u{20c1}", "\"\u{31350}\\U0002ebf0\\u1c89\\u20c1\""),
    ] {
        assert_eq!(Quoted(text).to_string(), quoted);
    }
}

/// Go 1.21 to 1.26 print 148903 characters beyond ASCII. If this number is higher, the standard
/// library has learnt new ones, and they belong in the table of the younger ones.
#[test]
fn as_many_are_printable_as_in_go() {
    let as_it_is = |c: &char| Quoted(c.encode_utf8(&mut [0; 4])).to_string() == format!("\"{c}\"");
    assert_eq!(('\u{80}'..=char::MAX).filter(as_it_is).count(), 148_903);
}
