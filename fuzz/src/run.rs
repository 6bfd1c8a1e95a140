//! `Run`: one run of a target, with its time limit, its seeds and its count of inputs.

use crate::{Choices, edits};
use std::any::Any;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long each target runs.
const SECONDS: &str = "RATCHET_FUZZ_SECONDS";

/// A target that tries fewer inputs than this tests nothing.
const FEWEST: u64 = 100;

/// How long a target looks for a counterexample: `RATCHET_FUZZ_SECONDS`, or one second.
///
/// # Panics
///
/// If the variable is set to something else than a number of seconds.
pub fn budget() -> Duration {
    let Ok(text) = std::env::var(SECONDS) else { return Duration::from_secs(1) };
    let seconds = text.parse().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
    seconds.unwrap_or_else(|| panic!("{SECONDS}={text:?} is not a number of seconds"))
}

/// A target under way.
#[derive(Debug)]
pub struct Run {
    name: &'static str,
    words: &'static [&'static str],
    check: fn(&str),
    seeds: Vec<(String, String)>,
    inputs: AtomicU64,
    begun: Instant,
}

impl Run {
    /// A run of the target `name`, whose texts are made of its seeds and of `words`.
    ///
    /// # Panics
    ///
    /// If `seeds/<name>` holds no seed, or one that is not text.
    pub fn new(name: &'static str, words: &'static [&'static str], check: fn(&str)) -> Self {
        let seeds = read_seeds(name);
        Self { name, words, check, seeds, inputs: AtomicU64::new(0), begun: Instant::now() }
    }

    /// Tries every seed as it is, in the order of their names.
    pub fn seeds(&self) {
        for (name, text) in &self.seeds {
            self.try_text(text, name);
        }
    }

    /// Tries one input of the engine. What begins with a letter or a blank is a text as it stands,
    /// so that seeds are inputs too; anything else decides how a text is made.
    pub fn input(&self, input: &[u8]) {
        let text = match input.split_first() {
            Some((first, rest)) if !first.is_ascii_graphic() && !first.is_ascii_whitespace() => {
                edits::made(&mut Choices::new(rest), &self.seeds, self.words)
            }
            _ => String::from_utf8_lossy(input).into_owned(),
        };
        self.try_text(without_end(&text), "an input");
    }

    fn try_text(&self, text: &str, what: &str) {
        self.inputs.fetch_add(1, Ordering::Relaxed);
        // An engine shows the bytes that it thought of, a person needs the text made of them.
        if let Err(why) = catch_unwind(AssertUnwindSafe(|| (self.check)(text))) {
            let name = self.name;
            panic!("{name} fails on {what}: {}\nits text: {text:?}", message(why.as_ref()));
        }
    }

    /// Tells how much was tried.
    ///
    /// # Panics
    ///
    /// If it was next to nothing.
    pub fn end(&self) {
        let inputs = self.inputs.load(Ordering::Relaxed);
        let seconds = self.begun.elapsed().as_secs_f64();
        let line = format!("fuzz {}: {inputs} inputs in {seconds:.1} s\n", self.name);
        // Not `eprintln!`, which tests that pass keep to themselves; nobody reads it, no harm.
        let _ = std::io::stderr().write_all(line.as_bytes());
        assert!(inputs >= FEWEST, "{} tried {inputs} inputs, fewer than {FEWEST}", self.name);
    }
}

/// A file ends its last line; the text in it does not.
fn without_end(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn message(why: &(dyn Any + Send)) -> &str {
    let owned = why.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| why.downcast_ref::<&str>().copied()).unwrap_or("a panic without words")
}

fn read_seeds(target: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let cannot = |why: &dyn std::fmt::Display| -> ! { panic!("{}: {why}", folder.display()) };
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|why| cannot(&why));
    let mut seeds: Vec<(String, String)> = entries
        .map(|entry| {
            let path = entry.unwrap_or_else(|why| cannot(&why)).path();
            let text = std::fs::read_to_string(&path).unwrap_or_else(|why| cannot(&why));
            (path.display().to_string(), without_end(&text).to_owned())
        })
        .collect();
    if seeds.is_empty() {
        cannot(&"there is no seed");
    }
    seeds.sort();
    seeds
}
