//! Tables of the other function libraries.
#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

mod rows;

/// One test for each table.
macro_rules! tables {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            let name = stringify!($name);
            rows::check(name, include_str!(concat!("libraries/", stringify!($name), ".txt")));
        }
    )*};
}

tables!(authz, format, lists, quantity, regex, semver, string_format, strings, url);
