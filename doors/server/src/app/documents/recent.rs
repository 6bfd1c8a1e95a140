//! `RecentDocuments`: the documents that were asked for lately, as many as fit into a limit.

use super::HashedDocument;
use super::group_version::GroupVersionDocuments;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The most bytes of all documents together: some dozens of large ones.
const MAX_BYTES: usize = 8 << 20;

/// Whose document it is, and the document.
type Entry = (Weak<GroupVersionDocuments>, Arc<HashedDocument>);

/// OpenAPI v3 documents of custom resources, the one that was asked for last at the end.
#[derive(Default)]
pub(super) struct RecentDocuments(Mutex<VecDeque<Entry>>);

impl RecentDocuments {
    /// The document of a group version, if it is kept.
    pub(super) fn get(&self, of: &Arc<GroupVersionDocuments>) -> Option<Arc<HashedDocument>> {
        let mut entries = self.entries();
        let at = entries.iter().position(|(owner, _)| is(owner, of))?;
        let entry = entries.remove(at)?;
        let document = entry.1.clone();
        entries.push_back(entry);
        Some(document)
    }

    /// Keeps a document; the ones that were not asked for in the longest time make room. What is about a group version
    /// that changed since goes at once.
    pub(super) fn put(&self, of: &Arc<GroupVersionDocuments>, document: &Arc<HashedDocument>) {
        let mut entries = self.entries();
        entries.retain(|(owner, _)| owner.strong_count() > 0 && !is(owner, of));
        entries.push_back((Arc::downgrade(of), document.clone()));
        let mut size: usize = entries.iter().map(|(_, document)| document.size()).sum();
        while size > MAX_BYTES {
            let Some((_, oldest)) = entries.pop_front() else { break };
            size -= oldest.size();
        }
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is(owner: &Weak<GroupVersionDocuments>, of: &Arc<GroupVersionDocuments>) -> bool {
    std::ptr::eq(owner.as_ptr(), Arc::as_ptr(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(name: &str) -> Arc<GroupVersionDocuments> {
        Arc::new(GroupVersionDocuments::new("x.io", name, Vec::new()))
    }

    fn document(size: usize) -> Arc<HashedDocument> {
        Arc::new(HashedDocument::of(vec![b'x'; size]))
    }

    #[test]
    fn what_is_asked_for_stays_and_memory_is_bounded() {
        let recent = RecentDocuments::default();
        let [one, two, three] = ["v1", "v2", "v3"].map(version);
        let half = document(MAX_BYTES / 2);
        recent.put(&one, &half);
        recent.put(&two, &half);
        assert!(recent.get(&one).is_some_and(|kept| Arc::ptr_eq(&kept, &half)));
        recent.put(&three, &half);
        assert!(recent.get(&two).is_none(), "it was not asked for in the longest time");
        assert!(recent.get(&one).is_some() && recent.get(&three).is_some());
        recent.put(&two, &document(MAX_BYTES + 1));
        assert!([&one, &two, &three].iter().all(|version| recent.get(version).is_none()));
    }

    #[test]
    fn nothing_is_kept_of_what_is_gone() {
        let recent = RecentDocuments::default();
        let old = version("v1");
        recent.put(&old, &document(10));
        drop(old);
        let new = version("v1");
        assert!(recent.get(&new).is_none());
        recent.put(&new, &document(10));
        recent.put(&new, &document(20));
        assert_eq!(recent.entries().len(), 1);
        assert_eq!(recent.get(&new).map(|kept| kept.size()), Some(20));
    }
}
