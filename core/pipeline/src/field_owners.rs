//! What server-side apply needs to know of a kind: its versions, what its endpoints ignore, where its replicas are.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_apply::{Converter, TypeRef};
use ratchet_crd::CustomResource;
use ratchet_object::{GroupVersionKind, Node};

/// Where objects of one version have their replicas; none if they cannot be scaled.
pub type ReplicasField = (String, Option<Vec<String>>);

/// The versions of a kind that is defined at run time.
pub(crate) struct CustomVersions<'a>(pub(crate) &'a CustomResource);

impl Converter for CustomVersions<'_> {
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>> {
        let (group, version) = api_version.rsplit_once('/')?;
        let definition = &self.0.definition;
        let strategy = self.0.strategy(version).filter(|_| group == definition.group)?;
        let schema = strategy.schema().filter(|_| !definition.preserve_unknown_fields);
        Some(schema.map_or(TypeRef::Deduced, |schema| TypeRef::custom(schema)))
    }

    fn convert(&self, object: &Node<'_>, api_version: &str) -> Result<Node<'static>, String> {
        let version = api_version.rsplit_once('/').map_or(api_version, |(_, version)| version);
        let mut object = object.clone().into_owned();
        self.0.set_version(&mut object, version);
        self.0.finish_conversion(&mut object, version).map_err(|error| error.to_string())?;
        Ok(object)
    }

    fn new_object(&self, kind: GroupVersionKind<'_>) -> Node<'static> {
        Node::map([
            ("apiVersion", Node::string(ratchet_apply::api_version(kind))),
            ("kind", Node::string(kind.kind.to_string())),
        ])
    }
}

/// The names of a path such as `.spec.replicas`.
pub(crate) fn path_names(path: &str) -> Vec<String> {
    path.split('.').filter(|name| !name.is_empty()).map(ToString::to_string).collect()
}
