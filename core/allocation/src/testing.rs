//! Shared test helpers: a server's ranges, Services as text, and a ledger of allocations.

use crate::{AllocationError, Plan, Ranges, Taken, plan, prepare, release};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_engine::{ApiConfig, Behavior, Change, Facts, Release, Status, judge};
use ratchet_object::{Limits, Node, Object, decode};

/// The allocations of all Services.
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
    /// Applies a plan as a store does: it refuses double allocations.
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

/// A server that prepares, validates, plans and commits.
pub(crate) struct Server {
    pub(crate) ranges: Ranges,
    pub(crate) ledger: Ledger,
    pub(crate) policy: ApiConfig,
}

impl Server {
    pub(crate) fn new(ranges: Ranges) -> Self {
        let policy = ApiConfig::of(Release::REFERENCE, Behavior::Released);
        Self { ranges, ledger: Ledger::default(), policy }
    }

    /// A server that parses addresses as old ones did.
    pub(crate) fn legacy(ranges: Ranges) -> Self {
        let mut server = Self::new(ranges);
        server.policy.gates.apply(&["StrictIPCIDRValidation=false"]).unwrap();
        server
    }

    /// Creates or replaces a Service.
    pub(crate) fn put(
        &mut self,
        spec: &str,
        old: Option<&Node<'static>>,
    ) -> Result<Node<'static>, AllocationError> {
        self.write(service(spec), old)
    }

    /// Changes members of a Service's spec; `null` removes one.
    pub(crate) fn patch(
        &mut self,
        spec: &str,
        old: &Node<'static>,
    ) -> Result<Node<'static>, AllocationError> {
        let mut new = old.clone();
        for entry in node(spec).entries() {
            match entry.node.is_null() {
                true => drop(new.map_mut("spec").remove(&entry.key)),
                false => new.map_mut("spec").set(entry.key.to_string(), entry.node.clone()),
            }
        }
        ratchet_object::defaults::apply("", "v1", "Service", &mut new);
        self.write(new, Some(old))
    }

    fn write(
        &mut self,
        mut new: Node<'static>,
        old: Option<&Node<'static>>,
    ) -> Result<Node<'static>, AllocationError> {
        prepare(&mut new, old, &self.ranges);
        self.judge(&new, old)?;
        let untouched = new.clone();
        let planned = plan(&mut new, old, &self.ranges, &self.ledger, &mut |below| 41 % below);
        match planned {
            Ok(planned) => {
                self.ledger.commit(&planned);
                Ok(new)
            }
            Err(error) => {
                assert_eq!(new, untouched, "a refused Service is left as it was");
                Err(error)
            }
        }
    }

    fn judge(
        &self,
        new: &Node<'static>,
        old: Option<&Node<'static>>,
    ) -> Result<(), AllocationError> {
        let (new, old) = (Object::new(new.clone()), old.cloned().map(Object::new));
        let change = match &old {
            None => Change::create(&new),
            Some(old) => Change::update(old, &new),
        };
        let change = change.unwrap();
        let verdict = judge(&change, &Facts::default(), &self.policy);
        match Status::of(&verdict, &change) {
            None => Ok(()),
            Some(status) => Err(AllocationError::Invalid(status.causes)),
        }
    }

    pub(crate) fn create(&mut self, spec: &str) -> Node<'static> {
        self.put(spec, None).unwrap()
    }

    pub(crate) fn delete(&mut self, service: &Node<'_>) {
        self.ledger.commit(&release(service));
    }

    /// Whether nothing is allocated.
    pub(crate) fn is_idle(&self) -> bool {
        self.ledger.addresses.is_empty() && self.ledger.ports.is_empty()
    }
}

/// The errors of a refused Service: fields with messages, or the message alone.
pub(crate) fn error_texts(answer: Result<Node<'static>, AllocationError>) -> Vec<String> {
    match answer.unwrap_err() {
        AllocationError::Invalid(causes) => causes
            .into_iter()
            .map(|cause| alloc::format!("{}: {}", cause.field, cause.message))
            .collect(),
        AllocationError::Internal(text) => [alloc::format!("500 InternalError {text}")].into(),
        AllocationError::Unclassified(text) => [alloc::format!("500 {text}")].into(),
    }
}

/// A member of the spec in JSON; `-` if it is absent.
pub(crate) fn at(service: &Node<'_>, name: &str) -> String {
    service.find(&["spec", name]).map_or_else(|| "-".into(), Node::to_json)
}

/// The addresses, families and policy of a Service.
pub(crate) fn stack(service: &Node<'_>) -> [String; 3] {
    ["clusterIPs", "ipFamilies", "ipFamilyPolicy"].map(|name| at(service, name))
}

/// The node ports of a Service, in order; zero where there is none.
pub(crate) fn node_ports(service: &Node<'_>) -> Vec<i64> {
    let ports = service.find(&["spec", "ports"]).map(Node::items).unwrap_or_default();
    let number = |port: &Node<'_>| port.get("nodePort").and_then(Node::as_int).unwrap_or_default();
    ports.iter().map(number).collect()
}
