//! The AdmissionReview that a webhook is sent, byte for byte in the order of the API types.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use core::fmt::Write as _;
use ratchet_object::{Node, write_text};
use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource};

/// The versions of AdmissionReview that are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReviewVersion {
    V1,
    V1Beta1,
}

impl ReviewVersion {
    /// The first version of a list that is spoken.
    pub(crate) fn first_known(versions: &[String]) -> Option<Self> {
        versions.iter().find_map(|version| match version.as_str() {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1Beta1),
            _ => None,
        })
    }

    /// The version.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }

    /// The `apiVersion` of a review.
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "admission.k8s.io/v1",
            Self::V1Beta1 => "admission.k8s.io/v1beta1",
        }
    }
}

/// What a review says about an attempt besides its attributes: the objects are in the version of `kind`.
pub(crate) struct Review<'a> {
    pub(crate) uid: &'a str,
    pub(crate) version: ReviewVersion,
    pub(crate) kind: GroupVersionKind<'a>,
    pub(crate) resource: GroupVersionResource<'a>,
    pub(crate) object: Option<&'a Node<'a>>,
    pub(crate) old: Option<&'a Node<'a>>,
}

impl Review<'_> {
    /// The review as JSON.
    pub(crate) fn to_json(&self, attributes: &Attributes<'_>) -> String {
        let mut out = Writer::default();
        out.open();
        out.text("kind", "AdmissionReview");
        out.text("apiVersion", self.version.api_version());
        out.name("request");
        out.open();
        out.text("uid", self.uid);
        out.kind("kind", &self.kind);
        out.resource("resource", &self.resource);
        out.text_if_any("subResource", attributes.subresource);
        out.kind("requestKind", &attributes.kind);
        out.resource("requestResource", &attributes.resource);
        out.text_if_any("requestSubResource", attributes.subresource);
        out.text_if_any("name", attributes.name);
        out.text_if_any("namespace", attributes.effective_namespace());
        out.text("operation", attributes.operation.as_str());
        out.user(attributes);
        out.object("object", self.object);
        out.object("oldObject", self.old);
        out.raw("dryRun", if attributes.dry_run { "true" } else { "false" });
        out.object("options", attributes.options);
        out.close();
        out.close();
        out.json.push('\n');
        out.json
    }
}

/// Writes the members of JSON objects.
#[derive(Default)]
struct Writer {
    json: String,
    /// Whether the current object has a member already.
    has_member: bool,
}

impl Writer {
    fn open(&mut self) {
        self.json.push('{');
        self.has_member = false;
    }

    fn close(&mut self) {
        self.json.push('}');
        self.has_member = true;
    }

    fn name(&mut self, name: &str) {
        if self.has_member {
            self.json.push(',');
        }
        self.has_member = true;
        // Writing to a String cannot fail.
        let _ = write_text(&mut self.json, name);
        self.json.push(':');
    }

    fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.json.push_str(json);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        let _ = write_text(&mut self.json, text);
    }

    fn text_if_any(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.text(name, text);
        }
    }

    fn kind(&mut self, name: &str, kind: &GroupVersionKind<'_>) {
        self.name(name);
        self.open();
        self.text("group", kind.group);
        self.text("version", kind.version);
        self.text("kind", kind.kind);
        self.close();
    }

    fn resource(&mut self, name: &str, resource: &GroupVersionResource<'_>) {
        self.name(name);
        self.open();
        self.text("group", resource.group);
        self.text("version", resource.version);
        self.text("resource", resource.resource);
        self.close();
    }

    /// The user; what is empty is absent.
    fn user(&mut self, attributes: &Attributes<'_>) {
        let user = attributes.user;
        self.name("userInfo");
        self.open();
        self.text_if_any("username", &user.name);
        self.text_if_any("uid", &user.uid);
        if !user.groups.is_empty() {
            self.name("groups");
            self.list(&user.groups);
        }
        if !user.extra.is_empty() {
            let sorted: BTreeMap<&str, &[String]> =
                user.extra.iter().map(|(key, values)| (key.as_str(), values.as_slice())).collect();
            self.name("extra");
            self.open();
            for (key, values) in sorted {
                self.name(key);
                self.list(values);
            }
            self.close();
        }
        self.close();
    }

    fn list(&mut self, texts: &[String]) {
        for (index, text) in texts.iter().enumerate() {
            self.json.push(if index == 0 { '[' } else { ',' });
            let _ = write_text(&mut self.json, text);
        }
        self.json.push_str(if texts.is_empty() { "[]" } else { "]" });
    }

    /// An object, `null` if there is none; its kind comes first, as in Go's types.
    fn object(&mut self, name: &str, object: Option<&Node<'_>>) {
        const FIRST: [&str; 2] = ["kind", "apiVersion"];
        self.name(name);
        let Some(object) = object else {
            self.json.push_str("null");
            return;
        };
        self.open();
        for first in FIRST {
            if let Some(member) = object.get(first) {
                self.raw(first, &member.to_string());
            }
        }
        for entry in object.entries().iter().filter(|entry| !FIRST.contains(&&*entry.key)) {
            self.name(&entry.key);
            let _ = write!(self.json, "{}", entry.node);
        }
        self.close();
    }
}
