//! `PodSpec`: a typed view of the specification of a pod, and the list of container kinds.

use crate::{At, Node};

/// The lists of containers of a pod, in the order in which Kubernetes visits them.
pub const CONTAINER_LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The specification of a pod or of a pod template. An absent member reads as empty.
#[derive(Clone, Copy, Debug)]
pub struct PodSpec<'n, 't>(Option<&'n Node<'t>>);

impl<'t> Node<'t> {
    /// The specification of the pod of which this is the root.
    pub fn pod_spec(&self) -> PodSpec<'_, 't> {
        PodSpec(self.get("spec"))
    }
}

impl<'n, 't> PodSpec<'n, 't> {
    /// All containers, in the order of [`CONTAINER_LISTS`].
    pub fn containers(self) -> impl Iterator<Item = &'n Node<'t>> {
        CONTAINER_LISTS.into_iter().flat_map(move |list| self.list(list))
    }

    /// The containers of one list.
    pub fn list(self, list: &str) -> &'n [Node<'t>] {
        self.items(list)
    }

    /// `spec.volumes`.
    pub fn volumes(self) -> &'n [Node<'t>] {
        self.items("volumes")
    }

    fn items(self, name: &str) -> &'n [Node<'t>] {
        self.0.and_then(|spec| spec.get(name)).map(Node::items).unwrap_or_default()
    }
}

impl<'a> At<'a> {
    /// All containers of this pod specification with their paths, in the order of [`CONTAINER_LISTS`].
    pub fn containers(&self) -> impl Iterator<Item = Self> + use<'a> {
        let spec = *self;
        CONTAINER_LISTS.into_iter().flat_map(move |list| spec.field(list).items())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::string::ToString;
    use alloc::vec::Vec;

    const POD: &str =
        "{spec: {containers: [{name: a}, {name: b}], ephemeralContainers: [{name: e}],
        initContainers: [{name: i}], volumes: [{name: v}]}}";

    #[test]
    fn containers_of_all_kinds_are_visited_in_order() {
        let pod = decode(POD, Limits::DEFAULT).unwrap().documents.remove(0);
        let spec = pod.pod_spec();
        let names: Vec<&str> =
            spec.containers().map(|container| container.text_at(&["name"])).collect();
        assert_eq!(names, ["i", "a", "b", "e"]);
        assert_eq!((spec.list("containers").len(), spec.volumes().len()), (2, 1));
    }

    #[test]
    fn containers_know_their_paths() {
        let pod = decode(POD, Limits::DEFAULT).unwrap().documents.remove(0);
        let spec = At::root(&pod).field("spec");
        let paths: Vec<_> = spec.containers().map(|at| at.path().to_string()).collect();
        let expected =
            ["initContainers[0]", "containers[0]", "containers[1]", "ephemeralContainers[0]"];
        assert_eq!(paths, expected.map(|path| alloc::format!("spec.{path}")));
    }

    #[test]
    fn a_pod_without_a_specification_has_no_containers() {
        let pod = decode("{spec: null}", Limits::DEFAULT).unwrap().documents.remove(0);
        assert_eq!((pod.pod_spec().containers().count(), pod.pod_spec().volumes().len()), (0, 0));
        assert_eq!(At::root(&pod).field("spec").containers().count(), 0);
    }
}
