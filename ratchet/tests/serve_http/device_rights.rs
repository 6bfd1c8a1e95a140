//! Tests of rights to devices: admin access, and parts of a claim's status that have permissions of their own.

use crate::client::Client;
use crate::definitions::created;
use crate::server::{ALICE, Server};
use serde_json::{Value, json};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const LABEL: &str = "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace";

fn claim(is_admin: bool) -> Value {
    let exactly = match is_admin {
        true => json!({"deviceClassName": "net", "adminAccess": true}),
        false => json!({"deviceClassName": "net"}),
    };
    json!({"metadata": {"name": "c"}, "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}})
}

/// A status with one device, with or without what its driver reports.
fn status(is_admin: bool, is_reported: bool) -> Value {
    let device = json!({"driver": "net.example.com", "pool": "p", "device": "d"});
    let mut result = device.clone();
    result["request"] = json!("r");
    if is_admin {
        result["adminAccess"] = json!(true);
    }
    let devices = if is_reported { json!([device]) } else { Value::Null };
    json!({"status": {"allocation": {"devices": {"results": [result]}}, "devices": devices}})
}

#[tokio::test]
async fn admin_access_needs_a_label_of_the_namespace() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let folder = format!("/apis/resource.k8s.io/v1/namespaces/{namespace}");
    let template = json!({"metadata": {"name": "c"}, "spec": {"spec": claim(true)["spec"]}});
    for (kind, body) in [("ResourceClaim", claim(true)), ("ResourceClaimTemplate", template)] {
        let path = format!("{folder}/{}s?dryRun=All", kind.to_lowercase());
        let why = format!(
            "{kind}.resource.k8s.io \"c\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: {LABEL}"
        );
        assert_eq!(client.post(&path, body).await.refusal(), (422, why));
    }
    let claims = format!("{folder}/resourceclaims");
    created(&client, &claims, claim(false)).await;
    let refused = client.patch(&format!("{claims}/c/status"), status(true, false)).await;
    let at = "status.allocation.devices.results[0].adminAccess";
    let why = format!("ResourceClaim.resource.k8s.io \"c\" is invalid: {at}: Forbidden: {LABEL}");
    assert_eq!(refused.refusal(), (422, why));
    let labels = json!({"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}});
    client.patch(&format!("/api/v1/namespaces/{namespace}"), labels).await;
    let granted = client.patch(&format!("{claims}/c/status"), status(true, false)).await;
    assert_eq!(granted.code, 200, "{}", granted.text());
    assert_eq!(client.post(&format!("{claims}?dryRun=All"), claim(true)).await.code, 409);
}

#[tokio::test]
async fn parts_of_a_claims_status_have_permissions_of_their_own() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let (namespace, _) = client.namespace().await;
    let claims = format!("/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims");
    let folder = format!("{RBAC}/namespaces/{namespace}");
    let rule = json!({"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims", "resourceclaims/status"], "verbs": ["*"]});
    created(
        &client,
        &format!("{folder}/roles"),
        json!({"metadata": {"name": "r"}, "rules": [rule]}),
    )
    .await;
    let group = "rbac.authorization.k8s.io";
    let binding = json!({"metadata": {"name": "r"}, "roleRef": {"apiGroup": group, "kind": "Role", "name": "r"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "alice"}]});
    created(&client, &format!("{folder}/rolebindings"), binding).await;
    created(&client, &claims, claim(false)).await;
    let path = format!("{claims}/c/status");
    let start = "ResourceClaim.resource.k8s.io \"c\" is invalid: ";
    let allocation = r#"status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "alice" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope"#;
    let devices = format!(
        r#"status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "net.example.com" is forbidden: User "alice" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "{namespace}""#
    );
    let refused = alice.patch(&path, status(false, true)).await;
    assert_eq!(refused.refusal(), (422, format!("{start}[{allocation}, {devices}]")));
    let granted = client.patch(&path, status(false, true)).await;
    assert_eq!(granted.code, 200, "{}", granted.text());
    // What does not change needs no permission, and what goes needs that of what stays.
    assert_eq!(alice.patch(&path, status(false, true)).await.code, 200);
    let refused = alice.patch(&path, status(false, false)).await;
    assert_eq!(refused.refusal(), (422, format!("{start}{devices}")));
    let refused = alice.patch(&path, json!({"status": {"allocation": null}})).await;
    assert_eq!(refused.refusal(), (422, format!("{start}{allocation}")));
    // Reports go with their devices.
    let freed = client.patch(&path, json!({"status": {"allocation": null}})).await;
    assert_eq!(
        (freed.code, freed.json()["status"].get("devices")),
        (200, None),
        "{}",
        freed.text()
    );
}
