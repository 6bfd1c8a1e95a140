//! Bootstrap tokens `<id>.<secret>`, stored in secrets of `kube-system`.

use crate::bound_object;
use crate::legacy::data;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use jiff::Timestamp;
use ratchet_access::User;
use ratchet_object::ClusterReader;

/// The group of all bootstrap tokens.
const BOOTSTRAPPERS: &str = "system:bootstrappers";

/// The user of the token, if a secret contains it and allows its use.
pub(crate) fn user(token: &str, cluster: &dyn ClusterReader, now: Timestamp) -> Option<User> {
    let (id, secret) = token.split_once('.')?;
    let is_alphanumeric =
        |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if id.len() != 6 || secret.len() != 16 || !is_alphanumeric(id) || !is_alphanumeric(secret) {
        return None;
    }
    let stored = bound_object::secret(cluster, "kube-system", &format!("bootstrap-token-{id}"))?;
    let value = |key: &str| data(&stored, key).unwrap_or_default();
    let is_token = stored.text_at(&["type"]) == "bootstrap.kubernetes.io/token";
    let same = |key: &str, text: &str| {
        verify_slices_are_equal(value(key).as_bytes(), text.as_bytes()).is_ok()
    };
    let is_usable = value("usage-bootstrap-authentication") == "true";
    if !is_token || !same("token-secret", secret) || !same("token-id", id) || !is_usable {
        return None;
    }
    if is_expired(&value("expiration"), now) {
        return None;
    }
    let groups = groups(&value("auth-extra-groups"))?;
    Some(User { name: format!("system:bootstrap:{id}"), groups, ..User::default() })
}

/// An invalid time counts as expired.
fn is_expired(expiration: &str, now: Timestamp) -> bool {
    !expiration.is_empty() && expiration.parse::<Timestamp>().map_or(true, |end| end <= now)
}

/// The group of all bootstrap tokens and those that the secret adds, sorted, without duplicates.
fn groups(extra: &str) -> Option<Vec<String>> {
    let mut groups = vec![BOOTSTRAPPERS.to_owned()];
    for group in extra.split(',').filter(|_| !extra.is_empty()) {
        let name = group.strip_prefix("system:bootstrappers:")?;
        let solid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = name.bytes().all(|byte| solid(byte) || matches!(byte, b':' | b'-'));
        if !fits || name.len() > 256 || !name.bytes().last().is_some_and(solid) {
            return None;
        }
        groups.push(group.into());
    }
    groups.sort_unstable();
    groups.dedup();
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use ratchet_object::{GroupVersionKind, GroupVersionResource, Node, RestMapping};

    struct Secrets(Vec<(&'static str, &'static str)>);

    impl ClusterReader for Secrets {
        fn get(
            &self,
            resource: &GroupVersionResource<'_>,
            namespace: &str,
            name: &str,
        ) -> Option<Node<'static>> {
            let key = (resource.resource, namespace, name);
            if key != ("secrets", "kube-system", "bootstrap-token-abcdef") {
                return None;
            }
            let field = |(key, value): &(&'static str, &str)| {
                (*key, Node::string(BASE64_STANDARD.encode(value)))
            };
            let data = Node::map(self.0.iter().map(field));
            let kind = Node::string("bootstrap.kubernetes.io/token");
            Some(Node::map([("type", kind), ("data", data)]))
        }

        fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
            Vec::new()
        }

        fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
            None
        }
    }

    const TOKEN: &str = "abcdef.0123456789abcdef";

    fn joins(token: &str, changes: &[(&'static str, &'static str)]) -> Option<User> {
        let mut fields = vec![
            ("token-id", "abcdef"),
            ("token-secret", "0123456789abcdef"),
            ("usage-bootstrap-authentication", "true"),
            ("expiration", "2030-01-01T00:00:00Z"),
        ];
        for (key, value) in changes {
            fields.retain(|(own, _)| own != key);
            fields.push((key, value));
        }
        user(token, &Secrets(fields), "2026-01-01T00:00:00Z".parse().expect("a time"))
    }

    #[test]
    fn a_known_token_joins() {
        let user = joins(TOKEN, &[]).expect("joins");
        assert_eq!(user.name, "system:bootstrap:abcdef");
        assert_eq!(user.groups, [BOOTSTRAPPERS]);
        let extra = "system:bootstrappers:b,system:bootstrappers:a:x";
        let user = joins(TOKEN, &[("auth-extra-groups", extra)]).expect("joins");
        assert_eq!(user.groups.len(), 3);
        assert!(joins(TOKEN, &[("expiration", "")]).is_some());
    }

    #[test]
    fn everything_else_does_not() {
        for token in ["abcdef.0123456789abcdee", "abcdeg.0123456789abcdef", "abcdef", "", "a.b"] {
            assert_eq!(joins(token, &[]), None, "{token}");
        }
        for change in [
            ("token-id", "other0"),
            ("usage-bootstrap-authentication", "yes"),
            ("expiration", "2026-01-01T00:00:00Z"),
            ("expiration", "soon"),
            ("auth-extra-groups", "system:masters"),
            ("auth-extra-groups", "system:bootstrappers:"),
            ("auth-extra-groups", "system:bootstrappers:A"),
        ] {
            assert_eq!(joins(TOKEN, &[change]), None, "{change:?}");
        }
    }
}
