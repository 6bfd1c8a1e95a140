//! `commit`: a commit of the task that follows definitions, in which a conflict is no error.

use crate::status::StatusError;
use crate::storage::cache::{Cache, WAIT_LIMIT};
use ratchet_store::{Commit, Write};

/// Commits writes of the server itself; returns their revision. A conflict is no error, for the next step begins with
/// what is stored then.
pub(super) async fn commit(cache: &Cache, writes: Vec<Write>) -> Result<Option<u64>, StatusError> {
    let each = writes.into_iter().map(|write| vec![write]);
    match cache.commit_parts(each, WAIT_LIMIT).await? {
        Commit::Done(revision) => Ok(Some(revision.0)),
        Commit::Refused { .. } => {
            cache.fresh().await?;
            Ok(None)
        }
    }
}
