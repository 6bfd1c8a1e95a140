//! Controller that publishes the cluster's CA certificates as a config map in every namespace.

use crate::{
    BoxFuture, Client, Failure, Idle, Outcome, Reconcile, RetryDelay, Row, Setup, Shared, Store,
};
use ratchet_object::{Node, percent_encode};
use std::sync::Arc;

pub(crate) const ROW: Row = Row {
    name: "root-ca-certificate-publisher-controller",
    aliases: &["root-ca-cert-publisher"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 1,
    start,
};

const NAMESPACES: &str = "/api/v1/namespaces";

/// Other config maps are not needed, and would only use memory.
const CONFIG_MAPS: &str = "/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-root-ca.crt";

const NAME: &str = "kube-root-ca.crt";
const DESCRIPTION: &str = "kubernetes.io/description";
const DESCRIPTION_TEXT: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

struct Publisher {
    client: Client,
    namespaces: Arc<Store>,
    config_maps: Arc<Store>,
    ca_bundle: String,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let ca_bundle = setup.settings.root_ca.clone();
    if ca_bundle.is_empty() {
        return Box::new(Idle);
    }
    let (namespaces, config_maps) = (setup.collection(NAMESPACES), setup.collection(CONFIG_MAPS));
    let queue = setup.queue.clone();
    setup.listen(NAMESPACES, move |change| {
        if change.new.is_some() {
            queue.add(&change.key);
        }
    });
    let queue = setup.queue.clone();
    setup.listen(CONFIG_MAPS, move |change| {
        if let Some((namespace, NAME)) = change.key.split_once('/') {
            queue.add(namespace);
        }
    });
    Box::new(Publisher { client: setup.client.clone(), namespaces, config_maps, ca_bundle })
}

impl Reconcile for Publisher {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if self.namespaces.get(key).is_some_and(|namespace| is_active(&namespace)) {
                self.publish(key).await?;
            }
            Ok(Outcome::Done)
        })
    }
}

impl Publisher {
    async fn publish(&self, namespace: &str) -> Result<(), Failure> {
        let path = format!("{NAMESPACES}/{}/configmaps", percent_encode(namespace));
        let result = match self.config_maps.get(&format!("{namespace}/{NAME}")) {
            None => self.client.post(&path, &self.desired(None)).await,
            Some(config_map) if self.is_up_to_date(&config_map) => return Ok(()),
            Some(config_map) => {
                self.client.put(&format!("{path}/{NAME}"), &self.desired(Some(&config_map))).await
            }
        };
        match result {
            // The namespace, or the config map, is being deleted.
            Err(failure) if failure.is_not_found() => Ok(()),
            Err(failure) if failure.message.contains("being terminated") => Ok(()),
            result => result.map(drop),
        }
    }

    fn is_up_to_date(&self, config_map: &Shared) -> bool {
        let has_description =
            !config_map.metadata().annotation(DESCRIPTION).unwrap_or_default().is_empty();
        has_description && config_map.get("data") == Some(&self.data())
    }

    fn data(&self) -> Node<'static> {
        Node::map([("ca.crt", Node::string(self.ca_bundle.clone()))])
    }

    fn desired(&self, old: Option<&Shared>) -> Node<'static> {
        let mut config_map = old.map_or_else(Node::empty_map, |old| Node::clone(old));
        config_map.set("apiVersion", Node::string("v1"));
        config_map.set("kind", Node::string("ConfigMap"));
        let metadata = config_map.map_mut("metadata");
        metadata.set("name", Node::string(NAME));
        metadata.map_mut("annotations").set(DESCRIPTION, Node::string(DESCRIPTION_TEXT));
        config_map.set("data", self.data());
        config_map
    }
}

fn is_active(namespace: &Shared) -> bool {
    namespace.metadata().deletion_timestamp().is_empty()
}
