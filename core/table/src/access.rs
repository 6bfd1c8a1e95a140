//! Who programs are, and who is bound to which role.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::shown::{Cells, Shown, text};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const RBAC: &str = "rbac.authorization.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "ServiceAccount", columns: &[NAME, AGE], cells: account },
    Row { group: RBAC, kind: "RoleBinding", columns: BINDING, cells: binding },
    Row { group: RBAC, kind: "ClusterRoleBinding", columns: BINDING, cells: binding },
];

const BINDING: &[Column] = &[
    NAME,
    column("Role", "The role that the binding grants."),
    AGE,
    column("Users", "The users that the role is granted to.").wide(),
    column("Groups", "The groups that the role is granted to.").wide(),
    column("ServiceAccounts", "The service accounts that the role is granted to.").wide(),
];

fn account(shown: &Shown<'_>) -> Cells {
    vec![shown.name(), shown.age()]
}

fn binding(shown: &Shown<'_>) -> Cells {
    let role = |field| shown.text(&["roleRef", field]);
    let subjects = shown.items(&["subjects"]);
    let of_kind = |kind: &str, told: fn(&Node<'_>) -> String| {
        let found = subjects.iter().filter(|subject| subject.text_at(&["kind"]) == kind);
        text(found.map(told).collect::<Vec<_>>().join(", "))
    };
    vec![
        shown.name(),
        text(format!("{}/{}", role("kind"), role("name"))),
        shown.age(),
        of_kind("User", |subject| subject.text_at(&["name"]).into()),
        of_kind("Group", |subject| subject.text_at(&["name"]).into()),
        of_kind("ServiceAccount", |subject| {
            format!("{}/{}", subject.text_at(&["namespace"]), subject.text_at(&["name"]))
        }),
    ]
}

#[cfg(test)]
mod tests {
    use crate::trial::line;

    #[test]
    fn accounts() {
        assert_eq!(line("", "ServiceAccount", "{}"), "a | 5m");
    }

    #[test]
    fn bindings() {
        let text = "{roleRef: {kind: ClusterRole, name: view}, subjects: [{kind: User, name: u}, {kind: Group, \
            name: g}, {kind: ServiceAccount, namespace: 'n', name: s}, {kind: User, name: v}]}";
        for kind in ["RoleBinding", "ClusterRoleBinding"] {
            let told = line("rbac.authorization.k8s.io", kind, text);
            assert_eq!(told, "a | ClusterRole/view | 5m | u, v | g | n/s");
        }
        let bare = "{roleRef: {kind: Role, name: r}}";
        let told = line("rbac.authorization.k8s.io", "RoleBinding", bare);
        assert_eq!(told, "a | Role/r | 5m |  |  | ");
    }
}
