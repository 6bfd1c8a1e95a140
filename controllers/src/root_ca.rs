//! Every namespace has a config map with the certificates by which pods know the server.

use crate::client::escaped;
use crate::{Client, Failure, Idle, Outcome, Pace, Reconcile, Row, Setup, Shared, Store, Waiting};
use ratchet_object::Node;
use std::sync::Arc;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "root-ca-certificate-publisher-controller",
    aliases: &["root-ca-cert-publisher"],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 1,
    start,
};

const NAMESPACES: &str = "/api/v1/namespaces";

/// Other config maps are none of our business, and need not be kept.
const MAPS: &str = "/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-root-ca.crt";

const NAME: &str = "kube-root-ca.crt";
const DESCRIPTION: &str = "kubernetes.io/description";
const WORDS: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

struct Publisher {
    client: Client,
    namespaces: Arc<Store>,
    maps: Arc<Store>,
    authority: String,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let authority = setup.settings.root_ca.clone();
    if authority.is_empty() {
        return Box::new(Idle);
    }
    let (namespaces, maps) = (setup.collection(NAMESPACES), setup.collection(MAPS));
    let queue = setup.queue.clone();
    setup.listen(NAMESPACES, move |change| {
        if change.new.is_some() {
            queue.add(&change.key);
        }
    });
    let queue = setup.queue.clone();
    setup.listen(MAPS, move |change| {
        if let Some((namespace, NAME)) = change.key.split_once('/') {
            queue.add(namespace);
        }
    });
    Box::new(Publisher { client: setup.client.clone(), namespaces, maps, authority })
}

impl Reconcile for Publisher {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
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
        let path = format!("{NAMESPACES}/{}/configmaps", escaped(namespace));
        let answered = match self.maps.get(&format!("{namespace}/{NAME}")) {
            None => self.client.post(&path, &self.wanted(None)).await,
            Some(map) if self.is_right(&map) => return Ok(()),
            Some(map) => self.client.put(&format!("{path}/{NAME}"), &self.wanted(Some(&map))).await,
        };
        match answered {
            // The namespace, or the map, is on its way out.
            Err(failure) if failure.is_not_found() => Ok(()),
            Err(failure) if failure.message.contains("being terminated") => Ok(()),
            answered => answered.map(drop),
        }
    }

    fn is_right(&self, map: &Shared) -> bool {
        let is_described = !map.text_at(&["metadata", "annotations", DESCRIPTION]).is_empty();
        is_described && map.get("data") == Some(&self.data())
    }

    fn data(&self) -> Node<'static> {
        Node::map([("ca.crt", Node::string(self.authority.clone()))])
    }

    fn wanted(&self, old: Option<&Shared>) -> Node<'static> {
        let mut map = old.map_or_else(Node::empty_map, |old| Node::clone(old));
        map.set("apiVersion", Node::string("v1"));
        map.set("kind", Node::string("ConfigMap"));
        let metadata = map.below("metadata");
        metadata.set("name", Node::string(NAME));
        metadata.below("annotations").set(DESCRIPTION, Node::string(WORDS));
        map.set("data", self.data());
        map
    }
}

fn is_active(namespace: &Shared) -> bool {
    namespace.text_at(&["metadata", "deletionTimestamp"]).is_empty()
}
