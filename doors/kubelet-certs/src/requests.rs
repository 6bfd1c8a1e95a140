//! Certificate signing requests of nodes, as evidence where a kubelet cannot be reached.

use crate::minting::can_sign_servers;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use ratchet_certificate::Facts;
use ratchet_cluster::{Cluster, ClusterError};
use ratchet_object::Node;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::collections::BTreeMap;

const PATH: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const SIGNER: &str = "kubernetes.io/kubelet-serving";

/// The certificate signing requests of all nodes.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The newest request of each node.
    newest: BTreeMap<String, Request>,
    /// Messages about requests that were answered with an authority, however old.
    authorities: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Request {
    name: String,
    created: String,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Issued(Box<Facts>),
    Unreadable,
    Waiting,
    Denied,
}

impl Requests {
    /// Lists all requests for kubelet serving certificates.
    pub(crate) async fn read(cluster: &Cluster) -> Result<Self, ClusterError> {
        let mut all = Self::default();
        let field = format!("spec.signerName={SIGNER}");
        let mut pages = cluster.list(PATH, &[("fieldSelector", &field)]);
        while let Some(page) = pages.next().await? {
            let Ok(list) = page.decode() else { continue };
            list.get("items")
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .for_each(|one| all.add(one));
        }
        Ok(all)
    }

    fn add(&mut self, object: &Node<'_>) {
        let Some(node) = object.text_at(&["spec", "username"]).strip_prefix("system:node:") else {
            return;
        };
        if object.text_at(&["spec", "signerName"]) != SIGNER {
            return;
        }
        let request = Request {
            name: object.text_at(&["metadata", "name"]).to_owned(),
            created: object.text_at(&["metadata", "creationTimestamp"]).to_owned(),
            state: state(object),
        };
        if let State::Issued(facts) = &request.state
            && can_sign_servers(facts)
        {
            let message = format!(
                "its request {} was answered with the authority {:?}, which {:?} has issued",
                request.name, facts.subject, facts.issuer
            );
            self.authorities.entry(node.to_owned()).or_default().push(message);
        }
        let known = self.newest.get(node);
        // The API server's timestamps sort lexicographically.
        if known.is_none_or(|known| known.created < request.created) {
            self.newest.insert(node.to_owned(), request);
        }
    }

    /// Messages about authorities that were issued to a node.
    pub(crate) fn authorities(&self, node: &str) -> Vec<String> {
        self.authorities.get(node).cloned().unwrap_or_default()
    }

    /// A description of a node's newest request.
    pub(crate) fn about(&self, node: &str) -> Option<String> {
        let Request { name, created, state } = self.newest.get(node)?;
        let what = match state {
            State::Issued(facts) => {
                let until = Timestamp::from_second(facts.not_after)
                    .map_or_else(|_| "?".to_owned(), |time| time.to_string());
                let names = facts.common_names.join(" and ");
                format!(
                    "was answered with a certificate for {names:?}, valid until {until}; whether the kubelet presents it is not known"
                )
            }
            State::Unreadable => "was answered with something that is no certificate".to_owned(),
            State::Waiting => format!("waits for approval: `kubectl certificate approve {name}`"),
            State::Denied => "was denied, or could not be signed".to_owned(),
        };
        Some(format!("its newest request ({name}, {created}) {what}"))
    }
}

fn state(object: &Node<'_>) -> State {
    let issued = object.text_at(&["status", "certificate"]);
    if !issued.is_empty() {
        let facts = BASE64_STANDARD.decode(issued).ok().and_then(|pem| {
            let leaf = CertificateDer::pem_slice_iter(&pem).next()?.ok()?;
            Facts::from_der(&leaf).ok()
        });
        return facts.map_or(State::Unreadable, |facts| State::Issued(Box::new(facts)));
    }
    let conditions = object.find(&["status", "conditions"]).map(Node::items).unwrap_or_default();
    let is_over = |one: &Node<'_>| matches!(one.text_at(&["type"]), "Denied" | "Failed");
    if conditions.iter().any(is_over) { State::Denied } else { State::Waiting }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};
    use rcgen::{CertificateParams, DnType, KeyPair};

    fn newest_message(requests: &[(&str, &str, &str)]) -> Option<String> {
        read(requests).about("a")
    }

    fn read(requests: &[(&str, &str, &str)]) -> Requests {
        let mut all = Requests::default();
        for (user, created, status) in requests {
            let text = format!(
                r#"{{"metadata":{{"name":"csr-{created}","creationTimestamp":"{created}"}},"spec":{{"username":"{user}","signerName":"{SIGNER}"}},"status":{status}}}"#
            );
            all.add(&decode(&text, Limits::DEFAULT).unwrap().documents[0]);
        }
        all
    }

    fn issued(name: &str) -> String {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        let created = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        format!(r#"{{"certificate":"{}"}}"#, BASE64_STANDARD.encode(created.pem()))
    }

    #[test]
    fn the_newest_request_counts() {
        let user = "system:node:a";
        let good = issued("system:node:a");
        let old = (user, "2026-01-01T00:00:00Z", good.as_str());
        let message_after = |request| newest_message(&[old, request]).unwrap();
        assert!(
            newest_message(&[old])
                .unwrap()
                .contains("a certificate for \"system:node:a\", valid until")
        );
        assert!(
            message_after((user, "2026-02-01T00:00:00Z", "{}"))
                .contains("certificate approve csr-2026-02")
        );
        assert!(message_after((user, "2025-02-01T00:00:00Z", "{}")).contains("was answered"));
        let denied = r#"{"conditions":[{"type":"Denied"}]}"#;
        assert!(message_after((user, "2026-02-01T00:00:00Z", denied)).contains("denied"));
        let broken = r#"{"certificate":"AAAA"}"#;
        assert!(message_after((user, "2026-02-01T00:00:00Z", broken)).contains("no certificate"));
    }

    #[test]
    fn an_authority_that_was_issued_is_told_however_old() {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let issuer = rcgen::Issuer::new(params.clone(), &key);
        params.distinguished_name.push(DnType::CommonName, "system:node:a");
        let created = params.signed_by(&KeyPair::generate().unwrap(), &issuer).unwrap();
        let minted = format!(r#"{{"certificate":"{}"}}"#, BASE64_STANDARD.encode(created.pem()));
        let good = issued("system:node:a");
        let user = "system:node:a";
        let all = read(&[
            (user, "2025", &minted),
            (user, "2026", &good),
            ("system:node:b", "2026", &good),
        ]);
        let [message] = &all.authorities("a")[..] else { panic!("{all:?}") };
        assert!(
            message.starts_with("its request csr-2025 was answered with the authority"),
            "{message}"
        );
        assert!(all.authorities("b").is_empty());
    }

    #[test]
    fn requests_of_others_tell_nothing() {
        let good = issued("system:node:a");
        assert_eq!(
            newest_message(&[("system:node:b", "2026", &good), ("ada", "2026", &good)]),
            None
        );
    }
}
