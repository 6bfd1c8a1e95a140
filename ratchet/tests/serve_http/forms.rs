//! Tests of encodings: indented, compressed, YAML, protobuf, metadata, tables.

use crate::client::text;
use crate::server::Server;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;
use std::io::{Read, Write};

pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

#[tokio::test]
async fn people_get_indented_json() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let path = format!("{maps}/a");
    let compact = client.get(&path).await;
    assert!(compact.text().starts_with(r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"#));
    assert!(compact.text().ends_with("}\n"));
    for (agent, query) in [("curl/8.5.0", ""), ("probe", "?pretty=true"), ("Mozilla/5.0 (X)", "")] {
        let agent = [("user-agent", agent)];
        let response = client.send(Method::GET, &format!("{path}{query}"), &agent, "").await;
        assert!(
            response.text().starts_with("{\n  \"kind\": \"ConfigMap\",\n  \"apiVersion\": \"v1\"")
        );
        assert!(response.text().ends_with("\n}"));
        assert_eq!(response.json(), compact.json());
    }
    let curl = [("user-agent", "curl/8.5.0")];
    let plain = client.send(Method::GET, &format!("{path}?pretty=false"), &curl, "").await;
    assert_eq!(plain.text(), compact.text());
    let version = client.get("/version").await;
    assert!(version.text().starts_with("{\n  \"major\": \"1\",\n  \"minor\": \"36\""));
}

#[tokio::test]
async fn html_in_strings_is_escaped() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let body = json!({"metadata": {"name": "a"}, "data": {"h": "<b>&</b>\u{2028}"}});
    let made = client.post(&maps, body).await;
    assert!(made.text().contains(r#""h":"\u003cb\u003e\u0026\u003c/b\u003e\u2028""#));
}

#[tokio::test]
async fn large_answers_are_packed_for_those_who_can_unpack() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "small").await;
    let gzip = [("accept-encoding", "gzip")];
    let small = client.send(Method::GET, &maps, &gzip, "").await;
    assert_eq!(small.header("content-encoding"), "");
    let large = json!({"metadata": {"name": "large"}, "data": {"a": "y".repeat(140_000)}});
    client.post(&maps, large).await;
    let packed = client.send(Method::GET, &maps, &gzip, "").await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_eq!(packed.header("vary"), "Accept-Encoding");
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(packed.body.as_ref()).read_to_string(&mut unpacked).unwrap();
    let plain = client.get(&maps).await;
    assert_eq!(plain.header("content-encoding"), "");
    // The lists may differ in their version, for others write meanwhile.
    let unpacked: serde_json::Value = serde_json::from_str(&unpacked).unwrap();
    assert!(unpacked["items"] == plain.json()["items"], "what is unpacked differs");
}

#[tokio::test]
async fn packed_bodies_are_unpacked() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(br#"{"metadata":{"name":"packed"}}"#).unwrap();
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let made = client.send(Method::POST, &maps, &headers, packer.finish().unwrap()).await;
    assert_eq!((made.code, text(&made.json()["metadata"]["name"])), (201, "packed".into()));
}

#[tokio::test]
async fn yaml_goes_in_and_comes_out() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let headers = [("content-type", "application/yaml"), ("accept", "application/yaml")];
    let body = "metadata:\n  name: yaml\ndata:\n  on: \"yes\"\n";
    let made = client.send(Method::POST, &maps, &headers, body).await;
    assert_eq!((made.code, made.header("content-type")), (201, "application/yaml"));
    assert!(
        made.text().contains("kind: ConfigMap\n") && made.text().contains("  \"true\": \"yes\"\n"),
        "YAML 1.1: {}",
        made.text()
    );
    let missing = client.get_as(&format!("{maps}/no"), "application/yaml").await;
    assert_eq!((missing.code, missing.header("content-type")), (404, "application/yaml"));
    assert!(missing.text().contains("reason: NotFound\n"));
}

#[tokio::test]
async fn metadata_alone() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let many = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let object = client.get_as(&format!("{maps}/a"), one).await.json();
    assert_eq!(object["kind"], "PartialObjectMetadata");
    assert!(object.get("data").is_none() && object["metadata"]["uid"].is_string());
    let list = client.get_as(&maps, many).await.json();
    assert_eq!(
        (&list["kind"], &list["items"][0]["metadata"]["name"]),
        (&json!("PartialObjectMetadataList"), &json!("a"))
    );
}

#[tokio::test]
async fn tables_carry_as_much_of_the_object_as_was_asked_for() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    for (include, kind) in [
        ("", "PartialObjectMetadata"),
        ("Metadata", "PartialObjectMetadata"),
        ("Object", "ConfigMap"),
    ] {
        let response =
            client.get_as(&format!("{maps}?includeObject={include}"), table).await.json();
        assert_eq!(
            (&response["kind"], &response["apiVersion"]),
            (&json!("Table"), &json!("meta.k8s.io/v1"))
        );
        let columns: Vec<String> = response["columnDefinitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| text(&column["name"]))
            .collect();
        assert_eq!(columns, ["Name", "Data", "Age"]);
        assert_eq!(response["rows"][0]["cells"][1], 1);
        assert_eq!(response["rows"][0]["object"]["kind"], kind);
    }
    let bare = client.get_as(&format!("{maps}?includeObject=None"), table).await.json();
    assert_eq!(bare["rows"][0].get("object"), Some(&json!(null)));
}

#[tokio::test]
async fn what_nobody_can_write_is_refused() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let html = client.get_as(&maps, "text/html").await;
    assert_eq!((html.code, text(&html.json()["reason"])), (406, "NotAcceptable".into()));
    let xml = [("content-type", "application/xml")];
    let body = client.send(Method::POST, &maps, &xml, "<a/>").await;
    assert_eq!(body.refusal(), (415, "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf".into()));
}

/// A field of a protobuf message with a length before it.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).unwrap();
    assert!(length < 128);
    [&[number << 3 | 2, length], bytes].concat()
}

/// The fields of a message, as far as they have lengths or are small numbers.
pub(crate) fn fields(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut found = Vec::new();
    let number = |bytes: &mut &[u8]| {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    };
    while !bytes.is_empty() {
        let tag = number(&mut bytes);
        let value = number(&mut bytes);
        if tag & 7 == 2 {
            let (this, rest) = bytes.split_at(usize::try_from(value).unwrap());
            found.push((u8::try_from(tag >> 3).unwrap(), this));
            bytes = rest;
        }
    }
    found
}

pub(crate) fn first(bytes: &[u8], number: u8) -> &[u8] {
    let all = fields(bytes);
    all.iter().find(|(at, _)| *at == number).map(|(_, value)| *value).unwrap_or_default()
}

/// A config map in protobuf, as Kubernetes' own clients send it.
fn protobuf_map(name: &str) -> Vec<u8> {
    let kind = [field(1, b"v1"), field(2, b"ConfigMap")].concat();
    let metadata = [field(1, name.as_bytes()), field(3, b"")].concat();
    let pair = [field(1, b"key"), field(2, b"value")].concat();
    let object = [field(1, &metadata), field(2, &pair)].concat();
    [b"k8s\0".as_slice(), &field(1, &kind), &field(2, &object), &field(3, b""), &field(4, b"")]
        .concat()
}

#[tokio::test]
async fn of_several_documents_the_first_counts() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let yaml = [("content-type", "Application/YAML; charset=utf-8")];
    let one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n";
    for (name, body) in [
        ("a", format!("{one}---\n")),
        ("b", format!("{one}---\n[broken")),
        ("c", format!("# first\n---\n{one}---\nkind: Pod\n")),
    ] {
        let made = client.send(Method::POST, &maps, &yaml, body.replace("NAME", name)).await;
        assert_eq!(made.code, 201, "{body}: {}", made.text());
    }
    assert_eq!(client.get(&maps).await.names(), ["a", "b", "c"]);
    let nothing = client.send(Method::POST, &maps, &yaml, "# nothing\n---\n").await;
    assert_eq!(nothing.code, 422, "{}", nothing.text());
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_in_json_and_refused_in_yaml() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for (number, bytes, wanted) in [
        (0, &b"\xff"[..], "\u{fffd}"),
        (1, b"a\xe2\x82b", "a\u{fffd}\u{fffd}b"),
        (2, b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
    ] {
        let start = format!(r#"{{"metadata":{{"name":"m{number}"}},"data":{{"a":""#);
        let body = [start.as_bytes(), bytes, br#""}}"#].concat();
        let json = [("content-type", "application/json")];
        let made = client.send(Method::POST, &maps, &json, body.clone()).await;
        assert_eq!(made.code, 201, "{}", made.text());
        assert_eq!(text(&made.json()["data"]["a"]), wanted);
        let path = format!("{maps}/m{number}");
        assert_eq!(text(&client.get(&path).await.json()["data"]["a"]), wanted);
        let yaml = [("content-type", "application/yaml")];
        let refused = client.send(Method::POST, &maps, &yaml, body).await;
        assert_eq!(refused.code, 400, "{}", refused.text());
    }
}

#[tokio::test]
async fn protobuf_goes_in() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let headers = [("content-type", PROTOBUF)];
    let made = client.send(Method::POST, &maps, &headers, protobuf_map("proto")).await;
    assert_eq!(made.code, 201, "{}", made.text());
    assert_eq!(made.json()["data"], json!({"key": "value"}));
    let broken =
        client.send(Method::POST, &maps, &headers, Bytes::from_static(b"k8s\0\xff\xff")).await;
    assert_eq!(broken.code, 400);
    let other = client.send(Method::POST, &maps, &headers, Bytes::from_static(b"{}")).await;
    assert_eq!(other.code, 400);
}

#[tokio::test]
async fn protobuf_comes_out_for_those_who_take_nothing_else() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    client.map(&maps, "b").await;
    let both = client.get_as(&maps, &format!("{PROTOBUF},application/json")).await;
    assert_eq!(both.header("content-type"), "application/json");
    let list = client.get_as(&maps, PROTOBUF).await;
    assert_eq!(list.header("content-type"), PROTOBUF);
    assert_eq!(&list.body[..4], b"k8s\0");
    let (kind, object) = (first(&list.body[4..], 1), first(&list.body[4..], 2));
    assert_eq!((first(kind, 1), first(kind, 2)), (b"v1".as_slice(), b"ConfigMapList".as_slice()));
    let items: Vec<&[u8]> =
        fields(object).iter().filter(|(at, _)| *at == 2).map(|(_, item)| *item).collect();
    let names: Vec<&[u8]> = items.iter().map(|item| first(first(item, 1), 1)).collect();
    assert_eq!(names, [b"a", b"b"]);
    let pair = first(items[0], 2);
    assert_eq!((first(pair, 1), first(pair, 2)), (b"a".as_slice(), b"b".as_slice()));
    let missing = client.get_as(&format!("{maps}/no"), PROTOBUF).await;
    assert_eq!((missing.code, missing.header("content-type")), (404, PROTOBUF));
    let (kind, status) = (first(&missing.body[4..], 1), first(&missing.body[4..], 2));
    assert_eq!((first(kind, 2), first(status, 4)), (b"Status".as_slice(), b"NotFound".as_slice()));
}

#[tokio::test]
async fn protobuf_is_watched() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let accept = format!("{PROTOBUF};stream=watch");
    let mut events = client.watch_as(&format!("{maps}?watch=1&timeoutSeconds=1"), &accept).await;
    assert_eq!(events.content_type(), accept);
    let mut bytes = Vec::new();
    while let Some(more) = events.bytes().await {
        bytes.extend_from_slice(&more);
    }
    let length = u32::from_be_bytes(bytes[..4].try_into().unwrap());
    assert_eq!(usize::try_from(length).unwrap(), bytes.len() - 4, "one event and its length");
    let event = &bytes[4..];
    assert_eq!(first(event, 1), b"ADDED");
    let object = first(first(event, 2), 1);
    assert_eq!(&object[..4], b"k8s\0");
    assert_eq!(first(first(first(&object[4..], 2), 1), 1), b"a");
}
