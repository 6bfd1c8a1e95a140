//! `ObjectInterfaces` and `TypeConverter` of a request: decoding, defaults and merging of what policies and webhooks
//! made of an object.

use crate::app::request_cluster::RequestCluster;
use ratchet_apply::{merge_configuration, unstructured_error};
use ratchet_object::{GroupVersionKind, Node, defaults};
use ratchet_policy::{ObjectInterfaces, TypeConverter, decode_built_in};

impl ObjectInterfaces for RequestCluster<'_> {
    fn decode(
        &self,
        object: Node<'static>,
        kind: &GroupVersionKind<'_>,
        strict: bool,
    ) -> Result<Node<'static>, String> {
        match self.find_kind(kind) {
            Some(resource) => resource.decode_patched(object, kind, strict),
            None => decode_built_in(object, kind, strict),
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

    fn converts_patched(&self, kind: &GroupVersionKind<'_>) -> bool {
        self.find_kind(kind).is_some_and(|resource| resource.converts_patched())
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
        let unknown = || {
            format!(
                "failed to convert patch object to typed object: no corresponding type for {kind}"
            )
        };
        let resource = self.find_kind(kind).ok_or_else(unknown)?;
        // Nothing is converted: both are of one version.
        let same = |object: &Node<'_>, _: &str| Ok(object.clone().into_owned());
        let converter = resource.object_type().converter(&same);
        let merge_type = converter.type_of(&resource.api_version()).ok_or_else(unknown)?;
        merge_configuration(object, configuration, merge_type)
    }

    fn decode_error(&self, kind: &GroupVersionKind<'_>, object: &Node<'_>) -> Option<String> {
        unstructured_error(object, *kind)
    }
}
