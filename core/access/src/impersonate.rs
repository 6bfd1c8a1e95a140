//! Impersonation: the authorization checks it requires, and the resulting user.

use crate::user::{is_subdomain, split_node, split_service_account};
use crate::{
    ANONYMOUS, AUTHENTICATED, Attributes, Decision, MASTERS, NODES, Resource, Target,
    UNAUTHENTICATED, User, forbidden_message, service_account_groups,
};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_net::Quoted;

/// The API group of users and related resources.
const AUTHENTICATION: &str = "authentication.k8s.io";
/// The extra with the node of a service account's pod.
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";
/// From so many values on, one check of all of them comes first.
const MANY: usize = 4;

/// The result of an impersonation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonated {
    /// The impersonated user.
    pub user: User,
    /// The verb that allowed it, for the audit log; empty for plain `impersonate`.
    pub constraint: String,
}

/// A refused impersonation, as the Status of the 403 describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The full message.
    pub message: String,
    /// The group of the refused resource.
    pub group: String,
    /// The refused resource, which is the Status's kind; empty for a path.
    pub resource: String,
    /// The refused name.
    pub name: String,
}

/// The authorizers of the server.
type Authorize<'f> = &'f dyn Fn(&Attributes<'_>) -> Decision;

/// A mode of constrained impersonation. All are tried in turn, the narrow ones first; the first refusal is
/// the one that is reported.
struct Mode {
    /// The name in `impersonate:<name>` and `impersonate-on:<name>:<verb>`.
    name: &'static str,
    applies: fn(&User, &User) -> bool,
}

const MODES: [Mode; 4] = [
    Mode { name: "associated-node", applies: is_own_node },
    Mode {
        name: "arbitrary-node",
        applies: |impersonated, _| is_bare(impersonated) && is_node(impersonated),
    },
    Mode {
        name: "serviceaccount",
        applies: |impersonated, _| is_bare(impersonated) && is_account(impersonated),
    },
    Mode {
        name: "user-info",
        applies: |impersonated, _| !is_node(impersonated) && !is_account(impersonated),
    },
];

/// The user that `attributes`'s user becomes by impersonating `impersonated`, if the authorizers allow it.
pub fn impersonate(
    impersonated: &User,
    attributes: &Attributes<'_>,
    authorize: Authorize<'_>,
) -> Result<Impersonated, Forbidden> {
    let mut first = None;
    for mode in MODES.iter().filter(|mode| (mode.applies)(impersonated, attributes.user)) {
        match mode.check(impersonated, attributes, authorize) {
            Ok(user) => {
                return Ok(Impersonated { user, constraint: format!("impersonate:{}", mode.name) });
            }
            Err(forbidden) => first = first.or(Some(forbidden)),
        }
    }
    let plain = Checks { requester: attributes.user, verb: "impersonate", mode: "", authorize };
    match plain.run(impersonated) {
        Ok(user) => Ok(Impersonated { user, constraint: String::new() }),
        Err(forbidden) => Err(first.unwrap_or(forbidden)),
    }
}

impl Mode {
    fn check(
        &self,
        impersonated: &User,
        attributes: &Attributes<'_>,
        authorize: Authorize<'_>,
    ) -> Result<User, Forbidden> {
        let on = format!("impersonate-on:{}:{}", self.name, attributes.verb);
        let requester = self.requester(attributes.user);
        let request = Attributes { user: &requester, verb: &on, target: attributes.target };
        require(&request, authorize)?;
        let verb = format!("impersonate:{}", self.name);
        Checks { requester: &requester, verb: &verb, mode: self.name, authorize }.run(impersonated)
    }

    /// The requester as the authorizers see it. For a service account that impersonates its own node only the keys of
    /// its extras are kept: the decision must be the same on every node.
    fn requester(&self, user: &User) -> User {
        if self.name != "associated-node" {
            return user.clone();
        }
        let mut keys: Vec<String> = user.extra.iter().map(|(key, _)| key.clone()).collect();
        keys.sort_unstable();
        let extra = vec![("authentication.kubernetes.io/associated-node-keys".to_owned(), keys)];
        User { extra, ..user.clone() }
    }
}

fn is_bare(impersonated: &User) -> bool {
    impersonated.uid.is_empty() && impersonated.groups.is_empty() && impersonated.extra.is_empty()
}

fn is_node(impersonated: &User) -> bool {
    split_node(&impersonated.name).is_some()
}

fn is_account(impersonated: &User) -> bool {
    split_service_account(&impersonated.name).is_some()
}

/// Whether a service account impersonates the node on which its pod runs.
fn is_own_node(impersonated: &User, requester: &User) -> bool {
    let node = split_node(&impersonated.name);
    is_bare(impersonated)
        && node.is_some()
        && is_account(requester)
        && requester.extra_value(NODE_NAME) == node
}

/// The checks of one mode, for each part of the impersonated user.
struct Checks<'a> {
    requester: &'a User,
    verb: &'a str,
    /// Empty for plain `impersonate`, which is looser and uses the core group for names and groups.
    mode: &'static str,
    authorize: Authorize<'a>,
}

impl Checks<'_> {
    fn run(&self, impersonated: &User) -> Result<User, Forbidden> {
        let mut user = impersonated.clone();
        self.name(impersonated, &mut user)?;
        if !impersonated.uid.is_empty() {
            self.try_on(AUTHENTICATION, "uids", "", &impersonated.uid)?;
        }
        self.groups(impersonated)?;
        self.extra(impersonated)?;
        let group = if user.name == ANONYMOUS { UNAUTHENTICATED } else { AUTHENTICATED };
        if !user.is_in(UNAUTHENTICATED) && !user.is_in(group) {
            user.groups.push(group.into());
        }
        Ok(user)
    }

    fn is_plain(&self) -> bool {
        self.mode.is_empty()
    }

    /// The API group of the resources `users`, `groups`, `nodes` and `serviceaccounts`.
    fn people(&self) -> &'static str {
        if self.is_plain() { "" } else { AUTHENTICATION }
    }

    fn name(&self, impersonated: &User, user: &mut User) -> Result<(), Forbidden> {
        if let Some((namespace, name)) = split_service_account(&impersonated.name) {
            if impersonated.groups.is_empty() {
                user.groups = service_account_groups(namespace);
            }
            let rest = Resource { group: self.people(), namespace, name, ..Resource::default() };
            return self.require(Resource { resource: "serviceaccounts", ..rest });
        }
        match split_node(&impersonated.name) {
            Some(node) if !self.is_plain() => {
                user.groups = vec![NODES.into()];
                let name = if self.mode == "associated-node" { "*" } else { node };
                self.try_on(self.people(), "nodes", "", name)
            }
            _ => self.try_on(self.people(), "users", "", &impersonated.name),
        }
    }

    fn groups(&self, impersonated: &User) -> Result<(), Forbidden> {
        let groups = &impersonated.groups;
        let has = |group: &str| groups.iter().any(|own| own == group);
        if !self.is_plain() {
            let refuse = |name, reason| self.refuse("groups", self.people(), name, reason);
            if has("") {
                return Err(refuse("", "impersonating the empty string group is not allowed"));
            }
            if has(MASTERS) {
                let reason = "impersonating the system:masters group is not allowed";
                return Err(refuse(MASTERS, reason));
            }
            if groups.len() >= MANY && self.try_on(self.people(), "groups", "", "*").is_ok() {
                return Ok(());
            }
        }
        groups.iter().try_for_each(|group| self.try_on(self.people(), "groups", "", group))
    }

    fn extra(&self, impersonated: &User) -> Result<(), Forbidden> {
        if !self.is_plain() {
            if let Some(reason) = impersonated.extra.iter().find_map(extra_error) {
                return Err(self.refuse("userextras", AUTHENTICATION, "", &reason));
            }
            let values: usize = impersonated.extra.iter().map(|(_, values)| values.len()).sum();
            let many = impersonated.extra.len() >= MANY || values >= MANY;
            if many && self.try_on(AUTHENTICATION, "userextras", "*", "*").is_ok() {
                return Ok(());
            }
        }
        for (key, values) in &impersonated.extra {
            for value in values {
                self.try_on(AUTHENTICATION, "userextras", key, value)?;
            }
        }
        Ok(())
    }

    fn try_on(
        &self,
        group: &str,
        resource: &str,
        subresource: &str,
        name: &str,
    ) -> Result<(), Forbidden> {
        self.require(Resource { group, resource, subresource, name, ..Resource::default() })
    }

    fn require(&self, target: Resource<'_>) -> Result<(), Forbidden> {
        require(&self.attributes(target), self.authorize)
    }

    fn refuse(&self, resource: &str, group: &str, name: &str, reason: &str) -> Forbidden {
        let target = Resource { group, resource, name, ..Resource::default() };
        forbidden(&self.attributes(target), reason)
    }

    fn attributes<'a>(&'a self, target: Resource<'a>) -> Attributes<'a> {
        let target = Target::Resource(Resource { version: "v1", ..target });
        Attributes { user: self.requester, verb: self.verb, target }
    }
}

/// The error of an invalid extra, if it is invalid.
fn extra_error((key, values): &(String, Vec<String>)) -> Option<String> {
    let reason = if key.is_empty() {
        "impersonating the empty string key in extra is not allowed".into()
    } else if let Some(error) = key_error(key) {
        format!(
            "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: {error}"
        )
    } else if *key != key.to_lowercase() {
        let key = Quoted(key);
        format!("impersonating a non-lowercase key in extra is not allowed: {key}")
    } else if values.is_empty() {
        "impersonating empty values in extra is not allowed".into()
    } else if values.iter().any(String::is_empty) {
        "impersonating the empty string value in extra is not allowed".into()
    } else {
        return None;
    };
    Some(reason)
}

/// The error of a key that is not a domain-prefixed path.
fn key_error(key: &str) -> Option<String> {
    const PATH: &str = r"A-Za-z0-9/\-._~%!$&'()*+,;=:";
    let parts = key.split_once('/').filter(|(host, path)| !host.is_empty() && !path.is_empty());
    let Some((host, path)) = parts else {
        let reason = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        return Some(format!("{}: {reason}", Quoted(key)));
    };
    if !is_subdomain(host) {
        return Some(format!("{}: {NO_SUBDOMAIN}", Quoted(host)));
    }
    let fits =
        |letter: char| letter != '\\' && (letter.is_ascii_alphanumeric() || PATH.contains(letter));
    let reason = format!("Invalid path (regex used for validation is '[{PATH}]+')");
    (!path.chars().all(fits)).then(|| format!("{}: {reason}", Quoted(path)))
}

/// The error of a host that is not a DNS subdomain.
const NO_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn require(attributes: &Attributes<'_>, authorize: Authorize<'_>) -> Result<(), Forbidden> {
    match authorize(attributes) {
        Decision::Allow { .. } => Ok(()),
        Decision::NoOpinion { reason } | Decision::Deny { reason } => {
            Err(forbidden(attributes, &reason))
        }
    }
}

fn forbidden(attributes: &Attributes<'_>, reason: &str) -> Forbidden {
    let message = forbidden_message(attributes, reason);
    let target = attributes.resource().copied().unwrap_or_default();
    let owned = |text: &str| text.to_owned();
    Forbidden {
        message,
        group: owned(target.group),
        resource: owned(target.resource),
        name: owned(target.name),
    }
}

#[cfg(test)]
mod tests;
