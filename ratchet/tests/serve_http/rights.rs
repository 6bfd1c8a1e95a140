//! Tests of access reviews, RBAC and impersonation.

use crate::client::{Answer, Client, text};
use crate::server::{ALICE, Server};
use hyper::Method;
use serde_json::{Value, json};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const GROUP: &str = "rbac.authorization.k8s.io";

fn review(name: &str) -> String {
    match name {
        "tokenreviews" | "selfsubjectreviews" => format!("/apis/authentication.k8s.io/v1/{name}"),
        _ => format!("/apis/authorization.k8s.io/v1/{name}"),
    }
}

async fn must(client: &Client, path: &str, body: Value) -> Answer {
    let made = client.post(path, body).await;
    assert_eq!(made.code, 201, "{path}: {}", made.text());
    made
}

fn role(name: &str, rules: Value) -> Value {
    json!({"metadata": {"name": name}, "rules": rules})
}

fn binding(name: &str, kind: &str, role: &str, user: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": [{"apiGroup": GROUP, "kind": "User", "name": user}],
    })
}

/// Lets a user do this in a namespace.
async fn allow(client: &Client, namespace: &str, user: &str, name: &str, rules: Value) {
    let folder = format!("{RBAC}/namespaces/{namespace}");
    must(client, &format!("{folder}/roles"), role(name, rules)).await;
    must(client, &format!("{folder}/rolebindings"), binding(name, "Role", name, user)).await;
}

#[tokio::test]
async fn whose_token_it_is() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let path = review("tokenreviews");
    let submit = |spec: Value| client.post(&path, json!({"spec": spec}));
    let known = submit(json!({"token": ALICE})).await;
    assert_eq!(known.code, 201);
    let user = json!({"username": "alice", "uid": "2", "groups": ["system:authenticated"]});
    let ours = ["https://kubernetes.default.svc.cluster.local"];
    let status = json!({"authenticated": true, "user": user, "audiences": ours});
    assert_eq!(known.json()["status"], status);
    assert_eq!(known.json()["kind"], "TokenReview");
    let unknown = submit(json!({"token": "nobody-has-it"})).await;
    assert_eq!((unknown.code, &unknown.json()["status"]["user"]), (201, &json!({})));
    assert!(unknown.json()["status"]["authenticated"].is_null());
    assert!(!text(&unknown.json()["status"]["error"]).is_empty());
    let none = submit(json!({})).await;
    let message = "token is required for TokenReview in authentication";
    assert_eq!(none.refusal(), (400, message.into()));
    let refused = alice.post(&path, json!({"spec": {"token": ALICE}})).await;
    assert_eq!(refused.code, 403, "not everybody may ask");

    let (namespace, _) = client.namespace().await;
    let accounts = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
    let account = must(&client, &accounts, json!({"metadata": {"name": "robot"}})).await.json();
    let request = json!({"spec": {"audiences": ["shop"]}});
    let token = must(&client, &format!("{accounts}/robot/token"), request).await.json();
    let token = text(&token["status"]["token"]);
    let status =
        submit(json!({"token": token, "audiences": ["shop", "other"]})).await.json()["status"]
            .clone();
    assert_eq!((&status["authenticated"], &status["audiences"]), (&json!(true), &json!(["shop"])));
    let user = &status["user"];
    assert_eq!(user["username"], format!("system:serviceaccount:{namespace}:robot"));
    assert_eq!(user["uid"], account["metadata"]["uid"]);
    let groups = [
        "system:serviceaccounts",
        &format!("system:serviceaccounts:{namespace}"),
        "system:authenticated",
    ];
    assert_eq!(user["groups"], json!(groups));
    let status = submit(json!({"token": token})).await.json()["status"].clone();
    assert!(status["authenticated"].is_null(), "it is not for the server: {status}");
    client.delete(&format!("{accounts}/robot")).await;
    let status =
        submit(json!({"token": token, "audiences": ["shop"]})).await.json()["status"].clone();
    assert!(status["authenticated"].is_null(), "the account is gone: {status}");
}

#[tokio::test]
async fn what_somebody_may_do() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let (namespace, _) = client.namespace().await;
    let rules = json!([{"apiGroups": ["apps"], "resources": ["deployments/scale"], "resourceNames": ["web"], "verbs": ["get"]}]);
    allow(&client, &namespace, "alice", "scaler", rules).await;
    let scale = |name: &str| json!({"namespace": namespace, "verb": "get", "group": "apps", "resource": "deployments", "subresource": "scale", "name": name});
    let path = review("subjectaccessreviews");
    let reason = format!(
        "RBAC: allowed by RoleBinding \"scaler/{namespace}\" of Role \"scaler\" to User \"alice\""
    );
    let submit = |spec: Value| client.post(&path, json!({"spec": spec}));
    let yes = submit(json!({"user": "alice", "resourceAttributes": scale("web")})).await;
    assert_eq!(
        (yes.code, &yes.json()["status"]),
        (201, &json!({"allowed": true, "reason": reason}))
    );
    for spec in [
        json!({"user": "alice", "resourceAttributes": scale("other")}),
        json!({"user": "bob", "resourceAttributes": scale("web")}),
        json!({"groups": ["alice"], "resourceAttributes": scale("web")}),
        json!({"user": "alice", "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}),
    ] {
        assert_eq!(
            submit(spec.clone()).await.json()["status"],
            json!({"allowed": false}),
            "{spec}"
        );
    }
    let masters = json!({"user": "x", "groups": ["system:masters"], "nonResourceAttributes": {"path": "/metrics", "verb": "get"}});
    assert_eq!(submit(masters).await.json()["status"]["allowed"], true);

    let own = review("selfsubjectaccessreviews");
    let mine = alice.post(&own, json!({"spec": {"resourceAttributes": scale("web")}})).await;
    assert_eq!(mine.json()["status"]["allowed"], true, "everybody may ask about themselves");
    let theirs = alice
        .post(&path, json!({"spec": {"user": "alice", "resourceAttributes": scale("web")}}))
        .await;
    assert_eq!(theirs.code, 403);
    let local =
        format!("/apis/authorization.k8s.io/v1/namespaces/{namespace}/localsubjectaccessreviews");
    let here = client.post(&local, json!({"metadata": {"namespace": namespace}, "spec": {"user": "alice", "resourceAttributes": scale("web")}})).await;
    assert_eq!(here.json()["status"]["allowed"], true, "{}", here.text());
}

#[tokio::test]
async fn reviews_that_make_no_sense_are_refused() {
    let client = Server::shared().admin().await;
    let path = review("subjectaccessreviews");
    let attributes = json!({"verb": "get", "resource": "pods"});
    let url = json!({"verb": "get", "path": "/"});
    // The reference names no kind here.
    let invalid = |why: &str| (422, format!(".authorization.k8s.io \"\" is invalid: {why}"));
    for (spec, why) in [
        (
            json!({"resourceAttributes": attributes}),
            "spec.user: Invalid value: \"\": at least one of user or group must be specified",
        ),
        (
            json!({"user": "a"}),
            "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
        ),
        (
            json!({"user": "a", "resourceAttributes": attributes, "nonResourceAttributes": url}),
            "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":\"get\"}: cannot be specified in combination with resourceAttributes",
        ),
        (
            json!({"user": "a", "resourceAttributes": {"labelSelector": {}}}),
            "spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required",
        ),
    ] {
        let answer = client.post(&path, json!({"spec": spec})).await;
        assert_eq!(answer.refusal(), invalid(why));
    }
    let (namespace, _) = client.namespace().await;
    let local =
        format!("/apis/authorization.k8s.io/v1/namespaces/{namespace}/localsubjectaccessreviews");
    for (spec, why) in [
        (
            json!({"user": "a", "resourceAttributes": {"namespace": "other"}}),
            "spec.resourceAttributes.namespace: Invalid value: \"other\": must match metadata.namespace",
        ),
        (
            json!({"user": "a", "resourceAttributes": attributes}),
            "spec.resourceAttributes.namespace: Invalid value: \"\": must match metadata.namespace",
        ),
        (
            json!({"user": "a", "nonResourceAttributes": url}),
            "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":\"get\"}: disallowed on this kind of request",
        ),
    ] {
        let answer = client.post(&local, json!({"spec": spec})).await;
        assert_eq!(answer.refusal(), invalid(why));
    }
    let selector = json!({"rawSelector": "((("});
    let resource =
        json!({"resource": "pods", "labelSelector": selector, "fieldSelector": selector});
    let unread =
        client.post(&path, json!({"spec": {"user": "a", "resourceAttributes": resource}})).await;
    let expected_error = "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error";
    assert_eq!(
        unread.json()["status"],
        json!({"allowed": false, "evaluationError": expected_error})
    );
    let rules = client.post(&review("selfsubjectrulesreviews"), json!({"spec": {}})).await;
    assert_eq!(rules.refusal(), (400, "no namespace on request".into()));
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(client.send(method, &path, &[], "").await.code, 405, "it is asked, not kept");
    }
}

#[tokio::test]
async fn all_that_i_may_do() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let (namespace, _) = client.namespace().await;
    let (other, _) = client.namespace().await;
    let rule = json!({"apiGroups": [""], "resources": ["pods"], "resourceNames": ["p"], "verbs": ["get", "delete"]});
    allow(&client, &namespace, "alice", "r", json!([rule])).await;
    for (request, has) in [(&namespace, true), (&other, false)] {
        let body = json!({"spec": {"namespace": request}});
        let answer = alice.post(&review("selfsubjectrulesreviews"), body).await;
        assert_eq!(answer.code, 201, "{}", answer.text());
        let status = answer.json()["status"].clone();
        assert_eq!(status["incomplete"], false);
        let rules = status["resourceRules"].as_array().unwrap();
        assert_eq!(rules.contains(&rule), has, "{rules:#?}");
        let reviews =
            |rule: &Value| rule["resources"].to_string().contains("selfsubjectaccessreviews");
        assert!(rules.iter().any(reviews), "what everybody may is there");
        let paths = status["nonResourceRules"].as_array().unwrap();
        let healthz = |rule: &Value| rule["nonResourceURLs"].to_string().contains("/healthz");
        assert!(paths.iter().any(healthz), "{paths:#?}");
    }
}

#[tokio::test]
async fn what_cannot_be_listed_is_told() {
    let server = Server::shared();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let bound = binding("lost", "ClusterRole", "no-such-role", "frank");
    must(&client, &format!("{RBAC}/namespaces/{namespace}/rolebindings"), bound).await;
    let body = json!({"spec": {"namespace": namespace}}).to_string();
    let submit = |user: &'static str, group: &'static str| {
        let headers = [
            ("content-type", "application/json"),
            ("impersonate-user", user),
            ("impersonate-group", group),
        ];
        let (client, body) = (&client, body.clone());
        async move {
            let path = review("selfsubjectrulesreviews");
            client.send(Method::POST, &path, &headers, body).await.json()
        }
    };
    let frank = submit("frank", "system:authenticated").await;
    assert_eq!((&frank["spec"], &frank["metadata"]), (&json!({}), &json!({})));
    assert_eq!(frank["status"]["incomplete"], false, "what is missing gives nothing");
    let missing = "clusterrole.rbac.authorization.k8s.io \"no-such-role\" not found";
    assert_eq!(frank["status"]["evaluationError"], missing);
    let node = submit("system:node:n", "system:nodes").await;
    assert_eq!(node["status"]["incomplete"], true);
    let why = "node authorizer does not support user rule resolution";
    assert_eq!(node["status"]["evaluationError"], why);
}

/// Gives alice rights on roles in a namespace, besides reading config maps there.
async fn manager(client: &Client, more: Value) -> String {
    let (namespace, _) = client.namespace().await;
    let mut rules = vec![
        json!({"apiGroups": [GROUP], "resources": ["roles", "rolebindings"], "verbs": ["create", "update", "patch"]}),
        json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}),
    ];
    rules.extend(more.as_array().unwrap().iter().cloned());
    allow(client, &namespace, "alice", "manager", json!(rules)).await;
    namespace
}

#[tokio::test]
async fn nobody_gives_in_a_role_what_they_do_not_have() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let namespace = manager(&client, json!([])).await;
    let roles = format!("{RBAC}/namespaces/{namespace}/roles");
    let held = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]);
    must(&alice, &roles, role("held", held)).await;
    let more = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let message = |name: &str| {
        format!(
            "roles.{GROUP} \"{name}\" is forbidden: user \"alice\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}}"
        )
    };
    let refused = alice.post(&roles, role("more", more.clone())).await;
    assert_eq!(refused.refusal(), (403, message("more")));
    let refused = alice.patch(&format!("{roles}/held"), json!({"rules": more})).await;
    assert_eq!(refused.refusal(), (403, message("held")));
    let refused = alice.post(&format!("{roles}?dryRun=All"), role("more", more.clone())).await;
    assert_eq!(refused.code, 403);
    // What is there already may go, but not be written again.
    must(&client, &roles, role("rich", more.clone())).await;
    let rich = format!("{roles}/rich");
    let labelled = alice.patch(&rich, json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(labelled.refusal(), (403, message("rich")));
    let held = alice.patch(&rich, json!({"metadata": {"finalizers": ["example.com/a"]}})).await;
    assert_eq!(held.code, 200, "{}", held.text());

    let escalate = json!([{"apiGroups": [GROUP], "resources": ["roles"], "verbs": ["escalate"]}]);
    let namespace = manager(&client, escalate).await;
    let roles = format!("{RBAC}/namespaces/{namespace}/roles");
    must(&alice, &roles, role("more", more)).await;
}

#[tokio::test]
async fn nobody_binds_a_role_that_they_do_not_have() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let namespace = manager(&client, json!([])).await;
    let folder = format!("{RBAC}/namespaces/{namespace}");
    let held = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]);
    must(&client, &format!("{folder}/roles"), role("held", held)).await;
    let more = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    must(&client, &format!("{folder}/roles"), role("more", more)).await;
    let bindings = format!("{folder}/rolebindings");
    must(&alice, &bindings, binding("held", "Role", "held", "bob")).await;
    let refused = alice.post(&bindings, binding("more", "Role", "more", "bob")).await;
    let message = format!(
        "rolebindings.{GROUP} \"more\" is forbidden: user \"alice\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}}"
    );
    assert_eq!(refused.refusal(), (403, message));
    let refused =
        alice.post(&bindings, binding("all", "ClusterRole", "cluster-admin", "alice")).await;
    assert_eq!(refused.code, 403, "{}", refused.text());
    let missing = alice.post(&bindings, binding("none", "Role", "none", "bob")).await;
    assert_eq!(missing.refusal(), (404, format!("roles.{GROUP} \"none\" not found")));
    // What she herself is bound to and is not there is told by the name of the resource as well.
    must(&client, &bindings, binding("lost", "ClusterRole", "none", "alice")).await;
    let refused = alice.post(&bindings, binding("more", "Role", "more", "bob")).await;
    let expected_error = format!("resolution errors: [clusterroles.{GROUP} \"none\" not found]");
    assert!(refused.refusal().1.ends_with(&expected_error), "{}", refused.text());
    let anywhere = alice
        .post(&format!("{RBAC}/clusterrolebindings"), binding("x", "ClusterRole", "view", "bob"))
        .await;
    assert_eq!(anywhere.code, 403);

    let bind = json!([{"apiGroups": [GROUP], "resources": ["clusterroles"], "resourceNames": ["admin"], "verbs": ["bind"]}]);
    let namespace = manager(&client, bind).await;
    let bindings = format!("{RBAC}/namespaces/{namespace}/rolebindings");
    must(&alice, &bindings, binding("admin", "ClusterRole", "admin", "bob")).await;
    let refused =
        alice.post(&bindings, binding("all", "ClusterRole", "cluster-admin", "bob")).await;
    assert_eq!(refused.code, 403, "only the role that is named");
}

#[tokio::test]
async fn another_name_is_borrowed_by_those_who_may_borrow_it() {
    let server = Server::shared();
    let client = server.admin().await;
    let rules = json!([
        {"apiGroups": [""], "resources": ["users"], "resourceNames": ["dave"], "verbs": ["impersonate"]},
        {"apiGroups": [""], "resources": ["groups"], "resourceNames": ["readers"], "verbs": ["impersonate"]},
    ]);
    must(&client, &format!("{RBAC}/clusterroles"), role("borrower", rules)).await;
    let bound = binding("borrower", "ClusterRole", "borrower", "alice");
    must(&client, &format!("{RBAC}/clusterrolebindings"), bound).await;
    let (namespace, maps) = client.namespace().await;
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    let folder = format!("{RBAC}/namespaces/{namespace}");
    must(&client, &format!("{folder}/roles"), role("reader", rules)).await;
    let mut readers = binding("readers", "Role", "reader", "readers");
    readers["subjects"][0]["kind"] = json!("Group");
    must(&client, &format!("{folder}/rolebindings"), readers).await;

    let alice = Client::connect(server, Some(ALICE)).await;
    let as_dave = [("impersonate-user", "dave")];
    let as_reader = [("impersonate-user", "dave"), ("impersonate-group", "readers")];
    let as_master = [("impersonate-user", "dave"), ("impersonate-group", "system:masters")];
    let list = |headers| alice.send(Method::GET, &maps, headers, "");
    assert_eq!(list(&as_reader).await.code, 200);
    let plain = list(&as_dave).await;
    assert!(
        plain.code == 403 && plain.text().contains("User \\\"dave\\\" cannot list"),
        "{}",
        plain.text()
    );
    // Two ways are tried, and the refusal of the narrow one is told.
    let message = format!(
        "configmaps is forbidden: User \"alice\" cannot impersonate-on:user-info:list resource \"configmaps\" in API group \"\" in the namespace \"{namespace}\""
    );
    let as_carol = [("impersonate-user", "carol")];
    let extra = [("impersonate-user", "dave"), ("impersonate-extra-scopes", "all")];
    for headers in [&as_carol[..], &as_master, &extra] {
        assert_eq!(list(headers).await.refusal(), (403, message.clone()), "{headers:?}");
    }
    let headless = list(&[("impersonate-group", "readers")]).await;
    assert_eq!(headless.code, 400, "{}", headless.text());
    assert!(headless.refusal().1.contains("without impersonating a user"), "{}", headless.text());
}

#[tokio::test]
async fn another_name_is_borrowed_for_one_purpose() {
    let server = Server::shared();
    let client = server.admin().await;
    let rules = json!([{"apiGroups": ["authentication.k8s.io"], "resources": ["users"], "resourceNames": ["erin"], "verbs": ["impersonate:user-info"]}]);
    must(&client, &format!("{RBAC}/clusterroles"), role("narrow", rules)).await;
    let bound = binding("narrow", "ClusterRole", "narrow", "alice");
    must(&client, &format!("{RBAC}/clusterrolebindings"), bound).await;
    let (namespace, maps) = client.namespace().await;
    let on = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["impersonate-on:user-info:list"]}]);
    allow(&client, &namespace, "alice", "on", on).await;
    let reads = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]);
    allow(&client, &namespace, "erin", "reads", reads).await;

    let alice = Client::connect(server, Some(ALICE)).await;
    let as_erin = [("impersonate-user", "erin")];
    assert_eq!(alice.send(Method::GET, &maps, &as_erin, "").await.code, 200);
    let got = alice.send(Method::GET, &format!("{maps}/x"), &as_erin, "").await;
    assert!(
        got.refusal().1.contains("\"alice\" cannot impersonate-on:user-info:get"),
        "{}",
        got.text()
    );
    assert_eq!(alice.get(&maps).await.code, 403, "it is not her own");
}
