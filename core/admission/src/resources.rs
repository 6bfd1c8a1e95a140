//! The resources that plugins read, in whatever version they are stored.

use ratchet_object::GroupVersionResource;

pub(crate) const CSI_DRIVERS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("storage.k8s.io", "csidrivers");
pub(crate) const LIMIT_RANGES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "limitranges");
pub(crate) const NAMESPACES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "namespaces");
pub(crate) const NODES: GroupVersionResource<'_> = GroupVersionResource::any_version("", "nodes");
pub(crate) const PERSISTENT_VOLUMES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "persistentvolumes");
pub(crate) const PERSISTENT_VOLUME_CLAIMS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "persistentvolumeclaims");
pub(crate) const PODS: GroupVersionResource<'_> = GroupVersionResource::any_version("", "pods");
pub(crate) const PRIORITY_CLASSES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("scheduling.k8s.io", "priorityclasses");
pub(crate) const RUNTIME_CLASSES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("node.k8s.io", "runtimeclasses");
pub(crate) const SERVICE_ACCOUNTS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "serviceaccounts");
pub(crate) const WORKLOADS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("scheduling.k8s.io", "workloads");
pub(crate) const STORAGE_CLASSES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("storage.k8s.io", "storageclasses");
