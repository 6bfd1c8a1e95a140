//! `ObjectMeta`: a typed view of the metadata of an object.

use crate::{Entry, Node};

/// The metadata of an object. An absent member, and one of another type, reads as empty.
#[derive(Clone, Copy, Debug)]
pub struct ObjectMeta<'n, 't>(Option<&'n Node<'t>>);

impl<'t> Node<'t> {
    /// The metadata of the object of which this is the root.
    pub fn metadata(&self) -> ObjectMeta<'_, 't> {
        ObjectMeta(self.get("metadata"))
    }
}

impl<'n, 't> ObjectMeta<'n, 't> {
    /// `metadata.name`.
    pub fn name(self) -> &'n str {
        self.text("name")
    }

    /// `metadata.generateName`.
    pub fn generate_name(self) -> &'n str {
        self.text("generateName")
    }

    /// `metadata.namespace`.
    pub fn namespace(self) -> &'n str {
        self.text("namespace")
    }

    /// `metadata.uid`.
    pub fn uid(self) -> &'n str {
        self.text("uid")
    }

    /// `metadata.resourceVersion`.
    pub fn resource_version(self) -> &'n str {
        self.text("resourceVersion")
    }

    /// `metadata.generation`.
    pub fn generation(self) -> Option<i64> {
        self.member("generation")?.as_int()
    }

    /// `metadata.creationTimestamp`.
    pub fn creation_timestamp(self) -> &'n str {
        self.text("creationTimestamp")
    }

    /// `metadata.deletionTimestamp`; empty unless the object is being deleted.
    pub fn deletion_timestamp(self) -> &'n str {
        self.text("deletionTimestamp")
    }

    /// `metadata.labels`.
    pub fn labels(self) -> &'n [Entry<'t>] {
        self.member("labels").map(Node::entries).unwrap_or_default()
    }

    /// One of `metadata.labels`.
    pub fn label(self, key: &str) -> Option<&'n str> {
        self.member("labels")?.get(key)?.text()
    }

    /// `metadata.annotations`.
    pub fn annotations(self) -> &'n [Entry<'t>] {
        self.member("annotations").map(Node::entries).unwrap_or_default()
    }

    /// One of `metadata.annotations`.
    pub fn annotation(self, key: &str) -> Option<&'n str> {
        self.member("annotations")?.get(key)?.text()
    }

    /// `metadata.finalizers`.
    pub fn finalizers(self) -> &'n [Node<'t>] {
        self.member("finalizers").map(Node::items).unwrap_or_default()
    }

    /// `metadata.ownerReferences`.
    pub fn owner_references(self) -> &'n [Node<'t>] {
        self.member("ownerReferences").map(Node::items).unwrap_or_default()
    }

    fn member(self, name: &str) -> Option<&'n Node<'t>> {
        self.0?.get(name)
    }

    fn text(self, name: &str) -> &'n str {
        self.member(name).and_then(Node::text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Node, decode};

    fn node(text: &str) -> Node<'_> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    #[test]
    fn members_are_read_by_type() {
        let text = "{metadata: {name: a, generateName: a-, namespace: shop, uid: u, resourceVersion: '7', generation: 3,
            creationTimestamp: c, deletionTimestamp: d, labels: {l: '1'}, annotations: {x: z}, finalizers: [f],
            ownerReferences: [{name: o}]}}";
        let object = node(text);
        let meta = object.metadata();
        assert_eq!((meta.name(), meta.generate_name(), meta.namespace()), ("a", "a-", "shop"));
        assert_eq!((meta.uid(), meta.resource_version(), meta.generation()), ("u", "7", Some(3)));
        assert_eq!((meta.creation_timestamp(), meta.deletion_timestamp()), ("c", "d"));
        assert_eq!((meta.label("l"), meta.label("m")), (Some("1"), None));
        assert_eq!((meta.annotation("x"), meta.annotation("l")), (Some("z"), None));
        assert_eq!((meta.labels().len(), meta.annotations().len()), (1, 1));
        assert_eq!(meta.finalizers().first().and_then(Node::text), Some("f"));
        assert_eq!(
            meta.owner_references().first().map(|owner| owner.text_at(&["name"])),
            Some("o")
        );
    }

    #[test]
    fn what_is_absent_or_of_another_type_is_empty() {
        for text in
            ["{}", "[]", "{metadata: null}", "{metadata: {name: 1, labels: x, finalizers: {}}}"]
        {
            let object = node(text);
            let meta = object.metadata();
            assert_eq!(
                (meta.name(), meta.labels().len(), meta.finalizers().len()),
                ("", 0, 0),
                "{text}"
            );
            assert_eq!((meta.generation(), meta.label("x")), (None, None), "{text}");
        }
    }
}
