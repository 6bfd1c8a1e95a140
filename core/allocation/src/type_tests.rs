//! Tests of Services that change their type.

use crate::testing::{Server, at, dual, error_texts, node_ports, stack};
use alloc::format;

const NONE: [&str; 3] = ["-", "-", "-"];

#[test]
fn an_external_name_has_no_address() {
    let name = r#"{"type":"ExternalName","externalName":"a.example.com"}"#;
    // By a patch that changes only the type, and by an update without any other field.
    for is_patch in [true, false] {
        let mut server = Server::new(dual());
        let created = server.create(name);
        assert_eq!(stack(&created), NONE);
        assert!(server.is_idle());
        let inside =
            server.patch(r#"{"type":"ClusterIP","ports":[{"port":80}]}"#, &created).unwrap();
        assert_eq!(server.ledger.addresses.len(), 1);
        let back = match is_patch {
            true => server.patch(name, &inside).unwrap(),
            false => server.put(name, Some(&inside)).unwrap(),
        };
        assert_eq!(stack(&back), NONE);
        assert_eq!(at(&back, "clusterIP"), "-");
        assert_eq!(at(&back, "internalTrafficPolicy"), "-");
        assert!(server.is_idle());
    }
}

#[test]
fn an_external_name_becomes_a_service_with_named_values() {
    let mut server = Server::new(dual());
    let created = server.create(r#"{"type":"ExternalName","externalName":"a.example.com"}"#);
    let patch = r#"{"type":"NodePort","clusterIP":"10.96.0.9","ports":[{"port":80,"nodePort":30009}],"ipFamilyPolicy":"PreferDualStack"}"#;
    let whole = server.patch(patch, &created).unwrap();
    assert_eq!(at(&whole, "ipFamilies"), r#"["IPv4","IPv6"]"#);
    assert_eq!(node_ports(&whole), [30009]);
    assert_eq!((server.ledger.addresses.len(), server.ledger.ports.len()), (2, 1));
    let name = server.patch(r#"{"type":"ExternalName"}"#, &whole).unwrap();
    assert_eq!((stack(&name), node_ports(&name)), (NONE.map(Into::into), [0].into()));
    assert!(server.is_idle());
}

#[test]
fn node_ports_go_with_the_type() {
    let mut server = Server::new(dual());
    let created = server.create(r#"{"type":"NodePort","ports":[{"port":80}]}"#);
    assert_eq!(at(&created, "externalTrafficPolicy"), r#""Cluster""#);
    let before = (stack(&created), node_ports(&created));
    let balanced = server.patch(r#"{"type":"LoadBalancer","loadBalancerClass":"a/b"}"#, &created);
    let balanced = balanced.unwrap();
    assert_eq!((stack(&balanced), node_ports(&balanced)), before);
    assert_eq!(at(&balanced, "allocateLoadBalancerNodePorts"), "true");
    let inside = server.patch(r#"{"type":"ClusterIP"}"#, &balanced).unwrap();
    assert_eq!((stack(&inside), node_ports(&inside)), (before.0, [0].into()));
    for name in ["externalTrafficPolicy", "allocateLoadBalancerNodePorts", "loadBalancerClass"] {
        assert_eq!(at(&inside, name), "-");
    }
    assert!(server.ledger.ports.is_empty());
    let outside = server.patch(r#"{"type":"NodePort"}"#, &inside).unwrap();
    assert_eq!(node_ports(&outside).len(), server.ledger.ports.len());
}

#[test]
fn a_node_port_that_is_new_is_not_dropped_with_the_type() {
    let mut server = Server::new(dual());
    let created = server.create(r#"{"type":"NodePort","ports":[{"port":80}]}"#);
    let text = "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'";
    let patch = r#"{"type":"ClusterIP","ports":[{"port":80,"nodePort":30011}]}"#;
    assert_eq!(error_texts(server.patch(patch, &created)), [text]);
    assert_eq!(
        error_texts(server.put(r#"{"ports":[{"port":80,"nodePort":30011}]}"#, None)),
        [text]
    );
    let same = format!(
        r#"{{"type":"ClusterIP","ports":[{{"port":80,"nodePort":{}}}]}}"#,
        node_ports(&created)[0]
    );
    assert_eq!(node_ports(&server.patch(&same, &created).unwrap()), [0]);
}

#[test]
fn traffic_from_outside_is_forgotten_unless_external_ips_stay() {
    let mut server = Server::new(dual());
    let spec = r#"{"type":"NodePort","externalIPs":["203.0.113.1"],"ports":[{"port":80}]}"#;
    let created = server.create(spec);
    let inside = server.patch(r#"{"type":"ClusterIP"}"#, &created).unwrap();
    assert_eq!(at(&inside, "externalTrafficPolicy"), r#""Cluster""#);
    let alone = server.patch(r#"{"externalIPs":null}"#, &inside).unwrap();
    assert_eq!(at(&alone, "externalTrafficPolicy"), "-");
}

#[test]
fn a_balancer_is_forgotten_with_the_type() {
    use ratchet_object::Node;
    let mut server = Server::new(dual());
    let mut created = server.create(r#"{"type":"LoadBalancer","ports":[{"port":80}]}"#);
    created.map_mut("status").map_mut("loadBalancer").set("ingress", Node::list([].into()));
    let unchanged = server.patch(r#"{"selector":{"a":"b"}}"#, &created).unwrap();
    assert_eq!(unchanged.get("status"), created.get("status"));
    let inside = server.patch(r#"{"type":"ClusterIP"}"#, &created).unwrap();
    assert_eq!(inside.get("status").unwrap().to_json(), r#"{"loadBalancer":{}}"#);
}

#[test]
fn headless_stays_headless() {
    let mut server = Server::new(dual());
    let created = server.create(r#"{"clusterIP":"None","selector":{"a":"b"}}"#);
    let both = server.patch(r#"{"ipFamilyPolicy":"PreferDualStack"}"#, &created).unwrap();
    assert_eq!(at(&both, "ipFamilies"), r#"["IPv4","IPv6"]"#);
    let turned = server.patch(r#"{"ipFamilies":["IPv6","IPv4"]}"#, &both).unwrap();
    assert_eq!(at(&turned, "clusterIPs"), r#"["None"]"#);
    let texts =
        error_texts(server.patch(r#"{"clusterIP":"10.96.0.5","ports":[{"port":80}]}"#, &created));
    assert!(texts[0].ends_with("may not change once set"), "{texts:?}");
    // By way of an ExternalName it can get an address.
    let name = r#"{"type":"ExternalName","externalName":"a.example.com"}"#;
    let name = server.patch(name, &created).unwrap();
    assert_eq!(stack(&name), NONE);
    server.patch(r#"{"type":"ClusterIP","ports":[{"port":80}]}"#, &name).unwrap();
    assert_eq!(server.ledger.addresses.len(), 1);
}
