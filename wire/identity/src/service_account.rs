//! Service accounts: their tokens are issued, and believed as long as what they are bound to lives.

use crate::claims::{BoundClaims, Claims, Named};
use crate::jwt::{Token, sign};
use crate::keys::{KeyError, PublicKey, SigningKey};
use crate::{Bindable, Cluster, TokenUsage, legacy};
use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;
use ratchet_access::{User, quoted_list};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The issuer of tokens that are kept in secrets.
const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";
/// Clocks may differ by a minute.
const LEEWAY: i64 = 60;
/// No token lives shorter than ten minutes.
const SHORTEST: i64 = 600;
/// What the kubelet asks for when it wants to be warned about clients that do not reload tokens.
const WARN_ONLY: i64 = 3607;
/// How long such a token lives instead: a year.
const EXTENDED: i64 = 365 * 24 * 60 * 60;

/// How many proven tokens are remembered; then all are forgotten.
const MANY: usize = 4096;

/// How tokens are issued and believed.
#[derive(Debug)]
pub struct ServiceAccounts {
    /// Who issues them; the first is written into new tokens, all are believed.
    pub issuers: Vec<String>,
    /// For whom they are if nobody else is named: this server.
    pub audiences: Vec<String>,
    /// The longest life of a token in seconds, if there is one.
    pub longest: Option<i64>,
    /// Whether tokens of pods live a year with a warning instead of an hour.
    pub extend: bool,
    signing_key: Option<SigningKey>,
    keys: Vec<PublicKey>,
    /// Hashes of tokens whose signature is proven: that is the slow part, and it stays true.
    proven: Mutex<HashSet<[u8; 32]>>,
}

/// Whose token it is.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The uid.
    pub uid: &'a str,
}

/// With what a token lives and dies: name and uid.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'a> {
    /// A pod, and the node where it runs if it runs.
    Pod(&'a str, &'a str, Option<(&'a str, &'a str)>),
    /// A secret.
    Secret(&'a str, &'a str),
    /// A node.
    Node(&'a str, &'a str),
}

/// A wish for a token.
#[derive(Clone, Copy, Debug)]
pub struct Issuing<'a> {
    /// Whose it shall be.
    pub account: Account<'a>,
    /// With what it shall live and die.
    pub bound: Option<Bound<'a>>,
    /// For whom it shall be; none means this server.
    pub audiences: &'a [String],
    /// How long it shall live.
    pub seconds: i64,
}

/// A new token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The token.
    pub token: String,
    /// How long it lives, as the answer's `spec.expirationSeconds` says.
    pub seconds: i64,
    /// Until when, as the answer's status says.
    pub expires: Timestamp,
    /// For the audit log: `JTI=<id>`.
    pub credential: String,
    /// What the asker should be told, if something was not as wished.
    pub warning: Option<String>,
}

/// Someone whose token was believed.
pub(crate) struct Believed {
    pub(crate) user: User,
    /// Those of the asked audiences that the token is for.
    pub(crate) audiences: Vec<String>,
}

impl ServiceAccounts {
    /// Tokens of this issuer and for it, that these keys prove; the signing key proves its own.
    pub fn new(issuer: &str, signing_key: Option<SigningKey>, keys: Vec<PublicKey>) -> Self {
        let own = signing_key.as_ref().map(|key| key.public().clone());
        let mut all = keys;
        all.extend(own.filter(|own| !all.contains(own)));
        Self {
            issuers: vec![issuer.into()],
            audiences: vec![issuer.into()],
            longest: None,
            extend: true,
            signing_key,
            keys: all,
            proven: Mutex::default(),
        }
    }

    /// A token for a service account. The caller has checked that the account and what it is bound
    /// to exist; a wish below ten minutes gets ten minutes.
    pub fn issue(&self, wish: &Issuing<'_>, now: Timestamp) -> Result<Issued, KeyError> {
        let key = self.signing_key.as_ref().ok_or(KeyError::None)?;
        let asked = wish.seconds.max(SHORTEST);
        let longest = self.longest.filter(|longest| *longest > 0).unwrap_or(i64::MAX);
        let seconds = asked.min(longest);
        let warning = (seconds < asked).then(|| {
            format!("requested expiration of {asked} seconds shortened to {seconds} seconds")
        });
        let none = wish.audiences.is_empty();
        let audiences = if none { &self.audiences } else { wish.audiences };
        let warned = self.extend
            && matches!(wish.bound, Some(Bound::Pod(..)))
            && seconds == WARN_ONLY
            && audiences.iter().all(|audience| self.audiences.contains(audience));
        let begin = now.as_second();
        let id = uuid::Uuid::new_v4().to_string();
        let end = begin + if warned { EXTENDED } else { seconds };
        // Names in the order of their letters, as clients of upstream see them.
        let claims = json!({
            "aud": audiences,
            "exp": end,
            "iat": begin,
            "iss": self.issuers.first().map(String::as_str).unwrap_or_default(),
            "jti": id,
            "kubernetes.io": bound_claims(wish, warned.then_some(begin + seconds)),
            "nbf": begin,
            "sub": User::service_account(wish.account.namespace, wish.account.name).name,
        });
        let expires = Timestamp::from_second(begin + seconds).unwrap_or(Timestamp::MAX);
        let token = sign(key, &claims)?;
        Ok(Issued { token, seconds, expires, credential: format!("JTI={id}"), warning })
    }

    /// A token that does not end, good as long as the secret of this name holds it. The caller has
    /// checked that both exist.
    pub fn issue_lasting(&self, account: Account<'_>, secret: &str) -> Result<String, KeyError> {
        let key = self.signing_key.as_ref().ok_or(KeyError::None)?;
        let claims = json!({
            "iss": LEGACY_ISSUER,
            "kubernetes.io/serviceaccount/namespace": account.namespace,
            "kubernetes.io/serviceaccount/secret.name": secret,
            "kubernetes.io/serviceaccount/service-account.name": account.name,
            "kubernetes.io/serviceaccount/service-account.uid": account.uid,
            "sub": User::service_account(account.namespace, account.name).name,
        });
        sign(key, &claims)
    }

    /// Whose the token is, if it is for one of the audiences (none: this server). None if it is no
    /// token of a service account at all; an error if it is one that is not believed. Either way
    /// `usage` records what else its use means.
    pub(crate) fn verify(
        &self,
        text: &str,
        audiences: &[String],
        cluster: &dyn Cluster,
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Option<Result<Believed, String>> {
        let token = Token::parse(text)?;
        let issuer = token.claims.get("iss").and_then(Value::as_str)?;
        let legacy = issuer == LEGACY_ISSUER;
        if !legacy && !self.issuers.iter().any(|own| own == issuer) {
            return None;
        }
        let proven = self.prove(text, &token).and_then(|()| Claims::read(&token.claims));
        Some(proven.and_then(|claims| {
            let audiences = self.audiences_of(&claims, audiences, usage)?;
            let user = if legacy {
                legacy::user(text, &claims, &token.claims, cluster, now, usage)?
            } else {
                check_times(&claims, now.as_second())?;
                bound_user(&claims, &token.claims, cluster, now.as_second(), usage)?
            };
            Ok(Believed { user, audiences })
        }))
    }

    /// Whether a key proves the token.
    fn prove(&self, text: &str, token: &Token<'_>) -> Result<(), String> {
        let known = || self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        let hash: Option<[u8; 32]> = digest(&SHA256, text.as_bytes()).as_ref().try_into().ok();
        if hash.is_some_and(|hash| known().contains(&hash)) {
            return Ok(());
        }
        token.check(&self.keys)?;
        let mut known = known();
        if known.len() >= MANY {
            known.clear();
        }
        known.extend(hash);
        Ok(())
    }

    /// The audiences that are both asked for and named by the token.
    fn audiences_of(
        &self,
        claims: &Claims,
        asked: &[String],
        usage: &mut TokenUsage,
    ) -> Result<Vec<String>, String> {
        let named = if claims.audiences.is_empty() {
            usage.for_nobody_in_particular(&claims.subject);
            &self.audiences
        } else {
            &claims.audiences
        };
        let asked = if asked.is_empty() { &self.audiences } else { asked };
        let both: Vec<_> = asked.iter().filter(|one| named.contains(one)).cloned().collect();
        if both.is_empty() {
            let (named, asked) = (quoted_list(named), quoted_list(asked));
            let text = "is invalid for the target audiences";
            return Err(format!("token audiences {named} {text} {asked}"));
        }
        Ok(both)
    }

    /// The document at `/.well-known/openid-configuration`; none if the issuer is no HTTPS address,
    /// for then nobody may rely on it.
    pub fn openid_configuration(&self, keys_uri: &str) -> Option<String> {
        let issuer = self.issuers.first()?;
        if !issuer.starts_with("https://") || issuer.contains(['?', '#']) {
            return None;
        }
        let mut algorithms: Vec<_> = self.keys.iter().map(|key| key.algorithm.name()).collect();
        algorithms.sort_unstable();
        algorithms.dedup();
        let document = json!({
            "issuer": issuer,
            "jwks_uri": keys_uri,
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": algorithms,
        });
        Some(document.to_string())
    }

    /// The document at `/openid/v1/jwks`: the public keys.
    pub fn json_web_keys(&self) -> String {
        let keys: Vec<_> = self.keys.iter().map(PublicKey::to_jwk).collect();
        json!({ "keys": keys }).to_string()
    }
}

/// What a token says about the account and what it is bound to.
fn bound_claims(wish: &Issuing<'_>, warn_after: Option<i64>) -> Value {
    let mut claims = Map::new();
    // As upstream: a uid that is not known is left out.
    let reference = |name: &str, uid: &str| {
        if uid.is_empty() { json!({ "name": name }) } else { json!({ "name": name, "uid": uid }) }
    };
    claims.insert("namespace".into(), wish.account.namespace.into());
    match wish.bound {
        Some(Bound::Pod(name, uid, node)) => {
            if let Some((node, uid)) = node {
                claims.insert("node".into(), reference(node, uid));
            }
            claims.insert("pod".into(), reference(name, uid));
        }
        Some(Bound::Node(name, uid)) => {
            claims.insert("node".into(), reference(name, uid));
        }
        Some(Bound::Secret(name, uid)) => {
            claims.insert("secret".into(), reference(name, uid));
        }
        None => {}
    }
    let account = reference(wish.account.name, wish.account.uid);
    claims.insert("serviceaccount".into(), account);
    if let Some(seconds) = warn_after {
        claims.insert("warnafter".into(), seconds.into());
    }
    Value::Object(claims)
}

/// Whether the token is of this time, give or take a minute.
fn check_times(claims: &Claims, now: i64) -> Result<(), String> {
    let token = "service account token";
    if claims.not_before.is_some_and(|begin| now.saturating_add(LEEWAY) < begin) {
        return Err(format!("{token} is not valid yet"));
    }
    if claims.expires.is_some_and(|end| now.saturating_sub(LEEWAY) > end) {
        return Err(format!("{token} has expired"));
    }
    if claims.issued_at.is_some_and(|issued| now.saturating_add(LEEWAY) < issued) {
        return Err(format!("{token} is issued in the future"));
    }
    Ok(())
}

/// The user of a token that is bound to objects, if they are still there.
fn bound_user(
    claims: &Claims,
    private: &Value,
    cluster: &dyn Cluster,
    now: i64,
    usage: &mut TokenUsage,
) -> Result<User, String> {
    let BoundClaims { namespace, account: (name, uid), secret, pod, node, warn_after } =
        BoundClaims::read(private)?;
    let there = cluster.uid(Bindable::ServiceAccount, &namespace, &name);
    let there = there.ok_or_else(|| format!("serviceaccounts \"{name}\" not found"))?;
    if there != uid {
        return Err(format!("service account UID ({there}) does not match claim ({uid})"));
    }
    let alive = |kind, namespace: &str, what: &str, (name, uid): &Named| match cluster
        .uid(kind, namespace, name)
    {
        None => Err("service account token has been invalidated".to_owned()),
        Some(there) if there == *uid => Ok(()),
        Some(there) => Err(format!(
            "{what} UID ({there}) does not match service account {what} ref claim ({uid})"
        )),
    };
    if let Some(secret) = &secret {
        alive(Bindable::Secret, &namespace, "secret", secret)?;
    }
    if let Some(pod) = &pod {
        alive(Bindable::Pod, &namespace, "pod", pod)?;
    }
    if let (Some(node), None) = (&node, &pod) {
        alive(Bindable::Node, "", "node", node)?;
    }
    if let Some(warn_after) = warn_after.filter(|seconds| *seconds != 0) {
        usage.warn_after(&claims.subject, now - warn_after);
    }
    let mut user = User::service_account(&namespace, &name);
    user.uid = uid;
    user.extra = extras(&claims.id, pod, node);
    Ok(user)
}

/// The extras that tell which token it is and where it is used.
fn extras(id: &str, pod: Option<Named>, node: Option<Named>) -> Vec<(String, Vec<String>)> {
    let mut extra = Vec::new();
    let mut put = |name: &str, value: String| {
        extra.push((format!("authentication.kubernetes.io/{name}"), vec![value]));
    };
    if !id.is_empty() {
        put("credential-id", format!("JTI={id}"));
    }
    if let Some((name, uid)) = node.filter(|(name, _)| !name.is_empty()) {
        put("node-name", name);
        if !uid.is_empty() {
            put("node-uid", uid);
        }
    }
    if let Some((name, uid)) = pod.filter(|(name, uid)| !name.is_empty() && !uid.is_empty()) {
        put("pod-name", name);
        put("pod-uid", uid);
    }
    extra
}

#[cfg(test)]
mod tests;
