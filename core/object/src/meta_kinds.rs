//! Kinds of `meta.k8s.io` that schemes register beside those of a group: options, and what has no version.

/// Kinds that every group and version has.
pub const OPTIONS_KINDS: [&str; 7] = [
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Kinds that are the same in every version; schemes register them in `v1` of the core group.
pub const UNVERSIONED_KINDS: [&str; 5] =
    ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];
