//! `Part`: one store of several, with the keys of its own line only.

use std::sync::Arc;

use super::{Line, Routes};
use crate::{
    Answer, Batch, Commit, Expiring, Health, Page, PastBatch, Query, Record, Revision, Store,
    StoreError, Watch, Write,
};

/// A store, of which only the keys of a line are seen: what was stored before keys were split stays unseen, and so does
/// what other lines have in the same place.
#[derive(Clone)]
pub(super) struct Part {
    store: Arc<dyn Store>,
    own: Own,
}

/// The keys of a line.
#[derive(Clone)]
struct Own {
    line: Line,
    routes: Arc<Routes>,
}

impl Own {
    fn has(&self, key: &str) -> bool {
        self.routes.line_of(key) == self.line
    }
}

impl Part {
    pub(super) fn new(store: Arc<dyn Store>, line: Line, routes: Routes) -> Self {
        Self { store, own: Own { line, routes: Arc::new(routes) } }
    }

    /// Pages of the store until one is full, or there are no more. Keys of others count as more.
    async fn list_own(&self, query: Query) -> Result<Page, StoreError> {
        let (limit, mut query) = (query.limit, query);
        let mut page = Page::default();
        loop {
            let found = self.store.list(query.clone()).await?;
            (page.has_more, page.revision) = (found.has_more, found.revision);
            let last = found.records.last().map(|record| record.key.to_string());
            let own = found.records.into_iter().filter(|record| self.own.has(&record.key));
            page.records.extend(own);
            let left = limit.saturating_sub(page.records.len());
            if !found.has_more || last.is_none() || left == 0 {
                return Ok(page);
            }
            query = Query { after: last, limit: left, at: Some(found.revision), ..query };
        }
    }
}

impl Store for Part {
    fn latest(&self) -> Answer<'_, Revision> {
        self.store.latest()
    }

    fn get(&self, key: &str) -> Answer<'_, Option<Record>> {
        match self.own.has(key) {
            true => self.store.get(key),
            false => Box::pin(std::future::ready(Ok(None))),
        }
    }

    fn list(&self, query: Query) -> Answer<'_, Page> {
        match self.own.routes.line_within(&query.prefix) == Some(self.own.line) {
            true => self.store.list(query),
            false => Box::pin(self.list_own(query)),
        }
    }

    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit> {
        match writes.iter().find(|write| !self.own.has(&write.key)) {
            None => self.store.commit(writes),
            Some(write) => {
                let why = format!("{} is not among the keys of this store", write.key);
                Box::pin(std::future::ready(Err(StoreError::Broken(why))))
            }
        }
    }

    fn max_guards(&self) -> usize {
        self.store.max_guards()
    }

    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>> {
        let prefix = prefix.to_owned();
        Box::pin(async move {
            let watch = self.store.watch(&prefix, after).await?;
            Ok(Box::new(OwnEvents { watch, own: self.own.clone() }) as Box<dyn Watch>)
        })
    }

    fn past(&self, prefix: &str, after: Revision) -> Answer<'_, PastBatch> {
        let prefix = prefix.to_owned();
        Box::pin(async move {
            let mut batch = self.store.past(&prefix, after).await?;
            batch.events.retain(|past| self.own.has(&past.event.key));
            Ok(batch)
        })
    }

    fn expiring(&self) -> Answer<'_, Expiring> {
        Box::pin(async move {
            let mut expiring = self.store.expiring().await?;
            expiring.keys.retain(|(key, _)| self.own.has(key));
            Ok(expiring)
        })
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        self.store.compact(before)
    }

    fn take_turn(&self, name: &str) -> Answer<'_, bool> {
        self.store.take_turn(name)
    }

    fn size(&self) -> Answer<'_, u64> {
        self.store.size()
    }

    fn health(&self) -> Health {
        self.store.health()
    }
}

/// A watch without the events of other lines, which tell progress only.
struct OwnEvents {
    watch: Box<dyn Watch>,
    own: Own,
}

impl Watch for OwnEvents {
    fn next(&mut self) -> Answer<'_, Batch> {
        Box::pin(async move {
            let mut batch = self.watch.next().await?;
            batch.events.retain(|event| self.own.has(&event.key));
            Ok(batch)
        })
    }
}
