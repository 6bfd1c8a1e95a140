//! Questions that are asked like objects: who am I, what may I, whose token is this.

use crate::authorize::Authorizer;
use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::render;
use jiff::Timestamp;
use ratchet_access::{Attempt, Decision, Resource, Rule, Target, User};
use ratchet_engine::StatusCause;
use ratchet_object::{Node, Value};

/// Answers a review.
pub(crate) async fn answer(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let mut review = call.object(options.fields)?;
    let status = match call.served.row.kind {
        "SelfSubjectAccessReview" => access(call, &review, call.user)?,
        "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            access(call, &review, &subject(call, &review)?)?
        }
        "SelfSubjectRulesReview" => rules(call, &review)?,
        "SelfSubjectReview" => Node::map([("userInfo", user_info(call.user))]),
        "TokenReview" => token(call, &review)?,
        _ => return Err(Refusal::method_not_allowed()),
    };
    review.set("status", status);
    if call.served.row.kind == "SelfSubjectReview" {
        review.below("metadata").set("creationTimestamp", Node::string(call.app.now()));
    }
    Ok(Reply::json(201, render::whole(review, &call.served.api_version(), call.served.row.kind)))
}

fn invalid(call: &Call<'_>, field: &str, reason: &'static str, message: &str) -> Refusal {
    let row = call.served.row;
    let cause = StatusCause { reason, message: message.into(), field: field.into() };
    Refusal::invalid_object(row.kind, row.group, "", vec![cause])
}

fn texts(node: Option<&Node<'_>>) -> Vec<String> {
    node.map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::text)
        .map(str::to_owned)
        .collect()
}

/// Whom a review asks about.
fn subject(call: &Call<'_>, review: &Node<'_>) -> Result<User, Refusal> {
    let Some(spec) = review.get("spec") else {
        return Err(invalid(
            call,
            "spec.user",
            "FieldValueRequired",
            "Required value: at least one of user or group must be specified",
        ));
    };
    let groups = texts(spec.get("groups"));
    let name = spec.text_at(&["user"]).to_owned();
    if name.is_empty() && groups.is_empty() {
        let text = "Required value: at least one of user or group must be specified";
        return Err(invalid(call, "spec.user", "FieldValueRequired", text));
    }
    let extra = spec.get("extra").map(Node::entries).unwrap_or_default();
    let extra =
        extra.iter().map(|entry| (entry.key.to_string(), texts(Some(&entry.node)))).collect();
    Ok(User { name, uid: spec.text_at(&["uid"]).to_owned(), groups, extra })
}

fn access(call: &Call<'_>, review: &Node<'_>, user: &User) -> Result<Node<'static>, Refusal> {
    let spec = review.get("spec");
    let resource = spec.and_then(|spec| spec.get("resourceAttributes"));
    let path = spec.and_then(|spec| spec.get("nonResourceAttributes"));
    let attempt = match (resource, path) {
        (Some(_), Some(_)) => {
            let text = "Invalid value: cannot be specified in combination with resourceAttributes";
            return Err(invalid(call, "spec.nonResourceAttributes", "FieldValueInvalid", text));
        }
        (None, None) => {
            let text = "Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified";
            return Err(invalid(call, "spec.resourceAttributes", "FieldValueInvalid", text));
        }
        (Some(node), None) => {
            let namespace = match node.text_at(&["namespace"]) {
                "" if call.served.row.kind == "LocalSubjectAccessReview" => {
                    call.place.namespace.as_str()
                }
                namespace => namespace,
            };
            let target = Target::Resource(Resource {
                group: node.text_at(&["group"]),
                version: node.text_at(&["version"]),
                resource: node.text_at(&["resource"]),
                subresource: node.text_at(&["subresource"]),
                namespace,
                name: node.text_at(&["name"]),
                field_selector: node.text_at(&["fieldSelector", "rawSelector"]),
            });
            Attempt { user, verb: node.text_at(&["verb"]), target }
        }
        (None, Some(node)) => Attempt {
            user,
            verb: node.text_at(&["verb"]),
            target: Target::Path(node.text_at(&["path"])),
        },
    };
    Ok(decision(&call.app.authorizer, &attempt))
}

fn decision(authorizer: &Authorizer, attempt: &Attempt<'_>) -> Node<'static> {
    let decision = authorizer.decide(attempt);
    let mut status = Node::map([("allowed", Node::bool(decision.is_allowed()))]);
    if matches!(decision, Decision::Deny { .. }) {
        status.set("denied", Node::bool(true));
    }
    if !decision.reason().is_empty() {
        status.set("reason", Node::string(decision.reason().to_owned()));
    }
    status
}

fn rules(call: &Call<'_>, review: &Node<'_>) -> Result<Node<'static>, Refusal> {
    let namespace = review.text_at(&["spec", "namespace"]);
    if namespace.is_empty() {
        return Err(Refusal::bad_request("no namespace on request"));
    }
    let book = call.app.authorizer.book();
    let mut found = book.rules.rules_for(call.user, namespace);
    // Who may do everything as one of the masters is not asked; a role says the same.
    if !call.app.authorizer.has_rbac() {
        let all = || vec!["*".to_owned()];
        found.rules.push(Rule {
            verbs: all(),
            groups: all(),
            resources: all(),
            names: Vec::new(),
            urls: Vec::new(),
        });
        found.rules.push(Rule {
            verbs: all(),
            groups: Vec::new(),
            resources: Vec::new(),
            names: Vec::new(),
            urls: all(),
        });
    }
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
        ("resourceRules", Node::list(found.resource_rules().map(resource).collect())),
        ("nonResourceRules", Node::list(found.path_rules().map(path).collect())),
        ("incomplete", Node::bool(!found.errors.is_empty())),
    ]);
    if !found.errors.is_empty() {
        status.set("evaluationError", Node::string(found.errors.clone()));
    }
    Ok(status)
}

fn user_info(user: &User) -> Node<'static> {
    let list = |texts: &[String]| Node::list(texts.iter().cloned().map(Node::string).collect());
    let mut info = Node::map([("username", Node::string(user.name.clone()))]);
    if !user.uid.is_empty() {
        info.set("uid", Node::string(user.uid.clone()));
    }
    info.set("groups", list(&user.groups));
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(name, values)| (name.clone(), list(values)));
        info.set("extra", Node::map(extra));
    }
    info
}

fn token(call: &Call<'_>, review: &Node<'_>) -> Result<Node<'static>, Refusal> {
    let token = review.text_at(&["spec", "token"]);
    if token.is_empty() {
        return Err(Refusal::bad_request("token is required for TokenReview in authentication"));
    }
    let audiences = texts(review.find(&["spec", "audiences"]));
    Ok(match call.app.identity.review(token, &audiences, Timestamp::now()) {
        Ok(reviewed) => {
            let mut status = Node::map([
                ("authenticated", Node::bool(true)),
                ("user", user_info(&reviewed.user)),
            ]);
            if !reviewed.audiences.is_empty() {
                let list = reviewed.audiences.into_iter().map(Node::string).collect();
                status.set("audiences", Node::list(list));
            }
            status
        }
        Err(why) => {
            let mut status = Node::map([("user", Node::empty_map())]);
            status.set("error", Node::new(Value::Text(why.into())));
            status
        }
    })
}
