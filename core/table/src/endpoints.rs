//! Printers of Endpoints and EndpointSlices.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::printed_object::{Cells, NONE, PrintedObject, UNSET, at, int, items, or, text};
use crate::truncate::first_three;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "Endpoints", columns: ENDPOINTS, cells: endpoints },
    Row { group: "discovery.k8s.io", kind: "EndpointSlice", columns: SLICE, cells: slice },
];

const ENDPOINTS: &[Column] =
    &[NAME, column("Endpoints", "The addresses and ports that serve the service."), AGE];

const SLICE: &[Column] = &[
    NAME,
    column("AddressType", "What the addresses are: IPv4, IPv6 or names."),
    column("Ports", "The ports that every endpoint serves."),
    column("Endpoints", "The addresses of the endpoints."),
    AGE,
];

fn endpoints(object: &PrintedObject<'_>) -> Cells {
    let subsets = object.items(&["subsets"]);
    let formatted = if subsets.is_empty() {
        NONE.to_owned()
    } else {
        first_three(subsets.iter().flat_map(subset))
    };
    vec![object.name(), text(formatted), object.age()]
}

/// Every port of every address; without ports the addresses alone.
fn subset(subset: &Node<'_>) -> Vec<String> {
    let (addresses, ports) = (items(subset, &["addresses"]), items(subset, &["ports"]));
    let hosts = || addresses.iter().map(|address| address.text_at(&["ip"]));
    if ports.is_empty() {
        return hosts().map(ToOwned::to_owned).collect();
    }
    let numbers = ports.iter().map(|port| int(port, &["port"]));
    numbers.flat_map(|port| hosts().map(move |host| host_port(host, port))).collect()
}

fn host_port(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

fn slice(object: &PrintedObject<'_>) -> Cells {
    let addresses =
        object.items(&["endpoints"]).iter().flat_map(|endpoint| items(endpoint, &["addresses"]));
    let addresses = addresses.filter_map(Node::text).map(ToOwned::to_owned);
    vec![
        object.name(),
        object.cell(&["addressType"]),
        text(or(&first_three(object.items(&["ports"]).iter().map(port)), UNSET)),
        text(or(&first_three(addresses), UNSET)),
        object.age(),
    ]
}

fn port(port: &Node<'_>) -> String {
    match (at(port, &["port"]).and_then(Node::as_int), at(port, &["name"])) {
        (Some(number), _) => number.to_string(),
        (None, Some(name)) => name.text().unwrap_or_default().to_owned(),
        (None, None) => "*".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    #[test]
    fn endpoints() {
        let text = "{subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 'fd::1'}], ports: [{port: 80}]}]}";
        assert_eq!(line("", "Endpoints", text), "a | 10.0.0.1:80,[fd::1]:80 | 5m");
        let many = "{subsets: [{addresses: [{ip: 1.1.1.1}, {ip: 2.2.2.2}], ports: [{port: 1}, {port: 2}]}, \
            {addresses: [{ip: 3.3.3.3}]}]}";
        let expected = "a | 1.1.1.1:1,2.2.2.2:1,1.1.1.1:2 + 2 more... | 5m";
        assert_eq!(line("", "Endpoints", many), expected);
        let bare = "{subsets: [{addresses: [{ip: 3.3.3.3}]}]}";
        assert_eq!(line("", "Endpoints", bare), "a | 3.3.3.3 | 5m");
        assert_eq!(line("", "Endpoints", "{}"), "a | <none> | 5m");
    }

    #[test]
    fn slices() {
        let group = "discovery.k8s.io";
        let text = "{addressType: IPv4, ports: [{port: 80}, {name: web}, {}], endpoints: [{addresses: [1.1.1.1]}, \
            {addresses: [2.2.2.2, 3.3.3.3, 4.4.4.4]}]}";
        let expected = "a | IPv4 | 80,web,* | 1.1.1.1,2.2.2.2,3.3.3.3 + 1 more... | 5m";
        assert_eq!(line(group, "EndpointSlice", text), expected);
        let empty = "{addressType: IPv6}";
        assert_eq!(line(group, "EndpointSlice", empty), "a | IPv6 | <unset> | <unset> | 5m");
    }
}
