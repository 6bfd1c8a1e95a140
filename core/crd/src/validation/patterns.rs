//! The patterns of a definition, which together may not take more memory than a server has to spare.

use super::internal::InternalSpec;
use alloc::collections::BTreeMap;
use alloc::string::String;
use ratchet_cel::Regex;

/// The most bytes of all compiled patterns of a definition.
const MAX_MEMORY: usize = 128 << 20;
/// What a pattern is counted as that is too large to be compiled.
const TOO_LARGE: usize = 10 << 20;
/// What a letter of a pattern takes at most, unless it is repeated.
const LETTER: usize = 1024;
/// The most that a pattern may be repeated in all.
const MOST_REPEATED: usize = 1000;

/// Whether the patterns can be compiled. Each alone has a limit; but there may be as many as a request has room for.
pub(super) fn fit(spec: &InternalSpec<'_>) -> bool {
    let mut left = MAX_MEMORY;
    let take = |left: &mut usize, size: usize| match left.checked_sub(size) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    };
    let is_small = |left: &mut usize, pattern: &str| take(left, estimate(pattern));
    if !spec.schemas().any(|schema| schema.any(|schema| !is_small(&mut left, &schema.pattern))) {
        return true;
    }
    // They may be large: each is measured once, and counted as often as it occurs.
    left = MAX_MEMORY;
    let mut measured: BTreeMap<String, usize> = BTreeMap::new();
    let mut fits = |pattern: &str| {
        let known = measured.get(pattern).copied();
        let size = known.unwrap_or_else(|| measure(pattern));
        if known.is_none() {
            measured.insert(pattern.into(), size);
        }
        take(&mut left, size)
    };
    !spec.schemas().any(|schema| schema.any(|schema| !fits(&schema.pattern)))
}

/// What a pattern may take at most, seen from its text.
fn estimate(pattern: &str) -> usize {
    let mut repeated = 1_usize;
    let mut rest = pattern;
    while let Some((_, after)) = rest.split_once('{') {
        let count = after.split('}').next().unwrap_or_default();
        let most = count.split(',').filter_map(|number| number.trim().parse().ok()).max();
        repeated = repeated.saturating_mul(most.unwrap_or(1).max(1)).min(MOST_REPEATED);
        rest = after;
    }
    pattern.len().saturating_mul(LETTER).saturating_mul(repeated)
}

fn measure(pattern: &str) -> usize {
    if pattern.is_empty() {
        return 0;
    }
    match Regex::new(pattern) {
        Ok(regex) => regex.memory_usage(),
        Err(why) if why.contains("too large") => TOO_LARGE,
        // It is refused for what it is.
        Err(_) => pattern.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_not_too_low() {
        for pattern in [
            "",
            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            "^.{1,253}$",
            "^\\w{2,1000}$",
            "(a*)*$",
        ] {
            assert!(estimate(pattern) >= measure(pattern), "{pattern}: {}", measure(pattern));
        }
        assert_eq!(measure("("), 1);
    }
}
