//! The row format of the default policy: lists separated by spaces, `core` for the empty group.

/// The core group.
pub(super) const CORE: &str = "core";
/// The read verbs.
pub(super) const READ: &str = "get list watch";
/// The write verbs.
pub(super) const WRITE: &str = "create delete deletecollection patch update";
/// The rule to record events, which nearly every component has.
pub(super) const EVENTS: Row = on("create patch update", "core events.k8s.io", "events");

#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) verbs: &'static str,
    pub(super) groups: &'static str,
    pub(super) resources: &'static str,
    pub(super) names: &'static str,
    pub(super) urls: &'static str,
}

/// A rule for resources.
pub(super) const fn on(verbs: &'static str, groups: &'static str, resources: &'static str) -> Row {
    Row { verbs, groups, resources, names: "", urls: "" }
}

/// A rule for non-resource URLs.
pub(super) const fn urls(verbs: &'static str, urls: &'static str) -> Row {
    Row { verbs, groups: "", resources: "", names: "", urls }
}

impl Row {
    /// The same rule for the objects of these names only.
    pub(super) const fn named(self, names: &'static str) -> Self {
        Self { names, ..self }
    }
}

/// A role or a cluster role.
#[derive(Clone, Copy)]
pub(super) struct Role {
    pub(super) name: &'static str,
    pub(super) rules: &'static [Row],
    /// Whether it has an aggregation rule.
    pub(super) is_aggregated: bool,
    /// The role that it is aggregated to, if any.
    pub(super) aggregated_to: &'static str,
}

/// A role with rules of its own.
pub(super) const fn role(name: &'static str, rules: &'static [Row]) -> Role {
    Role { name, rules, is_aggregated: false, aggregated_to: "" }
}

/// A role with an aggregation rule.
pub(super) const fn aggregated(name: &'static str) -> Role {
    Role { name, rules: &[], is_aggregated: true, aggregated_to: "" }
}

impl Role {
    /// The same role, aggregated to `role`.
    pub(super) const fn aggregated_to(self, role: &'static str) -> Self {
        Self { aggregated_to: role, ..self }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Binding {
    pub(super) name: &'static str,
    pub(super) role: &'static str,
    pub(super) subjects: &'static [Subject],
}

#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub(super) kind: &'static str,
    pub(super) namespace: &'static str,
    pub(super) name: &'static str,
}

/// A binding to the role of the same name.
pub(super) const fn binding(name: &'static str, subjects: &'static [Subject]) -> Binding {
    Binding { name, role: name, subjects }
}

impl Binding {
    /// The same binding to another role.
    pub(super) const fn of(self, role: &'static str) -> Self {
        Self { role, ..self }
    }
}

/// The subject of a binding to a user of this name.
pub(super) const fn user(name: &'static str) -> Subject {
    Subject { kind: "User", namespace: "", name }
}

/// The same of a group.
pub(super) const fn group(name: &'static str) -> Subject {
    Subject { kind: "Group", namespace: "", name }
}

/// A service account.
pub(super) const fn account(namespace: &'static str, name: &'static str) -> Subject {
    Subject { kind: "ServiceAccount", namespace, name }
}
