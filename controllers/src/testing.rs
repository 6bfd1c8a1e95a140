//! Test fixtures: objects for tests of plans.

use ratchet_object::{Limits, Node, decode};

/// Parses YAML.
pub(crate) fn node(text: &str) -> Node<'static> {
    let decoded = decode(text, Limits::DEFAULT).expect("reads");
    decoded.documents.into_iter().next().expect("there").into_owned()
}

/// A ready pod on a node, with these addresses.
pub(crate) fn pod(name: &str, on: &str, ips: &[&str]) -> Node<'static> {
    let ips: Vec<_> = ips.iter().map(|ip| format!("{{ip: '{ip}'}}")).collect();
    node(&format!(
        "{{metadata: {{name: {name}, namespace: shop, uid: u-{name}, labels: {{app: web}}}}, \
         spec: {{nodeName: '{on}'}}, status: {{phase: Running, podIPs: [{}], \
         conditions: [{{type: Ready, status: 'True'}}]}}}}",
        ips.join(", ")
    ))
}
