//! Several stores as one: each has the keys of some prefixes, and counts its own revisions.
//!
//! What one commit writes into several stores cannot happen at once: [`Split`] says in which order it happens, and what
//! is undone. A revision means something only together with its [`Line`]; [`Split::parts`] are the stores behind it, each
//! with its own keys only.

mod commit;
mod part;

use std::sync::Arc;

use crate::copy;
use crate::{
    Answer, Commit, Expiring, Health, Page, PastBatch, Query, Record, Revision, State, Store,
    StoreError, Watch, Write,
};
use part::Part;

/// One of the counters of revisions: that of the main store is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(pub usize);

/// Which prefixes are whose: all that is not named is the main store's.
#[derive(Clone, Debug, Default)]
struct Routes(Vec<(String, Line)>);

impl Routes {
    /// The line of a key: that of the longest prefix.
    fn line_of(&self, key: &str) -> Line {
        let matching = self.0.iter().filter(|(prefix, _)| key.starts_with(prefix));
        matching.max_by_key(|(prefix, _)| prefix.len()).map_or(Line(0), |(_, line)| *line)
    }

    /// The line of all keys with a prefix; none if they have several.
    fn line_within(&self, prefix: &str) -> Option<Line> {
        let line = self.line_of(prefix);
        let mut below = self.0.iter().filter(|(other, _)| other.starts_with(prefix));
        below.all(|(_, other)| *other == line).then_some(line)
    }
}

/// A main store, and others that have the keys of some prefixes.
///
/// As a [`Store`] it reads and watches what lies in one of them, and writes across them:
///
/// * guards of other stores than that of the first write are checked before it, and what is put there is put before it;
/// * if the first write's store refuses then, what was put is taken back;
/// * what is deleted in other stores is deleted after it.
///
/// So a crash between the steps can leave what was put for a write that did not happen, or what was to be deleted with
/// one that did: as in servers that write one object after another.
#[derive(Clone)]
pub struct Split {
    main: Arc<dyn Store>,
    others: Vec<Arc<dyn Store>>,
    routes: Routes,
}

impl From<Arc<dyn Store>> for Split {
    fn from(main: Arc<dyn Store>) -> Self {
        Self { main, others: Vec::new(), routes: Routes::default() }
    }
}

impl<S: Store> From<Arc<S>> for Split {
    fn from(main: Arc<S>) -> Self {
        Self::from(main as Arc<dyn Store>)
    }
}

impl std::fmt::Debug for Split {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Split").field("routes", &self.routes).finish_non_exhaustive()
    }
}

impl Split {
    /// Adds a store that has the keys with these prefixes.
    #[must_use]
    pub fn with(
        mut self,
        prefixes: impl IntoIterator<Item = String>,
        store: Arc<dyn Store>,
    ) -> Self {
        self.others.push(store);
        let line = Line(self.others.len());
        self.routes.0.extend(prefixes.into_iter().map(|prefix| (prefix, line)));
        self
    }

    /// The line of a key.
    pub fn line_of(&self, key: &str) -> Line {
        self.routes.line_of(key)
    }

    /// The stores in the order of their lines; each has the keys of its line only, whatever else is stored there.
    pub fn parts(&self) -> Vec<Arc<dyn Store>> {
        if self.others.is_empty() {
            return vec![self.main.clone()];
        }
        let stores = std::iter::once(&self.main).chain(&self.others).enumerate();
        let part = |(index, store): (usize, &Arc<dyn Store>)| {
            Arc::new(Part::new(store.clone(), Line(index), self.routes.clone())) as Arc<dyn Store>
        };
        stores.map(part).collect()
    }

    /// Whether one of the stores is the target of a copy that has not been finished.
    pub async fn is_unfinished(&self) -> Result<bool, StoreError> {
        for store in self.all() {
            if copy::is_unfinished(&**store).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As a store; the main one itself if there is no other.
    pub fn into_store(self) -> Arc<dyn Store> {
        match self.others.is_empty() {
            true => self.main,
            false => Arc::new(self),
        }
    }

    fn store(&self, line: Line) -> &Arc<dyn Store> {
        let other = line.0.checked_sub(1).and_then(|index| self.others.get(index));
        other.unwrap_or(&self.main)
    }

    fn within(&self, prefix: &str) -> Result<&Arc<dyn Store>, StoreError> {
        let line = self.routes.line_within(prefix);
        line.map(|line| self.store(line)).ok_or_else(|| {
            StoreError::Broken(format!(
                "keys below {prefix:?} are in several stores, which count revisions apart: read each"
            ))
        })
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Store>> {
        std::iter::once(&self.main).chain(&self.others)
    }
}

impl Store for Split {
    /// That of the main store.
    fn latest(&self) -> Answer<'_, Revision> {
        self.main.latest()
    }

    fn get(&self, key: &str) -> Answer<'_, Option<Record>> {
        self.store(self.line_of(key)).get(key)
    }

    fn list(&self, query: Query) -> Answer<'_, Page> {
        match self.within(&query.prefix) {
            Ok(store) => store.list(query),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    /// The revision is that of the store that has the first write.
    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit> {
        Box::pin(commit::commit(self, writes))
    }

    fn max_guards(&self) -> usize {
        self.all().map(|store| store.max_guards()).min().unwrap_or(usize::MAX)
    }

    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>> {
        match self.within(prefix) {
            Ok(store) => store.watch(prefix, after),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn past(&self, prefix: &str, after: Revision) -> Answer<'_, PastBatch> {
        match self.within(prefix) {
            Ok(store) => store.past(prefix, after),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn expiring(&self) -> Answer<'_, Expiring> {
        self.main.expiring()
    }

    /// Compacts the main store: the revisions of the others are their own.
    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        self.main.compact(before)
    }

    fn take_turn(&self, name: &str) -> Answer<'_, bool> {
        self.main.take_turn(name)
    }

    /// That of all stores together.
    fn size(&self) -> Answer<'_, u64> {
        Box::pin(async move {
            let mut sum = 0;
            for store in self.all() {
                sum += store.size().await?;
            }
            Ok(sum)
        })
    }

    /// The worst state, that of the main store first; the failures of all.
    fn health(&self) -> Health {
        let all: Vec<Health> = self.all().map(|store| store.health()).collect();
        let failures = all.iter().map(|health| health.failures).sum();
        let rank = |state: &State| match state {
            State::Broken(_) => 0,
            State::Full(_) => 1,
            State::Sound => 2,
        };
        let states = all.into_iter().map(|health| health.state);
        Health { state: states.min_by_key(rank).unwrap_or_default(), failures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_has_a_key() {
        let row = |prefix: &str, line| (prefix.to_owned(), Line(line));
        let routes = Routes(vec![row("/r/events/", 1), row("/r/", 2), row("/r/leases/", 1)]);
        let lines = ["/r/events/a", "/r/pods/a", "/other", "/r/leases/a"];
        assert_eq!(lines.map(|key| routes.line_of(key).0), [1, 2, 0, 1]);
        let within = ["/r/events/", "/r/pods/", "/r/", "", "/other/"];
        let found = within.map(|prefix| routes.line_within(prefix).map(|line| line.0));
        assert_eq!(found, [Some(1), Some(2), None, None, Some(0)]);
    }
}
