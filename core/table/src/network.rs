//! Printers of services, ingresses, network policies and service addresses.

use crate::column::{AGE, Column, NAME, Row, SELECTOR, text as column};
use crate::labels::{labels, selector};
use crate::printed_object::{Cells, NONE, PrintedObject, UNKNOWN, int, items, joined, or, text};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const NETWORKING: &str = "networking.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "Service", columns: SERVICE, cells: service },
    Row { group: NETWORKING, kind: "Ingress", columns: INGRESS, cells: ingress },
    Row { group: NETWORKING, kind: "IngressClass", columns: CLASS, cells: class },
    Row { group: NETWORKING, kind: "NetworkPolicy", columns: POLICY, cells: policy },
    Row { group: NETWORKING, kind: "ServiceCIDR", columns: CIDR, cells: cidr },
    Row { group: NETWORKING, kind: "IPAddress", columns: ADDRESS, cells: address },
];

const SERVICE: &[Column] = &[
    NAME,
    column("Type", "How the service can be reached."),
    column("Cluster-IP", "The address of the service inside the cluster."),
    column("External-IP", "The addresses of the service outside the cluster."),
    column("Port(s)", "The ports of the service, with their node ports and protocols."),
    AGE,
    SELECTOR,
];

const INGRESS: &[Column] = &[
    NAME,
    column("Class", "The IngressClass that serves the ingress."),
    column("Hosts", "The host names that the rules of the ingress match."),
    column("Address", "The addresses and names of the load balancer."),
    column("Ports", "The ports that are open: 443 too if TLS is configured."),
    AGE,
];

const CLASS: &[Column] = &[
    NAME,
    column("Controller", "The controller that serves ingresses of this class."),
    column("Parameters", "The object that configures the controller further."),
    AGE,
];

const POLICY: &[Column] =
    &[NAME, column("Pod-Selector", "The labels of the pods that the policy protects."), AGE];

const CIDR: &[Column] =
    &[NAME, column("CIDRs", "The networks that services get their addresses from."), AGE];

const ADDRESS: &[Column] = &[NAME, column("ParentRef", "The object that has the address.")];

fn service(object: &PrintedObject<'_>) -> Cells {
    let ports: Vec<String> = object.items(&["spec", "ports"]).iter().map(port).collect();
    vec![
        object.name(),
        object.cell(&["spec", "type"]),
        text(cluster_ip(object)),
        text(external_ip(object)),
        text(or(&ports.join(","), NONE)),
        object.age(),
        text(labels(object.at(&["spec", "selector"]))),
    ]
}

fn port(port: &Node<'_>) -> String {
    let (number, protocol) = (int(port, &["port"]), port.text_at(&["protocol"]));
    match int(port, &["nodePort"]) {
        node_port @ 1.. => format!("{number}:{node_port}/{protocol}"),
        _ => format!("{number}/{protocol}"),
    }
}

/// Old objects have the single field only; an `ExternalName` service has no address at all.
fn cluster_ip<'a>(object: &PrintedObject<'a>) -> &'a str {
    match object.items(&["spec", "clusterIPs"]).first() {
        Some(first) => first.text().unwrap_or_default(),
        None if object.text(&["spec", "type"]) == "ExternalName" => NONE,
        None => or(object.text(&["spec", "clusterIP"]), NONE),
    }
}

fn external_ip(object: &PrintedObject<'_>) -> String {
    let external_ips = joined(object.items(&["spec", "externalIPs"]), ",");
    match object.text(&["spec", "type"]) {
        "ClusterIP" | "NodePort" => or(&external_ips, NONE).to_owned(),
        "LoadBalancer" => {
            let load_balancer = balancer(object);
            let both: Vec<&str> = [load_balancer.as_str(), &external_ips]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect();
            or(&both.join(","), "<pending>").to_owned()
        }
        "ExternalName" => object.text(&["spec", "externalName"]).to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}

/// The addresses of a load balancer, or its host names where it has none.
fn balancer(object: &PrintedObject<'_>) -> String {
    let points = object.items(&["status", "loadBalancer", "ingress"]).iter();
    let addresses: BTreeSet<&str> =
        points.map(|point| or(point.text_at(&["ip"]), point.text_at(&["hostname"]))).collect();
    let addresses: Vec<&str> = addresses.into_iter().filter(|point| !point.is_empty()).collect();
    addresses.join(",")
}

fn ingress(object: &PrintedObject<'_>) -> Cells {
    let has_tls = !object.items(&["spec", "tls"]).is_empty();
    vec![
        object.name(),
        object.cell_or(&["spec", "ingressClassName"], NONE),
        text(hosts(items(object.object, &["spec", "rules"]))),
        text(balancer(object)),
        text(if has_tls { "80, 443" } else { "80" }),
        object.age(),
    ]
}

/// Three hosts at most; rules without a host count among those that are left out, as they do in
/// Kubernetes.
fn hosts(rules: &[Node<'_>]) -> String {
    let mut hosts: Vec<&str> = Vec::new();
    for rule in rules {
        if hosts.len() == 3 {
            return format!("{} + {} more...", hosts.join(","), rules.len() - 3);
        }
        hosts.extend(Some(rule.text_at(&["host"])).filter(|host| !host.is_empty()));
    }
    or(&hosts.join(","), "*").to_owned()
}

fn class(object: &PrintedObject<'_>) -> Cells {
    let is_default =
        object.annotation("ingressclass.kubernetes.io/is-default-class") == Some("true");
    let parameters = object.at(&["spec", "parameters"]);
    vec![
        if is_default { default_name(object) } else { object.name() },
        object.cell(&["spec", "controller"]),
        text(parameters.map_or_else(|| NONE.to_owned(), format_parameters)),
        object.age(),
    ]
}

/// The name, with a mark if the object is the default of its kind.
pub(crate) fn default_name(object: &PrintedObject<'_>) -> Node<'static> {
    text(format!("{} (default)", object.text(&["metadata", "name"])))
}

fn format_parameters(parameters: &Node<'_>) -> String {
    let (kind, name) = (parameters.text_at(&["kind"]), parameters.text_at(&["name"]));
    match parameters.get("apiGroup").and_then(Node::text) {
        Some(group) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

fn policy(object: &PrintedObject<'_>) -> Cells {
    let pods = selector(object.at(&["spec", "podSelector"]));
    vec![object.name(), text(pods), object.age()]
}

fn cidr(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), text(joined(object.items(&["spec", "cidrs"]), ",")), object.age()]
}

fn address(object: &PrintedObject<'_>) -> Cells {
    let parent = object.at(&["spec", "parentRef"]);
    vec![object.name(), text(parent.map_or_else(|| NONE.to_owned(), format_parent))]
}

/// For example `services/default/web`.
fn format_parent(parent: &Node<'_>) -> String {
    let resource = match (parent.text_at(&["resource"]), parent.text_at(&["group"])) {
        (resource, "") => resource.to_lowercase(),
        (resource, group) => format!("{resource}.{group}").to_lowercase(),
    };
    let parts = [resource.as_str(), parent.text_at(&["namespace"])];
    let mut parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.push(parent.text_at(&["name"]));
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use crate::testing::line;
    use alloc::format;
    use alloc::string::String;

    const GROUP: &str = "networking.k8s.io";

    #[test]
    fn services() {
        let text = "{spec: {type: NodePort, clusterIPs: [10.0.0.1, 'fd::1'], ports: [{port: 80, nodePort: 30080, \
            protocol: TCP}, {port: 53, protocol: UDP}], selector: {b: x, a: 'y'}}}";
        let expected = "a | NodePort | 10.0.0.1 | <none> | 80:30080/TCP,53/UDP | 5m | a=y,b=x";
        assert_eq!(line("", "Service", text), expected);
        let expected = "a |  | <none> | <unknown> | <none> | 5m | <none>";
        assert_eq!(line("", "Service", "{}"), expected);
        let old = "{spec: {type: ClusterIP, clusterIP: None, externalIPs: [1.1.1.1, 2.2.2.2]}}";
        let expected = "a | ClusterIP | None | 1.1.1.1,2.2.2.2 | <none> | 5m | <none>";
        assert_eq!(line("", "Service", old), expected);
        let name = "{spec: {type: ExternalName, clusterIP: '', externalName: x.org}}";
        let expected = "a | ExternalName | <none> | x.org | <none> | 5m | <none>";
        assert_eq!(line("", "Service", name), expected);
    }

    #[test]
    fn load_balancers_tell_what_they_got() {
        let external_ip = |spec: &str, status: &str| {
            let text = format!(
                "{{spec: {{type: LoadBalancer{spec}}}, status: {{loadBalancer: {{ingress: [{status}]}}}}}}"
            );
            String::from(line("", "Service", &text).split(" | ").nth(3).unwrap())
        };
        assert_eq!(external_ip("", ""), "<pending>");
        assert_eq!(
            external_ip("", "{ip: 2.2.2.2}, {hostname: b.org}, {ip: 1.1.1.1}"),
            "1.1.1.1,2.2.2.2,b.org"
        );
        assert_eq!(external_ip(", externalIPs: [9.9.9.9]", "{ip: 2.2.2.2}"), "2.2.2.2,9.9.9.9");
        assert_eq!(external_ip(", externalIPs: [9.9.9.9]", ""), "9.9.9.9");
    }

    #[test]
    fn ingresses() {
        let text = "{spec: {ingressClassName: c, tls: [{}], rules: [{host: a.org}, {}, {host: b.org}]}, status: \
            {loadBalancer: {ingress: [{ip: 1.1.1.1}]}}}";
        let expected = "a | c | a.org,b.org | 1.1.1.1 | 80, 443 | 5m";
        assert_eq!(line(GROUP, "Ingress", text), expected);
        assert_eq!(line(GROUP, "Ingress", "{}"), "a | <none> | * |  | 80 | 5m");
        let many = "{spec: {rules: [{host: a}, {host: b}, {}, {host: c}, {host: d}, {host: e}]}}";
        let expected = "a | <none> | a,b,c + 3 more... |  | 80 | 5m";
        assert_eq!(line(GROUP, "Ingress", many), expected);
    }

    #[test]
    fn ingress_classes() {
        let text = "{metadata: {name: 'n', annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}, \
            spec: {controller: x.org/c, parameters: {apiGroup: x.org, kind: P, name: p}}}";
        let expected = "n (default) | x.org/c | P.x.org/p | <unknown>";
        assert_eq!(line(GROUP, "IngressClass", text), expected);
        let plain = "{spec: {controller: c, parameters: {kind: P, name: p}}}";
        assert_eq!(line(GROUP, "IngressClass", plain), "a | c | P/p | 5m");
        assert_eq!(line(GROUP, "IngressClass", "{}"), "a |  | <none> | 5m");
    }

    #[test]
    fn policies_networks_and_addresses() {
        let text = "{spec: {podSelector: {matchLabels: {x: 'y'}}}}";
        assert_eq!(line(GROUP, "NetworkPolicy", text), "a | x=y | 5m");
        assert_eq!(line(GROUP, "NetworkPolicy", "{}"), "a | <none> | 5m");
        let text = "{spec: {cidrs: [10.0.0.0/24, 'fd::/64']}}";
        assert_eq!(line(GROUP, "ServiceCIDR", text), "a | 10.0.0.0/24,fd::/64 | 5m");
        let text = "{spec: {parentRef: {resource: services, namespace: d, name: w}}}";
        assert_eq!(line(GROUP, "IPAddress", text), "a | services/d/w");
        let text = "{spec: {parentRef: {group: X.org, resource: things, name: w}}}";
        assert_eq!(line(GROUP, "IPAddress", text), "a | things.x.org/w");
        assert_eq!(line(GROUP, "IPAddress", "{}"), "a | <none>");
    }
}
