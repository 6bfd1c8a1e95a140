//! The condition `Available` of an APIService, decided from what is stored.

use crate::app::aggregator::api_service::available;
use crate::app::service_resolver::{ServiceReference, is_ready, service_port, slice_port};
use ratchet_net::Quoted;
use ratchet_object::Node;

/// What the condition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) is_true: bool,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Condition {
    /// The server answered.
    pub(super) fn passed() -> Self {
        Self { is_true: true, reason: "Passed", message: "all checks passed".to_owned() }
    }

    /// This server serves the version itself.
    pub(super) fn local() -> Self {
        let message = "Local APIServices are always available".to_owned();
        Self { is_true: true, reason: "Local", message }
    }

    /// The server did not answer as it should.
    pub(super) fn failed(message: String) -> Self {
        Self::missing("FailedDiscoveryCheck", message)
    }

    fn missing(reason: &'static str, message: String) -> Self {
        Self { is_true: false, reason, message }
    }

    fn status(&self) -> &'static str {
        if self.is_true { "True" } else { "False" }
    }
}

/// Why it is of no use to dial a Service: it does not exist, or nothing is behind it.
pub(super) fn obstacle(
    reference: &ServiceReference,
    service: Option<&Node<'_>>,
    slices: &[Node<'_>],
) -> Option<Condition> {
    let ServiceReference { namespace, name, port } = reference;
    let namespace = Quoted(namespace);
    let Some(service) = service else {
        let message = format!("service/{name} in {namespace} is not present");
        return Some(Condition::missing("ServiceNotFound", message));
    };
    // Of other types of Services nothing is known before they are dialed.
    if service.text_at(&["spec", "type"]) != "ClusterIP" {
        return None;
    }
    let Some(service_port) = service_port(service, *port) else {
        let message = format!("service/{name} in {namespace} is not listening on port {port}");
        return Some(Condition::missing("ServicePortError", message));
    };
    if slices.is_empty() {
        let message = format!("cannot find endpointslices for service/{name} in {namespace}");
        return Some(Condition::missing("EndpointsNotFound", message));
    }
    let port_name = service_port.text_at(&["name"]);
    let has_endpoint = |slice: &Node<'_>| {
        let endpoints = slice.get("endpoints").map(Node::items).unwrap_or_default();
        endpoints.iter().any(is_ready) && slice_port(slice, port_name).is_some()
    };
    if slices.iter().any(has_endpoint) {
        return None;
    }
    let port_name = Quoted(port_name);
    let message = format!(
        "endpointslices for service/{name} in {namespace} have no addresses with port name {port_name}"
    );
    Some(Condition::missing("MissingEndpoints", message))
}

/// The APIService with this condition; none if it has it already.
pub(super) fn with_condition(
    node: &Node<'static>,
    condition: &Condition,
    now: &str,
) -> Option<Node<'static>> {
    let old = available(node);
    let text = |name: &str| old.map(|old| old.text_at(&[name]).to_owned()).unwrap_or_default();
    let is_same_status = text("status") == condition.status();
    if is_same_status && text("reason") == condition.reason && text("message") == condition.message
    {
        return None;
    }
    let since = if is_same_status { text("lastTransitionTime") } else { now.to_owned() };
    let new = Node::map([
        ("lastTransitionTime", Node::string(since)),
        ("message", Node::string(condition.message.clone())),
        ("reason", Node::string(condition.reason)),
        ("status", Node::string(condition.status())),
        ("type", Node::string("Available")),
    ]);
    let mut node = node.clone();
    let status = node.map_mut("status");
    let mut conditions = match status.remove("conditions") {
        Some(conditions) if !conditions.is_null() => conditions,
        _ => Node::list(Vec::new()),
    };
    if let Some(items) = conditions.items_mut() {
        match items.iter_mut().find(|one| one.text_at(&["type"]) == "Available") {
            Some(old) => *old = new,
            None => items.push(new),
        }
    }
    status.set("conditions", conditions);
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn what_is_missing_is_told_in_order() {
        let reference = ServiceReference { namespace: "n".into(), name: "s".into(), port: 443 };
        let reported = |service: Option<&str>, slices: &[&str]| {
            let slices: Vec<_> = slices.iter().map(|text| node(text)).collect();
            let found = obstacle(&reference, service.map(node).as_ref(), &slices)?;
            assert!(!found.is_true);
            Some((found.reason, found.message))
        };
        let is = |reason, message: &str| Some((reason, message.to_owned()));
        assert_eq!(reported(None, &[]), is("ServiceNotFound", "service/s in \"n\" is not present"));
        let other = r#"{"spec":{"type":"ClusterIP","ports":[{"port":80}]}}"#;
        let message = "service/s in \"n\" is not listening on port 443";
        assert_eq!(reported(Some(other), &[]), is("ServicePortError", message));
        let own = Some(r#"{"spec":{"type":"ClusterIP","ports":[{"name":"h","port":443}]}}"#);
        let message = "cannot find endpointslices for service/s in \"n\"";
        assert_eq!(reported(own, &[]), is("EndpointsNotFound", message));
        let message =
            "endpointslices for service/s in \"n\" have no addresses with port name \"h\"";
        let port = r#""ports":[{"name":"h","port":8443}]"#;
        for slice in [
            format!(r#"{{"endpoints":[],{port}}}"#),
            format!(r#"{{"endpoints":[{{"conditions":{{"ready":false}}}}],{port}}}"#),
            r#"{"endpoints":[{}],"ports":[{"name":"x","port":1}]}"#.to_owned(),
            r#"{"endpoints":[{}],"ports":[{"name":"h"}]}"#.to_owned(),
        ] {
            assert_eq!(reported(own, &[&slice]), is("MissingEndpoints", message), "{slice}");
        }
        assert_eq!(reported(own, &[&format!(r#"{{"endpoints":[{{}}],{port}}}"#)]), None);
        assert_eq!(reported(Some(r#"{"spec":{"type":"ExternalName"}}"#), &[]), None);
    }

    #[test]
    fn the_time_is_that_of_the_last_transition() {
        let bare = node(r#"{"metadata":{"name":"v1.a"},"spec":{}}"#);
        let failed = Condition::failed("why".into());
        let first = with_condition(&bare, &failed, "1").unwrap();
        assert_eq!(available(&first).unwrap().text_at(&["lastTransitionTime"]), "1");
        assert!(with_condition(&first, &failed, "2").is_none(), "nothing to write");
        let other = with_condition(&first, &Condition::failed("other".into()), "2").unwrap();
        let reported = available(&other).unwrap();
        assert_eq!(
            (reported.text_at(&["lastTransitionTime"]), reported.text_at(&["message"])),
            ("1", "other")
        );
        let passed = with_condition(&other, &Condition::passed(), "3").unwrap();
        assert_eq!(available(&passed).unwrap().text_at(&["lastTransitionTime"]), "3");
        assert_eq!(passed.find(&["status", "conditions"]).unwrap().items().len(), 1);
    }
}
