//! Tests of the node ports of Services.

use crate::testing::{Server, at, dual, error_texts, node_ports};
use crate::{Plan, Ranges, plan, prepare, release};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const WEB: &str = r#"{"type":"NodePort","ports":[{"port":80}]}"#;

fn ports(list: &str) -> String {
    format!(r#"{{"type":"NodePort","ports":[{list}]}}"#)
}

#[test]
fn a_port_is_chosen_above_the_first_86() {
    let mut server = Server::new(dual());
    let created = server.create(WEB);
    assert_eq!(node_ports(&created), [30086 + 41]);
    let other = server.create(WEB);
    assert_ne!(node_ports(&other), node_ports(&created));
    assert_eq!(node_ports(&server.put(WEB, Some(&created)).unwrap()), node_ports(&created));
    server.delete(&created);
    server.delete(&other);
    assert!(server.is_idle());
}

#[test]
fn a_port_that_is_named_must_be_free_and_in_range() {
    let mut server = Server::new(dual());
    let created = server.create(&ports(r#"{"port":80,"nodePort":30001}"#));
    assert_eq!(node_ports(&created), [30001]);
    let taken = "provided port is already allocated";
    let outside =
        "provided port is not in the valid range. The range of valid ports is 30000-32767";
    for (number, error) in
        [(30001, taken), (29999, outside), (32768, outside), (70000, outside), (-1, outside)]
    {
        // Not even for another protocol: a number belongs to one Service.
        for protocol in ["TCP", "UDP"] {
            let spec = ports(&format!(
                r#"{{"name":"a","port":79}},{{"name":"b","port":80,"protocol":"{protocol}","nodePort":{number}}}"#
            ));
            let text = format!("spec.ports[1].nodePort: Invalid value: {number}: {error}");
            assert_eq!(error_texts(server.put(&spec, None)).join("; "), text);
            let other = server.create(WEB);
            assert_eq!(error_texts(server.put(&spec, Some(&other))), [text]);
        }
    }
}

#[test]
fn protocols_of_one_port_share_a_number() {
    let mut server = Server::new(dual());
    let dns = r#"{"name":"a","port":53},{"name":"b","port":53,"protocol":"UDP"}"#;
    let created = server.create(&ports(dns));
    let both = node_ports(&created);
    assert_eq!(both[0], both[1]);
    let plan = release(&created);
    assert_eq!((plan.give_ports.len(), plan.give_numbers.len()), (2, 1));
    // A later port may be the one that names it.
    let named =
        r#"{"name":"a","port":53},{"name":"b","port":53,"protocol":"UDP","nodePort":30053}"#;
    let other = server.create(&ports(named));
    assert_eq!(node_ports(&other), [30053, 30053]);
    // Each may also have its own.
    let apart = r#"{"name":"a","port":53,"nodePort":30054},{"name":"b","port":53,"protocol":"UDP","nodePort":30055}"#;
    assert_eq!(node_ports(&server.create(&ports(apart))), [30054, 30055]);
    // But two ports of a new Service may not name the same number.
    let mixed = r#"{"name":"a","port":53,"nodePort":30056},{"name":"b","port":54,"protocol":"UDP","nodePort":30056}"#;
    let text = "spec.ports[1].nodePort: Invalid value: 30056: provided port is already allocated";
    assert_eq!(error_texts(server.put(&ports(mixed), None)), [text]);
    // An updated one may.
    let changed = server.put(&ports(mixed), Some(&other)).unwrap();
    assert_eq!(node_ports(&changed), [30056, 30056]);
}

#[test]
fn one_number_cannot_serve_one_protocol_twice() {
    let mut server = Server::new(dual());
    let twice =
        ports(r#"{"name":"a","port":80,"nodePort":30080},{"name":"b","port":81,"nodePort":30080}"#);
    assert_eq!(
        error_texts(server.put(&twice, None)),
        ["spec.ports[1].nodePort: Duplicate value: 30080"]
    );
    let created = server.create(WEB);
    assert_eq!(
        error_texts(server.put(&twice, Some(&created))),
        ["spec.ports[1].nodePort: Duplicate value: 30080"]
    );
}

#[test]
fn ports_are_known_again_by_name() {
    let mut server = Server::new(dual());
    let created = server.create(&ports(r#"{"name":"a","port":80},{"name":"b","port":81}"#));
    let before = node_ports(&created);
    let turned = server
        .put(
            &ports(r#"{"name":"b","port":91},{"name":"a","port":90},{"name":"c","port":92}"#),
            Some(&created),
        )
        .unwrap();
    let after = node_ports(&turned);
    assert_eq!(after[..2], [before[1], before[0]]);
    assert!(after[2] != 0 && !before.contains(&after[2]));
    // A number that another port has taken over is not used twice.
    let moved = server.put(
        &ports(&format!(
            r#"{{"name":"a","port":80,"nodePort":{}}},{{"name":"b","port":81}}"#,
            before[1]
        )),
        Some(&turned),
    );
    let moved = node_ports(&moved.unwrap());
    assert!(moved[0] == before[1] && moved[1] != before[1] && moved[1] != 0);
    assert_eq!(server.ledger.ports.len(), 2);
}

#[test]
fn a_protocol_that_joins_a_number_takes_no_new_number() {
    let mut server = Server::new(dual());
    let created = server.create(&ports(r#"{"name":"a","port":53,"nodePort":30053}"#));
    let mut new = crate::testing::service(&ports(
        r#"{"name":"a","port":53,"nodePort":30053},{"name":"b","port":53,"protocol":"UDP","nodePort":30053}"#,
    ));
    prepare(&mut new, Some(&created), &server.ranges);
    let plan = plan(&mut new, Some(&created), &server.ranges, &server.ledger, &mut |_| 0).unwrap();
    let expected = Plan { take_ports: [(30053, "UDP".into())].into(), ..Plan::default() };
    assert_eq!(plan, expected);
    assert!(!plan.is_empty() && Plan::default().is_empty());
}

#[test]
fn balancers_may_do_without_node_ports() {
    let mut server = Server::new(dual());
    let spec = r#"{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[{"name":"a","port":80},{"name":"b","port":81,"nodePort":30001}]}"#;
    let created = server.create(spec);
    assert_eq!(node_ports(&created), [0, 30001]);
    let some = server.patch(r#"{"allocateLoadBalancerNodePorts":true}"#, &created).unwrap();
    assert!(node_ports(&some)[0] > 30000);
    // It keeps its node ports, unless they are removed.
    let unchanged = server.patch(r#"{"allocateLoadBalancerNodePorts":false}"#, &some).unwrap();
    assert_eq!(node_ports(&unchanged), node_ports(&some));
    let none = server.put(spec, Some(&unchanged)).unwrap();
    assert_eq!(node_ports(&none), [0, 30001]);
    assert_eq!(server.ledger.ports.len(), 1);
}

#[test]
fn local_balancers_have_a_port_for_health_checks() {
    let mut server = Server::new(dual());
    const LOCAL: &str =
        r#"{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]}"#;
    let created = server.create(LOCAL);
    let health = at(&created, "healthCheckNodePort");
    assert_ne!(health, format!("{}", node_ports(&created)[0]));
    assert_eq!(server.ledger.ports.len(), 2);
    let same = server.put(LOCAL, Some(&created)).unwrap();
    assert_eq!(at(&same, "healthCheckNodePort"), health);
    assert_eq!(
        error_texts(server.patch(r#"{"healthCheckNodePort":30009}"#, &created)),
        ["spec.healthCheckNodePort: Forbidden: field is immutable"]
    );
    // Its number is not free for the ports of the Service.
    let text = format!(
        "spec.ports[0].nodePort: Invalid value: {health}: provided port is already allocated"
    );
    let patch = format!(r#"{{"ports":[{{"port":80,"nodePort":{health}}}]}}"#);
    assert_eq!(error_texts(server.patch(&patch, &created)), [text]);
    let everywhere = server.patch(r#"{"externalTrafficPolicy":"Cluster"}"#, &created).unwrap();
    assert_eq!(
        (at(&everywhere, "healthCheckNodePort"), server.ledger.ports.len()),
        ("-".into(), 1)
    );
    let named = server
        .patch(r#"{"externalTrafficPolicy":"Local","healthCheckNodePort":30007}"#, &everywhere);
    let named = named.unwrap();
    assert_eq!(at(&named, "healthCheckNodePort"), "30007");
    let again = LOCAL.replace("{\"type\"", "{\"healthCheckNodePort\":30007,\"type\"");
    assert_eq!(
        error_texts(server.put(&again, None)),
        [
            "500 InternalError failed to allocate requested HealthCheck NodePort 30007: provided port is already allocated"
        ]
    );
    let elsewhere = again.replace("Local", "Cluster");
    assert_eq!(
        error_texts(server.put(&elsewhere, None)),
        [
            "spec.healthCheckNodePort: Invalid value: 30007: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        ]
    );
    server.delete(&named);
    assert!(server.is_idle());
}

#[test]
fn a_full_range_of_ports_is_our_failure() {
    let ranges = Ranges::new("10.96.0.0/16", None, (30000, 30001)).unwrap();
    let mut server = Server::new(ranges);
    server.create(WEB);
    const LOCAL: &str =
        r#"{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]}"#;
    assert_eq!(
        error_texts(server.put(LOCAL, None)),
        ["500 InternalError failed to allocate a HealthCheck NodePort 0: range is full"]
    );
    server.create(WEB);
    let full = "500 InternalError failed to allocate a nodePort: range is full";
    assert_eq!(error_texts(server.put(WEB, None)), [full]);
    let plain = server.create(r#"{"ports":[{"port":80}]}"#);
    assert_eq!(error_texts(server.put(WEB, Some(&plain))), [full]);
}

#[test]
fn the_lower_ports_are_used_when_the_upper_are_gone() {
    let ranges = Ranges::new("10.96.0.0/16", None, (30000, 30019)).unwrap();
    let mut server = Server::new(ranges);
    let chosen: Vec<i64> = (0..20).map(|_| node_ports(&server.create(WEB))[0]).collect();
    assert!(chosen[..4].iter().all(|port| *port >= 30016), "{chosen:?}");
    assert!(chosen[4..].iter().all(|port| *port < 30016), "{chosen:?}");
}
