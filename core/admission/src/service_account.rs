//! ServiceAccount: every pod has an existing service account, and mounts its token.

use crate::resources::SERVICE_ACCOUNTS;
use crate::{Attributes, Denial, PluginContext, pods};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const MOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const VOLUME: &str = "kube-api-access-";
/// An hour plus seven seconds, which tells injected tokens apart.
const EXPIRATION: i64 = 3607;
const ENFORCE: &str = "kubernetes.io/enforce-mountable-secrets";

/// Sets the service account of a new pod, with its token volume and pull secrets.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    if !attributes.is_on("", "pods") || !attributes.is_create() {
        return Ok(());
    }
    if pods::is_mirror(pod) {
        // A kubelet would delete a mirror pod that differs from its static pod.
        return mirror(pod);
    }
    if pod.text_at(&["spec", "serviceAccountName"]).is_empty() {
        let spec = pod.map_mut("spec");
        spec.set("serviceAccountName", Node::string("default"));
        spec.set("serviceAccount", Node::string("default"));
    }
    let account = account(attributes, pod, cluster)?;
    if automounts(&account, pod) {
        mount_token(pod, cluster);
    }
    if pods::items(pod, &["spec", "imagePullSecrets"]).is_empty() {
        let secrets = pods::items(&account, &["imagePullSecrets"]).iter();
        let secrets: Vec<_> = secrets.map(|secret| name_ref(secret.text_at(&["name"]))).collect();
        if !secrets.is_empty() {
            pod.map_mut("spec").set("imagePullSecrets", Node::list(secrets));
        }
    }
    validate(attributes, pod, cluster)
}

/// Refuses pods whose account does not exist, or that use more secrets than it allows.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_debugged =
        attributes.is_on_part("", "pods", "ephemeralcontainers") && attributes.is_update();
    if !(attributes.is_on("", "pods") && attributes.is_create() || is_debugged) {
        return Ok(());
    }
    if !is_debugged && pods::is_mirror(pod) {
        return mirror(pod);
    }
    if pod.text_at(&["spec", "serviceAccountName"]).is_empty() {
        let name = pod.metadata().name();
        let text = format!("no service account specified for pod {}/{name}", attributes.namespace);
        return Err(Denial::Forbidden(text));
    }
    let account = account(attributes, pod, cluster)?;
    if !matches!(
        account.metadata().annotation(ENFORCE),
        Some("1" | "t" | "T" | "true" | "TRUE" | "True")
    ) {
        return Ok(());
    }
    check_mountable_secrets(pod, &account, is_debugged)
}

fn account(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<Node<'static>, Denial> {
    let name = pod.text_at(&["spec", "serviceAccountName"]);
    let namespace = attributes.namespace;
    let missing = || {
        let text = format!(
            "error looking up service account {namespace}/{name}: serviceaccount \"{name}\" not found"
        );
        Denial::Forbidden(text)
    };
    cluster.get(&SERVICE_ACCOUNTS, namespace, name).ok_or_else(missing)
}

fn mirror(pod: &Node<'_>) -> Result<(), Denial> {
    let tokens = |volume: &Node<'_>| {
        pods::items(volume, &["projected", "sources"])
            .iter()
            .any(|source| pods::has(source, "serviceAccountToken"))
    };
    let reason = if !pod.text_at(&["spec", "serviceAccountName"]).is_empty() {
        "reference service accounts"
    } else if pods::uses_secrets(pod) {
        "reference secrets"
    } else if pod.pod_spec().volumes().iter().any(tokens) {
        "use ServiceAccountToken volume projections"
    } else {
        return Ok(());
    };
    Err(Denial::Forbidden(format!("a mirror pod may not {reason}")))
}

/// Whether the pod, or else its account, mounts the token; true if neither is set.
fn automounts(account: &Node<'_>, pod: &Node<'_>) -> bool {
    let own = pod.find(&["spec", "automountServiceAccountToken"]).and_then(Node::as_bool);
    own.or_else(|| account.get("automountServiceAccountToken").and_then(Node::as_bool))
        .unwrap_or(true)
}

fn mount_token(pod: &mut Node<'static>, cluster: &dyn PluginContext) {
    let volumes = pod.pod_spec().volumes().iter().map(|volume| volume.text_at(&["name"]));
    let existing: Option<String> =
        volumes.into_iter().find(|name| name.starts_with(VOLUME)).map(Into::into);
    let name = existing.clone().unwrap_or_else(|| format!("{VOLUME}{}", cluster.suffix()));
    let mount = Node::map([
        ("name", Node::string(name.clone())),
        ("readOnly", Node::bool(true)),
        ("mountPath", Node::string(MOUNT)),
    ]);
    let mut is_needed = false;
    for list in ["initContainers", "containers"] {
        for container in
            pod.find_mut(&["spec", list]).and_then(Node::items_mut).into_iter().flatten()
        {
            let mounts = pods::items(container, &["volumeMounts"]);
            // A container that mounts something else at this path does not get the token.
            if !mounts.iter().any(|other| other.text_at(&["mountPath"]) == MOUNT) {
                pods::list_mut(container, "volumeMounts").push(mount.clone());
                is_needed = true;
            }
        }
    }
    if is_needed && existing.is_none() {
        let volume = Node::map([("name", Node::string(name)), ("projected", token_volume())]);
        pods::list_mut(pod.map_mut("spec"), "volumes").push(volume);
    }
}

fn name_ref(name: &str) -> Node<'static> {
    Node::map([("name", Node::string(String::from(name)))])
}

/// The volume with the token, the cluster's certificate authority, and the namespace.
fn token_volume() -> Node<'static> {
    let token =
        Node::map([("expirationSeconds", Node::int(EXPIRATION)), ("path", Node::string("token"))]);
    let item = Node::map([("key", Node::string("ca.crt")), ("path", Node::string("ca.crt"))]);
    let authority =
        Node::map([("name", Node::string("kube-root-ca.crt")), ("items", Node::list(vec![item]))]);
    let field = Node::map([
        ("apiVersion", Node::string("v1")),
        ("fieldPath", Node::string("metadata.namespace")),
    ]);
    let file = Node::map([("path", Node::string("namespace")), ("fieldRef", field)]);
    let downward_api = Node::map([("items", Node::list(vec![file]))]);
    let sources = vec![
        Node::map([("serviceAccountToken", token)]),
        Node::map([("configMap", authority)]),
        Node::map([("downwardAPI", downward_api)]),
    ];
    Node::map([("sources", Node::list(sources)), ("defaultMode", Node::int(0o644))])
}

/// Refuses secrets that the account does not reference.
fn check_mountable_secrets(
    pod: &Node<'_>,
    account: &Node<'_>,
    is_debugged: bool,
) -> Result<(), Denial> {
    let owner = account.metadata().name();
    let names = |list: &str| -> BTreeSet<&str> {
        pods::items(account, &[list]).iter().map(|item| item.text_at(&["name"])).collect()
    };
    let secrets = names("secrets");
    let refuse = |reference: String, secret: &str| {
        let text = format!(
            "{reference}=\"{secret}\" is not allowed because service account {owner} does not reference that secret"
        );
        Err(Denial::Forbidden(text))
    };
    let lists: &[(&str, &str)] = match is_debugged {
        true => &[("ephemeralContainers", "ephemeral container")],
        false => &[("initContainers", "init container"), ("containers", "container")],
    };
    if !is_debugged {
        for volume in pod.pod_spec().volumes().iter().filter(|volume| pods::has(volume, "secret")) {
            let secret = volume.text_at(&["secret", "secretName"]);
            if !secrets.contains(secret) {
                return refuse("volume with secret.secretName".into(), secret);
            }
        }
    }
    for (list, description) in lists {
        for container in pod.pod_spec().list(list) {
            let name = container.text_at(&["name"]);
            for env in pods::items(container, &["env"]) {
                let Some(secret) = env.find(&["valueFrom", "secretKeyRef"]) else { continue };
                let secret = secret.text_at(&["name"]);
                if !secrets.contains(secret) {
                    let env = env.text_at(&["name"]);
                    return refuse(
                        format!(
                            "{description} {name} with envVar {env} referencing secret.secretName"
                        ),
                        secret,
                    );
                }
            }
            for env in pods::items(container, &["envFrom"])
                .iter()
                .filter(|env| pods::has(env, "secretRef"))
            {
                let secret = env.text_at(&["secretRef", "name"]);
                if !secrets.contains(secret) {
                    return refuse(
                        format!("{description} {name} with envFrom referencing secret.secretName"),
                        secret,
                    );
                }
            }
        }
    }
    if is_debugged {
        return Ok(());
    }
    let pull_secrets = names("imagePullSecrets");
    for (at, secret) in pods::items(pod, &["spec", "imagePullSecrets"]).iter().enumerate() {
        let secret = secret.text_at(&["name"]);
        if !pull_secrets.contains(secret) {
            return Err(Denial::Forbidden(format!(
                "imagePullSecrets[{at}].name=\"{secret}\" is not allowed because service account {owner} does not reference that imagePullSecret"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::Create;
    use crate::testing::{Fake, attributes, node, text, user};

    fn admitted(pod: &str, account: &str) -> (String, Node<'static>) {
        let user = user("u", &[]);
        let cluster = Fake::default().with("", "serviceaccounts", &[account]);
        let mut pod = node(pod);
        let result = admit(&attributes(Create, "", "pods", &user, None), &mut pod, &cluster);
        (text(result), pod)
    }

    const DEFAULT: &str =
        "{metadata: {name: default, namespace: ns}, imagePullSecrets: [{name: pull}]}";

    #[test]
    fn a_pod_gets_the_default_account_its_token_and_its_pull_secrets() {
        let (outcome, pod) = admitted("{spec: {containers: [{name: a}]}}", DEFAULT);
        assert_eq!(outcome, "Ok(())");
        assert_eq!(
            pod.get("spec").unwrap().to_json(),
            r#"{"containers":[{"name":"a","volumeMounts":[{"name":"kube-api-access-abcde","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}],"serviceAccountName":"default","serviceAccount":"default","volumes":[{"name":"kube-api-access-abcde","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],"imagePullSecrets":[{"name":"pull"}]}"#
        );
    }

    #[test]
    fn who_does_not_want_the_token_does_not_get_it() {
        for (pod, account) in [
            ("{spec: {automountServiceAccountToken: false, containers: [{name: a}]}}", DEFAULT),
            (
                "{spec: {containers: [{name: a}]}}",
                "{metadata: {name: default, namespace: ns}, automountServiceAccountToken: false}",
            ),
            (
                "{spec: {containers: [{name: a, volumeMounts: [{name: v, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]}]}}",
                DEFAULT,
            ),
        ] {
            assert_eq!(admitted(pod, account).1.find(&["spec", "volumes"]), None, "{pod}");
        }
    }

    #[test]
    fn an_account_that_is_not_there_is_refused() {
        let (outcome, _) = admitted("{spec: {serviceAccountName: robot}}", DEFAULT);
        assert_eq!(
            outcome,
            "error looking up service account ns/robot: serviceaccount \"robot\" not found"
        );
    }

    #[test]
    fn mirrors_refer_to_nothing() {
        let mirror = |spec: &str| {
            admitted(
                &format!(
                    "{{metadata: {{annotations: {{kubernetes.io/config.mirror: x}}}}, spec: {spec}}}"
                ),
                DEFAULT,
            )
        };
        let (outcome, pod) = mirror("{containers: [{name: a}]}");
        assert_eq!((outcome.as_str(), pod.find(&["spec", "serviceAccountName"])), ("Ok(())", None));
        assert_eq!(
            mirror("{serviceAccountName: a}").0,
            "a mirror pod may not reference service accounts"
        );
        assert_eq!(
            mirror("{volumes: [{name: v, secret: {secretName: s}}]}").0,
            "a mirror pod may not reference secrets"
        );
    }

    #[test]
    fn an_account_may_limit_the_secrets() {
        let account = "{metadata: {name: default, namespace: ns, annotations: {kubernetes.io/enforce-mountable-secrets: 'true'}}, secrets: [{name: s}]}";
        let (outcome, _) =
            admitted("{spec: {volumes: [{name: v, secret: {secretName: s}}]}}", account);
        assert_eq!(outcome, "Ok(())");
        let (outcome, _) =
            admitted("{spec: {volumes: [{name: v, secret: {secretName: t}}]}}", account);
        assert_eq!(
            outcome,
            "volume with secret.secretName=\"t\" is not allowed because service account default does not reference that secret"
        );
    }
}
