//! Tests of paths: authorization and routing agree, however a path is spelled.

use crate::client::{Answer, Client, text};
use crate::server::Server;
use hyper::Method;
use serde_json::{Value, json};

const NOTHING: &str = "the server could not find the requested resource";
const RBAC: &str = "rbac.authorization.k8s.io";

/// A user with all rights in one namespace, and a second namespace.
struct Warden {
    client: Client,
    user: String,
    own: String,
    other: String,
}

impl Warden {
    async fn appoint() -> Self {
        let client = Server::shared().admin().await;
        let ((own, _), (other, _)) = (client.namespace().await, client.namespace().await);
        let user = format!("warden-of-{own}");
        let binding = json!({
            "metadata": {"name": "warden"},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"apiGroup": RBAC, "kind": "User", "name": user}],
        });
        let path = format!("/apis/{RBAC}/v1/namespaces/{own}/rolebindings");
        assert_eq!(client.post(&path, binding).await.code, 201);
        Self { client, user, own, other }
    }

    async fn request(&self, method: Method, path: &str, body: &str) -> Answer {
        let kind = match method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let headers = [("impersonate-user", self.user.as_str()), ("content-type", kind)];
        self.client.send(method, path, &headers, body.to_owned()).await
    }
}

#[tokio::test]
async fn there_is_no_way_out_of_a_namespace() {
    let warden = Warden::appoint().await;
    let (own, other) = (&warden.own, &warden.other);
    let before = warden.client.get(&format!("/api/v1/namespaces/{other}")).await.json();
    let namespaces = format!("/api/v1/namespaces/{own}/namespaces");
    let escaped = format!("/api/v1/namespaces/{own}%2Fnamespaces");
    let labels = r#"{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}"#;
    let made = r#"{"metadata":{"name":"made-by-warden"}}"#;
    let whole = before.to_string();
    for namespaces in [&namespaces, &escaped] {
        for (method, path, body) in [
            (Method::GET, namespaces.clone(), ""),
            (Method::GET, format!("{namespaces}?watch=true"), ""),
            (Method::GET, format!("{namespaces}/{other}"), ""),
            (Method::GET, format!("{namespaces}/{own}"), ""),
            (Method::GET, format!("{namespaces}/{other}/status"), ""),
            (Method::POST, namespaces.clone(), made),
            (Method::PATCH, format!("{namespaces}/{other}"), labels),
            (Method::PUT, format!("{namespaces}/{other}"), whole.as_str()),
            (Method::PUT, format!("{namespaces}/{other}/finalize"), whole.as_str()),
            (Method::PATCH, format!("{namespaces}/{other}/status"), "{}"),
            (Method::DELETE, format!("{namespaces}/{other}"), ""),
            (Method::GET, namespaces.replacen("/v1/", "/v1/watch/", 1), ""),
        ] {
            let answer = warden.request(method.clone(), &path, body).await;
            assert_eq!(answer.refusal(), (404, NOTHING.into()), "{method} {path}");
        }
    }
    assert_eq!(warden.client.get(&format!("/api/v1/namespaces/{other}")).await.json(), before);
    assert_eq!(warden.client.get("/api/v1/namespaces/made-by-warden").await.code, 404);
    // The namespace itself is in itself, and others are not.
    assert_eq!(
        warden.request(Method::GET, &format!("/api/v1/namespaces/{own}"), "").await.code,
        200
    );
    assert_eq!(
        warden.request(Method::GET, &format!("/api/v1/namespaces/{other}"), "").await.code,
        403
    );
}

/// Every resource and subresource in discovery: root, plural, subresource, whether it is namespaced.
async fn discovered(client: &Client) -> Vec<(String, String, String, bool)> {
    let mut roots = vec!["/api/v1".to_owned()];
    let groups = client.get("/apis").await.json();
    for group in groups["groups"].as_array().unwrap() {
        for version in group["versions"].as_array().unwrap() {
            roots.push(format!("/apis/{}", text(&version["groupVersion"])));
        }
    }
    let mut all = Vec::new();
    for root in roots {
        for resource in client.get(&root).await.json()["resources"].as_array().unwrap() {
            let name = text(&resource["name"]);
            let (plural, part) = name.split_once('/').unwrap_or((&name, ""));
            let part = if part.is_empty() { String::new() } else { format!("/{part}") };
            all.push((root.clone(), plural.to_owned(), part, resource["namespaced"] == true));
        }
    }
    assert!(all.len() > 100);
    all
}

/// Whether all objects of an answer are in the namespace.
fn is_within(body: &Value, namespace: &str) -> bool {
    let metadata = &body["metadata"];
    match (body["kind"].as_str(), body["items"].as_array()) {
        (Some("Status"), _) => true,
        (_, Some(items)) => items.iter().all(|item| item["metadata"]["namespace"] == namespace),
        (Some("Namespace"), _) => metadata["name"] == namespace,
        _ => metadata["namespace"] == namespace || metadata["namespace"].is_null(),
    }
}

#[tokio::test]
async fn whoever_may_everything_in_a_namespace_sees_nothing_else() {
    let warden = Warden::appoint().await;
    let (own, other) = (warden.own.clone(), warden.other.clone());
    let methods =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let (mut found, mut hidden) = (0, 0);
    for (root, plural, part, namespaced) in discovered(&warden.client).await {
        let is_namespace = plural == "namespaces";
        // Any authenticated user may review its own access.
        let is_review = plural.starts_with("selfsubject");
        for scope in ["".to_owned(), format!("/namespaces/{own}"), format!("/namespaces/{other}")] {
            for name in ["", "/x", &format!("/{other}")] {
                if !is_namespace && name.len() > 2 {
                    continue;
                }
                if name.is_empty() != part.is_empty() && !part.is_empty() {
                    continue;
                }
                let path = format!("{root}{scope}/{plural}{name}{part}");
                for method in &methods {
                    let query = match *method {
                        Method::GET | Method::HEAD => "",
                        _ => "?dryRun=All",
                    };
                    // Options in the body of a deletion would stand for those of the query.
                    let body = match *method {
                        Method::POST | Method::PUT | Method::PATCH => "{}",
                        _ => "",
                    };
                    let line = format!("{path}{query}");
                    let answer = warden.request(method.clone(), &line, body).await;
                    let about = format!("{method} {path}: {} {}", answer.code, answer.text());
                    let in_own = scope.ends_with(&own);
                    match (in_own, namespaced) {
                        (false, _) if is_review && *method == Method::POST => {}
                        (false, _) => {
                            hidden += 1;
                            assert_eq!(answer.code, 403, "{about}");
                        }
                        (true, false) if *method == Method::HEAD => {
                            assert_eq!(answer.code, 404, "{about}");
                        }
                        (true, false) => {
                            assert_eq!(answer.refusal(), (404, NOTHING.into()), "{about}");
                        }
                        (true, true) => {
                            found += 1;
                            assert_ne!(answer.code, 403, "{about}");
                            if *method != Method::HEAD && part != "/log" && part != "/proxy" {
                                assert!(is_within(&answer.json(), &own), "{about}");
                            }
                        }
                    }
                    assert!(!(is_namespace && in_own && answer.code < 300), "{about}");
                }
            }
        }
    }
    assert!(found > 500 && hidden > 2000, "{found} {hidden}");
}

#[tokio::test]
async fn a_named_object_is_got_whatever_the_query_says() {
    let client = Server::shared().admin().await;
    let (namespace, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    for query in ["?watch=true", "?watch", "?watch=true&fieldSelector=metadata.name%3Db"] {
        let answer = client.get(&format!("{maps}/a{query}")).await;
        assert_eq!(
            (answer.code, text(&answer.json()["kind"])),
            (200, "ConfigMap".into()),
            "{query}"
        );
    }
    // The right to watch is no right to get, and the other way round.
    let folder = format!("/apis/{RBAC}/v1/namespaces/{namespace}");
    let role = json!({"metadata": {"name": "g"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["watch"]}]});
    assert_eq!(client.post(&format!("{folder}/roles"), role).await.code, 201);
    let binding = json!({"metadata": {"name": "g"}, "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "g"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "guard"}]});
    assert_eq!(client.post(&format!("{folder}/rolebindings"), binding).await.code, 201);
    let guard = [("impersonate-user", "guard")];
    let refused = client.send(Method::GET, &format!("{maps}/a?watch=true"), &guard, "").await;
    assert_eq!(refused.code, 403);
    assert!(refused.text().contains("cannot get resource"), "{}", refused.text());
    // A pair with a semicolon is none: this is a list, and lists are not allowed.
    let refused = client.send(Method::GET, &format!("{maps}?watch=true;x=1"), &guard, "").await;
    assert_eq!(refused.code, 403);
    assert!(refused.text().contains("cannot list resource"), "{}", refused.text());
    let listed = client.get(&format!("{maps}?watch=true;x=1")).await;
    assert_eq!(text(&listed.json()["kind"]), "ConfigMapList");
}

#[tokio::test]
async fn escaped_paths_lead_where_plain_ones_do() {
    let client = Server::shared().admin().await;
    let (namespace, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    for path in [
        format!("/%61pi/v1/namespaces/{namespace}/configmaps/a"),
        format!("/api/v1/namespaces/{namespace}/configmaps/%61"),
        format!("/api%2Fv1%2Fnamespaces%2F{namespace}%2Fconfigmaps%2Fa"),
    ] {
        let answer = client.get(&path).await;
        assert_eq!(
            (answer.code, text(&answer.json()["metadata"]["name"])),
            (200, "a".into()),
            "{path}"
        );
    }
    for (path, code) in [
        ("/%68ealthz", 200),
        ("/apis%2Fapps", 200),
        ("/api/v1/%zz", 400),
        ("/healthz%", 400),
        ("//healthz", 404),
        ("//api/v1/pods", 404),
        ("/api/v1//pods", 404),
        ("/api/v1/watch", 404),
    ] {
        let answer = client.get(path).await;
        assert_eq!(answer.code, code, "{path}: {}", answer.text());
    }
    for (name, why) in [
        ("%2e", "\".\": may not be '.'"),
        ("%2E%2e", "\"..\": may not be '..'"),
        ("a%25b", "\"a%b\": may not contain '%'"),
    ] {
        let refused = client.get(&format!("{maps}/{name}")).await;
        assert_eq!(refused.refusal(), (400, format!("Name parameter invalid: {why}")));
        assert_eq!(client.delete(&format!("{maps}/{name}")).await.code, 400, "{name}");
    }
    let nobody = Client::connect(Server::shared(), None).await;
    let refused = nobody.get("/%6Detrics").await;
    let text = "forbidden: User \"system:anonymous\" cannot get path \"/metrics\"";
    assert_eq!(refused.refusal(), (403, text.into()));
    let everywhere = client.get("/api/v1/namespaces//configmaps?limit=1").await;
    assert_eq!(everywhere.code, 200);
}

#[tokio::test]
async fn verbs_in_paths_watch_and_do_nothing_else() {
    let client = Server::shared().admin().await;
    let (namespace, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    client.map(&maps, "b").await;
    let path = format!("/api/v1/watch/namespaces/{namespace}/configmaps/b");
    let events = client.watch(&format!("{path}?timeoutSeconds=1")).await.all().await;
    let names: Vec<String> =
        events.iter().map(|event| text(&event["object"]["metadata"]["name"])).collect();
    assert_eq!(names, ["b"]);
    let all = format!("/api/v1/watch/namespaces/{namespace}/configmaps");
    for (method, path, code) in [
        (Method::POST, all.as_str(), 405),
        (Method::DELETE, path.as_str(), 405),
        (Method::GET, "/api/v1/watch/configmaps/b", 404),
        (Method::GET, "/api/v1/proxy/nodes/n", 404),
    ] {
        let object = r#"{"metadata":{"name":"c"}}"#;
        let json = [("content-type", "application/json")];
        let answer = client.send(method.clone(), path, &json, object).await;
        assert_eq!(answer.code, code, "{method} {path}: {}", answer.text());
    }
    assert_eq!(client.get(&maps).await.names(), ["a", "b"]);
}
