//! Carrying out what was planned, and remembering it until the informer has seen it.

use super::Write;
use crate::client::escaped;
use crate::expected::Expected;
use crate::{Client, Failure};

/// How the writes ended, if nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// All is written.
    All,
    /// Somebody else was faster: the plan must be made again.
    Overtaken,
    /// The namespace goes, and nothing can be made in it any more.
    NamespaceGoes,
}

/// Carries out `writes` on the `collection` of a namespace, for the key.
pub(crate) async fn carry_out(
    client: &Client,
    expected: &Expected,
    key: &str,
    collection: &str,
    writes: Vec<Write>,
) -> Result<Carried, Failure> {
    for write in writes {
        let carried = match write {
            Write::Create(node) => match client.post(collection, &node).await {
                Ok(answer) => {
                    expected.wrote(key, &answer);
                    Carried::All
                }
                Err(failure) if failure.message.contains("being terminated") => {
                    Carried::NamespaceGoes
                }
                // The namespace is gone already.
                Err(failure) if failure.is_not_found() => Carried::NamespaceGoes,
                Err(failure) if failure.is_conflict() => Carried::Overtaken,
                Err(failure) => return Err(failure),
            },
            Write::Update(node) => {
                let name = escaped(node.text_at(&["metadata", "name"]));
                match client.put(&format!("{collection}/{name}"), &node).await {
                    Ok(answer) => {
                        expected.wrote(key, &answer);
                        Carried::All
                    }
                    Err(failure) if failure.is_conflict() || failure.is_not_found() => {
                        Carried::Overtaken
                    }
                    Err(failure) => return Err(failure),
                }
            }
            Write::Delete(object) => {
                let name = escaped(object.text_at(&["metadata", "name"]));
                match client.delete(&format!("{collection}/{name}")).await {
                    Ok(()) => {
                        expected.deleted(key, &object);
                        Carried::All
                    }
                    Err(failure) if failure.is_not_found() => Carried::All,
                    Err(failure) if failure.is_conflict() => Carried::Overtaken,
                    Err(failure) => return Err(failure),
                }
            }
        };
        if carried != Carried::All {
            return Ok(carried);
        }
    }
    Ok(Carried::All)
}
