//! `ObjectInterfaces` and `TypeConverter` of a request: decoding, defaults and merging of what policies and webhooks
//! made of an object.

use crate::app::request_cluster::RequestCluster;
use ratchet_apply::{TypeRef, merge_configuration};
use ratchet_object::{GroupVersionKind, Node, defaults, schema};
use ratchet_policy::{ObjectInterfaces, TypeConverter, decode_built_in, with_type};

impl ObjectInterfaces for RequestCluster<'_> {
    fn decode(
        &self,
        object: Node<'static>,
        kind: &GroupVersionKind<'_>,
        strict: bool,
    ) -> Result<Node<'static>, String> {
        let resource = self.find_kind(kind);
        let Some(resource) = resource.filter(|resource| resource.object_type().custom().is_some())
        else {
            return decode_built_in(object, kind, strict);
        };
        let mut object = with_type(object, kind)?;
        // Custom resources have no types that fields could be unknown to: what the schema does not know goes.
        let report = resource.object_type().decode(&mut object, &[]);
        match report.mismatches.into_iter().next() {
            Some(mismatch) => Err(mismatch.message),
            None => Ok(object),
        }
    }

    fn default_object(&self, object: &mut Node<'static>, kind: &GroupVersionKind<'_>) {
        match self.find_kind(kind) {
            Some(resource) => resource.apply_defaults(object),
            None => {
                defaults::apply(kind.group, kind.version, kind.kind, object);
            }
        }
    }

    fn is_unstructured(&self, kind: &GroupVersionKind<'_>) -> bool {
        self.find_kind(kind).is_some_and(|resource| resource.object_type().custom().is_some())
    }
}

impl TypeConverter for RequestCluster<'_> {
    fn merge(
        &self,
        kind: &GroupVersionKind<'_>,
        object: &Node<'_>,
        configuration: &Node<'_>,
    ) -> Result<Node<'static>, String> {
        // Types come from the published document of their group version, which knows no others than those of its
        // resources.
        let is_published = self.find_kind(kind).is_some();
        let row = schema::kind(kind.group, kind.version, kind.kind).filter(|_| is_published);
        match row {
            Some(row) => merge_configuration(object, configuration, TypeRef::built_in(row.ty)),
            None => Err(format!(
                "failed to convert patch object to typed object: no corresponding type for {kind}"
            )),
        }
    }
}
