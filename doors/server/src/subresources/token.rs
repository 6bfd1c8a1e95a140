//! `token`: a service account's credential for a while.

use crate::body::Wanted;
use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use ratchet_engine::StatusCause;
use ratchet_identity::Bound;
use ratchet_object::{Node, defaults};

const REQUEST: Wanted<'static> =
    Wanted { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

/// Issues a token.
pub async fn create(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let received = call.object_of(REQUEST, options.fields)?;
    for warning in received.warnings {
        call.told.warn(warning);
    }
    let mut request = received.node;
    defaults::apply(REQUEST.group, REQUEST.version, REQUEST.kind, &mut request);
    let account = call.current().await?.node();
    let seconds = request.find(&["spec", "expirationSeconds"]).and_then(Node::as_int).unwrap_or(3600);
    check_seconds(seconds)?;
    let bound = bound(call, &request)?;
    let asked = request.find(&["spec", "audiences"]).map(Node::items).unwrap_or_default();
    let audiences: Vec<String> = asked.iter().filter_map(Node::text).map(str::to_owned).collect();
    let audiences = if audiences.is_empty() { call.app.identity.audiences().to_vec() } else { audiences };
    let (namespace, name) = (call.place.namespace.as_str(), call.place.name.as_str());
    let uid = account.text_at(&["metadata", "uid"]);
    let issued = call.app.identity.issue(namespace, name, uid, bound.as_ref(), &audiences, seconds, call.app.seconds());
    let (token, expires) = issued.map_err(Refusal::internal)?;
    let metadata = request.below("metadata");
    metadata.set("name", Node::string(name.to_owned()));
    metadata.set("namespace", Node::string(namespace.to_owned()));
    metadata.set("creationTimestamp", Node::string(call.app.now()));
    let spec = request.below("spec");
    spec.set("audiences", Node::list(audiences.into_iter().map(Node::string).collect()));
    spec.set("expirationSeconds", Node::int(seconds));
    let expires = call.app.now_plus(expires - call.app.seconds());
    request.set(
        "status",
        Node::map([("token", Node::string(token)), ("expirationTimestamp", Node::string(expires))]),
    );
    Ok(Reply::json(201, crate::render::whole(request, "authentication.k8s.io/v1", "TokenRequest")))
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

/// The object that the token lives and dies with.
fn bound(call: &Call<'_>, request: &Node<'_>) -> Result<Option<Bound>, Refusal> {
    let Some(object) = request.find(&["spec", "boundObjectRef"]) else { return Ok(None) };
    let (kind, name, uid) = (object.text_at(&["kind"]), object.text_at(&["name"]), object.text_at(&["uid"]));
    let plural = match kind {
        "Pod" => "pods",
        "Secret" => "secrets",
        "Node" => "nodes",
        other => {
            return Err(Refusal::bad_request(format!(
                "cannot bind token for serviceaccount \"{}\" to object of type {other}",
                call.place.name
            )));
        }
    };
    let Some(served) = call.app.registry.core(plural) else { return Ok(None) };
    let item = served.shelf.get(&served.shelf_key(&call.place.namespace, name));
    let Some(item) = item else { return Err(Refusal::not_found(served.about(name))) };
    let node = item.node();
    let stored = node.text_at(&["metadata", "uid"]);
    if !uid.is_empty() && uid != stored {
        let why = format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(Refusal::conflict(served.about(name), &why));
    }
    let node_name = node.text_at(&["spec", "nodeName"]);
    let host = call.app.registry.core("nodes").and_then(|nodes| nodes.shelf.get(node_name));
    let host_uid = host.map(|item| item.node().text_at(&["metadata", "uid"]).to_owned());
    Ok(Some(Bound {
        kind: kind.to_owned(),
        name: name.to_owned(),
        uid: stored.to_owned(),
        node: host_uid.map(|uid| (node_name.to_owned(), uid)),
    }))
}
