//! Tests of secrets in all kinds of bodies.

use super::*;
use ratchet_object::{Limits, decode};

fn secrets() -> Option<&'static Sensitive> {
    by_resource("", "secrets", "")
}

fn after(text: &str, redact: impl Fn(&mut Node<'_>)) -> String {
    let mut node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
    redact(&mut node);
    let json = node.to_json();
    assert!(!json.contains("s3cr3t"), "{json}");
    json
}

#[test]
fn bodies_of_requests_about_secrets_tell_names_and_no_values() {
    for (body, redacted) in [
        (
            r#"{"kind":"Secret","data":{"a":"s3cr3t","b":null},"stringData":{"c":"s3cr3t"},"type":"Opaque"}"#,
            r#"{"kind":"Secret","data":{"a":"[redacted]","b":null},"stringData":{"c":"[redacted]"},"type":"Opaque"}"#,
        ),
        // a missing, wrong, or misleading kind
        (r#"{"data":{"a":"s3cr3t"}}"#, r#"{"data":{"a":"[redacted]"}}"#),
        (
            r#"{"kind":"Table","data":{"a":"s3cr3t"}}"#,
            r#"{"kind":"Table","data":{"a":"[redacted]"}}"#,
        ),
        (r#"{"kind":"Status","message":"s3cr3t"}"#, r#"{"kind":"Status","message":"[redacted]"}"#),
        // fields in the wrong case, of the wrong type, at the wrong place
        (r#"{"Data":{"a":"s3cr3t"}}"#, r#"{"Data":{"a":"[redacted]"}}"#),
        (r#"{"data":"s3cr3t"}"#, r#"{"data":"[redacted]"}"#),
        (r#"{"data":["s3cr3t"]}"#, r#"{"data":"[redacted]"}"#),
        (r#"{"data":{"a":{"b":"s3cr3t"}}}"#, r#"{"data":{"a":"[redacted]"}}"#),
        (r#"{"password":"s3cr3t"}"#, r#"{"password":"[redacted]"}"#),
        (
            r#"{"metadata":{"name":"a","data":{"b":"s3cr3t"}}}"#,
            r#"{"metadata":{"name":"a","data":{"b":"[redacted]"}}}"#,
        ),
        (
            r#"{"metadata":{"annotations":"s3cr3t"}}"#,
            r#"{"metadata":{"annotations":"[redacted]"}}"#,
        ),
        (r#"{"metadata":"s3cr3t"}"#, r#"{"metadata":"[redacted]"}"#),
        // the annotation of kubectl apply
        (
            r#"{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"s3cr3t","a":"b"}}}"#,
            r#"{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"[redacted]","a":"b"}}}"#,
        ),
        // merge patches that remove
        (r#"{"data":{"a":null}}"#, r#"{"data":{"a":null}}"#),
        (r#"{"data":null}"#, r#"{"data":null}"#),
        // strategic merge patches
        (
            r#"{"data":{"$patch":"replace","a":"s3cr3t"}}"#,
            r#"{"data":{"$patch":"[redacted]","a":"[redacted]"}}"#,
        ),
        // JSON patches
        (
            r#"[{"op":"replace","path":"/data/a","value":"s3cr3t"},{"op":"test","path":"/data","value":{"b":"s3cr3t"}},{"op":"add","path":"","value":{"data":{"a":"s3cr3t"}}},{"op":"copy","from":"/data/a","path":"/data/b"}]"#,
            r#"[{"op":"replace","path":"/data/a","value":"[redacted]"},{"op":"test","path":"/data","value":{"b":"[redacted]"}},{"op":"add","path":"","value":{"data":"[redacted]"}},{"op":"copy","from":"/data/a","path":"/data/b"}]"#,
        ),
        (r#"["s3cr3t"]"#, r#"["[redacted]"]"#),
        // a delete
        (
            r#"{"kind":"DeleteOptions","propagationPolicy":"Foreground"}"#,
            r#"{"kind":"DeleteOptions","propagationPolicy":"Foreground"}"#,
        ),
    ] {
        assert_eq!(after(body, |node| request(node, secrets())), redacted);
    }
}

#[test]
fn answers_about_secrets_tell_no_values_either() {
    for (body, redacted) in [
        (
            r#"{"kind":"Secret","apiVersion":"v1","data":{"a":"s3cr3t"}}"#,
            r#"{"kind":"Secret","apiVersion":"v1","data":{"a":"[redacted]"}}"#,
        ),
        (
            r#"{"kind":"SecretList","items":[{"data":{"a":"s3cr3t"}},{"metadata":{"name":"b"}}],"odd":{"a":"s3cr3t"}}"#,
            r#"{"kind":"SecretList","items":[{"data":{"a":"[redacted]"}},{"metadata":{"name":"b"}}],"odd":{"a":"[redacted]"}}"#,
        ),
        (
            r#"{"kind":"PartialObjectMetadataList","items":[{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"s3cr3t"}}}]}"#,
            r#"{"kind":"PartialObjectMetadataList","items":[{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"[redacted]"}}}]}"#,
        ),
        (
            r#"{"kind":"Table","columnDefinitions":[],"rows":[{"cells":["a","Opaque",1],"object":{"kind":"Secret","data":{"a":"s3cr3t"}}}]}"#,
            r#"{"kind":"Table","columnDefinitions":[],"rows":[{"cells":["a","Opaque",1],"object":{"kind":"Secret","data":{"a":"[redacted]"}}}]}"#,
        ),
        (
            r#"{"kind":"Status","code":400,"reason":"BadRequest","message":"cannot read s3cr3t","details":{"causes":[{"message":"s3cr3t","field":"data"}]}}"#,
            r#"{"kind":"Status","code":400,"reason":"BadRequest","message":"[redacted]","details":{"causes":[{"message":"[redacted]","field":"data"}]}}"#,
        ),
        (
            r#"{"kind":"Status","code":404,"message":"secrets \"a\" not found"}"#,
            r#"{"kind":"Status","code":404,"message":"secrets \"a\" not found"}"#,
        ),
    ] {
        assert_eq!(after(body, |node| response(node, secrets())), redacted);
    }
}

#[test]
fn tokens_are_taken_out() {
    let issued = by_resource("", "serviceaccounts", "token");
    assert_eq!(
        after(
            r#"{"kind":"TokenRequest","spec":{"audiences":["api"]},"status":{"token":"s3cr3t","expirationTimestamp":"t"}}"#,
            |node| response(node, issued)
        ),
        r#"{"kind":"TokenRequest","spec":{"audiences":["api"]},"status":{"token":"[redacted]","expirationTimestamp":"t"}}"#
    );
    let review = by_resource("authentication.k8s.io", "tokenreviews", "");
    for redact in [request, response] {
        assert_eq!(
            after(
                r#"{"spec":{"token":"s3cr3t","Token":"s3cr3t","audiences":["a"]},"status":{"authenticated":true}}"#,
                |node| redact(node, review)
            ),
            r#"{"spec":{"token":"[redacted]","Token":"[redacted]","audiences":["a"]},"status":{"authenticated":true}}"#
        );
        after(r#"{"token":"s3cr3t"}"#, |node| redact(node, review));
        after(r#"{"spec":"s3cr3t"}"#, |node| redact(node, review));
        after(r#""s3cr3t""#, |node| redact(node, review));
    }
}

#[test]
fn secrets_inside_other_things_are_found() {
    for body in [
        r#"{"kind":"List","items":[{"kind":"Secret","data":{"a":"s3cr3t"}}]}"#,
        r#"{"kind":"SecretList","items":[{"data":{"a":"s3cr3t"}}]}"#,
        r#"{"kind":"ControllerRevision","data":{"deep":[{"kind":"TokenReview","spec":{"token":"s3cr3t"}}]}}"#,
        r#"[{"kind":"TokenRequest","status":{"token":"s3cr3t"}}]"#,
    ] {
        after(body, |node| request(node, None));
        after(body, |node| response(node, None));
    }
}

#[test]
fn other_objects_are_told_as_they_are() {
    let body = r#"{"kind":"ConfigMap","data":{"a":"b"},"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}"#;
    assert_eq!(after(body, |node| request(node, None)), body);
    assert_eq!(after(body, |node| response(node, None)), body);
    assert!(by_resource("", "serviceaccounts", "").is_none());
    assert!(by_resource("example.com", "secrets", "").is_none());
}

#[test]
fn uris_are_told_without_tokens() {
    for (given, redacted) in [
        ("/api/v1/pods", "/api/v1/pods"),
        ("/api?limit=5&continue=token", "/api?limit=5&continue=token"),
        ("/x?token=s3cr3t&a=b", "/x?token=[redacted]&a=b"),
        ("/x?a=b&Access_Token=s3cr3t=s3cr3t", "/x?a=b&Access_Token=[redacted]"),
        ("/x?%74oken=s3cr3t", "/x?%74oken=[redacted]"),
        ("/x?%zz=s3cr3t", "/x?%zz=[redacted]"),
        ("/x?token", "/x?token"),
        ("/x?", "/x?"),
    ] {
        assert_eq!(uri(given), redacted);
    }
}
