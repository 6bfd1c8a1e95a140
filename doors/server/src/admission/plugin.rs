//! `Plugin`: the trait of an admission plugin, with what it receives and returns.

use super::mutator::Mutator;
use super::scope::AdmissionScope;
use crate::app::resource_request::ResourceRequest;
use crate::request::options::DeleteOptions;
use crate::status::StatusError;
use crate::validation::Judgement;
use ratchet_admission::Attributes;
use ratchet_engine::{Change, Part};
use ratchet_object::{GroupVersionKind, Node};
use ratchet_store::Write;
use std::future::Future;
use std::pin::Pin;
use tokio::sync::MutexGuard;

/// The result of a mutating plugin: `None` if it has no such part.
pub(super) type Admission = Option<Result<(), StatusError>>;

/// What a plugin returns: most know it at once, and no request pays for a future that has nothing to wait for.
pub(super) enum PluginResult<'a, T> {
    /// The result.
    Now(Result<T, StatusError>),
    /// A future that waits for it.
    Later(Pin<Box<dyn Future<Output = Result<T, StatusError>> + Send + 'a>>),
}

impl<'a, T> PluginResult<'a, T> {
    /// The result of a future.
    pub(super) fn later(future: impl Future<Output = Result<T, StatusError>> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }

    /// The result, when it is known.
    pub(super) async fn get(self) -> Result<T, StatusError> {
        match self {
            Self::Now(result) => result,
            Self::Later(future) => future.await,
        }
    }
}

/// An admission plugin.
pub(super) trait Plugin: Send + Sync {
    /// The name in flags and metrics.
    fn name(&self) -> &'static str;

    /// Whether the plugin handles objects that are not stored: deletions, and bodies of subresources.
    fn handles_unstored(&self) -> bool {
        false
    }

    /// Waits for cluster state that the plugin needs and that is about to come.
    fn wait<'a>(
        &'a self,
        request: &'a ResourceRequest<'_>,
        object: &'a Node<'static>,
    ) -> PluginResult<'a, ()> {
        let _ = (request, object);
        PluginResult::Now(Ok(()))
    }

    /// Changes an object before it is validated, or rejects it.
    fn admit(
        &self,
        request: &ResourceRequest<'_>,
        attributes: &Attributes<'_>,
        object: &mut Node<'static>,
    ) -> Admission {
        let _ = (request, attributes, object);
        None
    }

    /// Who changes the object in the place of the plugin, with calls that take time.
    fn mutator(&self) -> Option<Mutator> {
        None
    }

    /// Rejects what is valid but not allowed.
    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        let _ = subject;
        PluginResult::Now(Ok(()))
    }

    /// The conditions under which a validated object may be committed.
    fn conditions<'f, 'a: 'f>(
        &'f self,
        request: &'a ResourceRequest<'_>,
        write: &'f PendingWrite<'_>,
    ) -> PluginResult<'f, CommitConditions<'a>> {
        let _ = (request, write);
        PluginResult::Now(Ok(CommitConditions::default()))
    }
}

/// The subject of validating admission.
pub(super) enum Subject<'a> {
    /// A create or an update of a stored object, which is valid.
    Change {
        request: &'a ResourceRequest<'a>,
        change: &'a Change<'a>,
        attributes: &'a Attributes<'a>,
        judgement: &'a Judgement,
    },
    /// A deletion.
    Deletion {
        request: &'a ResourceRequest<'a>,
        old: &'a Node<'static>,
        options: &'a DeleteOptions,
    },
    /// The body of a subresource that is not stored.
    Body { request: &'a ResourceRequest<'a>, kind: GroupVersionKind<'a>, object: &'a Node<'a> },
    /// A connection, such as `exec`.
    Connect { scope: &'a AdmissionScope<'a>, kind: &'a str, options: &'a Node<'a> },
}

impl<'a> Subject<'a> {
    /// The part of the request that policies and webhooks need.
    pub(super) fn scope(&self) -> AdmissionScope<'a> {
        match *self {
            Self::Change { request, .. }
            | Self::Deletion { request, .. }
            | Self::Body { request, .. } => AdmissionScope::of(request),
            Self::Connect { scope, .. } => *scope,
        }
    }
}

/// A validated object that is about to be committed.
pub(super) struct PendingWrite<'a> {
    pub(super) part: Part,
    pub(super) new: &'a Node<'a>,
    pub(super) old: Option<&'a Node<'a>>,
}

/// Writes and guards that belong to the commit of an object, with the lock that they need until then.
#[derive(Default)]
pub(crate) struct CommitConditions<'a> {
    pub(super) writes: Vec<Write>,
    pub(super) lock: Option<MutexGuard<'a, ()>>,
}

impl CommitConditions<'_> {
    /// Lets other requests go ahead while this one waits for somebody else: what they change makes the commit fail, and
    /// it is tried again.
    pub(crate) fn unlock(&mut self) {
        self.lock = None;
    }

    /// The writes, for each attempt to commit.
    pub(crate) fn writes(&self) -> impl Iterator<Item = Write> + '_ {
        self.writes.iter().cloned()
    }
}
