//! Collection of kubelet certificates, from a live cluster with bounded parallelism or from files.

use crate::dial::{ProbeResult, dial};
use crate::nodes::Kubelet;
use crate::offline::Collected;
use crate::proxy::{self, ProxyResult};
use crate::requests::Requests;
use crate::{Config, Live, Via};
use indicatif::ProgressBar;
use ratchet_certificate::NodeName;
use ratchet_cluster::{Cluster, ClusterError};
use ratchet_object::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// A kubelet with everything that was observed about it.
pub(crate) struct AuditCase {
    pub(crate) kubelet: Kubelet,
    pub(crate) observation: Observation,
    /// Further evidence about the certificate.
    pub(crate) evidence: Vec<String>,
    /// Authorities that the cluster issued to the node.
    pub(crate) authorities: Vec<String>,
    /// Other nodes that report the same address and port.
    pub(crate) same_endpoint: Vec<String>,
}

/// How a kubelet was observed, with the result.
pub(crate) enum Observation {
    /// Dialled directly.
    Dialled(ProbeResult),
    /// Reached through the API server's node proxy.
    Proxied {
        proxied: ProxyResult,
        /// Why a direct dial failed, if one was tried.
        direct: Option<String>,
    },
    /// The certificate is in a file.
    File(PathBuf, ProbeResult),
    /// No file has the certificate.
    NoFile,
    /// The node has no address to dial.
    NoAddress,
    /// The node does not exist.
    NoNode,
}

/// The kubelets to audit, and notes about the collection.
#[derive(Default)]
pub(crate) struct AuditInput {
    pub(crate) cases: Vec<AuditCase>,
    pub(crate) notes: Vec<String>,
}

/// Observes the kubelets of a live cluster.
pub(crate) async fn live(
    config: &Config,
    live: &Live,
    bar: &ProgressBar,
) -> Result<AuditInput, ClusterError> {
    let cluster = Cluster::connect(&live.connection).await?;
    let kubelets = list(&cluster, config, live).await?;
    let nodes_by_endpoint = nodes_by_endpoint(&kubelets);
    // The bar is drawn only once its length is known.
    bar.set_length(kubelets.len() as u64);
    bar.enable_steady_tick(Duration::from_millis(200));
    let found: BTreeSet<String> = kubelets.iter().map(|one| one.node.as_str().to_owned()).collect();
    let mut observations = observe_all(&cluster, &kubelets, live, bar).await;
    let mut input = AuditInput::default();
    let requests = requests(&cluster, &observations, &mut input.notes).await;
    for (at, kubelet) in kubelets.into_iter().enumerate() {
        let name = kubelet.node.as_str();
        let observation = observations.remove(&at).unwrap_or_else(|| {
            Observation::Dialled(ProbeResult::Failed("it was not looked at".to_owned()))
        });
        let evidence = if needs_evidence(&observation) {
            requests.about(name).into_iter().collect()
        } else {
            Vec::new()
        };
        let authorities = requests.authorities(name);
        let same_endpoint = others_at_endpoint(&nodes_by_endpoint, &kubelet);
        input.cases.push(AuditCase { kubelet, observation, evidence, authorities, same_endpoint });
    }
    input.add_missing(&config.names, &found);
    Ok(input)
}

/// Reads certificates that were collected into a folder.
pub(crate) fn offline(config: &Config, folder: &Path) -> Result<AuditInput, String> {
    let collected = Collected::read(folder, &config.address_types)?;
    let mut input = AuditInput::default();
    if !collected.has_nodes && !collected.nodes.is_empty() {
        input.notes.push(
            "there is no nodes.json: addresses are not compared with subject alternative names"
                .to_owned(),
        );
    }
    for file in &collected.unmatched {
        input
            .notes
            .push(format!("{file} is of no node in nodes.json: its addresses are not compared"));
    }
    let kubelets: Vec<Kubelet> =
        collected.nodes.values().map(|(kubelet, _)| kubelet.clone()).collect();
    let nodes_by_endpoint = nodes_by_endpoint(&kubelets);
    let found: BTreeSet<String> = collected.nodes.keys().cloned().collect();
    for (name, (kubelet, file)) in collected.nodes {
        if !is_wanted(&config.names, &name) {
            continue;
        }
        let observation =
            file.map_or(Observation::NoFile, |(file, probe)| Observation::File(file, probe));
        let same_endpoint = others_at_endpoint(&nodes_by_endpoint, &kubelet);
        let (evidence, authorities) = (Vec::new(), Vec::new());
        input.cases.push(AuditCase { kubelet, observation, evidence, authorities, same_endpoint });
    }
    input.add_missing(&config.names, &found);
    Ok(input)
}

impl AuditInput {
    /// Adds the requested nodes that do not exist.
    fn add_missing(&mut self, wanted: &[String], found: &BTreeSet<String>) {
        let missing: BTreeSet<&String> =
            wanted.iter().filter(|name| !found.contains(*name)).collect();
        for node in missing.into_iter().filter_map(|name| NodeName::new(name)) {
            let kubelet = Kubelet::unknown(node);
            self.cases.push(AuditCase {
                kubelet,
                observation: Observation::NoNode,
                evidence: Vec::new(),
                authorities: Vec::new(),
                same_endpoint: Vec::new(),
            });
        }
    }
}

fn is_wanted(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|wanted| wanted == name)
}

async fn list(
    cluster: &Cluster,
    config: &Config,
    live: &Live,
) -> Result<Vec<Kubelet>, ClusterError> {
    let mut kubelets = Vec::new();
    let mut pages = cluster.list("/api/v1/nodes", &[("labelSelector", &live.selector)]);
    while let Some(page) = pages.next().await? {
        let Ok(list) = page.decode() else { continue };
        let items = list.get("items").map(Node::items).unwrap_or_default();
        let all = items.iter().filter_map(|object| Kubelet::of(object, &config.address_types));
        kubelets.extend(all.filter(|one| is_wanted(&config.names, one.node.as_str())));
    }
    kubelets.sort_by(|one, other| one.node.cmp(&other.node));
    Ok(kubelets)
}

/// Observes every kubelet, at most `live.parallel` at a time.
async fn observe_all(
    cluster: &Cluster,
    kubelets: &[Kubelet],
    live: &Live,
    bar: &ProgressBar,
) -> BTreeMap<usize, Observation> {
    let gate = Arc::new(Semaphore::new(live.parallel.max(1)));
    let mut tasks = JoinSet::new();
    for (at, kubelet) in kubelets.iter().enumerate() {
        let (gate, cluster, kubelet, live) =
            (Arc::clone(&gate), cluster.clone(), kubelet.clone(), live.clone());
        tasks.spawn(async move {
            let _permit = gate.acquire().await;
            (at, observe(&cluster, &kubelet, &live).await)
        });
    }
    let mut observations = BTreeMap::new();
    while let Some(done) = tasks.join_next().await {
        if let Ok((at, observation)) = done {
            observations.insert(at, observation);
        }
        bar.inc(1);
    }
    observations
}

async fn observe(cluster: &Cluster, kubelet: &Kubelet, live: &Live) -> Observation {
    let Some(host) = &kubelet.host else { return Observation::NoAddress };
    let node = kubelet.node.as_str();
    if live.via == Via::Proxy {
        return Observation::Proxied {
            proxied: proxy::probe_healthz(cluster, node).await,
            direct: None,
        };
    }
    match dial(host, kubelet.port, live.timeout).await {
        ProbeResult::Failed(why) if live.via == Via::Auto => Observation::Proxied {
            proxied: proxy::probe_healthz(cluster, node).await,
            direct: Some(why),
        },
        probe => Observation::Dialled(probe),
    }
}

/// Whether the certificate itself was not obtained.
fn needs_evidence(observation: &Observation) -> bool {
    matches!(
        observation,
        Observation::Proxied { .. } | Observation::Dialled(ProbeResult::Failed(_))
    )
}

/// The certificate signing requests, listed only if a kubelet needs their evidence.
async fn requests(
    cluster: &Cluster,
    observations: &BTreeMap<usize, Observation>,
    notes: &mut Vec<String>,
) -> Requests {
    if !observations.values().any(needs_evidence) {
        return Requests::default();
    }
    Requests::read(cluster).await.unwrap_or_else(|error| {
        notes.push(format!("requests for certificates tell nothing: {error}"));
        Requests::default()
    })
}

/// Node names by reported address and port.
fn nodes_by_endpoint(kubelets: &[Kubelet]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for kubelet in kubelets {
        if let Some(endpoint) = kubelet.endpoint() {
            all.entry(endpoint).or_default().push(kubelet.node.as_str().to_owned());
        }
    }
    all
}

/// Other nodes with a kubelet's endpoint, at most `MOST` of them.
fn others_at_endpoint(
    nodes_by_endpoint: &BTreeMap<String, Vec<String>>,
    kubelet: &Kubelet,
) -> Vec<String> {
    const MOST: usize = 5;
    let names = kubelet.endpoint().and_then(|endpoint| nodes_by_endpoint.get(&endpoint));
    let others = names.into_iter().flatten().filter(|name| *name != kubelet.node.as_str());
    others.take(MOST).cloned().collect()
}
