//! Duplicate members of a map: the last one counts.

use crate::Span;
use crate::tree::Entry;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Maps up to this size are compared pair by pair, which needs no memory.
const SMALL: usize = 24;

/// One bit of a key. Keys with different bits differ, so that most need no comparison.
fn sketch(key: &str) -> u64 {
    let (bytes, len) = (key.as_bytes(), key.len());
    let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or_default());
    1 << ((len * 5 + byte(len / 2) * 3 + byte(len.wrapping_sub(1))) % 64)
}

/// Keeps the last of duplicate members, and reports them.
pub(crate) fn dedup_members<'t>(
    entries: &mut Vec<Entry<'t>>,
    mut report: impl FnMut(&Cow<'t, str>, Span),
) {
    let mut stale: Vec<usize> = Vec::new();
    duplicates(entries, |first, second| {
        stale.push(first);
        report(&second.key, second.key_span);
    });
    if !stale.is_empty() {
        stale.sort_unstable();
        let mut index = 0;
        entries.retain(|_| {
            index += 1;
            stale.binary_search(&(index - 1)).is_err()
        });
    }
}

/// Whether no two members have the same key.
pub(crate) fn are_unique(entries: &[Entry<'_>]) -> bool {
    let mut is_unique = true;
    duplicates(entries, |_, _| is_unique = false);
    is_unique
}

/// Finds the members whose key comes again: the position of each, and the member that comes after it.
fn duplicates<'t>(entries: &[Entry<'t>], mut found: impl FnMut(usize, &Entry<'t>)) {
    if entries.len() <= SMALL {
        let mut sketches = 0u64;
        for (index, entry) in entries.iter().enumerate() {
            let sketch = sketch(&entry.key);
            if sketches & sketch == 0 {
                sketches |= sketch;
                continue;
            }
            let mut before = entries.iter().take(index);
            if let Some(first) = before.rposition(|other| other.key == entry.key) {
                found(first, entry);
            }
        }
    } else {
        let mut order: Vec<(&Cow<'t, str>, usize)> =
            entries.iter().enumerate().map(|(index, entry)| (&entry.key, index)).collect();
        order.sort_unstable();
        for pair in order.windows(2) {
            if let [(key, first), (other, second)] = pair
                && key == other
                && let Some(entry) = entries.get(*second)
            {
                found(*first, entry);
            }
        }
    }
}
