//! `ObjectForm`: how objects of a resource are sent, received, listed and routed; one row for those that have a Go type
//! in the reference, one for those that are maps there.

/// What the requests for a resource depend on, besides its kind and strategy.
#[derive(Debug)]
pub(crate) struct ObjectForm {
    pub(super) media_types: ServedMediaTypes,
    pub(super) list_form: ListForm,
    pub(super) routes: Routes,
    /// The Go types of all objects and lists, where kinds have none of their own.
    pub(super) go_types: Option<[&'static str; 2]>,
    pub(super) stores_what_it_serves: bool,
    pub(super) converts_patched: bool,
}

/// The media types in which objects are sent and received. JSON and YAML are always among them.
#[derive(Debug)]
pub(crate) struct ServedMediaTypes {
    /// Whether there is a protobuf message.
    pub(crate) has_protobuf: bool,
    /// The content types of patches, other than applied configurations.
    pub(crate) patches: &'static [&'static str],
    /// The error for a patch of another type (415).
    pub(crate) unknown_patch: &'static str,
}

/// What a list of whole objects looks like.
#[derive(Debug)]
pub(crate) struct ListForm {
    /// Whether every item has its `apiVersion` and `kind`.
    pub(crate) has_typed_items: bool,
    /// Whether `metadata.continue` is there even if nothing follows.
    pub(crate) always_continues: bool,
}

/// How paths and methods lead to operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routes {
    /// Every path has its methods, installed when the server starts; others are 404 or 405.
    Installed,
    /// One handler takes all paths of the group version, and looks at the verb of a request.
    Handler,
}

/// Objects with a Go type.
pub(super) static TYPED: ObjectForm = ObjectForm {
    media_types: ServedMediaTypes {
        has_protobuf: true,
        patches: &[
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
        ],
        unknown_patch: "415: Unsupported Media Type",
    },
    list_form: ListForm { has_typed_items: false, always_continues: false },
    routes: Routes::Installed,
    go_types: None,
    stores_what_it_serves: true,
    converts_patched: false,
};

/// Objects without one, which are maps: `unstructured.Unstructured`.
pub(super) static UNSTRUCTURED: ObjectForm = ObjectForm {
    media_types: ServedMediaTypes {
        has_protobuf: false,
        // A strategic merge reads the tags of a Go type.
        patches: &["application/json-patch+json", "application/merge-patch+json"],
        unknown_patch: "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    },
    list_form: ListForm { has_typed_items: true, always_continues: true },
    routes: Routes::Handler,
    go_types: Some(["*unstructured.Unstructured", "*unstructured.UnstructuredList"]),
    // Defaults are added to what is read, too: a stored object may lack some.
    stores_what_it_serves: false,
    converts_patched: true,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_neither_messages_nor_strategic_merges() {
        let strategic = "application/strategic-merge-patch+json";
        for (form, has_type) in [(&TYPED, true), (&UNSTRUCTURED, false)] {
            assert_eq!(form.media_types.has_protobuf, has_type);
            assert_eq!(form.media_types.patches.contains(&strategic), has_type);
            assert_eq!(form.list_form.has_typed_items, !has_type);
        }
    }
}
