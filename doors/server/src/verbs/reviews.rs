//! Review resources: access reviews, rules reviews, self subject reviews and token reviews.

mod access;
mod fields;
mod selectors;

use crate::admission::Chain;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::options::{OptionsKind, WriteOptions};
use crate::response::render;
use crate::status::StatusError;
use crate::verbs::write::set_namespace;
use fields::texts;
use jiff::Timestamp;
use ratchet_access::{Rule, User};
use ratchet_identity::TokenUsage;
use ratchet_object::{Node, Value};

/// System metadata fields, which are dropped from a review.
const SYSTEM: [&str; 6] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "managedFields",
    "selfLink",
    "uid",
];

/// Handles the creation of a review.
pub(crate) async fn answer(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = WriteOptions::from_params(request.params, OptionsKind::Create)?;
    let mut review = request.object(options.fields)?;
    let metadata = review.map_mut("metadata");
    SYSTEM.iter().for_each(|name| drop(metadata.remove(name)));
    set_namespace(request, &mut review)?;
    let (chain, kind) = (Chain::of(request.app), request.resource.row().gvk());
    chain.admit_body(request, kind, &mut review).await?;
    let admitted = review.clone();
    let status = match request.resource.row().kind {
        "SelfSubjectAccessReview" | "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            access::answer(request, &review)?
        }
        "SelfSubjectRulesReview" => {
            let status = rules(request, &review)?;
            // The response contains the status only.
            review.set("metadata", Node::empty_map());
            review.set("spec", Node::empty_map());
            status
        }
        "SelfSubjectReview" => {
            let created = Node::string(request.app.now());
            review.set("metadata", Node::map([("creationTimestamp", created)]));
            Node::map([("userInfo", user_info(request.user))])
        }
        "TokenReview" => review_token(request, &review).await?,
        _ => return Err(StatusError::method_not_allowed()),
    };
    chain.validate_body(request, kind, &admitted).await?;
    review.set("status", status);
    Ok(Reply::json(
        201,
        render::whole(review, &request.resource.api_version(), request.resource.row().kind),
    ))
}

fn rules(request: &ResourceRequest<'_>, review: &Node<'_>) -> Result<Node<'static>, StatusError> {
    let namespace = review.text_at(&["spec", "namespace"]);
    if namespace.is_empty() {
        return Err(StatusError::bad_request("no namespace on request"));
    }
    let found = request.app.authorizer.rules_for(request.user, namespace);
    let list = |texts: &[String]| Node::list(texts.iter().cloned().map(Node::string).collect());
    let resource = |rule: &Rule| {
        let mut node = Node::map([
            ("verbs", list(&rule.verbs)),
            ("apiGroups", list(&rule.groups)),
            ("resources", list(&rule.resources)),
        ]);
        if !rule.names.is_empty() {
            node.set("resourceNames", list(&rule.names));
        }
        node
    };
    let path = |rule: &Rule| {
        Node::map([("verbs", list(&rule.verbs)), ("nonResourceURLs", list(&rule.urls))])
    };
    let mut status = Node::map([
        ("resourceRules", Node::list(found.rules.resource_rules().map(resource).collect())),
        ("nonResourceRules", Node::list(found.rules.path_rules().map(path).collect())),
        ("incomplete", Node::bool(found.incomplete)),
    ]);
    if !found.rules.missing.is_empty() {
        status.set("evaluationError", Node::string(found.rules.errors()));
    }
    Ok(status)
}

fn user_info(user: &User) -> Node<'static> {
    let list = |texts: &[String]| Node::list(texts.iter().cloned().map(Node::string).collect());
    let mut info = Node::map([("username", Node::string(user.name.clone()))]);
    if !user.uid.is_empty() {
        info.set("uid", Node::string(user.uid.clone()));
    }
    if !user.groups.is_empty() {
        info.set("groups", list(&user.groups));
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(name, values)| (name.clone(), list(values)));
        info.set("extra", Node::map(extra));
    }
    info
}

async fn review_token(
    request: &ResourceRequest<'_>,
    review: &Node<'_>,
) -> Result<Node<'static>, StatusError> {
    let token = review.text_at(&["spec", "token"]);
    if token.is_empty() {
        return Err(StatusError::bad_request(
            "token is required for TokenReview in authentication",
        ));
    }
    let mut status = Node::map([("user", Node::empty_map())]);
    // As in an `Authorization` header, a space ends the token.
    let token = token.split(' ').next().unwrap_or_default();
    if token.is_empty() {
        return Ok(status);
    }
    let audiences = texts(review.find(&["spec", "audiences"]));
    let mut usage = TokenUsage::default();
    let reviewed = request.app.identity.review(token, &audiences, Timestamp::now(), &mut usage);
    // The requester is not the owner of the token: no warnings and annotations.
    request.app.compute.wait(request.app.tokens.record(usage, None)).await;
    match reviewed {
        Ok(reviewed) => {
            status.set("authenticated", Node::bool(true));
            status.set("user", user_info(&reviewed.user));
            if !reviewed.audiences.is_empty() {
                let list = reviewed.audiences.into_iter().map(Node::string).collect();
                status.set("audiences", Node::list(list));
            }
        }
        Err(why) => status.set("error", Node::new(Value::Text(why.into()))),
    }
    Ok(status)
}
