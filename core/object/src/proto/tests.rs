//! Tests of handwritten protobuf: the encoding of each type of field, and what is refused.

use super::wire::{put_bytes, put_int};
use super::{decode, decode_as, encode, is_enveloped, is_pointer};
use crate::{Limits, Node, schema};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A field with a string or a message.
fn part(number: u8, inside: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, number, inside);
    out
}

fn number(number: u8, value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    put_int(&mut out, number, value);
    out
}

fn body(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let type_meta = [part(1, api_version.as_bytes()), part(2, kind.as_bytes())].concat();
    [b"k8s\0".to_vec(), part(1, &type_meta), part(2, raw)].concat()
}

/// The JSON that a body decodes to.
fn decoded_json(api_version: &str, kind: &str, raw: &[u8]) -> String {
    match decode(&body(api_version, kind, raw), Limits::DEFAULT) {
        Ok(node) => node.to_json(),
        Err(error) => error.to_string(),
    }
}

fn tree(json: &str) -> Node<'_> {
    crate::decode(json, Limits::DEFAULT).unwrap().documents.remove(0)
}

/// Both directions: the tree is encoded to bytes that decode to the tree.
fn round_trips(json: &str) {
    let node = tree(json);
    assert!(schema::KINDS.iter().any(|row| row.kind == node.text_at(&["kind"])), "{json}");
    let again = decode(&encode(&node).unwrap(), Limits::DEFAULT).unwrap();
    assert_eq!(again, node, "{again} is not {json}");
}

/// A small ConfigMap, byte by byte.
#[test]
fn a_body_byte_by_byte() {
    let bytes: &[u8] = b"k8s\0\
        \x0a\x0f\x0a\x02v1\x12\x09ConfigMap\
        \x12\x13\
        \x0a\x07\x0a\x01c\x12\x00\x22\x00\
        \x12\x08\x0a\x01k\x12\x03v\xc3\xa9\
        \x1a\x00\x22\x00";
    assert!(is_enveloped(bytes));
    let node = decode(bytes, Limits::DEFAULT).unwrap();
    let json =
        r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"k":"vé"},"metadata":{"name":"c"}}"#;
    assert_eq!(node.to_json(), json);
    let encoded = encode(&node).unwrap();
    assert_eq!(decode(&encoded, Limits::DEFAULT).unwrap(), node);
    assert!(encoded.ends_with(b"\x1a\x00\x22\x00"), "{encoded:?}");
}

#[test]
fn zero_is_kept_where_go_has_a_pointer() {
    let spec = [number(1, 0), number(9, 0), number(5, 0)].concat();
    let json = r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"progressDeadlineSeconds":0,"replicas":0}}"#;
    assert_eq!(decoded_json("apps/v1", "Deployment", &part(2, &spec)), json);

    let account = number(4, 0);
    let json =
        r#"{"apiVersion":"v1","kind":"ServiceAccount","automountServiceAccountToken":false}"#;
    assert_eq!(decoded_json("v1", "ServiceAccount", &account), json);

    let claim = [part(5, b""), part(3, b"")].concat();
    let json =
        r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"storageClassName":""}}"#;
    assert_eq!(decoded_json("v1", "PersistentVolumeClaim", &part(2, &claim)), json);
}

#[test]
fn empty_objects_stay_as_json_has_them_and_an_empty_time_does_not() {
    let raw = [part(1, &part(8, b"")), part(2, &part(2, &part(1, b"c"))), part(3, b"")].concat();
    let json = r#"{"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[{"name":"c"}]},"status":{}}"#;
    assert_eq!(decoded_json("v1", "Pod", &raw), json);
}

/// Go has no `omitempty` on this field, so JSON has null, before and after a round trip.
#[test]
fn an_empty_time_that_json_always_has() {
    let condition = [part(1, b"Ready"), part(2, b"True"), part(4, b""), part(6, b"")].concat();
    let json = r#"{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","status":{"conditions":[{"lastTransitionTime":null,"message":"","status":"True","type":"Ready"}]}}"#;
    assert_eq!(
        decoded_json("networking.k8s.io/v1", "ServiceCIDR", &part(3, &part(1, &condition))),
        json
    );
    round_trips(json);
}

/// A volume's source and a probe's handler are messages of their own, which JSON inlines.
#[test]
fn messages_that_json_does_not_show() {
    let host_path = part(2, &part(1, &part(1, b"/x")));
    let volume = [part(1, b"v"), host_path].concat();
    let json = r#"{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[{"hostPath":{"path":"/x"},"name":"v"}]}}"#;
    assert_eq!(decoded_json("v1", "Pod", &part(2, &part(1, &volume))), json);
    round_trips(json);
    round_trips(
        r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","livenessProbe":{"periodSeconds":3,"httpGet":{"port":"http"}},
            "env":[{"name":"e","valueFrom":{"secretKeyRef":{"name":"s","key":"k","optional":false}}}]}],
            "ephemeralContainers":[{"name":"e","image":"i","targetContainerName":"c"}]}}"#,
    );
    round_trips(
        r#"{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","spec":{"matchConstraints":
            {"resourceRules":[{"resourceNames":["n"],"operations":["*"],"apiGroups":[""],"resources":["pods"],"scope":"*"}]}}}"#,
    );
}

#[test]
fn leaves_that_are_messages() {
    round_trips(
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[{"fieldsV1":{"f:a":{".":{}}}}]},
            "spec":{"tolerations":[{"tolerationSeconds":-1}],"containers":[{"name":"c","resources":{"limits":{"cpu":"500m"}}}]}}"#,
    );
    round_trips(
        r#"{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":"2026-01-02T03:04:05.000060Z"}}"#,
    );
    round_trips(
        r#"{"apiVersion":"v1","kind":"Secret","data":{"a":"","b":"AAE=","c":"/+8="},"type":"Opaque"}"#,
    );
    round_trips(
        r#"{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"u","extra":{"scopes":["a","b"]}},"status":{"allowed":false}}"#,
    );
    round_trips(
        r#"{"apiVersion":"apps/v1","kind":"ControllerRevision","data":{"spec":[1,"x",null,1.5]},"revision":7}"#,
    );
}

#[test]
fn schemas_of_custom_resources() {
    round_trips(
        r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"g","names":{"kind":"K","plural":"ks"},"scope":"Cluster",
            "versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"maximum":5,"minimum":-0.5,"default":{"a":1},"enum":[1,"a",null],
            "properties":{"a":{"items":{"type":"string"}},"b":{"items":[{"type":"string"}]}},"additionalProperties":false,"additionalItems":{"nullable":true},
            "dependencies":{"a":["b"],"c":{"type":"string"}}}}}]}}"#,
    );
}

#[test]
fn numbers_in_one_field_are_numbers_one_by_one() {
    let spec = |groups: Vec<u8>| {
        let context = part(14, &groups);
        decoded_json("v1", "Pod", &part(2, &context))
    };
    let json = r#"{"apiVersion":"v1","kind":"Pod","spec":{"securityContext":{"supplementalGroups":[1,300]}}}"#;
    assert_eq!(spec([number(4, 1), number(4, 300)].concat()), json);
    assert_eq!(spec(part(4, &[1, 0xac, 2])), json);
}

#[test]
fn keys_are_sorted_and_the_last_of_a_name_wins() {
    let entry = |key: &[u8], value: &[u8]| part(2, &[part(1, key), part(2, value)].concat());
    let raw = [entry(b"b", b"1"), entry(b"a", b"2"), entry(b"b", b"3"), part(2, b"")].concat();
    let json = r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"":"","a":"2","b":"3"}}"#;
    assert_eq!(decoded_json("v1", "ConfigMap", &raw), json);
}

#[test]
fn unknown_fields_are_skipped() {
    let raw = [number(99, 1), part(200, b"x"), part(1, &part(1, b"n"))].concat();
    let json = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n"}}"#;
    assert_eq!(decoded_json("v1", "ConfigMap", &raw), json);
    let encoded = encode(&tree(r#"{"apiVersion":"v1","kind":"ConfigMap","colour":"red"}"#));
    let json = r#"{"apiVersion":"v1","kind":"ConfigMap"}"#;
    assert_eq!(decode(&encoded.unwrap(), Limits::DEFAULT).unwrap().to_json(), json);
}

#[test]
fn what_cannot_be_read_says_where() {
    let pod = |spec: &[u8]| decoded_json("v1", "Pod", &part(2, spec));
    assert_eq!(
        pod(&part(2, &number(1, 1))),
        "protobuf: spec.containers[0].name: wire type 0 where a text, bytes or a message belongs"
    );
    assert_eq!(pod(&part(10, b"\xff")), "protobuf: spec.nodeName: text that is not UTF-8");
    assert_eq!(pod(&[0x0a, 9]), "protobuf: spec: unexpected end of the message");
    assert_eq!(
        decoded_json("v1", "ConfigMap", &part(2, &[part(1, b"k"), number(2, 1)].concat())),
        "protobuf: data[k]: wire type 0 where a text, bytes or a message belongs"
    );
    assert_eq!(
        decoded_json("apps/v1", "ControllerRevision", &part(2, &part(1, b"{}{}"))),
        "protobuf: data: JSON that cannot be read: not one value"
    );
    assert_eq!(
        decoded_json("example.com/v1", "Thing", b""),
        "protobuf: example.com/v1, Kind=Thing has no protobuf form; send it as application/json"
    );
    let plain = decode(b"{}", Limits::DEFAULT).unwrap_err().to_string();
    assert!(plain.contains("6b 38 73 00"), "{plain}");
}

#[test]
fn what_cannot_be_written_says_where() {
    let refused = |json| encode(&tree(json)).unwrap_err().to_string();
    assert_eq!(
        refused(r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2147483648}}"#),
        "protobuf: spec.replicas: number where a whole number of 32 bits belongs"
    );
    assert_eq!(
        refused(r#"{"apiVersion":"v1","kind":"Secret","data":{"a":"?"}}"#),
        "protobuf: data[a]: string where base64 belongs"
    );
    assert_eq!(refused("{}"), "protobuf: the envelope does not name a kind");
}

#[test]
fn limits_hold() {
    let map = part(1, &part(2, b""));
    let wide: Vec<u8> = core::iter::repeat_n(map, 50).flatten().collect();
    let bytes = body("v1", "ConfigMap", &wide);
    let refused = |limits| decode(&bytes, limits).unwrap_err().message;
    assert_eq!(refused(Limits { bytes: 9, ..Limits::DEFAULT }), "the body is larger than 9 bytes");
    assert_eq!(refused(Limits { nodes: 9, ..Limits::DEFAULT }), "more than 9 values");
    assert_eq!(refused(Limits { depth: 1, ..Limits::DEFAULT }), "nested deeper than 1 levels");

    // A schema in a schema in a schema: `not` is field 28.
    let deep = |levels| {
        let schema = (0..levels).fold(Vec::new(), |inside, _| part(28, &inside));
        let spec = part(7, &part(4, &part(1, &schema)));
        decoded_json("apiextensions.k8s.io/v1", "CustomResourceDefinition", &part(2, &spec))
    };
    assert!(deep(240).starts_with('{'), "{}", deep(240));
    let refused = deep(300);
    assert!(refused.ends_with("nested deeper than 250 levels"), "{refused}");
    assert!(refused.len() < 1200, "a path is cut off");

    // A list is a level, though it is no message: `allOf` is field 25.
    let listed = |levels| {
        let schema = (0..levels).fold(Vec::new(), |inside, _| part(25, &inside));
        let spec = part(7, &part(4, &part(1, &schema)));
        let bytes = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", &part(2, &spec));
        decode(&bytes, Limits::DEFAULT).map(|node| node.depth())
    };
    assert_eq!(listed(1).map(|depth| (depth, listed(100).unwrap())), Ok((7, 205)));
    assert!(listed(122).is_ok_and(|depth| depth == 249) && listed(123).is_err());
}

#[test]
fn a_body_whose_envelope_names_nothing() {
    let bytes = [b"k8s\0".to_vec(), part(2, &part(1, &part(1, b"n")))].concat();
    let refused = decode(&bytes, Limits::DEFAULT).unwrap_err();
    assert_eq!(refused.message, "the envelope does not name a kind");
    let node = decode_as(&bytes, Limits::DEFAULT, "v1", "Pod").unwrap();
    assert_eq!(node.to_json(), r#"{"metadata":{"name":"n"}}"#);
}

#[test]
fn options_statuses_and_lists() {
    let options = r#"{"apiVersion":"apps/v1","kind":"DeleteOptions","gracePeriodSeconds":0,"preconditions":{"uid":"u"},"propagationPolicy":"Background"}"#;
    let status = r#"{"apiVersion":"v1","kind":"Status","code":404,"details":{"causes":[{"field":"f"}],"name":"n"},"metadata":{},"status":"Failure"}"#;
    let list = r#"{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"5","remainingItemCount":2},"items":[{"metadata":{"name":"a"}},{}]}"#;
    for json in [options, status, list] {
        let node = tree(json);
        assert_eq!(decode(&encode(&node).unwrap(), Limits::DEFAULT).unwrap(), node, "{json}");
    }
}

#[test]
fn pointers() {
    let type_index = |id: &str| schema::TYPES.iter().position(|ty| ty.id == id).unwrap() as u16;
    let spec = type_index("io.k8s.api.apps.v1.DeploymentSpec");
    assert!(is_pointer(spec, "replicas"));
    assert!(!is_pointer(spec, "paused"));
    assert!(!is_pointer(spec, "colour"));
    assert!(!is_pointer(u16::MAX, "replicas"));
}
