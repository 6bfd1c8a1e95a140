//! How traffic finds its way: services, ingresses, policies, the addresses of services.

use crate::column::{AGE, Column, NAME, Row, SELECTOR, text as column};
use crate::labels::{labels, selector};
use crate::shown::{Cells, NONE, Shown, UNKNOWN, int, items, joined, or, text};
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

fn service(shown: &Shown<'_>) -> Cells {
    let ports: Vec<String> = shown.items(&["spec", "ports"]).iter().map(port).collect();
    vec![
        shown.name(),
        shown.cell(&["spec", "type"]),
        text(inside(shown)),
        text(outside(shown)),
        text(or(&ports.join(","), NONE)),
        shown.age(),
        text(labels(shown.at(&["spec", "selector"]))),
    ]
}

fn port(port: &Node<'_>) -> String {
    let (number, protocol) = (int(port, &["port"]), port.text_at(&["protocol"]));
    match int(port, &["nodePort"]) {
        node_port @ 1.. => format!("{number}:{node_port}/{protocol}"),
        _ => format!("{number}/{protocol}"),
    }
}

/// Old objects have the single field only; one that is just a name has no address at all.
fn inside<'a>(shown: &Shown<'a>) -> &'a str {
    match shown.items(&["spec", "clusterIPs"]).first() {
        Some(first) => first.text().unwrap_or_default(),
        None if shown.text(&["spec", "type"]) == "ExternalName" => NONE,
        None => or(shown.text(&["spec", "clusterIP"]), NONE),
    }
}

fn outside(shown: &Shown<'_>) -> String {
    let chosen = joined(shown.items(&["spec", "externalIPs"]), ",");
    match shown.text(&["spec", "type"]) {
        "ClusterIP" | "NodePort" => or(&chosen, NONE).to_owned(),
        "LoadBalancer" => {
            let given = balancer(shown);
            let both: Vec<&str> =
                [given.as_str(), &chosen].into_iter().filter(|part| !part.is_empty()).collect();
            or(&both.join(","), "<pending>").to_owned()
        }
        "ExternalName" => shown.text(&["spec", "externalName"]).to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}

/// The addresses of a load balancer, or its names where it has none.
fn balancer(shown: &Shown<'_>) -> String {
    let points = shown.items(&["status", "loadBalancer", "ingress"]).iter();
    let told: BTreeSet<&str> =
        points.map(|point| or(point.text_at(&["ip"]), point.text_at(&["hostname"]))).collect();
    let told: Vec<&str> = told.into_iter().filter(|point| !point.is_empty()).collect();
    told.join(",")
}

fn ingress(shown: &Shown<'_>) -> Cells {
    let has_tls = !shown.items(&["spec", "tls"]).is_empty();
    vec![
        shown.name(),
        shown.cell_or(&["spec", "ingressClassName"], NONE),
        text(hosts(items(shown.object, &["spec", "rules"]))),
        text(balancer(shown)),
        text(if has_tls { "80, 443" } else { "80" }),
        shown.age(),
    ]
}

/// Three hosts at most; rules without one count among those that are left out, as they do in
/// Kubernetes.
fn hosts(rules: &[Node<'_>]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for rule in rules {
        if shown.len() == 3 {
            return format!("{} + {} more...", shown.join(","), rules.len() - 3);
        }
        shown.extend(Some(rule.text_at(&["host"])).filter(|host| !host.is_empty()));
    }
    or(&shown.join(","), "*").to_owned()
}

fn class(shown: &Shown<'_>) -> Cells {
    let is_default =
        shown.annotation("ingressclass.kubernetes.io/is-default-class") == Some("true");
    let parameters = shown.at(&["spec", "parameters"]);
    vec![
        if is_default { default_name(shown) } else { shown.name() },
        shown.cell(&["spec", "controller"]),
        text(parameters.map_or_else(|| NONE.to_owned(), parameters_told)),
        shown.age(),
    ]
}

/// The name of what is used where nothing else is asked for.
pub(crate) fn default_name(shown: &Shown<'_>) -> Node<'static> {
    text(format!("{} (default)", shown.text(&["metadata", "name"])))
}

fn parameters_told(parameters: &Node<'_>) -> String {
    let (kind, name) = (parameters.text_at(&["kind"]), parameters.text_at(&["name"]));
    match parameters.get("apiGroup").and_then(Node::text) {
        Some(group) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

fn policy(shown: &Shown<'_>) -> Cells {
    let pods = selector(shown.at(&["spec", "podSelector"]));
    vec![shown.name(), text(pods), shown.age()]
}

fn cidr(shown: &Shown<'_>) -> Cells {
    vec![shown.name(), text(joined(shown.items(&["spec", "cidrs"]), ",")), shown.age()]
}

fn address(shown: &Shown<'_>) -> Cells {
    let parent = shown.at(&["spec", "parentRef"]);
    vec![shown.name(), text(parent.map_or_else(|| NONE.to_owned(), parent_told))]
}

/// `services/default/web`.
fn parent_told(parent: &Node<'_>) -> String {
    let resource = match (parent.text_at(&["resource"]), parent.text_at(&["group"])) {
        (resource, "") => resource.to_lowercase(),
        (resource, group) => format!("{resource}.{group}").to_lowercase(),
    };
    let parts = [resource.as_str(), parent.text_at(&["namespace"])];
    let mut told: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    told.push(parent.text_at(&["name"]));
    told.join("/")
}

#[cfg(test)]
mod tests {
    use crate::trial::line;
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
        let outside = |spec: &str, status: &str| {
            let text = format!(
                "{{spec: {{type: LoadBalancer{spec}}}, status: {{loadBalancer: {{ingress: [{status}]}}}}}}"
            );
            String::from(line("", "Service", &text).split(" | ").nth(3).unwrap())
        };
        assert_eq!(outside("", ""), "<pending>");
        assert_eq!(
            outside("", "{ip: 2.2.2.2}, {hostname: b.org}, {ip: 1.1.1.1}"),
            "1.1.1.1,2.2.2.2,b.org"
        );
        assert_eq!(outside(", externalIPs: [9.9.9.9]", "{ip: 2.2.2.2}"), "2.2.2.2,9.9.9.9");
        assert_eq!(outside(", externalIPs: [9.9.9.9]", ""), "9.9.9.9");
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
