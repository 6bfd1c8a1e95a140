//! `token`: a service account's credential for a while.

use crate::body::Wanted;
use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
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
    let account = call.current().await?.node();
    crate::admission::on_part(call, &request)?;
    let seconds =
        request.find(&["spec", "expirationSeconds"]).and_then(Node::as_int).unwrap_or(3600);
    check_seconds(seconds)?;
    crate::admission::on_sent(call, REQUEST.name(), &request)?;
    let binding = Binding::find(call, &request)?;
    let asked = request.find(&["spec", "audiences"]).map(Node::items).unwrap_or_default();
    let audiences: Vec<String> = asked.iter().filter_map(Node::text).map(str::to_owned).collect();
    let (namespace, name) = (call.place.namespace.as_str(), call.place.name.as_str());
    let wish = Issuing {
        account: Account { namespace, name, uid: account.text_at(&["metadata", "uid"]) },
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
        let (kind, name) = (object.text_at(&["kind"]), object.text_at(&["name"]).to_owned());
        let plural = match kind {
            "Pod" => "pods",
            "Secret" => "secrets",
            "Node" => "nodes",
            other => {
                let account = &call.place.name;
                return Err(Refusal::bad_request(format!(
                    "cannot bind token for serviceaccount \"{account}\" to object of type {other}"
                )));
            }
        };
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
            return Err(Refusal::conflict(served.about(&name), &why));
        }
        Ok(Some(match kind {
            "Pod" => Self::Pod { node: host(call, &node), name, uid },
            "Secret" => Self::Secret { name, uid },
            _ => Self::Node { name, uid },
        }))
    }
}

/// The node on which a pod runs.
fn host(call: &Call<'_>, pod: &Node<'_>) -> Option<(String, String)> {
    let name = pod.text_at(&["spec", "nodeName"]);
    let node = call.app.registry.core("nodes")?.shelf.get(name)?.node();
    Some((name.to_owned(), node.text_at(&["metadata", "uid"]).to_owned()))
}
