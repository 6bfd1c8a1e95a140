//! The default cluster role bindings.

use super::row::{Binding, account, binding, group, user};

/// Sorted by name.
pub(super) const BINDINGS: &[Binding] = &[
    binding("cluster-admin", &[group("system:masters")]),
    binding("system:basic-user", &[group("system:authenticated")]),
    binding("system:discovery", &[group("system:authenticated")]),
    binding("system:kube-controller-manager", &[user("system:kube-controller-manager")]),
    binding("system:kube-dns", &[account("kube-system", "kube-dns")]),
    binding("system:kube-scheduler", &[user("system:kube-scheduler")]),
    binding("system:monitoring", &[group("system:monitoring")]),
    binding("system:node", &[]),
    binding("system:node-proxier", &[user("system:kube-proxy")]),
    binding(
        "system:public-info-viewer",
        &[group("system:authenticated"), group("system:unauthenticated")],
    ),
    binding("system:service-account-issuer-discovery", &[group("system:serviceaccounts")]),
    binding("system:volume-scheduler", &[user("system:kube-scheduler")]),
];
