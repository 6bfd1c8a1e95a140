//! Who `ratchet serve` is to admission webhooks: the kubeconfigs that an AdmissionConfiguration names.

use crate::api_config::{failed, object_of, read_config_file};
use ratchet_object::{Node, Object, decode_base64};
use ratchet_server::{WebhookCredentials, WebhookUser, WebhookUserConfig, WebhookUsers};
use std::path::Path;

const MUTATING: &str = "MutatingAdmissionWebhook";
const VALIDATING: &str = "ValidatingAdmissionWebhook";
const CONFIGURATION: (&str, &str) = ("apiserver.config.k8s.io/v1", "WebhookAdmissionConfiguration");

/// Reads the configurations of both plugins.
pub(crate) fn read(path: &Path) -> Result<WebhookUserConfig, String> {
    let text = read_config_file(path)?;
    let Some(object) = object_of(&text)? else { return Ok(WebhookUserConfig::default()) };
    let of = |plugin| plugin_users(&object, path, plugin);
    Ok(WebhookUserConfig { mutating: of(MUTATING)?, validating: of(VALIDATING)? })
}

fn plugin_users(object: &Object<'_>, path: &Path, plugin: &str) -> Result<WebhookUsers, String> {
    let refused =
        |why: &str| failed(&format!("couldn't init admission plugin \"{plugin}\": {why}"));
    let root = object.root().node();
    let plugins = root.and_then(|root| root.get("plugins")).map(Node::items).unwrap_or_default();
    let Some(row) = plugins.iter().find(|row| row.text_at(&["name"]) == plugin) else {
        return Ok(WebhookUsers::default());
    };
    let kubeconfig = match row.get("configuration").filter(|inline| !inline.is_null()) {
        Some(inline) => kubeconfig_of(inline).map_err(|why| refused(&why))?,
        None if row.text_at(&["path"]).is_empty() => String::new(),
        None => {
            let beside = path.parent().unwrap_or(Path::new(".")).join(row.text_at(&["path"]));
            let text = read_config_file(&beside)?;
            match object_of(&text)?.as_ref().and_then(|object| object.root().node()) {
                Some(root) => kubeconfig_of(root).map_err(|why| refused(&why))?,
                None => String::new(),
            }
        }
    };
    if kubeconfig.is_empty() {
        return Ok(WebhookUsers::default());
    }
    let text = std::fs::read_to_string(&kubeconfig).map_err(|error| {
        refused(&format!("open {kubeconfig}: {}", ratchet_server::go_io_error(&error)))
    })?;
    let folder = Path::new(&kubeconfig).parent().unwrap_or(Path::new("/"));
    match object_of(&text)?.as_ref().and_then(|object| object.root().node()) {
        Some(root) => users(root, folder).map_err(|why| refused(&why)),
        None => Ok(WebhookUsers::default()),
    }
}

/// The file that a WebhookAdmissionConfiguration names; empty if none.
fn kubeconfig_of(configuration: &Node<'_>) -> Result<String, String> {
    let (version, kind) =
        (configuration.text_at(&["apiVersion"]), configuration.text_at(&["kind"]));
    if (version, kind) != CONFIGURATION {
        return Err(format!("no kind \"{kind}\" is registered for version \"{version}\""));
    }
    let file = configuration.text_at(&["kubeConfigFile"]);
    if !file.is_empty() && !Path::new(file).is_absolute() {
        return Err(format!(
            "kubeConfigFile: Invalid value: \"{file}\": must be an absolute file path"
        ));
    }
    Ok(file.to_owned())
}

/// The users of a kubeconfig, whose relative paths begin in its folder.
fn users(kubeconfig: &Node<'_>, folder: &Path) -> Result<WebhookUsers, String> {
    let list = |name: &str| kubeconfig.get(name).map(Node::items).unwrap_or_default();
    let mut users = Vec::new();
    for row in list("users") {
        let name = row.text_at(&["name"]);
        let user = credentials(row, folder)
            .and_then(WebhookUser::new)
            .map_err(|why| format!("user \"{name}\": {why}"))?;
        users.push((name.to_owned(), user));
    }
    let current = kubeconfig.text_at(&["current-context"]);
    let current = list("contexts").iter().find(|row| row.text_at(&["name"]) == current);
    let current = current.map(|row| row.text_at(&["context", "user"])).unwrap_or_default();
    Ok(WebhookUsers::new(users, current.to_owned()))
}

fn credentials(row: &Node<'_>, folder: &Path) -> Result<WebhookCredentials, String> {
    let text = |name: &str| row.text_at(&["user", name]);
    let other = ["exec", "auth-provider", "as"];
    if let Some(name) = other.into_iter().find(|name| row.find(&["user", *name]).is_some()) {
        return Err(format!("\"{name}\" is not supported for webhooks"));
    }
    let file = |name: &str| Some(folder.join(Some(text(name)).filter(|path| !path.is_empty())?));
    // What is inline wins over a file.
    let pem = |data: &str, name: &str| match (text(data), file(name)) {
        ("", None) => Ok(Vec::new()),
        ("", Some(path)) => std::fs::read(&path).map_err(|error| {
            format!("open {}: {}", path.display(), ratchet_server::go_io_error(&error))
        }),
        (data, _) => {
            decode_base64(data).map_err(|at| format!("illegal base64 data at input byte {at}"))
        }
    };
    let certificate = pem("client-certificate-data", "client-certificate")?;
    let key = pem("client-key-data", "client-key")?;
    let password = (text("username"), text("password"));
    let has_password = password != ("", "");
    Ok(WebhookCredentials {
        token: text("token").to_owned(),
        token_file: file("tokenFile"),
        password: has_password.then(|| (password.0.to_owned(), password.1.to_owned())),
        certificate: (!certificate.is_empty() || !key.is_empty()).then_some((certificate, key)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn kubeconfigs_are_read_and_refused_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let start = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: ValidatingAdmissionWebhook\n";
        let inline = |file: &str| {
            format!(
                "{start}  configuration:\n    apiVersion: apiserver.config.k8s.io/v1\n    kind: WebhookAdmissionConfiguration\n    kubeConfigFile: {file}\n"
            )
        };
        let kubeconfig =
            write(folder, "users", "users:\n- name: '*.svc'\n  user: {token: secret}\n");
        let config = write(folder, "one.yaml", &inline(&kubeconfig.display().to_string()));
        let found = format!("{:?}", read(&config).unwrap());
        assert!(found.contains("*.svc"), "{found}");
        assert!(!found.contains("secret"), "{found}");
        let refused = |text: &str| read(&write(folder, "bad.yaml", text)).unwrap_err();
        const START: &str = "failed to apply admission: couldn't init admission plugin \"ValidatingAdmissionWebhook\": ";
        for (text, why) in [
            (
                inline("users"),
                "kubeConfigFile: Invalid value: \"users\": must be an absolute file path",
            ),
            (inline("/nonexistent/x"), "open /nonexistent/x: no such file or directory"),
            (
                format!("{start}  configuration: {{kind: Odd, apiVersion: v1}}\n"),
                "no kind \"Odd\" is registered for version \"v1\"",
            ),
        ] {
            assert_eq!(refused(&text), format!("{START}{why}"));
        }
        let plain = write(
            folder,
            "plain.yaml",
            "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: []\n",
        );
        assert!(read(&plain).is_ok());
    }
}
