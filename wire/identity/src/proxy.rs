//! Authenticating proxies, which pass the user in request headers.

use crate::certificate::ClientVerifier;
use crate::headers::{all, extras, first, remove_prefixed};
use crate::{Authorities, Reloading};
use http::HeaderMap;
use jiff::Timestamp;
use ratchet_access::User;
use rustls::pki_types::CertificateDer;
use std::sync::Arc;

/// The trusted proxies and their headers.
#[derive(Debug)]
pub struct Proxy {
    vouching: ClientVerifier,
    /// The allowed common names of proxies; empty allows all that the authorities verify.
    pub allowed_names: Vec<String>,
    /// The headers with the user name; the first non-empty one counts.
    pub user_headers: Vec<String>,
    /// The headers with the uid.
    pub uid_headers: Vec<String>,
    /// The headers with groups; all count.
    pub group_headers: Vec<String>,
    /// The prefixes of headers with extras.
    pub extra_prefixes: Vec<String>,
}

impl Proxy {
    /// Proxies verified by these authorities, with the standard headers.
    pub fn new(authorities: Arc<Reloading<Authorities>>) -> Self {
        let single = |name: &str| vec![name.to_owned()];
        Self {
            vouching: ClientVerifier::new(authorities),
            allowed_names: Vec::new(),
            user_headers: single("X-Remote-User"),
            uid_headers: single("X-Remote-Uid"),
            group_headers: single("X-Remote-Group"),
            extra_prefixes: single("X-Remote-Extra-"),
        }
    }

    /// The user that a trusted proxy names; `None` without a certificate or user.
    pub(crate) fn user(
        &self,
        headers: &HeaderMap,
        chain: &[CertificateDer<'_>],
        now: Timestamp,
    ) -> Result<Option<User>, String> {
        if chain.is_empty() {
            return Ok(None);
        }
        let name = self.vouching.subject(chain, now)?.name.clone();
        if !self.allowed_names.is_empty() && !self.allowed_names.contains(&name) {
            return Err(format!("x509: subject with cn={name} is not in the allowed list"));
        }
        let value = |names: &[String]| {
            let mut values = names.iter().map(|name| first(headers, name));
            values.find(|value| !value.is_empty()).unwrap_or_default()
        };
        let name = value(&self.user_headers);
        if name.is_empty() {
            return Ok(None);
        }
        let groups = self.group_headers.iter().flat_map(|name| all(headers, name));
        let groups = groups.filter(|group| !group.is_empty()).collect();
        let mut extra: Vec<(String, Vec<String>)> = Vec::new();
        for (key, values) in self.extra_prefixes.iter().flat_map(|prefix| extras(headers, prefix)) {
            match extra.iter_mut().find(|(own, _)| *own == key) {
                Some((_, existing)) => existing.extend(values),
                None => extra.push((key, values)),
            }
        }
        Ok(Some(User { name, uid: value(&self.uid_headers), groups, extra }))
    }

    /// Removes the headers, so that no backend acts on them.
    pub(crate) fn strip(&self, headers: &mut HeaderMap) {
        for name in
            [&self.user_headers, &self.uid_headers, &self.group_headers].into_iter().flatten()
        {
            headers.remove(name);
        }
        for prefix in &self.extra_prefixes {
            remove_prefixed(headers, prefix);
        }
    }
}
