//! Tests of cluster IPs in many spellings: stored as written, one address in any spelling, canonical where the server
//! writes.

use crate::cluster::{Cluster, text};
use serde_json::{Value, json};

const SERVICES: &str = "/api/v1/namespaces/default/services";
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";
const FLAGS: &[&str] = &[
    "--service-cluster-ip-range=10.0.0.0/24,fd00::/112",
    "--feature-gates=StrictIPCIDRValidation=false",
];

fn service(name: &str, ip: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"clusterIP": ip, "ports": [{"port": 80}]},
    })
}

/// One address each, in several spellings; the canonical one first.
const SPELLED: [&[&str]; 2] = [
    &["10.0.0.77", "010.000.000.077", "10.0.0.077", "::ffff:10.0.0.77", "::FFFF:0a00:004d"],
    &["fd00::77", "FD00::77", "fd00:0:0:0:0:0:0:77", "fd00::0077", "fd00::0.0.0.119"],
];

fn all_refused(cluster: &Cluster, spelled: &[&str]) {
    for other in spelled {
        let (code, answer) = cluster.try_request("POST", SERVICES, &service("other", other));
        assert_eq!(code, 422, "{other}: {answer}");
        let message = text(&answer["message"]);
        assert!(message.contains("provided IP is already allocated"), "{other}: {message}");
    }
}

#[test]
fn two_spellings_are_one_address() {
    let mut cluster = Cluster::start(FLAGS);
    for spelled in SPELLED {
        for typed in spelled {
            cluster.make(SERVICES, &service("web", typed));
            let made = cluster.get(&format!("{SERVICES}/web"));
            assert_eq!(made["spec"]["clusterIP"], **typed, "kept as typed");
            assert_eq!(made["spec"]["clusterIPs"], json!([typed]));
            let canonical = format!("{ADDRESSES}/{}", spelled[0]);
            let parent = &cluster.get(&canonical)["spec"]["parentRef"];
            assert_eq!(text(&parent["name"]), "web", "{typed}");
            all_refused(&cluster, spelled);
            // Written again as it is, nothing changes.
            cluster.change(&format!("{SERVICES}/web"), |_| ());
            assert_eq!(cluster.get(&format!("{SERVICES}/web"))["spec"]["clusterIP"], **typed);
            cluster.request("DELETE", &format!("{SERVICES}/web"), &Value::Null);
            assert!(!cluster.is_there(&canonical), "{typed}");
        }
        cluster.make(SERVICES, &service(&format!("odd{}", spelled[0].len()), spelled[1]));
    }
    cluster.restart(FLAGS);
    for spelled in SPELLED {
        all_refused(&cluster, spelled);
    }
}

#[test]
fn what_the_server_chooses_is_canonical() {
    let cluster = Cluster::start(&["--service-cluster-ip-range=10.0.0.0/24,FD00:0:0::/112"]);
    let both = json!({
        "metadata": {"name": "both"},
        "spec": {"ipFamilyPolicy": "RequireDualStack", "ports": [{"port": 80}]},
    });
    let made = cluster.request("POST", SERVICES, &both);
    let chosen: Vec<_> = made["spec"]["clusterIPs"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(chosen.len(), 2);
    for ip in chosen {
        let parsed: std::net::IpAddr = ip.parse().unwrap();
        assert_eq!(parsed.to_string(), ip);
        assert!(cluster.is_there(&format!("{ADDRESSES}/{ip}")));
    }
    // Where the rule is strict, a spelling that is not canonical is refused at the door.
    let (code, answer) = cluster.try_request("POST", SERVICES, &service("odd", "010.0.0.9"));
    assert_eq!(code, 422, "{answer}");
}
