//! Tests of NodeRestriction, allowed and refused.

use super::*;
use crate::Operation::{Create, Delete, Update};
use crate::Subject;
use crate::testing::{Fake, attributes, node as tree, text, user};
use ratchet_access::User;

fn kubelet() -> User {
    user("system:node:n1", &["system:nodes"])
}

fn cluster() -> Fake {
    Fake::default()
        .with(
            "storage.k8s.io",
            "csidrivers",
            &["{metadata: {name: d.example}, spec: {tokenRequests: [{audience: vault}]}}"],
        )
        .with("", "nodes", &["{metadata: {name: n1, uid: u1}}"]).with(
        "",
        "pods",
        &[
            "{metadata: {name: mine, namespace: ns, uid: p1}, spec: {nodeName: n1, volumes: [{projected: {sources: [{serviceAccountToken: {path: token}}]}}, {csi: {driver: d.example}}]}}",
            "{metadata: {name: other, namespace: ns, uid: p2}, spec: {nodeName: n2}}",
        ],
    )
}

fn outcome(attributes: &Attributes<'_>, object: &str) -> String {
    text(admit(attributes, &mut tree(object), &cluster()))
}

#[test]
fn others_are_not_held() {
    let someone = user("someone", &["system:nodes"]);
    assert_eq!(outcome(&attributes(Update, "", "pods", &someone, None), "{}"), "Ok(())");
    let pretender = user("system:node:n1", &[]);
    assert_eq!(outcome(&attributes(Update, "", "pods", &pretender, None), "{}"), "Ok(())");
}

#[test]
fn nodes_make_only_mirrors_of_their_own() {
    let user = kubelet();
    let create = attributes(Create, "", "pods", &user, None);
    let mirror = |node: &str, owners: &str, more: &str| {
        format!(
            "{{metadata: {{annotations: {{kubernetes.io/config.mirror: x}}, ownerReferences: {owners}}}, spec: {{nodeName: {node}{more}}}}}"
        )
    };
    let owner = "[{apiVersion: v1, kind: Node, name: n1, uid: u1, controller: true}]";
    assert_eq!(outcome(&create, &mirror("n1", owner, "")), "Ok(())");
    assert_eq!(
        outcome(&create, "{spec: {nodeName: n1}}"),
        "pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can only create mirror pods"
    );
    assert_eq!(
        outcome(&create, &mirror("n2", owner, "")),
        "node \"n1\" can only create pods with spec.nodeName set to itself"
    );
    assert_eq!(
        outcome(&create, &mirror("n1", "[]", "")),
        "node \"n1\" can only create pods with an owner reference set to itself"
    );
    let wrong = owner.replace("u1", "u2");
    assert_eq!(
        outcome(&create, &mirror("n1", &wrong, "")),
        "node n1 UID mismatch: expected u2 got u1"
    );
    assert_eq!(
        outcome(
            &create,
            &mirror("n1", owner, ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]")
        ),
        "node \"n1\" can not create pods that reference persistentvolumeclaims"
    );
    assert_eq!(
        outcome(&attributes(Update, "", "pods", &user, None), "{}"),
        "unexpected operation \"UPDATE\", node \"n1\" can only create and delete mirror pods"
    );
}

#[test]
fn nodes_delete_evict_and_report_only_their_own_pods() {
    let user = kubelet();
    let (mine, other) = (tree("{spec: {nodeName: n1}}"), tree("{spec: {nodeName: n2}}"));
    assert_eq!(outcome(&attributes(Delete, "", "pods", &user, Some(&mine)), "{}"), "Ok(())");
    assert_eq!(
        outcome(&attributes(Delete, "", "pods", &user, Some(&other)), "{}"),
        "node \"n1\" can only delete pods with spec.nodeName set to itself"
    );
    let evict = |name| Attributes {
        subresource: "eviction",
        name,
        ..attributes(Create, "", "pods", &user, None)
    };
    assert_eq!(outcome(&evict("mine"), "{}"), "Ok(())");
    assert_eq!(
        outcome(&evict("other"), "{}"),
        "node n1 can only evict pods with spec.nodeName set to itself"
    );
    let report = |old| Attributes {
        subresource: "status",
        ..attributes(Update, "", "pods", &user, Some(old))
    };
    assert_eq!(
        outcome(&report(&mine), "{spec: {nodeName: n1}, status: {phase: Running}}"),
        "Ok(())"
    );
    assert_eq!(
        outcome(&report(&mine), "{metadata: {labels: {a: b}}, spec: {nodeName: n1}}"),
        "node \"n1\" cannot update labels through pod status"
    );
    assert!(outcome(&report(&other), "{}").contains("can only update pod status"));
    let bind = Attributes { subresource: "binding", ..attributes(Create, "", "pods", &user, None) };
    assert!(outcome(&bind, "{}").starts_with("unexpected pod subresource \"binding\""));
}

#[test]
fn nodes_change_only_themselves_and_not_their_taints_and_our_labels() {
    let user = kubelet();
    let old = tree("{metadata: {name: n1}}");
    let update = Attributes { name: "n1", ..attributes(Update, "", "nodes", &user, Some(&old)) };
    assert_eq!(
        outcome(&update, "{metadata: {name: n1, labels: {kubernetes.io/os: linux, mine: a}}}"),
        "Ok(())"
    );
    assert_eq!(
        outcome(&update, "{metadata: {name: n1}, spec: {taints: [{key: a, effect: NoSchedule}]}}"),
        "node \"n1\" is not allowed to modify taints"
    );
    assert_eq!(
        outcome(
            &update,
            "{metadata: {name: n1, labels: {b.node-restriction.kubernetes.io/a: x, foo.kubernetes.io/a: y}}}"
        ),
        "is not allowed to modify labels: b.node-restriction.kubernetes.io/a, foo.kubernetes.io/a"
    );
    let create = Attributes { name: "n1", ..attributes(Create, "", "nodes", &user, None) };
    assert_eq!(
        outcome(&create, "{metadata: {name: n1, labels: {node-restriction.kubernetes.io/a: x}}}"),
        "node \"n1\" is not allowed to set the following labels: node-restriction.kubernetes.io/a"
    );
    let other = Attributes { name: "n2", ..update };
    assert_eq!(outcome(&other, "{}"), "node \"n1\" is not allowed to modify node \"n2\"");
}

#[test]
fn tokens_are_for_pods_of_the_node() {
    let user = kubelet();
    let create = Attributes {
        subresource: "token",
        ..attributes(Create, "", "serviceaccounts", &user, None)
    };
    let bound = |name: &str, uid: &str| {
        format!(
            "{{spec: {{boundObjectRef: {{apiVersion: v1, kind: Pod, name: {name}, uid: {uid}}}}}}}"
        )
    };
    assert_eq!(outcome(&create, &bound("mine", "p1")), "Ok(())");
    assert_eq!(outcome(&create, "{spec: {}}"), "node requested token not bound to a pod");
    assert_eq!(
        outcome(&create, &bound("other", "p2")),
        "node requested token bound to a pod scheduled on a different node"
    );
    assert!(
        outcome(&create, &bound("mine", "p9"))
            .starts_with("the UID in the bound object reference (p9)")
    );
    assert!(outcome(&create, &bound("none", "p9")).contains("NotFound"));
}

#[test]
fn tokens_are_for_what_the_volumes_need() {
    let user = kubelet();
    let create = Attributes {
        subresource: "token",
        ..attributes(Create, "", "serviceaccounts", &user, None)
    };
    let requested = |audiences: &str, cluster: &Fake| {
        let reference = "{apiVersion: v1, kind: Pod, name: mine, uid: p1}";
        let object = format!("{{spec: {{boundObjectRef: {reference}, audiences: {audiences}}}}}");
        text(admit(&create, &mut tree(&object), cluster))
    };
    assert_eq!(requested("[]", &cluster()), "Ok(())");
    assert_eq!(requested("[vault]", &cluster()), "Ok(())");
    assert_eq!(requested("[a, b]", &cluster()), "node may only request 0 or 1 audiences");
    assert_eq!(
        requested("[other]", &cluster()),
        "audience \"other\" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience"
    );
    let allowed = cluster().allowing("request-serviceaccounts-token-audience other x");
    assert_eq!(requested("[other]", &allowed), "Ok(())");
}

#[test]
fn leases_slices_and_certificates_are_the_nodes_own() {
    let user = kubelet();
    let lease = |namespace| Attributes {
        namespace,
        ..attributes(Create, "coordination.k8s.io", "leases", &user, None)
    };
    assert_eq!(outcome(&lease("kube-node-lease"), "{metadata: {name: n1}}"), "Ok(())");
    assert_eq!(
        outcome(&lease("kube-node-lease"), "{metadata: {name: n2}}"),
        "can only access node lease with the same name as the requesting node"
    );
    assert_eq!(
        outcome(&lease("ns"), "{}"),
        "can only access leases in the \"kube-node-lease\" system namespace"
    );
    let slice = attributes(Create, "resource.k8s.io", "resourceslices", &user, None);
    assert_eq!(outcome(&slice, "{spec: {nodeName: n1}}"), "Ok(())");
    assert!(outcome(&slice, "{spec: {nodeName: n2}}").starts_with("can only create ResourceSlice"));
    let csi = attributes(Create, "storage.k8s.io", "csinodes", &user, None);
    assert_eq!(outcome(&csi, "{metadata: {name: n1}}"), "Ok(())");
    assert!(outcome(&csi, "{metadata: {name: n2}}").starts_with("can only access CSINode"));
    let wish = |name: &str| {
        let subject = Subject { common_name: name.into(), organizations: Vec::new() };
        let cluster = Fake { subject: Some(subject), ..cluster() };
        let create =
            attributes(Create, "certificates.k8s.io", "certificatesigningrequests", &user, None);
        text(admit(
            &create,
            &mut tree("{spec: {signerName: kubernetes.io/kubelet-serving}}"),
            &cluster,
        ))
    };
    assert_eq!(wish("system:node:n1"), "Ok(())");
    assert_eq!(wish("system:node:n2"), "can only create a node CSR with CN=system:node:n1");
}

#[test]
fn claims_are_only_reported_on() {
    let user = kubelet();
    let old = tree("{metadata: {name: c}, status: {phase: Bound}}");
    let update = attributes(Update, "", "persistentvolumeclaims", &user, Some(&old));
    assert_eq!(outcome(&update, "{}"), "may only update PVC status");
    let report = Attributes { subresource: "status", ..update };
    assert_eq!(
        outcome(&report, "{metadata: {name: c}, status: {phase: Bound, capacity: {storage: 1Gi}}}"),
        "Ok(())"
    );
    assert!(
        outcome(&report, "{metadata: {name: c}, status: {phase: Lost}}")
            .contains("is not allowed to update fields")
    );
}
