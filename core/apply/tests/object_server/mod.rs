//! A server of one object: what the API server does around an apply, as far as tests need it.
#![allow(clippy::unwrap_used, dead_code, reason = "a test may panic, and not every one needs all")]

use ratchet_apply::{
    ApplyError, ApplyOptions, BuiltInKind, Converter, CustomKind, FieldManager, ResetFields,
    TypeRef, keep_times, rename_version, set_managed_fields,
};
use ratchet_object::{
    GroupVersionKind, Limits, Node, Value, canonicalize, decode, defaults, prune, schema,
};

pub(crate) fn tree(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// Trees are equal whatever the order of members; that of large ones is not looked through.
fn is_equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    let (texts, large) = ((one.to_json(), other.to_json()), 100_000);
    texts.0 == texts.1 || (texts.0.len() < large && one == other)
}

/// The kind of the object.
pub(crate) enum Kind {
    BuiltIn(&'static str, &'static str, &'static str),
    /// A definition's schema.
    Custom(Node<'static>),
}

pub(crate) struct ObjectServer {
    pub(crate) kind: Kind,
    pub(crate) object: Option<Node<'static>>,
    /// The seconds of the clock.
    pub(crate) now: u32,
    /// How often the object was written.
    pub(crate) writes: u32,
    pub(crate) subresource: &'static str,
}

pub(crate) const CUSTOM: GroupVersionKind<'static> =
    GroupVersionKind { group: "example.com", version: "v1", kind: "Thing" };

impl ObjectServer {
    pub(crate) fn built_in(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self {
            kind: Kind::BuiltIn(group, version, kind),
            object: None,
            now: 0,
            writes: 0,
            subresource: "",
        }
    }

    pub(crate) fn custom(schema: &str) -> Self {
        Self { kind: Kind::Custom(tree(schema)), object: None, now: 0, writes: 0, subresource: "" }
    }

    /// Calls `run` with the field manager of the endpoint.
    fn with<T>(&self, run: impl FnOnce(&FieldManager<'_>) -> T) -> T {
        let none = |_: &Node<'_>, _: &str| unreachable!("one version");
        match &self.kind {
            Kind::BuiltIn(group, version, kind) => {
                let converter = BuiltInKind { group, kind, convert: &none };
                let plural = schema::kind(group, version, kind).unwrap().plural;
                let kind = GroupVersionKind { group, version, kind };
                let reset_fields = ResetFields::of(group, plural, self.subresource);
                self.run(run, kind, &converter, reset_fields)
            }
            Kind::Custom(schema) => {
                let versions = [("example.com/v1", TypeRef::custom(schema))];
                let converter = CustomKind { versions: &versions, convert: &rename_version };
                self.run(run, CUSTOM, &converter, None)
            }
        }
    }

    fn run<T>(
        &self,
        run: impl FnOnce(&FieldManager<'_>) -> T,
        kind: GroupVersionKind<'_>,
        converter: &dyn Converter,
        reset_fields: Option<ResetFields<'_>>,
    ) -> T {
        run(&FieldManager { kind, subresource: self.subresource, converter, reset_fields })
    }

    fn time(&self) -> String {
        format!("2026-01-02T03:{:02}:{:02}Z", self.now / 60, self.now % 60)
    }

    /// Applies a configuration.
    pub(crate) fn apply(
        &mut self,
        manager: &str,
        config: &str,
        force: bool,
    ) -> Result<(), ApplyError> {
        self.apply_tree(manager, &tree(config), force)
    }

    pub(crate) fn apply_tree(
        &mut self,
        manager: &str,
        config: &Node<'_>,
        force: bool,
    ) -> Result<(), ApplyError> {
        let now = self.time();
        let options = ApplyOptions { manager, force, now: &now };
        let applied =
            self.with(|field_manager| field_manager.apply(self.object.as_ref(), config, options))?;
        let mut object = self.prepared(applied.object);
        let mut entries = applied.managed_fields;
        if self.is_same(&object)
            && let Some(live) = &self.object
        {
            keep_times(live, &mut entries);
        }
        set_managed_fields(&mut object, entries);
        self.store(object);
        Ok(())
    }

    /// Replaces the object.
    pub(crate) fn put(&mut self, manager: &str, object: &str) {
        let sent = tree(object);
        let managed = sent.find(&["metadata", "managedFields"]).cloned();
        let mut object = self.prepared(sent);
        if let Some(managed) = managed {
            object.map_mut("metadata").set("managedFields", managed);
        }
        let now = self.time();
        let mut entries = self.with(|field_manager| {
            field_manager.update(self.object.as_ref(), &object, manager, &now)
        });
        if let Some(metadata) = object.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        if self.is_same(&object)
            && let Some(live) = &self.object
        {
            keep_times(live, &mut entries);
        }
        set_managed_fields(&mut object, entries);
        self.store(object);
    }

    /// Changes the object by a merge patch.
    pub(crate) fn patch(&mut self, manager: &str, patch: &str) {
        let mut live = self.object.clone().unwrap();
        live.get_mut("metadata").map(|metadata| metadata.remove("managedFields"));
        let patched = ratchet_object::patch::merge_patch(live, &tree(patch)).unwrap();
        self.put(manager, &patched.to_json());
    }

    fn store(&mut self, object: Node<'static>) {
        if !self.object.as_ref().is_some_and(|live| is_equal(live, &object)) {
            self.writes += 1;
        }
        self.object = Some(object);
    }

    fn is_same(&self, object: &Node<'_>) -> bool {
        let mut live = self.object.clone().unwrap_or_else(Node::empty_map);
        live.get_mut("metadata").map(|metadata| metadata.remove("managedFields"));
        is_equal(&live, object)
    }

    /// What the server makes of an object before it is stored.
    fn prepared(&self, mut object: Node<'static>) -> Node<'static> {
        if let Some(metadata) = object.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        if let Kind::BuiltIn(group, version, kind) = &self.kind {
            let ty = schema::kind(group, version, kind).unwrap().ty;
            prune(&mut object, ty);
            defaults::apply(group, version, kind, &mut object);
            canonicalize(&mut object, ty);
        }
        object
    }

    /// The entries, one a line: manager, operation, version, subresource, seconds of the time, fields.
    pub(crate) fn managers(&self) -> Vec<String> {
        let object = self.object.as_ref().unwrap();
        let entries = object.find(&["metadata", "managedFields"]).map(Node::items);
        let entry = |node: &Node<'_>| {
            let text = |name: &str| node.text_at(&[name]).to_owned();
            let time = text("time");
            let time = time.get(14..19).unwrap_or("none").to_owned();
            let fields = node.get("fieldsV1").map(Node::to_json).unwrap();
            let words =
                [text("manager"), text("operation"), text("apiVersion"), text("subresource"), time];
            let words: Vec<&str> =
                words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
            format!("{} {fields}", words.join(" "))
        };
        entries.unwrap_or_default().iter().map(entry).collect()
    }

    /// A value of the object as JSON; `null` if it is absent.
    pub(crate) fn value(&self, path: &[&str]) -> String {
        let null = Node::new(Value::Null);
        self.object.as_ref().unwrap().find(path).unwrap_or(&null).to_json()
    }
}
