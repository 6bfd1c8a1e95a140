//! The regex library (`find`, `findAll`), and the RE2 engine behind it and `matches`.

use super::arguments::{int, text};
use super::re2::{self, Reason};
use super::{Context, Cost, Library, Overload, size_of, tenths};
use crate::{Fault, Value};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use regex_automata::meta;

/// The memory limit of a compiled pattern.
const SIZE_LIMIT: usize = 10 << 20;
/// The memory limit of a search's lazily built states.
const CACHE: usize = 1 << 20;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct Regex(meta::Regex);

/// Compiles a pattern.
///
/// # Errors
///
/// Go's error message.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let hir = re2::parse(pattern).map_err(|fault| fault.to_string())?;
    let config = meta::Config::new()
        .nfa_size_limit(Some(SIZE_LIMIT))
        .hybrid_cache_capacity(CACHE)
        .which_captures(regex_automata::nfa::thompson::WhichCaptures::Implicit);
    let built = meta::Builder::new().configure(config).build_from_hir(&hir);
    // Once the pattern is parsed, only its size can be refused.
    built.map(Regex).map_err(|_| re2::Fault { reason: Reason::Large, part: pattern }.to_string())
}

impl Regex {
    /// Whether it matches anywhere.
    pub(crate) fn is_match(&self, text: &str) -> bool {
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

fn compiled(context: &Context<'_>, pattern: &str) -> Result<Arc<Regex>, Fault> {
    context.regex(pattern).map_err(|error| Fault::new(alloc::format!("Illegal regex: {error}")))
}

fn find<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let regex = compiled(context, text(arguments, 1)?)?;
    Ok(regex.find(text(arguments, 0)?).unwrap_or_default().to_string().into())
}

fn find_all<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let limit = if arguments.len() > 2 { int(arguments, 2)? } else { -1 };
    let regex = compiled(context, text(arguments, 1)?)?;
    // A negative limit means none.
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let text = text(arguments, 0)?;
    context.room(text.len().min(limit))?;
    let matches = regex.find_all(text).take(limit);
    Ok(Value::list(matches.map(|part| part.to_string().into()).collect::<Vec<_>>()))
}

/// The cost of a search: the length of the text times that of the pattern.
pub(crate) fn search_cost(text_size: u64, pattern_size: u64) -> u64 {
    let steps = tenths(text_size.saturating_add(1), 1);
    steps.saturating_mul(pattern_size.div_ceil(4))
}

const SEARCH: Cost = Cost(|arguments, _| search_cost(size_of(arguments, 0), size_of(arguments, 1)));

/// Kubernetes' regex library.
pub(super) static REGEX: Library = Library {
    name: "kubernetes.regex",
    since: (1, 0),
    overloads: &[
        Overload {
            id: "string_find_string",
            signature: "string.find(string): string",
            call: find,
            cost: SEARCH,
        },
        Overload {
            id: "string_find_all_string",
            signature: "string.findAll(string): list(string)",
            call: find_all,
            cost: SEARCH,
        },
        Overload {
            id: "string_find_all_string_int",
            signature: "string.findAll(string, int): list(string)",
            call: find_all,
            cost: SEARCH,
        },
    ],
    constants: &[],
    types: &[],
};
