//! Printers of service accounts and role bindings.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::printed_object::{Cells, PrintedObject, text};
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

fn account(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.age()]
}

fn binding(object: &PrintedObject<'_>) -> Cells {
    let role = |field| object.text(&["roleRef", field]);
    let subjects = object.items(&["subjects"]);
    let of_kind = |kind: &str, format: fn(&Node<'_>) -> String| {
        let matching = subjects.iter().filter(|subject| subject.text_at(&["kind"]) == kind);
        text(matching.map(format).collect::<Vec<_>>().join(", "))
    };
    vec![
        object.name(),
        text(format!("{}/{}", role("kind"), role("name"))),
        object.age(),
        of_kind("User", |subject| subject.text_at(&["name"]).into()),
        of_kind("Group", |subject| subject.text_at(&["name"]).into()),
        of_kind("ServiceAccount", |subject| {
            format!("{}/{}", subject.text_at(&["namespace"]), subject.text_at(&["name"]))
        }),
    ]
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    #[test]
    fn accounts() {
        assert_eq!(line("", "ServiceAccount", "{}"), "a | 5m");
    }

    #[test]
    fn bindings() {
        let text = "{roleRef: {kind: ClusterRole, name: view}, subjects: [{kind: User, name: u}, {kind: Group, \
            name: g}, {kind: ServiceAccount, namespace: 'n', name: s}, {kind: User, name: v}]}";
        for kind in ["RoleBinding", "ClusterRoleBinding"] {
            let formatted = line("rbac.authorization.k8s.io", kind, text);
            assert_eq!(formatted, "a | ClusterRole/view | 5m | u, v | g | n/s");
        }
        let bare = "{roleRef: {kind: Role, name: r}}";
        let formatted = line("rbac.authorization.k8s.io", "RoleBinding", bare);
        assert_eq!(formatted, "a | Role/r | 5m |  |  | ");
    }
}
