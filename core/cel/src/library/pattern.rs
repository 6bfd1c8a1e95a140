//! Compiled RE2 pattern, behind the regex library and `matches`.

use super::re2::{self, Reason};
use alloc::string::{String, ToString};
use regex_automata::meta;

/// The memory limit of a compiled pattern.
const SIZE_LIMIT: usize = 10 << 20;
/// The memory limit of a search's lazily built states.
const CACHE: usize = 1 << 20;

/// A compiled pattern in RE2's syntax. Searches take time linear in the text, and memory is bounded.
#[derive(Clone, Debug)]
pub struct Regex(meta::Regex, usize);

/// Compiles a pattern.
///
/// # Errors
///
/// Go's error message.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let hir = re2::parse(pattern).map_err(|error| error.to_string())?;
    let config = meta::Config::new()
        .nfa_size_limit(Some(SIZE_LIMIT))
        .hybrid_cache_capacity(CACHE)
        .which_captures(regex_automata::nfa::thompson::WhichCaptures::Implicit);
    let built = meta::Builder::new().configure(config).build_from_hir(&hir);
    // Once the pattern is parsed, only its size can be refused.
    built
        .map(|built| {
            let memory = built.memory_usage();
            Regex(built, memory)
        })
        .map_err(|_| re2::PatternError { reason: Reason::Large, part: pattern }.to_string())
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Go's error message.
    pub fn new(pattern: &str) -> Result<Self, String> {
        compile(pattern)
    }

    /// The bytes that the compiled pattern takes, which bound the work for each byte of a text.
    pub fn memory_usage(&self) -> usize {
        self.1
    }

    /// Whether it matches anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The first match.
    pub(crate) fn find<'h>(&self, text: &'h str) -> Option<&'h str> {
        self.0.find(text).and_then(|found| text.get(found.range()))
    }

    /// The non-overlapping matches, in order.
    pub(crate) fn find_all<'r, 'h>(
        &'r self,
        text: &'h str,
    ) -> impl Iterator<Item = &'h str> + use<'r, 'h> {
        self.0.find_iter(text).filter_map(|found| text.get(found.range()))
    }
}
