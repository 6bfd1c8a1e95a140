//! `FIELDS`, the table of API fields that hold IP addresses or CIDRs, for validation, warnings, fixes and docs.

use crate::difference::{Difference, FROZEN_NODES, FROZEN_POD_SPECS};
use crate::rule::Ratchet;
use core::fmt;

/// One row: a field that holds an IP address or a CIDR.
#[derive(Debug)]
pub struct Field {
    /// Its number in the proposal's list.
    pub number: u8,
    /// The kind it belongs to; `Pod` stands for every kind that has a pod in it.
    pub kind: &'static str,
    /// Its path, as the proposal writes it.
    pub path: &'static str,
    /// How its values are parsed.
    pub class: Class,
    /// Which stored values may stay on update.
    pub ratchet: Ratchet,
    /// Which stored values may stay in released Kubernetes.
    pub released_ratchet: Ratchet,
    /// The component or people that normally write it.
    pub writer: &'static str,
    /// The difference by which released Kubernetes does not let stored values stay.
    pub frozen_by: Option<&'static Difference>,
    /// The first release that warns about it, as a minor number; `None` where no release warns.
    pub warns_since: Option<u8>,
}

/// How the values of a field are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An IP address; strict only with the gate, and IPv6 need not be canonical.
    LegacyAddress,
    /// A CIDR; strict only with the gate, and IPv6 need not be canonical.
    LegacyNetwork,
    /// An IP address, always in canonical form.
    Address,
    /// A CIDR, always in canonical form.
    Network,
    /// An interface address (IP and prefix length), always in canonical form.
    InterfaceAddress,
    /// Not validated itself: it mirrors another field of the kind.
    Follows(&'static str),
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LegacyAddress => "legacy address",
            LegacyNetwork => "legacy network",
            Address => "address",
            Network => "network",
            InterfaceAddress => "interface address",
            Follows(other) => return write!(f, "follows {other}"),
        })
    }
}

impl Field {
    /// The ids of the rules that check it.
    pub fn rules(&self) -> &'static [&'static str] {
        match self.class {
            LegacyAddress | Address => &["RTC-IP-001", "RTC-IP-003"],
            LegacyNetwork | Network => &["RTC-IP-002", "RTC-IP-003"],
            InterfaceAddress => &["RTC-IP-004", "RTC-IP-003"],
            Follows(path) => {
                let is_mirrored = |field: &&&Self| field.kind == self.kind && field.path == path;
                FIELDS.iter().find(is_mirrored).map_or(&[], |field| field.rules())
            }
        }
    }
}

use Class::{Address, Follows, InterfaceAddress, LegacyAddress, LegacyNetwork, Network};
use Ratchet::{ByValue, Never, WholeField};

const USERS: &str = "users";
const KUBELET: &str = "kubelet";

/// All rows, in the order of the proposal.
pub static FIELDS: &[&Field] = &[
    &ENDPOINTS_ADDRESSES,
    &ENDPOINTS_NOT_READY,
    &NODE_POD_CIDR,
    &NODE_POD_CIDRS,
    &NAMESERVERS,
    &HOST_ALIASES,
    &HOST_IP,
    &HOST_IPS,
    &POD_IP,
    &POD_IPS,
    &CLUSTER_IP,
    &CLUSTER_IPS,
    &EXTERNAL_IPS,
    &SOURCE_RANGES,
    &SERVICE_INGRESS,
    &INGRESS_INGRESS,
    &IP_ADDRESS_NAME,
    &EGRESS_CIDR,
    &EGRESS_EXCEPT,
    &INGRESS_CIDR,
    &INGRESS_EXCEPT,
    &SERVICE_CIDRS,
    &SLICE_ADDRESSES,
    &DEVICE_IPS,
];

macro_rules! rows {
    ($($name:ident: $number:literal $kind:literal $path:literal $class:expr, $ratchet:expr, $released:expr, $writer:expr, $frozen:expr, $warns:expr;)*) => {
        $(
            #[doc = concat!("`", $path, "` of ", $kind, ".")]
            pub(crate) static $name: Field = Field {
                number: $number, kind: $kind, path: $path, class: $class, ratchet: $ratchet,
                released_ratchet: $released, writer: $writer, frozen_by: $frozen,
                warns_since: $warns,
            };
        )*
    };
}

rows! {
    ENDPOINTS_ADDRESSES: 1 "Endpoints" "subsets[].addresses[].ip" LegacyAddress, WholeField, WholeField, "the Endpoints controller", None, Some(33);
    ENDPOINTS_NOT_READY: 2 "Endpoints" "subsets[].notReadyAddresses[].ip" LegacyAddress, WholeField, WholeField, "the Endpoints controller", None, Some(33);
    NODE_POD_CIDR: 3 "Node" "spec.podCIDR" Follows("spec.podCIDRs[]"), ByValue, Never, "the node IPAM controller", Some(&FROZEN_NODES), None;
    NODE_POD_CIDRS: 4 "Node" "spec.podCIDRs[]" LegacyNetwork, ByValue, Never, "the node IPAM controller", Some(&FROZEN_NODES), Some(33);
    NAMESERVERS: 5 "Pod" "spec.dnsConfig.nameservers[]" LegacyAddress, ByValue, Never, USERS, Some(&FROZEN_POD_SPECS), Some(33);
    HOST_ALIASES: 6 "Pod" "spec.hostAliases[].ip" LegacyAddress, ByValue, Never, USERS, Some(&FROZEN_POD_SPECS), Some(33);
    HOST_IP: 7 "Pod" "status.hostIP" LegacyAddress, ByValue, ByValue, KUBELET, None, Some(33);
    HOST_IPS: 8 "Pod" "status.hostIPs[].ip" LegacyAddress, ByValue, ByValue, KUBELET, None, Some(33);
    POD_IP: 9 "Pod" "status.podIP" Follows("status.podIPs[].ip"), ByValue, ByValue, KUBELET, None, None;
    POD_IPS: 10 "Pod" "status.podIPs[].ip" LegacyAddress, ByValue, ByValue, KUBELET, None, Some(33);
    CLUSTER_IP: 11 "Service" "spec.clusterIP" Follows("spec.clusterIPs[]"), ByValue, ByValue, "the API server", None, None;
    CLUSTER_IPS: 12 "Service" "spec.clusterIPs[]" LegacyAddress, ByValue, ByValue, "the API server", None, Some(27);
    EXTERNAL_IPS: 13 "Service" "spec.externalIPs[]" LegacyAddress, ByValue, ByValue, USERS, None, Some(27);
    SOURCE_RANGES: 14 "Service" "spec.loadBalancerSourceRanges[]" LegacyNetwork, ByValue, ByValue, USERS, None, Some(27);
    SERVICE_INGRESS: 15 "Service" "status.loadBalancer.ingress[].ip" LegacyAddress, ByValue, ByValue, "the cloud provider", None, Some(33);
    INGRESS_INGRESS: 16 "Ingress" "status.loadBalancer.ingress[].ip" LegacyAddress, ByValue, ByValue, "the ingress controller", None, Some(33);
    IP_ADDRESS_NAME: 17 "IPAddress" "metadata.name" Address, Never, Never, "the API server", None, None;
    EGRESS_CIDR: 18 "NetworkPolicy" "spec.egress[].to[].ipBlock.cidr" LegacyNetwork, ByValue, ByValue, USERS, None, Some(33);
    EGRESS_EXCEPT: 19 "NetworkPolicy" "spec.egress[].to[].ipBlock.except[]" LegacyNetwork, ByValue, ByValue, USERS, None, Some(33);
    INGRESS_CIDR: 20 "NetworkPolicy" "spec.ingress[].from[].ipBlock.cidr" LegacyNetwork, ByValue, ByValue, USERS, None, Some(33);
    INGRESS_EXCEPT: 21 "NetworkPolicy" "spec.ingress[].from[].ipBlock.except[]" LegacyNetwork, ByValue, ByValue, USERS, None, Some(33);
    SERVICE_CIDRS: 22 "ServiceCIDR" "spec.cidrs[]" Network, Never, Never, "administrators", None, None;
    SLICE_ADDRESSES: 23 "EndpointSlice" "endpoints[].addresses[]" LegacyAddress, WholeField, WholeField, "the EndpointSlice controllers", None, Some(33);
    DEVICE_IPS: 24 "ResourceClaim" "status.devices[].networkData.ips[]" InterfaceAddress, Never, Never, "network drivers", None, None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_the_twenty_four_fields_in_their_order() {
        assert_eq!(FIELDS.len(), 24);
        for (index, field) in FIELDS.iter().enumerate() {
            assert_eq!(usize::from(field.number), index + 1, "{}", field.path);
        }
    }

    #[test]
    fn every_field_is_read_by_a_rule_that_exists() {
        for field in FIELDS {
            assert!(!field.rules().is_empty(), "{}", field.path);
            for id in field.rules() {
                assert!(crate::RULES.iter().any(|rule| rule.id == *id), "{id}");
            }
        }
    }

    #[test]
    fn a_field_whose_ratchet_the_release_forgets_names_the_difference() {
        for field in FIELDS {
            let forgets = field.released_ratchet == Never && field.ratchet == ByValue;
            assert_eq!(forgets, field.frozen_by.is_some(), "{}", field.path);
        }
    }

    #[test]
    fn every_legacy_field_warns_before_it_refuses() {
        for field in FIELDS {
            let is_legacy = matches!(field.class, LegacyAddress | LegacyNetwork);
            assert_eq!(is_legacy, field.warns_since.is_some(), "{}", field.path);
        }
    }
}
