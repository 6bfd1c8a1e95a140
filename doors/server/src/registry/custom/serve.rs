//! Stored custom objects as a version serves them: pruned, with defaults, converted.

use super::super::ServedResource;
use super::Defined;
use crate::status::StatusError;
use crate::storage::cache::{Change, Item};
use ratchet_crd::CustomResource;
use ratchet_object::Node;
use std::sync::Arc;

/// The number of objects that are converted at once.
const YIELD_EVERY: usize = 32;

impl ServedResource {
    /// Waits until another resource is served in the place of this one, which does not happen to those of the catalog.
    pub(crate) async fn replaced(&self) {
        match self.defined() {
            Some(defined) => defined.replaced().await,
            None => std::future::pending().await,
        }
    }

    /// Stored objects as this version serves them. Most are served as they are stored; the others are brought into
    /// shape, or converted, by a webhook if the definition has one. Objects that were served once remain as they are.
    pub(crate) async fn serve(
        &self,
        mut items: Vec<Arc<Item>>,
    ) -> Result<Vec<Arc<Item>>, StatusError> {
        let Some(defined) = self.defined() else { return Ok(items) };
        // Objects that a webhook must convert, and their places.
        let mut sent: Vec<(usize, Node<'static>)> = Vec::new();
        for (at, item) in items.iter_mut().enumerate() {
            if item.has_shape(defined.serial) {
                continue;
            }
            match self.serve_now(defined, item)? {
                Outcome::Item(served) => *item = served,
                Outcome::ByWebhook(node) => sent.push((at, node)),
            }
            // Others have their turn: a long list may have to be converted.
            if at % YIELD_EVERY == YIELD_EVERY - 1 {
                tokio::task::yield_now().await;
            }
        }
        let Some(converter) = defined.definition.converter().filter(|_| !sent.is_empty()) else {
            return Ok(items);
        };
        let (places, nodes): (Vec<usize>, Vec<Node<'static>>) = sent.into_iter().unzip();
        let converted = converter.convert(nodes, &self.api_version()).await?;
        let resource = defined.definition.compiled();
        for (at, mut node) in places.into_iter().zip(converted) {
            self.finish(resource, &mut node)?;
            if let Some(item) = items.get_mut(at) {
                let served = item.showing(node);
                served.set_shape(defined.serial);
                *item = Arc::new(served);
            }
        }
        Ok(items)
    }

    /// One stored object as this version serves it.
    pub(crate) async fn serve_one(&self, item: Arc<Item>) -> Result<Arc<Item>, StatusError> {
        if self.defined().is_none() {
            return Ok(item);
        }
        let mut served = self.serve(vec![item]).await?;
        served.pop().ok_or_else(|| StatusError::internal("an object was lost"))
    }

    /// The object of a change as this version serves it, made once for all who watch; `is_before` says that it is the
    /// one before the change.
    pub(crate) async fn serve_change(
        &self,
        change: &Change,
        item: Arc<Item>,
        is_before: bool,
    ) -> Result<Arc<Item>, StatusError> {
        let serial = self.defined().map(|defined| defined.serial);
        match serial.filter(|serial| !item.has_shape(*serial)) {
            Some(serial) => change.conversions.get((serial, is_before), self.serve_one(item)).await,
            None => Ok(item),
        }
    }

    /// One stored object as this version serves it, without calling a webhook: an object that needs one is an error.
    pub(crate) fn serve_local(&self, item: &Arc<Item>) -> Result<Arc<Item>, StatusError> {
        let Some(defined) = self.defined() else { return Ok(item.clone()) };
        match self.serve_now(defined, item)? {
            Outcome::Item(served) => Ok(served),
            Outcome::ByWebhook(_) => {
                Err(StatusError::internal("the object needs a conversion webhook"))
            }
        }
    }

    fn serve_now(&self, defined: &Defined, item: &Arc<Item>) -> Result<Outcome, StatusError> {
        if item.has_shape(defined.serial) {
            return Ok(Outcome::Item(item.clone()));
        }
        let row = self.row();
        let resource = defined.definition.compiled();
        let mut node = item.node();
        let version = item.version().unwrap_or(row.version).to_owned();
        resource.set_version(&mut node, &version);
        node.set("kind", Node::string(row.kind.to_owned()));
        let failed = |error| StatusError::unclassified(format!("{error}"));
        resource.decode_stored(&mut node).map_err(failed)?;
        if version != row.version {
            if defined.definition.converter().is_some() {
                return Ok(Outcome::ByWebhook(node));
            }
            resource.set_version(&mut node, row.version);
            self.finish(resource, &mut node)?;
        }
        let served = item.showing(node);
        // The next reader need not look: neither the object nor the type will change.
        if version == row.version && served.body() == item.body() {
            item.set_shape(defined.serial);
            return Ok(Outcome::Item(item.clone()));
        }
        served.set_shape(defined.serial);
        Ok(Outcome::Item(Arc::new(served)))
    }

    fn finish(
        &self,
        resource: &CustomResource,
        node: &mut Node<'static>,
    ) -> Result<(), StatusError> {
        let finished = resource.finish_conversion(node, self.row().version);
        finished.map_err(|error| StatusError::unclassified(format!("{error}")))
    }

    /// Whether discovery names the resource, but requests for it find nothing: it is defined in a built-in version.
    pub(crate) fn is_only_listed(&self) -> bool {
        self.defined().is_some_and(|defined| defined.is_only_listed)
    }

    /// Whether a webhook converts objects that are stored in another version.
    pub(crate) fn has_conversion_webhook(&self) -> bool {
        self.defined().is_some_and(|defined| defined.definition.converter().is_some())
    }

    /// Whether [`Self::store`] calls a webhook, for which it may have to wait.
    pub(crate) fn is_stored_by_webhook(&self) -> bool {
        self.has_conversion_webhook() && self.stored().version != self.row().version
    }

    /// Converts an object of this version to the version in which objects are stored; returns its `apiVersion`, which
    /// built-in resources do not need.
    pub(crate) async fn store(
        &self,
        mut node: Node<'static>,
    ) -> Result<(Node<'static>, Option<String>), StatusError> {
        let Some(defined) = self.defined() else {
            self.to_stored(&mut node);
            return Ok((node, None));
        };
        let resource = defined.definition.compiled();
        let stored = self.stored();
        let api_version = format!("{}/{}", stored.group, stored.version);
        match defined.definition.converter().filter(|_| stored.version != self.row().version) {
            Some(converter) => {
                let mut converted = converter.convert(vec![node], &api_version).await?;
                let lost = || StatusError::internal("an object was lost");
                node = converted.pop().ok_or_else(lost)?;
                resource.set_version(&mut node, stored.version);
                let finished = resource.finish_conversion(&mut node, stored.version);
                finished.map_err(|error| StatusError::unclassified(format!("{error}")))?;
            }
            None => resource
                .to_storage(&mut node)
                .map_err(|error| StatusError::unclassified(format!("{error}")))?,
        }
        self.canonicalize(&mut node);
        Ok((node, Some(api_version)))
    }
}

/// What becomes of a stored object.
enum Outcome {
    Item(Arc<Item>),
    /// A webhook must convert it.
    ByWebhook(Node<'static>),
}
