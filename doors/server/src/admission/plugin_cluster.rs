//! The cluster as admission plugins see it: cached objects, the authorizer, certificate subjects.

use crate::app::resource_request::ResourceRequest;
use crate::registry::{ServedResource, metadata};
use crate::status::StatusError;
use crate::storage::cache::Unreadable;
use crate::validation::csr;
use ratchet_access::{Attributes, Decision};
use ratchet_admission::{Cluster, Subject};
use ratchet_object::Node;
use std::sync::{Arc, OnceLock};

/// Cluster state for one request.
pub(super) struct PluginCluster<'a> {
    request: &'a ResourceRequest<'a>,
    /// The first stored value that was needed and cannot be decoded.
    failed: OnceLock<Arc<Unreadable>>,
}

impl<'a> PluginCluster<'a> {
    pub(super) fn new(request: &'a ResourceRequest<'a>) -> Self {
        Self { request, failed: OnceLock::new() }
    }

    /// Fails if a plugin missed a stored value that cannot be decoded.
    pub(super) fn check(&self) -> Result<(), StatusError> {
        self.failed.get().map_or(Ok(()), |found| Err(found.into()))
    }

    fn record_failure(&self, found: Arc<Unreadable>) {
        let _ = self.failed.set(found); // the first is enough
    }

    fn find_resource(&self, group: &str, resource: &str) -> Option<&Arc<ServedResource>> {
        let mut all = self.request.app.registry.all();
        all.find(|candidate| candidate.row.plural == resource && candidate.row.group == group)
    }
}

impl Cluster for PluginCluster<'_> {
    fn object(
        &self,
        group: &str,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let served_resource = self.find_resource(group, resource)?;
        match served_resource.cache.find(&served_resource.cache_key(namespace, name)) {
            Ok(item) => Some(item?.node()),
            Err(found) => {
                self.record_failure(Arc::new(found));
                None
            }
        }
    }

    fn objects(&self, group: &str, resource: &str, namespace: &str) -> Vec<Node<'static>> {
        let Some(served_resource) = self.find_resource(group, resource) else { return Vec::new() };
        let prefix =
            if served_resource.row.namespaced { format!("{namespace}/") } else { String::new() };
        let snapshot = served_resource.cache.now();
        if let Some(found) = snapshot.unreadable_within(&prefix) {
            self.record_failure(found.clone());
        }
        snapshot.within(&prefix).map(|item| item.node()).collect()
    }

    fn decide(&self, attributes: &Attributes<'_>) -> Result<(), String> {
        match self.request.app.authorizer.decide(attributes) {
            Decision::Allow { .. } => Ok(()),
            Decision::Deny { reason } | Decision::NoOpinion { reason } => Err(reason),
        }
    }

    fn resource_of(&self, group: &str, version: &str, kind: &str) -> Option<(String, bool)> {
        let mut rows = self.request.app.registry.rows().iter();
        let row = rows.find(|row| (row.group, row.version, row.kind) == (group, version, kind))?;
        Some((row.plural.to_owned(), row.namespaced))
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
    const WISH: &str = include_str!("view_csr.txt");

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
