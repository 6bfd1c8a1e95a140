//! Users: name, groups, and extras from the authenticator.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The group that may do everything, before any rule is evaluated.
pub const MASTERS: &str = "system:masters";
/// The group of all authenticated users.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of all unauthenticated users.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The name of unauthenticated users.
pub const ANONYMOUS: &str = "system:anonymous";
/// The group of all nodes.
pub const NODES: &str = "system:nodes";
/// The group of all service accounts.
pub const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";

/// The prefix of service accounts' user names, before `<namespace>:<name>`.
const ACCOUNT_PREFIX: &str = "system:serviceaccount:";
/// The prefix of nodes' user names.
const NODE_PREFIX: &str = "system:node:";

/// The user of a request (`user.Info`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user name.
    pub name: String,
    /// A unique id, which differs when a name is reused; often empty.
    pub uid: String,
    /// The groups, in the authenticator's order.
    pub groups: Vec<String>,
    /// Further attributes from the authenticator, for audit and webhooks.
    pub extra: Vec<(String, Vec<String>)>,
}

impl User {
    /// The unauthenticated user.
    pub fn anonymous() -> Self {
        let groups = vec![UNAUTHENTICATED.to_owned()];
        Self { name: ANONYMOUS.into(), groups, ..Self::default() }
    }

    /// The service account `name` of `namespace`, with the groups of all service accounts.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        let name = format!("{ACCOUNT_PREFIX}{namespace}:{name}");
        Self { name, groups: service_account_groups(namespace), ..Self::default() }
    }

    /// Whether the user is in `group`.
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|own| own == group)
    }

    /// The only value of the extra `key`; none if there is no value, or several.
    pub fn extra_value(&self, key: &str) -> Option<&str> {
        let (_, values) = self.extra.iter().find(|(own, _)| own == key)?;
        match values.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Adds the group of all authenticated users, unless the groups already include it or its opposite.
    pub fn add_authenticated_group(&mut self) {
        let has_either_group = self.is_in(AUTHENTICATED) || self.is_in(UNAUTHENTICATED);
        if self.name != ANONYMOUS && !has_either_group {
            self.groups.push(AUTHENTICATED.into());
        }
    }
}

/// Whether the user may do everything: no rule and no escalation check applies.
pub fn is_superuser(user: &User) -> bool {
    user.is_in(MASTERS)
}

/// The groups of every service account of `namespace`.
pub fn service_account_groups(namespace: &str) -> Vec<String> {
    vec![SERVICE_ACCOUNTS.into(), format!("{SERVICE_ACCOUNTS}:{namespace}")]
}

/// The namespace and name of the service account with this user name.
pub fn split_service_account(name: &str) -> Option<(&str, &str)> {
    let (namespace, name) = name.strip_prefix(ACCOUNT_PREFIX)?.split_once(':')?;
    (is_label(namespace) && is_subdomain(name)).then_some((namespace, name))
}

/// The name of the node with this user name, if it is valid.
pub fn split_node(name: &str) -> Option<&str> {
    name.strip_prefix(NODE_PREFIX).filter(|name| is_subdomain(name))
}

/// Whether this is the user name of the service account `name` of `namespace`.
pub(crate) fn is_service_account(user: &str, namespace: &str, name: &str) -> bool {
    let rest = user.strip_prefix(ACCOUNT_PREFIX).and_then(|rest| rest.strip_prefix(namespace));
    rest.and_then(|rest| rest.strip_prefix(':')) == Some(name)
}

/// Whether a text is a DNS label, as a namespace must be.
fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_part(text)
}

/// Whether a text is a DNS subdomain with labels of any length, as service accounts and nodes must be.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_part)
}

/// Whether a text has lower case letters and digits, with dashes between them.
fn is_part(text: &str) -> bool {
    let solid = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| solid(byte) || *byte == b'-')
        && bytes.first().is_some_and(solid)
        && bytes.last().is_some_and(solid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_service_accounts_are_taken_apart() {
        let cases = [
            ("system:serviceaccount:kube-system:default", Some(("kube-system", "default"))),
            ("system:serviceaccount:a:b.c", Some(("a", "b.c"))),
            ("system:serviceaccount:a:b:c", None),
            ("system:serviceaccount:a.b:c", None),
            ("system:serviceaccount::c", None),
            ("system:serviceaccount:a:", None),
            ("system:serviceaccount:A:b", None),
            ("alice", None),
        ];
        for (name, parts) in cases {
            assert_eq!(split_service_account(name), parts, "{name}");
        }
    }

    #[test]
    fn nodes_are_known_by_their_names() {
        assert_eq!(split_node("system:node:n1.example"), Some("n1.example"));
        assert_eq!(split_node("system:node:N1"), None);
        assert_eq!(split_node("system:node:"), None);
        assert_eq!(split_node("n1"), None);
    }

    #[test]
    fn everyone_who_proved_something_is_authenticated() {
        let groups = |user: &User| user.groups.clone();
        let mut user = User { name: "a".into(), ..User::default() };
        user.add_authenticated_group();
        user.add_authenticated_group();
        assert_eq!(groups(&user), [AUTHENTICATED]);
        let mut user = User::anonymous();
        user.add_authenticated_group();
        assert_eq!(groups(&user), [UNAUTHENTICATED]);
    }

    #[test]
    fn only_masters_are_superusers() {
        let mut user = User::service_account("a", "b");
        assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:a"]);
        assert!(!is_superuser(&user));
        user.groups.push(MASTERS.into());
        assert!(is_superuser(&user));
    }
}
