//! All ways to say who one is, asked in turn.

use crate::certificate::Vouching;
use crate::{
    Authorities, Cluster, Proxy, Reloading, ServiceAccounts, TokenFile, TokenUsage, bearer,
    bootstrap_token,
};
use http::HeaderMap;
use jiff::Timestamp;
use ratchet_access::User;
use rustls::pki_types::CertificateDer;
use std::fmt;
use std::sync::Arc;

/// Which ways there are.
pub struct Config {
    /// The authorities of clients' certificates.
    pub clients: Option<Arc<Reloading<Authorities>>>,
    /// Proxies that say who asks.
    pub proxy: Option<Proxy>,
    /// Fixed tokens.
    pub tokens: Option<TokenFile>,
    /// Tokens of service accounts.
    pub accounts: Option<Arc<ServiceAccounts>>,
    /// Whether machines may join with bootstrap tokens.
    pub bootstrap_tokens: bool,
    /// Whether those who do not say who they are may ask.
    pub anonymous: bool,
    /// What is known about the cluster.
    pub cluster: Arc<dyn Cluster>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Someone who proved it.
    User(User),
    /// Someone who did not say, where that is allowed.
    Anonymous,
    /// 401: someone who said it and could not prove it, or did not say it where that is demanded.
    Rejected {
        /// Why, for the log; the client is only told `Unauthorized`.
        reason: String,
    },
}

impl Verdict {
    /// The user that the request is judged as; none for a 401.
    pub fn into_user(self) -> Option<User> {
        match self {
            Self::User(user) => Some(user),
            Self::Anonymous => Some(User::anonymous()),
            Self::Rejected { .. } => None,
        }
    }
}

/// A token that was looked at for someone else, as `TokenReview` asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// Whose it is.
    pub user: User,
    /// Those of the asked audiences that it is for.
    pub audiences: Vec<String>,
}

/// All ways to say who one is.
pub struct Authenticators {
    config: Config,
    clients: Option<Vouching>,
}

impl fmt::Debug for Authenticators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticators").finish_non_exhaustive()
    }
}

/// What one way says: someone, nobody, or that the proof is bad.
type Said = Result<Option<User>, String>;

impl Authenticators {
    /// The ways of this configuration.
    pub fn new(config: Config) -> Self {
        let clients = config.clients.clone().map(Vouching::new);
        Self { config, clients }
    }

    /// Who sends the request: its headers, and the certificates of its connection, the client's own
    /// first. The first way that knows someone wins; a bad proof and no good one is a 401.
    /// `usage` records what else the use of a token means, also if it is refused.
    pub fn authenticate(
        &self,
        headers: &HeaderMap,
        peer_certs: &[CertificateDer<'_>],
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Verdict {
        let ways: [&dyn Fn(&mut TokenUsage) -> Said; 4] = [
            &|_| self.by_proxy(headers, peer_certs, now),
            &|_| self.by_certificate(peer_certs, now),
            &|usage| self.by_token(bearer::from_authorization(headers), now, usage),
            &|usage| self.by_token(bearer::from_websocket(headers)?, now, usage),
        ];
        let mut reasons = Vec::new();
        for way in ways {
            match way(usage) {
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

    /// Takes the proofs out of the headers of a request that was believed.
    pub fn strip(&self, headers: &mut HeaderMap) {
        bearer::strip(headers);
        if let Some(proxy) = &self.config.proxy {
            proxy.strip(headers);
        }
    }

    /// Whose the token is, if it is for one of the audiences (none: this server).
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

    fn by_proxy(&self, headers: &HeaderMap, chain: &[CertificateDer<'_>], now: Timestamp) -> Said {
        self.config.proxy.as_ref().map_or(Ok(None), |proxy| proxy.user(headers, chain, now))
    }

    fn by_certificate(&self, chain: &[CertificateDer<'_>], now: Timestamp) -> Said {
        match &self.clients {
            Some(clients) if !chain.is_empty() => clients.subject(chain, now)?.user(),
            _ => Ok(None),
        }
    }

    fn by_token(&self, token: Option<String>, now: Timestamp, usage: &mut TokenUsage) -> Said {
        let config = &self.config;
        let any = config.tokens.is_some() || config.accounts.is_some() || config.bootstrap_tokens;
        match token {
            Some(token) if any => self.token(&token, &[], now, usage).map(|known| Some(known.user)),
            _ => Ok(None),
        }
    }

    /// Whose the token is: the first way that knows it wins.
    fn token(
        &self,
        token: &str,
        audiences: &[String],
        now: Timestamp,
        usage: &mut TokenUsage,
    ) -> Result<Reviewed, String> {
        let config = &self.config;
        // Ways that know no audiences are for this server, and no other.
        let own = config.accounts.as_ref().map(|accounts| accounts.audiences.clone());
        let own: Vec<String> = own.unwrap_or_default();
        let asked = if audiences.is_empty() { &own } else { audiences };
        let for_us: Vec<_> = asked.iter().filter(|one| own.contains(one)).cloned().collect();
        let agnostic = |user: User| {
            let fits = !for_us.is_empty() || own.is_empty();
            fits.then(|| Reviewed { user, audiences: for_us.clone() })
        };
        let fixed = config.tokens.as_ref().and_then(|file| file.user(token));
        if let Some(reviewed) = fixed.cloned().and_then(agnostic) {
            return Ok(reviewed);
        }
        let cluster = &*config.cluster;
        let account = config.accounts.as_ref();
        let account = account.and_then(|own| own.verify(token, audiences, cluster, now, usage));
        let mut reason = "invalid bearer token".to_owned();
        match account {
            Some(Ok(known)) => {
                return Ok(Reviewed { user: known.user, audiences: known.audiences });
            }
            Some(Err(why)) => reason = format!("[{reason}, {why}]"),
            None => {}
        }
        let joining = config.bootstrap_tokens.then(|| bootstrap_token::user(token, cluster, now));
        joining.flatten().and_then(agnostic).ok_or(reason)
    }
}

#[cfg(test)]
mod tests;
