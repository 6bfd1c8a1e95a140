//! How a row of the default policy is spelled: words separated by spaces, `core` for the group without a name.

/// The group without a name.
pub(super) const CORE: &str = "core";
/// The verbs that change nothing.
pub(super) const READ: &str = "get list watch";
/// The verbs that change something.
pub(super) const WRITE: &str = "create delete deletecollection patch update";
/// What nearly every component may do: tell what happened.
pub(super) const EVENTS: Row = on("create patch update", "core events.k8s.io", "events");

/// A rule.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) verbs: &'static str,
    pub(super) groups: &'static str,
    pub(super) resources: &'static str,
    pub(super) names: &'static str,
    pub(super) urls: &'static str,
}

/// A rule about resources.
pub(super) const fn on(verbs: &'static str, groups: &'static str, resources: &'static str) -> Row {
    Row { verbs, groups, resources, names: "", urls: "" }
}

/// A rule about paths.
pub(super) const fn urls(verbs: &'static str, urls: &'static str) -> Row {
    Row { verbs, groups: "", resources: "", names: "", urls }
}

impl Row {
    /// The same, for the objects of these names only.
    pub(super) const fn named(self, names: &'static str) -> Self {
        Self { names, ..self }
    }
}

/// A role or a cluster role.
#[derive(Clone, Copy)]
pub(super) struct Role {
    pub(super) name: &'static str,
    pub(super) rules: &'static [Row],
    /// Whether its rules are those of the roles that are aggregated to it.
    pub(super) gathers: bool,
    /// The role to which its rules are added, if any.
    pub(super) aggregated_to: &'static str,
}

/// A role with rules of its own.
pub(super) const fn role(name: &'static str, rules: &'static [Row]) -> Role {
    Role { name, rules, gathers: false, aggregated_to: "" }
}

/// A role whose rules are gathered from others.
pub(super) const fn gathering(name: &'static str) -> Role {
    Role { name, rules: &[], gathers: true, aggregated_to: "" }
}

impl Role {
    /// The same, lending its rules to `role`.
    pub(super) const fn aggregated_to(self, role: &'static str) -> Self {
        Self { aggregated_to: role, ..self }
    }
}

/// Who has a role.
#[derive(Clone, Copy)]
pub(super) struct Binding {
    pub(super) name: &'static str,
    pub(super) role: &'static str,
    pub(super) subjects: &'static [Subject],
}

/// Someone who can have a role.
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
    /// The same, to the role `role`.
    pub(super) const fn of(self, role: &'static str) -> Self {
        Self { role, ..self }
    }
}

/// A user.
pub(super) const fn user(name: &'static str) -> Subject {
    Subject { kind: "User", namespace: "", name }
}

/// A group.
pub(super) const fn group(name: &'static str) -> Subject {
    Subject { kind: "Group", namespace: "", name }
}

/// A service account.
pub(super) const fn account(namespace: &'static str, name: &'static str) -> Subject {
    Subject { kind: "ServiceAccount", namespace, name }
}
