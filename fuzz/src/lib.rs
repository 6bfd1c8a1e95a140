//! Runtime of the fuzz targets: time, seeds, and the texts and trees that random bytes become.

mod choices;
mod documents;
mod edits;
mod run;
pub mod tree;

pub use choices::Choices;
pub use documents::{documents, grafted, node};
pub use run::{Run, budget};

/// Runs one target: its seeds first, then what the engine thinks of until the time is up.
///
/// It stands in a test of its own, because `bolero::check!` returns from the function around it
/// when `cargo bolero` only asks which targets there are.
#[macro_export]
macro_rules! fuzz {
    ($name:literal, $words:expr, $check:expr) => {{
        let engine = bolero::check!();
        let run = $crate::Run::new($name, $words, $check);
        run.seeds();
        engine.with_test_time($crate::budget()).for_each(|input: &[u8]| run.input(input));
        run.end();
    }};
}

/// What the hexadecimal digits of a text say; anything else in it is passed over.
#[must_use]
pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|letter| letter.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit) as u8)
        .collect()
}
