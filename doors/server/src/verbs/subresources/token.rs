//! `serviceaccounts/token`: issues service account tokens.

use crate::admission::Chain;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::body::ExpectedKind;
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::{About, StatusError};
use crate::verbs::write::set_namespace;
use jiff::Timestamp;
use ratchet_engine::StatusCause;
use ratchet_identity::{Account, Bound, Issuing};
use ratchet_object::{GroupVersionKind, Node, defaults};

const REQUEST: ExpectedKind<'static> = ExpectedKind::of_kind(GroupVersionKind {
    group: "authentication.k8s.io",
    version: "v1",
    kind: "TokenRequest",
});

/// Issues a token.
pub(super) async fn create(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = WriteOptions::from_params(request.params, OptionsKind::Create)?;
    let mut token_request = request.object_of(REQUEST, options.fields)?;
    defaults::apply(REQUEST.group, REQUEST.version, REQUEST.kind, &mut token_request);
    set_namespace(request, &mut token_request)?;
    Chain::of(request.app).admit_body(request, REQUEST.name(), &mut token_request).await?;
    check_name(request, &token_request)?;
    let account = request.current().await?.node();
    let uid = account.text_at(&["metadata", "uid"]);
    check_uid(request, &token_request, uid)?;
    fill_in(request, &mut token_request, uid);
    token_request.remove("status");
    let seconds =
        token_request.find(&["spec", "expirationSeconds"]).and_then(Node::as_int).unwrap_or(3600);
    check_seconds(seconds)?;
    Chain::of(request.app).validate_body(request, REQUEST.name(), &token_request).await?;
    let binding = Binding::find(request, &token_request)?;
    let requested = token_request.find(&["spec", "audiences"]).map(Node::items).unwrap_or_default();
    let audiences: Vec<String> =
        requested.iter().filter_map(Node::text).map(str::to_owned).collect();
    let (namespace, name) = (request.path.namespace.as_str(), request.path.name.as_str());
    let issuing = Issuing {
        account: Account { namespace, name, uid },
        bound: binding.as_ref().map(Binding::as_bound),
        audiences: &audiences,
        seconds,
    };
    let issued =
        request.app.accounts.issue(&issuing, Timestamp::now()).map_err(StatusError::internal)?;
    if let Some(warning) = issued.warning {
        request.warnings.add(warning);
    }
    request.audit.annotate("authentication.kubernetes.io/issued-credential-id", issued.credential);
    let audiences =
        if audiences.is_empty() { request.app.accounts.audiences.clone() } else { audiences };
    let spec = token_request.map_mut("spec");
    spec.set("audiences", Node::list(audiences.into_iter().map(Node::string).collect()));
    spec.set("expirationSeconds", Node::int(issued.seconds));
    let expires = issued.expires.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    token_request.set(
        "status",
        Node::map([
            ("token", Node::string(issued.token)),
            ("expirationTimestamp", Node::string(expires)),
        ]),
    );
    Ok(Reply::json(
        201,
        crate::response::render::whole(token_request, "authentication.k8s.io/v1", "TokenRequest"),
    ))
}

/// Fills in what the request leaves open: the account, and the audiences of the server.
fn fill_in(request: &ResourceRequest<'_>, token_request: &mut Node<'static>, uid: &str) {
    let metadata = token_request.map_mut("metadata");
    metadata.set("name", Node::string(request.path.name.clone()));
    metadata.set("namespace", Node::string(request.path.namespace.clone()));
    metadata.set("uid", Node::string(uid.to_owned()));
    metadata.set("creationTimestamp", Node::string(request.app.now()));
    let spec = token_request.map_mut("spec");
    if spec.get("audiences").is_none_or(|list| list.items().is_empty()) {
        let audiences = request.app.accounts.audiences.iter().cloned();
        spec.set("audiences", Node::list(audiences.map(Node::string).collect()));
    }
}

/// Rejects a request that names another account than the URL.
fn check_name(request: &ResourceRequest<'_>, token_request: &Node<'_>) -> Result<(), StatusError> {
    let (own, stated) = (request.path.name.as_str(), token_request.text_at(&["metadata", "name"]));
    if stated.is_empty() || stated == own {
        return Ok(());
    }
    let quoted = ratchet_net::Quoted(stated);
    let cause = StatusCause {
        reason: "FieldValueInvalid",
        message: format!(
            "Invalid value: {quoted}: must match the service account name if specified"
        ),
        field: "metadata.name".into(),
    };
    Err(StatusError::invalid_object(REQUEST.kind, REQUEST.group, own, vec![cause]))
}

/// Rejects a request for an earlier account of the same name.
fn check_uid(
    request: &ResourceRequest<'_>,
    token_request: &Node<'_>,
    own: &str,
) -> Result<(), StatusError> {
    let stated = token_request.text_at(&["metadata", "uid"]);
    if stated.is_empty() || stated == own {
        return Ok(());
    }
    let about = About { group: REQUEST.group, resource: REQUEST.kind, name: &request.path.name };
    let why = format!(
        "the UID in the token request ({stated}) does not match the UID of the service account ({own})"
    );
    Err(StatusError::conflict(about, &why))
}

fn check_seconds(seconds: i64) -> Result<(), StatusError> {
    let detail = if seconds < 600 {
        "may not specify a duration less than 10 minutes"
    } else if seconds > 1 << 32 {
        "may not specify a duration larger than 2^32 seconds"
    } else {
        return Ok(());
    };
    let cause = StatusCause {
        reason: "FieldValueInvalid",
        message: format!("Invalid value: {seconds}: {detail}"),
        field: "spec.expirationSeconds".into(),
    };
    Err(StatusError::invalid_object("TokenRequest", "authentication.k8s.io", "", vec![cause]))
}

/// The object that a token is bound to.
enum Binding {
    Pod { name: String, uid: String, node: Option<(String, String)> },
    Secret { name: String, uid: String },
    Node { name: String, uid: String },
}

impl Binding {
    fn as_bound(&self) -> Bound<'_> {
        match self {
            Self::Pod { name, uid, node } => Bound::Pod(
                name,
                uid,
                node.as_ref().map(|(name, uid)| (name.as_str(), uid.as_str())),
            ),
            Self::Secret { name, uid } => Bound::Secret(name, uid),
            Self::Node { name, uid } => Bound::Node(name, uid),
        }
    }

    fn find(
        request: &ResourceRequest<'_>,
        token_request: &Node<'_>,
    ) -> Result<Option<Self>, StatusError> {
        let Some(object) = token_request.find(&["spec", "boundObjectRef"]) else { return Ok(None) };
        if object.is_null() {
            return Ok(None);
        }
        let (kind, name) = (object.text_at(&["kind"]), object.text_at(&["name"]).to_owned());
        let (group, version) = group_and_version(object.text_at(&["apiVersion"]));
        let plural = match (group, kind) {
            ("", "Pod") => "pods",
            ("", "Secret") => "secrets",
            ("", "Node") => "nodes",
            _ => {
                return Err(StatusError::bad_request(format!(
                    "cannot bind token to object of type {group}/{version}, Kind={kind}"
                )));
            }
        };
        if name.is_empty() {
            return Err(StatusError::bad_request("Name parameter required."));
        }
        let Some(resource) = request.app.registry.core(plural) else { return Ok(None) };
        let item = resource.cache.find(&resource.cache_key(&request.path.namespace, &name))?;
        let Some(item) = item else { return Err(StatusError::not_found(resource.about(&name))) };
        let node = item.node();
        let account = &request.path.name;
        if kind == "Pod" && node.text_at(&["spec", "serviceAccountName"]) != account {
            return Err(StatusError::bad_request(format!(
                "cannot bind token for serviceaccount \"{account}\" to pod running with different serviceaccount name."
            )));
        }
        let uid = node.text_at(&["metadata", "uid"]).to_owned();
        let requested = object.text_at(&["uid"]);
        if !requested.is_empty() && requested != uid {
            let why = format!(
                "the UID in the bound object reference ({requested}) does not match the UID in record. The object might have been deleted and then recreated"
            );
            return Err(StatusError::conflict(About { group, resource: kind, name: &name }, &why));
        }
        Ok(Some(match kind {
            "Pod" => Self::Pod { node: node_of_pod(request, &node), name, uid },
            "Secret" => Self::Secret { name, uid },
            _ => Self::Node { name, uid },
        }))
    }
}

/// Splits an `apiVersion`; both parts are empty if it has more than one slash.
fn group_and_version(api_version: &str) -> (&str, &str) {
    match api_version.split_once('/') {
        None => ("", api_version),
        Some((_, version)) if version.contains('/') => ("", ""),
        Some(both) => both,
    }
}

/// Name and uid of a pod's node; the uid is empty if the node does not exist.
fn node_of_pod(request: &ResourceRequest<'_>, pod: &Node<'_>) -> Option<(String, String)> {
    let name = pod.text_at(&["spec", "nodeName"]);
    let nodes = request.app.registry.core("nodes").filter(|_| !name.is_empty())?;
    let uid =
        nodes.cache.get(name).map(|node| node.node().text_at(&["metadata", "uid"]).to_owned());
    Some((name.to_owned(), uid.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_token_is_bound_to_has_a_group() {
        assert_eq!(group_and_version("v1"), ("", "v1"));
        assert_eq!(group_and_version("apps/v1"), ("apps", "v1"));
        assert_eq!(group_and_version(""), ("", ""));
        assert_eq!(group_and_version("a/b/c"), ("", ""));
    }
}
