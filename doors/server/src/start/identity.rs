//! Authentication at start: keys, authorities and tokens are read from their files.

use super::config::{Config, Credentials, ProxyFiles};
use super::{StartError, read_file};
use crate::access::authorize::Mode;
use crate::access::token_getter::TokenGetter;
use crate::storage::cache::Cache;
use ratchet_identity::{
    Authorities, Proxy, PublicKey, Reloading, ServiceAccounts, SigningKey, TokenFile,
};
use std::path::Path;
use std::sync::Arc;

pub(super) fn accounts(files: &Credentials) -> Result<ServiceAccounts, StartError> {
    let unusable = |path: &Path, why: &dyn std::fmt::Display| {
        StartError::File(format!("failed to parse service-account key {}: {why}", path.display()))
    };
    let signing_key = SigningKey::from_pem(&read_file(&files.signing_key)?)
        .map_err(|why| unusable(&files.signing_key, &why))?;
    let mut keys = vec![signing_key.public().clone()];
    for path in &files.verification_keys {
        keys.extend(
            PublicKey::all_from_pem(&read_file(path)?).map_err(|why| unusable(path, &why))?,
        );
    }
    let issuer = files.issuers.first().cloned().unwrap_or_default();
    let mut accounts = ServiceAccounts::new(&issuer, Some(signing_key), keys);
    accounts.issuers.clone_from(&files.issuers);
    if !files.audiences.is_empty() {
        accounts.audiences.clone_from(&files.audiences);
    }
    accounts.longest = files.longest_token;
    accounts.extend = files.extends_tokens;
    Ok(accounts)
}

/// Loads CAs that are reloaded with their file; `what` names the file in an error.
pub(super) fn authorities(
    path: &Path,
    what: &str,
) -> Result<Arc<Reloading<Authorities>>, StartError> {
    let unusable =
        |why: &dyn std::fmt::Display| StartError::File(format!("unable to load {what}: {why}"));
    read_file(path).map_err(|why| unusable(&why))?;
    Authorities::open(path).map(Arc::new).map_err(|why| unusable(&why))
}

pub(super) fn request_header_proxy(
    authorities: Arc<Reloading<Authorities>>,
    files: &ProxyFiles,
) -> Proxy {
    let mut proxy = Proxy::new(authorities);
    proxy.allowed_names.clone_from(&files.allowed_names);
    proxy.user_headers.clone_from(&files.user_headers);
    proxy.uid_headers.clone_from(&files.uid_headers);
    proxy.group_headers.clone_from(&files.group_headers);
    proxy.extra_prefixes.clone_from(&files.extra_prefixes);
    proxy
}

/// Whether anonymous requests are allowed: not together with AlwaysAllow.
fn allows_anonymous(is_wanted: bool, modes: &[Mode]) -> bool {
    let is_open = modes.contains(&Mode::AlwaysAllow);
    if is_wanted && is_open {
        tracing::warn!(
            "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer"
        );
    }
    is_wanted && !is_open
}

pub(super) fn identity(
    config: &Config,
    cache: &Cache,
    accounts: Arc<ServiceAccounts>,
    clients: Option<Arc<Reloading<Authorities>>>,
    proxy: Option<Proxy>,
) -> Result<ratchet_identity::Config, StartError> {
    let files = &config.credentials;
    let tokens = match &files.token_file {
        Some(path) => {
            let text = String::from_utf8_lossy(&read_file(path)?).into_owned();
            let parsed = TokenFile::parse(&text);
            Some(parsed.map_err(|why| StartError::File(format!("{}: {why}", path.display())))?)
        }
        None => None,
    };
    Ok(ratchet_identity::Config {
        clients,
        proxy,
        tokens,
        accounts: Some(accounts),
        bootstrap_tokens: files.bootstrap_tokens,
        anonymous: allows_anonymous(files.anonymous, &config.modes),
        cluster: Arc::new(TokenGetter::new(cache)),
    })
}
