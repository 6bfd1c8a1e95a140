//! `WebhookUsers`: who this server is to webhooks, by their host and port, as a kubeconfig names them.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use rustls::client::ResolvesClientCert;
use rustls::sign::SingleCertAndKey;

use crate::ClientKeyFiles;
use crate::files::client_key;

/// How long a token from a file is used before the file is read again.
const TOKEN_AGE: Duration = Duration::from_secs(60);
/// The name of the user for all other webhooks.
const ANY: &str = "*";
/// The number of the next user; that of nobody is zero.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The credentials of a user, as a kubeconfig has them.
#[derive(Clone, Default)]
pub struct WebhookCredentials {
    /// A bearer token.
    pub token: String,
    /// A file with a bearer token, which is read again from time to time.
    pub token_file: Option<PathBuf>,
    /// Name and password for basic authentication.
    pub password: Option<(String, String)>,
    /// A client certificate and its key, in PEM.
    pub certificate: Option<(Vec<u8>, Vec<u8>)>,
}

impl fmt::Debug for WebhookCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // They are secrets.
        f.debug_struct("WebhookCredentials").finish_non_exhaustive()
    }
}

/// The credentials with which webhooks are called.
#[derive(Debug)]
pub struct WebhookUser {
    /// Tells its connections from those of others.
    pub(super) number: u64,
    authorization: Option<HeaderValue>,
    token_file: Option<TokenFile>,
    pub(super) client: Option<Arc<dyn ResolvesClientCert>>,
}

#[derive(Debug)]
struct TokenFile {
    path: PathBuf,
    last: Mutex<Option<(Instant, HeaderValue)>>,
}

impl WebhookUser {
    /// A user with these credentials, or why they cannot be used.
    pub fn new(credentials: WebhookCredentials) -> Result<Self, String> {
        let WebhookCredentials { token, token_file, password, certificate } = credentials;
        let has_token = !token.is_empty() || token_file.is_some();
        let authorization = match (password, has_token) {
            (Some(_), true) => {
                let why = "username/password or bearer token may be set, but not both";
                return Err(why.to_owned());
            }
            (Some((name, password)), false) => {
                let encoded = BASE64_STANDARD.encode(format!("{name}:{password}"));
                Some(header(&format!("Basic {encoded}"))?)
            }
            (None, _) if token.is_empty() => None,
            (None, _) => Some(bearer(&token)?),
        };
        let token_file = token_file.map(|path| TokenFile { path, last: Mutex::default() });
        if let (None, Some(file)) = (&authorization, &token_file) {
            file.read()?;
        }
        let client = certificate.as_ref().map(client).transpose()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Self { number, authorization, token_file, client })
    }

    /// The header `Authorization`.
    pub(super) fn authorization(&self) -> Option<HeaderValue> {
        let from_file = || self.token_file.as_ref().and_then(TokenFile::current);
        self.authorization.clone().or_else(from_file)
    }
}

impl TokenFile {
    fn read(&self) -> Result<HeaderValue, String> {
        let text = std::fs::read_to_string(&self.path);
        let text = text.map_err(|error| format!("open {}: {error}", self.path.display()))?;
        let value = bearer(text.trim())?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Instant::now(), value.clone()));
        Ok(value)
    }

    /// The token of the file; the last one if it cannot be read any more.
    fn current(&self) -> Option<HeaderValue> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match last {
            Some((since, value)) if since.elapsed() < TOKEN_AGE => Some(value),
            last => self.read().ok().or(last.map(|(_, value)| value)),
        }
    }
}

fn header(text: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_str(text).map_err(|error| error.to_string())?;
    value.set_sensitive(true);
    Ok(value)
}

fn bearer(token: &str) -> Result<HeaderValue, String> {
    header(&format!("Bearer {token}"))
}

fn client(pair: &(Vec<u8>, Vec<u8>)) -> Result<Arc<dyn ResolvesClientCert>, String> {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    let [certificate, key] =
        ["client-certificate", "client-key"].map(|name| Path::new(name).to_owned());
    let files = ClientKeyFiles { certificate, key };
    let key = client_key(pair, &files, &provider).map_err(|error| error.to_string())?;
    Ok(Arc::new(SingleCertAndKey::from(key)))
}

/// The users for webhooks. The default is nobody, for all of them.
#[derive(Clone, Debug, Default)]
pub struct WebhookUsers {
    by_name: HashMap<String, Arc<WebhookUser>>,
    /// The user of the current context.
    current: String,
}

impl WebhookUsers {
    /// The users of a kubeconfig by their names, which are hosts or patterns of them, and the one of its current context.
    pub fn new(users: impl IntoIterator<Item = (String, WebhookUser)>, current: String) -> Self {
        let by_name = users.into_iter().map(|(name, user)| (name, Arc::new(user))).collect();
        Self { by_name, current }
    }

    /// The user for a webhook at `host:port`: the most exact name wins, and that of port 443 needs no port.
    pub(super) fn find(&self, host_and_port: &str) -> Option<&Arc<WebhookUser>> {
        if self.by_name.is_empty() {
            return None;
        }
        let without_port = host_and_port.strip_suffix(":443");
        let mut targets = [Some(host_and_port), without_port].into_iter().flatten();
        let found = targets.find_map(|target| {
            let exact = self.by_name.get(target);
            exact.or_else(|| {
                let dots = target.match_indices('.');
                dots.filter_map(|(at, _)| target.get(at..))
                    .find_map(|end| self.by_name.get(&format!("*{end}")))
            })
        });
        found.or_else(|| self.by_name.get(ANY)).or_else(|| self.by_name.get(&self.current))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(token: &str) -> WebhookUser {
        WebhookUser::new(WebhookCredentials { token: token.to_owned(), ..Default::default() })
            .unwrap()
    }

    #[test]
    fn the_most_exact_name_wins() {
        let names = ["a.b.svc:8443", "a.b.svc", "*.b.svc", "*.svc:8443", "me"];
        let users = names.map(|name| (name.to_owned(), user(name)));
        let mut users = WebhookUsers::new(users, "me".to_owned());
        let find = |users: &WebhookUsers, target: &str| {
            let value = users.find(target)?.authorization()?;
            Some(value.to_str().unwrap().trim_start_matches("Bearer ").to_owned())
        };
        for (target, name) in [
            ("a.b.svc:8443", "a.b.svc:8443"),
            ("a.b.svc:443", "a.b.svc"),
            ("c.b.svc:443", "*.b.svc"),
            ("c.b.svc:8443", "*.svc:8443"),
            ("c.b.svc:9443", "me"),
        ] {
            assert_eq!(find(&users, target).as_deref(), Some(name), "{target}");
        }
        users.by_name.insert("*".to_owned(), Arc::new(user("any")));
        assert_eq!(find(&users, "elsewhere:1").as_deref(), Some("any"));
        assert!(WebhookUsers::default().find("a.b.svc:443").is_none());
    }

    #[test]
    fn credentials_are_checked_when_they_are_read() {
        let both = WebhookCredentials {
            token: "t".into(),
            password: Some(("u".into(), "p".into())),
            ..Default::default()
        };
        assert_eq!(
            WebhookUser::new(both).unwrap_err(),
            "username/password or bearer token may be set, but not both"
        );
        let password = Some(("u".to_owned(), "p".to_owned()));
        let basic =
            WebhookUser::new(WebhookCredentials { password, ..Default::default() }).unwrap();
        assert_eq!(basic.authorization().unwrap(), "Basic dTpw");
        let missing = Some(PathBuf::from("/nonexistent/token"));
        let missing = WebhookCredentials { token_file: missing, ..Default::default() };
        assert!(WebhookUser::new(missing).unwrap_err().starts_with("open /nonexistent/token: "));
        let pair = Some((b"x".to_vec(), b"y".to_vec()));
        let broken = WebhookCredentials { certificate: pair, ..Default::default() };
        assert!(
            WebhookUser::new(broken).unwrap_err().starts_with("tls: failed to find any PEM data")
        );
    }
}
