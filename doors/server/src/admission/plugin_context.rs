//! `PluginContext` of a request: the authorizer, certificate subjects and random names.

use crate::app::request_cluster::RequestCluster;
use crate::registry::metadata;
use crate::validation::csr;
use ratchet_access::{Attributes, Decision};
use ratchet_admission::{PluginContext, Subject};

impl PluginContext for RequestCluster<'_> {
    fn decide(&self, attributes: &Attributes<'_>) -> Result<(), String> {
        match self.app.authorizer.decide(attributes) {
            Decision::Allow { .. } => Ok(()),
            Decision::Deny { reason } | Decision::NoOpinion { reason } => Err(reason),
        }
    }

    fn subject_of(&self, request: &str) -> Result<Subject, String> {
        subject(request)
    }

    fn suffix(&self) -> String {
        metadata::generate_name("")
    }
}

/// The subject of a certificate signing request, given as PEM in base64.
fn subject(request: &str) -> Result<Subject, String> {
    let der = csr::decode_request(request)?;
    let request = csr::parse(&der)?;
    let name = &request.certification_request_info.subject;
    let texts = |values: Vec<&str>| values.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let names = texts(name.iter_common_name().filter_map(|name| name.as_str().ok()).collect());
    let groups = texts(name.iter_organization().filter_map(|name| name.as_str().ok()).collect());
    Ok(Subject {
        common_name: names.into_iter().next_back().unwrap_or_default(),
        organizations: groups,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    /// `CN=system:node:a, O=system:nodes`, made by openssl.
    const WISH: &str = include_str!("node_client_csr.txt");

    #[test]
    fn a_request_for_a_certificate_says_for_whom_it_is() {
        let found = subject(WISH.trim()).unwrap();
        assert_eq!(found.common_name, "system:node:a");
        assert_eq!(found.organizations, ["system:nodes"]);
    }

    #[test]
    fn what_is_no_request_is_told() {
        for text in ["", "eA==", "%"] {
            assert_eq!(
                subject(text),
                Err("PEM block type must be CERTIFICATE REQUEST".into()),
                "{text}"
            );
        }
        let empty = BASE64_STANDARD
            .encode("-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n");
        assert!(subject(&empty).is_err());
    }
}
