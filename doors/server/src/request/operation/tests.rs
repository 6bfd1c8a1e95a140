//! Tests of the authorized `RequestInfo` against the served operation, for every resource, path, method and
//! subresource.

use super::*;
use crate::request::{Params, Target};
use http::Uri;
use ratchet_catalog::RESOURCES;

const METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
    Method::TRACE,
    Method::CONNECT,
];

fn root(row: &Resource<'_>) -> String {
    match row.group {
        "" => format!("/api/{}", row.version),
        group => format!("/apis/{group}/{}", row.version),
    }
}

fn info(method: &Method, line: &str) -> (RequestInfo, ResourcePath) {
    let uri: Uri = line.parse().unwrap();
    let info = RequestInfo::parse(method, &uri, &Params::parse(uri.query())).unwrap();
    let Target::Resource(path) = info.target.clone() else { panic!("{line}") };
    (info, path)
}

fn operation(method: &Method, line: &str, row: &Resource<'_>) -> Result<Operation, u16> {
    let (info, path) = info(method, line);
    Operation::of(&info, &path, method, row).map_err(|error| error.code)
}

/// All spellings of paths to a resource, valid or not.
fn lines(row: &Resource<'_>) -> Vec<String> {
    let parts = row.subresources.iter().map(|below| format!("/{}", below.name));
    let parts: Vec<String> = parts
        .chain(["", "/status", "/finalize", "/none", "/proxy/more"].map(String::from))
        .collect();
    let mut lines = Vec::new();
    for verb in ["", "/watch", "/proxy"] {
        for scope in ["", "/namespaces/ns1", "%2Fnamespaces%2Fns1", "/namespaces/"] {
            let collection = format!("{}{verb}{scope}/{}", root(row), row.plural);
            let items = ["ns1", "other"]
                .iter()
                .flat_map(|name| parts.iter().map(move |part| format!("/{name}{part}")));
            for rest in items.chain([String::new(), "//status".into()]) {
                for query in
                    ["", "?watch=true", "?watch=true;", "?fieldSelector=metadata.name=other"]
                {
                    lines.push(format!("{collection}{rest}{query}"));
                }
            }
        }
    }
    lines
}

#[test]
fn what_is_served_is_what_was_authorized() {
    let (mut served, mut refused) = (0, 0);
    for row in RESOURCES {
        for line in lines(row) {
            for method in &METHODS {
                let (info, path) = info(method, &line);
                // Routing looks the row up by the authorized group, version and resource.
                let gvr = (path.group.as_str(), path.version.as_str(), path.resource.as_str());
                let Some(row) = ratchet_catalog::lookup(gvr.0, gvr.1, gvr.2) else {
                    refused += 1;
                    continue;
                };
                let Ok(operation) = Operation::of(&info, &path, method, row) else {
                    refused += 1;
                    continue;
                };
                served += 1;
                let about = format!("{method} {line}: {operation:?} by {info:?}");
                let reads = matches!(info.verb, "get" | "list" | "watch");
                let shows =
                    matches!(operation, Operation::Get | Operation::List | Operation::Watch);
                match operation {
                    Operation::Connect | Operation::Subresource => {}
                    _ => assert_eq!(reads, shows, "{about}"),
                }
                let changes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
                assert!(!(shows && changes), "{about}");
                let one = matches!(
                    operation,
                    Operation::Get
                        | Operation::Update
                        | Operation::Delete
                        | Operation::Subresource
                        | Operation::Connect
                );
                assert_eq!(one, path.is_item && info.verb != "watch", "{about}");
                match (row.namespaced, one) {
                    // An object is looked up in the authorized namespace.
                    (true, true) => assert_eq!(path.namespace, "ns1", "{about}"),
                    // A request across all namespaces only reads.
                    (true, false) => {
                        assert!(
                            path.namespace == "ns1" || shows && path.namespace.is_empty(),
                            "{about}"
                        );
                    }
                    // Cluster-scoped requests are authorized without a namespace; a Namespace only in itself.
                    (false, _) if row.plural == "namespaces" && path.is_item => {
                        assert_eq!(path.namespace, path.name, "{about}");
                    }
                    (false, _) => assert_eq!(path.namespace, "", "{about}"),
                }
            }
        }
    }
    assert!(served > 3000 && refused > 50_000, "{served} served, {refused} refused");
}

#[test]
fn every_verb_has_its_path() {
    for row in RESOURCES {
        let scope = if row.namespaced { "/namespaces/ns1" } else { "" };
        let all = format!("{}{scope}/{}", root(row), row.plural);
        let one = format!("{all}/x");
        for verb in row.verbs {
            let (method, line) = match *verb {
                "get" => (Method::GET, one.clone()),
                "list" => (Method::GET, all.clone()),
                "watch" => (Method::GET, format!("{all}?watch=1")),
                "create" => (Method::POST, all.clone()),
                "update" => (Method::PUT, one.clone()),
                "patch" => (Method::PATCH, one.clone()),
                "delete" => (Method::DELETE, one.clone()),
                "deletecollection" => (Method::DELETE, all.clone()),
                other => panic!("{other}"),
            };
            let found = OPERATIONS.iter().find(|(known, _)| known == verb).unwrap();
            assert_eq!(operation(&method, &line, row), Ok(found.1), "{method} {line}");
        }
        for below in row.subresources {
            for verb in below.verbs {
                let method = match *verb {
                    "get" => Method::GET,
                    "create" => Method::POST,
                    "update" => Method::PUT,
                    "patch" => Method::PATCH,
                    "delete" => Method::DELETE,
                    other => panic!("{other}"),
                };
                let line = format!("{one}/{}", below.name);
                assert!(operation(&method, &line, row).is_ok(), "{method} {line}");
            }
        }
    }
}

#[test]
fn paths_that_are_not_there_and_methods_they_do_not_have() {
    let row = |plural| RESOURCES.iter().find(|row| row.plural == plural).unwrap();
    for (method, line, code) in [
        (Method::GET, "/api/v1/namespaces/ns1/namespaces/x", 404),
        (Method::GET, "/api/v1/namespaces/ns1/namespaces/ns1", 404),
        (Method::GET, "/api/v1/namespaces/ns1/namespaces", 404),
        (Method::POST, "/api/v1/namespaces/ns1/namespaces", 404),
        (Method::PUT, "/api/v1/namespaces/ns1/namespaces/x/finalize", 404),
        (Method::GET, "/api/v1/watch/namespaces/ns1/namespaces/x", 404),
        (Method::HEAD, "/api/v1/namespaces/ns1", 405),
        (Method::HEAD, "/api/v1/namespaces", 405),
    ] {
        assert_eq!(operation(&method, line, row("namespaces")), Err(code), "{method} {line}");
    }
    for (method, line, code) in [
        (Method::GET, "/api/v1/pods/x", 404),
        (Method::GET, "/api/v1/watch/pods/x", 404),
        (Method::GET, "/api/v1/watch/namespaces/a/pods/x/status", 404),
        (Method::GET, "/api/v1/proxy/namespaces/a/pods/x", 404),
        (Method::GET, "/api/v1/namespaces/a/pods/x/log/more", 404),
        (Method::GET, "/api/v1/namespaces/a/pods//status", 404),
        (Method::POST, "/api/v1/watch/namespaces/a/pods", 405),
        (Method::DELETE, "/api/v1/watch/namespaces/a/pods/x", 405),
        (Method::POST, "/api/v1/namespaces/a/pods/x", 405),
        (Method::POST, "/api/v1/pods", 405),
        (Method::PUT, "/api/v1/namespaces/a/pods", 405),
        (Method::HEAD, "/api/v1/namespaces/a/pods/x", 405),
        (Method::HEAD, "/api/v1/namespaces/a/pods/x/log", 405),
        (Method::HEAD, "/api/v1/namespaces/a/pods/x/status", 405),
        (Method::OPTIONS, "/api/v1/namespaces/a/pods/x", 405),
    ] {
        assert_eq!(operation(&method, line, row("pods")), Err(code), "{method} {line}");
    }
    for method in [Method::HEAD, Method::OPTIONS, Method::GET] {
        let line = "/api/v1/namespaces/a/pods/x/proxy/more";
        assert_eq!(operation(&method, line, row("pods")), Ok(Operation::Connect), "{method}");
    }
    let review = row("localsubjectaccessreviews");
    let path = "/apis/authorization.k8s.io/v1/localsubjectaccessreviews";
    assert_eq!(operation(&Method::POST, path, review), Err(404));
}
