//! `ViolationBuilder`, which collects the violating containers, values and fields of a check, and formats them.

use crate::pod_security::check::Violation;
use crate::pod_security::pod::Container;
use crate::rule::Rule;
use crate::verdict::Label;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

/// The findings of one check in one pod.
pub(super) struct ViolationBuilder<'a> {
    rule: &'static Rule,
    /// Whether a pod-level field violates the check.
    pub(super) by_pod: bool,
    /// The violating containers, in the pod's order.
    pub(super) names: Vec<&'a str>,
    /// The violating values, sorted.
    pub(super) values: BTreeSet<&'a str>,
    labels: Vec<Label>,
    last: Option<usize>,
}

impl<'a> ViolationBuilder<'a> {
    pub(super) fn new(rule: &'static Rule) -> Self {
        Self {
            rule,
            by_pod: false,
            names: Vec::new(),
            values: BTreeSet::new(),
            labels: Vec::new(),
            last: None,
        }
    }

    /// Adds a violation of a pod-level field.
    pub(super) fn pod(&mut self, at: &At<'_>, label: &str) {
        self.by_pod = true;
        self.label(at, label);
    }

    /// Adds a violation of a container's field; the container is listed once.
    pub(super) fn container(&mut self, container: &Container<'a>, at: &At<'_>, label: &str) {
        if self.last != Some(container.ordinal) {
            self.last = Some(container.ordinal);
            self.names.push(container.name);
        }
        self.label(at, label);
    }

    /// Adds a violating field, without a container.
    pub(super) fn label(&mut self, at: &At<'_>, label: &str) {
        self.labels.push(Label::new(self.rule, at, label));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// `container "a"`, `containers "a", "b"`.
    pub(super) fn containers(&self) -> String {
        containers(&self.names)
    }

    /// `pod and container "a"`, or whichever of the two violates the check.
    pub(super) fn setters(&self) -> String {
        match (self.by_pod, self.names.is_empty()) {
            (true, true) => "pod".into(),
            (true, false) => format!("pod and {}", self.containers()),
            (false, _) => self.containers(),
        }
    }

    /// `"x", "y"`: the violating values.
    pub(super) fn quoted_values(&self) -> String {
        quoted(&self.values)
    }

    /// The violation, if anything was found.
    pub(super) fn violation(
        self,
        reason: impl Into<Cow<'static, str>>,
        detail: impl FnOnce(&Self) -> String,
    ) -> Option<Violation> {
        if self.is_empty() {
            return None;
        }
        let detail = detail(&self);
        Some(Violation { rule: self.rule, reason: reason.into(), detail, labels: self.labels })
    }
}

/// `container "a"`, `containers "a", "b"`.
pub(super) fn containers<'a>(names: impl IntoIterator<Item = &'a &'a str> + Clone) -> String {
    let noun = plural(names.clone().into_iter().count(), "container", "containers");
    format!("{noun} {}", quoted(names))
}

/// `"a", "b"`: quoted, but not escaped.
pub(super) fn quoted<'a>(items: impl IntoIterator<Item = &'a &'a str>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("\"{item}\"")).collect();
    items.join(", ")
}

/// `a, b`.
pub(super) fn listed<'a>(items: impl IntoIterator<Item = &'a &'a str>) -> String {
    items.into_iter().copied().collect::<Vec<_>>().join(", ")
}

/// The singular for one, the plural otherwise.
pub(super) fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}
