//! The kubeconfig of the first administrator.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// A kubeconfig for one server and one user, with embedded certificates.
pub fn kubeconfig(server_url: &str, ca_pem: &str, cert_pem: &str, key_pem: &str) -> String {
    let [ca, cert, key] = [ca_pem, cert_pem, key_pem].map(|pem| BASE64_STANDARD.encode(pem));
    // In double quotes, so that no character of an address can become YAML syntax.
    let server = server_url.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: ratchet
  cluster:
    certificate-authority-data: {ca}
    server: \"{server}\"
users:
- name: kubernetes-admin
  user:
    client-certificate-data: {cert}
    client-key-data: {key}
contexts:
- name: kubernetes-admin@ratchet
  context:
    cluster: ratchet
    user: kubernetes-admin
current-context: kubernetes-admin@ratchet
preferences: {{}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stands_in_it() {
        let text = kubeconfig("https://127.0.0.1:6443", "ca", "cert", "key");
        for line in [
            "    certificate-authority-data: Y2E=\n",
            "    server: \"https://127.0.0.1:6443\"\n",
            "    client-certificate-data: Y2VydA==\n",
            "    client-key-data: a2V5\n",
        ] {
            assert!(text.contains(line), "{text} lacks {line}");
        }
    }
}
