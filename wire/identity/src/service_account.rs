//! Service account tokens: issuing, and verification against the objects they are bound to.

use crate::bound_object::{self, NODES, PODS, SECRETS, SERVICE_ACCOUNTS};
use crate::claims::{BoundClaims, Claims, ObjectIdentity};
use crate::jwt::{Token, sign};
use crate::keys::{KeyError, PublicKey, SigningKey};
use crate::{TokenUsage, legacy};
use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;
use ratchet_access::{User, quoted_list};
use ratchet_object::ClusterReader;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The issuer of tokens stored in secrets.
const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";
/// Allowed clock skew, in seconds.
const LEEWAY: i64 = 60;
/// The minimum lifetime of a token, in seconds.
const SHORTEST: i64 = 600;
/// The lifetime that the kubelet requests to detect clients that do not reload tokens.
const WARN_ONLY: i64 = 3607;
/// The extended lifetime of such a token: a year.
const EXTENDED: i64 = 365 * 24 * 60 * 60;

/// The capacity of the cache of verified tokens, which is cleared when full.
const CACHE_CAPACITY: usize = 4096;

/// Issues and verifies service account tokens.
#[derive(Debug)]
pub struct ServiceAccounts {
    /// The issuers; the first is used for new tokens, all are accepted.
    pub issuers: Vec<String>,
    /// The default audiences: this server.
    pub audiences: Vec<String>,
    /// The maximum lifetime of a token in seconds, if there is one.
    pub longest: Option<i64>,
    /// Whether tokens of pods live a year with a warning instead of an hour.
    pub extend: bool,
    signing_key: Option<SigningKey>,
    keys: Vec<PublicKey>,
    /// Hashes of tokens with a verified signature: that is the slow part, and its result never
    /// changes.
    verified: Mutex<HashSet<[u8; 32]>>,
}

/// The service account of a token.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// The namespace of the account.
    pub namespace: &'a str,
    /// The name of the account.
    pub name: &'a str,
    /// The uid of the account.
    pub uid: &'a str,
}

/// The object that a token is bound to: name and uid.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'a> {
    /// A pod, and its node if it is scheduled.
    Pod(&'a str, &'a str, Option<(&'a str, &'a str)>),
    /// Name and uid of a Secret.
    Secret(&'a str, &'a str),
    /// Name and uid of a Node.
    Node(&'a str, &'a str),
}

/// A request for a token.
#[derive(Clone, Copy, Debug)]
pub struct Issuing<'a> {
    /// The service account.
    pub account: Account<'a>,
    /// The object that the token is bound to.
    pub bound: Option<Bound<'a>>,
    /// The audiences; none means this server.
    pub audiences: &'a [String],
    /// The requested lifetime in seconds.
    pub seconds: i64,
}

/// An issued token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The signed token.
    pub token: String,
    /// The lifetime, for `spec.expirationSeconds` of the response.
    pub seconds: i64,
    /// The expiry, for the status of the response.
    pub expires: Timestamp,
    /// For the audit log: `JTI=<id>`.
    pub credential: String,
    /// The warning for the client, if the request was not fully honored.
    pub warning: Option<String>,
}

/// The result of a successful verification.
pub(crate) struct VerifiedToken {
    pub(crate) user: User,
    /// The requested audiences that the token is valid for.
    pub(crate) audiences: Vec<String>,
}

impl ServiceAccounts {
    /// Accepts tokens of this issuer that these keys verify; the signing key is included.
    pub fn new(issuer: &str, signing_key: Option<SigningKey>, keys: Vec<PublicKey>) -> Self {
        let public_key = signing_key.as_ref().map(|key| key.public().clone());
        let mut all_keys = keys;
        all_keys.extend(public_key.filter(|public_key| !all_keys.contains(public_key)));
        Self {
            issuers: vec![issuer.into()],
            audiences: vec![issuer.into()],
            longest: None,
            extend: true,
            signing_key,
            keys: all_keys,
            verified: Mutex::default(),
        }
    }

    /// Issues a token. The caller has checked that the account and the bound object exist; a
    /// lifetime below ten minutes becomes ten minutes.
    pub fn issue(&self, request: &Issuing<'_>, now: Timestamp) -> Result<Issued, KeyError> {
        let key = self.signing_key.as_ref().ok_or(KeyError::None)?;
        let requested = request.seconds.max(SHORTEST);
        let longest = self.longest.filter(|longest| *longest > 0).unwrap_or(i64::MAX);
        let seconds = requested.min(longest);
        let warning = (seconds < requested).then(|| {
            format!("requested expiration of {requested} seconds shortened to {seconds} seconds")
        });
        let no_audiences = request.audiences.is_empty();
        let audiences = if no_audiences { &self.audiences } else { request.audiences };
        let is_extended = self.extend
            && matches!(request.bound, Some(Bound::Pod(..)))
            && seconds == WARN_ONLY
            && audiences.iter().all(|audience| self.audiences.contains(audience));
        let issued_at = now.as_second();
        let id = uuid::Uuid::new_v4().to_string();
        let expiry = issued_at + if is_extended { EXTENDED } else { seconds };
        // Claims in alphabetical order, as upstream writes them.
        let claims = json!({
            "aud": audiences,
            "exp": expiry,
            "iat": issued_at,
            "iss": self.issuers.first().map(String::as_str).unwrap_or_default(),
            "jti": id,
            "kubernetes.io": bound_claims(request, is_extended.then_some(issued_at + seconds)),
            "nbf": issued_at,
            "sub": User::service_account(request.account.namespace, request.account.name).name,
        });
        let expires = Timestamp::from_second(issued_at + seconds).unwrap_or(Timestamp::MAX);
        let token = sign(key, &claims)?;
        Ok(Issued { token, seconds, expires, credential: format!("JTI={id}"), warning })
    }

    /// Issues a token that does not expire, valid as long as the secret contains it. The caller has
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

    /// The user of the token, if it is valid for one of the audiences (none: this server). `None`
    /// if it is not a service account token; an error if it is an invalid one. Either way `usage`
    /// records the side effects.
    pub(crate) fn verify(
        &self,
        text: &str,
        audiences: &[String],
        cluster: &dyn ClusterReader,
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Option<Result<VerifiedToken, String>> {
        let token = Token::parse(text)?;
        let issuer = token.claims.get("iss").and_then(Value::as_str)?;
        let legacy = issuer == LEGACY_ISSUER;
        if !legacy && !self.issuers.iter().any(|own| own == issuer) {
            return None;
        }
        let verified =
            self.verify_signature(text, &token).and_then(|()| Claims::parse(&token.claims));
        Some(verified.and_then(|claims| {
            let audiences = self.audiences_of(&claims, audiences, usage)?;
            let user = if legacy {
                legacy::user(text, &claims, &token.claims, cluster, now, usage)?
            } else {
                check_times(&claims, now.as_second())?;
                bound_user(&claims, &token.claims, cluster, now.as_second(), usage)?
            };
            Ok(VerifiedToken { user, audiences })
        }))
    }

    /// Verifies the signature, with a cache.
    fn verify_signature(&self, text: &str, token: &Token<'_>) -> Result<(), String> {
        let verified = || self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        let hash: Option<[u8; 32]> = digest(&SHA256, text.as_bytes()).as_ref().try_into().ok();
        if hash.is_some_and(|hash| verified().contains(&hash)) {
            return Ok(());
        }
        token.check(&self.keys)?;
        let mut verified = verified();
        if verified.len() >= CACHE_CAPACITY {
            verified.clear();
        }
        verified.extend(hash);
        Ok(())
    }

    /// The audiences that are both requested and named by the token.
    fn audiences_of(
        &self,
        claims: &Claims,
        requested: &[String],
        usage: &mut TokenUsage,
    ) -> Result<Vec<String>, String> {
        let token_audiences = if claims.audiences.is_empty() {
            usage.record_without_audience(&claims.subject);
            &self.audiences
        } else {
            &claims.audiences
        };
        let requested = if requested.is_empty() { &self.audiences } else { requested };
        let matching: Vec<_> = requested
            .iter()
            .filter(|audience| token_audiences.contains(audience))
            .cloned()
            .collect();
        if matching.is_empty() {
            let (token_audiences, requested) =
                (quoted_list(token_audiences), quoted_list(requested));
            let text = "is invalid for the target audiences";
            return Err(format!("token audiences {token_audiences} {text} {requested}"));
        }
        Ok(matching)
    }

    /// The document at `/.well-known/openid-configuration`; `None` if the issuer is no HTTPS URL,
    /// because then nobody may rely on it.
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

/// The claims about the account and the bound object.
fn bound_claims(request: &Issuing<'_>, warn_after: Option<i64>) -> Value {
    let mut claims = Map::new();
    // As upstream: an unknown uid is left out.
    let reference = |name: &str, uid: &str| {
        if uid.is_empty() { json!({ "name": name }) } else { json!({ "name": name, "uid": uid }) }
    };
    claims.insert("namespace".into(), request.account.namespace.into());
    match request.bound {
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
    let account = reference(request.account.name, request.account.uid);
    claims.insert("serviceaccount".into(), account);
    if let Some(seconds) = warn_after {
        claims.insert("warnafter".into(), seconds.into());
    }
    Value::Object(claims)
}

/// Whether the token is valid now, with the allowed clock skew.
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

/// The user of a bound token, if the bound objects still exist.
fn bound_user(
    claims: &Claims,
    private: &Value,
    cluster: &dyn ClusterReader,
    now: i64,
    usage: &mut TokenUsage,
) -> Result<User, String> {
    let BoundClaims { namespace, account: (name, uid), secret, pod, node, warn_after } =
        BoundClaims::parse(private)?;
    let current_uid = bound_object::uid(cluster, &SERVICE_ACCOUNTS, (&namespace, &name), now);
    let current_uid = current_uid.ok_or_else(|| format!("serviceaccounts \"{name}\" not found"))?;
    if current_uid != uid {
        return Err(format!("service account UID ({current_uid}) does not match claim ({uid})"));
    }
    let check_bound = |resource, namespace: &str, what: &str, (name, uid): &ObjectIdentity| {
        match bound_object::uid(cluster, resource, (namespace, name), now) {
            None => Err("service account token has been invalidated".to_owned()),
            Some(current_uid) if current_uid == *uid => Ok(()),
            Some(current_uid) => Err(format!(
                "{what} UID ({current_uid}) does not match service account {what} ref claim ({uid})"
            )),
        }
    };
    if let Some(secret) = &secret {
        check_bound(&SECRETS, &namespace, "secret", secret)?;
    }
    if let Some(pod) = &pod {
        check_bound(&PODS, &namespace, "pod", pod)?;
    }
    if let (Some(node), None) = (&node, &pod) {
        check_bound(&NODES, "", "node", node)?;
    }
    if let Some(warn_after) = warn_after.filter(|seconds| *seconds != 0) {
        usage.record_reload_age(&claims.subject, now - warn_after);
    }
    let mut user = User::service_account(&namespace, &name);
    user.uid = uid;
    user.extra = extras(&claims.id, pod, node);
    Ok(user)
}

/// The extras that identify the token and its pod and node.
fn extras(
    id: &str,
    pod: Option<ObjectIdentity>,
    node: Option<ObjectIdentity>,
) -> Vec<(String, Vec<String>)> {
    let mut extra = Vec::new();
    let mut add = |name: &str, value: String| {
        extra.push((format!("authentication.kubernetes.io/{name}"), vec![value]));
    };
    if !id.is_empty() {
        add("credential-id", format!("JTI={id}"));
    }
    if let Some((name, uid)) = node.filter(|(name, _)| !name.is_empty()) {
        add("node-name", name);
        if !uid.is_empty() {
            add("node-uid", uid);
        }
    }
    if let Some((name, uid)) = pod.filter(|(name, uid)| !name.is_empty() && !uid.is_empty()) {
        add("pod-name", name);
        add("pod-uid", uid);
    }
    extra
}

#[cfg(test)]
mod tests;
