//! Commits of the server itself that need not happen at once, in parts that the store takes.

use ratchet_store::{Commit, Store, StoreError, Write};

/// Commits groups of writes: each group happens whole or not at all, and all of them in one commit if the store takes it.
/// The first refusal ends it; parts before it have happened.
pub(crate) async fn commit_parts(
    store: &dyn Store,
    groups: impl IntoIterator<Item = Vec<Write>>,
) -> Result<Commit, StoreError> {
    let mut done = None;
    for part in parts(groups, store.max_guards()) {
        match store.commit(part).await? {
            refused @ Commit::Refused { .. } => return Ok(refused),
            commit @ Commit::Done(_) => done = Some(commit),
        }
    }
    match done {
        Some(done) => Ok(done),
        None => store.commit(Vec::new()).await,
    }
}

/// Joins groups as long as they have at most `max` writes together.
fn parts(groups: impl IntoIterator<Item = Vec<Write>>, max: usize) -> Vec<Vec<Write>> {
    let mut parts: Vec<Vec<Write>> = Vec::new();
    for group in groups {
        match parts.last_mut() {
            Some(part) if part.len() + group.len() <= max => part.extend(group),
            _ => parts.push(group),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_store::Guard;

    #[test]
    fn groups_stay_whole() {
        let group = |size: usize| vec![Write::keep("/a", Guard::Absent); size];
        let sizes = |max| -> Vec<usize> {
            parts([1, 2, 2, 5, 1].map(group), max).iter().map(Vec::len).collect()
        };
        assert_eq!(sizes(usize::MAX), [11]);
        assert_eq!(sizes(4), [3, 2, 5, 1]);
        assert!(parts([], 4).is_empty());
    }
}
