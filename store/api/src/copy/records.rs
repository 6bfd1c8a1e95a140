//! `Records`: one side of a copy, record by record.

use std::collections::VecDeque;

use crate::pages::Pages;
use crate::{Record, Revision, Store, StoreError};

/// A reader of all records that can look at the next one.
pub(super) struct Records<'s> {
    store: &'s dyn Store,
    pages: Pages,
    page: VecDeque<Record>,
}

impl<'s> Records<'s> {
    pub(super) fn new(store: &'s dyn Store, at: Option<Revision>) -> Self {
        Self { store, pages: Pages::new(at), page: VecDeque::new() }
    }

    /// The next record, which stays the next.
    pub(super) async fn peek(&mut self) -> Result<Option<&Record>, StoreError> {
        while self.page.is_empty() {
            let Some(records) = self.pages.next(self.store).await? else { return Ok(None) };
            self.page = records.into();
        }
        Ok(self.page.front())
    }

    /// The record that was looked at.
    pub(super) fn take(&mut self) -> Option<Record> {
        self.page.pop_front()
    }
}
