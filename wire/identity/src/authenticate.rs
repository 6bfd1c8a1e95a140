//! Request authentication: all configured authenticators, tried in turn.

use crate::certificate::ClientVerifier;
use crate::{
    Authorities, Proxy, Reloading, ServiceAccounts, TokenFile, TokenUsage, bearer, bootstrap_token,
};
use http::HeaderMap;
use jiff::Timestamp;
use ratchet_access::User;
use ratchet_object::ClusterReader;
use rustls::pki_types::CertificateDer;
use std::fmt;
use std::sync::Arc;

/// The configured authenticators.
pub struct Config {
    /// The authorities of client certificates.
    pub clients: Option<Arc<Reloading<Authorities>>>,
    /// Trusted authenticating proxies.
    pub proxy: Option<Proxy>,
    /// Static tokens.
    pub tokens: Option<TokenFile>,
    /// Service account tokens.
    pub accounts: Option<Arc<ServiceAccounts>>,
    /// Whether bootstrap tokens are accepted.
    pub bootstrap_tokens: bool,
    /// Whether anonymous requests are allowed.
    pub anonymous: bool,
    /// The objects that tokens depend on.
    pub cluster: Arc<dyn ClusterReader + Send + Sync>,
}

/// The result of authentication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An authenticated user.
    User(User),
    /// No credentials, where anonymous requests are allowed.
    Anonymous,
    /// 401: invalid credentials, or none where they are required.
    Rejected {
        /// The reason, for the log; the client only gets `Unauthorized`.
        reason: String,
    },
}

impl Verdict {
    /// The user for authorization; `None` for a 401.
    pub fn into_user(self) -> Option<User> {
        match self {
            Self::User(user) => Some(user),
            Self::Anonymous => Some(User::anonymous()),
            Self::Rejected { .. } => None,
        }
    }
}

/// The result of a token review, as for `TokenReview`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// The user of the token.
    pub user: User,
    /// The requested audiences that the token is valid for.
    pub audiences: Vec<String>,
}

/// All configured authenticators.
pub struct Authenticators {
    config: Config,
    clients: Option<ClientVerifier>,
}

impl fmt::Debug for Authenticators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticators").finish_non_exhaustive()
    }
}

/// The result of one authenticator: a user, no credentials, or invalid credentials.
type AuthResult = Result<Option<User>, String>;

impl Authenticators {
    /// The authenticators that `config` enables.
    pub fn new(config: Config) -> Self {
        let clients = config.clients.clone().map(ClientVerifier::new);
        Self { config, clients }
    }

    /// Authenticates a request by its headers and the certificates of its connection, the client's
    /// own first. The first authenticator that succeeds wins; only invalid credentials are a 401.
    /// `usage` records the side effects of a token, also if it is refused.
    pub fn authenticate(
        &self,
        headers: &HeaderMap,
        peer_certs: &[CertificateDer<'_>],
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Verdict {
        let authenticators: [&dyn Fn(&mut TokenUsage) -> AuthResult; 4] = [
            &|_| self.authenticate_proxy(headers, peer_certs, now),
            &|_| self.authenticate_certificate(peer_certs, now),
            &|usage| self.authenticate_token(bearer::from_authorization(headers), now, usage),
            &|usage| self.authenticate_token(bearer::from_websocket(headers)?, now, usage),
        ];
        let mut reasons = Vec::new();
        for authenticator in authenticators {
            match authenticator(usage) {
                Ok(Some(mut user)) => {
                    user.add_authenticated_group();
                    return Verdict::User(user);
                }
                Ok(None) => {}
                Err(reason) => reasons.push(reason),
            }
        }
        if reasons.is_empty() && self.config.anonymous {
            return Verdict::Anonymous;
        }
        Verdict::Rejected { reason: reasons.join(", ") }
    }

    /// Removes the credentials from the headers of an authenticated request.
    pub fn strip(&self, headers: &mut HeaderMap) {
        bearer::strip(headers);
        if let Some(proxy) = &self.config.proxy {
            proxy.strip(headers);
        }
    }

    /// The user of the token, if it is valid for one of the audiences (none: this server).
    pub fn review(
        &self,
        token: &str,
        audiences: &[String],
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Result<Reviewed, String> {
        let mut reviewed = self.token(token, audiences, now, usage)?;
        reviewed.user.add_authenticated_group();
        Ok(reviewed)
    }

    fn authenticate_proxy(
        &self,
        headers: &HeaderMap,
        chain: &[CertificateDer<'_>],
        now: Timestamp,
    ) -> AuthResult {
        self.config.proxy.as_ref().map_or(Ok(None), |proxy| proxy.user(headers, chain, now))
    }

    fn authenticate_certificate(&self, chain: &[CertificateDer<'_>], now: Timestamp) -> AuthResult {
        match &self.clients {
            Some(clients) if !chain.is_empty() => clients.subject(chain, now)?.user(),
            _ => Ok(None),
        }
    }

    fn authenticate_token(
        &self,
        token: Option<String>,
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> AuthResult {
        let config = &self.config;
        let accepts_tokens =
            config.tokens.is_some() || config.accounts.is_some() || config.bootstrap_tokens;
        match token {
            Some(token) if accepts_tokens => {
                self.token(&token, &[], now, usage).map(|reviewed| Some(reviewed.user))
            }
            _ => Ok(None),
        }
    }

    /// The user of the token: the first authenticator that succeeds wins.
    fn token(
        &self,
        token: &str,
        audiences: &[String],
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Result<Reviewed, String> {
        let config = &self.config;
        // Authenticators without audiences are for this server only.
        let own_audiences: &[String] =
            config.accounts.as_ref().map_or(&[], |accounts| &accounts.audiences);
        let requested = if audiences.is_empty() { own_audiences } else { audiences };
        let agnostic = |user: User| {
            let matching = requested.iter().filter(|audience| own_audiences.contains(audience));
            let matching: Vec<String> = matching.cloned().collect();
            let is_for_us = !matching.is_empty() || own_audiences.is_empty();
            is_for_us.then_some(Reviewed { user, audiences: matching })
        };
        let static_user = config.tokens.as_ref().and_then(|file| file.user(token));
        if let Some(reviewed) = static_user.cloned().and_then(agnostic) {
            return Ok(reviewed);
        }
        let cluster = &*config.cluster;
        let account = config.accounts.as_ref();
        let account =
            account.and_then(|accounts| accounts.verify(token, audiences, cluster, now, usage));
        let mut reason = "invalid bearer token".to_owned();
        match account {
            Some(Ok(verified)) => {
                return Ok(Reviewed { user: verified.user, audiences: verified.audiences });
            }
            Some(Err(why)) => reason = format!("[{reason}, {why}]"),
            None => {}
        }
        let bootstrap_user =
            config.bootstrap_tokens.then(|| bootstrap_token::user(token, cluster, now));
        bootstrap_user.flatten().and_then(agnostic).ok_or(reason)
    }
}

#[cfg(test)]
mod tests;
