//! Tests of `ratchet serve` with hostile requests: it refuses them and keeps running.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod hostile;

use flate2::Compression;
use flate2::write::GzEncoder;
use hostile::Server;
use hostile::server::{is_calm, short};
use hostile::wire::request;
use std::io::Write;
use std::time::{Duration, Instant};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";
const JSON: (&str, &str) = ("Content-Type", "application/json");
const YAML: (&str, &str) = ("Content-Type", "application/yaml");
const PROTOBUF: (&str, &str) = ("Content-Type", "application/vnd.kubernetes.protobuf");
const JSON_PATCH: (&str, &str) = ("Content-Type", "application/json-patch+json");
const MERGE_PATCH: (&str, &str) = ("Content-Type", "application/merge-patch+json");
const MIB: u64 = 1024;

#[test]
fn bodies_that_are_too_large_are_refused() {
    let mut server = Server::start();
    let mut client = server.client();
    let large =
        format!(r#"{{"metadata":{{"name":"a"}},"data":{{"a":"{}"}}}}"#, "x".repeat(4 << 20));
    assert_eq!(client.again().post(MAPS, &large).code, 413);
    let mut chunked =
        format!("POST {MAPS} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            .into_bytes();
    for _ in 0..64 {
        chunked.extend(b"10000\r\n");
        chunked.extend(vec![b' '; 0x10000]);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    assert_eq!(client.again().try_raw(&chunked, false).unwrap().code, 413);
    // Ten megabytes in ten kilobytes, and a gigabyte in a megabyte.
    for mebibytes in [10, 1024] {
        let mut bomb = GzEncoder::new(Vec::new(), Compression::new(6));
        let piece = vec![b' '; 1 << 20];
        (0..mebibytes).for_each(|_| bomb.write_all(&piece).unwrap());
        let bomb = bomb.finish().unwrap();
        let sent = client.send("POST", MAPS, &[JSON, ("Content-Encoding", "gzip")], &bomb);
        assert_eq!(sent.code, 413, "{}", sent.text());
    }
    let broken = client.send("POST", MAPS, &[JSON, ("Content-Encoding", "gzip")], b"\x1f\x8bno");
    assert_eq!(broken.code, 400);
    let unknown = client.send("POST", MAPS, &[JSON, ("Content-Encoding", "br")], b"{}");
    assert_eq!(unknown.code, 415);
    let length = client.again().try_raw(
        format!("POST {MAPS} HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n")
            .as_bytes(),
        false,
    );
    assert!(length.map_or(true, |answer| answer.code == 400));
    assert!(server.memory() < 300 * MIB, "{} KiB", server.memory());
    server.is_well();
}

#[test]
fn bodies_that_are_deep_or_crooked_are_refused() {
    let mut server = Server::start();
    let mut client = server.client();
    let deep =
        |open: &str, close: &str, count| format!("{}{}", open.repeat(count), close.repeat(count));
    for count in [200, 300, 10_000, 500_000] {
        for text in [
            deep("[", "]", count),
            deep("{\"a\":", "}", count),
            format!(r#"{{"metadata":{{"name":"a"}},"data":{}}}"#, deep("{\"a\":[", "]}", count)),
            "[".repeat(count),
            "{\"a\":".repeat(count),
        ] {
            for header in [JSON, YAML, MERGE_PATCH, JSON_PATCH] {
                let method = if header.1.contains("patch") { "PATCH" } else { "POST" };
                let path =
                    if method == "PATCH" { format!("{REVISIONS}/a") } else { REVISIONS.to_owned() };
                let sent = client.send(method, &path, &[header], text.as_bytes());
                is_calm(&format!("{count} deep, {}", header.1), &sent);
                assert!(count == 200 || sent.code >= 400, "{count} deep: {}", sent.code);
            }
        }
        let yaml = (0..count.min(2000))
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect::<String>();
        is_calm("deep YAML", &client.send("POST", MAPS, &[YAML], yaml.as_bytes()));
        is_calm("deep YAML", &client.send("POST", MAPS, &[YAML], "- ".repeat(count).as_bytes()));
    }
    let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for letter in 'b'..='k' {
        let before = char::from(letter as u8 - 1);
        bomb.push_str(&format!(
            "{letter}: &{letter} [{}]\n",
            vec![format!("*{before}"); 10].join(",")
        ));
    }
    let sent = client.send("POST", MAPS, &[YAML], bomb.as_bytes());
    assert_eq!(sent.code, 400, "{}", sent.text());
    for crooked in [
        &b"\xff\xfe{}"[..],
        b"{\"metadata\":{\"name\":\"a\xff\"}}",
        b"{\"metadata\":{\"name\":\"a\0b\"}}",
        b"{\"metadata\":{\"name\":\"a\\u0000b\"}}",
        b"\0",
        b"\xef\xbb\xbf{}",
        b"a: *a",
        b"&a [*a]",
        b"%YAML 9.9\n---\n!!binary x",
        b"? ? ? ? ?",
        b"{\"metadata\":{\"name\":\"\\ud800\"}}",
        b"nul",
        b"\"",
    ] {
        for header in [JSON, YAML, PROTOBUF] {
            let sent = client.send("POST", MAPS, &[header], crooked);
            is_calm(&format!("{crooked:?}"), &sent);
            assert!(sent.code >= 400, "{crooked:?} is taken");
        }
    }
    server.is_well();
}

#[test]
fn protobuf_that_lies_is_refused() {
    let mut server = Server::start();
    let mut client = server.client();
    let envelope = |raw: &[u8]| {
        let mut unknown = b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12".to_vec();
        let mut length = raw.len();
        while length > 127 {
            unknown.push((length & 127) as u8 | 128);
            length >>= 7;
        }
        unknown.push(length as u8);
        unknown.extend(raw);
        [b"k8s\0", unknown.as_slice()].concat()
    };
    let nested = (0..5000).fold(Vec::new(), |inner: Vec<u8>, _| {
        let mut outer = vec![0x0a];
        let mut length = inner.len();
        while length > 127 {
            outer.push((length & 127) as u8 | 128);
            length >>= 7;
        }
        outer.push(length as u8);
        outer.extend(inner);
        outer
    });
    for raw in [
        &b""[..],
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x0a\xff\xff\xff\xff\x0f",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x0b\x0b\x0b\x0b",
        b"\x0c",
        b"\x00",
        b"\x0a\x02\x0a\x7f",
        b"\x0a\x04\x0a\x02\xff\xfe",
        &nested,
        &vec![0x0b; 100_000],
    ] {
        for body in [envelope(raw), [b"k8s\0", raw].concat(), raw.to_vec()] {
            let sent = client.send("POST", MAPS, &[PROTOBUF], &body);
            is_calm(&format!("{:.80?}", raw), &sent);
            assert!(sent.code >= 400, "{raw:.80?} is taken");
            is_calm("options", &client.send("DELETE", &format!("{MAPS}/x"), &[PROTOBUF], &body));
        }
    }
    server.is_well();
}

#[test]
fn paths_and_methods_that_play_tricks_are_refused() {
    let mut server = Server::start();
    let mut client = server.client();
    let long = "a".repeat(100_000);
    let paths = [
        "//".to_owned(),
        "//api//v1//pods".into(),
        "/api/v1/namespaces//pods".into(),
        "/api/v1/namespaces/%00/pods".into(),
        "/api/v1/namespaces/default/pods/%00".into(),
        "/api/v1/namespaces/default/../kube-system/secrets".into(),
        "/api/v1/namespaces/default/%2e%2e/kube-system/secrets".into(),
        "/api/v1/namespaces/default%2f..%2fkube-system/secrets".into(),
        "/api/v1/namespaces/default/pods/a%2fb%2fc".into(),
        "/api/v1/%6e%61mespaces".into(),
        "/api/v1/namespaces/default/pods/%".into(),
        "/api/v1/namespaces/default/pods/%zz".into(),
        "/api/v1/namespaces/default/pods/%F0%9F%92%A5".into(),
        "/api/v1/namespaces/default/pods/%ff".into(),
        "/api/v1/namespaces/default/pods/a/b/c/d/e/f".into(),
        "/apis/apps/v1/watch/watch/watch/deployments".into(),
        "/api/v1/watch".into(),
        "/./.".into(),
        "/../../etc/passwd".into(),
        "/openapi/v3/../../x".into(),
        format!("/api/v1/namespaces/{long}/pods/{long}"),
        format!("/{}", "a/".repeat(50_000)),
        format!("/api/v1/pods?{}", "a&".repeat(50_000)),
    ];
    for path in &paths {
        for method in
            ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "BREW", "get"]
        {
            let sent = client.send(method, path, &[JSON], b"{}");
            is_calm(&format!("{method} {path:.200}"), &sent);
            // A namespace that cannot exist is as empty as one that does not exist.
            let is_empty = sent.code == 200 && sent.text().contains(r#""items":[]"#);
            let is_other_name = ["/%6e%61", "//api//", "/api/v1/pods?", "watch", "/openapi"];
            let may = is_other_name.iter().any(|part| path.contains(part)) || path == "//";
            let summary = short(&sent.text());
            assert!(
                may || is_empty || sent.code >= 400,
                "{method} {path:.200}: {} {summary}",
                sent.code
            );
        }
    }
    for raw in [
        "CONNECT localhost:443 HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://elsewhere.example/api/v1/secrets HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /api/v1/pods HTTP/1.0\r\n\r\n",
        "GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n",
        "GET /healthz\r\n\r\n",
        "GET  /healthz HTTP/1.1\r\n\r\n",
        "GET /h\u{1}z HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /💥 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\n Folded: yes\r\n\r\n",
        "POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
        "POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, x\r\n\r\n{}",
        "\r\n\r\n\r\n",
        "\u{16}\u{3}\u{1}",
    ] {
        let mut client = client.again();
        client.wait_at_most(Duration::from_secs(2));
        if let Ok(answer) = client.try_raw(raw.as_bytes(), false) {
            is_calm(raw, &answer);
        }
    }
    server.is_well();
}

#[test]
fn heads_that_are_too_large_are_refused() {
    let mut server = Server::start();
    let before = server.memory();
    for (count, length) in [(600, 10), (10_000, 10), (3, 300_000), (400, 10_000)] {
        let mut head = "GET /healthz HTTP/1.1\r\nHost: a\r\n".to_owned();
        (0..count)
            .for_each(|number| head.push_str(&format!("X-{number}: {}\r\n", "y".repeat(length))));
        head.push_str("\r\n");
        match server.client().try_raw(head.as_bytes(), false) {
            Ok(answer) => assert_eq!(answer.code, 431, "{count} headers of {length}"),
            // A large rest that nobody reads may break the connection before the answer is seen.
            Err(why) => assert_ne!(why.kind(), std::io::ErrorKind::WouldBlock, "the server hangs"),
        }
    }
    let wide = "a=b,".repeat(20_000);
    for selector in [wide.clone(), format!("a in ({})", "b,".repeat(30_000)), "(".repeat(60_000)] {
        let selector = selector.replace(' ', "+").replace('=', "%3D");
        for name in
            ["labelSelector", "fieldSelector", "continue", "resourceVersion", "fieldManager"]
        {
            let sent =
                server.client().send("GET", &format!("/api/v1/pods?{name}={selector}"), &[], b"");
            is_calm(name, &sent);
        }
    }
    let huge = "x".repeat(1 << 20);
    if let Ok(answer) = server
        .client()
        .try_raw(&request("GET", &format!("/api/v1/pods?labelSelector={huge}"), &[], b""), false)
    {
        assert!(matches!(answer.code, 400 | 414 | 431), "{}", answer.code);
    }
    assert!(server.memory() < before + 100 * MIB, "{} KiB", server.memory());
    server.is_well();
}

#[test]
fn absurd_parameters_are_answered() {
    let mut server = Server::start();
    let mut client = server.client();
    assert_eq!(client.post(MAPS, r#"{"metadata":{"name":"a"}}"#).code, 201);
    for value in [
        "-1",
        "0",
        "9e99",
        "9223372036854775807",
        "18446744073709551615",
        "99999999999999999999",
        "x",
        "%00",
    ] {
        for path in [MAPS.to_owned(), format!("{MAPS}/a")] {
            for name in [
                "limit",
                "resourceVersion",
                "continue",
                "timeoutSeconds",
                "gracePeriodSeconds",
                "dryRun",
            ] {
                let sent = client.get(&format!("{path}?{name}={value}"));
                is_calm(&format!("{path}?{name}={value}"), &sent);
            }
            let delete = client.delete(&format!("{path}?gracePeriodSeconds={value}&dryRun=All"));
            is_calm(&format!("DELETE {path} {value}"), &delete);
        }
        for name in ["timeoutSeconds", "resourceVersion"] {
            let mut watcher = client.again();
            watcher
                .write(&request("GET", &format!("{MAPS}?watch=1&{name}={value}"), &[], b""))
                .unwrap();
            let (code, head) = watcher.head().unwrap();
            assert!(code < 500 || name == "resourceVersion", "watch {name}={value}: {head}");
        }
    }
    server.is_well();
}

#[test]
fn patches_that_grow_are_refused() {
    let mut server = Server::start();
    let mut client = server.client();
    let made =
        client.post(REVISIONS, r#"{"metadata":{"name":"a"},"data":{"a":{"b":"c"}},"revision":1}"#);
    assert_eq!(made.code, 201, "{}", made.text());
    let path = format!("{REVISIONS}/a");
    let many = vec![r#"{"op":"test","path":"/revision","value":1}"#; 10_001].join(",");
    let sent = client.send("PATCH", &path, &[JSON_PATCH], format!("[{many}]").as_bytes());
    assert_eq!(sent.code, 413, "{}", sent.text());
    // Each step doubles what is there: the depth, then the size.
    for ops in [
        (0..30)
            .map(|_| r#"{"op":"copy","from":"/data","path":"/data/a"}"#.to_owned())
            .collect::<Vec<_>>(),
        (0..40).map(|n| format!(r#"{{"op":"copy","from":"/data","path":"/data/x{n}"}}"#)).collect(),
        (0..9000)
            .map(|n| format!(r#"{{"op":"copy","from":"/data","path":"/data/x{n}"}}"#))
            .collect(),
        (0..400).map(|_| r#"{"op":"move","from":"/data","path":"/data/a"}"#.to_owned()).collect(),
        (0..400)
            .map(|_| r#"{"op":"add","path":"/data","value":{"a":{"a":{}}}}"#.to_owned())
            .collect(),
    ] {
        let begun = Instant::now();
        let sent =
            client.send("PATCH", &path, &[JSON_PATCH], format!("[{}]", ops.join(",")).as_bytes());
        is_calm(&ops[0], &sent);
        assert!(begun.elapsed() < Duration::from_secs(60), "{} took {:?}", ops[0], begun.elapsed());
        let stored = client.get(&path);
        assert_eq!(stored.code, 200);
        assert!(stored.json()["metadata"]["name"] == "a", "{}", short(&stored.text()));
    }
    // Deeper with every request: stored objects must stay readable.
    for _ in 0..12 {
        let grow = r#"[{"op":"copy","from":"/data","path":"/data/a"}]"#;
        is_calm("grow", &client.send("PATCH", &path, &[JSON_PATCH], grow.as_bytes()));
    }
    let touched =
        client.send("PATCH", &path, &[MERGE_PATCH], br#"{"metadata":{"labels":{"x":"y"}}}"#);
    assert_eq!(touched.code, 200, "{}", short(&touched.text()));
    let sent = client.send("PATCH", &path, &[MERGE_PATCH], br#"{"data":null}"#);
    is_calm("null", &sent);
    assert!(server.memory() < 400 * MIB, "{} KiB", server.memory());
    server.is_well();
}

#[test]
fn a_selector_cannot_pretend_to_name_one_object() {
    let mut server = Server::start();
    let mut admin = server.client();
    for name in ["open", "closed"] {
        let made = admin.post(
            "/api/v1/namespaces/default/secrets",
            &format!(r#"{{"metadata":{{"name":"{name}"}}}}"#),
        );
        assert_eq!(made.code, 201);
    }
    let rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    let role = r#"{"metadata":{"name":"one"},"rules":[{"apiGroups":[""],"resources":["secrets"],"resourceNames":["open"],"verbs":["list","watch","deletecollection"]}]}"#;
    assert_eq!(admin.post(&format!("{rbac}/roles"), role).code, 201);
    let binding = r#"{"metadata":{"name":"one"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"eve"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"one"}}"#;
    assert_eq!(admin.post(&format!("{rbac}/rolebindings"), binding).code, 201);
    let mut list = |selector: &str| {
        let path = format!("/api/v1/namespaces/default/secrets?fieldSelector={selector}");
        admin.send("GET", &path, &[("Impersonate-User", "eve")], b"")
    };
    let named = list("metadata.name%3Dopen");
    assert!(named.code == 200 && named.text().contains("\"open\""), "{}", named.text());
    for selector in [
        "",
        "metadata.name%21%3Dx",
        "type%21%3Dx%5C,metadata.name%3Dopen",
        "type%21%3Dmetadata.name%3Dopen",
        "metadata.name%3D",
        "metadata.name%3Dopen%5C,x",
    ] {
        let sent = list(selector);
        assert!(
            !sent.text().contains("\"closed\""),
            "{selector} shows all: {}",
            short(&sent.text())
        );
        assert_eq!(sent.code, 403, "{selector}: {}", short(&sent.text()));
    }
    server.is_well();
}

#[test]
fn credentials_that_are_broken_are_refused() {
    let mut server = Server::start();
    let mut client = server.stranger();
    let long = "a".repeat(100_000);
    for value in [
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer a.b.c",
        "Bearer ..",
        "Bearer eyJhbGciOiJub25lIn0.e30.",
        "Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMuY2x1c3Rlci5sb2NhbCJ9.AAAA",
        "Bearer \u{ff}",
        "Basic YTpi",
        "Negotiate x",
        &format!("Bearer {long}"),
        &format!("Bearer {long}.{long}.x"),
    ] {
        let sent = client.send("GET", "/api/v1/secrets", &[("Authorization", value)], b"");
        assert!(matches!(sent.code, 400 | 401 | 403), "{value:.60}: {}", sent.code);
    }
    for headers in [
        [("Impersonate-User", "system:admin"), ("Impersonate-Group", "system:masters")],
        [("Impersonate-Uid", "1"), ("Impersonate-Extra-%2f%00", "x")],
        [("X-Remote-User", "admin"), ("X-Remote-Group", "system:masters")],
    ] {
        let sent = client.send("GET", "/api/v1/secrets", &headers, b"");
        assert!(
            matches!(sent.code, 400 | 401 | 403 | 500),
            "{headers:?}: {} {}",
            sent.code,
            sent.text()
        );
        assert!(!sent.text().contains("SecretList"), "{headers:?} is let in");
    }
    assert_eq!(client.get("/api/v1/secrets").code, 403);
    // Credentials are readable by their owner only.
    for file in ["kubeconfig", "pki/sa.key", "pki/ca.key", "pki/admin.key", "pki/apiserver.key"] {
        assert_eq!(server.mode(file), 0o600, "{file}");
    }
    // Bytes that are no handshake at all.
    for garbage in
        [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x16\x03\x01\xff\xff\x01", &[0; 1000], b"\x80"]
    {
        let mut tcp = std::net::TcpStream::connect(server.address).unwrap();
        tcp.write_all(garbage).unwrap();
    }
    server.is_well();
}

#[test]
fn some_kinds_are_not_replaced_blindly() {
    let mut server = Server::start();
    let mut client = server.client();
    let leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    let lease = r#"{"metadata":{"name":"a"},"spec":{"holderIdentity":"x"}}"#;
    assert_eq!(client.post(leases, lease).code, 201);
    let blind = client.send("PUT", &format!("{leases}/a"), &[JSON], lease.as_bytes());
    assert_eq!(blind.code, 422, "{}", blind.text());
    let message = r#"leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#;
    assert_eq!(blind.json()["message"], message);
    let stored = client.get(&format!("{leases}/a")).text().replace("\"x\"", "\"y\"");
    let put = client.send("PUT", &format!("{leases}/a"), &[JSON], stored.as_bytes());
    assert_eq!(put.code, 200, "{}", put.text());
    let again = client.send("PUT", &format!("{leases}/a"), &[JSON], stored.as_bytes());
    assert_eq!(again.code, 409, "{}", again.text());
    server.is_well();
}
