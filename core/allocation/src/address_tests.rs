//! Tests of the addresses and families of Services.

use crate::testing::{Server, at, dual, error_texts, node, single, stack};
use crate::{Ranges, ip_address, ip_name, service_cidr};
use alloc::format;
use alloc::string::ToString;
use core::net::IpAddr;

const PLAIN: &str = r#"{"ports":[{"port":80}]}"#;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn a_service_gets_an_address_above_the_first_256() {
    let mut server = Server::new(dual());
    let created = server.create(PLAIN);
    assert_eq!(stack(&created), [r#"["10.96.1.42"]"#, r#"["IPv4"]"#, r#""SingleStack""#]);
    assert_eq!(at(&created, "clusterIP"), r#""10.96.1.42""#);
    assert!(server.ledger.addresses.contains(&ip("10.96.1.42")));
    assert_ne!(at(&server.create(PLAIN), "clusterIP"), at(&created, "clusterIP"));
    server.delete(&created);
    assert_eq!(at(&server.create(PLAIN), "clusterIP"), at(&created, "clusterIP"));
}

#[test]
fn an_address_that_is_named_is_kept_as_it_is_spelt() {
    let cases = [
        ("010.96.000.005", "IPv4", "10.96.0.5"),
        ("::ffff:10.96.0.28", "IPv4", "10.96.0.28"),
        ("::ffff:a60:20", "IPv4", "10.96.0.32"),
        ("FD00:10:96::00A", "IPv6", "fd00:10:96::a"),
    ];
    for (text, family, canonical) in cases {
        let mut server = Server::legacy(dual());
        let created =
            server.create(&format!(r#"{{"ports":[{{"port":80}}],"clusterIP":"{text}"}}"#));
        assert_eq!(at(&created, "clusterIP"), format!("\"{text}\""));
        assert_eq!(at(&created, "clusterIPs"), format!("[\"{text}\"]"));
        assert_eq!(at(&created, "ipFamilies"), format!("[\"{family}\"]"));
        assert!(server.ledger.addresses.contains(&ip(canonical)));
        let again = format!(r#"{{"ports":[{{"port":80}}],"clusterIP":"{canonical}"}}"#);
        assert_eq!(
            error_texts(server.put(&again, None)),
            [format!(
                "spec.clusterIPs: Invalid value: [\"{canonical}\"]: failed to allocate IP {canonical}: provided IP is already allocated"
            )]
        );
        server.delete(&created);
        server.create(&again);
    }
}

#[test]
fn an_address_outside_the_ranges_is_refused() {
    let outside = ["1.2.3.4", "10.96.0.0", "10.96.255.255", "2001:db8::1", "fd00:10:96::"];
    for text in outside {
        let spec = format!(r#"{{"ports":[{{"port":80}}],"clusterIP":"{text}"}}"#);
        assert_eq!(
            error_texts(Server::new(dual()).put(&spec, None)),
            [format!(
                "spec.clusterIPs: Invalid value: [\"{text}\"]: failed to allocate IP {text}: the provided network does not match the current range"
            )]
        );
    }
    // Where another address is yet to be chosen, it is shown as an empty string.
    let spec =
        r#"{"ports":[{"port":80}],"clusterIP":"1.2.3.4","ipFamilyPolicy":"RequireDualStack"}"#;
    assert_eq!(
        error_texts(Server::new(dual()).put(spec, None)),
        [
            r#"spec.clusterIPs: Invalid value: ["1.2.3.4",""]: failed to allocate IP 1.2.3.4: the provided network does not match the current range"#
        ]
    );
    let edges = ["10.96.0.1", "10.96.255.254", "fd00:10:96::1", "fd00:10:96::ffff"];
    for text in edges {
        let spec = format!(r#"{{"ports":[{{"port":80}}],"clusterIP":"{text}"}}"#);
        Server::new(dual()).create(&spec);
    }
}

#[test]
fn families_follow_policy_and_ranges() {
    const V4: &str = r#"["IPv4"]"#;
    const BOTH: &str = r#"["IPv4","IPv6"]"#;
    const TURNED: &str = r#"["IPv6","IPv4"]"#;
    let cases = [
        (dual(), r#""ipFamilyPolicy":"PreferDualStack""#, BOTH),
        (single(), r#""ipFamilyPolicy":"PreferDualStack""#, V4),
        (dual(), r#""ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv6"]"#, TURNED),
        (dual(), r#""ipFamilies":["IPv6"]"#, r#"["IPv6"]"#),
        (dual(), r#""ipFamilyPolicy":"PreferDualStack","clusterIP":"fd00:10:96::5""#, TURNED),
        (
            dual(),
            r#""ipFamilyPolicy":"PreferDualStack","clusterIP":"10.96.0.5","clusterIPs":["10.96.0.5","fd00:10:96::5"]"#,
            BOTH,
        ),
        (
            Ranges::new("fd00:10:96::/112", Some("10.96.0.0/16"), (30000, 32767)).unwrap(),
            r#""ipFamilyPolicy":"PreferDualStack""#,
            TURNED,
        ),
    ];
    for (ranges, members, families) in cases {
        let mut server = Server::new(ranges);
        let created = server.create(&format!(r#"{{"ports":[{{"port":80}}],{members}}}"#));
        assert_eq!(at(&created, "ipFamilies"), families, "{members}");
        let count = created.find(&["spec", "clusterIPs"]).unwrap().items().len();
        assert_eq!(count, families.matches("IP").count(), "{members}");
        assert_eq!(server.ledger.addresses.len(), count);
    }
}

#[test]
fn families_that_the_server_lacks_are_refused() {
    let cases = [
        (
            r#""ipFamilyPolicy":"RequireDualStack""#,
            r#"spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services"#,
        ),
        (
            r#""ipFamilies":["IPv6"]"#,
            r#"spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster"#,
        ),
        (
            r#""clusterIP":"fd00:10:96::5""#,
            r#"spec.clusterIPs[0]: Invalid value: ["fd00:10:96::5"]: IPv6 is not configured on this cluster"#,
        ),
    ];
    for (members, text) in cases {
        let spec = format!(r#"{{"ports":[{{"port":80}}],{members}}}"#);
        assert_eq!(error_texts(Server::new(single()).put(&spec, None)), [text]);
    }
}

#[test]
fn headless_services_have_families_but_hold_nothing() {
    let cases = [
        (dual(), r#"{"clusterIP":"None","selector":{"a":"b"}}"#, r#"["IPv4"]"#, "SingleStack"),
        (dual(), r#"{"clusterIP":"None"}"#, r#"["IPv4","IPv6"]"#, "RequireDualStack"),
        (single(), r#"{"clusterIP":"None"}"#, r#"["IPv4","IPv6"]"#, "RequireDualStack"),
        (
            single(),
            r#"{"clusterIP":"None","ipFamilyPolicy":"SingleStack","ipFamilies":["IPv6"]}"#,
            r#"["IPv6"]"#,
            "SingleStack",
        ),
    ];
    for (ranges, spec, families, policy) in cases {
        let mut server = Server::new(ranges);
        let created = server.create(spec);
        let policy = format!("\"{policy}\"");
        assert_eq!(stack(&created), [r#"["None"]"#, families, policy.as_str()]);
        let changed = server.put(spec, Some(&created)).unwrap();
        assert_eq!(stack(&changed), stack(&created));
        assert!(server.is_idle());
        server.delete(&created);
    }
}

#[test]
fn an_update_keeps_the_address_that_it_does_not_repeat() {
    let mut server = Server::legacy(dual());
    let created = server.create(r#"{"ports":[{"port":80}],"clusterIP":"010.096.000.095"}"#);
    server.policy = Server::new(dual()).policy;
    let changed = server.put(r#"{"ports":[{"port":81}],"selector":{"a":"b"}}"#, Some(&created));
    assert_eq!(stack(&changed.unwrap()), stack(&created));
    for other in [r#"{"clusterIP":"10.96.0.95"}"#, r#"{"clusterIP":"None"}"#] {
        let texts = error_texts(server.patch(other, &created));
        assert!(texts[0].ends_with("may not change once set"), "{texts:?}");
    }
}

#[test]
fn a_second_family_comes_and_goes() {
    let mut server = Server::legacy(dual());
    let one = server.create(r#"{"ports":[{"port":80}],"clusterIP":"::ffff:10.96.0.115"}"#);
    server.policy = Server::new(dual()).policy;
    let two = server.patch(r#"{"ipFamilyPolicy":"PreferDualStack"}"#, &one).unwrap();
    assert_eq!(at(&two, "ipFamilies"), r#"["IPv4","IPv6"]"#);
    assert_eq!(at(&two, "clusterIPs"), r#"["::ffff:10.96.0.115","fd00:10:96::12a"]"#);
    assert_eq!(server.ledger.addresses.len(), 2);
    // An update without these fields changes nothing.
    let same = server.put(PLAIN, Some(&two)).unwrap();
    assert_eq!(stack(&same), stack(&two));
    for (patch, text) in [
        (
            r#"{"ipFamilies":["IPv4"]}"#,
            r#"spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be 'SingleStack' to release the secondary IP family"#,
        ),
        (
            r#"{"ipFamilies":["IPv6","IPv4"]}"#,
            r#"spec.clusterIPs[0]: Invalid value: "::ffff:10.96.0.115": expected an IPv6 value as indicated by `ipFamilies[0]`"#,
        ),
    ] {
        assert_eq!(error_texts(server.patch(patch, &two))[0], text);
    }
    let back = server.patch(r#"{"ipFamilyPolicy":"SingleStack"}"#, &two).unwrap();
    assert_eq!(stack(&back), stack(&one));
    assert_eq!(server.ledger.addresses.len(), 1);
    // The second address can also be named, or removed explicitly.
    let two = server.patch(
        r#"{"ipFamilyPolicy":"RequireDualStack","clusterIPs":["::ffff:10.96.0.115","fd00:10:96::7"]}"#,
        &back,
    );
    let two = two.unwrap();
    assert!(server.ledger.addresses.contains(&ip("fd00:10:96::7")));
    let one = server.patch(
        r#"{"ipFamilyPolicy":"SingleStack","clusterIPs":["::ffff:10.96.0.115"],"ipFamilies":["IPv4"]}"#,
        &two,
    );
    server.delete(&one.unwrap());
    assert!(server.is_idle());
}

#[test]
fn services_do_not_get_a_second_family_unasked() {
    let mut server = Server::new(single());
    let created = server.create(r#"{"ports":[{"port":80}],"ipFamilyPolicy":"PreferDualStack"}"#);
    server.ranges = dual();
    let unchanged = server.patch(r#"{"selector":{"a":"b"}}"#, &created).unwrap();
    assert_eq!(stack(&unchanged), stack(&created));
    let dual_service = server.patch(r#"{"ipFamilies":["IPv4","IPv6"]}"#, &created).unwrap();
    assert_eq!(server.ledger.addresses.len(), 2);
    // Nor do they lose it.
    server.ranges = single();
    let unchanged = server.patch(r#"{"selector":{"a":"b"}}"#, &dual_service).unwrap();
    assert_eq!(stack(&unchanged), stack(&dual_service));
}

#[test]
fn what_an_older_server_stored_is_completed() {
    let mut server = Server::new(dual());
    let mut old = server.create(r#"{"ports":[{"port":80}],"clusterIP":"fd00:10:96::5"}"#);
    for name in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        old.map_mut("spec").remove(name);
    }
    let changed = server.put(r#"{"ports":[{"port":81}]}"#, Some(&old)).unwrap();
    assert_eq!(stack(&changed), [r#"["fd00:10:96::5"]"#, r#"["IPv6"]"#, r#""SingleStack""#]);
    server.delete(&old);
    assert!(server.is_idle());
}

#[test]
fn a_full_range_is_our_failure() {
    let ranges = || Ranges::new("10.0.0.0/29", None, (30000, 32767)).unwrap();
    let mut server = Server::new(ranges());
    for _ in 0..6 {
        server.create(PLAIN);
    }
    let full = r#"500 InternalError failed to allocate a serviceIP for Service "s": range is full"#;
    assert_eq!(error_texts(server.put(PLAIN, None)), [full]);
    // Another ServiceCIDR helps.
    server.ranges.add("10.0.1.0/30").unwrap();
    let created = server.create(PLAIN);
    assert!(at(&created, "clusterIP").starts_with("\"10.0.1."));
    server.create(PLAIN);
    assert_eq!(error_texts(server.put(PLAIN, None)), [full]);
    for smallest in ["10.0.0.0/31", "10.0.0.0/32"] {
        let ranges = Ranges::new(smallest, None, (30000, 32767)).unwrap();
        assert_eq!(ranges.first_address(), None);
        assert_eq!(error_texts(Server::new(ranges).put(PLAIN, None)), [full]);
    }
}

#[test]
fn the_lower_part_is_used_when_the_upper_is_full() {
    // Of 30 addresses, 16 are reserved for Services that name them.
    let ranges = Ranges::new("10.0.0.0/27", None, (30000, 32767)).unwrap();
    let mut server = Server::new(ranges);
    for round in 0..30 {
        let created = server.create(PLAIN);
        let text = at(&created, "clusterIP");
        let last: u8 = text.trim_matches('"').rsplit('.').next().unwrap().parse().unwrap();
        assert_eq!(last > 16, round < 14, "{text} in round {round}");
    }
}

#[test]
fn ranges_are_read_and_told() {
    let ports = (30000, 32767);
    let ranges = Ranges::new("10.96.7.9/16", Some("FD00:10:96::/112"), ports).unwrap();
    assert_eq!(ranges.cidrs(), ["10.96.0.0/16", "fd00:10:96::/112"]);
    assert_eq!(ranges.first_address(), Some(ip("10.96.0.1")));
    assert!(ranges.contains(ip("10.96.3.4")) && ranges.contains(ip("::ffff:10.96.3.4")));
    assert!(!ranges.contains(ip("10.97.0.1")));
    let wrong = [
        ("x", None, ports, "service-cluster-ip-range[0] is not a valid cidr"),
        ("10.0.0.0/8", Some(""), ports, "service-cluster-ip-range[1] is not an ip net"),
        (
            "10.0.0.0/8",
            Some("11.0.0.0/8"),
            ports,
            "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
        ),
        ("fd00::/48", None, ports, "shortest allowed prefix length for service CIDR is 64, got 48"),
        ("10.0.0.0/8", None, (2, 1), "--service-node-port-range 2-1 holds no port"),
    ];
    for (primary, secondary, ports, text) in wrong {
        assert_eq!(Ranges::new(primary, secondary, ports).unwrap_err(), text);
    }
    let mut ranges = single();
    ranges.add("fd00::/64").unwrap();
    assert!(!ranges.is_dual_stack() && !ranges.contains(ip("fd00::1")));
    assert!(ranges.add("10.0.0.0").is_err());
    // The largest networks there are.
    for text in ["0.0.0.0/0", "ffff:ffff:ffff:ffff::/64"] {
        Server::new(Ranges::new(text, None, ports).unwrap()).create(PLAIN);
    }
}

#[test]
fn objects_tell_who_has_an_address() {
    let object = ip_address(ip("fd00:10:96::a"), "ns", "web");
    let expected = node(
        r#"{"apiVersion":"networking.k8s.io/v1","kind":"IPAddress","metadata":{"name":"fd00:10:96::a","labels":{"ipaddress.kubernetes.io/ip-family":"IPv6","ipaddress.kubernetes.io/managed-by":"ipallocator.k8s.io"}},"spec":{"parentRef":{"resource":"services","namespace":"ns","name":"web"}}}"#,
    );
    assert_eq!(object, expected);
    assert_eq!(ip_name(ip("::ffff:10.96.0.1")), "10.96.0.1");
    let cidr = service_cidr(&dual(), "2026-01-02T03:04:05Z").to_string();
    assert!(cidr.contains(r#""cidrs":["10.96.0.0/16","fd00:10:96::/112"]"#), "{cidr}");
}
