//! The signers of Kubernetes: which requests each of them answers, one row each.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::CertificateRequest;

/// A signer, by the name that requests call it.
#[derive(Debug)]
pub struct Signer {
    /// Its name.
    pub name: &'static str,
    check: fn(&CertificateRequest, &[&str]) -> Result<(), String>,
}

/// Every signer that signs here.
pub static SIGNERS: &[Signer] = &[
    Signer { name: "kubernetes.io/kube-apiserver-client", check: client },
    Signer { name: "kubernetes.io/kube-apiserver-client-kubelet", check: kubelet_client },
    Signer { name: "kubernetes.io/kubelet-serving", check: kubelet_serving },
];

impl Signer {
    /// The signer of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SIGNERS.iter().find(|signer| signer.name == name)
    }

    /// Whether it signs this request, for these usages; why not, in the words of kube-controller-manager.
    pub fn check(&self, request: &CertificateRequest, usages: &[&str]) -> Result<(), String> {
        // The API reads the last of several names, others the first: who is meant must not depend on that.
        if request.common_names.len() > 1 {
            return Err("subject has more than one common name".to_owned());
        }
        (self.check)(request, usages)
    }
}

const SIGNATURE: &str = "digital signature";
const ENCIPHERMENT: &str = "key encipherment";
const CLIENT: &str = "client auth";
const SERVER: &str = "server auth";

/// Usages that a client may ask for beside client auth.
fn client(_: &CertificateRequest, usages: &[&str]) -> Result<(), String> {
    for usage in usages {
        if ![SIGNATURE, ENCIPHERMENT, CLIENT].contains(usage) {
            return Err(format!("invalid usage for client certificate: {usage}"));
        }
    }
    match usages.contains(&CLIENT) {
        true => Ok(()),
        false => Err(format!("missing required usage for client certificate: {CLIENT}")),
    }
}

fn kubelet_client(request: &CertificateRequest, usages: &[&str]) -> Result<(), String> {
    of_nodes(request)?;
    let unwanted = [
        (request.dns_names.is_empty(), "DNS"),
        (request.emails.is_empty(), "Email"),
        (request.addresses.is_empty(), "IP"),
        (request.uris.is_empty(), "URI"),
    ];
    none_of(&unwanted)?;
    node_named(request)?;
    exactly(
        usages,
        [SIGNATURE, ENCIPHERMENT, CLIENT],
        "[client auth digital signature key encipherment]",
    )
}

fn kubelet_serving(request: &CertificateRequest, usages: &[&str]) -> Result<(), String> {
    of_nodes(request)?;
    if request.dns_names.is_empty() && request.addresses.is_empty() {
        return Err("DNS or IP subjectAltName is required".to_owned());
    }
    none_of(&[(request.emails.is_empty(), "Email"), (request.uris.is_empty(), "URI")])?;
    exactly(
        usages,
        [SIGNATURE, ENCIPHERMENT, SERVER],
        "[digital signature key encipherment server auth]",
    )?;
    node_named(request)
}

fn of_nodes(request: &CertificateRequest) -> Result<(), String> {
    match request.organizations.as_slice() {
        [one] if one == "system:nodes" => Ok(()),
        _ => Err("subject organization is not system:nodes".to_owned()),
    }
}

fn node_named(request: &CertificateRequest) -> Result<(), String> {
    match request.common_names.last() {
        Some(name) if name.starts_with("system:node:") => Ok(()),
        _ => Err("subject common name does not begin with system:node:".to_owned()),
    }
}

fn none_of(lists: &[(bool, &str)]) -> Result<(), String> {
    match lists.iter().find(|(is_empty, _)| !is_empty) {
        Some((_, what)) => Err(format!("{what} subjectAltNames are not allowed")),
        None => Ok(()),
    }
}

/// These usages, or these without key encipherment, which only RSA keys need.
fn exactly(usages: &[&str], wanted: [&str; 3], told: &str) -> Result<(), String> {
    let mut asked: Vec<&str> = usages.to_vec();
    asked.sort_unstable();
    asked.dedup();
    let mut all = wanted.to_vec();
    all.sort_unstable();
    let fewer: Vec<&str> = all.iter().copied().filter(|usage| *usage != ENCIPHERMENT).collect();
    match asked == all || asked == fewer {
        true => Ok(()),
        false => Err(format!("usages did not match {told}")),
    }
}

#[cfg(test)]
mod tests;
