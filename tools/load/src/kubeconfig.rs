//! Kubeconfig files: server and credentials of a context.

use crate::credentials::{ClientIdentity, Credentials};
use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::path::Path;

/// The parts of a kubeconfig that say where a server is and who asks.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Kubeconfig {
    #[serde(default)]
    current_context: String,
    #[serde(default)]
    contexts: Vec<NamedContext>,
    #[serde(default)]
    clusters: Vec<NamedCluster>,
    #[serde(default)]
    users: Vec<NamedUser>,
}

#[derive(Deserialize)]
struct NamedContext {
    name: String,
    context: ContextEntry,
}

#[derive(Deserialize)]
struct ContextEntry {
    cluster: String,
    #[serde(default)]
    user: String,
}

#[derive(Deserialize)]
struct NamedCluster {
    name: String,
    cluster: Cluster,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Cluster {
    server: String,
    certificate_authority: Option<String>,
    certificate_authority_data: Option<String>,
    #[serde(default)]
    insecure_skip_tls_verify: bool,
}

#[derive(Deserialize)]
struct NamedUser {
    name: String,
    user: User,
}

/// A user; what is left out here (`exec`, `auth-provider`, passwords) is refused.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct User {
    client_certificate: Option<String>,
    client_certificate_data: Option<String>,
    client_key: Option<String>,
    client_key_data: Option<String>,
    token: Option<String>,
    #[serde(rename = "tokenFile")]
    token_file: Option<String>,
    exec: Option<serde_json::Value>,
}

/// Reads the URL and the credentials of a context, the current one unless it is named.
pub(crate) fn read(file: &Path, context: Option<&str>) -> Result<(String, Credentials)> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read kubeconfig {}", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    parse(&text, folder, context).with_context(|| format!("in kubeconfig {}", file.display()))
}

fn parse(text: &str, folder: &Path, context: Option<&str>) -> Result<(String, Credentials)> {
    let config: Kubeconfig = serde_saphyr::from_str(text).context("it cannot be read")?;
    let name = context.unwrap_or(&config.current_context);
    let context = config.contexts.iter().find(|entry| entry.name == name);
    let context = &context.with_context(|| format!("there is no context {name:?}"))?.context;
    let cluster = config.clusters.iter().find(|entry| entry.name == context.cluster);
    let cluster =
        &cluster.with_context(|| format!("there is no cluster {:?}", context.cluster))?.cluster;
    let nobody = User::default();
    let user = config.users.iter().find(|entry| entry.name == context.user);
    let user = user.map_or(&nobody, |entry| &entry.user);
    if user.exec.is_some() {
        bail!("user {:?} has a credential plugin; give its --token instead", context.user);
    }
    let part = |data: &Option<String>, path: &Option<String>, name: &str| {
        content(folder, data.as_deref(), path.as_deref()).with_context(|| format!("{name} of it"))
    };
    let certificate =
        part(&user.client_certificate_data, &user.client_certificate, "client-certificate")?;
    let key = part(&user.client_key_data, &user.client_key, "client-key")?;
    let identity = match (certificate, key) {
        (Some(certificate), Some(key)) => Some(ClientIdentity { certificate, key }),
        (None, None) => None,
        _ => bail!("user {:?} has a certificate or a key, not both", context.user),
    };
    let token = match (&user.token, &user.token_file) {
        (Some(token), _) => Some(token.clone()),
        (None, Some(path)) => {
            let token = std::fs::read_to_string(folder.join(path))
                .with_context(|| format!("cannot read {path}"))?;
            Some(token.trim().to_owned())
        }
        (None, None) => None,
    };
    let authority = part(
        &cluster.certificate_authority_data,
        &cluster.certificate_authority,
        "certificate-authority",
    )?;
    let is_insecure = cluster.insecure_skip_tls_verify;
    Ok((cluster.server.clone(), Credentials { identity, token, authority, is_insecure }))
}

/// The content of a field that is given as data or as a file relative to the kubeconfig.
fn content(folder: &Path, data: Option<&str>, path: Option<&str>) -> Result<Option<Vec<u8>>> {
    if let Some(data) = data {
        let content = STANDARD.decode(data.trim()).ok().context("the data are no base64")?;
        return Ok(Some(content));
    }
    let Some(path) = path else { return Ok(None) };
    let path = folder.join(path);
    std::fs::read(&path).map(Some).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
apiVersion: v1
kind: Config
current-context: here
clusters:
- name: one
  cluster: {server: 'https://127.0.0.1:6443', certificate-authority-data: Q0E=}
- name: two
  cluster: {server: 'https://example.com', insecure-skip-tls-verify: true}
contexts:
- {name: here, context: {cluster: one, user: admin}}
- {name: there, context: {cluster: two, user: robot}}
- {name: lost, context: {cluster: three, user: robot}}
- {name: plugin, context: {cluster: two, user: plugin}}
- {name: half, context: {cluster: two, user: half}}
users:
- name: admin
  user: {client-certificate-data: Q0VSVA==, client-key-data: S0VZ}
- {name: robot, user: {token: abc}}
- {name: plugin, user: {exec: {command: aws}}}
- {name: half, user: {client-key-data: S0VZ}}
";

    fn parsed(context: Option<&str>) -> Result<(String, Credentials)> {
        parse(TEXT, Path::new("."), context)
    }

    #[test]
    fn the_current_context_has_certificate_key_and_authority() {
        let (server, credentials) = parsed(None).unwrap();
        assert_eq!(server, "https://127.0.0.1:6443");
        assert_eq!(credentials.authority.as_deref(), Some(&b"CA"[..]));
        let identity = credentials.identity.unwrap();
        assert_eq!((identity.certificate, identity.key), (b"CERT".to_vec(), b"KEY".to_vec()));
        assert!(!credentials.is_insecure && credentials.token.is_none());
    }

    #[test]
    fn another_context_has_a_token() {
        let (server, credentials) = parsed(Some("there")).unwrap();
        assert_eq!(server, "https://example.com");
        assert_eq!(credentials.token.as_deref(), Some("abc"));
        assert!(credentials.is_insecure);
    }

    #[test]
    fn what_is_missing_is_named() {
        for (context, why) in [
            ("nowhere", "there is no context \"nowhere\""),
            ("lost", "there is no cluster \"three\""),
            ("plugin", "user \"plugin\" has a credential plugin; give its --token instead"),
            ("half", "user \"half\" has a certificate or a key, not both"),
        ] {
            let error = parsed(Some(context)).err().unwrap();
            assert_eq!(error.to_string(), why);
        }
    }

    #[test]
    fn files_are_relative_to_the_kubeconfig() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.crt"), "CA").unwrap();
        let read = content(folder.path(), None, Some("ca.crt")).unwrap();
        assert_eq!(read.as_deref(), Some(&b"CA"[..]));
        assert!(content(folder.path(), None, Some("none")).is_err());
        assert!(content(folder.path(), Some("%"), None).is_err());
    }
}
