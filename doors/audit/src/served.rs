//! Served kinds: the audited kinds that a cluster has, each in the first version that can be judged.

use crate::AuditError;
use crate::kinds::{AuditedKind, audited_kinds};
use crate::missing::Missing;
use crate::requests::Requests;
use ratchet_cluster::ClusterError;
use ratchet_object::{Limits, decode_json};
use std::collections::BTreeMap;

/// The document without which there is no API server.
const CORE: &str = "/api/v1";

/// A kind in the version in which the cluster serves it.
pub(crate) struct ServedKind {
    pub(crate) kind: AuditedKind,
    version: &'static str,
    /// Its number, which orders the report.
    pub(crate) number: u32,
    /// Why the cluster could not be asked whether it serves it; then it is listed nevertheless.
    pub(crate) is_guess: Option<String>,
}

impl ServedKind {
    pub(crate) fn api_version(&self) -> String {
        match self.kind.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    pub(crate) fn path(&self) -> String {
        let root = if self.kind.group.is_empty() { "api" } else { "apis" };
        format!("/{root}/{}/{}", self.api_version(), self.kind.plural)
    }

    /// The name in the journal.
    pub(crate) fn resource(&self) -> String {
        format!("{}.{}", self.kind.plural, self.kind.group)
    }

    /// A list of it that failed; `after` names the last object that was seen of it.
    pub(crate) fn missing(&self, reason: String, after: &str) -> Missing {
        let unseen = match (self.kind.kind, after) {
            ("Namespace", "") => {
                "Pod Security of namespaces: pods were judged as in namespaces without labels"
                    .to_owned()
            }
            (name, "") if self.kind.is_namespaced => format!("every {name} of all namespaces"),
            (name, "") => format!("every {name}"),
            (name, after) => format!("every {name} that the list has after {after}"),
        };
        Missing {
            verb: "list".to_owned(),
            group: self.kind.group.to_owned(),
            resource: self.kind.plural.to_owned(),
            reason,
            unseen,
        }
    }
}

/// The names of a version's resources, or why they are not known.
type Discovered = Result<Vec<String>, String>;

/// The audited kinds that the cluster serves.
pub(crate) async fn discover(requests: &Requests) -> Result<Vec<ServedKind>, AuditError> {
    let mut documents: BTreeMap<String, Discovered> = BTreeMap::new();
    let mut served = Vec::new();
    for (number, kind) in (0..).zip(audited_kinds()) {
        let mut is_guess = None;
        let mut found = None;
        for version in kind.versions.iter().copied() {
            let path = match kind.group {
                "" => format!("/api/{version}"),
                group => format!("/apis/{group}/{version}"),
            };
            if !documents.contains_key(&path) {
                documents.insert(path.clone(), resources(requests, &path).await?);
            }
            match documents.get(&path) {
                Some(Ok(names)) if names.iter().any(|name| name == kind.plural) => {
                    found = Some(version);
                    break;
                }
                Some(Err(why)) => is_guess = is_guess.or_else(|| Some(why.clone())),
                _ => {}
            }
        }
        if let Some(version) = found {
            served.push(ServedKind { kind, version, number, is_guess: None });
        } else if let (Some(why), Some(version)) = (is_guess, kind.versions.first().copied()) {
            served.push(ServedKind { kind, version, number, is_guess: Some(why) });
        }
    }
    Ok(served)
}

/// The resources of a group and version; none if it is not served.
async fn resources(requests: &Requests, path: &str) -> Result<Discovered, AuditError> {
    let server = requests.server();
    match requests.get(path).await {
        Ok(text) => match names(&text) {
            Some(names) => Ok(Ok(names)),
            None => Err(AuditError::Setup(format!(
                "{server} answers GET {path} with something that is no list of resources: is it an API server of Kubernetes? \
                 Look at the server and the proxy of the kubeconfig's cluster"
            ))),
        },
        Err(ClusterError::Refused { code: 404, .. }) if path == CORE => {
            Err(AuditError::Setup(format!(
                "{server} has no {CORE}, which every API server of Kubernetes has: look at the server of the kubeconfig's cluster"
            )))
        }
        Err(ClusterError::Refused { code: 404, .. }) => Ok(Ok(Vec::new())),
        Err(error @ ClusterError::Refused { code: 401, .. }) => {
            Err(AuditError::Setup(error.to_string()))
        }
        // Without discovery the usual version is listed, which says what is wrong.
        Err(error @ ClusterError::Refused { .. }) => Ok(Err(error.to_string())),
        Err(error) => Err(AuditError::Setup(error.to_string())),
    }
}

fn names(document: &str) -> Option<Vec<String>> {
    let decoded = decode_json(document, Limits::STORED).ok()?;
    let rows = decoded.documents.first()?.get("resources")?.items();
    Some(rows.iter().map(|row| row.text_at(&["name"]).to_owned()).collect())
}
