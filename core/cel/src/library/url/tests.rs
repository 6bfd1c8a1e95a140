//! Property tests of URLs; single values are in the tables of expressions.

use super::parse;
use alloc::string::String;
use proptest::prelude::*;

/// Texts that resemble URLs.
fn nearly() -> impl Strategy<Value = String> {
    "(https?|ftp|a)?:?/{0,3}[a-z%@:\\[\\]0-9.]{0,8}(:[0-9x]{0,3})?(/[a-zA-Z%0-9é ]{0,6}){0,2}(\\?[a-z=&;%+]{0,6})?(#[a-z%2]{0,4})?"
}

proptest! {
    #[test]
    fn what_is_written_again_is_read_as_the_same(text in nearly()) {
        if let Ok(url) = parse::parse_with_fragment(&text) {
            let text_again = url.to_text();
            // Without a host, slashes are not preserved.
            prop_assume!(!url.host.is_empty());
            let again = parse::parse_with_fragment(&text_again).map(|again| again.to_text());
            prop_assert_eq!(again, Ok(text_again));
        }
    }

    #[test]
    fn nothing_panics(text in any::<String>()) {
        if let Ok(url) = parse::parse_with_fragment(&text) {
            let _ = (url.host_and_port(), url.escaped_path(), url.parameters());
        }
    }
}

#[test]
fn escapes_that_cut_a_character_are_shown_byte_by_byte() {
    let error = parse::check("/%é").expect_err("no escape");
    assert_eq!(error, "parse \"/%é\": invalid URL escape \"%é\"");
    let error = parse::check("/%a日").expect_err("no escape");
    assert_eq!(error, "parse \"/%a日\": invalid URL escape \"%a\\xe6\"");
}

#[test]
fn ten_thousand_parameters_are_the_most() {
    let url = |count: usize| alloc::format!("/?{}a", "a&".repeat(count - 1));
    let parameters =
        |count| parse::parse_with_fragment(&url(count)).expect("a URL").parameters().len();
    assert_eq!((parameters(10_000), parameters(10_001)), (1, 0));
}
