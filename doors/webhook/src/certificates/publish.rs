//! `publish`: the authorities of the webhook into the `caBundle` of its configurations.

use ratchet_cluster::Cluster;
use ratchet_object::{Node, encode_base64};

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const RESOURCES: [&str; 2] = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"];

/// The Service whose webhooks get the bundle.
pub(crate) struct Target<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) service: &'a str,
    /// The names of the configurations.
    pub(crate) configurations: &'a [String],
}

/// Writes the bundle wherever it is not. Configurations that do not exist are left out: nobody calls the webhook by
/// them yet.
pub(crate) async fn publish(
    cluster: &Cluster,
    target: &Target<'_>,
    bundle: &str,
) -> Result<(), String> {
    let bundle = encode_base64(bundle.as_bytes());
    for name in target.configurations {
        for resource in RESOURCES {
            publish_in(cluster, target, &format!("{GROUP}/{resource}/{name}"), &bundle).await?;
        }
    }
    Ok(())
}

async fn publish_in(
    cluster: &Cluster,
    target: &Target<'_>,
    path: &str,
    bundle: &str,
) -> Result<(), String> {
    let found = cluster.ask(path).await.map_err(|error| error.to_string())?;
    if found.code == 404 {
        return Ok(());
    }
    let configuration = found.object().filter(|_| found.is_success());
    let mut configuration =
        configuration.ok_or_else(|| format!("cannot read {path}: {}", found.describe()))?;
    if !set_bundle(&mut configuration, target, bundle) {
        return Ok(());
    }
    let answer = cluster.update(path, &configuration).await.map_err(|error| error.to_string())?;
    match answer.is_success() {
        true => {
            tracing::info!(path, "authorities published");
            Ok(())
        }
        false => Err(format!("cannot write {path}: {}", answer.describe())),
    }
}

/// Sets the bundle in the webhooks of a configuration that call this Service, or a URL; `false` if it is there already.
fn set_bundle(configuration: &mut Node<'static>, target: &Target<'_>, bundle: &str) -> bool {
    let webhooks = configuration.get_mut("webhooks").and_then(Node::items_mut);
    let mut is_changed = false;
    for webhook in webhooks.into_iter().flatten() {
        let Some(client) = webhook.get_mut("clientConfig") else { continue };
        let is_other = client.get("service").is_some_and(|service| {
            (service.text_at(&["namespace"]), service.text_at(&["name"]))
                != (target.namespace, target.service)
        });
        if is_other || client.text_at(&["caBundle"]) == bundle {
            continue;
        }
        client.set("caBundle", Node::string(bundle.to_owned()));
        is_changed = true;
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode_json};

    #[test]
    fn only_own_webhooks_get_the_bundle() {
        let text = r#"{"webhooks":[
            {"clientConfig":{"service":{"namespace":"n","name":"s"}}},
            {"clientConfig":{"service":{"namespace":"n","name":"other"},"caBundle":"b2xk"}},
            {"clientConfig":{"url":"https://127.0.0.1","caBundle":"b2xk"}},
            {"name":"broken"}]}"#;
        let decoded = decode_json(text, Limits::DEFAULT).unwrap();
        let mut configuration = decoded.documents.into_iter().next().unwrap().into_owned();
        let target = Target { namespace: "n", service: "s", configurations: &[] };
        assert!(set_bundle(&mut configuration, &target, "bmV3"));
        let bundles = configuration.get("webhooks").unwrap().items().iter();
        let bundles: Vec<&str> =
            bundles.map(|webhook| webhook.text_at(&["clientConfig", "caBundle"])).collect();
        assert_eq!(bundles, ["bmV3", "b2xk", "bmV3", ""]);
        assert!(!set_bundle(&mut configuration, &target, "bmV3"), "nothing is left to write");
    }
}
