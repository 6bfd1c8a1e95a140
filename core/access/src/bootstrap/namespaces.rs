//! The default roles and bindings of `kube-public` and `kube-system`.

use super::row::{Binding, CORE, EVENTS, READ, Role, account, binding, on, role, user};

/// A namespace with its roles and bindings.
pub(super) struct Namespace {
    pub(super) name: &'static str,
    pub(super) roles: &'static [Role],
    pub(super) bindings: &'static [Binding],
}

/// Sorted by name.
pub(super) const NAMESPACES: &[Namespace] = &[
    Namespace { name: "kube-public", roles: KUBE_PUBLIC_ROLES, bindings: KUBE_PUBLIC_BINDINGS },
    Namespace { name: "kube-system", roles: KUBE_SYSTEM_ROLES, bindings: KUBE_SYSTEM_BINDINGS },
];

const KUBE_PUBLIC_ROLES: &[Role] = &[role(
    "system:controller:bootstrap-signer",
    &[on(READ, CORE, "configmaps"), on("update", CORE, "configmaps").named("cluster-info"), EVENTS],
)];

const KUBE_PUBLIC_BINDINGS: &[Binding] =
    &[binding("system:controller:bootstrap-signer", &[account("kube-system", "bootstrap-signer")])];

const KUBE_SYSTEM_ROLES: &[Role] = &[
    role(
        "extension-apiserver-authentication-reader",
        &[on(READ, CORE, "configmaps").named("extension-apiserver-authentication")],
    ),
    role(
        "system::leader-locking-kube-controller-manager",
        &[
            on("create get list update watch", "coordination.k8s.io", "leases"),
            on("create get list update watch", "coordination.k8s.io", "leasecandidates"),
        ],
    ),
    role(
        "system::leader-locking-kube-scheduler",
        &[
            on("create get list update watch", "coordination.k8s.io", "leases"),
            on("create get list update watch", "coordination.k8s.io", "leasecandidates"),
        ],
    ),
    role("system:controller:bootstrap-signer", &[on(READ, CORE, "secrets")]),
    role("system:controller:cloud-provider", &[on("create get list watch", CORE, "configmaps")]),
    role(
        "system:controller:token-cleaner",
        &[on("delete get list watch", CORE, "secrets"), EVENTS],
    ),
];

const KUBE_SYSTEM_BINDINGS: &[Binding] = &[
    binding(
        "system::extension-apiserver-authentication-reader",
        &[user("system:kube-controller-manager"), user("system:kube-scheduler")],
    )
    .of("extension-apiserver-authentication-reader"),
    binding(
        "system::leader-locking-kube-controller-manager",
        &[
            user("system:kube-controller-manager"),
            account("kube-system", "kube-controller-manager"),
            account("kube-system", "leader-election-controller"),
        ],
    ),
    binding(
        "system::leader-locking-kube-scheduler",
        &[user("system:kube-scheduler"), account("kube-system", "kube-scheduler")],
    ),
    binding("system:controller:bootstrap-signer", &[account("kube-system", "bootstrap-signer")]),
    binding("system:controller:cloud-provider", &[account("kube-system", "cloud-provider")]),
    binding("system:controller:token-cleaner", &[account("kube-system", "token-cleaner")]),
];
