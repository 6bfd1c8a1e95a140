//! The built-in signers of Kubernetes and the requests they accept.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::CertificateRequest;

/// A signer, by its `signerName`.
#[derive(Debug)]
pub struct Signer {
    /// The `signerName`.
    pub name: &'static str,
    check: fn(&CertificateRequest, &[&str]) -> Result<(), String>,
}

/// All signers that sign here.
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

    /// Whether it signs this request, for these usages; the error is that of
    /// kube-controller-manager.
    pub fn check(&self, request: &CertificateRequest, usages: &[&str]) -> Result<(), String> {
        // The API reads the last of several names, others the first: the meaning must not depend on
        // that.
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

/// Usages that a client may request besides client auth.
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
    exact_usages(
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
    exact_usages(
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
fn exact_usages(usages: &[&str], wanted: [&str; 3], description: &str) -> Result<(), String> {
    let mut requested: Vec<&str> = usages.to_vec();
    requested.sort_unstable();
    requested.dedup();
    let mut allowed = wanted.to_vec();
    allowed.sort_unstable();
    let without_encipherment: Vec<&str> =
        allowed.iter().copied().filter(|usage| *usage != ENCIPHERMENT).collect();
    match requested == allowed || requested == without_encipherment {
        true => Ok(()),
        false => Err(format!("usages did not match {description}")),
    }
}

#[cfg(test)]
mod tests;
