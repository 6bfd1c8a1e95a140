//! Tests of request lines and their `RequestInfo`.

use super::*;

fn parse(method: &Method, line: &str) -> Result<RequestInfo, InvalidPath> {
    let uri: Uri = line.parse().unwrap();
    RequestInfo::parse(method, &uri, &Params::parse(uri.query()))
}

fn info(line: &str) -> RequestInfo {
    parse(&Method::GET, line).unwrap()
}

fn resource_path(line: &str) -> (&'static str, ResourcePath) {
    match info(line) {
        RequestInfo { verb, target: Target::Resource(path), .. } => (verb, path),
        other => panic!("{line}: {other:?}"),
    }
}

/// Verb, resource, namespace, name and subresource, as authorizers see them.
fn attributes(method: &Method, line: &str) -> [String; 5] {
    let info = parse(method, line).unwrap();
    let Target::Resource(path) = info.target else { panic!("{line}") };
    [info.verb.to_owned(), path.resource, path.namespace, path.name, path.subresource]
}

#[test]
fn objects_collections_and_parts() {
    for (line, wanted) in [
        ("/api/v1/namespaces/shop/pods/web/status", ["get", "pods", "shop", "web", "status"]),
        ("/apis/apps/v1/deployments", ["list", "deployments", "", "", ""]),
        ("/apis/apps/v1/deployments/", ["list", "deployments", "", "", ""]),
        ("/api/v1/namespaces/shop/pods?watch=1", ["watch", "pods", "shop", "", ""]),
        ("/api/v1/namespaces/shop/pods?watch=true;x=1", ["list", "pods", "shop", "", ""]),
        ("/api/v1/pods?fieldSelector=metadata.name%3Dx", ["list", "pods", "", "x", ""]),
        ("/api/v1/pods?watch=1&fieldSelector=metadata.name%3Dx", ["watch", "pods", "", "x", ""]),
        // A named object is a get, whatever the query says.
        ("/api/v1/namespaces/shop/secrets/s?watch=true", ["get", "secrets", "shop", "s", ""]),
        ("/api/v1/namespaces/shop/secrets/s?watch", ["get", "secrets", "shop", "s", ""]),
        ("/api/v1/namespaces/shop?watch=true", ["get", "namespaces", "shop", "shop", ""]),
        // Empty segments are segments.
        ("/api/v1/namespaces//pods", ["list", "pods", "", "", ""]),
        ("/api/v1//pods", ["get", "", "", "pods", ""]),
        ("/api/v1/pods//status", ["list", "pods", "", "", "status"]),
    ] {
        assert_eq!(attributes(&Method::GET, line), wanted, "{line}");
    }
}

#[test]
fn methods_are_verbs() {
    let (one, all) = ("/api/v1/namespaces/a/pods/p", "/api/v1/namespaces/a/pods");
    for (method, of_one, of_all) in [
        (Method::GET, "get", "list"),
        (Method::HEAD, "get", "list"),
        (Method::POST, "create", "create"),
        (Method::PUT, "update", "update"),
        (Method::PATCH, "patch", "patch"),
        (Method::DELETE, "delete", "deletecollection"),
        (Method::OPTIONS, "", ""),
        (Method::TRACE, "", ""),
    ] {
        assert_eq!(attributes(&method, one).first().unwrap(), of_one, "{method}");
        assert_eq!(attributes(&method, all).first().unwrap(), of_all, "{method}");
        let plain = parse(&method, "/healthz").unwrap();
        assert_eq!(plain.verb, method.as_str().to_lowercase());
    }
}

#[test]
fn escaped_paths_are_read_like_plain_ones() {
    for (escaped, plain) in [
        ("/%61pi/v1/namespaces/a/pods/p", "/api/v1/namespaces/a/pods/p"),
        ("/api/v1/nodes/a%2Fb", "/api/v1/nodes/a/b"),
        ("/api%2Fv1%2fnamespaces/ns1%2fnamespaces%2fx", "/api/v1/namespaces/ns1/namespaces/x"),
        ("/%68ealthz", "/healthz"),
        ("/api/v1/namespaces/a/pods/p%2Flog", "/api/v1/namespaces/a/pods/p/log"),
    ] {
        assert_eq!(info(escaped), info(plain), "{escaped}");
    }
    for broken in ["/api/v1/pods/%", "/api/v1/%zz", "/%4"] {
        assert_eq!(parse(&Method::GET, broken), Err(InvalidPath), "{broken}");
    }
}

#[test]
fn a_namespace_is_in_itself_and_in_no_other() {
    let scope = |line: &str| {
        let (_, path) = resource_path(line);
        (path.namespace, path.in_namespace, path.name)
    };
    let itself = ("shop".to_owned(), false, "shop".to_owned());
    for line in [
        "/api/v1/namespaces/shop",
        "/api/v1/namespaces/shop/status",
        "/api/v1/namespaces/shop/finalize",
        "/api/v1/watch/namespaces/shop",
    ] {
        assert_eq!(scope(line), itself, "{line}");
    }
    let other = ("ns1".to_owned(), true, "shop".to_owned());
    for line in [
        "/api/v1/namespaces/ns1/namespaces/shop",
        "/api/v1/namespaces/ns1/namespaces/shop/finalize",
        "/api/v1/watch/namespaces/ns1/namespaces/shop",
    ] {
        assert_eq!(scope(line), other, "{line}");
    }
    assert!(scope("/api/v1/namespaces/shop/namespaces/shop").1);
    assert!(scope("/api/v1/namespaces/shop/pods").1);
}

#[test]
fn short_and_foreign_paths_are_plain() {
    for path in [
        "/",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/apps",
        "/apis/apps/v1",
        "/healthz",
        "//api/v1/pods",
    ] {
        assert_eq!(info(path).target, Target::Path(path.to_owned()));
    }
}

#[test]
fn verbs_in_paths() {
    for (line, wanted) in [
        ("/api/v1/watch/namespaces/shop/pods", ["watch", "pods", "shop", "", ""]),
        ("/api/v1/watch/namespaces/shop/pods/p", ["watch", "pods", "shop", "p", ""]),
        ("/api/v1/watch/pods?fieldSelector=metadata.name=x", ["watch", "pods", "", "", ""]),
        ("/api/v1/proxy/nodes/n/logs", ["proxy", "nodes", "", "n", ""]),
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            assert_eq!(attributes(&method, line), wanted, "{method} {line}");
        }
    }
    // Alone they are resource names.
    assert_eq!(attributes(&Method::GET, "/api/v1/watch"), ["list", "watch", "", "", ""]);
    assert_eq!(attributes(&Method::POST, "/apis/apps/v1/proxy"), ["create", "proxy", "", "", ""]);
}

#[test]
fn selectors_count_where_the_verb_has_them() {
    let selector = "fieldSelector=spec.nodeName%3Dn";
    for (method, line, wanted) in [
        (Method::GET, "/api/v1/pods?", "spec.nodeName=n"),
        (Method::GET, "/api/v1/pods?watch=1&", "spec.nodeName=n"),
        (Method::DELETE, "/api/v1/namespaces/a/pods?", "spec.nodeName=n"),
        (Method::GET, "/api/v1/namespaces/a/pods/p?", ""),
        (Method::POST, "/api/v1/namespaces/a/pods?", ""),
        (Method::GET, "/api/v1/watch/pods?", ""),
    ] {
        let info = parse(&method, &format!("{line}{selector}")).unwrap();
        assert_eq!(info.field_selector, wanted, "{method} {line}");
    }
}
