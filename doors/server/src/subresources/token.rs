//! `token`: a service account's credential for a while.

use crate::body::Wanted;
use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::{About, Refusal};
use crate::write::named;
use jiff::Timestamp;
use ratchet_engine::StatusCause;
use ratchet_identity::{Account, Bound, Issuing};
use ratchet_object::{Node, defaults};

const REQUEST: Wanted<'static> =
    Wanted { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

/// Issues a token.
pub(super) async fn create(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let mut request = call.object_of(REQUEST, options.fields)?;
    defaults::apply(REQUEST.group, REQUEST.version, REQUEST.kind, &mut request);
    named(call, &mut request)?;
    crate::admission::on_part(call, &request)?;
    check_name(call, &request)?;
    let account = call.current().await?.node();
    let uid = account.text_at(&["metadata", "uid"]);
    check_uid(call, &request, uid)?;
    request.remove("status");
    let seconds =
        request.find(&["spec", "expirationSeconds"]).and_then(Node::as_int).unwrap_or(3600);
    check_seconds(seconds)?;
    crate::admission::on_sent(call, REQUEST.name(), &request).await?;
    let binding = Binding::find(call, &request)?;
    let asked = request.find(&["spec", "audiences"]).map(Node::items).unwrap_or_default();
    let audiences: Vec<String> = asked.iter().filter_map(Node::text).map(str::to_owned).collect();
    let (namespace, name) = (call.place.namespace.as_str(), call.place.name.as_str());
    let wish = Issuing {
        account: Account { namespace, name, uid },
        bound: binding.as_ref().map(Binding::as_bound),
        audiences: &audiences,
        seconds,
    };
    let issued = call.app.accounts.issue(&wish, Timestamp::now()).map_err(Refusal::internal)?;
    if let Some(warning) = issued.warning {
        call.told.warn(warning);
    }
    call.told.annotate("authentication.kubernetes.io/issued-credential-id", issued.credential);
    let audiences =
        if audiences.is_empty() { call.app.accounts.audiences.clone() } else { audiences };
    let metadata = request.below("metadata");
    metadata.set("name", Node::string(name.to_owned()));
    metadata.set("namespace", Node::string(namespace.to_owned()));
    metadata.set("uid", Node::string(uid.to_owned()));
    metadata.set("creationTimestamp", Node::string(call.app.now()));
    let spec = request.below("spec");
    spec.set("audiences", Node::list(audiences.into_iter().map(Node::string).collect()));
    spec.set("expirationSeconds", Node::int(issued.seconds));
    let expires = issued.expires.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    request.set(
        "status",
        Node::map([
            ("token", Node::string(issued.token)),
            ("expirationTimestamp", Node::string(expires)),
        ]),
    );
    Ok(Reply::json(201, crate::render::whole(request, "authentication.k8s.io/v1", "TokenRequest")))
}

/// Refuses a request that names another account than its URL.
fn check_name(call: &Call<'_>, request: &Node<'_>) -> Result<(), Refusal> {
    let (own, said) = (call.place.name.as_str(), request.text_at(&["metadata", "name"]));
    if said.is_empty() || said == own {
        return Ok(());
    }
    let shown = ratchet_net::Quoted(said);
    let cause = StatusCause {
        reason: "FieldValueInvalid",
        message: format!(
            "Invalid value: {shown}: must match the service account name if specified"
        ),
        field: "metadata.name".into(),
    };
    Err(Refusal::invalid_object(REQUEST.kind, REQUEST.group, own, vec![cause]))
}

/// Refuses a request that means an account that was there before this one.
fn check_uid(call: &Call<'_>, request: &Node<'_>, own: &str) -> Result<(), Refusal> {
    let said = request.text_at(&["metadata", "uid"]);
    if said.is_empty() || said == own {
        return Ok(());
    }
    let about = About { group: REQUEST.group, resource: REQUEST.kind, name: &call.place.name };
    let why = format!(
        "the UID in the token request ({said}) does not match the UID of the service account ({own})"
    );
    Err(Refusal::conflict(about, &why))
}

fn check_seconds(seconds: i64) -> Result<(), Refusal> {
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
    Err(Refusal::invalid_object("TokenRequest", "authentication.k8s.io", "", vec![cause]))
}

/// The object that a token lives and dies with.
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

    fn find(call: &Call<'_>, request: &Node<'_>) -> Result<Option<Self>, Refusal> {
        let Some(object) = request.find(&["spec", "boundObjectRef"]) else { return Ok(None) };
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
                return Err(Refusal::bad_request(format!(
                    "cannot bind token to object of type {group}/{version}, Kind={kind}"
                )));
            }
        };
        if name.is_empty() {
            return Err(Refusal::bad_request("Name parameter required."));
        }
        let Some(served) = call.app.registry.core(plural) else { return Ok(None) };
        let item = served.shelf.find(&served.shelf_key(&call.place.namespace, &name))?;
        let Some(item) = item else { return Err(Refusal::not_found(served.about(&name))) };
        let node = item.node();
        let account = &call.place.name;
        if kind == "Pod" && node.text_at(&["spec", "serviceAccountName"]) != account {
            return Err(Refusal::bad_request(format!(
                "cannot bind token for serviceaccount \"{account}\" to pod running with different serviceaccount name."
            )));
        }
        let uid = node.text_at(&["metadata", "uid"]).to_owned();
        let asked = object.text_at(&["uid"]);
        if !asked.is_empty() && asked != uid {
            let why = format!(
                "the UID in the bound object reference ({asked}) does not match the UID in record. The object might have been deleted and then recreated"
            );
            return Err(Refusal::conflict(About { group, resource: kind, name: &name }, &why));
        }
        Ok(Some(match kind {
            "Pod" => Self::Pod { node: host(call, &node), name, uid },
            "Secret" => Self::Secret { name, uid },
            _ => Self::Node { name, uid },
        }))
    }
}

/// The parts of an API version; neither, if it has more than two.
fn group_and_version(api_version: &str) -> (&str, &str) {
    match api_version.split_once('/') {
        None => ("", api_version),
        Some((_, version)) if version.contains('/') => ("", ""),
        Some(both) => both,
    }
}

/// The node on which a pod runs; one that is not there has a name all the same.
fn host(call: &Call<'_>, pod: &Node<'_>) -> Option<(String, String)> {
    let name = pod.text_at(&["spec", "nodeName"]);
    let nodes = call.app.registry.core("nodes").filter(|_| !name.is_empty())?;
    let uid =
        nodes.shelf.get(name).map(|node| node.node().text_at(&["metadata", "uid"]).to_owned());
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
