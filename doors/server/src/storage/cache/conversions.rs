//! `Conversions`: a changed object in the versions of those who watch, each made once for all of them.

use super::Item;
use crate::status::StatusError;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OnceCell;

/// The most versions that are kept of one change.
const MAX_VERSIONS: usize = 4;

/// The type of objects, by its serial number, and whether it is the object before the change.
pub(crate) type ConversionKey = (u64, bool);

/// What a conversion gave, as soon as it is done.
type Conversion = Arc<OnceCell<Result<Arc<Item>, StatusError>>>;

/// The conversions of one change.
#[derive(Debug, Default)]
pub(crate) struct Conversions(Mutex<Vec<(ConversionKey, Conversion)>>);

impl Conversions {
    /// The object in one version: the first who asks converts it, and all others wait. A failure is told to those who
    /// wait for it, and to nobody later: a webhook may be there again.
    pub(crate) async fn get(
        &self,
        key: ConversionKey,
        convert: impl Future<Output = Result<Arc<Item>, StatusError>>,
    ) -> Result<Arc<Item>, StatusError> {
        let Some(conversion) = self.conversion(key) else { return convert.await };
        let result = conversion.get_or_init(|| convert).await.clone();
        if result.is_err() {
            self.all().retain(|(_, other)| !Arc::ptr_eq(other, &conversion));
        }
        result
    }

    /// The conversion to one version; none if there are too many.
    fn conversion(&self, key: ConversionKey) -> Option<Conversion> {
        let mut all = self.all();
        if let Some((_, found)) = all.iter().find(|(known, _)| *known == key) {
            return Some(found.clone());
        }
        (all.len() < MAX_VERSIONS).then(|| {
            let new = Conversion::default();
            all.push((key, new.clone()));
            new
        })
    }

    fn all(&self) -> MutexGuard<'_, Vec<(ConversionKey, Conversion)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn item() -> Arc<Item> {
        Arc::new(Item::stored("a".into(), 1, br#"{"metadata":{"name":"a"}}"#).unwrap())
    }

    #[tokio::test]
    async fn all_who_watch_a_version_share_one_conversion() {
        let (conversions, count) = (Conversions::default(), AtomicUsize::new(0));
        let convert = || async {
            tokio::task::yield_now().await;
            count.fetch_add(1, Ordering::SeqCst);
            Ok(item())
        };
        let (one, two, other) = tokio::join!(
            conversions.get((1, false), convert()),
            conversions.get((1, false), convert()),
            conversions.get((2, false), convert()),
        );
        assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
        assert!(other.is_ok());
        assert_eq!(count.load(Ordering::SeqCst), 2);
        for serial in 0..100 {
            conversions.get((serial, true), convert()).await.unwrap();
        }
        assert_eq!(conversions.all().len(), MAX_VERSIONS);
    }

    #[tokio::test]
    async fn a_failure_is_shared_by_those_who_wait_and_tried_again_later() {
        let (conversions, count) = (Conversions::default(), AtomicUsize::new(0));
        let fail = || async {
            tokio::task::yield_now().await;
            count.fetch_add(1, Ordering::SeqCst);
            Err(StatusError::unclassified("no"))
        };
        let (one, two) =
            tokio::join!(conversions.get((1, false), fail()), conversions.get((1, false), fail()));
        assert!(one.is_err() && two.is_err());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert!(conversions.get((1, false), async { Ok(item()) }).await.is_ok());
    }
}
