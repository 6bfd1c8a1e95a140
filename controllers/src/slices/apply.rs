//! Application of planned writes, with expectations until the informer has seen them.

use super::Write;
use crate::expectations::Expectations;
use crate::{Client, Failure};
use ratchet_object::percent_encode;

/// The outcome of the writes, if none failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// All writes are applied.
    All,
    /// A concurrent change: the plan must be made again.
    Conflict,
    /// The namespace is being deleted, and nothing can be created in it.
    NamespaceTerminating,
}

/// Applies `writes` to the `collection` of a namespace, for the key.
pub(crate) async fn apply_writes(
    client: &Client,
    expectations: &Expectations,
    key: &str,
    collection: &str,
    writes: Vec<Write>,
) -> Result<WriteOutcome, Failure> {
    for write in writes {
        let outcome = match write {
            Write::Create(node) => match client.post(collection, &node).await {
                Ok(response) => {
                    expectations.record_write(key, &response);
                    WriteOutcome::All
                }
                Err(failure) if failure.message.contains("being terminated") => {
                    WriteOutcome::NamespaceTerminating
                }
                // The namespace is already gone.
                Err(failure) if failure.is_not_found() => WriteOutcome::NamespaceTerminating,
                Err(failure) if failure.is_conflict() => WriteOutcome::Conflict,
                Err(failure) => return Err(failure),
            },
            Write::Update(node) => {
                let name = percent_encode(node.metadata().name());
                match client.put(&format!("{collection}/{name}"), &node).await {
                    Ok(response) => {
                        expectations.record_write(key, &response);
                        WriteOutcome::All
                    }
                    Err(failure) if failure.is_conflict() || failure.is_not_found() => {
                        WriteOutcome::Conflict
                    }
                    Err(failure) => return Err(failure),
                }
            }
            Write::Delete(object) => {
                let name = percent_encode(object.metadata().name());
                match client.delete(&format!("{collection}/{name}")).await {
                    Ok(()) => {
                        expectations.record_deletion(key, &object);
                        WriteOutcome::All
                    }
                    Err(failure) if failure.is_not_found() => WriteOutcome::All,
                    Err(failure) if failure.is_conflict() => WriteOutcome::Conflict,
                    Err(failure) => return Err(failure),
                }
            }
        };
        if outcome != WriteOutcome::All {
            return Ok(outcome);
        }
    }
    Ok(WriteOutcome::All)
}
