//! What the tests of this crate share: a server's ranges, Services as text, and a memory of what is taken.

use crate::{Fault, Plan, Ranges, Taken, plan, prepare};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_object::{Limits, Node, decode};

/// Everything that Services have.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) addresses: BTreeSet<IpAddr>,
    pub(crate) ports: BTreeSet<(u16, String)>,
}

impl Taken for Ledger {
    fn address(&self, ip: IpAddr) -> bool {
        self.addresses.contains(&ip)
    }
    fn port(&self, port: u16, protocol: &str) -> bool {
        self.ports.contains(&(port, protocol.into()))
    }
}

impl Ledger {
    /// What a store does with a plan: it refuses what is taken already.
    pub(crate) fn commit(&mut self, plan: &Plan) {
        for ip in &plan.give_addresses {
            assert!(self.addresses.remove(ip), "{ip} is given back but was not held");
        }
        for port in &plan.give_ports {
            assert!(self.ports.remove(port), "{port:?} is given back but was not held");
        }
        for ip in &plan.take_addresses {
            assert!(self.addresses.insert(*ip), "{ip} is taken twice");
        }
        for port in &plan.take_ports {
            assert!(self.ports.insert(port.clone()), "{port:?} is taken twice");
        }
        for number in &plan.take_numbers {
            assert!(plan.take_ports.iter().any(|(taken, _)| taken == number));
        }
    }
}

pub(crate) fn dual() -> Ranges {
    Ranges::new("10.96.0.0/16", Some("fd00:10:96::/112"), (30000, 32767)).unwrap()
}

pub(crate) fn single() -> Ranges {
    Ranges::new("10.96.0.0/16", None, (30000, 32767)).unwrap()
}

pub(crate) fn node(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// A Service with this spec, defaults included.
pub(crate) fn service(spec: &str) -> Node<'static> {
    let text = alloc::format!(
        r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"s","namespace":"n"}},"spec":{spec}}}"#
    );
    let mut node = node(&text);
    ratchet_object::defaults::apply("", "v1", "Service", &mut node);
    node
}

/// A server that remembers.
pub(crate) struct Server {
    pub(crate) ranges: Ranges,
    pub(crate) ledger: Ledger,
}

impl Server {
    pub(crate) fn new(ranges: Ranges) -> Self {
        Self { ranges, ledger: Ledger::default() }
    }

    /// Creates or changes a Service.
    pub(crate) fn put(
        &mut self,
        spec: &str,
        old: Option<&Node<'_>>,
    ) -> Result<Node<'static>, Fault> {
        let mut new = service(spec);
        prepare(&mut new, old, &self.ranges);
        let untouched = new.clone();
        let made = plan(&mut new, old, &self.ranges, &self.ledger, &mut |below| 41 % below);
        match made {
            Ok(made) => {
                self.ledger.commit(&made);
                Ok(new)
            }
            Err(fault) => {
                assert_eq!(new, untouched, "a refused Service is left as it was");
                Err(fault)
            }
        }
    }

    pub(crate) fn create(&mut self, spec: &str) -> Node<'static> {
        self.put(spec, None).unwrap()
    }

    /// What is told when a Service is refused: fields with texts, or the text alone.
    pub(crate) fn refuse(&mut self, spec: &str, old: Option<&Node<'_>>) -> Vec<String> {
        match self.put(spec, old).unwrap_err() {
            Fault::Invalid(causes) => causes
                .into_iter()
                .map(|cause| alloc::format!("{}: {}", cause.field, cause.message))
                .collect(),
            Fault::Internal(text) => [alloc::format!("500 InternalError {text}")].into(),
            Fault::Unclassified(text) => [alloc::format!("500 {text}")].into(),
        }
    }
}

/// A member of the spec in JSON; `-` if it is absent.
pub(crate) fn at(service: &Node<'_>, names: &[&str]) -> String {
    let spec = service.get("spec").unwrap();
    spec.find(names).map_or_else(|| "-".into(), Node::to_json)
}
